//! How one op is computed on one device.
//!
//! A backend on the host chooses a [`Kernel`] for every op of the program. [`Reference`] serves all of them.

use partita_ir::interp::{Place, eval_op};
use partita_ir::op::Evaluated;
use partita_ir::program::{Op, Program};
use partita_ir::tensor::Tensor;
use std::sync::Arc;

/// What a kernel may see.
pub struct KernelCx<'a> {
    /// The program.
    pub program: &'a Program,
    /// The op.
    pub op: &'a Op,
    /// Where the device is.
    pub place: &'a Place<'a>,
}

/// Computes an op that is neither a collective nor a loop.
pub trait Kernel: Send + Sync {
    /// The op's results. An operand that nobody reads afterwards comes without other owners, so that a kernel may write
    /// the result in its place.
    fn run(&self, cx: &KernelCx<'_>, args: Vec<Arc<Tensor>>) -> Evaluated;
}

/// The reference evaluation of the op.
pub struct Reference;

impl Kernel for Reference {
    fn run(&self, cx: &KernelCx<'_>, args: Vec<Arc<Tensor>>) -> Evaluated {
        let args: Vec<&Tensor> = args.iter().map(|a| &**a).collect();
        eval_op(cx.program, cx.op, Some(cx.place.clone()), &args)
    }
}
