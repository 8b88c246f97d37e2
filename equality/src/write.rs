//! Translation of terms of global values to a program.

use super::reading::Entries;
use super::term::{Head, Operands, Term, Terms};
use egg::Id;
use partita_ir::arena::ValueId;
use partita_ir::build::{Builder, Namer, identifier};
use partita_ir::program::{Program, Values};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Returns a traced program with the given outputs. `choose` selects one term of each e-class. Returns `None` if a
/// chosen term contains shards, calls a function, or depends on itself.
pub fn to_program(
    terms: &Terms,
    entries: &Entries,
    outputs: &[(String, Id)],
    choose: &dyn Fn(Id) -> Option<Term>,
) -> Option<Program> {
    let mut program = Program::default();
    let mut names = Namer::default();
    let mut written: FxHashMap<Id, ValueId> = FxHashMap::default();
    for ((_, name), (term, ty)) in entries {
        let value = program.input(names.fresh(&identifier(name)), ty.clone());
        written.insert(terms.find(*term), value);
    }
    let mut builder = Builder::new(&mut program, &mut names);
    let mut open: SmallVec<[Id; 8]> = SmallVec::new();
    let mut calls: FxHashMap<(u32, Operands), Values> = FxHashMap::default();
    let mut todo: Vec<Id> = outputs.iter().rev().map(|(_, term)| *term).collect();
    while let Some(&at) = todo.last() {
        let class = terms.find(at);
        if written.contains_key(&class) {
            todo.pop();
            continue;
        }
        let term = choose(at)?;
        let Head::Op { call, out, placement: None } = term.head else { return None };
        // Functions of the e-graph belong to no program.
        if terms.analysis.call_at(call).kind.func().is_some() {
            return None;
        }
        let missing: Vec<Id> =
            term.args.iter().copied().filter(|arg| !written.contains_key(&terms.find(*arg))).collect();
        if !missing.is_empty() {
            // An operand that is already open depends on this term.
            if open.contains(&class) && missing.iter().any(|arg| open.contains(&terms.find(*arg))) {
                return None;
            }
            open.push(class);
            todo.extend(missing);
            continue;
        }
        let args: Operands = term.args.iter().map(|arg| terms.find(*arg)).collect();
        let values: Values = args.iter().map(|arg| written[arg]).collect();
        let outs = calls.entry((call, args)).or_insert_with(|| {
            let call = terms.analysis.call_at(call);
            builder.op_many(call.kind.name(), call.kind.clone(), &values, &call.outs)
        });
        written.insert(class, outs[out as usize]);
        todo.pop();
    }
    let main = builder.program.entry();
    builder.finish(main);
    for (name, term) in outputs {
        program.output(name.as_str(), written[&terms.find(*term)]);
    }
    Some(program)
}
