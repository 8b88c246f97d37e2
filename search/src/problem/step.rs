//! Training steps, by the number of their micro-batches.

use super::Constraints;
use partita_ir::diag::Diagnostic;
use partita_ir::program::Program;
use partita_passes::driver::{Findings, Input};
use partita_passes::pipelines;
use partita_passes::planning::name_dims::Classes;
use rayon::prelude::*;
use std::collections::BTreeSet;

/// Step of a program, not laid out yet.
pub struct Step {
    /// Micro-batches that the batch is divided into.
    pub micro_batches: u64,
    /// The program of the step.
    pub program: Program,
    /// Classes of its dimensions.
    pub classes: Classes,
}

impl Step {
    /// The step of a program in so many micro-batches.
    ///
    /// # Errors
    /// Errors in the plan, and a batch that cannot be divided.
    pub fn of(program: &Program, constraints: &Constraints, micro_batches: u64) -> Result<Step, Vec<Diagnostic>> {
        let mut step = program.clone();
        let (input, mut findings) = (Input::with_plan(constraints.step_plan(micro_batches)), Findings::default());
        pipelines::make_step(&mut step, &input, &mut findings)?;
        let classes = Classes::of(&step);
        Ok(Step { micro_batches, program: step, classes })
    }

    /// The undivided step, and those in more micro-batches into which the batch can be divided.
    pub fn divided(
        self,
        program: &Program,
        constraints: &Constraints,
        micro_batches: impl Iterator<Item = u64>,
    ) -> Vec<Step> {
        let counts: BTreeSet<u64> = micro_batches.filter(|&count| count > 1).collect();
        let counts: Vec<u64> = counts.into_iter().collect();
        let steps: Vec<Option<Step>> =
            counts.par_iter().map(|&count| Step::of(program, constraints, count).ok()).collect();
        [self].into_iter().chain(steps.into_iter().flatten()).collect()
    }
}
