//! Input of a pipeline of passes.

use super::variant::Variant;
use partita_ir::arena::ValueId;
use partita_ir::plan::Plan;
use partita_machine::Machine;
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// All that passes read beside the program. It does not change while they run.
#[derive(Clone, Default)]
pub struct Input {
    /// The decisions of the user.
    pub plan: Plan,
    /// The machine that is planned for, if one is named.
    pub machine: Option<Arc<Machine>>,
    /// The choice among equivalent lowerings.
    pub variant: Variant,
    /// Inputs of the program that are activations, which another stage of a pipeline makes.
    pub activations: FxHashSet<ValueId>,
    /// Verify only the local form. Set for candidate programs during a search.
    pub is_draft: bool,
}

impl Input {
    /// The input of passes that carry out a plan, on no particular machine.
    pub fn with_plan(plan: Plan) -> Input {
        Input { plan, ..Input::default() }
    }
}
