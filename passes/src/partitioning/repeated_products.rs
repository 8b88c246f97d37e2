//! Contractions whose work the devices of a mesh axis repeat, because the axis shards none of their dimensions. Results
//! are correct, but each of these devices computes as much as one device would alone.

use crate::driver::RepeatedProduct;
use partita_cost::run_counts;
use partita_ir::arena::{OpId, ValueId};
use partita_ir::class::Control;
use partita_ir::dtype::Type;
use partita_ir::layout::{Layout, divides};
use partita_ir::mesh::{Axes, AxisRef, DeviceMesh};
use partita_ir::program::{Op, ParamKind, Program};
use partita_ir::rule::{FactorAxes, FactorId, FactorKind, Rule};
use partita_ir::syntax::attr::axis_names;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Returns the contractions of a program in form explicit that devices repeat, in program order.
pub fn repeated_products(program: &Program) -> Vec<RepeatedProduct> {
    let Some((_, mesh)) = program.mesh() else { return Vec::new() };
    let mut found = Vec::new();
    let mut definitions: Option<Definitions> = None;
    for (func, count) in run_counts(program) {
        let ops = program.funcs[func].ops().iter().map(|&id| &program.ops[id]);
        for op in ops.filter(|op| op.kind.class().contracts()) {
            let contraction = AssignedContraction::new(program, op);
            let idle = contraction.idle_axes(mesh);
            let repeats: u64 = idle.iter().map(|axis| u64::from(axis.size)).product();
            if repeats > 1 {
                let flops = contraction.local_flops();
                let definitions = definitions.get_or_insert_with(|| Definitions::new(program));
                found.push(RepeatedProduct {
                    kind: op.kind.name(),
                    result: op.outs.first().map(|&out| program.values[out].name.clone()).unwrap_or_default(),
                    origin: op.origin.clone(),
                    phase: op.phase,
                    axes: axis_names(&idle, Some(mesh)),
                    flops: flops - flops / repeats,
                    count,
                    stage: None,
                    remedies: contraction.remedies(&idle, definitions),
                });
            }
        }
    }
    found
}

/// A contraction with the axes of its factors.
struct AssignedContraction<'p> {
    program: &'p Program,
    op: &'p Op,
    rule: Rule,
    factors: FactorAxes,
}

