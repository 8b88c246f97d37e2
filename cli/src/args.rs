//! Command-line arguments, parsed with clap.

mod checkpoint;
mod export;
mod gpu;
mod launch;
mod plan_flags;
mod plans;
mod predict;

pub(crate) use checkpoint::{CheckpointCommand, MergeArgs, ShowArgs, SplitArgs};
pub(crate) use export::ExportArgs;
pub(crate) use gpu::{CompileArgs, DoctorArgs, InspectArgs};
pub(crate) use launch::LaunchArgs;
pub(crate) use plan_flags::PlanFlags;
pub(crate) use plans::{CompareArgs, CostFlags, ReplanArgs, SearchFlags, SweepArgs};
#[cfg(feature = "serve")]
pub(crate) use predict::Log;
pub(crate) use predict::{PredictArgs, ServeArgs, TrainedFlags};

use clap::{Args, Parser, Subcommand, ValueEnum};
use partita::search::Target;
use partita_machine::PRESETS;
use partita_ranks::Transport;
use std::path::PathBuf;

/// Partition a tensor program over a mesh of devices.
#[derive(Parser, Debug)]
#[command(name = "partita", version, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: CommandArgs,
}

#[derive(Subcommand, Debug)]
pub(crate) enum CommandArgs {
    /// Check a plan against a model; print each parameter's layout, the collectives, bytes and peak memory. Runs
    /// nothing.
    Plan(PlanArgs),
    /// Run a model on the plan's devices, on the CPU or on a GPU; `--check` compares with one device.
    Run(RunArgs),
    /// Predict a training step on a machine: step time, throughput, memory, utilisation. Needs none of the devices.
    ///
    /// A built-in model is trained with Adam in mixed precision unless flags specify otherwise.
    Simulate(SimulateArgs),
    /// Find the fastest plan for a machine: mesh and layouts, with a lower bound on the cost of any layout. Needs none
    /// of the devices.
    ///
    /// A built-in model is trained with Adam in mixed precision unless flags specify otherwise.
    Search(SearchArgs),
    /// Compare two plans: step time and its parts, communication, memory, settings and layouts.
    Compare(CompareArgs),
    /// Write a plan in the terms of another framework: JAX, PyTorch, Transformers, Megatron-LM, torchtitan, DeepSpeed
    /// or nanotron.
    ///
    /// A plan that the framework cannot express is an error, which names the nearest plan and its cost.
    Export(ExportArgs),
    /// Search plans for each combination of models, machines and constraints in a file; resumes an interrupted sweep.
    Sweep(SweepArgs),
    /// Find a new plan after devices were lost or added, or layers were frozen, and list the transfers to switch to it.
    Replan(ReplanArgs),
    /// Measure this machine: matrix products, memory bandwidth, overheads of ops and collectives. `simulate` predicts
    /// steps with the result.
    ///
    /// Under a launcher, all processes measure at the same time, and also the network between them.
    Calibrate(CalibrateArgs),
    /// Compile a model and its plan for GPUs to one file, which `run` executes.
    Compile(CompileArgs),
    /// Print the contents of a compiled file: mesh, inputs and outputs, kernels, collectives, memory; for pipeline
    /// stages also their transfers and task order.
    Inspect(InspectArgs),
    /// List the devices, drivers and libraries for compiled models, and the MPI for several processes; also how to
    /// install missing ones.
    Doctor(DoctorArgs),
    /// Train a model on a data set, with the plan's devices on the CPU; writes and resumes checkpoints.
    ///
    /// Ctrl-C or SIGTERM stops after the current step, with exit code 1, and writes a checkpoint if `--save` is given;
    /// a second signal stops at once. SIGUSR1 does the same with exit code 0.
    Train(Box<TrainArgs>),
    /// Start `train`, `run`, `predict` or `calibrate` as several processes, on this host or others; start training
    /// again when one is lost.
    ///
    /// Ctrl-C or SIGTERM stops training after the current step, with exit code 0, and writes a checkpoint if `--save`
    /// is given.
    Launch(LaunchArgs),
    /// List, verify and convert the checkpoints of `train`.
    #[command(subcommand, arg_required_else_help = true)]
    Checkpoint(CheckpointCommand),
    /// Run a trained model on the examples of a file.
    Predict(PredictArgs),
    /// Serve a trained model over HTTP: `POST /v1/predict` with {"inputs": {NAME: [[...], ...]}}, for concurrent
    /// clients.
    ///
    /// The first dimension of every input is the example; examples of different requests share a batch. `GET /v1/model`
    /// describes the inputs, `GET /metrics` returns counters, `GET /healthz` returns the state of the server. Errors
    /// have the form {"error": {"code", "message", "help"}}. Numbers that are not finite are rejected in requests, and
    /// are `null` in responses. Ctrl-C or SIGTERM stops the server after it answers the queued requests.
    Serve(ServeArgs),
    /// List the built-in models, or the options of one: `models gpt`.
    Models(ModelsArgs),
    /// Explain a value's layout (`explain MODEL NAME`), a collective (`explain MODEL --collective N`), the kernels for
    /// GPUs (`explain MODEL --kernels`), or an error (`explain L004`).
    Explain(ExplainArgs),
    /// Prove that a partitioned program computes the same as its original, and list the laws of the proof.
    ///
    /// A proof is valid for all inputs, in exact arithmetic. Exit code 0 if proved equal, 1 if not proved. Programs
    /// without a proof are run on random inputs: "wrong" if an output differs, "not proved" otherwise.
    Prove(ProveArgs),
    /// Commands for developers of Partita.
    #[command(subcommand, arg_required_else_help = true)]
    Dev(DevCommand),
}

