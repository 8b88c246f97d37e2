//! `apply-plan` (traced -> traced): applies a plan to a program, as a mesh and layouts of values.
//!
//! Axes and paths of the plan are resolved, with source locations for diagnostics, in this order:
//! - the mesh, which must equal the mesh of a model whose layouts name axes;
//! - layouts and names that a model without a mesh states on its constraints;
//! - layouts by path, where the most specific one takes precedence, then the later one;
//! - rules, which apply to every parameter and input that has a dimension of the rule's class and no layout by path. If
//!   a class contains no parameter or input, they apply to every value with such a dimension.
//!
//! Explicit annotations are strict: layouts that contradict each other or the model's own layouts are errors, unless
//! the plan allows a reshard. The model's own layouts are annotations like any other. Dimensions without rule stay
//! open. Presets come last ([`super::presets`]) and affect only values without layout. A value with a storage layout
//! other than its use layout gets one copy for the forward pass and one for the backward pass (`storage`). The new
//! value of a parameter has the parameter's layout. Nothing else changes.
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

mod attention;
mod conflict;
pub(super) mod layout;
mod padding;
mod rules;
mod stated;
mod storage;

use super::name_dims::{DimClasses, DimNames};
use super::path_index::PathIndex;
use super::presets::{self, Expansion};
use crate::driver::provenance::{Note, Provenance, ValueDim};
use crate::driver::{Findings, Input, Pass, PassInfo};
use conflict::PlanContext;
use indexmap::IndexMap;
use layout::{PlanMesh, TargetValue, resolve};
use partita_ir::arena::{MeshId, OpId, ValueId};
use partita_ir::diag::{Code, Diagnostic, Span};
use partita_ir::layout::Layout;
use partita_ir::mesh::DeviceMesh;
use partita_ir::ops::ContextMethod;
use partita_ir::plan::text::LayoutText;
use partita_ir::plan::{Plan, PlanEntry, SourceText, stated_names, text};
use partita_ir::program::{Form, Program};
use rustc_hash::FxHashSet;
use storage::StoredValue;

/// The pass `apply-plan`; see the module documentation.
pub struct ApplyPlan;

impl Pass for ApplyPlan {
    fn info(&self) -> PassInfo {
        PassInfo { name: "apply-plan", input_form: Form::Traced, output_form: Form::Traced, reads: &[] }
    }

    fn run(&self, program: &mut Program, input: &Input, findings: &mut Findings) -> Result<(), Vec<Diagnostic>> {
        let declared = declare_mesh(program, &input.plan).map_err(|error| vec![error])?;
        input.plan.mesh_axis_order().map_err(|error| vec![error])?;
        let Some((id, place)) = declared else { return Ok(()) };
        let mesh = program.meshes[id].clone();
        let grid = PlanMesh { mesh: &mesh, id, place };
        stated::assign_layouts(program, &grid, &mut findings.provenance)?;
        let resolved = ResolvedPlan::new(program, &input.plan, &grid, &findings.provenance)?;
        resolved.assign(program, findings);
        stated::remove_texts(program);
        Ok(())
    }
}

/// A plan resolved for one program: its paths, rules and presets as layouts of values.
struct ResolvedPlan {
    /// Layouts, sorted by value.
    layouts: Vec<AssignedLayout>,
    stored: Vec<StoredValue>,
    /// The plan with its presets replaced by their layouts, if it contains any.
    expanded_plan: Option<Plan>,
    /// Values that presets leave partial where possible.
    optional_sums: FxHashSet<ValueId>,
    /// Exchange of keys and values of attentions.
    attention: Vec<(OpId, ContextMethod)>,
}

impl ResolvedPlan {
    /// Resolves a plan for a program that has its mesh.
    ///
    /// # Errors
    /// All errors of the plan for this program.
    fn new(
        program: &Program,
        plan: &Plan,
        grid: &PlanMesh<'_>,
        provenance: &Provenance,
    ) -> Result<ResolvedPlan, Vec<Diagnostic>> {
        let mut errors = Vec::new();
        let mut resolved = resolve_all(program, plan, grid, provenance, &mut errors);
        resolved.layouts.sort_by_key(|layout| layout.value);
        if errors.is_empty() { Ok(resolved) } else { Err(errors) }
    }

    /// Assigns the layouts to the values of the program.
    fn assign(self, program: &mut Program, findings: &mut Findings) {
        if self.expanded_plan.is_some() {
            findings.resolved = self.expanded_plan;
        }
        let optional = self.optional_sums;
        attention::assign(program, &self.attention);
        for layout in self.layouts {
            layout.assign(program, &mut findings.provenance);
        }
        if !self.stored.is_empty() {
            let copies = storage::insert_copies(program, self.stored, &mut findings.provenance);
            let copies = copies.into_iter().filter(|(value, _)| optional.contains(value));
            findings.add_optional_sums(copies.map(|(_, copy)| copy));
        }
        findings.add_optional_sums(optional);
        assign_update_layouts(program);
    }
}

