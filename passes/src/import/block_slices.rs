//! `block-slices` (traced -> traced): divides values that a loop slices at multiples of the slice's size into blocks.
//!
//! A loop that accumulates gradients over micro-batches may slice its examples: iteration `i` reads the `size` examples
//! from `i * size`. Such a slice needs all examples on each device. If they are divided into blocks before the loop, it
//! reads one block, and the examples of each block can be sharded.
//!
//! The value must be the same in all iterations, and be read by such slices only, in the body of one loop. A start
//! index is clamped to the last block in both forms.
//!
//! Before:
//!
//! ```text
//! func @body(%i: i32[], %x: f32[12, 4], %sum: f32[3, 4]) {
//!   %three = constant 3 : i32[]
//!   %start = mul %i, %three : i32[]
//!   %zero = constant 0 : i32[]
//!   %part = dynamic_slice [3, 4] %x, %start, %zero : f32[3, 4]
//! ...
//! input %x.all : f32[12, 4]
//!   %first = constant 0 : i32[]
//!   %none = constant 0.0 : f32[3, 4]
//!   %last, %same, %total = loop 4 of @body %first, %x.all, %none : i32[], f32[12, 4], f32[3, 4]
//! ```
//!
//! After:
//!
//! ```text
//! func @body(%i: i32[], %x: f32[4, 3, 4], %sum: f32[3, 4]) {
//! ...
//!   %block = dynamic_slice [1, 3, 4] %x, %i, %c, %c : f32[1, 3, 4]
//!   %part = reshape %block : f32[3, 4]
//! ...
//!   %reshape = reshape %x.all : f32[4, 3, 4]
//!   %last, %same, %total = loop 4 of @body %first, %reshape, %none : i32[], f32[4, 3, 4], f32[3, 4]
//! ```
//!
//! Recogniser: a slice at another start index stays, and needs all elements on each device.

use super::raise::values_with_layout;
use crate::driver::{Findings, Input, Pass, PassInfo, any_op};
use partita_ir::arena::{FuncId, Id, OpId, ValueId};
use partita_ir::build::{Builder, Namer};
use partita_ir::class::Control;
use partita_ir::diag::Diagnostic;
use partita_ir::dtype::{Shape, Type};
use partita_ir::op::OpKind;
use partita_ir::ops::{BinaryOp, DynamicSlice, Literal, Loop, Reshape};
use partita_ir::program::{Form, Op, Program};
use partita_ir::syntax::attr::Dims;
use partita_ir::tensor::Scalar;
use rustc_hash::FxHashMap;
use smallvec::smallvec;

/// Maximum number of ops that compute a start index.
const MAX_STEPS: usize = 12;

/// Minimum number of bits of a start index: multiples of a narrow one may exceed its range.
const MIN_INDEX_BITS: u32 = 32;

/// The pass.
pub struct BlockSlices;

impl Pass for BlockSlices {
    fn info(&self) -> PassInfo {
        PassInfo { name: "block-slices", input_form: Form::Traced, output_form: Form::Traced, reads: &[] }
    }

    fn applies(&self, program: &Program, _: &Input, _: &Findings) -> bool {
        any_op(program, |program, op| matches!(program.ops[op].kind, OpKind::DynamicSlice(_)))
    }

    fn run(&self, program: &mut Program, input: &Input, _: &mut Findings) -> Result<(), Vec<Diagnostic>> {
        let has_layout = values_with_layout(program, &input.plan);
        let uses = uses_of_bodies(program);
        for func in program.funcs_with_layouts() {
            for id in program.funcs[func].ops().to_vec() {
                let Some(Control::Loop(l)) = program.ops[id].kind.control() else { continue };
                if uses[&l.body] > 1 {
                    continue;
                }
                let (body, blocks) = (l.body, blocks(program, l));
                let is_free = |blocks: &&SlicedBlocks| {
                    let values = [program.funcs[body].inputs[blocks.position], program.ops[id].outs[blocks.position]];
                    values.iter().all(|value| !has_layout.get(value.index()).copied().unwrap_or_default())
                };
                let free: Vec<&SlicedBlocks> = blocks.iter().filter(is_free).collect();
                free.into_iter().for_each(|blocks| divide(program, func, id, blocks));
            }
        }
        Ok(())
    }
}

/// Returns the number of loops that run each function.
fn uses_of_bodies(program: &Program) -> FxHashMap<FuncId, u32> {
    let mut uses: FxHashMap<FuncId, u32> = FxHashMap::default();
    for op in program.model_ops().iter().filter_map(|at| at.op.kind.control()) {
        let Control::Loop(l) = op;
        *uses.entry(l.body).or_default() += 1;
    }
    uses
}

/// The ops of a loop body, by their results.
type BodyOps<'p> = FxHashMap<ValueId, &'p Op>;

