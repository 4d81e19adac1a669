//! Bootstrap bounds: exactly where they are certain, by their level everywhere else.

use retrieval_bench::stats::{
    Interval, RESAMPLES, SEED, TAIL, bootstrap, cluster_bootstrap, mean, round6,
};

use super::{float, floats, rows, shared_json};
use crate::oracle;

/// Resamples of the oracle.
const ORACLE: usize = 20_000;

/// Whether `interval` can be what 4,000 resamples from the distribution that `means` (sorted) were drawn from gave.
///
/// The bound at index 100 of 4,000 sorted means lies at a level of their distribution that is Beta(101, 3900): mean
/// 0.02524, standard deviation 0.00248, whatever the distribution. The oracle's own levels, being shares of 20,000,
/// add 0.0011. So the levels of a bound must enclose 0.02524 (0.97476 above) within five standard errors of both,
/// 0.0136: chance breaks that once in two million comparisons. A level is a range where means repeat: the share of
/// means below the bound, and the share up to it.
fn explains(means: &[f64], interval: Interval) -> bool {
    let share = |kept: usize| kept as f64 / means.len() as f64;
    let levels = |bound: f64| {
        // Means that are equal on paper may differ in their last bits between two orders of summation.
        let below = means.partition_point(|mean| *mean < bound - 1e-12);
        let up_to = means.partition_point(|mean| *mean <= bound + 1e-12);
        (share(below), share(up_to))
    };
    let level = (TAIL + 1) as f64 / (RESAMPLES + 1) as f64;
    let variance = level * (1.0 - level) * (1.0 / (RESAMPLES + 2) as f64 + 1.0 / ORACLE as f64);
    let slack = 5.0 * variance.sqrt();
    let encloses = |(below, up_to): (f64, f64), at: f64| below <= at + slack && at - slack <= up_to;
    encloses(levels(interval.low), level) && encloses(levels(interval.high), 1.0 - level)
}

fn singletons(differences: &[f64]) -> Vec<Vec<f64>> {
    differences.iter().map(|difference| vec![*difference]).collect()
}

#[test]
fn no_differences_have_no_interval() {
    assert_eq!(bootstrap(&[], SEED), None);
}

#[test]
fn one_difference_gives_an_interval_of_width_zero() {
    assert_eq!(bootstrap(&[-0.25], SEED), Some(Interval { low: -0.25, high: -0.25 }));
}

#[test]
fn bounds_that_leave_no_room_for_chance_are_the_binomial_quantiles() {
    // A mean of n draws from k ones and n - k zeros is Binomial(n, k/n) / n. In each case the level of every other
    // value is more than five standard errors from 2.5% and 97.5%, so no seed gives other bounds.
    let cases = [
        // k, n, low, high
        (1, 2, 0.0, 1.0),    // 0 and 1 have a quarter each
        (1, 4, 0.0, 0.75),   // at most 2: 0.949; at most 3: 0.996
        (2, 4, 0.0, 1.0),    // 0 and 4 have a sixteenth each
        (5, 10, 0.2, 0.8),   // at most 1: 0.0107; at most 2: 0.0547
        (8, 16, 0.25, 0.75), // at most 3: 0.0106; at most 4: 0.0384
    ];
    for (ones, n, low, high) in cases {
        let differences: Vec<f64> = (0..n).map(|i| f64::from(u8::from(i < ones))).collect();
        for seed in SEED..SEED + 5 {
            let found = bootstrap(&differences, seed);
            assert_eq!(found, Some(Interval { low, high }), "{ones} of {n}, seed {seed}");
        }
    }
}

#[test]
fn a_seed_always_gives_the_same_bounds_and_another_seed_others() {
    let differences: Vec<f64> = (0..40).map(|i| f64::from(i * i % 41) / 41.0).collect();
    let first = bootstrap(&differences, SEED);
    assert_eq!(bootstrap(&differences, SEED), first);
    assert_ne!(bootstrap(&differences, SEED + 1), first);
    let groups: Vec<Vec<f64>> = differences.chunks(3).map(<[f64]>::to_vec).collect();
    assert_eq!(cluster_bootstrap(&groups, SEED), cluster_bootstrap(&groups, SEED));
    assert_ne!(cluster_bootstrap(&groups, SEED), cluster_bootstrap(&groups, SEED + 1));
}

#[test]
fn seed_1_gives_these_bounds_on_every_platform() {
    // Recorded from this implementation: a report must not change when a dependency or the code around it does.
    let differences: Vec<f64> = (0..40).map(|i| f64::from(i * i % 41) / 41.0).collect();
    let found = bootstrap(&differences, SEED).expect("there are differences");
    assert_eq!((found.low, found.high), (0.4036585365853659, 0.5945121951219512));
    let groups: Vec<Vec<f64>> = differences.chunks(3).map(<[f64]>::to_vec).collect();
    let found = cluster_bootstrap(&groups, SEED).expect("there are groups");
    assert_eq!((found.low, found.high), (0.3693379790940766, 0.624274099883856));
}