/// Assigns the layout of each replaced input to its new value.
pub fn assign_update_layouts(program: &mut Program) {
    let replaced: Vec<_> = program.outputs().iter().filter_map(|o| Some((o.value, o.replaces?))).collect();
    for (value, input) in replaced {
        if program.values[value].layout.is_none() {
            program.values[value].layout = program.values[input].layout.clone();
        }
    }
}

/// A layout by path.
struct PathLayout<'p> {
    layout: Layout,
    written: &'p SourceText,
    /// True if the plan allows a reshard where the layout conflicts with others.
    allows_reshard: bool,
}

/// A layout to assign to a value.
#[derive(Clone)]
struct AssignedLayout {
    value: ValueId,
    layout: Layout,
    /// Provenance of the axes of each dimension.
    notes: Vec<(usize, Note)>,
}

impl AssignedLayout {
    /// Returns an explicit layout of the plan.
    fn explicit(value: ValueId, shard: PathLayout<'_>) -> AssignedLayout {
        let split = shard.layout.dims.iter().enumerate().filter(|(_, d)| !d.axes.is_empty());
        let note = || Note { text: shard.written.text.trim().to_owned(), span: Some(shard.written.span()) };
        AssignedLayout { value, notes: split.map(|(dim, _)| (dim, note())).collect(), layout: shard.layout }
    }

    /// Returns a layout of a preset.
    fn from_preset(value: ValueId, requested: &presets::PresetLayout, expansion: &Expansion) -> AssignedLayout {
        let split = requested.layout.dims.iter().enumerate().filter(|(_, d)| !d.axes.is_empty());
        let note = expansion.note(requested);
        AssignedLayout {
            value,
            notes: split.map(|(dim, _)| (dim, note.clone())).collect(),
            layout: requested.layout.clone(),
        }
    }

    fn assign(self, program: &mut Program, provenance: &mut Provenance) {
        for (dim, note) in self.notes {
            let note = provenance.add_note(note);
            provenance.record_annotation(ValueDim { value: self.value, dim: dim as u32 }, note);
        }
        program.values[self.value].layout = Some(self.layout.into());
    }
}

/// Adds the plan's mesh to the program. Returns its id, and the location of its declaration in the plan. `None` if no
/// mesh exists and the plan needs none.
fn declare_mesh(program: &mut Program, plan: &Plan) -> Result<Option<(MeshId, Option<Span>)>, Diagnostic> {
    let own = program.mesh().map(|(id, _)| id);
    let Some(declared) = &plan.mesh else {
        let laid_out = plan.shards.iter().chain(&plan.stores).map(|e| &e.text);
        let first = laid_out.chain(&plan.rules).chain(&plan.presets).next();
        return match (own, first) {
            (Some(id), _) => Ok(Some((id, None))),
            (None, None) => Ok(None),
            (None, Some(written)) => Err(Diagnostic::new(Code::L007, "there is no mesh to partition over")
                .label(written.span(), "needs axes of a mesh")
                .help("declare one: `--mesh data=2,model=4`")),
        };
    };
    let place = declared.place.span();
    let axes = declared.axes.iter().map(|a| (a.name.clone(), a.size));
    let mut mesh = DeviceMesh::new("mesh", axes);
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
            Err(Diagnostic::new(Code::L007, "the plan's mesh differs from the mesh of the model")
                .label(place, "the plan's mesh")
                .note(format!("the model's mesh is {}", axes.collect::<Vec<_>>().join(" and ")))
                .help("remove the mesh from the plan, or declare the mesh of the model")
                .help("ignore the mesh and the layouts of a model file: `'FILE?shardings=none'`"))
        }
    }
}

