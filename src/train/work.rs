//! A run from its beginning, or from a checkpoint, to its end.

use super::bind::Binding;
use super::blame::blame;
use super::evaluate::{Evaluator, Score};
use super::initial;
use super::metrics::{Metrics, Record};
use super::monitor::{Monitor, with_frozen, with_norms};
use super::order::{Loader, Position, Shard, Stream, draw, hold_out};
use super::resume;
use super::stage::{Stage, Told, loss_name};
use super::{End, Event, Trained, Trainer};
use crate::error::Result;
use indexmap::IndexMap;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::plan::{Mesh, Plan};
use partita_ir::program::{OPTIMIZER, ParamKind, Program};
use partita_ir::tensor::Tensor;
use partita_passes::driver::{Findings, Input};
use partita_passes::import::updates::replaced;
use partita_passes::pipelines::{self};
use partita_runtime::checkpoint::{Checkpoint, Folder, Origin, Progress};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Everything that was whole when it was last looked at, to find out later where numbers went wrong.
pub(super) struct Good {
    pub(super) step: u64,
    pub(super) position: Position,
    pub(super) tensors: IndexMap<String, Tensor>,
    /// The last checkpoint, if there is one, and its step.
    pub(super) file: Option<(u64, PathBuf)>,
}

/// A run under way.
pub(super) struct Work {
    pub(super) trainer: Trainer,
    stage: Stage,
    loader: Loader,
    held_out: Vec<usize>,
    evaluator: Option<Evaluator>,
    folder: Option<Folder>,
    metrics: Option<Metrics>,
    records: Vec<Record>,
    step: u64,
    from: u64,
    steps: u64,
    monitor: Monitor,
    origin: Origin,
    good: Good,
}

