//! `remat` (planned -> planned): recomputes forward values in the backward pass instead of storing them.
//!
//! Most memory of a training step is activations that the backward pass reads. The plan selects a policy (`policy`) by
//! path of the parameters of a layer: `none`; `selective`, which drops the part of attention that is quadratic in the
//! sequence (Korthikanti et al., Reducing Activation Recomputation, 2022); `alternate`, which stores attention results
//! and every second matrix product; `full`, which drops everything in a layer but its inputs (Chen et al. 2016);
//! `cheapest`, which drops a share of these values, those first that save the most memory for the time of their
//! recomputation (`benefit`); `auto`, which fits a budget with minimal recomputation (`chain`). `ops` drops the results
//! of ops by their kind and by the path of their module (`selected_ops`). Constants and broadcasts of smaller values
//! are always dropped, since recomputing them is free, as are copies that must not be stored (`constrain fresh`). Each
//! reader of a dropped value after the forward pass reads a copy, computed by the same ops in phase `recompute`
//! directly before its first reader. Random numbers are functions of a key, so copies of them are bitwise equal; values
//! that the backward pass compares are stored where that matters (`comparisons`). Nothing else changes.
//!
//! Before:
//!
//! ```text
//! %b = broadcast [0] %v : f32[8@data, 512]
//! %y = exp %b : f32[8@data, 512]
//! %b.grad = mul %g, %b : f32[8@data, 512] phase backward_input
//! ```
//!
//! After:
//!
//! ```text
//! %b = broadcast [0] %v : f32[8@data, 512]
//! %y = exp %b : f32[8@data, 512]
//! %b.1 = broadcast [0] %v : f32[8@data, 512] phase recompute
//! %b.grad = mul %g, %b.1 : f32[8@data, 512] phase backward_input
//! ```

mod benefit;
mod chain;
mod comparisons;
mod layers;
mod limits;
mod policy;
mod selected_ops;

use crate::driver::{FindingKind, Findings, Input, Pass, PassInfo, any_op};
use crate::partitioning;
use benefit::{RecomputeOrder, needed_values};
use chain::Chain;
use layers::{ValueDependences, layers};
use limits::RematLimits;
use partita_cost::peak_breakdown::peak_of_program;
use partita_ir::arena::{FuncId, Id, OpId, ValueId};
use partita_ir::build::Namer;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::program::{Form, Op, Phase, Program, Value, Values};
use partita_ir::units::format_bytes;
use policy::{DroppedValues, RematPolicy, StatedPolicies, forward, quadratic};

/// The pass `remat`; see the module documentation.
pub struct Remat;

impl Pass for Remat {
    fn info(&self) -> PassInfo {
        PassInfo {
            name: "remat",
            input_form: Form::Planned,
            output_form: Form::Planned,
            reads: &[FindingKind::Resolved],
        }
    }

    fn applies(&self, program: &Program, _: &Input, _: &Findings) -> bool {
        any_op(program, |program, op| program.ops[op].phase != Phase::Forward)
    }

    fn run(&self, program: &mut Program, input: &Input, findings: &mut Findings) -> Result<(), Vec<Diagnostic>> {
        let has_entries = !findings.plan_for(self.info(), input).remat.is_empty();
        let dependences = has_entries.then(|| ValueDependences::new(program, &input.activations));
        for func in program.funcs_with_layouts() {
            if has_forward_pass(program, func) {
                let dropped = match &dependences {
                    Some(dependences) => choose(program, func, dependences, input, findings)?,
                    None => DroppedValues::free_to_recompute(program, func),
                };
                recompute(program, func, dropped);
            }
        }
        Ok(())
    }
}

/// Recomputes the values whose recomputation is free: the effect of the pass on a program without entries in the plan.
pub fn recompute_free_values(program: &mut Program) {
    for func in program.funcs_with_layouts() {
        if has_forward_pass(program, func) {
            let dropped = DroppedValues::free_to_recompute(program, func);
            recompute(program, func, dropped);
        }
    }
}

fn has_forward_pass(program: &Program, func: FuncId) -> bool {
    program.funcs[func].ops().iter().any(|&op| program.ops[op].phase == Phase::Forward)
}

/// Checks the entries of the plan against the complete step of a pipeline. A chunk of it contains only some layers.
///
/// # Errors
/// `D006` for an invalid policy, `L006` for a path without a match.
pub fn check_entries(step: &Program, input: &Input, findings: &Findings) -> Result<(), Vec<Diagnostic>> {
    let dependences = ValueDependences::new(step, &input.activations);
    StatedPolicies::read(step, findings.plan_for(Remat.info(), input), &[], &dependences).map(drop)
}

/// Returns the values of a function that the plan allows to drop.
fn choose(
    program: &Program,
    func: FuncId,
    dependences: &ValueDependences,
    input: &Input,
    findings: &mut Findings,
) -> Result<DroppedValues, Vec<Diagnostic>> {
    let plan = findings.plan_for(Remat.info(), input);
    let mut layers = layers(program, func, dependences);
    let quadratic = quadratic(program, &forward(program, func), dependences);
    let stated = StatedPolicies::read(program, plan, &layers, dependences)?;
    let free = DroppedValues::free_to_recompute(program, func);
    let needed = needed_values(program, func, &free);
    // The backward pass begins with the last layer: to recompute its values at once would save no memory.
    let waiting = if input.is_chunk { layers.len() } else { layers.len().saturating_sub(1) };
    for (layer, policy) in layers[..waiting].iter_mut().zip(&stated.layers) {
        if let Some(RematPolicy::Cheapest(_)) = policy {
            layer.order = RecomputeOrder::new(program, layer, &free, &needed);
        }
    }
    let dropped = |choice: &[RematPolicy]| {
        DroppedValues::with_policies(program, func, &layers, choice, &quadratic, &stated.results)
    };
    let Some(budget) = stated.budget else {
        return Ok(dropped(
            &stated.layers.iter().map(|policy| policy.unwrap_or(RematPolicy::None)).collect::<Vec<_>>(),
        ));
    };
    let chain = Chain::new(program, func, &layers, &stated.layers, &quadratic);
    let peak_of = |choice: &[RematPolicy]| {
        let mut step = program.clone();
        recompute(&mut step, func, dropped(choice));
        // The peak is exact only with communication, so the step is lowered.
        let input = Input::with_plan(plan.clone());
        let mut known = findings.for_subprogram();
        partitioning::pipeline().map_err(|e| vec![e])?.run(&mut step, &input, &mut known, &mut |_| Ok(()))?;
        Ok(peak_of_program(&step).bytes)
    };
    let (choice, peak) = fit(&chain, budget, &peak_of)?;
    if peak > budget {
        findings.warnings.push(exceeds_budget(budget, peak));
    }
    Ok(dropped(&choice))
}

