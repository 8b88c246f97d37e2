//! Training settings of a plan: `adamw?lr=1e-3&warmup=100&clip=1`.
//!
//! ```text
//! train  = OPTIMIZER [ "?" option "&" option ... ]     option = NAME "=" VALUE
//! ```
//!
//! [`TrainConfig::options`] lists the options of an optimizer with their defaults.

use super::SourceText;
use crate::diag::{Code, Diagnostic, nearest};
use std::ops::Range;

/// Optimizer: the update rule of parameters.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Optimizer {
    /// Stochastic gradient descent, `p - rate * g`.
    Sgd,
    /// Gradient descent with momentum (Polyak 1964; Sutskever et al. 2013 for Nesterov's form).
    Momentum {
        /// Decay factor of the momentum per step.
        beta: f64,
        /// True for Nesterov momentum.
        nesterov: bool,
    },
    /// Adam (Kingma and Ba 2015). With weight decay that is decoupled from the gradient: AdamW (Loshchilov and Hutter
    /// 2019).
    Adam {
        /// Decay factor of the first moment per step.
        beta1: f64,
        /// Decay factor of the second moment per step.
        beta2: f64,
        /// Constant added to the square root of the second moment.
        eps: f64,
    },
}

/// Learning-rate schedule after the warm-up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RateSchedule {
    /// Constant rate.
    Constant,
    /// Linear decay.
    Linear,
    /// Cosine decay (Loshchilov and Hutter 2017).
    Cosine,
}

/// Scaling of the learning rate with the batch size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BatchScaling {
    /// Proportional to the batch size (Goyal et al. 2017).
    Linear,
    /// Proportional to the square root of the batch size (Krizhevsky 2014).
    Sqrt,
}

/// Reference batch size of a learning rate, and the scaling rule for other batch sizes.
#[derive(Clone, PartialEq, Debug)]
pub struct BaseBatch {
    /// Reference batch size in samples per step.
    pub samples: u64,
    /// Scaling rule.
    pub scaling: BatchScaling,
    /// Byte range of the value in the text.
    pub at: Range<usize>,
}

impl BaseBatch {
    /// Returns the factor of the learning rate for a step of `samples` samples over all devices and micro-batches.
    pub fn factor(&self, samples: u64) -> f64 {
        let ratio = samples as f64 / self.samples as f64;
        match self.scaling {
            BatchScaling::Linear => ratio,
            BatchScaling::Sqrt => ratio.sqrt(),
        }
    }
}

/// Loss scaling, which prevents underflow of small gradients in `f16` (Micikevicius et al. 2018).
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum LossScaling {
    /// No scaling.
    None,
    /// Constant factor.
    Static(f64),
    /// Factor that is halved when a gradient overflows, in which case the step is skipped, and doubled after a number
    /// of steps without overflow.
    Dynamic,
}

/// Training configuration.
#[derive(Clone, PartialEq, Debug)]
pub struct TrainConfig {
    /// Optimizer.
    pub optimizer: Optimizer,
    /// Learning rate.
    pub rate: f64,
    /// Weight decay: fraction of a weight that is subtracted per step, in units of the learning rate.
    pub decay: f64,
    /// Number of warm-up steps, in which the rate rises linearly.
    pub warmup: u64,
    /// Learning-rate schedule after the warm-up.
    pub schedule: RateSchedule,
    /// Total number of steps, warm-up included, at which the schedule ends.
    pub steps: u64,
    /// Fraction of the learning rate at the end of the schedule.
    pub end: f64,
    /// Scaling of the learning rate with the batch size, if any.
    pub base_batch: Option<BaseBatch>,
    /// Maximum global norm of the gradients; larger gradients are scaled down.
    pub clip: Option<f64>,
    /// Number of micro-batches over which gradients are accumulated.
    pub accumulate: u64,
    /// Loss scaling; `None` if it is determined by the precision.
    pub scaling: Option<LossScaling>,
    /// Name of the output that is the loss, with its byte range; `None` for the first output.
    pub loss: Option<(String, Range<usize>)>,
    /// True if the step has the gradient norm of each layer before clipping as an output, `norm.LAYER`.
    pub norms: bool,
    /// Byte range of the value of `accumulate` in the text.
    pub accumulate_at: Range<usize>,
}

