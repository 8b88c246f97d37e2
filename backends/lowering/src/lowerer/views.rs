//! Which values only show elements of others in another order, and who reads what is computed.

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

/// What every value of a function is.
pub(crate) struct Views {
    /// By value; nothing for values of other functions.
    known: FxHashMap<ValueId, (Source, View)>,
    views: Vec<bool>,
    /// By value that is computed: the ops that read it, with their positions, through whatever views.
    readers: FxHashMap<ValueId, Vec<(OpId, usize)>>,
    outputs: Vec<ValueId>,
    constants: FxHashMap<ValueId, Tensor>,
}

/// Results that are read transposed by all who care, and can be written so: how they lie in memory where their
/// transposes are dense.
///
/// Recogniser: other results are stored in row-major order, and a transpose is a view of that.
fn written_transposed<T: Target>(target: &T, program: &Program, func: FuncId) -> FxHashMap<ValueId, View> {
    let func = &program.funcs[func];
    let mut readers: FxHashMap<ValueId, Vec<OpId>> = FxHashMap::default();
    for &id in func.ops() {
        program.ops[id].args.iter().for_each(|&arg| readers.entry(arg).or_default().push(id));
    }
    let mut found = FxHashMap::default();
    for op in func.ops().iter().map(|&id| &program.ops[id]) {
        for &out in &op.outs {
            let cares = |reader: &&OpId| !target.reads_as_it_lies(&program.ops[**reader]);
            let caring: Vec<&OpId> = readers.get(&out).into_iter().flatten().filter(cares).collect();
            let &[reader] = &caring[..] else { continue };
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
            if target.writes_as(program, op, &stored) {
                found.insert(out, stored);
            }
        }
    }
    found
}

impl Views {
    pub(crate) fn of<T: Target>(target: &T, program: &Program, func: FuncId) -> Views {
        let mut views = Views {
            known: FxHashMap::default(),
            views: vec![false; program.values.len()],
            readers: FxHashMap::default(),
            outputs: Vec::new(),
            constants: FxHashMap::default(),
        };
        let transposed = written_transposed(target, program, func);
        let func = &program.funcs[func];
        let whole = |value: ValueId| (Source::Value(value), View::dense(&program.ty(value).shape));
        for &input in &func.inputs {
            views.known.insert(input, whole(input));
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
            if let Some(seen) = views.seen(program, op) {
                views.views[op.outs[0].index()] = true;
                views.known.insert(op.outs[0], seen);
                continue;
            }
            for arg in &op.args {
                if let Some((Source::Value(root), _)) = views.known.get(arg) {
                    views.readers.entry(*root).or_default().push((id, position));
                }
            }
            views.known.extend(op.outs.iter().map(|&out| (out, whole(out))));
            for &out in &op.outs {
                if let Some(stored) = transposed.get(&out) {
                    views.known.insert(out, (Source::Value(out), stored.clone()));
                }
            }
        }
        for output in &func.outputs {
            if let Some((Source::Value(root), _)) = views.known.get(&output.value) {
                views.outputs.push(*root);
            }
        }
        views
    }

    fn constant_op(&mut self, program: &Program, op: &Op, constant: &Constant) {
        let out = op.outs[0];
        let ty = program.ty(out);
        self.views[out.index()] = true;
        if let Literal::Splat(number) = constant.value {
            self.known.insert(out, (Source::Number(wrap(ty.dtype, number)), View::repeated(&ty.shape)));
        } else if let Literal::Dense(items) = &constant.value {
            let mut tensor = Tensor::zeros(ty.clone());
            match &mut tensor.data {
                Data::F64(v) => v.iter_mut().zip(items.iter()).for_each(|(x, s)| *x = s.to_f64()),
                Data::F32(v) => v.iter_mut().zip(items.iter()).for_each(|(x, s)| *x = s.to_f64() as f32),
                Data::Int(v) => v.iter_mut().zip(items.iter()).for_each(|(x, s)| *x = s.to_i64()),
            }
            self.constants.insert(out, tensor);
            self.known.insert(out, (Source::Value(out), View::dense(&ty.shape)));
        }
    }

    /// What the result of an op that only moves elements shows.
    fn seen(&self, program: &Program, op: &Op) -> Option<(Source, View)> {
        let (source, view) = self.known.get(op.args.first()?)?;
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
            OpKind::Softmax(_) | OpKind::LogSoftmax(_) | OpKind::LayerNorm(_) | OpKind::RmsNorm(_) => return None,
            OpKind::BatchNorm(_) | OpKind::Gelu(_) | OpKind::CrossEntropy(_) => return None,
            OpKind::Momentum(_) | OpKind::Adam(_) | OpKind::Loop(_) | OpKind::Reshard(_) => return None,
            OpKind::AllReduce(_) | OpKind::AllGather(_) | OpKind::ReduceScatter(_) => return None,
            OpKind::AllToAll(_) | OpKind::Permute(_) => return None,
            OpKind::Shard(_) | OpKind::Partial(_) | OpKind::Mask(_) | OpKind::PieceStart(_) => return None,
        };
        Some((*source, view))
    }

    /// What a value shows of what is computed.
    pub(crate) fn get(&self, value: ValueId) -> (Source, View) {
        match self.known.get(&value) {
            Some(known) => known.clone(),
            None => (Source::Value(value), View::dense(&[])),
        }
    }

    pub(crate) fn is_view(&self, value: ValueId) -> bool {
        self.views[value.index()]
    }

    pub(crate) fn constant(&self, value: ValueId) -> Option<Tensor> {
        self.constants.get(&value).cloned()
    }

    /// The position of the last op that reads what is computed.
    pub(crate) fn last_read(&self, root: ValueId) -> usize {
        self.readers.get(&root).and_then(|readers| readers.last()).map_or(0, |r| r.1)
    }

    /// Whether any op but these reads it, or it is an output.
    pub(crate) fn is_read_outside(&self, root: ValueId, ops: &[OpId]) -> bool {
        self.outputs.contains(&root)
            || self.readers.get(&root).is_some_and(|readers| readers.iter().any(|(op, _)| !ops.contains(op)))
    }
}
