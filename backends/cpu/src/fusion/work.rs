//! Work of a fused loop, for cost prediction: each instruction is executed once for each tile and processes all its
//! elements.

use super::run::is_native;
use partita_ir::ops::{BinaryOp, UnaryOp};
use partita_lowering::fusion::row_loop::{Access, Instr, Reg, RegClass, RegKind, RowLayout, RowLoop};
use partita_machine::host::{Cost, MemoryAccess, Work};

/// Returns the work of all rows of a loop.
pub(super) fn work(p: &RowLoop) -> Work {
    let rows = p.rows();
    let tiles = rows * p.row.div_ceil(p.tile.max(1));
    let elements =
        |reg: Reg| if matches!(p.registers[reg as usize], RegKind::Vector(_)) { rows * p.row } else { tiles };
    let class = |reg: Reg| p.registers[reg as usize].class();
    let mut work = Work::default().with(Cost::Loop, 1).with(Cost::Tile, tiles);
    work.add(Cost::Instruction, tiles * p.instrs.len());
    for instr in &p.instrs {
        let (cost, count) = match *instr {
            Instr::Load { to, ref from } => {
                work = work.with_access(
                    MemoryAccess::Read(from.memory),
                    touched_elements(p, from) * from.dtype.bytes() as usize,
                );
                let is_native_layout =
                    is_native(from.dtype) && (from.layout == RowLayout::Contiguous || elements(to) == tiles);
                (Cost::Convert, if is_native_layout { 0 } else { elements(to) })
            }
            Instr::Iota { to, .. } => (Cost::Index, elements(to)),
            Instr::Unary { op, to, a } => (unary_cost(op, class(a)), elements(to)),
            Instr::Binary { op, to, a, .. } => (binary_cost(op, class(a)), elements(to)),
            Instr::Compare { to, a, .. } => (elementwise_cost(class(a)), elements(to)),
            Instr::Select { to, .. } => (elementwise_cost(class(to)), elements(to)),
            Instr::Convert { to, .. } => (Cost::Convert, elements(to)),
            Instr::Narrow { reg, .. } => (narrow_cost(class(reg)), elements(reg)),
            Instr::Reduce { .. } => (Cost::Reduce, rows * p.row),
            Instr::Store { ref to, .. } => {
                work = work
                    .with_access(MemoryAccess::Write(to.memory), touched_elements(p, to) * to.dtype.bytes() as usize);
                let count = if to.layout == RowLayout::Broadcast { rows } else { rows * p.row };
                (if is_native(to.dtype) { Cost::Store } else { Cost::Convert }, count)
            }
            Instr::Accumulate { a, ref to, over_row, .. } => match to.layout {
                RowLayout::Contiguous => (elementwise_cost(class(a)), rows * p.row),
                RowLayout::Broadcast if over_row => (Cost::Reduce, rows * p.row),
                RowLayout::Broadcast => (elementwise_cost(class(a)), rows),
                _ => (Cost::ScatteredElement, rows * p.row),
            },
        };
        work.add(cost, count);
    }
    work
}

/// Returns the number of distinct elements of memory that an access reaches.
fn touched_elements(p: &RowLoop, access: &Access) -> usize {
    let rows: usize = p.outer.iter().zip(&access.outer).map(|(&n, &stride)| if stride == 0 { 1 } else { n }).product();
    let row = match &access.layout {
        RowLayout::Broadcast => 1,
        RowLayout::Contiguous | RowLayout::Strided(_) => p.row,
        RowLayout::Box(sizes, strides) => sizes.iter().zip(strides).filter(|(_, s)| **s != 0).map(|(n, _)| n).product(),
    };
    rows * row
}

fn elementwise_cost(class: RegClass) -> Cost {
    match class {
        RegClass::F32 | RegClass::Bool => Cost::Arithmetic,
        RegClass::F64 | RegClass::Int => Cost::Wide,
    }
}

fn narrow_cost(class: RegClass) -> Cost {
    match class {
        RegClass::F32 | RegClass::Bool => Cost::Convert,
        RegClass::F64 | RegClass::Int => Cost::Truncate,
    }
}

fn unary_cost(op: UnaryOp, class: RegClass) -> Cost {
    let cost = match op {
        UnaryOp::Abs | UnaryOp::Neg | UnaryOp::Sign | UnaryOp::Relu => return elementwise_cost(class),
        UnaryOp::Not | UnaryOp::IsFinite | UnaryOp::Floor | UnaryOp::Ceil => return elementwise_cost(class),
        UnaryOp::StopGradient => return elementwise_cost(class),
        UnaryOp::Reciprocal | UnaryOp::Rsqrt | UnaryOp::Sqrt => Cost::Divide,
        UnaryOp::Exp | UnaryOp::Sigmoid => Cost::Exp,
        UnaryOp::Log => Cost::Log,
        UnaryOp::Tanh => Cost::Tanh,
        UnaryOp::Erf => Cost::Erf,
        UnaryOp::Expm1 | UnaryOp::Log1p | UnaryOp::Sin | UnaryOp::Cos => Cost::ScalarFunction,
        // Not fused: see `has_unary`.
        UnaryOp::Round | UnaryOp::RoundEven | UnaryOp::Cbrt | UnaryOp::Tan | UnaryOp::Asin => Cost::ScalarFunction,
        UnaryOp::Acos | UnaryOp::Atan | UnaryOp::Sinh | UnaryOp::Cosh | UnaryOp::Asinh => Cost::ScalarFunction,
        UnaryOp::Acosh | UnaryOp::Atanh | UnaryOp::Erfc | UnaryOp::ErfInv | UnaryOp::Lgamma => Cost::ScalarFunction,
        UnaryOp::Digamma | UnaryOp::PopCount | UnaryOp::CountLeadingZeros => Cost::ScalarFunction,
        UnaryOp::IsNan | UnaryOp::IsInf => Cost::ScalarFunction,
    };
    match class {
        RegClass::F32 | RegClass::Bool => cost,
        RegClass::F64 | RegClass::Int => Cost::WideFunction,
    }
}

fn binary_cost(op: BinaryOp, class: RegClass) -> Cost {
    let cost = match op {
        BinaryOp::Div => Cost::Divide,
        BinaryOp::Pow => Cost::ScalarFunction,
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Max | BinaryOp::Min => {
            return elementwise_cost(class);
        }
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => return elementwise_cost(class),
        // Not fused: see `has_binary`.
        BinaryOp::Rem | BinaryOp::Atan2 | BinaryOp::NextAfter => return elementwise_cost(class),
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight | BinaryOp::ShiftRightLogical => return elementwise_cost(class),
    };
    match class {
        RegClass::F32 => cost,
        RegClass::F64 | RegClass::Int | RegClass::Bool => Cost::WideFunction,
    }
}
