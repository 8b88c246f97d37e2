//! Collectives of a manual computation: reductions and rearrangements along the dimension of devices.

use super::axes::AxisSet;
use super::rotation::Rotation;
use super::shards::ManualMesh;
use super::{Lowered, ManualLowering, ints};
use crate::fault::{Fault, Result};
use crate::syntax::{Attr, Attrs, AxisName, Local, Op, Opcode, Sharding};
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::layout::Monoid;
use partita_ir::ops::Literal;
use partita_ir::tensor::Scalar;

/// Groups of devices along some of the manual axes.
struct Groups {
    /// The axes, major to minor.
    axes: Vec<usize>,
    /// Number of devices of a group.
    size: usize,
}

impl Groups {
    fn axis_set(&self) -> AxisSet {
        self.axes.iter().copied().collect()
    }
}

/// A value that varies along some axes, rearranged to `[groups, members, local..]`.
struct Grouped<'g> {
    value: Local,
    groups: &'g Groups,
    varying: AxisSet,
}

impl<'m, 'a> ManualLowering<'m, 'a> {
    /// Lowers a collective.
    pub(super) fn collective(&mut self, op: &'m Op<'a>) -> Result<()> {
        match op.code {
            Opcode::PartitionId => self.partition_id(op),
            Opcode::CollectiveBroadcast => self.collective_broadcast(op),
            Opcode::CollectivePermute => self.collective_permute(op),
            Opcode::AllReduce => {
                let groups = self.groups(op)?;
                for (i, local) in op.results().enumerate() {
                    let value = self.grouped(op.operands[i], &groups)?;
                    let reduced = self.reduced(op, &value)?;
                    let lowered = self.same_in_groups(reduced, &value);
                    self.define(local, lowered);
                }
                Ok(())
            }
            Opcode::AllGather => {
                let (groups, dim) = (self.groups(op)?, op.size("all_gather_dim")?);
                for (i, local) in op.results().enumerate() {
                    let grouped = self.grouped(op.operands[i], &groups)?;
                    // [r, g, l0.., ld, ..] -> [r, l0.., g, ld, ..] -> [r, l0.., g ld, ..]
                    let rank = self.out.ty(grouped.value).shape.rank();
                    self.check_dim(op, dim, rank - 2)?;
                    let mut order: Vec<usize> = (0..rank).filter(|&d| d != 1).collect();
                    order.insert(1 + dim, 1);
                    let value = self.transposed(grouped.value, &order);
                    let value = self.merged(value, 1 + dim);
                    let lowered = self.same_in_groups(value, &grouped);
                    self.define(local, lowered);
                }
                Ok(())
            }
            Opcode::ReduceScatter => {
                let (groups, dim) = (self.groups(op)?, op.size("scatter_dimension")?);
                let grouped = self.grouped(op.operands[0], &groups)?;
                let reduced = self.reduced(op, &grouped)?;
                let reduced = self.partial(reduced, combining(op), &grouped);
                self.check_dim(op, dim, self.out.ty(reduced).shape.rank() - 1)?;
                // [r, l0.., ld, ..] -> [r, l0.., g, ld / g, ..] -> [r, g, l0.., ld / g, ..]
                let split = self.split(op, reduced, 1 + dim, groups.size)?;
                let rank = self.out.ty(split).shape.rank();
                let mut order: Vec<usize> = (0..rank).filter(|&d| d != 1 + dim).collect();
                order.insert(1, 1 + dim);
                let value = self.transposed(split, &order);
                let Lowered { value, varying } = self.ungrouped(value, &grouped);
                let value = self.on_axes(value, varying);
                self.result(op, value, varying)
            }
            Opcode::AllToAll => {
                let groups = self.groups(op)?;
                let (split_dim, concat_dim) = (op.size("split_dimension")?, op.size("concat_dimension")?);
                for (i, local) in op.results().enumerate() {
                    let grouped = self.grouped(op.operands[i], &groups)?;
                    let rank = self.out.ty(grouped.value).shape.rank() - 2;
                    self.check_dim(op, split_dim.max(concat_dim), rank)?;
                    // [r, from, .., to, ls / g, ..] -> [r, to, .., from, lc, ..] -> [r, to, .., from lc, ..]
                    let value = self.split(op, grouped.value, 2 + split_dim, groups.size)?;
                    let to = 2 + split_dim;
                    let place = |dim: usize| 2 + dim + usize::from(dim >= split_dim);
                    let mut order = vec![0, to];
                    for dim in 0..rank {
                        if dim == concat_dim {
                            order.push(1);
                        }
                        order.push(place(dim));
                    }
                    let value = self.transposed(value, &order);
                    let value = self.merged(value, 2 + concat_dim);
                    let lowered = self.ungrouped(value, &grouped);
                    self.define(local, lowered);
                }
                Ok(())
            }
            _ => Err(self.unsupported(op, "is not supported")),
        }?;
        for (local, ty) in op.results().zip(&op.types) {
            let lowered = self.lowered(local)?;
            if self.out.ty(lowered.value) != self.batched_type(ty, lowered.varying) {
                return Err(self.unsupported(op, "does not return the declared type"));
            }
        }
        Ok(())
    }

