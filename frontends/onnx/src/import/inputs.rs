//! The inputs of the graph, and the sizes of their symbolic dimensions.

use crate::name::Named;
use crate::proto::{GraphProto, TensorShapeProto, ValueInfoProto};
use crate::tensors::{dtype_of, shape_of};
use indexmap::IndexMap;
use partita_ir::diag::{Code, Diagnostic, nearest, shell_word};
use partita_ir::dtype::Type;
use rustc_hash::FxHashSet;

/// An input of the model.
pub struct Input<'m> {
    /// Its name.
    pub name: &'m str,
    /// Its type, with the sizes that the user gave.
    pub ty: Type,
}

/// The inputs that the user feeds.
pub struct Sizes<'m> {
    /// Those inputs, in order.
    pub inputs: Vec<Input<'m>>,
}

impl<'m> Sizes<'m> {
    /// Reads the inputs; those that are initializers too have their data.
    ///
    /// # Errors
    /// `F004` for a dimension that has no size, or a size that is of no dimension; `F003` for what is no tensor of
    /// numbers.
    pub fn of(graph: &'m GraphProto, named: &Named<'_>) -> Result<Sizes<'m>, Vec<Diagnostic>> {
        let known: FxHashSet<&str> = graph.initializer.iter().map(|t| t.name.as_str()).collect();
        let own = |input: &&ValueInfoProto| !known.contains(input.name.as_str());
        let mut inputs = Vec::new();
        // The symbolic dimensions, each with the places that it has.
        let mut symbols: IndexMap<String, Vec<String>> = IndexMap::new();
        let mut errors = Vec::new();
        for input in graph.input.iter().filter(own) {
            match ty(input, named, &mut symbols) {
                Ok(ty) => inputs.push(Input { name: &input.name, ty }),
                Err(error) => errors.push(error),
            }
        }
        errors.extend(open(&symbols, named));
        errors.extend(unknown(&symbols, named));
        if errors.is_empty() { Ok(Sizes { inputs }) } else { Err(errors) }
    }
}

/// The type of an input. A dimension without a size is taken for 1 here, and reported as open.
fn ty(
    input: &ValueInfoProto,
    named: &Named<'_>,
    symbols: &mut IndexMap<String, Vec<String>>,
) -> Result<Type, Diagnostic> {
    let what = format!("input `{}`", input.name);
    let Some(tensor) = input.r#type.as_ref().and_then(|t| t.tensor_type.as_ref()) else {
        return Err(Diagnostic::new(Code::F003, format!("{what} is not a tensor")));
    };
    let dtype = dtype_of(tensor.elem_type).map_err(|name| {
        let title = format!("{what} has the element type {name}, which programs do not have");
        Diagnostic::new(Code::F003, title)
    })?;
    let Some(TensorShapeProto { dim }) = &tensor.shape else {
        return Err(Diagnostic::new(Code::F003, format!("{what} has no shape, not even a number of dimensions")));
    };
    let mut sizes = Vec::new();
    for (i, d) in dim.iter().enumerate() {
        let symbol = match (d.dim_value, d.dim_param.as_deref()) {
            (Some(n), _) if n > 0 => {
                sizes.push(n);
                continue;
            }
            (_, Some(name)) if !name.is_empty() => name.to_owned(),
            // One without a name is called by its place.
            _ => format!("{}.{i}", input.name),
        };
        sizes.push(named.sizes.get(symbol.as_str()).map_or(1, |(n, _)| *n as i64));
        symbols.entry(symbol).or_default().push(format!("{i} of `{}`", input.name));
    }
    let shape = shape_of(&sizes).map_err(|why| Diagnostic::new(Code::T004, format!("{what} {why}")))?;
    Ok(Type { shape, dtype })
}

/// The dimensions that have no size, and how to give them one.
fn open(symbols: &IndexMap<String, Vec<String>>, named: &Named<'_>) -> Option<Diagnostic> {
    let open: Vec<&String> = symbols.keys().filter(|s| !named.sizes.contains_key(s.as_str())).collect();
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
    let all = symbols.keys().map(|s| match named.sizes.get(s.as_str()) {
        Some((n, _)) => format!("{s}={n}"),
        None => format!("{s}=8"),
    });
    let all: Vec<String> = all.collect();
    let example = format!("{}?{}", named.path.display(), all.join("&"));
    Some(error.help(format!("shapes are static, so give them: `partita plan {}`", shell_word(&example))))
}

/// Sizes that no dimension has.
fn unknown(symbols: &IndexMap<String, Vec<String>>, named: &Named<'_>) -> Vec<Diagnostic> {
    let strangers = named.sizes.iter().filter(|(name, _)| !symbols.contains_key(**name));
    let error = |(name, (_, span)): (&&str, &(usize, partita_ir::diag::Span))| {
        let error = Diagnostic::new(Code::F004, format!("the model has no symbolic dimension `{name}`"))
            .at(span.clone(), "not a dimension of its inputs");
        let symbols: Vec<&str> = symbols.keys().map(String::as_str).collect();
        match (nearest(name, symbols.iter().copied()), &symbols[..]) {
            (Some(near), _) => error.help(format!("there is a dimension `{near}`")),
            (None, []) => error.note("every dimension of its inputs has a size"),
            (None, all) => error.note(format!("its symbolic dimensions: {}", all.join(", "))),
        }
    };
    strangers.map(error).collect()
}
