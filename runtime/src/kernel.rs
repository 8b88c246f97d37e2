//! Kernels: each [`Kernel`] computes one step on one device, in memory assigned at compile time. [`ReferenceKernel`] is
//! the kernel of any op that is neither a collective nor a loop.
#![allow(unsafe_code, reason = "kernels work on memory that the compiled program lays out")]

use partita_ir::arena::OpId;
use partita_ir::dtype::Type;
use partita_ir::interp::eval_op;
use partita_ir::program::MeshPosition;
use partita_ir::program::Program;
use partita_ir::tensor::Tensor;
use partita_machine::host::{Cost, MemoryAccess, Work};
use std::sync::Arc;

/// Execution context of a kernel.
pub struct KernelCx<'a> {
    /// Position of the device in the mesh.
    pub place: &'a MeshPosition<'a>,
    /// Number of threads of the current pool that the kernel may use.
    pub threads: usize,
}

/// Addresses of a kernel's operands and results, in the order given by the compiler.
#[derive(Clone, Copy)]
pub struct Memory<'a> {
    /// Addresses of the operands.
    pub reads: &'a [*const u8],
    /// Addresses of the results. A result may share memory with an operand if the step declares the pair as `in_place`.
    pub writes: &'a [*mut u8],
    /// Address of scratch memory of the size that the step requested, with undefined content.
    pub scratch: *mut u8,
}

// SAFETY: a kernel shares its memory with several threads, each of which writes a disjoint part.
unsafe impl Send for Memory<'_> {}
// SAFETY: as above.
unsafe impl Sync for Memory<'_> {}

/// Computation of one step.
pub trait Kernel: Send + Sync {
    /// Computes the results from the operands.
    ///
    /// # Errors
    /// The predicate of a sentence with the op as its subject, such as `returned f32[4], expected f32[8]`.
    ///
    /// # Safety
    /// The pointers are valid for the operands and results that the kernel was built for. During the call, no other
    /// code accesses the results or scratch memory, or writes the operands.
    unsafe fn run(&self, cx: &KernelCx<'_>, memory: Memory<'_>) -> Result<(), String>;

    /// Returns the work of one call on the given number of threads, from which the duration of the call is predicted.
    fn work(&self, threads: usize) -> Work;

    /// Returns true if the kernel only copies its operand to its result, so that the step is omitted if both are the
    /// same memory.
    fn is_copy(&self) -> bool {
        false
    }
}

/// Kernel type of a backend, with the operations that [`compile`](crate::compile::compile) needs to insert copies and
/// to omit redundant ones.
pub trait BackendKernel {
    /// Returns a kernel that copies `bytes` contiguous bytes.
    fn copy(bytes: usize) -> Self;

    /// Returns true if the kernel only copies its operand to its result, so that the step is omitted if both are the
    /// same memory.
    fn is_copy(&self) -> bool;
}

impl BackendKernel for Arc<dyn Kernel> {
    fn copy(bytes: usize) -> Self {
        Arc::new(CopyKernel { bytes })
    }

    fn is_copy(&self) -> bool {
        (**self).is_copy()
    }
}

/// Reference implementation of an op on contiguous operands and results.
pub struct ReferenceKernel {
    program: Arc<Program>,
    op: OpId,
    args: Vec<Type>,
    outs: Vec<Type>,
}

impl ReferenceKernel {
    /// Creates the kernel of an op of a device's program.
    pub fn new(program: Arc<Program>, op: OpId) -> ReferenceKernel {
        let types = |values: &[_]| values.iter().map(|&v| program.ty(v).clone()).collect();
        let (args, outs) = (types(&program.ops[op].args), types(&program.ops[op].outs));
        ReferenceKernel { program, op, args, outs }
    }
}

impl Kernel for ReferenceKernel {
    unsafe fn run(&self, cx: &KernelCx<'_>, memory: Memory<'_>) -> Result<(), String> {
        let read = |(ty, &start): (&Type, &*const u8)| {
            // SAFETY: the step was compiled to read a contiguous tensor of this type at this address.
            Tensor::from_bytes(ty.clone(), unsafe { std::slice::from_raw_parts(start, ty.bytes() as usize) })
        };
        let args: Vec<_> = self.args.iter().zip(memory.reads).map(read).collect();
        let args: Vec<_> = args.iter().collect();
        let op = &self.program.ops[self.op];
        let outs = eval_op(&self.program, op, Some(cx.place.clone()), &args).map_err(|why| {
            match self.program.source_line(&op.origin) {
                None => why,
                Some((file, line)) => format!("{why} (line {line} of `{file}`)"),
            }
        })?;
        if !outs.iter().map(|t| &t.ty).eq(&self.outs) {
            let types =
                |types: &mut dyn Iterator<Item = &Type>| types.map(Type::to_string).collect::<Vec<_>>().join(", ");
            return Err(format!(
                "returned {}, expected {}",
                types(&mut outs.iter().map(|t| &t.ty)),
                types(&mut self.outs.iter())
            ));
        }
        for (tensor, &start) in outs.iter().zip(memory.writes) {
            // SAFETY: the step was compiled to write a contiguous tensor of this type at this address.
            tensor.write_bytes(unsafe { std::slice::from_raw_parts_mut(start, tensor.ty.bytes() as usize) });
        }
        Ok(())
    }

    fn work(&self, _: usize) -> Work {
        let elements = self.args.iter().chain(&self.outs).map(|ty| ty.shape.count()).sum();
        let calls =
            self.program.ops[self.op].kind.func().map_or(0, |_| self.args.first().map_or(0, |ty| ty.shape.count()));
        let work = Work::default().with(Cost::InterpretedOp, 1).with(Cost::InterpretedElement, elements);
        work.with(Cost::FuncCall, calls)
    }
}

/// Kernel that copies contiguous memory.
pub struct CopyKernel {
    /// Number of bytes.
    pub bytes: usize,
}

impl Kernel for CopyKernel {
    unsafe fn run(&self, _: &KernelCx<'_>, memory: Memory<'_>) -> Result<(), String> {
        // SAFETY: both buffers have `bytes` bytes; they may overlap.
        unsafe { std::ptr::copy(memory.reads[0], memory.writes[0], self.bytes) };
        Ok(())
    }

    fn work(&self, _: usize) -> Work {
        Work::default()
            .with(Cost::Line, 1)
            .with_access(MemoryAccess::Read(0), self.bytes)
            .with_access(MemoryAccess::Write(0), self.bytes)
    }

    fn is_copy(&self) -> bool {
        true
    }
}
