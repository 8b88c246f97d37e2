//! `model.onnx?batch=32&seq=128&loss=cross_entropy`: a file, the sizes of its symbolic dimensions, and what it is
//! trained for.

use indexmap::IndexMap;
use partita_ir::diag::{Code, Diagnostic, Source, Span};
use std::path::Path;
use std::sync::Arc;

/// What is behind the path in a model's name.
const ENDING: &str = ".onnx";

/// The most that a dimension may be given.
const MAX_SIZE: usize = 1 << 31;

/// Whether a model of that name is an ONNX file.
pub fn is_model(name: &str) -> bool {
    path_of(name).ends_with(ENDING)
}

/// The path in a model's name: what is before the last `?` behind `.onnx`.
fn path_of(name: &str) -> &str {
    name.rfind(".onnx?").map_or(name, |at| &name[..at + ENDING.len()])
}

/// How a result is compared with targets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Loss {
    /// The mean over all positions of the cross-entropy of scores along the last dimension, or of their log-softmax.
    CrossEntropy,
    /// The mean of squared differences.
    MeanSquaredError,
}

impl Loss {
    /// What can be said, and what it means.
    pub const ALL: [(&'static str, Loss); 2] = [("cross_entropy", Loss::CrossEntropy), ("mse", Loss::MeanSquaredError)];
}

/// A model's name, taken apart.
pub struct Named<'a> {
    /// The file.
    pub path: &'a Path,
    /// The name, for messages.
    pub source: Arc<Source>,
    /// What was given, by the dimension's name, and where.
    pub sizes: IndexMap<&'a str, (usize, Span)>,
    /// How the first result is compared with targets, and where that was said.
    pub loss: Option<(Loss, Span)>,
}

impl<'a> Named<'a> {
    /// Reads a name.
    ///
    /// # Errors
    /// `F004` for a size that is no number from 1 on, or is given twice.
    pub fn parse(name: &'a str) -> Result<Named<'a>, Vec<Diagnostic>> {
        let path = path_of(name);
        let source = Source::new("MODEL", name);
        let mut named = Named { path: Path::new(path), source, sizes: IndexMap::new(), loss: None };
        let mut at = path.len() + 1;
        let mut errors = Vec::new();
        for pair in name.get(at..).unwrap_or("").split('&') {
            if !pair.is_empty() {
                errors.extend(named.give(pair, at).err());
            }
            at += pair.len() + 1;
        }
        if errors.is_empty() { Ok(named) } else { Err(errors) }
    }

    /// Takes one `dimension=size` that starts at byte `at`.
    fn give(&mut self, pair: &'a str, at: usize) -> Result<(), Diagnostic> {
        let (dim, value) = pair.rsplit_once('=').unwrap_or((pair, ""));
        let span = Span::new(&self.source, at..at + pair.len());
        let value_span = Span::new(&self.source, at + pair.len() - value.len()..at + pair.len());
        if dim == "loss" {
            return self.give_loss(value, span, value_span);
        }
        let Some(size) = value.parse().ok().filter(|n| (1..=MAX_SIZE).contains(n)) else {
            return Err(Diagnostic::new(Code::F004, format!("dimension `{dim}` cannot be `{value}`"))
                .at(value_span, format!("expected a whole number from 1 to {MAX_SIZE}")));
        };
        match self.sizes.insert(dim, (size, span.clone())) {
            None => Ok(()),
            Some((_, first)) => Err(twice(&format!("dimension `{dim}`"), first, span)),
        }
    }

    fn give_loss(&mut self, value: &str, span: Span, value_span: Span) -> Result<(), Diagnostic> {
        let Some(&(_, loss)) = Loss::ALL.iter().find(|(name, _)| *name == value) else {
            let names: Vec<String> = Loss::ALL.iter().map(|(name, _)| format!("`{name}`")).collect();
            return Err(Diagnostic::new(Code::F004, format!("there is no loss `{value}`"))
                .at(value_span, format!("expected {}", names.join(" or "))));
        };
        match self.loss.replace((loss, span.clone())) {
            None => Ok(()),
            Some((_, first)) => Err(twice("the loss", first, span)),
        }
    }
}

fn twice(what: &str, first: Span, again: Span) -> Diagnostic {
    Diagnostic::new(Code::F004, format!("{what} is given twice"))
        .context(first, "first here")
        .at(again, "and again here")
}
