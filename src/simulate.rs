//! Predicted step time, memory and utilisation on a machine that need not be present.

use crate::compiler::Compiler;
use crate::error::Result;
use crate::partition::Partition;
use crate::report::{Align, Rewriting, Table, WarningRow};
use partita_cost::placement::Placement;
use partita_cost::roofline::Efficiencies;
use partita_cost::step::{Failure, Prediction, predict_by};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::DType;
use partita_ir::plan::{Mesh, Plan};
use partita_ir::program::{Form, Program};
use partita_ir::units::{bytes, count};
use partita_machine::Machine;
use partita_machine::collective::choice::Prices;
use partita_machine::timeline::{Span, Timeline};
use partita_runtime::footprint::Footprint;
use partita_runtime::forecast::Forecast;
use serde_json::{Value, json};
use std::fmt;

/// A step on a machine, predicted. Prints as a table and the timeline of its stages.
pub struct Simulation {
    model: String,
    machine: String,
    /// The schedule of the stages; none if there is one.
    schedule: Option<String>,
    micro_batches: u64,
    /// Schedule and micro-batches in words.
    summary: String,
    /// Elements of the input that has most of those with a batch of whole numbers: tokens; else examples.
    tokens: u64,
    memory: u64,
    prediction: Prediction,
    timeline: Timeline,
    /// What was done otherwise than usual for it.
    rewriting: Option<Rewriting>,
    warnings: Vec<WarningRow>,
}

impl Simulation {
    /// Predicts a step. Stages are placed on the devices of the machine one after the other.
    ///
    /// # Errors
    /// `H002` when the machine has too few devices, or some of them cannot reach each other.
    pub fn of(partition: &Partition, machine: &Machine, efficiencies: &Efficiencies) -> Result<Simulation> {
        Simulation::by(partition, (&Prices::new(machine), efficiencies))
    }

