//! Programs whose results have the memory of inputs, which an importer pairs by their types, are planned like the same
//! programs without such pairs: a buffer that a caller gives away need not be a parameter.

use partita::{Plan, ProgramExt, load};
use partita_ir::program::Program;
use partita_passes::import::updates::replacements;
use std::collections::BTreeSet;
use std::path::Path;

/// Meshes with presets and numbers of stages.
const PLANS: [(&str, &str, u32); 6] = [
    ("data=2", "data", 1),
    ("data=2", "data,zero1", 1),
    ("data=2", "data,zero2", 1),
    ("data=2", "data,zero3", 1),
    ("model=2", "megatron", 1),
    ("data=2", "data", 2),
];

/// Programs with state that is not a parameter.
const WITH_STATE: [&str; 1] = ["kv_cache_decoding"];

/// Pairs each float input with the first result of its type that has none, as JAX does for donated arguments. Returns
/// the number of pairs.
fn donate(program: &mut Program) -> usize {
    let mut count = 0;
    for input in program.inputs().to_vec() {
        let ty = program.ty(input).clone();
        let fits = |program: &Program, output: usize| {
            let output = &program.outputs()[output];
            output.replaces.is_none() && *program.ty(output.value) == ty
        };
        let found = (0..program.outputs().len()).find(|&output| fits(program, output));
        if let Some(output) = found.filter(|_| ty.dtype.is_float()) {
            program.outputs_mut()[output].replaces = Some(input);
            count += 1;
        }
    }
    count
}

/// Returns the layouts of the inputs of a program in each plan, or the code of the error that refuses it.
fn layouts(program: &Program) -> Vec<Result<Vec<String>, String>> {
    let each = PLANS.iter().map(|&(mesh, presets, stages)| {
        let mut plan = Plan::default().with_mesh_flag(mesh).unwrap().preset(presets);
        if stages > 1 {
            plan = plan.pipeline(stages.to_string()).micro_batches("2");
        }
        let part = program.partition(&plan).map_err(|error| format!("{:?}", error.0[0].code))?;
        let report = part.report();
        let rows = report.params.iter().map(|row| format!("{} {} {:?}", row.name, row.layout, row.stages));
        Ok(rows.collect())
    });
    each.collect()
}

#[test]
fn donated_inputs_change_no_layout() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/users");
    let files: BTreeSet<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    let mut compared = 0;
    for path in files {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let mut program = load(path.to_str().unwrap()).unwrap();
        program.outputs_mut().iter_mut().for_each(|output| output.replaces = None);
        if replacements(&program).is_empty() && !WITH_STATE.contains(&name) {
            continue;
        }
        let expected = layouts(&program);
        assert!(donate(&mut program) > 0, "{name}");
        assert_eq!(layouts(&program), expected, "{name}");
        compared += 1;
    }
    assert!(compared > 15, "{compared}");
}
