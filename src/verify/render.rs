//! The answer as text: a line per finding, a count per kind, and the sum.

use std::fmt;

use super::check::Verified;
use super::finding::{KINDS, Kind};

impl fmt::Display for Verified {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for finding in &self.findings {
            writeln!(out, "{finding}")?;
        }
        for row in &KINDS {
            let count = self.findings.iter().filter(|finding| finding.kind == row.kind).count();
            if count == 0 {
                continue;
            }
            write!(out, "{count:>7} {}[{}] {}", row.severity, row.name, row.about)?;
            if matches!(row.kind, Kind::GoldMissing | Kind::GoldCut | Kind::GoldRebuilt) {
                write!(out, ", of {} looked for", self.gold)?;
            }
            writeln!(out)?;
        }
        let (samples, snapshots) = (self.samples, self.snapshots);
        let findings = self.findings.len();
        writeln!(out, "verify: {samples} samples, {snapshots} snapshots, {findings} findings")
    }
}