    /// The same by prices of the machine's collectives that are known already.
    ///
    /// # Errors
    /// As [`Simulation::of`].
    pub fn by(partition: &Partition, (prices, efficiencies): (&Prices<'_>, &Efficiencies)) -> Result<Simulation> {
        let machine = prices.machine();
        let stages = partition.stages()?;
        let wrong = |failure: Failure| Diagnostic::new(Code::H002, format!("on `{}`: {failure}", machine.name));
        let placement = Placement::of(stages, machine, &partition.plan().mapped()?).map_err(|misplaced| {
            wrong(misplaced.into())
                .help("take a machine with more nodes, as in `dgx-a100?nodes=8`, or fewer stages and a smaller mesh")
        })?;
        let prediction = predict_by(stages, prices, &placement, efficiencies).map_err(wrong)?;
        let memory = machine.kinds.iter().map(|kind| kind.memory).min().unwrap_or(0);
        let timeline = prediction.step.timeline("");
        Ok(Simulation {
            model: partition.model().source.to_string(),
            machine: machine.name.to_string(),
            schedule: partition.schedule().map(|schedule| schedule.name.to_string()),
            micro_batches: partition.micro_batches(),
            summary: summary(partition),
            tokens: tokens(partition.planned()),
            memory,
            prediction,
            timeline,
            rewriting: partition.rewriting(),
            warnings: WarningRow::all(partition.warnings()),
        })
    }

    /// Predicts a step of a program as a plan spreads it; on a machine that was measured, as `run` carries it out. A
    /// plan without a mesh means that of the model, or one device, and one without stages a single one.
    ///
    /// # Errors
    /// What is wrong with the plan, and `H002` as [`Simulation::of`].
    pub fn of_plan(
        program: &Program,
        plan: &Plan,
        machine: &Machine,
        efficiencies: &Efficiencies,
    ) -> Result<(Partition, Simulation)> {
        let mut plan = plan.clone();
        if program.form == Form::Traced {
            if plan.mesh.is_none() && program.meshes.is_empty() {
                plan.mesh = Some(Mesh::new([("data", 1)])?);
            }
            // What is said of micro-batches alone is said of those of a single stage.
            if plan.pipeline.is_none() {
                plan = plan.pipeline("1");
            }
        }
        let Some(host) = &machine.host else {
            let by = (&Prices::new(machine), efficiencies);
            let partition = Compiler::new(program).plan(&plan).prices(by.0, by.1).partition()?;
            let simulation = Simulation::by(&partition, by)?;
            return Ok((partition, simulation));
        };
        // As `run` carries it out, which knows no machine.
        let partition = Compiler::new(program).plan(&plan).partition()?;
        let simulation = Simulation::of(&partition, machine, efficiencies)?;
        let simulation = simulation.on_host(partition.forecast(host)?, &partition.footprints()?);
        Ok((partition, simulation))
    }

    /// The same as devices that share a process would carry it out, by what was measured of them; `footprints` is what
    /// each takes, by stage.
    pub fn on_host(self, (forecast, timeline): (Forecast, Timeline), footprints: &[Footprint]) -> Simulation {
        let mut prediction = self.prediction;
        let share = |seconds: &[f64]| {
            let all = forecast.seconds * seconds.len() as f64;
            if all > 0.0 { seconds.iter().sum::<f64>() / all } else { 0.0 }
        };
        prediction.model_flops_utilisation *= prediction.seconds / forecast.seconds;
        prediction.seconds = forecast.seconds;
        prediction.bubble = 1.0 - share(&forecast.computing);
        prediction.links.clear();
        let mut first = 0;
        let stages = timeline.tracks.chunk_by(|a, b| a.group == b.group).map(|tracks| {
            let devices = first..first + tracks.len();
            first = devices.end;
            devices
        });
        for ((stage, footprint), devices) in prediction.stages.iter_mut().zip(footprints).zip(stages) {
            let communicating = &forecast.communicating[devices.clone()];
            stage.utilisation = share(&forecast.computing[devices]);
            stage.computing = stage.utilisation * forecast.seconds;
            stage.communicating = communicating.iter().sum::<f64>() / communicating.len() as f64;
            // Whoever meets others waits for them.
            stage.exposed = stage.communicating;
            stage.held.peak = footprint.total();
        }
        Simulation { prediction, timeline, ..self }
    }

    /// Calls the model by another name.
    pub fn named(mut self, model: &str) -> Simulation {
        model.clone_into(&mut self.model);
        self
    }

    /// What was predicted.
    pub fn prediction(&self) -> &Prediction {
        &self.prediction
    }

    /// What happens when.
    pub fn timeline(&self) -> Timeline {
        Timeline { title: format!("{} on {}", self.model, self.machine).into(), ..self.timeline.clone() }
    }

    /// As JSON.
    pub fn to_json(&self) -> String {
        let p = &self.prediction;
        let stages = p.stages.iter().map(|stage| {
            json!({
                "utilisation": stage.utilisation,
                "communication_seconds": stage.communicating,
                "peak_bytes": stage.held.peak,
            })
        });
        let link = |link: &partita_cost::step::Link| {
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
            "tokens_per_second": self.tokens_per_second(),
            "tflops_per_device": self.tflops_per_device(),
            "mfu": p.model_flops_utilisation,
            "bubble": p.bubble,
            "peak_bytes": p.stages.iter().map(|stage| stage.held.peak).collect::<Vec<_>>(),
            "stages": stages.collect::<Vec<Value>>(),
            "links": p.links.iter().map(link).collect::<Vec<Value>>(),
            "rewriting": self.rewriting,
            "warnings": self.warnings,
        });
        format!("{object:#}")
    }

    fn tokens_per_second(&self) -> f64 {
        if self.prediction.seconds > 0.0 { self.tokens as f64 / self.prediction.seconds } else { 0.0 }
    }

    /// What is computed again counts, as it does in published figures.
    fn tflops_per_device(&self) -> f64 {
        let all = self.prediction.seconds * self.prediction.devices as f64;
        if all > 0.0 { self.prediction.hardware_flops / all / 1e12 } else { 0.0 }
    }
}

/// The plan of a step on a machine: a built-in model is trained, in mixed precision, unless something else is said.
pub fn usual_step(model: Option<&str>, plan: Plan, machine: &Machine) -> Plan {
    if !model.is_some_and(|model| model.starts_with("zoo:")) || plan.train.is_some() {
        return plan;
    }
    let plan = plan.train("adam");
    if plan.precision.is_empty() { plan.precision("**", narrow(machine).name()) } else { plan }
}

/// The element type that all kinds of devices multiply fastest: of 16 bits where they have a rate for one.
fn narrow(machine: &Machine) -> DType {
    let have = |dtype: DType| machine.kinds.iter().all(|kind| kind.rates.contains_key(&dtype));
    [DType::BF16, DType::F16].into_iter().find(|&dtype| have(dtype)).unwrap_or(DType::F32)
}

