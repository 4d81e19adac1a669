//! Holm's correction of a family of p-values.

/// The Holm-adjusted p-values, in the order given: rejecting those at most α keeps the chance of any false rejection
/// in the family at most α, however the tests depend on each other.
///
/// The smallest of m is multiplied by m, the next by m - 1, and so on; an adjusted value is at least the one before
/// it and at most 1. Which tests form a family is the registration's to say (section 14.5).
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|a, b| p_values[*a].total_cmp(&p_values[*b]));
    let mut adjusted = vec![0.0; p_values.len()];
    let mut reached: f64 = 0.0;
    for (rank, index) in order.into_iter().enumerate() {
        let scaled = p_values[index] * (p_values.len() - rank) as f64;
        reached = scaled.max(reached).min(1.0);
        adjusted[index] = reached;
    }
    adjusted
}
