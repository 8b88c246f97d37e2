//! Windows: sets of ops that are translated to terms and replaced by cheaper equal terms.
//!
//! A pass defines its windows, the translation of their ops to terms, the applicable laws and the costs of terms. This
//! module contains the saturation, its limits and the replacement of ops, and records the laws used.

use super::certificate::{self, Names, Step};
use super::extract::{Extraction, TermCost, extract};
use super::laws::Law;
use super::term::{Head, Term, TermAnalysis, Terms};
use egg::{Id, Runner, SimpleScheduler, StopReason};
use indexmap::IndexMap;
use partita_ir::arena::{FuncId, Id as _, OpId, ValueId};
use partita_ir::build::Namer;
use partita_ir::program::{Op, Phase, Program, Value, Values};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::time::Duration;

/// Maximum number of rounds in which laws are applied to a window.
const MAX_WINDOW_ROUNDS: usize = 8;

/// Maximum number of terms of a window.
const MAX_WINDOW_TERMS: usize = 2000;

/// Time limit per window. Normally the limits on rounds and terms end the saturation.
const SATURATION_TIME_LIMIT: Duration = Duration::from_secs(10);

/// Minimum relative reduction of a window's cost. Smaller reductions may be rounding errors.
const MIN_COST_REDUCTION: f64 = 1e-9;

/// Set of ops of a function that are rewritten together.
pub struct Window {
    /// Ops in program order. Each has one result.
    pub ops: Vec<OpId>,
    /// Operands defined outside of the window, in order of first use.
    pub leaves: Vec<ValueId>,
    /// Results with uses outside of the window, in order.
    pub results: Vec<ValueId>,
}

/// Def-use chains of a function. Positions are indices in the function's list of ops.
pub struct DefUse {
    /// Position of the defining op of each value.
    pub def_position: Vec<Option<usize>>,
    /// Positions of the ops that use each value.
    pub use_positions: Vec<Vec<usize>>,
}

impl DefUse {
    /// Computes the def-use chains of a function.
    pub fn from_func(program: &Program, func: FuncId) -> DefUse {
        let mut uses = DefUse {
            def_position: vec![None; program.values.len()],
            use_positions: vec![Vec::new(); program.values.len()],
        };
        for (at, &op) in program.funcs[func].ops().iter().enumerate() {
            let op = &program.ops[op];
            op.outs.iter().for_each(|out| uses.def_position[out.index()] = Some(at));
            op.args.iter().for_each(|arg| uses.use_positions[arg.index()].push(at));
        }
        uses
    }

    /// Returns the window of the ops at the given positions.
    pub fn window(&self, program: &Program, func: FuncId, ops: &BTreeSet<usize>) -> Window {
        let func = &program.funcs[func];
        let mut window =
            Window { ops: ops.iter().map(|&at| func.ops()[at]).collect(), leaves: vec![], results: vec![] };
        for &op in &window.ops {
            for &arg in &program.ops[op].args {
                let within = self.def_position[arg.index()].is_some_and(|at| ops.contains(&at));
                if !within && !window.leaves.contains(&arg) {
                    window.leaves.push(arg);
                }
            }
            for &out in &program.ops[op].outs {
                let is_output = func.outputs.iter().any(|output| output.value == out);
                if is_output || self.use_positions[out.index()].iter().any(|at| !ops.contains(at)) {
                    window.results.push(out);
                }
            }
        }
        window
    }
}

/// Statistics of a pass over its windows, and the rewrites it found.
#[derive(Clone, PartialEq, Debug)]
pub struct WindowSearch {
    /// Name of the pass.
    pub pass: &'static str,
    /// Number of windows processed.
    pub windows: usize,
    /// Total number of terms of all e-graphs.
    pub terms: usize,
    /// Number of windows by the reason for which saturation ended.
    pub stop_reasons: IndexMap<&'static str, usize>,
    /// Rewrites of windows.
    pub rewrites: Vec<WindowRewrite>,
}

/// Rewrite of a window.
#[derive(Clone, PartialEq, Debug)]
pub struct WindowRewrite {
    /// Cost of the original terms in seconds.
    pub before: f64,
    /// Cost of the replacement in seconds.
    pub after: f64,
    /// Laws that prove the equality.
    pub steps: Vec<Step>,
}

impl WindowSearch {
    /// Returns empty statistics for a pass.
    pub fn new(pass: &'static str) -> WindowSearch {
        WindowSearch { pass, windows: 0, terms: 0, stop_reasons: IndexMap::new(), rewrites: Vec::new() }
    }
}

