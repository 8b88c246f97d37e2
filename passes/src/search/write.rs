//! What was found, as a plan: as few entries as propagation needs to find the same layouts.
//!
//! It begins with what is split of parameters, state and inputs. Then propagation says what it would make of that, and what lies otherwise
//! than it should, though all that it is made from lies right, is said as well, until nothing does.

use super::intra::Intra;
use crate::pass::Cx;
use crate::pipelines;
use crate::plan::find::Entries;
use crate::plan::name_dims::{ClassId, Classes};
use indexmap::IndexMap;
use partita_ir::arena::ValueId;
use partita_ir::diag::Diagnostic;
use partita_ir::layout::Layout;
use partita_ir::mesh::{Axes, Mesh};
use partita_ir::op::OpKind;
use partita_ir::plan::path::Pattern;
use partita_ir::plan::{Plan, layout_text};
use partita_ir::program::Program;
use rustc_hash::{FxHashMap, FxHashSet};

/// More rounds are not gone through: what propagation still finds otherwise is left to it.
const MOST_ROUNDS: usize = 12;

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
    /// From the least to the most.
    pub const ALL: [Detail; 3] = [Detail::Inputs, Detail::Values, Detail::Gradients];
}

/// The plan with the layouts that were found behind it. `base` has the mesh, and the program none yet.
///
/// # Errors
/// What is wrong with the base.
pub fn plan(
    base: &Plan,
    program: &Program,
    mesh: &Mesh,
    found: &Intra,
    detail: Detail,
) -> Result<Plan, Vec<Diagnostic>> {
    let classes = Classes::of(program);
    let values = found.values.iter().filter(|_| detail != Detail::Inputs);
    let gradients = found.gradients.iter().filter(|_| detail == Detail::Gradients);
    let wanted = found.inputs.iter().chain(values).chain(gradients);
    let wanted: FxHashMap<ValueId, &Layout> = wanted.map(|(value, layout)| (*value, layout)).collect();
    let inputs = found.inputs.iter().filter(|(_, layout)| layout.split_axes().next().is_some());
    let mut said: Vec<(ValueId, &Layout)> = inputs.map(|(value, layout)| (*value, layout)).collect();
    for _ in 0..MOST_ROUNDS {
        let plan = written(base, program, mesh, &classes, &said, found);
        let known: FxHashSet<ValueId> = said.iter().map(|(value, _)| *value).collect();
        let wrong = wrong(program, &plan, &wanted)?;
        let before = said.len();
        said.extend(wrong.into_iter().filter(|v| !known.contains(v)).map(|value| (value, wanted[&value])));
        if said.len() == before {
            return Ok(plan);
        }
    }
    Ok(written(base, program, mesh, &classes, &said, found))
}

/// The first values that propagation lays out otherwise than is wanted.
fn wrong(
    program: &Program,
    plan: &Plan,
    wanted: &FxHashMap<ValueId, &Layout>,
) -> Result<Vec<ValueId>, Vec<Diagnostic>> {
    let mut program = program.clone();
    let mut cx = Cx { plan: plan.clone(), ..Cx::default() };
    pipelines::annotate().map_err(|e| vec![e])?.run(&mut program, &mut cx, &mut |_| Ok(()))?;
    pipelines::spread_layouts().map_err(|e| vec![e])?.run(&mut program, &mut cx, &mut |_| Ok(()))?;
    let agrees = |value: &ValueId| {
        let (Some(want), Some(have)) = (wanted.get(value), program.values[*value].layout.as_ref()) else { return true };
        want.dims.iter().zip(&have.dims).all(|(want, have)| want.axes == have.axes)
    };
    let mut wrong: Vec<ValueId> = program.main().inputs.iter().copied().filter(|v| !agrees(v)).collect();
    if !wrong.is_empty() {
        return Ok(wrong);
    }
    for func in program.laid_out_funcs() {
        for op in program.funcs[func].body.iter().map(|&op| &program.ops[op]) {
            let is_free = matches!(op.kind, OpKind::Loop(_) | OpKind::Constant(_) | OpKind::Iota(_));
            if !is_free && op.args.iter().all(agrees) {
                wrong.extend(op.outs.iter().copied().filter(|v| !agrees(v)));
            }
        }
    }
    Ok(wrong)
}

fn written(
    base: &Plan,
    program: &Program,
    mesh: &Mesh,
    classes: &Classes,
    said: &[(ValueId, &Layout)],
    found: &Intra,
) -> Plan {
    let entries = Entries::of(program);
    let text = |layout: &Layout| layout_text(&Layout { pending: Default::default(), ..layout.clone() }, mesh);
    let all: IndexMap<String, String> =
        found.inputs.iter().map(|(value, layout)| (entries.path(*value), text(layout))).collect();
    // The first layout of each class: what differs from it must be allowed to.
    let mut first: FxHashMap<ClassId, Axes> = FxHashMap::default();
    let mut plan = base.clone();
    let mut known: FxHashSet<String> = FxHashSet::default();
    for (value, layout) in said {
        let agrees = layout.dims.iter().enumerate().fold(true, |agrees, (dim, at)| {
            let known = first.entry(classes.class(*value, dim)).or_insert_with(|| at.axes.clone());
            agrees && *known == at.axes
        });
        let path = entries.path(*value);
        let text = text(layout);
        let glob = glob(&path, |other| all.get(other) == Some(&text), all.keys());
        if !agrees && !plan.allow_reshard.iter().any(|known| known.text == glob) {
            plan = plan.allow_reshard(glob.clone());
        }
        if known.insert(glob.clone()) {
            plan = plan.shard(glob, text);
        }
    }
    plan
}

/// The path with `*` for numbers, if all that it matches then lies alike.
fn glob<'p>(path: &str, is_alike: impl Fn(&str) -> bool, mut all: impl Iterator<Item = &'p String>) -> String {
    let is_number = |part: &str| part.parse::<u32>().is_ok();
    let parts: Vec<&str> = path.split('.').map(|part| if is_number(part) { "*" } else { part }).collect();
    let glob = parts.join(".");
    let pattern = Pattern::new(&glob);
    let has_name = !path.starts_with('%') && !path.starts_with("input.");
    if has_name && glob != path && all.all(|other| !pattern.matches(other) || is_alike(other)) {
        glob
    } else {
        path.to_owned()
    }
}
