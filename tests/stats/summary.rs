//! Rounding, means, rates, latencies, effect sizes, corrections and the permutation test on known values.

use retrieval_bench::stats::{
    Distribution, LATENCY_MIN_N, PERMUTATIONS, SEED, State, Wilson, distribution, effect_size,
    holm, mean, round6, sign_flip_p, wilson,
};
use serde_json::json;

use super::{floats, rows, shared_json};
use crate::oracle;

#[test]
fn rounding_goes_half_away_from_zero_and_never_to_minus_zero() {
    // 0.5e-6 and 2.5e-6 times 1e6 are exactly a half and two and a half.
    assert_eq!(round6(0.5e-6), 1e-6);
    assert_eq!(round6(-0.5e-6), -1e-6);
    assert_eq!(round6(2.5e-6), 3e-6);
    assert_eq!(round6(1.0 / 3.0), 0.333333);
    assert_eq!(round6(-2.0 / 3.0), -0.666667);
    for nothing in [-0.0, -1e-9, 1e-9] {
        assert_eq!(round6(nothing).to_bits(), 0.0f64.to_bits(), "round6({nothing})");
    }
}

#[test]
fn a_mean_of_nothing_is_zero_and_has_no_sign() {
    assert_eq!(mean(&[]), 0.0);
    assert_eq!(mean(&[1.0, 2.0, 6.0]), 3.0);
    assert_eq!(mean(&[-0.0]).to_bits(), 0.0f64.to_bits());
}

#[test]
fn wilson_intervals_have_their_textbook_values() {
    let interval = |low: f64, rate: f64, high: f64, n: u64| Wilson {
        n,
        rate: Some(rate),
        low: Some(low),
        high: Some(high),
    };
    assert_eq!(wilson(0, 1), interval(0.0, 0.0, 0.793451, 1));
    assert_eq!(wilson(1, 1), interval(0.206549, 1.0, 1.0, 1));
    assert_eq!(wilson(5, 10), interval(0.236593, 0.5, 0.763407, 10));
    // Newcombe 1998, table I: 81 of 263 by the score method is 0.2553 to 0.3662.
    let newcombe = wilson(81, 263);
    assert_eq!(newcombe.low.map(|low| (low * 1e4).round()), Some(2553.0));
    assert_eq!(newcombe.high.map(|high| (high * 1e4).round()), Some(3662.0));
}

#[test]
fn a_rate_of_no_trials_has_no_value() {
    assert_eq!(serde_json::to_value(wilson(0, 0)).expect("plain data"), json!({"n": 0}));
}

#[test]
fn wilson_intervals_equal_the_reference_table() {
    let Some(table) = shared_json("data/harness-golden/unit/wilson.json") else { return };
    assert!(!rows(&table).is_empty());
    for row in rows(&table) {
        let count = |name: &str| row[name].as_u64().expect("a count");
        let expected: Wilson =
            serde_json::from_value(row["wilson"].clone()).expect("a recorded interval is read");
        assert_eq!(wilson(count("successes"), count("n")), expected, "{row}");
    }
}

#[test]
fn a_latency_distribution_is_of_nearest_ranks() {
    // 1 to 40 ms, shuffled by a stride that is prime to 40.
    let walls: Vec<f64> = (0..40).map(|i| f64::from(i * 7 % 40 + 1)).collect();
    let expected = Distribution {
        n: 40,
        failed: 0,
        state: None,
        min_ms: Some(1.0),
        p50_ms: Some(20.0),
        p95_ms: Some(38.0),
        max_ms: Some(40.0),
        // Distances from 20 are 0, then 1 to 19 twice, then 20: the 20th of them is 10.
        mad_ms: Some(10.0),
    };
    assert_eq!(distribution(&walls), expected);
}

#[test]
fn too_few_latencies_are_counted_and_not_summarised() {
    for n in [0, 1, LATENCY_MIN_N - 1] {
        let found = distribution(&vec![1.5; n]);
        assert_eq!(found.state, Some(State::NotRun));
        let written = serde_json::to_value(found).expect("plain data");
        assert_eq!(written, json!({"n": n, "state": "NOT_RUN"}));
    }
    assert_eq!(distribution(&[1.5; LATENCY_MIN_N]).mad_ms, Some(0.0));
}

#[test]
fn latency_distributions_equal_the_reference_table() {
    let Some(table) = shared_json("data/harness-golden/unit/distribution.json") else { return };
    assert!(!rows(&table).is_empty());
    for row in rows(&table) {
        let expected: Distribution = serde_json::from_value(row["distribution"].clone())
            .expect("a recorded distribution is read");
        assert_eq!(distribution(&floats(&row["walls"])), expected, "{}", row["distribution"]);
    }
}

