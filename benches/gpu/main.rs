//! Correctness and speed of compiled models on an NVIDIA GPU, compared with the interpreter and vendor libraries.
//!
//! `benches/gpu/session` builds this program, runs `pack` to compile all cases into a folder on a machine without a
//! GPU, and runs `session` on a machine with one. Each `case` runs in a separate process and prints one line of JSON.

mod cases;
mod check;
mod device;
mod ranks;
mod report;
mod session;
mod time;

use cases::{CaseRecord, LIST};
use partita_ir::diag::{Code, Diagnostic};
use serde_json::{Value, json};
use session::{Session, SessionMode};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Command-line usage.
const USAGE: &str = "usage:
gpu pack FOLDER
gpu case FOLDER NAME (cuda|nccl|nccl-ranks|emulator|network|network-ranks|time|once)
gpu rank FOLDER NAME (nccl-ranks|network-ranks) RANK PORT
gpu calls
gpu session FOLDER RESULTS DATE [rehearse]";

fn main() -> partita::Result<ExitCode> {
    // Cargo passes flags to every benchmark; this program has none.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["pack", folder] => cases::pack(Path::new(folder)).map(|()| ExitCode::SUCCESS),
        ["case", folder, name, on] => Ok(print_result(case(Path::new(folder), name, on))),
        ["rank", folder, name, on, rank, port] => Ok(print_result(rank_process(folder, name, on, (rank, port)))),
        ["calls"] => Ok(print_result(check::calls())),
        ["session", folder, results, date] => run_session(folder, results, date, SessionMode::OnGpu),
        ["session", folder, results, date, "rehearse"] => run_session(folder, results, date, SessionMode::Rehearsal),
        [] => {
            println!("{USAGE}");
            Ok(ExitCode::SUCCESS)
        }
        _ => {
            eprintln!("{USAGE}");
            Ok(ExitCode::from(2))
        }
    }
}

fn run_session(folder: &str, results: &str, date: &str, mode: SessionMode) -> partita::Result<ExitCode> {
    let session = Session::new(Path::new(folder), Path::new(results), date, mode)?;
    Ok(if session.run()? { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Prints the result of a case as one line of JSON.
fn print_result(result: partita::Result<Value>) -> ExitCode {
    let line = result.unwrap_or_else(|e| json!({ "error": error_title(&e) }));
    println!("{line}");
    if line["ok"] == false || line.get("error").is_some() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Runs one process of a case.
fn rank_process(folder: &str, name: &str, on: &str, (rank, port): (&str, &str)) -> partita::Result<Value> {
    let number = |text: &str| text.parse().map_err(|_| Diagnostic::new(Code::C002, format!("`{text}` is no number")));
    let (rank, port): (u16, u16) = (number(rank)?, number(port)?);
    ranks::process(Path::new(folder), &record(Path::new(folder), name)?, on, (rank.into(), port))
}

/// Returns the case of a folder with a name.
fn record(folder: &Path, name: &str) -> partita::Result<CaseRecord> {
    let found = list(folder)?.into_iter().find(|record| record.name == name);
    Ok(found.ok_or_else(|| Diagnostic::new(Code::C002, format!("unknown case `{name}`")))?)
}

/// Runs a case.
fn case(folder: &Path, name: &str, on: &str) -> partita::Result<Value> {
    let record = &record(folder, name)?;
    if let Some(why) = &record.refused {
        return Ok(json!({ "refused": why, "ok": false }));
    }
    match on {
        "time" => time::case(folder, record),
        "once" => time::once(folder, record),
        "nccl-ranks" | "network-ranks" => ranks::case(folder, record, on),
        on => check::case(folder, record, on),
    }
}

/// Reads the cases of a folder.
fn list(folder: &Path) -> partita::Result<Vec<CaseRecord>> {
    let path = folder.join(LIST);
    let text = std::fs::read_to_string(&path).map_err(|e| Diagnostic::io_error("read", &path, &e))?;
    let list = serde_json::from_str(&text);
    Ok(list.map_err(|e| Diagnostic::io_error("read", &path, &std::io::Error::other(e)))?)
}

/// Returns the title of the first diagnostic of an error.
fn error_title(error: &partita::Error) -> String {
    error.0.first().map_or_else(String::new, |e| e.title.clone())
}

/// Returns the path of a file of a case.
fn file(folder: &Path, record: &CaseRecord, ending: &str) -> PathBuf {
    folder.join(format!("{}.{ending}", record.name))
}
