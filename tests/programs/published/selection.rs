//! Rows that count, and the order of predicted and published throughputs.

use super::fit::{Measured, shipped};
use super::row::Row;
use std::collections::{BTreeMap, BTreeSet};

/// Sequences above this length are slower with FlashAttention of 2022, which runs at half the rate of products.
const MAX_COMPARED_SEQUENCE: usize = 8192;

/// Fraction of the median hardware utilisation of a model below which a row is not representative.
const MIN_UTILISATION: f64 = 0.75;

/// Relative difference of measurements of equal steps: that of the two kinds of hosts in `benches/results`.
const REPEATABILITY: f64 = 0.05;

/// Minimum number of rows with a rank correlation.
const MIN_GROUP: usize = 4;

/// Returns the floating-point operations per second of a row from published figures only: products and attention,
/// forward, backward, and recomputed.
fn hardware_rate(row: &Row) -> f64 {
    let [layers, width, sequence, vocabulary] =
        [row.layers, row.width, row.sequence, row.vocabulary].map(|size| size as f64);
    let forward = 24.0 * layers * width * width + 2.0 * layers * sequence * width + 2.0 * width * vocabulary;
    let times = if row.recompute == "full" { 4.0 } else { 3.0 };
    times * forward * row.tokens() / row.seconds()
}

/// Returns source and system of the rows of LLM Foundry whose rate is low in relation to other rows of their model in
/// the same table.
pub fn slow_rows(rows: &[Row]) -> BTreeSet<(String, String)> {
    let mut models: BTreeMap<(&str, usize, usize, &str), Vec<&Row>> = BTreeMap::new();
    let compared = |row: &&Row| row.source.starts_with("LLM Foundry") && row.sequence <= MAX_COMPARED_SEQUENCE;
    for row in rows.iter().filter(compared) {
        models.entry((&row.source, row.layers, row.width, &row.recompute)).or_default().push(row);
    }
    let mut slow = BTreeSet::new();
    for mut of_model in models.into_values() {
        of_model.sort_by(|a, b| hardware_rate(a).total_cmp(&hardware_rate(b)));
        let median = hardware_rate(of_model[of_model.len() / 2]);
        let of_model = of_model.into_iter().filter(|row| hardware_rate(row) < MIN_UTILISATION * median);
        slow.extend(of_model.map(|row| (row.source.clone(), row.system.clone())));
    }
    slow
}

/// Returns Spearman's rank correlation of predicted and published tokens per second and device for each machine and
/// model with several rows, with its name and number of rows.
pub fn ranks_of_groups(all: &[Measured]) -> Vec<(String, usize, f64)> {
    let mut groups: BTreeMap<String, Vec<[f64; 2]>> = BTreeMap::new();
    for measured in all.iter().filter(|measured| measured.row.excluded.is_none()) {
        let row = &measured.row;
        let seconds = row.seconds();
        let predicted = seconds * measured.log_ratio(&shipped()).exp();
        let name = format!("{} {} layers of {} on {}", row.source, row.layers, row.width, row.machine);
        groups.entry(name).or_default().push([predicted, seconds].map(|seconds| row.tokens() / seconds));
    }
    let groups = groups.into_iter().filter(|(_, rows)| rows.len() >= MIN_GROUP);
    groups.map(|(name, rows)| (name, rows.len(), rank_correlation(&rows))).collect()
}

/// Returns Spearman's rank correlation of pairs of predicted and published figures. The order of two rows does not
/// count if their published figures differ by less than the repeatability of a measurement.
fn rank_correlation(pairs: &[[f64; 2]]) -> f64 {
    let is_tied = |a: &[f64; 2], b: &[f64; 2]| (a[1] / b[1]).ln().abs() < REPEATABILITY;
    let rank = |of: &[f64; 2], side: usize| {
        let below = |other: &&[f64; 2]| !is_tied(of, other) && other[side] < of[side];
        pairs.iter().filter(below).count() as f64 + 0.5 * pairs.iter().filter(|other| is_tied(of, other)).count() as f64
    };
    let squares: f64 = pairs.iter().map(|pair| (rank(pair, 0) - rank(pair, 1)).powi(2)).sum();
    let n = pairs.len() as f64;
    1.0 - 6.0 * squares / (n * (n * n - 1.0))
}
