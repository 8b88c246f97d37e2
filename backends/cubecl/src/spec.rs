//! Kernels as data: which `cube` function, with what program and sizes. Equal ones are compiled once.

use crate::kernels::attention::fragments::{self, Reading};
use crate::kernels::attention::gradients::{self, Gradients};
use crate::kernels::attention::{self, Attend};
use crate::kernels::attention::{tensor, tensor_gradients};
use crate::kernels::contract::{self, Contraction};
use crate::kernels::fold::{self, Folding};
use crate::kernels::half::Half;
use crate::kernels::merge::{self, Merging};
use crate::kernels::pointwise;
use crate::kernels::product::{self, Sizes};
use crate::kernels::reduce::{self, Lines, Stage};
use crate::kernels::scan::{self, Scanning};
use crate::kernels::scatter::{self, Scattering};
use crate::kernels::steps::{At, Lane, Step};
use crate::kernels::tensor_product::{self, Cut};
use crate::kernels::together::{self, Part};
use cubecl::ir::settings::KernelSettings;
use cubecl::ir::{DeviceProperties, TargetProperties};
use cubecl::prelude::*;
use half::{bf16, f16};
use std::sync::Arc;

/// Most cubes along one dimension of a grid.
const MAX_CUBES: usize = 65535;

/// What floats are in memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Float {
    F32,
    Bf16,
    F16,
}

/// A kernel.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Spec {
    /// A program on every element.
    Pointwise { reads: usize, writes: usize, count: usize, steps: Vec<Step> },
    /// Several of these.
    Together { reads: usize, writes: usize, parts: Vec<Part> },
    /// Reductions over lines, and programs on their elements.
    Reduce { reads: usize, writes: usize, lines: Lines, stages: Vec<Stage>, each: Vec<Step>, once: Vec<Step> },
    /// Products of matrices, and a program on each of their elements. The first two buffers are the matrices; `reads`
    /// counts those that the program reads besides.
    Product { of: Factors, reads: usize, writes: usize, epilogue: Vec<Step> },
    /// Attention of such floats; of narrow ones on tensor cores, if it says how they are read.
    Attention(Attend, Float, Option<Reading>),
    /// The gradient of an attention's queries, and two numbers for each of them.
    QueryGradient(Gradients, Float, Option<Reading>),
    /// The gradients of its keys and values, with those numbers.
    KeyValueGradients(Gradients, Float, Option<Reading>),
    /// Folds of lines.
    Fold(Buffers, Folding),
    /// Scans of lines.
    Scan(Buffers, Scanning),
    /// A pass of a sort of lines.
    Merge(Buffers, Merging),
    /// Updates of rows.
    Scatter(Buffers, Scattering),
}

/// What is multiplied, and how.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Factors {
    /// Matrices of words, tile by tile.
    Words(Sizes),
    /// Matrices of narrow floats, cut for tensor cores.
    Narrow(Sizes, Cut, Float),
    /// Matrices whose elements are computed: those of a convolution.
    Computed(Contraction),
}

impl Factors {
    /// How many elements the results have.
    pub(crate) fn count(&self) -> usize {
        match self {
            Factors::Words(sizes) | Factors::Narrow(sizes, ..) => sizes.batch * sizes.m * sizes.n,
            Factors::Computed(contraction) => contraction.count(),
        }
    }

    fn cubes(&self) -> usize {
        match self {
            Factors::Words(sizes) => sizes.batch * sizes.m.div_ceil(product::TILE) * sizes.n.div_ceil(product::TILE),
            Factors::Narrow(sizes, cut, _) => cut.cubes(sizes),
            Factors::Computed(contraction) => contraction.cubes(),
        }
    }

    fn units(&self) -> usize {
        match self {
            Factors::Words(_) => product::UNITS,
            Factors::Narrow(_, cut, _) => cut.units(),
            Factors::Computed(_) => contract::UNITS,
        }
    }
}

/// How many buffers a kernel reads and writes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Buffers {
    pub(crate) reads: usize,
    pub(crate) writes: usize,
}

