//! Loops under construction.

use super::{Builder, Namer, OpTypeError, check_op_types, live_ops};
use crate::arena::{OpId, ValueId};
use crate::dtype::{DType, Type};
use crate::ops::{ASSUMED_ITERATIONS, Loop, MAX_ITERATIONS};
use crate::program::{Func, Name, Output};
use rustc_hash::{FxHashMap, FxHashSet};

/// Number of iterations of a loop.
#[derive(Clone, Copy, Debug)]
pub enum Trip {
    /// A fixed number.
    Counted(u64),
    /// The loop ends before the iteration in which a carried value is false.
    While {
        /// The carried value, a boolean scalar.
        condition: ValueId,
        /// Largest number of iterations, if it is known.
        limit: Option<u64>,
    },
}

/// A loop-carried value.
struct Carried {
    /// Initial value in the enclosing function.
    initial: ValueId,
    /// Value at the start of an iteration: an input of the body.
    input: ValueId,
    /// True for a value of the enclosing function, which the body reads and does not change.
    captured: bool,
}

/// A loop under construction. From [`LoopBody::begin`] until [`LoopBody::finish`] or [`LoopBody::abandon`], ops are
/// appended to its body, a new function.
pub struct LoopBody {
    name: &'static str,
    /// Ops of the enclosing function.
    outer_ops: Vec<OpId>,
    /// Names of the enclosing function.
    outer_names: Namer,
    carried: Vec<Carried>,
    /// Names of the inputs of the body. No op has names with their base.
    input_names: Namer,
    /// Inputs of the body for captured values.
    captured: FxHashMap<ValueId, ValueId>,
}

/// Results of a loop, by the input of the body.
pub struct LoopResults(FxHashMap<ValueId, ValueId>);

impl LoopResults {
    /// Returns the final value of the carried value with the given input of the body.
    pub fn of_input(&self, input: ValueId) -> ValueId {
        self.0[&input]
    }
}

impl LoopBody {
    /// Begins a loop; `name` is its name in the program.
    pub fn begin(b: &mut Builder<'_>, name: &'static str) -> LoopBody {
        let mut body = LoopBody {
            name,
            outer_ops: Vec::new(),
            outer_names: Namer::default(),
            carried: Vec::new(),
            input_names: Namer::default(),
            captured: FxHashMap::default(),
        };
        body.swap(b);
        body
    }

    fn swap(&mut self, b: &mut Builder<'_>) {
        std::mem::swap(&mut self.outer_ops, &mut b.body);
        std::mem::swap(&mut self.outer_names, b.names);
    }

    /// Adds a carried value with the given initial value in the enclosing function. Returns the input of the body.
    pub fn carry(&mut self, b: &mut Builder<'_>, initial: ValueId) -> ValueId {
        let (name, ty) = (self.input_names.fresh("carried"), b.ty(initial));
        let input = b.program.value(name, ty);
        self.carried.push(Carried { initial, input, captured: false });
        input
    }

    /// Returns the input of the body for a value of the enclosing function, which becomes a carried value.
    pub fn capture(&mut self, b: &mut Builder<'_>, value: ValueId) -> ValueId {
        if let Some(&input) = self.captured.get(&value) {
            return input;
        }
        let input = self.carry(b, value);
        if let Some(carried) = self.carried.last_mut() {
            carried.captured = true;
        }
        self.captured.insert(value, input);
        input
    }

    /// Returns an unused name of the enclosing function.
    pub fn outer_name(&mut self, base: &str) -> Name {
        self.outer_names.fresh(base)
    }

    /// Appends ops to the enclosing function.
    pub fn outside<R>(&mut self, b: &mut Builder<'_>, append: impl FnOnce(&mut Builder<'_>) -> R) -> R {
        self.swap(b);
        let result = append(b);
        self.swap(b);
        result
    }

    /// Discards the loop.
    pub fn abandon(mut self, b: &mut Builder<'_>) {
        self.swap(b);
    }

    /// Appends the loop to the enclosing function. `next` has pairs of an input of the body and its value in the next
    /// iteration; other carried values remain the same.
    ///
    /// # Errors
    /// A carried value changes its type, or the body contains an invalid op.
    pub fn finish(
        mut self,
        b: &mut Builder<'_>,
        trip: Trip,
        next: &[(ValueId, ValueId)],
    ) -> Result<LoopResults, OpTypeError> {
        let number = b.program.funcs.len();
        let func = self.func(b, format!("{}_{number}", self.name), trip, next);
        self.swap(b);
        let func = func?;
        let initial: Vec<ValueId> = self.carried.iter().map(|carried| carried.initial).collect();
        let types: Vec<Type> = initial.iter().map(|&value| b.ty(value)).collect();
        let body = b.program.funcs.push(func);
        let kind = match trip {
            Trip::Counted(trip) => Loop::counted(trip, body),
            Trip::While { limit, .. } => {
                let limit = limit.unwrap_or(MAX_ITERATIONS).clamp(1, MAX_ITERATIONS);
                Loop { trip: ASSUMED_ITERATIONS.min(limit), body, limit }
            }
        };
        let outs = b.op_many(self.name, kind, &initial, &types);
        Ok(LoopResults(self.carried.iter().map(|carried| carried.input).zip(outs).collect()))
    }

    /// Returns the function of the body. Captured values that its ops do not read are dropped, and the condition of a
    /// `while` loop becomes the first carried value.
    fn func(
        &mut self,
        b: &Builder<'_>,
        name: String,
        trip: Trip,
        next: &[(ValueId, ValueId)],
    ) -> Result<Func, OpTypeError> {
        let next: FxHashMap<ValueId, ValueId> = next.iter().copied().collect();
        let after = |carried: &Carried| next.get(&carried.input).copied().unwrap_or(carried.input);
        for carried in &self.carried {
            let (before, after) = (b.ty(carried.input), b.ty(after(carried)));
            if before != after {
                return Err(OpTypeError::Invalid(format!("carries a value of {before} that becomes {after}")));
            }
        }
        let ops = live_ops(b.program, &b.body, self.carried.iter().map(after));
        check_op_types(b.program, &ops)?;
        let mut read: FxHashSet<ValueId> = ops.iter().flat_map(|&op| b.program.ops[op].args.iter().copied()).collect();
        // A carried value may also become the value of another one.
        read.extend(self.carried.iter().filter(|carried| !carried.captured).map(after));
        self.carried.retain(|carried| !carried.captured || read.contains(&carried.input));
        if let Trip::While { condition, .. } = trip {
            assert_eq!(b.ty(condition), Type::new(DType::Bool, []));
            self.carried.sort_by_key(|carried| carried.input != condition);
        }
        let output = |(i, carried)| Output { value: after(carried), name: format!("o{i}").into(), replaces: None };
        let outputs = self.carried.iter().enumerate().map(output).collect();
        let inputs = self.carried.iter().map(|carried| carried.input).collect();
        Ok(Func::new(name, inputs, outputs, ops))
    }
}
