//! [`Args`](super::Args) → [`Plan`]: every check that needs no file, in the reference's order.
//!
//! Order (reference section 2): flag syntax and positional arguments are refused before this module; then conflicts
//! with `--summarize`, samples, arms, the arm that `--snapshot-latency` needs, the default registration, the
//! registration that `--snapshot-latency` needs, `--context-packets`, limit, max-samples, snapshot syntax, sources.
//! Checks of newer flags stand before the snapshot syntax. Nothing here touches a file.

mod arms;
mod bounds;
mod choice;
mod inputs;
mod run;
mod summarize;
mod verify;

pub use arms::{ArmRows, one_call_at_a_time};
pub use choice::Plan;
pub use inputs::InputPlan;
pub use run::RunPlan;
pub use summarize::SummarizePlan;
pub use verify::VerifyPlan;
