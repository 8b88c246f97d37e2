//! Layouts that a search keeps to, whatever they cost.

use super::intra_op::LayoutSpace;
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

/// Layouts that are decided, on one mesh.
#[derive(Default)]
pub struct FixedLayouts {
    /// Where values lie, by what the plan and the model say.
    lies: Vec<(ValueId, Layout)>,
    /// How values are kept that are used otherwise.
    stores: Vec<(ValueId, Layout)>,
    /// Values that an axis splits along whichever dimension, each with the number of the entry that says so.
    along: Vec<(ValueId, AxisRef, usize)>,
    values: FxHashSet<ValueId>,
}

impl FixedLayouts {
    /// What a plan decides of a traced program, with the annotations that the program came with. `along` are paths,
    /// each with an axis that splits what it matches.
    ///
    /// # Errors
    /// What is wrong with the plan, `L001` for an axis that the mesh does not have, `L006` for a path that matches
    /// nothing.
    pub fn of(program: &Program, plan: &Plan, along: &[Entry]) -> Result<FixedLayouts, Vec<Diagnostic>> {
        let plan = plan.clone().on_one_mesh();
        let says =
            !plan.shards.is_empty() || !plan.stores.is_empty() || !plan.rules.is_empty() || !plan.presets.is_empty();
        if !says && along.is_empty() && program.meshes.is_empty() {
            return Ok(FixedLayouts::default());
        }
        let mut said = program.clone();
        let (input, mut findings) = (Input::with_plan(plan), Findings::default());
        pipelines::pipeline(Milestone::Step, Milestone::Annotated, Variant::default()).map_err(|e| vec![e])?.run(
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
        let (stores, lies): (Vec<ValueId>, Vec<ValueId>) = program.values.ids().partition(|value| kept.contains(value));
        let [stores, lies] = [stores, lies].map(|values| values.into_iter().filter_map(layout).collect::<Vec<_>>());
        let along = split_along(&said, along)?;
        let values = lies.iter().map(|(value, _)| *value).collect();
        Ok(FixedLayouts { lies, stores, along, values })
    }

    /// Whether the plan says of a value how it lies.
    pub(super) fn has(&self, value: ValueId) -> bool {
        self.values.contains(&value)
    }

    /// Whether the plan says of a value how it is kept, or how it lies wherever it is.
    pub(super) fn decides_store(&self, value: ValueId) -> bool {
        self.has(value) || self.stores.iter().any(|(known, _)| *known == value)
    }
}

/// The values that axes are to split.
fn split_along(program: &Program, along: &[Entry]) -> Result<Vec<(ValueId, AxisRef, usize)>, Vec<Diagnostic>> {
    let Some((_, mesh)) = program.mesh() else { return Ok(Vec::new()) };
    let entries = Entries::of(program);
    let (mut all, mut errors) = (Vec::new(), Vec::new());
    for (number, entry) in along.iter().enumerate() {
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

impl LayoutSpace<'_> {
    /// Leaves those that keep to what is decided. A layout that no op can give or take by itself is left to the plan,
    /// which reshards; of entries that name an axis those are returned that nothing can keep to.
    pub fn restrict_to(&mut self, fixed: &FixedLayouts) -> Vec<usize> {
        for (value, wanted) in &fixed.lies {
            self.restrict(*value, |layout| {
                wanted.dims.iter().zip(&layout.dims).all(|(wanted, dim)| match wanted.open {
                    true => dim.axes.starts_with(&wanted.axes),
                    false => dim.axes == wanted.axes,
                })
            });
        }
        for (value, wanted) in &fixed.stores {
            self.restrict_storage(*value, wanted);
        }
        let mut broken = Vec::new();
        for (value, axis, number) in &fixed.along {
            if !self.restrict(*value, |layout| layout.split_axes().any(|by| by == *axis)) && !broken.contains(number) {
                broken.push(*number);
            }
        }
        broken
    }
}
