//! `run`: all devices of the plan in this process, compared with one device when `--check` asks for it.

use super::args::RunArgs;
use super::files::write_trace;
use super::model::{Planned, partition, plan};
use super::passes::Watch;
use super::pipeline::{Staged, staged};
use super::progress::Progress;
use super::{Outcome, Own, devices as counted, gpu};
use partita::Result;
use partita::check::Check;
use partita::error::failed;
use partita::on_devices::{OnDevices, nothing_to_record};
use partita::report::{Align, Table, WarningRow, family, group};
use partita::steps::{Step, Steps};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::interp::random_inputs;
use partita_ir::program::Program;
use partita_ir::tensor::{Tensor, Weights};
use partita_runtime::footprint::Footprint;
use partita_runtime::io::{Draw, put_weights, read_over, write_outputs, write_training};
use serde_json::{Value, json};
use std::fmt;
use std::time::Instant;

/// Carries out `partita run`.
pub(super) fn run(args: &RunArgs, own: Option<&Own<'_>>) -> Result<Outcome> {
    if args.sha256.is_some() && !args.model.as_deref().is_some_and(gpu::is_artefact) {
        let title = "`--sha256` is the digest of a compiled file, and none is run";
        return Err(Diagnostic::new(Code::A008, title).help("leave it out, or run a `.partita` file").into());
    }
    if args.emulate || args.target.is_some() || args.model.as_deref().is_some_and(gpu::is_artefact) {
        return gpu::run(args, own);
    }
    let progress = Progress::new(if args.check { 7 } else { 3 });
    progress.step("partitioning");
    let Ready { model, weights, devices, watch } = ready(args, own)?;
    progress.step("reading or drawing inputs");
    let Given { tensors: inputs, state, drawn } = inputs(devices.program(), &weights, args)?;
    let started = Instant::now();
    let steps = Steps { count: args.steps, seed: drawn.then_some(args.seed) };
    let mut made = Vec::new();
    let (outputs, check) = if args.check {
        let check = devices.check_steps(&inputs, steps, &mut |what| progress.step(what))?;
        (check.outputs.clone(), Some(check))
    } else {
        progress.step("running all devices");
        (devices.run_steps(&inputs, steps, &mut |step| made.push(step))?, None)
    };
    let seconds = started.elapsed().as_secs_f64();
    if let Some(path) = &args.trace {
        progress.step("recording one step");
        write_trace(path, &devices.recorded(&inputs)?)?;
    }
    drop(progress);
    write(args, devices.program(), (&inputs, &state), &outputs)?;
    let (count, memory) = (devices.device_count(), devices.footprints()?);
    let warnings = WarningRow::all(devices.warnings());
    let ran = Ran { model, devices: count, on: None, memory, warnings, outputs, check, steps: made, seconds };
    let Outcome { text, ok } = ran.told(args, devices.program());
    Ok(Outcome { text: watch.diffs + &text, ok })
}

/// A model on devices of this process, and what was seen on the way.
struct Ready {
    model: String,
    weights: Weights,
    devices: Box<dyn OnDevices>,
    watch: Watch,
}

fn ready(args: &RunArgs, own: Option<&Own<'_>>) -> Result<Ready> {
    let plan = plan(&args.plan)?;
    if plan.staged()?.is_some() {
        let Staged { model, weights, pipeline, watch } = staged(args.model.as_deref(), (&plan, None), &args.dump, own)?;
        return Ok(Ready { model, weights, devices: Box::new(pipeline), watch });
    }
    if args.trace.is_some() {
        return Err(nothing_to_record().into());
    }
    let Planned { model, weights, partition, watch } = partition(args.model.as_deref(), &plan, &args.dump, own)?;
    Ok(Ready { model, weights, devices: Box::new(partition), watch })
}

/// Keeps the results where the user wants them.
pub(super) fn write(
    args: &RunArgs,
    program: &Program,
    (inputs, state): (&[Tensor], &[(String, Tensor)]),
    outputs: &[Tensor],
) -> Result<()> {
    match &args.output {
        Some(path) if trains(program) => Ok(write_training(path, program, inputs, state, outputs)?),
        Some(path) => Ok(write_outputs(path, program, outputs)?),
        None => Ok(()),
    }
}

