//! What a fused loop has to do: each instruction is called once a tile, and goes over its elements.

use super::run::is_native;
use partita_ir::ops::{BinaryOp, UnaryOp};
use partita_lowering::fusion::row_loop::{Access, Holds, Instr, Lane, Reg, RowLoop, Run};
use partita_machine::host::{Cost, Touch, Work};

/// All rows of a loop.
pub(super) fn work(p: &RowLoop) -> Work {
    let rows = p.rows();
    let tiles = rows * p.row.div_ceil(p.tile.max(1));
    let elements = |reg: Reg| if matches!(p.registers[reg as usize], Holds::Row(_)) { rows * p.row } else { tiles };
    let lane = |reg: Reg| p.registers[reg as usize].lane();
    let mut work = Work::default().with(Cost::Loop, 1).with(Cost::Tile, tiles);
    work.add(Cost::Instruction, tiles * p.instrs.len());
    for instr in &p.instrs {
        let (cost, count) = match *instr {
            Instr::Load { to, ref from } => {
                work = work.over(Touch::Read(from.memory), touched(p, from) * from.dtype.bytes() as usize);
                let is_there = is_native(from.dtype) && (from.run == Run::Dense || elements(to) == tiles);
                (Cost::Convert, if is_there { 0 } else { elements(to) })
            }
            Instr::Count { to, .. } => (Cost::Index, elements(to)),
            Instr::Unary { op, to, a } => (of_unary(op, lane(a)), elements(to)),
            Instr::Binary { op, to, a, .. } => (of_binary(op, lane(a)), elements(to)),
            Instr::Compare { to, a, .. } => (plain(lane(a)), elements(to)),
            Instr::Select { to, .. } => (plain(lane(to)), elements(to)),
            Instr::Convert { to, .. } => (Cost::Convert, elements(to)),
            Instr::Narrow { reg, .. } => (narrow(lane(reg)), elements(reg)),
            Instr::Reduce { .. } => (Cost::Reduce, rows * p.row),
            Instr::Store { ref to, .. } => {
                work = work.over(Touch::Written(to.memory), touched(p, to) * to.dtype.bytes() as usize);
                let count = if to.run == Run::Same { rows } else { rows * p.row };
                (if is_native(to.dtype) { Cost::Store } else { Cost::Convert }, count)
            }
            Instr::Accumulate { a, ref to, over_row, .. } => match to.run {
                Run::Dense => (plain(lane(a)), rows * p.row),
                Run::Same if over_row => (Cost::Reduce, rows * p.row),
                Run::Same => (plain(lane(a)), rows),
                _ => (Cost::Scattered, rows * p.row),
            },
        };
        work.add(cost, count);
    }
    work
}

/// How many elements of memory an access reaches.
fn touched(p: &RowLoop, access: &Access) -> usize {
    let rows: usize = p.outer.iter().zip(&access.outer).map(|(&n, &stride)| if stride == 0 { 1 } else { n }).product();
    let row = match &access.run {
        Run::Same => 1,
        Run::Dense | Run::Strided(_) => p.row,
        Run::Box(sizes, strides) => sizes.iter().zip(strides).filter(|(_, s)| **s != 0).map(|(n, _)| n).product(),
    };
    rows * row
}

fn plain(lane: Lane) -> Cost {
    match lane {
        Lane::F32 | Lane::Bool => Cost::Plain,
        Lane::F64 | Lane::Int => Cost::Wide,
    }
}

fn narrow(lane: Lane) -> Cost {
    match lane {
        Lane::F32 | Lane::Bool => Cost::Convert,
        Lane::F64 | Lane::Int => Cost::Wrap,
    }
}

fn of_unary(op: UnaryOp, lane: Lane) -> Cost {
    let cost = match op {
        UnaryOp::Abs | UnaryOp::Neg | UnaryOp::Sign | UnaryOp::Relu => return plain(lane),
        UnaryOp::Not | UnaryOp::IsFinite | UnaryOp::Floor | UnaryOp::Ceil => return plain(lane),
        UnaryOp::Reciprocal | UnaryOp::Rsqrt | UnaryOp::Sqrt => Cost::Divide,
        UnaryOp::Exp | UnaryOp::Sigmoid => Cost::Exp,
        UnaryOp::Log => Cost::Log,
        UnaryOp::Tanh => Cost::Tanh,
        UnaryOp::Erf => Cost::Erf,
        UnaryOp::Expm1 | UnaryOp::Log1p | UnaryOp::Sin | UnaryOp::Cos => Cost::Slow,
        // Not fused: see `has_unary`.
        UnaryOp::Round | UnaryOp::RoundEven | UnaryOp::Cbrt | UnaryOp::Tan | UnaryOp::Asin => Cost::Slow,
        UnaryOp::Acos | UnaryOp::Atan | UnaryOp::Sinh | UnaryOp::Cosh | UnaryOp::Asinh => Cost::Slow,
        UnaryOp::Acosh | UnaryOp::Atanh | UnaryOp::Erfc | UnaryOp::ErfInv | UnaryOp::Lgamma => Cost::Slow,
        UnaryOp::Digamma | UnaryOp::PopCount | UnaryOp::CountLeadingZeros => Cost::Slow,
        UnaryOp::IsNan | UnaryOp::IsInf => Cost::Slow,
    };
    match lane {
        Lane::F32 | Lane::Bool => cost,
        Lane::F64 | Lane::Int => Cost::WideSlow,
    }
}

fn of_binary(op: BinaryOp, lane: Lane) -> Cost {
    let cost = match op {
        BinaryOp::Div => Cost::Divide,
        BinaryOp::Pow => Cost::Slow,
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Max | BinaryOp::Min => return plain(lane),
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => return plain(lane),
        // Not fused: see `has_binary`.
        BinaryOp::Rem | BinaryOp::Atan2 | BinaryOp::NextAfter => return plain(lane),
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight | BinaryOp::ShiftRightLogical => return plain(lane),
    };
    match lane {
        Lane::F32 => cost,
        Lane::F64 | Lane::Int | Lane::Bool => Cost::WideSlow,
    }
}
