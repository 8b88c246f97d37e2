//! The best packing as a linear program: the sum of the rates of all trees, of which those that use a lane add up to
//! its bandwidth at most.
//!
//! There are as many variables as trees, but the revised simplex method looks at one at a time: the tree that is
//! cheapest by the lanes' prices (Dantzig and Wolfe 1960). Where none costs less than it brings, the packing is the
//! best one, and at most one tree a lane is in it. Prices also bound every packing: all lanes cost together what its
//! rates bring, times the cheapest tree at least.

use crate::collective::packing::cheapest::{Candidate, cheapest};
use crate::collective::packing::{Span, Tree};
use crate::topology::Topology;

/// Most steps; sixteen ranks with a link between any two have needed half of them, and known machines a hundredth.
const MOST_STEPS: usize = 100_000;

/// What counts as nothing.
const TOLERANCE: f64 = 1e-9;

/// The best packing.
pub(super) struct Optimum {
    /// The trees with their rates.
    pub(super) trees: Vec<Tree>,
    /// What no packing exceeds, in bytes a second.
    pub(super) bound: f64,
}

impl Optimum {
    pub(super) fn rate(&self) -> f64 {
        self.trees.iter().map(|tree| tree.rate).sum()
    }
}

/// A row of the basis: bandwidth that is left over, or a tree.
#[derive(Clone)]
enum Basic {
    Slack,
    Tree(Candidate),
}

struct Simplex {
    basis: Vec<Basic>,
    /// The inverse of the basis.
    inverse: Vec<Vec<f64>>,
    /// The values of the basis.
    values: Vec<f64>,
}

impl Simplex {
    /// What a unit of each lane is worth.
    fn prices(&self) -> Vec<f64> {
        let mut prices = vec![0.0; self.values.len()];
        let trees = self.basis.iter().zip(&self.inverse).filter(|(basic, _)| matches!(basic, Basic::Tree(_)));
        trees.for_each(|(_, row)| prices.iter_mut().zip(row).for_each(|(price, x)| *price += x));
        prices
    }

    /// Takes a column into the basis; false if nothing limits it.
    fn enter(&mut self, basic: Basic, column: &[(usize, f64)]) -> bool {
        let rise: Vec<f64> =
            self.inverse.iter().map(|row| column.iter().map(|&(lane, n)| row[lane] * n).sum()).collect();
        let limits = (0..rise.len()).filter(|&row| rise[row] > TOLERANCE);
        let ratio = |row: usize| self.values[row] / rise[row];
        let least = limits.clone().map(ratio).fold(f64::INFINITY, f64::min);
        // Of rows that limit it nearly alike the one that loses fewest digits.
        let nearly = limits.filter(|&row| ratio(row) <= least + TOLERANCE);
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

/// The packing with the largest rate; `None` if the ranks are not connected.
pub(super) fn optimum(topology: &Topology, span: Span) -> Option<Optimum> {
    let lanes = topology.lanes.len();
    let unit = topology.lanes.iter().map(|lane| lane.bandwidth).fold(0.0, f64::max);
    let bandwidth: Vec<f64> = topology.lanes.iter().map(|lane| lane.bandwidth / unit).collect();
    let mut simplex = Simplex {
        basis: vec![Basic::Slack; lanes],
        inverse: (0..lanes).map(|row| (0..lanes).map(|lane| f64::from(u8::from(row == lane))).collect()).collect(),
        // No two of them stay equal, so that no step is in vain and none comes back.
        values: bandwidth
            .iter()
            .enumerate()
            .map(|(lane, b)| b * (1.0 - 1e-10 * (lane * 7919 % 10007) as f64))
            .collect(),
    };
    let mut bound = f64::INFINITY;
    for _ in 0..MOST_STEPS {
        let prices = simplex.prices();
        let cheapest_lane = (0..lanes).min_by(|&a, &b| prices[a].total_cmp(&prices[b]));
        if let Some(lane) = cheapest_lane.filter(|&lane| prices[lane] < -TOLERANCE) {
            if !simplex.enter(Basic::Slack, &[(lane, 1.0)]) {
                break;
            }
            continue;
        }
        let tree = cheapest(topology, span, &prices)?;
        let cost = tree.cost(&prices);
        if cost > 0.0 {
            let worth: f64 = prices.iter().zip(&bandwidth).map(|(price, b)| price.max(0.0) * b).sum();
            bound = bound.min(worth / cost);
        }
        let uses = tree.uses.clone();
        if cost > 1.0 - TOLERANCE * 10.0 || !simplex.enter(Basic::Tree(tree), &uses) {
            break;
        }
    }
    let mut used = vec![0.0; lanes];
    let mut found = Vec::new();
    for (basic, &value) in simplex.basis.iter().zip(&simplex.values) {
        if let Basic::Tree(tree) = basic
            && value > TOLERANCE
        {
            tree.uses.iter().for_each(|&(lane, uses)| used[lane] += uses * value);
            found.push((tree, value));
        }
    }
    // Rounding must not overfill a lane.
    let fill = used.iter().zip(&bandwidth).map(|(used, b)| used / b).fold(0.0, f64::max);
    let trees = found.into_iter().map(|(tree, value)| tree.tree(topology, value / fill * unit)).collect();
    Some(Optimum { trees, bound: bound * unit })
}
