//! One device compared with all devices, output by output.

use crate::error::Result;
use crate::partition::failed;
use crate::report::{Align, Table, family, group};
use crate::steps::Steps;
use partita_ir::dtype::DType;
use partita_ir::interp::{self, widen, widen_tensors};
use partita_ir::plan::Plan;
use partita_ir::plan::train::Train;
use partita_ir::program::Program;
use partita_ir::tensor::Tensor;
use partita_runtime::check::{Difference, compare};
use std::fmt;

/// Largest difference that `f64` may show between one device and many, relative to the largest element (or 1).
pub const TOLERANCE_F64: f64 = 1e-9;

/// The same for the model's own element types: what its least precise one leaves (an `f32` output may well have been
/// computed in `bf16`).
pub fn tolerance(program: &Program) -> f64 {
    let of = |dtype| match dtype {
        DType::BF16 => 5e-2,
        DType::F16 => 1e-2,
        _ => 1e-4,
    };
    program.values.iter().map(|(_, value)| of(value.ty.dtype)).fold(1e-4, f64::max)
}

/// Runs all devices: whole inputs to whole outputs.
pub(crate) type Runs<'a> = Box<dyn Fn(&[Tensor]) -> Result<Vec<Tensor>> + 'a>;

/// What is compared.
pub(crate) struct Comparison<'a> {
    /// What all devices together take and give.
    pub(crate) program: &'a Program,
    /// The same as one device computes it.
    pub(crate) model: &'a Program,
    pub(crate) plan: &'a Plan,
    pub(crate) devices: usize,
    /// What messages call all devices.
    pub(crate) all: &'static str,
}

impl Comparison<'_> {
    /// Runs one device and all devices for some steps, in the model's element types and in `f64`; says what it does next.
    pub(crate) fn make<'w>(
        &self,
        inputs: &[Tensor],
        steps: Steps,
        native: Runs<'_>,
        wide: &dyn Fn() -> Result<Runs<'w>>,
        next: &mut dyn FnMut(&str),
    ) -> Result<Check> {
        let on_all = |run: Runs<'_>, inputs: &[Tensor]| steps.run(self.program, inputs.to_vec(), run, |_| ());
        let on_one = |model: &Program, inputs: &[Tensor]| {
            let run = |inputs: &[Tensor]| Ok(interp::run(model, inputs.to_vec()).map_err(failed)?);
            steps.run(self.program, inputs.to_vec(), run, |_| ())
        };
        let names = || self.program.main().outputs.iter().map(|o| o.name.as_str());
        next(&format!("running {}", self.all));
        let outputs = on_all(native, inputs)?;
        next("running one device");
        let tolerance = tolerance(self.model);
        let mut native = compare(names(), &outputs, &on_one(self.model, inputs)?, tolerance);
        allow_steps(&mut native, self.plan, self.program, steps.count);
        next(&format!("running {} in f64", self.all));
        let inputs = widen_tensors(inputs);
        let of_all = on_all(wide()?, &inputs)?;
        next("running one device in f64");
        let wide = compare(names(), &of_all, &on_one(&widen(self.model), &inputs)?, TOLERANCE_F64);
        Ok(Check { devices: self.devices, native, wide, tolerance, tolerance_wide: TOLERANCE_F64, outputs })
    }
}

/// Lets parameters differ by what an optimizer moves them: Adam divides gradients by their own size, so that a gradient that is
/// zero but for rounding moves a parameter as far as any other.
pub(crate) fn allow_steps(native: &mut [Difference], plan: &Plan, program: &Program, steps: u64) {
    let Some(train) = plan.train.as_ref().and_then(|written| Train::read(written).ok()) else { return };
    let moved = 2.0 * train.rate * steps as f64;
    let outputs = &program.main().outputs;
    for (difference, _) in native.iter_mut().zip(outputs).filter(|(_, o)| o.alias.is_some()) {
        difference.ok |= difference.max_rel_diff <= moved;
    }
}

/// What the comparison of all devices with one found. Prints as a table and a verdict.
pub struct Check {
    /// How many devices ran.
    pub devices: usize,
    /// Differences in the model's element types, output by output.
    pub native: Vec<Difference>,
    /// Differences in `f64`.
    pub wide: Vec<Difference>,
    /// How large the former may be, relative to the largest element (or 1).
    pub tolerance: f64,
    /// The same for the latter.
    pub tolerance_wide: f64,
    /// What all devices gave, in the model's element types.
    pub outputs: Vec<Tensor>,
}

impl Check {
    /// Whether every output agrees, both ways.
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
            ("in f64", Right),
            ("relative", Right),
            ("", Left),
        ]);
        let rows: Vec<(&Difference, &Difference, &Tensor)> =
            self.native.iter().zip(&self.wide).zip(&self.outputs).map(|((n, w), t)| (n, w, t)).collect();
        // What agrees is shown by families, each with its worst member; what does not, one by one.
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
                worst(&|m| m.1.max_abs_diff),
                worst(&|m| m.1.max_rel_diff),
                if ok { "ok".to_string() } else { "DISAGREES".to_string() },
            ];
            table.row(cells);
        }
        writeln!(f, "{table}")?;
        let (devices, tolerance, wide) = (self.devices, self.tolerance, self.tolerance_wide);
        match self.disagreements() {
            0 => {
                writeln!(f, "{devices} devices agree with one on every output (within {tolerance:e}; in f64 {wide:e})")
            }
            wrong => writeln!(f, "{devices} devices DISAGREE with one on {wrong} of {} outputs", self.native.len()),
        }
    }
}
