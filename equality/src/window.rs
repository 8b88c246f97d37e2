//! Windows: parts of a function that are read as terms, and written anew where cheaper terms are equal to them.
//!
//! A pass says what its windows are, how their ops are terms, which laws apply and what terms cost. What is searched
//! for, when that ends and how it is written is here, and it is kept with the laws that make it equal.

use super::certificate::{self, Names, Step};
use super::extract::{Choice, Cost, cheapest};
use super::laws::Law;
use super::term::{Head, Meaning, Term, Terms};
use egg::{Id, Runner, SimpleScheduler, StopReason};
use indexmap::IndexMap;
use partita_ir::arena::{FuncId, Id as _, OpId, ValueId};
use partita_ir::build::Namer;
use partita_ir::program::{Op, Program, Value, Values};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::time::Duration;

/// How often laws are applied to a window.
const ROUNDS: usize = 8;

/// More terms than this are not made of a window.
const TERMS: usize = 2000;

/// What no window takes; what ends saturation is the number of rounds or terms.
const PATIENCE: Duration = Duration::from_secs(10);

/// The share of a window's cost that must be saved, so that what rounding says is no reason.
const WORTH: f64 = 1e-9;

/// Part of a function.
pub struct Window {
    /// Its ops, in order. Each has one result.
    pub ops: Vec<OpId>,
    /// What they read of others, in order of use.
    pub leaves: Vec<ValueId>,
    /// What others read of them, in order.
    pub results: Vec<ValueId>,
}

/// Who makes and who reads the values of a function.
pub struct Uses {
    /// Position of the op that makes a value, by value.
    pub maker: Vec<Option<usize>>,
    /// Positions of the ops that read it, by value.
    pub readers: Vec<Vec<usize>>,
}

impl Uses {
    /// Of the values of a function.
    pub fn of(program: &Program, func: FuncId) -> Uses {
        let mut uses =
            Uses { maker: vec![None; program.values.len()], readers: vec![Vec::new(); program.values.len()] };
        for (at, &op) in program.funcs[func].ops().iter().enumerate() {
            let op = &program.ops[op];
            op.outs.iter().for_each(|out| uses.maker[out.index()] = Some(at));
            op.args.iter().for_each(|arg| uses.readers[arg.index()].push(at));
        }
        uses
    }

    /// The window of the ops at those positions.
    pub fn window(&self, program: &Program, func: FuncId, ops: &BTreeSet<usize>) -> Window {
        let func = &program.funcs[func];
        let mut window =
            Window { ops: ops.iter().map(|&at| func.ops()[at]).collect(), leaves: vec![], results: vec![] };
        for &op in &window.ops {
            for &arg in &program.ops[op].args {
                let within = self.maker[arg.index()].is_some_and(|at| ops.contains(&at));
                if !within && !window.leaves.contains(&arg) {
                    window.leaves.push(arg);
                }
            }
            for &out in &program.ops[op].outs {
                let leaves = func.outputs.iter().any(|output| output.value == out);
                if leaves || self.readers[out.index()].iter().any(|at| !ops.contains(at)) {
                    window.results.push(out);
                }
            }
        }
        window
    }
}

/// What a pass looked for in windows, and what it found.
#[derive(Clone, PartialEq, Debug)]
pub struct Search {
    /// The pass.
    pub pass: &'static str,
    /// How many windows it looked at.
    pub windows: usize,
    /// How many terms were made of them.
    pub terms: usize,
    /// Why searching ended, and for how many windows.
    pub stopped: IndexMap<&'static str, usize>,
    /// What was written anew.
    pub found: Vec<Found>,
}

/// A window that was written anew.
#[derive(Clone, PartialEq, Debug)]
pub struct Found {
    /// Seconds that its terms cost.
    pub before: f64,
    /// What those cost that took their place.
    pub after: f64,
    /// The laws by which they are equal.
    pub steps: Vec<Step>,
}

impl Search {
    /// By that pass; nothing was looked for yet.
    pub fn by(pass: &'static str) -> Search {
        Search { pass, windows: 0, terms: 0, stopped: IndexMap::new(), found: Vec::new() }
    }
}

/// The terms of a window.
pub struct Reading {
    /// The e-graph.
    pub terms: Terms,
    /// What each value of the window is.
    pub known: IndexMap<ValueId, Id>,
}

