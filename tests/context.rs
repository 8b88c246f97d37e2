//! Context parallelism: training steps with a sharded sequence agree with one device, attention stays one op, and
//! faults in the exchange of keys and values are detected.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]

use filetests::agree::{run_partitioned, run_unpartitioned};
use filetests::faults::{Fault, with_fault};
use filetests::small_models::{BLOCK, causal_block};
use partita_ir::class::Class;
use partita_ir::diag::Source;
use partita_ir::dtype::DType;
use partita_ir::interp::{random_inputs, widen, widen_tensors};
use partita_ir::op::OpKind;
use partita_ir::ops::{Constant, Literal, ShardStart, UnaryOp};
use partita_ir::plan::{Mesh, Plan};
use partita_ir::program::{Op, Program};
use partita_ir::tensor::{Scalar, Tensor};
use partita_ir::text::{parse, print};
use partita_passes::driver::variant::Variant;
use partita_passes::driver::{Findings, Input};
use partita_passes::pipelines::{self, Milestone};
use partita_runtime::check::compare;

/// A training step.
struct Step {
    /// The step of one device.
    unpartitioned: Program,
    /// The local program of one of several devices.
    local: Program,
}

impl Step {
    fn new(model: &str, axes: &[(&str, u32)], presets: &str) -> Step {
        let mut program = parse(&Source::new("block.pir", model)).unwrap_or_else(|e| panic!("{}", e[0]));
        let mesh = Mesh::new(axes.iter().copied()).unwrap();
        let plan = Plan::new(mesh).preset(presets).train("sgd?lr=0.1");
        let (input, mut findings) = (Input::with_plan(plan), Findings::default());
        pipelines::build_step(&mut program, &input, &mut findings).unwrap();
        let unpartitioned = widen(&program);
        pipelines::pipeline(Milestone::Step, Milestone::Local, Variant::default())
            .unwrap()
            .run(&mut program, &input, &mut findings, &mut |_| Ok(()))
            .unwrap_or_else(|e| panic!("{presets} on {axes:?}: {}", e[0]));
        Step { unpartitioned, local: widen(&program) }
    }

    /// Returns inputs, and outputs of one device.
    fn reference(&self, seed: u64) -> (Vec<Tensor>, Vec<Tensor>) {
        let mut begun = self.unpartitioned.clone();
        begun.params.values_mut().for_each(|param| param.init = None);
        let inputs = widen_tensors(&random_inputs(&begun, seed).unwrap());
        let outputs = run_unpartitioned(&self.unpartitioned, &inputs).unwrap();
        (inputs, outputs)
    }

    /// Returns true if an op's result is a vector of positions or their starts.
    fn is_position(&self, op: &Op) -> bool {
        self.local.ty(op.outs[0]).dtype == DType::I32
    }

    /// Returns true if the devices agree with one device.
    fn agrees(&self, local: &Program, (inputs, want): &(Vec<Tensor>, Vec<Tensor>)) -> bool {
        let names: Vec<&str> = self.unpartitioned.outputs().iter().map(|o| o.name.as_str()).collect();
        let same = |got: Vec<Tensor>| compare(names.iter().copied(), &got, want, 1e-9).iter().all(|d| d.ok);
        run_partitioned(local, inputs).is_ok_and(same)
    }
}

/// Returns the number of ops of a kind.
fn count(program: &Program, is: impl Fn(&OpKind) -> bool) -> usize {
    program.model_ops().iter().filter(|at| is(&at.op.kind)).count()
}

const PRESETS: [&str; 3] = ["context", "context?attention=gather", "context?attention=ulysses"];

