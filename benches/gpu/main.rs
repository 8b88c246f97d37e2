//! What compiled models do on a GPU of NVIDIA: whether they compute what the interpreter does, and how fast.
//!
//! `benches/gpu/run` builds this, lets it `pack` all cases into a folder on a machine that needs no GPU, and lets it `measure` them on
//! one that has one. `rehearse` does what can be done without.

mod cases;
mod check;
mod time;

use cases::{LIST, Record};
use partita_gpu::cuda::Cuda;
use partita_ir::diag::Diagnostic;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// How it is called.
const USAGE: &str = "usage: gpu pack FOLDER | gpu rehearse FOLDER | gpu measure FOLDER DATE COMMAND RESULTS.json";

fn main() -> partita::Result<ExitCode> {
    // What cargo hands on to benchmarks is not meant for this one.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["pack", folder] => cases::pack(Path::new(folder)).map(|()| ExitCode::SUCCESS),
        ["rehearse", folder] => check::rehearse(Path::new(folder)).map(code),
        ["measure", folder, date, command, results] => measure(Path::new(folder), [date, command], Path::new(results)),
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

fn code(is_right: bool) -> ExitCode {
    if is_right { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Checks and times everything, and writes it down.
fn measure(folder: &Path, [date, command]: [&str; 2], results: &Path) -> partita::Result<ExitCode> {
    // Without a GPU everything would be wrong.
    Cuda::open(0)?;
    let list = list(folder)?;
    let (checks, is_right) = check::measure(folder, &list)?;
    let times = time::measure(folder, &list)?;
    let found = partita_gpu::machine::found();
    let devices = found.iter().filter(|found| found.target == "cuda" && found.name.is_some());
    let object = json!({
        "date": date,
        "command": command,
        "version": env!("CARGO_PKG_VERSION"),
        "found": devices.collect::<Vec<_>>(),
        "checks": checks,
        "times": times,
    });
    std::fs::write(results, format!("{object:#}\n")).map_err(|e| Diagnostic::of_file("write", results, &e))?;
    println!("{}", results.display());
    Ok(code(is_right))
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
