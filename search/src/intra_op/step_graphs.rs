//! Search graphs of a step, by the number of its micro-batches.

use super::search_graph::SearchGraph;
use crate::limits::SearchLimits;
use crate::problem::Step;
use partita_ir::diag::{Code, Diagnostic};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Search graphs of a step in several numbers of micro-batches.
pub struct StepGraphs<'a> {
    steps: &'a [Step],
    graphs: BTreeMap<u64, SearchGraph<'a>>,
}

impl<'a> StepGraphs<'a> {
    /// Search graphs of all steps, with or without decisions for the storage of weights.
    pub fn of(steps: &'a [Step], param_storage: bool) -> StepGraphs<'a> {
        let graphs: Vec<(u64, SearchGraph<'_>)> = (steps.par_iter())
            .map(|step| {
                let graph = SearchGraph::of(&step.program, &step.classes);
                (step.micro_batches, if param_storage { graph.with_param_storage() } else { graph })
            })
            .collect();
        StepGraphs { steps, graphs: graphs.into_iter().collect() }
    }

    /// The search graph of the step in so many micro-batches; `None` if the batch cannot be divided so.
    pub fn get(&self, micro_batches: u64) -> Option<&SearchGraph<'a>> {
        self.graphs.get(&micro_batches)
    }

    /// The search graph of the step in so many micro-batches.
    ///
    /// # Errors
    /// `G001` if the batch cannot be divided so.
    pub(crate) fn of_micro_batches(&self, micro_batches: u64) -> Result<&SearchGraph<'a>, Diagnostic> {
        self.get(micro_batches).ok_or_else(|| {
            let source = self.steps.first().map_or("the model", |step| &step.program.source);
            Diagnostic::new(Code::G001, format!("a batch of `{source}` cannot be cut into {micro_batches} parts"))
        })
    }

    /// The search graph with decisions for the storage of weights; `None` for a large step, for which these take too
    /// long.
    pub(crate) fn with_param_storage(&self, micro_batches: u64) -> Option<SearchGraph<'a>> {
        let step = self.steps.iter().find(|step| step.micro_batches == micro_batches && !self.is_large())?;
        Some(SearchGraph::of(&step.program, &step.classes).with_param_storage())
    }

    /// Returns whether a step has so many ops that plans with little chance to win are not simulated.
    pub(crate) fn is_large(&self) -> bool {
        self.graphs.values().any(|graph| graph.program().ops.len() > SearchLimits::TUNED.autotuned_ops)
    }

    /// Ops of the step.
    pub(crate) fn op_count(&self) -> usize {
        self.graphs.values().next().map_or(0, |graph| graph.program().ops.len())
    }
}
