//! Inventory for several processes: the MPI library, its launcher, and a trial of both.

use crate::launcher;
use crate::mpi::Library;
use partita_ir::diag::{Code, Diagnostic, shell_path, shell_word};
use partita_runtime::finding::Finding;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Name of the target of all findings.
const TARGET: &str = "ranks";

/// Program that starts processes of MPI.
const MPIRUN: &str = "mpirun";

/// Time within which the trial ends.
const TRIAL_TIMEOUT: Duration = Duration::from_secs(30);

/// Arguments of a run whose loss is the sum over two devices, compared with one device.
const TRIAL: [&str; 9] =
    ["run", "zoo:mlp?batch=4&width=4&hidden=4", "--mesh", "data=2", "--preset", "data", "--ranks", "mpi", "--check"];

/// Returns the findings. `program` is this program, two processes of which try an `all_reduce`.
pub fn findings(program: &Path) -> Vec<Finding> {
    let library = Library::open(None);
    let launcher = find_launcher();
    let mut all = vec![of_library(&library), of_launcher(launcher.as_ref())];
    all.extend(of_environment());
    if let (Ok(_), Some(found)) = (&library, &launcher) {
        let tried = try_all_reduce(found, program);
        let is_root = tried.as_ref().is_err_and(|why| why.title.contains("as root"));
        let help = match is_root {
            true => {
                "run as another user, or set `OMPI_ALLOW_RUN_AS_ROOT=1` and `OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1`".into()
            }
            false => {
                let words: Vec<_> = TRIAL.iter().map(|word| shell_word(word)).collect();
                format!("run `{MPIRUN} -np 2 {} {}`", shell_path(program), words.join(" "))
            }
        };
        all.push(Finding::trial(TARGET, "all_reduce on 2 ranks".to_owned(), tried, &help));
    }
    all
}

fn finding(kind: &'static str, name: Option<String>, about: String, help: Option<&str>) -> Finding {
    Finding { target: TARGET.to_owned(), kind, name, about, help: help.map(str::to_owned) }
}

fn of_library(library: &Result<Library, Diagnostic>) -> Finding {
    match library {
        Ok(library) => {
            let version = library.version();
            // Vendors add how the library was built.
            let name: Vec<&str> = version.text.split(',').next().unwrap_or_default().split_whitespace().collect();
            let about = format!("{}, ABI of {}", version.path, version.abi.name());
            finding("library", Some(name.join(" ")), about, None)
        }
        Err(why) => {
            let help = "install an MPI, such as `apt install openmpi-bin`, or set `PARTITA_MPI` to its library";
            finding("library", None, format!("MPI: {}", why.title), Some(help))
        }
    }
}

/// Launcher of this machine.
struct Launcher {
    path: PathBuf,
    /// First line of the version that it prints.
    version: String,
}

fn find_launcher() -> Option<Launcher> {
    let folders = std::env::var_os("PATH")?;
    let path = std::env::split_paths(&folders).map(|folder| folder.join(MPIRUN)).find(|path| path.is_file())?;
    let printed = Command::new(&path).arg("--version").stdin(Stdio::null()).output().ok()?.stdout;
    let printed = String::from_utf8_lossy(&printed);
    let mut lines = printed.lines().map(str::trim).filter(|line| !line.is_empty());
    // MPICH prints a heading before its version.
    let first = lines.next().unwrap_or("unknown version");
    let version = lines
        .find(|line| first.ends_with(':') && line.starts_with("Version:"))
        .map_or_else(|| first.to_owned(), |line| format!("MPICH {}", line.trim_start_matches("Version:").trim()));
    Some(Launcher { path, version })
}

fn of_launcher(found: Option<&Launcher>) -> Finding {
    match found {
        Some(Launcher { path, version }) => {
            finding("launcher", Some(version.clone()), path.display().to_string(), None)
        }
        None => {
            let help = "install an MPI, or start processes by TCP: `partita launch -n N -- train ...`";
            finding("launcher", None, format!("{MPIRUN} is not in PATH"), Some(help))
        }
    }
}

/// Returns the finding for the launcher that started this process, if any.
fn of_environment() -> Option<Finding> {
    match launcher::detect(&|name| std::env::var(name).ok()) {
        Ok(None) => None,
        Ok(Some(launched)) => {
            let about = format!("started this process as rank {} of {}", launched.rank, launched.count);
            Some(finding("launcher", Some(launched.launcher.to_owned()), about, None))
        }
        Err(why) => Some(finding("launcher", None, why.title, why.helps.first().map(|help| help.text.as_str()))),
    }
}

/// Runs [`TRIAL`] on two ranks.
fn try_all_reduce(launcher: &Launcher, program: &Path) -> Result<(), Diagnostic> {
    let mut command = Command::new(&launcher.path);
    if launcher.version.contains("Open MPI") {
        // Also on a machine with one core.
        command.arg("--oversubscribe");
    }
    command.args(["-np", "2"]).arg(program).args(TRIAL).stdin(Stdio::null());
    let failed = |why: String| Diagnostic::new(Code::R005, why);
    let mut process = command
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|why| failed(format!("{MPIRUN} cannot be started: {why}")))?;
    let errors = process.stderr.take();
    let reader =
        std::thread::spawn(move || errors.map(std::io::read_to_string).and_then(Result::ok).unwrap_or_default());
    let started = Instant::now();
    loop {
        match process.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => {
                let text = reader.join().unwrap_or_default();
                let said = text.lines().map(str::trim).find(|line| line.chars().any(char::is_alphabetic));
                return Err(failed(said.map_or_else(|| format!("{MPIRUN} ended with {status}"), str::to_owned)));
            }
            Ok(None) if started.elapsed() < TRIAL_TIMEOUT => std::thread::sleep(Duration::from_millis(10)),
            Ok(None) | Err(_) => {
                let _ = process.kill();
                let _ = process.wait();
                return Err(failed(format!("{MPIRUN} did not end within {TRIAL_TIMEOUT:?}")));
            }
        }
    }
}
