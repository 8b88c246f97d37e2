//! Proofs that partitioned programs are equal to their originals.

mod support;

use partita_equality::prove::prove;
use partita_ir::diag::Source;
use partita_ir::text::{parse, print};
use support::{MLP, partitioned, plan, traced_step, verified};

/// Every preset that applies to an MLP, each with a mesh.
const PRESETS: [(&str, &str); 9] = [
    ("data=4", "data"),
    ("data=4", "zero1"),
    ("data=4", "zero2"),
    ("data=2", "zero3"),
    ("model=4", "megatron"),
    ("data=2,model=4", "mesh"),
    ("data=2,model=2", "megatron,data"),
    ("data=2,model=2", "megatron,zero3"),
    ("data=3", "data"),
];

#[test]
fn presets_preserve_an_mlp() {
    let mut gaps = String::new();
    for train in [None, Some("sgd"), Some("momentum"), Some("adam"), Some("adamw?clip=1")] {
        for (mesh, preset) in PRESETS.into_iter().filter(|(_, preset)| train.is_some() || !preset.contains("zero")) {
            let plan = plan(mesh, preset, train);
            let original = traced_step(MLP, &plan);
            let local = partitioned(&original, &plan);
            let verdict = prove(verified(&original), verified(&local));
            if let Some(gap) = verdict.gap {
                gaps += &format!("{preset} on {mesh}, {train:?}: {gap:#?}\n{}", print(&local));
            }
        }
    }
    assert!(gaps.is_empty(), "{gaps}");
}

/// Explanations of deep programs do not overflow the stack: each op is a nested step.
#[test]
fn deep_programs_are_explained() {
    let length = 3000;
    let ops = |shape: &str| -> String {
        let op = |i: usize| format!("  %v{} = tanh %v{i} : {shape}\n", i + 1);
        (0..length).map(op).collect()
    };
    let program = |text: String| parse(&Source::new("long.pir", text)).unwrap();
    let original = program(format!("form traced\ninput %v0 : f32[8]\n{}output %v{length}\n", ops("f32[8]")));
    let local = ops("f32[4]").replace(&format!("%v{length} ="), "%v.local =");
    let local = program(format!(
        "form local\nmesh @m = [a=2]\ninput %v0 : f32[8@a]\n{local}  %v{length} = all_gather dim 0 over a %v.local : f32[8] whole\n\
         output %v{length}\n"
    ));
    let verdict = prove(verified(&original), verified(&local));
    assert!(verdict.is_equal(), "{:?}", verdict.gap);
    assert_eq!(verdict.proven[0].steps.len(), length + 1);
}

#[test]
fn parameters_and_inputs_of_one_name_are_distinguished() {
    let program = |x: &str| {
        let text =
            format!("form traced\nparam %w \"x\" : f32[4]\ninput %x : f32[4]\n  %y = neg %{x} : f32[4]\noutput %y\n");
        parse(&Source::new("t.pir", text)).unwrap()
    };
    let (of_param, of_input) = (program("w"), program("x"));
    assert!(prove(verified(&of_param), verified(&of_param)).is_equal());
    assert!(!prove(verified(&of_param), verified(&of_input)).is_equal());
}

#[test]
fn proofs_are_deterministic() {
    let plan = plan("data=2,model=4", "mesh", Some("adamw?clip=1"));
    let original = traced_step(MLP, &plan);
    let local = partitioned(&original, &plan);
    let chains = || {
        let verdict = prove(verified(&original), verified(&local));
        verdict.proven.into_iter().map(|proven| proven.steps).collect::<Vec<_>>()
    };
    assert_eq!(chains(), chains());
}

/// Inputs of an imported step become parameters when the step is divided into micro-batches.
#[test]
fn an_input_may_become_a_parameter() {
    let program = |input: &str| {
        let text = format!("form traced\n{input} : f32[4]\ninput %y : f32[4]\n  %z = sub %x, %y : f32[4]\noutput %z\n");
        parse(&Source::new("t.pir", text)).unwrap()
    };
    let (of_input, of_param) = (program("input %x"), program("param %x \"x\""));
    assert!(prove(verified(&of_input), verified(&of_param)).is_equal());
    let mut swapped = of_param.clone();
    let main = swapped.entry();
    swapped.funcs[main].inputs.reverse();
    assert!(prove(verified(&of_input), verified(&swapped)).is_equal());
    let other = program("param %x \"w\"");
    assert!(!prove(verified(&of_input), verified(&other)).is_equal());
}