/// Copies elements of so many bytes from one place to another.
pub(crate) fn copy(count: usize, width: usize, from: At, to: At) -> Spec {
    let steps = match width {
        // Whatever they are, nothing is done with them.
        2 => {
            let half = Half::Bf16;
            vec![Step::LoadHalf { memory: 0, at: from, half }, Step::StoreHalf { memory: 0, at: to, half, a: 0 }]
        }
        _ => {
            let lane = Lane::U32;
            vec![Step::Load { memory: 0, at: from, lane }, Step::Store { memory: 0, at: to, lane, a: 0 }]
        }
    };
    Spec::Pointwise { reads: 1, writes: 1, count, steps }
}

/// Sets so many words to zero.
pub(crate) fn clear(count: usize) -> Spec {
    let lane = Lane::U32;
    let steps = vec![Step::Constant { lane, bits: 0 }, Step::Store { memory: 0, at: At::dense(), lane, a: 0 }];
    Spec::Pointwise { reads: 0, writes: 1, count, steps }
}

impl Spec {
    /// What the kernel is called.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Spec::Pointwise { .. } if self.is_copy() => "copy",
            Spec::Pointwise { .. } => "pointwise",
            Spec::Together { .. } => "together",
            Spec::Reduce { .. } => "reduce",
            Spec::Product { of: Factors::Computed(_), .. } => "convolution",
            Spec::Product { .. } => "product",
            Spec::Attention(..) => "attention",
            Spec::QueryGradient(..) => "query_gradient",
            Spec::KeyValueGradients(..) => "key_value_gradients",
            Spec::Fold(..) => "fold",
            Spec::Scan(..) => "scan",
            Spec::Merge(..) => "merge",
            Spec::Scatter(..) => "scatter",
        }
    }

    /// Whether all that it does is to move elements.
    pub(crate) fn is_copy(&self) -> bool {
        let moves = |step: &Step| {
            matches!(step, Step::Load { .. } | Step::LoadHalf { .. } | Step::Store { .. } | Step::StoreHalf { .. })
        };
        matches!(self, Spec::Pointwise { steps, .. } if steps.iter().all(moves))
    }

    /// How many buffers it reads, and how many it writes.
    pub(crate) fn buffers(&self) -> (usize, usize) {
        match self {
            Spec::Pointwise { reads, writes, .. }
            | Spec::Together { reads, writes, .. }
            | Spec::Reduce { reads, writes, .. } => (*reads, *writes),
            Spec::Product { reads, writes, .. } => (2 + reads, *writes),
            Spec::Attention(sizes, ..) => (3 + sizes.masks(), 1),
            Spec::QueryGradient(sizes, ..) => (5 + sizes.of.masks(), 3),
            Spec::KeyValueGradients(sizes, ..) => (6 + sizes.of.masks(), 2),
            Spec::Fold(buffers, _) | Spec::Scan(buffers, _) | Spec::Merge(buffers, _) | Spec::Scatter(buffers, _) => {
                (buffers.reads, buffers.writes)
            }
        }
    }

    /// How many cubes there are.
    fn cubes(&self) -> usize {
        match self {
            Spec::Pointwise { count, .. } => count.div_ceil(pointwise::UNITS),
            Spec::Together { parts, .. } => parts.iter().map(Part::cubes).sum(),
            Spec::Reduce { lines, .. } => lines.count.div_ceil(reduce::UNITS / lines.units),
            Spec::Attention(sizes, _, None) => sizes.cubes(),
            Spec::Attention(sizes, ..) => sizes.tensor_cubes(),
            Spec::QueryGradient(sizes, _, None) => sizes.of.cubes(),
            Spec::QueryGradient(sizes, ..) => sizes.tensor_row_cubes(),
            Spec::KeyValueGradients(sizes, _, None) => sizes.column_cubes(),
            Spec::KeyValueGradients(sizes, ..) => sizes.tensor_column_cubes(),
            Spec::Product { of, .. } => of.cubes(),
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
            Spec::Pointwise { .. } | Spec::Together { .. } => pointwise::UNITS,
            Spec::Reduce { .. } => reduce::UNITS,
            Spec::Product { of, .. } => of.units(),
            Spec::Attention(.., reading) | Spec::QueryGradient(.., reading) | Spec::KeyValueGradients(.., reading) => {
                reading.map_or(attention::UNITS, |_| fragments::UNITS)
            }
            Spec::Fold(..) => fold::UNITS,
            Spec::Scan(..) => scan::UNITS,
            Spec::Merge(..) => merge::UNITS,
            Spec::Scatter(..) => scatter::UNITS,
        }
    }

    /// The kernel for devices with those properties.
    pub(crate) fn define(&self, device: &Arc<DeviceProperties>, target: &Arc<TargetProperties>) -> KernelDefinition {
        let cube = CubeDim::new_1d(self.units() as u32);
        let addresses = if self.has_long_addresses() { AddressType::U64 } else { AddressType::U32 };
        let settings = KernelSettings::new(cube.into(), ExecutionMode::Unchecked, addresses);
        let (device, target) = (device.clone(), target.clone());
        match self.clone() {
            Spec::Pointwise { reads, writes, count, steps } => {
                let (reads, writes, halves) = written(reads, writes, Step::halves(&steps));
                let kernel = pointwise::pointwise::Pointwise::new;
                kernel(settings, device, target, reads, writes, halves, count, steps).define()
            }
            Spec::Together { reads, writes, parts } => {
                let halves = Step::halves(parts.iter().flat_map(|part| &part.steps));
                let (reads, writes, halves) = written(reads, writes, halves);
                together::together::Together::new(settings, device, target, reads, writes, halves, parts).define()
            }
            Spec::Reduce { reads, writes, lines, stages, each, once } => {
                let (reads, writes, halves) = written(reads, writes, Step::halves(each.iter().chain(&once)));
                let kernel = reduce::reduce::Reduce::new;
                kernel(settings, device, target, reads, writes, halves, lines, stages, each, once).define()
            }
            Spec::Product { of, reads, writes, epilogue } => {
                let buffers = written(reads, writes, Step::halves(&epilogue));
                multiply(settings, device, target, buffers, of, epilogue)
            }
            Spec::Attention(sizes, float, reading) => match float {
                Float::F32 => attend::<f32>(settings, device, target, sizes, reading),
                Float::Bf16 => attend::<bf16>(settings, device, target, sizes, reading),
                Float::F16 => attend::<f16>(settings, device, target, sizes, reading),
            },
            Spec::QueryGradient(sizes, float, reading) => match float {
                Float::F32 => query_gradient::<f32>(settings, device, target, sizes, reading),
                Float::Bf16 => query_gradient::<bf16>(settings, device, target, sizes, reading),
                Float::F16 => query_gradient::<f16>(settings, device, target, sizes, reading),
            },
            Spec::KeyValueGradients(sizes, float, reading) => match float {
                Float::F32 => key_value_gradients::<f32>(settings, device, target, sizes, reading),
                Float::Bf16 => key_value_gradients::<bf16>(settings, device, target, sizes, reading),
                Float::F16 => key_value_gradients::<f16>(settings, device, target, sizes, reading),
            },
            Spec::Fold(Buffers { reads, writes }, fold) => {
                let (reads, writes, halves) = written(reads, writes, Step::halves(&fold.last));
                fold::fold::Fold::new(settings, device, target, reads, writes, halves, fold).define()
            }
            Spec::Scan(Buffers { reads, writes }, scan) => {
                let (reads, writes, halves) = written(reads, writes, Step::halves(&scan.each));
                scan::scan::Scan::new(settings, device, target, reads, writes, halves, scan).define()
            }
            Spec::Merge(Buffers { reads, writes }, merge) => {
                let (reads, writes) = (buffers(reads), buffers(writes));
                merge::merge::Merge::new(settings, device, target, reads, writes, merge).define()
            }
            Spec::Scatter(Buffers { reads, writes }, scatter) => {
                let (reads, writes, halves) = written(reads, writes, Step::halves(&scatter.last));
                scatter::scatter::Scatter::new(settings, device, target, reads, writes, halves, scatter).define()
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

type Device = Arc<DeviceProperties>;
type Properties = Arc<TargetProperties>;

type Words = SequenceCompilationArg<Box<[u32]>>;
type Halves = SequenceCompilationArg<Box<[u16]>>;

/// The buffers of a program, the last of which are results of narrow floats.
fn written(reads: usize, writes: usize, halves: usize) -> (Words, Words, Halves) {
    (buffers(reads), buffers(writes - halves), buffers(halves))
}

fn multiply(
    settings: KernelSettings,
    device: Device,
    target: Properties,
    (reads, writes, halves): (Words, Words, Halves),
    of: Factors,
    epilogue: Vec<Step>,
) -> KernelDefinition {
    match of {
        Factors::Words(sizes) => {
            let (kernel, left, right) = (product::product::Product::new, buffer(), buffer());
            kernel(settings, device, target, left, right, reads, writes, halves, sizes, epilogue).define()
        }
        Factors::Narrow(sizes, cut, Float::F16) => {
            tensor_multiply::<f16>(settings, device, target, (reads, writes, halves), sizes, cut, epilogue)
        }
        Factors::Narrow(sizes, cut, Float::F32 | Float::Bf16) => {
            tensor_multiply::<bf16>(settings, device, target, (reads, writes, halves), sizes, cut, epilogue)
        }
        Factors::Computed(contraction) => {
            let (kernel, operands) = (contract::contract::Contract::new, buffers(2));
            kernel(settings, device, target, operands, reads, writes, halves, contraction, epilogue).define()
        }
    }
}

fn tensor_multiply<E: cubecl::prelude::Float>(
    settings: KernelSettings,
    device: Device,
    target: Properties,
    (reads, writes, halves): (Words, Words, Halves),
    sizes: Sizes,
    cut: Cut,
    epilogue: Vec<Step>,
) -> KernelDefinition {
    let at_once = [cut.left.at_once, cut.right.at_once];
    let (a, b, kernel) = (buffer(), buffer(), tensor_product::tensor_product::TensorProduct::<E>::new);
    kernel(settings, device, target, a, b, reads, writes, halves, at_once[0], at_once[1], sizes, cut, epilogue).define()
}

fn attend<E: cubecl::prelude::Float>(
    settings: KernelSettings,
    device: Device,
    target: Properties,
    sizes: Attend,
    reading: Option<Reading>,
) -> KernelDefinition {
    let (q, k, v, out, masks) = (buffer(), buffer(), buffer(), buffer(), buffers(sizes.masks()));
    let Some(reading) = reading else {
        return attention::attention::Attention::<E>::new(settings, device, target, q, k, v, masks, out, sizes)
            .define();
    };
    let (kernel, n) = (tensor::tensor_attention::TensorAttention::<E>::new, reading.at_once);
    kernel(settings, device, target, q, k, v, masks, out, n, sizes, reading).define()
}

fn query_gradient<E: cubecl::prelude::Float>(
    settings: KernelSettings,
    device: Device,
    target: Properties,
    sizes: Gradients,
    reading: Option<Reading>,
) -> KernelDefinition {
    let [q, k, v, y, g, to, totals, means] = std::array::from_fn(|_| buffer());
    let masks = buffers(sizes.of.masks());
    let Some(reading) = reading else {
        let kernel = gradients::query_gradient::QueryGradient::<E>::new;
        return kernel(settings, device, target, q, k, v, y, g, masks, to, totals, means, sizes).define();
    };
    let (kernel, n) = (tensor_gradients::tensor_query_gradient::TensorQueryGradient::<E>::new, reading.at_once);
    kernel(settings, device, target, q, k, v, y, g, masks, to, totals, means, n, sizes, reading).define()
}

fn key_value_gradients<E: cubecl::prelude::Float>(
    settings: KernelSettings,
    device: Device,
    target: Properties,
    sizes: Gradients,
    reading: Option<Reading>,
) -> KernelDefinition {
    let [q, k, v, g, totals, means, to_keys, to_values] = std::array::from_fn(|_| buffer());
    let masks = buffers(sizes.of.masks());
    let Some(reading) = reading else {
        let kernel = gradients::key_value_gradients::KeyValueGradients::<E>::new;
        return kernel(settings, device, target, q, k, v, g, totals, means, masks, to_keys, to_values, sizes).define();
    };
    let (kernel, n) =
        (tensor_gradients::tensor_key_value_gradients::TensorKeyValueGradients::<E>::new, reading.at_once);
    kernel(settings, device, target, q, k, v, g, totals, means, masks, to_keys, to_values, n, sizes, reading).define()
}
