//! Resampling and sign flips written out, with a generator of their own.

/// SplitMix64: unrelated to the generator under test.
pub struct SplitMix(pub u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        word ^ (word >> 31)
    }

    /// A draw from `0..bound`, by the remainder: for small bounds its bias is far under what any test here sees.
    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}

/// `resamples` means over resampled groups, sorted; groups of one sample each give the plain bootstrap.
pub fn resampled_means(groups: &[Vec<f64>], resamples: usize) -> Vec<f64> {
    let mut generator = SplitMix(0xB007);
    let mut means: Vec<f64> = (0..resamples)
        .map(|_| {
            let (mut sum, mut count) = (0.0, 0);
            for _ in 0..groups.len() {
                let group = &groups[generator.below(groups.len())];
                sum += group.iter().sum::<f64>();
                count += group.len();
            }
            sum / count as f64
        })
        .collect();
    means.sort_by(f64::total_cmp);
    means
}

/// The sign-flip p-value over all 2ⁿ assignments: the share whose |sum| reaches the observed one.
pub fn sign_flip_exact(differences: &[f64]) -> f64 {
    let signed_sum = |signs: u32| -> f64 {
        let flipped = |(bit, d): (usize, &f64)| if signs >> bit & 1 == 1 { -d } else { *d };
        differences.iter().enumerate().map(flipped).sum()
    };
    let observed = signed_sum(0).abs();
    let assignments = 1u32 << differences.len();
    let reached = (0..assignments).filter(|signs| signed_sum(*signs).abs() > observed - 1e-9);
    reached.count() as f64 / f64::from(assignments)
}

/// Holm's procedure by its definition: the adjusted p of a test is the largest scaled p of the tests at most as large.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut sorted = p_values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let adjusted = |p: &f64| {
        let scaled = sorted
            .iter()
            .enumerate()
            .filter(|(_, smaller)| *smaller <= p)
            .map(|(rank, smaller)| smaller * (sorted.len() - rank) as f64);
        scaled.fold(0.0, f64::max).min(1.0)
    };
    p_values.iter().map(adjusted).collect()
}
