//! Gather and scatter: slices at indices that are known only when the program runs.

use super::Lowerer;
use partita_ir::arena::OpId;
use partita_ir::dtype::DType;
use partita_ir::ops::{Combine, Gather, Scatter};
use partita_lowering::view::{Dims, dense_strides};
use partita_machine::host::{Cost, Touch, Work};
use partita_runtime::kernel::{Kernel, KernelCx, Memory};
use std::sync::Arc;

/// Where slices of an operand lie, and what names them.
struct Slices {
    /// Sizes of the operand's dimensions, and elements from one to the next.
    operand: Dims<usize>,
    operand_strides: Dims<isize>,
    /// Size of a slice in every dimension of the operand.
    size: Dims<usize>,
    /// By component of an index vector, the operand's dimension.
    map: Dims<usize>,
    /// Sizes of the dimensions over which slices are enumerated, and elements from one to the next, in the indices and
    /// in the side that has the slices one after the other.
    outer: Dims<usize>,
    outer_indices: Dims<isize>,
    outer_slices: Dims<isize>,
    /// Operand dimensions that run along with an outer one.
    batch: Vec<(usize, usize)>,
    /// Elements from one component of an index vector to the next.
    component: isize,
    index_dtype: DType,
    /// Dimensions of the slice with more than one element: size, and strides in the operand and among the slices.
    within: Vec<(usize, isize, isize)>,
    /// The operand's dimension of each of these.
    within_dims: Vec<usize>,
}

