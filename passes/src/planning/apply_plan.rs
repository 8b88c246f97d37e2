//! `apply-plan` (traced -> traced): puts what the plan says on the program, as a mesh and layouts of values.
//!
//! Axes and paths are resolved here, once, where their places are known. In this order: the mesh (a model whose layouts
//! name axes must have the same); layouts by path, of which the most specific one counts, then the later; rules, for
//! every parameter and input that has a dimension of the rule's class and no layout of its own by path (or, where a
//! class touches none of them, for every value with such a dimension). What was written is strict: layouts that
//! contradict each other or those that the model came with are errors, unless the plan allows them to be resharded.
//! Layouts that the model came with are annotations like any other. Dimensions that rules do not mention stay open.
//! Presets come last ([`super::presets`]): they lay out what nobody laid out. A value that is kept in another layout
//! than it is used in gets a copy for the forward part of the program and one for the backward part (`kept`). What
//! replaces a parameter lies as it does. Nothing else changes.
//!
//! Before, with `--mesh data=2,model=4 --shard "up.weight=_, model"`:
//!
//! ```text
//! param %w1 "up.weight" : f32[64, 512]
//! ```
//!
//! After:
//!
//! ```text
//! mesh @mesh = [data=2, model=4]
//! param %w1 "up.weight" : f32[64, 512@model]
//! ```

mod conflict;
mod kept;
pub(super) mod layout;
mod padding;
mod rules;

use super::find::Entries;
use super::name_dims::{Classes, Names};
use super::presets::{self, Expansion};
use crate::driver::provenance::{Note, Provenance, Spot};
use crate::driver::{Findings, Info, Input, Pass};
use conflict::Context;
use indexmap::IndexMap;
use kept::Kept;
use layout::{Grid, Target, resolve};
use partita_ir::arena::{MeshId, ValueId};
use partita_ir::diag::{Code, Diagnostic, Span};
use partita_ir::layout::Layout;
use partita_ir::mesh::Mesh;
use partita_ir::plan::text::LayoutText;
use partita_ir::plan::{Entry, Plan, Written, text};
use partita_ir::program::{Form, Program};
use rustc_hash::FxHashSet;

/// The pass.
pub struct ApplyPlan;

impl Pass for ApplyPlan {
    fn info(&self) -> Info {
        Info { name: "apply-plan", needs: Form::Traced, gives: Form::Traced, reads: &[] }
    }

    fn run(&self, program: &mut Program, input: &Input, findings: &mut Findings) -> Result<(), Vec<Diagnostic>> {
        let declared = declare_mesh(program, &input.plan).map_err(|error| vec![error])?;
        input.plan.mapped().map_err(|error| vec![error])?;
        let Some((id, place)) = declared else { return Ok(()) };
        let grid = Grid { mesh: &program.meshes[id], id, place };
        ResolvedPlan::of(program, &input.plan, &grid)?.put(program, findings);
        Ok(())
    }
}

/// A plan as it applies to one program: its paths, rules and presets are layouts of values.
struct ResolvedPlan {
    /// Sorted by value.
    layouts: Vec<Found>,
    kept: Vec<Kept>,
    /// The plan with its presets written out, if it names any.
    expanded: Option<Plan>,
    /// Values whose partial sums presets ask for.
    optional_sums: FxHashSet<ValueId>,
}

impl ResolvedPlan {
    /// Resolves a plan on a program that has its mesh.
    ///
    /// # Errors
    /// Everything that is wrong with the plan, on this program.
    fn of(program: &Program, plan: &Plan, grid: &Grid<'_>) -> Result<ResolvedPlan, Vec<Diagnostic>> {
        let mut errors = Vec::new();
        let mut resolved = resolve_all(program, plan, grid, &mut errors);
        resolved.layouts.sort_by_key(|layout| layout.value);
        if errors.is_empty() { Ok(resolved) } else { Err(errors) }
    }

    /// Lays the values of the program out.
    fn put(self, program: &mut Program, findings: &mut Findings) {
        if self.expanded.is_some() {
            findings.resolved = self.expanded;
        }
        findings.ask_for_sums(self.optional_sums);
        for layout in self.layouts {
            layout.put(program, &mut findings.provenance);
        }
        if !self.kept.is_empty() {
            kept::put(program, self.kept, &mut findings.provenance);
        }
        replace_alike(program);
    }
}

