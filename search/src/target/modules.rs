//! Linear and embedding layers of a model, and the role of each dimension of their weights. Roles are found in the
//! graph: a weight may reach its product through transposes, reshapes and conversions. Names only associate a bias with
//! the weight of the same module.

use partita_ir::arena::{OpId, ValueId};
use partita_passes::planning::presets::model::{Contraction, ModelStructure, Stem};

/// Kind of a layer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ModuleKind {
    /// Product with a matrix.
    Linear,
    /// Look-up of rows of a table.
    Embedding,
}

/// A layer with a weight of two dimensions, and possibly a bias.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Module {
    /// Path of the module: that of its weight without the last part.
    pub path: String,
    /// Kind of the layer.
    pub kind: ModuleKind,
    /// Path of the weight.
    pub weight: String,
    /// Sizes of the dimensions of the weight.
    pub shape: [usize; 2],
    /// Dimension of the weight that the layer contracts, or looks up rows in.
    pub input_dim: usize,
    /// Dimension of the weight that the result has.
    pub output_dim: usize,
    /// Path of the bias: a parameter of the module with the output dimension only.
    pub bias: Option<String>,
    /// Value of the step that the layer is applied to.
    pub operand: ValueId,
}

impl Module {
    /// Returns true if the weight is stored as in PyTorch: `[out, in]` for a linear layer, `[rows, width]` for an
    /// embedding.
    pub fn is_stored_as_in_torch(&self) -> bool {
        match self.kind {
            ModuleKind::Linear => self.output_dim == 0,
            ModuleKind::Embedding => self.output_dim == 1,
        }
    }
}

/// Returns the linear and embedding layers of the forward pass, in the order of the program. A weight that is used
/// several times, as a tied embedding is, has the role of its first use.
pub(super) fn find(model: &ModelStructure<'_>) -> Vec<Module> {
    let program = model.program;
    let mut found: Vec<(usize, Module)> = Vec::new();
    let mut add = |param: ValueId, kind: ModuleKind, roles: (usize, usize), op: OpId| {
        let [first, second] = program.ty(param).shape[..] else { return };
        let weight = program.path_of(param).to_owned();
        let position = model.ops.iter().position(|&other| other == op).unwrap_or(usize::MAX);
        let path = weight.rsplit_once('.').map_or(String::new(), |(module, _)| module.to_owned());
        let (shape, [input_dim, output_dim]) = ([first, second], [roles.0, roles.1]);
        let args = program.ops[op].args.iter().copied();
        let Some(operand) = args.max_by_key(|&arg| model.role(arg)) else { return };
        let module = Module { path, kind, weight, shape, input_dim, output_dim, bias: None, operand };
        found.push((position, module));
    };
    for lookup in model.lookups.iter().filter(|lookup| model.is_forward(lookup.op)) {
        let rows = |param: ValueId| {
            let dim = model.dim(param, lookup.rows)?;
            (program.ty(param).shape[dim] == lookup.count).then_some(dim)
        };
        if let Some((param, rows)) = model.params.iter().find_map(|&param| Some((param, rows(param)?))) {
            add(param, ModuleKind::Embedding, (rows, 1 - rows.min(1)), lookup.op);
        }
    }
    for product in model.contractions.iter().filter(|product| model.is_forward(product.op)) {
        if let Some(roles) = linear_roles(model, product) {
            add(product.param, ModuleKind::Linear, roles, product.op);
        }
    }
    found.sort_by_key(|(position, _)| *position);
    let mut all: Vec<Module> = Vec::new();
    for (_, module) in found {
        if all.iter().all(|known| known.weight != module.weight) {
            all.push(module);
        }
    }
    all.iter_mut().for_each(|module| module.bias = bias(model, module));
    all
}

/// Returns the contracted and the produced dimension of a weight, if the product has one of each and no batch.
fn linear_roles(model: &ModelStructure<'_>, product: &Contraction) -> Option<(usize, usize)> {
    if !product.batch.is_empty() || model.program.ty(product.param).shape.rank() != 2 {
        return None;
    }
    let dims =
        |stems: &[Stem]| -> Vec<usize> { stems.iter().filter_map(|&stem| model.dim(product.param, stem)).collect() };
    match (&dims(&product.contracted)[..], &dims(&product.produced)[..]) {
        (&[input], &[output]) if input != output => Some((input, output)),
        (&[input], []) => Some((input, 1 - input)),
        ([], &[output]) => Some((1 - output, output)),
        _ => None,
    }
}

/// Returns the parameter of the same module that has the output dimension only.
fn bias(model: &ModelStructure<'_>, module: &Module) -> Option<String> {
    let program = model.program;
    let size = module.shape[module.output_dim];
    let mut paths = model.params.iter().filter(|&&param| program.ty(param).shape[..] == [size]);
    let is_sibling = |path: &str| path.rsplit_once('.').is_some_and(|(parent, _)| parent == module.path);
    let found = paths.find(|&&param| is_sibling(program.path_of(param)) && !module.path.is_empty())?;
    Some(program.path_of(*found).to_owned())
}

/// Returns the number of examples in a batch: the largest size of the batch dimension of the inputs.
pub(super) fn batch(model: &ModelStructure<'_>) -> Option<usize> {
    let size = |&value: &ValueId| Some(model.program.ty(value).shape[model.examples_dim(value)?]);
    model.data.iter().filter_map(size).max()
}
