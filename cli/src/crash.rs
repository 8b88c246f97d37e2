//! Bugs of ours: a panic anywhere below the command line, or a pass that breaks a program, ends with a message, a file
//! and the command that replays it.
//!
//! Compilation is deterministic. So nothing is kept for the case of a crash: when a pass fails, the passes before it
//! are run again on the traced program, and what they give is written.

use super::passes::run_one;
use partita::Result;
use partita_ir::diag::shell_word;
use partita_ir::plan::Plan;
use partita_ir::program::Program;
use partita_ir::text;
use partita_passes::driver::variant::Variant;
use partita_passes::driver::{Findings, Input};
use partita_passes::pipelines::{self, Milestone};
use partita_runtime::io::replace_file;
use std::fmt::Write;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, resume_unwind};
use std::path::Path;
use std::sync::Mutex;

/// The exit code for a bug of ours (`EX_SOFTWARE` of sysexits.h).
pub(super) const EXIT: u8 = 70;

/// The program that the failing pass was given.
const FILE: &str = "crash.pir";

/// What the panic said and where, kept by the hook until [`report`].
static LAST: Mutex<Option<String>> = Mutex::new(None);

/// How to replay it, once that is known.
static REPLAY: Mutex<Option<String>> = Mutex::new(None);

/// From now on, panics are kept instead of printed.
pub(super) fn watch() {
    std::panic::set_hook(Box::new(|info| keep(&LAST, describe(info))));
}

fn keep(place: &Mutex<Option<String>>, text: String) {
    if let Ok(mut place) = place.lock() {
        *place = Some(text);
    }
}

fn take(place: &Mutex<Option<String>>) -> Option<String> {
    place.lock().ok().and_then(|mut place| place.take())
}

fn describe(info: &PanicHookInfo<'_>) -> String {
    let payload = info.payload();
    let said = payload.downcast_ref::<&str>().copied().or(payload.downcast_ref::<String>().map(String::as_str));
    let at = info.location().map(|l| format!(" ({}:{})", l.file(), l.line())).unwrap_or_default();
    format!("{}{at}", said.unwrap_or("no message"))
}

/// What to tell the user after a panic.
pub(super) fn report() -> String {
    let what = take(&LAST).unwrap_or_else(|| "a panic without message".into());
    let mut text = format!("bug: {what}\n  = note: this is a mistake in Partita, not in your model\n");
    let command: Vec<String> = std::env::args().map(|word| shell_word(&word).into_owned()).collect();
    let command = command.join(" ");
    let _ = match take(&REPLAY) {
        Some(replay) => writeln!(text, "  = note: `{FILE}` holds the program that the pass was given; {replay}"),
        None => writeln!(text, "  = help: please report it with the model and this command: {command}"),
    };
    text
}

/// Runs a compilation; when it turns out to be our mistake that it fails, writes what is needed to replay it.
pub(super) fn guard<T>(program: &Program, plan: &Plan, compile: impl FnOnce(&Program) -> Result<T>) -> Result<T> {
    match catch_unwind(AssertUnwindSafe(|| compile(program))) {
        Ok(Err(error)) if error.is_bug() => {
            save(program, plan);
            Err(error)
        }
        Ok(result) => result,
        Err(panic) => {
            let said = take(&LAST);
            save(program, plan);
            // Replaying panicked once more: what counts is what the first panic said.
            said.into_iter().for_each(|said| keep(&LAST, said));
            resume_unwind(panic)
        }
    }
}

/// Finds the pass that fails, and writes the program that it is given.
fn save(program: &Program, plan: &Plan) {
    let Ok(pipeline) = pipelines::pipeline(Milestone::of(program.form), Milestone::Local, Variant::default()) else {
        return;
    };
    let mut good = program.clone();
    let (input, mut findings) = (Input::with_plan(plan.clone()), Findings::default());
    for info in pipeline.infos() {
        let mut next = good.clone();
        let step = AssertUnwindSafe(|| run_one(info.name, &mut next, &input, &mut findings));
        if matches!(catch_unwind(step), Ok(Ok(()))) {
            good = next;
            continue;
        }
        let mut command = format!("partita dev opt --pass {}", info.name);
        if *plan != Plan::default() && replace_file(Path::new("crash.toml"), plan.to_toml().as_bytes()).is_ok() {
            command.push_str(" --plan crash.toml");
        }
        if replace_file(Path::new(FILE), text::print(&good).as_bytes()).is_ok() {
            keep(&REPLAY, format!("replay it with `{command} {FILE}`"));
        }
        return;
    }
}

/// How to replay a compilation that failed by our mistake, if a file was written.
pub(super) fn replay() -> Option<String> {
    take(&REPLAY)
}
