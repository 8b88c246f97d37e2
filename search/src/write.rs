//! Conversion of chosen layouts to a plan with few entries, from which propagation derives the rest.
//!
//! The first entries are the sharded parameters, optimizer state and inputs. Propagation then computes the remaining
//! layouts. Each value whose layout differs although the layouts of its operands are correct gets an entry, until no
//! differences remain. Weights with a separate storage layout have entries for both layouts.

mod config;
mod shorten;

pub(crate) use config::{config_plan, unequal_plan};
pub(crate) use shorten::shortened;

use crate::intra_op::ChosenLayouts;
use crate::limits::SearchLimits;
use crate::problem::FixedLayouts;
use partita_ir::arena::ValueId;
use partita_ir::diag::{Diagnostic, Source, Span};
use partita_ir::dtype::Type;
use partita_ir::layout::Layout;
use partita_ir::mesh::{Axes, DeviceMesh};
use partita_ir::op::OpKind;
use partita_ir::plan::path::{Pattern, prefixes_with_numbers};
use partita_ir::plan::{Plan, PlanEntry, SourceText, layout_text};
use partita_ir::program::{ParamKind, Program};
use partita_passes::driver::provenance::Provenance;
use partita_passes::driver::variant::Variant;
use partita_passes::driver::{Findings, Input};
use partita_passes::import::updates::updates;
use partita_passes::pipelines::{self, Milestone};
use partita_passes::planning::apply_plan::assign_update_layouts;
use partita_passes::planning::name_dims::{ClassId, DimClasses};
use partita_passes::planning::path_index::PathIndex;
use partita_passes::planning::propagate::Propagation;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Level of detail of a plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Detail {
    /// Entries for parameters, optimizer state and inputs. All other layouts are left to propagation.
    Inputs,
    /// Additional entries for op results.
    Values,
    /// Additional entries that shard gradients where they are computed.
    Gradients,
}

impl Detail {
    /// All levels, in descending order of agreement with the chosen layouts.
    pub const ALL: [Detail; 3] = [Detail::Values, Detail::Gradients, Detail::Inputs];
}

/// Extends `template`, which contains the mesh and the user's decisions, by the chosen layouts.
///
/// # Errors
/// Returns errors in the template.
pub fn plan(
    template: &Plan,
    program: &Program,
    mesh: &DeviceMesh,
    found: &ChosenLayouts,
    fixed: &FixedLayouts,
    detail: Detail,
) -> Result<Plan, Vec<Diagnostic>> {
    let writer = PlanWriter::new(program, mesh, found, fixed);
    let template = &writer.with_stores(template, program, found);
    let is_stored = |value: &ValueId| writer.stores.contains_key(value);
    let gradients = found.gradients.iter().filter(|_| detail == Detail::Gradients);
    let values = found.values.iter().filter(|_| detail != Detail::Inputs);
    // The new value of a parameter has the layout of the parameter.
    let replaces: FxHashSet<ValueId> = updates(program).into_iter().map(|(_, new)| new).collect();
    let may_have_entry = |value: &ValueId| {
        !fixed.fixes_layout(*value) && !replaces.contains(value) && writer.entries.is_addressable(*value)
    };
    let used = found.inputs.iter().chain(values).chain(gradients).filter(|(value, _)| may_have_entry(value));
    // For a value with a separate storage layout, the copies have the layout in use.
    let wanted_layout = |value: &ValueId, layout| writer.stores.get(value).copied().unwrap_or(layout);
    let wanted: FxHashMap<ValueId, &Layout> =
        used.map(|(value, layout)| (*value, wanted_layout(value, layout))).collect();
    let inputs = found.inputs.iter().filter(|(value, _)| may_have_entry(value));
    let inputs = inputs.filter(|(value, layout)| layout.split_axes().next().is_some() || is_stored(value));
    // Optimizer state has the layout of its parameter unless another one is chosen.
    let inputs = inputs.filter(|(value, _)| !is_state(program, *value));
    let copies = found.values.iter().filter(|(value, _)| is_stored(value));
    let mut listed: Vec<(ValueId, &Layout)> = inputs.chain(copies).map(|(value, layout)| (*value, layout)).collect();
    let agrees = |program: &Program, value: ValueId| {
        let (Some(want), Some(have)) = (wanted.get(&value), program.values[value].layout.as_ref()) else { return true };
        want.dims.iter().zip(&have.dims).all(|(want, have)| want.axes == have.axes)
    };
    let mut known: FxHashSet<ValueId> = listed.iter().map(|(value, _)| *value).collect();
    for _ in 0..SearchLimits::TUNED.max_plan_applications {
        let plan = writer.plan(template, &listed, &wanted);
        let draft = AnnotatedDraft::new(program, &plan)?;
        let before = listed.len();
        for _ in 0..SearchLimits::TUNED.max_plan_rounds {
            let laid_out = draft.laid_out(&listed[before..]);
            let more = mismatched(&laid_out, &wanted, |value| agrees(&laid_out, value));
            let more: Vec<ValueId> = more.into_iter().filter(|&value| known.insert(value)).collect();
            listed.extend(more.iter().map(|&value| (value, wanted[&value])));
            if more.is_empty() {
                break;
            }
        }
        if listed.len() == before {
            return Ok(plan);
        }
    }
    Ok(writer.plan(template, &listed, &wanted))
}

