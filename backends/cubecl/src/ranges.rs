//! Range analysis: proves that the `i64` values of a program fit into the 32-bit integers of GPUs.
//!
//! Every integer has an interval that contains all its possible values (Moore 1966, Interval Analysis; for narrowing of
//! integers: Stephenson, Babb and Amarasinghe 2000). Inputs are checked when they are uploaded
//! ([`words::MAX_I64`](partita_gpu::words::MAX_I64)); all other intervals follow from inputs, constants and shapes.
//! Floats derived from integers have intervals too, for example the number of tokens per expert. The contents of
//! padding in uneven shards are undefined and not analysed.

mod range;
#[cfg(test)]
mod tests;

use partita_gpu::words::MAX_I64;
use partita_ir::arena::{FuncId, ValueId};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::{DType, Type};
use partita_ir::layout::Monoid;
use partita_ir::mesh::shard_count;
use partita_ir::op::OpKind;
use partita_ir::ops::{BinaryOp, Combine, Literal, Loop, UnaryOp};
use partita_ir::program::{Op, Program};
use partita_ir::tensor::Scalar;
use partita_ir::{float_functions, float_predicates};
use range::{Range, binary, enclosing, exact_bound};
use rustc_hash::FxHashMap;
use std::iter::zip;

/// Iterations of a loop that are analysed one by one.
const MAX_ITERATIONS: u64 = 64;

/// Maximum number of analysed ops; ops in loops count once per analysed iteration.
const MAX_OPS: usize = 1 << 24;

/// Source of an input of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum InputSource {
    /// The caller.
    Outside,
    /// Another task of a pipeline.
    Task,
    /// The index of a micro-batch, with the number of micro-batches.
    MicroBatch(u32),
}

/// Rejects a program with an `i64` value that may not fit into 32 bits. `sources` contains the source of each input.
///
/// # Errors
/// Returns `R004` with the first op whose result may not fit.
pub(crate) fn check(program: &Program, sources: &[InputSource]) -> Result<(), Diagnostic> {
    if program.values.values().all(|value| value.ty.dtype != DType::I64) {
        return Ok(());
    }
    let mut ranges = Ranges { program, known: FxHashMap::default(), ops_left: MAX_OPS, first_error: None };
    for (&input, source) in zip(program.inputs(), sources) {
        let range = match (source, program.ty(input).dtype) {
            (InputSource::Outside, DType::I64) => Range { low: -MAX_I64, high: MAX_I64 },
            (InputSource::Task, DType::I64) => Range::WORD,
            (InputSource::Outside | InputSource::Task, dtype) => Range::full(dtype),
            (&InputSource::MicroBatch(count), _) => Range { low: 0, high: i64::from(count) - 1 },
        };
        ranges.known.insert(input, range);
    }
    ranges.func(program.entry());
    ranges.first_error.map_or(Ok(()), Err)
}

struct Ranges<'p> {
    program: &'p Program,
    known: FxHashMap<ValueId, Range>,
    /// Remaining number of ops to analyse.
    ops_left: usize,
    /// The first result that may not fit.
    first_error: Option<Diagnostic>,
}

