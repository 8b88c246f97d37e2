//! Command-line interface: `plan`, `run`, `simulate`, `search`, `compare`, `export`, `sweep`, `replan`, `calibrate`,
//! `compile`, `inspect`, `doctor`, `train`, `launch`, `checkpoint`, `predict`, `serve`, `models`, `explain`, `prove`,
//! `dev`.
//!
//! [`main`] is the binary `partita`; [`main_with`] builds the same command for a model that is defined in Rust. Each
//! command returns a text and a status (`Outcome`); only this file prints, renders errors and sets the exit code: 0 for
//! success, 1 for user errors (or results that disagree), 2 for an invalid command line, 70 for internal errors.

mod args;
mod calibrate;
mod checkpoint;
mod compare;
mod crash;
mod dev;
mod doctor;
mod explain;
mod export;
mod files;
mod gpu;
mod launch;
mod model;
mod models;
mod passes;
mod plan;
mod predict;
mod progress;
mod prove;
mod ranks;
pub mod render;
mod replan;
mod results;
mod run;
mod search;
#[cfg(feature = "serve")]
mod serve;
mod simulate;
mod stop;
mod sweep;
mod tensors;
mod train;

use args::{Cli, CommandArgs, DevCommand};
use clap::Parser;
use partita::Result;
#[cfg(not(feature = "serve"))]
use partita::error::missing_feature;
use partita_ir::diag::{Diagnostic, Label, Source, Span};
use partita_ir::input_file::read_text;
use partita_ir::program::Program;
use render::render;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

/// Stack size of the worker thread in bytes. Parsers limit their depth well within it.
const STACK_BYTES: usize = 64 << 20;

/// A model that the caller provides in Rust.
pub(crate) struct CallerModel<'a> {
    name: &'a str,
    trace: &'a (dyn Fn() -> Result<Program> + Sync),
}

/// Result of a command.
pub(crate) struct Outcome {
    /// Text for standard output.
    text: String,
    /// True for exit code 0.
    ok: bool,
}

impl From<String> for Outcome {
    fn from(text: String) -> Outcome {
        Outcome { text, ok: true }
    }
}

/// Runs the command line on files and built-in models.
pub fn main() -> ExitCode {
    start(None)
}

/// Runs the command line for a model that is defined in Rust: without MODEL, commands use the program that `trace`
/// returns. `name` is its name in the output.
///
/// ```no_run
/// # use partita::prelude::*;
/// # fn my_model() -> partita::Result<Program> { partita::load("zoo:mlp") }
/// fn main() -> std::process::ExitCode {
///     partita_cli::main_with("my-model", my_model)
/// }
/// ```
pub fn main_with(name: &str, trace: impl Fn() -> Result<Program> + Sync) -> ExitCode {
    start(Some(CallerModel { name, trace: &trace }))
}

fn start(own: Option<CallerModel<'_>>) -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(e) => {
            let _ = e.print();
            return ExitCode::from(u8::try_from(e.exit_code()).unwrap_or(2));
        }
    };
    crash::watch();
    let worker = std::thread::Builder::new().stack_size(STACK_BYTES);
    let result = std::thread::scope(|scope| match worker.spawn_scoped(scope, || dispatch(cli.command, own.as_ref())) {
        Ok(thread) => thread.join().map_err(|_| crash::report()),
        Err(e) => Err(format!("error: cannot start a thread: {e}\n")),
    });
    let code = match result {
        Ok(Ok(outcome)) => {
            let printed = !ranks::is_first() || print(&outcome.text);
            if outcome.ok && printed { ExitCode::SUCCESS } else { ExitCode::from(1) }
        }
        Ok(Err(mut error)) => {
            error.0.first().into_iter().for_each(ranks::abort);
            error.0.iter_mut().for_each(quote_line);
            eprintln!("{}", render(&error.0, colours()));
            if !error.is_bug() {
                return ExitCode::from(ranks::exit_code_of_error());
            }
            crash::replay().into_iter().for_each(|how| eprintln!("  = note: {how}"));
            ExitCode::from(crash::EXIT_CODE)
        }
        Err(bug) => {
            eprint!("{bug}");
            ExitCode::from(crash::EXIT_CODE)
        }
    };
    ranks::finish();
    code
}

fn dispatch(command: CommandArgs, own: Option<&CallerModel<'_>>) -> Result<Outcome> {
    match command {
        CommandArgs::Plan(args) => plan::plan(&args, own),
        CommandArgs::Run(args) => run::run(&args, own),
        CommandArgs::Simulate(args) => simulate::simulate(&args, own),
        CommandArgs::Search(args) => search::search(&args, own),
        CommandArgs::Compare(args) => compare::compare(&args, own),
        CommandArgs::Export(args) => export::run_export(&args, own),
        CommandArgs::Sweep(args) => sweep::sweep(&args, own),
        CommandArgs::Replan(args) => replan::replan(&args, own),
        CommandArgs::Calibrate(args) => calibrate::calibrate(&args),
        CommandArgs::Compile(args) => gpu::compile(&args, own),
        CommandArgs::Inspect(args) => gpu::inspect(&args),
        CommandArgs::Doctor(args) => doctor::doctor(&args),
        CommandArgs::Train(args) => train::train(&args, own),
        CommandArgs::Launch(args) => launch::launch(&args, own),
        CommandArgs::Checkpoint(command) => checkpoint::checkpoint(&command),
        CommandArgs::Predict(args) => predict::predict(&args, own),
        #[cfg(feature = "serve")]
        CommandArgs::Serve(args) => serve::serve(&args, own),
        #[cfg(not(feature = "serve"))]
        CommandArgs::Serve(_) => Err(missing_feature("serve", "this build has no HTTP server").into()),
        CommandArgs::Models(args) => models::models(&args),
        CommandArgs::Explain(args) => explain::explain(&args, own),
        CommandArgs::Prove(args) => prove::prove(&args),
        CommandArgs::Dev(DevCommand::Opt(args)) => dev::opt(&args),
    }
}

/// Formats a number of devices: `1 device`, `8 devices`.
fn devices(count: usize) -> String {
    format!("{count} device{}", if count == 1 { "" } else { "s" })
}

/// Writes to standard output. A closed pipe (`| head`) is not an error.
fn print(text: &str) -> bool {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => true,
        Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => true,
        Err(e) => {
            eprintln!("error: cannot write to standard output: {e}");
            false
        }
    }
}

/// Adds the source line to a diagnostic that only has file and line number, if the file is readable.
fn quote_line(diagnostic: &mut Diagnostic) {
    let Some(place) = diagnostic.line.as_deref().filter(|_| diagnostic.labels.is_empty()) else { return };
    let (file, before) = (place.0.clone(), (place.1 as usize).saturating_sub(1));
    let Ok(text) = read_text(Path::new(&file)) else { return };
    let Some(quoted) = text.split('\n').nth(before) else { return };
    let indent = quoted.len() - quoted.trim_start().len();
    let start = indent + text.split('\n').take(before).map(|line| line.len() + 1).sum::<usize>();
    let range = start..start + quoted.trim().len();
    diagnostic.labels.push(Label {
        span: Span::new(&Source::new(file, text), range),
        text: String::new(),
        primary: true,
    });
}

/// Returns true if errors are rendered in colour: on a terminal, unless `NO_COLOR` is set.
fn colours() -> bool {
    let forbidden = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|v| v == "dumb");
    std::io::stderr().is_terminal() && !forbidden && !dumb
}
