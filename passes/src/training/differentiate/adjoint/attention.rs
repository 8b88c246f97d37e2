//! The adjoint of attention: an op of its own, or the parts of it that are wanted.

use super::Adjoint;
use partita_ir::arena::ValueId;
use partita_ir::ops::{Attention, AttentionGrad};

/// Gradients to q, k and v.
pub fn attention(at: &mut Adjoint<'_, '_>, op: &Attention) -> Result<(), String> {
    let wanted = [at.wants(0), at.wants(1), at.wants(2)];
    if wanted == [false; 3] {
        return Ok(());
    }
    let mut args = vec![at.arg(0), at.arg(1), at.arg(2), at.out(), at.gradient()];
    args.extend(at.op.args.get(3));
    if wanted == [true; 3] {
        let types = [0, 1, 2].map(|i| at.arg_type(i));
        let grad = AttentionGrad { causal: op.causal, scale: op.scale };
        let gradients = at.b.op_many("attention_grad", grad, &args, &types);
        gradients.iter().enumerate().for_each(|(i, &gradient)| at.give(i, gradient));
        return Ok(());
    }
    let gradients: [Option<ValueId>; 3] =
        op.gradients(at.b, &args, wanted).ok_or("its operands have too few dimensions")?;
    for (i, gradient) in gradients.into_iter().enumerate() {
        if let Some(gradient) = gradient {
            at.give(i, gradient);
        }
    }
    Ok(())
}
