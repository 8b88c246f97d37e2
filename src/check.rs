//! Comparison of one device with all devices, output by output.
//!
//! The comparison in `f64` decides whether both compute the same function, since rounding errors in `f64` are far below
//! any mistake. The comparison in the model's own element types detects a loss of precision: the error of all devices
//! against `f64` is bounded by the rounding error of one device.

use crate::error::Result;
use crate::error::interpreter_error;
use crate::report::{Align, Table, family, group};
use crate::steps::Steps;
use indexmap::{IndexMap, IndexSet};
use partita_ir::dtype::DType;
use partita_ir::interp::{self, widen, widen_tensors};
use partita_ir::program::{Output, Program};
use partita_ir::tensor::Tensor;
use partita_runtime::check::{Difference, Element, OneDevice, RoundingLimits, compare, compare_rounding};
use std::fmt;

/// Largest difference allowed in `f64` between one device and many, relative to the largest element (or 1).
pub const TOLERANCE_F64: f64 = 1e-9;

/// Seed of random rounding, for reproducible verdicts.
pub(crate) const ROUNDING_SEED: u64 = 0;

/// Returns the limits on errors in the model's own element types. The error of the least precise type is always
/// allowed, since an `f32` output may be computed in `bf16`.
pub(crate) fn rounding_limits(program: &Program) -> RoundingLimits {
    let of = |dtype: DType| match dtype {
        DType::BF16 => 5e-2,
        DType::F16 => 1e-2,
        DType::Mini(_) => 2.0 * dtype.roundoff().unwrap_or(1.0),
        _ => 1e-4,
    };
    RoundingLimits::new(program.values.iter().map(|(_, value)| of(value.ty.dtype)).fold(1e-4, f64::max))
}

/// Function from global inputs to the global outputs of the last step on all devices.
type RunSteps<'r> = &'r dyn Fn(&[Tensor]) -> Result<Vec<Tensor>>;

/// Programs of a comparison.
pub(crate) struct Comparison<'a> {
    /// Program of all devices, with global inputs and outputs.
    pub(crate) program: &'a Program,
    /// Program of one device.
    pub(crate) model: &'a Program,
    pub(crate) devices: usize,
    /// Name of all devices in messages.
    pub(crate) subject: &'static str,
}

impl Comparison<'_> {
    /// Compares all devices with one device after some steps, in the model's element types (`native`) and in `f64`
    /// (`wide`). Reports progress to `next`.
    pub(crate) fn run(
        &self,
        inputs: &[Tensor],
        steps: Steps,
        native: RunSteps<'_>,
        wide: RunSteps<'_>,
        next: &mut dyn FnMut(&str),
    ) -> Result<Check> {
        let run_on_one = |inputs: &[Tensor], run: &dyn Fn(Vec<Tensor>) -> std::result::Result<Vec<Tensor>, String>| {
            let run = |inputs: &[Tensor]| Ok(run(inputs.to_vec()).map_err(interpreter_error)?);
            steps.run(self.program, inputs.to_vec(), run)
        };
        let model = &self.comparable_model();
        let names = || model.outputs().iter().map(|o| o.name.as_str());
        next(&format!("running {}", self.subject));
        let outputs = native(inputs)?;
        next("running one device");
        let one_device_outputs = run_on_one(inputs, &|inputs| interp::run(model, inputs))?;
        next(&format!("running {} in f64", self.subject));
        let inputs = widen_tensors(inputs);
        let wide_outputs = wide(&inputs)?;
        next("running one device in f64");
        let wide_model = widen(model);
        let exact = run_on_one(&inputs, &|inputs| interp::run(&wide_model, inputs))?;
        next("running one device with random rounding");
        let perturbed = run_on_one(&inputs, &|inputs| interp::run_perturbed(model, inputs, ROUNDING_SEED))?;
        let limits = rounding_limits(model);
        let one = OneDevice { native: &one_device_outputs, perturbed: &perturbed, exact: &exact };
        let native = compare_rounding(names(), &outputs, one, limits);
        let mut wide = compare(names(), &wide_outputs, &exact, TOLERANCE_F64);
        if wide.iter().any(|difference| !difference.ok) {
            // Adam enlarges the rounding errors of a gradient that is zero, also in `f64`.
            next("running one device in f64 with random rounding");
            let perturbed = run_on_one(&inputs, &|inputs| interp::run_perturbed(&wide_model, inputs, ROUNDING_SEED))?;
            let one = OneDevice { native: &exact, perturbed: &perturbed, exact: &exact };
            wide = compare_rounding(names(), &wide_outputs, one, RoundingLimits::new(TOLERANCE_F64));
        }
        Ok(Check { devices: self.devices, native, wide, limits, tolerance_wide: Some(TOLERANCE_F64), outputs })
    }

    /// Returns the model with the outputs of the program of all devices, in their order, then any state that the model
    /// changes and that program does not. The program may lack other outputs, such as the logits of micro-batches.
    fn comparable_model(&self) -> Program {
        let mut model = self.model.clone();
        let named: IndexMap<&str, &Output> = self.model.outputs().iter().map(|o| (o.name.as_str(), o)).collect();
        let names: IndexSet<&str> = self.program.outputs().iter().map(|o| o.name.as_str()).collect();
        let common: Option<Vec<&Output>> =
            self.program.outputs().iter().map(|o| named.get(o.name.as_str()).copied()).collect();
        if let Some(common) = common.filter(|common| common.len() == names.len()) {
            let missing =
                self.model.outputs().iter().filter(|o| o.replaces.is_some() && !names.contains(o.name.as_str()));
            *model.outputs_mut() = common.into_iter().chain(missing).cloned().collect();
        }
        model
    }
}

