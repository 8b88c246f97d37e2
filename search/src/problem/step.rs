//! Training steps for each number of micro-batches.

use super::Constraints;
use partita_ir::diag::Diagnostic;
use partita_ir::program::Program;
use partita_machine::Machine;
use partita_passes::driver::{Findings, Input};
use partita_passes::pipelines;
use partita_passes::planning::name_dims::DimClasses;
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Step of a program before layouts.
pub struct Step {
    /// Number of micro-batches.
    pub micro_batches: u64,
    /// The program of the step.
    pub program: Program,
    /// Classes of the program's dimensions.
    pub classes: DimClasses,
}

impl Step {
    /// Builds the step of a program with the given number of micro-batches.
    ///
    /// # Errors
    /// Returns errors in the plan, and an error for a batch that is not divisible.
    pub fn build(program: &Program, constraints: &Constraints, micro_batches: u64) -> Result<Step, Vec<Diagnostic>> {
        let mut step = program.clone();
        let (input, mut findings) = (Input::with_plan(constraints.step_plan(micro_batches)), Findings::default());
        pipelines::build_step(&mut step, &input, &mut findings)?;
        let classes = DimClasses::new(&step);
        Ok(Step { micro_batches, program: step, classes })
    }

    /// Returns the step without redundant ops, which the lowering of a plan for `machine` may remove.
    ///
    /// # Errors
    /// Returns internal errors only.
    pub(crate) fn simplified(&self, constraints: &Constraints, machine: &Machine) -> Result<Step, Vec<Diagnostic>> {
        let plan = constraints.step_plan(self.micro_batches);
        let input = Input { machine: Some(Arc::new(machine.clone())), ..Input::with_plan(plan) };
        let mut program = self.program.clone();
        pipelines::simplify(&mut program, &input, &mut Findings::default())?;
        let classes = DimClasses::new(&program);
        Ok(Step { micro_batches: self.micro_batches, program, classes })
    }

    /// Builds the steps with the given numbers of micro-batches. A number that does not divide the batch has no step.
    pub(crate) fn build_all(
        program: &Program,
        constraints: &Constraints,
        micro_batches: impl Iterator<Item = u64>,
    ) -> Vec<Step> {
        let counts: BTreeSet<u64> = micro_batches.collect();
        let counts: Vec<u64> = counts.into_iter().collect();
        let steps: Vec<Option<Step>> =
            counts.par_iter().map(|&count| Step::build(program, constraints, count).ok()).collect();
        steps.into_iter().flatten().collect()
    }
}
