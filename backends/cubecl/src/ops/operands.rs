//! Operands and results of an op, as programs read and write them.

use crate::assembler::{Assembler, Value};
use crate::fused::at;
use crate::gpu::Lowerer;
use crate::kernels::fold::{Folding, units};
use crate::kernels::half::Half;
use crate::kernels::steps::{Lane, Program};
use crate::launch::{Arg, Dispatch, Launch};
use crate::spec::{Buffers, Spec};
use partita_ir::arena::{OpId, ValueId};
use partita_ir::dtype::DType;
use partita_lowering::view::View;
use partita_runtime::routine::Span;

/// What a program reads.
pub(crate) struct Operand {
    /// Which of the buffers that the kernel reads.
    pub(crate) memory: usize,
    pub(crate) view: View,
    pub(crate) dtype: DType,
    pub(crate) lane: Lane,
    /// If memory holds narrow floats.
    half: Option<Half>,
}

impl Operand {
    /// The element with those indices.
    pub(crate) fn load(&self, a: &mut Assembler, indices: &[Value]) -> Value {
        let place = a.dot(indices, &self.view.strides, self.view.offset);
        self.load_at(a, place)
    }

    /// The element that is computed, in a program on as many elements.
    pub(crate) fn load_here(&self, a: &mut Assembler) -> Value {
        a.load_here(self.memory, at(&self.view), self.lane, self.half)
    }

    /// The element at a place of its memory.
    pub(crate) fn load_at(&self, a: &mut Assembler, place: Value) -> Value {
        match self.half {
            Some(half) => a.load_half(self.memory, place, half),
            None => a.load(self.memory, place, self.lane),
        }
    }

    /// The element of a scalar, or of something where all are equal.
    pub(crate) fn only(&self, a: &mut Assembler) -> Value {
        self.load(a, &[])
    }

    /// The element with those indices as an index. One of `u32` that is no `i32` is larger than all that are.
    pub(crate) fn load_index(&self, a: &mut Assembler, indices: &[Value]) -> Value {
        let index = self.load(a, indices);
        as_index(a, index)
    }
}

/// A number as an index.
pub(crate) fn as_index(a: &mut Assembler, number: Value) -> Value {
    if number.lane != Lane::U32 {
        return a.convert(Lane::I32, number);
    }
    let largest = a.bits(Lane::U32, i32::MAX as u32);
    let number = a.binary(partita_ir::ops::BinaryOp::Min, number, largest);
    a.convert(Lane::I32, number)
}

/// What a program writes.
#[derive(Clone, Copy)]
pub(crate) struct Output {
    /// Which of the buffers of its kind that the kernel writes.
    memory: usize,
    /// Of narrow floats, which ones.
    half: Option<Half>,
    /// Whether memory holds words.
    is_words: bool,
}

impl Output {
    /// Writes the element that is computed, in a program on as many elements.
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

    /// Writes an element to a place of its memory, rounded if it is a narrow float.
    pub(crate) fn store(self, a: &mut Assembler, place: Value, number: Value) {
        self.store_if(a, None, place, number);
    }

    /// The same, where a condition holds.
    pub(crate) fn store_if(self, a: &mut Assembler, when: Option<Value>, place: Value, number: Value) {
        match self.half {
            Some(half) if !self.is_words => a.store_half(when, self.memory, place, half, number),
            Some(half) => {
                let number = a.rounded(half, number);
                a.store_if(when, self.memory, place, number);
            }
            None => a.store_if(when, self.memory, place, number),
        }
    }
}

/// An op on its way to kernels.
pub(crate) struct Lowered {
    id: OpId,
    reads: Vec<Span>,
    outs: Vec<ValueId>,
    /// By result.
    outputs: Vec<Output>,
}

impl Lowered {
    /// The op with its operands; nothing when elements cannot be held or counted.
    pub(crate) fn of(to: &mut Lowerer<'_>, id: OpId) -> Option<(Lowered, Vec<Operand>)> {
        let program = to.program;
        let op = &program.ops[id];
        let fits = |value: &ValueId| {
            let ty = program.ty(*value);
            Lane::fused(ty.dtype).is_some() && i32::try_from(ty.shape.count()).is_ok()
        };
        if !op.args.iter().chain(&op.outs).all(fits) {
            return None;
        }
        let mut reads = Vec::new();
        let mut operands = Vec::new();
        for (memory, &arg) in op.args.iter().enumerate() {
            let dtype = program.ty(arg).dtype;
            let (span, view) = to.strided(arg);
            reads.push(span);
            operands.push(Operand { memory, view, dtype, lane: Lane::fused(dtype)?, half: to.target().half(dtype) });
        }
        let (mut words, mut halves) = (0.., 0..);
        let outputs = op.outs.iter().map(|&out| {
            let dtype = program.ty(out).dtype;
            let is_words = to.target().half(dtype).is_none();
            let memory = if is_words { words.next() } else { halves.next() }.unwrap_or(0);
            Output { memory, half: Half::of(dtype), is_words }
        });
        let outputs = outputs.collect();
        Some((Lowered { id, reads, outs: op.outs.to_vec(), outputs }, operands))
    }

    /// The result of that number.
    pub(crate) fn output(&self, number: usize) -> Output {
        self.outputs[number]
    }

    /// All results as a kernel has them: those of narrow floats come last.
    pub(crate) fn results(&self) -> Vec<Arg> {
        let of = |is_words: bool| (0..self.outs.len()).filter(move |&i| self.outputs[i].is_words == is_words);
        of(true).chain(of(false)).map(Arg::Write).collect()
    }

    /// How many operands and results there are.
    pub(crate) fn buffers(&self) -> Buffers {
        Buffers { reads: self.reads.len(), writes: self.outs.len() }
    }

    /// All operands, then all results.
    fn args(&self) -> Vec<Arg> {
        (0..self.reads.len()).map(Arg::Read).chain(self.results()).collect()
    }

    /// One kernel that reads all operands and writes all results.
    pub(crate) fn kernel(self, to: &mut Lowerer<'_>, spec: Spec) {
        let args = self.args();
        self.kernels(to, vec![Dispatch { spec, args }], 0);
    }

    /// Kernels with so many bytes of scratch memory.
    pub(crate) fn kernels(self, to: &mut Lowerer<'_>, dispatches: Vec<Dispatch>, scratch: usize) {
        let writes = self.outs.iter().map(|&out| to.new_slot(out)).collect();
        to.compute_with(self.id, Launch::new(dispatches), scratch, Vec::new(), self.reads, writes);
    }

    /// A program on each of `count` elements.
    pub(crate) fn pointwise(self, to: &mut Lowerer<'_>, count: usize, a: Assembler) {
        let Buffers { reads, writes } = self.buffers();
        self.kernel(to, Spec::Pointwise { reads, writes, count, steps: a.steps() });
    }

    /// A fold.
    pub(crate) fn fold(
        self,
        to: &mut Lowerer<'_>,
        (lines, items): (usize, usize),
        lanes: Vec<Lane>,
        (item, combine, last): (Program, Program, Assembler),
    ) {
        let units = units(lines, items);
        let fold = Folding { lines, items, units, lanes, item, combine, last: last.steps() };
        let buffers = self.buffers();
        self.kernel(to, Spec::Fold(buffers, fold));
    }
}
