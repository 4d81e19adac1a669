//! The sign-flip permutation test of a mean difference.
//!
//! If two arms were alike, each paired difference could as well have had the other sign. The test asks how often
//! random signs give a mean at least as far from zero as the one observed (section 14.5). It assumes nothing about
//! the shape of the differences, and holds for the sum as for the mean.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::number::{EQUAL_ON_PAPER, sum};

/// The two-sided p-value of `differences` having mean zero: (1 + count) / (1 + permutations), where count is the
/// number of sign assignments whose |sum| reaches the observed one. In (0, 1]; exactly 1 where nothing differs.
///
/// Sums that are equal on paper count as equal although their last bits differ: the observed |sum| is lowered by
/// 1e-12 of Σ|d|, more than rounding can move a sum and less than a metric can. Without this, the very assignment
/// that was observed (and its mirror image) could fail to reach itself, and p would be too small.
///
/// Zero differences add nothing under either sign; they are skipped, so they leave p unchanged. The observed sum of
/// no differences is 0, which every assignment reaches.
pub fn sign_flip_p(differences: &[f64], permutations: u32, seed: u64) -> f64 {
    let moved: Vec<f64> = differences.iter().copied().filter(|d| *d != 0.0).collect();
    let sizes: Vec<f64> = moved.iter().map(|d| d.abs()).collect();
    let octets: Vec<SignedSums> = moved.chunks(OCTET).map(signed_sums).collect();
    let observed = octets.iter().fold(0.0, |sum, octet| sum + octet[0]);
    let threshold = f64::abs(observed) - EQUAL_ON_PAPER * sum(&sizes);

    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    let mut count = 0u32;
    for _ in 0..permutations {
        let mut sum = 0.0;
        for word in octets.chunks(8) {
            let signs = generator.next_u64().to_le_bytes();
            for (octet, sign) in word.iter().zip(signs) {
                sum += octet[usize::from(sign)];
            }
        }
        count += u32::from(f64::abs(sum) >= threshold);
    }
    (1.0 + f64::from(count)) / (1.0 + f64::from(permutations))
}

/// Differences whose signs one byte holds.
const OCTET: usize = 8;

/// The sum of eight differences under each of their 256 sign assignments: a set bit `j` negates the `j`-th. With
/// these a permutation costs one addition for eight differences.
type SignedSums = [f64; 1 << OCTET];

fn signed_sums(differences: &[f64]) -> SignedSums {
    let mut sums = [0.0; 1 << OCTET];
    for bit in 0..OCTET {
        // Where there are fewer than eight, the missing ones are zero under either sign.
        let difference = differences.get(bit).copied().unwrap_or(0.0);
        for assignment in 0..1 << bit {
            sums[assignment | 1 << bit] = sums[assignment] - difference;
            sums[assignment] += difference;
        }
    }
    sums
}
