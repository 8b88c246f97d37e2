//! What was found, as a plan: as few entries as propagation needs to find the same layouts.
//!
//! It begins with what is split of parameters, state and inputs. Then propagation says what it would make of that, and
//! what lies otherwise than it should, though all that it is made from lies right, is said as well, until nothing does.
//! Of weights that are kept otherwise than they are used both is said.

mod config;

pub(crate) use config::{config_plan, unequal_plan};

use crate::intra_op::ChosenLayouts;
use crate::limits::SearchLimits;
use crate::problem::FixedLayouts;
use partita_ir::arena::ValueId;
use partita_ir::diag::{Diagnostic, Source, Span};
use partita_ir::dtype::Type;
use partita_ir::layout::Layout;
use partita_ir::mesh::{Axes, Mesh};
use partita_ir::op::OpKind;
use partita_ir::plan::path::Pattern;
use partita_ir::plan::{Entry, Plan, Written, layout_text};
use partita_ir::program::Program;
use partita_passes::driver::provenance::Provenance;
use partita_passes::driver::variant::Variant;
use partita_passes::driver::{Findings, Input};
use partita_passes::import::updates::updates;
use partita_passes::pipelines::{self, Milestone};
use partita_passes::planning::apply_plan::replace_alike;
use partita_passes::planning::find::Entries;
use partita_passes::planning::name_dims::{ClassId, Classes};
use partita_passes::planning::propagate::Propagation;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// How much is said.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Detail {
    /// Parameters, state and inputs. What else propagation finds is left to it.
    Inputs,
    /// These, and what ops make.
    Values,
    /// The same, where gradients are in pieces as soon as they are made.
    Gradients,
}

impl Detail {
    /// What is closest to the layouts that were found comes first.
    pub const ALL: [Detail; 3] = [Detail::Values, Detail::Gradients, Detail::Inputs];
}

/// The plan that extends `template`, which has the mesh and the user's decisions, by layouts that were found.
///
/// # Errors
/// Errors in the template.
pub fn plan(
    template: &Plan,
    program: &Program,
    mesh: &Mesh,
    found: &ChosenLayouts,
    fixed: &FixedLayouts,
    detail: Detail,
) -> Result<Plan, Vec<Diagnostic>> {
    let writing = Writing::of(program, mesh, found, fixed);
    let template = &writing.with_stores(template, program, found);
    let is_stored = |value: &ValueId| writing.stores.contains_key(value);
    let gradients = found.gradients.iter().filter(|_| detail == Detail::Gradients);
    let values = found.values.iter().filter(|_| detail != Detail::Inputs);
    // What replaces a parameter lies as that does.
    let replaces: FxHashSet<ValueId> = updates(program).into_iter().map(|(_, new)| new).collect();
    let may_be_said =
        |value: &ValueId| !fixed.has(*value) && !replaces.contains(value) && writing.entries.can_say(*value);
    let used = found.inputs.iter().chain(values).chain(gradients).filter(|(value, _)| may_be_said(value));
    // Of what is kept otherwise it is copies that lie as it is used.
    let lies = |value: &ValueId, layout| writing.stores.get(value).copied().unwrap_or(layout);
    let wanted: FxHashMap<ValueId, &Layout> = used.map(|(value, layout)| (*value, lies(value, layout))).collect();
    let inputs = found.inputs.iter().filter(|(value, _)| may_be_said(value));
    let inputs = inputs.filter(|(value, layout)| layout.split_axes().next().is_some() || is_stored(value));
    let copies = found.values.iter().filter(|(value, _)| is_stored(value));
    let mut said: Vec<(ValueId, &Layout)> = inputs.chain(copies).map(|(value, layout)| (*value, layout)).collect();
    let agrees = |program: &Program, value: ValueId| {
        let (Some(want), Some(have)) = (wanted.get(&value), program.values[value].layout.as_ref()) else { return true };
        want.dims.iter().zip(&have.dims).all(|(want, have)| want.axes == have.axes)
    };
    let mut known: FxHashSet<ValueId> = said.iter().map(|(value, _)| *value).collect();
    for _ in 0..SearchLimits::TUNED.plan_readings {
        let plan = writing.plan(template, &said);
        let draft = Draft::of(program, &plan)?;
        let before = said.len();
        for _ in 0..SearchLimits::TUNED.plan_rounds {
            let laid_out = draft.laid_out(&said[before..]);
            let more = wrong(&laid_out, &wanted, |value| agrees(&laid_out, value));
            let more: Vec<ValueId> = more.into_iter().filter(|&value| known.insert(value)).collect();
            said.extend(more.iter().map(|&value| (value, wanted[&value])));
            if more.is_empty() {
                break;
            }
        }
        if said.len() == before {
            return Ok(plan);
        }
    }
    Ok(writing.plan(template, &said))
}

