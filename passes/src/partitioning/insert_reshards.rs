//! `insert-reshards` (planned -> explicit): inserts a `reshard` wherever an op needs an operand in another layout.
//!
//! The factors of each op are assigned axes (`axis_assignments`). Operands with other layouts are resharded before the
//! op. Its results have the layout that the assignment produces, which may be partial. Partial sums pass through linear
//! ops and are reduced once, where that is cheapest ([`super::partial_sums`]). A value that several ops need in the
//! same layout is resharded once. A sum accumulated by a loop may be carried partial and reduced after the loop
//! ([`super::running_sums`]). Constants are recreated in each layout. `constrain` becomes the reshard to the layout of
//! the annotation. No other op is added, and no op is reordered.
//!
//! Before:
//!
//! ```text
//! %p = matmul %r, %w2 : f32[32@data, 64]
//! %y = add %p, %b2 : f32[32@data, 64]
//! ```
//!
//! After:
//!
//! ```text
//! param %w2 "down.weight" : f32[512@model, 64]
//! input %r : f32[32@data, 512@model]
//! input %b2 : f32[32@data, 64]
//! %p = matmul %r, %w2 : f32[32@data, 64] sum(model)
//! %p.1 = reshard %p : f32[32@data, 64]
//! %y = add %p.1, %b2 : f32[32@data, 64]
//! ```

use super::axis_assignments::{AxisAssignment, AxisAssignments};
use super::repeated_products::repeated_products;
use super::reshard_path::ReshardPaths;
use super::running_sums::RunningSums;
use crate::driver::variant::ReductionPlacement;
use crate::driver::{FindingKind, Findings, Input, Pass, PassInfo};
use partita_ir::arena::{FuncId, Id, OpId, ValueId};
use partita_ir::build::Namer;
use partita_ir::class::LayoutOp;
use partita_ir::diag::Diagnostic;
use partita_ir::dtype::Type;
use partita_ir::layout::Layout;
use partita_ir::mesh::Axes;
use partita_ir::op::OpKind;
use partita_ir::ops::{Constant, Constrain, Literal, Reshard};
use partita_ir::origin::{Cause, Origin};
use partita_ir::program::{Form, Func, Op, Phase, Program, Value, Values};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The pass `insert-reshards`; see the module documentation.
#[derive(Default)]
pub struct InsertReshards {
    /// Placement of the reductions of partial sums.
    pub when: ReductionPlacement,
}

impl Pass for InsertReshards {
    fn info(&self) -> PassInfo {
        PassInfo {
            name: "insert-reshards",
            input_form: Form::Planned,
            output_form: Form::Explicit,
            reads: &[FindingKind::OptionalSums],
        }
    }

    fn run(&self, program: &mut Program, input: &Input, findings: &mut Findings) -> Result<(), Vec<Diagnostic>> {
        if let Some((mesh, _)) = program.mesh() {
            let mut names = Namer::from_program(program);
            let mut paths = ReshardPaths::new(mesh);
            let sums = match self.when {
                ReductionPlacement::AtReader => RunningSums::with_stacks(program),
                ReductionPlacement::Latest | ReductionPlacement::Earliest | ReductionPlacement::AtProducer => {
                    RunningSums::new(program)
                }
            };
            for func in program.funcs_with_layouts() {
                let assignments = AxisAssignments::new(program, func, &sums, mesh, self.when, &mut paths, findings);
                let unmet_demands = assignments.unmet_demands(program, func, findings.optional_sums(self.info()));
                if !unmet_demands.is_empty() {
                    return Err(unmet_demands);
                }
                BodyWriter::new(program, &mut names, &mut paths, &assignments).rewrite(func);
            }
        }
        program.form = Form::Explicit;
        if !input.is_draft {
            findings.repeated_products = repeated_products(program);
        }
        Ok(())
    }
}

