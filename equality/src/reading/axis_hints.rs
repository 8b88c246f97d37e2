//! Probable sharding of each dimension of the values of a local program, whose types are local.
//!
//! Dimensions with a common factor in an op's rule have the same sharding. Declared layouts of inputs and outputs and
//! the attributes of collectives determine the axes. The results only select candidates for the global types of ops
//! without operands that determine them; laws decide whether a candidate is right.

use partita_ir::arena::{Id as _, ValueId};
use partita_ir::class::{Collective, Control, DeviceOp};
use partita_ir::layout::local_size;
use partita_ir::mesh::Axes;
use partita_ir::program::{Form, Op, Program};

/// Size of a dimension of the global value, with its mesh axes.
pub type GlobalDim = (usize, Axes);

/// Probable global size and axes of the dimensions of values.
pub struct AxisHints {
    /// Index of the first dimension of each value.
    first: Vec<usize>,
    /// Union-find forest of dimensions.
    parent: Vec<usize>,
    /// Size and axes of each root, if known.
    known: Vec<Option<GlobalDim>>,
}

impl AxisHints {
    /// Computes the hints of a local program. Other programs have none, since their values have global types.
    pub fn from_program(program: &Program) -> AxisHints {
        let mut first = Vec::with_capacity(program.values.len());
        let mut count = 0;
        for value in program.values.values() {
            first.push(count);
            count += value.ty.shape.rank();
        }
        let mut hints = AxisHints { first, parent: (0..count).collect(), known: vec![None; count] };
        if program.form != Form::Local {
            return hints;
        }
        for func in program.funcs.values() {
            func.ops().iter().for_each(|&op| hints.unite_op(program, &program.ops[op]));
        }
        // Layouts take precedence over the attributes of collectives, which may name only some of the axes.
        for value in program.values.ids() {
            let Some(layout) = &program.values[value].layout else { continue };
            for (dim, (axes, &size)) in layout.dim_axes().zip(program.ty(value).shape.iter()).enumerate() {
                hints.learn(value, dim, (size, axes.clone()));
            }
        }
        for func in program.funcs.values() {
            func.ops().iter().for_each(|&op| hints.learn_op(program, &program.ops[op]));
        }
        hints
    }

    /// Returns the probable global size and axes of a dimension of local size `local`.
    pub fn global_dim(&self, value: ValueId, dim: usize, local: usize) -> GlobalDim {
        match &self.known[self.root(self.first[value.index()] + dim)] {
            Some((size, axes)) if local_size(*size, axes) == local => (*size, axes.clone()),
            _ => (local, Axes::new()),
        }
    }

    fn root(&self, mut at: usize) -> usize {
        while self.parent[at] != at {
            at = self.parent[at];
        }
        at
    }

    fn unite(&mut self, (a, i): (ValueId, usize), (b, j): (ValueId, usize)) {
        let (a, b) = (self.root(self.first[a.index()] + i), self.root(self.first[b.index()] + j));
        self.parent[a.max(b)] = a.min(b);
    }

    fn unite_values(&mut self, program: &Program, a: ValueId, b: ValueId) {
        let rank = program.ty(a).shape.rank().min(program.ty(b).shape.rank());
        (0..rank).for_each(|dim| self.unite((a, dim), (b, dim)));
    }

    fn learn(&mut self, value: ValueId, dim: usize, global: GlobalDim) {
        let at = self.root(self.first[value.index()] + dim);
        self.known[at].get_or_insert(global);
    }

    fn unite_op(&mut self, program: &Program, op: &Op) {
        if let Some(control) = op.kind.control() {
            let Control::Loop(looped) = control;
            let body = &program.funcs[looped.body];
            for (((&arg, &input), output), &out) in op.args.iter().zip(&body.inputs).zip(&body.outputs).zip(&op.outs) {
                [input, output.value, out].into_iter().for_each(|other| self.unite_values(program, arg, other));
            }
            return;
        }
        if op.kind.names_axes() {
            let (lost, gained) = changed_dims(op);
            for (&arg, &out) in op.args.iter().zip(&op.outs) {
                let dims = (0..program.ty(out).shape.rank()).filter(|dim| !lost.contains(dim) && !gained.contains(dim));
                dims.for_each(|dim| self.unite((arg, dim), (out, dim)));
            }
            return;
        }
        let local = |values: &[ValueId]| values.iter().map(|&v| program.values[v].local_type()).collect::<Vec<_>>();
        let (args, outs) = (local(&op.args), local(&op.outs));
        let rule = op.kind.rule(&args.iter().collect::<Vec<_>>(), &outs.iter().collect::<Vec<_>>());
        let mut first_dim = vec![None; rule.factors.len()];
        for (&value, map) in op.args.iter().chain(&op.outs).zip(rule.maps()) {
            for (dim, factors) in map.iter().enumerate() {
                // A dimension is sharded along its major factor.
                let Some(factor) = factors.first() else { continue };
                match first_dim[factor.0 as usize] {
                    Some(other) => self.unite((value, dim), other),
                    None => first_dim[factor.0 as usize] = Some((value, dim)),
                }
            }
        }
    }

    /// Records the axes that a collective adds to or removes from a dimension.
    fn learn_op(&mut self, program: &Program, op: &Op) {
        let (&[arg], &[out], Some(axes)) = (&op.args[..], &op.outs[..], op.kind.named_axes()) else { return };
        let mut learn = |value: ValueId, dim: usize| {
            let local = program.values[value].local_type().shape[dim];
            let size = axes.iter().fold(local, |size, axis| size.saturating_mul(axis.size as usize));
            self.learn(value, dim, (size, axes.clone()));
        };
        let (lost, gained) = changed_dims(op);
        lost.into_iter().for_each(|dim| learn(arg, dim));
        gained.into_iter().for_each(|dim| learn(out, dim));
    }
}

/// Returns the dimensions of the operand that lose axes, and those of the result that gain axes.
fn changed_dims(op: &Op) -> (Vec<usize>, Vec<usize>) {
    if let Some(collective) = op.kind.collective() {
        return match collective {
            Collective::AllGather(c) => (vec![c.dim], Vec::new()),
            Collective::ReduceScatter(c) => (Vec::new(), vec![c.dim]),
            Collective::AllToAll(c) => (vec![c.from], vec![c.to]),
            Collective::AllReduce(_) | Collective::Permute(_) => (Vec::new(), Vec::new()),
        };
    }
    match op.kind.class().device() {
        Some(device) => match device {
            DeviceOp::Shard(c) => (Vec::new(), vec![c.dim]),
            DeviceOp::Partial(_) | DeviceOp::Mask(_) | DeviceOp::ShardStart(_) => (Vec::new(), Vec::new()),
        },
        None => (Vec::new(), Vec::new()),
    }
}
