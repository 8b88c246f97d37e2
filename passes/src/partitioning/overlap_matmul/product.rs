//! Matrix products that are computed in blocks of one dimension.

use super::block::{Blocks, DeviceBlock};
use super::continue_op;
use partita_ir::arena::{OpId, ValueId};
use partita_ir::build::Builder;
use partita_ir::op::OpKind;
use partita_ir::program::{Op, Program, Values};
use partita_ir::rule::{FactorId, FactorKind, Rule};
use smallvec::SmallVec;

/// A matrix product of which one dimension is divided into blocks.
pub(super) struct BlockProduct {
    pub op: Op,
    /// Operands that have the dimension, each with its index there.
    divided: SmallVec<[(usize, usize); 2]>,
    /// The dimension of the result.
    pub result: usize,
}

impl BlockProduct {
    /// Returns the product with blocks of a dimension of the operand `value`. `None` for other ops, for a contracted
    /// dimension, and if the value is several operands.
    pub fn of_operand(program: &Program, id: OpId, value: ValueId, dim: usize) -> Option<BlockProduct> {
        let (op, rule) = product(program, id)?;
        let mut positions = (0..op.args.len()).filter(|&arg| op.args[arg] == value);
        let (Some(arg), None) = (positions.next(), positions.next()) else { return None };
        let &[factor] = &rule.args[arg].get(dim)?[..] else { return None };
        BlockProduct::new(op, &rule, factor)
    }

    /// Returns the product with blocks of a dimension of its result. `None` for other ops.
    pub fn of_result(program: &Program, id: OpId, dim: usize) -> Option<BlockProduct> {
        let (op, rule) = product(program, id)?;
        let &[factor] = &rule.outs[0].get(dim)?[..] else { return None };
        BlockProduct::new(op, &rule, factor)
    }

    fn new(op: &Op, rule: &Rule, factor: FactorId) -> Option<BlockProduct> {
        if rule.kind(factor) != FactorKind::PassThrough {
            return None;
        }
        let position = |map: &[SmallVec<[FactorId; 2]>]| map.iter().position(|factors| factors[..] == [factor]);
        let divided = rule.args.iter().enumerate().filter_map(|(arg, map)| Some((arg, position(map)?))).collect();
        Some(BlockProduct { op: op.clone(), divided, result: position(&rule.outs[0])? })
    }

    /// Returns the result.
    pub fn out(&self) -> ValueId {
        self.op.outs[0]
    }

    /// Appends zeros to the divided operands other than `given`, such that each has all blocks.
    pub fn pad_operands(&mut self, b: &mut Builder<'_>, blocks: &Blocks<'_>, given: Option<ValueId>) {
        continue_op(b, &self.op);
        for &(arg, dim) in &self.divided {
            if Some(self.op.args[arg]) != given {
                self.op.args[arg] = blocks.padded(b, self.op.args[arg], dim);
            }
        }
    }

    /// Appends the product of a block. `given` is an operand, with its block; of others, the block is sliced.
    pub fn append(&self, b: &mut Builder<'_>, block: &mut DeviceBlock, given: Option<(ValueId, ValueId)>) -> ValueId {
        continue_op(b, &self.op);
        let mut args: Values = self.op.args.clone();
        for &(arg, dim) in &self.divided {
            args[arg] = match given {
                Some((value, of_block)) if value == args[arg] => of_block,
                Some(_) | None => block.slice(b, args[arg], dim),
            };
        }
        let out = &b.program.values[self.out()];
        let (name, mut ty) = (out.name.clone(), out.local_type());
        ty.shape[self.result] = block.rows;
        b.op(&name, self.op.kind.clone(), &args, ty)
    }
}

/// Recogniser: other ops, such as convolutions, are not computed in blocks.
fn product(program: &Program, id: OpId) -> Option<(&Op, Rule)> {
    let op = &program.ops[id];
    let OpKind::DotGeneral(_) = op.kind else { return None };
    let types = |values: &[ValueId]| values.iter().map(|&v| program.values[v].local_type()).collect::<Vec<_>>();
    let (args, outs) = (types(&op.args), types(&op.outs));
    Some((op, op.kind.rule(&args.iter().collect::<Vec<_>>(), &outs.iter().collect::<Vec<_>>())))
}
