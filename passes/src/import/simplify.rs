//! `simplify` and `simplify-real` (traced -> traced): take away what nobody needs, by equality saturation.
//!
//! A window is an op of which the laws may say something, with the elementwise ops, movement and constants that it is
//! made from. Its values are read as [terms](partita_equality), laws of algebra are applied to them, and the cheapest
//! terms that give the same values take the window's place, if they cost less: operations and bytes on the machine,
//! with what is shared counted once. What the program or the plan lays out stays as it is.
//!
//! Only laws apply that hold bit for bit. `simplify-real` is the same with those that hold in exact arithmetic, such as
//! `x + 0 = x`. Both run when they are asked for: a program that is less by itself may be slower once it is
//! partitioned.
//!
//! Before:
//!
//! ```text
//! %o = constant 1.0 : f32[4, 6]
//! %m = mul %x, %o : f32[4, 6]
//! %n = neg %y : f32[4, 6]
//! %z = add %m, %n : f32[4, 6]
//! output %z
//! ```
//!
//! After:
//!
//! ```text
//! input %x : f32[4, 6]
//! input %y : f32[4, 6]
//! %z = sub %x, %y : f32[4, 6]
//! output %z
//! ```
//!
//! Before, with `simplify-real`:
//!
//! ```text
//! %c = constant 0.0 : f32[4]
//! %a = add %x, %c : f32[4]
//! %z = mul %a, %y : f32[4]
//! output %z
//! ```
//!
//! After:
//!
//! ```text
//! input %x : f32[4]
//! input %y : f32[4]
//! %z = mul %x, %y : f32[4]
//! output %z
//! ```
//!
//! Recogniser: an op of which no law is known is in no window and stays.

use super::raise::placed;
use crate::driver::{Findings, Info, Input, Pass};
use partita_equality::laws::{Law, algebra, identities};
use partita_equality::term::{Call, Head, Meaning, Term, Terms};
use partita_equality::window::{Better, Reading, Search, Uses, Window, improve, replace};
use partita_ir::arena::{FuncId, Id, OpId, ValueId};
use partita_ir::diag::Diagnostic;
use partita_ir::dtype::DType;
use partita_ir::op::OpKind;
use partita_ir::ops::{BinaryOp, Constant, Literal, UnaryOp};
use partita_ir::program::{Form, Op, Program};
use partita_machine::Machine;
use std::collections::BTreeSet;

/// More ops than this are not looked at together.
const SIZE: usize = 24;

/// Bytes a second of memory, where no machine is named.
const MEMORY: f64 = 2e12;

/// Operations a second, where no machine is named.
const RATE: f64 = 2e13;

/// Seconds of any op, so that fewer of them are cheaper.
const SOME: f64 = 1e-9;

/// The pass.
#[derive(Default)]
pub struct Simplify {
    /// Whether laws apply, too, that hold in exact arithmetic only.
    pub real: bool,
}

impl Pass for Simplify {
    fn info(&self) -> Info {
        let name = if self.real { "simplify-real" } else { "simplify" };
        Info { name, needs: Form::Traced, gives: Form::Traced, reads: &[] }
    }

    fn applies(&self, program: &Program, input: &Input, _: &Findings) -> bool {
        let placed = placed(program, &input.plan);
        program.laid_out_funcs().into_iter().any(|func| {
            let looker = Looker::new(program, func, &placed, self.real);
            (0..program.funcs[func].ops().len()).any(|at| looker.is_seed(at))
        })
    }

