//! Work of a kernel: minimum memory traffic and number of arithmetic operations. With the bandwidth and the peak rate
//! of a device they bound its time from below (Williams, Waterman and Patterson 2009, the roofline model).

use crate::kernels::attention::AttentionSizes;
use crate::kernels::attention::gradients::GradientSizes;
use crate::kernels::contract::Contraction;
use crate::kernels::product::{MatmulSizes, Matrix};
use crate::kernels::reduce::Lines;
use crate::kernels::steps::{AddressMap, Step};
use crate::spec::{FloatType, KernelSpec, ProductKind};
use partita_gpu::module::Work;
use rustc_hash::FxHashSet;

impl KernelSpec {
    /// Returns the work of one launch of the kernel.
    pub(crate) fn work(&self) -> Work {
        match self {
            KernelSpec::Pointwise { count, steps, .. } => program_work(steps, *count),
            KernelSpec::Horizontal { parts, .. } => {
                parts.iter().map(|part| program_work(&part.steps, part.count)).sum()
            }
            KernelSpec::Reduce { lines, stages, each, once, .. } => {
                let count = lines.count * lines.items;
                // Repeated reads of later stages hit caches or registers.
                let programs: Vec<Step> = stages.iter().flat_map(|stage| &stage.steps).chain(each).cloned().collect();
                let mut work = program_work(&programs, count);
                work.flops += (stages.len() * count) as u64;
                work + line_work(once, lines)
            }
            KernelSpec::Product { kind, epilogue, .. } => {
                let factors = match kind {
                    ProductKind::Words(sizes) => matrix_work(sizes, FloatType::F32),
                    ProductKind::Narrow(sizes, _, float) => on_tensor_cores(matrix_work(sizes, *float)),
                    ProductKind::Computed(contraction) => computed_work(contraction),
                };
                factors + program_work(epilogue, kind.count())
            }
            KernelSpec::Fold(_, fold) => {
                program_work(&fold.item.steps, fold.lines * fold.items) + program_work(&fold.last, fold.lines)
            }
            KernelSpec::Scan(_, scan) => {
                let count = scan.lines * scan.items;
                program_work(&scan.item.steps, count) + program_work(&scan.each, count)
            }
            // Merge: each item is searched in the other run.
            KernelSpec::Merge(_, merge) => {
                let count = merge.lines * merge.items;
                let looks = count * (merge.width.max(1).ilog2() as usize + 1);
                program_work(&merge.before.steps, looks) + Work { bytes: 4 * count as u64, ..Work::default() }
            }
            KernelSpec::Scatter(_, scatter) => {
                let elements = scatter.rows * scatter.columns;
                program_work(&scatter.applies.steps, scatter.rows * scatter.updates)
                    + program_work(&scatter.old.steps, elements)
                    + program_work(&scatter.update.steps, scatter.updates * scatter.columns)
                    + program_work(&scatter.last, elements)
            }
            KernelSpec::Attention(sizes, float, load_width) => attention_work(sizes, *float, 1, load_width.is_some()),
            KernelSpec::QueryGradient(GradientSizes { attention: of, .. }, float, load_width) => {
                let rows = (of.batch * of.rows) as u64;
                // The gradient of the result is read, and the softmax statistics are written.
                let more = rows * of.value as u64 * float.bytes() as u64 + 8 * rows;
                attention_work(of, *float, 2, load_width.is_some()) + Work { bytes: more, ..Work::default() }
            }
            KernelSpec::KeyValueGradients(GradientSizes { attention: of, .. }, float, load_width) => {
                attention_work(of, *float, 2, load_width.is_some())
            }
        }
    }
}

impl FloatType {
    /// Returns the bytes of an element.
    pub(crate) fn bytes(self) -> usize {
        match self {
            FloatType::F32 => 4,
            FloatType::Bf16 | FloatType::F16 => 2,
        }
    }
}

