//! Model names such as `model.pt2?loss=cross_entropy`: a file, and the loss for training.

use partita_ir::build::Loss;
use partita_ir::diag::{Code, Diagnostic, Source, Span};
use std::path::Path;

/// File extension of a model.
const EXTENSION: &str = ".pt2";

/// Returns true if the model name is that of an exported PyTorch program.
pub fn is_model(name: &str) -> bool {
    path_of(name).ends_with(EXTENSION)
}

/// Returns the path in a model name: the text up to the last `?` after `.pt2`.
fn path_of(name: &str) -> &str {
    name.rfind(".pt2?").map_or(name, |at| &name[..at + EXTENSION.len()])
}

/// A parsed model name.
pub struct ModelName<'a> {
    /// Path of the file.
    pub path: &'a Path,
    /// Loss of the first result.
    pub loss: Option<Loss>,
}

impl<'a> ModelName<'a> {
    /// Parses a model name.
    ///
    /// # Errors
    /// Returns `F004` for an unknown loss, an option other than the loss, or a loss that is given twice.
    pub fn parse(name: &'a str) -> Result<ModelName<'a>, Diagnostic> {
        let path = path_of(name);
        let source = Source::new("MODEL", name);
        let mut model_name = ModelName { path: Path::new(path), loss: None };
        let mut first: Option<Span> = None;
        let mut at = path.len() + 1;
        for pair in name.get(at..).unwrap_or("").split('&').filter(|pair| !pair.is_empty()) {
            let span = Span::new(&source, at..at + pair.len());
            at += pair.len() + 1;
            let Some(value) = pair.strip_prefix("loss=") else {
                let error = Diagnostic::new(Code::F004, format!("an exported PyTorch program has no option `{pair}`"));
                let error = error.label(span, "not an option").note("its shapes are those of the exported program");
                return Err(error.help("the options are `loss=cross_entropy`, `loss=mse` and `params=PATTERNS`"));
            };
            let Some(&(_, loss)) = Loss::ALL.iter().find(|(name, _)| *name == value) else {
                let names: Vec<String> = Loss::ALL.iter().map(|(name, _)| format!("`{name}`")).collect();
                return Err(Diagnostic::new(Code::F004, format!("there is no loss `{value}`"))
                    .label(span, format!("expected {}", names.join(" or "))));
            };
            if let Some(first) = first.replace(span.clone()) {
                return Err(Diagnostic::new(Code::F004, "the loss is given twice")
                    .context(first, "first here")
                    .label(span, "and again here"));
            }
            model_name.loss = Some(loss);
        }
        Ok(model_name)
    }
}
