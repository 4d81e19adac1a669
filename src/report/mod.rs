//! The model of a result and its faces: canonical JSON, schema, merge, tables.

mod canonical;
mod detail;
mod error;
mod latency;
mod merge;
mod model;
mod origin;
mod paired;
mod schema;
mod significance;
mod source_text;
mod summary;
mod table;
mod write;

pub use canonical::to_canonical;
pub use detail::Detail;
pub use error::ReportError;
pub use latency::Latency;
pub use merge::{MAX_REPORT_BYTES, merge, merge_reports};
pub use model::{Assembly, Corvint, NOT_RUN, PROFILE, Report, Skipped, SnapshotReport};
pub use origin::{Merged, Origin};
pub use paired::{Paired, PairedBlock, RepoDifference};
pub use schema::{registration_schema, report_schema};
pub use significance::{Significance, TestedComparison, TestedFamily};
pub use summary::{ArmSummary, GroupSummary};
