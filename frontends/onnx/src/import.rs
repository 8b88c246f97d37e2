//! Lowering of a decoded ONNX model to a traced program and its weights.
//!
//! Initializers that are weights become parameters under their own names; other initializers become constants. Graph
//! inputs become program inputs, with the sizes that the user specifies for symbolic dimensions. Only nodes that the
//! results depend on are lowered, each by the file of its operator family, selected in [`table`]. A node with constant
//! operands is lowered into a separate program and evaluated during the import (constant folding). This resolves the
//! shapes that exporters compute with operations.

mod activation;
mod attention;
mod branches;
mod contraction;
mod creation;
mod elementwise;
mod errors;
mod fixed;
mod flex_attention;
mod fold;
mod fused;
mod graph;
mod indexing;
mod initializers;
mod inputs;
mod legacy;
mod linear;
mod loops;
mod losses;
mod lowering;
mod movement;
mod names;
mod normalization;
mod operators;
mod opsets;
mod optimizers;
mod packed_attention;
mod pooling;
mod quantization;
mod recurrent;
mod reduction;
mod resize;
mod rotary;
mod sampling;
mod scans;
mod scope;
mod selection;
mod sequences;
mod signal;
mod table;
mod text;
mod torch;
mod weights;
mod window;

use crate::file;
use crate::functions;
use crate::name::ModelName;
use crate::order;
use crate::proto::{GraphProto, ModelProto, NodeProto};
use errors::Failure;
use fixed::fixable;
pub use fixed::{FixedInput, FixedInputs, InputValues};
use graph::Importer;
use inputs::GraphInputs;
use opsets::Domain;
use partita_ir::build::{Builder, Namer};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::program::Program;
use partita_ir::tensor::Weights;

/// Supported opsets.
pub const OPSETS: std::ops::RangeInclusive<i64> = 1..=28;

/// An imported model.
pub struct Imported {
    /// The forward model, in form traced.
    pub program: Program,
    /// The data of its parameters.
    pub weights: Weights,
    /// Inputs of the file that are no inputs of the program, because their values are fixed.
    pub fixed: FixedInputs,
}

/// Reads the model with the given name: a file, the sizes of its symbolic dimensions (`model.onnx?batch=32&seq=128`),
/// and an optional loss (`loss=cross_entropy`), which replaces the results. `values` returns the values of inputs that
/// are known, which become constants if shapes depend on them.
///
/// # Errors
/// Returns `C001` for a file that cannot be read, `F002` for a damaged or invalid file, `F001` and `F003` for
/// unsupported operations and element types, `F004` for sizes that are missing or match no symbolic dimension and for
/// an invalid loss, and `T004` for a file or tensor that is too large.
pub fn import_with_inputs(name: &str, values: InputValues<'_>) -> Result<Imported, Vec<Diagnostic>> {
    let model_name = ModelName::parse(name)?;
    let model = file::read(model_name.path).map_err(|e| vec![e])?;
    import_model(&model, name, values)
}

/// Reads the model with the given name, without values of inputs.
///
/// # Errors
/// The errors of [`import_with_inputs`].
pub fn import(name: &str) -> Result<Imported, Vec<Diagnostic>> {
    import_with_inputs(name, &|_| None)
}

/// Imports a decoded model. External data is read from the folder of the path in `name`.
///
/// # Errors
/// The errors of [`import_with_inputs`], except those of reading the file.
pub fn import_model(model: &ModelProto, name: &str, values: InputValues<'_>) -> Result<Imported, Vec<Diagnostic>> {
    let model_name = ModelName::parse(name)?;
    let model = &*functions::inline(model).map_err(|e| vec![e])?;
    let no_graph = || vec![Diagnostic::new(Code::F002, format!("`{}` contains no graph", model_name.path.display()))];
    let graph = model.graph.as_ref().ok_or_else(no_graph)?;
    let duplicates = names::check(model, graph);
    if !duplicates.is_empty() {
        return Err(duplicates);
    }
    let opset = opsets::check(model, graph)?;
    let graph = &*order::sorted(graph).map_err(|e| vec![e])?;
    let mut fixed = FixedInputs::new();
    // Each repetition fixes at least one more input.
    loop {
        let failure = match import_with_fixed(graph, opset, &model_name, name, &fixed) {
            Ok((program, weights)) => return Ok(Imported { program, weights, fixed }),
            Err(failure) => failure,
        };
        let more: Vec<_> =
            failure.run_time_operands.iter().flat_map(|operand| fixable(operand, values, &fixed)).collect();
        if more.is_empty() {
            return Err(failure.errors);
        }
        for (name, input) in more {
            fixed.entry(name).or_insert(input);
        }
    }
}

/// Imports a graph with the given fixed inputs.
fn import_with_fixed<'m>(
    graph: &'m GraphProto,
    opset: i64,
    model_name: &ModelName<'m>,
    name: &str,
    fixed: &FixedInputs,
) -> Result<(Program, Weights), Failure<'m>> {
    let sizes = GraphInputs::from_graph(graph, model_name)?;
    let mut program = Program::with_source(name);
    let mut namer = Namer::default();
    let importer = Importer::new(graph, opset, Builder::new(&mut program, &mut namer), model_name);
    let weights = importer.run(model_name, &sizes, fixed)?;
    // Parameters are the initializers of the file.
    program.has_no_params = program.params.is_empty();
    program.is_forward = !program.has_no_params && !graph.all_nodes().into_iter().any(updates_operands);
    Ok((program.compact(), weights))
}

/// Returns true if a node may return new values of its operands: an optimizer, or a batch normalization that returns
/// running statistics.
fn updates_operands(node: &NodeProto) -> bool {
    match node.op_type.as_str() {
        "BatchNormalization" => node.output.len() > 1,
        _ => Domain::from_node(node) == Some(Domain::Training),
    }
}
