//! Whether a program is equal to another one: both are read into terms, and every output must be the part of the right
//! value.
//!
//! What is shown holds in exact arithmetic, for all inputs: a split sum is added up in another order than a whole one.
//! What is not shown may be equal all the same. Windows and indices over dimensions that are split are not looked into,
//! nor are functions other than bodies of loops, and padding around collectives is not followed.

use super::certificate::{self, Names, Step};
use super::laws::{algebra, identities};
use super::place::Place;
use super::reading::{self, Entries, Readings};
use super::term::{Head, Meaning, Term, Terms};
use egg::{Id, Runner, StopReason};
use indexmap::IndexMap;
use partita_ir::arena::{Id as _, OpId, ValueId};
use partita_ir::class::Control;
use partita_ir::program::{Form, Output, Program};
use partita_ir::text;
use partita_ir::verify::Verified;
use rustc_hash::FxHashSet;
use std::time::Duration;

/// How often laws of algebra are applied to everything, if the programs are not equal without them.
const ROUNDS: usize = 4;

/// More terms than this, for each one that the programs began with, are not made.
const GROWTH: usize = 8;

/// What a machine may take for all of it. What ends saturation is the number of rounds or of terms, which is the same
/// everywhere; this is for when even that takes too long.
const PATIENCE: Duration = Duration::from_secs(60);

/// Operations of programs that are longer are not looked into.
const LONGEST: usize = 20_000;

/// An explanation goes as deep as a program is long; this is enough for the longest.
const STACK: usize = 512 << 20;

/// What was found.
pub struct Verdict {
    /// The outputs that were shown equal, in order.
    pub proven: Vec<Proven>,
    /// The first output that was not, if any.
    pub gap: Option<Gap>,
    /// How large the e-graph became.
    pub terms: usize,
    /// Why no more laws of algebra were applied; `None` where none was needed.
    pub stopped: Option<String>,
    /// What a law made equal though it differs in type or place: a bug, whatever else was found.
    pub broken: Option<String>,
}

impl Verdict {
    /// Whether all outputs are equal.
    pub fn is_equal(&self) -> bool {
        self.gap.is_none() && self.broken.is_none()
    }
}

/// An output that is equal to the original's.
pub struct Proven {
    /// Its name.
    pub output: String,
    /// The laws that it took, each use once.
    pub steps: Vec<Step>,
}

impl Proven {
    /// How often each law is used.
    pub fn counts(&self) -> IndexMap<&'static str, usize> {
        certificate::counts(&self.steps)
    }
}

/// Why an output was not shown equal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Gap {
    /// The output.
    pub output: String,
    /// The first value that it depends on for which nothing equal was found.
    pub value: Option<String>,
    /// The op that makes that value, as text.
    pub op: Option<String>,
    /// What is the matter, in one sentence.
    pub why: String,
}