/// Result of a comparison of all devices with one. Prints as a table and a verdict.
pub struct Check {
    /// Number of devices.
    pub devices: usize,
    /// Differences in the model's element types, by output.
    pub native: Vec<Difference>,
    /// Differences in `f64`, by output. For devices that cannot compute in `f64`, the distance of their results from
    /// `f64`.
    pub wide: Vec<Difference>,
    /// The limits on `native`.
    pub limits: RoundingLimits,
    /// Limit on `wide`, relative to the largest element (or 1). `None` if the devices did not compute in `f64`.
    pub tolerance_wide: Option<f64>,
    /// Outputs of all devices in the model's element types.
    pub outputs: Vec<Tensor>,
}

impl Check {
    /// Returns true if every output agrees in both comparisons.
    pub fn ok(&self) -> bool {
        self.disagreements() == 0
    }

    fn disagreements(&self) -> usize {
        self.native.iter().zip(&self.wide).filter(|(native, wide)| !native.ok || !wide.ok).count()
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use Align::{Left, Right};
        let mut table = Table::new([
            ("output", Left),
            ("type", Left),
            ("largest |a - b|", Right),
            ("relative", Right),
            ("one device's error", Right),
            ("in f64", Right),
            ("relative", Right),
            ("", Left),
        ]);
        let rows: Vec<(&Difference, &Difference, &Tensor)> =
            self.native.iter().zip(&self.wide).zip(&self.outputs).map(|((n, w), t)| (n, w, t)).collect();
        // Outputs that agree are grouped by family, each with its worst member.
        let key = |(native, wide, _): &(&Difference, &Difference, &Tensor)| {
            let ok = native.ok && wide.ok;
            (if ok { family(&native.name) } else { native.name.clone() }, ok)
        };
        for ((family, ok), members) in group(&rows, key) {
            let worst = |of: &dyn Fn(&(&Difference, &Difference, &Tensor)) -> f64| {
                let x = members.iter().map(|m| of(m)).fold(0.0, f64::max);
                if x == 0.0 { "0".to_string() } else { format!("{x:.1e}") }
            };
            let alone = if let [one] = members[..] { Some(one) } else { None };
            let cells = [
                alone.map_or(family, |one| one.0.name.clone()),
                alone.map_or_else(|| format!("{} tensors", members.len()), |one| one.2.ty.to_string()),
                worst(&|m| m.0.max_abs_diff),
                worst(&|m| m.0.max_rel_diff),
                worst(&|m| m.0.rounding),
                worst(&|m| m.1.max_abs_diff),
                worst(&|m| m.1.max_rel_diff),
                if ok { "ok".to_string() } else { "DISAGREES".to_string() },
            ];
            table.row(cells);
        }
        writeln!(f, "{table}")?;
        self.write_worst_elements(f)?;
        let (who, agree, disagree) = match self.devices {
            1 => ("1 device".to_owned(), "agrees with the model", "DISAGREES with the model"),
            devices => (format!("{devices} devices"), "agree with one", "DISAGREE with one"),
        };
        match self.disagreements() {
            0 => writeln!(f, "{who} {agree} on every output")?,
            wrong => {
                let all = self.native.len();
                let why = match self.wide.iter().all(|wide| wide.ok) {
                    true => "precision is lost, since in f64 they agree",
                    false => "they compute a different function, since they also disagree in f64",
                };
                writeln!(f, "{who} {disagree} on {wrong} of {all} outputs: {why}")?;
            }
        }
        self.write_limits(f)
    }
}

