//! Layouts requested by presets, merged per value.

use super::RequestedPreset;
use crate::driver::provenance::Note;
use crate::planning::apply_plan::layout::PlanMesh;
use crate::planning::name_dims::{ClassId, DimClasses};
use crate::planning::path_index::PathIndex;
use indexmap::IndexMap;
use indexmap::map::Entry::{Occupied, Vacant};
use partita_ir::arena::ValueId;
use partita_ir::diag::Span;
use partita_ir::layout::Layout;
use partita_ir::mesh::{Axes, AxisRef};
use partita_ir::ops::ContextMethod;
use partita_ir::plan::{Plan, PlanEntry, SourceText, layout_text};
use rustc_hash::FxHashMap;

/// A layout requested by presets.
#[derive(Clone, Debug)]
pub struct PresetLayout {
    /// The layout.
    pub layout: Layout,
    /// Presets that contributed to the layout, by index among the requested ones.
    pub presets: Vec<usize>,
}

/// Result of expanding presets: use layouts and storage layouts of values.
#[derive(Default, Debug)]
pub struct Expansion {
    /// Use layouts.
    pub shards: IndexMap<ValueId, PresetLayout>,
    /// Storage layouts, if they differ from the use layouts.
    pub stores: IndexMap<ValueId, PresetLayout>,
    /// Stored values whose copy in the use layout is held until its last use.
    pub held: Vec<ValueId>,
    /// Exchange of keys and values by attention.
    pub attention: Option<ContextMethod>,
    /// Size of a gradient bucket.
    pub bucket: Option<String>,
    /// Requested presets: name and location.
    requested: Vec<(&'static str, Span)>,
}

impl Expansion {
    /// Returns an empty expansion of the requested presets.
    pub(super) fn new(requested: &[RequestedPreset]) -> Expansion {
        let requested = requested.iter().map(|a| (a.preset.name, a.at.clone())).collect();
        Expansion { requested, ..Expansion::default() }
    }

    /// Returns the presets that requested a layout, with their location.
    pub fn note(&self, layout_request: &PresetLayout) -> Note {
        let requested = layout_request.presets.iter().filter_map(|&i| self.requested.get(i));
        let names: Vec<&str> = requested.clone().map(|a| a.0).collect();
        Note { text: format!("preset {}", names.join("+")), span: requested.map(|a| a.1.clone()).next_back() }
    }

    /// Returns an equivalent plan in which the presets are replaced by explicit layouts.
    pub fn to_plan(
        &self,
        plan: &Plan,
        grid: &PlanMesh<'_>,
        entries: &PathIndex<'_>,
        classes: &DimClasses,
        own: &IndexMap<ValueId, Layout>,
    ) -> Plan {
        let mut plan = Plan { presets: Vec::new(), ..plan.clone() };
        // The first layout of each class. A layout that differs from it must be allowed to be resharded.
        let mut first: FxHashMap<ClassId, Axes> = FxHashMap::default();
        let mut agrees = |value: ValueId, layout: &Layout| {
            let split = layout.dims.iter().enumerate().filter(|(_, d)| !d.axes.is_empty());
            split.fold(true, |agrees, (dim, at)| {
                let known = first.entry(classes.class(value, dim)).or_insert_with(|| at.axes.clone());
                agrees && known.iter().zip(&at.axes).all(|(a, b)| a == b)
            })
        };
        for (&value, layout) in own {
            agrees(value, layout);
        }
        for (&value, layout_request) in &self.shards {
            let entry = self.entry(value, layout_request, grid, entries);
            if !agrees(value, &layout_request.layout) {
                plan.allow_reshard.push(entry.path.clone());
            }
            plan.shards.push(entry);
        }
        let hold = |v: &ValueId| SourceText::at_caller(entries.path(*v));
        if let Some(method) = self.attention {
            let entry = PlanEntry { path: SourceText::at_caller("**"), text: SourceText::at_caller(method.name()) };
            plan.attention.insert(0, entry);
        }
        plan.bucket = plan.bucket.or_else(|| self.bucket.as_ref().map(SourceText::at_caller));
        plan.hold.extend(self.held.iter().map(hold));
        plan.stores.extend(
            self.stores.iter().map(|(&value, layout_request)| self.entry(value, layout_request, grid, entries)),
        );
        plan
    }

    fn entry(
        &self,
        value: ValueId,
        layout_request: &PresetLayout,
        grid: &PlanMesh<'_>,
        entries: &PathIndex<'_>,
    ) -> PlanEntry {
        let span = layout_request.presets.last().and_then(|&i| self.requested.get(i)).map(|a| a.1.clone());
        let written = |text: String| match &span {
            Some(span) => SourceText::new(span.clone(), text),
            None => SourceText::at_caller(text),
        };
        PlanEntry { path: written(entries.path(value)), text: written(layout_text(&layout_request.layout, grid.mesh)) }
    }

    /// Shards a dimension of a value. `base` is its layout if no preset requested one before. Nothing changes if the
    /// value already uses the axis.
    pub fn shard(&mut self, value: ValueId, dim: usize, axis: AxisRef, base: Layout, by: usize) {
        let layout_request =
            self.shards.entry(value).or_insert_with(|| PresetLayout { layout: base, presets: Vec::new() });
        add_axis(layout_request, dim, axis, by);
    }

    /// Requests a use layout of a value. If one was requested before, only its open dimensions change.
    pub fn request_layout(&mut self, value: ValueId, layout: Layout, by: usize) {
        match self.shards.entry(value) {
            Vacant(slot) => drop(slot.insert(PresetLayout { layout, presets: vec![by] })),
            Occupied(mut slot) => merge(slot.get_mut(), layout, by),
        }
    }

    /// Requests a storage layout of a value.
    pub fn request_storage(&mut self, value: ValueId, layout: Layout, by: usize) {
        match self.stores.entry(value) {
            Vacant(slot) => drop(slot.insert(PresetLayout { layout, presets: vec![by] })),
            Occupied(mut slot) => merge(slot.get_mut(), layout, by),
        }
    }

    /// Removes use layouts of values with an explicit layout.
    pub fn remove_explicit(&mut self, own: &IndexMap<ValueId, Layout>) {
        self.shards.retain(|value, _| !own.contains_key(value));
    }
}

fn add_axis(layout_request: &mut PresetLayout, dim: usize, axis: AxisRef, by: usize) {
    if !layout_request.layout.used_axes().any(|a| a.overlaps(axis)) {
        layout_request.layout.dims[dim].axes.push(axis);
        if !layout_request.presets.contains(&by) {
            layout_request.presets.push(by);
        }
    }
}

/// Merges a layout into the open or replicated dimensions of a request.
fn merge(layout_request: &mut PresetLayout, layout: Layout, by: usize) {
    for (dim, at) in layout.dims.iter().enumerate() {
        for &axis in &at.axes {
            add_axis(layout_request, dim, axis, by);
        }
        layout_request.layout.dims[dim].open &= at.open;
    }
    for sum in layout.partial {
        if !layout_request.layout.used_axes().any(|a| a.overlaps(sum.0)) {
            layout_request.layout.partial.push(sum);
        }
    }
}
