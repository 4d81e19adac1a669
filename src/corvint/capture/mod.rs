//! `--context-packets`: what the context arm's calls printed, byte for byte, in one file (reference harness 13).

mod error;
mod file;
mod invocation;
mod line;
mod place;
mod plan;

pub use error::CaptureError;
pub use file::{Capture, MAX_FILE_BYTES, MAX_METADATA_BYTES};
pub use invocation::{Invocation, Phase};
pub use line::ParseStatus;
pub use place::{Destination, Surroundings};
pub use plan::{CapturePlan, MAX_HEADER_BYTES, MAX_INVOCATIONS};
