//! How the ops of a function are split, where that leaves their results, and what stays pending.

use super::choose::{Side, choose, splittable};
use super::path::Paths;
use super::pending::{PendingSet, Step, linear_args, place_reductions};
use super::running_sums::{RunningSum, RunningSums};
use crate::driver::variant::When;
use crate::driver::{Fallback, Findings};
use partita_ir::arena::{FuncId, Id, MeshId, OpId, ValueId};
use partita_ir::class::Control;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::layout::{DimLayout, Layout, Monoid, Pending, local_shape};
use partita_ir::mesh::Axes;
use partita_ir::op::OpKind;
use partita_ir::program::{Op, Phase, Program};
use partita_ir::rule::{FactorAxes, FactorId, Rule, deal};
use partita_ir::syntax::attr::axis_names;
use partita_ir::tensor::Scalar;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};

/// One op's split.
pub struct Split {
    /// The op.
    pub op: OpId,
    rule: Rule,
    factors: FactorAxes,
    /// Operands and results agree with the split already, and nothing that it reads is pending.
    pub plain: bool,
}

/// The splits of one function.
pub struct Splits {
    /// One an op, in program order.
    pub ops: Vec<Split>,
    mesh: MeshId,
    /// Layouts of results that their op leaves elsewhere than propagation wanted them; pending sums are apart.
    moved: FxHashMap<ValueId, Layout>,
    /// What is pending on each value.
    pub pending: Vec<PendingSet>,
    /// The number that fills a value, when it is a constant of one number.
    pub splat: Vec<Option<Scalar>>,
    /// What the function adds up when it is the body of a loop, if that may be carried pending.
    pub sums: Vec<RunningSum>,
    /// The position in `ops` of the op that makes a value; `u32::MAX` for inputs.
    made_by: Vec<u32>,
    /// Stands for the layout of a value that has none; a verified program has no such value.
    nowhere: Layout,
}

impl Splits {
    /// Splits every op of a planned function, and decides where partial sums are reduced.
    pub fn of(
        program: &Program,
        func: FuncId,
        sums: &RunningSums,
        mesh: MeshId,
        when: When,
        paths: &mut Paths,
        findings: &mut Findings,
    ) -> Splits {
        let mut splits = Splits {
            ops: Vec::with_capacity(program.funcs[func].ops().len()),
            mesh,
            moved: FxHashMap::default(),
            pending: Vec::new(),
            splat: vec![None; program.values.len()],
            sums: Vec::new(),
            made_by: vec![u32::MAX; program.values.len()],
            nowhere: Layout::replicated(mesh, 0),
        };
        for &op in program.funcs[func].ops() {
            splits.split(program, op, paths, findings);
        }
        splits.sums = sums.within(func).iter().copied().filter(|sum| splits.stays_in_place(program, sum)).collect();
        splits.reduce(program, func, when);
        splits
    }

    /// Where propagation put a value.
    pub fn home<'p>(&'p self, program: &'p Program, value: ValueId) -> &'p Layout {
        program.values[value].layout.as_deref().unwrap_or(&self.nowhere)
    }

    /// Where the op that makes a value leaves it, pending sums aside.
    pub fn lies<'p>(&'p self, program: &'p Program, value: ValueId) -> &'p Layout {
        self.moved.get(&value).unwrap_or_else(|| self.home(program, value))
    }

    /// The split of the op that makes a value.
    pub fn maker(&self, value: ValueId) -> Option<&Split> {
        self.ops.get(*self.made_by.get(value.index())? as usize)
    }

    /// The op whose own reduction left a value pending that sum. Ops that are linear hand sums on; the one that made
    /// the parts is the one to name, also when it is in a loop that adds them up.
    pub fn source(&self, program: &Program, value: ValueId, sum: Pending) -> Option<OpId> {
        let (mut split, mut value) = (self.maker(value)?, value);
        // Operands are made before results, so that this ends.
        while !split.rule.pending(&split.factors).contains(&sum) {
            let op = &program.ops[split.op];
            if let Some(control) = op.kind.control() {
                let Control::Loop(l) = control;
                let position = op.outs.iter().position(|&out| out == value)?;
                return source_within(program, l.body, position, sum).or(Some(split.op));
            }
            let pending = |v: &&ValueId| self.pending.get(v.index()).is_some_and(|p| p.contains(&sum));
            match op.args.iter().find(pending).and_then(|&v| Some((self.maker(v)?, v))) {
                Some(earlier) => (split, value) = earlier,
                None => break,
            }
        }
        Some(split.op)
    }