/// What both ops say of their dimensions.
struct Dimensions<'a> {
    window: &'a [usize],
    dropped: &'a [usize],
    operand_batch: &'a [usize],
    index_batch: &'a [usize],
    map: &'a [usize],
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
            within_dims: inner.iter().copied().filter(|&o| size[o] != 1).collect(),
            within: inner
                .iter()
                .zip(d.window)
                .filter(|(o, _)| size[**o] != 1)
                .map(|(&o, &w)| (size[o], strides[o], slice_strides[w]))
                .collect(),
            operand_strides: strides,
        }
    }

    /// Calls `see` for each slice, with its beginning among the slices and its beginning in the operand, where it lies
    /// inside or `clamp` moves it in; and with its beginning in each dimension.
    unsafe fn each(&self, indices: *const u8, clamp: bool, mut see: impl FnMut(isize, Option<isize>, &[i64])) {
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
                let inside = (0..=last).contains(&at);
                let at = at.clamp(0, last) as isize * self.operand_strides[d];
                start = start.filter(|_| inside || clamp).map(|s: isize| s + at);
            }
            for &(d, outer) in &self.batch {
                starts[d] = index[outer] as i64;
                start = start.map(|s| s + index[outer] as isize * self.operand_strides[d]);
            }
            see(to, start, &starts);
            for d in (0..self.outer.len()).rev() {
                index[d] += 1;
                if index[d] < self.outer[d] {
                    break;
                }
                index[d] = 0;
            }
        }
    }

    /// Calls `see` with the elements of a slice that lie inside, one by one: where in the operand, and where behind the
    /// slice's beginning.
    fn inside(&self, starts: &[i64], mut see: impl FnMut(isize, isize)) {
        let fixed = (0..starts.len()).filter(|d| !self.within_dims.contains(d));
        let mut base = 0;
        for d in fixed {
            if !(0..self.operand[d] as i64).contains(&starts[d]) {
                return;
            }
            base += starts[d] as isize * self.operand_strides[d];
        }
        for i in 0..self.within.iter().map(|w| w.0).product() {
            let (mut rest, mut to, mut from, mut is_inside) = (i, base, 0, true);
            for (&(n, _, stride), &d) in self.within.iter().zip(&self.within_dims).rev() {
                let at = (rest % n) as i64;
                rest /= n;
                is_inside &= starts[d].checked_add(at).is_some_and(|x| (0..self.operand[d] as i64).contains(&x));
                to += starts[d].wrapping_add(at) as isize * self.operand_strides[d];
                from += at as isize * stride;
            }
            if is_inside {
                see(to, from);
            }
        }
    }

    /// How many slices there are, and elements in each.
    fn counts(&self) -> (usize, usize) {
        (self.outer.iter().product(), self.within.iter().map(|w| w.0).product())
    }

    /// Calls `see` with the offsets of runs of a slice in the operand and among the slices: their length and strides.
    #[inline(always)]
    fn runs(&self, mut see: impl FnMut(isize, isize, usize, isize, isize)) {
        let Some((&(n, a, b), outer)) = self.within.split_last() else { return see(0, 0, 1, 1, 1) };
        let mut index: Dims<usize> = Dims::from_elem(0, outer.len());
        loop {
            let at = |pick: fn(&(usize, isize, isize)) -> isize| -> isize {
                index.iter().zip(outer).map(|(&i, dim)| i as isize * pick(dim)).sum()
            };
            see(at(|d| d.1), at(|d| d.2), n, a, b);
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

/// An index.
unsafe fn integer(from: *const u8, at: isize, dtype: DType) -> i64 {
    // SAFETY: what the caller promises.
    unsafe {
        match dtype {
            DType::I64 => *from.cast::<i64>().offset(at),
            DType::U64 => i64::try_from(*from.cast::<u64>().offset(at)).unwrap_or(i64::MAX),
            DType::I32 => (*from.cast::<i32>().offset(at)).into(),
            DType::U32 => (*from.cast::<u32>().offset(at)).into(),
            DType::I8 => (*from.cast::<i8>().offset(at)).into(),
            _ => (*from.offset(at)).into(),
        }
    }
}

/// `gather`, of elements of so many bytes.
struct Collect {
    slices: Slices,
    fill: bool,
    width: usize,
}

/// Lowers a gather.
pub(super) fn lower_gather(to: &mut Lowerer<'_>, id: OpId, op: &Gather) -> bool {
    let args = to.program.ops[id].args.clone();
    let (x, i, y) = (to.program.ty(args[0]), to.program.ty(args[1]), to.program.ty(to.program.ops[id].outs[0]));
    // u64 as a bit pattern of i64 is what the reference reads.
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
    let kernel = Collect { slices, fill: op.fill, width: y.dtype.bytes() as usize };
    let reads = args.iter().map(|&arg| to.dense(id, arg)).collect();
    let result = to.result(id);
    to.compute(id, Arc::new(kernel), reads, vec![result]);
    true
}

impl Kernel for Collect {
    unsafe fn run(&self, _: &KernelCx<'_>, memory: Memory<'_>) -> Result<(), String> {
        // SAFETY: the step was compiled for these shapes.
        unsafe {
            match self.width {
                1 => self.all::<u8>(memory),
                2 => self.all::<u16>(memory),
                4 => self.all::<u32>(memory),
                _ => self.all::<u64>(memory),
            }
        }
        Ok(())
    }

    fn work(&self, _: usize) -> Work {
        let (slices, elements) = self.slices.counts();
        let run = self.slices.within.last().map_or((1, true), |&(n, a, b)| (n, a == 1 && b == 1));
        let work = Work::default().with(Cost::Slice, slices);
        let bytes = slices * elements * self.width;
        let work = work.over(Touch::Read(0), bytes).over(Touch::Written(0), bytes);
        match run {
            (n, true) => work.with(Cost::Line, slices * elements / n.max(1)),
            (_, false) => work.with(Cost::Scattered, slices * elements),
        }
    }
}

impl Collect {
    unsafe fn all<T: Copy + Default>(&self, memory: Memory<'_>) {
        let (from, to) = (memory.reads[0].cast::<T>(), memory.writes[0].cast::<T>());
        // SAFETY: what the caller promises; slices are inside of the operand.
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

/// `scatter` that replaces or adds up, of `f32` or `f64`.
struct Spread {
    slices: Slices,
    dtype: DType,
    adds: bool,
    bytes: usize,
}

/// Lowers a scatter.
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
        Spread { slices, dtype: x_type.dtype, adds: op.combine == Combine::Sum, bytes: x_type.bytes() as usize };
    let reads = args.iter().map(|&arg| to.dense(id, arg)).collect();
    let result = to.result(id);
    to.compute_with(id, Arc::new(kernel), 0, vec![(0, 0)], reads, vec![result]);
    true
}

impl Kernel for Spread {
    unsafe fn run(&self, _: &KernelCx<'_>, memory: Memory<'_>) -> Result<(), String> {
        // SAFETY: the step was compiled for these shapes; operand and result are the same memory or do not overlap.
        unsafe {
            if memory.reads[0] != memory.writes[0].cast_const() {
                std::ptr::copy_nonoverlapping(memory.reads[0], memory.writes[0], self.bytes);
            }
            match self.dtype {
                DType::F64 => self.all::<f64>(memory),
                _ => self.all::<f32>(memory),
            }
        }
        Ok(())
    }

    fn work(&self, _: usize) -> Work {
        let (slices, elements) = self.slices.counts();
        let spread = Work::default().with(Cost::Slice, slices).with(Cost::Scattered, slices * elements);
        let bytes = slices * elements * self.dtype.bytes() as usize;
        let copied = spread.with(Cost::Line, 1).over(Touch::Read(0), self.bytes);
        copied.over(Touch::Read(2), bytes).over(Touch::Written(0), self.bytes + 2 * bytes)
    }
}

impl Spread {
    unsafe fn all<T: Copy + std::ops::AddAssign>(&self, memory: Memory<'_>) {
        let (from, to) = (memory.reads[2].cast::<T>(), memory.writes[0].cast::<T>());
        // SAFETY: what the caller promises; slices are inside of the operand.
        unsafe {
            self.slices.each(memory.reads[1], false, |from_start, to_start, starts| {
                let Some(to_start) = to_start else {
                    self.slices.inside(starts, |to_at, from_at| {
                        self.put(to.offset(to_at), *from.offset(from_start + from_at))
                    });
                    return;
                };
                self.slices.runs(|a, b, n, to_step, from_step| {
                    let (to, from) = (to.offset(to_start + a), from.offset(from_start + b));
                    for i in 0..n as isize {
                        self.put(to.offset(i * to_step), *from.offset(i * from_step));
                    }
                });
            });
        }
    }

    #[inline(always)]
    unsafe fn put<T: Copy + std::ops::AddAssign>(&self, to: *mut T, x: T) {
        // SAFETY: what the caller promises.
        unsafe {
            if self.adds {
                *to += x;
            } else {
                *to = x;
            }
        }
    }
}