    /// Lowers the number of the device.
    fn partition_id(&mut self, op: &Op<'a>) -> Result<()> {
        let numbers = self.manual.as_ref().map_or(Vec::new(), ManualMesh::device_numbers);
        let literal = Literal::Dense(numbers.iter().map(|&n| Scalar::Int(n)).collect());
        let varying = self.all_axes();
        let ty = self.batched_type(&Type::new(DType::U32, []), varying);
        let value = self.out.literal(literal, ty);
        self.result(op, value, varying)
    }

    /// Lowers an exchange between pairs of devices. A device that receives nothing has zeros.
    fn collective_permute(&mut self, op: &Op<'a>) -> Result<()> {
        let pairs = op.ints("source_target_pairs")?.unwrap_or_default();
        let numbers = self.manual.as_ref().map_or(Vec::new(), ManualMesh::device_numbers);
        let position = |device: i64| numbers.iter().position(|&n| n == device);
        let mut sources: Vec<Option<usize>> = vec![None; numbers.len()];
        for pair in pairs.chunks_exact(2) {
            // Pairs of devices at other coordinates along the axes that are not manual repeat those at coordinate 0.
            if let (Some(from), Some(to)) = (position(pair[0]), position(pair[1])) {
                sources[to] = Some(from);
            }
        }
        match self.manual.as_ref().and_then(|mesh| Rotation::from_sources(&sources, &mesh.sizes())) {
            Some(rotation) => self.rotated(op, &rotation),
            None => self.copied_from(op, &sources),
        }
    }

    /// Lowers a copy of the first device of each group to the others. A device outside of the groups has zeros.
    fn collective_broadcast(&mut self, op: &Op<'a>) -> Result<()> {
        let groups = match op.attr("replica_groups") {
            Some(Attr::Dense(dense)) => dense.rows().filter(|rows| {
                let count = dense.declared_type().and_then(|ty| ty.shape.first().copied());
                count == Some(rows.len()) && rows.iter().all(|row| row.len() == rows[0].len())
            }),
            _ => None,
        };
        let Some(groups) = groups else { return Err(self.unsupported(op, "needs groups of devices")) };
        let numbers = self.manual.as_ref().map_or(Vec::new(), ManualMesh::device_numbers);
        let position = |device: &i64| numbers.iter().position(|n| n == device);
        let mut sources: Vec<Option<usize>> = vec![None; numbers.len()];
        for group in groups {
            // Groups of devices at other coordinates along the axes that are not manual repeat those at coordinate 0.
            let members: Vec<Option<usize>> = group.iter().map(position).collect();
            let Some(&Some(first)) = members.first() else { continue };
            for member in members {
                let Some(member) = member else {
                    return Err(
                        self.unsupported(op, "is over groups of devices that differ in axes that are not manual")
                    );
                };
                if sources[member].replace(first).is_some() {
                    return Err(self.unsupported(op, "has a device in two groups"));
                }
            }
        }
        self.copied_from(op, &sources)
    }