/// Writes the new body of a function.
struct BodyWriter<'a> {
    program: &'a mut Program,
    names: &'a mut Namer,
    paths: &'a mut ReshardPaths,
    assignments: &'a AxisAssignments,
    body: Vec<OpId>,
    /// True for the entry function.
    is_main: bool,
    /// For each value of the old body, its versions in different layouts. Empty if the value itself is the only
    /// version.
    versions: Vec<SmallVec<[ValueId; 2]>>,
    /// The reshard or constant of each version that the pass has added.
    reshards: FxHashMap<ValueId, OpId>,
}

/// A use of a value.
#[derive(Clone, Copy)]
enum Reader {
    /// Operand of an op, by index.
    Operand(OpId, usize),
    /// Result of the function, by index.
    Result(usize),
}

impl<'a> BodyWriter<'a> {
    fn new(
        program: &'a mut Program,
        names: &'a mut Namer,
        paths: &'a mut ReshardPaths,
        assignments: &'a AxisAssignments,
    ) -> BodyWriter<'a> {
        let versions = vec![SmallVec::new(); program.values.len()];
        BodyWriter {
            program,
            names,
            paths,
            assignments,
            body: Vec::with_capacity(assignments.ops.len()),
            is_main: false,
            versions,
            reshards: FxHashMap::default(),
        }
    }

    fn rewrite(mut self, func: FuncId) {
        self.is_main = func == self.program.entry();
        let program = &*self.program;
        let Func { inputs, outputs, .. } = &program.funcs[func];
        // A result of a loop body has the layout of the carried input, and a result that replaces an input that of the
        // input. Others have the layout from propagation.
        let ends = outputs.iter().enumerate().map(|(i, o)| match (inputs.get(i), o.replaces) {
            (Some(&input), _) if func != program.entry() => (o.value, input),
            (_, Some(input)) if func == program.entry() => (o.value, input),
            _ => (o.value, o.value),
        });
        let final_layouts: Vec<(ValueId, Layout)> =
            ends.map(|(v, at)| (v, self.assignments.propagated_layout(program, at).clone())).collect();
        self.assignments.sums.iter().for_each(|sum| self.set_layout(sum.carried_in));
        for assignment in &self.assignments.ops {
            self.write(assignment);
        }
        for (i, (value, propagated)) in final_layouts.into_iter().enumerate() {
            let sum = self.assignments.sums.iter().find(|sum| sum.carried_out == value);
            let pending =
                sum.map(|sum| self.assignments.partial_sums[sum.carried_out.index()].clone()).unwrap_or_default();
            let need = Layout { partial: pending, ..propagated };
            self.program.funcs[func].outputs[i].value = self.version_in_layout(value, &need, Reader::Result(i));
        }
        *self.program.funcs[func].ops_mut() = self.body;
    }

    fn write(&mut self, assignment: &AxisAssignment) {
        if let (Some(Constrain { fresh: true, .. }), &[out]) =
            (constraint(&self.program.ops[assignment.op].kind), &self.program.ops[assignment.op].outs[..])
        {
            let copy = self.fresh_version(assignment);
            self.versions[out.index()].push(copy);
            return;
        }
        let count = self.program.ops[assignment.op].args.len();
        let mut args = Values::new();
        for i in 0..count {
            let arg = self.program.ops[assignment.op].args[i];
            args.push(if assignment.agrees && self.versions[arg.index()].is_empty() {
                arg
            } else {
                let need = match assignment.agrees {
                    // Operands of an assignment that agrees are not partial, even if their layout requests it.
                    true => {
                        let produced = self.assignments.produced_layout(self.program, arg);
                        Layout { partial: Default::default(), ..produced.clone() }
                    }
                    false => self.assignments.need(self.program, assignment, i),
                };
                self.version_in_layout(arg, &need, Reader::Operand(assignment.op, i))
            });
        }
        let op = &mut self.program.ops[assignment.op];
        if let (Some(_), &[out], &[source]) = (constraint(&op.kind), &op.outs[..], &args[..]) {
            // The operand already has the layout of the annotation.
            self.versions[out.index()].push(source);
            return;
        }
        op.args = args;
        self.body.push(assignment.op);
        for out in self.program.ops[assignment.op].outs.clone() {
            self.set_layout(out);
        }
    }

    /// Sets the layout of a value to the one that its op produces.
    fn set_layout(&mut self, value: ValueId) {
        let pending = &self.assignments.partial_sums[value.index()];
        let produced = self.assignments.produced_layout(self.program, value);
        let propagated = self.assignments.propagated_layout(self.program, value);
        if *pending != propagated.partial || !pending.is_empty() || !std::ptr::eq(produced, propagated) {
            let layout = Layout { partial: pending.clone(), replicated: Axes::new(), ..produced.clone() };
            self.program.values[value].layout = Some(layout.into());
        }
    }

    /// Returns the value in the layout `need`: an existing version, a recreated constant, or a reshard from the
    /// cheapest version.
    fn version_in_layout(&mut self, value: ValueId, need: &Layout, reader: Reader) -> ValueId {
        let itself = [value];
        let versions: &[ValueId] = match &self.versions[value.index()] {
            none if none.is_empty() => &itself,
            some => some,
        };
        let layout_of = |v: ValueId| self.program.values[v].layout.as_ref();
        if let Some(&hit) = versions.iter().find(|&&v| layout_of(v).is_some_and(|l| l.has_same_sharding(need))) {
            let defining = self.assignments.defining_assignment(value);
            let of_value = defining.map_or(Phase::Forward, |assignment| self.program.ops[assignment.op].phase);
            self.reshard_earlier(hit, self.phase(value, reader).max(of_value));
            return hit;
        }
        let ty = self.program.ty(value).clone();
        if let Some(number) = self.assignments.splat[value.index()].filter(|x| need.partial.is_empty() || x.is_zero()) {
            let constant = Constant { value: Literal::Splat(number) };
            let producer =
                self.assignments.defining_assignment(value).map(|assignment| &self.program.ops[assignment.op]);
            let origin = producer.map(|op| op.origin.clone()).unwrap_or_default();
            let phase = self.phase(value, reader);
            return self.emit(constant.into(), value, &[], ty, need, (phase, origin));
        }
        let mut best: Option<(f64, ValueId)> = None;
        for &v in versions {
            let Some(layout) = layout_of(v) else { continue };
            let wire = self.paths.find(&ty.shape, ty.dtype.bytes(), layout, need).wire_bytes;
            if best.is_none_or(|(w, _)| wire < w) {
                best = Some((wire, v));
            }
        }
        let source = best.map_or(value, |(_, v)| v);
        let cause = self.cause(value, source, need, reader);
        self.emit(Reshard {}.into(), value, &[source], ty, need, cause)
    }

    /// Returns the path of the parameter that a result of the program replaces.
    fn replaced_param_path(&self, result: usize) -> Option<&str> {
        let output = self.program.outputs().get(result).filter(|_| self.is_main)?;
        Some(&self.program.params[self.program.param_of(output.replaces?)?].path)
    }

    /// Returns the phase of the training step in which a value is resharded for a reader. A result is resharded where
    /// it is computed: in a pipeline, other stages may wait for it.
    fn phase(&self, value: ValueId, reader: Reader) -> Phase {
        let last = || self.body.last().map(|&op| self.program.ops[op].phase).unwrap_or_default();
        match reader {
            Reader::Operand(op, _) => self.program.ops[op].phase,
            Reader::Result(i) if self.replaced_param_path(i).is_some() => Phase::Update,
            Reader::Result(_) => self
                .assignments
                .defining_assignment(value)
                .map_or_else(last, |assignment| self.program.ops[assignment.op].phase),
        }
    }

    /// Reshards a version in `phase` if it is resharded for a reader in a later one.
    fn reshard_earlier(&mut self, version: ValueId, phase: Phase) {
        let mut next = self.reshards.get(&version).copied();
        while let Some(op) = next.map(|id| &mut self.program.ops[id]).filter(|op| op.phase > phase) {
            op.phase = phase;
            next = op.args.first().and_then(|source| self.reshards.get(source)).copied();
        }
    }

    /// Returns a version of a `fresh` constrain's operand that has no other reader, unless the operand itself has the
    /// layout.
    fn fresh_version(&mut self, assignment: &AxisAssignment) -> ValueId {
        let value = self.program.ops[assignment.op].args[0];
        let need = self.assignments.need(self.program, assignment, 0);
        let versions = std::mem::take(&mut self.versions[value.index()]);
        self.versions[value.index()].extend(versions.first().copied());
        let copy = self.version_in_layout(value, &need, Reader::Operand(assignment.op, 0));
        self.versions[value.index()] = versions;
        copy
    }

    fn emit(
        &mut self,
        kind: OpKind,
        value: ValueId,
        args: &[ValueId],
        ty: Type,
        need: &Layout,
        (phase, origin): (Phase, Origin),
    ) -> ValueId {
        let name = self.names.fresh(&self.program.values[value].name.clone());
        let out = self.program.values.push(Value { layout: Some(need.clone().into()), ..Value::new(name, ty) });
        let op = Op { kind, args: Values::from_slice(args), outs: Values::from_slice(&[out]), phase, origin };
        let op = self.program.ops.push(op);
        self.body.push(op);
        self.reshards.insert(out, op);
        let versions = &mut self.versions[value.index()];
        if versions.is_empty() {
            versions.push(value);
        }
        versions.push(out);
        out
    }

    /// Returns the phase and provenance of a reshard. A reduction is caused by the op that left the partial sum, any
    /// other reshard by the reader. A reduction has the later of the phases of that op and of the value, such as
    /// recomputation, but a gradient is not reduced in the update.
    fn cause(&self, value: ValueId, source: ValueId, need: &Layout, reader: Reader) -> (Phase, Origin) {
        let program = &*self.program;
        let title = |op: &Op| {
            let name = op.outs.first().map_or("", |&v| program.values[v].name.as_str());
            format!("{} %{name}", op.kind.name())
        };
        let name = &program.values[value].name;
        let (reader_name, factor, at) = match reader {
            Reader::Operand(op, i) => (title(&program.ops[op]), format!("operand {i}"), Some(op)),
            Reader::Result(i) => (format!("result %{name}"), format!("result {i}"), None),
        };
        let source_layout = program.values[source].layout.as_ref();
        let reduced = source_layout.and_then(|l| l.partial.iter().find(|p| !need.partial.contains(p)));
        match reduced.and_then(|&sum| self.assignments.reduction_source(program, value, sum)) {
            Some(source) => {
                let op = &program.ops[source];
                let reason = format!("`%{name}` is a partial sum, and `{reader_name}` needs the reduced value");
                let defining_phase = self
                    .assignments
                    .defining_assignment(value)
                    .map_or(op.phase, |assignment| program.ops[assignment.op].phase);
                let phase = match (defining_phase, op.phase) {
                    // A sum over examples that the forward pass computes can be a gradient as it is.
                    (Phase::Update, Phase::Forward | Phase::Recompute) => Phase::BackwardWeight,
                    (Phase::Update, of_source) => of_source,
                    (of_value, of_source) => of_value.max(of_source),
                };
                (phase, op.origin.with_cause(Cause { op: title(op).into(), factor, reason }))
            }
            None => {
                let reason = format!("`{reader_name}` needs `%{name}` in another layout");
                let module = |path: &str| Origin::new(0, path.rsplit_once('.').map_or("", |(module, _)| module));
                let origin = match (at, reader) {
                    (Some(op), _) => program.ops[op].origin.clone(),
                    (None, Reader::Result(i)) => self.replaced_param_path(i).map(module).unwrap_or_default(),
                    (None, Reader::Operand(..)) => Origin::default(),
                };
                (self.phase(value, reader), origin.with_cause(Cause { op: reader_name.into(), factor, reason }))
            }
        }
    }
}

/// Returns the layout constraint of the op, if it has one.
fn constraint(kind: &OpKind) -> Option<&Constrain> {
    match kind.class().layout()? {
        LayoutOp::Constrain(constrain) => Some(constrain),
        LayoutOp::Reshard(_) => None,
    }
}
