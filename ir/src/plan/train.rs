//! How to train: `adamw?lr=1e-3&warmup=100&clip=1`.
//!
//! ```text
//! train  = OPTIMIZER [ "?" option "&" option ... ]     option = NAME "=" VALUE
//! ```
//!
//! [`Train::options`] lists the options of an optimizer with their defaults.

use super::Written;
use crate::diag::{Code, Diagnostic, nearest};
use std::ops::Range;

/// What makes parameters of gradients.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Optimizer {
    /// `p - rate * g`
    Sgd,
    /// Gradient descent with momentum (Polyak 1964; Sutskever et al. 2013 for Nesterov's form).
    Momentum {
        /// What is left of the momentum after a step.
        beta: f64,
        /// Whether the gradient looks ahead.
        nesterov: bool,
    },
    /// Adam (Kingma and Ba 2015); with a decay of the weights apart from the gradient, AdamW (Loshchilov and Hutter
    /// 2019).
    Adam {
        /// What is left of the first moment after a step.
        beta1: f64,
        /// What is left of the second moment after a step.
        beta2: f64,
        /// Added to the root of the second moment.
        eps: f64,
    },
}

/// How the learning rate goes on behind the warm-up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Schedule {
    /// It stays.
    Constant,
    /// It falls along a line.
    Linear,
    /// It falls along half a cosine (Loshchilov and Hutter 2017).
    Cosine,
}

/// How the learning rate depends on the batch of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BatchScaling {
    /// In proportion (Goyal et al. 2017).
    Linear,
    /// With the root (Krizhevsky 2014).
    Sqrt,
}

/// The batch that a learning rate was chosen for, and how the rate grows with a larger one.
#[derive(Clone, PartialEq, Debug)]
pub struct BaseBatch {
    /// Samples of a step that the stated rate is for.
    pub samples: u64,
    /// How the rate depends on the samples of a step.
    pub scaling: BatchScaling,
    /// Where the base stands.
    pub at: Range<usize>,
}

impl BaseBatch {
    /// The factor of the rate for a step of so many samples, however many devices share them and in however many parts
    /// they go through the model.
    pub fn factor(&self, samples: u64) -> f64 {
        let ratio = samples as f64 / self.samples as f64;
        match self.scaling {
            BatchScaling::Linear => ratio,
            BatchScaling::Sqrt => ratio.sqrt(),
        }
    }
}

/// How the loss is scaled so that small gradients survive in `f16` (Micikevicius et al. 2018).
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Scaling {
    /// Not at all.
    None,
    /// By a number that stays.
    Static(f64),
    /// By a number that halves when a gradient overflows, whose step is skipped, and doubles after a while without.
    Dynamic,
}

/// How to train.
#[derive(Clone, PartialEq, Debug)]
pub struct Train {
    /// The optimizer.
    pub optimizer: Optimizer,
    /// The learning rate.
    pub rate: f64,
    /// Share of a weight that a step takes away, times the rate.
    pub decay: f64,
    /// Steps in which the rate rises to its full height.
    pub warmup: u64,
    /// How it goes on from there.
    pub schedule: Schedule,
    /// Steps in all, warm-up included, in which the schedule falls.
    pub steps: u64,
    /// Share of the rate that is left at the end.
    pub end: f64,
    /// How the rate depends on the batch, if at all.
    pub base_batch: Option<BaseBatch>,
    /// The largest norm of all gradients together.
    pub clip: Option<f64>,
    /// In how many parts the batch goes through the model, one after the other.
    pub accumulate: u64,
    /// How the loss is scaled; `None` when that follows from the precision.
    pub scaling: Option<Scaling>,
    /// The output that is the loss, and where its name stands; the first one when nothing is said.
    pub loss: Option<(String, Range<usize>)>,
    /// Whether the norm of each layer's gradient is a result: `norm.LAYER`, before clipping.
    pub norms: bool,
    /// Where the number of micro-batches stands.
    pub accumulate_at: Range<usize>,
}

