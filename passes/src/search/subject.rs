//! What is laid out: a step, with all that is known of it whatever the mesh.

use super::intra::Intra;
use super::pricing::{Task, tasks};
use super::spaces::Spaces;
use crate::plan::name_dims::Classes;
use crate::plan::presets::model::{Model, Role};
use partita_ir::arena::{Id, OpId, ValueId};
use partita_ir::layout::Layout;
use partita_ir::program::Program;
use rustc_hash::FxHashMap;

/// A step.
pub struct Subject<'a> {
    pub(super) program: &'a Program,
    pub(super) model: Model<'a>,
    pub(super) spaces: Spaces,
    /// By op, what it has to do.
    pub(super) tasks: FxHashMap<OpId, Task>,
    /// By value, whether it is a parameter or made of parameters alone.
    is_weight: Vec<bool>,
}

impl<'a> Subject<'a> {
    /// A traced program, with the classes of its dimensions.
    pub fn of(program: &'a Program, classes: &'a Classes) -> Subject<'a> {
        let model = Model::of(program, classes);
        let spaces = Spaces::of(&model);
        let tasks = tasks(program, &spaces);
        let is_weight = program.values.ids().map(|value| model.role(value) == Role::Weight).collect();
        Subject { program, model, spaces, tasks, is_weight }
    }

    /// The program.
    pub fn program(&self) -> &'a Program {
        self.program
    }

    /// Whether an axis splits examples, by its position in the mesh.
    pub fn splits_examples(&self, found: &Intra, axis: usize) -> bool {
        let is_split = |(value, layout): &(ValueId, Layout)| {
            let mut examples = self.model.dims(*value).filter(|(_, stem)| self.model.batch == Some(*stem));
            examples.any(|(dim, _)| layout.dims[dim].axes.iter().any(|by| by.axis.index() == axis))
        };
        found.inputs.iter().chain(&found.values).any(is_split)
    }

    /// Whether a value is a parameter or made of parameters alone.
    pub(super) fn is_weight(&self, value: ValueId) -> bool {
        self.is_weight[value.index()]
    }
}
