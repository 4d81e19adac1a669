//! Counting what ranges of gold lines hold.

use crate::dataset::LineRange;

/// How many lines up to `last` the merged `ranges` hold. 128 bits, so that no range a row can name overflows a sum.
pub(super) fn lines_in(ranges: &[LineRange], last: u64) -> u128 {
    let held = |range: &LineRange| {
        (u128::from(range.end.min(last)) + 1).saturating_sub(u128::from(range.start))
    };
    ranges.iter().map(held).sum()
}
