//! Both sides of a law: programs of its example and of the term that the law equates with it.

use partita_equality::laws::Law;
use partita_equality::term::{Head, Term, TermAnalysis, Terms};
use partita_equality::{certificate, reading, write};
use partita_ir::program::{Form, Program};
use partita_passes::driver::variant::Variant;
use partita_passes::driver::{Findings, Input};
use partita_passes::pipelines::{self, Milestone};

/// Returns the right side of a law of global values: the term that the law equates with the example's result.
///
/// Returns `None` if the law does not apply.
pub fn global_term(law: &Law, example: &Program) -> Option<Program> {
    let mut terms = Terms::new(TermAnalysis::default()).with_explanations_enabled();
    let entries = reading::add_inputs(&mut terms, example);
    let readings = reading::read_program(&mut terms, example, &entries);
    let term = *readings[example.outputs()[0].value.0 as usize].first()?;
    let node = terms.id_to_node(term).clone();
    let found = (law.find)(&mut terms, &node);
    let equal = found.first()?.right;
    let exact = |id| Some(terms.id_to_node(id).clone());
    write::to_program(&terms, &entries, &[("out".into(), equal)], &exact)
}

/// Returns both sides of a law of shards: the local program of its example, and a program of the global value on one
/// device of which the result is a shard by the law.
///
/// Returns `None` if the law does not derive the value.
pub fn shard_programs(law: &Law, example: &Program) -> Option<(Program, Program)> {
    let mesh = example.mesh().map(|(_, mesh)| mesh.clone());
    let mut terms = Terms::new(TermAnalysis::with_mesh(mesh)).with_explanations_enabled();
    let entries = reading::add_inputs(&mut terms, example);
    let readings = reading::read_program(&mut terms, example, &entries);
    let have = *readings[example.outputs()[0].value.0 as usize].first()?;
    let sort = terms[have].data;
    let (place, whole) = (sort.placement?, sort.global?);
    let part = terms.add_uncanonical(Term::new(Head::Shards(place), [whole]));
    terms.rebuild();
    if terms.find(have) != terms.find(part) {
        return None;
    }
    let steps = certificate::steps(&mut terms, have, part, &Default::default());
    if steps.iter().all(|step| step.law != law.name) {
        return None;
    }
    let exact = |id| Some(terms.id_to_node(id).clone());
    let other = write::to_program(&terms, &entries, &[("out".into(), whole)], &exact)?;
    Some((lower_to_local(example)?, other))
}

/// Lowers a program in explicit or local form to its local program.
pub fn lower_to_local(program: &Program) -> Option<Program> {
    let mut local = program.clone();
    if program.form != Form::Local {
        let pipeline =
            pipelines::pipeline(Milestone::from_form(program.form), Milestone::Local, Variant::default()).ok()?;
        pipeline.run(&mut local, &Input::default(), &mut Findings::default(), &mut |_| Ok(())).ok()?;
    }
    Some(local)
}
