//! Options of built-in models and the parser of `zoo:MODEL?name=value&name=value`.

use crate::builder::ModelBuilder;
use partita_ir::diag::{Code, Diagnostic, Source, Span, nearest};
use std::sync::Arc;

/// A built-in model.
pub struct BuiltInModel {
    /// Name after `zoo:`.
    pub name: &'static str,
    /// One-line description.
    pub about: &'static str,
    /// Options of the model.
    pub options: &'static [ModelOption],
    /// Appends the model, including its inputs and results, to a program.
    pub(crate) build: fn(&ModelOptions, &mut ModelBuilder<'_>) -> Result<(), Vec<Diagnostic>>,
}

/// An option of a model.
#[derive(Clone, Copy, Debug)]
pub struct ModelOption {
    /// Name before `=`.
    pub name: &'static str,
    /// Default value: a literal, or a formula of other options.
    pub default: &'static str,
    /// Type and range of the value.
    pub kind: OptionKind,
    /// Short description.
    pub about: &'static str,
}

/// Type and range of an option value.
#[derive(Clone, Copy, Debug)]
pub enum OptionKind {
    /// An integer in a range.
    Size {
        /// Smallest value.
        min: usize,
        /// Largest value.
        max: usize,
    },
    /// A number in `[0, 1)`.
    Probability,
    /// A boolean, `true` or `false`.
    Flag,
    /// One of several words.
    Choice(&'static [&'static str]),
}

impl OptionKind {
    /// Range of a number of features, rows or classes.
    pub const SIZE: OptionKind = OptionKind::Size { min: 1, max: 1 << 31 };
    /// Range of a length along which the model creates indices (`iota`) or one-hot tensors.
    pub const LENGTH: OptionKind = OptionKind::Size { min: 1, max: 1 << 20 };
    /// Range of a number of layers.
    pub const LAYERS: OptionKind = OptionKind::Size { min: 1, max: 10_000 };

    /// Returns a description of the valid values, or `None` if `value` is valid.
    fn expected_values(self, value: &str) -> Option<String> {
        let fits = match self {
            OptionKind::Size { min, max } => value.parse().is_ok_and(|n: usize| (min..=max).contains(&n)),
            OptionKind::Probability => value.parse().is_ok_and(|p: f64| (0.0..1.0).contains(&p)),
            OptionKind::Flag => value.parse::<bool>().is_ok(),
            OptionKind::Choice(words) => words.contains(&value),
        };
        let expected = match self {
            OptionKind::Size { min, max } => format!("a whole number from {min} to {max}"),
            OptionKind::Probability => "a number from 0 up to, but not including, 1".into(),
            OptionKind::Flag => "`true` or `false`".into(),
            OptionKind::Choice(words) => {
                let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
                words.join(" or ")
            }
        };
        (!fits).then_some(expected)
    }
}

impl ModelOption {
    pub(crate) const LAYERS: ModelOption = ModelOption::new("layers", "2", OptionKind::LAYERS, "layers");
    pub(crate) const WIDTH: ModelOption = ModelOption::new("width", "256", OptionKind::SIZE, "features of a token");
    pub(crate) const HEADS: ModelOption =
        ModelOption::new("heads", "8", OptionKind::SIZE, "attention heads; they divide `width`");
    pub(crate) const HIDDEN: ModelOption =
        ModelOption::new("hidden", "4 x width", OptionKind::SIZE, "hidden features of the feed-forward");
    pub(crate) const SEQ: ModelOption = ModelOption::new("seq", "128", OptionKind::LENGTH, "tokens of a sequence");
    pub(crate) const VOCAB: ModelOption = ModelOption::new("vocab", "1024", OptionKind::SIZE, "different tokens");
    pub(crate) const BATCH: ModelOption = ModelOption::new("batch", "8", OptionKind::SIZE, "sequences");
    pub(crate) const DROPOUT: ModelOption =
        ModelOption::new("dropout", "0", OptionKind::Probability, "probability of dropout");
    pub(crate) const TIED: ModelOption =
        ModelOption::new("tied", "true", OptionKind::Flag, "share the weight of the head with the token embedding");
    pub(crate) const LOSS: ModelOption =
        ModelOption::new("loss", "true", OptionKind::Flag, "return the loss instead of the output");

    pub(crate) const fn new(
        name: &'static str,
        default: &'static str,
        kind: OptionKind,
        about: &'static str,
    ) -> ModelOption {
        ModelOption { name, default, kind, about }
    }
}

