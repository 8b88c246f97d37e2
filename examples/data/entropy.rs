//! Entropy of character frequencies: the loss of a predictor that only knows the frequencies.

use partita::Tensor;

/// Computes the entropy of the character frequencies in nats, the unit of losses.
pub fn entropy(characters: &Tensor) -> f64 {
    let mut counts = std::collections::BTreeMap::new();
    characters.scalars().for_each(|c| *counts.entry(c.to_i64()).or_insert(0.0) += 1.0);
    let all: f64 = counts.values().sum();
    counts.values().map(|n| n / all).map(|p| -p * p.ln()).sum()
}