    /// Whether a running sum is added to as it is carried.
    fn stays_in_place(&self, program: &Program, sum: &RunningSum) -> bool {
        let carried = &self.home(program, sum.before).dims;
        let taken = || {
            let split = self.maker(sum.after)?;
            let arg = program.ops[split.op].args.iter().position(|&v| v == sum.before)?;
            split.dims(arg)
        };
        self.lies(program, sum.after).dims == *carried && taken().is_some_and(|dims| dims == *carried)
    }

    fn is_zero(&self, value: ValueId) -> bool {
        self.splat[value.index()].is_some_and(Scalar::is_zero)
    }

    /// Chooses the split of one op.
    fn split(&mut self, program: &Program, id: OpId, paths: &mut Paths, findings: &mut Findings) {
        let op = &program.ops[id];
        let split = self.chosen(program, id, paths, findings);
        if !split.plain && !is_fixed(&op.kind) {
            for (&out, map) in op.outs.iter().zip(&split.rule.outs) {
                let dims = split.rule.project(map, &split.factors);
                if dims != self.home(program, out).dims {
                    self.moved.insert(out, Layout { dims, ..Layout::replicated(self.mesh, 0) });
                }
            }
        }
        if let Some(control) = op.kind.control() {
            let Control::Loop(l) = control;
            // What a loop carries lies as its body takes it; the result is resharded behind the loop.
            for (&out, &inner) in op.outs.iter().zip(&program.funcs[l.body].inputs) {
                let within = self.home(program, inner);
                if within.dims != self.home(program, out).dims {
                    let lies = Layout { pending: PendingSet::new(), ..within.clone() };
                    self.moved.insert(out, lies);
                }
            }
        }
        for out in &op.outs {
            self.splat[out.index()] = splat(op, &self.splat);
            self.made_by[out.index()] = self.ops.len() as u32;
        }
        self.ops.push(split);
    }

