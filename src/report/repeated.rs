//! Contractions that the devices of a mesh axis repeat, and the annotations that shard them.

use super::RepeatedRow;
use super::gather::location_text;
use crate::compile_results::CompileResults;
use partita_ir::arena::{Id, ValueId};
use partita_ir::layout::Layout;
use partita_ir::plan::layout_text;
use partita_ir::plan::path::Pattern;
use partita_passes::driver::RepeatedProduct;
use partita_passes::planning::path_index::PathIndex;

/// Returns one row for each contraction that devices repeat.
pub(super) fn repeated(results: &CompileResults) -> Vec<RepeatedRow> {
    results.findings.repeated_products.iter().map(|product| row(results, product)).collect()
}

/// Returns the FLOPs that one device repeats: of the stage that repeats most, if there are several.
pub(super) fn repeated_flops(rows: &[RepeatedRow], stage: usize) -> u64 {
    let rows = rows.iter().filter(|row| row.stage.is_none_or(|of| of == stage));
    rows.map(|row| row.flops.saturating_mul(row.count)).fold(0, u64::saturating_add)
}

fn row(results: &CompileResults, product: &RepeatedProduct) -> RepeatedRow {
    // A layout that the user or the model states is not proposed again, nor one of a value that passes added after
    // layouts were assigned.
    let is_proposed = |value| is_addressable(results, value) && !has_stated_layout(results, value);
    let proposed = product.remedies.iter().find(|(value, _)| is_proposed(*value));
    RepeatedRow {
        op: format!("{} %{}", product.kind, product.result),
        axes: product.axes.clone(),
        flops: product.flops,
        count: product.count,
        annotation: proposed.map(|(value, layout)| annotation(results, *value, layout)),
        origin: location_text(results, &product.origin),
        stage: product.stage,
    }
}

/// Returns true if a plan can state the layout of a value.
fn is_addressable(results: &CompileResults, value: ValueId) -> bool {
    let planned = results.planned();
    value.index() < planned.values.len() && PathIndex::new(planned).is_addressable(value)
}

/// Returns true if the plan or the model states the layout of a value.
fn has_stated_layout(results: &CompileResults, value: ValueId) -> bool {
    let path = name(results, value);
    let in_model = results.model.values.get(value).and_then(|v| v.layout.as_ref());
    let in_plan = results.input.plan.shards.iter().any(|entry| Pattern::new(&entry.path.text).matches(&path));
    in_plan || in_model.is_some_and(|layout| layout.dims.iter().any(|dim| !dim.open))
}

/// Formats an annotation: `head.weight=_, model`.
fn annotation(results: &CompileResults, value: ValueId, layout: &Layout) -> String {
    let planned = results.planned();
    let mesh = planned.mesh().map(|(_, mesh)| mesh);
    let text = mesh.map_or_else(String::new, |mesh| layout_text(layout, mesh));
    format!("{}={text}", name(results, value))
}

/// Returns the name of a value in a plan: the path of a parameter, or `%h`.
fn name(results: &CompileResults, value: ValueId) -> String {
    let planned = results.planned();
    match planned.param_of(value) {
        Some(param) => planned.params[param].path.clone(),
        None => format!("%{}", planned.values[value].name),
    }
}
