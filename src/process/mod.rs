//! Children that never outlive us.

mod call;
mod events;
mod executable;
mod fork;
pub mod git;
mod group;
pub mod guard;
mod guarding;
mod living;
pub mod lookup;
mod reap;
mod removal;
mod running;
pub mod scratch;
pub mod stop;
mod wire;

pub use call::{Call, Ended, Finished};
pub use git::{CatFile, Git, GitError};
pub use guard::{Digests, Guard, GuardError};
pub use guarding::main as guard_main;
pub use removal::remove_tree;
pub use scratch::Scratch;
