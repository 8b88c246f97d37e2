//! `overlap-matmul` (local -> local): overlaps collectives with the matrix products that depend on them, if the plan
//! names these collectives: `overlap = "all_gather, reduce_scatter"` (Wang et al. 2023, "Overlap Communication with
//! Dependent Computation via Decomposition").
//!
//! An `all_gather` before products becomes a ring: in each step a device multiplies the shard that it has, while the
//! next shard arrives (`gather`). A `reduce_scatter` after a product becomes a ring of accumulators: in each step a
//! device computes the product for the shard of another device and adds it to the sum that arrives (`scatter`). With n
//! devices both have n smaller products and n - 1 exchanges, and transfer the same bytes. The order of summation of a
//! `reduce_scatter` changes.
//!
//! Sequence-parallel tensor parallelism has both: gathers before products with column shards, and scatters after
//! products with row shards. Gathers of parameters and reductions of their gradients stay, since other ops can run
//! while they are in progress.
//!
//! Before:
//!
//! ```text
//! mesh @m = [model=2]
//! input %x : f32[4@model, 8]
//! input %w : f32[8, 6@model]
//! %shard = reshape %x : f32[2, 8]
//! %whole = all_gather dim 0 over model %shard : f32[4, 8]
//! %y = matmul %whole, %w : f32[4, 6@model]
//! output %y
//! ```
//!
//! After:
//!
//! ```text
//! mesh @m = [model=2]
//! input %x : f32[4@model, 8]
//! input %w : f32[8, 6@model]
//! %shard = reshape %x : f32[2, 8]
//! %c = constant 0 : i32[]
//! %received = permute over model [0->1, 1->0] %shard : f32[2, 8]
//! %constant = constant [0, 2] : i32[2, 1]
//! %start = shard dim 0 over model %constant : i32[1, 1]
//! %reshape = reshape %start : i32[1]
//! %reshape.1 = reshape %reshape : i32[]
//! %y.1 = matmul %shard, %w : f32[2, 3]
//! %c.1 = constant 0.0 : f32[4, 3]
//! %y.2 = dynamic_update_slice %c.1, %y.1, %reshape.1, %c : f32[4, 3]
//! %constant.1 = constant [2, 0] : i32[2, 1]
//! %start.1 = shard dim 0 over model %constant.1 : i32[1, 1]
//! %reshape.2 = reshape %start.1 : i32[1]
//! %reshape.3 = reshape %reshape.2 : i32[]
//! %y.3 = matmul %received, %w : f32[2, 3]
//! %y = dynamic_update_slice %y.2, %y.3, %reshape.3, %c : f32[4, 6@model]
//! output %y
//! ```

mod block;
mod gather;
mod product;
mod scatter;

use super::ring::Ring;
use crate::driver::{FindingKind, Findings, Input, Pass, PassInfo};
use partita_ir::arena::{FuncId, Id, OpId, ValueId};
use partita_ir::build::{Builder, Namer};
use partita_ir::class::Control;
use partita_ir::diag::{Code, Diagnostic, nearest};
use partita_ir::origin::Cause;
use partita_ir::plan::SourceText;
use partita_ir::program::{Form, Op, Phase, Program};
use rustc_hash::FxHashMap;

/// The pass `overlap-matmul`; see the module documentation.
pub struct OverlapMatmul;

/// Value of the plan key `overlap` that names no collective.
const NONE: &str = "none";

/// Values of the plan key `overlap` that name a collective.
const ALL_GATHER: &str = "all_gather";
const REDUCE_SCATTER: &str = "reduce_scatter";

/// Largest number of devices of a ring. Its steps are separate ops.
const MAX_DEVICES: usize = 32;

/// Part of the reason of every exchange that this pass adds.
const REASON: &str = "overlaps with partial products of";

impl Pass for OverlapMatmul {
    fn info(&self) -> PassInfo {
        PassInfo {
            name: "overlap-matmul",
            input_form: Form::Local,
            output_form: Form::Local,
            reads: &[FindingKind::Resolved],
        }
    }

    fn applies(&self, _: &Program, input: &Input, findings: &Findings) -> bool {
        findings.plan_for(self.info(), input).overlap.is_some()
    }

    fn run(&self, program: &mut Program, input: &Input, findings: &mut Findings) -> Result<(), Vec<Diagnostic>> {
        let Some(written) = &findings.plan_for(self.info(), input).overlap else { return Ok(()) };
        let overlapped = Overlapped::parse(written).map_err(|e| vec![e])?;
        let original = OriginalOps::new(program);
        let mut names = Namer::from_program(program);
        for func in program.funcs_with_layouts() {
            if overlapped.scatters {
                scatter::overlap(program, func, &mut names);
            }
            if overlapped.gathers {
                gather::overlap(program, func, &mut names, &original);
            }
        }
        Ok(())
    }
}

/// Collectives to overlap.
struct Overlapped {
    gathers: bool,
    scatters: bool,
}

impl Overlapped {
    /// Parses the value of the plan key: `none`, or names of collectives separated by commas.
    fn parse(written: &SourceText) -> Result<Overlapped, Diagnostic> {
        let mut overlapped = Overlapped { gathers: false, scatters: false };
        if !names_collectives(written) {
            return Ok(overlapped);
        }
        for word in written.text.split(',').map(str::trim) {
            match word {
                ALL_GATHER => overlapped.gathers = true,
                REDUCE_SCATTER => overlapped.scatters = true,
                _ => return Err(unknown_collective(written, word)),
            }
        }
        Ok(overlapped)
    }
}