/// What a run came to.
pub(super) struct Ran {
    pub(super) model: String,
    pub(super) devices: usize,
    /// The GPU on which all of them ran, if they did.
    pub(super) on: Option<String>,
    /// What each device takes, by stage.
    pub(super) memory: Vec<Footprint>,
    pub(super) warnings: Vec<WarningRow>,
    pub(super) outputs: Vec<Tensor>,
    pub(super) check: Option<Check>,
    /// What each step came to; nothing where results were compared.
    pub(super) steps: Vec<Step>,
    pub(super) seconds: f64,
}

impl Ran {
    /// What is said about it.
    pub(super) fn told(self, args: &RunArgs, program: &Program) -> Outcome {
        let Ran { model, devices: count, on, memory, warnings, outputs, check, steps, seconds } = self;
        let ok = check.as_ref().is_none_or(Check::ok);
        if args.json {
            let mut object = json!({
                "version": env!("CARGO_PKG_VERSION"),
                "model": model,
                "devices": count,
                "memory": if let [memory] = memory[..] { json!(memory) } else { json!(memory) },
                "warnings": warnings,
                "outputs": outputs_json(program, &outputs, check.as_ref()),
                "ok": ok,
            });
            if let Some(on) = on {
                object["on"] = json!(on);
            }
            if args.steps > 1 && check.is_none() {
                object["losses"] = json!(steps.iter().map(|step| step.loss).collect::<Vec<_>>());
            }
            object["seconds"] = json!({ "run": seconds });
            if let Some(StepSeconds { median, least }) = StepSeconds::of(&steps) {
                object["seconds"]["step"] = json!(median);
                object["seconds"]["fastest_step"] = json!(least);
            }
            return Outcome { text: format!("{object:#}\n"), ok };
        }
        let shown = match check {
            Some(check) => check.to_string(),
            None if args.steps > 1 => format!("{}\n{}", losses_text(&steps), outputs_text(program, &outputs)),
            None => outputs_text(program, &outputs),
        };
        let on = on.map(|on| format!(" of {on}")).unwrap_or_default();
        let each = StepSeconds::of(&steps).filter(|_| steps.len() > 1).map(|step| step.to_string()).unwrap_or_default();
        let devices = counted(count);
        let memory: String = match &memory[..] {
            [memory] => format!("memory a device: {memory}\n"),
            stages => {
                let line =
                    |(stage, memory): (usize, &Footprint)| format!("memory a device of stage {stage}: {memory}\n");
                stages.iter().enumerate().map(line).collect()
            }
        };
        Outcome { text: format!("{model}: ran on {devices}{on} in {seconds:.2} s\n{each}{memory}\n{shown}"), ok }
    }
}

/// How long devices computed in a step: all but the first one, which finds nothing in the caches, where there are several.
struct StepSeconds {
    median: f64,
    least: f64,
}

impl StepSeconds {
    fn of(steps: &[Step]) -> Option<StepSeconds> {
        let behind = if steps.len() > 1 { &steps[1..] } else { steps };
        let mut seconds: Vec<f64> = behind.iter().map(|step| step.seconds).collect::<Option<_>>()?;
        seconds.sort_by(f64::total_cmp);
        Some(StepSeconds { median: *seconds.get(seconds.len() / 2)?, least: *seconds.first()? })
    }
}

impl fmt::Display for StepSeconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "a step: {:.3} ms, the fastest {:.3} ms", 1e3 * self.median, 1e3 * self.least)
    }
}

/// What a run begins with.
pub(super) struct Given {
    pub(super) tensors: Vec<Tensor>,
    /// State of an optimizer that this run has no use for.
    pub(super) state: Vec<(String, Tensor)>,
    /// Whether the data is random, and so drawn anew for each step.
    pub(super) drawn: bool,
}

/// Whether what a run gives replaces what it took.
fn trains(program: &Program) -> bool {
    program.main().outputs.iter().any(|o| o.alias.is_some())
}

