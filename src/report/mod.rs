//! The model of a result and its faces: canonical JSON, schema, merge, tables.
