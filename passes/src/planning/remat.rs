//! `remat` (planned -> planned): computes forward values again in the backward pass instead of keeping them.
//!
//! What a training step holds most of is forward values that the backward pass reads. Which of them are dropped is said
//! by the plan (`policy`), by path of the parameters of a layer: `none`; `selective`, the part of attention that is
//! quadratic in the sequence (Korthikanti et al., Reducing Activation Recomputation, 2022); `full`, everything in a
//! layer but what goes into it (Chen et al. 2016); `auto`, what fits a budget at the least arithmetic (`chain`). Always
//! dropped are constants and repeats of smaller values, which cost nothing, and copies that are not to be kept
//! (`constrain fresh`). Whatever reads a dropped value behind the forward pass reads a copy, made by the same ops in
//! phase `recompute` right before its first reader. Random numbers are functions of a key, so that copies have the same
//! bits. Nothing else changes.
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

mod chain;
mod layers;
mod limits;
mod policy;

use crate::driver::{FindingKind, Findings, Info, Input, Pass, any_op};
use crate::partitioning;
use chain::Chain;
use layers::{Facts, layers};
use limits::RematLimits;
use partita_cost::memory::peak;
use partita_ir::arena::{FuncId, Id, OpId, ValueId};
use partita_ir::build::Namer;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::program::{Form, Op, Phase, Program, Value, Values};
use partita_ir::units::bytes;
use policy::{Dropped, How, Said, forward, quadratic};

/// The pass.
pub struct Remat;

impl Pass for Remat {
    fn info(&self) -> Info {
        Info { name: "remat", needs: Form::Planned, gives: Form::Planned, reads: &[FindingKind::Resolved] }
    }

    fn applies(&self, program: &Program, _: &Input, _: &Findings) -> bool {
        any_op(program, |program, op| program.ops[op].phase != Phase::Forward)
    }

    fn run(&self, program: &mut Program, input: &Input, findings: &mut Findings) -> Result<(), Vec<Diagnostic>> {
        let facts = Facts::of(program, &input.activations);
        for func in program.laid_out_funcs() {
            if program.funcs[func].ops().iter().any(|&op| program.ops[op].phase == Phase::Forward) {
                let dropped = choose(program, func, &facts, input, findings)?;
                compute_again(program, func, dropped);
            }
        }
        Ok(())
    }
}

/// What the plan lets a function drop.
fn choose(
    program: &Program,
    func: FuncId,
    facts: &Facts,
    input: &Input,
    findings: &mut Findings,
) -> Result<Dropped, Vec<Diagnostic>> {
    let plan = findings.plan_for(Remat.info(), input).clone();
    if plan.remat.is_empty() {
        return Ok(Dropped::repeats(program, func));
    }
    let layers = layers(program, func, facts);
    let quadratic = quadratic(program, &forward(program, func), facts);
    let said = Said::of(program, &plan, &layers, facts)?;
    let dropped = |choice: &[How]| Dropped::of(program, func, &layers, choice, &quadratic);
    let Some(budget) = said.budget else {
        return Ok(dropped(&said.layers.iter().map(|how| how.unwrap_or(How::None)).collect::<Vec<_>>()));
    };
    let chain = Chain::of(program, func, &layers, &said.layers, &quadratic);
    let peak_of = |choice: &[How]| {
        let mut step = program.clone();
        compute_again(&mut step, func, dropped(choice));
        // What a device holds shows only when its communication is there, too.
        let input = Input::with_plan(plan.clone());
        let mut known = findings.handed_on();
        partitioning::lower().map_err(|e| vec![e])?.run(&mut step, &input, &mut known, &mut |_| Ok(()))?;
        Ok(peak(&step).bytes)
    };
    let (choice, peak) = fit(&chain, budget, &peak_of)?;
    if peak > budget {
        findings.warnings.push(does_not_fit(budget, peak));
    }
    Ok(dropped(&choice))
}

/// The choice whose step fits into the budget, and its peak; where none does, the one that needs least.
fn fit(
    chain: &Chain,
    budget: u64,
    peak_of: &impl Fn(&[How]) -> Result<u64, Vec<Diagnostic>>,
) -> Result<(Vec<How>, u64), Vec<Diagnostic>> {
    let with_peak = |choice: Vec<How>| {
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
    // What the rest of the step needs at the peak is not known beforehand.
    let (mut fits, mut too_much) = (0, chain.held());
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

fn does_not_fit(budget: u64, peak: u64) -> Diagnostic {
    let (needs, has) = (bytes(peak), bytes(budget));
    Diagnostic::warning(Code::D006, format!("a device needs {needs}, however much is computed again, and has {has}"))
        .help("split parameters and their state over more devices: `--preset zero3`")
}

/// Lets whoever reads a dropped value behind the forward pass read a copy.
fn compute_again(program: &mut Program, func: FuncId, dropped: Dropped) {
    let mut names = Namer::of(program);
    let mut copies = Copies { copies: vec![None; program.values.len()], dropped, body: Vec::new() };
    for id in program.funcs[func].take_ops() {
        if program.ops[id].phase != Phase::Forward {
            for i in 0..program.ops[id].args.len() {
                let arg = program.ops[id].args[i];
                program.ops[id].args[i] = copies.of(program, &mut names, arg);
            }
        }
        copies.body.push(id);
    }
    *program.funcs[func].ops_mut() = copies.body;
}

/// Copies of dropped values.
struct Copies {
    /// By value.
    copies: Vec<Option<ValueId>>,
    dropped: Dropped,
    /// The new body.
    body: Vec<OpId>,
}

impl Copies {
    /// What stands for a value behind the forward pass: itself when it is kept, else its copy, which is made now if it
    /// was not yet.
    fn of(&mut self, program: &mut Program, names: &mut Namer, value: ValueId) -> ValueId {
        // Ops that are to be copied, each behind those that make its operands; no recursion, as layers may be deep.
        let mut todo = vec![(value, false)];
        while let Some((value, ready)) = todo.pop() {
            let Some(maker) = self.maker(value) else { continue };
            if ready {
                self.copy(program, names, maker);
            } else {
                todo.push((value, true));
                todo.extend(program.ops[maker].args.iter().map(|&arg| (arg, false)));
            }
        }
        self.standing_for(value)
    }

    /// The op that makes the value, if it is dropped and was not copied yet.
    fn maker(&self, value: ValueId) -> Option<OpId> {
        let copied = self.copies.get(value.index()).copied().flatten().is_some();
        self.dropped.maker(value).filter(|_| !copied)
    }

    fn standing_for(&self, value: ValueId) -> ValueId {
        self.copies.get(value.index()).copied().flatten().unwrap_or(value)
    }

    fn copy(&mut self, program: &mut Program, names: &mut Namer, maker: OpId) {
        let op = program.ops[maker].clone();
        let args: Values = op.args.iter().map(|&v| self.standing_for(v)).collect();
        let mut outs = Values::new();
        for &out in &op.outs {
            let name = names.fresh(&program.values[out].name.clone());
            let copy = Value { name, ..program.values[out].clone() };
            let copy = program.values.push(copy);
            if self.dropped.maker(out).is_some() {
                self.copies[out.index()] = Some(copy);
            }
            outs.push(copy);
        }
        self.body.push(program.ops.push(Op { args, outs, phase: Phase::Recompute, ..op }));
    }
}