/// An option of an optimizer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Opt {
    /// Its name.
    pub name: &'static str,
    /// Its value when it is not given; empty when there is none.
    pub default: &'static str,
    /// What it means.
    pub about: &'static str,
    kind: Kind,
}

/// What values an option takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// A number above zero.
    Positive,
    /// A number, 0 or more.
    NotNegative,
    /// A number in `[0, 1)`.
    Share,
    /// A whole number, at least this.
    Count(u64),
    /// One of these words.
    Word(&'static [&'static str]),
    /// A word or a positive number.
    Scaling,
    /// The name of an output.
    Name,
}

impl Kind {
    fn refuses(self, text: &str) -> Option<String> {
        let number = || text.parse::<f64>().ok().filter(|x| x.is_finite());
        let (fits, expected) = match self {
            Kind::Positive => (number().is_some_and(|x| x > 0.0), "a number above 0".into()),
            Kind::NotNegative => (number().is_some_and(|x| x >= 0.0), "a number, 0 or more".into()),
            Kind::Share => (
                number().is_some_and(|x| (0.0..1.0).contains(&x)),
                "a number from 0 up to, but not including, 1".into(),
            ),
            Kind::Count(least) => {
                let fits = text.parse().is_ok_and(|n: u64| (least..=MAX_COUNT).contains(&n));
                (fits, format!("a whole number from {least} to {MAX_COUNT}"))
            }
            Kind::Word(words) => (words.contains(&text), list(words)),
            Kind::Scaling => (
                matches!(text, "none" | "dynamic") || number().is_some_and(|x| x > 0.0),
                "`none`, `dynamic` or a number above 0".into(),
            ),
            Kind::Name => (!text.is_empty(), "the name of an output".into()),
        };
        (!fits).then_some(expected)
    }
}

/// No schedule or batch has as many steps or parts.
const MAX_COUNT: u64 = 1 << 31;

/// A list of words to choose from.
fn list(words: &[&str]) -> String {
    words.iter().map(|w| format!("`{w}`")).collect::<Vec<_>>().join(", ")
}

const fn opt(name: &'static str, default: &'static str, kind: Kind, about: &'static str) -> Opt {
    Opt { name, default, about, kind }
}

/// The optimizers, each with its own options.
const OPTIMIZERS: [(&str, &[Opt]); 4] = [
    ("sgd", &[RATE_SGD, NO_DECAY]),
    (
        "momentum",
        &[
            RATE_SGD,
            NO_DECAY,
            opt("beta", "0.9", Kind::Share, "what is left of the momentum after a step"),
            opt("nesterov", "false", Kind::Word(&["true", "false"]), "whether the gradient looks ahead"),
        ],
    ),
    ("adam", &[RATE_ADAM, BETA1, BETA2, EPS]),
    ("adamw", &[RATE_ADAM, DECAY, BETA1, BETA2, EPS]),
];

const RATE_SGD: Opt = opt("lr", "0.01", Kind::Positive, "learning rate");
const RATE_ADAM: Opt = opt("lr", "0.001", Kind::Positive, "learning rate");
const NO_DECAY: Opt = opt("decay", "0", Kind::NotNegative, "decay of the weights, in units of the learning rate");
const DECAY: Opt = opt("decay", "0.01", Kind::NotNegative, "decay of the weights, in units of the learning rate");
const BETA1: Opt = opt("beta1", "0.9", Kind::Share, "what is left of the first moment after a step");
const BETA2: Opt = opt("beta2", "0.999", Kind::Share, "what is left of the second moment after a step");
const EPS: Opt = opt("eps", "1e-8", Kind::Positive, "added to the root of the second moment");

