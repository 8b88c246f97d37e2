//! Live ranges of values within the body of a function.
//!
//! A body of `n` ops has the program points `0` (inputs are defined), `i + 1` (op `i` executes) and `n + 1` (results
//! are returned). A body has no branches, so the live range of a value is an interval of points. Values inside a loop
//! body have ranges in that body; at the loop op itself, carried values are ordinary operands and results.

use crate::arena::{FuncId, ValueId};
use crate::program::Program;
use indexmap::IndexMap;
use smallvec::SmallVec;

/// Live range of a value: an inclusive interval of program points.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LiveRange {
    /// Point of the definition.
    pub from: usize,
    /// Point of the last use; equal to `from` if the value is unused.
    pub to: usize,
}

/// Live ranges of one function.
#[derive(Clone, Debug)]
pub struct Liveness {
    /// Live range of each value: inputs first, then results in program order.
    pub ranges: IndexMap<ValueId, LiveRange>,
    dying: Vec<SmallVec<[ValueId; 2]>>,
}

impl Liveness {
    /// Computes the live ranges of a function in which definitions precede uses.
    pub fn new(program: &Program, func: FuncId) -> Liveness {
        let func = &program.funcs[func];
        let end = func.body.len() + 1;
        let mut ranges: IndexMap<ValueId, LiveRange> =
            func.inputs.iter().map(|&v| (v, LiveRange { from: 0, to: 0 })).collect();
        for (point, &op) in (1..).zip(&func.body) {
            let op = &program.ops[op];
            for arg in &op.args {
                if let Some(range) = ranges.get_mut(arg) {
                    range.to = point;
                }
            }
            ranges.extend(op.outs.iter().map(|&v| (v, LiveRange { from: point, to: point })));
        }
        for output in &func.outputs {
            if let Some(range) = ranges.get_mut(&output.value) {
                range.to = end;
            }
        }
        let mut dying = vec![SmallVec::new(); end + 1];
        for (&value, range) in &ranges {
            dying[range.to].push(value);
        }
        Liveness { ranges, dying }
    }

    /// Returns the values whose live range ends at `point`, in the order of [`Liveness::ranges`].
    pub fn dying_at(&self, point: usize) -> &[ValueId] {
        self.dying.get(point).map_or(&[], |values| values)
    }

    /// Returns true if the value is not used after `point`.
    pub fn is_dead_after(&self, value: ValueId, point: usize) -> bool {
        self.ranges.get(&value).is_none_or(|range| range.to <= point)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::{DType, Type};
    use crate::program::build::{Builder, Namer};
    use crate::program::ops::{BinaryOp, UnaryOp};

    #[test]
    fn a_value_lives_from_its_op_to_its_last_reader() {
        let mut program = Program::default();
        let ty = Type::new(DType::F32, [4]);
        let (x, unread) = (program.input("x", ty.clone()), program.input("unread", ty));
        let mut names = Namer::from_program(&program);
        let main = program.main;
        let mut b = Builder::new(&mut program, &mut names);
        let a = b.unary(UnaryOp::Exp, x); // point 1
        let c = b.binary(BinaryOp::Add, a, x); // point 2
        let dead = b.unary(UnaryOp::Exp, c); // point 3
        b.finish(main);
        program.output("out0", c);
        let live = Liveness::new(&program, program.main);
        let range = |v: ValueId| (live.ranges[&v].from, live.ranges[&v].to);
        assert_eq!(range(x), (0, 2));
        assert_eq!(range(unread), (0, 0));
        assert_eq!(range(a), (1, 2));
        assert_eq!(range(c), (2, 4));
        assert_eq!(range(dead), (3, 3));
        assert_eq!(live.dying_at(0), [unread]);
        assert_eq!(live.dying_at(2), [x, a]);
        assert_eq!(live.dying_at(4), [c]);
        assert!(live.is_dead_after(a, 2) && !live.is_dead_after(a, 1));
    }
}
