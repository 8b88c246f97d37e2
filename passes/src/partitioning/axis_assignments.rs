//! Axis assignment of all ops of a function, the resulting layouts, and the partial values.

use super::choose::{TypedLayout, choose, max_shardable_axes};
use super::partial_sums::{PartialSums, ReductionInput, linear_args, place_reductions};
use super::reshard_path::ReshardPaths;
use super::running_sums::{RunningSum, RunningSums};
use crate::driver::variant::ReductionPlacement;
use crate::driver::{Fallback, Findings};
use partita_ir::arena::{FuncId, Id, MeshId, OpId, ValueId};
use partita_ir::class::Control;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::layout::{DimLayout, Layout, Monoid, PartialAxis, local_shape};
use partita_ir::mesh::Axes;
use partita_ir::op::OpKind;
use partita_ir::program::{Op, Phase, Program};
use partita_ir::rule::{FactorAxes, FactorId, Rule, assign_axes};
use partita_ir::syntax::attr::axis_names;
use partita_ir::tensor::{Scalar, wrap};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};
use std::cell::OnceCell;

/// Axis assignment of one op.
pub struct AxisAssignment {
    /// The op.
    pub op: OpId,
    rule: Rule,
    factors: FactorAxes,
    /// True if operands and results agree with the assignment and no operand is partial.
    pub agrees: bool,
}

/// Axis assignments of one function.
pub struct AxisAssignments {
    /// One entry per op, in program order.
    pub ops: Vec<AxisAssignment>,
    mesh: MeshId,
    /// Layouts of results that differ from those of propagation, without partial sums.
    changed_layouts: FxHashMap<ValueId, Layout>,
    /// Partial axes of each value.
    pub partial_sums: Vec<PartialSums>,
    /// For each value that is a constant of one number, the number.
    pub splat: Vec<Option<Scalar>>,
    /// Accumulators that may be carried partial, if the function is a loop body.
    pub sums: Vec<RunningSum>,
    /// For each value, the index in `ops` of the op that defines it; `u32::MAX` for inputs.
    defined_by: Vec<u32>,
    /// Ops of the loop bodies that the function calls, which are partitioned before it, by the values that they define.
    /// Computed on first use.
    loop_producers: OnceCell<FxHashMap<ValueId, OpId>>,
    /// Default for a value without layout, which a verified program does not contain.
    default_layout: Layout,
}

impl AxisAssignments {
    /// Assigns axes to every op of a planned function, and places the reductions of partial sums.
    pub fn new(
        program: &Program,
        func: FuncId,
        sums: &RunningSums,
        mesh: MeshId,
        placement: ReductionPlacement,
        paths: &mut ReshardPaths,
        findings: &mut Findings,
    ) -> AxisAssignments {
        let mut assignments = AxisAssignments {
            ops: Vec::with_capacity(program.funcs[func].ops().len()),
            mesh,
            changed_layouts: FxHashMap::default(),
            partial_sums: Vec::new(),
            splat: vec![None; program.values.len()],
            sums: Vec::new(),
            defined_by: vec![u32::MAX; program.values.len()],
            loop_producers: OnceCell::new(),
            default_layout: Layout::replicated(mesh, 0),
        };
        for &op in program.funcs[func].ops() {
            assignments.assign(program, op, paths, findings);
        }
        assignments.sums =
            sums.within(func).iter().filter(|sum| assignments.needs_no_reshard(program, sum)).cloned().collect();
        assignments.place_all_reductions(program, func, placement);
        assignments
    }

    /// Returns the layout of a value from propagation.
    pub fn propagated_layout<'p>(&'p self, program: &'p Program, value: ValueId) -> &'p Layout {
        program.values[value].layout.as_deref().unwrap_or(&self.default_layout)
    }

    /// Returns the layout of a value as its op produces it, without partial sums.
    pub fn produced_layout<'p>(&'p self, program: &'p Program, value: ValueId) -> &'p Layout {
        self.changed_layouts.get(&value).unwrap_or_else(|| self.propagated_layout(program, value))
    }

    /// Returns the assignment of the op that defines a value.
    pub fn defining_assignment(&self, value: ValueId) -> Option<&AxisAssignment> {
        self.ops.get(*self.defined_by.get(value.index())? as usize)
    }

