//! Files that are written once: whole, durable, and never over another.

mod alias;
mod error;
mod file;

pub use alias::{MAX_LINKS, distinct, resolve};
pub use error::PublishError;
pub use file::{ensure_vacant, publish};