    fn run(&self, program: &mut Program, input: &Input, findings: &mut Findings) -> Result<(), Vec<Diagnostic>> {
        let placed = placed(program, &input.plan);
        let laws: Vec<&'static Law> = algebra::LAWS
            .iter()
            .chain(identities::LAWS)
            .filter(|law| law.exact || self.real && law.name != algebra::COMPOSITE.name)
            .collect();
        let mut search = Search::by(self.info().name);
        for func in program.laid_out_funcs() {
            let windows = Looker::new(program, func, &placed, self.real).windows();
            let machine = input.machine.as_deref();
            let better: Vec<Better> = windows
                .into_iter()
                .filter_map(|window| {
                    let reading = read(program, &window);
                    let cost = |terms: &Terms, term: &Term| seconds(terms, term, machine);
                    improve(program, window, reading?, &laws, &cost, &mut search)
                })
                .collect();
            replace(program, func, &better);
        }
        findings.searches.push(search);
        Ok(())
    }
}

/// The terms of a window.
fn read(program: &Program, window: &Window) -> Option<Reading> {
    let mut reading = Reading::on(Meaning::default());
    for &leaf in &window.leaves {
        let entry = reading.terms.analysis.entry(&program.values[leaf].ty);
        reading.read(leaf, Term::leaf(entry));
    }
    for &op in &window.ops {
        let op = &program.ops[op];
        let &[out] = &op.outs[..] else { return None };
        let call = Call { kind: op.kind.clone(), outs: vec![program.values[out].ty.clone()] };
        let call = reading.terms.analysis.call(call);
        let args = op.args.iter().map(|arg| reading.known.get(arg).copied()).collect::<Option<Vec<_>>>()?;
        reading.read(out, Term::new(Head::Op { call, out: 0, place: None }, args));
    }
    Some(reading)
}

/// Seconds of an op on the machine, by what it computes and what it moves.
fn seconds(terms: &Terms, term: &Term, machine: Option<&Machine>) -> Option<f64> {
    let Head::Op { call, place: None, .. } = term.head else { return None };
    let meaning = &terms.analysis;
    let call = meaning.call_at(call);
    let kind = machine.and_then(|machine| machine.slowest(0..machine.device_count()));
    let (memory, rate) = kind.map_or((MEMORY, RATE), |kind| (kind.bandwidth, kind.rate(DType::F32)));
    if matches!(call.kind, OpKind::Constant(_) | OpKind::Reshape(_)) {
        return Some(SOME);
    }
    let args: Vec<_> = term.args.iter().map(|&arg| meaning.type_at(terms[arg].data.ty)).collect();
    let outs: Vec<_> = call.outs.iter().collect();
    let bytes: u64 = args.iter().chain(&outs).map(|ty| ty.bytes()).sum();
    Some(SOME + (bytes as f64 / memory).max(call.kind.flops(&args, &outs) as f64 / rate))
}

/// Looks for windows in a function.
struct Looker<'a> {
    program: &'a Program,
    func: FuncId,
    body: &'a [OpId],
    uses: Uses,
    placed: &'a [bool],
    real: bool,
}

