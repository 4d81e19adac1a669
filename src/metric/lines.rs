//! Ranges of gold lines: merging them, and counting what they hold.
//!
//! Scoring merges again whatever it is given. Dataset readers merge already, but a line counted twice would inflate
//! coverage without a trace, and merging a handful of sorted ranges costs nothing beside ranking the files.

use crate::dataset::LineRange;

/// The ranges in order, joined where they overlap or touch (`1-2` and `3-4` are `1-4`).
pub fn merge_lines(mut ranges: Vec<LineRange>) -> Vec<LineRange> {
    ranges.sort_unstable();
    ranges.dedup_by(|next, kept| {
        let joined = next.start <= kept.end.saturating_add(1);
        if joined {
            kept.end = kept.end.max(next.end);
        }
        joined
    });
    ranges
}

/// How many lines up to `last` the merged `ranges` hold. 128 bits, so that no range a row can name overflows a sum.
pub(super) fn lines_in(ranges: &[LineRange], last: u64) -> u128 {
    let held = |range: &LineRange| {
        (u128::from(range.end.min(last)) + 1).saturating_sub(u128::from(range.start))
    };
    ranges.iter().map(held).sum()
}
