//! Freezing layers that have learned what they can, while training goes on.
//!
//! `norm<1e-3 for 20`: a layer is calm in a step when the norm of its gradient is below that number, and done after so
//! many calm steps in a row. Layers are frozen from the front only, since only then the backward pass becomes shorter:
//! gradients need not flow further than to the first layer that is trained. The last layer is always trained.

use partita_ir::arena::Id;
use partita_ir::diag::{Code, Diagnostic, Source, Span};
use partita_ir::plan::path::layer;
use partita_ir::plan::{Plan, Written};
use partita_ir::program::{ParamKind, Phase, Program};
use std::collections::BTreeMap;

/// What the names of results are that are norms of gradients.
const NORM: &str = "norm.";

/// When layers are frozen.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FreezeWhen {
    /// The norm that a gradient must stay below.
    pub norm: f64,
    /// In so many steps in a row.
    pub steps: u64,
}

impl FreezeWhen {
    /// Reads `norm<1e-3 for 20`.
    ///
    /// # Errors
    /// `D010` for anything else.
    pub fn read(text: &str) -> Result<FreezeWhen, Diagnostic> {
        let parts = text.trim().strip_prefix("norm").and_then(|rest| rest.trim_start().strip_prefix('<'));
        let parts = parts.and_then(|rest| rest.split_once(" for "));
        let norm = parts.and_then(|(norm, _)| norm.trim().parse::<f64>().ok()).filter(|x| x.is_finite() && *x > 0.0);
        let steps = parts.and_then(|(_, steps)| steps.trim().parse::<u64>().ok()).filter(|&n| n > 0);
        match (norm, steps) {
            (Some(norm), Some(steps)) => Ok(FreezeWhen { norm, steps }),
            _ => {
                let span = Span::new(&Source::new("--freeze-when", text), 0..text.len());
                let error = Diagnostic::new(Code::D010, format!("`{text}` does not say when to freeze"));
                Err(error.at(span, "").help("write `norm<NUMBER for STEPS`: `norm<1e-3 for 20`"))
            }
        }
    }
}

/// What is known of the layers.
pub(crate) struct Monitor {
    when: Option<FreezeWhen>,
    /// The layers of the model in the order in which its forward pass comes to them.
    layers: Vec<String>,
    /// Layers that were frozen on the way, in order.
    pub(crate) frozen: Vec<String>,
    /// For each other layer: in how many steps up to now its gradient was small.
    pub(crate) calm: BTreeMap<String, u64>,
}

impl Monitor {
    /// Goes on from what a checkpoint says, with the model as it was traced: no plan changes the order of its layers.
    pub(crate) fn new(
        model: &Program,
        when: Option<FreezeWhen>,
        frozen: Vec<String>,
        calm: BTreeMap<String, u64>,
    ) -> Monitor {
        Monitor { when, layers: layers(model), frozen, calm }
    }

    /// Looks at the norms of a step; says which layers are to be frozen now, if any.
    pub(crate) fn see(&mut self, norms: &[(String, f64)]) -> Vec<String> {
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

/// The layer that a result is the norm of.
pub(crate) fn layer_of(result: &str) -> Option<&str> {
    result.strip_prefix(NORM)
}

/// Makes the norms of gradients results of the step.
pub(crate) fn with_norms(mut plan: Plan) -> Plan {
    if let Some(train) = &mut plan.train
        && !train.text.contains("norms=")
    {
        let joint = if train.text.contains('?') { '&' } else { '?' };
        *train = Written::here(format!("{}{joint}norms=true", train.text));
    }
    plan
}

/// Freezes those layers.
pub(crate) fn with_frozen(mut plan: Plan, model: &Program, frozen: &[String]) -> Plan {
    for param in model.params.values().filter(|p| p.kind == ParamKind::Trainable) {
        if frozen.iter().any(|l| l == layer(&param.path)) {
            plan = plan.freeze(param.path.clone());
        }
    }
    plan
}

/// The layers of a model in the order in which the forward pass comes to them, also in the bodies of its loops.
fn layers(model: &Program) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let params = model.param_values();
    // A loop only hands parameters to the ops of its body.
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
    fn when_to_freeze_is_read() {
        assert_eq!(FreezeWhen::read("norm<1e-3 for 20").ok(), Some(FreezeWhen { norm: 1e-3, steps: 20 }));
        assert_eq!(FreezeWhen::read(" norm < 0.5 for 1 ").ok(), Some(FreezeWhen { norm: 0.5, steps: 1 }));
        for bad in ["", "norm<0 for 3", "norm<1 for 0", "norm>1 for 3", "norm<1", "norm<inf for 2", "grad<1 for 2"] {
            assert_eq!(FreezeWhen::read(bad).map_err(|e| e.code), Err(Code::D010), "{bad}");
        }
    }
}
