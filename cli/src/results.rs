//! The results of a run: its outputs, its losses and how long it took, as a table or as JSON.

use super::args::RunArgs;
use super::{Outcome, devices as counted};
use partita::check::Check;
use partita::report::{Align, Table, WarningRow, family, group};
use partita::steps::Step;
use partita_ir::program::Program;
use partita_ir::tensor::Tensor;
use partita_runtime::footprint::Footprint;
use serde_json::{Value, json};
use std::fmt;

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

/// How long devices computed in a step: all but the first one, which finds nothing in the caches, where there are
/// several.
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

fn outputs_json(program: &Program, outputs: &[Tensor], check: Option<&Check>) -> Vec<Value> {
    let names = program.outputs().iter().map(|o| o.name.as_str());
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
    let named: Vec<(&str, &Tensor)> = program.outputs().iter().map(|o| o.name.as_str()).zip(outputs).collect();
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
