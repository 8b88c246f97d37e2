//! Kernels of `gather` and `scatter`, which access slices of an operand at dynamic indices.

use super::Lowerer;
use partita_ir::arena::OpId;
use partita_ir::dtype::DType;
use partita_ir::ops::{Combine, Gather, Scatter};
use partita_lowering::view::{Dims, dense_strides};
use partita_machine::host::{Cost, MemoryAccess, Work};
use partita_runtime::kernel::{Kernel, KernelCx, Memory};
use std::sync::Arc;

/// Slices of an operand at dynamic indices. The slices together form a tensor: the result of `gather`, or the updates
/// of `scatter`.
struct Slices {
    /// Sizes of the operand's dimensions.
    operand: Dims<usize>,
    /// Strides of the operand's dimensions, in elements.
    operand_strides: Dims<isize>,
    /// Size of a slice in every dimension of the operand.
    size: Dims<usize>,
    /// Operand dimension that each component of an index vector indexes.
    map: Dims<usize>,
    /// Sizes of the outer dimensions, which enumerate the slices.
    outer: Dims<usize>,
    /// Strides of the outer dimensions in the indices.
    outer_indices: Dims<isize>,
    /// Strides of the outer dimensions in the tensor of slices.
    outer_slices: Dims<isize>,
    /// Pairs of an operand batch dimension and the outer dimension with the same index.
    batch: Vec<(usize, usize)>,
    /// Stride between the components of an index vector in the indices.
    component: isize,
    index_dtype: DType,
    /// Dimensions of a slice with more than one element: size, stride in the operand, and stride in the tensor of
    /// slices.
    slice_shape: Vec<(usize, isize, isize)>,
    /// Operand dimension of each entry of `slice_shape`.
    slice_dims: Vec<usize>,
}

/// Dimension attributes common to `gather` and `scatter`, in the terms of StableHLO.
struct Dimensions<'a> {
    /// Dimensions of the tensor of slices that enumerate the elements of a slice.
    window: &'a [usize],
    /// Operand dimensions in which a slice has one element and which the tensor of slices lacks.
    dropped: &'a [usize],
    /// Operand dimensions that are batch dimensions.
    operand_batch: &'a [usize],
    /// Dimension of the indices for each operand batch dimension.
    index_batch: &'a [usize],
    /// Operand dimension that each component of an index vector indexes.
    map: &'a [usize],
    /// Dimension of the indices that contains the components of an index vector.
    vector: usize,
}

impl Slices {
    fn new(
        d: &Dimensions<'_>,
        operand: &[usize],
        indices: &[usize],
        dtype: DType,
        slices: &[usize],
        size: &[usize],
    ) -> Slices {
        let strides = dense_strides(operand);
        let index_strides = dense_strides(indices);
        let slice_strides = dense_strides(slices);
        let outer_dims: Vec<usize> = (0..slices.len()).filter(|i| !d.window.contains(i)).collect();
        let index_dims: Vec<usize> = (0..indices.len()).filter(|&i| i != d.vector).collect();
        let inner: Vec<usize> =
            (0..operand.len()).filter(|i| !d.dropped.contains(i) && !d.operand_batch.contains(i)).collect();
        let along = |i: &usize| index_dims.iter().position(|x| x == i).unwrap_or(0);
        Slices {
            operand: operand.into(),
            size: size.into(),
            map: d.map.into(),
            outer: outer_dims.iter().map(|&o| slices[o]).collect(),
            outer_indices: index_dims.iter().map(|&i| index_strides[i]).collect(),
            outer_slices: outer_dims.iter().map(|&o| slice_strides[o]).collect(),
            batch: d.operand_batch.iter().zip(d.index_batch).map(|(&o, i)| (o, along(i))).collect(),
            component: index_strides.get(d.vector).copied().unwrap_or(1),
            index_dtype: dtype,
            slice_dims: inner.iter().copied().filter(|&o| size[o] != 1).collect(),
            slice_shape: inner
                .iter()
                .zip(d.window)
                .filter(|(o, _)| size[**o] != 1)
                .map(|(&o, &w)| (size[o], strides[o], slice_strides[w]))
                .collect(),
            operand_strides: strides,
        }
    }