/// Option of an optimizer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OptimizerOption {
    /// Option name.
    pub name: &'static str,
    /// Default value; empty if there is none.
    pub default: &'static str,
    /// Description.
    pub about: &'static str,
    kind: ValueKind,
}

/// Values that an option accepts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ValueKind {
    /// Number greater than 0.
    Positive,
    /// Number greater than or equal to 0.
    NotNegative,
    /// Number in `[0, 1)`.
    Share,
    /// Integer with this minimum.
    Count(u64),
    /// One of these words.
    Word(&'static [&'static str]),
    /// `none`, `dynamic`, or a number greater than 0.
    Scaling,
    /// Name of an output.
    Name,
}

impl ValueKind {
    fn expected_if_invalid(self, text: &str) -> Option<String> {
        let number = || text.parse::<f64>().ok().filter(|x| x.is_finite());
        let (fits, expected) = match self {
            ValueKind::Positive => (number().is_some_and(|x| x > 0.0), "a number above 0".into()),
            ValueKind::NotNegative => (number().is_some_and(|x| x >= 0.0), "a number, 0 or more".into()),
            ValueKind::Share => (
                number().is_some_and(|x| (0.0..1.0).contains(&x)),
                "a number from 0 up to, but not including, 1".into(),
            ),
            ValueKind::Count(least) => {
                let fits = text.parse().is_ok_and(|n: u64| (least..=MAX_COUNT).contains(&n));
                (fits, format!("a whole number from {least} to {MAX_COUNT}"))
            }
            ValueKind::Word(words) => (words.contains(&text), list(words)),
            ValueKind::Scaling => (
                matches!(text, "none" | "dynamic") || number().is_some_and(|x| x > 0.0),
                "`none`, `dynamic` or a number above 0".into(),
            ),
            ValueKind::Name => (!text.is_empty(), "the name of an output".into()),
        };
        (!fits).then_some(expected)
    }
}

/// Maximum number of steps, samples, or micro-batches.
const MAX_COUNT: u64 = 1 << 31;

/// Formats a list of words.
fn list(words: &[&str]) -> String {
    words.iter().map(|w| format!("`{w}`")).collect::<Vec<_>>().join(", ")
}

const fn opt(name: &'static str, default: &'static str, kind: ValueKind, about: &'static str) -> OptimizerOption {
    OptimizerOption { name, default, about, kind }
}

/// Optimizers with their specific options.
const OPTIMIZERS: [(&str, &[OptimizerOption]); 4] = [
    ("sgd", &[RATE_SGD, NO_DECAY]),
    (
        "momentum",
        &[
            RATE_SGD,
            NO_DECAY,
            opt("beta", "0.9", ValueKind::Share, "decay factor of the momentum per step"),
            opt("nesterov", "false", ValueKind::Word(&["true", "false"]), "use Nesterov momentum"),
        ],
    ),
    ("adam", &[RATE_ADAM, BETA1, BETA2, EPS]),
    ("adamw", &[RATE_ADAM, DECAY, BETA1, BETA2, EPS]),
];

const RATE_SGD: OptimizerOption = opt("lr", "0.01", ValueKind::Positive, "learning rate");
const RATE_ADAM: OptimizerOption = opt("lr", "0.001", ValueKind::Positive, "learning rate");
const NO_DECAY: OptimizerOption =
    opt("decay", "0", ValueKind::NotNegative, "weight decay, multiplied by the learning rate");
const DECAY: OptimizerOption =
    opt("decay", "0.01", ValueKind::NotNegative, "weight decay, multiplied by the learning rate");
