//! The tree a sample is searched over: chunk file, directory, Git tree.

pub mod chunk_file;
pub mod mapping;
mod row;
mod rows;
mod scan;
pub mod survey;
pub mod tree;
mod unescape;

pub use chunk_file::ChunkFile;
pub use mapping::Mapping;
pub use survey::{Census, ContentId, ContentKind, Contents, File, Survey, count_lines};
pub use tree::{Fingerprint, SnapshotError, Tree, TreeNotes};
