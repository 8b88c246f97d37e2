//! Analysis of views (values that only select, reorder or repeat elements of other values) and of the readers of
//! computed values.

use super::Target;
use crate::fusion::group::Source;
use crate::view::{View, dense_strides};
use partita_ir::arena::{FuncId, Id, OpId, ValueId};
use partita_ir::class::SourceOp;
use partita_ir::op::OpKind;
use partita_ir::ops::{Constant, Literal};
use partita_ir::program::{Op, Program};
use partita_ir::tensor::{Data, Tensor, wrap};
use rustc_hash::FxHashMap;

/// Views and readers of the values of a function.
pub(crate) struct Views {
    /// Source and view of each value of the function.
    sources: FxHashMap<ValueId, (Source, View)>,
    /// True for each value that needs no computation: views and constants.
    is_view: Vec<bool>,
    /// Ops that read each computed value, directly or through views, with their positions.
    readers: FxHashMap<ValueId, Vec<(OpId, usize)>>,
    /// Computed values that the outputs of the function are, or are views of.
    outputs: Vec<ValueId>,
    /// Constants specified element by element.
    constants: FxHashMap<ValueId, Tensor>,
}

/// Finds results whose only layout-sensitive reader is a transpose, and that the producing op can store transposed.
/// Returns their layouts, in which the transposed value is row-major.
///
/// Recogniser: other results are stored in row-major order, and a transpose is a view of that.
fn transposed_results<T: Target>(target: &T, program: &Program, func: FuncId) -> FxHashMap<ValueId, View> {
    let func = &program.funcs[func];
    let mut readers: FxHashMap<ValueId, Vec<OpId>> = FxHashMap::default();
    for &id in func.ops() {
        program.ops[id].args.iter().for_each(|&arg| readers.entry(arg).or_default().push(id));
    }
    let mut found = FxHashMap::default();
    for op in func.ops().iter().map(|&id| &program.ops[id]) {
        for &out in &op.outs {
            let is_sensitive = |reader: &&OpId| !target.reads_any_layout(&program.ops[**reader]);
            let sensitive: Vec<&OpId> = readers.get(&out).into_iter().flatten().filter(is_sensitive).collect();
            let &[reader] = &sensitive[..] else { continue };
            let OpKind::Transpose(transpose) = &program.ops[*reader].kind else { continue };
            if func.outputs.iter().any(|o| o.value == out) {
                continue;
            }
            let shape = &program.ty(out).shape;
            let after: Vec<usize> = transpose.perm.iter().map(|&d| shape[d]).collect();
            let mut stored = View::dense(shape);
            for (&d, stride) in transpose.perm.iter().zip(dense_strides(&after)) {
                stored.strides[d] = stride;
            }
            if target.supports_result_layout(program, op, &stored) {
                found.insert(out, stored);
            }
        }
    }
    found
}

impl Views {
    pub(crate) fn new<T: Target>(target: &T, program: &Program, func: FuncId) -> Views {
        let mut views = Views {
            sources: FxHashMap::default(),
            is_view: vec![false; program.values.len()],
            readers: FxHashMap::default(),
            outputs: Vec::new(),
            constants: FxHashMap::default(),
        };
        let transposed = transposed_results(target, program, func);
        let func = &program.funcs[func];
        let dense = |value: ValueId| (Source::Value(value), View::dense(&program.ty(value).shape));
        for &input in &func.inputs {
            views.sources.insert(input, dense(input));
        }
        for (position, &id) in func.ops().iter().enumerate() {
            let op = &program.ops[id];
            match op.kind.source() {
                Some(SourceOp::Constant(constant)) => {
                    views.constant_op(program, op, constant);
                    continue;
                }
                Some(SourceOp::Iota(_)) | None => {}
            }
            if let Some(seen) = views.view_of_result(program, op) {
                views.is_view[op.outs[0].index()] = true;
                views.sources.insert(op.outs[0], seen);
                continue;
            }
            for arg in &op.args {
                if let Some((Source::Value(root), _)) = views.sources.get(arg) {
                    views.readers.entry(*root).or_default().push((id, position));
                }
            }
            views.sources.extend(op.outs.iter().map(|&out| (out, dense(out))));
            for &out in &op.outs {
                if let Some(stored) = transposed.get(&out) {
                    views.sources.insert(out, (Source::Value(out), stored.clone()));
                }
            }
        }
        for output in &func.outputs {
            if let Some((Source::Value(root), _)) = views.sources.get(&output.value) {
                views.outputs.push(*root);
            }
        }
        views
    }

