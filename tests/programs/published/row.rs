//! Rows of `tests/data/published.csv`: published steps with their configuration, and their prediction.

use partita_cost::placement::Placement;
use partita_cost::roofline::efficiencies::{AttentionKernels, Efficiencies, Fusion, Software};
use partita_cost::roofline::parts::TimePart;
use partita_cost::step::{Prediction, predict_with_prices};
use partita_ir::diag::Source;
use partita_ir::pipeline::Pipeline;
use partita_ir::plan::{Mesh, Plan};
use partita_machine::collective::choice::Prices;
use partita_machine::{Machine, PRESETS};
use partita_passes::driver::{Findings, Input};
use partita_passes::pipelines;
use partita_passes::pipelining::stages::pipeline;

/// A published step.
#[derive(Clone, Debug)]
pub struct Row {
    /// Publication or table.
    pub source: String,
    /// Model and configuration.
    pub system: String,
    /// Name of the built-in model.
    model: String,
    /// Number of layers.
    pub layers: usize,
    pub width: usize,
    heads: usize,
    kv_heads: Option<usize>,
    hidden: Option<usize>,
    pub sequence: usize,
    pub vocabulary: usize,
    batch: usize,
    /// Machine: a preset or a file of `tests/data/machines`, with its number of nodes.
    pub machine: String,
    mesh: Vec<(String, u32)>,
    preset: String,
    /// Sequences of a micro-batch of a replica. Several if the publication states that the best one was chosen.
    micro: Vec<usize>,
    pub stages: usize,
    schedule: String,
    pub recompute: String,
    precision: String,
    /// Properties of the kernels.
    pub efficiencies: Efficiencies,
    metric: String,
    published: f64,
    /// Published memory in GiB.
    pub memory_gib: Option<f64>,
    /// Reason for which the row is not representative.
    pub excluded: Option<String>,
}

/// Returns all rows.
pub fn rows() -> Vec<Row> {
    let text = include_str!("../../data/published.csv");
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<&str>>());
    let header = lines.next().unwrap();
    lines.map(|fields| Row::new(|name| fields[header.iter().position(|known| *known == name).unwrap()])).collect()
}

