//! One device compared with all devices, output by output.

use crate::report::{Align, Table, family, group};
use partita_ir::dtype::DType;
use partita_ir::program::Program;
use partita_ir::tensor::Tensor;
use partita_runtime::check::Difference;
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
