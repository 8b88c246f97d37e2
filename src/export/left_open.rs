//! Settings of a plan that an exported file does not contain, with what the user does to apply them.

use crate::search::Target;
use partita_ir::plan::{Plan, PlanEntry, SourceText};

/// Returns one sentence for each setting that the exported file leaves to the user or that needs no equivalent.
/// Settings that an export contains, or that the rules of the target reject, are not listed.
pub(super) fn settings(plan: &Plan, target: Target) -> Vec<String> {
    // All fields are listed, so that a new one is not forgotten.
    let Plan {
        map,
        attention,
        overlap,
        train,
        freeze,
        train_only,
        precision,
        remat,
        bucket,
        hold,
        budget,
        schedule,
        micro_batches,
        replicas,
        // The layouts of all values are a result of these, which the file contains.
        mesh: _,
        stage_meshes: _,
        presets: _,
        rules: _,
        names: _,
        shards: _,
        stores: _,
        allow_reshard: _,
        no_padding: _,
        // The file contains the stages.
        pipeline: _,
    } = plan;
    let mut all = Vec::new();
    if let Some(budget) = budget {
        all.push(format!("`budget {}`: the predicted memory of the plan is within it.", budget.text.trim()));
    }
    let (recompute, compute) = match target {
        Target::Jax => {
            ("apply `jax.checkpoint` to these layers", "convert the parameters where the function uses them")
        }
        Target::Dtensor => {
            ("apply `torch.utils.checkpoint` to these modules", "use `torch.autocast`, or convert the parameters")
        }
        Target::TpPlan => ("call `model.gradient_checkpointing_enable()`", "load the model with this `dtype`"),
        // These options are part of the file.
        Target::Megatron | Target::Torchtitan | Target::Deepspeed | Target::Nanotron => return all,
    };
    let (freezing, training) = match target {
        Target::Jax => ("apply `jax.lax.stop_gradient` to them", "the function computes the update"),
        Target::Dtensor
        | Target::TpPlan
        | Target::Megatron
        | Target::Torchtitan
        | Target::Deepspeed
        | Target::Nanotron => ("set `requires_grad` to false", "create the optimizer after the model is distributed"),
    };
    let is_staged = plan.pipeline_config().ok().flatten().is_some_and(|config| config.cuts.count() > 1);
    let has_schedule = target == Target::Dtensor && is_staged;
    let own = "the compiler of the framework decides";
    let texts = |key: &str, written: &[SourceText], how: &str| -> Vec<String> {
        written.iter().map(|one| format!("`{key} {}`: {how}.", one.text.trim())).collect()
    };
    let entries = |key: &str, written: &[PlanEntry], how: &str| -> Vec<String> {
        let line = |one: &PlanEntry| format!("`{key} {}={}`: {how}.", one.path.text.trim(), one.text.text.trim());
        written.iter().map(line).collect()
    };
    if !has_schedule {
        let steps = "accumulate the gradients of so many micro-batches in each step";
        all.extend(texts("microbatches", micro_batches.as_slice(), steps));
        all.extend(texts("schedule", schedule.as_slice(), "one stage has no schedule"));
        all.extend(texts("replicas", replicas.as_slice(), "each replica has a shard of the batch"));
    }
    all.extend(texts("map", map.as_slice(), "number the devices such that the last axis is the innermost one"));
    all.extend(entries("attention", attention, "the implementation of attention of the model decides"));
    all.extend(texts("overlap", overlap.as_slice(), own));
    all.extend(texts("train", train.as_slice(), training));
    all.extend(texts("freeze", freeze, freezing));
    all.extend(texts("train_only", train_only, &format!("for all others, {freezing}")));
    all.extend(entries("precision", precision, compute));
    all.extend(entries("remat", remat, recompute));
    all.extend(texts("bucket", bucket.as_slice(), own));
    all.extend(texts("hold", hold, own));
    all
}
