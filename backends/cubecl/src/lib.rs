//! The GPU backend: kernels in CubeCL, on every device with WebGPU.
//!
//! [`target`] lowers a program in form local to kernels as data ([`spec`]): a fused loop becomes one kernel, or a few ([`fused`]). What
//! a kernel computes is given to a `cube` function when it is compiled ([`kernels`]); CubeCL prints it in the language of the target
//! ([`text`]), and [`executor`] runs it.
#![allow(
    clippy::needless_range_loop,
    clippy::collapsible_if,
    reason = "loops over programs are unrolled, and are not Rust's"
)]

mod executor;
mod fused;
mod kernels;
mod spec;
mod target;
mod text;
mod webgpu;
mod words;

pub use executor::Executable;
pub use target::Gpu;

use partita_ir::arena::ValueId;
use partita_ir::diag::Diagnostic;
use partita_ir::expand::expand_all;
use partita_ir::program::Program;
use partita_ir::verify::{Local, Verified};
use partita_lowering::lowerer::lower;
use partita_runtime::compile::{Devices, compile};
use partita_runtime::replicas::Replicas;

impl Gpu {
    /// Compiles one device's program, which is proven to be in form local.
    ///
    /// # Errors
    /// `R004` for ops that have no kernel here, element types that WebGPU does not have, and without a GPU.
    pub fn compile(self, program: Verified<'_, Local>) -> Result<Executable, Diagnostic> {
        let main = program.main();
        let named: Vec<ValueId> = main.inputs.iter().copied().chain(main.outputs.iter().map(|o| o.value)).collect();
        for value in named {
            words::check(program.ty(value).dtype, program.path_of(value))?;
        }
        let devices = Devices { threads: 1, width: target::width, align: webgpu::ALIGN };
        Executable::new(compile(program, devices, &take_apart, &mut |lowering, func| lower(&self, lowering, func))?)
    }
}

/// Composites become the ops that they are made of, which are fused again.
fn take_apart(program: &mut Program, _: &Replicas<'_>) {
    let is_composite = |program: &Program, op| program.ops[op].kind.is_composite();
    expand_all(program, is_composite, |builder, op, types| op.kind.decompose(builder, &op.args, types));
}