/// Returns the choice whose step fits the budget with the least recomputation found, and its peak. If none fits, the
/// choice with the smallest peak.
fn fit(
    chain: &Chain,
    budget: u64,
    peak_of: &impl Fn(&[RematPolicy]) -> Result<u64, Vec<Diagnostic>>,
) -> Result<(Vec<RematPolicy>, u64), Vec<Diagnostic>> {
    let with_peak = |choice: Vec<RematPolicy>| {
        let peak = peak_of(&choice)?;
        Ok::<_, Vec<Diagnostic>>((choice, peak))
    };
    let cheapest = with_peak(chain.cheapest())?;
    if cheapest.1 <= budget {
        return Ok(cheapest);
    }
    let mut best = with_peak(chain.choose(0))?;
    if best.1 > budget {
        return Ok(if best.1 <= cheapest.1 { best } else { cheapest });
    }
    // The memory that the rest of the step needs at the peak is unknown, so the activation budget is found by
    // bisection.
    let (mut fits, mut too_much) = (0, chain.bytes_without_recompute());
    for _ in 0..RematLimits::TUNED.halvings {
        let middle = fits + (too_much - fits) / 2;
        let tried = with_peak(chain.choose(middle))?;
        if tried.1 <= budget {
            (fits, best) = (middle, tried);
        } else {
            too_much = middle;
        }
    }
    Ok(best)
}

fn exceeds_budget(budget: u64, peak: u64) -> Diagnostic {
    let (needs, has) = (format_bytes(peak), format_bytes(budget));
    Diagnostic::warning(Code::D006, format!("a device needs {needs}, even with full recomputation, and has {has}"))
        .help("shard parameters and optimizer state over more devices: `--preset zero3`")
}

/// Replaces each use of a dropped value after the forward pass by a copy.
fn recompute(program: &mut Program, func: FuncId, dropped: DroppedValues) {
    let mut names = Namer::from_program(program);
    let mut copies = RecomputedCopies { copies: vec![None; program.values.len()], dropped, body: Vec::new() };
    for id in program.funcs[func].take_ops() {
        let op = &program.ops[id];
        // A loop over micro-batches begins with the forward pass.
        let has_forward = op.kind.control().is_some() && program.any_op_within(op, &|op| op.phase == Phase::Forward);
        if op.phase != Phase::Forward && !has_forward {
            for i in 0..program.ops[id].args.len() {
                let arg = program.ops[id].args[i];
                program.ops[id].args[i] = copies.value_for_backward(program, &mut names, arg);
            }
        }
        copies.body.push(id);
    }
    *program.funcs[func].ops_mut() = copies.body;
}

/// Copies of dropped values.
struct RecomputedCopies {
    /// For each value, its copy.
    copies: Vec<Option<ValueId>>,
    dropped: DroppedValues,
    /// Body of the rewritten function.
    body: Vec<OpId>,
}

impl RecomputedCopies {
    /// Returns the value to read after the forward pass: the value itself if it is stored, else its copy, which is
    /// created on first use.
    fn value_for_backward(&mut self, program: &mut Program, names: &mut Namer, value: ValueId) -> ValueId {
        // Ops to copy, each after those of its operands. An explicit stack, since layers may be deep.
        let mut todo = vec![(value, false)];
        while let Some((value, ready)) = todo.pop() {
            let Some(producer) = self.producer(value) else { continue };
            if ready {
                self.copy(program, names, producer);
            } else {
                todo.push((value, true));
                todo.extend(program.ops[producer].args.iter().map(|&arg| (arg, false)));
            }
        }
        self.copy_or_self(value)
    }

    /// Returns the op that defines the value, if the value is dropped and not yet copied.
    fn producer(&self, value: ValueId) -> Option<OpId> {
        let copied = self.copies.get(value.index()).copied().flatten().is_some();
        self.dropped.producer(value).filter(|_| !copied)
    }

    fn copy_or_self(&self, value: ValueId) -> ValueId {
        self.copies.get(value.index()).copied().flatten().unwrap_or(value)
    }

    fn copy(&mut self, program: &mut Program, names: &mut Namer, producer: OpId) {
        let op = program.ops[producer].clone();
        let args: Values = op.args.iter().map(|&v| self.copy_or_self(v)).collect();
        let mut outs = Values::new();
        for &out in &op.outs {
            let name = names.fresh(&program.values[out].name.clone());
            let copy = Value { name, ..program.values[out].clone() };
            let copy = program.values.push(copy);
            if self.dropped.producer(out).is_some() {
                self.copies[out.index()] = Some(copy);
            }
            outs.push(copy);
        }
        self.body.push(program.ops.push(Op { args, outs, phase: Phase::Recompute, ..op }));
    }
}
