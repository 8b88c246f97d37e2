//! Meshes and layouts.

use super::pool::{Draw, Tape};
use partita_ir::arena::{MeshId, ValueId};
use partita_ir::dtype::Shape;
use partita_ir::layout::Layout;
use partita_ir::mesh::{Axes, AxisRef, Mesh};
use partita_ir::ops::Constrain;
use partita_ir::program::Program;

/// A mesh of one to three axes and at most twelve devices.
pub fn draw_mesh(tape: &mut Tape<'_>) -> Mesh {
    const SIZES: [&[u32]; 14] =
        [&[2], &[4], &[3], &[2, 2], &[2, 3], &[8], &[2, 4], &[4, 2], &[5], &[2, 2, 2], &[7], &[1, 4], &[3, 2, 2], &[6]];
    let sizes = SIZES[tape.below(SIZES.len())];
    Mesh::new("m", ["a", "b", "c"].into_iter().zip(sizes.iter().copied()))
}

/// A layout for a value of that shape: axes, or factors of them, on dimensions; some dimensions open, some axes
/// replicated on purpose.
pub fn draw_layout(tape: &mut Tape<'_>, program: &Program, shape: &Shape) -> Option<Layout> {
    let (id, mesh): (MeshId, &Mesh) = program.mesh()?;
    let mut layout = Layout::replicated(id, shape.rank());
    for dim in &mut layout.dims {
        dim.open = tape.below(3) > 0;
        if tape.one_in(8) {
            dim.priority = 1;
        }
    }
    let mut axes: Vec<Axes> = vec![Axes::new(); shape.rank()];
    for at in tape.permutation(mesh.axes.len()) {
        let whole = AxisRef::whole(mesh, mesh.axis_ids().nth(at)?);
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
                n => partita_ir::rule::push_joined(&mut axes[n - 2], part),
            }
        }
    }
    for (dim, axes) in layout.dims.iter_mut().zip(axes) {
        dim.axes = axes;
    }
    Some(layout)
}

/// The first axis of the mesh on that dimension, nothing else.
pub(super) fn split_first(program: &mut Program, value: ValueId, dim: usize) {
    let Some((id, mesh)) = program.mesh() else { return };
    let axis = mesh.axis_ids().next().map(|axis| AxisRef::whole(mesh, axis));
    let mut layout = Layout::replicated(id, program.ty(value).shape.rank());
    if let Some(at) = layout.dims.get_mut(dim) {
        at.axes.extend(axis);
        program.values[value].layout = Some(layout.into());
    }
}

impl Draw<'_> {
    /// Asks for a layout of a value: by `constrain`, or written on it.
    pub fn draw_constraint(&mut self) -> Option<()> {
        let val = self.find(|_| true)?;
        let layout = draw_layout(&mut self.tape, &self.program, &val.ty.shape);
        let id = if self.tape.one_in(2) {
            val.id
        } else {
            self.push(Constrain { fresh: false }, &[&val], val.ty.clone(), val.bound, val.whole)?.id
        };
        self.program.values[id].layout = layout.map(Into::into);
        Some(())
    }
}
