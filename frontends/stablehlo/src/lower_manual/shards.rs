//! The axes of a manual computation, its operands and its results.

use super::axes::AxisSet;
use super::{Lowered, ManualLowering, ints};
use crate::fault::{Fault, Result, counted};
use crate::syntax::{Attr, Attrs, AxisName, DimSharding, Local, Op, Opcode, Sharding};
use partita_ir::diag::Code;
use partita_ir::dtype::{Shape, Type};

/// The mesh of a manual computation.
#[derive(Clone)]
pub(super) struct ManualMesh<'a> {
    /// Name of the mesh.
    pub name: &'a str,
    /// Names and sizes of all axes, major to minor.
    pub axes: Vec<(&'a str, usize)>,
    /// Positions of the manual axes in `axes`, ascending.
    pub manual: Vec<usize>,
    /// Number of the device at each position of the mesh, unless they are `0..n`.
    pub devices: Option<Vec<i64>>,
}

impl<'a> ManualMesh<'a> {
    /// Returns the sizes of the manual axes.
    pub fn sizes(&self) -> Vec<usize> {
        self.manual.iter().map(|&axis| self.axes[axis].1).collect()
    }

    /// Returns the names of manual axes.
    pub fn names(&self, axes: AxisSet) -> impl Iterator<Item = &'a str> {
        axes.iter().map(|axis| self.axes[self.manual[axis]].0)
    }

    /// Returns the number of positions along the manual axes.
    pub fn device_count(&self) -> usize {
        self.sizes().iter().product()
    }

    /// Returns the number of the device at each position along the manual axes, with coordinate 0 along the others.
    pub fn device_numbers(&self) -> Vec<i64> {
        let stride = |axis: usize| self.axes[axis + 1..].iter().map(|(_, size)| size).product::<usize>();
        let number = |position: usize| {
            let mut rest = position;
            let mut number = 0;
            for &axis in self.manual.iter().rev() {
                let size = self.axes[axis].1;
                number += rest % size * stride(axis);
                rest /= size;
            }
            match &self.devices {
                Some(devices) => devices.get(number).copied().unwrap_or(-1),
                None => number as i64,
            }
        };
        (0..self.device_count()).map(number).collect()
    }
}

impl<'m, 'a> ManualLowering<'m, 'a> {
    /// Lowers a manual computation: its operands are divided into shards, its body is lowered in place, and its results
    /// are assembled.
    pub(super) fn manual_computation(&mut self, op: &'m Op<'a>) -> Result<()> {
        let shardings = |name: &str| match op.attr(name) {
            Some(Attr::Shardings(all)) => all.as_slice(),
            _ => &[],
        };
        let (inputs, outputs) = (shardings("in_shardings"), shardings("out_shardings"));
        let [body] = &op.regions[..] else {
            return Err(Fault::malformed(format!("`{}` needs a body", op.code.name()), op.span()));
        };
        if inputs.len() != op.operands.len() || outputs.len() != op.types.len() || body.args.len() != inputs.len() {
            let what = format!(
                "`{}` has {}, {}, and shardings for {} and {}",
                op.code.name(),
                counted(op.operands.len(), "operand"),
                counted(op.types.len(), "result"),
                inputs.len(),
                outputs.len()
            );
            return Err(Fault::new(Code::V001, what, op.span()));
        }
        let mesh = self.manual_mesh(op, inputs.iter().chain(outputs).next())?;
        self.manual = Some(mesh);
        for ((&operand, sharding), arg) in op.operands.iter().zip(inputs).zip(&body.args) {
            let mut value = self.lowered(operand)?.value;
            if self.has_free_axes() && is_stated(sharding) {
                value = self.constrained(value, sharding.clone());
            }
            let shards = self.shards(op, value, sharding, &arg.ty)?;
            self.define(arg.value, shards);
        }
        let site = self.out.site;
        let Some((end, ops)) = body.ops.split_last() else {
            return Err(Fault::malformed(format!("`{}` has an empty body", op.code.name()), op.span()));
        };
        ops.iter().try_for_each(|op| self.op(op))?;
        self.out.site = site;
        if end.operands.len() != op.types.len() {
            return Err(Fault::new(
                Code::V001,
                format!("`{}` does not return its results", op.code.name()),
                end.span(),
            ));
        }
        let mut results = Vec::new();
        for ((&value, sharding), ty) in end.operands.iter().zip(outputs).zip(&op.types) {
            let mut result = self.assembled(op, value, sharding, ty)?;
            if self.has_free_axes() && is_stated(sharding) {
                result = self.constrained(result, sharding.clone());
            }
            results.push(result);
        }
        self.manual = None;
        for (local, value) in op.results().zip(results) {
            self.define(local, Lowered { value, varying: AxisSet::EMPTY });
        }
        Ok(())
    }