/// A value that a loop slices into blocks.
struct SlicedBlocks {
    /// Position among the carried values of the loop.
    position: usize,
    /// The sliced dimension.
    dim: usize,
    /// Elements of a block along the dimension.
    size: usize,
    /// The slices, each with the number of its block.
    slices: Vec<(OpId, BlockNumber)>,
}

/// Number of a block, computed from values that exist before the slice.
enum BlockNumber {
    /// A multiple of a value.
    Multiple(ValueId, i64),
    /// A constant.
    Constant(i64),
    /// The sum of two numbers.
    Sum(Box<[BlockNumber; 2]>),
    /// The first number where the condition is true, the second one elsewhere.
    Choice(ValueId, Box<[BlockNumber; 2]>),
}

/// Returns the values that a loop with a fixed trip count slices into blocks.
fn blocks(program: &Program, l: &Loop) -> Vec<SlicedBlocks> {
    let body = &program.funcs[l.body];
    if l.is_while() {
        return Vec::new();
    }
    let mut definitions = BodyOps::default();
    let mut readers: FxHashMap<ValueId, Vec<OpId>> = FxHashMap::default();
    for &id in body.ops() {
        let op = &program.ops[id];
        definitions.extend(op.outs.iter().map(|&out| (out, op)));
        op.args.iter().for_each(|&arg| readers.entry(arg).or_default().push(id));
    }
    let blocks_of = |(position, &input): (usize, &ValueId)| {
        let results = body.outputs.iter().enumerate().filter(|(_, output)| output.value == input);
        if results.map(|(at, _)| at).ne([position]) {
            return None;
        }
        let slices = readers.get(&input)?.iter().map(|&id| block_slice(program, &definitions, id, input));
        let slices: Vec<(OpId, [usize; 2], BlockNumber)> = slices.collect::<Option<_>>()?;
        let &(_, [dim, size], _) = slices.first()?;
        let are_equal = slices.iter().all(|(_, block, _)| *block == [dim, size]);
        let slices = slices.into_iter().map(|(id, _, number)| (id, number)).collect();
        are_equal.then_some(SlicedBlocks { position, dim, size, slices })
    };
    body.inputs.iter().enumerate().filter_map(blocks_of).collect()
}

/// Returns the sliced dimension, the size of the block and its number, if an op slices a block of `operand`.
fn block_slice(
    program: &Program,
    definitions: &BodyOps<'_>,
    id: OpId,
    operand: ValueId,
) -> Option<(OpId, [usize; 2], BlockNumber)> {
    let op = &program.ops[id];
    let (OpKind::DynamicSlice(slice), [x, starts @ ..]) = (&op.kind, &op.args[..]) else { return None };
    let shape = &program.ty(*x).shape;
    let mut parts = (0..shape.rank()).filter(|&dim| slice.sizes[dim] < shape[dim]);
    let (dim, None) = (parts.next()?, parts.next()) else { return None };
    let size = slice.sizes[dim];
    let is_wide = program.ty(starts[dim]).dtype.bits() >= MIN_INDEX_BITS;
    if *x != operand || starts.contains(&operand) || size < 2 || !shape[dim].is_multiple_of(size) || !is_wide {
        return None;
    }
    let number = BlockNumber::from_start(program, definitions, starts[dim], i64::try_from(size).ok()?, MAX_STEPS)?;
    Some((id, [dim, size], number))
}

impl BlockNumber {
    /// Returns a start index divided by the size of a block, if it is a multiple.
    fn from_start(
        program: &Program,
        definitions: &BodyOps<'_>,
        start: ValueId,
        size: i64,
        steps: usize,
    ) -> Option<BlockNumber> {
        let op = definitions.get(&start)?;
        let steps = steps.checked_sub(1)?;
        let of = |value| BlockNumber::from_start(program, definitions, value, size, steps);
        let quotient = |number: i64| (number % size == 0).then_some(number / size);
        match (&op.kind, &op.args[..]) {
            (OpKind::Constant(_), _) => Some(BlockNumber::Constant(quotient(constant(definitions, start)?)?)),
            (OpKind::Convert(_), &[x]) if program.ty(x) == program.ty(start) => of(x),
            (OpKind::Select(_), &[condition, yes, no]) => {
                Some(BlockNumber::Choice(condition, Box::new([of(yes)?, of(no)?])))
            }
            (OpKind::Binary(binary), &[x, y]) if binary.op == BinaryOp::Add => {
                Some(BlockNumber::Sum(Box::new([of(x)?, of(y)?])))
            }
            (OpKind::Binary(binary), &[x, y]) if binary.op == BinaryOp::Mul => {
                let multiple = |x, y| Some(BlockNumber::Multiple(x, quotient(constant(definitions, y)?)?));
                multiple(x, y).or_else(|| multiple(y, x))
            }
            _ => None,
        }
    }

