//! Proof that a program, usually partitioned, is equal to an original on one device. Both are translated to terms, and
//! every output must consist of shards of the original's output.
//!
//! Values are equal by laws on terms and, if these do not suffice, by their [normal forms](super::normal_form).
//!
//! Proofs hold for all inputs and in exact arithmetic. They do not imply bitwise equality, since a sharded sum is added
//! in another order. Failure to find a proof does not imply that the programs differ. The prover does not support
//! window ops (convolution, pooling) and sorting over sharded dimensions, and slices that other devices send.

use super::certificate::{self, Names, Step};
use super::laws::{algebra, identities};
use super::normal_form::{self, Representatives, SameElements};
use super::placement::Placement;
use super::reading::{self, Entries, Readings};
use super::term::{Head, Term, TermAnalysis, Terms};
use egg::{Id, Runner, StopReason};
use indexmap::IndexMap;
use partita_ir::arena::{FuncId, Id as _, OpId, ValueId};
use partita_ir::class::Control;
use partita_ir::program::{Form, Output, Program};
use partita_ir::text;
use partita_ir::verify::Verified;
use rustc_hash::FxHashSet;
use std::time::Duration;

/// Maximum number of rounds in which algebraic laws are applied to all terms, if the programs are not equal without
/// them.
const MAX_SATURATION_ROUNDS: usize = 4;

/// Maximum number of rounds in which terms with the same normal form are made equal. Each round finds further equal
/// operands of ops on shards, and of loops.
const MAX_NORMAL_FORM_ROUNDS: usize = 40;

/// Maximum number of terms, as a multiple of the number of terms before saturation.
const MAX_TERM_GROWTH: usize = 8;

/// Time limit of a round of saturation. Normally the deterministic limits on rounds and terms end the saturation.
const SATURATION_TIME_LIMIT: Duration = Duration::from_secs(10);

/// Maximum number of ops of a program. Larger programs are not compared.
const MAX_OPS: usize = 20_000;

/// Stack size of the prover's thread in bytes. The recursion depth of an explanation is proportional to the length of
/// the program.
const STACK_BYTES: usize = 512 << 20;

/// Result of a proof attempt.
pub struct Verdict {
    /// Outputs that were proven equal, in order.
    pub proven: Vec<ProvenOutput>,
    /// First output that was not proven equal, if any.
    pub gap: Option<Gap>,
    /// Number of terms of the e-graph.
    pub terms: usize,
    /// Reason for which saturation ended; `None` if no saturation was needed.
    pub stopped: Option<String>,
    /// Description of terms of different type or placement that a law made equal: a bug, whatever the other results.
    pub broken: Option<String>,
}

impl Verdict {
    /// Returns true if all outputs were proven equal and no law equated terms of different type or placement.
    pub fn is_equal(&self) -> bool {
        self.gap.is_none() && self.broken.is_none()
    }
}

/// Output that was proven equal to the original's.
pub struct ProvenOutput {
    /// Name of the output.
    pub output: String,
    /// Laws used, without repetitions.
    pub steps: Vec<Step>,
}

impl ProvenOutput {
    /// Returns the number of applications of each law.
    pub fn counts(&self) -> IndexMap<&'static str, usize> {
        certificate::counts(&self.steps)
    }
}

/// Failure to prove an output equal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Gap {
    /// Name of the output; `all` if the programs could not be compared.
    pub output: String,
    /// First value on which the output depends and for which no equal value of the original was found.
    pub value: Option<String>,
    /// Text of the op that defines the value.
    pub op: Option<String>,
    /// Text of the first op of the original on which the output depends and whose result equals no value of the other
    /// program.
    pub expected: Option<String>,
    /// Reason in one sentence.
    pub why: String,
}

impl Gap {
    /// Returns the gap of programs that cannot be compared.
    fn incomparable(why: String) -> Gap {
        Gap { output: "all".into(), value: None, op: None, expected: None, why }
    }
}

