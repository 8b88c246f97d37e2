//! Faults injected into training steps: a missing collective, one over the wrong axis or of the wrong kind, a bias
//! before its sum. The comparison with one device must detect each.

use filetests::agree::{run_partitioned, run_unpartitioned};
use filetests::faults::{Fault, with_fault};
use filetests::small_models::BLOCK;
use partita_ir::diag::Source;
use partita_ir::interp::{random_inputs, widen, widen_tensors};
use partita_ir::plan::{Mesh, Plan};
use partita_ir::program::Program;
use partita_ir::tensor::Tensor;
use partita_ir::text::{parse, print};
use partita_passes::driver::variant::Variant;
use partita_passes::driver::{Findings, Input};
use partita_passes::pipelines::{self, Milestone};
use partita_runtime::check::compare;

/// Returns the step of one device, and the local program of one of several.
fn steps(presets: &str) -> (Program, Program) {
    let mut program = parse(&Source::new("block.pir", BLOCK)).unwrap_or_else(|e| panic!("{}", e[0]));
    let mesh = Mesh::new([("data", 2), ("model", 2)]).unwrap();
    let plan = Plan::new(mesh).preset(presets).train("momentum?lr=0.1&clip=0.001");
    let (input, mut findings) = (Input::with_plan(plan), Findings::default());
    pipelines::build_step(&mut program, &input, &mut findings).unwrap();
    let whole = program.clone();
    pipelines::pipeline(Milestone::Step, Milestone::Local, Variant::default())
        .unwrap()
        .run(&mut program, &input, &mut findings, &mut |_| Ok(()))
        .unwrap();
    (widen(&whole), widen(&program))
}

/// Inputs of a step and its outputs on one device.
type Run = (Vec<Tensor>, Vec<Tensor>);

#[test]
fn are_noticed() {
    for presets in ["data,megatron", "megatron,sequence,zero1", "zero3"] {
        let (whole, local) = steps(presets);
        // In the middle of training, no state is zero, so that misplaced values differ.
        let mut begun = whole.clone();
        begun.params.values_mut().for_each(|param| param.init = None);
        let run = |seed| {
            let inputs = widen_tensors(&random_inputs(&begun, seed).unwrap());
            let want = run_unpartitioned(&whole, &inputs).unwrap();
            (inputs, want)
        };
        let (first, more): (Run, Vec<Run>) = (run(1), (2..=4).map(run).collect());
        let names: Vec<&str> = whole.outputs().iter().map(|o| o.name.as_str()).collect();
        let agrees = |local: &Program, (inputs, want): &Run| {
            let same = |got: Vec<Tensor>| compare(names.iter().copied(), &got, want, 1e-9).iter().all(|d| d.ok);
            run_partitioned(local, inputs).is_ok_and(same)
        };
        assert!(agrees(&local, &first), "{presets}: the step without faults disagrees");
        let (mut caught, mut harmless) = (0, 0);
        for fault in Fault::ALL {
            for broken in with_fault(&local, fault) {
                if !agrees(&broken, &first) {
                    caught += 1;
                    continue;
                }
                // A fault that has no effect on these inputs must have none on others.
                let equal = more.iter().all(|run| agrees(&broken, run));
                assert!(equal, "{presets}: {fault:?} was not detected in\n{}", print(&broken));
                harmless += 1;
            }
        }
        println!("{presets}: {caught} faults detected, {harmless} harmless");
        assert!(caught > 40 && harmless * 10 <= caught, "{presets}: {caught} faults detected, {harmless} harmless");
    }
}