    /// Lowers a manual computation inside of another one. Its values must be the same along its own axes, which JAX
    /// uses to compute coordinates along the outer axes.
    pub(super) fn nested_computation(&mut self, op: &'m Op<'a>) -> Result<()> {
        let own_axes: Vec<&str> = match op.attr("manual_axes") {
            Some(Attr::List(items)) => items.iter().filter_map(Attr::as_str).collect(),
            _ => Vec::new(),
        };
        let is_own = |sharding: &Sharding<'a>| {
            sharding.dims.iter().flat_map(|dim| &dim.axes).any(|axis| own_axes.contains(&axis.name))
        };
        let shards_values = ["in_shardings", "out_shardings"]
            .iter()
            .any(|name| matches!(op.attr(name), Some(Attr::Shardings(all)) if all.iter().any(is_own)));
        if shards_values {
            let title = format!("`{}` shards values inside of another one", op.code.name());
            return Err(Fault::unsupported(title, op.span()).help("use one `shard_map` over the axes of both"));
        }
        let [body] = &op.regions[..] else {
            return Err(Fault::malformed(format!("`{}` needs a body", op.code.name()), op.span()));
        };
        for (&operand, arg) in op.operands.iter().zip(&body.args) {
            let lowered = self.lowered(operand)?;
            self.define(arg.value, lowered);
        }
        let results = self.in_place(&body.ops)?;
        for ((local, ty), result) in op.results().zip(&op.types).zip(results) {
            if self.out.ty(result.value) != self.batched_type(ty, result.varying) {
                return Err(self.unsupported(op, "does not return the declared type"));
            }
            self.define(local, result);
        }
        Ok(())
    }

    fn manual_mesh(&self, op: &Op<'a>, sharding: Option<&Sharding<'a>>) -> Result<ManualMesh<'a>> {
        let mesh = sharding.and_then(|sharding| self.meshes.iter().find(|mesh| mesh.name == sharding.mesh));
        let Some(mesh) = mesh else {
            return Err(Fault::malformed(format!("the mesh of `{}` is not declared", op.code.name()), op.span()));
        };
        let names: Vec<&str> = match op.attr("manual_axes") {
            Some(Attr::List(items)) => items.iter().filter_map(Attr::as_str).collect(),
            _ => Vec::new(),
        };
        let axes: Vec<(&str, usize)> =
            mesh.axes.iter().map(|&(name, size)| (name, usize::try_from(size).unwrap_or(0).max(1))).collect();
        let mut manual = Vec::new();
        for name in names {
            match axes.iter().position(|(other, _)| *other == name) {
                Some(axis) => manual.push(axis),
                None => {
                    let title = format!("the manual axis `{name}` is not an axis of the mesh `@{}`", mesh.name);
                    return Err(Fault::malformed(title, op.span()));
                }
            }
        }
        manual.sort_unstable();
        if manual.len() > AxisSet::MAX_AXES {
            return Err(self.unsupported(op, &format!("has more than {} manual axes", AxisSet::MAX_AXES)));
        }
        Ok(ManualMesh { name: mesh.name, axes, manual, devices: mesh.devices.clone() })
    }

    /// Returns for each dimension the manual axes of its sharding that have several positions, as positions among the
    /// manual axes.
    fn manual_axes(&self, op: &Op<'a>, sharding: &Sharding<'a>, rank: usize) -> Result<Vec<Vec<usize>>> {
        let Some(mesh) = &self.manual else { return Ok(vec![Vec::new(); rank]) };
        let mut dims = vec![Vec::new(); rank];
        for (dim, axes) in dims.iter_mut().zip(&sharding.dims) {
            for axis in &axes.axes {
                let position = mesh.manual.iter().position(|&number| mesh.axes[number].0 == axis.name);
                match position {
                    Some(_) if axis.factor.is_some() => {
                        return Err(Fault::unsupported(
                            format!("`{}` shards over a part of the axis `{}`", op.code.name(), axis.name),
                            axis.at.clone(),
                        ));
                    }
                    Some(position) if mesh.sizes()[position] > 1 => dim.push(position),
                    Some(_) | None => {}
                }
            }
        }
        Ok(dims)
    }

    /// Divides a global value into the shards of the devices. A value without manual axes is the same on all devices.
    fn shards(&mut self, op: &Op<'a>, value: Local, sharding: &Sharding<'a>, local: &Type) -> Result<Lowered> {
        let ty = self.out.ty(value);
        let dims = self.manual_axes(op, sharding, ty.shape.rank())?;
        let sizes = self.manual.as_ref().map_or(Vec::new(), ManualMesh::sizes);
        let fits = ty.dtype == local.dtype
            && ty.shape.rank() == local.shape.rank()
            && dims.iter().zip(ty.shape.iter().zip(local.shape.iter())).all(|(axes, (&global, &local))| {
                axes.iter().map(|&axis| sizes[axis]).product::<usize>() * local == global
            });
        if !fits {
            let title = format!("`{}` does not divide {ty} into shards {local}", op.code.name());
            return Err(Fault::new(Code::V001, title, op.span()));
        }
        if dims.iter().all(Vec::is_empty) {
            // Axes with one position do not divide the value, but belong to the mesh of the program.
            let has_axes = sharding.dims.iter().any(|dim| !dim.axes.is_empty());
            let value = if has_axes { self.constrained(value, sharding.clone()) } else { value };
            return Ok(Lowered { value, varying: AxisSet::EMPTY });
        }
        // [n0, n1] -> [axes of 0, l0, axes of 1, l1]
        let mut split = Shape::default();
        let (mut axis_dims, mut local_dims) = (vec![None; sizes.len()], Vec::new());
        for (axes, &size) in dims.iter().zip(local.shape.iter()) {
            for &axis in axes {
                axis_dims[axis] = Some(split.rank());
                split.0.push(sizes[axis]);
            }
            local_dims.push(split.rank());
            split.0.push(size);
        }
        let value = self.reshaped(value, &split);
        // -> [axes, l0, l1] -> [devices, l0, l1]
        let varying: AxisSet = dims.iter().flatten().copied().collect();
        let order: Vec<usize> = axis_dims.iter().flatten().chain(&local_dims).copied().collect();
        let value = self.transposed(value, &order);
        let flat = self.batched_type(local, varying).shape;
        let value = self.reshaped(value, &flat);
        let sharding = self.batched_sharding(sharding, varying);
        Ok(Lowered { value: self.constrained(value, sharding), varying })
    }

    /// Emits a constraint.
    pub(super) fn constrained(&mut self, value: Local, sharding: Sharding<'a>) -> Local {
        let ty = self.out.ty(value);
        let attrs: Attrs<'a> = [("sharding", Attr::Shardings(vec![sharding]))].into_iter().collect();
        self.out.emit(Opcode::SdyShardingConstraint, &[value], ty, attrs)
    }

    /// Returns true if the mesh has axes that are not manual.
    pub(super) fn has_free_axes(&self) -> bool {
        self.manual.as_ref().is_some_and(|mesh| mesh.manual.len() < mesh.axes.len())
    }

    /// Constrains the dimension of devices of a value that varies along some axes to be sharded over them.
    pub(super) fn on_axes(&mut self, value: Local, varying: AxisSet) -> Local {
        let Some(mesh) = &self.manual else { return value };
        let names: Vec<&'a str> = mesh.names(varying).collect();
        let rank = self.out.ty(value).shape.rank();
        let at = self.out.site.at as usize;
        let sharding = Sharding::of_first_dim(mesh.name, names.into_iter(), rank, at..at);
        self.constrained(value, sharding)
    }

    /// Returns the sharding of a lowered value that varies along some axes, given the sharding of the value.
    pub(super) fn batched_sharding(&self, sharding: &Sharding<'a>, varying: AxisSet) -> Sharding<'a> {
        let Some(mesh) = self.manual.as_ref().filter(|_| !varying.is_empty()) else { return sharding.clone() };
        let names: Vec<&'a str> = mesh.manual.iter().map(|&axis| mesh.axes[axis].0).collect();
        let mut batched = Sharding::of_first_dim(mesh.name, mesh.names(varying), 1, sharding.at.clone());
        let is_free = |axis: &&AxisName<'a>| !names.contains(&axis.name);
        for dim in &sharding.dims {
            let axes = dim.axes.iter().filter(is_free).cloned().collect();
            // A global value is closed for manual axes, too; the shards of one device are open if there are no others.
            let open = dim.open || !self.has_free_axes();
            batched.dims.push(DimSharding { axes, open, priority: dim.priority });
        }
        batched.replicated = sharding.replicated.iter().filter(is_free).cloned().collect();
        batched.unreduced = sharding.unreduced.iter().filter(is_free).cloned().collect();
        batched.reduction = sharding.reduction;
        batched
    }

    /// Returns the attributes of an operation, given the axes along which each result varies: a result with the
    /// dimension of devices is sharded along it, too.
    pub(super) fn batched_attrs(&self, mut attrs: Attrs<'a>, varying: &[AxisSet]) -> Attrs<'a> {
        for (name, attr) in &mut attrs {
            let Attr::Shardings(all) = attr else { continue };
            if *name == "sdy.sharding" {
                for (sharding, &varying) in all.iter_mut().zip(varying) {
                    *sharding = self.batched_sharding(sharding, varying);
                }
            }
        }
        attrs
    }

    /// Assembles a global value from the shards of the devices. Along axes that do not shard it all devices have the
    /// same value, of which the first is taken.
    fn assembled(&mut self, op: &Op<'a>, local: Local, sharding: &Sharding<'a>, ty: &Type) -> Result<Local> {
        let dims = self.manual_axes(op, sharding, ty.shape.rank())?;
        let sizes = self.manual.as_ref().map_or(Vec::new(), ManualMesh::sizes);
        let lowered = self.lowered(local)?;
        let sharded: AxisSet = dims.iter().flatten().copied().collect();
        let axes = lowered.varying | sharded;
        let value = self.repeated(lowered, axes);
        let local: Vec<usize> = self.out.ty(value).shape[usize::from(!axes.is_empty())..].to_vec();
        // [devices, l0, l1] -> [axes, l0, l1] -> [sharded axes, l0, l1] -> [axes of 0, l0, axes of 1, l1] -> [n0, n1]
        let split: Shape = axes.iter().map(|axis| sizes[axis]).chain(local.iter().copied()).collect();
        let mut value = self.reshaped(value, &split);
        for (dim, _) in axes.iter().enumerate().filter(|(_, axis)| !sharded.contains(*axis)) {
            value = self.first_along(value, dim);
        }
        let split: Shape = sharded.iter().map(|axis| sizes[axis]).chain(local.iter().copied()).collect();
        let value = self.reshaped(value, &split);
        let place = |axis: usize| sharded.iter().take_while(|&other| other != axis).count();
        let first_local = sharded.iter().count();
        let mut order = Vec::new();
        for (dim, axes) in dims.iter().enumerate() {
            order.extend(axes.iter().map(|&axis| place(axis)));
            order.push(first_local + dim);
        }
        let value = self.transposed(value, &order);
        let value = self.reshaped(value, &ty.shape);
        if self.out.ty(value) != *ty {
            let title = format!("`{}` does not assemble {ty}", op.code.name());
            return Err(Fault::new(Code::V001, title, op.span()));
        }
        Ok(value)
    }

    /// Takes the first element along a dimension.
    fn first_along(&mut self, value: Local, dim: usize) -> Local {
        let ty = self.out.ty(value);
        let mut limit: Vec<i64> = ty.shape.iter().map(|&n| n as i64).collect();
        limit[dim] = 1;
        let zeros = vec![0; limit.len()];
        let ones = vec![1; limit.len()];
        let mut shape = ty.shape;
        shape[dim] = 1;
        let attrs =
            [ints("start_indices", zeros), ints("limit_indices", limit), ints("strides", ones)].into_iter().collect();
        self.out.emit(Opcode::Slice, &[value], Type { shape, dtype: ty.dtype }, attrs)
    }

    /// Reshapes a value, unless it has the shape.
    pub(super) fn reshaped(&mut self, value: Local, shape: &Shape) -> Local {
        let ty = self.out.ty(value);
        if ty.shape == *shape {
            return value;
        }
        self.out.emit(Opcode::Reshape, &[value], Type { shape: shape.clone(), dtype: ty.dtype }, Attrs::new())
    }

    /// Transposes a value, unless the order is that of its dimensions.
    pub(super) fn transposed(&mut self, value: Local, order: &[usize]) -> Local {
        if order.iter().copied().eq(0..order.len()) {
            return value;
        }
        let ty = self.out.ty(value);
        let shape = order.iter().map(|&d| ty.shape[d]).collect();
        let attrs = [ints("permutation", order.iter().map(|&d| d as i64))].into_iter().collect();
        self.out.emit(Opcode::Transpose, &[value], Type { shape, dtype: ty.dtype }, attrs)
    }
}

/// Returns true if a sharding restricts propagation.
fn is_stated(sharding: &Sharding<'_>) -> bool {
    sharding.dims.iter().any(|dim| !dim.open || !dim.axes.is_empty()) || !sharding.replicated.is_empty()
}
