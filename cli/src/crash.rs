//! Reports of internal errors: panics, and passes that produce invalid programs. If the failure can be reproduced by a
//! single pass, the report names a file with the input of the pass, and a command.
//!
//! Compilation is deterministic, so nothing is recorded before a failure. After a failure, the passes run again on the
//! original program one by one, and the input of the first one that fails is written.

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

/// Exit code of an internal error (`EX_SOFTWARE` of sysexits.h).
pub(super) const EXIT_CODE: u8 = 70;

/// File to which the input of the failed pass is written.
const CRASH_FILE: &str = "crash.pir";

/// Message and location of the last panic, stored by the hook until [`report`].
static LAST_PANIC: Mutex<Option<String>> = Mutex::new(None);

/// Note with the command that reproduces the failure, if a file was written.
static REPLAY_HINT: Mutex<Option<String>> = Mutex::new(None);

/// Installs a panic hook that stores the message of a panic instead of printing it.
pub(super) fn watch() {
    std::panic::set_hook(Box::new(|info| store(&LAST_PANIC, describe(info))));
}

fn store(place: &Mutex<Option<String>>, text: String) {
    if let Ok(mut place) = place.lock() {
        *place = Some(text);
    }
}

fn take(place: &Mutex<Option<String>>) -> Option<String> {
    place.lock().ok().and_then(|mut place| place.take())
}

fn describe(info: &PanicHookInfo<'_>) -> String {
    let payload = info.payload();
    let message = payload.downcast_ref::<&str>().copied().or(payload.downcast_ref::<String>().map(String::as_str));
    let at = info.location().map(|l| format!(" ({}:{})", l.file(), l.line())).unwrap_or_default();
    format!("{}{at}", message.unwrap_or("no message"))
}

/// Formats the message to the user after a panic: the panic's message, and the files or the command line to report.
pub(super) fn report() -> String {
    let what = take(&LAST_PANIC).unwrap_or_else(|| "a panic without message".into());
    let mut text = format!("internal error: {what}\n  = note: this is a bug in Partita, not in your model\n");
    let command: Vec<String> = std::env::args().map(|word| shell_word(&word).into_owned()).collect();
    let command = command.join(" ");
    let _ = match take(&REPLAY_HINT) {
        Some(replay) => writeln!(text, "  = note: `{CRASH_FILE}` contains the input of the failed pass; {replay}"),
        None => writeln!(text, "  = help: please report it with the model and this command: {command}"),
    };
    text
}

/// Runs a compilation. After an internal error, writes the files to reproduce it and returns the error or resumes the
/// panic.
pub(super) fn guard<T>(program: &Program, plan: &Plan, compile: impl FnOnce(&Program) -> Result<T>) -> Result<T> {
    match catch_unwind(AssertUnwindSafe(|| compile(program))) {
        Ok(Err(error)) if error.is_bug() => {
            save(program, plan);
            Err(error)
        }
        Ok(result) => result,
        Err(panic) => {
            let message = take(&LAST_PANIC);
            save(program, plan);
            // The first panic is reported, not that of the reproduction.
            message.into_iter().for_each(|message| store(&LAST_PANIC, message));
            resume_unwind(panic)
        }
    }
}

/// Runs the default passes for one mesh again, and writes the input of the first one that fails. Writes nothing if all
/// of them succeed, as for a failure in another lowering variant or in the passes of pipeline stages.
fn save(program: &Program, plan: &Plan) {
    let Ok(pipeline) = pipelines::pipeline(Milestone::from_form(program.form), Milestone::Local, Variant::default())
    else {
        return;
    };
    let mut input_of_pass = program.clone();
    let (input, mut findings) = (Input::with_plan(plan.clone()), Findings::default());
    for info in pipeline.infos() {
        let mut next = input_of_pass.clone();
        let step = AssertUnwindSafe(|| run_one(info.name, &mut next, &input, &mut findings));
        if matches!(catch_unwind(step), Ok(Ok(()))) {
            input_of_pass = next;
            continue;
        }
        let mut command = format!("partita dev opt --pass {}", info.name);
        if *plan != Plan::default() && replace_file(Path::new("crash.toml"), plan.to_toml().as_bytes()).is_ok() {
            command.push_str(" --plan crash.toml");
        }
        if replace_file(Path::new(CRASH_FILE), text::print(&input_of_pass).as_bytes()).is_ok() {
            store(&REPLAY_HINT, format!("reproduce the error with `{command} {CRASH_FILE}`"));
        }
        return;
    }
}

/// Returns and clears the note with the command that reproduces the failure, if a file was written.
pub(super) fn replay() -> Option<String> {
    take(&REPLAY_HINT)
}
