//! Proofs that partitions of programs as users write them are equal to the programs, also in a narrow type.

use filetests::agree::{partition_by, run_partitioned};
use filetests::mutations::mutations;
use partita_equality::prove::prove;
use partita_ir::interp::{random_inputs, widen, widen_tensors};
use partita_ir::plan::Plan;
use partita_ir::program::Program;
use partita_ir::verify::verify;
use partita_runtime::check::compare;
use std::fs;
use std::path::Path;

/// Allowed rounding difference in `f64` of results that are equal in exact arithmetic, relative to the largest element.
const MAX_ROUNDING_DIFFERENCE: f64 = 1e-8;

/// Parts of the names of partitions without a proof, each with the reason.
const UNPROVEN: [(&str, &str); 12] = [
    ("bert_fused_matrix_gradients on data=2,model=2", "slices of a sharded dimension that other devices send"),
    ("fused_gated_mlp_inference on data=2,model=2", "slices of a sharded dimension that other devices send"),
    ("scanned_layers_gradients on data=2,model=2", "slices of a sharded dimension that other devices send"),
    ("llama_bf16_remat_adam on data=2,model=2", "argmax along a sharded dimension"),
    ("moe_sorted_gradients", "sorting along a sharded dimension"),
    ("moe_ragged_adam", "a sort of rows that is removed"),
    ("preferences_joined_gradients", "rows that are ordered by example"),
    ("guided_denoising_inference", "rows that are ordered by example"),
    ("accumulated_slices_sgd", "a value that a loop carries in blocks"),
    ("lstm_gradients on data=3", "the placements of values that the backward loop carries are not found"),
    ("scanned_dropout_adam on data=3", "updates of one row of a sharded dimension"),
    ("scanned_layers_gradients on data=3", "updates of one row of a sharded dimension"),
];

/// Returns the programs with their names.
fn programs() -> Vec<(String, Program)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/users");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let program = |file: &std::path::PathBuf| {
        let name = file.file_stem().unwrap().to_str().unwrap().to_owned();
        let program = partita_stablehlo::import(&name, &fs::read_to_string(file).unwrap()).unwrap();
        (name, program)
    };
    files.iter().map(program).collect()
}

/// Returns the local program of a partition with data and tensor parallelism, or with data parallelism where that does
/// not apply, and its mesh.
fn on_two_axes(program: &Program) -> (&'static str, Program) {
    let plan = |mesh: &str, presets: &str| Plan::default().with_mesh_flag(mesh).unwrap().preset(presets);
    match partition_by(program, plan("data=2,model=2", "data,megatron")) {
        Ok(partitioned) => ("data=2,model=2", partitioned.local),
        Err(_) => ("data=2", partition_by(program, plan("data=2", "data")).unwrap().local),
    }
}

/// Returns the local program of a partition into uneven shards of parameters that computes in bf16.
fn in_narrow_type(program: &Program) -> Program {
    let plan = Plan::default().with_mesh_flag("data=3").unwrap().preset("data,zero3").precision("**", "bf16");
    partition_by(program, plan).unwrap().local
}

/// Fails unless exactly the local programs that are not in [`UNPROVEN`] are proven equal to the originals.
fn assert_proven(partitions: impl Iterator<Item = (String, Program, Program)>) {
    let mut failures = String::new();
    for (name, original, local) in partitions {
        let verdict = prove(verify(&original).unwrap(), verify(&local).unwrap());
        assert_eq!(verdict.broken, None, "{name}");
        let is_known = UNPROVEN.iter().any(|(part, _)| name.contains(part));
        if verdict.is_equal() == is_known {
            failures += &format!("{name}: {:#?}\n", verdict.gap);
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn partitions_are_proven_equal() {
    assert_proven(programs().into_iter().map(|(name, program)| {
        let (mesh, local) = on_two_axes(&program);
        (format!("{name} on {mesh}"), program, local)
    }));
}

#[test]
fn partitions_in_a_narrow_type_are_proven_equal() {
    assert_proven(programs().into_iter().map(|(name, program)| {
        let local = in_narrow_type(&program);
        (format!("{name} on data=3 in bf16"), program, local)
    }));
}

/// Two mutations of every fifth local program, in a narrow type or on two axes.
#[test]
fn mutated_partitions_are_not_proven_equal() {
    let (mut refused, mut failures) = (0, String::new());
    for (number, (name, program)) in programs().into_iter().step_by(5).enumerate() {
        let local = if number % 2 == 0 { in_narrow_type(&program) } else { on_two_axes(&program).1 };
        let inputs = widen_tensors(&random_inputs(&local, 3).unwrap());
        let want = run_partitioned(&widen(&local), &inputs).unwrap();
        let all = mutations(&local);
        let stride = (all.len() / 2).max(1);
        for (what, mutated) in all.into_iter().skip(number * 7 % stride).step_by(stride) {
            let names = || mutated.outputs().iter().map(|output| output.name.as_str());
            let differs = run_partitioned(&widen(&mutated), &inputs).is_ok_and(|got| {
                compare(names(), &got, &want, MAX_ROUNDING_DIFFERENCE).iter().any(|difference| !difference.ok)
            });
            if !differs {
                continue;
            }
            refused += 1;
            if prove(verify(&program).unwrap(), verify(&mutated).unwrap()).is_equal() {
                failures += &format!("{name}: {what} is proven equal\n");
            }
        }
    }
    println!("{refused} mutated programs were not proven equal");
    assert!(failures.is_empty(), "{failures}");
    assert!(refused >= 10, "only {refused} mutations changed the numbers");
}
