//! The tree a sample is searched over: chunk file, directory, Git tree.

pub mod survey;
pub mod tree;

pub use survey::{Census, ContentId, ContentKind, Contents, File, Survey};
pub use tree::{Fingerprint, SnapshotError, Tree, TreeNotes};
