//! Programs and findings of a compilation, the input of reports and explanations.

use super::{Rewriting, Seconds};
use partita_ir::plan::Plan;
use partita_ir::program::Program;
use partita_passes::driver::{Findings, Input};
use partita_search::autotune::Choice;

/// Programs of each form and findings of the passes.
pub(crate) struct Made {
    /// Program that one device would run: the model or its training step. A model in form local is already the
    /// program of one device.
    pub(crate) model: Program,
    /// Program with a layout for every value: form planned, or a later form if the model has one.
    pub(crate) planned: Program,
    /// Program of one device.
    pub(crate) local: Program,
    /// Findings of the passes.
    pub(crate) findings: Findings,
    /// Input of the passes.
    pub(crate) input: Input,
    /// Autotuned variant, if its predicted step is shorter than the default.
    pub(crate) choice: Option<Choice>,
    /// Compile time by stage.
    pub(crate) seconds: Seconds,
}

impl Made {
    /// Returns the rewrites of the autotuned variant.
    pub(crate) fn rewriting(&self) -> Option<Rewriting> {
        self.choice.map(|choice| Rewriting::of(&choice, &self.findings.searches))
    }

    /// Returns the plan as it was applied.
    pub(crate) fn plan(&self) -> &Plan {
        self.findings.plan(&self.input.plan)
    }

    /// Returns the number of devices in the mesh.
    pub(crate) fn device_count(&self) -> usize {
        self.planned.mesh().map_or(1, |(_, mesh)| mesh.device_count())
    }
}