/// Schedule and micro-batches in words: `1f1b with 8 micro-batches`.
fn summary(partition: &Partition) -> String {
    match (partition.schedule(), partition.micro_batches()) {
        (Some(schedule), _) => schedule.summary(),
        (None, 1) => "1 micro-batch".to_owned(),
        (None, count) => format!("{count} micro-batches"),
    }
}

/// Positions of the batch: elements of an input of whole numbers, or else examples of the first input.
fn tokens(step: &Program) -> u64 {
    let data = || step.inputs().iter().filter(|&&v| step.param_of(v).is_none()).map(|&v| step.ty(v));
    let whole = data().filter(|ty| !ty.dtype.is_float() && ty.shape.rank() == 2 && ty.shape.count() > 2);
    let most = whole.map(|ty| ty.shape.count() as u64).max();
    most.or_else(|| data().find_map(|ty| ty.shape.first().map(|&n| n as u64))).unwrap_or(1)
}

/// Columns of the drawing.
const WIDTH: usize = 100;

impl fmt::Display for Simulation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use Align::{Left, Right};
        let p = &self.prediction;
        writeln!(
            f,
            "{} on {}: {} stage{} on {} device{}, {}",
            self.model,
            self.machine,
            p.stages.len(),
            if p.stages.len() == 1 { "" } else { "s" },
            p.devices,
            if p.devices == 1 { "" } else { "s" },
            self.summary
        )?;
        writeln!(f)?;
        let line = |f: &mut fmt::Formatter<'_>, name: &str, value: String| writeln!(f, "  {name:<12} {value}");
        line(f, "step", format!("{:.4} s, bubble {:.1} %", p.seconds, 100.0 * p.bubble))?;
        line(f, "throughput", format!("{} tokens/s", count(self.tokens_per_second() as u64)))?;
        line(
            f,
            "a device",
            format!(
                "{:.1} TFLOP/s, model FLOPs utilisation {:.1} %",
                self.tflops_per_device(),
                100.0 * p.model_flops_utilisation
            ),
        )?;
        let peak = p.peak_bytes();
        let fits = if peak > self.memory { ": MORE than a device has" } else { "" };
        line(f, "memory", format!("{} of {}{fits}", bytes(peak), bytes(self.memory)))?;
        writeln!(f)?;
        let mut table =
            Table::new([("stage", Left), ("at work", Right), ("communicates", Right), ("peak memory", Right)]);
        for (number, stage) in p.stages.iter().enumerate() {
            table.row([
                number.to_string(),
                format!("{:.1} %", 100.0 * stage.utilisation),
                format!("{:.4} s", stage.communicating),
                bytes(stage.held.peak),
            ]);
        }
        write!(f, "{table}")?;
        if !p.links.is_empty() {
            let mut table = Table::new([("link", Left), ("bytes", Right), ("busy", Right)]);
            for link in p.links.iter().take(LISTED) {
                let busy = if p.seconds > 0.0 { 100.0 * link.busy / p.seconds } else { 0.0 };
                table.row([link.name.clone(), bytes(link.bytes as u64), format!("{busy:.1} %")]);
            }
            write!(f, "\n{table}")?;
            if p.links.len() > LISTED {
                writeln!(f, "  and {} more", p.links.len() - LISTED)?;
            }
        }
        if let Some(rewriting) = &self.rewriting {
            write!(f, "\n{rewriting}")?;
        }
        write!(f, "\n{}", works(self.timeline()).lines(WIDTH, false))
    }
}

/// What the first device of each stage does, without what is sent.
fn works(mut timeline: Timeline) -> Timeline {
    let is_first = |track: usize| track == 0 || timeline.tracks[track].group != timeline.tracks[track - 1].group;
    let kept: Vec<usize> = (0..timeline.tracks.len()).filter(|&track| is_first(track)).collect();
    let number = |track: usize| kept.iter().position(|&old| old == track);
    let spans = timeline.spans.into_iter();
    timeline.spans = spans.filter_map(|span| Some(Span { track: number(span.track)?, ..span })).collect();
    timeline.tracks = kept.iter().map(|&track| timeline.tracks[track].clone()).collect();
    timeline
}

/// How many links are listed.
const LISTED: usize = 8;
