//! The tree a sample is searched over: chunk file, directory, Git tree.

mod assemble;
mod chunk_file;
mod clone;
mod copy;
mod directory;
mod mapping;
mod resolve;
mod row;
mod rows;
mod scan;
mod stitched;
pub mod survey;
pub mod tree;
mod unescape;

pub use assemble::Recovered;
pub use chunk_file::ChunkFile;
pub use clone::GitTree;
pub use copy::{Copies, Dirtied, PrivateCopy};
pub use directory::Directory;
pub use mapping::Mapping;
pub use resolve::{CorpusText, Location, Sources};
pub use scan::CHUNK_LINE_LIMIT;
pub use stitched::Stitched;
pub use survey::{Census, ContentId, ContentKind, Contents, File, Survey, count_lines};
pub use tree::{Fingerprint, SnapshotError, Tree, TreeNotes};
