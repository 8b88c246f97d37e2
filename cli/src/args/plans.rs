//! Arguments of `compare`, `sweep` and `replan`, and shared arguments of searches.

use crate::stop;
use clap::Args;
use partita::parameters;
use partita::search::Goal;
use partita_cost::roofline::Efficiencies;
use partita_ir::diag::Diagnostic;
use partita_ir::plan::SourceText;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Parameters of the cost model.
#[derive(Args, Debug)]
pub(crate) struct CostFlags {
    /// Shares of data-sheet performance that programs reach, instead of those of the machine: `matmul=0.7,memory=0.8,
    /// link=0.8`; software of other frameworks: `software=earlier` instead of `current`, `attention=written`, `flash1`
    /// or `flash3` instead of `tiled`, `fusion=loops`, `chains` or `none` instead of `products`, `gathers=prefetched`
    /// instead of `ordered`; and the time of the host per kernel: `issue=12us`.
    #[arg(long, value_name = "SHARES", help_heading = "Costs")]
    efficiencies: Option<String>,
}

impl CostFlags {
    /// Parses the efficiencies, with defaults for those that are not given.
    ///
    /// # Errors
    /// `C003` for an unknown name or an invalid value.
    pub(crate) fn efficiencies(&self) -> Result<Efficiencies, Diagnostic> {
        let parsed = self
            .efficiencies
            .as_deref()
            .map(|text| parameters::efficiencies(&SourceText::from_flag("--efficiencies", text)));
        parsed.unwrap_or_else(|| Ok(Efficiencies::default()))
    }
}

/// Limits and cost parameters of a search.
#[derive(Args, Debug)]
pub(crate) struct SearchFlags {
    /// Stop after this many seconds, or on Ctrl-C, with the best plan so far and exit code 0.
    #[arg(long, value_name = "SECONDS")]
    time_limit: Option<u64>,
    /// Limits for each mesh: entries of a table, total entries computed, and relative optimality gap:
    /// `widest=262144,work=16777216,gap=0.002` by default.
    #[arg(long, value_name = "NUMBERS", help_heading = "Costs")]
    effort: Option<String>,
    #[command(flatten)]
    costs: CostFlags,
}

impl SearchFlags {
    /// Returns a search goal with these limits, and defaults for those that are not given.
    ///
    /// # Errors
    /// `C003` for an unknown name or an invalid value.
    pub(crate) fn goal(&self) -> Result<Goal, Diagnostic> {
        let effort = self.effort.as_deref().map(|text| parameters::effort(&SourceText::from_flag("--effort", text)));
        Ok(Goal {
            effort: effort.transpose()?.unwrap_or_default(),
            efficiencies: self.costs.efficiencies()?,
            ..Goal::default()
        })
    }

    /// Returns a predicate that is true until the time limit or a signal.
    pub(crate) fn continue_predicate(&self) -> impl Fn() -> bool + use<> {
        let (started, asked) = (Instant::now(), stop::stop_flag());
        let limit = self.time_limit.map(Duration::from_secs);
        move || !asked.load(Ordering::Relaxed) && limit.is_none_or(|limit| started.elapsed() < limit)
    }
}

#[derive(Args, Debug)]
pub(crate) struct CompareArgs {
    /// First plan file.
    #[arg(value_name = "FIRST.toml")]
    pub(crate) first: PathBuf,
    /// Second plan file.
    #[arg(value_name = "SECOND.toml")]
    pub(crate) second: PathBuf,
    /// A `.mlir`, `.onnx`, `.pt2` or `.pir` file, or a built-in model: `zoo:gpt?layers=2`.
    #[arg(long)]
    pub(crate) model: Option<String>,
    #[arg(long, value_name = "FILE.toml|NAME", help = super::machine_help())]
    pub(crate) machine: String,
    #[command(flatten)]
    pub(crate) costs: CostFlags,
    /// Also write the comparison to this file, as an HTML page.
    #[arg(long, value_name = "FILE.html")]
    pub(crate) html: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct SweepArgs {
    /// Sweep file: `models`, `machines`, and the constraints of searches in sections `[constraints.NAME]`.
    #[arg(value_name = "SWEEP.toml")]
    pub(crate) file: PathBuf,
    /// Folder of the results `results.csv`, `results.jsonl` and `plans/`; by default named after the sweep file.
    /// Finished searches in this folder are not repeated.
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// Number of concurrent searches; by default the number of cores.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) threads: Option<u32>,
    /// Also write the results to this file, as an HTML page with the Pareto front of each model.
    #[arg(long, value_name = "FILE.html")]
    pub(crate) html: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Parses a number of zero or more.
fn non_negative(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|x| x.is_finite() && (0.0..=1e6).contains(x));
    number.ok_or_else(|| "expected a number from 0 on: 0.1".to_owned())
}

#[derive(Args, Debug)]
pub(crate) struct ReplanArgs {
    /// Present plan.
    #[arg(value_name = "PLAN.toml")]
    pub(crate) plan: PathBuf,
    /// A `.mlir`, `.onnx`, `.pt2` or `.pir` file, or a built-in model: `zoo:gpt?layers=2`.
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// Machine, including the lost devices: a file, or a built-in name such as `dgx-a100?nodes=8`.
    #[arg(long, value_name = "FILE.toml|NAME")]
    pub(crate) machine: String,
    /// Numbers of the lost devices: `3,5`.
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',')]
    pub(crate) lost: Vec<usize>,
    /// Number of available devices, counted from the first one; by default all devices of the machine.
    #[arg(long, value_name = "N", conflicts_with = "lost", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) devices: Option<u32>,
    /// Parameters that are no longer trained.
    #[arg(long, value_name = "PATH")]
    pub(crate) freeze: Vec<String>,
    /// Relative slowdown of a step, compared with the fastest plan, that is accepted to transfer less.
    #[arg(long = "max-slowdown", alias = "slower")]
    #[arg(value_name = "SHARE", default_value_t = 0.02, value_parser = super::share)]
    pub(crate) slower: f64,
    /// Relative increase of the transferred bytes, compared with the minimum, that is accepted for faster steps on
    /// closer devices.
    #[arg(long = "max-extra-transfer", alias = "more")]
    #[arg(value_name = "SHARE", default_value_t = 0.1, value_parser = non_negative)]
    pub(crate) more: f64,
    #[command(flatten)]
    pub(crate) search: SearchFlags,
    /// Write the new plan to this file.
    #[arg(short, long, value_name = "NEW.toml")]
    pub(crate) output: Option<PathBuf>,
    /// Print one JSON object, with all transfers.
    #[arg(long)]
    pub(crate) json: bool,
}