/// The options of every optimizer.
const COMMON: [Opt; 11] = [
    opt("warmup", "0", Kind::Count(0), "steps in which the learning rate rises to its full height"),
    opt("schedule", "constant", Kind::Word(&["constant", "linear", "cosine"]), "how the learning rate goes on"),
    opt("steps", "0", Kind::Count(0), "steps in all, in which a schedule falls"),
    opt("end", "0", Kind::Share, "share of the learning rate that a schedule ends with"),
    opt("lr_base_batch", "", Kind::Count(1), "samples of a step that `lr` is for; it grows with the model's batch"),
    opt(
        "lr_scaling",
        "linear",
        Kind::Word(&["linear", "sqrt"]),
        "how `lr` grows from `lr_base_batch` to the model's batch",
    ),
    opt("clip", "", Kind::Positive, "largest norm of all gradients together"),
    opt("accumulate", "1", Kind::Count(1), "parts of the batch, one after the other, whose gradients are added up"),
    opt("scale", "", Kind::Scaling, "what the loss is multiplied by: `none`, `dynamic` or a number"),
    opt("loss", "", Kind::Name, "the output that is the loss"),
    opt("norms", "false", Kind::Word(&["true", "false"]), "whether the norm of each layer's gradient is a result"),
];

/// What was given, by name.
struct Given<'w> {
    written: &'w Written,
    options: Vec<Opt>,
    values: Vec<(&'static str, Range<usize>)>,
}

impl<'w> Given<'w> {
    fn place(&self, name: &str) -> Option<Range<usize>> {
        self.values.iter().find(|(n, _)| *n == name).map(|(_, range)| range.clone())
    }

    /// The text of an option; empty when it has no default.
    fn text(&self, name: &str) -> &'w str {
        let default = || self.options.iter().find(|o| o.name == name).map_or("", |o| o.default);
        self.place(name).map_or_else(default, |range| &self.written.text[range])
    }

    fn number(&self, name: &str) -> f64 {
        self.text(name).parse().unwrap_or_default()
    }

    fn count(&self, name: &str) -> u64 {
        self.text(name).parse().unwrap_or_default()
    }

    /// Takes one `name=value` that starts at byte `at`.
    fn take(&mut self, pair: &str, at: usize, optimizer: &str) -> Result<(), Diagnostic> {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let name_at = at..at + name.len();
        let value_at = at + pair.len() - value.len()..at + pair.len();
        let Some(&opt) = self.options.iter().find(|o| o.name == name) else {
            return Err(self.unknown(name, name_at, optimizer));
        };
        if let Some(first) = self.place(opt.name) {
            return Err(Diagnostic::new(Code::D003, format!("option `{name}` is given twice"))
                .context(self.written.part(first), "first here")
                .at(self.written.part(value_at), "and again here"));
        }
        if let Some(expected) = opt.kind.refuses(value) {
            let default = if opt.default.is_empty() { "nothing" } else { opt.default };
            return Err(Diagnostic::new(Code::D003, format!("option `{name}` cannot be `{value}`"))
                .at(self.written.part(value_at), format!("expected {expected}"))
                .note(format!("`{name}`: {}; {default} when not given", opt.about)));
        }
        self.values.push((opt.name, value_at));
        Ok(())
    }

    fn unknown(&self, name: &str, at: Range<usize>, optimizer: &str) -> Diagnostic {
        if name == "replicas" {
            return Diagnostic::new(Code::D003, "the learning rate no longer grows with the size of an axis `data`")
                .at(self.written.part(at), "asks for that")
                .note("such an axis need not split the batch, and others may")
                .help("say which batch `lr` was chosen for, and leave `replicas` out: `lr_base_batch=SAMPLES`")
                .help("it grows in proportion to the batch of the model, or with its root: `lr_scaling=sqrt`");
        }
        let listed: Vec<String> = self.options.iter().map(|o| format!("{}={}", o.name, o.default)).collect();
        let error = Diagnostic::new(Code::D003, format!("`{optimizer}` has no option `{name}`"))
            .at(self.written.part(at.clone()), "not an option of it")
            .note(format!("its options and their defaults: {}", listed.join(", ")));
        match nearest(name, self.options.iter().map(|o| o.name)) {
            Some(near) => error.fix("there is an option with a similar name", self.written.part(at), near),
            None => error,
        }
    }
}

impl Train {
    /// The options of an optimizer; `None` when there is none of that name.
    pub fn options(optimizer: &str) -> Option<Vec<Opt>> {
        let (_, own) = OPTIMIZERS.iter().find(|(name, _)| *name == optimizer)?;
        Some(own.iter().chain(&COMMON).copied().collect())
    }

