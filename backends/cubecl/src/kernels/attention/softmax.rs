//! Online softmax over rows of scores that are computed tile by tile.

use super::{PITCH, TILE, UNITS, UNITS_PER_ROW};
use crate::kernels::evaluate::float;
use crate::kernels::functions::{is_nan, maximum};
use cubecl::prelude::*;

/// State of the online softmax of a row, replicated in the row's units: running maximum of the scores, and sum of
/// `exp(score - maximum)`.
#[derive(CubeType)]
pub(crate) struct Softmax {
    pub(crate) max: RuntimeCell<f32>,
    pub(crate) sum: RuntimeCell<f32>,
    /// One number per unit, for exchange among the units of a row.
    parts: Shared<[f32]>,
    /// Factor of each row by which the values accumulated so far are multiplied.
    pub(crate) factors: Shared<[f32]>,
}

/// Returns the score of masked elements.
#[cube]
pub(crate) fn masked_score() -> f32 {
    float(comptime!(f32::MIN.to_bits()))
}

#[cube]
impl Softmax {
    pub(crate) fn new() -> Softmax {
        Softmax {
            max: RuntimeCell::<f32>::new(masked_score()),
            sum: RuntimeCell::<f32>::new(0.0),
            parts: Shared::<[f32]>::new_slice(UNITS),
            factors: Shared::<[f32]>::new_slice(TILE),
        }
    }

    /// Adds a tile of scores. Replaces them by the exponentials of their differences from the running maximum.
    pub(crate) fn add_tile(&mut self, scores: &mut Shared<[f32]>) {
        let me = UNIT_POS as usize;
        let (row, part) = (me / UNITS_PER_ROW, me % UNITS_PER_ROW);
        let largest = RuntimeCell::<f32>::new(masked_score());
        #[unroll]
        for i in 0..comptime!(TILE / UNITS_PER_ROW) {
            let score = scores[row * PITCH + part + comptime!(i * UNITS_PER_ROW)];
            largest.store(select(score > largest.read(), score, largest.read()));
        }
        self.parts[me] = largest.read();
        sync_cube();
        let before = self.max.read();
        #[unroll]
        for i in 0..UNITS_PER_ROW {
            let other = self.parts[row * UNITS_PER_ROW + i];
            self.max.store(select(other > self.max.read(), other, self.max.read()));
        }
        let added = RuntimeCell::<f32>::new(0.0);
        #[unroll]
        for i in 0..comptime!(TILE / UNITS_PER_ROW) {
            let address = row * PITCH + part + comptime!(i * UNITS_PER_ROW);
            let score = scores[address];
            // A NaN score makes its row NaN, as it does in the sum.
            let visible = score > masked_score() || is_nan(score);
            let weight = select(visible, (score - self.max.read()).exp(), 0.0);
            scores[address] = weight;
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

    /// Returns the sum over the units of a row. The caller must synchronise the cube before the next sum.
    pub(crate) fn over_row(&mut self, mine: f32) -> f32 {
        let me = UNIT_POS as usize;
        self.parts[me] = mine;
        sync_cube();
        let sum = RuntimeCell::<f32>::new(0.0);
        #[unroll]
        for i in 0..UNITS_PER_ROW {
            sum.store(sum.read() + self.parts[me / UNITS_PER_ROW * UNITS_PER_ROW + i]);
        }
        sum.read()
    }

    /// Returns the divisor of the weights. It is positive also for rows without visible columns.
    pub(crate) fn divisor(&self) -> f32 {
        let least = float(comptime!(f32::MIN_POSITIVE.to_bits()));
        maximum(self.sum.read(), least)
    }
}
