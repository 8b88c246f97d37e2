//! Fault injection into local programs, to test that the comparison with one device detects faults.
//!
//! A fault preserves all types, so that the verifier accepts the program. A fault that the first comparison misses must
//! be harmless: outputs with and without it are equal on three more inputs.

use crate::agree::{compare_outputs, join_diagnostics, partition, run_partitioned, run_unpartitioned, with_programs};
use crate::generate::{Case, GeneratedProgram, Palette, cases};
use partita_ir::arena::{OpId, ValueId};
use partita_ir::build::{Builder, Namer};
use partita_ir::layout::Monoid;
use partita_ir::mesh::{Axes, AxisRef, DeviceMesh, shard_count};
use partita_ir::op::OpKind;
use partita_ir::ops::{AllReduce, Binary, BinaryOp, Concatenate, Permute, Reshape, Shard};
use partita_ir::program::{Phase, Program};
use partita_ir::tensor::Tensor;
use partita_ir::verify::verify;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::fmt;

/// Kind of an injected fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// A collective is removed: each device continues with its local value.
    Dropped,
    /// A collective uses other axes.
    WrongAxis,
    /// A collective uses another reduction.
    WrongReduction,
    /// Each device has the shard of its neighbour.
    WrongRank,
    /// The addend of a reduced sum is added to each partial sum.
    EarlyBias,
}

impl Fault {
    /// All kinds of faults.
    pub const ALL: [Fault; 5] =
        [Fault::Dropped, Fault::WrongAxis, Fault::WrongReduction, Fault::WrongRank, Fault::EarlyBias];
}

/// Outcomes of faults of one kind.
#[derive(Clone, Copy, Default, Debug)]
pub struct FaultTally {
    /// Detected by the first comparison.
    pub detected: usize,
    /// Not detected, and equal on three more inputs.
    pub harmless: usize,
}

/// Outcomes of faults by kind, in the order of [`Fault::ALL`].
#[derive(Default)]
pub struct FaultTallies(pub [FaultTally; 5]);

impl FaultTallies {
    /// Returns the number of injected faults.
    pub fn total(&self) -> usize {
        self.0.iter().map(|t| t.detected + t.harmless).sum()
    }

    /// Returns the share of harmless faults.
    pub fn harmless_share(&self) -> f64 {
        self.0.iter().map(|t| t.harmless).sum::<usize>() as f64 / self.total().max(1) as f64
    }
}

impl fmt::Display for FaultTallies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (fault, t) in Fault::ALL.iter().zip(&self.0) {
            writeln!(
                f,
                "  {fault:?}: {} injected, {} detected, {} harmless",
                t.detected + t.harmless,
                t.detected,
                t.harmless
            )?;
        }
        writeln!(f, "  {} in total, {:.1} % harmless", self.total(), 100.0 * self.harmless_share())
    }
}

/// Injects faults into random programs until `each` faults of every kind were tested.
///
/// # Errors
/// A fault that is neither detected nor harmless.
pub fn inject_faults(each: usize, seed: u64) -> Result<FaultTallies, String> {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let strategy = cases(8);
    let mut tallies = FaultTallies::default();
    while tallies.0.iter().any(|t| t.detected + t.harmless < each) {
        let case = strategy.new_tree(&mut runner).map_err(|e| e.to_string())?.current();
        inject_into_case(&case, each, &mut tallies)?;
    }
    Ok(tallies)
}

/// Injects each fault kind with fewer than `each` faults into one program, wherever applicable.
fn inject_into_case(case: &Case, each: usize, tallies: &mut FaultTallies) -> Result<(), String> {
    let drawn = case.draw(&Palette::LINEAR);
    let Ok(parts) = partition(&drawn.program) else { return Ok(()) };
    let runs = ReferenceRuns::new(&drawn)?;
    for (fault, tally) in Fault::ALL.into_iter().zip(&mut tallies.0) {
        for broken in with_fault(&parts.local, fault) {
            if tally.detected + tally.harmless >= each {
                break;
            }
            match runs.classify(&broken)? {
                FaultVerdict::Detected => tally.detected += 1,
                FaultVerdict::Harmless => tally.harmless += 1,
                FaultVerdict::Missed => {
                    return Err(with_programs(&format!("{fault:?} was not detected"), &[&parts.local, &broken]));
                }
            }
        }
    }
    Ok(())
}

/// Inputs of a program and expected outputs: the first pair for detection, three more to decide harmlessness.
struct ReferenceRuns<'a> {
    drawn: &'a GeneratedProgram,
    pairs: Vec<(Vec<Tensor>, Vec<Tensor>)>,
}

