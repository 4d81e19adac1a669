//! What a difference is worth: intervals, tests, corrections. Knows no files and no arms.
