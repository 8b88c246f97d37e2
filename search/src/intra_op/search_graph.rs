//! Search graph of a step: op nodes and decision groups, and everything else that does not depend on the mesh.

use super::decision_groups::DecisionGroups;
use super::layout_space::ChosenLayouts;
use super::pricing::{Task, tasks};
use partita_ir::arena::{Id, MeshId, OpId, ValueId};
use partita_ir::layout::Layout;
use partita_ir::mesh::Mesh;
use partita_ir::program::Program;
use partita_passes::partitioning::path::Paths;
use partita_passes::planning::name_dims::Classes;
use partita_passes::planning::presets::model::{Model, Role};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// Search graph of a step.
pub struct SearchGraph<'a> {
    pub(crate) program: &'a Program,
    pub(crate) model: Model<'a>,
    pub(crate) groups: DecisionGroups,
    /// By op, what it has to do.
    pub(crate) tasks: FxHashMap<OpId, Task>,
    /// By value, whether it is a parameter or made of parameters alone.
    is_weight: Vec<bool>,
    /// By sizes of a mesh's axes, paths between layouts on it that are known: whoever looks at such a mesh takes them,
    /// and brings them back with what else was found.
    paths: Mutex<BTreeMap<Vec<u32>, Paths>>,
}

impl<'a> SearchGraph<'a> {
    /// Search graph of a traced program with the classes of its dimensions.
    pub fn of(program: &'a Program, classes: &'a Classes) -> SearchGraph<'a> {
        let model = Model::of(program, classes);
        let groups = DecisionGroups::of(&model);
        let tasks = tasks(program, &groups);
        let is_weight = program.values.ids().map(|value| model.role(value) == Role::Weight).collect();
        SearchGraph { program, model, groups, tasks, is_weight, paths: Mutex::default() }
    }

    /// Adds a decision for the storage of each weight, which may then be stored otherwise than it is used. Takes
    /// several times as long to solve.
    #[must_use]
    pub fn with_param_storage(mut self) -> SearchGraph<'a> {
        self.groups.add_param_storage(&self.model);
        self
    }

    /// The program.
    pub fn program(&self) -> &'a Program {
        self.program
    }

    /// Whether an axis splits examples, by its position in the mesh.
    pub fn splits_examples(&self, found: &ChosenLayouts, axis: usize) -> bool {
        let is_split = |(value, layout): &(ValueId, Layout)| {
            let mut examples = self.model.dims(*value).filter(|(_, stem)| self.model.batch == Some(*stem));
            examples.any(|(dim, _)| layout.dims[dim].axes.iter().any(|by| by.axis.index() == axis))
        };
        found.inputs.iter().chain(&found.values).any(is_split)
    }

    /// What is known of paths on a mesh with these axes, which nobody else has until it is brought back.
    pub(crate) fn take_paths(&self, mesh: &Mesh, id: MeshId) -> Paths {
        let known = self.paths.lock().ok().and_then(|mut paths| paths.remove(&sizes(mesh)));
        known.unwrap_or_else(|| Paths::new(id))
    }

    /// Brings back what is known of paths on a mesh.
    pub(crate) fn bring_paths(&self, mesh: &Mesh, known: Paths) {
        if let Ok(mut paths) = self.paths.lock() {
            paths.insert(sizes(mesh), known);
        }
    }

    /// Whether a value is a parameter or made of parameters alone.
    pub(crate) fn is_weight(&self, value: ValueId) -> bool {
        self.is_weight[value.index()]
    }
}

fn sizes(mesh: &Mesh) -> Vec<u32> {
    mesh.axes.iter().map(|axis| axis.size).collect()
}
