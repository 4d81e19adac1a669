//! Plain arithmetic in a fixed order: rounding, the mean, the size of an effect.

/// How far apart two sums of the same numbers may lie and still be equal on paper, relative to the sum of their
/// sizes. A sum of n doubles is off by at most n·2⁻⁵³ of that, and each metric difference (of two ratios in [0, 1])
/// by 2⁻⁵³: under 1e-12 for every n a benchmark has. Metrics that truly differ do so by far more: reciprocals of
/// ranks up to 20, for example, by multiples of 1/232,792,560.
pub(super) const EQUAL_ON_PAPER: f64 = 1e-12;

/// `value` rounded to six decimals, halves away from zero; never `-0.0`.
///
/// Every summary figure of a report passes through here, per-sample metrics do not (section 9).
pub fn round6(value: f64) -> f64 {
    // Adding zero turns -0.0 into 0.0 and nothing else into anything else.
    (value * 1e6).round() / 1e6 + 0.0
}

/// The arithmetic mean, summed from left to right; 0 for no values.
pub fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { sum(values) / values.len() as f64 }
}

/// The sum from left to right, from `0.0`: the standard sum starts at `-0.0`, which a report could show.
pub(super) fn sum(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |sum, value| sum + value)
}

/// The standardised mean difference of paired data: mean / sample standard deviation (n - 1), without unit.
///
/// `None` with fewer than two differences, and where they do not vary beyond rounding: then the ratio would be a
/// quotient of rounding errors.
pub fn effect_size(differences: &[f64]) -> Option<f64> {
    if differences.len() < 2 {
        return None;
    }
    let mean = mean(differences);
    let squares = differences.iter().fold(0.0, |sum, d| sum + (d - mean) * (d - mean));
    let deviation = (squares / (differences.len() - 1) as f64).sqrt();
    let largest = differences.iter().fold(0.0, |largest: f64, d| largest.max(d.abs()));
    (deviation > largest * EQUAL_ON_PAPER).then(|| mean / deviation)
}