impl Row {
    fn new<'t>(field: impl Fn(&str) -> &'t str) -> Row {
        let number = |name: &str| field(name).parse::<usize>().unwrap_or_else(|e| panic!("{name}: {e}"));
        let mesh = field("mesh").split(';').filter_map(|axis| axis.split_once('='));
        Row {
            source: field("source").to_owned(),
            system: field("system").to_owned(),
            model: field("model").to_owned(),
            layers: number("layers"),
            width: number("width"),
            heads: number("heads"),
            kv_heads: field("kv_heads").parse().ok(),
            hidden: field("hidden").parse().ok(),
            sequence: number("seq"),
            vocabulary: number("vocab"),
            batch: number("batch"),
            machine: field("machine").to_owned(),
            mesh: mesh.map(|(name, size)| (name.to_owned(), size.parse().unwrap())).collect(),
            preset: field("preset").replace(';', ","),
            micro: field("micro").split('|').map(|n| n.parse().unwrap()).collect(),
            stages: number("stages"),
            schedule: field("schedule").to_owned(),
            recompute: field("recompute").to_owned(),
            precision: field("precision").to_owned(),
            efficiencies: Efficiencies {
                attention: AttentionKernels::ALL.into_iter().find(|of| of.name() == field("attention")).unwrap(),
                fusion: Fusion::ALL.into_iter().find(|of| of.name() == field("fusion")).unwrap(),
                software: Software::ALL.into_iter().find(|of| of.name() == field("software")).unwrap(),
                issue: field("issue_us").parse::<f64>().ok().map(|us| us / 1e6),
                prefetches_gathers: field("preset").contains("zero3"),
                ..Efficiencies::default()
            },
            metric: field("metric").to_owned(),
            published: field("published").parse().unwrap(),
            memory_gib: field("memory_gib").parse().ok(),
            excluded: Some(field("excluded").to_owned()).filter(|reason| !reason.is_empty()),
        }
    }

    /// Returns the machine.
    pub fn machine(&self) -> Machine {
        let (name, nodes) = self.machine.split_once("?nodes=").unwrap_or((&self.machine, "1"));
        let mut machine = if PRESETS.iter().any(|(known, _)| *known == name) {
            Machine::named(name).unwrap()
        } else {
            let path = format!("{}/data/machines/{name}.toml", env!("CARGO_MANIFEST_DIR"));
            let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
            Machine::from_toml(&Source::new(path, text)).unwrap_or_else(|e| panic!("{e}"))
        };
        machine.nodes[0].count = nodes.parse().unwrap();
        machine
    }

    /// Returns true if the prediction takes less than a second: few stages with few micro-batches.
    pub fn is_quick(&self) -> bool {
        self.stages <= 2 || self.batch <= 64
    }

    /// Returns the number of devices.
    fn devices(&self) -> f64 {
        self.stages as f64 * self.mesh.iter().map(|(_, size)| f64::from(*size)).product::<f64>()
    }

    /// Returns the number of tokens of a step per device.
    pub fn tokens(&self) -> f64 {
        (self.batch * self.sequence) as f64 / self.devices()
    }

    /// Returns the published seconds of a step.
    pub fn seconds(&self) -> f64 {
        let [b, s, l, h, v] = [self.batch, self.sequence, self.layers, self.width, self.vocabulary].map(|n| n as f64);
        match self.metric.as_str() {
            "seconds" => self.published,
            "tokens/s/GPU" => b * s / self.published / self.devices(),
            // Narayanan et al. 2021, equation 3, with recomputation.
            "TFLOP/s/GPU" => {
                96.0 * b * s * l * h * h * (1.0 + s / (6.0 * h) + v / (16.0 * l * h))
                    / (self.published * 1e12 * self.devices())
            }
            other => panic!("unknown metric `{other}`"),
        }
    }

    /// Returns the layer counts whose predictions are extrapolated: one and two layers per chunk of a stage, and four
    /// and eight without stages; or all layers if there are few.
    fn depths(&self) -> Vec<usize> {
        let chunks = self.schedule.split_once("chunks=").map_or(1, |(_, chunks)| chunks.parse().unwrap());
        let step = if self.stages == 1 { 4 } else { self.stages * chunks };
        if self.layers <= 2 * step { vec![self.layers] } else { vec![step, 2 * step] }
    }

    /// Returns the pipelines of the row: by micro-batch size, then by depth.
    pub fn pipelines(&self, depths: &[usize]) -> Vec<Vec<(usize, Pipeline)>> {
        let by_depth = |&micro: &usize| -> Option<Vec<(usize, Pipeline)>> {
            depths.iter().map(|&layers| Some((layers, self.pipeline(micro, layers)?))).collect()
        };
        self.micro.iter().filter_map(by_depth).collect()
    }

    /// Returns the pipeline with this number of layers, or `None` if the micro-batches do not divide the batch.
    fn pipeline(&self, micro: usize, layers: usize) -> Option<Pipeline> {
        let replicas = self.mesh.iter().find(|(name, _)| name == "data").map_or(1, |(_, size)| *size as usize);
        let micro_batches = self.batch / replicas / micro;
        if micro_batches * replicas * micro != self.batch {
            return None;
        }
        let optional = |name: &str, value: Option<usize>| value.map(|n| format!("&{name}={n}")).unwrap_or_default();
        let text = format!(
            "zoo:{}?layers={layers}&width={}&heads={}&seq={}&vocab={}&batch={}{}{}{}",
            self.model,
            self.width,
            self.heads,
            self.sequence,
            self.vocabulary,
            self.batch,
            optional("kv_heads", self.kv_heads),
            optional("hidden", self.hidden),
            if self.efficiencies.attention != AttentionKernels::Written { "" } else { "&dropout=0.1" }
        );
        let mut step = partita_models::program(&text).unwrap_or_else(|e| panic!("{}", e[0]));
        let mut plan = Plan::new(Mesh::new(self.mesh.iter().map(|(name, size)| (name.as_str(), *size))).unwrap())
            .preset(&self.preset)
            .train(format!("adamw?accumulate={micro_batches}"))
            .precision("**", &self.precision)
            .pipeline(self.stages.to_string());
        if self.recompute != "none" {
            plan = plan.remat("**", &self.recompute);
        }
        if !self.schedule.is_empty() {
            plan = plan.schedule(&self.schedule);
        }
        let (input, mut findings) = (Input::with_plan(plan.clone()), Findings::default());
        let built = pipelines::build_step(&mut step, &input, &mut findings).and_then(|()| {
            let how = plan.pipeline_config().map_err(|e| vec![e])?.unwrap();
            pipeline(&step, &how, &input, &mut findings, &mut |_| Ok(()))
        });
        Some(built.unwrap_or_else(|e| panic!("{}: {}", self.system, e[0])))
    }

    /// Predicts the step: the fastest of the micro-batch sizes, extrapolated from two depths.
    pub fn predict(&self, prices: &Prices<'_>) -> StepEstimate {
        let estimates = self.pipelines(&self.depths()).into_iter().map(|by_depth| {
            let by_depth: Vec<(usize, StepEstimate)> =
                by_depth.iter().map(|(layers, pipeline)| (*layers, self.estimate(pipeline, prices))).collect();
            match by_depth[..] {
                [(_, only)] => only,
                [(first, a), (second, b)] => a.extrapolated(&b, (self.layers - first) as f64 / (second - first) as f64),
                _ => panic!("a row has one or two depths"),
            }
        });
        estimates.min_by(|a, b| a.seconds.total_cmp(&b.seconds)).unwrap()
    }

    /// Predicts a pipeline.
    pub fn estimate(&self, pipeline: &Pipeline, prices: &Prices<'_>) -> StepEstimate {
        let placement = Placement::for_pipeline(pipeline, prices.machine(), &[]).unwrap_or_else(|e| panic!("{e:?}"));
        let prediction = predict_with_prices(pipeline, prices, &placement, &self.efficiencies);
        StepEstimate::new(&prediction.unwrap_or_else(|e| panic!("{}: {e}", self.system)))
    }
}