/// E-graph of a window.
pub struct WindowTerms {
    /// E-graph.
    pub terms: Terms,
    /// Term of each value of the window: its leaves and the results of its ops.
    pub term_of_value: IndexMap<ValueId, Id>,
}

impl WindowTerms {
    /// Returns an empty e-graph.
    pub fn new(analysis: TermAnalysis) -> WindowTerms {
        let terms = Terms::new(analysis).with_explanations_enabled().without_explanation_length_optimization();
        WindowTerms { terms, term_of_value: IndexMap::new() }
    }

    /// Adds the term of a value to the e-graph and returns the id of the term.
    pub fn add_term(&mut self, value: ValueId, term: Term) -> Id {
        let id = self.terms.add_uncanonical(term);
        self.term_of_value.insert(value, id);
        id
    }
}

/// Replacement of a window.
pub struct Replacement {
    window: Window,
    terms: Terms,
    /// Existing values by e-class.
    leaves: FxHashMap<Id, ValueId>,
    choice: Extraction,
    /// E-classes of the window's results.
    results: Vec<(ValueId, Id)>,
}

/// Returns a cheaper replacement for a window if saturation finds one, and adds the window to the statistics `search`.
/// `cost` returns the seconds of a term without its operands, or `None` if the term cannot be chosen.
pub fn optimize_window(
    program: &Program,
    window: Window,
    reading: WindowTerms,
    laws: &[&'static Law],
    cost: &dyn Fn(&Terms, &Term) -> Option<f64>,
    search: &mut WindowSearch,
) -> Option<Replacement> {
    let WindowTerms { mut terms, term_of_value } = reading;
    terms.rebuild();
    let original_terms = window.ops.iter().filter_map(|&op| term_of_value.get(program.ops[op].outs.first()?));
    let original_terms: BTreeSet<Term> = original_terms.map(|&id| terms.id_to_node(id).clone()).collect();
    let before: f64 = original_terms.iter().filter_map(|term| cost(&terms, term)).sum();
    let rules: Vec<_> = laws.iter().map(|law| law.rewrite()).collect();
    let runner = Runner::<Term, TermAnalysis>::new(TermAnalysis::default())
        .with_egraph(terms)
        .with_scheduler(SimpleScheduler)
        .with_iter_limit(MAX_WINDOW_ROUNDS)
        .with_node_limit(MAX_WINDOW_TERMS)
        .with_time_limit(SATURATION_TIME_LIMIT)
        .run(&rules);
    let mut terms = runner.egraph;
    search.windows += 1;
    search.terms += terms.total_number_of_nodes();
    *search.stop_reasons.entry(stop_reason(runner.stop_reason.as_ref())).or_insert(0) += 1;

    let leaves: FxHashMap<Id, ValueId> =
        window.leaves.iter().rev().map(|leaf| (terms.find(term_of_value[leaf]), *leaf)).collect();
    let results: Vec<(ValueId, Id)> = window.results.iter().map(|v| (*v, terms.find(term_of_value[v]))).collect();
    let roots: Vec<Id> = results.iter().map(|(_, class)| *class).collect();
    let priced = |term: &Term| match term.head {
        // A term `part[P] x` emits no op: its value must be an operand of the window.
        Head::Input(_) => Some(0.0),
        Head::Shards(_) => terms.lookup(term.clone()).filter(|at| leaves.contains_key(&terms.find(*at))).map(|_| 0.0),
        Head::Op { .. } => cost(&terms, term),
    };
    let priced: &TermCost<'_> = &priced;
    let (choice, after) = extract(&terms, &roots, priced)?;
    if after >= before * (1.0 - MIN_COST_REDUCTION) {
        return None;
    }
    let steps = explain_replacement(program, &mut terms, &term_of_value, &leaves, &results, &choice);
    search.rewrites.push(WindowRewrite { before, after, steps });
    Some(Replacement { window, terms, leaves, choice, results })
}

/// Returns the reason for which saturation ended.
fn stop_reason(reason: Option<&StopReason>) -> &'static str {
    match reason {
        Some(StopReason::Saturated) => "the laws imply no further equalities",
        Some(StopReason::NodeLimit(_)) => "the limit on terms was reached",
        Some(StopReason::TimeLimit(_)) => "the time limit was reached",
        Some(StopReason::IterationLimit(_) | StopReason::Other(_)) | None => "the limit on rounds was reached",
    }
}

