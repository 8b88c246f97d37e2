//! Lowering of attention to one kernel, and of its gradients to two.

use crate::fused::address_map;
use crate::gpu::{Gpu, Lowerer};
use crate::kernels::attention::AttentionSizes;
use crate::kernels::attention::fragments::LoadWidth;
use crate::kernels::attention::gradients::GradientSizes;
use crate::kernels::attention::{tensor, tensor_gradients};
use crate::kernels::half::Half;
use crate::kernels::product::Matrix;
use crate::kernels::tensor_product::VECTOR;
use crate::launch::{Arg, Dispatch, Launch};
use crate::spec::{FloatType, KernelSpec};
use partita_gpu::module::ALIGN;
use partita_ir::arena::OpId;
use partita_ir::ops::{Attention, AttentionGrad};
use partita_ir::program::{Op, Program};
use partita_lowering::view::View;
use partita_runtime::routine::Span;

/// Returns true if an op is attention or its gradient and has a dedicated kernel for its dtype, non-empty operands, and
/// no positions or log-sum-exp.
pub(crate) fn has_kernel(gpu: Gpu, program: &Program, op: &Op) -> bool {
    let Some(attention) = op.kind.class().attention() else { return false };
    let elements = || op.args.iter().map(|&arg| program.ty(arg).shape.count());
    let is_basic = match attention.optional_operands(&op.args, |arg| program.ty(arg).dtype) {
        Some(optional) => optional.log_sum_exp.is_none() && optional.positions.is_none(),
        None => false,
    };
    is_basic
        && (attention.is_gradient() || op.outs.len() == 1)
        && gpu.float_type(program.ty(op.args[0]).dtype).is_some()
        && elements().min() > Some(0)
}

/// Lowers an attention op to one kernel. Returns `None` for unsupported dtypes.
pub(crate) fn lower(to: &mut Lowerer<'_>, id: OpId, op: &Attention) -> Option<()> {
    let args = &to.program.ops[id].args;
    let float = to.target().float_type(to.program.ty(args[0]).dtype)?;
    let (sizes, reads, _) = operands(to, id, 3, op.causal, op.scale);
    let out = to.program.ops[id].outs[0];
    let sizes = AttentionSizes { result: matrix(&to.stored_layout(out)), ..sizes };
    let result = to.result(id);
    let along = [(&sizes.queries, sizes.key), (&sizes.keys, sizes.key), (&sizes.values, sizes.value)];
    let load_width = choose_load_width(float, tensor::MAX_HEAD_ELEMENTS, &sizes, &along);
    let spec = KernelSpec::Attention(sizes.clone(), float, load_width);
    to.compute(id, Launch::with_all_buffers(spec, args.len(), 1), reads, vec![result]);
    Some(())
}

/// Returns true if all vector loads along the rows of a matrix with `columns` columns are aligned.
fn allows_vector_loads(matrix: &Matrix, columns: usize) -> bool {
    let Matrix { batch_map, row, column } = matrix;
    let strides = batch_map.terms.iter().map(|term| term.stride).chain([batch_map.offset, *row, columns as i64]);
    *column == 1 && strides.into_iter().all(|stride| stride % VECTOR as i64 == 0)
}

/// Returns the load width of the tensor-core kernel, or `None` if that kernel does not support the dtype or the head
/// size exceeds `max_head`. `along` contains the matrices that are loaded and their numbers of columns.
fn choose_load_width(
    float: FloatType,
    max_head: usize,
    sizes: &AttentionSizes,
    along: &[(&Matrix, usize)],
) -> Option<LoadWidth> {
    let is_narrow = float != FloatType::F32 && sizes.key.max(sizes.value) <= max_head;
    let vector_len = if along.iter().all(|(matrix, n)| allows_vector_loads(matrix, *n)) { VECTOR } else { 1 };
    is_narrow.then_some(LoadWidth { vector_len })
}

