//! The command line, as clap reads it.

mod gpu;
mod plan_flags;
mod plans;
mod predict;

pub(crate) use gpu::{CompileArgs, DoctorArgs, InspectArgs};
pub(crate) use plan_flags::PlanFlags;
pub(crate) use plans::{CompareArgs, CostFlags, ReplanArgs, SearchFlags, SweepArgs};
#[cfg(feature = "serve")]
pub(crate) use predict::Log;
pub(crate) use predict::{PredictArgs, ServeArgs, TrainedFlags};

use clap::{Args, Parser, Subcommand, ValueEnum};
use partita_machine::PRESETS;
use std::path::PathBuf;

/// Partition a tensor program over a mesh of devices.
#[derive(Parser, Debug)]
#[command(name = "partita", version, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Verb {
    /// Check a plan against a model; print every parameter's layout, the collectives, bytes and peak memory. Runs
    /// nothing.
    Plan(PlanArgs),
    /// Run a model on the plan's devices, in this process or on a GPU; `--check` compares with one device.
    Run(RunArgs),
    /// Say what a step would take on a machine: seconds, throughput, memory, who waits. Needs none of the devices.
    ///
    /// A built-in model makes an Adam training step in mixed precision when nothing else is said.
    Simulate(SimulateArgs),
    /// Find the best plan for a machine: the mesh and the layouts, with a bound on what could be better. Needs none of
    /// the devices.
    ///
    /// A built-in model makes an Adam training step in mixed precision when nothing else is said.
    Search(SearchArgs),
    /// Put two plans side by side: seconds of a step and where they go, what is sent and held, what the plans say
    /// otherwise.
    Compare(CompareArgs),
    /// Search for many models on many machines under many constraints, as a file says; goes on where it was ended.
    Sweep(SweepArgs),
    /// Find a plan in place of the present one when devices are lost or added or layers are frozen, and say what has to
    /// move for it.
    Replan(ReplanArgs),
    /// Measure this machine: products of matrices, memory, what runs and collectives cost. `simulate` predicts steps
    /// with it.
    Calibrate(CalibrateArgs),
    /// Compile a model and its plan for GPUs into one file, which `run` runs.
    Compile(CompileArgs),
    /// Say what a compiled file holds: mesh, inputs and outputs, kernels, collectives, memory; of stages also what they
    /// send and receive, and their order.
    Inspect(InspectArgs),
    /// List the devices, drivers and libraries that compiled models run on, and what to install for those that are
    /// missing.
    Doctor(DoctorArgs),
    /// Train a model on a data set with the plan's devices, in this process; checkpoints and resumes.
    ///
    /// Ctrl-C or SIGTERM stops it behind the step under way, with a checkpoint there when `--save` keeps any, and exit
    /// code 1; a second one ends it at once.
    Train(Box<TrainArgs>),
    /// Let a trained model answer the examples of a file.
    Predict(PredictArgs),
    /// Let a trained model answer over HTTP: `POST /v1/predict` with {"inputs": {NAME: [[...], ...]}}, many clients at
    /// once.
    ///
    /// The first dimension of every input counts examples; those of different requests share a batch. `GET /v1/model`
    /// says what inputs there are, `GET /metrics` what has happened, `GET /healthz` that the server lives. Errors are
    /// {"error": {"code", "message", "help"}}. Numbers that are not finite are refused in requests, and `null` in
    /// answers. Ctrl-C or SIGTERM ends it once what waits is answered.
    Serve(ServeArgs),
    /// List the built-in models, or the options of one: `models gpt`.
    Models(ModelsArgs),
    /// Say why: a value's layout (`explain MODEL NAME`), a collective (`explain MODEL --collective N`), what kernels
    /// there are for GPUs (`explain MODEL --kernels`), an error (`explain L004`).
    Explain(ExplainArgs),
    /// Show that a partitioned program computes what its original does, with the laws that it takes; or where that is
    /// not shown.
    ///
    /// What is shown holds for all inputs, in exact arithmetic. Exit code 0 when equal, 1 when not shown.
    Prove(ProveArgs),
    /// For developers of Partita.
    #[command(subcommand, arg_required_else_help = true)]
    Dev(DevVerb),
}