impl<'p> AssignedContraction<'p> {
    fn new(program: &'p Program, op: &'p Op) -> AssignedContraction<'p> {
        let rule = op.kind.rule(&program.arg_types(op), &program.out_types(op));
        let layouts = op.args.iter().chain(&op.outs).filter_map(|&v| program.values[v].layout.as_deref());
        let factors = rule.infer_factor_axes(layouts).factors;
        AssignedContraction { program, op, rule, factors }
    }

    /// Returns the axes of the mesh, and parts of axes, that shard no factor. Operands that are partial along such an
    /// axis differ between its devices, but each device computes as much as one device would alone.
    fn idle_axes(&self, mesh: &DeviceMesh) -> Axes {
        let mut used: Axes = self.factors.iter().flatten().copied().collect();
        used.sort_by_key(|axis| axis.pre);
        let mut idle = Axes::new();
        for axis in mesh.axis_ids() {
            // Product of the sizes of the parts up to this one.
            let mut done = 1;
            let ends = used.iter().filter(|used| used.axis == axis).map(|used| (used.pre, used.pre * used.size));
            for (start, end) in ends.chain([(mesh.size(axis), mesh.size(axis))]) {
                if start > done && start.is_multiple_of(done) {
                    idle.push(AxisRef { axis, pre: done, size: start / done });
                }
                done = done.max(end);
            }
        }
        idle
    }

    /// Returns the FLOPs of one device.
    fn local_flops(&self) -> u64 {
        let local = |&v: &ValueId| self.program.values[v].local_type();
        let args: SmallVec<[Type; 3]> = self.op.args.iter().map(local).collect();
        let outs: SmallVec<[Type; 3]> = self.op.outs.iter().map(local).collect();
        let (args, outs): (SmallVec<[&Type; 3]>, SmallVec<[&Type; 3]>) = (args.iter().collect(), outs.iter().collect());
        self.op.kind.flops(&args, &outs)
    }

    /// Returns layouts that shard the contraction over the axes, or over the first of them that its dimensions permit.
    fn remedies(&self, idle: &[AxisRef], definitions: &Definitions) -> Vec<(ValueId, Layout)> {
        let factors = self.preferred_factors();
        let mut remedies = Vec::new();
        let mut operands = factors.iter().flat_map(|&factor| (0..self.op.args.len()).map(move |arg| (factor, arg)));
        let of_param = operands.find_map(|(factor, arg)| {
            let dim = own_dim(&self.rule.args[arg], factor)?;
            let (param, dim) = definitions.param_dim(self.program, self.op.args[arg], dim)?;
            Some((param, self.with_axes(param, dim, factor, idle)?))
        });
        remedies.extend(of_param);
        if let &[out] = &self.op.outs[..] {
            remedies.extend(factors.iter().find_map(|&factor| {
                let dim = own_dim(&self.rule.outs[0], factor)?;
                Some((out, self.with_axes(out, dim, factor, idle)?))
            }));
        }
        remedies
    }

    /// Returns the factors in the order in which they should be sharded: those of the result before sums, features
    /// before batches, and heads before sequences.
    fn preferred_factors(&self) -> Vec<FactorId> {
        let result = &self.rule.outs[0];
        let own_dims = if self.op.kind.class().attention().is_some() { 2 } else { 0 };
        let batch = result.len().saturating_sub(own_dims);
        let dims = result[..batch].iter().rev().chain(&result[batch..]);
        let own = dims.filter(|dim| dim.len() == 1).map(|dim| dim[0]);
        let summed = (0..self.rule.factors.len() as u32).map(FactorId).filter(|&f| !self.rule.in_results(f));
        own.chain(summed).collect()
    }

    /// Returns the layout of a value with as many of the axes as evenly divide its dimension, which is the factor.
    fn with_axes(&self, value: ValueId, dim: usize, factor: FactorId, idle: &[AxisRef]) -> Option<Layout> {
        match self.rule.kind(factor) {
            FactorKind::PassThrough | FactorKind::Reduce(_) => {}
            FactorKind::NeedReplication
            | FactorKind::Inner
            | FactorKind::Window(_)
            | FactorKind::Exchanged { .. }
            | FactorKind::Indexed => return None,
        }
        let v = &self.program.values[value];
        let mut layout = Layout { partial: SmallVec::new(), ..v.layout.as_deref()?.clone() };
        let used: Axes = layout.split_axes().collect();
        for &axis in idle.iter().filter(|axis| !used.iter().any(|used| used.overlaps(**axis))) {
            let mut axes = layout.dims[dim].axes.clone();
            match axes.last_mut() {
                // Consecutive parts of an axis are one part.
                Some(last) if last.axis == axis.axis && last.pre * last.size == axis.pre => last.size *= axis.size,
                Some(_) | None => axes.push(axis),
            }
            if divides(v.ty.shape[dim], &axes) {
                layout.dims[dim].axes = axes;
            }
        }
        (layout.dims[dim].axes != self.factors[factor.0 as usize]).then_some(layout)
    }
}

/// Returns the dimension that consists of the factor only.
fn own_dim(map: &[SmallVec<[FactorId; 2]>], factor: FactorId) -> Option<usize> {
    map.iter().position(|dim| dim[..] == [factor])
}

/// The definitions of values.
struct Definitions {
    /// The op that defines a result.
    ops: FxHashMap<ValueId, OpId>,
    /// For each input of a loop body, the operand of the loop.
    operands: FxHashMap<ValueId, ValueId>,
}

impl Definitions {
    fn new(program: &Program) -> Definitions {
        let (mut by_op, mut operands) = (FxHashMap::default(), FxHashMap::default());
        for func in program.funcs_with_layouts() {
            for &id in program.funcs[func].ops() {
                let op = &program.ops[id];
                by_op.extend(op.outs.iter().map(|&out| (out, id)));
                if let Some(control) = op.kind.control() {
                    let Control::Loop(l) = control;
                    operands.extend(program.funcs[l.body].inputs.iter().copied().zip(op.args.iter().copied()));
                }
            }
        }
        Definitions { ops: by_op, operands }
    }

    /// Returns the dimension of a parameter that becomes dimension `dim` of a value, through loops and ops that keep
    /// the dimension of their first operand.
    fn param_dim(&self, program: &Program, mut value: ValueId, mut dim: usize) -> Option<(ValueId, usize)> {
        // Operands are defined before results, and loops are not recursive, so the loop terminates.
        loop {
            if let Some(&id) = self.ops.get(&value) {
                let op = &program.ops[id];
                let rule = op.kind.rule(&program.arg_types(op), &program.out_types(op));
                let out = op.outs.iter().position(|&out| out == value)?;
                let [factor] = rule.outs.get(out)?.get(dim)?[..] else { return None };
                dim = own_dim(rule.args.first()?, factor)?;
                value = op.args[0];
            } else if let Some(&operand) = self.operands.get(&value) {
                value = operand;
            } else {
                let param = program.param_of(value)?;
                return (program.params[param].kind != ParamKind::State).then_some((value, dim));
            }
        }
    }
}
