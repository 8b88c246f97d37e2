//! `collectives` (explicit -> explicit): cheaper collectives by equality saturation, where they meet an op that they may change sides with.
//!
//! A window is an op whose operands come from collectives, those collectives, and the ops that go on with its result in the same way. Its
//! values are read as [terms](crate::equality), the laws that move collectives across ops are applied to them, and the cheapest
//! terms that give the same values take the window's place, if they cost less: seconds of the machine's collectives and of what ops
//! move in memory, with what is shared counted once. The rest of the program stays as it is.
//!
//! Before: `%r = all_reduce sum over a %p`, `%s = all_reduce sum over a %q`, `%z = add %r, %s`.
//!
//! After: `%z.1 = add %p, %q : ... sum(a)`, `%z = all_reduce sum over a %z.1`.

mod costs;
mod window;

use self::costs::Costs;
use self::window::{Window, windows};
use crate::equality::extract::{Choice, cheapest};
use crate::equality::laws::{collectives, layouts, rearrange};
use crate::equality::place::Place;
use crate::equality::term::{Call, Head, Meaning, Term, Terms};
use crate::pass::{Cx, Info, Pass};
use egg::{Id, Runner, SimpleScheduler};
use partita_ir::arena::{FuncId, OpId, ValueId};
use partita_ir::build::Namer;
use partita_ir::diag::Diagnostic;
use partita_ir::program::{Form, Op, Program, Value, Values};
use rustc_hash::FxHashMap;
use std::time::Duration;

/// How often laws are applied to a window.
const ROUNDS: usize = 8;

/// More terms than this are not made of a window.
const TERMS: usize = 2000;

/// What no window takes; what ends saturation is the number of rounds or terms.
const PATIENCE: Duration = Duration::from_secs(10);

/// The share of a window's cost that must be saved, so that what rounding says is no reason.
const WORTH: f64 = 1e-9;

/// The pass.
pub struct Collectives;

impl Pass for Collectives {
    fn info(&self) -> Info {
        Info { name: "collectives", needs: Form::Explicit, gives: Form::Explicit }
    }

    fn applies(&self, program: &Program, _: &Cx) -> bool {
        program.mesh().is_some() && program.laid_out_funcs().into_iter().any(|func| !windows(program, func).is_empty())
    }

    fn run(&self, program: &mut Program, cx: &mut Cx) -> Result<(), Vec<Diagnostic>> {
        let Some((_, mesh)) = program.mesh() else { return Ok(()) };
        let mesh = mesh.clone();
        let machine = cx.machine.clone();
        let costs = Costs::new(machine.as_deref(), &mesh);
        for func in program.laid_out_funcs() {
            let better: Vec<Better> = windows(program, func)
                .into_iter()
                .filter_map(|window| improve(program, window, Meaning::on(Some(mesh.clone())), &costs))
                .collect();
            replace(program, func, &better);
        }
        Ok(())
    }
}

/// A window with what is to take its place.
struct Better {
    window: Window,
    terms: Terms,
    /// By e-class, what is there already.
    leaves: FxHashMap<Id, ValueId>,
    choice: Choice,
    /// What the window's results are.
    results: Vec<(ValueId, Id)>,
}

/// Cheaper terms for a window, if there are any.
fn improve(program: &Program, window: Window, meaning: Meaning, costs: &Costs<'_>) -> Option<Better> {
    let mut terms = Terms::new(meaning);
    let mut known: FxHashMap<ValueId, Id> = FxHashMap::default();
    for &leaf in &window.leaves {
        let value = &program.values[leaf];
        let entry = terms.analysis.entry(&value.ty);
        let whole = terms.add(Term::leaf(entry));
        let place = Place::of(value.layout.as_ref()?, &value.ty.shape);
        let place = terms.analysis.place(place);
        known.insert(leaf, terms.add(Term::new(Head::Part(place), [whole])));
    }
    let mut before = Choice::default();
    for &op in &window.ops {
        let op = &program.ops[op];
        let &[out] = &op.outs[..] else { return None };
        let value = &program.values[out];
        let call = Call { kind: op.kind.clone(), outs: vec![value.ty.clone()] };
        let call = terms.analysis.call(call);
        let place = Place::of(value.layout.as_ref()?, &value.ty.shape);
        let place = Some(terms.analysis.place(place));
        let term = Term::new(Head::Op { call, out: 0, place }, op.args.iter().map(|arg| known[arg]));
        let id = terms.add(term.clone());
        for law in collectives::LAWS.iter().chain([&layouts::SPLIT]) {
            law.apply(&mut terms, id);
        }
        terms[id].data.whole?;
        before.insert(id, term);
        known.insert(out, id);
    }
    terms.rebuild();
    let own: f64 = before.values().filter_map(|term| costs.of(&terms, term)).sum();
    let laws = rearrange::LAWS.iter().chain(collectives::LAWS).chain([&layouts::SPLIT]);
    let laws: Vec<_> = laws.map(|law| law.rewrite()).collect();
    let terms = Runner::<Term, Meaning>::new(Meaning::default())
        .with_egraph(terms)
        .with_scheduler(SimpleScheduler)
        .with_iter_limit(ROUNDS)
        .with_node_limit(TERMS)
        .with_time_limit(PATIENCE)
        .run(&laws)
        .egraph;
    let leaves: FxHashMap<Id, ValueId> =
        window.leaves.iter().rev().map(|leaf| (terms.find(known[leaf]), *leaf)).collect();
    let results: Vec<(ValueId, Id)> = window.results.iter().map(|v| (*v, terms.find(known[v]))).collect();
    let roots: Vec<Id> = results.iter().map(|(_, class)| *class).collect();
    let cost = |term: &Term| match term.head {
        // A part is at hand where it is a leaf.
        Head::Part(_) => terms.lookup(term.clone()).filter(|at| leaves.contains_key(&terms.find(*at))).map(|_| 0.0),
        Head::Entry(_) => Some(0.0),
        Head::Op { .. } => costs.of(&terms, term),
    };
    let (choice, total) = cheapest(&terms, &roots, &cost)?;
    (total < own * (1.0 - WORTH)).then_some(Better { window, terms, leaves, choice, results })
}

