//! Simulation: predicted step time, memory and utilisation on a machine that need not be present.

mod breakdown;
mod throughput;

use crate::compiler::Compiler;
use crate::error::Result;
use crate::parameters::ineffective_options;
use crate::partition::Partition;
use crate::report::text::plural;
use crate::report::{Align, RewriteReport, Table, WarningRow};
pub use breakdown::StepBreakdown;
use partita_cost::placement::Placement;
use partita_cost::roofline::Efficiencies;
use partita_cost::step::{PredictError, Prediction, StagePrediction, predict_with_prices};
use partita_ir::class::Control;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::DType;
use partita_ir::model::ModelOp;
use partita_ir::plan::{Mesh, Plan};
use partita_ir::program::{Form, Phase, Program};
use partita_ir::units::{format_bytes, format_rate, format_seconds, format_with_unit};
use partita_machine::Machine;
use partita_machine::collective::choice::Prices;
use partita_machine::timeline::{Category, Span, Timeline};
use partita_runtime::footprint::Footprint;
use partita_runtime::prediction::RunPrediction;
use serde_json::{Value, json};
use std::fmt;
use throughput::BatchSize;

/// A predicted step on a machine. Prints as a table and the timeline of its stages.
pub struct Simulation {
    model: String,
    machine: String,
    /// Name of the pipeline schedule. `None` for a single stage.
    schedule: Option<String>,
    micro_batches: u64,
    /// Schedule and micro-batches, such as `1f1b with 8 micro-batches`.
    summary: String,
    /// Examples and tokens of a step.
    batch: BatchSize,
    /// True if the step is a decoding step: it computes one token of each sequence with a cache of earlier tokens.
    decodes: bool,
    memory: u64,
    /// Typical relative error of the step.
    uncertainty: f64,
    prediction: Prediction,
    breakdown: StepBreakdown,
    timeline: Timeline,
    /// Rewrites of the autotuned variant.
    rewriting: Option<RewriteReport>,
    warnings: Vec<WarningRow>,
    /// Warnings for efficiencies without effect.
    ineffective: Vec<Diagnostic>,
    /// Assumptions on loops whose trip count is unknown.
    assumptions: Vec<String>,
}

impl Simulation {
    /// Predicts a step. Stages are placed on the devices of the machine in order.
    ///
    /// # Errors
    /// `H002` for a machine with too few devices, or with devices that cannot reach each other.
    pub fn new(partition: &Partition, machine: &Machine, efficiencies: &Efficiencies) -> Result<Simulation> {
        Simulation::with_prices(partition, (&Prices::new(machine), efficiencies))
    }

