//! `train`: trains a model on a data set, with checkpoints.

use super::args::TrainArgs;
use super::files::prepare_file;
use super::model::{Loaded, plan, program};
use super::progress::Bar;
use super::{CallerModel, Outcome, crash, devices, ranks, stop};
use partita::Result;
use partita::report::{Align, Table};
use partita::train::{
    Budget, Counts, Dataset, FreezeWhen, StepMetrics, StopReason, Trainer, TrainingEvent, TrainingResult, plot,
};
use partita_ir::diag::{Code, Diagnostic, Source, shell_path};
use partita_ir::input_file::read_text;
use partita_ir::plan::Plan;
use partita_runtime::footprint::Footprint;
use serde_json::json;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

/// Runs `partita train`.
pub(super) fn train(args: &TrainArgs, own: Option<&CallerModel<'_>>) -> Result<Outcome> {
    let request = stop::stop_request();
    let pause = request.flag(StopReason::Paused).clone();
    let plan = plan(&args.plan)?;
    let Loaded { model, program, weights, .. } = program(args.model.as_deref(), own)?;
    let processes = ranks::connect(&args.ranks, move || pause.store(true, Ordering::Relaxed))?;
    if ranks::is_first() {
        [&args.output, &args.plot].into_iter().flatten().try_for_each(|path| prepare_file(path))?;
    }
    // Each rank reads the samples of its devices.
    let data = match &processes {
        Some(_) => Dataset::open(&args.data, &program)?,
        None => Dataset::read(&args.data, &program)?,
    };
    let trainer = configured_trainer(args, Trainer::new(&program, &plan, data).weights(weights).stop_when(request))?;
    let trainer = match processes {
        Some(processes) => {
            ranks::allow_native_collectives(&processes, args.exact)?;
            trainer.on_processes(processes)
        }
        None => trainer,
    };
    let mut shown = ProgressDisplay::default();
    let trained = crash::guard(&program, &plan, |_| trainer.run(&mut |event| shown.handle(event)))?;
    drop(shown.bar.take());
    if let Some(path) = args.plot.as_ref().filter(|_| ranks::is_first()) {
        fs::write(path, plot(&trained.records)).map_err(|e| Diagnostic::io_error("write", path, &e))?;
    }
    let text = match args.json {
        true => json(&model, &shown, &trained),
        false => text(&model, &shown, &trained) + &ranks::collectives_text(),
    };
    Ok(Outcome { text, ok: trained.stopped != Some(StopReason::Interrupted) })
}

/// Applies the flags to a trainer.
fn configured_trainer(args: &TrainArgs, trainer: Trainer) -> Result<Trainer> {
    let mut trainer = trainer.validate(args.validate);
    if let Some(seed) = args.seed {
        trainer = trainer.seed(seed);
    }
    if args.resume_with_changes {
        trainer = trainer.accept_changes();
    }
    trainer = match args.steps {
        Some(steps) => trainer.steps(steps),
        None => trainer.epochs(args.epochs),
    };
    if let Some(by) = args.scale {
        trainer = trainer.scale(by);
    }
    if let Some(file) = &args.init {
        trainer = trainer.initial(file);
    }
    if let Some(folder) = &args.save {
        trainer = trainer.save(folder, args.save_every).keep(usize::try_from(args.keep).unwrap_or(usize::MAX));
    }
    if let Some(file) = &args.output {
        trainer = trainer.output(file);
    }
    if let Some(file) = &args.metrics {
        trainer = trainer.metrics(file);
    }
    for (step, path) in &args.replan {
        trainer = trainer.replan(*step, &Plan::from_toml(&Source::new(path.display().to_string(), read_text(path)?))?);
    }
    if let Some(rule) = &args.freeze_when {
        trainer = trainer.freeze_when(FreezeWhen::parse(rule)?);
    }
    if args.cache.is_some() || args.cache_disk.is_some() {
        let (memory, disk) = (args.cache.unwrap_or_default(), args.cache_disk.unwrap_or_default());
        trainer = trainer.cache(Budget { memory, disk, folder: Some(std::env::temp_dir()) });
    }
    Ok(match (&args.resume, &args.save) {
        (Some(Some(path)), _) => trainer.resume(path),
        (Some(None), Some(folder)) => trainer.resume(folder),
        (Some(None), None) => {
            let error = Diagnostic::new(Code::K003, "`--resume` has no checkpoint path");
            return Err(error.help("name a checkpoint or a folder, or add `--save DIR`").into());
        }
        (None, _) => trainer,
    })
}

/// Progress display of a training run, and data for its summary.
#[derive(Default)]
struct ProgressDisplay {
    bar: Option<Bar>,
    steps: u64,
    devices: usize,
    samples: [usize; 2],
    memory: Footprint,
    saved: Option<PathBuf>,
}