    /// Reads how to train.
    ///
    /// # Errors
    /// `D003`: an unknown optimizer or option, one given twice, a value out of range, a schedule without an end.
    pub fn read(written: &Written) -> Result<Train, Diagnostic> {
        let text = written.text.as_str();
        let end = text.find('?').unwrap_or(text.len());
        let name = text[..end].trim();
        let Some(options) = Train::options(name) else { return Err(unknown_optimizer(written, name, end)) };
        let mut given = Given { written, options, values: Vec::new() };
        for pair in text.get(end + 1..).unwrap_or_default().split('&').map(str::trim).filter(|pair| !pair.is_empty()) {
            given.take(pair, pair.as_ptr() as usize - text.as_ptr() as usize, name)?;
        }
        let train = Train {
            optimizer: match name {
                "sgd" => Optimizer::Sgd,
                "momentum" => {
                    Optimizer::Momentum { beta: given.number("beta"), nesterov: given.text("nesterov") == "true" }
                }
                _ => Optimizer::Adam {
                    beta1: given.number("beta1"),
                    beta2: given.number("beta2"),
                    eps: given.number("eps"),
                },
            },
            rate: given.number("lr"),
            decay: given.number("decay"),
            warmup: given.count("warmup"),
            schedule: match given.text("schedule") {
                "linear" => Schedule::Linear,
                "cosine" => Schedule::Cosine,
                _ => Schedule::Constant,
            },
            steps: given.count("steps"),
            end: given.number("end"),
            base_batch: given.place("lr_base_batch").map(|at| BaseBatch {
                samples: given.count("lr_base_batch"),
                scaling: match given.text("lr_scaling") {
                    "sqrt" => BatchScaling::Sqrt,
                    _ => BatchScaling::Linear,
                },
                at,
            }),
            clip: given.place("clip").map(|_| given.number("clip")),
            accumulate: given.count("accumulate"),
            scaling: given.place("scale").map(|_| match given.text("scale") {
                "none" => Scaling::None,
                "dynamic" => Scaling::Dynamic,
                _ => Scaling::Static(given.number("scale")),
            }),
            loss: given.place("loss").map(|range| (given.text("loss").to_owned(), range)),
            norms: given.text("norms") == "true",
            accumulate_at: given.place("accumulate").unwrap_or_default(),
        };
        if let (None, Some(at)) = (&train.base_batch, given.place("lr_scaling")) {
            let error = Diagnostic::new(Code::D003, "`lr_scaling` does not say from which batch on the rate grows");
            return Err(error
                .at(written.part(at), "")
                .help("say which batch `lr` was chosen for: `lr_base_batch=SAMPLES`"));
        }
        if train.schedule != Schedule::Constant && train.steps <= train.warmup {
            let at = given.place("schedule").unwrap_or(0..text.len());
            let error =
                Diagnostic::new(Code::D003, "a schedule falls over a number of steps, and none are left for it");
            return Err(error
                .at(written.part(at), "falls")
                .note(format!("{} steps in all, of which {} are warm-up", train.steps, train.warmup))
                .help(format!("say how many there are: `steps={}`", 1000 + train.warmup)));
        }
        Ok(train)
    }
}

fn unknown_optimizer(written: &Written, name: &str, end: usize) -> Diagnostic {
    let names = OPTIMIZERS.map(|(name, _)| name);
    let error = Diagnostic::new(Code::D003, format!("there is no optimizer `{name}`"))
        .at(written.part(0..end), "")
        .note(format!("there are {}", list(&names)));
    // Options behind another sign: `adamw clip=1`, `adamw, clip=1`.
    let (optimizer, options) = name.split_at(name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len()));
    if names.contains(&optimizer) {
        let options = options.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        let asked = format!("{optimizer}?{options}");
        return error.fix("options follow a question mark", written.part(0..end), asked);
    }
    match nearest(name, names) {
        Some(near) => error.fix("there is one with a similar name", written.part(0..end), near),
        None => error,
    }
}
