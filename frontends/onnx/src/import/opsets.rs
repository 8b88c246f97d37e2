//! Versions of the operator sets that a model imports, and the check of its nodes against them.

use super::OPSETS;
use super::errors::node_diagnostic;
use super::lowering::LoweringError;
use crate::proto::{GraphProto, ModelProto, NodeProto};
use crate::schema;
use partita_ir::diag::{Code, Diagnostic};

/// An operator set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Domain {
    /// The operations of ONNX.
    Onnx,
    /// The operations that ONNX Runtime adds, in the domain `com.microsoft`.
    Microsoft,
    /// Operations that may become part of ONNX, in the domain `ai.onnx.preview`.
    Preview,
    /// Optimizers, in the domain `ai.onnx.preview.training`.
    Training,
}

impl Domain {
    /// Returns the domain of a node; `None` for an unsupported one.
    pub fn from_node(node: &NodeProto) -> Option<Domain> {
        match node.domain.as_str() {
            "" | "ai.onnx" => Some(Domain::Onnx),
            "com.microsoft" => Some(Domain::Microsoft),
            "ai.onnx.preview" => Some(Domain::Preview),
            "ai.onnx.preview.training" => Some(Domain::Training),
            _ => None,
        }
    }

    /// Returns the name in the table of signatures.
    const fn name(self) -> &'static str {
        match self {
            Domain::Onnx => "",
            Domain::Microsoft => "com.microsoft",
            Domain::Preview => "ai.onnx.preview",
            Domain::Training => "ai.onnx.preview.training",
        }
    }
}

/// Returns the opset of the model and checks its nodes. A model without nodes of the domain `ai.onnx` may lack an
/// opset, and has the last one.
///
/// # Errors
/// `F002` for a missing opset and for each node that contradicts its definition; `F003` for an unsupported opset.
pub fn check(model: &ModelProto, graph: &GraphProto) -> Result<i64, Vec<Diagnostic>> {
    let imported = |domain: Domain| {
        let named = |name: &str| if name == "ai.onnx" { "" } else { name } == domain.name();
        model.opset_import.iter().find(|import| named(&import.domain)).map(|import| import.version)
    };
    let nodes = graph.all_nodes().into_iter().map(|node| (Domain::from_node(node), node));
    let opset = match imported(Domain::Onnx) {
        Some(version) if OPSETS.contains(&version) => version,
        Some(version) => return Err(vec![unsupported(version)]),
        None if nodes.clone().all(|(domain, _)| domain != Some(Domain::Onnx)) => *OPSETS.end(),
        None => {
            let title = "the model does not specify its opset";
            let help = "add it: `model.opset_import.append(onnx.helper.make_opsetid(\"\", 21))` in Python";
            return Err(vec![Diagnostic::new(Code::F002, title).help(help)]);
        }
    };
    let wrong: Vec<Diagnostic> = nodes
        .filter_map(|(domain, node)| {
            let domain = domain?;
            let version = match domain {
                Domain::Onnx => opset,
                Domain::Microsoft | Domain::Preview | Domain::Training => imported(domain).unwrap_or(1),
            };
            let why = schema::check(node, domain.name(), version).err()?;
            Some(node_diagnostic(node, opset, LoweringError::Malformed(why)))
        })
        .collect();
    if wrong.is_empty() { Ok(opset) } else { Err(wrong) }
}

/// Builds the error for an opset that is not supported.
fn unsupported(version: i64) -> Diagnostic {
    let (first, last) = (OPSETS.start(), OPSETS.end());
    let title = format!("the model uses opset {version}; supported are {first} to {last}");
    let how = format!("convert it: `onnx.version_converter.convert_version(model, {last})` in Python");
    Diagnostic::new(Code::F003, title).help(how)
}
