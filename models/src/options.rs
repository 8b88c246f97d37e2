//! `zoo:MODEL?name=value&name=value`: the options of built-in models, and their parser.

use crate::builder::ModelBuilder;
use crate::transformer::BlockConfig;
use partita_ir::diag::{Code, Diagnostic, Source, Span, nearest};
use std::sync::Arc;

/// A built-in model.
pub struct Entry {
    /// The name after `zoo:`.
    pub name: &'static str,
    /// A description, in one line.
    pub about: &'static str,
    /// The options that the model takes.
    pub options: &'static [Opt],
    /// Builds the model, its inputs and results included.
    pub(crate) build: fn(&Options, &mut ModelBuilder<'_>) -> Result<(), Vec<Diagnostic>>,
}

/// An option of a model.
#[derive(Clone, Copy, Debug)]
pub struct Opt {
    /// The name in front of `=`.
    pub name: &'static str,
    /// The value when none is given: a literal, or a formula of other options.
    pub default: &'static str,
    /// The values that it takes.
    pub kind: Kind,
    /// The meaning, in a few words.
    pub about: &'static str,
}

/// The values an option takes.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A whole number in that range.
    Size {
        /// The smallest.
        min: usize,
        /// The largest.
        max: usize,
    },
    /// A number in `[0, 1)`.
    Probability,
    /// `true` or `false`.
    Flag,
}

impl Kind {
    /// A number of features, rows or classes.
    pub const SIZE: Kind = Kind::Size { min: 1, max: 1 << 31 };
    /// A length that index tensors are made for.
    pub const LENGTH: Kind = Kind::Size { min: 1, max: 1 << 20 };
    /// A number of layers.
    pub const LAYERS: Kind = Kind::Size { min: 1, max: 10_000 };

    /// The expected values, if `value` is none of them.
    fn refuse(self, value: &str) -> Option<String> {
        let fits = match self {
            Kind::Size { min, max } => value.parse().is_ok_and(|n: usize| (min..=max).contains(&n)),
            Kind::Probability => value.parse().is_ok_and(|p: f64| (0.0..1.0).contains(&p)),
            Kind::Flag => value.parse::<bool>().is_ok(),
        };
        let expected = match self {
            Kind::Size { min, max } => format!("a whole number from {min} to {max}"),
            Kind::Probability => "a number from 0 up to, but not including, 1".into(),
            Kind::Flag => "`true` or `false`".into(),
        };
        (!fits).then_some(expected)
    }
}

impl Opt {
    pub(crate) const LAYERS: Opt = Opt::new("layers", "2", Kind::LAYERS, "layers");
    pub(crate) const WIDTH: Opt = Opt::new("width", "256", Kind::SIZE, "features of a token");
    pub(crate) const HEADS: Opt = Opt::new("heads", "8", Kind::SIZE, "attention heads; they divide `width`");
    pub(crate) const HIDDEN: Opt = Opt::new("hidden", "4 x width", Kind::SIZE, "features inside the feed-forward");
    pub(crate) const SEQ: Opt = Opt::new("seq", "128", Kind::LENGTH, "tokens of a sequence");
    pub(crate) const VOCAB: Opt = Opt::new("vocab", "1024", Kind::SIZE, "different tokens");
    pub(crate) const BATCH: Opt = Opt::new("batch", "8", Kind::SIZE, "sequences");
    pub(crate) const DROPOUT: Opt = Opt::new("dropout", "0", Kind::Probability, "probability of dropout");
    pub(crate) const TIED: Opt =
        Opt::new("tied", "true", Kind::Flag, "whether the head is the token embedding's transpose");
    pub(crate) const LOSS: Opt = Opt::new("loss", "true", Kind::Flag, "whether the result is the loss, not the output");

    /// The options of transformers on token ids with learned positions.
    pub(crate) const TRANSFORMER: &[Opt] = &[
        Opt::LAYERS,
        Opt::WIDTH,
        Opt::HEADS,
        Opt::HIDDEN,
        Opt::SEQ,
        Opt::VOCAB,
        Opt::BATCH,
        Opt::DROPOUT,
        Opt::TIED,
        Opt::LOSS,
    ];

    pub(crate) const fn new(name: &'static str, default: &'static str, kind: Kind, about: &'static str) -> Opt {
        Opt { name, default, kind, about }
    }
}

