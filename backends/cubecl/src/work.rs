//! What a kernel has to do: the least that it must read and write, and what it computes. With the bandwidth and the
//! speed of a device these bound its time from below (Williams, Waterman and Patterson 2009, the roofline model).

use crate::kernels::attention::Attend;
use crate::kernels::attention::gradients::Gradients;
use crate::kernels::contract::Contraction;
use crate::kernels::product::{Matrix, Sizes};
use crate::kernels::reduce::Lines;
use crate::kernels::steps::{At, Step};
use crate::spec::{Factors, Float, Spec};
use partita_gpu::module::Work;
use rustc_hash::FxHashSet;

impl Spec {
    /// What the kernel has to do when it is launched.
    pub(crate) fn work(&self) -> Work {
        match self {
            Spec::Pointwise { count, steps, .. } => of_program(steps, *count),
            Spec::Together { parts, .. } => parts.iter().map(|part| of_program(&part.steps, part.count)).sum(),
            Spec::Reduce { lines, stages, each, once, .. } => {
                let count = lines.count * lines.items;
                // What several stages read is in the caches, or in registers.
                let programs: Vec<Step> = stages.iter().flat_map(|stage| &stage.steps).chain(each).cloned().collect();
                let mut work = of_program(&programs, count);
                work.flops += (stages.len() * count) as u64;
                work + of_lines(once, lines)
            }
            Spec::Product { of, epilogue, .. } => {
                let factors = match of {
                    Factors::Words(sizes) => of_matrices(sizes, Float::F32),
                    Factors::Narrow(sizes, _, float) => on_tensor_cores(of_matrices(sizes, *float)),
                    Factors::Computed(contraction) => of_computed(contraction),
                };
                factors + of_program(epilogue, of.count())
            }
            Spec::Fold(_, fold) => {
                of_program(&fold.item.steps, fold.lines * fold.items) + of_program(&fold.last, fold.lines)
            }
            Spec::Scan(_, scan) => {
                let count = scan.lines * scan.items;
                of_program(&scan.item.steps, count) + of_program(&scan.each, count)
            }
            // A place in one half of a line is looked for in the other one.
            Spec::Merge(_, merge) => {
                let count = merge.lines * merge.items;
                let looks = count * (merge.width.max(1).ilog2() as usize + 1);
                of_program(&merge.before.steps, looks) + Work { bytes: 4 * count as u64, ..Work::default() }
            }
            Spec::Scatter(_, scatter) => {
                let elements = scatter.rows * scatter.columns;
                of_program(&scatter.lands.steps, scatter.rows * scatter.updates)
                    + of_program(&scatter.old.steps, elements)
                    + of_program(&scatter.update.steps, scatter.updates * scatter.columns)
                    + of_program(&scatter.last, elements)
            }
            Spec::Attention(sizes, float, reading) => of_attention(sizes, *float, 1, reading.is_some()),
            Spec::QueryGradient(Gradients { of, .. }, float, reading) => {
                let rows = (of.batch * of.rows) as u64;
                // The gradient that is given, and what is written for the other kernel.
                let more = rows * of.value as u64 * float.bytes() as u64 + 8 * rows;
                of_attention(of, *float, 2, reading.is_some()) + Work { bytes: more, ..Work::default() }
            }
            Spec::KeyValueGradients(Gradients { of, .. }, float, reading) => {
                of_attention(of, *float, 2, reading.is_some())
            }
        }
    }
}

impl Float {
    /// How many bytes it takes.
    pub(crate) fn bytes(self) -> usize {
        match self {
            Float::F32 => 4,
            Float::Bf16 | Float::F16 => 2,
        }
    }
}

/// A program on so many elements.
fn of_program(steps: &[Step], count: usize) -> Work {
    let mut seen = FxHashSet::default();
    let mut work = Work::default();
    for step in steps {
        match step {
            Step::Load { memory, at, .. } if seen.insert((0, *memory, at)) => work.bytes += 4 * touched(at, count),
            Step::LoadHalf { memory, at, .. } if seen.insert((1, *memory, at)) => work.bytes += 2 * touched(at, count),
            Step::Store { memory, at, .. } if seen.insert((2, *memory, at)) => work.bytes += 4 * touched(at, count),
            Step::StoreHalf { memory, at, .. } if seen.insert((3, *memory, at)) => work.bytes += 2 * touched(at, count),
            // Where they go is known when they run: different places, at best.
            Step::LoadAt { .. } | Step::StoreAt { .. } => work.bytes += 4 * count as u64,
            Step::LoadHalfAt { .. } | Step::StoreHalfAt { .. } => work.bytes += 2 * count as u64,
            step if step.computes() => work.flops += count as u64,
            _ => {}
        }
    }
    work
}

/// A program on the first element of each line.
fn of_lines(steps: &[Step], lines: &Lines) -> Work {
    let each = steps.iter().map(|step| match step {
        Step::Store { .. } => 4,
        Step::StoreHalf { .. } => 2,
        _ => 0,
    });
    Work { bytes: (each.sum::<usize>() * lines.count) as u64, ..Work::default() }
}

/// How many different elements a place goes to.
fn touched(at: &At, count: usize) -> u64 {
    let all = at.terms.iter().map(|term| term.size.unwrap_or(count / term.divisor.max(1)));
    all.fold(1u64, |all, n| all.saturating_mul(n as u64)).min(count as u64)
}

/// How many matrices there are that are not the same.
fn matrices(matrix: &Matrix, batch: usize) -> u64 {
    touched(&matrix.of_batch, batch)
}

fn of_matrices(sizes: &Sizes, float: Float) -> Work {
    let Sizes { m, n, k, batch, .. } = *sizes;
    let operands = matrices(&sizes.left, batch) * (m * k) as u64 + matrices(&sizes.right, batch) * (k * n) as u64;
    let flops = 2 * (batch * m * n) as u64 * k as u64;
    Work { bytes: operands * float.bytes() as u64, flops, tensor_flops: 0 }
}

fn of_computed(contraction: &Contraction) -> Work {
    let operands = [&contraction.left, &contraction.right];
    let bytes = operands.map(|operand| (operand.count * operand.width) as u64).iter().sum();
    Work { bytes, flops: 2 * contraction.count() as u64 * contraction.k as u64, tensor_flops: 0 }
}

/// The same, where tensor cores compute it all.
fn on_tensor_cores(work: Work) -> Work {
    Work { tensor_flops: work.flops, ..work }
}

/// Attention that goes over its scores so many times, on tensor cores or not.
fn of_attention(sizes: &Attend, float: Float, times: u64, on_tensor_cores: bool) -> Work {
    let Attend { batch, rows, columns, key, value, .. } = *sizes;
    let of_matrix = |matrix: &Matrix, rows: usize, columns: usize| matrices(matrix, batch) * (rows * columns) as u64;
    let elements = of_matrix(&sizes.queries, rows, key)
        + of_matrix(&sizes.keys, columns, key)
        + of_matrix(&sizes.values, columns, value)
        + of_matrix(&sizes.result, rows, value);
    // Of a square, causal attention sees half.
    let seen = if sizes.causal { columns - rows.min(columns) / 2 } else { columns };
    let flops = 2 * (batch * rows * seen) as u64 * (key + value) as u64 * times;
    let tensor_flops = if on_tensor_cores { flops } else { 0 };
    Work { bytes: elements * float.bytes() as u64, flops, tensor_flops }
}
