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

/// A step that also updates a moving average of its weights, which is computed from the new weights.
const WITH_AVERAGE: &str = "form traced
input %u : f32[4, 4]
input %w : f32[4, 4]
input %average.u : f32[4, 4]
input %average.w : f32[4, 4]
input %x : f32[6, 4]
  %h = matmul %x, %u : f32[6, 4]
  %t = tanh %h : f32[6, 4]
  %y = matmul %t, %w : f32[6, 4]
  %loss = reduce sum [0, 1] %y : f32[]
  %one = constant 1.0 : f32[6, 4]
  %w.grad = dot_general contract [0]x[0] %t, %one : f32[4, 4]
  %t.grad = dot_general contract [1]x[1] %one, %w : f32[6, 4]
  %h.grad = mul %t.grad, %t : f32[6, 4]
  %u.grad = dot_general contract [0]x[0] %x, %h.grad : f32[4, 4]
  %u.new = sub %u, %u.grad : f32[4, 4]
  %w.new = sub %w, %w.grad : f32[4, 4]
  %average.u.new = add %average.u, %u.new : f32[4, 4]
  %average.w.new = add %average.w, %w.new : f32[4, 4]
output %loss
output %u.new
output %w.new
output %average.u.new
output %average.w.new
";

#[test]
fn weights_with_an_average_are_in_stages() {
    let program = partita::parse("average.pir", WITH_AVERAGE).unwrap();
    let plan = Plan::default().with_mesh_flag("data=1").unwrap().pipeline("2").micro_batches("2");
    let part = program.partition(&plan).unwrap();
    let check = part.check(&part.random_inputs(1).unwrap()).unwrap();
    assert!(check.ok(), "{check}");
}

/// The step with a state that it adds to its examples, as an update is added to a weight.
fn with_carried_state() -> String {
    let input = "input %x : f32[6, 4]\n";
    let sum = "input %carried : f32[6, 4]\ninput %x : f32[6, 4]\n  %sum = add %x, %carried : f32[6, 4]\n";
    let text =
        WITH_AVERAGE.replace("matmul %x,", "matmul %sum,").replace("contract [0]x[0] %x,", "contract [0]x[0] %sum,");
    text.replace(input, sum) + "output %sum\n"
}

#[test]
fn carried_state_has_the_batch() {
    let program = partita::parse("carried.pir", &with_carried_state()).unwrap();
    for stages in [1, 2] {
        let mut plan = Plan::default().with_mesh_flag("data=2").unwrap().preset("data");
        if stages > 1 {
            plan = plan.pipeline(stages.to_string()).micro_batches("3");
        }
        let part = program.partition(&plan).unwrap();
        let report = part.report();
        let sharded: Vec<&str> =
            report.params.iter().filter(|row| row.layout.to_string() == "data, _").map(|row| &*row.name).collect();
        assert_eq!(sharded, ["carried", "x"], "{stages} stages");
        let check = part.check(&part.random_inputs(1).unwrap()).unwrap();
        assert!(check.ok(), "{stages} stages: {check}");
    }
}