    /// Defines the result of a collective that copies the operand of another device, or zeros, to each device.
    fn copied_from(&mut self, op: &Op<'a>, sources: &[Option<usize>]) -> Result<()> {
        let lowered = self.lowered(op.operands[0])?;
        let varying = self.all_axes();
        let value = self.repeated(lowered, varying);
        let ty = self.out.ty(value);
        let mut pieces = Vec::new();
        let mut next = 0;
        while next < sources.len() {
            let from = sources[next];
            let mut count = 1;
            while next + count < sources.len() && sources[next + count] == from.map(|from| from + count) {
                count += 1;
            }
            pieces.push(match from {
                Some(from) => self.rows(value, from, count),
                None => {
                    let mut shape = ty.shape.clone();
                    shape[0] = count;
                    self.out.splat(0.0, Type { shape, dtype: ty.dtype })
                }
            });
            next += count;
        }
        let value = match pieces[..] {
            [only] => only,
            _ => {
                let attrs = [("dimension", Attr::Int(0))].into_iter().collect();
                self.out.emit(Opcode::Concatenate, &pieces, ty, attrs)
            }
        };
        self.result(op, value, varying)
    }

    /// Takes `count` rows from `start` on.
    fn rows(&mut self, value: Local, start: usize, count: usize) -> Local {
        let ty = self.out.ty(value);
        let mut starts = vec![0; ty.shape.rank()];
        let mut limits: Vec<i64> = ty.shape.iter().map(|&n| n as i64).collect();
        (starts[0], limits[0]) = (start as i64, (start + count) as i64);
        let ones = vec![1; limits.len()];
        let mut shape = ty.shape;
        shape[0] = count;
        let attrs =
            [ints("start_indices", starts), ints("limit_indices", limits), ints("strides", ones)].into_iter().collect();
        self.out.emit(Opcode::Slice, &[value], Type { shape, dtype: ty.dtype }, attrs)
    }

    /// Returns the groups of a collective. Errors: they are not the devices along some axes.
    fn groups(&self, op: &Op<'a>) -> Result<Groups> {
        let Some(mesh) = &self.manual else { return Err(self.unsupported(op, "has no mesh")) };
        let groups = match op.attr("replica_groups") {
            Some(Attr::Dense(dense)) => dense.rows(),
            _ => None,
        };
        let numbers = mesh.device_numbers();
        let position = |device: &i64| numbers.iter().position(|n| n == device);
        // Groups of devices at other coordinates along the axes that are not manual repeat those at coordinate 0.
        let groups: Option<Vec<Vec<usize>>> = groups.map(|groups| {
            let positions = groups.iter().map(|group| group.iter().map(position).collect::<Option<Vec<usize>>>());
            positions.flatten().collect()
        });
        let groups = groups.unwrap_or_default();
        let sizes = mesh.sizes();
        let found = groups.first().and_then(|first| axes_of(first, &sizes));
        // All groups extend along the same axes, in the same order, and contain every device once.
        let consistent = groups.iter().all(|group| axes_of(group, &sizes) == found);
        let mut members: Vec<usize> = groups.concat();
        members.sort_unstable();
        let complete = members.into_iter().eq(0..mesh.device_count());
        let Some(axes) = found.filter(|_| consistent && complete) else {
            return Err(self.unsupported(op, "is over groups of devices that are not those along some manual axes"));
        };
        let size = axes.iter().map(|&axis| sizes[axis]).product();
        Ok(Groups { axes, size })
    }

    /// Returns the manual axes with several positions.
    fn all_axes(&self) -> AxisSet {
        let sizes = self.manual.as_ref().map_or(Vec::new(), ManualMesh::sizes);
        (0..sizes.len()).filter(|&axis| sizes[axis] > 1).collect()
    }

    /// Returns the axes of a grouped value in their order: those between groups, then those within a group.
    fn grouped_order(&self, groups: &Groups, varying: AxisSet) -> Vec<usize> {
        (varying - groups.axis_set()).iter().chain(groups.axes.iter().copied()).collect()
    }

