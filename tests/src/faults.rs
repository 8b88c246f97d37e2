//! Faults put into local programs on purpose, to see that the comparison with one device notices them.
//!
//! A fault keeps all types, so that the verifier has nothing to say. One that the first comparison does not notice must
//! be shown harmless: the outputs of the program with and without it are equal on three more inputs.

use crate::agree::{agree, join, partition, run_parts, run_whole, with_programs};
use crate::generate::{Case, Drawn, Palette, cases};
use partita_ir::arena::{OpId, ValueId};
use partita_ir::build::{Builder, Namer};
use partita_ir::layout::Monoid;
use partita_ir::mesh::{Axes, AxisRef, Mesh, ways};
use partita_ir::op::OpKind;
use partita_ir::ops::{AllReduce, Binary, BinaryOp, Concatenate, Permute, Reshape, Shard};
use partita_ir::program::Program;
use partita_ir::tensor::Tensor;
use partita_ir::verify::verify;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::fmt;

/// What is done wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// A collective is left out: each device goes on with what it has.
    Dropped,
    /// A collective runs over other axes.
    WrongAxis,
    /// A collective combines by another function.
    WrongReduction,
    /// Each device has the piece of its neighbour.
    WrongRank,
    /// What should be added to a sum is added to each partial sum.
    EarlyBias,
}

impl Fault {
    /// Every fault.
    pub const ALL: [Fault; 5] =
        [Fault::Dropped, Fault::WrongAxis, Fault::WrongReduction, Fault::WrongRank, Fault::EarlyBias];
}

/// What became of faults of one kind.
#[derive(Clone, Copy, Default, Debug)]
pub struct Tally {
    /// Noticed by the first comparison.
    pub caught: usize,
    /// Not noticed, and equal on three more inputs.
    pub harmless: usize,
}

/// What became of all faults, in the order of [`Fault::ALL`].
#[derive(Default)]
pub struct Tallies(pub [Tally; 5]);

impl Tallies {
    /// Faults in all.
    pub fn total(&self) -> usize {
        self.0.iter().map(|t| t.caught + t.harmless).sum()
    }

    /// The share of harmless ones.
    pub fn harmless(&self) -> f64 {
        self.0.iter().map(|t| t.harmless).sum::<usize>() as f64 / self.total().max(1) as f64
    }
}

impl fmt::Display for Tallies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (fault, t) in Fault::ALL.iter().zip(&self.0) {
            writeln!(f, "  {fault:?}: {} put in, {} caught, {} harmless", t.caught + t.harmless, t.caught, t.harmless)?;
        }
        writeln!(f, "  {} in all, {:.1} % harmless", self.total(), 100.0 * self.harmless())
    }
}

/// Puts faults into random programs until there were `each` of every kind.
///
/// # Errors
/// A fault that was not noticed, and is not harmless.
pub fn inject(each: usize, seed: u64) -> Result<Tallies, String> {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let strategy = cases(8);
    let mut tallies = Tallies::default();
    while tallies.0.iter().any(|t| t.caught + t.harmless < each) {
        let case = strategy.new_tree(&mut runner).map_err(|e| e.to_string())?.current();
        inject_into(&case, each, &mut tallies)?;
    }
    Ok(tallies)
}

/// Puts into one program each fault that there are not enough of yet, wherever it fits.
fn inject_into(case: &Case, each: usize, tallies: &mut Tallies) -> Result<(), String> {
    let drawn = case.draw(&Palette::LINEAR);
    let Ok(parts) = partition(&drawn.program) else { return Ok(()) };
    let runs = Runs::new(&drawn)?;
    for (fault, tally) in Fault::ALL.into_iter().zip(&mut tallies.0) {
        for broken in with_fault(&parts.local, fault) {
            if tally.caught + tally.harmless >= each {
                break;
            }
            match runs.judge(&broken)? {
                Judged::Caught => tally.caught += 1,
                Judged::Harmless => tally.harmless += 1,
                Judged::Missed => {
                    return Err(with_programs(&format!("{fault:?} was not noticed"), &[&parts.local, &broken]));
                }
            }
        }
    }
    Ok(())
}