/// A program annotated by a plan, to which further layouts can be added before propagation.
struct AnnotatedDraft {
    program: Program,
    propagation: Propagation,
}

impl AnnotatedDraft {
    fn new(program: &Program, plan: &Plan) -> Result<AnnotatedDraft, Vec<Diagnostic>> {
        let mut program = program.clone();
        let (input, mut findings) =
            (Input { plan: plan.clone(), is_draft: true, ..Input::default() }, Findings::default());
        pipelines::pipeline(Milestone::Step, Milestone::Annotated, Variant::default())?.run(
            &mut program,
            &input,
            &mut findings,
            &mut |_| Ok(()),
        )?;
        Ok(AnnotatedDraft { propagation: Propagation::new(&program), program })
    }

    /// Returns the program after propagation, with additional fixed layouts.
    fn laid_out(&self, more: &[(ValueId, &Layout)]) -> Program {
        let mut program = self.program.clone();
        for (value, layout) in more {
            let layout = Layout { partial: SmallVec::new(), ..(*layout).clone() };
            program.values[*value].layout = Some(layout.into());
        }
        assign_update_layouts(&mut program);
        if let Some((mesh, _)) = program.mesh() {
            self.propagation.run(&mut program, mesh, &mut Provenance::default());
        }
        program
    }
}

/// Returns the first values of each kind whose layout differs from the wanted one.
fn mismatched(
    program: &Program,
    wanted: &FxHashMap<ValueId, &Layout>,
    agrees: impl Fn(ValueId) -> bool,
) -> Vec<ValueId> {
    let inputs = program.inputs().iter().copied().filter(|&v| !agrees(v));
    let (states, others): (Vec<ValueId>, Vec<ValueId>) = inputs.partition(|&value| is_state(program, value));
    // The layouts of parameters determine those of their state.
    if let Some(inputs) = [others, states].into_iter().find(|inputs| !inputs.is_empty()) {
        return inputs;
    }
    // After the first layer with a difference, all later layers differ as well. Values with the same signature get
    // entries together.
    let mut mismatches: Vec<(ValueId, ValueSignature<'_>)> = Vec::new();
    let mut first: FxHashSet<ValueSignature<'_>> = FxHashSet::default();
    let mut carried: Vec<ValueId> = Vec::new();
    // Values that adopt the layout required by their readers.
    let mut follows: FxHashSet<ValueId> = FxHashSet::default();
    for func in program.funcs_with_layouts() {
        for op in program.funcs[func].ops().iter().map(|&op| &program.ops[op]) {
            let mut entry_agrees = true;
            if let Some(body) = op.kind.func() {
                // A loop-carried value has one layout in all iterations, so its layout at the loop entry is decisive.
                let before = carried.len();
                carried.extend(program.funcs[body].inputs.iter().filter(|input| !agrees(**input)));
                entry_agrees = carried.len() == before;
            }
            match FollowsReaders::from_kind(&op.kind) {
                FollowsReaders::Always => {
                    follows.extend(&op.outs);
                    continue;
                }
                FollowsReaders::AsOperands if op.args.iter().all(|arg| follows.contains(arg)) => {
                    follows.extend(&op.outs)
                }
                FollowsReaders::AsOperands | FollowsReaders::Never => {}
            }
            for &out in op.outs.iter().filter(|out| !agrees(**out)) {
                let layouts = op.args.iter().chain([&out]).map(|value| wanted.get(value).copied()).collect();
                let same = (op.kind.name(), program.ty(out), layouts);
                if entry_agrees && op.args.iter().all(|arg| agrees(*arg) || follows.contains(arg)) {
                    first.insert(same.clone());
                }
                mismatches.push((out, same));
            }
        }
    }
    let mismatches = mismatches.into_iter().filter(|(_, same)| first.contains(same)).map(|(value, _)| value);
    carried.into_iter().chain(mismatches).collect()
}

/// Returns true if a value is optimizer state.
fn is_state(program: &Program, value: ValueId) -> bool {
    program.param_of(value).is_some_and(|param| program.params[param].kind == ParamKind::State)
}

/// Condition under which results adopt the layouts required by their readers.
enum FollowsReaders {
    Always,
    /// If all operands do.
    AsOperands,
    Never,
}

impl FollowsReaders {
    /// Recogniser: a result that is not recognised gets a plan entry if its layout differs from the wanted one.
    fn from_kind(kind: &OpKind) -> FollowsReaders {
        match kind {
            OpKind::Constant(_) | OpKind::Iota(_) | OpKind::Broadcast(_) => FollowsReaders::Always,
            OpKind::Convert(_) => FollowsReaders::AsOperands,
            _ => FollowsReaders::Never,
        }
    }
}

/// Signature shared by the results of identical layers: op, type, and wanted layouts of operands and result.
type ValueSignature<'a> = (&'static str, &'a Type, SmallVec<[Option<&'a Layout>; 4]>);