impl Reading {
    /// Of a window of which nothing is read yet.
    pub fn on(meaning: Meaning) -> Reading {
        let terms = Terms::new(meaning).with_explanations_enabled().without_explanation_length_optimization();
        Reading { terms, known: IndexMap::new() }
    }

    /// Notes the term of a value.
    pub fn read(&mut self, value: ValueId, term: Term) -> Id {
        let id = self.terms.add_uncanonical(term);
        self.known.insert(value, id);
        id
    }
}

/// A window with what is to take its place.
pub struct Better {
    window: Window,
    terms: Terms,
    /// By e-class, what is there already.
    leaves: FxHashMap<Id, ValueId>,
    choice: Choice,
    /// What the window's results are.
    results: Vec<(ValueId, Id)>,
}

/// Cheaper terms for a window, if there are any. `cost` says what an op costs by itself, with the terms that it is
/// asked about.
pub fn improve(
    program: &Program,
    window: Window,
    reading: Reading,
    laws: &[&'static Law],
    cost: &dyn Fn(&Terms, &Term) -> Option<f64>,
    search: &mut Search,
) -> Option<Better> {
    let Reading { mut terms, known } = reading;
    terms.rebuild();
    let made = window.ops.iter().filter_map(|&op| known.get(program.ops[op].outs.first()?));
    let made: BTreeSet<Term> = made.map(|&id| terms.id_to_node(id).clone()).collect();
    let before: f64 = made.iter().filter_map(|term| cost(&terms, term)).sum();
    let rules: Vec<_> = laws.iter().map(|law| law.rewrite()).collect();
    let runner = Runner::<Term, Meaning>::new(Meaning::default())
        .with_egraph(terms)
        .with_scheduler(SimpleScheduler)
        .with_iter_limit(ROUNDS)
        .with_node_limit(TERMS)
        .with_time_limit(PATIENCE)
        .run(&rules);
    let mut terms = runner.egraph;
    search.windows += 1;
    search.terms += terms.total_number_of_nodes();
    *search.stopped.entry(why(runner.stop_reason.as_ref())).or_insert(0) += 1;

    let leaves: FxHashMap<Id, ValueId> =
        window.leaves.iter().rev().map(|leaf| (terms.find(known[leaf]), *leaf)).collect();
    let results: Vec<(ValueId, Id)> = window.results.iter().map(|v| (*v, terms.find(known[v]))).collect();
    let roots: Vec<Id> = results.iter().map(|(_, class)| *class).collect();
    let priced = |term: &Term| match term.head {
        // A part is at hand where it is a leaf.
        Head::Entry(_) => Some(0.0),
        Head::Part(_) => terms.lookup(term.clone()).filter(|at| leaves.contains_key(&terms.find(*at))).map(|_| 0.0),
        Head::Op { .. } => cost(&terms, term),
    };
    let priced: &Cost<'_> = &priced;
    let (choice, after) = cheapest(&terms, &roots, priced)?;
    if after >= before * (1.0 - WORTH) {
        return None;
    }
    let steps = explained(program, &mut terms, &known, &leaves, &results, &choice);
    search.found.push(Found { before, after, steps });
    Some(Better { window, terms, leaves, choice, results })
}

/// Why saturation ended.
fn why(reason: Option<&StopReason>) -> &'static str {
    match reason {
        Some(StopReason::Saturated) => "nothing new follows from the laws",
        Some(StopReason::NodeLimit(_)) => "there are terms enough",
        Some(StopReason::TimeLimit(_)) => "it took too long",
        Some(StopReason::IterationLimit(_) | StopReason::Other(_)) | None => "laws were applied often enough",
    }
}

