//! Fuzz tests: the reader of a file or request either accepts the input or reports an error.
//!
//! Each format has seeds in `corpus/` or generates them ([`formats`]); inputs are mutated seeds ([`mutate`]). A reader
//! must neither panic nor exceed [`MAX_ADDRESS_SPACE_BYTES`]; the input of a reader that hangs or overflows its stack
//! remains in the folder that the test names. A short run with a fixed seed is part of the tests. `cargo xtask fuzz
//! --seconds 600` is a long run with other seeds.

#![allow(clippy::panic, clippy::unwrap_used, clippy::expect_used, reason = "a test")]

mod formats;
mod mutate;

use formats::Format;
use mutate::{Mutation, mutated_seed, mutations};
use partita::Plan;
use partita_ir::diag::Source;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Number of inputs of a short run.
const CASE_COUNT: u32 = 300;

/// Address space limit of this process in bytes. An input has some KiB: a reader that needs gigabytes trusts a length
/// field of the input.
const MAX_ADDRESS_SPACE_BYTES: u64 = 8 << 30;

/// Stack size of a reader in bytes, equal to the command line's.
const STACK_BYTES: usize = 64 << 20;

/// Returns the integer in an environment variable.
fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// Creates and returns the folder for the inputs of a format.
fn folder(format: &Format) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzz").join(format.name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Reads one input from a file, which remains if the reader crashes the process.
fn read(format: &Format, file: &Path, bytes: &[u8]) -> Result<(), String> {
    std::fs::write(file, bytes).unwrap();
    let verdict = (format.read)(file);
    std::fs::remove_file(file).unwrap();
    verdict
}

/// Reads the seeds of a format, which must be accepted, and then mutated seeds.
fn fuzz(format: &Format) {
    limit_memory();
    let file = folder(format).join(format!("input.{}", format.ending));
    std::thread::scope(|scope| {
        let run = std::thread::Builder::new().stack_size(STACK_BYTES);
        run.spawn_scoped(scope, || read_mutated_seeds(format, &file)).unwrap();
    });
}

/// Limits the address space, on operating systems with `prlimit`.
fn limit_memory() {
    let limited = Command::new("prlimit")
        .args(["--pid", &std::process::id().to_string(), &format!("--as={MAX_ADDRESS_SPACE_BYTES}")])
        .status();
    if !limited.is_ok_and(|status| status.success()) {
        println!("warning: memory is not limited, since `prlimit` is missing");
    }
}

fn read_mutated_seeds(format: &Format, file: &Path) {
    let seeds = (format.seeds)();
    assert!(!seeds.is_empty(), "{}: no seeds found", format.name);
    for (name, seed) in &seeds {
        let verdict = read(format, file, &(format.finish)(seed.clone()));
        assert!(verdict.is_ok(), "{}: the seed `{name}` is rejected: {}", format.name, verdict.unwrap_err());
    }
    let seeds: Vec<Vec<u8>> = seeds.into_iter().map(|(_, seed)| seed).collect();
    let (accepted, reasons) = (Cell::new(0u64), RefCell::new(BTreeMap::<String, u64>::new()));
    let until = number("PARTITA_FUZZ_SECONDS").map(|seconds| Instant::now() + Duration::from_secs(seconds));
    for turn in number("PARTITA_FUZZ_SEED").unwrap_or(0).. {
        let mut seed = [0; 32];
        seed[..8].copy_from_slice(&turn.to_le_bytes());
        let config =
            Config { cases: CASE_COUNT, failure_persistence: None, max_shrink_iters: 2000, ..Config::default() };
        let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &seed));
        let case = |mutations: Vec<Mutation>| {
            let bytes = (format.finish)(mutated_seed(&seeds, &mutations));
            // Both verdicts are acceptable; the test only requires that the reader returns one.
            match read(format, file, &bytes) {
                Ok(()) => accepted.set(accepted.get() + 1),
                Err(why) if why.is_empty() => return Err(TestCaseError::fail("rejected without a reason")),
                Err(why) => *reasons.borrow_mut().entry(why.chars().take(24).collect()).or_default() += 1,
            }
            Ok(())
        };
        if let Err(TestError::Fail(why, mutations)) = runner.run(&mutations(), case) {
            let failed = folder(format).join(format!("failed.{}", format.ending));
            std::fs::write(&failed, (format.finish)(mutated_seed(&seeds, &mutations))).unwrap();
            panic!(
                "{}: {why}\nthe input is in {}, reproduce with PARTITA_FUZZ_SEED={turn}",
                format.name,
                failed.display()
            );
        }
        if until.is_none_or(|until| Instant::now() >= until) {
            break;
        }
    }
    let (accepted, reasons) = (accepted.get(), reasons.into_inner());
    let rejected: u64 = reasons.values().sum();
    println!("{}: {accepted} inputs accepted, {rejected} rejected with {} messages", format.name, reasons.len());
    assert!(accepted > 0 && rejected > 0, "{}: mutations must include accepted and rejected inputs", format.name);
}

/// A planted fault is found, and its input is stored in the file that the message names.
#[test]
fn a_planted_fault_is_found() {
    let planted = Format {
        name: "planted",
        read: |path| {
            let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
            assert!(!text.contains("1e308"), "a planted fault");
            Plan::from_toml(&Source::new("plan.toml", text)).map(drop).map_err(|e| e.to_string())
        },
        ..formats::plan()
    };
    let failed = folder(&planted).join("failed.toml");
    let _ = std::fs::remove_file(&failed);
    assert!(std::panic::catch_unwind(|| fuzz(&planted)).is_err());
    assert!(std::fs::read_to_string(failed).unwrap().contains("1e308"));
}

/// Defines a test for each format.
macro_rules! formats {
    ($($(#[$condition:meta])? $name:ident,)*) => {
        $($(#[$condition])? #[test] fn $name() { fuzz(&formats::$name()); })*
    };
}

formats! {
    pir,
    mlir,
    onnx,
    pt2,
    plan,
    machine,
    sweep,
    csv,
    safetensors,
    checkpoint,
    #[cfg(feature = "gpu")]
    artefact,
    http,
}