    fn chosen(&self, program: &Program, id: OpId, paths: &mut Paths, findings: &mut Findings) -> Split {
        let op = &program.ops[id];
        let rule = op.kind.rule(&program.arg_types(op), &program.out_types(op));
        if is_fixed(&op.kind) {
            let factors = smallvec![Axes::new(); rule.factors.len()];
            return Split { op: id, rule, factors, plain: false };
        }
        let side = |&value: &ValueId, layout, free| Side { ty: program.ty(value), layout, free };
        let args: SmallVec<[Side<'_>; 3]> =
            op.args.iter().map(|v| side(v, self.lies(program, *v), self.splat[v.index()].is_some())).collect();
        let outs: SmallVec<[Side<'_>; 1]> = op.outs.iter().map(|v| side(v, self.home(program, *v), false)).collect();
        let (factors, agreed) = choose(&op.kind, &rule, &args, &outs, paths);
        if !agreed {
            report_fallbacks(program, op, &rule, &args, findings);
        }
        let mut split = Split { op: id, rule, factors, plain: agreed };
        split.plain &= !split.asks_for_partial_operands();
        split
    }

    /// Whether a value is kept for an op that computes again: such a value is kept reduced, as other readers need it,
    /// and not in parts, too.
    fn is_kept_for(&self, program: &Program, op: &Op, value: ValueId) -> bool {
        let made = self.maker(value).map(|split| program.ops[split.op].phase);
        op.phase == Phase::Recompute && made == Some(Phase::Forward)
    }

    /// Decides where partial sums are reduced: where that is cheapest, unless `when` says otherwise.
    fn reduce(&mut self, program: &Program, func: FuncId, when: When) {
        let steps: Vec<Step<'_>> = self
            .ops
            .iter()
            .map(|split| {
                let op = &program.ops[split.op];
                let as_it_lies = |a: usize| {
                    let lies = &self.lies(program, op.args[a]).dims;
                    when != When::AtOnce
                        && !self.is_kept_for(program, op, op.args[a])
                        && (split.plain || !is_fixed(&op.kind) && split.dims(a).is_some_and(|dims| dims == *lies))
                };
                let as_it_lies = (0..op.args.len()).map(as_it_lies).collect();
                let given = given(program, op);
                Step { rule: &split.rule, factors: &split.factors, args: &op.args, as_it_lies, outs: &op.outs, given }
            })
            .collect();
        let finals: Vec<ValueId> = program.funcs[func].outputs.iter().map(|o| o.value).collect();
        let turns: FxHashMap<ValueId, u64> = self.sums.iter().map(|sum| (sum.after, sum.turns)).collect();
        let carried: FxHashSet<ValueId> = self.sums.iter().map(|sum| sum.before).collect();
        let bytes = |v: ValueId| {
            let ty = program.ty(v);
            let bytes = local_shape(&ty.shape, Some(self.lies(program, v))).count() as u64 * ty.dtype.bytes();
            // What is carried pending is reduced once for all turns.
            turns.get(&v).map_or(bytes, |turns| bytes / turns.max(&1))
        };
        let zero = |v: ValueId| self.is_zero(v) || carried.contains(&v);
        let asked = |v: ValueId| &self.home(program, v).pending[..];
        self.pending = place_reductions(&steps, &finals, &asked, &zero, &bytes, when, program.values.len());
        for sum in &self.sums {
            self.pending[sum.before.index()] = self.pending[sum.after.index()].clone();
        }
        for split in &mut self.ops {
            let op = &program.ops[split.op];
            split.plain &= op.args.iter().all(|a| self.pending[a.index()].is_empty());
        }
    }

    /// The sums that layouts ask to be pending where nothing leaves them pending; those that are only `wished` for do
    /// not count.
    pub fn unmet(&self, program: &Program, func: FuncId, wished: &FxHashSet<ValueId>) -> Vec<Diagnostic> {
        let func = &program.funcs[func];
        let made = func.ops().iter().flat_map(|&id| program.ops[id].outs.iter().map(move |&out| (out, Some(id))));
        let all = func.inputs.iter().map(|&v| (v, None)).chain(made).filter(|(v, _)| !wished.contains(v));
        let unmet = all
            .filter(|&(v, _)| self.home(program, v).pending.iter().any(|sum| !self.pending[v.index()].contains(sum)));
        let error = |(v, by): (ValueId, Option<OpId>)| {
            let title = format!("`%{}` is nowhere left partial as its layout asks", program.values[v].name);
            let error = Diagnostic::new(Code::L013, title)
                .help("split a dimension that is summed over by that axis, or leave `sum(...)` out of the layout");
            match by.map_or(0, |id| program.ops[id].origin.line) {
                0 => error,
                line => error.on_line(program.source.as_str(), line),
            }
        };
        unmet.map(error).collect()
    }

    /// The layout that an op needs of an operand.
    pub fn need(&self, program: &Program, split: &Split, arg: usize) -> Layout {
        let op = &program.ops[split.op];
        if op.kind.class().states_layout() {
            return self.home(program, op.outs[0]).clone();
        }
        if let Some(control) = op.kind.control() {
            let Control::Loop(l) = control;
            let inner = program.funcs[l.body].inputs.get(arg).copied();
            return self.home(program, inner.unwrap_or(op.args[arg])).clone();
        }
        let dims = split.dims(arg).unwrap_or_default();
        let mut need = Layout { dims, ..Layout::replicated(self.mesh, 0) };
        let own = split.rule.pending(&split.factors);
        let [out] = op.outs[..] else { return need };
        for &sum in &self.pending[out.index()] {
            let takes = if own.contains(&sum) {
                split.shares_own(arg, sum.1)
            } else {
                let pending = |a: usize| self.pending[op.args[a].index()].contains(&sum);
                linear_args(&split.rule, sum, pending, |a| self.is_zero(op.args[a]))
                    .is_some_and(|members| members.contains(&arg))
            };
            if takes {
                need.pending.push(sum);
            }
        }
        need
    }
}

impl Split {
    /// The dims that the split gives an operand.
    fn dims(&self, arg: usize) -> Option<SmallVec<[DimLayout; 4]>> {
        self.rule.args.get(arg).map(|map| self.rule.project(map, &self.factors))
    }

    fn asks_for_partial_operands(&self) -> bool {
        let own = self.rule.pending(&self.factors);
        own.iter().any(|sum| (0..self.rule.args.len()).any(|arg| self.shares_own(arg, sum.1)))
    }

    /// Whether an operand without the split factor must be pending like the result, because the op is jointly linear in
    /// it and in one that has the factor (the operand of a scatter-add whose updates are split).
    fn shares_own(&self, arg: usize, monoid: Monoid) -> bool {
        let mut sets = self.rule.linear.iter().filter(|set| set.has(arg));
        monoid == Monoid::Sum
            && !self.reduces(arg)
            && sets.any(|set| (0..self.rule.args.len()).any(|a| set.has(a) && self.reduces(a)))
    }

    /// Whether an operand has a factor that is split and summed over.
    fn reduces(&self, arg: usize) -> bool {
        (0u32..).map(FactorId).zip(&self.factors).any(|(id, axes)| {
            !axes.is_empty() && self.rule.reduction(id) == Some(Monoid::Sum) && self.rule.in_arg(arg, id)
        })
    }
}

/// What a loop carries pending: its body, which is there already, leaves it so.
fn given(program: &Program, op: &Op) -> SmallVec<[(ValueId, Pending); 1]> {
    let Some(control) = op.kind.control() else { return SmallVec::new() };
    let Control::Loop(l) = control;
    let carried = op.outs.iter().zip(&program.funcs[l.body].inputs);
    carried.flat_map(|(&out, &inner)| pending_on(program, inner).iter().map(move |&sum| (out, sum))).collect()
}

/// What the layout of a value says that is pending.
fn pending_on(program: &Program, value: ValueId) -> &[Pending] {
    program.values[value].layout.as_deref().map_or(&[], |layout| &layout.pending)
}

/// The op in the body of a loop that makes the parts of the sum that the loop leaves pending at that position.
fn source_within(program: &Program, body: FuncId, position: usize, sum: Pending) -> Option<OpId> {
    let body = &program.funcs[body];
    let maker = |value: ValueId| body.ops().iter().copied().find(|&id| program.ops[id].outs.contains(&value));
    let mut value = body.outputs.get(position)?.value;
    let mut id = maker(value)?;
    loop {
        let op = &program.ops[id];
        if let Some(control) = op.kind.control() {
            let Control::Loop(l) = control;
            let position = op.outs.iter().position(|&out| out == value)?;
            return source_within(program, l.body, position, sum);
        }
        let pending = op.args.iter().copied().filter(|&v| pending_on(program, v).contains(&sum));
        match pending.filter_map(|v| Some((maker(v)?, v))).next() {
            Some(earlier) => (id, value) = earlier,
            None => return Some(id),
        }
    }
}

/// Whether operands and results must lie exactly as propagation put them.
fn is_fixed(kind: &OpKind) -> bool {
    kind.class().states_layout() || kind.control().is_some()
}

/// The number that fills the op's result, given those of its operands.
///
/// Recogniser: a value that is not known to be a number is resharded as any other.
pub(super) fn splat(op: &Op, splats: &[Option<Scalar>]) -> Option<Scalar> {
    match &op.kind {
        OpKind::Broadcast(_) | OpKind::Reshape(_) | OpKind::Transpose(_) => splats[op.args.first()?.index()],
        kind => kind.splat(),
    }
}

/// Notes the operand dimensions that must be gathered because the rule cannot split them.
fn report_fallbacks(program: &Program, op: &Op, rule: &Rule, args: &[Side<'_>], findings: &mut Findings) {
    for ((map, side), &value) in rule.args.iter().zip(args).zip(&op.args) {
        for (dim, (factors, at)) in map.iter().zip(&side.layout.dims).enumerate() {
            if at.axes.is_empty() {
                continue;
            }
            let dealt = deal(&rule.sizes(factors), &at.axes);
            let mut lost: Axes = dealt.rest.clone();
            for (factor, part) in factors.iter().zip(&dealt.parts) {
                let factor = rule.factors[factor.0 as usize];
                lost.extend(part[splittable(factor.kind, factor.size, part)..].iter().copied());
            }
            if !lost.is_empty() {
                let why = match dealt.rest.is_empty() {
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
