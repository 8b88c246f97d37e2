//! Random combinations of options on programs of users and on built-in models: a run agrees with one device, or the
//! combination is refused as an error of the user. Options that work alone can be wrong together, such as a narrow type
//! in pipeline stages. `cargo xtask soak` runs the long test, too.

use partita::{Plan, ProgramExt, load};
use partita_ir::diag::Code;
use partita_ir::interp;
use partita_ir::program::Program;
use partita_passes::import::updates::replacements;
use proptest::option;
use proptest::sample::select;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::collections::BTreeMap;
use std::path::Path;

/// Built-in models, with sizes that do not divide.
const MODELS: [&str; 8] = [
    "zoo:mlp?layers=4&width=12&hidden=20&batch=12",
    "zoo:mnist-cnn?image=8&batch=12",
    "zoo:gpt?layers=3&width=24&heads=6&hidden=20&seq=9&vocab=20&batch=12&dropout=0.1",
    "zoo:gpt?layers=4&width=8&heads=2&seq=8&vocab=16&batch=4&tied=false",
    "zoo:llama?layers=3&width=16&heads=4&kv_heads=2&hidden=20&seq=8&vocab=19&batch=6",
    "zoo:bert?layers=2&width=12&heads=3&seq=7&vocab=21&batch=6",
    "zoo:moe?layers=2&width=8&hidden=12&experts=4&seq=6&batch=12",
    "zoo:moe?layers=3&width=8&hidden=12&experts=3&seq=5&batch=6",
];

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
const PRECISION: [&str; 4] = ["bf16", "f16", "autocast", "int8"];
const TRAIN: [&str; 3] = ["sgd?lr=0.1", "momentum", "adamw?lr=1e-2&clip=1"];
const SCHEDULES: [&str; 6] = ["vanilla", "gpipe", "1f1b", "interleaved?chunks=2", "zb-h1", "zb-h2"];
const FROZEN: [&str; 4] = ["arg0", "arg*0", "**.0.**?", "**"];

/// Codes of errors that refuse a combination: a preset that does not apply, a path that matches no parameter, a batch
/// that is not divided, narrow weights that are trained, nothing to train, a model with fewer layers than stages.
const REFUSALS: [Code; 6] = [Code::L014, Code::L006, Code::D007, Code::D005, Code::D004, Code::G002];

