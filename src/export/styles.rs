//! Styles of tensor parallelism of linear and embedding layers over one mesh axis.

use super::Subject;
use super::placements::{Placement, placements_of};
use partita_ir::mesh::DeviceMesh;
use partita_ir::program::{ParamKind, Program};
use partita_passes::planning::presets::{DATA_AXES, written_presets};
use partita_search::target::{Module, ModuleKind};
use std::collections::BTreeMap;

/// Placement of a layer along the axis of tensor parallelism.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Style {
    /// The output features are sharded.
    Colwise,
    /// The input features, or the rows of an embedding, are sharded.
    Rowwise,
}

/// A layer with its style.
pub(super) struct StyledModule<'m> {
    pub(super) module: &'m Module,
    pub(super) style: Style,
    /// True if no row-wise layer follows, so that the result of the layer leaves the shards, as for logits.
    pub(super) is_last: bool,
}

/// Tensor parallelism of a plan.
pub(super) struct TensorParallelism<'m> {
    /// Name of the mesh axis.
    pub(super) axis: String,
    /// Layers with sharded weights, in the order of the program.
    pub(super) modules: Vec<StyledModule<'m>>,
    /// True if activations between the layers are sharded along the sequence.
    pub(super) shards_sequence: bool,
    /// Paths of norms: modules with unsharded vectors only. Empty without sequence shards.
    pub(super) norms: Vec<String>,
    /// Modules of several column-wise layers that read the same value.
    pub(super) shared_inputs: Vec<String>,
}

impl<'m> TensorParallelism<'m> {
    /// Finds the axis and the styles. Returns `None` if no weight is sharded, several axes shard weights, or a sharded
    /// parameter belongs to no linear or embedding layer.
    pub(super) fn find(subject: &Subject<'m>) -> Option<TensorParallelism<'m>> {
        let program = subject.partition.planned();
        let (_, mesh) = program.mesh()?;
        let gathers = written_presets(subject.plan).any(|preset| preset.is_named("zero3"));
        let axes: Vec<usize> = (0..mesh.axes.len())
            .filter(|&axis| !(gathers && DATA_AXES.contains(&mesh.axes[axis].name.as_str())))
            .collect();
        let placed = placed_params(program, mesh);
        let sharded = |axis: &usize| {
            let is_shard = |of: &Vec<Placement>| matches!(of[*axis], Placement::Shard(_));
            mesh.axes[*axis].size > 1 && placed.values().any(is_shard)
        };
        let used: Vec<usize> = axes.into_iter().filter(sharded).collect();
        let &[axis] = &used[..] else { return None };
        let dim_of = |path: &str| match placed.get(path)?[axis] {
            Placement::Shard(dim) => Some(dim),
            Placement::Replicate | Placement::Partial(_) => None,
        };
        let mut modules = Vec::new();
        for module in subject.rules.modules() {
            let Some(dim) = dim_of(&module.weight) else { continue };
            let style = if dim == module.output_dim { Style::Colwise } else { Style::Rowwise };
            // The bias of a column-wise layer is sharded, that of a row-wise layer is replicated.
            let bias = module.bias.as_deref().map(|bias| dim_of(bias).is_some());
            if bias.is_some_and(|is_sharded| is_sharded != (style == Style::Colwise)) {
                return None;
            }
            modules.push(StyledModule { module, style, is_last: false });
        }
        let is_styled = |path: &str| {
            let own = |one: &StyledModule<'_>| one.module.weight == path || one.module.bias.as_deref() == Some(path);
            modules.iter().any(own)
        };
        if placed.keys().any(|path| dim_of(path).is_some() && !is_styled(path)) {
            return None;
        }
        let last_row = modules.iter().rposition(|one| one.style == Style::Rowwise);
        for (at, one) in modules.iter_mut().enumerate() {
            let is_linear = one.module.kind == ModuleKind::Linear;
            one.is_last = is_linear && one.style == Style::Colwise && last_row.is_none_or(|last| last < at);
        }
        let shards_sequence = written_presets(subject.plan).any(|preset| preset.is_named("sequence"));
        let norms = if shards_sequence { norms(program, subject.rules.modules()) } else { Vec::new() };
        let shared_inputs = if shards_sequence { shared_inputs(&modules) } else { Vec::new() };
        let axis = mesh.axes[axis].name.to_string();
        Some(TensorParallelism { axis, modules, shards_sequence, norms, shared_inputs })
    }

    /// Returns true if the layer gets its input from a module that gathers the input for several layers.
    pub(super) fn has_shared_input(&self, module: &Module) -> bool {
        module.path.rsplit_once('.').is_some_and(|(parent, _)| self.shared_inputs.iter().any(|one| one == parent))
    }
}

/// Returns the placements of all parameters of the model, without optimizer state.
pub(super) fn placed_params(program: &Program, mesh: &DeviceMesh) -> BTreeMap<String, Vec<Placement>> {
    let params = program.params.values().filter(|param| !param.is_optimizer_state());
    params.map(|param| (param.path.clone(), placements_of(program, param.value, mesh))).collect()
}

/// Returns the modules whose trained parameters are vectors and that are no linear or embedding layers.
fn norms(program: &Program, modules: &[Module]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let params = program.params.values().filter(|param| param.kind == ParamKind::Trainable);
    for param in params.filter(|param| program.ty(param.value).shape.rank() == 1) {
        let Some((module, _)) = param.path.rsplit_once('.') else { continue };
        if !modules.iter().any(|one| one.path == module) && !found.iter().any(|known| known == module) {
            found.push(module.to_owned());
        }
    }
    found
}

/// Returns the parents of several column-wise linear layers that read the same value.
fn shared_inputs(modules: &[StyledModule<'_>]) -> Vec<String> {
    let mut readers: BTreeMap<&str, Vec<&StyledModule<'_>>> = BTreeMap::new();
    let columns = modules.iter().filter(|one| one.style == Style::Colwise && one.module.kind == ModuleKind::Linear);
    for one in columns {
        if let Some((parent, _)) = one.module.path.rsplit_once('.') {
            readers.entry(parent).or_default().push(one);
        }
    }
    let is_shared =
        |all: &[&StyledModule<'_>]| all.len() > 1 && all.iter().all(|one| one.module.operand == all[0].module.operand);
    readers.into_iter().filter(|(_, all)| is_shared(all)).map(|(parent, _)| parent.to_owned()).collect()
}