    /// Predicts a step with precomputed prices of collectives.
    ///
    /// # Errors
    /// The errors of [`Simulation::new`].
    pub fn with_prices(
        partition: &Partition,
        (prices, efficiencies): (&Prices<'_>, &Efficiencies),
    ) -> Result<Simulation> {
        let machine = prices.machine();
        let stages = partition.stages()?;
        let wrong = |failure: PredictError| Diagnostic::new(Code::H002, format!("on `{}`: {failure}", machine.name));
        let placement =
            Placement::for_pipeline(stages, machine, &partition.plan().mesh_axis_order()?).map_err(|misplaced| {
                let larger = machine.name_with_devices(stages.device_count());
                let help = format!("use a machine with more nodes, `{larger}`, or fewer stages and a smaller mesh");
                wrong(misplaced.into()).help(help)
            })?;
        let prediction = predict_with_prices(stages, prices, &placement, efficiencies).map_err(wrong)?;
        let memory = machine.kinds.iter().map(|kind| kind.memory).min().unwrap_or(0);
        let timeline = match partition.results.one_mesh() {
            Some(program) if is_training_step(program) => with_steps(prediction.step.timeline("")),
            _ => prediction.step.timeline(""),
        };
        let uncertainty = machine.kinds.iter().map(|kind| kind.uncertainty).fold(0.0, f64::max);
        let breakdown = StepBreakdown::new(&prediction, stages);
        let ineffective = ineffective_options(efficiencies, machine);
        let warnings = [partition.warnings(), &ineffective[..]].concat();
        Ok(Simulation {
            model: partition.model().source.to_string(),
            machine: machine.name.to_string(),
            schedule: partition.schedule().map(|schedule| schedule.name.to_string()),
            micro_batches: partition.micro_batches(),
            summary: summary(partition),
            batch: BatchSize::new(partition.model()),
            decodes: !partition.planned().carried_inputs().is_empty(),
            memory,
            uncertainty,
            prediction,
            breakdown,
            timeline,
            rewriting: partition.rewriting(),
            warnings: WarningRow::from_diagnostics(&warnings),
            ineffective,
            assumptions: assumptions(partition.planned()),
        })
    }

    /// Partitions a program by a plan and predicts its step. On a machine with a calibrated host, the prediction is
    /// that of the CPU runtime. A plan without a mesh uses the mesh of the model, or else one device; a plan without
    /// stages uses a single stage.
    ///
    /// # Errors
    /// Errors in the plan, and `H002` as [`Simulation::new`].
    pub fn from_plan(
        program: &Program,
        plan: &Plan,
        machine: &Machine,
        efficiencies: &Efficiencies,
    ) -> Result<(Partition, Simulation)> {
        let mut plan = plan.clone();
        if program.form == Form::Traced {
            if plan.mesh.is_none() && program.meshes.is_empty() {
                plan.mesh = Some(Mesh::of_one_device(program)?);
            }
            // The micro-batches of a plan without stages become those of a single stage.
            if plan.pipeline.is_none() {
                plan = plan.pipeline("1");
            }
        }
        if machine.host.is_none() {
            let by = (&Prices::new(machine), efficiencies);
            let partition = Compiler::new(program).plan(&plan).prices(by.0, by.1).partition()?;
            let simulation = Simulation::with_prices(&partition, by)?;
            return Ok((partition, simulation));
        }
        // `partita run`, whose duration is predicted, compiles without a machine.
        let partition = Compiler::new(program).plan(&plan).partition()?;
        let simulation = Simulation::from_partition(&partition, machine, efficiencies)?;
        Ok((partition, simulation))
    }

    /// Predicts a step as [`Simulation::new`] does. On a machine with a calibrated host, the prediction is that of the
    /// CPU runtime.
    ///
    /// # Errors
    /// The errors of [`Simulation::new`], and `R004` if the program does not fit into memory of a host.
    pub fn from_partition(partition: &Partition, machine: &Machine, efficiencies: &Efficiencies) -> Result<Simulation> {
        let simulation = Simulation::new(partition, machine, efficiencies)?;
        Ok(match &machine.host {
            Some(host) => simulation.with_host_prediction(partition.predict_run(host)?, &partition.footprints()?),
            None => simulation,
        })
    }

    /// Replaces the step time and stage figures by a prediction for devices that share a process. `footprints` has the
    /// memory of one device of each stage.
    pub fn with_host_prediction(
        self,
        (predict_run, timeline): (RunPrediction, Timeline),
        footprints: &[Footprint],
    ) -> Simulation {
        let mut prediction = self.prediction;
        let share = |seconds: &[f64]| {
            let all = predict_run.seconds * seconds.len() as f64;
            if all > 0.0 { seconds.iter().sum::<f64>() / all } else { 0.0 }
        };
        prediction.model_flops_utilisation *= prediction.seconds / predict_run.seconds;
        prediction.seconds = predict_run.seconds;
        prediction.bubble = 1.0 - share(&predict_run.computing);
        prediction.links.clear();
        let mut first = 0;
        let stages = timeline.tracks.chunk_by(|a, b| a.group == b.group).map(|tracks| {
            let devices = first..first + tracks.len();
            first = devices.end;
            devices
        });
        for ((stage, footprint), devices) in prediction.stages.iter_mut().zip(footprints).zip(stages) {
            let communicating = &predict_run.communicating[devices.clone()];
            stage.utilisation = share(&predict_run.computing[devices]);
            stage.computing = stage.utilisation * predict_run.seconds;
            stage.communicating = communicating.iter().sum::<f64>() / communicating.len() as f64;
            // Devices of one process do not compute while they communicate.
            stage.exposed = stage.communicating;
            stage.memory.peak = footprint.total();
        }
        let breakdown = StepBreakdown::on_host(&prediction);
        Simulation { prediction, timeline, breakdown, ..self }
    }

    /// Replaces the name of the model in the output.
    pub fn with_model_name(mut self, model: &str) -> Simulation {
        model.clone_into(&mut self.model);
        self
    }

    /// Predicted figures.
    pub fn prediction(&self) -> &Prediction {
        &self.prediction
    }

    /// Warnings for efficiencies that have no effect on the machine.
    pub fn ineffective_options(&self) -> &[Diagnostic] {
        &self.ineffective
    }

    /// Decomposition of the step by activity.
    pub fn breakdown(&self) -> &StepBreakdown {
        &self.breakdown
    }

    /// Predicted timeline of the stages.
    pub fn timeline(&self) -> Timeline {
        Timeline { title: format!("{} on {}", self.model, self.machine).into(), ..self.timeline.clone() }
    }

    /// Formats the simulation as a JSON object.
    pub fn to_json(&self) -> String {
        let p = &self.prediction;
        let stages = p.stages.iter().map(|stage| {
            let reserved: serde_json::Map<String, Value> =
                stage.reserved.by_purpose().map(|(name, bytes)| (name.to_owned(), json!(bytes))).into_iter().collect();
            json!({
                "utilisation": stage.utilisation,
                "communication_seconds": stage.communicating,
                "peak_bytes": stage.device_bytes(),
                "tensor_bytes": stage.memory.peak,
                "reserved_bytes": reserved,
            })
        });
        let link = |link: &partita_cost::step::LinkPrediction| {
            let (name, bytes) = (&link.name, link.bytes);
            json!({ "name": name, "bytes": bytes, "busy_seconds": link.busy })
        };
        let object = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "model": self.model,
            "machine": self.machine,
            "devices": p.devices,
            "schedule": self.schedule,
            "micro_batches": self.micro_batches,
            "step_seconds": p.seconds,
            "uncertainty": self.uncertainty,
            "assumptions": self.assumptions,
            "breakdown": self.breakdown.to_json(),
            "examples_per_second": self.rate(self.batch.examples),
            "tokens_per_second": self.rate(self.batch.tokens),
            "tokens_per_second_per_device": self.rate(self.batch.tokens).map(|rate| rate / p.devices as f64),
            "tflops_per_device": self.flops_per_device() / 1e12,
            "mfu": p.model_flops_utilisation,
            "bubble": p.bubble,
            "peak_bytes": p.stages.iter().map(StagePrediction::device_bytes).collect::<Vec<_>>(),
            "stages": stages.collect::<Vec<Value>>(),
            "links": p.links.iter().map(link).collect::<Vec<Value>>(),
            "rewriting": self.rewriting,
            "warnings": self.warnings,
        });
        format!("{object:#}")
    }

    /// Divides a number of examples or tokens of a step, if known, by the duration of the step.
    fn rate(&self, count: Option<u64>) -> Option<f64> {
        let seconds = self.prediction.seconds;
        count.map(|count| if seconds > 0.0 { count as f64 / seconds } else { 0.0 })
    }

    /// Computes the throughput of a device in FLOP/s. Recomputation counts, as in published figures.
    fn flops_per_device(&self) -> f64 {
        let all = self.prediction.seconds * self.prediction.devices as f64;
        if all > 0.0 { self.prediction.hardware_flops / all } else { 0.0 }
    }
}

