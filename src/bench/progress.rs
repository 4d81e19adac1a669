//! What a person sees while a run goes on: a bar on a terminal, a line per snapshot elsewhere, nothing if asked.
//!
//! Everything goes to standard error. Nothing here reaches a report.

use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};

use indicatif::{ProgressBar, ProgressStyle};

use crate::dataset::SnapshotKey;
use crate::text::one_line::OneLine;

/// How progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Show {
    /// A bar with samples done, the arm at work and the time left.
    Bar,
    /// One plain line per snapshot.
    Lines,
    /// Nothing.
    Nothing,
}

impl Show {
    /// What fits standard error: nothing if `quiet`, a bar on a terminal, lines elsewhere.
    pub fn fitting(quiet: bool, terminal: bool) -> Show {
        match (quiet, terminal) {
            (true, _) => Show::Nothing,
            (false, true) => Show::Bar,
            (false, false) => Show::Lines,
        }
    }
}

/// The progress of one run. Shared by the threads that work on it.
#[derive(Debug)]
pub struct Progress {
    bar: Option<ProgressBar>,
    lines: bool,
    snapshots: usize,
    snapshots_done: AtomicUsize,
}

impl Progress {
    /// For a run over so many snapshots and samples.
    pub fn new(show: Show, snapshots: usize, samples: usize) -> Progress {
        let bar = (show == Show::Bar).then(|| {
            let bar = ProgressBar::new(samples as u64);
            let template = "{bar:30} {pos}/{len} samples, {msg}, {eta} left";
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            bar
        });
        Progress { bar, lines: show == Show::Lines, snapshots, snapshots_done: AtomicUsize::new(0) }
    }

    /// An arm begins on a sample of a snapshot.
    pub fn arm(&self, key: &SnapshotKey, arm: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(format!("{arm} on {}", key.repo));
        }
    }

    /// So many samples are finished.
    pub fn samples_done(&self, count: usize) {
        if let Some(bar) = &self.bar {
            bar.inc(count as u64);
        }
    }

    /// A snapshot is finished; `what` says how.
    pub fn snapshot_done(&self, key: &SnapshotKey, what: &str) {
        let done = self.snapshots_done.fetch_add(1, Ordering::Relaxed) + 1;
        if self.lines {
            let commit = key.commit.get(..12).unwrap_or(&key.commit);
            // A closed standard error is no reason to stop measuring.
            let _ = writeln!(
                std::io::stderr(),
                "snapshot {done}/{}: {}@{commit}: {}",
                self.snapshots,
                key.repo,
                OneLine(what)
            );
        }
    }

    /// The run is over: the bar goes.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