/// A program that a plan annotates, to which more may be said before propagation.
struct Draft {
    program: Program,
    propagation: Propagation,
}

impl Draft {
    fn of(program: &Program, plan: &Plan) -> Result<Draft, Vec<Diagnostic>> {
        let mut program = program.clone();
        let (input, mut findings) =
            (Input { plan: plan.clone(), is_draft: true, ..Input::default() }, Findings::default());
        pipelines::pipeline(Milestone::Step, Milestone::Annotated, Variant::default())?.run(
            &mut program,
            &input,
            &mut findings,
            &mut |_| Ok(()),
        )?;
        Ok(Draft { propagation: Propagation::of(&program), program })
    }

    /// What propagation makes of it, and of what is said beside the plan.
    fn laid_out(&self, more: &[(ValueId, &Layout)]) -> Program {
        let mut program = self.program.clone();
        for (value, layout) in more {
            let layout = Layout { pending: SmallVec::new(), ..(*layout).clone() };
            program.values[*value].layout = Some(layout.into());
        }
        replace_alike(&mut program);
        if let Some((mesh, _)) = program.mesh() {
            self.propagation.run(&mut program, mesh, &mut Provenance::default());
        }
        program
    }
}

/// The first values of each kind that lie otherwise than is wanted.
fn wrong(program: &Program, wanted: &FxHashMap<ValueId, &Layout>, agrees: impl Fn(ValueId) -> bool) -> Vec<ValueId> {
    let inputs: Vec<ValueId> = program.inputs().iter().copied().filter(|&v| !agrees(v)).collect();
    if !inputs.is_empty() {
        return inputs;
    }
    // Behind a layer where something is wrong all others are, too: what is the same of them is said at once.
    let mut wrong: Vec<(ValueId, Same<'_>)> = Vec::new();
    let mut first: FxHashSet<Same<'_>> = FxHashSet::default();
    let mut carried: Vec<ValueId> = Vec::new();
    // What lies as whoever reads it wants it.
    let mut follows: FxHashSet<ValueId> = FxHashSet::default();
    for func in program.laid_out_funcs() {
        for op in program.funcs[func].ops().iter().map(|&op| &program.ops[op]) {
            let mut goes_in_right = true;
            if let Some(body) = op.kind.func() {
                // What goes round a loop lies alike in all turns, so that where it goes in decides.
                let before = carried.len();
                carried.extend(program.funcs[body].inputs.iter().filter(|input| !agrees(**input)));
                goes_in_right = carried.len() == before;
            }
            match Follows::of(&op.kind) {
                Follows::Always => {
                    follows.extend(&op.outs);
                    continue;
                }
                Follows::AsOperands if op.args.iter().all(|arg| follows.contains(arg)) => follows.extend(&op.outs),
                Follows::AsOperands | Follows::Never => {}
            }
            for &out in op.outs.iter().filter(|out| !agrees(**out)) {
                let lie = op.args.iter().chain([&out]).map(|value| wanted.get(value).copied()).collect();
                let same = (op.kind.name(), program.ty(out), lie);
                if goes_in_right && op.args.iter().all(|arg| agrees(*arg) || follows.contains(arg)) {
                    first.insert(same.clone());
                }
                wrong.push((out, same));
            }
        }
    }
    let wrong = wrong.into_iter().filter(|(_, same)| first.contains(same)).map(|(value, _)| value);
    carried.into_iter().chain(wrong).collect()
}

/// The condition under which results are laid out as their readers want it.
enum Follows {
    Always,
    /// If all operands are.
    AsOperands,
    Never,
}

impl Follows {
    /// Recogniser: a result that is not found to follow its readers is written into the plan where it is laid out
    /// otherwise than is wanted.
    fn of(kind: &OpKind) -> Follows {
        match kind {
            OpKind::Constant(_) | OpKind::Iota(_) | OpKind::Broadcast(_) => Follows::Always,
            OpKind::Convert(_) => Follows::AsOperands,
            _ => Follows::Never,
        }
    }
}

/// What results of equal layers have in common: the op, the type, and how operands and result are to lie.
type Same<'a> = (&'static str, &'a Type, SmallVec<[Option<&'a Layout>; 4]>);

/// What entries are made of.
struct Writing<'a> {
    mesh: &'a Mesh,
    classes: Classes,
    entries: Entries<'a>,
    /// How values are kept that are used otherwise.
    stores: FxHashMap<ValueId, &'a Layout>,
    globs: Globs,
}