#[test]
fn steps_agree_with_one_device() {
    for presets in PRESETS {
        for devices in [2, 3, 4] {
            for seq in [6, 7, 8, 11, 12] {
                let step = Step::new(&causal_block(seq), &[("context", devices)], presets);
                let what = format!("{presets}, {devices} devices, {seq} positions");
                assert!(step.agrees(&step.local, &step.reference(1)), "{what}");
                // No score of a row and column exists outside of attention.
                let attentions = count(&step.local, |op| op.class().attention().is_some());
                let products = count(&step.unpartitioned, |op| op.class() == Class::Product);
                assert_eq!(count(&step.local, |op| op.class() == Class::Product), products, "{what}");
                assert!(attentions >= 2, "{what}");
            }
            let step = Step::new(BLOCK, &[("context", devices)], presets);
            assert!(step.agrees(&step.local, &step.reference(1)), "{presets}, {devices} devices, bidirectional");
        }
    }
}

#[test]
fn presets_combine_with_context() {
    let meshes: [&[(&str, u32)]; 3] =
        [&[("context", 2), ("model", 2)], &[("data", 2), ("context", 2)], &[("data", 2), ("context", 2), ("model", 2)]];
    for context in PRESETS {
        for (mesh, others) in meshes.into_iter().zip([
            &["megatron", "megatron,sequence"][..],
            &["data", "zero1", "zero3"],
            &["data,megatron", "zero2,megatron,sequence"],
        ]) {
            for other in others {
                for seq in [8, 7] {
                    let presets = format!("{other},{context}");
                    let step = Step::new(&causal_block(seq), mesh, &presets);
                    assert!(step.agrees(&step.local, &step.reference(1)), "{presets} on {mesh:?}, {seq} positions");
                }
            }
        }
    }
}

#[test]
fn each_step_of_a_ring_receives_two_shards() {
    let step = Step::new(&causal_block(6), &[("context", 3)], "context");
    let attentions = count(&step.local, |op| op.class().attention().is_some());
    assert_eq!(attentions, 6, "three steps forward and three backward");
    let gathers = count(&step.local, |op| op.name() == "all_gather");
    assert_eq!(gathers, 0, "{}", print(&step.local));
}

/// Returns the program with the kind of one op replaced, for each op that `replace` replaces.
fn mutations(local: &Program, replace: impl Fn(&Op) -> Option<OpKind>) -> Vec<Program> {
    let ops = local.funcs[local.entry()].ops();
    let replaced = ops.iter().filter_map(|&op| {
        let kind = replace(&local.ops[op])?;
        let mut program = local.clone();
        if kind.source().is_some() {
            program.ops[op].args.clear();
        }
        program.ops[op].kind = kind;
        Some(program)
    });
    replaced.collect()
}

#[test]
fn faults_in_the_exchange_are_detected() {
    for (seq, devices, presets) in [(8, 2, PRESETS[0]), (7, 3, PRESETS[0]), (8, 2, PRESETS[1]), (7, 3, PRESETS[1])] {
        let step = Step::new(&causal_block(seq), &[("context", devices)], presets);
        let reference = step.reference(1);
        assert!(step.agrees(&step.local, &reference));
        let dropped = with_fault(&step.local, Fault::Dropped);
        // Positions of another device.
        let positions = mutations(&step.local, |op| match &op.kind {
            OpKind::ShardStart(start) if step.is_position(op) => Some(ShardStart { size: 1, ..start.clone() }.into()),
            OpKind::Shard(_) if step.is_position(op) => Some(Constant { value: Literal::Splat(Scalar::Int(0)) }.into()),
            _ => None,
        });
        // Results that are merged without the weights from their log-sum-exp.
        let weights = mutations(&step.local, |op| match &op.kind {
            // Other exponentials are of the loss, with its twelve classes.
            OpKind::Unary(exp) if exp.op == UnaryOp::Exp && step.local.ty(op.outs[0]).shape.last() != Some(&12) => {
                Some(Constant { value: Literal::Splat(Scalar::Float(1.0)) }.into())
            }
            _ => None,
        });
        let what = format!("{presets}, {devices} devices, {seq} positions");
        assert!(dropped.len() >= 6 && !positions.is_empty(), "{what}");
        assert_eq!(weights.is_empty(), presets == PRESETS[1], "{what}");
        for broken in dropped.iter().chain(&positions).chain(&weights) {
            assert!(!step.agrees(broken, &reference), "{what}: a fault was not detected in\n{}", print(broken));
        }
    }
}
