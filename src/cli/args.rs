//! The command line, as clap reads it.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Partition a tensor program over a mesh of devices.
#[derive(Parser, Debug)]
#[command(name = "partita", version, disable_help_subcommand = true, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Verb {
    /// Check a plan against a model; print every parameter's layout, the collectives, bytes and peak memory. Runs nothing.
    Plan(PlanArgs),
    /// Run a model on the plan's devices, in this process; `--check` compares with one device.
    Run(RunArgs),
    /// Say why: a value's layout (`explain MODEL NAME`), a collective (`explain MODEL --collective N`), an error (`explain L004`).
    Explain(ExplainArgs),
    /// For developers of Partita.
    #[command(subcommand, arg_required_else_help = true)]
    Dev(DevVerb),
}

#[derive(Subcommand, Debug)]
pub(crate) enum DevVerb {
    /// Run one pass on program text and print the result.
    Opt(OptArgs),
}

/// What to partition, and how.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct PlanFlags {
    /// A plan file; the flags below are added to it.
    #[arg(long, value_name = "PLAN.toml", help_heading = "Plan")]
    pub(crate) plan: Option<PathBuf>,
    /// The mesh: axes and their sizes, `data=2,model=4`.
    #[arg(long, value_name = "AXES", help_heading = "Plan")]
    pub(crate) mesh: Option<String>,
    /// Which dimension goes where: `batch:data; hidden:model`.
    #[arg(long, value_name = "RULES", help_heading = "Plan")]
    pub(crate) rules: Vec<String>,
    /// Name the dimensions of a value; the names spread through the model: `arg0=batch, _`.
    #[arg(long, value_name = "PATH=NAMES", help_heading = "Plan")]
    pub(crate) name: Vec<String>,
    /// Lay out a parameter or input by path or glob: `up.weight=_, model`.
    #[arg(long, value_name = "PATH=LAYOUT", help_heading = "Plan")]
    pub(crate) shard: Vec<String>,
    /// Layouts known by a name: data, megatron, mesh, sequence, expert, zero1, zero2, zero3 (fsdp); several with commas.
    #[arg(long, value_name = "NAMES", help_heading = "Plan")]
    pub(crate) preset: Vec<String>,
    /// Keep a value in another layout than it is used in: `up.weight=data, _`.
    #[arg(long, value_name = "PATH=LAYOUT", help_heading = "Plan")]
    pub(crate) store: Vec<String>,
    /// Accept that the layout of a value contradicts others, and reshard where they meet.
    #[arg(long, value_name = "PATH", help_heading = "Plan")]
    pub(crate) allow_reshard: Vec<String>,
    /// Make it an error to split a dimension unevenly, instead of padding it.
    #[arg(long, value_name = "NAME|PATH", help_heading = "Plan")]
    pub(crate) no_padding: Vec<String>,
    /// Make the training step of the model: `sgd`, `momentum`, `adam` or `adamw`, with options: `adamw?lr=1e-3&clip=1`.
    #[arg(long, value_name = "OPTIMIZER", help_heading = "Training")]
    pub(crate) train: Option<String>,
    /// Do not train these parameters: no gradient, no optimizer state.
    #[arg(long, value_name = "PATH", help_heading = "Training")]
    pub(crate) freeze: Vec<String>,
    /// Train only these parameters.
    #[arg(long, value_name = "PATH", help_heading = "Training")]
    pub(crate) train_only: Vec<String>,
    /// Compute in `bf16` or `f16`, or keep weights in `int8`; by path for a part: `norm.**=f32`.
    #[arg(long, value_name = "[PATH=]TYPE", help_heading = "Training")]
    pub(crate) precision: Vec<String>,
    /// Compute forward values again in the backward pass: `none`, `selective`, `full`, or `auto?budget=8GiB`; by path for a part.
    #[arg(long, value_name = "[PATH=]HOW", help_heading = "Training")]
    pub(crate) remat: Vec<String>,
    /// Reduce gradients together, in buckets of so many bytes; `none` reduces each alone. The preset `data` brings `25MiB`.
    #[arg(long, value_name = "SIZE", help_heading = "Training")]
    pub(crate) bucket: Option<String>,
}

#[derive(Args, Debug)]
pub(crate) struct PlanArgs {
    /// A `.mlir`, `.onnx` or `.pir` file (`gpt.onnx?batch=8` sizes a dimension), or a built-in model: `zoo:gpt?layers=2`.
    pub(crate) model: Option<String>,
    #[command(flatten)]
    pub(crate) plan: PlanFlags,
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
    /// Print the program instead: as StableHLO with shardings, as planned text, or as one device's program; or the plan.
    #[arg(long, value_name = "FORM")]
    pub(crate) emit: Option<Emit>,
    #[command(flatten)]
    pub(crate) dump: DumpFlag,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub(crate) enum Emit {
    /// StableHLO with `sdy.sharding` on every value.
    Mlir,
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
    /// A `.mlir`, `.onnx` or `.pir` file (`gpt.onnx?batch=8` sizes a dimension), or a built-in model: `zoo:gpt?layers=2`.
    pub(crate) model: Option<String>,
    #[command(flatten)]
    pub(crate) plan: PlanFlags,
    /// Compare with one device, in f64 and in the model's dtype.
    #[arg(long)]
    pub(crate) check: bool,
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
    #[command(flatten)]
    pub(crate) dump: DumpFlag,
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
    #[command(flatten)]
    pub(crate) plan: PlanFlags,
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
