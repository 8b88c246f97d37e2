//! Fit of the achieved fractions to published steps, and the predictions of each source from a fit to the others.
//!
//! The fitted constants are the fractions for products and attention of each generation of devices, and the fraction of
//! the memory bandwidth. Each has a prior around a measurement of kernels, so that a fold without a generation's rows
//! has a value as well.

use super::row::{Row, StepEstimate};
use std::collections::BTreeMap;

/// A fitted constant.
struct Constant {
    name: &'static str,
    /// Shipped value, at which the rows were predicted.
    shipped: f64,
    /// Value measured for kernels alone.
    measured: f64,
}

/// Fitted constants, by generation of devices and of software. Measured are:
/// products: the fastest shapes, github.com/stas00/ml-engineering compute/accelerator/README.md at b9e29720, 271 of 312
/// and 794 of 989 TFLOP/s;
/// attention: FlashAttention-2, Dao 2023 (arXiv:2307.08691) figures 4 to 7, forward and backward with a causal mask;
/// memory: copies of large arrays on GPUs reach 0.9 of the data sheet;
/// products, attention and memory of current software: benches/results/2026-11-26-NVIDIA-H100-80GB-HBM3.torch.jsonl.
const CONSTANTS: [Constant; 8] = [
    Constant { name: "products A100", shipped: 0.73, measured: 0.87 },
    Constant { name: "products H100 earlier", shipped: 0.61, measured: 0.80 },
    Constant { name: "products H100", shipped: 0.74, measured: 0.74 },
    Constant { name: "attention A100", shipped: 0.61, measured: 0.58 },
    Constant { name: "attention H100 earlier", shipped: 0.36, measured: 0.38 },
    Constant { name: "attention H100", shipped: 0.55, measured: 0.55 },
    Constant { name: "memory earlier", shipped: 0.82, measured: 0.9 },
    Constant { name: "memory", shipped: 0.82, measured: 0.89 },
];

/// Relative standard deviation of the priors.
const PRIOR_DEVIATION: f64 = 0.15;

/// Relative standard deviation of a source's mean error.
const SOURCE_DEVIATION: f64 = 0.05;

/// Number of Gauss-Newton iterations.
const ITERATIONS: usize = 8;

/// Generation of a device and of its software.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Generation {
    Ampere,
    /// Hopper with the software of 2023 and 2024.
    HopperEarlier,
    /// Hopper with the software of 2026.
    Hopper,
}

/// A row with its prediction at the shipped constants.
pub struct Measured {
    /// The row.
    pub row: Row,
    /// The prediction.
    pub estimate: StepEstimate,
    /// Generation of the device and its software.
    pub generation: Generation,
}

impl Measured {
    /// Indices of the constants for products, attention and memory.
    fn constants(&self) -> [usize; 3] {
        match self.generation {
            Generation::Ampere => [0, 3, 6],
            Generation::HopperEarlier => [1, 4, 6],
            Generation::Hopper => [2, 5, 7],
        }
    }

    /// Returns the logarithm of the ratio of predicted to published seconds.
    pub fn log_ratio(&self, values: &[f64; CONSTANTS.len()]) -> f64 {
        let factors = self.constants().map(|constant| values[constant] / CONSTANTS[constant].shipped);
        (self.estimate.seconds_with(factors) / self.row.seconds()).ln()
    }
}

/// Returns the shipped constants.
pub fn shipped() -> [f64; CONSTANTS.len()] {
    CONSTANTS.each_ref().map(|constant| constant.shipped)
}

/// Returns the names of the constants.
pub fn names() -> [&'static str; CONSTANTS.len()] {
    CONSTANTS.each_ref().map(|constant| constant.name)
}

/// Fits the constants to rows. Sources have equal weights.
pub fn fit<'m>(rows: impl Iterator<Item = &'m Measured> + Clone) -> [f64; CONSTANTS.len()] {
    let mut counts: BTreeMap<&str, f64> = BTreeMap::new();
    rows.clone().for_each(|row| *counts.entry(&row.row.source).or_default() += 1.0);
    let mut values = shipped();
    for _ in 0..ITERATIONS {
        // Normal equations in the logarithms of the constants.
        let mut matrix = [[0.0; CONSTANTS.len()]; CONSTANTS.len()];
        let mut target = [0.0; CONSTANTS.len()];
        for (i, constant) in CONSTANTS.iter().enumerate() {
            let weight = PRIOR_DEVIATION.powi(-2);
            matrix[i][i] += weight;
            target[i] += weight * (constant.measured / values[i]).ln();
        }
        for row in rows.clone() {
            let weight = SOURCE_DEVIATION.powi(-2) / counts[&*row.row.source];
            let ratio = row.log_ratio(&values);
            let step = 1e-4;
            let slopes = row.constants().map(|constant| {
                let mut moved = values;
                moved[constant] *= f64::exp(step);
                (constant, (row.log_ratio(&moved) - ratio) / step)
            });
            for (i, a) in slopes {
                target[i] -= weight * a * ratio;
                slopes.iter().for_each(|&(j, b)| matrix[i][j] += weight * a * b);
            }
        }
        let change = solve(matrix, target);
        values.iter_mut().zip(change).for_each(|(value, change)| *value = (*value * change.exp()).min(1.0));
    }
    values
}

/// Solves a positive definite system by elimination.
fn solve<const N: usize>(mut matrix: [[f64; N]; N], mut target: [f64; N]) -> [f64; N] {
    for i in 0..N {
        for j in i + 1..N {
            let factor = matrix[j][i] / matrix[i][i];
            let pivot = matrix[i];
            matrix[j].iter_mut().zip(pivot).for_each(|(entry, above)| *entry -= factor * above);
            target[j] -= factor * target[i];
        }
    }
    for i in (0..N).rev() {
        for k in i + 1..N {
            target[i] -= matrix[i][k] * target[k];
        }
        target[i] /= matrix[i][i];
    }
    target
}