    /// Returns the op whose own reduction left a value partial. Linear ops only pass partial sums on: in a sum of
    /// several, the last one is the new one, as in a residual stream. The search continues into loops that accumulate
    /// the sum.
    pub fn reduction_source(&self, program: &Program, value: ValueId, sum: PartialAxis) -> Option<OpId> {
        let (mut assignment, mut value) = (self.defining_assignment(value)?, value);
        // Operands are defined before results, so the loop terminates.
        while !assignment.rule.partial_axes(&assignment.factors).contains(&sum) {
            let op = &program.ops[assignment.op];
            if let Some(control) = op.kind.control() {
                let Control::Loop(l) = control;
                let position = op.outs.iter().position(|&out| out == value)?;
                return self.reduction_source_in_loop(program, l.body, position, sum).or(Some(assignment.op));
            }
            let pending = |v: &&ValueId| self.partial_sums.get(v.index()).is_some_and(|p| p.contains(&sum));
            let latest = op
                .args
                .iter()
                .filter(pending)
                .max_by_key(|v| self.defined_by.get(v.index()).filter(|&&at| at != u32::MAX));
            match latest.and_then(|&v| Some((self.defining_assignment(v)?, v))) {
                Some(earlier) => (assignment, value) = earlier,
                None => break,
            }
        }
        Some(assignment.op)
    }

    /// Returns the op in a loop body that produces the summands of the partial sum carried at `position`.
    fn reduction_source_in_loop(
        &self,
        program: &Program,
        body: FuncId,
        position: usize,
        sum: PartialAxis,
    ) -> Option<OpId> {
        let producer = |value: ValueId| self.loop_producers(program).get(&value).copied();
        let mut value = program.funcs[body].outputs.get(position)?.value;
        let mut id = producer(value)?;
        loop {
            let op = &program.ops[id];
            if let Some(control) = op.kind.control() {
                let Control::Loop(l) = control;
                let position = op.outs.iter().position(|&out| out == value)?;
                return self.reduction_source_in_loop(program, l.body, position, sum);
            }
            let pending = op.args.iter().copied().filter(|&v| partial_sums_in_layout(program, v).contains(&sum));
            match pending.filter_map(|v| Some((producer(v)?, v))).max_by_key(|(id, _)| id.index()) {
                Some(earlier) => (id, value) = earlier,
                None => return Some(id),
            }
        }
    }

    fn loop_producers(&self, program: &Program) -> &FxHashMap<ValueId, OpId> {
        self.loop_producers.get_or_init(|| {
            let funcs = program.funcs_with_layouts().into_iter().filter(|&func| func != program.entry());
            let ops = funcs.flat_map(|func| program.funcs[func].ops());
            ops.flat_map(|&id| program.ops[id].outs.iter().map(move |&out| (out, id))).collect()
        })
    }

    /// Returns true if the additions to an accumulator need no reshard of the sum.
    fn needs_no_reshard(&self, program: &Program, sum: &RunningSum) -> bool {
        let carried = &self.propagated_layout(program, sum.carried_in).dims;
        let mut before = sum.carried_in;
        sum.steps.iter().all(|&(id, _)| {
            let (op, read) = (&program.ops[id], std::mem::replace(&mut before, program.ops[id].outs[0]));
            let dims = || {
                let arg = op.args.iter().position(|&v| v == read)?;
                self.defining_assignment(op.outs[0])?.dims(arg)
            };
            self.produced_layout(program, op.outs[0]).dims == *carried && dims().is_some_and(|dims| dims == *carried)
        })
    }

    fn is_zero(&self, value: ValueId) -> bool {
        self.splat[value.index()].is_some_and(Scalar::is_zero)
    }

    /// Assigns axes to one op and records the layouts of its results.
    fn assign(&mut self, program: &Program, id: OpId, paths: &mut ReshardPaths, findings: &mut Findings) {
        let op = &program.ops[id];
        let assignment = self.choose_assignment(program, id, paths, findings);
        if !assignment.agrees && !is_fixed(&op.kind) {
            for (&out, map) in op.outs.iter().zip(&assignment.rule.outs) {
                let dims = assignment.rule.project(map, &assignment.factors);
                if dims != self.propagated_layout(program, out).dims {
                    self.changed_layouts.insert(out, Layout { dims, ..Layout::replicated(self.mesh, 0) });
                }
            }
        }
        if let Some(control) = op.kind.control() {
            let Control::Loop(l) = control;
            // A carried value has the layout of the body's input; the result is resharded after the loop.
            for (&out, &inner) in op.outs.iter().zip(&program.funcs[l.body].inputs) {
                let within = self.propagated_layout(program, inner);
                if within.dims != self.propagated_layout(program, out).dims {
                    let produced = Layout { partial: PartialSums::new(), ..within.clone() };
                    self.changed_layouts.insert(out, produced);
                }
            }
        }
        for out in &op.outs {
            self.splat[out.index()] = splat(program, op, &self.splat);
            self.defined_by[out.index()] = self.ops.len() as u32;
        }
        self.ops.push(assignment);
    }

