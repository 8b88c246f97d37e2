//! One device compared with all devices, output by output.

use crate::report::{Align, Table};
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
        for ((native, wide), tensor) in self.native.iter().zip(&self.wide).zip(&self.outputs) {
            let [native_abs, native_rel, wide_abs, wide_rel] =
                [native.max_abs_diff, native.max_rel_diff, wide.max_abs_diff, wide.max_rel_diff]
                    .map(|x| if x == 0.0 { "0".to_string() } else { format!("{x:.1e}") });
            let verdict = if native.ok && wide.ok { "ok" } else { "DISAGREES" };
            let cells = [native.name.clone(), tensor.ty.to_string(), native_abs, native_rel, wide_abs, wide_rel];
            table.row(cells.into_iter().chain([verdict.to_string()]));
        }
        writeln!(f, "{table}")?;
        let (devices, tolerance) = (self.devices, self.tolerance);
        match self.disagreements() {
            0 => writeln!(
                f,
                "{devices} devices agree with one on every output (within {tolerance:e}; in f64 {TOLERANCE_F64:e})"
            ),
            wrong => writeln!(f, "{devices} devices DISAGREE with one on {wrong} of {} outputs", self.native.len()),
        }
    }
}
