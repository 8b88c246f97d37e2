//! Attention as one kernel, and its gradients as two.

use crate::fused::at;
use crate::kernels::attention::Attend;
use crate::kernels::attention::gradients::Gradients;
use crate::kernels::product::Matrix;
use crate::spec::{Arg, Dispatch, Launch, Spec};
use crate::target::Lowerer;
use partita_gpu::module::ALIGN;
use partita_ir::arena::OpId;
use partita_ir::dtype::DType;
use partita_ir::op::OpKind;
use partita_ir::ops::{Attention, AttentionGrad};
use partita_ir::program::{Op, Program};
use partita_lowering::view::View;
use partita_runtime::routine::Span;

/// Whether an op is attention, or its gradients, and there is a kernel for it.
pub(crate) fn has_kernel(program: &Program, op: &Op) -> bool {
    let is_attention = matches!(op.kind, OpKind::Attention(_) | OpKind::AttentionGrad(_));
    let elements = || op.args.iter().map(|&arg| program.ty(arg).shape.count());
    is_attention && program.ty(op.args[0]).dtype == DType::F32 && elements().min() > Some(0)
}

/// Lowers an attention that has a kernel.
pub(crate) fn lower(to: &mut Lowerer<'_>, id: OpId, op: &Attention) {
    let args = &to.program.ops[id].args;
    let (sizes, reads, _) = operands(to, id, 3, op.causal, op.scale);
    let out = to.program.ops[id].outs[0];
    let sizes = Attend { result: matrix(&to.stored(out)), ..sizes };
    let result = to.result(id);
    to.compute(id, Launch::one(Spec::Attention(sizes), args.len(), 1), reads, vec![result]);
}

/// Lowers gradients of attention that have a kernel.
pub(crate) fn lower_gradients(to: &mut Lowerer<'_>, id: OpId, op: &AttentionGrad) {
    let op_ = &to.program.ops[id];
    let (of, reads, others) = operands(to, id, 5, op.causal, op.scale);
    let [queries, keys, values] = [0, 1, 2].map(|i| matrix(&to.stored(op_.outs[i])));
    let of = Attend { result: others[0].clone(), ..of };
    let bytes = (of.batch * of.rows * 4).next_multiple_of(ALIGN);
    let masks = of.masks();
    let sizes = Gradients { of, given: others[1].clone(), queries, keys, values };
    let mask = || (0..masks).map(|_| Arg::Read(5));
    let (totals, means) = (Arg::Scratch(0), Arg::Scratch(bytes));
    let first = (0..5).map(Arg::Read).chain(mask()).chain([Arg::Write(0), totals, means]).collect();
    let operands = [0, 1, 2, 4].into_iter().map(Arg::Read).chain([totals, means]);
    let second = operands.chain(mask()).chain([Arg::Write(1), Arg::Write(2)]).collect();
    let dispatches = vec![
        Dispatch { spec: Spec::QueryGradient(sizes.clone()), args: first },
        Dispatch { spec: Spec::KeyValueGradients(sizes), args: second },
    ];
    let writes = op_.outs.iter().map(|&out| to.new_slot(out)).collect();
    to.compute_with(id, Launch::new(dispatches), 2 * bytes, Vec::new(), reads, writes);
}

/// The sizes of an attention whose mask may be operand `tensors`; where operands are, and how those behind the values lie.
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
    };
    (sizes, reads, views[3..tensors].iter().map(matrix).collect())
}

/// The last two dimensions as those of a matrix, the others as its batch.
fn matrix(view: &View) -> Matrix {
    let rank = view.shape.len();
    let (batch, row, column) = (rank - 2, view.strides[rank - 2], view.strides[rank - 1]);
    let of_batch =
        View { shape: view.shape[..batch].into(), strides: view.strides[..batch].into(), offset: view.offset };
    Matrix { of_batch: at(&of_batch), row: row as i32, column: column as i32 }
}
