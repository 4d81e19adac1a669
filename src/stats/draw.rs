//! Uniform draws below a bound: the inner step of every resample.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

/// Draws from `0..bound`, each value exactly equally likely.
///
/// Lemire's multiply-shift: the high half of a 32-bit word times the bound is the draw. Words whose low half falls
/// below 2³² mod bound are the surplus that would favour some values, so they are drawn again; that threshold is the
/// only division, once per bound. The width of `usize` plays no part, so every platform draws the same values.
pub(super) struct Below {
    bound: u32,
    threshold: u32,
}

impl Below {
    /// `None` for 0, from which nothing can be drawn, and for a bound over 32 bits.
    pub(super) fn new(bound: usize) -> Option<Below> {
        let bound = u32::try_from(bound).ok().filter(|bound| *bound > 0)?;
        Some(Below { bound, threshold: bound.wrapping_neg() % bound })
    }

    pub(super) fn draw(&self, generator: &mut ChaCha8Rng) -> usize {
        loop {
            let product = u64::from(generator.next_u32()) * u64::from(self.bound);
            if product as u32 >= self.threshold {
                return (product >> 32) as usize;
            }
        }
    }
}