    /// Adds a constant.
    fn constant_op(&mut self, program: &Program, op: &Op, constant: &Constant) {
        let out = op.outs[0];
        let ty = program.ty(out);
        self.is_view[out.index()] = true;
        if let Literal::Splat(number) = constant.value {
            self.sources.insert(out, (Source::Number(wrap(ty.dtype, number)), View::repeated(&ty.shape)));
        } else if let Literal::Dense(items) = &constant.value {
            let mut tensor = Tensor::zeros(ty.clone());
            match &mut tensor.data {
                Data::F64(v) => v.iter_mut().zip(items.iter()).for_each(|(x, s)| *x = s.to_f64()),
                Data::F32(v) => v.iter_mut().zip(items.iter()).for_each(|(x, s)| *x = s.to_f64() as f32),
                Data::Int(v) => v.iter_mut().zip(items.iter()).for_each(|(x, s)| *x = s.to_i64()),
            }
            self.constants.insert(out, tensor);
            self.sources.insert(out, (Source::Value(out), View::dense(&ty.shape)));
        }
    }

    /// Returns the source and view of the result of an op that only moves elements, or `None` for other ops.
    fn view_of_result(&self, program: &Program, op: &Op) -> Option<(Source, View)> {
        let (source, view) = self.sources.get(op.args.first()?)?;
        let shape = &program.ty(*op.outs.first()?).shape;
        let view = match &op.kind {
            OpKind::Reshape(_) => view.reshaped(shape)?,
            OpKind::Transpose(op) => view.permuted(&op.perm),
            OpKind::Broadcast(op) => view.broadcast(&op.dims, shape),
            OpKind::Reverse(op) => view.reversed(&op.dims),
            OpKind::Constrain(_) => view.clone(),
            OpKind::Slice(op) => {
                let step = |d: usize| op.stride.get(d).copied().unwrap_or(1);
                (0..shape.rank()).fold(view.clone(), |view, d| view.sliced(d, op.start[d], shape[d], step(d)))
            }
            OpKind::Constant(_) | OpKind::Iota(_) | OpKind::Random(_) | OpKind::RngBits(_) => return None,
            OpKind::Unary(_) | OpKind::Binary(_) | OpKind::Compare(_) | OpKind::Select(_) => return None,
            OpKind::Clamp(_) | OpKind::Convert(_) | OpKind::Bitcast(_) => return None,
            OpKind::Pad(_) | OpKind::Concatenate(_) | OpKind::DynamicSlice(_) => return None,
            OpKind::DynamicUpdateSlice(_) | OpKind::Gather(_) | OpKind::Scatter(_) => return None,
            OpKind::DotGeneral(_) | OpKind::Convolution(_) => return None,
            OpKind::Attention(_) | OpKind::AttentionGrad(_) | OpKind::Reduce(_) | OpKind::ReduceFunc(_) => return None,
            OpKind::ReduceWindow(_) | OpKind::SelectAndScatter(_) | OpKind::Sort(_) | OpKind::TopK(_) => return None,
            OpKind::Fft(_) | OpKind::Cholesky(_) | OpKind::TriangularSolve(_) | OpKind::Lu(_) => return None,
            OpKind::Qr(_) | OpKind::HouseholderProduct(_) | OpKind::Svd(_) => return None,
            OpKind::Eigh(_)
            | OpKind::Eig(_)
            | OpKind::Hessenberg(_)
            | OpKind::TridiagonalSolve(_)
            | OpKind::CustomCall(_) => return None,
            OpKind::Softmax(_) | OpKind::LogSoftmax(_) | OpKind::LayerNorm(_) | OpKind::RmsNorm(_) => return None,
            OpKind::BatchNorm(_) | OpKind::Gelu(_) | OpKind::CrossEntropy(_) => return None,
            OpKind::Momentum(_) | OpKind::Adam(_) | OpKind::Loop(_) | OpKind::Reshard(_) => return None,
            OpKind::AllReduce(_) | OpKind::AllGather(_) | OpKind::ReduceScatter(_) => return None,
            OpKind::AllToAll(_) | OpKind::Permute(_) => return None,
            OpKind::Shard(_) | OpKind::Partial(_) | OpKind::Mask(_) | OpKind::ShardStart(_) => return None,
        };
        Some((*source, view))
    }

    /// Returns the source and view of a value.
    pub(crate) fn source_and_view(&self, value: ValueId) -> (Source, View) {
        match self.sources.get(&value) {
            Some(sources) => sources.clone(),
            None => (Source::Value(value), View::dense(&[])),
        }
    }

    pub(crate) fn is_view(&self, value: ValueId) -> bool {
        self.is_view[value.index()]
    }

    pub(crate) fn constant(&self, value: ValueId) -> Option<Tensor> {
        self.constants.get(&value).cloned()
    }

    /// Returns the position of the last op that reads a computed value. Returns 0 if none does.
    pub(crate) fn last_read(&self, root: ValueId) -> usize {
        self.readers.get(&root).and_then(|readers| readers.last()).map_or(0, |r| r.1)
    }

    /// Returns true if the value or a view of it is an output, or is read by an op that is not in `ops`.
    pub(crate) fn is_read_outside(&self, root: ValueId, ops: &[OpId]) -> bool {
        self.outputs.contains(&root)
            || self.readers.get(&root).is_some_and(|readers| readers.iter().any(|(op, _)| !ops.contains(op)))
    }
}