impl Ranges<'_> {
    /// Analyses a function whose arguments have intervals.
    fn func(&mut self, func: FuncId) {
        let program = self.program;
        for op in program.funcs[func].ops().iter().map(|&op| &program.ops[op]) {
            if self.ops_left == 0 {
                self.first_error.get_or_insert_with(too_many_ops);
                return;
            }
            self.ops_left -= 1;
            let results = self.results(op);
            for (&out, found) in zip(&op.outs, results) {
                let ty = program.ty(out);
                // Arithmetic on narrower dtypes wraps around, so the full range is possible.
                let all = Range::full(ty.dtype);
                let holds = |range: &Range| all.contains(*range) && range.magnitude() <= exact_bound(ty.dtype);
                let range = found.filter(holds).unwrap_or(all);
                if ty.dtype == DType::I64 && ty.shape.count() > 0 && !Range::WORD.contains(range) {
                    self.first_error.get_or_insert_with(|| refusal(program, op, out, range));
                }
                self.known.insert(out, range);
            }
        }
    }

    fn range(&self, value: ValueId) -> Range {
        self.known.get(&value).copied().unwrap_or_else(|| Range::full(self.program.ty(value).dtype))
    }

    /// Returns the intervals of an op's results; `None` if they are unbounded.
    fn results(&mut self, op: &Op) -> Vec<Option<Range>> {
        let program = self.program;
        let types: Vec<&Type> = op.outs.iter().map(|&out| program.ty(out)).collect();
        match &op.kind {
            OpKind::Loop(l) => return self.loop_op(op, l),
            OpKind::Sort(sort) => {
                let all: Vec<Range> = op.args.iter().map(|&arg| self.range(arg)).collect();
                let pairs = all.iter().flat_map(|&range| [range, range]);
                self.known.extend(zip(program.funcs[sort.comparator].inputs.iter().copied(), pairs));
                self.func(sort.comparator);
                return all.into_iter().map(Some).collect();
            }
            OpKind::ReduceFunc(reduce) => {
                let (items, initial) = op.args.split_at(op.args.len() / 2);
                let both = zip(items, initial).map(|(&item, &initial)| self.range(item).union(self.range(initial)));
                let both: Vec<Range> = both.collect();
                return self.fixed_point(reduce.body, both, 8, |all| [all, all].concat());
            }
            OpKind::TopK(_) => {
                let x = op.args[0];
                let last = program.ty(x).shape.last().map_or(0, |&n| n as i64 - 1);
                return vec![Some(self.range(x)), Some(Range { low: 0, high: last.max(0) })];
            }
            OpKind::AllReduce(reduce) => {
                let combined = |&arg: &ValueId| self.range(arg).combined(reduce.monoid, shard_count(&reduce.axes));
                return op.args.iter().map(combined).collect();
            }
            OpKind::Constant(_) | OpKind::Iota(_) | OpKind::Random(_) | OpKind::RngBits(_) => {}
            OpKind::Unary(_) | OpKind::Binary(_) | OpKind::Compare(_) | OpKind::Select(_) | OpKind::Clamp(_) => {}
            OpKind::Convert(_) | OpKind::Bitcast(_) | OpKind::Gelu(_) => {}
            OpKind::Broadcast(_) | OpKind::Reshape(_) | OpKind::Transpose(_) | OpKind::Reverse(_) => {}
            OpKind::Slice(_) | OpKind::Pad(_) | OpKind::Concatenate(_) => {}
            OpKind::DynamicSlice(_) | OpKind::DynamicUpdateSlice(_) | OpKind::Gather(_) | OpKind::Scatter(_) => {}
            OpKind::DotGeneral(_) | OpKind::Convolution(_) | OpKind::Attention(_) | OpKind::AttentionGrad(_) => {}
            OpKind::Reduce(_) | OpKind::ReduceWindow(_) | OpKind::SelectAndScatter(_) => {}
            OpKind::Softmax(_) | OpKind::LogSoftmax(_) | OpKind::LayerNorm(_) | OpKind::RmsNorm(_) => {}
            OpKind::BatchNorm(_) | OpKind::CrossEntropy(_) | OpKind::Momentum(_) | OpKind::Adam(_) => {}
            OpKind::Constrain(_) | OpKind::Reshard(_) | OpKind::AllGather(_) | OpKind::ReduceScatter(_) => {}
            OpKind::AllToAll(_) | OpKind::Permute(_) => {}
            OpKind::Fft(_) | OpKind::Cholesky(_) | OpKind::TriangularSolve(_) | OpKind::Lu(_) | OpKind::Qr(_) => {}
            OpKind::HouseholderProduct(_)
            | OpKind::Svd(_)
            | OpKind::Eigh(_)
            | OpKind::Eig(_)
            | OpKind::Hessenberg(_)
            | OpKind::TridiagonalSolve(_)
            | OpKind::CustomCall(_) => {}
            OpKind::Shard(_) | OpKind::Partial(_) | OpKind::Mask(_) | OpKind::ShardStart(_) => {}
        }
        let is_followed = |ty: &Type| !ty.dtype.is_float() || is_bounded(&op.kind);
        types.iter().map(|ty| if is_followed(ty) { self.result(op, ty) } else { None }).collect()
    }

    /// Returns the interval of the result of an op with a single result.
    fn result(&self, op: &Op, ty: &Type) -> Option<Range> {
        let of = |arg: usize| op.args.get(arg).map(|&arg| self.range(arg));
        let count = |arg: usize| op.args.get(arg).map(|&arg| self.program.ty(arg).shape.count());
        let all = || op.args.iter().map(|&arg| self.range(arg)).reduce(Range::union);
        let or_zero = |range: Option<Range>| range.map(|range| range.union(Range::ZERO));
        match &op.kind {
            OpKind::Constant(constant) => match &constant.value {
                Literal::Splat(number) => enclosing(*number),
                Literal::Dense(items) => {
                    let mut all = items.iter().map(|item| enclosing(*item));
                    let first = all.next()??;
                    all.try_fold(first, |all, item| Some(all.union(item?)))
                }
            },
            OpKind::Iota(iota) => Some(Range { low: 0, high: (ty.shape[iota.dim] as i64 - 1).max(0) }),
            OpKind::ShardStart(start) => Some(Range { low: 0, high: start.size as i64 }),
            OpKind::Unary(unary) => self.unary(unary.op, of(0)?, self.program.ty(op.args[0]).dtype),
            OpKind::Binary(b) => binary(b.op, of(0)?, of(1)?),
            OpKind::Compare(_) => Some(Range::BIT),
            OpKind::Select(_) => Some(of(1)?.union(of(2)?)),
            OpKind::Clamp(_) => binary(BinaryOp::Min, binary(BinaryOp::Max, of(1)?, of(0)?)?, of(2)?),
            OpKind::Convert(_) if ty.dtype == DType::Bool => Some(Range::BIT),
            OpKind::Convert(_)
            | OpKind::Broadcast(_)
            | OpKind::Reshape(_)
            | OpKind::Transpose(_)
            | OpKind::Reverse(_)
            | OpKind::Slice(_)
            | OpKind::DynamicSlice(_)
            | OpKind::Constrain(_)
            | OpKind::AllGather(_)
            | OpKind::AllToAll(_)
            | OpKind::Shard(_) => of(0),
            OpKind::Gather(gather) if gather.fill => or_zero(of(0)),
            OpKind::Gather(_) => of(0),
            OpKind::Permute(_) | OpKind::Partial(_) => or_zero(of(0)),
            OpKind::Concatenate(_) => all(),
            OpKind::DynamicUpdateSlice(_) | OpKind::Pad(_) => Some(of(0)?.union(of(1)?)),
            OpKind::Mask(mask) => {
                let fill = mask.fill.scalar(ty.dtype).to_i64().clamp(Range::WORD.low, Range::WORD.high);
                Some(of(0)?.union(Range { low: fill, high: fill }))
            }
            OpKind::Scatter(scatter) => match scatter.combine {
                Combine::Set | Combine::Max | Combine::Min => Some(of(0)?.union(of(2)?)),
                Combine::Sum => binary(BinaryOp::Add, of(0)?, of(2)?.summed(count(2)?)?),
                Combine::Prod => None,
            },
            OpKind::SelectAndScatter(_) => of(1)?.summed(count(1)?),
            OpKind::Reduce(reduce) => {
                let identity = match reduce.monoid.identity(ty.dtype) {
                    Scalar::Int(n) => n.clamp(Range::WORD.low, Range::WORD.high),
                    Scalar::Float(_) => 0,
                };
                let gone = count(0)?.checked_div(ty.shape.count())?;
                let combined = of(0)?.combined(reduce.monoid, gone)?;
                Some(if gone == 0 { Range { low: identity, high: identity } } else { combined })
            }
            OpKind::ReduceScatter(reduce) => of(0)?.combined(reduce.monoid, shard_count(&reduce.axes)),
            OpKind::ReduceWindow(pool) => {
                let taps = pool.windows.iter().map(|w| w.size).product();
                or_zero(of(0))?.combined(pool.monoid, taps)
            }
            OpKind::Random(_) | OpKind::RngBits(_) | OpKind::Bitcast(_) | OpKind::Gelu(_) => None,
            OpKind::DotGeneral(_) | OpKind::Convolution(_) => None,
            OpKind::Attention(_) | OpKind::AttentionGrad(_) => None,
            OpKind::Softmax(_) | OpKind::LogSoftmax(_) | OpKind::LayerNorm(_) | OpKind::RmsNorm(_) => None,
            OpKind::BatchNorm(_) | OpKind::CrossEntropy(_) | OpKind::Momentum(_) | OpKind::Adam(_) => None,
            OpKind::Reshard(_) => None,
            // Ops with several results: see `results`.
            OpKind::Loop(_) | OpKind::Sort(_) | OpKind::TopK(_) | OpKind::ReduceFunc(_) => None,
            OpKind::Fft(_) | OpKind::Cholesky(_) | OpKind::TriangularSolve(_) | OpKind::Lu(_) | OpKind::Qr(_) => None,
            OpKind::HouseholderProduct(_)
            | OpKind::Svd(_)
            | OpKind::Eigh(_)
            | OpKind::Eig(_)
            | OpKind::Hessenberg(_)
            | OpKind::TridiagonalSolve(_)
            | OpKind::CustomCall(_) => None,
            OpKind::AllReduce(_) => None,
        }
    }

    fn unary(&self, op: UnaryOp, x: Range, from: DType) -> Option<Range> {
        match op {
            UnaryOp::Neg => binary(BinaryOp::Sub, Range::ZERO, x),
            UnaryOp::Abs => Range::hull([0, x.magnitude()]),
            UnaryOp::Sign => Some(Range { low: -1, high: 1 }),
            UnaryOp::Relu => Some(Range { low: x.low.max(0), high: x.high.max(0) }),
            UnaryOp::Not => Some(if from == DType::Bool { Range::BIT } else { Range { low: !x.high, high: !x.low } }),
            float_predicates!() => Some(Range::BIT),
            // The count depends on the width for negative numbers, whose upper 32 bits are ones.
            UnaryOp::PopCount if x.low >= 0 => Some(Range { low: 0, high: 63 }),
            UnaryOp::PopCount | UnaryOp::CountLeadingZeros | float_functions!() => None,
        }
    }

    /// Returns the intervals of a loop's results: the carried values are iterated to a fixed point.
    fn loop_op(&mut self, op: &Op, l: &Loop) -> Vec<Option<Range>> {
        let carried: Vec<Range> = op.args.iter().map(|&arg| self.range(arg)).collect();
        self.fixed_point(l.body, carried, l.trip, |all| all.to_vec())
    }

    /// Iterates a function up to `times` times, until the intervals of its results no longer grow. Returns the union of
    /// the intervals. `operands` maps the carried intervals to those of the arguments.
    fn fixed_point(
        &mut self,
        func: FuncId,
        mut all: Vec<Range>,
        times: u64,
        operands: impl Fn(&[Range]) -> Vec<Range>,
    ) -> Vec<Option<Range>> {
        let body = &self.program.funcs[func];
        // Intermediate intervals may be too small or too large; only the final iteration may report an error.
        let earlier_error = self.first_error.take();
        let mut is_fixed = false;
        for _ in 0..=times.min(MAX_ITERATIONS) {
            if self.ops_left == 0 {
                break;
            }
            self.first_error = None;
            self.known.extend(zip(body.inputs.iter().copied(), operands(&all)));
            self.func(func);
            let results = body.outputs.iter().map(|output| self.range(output.value));
            let next: Vec<Range> = zip(&all, results).map(|(old, new)| old.union(new)).collect();
            is_fixed = next == all;
            all = next;
            if is_fixed {
                break;
            }
        }
        if !is_fixed && times > MAX_ITERATIONS {
            all = body.outputs.iter().map(|output| Range::full(self.program.ty(output.value).dtype)).collect();
            self.known.extend(zip(body.inputs.iter().copied(), operands(&all)));
            self.func(func);
        }
        self.first_error = earlier_error.or(self.first_error.take());
        all.into_iter().map(Some).collect()
    }
}

