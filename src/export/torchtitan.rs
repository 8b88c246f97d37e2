//! torchtitan: the configuration file of a job, in TOML. Values between `<` and `>` are those that the user fills in.

use super::launch_settings::{LaunchSettings, number};
use super::{Subject, comments};
use partita_ir::plan::train::{Optimizer, RateSchedule};
use partita_ir::schedule::ScheduleKind;

/// Returns the file.
pub(super) fn emit(subject: &Subject<'_>) -> String {
    let settings = LaunchSettings::new(subject);
    let mut head = subject.head();
    head.push(String::new());
    head.push(format!(
        "Start it on {} devices: `torchrun ... -m torchtitan.train --job.config_file FILE`. Fill in values",
        settings.devices
    ));
    head.push(
        "between `<` and `>`. The model has these layers and examples, and torchtitan's names of modules.".to_owned(),
    );
    if settings.context > 1 {
        head.push(
            "torchtitan also shards parameters over context parallelism: they need less memory than predicted."
                .to_owned(),
        );
    }
    let mut text = comments(&head, "#");
    text += "\n[model]\nname = \"<model>\"\nflavor = \"<flavor>\"\nhf_assets_path = \"<folder of the tokenizer>\"\n";
    text += "\n[training]\ndataset = \"<data set>\"\nseq_len = \"<length of a sequence>\"\n";
    // A local batch has the micro-batches of a pipeline, and accumulated gradients have several local batches.
    if let Some((batch, micro)) = settings.batch.zip(settings.micro_batch_size()) {
        let local = if settings.stages > 1 { micro * settings.micro_batches } else { micro };
        text += &format!("local_batch_size = {local}\nglobal_batch_size = {batch}\n");
    } else {
        text += "local_batch_size = \"<examples of a replica>\"\n";
    }
    let train = settings.train.as_ref();
    text += &format!("max_norm = {}\n", train.and_then(|train| train.clip).map_or("inf".to_owned(), number));
    text += &match train.filter(|train| train.schedule != RateSchedule::Constant) {
        Some(train) => format!("steps = {}\n", train.steps),
        None => "steps = \"<number of steps>\"\n".to_owned(),
    };
    let dtype = if settings.precision == "bf16" { "bfloat16" } else { "float32" };
    text += &format!("mixed_precision_param = \"{dtype}\"\nmixed_precision_reduce = \"float32\"\n");
    text += &parallelism(&settings);
    let checkpoint = match settings.recompute.as_str() {
        "full" => "mode = \"full\"\n",
        "alternate" => "mode = \"selective\"\nselective_ac_option = \"op\"\n",
        _ => "mode = \"none\"\n",
    };
    text += &format!("\n[activation_checkpoint]\n{checkpoint}");
    if let Some(train) = train {
        text += &format!("\n[optimizer]\nname = \"AdamW\"\nlr = {}\n", number(settings.rate(train)));
        if let Optimizer::Adam { beta1, beta2, eps } = train.optimizer {
            text += &format!("beta1 = {}\nbeta2 = {}\neps = {}\n", number(beta1), number(beta2), number(eps));
        }
        text += &format!("weight_decay = {}\n\n[lr_scheduler]\nwarmup_steps = {}\n", number(train.decay), train.warmup);
        text += &match train.schedule {
            RateSchedule::Constant => "decay_ratio = 0.0\n".to_owned(),
            RateSchedule::Linear => format!("decay_type = \"linear\"\nmin_lr_factor = {}\n", number(train.end)),
            RateSchedule::Cosine => format!("decay_type = \"cosine\"\nmin_lr_factor = {}\n", number(train.end)),
        };
    }
    text
}

/// Returns the section of parallelism.
fn parallelism(settings: &LaunchSettings) -> String {
    // Parameters are sharded over `shard`, or over `data` without this axis.
    let (replicate, shard) = match (settings.zero > 1, settings.shard) {
        (false, shard) => (settings.data * shard, 1),
        (true, 1) => (1, settings.data),
        (true, shard) => (settings.data, shard),
    };
    let reshard = if settings.zero == 3 { "always" } else { "never" };
    let mut text = format!(
        "\n[parallelism]\ndata_parallel_replicate_degree = {replicate}\ndata_parallel_shard_degree = {shard}\n\
         fsdp_reshard_after_forward = \"{reshard}\"\ntensor_parallel_degree = {}\nenable_async_tensor_parallel = {}\n\
         context_parallel_degree = {}\npipeline_parallel_degree = {}\n",
        settings.model,
        !settings.overlap.is_empty(),
        settings.context,
        settings.stages,
    );
    if settings.context > 1 {
        let rotate = if settings.attention == "gather" { "allgather" } else { "alltoall" };
        text += &format!("context_parallel_rotate_method = \"{rotate}\"\n");
    }
    if settings.stages > 1 {
        let schedule = match settings.schedule {
            ScheduleKind::Gpipe => "GPipe",
            ScheduleKind::Interleaved { .. } => "Interleaved1F1B",
            ScheduleKind::OneFOneB | ScheduleKind::Vanilla | ScheduleKind::ZbH1 | ScheduleKind::ZbH2 => "1F1B",
        };
        text += &format!("pipeline_parallel_schedule = \"{schedule}\"\n");
        text += &settings
            .micro_batch_size()
            .map_or(String::new(), |size| format!("pipeline_parallel_microbatch_size = {size}\n"));
        if let Some(layers) = settings.layers {
            text += &format!(
                "module_fqns_per_model_part = [\n{}]\n",
                model_parts(layers, settings.stages * settings.chunks_per_stage)
            );
        }
    }
    text
}

/// Returns the modules of each part of the model, one part per line.
fn model_parts(layers: usize, parts: usize) -> String {
    let each = layers / parts;
    let part = |part: usize| {
        let mut modules: Vec<String> =
            (part * each..(part + 1) * each).map(|layer| format!("layers.{layer}")).collect();
        if part == 0 {
            modules.insert(0, "tok_embeddings".to_owned());
        }
        if part + 1 == parts {
            modules.extend(["norm".to_owned(), "output".to_owned()]);
        }
        let modules: Vec<String> = modules.iter().map(|module| format!("\"{module}\"")).collect();
        format!("    [{}],\n", modules.join(", "))
    };
    (0..parts).map(part).collect()
}
