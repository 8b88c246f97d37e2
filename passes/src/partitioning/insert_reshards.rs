//! `insert-reshards` (planned -> explicit): makes every disagreement between an op and its operands a `reshard`.
//!
//! Each op's factors are split one way (`splits`); operands that lie otherwise are resharded before it, and its results
//! lie as the split leaves them, which may be pending. Partial sums flow on through linear ops and are reduced once,
//! where that is cheapest ([`super::pending`]). A value that several ops need in the same other layout is resharded
//! once. What a loop only adds up may be carried pending, and is then reduced behind it ([`super::running_sums`]).
//! Constants are made anew in the layout that is needed. `constrain` becomes the reshard to what the user asked for.
//! Nothing else changes: no op is added but reshards and constants, none is reordered.
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

use super::path::Paths;
use super::running_sums::RunningSums;
use super::splits::{Split, Splits};
use crate::driver::variant::When;
use crate::driver::{FindingKind, Findings, Info, Input, Pass};
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
use smallvec::SmallVec;

/// The pass.
#[derive(Default)]
pub struct InsertReshards {
    /// When partial sums are reduced, if several places are equally cheap.
    pub when: When,
}

impl Pass for InsertReshards {
    fn info(&self) -> Info {
        Info {
            name: "insert-reshards",
            needs: Form::Planned,
            gives: Form::Explicit,
            reads: &[FindingKind::OptionalSums],
        }
    }

    fn run(&self, program: &mut Program, _: &Input, findings: &mut Findings) -> Result<(), Vec<Diagnostic>> {
        if let Some((mesh, _)) = program.mesh() {
            let mut names = Namer::of(program);
            let mut paths = Paths::new(mesh);
            let sums = RunningSums::of(program);
            for func in program.laid_out_funcs() {
                let splits = Splits::of(program, func, &sums, mesh, self.when, &mut paths, findings);
                let unmet = splits.unmet(program, func, findings.optional_sums(self.info()));
                if !unmet.is_empty() {
                    return Err(unmet);
                }
                Writer::new(program, &mut names, &mut paths, &splits).rewrite(func);
            }
        }
        program.form = Form::Explicit;
        Ok(())
    }
}

/// Writes the new body of a function.
struct Writer<'a> {
    program: &'a mut Program,
    names: &'a mut Namer,
    paths: &'a mut Paths,
    splits: &'a Splits,
    body: Vec<OpId>,
    /// Whether it is the main function.
    is_main: bool,
    /// The values that stand for a value of the old body, in different layouts; none: it stands for itself.
    versions: Vec<SmallVec<[ValueId; 2]>>,
}

/// Who needs a value.
#[derive(Clone, Copy)]
enum Reader {
    /// Operand of an op.
    Operand(OpId, usize),
    /// Result of the function.
    Result(usize),
}

