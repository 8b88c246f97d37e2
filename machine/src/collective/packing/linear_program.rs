//! Optimal packing as a linear program: maximises the total rate of all trees, where the rates of the trees that use a
//! lane add up to at most its bandwidth.
//!
//! The program has one variable per tree. Column generation with the revised simplex method considers one tree at a
//! time: the cheapest tree for the current dual prices of the lanes (Dantzig and Wolfe 1960). If that tree costs at
//! least its unit gain, the packing is optimal and contains at most one tree per lane. Dual prices also give an upper
//! bound on the rate of any packing: the total price of all lanes divided by the price of the cheapest tree.

use crate::collective::packing::cheapest::{Candidate, cheapest};
use crate::collective::packing::{PackedStructure, PackedTree};
use crate::topology::Topology;

/// Maximum number of simplex steps. Sixteen ranks with a link between any two have needed half of them, and preset
/// machines a hundredth.
const MAX_SIMPLEX_STEPS: usize = 100_000;

/// Absolute tolerance of the simplex method, in units of the largest bandwidth.
const SIMPLEX_TOLERANCE: f64 = 1e-9;

/// Optimal packing.
pub(super) struct Optimum {
    /// Trees with their rates.
    pub(super) trees: Vec<PackedTree>,
    /// Upper bound on the rate of any packing, in bytes per second.
    pub(super) bound: f64,
}

impl Optimum {
    pub(super) fn rate(&self) -> f64 {
        self.trees.iter().map(|tree| tree.rate).sum()
    }
}

/// Basic variable: the unused bandwidth of a lane, or a tree.
#[derive(Clone)]
enum Basic {
    Slack,
    Tree(Candidate),
}

struct Simplex {
    basis: Vec<Basic>,
    /// Inverse of the basis matrix.
    inverse: Vec<Vec<f64>>,
    /// Values of the basic variables.
    values: Vec<f64>,
}

impl Simplex {
    /// Returns the dual price of each lane.
    fn dual_prices(&self) -> Vec<f64> {
        let mut prices = vec![0.0; self.values.len()];
        let trees = self.basis.iter().zip(&self.inverse).filter(|(basic, _)| matches!(basic, Basic::Tree(_)));
        trees.for_each(|(_, row)| prices.iter_mut().zip(row).for_each(|(price, x)| *price += x));
        prices
    }

    /// Moves a column into the basis. Returns false if the objective is unbounded in its direction.
    fn pivot_in(&mut self, basic: Basic, column: &[(usize, f64)]) -> bool {
        let rise: Vec<f64> =
            self.inverse.iter().map(|row| column.iter().map(|&(lane, n)| row[lane] * n).sum()).collect();
        let limits = (0..rise.len()).filter(|&row| rise[row] > SIMPLEX_TOLERANCE);
        let ratio = |row: usize| self.values[row] / rise[row];
        let least = limits.clone().map(ratio).fold(f64::INFINITY, f64::min);
        // Among rows with nearly equal ratios, the largest pivot is numerically the most stable.
        let nearly = limits.filter(|&row| ratio(row) <= least + SIMPLEX_TOLERANCE);
        let Some(leaving) = nearly.max_by(|&a, &b| rise[a].total_cmp(&rise[b])) else { return false };
        let step = ratio(leaving).max(0.0);
        let pivot: Vec<f64> = self.inverse[leaving].iter().map(|x| x / rise[leaving]).collect();
        for (row, &rise) in rise.iter().enumerate() {
            if row != leaving && rise != 0.0 {
                self.values[row] = (self.values[row] - step * rise).max(0.0);
                self.inverse[row].iter_mut().zip(&pivot).for_each(|(x, p)| *x -= rise * p);
            }
        }
        (self.values[leaving], self.inverse[leaving], self.basis[leaving]) = (step, pivot, basic);
        true
    }
}

/// Returns the packing with the largest rate, or `None` if the ranks are not connected.
pub(super) fn optimum(topology: &Topology, structure: PackedStructure) -> Option<Optimum> {
    let lanes = topology.lanes.len();
    let unit = topology.lanes.iter().map(|lane| lane.bandwidth).fold(0.0, f64::max);
    let bandwidth: Vec<f64> = topology.lanes.iter().map(|lane| lane.bandwidth / unit).collect();
    let mut simplex = Simplex {
        basis: vec![Basic::Slack; lanes],
        inverse: (0..lanes).map(|row| (0..lanes).map(|lane| f64::from(u8::from(row == lane))).collect()).collect(),
        // The perturbation makes all values distinct, which avoids degenerate steps and cycling.
        values: bandwidth
            .iter()
            .enumerate()
            .map(|(lane, b)| b * (1.0 - 1e-10 * (lane * 7919 % 10007) as f64))
            .collect(),
    };
    let mut bound = f64::INFINITY;
    for _ in 0..MAX_SIMPLEX_STEPS {
        let prices = simplex.dual_prices();
        let cheapest_lane = (0..lanes).min_by(|&a, &b| prices[a].total_cmp(&prices[b]));
        if let Some(lane) = cheapest_lane.filter(|&lane| prices[lane] < -SIMPLEX_TOLERANCE) {
            if !simplex.pivot_in(Basic::Slack, &[(lane, 1.0)]) {
                break;
            }
            continue;
        }
        let tree = cheapest(topology, structure, &prices)?;
        let cost = tree.price(&prices);
        if cost > 0.0 {
            let worth: f64 = prices.iter().zip(&bandwidth).map(|(price, b)| price.max(0.0) * b).sum();
            bound = bound.min(worth / cost);
        }
        let uses = tree.uses.clone();
        if cost > 1.0 - SIMPLEX_TOLERANCE * 10.0 || !simplex.pivot_in(Basic::Tree(tree), &uses) {
            break;
        }
    }
    let mut used = vec![0.0; lanes];
    let mut found = Vec::new();
    for (basic, &value) in simplex.basis.iter().zip(&simplex.values) {
        if let Basic::Tree(tree) = basic
            && value > SIMPLEX_TOLERANCE
        {
            tree.uses.iter().for_each(|&(lane, uses)| used[lane] += uses * value);
            found.push((tree, value));
        }
    }
    // Scales the rates down, so that rounding overfills no lane.
    let fill = used.iter().zip(&bandwidth).map(|(used, b)| used / b).fold(0.0, f64::max);
    let trees = found.into_iter().map(|(tree, value)| tree.tree(topology, value / fill * unit)).collect();
    Some(Optimum { trees, bound: bound * unit })
}