    /// Rearranges `[devices, local..]` to `[groups, members, local..]`.
    fn grouped<'g>(&mut self, operand: Local, groups: &'g Groups) -> Result<Grouped<'g>> {
        let lowered = self.lowered(operand)?;
        let varying = lowered.varying | groups.axis_set();
        let value = self.repeated(lowered, varying);
        let sizes = self.manual.as_ref().map_or(Vec::new(), ManualMesh::sizes);
        let local: Vec<usize> = self.out.ty(value).shape[usize::from(!varying.is_empty())..].to_vec();
        let all: Shape = varying.iter().map(|axis| sizes[axis]).chain(local.iter().copied()).collect();
        let value = self.reshaped(value, &all);
        let place = |axis: usize| varying.iter().take_while(|&other| other != axis).count();
        let axes = self.grouped_order(groups, varying);
        let order: Vec<usize> = axes.iter().map(|&axis| place(axis)).chain(axes.len()..all.rank()).collect();
        let value = self.transposed(value, &order);
        let count = self.device_count(varying) / groups.size;
        let shape: Shape = [count, groups.size].into_iter().chain(local).collect();
        Ok(Grouped { value: self.reshaped(value, &shape), groups, varying })
    }

    /// Rearranges `[groups, members, local..]`, computed from a grouped value, to `[devices, local..]`.
    fn ungrouped(&mut self, value: Local, of: &Grouped<'_>) -> Lowered {
        let varying = of.varying;
        let sizes = self.manual.as_ref().map_or(Vec::new(), ManualMesh::sizes);
        let ty = self.out.ty(value);
        let local = Type::new(ty.dtype, &ty.shape[2..]);
        let axes = self.grouped_order(of.groups, varying);
        let all: Shape = axes.iter().map(|&axis| sizes[axis]).chain(local.shape.iter().copied()).collect();
        let value = self.reshaped(value, &all);
        let place = |axis: usize| axes.iter().position(|&other| other == axis);
        let order: Vec<usize> = varying.iter().filter_map(place).chain(axes.len()..all.rank()).collect();
        let value = self.transposed(value, &order);
        let shape = self.batched_type(&local, varying).shape;
        Lowered { value: self.reshaped(value, &shape), varying }
    }

    /// Returns `[groups, local..]`, computed from a grouped value, as a value that is the same for the members of a
    /// group.
    fn same_in_groups(&mut self, value: Local, of: &Grouped<'_>) -> Lowered {
        let varying = of.varying - of.groups.axis_set();
        let ty = self.out.ty(value);
        let shape = self.batched_type(&Type::new(ty.dtype, &ty.shape[1..]), varying).shape;
        Lowered { value: self.reshaped(value, &shape), varying }
    }

    /// Combines the members of each group by the region of the collective: `[groups, local..]`.
    fn reduced(&mut self, op: &'m Op<'a>, grouped: &Grouped<'_>) -> Result<Local> {
        let ty = self.out.ty(grouped.value);
        let Some(code) = combining(op) else {
            return Err(self.unsupported(op, "does not combine values by one operation"));
        };
        let dtype = ty.dtype;
        let (low, high) = dtype.int_range();
        let identity = match code {
            Opcode::Add | Opcode::Or | Opcode::Xor => Scalar::Int(0),
            Opcode::Multiply => Scalar::Int(1),
            Opcode::And => Scalar::Int(if dtype == DType::Bool { 1 } else { -1 }),
            Opcode::Maximum if dtype.is_float() => Scalar::Float(f64::NEG_INFINITY),
            Opcode::Minimum if dtype.is_float() => Scalar::Float(f64::INFINITY),
            Opcode::Maximum => Scalar::Int(low),
            Opcode::Minimum => Scalar::Int(high),
            _ => return Err(self.unsupported(op, "combines values by an operation without an identity")),
        };
        let identity = match identity {
            Scalar::Int(x) if dtype.is_float() => Scalar::Float(x as f64),
            other => other,
        };
        let init = self.out.literal(Literal::Splat(identity), Type::new(dtype, []));
        let shape: Shape = ty.shape.iter().enumerate().filter(|(d, _)| *d != 1).map(|(_, &n)| n).collect();
        let attrs: Attrs<'a> = [("applies", Attr::Word(code.name())), ints("dimensions", [1])].into_iter().collect();
        Ok(self.out.emit(Opcode::Reduce, &[grouped.value, init], Type { shape, dtype }, attrs))
    }

    /// Constrains `[groups, local..]`, reduced from a grouped value, to be a partial result on each device, which is
    /// completed where it is scattered.
    fn partial(&mut self, reduced: Local, code: Option<Opcode>, of: &Grouped<'_>) -> Local {
        let reduction = match code {
            Some(Opcode::Add) => Monoid::Sum,
            Some(Opcode::Multiply) => Monoid::Prod,
            Some(Opcode::Maximum) => Monoid::Max,
            Some(Opcode::Minimum) => Monoid::Min,
            _ => return reduced,
        };
        let Some(mesh) = &self.manual else { return reduced };
        let members = of.groups.axis_set();
        let at = self.out.site.at as usize..self.out.site.at as usize;
        let rank = self.out.ty(reduced).shape.rank();
        let mut sharding = Sharding::of_first_dim(mesh.name, mesh.names(of.varying - members), rank, at.clone());
        sharding.unreduced = mesh.names(members).map(|name| AxisName { name, factor: None, at: at.clone() }).collect();
        sharding.reduction = reduction;
        self.constrained(reduced, sharding)
    }

    /// Merges a dimension with the following one.
    fn merged(&mut self, value: Local, dim: usize) -> Local {
        let mut shape = self.out.ty(value).shape;
        let behind = shape.0.remove(dim + 1);
        shape[dim] *= behind;
        self.reshaped(value, &shape)
    }

    /// Splits a dimension into `parts` and the rest. Errors: it does not divide.
    fn split(&mut self, op: &Op<'a>, value: Local, dim: usize, parts: usize) -> Result<Local> {
        let mut shape = self.out.ty(value).shape;
        if !shape[dim].is_multiple_of(parts) {
            return Err(self.unsupported(op, "divides a dimension by a number of devices that does not divide it"));
        }
        shape[dim] /= parts;
        shape.0.insert(dim, parts);
        Ok(self.reshaped(value, &shape))
    }

    fn check_dim(&self, op: &Op<'a>, dim: usize, rank: usize) -> Result<()> {
        if dim < rank {
            Ok(())
        } else {
            Err(Fault::malformed(format!("`{}` has no dimension {dim}", op.code.name()), op.span()))
        }
    }
}

