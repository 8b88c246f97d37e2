//! Kernels as data: which `cube` function, with what program and sizes. Equal ones are compiled once.

use crate::kernels::attention::{self, Attend, gradients, gradients::Gradients};
use crate::kernels::fold::{self, Folding};
use crate::kernels::merge::{self, Merging};
use crate::kernels::pointwise;
use crate::kernels::product::{self, Sizes};
use crate::kernels::reduce::{self, Lines, Stage};
use crate::kernels::scan::{self, Scanning};
use crate::kernels::scatter::{self, Scattering};
use crate::kernels::steps::{At, Lane, Step};
use cubecl::ir::settings::KernelSettings;
use cubecl::ir::{DeviceProperties, TargetProperties};
use cubecl::prelude::*;
pub(crate) use partita_gpu::module::Arg;
use partita_runtime::kernel::Computes;
use std::sync::Arc;

/// Most cubes along one dimension of a grid.
const MAX_CUBES: usize = 65535;

/// A kernel.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Spec {
    /// A program on every element.
    Pointwise { reads: usize, writes: usize, count: usize, steps: Vec<Step> },
    /// Reductions over lines, and programs on their elements.
    Reduce { reads: usize, writes: usize, lines: Lines, stages: Vec<Stage>, each: Vec<Step>, once: Vec<Step> },
    /// Products of matrices, and a program on each of their elements. The first two buffers are the matrices; `reads` counts those
    /// that the program reads besides.
    Product { sizes: Sizes, reads: usize, writes: usize, epilogue: Vec<Step> },
    /// Attention.
    Attention(Attend),
    /// The gradient of an attention's queries, and two numbers for each of them.
    QueryGradient(Gradients),
    /// The gradients of its keys and values, with those numbers.
    KeyValueGradients(Gradients),
    /// Folds of lines.
    Fold(Buffers, Folding),
    /// Scans of lines.
    Scan(Buffers, Scanning),
    /// A pass of a sort of lines.
    Merge(Buffers, Merging),
    /// Updates of rows.
    Scatter(Buffers, Scattering),
}

/// How many buffers a kernel reads and writes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Buffers {
    pub(crate) reads: usize,
    pub(crate) writes: usize,
}

/// A kernel and its buffers: first those that it reads, then those that it writes.
#[derive(Clone, Debug)]
pub(crate) struct Dispatch {
    pub(crate) spec: Spec,
    pub(crate) args: Vec<Arg>,
}

/// What a step computes: kernels, one after the other.
#[derive(Clone, Debug)]
pub(crate) struct Launch {
    pub(crate) dispatches: Vec<Dispatch>,
    is_copy: bool,
}

impl Launch {
    pub(crate) fn new(dispatches: Vec<Dispatch>) -> Launch {
        Launch { dispatches, is_copy: false }
    }

    /// A kernel that reads all operands and writes all results.
    pub(crate) fn one(spec: Spec, reads: usize, writes: usize) -> Launch {
        let args = (0..reads).map(Arg::Read).chain((0..writes).map(Arg::Write)).collect();
        Launch::new(vec![Dispatch { spec, args }])
    }
}

impl Computes for Launch {
    fn copy(bytes: usize) -> Launch {
        let count = bytes / 4;
        Launch { is_copy: true, ..Launch::one(copy(count, At::dense(), At::dense()), 1, 1) }
    }

    fn is_copy(&self) -> bool {
        self.is_copy
    }
}

/// Copies elements from one place to another.
pub(crate) fn copy(count: usize, from: At, to: At) -> Spec {
    let lane = Lane::U32;
    let steps = vec![Step::Load { memory: 0, at: from, lane }, Step::Store { memory: 0, at: to, lane, a: 0 }];
    Spec::Pointwise { reads: 1, writes: 1, count, steps }
}