/// Proves that `other` computes the same outputs as `original`, which must be traced or planned and whose layouts are
/// ignored. The gap of the verdict states why no proof was found.
pub fn prove(original: Verified<'_>, other: Verified<'_>) -> Verdict {
    let ops =
        |program: &Program| program.funcs_with_layouts().iter().map(|&f| program.funcs[f].ops().len()).sum::<usize>();
    let longest = ops(&original).max(ops(&other));
    let refused = if original.form > Form::Planned {
        Some("the original is already partitioned".to_string())
    } else if longest > MAX_OPS {
        Some(format!("a program has {longest} ops, but the limit is {MAX_OPS}"))
    } else {
        None
    };
    if let Some(why) = refused {
        let gap = Gap::incomparable(why);
        return Verdict { proven: Vec::new(), gap: Some(gap), terms: 0, stopped: None, broken: None };
    }
    let builder = std::thread::Builder::new().stack_size(STACK_BYTES);
    let verdict = std::thread::scope(|scope| {
        let worker = builder.spawn_scoped(scope, || prove_on_this_thread(original, other)).ok()?;
        Some(worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    verdict.unwrap_or_else(|| prove_on_this_thread(original, other))
}

fn prove_on_this_thread(original: Verified<'_>, other: Verified<'_>) -> Verdict {
    let mut terms = Terms::new(TermAnalysis::with_mesh(other.mesh().map(|(_, mesh)| mesh.clone())))
        .with_explanations_enabled()
        .without_explanation_length_optimization();
    let entries = reading::add_inputs(&mut terms, &original);
    let original_terms = reading::read_program(&mut terms, &original, &entries);
    let mut prover = Prover {
        original: &original,
        other: &other,
        terms,
        same_elements: SameElements::default(),
        entries,
        original_terms,
        stopped: None,
    };
    let mut attempt = prover.attempt();
    let max_terms = MAX_TERM_GROWTH * prover.terms.total_number_of_nodes();
    for _ in 0..MAX_SATURATION_ROUNDS {
        if attempt.gap.is_none() || !prover.saturate(max_terms) {
            break;
        }
        attempt = prover.attempt();
    }
    for _ in 0..MAX_NORMAL_FORM_ROUNDS {
        if attempt.gap.is_none() || !prover.unite_normal_forms(&attempt.readings) {
            break;
        }
        attempt = prover.attempt();
    }
    prover.certify(attempt)
}

/// Result of one translation of the other program.
struct Attempt {
    readings: Readings,
    /// Outputs that are equal: name, actual term and expected term.
    equal: Vec<(String, Id, Id)>,
    gap: Option<Gap>,
}

/// State of a proof.
struct Prover<'a> {
    original: &'a Program,
    other: &'a Program,
    terms: Terms,
    same_elements: SameElements,
    entries: Entries,
    /// Terms of the original's values.
    original_terms: Readings,
    stopped: Option<String>,
}

impl Prover<'_> {
    /// Translates the other program and compares the outputs.
    fn attempt(&mut self) -> Attempt {
        let readings = reading::read_program(&mut self.terms, self.other, &self.entries);
        let ports = (self.original.outputs().len(), self.other.outputs().len());
        let mut gap = (ports.0 != ports.1).then(|| {
            let why = format!("the original has {} outputs, but this program has {}", ports.0, ports.1);
            Gap::incomparable(why)
        });
        let mut equal = Vec::new();
        let outputs = self.original.outputs().iter().zip(self.other.outputs());
        for (wanted, output) in outputs {
            match self.equal_terms(wanted, output, &readings) {
                Ok((have, want)) => equal.push((output.name.to_string(), have, want)),
                Err(why) if gap.is_none() => gap = Some(self.find_gap(wanted, output, &readings, why)),
                Err(_) => {}
            }
        }
        Attempt { readings, equal, gap }
    }

    /// Returns the verdict with the laws used.
    fn certify(mut self, attempt: Attempt) -> Verdict {
        let names = self.names(&attempt.readings);
        let terms = self.terms.total_number_of_nodes();
        let proven = attempt.equal.into_iter().map(|(output, have, want)| {
            let steps = certificate::steps(&mut self.terms, have, want, &names);
            ProvenOutput { output, steps }
        });
        let proven = proven.collect();
        let broken = self.terms.analysis.broken.take();
        Verdict { proven, gap: attempt.gap, terms, stopped: self.stopped, broken }
    }

    /// Returns the actual and the expected term of an output if they are equal.
    fn equal_terms(&mut self, wanted: &Output, output: &Output, readings: &Readings) -> Result<(Id, Id), String> {
        if wanted.name != output.name {
            return Err(format!("the original has `{}` at this position", wanted.name));
        }
        let replaced = |program: &Program, o: &Output| o.replaces.map(|input| program.path_of(input).to_owned());
        if replaced(self.original, wanted) != replaced(self.other, output) {
            return Err("the output updates a different parameter than the original's".into());
        }
        let Some(&global) = self.original_terms[wanted.value.index()].first() else {
            return Err("the original's output is computed by an unsupported op".into());
        };
        for &have in &readings[output.value.index()] {
            let want = match self.terms[have].data.placement {
                None => global,
                Some(at) => {
                    let placement = self.terms.analysis.placement_at(at);
                    let is_there = match &self.other.values[output.value].layout {
                        Some(layout) => {
                            Placement::from_layout(layout, &self.other.ty(output.value).shape).layout
                                == placement.layout
                        }
                        None => placement.layout.is_replicated(),
                    };
                    if !is_there || !placement.layout.partial.is_empty() {
                        continue;
                    }
                    self.terms.add_uncanonical(Term::new(Head::Shards(at), [global]))
                }
            };
            if !self.terms.clean {
                self.terms.rebuild();
            }
            if self.terms.find(have) == self.terms.find(want) {
                return Ok((have, want));
            }
        }
        Err("the laws do not prove the output equal to the original's".into())
    }

    /// Applies each algebraic law once to every term. Returns true if the e-graph changed and is below the limit.
    fn saturate(&mut self, max_terms: usize) -> bool {
        let before = (self.terms.total_number_of_nodes(), self.terms.number_of_classes());
        let terms = std::mem::take(&mut self.terms);
        let rules: Vec<_> = algebra::LAWS.iter().chain(identities::LAWS).map(|law| law.rewrite()).collect();
        let runner = Runner::<Term, TermAnalysis>::new(TermAnalysis::default())
            .with_egraph(terms)
            .with_iter_limit(1)
            .with_node_limit(max_terms)
            .with_time_limit(SATURATION_TIME_LIMIT)
            .with_scheduler(egg::SimpleScheduler)
            .run(&rules);
        self.terms = runner.egraph;
        let after = (self.terms.total_number_of_nodes(), self.terms.number_of_classes());
        self.stopped = Some(match runner.stop_reason {
            Some(StopReason::Saturated) => "the laws imply no further equalities".into(),
            Some(StopReason::NodeLimit(n)) => format!("the limit on terms was reached with {n} terms"),
            Some(StopReason::TimeLimit(_)) => "the time limit was reached".into(),
            Some(StopReason::IterationLimit(_) | StopReason::Other(_)) | None => {
                format!("the limit of {MAX_SATURATION_ROUNDS} rounds was reached")
            }
        });
        before != after && after.0 < max_terms
    }

    /// Makes terms with the same normal form equal, with the smallest normal forms that yield an equality. Returns true
    /// if anything changed.
    fn unite_normal_forms(&mut self, readings: &Readings) -> bool {
        let representatives = self.same_elements.representatives(&self.terms);
        let of_original = self.global_values(&self.original_terms, &representatives);
        let of_other = self.global_values(readings, &representatives);
        let shared: FxHashSet<Id> = of_original.intersection(&of_other).copied().collect();
        normal_form::unite(&mut self.terms, &mut self.same_elements, &shared)
    }

    /// Returns the representatives of the global values that values consist of shards of.
    fn global_values(&self, readings: &Readings, representatives: &Representatives) -> FxHashSet<Id> {
        readings.iter().flatten().map(|&term| representatives.representative(self.global_class(term))).collect()
    }

    fn global_class(&self, term: Id) -> Id {
        self.terms.find(self.terms[term].data.global.unwrap_or(term))
    }

    /// Returns the first differing values of both programs on which an output depends.
    fn find_gap(&self, wanted: &Output, output: &Output, readings: &Readings, why: String) -> Gap {
        let representatives = self.same_elements.representatives(&self.terms);
        let of_original = self.global_values(&self.original_terms, &representatives);
        let of_other = self.global_values(readings, &representatives);
        let is_one_of = |values: &FxHashSet<Id>, known: &[Id]| {
            known.iter().any(|&term| values.contains(&representatives.representative(self.global_class(term))))
        };
        let have = first_difference(self.other, output.value, &|v| is_one_of(&of_original, &readings[v.index()]));
        let want =
            first_difference(self.original, wanted.value, &|v| is_one_of(&of_other, &self.original_terms[v.index()]));
        let expected =
            want.and_then(|difference| difference.op).map(|op| text::print_op(self.original, &self.original.ops[op]));
        let name = |v: ValueId| format!("%{}", self.other.values[v].name);
        let (value, op, why) = match have {
            Some(Difference { value, op: Some(op) }) => {
                let op = &self.other.ops[op];
                let why = match op.kind.control() {
                    Some(Control::Loop(_)) => {
                        "the body changes placements of carried values, or the original has no such loop"
                    }
                    None if readings[value.index()].is_empty() => {
                        "the result is not known to consist of shards of a value"
                    }
                    None => "the original has no equal value",
                };
                (Some(name(value)), Some(text::print_op(self.other, op)), why.to_string())
            }
            Some(Difference { value, op: None }) => {
                (Some(name(value)), None, "the original has no input with this name and type".into())
            }
            None => (None, None, why),
        };
        Gap { output: output.name.to_string(), value, op, expected, why }
    }

    /// Returns the names of the values of both programs by term.
    fn names(&self, readings: &Readings) -> Names {
        let mut names = Names::default();
        let mut add = |program: &Program, readings: &Readings, mark: &str| {
            for (value, known) in program.values.ids().zip(readings) {
                for &term in known {
                    // The canonical id of the e-class gets the same name unless it already has one.
                    for id in [term, self.terms.find(term)] {
                        names.entry(id).or_insert_with(|| format!("{mark}%{}", program.values[value].name));
                    }
                }
            }
        };
        add(self.original, &self.original_terms, "");
        add(self.other, readings, "its ");
        names
    }
}

/// Value that equals no value of the other program, with the op that defines it; inputs have none.
struct Difference {
    value: ValueId,
    op: Option<OpId>,
}

/// Returns the first value on which `output` depends through values that equal none of the other program. `is_known`
/// returns true for values that equal one.
fn first_difference(program: &Program, output: ValueId, is_known: &dyn Fn(ValueId) -> bool) -> Option<Difference> {
    // entry only: bodies of loops are examined below
    let mut found = first_in_func(program, program.entry(), [output], is_known)?;
    // The body of a loop without an equal loop contains the first difference.
    while let Some(op) = found.op
        && let Some(control) = program.ops[op].kind.control()
    {
        let Control::Loop(looped) = control;
        let outputs = program.funcs[looped.body].outputs.iter().map(|output| output.value);
        let within = first_in_func(program, looped.body, outputs, is_known);
        let Some(within) = within.filter(|within| within.op.is_some()) else { break };
        found = within;
    }
    Some(found)
}

fn first_in_func(
    program: &Program,
    func: FuncId,
    outputs: impl IntoIterator<Item = ValueId>,
    is_known: &dyn Fn(ValueId) -> bool,
) -> Option<Difference> {
    let mut needed: FxHashSet<ValueId> = outputs.into_iter().filter(|&value| !is_known(value)).collect();
    let mut first = None;
    for &id in program.funcs[func].ops().iter().rev() {
        let op = &program.ops[id];
        if let Some(&value) = op.outs.iter().find(|out| needed.contains(out)) {
            needed.extend(op.args.iter().copied().filter(|&arg| !is_known(arg)));
            first = Some(Difference { value, op: Some(id) });
        }
    }
    let inputs = &program.funcs[func].inputs;
    let input = inputs.iter().find(|input| needed.contains(input)).map(|&value| Difference { value, op: None });
    input.or(first)
}