/// Context for writing plan entries.
struct PlanWriter<'a> {
    mesh: &'a DeviceMesh,
    classes: DimClasses,
    entries: PathIndex<'a>,
    /// Storage layouts of values that differ from the layout in use.
    stores: FxHashMap<ValueId, &'a Layout>,
    globs: Globs,
}

impl<'a> PlanWriter<'a> {
    fn new(
        program: &'a Program,
        mesh: &'a DeviceMesh,
        found: &'a ChosenLayouts,
        fixed: &FixedLayouts,
    ) -> PlanWriter<'a> {
        let entries = PathIndex::new(program);
        let known: FxHashMap<ValueId, &Layout> = found.inputs.iter().map(|(value, layout)| (*value, layout)).collect();
        let layout_of = |value: &ValueId| known.get(value).map(|layout| text(layout, mesh));
        let all = program.inputs().iter().map(|value| (entries.path(*value), layout_of(value)));
        let globs = globs(&all.collect::<Vec<_>>());
        let stores = found.stores.iter().filter(|(value, _)| !fixed.fixes_storage(*value));
        let stores = stores.map(|(value, layout)| (*value, layout)).collect();
        PlanWriter { mesh, classes: DimClasses::new(program), entries, stores, globs }
    }

    /// Returns the plan with the storage layouts that differ from the layout in use.
    fn with_stores(&self, template: &Plan, program: &Program, found: &ChosenLayouts) -> Plan {
        let storage = |value: &ValueId| self.stores.get(value).map(|layout| text(layout, self.mesh));
        let all = program.inputs().iter().map(|value| (self.entries.path(*value), storage(value)));
        let globs = globs(&all.collect::<Vec<_>>());
        let mut plan = template.clone();
        let mut known: FxHashSet<String> = FxHashSet::default();
        for (value, _) in &found.stores {
            let Some(text) = storage(value) else { continue };
            let path = path_or_glob(self.entries.path(*value), &text, &globs);
            if known.insert(path.clone()) {
                plan.stores.push(PlanEntry { path: SourceText::at_caller(path), text: SourceText::at_caller(text) });
            }
        }
        plan
    }

    /// Returns the plan with entries for the listed values. `wanted` contains the layouts of all values.
    fn plan(&self, template: &Plan, listed: &[(ValueId, &Layout)], wanted: &FxHashMap<ValueId, &Layout>) -> Plan {
        let mut value_globs = Globs::default();
        // The first layout of each dimension class. Values that differ from it must be allowed to reshard.
        let mut first: FxHashMap<ClassId, Axes> = FxHashMap::default();
        let mut plan = template.clone();
        let mut known: FxHashSet<String> = FxHashSet::default();
        let mut shards: Vec<PlanEntry> = Vec::new();
        let mut allowed: FxHashSet<String> = plan.allow_reshard.iter().map(|known| known.text.clone()).collect();
        for (value, layout) in listed {
            let agrees = layout.dims.iter().enumerate().fold(true, |agrees, (dim, at)| {
                let known = first.entry(self.classes.class(*value, dim)).or_insert_with(|| at.axes.clone());
                agrees && *known == at.axes
            });
            let path = self.entries.path(*value);
            let text = text(layout, self.mesh);
            let path = path_or_glob(path, &text, &self.globs);
            let path = self.value_or_glob(path, &text, wanted, &mut value_globs);
            if !agrees && allowed.insert(path.clone()) {
                plan.allow_reshard.push(generated(path.clone()));
            }
            if known.insert(path.clone()) {
                shards.push(PlanEntry { path: generated(path), text: generated(text) });
            }
        }
        // A new entry replaces an existing entry for the same path.
        plan.shards.retain(|entry| !known.contains(&entry.path.text));
        plan.shards.extend(shards);
        plan
    }

    /// Returns the path of an op result, or the glob of all values with the same text. Other paths are returned
    /// unchanged. `globs` contains the globs of previous calls.
    fn value_or_glob(
        &self,
        path: String,
        text_of_value: &str,
        wanted: &FxHashMap<ValueId, &Layout>,
        globs: &mut Globs,
    ) -> String {
        let Some(name) = path.strip_prefix('%') else { return path };
        let mut all = glob(name).into_iter().chain(layer_globs(name)).map(|glob| format!("%{glob}"));
        let is_shared = |glob: &String| {
            let shared = globs.entry(glob.clone()).or_insert_with(|| {
                let values = self.entries.find(&generated(glob.clone())).unwrap_or_default();
                let has_text =
                    |value: &ValueId| wanted.get(value).is_some_and(|of| text(of, self.mesh) == text_of_value);
                values.iter().all(has_text).then(|| text_of_value.to_owned())
            });
            shared.as_deref() == Some(text_of_value)
        };
        all.find(is_shared).unwrap_or(path)
    }
}