/// Returns the plan of a step on a machine. A built-in model is trained with Adam unless the plan states another
/// optimizer, and in mixed precision unless it states another precision.
pub fn default_step_plan(model: Option<&str>, plan: Plan, machine: &Machine) -> Plan {
    if !model.is_some_and(|model| model.starts_with("zoo:")) {
        return plan;
    }
    let plan = if plan.train.is_none() { plan.train("adam") } else { plan };
    with_default_precision(plan, machine)
}

/// Returns the plan of inference on a machine. A built-in model computes with 16-bit elements if the machine has a
/// matrix rate for them.
pub fn default_inference_plan(model: Option<&str>, plan: Plan, machine: &Machine) -> Plan {
    if model.is_some_and(|model| model.starts_with("zoo:")) { with_default_precision(plan, machine) } else { plan }
}

fn with_default_precision(plan: Plan, machine: &Machine) -> Plan {
    let dtype = matrix_element_type(machine);
    if plan.precision.is_empty() && dtype != DType::F32 { plan.precision("**", dtype.name()) } else { plan }
}

/// Returns the 16-bit element type with a matrix rate on all kinds of devices, or else `f32`.
fn matrix_element_type(machine: &Machine) -> DType {
    let have = |dtype: DType| machine.kinds.iter().all(|kind| kind.rates.contains_key(&dtype));
    [DType::BF16, DType::F16].into_iter().find(|&dtype| have(dtype)).unwrap_or(DType::F32)
}

