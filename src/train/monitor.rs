//! Freezing of layers during training.
//!
//! `norm<1e-3 for 20`: a layer is calm in a step if the norm of its gradient is below the threshold, and converged
//! after that number of calm steps in a row. Layers are frozen from the input side only, since then the backward pass
//! ends at the first trainable layer. The last layer remains trainable.

use partita_ir::arena::Id;
use partita_ir::diag::{Code, Diagnostic, Source, Span};
use partita_ir::plan::path::layer;
use partita_ir::plan::{Plan, SourceText};
use partita_ir::program::{ParamKind, Phase, Program};
use std::collections::BTreeMap;

/// Prefix of the names of outputs that are gradient norms.
const NORM_PREFIX: &str = "norm.";

/// Condition for freezing a layer.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FreezeWhen {
    /// Threshold of the gradient norm.
    pub norm: f64,
    /// Number of consecutive steps below the threshold.
    pub steps: u64,
}

impl FreezeWhen {
    /// Parses `norm<1e-3 for 20`.
    ///
    /// # Errors
    /// `D010` for any other text.
    pub fn parse(text: &str) -> Result<FreezeWhen, Diagnostic> {
        let parts = text.trim().strip_prefix("norm").and_then(|rest| rest.trim_start().strip_prefix('<'));
        let parts = parts.and_then(|rest| rest.split_once(" for "));
        let norm = parts.and_then(|(norm, _)| norm.trim().parse::<f64>().ok()).filter(|x| x.is_finite() && *x > 0.0);
        let steps = parts.and_then(|(_, steps)| steps.trim().parse::<u64>().ok()).filter(|&n| n > 0);
        match (norm, steps) {
            (Some(norm), Some(steps)) => Ok(FreezeWhen { norm, steps }),
            _ => {
                let span = Span::new(&Source::new("--freeze-when", text), 0..text.len());
                let error = Diagnostic::new(Code::D010, format!("`{text}` is not a rule for freezing"));
                Err(error.label(span, "").help("write `norm<NUMBER for STEPS`: `norm<1e-3 for 20`"))
            }
        }
    }
}

/// Gradient statistics of the layers.
pub(crate) struct FreezeMonitor {
    when: Option<FreezeWhen>,
    /// Layers of the model in the order of the forward pass.
    layers: Vec<String>,
    /// Layers frozen during training, in order.
    pub(crate) frozen: Vec<String>,
    /// Number of consecutive calm steps of each trainable layer.
    pub(crate) calm: BTreeMap<String, u64>,
}

impl FreezeMonitor {
    /// Restores the state of a checkpoint. `model` is the traced model, since no plan changes the order of its layers.
    pub(crate) fn new(
        model: &Program,
        when: Option<FreezeWhen>,
        frozen: Vec<String>,
        calm: BTreeMap<String, u64>,
    ) -> FreezeMonitor {
        FreezeMonitor { when, layers: layers(model), frozen, calm }
    }

    /// Records the gradient norms of a step and returns the layers to freeze.
    pub(crate) fn record(&mut self, norms: &[(String, f64)]) -> Vec<String> {
        let Some(when) = self.when else { return Vec::new() };
        for (layer, norm) in norms {
            let calm = self.calm.entry(layer.clone()).or_default();
            *calm = if *norm < when.norm { *calm + 1 } else { 0 };
        }
        let trained: Vec<&String> = self.layers.iter().filter(|l| norms.iter().any(|(n, _)| n == *l)).collect();
        let done = |layer: &&&String| self.calm.get(**layer).is_some_and(|&calm| calm >= when.steps);
        let last = trained.len().saturating_sub(1);
        let done: Vec<String> = trained.iter().take(last).take_while(done).map(|l| String::clone(l)).collect();
        for layer in &done {
            self.calm.remove(layer);
            self.frozen.push(layer.clone());
        }
        done
    }
}

/// Returns the layer of a gradient norm, or `None` for another output.
pub(crate) fn layer_of(result: &str) -> Option<&str> {
    result.strip_prefix(NORM_PREFIX)
}

/// Adds the gradient norms to the outputs of the step.
pub(crate) fn with_norms(mut plan: Plan) -> Plan {
    if let Some(train) = &mut plan.train
        && !train.text.contains("norms=")
    {
        let joint = if train.text.contains('?') { '&' } else { '?' };
        *train = SourceText::at_caller(format!("{}{joint}norms=true", train.text));
    }
    plan
}

/// Freezes layers in a plan.
pub(crate) fn with_frozen(mut plan: Plan, model: &Program, frozen: &[String]) -> Plan {
    for param in model.params.values().filter(|p| p.kind == ParamKind::Trainable) {
        if frozen.iter().any(|l| l == layer(&param.path)) {
            plan = plan.freeze(param.path.clone());
        }
    }
    plan
}

/// Returns the layers of a model in the order of the forward pass, including loop bodies.
fn layers(model: &Program) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let params = model.param_values();
    // Loops only pass parameters to the ops of their bodies.
    let readers = model.model_ops().into_iter().map(|at| at.op).filter(|op| op.kind.control().is_none());
    let forward = readers.filter(|op| op.phase == Phase::Forward);
    for param in forward.flat_map(|op| &op.args).filter_map(|&arg| params[arg.index()]) {
        let layer = layer(&model.params[param].path);
        if !found.iter().any(|f| f == layer) {
            found.push(layer.to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn freeze_rules_are_parsed() {
        assert_eq!(FreezeWhen::parse("norm<1e-3 for 20").ok(), Some(FreezeWhen { norm: 1e-3, steps: 20 }));
        assert_eq!(FreezeWhen::parse(" norm < 0.5 for 1 ").ok(), Some(FreezeWhen { norm: 0.5, steps: 1 }));
        for bad in ["", "norm<0 for 3", "norm<1 for 0", "norm>1 for 3", "norm<1", "norm<inf for 2", "grad<1 for 2"] {
            assert_eq!(FreezeWhen::parse(bad).map_err(|e| e.code), Err(Code::D010), "{bad}");
        }
    }
}