#[derive(Subcommand, Debug)]
pub(crate) enum DevVerb {
    /// Run one pass on program text and print the result.
    Opt(OptArgs),
}

#[derive(Args, Debug)]
pub(crate) struct PlanArgs {
    /// A `.mlir`, `.onnx` or `.pir` file (`gpt.onnx?batch=8` sizes a dimension), or a built-in model:
    /// `zoo:gpt?layers=2`.
    pub(crate) model: Option<String>,
    #[command(flatten)]
    pub(crate) plan: PlanFlags,
    /// The machine that is planned for, as in `simulate`: a device has as much memory as its smallest one, and
    /// collectives have prices.
    #[arg(long, value_name = "FILE.toml|NAME")]
    pub(crate) machine: Option<String>,
    /// Print one JSON object.
    #[arg(long, conflicts_with_all = ["passes", "dims", "emit"])]
    pub(crate) json: bool,
    /// Print every parameter and collective instead of folding repeated ones.
    #[arg(long)]
    pub(crate) all: bool,
    /// Print what each pass did.
    #[arg(long, conflicts_with_all = ["dims", "emit"])]
    pub(crate) passes: bool,
    /// Print the dimensions that must be split alike, with their names.
    #[arg(long, conflicts_with = "emit")]
    pub(crate) dims: bool,
    /// Print the program instead: as StableHLO with shardings, before or behind planning as text, or as one device's
    /// program; or the plan.
    #[arg(long, value_name = "FORM")]
    pub(crate) emit: Option<Emit>,
    #[command(flatten)]
    pub(crate) dump: DumpFlag,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub(crate) enum Emit {
    /// StableHLO with `sdy.sharding` on every value.
    Mlir,
    /// What is to be computed, as one device runs it, as `.pir`: the model, or its training step.
    Made,
    /// The planned program as `.pir`.
    Pir,
    /// The plan as TOML: the model's own annotations, and what was added to them.
    Plan,
    /// One device's program as `.pir`.
    Local,
}

#[derive(Args, Clone, Debug, Default)]
pub(crate) struct DumpFlag {
    /// Write the program after each pass into `dump/` and print what changed: `changed`, `all`, or one pass's name.
    #[arg(long, value_name = "changed|all|PASS")]
    pub(crate) dump: Option<String>,
}

#[derive(Args, Debug)]
pub(crate) struct RunArgs {
    /// A `.mlir`, `.onnx` or `.pir` file (`gpt.onnx?batch=8` sizes a dimension), a built-in model: `zoo:gpt?layers=2`,
    /// or what `compile` made: `model.partita`.
    pub(crate) model: Option<String>,
    #[command(flatten)]
    pub(crate) plan: PlanFlags,
    /// Compare with one device, in f64 and in the model's dtype.
    #[arg(long)]
    pub(crate) check: bool,
    /// Compile for this target first, and run on this machine's device for it: `wgsl`. Of a compiled file, which target
    /// to run.
    #[arg(long, value_name = "TARGET")]
    pub(crate) target: Option<String>,
    /// Compile for CUDA, and run the kernels on this machine's CPU: slow, and without a GPU. Needs a C++ compiler, and
    /// a build with the feature `emulate`.
    #[arg(long)]
    pub(crate) emulate: bool,
    /// Of a compiled file, the SHA-256 that it must have, as `inspect` prints it; it is compared before anything is
    /// loaded.
    #[arg(long, value_name = "HEX", value_parser = sha256)]
    pub(crate) sha256: Option<String>,
    /// Print one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
    /// Seed of the random data, where no input is given.
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    /// How many training steps to make, each on new random data where no input is given.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) steps: u64,
    /// Parameters and inputs by name; of a training step parameters alone will do, and the rest is drawn.
    #[arg(long, value_name = "FILE.safetensors")]
    pub(crate) input: Option<PathBuf>,
    /// Where to keep the results; those of a training step are what the next one can begin with.
    #[arg(long, value_name = "FILE.safetensors")]
    pub(crate) output: Option<PathBuf>,
    /// Of a pipeline, write what each device did when: a trace for Perfetto or `chrome://tracing`.
    #[arg(long, value_name = "FILE.json")]
    pub(crate) trace: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) dump: DumpFlag,
}