/// Formats schedule and micro-batches: `1f1b with 8 micro-batches`.
fn summary(partition: &Partition) -> String {
    match (partition.schedule(), partition.micro_batches()) {
        (Some(schedule), _) => schedule.summary(),
        (None, 1) => "1 micro-batch".to_owned(),
        (None, count) => format!("{count} micro-batches"),
    }
}

/// Returns true if a program of one device has a phase other than the forward pass.
fn is_training_step(program: &Program) -> bool {
    let ops = program.funcs_with_layouts().into_iter().flat_map(|func| program.funcs[func].ops());
    ops.into_iter().any(|&op| program.ops[op].phase != Phase::Forward)
}

/// Replaces the forward passes of a timeline by steps: the only task of a step that is one program has all its phases.
fn with_steps(mut timeline: Timeline) -> Timeline {
    for span in timeline.spans.iter_mut().filter(|span| span.category == Category::Forward) {
        (span.name, span.label, span.category) = ("step".into(), "".into(), Category::Step);
        span.arguments.clear();
    }
    timeline
}

/// Returns the assumption for each loop of a program that ends by a condition.
fn assumptions(program: &Program) -> Vec<String> {
    let conditional = |at: &ModelOp<'_>| {
        let l = at.op.kind.control().map(|Control::Loop(l)| l)?;
        let name = &program.values[*at.op.outs.first()?].name;
        let place =
            program.source_line(&at.op.origin).map_or_else(String::new, |(file, line)| format!(" ({file}:{line})"));
        l.is_while().then(|| format!("{} iterations of the `while` loop `%{name}`{place}", l.trip))
    };
    program.model_ops().iter().filter_map(conditional).collect()
}

/// Width of the timeline in characters.
const DRAWING_COLUMNS: usize = 100;

impl Simulation {
    /// Formats the machine, stages, devices and schedule: `on dgx-a100: 1 stage on 8 devices, 1 micro-batch`.
    pub(crate) fn placement(&self) -> String {
        let p = &self.prediction;
        let (stages, devices) = (plural(p.stages.len(), "stage"), plural(p.devices, "device"));
        format!("on {}: {stages} on {devices}, {}", self.machine, self.summary)
    }

    /// Returns the names and values of the figures of a step. A line without a name continues the one before it.
    pub(crate) fn figures(&self) -> Vec<(&'static str, String)> {
        let p = &self.prediction;
        let uncertainty = 100.0 * self.uncertainty;
        let step = format!("{} +- {uncertainty:.0} %, bubble {:.1} %", format_seconds(p.seconds), 100.0 * p.bubble);
        let mut figures = vec![("step", step)];
        figures.extend(self.assumptions.iter().map(|assumption| ("assuming", assumption.clone())));
        let rates = [(self.batch.examples, "examples/s"), (self.batch.tokens, "tokens/s")].into_iter();
        let rates = rates.filter_map(|(count, unit)| Some(format!("{} {unit}", format_rate(self.rate(count)?))));
        let rates = rates.collect::<Vec<_>>().join(", ");
        if !rates.is_empty() {
            figures.push(("throughput", rates));
        }
        if let Some(rate) = self.rate(self.batch.tokens.or(self.batch.examples)).filter(|_| self.decodes) {
            let (latency, per_device) = (format_seconds(p.seconds), rate / p.devices as f64);
            figures.push(("decoding", format!("{latency} per token, {per_device:.1} tokens/s per device")));
        }
        let rate = format_with_unit(self.flops_per_device(), "FLOP/s");
        let utilisation = 100.0 * p.model_flops_utilisation;
        figures.push(("per device", format!("{rate}, model FLOPs utilisation {utilisation:.1} %")));
        let peak = p.peak_bytes();
        let fits = if peak > self.memory { ": exceeds the memory of a device" } else { "" };
        figures.push(("memory", format!("{} of {}{fits}", format_bytes(peak), format_bytes(self.memory))));
        if let Some(stage) = p.stages.iter().max_by_key(|stage| stage.device_bytes())
            && stage.reserved.total() > 0
        {
            let reserved = stage.reserved.by_purpose().into_iter().filter(|(_, bytes)| *bytes > 0);
            let reserved = reserved.map(|(name, bytes)| format!(", {name} {}", format_bytes(bytes)));
            let reserved = reserved.collect::<String>();
            figures.push(("", format!("tensors {}{reserved}", format_bytes(stage.memory.peak))));
        }
        figures
    }

