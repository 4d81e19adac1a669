//! What was run, on what: digests, environment, conditions; written once, before anything runs.

mod clock;
mod conditions;
mod digest;
mod environment;
mod error;
mod families;
mod record;

pub use clock::rfc3339;
pub use conditions::Conditions;
pub use digest::{Digest, own_binary_sha256};
pub use environment::{environment, relevant};
pub use error::RegistrationError;
pub use families::{Comparison, Family, plan_families};
pub use record::{PROFILE, Registration};
