//! What was run, on what: digests, environment, host, conditions; written once, before anything runs.

mod clock;
mod conditions;
mod digest;
mod environment;
mod error;
mod fact;
mod families;
mod gate;
mod host;
mod host_root;
mod identity;
mod moment;
mod quiet;
mod record;
mod utmp;

pub use clock::rfc3339;
pub use conditions::Conditions;
pub use digest::{Digest, own_binary_sha256};
pub use environment::{environment, relevant};
pub use error::RegistrationError;
pub use fact::{Fact, Facts, Kind};
pub use families::{Comparison, Family, plan_families};
pub use gate::{Gate, LiveHost, QuietHost, STEP, Surroundings, WINDOW};
pub use host::{HOST_FACTS, Host};
pub use host_root::{HostRoot, MOST_BYTES};
pub use identity::{IMAGE_VARIABLE, Identity, Program, is_sha256};
pub use moment::{MOMENT_FACTS, Moment, Reading, Ticks};
pub use quiet::{CHECKS, Check, CheckRow, Readings, Verdict, failures, judge};
pub use record::{PROFILE, Registration};