    /// Calls `visit` for each slice with its offset in the tensor of slices, its offset in the operand, and its start
    /// index in each operand dimension. If the slice is out of bounds, its offset in the operand is `None`, or with
    /// `clamp` that of the nearest slice in bounds.
    ///
    /// # Safety
    /// `indices` is the address of the index tensor.
    unsafe fn each(&self, indices: *const u8, clamp: bool, mut visit: impl FnMut(isize, Option<isize>, &[i64])) {
        let mut starts: Dims<i64> = Dims::from_elem(0, self.operand.len());
        let mut index: Dims<usize> = Dims::from_elem(0, self.outer.len());
        for _ in 0..self.outer.iter().product() {
            let dot = |strides: &[isize]| -> isize { index.iter().zip(strides).map(|(&i, s)| i as isize * s).sum() };
            let (from, to) = (dot(&self.outer_indices), dot(&self.outer_slices));
            let mut start = Some(0);
            for (c, &d) in self.map.iter().enumerate() {
                // SAFETY: the indices have an element for each outer index and component.
                let at = unsafe { integer(indices, from + c as isize * self.component, self.index_dtype) };
                starts[d] = at;
                let last = (self.operand[d] - self.size[d]) as i64;
                let in_bounds = (0..=last).contains(&at);
                let at = at.clamp(0, last) as isize * self.operand_strides[d];
                start = start.filter(|_| in_bounds || clamp).map(|s: isize| s + at);
            }
            for &(d, outer) in &self.batch {
                starts[d] = index[outer] as i64;
                start = start.map(|s| s + index[outer] as isize * self.operand_strides[d]);
            }
            visit(to, start, &starts);
            for d in (0..self.outer.len()).rev() {
                index[d] += 1;
                if index[d] < self.outer[d] {
                    break;
                }
                index[d] = 0;
            }
        }
    }

    /// Calls `visit` for each in-bounds element of a slice with the given start index, with its offset in the operand
    /// and its offset from the first element of the slice in the tensor of slices.
    fn each_in_bounds(&self, starts: &[i64], mut visit: impl FnMut(isize, isize)) {
        let fixed = (0..starts.len()).filter(|d| !self.slice_dims.contains(d));
        let mut base = 0;
        for d in fixed {
            if !(0..self.operand[d] as i64).contains(&starts[d]) {
                return;
            }
            base += starts[d] as isize * self.operand_strides[d];
        }
        for i in 0..self.slice_shape.iter().map(|w| w.0).product() {
            let (mut rest, mut to, mut from, mut is_inside) = (i, base, 0, true);
            for (&(n, _, stride), &d) in self.slice_shape.iter().zip(&self.slice_dims).rev() {
                let at = (rest % n) as i64;
                rest /= n;
                is_inside &= starts[d].checked_add(at).is_some_and(|x| (0..self.operand[d] as i64).contains(&x));
                to += starts[d].wrapping_add(at) as isize * self.operand_strides[d];
                from += at as isize * stride;
            }
            if is_inside {
                visit(to, from);
            }
        }
    }

    /// Returns the number of slices and the number of elements of each.
    fn counts(&self) -> (usize, usize) {
        (self.outer.iter().product(), self.slice_shape.iter().map(|w| w.0).product())
    }

    /// Calls `visit` for each line of a slice along its innermost dimension, with the line's offsets in the operand and
    /// in the tensor of slices, its length, and its strides in both.
    #[inline(always)]
    fn runs(&self, mut visit: impl FnMut(isize, isize, usize, isize, isize)) {
        let Some((&(n, a, b), outer)) = self.slice_shape.split_last() else { return visit(0, 0, 1, 1, 1) };
        let mut index: Dims<usize> = Dims::from_elem(0, outer.len());
        loop {
            let at = |pick: fn(&(usize, isize, isize)) -> isize| -> isize {
                index.iter().zip(outer).map(|(&i, dim)| i as isize * pick(dim)).sum()
            };
            visit(at(|d| d.1), at(|d| d.2), n, a, b);
            let mut d = outer.len();
            loop {
                if d == 0 {
                    return;
                }
                d -= 1;
                index[d] += 1;
                if index[d] < outer[d].0 {
                    break;
                }
                index[d] = 0;
            }
        }
    }
}

