//! Obstacles in training configurations that several launchers share.

use partita_ir::plan::train::{LossScaling, Optimizer, TrainConfig};

/// Returns the reasons why options of training apart from the optimizer and the schedule of the learning rate have no
/// equivalent in any launcher.
pub(super) fn shared_obstacles(config: &TrainConfig) -> Vec<String> {
    // All fields are listed, so that a new one is not forgotten.
    let TrainConfig {
        norms,
        // Examined by each launcher.
        optimizer: _,
        scaling: _,
        schedule: _,
        steps: _,
        end: _,
        warmup: _,
        // Options of all launchers.
        rate: _,
        decay: _,
        base_batch: _,
        clip: _,
        accumulate: _,
        accumulate_at: _,
        // The model defines its loss.
        loss: _,
    } = config;
    norms.then(|| "the norms of gradients of single layers are no output".to_owned()).into_iter().collect()
}

/// Returns an obstacle for an optimizer other than Adam.
pub(super) fn adam_only(name: &str, config: &TrainConfig) -> Option<String> {
    match config.optimizer {
        Optimizer::Adam { .. } => None,
        Optimizer::Sgd | Optimizer::Momentum { .. } => Some(format!("the optimizer of {name} is Adam")),
    }
}

/// Returns an obstacle for loss scaling in a launcher without `f16`.
pub(super) fn no_scaling(name: &str, config: &TrainConfig) -> Option<String> {
    match config.scaling {
        None | Some(LossScaling::None) => None,
        Some(LossScaling::Static(_) | LossScaling::Dynamic) => Some(format!("{name} has no option for loss scaling")),
    }
}
