//! Operands and results of an op, as programs load and store them.

use crate::assembler::{Assembler, Value};
use crate::fused::address_map;
use crate::gpu::Lowerer;
use crate::kernels::fold::{FoldSpec, units};
use crate::kernels::half::Half;
use crate::kernels::steps::{Program, RegClass};
use crate::launch::{Arg, Dispatch, Launch};
use crate::spec::{Buffers, KernelSpec};
use partita_ir::arena::{OpId, ValueId};
use partita_ir::dtype::DType;
use partita_lowering::view::View;
use partita_runtime::routine::Span;

/// An operand of a program.
pub(crate) struct Operand {
    /// Number of the buffer among those that the kernel reads.
    pub(crate) memory: usize,
    pub(crate) view: View,
    pub(crate) dtype: DType,
    pub(crate) class: RegClass,
    /// The type in memory, if it is a 16-bit float.
    half: Option<Half>,
}

impl Operand {
    /// Loads the element with the given indices.
    pub(crate) fn load(&self, a: &mut Assembler, indices: &[Value]) -> Value {
        let address = a.dot(indices, &self.view.strides, self.view.offset);
        self.load_at(a, address)
    }

    /// Loads the current element, in a program with one unit per element of the operand.
    pub(crate) fn load_here(&self, a: &mut Assembler) -> Value {
        a.load_here(self.memory, address_map(&self.view), self.class, self.half)
    }

    /// Loads the element at an address.
    pub(crate) fn load_at(&self, a: &mut Assembler, address: Value) -> Value {
        match self.half {
            Some(half) => a.load_half(self.memory, address, half),
            None => a.load(self.memory, address, self.class),
        }
    }

    /// Loads the element of a scalar.
    pub(crate) fn load_scalar(&self, a: &mut Assembler) -> Value {
        self.load(a, &[])
    }

    /// Loads the element with the given indices as an index. `u32` values beyond the range of `i32` become `i32::MAX`.
    pub(crate) fn load_index(&self, a: &mut Assembler, indices: &[Value]) -> Value {
        let index = self.load(a, indices);
        as_index(a, index)
    }
}

/// Converts a number to an index.
pub(crate) fn as_index(a: &mut Assembler, number: Value) -> Value {
    if number.class != RegClass::U32 {
        return a.convert(RegClass::I32, number);
    }
    let largest = a.bits(RegClass::U32, i32::MAX as u32);
    let number = a.binary(partita_ir::ops::BinaryOp::Min, number, largest);
    a.convert(RegClass::I32, number)
}

/// A result of a program.
#[derive(Clone, Copy)]
pub(crate) struct Output {
    /// Number of the buffer among the results of its kind.
    memory: usize,
    /// The dtype, if it is a 16-bit float.
    half: Option<Half>,
    /// True if memory stores elements as words.
    is_words: bool,
}

impl Output {
    /// Stores the current element, in a program with one unit per element of the result.
    pub(crate) fn store_here(self, a: &mut Assembler, number: Value) {
        match self.half {
            Some(half) if !self.is_words => a.store_half_here(self.memory, half, number),
            Some(half) => {
                let number = a.rounded(half, number);
                a.store_here(self.memory, number);
            }
            None => a.store_here(self.memory, number),
        }
    }

    /// Stores an element at an address, rounded if the dtype is a 16-bit float.
    pub(crate) fn store(self, a: &mut Assembler, address: Value, number: Value) {
        self.store_if(a, None, address, number);
    }

    /// Stores an element at an address as [`Output::store`] does, if the condition `when` is true.
    pub(crate) fn store_if(self, a: &mut Assembler, when: Option<Value>, address: Value, number: Value) {
        match self.half {
            Some(half) if !self.is_words => a.store_half(when, self.memory, address, half, number),
            Some(half) => {
                let number = a.rounded(half, number);
                a.store_if(when, self.memory, address, number);
            }
            None => a.store_if(when, self.memory, address, number),
        }
    }
}