#[test]
fn an_effect_size_is_the_mean_in_units_of_the_sample_deviation() {
    // Mean 2, deviations -1, 0, 1: sample variance 2 / 2.
    assert_eq!(effect_size(&[1.0, 2.0, 3.0]), Some(2.0));
    assert_eq!(effect_size(&[-1.0, 1.0]), Some(0.0));
    assert_eq!(effect_size(&[3.0, 2.0, 1.0].map(|d: f64| -d)), Some(-2.0));
}

#[test]
fn an_effect_size_of_what_does_not_vary_is_none_even_where_rounding_makes_it_vary() {
    assert_eq!(effect_size(&[]), None);
    assert_eq!(effect_size(&[0.5]), None);
    assert_eq!(effect_size(&[0.0; 12]), None);
    assert_eq!(effect_size(&[0.1; 10]), None);
    // Both are 0.1 on paper.
    assert_eq!(effect_size(&[0.5 - 0.4, 0.3 - 0.2]), None);
}

#[test]
fn holm_multiplies_the_smallest_most_and_never_goes_down() {
    // 0.005·4, 0.01·3, 0.03·2, then 0.04·1 is held at 0.06.
    let adjusted: Vec<f64> = holm(&[0.01, 0.04, 0.03, 0.005]).into_iter().map(round6).collect();
    assert_eq!(adjusted, [0.03, 0.06, 0.06, 0.02]);
    assert_eq!(holm(&[0.4, 0.6, 0.9]), [1.0, 1.0, 1.0]);
    assert_eq!(holm(&[0.2]), [0.2]);
    assert_eq!(holm(&[]), [0.0; 0]);
}

#[test]
fn a_p_value_is_the_share_of_sign_assignments_that_reach_the_observed_sum() {
    let cases: [&[f64]; 5] = [
        // All of one sign: only the two extreme assignments of 2^10 reach it.
        &[1.0; 10],
        // Five to three of one size: reached unless exactly half are flipped, 70 of 256.
        &[0.5, 0.5, 0.5, 0.5, 0.5, -0.5, -0.5, -0.5],
        &[0.1, 0.2, -0.3, 0.25, 0.05, 0.9, -0.4, 0.15, 0.35],
        &[0.9166666666666666, -0.16666666666666669, 0.4, 0.058823529411764705, 0.375, -0.8, 0.5],
        &[1.0 / 3.0, 2.0 / 3.0, -1.0 / 6.0, 1.0, -0.5, 1.0 / 7.0, 1.0 / 9.0, 0.2, 0.1, -0.05, 0.3],
    ];
    for differences in cases {
        let exact = oracle::stats::sign_flip_exact(differences);
        let draws = f64::from(PERMUTATIONS);
        // The count is binomial: five standard errors, and what the added one can shift.
        let tolerance = 5.0 * (exact * (1.0 - exact) / draws).sqrt() + 1.0 / draws;
        for seed in [SEED, 2, 3] {
            let p = sign_flip_p(differences, PERMUTATIONS, seed);
            assert!((p - exact).abs() <= tolerance, "{differences:?}: {p}, exactly {exact}");
        }
    }
}

#[test]
fn sums_that_are_equal_on_paper_reach_each_other() {
    // 0.1 + 0.2 - 0.3 is 5.6e-17 in doubles and 0 on paper, and 0 is reached by every assignment.
    assert_eq!(sign_flip_p(&[0.1, 0.2, -0.3], PERMUTATIONS, SEED), 1.0);
    // Every assignment of one difference has the size observed.
    assert_eq!(sign_flip_p(&[0.7], PERMUTATIONS, SEED), 1.0);
}

#[test]
fn differences_of_zero_do_not_move_a_p_value() {
    let moved = [0.5, -0.25, 0.75, 1.0, 0.125, -0.5, 0.25, 0.5, 1.0, 0.0625];
    let mut padded = vec![0.0; 40];
    for (index, difference) in moved.iter().enumerate() {
        padded[index * 3 + 1] = *difference;
    }
    let p = sign_flip_p(&moved, PERMUTATIONS, SEED);
    assert!(p < 0.1, "{p}");
    assert_eq!(sign_flip_p(&padded, PERMUTATIONS, SEED), p);
    assert_eq!(sign_flip_p(&[0.0; 25], PERMUTATIONS, SEED), 1.0);
    assert_eq!(sign_flip_p(&[], PERMUTATIONS, SEED), 1.0);
}

#[test]
fn seed_1_gives_this_p_value_on_every_platform() {
    // Recorded from this implementation: a report must not change when a dependency or the code around it does.
    let differences: Vec<f64> = (0..70).map(|i| f64::from(i * i % 71) / 71.0 - 0.45).collect();
    // 1,315 of 10,000 assignments reach the observed sum.
    assert_eq!(sign_flip_p(&differences, PERMUTATIONS, SEED), 1316.0 / 10_001.0);
}

#[test]
fn a_p_value_is_never_below_what_its_permutations_can_resolve() {
    assert_eq!(sign_flip_p(&[1.0; 64], 99, SEED), 0.01);
    assert_eq!(sign_flip_p(&[1.0; 64], 0, SEED), 1.0);
}