/// What the file holds, else the weights that the model came with, else random data.
pub(super) fn inputs(program: &Program, weights: &Weights, args: &RunArgs) -> Result<Given> {
    let Some(path) = &args.input else {
        let mut tensors = random_inputs(program, args.seed).map_err(failed)?;
        put_weights(program, weights, &mut tensors)?;
        return Ok(Given { tensors, state: Vec::new(), drawn: true });
    };
    let draw = || random_inputs(program, args.seed).map_err(failed);
    let draw: Option<Draw<'_>> = if trains(program) { Some(&draw) } else { None };
    let inputs = read_over(path, program, weights, draw)?;
    // What the run before gave besides, such as its loss, was never meant for this one.
    let is_output = |name: &String| program.main().outputs.iter().any(|o| o.name == **name);
    let ignored: Vec<String> = inputs.ignored.into_iter().filter(|name| !is_output(name)).collect();
    if !ignored.is_empty() {
        eprintln!("warning: {} has tensors that the model has no use for: {}", path.display(), list(&ignored));
    }
    Ok(Given { tensors: inputs.tensors, state: inputs.state, drawn: inputs.drawn })
}

/// The first names of a list.
pub(super) fn list(names: &[String]) -> String {
    const SHOWN: usize = 5;
    let shown: Vec<&str> = names.iter().take(SHOWN).map(String::as_str).collect();
    match names.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

fn outputs_json(program: &Program, outputs: &[Tensor], check: Option<&Check>) -> Vec<Value> {
    let names = program.main().outputs.iter().map(|o| o.name.as_str());
    let each = names.zip(outputs).enumerate().map(|(i, (name, tensor))| {
        let mut object = json!({ "name": name, "dtype": tensor.ty.dtype.name(), "shape": tensor.ty.shape[..] });
        if let Some(check) = check
            && let (Some(native), Some(wide)) = (check.native.get(i), check.wide.get(i))
        {
            object["max_abs_diff"] = native.max_abs_diff.into();
            object["max_rel_diff"] = native.max_rel_diff.into();
            object["one_device_error"] = native.rounding.into();
            object["ok"] = (native.ok && wide.ok).into();
            object["f64"] =
                json!({ "max_abs_diff": wide.max_abs_diff, "max_rel_diff": wide.max_rel_diff, "ok": wide.ok });
        }
        object
    });
    each.collect()
}

fn outputs_text(program: &Program, outputs: &[Tensor]) -> String {
    use Align::{Left, Right};
    let mut table = Table::new([("output", Left), ("type", Left), ("mean", Right), ("largest", Right)]);
    let named: Vec<(&str, &Tensor)> = program.main().outputs.iter().map(|o| o.name.as_str()).zip(outputs).collect();
    for (family, members) in group(&named, |(name, _)| family(name)) {
        let [mean, largest] = summary(members.iter().map(|m| m.1));
        table.row(match members[..] {
            [(name, tensor)] => [(*name).to_owned(), tensor.ty.to_string(), mean, largest],
            _ => [family, format!("{} tensors", members.len()), mean, largest],
        });
    }
    table.to_string()
}

/// How many of many steps are listed.
const LISTED: usize = 10;

/// The loss of steps, evenly spread over all of them, the first and the last among them.
fn losses_text(steps: &[Step]) -> String {
    use Align::Right;
    let mut table = Table::new([("step", Right), ("loss", Right)]);
    let last = steps.len().saturating_sub(1);
    let listed = LISTED.min(steps.len());
    for i in 0..listed {
        let step = if listed > 1 { i * last / (listed - 1) } else { 0 };
        table.row([(step + 1).to_string(), format!("{:.6}", steps[step].loss)]);
    }
    table.to_string()
}

/// Mean and largest magnitude of all elements of some tensors.
fn summary<'t>(tensors: impl Iterator<Item = &'t Tensor>) -> [String; 2] {
    let (mut count, mut sum, mut largest) = (0usize, 0.0, 0.0f64);
    for x in tensors.flat_map(Tensor::scalars).map(|s| s.to_f64()) {
        count += 1;
        sum += x;
        largest = if x.is_nan() { x } else { largest.max(x.abs()) };
    }
    if count == 0 { Default::default() } else { [format!("{:.6}", sum / count as f64), format!("{largest:.6}")] }
}