/// Returns the laws that prove the chosen terms equal to the window's results.
fn explain_replacement(
    program: &Program,
    terms: &mut Terms,
    term_of_value: &IndexMap<ValueId, Id>,
    leaves: &FxHashMap<Id, ValueId>,
    results: &[(ValueId, Id)],
    choice: &Extraction,
) -> Vec<Step> {
    let mut names = Names::default();
    for (&value, &id) in term_of_value {
        for id in [id, terms.find(id)] {
            names.entry(id).or_insert_with(|| format!("%{}", program.values[value].name));
        }
    }
    let mut emitted: FxHashMap<Id, Id> = leaves.iter().map(|(&class, leaf)| (class, term_of_value[leaf])).collect();
    let mut steps: IndexMap<Step, ()> = IndexMap::new();
    for &(value, class) in results {
        let mut todo = vec![class];
        while let Some(&at) = todo.last() {
            let Some(term) = choice.get(&at).filter(|_| !emitted.contains_key(&at)) else {
                todo.pop();
                continue;
            };
            let missing = term.args.iter().map(|arg| terms.find(*arg)).find(|arg| !emitted.contains_key(arg));
            if let Some(missing) = missing.filter(|missing| choice.contains_key(missing)) {
                todo.push(missing);
                continue;
            }
            let args = term.args.iter().map(|arg| emitted.get(&terms.find(*arg)).copied().unwrap_or(*arg));
            let term = Term::new(term.head, args);
            emitted.insert(at, terms.add_uncanonical(term));
            todo.pop();
        }
        if let Some(&new) = emitted.get(&class).filter(|&&new| new != term_of_value[&value]) {
            steps.extend(
                certificate::steps(terms, term_of_value[&value], new, &names).into_iter().map(|step| (step, ())),
            );
        }
    }
    steps.into_keys().collect()
}

/// Replaces windows in a function. A replacement whose operands are defined too late in the function is skipped.
pub fn apply_replacements(program: &mut Program, func: FuncId, replacements: &[Replacement]) {
    if replacements.is_empty() {
        return;
    }
    let mut names = Namer::from_program(program);
    let mut aliases: FxHashMap<ValueId, ValueId> = FxHashMap::default();
    for replacement in replacements {
        let Some(emitted) = OpEmitter::new(program, func, replacement, &aliases).emit(&mut names) else { continue };
        let body = program.funcs[func].take_ops();
        let mut new = Vec::with_capacity(body.len());
        for id in body {
            new.extend(emitted.replacement_ops.get(&id).into_iter().flatten().copied());
            if !replacement.window.ops.contains(&id) {
                new.push(id);
            }
        }
        *program.funcs[func].ops_mut() = new;
        aliases.extend(emitted.aliases);
    }
    for &op in program.funcs[func].ops() {
        program.ops[op].args.iter_mut().for_each(|arg| *arg = resolve_alias(&aliases, *arg));
    }
    program.funcs[func].outputs.iter_mut().for_each(|output| output.value = resolve_alias(&aliases, output.value));
    move_to_forward_pass(program, func);
}

/// Assigns the forward phase to all ops that an op of the forward pass depends on, which may have been merged with
/// equal ops of the backward pass. Loops can contain all phases.
fn move_to_forward_pass(program: &mut Program, func: FuncId) {
    let mut read: FxHashSet<ValueId> = FxHashSet::default();
    for id in program.funcs[func].ops().to_vec().into_iter().rev() {
        let op = &mut program.ops[id];
        if op.kind.control().is_some() {
            continue;
        }
        if op.outs.iter().any(|out| read.contains(out)) {
            op.phase = Phase::Forward;
        }
        if op.phase == Phase::Forward {
            read.extend(&op.args);
        }
    }
}

/// Returns the value that replaces a value.
fn resolve_alias(aliases: &FxHashMap<ValueId, ValueId>, mut value: ValueId) -> ValueId {
    while let Some(&other) = aliases.get(&value) {
        value = other;
    }
    value
}

/// Ops emitted for a window.
struct EmittedOps {
    /// Replacement ops by the window's op that they replace.
    replacement_ops: FxHashMap<OpId, Vec<OpId>>,
    /// Results that are replaced by existing values.
    aliases: FxHashMap<ValueId, ValueId>,
}

/// Emitter of terms as ops.
struct OpEmitter<'a> {
    program: &'a mut Program,
    replacement: &'a Replacement,
    /// Position of the op that defines each value; inputs of the function have none.
    defined_at: FxHashMap<ValueId, usize>,
    /// Value of each e-class.
    values: FxHashMap<Id, ValueId>,
}