/// The digits of a SHA-256 digest.
fn sha256(text: &str) -> Result<String, String> {
    let is_digest = text.len() == 64 && text.chars().all(|c| c.is_ascii_hexdigit());
    is_digest.then(|| text.to_lowercase()).ok_or_else(|| "a SHA-256 digest has 64 hexadecimal digits".to_owned())
}

#[derive(Args, Debug)]
pub(crate) struct CalibrateArgs {
    /// Where to keep the machine; `simulate --machine` reads it.
    #[arg(long, short, value_name = "FILE.toml")]
    pub(crate) output: Option<PathBuf>,
    /// Take a second or two, and be less exact.
    #[arg(long)]
    pub(crate) quick: bool,
    /// Print one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct SimulateArgs {
    /// A `.mlir`, `.onnx` or `.pir` file, or a built-in model: `zoo:gpt?layers=2`.
    pub(crate) model: Option<String>,
    #[arg(long, value_name = "FILE.toml|NAME", help = machine_help())]
    pub(crate) machine: String,
    #[command(flatten)]
    pub(crate) plan: PlanFlags,
    /// The same as `--remat`: `none`, `selective` or `full`.
    #[arg(long, value_name = "HOW", help_heading = "Training")]
    pub(crate) recompute: Option<String>,
    /// Let a built-in model only predict.
    #[arg(long, conflicts_with = "train", help_heading = "Training")]
    pub(crate) forward: bool,
    /// Write what happens when: a trace for Perfetto or `chrome://tracing`.
    #[arg(long, value_name = "FILE.json")]
    pub(crate) trace: Option<PathBuf>,
    /// Write that as a picture.
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) svg: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) costs: CostFlags,
    /// Print one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct SearchArgs {
    /// A `.mlir`, `.onnx` or `.pir` file, or a built-in model: `zoo:gpt?layers=2`.
    pub(crate) model: Option<String>,
    #[arg(long, value_name = "FILE.toml|NAME", help = machine_help())]
    pub(crate) machine: String,
    /// How many of its devices there are; all of them when not given.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) devices: Option<u32>,
    #[command(flatten)]
    pub(crate) plan: PlanFlags,
    /// Let a built-in model only predict.
    #[arg(long, conflicts_with = "train", help_heading = "Training")]
    pub(crate) forward: bool,
    /// Keep to this layout of a parameter or input, or to this axis, which then splits it along whichever dimension is
    /// best: `attn.*=model`.
    #[arg(long, value_name = "PATH=LAYOUT|AXIS")]
    pub(crate) fix: Vec<String>,
    /// Choose what is best of these element types to compute in, with parameters in `f32`: `f32,bf16`.
    #[arg(long, value_name = "DTYPE,..", value_delimiter = ',', value_parser = ["f32", "bf16", "f16"])]
    #[arg(conflicts_with = "precision")]
    pub(crate) allow_precision: Vec<String>,
    #[command(flatten)]
    pub(crate) search: SearchFlags,
    /// Search with fewer devices and with less memory, too, and show what can be had for what: plans than which no
    /// other one is better in time, memory and devices at once.
    #[arg(long, conflicts_with = "best")]
    pub(crate) front: bool,
    /// How many plans to show.
    #[arg(long, value_name = "K", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) best: u32,
    /// Write the best plan, of a front the fastest one.
    #[arg(short, long, value_name = "PLAN.toml")]
    pub(crate) output: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct TrainArgs {
    /// A `.mlir`, `.onnx` or `.pir` file (`gpt.onnx?loss=cross_entropy` says what it is trained for), or a built-in
    /// model: `zoo:gpt?layers=2`.
    pub(crate) model: Option<String>,
    /// What to train on: numbers with a column `label`, a text for models of characters, or a tensor for each input.
    #[arg(long, value_name = "FILE.csv|txt|safetensors")]
    pub(crate) data: PathBuf,
    /// Divide the data's numbers by this; when not given, as for the checkpoint, or else by the largest magnitude of
    /// what is trained on.
    #[arg(long, value_name = "NUMBER", value_parser = above_zero)]
    pub(crate) scale: Option<f64>,
    /// How many steps to make, those before a checkpoint included.
    #[arg(long, value_name = "N", conflicts_with = "epochs")]
    pub(crate) steps: Option<u64>,
    /// How often to go through the data.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) epochs: u64,
    /// Decides everything random: what is held out, the order of samples, first parameters, dropout; when not given, as
    /// for the checkpoint, or else 0.
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    /// Hold out this share of the samples, and look at them after every epoch.
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = share)]
    pub(crate) validate: f64,
    /// Begin with the parameters of a file, where it has them.
    #[arg(long, value_name = "FILE.safetensors")]
    pub(crate) init: Option<PathBuf>,
    /// Keep checkpoints in this folder.
    #[arg(long, value_name = "DIR", help_heading = "Checkpoints")]
    pub(crate) save: Option<PathBuf>,
    /// Make a checkpoint every so many steps, and one at the end.
    #[arg(long, value_name = "N", default_value_t = 100, requires = "save", help_heading = "Checkpoints",
        value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) save_every: u64,
    /// Keep so many of the newest checkpoints.
    #[arg(long, value_name = "N", default_value_t = 3, requires = "save", help_heading = "Checkpoints",
        value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) keep: u64,
    /// Go on from a checkpoint: the newest one of `--save`, or this file or folder. Mesh and presets may be others than
    /// before.
    #[arg(long, value_name = "PATH", num_args = 0..=1, help_heading = "Checkpoints")]
    pub(crate) resume: Option<Option<PathBuf>>,
    /// Go on although the seed, the model, the data or the training options are others than for the checkpoint.
    #[arg(long, requires = "resume", help_heading = "Checkpoints")]
    pub(crate) resume_with_changes: bool,
    /// Behind a step, counted from the beginning, go on by another plan, as `replan` writes it: `300=new.toml`. Several
    /// for several steps.
    #[arg(long, value_name = "STEP=PLAN.toml", value_parser = behind, help_heading = "Checkpoints")]
    pub(crate) replan: Vec<(u64, PathBuf)>,
    /// Freeze layers at the front while training goes on, once their gradients stay small: `norm<1e-3 for 20`.
    #[arg(long, value_name = "RULE", help_heading = "Frozen layers")]
    pub(crate) freeze_when: Option<String>,
    /// Keep what frozen layers at the front give for each sample, in so much memory: `256MiB`.
    #[arg(long, value_name = "SIZE", value_parser = bytes, help_heading = "Frozen layers")]
    pub(crate) cache: Option<u64>,
    /// And in so much room on disk, in the folder of temporary files: `2GiB`.
    #[arg(long, value_name = "SIZE", value_parser = bytes, help_heading = "Frozen layers")]
    pub(crate) cache_disk: Option<u64>,
    /// Write a line of JSON for each step.
    #[arg(long, value_name = "FILE.jsonl")]
    pub(crate) metrics: Option<PathBuf>,
    /// Draw losses and accuracy.
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) plot: Option<PathBuf>,
    /// Where to keep parameters and state at the end.
    #[arg(long, value_name = "FILE.safetensors")]
    pub(crate) output: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) plan: PlanFlags,
}