/// An op that is being lowered to kernels.
pub(crate) struct LoweredOp {
    id: OpId,
    reads: Vec<Span>,
    outs: Vec<ValueId>,
    /// The results of the op.
    outputs: Vec<Output>,
}

impl LoweredOp {
    /// Returns the op with its operands, or `None` if an operand or result has an unsupported dtype or too many
    /// elements.
    pub(crate) fn new(to: &mut Lowerer<'_>, id: OpId) -> Option<(LoweredOp, Vec<Operand>)> {
        let program = to.program;
        let op = &program.ops[id];
        let fits = |value: &ValueId| {
            let ty = program.ty(*value);
            RegClass::from_dtype(ty.dtype).is_some() && i32::try_from(ty.shape.count()).is_ok()
        };
        if !op.args.iter().chain(&op.outs).all(fits) {
            return None;
        }
        let mut reads = Vec::new();
        let mut operands = Vec::new();
        for (memory, &arg) in op.args.iter().enumerate() {
            let dtype = program.ty(arg).dtype;
            let (span, view) = to.span_and_view(arg);
            reads.push(span);
            operands.push(Operand {
                memory,
                view,
                dtype,
                class: RegClass::from_dtype(dtype)?,
                half: to.target().half(dtype),
            });
        }
        let (mut words, mut halves) = (0.., 0..);
        let outputs = op.outs.iter().map(|&out| {
            let dtype = program.ty(out).dtype;
            let is_words = to.target().half(dtype).is_none();
            let memory = if is_words { words.next() } else { halves.next() }.unwrap_or(0);
            Output { memory, half: Half::from_dtype(dtype), is_words }
        });
        let outputs = outputs.collect();
        Some((LoweredOp { id, reads, outs: op.outs.to_vec(), outputs }, operands))
    }

    /// Returns a result.
    pub(crate) fn output(&self, number: usize) -> Output {
        self.outputs[number]
    }

    /// Returns all results in the order of a kernel's buffers: results of 16-bit floats are last.
    pub(crate) fn results(&self) -> Vec<Arg> {
        let of = |is_words: bool| (0..self.outs.len()).filter(move |&i| self.outputs[i].is_words == is_words);
        of(true).chain(of(false)).map(Arg::Write).collect()
    }

    /// Returns the numbers of operands and results.
    pub(crate) fn buffers(&self) -> Buffers {
        Buffers { reads: self.reads.len(), writes: self.outs.len() }
    }

    /// Returns all operands, followed by all results.
    fn args(&self) -> Vec<Arg> {
        (0..self.reads.len()).map(Arg::Read).chain(self.results()).collect()
    }

    /// Adds a kernel that reads all operands and writes all results.
    pub(crate) fn kernel(self, to: &mut Lowerer<'_>, spec: KernelSpec) {
        let args = self.args();
        self.kernels(to, vec![Dispatch { spec, args }], 0);
    }

    /// Adds kernels with `scratch` bytes of scratch memory.
    pub(crate) fn kernels(self, to: &mut Lowerer<'_>, dispatches: Vec<Dispatch>, scratch: usize) {
        let writes = self.outs.iter().map(|&out| to.new_slot(out)).collect();
        to.compute_with(self.id, Launch::new(dispatches), scratch, Vec::new(), self.reads, writes);
    }

    /// Adds a kernel that runs a program for each of `count` elements.
    pub(crate) fn pointwise(self, to: &mut Lowerer<'_>, count: usize, a: Assembler) {
        let Buffers { reads, writes } = self.buffers();
        self.kernel(to, KernelSpec::Pointwise { reads, writes, count, steps: a.steps() });
    }

    /// Adds a fold kernel.
    pub(crate) fn fold(
        self,
        to: &mut Lowerer<'_>,
        (lines, items): (usize, usize),
        classes: Vec<RegClass>,
        (item, combine, last): (Program, Program, Assembler),
    ) {
        let units = units(lines, items);
        let fold = FoldSpec { lines, items, units, classes, item, combine, last: last.steps() };
        let buffers = self.buffers();
        self.kernel(to, KernelSpec::Fold(buffers, fold));
    }
}
