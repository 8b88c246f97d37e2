//! Inputs of the graph, and substitution of user-specified sizes for their symbolic dimensions.

use crate::name::ModelName;
use crate::proto::{GraphProto, TensorShapeProto, TypeProto, ValueInfoProto};
use crate::tensors::{dtype_of, shape_of};
use indexmap::IndexMap;
use partita_ir::diag::{Code, Diagnostic, nearest, shell_word};
use partita_ir::dtype::Type;
use rustc_hash::FxHashSet;

/// An input of the graph without an initializer.
pub struct GraphInput<'m> {
    /// Name of the input.
    pub name: &'m str,
    /// Type of the input. Symbolic dimensions have the sizes specified by the user.
    pub ty: Type,
}

/// Inputs of the graph for which the user provides values.
pub struct GraphInputs<'m> {
    /// The inputs, in order.
    pub inputs: Vec<GraphInput<'m>>,
}

impl<'m> GraphInputs<'m> {
    /// Reads the graph inputs that have no initializer.
    ///
    /// # Errors
    /// Returns `F004` for a symbolic dimension without a size, or a size without a symbolic dimension; `F003` for an
    /// input that is not a supported tensor; `T004` for an input that is too large.
    pub fn from_graph(graph: &'m GraphProto, model_name: &ModelName<'_>) -> Result<GraphInputs<'m>, Vec<Diagnostic>> {
        let initialized: FxHashSet<&str> = graph.initializer.iter().map(|t| t.name.as_str()).collect();
        let is_fed = |input: &&ValueInfoProto| !initialized.contains(input.name.as_str());
        let mut inputs = Vec::new();
        // Occurrences of each symbolic dimension, for messages.
        let mut symbols: IndexMap<String, Vec<String>> = IndexMap::new();
        let mut errors = Vec::new();
        for input in graph.input.iter().filter(is_fed) {
            match ty(input, model_name, &mut symbols) {
                Ok(ty) => inputs.push(GraphInput { name: &input.name, ty }),
                Err(error) => errors.push(error),
            }
        }
        errors.extend(missing_sizes(&symbols, model_name));
        errors.extend(unknown_sizes(&symbols, model_name));
        if errors.is_empty() { Ok(GraphInputs { inputs }) } else { Err(errors) }
    }
}

/// Returns the type of an input, and records its symbolic dimensions in `symbols`. A dimension without a size has size
/// 1 here and is reported by `missing_sizes`.
fn ty(
    input: &ValueInfoProto,
    model_name: &ModelName<'_>,
    symbols: &mut IndexMap<String, Vec<String>>,
) -> Result<Type, Diagnostic> {
    let what = format!("input `{}`", input.name);
    let Some(tensor) = input.tensor() else {
        let is_sequence = input.r#type.as_ref().is_some_and(TypeProto::has_sequence);
        let error = Diagnostic::new(Code::F003, format!("{what} is not a tensor"));
        return Err(match is_sequence {
            true => error.note("the length of a sequence that is an input is not static"),
            false => error,
        });
    };
    let dtype = dtype_of(tensor.elem_type).map_err(|name| {
        let title = format!("{what} has the element type {name}, which is not supported");
        Diagnostic::new(Code::F003, title)
    })?;
    let Some(TensorShapeProto { dim }) = &tensor.shape else {
        return Err(Diagnostic::new(Code::F003, format!("{what} has an unknown number of dimensions")));
    };
    let mut sizes = Vec::new();
    for (i, d) in dim.iter().enumerate() {
        let symbol = match (d.dim_value, d.dim_param.as_deref()) {
            (Some(n), _) if n >= 0 => {
                sizes.push(n);
                continue;
            }
            (_, Some(name)) if !name.is_empty() => name.to_owned(),
            // An unnamed dimension is named by its input and index.
            _ => format!("{}.{i}", input.name),
        };
        sizes.push(model_name.sizes.get(symbol.as_str()).map_or(1, |(n, _)| *n as i64));
        symbols.entry(symbol).or_default().push(format!("{i} of `{}`", input.name));
    }
    let shape = shape_of(&sizes).map_err(|why| Diagnostic::new(Code::T004, format!("{what} {why}")))?;
    Ok(Type { shape, dtype })
}

/// Returns the error for symbolic dimensions without sizes, with an example of sizes to specify.
fn missing_sizes(symbols: &IndexMap<String, Vec<String>>, model_name: &ModelName<'_>) -> Option<Diagnostic> {
    let open: Vec<&String> = symbols.keys().filter(|s| !model_name.sizes.contains_key(s.as_str())).collect();
    let titles: Vec<String> = open.iter().map(|s| format!("`{s}`")).collect();
    let title = match &titles[..] {
        [] => return None,
        [one] => format!("dimension {one} has no size"),
        several => format!("dimensions {} have no sizes", several.join(", ")),
    };
    let error = Diagnostic::new(Code::F004, title);
    let error = open.iter().fold(error, |error, symbol| {
        let places = symbols.get(symbol.as_str()).map(|p| p.join(", ")).unwrap_or_default();
        error.note(format!("`{symbol}` is dimension {places}"))
    });
    let all = symbols.keys().map(|s| match model_name.sizes.get(s.as_str()) {
        Some((n, _)) => format!("{s}={n}"),
        None => format!("{s}=8"),
    });
    let all: Vec<String> = all.collect();
    let example = format!("{}?{}", model_name.path.display(), all.join("&"));
    Some(error.help(format!("shapes are static, so specify the sizes: `partita plan {}`", shell_word(&example))))
}

/// Returns the errors for sizes of unknown dimensions.
fn unknown_sizes(symbols: &IndexMap<String, Vec<String>>, model_name: &ModelName<'_>) -> Vec<Diagnostic> {
    let unused_sizes = model_name.sizes.iter().filter(|(name, _)| !symbols.contains_key(**name));
    let error = |(name, (_, span)): (&&str, &(usize, partita_ir::diag::Span))| {
        let error = Diagnostic::new(Code::F004, format!("the model has no symbolic dimension `{name}`"))
            .label(span.clone(), "not a dimension of its inputs");
        let symbols: Vec<&str> = symbols.keys().map(String::as_str).collect();
        match (nearest(name, symbols.iter().copied()), &symbols[..]) {
            (Some(closest), _) => error.help(format!("there is a dimension `{closest}`")),
            (None, []) => error.note("every dimension of its inputs has a size"),
            (None, all) => error.note(format!("its symbolic dimensions: {}", all.join(", "))),
        }
    };
    unused_sizes.map(error).collect()
}
