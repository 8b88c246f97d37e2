//! What guessing from frequencies alone costs.

use partita::Tensor;

/// The entropy of the frequencies of some characters, in nats, as losses are.
pub fn entropy(characters: &Tensor) -> f64 {
    let mut counts = std::collections::BTreeMap::new();
    characters.scalars().for_each(|c| *counts.entry(c.to_i64()).or_insert(0.0) += 1.0);
    let all: f64 = counts.values().sum();
    counts.values().map(|n| n / all).map(|p| -p * p.ln()).sum()
}
