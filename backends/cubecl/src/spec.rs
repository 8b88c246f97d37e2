//! Kernels as data: the `cube` function, its programs and its sizes. Equal kernels are compiled once.

use crate::kernels::attention::fragments::{self, LoadWidth};
use crate::kernels::attention::gradients::{self, GradientSizes};
use crate::kernels::attention::{self, AttentionSizes};
use crate::kernels::attention::{tensor, tensor_gradients};
use crate::kernels::contract::{self, Contraction};
use crate::kernels::fold::{self, FoldSpec};
use crate::kernels::half::Half;
use crate::kernels::horizontal::{self, SubProgram};
use crate::kernels::merge::{self, MergeSpec};
use crate::kernels::pointwise;
use crate::kernels::product::{self, MatmulSizes};
use crate::kernels::reduce::{self, Lines, Stage};
use crate::kernels::scan::{self, ScanSpec};
use crate::kernels::scatter::{self, ScatterSpec};
use crate::kernels::steps::{AddressMap, RegClass, Step};
use crate::kernels::tensor_product::{self, Tiling};
use cubecl::ir::settings::KernelSettings;
use cubecl::ir::{DeviceProperties, TargetProperties};
use cubecl::prelude::*;
use half::{bf16, f16};
use std::sync::Arc;

/// Maximum cubes along one dimension of a grid.
const MAX_CUBES: usize = 65535;

/// Float type in memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum FloatType {
    F32,
    Bf16,
    F16,
}

/// A kernel.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum KernelSpec {
    /// A program for every element.
    Pointwise { reads: usize, writes: usize, count: usize, steps: Vec<Step> },
    /// Several independent programs, each for every element of its domain.
    Horizontal { reads: usize, writes: usize, parts: Vec<SubProgram> },
    /// Reductions over lines, and programs for their elements.
    Reduce { reads: usize, writes: usize, lines: Lines, stages: Vec<Stage>, each: Vec<Step>, once: Vec<Step> },
    /// Matrix products with an epilogue per element. The first two buffers are the matrices; `reads` counts the further
    /// operands of the epilogue.
    Product { kind: ProductKind, reads: usize, writes: usize, epilogue: Vec<Step> },
    /// Attention. With a load width, it runs on tensor cores.
    Attention(AttentionSizes, FloatType, Option<LoadWidth>),
    /// The gradient of the queries of attention, and two softmax statistics per row.
    QueryGradient(GradientSizes, FloatType, Option<LoadWidth>),
    /// The gradients of the keys and values, from those statistics.
    KeyValueGradients(GradientSizes, FloatType, Option<LoadWidth>),
    /// Folds of lines.
    Fold(Buffers, FoldSpec),
    /// Scans of lines.
    Scan(Buffers, ScanSpec),
    /// A pass of a merge sort of lines.
    Merge(Buffers, MergeSpec),
    /// Updates of rows.
    Scatter(Buffers, ScatterSpec),
}

/// Operands and algorithm of a matrix product.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum ProductKind {
    /// Matrices of words, tiled without tensor cores.
    Words(MatmulSizes),
    /// Matrices of 16-bit floats, tiled for tensor cores.
    Narrow(MatmulSizes, Tiling, FloatType),
    /// Matrices whose elements are computed, as in a convolution.
    Computed(Contraction),
}

impl ProductKind {
    /// Returns the number of elements of the results.
    pub(crate) fn count(&self) -> usize {
        match self {
            ProductKind::Words(sizes) | ProductKind::Narrow(sizes, ..) => sizes.batch * sizes.m * sizes.n,
            ProductKind::Computed(contraction) => contraction.count(),
        }
    }

    fn cubes(&self) -> usize {
        match self {
            ProductKind::Words(sizes) => {
                sizes.batch * sizes.m.div_ceil(product::TILE) * sizes.n.div_ceil(product::TILE)
            }
            ProductKind::Narrow(sizes, tiling, _) => tiling.cubes(sizes),
            ProductKind::Computed(contraction) => contraction.cubes(),
        }
    }

    fn units(&self) -> usize {
        match self {
            ProductKind::Words(_) => product::UNITS,
            ProductKind::Narrow(_, tiling, _) => tiling.units(),
            ProductKind::Computed(_) => contract::UNITS,
        }
    }
}

/// Numbers of buffers that a kernel reads and writes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Buffers {
    pub(crate) reads: usize,
    pub(crate) writes: usize,
}

