//! ManualLowering of `sdy.manual_computation`, the body of a `shard_map`, to operations on global tensors.
//!
//! The body computes on the shards of one device, and exchanges data by explicit collectives. It becomes a
//! computation on the shards of all devices: a value of shape `[local..]` that varies along some of the manual axes
//! becomes one of shape `[devices, local..]`, whose first dimension has a position for each combination of
//! coordinates along these axes and is sharded over them. A value that is the same on all devices has no such
//! dimension. An operation is batched over the dimensions of devices of its operands ([`batch`]); a collective
//! becomes a reduction or a rearrangement of them ([`collectives`]), and its result does not vary along axes over
//! which all devices receive the same.
//!
//! The result means the same on any number of devices, and partitioning it over the manual axes restores the program of
//! each device with its collectives.

mod axes;
mod batch;
mod collectives;
mod control;
mod indexing;
mod rotation;
mod shards;

use crate::fault::{Fault, Result};
use crate::rewrite::{Output, Site};
use crate::syntax::{Arg, Attr, Attrs, Func, Local, MeshDef, Module, Op, Opcode, Region};
use axes::AxisSet;
use partita_ir::dtype::{Shape, Type};
use rustc_hash::FxHashMap;
use shards::ManualMesh;
use smallvec::SmallVec;