/// A model and the options given to it, all known and in range.
pub struct Options {
    /// The model.
    pub entry: &'static Entry,
    source: Arc<Source>,
    given: Vec<(&'static Opt, Span)>,
}

impl Options {
    /// Reads `zoo:MODEL?name=value&...` against the models there are; `zoo:` may be missing.
    ///
    /// # Errors
    /// An unknown model or option, an option given twice, a value out of range: all of them, each with what there is.
    pub fn parse(text: &str, entries: &[&'static Entry]) -> Result<Options, Vec<Diagnostic>> {
        let source = Source::new("MODEL", text);
        let start = if text.starts_with("zoo:") { "zoo:".len() } else { 0 };
        let end = text.find('?').unwrap_or(text.len());
        let name = &text[start..end];
        let Some(entry) = entries.iter().find(|e| e.name == name) else {
            return Err(vec![unknown_model(name, Span::new(&source, start..end), entries)]);
        };

        let mut options = Options { entry, source, given: Vec::new() };
        let mut errors = Vec::new();
        let mut at = end + 1;
        for pair in text.get(at..).unwrap_or("").split('&') {
            if !pair.is_empty() {
                errors.extend(options.give(pair, at).err());
            }
            at += pair.len() + 1;
        }
        if errors.is_empty() { Ok(options) } else { Err(errors) }
    }

    /// Takes one `name=value` that starts at byte `at`.
    fn give(&mut self, pair: &str, at: usize) -> Result<(), Diagnostic> {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let name_span = Span::new(&self.source, at..at + name.len());
        let value_span = Span::new(&self.source, at + pair.len() - value.len()..at + pair.len());
        let Some(opt) = self.entry.options.iter().find(|o| o.name == name) else {
            return Err(self.unknown_option(name, name_span));
        };
        if let Some(first) = self.span(name) {
            return Err(Diagnostic::new(Code::F004, format!("option `{name}` is given twice"))
                .context(first.clone(), "first here")
                .at(value_span, "and again here"));
        }
        if let Some(expected) = opt.kind.refuse(value) {
            return Err(Diagnostic::new(Code::F004, format!("option `{name}` cannot be `{value}`"))
                .at(value_span, format!("expected {expected}"))
                .note(format!("`{name}`: {}; {} when not given", opt.about, opt.default)));
        }
        self.given.push((opt, value_span));
        Ok(())
    }

    fn unknown_option(&self, name: &str, span: Span) -> Diagnostic {
        let names: Vec<_> = self.entry.options.iter().map(|o| o.name).collect();
        let options: Vec<_> = self.entry.options.iter().map(|o| format!("{}={}", o.name, o.default)).collect();
        let error = Diagnostic::new(Code::F004, format!("`zoo:{}` has no option `{name}`", self.entry.name))
            .at(span.clone(), "not an option of this model")
            .note(format!("its options and their defaults: {}", options.join(", ")));
        match nearest(name, names) {
            Some(near) => error.fix("there is an option with a similar name", span, near),
            None => error,
        }
    }

    /// The span of an option's value, when it was given.
    pub(crate) fn span(&self, name: &str) -> Option<&Span> {
        self.given.iter().find(|(o, _)| o.name == name).map(|(_, span)| span)
    }

    /// The text of an option's value, when it was given.
    fn text(&self, name: &str) -> Option<&str> {
        let span = self.span(name)?;
        span.source.text.get(span.range.clone())
    }

    /// The text of an option's value, or of its default. Asking for an option that the model lacks is our bug.
    fn text_or_default(&self, name: &str) -> &str {
        let default = || self.entry.options.iter().find(|o| o.name == name).map_or("", |o| o.default);
        self.text(name).unwrap_or_else(default)
    }

    /// Several sizes whose defaults are literals.
    pub fn sizes<const N: usize>(&self, names: [&str; N]) -> [usize; N] {
        names.map(|name| self.text_or_default(name).parse().unwrap_or_default())
    }

    /// A size whose default follows from other options.
    pub fn size_or(&self, name: &str, default: usize) -> usize {
        self.text(name).and_then(|text| text.parse().ok()).unwrap_or(default)
    }

    /// A probability.
    pub fn probability(&self, name: &str) -> f64 {
        self.text_or_default(name).parse().unwrap_or_default()
    }

    /// A flag.
    pub fn flag(&self, name: &str) -> bool {
        self.text_or_default(name) == "true"
    }

    /// The transformer block that `width`, `heads`, `hidden` and `dropout` ask for.
    ///
    /// # Errors
    /// Heads that do not divide the width.
    pub fn block(&self, causal: bool) -> Result<BlockConfig, Vec<Diagnostic>> {
        let [width, heads] = self.width_and_heads()?;
        let hidden = self.size_or("hidden", 4 * width);
        Ok(BlockConfig { width, heads, hidden, dropout: self.probability("dropout"), causal })
    }

    /// The width and the number of heads that divides it.
    ///
    /// # Errors
    /// Heads that do not divide the width.
    pub(crate) fn width_and_heads(&self) -> Result<[usize; 2], Vec<Diagnostic>> {
        let [width, heads] = self.sizes(["width", "heads"]);
        if width.is_multiple_of(heads) { Ok([width, heads]) } else { Err(vec![self.uneven_heads(width, heads)]) }
    }

    fn uneven_heads(&self, width: usize, heads: usize) -> Diagnostic {
        let below = (1..=heads.min(width)).rev().find(|n| width.is_multiple_of(*n)).unwrap_or(1);
        let mut error =
            Diagnostic::new(Code::F004, format!("{heads} heads do not divide a width of {width}")).note(format!(
                "{width} = {heads} x {} + {}: every head gets the same number of features",
                width / heads,
                width % heads
            ));
        for (opt, span) in &self.given {
            error = match opt.name {
                "heads" => error.at(span.clone(), "").fix(format!("{below} heads do"), span.clone(), below.to_string()),
                "width" => error.at(span.clone(), ""),
                _ => error,
            };
        }
        match width.checked_next_multiple_of(heads) {
            Some(above) => error.help(format!("or `width={above}`")),
            None => error,
        }
    }
}

fn unknown_model(name: &str, span: Span, entries: &[&'static Entry]) -> Diagnostic {
    let error =
        Diagnostic::new(Code::F004, format!("there is no built-in model `{name}`")).at(span.clone(), "not in the zoo");
    let error = entries.iter().fold(error, |error, e| error.note(format!("zoo:{}: {}", e.name, e.about)));
    match nearest(name, entries.iter().map(|e| e.name)) {
        Some(near) => error.fix("there is a model with a similar name", span, near),
        None => error,
    }
}
