//! What presets want of values, put together.

use super::Asked;
use crate::driver::provenance::Note;
use crate::planning::apply_plan::layout::Grid;
use crate::planning::find::Entries;
use crate::planning::name_dims::{ClassId, Classes};
use indexmap::IndexMap;
use indexmap::map::Entry::{Occupied, Vacant};
use partita_ir::arena::ValueId;
use partita_ir::diag::Span;
use partita_ir::layout::Layout;
use partita_ir::mesh::{Axes, AxisRef};
use partita_ir::plan::{Entry, Plan, Written, layout_text};
use rustc_hash::FxHashMap;

/// A layout that presets want.
#[derive(Clone, Debug)]
pub struct Wish {
    /// The layout.
    pub layout: Layout,
    /// Which presets had a part in it, by position among those that were asked for.
    pub by: Vec<usize>,
}

/// All that presets want: how values are used, and how they are kept.
#[derive(Default, Debug)]
pub struct Expansion {
    /// How values are used.
    pub shards: IndexMap<ValueId, Wish>,
    /// How they are kept where they are not used.
    pub stores: IndexMap<ValueId, Wish>,
    /// Those of them whose copy is held.
    pub held: Vec<ValueId>,
    /// How many bytes of gradients are reduced together.
    pub bucket: Option<&'static str>,
    /// The presets that were asked for: name, and where.
    asked: Vec<(&'static str, Span)>,
}

impl Expansion {
    /// Nothing yet, of those presets.
    pub(super) fn of(asked: &[Asked]) -> Expansion {
        let asked = asked.iter().map(|a| (a.preset.name, a.at.clone())).collect();
        Expansion { asked, ..Expansion::default() }
    }

    /// Who wants that, and where it was asked for.
    pub fn note(&self, wish: &Wish) -> Note {
        let asked = wish.by.iter().filter_map(|&i| self.asked.get(i));
        let names: Vec<&str> = asked.clone().map(|a| a.0).collect();
        Note { text: format!("preset {}", names.join("+")), span: asked.map(|a| a.1.clone()).next_back() }
    }

    /// The plan with what its presets want written out: it says the same without them.
    pub fn to_plan(
        &self,
        plan: &Plan,
        grid: &Grid<'_>,
        entries: &Entries<'_>,
        classes: &Classes,
        own: &IndexMap<ValueId, Layout>,
    ) -> Plan {
        let mut plan = Plan { presets: Vec::new(), ..plan.clone() };
        // The first layout of each class: what differs from it must be allowed to.
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
        for (&value, wish) in &self.shards {
            let entry = self.entry(value, wish, grid, entries);
            if !agrees(value, &wish.layout) {
                plan.allow_reshard.push(entry.path.clone());
            }
            plan.shards.push(entry);
        }
        let hold = |v: &ValueId| Written::here(entries.path(*v));
        plan.bucket = plan.bucket.or_else(|| self.bucket.map(Written::here));
        plan.hold.extend(self.held.iter().map(hold));
        plan.stores.extend(self.stores.iter().map(|(&value, wish)| self.entry(value, wish, grid, entries)));
        plan
    }

    fn entry(&self, value: ValueId, wish: &Wish, grid: &Grid<'_>, entries: &Entries<'_>) -> Entry {
        let span = wish.by.last().and_then(|&i| self.asked.get(i)).map(|a| a.1.clone());
        let written = |text: String| match &span {
            Some(span) => Written::at(span.clone(), text),
            None => Written::here(text),
        };
        Entry { path: written(entries.path(value)), text: written(layout_text(&wish.layout, grid.mesh)) }
    }

    /// Splits a dimension of a value, which lies as `base` says if nobody wanted anything yet. Nothing changes if the
    /// value uses the axis already.
    pub fn split(&mut self, value: ValueId, dim: usize, axis: AxisRef, base: Layout, by: usize) {
        let wish = self.shards.entry(value).or_insert_with(|| Wish { layout: base, by: Vec::new() });
        add(wish, dim, axis, by);
    }

    /// Wants a layout of a value. If somebody wanted one before, only what it says of dimensions that are open there
    /// counts.
    pub fn lay(&mut self, value: ValueId, layout: Layout, by: usize) {
        match self.shards.entry(value) {
            Vacant(slot) => drop(slot.insert(Wish { layout, by: vec![by] })),
            Occupied(mut slot) => merge(slot.get_mut(), layout, by),
        }
    }

    /// Wants a value to be kept that way.
    pub fn keep(&mut self, value: ValueId, layout: Layout, by: usize) {
        match self.stores.entry(value) {
            Vacant(slot) => drop(slot.insert(Wish { layout, by: vec![by] })),
            Occupied(mut slot) => merge(slot.get_mut(), layout, by),
        }
    }

    /// Drops what is wanted of values that lie as the user wants.
    pub fn leave_alone(&mut self, own: &IndexMap<ValueId, Layout>) {
        self.shards.retain(|value, _| !own.contains_key(value));
    }
}

fn add(wish: &mut Wish, dim: usize, axis: AxisRef, by: usize) {
    if !wish.layout.used_axes().any(|a| a.overlaps(axis)) {
        wish.layout.dims[dim].axes.push(axis);
        if !wish.by.contains(&by) {
            wish.by.push(by);
        }
    }
}

/// Adds what a layout says to dimensions that were left open or whole.
fn merge(wish: &mut Wish, layout: Layout, by: usize) {
    for (dim, at) in layout.dims.iter().enumerate() {
        for &axis in &at.axes {
            add(wish, dim, axis, by);
        }
        wish.layout.dims[dim].open &= at.open;
    }
    for sum in layout.pending {
        if !wish.layout.used_axes().any(|a| a.overlaps(sum.0)) {
            wish.layout.pending.push(sum);
        }
    }
}
