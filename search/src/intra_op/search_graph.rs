//! Search graph of a step: op nodes, decision groups, and other data that does not depend on the mesh.

use super::decision_groups::DecisionGroups;
use super::layout_space::ChosenLayouts;
use super::pricing::{OpWork, op_work};
use partita_ir::arena::{Id, OpId, ValueId};
use partita_ir::layout::Layout;
use partita_ir::program::Program;
use partita_passes::planning::name_dims::DimClasses;
use partita_passes::planning::presets::model::{ModelStructure, ValueRole};
use rustc_hash::FxHashMap;

/// Search graph of a step.
pub struct SearchGraph<'a> {
    pub(crate) program: &'a Program,
    pub(crate) model: ModelStructure<'a>,
    pub(crate) groups: DecisionGroups,
    /// Work of each op.
    pub(crate) op_work: FxHashMap<OpId, OpWork>,
    /// True for each value that is a parameter or computed from parameters only.
    is_weight: Vec<bool>,
}

impl<'a> SearchGraph<'a> {
    /// Creates the search graph of a traced program, given the classes of its dimensions.
    pub fn new(program: &'a Program, classes: &'a DimClasses) -> SearchGraph<'a> {
        let model = ModelStructure::new(program, classes);
        let groups = DecisionGroups::new(&model);
        let op_work = op_work(program, &groups);
        let is_weight = program.values.ids().map(|value| model.role(value) == ValueRole::Weight).collect();
        SearchGraph { program, model, groups, op_work, is_weight }
    }

    /// Adds a decision for the storage layout of each weight, which can then differ from the layout in use. Solving
    /// takes several times as long.
    #[must_use]
    pub fn with_param_storage(mut self) -> SearchGraph<'a> {
        self.groups.add_param_storage(&self.model);
        self
    }

    /// Returns the program.
    pub fn program(&self) -> &'a Program {
        self.program
    }

    /// Returns true if a mesh axis shards the batch dimension.
    pub fn splits_examples(&self, found: &ChosenLayouts, axis: usize) -> bool {
        let is_split = |(value, layout): &(ValueId, Layout)| {
            let mut examples = self.model.dims(*value).filter(|(_, stem)| self.model.batch == Some(*stem));
            examples.any(|(dim, _)| layout.dims[dim].axes.iter().any(|by| by.axis.index() == axis))
        };
        found.inputs.iter().chain(&found.values).any(is_split)
    }

    /// Returns true if a value is a parameter or computed from parameters only.
    pub(crate) fn is_weight(&self, value: ValueId) -> bool {
        self.is_weight[value.index()]
    }
}
