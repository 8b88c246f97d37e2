//! Layouts of a step that the plan and the model's annotations fix before a search.

use partita_ir::arena::{Id, ValueId};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::layout::Layout;
use partita_ir::mesh::AxisRef;
use partita_ir::plan::{Plan, PlanEntry, stated_layouts};
use partita_ir::program::Program;
use partita_passes::driver::variant::Variant;
use partita_passes::driver::{Findings, Input};
use partita_passes::pipelines::{self, Milestone};
use partita_passes::planning::path_index::PathIndex;
use rustc_hash::FxHashSet;

/// Layouts of a step on one mesh that a search must not change.
#[derive(Default)]
pub struct FixedLayouts {
    /// Layouts of values, from the plan and the annotations of the model.
    pub(crate) layouts: Vec<(ValueId, Layout)>,
    /// Storage layouts of values that differ from the layout in use.
    pub(crate) stores: Vec<(ValueId, Layout)>,
    /// Values that a mesh axis must shard along any dimension. Each has the index of its entry in the `split_along`
    /// argument of [`FixedLayouts::from_plan`].
    pub(crate) split_along: Vec<(ValueId, AxisRef, usize)>,
    /// Values in `layouts`.
    values: FxHashSet<ValueId>,
}

impl FixedLayouts {
    /// Determines the layouts that a plan and the program's annotations fix in a traced program. Each entry of
    /// `split_along` has a path and the name of an axis that must shard the matched values.
    ///
    /// # Errors
    /// Returns errors in the plan, `L001` for an axis that the mesh does not have, and `L006` for a path without
    /// matches.
    pub fn from_plan(
        program: &Program,
        plan: &Plan,
        split_along: &[PlanEntry],
    ) -> Result<FixedLayouts, Vec<Diagnostic>> {
        let plan = plan.clone().without_pipeline();
        let has_layouts =
            !plan.shards.is_empty() || !plan.stores.is_empty() || !plan.rules.is_empty() || !plan.presets.is_empty();
        let has_layouts = has_layouts || !stated_layouts(program).is_empty();
        if !has_layouts && split_along.is_empty() && program.meshes.is_empty() {
            return Ok(FixedLayouts::default());
        }
        let mut annotated = program.clone();
        let (input, mut findings) = (Input::with_plan(plan), Findings::default());
        pipelines::pipeline(Milestone::Step, Milestone::Annotated, Variant::default())?.run(
            &mut annotated,
            &input,
            &mut findings,
            &mut |_| Ok(()),
        )?;
        // A value with a separate storage layout is copied first, so that its fixed layout applies to storage only.
        let copies = annotated.ops.ids().skip(program.ops.len());
        let mut stored: FxHashSet<ValueId> = copies.flat_map(|op| annotated.ops[op].args.clone()).collect();
        // A value passed through a loop is stored as well if its counterpart in the body is.
        for op in annotated
            .funcs_with_layouts()
            .iter()
            .flat_map(|&func| annotated.funcs[func].ops())
            .map(|&op| &annotated.ops[op])
        {
            let inner = op.kind.func().map(|body| &annotated.funcs[body].inputs);
            let passed = inner.into_iter().flatten().zip(&op.args).filter(|(inner, _)| stored.contains(inner));
            let passed: Vec<ValueId> = passed.map(|(_, &arg)| arg).collect();
            stored.extend(passed);
        }
        let layout = |value: ValueId| Some((value, annotated.values[value].layout.as_deref()?.clone()));
        let (stores, layouts): (Vec<ValueId>, Vec<ValueId>) =
            program.values.ids().partition(|value| stored.contains(value));
        let [stores, layouts] =
            [stores, layouts].map(|values| values.into_iter().filter_map(layout).collect::<Vec<_>>());
        let split_along = find_split(&annotated, split_along)?;
        let values = layouts.iter().map(|(value, _)| *value).collect();
        Ok(FixedLayouts { layouts, stores, split_along, values })
    }

    /// Returns true if the layout of a value is fixed.
    pub(crate) fn fixes_layout(&self, value: ValueId) -> bool {
        self.values.contains(&value)
    }

    /// Returns true if the storage layout of a value is fixed, or its only layout.
    pub(crate) fn fixes_storage(&self, value: ValueId) -> bool {
        self.fixes_layout(value) || self.stores.iter().any(|(known, _)| *known == value)
    }
}

/// Resolves the entries of `split_along` to values, each with its axis and the index of its entry. Returns `L001` for
/// an axis that the mesh does not have, and `L006` for a path without matches.
fn find_split(program: &Program, split_along: &[PlanEntry]) -> Result<Vec<(ValueId, AxisRef, usize)>, Vec<Diagnostic>> {
    let Some((_, mesh)) = program.mesh() else { return Ok(Vec::new()) };
    let entries = PathIndex::new(program);
    let (mut all, mut errors) = (Vec::new(), Vec::new());
    for (number, entry) in split_along.iter().enumerate() {
        let name = entry.text.text.trim();
        let Some(axis) = mesh.axis_ids().find(|axis| mesh.axes[axis.index()].name == name) else {
            let title = format!("the mesh has no axis `{name}`");
            let axes: Vec<String> = mesh.axes.iter().map(|axis| format!("`{}`", axis.name)).collect();
            errors.push(
                Diagnostic::new(Code::L001, title)
                    .label(entry.text.span(), "sharding axis")
                    .note(format!("the axes of the mesh are {}", axes.join(", "))),
            );
            continue;
        };
        match entries.find(&entry.path) {
            Ok(values) => all.extend(values.into_iter().map(|value| (value, AxisRef::full(mesh, axis), number))),
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() { Ok(all) } else { Err(errors) }
}
