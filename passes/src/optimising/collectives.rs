//! `collectives` (explicit -> explicit): replaces collectives by cheaper ones, by equality saturation around ops that
//! commute with collectives.
//!
//! A window consists of an op whose operands are results of collectives, those collectives, and readers of its result
//! that commute with collectives too. The pass converts the window to [terms](partita_equality), applies the rewrite
//! rules that move collectives across ops, and extracts the cheapest terms with the same values. They replace the
//! window if they cost less. The cost is the time of the machine's collectives and of memory traffic, in seconds, with
//! shared terms counted once. The rest of the program stays as it is.
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

use self::costs::TermCosts;
use self::window::windows;
use crate::driver::{Findings, Input, Pass, PassInfo};
use partita_equality::laws::{Law, collectives, layouts, rearrange};
use partita_equality::placement::Placement;
use partita_equality::term::{Call, Head, Term, TermAnalysis};
use partita_equality::window::{Replacement, Window, WindowSearch, WindowTerms, apply_replacements, optimize_window};
use partita_ir::diag::Diagnostic;
use partita_ir::program::{Form, Program};

/// The pass.
pub struct Collectives;

impl Pass for Collectives {
    fn info(&self) -> PassInfo {
        PassInfo { name: "collectives", input_form: Form::Explicit, output_form: Form::Explicit, reads: &[] }
    }

    fn applies(&self, program: &Program, _: &Input, _: &Findings) -> bool {
        program.mesh().is_some()
            && program.funcs_with_layouts().into_iter().any(|func| !windows(program, func).is_empty())
    }

    fn run(&self, program: &mut Program, input: &Input, findings: &mut Findings) -> Result<(), Vec<Diagnostic>> {
        let Some((_, mesh)) = program.mesh() else { return Ok(()) };
        let mesh = mesh.clone();
        let machine = input.machine.clone();
        let costs = TermCosts::new(machine.as_deref(), &mesh);
        let laws: Vec<&'static Law> =
            rearrange::LAWS.iter().chain(collectives::LAWS).chain([&layouts::SPLIT]).collect();
        let mut search = WindowSearch::new(self.info().name);
        for func in program.funcs_with_layouts() {
            let better: Vec<Replacement> = windows(program, func)
                .into_iter()
                .filter_map(|window| {
                    let reading = read(program, &window, TermAnalysis::with_mesh(Some(mesh.clone())))?;
                    optimize_window(
                        program,
                        window,
                        reading,
                        &laws,
                        &|terms, term| costs.seconds(terms, term),
                        &mut search,
                    )
                })
                .collect();
            apply_replacements(program, func, &better);
        }
        findings.searches.push(search);
        Ok(())
    }
}

/// Returns the terms of a window, or `None` if it has an op that cannot be expressed as a term.
fn read(program: &Program, window: &Window, meaning: TermAnalysis) -> Option<WindowTerms> {
    let mut reading = WindowTerms::new(meaning);
    for &leaf in &window.leaves {
        let value = &program.values[leaf];
        let entry = reading.terms.analysis.add_input(&value.ty);
        let whole = reading.terms.add(Term::leaf(entry));
        let place = Placement::from_layout(value.layout.as_ref()?, &value.ty.shape);
        let place = reading.terms.analysis.add_placement(place);
        reading.add_term(leaf, Term::new(Head::Shards(place), [whole]));
    }
    for &op in &window.ops {
        let op = &program.ops[op];
        let &[out] = &op.outs[..] else { return None };
        let value = &program.values[out];
        let call = Call { kind: op.kind.clone(), outs: vec![value.ty.clone()] };
        let call = reading.terms.analysis.add_call(call);
        let place = Placement::from_layout(value.layout.as_ref()?, &value.ty.shape);
        let place = Some(reading.terms.analysis.add_placement(place));
        let args = op.args.iter().map(|arg| reading.term_of_value.get(arg).copied()).collect::<Option<Vec<_>>>()?;
        let id = reading.add_term(out, Term::new(Head::Op { call, out: 0, placement: place }, args));
        for law in collectives::LAWS.iter().chain([&layouts::SPLIT]) {
            law.apply(&mut reading.terms, id);
        }
        reading.terms[id].data.global?;
    }
    Some(reading)
}