/// Predicted step with the seconds that depend on each fitted constant.
#[derive(Clone, Copy, Debug)]
pub struct StepEstimate {
    /// Seconds of the step.
    pub seconds: f64,
    /// Seconds of products, attention and memory traffic. Idle time of stages is attributed in proportion.
    pub parts: [f64; 3],
    /// Peak memory in bytes, without the memory outside of the allocator: context and communicators.
    pub allocated_bytes: f64,
}

impl StepEstimate {
    fn new(prediction: &Prediction) -> StepEstimate {
        let (stage, _) = prediction.bottleneck().unwrap();
        let mut parts = [0.0; 3];
        for (activity, seconds) in stage.parts.iter() {
            let part = match activity {
                TimePart::Products => 0,
                TimePart::Attention => 1,
                TimePart::MemoryBound | TimePart::Update => 2,
                TimePart::Launches | TimePart::Interference | TimePart::Exposed { .. } => continue,
            };
            parts[part] += seconds * prediction.seconds / stage.parts.seconds();
        }
        let allocated = prediction.stages.iter().map(|stage| stage.memory.peak + stage.reserved.fragmentation);
        StepEstimate { seconds: prediction.seconds, parts, allocated_bytes: allocated.max().unwrap() as f64 }
    }

    /// Extrapolates linearly: `self` is at 0 and `other` at 1.
    fn extrapolated(&self, other: &StepEstimate, at: f64) -> StepEstimate {
        let line = |a: f64, b: f64| a + (b - a) * at;
        StepEstimate {
            seconds: line(self.seconds, other.seconds),
            parts: [0, 1, 2].map(|part| line(self.parts[part], other.parts[part])),
            allocated_bytes: line(self.allocated_bytes, other.allocated_bytes),
        }
    }

    /// Returns the seconds if products, attention and memory were faster by these factors.
    pub fn seconds_with(&self, factors: [f64; 3]) -> f64 {
        let changes = self.parts.iter().zip(factors).map(|(seconds, factor)| seconds / factor - seconds);
        self.seconds + changes.sum::<f64>()
    }
}