/// Returns true if the float results of an op are bounded by its operands in the same way as integers.
fn is_bounded(kind: &OpKind) -> bool {
    match kind {
        OpKind::Binary(binary) => match binary.op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Max | BinaryOp::Min => true,
            BinaryOp::Div | BinaryOp::Rem | BinaryOp::Pow | BinaryOp::Atan2 | BinaryOp::NextAfter => false,
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => false,
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight | BinaryOp::ShiftRightLogical => false,
        },
        OpKind::Reduce(reduce) => reduce.monoid == Monoid::Sum,
        OpKind::ReduceWindow(pool) => pool.monoid == Monoid::Sum,
        OpKind::Constant(_) | OpKind::Iota(_) | OpKind::Select(_) | OpKind::Convert(_) => true,
        OpKind::Broadcast(_) | OpKind::Reshape(_) | OpKind::Transpose(_) | OpKind::Slice(_) => true,
        OpKind::Gather(_) | OpKind::Constrain(_) => true,
        OpKind::AllGather(_) | OpKind::AllToAll(_) | OpKind::Shard(_) => true,
        OpKind::Random(_) | OpKind::RngBits(_) | OpKind::Unary(_) | OpKind::Compare(_) | OpKind::Clamp(_) => false,
        OpKind::Bitcast(_) | OpKind::Gelu(_) | OpKind::Reverse(_) | OpKind::Pad(_) | OpKind::Concatenate(_) => false,
        OpKind::DynamicSlice(_) | OpKind::DynamicUpdateSlice(_) | OpKind::Scatter(_) => false,
        OpKind::DotGeneral(_) | OpKind::Convolution(_) | OpKind::Attention(_) | OpKind::AttentionGrad(_) => false,
        OpKind::ReduceFunc(_) | OpKind::SelectAndScatter(_) | OpKind::Sort(_) | OpKind::TopK(_) => false,
        OpKind::Fft(_) | OpKind::Cholesky(_) | OpKind::TriangularSolve(_) | OpKind::Lu(_) | OpKind::Qr(_) => false,
        OpKind::HouseholderProduct(_)
        | OpKind::Svd(_)
        | OpKind::Eigh(_)
        | OpKind::Eig(_)
        | OpKind::Hessenberg(_)
        | OpKind::TridiagonalSolve(_)
        | OpKind::CustomCall(_) => false,
        OpKind::Softmax(_) | OpKind::LogSoftmax(_) | OpKind::LayerNorm(_) | OpKind::RmsNorm(_) => false,
        OpKind::BatchNorm(_) | OpKind::CrossEntropy(_) | OpKind::Momentum(_) | OpKind::Adam(_) => false,
        OpKind::Loop(_) | OpKind::Reshard(_) | OpKind::AllReduce(_) | OpKind::ReduceScatter(_) => false,
        OpKind::Permute(_) | OpKind::Partial(_) | OpKind::Mask(_) | OpKind::ShardStart(_) => false,
    }
}

fn too_many_ops() -> Diagnostic {
    let title = "cannot prove that the i64 values of this program fit into 32 bits, which GPUs use for them: too many loop iterations";
    Diagnostic::new(Code::R004, title).help("use i32 in the loops")
}

fn refusal(program: &Program, op: &Op, out: ValueId, range: Range) -> Diagnostic {
    let types: Vec<String> = op.args.iter().map(|&arg| program.ty(arg).to_string()).collect();
    let (name, kind) = (program.values[out].name.as_str(), op.kind.name());
    let of = if types.is_empty() { String::new() } else { format!(" of {}", types.join(", ")) };
    let title = format!("`%{name} = {kind}`{of} may exceed the 32 bits that GPUs use for i64");
    let found = if range == Range::full(DType::I64) {
        "its range is unbounded".into()
    } else {
        format!("its proven range is {} to {}", range.low, range.high)
    };
    let rule = format!("inputs are assumed to be between -{MAX_I64} and {MAX_I64}");
    program
        .locate_error(op, Diagnostic::new(Code::R004, title))
        .note(found)
        .note(rule)
        .help("use i32, or bound the value with clamp(low, x, high)")
}
