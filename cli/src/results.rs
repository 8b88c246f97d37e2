//! Results of a run: outputs, losses and durations, as a table or as JSON.

use super::args::RunArgs;
use super::{Outcome, devices as counted, ranks};
use partita::check::Check;
use partita::report::{Align, Table, WarningRow, family, group};
use partita::steps::StepResult;
use partita_ir::program::{CHECK_PREFIX, Program};
use partita_ir::tensor::Tensor;
use partita_runtime::footprint::Footprint;
use serde_json::{Value, json};
use std::fmt;

/// Results of a run.
pub(super) struct RunResults {
    pub(super) model: String,
    pub(super) devices: usize,
    /// Name of the GPU, for a run on a GPU.
    pub(super) on: Option<String>,
    /// Memory of one device of each stage.
    pub(super) memory: Vec<Footprint>,
    pub(super) warnings: Vec<WarningRow>,
    pub(super) outputs: Vec<Tensor>,
    pub(super) check: Option<Check>,
    /// Result of each step. Empty for a run with `--check`.
    pub(super) steps: Vec<StepResult>,
    /// Wall-clock time of all steps in seconds.
    pub(super) seconds: f64,
}

/// Comparisons with expected values that the model contains.
struct Expectations {
    /// Number of comparisons.
    count: usize,
    /// Lines of the model whose comparison is false.
    failed: Vec<String>,
}

impl Expectations {
    fn new(program: &Program, outputs: &[Tensor]) -> Self {
        let all = program.outputs().iter().zip(outputs);
        let of_model = all.filter_map(|(output, value)| Some((output.name.strip_prefix(CHECK_PREFIX)?, value)));
        let results: Vec<(&str, bool)> =
            of_model.map(|(line, value)| (line, value.scalars().all(|x| x.to_i64() != 0))).collect();
        let failed = results.iter().filter(|(_, holds)| !holds).map(|(line, _)| (*line).to_owned()).collect();
        Expectations { count: results.len(), failed }
    }
}

impl fmt::Display for Expectations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.count, &self.failed[..]) {
            (0, _) => Ok(()),
            (1, []) => writeln!(f, "\nthe check of the model holds"),
            (1, [line, ..]) => writeln!(f, "\nthe check of line {line} of the model fails"),
            (count, []) => writeln!(f, "\nall {count} checks of the model hold"),
            (count, failed) => {
                let lines = if failed.len() == 1 { "line" } else { "lines" };
                writeln!(f, "\n{} of {count} checks of the model fail: {lines} {}", failed.len(), failed.join(", "))
            }
        }
    }
}

impl RunResults {
    /// Formats the results.
    pub(super) fn outcome(self, args: &RunArgs, program: &Program) -> Outcome {
        let RunResults { model, devices: count, on, memory, warnings, outputs, check, steps, seconds } = self;
        let expectations = Expectations::new(program, &outputs);
        let ok = check.as_ref().is_none_or(Check::ok) && expectations.failed.is_empty();
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
            if let Some(StepSeconds { median, fastest }) = StepSeconds::from_steps(&steps) {
                object["seconds"]["step"] = json!(median);
                object["seconds"]["fastest_step"] = json!(fastest);
            }
            ranks::add_collectives(&mut object);
            return Outcome { text: format!("{object:#}\n"), ok };
        }
        let shown = match check {
            Some(check) => check.to_string(),
            None if args.steps > 1 => format!("{}\n{}", losses_text(&steps), outputs_text(program, &outputs)),
            None => outputs_text(program, &outputs),
        };
        let shown = format!("{shown}{expectations}");
        let on = on.map(|on| format!(" of {on}")).unwrap_or_default();
        let each = StepSeconds::from_steps(&steps)
            .filter(|_| steps.len() > 1)
            .map(|step| step.to_string())
            .unwrap_or_default();
        let devices = counted(count);
        let memory: String = match &memory[..] {
            [memory] => format!("memory per device: {memory}\n"),
            stages => {
                let line =
                    |(stage, memory): (usize, &Footprint)| format!("memory per device of stage {stage}: {memory}\n");
                stages.iter().enumerate().map(line).collect()
            }
        };
        Outcome { text: format!("{model}: ran on {devices}{on} in {seconds:.2} s\n{each}{memory}\n{shown}"), ok }
    }
}

/// Durations of a step on the devices, in seconds. The first of several steps is left out, since its caches are cold.
struct StepSeconds {
    median: f64,
    fastest: f64,
}

impl StepSeconds {
    fn from_steps(steps: &[StepResult]) -> Option<StepSeconds> {
        let warm = if steps.len() > 1 { &steps[1..] } else { steps };
        let mut seconds: Vec<f64> = warm.iter().map(|step| step.seconds).collect::<Option<_>>()?;
        seconds.sort_by(f64::total_cmp);
        Some(StepSeconds { median: *seconds.get(seconds.len() / 2)?, fastest: *seconds.first()? })
    }
}

impl fmt::Display for StepSeconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "step: median {:.3} ms, fastest {:.3} ms", 1e3 * self.median, 1e3 * self.fastest)
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

/// Maximum number of listed steps.
const MAX_LISTED_STEPS: usize = 10;

/// Formats the losses of evenly spaced steps, including the first and the last.
fn losses_text(steps: &[StepResult]) -> String {
    use Align::Right;
    let mut table = Table::new([("step", Right), ("loss", Right)]);
    let last = steps.len().saturating_sub(1);
    let listed = MAX_LISTED_STEPS.min(steps.len());
    for i in 0..listed {
        let step = if listed > 1 { i * last / (listed - 1) } else { 0 };
        table.row([(step + 1).to_string(), format!("{:.6}", steps[step].loss)]);
    }
    table.to_string()
}

/// Formats the mean and the largest magnitude of all elements.
fn summary<'t>(tensors: impl Iterator<Item = &'t Tensor>) -> [String; 2] {
    let (mut count, mut sum, mut largest) = (0usize, 0.0, 0.0f64);
    for x in tensors.flat_map(Tensor::scalars).map(|s| s.to_f64()) {
        count += 1;
        sum += x;
        largest = if x.is_nan() { x } else { largest.max(x.abs()) };
    }
    if count == 0 { Default::default() } else { [format!("{:.6}", sum / count as f64), format!("{largest:.6}")] }
}
