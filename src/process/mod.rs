//! Children that never outlive us.

pub mod git;
mod group;

pub use git::{CatFile, Git, GitError};
