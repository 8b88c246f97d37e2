//! `remat` (planned -> planned): computes forward values again in the backward pass instead of keeping them.
//!
//! What a training step holds most of is forward values that the backward pass reads. Which of them are dropped is said by the
//! plan ([`policy`]), by path of the parameters of a layer: `none`; `selective`, the part of attention that is quadratic in the
//! sequence (Korthikanti et al., Reducing Activation Recomputation, 2022); `full`, everything in a layer but what goes into it
//! (Chen et al. 2016); `auto`, what fits a budget at the least arithmetic ([`chain`]). Always dropped are constants and repeats of
//! smaller values, which cost nothing, and copies that are not to be kept (`constrain fresh`). Whatever reads a dropped value behind the forward pass reads a copy, made by the same ops in
//! phase `recompute` right before its first reader. Random numbers are functions of a key, so that copies have the same
//! bits. Nothing else changes.
//!
//! Before: `%b = broadcast [1] %v : f32[8, 512]`, ..., `%g = mul %h.grad, %b : f32[8, 512] phase backward_input`.
//!
//! After: `%b.1 = broadcast [1] %v : f32[8, 512] phase recompute`, `%g = mul %h.grad, %b.1 : f32[8, 512] phase backward_input`.

mod chain;
mod layers;
mod policy;

use crate::analysis::memory::peak;
use crate::pass::{Cx, Info, Pass, any_op};
use chain::Chain;
use layers::layers;
use partita_ir::arena::{Id, OpId, ValueId};
use partita_ir::build::Namer;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::program::{Form, Op, Phase, Program, Value, Values};
pub(crate) use policy::read_bytes;
use policy::{Dropped, How, Said, forward, quadratic};

/// The pass.
pub struct Remat;

impl Pass for Remat {
    fn info(&self) -> Info {
        Info { name: "remat", needs: Form::Planned, gives: Form::Planned }
    }

    fn applies(&self, program: &Program, _: &Cx) -> bool {
        any_op(program, |program, op| program.ops[op].phase != Phase::Forward)
    }

    fn run(&self, program: &mut Program, cx: &mut Cx) -> Result<(), Vec<Diagnostic>> {
        if cx.plan.remat.is_empty() {
            let repeats = Dropped::repeats(program);
            compute_again(program, repeats);
            return Ok(());
        }
        let layers = layers(program);
        let quadratic = quadratic(program, &forward(program));
        let said = Said::of(program, &cx.plan, &layers)?;
        let dropped = |choice: &[How]| Dropped::of(program, &layers, choice, &quadratic);
        let dropped = match said.budget {
            None => dropped(&said.layers.iter().map(|how| how.unwrap_or(How::None)).collect::<Vec<_>>()),
            Some(budget) => {
                let chain = Chain::of(program, &layers, &said.layers, &quadratic);
                let (choice, peak) = fit(program, &chain, budget, &dropped);
                if peak > budget {
                    cx.warnings.push(does_not_fit(budget, peak));
                }
                dropped(&choice)
            }
        };
        compute_again(program, dropped);
        Ok(())
    }
}

/// The budget of a chain is lowered so many times, until the whole step fits.
const ROUNDS: usize = 12;

/// The choice whose step fits into the budget, and its peak; where none does, the one that needs least.
fn fit(program: &Program, chain: &Chain, budget: u64, dropped: &impl Fn(&[How]) -> Dropped) -> (Vec<How>, u64) {
    let peak_of = |choice: &[How]| {
        let mut step = program.clone();
        compute_again(&mut step, dropped(choice));
        peak(&step).bytes
    };
    let mut bytes = chain.held();
    let mut choice = chain.choose(bytes);
    let mut most = peak_of(&choice);
    for _ in 0..ROUNDS {
        if most <= budget || bytes == 0 {
            break;
        }
        bytes = bytes.saturating_sub(most - budget);
        choice = chain.choose(bytes);
        most = peak_of(&choice);
    }
    (choice, most)
}

fn does_not_fit(budget: u64, peak: u64) -> Diagnostic {
    let gib = |bytes: u64| bytes as f64 / f64::from(1 << 30);
    Diagnostic::warning(
        Code::D006,
        format!("a device needs {:.3} GiB, however much is computed again, and has {:.3} GiB", gib(peak), gib(budget)),
    )
    .help("split parameters and their state over more devices: `--preset zero3`")
}

/// Lets whoever reads a dropped value behind the forward pass read a copy.
fn compute_again(program: &mut Program, dropped: Dropped) {
    let mut names = Namer::of(program);
    let mut copies = Copies { copies: vec![None; program.values.len()], dropped, body: Vec::new() };
    for id in std::mem::take(&mut program.main_mut().body) {
        if program.ops[id].phase != Phase::Forward {
            for i in 0..program.ops[id].args.len() {
                let arg = program.ops[id].args[i];
                program.ops[id].args[i] = copies.of(program, &mut names, arg);
            }
        }
        copies.body.push(id);
    }
    program.main_mut().body = copies.body;
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
    /// What stands for a value behind the forward pass: itself when it is kept, else its copy, which is made now if it was not yet.
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