#[derive(Subcommand, Debug)]
pub(crate) enum DevCommand {
    /// Run one pass on program text and print the result.
    Opt(OptArgs),
}

#[derive(Args, Debug)]
pub(crate) struct PlanArgs {
    /// A `.mlir`, `.onnx`, `.pt2` or `.pir` file (`gpt.onnx?batch=8` sets the size of a dimension), or a built-in
    /// model: `zoo:gpt?layers=2`.
    pub(crate) model: Option<String>,
    #[command(flatten)]
    pub(crate) plan: PlanFlags,
    /// Target machine, as in `simulate`. The budget is the memory of its smallest device, and collectives have
    /// predicted times.
    #[arg(long, value_name = "FILE.toml|NAME")]
    pub(crate) machine: Option<String>,
    /// Print one JSON object.
    #[arg(long, conflicts_with_all = ["passes", "dims", "emit"])]
    pub(crate) json: bool,
    /// Also write the complete report to this file, as an HTML page; with `--machine`, with the predicted step.
    #[arg(long, value_name = "FILE.html", conflicts_with_all = ["passes", "dims", "emit"])]
    pub(crate) html: Option<PathBuf>,
    /// Print every parameter and collective instead of folding repeated ones.
    #[arg(long)]
    pub(crate) all: bool,
    /// Print the effect of each pass.
    #[arg(long, conflicts_with_all = ["dims", "emit"])]
    pub(crate) passes: bool,
    /// Print the dimensions that must be sharded identically, with their names.
    #[arg(long, conflicts_with = "emit")]
    pub(crate) dims: bool,
    /// Print a program instead of the report: as StableHLO with shardings, before or after propagation as text, or as
    /// the program of one device; or print the plan.
    #[arg(long, value_name = "FORM")]
    pub(crate) emit: Option<Emit>,
    #[command(flatten)]
    pub(crate) dump: DumpFlag,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub(crate) enum Emit {
    /// StableHLO with `sdy.sharding` on every value.
    Mlir,
    /// Unpartitioned program as `.pir`: the model, or its training step.
    #[value(alias = "made")]
    Unpartitioned,
    /// The planned program as `.pir`.
    Pir,
    /// Plan as TOML, including the model's annotations.
    Plan,
    /// Program of one device as `.pir`.
    Local,
}

#[derive(Args, Clone, Debug, Default)]
pub(crate) struct DumpFlag {
    /// Write the program after each pass into `dump/` and print the differences: `changed`, `all`, or the name of a
    /// pass.
    #[arg(long, value_name = "changed|all|PASS")]
    pub(crate) dump: Option<String>,
}

#[derive(Args, Debug)]
pub(crate) struct RunArgs {
    /// A `.mlir`, `.onnx`, `.pt2` or `.pir` file (`gpt.onnx?batch=8` sets the size of a dimension), a built-in model:
    /// `zoo:gpt?layers=2`, or a file written by `compile`: `model.partita`.
    pub(crate) model: Option<String>,
    #[command(flatten)]
    pub(crate) plan: PlanFlags,
    /// Compare the results with one device, in f64 and in the model's dtype.
    #[arg(long)]
    pub(crate) check: bool,
    /// Compile for this target, and run on this machine's device: `wgsl`. For a compiled file, the target to run.
    #[arg(long, value_name = "TARGET")]
    pub(crate) target: Option<String>,
    /// Compile for CUDA, and run the kernels on this machine's CPU, which is slow and needs no GPU. Requires a C++
    /// compiler, and a build with the feature `emulate`.
    #[arg(long)]
    pub(crate) emulate: bool,
    /// Expected SHA-256 digest of a compiled file, as printed by `inspect`. Checked before the file is loaded.
    #[arg(long, value_name = "HEX", value_parser = sha256)]
    pub(crate) sha256: Option<String>,
    /// Print one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
    /// Seed of the random data, if no input is given.
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    /// Number of training steps, each on new random data if no input is given.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) steps: u64,
    #[command(flatten)]
    pub(crate) ranks: RanksFlag,
    #[command(flatten)]
    pub(crate) exact: ExactFlag,
    /// Parameters and inputs by name. A training step may be given parameters only; its data is random. Inputs of an
    /// ONNX file that determine shapes are fixed to their values.
    #[arg(long, value_name = "FILE.safetensors")]
    pub(crate) input: Option<PathBuf>,
    /// Write the results to this file. Those of a training step can be the `--input` of the next run.
    #[arg(long, value_name = "FILE.safetensors")]
    pub(crate) output: Option<PathBuf>,
    /// Write the timeline of each device of a pipeline, as a trace for Perfetto or `chrome://tracing`.
    #[arg(long, value_name = "FILE.json")]
    pub(crate) trace: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) dump: DumpFlag,
}