/// Lowers the manual computations of a module.
///
/// # Errors
/// Collectives over groups of devices that are not those along some axes, and operations that cannot be batched.
pub fn lower_manual(module: Module<'_>) -> Result<Module<'_>> {
    if !module.funcs.iter().any(|func| contains_manual(&func.body.ops)) {
        return Ok(module);
    }
    let funcs: FxHashMap<&str, &Func<'_>> = module.funcs.iter().map(|func| (func.name, func)).collect();
    let lowered =
        module.funcs.iter().map(|func| ManualLowering::new(&funcs, &module.meshes, func).func()).collect::<Result<_>>();
    let funcs = lowered?;
    Ok(Module { attrs: module.attrs, meshes: module.meshes, funcs, locations: module.locations })
}

fn contains_manual(ops: &[Op<'_>]) -> bool {
    ops.iter().any(|op| {
        op.code == Opcode::SdyManualComputation || op.regions.iter().any(|region| contains_manual(&region.ops))
    })
}

/// A lowered value.
#[derive(Clone, Copy)]
struct Lowered {
    value: Local,
    /// Manual axes along which devices have different values. The first dimension is that of the devices, unless there
    /// are none.
    varying: AxisSet,
}

/// State of the lowering of a function.
struct ManualLowering<'m, 'a> {
    funcs: &'m FxHashMap<&'a str, &'m Func<'a>>,
    meshes: &'m [MeshDef<'a>],
    /// The function whose values are numbered by the operations that are being lowered: the function itself, or one
    /// that a manual computation calls.
    func: &'m Func<'a>,
    /// Names of the functions that are being inlined.
    inlining: Vec<&'a str>,
    out: Output<'a>,
    /// Lowered value of each value of `func`.
    values: Vec<Option<Lowered>>,
    /// The manual computation that is being lowered.
    manual: Option<ManualMesh<'a>>,
    /// Manual axes along which the results of the batched operation vary that is being lowered.
    varying: AxisSet,
}

impl<'m, 'a> ManualLowering<'m, 'a> {
    fn new(funcs: &'m FxHashMap<&'a str, &'m Func<'a>>, meshes: &'m [MeshDef<'a>], func: &'m Func<'a>) -> Self {
        ManualLowering {
            funcs,
            meshes,
            func,
            inlining: Vec::new(),
            out: Output::default(),
            values: vec![None; func.values.len()],
            manual: None,
            varying: AxisSet::EMPTY,
        }
    }

    fn func(mut self) -> Result<Func<'a>> {
        let func = self.func;
        let body = self.region(&func.body)?;
        Ok(Func {
            name: func.name,
            private: func.private,
            at: func.at.clone(),
            arg_attrs: func.arg_attrs.clone(),
            result_attrs: func.result_attrs.clone(),
            results: func.results.clone(),
            body,
            values: self.out.values,
            arg_names: func.arg_names.clone(),
            result_names: func.result_names.clone(),
        })
    }

    /// Lowers a region whose arguments are the same on all devices.
    fn region(&mut self, region: &'m Region<'a>) -> Result<Region<'a>> {
        let first = self.out.values.len() as Local;
        let args = region.args.iter().map(|arg| self.arg(arg, AxisSet::EMPTY)).collect();
        let ops = self.block(&region.ops)?;
        Ok(Region { first, args, ops })
    }

    /// Defines an argument of a region.
    fn arg(&mut self, arg: &Arg<'a>, varying: AxisSet) -> Arg<'a> {
        self.name_after(arg.value);
        let ty = self.batched_type(&arg.ty, varying);
        let value = self.out.new_value(ty.clone());
        self.define(arg.value, Lowered { value, varying });
        Arg { value, ty, at: arg.at.clone(), location: arg.location }
    }

    /// Lowers the operations of a block.
    fn block(&mut self, ops: &'m [Op<'a>]) -> Result<Vec<Op<'a>>> {
        let outside = std::mem::take(&mut self.out.ops);
        let lowered = ops.iter().try_for_each(|op| self.op(op));
        let ops = std::mem::replace(&mut self.out.ops, outside);
        lowered.map(|()| ops)
    }

    fn op(&mut self, op: &'m Op<'a>) -> Result<()> {
        self.out.site = Site { at: op.at, line: op.line, location: op.location, ..self.out.site };
        self.name_after(op.first_result);
        match (op.code, &self.manual) {
            (Opcode::SdyManualComputation, None) => self.manual_computation(op),
            (Opcode::SdyManualComputation, Some(_)) => self.nested_computation(op),
            (_, Some(_)) => self.manual_op(op),
            (_, None) => self.copied(op),
        }
    }

    /// Emits the operation itself, on values that are the same on all devices.
    fn copied(&mut self, op: &'m Op<'a>) -> Result<()> {
        let operands = op.operands.iter().map(|&x| Ok(self.lowered(x)?.value)).collect::<Result<SmallVec<_>>>()?;
        let site = self.out.site;
        let regions = op.regions.iter().map(|region| self.region(region)).collect::<Result<Vec<_>>>()?;
        self.out.site = site;
        self.push(op, operands, &vec![AxisSet::EMPTY; op.types.len()], op.attrs.clone(), regions);
        Ok(())
    }

    /// Appends an operation with the results of `op`, each of which varies along some axes, and defines them.
    fn push(
        &mut self,
        op: &Op<'a>,
        operands: SmallVec<[Local; 4]>,
        varying: &[AxisSet],
        attrs: Attrs<'a>,
        regions: Vec<Region<'a>>,
    ) {
        let first_result = self.out.values.len() as Local;
        let types: SmallVec<_> =
            op.types.iter().zip(varying).map(|(ty, &varying)| self.batched_type(ty, varying)).collect();
        for ((local, ty), &varying) in op.results().zip(&types).zip(varying) {
            self.name_after(local);
            let value = self.out.new_value(Type::clone(ty));
            self.define(local, Lowered { value, varying });
        }
        let Op { code, at, line, location, .. } = *op;
        let inherent = op.inherent.min(attrs.len());
        let attrs = self.batched_attrs(attrs, varying);
        self.out.ops.push(Op { code, at, line, operands, first_result, types, attrs, inherent, regions, location });
    }

    /// Emits `op` with other operands, types and attributes, on values with the dimension of devices.
    fn push_batched(&mut self, op: &'m Op<'a>, operands: &[Local], attrs: Attrs<'a>) -> Result<()> {
        let varying = vec![self.varying; op.types.len()];
        let site = self.out.site;
        // Regions of such operations are functions of scalars.
        let manual = self.manual.take();
        let regions = op.regions.iter().map(|region| self.region(region)).collect::<Result<Vec<_>>>();
        self.manual = manual;
        self.out.site = site;
        self.push(op, SmallVec::from_slice(operands), &varying, attrs, regions?);
        Ok(())
    }

    /// Names the values that are emitted next after a value of the function.
    fn name_after(&mut self, local: Local) {
        if let Some(value) = self.func.values.get(local as usize) {
            self.out.site = Site { name: value.name, index: value.index, name_at: value.at, ..self.out.site };
        }
    }

    fn define(&mut self, local: Local, lowered: Lowered) {
        if let Some(slot) = self.values.get_mut(local as usize) {
            *slot = Some(lowered);
        }
    }

    /// Returns the lowered value of a value. Errors: it is used outside of the region that defines it.
    fn lowered(&self, local: Local) -> Result<Lowered> {
        self.values.get(local as usize).copied().flatten().ok_or_else(|| {
            let at = self.out.site.at as usize;
            Fault::malformed("a value is used where it is not defined", at..at)
        })
    }

    /// Returns the number of combinations of coordinates along manual axes.
    fn device_count(&self, axes: AxisSet) -> usize {
        self.manual.as_ref().map_or(1, |mesh| axes.iter().map(|axis| mesh.sizes()[axis]).product())
    }

    /// Returns the type of a lowered value that varies along some axes.
    fn batched_type(&self, ty: &Type, varying: AxisSet) -> Type {
        let devices = (!varying.is_empty()).then(|| self.device_count(varying));
        Type { shape: devices.into_iter().chain(ty.shape.iter().copied()).collect::<Shape>(), dtype: ty.dtype }
    }

    /// Returns a value with the dimension of devices of the operation that is being lowered.
    fn batched(&mut self, local: Local) -> Result<Local> {
        let lowered = self.lowered(local)?;
        Ok(self.repeated(lowered, self.varying))
    }

    /// Repeats a value along the axes of `varying` along which it does not vary.
    fn repeated(&mut self, lowered: Lowered, varying: AxisSet) -> Local {
        let Lowered { value, varying: own } = lowered;
        if own == varying {
            return value;
        }
        let sizes = self.manual.as_ref().map_or(Vec::new(), ManualMesh::sizes);
        let ty = self.out.ty(value);
        let local = &ty.shape[usize::from(!own.is_empty())..];
        let batched = self.batched_type(&Type::new(ty.dtype, local), varying);
        // A value that is the same on all devices needs no dimension for each axis.
        let (all, own_dims): (Vec<usize>, Vec<usize>) = match own.is_empty() {
            true => (vec![batched.shape[0]], Vec::new()),
            false => (
                varying.iter().map(|axis| sizes[axis]).collect(),
                varying.iter().enumerate().filter(|(_, axis)| own.contains(*axis)).map(|(dim, _)| dim).collect(),
            ),
        };
        let split: Shape = own_dims.iter().map(|&dim| all[dim]).chain(local.iter().copied()).collect();
        let value = self.reshaped(value, &split);
        let dims = own_dims.iter().copied().chain(all.len()..all.len() + local.len()).map(|dim| dim as i64);
        let shape = all.iter().chain(local).copied().collect();
        let attrs = [ints("broadcast_dimensions", dims)].into_iter().collect();
        let value = self.out.emit(Opcode::BroadcastInDim, &[value], Type { shape, dtype: ty.dtype }, attrs);
        let value = self.reshaped(value, &batched.shape);
        if own.is_empty() { value } else { self.on_axes(value, varying) }
    }

    /// Defines the only result of an operation.
    fn result(&mut self, op: &Op<'a>, value: Local, varying: AxisSet) -> Result<()> {
        let wanted = op.types.first().map(|ty| self.batched_type(ty, varying));
        if wanted.as_ref() != Some(&self.out.ty(value)) {
            return Err(self.unsupported(op, "does not return the declared type"));
        }
        self.define(op.first_result, Lowered { value, varying });
        Ok(())
    }

    #[cold]
    fn unsupported(&self, op: &Op<'a>, what: &str) -> Box<Fault> {
        Fault::unsupported(format!("`{}` in a manual computation {what}", op.code.name()), op.span())
    }
}

/// Returns an attribute that is a list of integers.
fn ints<'a>(name: &'a str, values: impl IntoIterator<Item = i64>) -> (&'a str, Attr<'a>) {
    (name, Attr::Ints(values.into_iter().collect()))
}
