//! Training loop, from the beginning or a checkpoint to the end.

use super::bind::Binding;
use super::evaluate::{Evaluator, ValidationMetrics};
use super::initial::{self, InitialValues};
use super::metrics::{MetricsFile, StepMetrics};
use super::monitor::{FreezeMonitor, with_frozen, with_norms};
use super::nonfinite::explain_nonfinite;
use super::phase::{StepOutputs, TrainingPhase, loss_name};
use super::resume;
use super::sampler::{ReplicaShard, Sampler, SamplerPosition, Stream, draw, split_validation};
use super::stop::StopReason;
use super::{CheckpointOptions, Trainer, TrainingEnd, TrainingEvent, TrainingResult};
use crate::error::{Error, Result};
use indexmap::IndexMap;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::plan::{Mesh, Plan};
use partita_ir::program::{OPTIMIZER_PREFIX, ParamKind, Program};
use partita_ir::tensor::Tensor;
use partita_passes::driver::{Findings, Input};
use partita_passes::import::updates::replacements;
use partita_passes::pipelines::{self};
use partita_runtime::checkpoint::{
    Checkpoint, CheckpointSource, Folder, Origin, Progress, SavedCheckpoint, write_state,
};
use partita_runtime::io::write_tensors;
use partita_runtime::processes::Placement;
use partita_runtime::processes::agreement::{Item, agree};
use partita_runtime::source::{TensorSource, read_global};
use partita_runtime::state::{State, StateTensor};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Last state that was finite, for the diagnosis of values that are not.
pub(super) struct FiniteState {
    pub(super) step: u64,
    pub(super) position: SamplerPosition,
    tensors: FiniteTensors,
    /// Step and path of the last checkpoint.
    pub(super) file: Option<(u64, PathBuf)>,
}

/// Parameters and optimizer state of a [`FiniteState`]. Several processes do not store them twice.
enum FiniteTensors {
    /// Global tensors in memory, in a single process.
    InMemory(IndexMap<String, Tensor>),
    /// The initial values.
    Initial,
    /// The values of the last checkpoint.
    InCheckpoint,
    /// The values of a step without a checkpoint.
    Lost,
}

impl FiniteState {
    /// Returns the global tensors; `None` if they are neither in memory nor in a checkpoint.
    pub(super) fn tensors(&self, trainer: &Trainer) -> Result<Option<IndexMap<String, Tensor>>> {
        match (&self.tensors, &self.file) {
            (FiniteTensors::InMemory(tensors), _) => Ok(Some(tensors.clone())),
            (FiniteTensors::InCheckpoint, Some((_, path))) => Ok(Some(Checkpoint::read(path)?.tensors)),
            (FiniteTensors::Initial, _) => {
                let (step, file) = (step_without_layouts(trainer)?, initial::open_file(trainer)?);
                let values = InitialValues::new(trainer, &step, file.as_ref())?;
                let read = |name: String| Ok((name.clone(), read_global(&values, &name, None)?));
                Ok(Some(values.names().into_iter().map(read).collect::<Result<_>>()?))
            }
            (FiniteTensors::InCheckpoint | FiniteTensors::Lost, _) => Ok(None),
        }
    }
}

/// State of a training run.
pub(super) struct TrainingRun {
    pub(super) trainer: Trainer,
    phase: TrainingPhase,
    sampler: Sampler,
    held_out: Vec<usize>,
    evaluator: Option<Evaluator>,
    /// Folder of checkpoints.
    folder: Option<Folder>,
    metrics: Option<MetricsFile>,
    records: Vec<StepMetrics>,
    step: u64,
    from: u64,
    steps: u64,
    monitor: FreezeMonitor,
    origin: Origin,
    last_finite: FiniteState,
}