const BETA1: OptimizerOption = opt("beta1", "0.9", ValueKind::Share, "decay factor of the first moment per step");
const BETA2: OptimizerOption = opt("beta2", "0.999", ValueKind::Share, "decay factor of the second moment per step");
const EPS: OptimizerOption =
    opt("eps", "1e-8", ValueKind::Positive, "constant added to the square root of the second moment");

/// Options of all optimizers.
const COMMON: [OptimizerOption; 11] = [
    opt("warmup", "0", ValueKind::Count(0), "number of warm-up steps, in which the learning rate rises linearly"),
    opt(
        "schedule",
        "constant",
        ValueKind::Word(&["constant", "linear", "cosine"]),
        "learning-rate schedule after the warm-up",
    ),
    opt("steps", "0", ValueKind::Count(0), "total number of steps, at which the schedule ends"),
    opt("end", "0", ValueKind::Share, "fraction of the learning rate at the end of the schedule"),
    opt(
        "lr_base_batch",
        "",
        ValueKind::Count(1),
        "batch size that `lr` was chosen for; the rate is scaled to the model's batch size",
    ),
    opt(
        "lr_scaling",
        "linear",
        ValueKind::Word(&["linear", "sqrt"]),
        "scaling of `lr` from `lr_base_batch` to the model's batch size",
    ),
    opt("clip", "", ValueKind::Positive, "maximum global norm of the gradients"),
    opt("accumulate", "1", ValueKind::Count(1), "number of micro-batches over which gradients are accumulated"),
    opt("scale", "", ValueKind::Scaling, "loss scaling: `none`, `dynamic` or a number"),
    opt("loss", "", ValueKind::Name, "name of the output that is the loss"),
    opt("norms", "false", ValueKind::Word(&["true", "false"]), "return the gradient norm of each layer"),
];

/// Options given in the text, by name.
struct ParsedOptions<'w> {
    written: &'w SourceText,
    options: Vec<OptimizerOption>,
    values: Vec<(&'static str, Range<usize>)>,
}

impl<'w> ParsedOptions<'w> {
    fn place(&self, name: &str) -> Option<Range<usize>> {
        self.values.iter().find(|(n, _)| *n == name).map(|(_, range)| range.clone())
    }

    /// Returns the text of an option, or its default; empty if it has none.
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

    /// Parses one `name=value` that starts at byte `at`.
    fn parse_option(&mut self, pair: &str, at: usize, optimizer: &str) -> Result<(), Diagnostic> {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let name_at = at..at + name.len();
        let value_at = at + pair.len() - value.len()..at + pair.len();
        let Some(&opt) = self.options.iter().find(|o| o.name == name) else {
            return Err(self.unknown(name, name_at, optimizer));
        };
        if let Some(first) = self.place(opt.name) {
            return Err(Diagnostic::new(Code::D003, format!("option `{name}` is given twice"))
                .context(self.written.span_of(first), "first here")
                .label(self.written.span_of(value_at), "and again here"));
        }
        if let Some(expected) = opt.kind.expected_if_invalid(value) {
            let default = if opt.default.is_empty() { "nothing" } else { opt.default };
            return Err(Diagnostic::new(Code::D003, format!("option `{name}` cannot be `{value}`"))
                .label(self.written.span_of(value_at), format!("expected {expected}"))
                .note(format!("`{name}`: {}; {default} when not given", opt.about)));
        }
        self.values.push((opt.name, value_at));
        Ok(())
    }

    fn unknown(&self, name: &str, at: Range<usize>, optimizer: &str) -> Diagnostic {
        if name == "replicas" {
            return Diagnostic::new(Code::D003, "the learning rate no longer grows with the size of an axis `data`")
                .label(self.written.span_of(at), "requested here")
                .note("an axis named `data` need not split the batch, and other axes may")
                .help("set the batch size that `lr` was chosen for, and leave `replicas` out: `lr_base_batch=SAMPLES`")
                .help("scale the rate with the square root of the batch size: `lr_scaling=sqrt`");
        }
        let listed: Vec<String> = self.options.iter().map(|o| format!("{}={}", o.name, o.default)).collect();
        let error = Diagnostic::new(Code::D003, format!("`{optimizer}` has no option `{name}`"))
            .label(self.written.span_of(at.clone()), "not an option of it")
            .note(format!("its options and their defaults: {}", listed.join(", ")));
        match nearest(name, self.options.iter().map(|o| o.name)) {
            Some(near) => error.fix("there is an option with a similar name", self.written.span_of(at), near),
            None => error,
        }
    }
}

