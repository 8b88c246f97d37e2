//! Presets: the classic layouts of parallel training, by name.
//!
//! A preset finds its pattern in the graph of a model ([`model::Model`]) and lays values out on the mesh axes that it
//! is known for, `data`, `model` and `expert`. Where two presets lay out one value, they are put together dimension by
//! dimension; what the plan lays out itself they leave alone. `apply-plan` asks for all of this; [`Expansion::to_plan`]
//! says it in the language of plans, for those who want to go on by hand.

mod data;
mod entry;
mod expert;
mod megatron;
mod mesh;
pub mod model;
mod sequence;
mod wish;
mod zero;

pub use data::BUCKET;

use super::apply_plan::layout::Grid;
use super::name_dims::Classes;
use indexmap::IndexMap;
use model::{Model, Stem};
use partita_ir::arena::ValueId;
use partita_ir::diag::{Code, Diagnostic, Span, nearest};
use partita_ir::layout::Layout;
use partita_ir::mesh::AxisRef;
use partita_ir::plan::Plan;
use partita_ir::program::Program;
use rustc_hash::FxHashSet;
pub use wish::{Expansion, Wish};

/// A layout that is known by a name.
struct Preset {
    name: &'static str,
    /// Another name for it.
    alias: Option<&'static str>,
    /// The mesh axes that it needs, of each set one.
    axes: &'static [&'static [&'static str]],
    /// What it comes with.
    implies: &'static [&'static str],
    /// What it needs to be asked for with it.
    needs: &'static [&'static str],
    /// What it cannot be asked for with.
    excludes: &'static [&'static str],
    expand: fn(&mut Cx<'_>) -> Result<(), Diagnostic>,
}

/// A preset without relations to others.
const ALONE: Preset =
    Preset { name: "", alias: None, axes: &[], implies: &[], needs: &[], excludes: &[], expand: |_| Ok(()) };

/// What the stages of ZeRO have in common.
const ZERO: Preset = Preset { axes: &[&["data"]], implies: &["data"], ..ALONE };

/// Every preset, in the order in which they are put together.
const PRESETS: [Preset; 8] = [
    Preset { name: "data", axes: &[&["data"]], expand: data::expand, ..ALONE },
    Preset { name: "mesh", axes: &[&["data"], &["model"]], implies: &["data"], expand: mesh::expand, ..ALONE },
    Preset { name: "megatron", axes: &[&["model"]], expand: megatron::expand, ..ALONE },
    Preset { name: "expert", axes: &[&["expert", "data"]], expand: expert::expand, ..ALONE },
    Preset { name: "sequence", axes: &[&["model"]], needs: &["megatron"], expand: sequence::expand, ..ALONE },
    Preset { name: "zero1", expand: zero::expand_state, ..ZERO },
    Preset { name: "zero2", excludes: &["zero1"], expand: zero::expand_gradients, ..ZERO },
    Preset {
        name: "zero3",
        alias: Some("fsdp"),
        excludes: &["zero1", "zero2"],
        expand: zero::expand_parameters,
        ..ZERO
    },
];

/// The names of all presets.
pub fn names() -> impl Iterator<Item = &'static str> {
    PRESETS.iter().map(|p| p.name)
}

/// Returns the names of all presets, with the other name of those that have one: `zero3 (fsdp)`.
pub fn names_with_aliases() -> impl Iterator<Item = String> {
    PRESETS.iter().map(|preset| match preset.alias {
        Some(alias) => format!("{} ({alias})", preset.name),
        None => preset.name.to_owned(),
    })
}

/// A preset that a plan asks for, and where it does.
struct Asked {
    preset: &'static Preset,
    at: Span,
}

/// What presets work with.
struct Cx<'a> {
    model: Model<'a>,
    grid: &'a Grid<'a>,
    /// Layouts of the plan itself, and of the model.
    own: &'a IndexMap<ValueId, Layout>,
    /// All presets that are asked for.
    asked: &'a [Asked],
    /// The one that is being expanded.
    now: usize,
    /// The dimensions that `megatron` splits.
    pairs: FxHashSet<Stem>,
    /// What they want.
    wishes: Expansion,
}

/// What the presets of a plan lay out in a program. `own` is what the plan and the model lay out themselves. Mistakes
/// are appended to `errors`.
pub fn expand(
    program: &Program,
    plan: &Plan,
    classes: &Classes,
    grid: &Grid<'_>,
    own: &IndexMap<ValueId, Layout>,
    errors: &mut Vec<Diagnostic>,
) -> Expansion {
    let before = errors.len();
    let asked = asked(plan, errors);
    if errors.len() > before {
        return Expansion::default();
    }
    check_together(&asked, errors);
    errors.extend(asked.iter().filter_map(|a| missing_axis(a, grid)));
    if errors.len() > before || asked.is_empty() {
        return Expansion::default();
    }
    let model = Model::of(program, classes);
    let mut cx =
        Cx { model, grid, own, asked: &asked, now: 0, pairs: FxHashSet::default(), wishes: Expansion::of(&asked) };
    for (i, one) in asked.iter().enumerate() {
        cx.now = i;
        if let Err(error) = (one.preset.expand)(&mut cx) {
            errors.push(error);
        }
    }
    let mut wishes = cx.wishes;
    wishes.leave_alone(own);
    wishes
}

