//! Development tasks of the project: `cargo xtask tidy | bless | new-op | toy-op | new-pass | ci | benches | features |
//! readme | consumer | python | ranks | net | html | gpu-check | soak | fuzz`.

mod benches;
mod bless;
mod codes;
mod consumer;
mod exhaustive;
mod features;
mod gpu;
mod html;
mod naming;
mod net;
mod order;
mod prose;
mod python;
mod ranks;
mod readme;
mod scaffold;
mod tidy;
mod toy;
mod undeclared;
mod width;

use clap::{Parser, Subcommand};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Development tasks of the project")]
struct Args {
    #[command(subcommand)]
    chore: XtaskCommand,
}

#[derive(Subcommand)]
enum XtaskCommand {
    /// Check file lengths, module docs, crate-private names, machine paths, visits of the entry function alone, and
    /// wording; print the order of crates and modules and fail on cycles
    Tidy,
    /// Update all expected outputs of tests: the crate diagram in ARCHITECTURE.md, filetests, fallback lists, snapshots
    Bless {
        /// Only tests whose name contains this; the crate diagram is always updated
        filter: Option<String>,
    },
    /// Add an operation: create its file, its list entries, and a golden test
    NewOp {
        /// Name in program text, such as `cumulative_sum`
        name: String,
    },
    /// Add an operation to a copy of the repository and run random programs with it; the compiler must report every
    /// place that has to handle it
    ToyOp,
    /// Add a pass: create its file and a golden test of each kind
    NewPass {
        /// Name on the command line, such as `fuse-reshapes`
        name: String,
        /// Folder under passes/src that contains the pass
        #[arg(long, default_value = "optimising")]
        group: String,
    },
    /// Run all checks that a change must pass
    Ci,
    /// Run every benchmark and script of benches/ in short mode, without measuring; installs JAX
    Benches {
        /// Only benchmarks whose name contains this
        filter: Option<String>,
    },
    /// Compile every combination of features that a document, script or message names
    Features {
        /// Only list the combinations
        #[arg(long)]
        list: bool,
    },
    /// Run the first block of commands of the README
    Readme,
    /// Run the programs of tests/consumer, a crate that depends on `partita` alone
    Consumer,
    /// Test the Python package; installs JAX
    Python,
    /// Install the Python packages that other tasks need: JAX in two versions, and NVIDIA's compilers
    PythonPackages,
    /// Run programs on several processes under `mpirun`: results, faults; installs Open MPI if missing
    Ranks,
    /// Create network namespaces as test hosts, or remove them: `net up --rate 1gbit`, `net down`; needs root
    Net {
        #[command(subcommand)]
        action: NetAction,
    },
    /// Open HTML reports of all commands in Chromium: console messages, requests, accessibility, controls; installs
    /// axe-core and Playwright from npm
    Html,
    /// Compare generated GPU code with the CPU, on this machine's GPU or a software GPU, which is installed if missing
    GpuCheck,
    /// Run the long tests: ten thousand random programs, all models on every mesh, training that is killed repeatedly,
    /// and a server with many clients
    Soak {
        /// Arguments of the soak binary
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
    /// Fuzz the readers of all input formats, or of one, with mutated seeds
    Fuzz {
        /// Duration for each format in seconds
        #[arg(long, default_value_t = 60)]
        seconds: u64,
        /// Random seed; failures report the seed that reproduces them
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Only this input format, such as `onnx`
        format: Option<String>,
    },
}

#[derive(Subcommand)]
enum NetAction {
    /// Create four hosts on a bridge
    Up {
        /// Rate of each link in both directions
        #[arg(long, default_value = "1gbit")]
        rate: String,
    },
    /// Remove the hosts
    Down,
}

/// Result of a task; the error is a message ready to print.
type Outcome = Result<(), String>;

fn main() -> ExitCode {
    let root = root();
    let done = match Args::parse().chore {
        XtaskCommand::Tidy => tidy::check(&root),
        XtaskCommand::Bless { filter } => bless::bless(&root, filter.as_deref()),
        XtaskCommand::NewOp { name } => scaffold::new_op(&root, &name),
        XtaskCommand::ToyOp => toy::check(&root),
        XtaskCommand::NewPass { name, group } => scaffold::new_pass(&root, &name, &group),
        XtaskCommand::Ci => ci(&root),
        XtaskCommand::Benches { filter } => benches::check(&root, filter.as_deref()),
        XtaskCommand::Features { list } => features::check(&root, list),
        XtaskCommand::Consumer => consumer::check(&root),
        XtaskCommand::Python => python::check(&root),
        XtaskCommand::PythonPackages => python::install(&root).and_then(|()| gpu::install_compilers(&root).map(|_| ())),
        XtaskCommand::Html => html::check(&root),
        XtaskCommand::Readme => readme::check(&root),
        XtaskCommand::Ranks => ranks::check(&root),
        XtaskCommand::Net { action: NetAction::Up { rate } } => net::up(&rate),
        XtaskCommand::Net { action: NetAction::Down } => net::down(),
        XtaskCommand::GpuCheck => gpu::check(&root),
        XtaskCommand::Soak { args } => soak(&root, &args),
        XtaskCommand::Fuzz { seconds, seed, format } => fuzz(&root, seconds, seed, format),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

/// Returns the workspace folder, or `PARTITA_ROOT` if set.
fn root() -> PathBuf {
    std::env::var_os("PARTITA_ROOT").map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join(".."), PathBuf::from)
}

/// Installs packages of Debian.
fn apt_install(packages: &str) -> Outcome {
    println!("$ apt-get install {packages}");
    let script = format!(
        "sudo=; [ \"$(id -u)\" = 0 ] || sudo=sudo; $sudo apt-get update -qq && \\
        $sudo apt-get install -y -qq --no-install-recommends {packages}"
    );
    let status = Command::new("sh").args(["-c", &script]).status().map_err(|e| format!("cannot run sh: {e}"))?;
    if status.success() { Ok(()) } else { Err(format!("cannot install {packages}")) }
}

/// Target folder of builds that do not link, which can run beside others: `.ci/run` has compiled their dependencies.
const CHECKS_FOLDER: &str = "target/checks";

/// Runs cargo with the words of `words`, then the arguments `more`.
fn cargo(root: &Path, words: &str, more: &[String], environment: &[(&str, &str)]) -> Outcome {
    println!("$ cargo {words} {}", more.join(" "));
    let status = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .current_dir(root)
        .args(words.split(' '))
        .args(more)
        .envs(environment.iter().copied())
        .status()
        .map_err(|e| format!("cannot run cargo: {e}"))?;
    if status.success() { Ok(()) } else { Err(format!("`cargo {words}` failed")) }
}

/// Returns arguments of cargo that disable the optimisation of Partita's packages, for programs that run for seconds.
/// Other packages are compiled as usual, so that they are not compiled again.
fn without_optimisation(root: &Path) -> Result<Vec<String>, String> {
    let manifest = std::fs::read_to_string(root.join("Cargo.toml")).map_err(|e| format!("Cargo.toml: {e}"))?;
    let members = manifest.lines().filter(|line| line.starts_with("partita") && line.contains("path = "));
    let names = members.filter_map(|line| line.split_whitespace().next());
    Ok(names.flat_map(|name| ["--config".to_owned(), format!("profile.dev.package.{name}.opt-level=0")]).collect())
}

/// Runs a program.
fn run(root: &Path, words: &[String], environment: &[(&str, &str)]) -> Outcome {
    println!("$ {}", words.join(" "));
    let [program, words @ ..] = words else { return Err("no program".into()) };
    let status = Command::new(program).current_dir(root).args(words).envs(environment.iter().copied()).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(format!("`{program}` failed")),
        Err(e) => Err(format!("cannot run {program}: {e}")),
    }
}

fn soak(root: &Path, args: &[String]) -> Outcome {
    cargo(root, "run --release -p filetests --bin soak --", args, &[])?;
    cargo(root, "run --release -p filetests --bin matrix", &[], &[])?;
    cargo(root, "test --release -p partita --test partita -- --include-ignored", &[], &[])?;
    cargo(root, "test --release -p partita-cli --test cli -- --ignored", &[], &[])
}

fn fuzz(root: &Path, seconds: u64, seed: u64, format: Option<String>) -> Outcome {
    let (seconds, seed) = (seconds.to_string(), seed.to_string());
    let environment = [("PARTITA_FUZZ_SECONDS", seconds.as_str()), ("PARTITA_FUZZ_SEED", seed.as_str())];
    let format: Vec<String> = format.into_iter().flat_map(|format| [format, "--exact".to_owned()]).collect();
    cargo(root, "test --release -p partita --test fuzz --", &format, &environment)
}

fn ci(root: &Path) -> Outcome {
    tidy::check(root)?;
    cargo(root, "fmt --all --check", &[], &[])?;
    cargo(root, "clippy --workspace --all-targets -- -D warnings", &[], &[])?;
    cargo(root, "test --workspace", &[], &[])?;
    cargo(root, "doc --workspace --no-deps", &[], &[("RUSTDOCFLAGS", "-D warnings")])
}