/// Returns a generated text whose source location is the text itself.
fn generated(text: String) -> SourceText {
    let place = Span::new(&Source::new("generated plan", &text), 0..text.len());
    SourceText::new(place, text)
}

fn text(layout: &Layout, mesh: &DeviceMesh) -> String {
    layout_text(&Layout { partial: Default::default(), ..layout.clone() }, mesh)
}

/// Returns, for each path with `*` in place of numbers, the text shared by all matching paths. `None` if they have
/// different texts or only some have one.
fn globs(all: &[(String, Option<String>)]) -> Globs {
    let mut globs = Globs::default();
    for (path, text) in all {
        let Some(glob) = glob(path) else { continue };
        globs.entry(glob).or_insert_with_key(|glob| {
            let pattern = Pattern::new(glob);
            text.clone().filter(|_| all.iter().all(|(other, other_text)| other_text == text || !pattern.matches(other)))
        });
    }
    globs
}

/// Text shared by all paths that match a path with `*` in place of numbers.
type Globs = FxHashMap<String, Option<String>>;

/// Returns the path of a value, or the glob of all values with the same text.
fn path_or_glob(path: String, text: &str, globs: &Globs) -> String {
    glob(&path).filter(|glob| globs.get(glob).is_some_and(|all| all.as_deref() == Some(text))).unwrap_or(path)
}

/// Returns the name of a value with `*` in place of one of the numbers before its last segment, one of which may be
/// that of its layer.
fn layer_globs(name: &str) -> Vec<String> {
    let prefixes = prefixes_with_numbers(name).filter(|prefix| prefix.len() < name.len());
    let glob = |prefix: &str| Some(format!("{}.*{}", prefix.rsplit_once('.')?.0, &name[prefix.len()..]));
    prefixes.filter_map(glob).collect()
}

/// Returns a path with `*` in place of numbers. `None` for an input by position, and for a path without numbers.
fn glob(path: &str) -> Option<String> {
    let is_number = |part: &str| part.parse::<u32>().is_ok();
    let parts: Vec<&str> = path.split('.').map(|part| if is_number(part) { "*" } else { part }).collect();
    let has_name = !path.starts_with('%') && !path.starts_with("input.");
    Some(parts.join(".")).filter(|glob| has_name && glob != path)
}
