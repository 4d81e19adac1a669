//! A tree on disk of its own, committed once, for arms that run programs over it.

mod build;
mod check;
mod dirty;
mod folder;
mod permit;
mod private;

pub use dirty::Dirtied;
pub use permit::Copies;
pub use private::PrivateCopy;