/// Lowers the gradients of attention to two kernels. Returns `None` for unsupported dtypes.
pub(crate) fn lower_gradients(to: &mut Lowerer<'_>, id: OpId, op: &AttentionGrad) -> Option<()> {
    let ir_op = &to.program.ops[id];
    let float = to.target().float_type(to.program.ty(ir_op.args[0]).dtype)?;
    let (attention, reads, others) = operands(to, id, 5, op.causal, op.scale);
    let [queries, keys, values] = [0, 1, 2].map(|i| matrix(&to.stored_layout(ir_op.outs[i])));
    let attention = AttentionSizes { result: others[0].clone(), ..attention };
    let bytes = (attention.batch * attention.rows * 4).next_multiple_of(ALIGN);
    let masks = attention.masks();
    let sizes = GradientSizes { attention, result_grad: others[1].clone(), queries, keys, values };
    let attention = &sizes.attention;
    let along = [
        (&attention.queries, attention.key),
        (&attention.keys, attention.key),
        (&attention.values, attention.value),
        (&sizes.result_grad, attention.value),
    ];
    let load_width = choose_load_width(float, tensor_gradients::MAX_HEAD_ELEMENTS, attention, &along);
    let mask = || (0..masks).map(|_| Arg::Read(5));
    let (log_sums, row_dots) = (Arg::Scratch(0), Arg::Scratch(bytes));
    let first = (0..5).map(Arg::Read).chain(mask()).chain([Arg::Write(0), log_sums, row_dots]).collect();
    let operands = [0, 1, 2, 4].into_iter().map(Arg::Read).chain([log_sums, row_dots]);
    let second = operands.chain(mask()).chain([Arg::Write(1), Arg::Write(2)]).collect();
    let dispatches = vec![
        Dispatch { spec: KernelSpec::QueryGradient(sizes.clone(), float, load_width), args: first },
        Dispatch { spec: KernelSpec::KeyValueGradients(sizes, float, load_width), args: second },
    ];
    let writes = ir_op.outs.iter().map(|&out| to.new_slot(out)).collect();
    to.compute_with(id, Launch::new(dispatches), 2 * bytes, Vec::new(), reads, writes);
    Some(())
}

/// Returns the sizes of an attention, the memory of its operands, and the layouts of the operands between the values
/// and the mask. The mask, if present, is the operand with the number `mask_number`.
fn operands(
    to: &mut Lowerer<'_>,
    id: OpId,
    mask_number: usize,
    causal: bool,
    scale: f64,
) -> (AttentionSizes, Vec<Span>, Vec<Matrix>) {
    let program = to.program;
    let args = &program.ops[id].args;
    let (q, v) = (&program.ty(args[0]).shape, &program.ty(args[2]).shape);
    let rank = q.rank();
    let (rows, columns) = (q[rank - 2], v[rank - 2]);
    let (reads, views): (Vec<Span>, Vec<View>) = args.iter().map(|&arg| to.span_and_view(arg)).unzip();
    let mask = views.get(mask_number).map(|mask| {
        // The mask is broadcast to the scores; its dimensions are aligned with the last ones.
        let shape: Vec<usize> = q[..rank - 2].iter().copied().chain([rows, columns]).collect();
        let mask_dims: Vec<usize> = (rank - mask.shape.len()..rank).collect();
        matrix(&mask.broadcast(&mask_dims, &shape))
    });
    let sizes = AttentionSizes {
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
        half: Half::from_dtype(program.ty(args[0]).dtype),
    };
    (sizes, reads, views[3..mask_number].iter().map(matrix).collect())
}

/// Returns a view as a batch of matrices in its last two dimensions. The other dimensions are batch dimensions.
fn matrix(view: &View) -> Matrix {
    let rank = view.shape.len();
    let (batch, row, column) = (rank - 2, view.strides[rank - 2], view.strides[rank - 1]);
    let batch_map =
        View { shape: view.shape[..batch].into(), strides: view.strides[..batch].into(), offset: view.offset };
    Matrix { batch_map: address_map(&batch_map), row: row as i64, column: column as i64 }
}