impl<'a> Looker<'a> {
    fn new(program: &'a Program, func: FuncId, placed: &'a [bool], real: bool) -> Looker<'a> {
        Looker { program, func, body: program.funcs[func].ops(), uses: Uses::of(program, func), placed, real }
    }

    /// The windows, none of which has an op of another.
    fn windows(&self) -> Vec<Window> {
        let mut taken = vec![false; self.body.len()];
        let mut found = Vec::new();
        // From the end, so that of ops that are seeds all the last one takes the others along.
        for seed in (0..self.body.len()).rev() {
            if taken[seed] || !self.is_seed(seed) {
                continue;
            }
            let ops = self.grown(seed, &taken);
            ops.iter().for_each(|&at| taken[at] = true);
            found.push(self.uses.window(self.program, self.func, &ops));
        }
        found.reverse();
        found
    }

    fn op(&self, at: usize) -> &'a Op {
        &self.program.ops[self.body[at]]
    }

    /// The position of the op that makes a value, if it may be part of a window.
    fn maker(&self, value: ValueId) -> Option<usize> {
        self.uses.maker[value.index()].filter(|&at| self.is_light(at))
    }

    /// Whether an op may be part of a window.
    fn is_light(&self, at: usize) -> bool {
        let op = self.op(at);
        let &[out] = &op.outs[..] else { return false };
        let is_light = match &op.kind {
            OpKind::Reshape(_) | OpKind::Transpose(_) | OpKind::Broadcast(_) | OpKind::Convert(_) => true,
            OpKind::Constant(constant) => matches!(constant.value, Literal::Splat(_)),
            OpKind::Reduce(reduce) => reduce.dims.is_empty() || self.real,
            kind => kind.is_elementwise(),
        };
        is_light && !self.placed[out.index()]
    }

    /// Whether a law may say something of an op.
    fn is_seed(&self, at: usize) -> bool {
        let op = self.op(at);
        if !self.is_light(at) {
            return false;
        }
        let maker = |arg: usize| Some(&self.op(self.maker(*op.args.get(arg)?)?).kind);
        let is_same = || op.args.first().is_some_and(|&arg| self.program.ty(arg) == self.program.ty(op.outs[0]));
        let is_neg = |kind: Option<&OpKind>| matches!(kind, Some(OpKind::Unary(u)) if u.op == UnaryOp::Neg);
        match &op.kind {
            OpKind::Reshape(_) => is_same() || matches!(maker(0), Some(OpKind::Reshape(_))),
            OpKind::Convert(_) => is_same() || matches!(maker(0), Some(OpKind::Convert(_))),
            OpKind::Broadcast(b) => {
                is_same() && b.dims.is_sorted() || matches!(maker(0), Some(OpKind::Broadcast(_) | OpKind::Reshape(_)))
            }
            OpKind::Transpose(t) => t.perm.is_sorted() || self.is_turned(op.args[0], SIZE),
            OpKind::Reduce(reduce) => reduce.dims.is_empty() || matches!(maker(0), Some(OpKind::Reduce(_))),
            OpKind::Unary(u) => u.op == UnaryOp::Neg && is_neg(maker(0)),
            OpKind::Binary(binary) => match binary.op {
                BinaryOp::Add => is_neg(maker(0)) || is_neg(maker(1)) || self.real && self.is_any(op, 0.0),
                BinaryOp::Sub => is_neg(maker(1)) || self.is_number(op.args[1], 0.0),
                BinaryOp::Mul => self.is_any(op, 1.0),
                BinaryOp::Div => self.is_number(op.args[1], 1.0),
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether a value is an elementwise function of transposed ones, some ops away.
    fn is_turned(&self, value: ValueId, away: usize) -> bool {
        let Some(op) = self.maker(value).map(|at| self.op(at)).filter(|_| away > 0) else { return false };
        match &op.kind {
            OpKind::Transpose(_) => true,
            kind if kind.is_elementwise() => op.args.first().is_some_and(|&arg| self.is_turned(arg, away - 1)),
            _ => false,
        }
    }

    fn is_any(&self, op: &Op, number: f64) -> bool {
        op.args.iter().any(|&arg| self.is_number(arg, number))
    }

    /// Whether a value is that number everywhere.
    fn is_number(&self, value: ValueId, number: f64) -> bool {
        let Some(op) = self.maker(value).map(|at| self.op(at)) else { return false };
        match &op.kind {
            OpKind::Constant(Constant { value: Literal::Splat(x) }) => x.to_f64() == number,
            OpKind::Broadcast(_) => op.args.first().is_some_and(|&arg| self.is_number(arg, number)),
            _ => false,
        }
    }

    /// An op with what it is made from, nearest first.
    fn grown(&self, seed: usize, taken: &[bool]) -> BTreeSet<usize> {
        let mut ops = BTreeSet::from([seed]);
        let mut todo = std::collections::VecDeque::from([seed]);
        while let Some(at) = todo.pop_front() {
            for &arg in &self.op(at).args {
                if let Some(maker) = self.maker(arg)
                    && !taken[maker]
                    && ops.len() < SIZE
                    && ops.insert(maker)
                {
                    todo.push_back(maker);
                }
            }
        }
        ops
    }
}