impl Check {
    /// Writes the worst element of each output that disagrees.
    fn write_worst_elements(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut any = false;
        for (native, wide) in self.native.iter().zip(&self.wide) {
            // A wrong result shows in both comparisons. The difference in `f64` is more accurate.
            let (difference, how) = if wide.ok { (native, "") } else { (wide, " in f64") };
            let Some(Element { index, got, want, allowed }) = &difference.worst else { continue };
            let index: Vec<String> = index.iter().map(ToString::to_string).collect();
            let (name, devices, off) = (&difference.name, self.devices, (got - want).abs());
            writeln!(
                f,
                "  {name}[{}] is {got:.9e} on {devices} devices{how}, and {want:.9e} on one in f64: off by {off:.1e}, \
                 allowed are {allowed:.1e}",
                index.join(", "),
            )?;
            any = true;
        }
        if any { writeln!(f) } else { Ok(()) }
    }

    /// Writes the tolerances and their derivation.
    fn write_limits(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RoundingLimits { base, factor, .. } = self.limits;
        let native =
            format!("in the model's types {base:e} of that plus {factor} times one device's error from rounding");
        match self.tolerance_wide {
            Some(wide) => writeln!(f, "tolerance: in f64 {wide:e} of the largest element (or of 1), {native}"),
            None => writeln!(f, "tolerance, of the largest element (or of 1): {native}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use partita_ir::diag::Source;
    use partita_ir::text::parse;

    /// Compares one device with devices whose outputs are modified.
    fn check(native: impl Fn(&mut Vec<f64>), wide: impl Fn(&mut Vec<f64>)) -> Check {
        let text = "form traced\ninput %x : f32[2, 3]\n  %y = exp %x : f32[2, 3]\noutput %y\n";
        let program = parse(&Source::new("exp.pir", text)).unwrap_or_else(|e| panic!("{}", e[0]));
        let inputs = interp::random_inputs(&program, 1).unwrap();
        let changed = |program: &Program, inputs: &[Tensor], change: &dyn Fn(&mut Vec<f64>)| {
            let out = interp::run(program, inputs.to_vec()).map_err(interpreter_error)?.remove(0);
            let mut numbers = out.scalars().map(|x| x.to_f64()).collect();
            change(&mut numbers);
            Ok(vec![Tensor::from_floats(out.ty, numbers)])
        };
        let comparison = Comparison { program: &program, model: &program, devices: 2, subject: "all devices" };
        let widened = widen(&program);
        let native = |inputs: &[Tensor]| changed(&program, inputs, &native);
        let wide = |inputs: &[Tensor]| changed(&widened, inputs, &wide);
        comparison.run(&inputs, Steps::ONE, &native, &wide, &mut |_| ()).unwrap_or_else(|e| panic!("{e}"))
    }

    #[test]
    fn equal_outputs_agree() {
        assert!(check(|_| (), |_| ()).ok());
        let check = check(|y| y[4] *= 1.0 + 1e-6, |y| y[4] *= 1.0 + 1e-12);
        assert!(check.ok(), "{check}");
    }

    #[test]
    fn different_function_is_detected_in_f64() {
        let check = check(|_| (), |y| y[4] *= 1.0 + 1e-7);
        let text = check.to_string();
        assert!(!check.ok() && text.contains("y[1, 1] is ") && text.contains("compute a different function"), "{text}");
    }

    #[test]
    fn loss_of_precision_is_detected_in_model_types() {
        // The change of one element by rounding to `bf16`.
        let check = check(|y| y[2] *= 1.0 + 4e-3, |_| ());
        let text = check.to_string();
        assert!(!check.ok() && text.contains("y[0, 2] is ") && text.contains("precision is lost"), "{text}");
    }

    /// A program of all devices that does not change the state of the model disagrees; one without a metric agrees.
    #[test]
    fn state_that_is_not_changed_is_detected() {
        let model = "form traced\nparam %n \"n\" state : f32[2]\ninput %x : f32[2]\n  %y = exp %x : f32[2]\n  \
                     %next = add %n, %x : f32[2]\n";
        let read = |outputs: &str| {
            let program = parse(&Source::new("state.pir", format!("{model}{outputs}")));
            program.unwrap_or_else(|e| panic!("{}", e[0]))
        };
        let (state, metric) = ("output %next \"n\" -> \"n\"\n", "output %x \"metric\"\n");
        let whole = read(&format!("output %y \"loss\"\n{metric}{state}"));
        for (outputs, ok) in [(format!("output %y \"loss\"\n{state}"), true), ("output %y \"loss\"\n".into(), false)] {
            let program = read(&outputs);
            let inputs = interp::random_inputs(&whole, 1).unwrap();
            let (wide, comparison) =
                (widen(&program), Comparison { program: &program, model: &whole, devices: 2, subject: "all devices" });
            let native = |inputs: &[Tensor]| Ok(interp::run(&program, inputs.to_vec()).map_err(interpreter_error)?);
            let wide = |inputs: &[Tensor]| Ok(interp::run(&wide, inputs.to_vec()).map_err(interpreter_error)?);
            let check = comparison.run(&inputs, Steps::ONE, &native, &wide, &mut |_| ());
            let check = check.unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(check.ok(), ok, "{check}");
        }
    }
}
