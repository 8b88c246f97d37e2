//! Gradient norms of each layer as outputs of the step, for monitoring.

use super::StepBuilder;
use super::clip::{square_sum, times};
use indexmap::IndexMap;
use partita_ir::arena::{ParamId, ValueId};
use partita_ir::ops::UnaryOp;
use partita_ir::plan::path::layer;

/// Adds the output `norm.LAYER` for each layer: the norm before clipping. `factor` is still to be applied to the
/// gradients.
pub(super) fn norms(step: &mut StepBuilder<'_>, params: &[ParamId], gradients: &[ValueId], factor: Option<ValueId>) {
    let mut layers: IndexMap<String, (Vec<ParamId>, Vec<ValueId>)> = IndexMap::new();
    for (&param, &gradient) in params.iter().zip(gradients) {
        let layer = layer(&step.b.program.params[param].path).to_owned();
        let (params, gradients) = layers.entry(layer).or_default();
        params.push(param);
        gradients.push(gradient);
    }
    for (layer, (params, gradients)) in layers {
        let Some(sum) = square_sum(step, &params, &gradients) else { continue };
        step.enter_layer_of(params.first().copied());
        let mut norm = step.b.unary(UnaryOp::Sqrt, sum);
        if let Some(factor) = factor {
            norm = times(&mut step.b, norm, factor);
        }
        step.extra_outputs.push((format!("norm.{layer}").into(), norm));
        step.enter_layer_of(None);
    }
}
