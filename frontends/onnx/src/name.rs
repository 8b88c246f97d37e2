//! Model names such as `model.onnx?batch=32&seq=128&loss=cross_entropy`: a file, the sizes of its symbolic dimensions,
//! and the loss for training.

use indexmap::IndexMap;
use partita_ir::build::Loss;
use partita_ir::diag::{Code, Diagnostic, Source, Span};
use std::path::Path;
use std::sync::Arc;

/// File extension of a model.
const EXTENSION: &str = ".onnx";

/// Maximum size of a symbolic dimension.
const MAX_SYMBOLIC_DIM: usize = 1 << 31;

/// Returns true if the model name is that of an ONNX file.
pub fn is_model(name: &str) -> bool {
    path_of(name).ends_with(EXTENSION)
}

/// Returns the path in a model name: the text up to the last `?` after `.onnx`.
fn path_of(name: &str) -> &str {
    name.rfind(".onnx?").map_or(name, |at| &name[..at + EXTENSION.len()])
}

/// A parsed model name.
pub struct ModelName<'a> {
    /// Path of the file.
    pub path: &'a Path,
    /// The model name, as a source for messages.
    pub source: Arc<Source>,
    /// Specified size of each symbolic dimension, with its location in the name.
    pub sizes: IndexMap<&'a str, (usize, Span)>,
    /// Loss of the first result, with its location in the name.
    pub loss: Option<(Loss, Span)>,
}

impl<'a> ModelName<'a> {
    /// Parses a model name.
    ///
    /// # Errors
    /// Returns `F004` for an unknown loss, a size that is not a positive integer, or a key that occurs twice.
    pub fn parse(name: &'a str) -> Result<ModelName<'a>, Vec<Diagnostic>> {
        let path = path_of(name);
        let source = Source::new("MODEL", name);
        let mut model_name = ModelName { path: Path::new(path), source, sizes: IndexMap::new(), loss: None };
        let mut at = path.len() + 1;
        let mut errors = Vec::new();
        for pair in name.get(at..).unwrap_or("").split('&') {
            if !pair.is_empty() {
                errors.extend(model_name.set_option(pair, at).err());
            }
            at += pair.len() + 1;
        }
        if errors.is_empty() { Ok(model_name) } else { Err(errors) }
    }

    /// Parses one `dimension=size` that begins at byte `at`.
    fn set_option(&mut self, pair: &'a str, at: usize) -> Result<(), Diagnostic> {
        let (dim, value) = pair.rsplit_once('=').unwrap_or((pair, ""));
        let span = Span::new(&self.source, at..at + pair.len());
        let value_span = Span::new(&self.source, at + pair.len() - value.len()..at + pair.len());
        if dim == "loss" {
            return self.set_loss(value, span, value_span);
        }
        let Some(size) = value.parse().ok().filter(|n| (1..=MAX_SYMBOLIC_DIM).contains(n)) else {
            return Err(Diagnostic::new(Code::F004, format!("dimension `{dim}` cannot be `{value}`"))
                .label(value_span, format!("expected a whole number from 1 to {MAX_SYMBOLIC_DIM}")));
        };
        match self.sizes.insert(dim, (size, span.clone())) {
            None => Ok(()),
            Some((_, first)) => Err(duplicate_error(&format!("dimension `{dim}`"), first, span)),
        }
    }

    fn set_loss(&mut self, value: &str, span: Span, value_span: Span) -> Result<(), Diagnostic> {
        let Some(&(_, loss)) = Loss::ALL.iter().find(|(name, _)| *name == value) else {
            let names: Vec<String> = Loss::ALL.iter().map(|(name, _)| format!("`{name}`")).collect();
            return Err(Diagnostic::new(Code::F004, format!("there is no loss `{value}`"))
                .label(value_span, format!("expected {}", names.join(" or "))));
        };
        match self.loss.replace((loss, span.clone())) {
            None => Ok(()),
            Some((_, first)) => Err(duplicate_error("the loss", first, span)),
        }
    }
}

fn duplicate_error(what: &str, first: Span, again: Span) -> Diagnostic {
    Diagnostic::new(Code::F004, format!("{what} is given twice"))
        .context(first, "first here")
        .label(again, "and again here")
}