/// The presets that a plan asks for, in the order of [`PRESETS`], with those that they imply.
fn asked(plan: &Plan, errors: &mut Vec<Diagnostic>) -> Vec<Asked> {
    let mut found: Vec<(usize, Asked)> = Vec::new();
    for written in &plan.presets {
        let mut start = 0;
        for part in written.text.split(',') {
            let name = part.trim();
            let from = start + (part.len() - part.trim_start().len());
            start += part.len() + 1;
            let at = written.part(from..from + name.len());
            let Some(position) = PRESETS.iter().position(|p| p.name == name || p.alias == Some(name)) else {
                errors.push(unknown(name, at));
                continue;
            };
            let implied = PRESETS[position].implies;
            let implied = PRESETS.iter().enumerate().filter(|(_, p)| implied.contains(&p.name));
            for (i, preset) in implied.chain([(position, &PRESETS[position])]) {
                if !found.iter().any(|(known, _)| *known == i) {
                    found.push((i, Asked { preset, at: at.clone() }));
                }
            }
        }
    }
    found.sort_by_key(|(i, _)| *i);
    found.into_iter().map(|(_, asked)| asked).collect()
}

fn unknown(name: &str, at: Span) -> Diagnostic {
    let error = Diagnostic::new(Code::L016, format!("no preset is called `{name}`")).at(at.clone(), "");
    let known: Vec<String> = names().map(|n| format!("`{n}`")).collect();
    let error = error.note(format!("presets are {}", known.join(", ")));
    match nearest(name, names().chain(PRESETS.iter().filter_map(|p| p.alias))) {
        Some(near) => error.fix("there is one with a similar name", at, near),
        None => error,
    }
}

/// Presets that lack another one, or exclude each other.
fn check_together(asked: &[Asked], errors: &mut Vec<Diagnostic>) {
    for (i, one) in asked.iter().enumerate() {
        let name = one.preset.name;
        for other in asked[..i].iter().filter(|o| one.preset.excludes.contains(&o.preset.name)) {
            let title = format!("`{}` and `{name}` exclude each other", other.preset.name);
            let error = Diagnostic::new(Code::L015, title).at(other.at.clone(), "").at(one.at.clone(), "");
            errors.push(
                error.note(format!("`{name}` does all that `{}` does", other.preset.name)).help("drop one of them"),
            );
        }
        for need in one.preset.needs.iter().filter(|need| asked.iter().all(|o| o.preset.name != **need)) {
            errors.push(
                Diagnostic::new(Code::L015, format!("`{name}` needs `{need}`"))
                    .at(one.at.clone(), format!("goes on where `{need}` leaves off"))
                    .fix("ask for both", one.at.clone(), format!("{need},{name}")),
            );
        }
    }
}

/// The error when the mesh has none of the axes that a preset can lie on.
fn missing_axis(asked: &Asked, grid: &Grid<'_>) -> Option<Diagnostic> {
    let has = |axis: &&str| grid.mesh.axis(axis).is_some();
    let missing = asked.preset.axes.iter().find(|any| !any.iter().any(has))?;
    let name = asked.preset.name;
    let list: Vec<String> = missing.iter().map(|axis| format!("`{axis}`")).collect();
    let title = format!("`{name}` needs a mesh axis {}", list.join(" or "));
    let error = Diagnostic::new(Code::L001, title).at(asked.at.clone(), "");
    let Some(place) = &grid.place else {
        return Some(error.note(format!("the model came with the mesh: {}", grid.axes())));
    };
    let error = error.context(place.clone(), grid.axes());
    let text = place.source.text.get(place.range.clone()).unwrap_or_default();
    let axis = missing[0];
    Some(match text.trim_end().strip_suffix('}') {
        Some(table) => error.fix("add it", place.clone(), format!("{}, {axis} = 2 }}", table.trim_end())),
        None if text.contains('=') => error.fix("add it", place.clone(), format!("{text},{axis}=2")),
        None => error.help(format!("add it to the mesh: (\"{axis}\", 2)")),
    })
}

impl Cx<'_> {
    /// The mesh axis of that name, if it splits anything.
    fn axis(&self, name: &str) -> Option<AxisRef> {
        let axis = AxisRef::whole(self.grid.mesh, self.grid.mesh.axis(name)?);
        (axis.size > 1).then_some(axis)
    }

    /// Splits a dimension, unless the value is split by that axis already. The other dimensions are whole.
    fn split(&mut self, value: ValueId, dim: usize, axis: AxisRef) {
        let rank = self.model.program.ty(value).shape.rank();
        self.wishes.split(value, dim, axis, Layout::replicated(self.grid.id, rank), self.now);
    }

    /// The error of a preset whose pattern the model does not have.
    fn nothing(&self, looked_for: &str) -> Diagnostic {
        let asked = &self.asked[self.now];
        let source = &self.model.program.source;
        let name = asked.preset.name;
        let title = match source.is_empty() {
            true => format!("`{name}` finds nothing to lay out in the model"),
            false => format!("`{name}` finds nothing to lay out in `{source}`"),
        };
        Diagnostic::new(Code::L014, title).at(asked.at.clone(), "").note(format!("it looked for {looked_for}"))
    }

    /// How a value lies that the plan, the model or a preset has laid out.
    fn laid_out(&self, value: ValueId) -> Option<&Layout> {
        self.own.get(&value).or_else(|| self.wishes.shards.get(&value).map(|wish| &wish.layout))
    }
}