/// A model and its specified options, all of which are valid.
pub struct ModelOptions {
    /// The model.
    pub entry: &'static BuiltInModel,
    source: Arc<Source>,
    /// Specified options, each with the location of its value in `source`.
    given: Vec<(&'static ModelOption, Span)>,
}

impl ModelOptions {
    /// Parses `zoo:MODEL?name=value&...` for the given models; `zoo:` is optional.
    ///
    /// # Errors
    /// Returns all errors, each with the valid alternatives: an unknown model or option, an option that is specified
    /// twice, a value out of range.
    pub fn parse(text: &str, entries: &[&'static BuiltInModel]) -> Result<ModelOptions, Vec<Diagnostic>> {
        let source = Source::new("MODEL", text);
        let start = if text.starts_with("zoo:") { "zoo:".len() } else { 0 };
        let end = text.find('?').unwrap_or(text.len());
        let name = &text[start..end];
        let Some(entry) = entries.iter().find(|e| e.name == name) else {
            return Err(vec![unknown_model(name, Span::new(&source, start..end), entries)]);
        };

        let mut options = ModelOptions { entry, source, given: Vec::new() };
        let mut errors = Vec::new();
        let mut at = end + 1;
        for pair in text.get(at..).unwrap_or("").split('&') {
            if !pair.is_empty() {
                errors.extend(options.set_option(pair, at).err());
            }
            at += pair.len() + 1;
        }
        if errors.is_empty() { Ok(options) } else { Err(errors) }
    }

    /// Parses one `name=value` that begins at byte `at`.
    fn set_option(&mut self, pair: &str, at: usize) -> Result<(), Diagnostic> {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let name_span = Span::new(&self.source, at..at + name.len());
        let value_span = Span::new(&self.source, at + pair.len() - value.len()..at + pair.len());
        let Some(opt) = self.entry.options.iter().find(|o| o.name == name) else {
            return Err(self.unknown_option(name, name_span));
        };
        if let Some(first) = self.span(name) {
            return Err(Diagnostic::new(Code::F004, format!("option `{name}` is given twice"))
                .context(first.clone(), "first here")
                .label(value_span, "and again here"));
        }
        if let Some(expected) = opt.kind.expected_values(value) {
            return Err(Diagnostic::new(Code::F004, format!("option `{name}` cannot be `{value}`"))
                .label(value_span, format!("expected {expected}"))
                .note(format!("`{name}`: {}; {} when not given", opt.about, opt.default)));
        }
        self.given.push((opt, value_span));
        Ok(())
    }

    fn unknown_option(&self, name: &str, span: Span) -> Diagnostic {
        let names: Vec<_> = self.entry.options.iter().map(|o| o.name).collect();
        let options: Vec<_> = self.entry.options.iter().map(|o| format!("{}={}", o.name, o.default)).collect();
        let error = Diagnostic::new(Code::F004, format!("`zoo:{}` has no option `{name}`", self.entry.name))
            .label(span.clone(), "not an option of this model")
            .note(format!("its options and their defaults: {}", options.join(", ")));
        match nearest(name, names) {
            Some(near) => error.fix("there is an option with a similar name", span, near),
            None => error,
        }
    }

    /// Returns the location of an option value, if specified.
    pub(crate) fn span(&self, name: &str) -> Option<&Span> {
        self.given.iter().find(|(o, _)| o.name == name).map(|(_, span)| span)
    }

    /// Returns the text of an option value, if specified.
    fn text(&self, name: &str) -> Option<&str> {
        let span = self.span(name)?;
        span.source.text.get(span.range.clone())
    }

    /// Returns the text of an option value or of its default. The model must have the option.
    fn text_or_default(&self, name: &str) -> &str {
        let default = || self.entry.options.iter().find(|o| o.name == name).map_or("", |o| o.default);
        self.text(name).unwrap_or_else(default)
    }

    /// Returns the values of several sizes whose defaults are literals. The model must have the options.
    pub fn sizes<const N: usize>(&self, names: [&str; N]) -> [usize; N] {
        names.map(|name| self.text_or_default(name).parse().unwrap_or_default())
    }

    /// Returns the value of a size, or `default` if it is not specified. For options whose default is a formula.
    pub fn size_or(&self, name: &str, default: usize) -> usize {
        self.text(name).and_then(|text| text.parse().ok()).unwrap_or(default)
    }

    /// Returns the value of a probability.
    pub fn probability(&self, name: &str) -> f64 {
        self.text_or_default(name).parse().unwrap_or_default()
    }

    /// Returns the word of a choice.
    pub fn choice(&self, name: &str) -> &str {
        self.text_or_default(name)
    }

    /// Returns the value of a boolean.
    pub fn flag(&self, name: &str) -> bool {
        self.text_or_default(name) == "true"
    }

    /// Returns the width and the number of heads.
    ///
    /// # Errors
    /// Returns an error if the heads do not divide the width.
    pub(crate) fn width_and_heads(&self) -> Result<[usize; 2], Vec<Diagnostic>> {
        let [width, heads] = self.sizes(["width", "heads"]);
        if width.is_multiple_of(heads) { Ok([width, heads]) } else { Err(vec![self.uneven_heads(width, heads)]) }
    }

    fn uneven_heads(&self, width: usize, heads: usize) -> Diagnostic {
        let below = (1..=heads.min(width)).rev().find(|n| width.is_multiple_of(*n)).unwrap_or(1);
        let mut error =
            Diagnostic::new(Code::F004, format!("{heads} heads do not divide a width of {width}")).note(format!(
                "{width} = {heads} x {} + {}: each head has the same number of features",
                width / heads,
                width % heads
            ));
        for (opt, span) in &self.given {
            error = match opt.name {
                "heads" => {
                    error.label(span.clone(), "").fix(format!("{below} heads do"), span.clone(), below.to_string())
                }
                "width" => error.label(span.clone(), ""),
                _ => error,
            };
        }
        match width.checked_next_multiple_of(heads) {
            Some(above) => error.help(format!("or `width={above}`")),
            None => error,
        }
    }
}

fn unknown_model(name: &str, span: Span, entries: &[&'static BuiltInModel]) -> Diagnostic {
    let error = Diagnostic::new(Code::F004, format!("there is no built-in model `{name}`"))
        .label(span.clone(), "not in the zoo");
    let error = entries.iter().fold(error, |error, e| error.note(format!("zoo:{}: {}", e.name, e.about)));
    match nearest(name, entries.iter().map(|e| e.name)) {
        Some(near) => error.fix("there is a model with a similar name", span, near),
        None => error,
    }
}
