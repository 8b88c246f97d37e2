//! Context parallelism: training steps with a sharded sequence agree with one device, attention stays one op, and
//! faults in the exchange of keys and values are detected.

use filetests::faults::{Fault, with_fault};
use filetests::small_models::{BLOCK, causal_block};
use filetests::training_step::TrainingStep;
use partita_ir::class::Class;
use partita_ir::dtype::DType;
use partita_ir::op::OpKind;
use partita_ir::ops::{Constant, Literal, ShardStart, UnaryOp};
use partita_ir::plan::{Mesh, Plan};
use partita_ir::program::{Op, Program};
use partita_ir::tensor::Scalar;
use partita_ir::text::print;

/// Returns the training step of a model with a mesh and presets.
fn step_on(model: &str, axes: &[(&str, u32)], presets: &str) -> TrainingStep {
    let mesh = Mesh::new(axes.iter().copied()).unwrap();
    TrainingStep::new(model, Plan::new(mesh).preset(presets).train("sgd?lr=0.1"))
}

/// Returns true if an op's result is a vector of positions or their starts.
fn is_position(step: &TrainingStep, op: &Op) -> bool {
    step.local.ty(op.outs[0]).dtype == DType::I32
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
                let step = step_on(&causal_block(seq), &[("context", devices)], presets);
                let what = format!("{presets}, {devices} devices, {seq} positions");
                assert!(step.agrees(&step.local, &step.reference(1)), "{what}");
                // No score of a row and column exists outside of attention.
                let attentions = count(&step.local, |op| op.class().attention().is_some());
                let products = count(&step.unpartitioned, |op| op.class() == Class::Product);
                assert_eq!(count(&step.local, |op| op.class() == Class::Product), products, "{what}");
                assert!(attentions >= 2, "{what}");
            }
            let step = step_on(BLOCK, &[("context", devices)], presets);
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
                    let step = step_on(&causal_block(seq), mesh, &presets);
                    assert!(step.agrees(&step.local, &step.reference(1)), "{presets} on {mesh:?}, {seq} positions");
                }
            }
        }
    }
}

#[test]
fn each_step_of_a_ring_receives_two_shards() {
    let step = step_on(&causal_block(6), &[("context", 3)], "context");
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
        let step = step_on(&causal_block(seq), &[("context", devices)], presets);
        let reference = step.reference(1);
        assert!(step.agrees(&step.local, &reference));
        let dropped = with_fault(&step.local, Fault::Dropped);
        // Positions of another device.
        let positions = mutations(&step.local, |op| match &op.kind {
            OpKind::ShardStart(start) if is_position(&step, op) => Some(ShardStart { size: 1, ..start.clone() }.into()),
            OpKind::Shard(_) if is_position(&step, op) => {
                Some(Constant { value: Literal::Splat(Scalar::Int(0)) }.into())
            }
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