/// Processes that execute the devices.
#[derive(Args, Debug)]
pub(crate) struct RanksFlag {
    /// Divide the devices among the processes of a launcher: those of `mpirun` or `srun` by `mpi`, those of `torchrun`
    /// by `tcp`, and GPUs by `nccl`. `none` runs all devices in this process.
    #[arg(long, value_name = "auto|mpi|tcp|nccl|none", default_value_t, help_heading = "Several processes")]
    pub(crate) ranks: Transport,
    /// Seconds without a sign of life after which a process is lost.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, help_heading = "Several processes",
        value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) rank_timeout: u64,
}

/// Order of sums over several processes.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct ExactFlag {
    /// Combine the operands of collectives in the order of one process, so that results are identical to those of one
    /// process, bit for bit. Otherwise collectives of MPI are used where they are measured to be faster, and sums may
    /// differ in the last bits.
    #[arg(long, help_heading = "Several processes")]
    pub(crate) exact: bool,
}

/// Parses the digits of a SHA-256 digest.
fn sha256(text: &str) -> Result<String, String> {
    let is_digest = text.len() == 64 && text.chars().all(|c| c.is_ascii_hexdigit());
    is_digest.then(|| text.to_lowercase()).ok_or_else(|| "a SHA-256 digest has 64 hexadecimal digits".to_owned())
}