impl TrainingRun {
    /// Loads the checkpoint, compiles the step and stores parameters on the devices.
    pub(super) fn begin(mut trainer: Trainer, on_event: &mut dyn FnMut(&TrainingEvent<'_>)) -> Result<TrainingRun> {
        trainer.plan = with_default_options(&trainer, trainer.plan.clone())?;
        let later = std::mem::take(&mut trainer.plan_switches).into_iter();
        trainer.plan_switches =
            later.map(|(step, plan)| Ok((step, with_default_options(&trainer, plan)?))).collect::<Result<_>>()?;
        // The folder is locked before its checkpoints are read, since another run could replace them.
        let open = |saving: &CheckpointOptions| match trainer.is_first() {
            true => Folder::open(&saving.folder, saving.keep),
            false => Ok(Folder::for_other_process(&saving.folder)),
        };
        let folder = trainer.saving.as_ref().map(open).transpose()?;
        let found = from_checkpoint(&trainer, on_event)?;
        let initial_plan = trainer.plan.clone();
        if let Some(plan) = found.as_ref().and_then(|saved| take_due_plan(&mut trainer, saved.progress().step)) {
            trainer.plan = plan;
        }
        if let (None, Some(folder)) = (&trainer.resume, &folder)
            && trainer.is_first()
            && let Some(last) = folder.list().last()
        {
            return Err(checkpoint_exists(last).into());
        }
        let is_forward = trainer.plan.train.is_some();
        initial::declare(&mut trainer.model, is_forward);
        let step_program = step_without_layouts(&trainer)?;
        let origin = resume::fingerprints(&trainer)?;
        if let Some(saved) = &found {
            saved.check_params(parameters(&step_program))?;
            // At the step of a plan switch, the checkpoint may have either plan.
            let of = |plan| resume::changes(saved.progress(), &trainer, plan, &origin);
            let changes = [of(&trainer.plan), of(&initial_plan)].into_iter().min_by_key(Vec::len).unwrap_or_default();
            match trainer.accepts_changes {
                true => changes.iter().for_each(|change| on_event(&TrainingEvent::Note(change))),
                false if changes.is_empty() => {}
                false => return Err(resume::changed_settings_error(saved.path(), &changes).into()),
            }
            trainer.seed = trainer.seed.or(Some(saved.progress().seed));
        }
        let seed = trainer.seed_in_use();
        let (samples, held_out) = split_validation(trainer.data.len(), trainer.validate, seed);
        trainer.scale = data_scale(&trainer, found.as_ref(), &samples)?;
        if let Some(by) = trainer.scale {
            trainer.data = trainer.data.scaled(by);
        }
        if found.is_none() && !is_forward && trainer.initial.is_none() && trainer.weights.is_empty() {
            on_event(&TrainingEvent::Note(&random_parameters_note(&trainer)));
        }
        let progress = found.as_ref().map_or(Progress::default(), |saved| saved.progress().clone());
        let file = found.as_ref().map(|saved| (progress.step, saved.path().to_owned()));
        let (step, position) = (progress.step, SamplerPosition::from_progress(&progress));
        if let Some(processes) = &trainer.processes {
            agree(processes, &agreed_items(&trainer, &origin, step))?;
        }
        let phase = match &found {
            Some(saved) => {
                let source = CheckpointSource::new(saved, trainer.processes.clone());
                let phase = start_phase(&trainer, &progress.frozen, &source)?;
                source.verify()?;
                phase
            }
            None => {
                let file = initial::open_file(&trainer)?;
                let source = InitialValues::new(&trainer, &step_program, file.as_ref())?;
                start_phase(&trainer, &progress.frozen, &source)?
            }
        };
        let Binding { batch, .. } = phase.binding;
        if samples.len() < batch {
            return Err(too_few(&trainer, samples.len(), batch).into());
        }
        let training = [samples.len(), held_out.len()];
        let sampler = Sampler::new(samples, batch, seed, position);
        let steps = match trainer.end {
            TrainingEnd::Steps(steps) => steps,
            TrainingEnd::Epochs(epochs) => steps_to(&sampler, step, epochs),
        };
        check_plan_switches(&trainer, steps, on_event)?;
        let (metrics, records) = match trainer
            .metrics
            .as_deref()
            .filter(|_| trainer.is_first())
            .map(|path| MetricsFile::create_or_resume(path, step))
            .transpose()?
        {
            Some((metrics, records)) => (Some(metrics), records),
            None => (None, Vec::new()),
        };
        let (devices, memory) = (phase.partition.device_count(), phase.footprint()?);
        on_event(&TrainingEvent::Started { step, steps, devices, samples: training, memory });
        for warning in phase.partition.warnings() {
            let helps = warning.helps.iter().map(|help| format!("; {}", help.text)).collect::<String>();
            on_event(&TrainingEvent::Note(&format!("{}{helps}", warning.title)));
        }
        let Progress { frozen, small_gradient_steps: calm, .. } = progress;
        let monitor = FreezeMonitor::new(&trainer.model, trainer.freeze_when, frozen, calm);
        let tensors = match (&trainer.processes, &file) {
            (None, _) => FiniteTensors::InMemory(phase.tensors()?),
            (Some(_), Some(_)) => FiniteTensors::InCheckpoint,
            (Some(_), None) => FiniteTensors::Initial,
        };
        let last_finite = FiniteState { step, position, tensors, file };
        Ok(TrainingRun {
            trainer,
            phase,
            sampler,
            held_out,
            evaluator: None,
            folder,
            metrics,
            records,
            step,
            from: step,
            steps,
            monitor,
            origin,
            last_finite,
        })
    }

    /// Runs the remaining steps, unless stopped.
    pub(super) fn run(mut self, on_event: &mut dyn FnMut(&TrainingEvent<'_>)) -> Result<TrainingResult> {
        let started = Instant::now();
        let mut validation = None;
        let mut stopped = None;
        while self.step < self.steps {
            stopped = self.stop_reason()?;
            if stopped.is_some() {
                break;
            }
            let mut record = self.step().map_err(|error| self.with_step(error))?;
            if !record.frozen.is_empty() {
                self.recompile()?;
                on_event(&TrainingEvent::LayersFrozen(&record.frozen));
            }
            let is_last = self.step == self.steps;
            if (self.sampler.position().offset == 0 || is_last) && !self.held_out.is_empty() {
                let score = self.evaluate()?;
                (record.validation_loss, record.accuracy) = (Some(score.loss), score.accuracy);
                validation = Some(score);
            }
            if let Some(metrics) = &mut self.metrics {
                metrics.write(&record)?;
            }
            on_event(&TrainingEvent::Step(&record));
            self.records.push(record);
            let every = self.trainer.saving.as_ref().map(|s| s.every);
            if every.is_some_and(|every| is_last || self.step.is_multiple_of(every)) {
                self.save(on_event)?;
            }
            if !is_last && let Some(plan) = take_due_plan(&mut self.trainer, self.step) {
                self.switch_plan(plan, on_event)?;
            }
        }
        if stopped.is_some() && self.last_finite.file.as_ref().is_none_or(|(step, _)| *step < self.step) {
            self.save(on_event)?;
        }
        if stopped.is_none() && validation.is_none() && !self.held_out.is_empty() {
            validation = Some(self.evaluate()?);
        }
        let seconds = started.elapsed().as_secs_f64();
        let parameters = match &self.trainer.processes {
            None => self.phase.tensors()?,
            Some(_) => IndexMap::new(),
        };
        match (&self.trainer.output, &self.trainer.processes) {
            (Some(path), None) if stopped.is_none() => {
                write_tensors(path, parameters.iter().map(|(n, t)| (n.clone(), t)))?
            }
            (Some(path), Some(_)) if stopped.is_none() => write_state(path, &self.phase.state()?)?,
            _ => {}
        }
        let samples = (self.step - self.from) as f64 * self.phase.binding.batch as f64;
        Ok(TrainingResult {
            steps: self.step,
            from: self.from,
            stopped,
            records: self.records,
            validation,
            parameters,
            checkpoint: self.last_finite.file.filter(|(step, _)| *step == self.step).map(|(_, path)| path),
            cached: self.phase.cache_counts(),
            frozen: self.monitor.frozen,
            throughput: if seconds > 0.0 { samples / seconds } else { 0.0 },
        })
    }

    /// Returns the reason why this or another process was asked to stop.
    fn stop_reason(&self) -> Result<Option<StopReason>> {
        const REASONS: [Option<StopReason>; 3] = [None, Some(StopReason::Paused), Some(StopReason::Interrupted)];
        let asked = self.trainer.stop.reason();
        let Some(processes) = &self.trainer.processes else { return Ok(asked) };
        let number = REASONS.iter().position(|reason| *reason == asked).unwrap_or_default();
        let of_all = processes.all_gather(&[number as u8]).map_err(|error| self.with_step(error.into()))?;
        let strongest = of_all.iter().filter_map(|bytes| bytes.first()).max();
        Ok(strongest.and_then(|&number| REASONS.get(usize::from(number))).copied().flatten())
    }

    /// Adds the step to the failure of another process.
    fn with_step(&self, mut error: Error) -> Error {
        for failed in error.0.iter_mut().filter(|failed| failed.code == Code::R005) {
            failed.notes.push(format!("in step {}", self.step + 1));
        }
        error
    }

    fn step(&mut self) -> Result<StepMetrics> {
        let started = Instant::now();
        let ids = self.sampler.ids(ReplicaShard::SINGLE);
        let epoch = self.sampler.position().epoch + 1;
        let StepOutputs { loss, norms } = self.phase.step(&ids, step_key(self.trainer.seed_in_use(), self.step))?;
        if !loss.is_finite() {
            return Err(self.nonfinite_error(format!("the loss of step {} is {loss}", self.step + 1))?.into());
        }
        self.step += 1;
        self.sampler.advance();
        let throughput = ids.len() as f64 / started.elapsed().as_secs_f64().max(1e-9);
        let frozen = self.monitor.record(&norms);
        Ok(StepMetrics { step: self.step, epoch, loss, throughput, frozen, ..StepMetrics::default() })
    }

    /// Recompiles the step for the current plan and frozen layers, with the current parameters.
    fn recompile(&mut self) -> Result<()> {
        let state = self.phase.state()?;
        let phase = start_phase(&self.trainer, &self.monitor.frozen, &state)?;
        drop(state);
        self.phase = phase;
        let file = self.last_finite.file.take();
        let is_saved = file.as_ref().is_some_and(|(step, _)| *step == self.step);
        let tensors = match &self.trainer.processes {
            None => FiniteTensors::InMemory(self.phase.tensors()?),
            Some(_) if is_saved => FiniteTensors::InCheckpoint,
            Some(_) => FiniteTensors::Lost,
        };
        self.last_finite = FiniteState { step: self.step, position: self.sampler.position(), tensors, file };
        Ok(())
    }

    /// Switches to another plan, after saving a checkpoint if enabled.
    fn switch_plan(&mut self, plan: Plan, on_event: &mut dyn FnMut(&TrainingEvent<'_>)) -> Result<()> {
        if self.last_finite.file.as_ref().is_none_or(|(step, _)| *step < self.step) {
            self.save(on_event)?;
        }
        let before = self.phase.partition.device_count();
        self.trainer.plan = plan;
        self.evaluator = None;
        self.recompile()?;
        let now = self.phase.partition.device_count();
        let batch = self.phase.binding.batch;
        on_event(&TrainingEvent::Note(&format!(
            "after step {}: {now} devices instead of {before}, {batch} samples per step",
            self.step
        )));
        Ok(())
    }

    /// Returns the error for values that are not finite before or in the next step.
    fn nonfinite_error(&self, title: String) -> Result<Diagnostic> {
        let error = Diagnostic::new(Code::D009, title);
        let explain =
            |error| explain_nonfinite(error, &self.trainer, &self.phase, &self.last_finite, &self.sampler, self.step);
        let Some(processes) = &self.trainer.processes else { return explain(error) };
        // The first process repeats the steps by itself; the others wait, since launchers end all processes with one.
        let explained = if self.trainer.is_first() { explain(error) } else { Ok(error) };
        processes.all_gather_after_work(&[])?;
        explained
    }

    fn evaluate(&mut self) -> Result<ValidationMetrics> {
        let evaluator = match self.evaluator.take() {
            Some(evaluator) => evaluator,
            None => {
                let model = &self.trainer.model;
                let named = loss_name(&self.trainer.plan);
                let loss = model.outputs().iter().position(|o| named.as_ref().is_some_and(|n| o.name == **n));
                let processes = self.trainer.processes.as_ref();
                Evaluator::new(model, &self.trainer.plan, self.phase.program(), loss.unwrap_or(0), processes)?
            }
        };
        let score = evaluator.score(&self.trainer.data, &self.held_out, &self.phase.state()?);
        self.evaluator = Some(evaluator);
        score
    }

    fn save(&mut self, on_event: &mut dyn FnMut(&TrainingEvent<'_>)) -> Result<()> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let position = self.sampler.position();
        let progress = Progress {
            step: self.step,
            epoch: position.epoch,
            offset: position.offset as u64,
            seed: self.trainer.seed_in_use(),
            model: self.trainer.model.source.to_string(),
            plan: self.trainer.plan.to_toml(),
            scale: self.trainer.scale,
            frozen: self.monitor.frozen.clone(),
            small_gradient_steps: self.monitor.calm.clone(),
            origin: Some(self.origin.clone()),
        };
        let state = self.phase.state()?;
        // The loss precedes the update, so that the updated parameters are checked before they are saved.
        if let Some(name) = first_nonfinite_name(self.phase.program(), &state)? {
            return Err(self.nonfinite_error(format!("`{name}` is not finite after step {}", self.step))?.into());
        }
        let (path, tensors) = match &self.trainer.processes {
            Some(_) => (folder.save_state(&progress, &state)?, FiniteTensors::InCheckpoint),
            None => {
                let checkpoint = Checkpoint { progress, tensors: self.phase.tensors()? };
                (folder.save(&checkpoint)?, FiniteTensors::InMemory(checkpoint.tensors))
            }
        };
        on_event(&TrainingEvent::CheckpointSaved(&path));
        self.last_finite = FiniteState { step: self.step, position, tensors, file: Some((self.step, path)) };
        Ok(())
    }
}

/// Completes a plan with the trainer's defaults.
pub(super) fn with_default_options(trainer: &Trainer, mut plan: Plan) -> Result<Plan> {
    if plan.train.is_none() && replacements(&trainer.model).is_empty() {
        plan = plan.train("adamw");
    }
    if plan.mesh.is_none() && trainer.model.mesh().is_none() {
        plan.mesh = Some(Mesh::of_one_device(&trainer.model)?);
    }
    Ok(if trainer.freeze_when.is_some() { with_norms(plan) } else { plan })
}

/// Removes and returns the plan to switch to after a step, if any.
fn take_due_plan(trainer: &mut Trainer, step: u64) -> Option<Plan> {
    let count = trainer.plan_switches.iter().take_while(|(behind, _)| *behind <= step).count();
    trainer.plan_switches.drain(..count).next_back().map(|(_, plan)| plan)
}

/// Returns the divisor of the data: that of the checkpoint, the requested one, or else the largest magnitude of the
/// training data. `None` if the divisor is not positive and finite, so that the data is not scaled.
///
/// # Errors
/// `K005` for a requested divisor that differs from that of the checkpoint.
fn data_scale(trainer: &Trainer, found: Option<&SavedCheckpoint>, samples: &[usize]) -> Result<Option<f64>> {
    let before = found.and_then(|saved| Some((saved.path(), saved.progress().scale?)));
    let by = match (trainer.scale, before) {
        (Some(asked), Some((path, before))) if asked != before => {
            let (data, path) = (&trainer.data.name, path.display());
            let title =
                format!("`{data}` is to be divided by {asked}, but `{path}` was trained on data divided by {before}");
            return Err(Diagnostic::new(Code::K005, title).help("leave `--scale` out to keep the divisor").into());
        }
        (Some(by), _) | (None, Some((_, by))) => by,
        (None, None) => trainer.data.largest(samples, trainer.processes.as_deref())?,
    };
    Ok(Some(by).filter(|by| *by > 0.0 && by.is_finite()))
}

/// Returns the name of the first trainable parameter or optimizer state that is not finite, on all processes.
fn first_nonfinite_name(program: &Program, state: &State) -> Result<Option<String>> {
    let changes = program.params.values().filter(|p| matches!(p.kind, ParamKind::Trainable | ParamKind::State));
    let named = changes.filter_map(|p| Some((&p.path, state.tensors.get(&p.path)?)));
    let named: Vec<(&String, &StateTensor)> = named.collect();
    let mut first = named.iter().position(|(_, tensor)| !tensor.is_finite());
    if let Some(processes) = &state.processes {
        let own = first.map_or(u64::MAX, |first| first as u64);
        let all = processes.all_gather_after_work(&own.to_le_bytes())?;
        let all = all.iter().filter_map(|bytes| Some(u64::from_le_bytes(bytes[..].try_into().ok()?)));
        first = all.min().and_then(|first| usize::try_from(first).ok());
    }
    Ok(first.and_then(|first| named.get(first)).map(|(name, _)| (*name).clone()))
}

/// Compiles the step with layers frozen.
fn start_phase(trainer: &Trainer, frozen: &[String], source: &dyn TensorSource) -> Result<TrainingPhase> {
    let plan = with_frozen(trainer.plan.clone(), &trainer.model, frozen);
    // Before the first layer is frozen during training, no prefix can be cached.
    let later = trainer.freeze_when.is_some() && plan.freeze.is_empty() && plan.train_only.is_empty();
    let cache = trainer.cache.as_ref().filter(|_| !later);
    TrainingPhase::begin(&trainer.model, &plan, &trainer.data, source, (cache, trainer.processes.as_ref()))
}

/// Returns the step before layouts are assigned, with all parameters and state.
fn step_without_layouts(trainer: &Trainer) -> Result<Program> {
    let mut program = trainer.model.clone();
    let (input, mut findings) = (Input::with_plan(trainer.plan.clone()), Findings::default());
    pipelines::build_step(&mut program, &input, &mut findings)?;
    Ok(program)
}

/// Returns the random key of a step.
pub(super) fn step_key(seed: u64, step: u64) -> [u32; 2] {
    draw(seed, Stream::Step(step), 0)
}

/// Loads the checkpoint to resume from.
fn from_checkpoint(trainer: &Trainer, on_event: &mut dyn FnMut(&TrainingEvent<'_>)) -> Result<Option<SavedCheckpoint>> {
    let Some(path) = &trainer.resume else { return Ok(None) };
    let is_own = trainer.saving.as_ref().is_some_and(|s| s.folder == *path);
    if !path.exists() && !is_own {
        let title = format!("there is no checkpoint `{}`", path.display());
        return Err(Diagnostic::new(Code::K003, title).into());
    }
    let processes = trainer.processes.as_deref();
    let found = if path.exists() { SavedCheckpoint::find(path, processes)? } else { None };
    if found.is_none() {
        on_event(&TrainingEvent::Note(&format!(
            "`{}` has no checkpoint yet: starting from the beginning",
            path.display()
        )));
    }
    Ok(found)
}

/// Returns what all processes must have in common.
fn agreed_items(trainer: &Trainer, origin: &Origin, step: u64) -> [Item; 6] {
    [
        Item::new("version of Partita", env!("CARGO_PKG_VERSION")),
        Item::new("program", &origin.program.to_string()),
        Item::new("data set", &format!("{} {:?}", origin.data, trainer.data.shape_and_bytes())),
        Item::new("plan", &trainer.plan.to_toml()),
        Item::new("seed", &trainer.seed_in_use().to_string()),
        Item::new("checkpoint", &format!("step {step}")),
    ]
}

/// Returns the note on random initial parameters of an imported training step.
fn random_parameters_note(trainer: &Trainer) -> String {
    let (name, seed) = (&trainer.model.source, trainer.seed_in_use());
    format!("`{name}` has no initial parameters: drawn with seed {seed}; `--init FILE.safetensors` sets others")
}

fn checkpoint_exists(last: &Path) -> Diagnostic {
    let title = format!("`{}` already exists", last.display());
    Diagnostic::new(Code::K003, title)
        .note("training would start over and replace the checkpoints of another run")
        .help("resume from it with `--resume`, or save checkpoints to another folder")
}

fn too_few(trainer: &Trainer, samples: usize, batch: usize) -> Diagnostic {
    let name = &trainer.data.name;
    let title = format!("`{name}` has {samples} samples to train on, but a batch has {batch}");
    let error = Diagnostic::new(Code::S002, title);
    match trainer.data.len() - samples {
        0 => error,
        held => error.note(format!("{held} of {} are held out", trainer.data.len())),
    }
}

/// Returns the parameters of the model, without optimizer state.
fn parameters(program: &Program) -> impl Iterator<Item = (&str, &partita_ir::dtype::Type)> {
    let own = program.params.values().filter(|p| !p.path.starts_with(OPTIMIZER_PREFIX));
    own.map(|p| (p.path.as_str(), program.ty(p.value)))
}

/// Checks before the first step that the plans of later steps have a device for each process. Reports those that have
/// no effect, because training ends before.
///
/// # Errors
/// `R004` for a plan with fewer devices than processes.
fn check_plan_switches(trainer: &Trainer, steps: u64, on_event: &mut dyn FnMut(&TrainingEvent<'_>)) -> Result<()> {
    for (behind, plan) in &trainer.plan_switches {
        if *behind >= steps {
            let note = format!("the plan for the steps after {behind} has no effect: training ends after step {steps}");
            on_event(&TrainingEvent::Note(&note));
        }
        let Some(processes) = &trainer.processes else { continue };
        let how = plan.pipeline_config()?;
        let (stages, replicas) = how.map_or((1, 1), |how| (how.cuts.count(), how.replicas));
        let size = |mesh: &Mesh| mesh.axes.iter().map(|axis| axis.size as usize).product::<usize>();
        let devices = match &plan.stage_meshes[..] {
            [] => plan.mesh.as_ref().map_or(1, size) * stages,
            meshes => meshes.iter().map(size).sum(),
        };
        Placement::new(devices * replicas, processes.count())
            .map_err(|error| error.note(format!("the plan for the steps after {behind} has too few devices")))?;
    }
    Ok(())
}

/// Returns the step that completes `epochs` epochs.
fn steps_to(sampler: &Sampler, step: u64, epochs: u64) -> u64 {
    let mut ahead = sampler.clone();
    let mut steps = step;
    // The rest of the current epoch is walked; full epochs have a fixed number of batches.
    while ahead.position().offset > 0 && ahead.position().epoch < epochs {
        ahead.advance();
        steps += 1;
    }
    let epochs = epochs.saturating_sub(ahead.position().epoch);
    steps.saturating_add(epochs.saturating_mul(sampler.batches() as u64))
}
