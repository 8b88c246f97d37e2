//! Runs every `tests/filetests/**/*.pir`; with `PARTITA_BLESS=1` it writes what comes out into the files instead.

use filetests::golden::Golden;
use libtest_mimic::{Arguments, Failed, Trial};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests");
    let mut files = Vec::new();
    if let Err(e) = find(&root, &mut files) {
        eprintln!("{}: {e}", root.display());
        return ExitCode::FAILURE;
    }
    files.sort();
    let bless = std::env::var_os("PARTITA_BLESS").is_some();
    let trials = files.into_iter().map(|file| {
        let name = file.strip_prefix(&root).unwrap_or(&file).display().to_string().replace('\\', "/");
        Trial::test(name.clone(), move || check(&file, &name, bless).map_err(Failed::from))
    });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

/// Every golden under a folder.
fn find(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            find(&path, files)?;
        } else if path.extension().is_some_and(|e| e == "pir") {
            files.push(path);
        }
    }
    Ok(())
}

fn check(file: &Path, name: &str, bless: bool) -> Result<(), String> {
    let text = fs::read_to_string(file).map_err(|e| e.to_string())?;
    let golden = Golden::read(name, &text)?;
    if !bless {
        return golden.check();
    }
    let blessed = golden.blessed()?;
    if blessed == text { Ok(()) } else { fs::write(file, blessed).map_err(|e| e.to_string()) }
}
