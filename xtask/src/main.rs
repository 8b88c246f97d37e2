//! Chores of the project: `cargo xtask tidy | bless | new-op | toy-op | new-pass | ci | benches | features | readme |
//! consumer | gpu-check | soak | fuzz`.

mod benches;
mod bless;
mod consumer;
mod exhaustive;
mod features;
mod gpu;
mod order;
mod readme;
mod scaffold;
mod tidy;
mod toy;
mod width;

use clap::{Parser, Subcommand};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Chores of the project")]
struct Args {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Check what rustc and clippy do not: length and head of files, names that must stay in their crate, machine
    /// paths, visits of the entry function alone, and cycles among crates and modules, whose order it prints
    Tidy,
    /// Renew all that tests compare with: the crates in ARCHITECTURE.md, filetests, lists of fallbacks, texts in tests
    Bless {
        /// Only tests whose name contains this; the crates are drawn in any case
        filter: Option<String>,
    },
    /// Start a new operation: its file, its entries in the lists, and a golden
    NewOp {
        /// Name in program text, such as `cumulative_sum`
        name: String,
    },
    /// Add an operation to a copy of the repository and run random programs with it: the compiler must report every
    /// place that has to handle it
    ToyOp,
    /// Start a new pass: its file and a golden of each kind
    NewPass {
        /// Name on the command line, such as `fuse-reshapes`
        name: String,
        /// The folder under passes/src that it belongs to
        #[arg(long, default_value = "optimising")]
        group: String,
    },
    /// Everything that must pass before a change goes in
    Ci,
    /// Run every benchmark and script of benches/ in its short mode, which measures nothing; installs JAX
    Benches {
        /// Only those whose name contains this
        filter: Option<String>,
    },
    /// Compile every combination of features that a document, a script or a message names
    Features {
        /// Only list them
        #[arg(long)]
        list: bool,
    },
    /// Run the first commands of the README
    Readme,
    /// Run the programs of tests/consumer, a crate that depends on `partita` alone
    Consumer,
    /// Run what is generated for GPUs against the CPU, on this machine's GPU or one in software, which is installed if
    /// there is none
    GpuCheck,
    /// The long test: ten thousand random programs, and all models, the built-in ones too, on every mesh, training
    /// that is killed again and again, and a server with many clients
    Soak {
        /// Handed on to the soak binary
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
    /// Fuzz the readers of all input formats, or of one: each gets changed seeds for so long
    Fuzz {
        /// Seconds for each format
        #[arg(long, default_value_t = 60)]
        seconds: u64,
        /// Where random numbers begin; a failure names the one to repeat it with
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Only this format, such as `onnx`
        format: Option<String>,
    },
}

/// What went wrong, ready to print.
type Outcome = Result<(), String>;

fn main() -> ExitCode {
    let root = root();
    let done = match Args::parse().chore {
        Chore::Tidy => tidy::check(&root),
        Chore::Bless { filter } => bless::bless(&root, filter.as_deref()),
        Chore::NewOp { name } => scaffold::op(&root, &name),
        Chore::ToyOp => toy::check(&root),
        Chore::NewPass { name, group } => scaffold::pass(&root, &name, &group),
        Chore::Ci => ci(&root),
        Chore::Benches { filter } => benches::check(&root, filter.as_deref()),
        Chore::Features { list } => features::check(&root, list),
        Chore::Consumer => consumer::check(&root),
        Chore::Readme => readme::check(&root),
        Chore::GpuCheck => gpu::check(&root),
        Chore::Soak { args } => soak(&root, &args),
        Chore::Fuzz { seconds, seed, format } => fuzz(&root, seconds, seed, format),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

/// The folder of the workspace; that of a copy when one is worked on.
fn root() -> PathBuf {
    std::env::var_os("PARTITA_ROOT").map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join(".."), PathBuf::from)
}

/// Runs cargo with these words, and those.
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
    cargo(root, "test --release -p partita --test zoo -- --include-ignored", &[], &[])?;
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
