//! How one step is computed on one device: a [`Kernel`] reads and writes memory whose layout was decided when the
//! program was compiled. [`Reference`] serves every op that is neither a collective nor a loop.
#![allow(unsafe_code, reason = "kernels work on memory that the compiled program lays out")]

use partita_ir::arena::OpId;
use partita_ir::dtype::Type;
use partita_ir::interp::eval_op;
use partita_ir::program::Place;
use partita_ir::program::Program;
use partita_ir::tensor::Tensor;
use partita_machine::host::{Cost, Touch, Work};
use std::sync::Arc;

/// What a kernel may know about the device that it runs on.
pub struct KernelCx<'a> {
    /// Where the device is.
    pub place: &'a Place<'a>,
    /// On how many threads of the current pool the kernel may compute.
    pub threads: usize,
}

/// Where a kernel reads and writes, in the order in which the compiler named it.
#[derive(Clone, Copy)]
pub struct Memory<'a> {
    /// Operands.
    pub reads: &'a [*const u8],
    /// Results. One may be the same memory as an operand where the kernel's step says so.
    pub writes: &'a [*mut u8],
    /// As many bytes as the step asked for, of undefined content.
    pub scratch: *mut u8,
}

// SAFETY: a kernel hands its memory to several threads, each of which writes what no other one touches.
unsafe impl Send for Memory<'_> {}
// SAFETY: as above.
unsafe impl Sync for Memory<'_> {}

/// Computes one step.
pub trait Kernel: Send + Sync {
    /// Computes the results.
    ///
    /// # Errors
    /// What is wrong, in words that complete "`%y = add` ...".
    ///
    /// # Safety
    /// The pointers are valid for what the kernel was built to read and write, and nobody else writes there meanwhile.
    unsafe fn run(&self, cx: &KernelCx<'_>, memory: Memory<'_>) -> Result<(), String>;

    /// What it has to do when it may compute on so many threads, as far as its time depends on it.
    fn work(&self, threads: usize) -> Work;

    /// Whether it does nothing where its operand and its result are the same memory.
    fn is_copy(&self) -> bool {
        false
    }
}

/// What the runtime itself asks of what a backend computes with.
pub trait Computes {
    /// Copies so many dense bytes.
    fn copy(bytes: usize) -> Self;

    /// Whether it does nothing where its operand and its result are the same memory.
    fn is_copy(&self) -> bool;
}

impl Computes for Arc<dyn Kernel> {
    fn copy(bytes: usize) -> Self {
        Arc::new(Copy { bytes })
    }

    fn is_copy(&self) -> bool {
        (**self).is_copy()
    }
}

/// The reference evaluation of an op, on dense operands and results.
pub struct Reference {
    program: Arc<Program>,
    op: OpId,
    args: Vec<Type>,
    outs: Vec<Type>,
}

impl Reference {
    /// The reference of an op of one device's program.
    pub fn new(program: Arc<Program>, op: OpId) -> Reference {
        let types = |values: &[_]| values.iter().map(|&v| program.ty(v).clone()).collect();
        let (args, outs) = (types(&program.ops[op].args), types(&program.ops[op].outs));
        Reference { program, op, args, outs }
    }
}

impl Kernel for Reference {
    unsafe fn run(&self, cx: &KernelCx<'_>, memory: Memory<'_>) -> Result<(), String> {
        let read = |(ty, &start): (&Type, &*const u8)| {
            // SAFETY: the step was compiled to read a dense tensor of this type here.
            Tensor::from_bytes(ty.clone(), unsafe { std::slice::from_raw_parts(start, ty.bytes() as usize) })
        };
        let args: Vec<_> = self.args.iter().zip(memory.reads).map(read).collect();
        let args: Vec<_> = args.iter().collect();
        let outs = eval_op(&self.program, &self.program.ops[self.op], Some(cx.place.clone()), &args)?;
        if !outs.iter().map(|t| &t.ty).eq(&self.outs) {
            let types =
                |types: &mut dyn Iterator<Item = &Type>| types.map(Type::to_string).collect::<Vec<_>>().join(", ");
            return Err(format!(
                "gave {}, not {}",
                types(&mut outs.iter().map(|t| &t.ty)),
                types(&mut self.outs.iter())
            ));
        }
        for (tensor, &start) in outs.iter().zip(memory.writes) {
            // SAFETY: the step was compiled to write a dense tensor of this type here.
            tensor.write_bytes(unsafe { std::slice::from_raw_parts_mut(start, tensor.ty.bytes() as usize) });
        }
        Ok(())
    }

    fn work(&self, _: usize) -> Work {
        let elements = self.args.iter().chain(&self.outs).map(|ty| ty.shape.count()).sum();
        let calls =
            self.program.ops[self.op].kind.func().map_or(0, |_| self.args.first().map_or(0, |ty| ty.shape.count()));
        let work = Work::default().with(Cost::Interpretation, 1).with(Cost::Interpreted, elements);
        work.with(Cost::Called, calls)
    }
}

/// Copies dense memory.
pub struct Copy {
    /// How many bytes.
    pub bytes: usize,
}

impl Kernel for Copy {
    unsafe fn run(&self, _: &KernelCx<'_>, memory: Memory<'_>) -> Result<(), String> {
        // SAFETY: both have so many bytes; they may be the same ones.
        unsafe { std::ptr::copy(memory.reads[0], memory.writes[0], self.bytes) };
        Ok(())
    }

    fn work(&self, _: usize) -> Work {
        Work::default().with(Cost::Line, 1).over(Touch::Read(0), self.bytes).over(Touch::Written(0), self.bytes)
    }

    fn is_copy(&self) -> bool {
        true
    }
}
