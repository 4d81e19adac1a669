//! Whether `context` was answered from the tool's stored snapshot, as the tool itself says on standard error when
//! [`TRACE_VARIABLE`] is set (reference harness 13).

/// The variable that makes `context` say so.
pub const TRACE_VARIABLE: &str = "CORVINT_BENCH_SNAPSHOT_TRACE";

/// What the tool said of its snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observed {
    /// It was used.
    Hit,
    /// There was none that fits.
    Miss,
    /// Nothing, or more than the one line.
    Unknown,
}

impl Observed {
    /// What standard error says: the trace counts only where there is nothing else.
    pub fn on(stderr: &[u8]) -> Observed {
        match str::from_utf8(stderr).map(str::trim) {
            Ok("corvint-bench-snapshot: hit=true") => Observed::Hit,
            Ok("corvint-bench-snapshot: hit=false") => Observed::Miss,
            _ => Observed::Unknown,
        }
    }

    /// The `cache_state` of an answer.
    pub fn name(self) -> &'static str {
        match self {
            Observed::Hit => "OBSERVED_HIT",
            Observed::Miss => "OBSERVED_MISS",
            Observed::Unknown => "UNKNOWN",
        }
    }
}
