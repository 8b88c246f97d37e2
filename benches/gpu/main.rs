//! What compiled models do on a GPU of NVIDIA: whether they compute what the interpreter does, and how fast.
//!
//! `benches/gpu/session` builds this, lets it `pack` all cases into a folder on a machine that needs no GPU, and lets
//! it carry out the `session` on one that has one. Each `case` is a process of its own, which prints a line of JSON.

mod cases;
mod check;
mod device;
mod report;
mod session;
mod time;

use cases::{LIST, Record};
use partita_ir::diag::{Code, Diagnostic};
use serde_json::{Value, json};
use session::{Session, Way};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// How it is called.
const USAGE: &str = "usage: gpu pack FOLDER | gpu case FOLDER NAME (cuda|nccl|emulator|network|time|once) | gpu calls \
                     | gpu session FOLDER RESULTS DATE [rehearse]";

fn main() -> partita::Result<ExitCode> {
    // What cargo hands on to benchmarks is not meant for this one.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["pack", folder] => cases::pack(Path::new(folder)).map(|()| ExitCode::SUCCESS),
        ["case", folder, name, on] => Ok(say(case(Path::new(folder), name, on))),
        ["calls"] => Ok(say(check::calls())),
        ["session", folder, results, date] => hold(folder, results, date, Way::OnGpu),
        ["session", folder, results, date, "rehearse"] => hold(folder, results, date, Way::Rehearsed),
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

fn hold(folder: &str, results: &str, date: &str, way: Way) -> partita::Result<ExitCode> {
    let session = Session::new(Path::new(folder), Path::new(results), date, way)?;
    Ok(if session.hold()? { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Prints what came of a case as a line of JSON.
fn say(result: partita::Result<Value>) -> ExitCode {
    let line = result.unwrap_or_else(|e| json!({ "error": said(&e) }));
    println!("{line}");
    if line["ok"] == false || line.get("error").is_some() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Carries out a case.
fn case(folder: &Path, name: &str, on: &str) -> partita::Result<Value> {
    let list = list(folder)?;
    let Some(record) = list.iter().find(|record| record.name == name) else {
        return Err(Diagnostic::new(Code::C002, format!("there is no case `{name}`")).into());
    };
    if let Some(why) = &record.refused {
        return Ok(json!({ "refused": why, "ok": false }));
    }
    match on {
        "time" => time::case(folder, record),
        "once" => time::once(folder, record),
        on => check::case(folder, record, on),
    }
}

/// The cases of a folder.
fn list(folder: &Path) -> partita::Result<Vec<Record>> {
    let path = folder.join(LIST);
    let text = std::fs::read_to_string(&path).map_err(|e| Diagnostic::of_file("read", &path, &e))?;
    let list = serde_json::from_str(&text);
    Ok(list.map_err(|e| Diagnostic::of_file("read", &path, &std::io::Error::other(e)))?)
}

/// What went wrong, in a line.
fn said(error: &partita::Error) -> String {
    error.0.first().map_or_else(String::new, |e| e.title.clone())
}

/// The file of a case.
fn file(folder: &Path, record: &Record, ending: &str) -> PathBuf {
    folder.join(format!("{}.{ending}", record.name))
}