/// Returns the work of a program for `count` elements.
fn program_work(steps: &[Step], count: usize) -> Work {
    let mut seen = FxHashSet::default();
    let mut work = Work::default();
    for step in steps {
        match step {
            Step::Load { memory, at, .. } if seen.insert((0, *memory, at)) => {
                work.bytes += 4 * distinct_addresses(at, count)
            }
            Step::LoadHalf { memory, at, .. } if seen.insert((1, *memory, at)) => {
                work.bytes += 2 * distinct_addresses(at, count)
            }
            Step::Store { memory, at, .. } if seen.insert((2, *memory, at)) => {
                work.bytes += 4 * distinct_addresses(at, count)
            }
            Step::StoreHalf { memory, at, .. } if seen.insert((3, *memory, at)) => {
                work.bytes += 2 * distinct_addresses(at, count)
            }
            // Addresses are data-dependent; the best case is that all are distinct.
            Step::LoadAt { .. } | Step::StoreAt { .. } => work.bytes += 4 * count as u64,
            Step::LoadHalfAt { .. } | Step::StoreHalfAt { .. } => work.bytes += 2 * count as u64,
            step if step.is_float_arithmetic() => work.flops += count as u64,
            _ => {}
        }
    }
    work
}

/// Returns the work of a program for the first element of each line.
fn line_work(steps: &[Step], lines: &Lines) -> Work {
    let each = steps.iter().map(|step| match step {
        Step::Store { .. } => 4,
        Step::StoreHalf { .. } => 2,
        _ => 0,
    });
    Work { bytes: (each.sum::<usize>() * lines.count) as u64, ..Work::default() }
}

/// Returns the number of distinct addresses of the first `count` elements.
fn distinct_addresses(at: &AddressMap, count: usize) -> u64 {
    let all = at.terms.iter().map(|term| term.size.unwrap_or(count / term.divisor.max(1)));
    all.fold(1u64, |all, n| all.saturating_mul(n as u64)).min(count as u64)
}

/// Returns the number of distinct matrices of a batch.
fn distinct_matrices(matrix: &Matrix, batch: usize) -> u64 {
    distinct_addresses(&matrix.batch_map, batch)
}

fn matrix_work(sizes: &MatmulSizes, float: FloatType) -> Work {
    let MatmulSizes { m, n, k, batch, .. } = *sizes;
    let operands = distinct_matrices(&sizes.left, batch) * (m * k) as u64
        + distinct_matrices(&sizes.right, batch) * (k * n) as u64;
    let flops = 2 * (batch * m * n) as u64 * k as u64;
    Work { bytes: operands * float.bytes() as u64, flops, tensor_flops: 0 }
}

fn computed_work(contraction: &Contraction) -> Work {
    let operands = [&contraction.left, &contraction.right];
    let bytes = operands.map(|operand| (operand.count * operand.width) as u64).iter().sum();
    Work { bytes, flops: 2 * contraction.count() as u64 * contraction.k as u64, tensor_flops: 0 }
}

/// Returns the work with all operations on tensor cores.
fn on_tensor_cores(work: Work) -> Work {
    Work { tensor_flops: work.flops, ..work }
}

/// Returns the work of an attention that computes its scores `times` times.
fn attention_work(sizes: &AttentionSizes, float: FloatType, times: u64, on_tensor_cores: bool) -> Work {
    let AttentionSizes { batch, rows, columns, key, value, .. } = *sizes;
    let elements_of =
        |matrix: &Matrix, rows: usize, columns: usize| distinct_matrices(matrix, batch) * (rows * columns) as u64;
    let elements = elements_of(&sizes.queries, rows, key)
        + elements_of(&sizes.keys, columns, key)
        + elements_of(&sizes.values, columns, value)
        + elements_of(&sizes.result, rows, value);
    // Under the causal mask, a row attends to `columns - rows / 2` columns on average.
    let seen = if sizes.causal { columns - rows.min(columns) / 2 } else { columns };
    let flops = 2 * (batch * rows * seen) as u64 * (key + value) as u64 * times;
    let tensor_flops = if on_tensor_cores { flops } else { 0 };
    Work { bytes: elements * float.bytes() as u64, flops, tensor_flops }
}
