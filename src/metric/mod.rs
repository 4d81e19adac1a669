//! What one ranking is worth: one table of metrics. Knows plain values only.