    /// Returns the use and the memory of each stage.
    pub(crate) fn stages_table(&self) -> Table {
        use Align::{Left, Right};
        let mut table =
            Table::new([("stage", Left), ("busy", Right), ("communication", Right), ("peak memory", Right)]);
        for (number, stage) in self.prediction.stages.iter().enumerate() {
            table.row([
                number.to_string(),
                format!("{:.1} %", 100.0 * stage.utilisation),
                format_seconds(stage.communicating),
                format_bytes(stage.device_bytes()),
            ]);
        }
        table
    }

    /// Returns the use of the first `max_links` links between stages.
    pub(crate) fn links_table(&self, max_links: usize) -> Table {
        use Align::{Left, Right};
        let p = &self.prediction;
        let mut table = Table::new([("link", Left), ("bytes", Right), ("busy", Right)]);
        for link in p.links.iter().take(max_links) {
            let busy = if p.seconds > 0.0 { 100.0 * link.busy / p.seconds } else { 0.0 };
            table.row([link.name.clone(), format_bytes(link.bytes as u64), format!("{busy:.1} %")]);
        }
        table
    }

    /// Rewrites of the autotuned variant.
    pub(crate) fn rewriting(&self) -> Option<&RewriteReport> {
        self.rewriting.as_ref()
    }

    /// Warnings on the plan and on efficiencies without effect.
    pub(crate) fn warnings(&self) -> &[WarningRow] {
        &self.warnings
    }

    /// Timeline of the first device of each stage, without links.
    pub(crate) fn stage_timeline(&self) -> Timeline {
        first_device_tracks(self.timeline())
    }
}

impl fmt::Display for Simulation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let p = &self.prediction;
        writeln!(f, "{} {}\n", self.model, self.placement())?;
        for (name, value) in self.figures() {
            writeln!(f, "  {name:<12} {value}")?;
        }
        writeln!(f)?;
        write!(f, "{}", self.stages_table())?;
        if !p.links.is_empty() {
            write!(f, "\n{}", self.links_table(MAX_LISTED_LINKS))?;
            if p.links.len() > MAX_LISTED_LINKS {
                writeln!(f, "  and {} more", p.links.len() - MAX_LISTED_LINKS)?;
            }
        }
        if let Some(rewriting) = &self.rewriting {
            write!(f, "\n{rewriting}")?;
        }
        write!(f, "\n{}", self.stage_timeline().to_text(DRAWING_COLUMNS, false))
    }
}

/// Returns the timeline of the first device of each stage, without links.
fn first_device_tracks(mut timeline: Timeline) -> Timeline {
    let is_first = |track: usize| track == 0 || timeline.tracks[track].group != timeline.tracks[track - 1].group;
    let kept: Vec<usize> = (0..timeline.tracks.len()).filter(|&track| is_first(track)).collect();
    let number = |track: usize| kept.iter().position(|&old| old == track);
    let spans = timeline.spans.into_iter();
    timeline.spans = spans.filter_map(|span| Some(Span { track: number(span.track)?, ..span })).collect();
    timeline.tracks = kept.iter().map(|&track| timeline.tracks[track].clone()).collect();
    timeline
}

/// Maximum number of links in the table.
const MAX_LISTED_LINKS: usize = 8;