/// Returns the help text of `--machine`, with the names of all known machines.
fn machine_help() -> String {
    let names = PRESETS.map(|(name, _)| name).join(", ");
    format!("The machine: a file, or one that is known: `dgx-a100?nodes=8`; {names}")
}

/// A step, and the plan to go on with behind it.
fn behind(text: &str) -> Result<(u64, PathBuf), String> {
    let both = text.split_once('=').and_then(|(step, path)| Some((step.trim().parse().ok()?, path.trim().into())));
    both.ok_or_else(|| "expected a step and a plan file: `300=new.toml`".to_owned())
}

/// A share below all.
fn share(text: &str) -> Result<f64, String> {
    let share = text.parse::<f64>().ok().filter(|x| (0.0..1.0).contains(x));
    share.ok_or_else(|| "expected a number from 0 up to, but not including, 1".to_owned())
}

/// A number of bytes.
fn bytes(text: &str) -> Result<u64, String> {
    partita_ir::units::read_bytes(text).ok_or_else(|| "expected a size: `256MiB`".to_owned())
}

/// A number above zero.
fn above_zero(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|x| x.is_finite() && *x > 0.0);
    number.ok_or_else(|| "expected a number above 0".to_owned())
}

#[derive(Args, Debug)]
pub(crate) struct ExplainArgs {
    /// A model and the name of a value in it, in either order; or an error code.
    #[arg(value_name = "MODEL NAME | CODE", num_args = 0..=2)]
    pub(crate) what: Vec<String>,
    /// The N-th collective of `plan --all`, counted from 1.
    #[arg(long, value_name = "N")]
    pub(crate) collective: Option<usize>,
    /// What is alive when a device needs the most memory.
    #[arg(long, conflicts_with = "collective")]
    pub(crate) peak: bool,
    /// What was done otherwise than usual because a step on the machine is predicted to be faster so, with every use of
    /// a law by which it computes the same.
    #[arg(long, conflicts_with_all = ["collective", "peak"], requires = "machine")]
    pub(crate) laws: bool,
    /// The kernels for GPUs that one device's program becomes: what each computes and moves, and the least time that it
    /// takes.
    #[arg(long, conflicts_with_all = ["collective", "peak", "laws"])]
    pub(crate) kernels: bool,
    /// For which devices: `cuda:sm_90`, which is taken when none is named, or `wgsl`.
    #[arg(long, value_name = "TARGET", requires = "kernels")]
    pub(crate) target: Option<String>,
    /// With NAME the machine, as in `simulate`, on which the value's layout is compared with the next best one, with
    /// `--collective` the one whose cheapest way is named. With `--kernels` the GPU that bounds their times: `H200`,
    /// `H100` or `A100`; else the first one of the target's architecture.
    #[arg(long, value_name = "FILE.toml|NAME|GPU")]
    pub(crate) machine: Option<String>,
    /// Print one JSON object.
    #[arg(long, requires = "kernels")]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) plan: PlanFlags,
}

#[derive(Args, Debug)]
pub(crate) struct ModelsArgs {
    /// A built-in model, with or without `zoo:`.
    pub(crate) name: Option<String>,
    /// Print one JSON object, with the options of every model.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct ProveArgs {
    /// What should be computed: a model, as in `plan`, or what `plan --emit made` prints.
    #[arg(value_name = "ORIGINAL")]
    pub(crate) original: String,
    /// What is believed to compute it: what `plan --emit local` prints, or program text of any form.
    #[arg(value_name = "OTHER.pir")]
    pub(crate) other: String,
    /// Print every use of a law.
    #[arg(long, conflicts_with = "json")]
    pub(crate) chain: bool,
    /// Print one JSON object, with every use of a law.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct OptArgs {
    /// The pass; several run one after the other.
    #[arg(long, required = true)]
    pub(crate) pass: Vec<String>,
    /// Program text; `-` reads standard input.
    #[arg(value_name = "FILE.pir")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) plan: PlanFlags,
}