enum FaultVerdict {
    Detected,
    Harmless,
    Missed,
}

impl<'a> ReferenceRuns<'a> {
    fn new(drawn: &'a GeneratedProgram) -> Result<ReferenceRuns<'a>, String> {
        let pair = |seed| {
            let inputs = drawn.distinct_inputs(seed);
            run_unpartitioned(&drawn.program, &inputs).map(|want| (inputs, want))
        };
        Ok(ReferenceRuns { drawn, pairs: (1..=4).map(pair).collect::<Result<_, _>>()? })
    }

    fn classify(&self, broken: &Program) -> Result<FaultVerdict, String> {
        verify(broken).map_err(|errors| with_programs(&join_diagnostics(&errors), &[broken]))?;
        let agrees = |(inputs, want): &(Vec<_>, Vec<_>)| {
            // A failed execution counts as detected, such as replicas of an output that differ.
            run_partitioned(broken, inputs)
                .is_ok_and(|got| compare_outputs(&self.drawn.program, &got, want, &self.drawn.exact, 0.0).is_ok())
        };
        let (first, more) = self.pairs.split_at(1);
        Ok(if !first.iter().all(agrees) {
            FaultVerdict::Detected
        } else if more.iter().all(agrees) {
            FaultVerdict::Harmless
        } else {
            FaultVerdict::Missed
        })
    }
}

/// Returns the program with the fault, once for each applicable place.
pub fn with_fault(local: &Program, fault: Fault) -> Vec<Program> {
    let Some((_, mesh)) = local.mesh() else { return Vec::new() };
    let ops = local.funcs[local.entry()].ops().iter().copied();
    match fault {
        Fault::Dropped => ops.filter_map(|op| without_collective(local, op)).collect(),
        Fault::WrongAxis => ops.filter_map(|op| with_other_axes(local, op, mesh)).collect(),
        Fault::WrongReduction => ops.filter_map(|op| with_other_monoid(local, op)).collect(),
        Fault::WrongRank => {
            let cut = ops.filter_map(|op| {
                let op = &local.ops[op];
                let (OpKind::Shard(Shard { axes, .. }), &[out]) = (&op.kind, &op.outs[..]) else { return None };
                with_rotated_shards(local, out, axes)
            });
            let inputs = local.inputs().iter().filter_map(|&input| {
                let layout = local.values[input].layout.as_ref()?;
                let axes = layout.dims.iter().map(|d| &d.axes).find(|axes| shard_count(axes) > 1)?;
                with_rotated_shards(local, input, axes)
            });
            cut.chain(inputs).collect()
        }
        Fault::EarlyBias => ops.filter_map(|op| with_early_bias(local, op)).collect(),
    }
}

/// Returns the program with the kind of one op replaced.
fn with_op_kind(local: &Program, op: OpId, kind: impl Into<OpKind>, copies: usize) -> Program {
    let mut program = local.clone();
    let op = &mut program.ops[op];
    op.kind = kind.into();
    let arg = op.args[0];
    op.args = std::iter::repeat_n(arg, copies).collect();
    program
}

fn without_collective(local: &Program, op: OpId) -> Option<Program> {
    match &local.ops[op].kind {
        OpKind::AllReduce(c) if shard_count(&c.axes) > 1 => Some(with_op_kind(local, op, Reshape {}, 1)),
        OpKind::AllGather(c) if shard_count(&c.axes) > 1 => {
            Some(with_op_kind(local, op, Concatenate { dim: c.dim }, shard_count(&c.axes)))
        }
        OpKind::ReduceScatter(c) if shard_count(&c.axes) > 1 => {
            Some(with_op_kind(local, op, Shard { dim: c.dim, axes: c.axes.clone() }, 1))
        }
        OpKind::Permute(c) if c.pairs.iter().any(|(from, to)| from != to) => {
            Some(with_op_kind(local, op, Reshape {}, 1))
        }
        _ => None,
    }
}

/// Returns other axes with as many devices: a permutation of the given axes, or other axes of the mesh.
fn other_axes(axes: &Axes, mesh: &DeviceMesh) -> Option<Axes> {
    let all = mesh.axis_ids().map(|id| AxisRef::full(mesh, id));
    let others = all.filter(|a| !axes.contains(a)).map(|a| [a].into_iter().collect::<Axes>());
    let reversed: Axes = axes.iter().rev().copied().collect();
    others.chain([reversed]).find(|other| shard_count(other) == shard_count(axes) && other != axes)
}

fn with_other_axes(local: &Program, op: OpId, mesh: &DeviceMesh) -> Option<Program> {
    let mut kind = local.ops[op].kind.clone();
    match &mut kind {
        OpKind::AllReduce(c) if shard_count(&c.axes) > 1 => {
            // A sum does not depend on the order of axes and allows any number of devices.
            let used = |id| c.axes.iter().any(|a| a.axis == id);
            let other = mesh.axis_ids().find(|&id| !used(id) && mesh.size(id) > 1)?;
            c.axes = [AxisRef::full(mesh, other)].into_iter().collect();
        }
        OpKind::AllGather(c) => c.axes = other_axes(&c.axes, mesh)?,
        OpKind::ReduceScatter(c) => c.axes = other_axes(&c.axes, mesh)?,
        OpKind::AllToAll(c) => c.axes = other_axes(&c.axes, mesh)?,
        OpKind::Shard(c) => c.axes = other_axes(&c.axes, mesh)?,
        _ => return None,
    }
    Some(with_op_kind(local, op, kind, 1))
}

fn with_other_monoid(local: &Program, op: OpId) -> Option<Program> {
    let mut kind = local.ops[op].kind.clone();
    match &mut kind {
        OpKind::AllReduce(c) if shard_count(&c.axes) > 1 && c.monoid == Monoid::Sum => c.monoid = Monoid::Max,
        OpKind::ReduceScatter(c) if shard_count(&c.axes) > 1 && c.monoid == Monoid::Sum => c.monoid = Monoid::Min,
        _ => return None,
    }
    Some(with_op_kind(local, op, kind, 1))
}

/// Returns the program in which each device has its neighbour's shard of a value.
fn with_rotated_shards(local: &Program, value: ValueId, axes: &Axes) -> Option<Program> {
    let n = shard_count(axes) as u32;
    if n < 2 {
        return None;
    }
    let mut program = local.clone();
    let mut names = Namer::from_program(&program);
    let ty = program.values[value].local_type();
    let mut b = Builder::new(&mut program, &mut names);
    b.phase = local.ops.values().find(|op| op.outs.contains(&value)).map_or(Phase::Forward, |op| op.phase);
    let pairs = (0..n).map(|i| (i, (i + 1) % n)).collect();
    let moved = b.op("rotated", Permute { axes: axes.clone(), pairs }, &[value], ty);
    let rotation = b.body[0];
    let body = program.funcs[program.entry()].ops();
    let made = body.iter().position(|&op| program.ops[op].outs.contains(&value));
    let at = made.map_or(0, |made| made + 1);
    let after = body[at..].to_vec();
    for &op in &after {
        program.ops[op].args.iter_mut().filter(|a| **a == value).for_each(|a| *a = moved);
    }
    // If only an output reads the value, the fault has no effect.
    let read = after.iter().any(|&op| program.ops[op].args.contains(&moved));
    program.entry_ops_mut().insert(at, rotation);
    read.then_some(program)
}

/// Rewrites `all_reduce(p) + b` to `all_reduce(p + b)`.
fn with_early_bias(local: &Program, add: OpId) -> Option<Program> {
    let op = &local.ops[add];
    let (OpKind::Binary(b), &[x, y], &[out]) = (&op.kind, &op.args[..], &op.outs[..]) else { return None };
    if b.op != BinaryOp::Add {
        return None;
    }
    let body = local.funcs[local.entry()].ops();
    let reduction = |v: ValueId| {
        let op = body.iter().map(|&op| &local.ops[op]).find(|op| op.outs.contains(&v))?;
        match &op.kind {
            OpKind::AllReduce(AllReduce { monoid: Monoid::Sum, axes }) if shard_count(axes) > 1 => {
                Some((op.kind.clone(), op.args[0]))
            }
            _ => None,
        }
    };
    let (kind, partial, bias) = match (reduction(x), reduction(y)) {
        (Some((kind, partial)), None) => (kind, partial, y),
        (None, Some((kind, partial))) => (kind, partial, x),
        _ => return None,
    };
    let mut program = local.clone();
    let mut names = Namer::from_program(&program);
    let ty = program.values[out].local_type();
    let mut b = Builder::new(&mut program, &mut names);
    b.phase = local.ops[add].phase;
    let early = b.op("early", Binary { op: BinaryOp::Add }, &[partial, bias], ty);
    let first = b.body[0];
    program.ops[add].kind = kind;
    program.ops[add].args = [early].into_iter().collect();
    let at = program.funcs[program.entry()].ops().iter().position(|&op| op == add)?;
    program.entry_ops_mut().insert(at, first);
    Some(program)
}
