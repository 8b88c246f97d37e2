//! Random combinations of options on programs of users: a run agrees with one device, or the combination is refused as
//! an error of the user. Options that work alone can be wrong together, such as a narrow type in pipeline stages.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test")]

use partita::{Plan, ProgramExt, load};
use partita_ir::diag::Code;
use partita_ir::program::Program;
use proptest::option;
use proptest::sample::select;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::collections::BTreeMap;
use std::path::Path;

/// Number of combinations, and how many of them must run.
const COMBINATIONS: usize = 400;
const LEAST_RUN: usize = 150;

/// Meshes with presets.
const MESHES: [(&str, &str); 17] = [
    ("data=2", "data"),
    ("data=3", "data"),
    ("model=2", "megatron"),
    ("model=3", "megatron"),
    ("data=2,model=2", "data,megatron"),
    ("data=2,model=2", "data,megatron,sequence"),
    ("data=2", "data,zero1"),
    ("data=2", "data,zero2"),
    ("data=5", "data,zero3"),
    ("context=2", "context"),
    ("data=2,context=2", "data,context"),
    ("expert=2", "expert"),
    ("data=2,expert=2", "data,expert"),
    ("data=2,model=2", "mesh"),
    ("data=2,model=2", "data,megatron,zero1"),
    ("data=2,model=2", "data,megatron,sequence,zero2"),
    ("data=7", "data,zero2"),
];

const REMAT: [&str; 5] = ["selective", "full", "alternate", "cheapest?share=50%", "auto?budget=1MiB"];
const PRECISION: [&str; 3] = ["bf16", "f16", "autocast"];
const SCHEDULES: [&str; 6] = ["vanilla", "gpipe", "1f1b", "interleaved?chunks=2", "zb-h1", "zb-h2"];
const FROZEN: [&str; 3] = ["arg0", "arg*0", "**"];

/// Codes of errors that refuse a combination: a preset that does not apply, a path that matches no parameter, a batch
/// that is not divided, a model with fewer layers than stages.
const REFUSALS: [Code; 4] = [Code::L014, Code::L006, Code::D007, Code::G002];

/// A combination of options.
#[derive(Clone, Debug)]
struct Combination {
    mesh: (&'static str, &'static str),
    remat: Option<&'static str>,
    precision: Option<&'static str>,
    stages: Option<(u32, &'static str)>,
    micro_batches: u32,
    frozen: Option<&'static str>,
}

impl Combination {
    fn plan(&self) -> Plan {
        let (mesh, presets) = self.mesh;
        let mut plan = Plan::default().with_mesh_flag(mesh).unwrap().preset(presets);
        if let Some(remat) = self.remat {
            plan = plan.remat("**", remat);
        }
        if let Some(precision) = self.precision {
            plan = plan.precision("**", precision);
        }
        if let Some((stages, schedule)) = self.stages {
            plan = plan.pipeline(stages.to_string()).micro_batches(self.micro_batches.to_string());
            plan = if stages > 1 { plan.schedule(schedule) } else { plan };
        }
        match self.frozen {
            Some(path) => plan.freeze(path),
            None => plan,
        }
    }
}

fn combinations() -> impl Strategy<Value = Combination> {
    let stages = (1..=4_u32, select(&SCHEDULES[..]));
    let frozen = option::weighted(0.2, select(&FROZEN[..]));
    let options = (option::of(select(&REMAT[..])), option::of(select(&PRECISION[..])), option::of(stages), 1..=3_u32);
    (select(&MESHES[..]), options, frozen).prop_map(|(mesh, (remat, precision, stages, micro_batches), frozen)| {
        Combination { mesh, remat, precision, stages, micro_batches, frozen }
    })
}

/// Returns the programs of users with their names.
fn programs() -> Vec<(String, Program)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/users");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let load = |file: &Path| load(file.to_str().unwrap()).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    files.iter().map(|file| (file.file_stem().unwrap().to_string_lossy().into_owned(), load(file))).collect()
}

#[test]
fn combinations_run_or_are_refused() {
    let programs = programs();
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[3; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let (mut run, mut refused) = (0, BTreeMap::<String, usize>::new());
    for number in 0..COMBINATIONS {
        let combination = combinations().new_tree(&mut runner).unwrap().current();
        let (name, program) = &programs[number % programs.len()];
        let what = format!("{name}, {combination:?}");
        let part = match program.partition(&combination.plan()) {
            Ok(part) => part,
            Err(error) => {
                let code = error.0[0].code;
                assert!(REFUSALS.contains(&code), "{what}: {error}");
                *refused.entry(format!("{code:?}")).or_default() += 1;
                continue;
            }
        };
        let inputs = part.random_inputs(1).unwrap();
        let check = part.check(&inputs).unwrap_or_else(|e| panic!("{what}: {e}"));
        assert!(check.ok(), "{what}:\n{check}");
        run += 1;
    }
    println!("{run} of {COMBINATIONS} combinations ran; refused: {refused:?}");
    assert!(run >= LEAST_RUN, "only {run} combinations ran: {refused:?}");
}
