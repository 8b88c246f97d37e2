//! Errors of an import and their diagnostics.

use super::fixed::{FixedInput, RunTimeOperand};
use super::inputs::GraphInput;
use super::lowering::LoweringError;
use crate::proto::NodeProto;
use partita_ir::diag::{Code, Diagnostic};

/// Errors of an import.
pub struct Failure<'m> {
    pub errors: Vec<Diagnostic>,
    /// Operands that would have to be constant.
    pub run_time_operands: Vec<RunTimeOperand<'m>>,
}

impl From<Vec<Diagnostic>> for Failure<'_> {
    fn from(errors: Vec<Diagnostic>) -> Self {
        Failure { errors, run_time_operands: Vec::new() }
    }
}

/// Builds the error for an invalid file.
pub fn file_error(title: String) -> Diagnostic {
    Diagnostic::new(Code::F002, title)
}

/// Builds the error for a supplied value that does not have the type of its input.
pub fn wrong_type(input: &GraphInput<'_>, fixed: &FixedInput) -> Diagnostic {
    let title = format!("input `{}` is {}, but its value is {}", input.name, input.ty, fixed.value.ty);
    Diagnostic::new(Code::R002, title)
        .note(format!("its value is fixed, because `{}` needs constant {}", fixed.op, fixed.operand))
}

/// Builds the error for a result that cannot be compared with targets.
pub fn loss_diagnostic(result: &str, why: &str) -> Diagnostic {
    Diagnostic::new(Code::F004, format!("the loss of `{result}` {why}"))
}

/// Builds the error for a node that cannot be lowered.
pub fn node_diagnostic(node: &NodeProto, opset: i64, error: LoweringError) -> Diagnostic {
    let what = format!("ONNX operation `{}`", node.op_type);
    let help = match error {
        LoweringError::NotConstant { .. } | LoweringError::BranchTypes { .. } => {
            Some("if inputs of the model determine it, supply their values: `partita run MODEL --input FILE`")
        }
        _ => None,
    };
    let domain = if node.domain.is_empty() { "ai.onnx" } else { &node.domain };
    let reason = match error {
        LoweringError::Unsupported => unsupported_reason(domain, &node.op_type),
        _ => None,
    };
    let (code, title) = match error {
        LoweringError::Unsupported => (Code::F001, format!("{what} cannot be lowered")),
        LoweringError::UnsupportedOption(option) => (Code::F001, format!("{what} cannot be lowered with {option}")),
        LoweringError::DType(name) => {
            (Code::F003, format!("{what} has the element type {name}, which is not supported"))
        }
        LoweringError::NotConstant { operand, .. } => {
            (Code::F003, format!("{what} computes its {operand} at run time, but shapes are static"))
        }
        LoweringError::BranchTypes { yes, no, .. } => {
            (Code::F003, format!("{what} returns {yes} or {no} at run time, but shapes are static"))
        }
        LoweringError::Reported => (Code::F002, format!("{what} contains a node that cannot be imported")),
        LoweringError::Malformed(why) => (Code::F002, format!("{what}: {why}")),
        LoweringError::TooLarge(ty) => (Code::T004, format!("{what} computes a tensor that is too large: {ty}")),
    };
    let place = match (node.name.as_str(), node.output.first()) {
        ("", Some(output)) => format!("the node that computes `{output}`"),
        (name, _) => format!("node `{name}`"),
    };
    let error = Diagnostic::new(code, title).note(match domain {
        "ai.onnx" => format!("{place}, domain `{domain}`, opset {opset}"),
        _ => format!("{place}, domain `{domain}`"),
    });
    let error = match reason {
        Some(reason) => error.note(reason),
        None => error,
    };
    match help {
        Some(help) => error.help(help),
        None => error,
    }
}

/// Returns the reason why an operation cannot be supported, if there is one.
fn unsupported_reason(domain: &str, op: &str) -> Option<&'static str> {
    match (domain, op) {
        ("ai.onnx", "StringConcat" | "StringNormalizer" | "StringSplit" | "RegexFullMatch") => {
            Some("tensors have numbers as elements: process texts before the model")
        }
        ("ai.onnx", "ImageDecoder") => Some("sizes of an encoded image are not static: decode images before the model"),
        (
            "ai.onnx",
            "Bernoulli" | "Multinomial" | "RandomNormal" | "RandomNormalLike" | "RandomUniform" | "RandomUniformLike",
        ) => Some("ONNX does not define its random numbers: supply random numbers as an input of the model"),
        ("ai.onnx.preview.training", "Gradient") => {
            Some("the training step is derived from the forward model: use `--train`")
        }
        ("ai.onnx.ml", _) => Some("operations of the domain `ai.onnx.ml` are not those of neural networks"),
        _ => None,
    }
}