    fn choose_assignment(
        &self,
        program: &Program,
        id: OpId,
        paths: &mut ReshardPaths,
        findings: &mut Findings,
    ) -> AxisAssignment {
        let op = &program.ops[id];
        let rule = op.kind.rule(&program.arg_types(op), &program.out_types(op));
        if is_fixed(&op.kind) {
            let factors = smallvec![Axes::new(); rule.factors.len()];
            return AxisAssignment { op: id, rule, factors, agrees: false };
        }
        let side = |&value: &ValueId, layout, is_constant| TypedLayout { ty: program.ty(value), layout, is_constant };
        let args: SmallVec<[TypedLayout<'_>; 3]> = op
            .args
            .iter()
            .map(|v| side(v, self.produced_layout(program, *v), self.splat[v.index()].is_some()))
            .collect();
        let outs: SmallVec<[TypedLayout<'_>; 1]> =
            op.outs.iter().map(|v| side(v, self.propagated_layout(program, *v), false)).collect();
        let (factors, agreed) = choose(&op.kind, &rule, &args, &outs, paths);
        if !agreed {
            report_fallbacks(program, op, &rule, &args, findings);
        }
        let mut assignment = AxisAssignment { op: id, rule, factors, agrees: agreed };
        assignment.agrees &= !assignment.needs_partial_operands();
        assignment
    }

    /// Returns true if a value is stored for recomputation. It is then stored reduced, as its other readers need it,
    /// and not also partial.
    fn is_stored_for_recompute(&self, program: &Program, op: &Op, value: ValueId) -> bool {
        let defining_phase = self.defining_assignment(value).map(|assignment| program.ops[assignment.op].phase);
        op.phase == Phase::Recompute && defining_phase == Some(Phase::Forward)
    }

    /// Places the reductions of partial sums: where they are cheapest, unless `placement` states otherwise.
    fn place_all_reductions(&mut self, program: &Program, func: FuncId, placement: ReductionPlacement) {
        loop {
            self.place_reductions_with_sums(program, func, placement);
            // The first sum of an iteration may only be partial if the last one is, which the next iteration carries.
            let (partial_sums, count) = (&self.partial_sums, self.sums.len());
            let first = |sum: &RunningSum| sum.steps.first().map(|&(id, _)| program.ops[id].outs[0]);
            let is_carried = |sum: &RunningSum| {
                let last = &partial_sums[sum.carried_out.index()];
                first(sum).is_none_or(|first| partial_sums[first.index()] == *last)
            };
            self.sums.retain(is_carried);
            if self.sums.len() == count {
                break;
            }
        }
        for sum in &self.sums {
            self.partial_sums[sum.carried_in.index()] = self.partial_sums[sum.carried_out.index()].clone();
        }
        for assignment in &mut self.ops {
            let op = &program.ops[assignment.op];
            assignment.agrees &= op.args.iter().all(|a| self.partial_sums[a.index()].is_empty());
        }
    }

    /// Places the reductions of partial sums, where the accumulators may be carried partial.
    fn place_reductions_with_sums(&mut self, program: &Program, func: FuncId, placement: ReductionPlacement) {
        let steps: Vec<ReductionInput<'_>> = self
            .ops
            .iter()
            .map(|assignment| {
                let op = &program.ops[assignment.op];
                let unresharded = |a: usize| {
                    let produced = &self.produced_layout(program, op.args[a]).dims;
                    placement != ReductionPlacement::AtProducer
                        && !self.is_stored_for_recompute(program, op, op.args[a])
                        && (assignment.agrees
                            || !is_fixed(&op.kind) && assignment.dims(a).is_some_and(|dims| dims == *produced))
                };
                let unresharded = (0..op.args.len()).map(unresharded).collect();
                let carried = carried_partial_sums(program, op);
                ReductionInput {
                    rule: &assignment.rule,
                    factors: &assignment.factors,
                    args: &op.args,
                    unresharded,
                    restated: restated_sums(program, op),
                    outs: &op.outs,
                    carried,
                }
            })
            .collect();
        let results: Vec<ValueId> = program.funcs[func].outputs.iter().map(|o| o.value).collect();
        let trips: FxHashMap<ValueId, u64> = self.sums.iter().map(|sum| (sum.carried_out, sum.min_trips)).collect();
        let accumulators: FxHashSet<ValueId> = self.sums.iter().map(|sum| sum.carried_in).collect();
        let bytes = |v: ValueId| {
            let ty = program.ty(v);
            let bytes =
                local_shape(&ty.shape, Some(self.produced_layout(program, v))).count() as u64 * ty.dtype.bytes();
            // An accumulator that is carried partial is reduced once for all iterations.
            trips.get(&v).map_or(bytes, |trips| bytes / trips.max(&1))
        };
        let zero = |v: ValueId| self.is_zero(v) || accumulators.contains(&v);
        let demanded = |v: ValueId| &self.propagated_layout(program, v).partial[..];
        self.partial_sums =
            place_reductions(&steps, &results, &demanded, &zero, &bytes, placement, program.values.len());
    }

    /// Returns errors for partial sums that a layout demands but no op produces, except for the optional ones in
    /// `optional`.
    pub fn unmet_demands(&self, program: &Program, func: FuncId, optional: &FxHashSet<ValueId>) -> Vec<Diagnostic> {
        let func = &program.funcs[func];
        let results = func.ops().iter().flat_map(|&id| program.ops[id].outs.iter().map(move |&out| (out, Some(id))));
        let all = func.inputs.iter().map(|&v| (v, None)).chain(results).filter(|(v, _)| !optional.contains(v));
        let unmet = all.filter(|&(v, _)| {
            self.propagated_layout(program, v).partial.iter().any(|sum| !self.partial_sums[v.index()].contains(sum))
        });
        let error = |(v, by): (ValueId, Option<OpId>)| {
            let title = format!("no op leaves `%{}` partial as its layout requires", program.values[v].name);
            let error = Diagnostic::new(Code::L013, title)
                .help("shard a contracted dimension over that axis, or remove `sum(...)` from the layout");
            match by {
                Some(id) => program.with_source_line(&program.ops[id], error),
                None => error,
            }
        };
        unmet.map(error).collect()
    }

    /// Returns the layout that an op needs of an operand.
    pub fn need(&self, program: &Program, assignment: &AxisAssignment, arg: usize) -> Layout {
        let op = &program.ops[assignment.op];
        if op.kind.class().states_layout() {
            let mut need = self.propagated_layout(program, op.outs[0]).clone();
            need.partial.retain(|sum| self.partial_sums[op.outs[0].index()].contains(sum));
            return need;
        }
        if let Some(control) = op.kind.control() {
            let Control::Loop(l) = control;
            let inner = program.funcs[l.body].inputs.get(arg).copied();
            return self.propagated_layout(program, inner.unwrap_or(op.args[arg])).clone();
        }
        let dims = assignment.dims(arg).unwrap_or_default();
        let mut need = Layout { dims, ..Layout::replicated(self.mesh, 0) };
        let own = assignment.rule.partial_axes(&assignment.factors);
        let [out] = op.outs[..] else { return need };
        for &sum in &self.partial_sums[out.index()] {
            let is_partial_arg = if own.contains(&sum) {
                assignment.must_be_partial(arg, sum.1)
            } else {
                let pending = |a: usize| self.partial_sums[op.args[a].index()].contains(&sum);
                linear_args(&assignment.rule, sum, pending, |a| self.is_zero(op.args[a]))
                    .is_some_and(|members| members.contains(&arg))
            };
            if is_partial_arg {
                need.partial.push(sum);
            }
        }
        need
    }
}

impl AxisAssignment {
    /// Returns the layout of an operand under the assignment.
    fn dims(&self, arg: usize) -> Option<SmallVec<[DimLayout; 4]>> {
        self.rule.args.get(arg).map(|map| self.rule.project(map, &self.factors))
    }

    fn needs_partial_operands(&self) -> bool {
        let own = self.rule.partial_axes(&self.factors);
        own.iter().any(|sum| (0..self.rule.args.len()).any(|arg| self.must_be_partial(arg, sum.1)))
    }

    /// Returns true if an operand without the reduced factor must be partial like the result, because the op is jointly
    /// linear in it and in an operand with the factor (the operand of a scatter-add with sharded updates).
    fn must_be_partial(&self, arg: usize, monoid: Monoid) -> bool {
        let mut sets = self.rule.linear.iter().filter(|set| set.has(arg));
        monoid == Monoid::Sum
            && !self.reduces(arg)
            && sets.any(|set| (0..self.rule.args.len()).any(|a| set.has(a) && self.reduces(a)))
    }

    /// Returns true if an operand has a sharded factor that is summed over.
    fn reduces(&self, arg: usize) -> bool {
        (0u32..).map(FactorId).zip(&self.factors).any(|(id, axes)| {
            !axes.is_empty() && self.rule.reduction(id) == Some(Monoid::Sum) && self.rule.in_arg(arg, id)
        })
    }
}

/// Returns the partial sums that a loop carries, as its body, which is already partitioned, leaves them.
fn carried_partial_sums(program: &Program, op: &Op) -> SmallVec<[(ValueId, PartialAxis); 1]> {
    let Some(control) = op.kind.control() else { return SmallVec::new() };
    let Control::Loop(l) = control;
    let carried = op.outs.iter().zip(&program.funcs[l.body].inputs);
    carried
        .flat_map(|(&out, &inner)| partial_sums_in_layout(program, inner).iter().map(move |&sum| (out, sum)))
        .collect()
}

/// Returns the partial axes of the layout that an op states.
fn restated_sums<'p>(program: &'p Program, op: &Op) -> &'p [PartialAxis] {
    if op.kind.class().states_layout() { partial_sums_in_layout(program, op.outs[0]) } else { &[] }
}

