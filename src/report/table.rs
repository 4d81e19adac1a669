//! The headline of a report for a terminal: plain text, aligned, at most 100 columns, no colour.
//!
//! One line per arm, then the differences whose interval over repositories excludes 0. Whatever decides between two
//! arms beyond that is in the report itself.

use std::fmt::Write;

use super::model::Report;
use super::summary::ArmSummary;
use crate::arm::ARMS;
use crate::stats::{MIN_PAIRS, MIN_REPOSITORIES, Wilson};

/// Heading and metric of the columns of means; the limit from which a column exists.
const MEANS: [(&str, &str, usize); 4] = [
    ("recall@5", "recall@5", 5),
    ("@10", "recall@10", 10),
    ("@20", "recall@20", 20),
    ("mrr", "mrr@k", 0),
];

impl Report {
    /// The headline, each line ending in a line feed.
    pub fn table(&self) -> String {
        let mut text = align(&self.arm_rows());
        let broken = self.details.iter().filter(|detail| !detail.error.is_empty()).count();
        if broken > 0 {
            let _ = writeln!(text, "\n{broken} of {} samples could not be measured.", self.samples);
        }
        let differences = self.difference_rows();
        text.push('\n');
        if differences.len() > 1 {
            text.push_str(
                "Differences whose 95% interval over repositories excludes 0 and whose corrected p is under\n\
                 0.05, all samples:\n",
            );
            text.push_str(&align(&differences));
        } else if self.interval_counts().0 > 0 {
            let (with, all) = self.interval_counts();
            let _ = writeln!(
                text,
                "No difference has a 95% interval over repositories that excludes 0 and a corrected p under\n\
                 0.05. {with} of {all} comparisons have an interval: it takes {MIN_REPOSITORIES} repositories."
            );
        } else {
            let _ = writeln!(
                text,
                "No difference has an interval: that takes 2 arms, {MIN_REPOSITORIES} repositories and {MIN_PAIRS} pairs."
            );
        }
        text
    }

    fn arm_rows(&self) -> Vec<Vec<String>> {
        let means: Vec<_> = MEANS.iter().filter(|(_, _, least)| *least <= self.limit).collect();
        let hit = format!("hit@{}", self.limit);
        let mut heading = vec!["arm".to_owned(), "n".to_owned()];
        heading.extend(means.iter().map(|(heading, _, _)| (*heading).to_owned()));
        heading.extend([&hit, "success", "abstained", "errors"].map(str::to_owned));

        let mut rows = vec![heading];
        for row in &ARMS {
            let Some(arm) = self.arms.get(row.name) else { continue };
            let n = arm.groups.get("all").map_or(0, |all| all.n);
            let mut cells = vec![row.name.to_owned(), n.to_string()];
            cells.extend(means.iter().map(|(_, metric, _)| mean(arm, metric)));
            cells.push(arm.intervals.get(&hit).map_or_else(missing, rate));
            cells.push(mean(arm, "selective_success"));
            cells.push(mean(arm, "abstained"));
            cells.push(arm.errors.to_string());
            rows.push(cells);
        }
        rows
    }

    fn difference_rows(&self) -> Vec<Vec<String>> {
        let heading = ["metric", "arm", "minus", "n", "difference", "95% interval", "p (Holm)"];
        let mut rows = vec![heading.map(str::to_owned).to_vec()];
        for family in self.significance.families.iter().filter(|family| family.group == "all") {
            for pair in family.comparisons.iter().filter(|pair| pair.stands()) {
                let signed =
                    |value: Option<f64>| value.map_or_else(missing, |value| format!("{value:+.3}"));
                rows.push(vec![
                    family.metric.clone(),
                    pair.arm.clone(),
                    pair.baseline.clone(),
                    pair.n.to_string(),
                    signed(pair.mean_diff),
                    format!("[{}..{}]", signed(pair.low), signed(pair.high)),
                    pair.p_holm.map_or_else(missing, |p| format!("{p:.4}")),
                ]);
            }
        }
        rows
    }

    /// How many comparisons have an interval, and how many there are.
    fn interval_counts(&self) -> (usize, usize) {
        let families = self.significance.families.iter();
        let comparisons = families.flat_map(|family| &family.comparisons);
        let with = comparisons.clone().filter(|pair| pair.low.is_some()).count();
        (with, comparisons.count())
    }
}

fn mean(arm: &ArmSummary, metric: &str) -> String {
    let mean = arm.groups.get("all").and_then(|all| all.means.get(metric));
    mean.map_or_else(missing, |mean| format!("{mean:.3}"))
}

fn rate(wilson: &Wilson) -> String {
    match (wilson.rate, wilson.low, wilson.high) {
        (Some(rate), Some(low), Some(high)) => format!("{rate:.3} [{low:.3}..{high:.3}]"),
        _ => missing(),
    }
}

fn missing() -> String {
    "-".to_owned()
}

/// Words to the left, figures to the right, two spaces between columns.
fn align(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let column = |index| rows.iter().filter_map(move |row: &Vec<String>| row.get(index));
    let widths: Vec<usize> = (0..columns)
        .map(|index| column(index).map(|cell| cell.chars().count()).max().unwrap_or(0))
        .collect();
    let is_word = |cell: &String| cell.starts_with(|first: char| first.is_ascii_lowercase());
    let words: Vec<bool> = (0..columns).map(|index| column(index).skip(1).all(is_word)).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (index, cell) in row.iter().enumerate() {
            let width = widths[index];
            let gap = if index == 0 { "" } else { "  " };
            let _ = if words[index] {
                write!(line, "{gap}{cell:<width$}")
            } else {
                write!(line, "{gap}{cell:>width$}")
            };
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}
