//! `apply-plan` (traced -> traced): puts what the plan says on the program, as a mesh and layouts of values.
//!
//! Axes and paths are resolved here, once, where their places are known. In this order: the mesh (a model that came with one must have the
//! same); layouts by path, of which the most specific one counts, then the later; rules, for every
//! parameter and input that has a dimension of the rule's class and no layout of its own by path (or, where a class touches none of
//! them, for every value with such a dimension). What was written is strict: layouts that contradict each other or those that the
//! model came with are errors, unless the plan allows them to be resharded. Layouts that the model came with are annotations like any other. Dimensions that rules do not
//! mention stay open. Nothing else changes.
//!
//! Before, with `--mesh data=2,model=4 --shard "up.weight=_, model"`: `param %w1 "up.weight" : f32[64, 512]`
//!
//! After: `mesh @mesh = [data=2, model=4]`, `param %w1 "up.weight" : f32[64, 512@model]`

mod conflict;
mod layout;
mod padding;
mod rules;

use super::find::Entries;
use super::name_dims::{Classes, Names};
use crate::pass::{Cx, Info, Pass};
use crate::provenance::{Note, Provenance, Spot};
use conflict::Context;
use indexmap::IndexMap;
use layout::{Grid, Target, resolve};
use partita_ir::arena::{MeshId, ValueId};
use partita_ir::diag::{Code, Diagnostic, Span};
use partita_ir::layout::Layout;
use partita_ir::mesh::Mesh;
use partita_ir::plan::path::Pattern;
use partita_ir::plan::{Plan, Written, text};
use partita_ir::program::{Form, Program};

/// The pass.
pub struct ApplyPlan;

impl Pass for ApplyPlan {
    fn info(&self) -> Info {
        Info { name: "apply-plan", needs: Form::Traced, gives: Form::Traced }
    }

    fn run(&self, program: &mut Program, cx: &mut Cx) -> Result<(), Vec<Diagnostic>> {
        let declared = declare_mesh(program, &cx.plan).map_err(|error| vec![error])?;
        let Some((id, place)) = declared else { return Ok(()) };
        let grid = Grid { mesh: &program.meshes[id], id, place };
        let mut errors = Vec::new();
        let mut found = find_layouts(program, &cx.plan, &grid, &mut errors);
        if !errors.is_empty() {
            return Err(errors);
        }
        found.sort_by_key(|f| f.value);
        for layout in found {
            layout.put(program, &mut cx.provenance);
        }
        Ok(())
    }
}

/// A layout by path.
struct Shard<'p> {
    layout: Layout,
    written: &'p Written,
    /// Whether the plan allows it to be resharded where it meets others.
    may_contradict: bool,
}

/// A layout that a value is to get.
struct Found {
    value: ValueId,
    layout: Layout,
    /// What put axes on its dimensions.
    notes: Vec<(usize, Note)>,
}

impl Found {
    fn put(self, program: &mut Program, provenance: &mut Provenance) {
        for (dim, note) in self.notes {
            let note = provenance.note(note);
            provenance.wrote(Spot { value: self.value, dim: dim as u32 }, note);
        }
        program.values[self.value].layout = Some(self.layout.into());
    }
}

/// Gives the program the plan's mesh; its id, and where the plan declares it. `None` when neither has one and the plan needs none.
fn declare_mesh(program: &mut Program, plan: &Plan) -> Result<Option<(MeshId, Option<Span>)>, Diagnostic> {
    let own = program.mesh().map(|(id, _)| id);
    let Some(declared) = &plan.mesh else {
        let first = plan.shards.iter().map(|e| &e.text).chain(&plan.rules).next();
        return match (own, first) {
            (Some(id), _) => Ok(Some((id, None))),
            (None, None) => Ok(None),
            (None, Some(written)) => Err(Diagnostic::new(Code::L007, "there is no mesh to partition over")
                .at(written.span(), "names axes of a mesh")
                .help("declare one: `--mesh data=2,model=4`")),
        };
    };
    let place = declared.place.span();
    let axes = declared.axes.iter().map(|a| (a.name.clone(), a.size));
    let mut mesh = Mesh::new("mesh", axes);
    if let Some(devices) = &declared.devices {
        mesh.devices = devices.clone();
    }
    match own {
        None if program.meshes.is_empty() => Ok(Some((program.meshes.push(mesh), Some(place)))),
        Some(id) if program.meshes[id].axes == mesh.axes && program.meshes[id].devices == mesh.devices => {
            Ok(Some((id, Some(place))))
        }
        _ => {
            let axes = program.meshes.values().map(|m| {
                let axes: Vec<String> = m.axes.iter().map(|a| format!("{}={}", a.name, a.size)).collect();
                format!("`{}`", axes.join(","))
            });
            Err(Diagnostic::new(Code::L007, "the model came with another mesh")
                .at(place, "the plan's mesh")
                .note(format!("the model's mesh is {}", axes.collect::<Vec<_>>().join(" and ")))
                .help("leave the mesh out of the plan, or write the model's"))
        }
    }
}