/// Returns the only operation by which a collective combines values.
fn combining(op: &Op<'_>) -> Option<Opcode> {
    let [region] = &op.regions[..] else { return None };
    let is_computation = |op: &&Op<'_>| !matches!(op.code, Opcode::Return | Opcode::SdyShardingConstraint);
    let mut computations = region.ops.iter().filter(is_computation).map(|op| op.code);
    computations.next().filter(|_| computations.next().is_none())
}

/// Returns axes, major to minor, along which the positions of a group vary in this order; `None` if there are none.
fn axes_of(group: &[usize], sizes: &[usize]) -> Option<Vec<usize>> {
    let stride = |axis: usize| sizes[axis + 1..].iter().product::<usize>();
    let mut axes = Vec::new();
    // Minor axis first: the one by whose stride the second member of a factor differs.
    let mut period = 1;
    while period < group.len() {
        let step = group[period].checked_sub(group[0])?;
        let axis = (0..sizes.len()).find(|&axis| sizes[axis] > 1 && stride(axis) == step && !axes.contains(&axis))?;
        axes.insert(0, axis);
        period *= sizes[axis];
    }
    let position = |member: usize| {
        let mut rest = member;
        let mut position = group[0];
        for &axis in axes.iter().rev() {
            position += rest % sizes[axis] * stride(axis);
            rest /= sizes[axis];
        }
        position
    };
    (period == group.len() && group.iter().enumerate().all(|(member, &at)| position(member) == at)).then_some(axes)
}

/// Returns true if an operation of a manual computation depends on the device.
pub(super) fn is_collective(code: Opcode) -> bool {
    matches!(
        code,
        Opcode::AllGather
            | Opcode::AllReduce
            | Opcode::AllToAll
            | Opcode::CollectiveBroadcast
            | Opcode::CollectivePermute
            | Opcode::PartitionId
            | Opcode::ReduceScatter
    )
}
