//! `sweep`: runs the searches of a sweep file.

use super::args::SweepArgs;
use super::files::{check_writable, write_file};
use super::model;
use super::progress::Bar;
use super::stop;
use super::{CallerModel, Outcome};
use partita::Result;
use partita::sweep::{Sweep, SweepProgress};
use partita_ir::diag::Source;
use partita_ir::input_file::read_text;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

/// Runs `partita sweep`.
pub(super) fn sweep(args: &SweepArgs, own: Option<&CallerModel<'_>>) -> Result<Outcome> {
    args.html.iter().try_for_each(|path| check_writable(path))?;
    let asked = stop::stop_flag();
    let source = Source::new(args.file.display().to_string(), read_text(&args.file)?);
    let sweep = Sweep::read(&source)?;
    let beside = || args.file.file_stem().map_or_else(|| PathBuf::from("sweep"), PathBuf::from);
    let folder = args.output.clone().unwrap_or_else(beside);
    let cores = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let threads = args.threads.map_or_else(cores, |threads| threads as usize);
    let bar = Bar::new(0, sweep.len() as u64);
    let load = |name: &str| Ok(model::program(Some(name), own)?.program);
    let swept = sweep.run(&folder, threads, &load, &|at: &SweepProgress<'_>| {
        bar.set_step(at.done.0 as u64, at.case.to_string());
        !asked.load(Ordering::Relaxed)
    })?;
    drop(bar);
    if let Some(path) = &args.html {
        write_file(path, &swept.to_html())?;
    }
    let text = if args.json { swept.to_json() + "\n" } else { swept.to_string() };
    Ok(Outcome { text, ok: swept.is_complete() })
}
