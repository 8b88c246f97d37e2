//! Both sides of a law: programs that compute its example and what the law makes equal to it.

use partita_equality::laws::Law;
use partita_equality::term::{Head, Meaning, Term, Terms};
use partita_equality::{certificate, reading, write};
use partita_ir::program::{Form, Program};
use partita_passes::driver::variant::Variant;
use partita_passes::driver::{Findings, Input};
use partita_passes::pipelines::{self, Milestone};

/// A law of whole values: its example, and the term that the law makes equal to the example's result.
///
/// `None` where the law finds nothing.
pub fn whole(law: &Law, example: &Program) -> Option<Program> {
    let mut terms = Terms::new(Meaning::default()).with_explanations_enabled();
    let entries = reading::entries(&mut terms, example);
    let readings = reading::read(&mut terms, example, &entries);
    let term = *readings[example.outputs()[0].value.0 as usize].first()?;
    let node = terms.id_to_node(term).clone();
    let found = (law.find)(&mut terms, &node);
    let equal = found.first()?.right;
    let exact = |id| Some(terms.id_to_node(id).clone());
    write::program(&terms, &entries, &[("out".into(), equal)], &exact)
}

/// A law of parts: one device's program of its example, and the whole value on one device of which the result is a part
/// by the law.
///
/// `None` where that does not follow by the law.
pub fn parts(law: &Law, example: &Program) -> Option<(Program, Program)> {
    let mesh = example.mesh().map(|(_, mesh)| mesh.clone());
    let mut terms = Terms::new(Meaning::on(mesh)).with_explanations_enabled();
    let entries = reading::entries(&mut terms, example);
    let readings = reading::read(&mut terms, example, &entries);
    let have = *readings[example.outputs()[0].value.0 as usize].first()?;
    let sort = terms[have].data;
    let (place, whole) = (sort.place?, sort.whole?);
    let part = terms.add_uncanonical(Term::new(Head::Part(place), [whole]));
    terms.rebuild();
    if terms.find(have) != terms.find(part) {
        return None;
    }
    let steps = certificate::steps(&mut terms, have, part, &Default::default());
    if steps.iter().all(|step| step.law != law.name) {
        return None;
    }
    let exact = |id| Some(terms.id_to_node(id).clone());
    let other = write::program(&terms, &entries, &[("out".into(), whole)], &exact)?;
    Some((local(example)?, other))
}

/// One device's program of a program in form explicit or local.
pub fn local(program: &Program) -> Option<Program> {
    let mut local = program.clone();
    if program.form != Form::Local {
        let pipeline = pipelines::pipeline(Milestone::of(program.form), Milestone::Local, Variant::default()).ok()?;
        pipeline.run(&mut local, &Input::default(), &mut Findings::default(), &mut |_| Ok(())).ok()?;
    }
    Some(local)
}
