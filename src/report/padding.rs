//! Dimensions that their axes do not divide, and the cost of padding.

use super::PaddedRow;
use super::gather::value_name;
use indexmap::IndexMap;
use partita_ir::arena::ValueId;
use partita_ir::layout::{divides, local_size};
use partita_ir::mesh::{Axes, shard_count};
use partita_ir::program::Program;
use partita_ir::syntax::attr::axis_names;

/// Returns one row for each size of a dimension and the axes that shard it unevenly, in the order of programs and
/// values. The programs have layouts for every value.
pub(super) fn padded<'p>(programs: impl Iterator<Item = &'p Program>) -> Vec<PaddedRow> {
    let mut rows: IndexMap<(usize, Axes), PaddedRow> = IndexMap::new();
    for program in programs {
        let mesh = program.mesh().map(|(_, mesh)| mesh);
        for value in values(program) {
            let v = &program.values[value];
            let Some(layout) = &v.layout else { continue };
            for (dim, (axes, &size)) in layout.dim_axes().zip(v.ty.shape.iter()).enumerate() {
                if divides(size, axes) {
                    continue;
                }
                let row = rows.entry((size, axes.clone())).or_insert_with(|| {
                    let path = program.param_of(value).map(|p| program.params[p].path.clone());
                    PaddedRow {
                        size,
                        axes: axis_names(axes, mesh),
                        shard_count: shard_count(axes),
                        shard_size: local_size(size, axes),
                        dims: 0,
                        first: format!("{} dim {dim}", path.unwrap_or_else(|| value_name(program, value))),
                    }
                });
                row.dims += 1;
            }
        }
    }
    rows.into_values().collect()
}

/// Values with layouts, inputs of the main function first.
fn values(program: &Program) -> impl Iterator<Item = ValueId> + '_ {
    let inner = program.funcs_with_layouts().into_iter().flat_map(|f| program.funcs[f].ops().iter());
    program.inputs().iter().copied().chain(inner.flat_map(|&op| program.ops[op].outs.iter().copied()))
}
