//! Traversal of the model: the ops of the entry function and of the loops in it.
//!
//! With micro-batches, or if a model scans over its layers, the model is the body of a loop, and the entry function
//! contains little more than that loop. Analyses of the computation visit [`Program::model_ops`].
//! [`Program::entry_ops`] is for analyses of the entry function itself, such as its inputs, outputs and in-place
//! updates.

use crate::arena::{FuncId, Id, OpId, ParamId, ValueId};
use crate::program::class::Control;
use crate::program::op::OpKind;
use crate::program::{Op, Program};
use rustc_hash::FxHashMap;

/// An op of the entry function or of a loop body.
#[derive(Clone, Copy, Debug)]
pub struct ModelOp<'p> {
    /// The op's id.
    pub id: OpId,
    /// The op.
    pub op: &'p Op,
    /// The function whose body contains it.
    pub func: FuncId,
    /// Number of evaluations in one run of the program: the product of the trip counts of the enclosing loops.
    pub trips: u64,
}

impl Program {
    /// Returns the ops of the entry function without the bodies of its loops, in topological order.
    pub fn entry_ops(&self) -> impl DoubleEndedIterator<Item = ModelOp<'_>> {
        self.main().body.iter().map(|&id| ModelOp { id, op: &self.ops[id], func: self.main, trips: 1 })
    }

    /// Returns the ops of the entry function and of all loop bodies, in topological order. A loop precedes the ops of
    /// its body, and the users of its results follow them. A body that several loops call is visited once, for the
    /// first loop. Scalar reducers and comparators are not visited.
    pub fn model_ops(&self) -> Vec<ModelOp<'_>> {
        let mut ops = Vec::with_capacity(self.ops.len());
        // Each function being visited, its number of evaluations, and the position of its next op.
        let mut stack = vec![(self.main, 1u64, 0)];
        let mut visited = vec![false; self.funcs.len()];
        while let Some((func, trips, at)) = stack.pop() {
            let Some(&id) = self.funcs[func].body.get(at) else { continue };
            let op = &self.ops[id];
            ops.push(ModelOp { id, op, func, trips });
            stack.push((func, trips, at + 1));
            let Some(control) = op.kind.control() else { continue };
            let Control::Loop(l) = control;
            if !std::mem::replace(&mut visited[l.body.index()], true) {
                stack.push((l.body, trips.saturating_mul(l.trip), 0));
            }
        }
        ops
    }

    /// Returns an op and the ops of all loop bodies nested in it, each with its number of evaluations per evaluation of
    /// `op`. Scalar reducers and comparators are not visited.
    pub fn ops_within(&self, op: OpId) -> Vec<(&Op, u64)> {
        let mut ops = vec![(&self.ops[op], 1u64)];
        let mut next = 0;
        while let Some(&(op, trips)) = ops.get(next) {
            next += 1;
            let Some(control) = op.kind.control() else { continue };
            let Control::Loop(l) = control;
            let trips = trips.saturating_mul(l.trip);
            ops.extend(self.funcs[l.body].body.iter().map(|&id| (&self.ops[id], trips)));
        }
        ops
    }

    /// Returns true if the predicate holds for `op` or for an op of a function that it evaluates, recursively.
    pub fn any_op_within(&self, op: &Op, predicate: &dyn Fn(&Op) -> bool) -> bool {
        let inner = || op.kind.func().into_iter().flat_map(|func| &self.funcs[func].body);
        predicate(op) || inner().any(|&op| self.any_op_within(&self.ops[op], predicate))
    }

    /// Returns true if an op only converts its operand to a narrower type.
    ///
    /// Recogniser: matches `convert` only, since the operand of an op that narrows while it computes cannot replace the
    /// result.
    pub fn narrows(&self, op: &Op) -> bool {
        let bytes = |values: &[ValueId]| values.first().map(|&value| self.ty(value).bytes());
        matches!(op.kind, OpKind::Convert(_)) && bytes(&op.outs) < bytes(&op.args)
    }

    /// Returns the inputs of the main function that the output of the same name replaces in the next step, such as KV
    /// caches, each with the index of the output. Parameters are not included.
    pub fn carried_inputs(&self) -> Vec<(ValueId, usize)> {
        let index: FxHashMap<&str, usize> = self.outputs().iter().zip(0..).map(|(o, i)| (o.name.as_str(), i)).collect();
        let inputs = self.inputs().iter().filter(|&&input| self.param_of(input).is_none());
        inputs.filter_map(|&input| Some((input, *index.get(self.values[input].name.as_str())?))).collect()
    }

    /// Returns the parameter that each value is identical to, by value id: parameters of the entry function, and
    /// loop-carried values initialized with one.
    ///
    /// An input of a loop body is identical to the parameter that initializes it. A result of a loop is identical to
    /// the parameter only if the loop body returns it unchanged.
    pub fn param_values(&self) -> Vec<Option<ParamId>> {
        let mut declared = vec![None; self.values.len()];
        for (id, param) in self.params.iter() {
            declared[param.value.index()] = Some(id);
        }
        self.input_values().into_iter().map(|input| declared[input?.index()]).collect()
    }

    /// Returns the input of the entry function that each value is identical to, by value id, as for
    /// [`Program::param_values`].
    pub fn input_values(&self) -> Vec<Option<ValueId>> {
        let mut inputs = vec![None; self.values.len()];
        for &input in &self.main().inputs {
            inputs[input.index()] = Some(input);
        }
        for ModelOp { op, .. } in self.model_ops() {
            let Some(control) = op.kind.control() else { continue };
            let Control::Loop(l) = control;
            let body = &self.funcs[l.body];
            for (i, &arg) in op.args.iter().enumerate() {
                let Some(input) = inputs[arg.index()] else { continue };
                let given: Option<&ValueId> = body.inputs.get(i);
                if let Some(given) = given {
                    inputs[given.index()] = Some(input);
                }
                let is_invariant = body.outputs.get(i).is_some_and(|o| Some(&o.value) == given);
                if is_invariant && let Some(out) = op.outs.get(i) {
                    inputs[out.index()] = Some(input);
                }
            }
        }
        inputs
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::{DType, Type};
    use crate::program::build::{Builder, Namer};
    use crate::program::ops::{BinaryOp, Loop};
    use crate::program::{Func, Output};

    /// Creates a program with a loop that passes a weight through unchanged and replaces state, followed by a user of
    /// both.
    fn program() -> Program {
        let mut program = Program::default();
        let ty = Type::new(DType::F32, [2]);
        let (x, w) = (program.input("x", ty.clone()), program.param("w", "w", ty.clone()));
        let s = program.param("s", "s", ty.clone());
        let inner: Vec<ValueId> = ["bx", "bw", "bs"].iter().map(|name| program.value(*name, ty.clone())).collect();
        let mut names = Namer::from_program(&program);
        let mut b = Builder::new(&mut program, &mut names);
        let y = b.binary(BinaryOp::Mul, inner[0], inner[1]);
        let next = b.binary(BinaryOp::Add, inner[2], y);
        let body = std::mem::take(&mut b.body);
        let output = |value| Output { value, name: "o".into(), replaces: None };
        let outputs = vec![output(y), output(inner[1]), output(next)];
        let body = b.program.funcs.push(Func { name: "body".into(), inputs: inner, outputs, body });
        let outs = b.op_many("f", Loop::counted(3, body), &[x, w, s], &[ty.clone(), ty.clone(), ty]);
        let last = b.binary(BinaryOp::Add, outs[0], outs[1]);
        let main = b.program.main;
        b.finish(main);
        program.output("last", last);
        program
    }

    #[test]
    fn loop_bodies_are_visited_between_the_loop_and_its_readers() {
        let program = program();
        let seen: Vec<(&str, u64)> = program.model_ops().iter().map(|o| (o.op.kind.name(), o.trips)).collect();
        assert_eq!(seen, [("loop", 1), ("mul", 3), ("add", 3), ("add", 1)]);
        assert_eq!(program.entry_ops().count(), 2);
        let within = |at: usize| program.ops_within(program.main().body[at]);
        assert_eq!(within(0).iter().map(|(op, n)| (op.kind.name(), *n)).collect::<Vec<_>>(), seen[..3]);
        assert_eq!(within(1).len(), 1);
    }

    #[test]
    fn carried_parameters_are_parameters_inside_a_loop_and_after_it_if_unchanged() {
        let program = program();
        let params = program.param_values();
        let named = |name: &str| {
            let value = program.values.iter().find(|(_, v)| v.name == name).map(|(id, _)| id).unwrap();
            params[value.index()].map(|p| program.params[p].path.as_str())
        };
        assert_eq!((named("bw"), named("bs"), named("bx")), (Some("w"), Some("s"), None));
        let looped = program.entry_ops().next().unwrap().op;
        let outs: Vec<_> = looped.outs.iter().map(|v| params[v.index()].is_some()).collect();
        assert_eq!(outs, [false, true, false]);
    }
}