impl ProgressDisplay {
    fn handle(&mut self, event: &TrainingEvent<'_>) {
        if !ranks::is_first() {
            return;
        }
        match event {
            TrainingEvent::Started { step, steps, devices, samples, memory } => {
                (self.steps, self.devices, self.samples, self.memory) = (*steps, *devices, *samples, *memory);
                self.bar = Some(Bar::new(*step, *steps));
            }
            TrainingEvent::Step(record) => {
                let Some(bar) = &self.bar else { return };
                bar.set_step(record.step, format!("loss {:.4}, {:.0} samples/s", record.loss, record.throughput));
                if let Some(loss) = record.validation_loss {
                    bar.print_line(&format!("epoch {}: {}", record.epoch, validation_text(loss, record.accuracy)));
                }
            }
            TrainingEvent::LayersFrozen(layers) => {
                if let Some(bar) = &self.bar {
                    bar.print_line(&format!("frozen: {}", layers.join(", ")));
                }
            }
            TrainingEvent::CheckpointSaved(path) => self.saved = Some(path.to_path_buf()),
            TrainingEvent::Note(text) => match &self.bar {
                Some(bar) => bar.print_line(text),
                None => eprintln!("note: {text}"),
            },
        }
    }
}

fn validation_text(loss: f64, accuracy: Option<f64>) -> String {
    match accuracy {
        Some(accuracy) => format!("validation: loss {loss:.4}, {:.2}% accuracy", 100.0 * accuracy),
        None => format!("validation: loss {loss:.4}"),
    }
}

fn text(model: &str, shown: &ProgressDisplay, trained: &TrainingResult) -> String {
    let TrainingResult { steps, from, throughput, .. } = trained;
    let [samples, held] = shown.samples;
    let made = match *from {
        0 => format!("{steps} steps"),
        from if from >= *steps => format!("no steps after the {from} of the checkpoint"),
        from => format!("steps {} to {steps}", from + 1),
    };
    let devices = devices(shown.devices);
    let mut out = format!("{model}: trained {made} on {devices}, {throughput:.0} samples/s\n");
    let held_text = if held > 0 { format!(", {held} held out") } else { String::new() };
    out += &format!("{samples} samples{held_text}\nmemory per device: {}\n\n{}", shown.memory, table(&trained.records));
    if let Some(score) = &trained.validation {
        out += &format!("\n{}\n", validation_text(score.loss, score.accuracy));
    }
    if !trained.frozen.is_empty() {
        out += &format!("\nfrozen during training: {}\n", trained.frozen.join(", "));
    }
    if let Some(Counts { memory, disk, missed, .. }) = trained.cached {
        out += &format!("\nfrozen layers: {memory} cache hits in memory, {disk} on disk, {missed} misses\n");
    }
    match &shown.saved {
        _ if trained.stopped.is_some() => out += &format!("\n{}\n", stop_text(shown, trained)),
        Some(path) => out += &format!("\nlast checkpoint: {}\n", path.display()),
        None => {}
    }
    out
}

/// Formats the step at which a run was stopped, and the command to resume it.
fn stop_text(shown: &ProgressDisplay, trained: &TrainingResult) -> String {
    let at = format!("stopped after step {} of {}", trained.steps, shown.steps);
    match &trained.checkpoint {
        Some(path) => format!("{at}: resume with `--resume {}`", shell_path(path)),
        None => format!("{at}: no checkpoint, since `--save` is not given"),
    }
}

/// Maximum number of listed steps.
const MAX_LISTED_STEPS: usize = 10;

/// Formats evenly spaced steps, including the first and the last.
fn table(records: &[StepMetrics]) -> String {
    use Align::Right;
    let validated = records.iter().any(|r| r.validation_loss.is_some());
    let mut table = match validated {
        true => Table::new([
            ("step", Right),
            ("epoch", Right),
            ("loss", Right),
            ("validation loss", Right),
            ("accuracy", Right),
        ]),
        false => Table::new([("step", Right), ("epoch", Right), ("loss", Right)]),
    };
    let rows: Vec<&StepMetrics> = match validated {
        true => records.iter().filter(|r| r.validation_loss.is_some()).collect(),
        false => records.iter().collect(),
    };
    let last = rows.len().saturating_sub(1);
    let listed = MAX_LISTED_STEPS.min(rows.len());
    for i in 0..listed {
        let row = rows[if listed > 1 { i * last / (listed - 1) } else { 0 }];
        let mut cells = vec![row.step.to_string(), row.epoch.to_string(), format!("{:.4}", row.loss)];
        if validated {
            cells.push(row.validation_loss.map_or(String::new(), |loss| format!("{loss:.4}")));
            cells.push(row.accuracy.map_or(String::new(), |share| format!("{:.2}%", 100.0 * share)));
        }
        table.row(cells);
    }
    table.to_string()
}

fn json(model: &str, shown: &ProgressDisplay, trained: &TrainingResult) -> String {
    let mut object = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "model": model,
        "devices": shown.devices,
        "memory": shown.memory,
        "samples": shown.samples[0],
        "held_out": shown.samples[1],
        "steps": trained.steps,
        "from": trained.from,
        "stopped": trained.stopped.is_some(),
        "loss": trained.loss(),
        "validation": trained.validation,
        "samples_per_second": trained.throughput,
        "frozen": trained.frozen,
        "cache": trained.cached,
        "checkpoint": shown.saved.as_ref().map(|path| path.display().to_string()),
    });
    ranks::add_collectives(&mut object);
    format!("{object:#}\n")
}