/// Reads an element of the index tensor. A `u64` that exceeds `i64::MAX` is clamped.
///
/// # Safety
/// `from` is the address of a tensor of this dtype with an element at `at`.
pub(super) unsafe fn integer(from: *const u8, at: isize, dtype: DType) -> i64 {
    // SAFETY: guaranteed by the caller.
    unsafe {
        match dtype {
            DType::I64 => *from.cast::<i64>().offset(at),
            DType::U64 => i64::try_from(*from.cast::<u64>().offset(at)).unwrap_or(i64::MAX),
            DType::I32 => (*from.cast::<i32>().offset(at)).into(),
            DType::U32 => (*from.cast::<u32>().offset(at)).into(),
            DType::I16 => (*from.cast::<i16>().offset(at)).into(),
            DType::U16 => (*from.cast::<u16>().offset(at)).into(),
            DType::I8 | DType::I4 | DType::I2 => (*from.cast::<i8>().offset(at)).into(),
            _ => (*from.offset(at)).into(),
        }
    }
}

/// Kernel of `gather`.
struct GatherKernel {
    slices: Slices,
    /// True if slices that are out of bounds are filled with zeros; false if they are moved into bounds.
    fill: bool,
    /// Bytes of an element.
    width: usize,
}

/// Lowers a `gather`. Returns false for unsupported ops.
pub(super) fn lower_gather(to: &mut Lowerer<'_>, id: OpId, op: &Gather) -> bool {
    let args = to.program.ops[id].args.clone();
    let (x, i, y) = (to.program.ty(args[0]), to.program.ty(args[1]), to.program.ty(to.program.ops[id].outs[0]));
    // The reference implementation reads `u64` indices as bit patterns of `i64`.
    if y.shape.count() == 0 || x.shape.count() == 0 || i.dtype == DType::U64 {
        return false;
    }
    let d = Dimensions {
        window: &op.offset_dims,
        dropped: &op.collapsed_dims,
        operand_batch: &op.operand_batch_dims,
        index_batch: &op.index_batch_dims,
        map: &op.index_map,
        vector: op.index_vector_dim,
    };
    let slices = Slices::new(&d, &x.shape, &i.shape, i.dtype, &y.shape, &op.slice_sizes);
    let kernel = GatherKernel { slices, fill: op.fill, width: y.dtype.bytes() as usize };
    let reads = args.iter().map(|&arg| to.dense(id, arg)).collect();
    let result = to.result(id);
    to.compute(id, Arc::new(kernel), reads, vec![result]);
    true
}

impl Kernel for GatherKernel {
    unsafe fn run(&self, _: &KernelCx<'_>, memory: Memory<'_>) -> Result<(), String> {
        // SAFETY: the step was compiled for these shapes.
        unsafe {
            match self.width {
                1 => self.run_typed::<u8>(memory),
                2 => self.run_typed::<u16>(memory),
                4 => self.run_typed::<u32>(memory),
                _ => self.run_typed::<u64>(memory),
            }
        }
        Ok(())
    }

    fn work(&self, _: usize) -> Work {
        let (slices, elements) = self.slices.counts();
        let run = self.slices.slice_shape.last().map_or((1, true), |&(n, a, b)| (n, a == 1 && b == 1));
        let work = Work::default().with(Cost::Slice, slices);
        let bytes = slices * elements * self.width;
        let work = work.with_access(MemoryAccess::Read(0), bytes).with_access(MemoryAccess::Write(0), bytes);
        match run {
            (n, true) => work.with(Cost::Line, slices * elements / n.max(1)),
            (_, false) => work.with(Cost::ScatteredElement, slices * elements),
        }
    }
}

impl GatherKernel {
    unsafe fn run_typed<T: Copy + Default>(&self, memory: Memory<'_>) {
        let (from, to) = (memory.reads[0].cast::<T>(), memory.writes[0].cast::<T>());
        // SAFETY: guaranteed by the caller; slices are inside of the operand.
        unsafe {
            self.slices.each(memory.reads[1], !self.fill, |to_start, from_start, _| {
                self.slices.runs(|a, b, n, from_step, to_step| {
                    let to = to.offset(to_start + b);
                    match from_start.map(|start| from.offset(start + a)) {
                        Some(from) if from_step == 1 && to_step == 1 => std::ptr::copy_nonoverlapping(from, to, n),
                        Some(from) => {
                            (0..n as isize).for_each(|i| *to.offset(i * to_step) = *from.offset(i * from_step));
                        }
                        None => (0..n as isize).for_each(|i| *to.offset(i * to_step) = T::default()),
                    }
                });
            });
        }
    }
}

/// Kernel of `scatter` for `f32` or `f64`, with updates that are assigned or added.
struct ScatterKernel {
    slices: Slices,
    dtype: DType,
    /// True if updates are added, false if they are assigned.
    adds: bool,
    /// Bytes of the operand.
    bytes: usize,
}

