//! Attention as one kernel.

use crate::fused::at;
use crate::kernels::attention::Attend;
use crate::kernels::product::Matrix;
use crate::spec::{Launch, Spec};
use crate::target::Lowerer;
use partita_ir::arena::OpId;
use partita_ir::dtype::DType;
use partita_ir::ops::Attention;
use partita_ir::program::{Op, Program};
use partita_lowering::view::View;

/// Whether there is a kernel for it.
pub(crate) fn has_kernel(program: &Program, op: &Op) -> bool {
    let ty = program.ty(op.args[0]);
    let elements = op.args.iter().map(|&arg| program.ty(arg).shape.count());
    ty.dtype == DType::F32 && elements.min() > Some(0)
}

/// Lowers an attention that has a kernel.
pub(crate) fn lower(to: &mut Lowerer<'_>, id: OpId, op: &Attention) {
    let program = to.program;
    let (args, out) = (&program.ops[id].args, program.ops[id].outs[0]);
    let (q, v) = (&program.ty(args[0]).shape, &program.ty(args[2]).shape);
    let rank = q.rank();
    let (rows, columns) = (q[rank - 2], v[rank - 2]);
    let mut reads = Vec::new();
    let mut operand = |arg| {
        let (span, view) = to.strided(arg);
        reads.push(span);
        view
    };
    let [queries, keys, values] = [0, 1, 2].map(|i| matrix(&operand(args[i])));
    let mask = args.get(3).map(|&mask| {
        let mask = operand(mask);
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
        queries,
        keys,
        values,
        result: matrix(&to.stored(out)),
        mask,
        causal: op.causal,
        scale: (op.scale as f32).to_bits(),
    };
    let count = reads.len();
    let result = to.result(id);
    to.compute(id, Launch::one(Spec::Attention { sizes, writes: 1 }, count, 1), reads, vec![result]);
}

/// The last two dimensions as those of a matrix, the others as its batch.
pub(crate) fn matrix(view: &View) -> Matrix {
    let rank = view.shape.len();
    let (batch, row, column) = (rank - 2, view.strides[rank - 2], view.strides[rank - 1]);
    let of_batch =
        View { shape: view.shape[..batch].into(), strides: view.strides[..batch].into(), offset: view.offset };
    Matrix { of_batch: at(&of_batch), row: row as i32, column: column as i32 }
}