#[derive(Args, Debug)]
pub(crate) struct CalibrateArgs {
    /// Write the machine to this file, for `simulate --machine`.
    #[arg(long, short, value_name = "FILE.toml")]
    pub(crate) output: Option<PathBuf>,
    /// Measure for about two seconds only, less accurately.
    #[arg(long)]
    pub(crate) quick: bool,
    #[command(flatten)]
    pub(crate) ranks: RanksFlag,
    /// Instead of measuring this machine, read measurements of another one: the output of nccl-tests, and CSV files of
    /// matrix products with the columns `m,n,k,dtype,seconds`.
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "machine", conflicts_with = "quick")]
    pub(crate) import: Vec<PathBuf>,
    #[arg(long, value_name = "FILE.toml|NAME", help = machine_help(), requires = "import")]
    pub(crate) machine: Option<String>,
    /// Print one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct SimulateArgs {
    /// A `.mlir`, `.onnx`, `.pt2` or `.pir` file, or a built-in model: `zoo:gpt?layers=2`.
    pub(crate) model: Option<String>,
    #[arg(long, value_name = "FILE.toml|NAME", help = machine_help())]
    pub(crate) machine: String,
    #[command(flatten)]
    pub(crate) plan: PlanFlags,
    /// Same as `--remat`: `none`, `selective`, `alternate`, `full`, `cheapest?share=50%` or `ops:gelu`.
    #[arg(long, value_name = "HOW", help_heading = "Training")]
    pub(crate) recompute: Option<String>,
    /// Simulate inference of a built-in model instead of training.
    #[arg(long, conflicts_with = "train", help_heading = "Training")]
    pub(crate) forward: bool,
    /// Write the predicted timeline as a trace for Perfetto or `chrome://tracing`.
    #[arg(long, value_name = "FILE.json")]
    pub(crate) trace: Option<PathBuf>,
    /// Write the predicted timeline as an SVG image.
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) svg: Option<PathBuf>,
    /// Also write the prediction and the report of `plan` to this file, as an HTML page.
    #[arg(long, value_name = "FILE.html")]
    pub(crate) html: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) costs: CostFlags,
    /// Decompose the step by activity: matrix products, attention, memory-bound kernels, exposed collectives, bubble.
    #[arg(long, conflicts_with = "json")]
    pub(crate) explain: bool,
    /// Print one JSON object, with the decomposition.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct SearchArgs {
    /// A `.mlir`, `.onnx`, `.pt2` or `.pir` file, or a built-in model: `zoo:gpt?layers=2`.
    pub(crate) model: Option<String>,
    #[arg(long, value_name = "FILE.toml|NAME", help = machine_help())]
    pub(crate) machine: String,
    /// Number of devices; by default all devices of the machine.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) devices: Option<u32>,
    #[command(flatten)]
    pub(crate) plan: PlanFlags,
    /// Search for inference of a built-in model instead of training.
    #[arg(long, conflicts_with = "train", help_heading = "Training")]
    pub(crate) forward: bool,
    /// Fix the layout of a parameter or input (`up.weight=_, model`), or only the axis that shards it
    /// (`attention.*=model`): the search then chooses the dimension: `attn.*=model`.
    #[arg(long, value_name = "PATH=LAYOUT|AXIS")]
    pub(crate) fix: Vec<String>,
    /// Choose the best of these compute element types, with parameters in `f32`: `f32,bf16`.
    #[arg(long, value_name = "DTYPE,..", value_delimiter = ',', value_parser = ["f32", "bf16", "f16"])]
    #[arg(conflicts_with = "precision")]
    pub(crate) allow_precision: Vec<String>,
    #[command(flatten)]
    pub(crate) search: SearchFlags,
    /// Also search with fewer devices and less memory, and print the Pareto front: plans that no other plan beats in
    /// time, memory and devices at once.
    #[arg(long, alias = "front", conflicts_with = "best")]
    pub(crate) pareto: bool,
    /// Limit the search space to that of a file: `stages`, `micro_batches`, `axes`, `schedules`, `recompute` and
    /// `zero`, each with a list of values. A schedule of the file, such as `interleaved?chunks=12`, is added to the
    /// space.
    #[arg(long, value_name = "FILE.toml")]
    pub(crate) space: Option<PathBuf>,
    /// Consider only plans that a framework can express: JAX, PyTorch (`dtensor`), Transformers (`tp-plan`),
    /// Megatron-LM, torchtitan, DeepSpeed or nanotron.
    #[arg(long, value_name = "TARGET", value_parser = Target::ALL.map(Target::name))]
    pub(crate) target: Option<String>,
    /// Write every evaluated plan to this file, as one JSON object per line.
    #[arg(long, value_name = "FILE.jsonl", conflicts_with = "pareto")]
    pub(crate) log: Option<PathBuf>,
    /// Number of plans to print.
    #[arg(long, value_name = "K", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) best: u32,
    /// Write the fastest plan to this file.
    #[arg(short, long, value_name = "PLAN.toml")]
    pub(crate) output: Option<PathBuf>,
    /// Also write the result to this file, as an HTML page: the plans, the bound, and the report of the fastest plan.
    #[arg(long, value_name = "FILE.html")]
    pub(crate) html: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct TrainArgs {
    /// A `.mlir`, `.onnx`, `.pt2` or `.pir` file (`gpt.onnx?loss=cross_entropy` sets the loss), or a built-in model:
    /// `zoo:gpt?layers=2`.
    pub(crate) model: Option<String>,
    /// Training data: numbers with a column `label`, a text for a character model, or a tensor for each input.
    #[arg(long, value_name = "FILE.csv|txt|safetensors")]
    pub(crate) data: PathBuf,
    /// Divide floating-point data by this number; by default the divisor of the checkpoint, or else the largest
    /// magnitude in the training data.
    #[arg(long, value_name = "NUMBER", value_parser = above_zero)]
    pub(crate) scale: Option<f64>,
    #[command(flatten)]
    pub(crate) ranks: RanksFlag,
    #[command(flatten)]
    pub(crate) exact: ExactFlag,
    /// Total number of steps, including those before a checkpoint.
    #[arg(long, value_name = "N", conflicts_with = "epochs")]
    pub(crate) steps: Option<u64>,
    /// Total number of epochs.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) epochs: u64,
    /// Seed of the validation split, the order of samples, initial parameters and dropout; by default that of the
    /// checkpoint, or else 0.
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    /// Hold out this share of the samples for validation after every epoch.
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = share)]
    pub(crate) validate: f64,
    /// Initialise parameters from this file. Parameters that are not in the file have their default initialisation.
    #[arg(long, value_name = "FILE.safetensors")]
    pub(crate) init: Option<PathBuf>,
    /// Save checkpoints to this folder.
    #[arg(long, value_name = "DIR", help_heading = "Checkpoints")]
    pub(crate) save: Option<PathBuf>,
    /// Save a checkpoint after each N steps, and at the end.
    #[arg(long, value_name = "N", default_value_t = 100, requires = "save", help_heading = "Checkpoints",
        value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) save_every: u64,
    /// Number of checkpoints to retain; older ones are deleted.
    #[arg(long, value_name = "N", default_value_t = 3, requires = "save", help_heading = "Checkpoints",
        value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) keep: u64,
    /// Resume from a checkpoint: the newest one of `--save`, or this file or folder. The mesh and presets may have
    /// changed.
    #[arg(long, value_name = "PATH", num_args = 0..=1, help_heading = "Checkpoints")]
    pub(crate) resume: Option<Option<PathBuf>>,
    /// Resume although the seed, the model, the data or the training options have changed.
    #[arg(long, requires = "resume", help_heading = "Checkpoints")]
    pub(crate) resume_with_changes: bool,
    /// Switch to another plan, such as one written by `replan`, after a step counted from the beginning:
    /// `300=new.toml`. Can be repeated.
    #[arg(long, value_name = "STEP=PLAN.toml", value_parser = plan_switch, help_heading = "Checkpoints")]
    pub(crate) replan: Vec<(u64, PathBuf)>,
    /// Freeze layers at the input side during training, once their gradients are small: `norm<1e-3 for 20`.
    #[arg(long, value_name = "RULE", help_heading = "Frozen layers")]
    pub(crate) freeze_when: Option<String>,
    /// Cache the activations of frozen layers for each sample, in this much memory: `256MiB`.
    #[arg(long, value_name = "SIZE", value_parser = bytes, help_heading = "Frozen layers")]
    pub(crate) cache: Option<u64>,
    /// Additional cache on disk, in the folder of temporary files: `2GiB`.
    #[arg(long, value_name = "SIZE", value_parser = bytes, help_heading = "Frozen layers")]
    pub(crate) cache_disk: Option<u64>,
    /// Write the metrics of each step as a line of JSON.
    #[arg(long, value_name = "FILE.jsonl")]
    pub(crate) metrics: Option<PathBuf>,
    /// Plot losses and accuracy.
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) plot: Option<PathBuf>,
    /// Write parameters and optimizer state to this file at the end.
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
    format!("Machine: a file, or a built-in name: `dgx-a100?nodes=8`; {names}")
}

