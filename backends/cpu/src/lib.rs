//! CPU backend: devices in one process, each with a block of memory, on the cores of this machine.
//!
//! [`Cpu`] is a [`Target`](partita_lowering::lowerer::Target): fused loops are executed row by row (`fusion`),
//! contractions by the crate `gemm`, and other ops by specialised `kernels` or their reference implementations. The
//! runtime assigns memory.
#![allow(
    unsafe_code,
    reason = "kernels work on memory whose layout and size were decided when the program was compiled"
)]

#[macro_use]
mod fusion;
mod kernels;
mod narrow_floats;
mod products;
mod target;
mod tuning;

use partita_ir::diag::Diagnostic;
use partita_ir::expand::expand_all;
use partita_ir::op::OpKind;
use partita_ir::program::{Op, Program};
use partita_ir::verify::{Local, Verified};
use partita_lowering::lowerer::lower;
use partita_runtime::backend::Backend;
use partita_runtime::compile::{Compiled, DeviceConfig, compile};
use partita_runtime::executor::Direct;
use partita_runtime::kernel::Kernel;
use partita_runtime::replicas::Replicas;
use partita_runtime::shared::cores;
use std::sync::Arc;

/// CPU of this machine.
#[derive(Clone, Copy, Default, Debug)]
pub struct Cpu;

impl Backend for Cpu {
    fn compile(&self, program: Verified<'_, Local>) -> Result<Direct, Diagnostic> {
        Direct::new(compiled(self, program, DeviceConfig::in_process(cores()))?)
    }

    fn compile_task(&self, task: Verified<'_, Local>) -> Result<Compiled<Arc<dyn Kernel>>, Diagnostic> {
        compiled(self, task, DeviceConfig::in_process(cores()).without_replica_dedup())
    }
}

fn compiled(
    cpu: &Cpu,
    program: Verified<'_, Local>,
    devices: DeviceConfig,
) -> Result<Compiled<Arc<dyn Kernel>>, Diagnostic> {
    compile(program, devices, &prepare, &mut |lowering, func| lower(cpu, lowering, func))
}

fn prepare(program: &mut Program, replicas: &Replicas<'_>) {
    products::gather_operands(program, replicas);
    decompose_composites(program);
    narrow_floats::compute_in_f32(program);
}

/// Decomposes composite ops without a kernel, so that their parts can be fused.
fn decompose_composites(program: &mut Program) {
    let is_decomposed = |program: &Program, op| {
        let op: &Op = &program.ops[op];
        op.kind.is_composite() && !has_kernel(op)
    };
    expand_all(program, is_decomposed, |builder, op, types| op.kind.decompose(builder, &op.args, types));
}

/// Returns true if a composite op has a kernel.
///
/// Recogniser: other composites are computed by their decompositions.
fn has_kernel(op: &Op) -> bool {
    matches!(op.kind, OpKind::Attention(_))
}
