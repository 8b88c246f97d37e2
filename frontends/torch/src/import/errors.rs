//! Errors of an import and their diagnostics.

use super::lowering::LoweringError;
use super::names::module_path;
use crate::schema::GraphNode;
use partita_ir::diag::{Code, Diagnostic};

/// Operations that are not lowered and that PyTorch decomposes into operations that are.
const DECOMPOSED: [&str; 18] = [
    "adaptive_max_pool1d",
    "diagflat",
    "fft_hfft",
    "gradient",
    "isclose",
    "isreal",
    "istft",
    "linalg_cond",
    "linalg_diagonal",
    "linalg_tensorinv",
    "linalg_vecdot",
    "multilabel_margin_loss",
    "mvlgamma",
    "nanquantile",
    "renorm",
    "special_multigammaln",
    "sum_to_size",
    "tensordot",
];

/// Advice for an operation of [`DECOMPOSED`].
const DECOMPOSE: &str = "decompose it: `exported.run_decompositions()`";

/// Consequence of [`DECOMPOSE`].
const STOPPED_GRADIENTS: &str =
    "the decomposition removes `detach` and `torch.no_grad`, through which gradients then flow";

/// Advice for models whose shapes are not static.
const STATIC_SHAPES: &str = "export the model without `dynamic_shapes`: `torch.export.export(model, args)`";

/// Maximum number of lines of the Python stack that a message lists.
const MAX_STACK_LINES: usize = 8;

/// Builds the diagnostic for a node that cannot be lowered; `None` if its error has been reported.
pub fn node_diagnostic(node: &GraphNode, error: LoweringError) -> Option<Diagnostic> {
    let name = node.target.strip_prefix("torch.ops.").unwrap_or(&node.target);
    let what = format!("PyTorch operation `{name}`");
    let mut help = None;
    let (code, title) = match error {
        LoweringError::Reported => return None,
        LoweringError::Unsupported => {
            let operation = name.strip_prefix("aten.").and_then(|name| name.split('.').next());
            help = operation.filter(|name| DECOMPOSED.contains(name)).map(|_| DECOMPOSE);
            (Code::F001, format!("{what} cannot be lowered"))
        }
        LoweringError::UnsupportedOption(option) => (Code::F001, format!("{what} cannot be lowered with {option}")),
        LoweringError::DynamicShape => {
            help = Some("keep all elements and select some of them by a mask: `torch.where(mask, x, 0)`");
            (Code::F003, format!("the shape of the result of {what} depends on the elements of an operand"))
        }
        LoweringError::DType(name) => {
            (Code::F003, format!("{what} has the element type {name}, which is not supported"))
        }
        LoweringError::Symbolic(name) => {
            help = Some(STATIC_SHAPES);
            (Code::F003, format!("{what} reads or computes the symbolic size `{name}`, but shapes are static"))
        }
        LoweringError::Element(name) => {
            help = Some("compute with the tensor instead of the number that `item()` returns");
            (Code::F003, format!("{what} reads `{name}`, a number that is computed from the elements of a tensor"))
        }
        LoweringError::ChangedInPlace(name) => {
            help = Some("make the program functional before it is saved: `exported.run_decompositions()`");
            (Code::F003, format!("{what} reads `{name}`, whose memory another operation has changed in place"))
        }
        LoweringError::MissingResult(name) => {
            (Code::F001, format!("{what} reads `{name}`, a result that is not computed"))
        }
        LoweringError::Malformed(why) => (Code::F002, format!("{what}: {why}")),
        LoweringError::TooLarge(ty) => (Code::T004, format!("{what} computes a tensor that is too large: {ty}")),
    };
    let error = located(Diagnostic::new(code, title), node);
    Some(match help {
        Some(DECOMPOSE) => error.note(STOPPED_GRADIENTS).help(DECOMPOSE),
        Some(help) => error.help(help),
        None => error,
    })
}

/// Adds the module and the lines of Python where the node was traced.
fn located(error: Diagnostic, node: &GraphNode) -> Diagnostic {
    let error = match module_path(node) {
        "" => error,
        path => error.note(format!("in module `{path}`")),
    };
    let stack = node.metadata.get("stack_trace").map_or("", |stack| stack.trim_end());
    if stack.is_empty() {
        return error;
    }
    // The last lines of a stack are the innermost.
    let lines: Vec<&str> = stack.lines().collect();
    let from = lines.len().saturating_sub(MAX_STACK_LINES);
    error.note(lines[from..].join("\n"))
}

/// Builds the diagnostic for an input of the model that is a symbolic size.
pub fn input_diagnostic(name: &str) -> Diagnostic {
    let title = format!("the input `{name}` is a symbolic size, but shapes are static");
    Diagnostic::new(Code::F003, title).help(STATIC_SHAPES)
}

/// Builds the diagnostic for a result of the model that has no value.
pub fn result_diagnostic(name: &str, error: LoweringError) -> Diagnostic {
    match error {
        LoweringError::ChangedInPlace(_) => {
            let title = format!("the model returns `{name}`, whose memory another operation has changed in place");
            let help = "make the program functional before it is saved: `exported.run_decompositions()`";
            Diagnostic::new(Code::F003, title).help(help)
        }
        LoweringError::MissingResult(_) => {
            Diagnostic::new(Code::F001, format!("the model returns `{name}`, a result that is not computed"))
        }
        _ => Diagnostic::new(Code::F002, format!("no node of the graph computes the result `{name}`")),
    }
}

/// Builds the diagnostic for a gradient among the results: a joint graph of a training step.
pub fn gradient_diagnostic(name: &str) -> Diagnostic {
    let title = format!("the program computes the gradient `{name}`");
    Diagnostic::new(Code::F003, title)
        .note("a training step is derived from the forward model")
        .help("export the model or its loss, and use `--train adam`")
}
