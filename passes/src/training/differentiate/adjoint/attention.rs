//! The adjoint of attention: a single op, or the ops that compute only the needed gradients.

use super::Adjoint;
use partita_ir::arena::ValueId;
use partita_ir::ops::{Attention, AttentionGrad};

/// Appends the adjoint of `attention`, for queries, keys and values.
pub fn attention(ctx: &mut Adjoint<'_, '_>, op: &Attention) -> Result<(), String> {
    let wanted = [ctx.needs_gradient(0), ctx.needs_gradient(1), ctx.needs_gradient(2)];
    if wanted == [false; 3] {
        return Ok(());
    }
    let mut args = vec![ctx.arg(0), ctx.arg(1), ctx.arg(2), ctx.out(), ctx.gradient()];
    args.extend(ctx.op.args[3..].iter());
    if wanted == [true; 3] {
        let types = [0, 1, 2].map(|i| ctx.arg_type(i));
        let grad = AttentionGrad::from_attention(op);
        let gradients = ctx.b.op_many("attention_grad", grad, &args, &types);
        gradients.iter().enumerate().for_each(|(i, &gradient)| ctx.set_gradient(i, gradient));
        return Ok(());
    }
    let gradients: [Option<ValueId>; 3] =
        op.gradients(ctx.b, &args, wanted).ok_or("its operands have too few dimensions")?;
    for (i, gradient) in gradients.into_iter().enumerate() {
        if let Some(gradient) = gradient {
            ctx.set_gradient(i, gradient);
        }
    }
    Ok(())
}
