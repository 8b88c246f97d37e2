//! Words for work on plans: comparison and sweeps, and the numbers behind a search.

use crate::stop;
use clap::Args;
use partita::parameters;
use partita::search::Goal;
use partita_cost::roofline::Efficiencies;
use partita_ir::diag::Diagnostic;
use partita_ir::plan::Written;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// What the model of costs is told.
#[derive(Args, Debug)]
pub(crate) struct CostFlags {
    /// Which shares of what data sheets say are reached, and whether attention writes its scores (`attention=written`)
    /// or never does: `matmul=0.645,memory=0.46,link=0.825,attention=tiled` when not given.
    #[arg(long, value_name = "SHARES", help_heading = "Costs")]
    efficiencies: Option<String>,
}

impl CostFlags {
    /// What it says, the rest as by default.
    ///
    /// # Errors
    /// `C003`
    pub(crate) fn efficiencies(&self) -> Result<Efficiencies, Diagnostic> {
        let said = self
            .efficiencies
            .as_deref()
            .map(|text| parameters::efficiencies(&Written::of_flag("--efficiencies", text)));
        said.unwrap_or_else(|| Ok(Efficiencies::default()))
    }
}

/// How much a search does, and what it believes.
#[derive(Args, Debug)]
pub(crate) struct SearchFlags {
    /// Stop searching after so many seconds with the best plan so far, as Ctrl-C does; exit code 0.
    #[arg(long, value_name = "SECONDS")]
    time_limit: Option<u64>,
    /// How much is done for each mesh: most entries of a table, entries computed in all, the share of its costs that a
    /// choice may be away from the best one, and who solves linear programs (`highs` where it was built with it):
    /// `widest=262144,work=16777216,gap=0.002,solver=microlp` when not given.
    #[arg(long, value_name = "NUMBERS", help_heading = "Costs")]
    effort: Option<String>,
    #[command(flatten)]
    costs: CostFlags,
}

impl SearchFlags {
    /// What they say, the rest as by default.
    ///
    /// # Errors
    /// `C003`
    pub(crate) fn goal(&self) -> Result<Goal, Diagnostic> {
        let effort = self.effort.as_deref().map(|text| parameters::effort(&Written::of_flag("--effort", text)));
        Ok(Goal {
            effort: effort.transpose()?.unwrap_or_default(),
            efficiencies: self.costs.efficiencies()?,
            ..Goal::default()
        })
    }

    /// Whether a search that begins now goes on: until the time is over or a signal comes.
    pub(crate) fn goes_on(&self) -> impl Fn() -> bool + use<> {
        let (started, asked) = (Instant::now(), stop::asked());
        let limit = self.time_limit.map(Duration::from_secs);
        move || !asked.load(Ordering::Relaxed) && limit.is_none_or(|limit| started.elapsed() < limit)
    }
}

#[derive(Args, Debug)]
pub(crate) struct CompareArgs {
    /// A plan file.
    #[arg(value_name = "FIRST.toml")]
    pub(crate) first: PathBuf,
    /// Another one.
    #[arg(value_name = "SECOND.toml")]
    pub(crate) second: PathBuf,
    /// A `.mlir`, `.onnx` or `.pir` file, or a built-in model: `zoo:gpt?layers=2`.
    #[arg(long)]
    pub(crate) model: Option<String>,
    #[arg(long, value_name = "FILE.toml|NAME", help = super::machine_help())]
    pub(crate) machine: String,
    #[command(flatten)]
    pub(crate) costs: CostFlags,
    /// Print one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct SweepArgs {
    /// What to search for: `models`, `machines`, and under `[constraints.NAME]` what each search keeps to.
    #[arg(value_name = "SWEEP.toml")]
    pub(crate) file: PathBuf,
    /// Where results are kept: `results.csv`, `results.jsonl` and `plans/`; a folder named after the file when not
    /// given. What is finished there is not searched for again.
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// How many searches go on at a time; as many as there are cores when not given.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) threads: Option<u32>,
    /// Print one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
}

/// A number from zero on.
fn above_or_zero(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|x| x.is_finite() && (0.0..=1e6).contains(x));
    number.ok_or_else(|| "expected a number from 0 on: 0.1".to_owned())
}

#[derive(Args, Debug)]
pub(crate) struct ReplanArgs {
    /// The present plan.
    #[arg(value_name = "PLAN.toml")]
    pub(crate) plan: PathBuf,
    /// A `.mlir`, `.onnx` or `.pir` file, or a built-in model: `zoo:gpt?layers=2`.
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// The machine, with what is lost: a file, or one that is known: `dgx-a100?nodes=8`.
    #[arg(long, value_name = "FILE.toml|NAME")]
    pub(crate) machine: String,
    /// Devices of it that are lost, by number: `3,5`.
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',')]
    pub(crate) lost: Vec<usize>,
    /// How many of its devices there are now, the first ones; all of them when not given.
    #[arg(long, value_name = "N", conflicts_with = "lost", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) devices: Option<u32>,
    /// Parameters that are no longer trained.
    #[arg(long, value_name = "PATH")]
    pub(crate) freeze: Vec<String>,
    /// By which share a step may take longer than the fastest one if less has to move for it.
    #[arg(long, value_name = "SHARE", default_value_t = 0.02, value_parser = super::share)]
    pub(crate) slower: f64,
    /// By which share more than the least may move where the step is faster on devices that are closer to each other.
    #[arg(long, value_name = "SHARE", default_value_t = 0.1, value_parser = above_or_zero)]
    pub(crate) more: f64,
    #[command(flatten)]
    pub(crate) search: SearchFlags,
    /// Write the new plan.
    #[arg(short, long, value_name = "NEW.toml")]
    pub(crate) output: Option<PathBuf>,
    /// Print one JSON object, with everything that moves.
    #[arg(long)]
    pub(crate) json: bool,
}
