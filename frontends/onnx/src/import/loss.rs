//! Loss functions for models that were exported for inference. Training requires a loss, which ONNX files rarely
//! contain.

use super::lowering::{Lowering, LoweringError, malformed};
use crate::name::Loss;
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::ops::{BinaryOp, CrossEntropy};
use partita_ir::syntax::attr::Dims;

/// Appends the mean loss of `result` as a scalar. The targets become an additional input: class labels `labels` for the
/// cross-entropy over the last dimension, or `targets` with the shape of `result` for the mean squared error. Errors:
/// `result` is not a nonempty float tensor with at least one dimension.
pub(super) fn append(loss: Loss, cx: &mut Lowering<'_>, result: ValueId) -> Result<ValueId, LoweringError> {
    cx.require_float(result)?;
    let ty = cx.b.ty(result);
    let Some((_, positions)) = ty.shape.split_last().filter(|_| ty.shape.count() > 0) else {
        return malformed(format!("needs scores or numbers to compare, not {ty}"));
    };
    let mut input = |name: &str, ty: Type| {
        let name = cx.b.names.fresh(name);
        cx.b.program.input(name, ty)
    };
    let losses = match loss {
        Loss::CrossEntropy => {
            let labels = input("labels", Type::new(DType::I64, Shape::from(positions)));
            cx.op("cross_entropy", CrossEntropy {}, &[result, labels])?
        }
        Loss::MeanSquaredError => {
            let targets = input("targets", ty.clone());
            let difference = cx.b.binary(BinaryOp::Sub, result, targets);
            cx.b.binary(BinaryOp::Mul, difference, difference)
        }
    };
    let all: Dims = (0..cx.rank(losses)).collect();
    Ok(cx.b.mean_dims(losses, all))
}