/// Returns the kernel that copies `count` elements of `width` bytes.
pub(crate) fn copy(count: usize, width: usize, from: AddressMap, to: AddressMap) -> KernelSpec {
    let steps = match width {
        // The float type is irrelevant, since the bits are only moved.
        2 => {
            let half = Half::Bf16;
            vec![Step::LoadHalf { memory: 0, at: from, half }, Step::StoreHalf { memory: 0, at: to, half, a: 0 }]
        }
        _ => {
            let class = RegClass::U32;
            vec![Step::Load { memory: 0, at: from, class }, Step::Store { memory: 0, at: to, class, a: 0 }]
        }
    };
    KernelSpec::Pointwise { reads: 1, writes: 1, count, steps }
}

/// Returns the kernel that sets `count` words to zero.
pub(crate) fn clear(count: usize) -> KernelSpec {
    let class = RegClass::U32;
    let steps =
        vec![Step::Constant { class, bits: 0 }, Step::Store { memory: 0, at: AddressMap::identity(), class, a: 0 }];
    KernelSpec::Pointwise { reads: 0, writes: 1, count, steps }
}

impl KernelSpec {
    /// Returns the kind of the kernel.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            KernelSpec::Pointwise { .. } if self.is_copy() => "copy",
            KernelSpec::Pointwise { .. } => "pointwise",
            KernelSpec::Horizontal { .. } => "together",
            KernelSpec::Reduce { .. } => "reduce",
            KernelSpec::Product { kind: ProductKind::Computed(_), .. } => "convolution",
            KernelSpec::Product { .. } => "product",
            KernelSpec::Attention(..) => "attention",
            KernelSpec::QueryGradient(..) => "query_gradient",
            KernelSpec::KeyValueGradients(..) => "key_value_gradients",
            KernelSpec::Fold(..) => "fold",
            KernelSpec::Scan(..) => "scan",
            KernelSpec::Merge(..) => "merge",
            KernelSpec::Scatter(..) => "scatter",
        }
    }

    /// Returns true if the kernel only moves elements.
    pub(crate) fn is_copy(&self) -> bool {
        let moves = |step: &Step| {
            matches!(step, Step::Load { .. } | Step::LoadHalf { .. } | Step::Store { .. } | Step::StoreHalf { .. })
        };
        matches!(self, KernelSpec::Pointwise { steps, .. } if steps.iter().all(moves))
    }

    /// Returns the numbers of buffers that the kernel reads and writes.
    pub(crate) fn buffers(&self) -> (usize, usize) {
        match self {
            KernelSpec::Pointwise { reads, writes, .. }
            | KernelSpec::Horizontal { reads, writes, .. }
            | KernelSpec::Reduce { reads, writes, .. } => (*reads, *writes),
            KernelSpec::Product { reads, writes, .. } => (2 + reads, *writes),
            KernelSpec::Attention(sizes, ..) => (3 + sizes.masks(), 1),
            KernelSpec::QueryGradient(sizes, ..) => (5 + sizes.attention.masks(), 3),
            KernelSpec::KeyValueGradients(sizes, ..) => (6 + sizes.attention.masks(), 2),
            KernelSpec::Fold(buffers, _)
            | KernelSpec::Scan(buffers, _)
            | KernelSpec::Merge(buffers, _)
            | KernelSpec::Scatter(buffers, _) => (buffers.reads, buffers.writes),
        }
    }

    /// Returns the number of cubes.
    fn cubes(&self) -> usize {
        match self {
            KernelSpec::Pointwise { count, .. } => count.div_ceil(pointwise::UNITS),
            KernelSpec::Horizontal { parts, .. } => parts.iter().map(SubProgram::cubes).sum(),
            KernelSpec::Reduce { lines, .. } => lines.count.div_ceil(reduce::UNITS / lines.units),
            KernelSpec::Attention(sizes, _, None) => sizes.cubes(),
            KernelSpec::Attention(sizes, ..) => sizes.tensor_cubes(),
            KernelSpec::QueryGradient(sizes, _, None) => sizes.attention.cubes(),
            KernelSpec::QueryGradient(sizes, ..) => sizes.tensor_row_cubes(),
            KernelSpec::KeyValueGradients(sizes, _, None) => sizes.column_cubes(),
            KernelSpec::KeyValueGradients(sizes, ..) => sizes.tensor_column_cubes(),
            KernelSpec::Product { kind, .. } => kind.cubes(),
            KernelSpec::Fold(_, fold) => fold.lines.div_ceil(fold::UNITS / fold.units),
            KernelSpec::Scan(_, scan) => scan.lines,
            KernelSpec::Merge(_, merge) => (merge.lines * merge.items).div_ceil(merge::UNITS),
            KernelSpec::Scatter(_, scatter) => scatter.rows * scatter.columns.div_ceil(scatter::UNITS),
        }
    }

    /// Returns the size of the grid: the number of cubes, rounded up if it exceeds one dimension.
    pub(crate) fn grid(&self) -> [u32; 3] {
        let cubes = self.cubes();
        let y = cubes.div_ceil(MAX_CUBES).max(1);
        [cubes.div_ceil(y) as u32, y as u32, 1]
    }

    /// Returns the units of a cube.
    pub(crate) fn units(&self) -> usize {
        match self {
            KernelSpec::Pointwise { .. } | KernelSpec::Horizontal { .. } => pointwise::UNITS,
            KernelSpec::Reduce { .. } => reduce::UNITS,
            KernelSpec::Product { kind, .. } => kind.units(),
            KernelSpec::Attention(.., load_width)
            | KernelSpec::QueryGradient(.., load_width)
            | KernelSpec::KeyValueGradients(.., load_width) => {
                load_width.map_or(attention::UNITS, |_| fragments::UNITS)
            }
            KernelSpec::Fold(..) => fold::UNITS,
            KernelSpec::Scan(..) => scan::UNITS,
            KernelSpec::Merge(..) => merge::UNITS,
            KernelSpec::Scatter(..) => scatter::UNITS,
        }
    }

    /// Returns CubeCL's definition of the kernel for a device.
    pub(crate) fn define(&self, device: &Arc<DeviceProperties>, target: &Arc<TargetProperties>) -> KernelDefinition {
        let cube = CubeDim::new_1d(self.units() as u32);
        let addresses = if self.has_64_bit_addresses() { AddressType::U64 } else { AddressType::U32 };
        let settings = KernelSettings::new(cube.into(), ExecutionMode::Unchecked, addresses);
        let (device, target) = (device.clone(), target.clone());
        match self.clone() {
            KernelSpec::Pointwise { reads, writes, count, steps } => {
                let (reads, writes, halves) = program_buffers(reads, writes, Step::halves(&steps));
                let kernel = pointwise::pointwise::Pointwise::new;
                kernel(settings, device, target, reads, writes, halves, count, steps).define()
            }
            KernelSpec::Horizontal { reads, writes, parts } => {
                let halves = Step::halves(parts.iter().flat_map(|part| &part.steps));
                let (reads, writes, halves) = program_buffers(reads, writes, halves);
                horizontal::horizontal::Horizontal::new(settings, device, target, reads, writes, halves, parts).define()
            }
            KernelSpec::Reduce { reads, writes, lines, stages, each, once } => {
                let (reads, writes, halves) = program_buffers(reads, writes, Step::halves(each.iter().chain(&once)));
                let kernel = reduce::reduce::Reduce::new;
                kernel(settings, device, target, reads, writes, halves, lines, stages, each, once).define()
            }
            KernelSpec::Product { kind, reads, writes, epilogue } => {
                let buffers = program_buffers(reads, writes, Step::halves(&epilogue));
                multiply(settings, device, target, buffers, kind, epilogue)
            }
            KernelSpec::Attention(sizes, float, load_width) => match float {
                FloatType::F32 => attend::<f32>(settings, device, target, sizes, load_width),
                FloatType::Bf16 => attend::<bf16>(settings, device, target, sizes, load_width),
                FloatType::F16 => attend::<f16>(settings, device, target, sizes, load_width),
            },
            KernelSpec::QueryGradient(sizes, float, load_width) => match float {
                FloatType::F32 => query_gradient::<f32>(settings, device, target, sizes, load_width),
                FloatType::Bf16 => query_gradient::<bf16>(settings, device, target, sizes, load_width),
                FloatType::F16 => query_gradient::<f16>(settings, device, target, sizes, load_width),
            },
            KernelSpec::KeyValueGradients(sizes, float, load_width) => match float {
                FloatType::F32 => key_value_gradients::<f32>(settings, device, target, sizes, load_width),
                FloatType::Bf16 => key_value_gradients::<bf16>(settings, device, target, sizes, load_width),
                FloatType::F16 => key_value_gradients::<f16>(settings, device, target, sizes, load_width),
            },
            KernelSpec::Fold(Buffers { reads, writes }, fold) => {
                let (reads, writes, halves) = program_buffers(reads, writes, Step::halves(&fold.last));
                fold::fold::Fold::new(settings, device, target, reads, writes, halves, fold).define()
            }
            KernelSpec::Scan(Buffers { reads, writes }, scan) => {
                let (reads, writes, halves) = program_buffers(reads, writes, Step::halves(&scan.each));
                scan::scan::Scan::new(settings, device, target, reads, writes, halves, scan).define()
            }
            KernelSpec::Merge(Buffers { reads, writes }, merge) => {
                let (reads, writes) = (buffers(reads), buffers(writes));
                merge::merge::Merge::new(settings, device, target, reads, writes, merge).define()
            }
            KernelSpec::Scatter(Buffers { reads, writes }, scatter) => {
                let (reads, writes, halves) = program_buffers(reads, writes, Step::halves(&scatter.last));
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

/// Returns the buffers of a program: operands, results of words, and results of 16-bit floats.
fn program_buffers(reads: usize, writes: usize, halves: usize) -> (Words, Words, Halves) {
    (buffers(reads), buffers(writes - halves), buffers(halves))
}

fn multiply(
    settings: KernelSettings,
    device: Device,
    target: Properties,
    (reads, writes, halves): (Words, Words, Halves),
    kind: ProductKind,
    epilogue: Vec<Step>,
) -> KernelDefinition {
    match kind {
        ProductKind::Words(sizes) => {
            let (kernel, left, right) = (product::product::Product::new, buffer(), buffer());
            kernel(settings, device, target, left, right, reads, writes, halves, sizes, epilogue).define()
        }
        ProductKind::Narrow(sizes, tiling, FloatType::F16) => {
            tensor_multiply::<f16>(settings, device, target, (reads, writes, halves), sizes, tiling, epilogue)
        }
        ProductKind::Narrow(sizes, tiling, FloatType::F32 | FloatType::Bf16) => {
            tensor_multiply::<bf16>(settings, device, target, (reads, writes, halves), sizes, tiling, epilogue)
        }
        ProductKind::Computed(contraction) => {
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
    sizes: MatmulSizes,
    tiling: Tiling,
    epilogue: Vec<Step>,
) -> KernelDefinition {
    let vector_len = [tiling.left.vector_len, tiling.right.vector_len];
    let (a, b, kernel) = (buffer(), buffer(), tensor_product::tensor_product::TensorProduct::<E>::new);
    kernel(settings, device, target, a, b, reads, writes, halves, vector_len[0], vector_len[1], sizes, tiling, epilogue)
        .define()
}

fn attend<E: cubecl::prelude::Float>(
    settings: KernelSettings,
    device: Device,
    target: Properties,
    sizes: AttentionSizes,
    load_width: Option<LoadWidth>,
) -> KernelDefinition {
    let (q, k, v, out, masks) = (buffer(), buffer(), buffer(), buffer(), buffers(sizes.masks()));
    let Some(load_width) = load_width else {
        return attention::attention::Attention::<E>::new(settings, device, target, q, k, v, masks, out, sizes)
            .define();
    };
    let (kernel, n) = (tensor::tensor_attention::TensorAttention::<E>::new, load_width.vector_len);
    kernel(settings, device, target, q, k, v, masks, out, n, sizes, load_width).define()
}

fn query_gradient<E: cubecl::prelude::Float>(
    settings: KernelSettings,
    device: Device,
    target: Properties,
    sizes: GradientSizes,
    load_width: Option<LoadWidth>,
) -> KernelDefinition {
    let [q, k, v, y, g, to, log_sums, row_dots] = std::array::from_fn(|_| buffer());
    let masks = buffers(sizes.attention.masks());
    let Some(load_width) = load_width else {
        let kernel = gradients::query_gradient::QueryGradient::<E>::new;
        return kernel(settings, device, target, q, k, v, y, g, masks, to, log_sums, row_dots, sizes).define();
    };
    let (kernel, n) = (tensor_gradients::tensor_query_gradient::TensorQueryGradient::<E>::new, load_width.vector_len);
    kernel(settings, device, target, q, k, v, y, g, masks, to, log_sums, row_dots, n, sizes, load_width).define()
}

fn key_value_gradients<E: cubecl::prelude::Float>(
    settings: KernelSettings,
    device: Device,
    target: Properties,
    sizes: GradientSizes,
    load_width: Option<LoadWidth>,
) -> KernelDefinition {
    let [q, k, v, g, log_sums, row_dots, to_keys, to_values] = std::array::from_fn(|_| buffer());
    let masks = buffers(sizes.attention.masks());
    let Some(load_width) = load_width else {
        let kernel = gradients::key_value_gradients::KeyValueGradients::<E>::new;
        return kernel(settings, device, target, q, k, v, g, log_sums, row_dots, masks, to_keys, to_values, sizes)
            .define();
    };
    let (kernel, n) =
        (tensor_gradients::tensor_key_value_gradients::TensorKeyValueGradients::<E>::new, load_width.vector_len);
    kernel(settings, device, target, q, k, v, g, log_sums, row_dots, masks, to_keys, to_values, n, sizes, load_width)
        .define()
}
