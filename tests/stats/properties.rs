//! What holds for all differences.

use proptest::prelude::*;
use retrieval_bench::stats::{
    bootstrap, cluster_bootstrap, effect_size, holm, mean, round6, sign_flip_p, wilson,
};

use crate::oracle;

/// Differences as metrics make them: of two reciprocals of ranks, of two shares, zero, or any number.
fn difference() -> impl Strategy<Value = f64> {
    let reciprocal =
        (1u32..=20, 1u32..=20).prop_map(|(a, b)| 1.0 / f64::from(a) - 1.0 / f64::from(b));
    let share = (0u32..=4, 0u32..=4).prop_map(|(a, b)| f64::from(a) / 4.0 - f64::from(b) / 4.0);
    prop_oneof![Just(0.0), reciprocal, share, -1.0..=1.0f64]
}

fn differences(sizes: std::ops::Range<usize>) -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(difference(), sizes)
}

/// More than rounding can move a mean of differences in [-1, 1].
const ROUNDING: f64 = 1e-12;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// That the interval holds the mean is a theorem but for chance of ten standard deviations. The lower bound
    /// exceeds the mean only if at most 100 of 4,000 resampled means fall short of it. Let Y be a resampled mean
    /// less the mean. From E Y = 0, P(Y < 0) ≥ (E|Y|)² / 4E Y² (Cauchy-Schwarz), and (E|Y|)² ≥ (E Y²)³ / E Y⁴
    /// (Hölder). The kurtosis of n values is at most n - 2 + 1/(n - 1), so that of Y is under 4. Together:
    /// P(Y < 0) > 1/16, whatever the differences; over 250 of 4,000 are expected. Likewise above.
    #[test]
    fn an_interval_is_ordered_within_the_values_and_holds_the_mean(
        values in differences(1..40), seed in any::<u64>(),
    ) {
        let found = bootstrap(&values, seed).expect("there are differences");
        let smallest = values.iter().copied().fold(f64::INFINITY, f64::min);
        let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        prop_assert!(found.low <= found.high);
        prop_assert!(smallest - ROUNDING <= found.low && found.high <= largest + ROUNDING);
        prop_assert!(found.low <= mean(&values) + ROUNDING);
        prop_assert!(mean(&values) <= found.high + ROUNDING);
    }

    #[test]
    fn equal_differences_give_an_interval_of_width_zero(
        value in difference(), n in 1usize..20, seed in any::<u64>(),
    ) {
        let found = bootstrap(&vec![value; n], seed).expect("there are differences");
        prop_assert_eq!(found.low, found.high);
        prop_assert_eq!(found.low, mean(&vec![value; n]));
    }

    #[test]
    fn a_cluster_interval_is_ordered_and_within_the_means_of_the_groups(
        groups in prop::collection::vec(differences(0..6), 0..12), seed in any::<u64>(),
    ) {
        let means: Vec<f64> =
            groups.iter().filter(|group| !group.is_empty()).map(|group| mean(group)).collect();
        let found = cluster_bootstrap(&groups, seed);
        prop_assert_eq!(found.is_some(), means.len() >= 2);
        if let Some(found) = found {
            let smallest = means.iter().copied().fold(f64::INFINITY, f64::min);
            let largest = means.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            prop_assert!(found.low <= found.high);
            prop_assert!(smallest - ROUNDING <= found.low && found.high <= largest + ROUNDING);
        }
    }

    #[test]
    fn a_p_value_is_in_range_and_blind_to_which_arm_comes_first(
        values in differences(0..200), seed in any::<u64>(),
    ) {
        let p = sign_flip_p(&values, 500, seed);
        prop_assert!(0.0 < p && p <= 1.0);
        let negated: Vec<f64> = values.iter().map(|d| -d).collect();
        prop_assert_eq!(sign_flip_p(&negated, 500, seed), p);
    }

    #[test]
    fn a_p_value_is_the_exact_one_within_monte_carlo_error(
        values in differences(1..11), seed in any::<u64>(),
    ) {
        let exact = oracle::stats::sign_flip_exact(&values);
        let draws = 20_000;
        let p = sign_flip_p(&values, draws, seed);
        let error = (exact * (1.0 - exact) / f64::from(draws)).sqrt();
        // Six standard errors: seeds are random here, so the bound must hold for every run anybody makes.
        let tolerance = 6.0 * error + 1.0 / f64::from(draws);
        prop_assert!((p - exact).abs() <= tolerance, "{} {}", p, exact);
    }

    #[test]
    fn holm_equals_its_definition_and_keeps_order_and_bounds(
        p_values in prop::collection::vec(0.0..=1.0f64, 0..40),
    ) {
        let adjusted = holm(&p_values);
        prop_assert_eq!(&adjusted, &oracle::stats::holm(&p_values));
        for (raw, corrected) in p_values.iter().zip(&adjusted) {
            prop_assert!(raw <= corrected && *corrected <= 1.0);
            for (other_raw, other) in p_values.iter().zip(&adjusted) {
                prop_assert!(raw > other_raw || corrected <= other);
            }
        }
    }

    #[test]
    fn a_wilson_interval_holds_its_rate_and_mirrors(successes in 0u64..400, failures in 0u64..400) {
        let n = successes + failures;
        let found = wilson(successes, n);
        if n > 0 {
            let mirrored = wilson(failures, n);
            let (low, rate, high) = (found.low.unwrap(), found.rate.unwrap(), found.high.unwrap());
            prop_assert!(0.0 <= low && low <= rate && rate <= high && high <= 1.0);
            prop_assert!((mirrored.low.unwrap() - (1.0 - high)).abs() < 1.5e-6);
        }
    }

    #[test]
    fn an_effect_size_turns_with_the_arms_and_ignores_the_scale(values in differences(2..60)) {
        let negated: Vec<f64> = values.iter().map(|d| -d).collect();
        let doubled: Vec<f64> = values.iter().map(|d| 2.0 * d).collect();
        let found = effect_size(&values);
        prop_assert_eq!(effect_size(&negated), found.map(|effect| -effect));
        prop_assert_eq!(effect_size(&doubled), found);
    }

    #[test]
    fn rounding_twice_is_rounding_once(value in -1e3..1e3f64) {
        prop_assert_eq!(round6(round6(value)), round6(value));
        prop_assert!((round6(value) - value).abs() <= 0.500001e-6);
    }
}
