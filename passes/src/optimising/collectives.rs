//! `collectives` (explicit -> explicit): cheaper collectives by equality saturation, where they meet an op that they
//! may change sides with.
//!
//! A window is an op whose operands come from collectives, those collectives, and the ops that go on with its result in
//! the same way. Its values are read as [terms](partita_equality), the laws that move collectives across ops are
//! applied to them, and the cheapest terms that give the same values take the window's place, if they cost less:
//! seconds of the machine's collectives and of what ops move in memory, with what is shared counted once. The rest of
//! the program stays as it is.
//!
//! Before:
//!
//! ```text
//! %r = all_reduce sum over a %p : f32[4] whole
//! %s = all_reduce sum over a %q : f32[4] whole
//! %z = add %r, %s : f32[4] whole
//! output %z
//! ```
//!
//! After:
//!
//! ```text
//! %p = reduce sum [0] %x : f32[4] sum(a)
//! %q = reduce sum [0] %y : f32[4] sum(a)
//! %z.1 = add %p, %q : f32[4] sum(a)
//! %z = all_reduce sum over a %z.1 : f32[4] whole
//! output %z
//! ```

mod costs;
mod window;

use self::costs::Costs;
use self::window::windows;
use crate::driver::{Findings, Info, Input, Pass};
use partita_equality::laws::{Law, collectives, layouts, rearrange};
use partita_equality::place::Place;
use partita_equality::term::{Call, Head, Meaning, Term};
use partita_equality::window::{Better, Reading, Search, Window, improve, replace};
use partita_ir::diag::Diagnostic;
use partita_ir::program::{Form, Program};

/// The pass.
pub struct Collectives;

impl Pass for Collectives {
    fn info(&self) -> Info {
        Info { name: "collectives", needs: Form::Explicit, gives: Form::Explicit, reads: &[] }
    }

    fn applies(&self, program: &Program, _: &Input, _: &Findings) -> bool {
        program.mesh().is_some() && program.laid_out_funcs().into_iter().any(|func| !windows(program, func).is_empty())
    }

    fn run(&self, program: &mut Program, input: &Input, findings: &mut Findings) -> Result<(), Vec<Diagnostic>> {
        let Some((_, mesh)) = program.mesh() else { return Ok(()) };
        let mesh = mesh.clone();
        let machine = input.machine.clone();
        let costs = Costs::new(machine.as_deref(), &mesh);
        let laws: Vec<&'static Law> =
            rearrange::LAWS.iter().chain(collectives::LAWS).chain([&layouts::SPLIT]).collect();
        let mut search = Search::by(self.info().name);
        for func in program.laid_out_funcs() {
            let better: Vec<Better> = windows(program, func)
                .into_iter()
                .filter_map(|window| {
                    let reading = read(program, &window, Meaning::on(Some(mesh.clone())))?;
                    improve(program, window, reading, &laws, &|terms, term| costs.of(terms, term), &mut search)
                })
                .collect();
            replace(program, func, &better);
        }
        findings.searches.push(search);
        Ok(())
    }
}

/// The terms of a window.
fn read(program: &Program, window: &Window, meaning: Meaning) -> Option<Reading> {
    let mut reading = Reading::on(meaning);
    for &leaf in &window.leaves {
        let value = &program.values[leaf];
        let entry = reading.terms.analysis.entry(&value.ty);
        let whole = reading.terms.add(Term::leaf(entry));
        let place = Place::of(value.layout.as_ref()?, &value.ty.shape);
        let place = reading.terms.analysis.place(place);
        reading.read(leaf, Term::new(Head::Part(place), [whole]));
    }
    for &op in &window.ops {
        let op = &program.ops[op];
        let &[out] = &op.outs[..] else { return None };
        let value = &program.values[out];
        let call = Call { kind: op.kind.clone(), outs: vec![value.ty.clone()] };
        let call = reading.terms.analysis.call(call);
        let place = Place::of(value.layout.as_ref()?, &value.ty.shape);
        let place = Some(reading.terms.analysis.place(place));
        let args = op.args.iter().map(|arg| reading.known.get(arg).copied()).collect::<Option<Vec<_>>>()?;
        let id = reading.read(out, Term::new(Head::Op { call, out: 0, place }, args));
        for law in collectives::LAWS.iter().chain([&layouts::SPLIT]) {
            law.apply(&mut reading.terms, id);
        }
        reading.terms[id].data.whole?;
    }
    Some(reading)
}