/// What every value gets that the plan lays out.
fn find_layouts(program: &Program, plan: &Plan, grid: &Grid<'_>, errors: &mut Vec<Diagnostic>) -> Vec<Found> {
    let entries = Entries::of(program);
    let shards = find_shards(program, plan, &entries, grid, errors);
    let mut found = Vec::new();
    if !plan.rules.is_empty() || !plan.names.is_empty() || !plan.no_padding.is_empty() || shards.len() > 1 {
        let classes = Classes::of(program);
        let names = Names::of(plan, program, &classes, errors);
        let context = Context { program, grid, entries: &entries, classes: &classes, names: &names };
        errors.extend(context.contradictions(&shards));
        found = context.follow_rules(plan, &shards, errors);
        context.check_padding(plan, &shards, &found, errors);
    }
    for (value, shard) in &shards {
        if !shard.layout.pending.is_empty() && program.main().inputs.contains(value) {
            let title = format!(
                "`{}` is whole where it enters the program: no sum over it is pending",
                program.path_of(*value)
            );
            errors.push(
                Diagnostic::new(Code::L013, title)
                    .at(shard.written.span(), "asks for a pending sum")
                    .help("say it of a value inside of the program, `%name`, or leave `sum(...)` out"),
            );
        }
    }
    found.extend(shards.into_iter().map(|(value, shard)| {
        let split = shard.layout.dims.iter().enumerate().filter(|(_, d)| !d.axes.is_empty());
        let note = || Note { text: shard.written.text.trim().to_owned(), span: Some(shard.written.span()) };
        Found { value, notes: split.map(|(dim, _)| (dim, note())).collect(), layout: shard.layout }
    }));
    found
}

/// The layouts by path: for each value the most specific one, the later among equals.
fn find_shards<'p>(
    program: &Program,
    plan: &'p Plan,
    entries: &Entries<'_>,
    grid: &Grid<'_>,
    errors: &mut Vec<Diagnostic>,
) -> IndexMap<ValueId, Shard<'p>> {
    let mut may_contradict = Vec::new();
    for path in &plan.allow_reshard {
        match entries.find(path) {
            Ok(values) => may_contradict.extend(values),
            Err(error) => errors.push(error),
        }
    }
    let mut chosen: IndexMap<ValueId, ((bool, usize), usize)> = IndexMap::new();
    let mut texts = Vec::with_capacity(plan.shards.len());
    for (i, entry) in plan.shards.iter().enumerate() {
        let read = entries.find(&entry.path).and_then(|values| Ok((values, text::layout(&entry.text)?)));
        let (values, text) = read.unwrap_or_else(|error| {
            errors.push(error);
            Default::default()
        });
        let specificity = Pattern::new(&entry.path.text).specificity();
        for value in values {
            let best = chosen.entry(value).or_insert((specificity, i));
            *best = (*best).max((specificity, i));
        }
        texts.push(text);
    }
    let mut shards = IndexMap::new();
    for (value, (_, i)) in chosen {
        let (path, written) = (entries.path(value), &plan.shards[i].text);
        let target = Target { path: &path, ty: program.ty(value) };
        match resolve(&texts[i], written, &target, grid) {
            Err(wrong) => errors.extend(wrong.into_iter().filter(|e| !errors.contains(e)).collect::<Vec<_>>()),
            Ok(layout) => {
                let shard = Shard { layout, written, may_contradict: may_contradict.contains(&value) };
                let own = program.values[value].layout.as_ref();
                match own.filter(|own| !shard.may_contradict && !own.same_place(&shard.layout)) {
                    Some(own) => errors.push(conflict::with_model(&target, &shard, own, grid)),
                    None => drop(shards.insert(value, shard)),
                }
            }
        }
    }
    shards
}