/// A program's inputs and what it should give: the first pair for the check, three more for the judgement.
struct Runs<'a> {
    drawn: &'a Drawn,
    pairs: Vec<(Vec<Tensor>, Vec<Tensor>)>,
}

enum Judged {
    Caught,
    Harmless,
    Missed,
}

impl<'a> Runs<'a> {
    fn new(drawn: &'a Drawn) -> Result<Runs<'a>, String> {
        let pair = |seed| {
            let inputs = drawn.telling_inputs(seed);
            run_whole(&drawn.program, &inputs).map(|want| (inputs, want))
        };
        Ok(Runs { drawn, pairs: (1..=4).map(pair).collect::<Result<_, _>>()? })
    }

    fn judge(&self, broken: &Program) -> Result<Judged, String> {
        verify(broken).map_err(|errors| with_programs(&join(&errors), &[broken]))?;
        let agrees = |(inputs, want): &(Vec<_>, Vec<_>)| {
            // An execution that fails is noticed, too: replicas of an output that differ, for example.
            run_parts(broken, inputs)
                .is_ok_and(|got| agree(&self.drawn.program, &got, want, &self.drawn.exact, 0.0).is_ok())
        };
        let (first, more) = self.pairs.split_at(1);
        Ok(if !first.iter().all(agrees) {
            Judged::Caught
        } else if more.iter().all(agrees) {
            Judged::Harmless
        } else {
            Judged::Missed
        })
    }
}

/// The program with that fault, once for every place where it fits.
pub fn with_fault(local: &Program, fault: Fault) -> Vec<Program> {
    let Some((_, mesh)) = local.mesh() else { return Vec::new() };
    let ops = local.funcs[local.entry()].ops().iter().copied();
    match fault {
        Fault::Dropped => ops.filter_map(|op| dropped(local, op)).collect(),
        Fault::WrongAxis => ops.filter_map(|op| over_other_axes(local, op, mesh)).collect(),
        Fault::WrongReduction => ops.filter_map(|op| by_other_monoid(local, op)).collect(),
        Fault::WrongRank => {
            let cut = ops.filter_map(|op| {
                let op = &local.ops[op];
                let (OpKind::Shard(Shard { axes, .. }), &[out]) = (&op.kind, &op.outs[..]) else { return None };
                rotated(local, out, axes)
            });
            let inputs = local.inputs().iter().filter_map(|&input| {
                let layout = local.values[input].layout.as_ref()?;
                let axes = layout.dims.iter().map(|d| &d.axes).find(|axes| ways(axes) > 1)?;
                rotated(local, input, axes)
            });
            cut.chain(inputs).collect()
        }
        Fault::EarlyBias => ops.filter_map(|op| added_early(local, op)).collect(),
    }
}

/// The program with another kind of op in the place of one.
fn replaced(local: &Program, op: OpId, kind: impl Into<OpKind>, copies: usize) -> Program {
    let mut program = local.clone();
    let op = &mut program.ops[op];
    op.kind = kind.into();
    let arg = op.args[0];
    op.args = std::iter::repeat_n(arg, copies).collect();
    program
}

fn dropped(local: &Program, op: OpId) -> Option<Program> {
    match &local.ops[op].kind {
        OpKind::AllReduce(c) if ways(&c.axes) > 1 => Some(replaced(local, op, Reshape {}, 1)),
        OpKind::AllGather(c) if ways(&c.axes) > 1 => {
            Some(replaced(local, op, Concatenate { dim: c.dim }, ways(&c.axes)))
        }
        OpKind::ReduceScatter(c) if ways(&c.axes) > 1 => {
            Some(replaced(local, op, Shard { dim: c.dim, axes: c.axes.clone() }, 1))
        }
        OpKind::Permute(c) if c.pairs.iter().any(|(from, to)| from != to) => Some(replaced(local, op, Reshape {}, 1)),
        _ => None,
    }
}

/// Other axes with as many devices: the same in another order, or others of the mesh.
fn other_axes(axes: &Axes, mesh: &Mesh) -> Option<Axes> {
    let all = mesh.axis_ids().map(|id| AxisRef::whole(mesh, id));
    let others = all.filter(|a| !axes.contains(a)).map(|a| [a].into_iter().collect::<Axes>());
    let reversed: Axes = axes.iter().rev().copied().collect();
    others.chain([reversed]).find(|other| ways(other) == ways(axes) && other != axes)
}

fn over_other_axes(local: &Program, op: OpId, mesh: &Mesh) -> Option<Program> {
    let mut kind = local.ops[op].kind.clone();
    match &mut kind {
        OpKind::AllReduce(c) if ways(&c.axes) > 1 => {
            // The order does not matter to a sum, the number of devices may be any.
            let used = |id| c.axes.iter().any(|a| a.axis == id);
            let other = mesh.axis_ids().find(|&id| !used(id) && mesh.size(id) > 1)?;
            c.axes = [AxisRef::whole(mesh, other)].into_iter().collect();
        }
        OpKind::AllGather(c) => c.axes = other_axes(&c.axes, mesh)?,
        OpKind::ReduceScatter(c) => c.axes = other_axes(&c.axes, mesh)?,
        OpKind::AllToAll(c) => c.axes = other_axes(&c.axes, mesh)?,
        OpKind::Shard(c) => c.axes = other_axes(&c.axes, mesh)?,
        _ => return None,
    }
    Some(replaced(local, op, kind, 1))
}

fn by_other_monoid(local: &Program, op: OpId) -> Option<Program> {
    let mut kind = local.ops[op].kind.clone();
    match &mut kind {
        OpKind::AllReduce(c) if ways(&c.axes) > 1 && c.monoid == Monoid::Sum => c.monoid = Monoid::Max,
        OpKind::ReduceScatter(c) if ways(&c.axes) > 1 && c.monoid == Monoid::Sum => c.monoid = Monoid::Min,
        _ => return None,
    }
    Some(replaced(local, op, kind, 1))
}

/// The program in which each device has its neighbour's piece of a value.
fn rotated(local: &Program, value: ValueId, axes: &Axes) -> Option<Program> {
    let n = ways(axes) as u32;
    if n < 2 {
        return None;
    }
    let mut program = local.clone();
    let mut names = Namer::of(&program);
    let ty = program.values[value].local_type();
    let mut b = Builder::new(&mut program, &mut names);
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
    // Where nothing reads it but the outside, nothing goes wrong.
    let read = after.iter().any(|&op| program.ops[op].args.contains(&moved));
    program.entry_ops_mut().insert(at, rotation);
    read.then_some(program)
}

/// `all_reduce(p) + b` as `all_reduce(p + b)`.
fn added_early(local: &Program, add: OpId) -> Option<Program> {
    let op = &local.ops[add];
    let (OpKind::Binary(b), &[x, y], &[out]) = (&op.kind, &op.args[..], &op.outs[..]) else { return None };
    if b.op != BinaryOp::Add {
        return None;
    }
    let body = local.funcs[local.entry()].ops();
    let reduction = |v: ValueId| {
        let op = body.iter().map(|&op| &local.ops[op]).find(|op| op.outs.contains(&v))?;
        match &op.kind {
            OpKind::AllReduce(AllReduce { monoid: Monoid::Sum, axes }) if ways(axes) > 1 => {
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
    let mut names = Namer::of(&program);
    let ty = program.values[out].local_type();
    let mut b = Builder::new(&mut program, &mut names);
    let early = b.op("early", Binary { op: BinaryOp::Add }, &[partial, bias], ty);
    let first = b.body[0];
    program.ops[add].kind = kind;
    program.ops[add].args = [early].into_iter().collect();
    let at = program.funcs[program.entry()].ops().iter().position(|&op| op == add)?;
    program.entry_ops_mut().insert(at, first);
    Some(program)
}