/// By which laws the chosen terms are what the window's results were.
fn explained(
    program: &Program,
    terms: &mut Terms,
    known: &IndexMap<ValueId, Id>,
    leaves: &FxHashMap<Id, ValueId>,
    results: &[(ValueId, Id)],
    choice: &Choice,
) -> Vec<Step> {
    let mut names = Names::default();
    for (&value, &id) in known {
        for id in [id, terms.find(id)] {
            names.entry(id).or_insert_with(|| format!("%{}", program.values[value].name));
        }
    }
    let mut written: FxHashMap<Id, Id> = leaves.iter().map(|(&class, leaf)| (class, known[leaf])).collect();
    let mut steps: IndexMap<Step, ()> = IndexMap::new();
    for &(value, class) in results {
        let mut todo = vec![class];
        while let Some(&at) = todo.last() {
            let Some(term) = choice.get(&at).filter(|_| !written.contains_key(&at)) else {
                todo.pop();
                continue;
            };
            let missing = term.args.iter().map(|arg| terms.find(*arg)).find(|arg| !written.contains_key(arg));
            if let Some(missing) = missing.filter(|missing| choice.contains_key(missing)) {
                todo.push(missing);
                continue;
            }
            let args = term.args.iter().map(|arg| written.get(&terms.find(*arg)).copied().unwrap_or(*arg));
            let term = Term::new(term.head, args);
            written.insert(at, terms.add_uncanonical(term));
            todo.pop();
        }
        if let Some(&new) = written.get(&class).filter(|&&new| new != known[&value]) {
            steps.extend(certificate::steps(terms, known[&value], new, &names).into_iter().map(|step| (step, ())));
        }
    }
    steps.into_keys().collect()
}

/// Puts better terms in the place of windows.
pub fn replace(program: &mut Program, func: FuncId, better: &[Better]) {
    if better.is_empty() {
        return;
    }
    let mut names = Namer::of(program);
    let mut same: FxHashMap<ValueId, ValueId> = FxHashMap::default();
    for one in better {
        let Some(written) = Writer::new(program, func, one, &same).write(&mut names) else { continue };
        let body = program.funcs[func].take_ops();
        let mut new = Vec::with_capacity(body.len());
        for id in body {
            new.extend(written.at.get(&id).into_iter().flatten().copied());
            if !one.window.ops.contains(&id) {
                new.push(id);
            }
        }
        *program.funcs[func].ops_mut() = new;
        same.extend(written.same);
    }
    for &op in program.funcs[func].ops() {
        program.ops[op].args.iter_mut().for_each(|arg| *arg = find(&same, *arg));
    }
    program.funcs[func].outputs.iter_mut().for_each(|output| output.value = find(&same, output.value));
}

/// The value that another one is now.
fn find(same: &FxHashMap<ValueId, ValueId>, mut value: ValueId) -> ValueId {
    while let Some(&other) = same.get(&value) {
        value = other;
    }
    value
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
    fn new(
        program: &'a mut Program,
        func: FuncId,
        better: &'a Better,
        same: &FxHashMap<ValueId, ValueId>,
    ) -> Writer<'a> {
        let body = program.funcs[func].ops().iter().enumerate();
        let made = body.flat_map(|(at, &op)| program.ops[op].outs.iter().map(move |&out| (out, at))).collect();
        let values = better.leaves.iter().map(|(&class, &leaf)| (class, find(same, leaf))).collect();
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
            ops.push(self.op(term, args, (out, result)));
            self.made.insert(out, place);
            self.values.insert(at, out);
        }
        Some(ops)
    }

    /// A value on the way to a result.
    fn between(&mut self, class: Id, result: ValueId, names: &mut Namer) -> Option<ValueId> {
        let meaning = &self.better.terms.analysis;
        let sort = self.better.terms[class].data;
        let layout = sort.place.map(|place| meaning.place_at(place).layout.clone().into());
        let name = names.fresh(&self.program.values[result].name.clone());
        let value = Value { layout, ..Value::new(name, meaning.type_at(sort.ty).clone()) };
        Some(self.program.values.push(value))
    }

    /// An op for a term on the way to a result, which comes from where the window has one like it, or the result.
    fn op(&mut self, term: &Term, args: Values, (out, result): (ValueId, ValueId)) -> OpId {
        let call = match term.head {
            Head::Op { call, .. } => call,
            Head::Entry(_) | Head::Part(_) => 0,
        };
        let kind = self.better.terms.analysis.call_at(call).kind.clone();
        let ops = || self.better.window.ops.iter().map(|&op| &self.program.ops[op]);
        let model = ops().find(|op| op.kind == kind).or_else(|| ops().find(|op| op.kind.is_collective()));
        let model = model.or_else(|| ops().find(|op| op.outs.contains(&result)));
        let (phase, origin) = model.map(|op| (op.phase, op.origin.clone())).unwrap_or_default();
        self.program.ops.push(Op { kind, args, outs: Values::from_slice(&[out]), phase, origin })
    }
}
