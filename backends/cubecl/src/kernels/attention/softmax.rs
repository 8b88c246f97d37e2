//! The softmax of rows of scores that come tile by tile.

use super::{PITCH, SHARERS, TILE, UNITS};
use crate::kernels::evaluate::float;
use crate::kernels::functions::{is_nan, maximum};
use cubecl::prelude::*;

/// State of the online softmax of a row, in each of its units: running maximum of the scores, and sum of
/// `exp(score - maximum)`.
#[derive(CubeType)]
pub(crate) struct Softmax {
    pub(crate) max: RuntimeCell<f32>,
    pub(crate) sum: RuntimeCell<f32>,
    /// A number of each unit's, for the others of its row.
    parts: Shared<[f32]>,
    /// By row, by what that is multiplied which was summed up with the scores before.
    pub(crate) factors: Shared<[f32]>,
}

/// A score of what is not seen.
#[cube]
pub(crate) fn lowest() -> f32 {
    float(comptime!(f32::MIN.to_bits()))
}

#[cube]
impl Softmax {
    pub(crate) fn new() -> Softmax {
        Softmax {
            max: RuntimeCell::<f32>::new(lowest()),
            sum: RuntimeCell::<f32>::new(0.0),
            parts: Shared::<[f32]>::new_slice(UNITS),
            factors: Shared::<[f32]>::new_slice(TILE),
        }
    }

    /// Takes in a tile of scores, and turns them into the exponentials of their distances from the largest so far.
    pub(crate) fn take(&mut self, scores: &mut Shared<[f32]>) {
        let me = UNIT_POS as usize;
        let (row, part) = (me / SHARERS, me % SHARERS);
        let largest = RuntimeCell::<f32>::new(lowest());
        #[unroll]
        for i in 0..comptime!(TILE / SHARERS) {
            let score = scores[row * PITCH + part + comptime!(i * SHARERS)];
            largest.store(select(score > largest.read(), score, largest.read()));
        }
        self.parts[me] = largest.read();
        sync_cube();
        let before = self.max.read();
        #[unroll]
        for i in 0..SHARERS {
            let other = self.parts[row * SHARERS + i];
            self.max.store(select(other > self.max.read(), other, self.max.read()));
        }
        let added = RuntimeCell::<f32>::new(0.0);
        #[unroll]
        for i in 0..comptime!(TILE / SHARERS) {
            let place = row * PITCH + part + comptime!(i * SHARERS);
            let score = scores[place];
            // A score that is NaN makes all of its row NaN, as the sum has it, too.
            let is_seen = score > lowest() || is_nan(score);
            let weight = select(is_seen, (score - self.max.read()).exp(), 0.0);
            scores[place] = weight;
            added.store(added.read() + weight);
        }
        let factor = (before - self.max.read()).exp();
        sync_cube();
        let added = self.over_row(added.read());
        self.sum.store(self.sum.read() * factor + added);
        if part == 0usize {
            self.factors[row] = factor;
        }
        sync_cube();
    }

    /// Sums up what the units of a row have. The cube must be synchronized before the next sum.
    pub(crate) fn over_row(&mut self, mine: f32) -> f32 {
        let me = UNIT_POS as usize;
        self.parts[me] = mine;
        sync_cube();
        let sum = RuntimeCell::<f32>::new(0.0);
        #[unroll]
        for i in 0..SHARERS {
            sum.store(sum.read() + self.parts[me / SHARERS * SHARERS + i]);
        }
        sum.read()
    }

    /// What weights are divided by: of a row that sees nothing a number that is not zero.
    pub(crate) fn total(&self) -> f32 {
        let least = float(comptime!(f32::MIN_POSITIVE.to_bits()));
        maximum(self.sum.read(), least)
    }
}