/// Puts better terms in the place of windows.
fn replace(program: &mut Program, func: FuncId, better: &[Better]) {
    if better.is_empty() {
        return;
    }
    let mut names = Namer::of(program);
    let mut same: FxHashMap<ValueId, ValueId> = FxHashMap::default();
    for one in better {
        let Some(written) = Writer::new(program, func, one).write(&mut names) else { continue };
        let body = std::mem::take(&mut program.funcs[func].body);
        let mut new = Vec::with_capacity(body.len());
        for id in body {
            new.extend(written.at.get(&id).into_iter().flatten().copied());
            if !one.window.ops.contains(&id) {
                new.push(id);
            }
        }
        program.funcs[func].body = new;
        same.extend(written.same);
    }
    let find = |mut value: ValueId| {
        while let Some(&other) = same.get(&value) {
            value = other;
        }
        value
    };
    for &op in &program.funcs[func].body {
        program.ops[op].args.iter_mut().for_each(|arg| *arg = find(*arg));
    }
    program.funcs[func].outputs.iter_mut().for_each(|output| output.value = find(output.value));
}

/// What was written for a window.
struct Written {
    /// By op of the window, what takes its place.
    at: FxHashMap<OpId, Vec<OpId>>,
    /// Results that are other values now.
    same: FxHashMap<ValueId, ValueId>,
}

/// Writes terms as ops.
struct Writer<'a> {
    program: &'a mut Program,
    better: &'a Better,
    /// By value, where in the function it is made; what enters is there from the beginning.
    made: FxHashMap<ValueId, usize>,
    /// By e-class, the value that it is.
    values: FxHashMap<Id, ValueId>,
}

impl<'a> Writer<'a> {
    fn new(program: &'a mut Program, func: FuncId, better: &'a Better) -> Writer<'a> {
        let body = program.funcs[func].body.iter().enumerate();
        let made = body.flat_map(|(at, &op)| program.ops[op].outs.iter().map(move |&out| (out, at))).collect();
        let values = better.leaves.clone();
        Writer { program, better, made, values }
    }

    /// Every result where it was made; `None` where something that it needs is not there yet.
    fn write(mut self, names: &mut Namer) -> Option<Written> {
        let mut written = Written { at: FxHashMap::default(), same: FxHashMap::default() };
        for &op in &self.better.window.ops {
            let out = self.program.ops[op].outs[0];
            let Some(&(_, class)) = self.better.results.iter().find(|(value, _)| *value == out) else { continue };
            let place = *self.made.get(&out)?;
            if let Some(&value) = self.values.get(&class) {
                if self.made.get(&value).is_some_and(|&at| at > place) {
                    return None;
                }
                written.same.insert(out, value);
                continue;
            }
            let ops = self.result(class, out, place, names)?;
            written.at.insert(op, ops);
        }
        Some(written)
    }

    /// The ops that make a result.
    fn result(&mut self, class: Id, result: ValueId, place: usize, names: &mut Namer) -> Option<Vec<OpId>> {
        let terms = &self.better.terms;
        let mut ops = Vec::new();
        let mut todo = vec![class];
        while let Some(&at) = todo.last() {
            if self.values.contains_key(&at) {
                todo.pop();
                continue;
            }
            let term = self.better.choice.get(&at)?;
            let args: Vec<Id> = term.args.iter().map(|arg| terms.find(*arg)).collect();
            let missing = args.iter().filter(|arg| !self.values.contains_key(arg));
            let before = todo.len();
            todo.extend(missing.copied().collect::<Vec<_>>());
            if todo.len() > before {
                continue;
            }
            todo.pop();
            let args: Values = args.iter().map(|arg| self.values[arg]).collect();
            if args.iter().any(|arg| self.made.get(arg).is_some_and(|&made| made > place)) {
                return None;
            }
            let out = if at == class { result } else { self.between(at, result, names)? };
            ops.push(self.op(term, args, out));
            self.made.insert(out, place);
            self.values.insert(at, out);
        }
        Some(ops)
    }

    /// A value on the way to a result.
    fn between(&mut self, class: Id, result: ValueId, names: &mut Namer) -> Option<ValueId> {
        let meaning = &self.better.terms.analysis;
        let sort = self.better.terms[class].data;
        let layout = meaning.place_at(sort.place?).layout.clone();
        let name = names.fresh(&self.program.values[result].name.clone());
        let value = Value { layout: Some(layout.into()), ..Value::new(name, meaning.type_at(sort.ty).clone()) };
        Some(self.program.values.push(value))
    }

    /// An op for a term, which comes from where the window has one like it.
    fn op(&mut self, term: &Term, args: Values, out: ValueId) -> OpId {
        let call = match term.head {
            Head::Op { call, .. } => call,
            Head::Entry(_) | Head::Part(_) => 0,
        };
        let kind = self.better.terms.analysis.call_at(call).kind.clone();
        let ops = || self.better.window.ops.iter().map(|&op| &self.program.ops[op]);
        let model = ops().find(|op| op.kind == kind).or_else(|| ops().find(|op| op.kind.is_collective()));
        let (phase, origin) = model.map(|op| (op.phase, op.origin.clone())).unwrap_or_default();
        self.program.ops.push(Op { kind, args, outs: Values::from_slice(&[out]), phase, origin })
    }
}
