//! Collective permutes that rotate values along one manual axis.

use super::axes::AxisSet;
use super::shards::ManualMesh;
use super::{ManualLowering, ints};
use crate::fault::Result;
use crate::syntax::{Attr, Attrs, Local, Op, Opcode};
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::ops::Literal;
use partita_ir::tensor::Scalar;

/// A collective permute along one manual axis, in which each device receives from the device `by` positions before it,
/// counted modulo the size of the axis.
#[derive(PartialEq, Debug)]
pub(super) struct Rotation {
    /// Position of the axis among the manual axes.
    axis: usize,
    by: usize,
    /// Devices at the position `by` and after it receive. Otherwise they have zeros.
    shifts: bool,
    /// Devices before the position `by` receive. Otherwise they have zeros.
    wraps: bool,
}

impl Rotation {
    /// Returns the rotation, given the source of each device on manual axes of the given sizes.
    pub fn from_sources(sources: &[Option<usize>], sizes: &[usize]) -> Option<Rotation> {
        (0..sizes.len()).find_map(|axis| Rotation::along(axis, sources, sizes))
    }

    fn along(axis: usize, sources: &[Option<usize>], sizes: &[usize]) -> Option<Rotation> {
        let (n, stride) = (sizes[axis], sizes[axis + 1..].iter().product::<usize>());
        let position = |device: usize| device / stride % n;
        let (to, from) = sources.iter().enumerate().find_map(|(to, from)| Some((to, (*from)?)))?;
        let by = (position(to) + n - position(from)) % n;
        let receives = |at: usize| sources.iter().enumerate().any(|(to, from)| position(to) == at && from.is_some());
        let (shifts, wraps) = ((by..n).any(receives), (0..by).any(receives));
        let expected = |to: usize| {
            let at = position(to);
            let from = to - at * stride + (at + n - by) % n * stride;
            Some(from).filter(|_| if at < by { wraps } else { shifts })
        };
        let is_rotation = by > 0 && sources.iter().enumerate().all(|(to, from)| *from == expected(to));
        is_rotation.then_some(Rotation { axis, by, shifts, wraps })
    }
}

impl<'a> ManualLowering<'_, 'a> {
    /// Lowers a rotation along a manual axis by padding, which partitioning replaces by exchanges between devices.
    pub(super) fn rotated(&mut self, op: &Op<'a>, rotation: &Rotation) -> Result<()> {
        let lowered = self.lowered(op.operands[0])?;
        let varying = lowered.varying | AxisSet::from_iter([rotation.axis]);
        let value = self.repeated(lowered, varying);
        let sizes = self.manual.as_ref().map_or(Vec::new(), ManualMesh::sizes);
        let shape = self.out.ty(value).shape;
        let all: Shape = varying.iter().map(|axis| sizes[axis]).chain(shape[1..].iter().copied()).collect();
        let x = self.reshaped(value, &all);
        let (by, n) = (rotation.by as i64, sizes[rotation.axis] as i64);
        let axis = varying.iter().take_while(|&axis| axis != rotation.axis).count();
        let rotated = match (rotation.shifts, rotation.wraps) {
            (true, false) => self.shifted_along(x, axis, by),
            (false, _) => self.shifted_along(x, axis, by - n),
            (true, true) if n == 2 => {
                let ty = self.out.ty(x);
                self.out.emit(Opcode::Reverse, &[x], ty, [ints("dimensions", [axis as i64])].into_iter().collect())
            }
            (true, true) => {
                let (shifted, wrapped) = (self.shifted_along(x, axis, by), self.shifted_along(x, axis, by - n));
                let index = Type { shape: all, dtype: DType::I32 };
                let attrs = [("iota_dimension", Attr::Int(axis as i64))].into_iter().collect();
                let position = self.out.emit(Opcode::Iota, &[], index.clone(), attrs);
                let bound = self.out.literal(Literal::Splat(Scalar::Int(by)), index);
                let wraps = self.out.compare("LT", position, bound);
                let ty = self.out.ty(x);
                self.out.emit(Opcode::Select, &[wraps, wrapped, shifted], ty, Attrs::new())
            }
        };
        let rotated = self.reshaped(rotated, &shape);
        let rotated = self.on_axes(rotated, varying);
        self.result(op, rotated, varying)
    }

    /// Moves the elements of a dimension by `by` positions, and fills the others with zeros.
    fn shifted_along(&mut self, x: Local, dim: usize, by: i64) -> Local {
        let ty = self.out.ty(x);
        let zero = self.out.splat(0.0, Type::new(ty.dtype, []));
        let (mut low, none) = (vec![0; ty.shape.rank()], vec![0; ty.shape.rank()]);
        low[dim] = by;
        let high: Vec<i64> = low.iter().map(|low| -low).collect();
        let padding = [("edge_padding_low", low), ("edge_padding_high", high), ("interior_padding", none)];
        let attrs = padding.into_iter().map(|(name, values)| ints(name, values)).collect();
        self.out.emit(Opcode::Pad, &[x, zero], ty, attrs)
    }
}

#[cfg(test)]
mod tests {
    use super::Rotation;

    #[test]
    fn rotations_are_along_one_axis() {
        let rotation = |axis, by, shifts, wraps| Some(Rotation { axis, by, shifts, wraps });
        let sources = |all: &[i64]| all.iter().map(|&from| usize::try_from(from).ok()).collect::<Vec<_>>();
        let of = |all: &[i64], sizes: &[usize]| Rotation::from_sources(&sources(all), sizes);
        assert_eq!(of(&[3, 0, 1, 2], &[4]), rotation(0, 1, true, true));
        assert_eq!(of(&[-1, 0, 1, 2], &[4]), rotation(0, 1, true, false));
        assert_eq!(of(&[1, 2, 3, -1], &[4]), rotation(0, 3, false, true));
        assert_eq!(of(&[2, 0, 1, 5, 3, 4], &[2, 3]), rotation(1, 1, true, true));
        assert_eq!(of(&[3, 4, 5, 0, 1, 2], &[2, 3]), rotation(0, 1, true, true));
        // Identities, exchanges of other pairs, rotations along both axes, and some of the devices.
        for other in
            [[0, 1, 2, 3, 4, 5], [1, 0, 2, 3, 4, 5], [5, 0, 1, 2, 3, 4], [2, 0, 1, 3, 4, 5], [-1, -1, 0, -1, -1, -1]]
        {
            assert_eq!(of(&other, &[2, 3]), None, "{other:?}");
        }
        assert_eq!(of(&[-1, -1], &[2]), None);
    }
}