impl Work {
    /// Reads what there is to read, decides every layout, and puts parameters on the devices.
    pub(super) fn begin(mut trainer: Trainer, seen: &mut dyn FnMut(&Event<'_>)) -> Result<Work> {
        trainer.plan = complete(&trainer, trainer.plan.clone())?;
        let later = std::mem::take(&mut trainer.later).into_iter();
        trainer.later = later.map(|(step, plan)| Ok((step, complete(&trainer, plan)?))).collect::<Result<_>>()?;
        // The folder is locked before its checkpoints are looked at: another run could replace them.
        let folder = trainer.saving.as_ref().map(|s| Folder::open(&s.folder, s.keep)).transpose()?;
        let found = from_checkpoint(&trainer, seen)?;
        let at_first = trainer.plan.clone();
        if let Some(plan) = found.as_ref().and_then(|(_, checkpoint)| due(&mut trainer, checkpoint.progress.step)) {
            trainer.plan = plan;
        }
        if let (None, Some(folder)) = (&trainer.resume, &folder)
            && let Some(last) = folder.list().last()
        {
            return Err(in_the_way(last).into());
        }
        let is_forward = trainer.plan.train.is_some();
        initial::declare(&mut trainer.model, is_forward);
        let made = made(&trainer)?;
        let origin = resume::origin(&trainer);
        if let Some((path, checkpoint)) = &found {
            checkpoint.expect(path, parameters(&made))?;
            // Behind the step at which another plan is taken up, the checkpoint may be of either.
            let of = |plan| resume::changes(&checkpoint.progress, &trainer, plan, &origin);
            let changes = [of(&trainer.plan), of(&at_first)].into_iter().min_by_key(Vec::len).unwrap_or_default();
            match trainer.with_changes {
                true => changes.iter().for_each(|change| seen(&Event::Note(change))),
                false if changes.is_empty() => {}
                false => return Err(resume::refused(path, &changes).into()),
            }
            trainer.seed = trainer.seed.or(Some(checkpoint.progress.seed));
        }
        let seed = trainer.seed_in_use();
        let (samples, held_out) = hold_out(trainer.data.len(), trainer.validate, seed);
        trainer.scale = scale(&trainer, found.as_ref(), &samples)?;
        if let Some(by) = trainer.scale {
            trainer.data = trainer.data.scaled(by);
        }
        let (progress, tensors, file) = match found {
            Some((path, checkpoint)) => {
                let file = Some((checkpoint.progress.step, path));
                (checkpoint.progress, checkpoint.tensors, file)
            }
            None => {
                if !is_forward && trainer.initial.is_none() && trainer.weights.is_empty() {
                    seen(&Event::Note(&drawn(&trainer)));
                }
                (Progress::default(), initial::parameters(&trainer, &made)?, None)
            }
        };
        let (step, position) = (progress.step, Position::of(&progress));
        let stage = stage(&trainer, &progress.frozen, tensors.clone())?;
        let Binding { batch, .. } = stage.binding;
        if samples.len() < batch {
            return Err(too_few(&trainer, samples.len(), batch).into());
        }
        let training = [samples.len(), held_out.len()];
        let loader = Loader::new(samples, batch, seed, position);
        let steps = match trainer.end {
            End::Steps(steps) => steps,
            End::Epochs(epochs) => steps_to(&loader, step, epochs),
        };
        let (metrics, records) = match trainer.metrics.as_deref().map(|path| Metrics::open(path, step)).transpose()? {
            Some((metrics, records)) => (Some(metrics), records),
            None => (None, Vec::new()),
        };
        let (devices, memory) = (stage.partition.device_count(), stage.footprint()?);
        seen(&Event::Begins { step, steps, devices, samples: training, memory });
        for warning in stage.partition.warnings() {
            let helps = warning.helps.iter().map(|help| format!("; {}", help.text)).collect::<String>();
            seen(&Event::Note(&format!("{}{helps}", warning.title)));
        }
        let Progress { frozen, calm, .. } = progress;
        let monitor = Monitor::new(&trainer.model, trainer.freeze_when, frozen, calm);
        let good = Good { step, position, tensors, file };
        Ok(Work {
            trainer,
            stage,
            loader,
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
            good,
        })
    }

    /// Makes the steps, all of them unless it is asked to stop.
    pub(super) fn carry_out(mut self, seen: &mut dyn FnMut(&Event<'_>)) -> Result<Trained> {
        let started = Instant::now();
        let mut validation = None;
        while self.step < self.steps && !self.is_asked_to_stop() {
            let mut record = self.step()?;
            if !record.frozen.is_empty() {
                self.begin_again()?;
                seen(&Event::Frozen(&record.frozen));
            }
            let is_last = self.step == self.steps;
            if (self.loader.position().offset == 0 || is_last) && !self.held_out.is_empty() {
                let score = self.evaluate()?;
                (record.validation_loss, record.accuracy) = (Some(score.loss), score.accuracy);
                validation = Some(score);
            }
            if let Some(metrics) = &mut self.metrics {
                metrics.write(&record)?;
            }
            seen(&Event::Step(&record));
            self.records.push(record);
            let every = self.trainer.saving.as_ref().map(|s| s.every);
            if every.is_some_and(|every| is_last || self.step.is_multiple_of(every)) {
                self.save(seen)?;
            }
            if !is_last && let Some(plan) = due(&mut self.trainer, self.step) {
                self.take_up(plan, seen)?;
            }
        }
        let stopped = self.step < self.steps;
        if stopped && self.good.file.as_ref().is_none_or(|(step, _)| *step < self.step) {
            self.save(seen)?;
        }
        if !stopped && validation.is_none() && !self.held_out.is_empty() {
            validation = Some(self.evaluate()?);
        }
        let seconds = started.elapsed().as_secs_f64();
        let samples = (self.step - self.from) as f64 * self.stage.binding.batch as f64;
        Ok(Trained {
            steps: self.step,
            from: self.from,
            stopped,
            records: self.records,
            validation,
            parameters: self.stage.tensors()?,
            checkpoint: self.good.file.filter(|(step, _)| *step == self.step).map(|(_, path)| path),
            cached: self.stage.cached(),
            frozen: self.monitor.frozen,
            throughput: if seconds > 0.0 { samples / seconds } else { 0.0 },
        })
    }

    fn is_asked_to_stop(&self) -> bool {
        self.trainer.stop.as_ref().is_some_and(|asked| asked.load(Ordering::Relaxed))
    }

    fn step(&mut self) -> Result<Record> {
        let started = Instant::now();
        let ids = self.loader.ids(Shard::WHOLE);
        let epoch = self.loader.position().epoch + 1;
        let Told { loss, norms } = self.stage.step(&ids, key(self.trainer.seed_in_use(), self.step))?;
        if !loss.is_finite() {
            return Err(self.blamed(format!("the loss of step {} is {loss}", self.step + 1))?.into());
        }
        self.step += 1;
        self.loader.advance();
        let throughput = ids.len() as f64 / started.elapsed().as_secs_f64().max(1e-9);
        let frozen = self.monitor.see(&norms);
        Ok(Record { step: self.step, epoch, loss, throughput, frozen, ..Record::default() })
    }

    /// Goes on with the parameters that there are, by the plan and with the layers frozen that are so now.
    fn begin_again(&mut self) -> Result<()> {
        let tensors = self.stage.tensors()?;
        self.stage = stage(&self.trainer, &self.monitor.frozen, tensors.clone())?;
        let file = self.good.file.take();
        self.good = Good { step: self.step, position: self.loader.position(), tensors, file };
        Ok(())
    }

    /// Goes on by another plan, behind a checkpoint if any are kept.
    fn take_up(&mut self, plan: Plan, seen: &mut dyn FnMut(&Event<'_>)) -> Result<()> {
        if self.good.file.as_ref().is_none_or(|(step, _)| *step < self.step) {
            self.save(seen)?;
        }
        let before = self.stage.partition.device_count();
        self.trainer.plan = plan;
        self.evaluator = None;
        self.begin_again()?;
        let now = self.stage.partition.device_count();
        let batch = self.stage.binding.batch;
        seen(&Event::Note(&format!(
            "behind step {}: {now} devices instead of {before}, {batch} samples a step",
            self.step
        )));
        Ok(())
    }

    /// The error for numbers that are not finite before the next step, or in it.
    fn blamed(&self, title: String) -> Result<Diagnostic> {
        blame(Diagnostic::new(Code::D009, title), &self.trainer, &self.stage, &self.good, &self.loader, self.step)
    }

    fn evaluate(&mut self) -> Result<Score> {
        let evaluator = match self.evaluator.take() {
            Some(evaluator) => evaluator,
            None => {
                let model = &self.trainer.model;
                let named = loss_name(&self.trainer.plan);
                let loss = model.outputs().iter().position(|o| named.as_ref().is_some_and(|n| o.name == **n));
                Evaluator::of(model, &self.trainer.plan, self.stage.program(), loss.unwrap_or(0))?
            }
        };
        let score = evaluator.score(&self.trainer.data, &self.held_out, &self.stage.tensors()?);
        self.evaluator = Some(evaluator);
        score
    }

    fn save(&mut self, seen: &mut dyn FnMut(&Event<'_>)) -> Result<()> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let position = self.loader.position();
        let progress = Progress {
            step: self.step,
            epoch: position.epoch,
            offset: position.offset as u64,
            seed: self.trainer.seed_in_use(),
            model: self.trainer.model.source.to_string(),
            plan: self.trainer.plan.to_toml(),
            scale: self.trainer.scale,
            frozen: self.monitor.frozen.clone(),
            calm: self.monitor.calm.clone(),
            origin: Some(self.origin.clone()),
        };
        let checkpoint = Checkpoint { progress, tensors: self.stage.tensors()? };
        // The loss of a step was there before its update, which a checkpoint would make last.
        if let Some(name) = not_finite(self.stage.program(), &checkpoint.tensors) {
            return Err(self.blamed(format!("`{name}` is not finite behind step {}", self.step))?.into());
        }
        let path = folder.save(&checkpoint)?;
        seen(&Event::Saved(&path));
        self.good = Good { step: self.step, position, tensors: checkpoint.tensors, file: Some((self.step, path)) };
        Ok(())
    }
}

/// A plan with what the trainer makes of one that does not say it.
fn complete(trainer: &Trainer, mut plan: Plan) -> Result<Plan> {
    if plan.train.is_none() && replaced(&trainer.model).is_empty() {
        plan = plan.train("adamw");
    }
    if plan.mesh.is_none() && trainer.model.mesh().is_none() {
        plan.mesh = Some(Mesh::new([("data", 1)])?);
    }
    Ok(if trainer.freeze_when.is_some() { with_norms(plan) } else { plan })
}

/// The plan to go on with behind a step, if it is another one from here on.
fn due(trainer: &mut Trainer, step: u64) -> Option<Plan> {
    let count = trainer.later.iter().take_while(|(behind, _)| *behind <= step).count();
    trainer.later.drain(..count).next_back().map(|(_, plan)| plan)
}

/// What the data is divided by: as for the checkpoint, as it is asked for, or else by the largest magnitude of what is
/// trained on.
fn scale(
    trainer: &Trainer,
    found: Option<&(PathBuf, Checkpoint)>,
    samples: &[usize],
) -> std::result::Result<Option<f64>, Diagnostic> {
    let before = found.and_then(|(path, checkpoint)| Some((path, checkpoint.progress.scale?)));
    let by = match (trainer.scale, before) {
        (Some(asked), Some((path, before))) if asked != before => {
            let (data, path) = (&trainer.data.name, path.display());
            let title =
                format!("`{data}` is to be divided by {asked}, but `{path}` was trained on data divided by {before}");
            return Err(Diagnostic::new(Code::K005, title).help("leave `--scale` out to go on as before"));
        }
        (Some(by), _) | (None, Some((_, by))) => by,
        (None, None) => trainer.data.largest(samples),
    };
    Ok(Some(by).filter(|by| *by > 0.0 && by.is_finite()))
}

/// What is trained, or kept for training, and has a number that is not finite.
fn not_finite(program: &Program, tensors: &IndexMap<String, Tensor>) -> Option<String> {
    let changes = program.params.values().filter(|p| matches!(p.kind, ParamKind::Trainable | ParamKind::State));
    let mut named = changes.filter_map(|p| Some((&p.path, tensors.get(&p.path)?)));
    let found = named.find(|(_, tensor)| tensor.scalars().any(|x| !x.to_f64().is_finite()));
    found.map(|(name, _)| name.clone())
}

/// The step with those layers frozen.
fn stage(trainer: &Trainer, frozen: &[String], tensors: IndexMap<String, Tensor>) -> Result<Stage> {
    let plan = with_frozen(trainer.plan.clone(), &trainer.model, frozen);
    // Before the first layer is frozen on the way there may be nothing to keep.
    let later = trainer.freeze_when.is_some() && plan.freeze.is_empty() && plan.train_only.is_empty();
    let cache = trainer.cache.as_ref().filter(|_| !later);
    Stage::begin(&trainer.model, &plan, &trainer.data, tensors, cache)
}

/// The step as it is made before anything is laid out: it has every parameter and all state.
fn made(trainer: &Trainer) -> Result<Program> {
    let mut program = trainer.model.clone();
    let (input, mut findings) = (Input::with_plan(trainer.plan.clone()), Findings::default());
    pipelines::make_step(&mut program, &input, &mut findings)?;
    Ok(program)
}

/// The key of the random numbers that a step draws.
pub(super) fn key(seed: u64, step: u64) -> [u32; 2] {
    draw(seed, Stream::Step(step), 0)
}

/// The checkpoint that training goes on from.
fn from_checkpoint(trainer: &Trainer, seen: &mut dyn FnMut(&Event<'_>)) -> Result<Option<(PathBuf, Checkpoint)>> {
    let Some(path) = &trainer.resume else { return Ok(None) };
    let is_own = trainer.saving.as_ref().is_some_and(|s| s.folder == *path);
    if !path.exists() && !is_own {
        let title = format!("there is no checkpoint `{}`", path.display());
        return Err(Diagnostic::new(Code::K003, title).into());
    }
    let found = if path.exists() { Checkpoint::find(path)? } else { None };
    if found.is_none() {
        seen(&Event::Note(&format!("`{}` has no checkpoint yet: starting from the beginning", path.display())));
    }
    Ok(found)
}

/// An imported training step comes without its parameters.
fn drawn(trainer: &Trainer) -> String {
    let (name, seed) = (&trainer.model.source, trainer.seed_in_use());
    format!(
        "`{name}` does not say what its parameters start with: drawn with seed {seed}; `--init FILE.safetensors` \
         begins with others"
    )
}

fn in_the_way(last: &Path) -> Diagnostic {
    let title = format!("`{}` is there already", last.display());
    Diagnostic::new(Code::K003, title)
        .note("training would start over and replace the checkpoints of another run")
        .help("go on from it with `--resume`, or keep checkpoints in another folder")
}

fn too_few(trainer: &Trainer, samples: usize, batch: usize) -> Diagnostic {
    let name = &trainer.data.name;
    let title = format!("`{name}` has {samples} samples to train on, and one batch is {batch}");
    let error = Diagnostic::new(Code::S002, title);
    match trainer.data.len() - samples {
        0 => error,
        held => error.note(format!("{held} of {} are held out", trainer.data.len())),
    }
}

/// Parameters of the model itself, without the state of an optimizer.
fn parameters(program: &Program) -> impl Iterator<Item = (&str, &partita_ir::dtype::Type)> {
    let own = program.params.values().filter(|p| !p.path.starts_with(OPTIMIZER));
    own.map(|p| (p.path.as_str(), program.ty(p.value)))
}

/// The number of the step that completes so many epochs.
fn steps_to(loader: &Loader, step: u64, epochs: u64) -> u64 {
    let mut ahead = loader.clone();
    let mut steps = step;
    // The rest of this epoch is walked; whole epochs have a known number of batches.
    while ahead.position().offset > 0 && ahead.position().epoch < epochs {
        ahead.advance();
        steps += 1;
    }
    let epochs = epochs.saturating_sub(ahead.position().epoch);
    steps.saturating_add(epochs.saturating_mul(loader.batches() as u64))
}
