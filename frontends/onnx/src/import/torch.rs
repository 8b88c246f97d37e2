//! Parameters and modules of PyTorch in files of `torch.onnx.export(model, dynamo=True)`.
//!
//! The exporter computes what does not depend on the inputs. The weight of `nn.Linear`, which the module keeps as
//! `[out, in]`, becomes a transposed initializer with a generated name. Metadata of the graph lists the parameters
//! (`p_up_weight: PARAMETER target='up.weight'`), metadata of an initializer the tensors that it was computed from, and
//! metadata of a node its module. A tensor that was computed from one parameter is this parameter; any other is a
//! constant.

use super::weights;
use crate::proto::{GraphProto, NodeProto, StringStringEntryProto};
use partita_ir::tensor::{Data, Tensor};
use rustc_hash::{FxHashMap, FxHashSet};

/// Metadata of a graph: its inputs, parameters and buffers.
const SIGNATURE: &str = "pkg.torch.export.ExportedProgram.graph_signature";

/// Metadata of an initializer: the names of the tensors that it was computed from.
const FOLDED_FROM: &str = "pkg.onnxscript.optimizer.folded_from";

/// Metadata of a node: the paths of the modules around it, from the outermost, and its own name.
const SCOPES: &str = "pkg.torch.onnx.name_scopes";

/// Metadata of a node: the operation of PyTorch that it belongs to.
const FX_NODE: &str = "pkg.torch.onnx.fx_node";

/// Role of an initializer in PyTorch.
pub enum Origin<'m> {
    /// The parameter with this path.
    Parameter(&'m str),
    /// The transposed parameter with this path.
    Transposed(&'m str),
    /// A buffer, or a tensor that the exporter has computed.
    Constant,
}

/// Parameters of a graph that PyTorch has exported.
pub struct Exported<'m> {
    /// Paths of the parameters.
    parameters: FxHashSet<&'m str>,
    /// Paths of the buffers.
    buffers: FxHashSet<&'m str>,
    /// Names of the tensors that an initializer was computed from.
    folded: FxHashMap<&'m str, Vec<&'m str>>,
    /// Names of the initializers that are transposed weights of linear layers.
    linear: FxHashSet<&'m str>,
}

impl<'m> Exported<'m> {
    /// Reads the metadata of a graph.
    pub fn from_graph(graph: &'m GraphProto) -> Exported<'m> {
        let signature = metadata(&graph.metadata_props, SIGNATURE).unwrap_or_default();
        let folded = graph.value_info.iter().filter_map(|info| {
            Some((info.name.as_str(), quoted(metadata(&info.metadata_props, FOLDED_FROM)?).collect()))
        });
        let linear = graph.all_nodes().into_iter().filter_map(|node| {
            let operation = metadata(&node.metadata_props, FX_NODE)?;
            let is_linear = node.op_type == "MatMul" && operation.contains("target=torch.ops.aten.linear");
            node.input.get(1).map(String::as_str).filter(|_| is_linear)
        });
        Exported {
            parameters: targets(signature, "PARAMETER").collect(),
            buffers: targets(signature, "BUFFER").collect(),
            folded: folded.collect(),
            linear: linear.collect(),
        }
    }

    /// Returns what an initializer is; `None` if the file does not say.
    pub fn origin(&self, name: &'m str, tensor: &Tensor) -> Option<Origin<'m>> {
        let is_transposed = self.linear.contains(name) && tensor.ty.shape.rank() == 2;
        match self.folded.get(name).map(Vec::as_slice) {
            _ if self.parameters.contains(name) => Some(Origin::Parameter(name)),
            _ if self.buffers.contains(name) => Some(Origin::Constant),
            Some(&[path]) if self.parameters.contains(path) && is_transposed => Some(Origin::Transposed(path)),
            Some(&[path]) if self.parameters.contains(path) => Some(Origin::Parameter(path)),
            Some(_) => Some(Origin::Constant),
            None => None,
        }
    }
}

/// Returns the transpose of a matrix.
pub fn transposed(matrix: &Tensor) -> Tensor {
    let (rows, columns) = (matrix.ty.shape[0], matrix.ty.shape[1]);
    let mut ty = matrix.ty.clone();
    ty.shape = [columns, rows].into_iter().collect();
    let data = match &matrix.data {
        Data::F64(items) => Data::F64(transposed_items(items, rows, columns)),
        Data::F32(items) => Data::F32(transposed_items(items, rows, columns)),
        Data::Int(items) => Data::Int(transposed_items(items, rows, columns)),
    };
    Tensor { ty, data }
}

fn transposed_items<T: Copy>(items: &[T], rows: usize, columns: usize) -> Vec<T> {
    (0..columns).flat_map(|column| (0..rows).map(move |row| items[row * columns + column])).collect()
}

/// Returns the path of the module that a node belongs to.
pub fn module(node: &NodeProto) -> String {
    match metadata(&node.metadata_props, SCOPES).map(|scopes| quoted(scopes).collect::<Vec<_>>()) {
        // The last name is that of the operation.
        Some(scopes) => scopes.iter().rev().nth(1).copied().unwrap_or_default().to_owned(),
        None => weights::scope(&node.name),
    }
}

/// Returns the value of a key of metadata.
fn metadata<'m>(entries: &'m [StringStringEntryProto], key: &str) -> Option<&'m str> {
    entries.iter().find(|entry| entry.key == key).map(|entry| entry.value.as_str())
}

/// Returns the elements of a list of strings as Python prints it: `['', 'up']`.
fn quoted(list: &str) -> impl Iterator<Item = &str> {
    list.split('\'').skip(1).step_by(2)
}

/// Returns the paths of the inputs of a kind in a signature.
fn targets<'s>(signature: &'s str, kind: &str) -> impl Iterator<Item = &'s str> {
    let start = format!(": {kind} target=");
    signature.lines().filter_map(move |line| line.split_once(&start)?.1.split('\'').nth(1))
}