/// Lowers a `scatter`. Returns false for unsupported ops.
pub(super) fn lower_scatter(to: &mut Lowerer<'_>, id: OpId, op: &Scatter) -> bool {
    let args = to.program.ops[id].args.clone();
    let &[x, i, u] = &args[..] else { return false };
    let (x_type, i_type, u_type) = (to.program.ty(x), to.program.ty(i), to.program.ty(u));
    let fits = matches!(x_type.dtype, DType::F32 | DType::F64) && matches!(op.combine, Combine::Set | Combine::Sum);
    if !fits || u_type.shape.count() == 0 || x_type.shape.count() == 0 || i_type.dtype == DType::U64 {
        return false;
    }
    let d = Dimensions {
        window: &op.update_window_dims,
        dropped: &op.inserted_dims,
        operand_batch: &op.operand_batch_dims,
        index_batch: &op.index_batch_dims,
        map: &op.index_map,
        vector: op.index_vector_dim,
    };
    let mut size: Dims<usize> = Dims::from_elem(1, x_type.shape.rank());
    let inner = (0..x_type.shape.rank()).filter(|o| !d.dropped.contains(o) && !d.operand_batch.contains(o));
    for (o, &w) in inner.zip(d.window) {
        size[o] = u_type.shape[w];
    }
    if (0..size.len()).any(|o| size[o] > x_type.shape[o]) {
        return false;
    }
    let slices = Slices::new(&d, &x_type.shape, &i_type.shape, i_type.dtype, &u_type.shape, &size);
    let kernel =
        ScatterKernel { slices, dtype: x_type.dtype, adds: op.combine == Combine::Sum, bytes: x_type.bytes() as usize };
    let reads = args.iter().map(|&arg| to.dense(id, arg)).collect();
    let result = to.result(id);
    to.compute_with(id, Arc::new(kernel), 0, vec![(0, 0)], reads, vec![result]);
    true
}

impl Kernel for ScatterKernel {
    unsafe fn run(&self, _: &KernelCx<'_>, memory: Memory<'_>) -> Result<(), String> {
        // SAFETY: the step was compiled for these shapes; operand and result are identical or do not overlap.
        unsafe {
            if memory.reads[0] != memory.writes[0].cast_const() {
                std::ptr::copy_nonoverlapping(memory.reads[0], memory.writes[0], self.bytes);
            }
            match self.dtype {
                DType::F64 => self.run_typed::<f64>(memory),
                _ => self.run_typed::<f32>(memory),
            }
        }
        Ok(())
    }

    fn work(&self, _: usize) -> Work {
        let (slices, elements) = self.slices.counts();
        let spread = Work::default().with(Cost::Slice, slices).with(Cost::ScatteredElement, slices * elements);
        let bytes = slices * elements * self.dtype.bytes() as usize;
        let copied = spread.with(Cost::Line, 1).with_access(MemoryAccess::Read(0), self.bytes);
        copied.with_access(MemoryAccess::Read(2), bytes).with_access(MemoryAccess::Write(0), self.bytes + 2 * bytes)
    }
}

impl ScatterKernel {
    unsafe fn run_typed<T: Copy + std::ops::AddAssign>(&self, memory: Memory<'_>) {
        let (from, to) = (memory.reads[2].cast::<T>(), memory.writes[0].cast::<T>());
        // SAFETY: guaranteed by the caller; slices are inside of the operand.
        unsafe {
            self.slices.each(memory.reads[1], false, |from_start, to_start, starts| {
                let Some(to_start) = to_start else {
                    self.slices.each_in_bounds(starts, |to_at, from_at| {
                        self.update(to.offset(to_at), *from.offset(from_start + from_at))
                    });
                    return;
                };
                self.slices.runs(|a, b, n, to_step, from_step| {
                    let (to, from) = (to.offset(to_start + a), from.offset(from_start + b));
                    for i in 0..n as isize {
                        self.update(to.offset(i * to_step), *from.offset(i * from_step));
                    }
                });
            });
        }
    }

    #[inline(always)]
    unsafe fn update<T: Copy + std::ops::AddAssign>(&self, to: *mut T, x: T) {
        // SAFETY: guaranteed by the caller.
        unsafe {
            if self.adds {
                *to += x;
            } else {
                *to = x;
            }
        }
    }
}