impl<'a> OpEmitter<'a> {
    fn new(
        program: &'a mut Program,
        func: FuncId,
        replacement: &'a Replacement,
        aliases: &FxHashMap<ValueId, ValueId>,
    ) -> OpEmitter<'a> {
        let body = program.funcs[func].ops().iter().enumerate();
        let defined_at = body.flat_map(|(at, &op)| program.ops[op].outs.iter().map(move |&out| (out, at))).collect();
        let values = replacement.leaves.iter().map(|(&class, &leaf)| (class, resolve_alias(aliases, leaf))).collect();
        OpEmitter { program, replacement, defined_at, values }
    }

    /// Emits every result at its original position. Returns `None` if an operand is defined later.
    fn emit(mut self, names: &mut Namer) -> Option<EmittedOps> {
        let mut emitted = EmittedOps { replacement_ops: FxHashMap::default(), aliases: FxHashMap::default() };
        for &op in &self.replacement.window.ops {
            let out = self.program.ops[op].outs[0];
            let Some(&(_, class)) = self.replacement.results.iter().find(|(value, _)| *value == out) else { continue };
            let position = *self.defined_at.get(&out)?;
            if let Some(&value) = self.values.get(&class) {
                if self.defined_at.get(&value).is_some_and(|&at| at > position) {
                    return None;
                }
                emitted.aliases.insert(out, value);
                continue;
            }
            let ops = self.emit_result(class, out, position, names)?;
            emitted.replacement_ops.insert(op, ops);
        }
        Some(emitted)
    }

    /// Emits the ops that compute a result.
    fn emit_result(&mut self, class: Id, result: ValueId, position: usize, names: &mut Namer) -> Option<Vec<OpId>> {
        let terms = &self.replacement.terms;
        let mut ops = Vec::new();
        let mut todo = vec![class];
        while let Some(&at) = todo.last() {
            if self.values.contains_key(&at) {
                todo.pop();
                continue;
            }
            let term = self.replacement.choice.get(&at)?;
            let args: Vec<Id> = term.args.iter().map(|arg| terms.find(*arg)).collect();
            let missing = args.iter().filter(|arg| !self.values.contains_key(arg));
            let before = todo.len();
            todo.extend(missing.copied().collect::<Vec<_>>());
            if todo.len() > before {
                continue;
            }
            todo.pop();
            let args: Values = args.iter().map(|arg| self.values[arg]).collect();
            if args.iter().any(|arg| self.defined_at.get(arg).is_some_and(|&defined_at| defined_at > position)) {
                return None;
            }
            let out = if at == class { result } else { self.intermediate_value(at, result, names)? };
            ops.push(self.emit_op(term, args, (out, result)));
            self.defined_at.insert(out, position);
            self.values.insert(at, out);
        }
        Some(ops)
    }

    /// Creates an intermediate value, named after the result that it helps to compute.
    fn intermediate_value(&mut self, class: Id, result: ValueId, names: &mut Namer) -> Option<ValueId> {
        let analysis = &self.replacement.terms.analysis;
        let data = self.replacement.terms[class].data;
        let layout = data.placement.map(|place| analysis.placement_at(place).layout.clone().into());
        let name = names.fresh(&self.program.values[result].name.clone());
        let value = Value { layout, ..Value::new(name, analysis.type_at(data.ty).clone()) };
        Some(self.program.values.push(value))
    }

    /// Emits the op of a term. Phase and origin are those of an equal op of the window, else of a collective of the
    /// window, else of the op that computed the result.
    fn emit_op(&mut self, term: &Term, args: Values, (out, result): (ValueId, ValueId)) -> OpId {
        let call = match term.head {
            Head::Op { call, .. } => call,
            Head::Input(_) | Head::Shards(_) => 0,
        };
        let kind = self.replacement.terms.analysis.call_at(call).kind.clone();
        let ops = || self.replacement.window.ops.iter().map(|&op| &self.program.ops[op]);
        let model = ops().find(|op| op.kind == kind).or_else(|| ops().find(|op| op.kind.is_collective()));
        let model = model.or_else(|| ops().find(|op| op.outs.contains(&result)));
        let (phase, origin) = model.map(|op| (op.phase, op.origin.clone())).unwrap_or_default();
        self.program.ops.push(Op { kind, args, outs: Values::from_slice(&[out]), phase, origin })
    }
}