/// A combination of options.
#[derive(Clone, Debug)]
struct Combination {
    mesh: (&'static str, &'static str),
    remat: Option<&'static str>,
    precision: Option<&'static str>,
    stages: Option<(u32, &'static str)>,
    micro_batches: u32,
    frozen: Option<&'static str>,
    /// For built-in models only. Programs of users contain their update.
    train: Option<&'static str>,
}

impl Combination {
    fn plan(&self, is_built_in: bool) -> Plan {
        let (mesh, presets) = self.mesh;
        let mut plan = Plan::default().with_mesh_flag(mesh).unwrap().preset(presets);
        if let Some(train) = self.train.filter(|_| is_built_in) {
            plan = plan.train(train);
        }
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
    let options = (option::of(select(&REMAT[..])), option::of(select(&PRECISION[..])), option::of(stages), 1..=3_u32);
    let training = (option::weighted(0.2, select(&FROZEN[..])), option::weighted(0.8, select(&TRAIN[..])));
    (select(&MESHES[..]), options, training).prop_map(|(mesh, options, (frozen, train))| {
        let (remat, precision, stages, micro_batches) = options;
        Combination { mesh, remat, precision, stages, micro_batches, frozen, train }
    })
}

/// Returns the programs of users and the built-in models, with their names.
fn programs() -> Vec<(String, Program)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/users");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path().to_str().unwrap().to_owned());
    let mut names: Vec<String> = files.chain(MODELS.map(str::to_owned)).collect();
    names.sort();
    let program = |name: String| {
        let program = load(&name).unwrap_or_else(|e| panic!("{name}: {e}"));
        (name, program)
    };
    names.into_iter().map(program).collect()
}

/// Checks a combination, or returns the code of the error that refuses it.
fn check(name: &str, program: &Program, combination: &Combination) -> Option<Code> {
    let what = format!("{name}, {combination:?}");
    let part = match program.partition(&combination.plan(name.starts_with("zoo:"))) {
        Ok(part) => part,
        Err(error) => {
            let code = error.0[0].code;
            assert!(REFUSALS.contains(&code), "{what}: {error}");
            return Some(code);
        }
    };
    let inputs = part.random_inputs(1).unwrap();
    let check = part.check(&inputs).unwrap_or_else(|e| panic!("{what}: {e}"));
    // In a narrow type, an update that is divided by the size of the gradient can differ by its rate.
    let is_narrow = combination.precision.is_some();
    let agrees = if is_narrow { check.wide.iter().all(|output| output.ok) } else { check.ok() };
    assert!(agrees, "{what}:\n{check}");
    None
}

/// Checks this number of combinations. A third of them must run.
fn check_combinations(count: usize, seed: u8) {
    let programs = programs();
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let mut refused = BTreeMap::<String, usize>::new();
    for number in 0..count {
        let combination = combinations().new_tree(&mut runner).unwrap().current();
        let (name, program) = &programs[number % programs.len()];
        if let Some(code) = check(name, program, &combination) {
            *refused.entry(format!("{code:?}")).or_default() += 1;
        }
    }
    let run = count - refused.values().sum::<usize>();
    println!("{run} of {count} combinations ran; refused: {refused:?}");
    assert!(run >= count / 3, "only {run} of {count} combinations ran: {refused:?}");
}

/// Combinations that once were wrong, or stopped with an internal error.
#[test]
fn known_combinations_run() {
    let plain = |mesh, stages, micro_batches| Combination {
        mesh,
        remat: None,
        precision: None,
        stages: Some(stages),
        micro_batches,
        frozen: None,
        train: None,
    };
    let data = ("data=2", "data");
    let known = [
        // Conversions of gradients, a scatter to zeros of the narrow type.
        ("linen_transformer_adamw", Combination { precision: Some("f16"), ..plain(data, (2, "zb-h2"), 2) }),
        // Updates of frozen parameters that read data of the batch.
        ("dlrm_adagrad", Combination { frozen: Some("**"), ..plain(data, (2, "1f1b"), 2) }),
        // A value that is resharded for the backward pass first.
        ("moe_sorted_gradients", plain(("data=2,expert=2", "data,expert"), (2, "gpipe"), 1)),
        // Variances that are compared with their maximum with zero.
        ("resnet_momentum", Combination { remat: Some("full"), ..plain(data, (2, "1f1b"), 1) }),
        // Results that are also sent to the next stage.
        ("fused_gated_mlp_inference", plain(data, (2, "gpipe"), 1)),
        ("kv_cache_decoding", plain(("model=3", "megatron"), (3, "vanilla"), 1)),
        // A gradient that is sent past a stage without a backward pass.
        ("actor_critic_adam", Combination { precision: Some("autocast"), ..plain(data, (4, "zb-h1"), 3) }),
        // Scales of narrow weights that two stages read.
        (MODELS[5], Combination { precision: Some("int8"), ..plain(data, (2, "1f1b"), 2) }),
    ];
    let programs = programs();
    for (name, combination) in known {
        let found = programs.iter().find(|(file, _)| file == name || file.ends_with(&format!("/{name}.mlir")));
        let (file, program) = found.unwrap();
        assert_eq!(check(file, program, &combination), None, "{name}");
    }
}

/// Updates in a narrow step are those of the program as it was imported, interpreted in its own types: they are not
/// lost in the rounding of parameters to the narrow type.
#[test]
fn updates_are_not_narrow() {
    let steps = ["nnx_mlp_sgd", "vit_momentum", "fused_attention_sgd"];
    let is_step = |name: &str| steps.iter().any(|step| name.ends_with(&format!("/{step}.mlir")));
    for (name, program) in programs().iter().filter(|(name, _)| is_step(name)) {
        let plan = Plan::default().with_mesh_flag("data=2").unwrap().preset("data").precision("**", "bf16");
        let part = program.partition(&plan).unwrap_or_else(|e| panic!("{name}: {e}"));
        let inputs = interp::random_inputs(program, 1).unwrap();
        let narrow = part.run(&inputs).unwrap_or_else(|e| panic!("{name}: {e}"));
        let exact = interp::run(program, inputs.clone()).unwrap();
        let (mut change, mut difference) = (0.0, 0.0);
        for pair in replacements(program) {
            let at = program.inputs().iter().position(|&input| input == pair.input).unwrap();
            let [old, exact, narrow] = [&inputs[at], &exact[pair.output], &narrow[pair.output]];
            assert_eq!(exact.ty, narrow.ty, "{name}");
            for ((old, exact), narrow) in old.scalars().zip(exact.scalars()).zip(narrow.scalars()) {
                change += (exact.to_f64() - old.to_f64()).abs();
                difference += (exact.to_f64() - narrow.to_f64()).abs();
            }
        }
        println!("{name}: updates differ by {:.1} %", 100.0 * difference / change);
        assert!(difference < 0.1 * change, "{name}: updates of {change} differ by {difference}");
    }
}

#[test]
fn combinations_run_or_are_refused() {
    check_combinations(480, 3);
}

#[test]
#[ignore = "long: part of the soak"]
fn many_combinations_run_or_are_refused() {
    check_combinations(20_000, 4);
}