/// Resolves the layouts of all values that the plan or its presets mention. Appends all errors to `errors`.
fn resolve_all(
    program: &Program,
    plan: &Plan,
    grid: &PlanMesh<'_>,
    provenance: &Provenance,
    errors: &mut Vec<Diagnostic>,
) -> ResolvedPlan {
    let entries = PathIndex::new(program);
    let shards = layouts_by_path(program, plan, &plan.shards, &entries, grid, provenance, errors);
    let stores = layouts_by_path(program, plan, &plan.stores, &entries, grid, provenance, errors);
    let mut held = Vec::new();
    for path in &plan.hold {
        match entries.find(path) {
            Ok(values) => held.extend(values),
            Err(error) => errors.push(error),
        }
    }
    let mut found = Vec::new();
    let mut expansion = Expansion::default();
    let mut expanded_plan = None;
    let has_names = !plan.rules.is_empty() || !plan.names.is_empty() || !plan.no_padding.is_empty();
    let has_names = has_names || !stated_names(program).is_empty();
    if has_names || shards.len() > 1 || !plan.presets.is_empty() {
        let classes = DimClasses::new(program);
        let names = DimNames::new(plan, program, &classes, errors);
        let context = PlanContext { program, grid, entries: &entries, classes: &classes, names: &names };
        errors.extend(context.contradictions(&shards));
        found = context.follow_rules(plan, &shards, errors);
        if !plan.presets.is_empty() && errors.is_empty() {
            let own = explicit_layouts(program, &shards, &found);
            expansion = presets::expand(program, plan, &classes, grid, &own, errors);
            expanded_plan = Some(expansion.to_plan(plan, grid, &entries, &classes, &own));
            found.extend(
                expansion
                    .shards
                    .iter()
                    .map(|(&value, requested)| AssignedLayout::from_preset(value, requested, &expansion)),
            );
        }
        context.check_padding(plan, &shards, &found, errors);
    }
    for (value, shard) in &shards {
        if !shard.layout.partial.is_empty() && program.inputs().contains(value) {
            let title = format!("`{}` is an input of the program and cannot be partial", program.path_of(*value));
            errors.push(
                Diagnostic::new(Code::L013, title)
                    .label(shard.written.span(), "requires a partial sum")
                    .help("write `sum(...)` for an intermediate value, `%name`, or remove it"),
            );
        }
    }
    found.extend(shards.into_iter().map(|(value, shard)| AssignedLayout::explicit(value, shard)));
    let mut stores: Vec<AssignedLayout> =
        stores.into_iter().map(|(value, shard)| AssignedLayout::explicit(value, shard)).collect();
    let from_presets = expansion.stores.iter().filter(|(value, _)| stores.iter().all(|s| s.value != **value));
    let from_presets: Vec<AssignedLayout> =
        from_presets.map(|(&value, requested)| AssignedLayout::from_preset(value, requested, &expansion)).collect();
    stores.extend(from_presets);
    held.extend(expansion.held.iter().copied());
    let stored = storage::pair_layouts(program, stores, &held, &mut found);
    let sums =
        expansion.shards.iter().filter(|(_, requested)| !requested.layout.partial.is_empty()).map(|(&value, _)| value);
    let attention = attention::methods(program, &expanded_plan.as_ref().unwrap_or(plan).attention, errors);
    ResolvedPlan { layouts: found, stored, expanded_plan, optional_sums: sums.collect(), attention }
}

/// Returns the layouts of the plan and of the model, without presets.
fn explicit_layouts(
    program: &Program,
    shards: &IndexMap<ValueId, PathLayout<'_>>,
    found: &[AssignedLayout],
) -> IndexMap<ValueId, Layout> {
    let mut own: IndexMap<ValueId, Layout> = IndexMap::new();
    let came = program.values.iter().filter_map(|(value, v)| Some((value, v.layout.as_deref()?)));
    own.extend(came.map(|(value, layout)| (value, layout.clone())));
    own.extend(found.iter().map(|f| (f.value, f.layout.clone())));
    own.extend(shards.iter().map(|(&value, shard)| (value, shard.layout.clone())));
    own
}

/// Returns the layouts by path: for each value the most specific one, then the later one.
fn layouts_by_path<'p>(
    program: &Program,
    plan: &'p Plan,
    written: &'p [PlanEntry],
    entries: &PathIndex<'_>,
    grid: &PlanMesh<'_>,
    provenance: &Provenance,
    errors: &mut Vec<Diagnostic>,
) -> IndexMap<ValueId, PathLayout<'p>> {
    let mut allows_reshard: FxHashSet<ValueId> = FxHashSet::default();
    for path in &plan.allow_reshard {
        match entries.find(path) {
            Ok(values) => allows_reshard.extend(values),
            Err(error) => errors.push(error),
        }
    }
    let chosen = entries.most_specific(written, errors);
    let texts: Vec<Option<LayoutText>> =
        written.iter().map(|entry| text::parse_layout(&entry.text).map_err(|error| errors.push(error)).ok()).collect();
    let mut shards = IndexMap::new();
    for (value, i) in chosen {
        let Some(layout) = &texts[i] else { continue };
        let (path, written) = (entries.path(value), &written[i].text);
        let target = TargetValue { path: &path, ty: program.ty(value) };
        match resolve(layout, written, &target, grid) {
            Err(wrong) => errors.extend(wrong.into_iter().filter(|e| !errors.contains(e)).collect::<Vec<_>>()),
            Ok(layout) => {
                let shard = PathLayout { layout, written, allows_reshard: allows_reshard.contains(&value) };
                let own = program.values[value].layout.as_ref();
                match own.filter(|own| !shard.allows_reshard && !own.has_same_sharding(&shard.layout)) {
                    Some(own) => {
                        let at = (0..own.dims.len()).map(|dim| ValueDim { value, dim: dim as u32 });
                        let stated = at.into_iter().find_map(|at| provenance.note_at(at)?.span.clone());
                        errors.push(conflict::contradicts_model(&target, &shard, own, stated, grid));
                    }
                    None => drop(shards.insert(value, shard)),
                }
            }
        }
    }
    shards
}