impl Spec {
    /// What the kernel is called.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Spec::Pointwise { .. } => "pointwise",
            Spec::Reduce { .. } => "reduce",
            Spec::Product { .. } => "product",
            Spec::Attention(_) => "attention",
            Spec::QueryGradient(_) => "query_gradient",
            Spec::KeyValueGradients(_) => "key_value_gradients",
            Spec::Fold(..) => "fold",
            Spec::Scan(..) => "scan",
            Spec::Merge(..) => "merge",
            Spec::Scatter(..) => "scatter",
        }
    }

    /// How many buffers it reads, and how many it writes.
    pub(crate) fn buffers(&self) -> (usize, usize) {
        match self {
            Spec::Pointwise { reads, writes, .. } | Spec::Reduce { reads, writes, .. } => (*reads, *writes),
            Spec::Product { reads, writes, .. } => (2 + reads, *writes),
            Spec::Attention(sizes) => (3 + sizes.masks(), 1),
            Spec::QueryGradient(sizes) => (5 + sizes.of.masks(), 3),
            Spec::KeyValueGradients(sizes) => (6 + sizes.of.masks(), 2),
            Spec::Fold(buffers, _) | Spec::Scan(buffers, _) | Spec::Merge(buffers, _) | Spec::Scatter(buffers, _) => {
                (buffers.reads, buffers.writes)
            }
        }
    }

    /// How many cubes there are.
    fn cubes(&self) -> usize {
        match self {
            Spec::Pointwise { count, .. } => count.div_ceil(pointwise::UNITS),
            Spec::Reduce { lines, .. } => lines.count.div_ceil(reduce::UNITS / lines.units),
            Spec::Attention(sizes) => sizes.cubes(),
            Spec::QueryGradient(sizes) => sizes.of.cubes(),
            Spec::KeyValueGradients(sizes) => sizes.column_cubes(),
            Spec::Product { sizes, .. } => {
                sizes.batch * sizes.m.div_ceil(product::TILE) * sizes.n.div_ceil(product::TILE)
            }
            Spec::Fold(_, fold) => fold.lines.div_ceil(fold::UNITS / fold.units),
            Spec::Scan(_, scan) => scan.lines,
            Spec::Merge(_, merge) => (merge.lines * merge.items).div_ceil(merge::UNITS),
            Spec::Scatter(_, scatter) => scatter.rows * scatter.columns.div_ceil(scatter::UNITS),
        }
    }

    /// The grid: as many cubes as there are, or a few more where they do not fit into one dimension.
    pub(crate) fn grid(&self) -> [u32; 3] {
        let cubes = self.cubes();
        let y = cubes.div_ceil(MAX_CUBES).max(1);
        [cubes.div_ceil(y) as u32, y as u32, 1]
    }

    /// Units of a cube.
    pub(crate) fn units(&self) -> usize {
        match self {
            Spec::Pointwise { .. } => pointwise::UNITS,
            Spec::Reduce { .. } => reduce::UNITS,
            Spec::Product { .. } => product::UNITS,
            Spec::Attention(_) | Spec::QueryGradient(_) | Spec::KeyValueGradients(_) => attention::UNITS,
            Spec::Fold(..) => fold::UNITS,
            Spec::Scan(..) => scan::UNITS,
            Spec::Merge(..) => merge::UNITS,
            Spec::Scatter(..) => scatter::UNITS,
        }
    }

    /// Products without anything behind them.
    pub(crate) fn product(sizes: Sizes) -> Spec {
        let lane = Lane::F32;
        let store = Step::Store { memory: 0, at: At::dense(), lane, a: 0 };
        Spec::Product { sizes, reads: 0, writes: 1, epilogue: vec![Step::Reduced { number: 0 }, store] }
    }

    /// The kernel for devices with those properties.
    pub(crate) fn define(&self, device: &Arc<DeviceProperties>, target: &Arc<TargetProperties>) -> KernelDefinition {
        let cube = CubeDim::new_1d(self.units() as u32);
        let settings = KernelSettings::new(cube.into(), ExecutionMode::Unchecked, AddressType::U32);
        let (device, target) = (device.clone(), target.clone());
        match self.clone() {
            Spec::Pointwise { reads, writes, count, steps } => {
                let (reads, writes) = (buffers(reads), buffers(writes));
                pointwise::pointwise::Pointwise::new(settings, device, target, reads, writes, count, steps).define()
            }
            Spec::Reduce { reads, writes, lines, stages, each, once } => {
                let (reads, writes) = (buffers(reads), buffers(writes));
                reduce::reduce::Reduce::new(settings, device, target, reads, writes, lines, stages, each, once).define()
            }
            Spec::Product { sizes, reads, writes, epilogue } => {
                let (left, right) = (buffer(), buffer());
                let (reads, writes) = (buffers(reads), buffers(writes));
                let kernel = product::product::Product::new;
                kernel(settings, device, target, left, right, reads, writes, sizes, epilogue).define()
            }
            Spec::Attention(sizes) => {
                let (q, k, v, out) = (buffer(), buffer(), buffer(), buffer());
                let masks = buffers(sizes.masks());
                let kernel = attention::attention::Attention::new;
                kernel(settings, device, target, q, k, v, masks, out, sizes).define()
            }
            Spec::QueryGradient(sizes) => {
                let [q, k, v, y, g, to, totals, means] = std::array::from_fn(|_| buffer());
                let masks = buffers(sizes.of.masks());
                let kernel = gradients::query_gradient::QueryGradient::new;
                kernel(settings, device, target, q, k, v, y, g, masks, to, totals, means, sizes).define()
            }
            Spec::KeyValueGradients(sizes) => {
                let [q, k, v, g, totals, means, to_keys, to_values] = std::array::from_fn(|_| buffer());
                let masks = buffers(sizes.of.masks());
                let kernel = gradients::key_value_gradients::KeyValueGradients::new;
                kernel(settings, device, target, q, k, v, g, totals, means, masks, to_keys, to_values, sizes).define()
            }
            Spec::Fold(Buffers { reads, writes }, fold) => {
                let (reads, writes) = (buffers(reads), buffers(writes));
                fold::fold::Fold::new(settings, device, target, reads, writes, fold).define()
            }
            Spec::Scan(Buffers { reads, writes }, scan) => {
                let (reads, writes) = (buffers(reads), buffers(writes));
                scan::scan::Scan::new(settings, device, target, reads, writes, scan).define()
            }
            Spec::Merge(Buffers { reads, writes }, merge) => {
                let (reads, writes) = (buffers(reads), buffers(writes));
                merge::merge::Merge::new(settings, device, target, reads, writes, merge).define()
            }
            Spec::Scatter(Buffers { reads, writes }, scatter) => {
                let (reads, writes) = (buffers(reads), buffers(writes));
                scatter::scatter::Scatter::new(settings, device, target, reads, writes, scatter).define()
            }
        }
    }
}

fn buffer() -> BufferCompilationArg {
    BufferCompilationArg { inplace: None }
}

fn buffers<E: CubePrimitive>(n: usize) -> SequenceCompilationArg<Box<[E]>> {
    (0..n).map(|_| buffer()).collect()
}
