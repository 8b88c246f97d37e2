//! Values of launch options: degrees of parallelism, batches and training options of a plan.

use super::Subject;
use partita_ir::plan::pipeline::PipelineConfig;
use partita_ir::plan::train::TrainConfig;
use partita_ir::schedule::ScheduleKind;
use partita_ir::units::parse_bytes;
use partita_passes::planning::presets::written_presets;

/// Settings of a plan for launch options.
pub(super) struct LaunchSettings {
    /// Number of devices.
    pub(super) devices: usize,
    /// Replicas that hold all parameters.
    pub(super) data: u32,
    /// Shards of the axis `shard`, or 1.
    pub(super) shard: u32,
    /// Degree of expert parallelism.
    pub(super) expert: u32,
    /// Degree of context parallelism.
    pub(super) context: u32,
    /// Implementation of attention over sequence shards: `ring`, `gather` or `ulysses`.
    pub(super) attention: String,
    /// Degree of tensor parallelism.
    pub(super) model: u32,
    /// Number of pipeline stages.
    pub(super) stages: usize,
    /// Number of chunks of each stage.
    pub(super) chunks_per_stage: usize,
    /// Schedule of the pipeline.
    pub(super) schedule: ScheduleKind,
    /// True if norms and residuals are sharded along the sequence.
    pub(super) shards_sequence: bool,
    /// Stage of ZeRO.
    pub(super) zero: u8,
    /// Micro-batches of a step of one replica.
    pub(super) micro_batches: u64,
    /// Examples of a step. `None` if the model has no batch dimension.
    pub(super) batch: Option<u64>,
    /// Level of recomputation.
    pub(super) recompute: String,
    /// Element type in which the model computes.
    pub(super) precision: String,
    /// Overlapping collectives, in ascending order.
    pub(super) overlap: Vec<String>,
    /// Size of the buckets of gradients in bytes, unless it is the default or `none`.
    pub(super) bucket: Option<u64>,
    /// Training options, if the plan trains the model.
    pub(super) train: Option<TrainConfig>,
    /// Number of equal layers, if they are known.
    pub(super) layers: Option<usize>,
    /// Number of attention heads, if the model has attention.
    pub(super) heads: Option<usize>,
}

impl LaunchSettings {
    /// Reads the settings of a plan that satisfies the rules of a launcher.
    pub(super) fn new(subject: &Subject<'_>) -> LaunchSettings {
        let plan = subject.plan;
        let config = plan.pipeline_config().ok().flatten().unwrap_or_else(PipelineConfig::single);
        let axes = subject.partition.planned().mesh().map(|(_, mesh)| mesh.axes.clone()).unwrap_or_default();
        let size = |name: &str| axes.iter().filter(|axis| axis.name == name).map(|axis| axis.size).product::<u32>();
        let has = |name: &str| written_presets(plan).any(|preset| preset.is_named(name));
        let option =
            |name: &str| written_presets(plan).find(|preset| preset.is_named(name)).map(|preset| preset.option);
        let last =
            |entries: &[partita_ir::plan::PlanEntry]| entries.last().map(|entry| entry.text.text.trim().to_owned());
        let attention = option("context").and_then(|option| option.strip_prefix("attention="));
        let attention = last(&plan.attention).or_else(|| attention.map(str::to_owned));
        let mut overlap: Vec<String> =
            plan.overlap.iter().flat_map(|text| text.text.split(',')).map(|name| name.trim().to_owned()).collect();
        overlap.sort();
        let stages = config.cuts.count();
        let replicas = u32::try_from(config.replicas).unwrap_or(u32::MAX);
        let micro_batches = subject.partition.micro_batches().max(1) / config.replicas.max(1) as u64;
        let expert_on_data = has("expert") && !axes.iter().any(|axis| axis.name == "expert");
        LaunchSettings {
            devices: subject.partition.device_count(),
            data: size("data").saturating_mul(size("expert")).saturating_mul(replicas),
            shard: size("shard"),
            expert: if expert_on_data { size("data") } else { size("expert") },
            context: size("context").max(size("cp")),
            attention: attention.unwrap_or_else(|| "ring".to_owned()),
            model: size("model"),
            stages,
            chunks_per_stage: config.kind.chunks_per_stage(),
            schedule: config.kind,
            shards_sequence: has("sequence"),
            zero: [("zero3", 3), ("zero2", 2), ("zero1", 1)]
                .into_iter()
                .find(|(name, _)| has(name))
                .map_or(0, |(_, stage)| stage),
            micro_batches: micro_batches.max(1),
            batch: subject.rules.batch().map(|batch| batch as u64),
            recompute: last(&plan.remat).unwrap_or_else(|| "none".to_owned()),
            precision: last(&plan.precision).unwrap_or_else(|| "f32".to_owned()),
            overlap,
            bucket: plan.bucket.as_ref().and_then(|text| parse_bytes(text.text.trim())),
            train: plan.train.as_ref().and_then(|text| TrainConfig::parse(text).ok()),
            layers: subject.rules.equal_layers().map(|layers| layers.count()),
            heads: subject.rules.heads().last().copied(),
        }
    }

    /// Returns the number of replicas of the batch: each has its own examples.
    pub(super) fn replicas(&self) -> u64 {
        u64::from(self.data) * u64::from(self.shard)
    }

    /// Returns the number of examples of a micro-batch of one replica.
    pub(super) fn micro_batch_size(&self) -> Option<u64> {
        Some(self.batch? / self.replicas().max(1) / self.micro_batches)
    }

    /// Returns the learning rate for the batch of the model.
    pub(super) fn rate(&self, train: &TrainConfig) -> f64 {
        let factor = train.base_batch.as_ref().zip(self.batch).map_or(1.0, |(base, batch)| base.factor(batch));
        train.rate * factor
    }
}

/// Formats a number as all formats read it: `0.001`, `1e-8`.
pub(super) fn number(value: f64) -> String {
    if value != 0.0 && (value.abs() < 1e-4 || value.abs() >= 1e15) {
        let text = format!("{value:e}");
        // YAML and TOML need a point in the mantissa of a number with an exponent.
        return if text.contains('.') { text } else { text.replace('e', ".0e") };
    }
    let text = format!("{value}");
    if text.contains('.') { text } else { format!("{text}.0") }
}
