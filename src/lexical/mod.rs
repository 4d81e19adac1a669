//! grep, grep-ident and BM25 over statistics shared by every snapshot of a repository.

mod family;
pub mod index;
pub mod rank;
mod view;
pub mod vocabulary;
pub mod word_scan;
mod word_table;

pub use family::Lexical;