impl TrainConfig {
    /// Returns the options of an optimizer, or `None` for an unknown optimizer.
    pub fn options(optimizer: &str) -> Option<Vec<OptimizerOption>> {
        let (_, own) = OPTIMIZERS.iter().find(|(name, _)| *name == optimizer)?;
        Some(own.iter().chain(&COMMON).copied().collect())
    }

    /// Parses a training configuration.
    ///
    /// # Errors
    /// `D003`: an unknown optimizer or option, an option given twice, a value out of range, or a schedule without a
    /// number of steps.
    pub fn parse(written: &SourceText) -> Result<TrainConfig, Diagnostic> {
        let text = written.text.as_str();
        let end = text.find('?').unwrap_or(text.len());
        let name = text[..end].trim();
        let Some(options) = TrainConfig::options(name) else { return Err(unknown_optimizer(written, name, end)) };
        let mut given = ParsedOptions { written, options, values: Vec::new() };
        for pair in text.get(end + 1..).unwrap_or_default().split('&').map(str::trim).filter(|pair| !pair.is_empty()) {
            given.parse_option(pair, pair.as_ptr() as usize - text.as_ptr() as usize, name)?;
        }
        let train = TrainConfig {
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
                "linear" => RateSchedule::Linear,
                "cosine" => RateSchedule::Cosine,
                _ => RateSchedule::Constant,
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
                "none" => LossScaling::None,
                "dynamic" => LossScaling::Dynamic,
                _ => LossScaling::Static(given.number("scale")),
            }),
            loss: given.place("loss").map(|range| (given.text("loss").to_owned(), range)),
            norms: given.text("norms") == "true",
            accumulate_at: given.place("accumulate").unwrap_or_default(),
        };
        if let (None, Some(at)) = (&train.base_batch, given.place("lr_scaling")) {
            let error = Diagnostic::new(Code::D003, "`lr_scaling` needs the batch size that `lr` was chosen for");
            return Err(error
                .label(written.span_of(at), "")
                .help("set the batch size that `lr` was chosen for: `lr_base_batch=SAMPLES`"));
        }
        if train.schedule != RateSchedule::Constant && train.steps <= train.warmup {
            let at = given.place("schedule").unwrap_or(0..text.len());
            let error = Diagnostic::new(Code::D003, "the learning-rate schedule has no steps left after the warm-up");
            return Err(error
                .label(written.span_of(at), "falls")
                .note(format!("{} steps in all, of which {} are warm-up", train.steps, train.warmup))
                .help(format!("set the total number of steps: `steps={}`", 1000 + train.warmup)));
        }
        Ok(train)
    }
}

fn unknown_optimizer(written: &SourceText, name: &str, end: usize) -> Diagnostic {
    let names = OPTIMIZERS.map(|(name, _)| name);
    let error = Diagnostic::new(Code::D003, format!("there is no optimizer `{name}`"))
        .label(written.span_of(0..end), "")
        .note(format!("the optimizers are {}", list(&names)));
    // Options after a wrong separator: `adamw clip=1`, `adamw, clip=1`.
    let (optimizer, options) = name.split_at(name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len()));
    if names.contains(&optimizer) {
        let options = options.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        let asked = format!("{optimizer}?{options}");
        return error.fix("options follow a question mark", written.span_of(0..end), asked);
    }
    match nearest(name, names) {
        Some(near) => error.fix("there is one with a similar name", written.span_of(0..end), near),
        None => error,
    }
}