fn unknown_collective(written: &SourceText, word: &str) -> Diagnostic {
    let error = Diagnostic::new(Code::L016, format!("`{word}` is not a collective that overlaps with products"))
        .label(written.span(), format!("expected `{ALL_GATHER}`, `{REDUCE_SCATTER}`, both, or `{NONE}`"));
    match nearest(word, [ALL_GATHER, REDUCE_SCATTER, NONE]) {
        Some(near) => error.help(format!("write `{near}`")),
        None => error,
    }
}

/// Returns true if the value of the plan key `overlap` names collectives.
pub fn names_collectives(written: &SourceText) -> bool {
    written.text.trim() != NONE
}

/// Returns true for an exchange that this pass added.
pub fn is_overlapping_exchange(op: &Op) -> bool {
    op.kind.is_collective() && op.origin.cause.as_ref().is_some_and(|cause| cause.reason.contains(REASON))
}

/// The program before the pass.
struct OriginalOps {
    /// Number of ops.
    count: usize,
    /// For each value, true if it is a function of parameters alone.
    is_weight: Vec<bool>,
}

impl OriginalOps {
    fn new(program: &Program) -> OriginalOps {
        let mut is_weight: Vec<bool> = program.param_values().iter().map(Option::is_some).collect();
        let mut is_source = vec![false; program.values.len()];
        for at in program.model_ops() {
            let op = at.op;
            if let Some(control) = op.kind.control() {
                let Control::Loop(l) = control;
                let body = &program.funcs[l.body];
                for ((input, output), arg) in body.inputs.iter().zip(&body.outputs).zip(&op.args) {
                    is_weight[input.index()] |= is_weight[arg.index()] && output.value == *input;
                }
                continue;
            }
            let depends = op.args.iter().any(|arg| is_weight[arg.index()]);
            let of_weights = op.args.iter().all(|arg| is_weight[arg.index()] || is_source[arg.index()]);
            for out in &op.outs {
                is_weight[out.index()] |= depends && of_weights;
                is_source[out.index()] = op.args.is_empty();
            }
        }
        OriginalOps { count: program.ops.len(), is_weight }
    }

    fn contains(&self, op: OpId) -> bool {
        op.index() < self.count
    }

    fn is_weight(&self, value: ValueId) -> bool {
        self.is_weight.get(value.index()).copied().unwrap_or(false)
    }
}

/// Returns true for the phases of ops that compute gradients of parameters, and of the update. The backward pass does
/// not wait for them, so that products and collectives of these phases are not divided.
fn is_gradient_of_parameter(phase: Phase) -> bool {
    match phase {
        Phase::BackwardWeight | Phase::Update => true,
        Phase::Forward | Phase::Recompute | Phase::BackwardInput => false,
    }
}

/// Returns true if the steps of a ring are few enough to be separate ops.
fn can_unroll(ring: &Ring) -> bool {
    (2..=MAX_DEVICES).contains(&ring.devices)
}

/// Defining ops and numbers of uses of the values of a function.
struct Uses {
    defs: FxHashMap<ValueId, OpId>,
    counts: FxHashMap<ValueId, usize>,
}

impl Uses {
    fn new(program: &Program, func: FuncId) -> Uses {
        let func = &program.funcs[func];
        let mut uses = Uses { defs: FxHashMap::default(), counts: FxHashMap::default() };
        for &id in func.ops() {
            uses.defs.extend(program.ops[id].outs.iter().map(|&out| (out, id)));
            uses.add(&program.ops[id]);
        }
        for output in &func.outputs {
            *uses.counts.entry(output.value).or_default() += 1;
        }
        uses
    }

    /// Counts the operands of an op that is added.
    fn add(&mut self, op: &Op) {
        op.args.iter().for_each(|&arg| *self.counts.entry(arg).or_default() += 1);
    }

    /// Counts the operands of an op that is removed.
    fn remove(&mut self, op: &Op) {
        for arg in &op.args {
            if let Some(count) = self.counts.get_mut(arg) {
                *count = count.saturating_sub(1);
            }
        }
    }

    /// Returns the number of operands and outputs of the function that are the value.
    fn count(&self, value: ValueId) -> usize {
        self.counts.get(&value).copied().unwrap_or(0)
    }
}

/// Sets phase and origin of the ops to append to those of `op`.
fn continue_op(b: &mut Builder<'_>, op: &Op) {
    (b.phase, b.origin) = (op.phase, op.origin.clone());
}

/// Returns a collective with the origin of its exchanges, which overlap with products that compute `results`.
fn exchanging(program: &Program, collective: &Op, ring: &Ring, results: &[ValueId]) -> Op {
    let name = |value: &ValueId| format!("`%{}`", program.values[*value].name);
    let products: Vec<String> = results.iter().map(name).collect();
    let kind = collective.kind.name();
    let reason =
        format!("the `{kind}` is {} exchanges, each of which {REASON} {}", ring.devices - 1, products.join(", "));
    let cause = match &collective.origin.cause {
        Some(cause) => Cause { reason, ..(**cause).clone() },
        None => {
            let op = format!("{kind} %{}", program.values[collective.outs[0]].name).into();
            Cause { op, factor: "operand 0".into(), reason }
        }
    };
    Op { origin: collective.origin.with_cause(cause), ..collective.clone() }
}

/// Makes the last op define `out` instead of `made`, which no op reads.
fn define(b: &mut Builder<'_>, out: ValueId, made: ValueId) {
    if let Some(&last) = b.body.last() {
        b.program.ops[last].outs.iter_mut().filter(|slot| **slot == made).for_each(|slot| *slot = out);
    }
}
