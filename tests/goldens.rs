//! Runs every `tests/filetests/**/*.pir`, and checks that every pass has a golden of each kind. With `PARTITA_BLESS=1`,
//! writes the actual output into the files.

use filetests::golden::{Golden, files};
use filetests::pass_goldens;
use libtest_mimic::{Arguments, Failed, Trial};
use partita_passes::pipelines;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = tests.join("filetests");
    let files = match files(&root, "pir") {
        Ok(files) => files,
        Err(e) => {
            eprintln!("{}: {e}", root.display());
            return ExitCode::FAILURE;
        }
    };
    let bless = std::env::var_os("PARTITA_BLESS").is_some();
    let mut trials: Vec<Trial> = Vec::new();
    for file in files {
        let name = file.strip_prefix(&root).unwrap_or(&file).display().to_string().replace('\\', "/");
        trials.push(Trial::test(name.clone(), move || check(&file, &name, bless).map_err(Failed::from)));
    }
    for pass in pipelines::pass_names().into_iter().filter(|_| !bless) {
        let kinds = move || pass_goldens::check(&tests.join(".."), pass).map_err(Failed::from);
        trials.push(Trial::test(format!("{pass}: kinds of goldens"), kinds));
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn check(file: &Path, name: &str, bless: bool) -> Result<(), String> {
    let text = fs::read_to_string(file).map_err(|e| e.to_string())?;
    let golden = Golden::read(name, &text)?;
    if !bless {
        return golden.check();
    }
    let blessed = golden.with_actual_output()?;
    if blessed == text { Ok(()) } else { fs::write(file, blessed).map_err(|e| e.to_string()) }
}
