//! Attention as one kernel, and its gradients as two.

use crate::fused::at;
use crate::gpu::{Gpu, Lowerer};
use crate::kernels::attention::Attend;
use crate::kernels::attention::fragments::Reading;
use crate::kernels::attention::gradients::Gradients;
use crate::kernels::attention::{tensor, tensor_gradients};
use crate::kernels::half::Half;
use crate::kernels::product::Matrix;
use crate::kernels::tensor_product::VECTOR;
use crate::launch::{Arg, Dispatch, Launch};
use crate::spec::{Float, Spec};
use partita_gpu::module::ALIGN;
use partita_ir::arena::OpId;
use partita_ir::class::Class;
use partita_ir::ops::{Attention, AttentionGrad};
use partita_ir::program::{Op, Program};
use partita_lowering::view::View;
use partita_runtime::routine::Span;

/// Whether an op is attention, or its gradients, and there is a kernel for it.
pub(crate) fn has_kernel(gpu: Gpu, program: &Program, op: &Op) -> bool {
    let is_attention = op.kind.class() == Class::Attention;
    let elements = || op.args.iter().map(|&arg| program.ty(arg).shape.count());
    is_attention && gpu.floats(program.ty(op.args[0]).dtype).is_some() && elements().min() > Some(0)
}

/// Lowers an attention that has a kernel.
pub(crate) fn lower(to: &mut Lowerer<'_>, id: OpId, op: &Attention) -> Option<()> {
    let args = &to.program.ops[id].args;
    let float = to.target().floats(to.program.ty(args[0]).dtype)?;
    let (sizes, reads, _) = operands(to, id, 3, op.causal, op.scale);
    let out = to.program.ops[id].outs[0];
    let sizes = Attend { result: matrix(&to.stored(out)), ..sizes };
    let result = to.result(id);
    let along = [(&sizes.queries, sizes.key), (&sizes.keys, sizes.key), (&sizes.values, sizes.value)];
    let reading = reading(float, tensor::LONGEST, &sizes, &along);
    let spec = Spec::Attention(sizes.clone(), float, reading);
    to.compute(id, Launch::one(spec, args.len(), 1), reads, vec![result]);
    Some(())
}

/// Whether a matrix with so many columns can be read by vectors along its rows.
fn in_vectors(matrix: &Matrix, columns: usize) -> bool {
    let Matrix { of_batch, row, column } = matrix;
    let strides = of_batch.terms.iter().map(|term| term.stride).chain([of_batch.offset, *row, columns as i64]);
    *column == 1 && strides.into_iter().all(|stride| stride % VECTOR as i64 == 0)
}

/// How tensor cores read operands with so many columns, if they can.
fn reading(float: Float, longest: usize, sizes: &Attend, along: &[(&Matrix, usize)]) -> Option<Reading> {
    let is_narrow = float != Float::F32 && sizes.key.max(sizes.value) <= longest;
    let at_once = if along.iter().all(|(matrix, n)| in_vectors(matrix, *n)) { VECTOR } else { 1 };
    is_narrow.then_some(Reading { at_once })
}

/// Lowers gradients of attention that have a kernel.
pub(crate) fn lower_gradients(to: &mut Lowerer<'_>, id: OpId, op: &AttentionGrad) -> Option<()> {
    let op_ = &to.program.ops[id];
    let float = to.target().floats(to.program.ty(op_.args[0]).dtype)?;
    let (of, reads, others) = operands(to, id, 5, op.causal, op.scale);
    let [queries, keys, values] = [0, 1, 2].map(|i| matrix(&to.stored(op_.outs[i])));
    let of = Attend { result: others[0].clone(), ..of };
    let bytes = (of.batch * of.rows * 4).next_multiple_of(ALIGN);
    let masks = of.masks();
    let sizes = Gradients { of, given: others[1].clone(), queries, keys, values };
    let of = &sizes.of;
    let along = [(&of.queries, of.key), (&of.keys, of.key), (&of.values, of.value), (&sizes.given, of.value)];
    let reading = reading(float, tensor_gradients::LONGEST, of, &along);
    let mask = || (0..masks).map(|_| Arg::Read(5));
    let (totals, means) = (Arg::Scratch(0), Arg::Scratch(bytes));
    let first = (0..5).map(Arg::Read).chain(mask()).chain([Arg::Write(0), totals, means]).collect();
    let operands = [0, 1, 2, 4].into_iter().map(Arg::Read).chain([totals, means]);
    let second = operands.chain(mask()).chain([Arg::Write(1), Arg::Write(2)]).collect();
    let dispatches = vec![
        Dispatch { spec: Spec::QueryGradient(sizes.clone(), float, reading), args: first },
        Dispatch { spec: Spec::KeyValueGradients(sizes, float, reading), args: second },
    ];
    let writes = op_.outs.iter().map(|&out| to.new_slot(out)).collect();
    to.compute_with(id, Launch::new(dispatches), 2 * bytes, Vec::new(), reads, writes);
    Some(())
}

/// The sizes of an attention whose mask may be operand `tensors`; where operands are, and how those behind the values
/// lie.
fn operands(
    to: &mut Lowerer<'_>,
    id: OpId,
    tensors: usize,
    causal: bool,
    scale: f64,
) -> (Attend, Vec<Span>, Vec<Matrix>) {
    let program = to.program;
    let args = &program.ops[id].args;
    let (q, v) = (&program.ty(args[0]).shape, &program.ty(args[2]).shape);
    let rank = q.rank();
    let (rows, columns) = (q[rank - 2], v[rank - 2]);
    let (reads, views): (Vec<Span>, Vec<View>) = args.iter().map(|&arg| to.strided(arg)).unzip();
    let mask = views.get(tensors).map(|mask| {
        // It broadcasts to the scores, from the back.
        let shape: Vec<usize> = q[..rank - 2].iter().copied().chain([rows, columns]).collect();
        let behind: Vec<usize> = (rank - mask.shape.len()..rank).collect();
        matrix(&mask.broadcast(&behind, &shape))
    });
    let sizes = Attend {
        batch: q[..rank - 2].iter().product(),
        rows,
        columns,
        key: q[rank - 1],
        value: v[rank - 1],
        queries: matrix(&views[0]),
        keys: matrix(&views[1]),
        values: matrix(&views[2]),
        result: Matrix::default(),
        mask,
        causal,
        scale: (scale as f32).to_bits(),
        half: Half::of(program.ty(args[0]).dtype),
    };
    (sizes, reads, views[3..tensors].iter().map(matrix).collect())
}

/// The last two dimensions as those of a matrix, the others as its batch.
fn matrix(view: &View) -> Matrix {
    let rank = view.shape.len();
    let (batch, row, column) = (rank - 2, view.strides[rank - 2], view.strides[rank - 1]);
    let of_batch =
        View { shape: view.shape[..batch].into(), strides: view.strides[..batch].into(), offset: view.offset };
    Matrix { of_batch: at(&of_batch), row: row as i64, column: column as i64 }
}