impl<'a> Writing<'a> {
    fn of(program: &'a Program, mesh: &'a Mesh, found: &'a ChosenLayouts, fixed: &FixedLayouts) -> Writing<'a> {
        let entries = Entries::of(program);
        let known: FxHashMap<ValueId, &Layout> = found.inputs.iter().map(|(value, layout)| (*value, layout)).collect();
        let says = |value: &ValueId| known.get(value).map(|layout| text(layout, mesh));
        let all = program.inputs().iter().map(|value| (entries.path(*value), says(value)));
        let globs = globs(&all.collect::<Vec<_>>());
        let stores = found.stores.iter().filter(|(value, _)| !fixed.decides_store(*value));
        let stores = stores.map(|(value, layout)| (*value, layout)).collect();
        Writing { mesh, classes: Classes::of(program), entries, stores, globs }
    }

    /// The plan with how values are kept that are used otherwise.
    fn with_stores(&self, template: &Plan, program: &Program, found: &ChosenLayouts) -> Plan {
        let kept = |value: &ValueId| self.stores.get(value).map(|layout| text(layout, self.mesh));
        let all = program.inputs().iter().map(|value| (self.entries.path(*value), kept(value)));
        let globs = globs(&all.collect::<Vec<_>>());
        let mut plan = template.clone();
        let mut known: FxHashSet<String> = FxHashSet::default();
        for (value, _) in &found.stores {
            let Some(text) = kept(value) else { continue };
            let path = said_of(self.entries.path(*value), &text, &globs);
            if known.insert(path.clone()) {
                plan.stores.push(Entry { path: Written::here(path), text: Written::here(text) });
            }
        }
        plan
    }

    fn plan(&self, template: &Plan, said: &[(ValueId, &Layout)]) -> Plan {
        // The first layout of each class: what differs from it must be allowed to.
        let mut first: FxHashMap<ClassId, Axes> = FxHashMap::default();
        let mut plan = template.clone();
        let mut known: FxHashSet<String> = FxHashSet::default();
        let mut shards: Vec<Entry> = Vec::new();
        let mut allowed: FxHashSet<String> = plan.allow_reshard.iter().map(|known| known.text.clone()).collect();
        for (value, layout) in said {
            let agrees = layout.dims.iter().enumerate().fold(true, |agrees, (dim, at)| {
                let known = first.entry(self.classes.class(*value, dim)).or_insert_with(|| at.axes.clone());
                agrees && *known == at.axes
            });
            let path = self.entries.path(*value);
            let text = text(layout, self.mesh);
            let path = said_of(path, &text, &self.globs);
            if !agrees && allowed.insert(path.clone()) {
                plan.allow_reshard.push(found(path.clone()));
            }
            if known.insert(path.clone()) {
                shards.push(Entry { path: found(path), text: found(text) });
            }
        }
        // A new entry stands for one of the same path.
        plan.shards.retain(|entry| !known.contains(&entry.path.text));
        plan.shards.extend(shards);
        plan
    }
}

/// A text that nobody wrote: its place is itself.
fn found(text: String) -> Written {
    let place = Span::new(&Source::new("what was found", &text), 0..text.len());
    Written::at(place, text)
}

fn text(layout: &Layout, mesh: &Mesh) -> String {
    layout_text(&Layout { pending: Default::default(), ..layout.clone() }, mesh)
}

/// By path that has `*` for numbers, the text of all that it matches; none if that is said of them in several ways, or
/// of some.
fn globs(all: &[(String, Option<String>)]) -> Globs {
    let mut globs = Globs::default();
    for (path, text) in all {
        let Some(glob) = glob(path) else { continue };
        globs.entry(glob).or_insert_with_key(|glob| {
            let pattern = Pattern::new(glob);
            text.clone().filter(|_| all.iter().all(|(other, says)| says == text || !pattern.matches(other)))
        });
    }
    globs
}

/// By path that has `*` for numbers, the text of all that it matches.
type Globs = FxHashMap<String, Option<String>>;

/// The path of a value, or of all that are alike.
fn said_of(path: String, text: &str, globs: &Globs) -> String {
    glob(&path).filter(|glob| globs.get(glob).is_some_and(|all| all.as_deref() == Some(text))).unwrap_or(path)
}

/// The path of a parameter with `*` for numbers, if it has any.
fn glob(path: &str) -> Option<String> {
    let is_number = |part: &str| part.parse::<u32>().is_ok();
    let parts: Vec<&str> = path.split('.').map(|part| if is_number(part) { "*" } else { part }).collect();
    let has_name = !path.starts_with('%') && !path.starts_with("input.");
    Some(parts.join(".")).filter(|glob| has_name && glob != path)
}
