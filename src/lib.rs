//! Measures code retrieval for coding agents: samples × arms → a report one can trust.
//!
//! The rooms, in the order of a run; `docs/architecture.md` says which may use which.
//!
//! | room | one sentence |
//! |---|---|
//! | [`cli`] | What a person types → a validated plan (args, plan, run); no work happens here |
//! | [`dataset`] | Rows of each benchmark → `Sample`: gold rules, query text, folds |
//! | [`snapshot`] | The tree a sample is searched over: chunk file, directory, Git tree, private copy |
//! | [`arm`] | The arms: who ranks files, what an answer is, and the one table every other part follows |
//! | [`text`] | Bytes → tokens, identifiers, anchors; what counts as text and as a safe path |
//! | [`lexical`] | grep, grep-ident and BM25 over statistics shared by every snapshot of a repository |
//! | [`graph`] | The code graph: nodes, four kinds of edges, one file per language; patch → gold functions |
//! | [`corvint`] | The tool under test: what it is asked, what its packets mean, what a call costs, what is kept of it |
//! | [`metric`] | What one ranking is worth: one table of metrics |
//! | [`stats`] | What a difference is worth: intervals, tests, corrections |
//! | [`report`] | The model of a result and its faces: canonical JSON, schema, merge, tables |
//! | [`mod@bench`] | The main job: order the snapshots, drive the arms, keep the journal, show progress, resume |
//! | [`registration`] | What was run, on what: digests, environment, host, conditions; written once, before anything runs |
//! | [`publish`] | Files that are written once: whole, durable, and never over another |
//! | [`process`] | Children that never outlive us |
//! | [`verify`] | What is wrong with the inputs of a run, without running anything |
//! | [`demo`] | The built-in benchmark: this project's own source at one commit, with hand-labelled questions |

pub mod arm;
pub mod bench;
pub mod cli;
pub mod corvint;
pub mod dataset;
pub mod demo;
pub mod graph;
pub mod lexical;
pub mod metric;
pub mod process;
pub mod publish;
pub mod registration;
pub mod report;
pub mod snapshot;
pub mod stats;
pub mod text;
pub mod verify;