impl<'a> Writer<'a> {
    fn new(program: &'a mut Program, names: &'a mut Namer, paths: &'a mut Paths, splits: &'a Splits) -> Writer<'a> {
        let versions = vec![SmallVec::new(); program.values.len()];
        Writer { program, names, paths, splits, body: Vec::with_capacity(splits.ops.len()), is_main: false, versions }
    }

    fn rewrite(mut self, func: FuncId) {
        self.is_main = func == self.program.entry();
        let program = &*self.program;
        let Func { inputs, outputs, .. } = &program.funcs[func];
        // What the body of a loop gives lies as it takes it, and what replaces a parameter as that does; what else the
        // program gives, where propagation put it.
        let ends = outputs.iter().enumerate().map(|(i, o)| match (inputs.get(i), o.alias) {
            (Some(&input), _) if func != program.entry() => (o.value, input),
            (_, Some(param)) if func == program.entry() => (o.value, program.params[param].value),
            _ => (o.value, o.value),
        });
        let homes: Vec<(ValueId, Layout)> = ends.map(|(v, at)| (v, self.splits.home(program, at).clone())).collect();
        self.splits.sums.iter().for_each(|sum| self.lay(sum.before));
        for split in &self.splits.ops {
            self.write(split);
        }
        for (i, (value, home)) in homes.into_iter().enumerate() {
            let sum = self.splits.sums.iter().find(|sum| sum.after == value);
            let pending = sum.map(|sum| self.splits.pending[sum.after.index()].clone()).unwrap_or_default();
            let need = Layout { pending, ..home };
            self.program.funcs[func].outputs[i].value = self.bring(value, &need, Reader::Result(i));
        }
        *self.program.funcs[func].ops_mut() = self.body;
    }

    fn write(&mut self, split: &Split) {
        if let (Some(Constrain { fresh: true }), &[out]) =
            (constraint(&self.program.ops[split.op].kind), &self.program.ops[split.op].outs[..])
        {
            let copy = self.bring_fresh(split, out);
            self.versions[out.index()].push(copy);
            return;
        }
        let count = self.program.ops[split.op].args.len();
        let mut args = Values::new();
        for i in 0..count {
            let arg = self.program.ops[split.op].args[i];
            args.push(if split.plain && self.versions[arg.index()].is_empty() {
                arg
            } else {
                let need = match split.plain {
                    true => self.splits.lies(self.program, arg).clone(),
                    false => self.splits.need(self.program, split, i),
                };
                self.bring(arg, &need, Reader::Operand(split.op, i))
            });
        }
        let op = &mut self.program.ops[split.op];
        if let (Some(_), &[out], &[source]) = (constraint(&op.kind), &op.outs[..], &args[..]) {
            // The value is there already, in the layout that was asked for.
            self.versions[out.index()].push(source);
            return;
        }
        op.args = args;
        self.body.push(split.op);
        for out in self.program.ops[split.op].outs.clone() {
            self.lay(out);
        }
    }

    /// Gives a value the layout that its op leaves it in.
    fn lay(&mut self, value: ValueId) {
        let pending = &self.splits.pending[value.index()];
        let lies = self.splits.lies(self.program, value);
        let home = self.splits.home(self.program, value);
        if *pending != home.pending || !pending.is_empty() || !std::ptr::eq(lies, home) {
            let layout = Layout { pending: pending.clone(), replicated: Axes::new(), ..lies.clone() };
            self.program.values[value].layout = Some(layout.into());
        }
    }

    /// The value in the layout that is needed: as it is, made anew, or resharded from where that is cheapest.
    fn bring(&mut self, value: ValueId, need: &Layout, reader: Reader) -> ValueId {
        let itself = [value];
        let versions: &[ValueId] = match &self.versions[value.index()] {
            none if none.is_empty() => &itself,
            some => some,
        };
        let lies = |v: ValueId| self.program.values[v].layout.as_ref();
        if let Some(&hit) = versions.iter().find(|&&v| lies(v).is_some_and(|l| l.same_place(need))) {
            return hit;
        }
        let ty = self.program.ty(value).clone();
        if let Some(number) = self.splits.splat[value.index()].filter(|x| need.pending.is_empty() || x.is_zero()) {
            let constant = Constant { value: Literal::Splat(number) };
            let maker = self.splits.maker(value).map(|split| &self.program.ops[split.op]);
            let origin = maker.map(|op| op.origin.clone()).unwrap_or_default();
            let phase = self.phase(value, reader);
            return self.emit(constant.into(), value, &[], ty, need, (phase, origin));
        }
        let mut best: Option<(f64, ValueId)> = None;
        for &v in versions {
            let Some(layout) = lies(v) else { continue };
            let wire = self.paths.find(&ty.shape, ty.dtype.bytes(), layout, need).wire;
            if best.is_none_or(|(w, _)| wire < w) {
                best = Some((wire, v));
            }
        }
        let source = best.map_or(value, |(_, v)| v);
        let cause = self.cause(value, source, need, reader);
        self.emit(Reshard {}.into(), value, &[source], ty, need, cause)
    }

    /// The path of the parameter that a result of the program replaces.
    fn replaced(&self, result: usize) -> Option<&str> {
        let output = self.program.outputs().get(result).filter(|_| self.is_main)?;
        Some(&self.program.params[output.alias?].path)
    }

    /// The part of the training step in which a value is brought to a reader. A result is there as soon as it is made:
    /// in a pipeline, other stages may wait for it.
    fn phase(&self, value: ValueId, reader: Reader) -> Phase {
        let last = || self.body.last().map(|&op| self.program.ops[op].phase).unwrap_or_default();
        match reader {
            Reader::Operand(op, _) => self.program.ops[op].phase,
            Reader::Result(i) if self.replaced(i).is_some() => Phase::Update,
            Reader::Result(_) => self.splits.maker(value).map_or_else(last, |split| self.program.ops[split.op].phase),
        }
    }

    /// A version of a `fresh` constrain's operand that nobody else gets to read, unless the operand lies like that
    /// itself.
    fn bring_fresh(&mut self, split: &Split, out: ValueId) -> ValueId {
        let value = self.program.ops[split.op].args[0];
        let need = self.splits.home(self.program, out).clone();
        let known = std::mem::take(&mut self.versions[value.index()]);
        self.versions[value.index()].extend(known.first().copied());
        let copy = self.bring(value, &need, Reader::Operand(split.op, 0));
        self.versions[value.index()] = known;
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
        self.body.push(self.program.ops.push(op));
        let versions = &mut self.versions[value.index()];
        if versions.is_empty() {
            versions.push(value);
        }
        versions.push(out);
        out
    }

    /// Why a reshard is there, and which part of the training step it belongs to: a reduction because of the op that
    /// left partial sums, anything else because of the reader. What was made of partial sums later, such as in a layer
    /// that is computed again, is reduced in that part; but gradients are no part of the update.
    fn cause(&self, value: ValueId, source: ValueId, need: &Layout, reader: Reader) -> (Phase, Origin) {
        let program = &*self.program;
        let title = |op: &Op| {
            let name = op.outs.first().map_or("", |&v| program.values[v].name.as_str());
            format!("{} %{name}", op.kind.name())
        };
        let name = &program.values[value].name;
        let (who, factor, at) = match reader {
            Reader::Operand(op, i) => (title(&program.ops[op]), format!("operand {i}"), Some(op)),
            Reader::Result(i) => (format!("result %{name}"), format!("result {i}"), None),
        };
        let lies = program.values[source].layout.as_ref();
        let reduced = lies.and_then(|l| l.pending.iter().find(|p| !need.pending.contains(p)));
        match reduced.and_then(|&sum| self.splits.source(program, value, sum)) {
            Some(source) => {
                let op = &program.ops[source];
                let reason = format!("each device has a part of the sum `%{name}`, and `{who}` needs the sum itself");
                let made = self.splits.maker(value).map_or(op.phase, |split| program.ops[split.op].phase);
                let phase = if made == Phase::Update { op.phase } else { made.max(op.phase) };
                (phase, op.origin.because(Cause { op: title(op).into(), factor, reason }))
            }
            None => {
                let reason = format!("`{who}` needs `%{name}` in another layout than it has");
                let module = |path: &str| Origin::at(0, path.rsplit_once('.').map_or("", |(module, _)| module));
                let origin = match (at, reader) {
                    (Some(op), _) => program.ops[op].origin.clone(),
                    (None, Reader::Result(i)) => self.replaced(i).map(module).unwrap_or_default(),
                    (None, Reader::Operand(..)) => Origin::default(),
                };
                (self.phase(value, reader), origin.because(Cause { op: who.into(), factor, reason }))
            }
        }
    }
}

/// The layout that the user asks for, if the op states one.
fn constraint(kind: &OpKind) -> Option<&Constrain> {
    match kind.class().layout()? {
        LayoutOp::Constrain(constrain) => Some(constrain),
        LayoutOp::Reshard(_) => None,
    }
}