/// Gives what replaces a parameter the layout of that.
pub fn replace_alike(program: &mut Program) {
    let replaced: Vec<_> = program.outputs().iter().filter_map(|o| Some((o.value, o.alias?))).collect();
    for (value, param) in replaced {
        if program.values[value].layout.is_none() {
            program.values[value].layout = program.values[program.params[param].value].layout.clone();
        }
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
#[derive(Clone)]
struct Found {
    value: ValueId,
    layout: Layout,
    /// What put axes on its dimensions.
    notes: Vec<(usize, Note)>,
}

impl Found {
    /// What the plan says itself.
    fn written(value: ValueId, shard: Shard<'_>) -> Found {
        let split = shard.layout.dims.iter().enumerate().filter(|(_, d)| !d.axes.is_empty());
        let note = || Note { text: shard.written.text.trim().to_owned(), span: Some(shard.written.span()) };
        Found { value, notes: split.map(|(dim, _)| (dim, note())).collect(), layout: shard.layout }
    }

    /// What presets want.
    fn wished(value: ValueId, wish: &presets::Wish, expansion: &Expansion) -> Found {
        let split = wish.layout.dims.iter().enumerate().filter(|(_, d)| !d.axes.is_empty());
        let note = expansion.note(wish);
        Found { value, notes: split.map(|(dim, _)| (dim, note.clone())).collect(), layout: wish.layout.clone() }
    }

    fn put(self, program: &mut Program, provenance: &mut Provenance) {
        for (dim, note) in self.notes {
            let note = provenance.note(note);
            provenance.wrote(Spot { value: self.value, dim: dim as u32 }, note);
        }
        program.values[self.value].layout = Some(self.layout.into());
    }
}

/// Gives the program the plan's mesh; its id, and where the plan declares it. `None` when neither has one and the plan
/// needs none.
fn declare_mesh(program: &mut Program, plan: &Plan) -> Result<Option<(MeshId, Option<Span>)>, Diagnostic> {
    let own = program.mesh().map(|(id, _)| id);
    let Some(declared) = &plan.mesh else {
        let laid_out = plan.shards.iter().chain(&plan.stores).map(|e| &e.text);
        let first = laid_out.chain(&plan.rules).chain(&plan.presets).next();
        return match (own, first) {
            (Some(id), _) => Ok(Some((id, None))),
            (None, None) => Ok(None),
            (None, Some(written)) => Err(Diagnostic::new(Code::L007, "there is no mesh to partition over")
                .at(written.span(), "needs axes of a mesh")
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
        Some(id) if program.needed_mesh().is_none() => {
            program.meshes[id] = mesh;
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

/// Collects the layouts of all values that the plan or its presets lay out, and everything that is wrong with them.
fn resolve_all(program: &Program, plan: &Plan, grid: &Grid<'_>, errors: &mut Vec<Diagnostic>) -> ResolvedPlan {
    let entries = Entries::of(program);
    let shards = find_shards(program, plan, &plan.shards, &entries, grid, errors);
    let stores = find_shards(program, plan, &plan.stores, &entries, grid, errors);
    let mut held = Vec::new();
    for path in &plan.hold {
        match entries.find(path) {
            Ok(values) => held.extend(values),
            Err(error) => errors.push(error),
        }
    }
    let mut found = Vec::new();
    let mut expansion = Expansion::default();
    let mut expanded = None;
    let has_names = !plan.rules.is_empty() || !plan.names.is_empty() || !plan.no_padding.is_empty();
    if has_names || shards.len() > 1 || !plan.presets.is_empty() {
        let classes = Classes::of(program);
        let names = Names::of(plan, program, &classes, errors);
        let context = Context { program, grid, entries: &entries, classes: &classes, names: &names };
        errors.extend(context.contradictions(&shards));
        found = context.follow_rules(plan, &shards, errors);
        if !plan.presets.is_empty() && errors.is_empty() {
            let own = own_layouts(program, &shards, &found);
            expansion = presets::expand(program, plan, &classes, grid, &own, errors);
            expanded = Some(expansion.to_plan(plan, grid, &entries, &classes, &own));
            found.extend(expansion.shards.iter().map(|(&value, wish)| Found::wished(value, wish, &expansion)));
        }
        context.check_padding(plan, &shards, &found, errors);
    }
    for (value, shard) in &shards {
        if !shard.layout.pending.is_empty() && program.inputs().contains(value) {
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
    found.extend(shards.into_iter().map(|(value, shard)| Found::written(value, shard)));
    let mut stores: Vec<Found> = stores.into_iter().map(|(value, shard)| Found::written(value, shard)).collect();
    let wished = expansion.stores.iter().filter(|(value, _)| stores.iter().all(|s| s.value != **value));
    let wished: Vec<Found> = wished.map(|(&value, wish)| Found::wished(value, wish, &expansion)).collect();
    stores.extend(wished);
    held.extend(expansion.held.iter().copied());
    let kept = kept::find(program, stores, &held, &mut found);
    let sums = expansion.shards.iter().filter(|(_, wish)| !wish.layout.pending.is_empty()).map(|(&value, _)| value);
    ResolvedPlan { layouts: found, kept, expanded, optional_sums: sums.collect() }
}

/// What the plan and the model lay out themselves.
fn own_layouts(program: &Program, shards: &IndexMap<ValueId, Shard<'_>>, found: &[Found]) -> IndexMap<ValueId, Layout> {
    let mut own: IndexMap<ValueId, Layout> = IndexMap::new();
    let came = program.values.iter().filter_map(|(value, v)| Some((value, v.layout.as_deref()?)));
    own.extend(came.map(|(value, layout)| (value, layout.clone())));
    own.extend(found.iter().map(|f| (f.value, f.layout.clone())));
    own.extend(shards.iter().map(|(&value, shard)| (value, shard.layout.clone())));
    own
}

/// The layouts by path: for each value the most specific one, the later among equals.
fn find_shards<'p>(
    program: &Program,
    plan: &'p Plan,
    written: &'p [Entry],
    entries: &Entries<'_>,
    grid: &Grid<'_>,
    errors: &mut Vec<Diagnostic>,
) -> IndexMap<ValueId, Shard<'p>> {
    let mut may_contradict: FxHashSet<ValueId> = FxHashSet::default();
    for path in &plan.allow_reshard {
        match entries.find(path) {
            Ok(values) => may_contradict.extend(values),
            Err(error) => errors.push(error),
        }
    }
    let chosen = entries.deciding(written, errors);
    let texts: Vec<Option<LayoutText>> =
        written.iter().map(|entry| text::layout(&entry.text).map_err(|error| errors.push(error)).ok()).collect();
    let mut shards = IndexMap::new();
    for (value, i) in chosen {
        let Some(layout) = &texts[i] else { continue };
        let (path, written) = (entries.path(value), &written[i].text);
        let target = Target { path: &path, ty: program.ty(value) };
        match resolve(layout, written, &target, grid) {
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
