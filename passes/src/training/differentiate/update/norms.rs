//! The norm of each layer's gradient as a result of the step, so that whoever trains sees which layers still learn.

use super::Step;
use super::clip::{square_sum, times};
use indexmap::IndexMap;
use partita_ir::arena::{ParamId, ValueId};
use partita_ir::ops::UnaryOp;
use partita_ir::plan::path::layer;

/// Gives `norm.LAYER` for each layer, before clipping. The gradients are to be multiplied by `factor` besides.
pub(super) fn norms(step: &mut Step<'_>, params: &[ParamId], gradients: &[ValueId], factor: Option<ValueId>) {
    let mut layers: IndexMap<String, Vec<ValueId>> = IndexMap::new();
    for (&param, &gradient) in params.iter().zip(gradients) {
        let layer = layer(&step.b.program.params[param].path).to_owned();
        layers.entry(layer).or_default().push(gradient);
    }
    for (layer, gradients) in layers {
        let Some(sum) = square_sum(&mut step.b, &gradients) else { continue };
        let mut norm = step.b.unary(UnaryOp::Sqrt, sum);
        if let Some(factor) = factor {
            norm = times(&mut step.b, norm, factor);
        }
        step.told.push((format!("norm.{layer}").into(), norm));
    }
}
