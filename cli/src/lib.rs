//! The command line: `plan`, `run`, `simulate`, `search`, `compare`, `sweep`, `replan`, `calibrate`, `compile`,
//! `inspect`, `doctor`, `train`, `predict`, `serve`, `models`, `explain`, `prove`, `dev`.
//!
//! [`main`] serves the binary; [`main_with`] gives a program of one's own the same command line for its model. A verb
//! turns its arguments into a text and a verdict (`Outcome`); only this file prints, draws errors and chooses the exit
//! code: 0 when all is well, 1 for a mistake of the user's (or results that disagree), 2 for a wrong command line, 70
//! for a bug of ours.

mod args;
mod calibrate;
mod compare;
mod crash;
mod dev;
mod explain;
mod files;
mod gpu;
mod model;
mod models;
mod passes;
mod plan;
mod predict;
mod progress;
mod prove;
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

use args::{Cli, DevVerb, Verb};
use clap::Parser;
use partita::Result;
#[cfg(not(feature = "serve"))]
use partita::error::left_out;
use partita_ir::diag::{Diagnostic, Label, Source, Span};
use partita_ir::input_file::read_text;
use partita_ir::program::Program;
use render::render;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

/// Stack of the thread that does the work; parsers limit their depth well within it.
const STACK: usize = 64 << 20;

/// A model that the caller brings along.
pub(crate) struct Own<'a> {
    name: &'a str,
    trace: &'a (dyn Fn() -> Result<Program> + Sync),
}

/// What a verb has to say.
pub(crate) struct Outcome {
    /// For standard output.
    text: String,
    /// Whether it went well.
    ok: bool,
}

impl From<String> for Outcome {
    fn from(text: String) -> Outcome {
        Outcome { text, ok: true }
    }
}

/// The command line on files and built-in models.
pub fn main() -> ExitCode {
    start(None)
}

/// The command line for a model of one's own: MODEL may be left out and means what `trace` gives; `name` is what it is
/// called in what is printed.
///
/// ```no_run
/// # use partita::prelude::*;
/// # fn my_model() -> partita::Result<Program> { partita::load("zoo:mlp") }
/// fn main() -> std::process::ExitCode {
///     partita_cli::main_with("my-model", my_model)
/// }
/// ```
pub fn main_with(name: &str, trace: impl Fn() -> Result<Program> + Sync) -> ExitCode {
    start(Some(Own { name, trace: &trace }))
}

fn start(own: Option<Own<'_>>) -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(e) => {
            let _ = e.print();
            return ExitCode::from(u8::try_from(e.exit_code()).unwrap_or(2));
        }
    };
    crash::watch();
    let worker = std::thread::Builder::new().stack_size(STACK);
    let result = std::thread::scope(|scope| match worker.spawn_scoped(scope, || dispatch(cli.verb, own.as_ref())) {
        Ok(thread) => thread.join().map_err(|_| crash::report()),
        Err(e) => Err(format!("error: cannot start a thread: {e}\n")),
    });
    match result {
        Ok(Ok(outcome)) => {
            let printed = print(&outcome.text);
            if outcome.ok && printed { ExitCode::SUCCESS } else { ExitCode::from(1) }
        }
        Ok(Err(mut error)) => {
            error.0.iter_mut().for_each(quote_line);
            eprintln!("{}", render(&error.0, colours()));
            if !error.is_bug() {
                return ExitCode::from(1);
            }
            crash::replay().into_iter().for_each(|how| eprintln!("  = note: {how}"));
            ExitCode::from(crash::EXIT)
        }
        Err(bug) => {
            eprint!("{bug}");
            ExitCode::from(crash::EXIT)
        }
    }
}

fn dispatch(verb: Verb, own: Option<&Own<'_>>) -> Result<Outcome> {
    match verb {
        Verb::Plan(args) => plan::plan(&args, own),
        Verb::Run(args) => run::run(&args, own),
        Verb::Simulate(args) => simulate::simulate(&args, own),
        Verb::Search(args) => search::search(&args, own),
        Verb::Compare(args) => compare::compare(&args, own),
        Verb::Sweep(args) => sweep::sweep(&args, own),
        Verb::Replan(args) => replan::replan(&args, own),
        Verb::Calibrate(args) => calibrate::calibrate(&args),
        Verb::Compile(args) => gpu::compile(&args, own),
        Verb::Inspect(args) => gpu::inspect(&args),
        Verb::Doctor(args) => gpu::doctor(&args),
        Verb::Train(args) => train::train(&args, own),
        Verb::Predict(args) => predict::predict(&args, own),
        #[cfg(feature = "serve")]
        Verb::Serve(args) => serve::serve(&args, own),
        #[cfg(not(feature = "serve"))]
        Verb::Serve(_) => Err(left_out("serve", "this build has no HTTP server").into()),
        Verb::Models(args) => models::models(&args),
        Verb::Explain(args) => explain::explain(&args, own),
        Verb::Prove(args) => prove::prove(&args),
        Verb::Dev(DevVerb::Opt(args)) => dev::opt(&args),
    }
}

/// `1 device`, `8 devices`
fn devices(count: usize) -> String {
    format!("{count} device{}", if count == 1 { "" } else { "s" })
}

/// Writes to standard output; a reader that went away (`| head`) is no error.
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

/// Gives a diagnostic that only knows file and line that line's text, if the file is there.
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

/// Whether errors are drawn in colour: on a terminal, unless NO_COLOR says otherwise.
fn colours() -> bool {
    let forbidden = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|v| v == "dumb");
    std::io::stderr().is_terminal() && !forbidden && !dumb
}
