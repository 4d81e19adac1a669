//! Percentile bootstrap intervals of a mean difference, over samples and over repositories.
//!
//! Same numbers in, same bounds out, on every platform: one ChaCha8 generator per interval, seeded by the caller,
//! sums in the order of the draws. The reference harness draws from another generator, so its bounds differ from
//! these within Monte Carlo error and nothing else does (section 14.4). Nothing here rounds.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use super::draw::Below;
use super::number::sum;
use super::protocol::{RESAMPLES, TAIL};

/// A 95% interval, unrounded, in the unit of the differences.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower bound.
    pub low: f64,
    /// The upper bound, at least `low`.
    pub high: f64,
}

/// The interval of the mean of `differences` when samples are drawn anew: [`RESAMPLES`] means of n draws with
/// replacement, [`TAIL`] cut from each end.
///
/// `None` for no differences. One difference gives an interval of width zero; whether so few are worth an interval
/// is the caller's decision ([`super::MIN_PAIRS`]).
pub fn bootstrap(differences: &[f64], seed: u64) -> Option<Interval> {
    let below = Below::new(differences.len())?;
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    let n = differences.len();
    Some(cut_tails(|| {
        let mut sums = [0.0; ABREAST];
        for _ in 0..n {
            for sum in &mut sums {
                *sum += differences[below.draw(&mut generator)];
            }
        }
        sums.map(|sum| sum / n as f64)
    }))
}

/// The interval of the mean over all members of `groups` when whole groups are drawn anew: samples of one
/// repository resemble each other, and an interval that treats them as independent is too narrow (section 14.5).
///
/// Each resample draws as many groups as there are, with replacement, and takes the mean over every member drawn
/// (Σ sums / Σ counts), so a large repository keeps its weight. Groups without members are no groups. `None` with
/// fewer than two: one repository says nothing about the next.
pub fn cluster_bootstrap(groups: &[Vec<f64>], seed: u64) -> Option<Interval> {
    let totals: Vec<(f64, u64)> = groups
        .iter()
        .filter(|members| !members.is_empty())
        .map(|members| (sum(members), members.len() as u64))
        .collect();
    if totals.len() < 2 {
        return None;
    }
    let below = Below::new(totals.len())?;
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    Some(cut_tails(|| {
        let mut drawn = [(0.0, 0); ABREAST];
        for _ in 0..totals.len() {
            for (sum, count) in &mut drawn {
                let (group_sum, group_count) = totals[below.draw(&mut generator)];
                *sum += group_sum;
                *count += group_count;
            }
        }
        drawn.map(|(sum, count)| sum / count as f64)
    }))
}

/// Resamples computed side by side. Each addition of a sum waits for the one before it; four sums that do not
/// depend on each other keep the adder busy, which makes an interval more than twice as fast.
const ABREAST: usize = 4;

const _: () = assert!(RESAMPLES.is_multiple_of(ABREAST) && 2 * TAIL < RESAMPLES);

/// The order statistics that bound the middle of [`RESAMPLES`] values of `statistic`.
fn cut_tails(mut statistic: impl FnMut() -> [f64; ABREAST]) -> Interval {
    let mut values: Vec<f64> = (0..RESAMPLES / ABREAST).flat_map(|_| statistic()).collect();
    // Selection puts at an index what sorting would put there, for a fraction of the comparisons.
    let (below, high, _) = values.select_nth_unstable_by(RESAMPLES - 1 - TAIL, f64::total_cmp);
    let high = *high;
    let (_, low, _) = below.select_nth_unstable_by(TAIL, f64::total_cmp);
    Interval { low: *low, high }
}
