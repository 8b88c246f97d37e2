//! Live ranges: from where to where in a function's body a value is held.
//!
//! A body of `n` ops has the points `0` (the inputs are there), `i + 1` (op `i` runs) and `n + 1` (the results are
//! returned). A body has no branches, so a value is live over one stretch of them. What a loop's body holds is a matter
//! of that body's own ranges; at the loop itself its carried values are operands and results like any others.

use crate::arena::{FuncId, ValueId};
use crate::program::Program;
use indexmap::IndexMap;
use smallvec::SmallVec;

/// The points at which a value is held, both included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    /// Where it comes into being.
    pub from: usize,
    /// Where it is read last; `from` when nobody reads it.
    pub to: usize,
}

/// The live ranges of one function.
#[derive(Clone, Debug)]
pub struct Liveness {
    /// By value: the inputs, then results in order of the body.
    pub ranges: IndexMap<ValueId, Range>,
    dying: Vec<SmallVec<[ValueId; 2]>>,
}

impl Liveness {
    /// The live ranges of a function of a program whose operands come before their users.
    pub fn of(program: &Program, func: FuncId) -> Liveness {
        let func = &program.funcs[func];
        let end = func.body.len() + 1;
        let mut ranges: IndexMap<ValueId, Range> = func.inputs.iter().map(|&v| (v, Range { from: 0, to: 0 })).collect();
        for (point, &op) in (1..).zip(&func.body) {
            let op = &program.ops[op];
            for arg in &op.args {
                if let Some(range) = ranges.get_mut(arg) {
                    range.to = point;
                }
            }
            ranges.extend(op.outs.iter().map(|&v| (v, Range { from: point, to: point })));
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

    /// The values that nobody reads after that point, in order of [`Liveness::ranges`].
    pub fn dying(&self, point: usize) -> &[ValueId] {
        self.dying.get(point).map_or(&[], |values| values)
    }

    /// Whether nobody reads the value after that point.
    pub fn dies(&self, value: ValueId, point: usize) -> bool {
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
        let mut names = Namer::of(&program);
        let main = program.main;
        let mut b = Builder::new(&mut program, &mut names);
        let a = b.unary(UnaryOp::Exp, x); // point 1
        let c = b.binary(BinaryOp::Add, a, x); // point 2
        let dead = b.unary(UnaryOp::Exp, c); // point 3
        b.finish(main);
        program.output("out0", c);
        let live = Liveness::of(&program, program.main);
        let range = |v: ValueId| (live.ranges[&v].from, live.ranges[&v].to);
        assert_eq!(range(x), (0, 2));
        assert_eq!(range(unread), (0, 0));
        assert_eq!(range(a), (1, 2));
        assert_eq!(range(c), (2, 4));
        assert_eq!(range(dead), (3, 3));
        assert_eq!(live.dying(0), [unread]);
        assert_eq!(live.dying(2), [x, a]);
        assert_eq!(live.dying(4), [c]);
        assert!(live.dies(a, 2) && !live.dies(a, 1));
    }
}
