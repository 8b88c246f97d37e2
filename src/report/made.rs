//! What a plan makes of a program, which reports and explanations read.

use super::{Rewriting, Seconds};
use partita_ir::program::Program;
use partita_passes::driver::Cx;
use partita_search::autotune::Choice;

/// The programs on the way to one device's, and what was found out there.
pub(crate) struct Made {
    /// What one device runs: the model as it came, or its training step. A program in form local is one device's
    /// already.
    pub(crate) model: Program,
    /// Every value with its layout, in form planned, or further where the model came so.
    pub(crate) planned: Program,
    /// One device's program.
    pub(crate) local: Program,
    /// What passes found.
    pub(crate) cx: Cx,
    /// What was chosen instead of the usual way, if a step is predicted to be faster so.
    pub(crate) choice: Option<Choice>,
    /// How long it took.
    pub(crate) seconds: Seconds,
}

impl Made {
    /// What was done otherwise than usual, where a step is predicted to be faster so.
    pub(crate) fn rewriting(&self) -> Option<Rewriting> {
        self.choice.map(|choice| Rewriting::of(&choice, &self.cx.searches))
    }

    /// How many devices the mesh has.
    pub(crate) fn device_count(&self) -> usize {
        self.planned.mesh().map_or(1, |(_, mesh)| mesh.device_count())
    }
}
