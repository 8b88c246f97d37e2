//! The CPU backend: devices of one process, each with a block of memory, on the cores of this machine.
//!
//! [`Cpu`] lowers each function of a program to steps ([`lower`]): what only moves elements becomes a [`view`] and costs nothing, chains
//! of elementwise ops and reductions become fused loops ([`fusion`]), contractions go to the crate `gemm`, and what is left has
//! kernels of its own ([`kernels`]) or goes through its reference evaluation. The runtime decides where everything lies.
#![allow(
    unsafe_code,
    reason = "kernels work on memory whose layout and size were decided when the program was compiled"
)]

mod fusion;
mod kernels;
mod lower;
mod products;
mod view;

use partita_ir::diag::Diagnostic;
use partita_ir::dtype::DType;
use partita_ir::expand::expand_all;
use partita_ir::op::OpKind;
use partita_ir::program::Program;
use partita_ir::verify::{Local, Verified};
use partita_runtime::backend::Backend;
use partita_runtime::compile::compile;
use partita_runtime::executor::Executable;
use partita_runtime::replicas::Replicas;
use partita_runtime::shared::cores;

/// The CPU of this machine.
#[derive(Clone, Copy, Default, Debug)]
pub struct Cpu;

impl Backend for Cpu {
    fn compile(&self, program: Verified<'_, Local>) -> Result<Executable, Diagnostic> {
        compile(program, cores(), &prepare, &mut |lowering, func| lower::lower(lowering, func))
    }
}

fn prepare(program: &mut Program, replicas: &Replicas<'_>) {
    products::gather_operands(program, replicas);
    take_apart(program);
}

/// Composites without a kernel of their own become the ops that they are made of, which are fused again.
fn take_apart(program: &mut Program) {
    let has_parts = |program: &Program, op| {
        let op = &program.ops[op];
        let wide = op.args.iter().all(|&arg| !matches!(program.ty(arg).dtype, DType::BF16 | DType::F16));
        op.kind.is_composite() && !(matches!(op.kind, OpKind::Attention(_)) && wide)
    };
    expand_all(program, has_parts, |builder, op, types| op.kind.decompose(builder, &op.args, types));
}
