//! What was run, on what: digests, environment, conditions; written once, before anything runs.
