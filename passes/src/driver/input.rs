//! Input of a pipeline of passes.

use super::variant::Variant;
use partita_ir::arena::ValueId;
use partita_ir::plan::Plan;
use partita_machine::Machine;
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Input that passes read besides the program. It does not change while passes run.
#[derive(Clone, Default)]
pub struct Input {
    /// The decisions of the user.
    pub plan: Plan,
    /// The target machine, if one is named.
    pub machine: Option<Arc<Machine>>,
    /// The choice among equivalent lowerings.
    pub variant: Variant,
    /// Inputs of the program that are activations computed by another pipeline stage.
    pub activations: FxHashSet<ValueId>,
    /// Verify only the final program, in the local form. Set for candidate programs during a search.
    pub is_draft: bool,
    /// True if the program is a chunk of a pipeline: entries of the plan with paths may match nothing in it.
    pub is_chunk: bool,
}

impl Input {
    /// Returns the input of passes that apply a plan, without a machine.
    pub fn with_plan(plan: Plan) -> Input {
        Input { plan, ..Input::default() }
    }

    /// Returns the input of passes that run on chunks of a pipeline. Policies of recomputation need not match anything
    /// in a chunk.
    pub fn for_chunks(&self) -> Input {
        let mut input = Input { is_chunk: true, ..self.clone() };
        for path in input.plan.remat.iter_mut().map(|entry| &mut entry.path.text).filter(|path| !path.ends_with('?')) {
            path.push('?');
        }
        input
    }
}