    /// Appends the ops that compute the number.
    fn build(&self, b: &mut Builder<'_>, ty: &Type) -> ValueId {
        match self {
            BlockNumber::Multiple(value, 1) => *value,
            BlockNumber::Multiple(value, factor) => {
                let factor = b.splat(ty.clone(), Scalar::Int(*factor));
                b.binary(BinaryOp::Mul, *value, factor)
            }
            BlockNumber::Constant(number) => b.splat(ty.clone(), Scalar::Int(*number)),
            BlockNumber::Sum(terms) => {
                let [x, y] = terms.each_ref().map(|term| term.build(b, ty));
                b.binary(BinaryOp::Add, x, y)
            }
            BlockNumber::Choice(condition, numbers) => {
                let [yes, no] = numbers.each_ref().map(|number| number.build(b, ty));
                b.select(*condition, yes, no)
            }
        }
    }
}

/// Returns the integer that a value is.
fn constant(definitions: &BodyOps<'_>, value: ValueId) -> Option<i64> {
    match &definitions.get(&value)?.kind {
        OpKind::Constant(constant) => match &constant.value {
            Literal::Splat(Scalar::Int(number)) => Some(*number),
            Literal::Splat(Scalar::Float(_)) | Literal::Dense(_) => None,
        },
        _ => None,
    }
}

/// Divides a value into blocks before the loop `id` of a function, and slices them in its body.
fn divide(program: &mut Program, func: FuncId, id: OpId, blocks: &SlicedBlocks) {
    let Some(Control::Loop(l)) = program.ops[id].kind.control() else { return };
    let body = l.body;
    let (whole, result) = (program.ops[id].args[blocks.position], program.ops[id].outs[blocks.position]);
    let ty = program.ty(whole).clone();
    let divided = Type { shape: blocks.shape(&ty.shape, ty.shape[blocks.dim] / blocks.size), dtype: ty.dtype };
    // The result of the loop is the value itself.
    for reader in program.funcs[func].ops().to_vec() {
        program.ops[reader].args.iter_mut().filter(|arg| **arg == result).for_each(|arg| *arg = whole);
    }
    program.funcs[func].outputs.iter_mut().filter(|o| o.value == result).for_each(|o| o.value = whole);
    let mut names = Namer::from_program(program);
    rewrite(program, func, &mut names, |b, op| {
        if op == id {
            b.origin = b.program.ops[id].origin.clone();
            b.program.ops[id].args[blocks.position] = b.reshape(whole, divided.shape.clone());
        }
        b.body.push(op);
    });
    let input = program.funcs[body].inputs[blocks.position];
    for value in [result, input] {
        program.values[value].ty = divided.clone();
    }
    rewrite(program, body, &mut names, |b, op| {
        if let Some((_, number)) = blocks.slices.iter().find(|(slice, _)| *slice == op) {
            slice_block(b, op, blocks, number);
        }
        b.body.push(op);
    });
}

impl SlicedBlocks {
    /// Returns a shape with the sliced dimension divided into `count` blocks.
    fn shape(&self, shape: &Shape, count: usize) -> Shape {
        let mut divided = shape.clone();
        divided.0[self.dim] = self.size;
        divided.0.insert(self.dim, count);
        divided
    }
}

/// Appends the slice of a block before the op `id`, which becomes a reshape of it.
fn slice_block(b: &mut Builder<'_>, id: OpId, blocks: &SlicedBlocks, number: &BlockNumber) {
    let Op { args, outs, phase, origin, .. } = b.program.ops[id].clone();
    (b.phase, b.origin) = (phase, origin);
    let index = b.ty(args[1 + blocks.dim]);
    let zero = b.splat(index.clone(), Scalar::Int(0));
    let block = number.build(b, &index);
    let Type { shape, dtype } = b.ty(outs[0]);
    let shape = blocks.shape(&shape, 1);
    let mut starts: Vec<ValueId> = vec![zero; shape.rank()];
    starts[blocks.dim] = block;
    let operands: Vec<ValueId> = [args[0]].into_iter().chain(starts).collect();
    let slice = DynamicSlice { sizes: Dims::from_slice(&shape) };
    let block = b.op("block", slice, &operands, Type { shape, dtype });
    let op = &mut b.program.ops[id];
    (op.kind, op.args) = (Reshape {}.into(), smallvec![block]);
}

/// Calls `append` for each op of a function with a builder, which then has the new ops of the function.
fn rewrite(program: &mut Program, func: FuncId, names: &mut Namer, mut append: impl FnMut(&mut Builder<'_>, OpId)) {
    let old = program.funcs[func].take_ops();
    let mut b = Builder::new(program, names);
    old.into_iter().for_each(|op| append(&mut b, op));
    let body = b.body;
    *program.funcs[func].ops_mut() = body;
}
