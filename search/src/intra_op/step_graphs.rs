//! Search graphs of a step for each number of micro-batches.

use super::search_graph::SearchGraph;
use crate::limits::SearchLimits;
use crate::problem::Step;
use partita_ir::diag::{Code, Diagnostic};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Search graphs of a step for several numbers of micro-batches.
pub struct StepGraphs<'a> {
    steps: &'a [Step],
    graphs: BTreeMap<u64, SearchGraph<'a>>,
}

impl<'a> StepGraphs<'a> {
    /// Creates the search graphs of all steps. Each step has a different number of micro-batches. With `param_storage`,
    /// the graphs include decisions for the storage layout of weights.
    pub fn new(steps: &'a [Step], param_storage: bool) -> StepGraphs<'a> {
        let graphs: Vec<(u64, SearchGraph<'_>)> = (steps.par_iter())
            .map(|step| {
                let graph = SearchGraph::new(&step.program, &step.classes);
                (step.micro_batches, if param_storage { graph.with_param_storage() } else { graph })
            })
            .collect();
        StepGraphs { steps, graphs: graphs.into_iter().collect() }
    }

    /// Returns the search graph for a number of micro-batches. Returns `None` if no step with this number exists,
    /// because the batch is not divisible by it.
    pub fn get(&self, micro_batches: u64) -> Option<&SearchGraph<'a>> {
        self.graphs.get(&micro_batches)
    }

    /// Returns the search graph for a number of micro-batches.
    ///
    /// # Errors
    /// Returns `G001` if the batch is not divisible by this number.
    pub(crate) fn get_or_error(&self, micro_batches: u64) -> Result<&SearchGraph<'a>, Diagnostic> {
        self.get(micro_batches).ok_or_else(|| {
            let source = self.steps.first().map_or("the model", |step| &step.program.source);
            Diagnostic::new(
                Code::G001,
                format!("the batch of `{source}` is not divisible into {micro_batches} micro-batches"),
            )
        })
    }

    /// Creates a search graph with decisions for the storage layout of weights. Returns `None` for a large step, since
    /// these decisions take too long to solve, and for a number of micro-batches without a step.
    pub(crate) fn with_param_storage(&self, micro_batches: u64) -> Option<SearchGraph<'a>> {
        let step = self.steps.iter().find(|step| step.micro_batches == micro_batches && !self.is_large())?;
        Some(SearchGraph::new(&step.program, &step.classes).with_param_storage())
    }

    /// Returns true if the step has more than [`SearchLimits::max_autotuned_ops`] ops. For a large step, unpromising
    /// plans are not simulated, and lowering variants are not compared.
    pub(crate) fn is_large(&self) -> bool {
        self.graphs.values().any(|graph| graph.program().ops.len() > SearchLimits::TUNED.max_autotuned_ops)
    }

    /// Returns the number of ops of the step with the fewest micro-batches.
    pub(crate) fn op_count(&self) -> usize {
        self.graphs.values().next().map_or(0, |graph| graph.program().ops.len())
    }
}
