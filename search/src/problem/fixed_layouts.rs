//! Layouts that a search keeps to, whatever they cost.

use partita_ir::arena::{Id, ValueId};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::layout::Layout;
use partita_ir::mesh::AxisRef;
use partita_ir::plan::{Entry, Plan};
use partita_ir::program::Program;
use partita_passes::driver::variant::Variant;
use partita_passes::driver::{Findings, Input};
use partita_passes::pipelines::{self, Milestone};
use partita_passes::planning::find::Entries;
use rustc_hash::FxHashSet;

/// Layouts of a step on one mesh that are fixed.
#[derive(Default)]
pub struct FixedLayouts {
    /// Layouts of values, by the plan and the annotations of the model.
    pub(crate) layouts: Vec<(ValueId, Layout)>,
    /// Layouts in which values are stored that are used otherwise.
    pub(crate) stores: Vec<(ValueId, Layout)>,
    /// Values that an axis splits along whichever dimension, each with the number of its entry.
    pub(crate) split_along: Vec<(ValueId, AxisRef, usize)>,
    values: FxHashSet<ValueId>,
}

impl FixedLayouts {
    /// Layouts that a plan fixes in a traced program, with the annotations that the program came with. `split_along`
    /// are paths, each with an axis that splits the matched values.
    ///
    /// # Errors
    /// What is wrong with the plan, `L001` for an axis that the mesh does not have, `L006` for a path that matches
    /// nothing.
    pub fn of(program: &Program, plan: &Plan, split_along: &[Entry]) -> Result<FixedLayouts, Vec<Diagnostic>> {
        let plan = plan.clone().on_one_mesh();
        let says =
            !plan.shards.is_empty() || !plan.stores.is_empty() || !plan.rules.is_empty() || !plan.presets.is_empty();
        if !says && split_along.is_empty() && program.meshes.is_empty() {
            return Ok(FixedLayouts::default());
        }
        let mut said = program.clone();
        let (input, mut findings) = (Input::with_plan(plan), Findings::default());
        pipelines::pipeline(Milestone::Step, Milestone::Annotated, Variant::default())?.run(
            &mut said,
            &input,
            &mut findings,
            &mut |_| Ok(()),
        )?;
        // What is kept otherwise than it is used is copied first: how it is kept is not how it is used.
        let copies = said.ops.ids().skip(program.ops.len());
        let mut kept: FxHashSet<ValueId> = copies.flat_map(|op| said.ops[op].args.clone()).collect();
        // Within a loop, if that hands it on.
        for op in said.laid_out_funcs().iter().flat_map(|&func| said.funcs[func].ops()).map(|&op| &said.ops[op]) {
            let inner = op.kind.func().map(|body| &said.funcs[body].inputs);
            let given = inner.into_iter().flatten().zip(&op.args).filter(|(inner, _)| kept.contains(inner));
            let given: Vec<ValueId> = given.map(|(_, &arg)| arg).collect();
            kept.extend(given);
        }
        let layout = |value: ValueId| Some((value, said.values[value].layout.as_deref()?.clone()));
        let (stores, layouts): (Vec<ValueId>, Vec<ValueId>) =
            program.values.ids().partition(|value| kept.contains(value));
        let [stores, layouts] =
            [stores, layouts].map(|values| values.into_iter().filter_map(layout).collect::<Vec<_>>());
        let split_along = find_split(&said, split_along)?;
        let values = layouts.iter().map(|(value, _)| *value).collect();
        Ok(FixedLayouts { layouts, stores, split_along, values })
    }

    /// Returns whether the layout of a value is fixed.
    pub(crate) fn has(&self, value: ValueId) -> bool {
        self.values.contains(&value)
    }

    /// Returns whether the layout in which a value is stored is fixed, or its layout everywhere.
    pub(crate) fn decides_store(&self, value: ValueId) -> bool {
        self.has(value) || self.stores.iter().any(|(known, _)| *known == value)
    }
}

/// Values that axes split.
fn find_split(program: &Program, split_along: &[Entry]) -> Result<Vec<(ValueId, AxisRef, usize)>, Vec<Diagnostic>> {
    let Some((_, mesh)) = program.mesh() else { return Ok(Vec::new()) };
    let entries = Entries::of(program);
    let (mut all, mut errors) = (Vec::new(), Vec::new());
    for (number, entry) in split_along.iter().enumerate() {
        let name = entry.text.text.trim();
        let Some(axis) = mesh.axis_ids().find(|axis| mesh.axes[axis.index()].name == name) else {
            let title = format!("`{name}` is no axis of the mesh");
            let axes: Vec<String> = mesh.axes.iter().map(|axis| format!("`{}`", axis.name)).collect();
            errors.push(
                Diagnostic::new(Code::L001, title)
                    .at(entry.text.span(), "is to split it")
                    .note(format!("its axes are {}", axes.join(", "))),
            );
            continue;
        };
        match entries.find(&entry.path) {
            Ok(values) => all.extend(values.into_iter().map(|value| (value, AxisRef::whole(mesh, axis), number))),
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() { Ok(all) } else { Err(errors) }
}
