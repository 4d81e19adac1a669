//! Children that never outlive us.

mod executable;
mod fork;
pub mod git;
mod group;
pub mod guard;
mod guarding;
mod living;
mod reap;
mod removal;
mod running;
pub mod scratch;
pub mod stop;
mod wire;

pub use git::{CatFile, Git, GitError};
pub use guard::{Call, Digests, Ended, Finished, Guard, GuardError};
pub use guarding::main as guard_main;
pub use removal::remove_tree;
pub use scratch::Scratch;
