//! Generator of random meshes, layouts and layout constraints.

use super::pool::{Generator, Tape};
use partita_ir::arena::{MeshId, ValueId};
use partita_ir::dtype::Shape;
use partita_ir::layout::Layout;
use partita_ir::mesh::{Axes, AxisRef, DeviceMesh};
use partita_ir::ops::Constrain;
use partita_ir::program::Program;

/// Returns a mesh of one to three axes and at most twelve devices.
pub fn draw_mesh(tape: &mut Tape<'_>) -> DeviceMesh {
    const SIZES: [&[u32]; 14] =
        [&[2], &[4], &[3], &[2, 2], &[2, 3], &[8], &[2, 4], &[4, 2], &[5], &[2, 2, 2], &[7], &[1, 4], &[3, 2, 2], &[6]];
    let sizes = SIZES[tape.below(SIZES.len())];
    DeviceMesh::new("m", ["a", "b", "c"].into_iter().zip(sizes.iter().copied()))
}

/// Returns a layout for a value of the given shape, or `None` if the program has no mesh. Dimensions are sharded over
/// axes or sub-axes; some dimensions are open or have a lower priority, and some axes are explicitly replicated.
pub fn draw_layout(tape: &mut Tape<'_>, program: &Program, shape: &Shape) -> Option<Layout> {
    let (id, mesh): (MeshId, &DeviceMesh) = program.mesh()?;
    let mut layout = Layout::replicated(id, shape.rank());
    for dim in &mut layout.dims {
        dim.open = tape.below(3) > 0;
        if tape.one_in(8) {
            dim.priority = 1;
        }
    }
    let mut axes: Vec<Axes> = vec![Axes::new(); shape.rank()];
    for at in tape.permutation(mesh.axes.len()) {
        let whole = AxisRef::full(mesh, mesh.axis_ids().nth(at)?);
        let parts = if whole.size.is_multiple_of(2) && whole.size > 2 && tape.one_in(4) {
            whole.split(2).map(|(major, minor)| vec![major, minor])
        } else {
            None
        };
        for part in parts.unwrap_or_else(|| vec![whole]) {
            match tape.below(shape.rank() + 2) {
                0 => {}
                1 if tape.one_in(2) => layout.replicated.push(part),
                1 => {}
                n => partita_ir::rule::push_merged(&mut axes[n - 2], part),
            }
        }
    }
    for (dim, axes) in layout.dims.iter_mut().zip(axes) {
        dim.axes = axes;
    }
    Some(layout)
}

/// Annotates a value with the layout that shards a dimension over the first axis of the mesh.
pub(super) fn shard_over_first_axis(program: &mut Program, value: ValueId, dim: usize) {
    let Some((id, mesh)) = program.mesh() else { return };
    let axis = mesh.axis_ids().next().map(|axis| AxisRef::full(mesh, axis));
    let mut layout = Layout::replicated(id, program.ty(value).shape.rank());
    if let Some(at) = layout.dims.get_mut(dim) {
        at.axes.extend(axis);
        program.values[value].layout = Some(layout.into());
    }
}

impl Generator<'_> {
    /// Requests a layout of an earlier value, by `constrain` or as an annotation.
    pub fn draw_constraint(&mut self) -> Option<()> {
        let val = self.find(|_| true)?;
        let layout = draw_layout(&mut self.tape, &self.program, &val.ty.shape);
        let id = if self.tape.one_in(2) {
            val.id
        } else {
            self.push(Constrain::default(), &[&val], val.ty.clone(), val.bound, val.integral)?.id
        };
        self.program.values[id].layout = layout.map(Into::into);
        Some(())
    }
}