/// Parses a step and the plan to switch to after the step.
fn plan_switch(text: &str) -> Result<(u64, PathBuf), String> {
    let both = text.split_once('=').and_then(|(step, path)| Some((step.trim().parse().ok()?, path.trim().into())));
    both.ok_or_else(|| "expected a step and a plan file: `300=new.toml`".to_owned())
}

/// Parses a share from 0 to below 1.
fn share(text: &str) -> Result<f64, String> {
    let share = text.parse::<f64>().ok().filter(|x| (0.0..1.0).contains(x));
    share.ok_or_else(|| "expected a number from 0 up to, but not including, 1".to_owned())
}

/// Parses a number of bytes.
fn bytes(text: &str) -> Result<u64, String> {
    partita_ir::units::parse_bytes(text).ok_or_else(|| "expected a size: `256MiB`".to_owned())
}

/// Parses a number above zero.
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
    /// Explain the peak memory of a device.
    #[arg(long, conflicts_with = "collective")]
    pub(crate) peak: bool,
    /// Explain the rewrites that are predicted to be faster on the machine than the default lowering, with every
    /// application of a law.
    #[arg(long, conflicts_with_all = ["collective", "peak"], requires = "machine")]
    pub(crate) laws: bool,
    /// List the kernels for GPUs in the program of one device, with their purpose, memory traffic and minimum time.
    #[arg(long, conflicts_with_all = ["collective", "peak", "laws"])]
    pub(crate) kernels: bool,
    /// Target of the kernels: `cuda:sm_90` by default, or `wgsl`.
    #[arg(long, value_name = "TARGET", requires = "kernels")]
    pub(crate) target: Option<String>,
    /// With NAME, the machine (as in `simulate`) on which the layout is compared with the best alternative. With
    /// `--collective`, the machine of the cheapest algorithm. With `--peak`, that of `plan --machine`. With
    /// `--kernels`, the GPU that bounds the times: `H200`, `H100` or `A100`; by default the first one of the target's
    /// architecture.
    #[arg(long, value_name = "FILE.toml|NAME|GPU")]
    pub(crate) machine: Option<String>,
    /// Print one JSON object.
    #[arg(long)]
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
    /// Original program: a model, as in `plan`, or the output of `plan --emit unpartitioned`.
    #[arg(value_name = "ORIGINAL")]
    pub(crate) original: String,
    /// Program to compare: the output of `plan --emit local`, or program text in any form.
    #[arg(value_name = "OTHER.pir")]
    pub(crate) other: String,
    /// Print every application of a law.
    #[arg(long, conflicts_with = "json")]
    pub(crate) chain: bool,
    /// Print one JSON object, with every application of a law.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct OptArgs {
    /// Name of the pass. Can be repeated; the passes run in order.
    #[arg(long, required = true)]
    pub(crate) pass: Vec<String>,
    /// Program text; `-` reads standard input.
    #[arg(value_name = "FILE.pir")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) plan: PlanFlags,
}

