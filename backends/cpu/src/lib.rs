//! The CPU backend: devices are threads of this process, and values are tensors in its memory.
//!
//! [`Cpu`] chooses a kernel for every op of the program; the runtime compiles the rest (slots, groups, loops) and runs it.
//! Arithmetic writes over an operand that dies; every other op goes through its reference evaluation, until a faster kernel
//! takes its place in [`Cpu::kernel`].

mod arithmetic;

use arithmetic::Arithmetic;
use partita_ir::diag::Diagnostic;
use partita_ir::op::OpKind;
use partita_ir::program::Op;
use partita_ir::verify::{Local, Verified};
use partita_runtime::backend::Backend;
use partita_runtime::executor::Executable;
use partita_runtime::kernel::{Kernel, Reference};
use std::sync::Arc;

/// The CPU of this machine.
#[derive(Clone, Copy, Default, Debug)]
pub struct Cpu;

impl Cpu {
    /// The kernel for an op.
    fn kernel(op: &Op) -> Arc<dyn Kernel> {
        match &op.kind {
            OpKind::Binary(binary) if Arithmetic::covers(binary.op) => Arc::new(Arithmetic(binary.op)),
            _ => Arc::new(Reference),
        }
    }
}

impl Backend for Cpu {
    fn compile(&self, program: Verified<'_, Local>) -> Result<Executable, Diagnostic> {
        Executable::from_kernels(program, &Cpu::kernel)
    }
}