#[test]
fn bounds_lie_at_their_levels_of_the_oracle_s_resamples() {
    let skewed: Vec<f64> = (1..=50).map(|i| 1.0 / f64::from(i)).collect();
    let mixed: Vec<f64> = (0..37).map(|i| [0.0, 1.0, -1.0, 0.5, -1.0 / 3.0][i % 5]).collect();
    for differences in [skewed, mixed] {
        let means = oracle::stats::resampled_means(&singletons(&differences), ORACLE);
        for seed in SEED..SEED + 5 {
            let found = bootstrap(&differences, seed).expect("there are differences");
            assert!(explains(&means, found), "{found:?} of {differences:?}, seed {seed}");
        }
        let shifted = Interval { low: mean(&differences), high: mean(&differences) };
        assert!(!explains(&means, shifted), "the check can fail");
    }
}

#[test]
fn bounds_and_the_reference_s_are_draws_of_one_distribution() {
    let Some(table) = shared_json("data/harness-golden/unit/bootstrap.json") else { return };
    assert!(!rows(&table).is_empty());
    for row in rows(&table) {
        let differences = floats(&row["differences"]);
        assert_eq!(round6(mean(&differences)), float(&row["summary"]["mean_diff"]), "{row}");
        let recorded = Interval { low: float(&row["low_exact"]), high: float(&row["high_exact"]) };
        agree(&differences, recorded);
    }
}

#[test]
fn bounds_and_the_published_ones_are_draws_of_one_distribution() {
    let Some(file) = shared_json("data/published/go-bootstrap-oracle.json") else { return };
    assert!(!rows(&file["bootstrap_cases"]).is_empty());
    for case in rows(&file["bootstrap_cases"]) {
        let recorded = Interval { low: float(&case["low_raw"]), high: float(&case["high_raw"]) };
        agree(&floats(&case["differences"]), recorded);
    }
}

fn agree(differences: &[f64], recorded: Interval) {
    let found = bootstrap(differences, SEED).expect("there are differences");
    let means = oracle::stats::resampled_means(&singletons(differences), ORACLE);
    assert!(explains(&means, recorded), "the reference's {recorded:?} of {differences:?}");
    assert!(explains(&means, found), "{found:?} of {differences:?}");
}

#[test]
fn fewer_than_two_groups_with_members_have_no_interval() {
    assert_eq!(cluster_bootstrap(&[], SEED), None);
    assert_eq!(cluster_bootstrap(&[vec![0.5, 1.0]], SEED), None);
    assert_eq!(cluster_bootstrap(&[vec![0.5, 1.0], vec![]], SEED), None);
}

#[test]
fn a_large_group_keeps_its_weight_in_every_resample() {
    // Two groups are drawn alike with probability ½, which gives 0 or 1, and one of each otherwise: the mean over
    // the members is then 1/4, where a mean of the groups' means would be 1/2.
    let groups = [vec![0.0, 0.0, 0.0], vec![1.0]];
    assert_eq!(cluster_bootstrap(&groups, SEED), Some(Interval { low: 0.0, high: 1.0 }));
    let many: Vec<Vec<f64>> = (0..40).map(|i| groups[i % 2].clone()).collect();
    let found = cluster_bootstrap(&many, SEED).expect("there are groups");
    assert!(found.low < 0.25 && 0.25 < found.high && found.high < 0.5, "{found:?}");
}

#[test]
fn groups_of_one_give_the_plain_interval() {
    let differences: Vec<f64> = (0..30).map(|i| f64::from(i * 7 % 30) / 30.0).collect();
    assert_eq!(cluster_bootstrap(&singletons(&differences), SEED), bootstrap(&differences, SEED));
}

#[test]
fn cluster_bounds_lie_at_their_levels_of_the_oracle_s_resamples() {
    let groups: Vec<Vec<f64>> = (1..=12u32)
        .map(|size| (0..size).map(|i| f64::from(i * size % 7) / 7.0 - 0.3).collect())
        .collect();
    let means = oracle::stats::resampled_means(&groups, ORACLE);
    for seed in SEED..SEED + 5 {
        let found = cluster_bootstrap(&groups, seed).expect("there are groups");
        assert!(explains(&means, found), "{found:?}, seed {seed}");
    }
}

#[test]
fn samples_that_agree_within_groups_widen_the_interval() {
    let groups: Vec<Vec<f64>> = (0..8).map(|i| vec![f64::from(i % 4) / 4.0; 10]).collect();
    let width =
        |interval: Option<Interval>| interval.map_or(0.0, |bounds| bounds.high - bounds.low);
    let clustered = width(cluster_bootstrap(&groups, SEED));
    let plain = width(bootstrap(&groups.concat(), SEED));
    // Ten copies of each value: the honest interval is √10 times as wide.
    assert!((2.5..4.0).contains(&(clustered / plain)), "{clustered} against {plain}");
}
