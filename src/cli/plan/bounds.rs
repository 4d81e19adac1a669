//! The ranges of the numbers.

use std::num::NonZero;
use std::thread;
use std::time::Duration;

use crate::cli::CliError;
use crate::cli::args::{DEFAULT_QUIET_WAIT, WorkArgs};
use crate::registration::QuietHost;

/// The largest `--limit`.
const MAX_LIMIT: i64 = 50;
/// The largest `--jobs`: far above any host, and small enough that a slip starts no million threads.
const MAX_JOBS: i64 = 512;
/// The largest `--timeout`, seconds: a day.
const MAX_TIMEOUT: f64 = 86_400.0;
/// The largest `--quiet-wait`, seconds: a day.
const MAX_QUIET_WAIT: i64 = 86_400;

pub(super) fn limit(value: i64) -> Result<usize, CliError> {
    usize::try_from(value).ok().filter(|_| (1..=MAX_LIMIT).contains(&value)).ok_or_else(|| {
        CliError::refused(format!("--limit must be within 1..{MAX_LIMIT}, not {value}"))
    })
}

pub(super) fn max_samples(value: i64) -> Result<usize, CliError> {
    usize::try_from(value).map_err(|_| {
        CliError::refused(format!("--max-samples must not be negative, as {value} is; 0 means all"))
    })
}

pub(super) fn jobs(work: &WorkArgs) -> Result<usize, CliError> {
    match usize::try_from(work.jobs) {
        Ok(0) => Ok(thread::available_parallelism().map_or(1, NonZero::get)),
        Ok(jobs) if work.jobs <= MAX_JOBS => Ok(jobs),
        _ => Err(CliError::refused(format!(
            "--jobs must be within 0..{MAX_JOBS}, not {}; 0 means one per core",
            work.jobs
        ))),
    }
}

/// How many private copies there may be. Arms that are timed run one at a time: several would slow one another.
pub(super) fn copies(value: i64) -> Result<usize, CliError> {
    usize::try_from(value).ok().filter(|_| (1..=MAX_JOBS).contains(&value)).ok_or_else(|| {
        CliError::refused(format!("--copies must be within 1..{MAX_JOBS}, not {value}"))
    })
}

pub(super) fn timeout(seconds: f64) -> Result<Duration, CliError> {
    Duration::try_from_secs_f64(seconds)
        .ok()
        .filter(|timeout| !timeout.is_zero() && seconds <= MAX_TIMEOUT)
        .ok_or_else(|| {
            CliError::refused(format!(
                "--timeout must be above 0 and at most {MAX_TIMEOUT} seconds, not {seconds}"
            ))
        })
}

pub(super) fn quiet_wait(seconds: Option<i64>, mode: QuietHost) -> Result<Duration, CliError> {
    if seconds.is_some() && mode != QuietHost::Wait {
        return Err(CliError::refused("--quiet-wait needs --quiet-host=wait"));
    }
    let seconds = seconds.unwrap_or(DEFAULT_QUIET_WAIT);
    let within = u64::try_from(seconds).ok().filter(|_| seconds <= MAX_QUIET_WAIT);
    within.map(Duration::from_secs).ok_or_else(|| {
        CliError::refused(format!(
            "--quiet-wait must be within 0..{MAX_QUIET_WAIT} seconds, not {seconds}"
        ))
    })
}