/// Whether `other` computes what `original` does. That one is read as it runs on one device, whatever layouts its
/// values have.
pub fn prove(original: Verified<'_>, other: Verified<'_>) -> Verdict {
    let ops = |program: &Program| program.laid_out_funcs().iter().map(|&f| program.funcs[f].ops().len()).sum::<usize>();
    let longest = ops(&original).max(ops(&other));
    let refused = if original.form > Form::Planned {
        Some("the original is partitioned itself".to_string())
    } else if longest > LONGEST {
        Some(format!("there are {longest} operations, and at most {LONGEST} are looked into"))
    } else {
        None
    };
    if let Some(why) = refused {
        let gap = Gap { output: "all".into(), value: None, op: None, why };
        return Verdict { proven: Vec::new(), gap: Some(gap), terms: 0, stopped: None, broken: None };
    }
    let builder = std::thread::Builder::new().stack_size(STACK);
    let deep = std::thread::scope(|scope| {
        let worker = builder.spawn_scoped(scope, || on_this_stack(original, other)).ok()?;
        Some(worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    deep.unwrap_or_else(|| on_this_stack(original, other))
}

fn on_this_stack(original: Verified<'_>, other: Verified<'_>) -> Verdict {
    let mut terms = Terms::new(Meaning::on(other.mesh().map(|(_, mesh)| mesh.clone())))
        .with_explanations_enabled()
        .without_explanation_length_optimization();
    let entries = reading::entries(&mut terms, &original);
    let from = reading::read(&mut terms, &original, &entries);
    let mut prover = Prover { original: &original, other: &other, terms, entries, from, stopped: None };
    let mut attempt = prover.attempt();
    let room = GROWTH * prover.terms.total_number_of_nodes();
    for _ in 0..ROUNDS {
        if attempt.gap.is_none() || !prover.saturate(room) {
            break;
        }
        attempt = prover.attempt();
    }
    prover.certify(attempt)
}

/// What one reading of the other program comes to.
struct Attempt {
    readings: Readings,
    /// Outputs that are equal: their names, their terms, and what these should be.
    equal: Vec<(String, Id, Id)>,
    gap: Option<Gap>,
}

/// Two programs on their way to be shown equal.
struct Prover<'a> {
    original: &'a Program,
    other: &'a Program,
    terms: Terms,
    entries: Entries,
    /// How the original's values were read.
    from: Readings,
    stopped: Option<String>,
}

impl Prover<'_> {
    /// Reads the other program and compares what comes out.
    fn attempt(&mut self) -> Attempt {
        let readings = reading::read(&mut self.terms, self.other, &self.entries);
        let ports = (self.original.outputs().len(), self.other.outputs().len());
        let mut gap = (ports.0 != ports.1).then(|| {
            let why = format!("the original has {} outputs and this program {}", ports.0, ports.1);
            Gap { output: "all".into(), value: None, op: None, why }
        });
        let mut equal = Vec::new();
        let outputs = self.original.outputs().iter().zip(self.other.outputs());
        for (wanted, output) in outputs {
            match self.pair(wanted, output, &readings) {
                Ok((have, want)) => equal.push((output.name.to_string(), have, want)),
                Err(why) if gap.is_none() => gap = Some(self.gap(output, &readings, why)),
                Err(_) => {}
            }
        }
        Attempt { readings, equal, gap }
    }

    /// The verdict, with the laws that it took.
    fn certify(mut self, attempt: Attempt) -> Verdict {
        let names = self.names(&attempt.readings);
        let terms = self.terms.total_number_of_nodes();
        let proven = attempt.equal.into_iter().map(|(output, have, want)| {
            let steps = certificate::steps(&mut self.terms, have, want, &names);
            Proven { output, steps }
        });
        let proven = proven.collect();
        let broken = self.terms.analysis.broken.take();
        Verdict { proven, gap: attempt.gap, terms, stopped: self.stopped, broken }
    }

    /// The terms of an output and of what it should be, if they are equal.
    fn pair(&mut self, wanted: &Output, output: &Output, readings: &Readings) -> Result<(Id, Id), String> {
        if wanted.name != output.name {
            return Err(format!("the original has `{}` in its place", wanted.name));
        }
        let replaced = |program: &Program, o: &Output| o.alias.map(|param| program.params[param].path.clone());
        if replaced(self.original, wanted) != replaced(self.other, output) {
            return Err("it replaces another parameter than the original's".into());
        }
        let Some(&whole) = self.from[wanted.value.index()].first() else {
            return Err("the original's output is made by an operation that is not looked into".into());
        };
        for &have in &readings[output.value.index()] {
            let want = match self.terms[have].data.place {
                None => whole,
                Some(at) => {
                    let place = self.terms.analysis.place_at(at);
                    let is_there = match &self.other.values[output.value].layout {
                        Some(layout) => Place::of(layout, &self.other.ty(output.value).shape).layout == place.layout,
                        None => place.layout.is_whole(),
                    };
                    if !is_there || !place.layout.pending.is_empty() {
                        continue;
                    }
                    self.terms.add_uncanonical(Term::new(Head::Part(at), [whole]))
                }
            };
            if !self.terms.clean {
                self.terms.rebuild();
            }
            if self.terms.find(have) == self.terms.find(want) {
                return Ok((have, want));
            }
        }
        Err("nothing makes it equal to the original's".into())
    }

    /// Applies all laws of algebra once to everything; whether that made new terms, and there is room for more.
    fn saturate(&mut self, room: usize) -> bool {
        let before = (self.terms.total_number_of_nodes(), self.terms.number_of_classes());
        let terms = std::mem::take(&mut self.terms);
        let rules: Vec<_> = algebra::LAWS.iter().chain(identities::LAWS).map(|law| law.rewrite()).collect();
        let runner = Runner::<Term, Meaning>::new(Meaning::default())
            .with_egraph(terms)
            .with_iter_limit(1)
            .with_node_limit(room)
            .with_time_limit(PATIENCE)
            .with_scheduler(egg::SimpleScheduler)
            .run(&rules);
        self.terms = runner.egraph;
        let after = (self.terms.total_number_of_nodes(), self.terms.number_of_classes());
        self.stopped = Some(match runner.stop_reason {
            Some(StopReason::Saturated) => "nothing new follows from the laws".into(),
            Some(StopReason::NodeLimit(n)) => format!("{n} terms are enough"),
            Some(StopReason::TimeLimit(_)) => "it took too long".into(),
            Some(StopReason::IterationLimit(_) | StopReason::Other(_)) | None => {
                format!("after {ROUNDS} rounds at most")
            }
        });
        before != after && after.0 < room
    }

    /// The first value that an output depends on, for which there is nothing equal in the original.
    fn gap(&self, output: &Output, readings: &Readings, why: String) -> Gap {
        let known: FxHashSet<Id> = self.from.iter().flatten().map(|&term| self.terms.find(term)).collect();
        let whole = |term: Id| self.terms[term].data.whole.unwrap_or(term);
        let is_known = |v: ValueId| readings[v.index()].iter().any(|&t| known.contains(&self.terms.find(whole(t))));
        let mut needed: FxHashSet<ValueId> = FxHashSet::from_iter([output.value]);
        let first = |needed: &mut FxHashSet<ValueId>, body: &[OpId]| {
            for op in body.iter().rev().map(|&op| &self.other.ops[op]) {
                if op.outs.iter().any(|out| needed.contains(out)) {
                    needed.extend(op.args.iter().copied());
                }
            }
            body.iter().find_map(|&op| {
                let outs = &self.other.ops[op].outs;
                // An op that knows where it stands has no equal by itself.
                let counts = |v: &&ValueId| needed.contains(v) && !is_known(**v);
                outs.iter().find(counts).map(|&v| (op, v))
            })
        };
        // entry only: bodies of loops are looked into below
        let mut found = first(&mut needed, self.other.funcs[self.other.entry()].ops());
        // A loop without an equal has a body that something is the matter with.
        while let Some((op, _)) = found
            && let Some(control) = self.other.ops[op].kind.control()
        {
            let Control::Loop(looped) = control;
            let body = &self.other.funcs[looped.body];
            let mut needed: FxHashSet<ValueId> = body.outputs.iter().map(|output| output.value).collect();
            let Some(within) = first(&mut needed, body.ops()) else { break };
            found = Some(within);
        }
        let unread = self.other.inputs().iter().find(|v| needed.contains(v) && readings[v.index()].is_empty());
        let name = |v: ValueId| format!("%{}", self.other.values[v].name);
        let (value, op, why) = match (unread, found) {
            (Some(&input), _) => {
                (Some(name(input)), None, "the original has no such input, or one of another type".into())
            }
            (None, Some((op, v))) => {
                let text = text::print_op(self.other, &self.other.ops[op]);
                let kind = &self.other.ops[op].kind;
                let why = match kind.control() {
                    Some(Control::Loop(_)) => {
                        "what it carries does not stay where it is, or no loop of the original takes as much"
                    }
                    None if kind.func().is_some() => "functions are not looked into",
                    None => "nothing equal to it was found in the original",
                };
                (Some(name(v)), Some(text), why.to_string())
            }
            (None, None) => (None, None, why),
        };
        Gap { output: output.name.to_string(), value, op, why }
    }

    /// What the programs call their terms.
    fn names(&self, readings: &Readings) -> Names {
        let mut names = Names::default();
        let mut add = |program: &Program, readings: &Readings, mark: &str| {
            for (value, known) in program.values.ids().zip(readings) {
                for &term in known {
                    // Others of the e-class are called by the same name, unless they have one.
                    for id in [term, self.terms.find(term)] {
                        names.entry(id).or_insert_with(|| format!("{mark}%{}", program.values[value].name));
                    }
                }
            }
        };
        add(self.original, &self.from, "");
        add(self.other, readings, "its ");
        names
    }
}