#[cfg(test)]
mod tests {
    use super::{Cli, CommandArgs, Emit};
    use clap::Parser as _;

    fn parse(words: &[&str]) -> CommandArgs {
        Cli::try_parse_from([&["partita"], words].concat()).unwrap_or_else(|e| panic!("{e}")).command
    }

    #[test]
    fn former_names_of_flags_are_accepted() {
        for flag in ["--pareto", "--front"] {
            let command = parse(&["search", "zoo:mlp", "--machine", "pcie4", flag]);
            assert!(matches!(command, CommandArgs::Search(args) if args.pareto), "{flag}");
        }
        for form in ["unpartitioned", "made"] {
            let command = parse(&["plan", "zoo:mlp", "--emit", form]);
            assert!(matches!(command, CommandArgs::Plan(args) if args.emit == Some(Emit::Unpartitioned)), "{form}");
        }
        for flags in [["--max-slowdown", "--max-extra-transfer"], ["--slower", "--more"]] {
            let words = ["replan", "plan.toml", "--machine", "pcie4", flags[0], "0.5", flags[1], "0.25"];
            let command = parse(&words);
            assert!(
                matches!(command, CommandArgs::Replan(args) if (args.slower, args.more) == (0.5, 0.25)),
                "{flags:?}"
            );
        }
    }
}