/// Returns the partial axes in the layout of a value.
fn partial_sums_in_layout(program: &Program, value: ValueId) -> &[PartialAxis] {
    program.values[value].layout.as_deref().map_or(&[], |layout| &layout.partial)
}

/// Returns true if operands and results must have exactly the layouts of propagation.
fn is_fixed(kind: &OpKind) -> bool {
    kind.class().states_layout() || kind.control().is_some()
}

/// Returns the number that fills the op's result, given those of its operands.
///
/// Recogniser: a value that is not recognised as one number is resharded like any other.
pub(super) fn splat(program: &Program, op: &Op, splats: &[Option<Scalar>]) -> Option<Scalar> {
    let operand = || splats[op.args.first()?.index()];
    match &op.kind {
        OpKind::Broadcast(_) | OpKind::Reshape(_) | OpKind::Transpose(_) => operand(),
        // Other numbers are rounded.
        OpKind::Convert(_) => {
            let zero = operand().filter(|number| number.is_zero())?;
            Some(wrap(program.ty(*op.outs.first()?).dtype, zero)).filter(|number| number.is_zero())
        }
        kind => kind.splat(),
    }
}

/// Reports the operand dimensions that must be gathered because the rule cannot shard them.
fn report_fallbacks(program: &Program, op: &Op, rule: &Rule, args: &[TypedLayout<'_>], findings: &mut Findings) {
    for ((map, side), &value) in rule.args.iter().zip(args).zip(&op.args) {
        for (dim, (factors, at)) in map.iter().zip(&side.layout.dims).enumerate() {
            if at.axes.is_empty() {
                continue;
            }
            let assigned_axes = assign_axes(&rule.sizes(factors), &at.axes);
            let mut lost: Axes = assigned_axes.rest.clone();
            for (factor, part) in factors.iter().zip(&assigned_axes.parts) {
                let factor = rule.factors[factor.0 as usize];
                lost.extend(part[max_shardable_axes(factor.kind, factor.size, part)..].iter().copied());
            }
            if !lost.is_empty() {
                let why = match assigned_axes.rest.is_empty() {
                    true => "the rule cannot split this dimension",
                    false => "the axes do not divide the dimension's factors",
                };
                let named = |value: ValueId| program.values[value].name.clone();
                findings.fallbacks.push(Fallback {
                    kind: op.kind.name(),
                    result: op.outs.first().map(|&out| named(out)).unwrap_or_default(),
                    origin: op.origin.clone(),
                    value: named(value),
                    ty: program.ty(value).clone(),
                    dim,
                    axes: axis_names(&lost, program.mesh().map(|(_, mesh)| mesh)),
                    why,
                });
            }
        }
    }
}
