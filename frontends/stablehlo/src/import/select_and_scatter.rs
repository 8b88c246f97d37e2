//! Lowering of `select_and_scatter`, which selects one element of each window and combines an element of the source
//! with it.
//!
//! The gradient of max or min pooling is an op of the program. Any other selection visits the positions within a window
//! one after the other: a first pass over them finds the position that each window selects, and a second pass combines
//! the elements of the source whose windows selected the position. Each step is elementwise on shifted tensors.

use super::Importer;
use super::region::{LoweredRegion, Reducer, classify_region};
use crate::fault::{Fault, Result};
use crate::syntax::{Attr, Op, Opcode, Region};
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::layout::Monoid;
use partita_ir::ops::{BinaryOp, Compare, Constant, Direction, Literal, Pad, Select, SelectAndScatter, Slice, UnaryOp};
use partita_ir::ops::{Broadcast, Unary};
use partita_ir::program::Values;
use partita_ir::rule::Window;
use partita_ir::syntax::attr::Dims;
use partita_ir::tensor::Scalar;

/// Maximum number of positions within a window that are visited one after the other.
const MAX_POSITIONS: usize = 1 << 10;

/// Windows over an operand.
struct Pooling<'w> {
    windows: &'w [Window],
    /// Shape of the operand.
    operand: Shape,
    /// Shape of the source: one element per window.
    source: Shape,
}

/// The selection of each window among the positions visited so far.
struct Selection {
    value: ValueId,
    /// Number of the selected position.
    position: ValueId,
    /// True for a window with an element of the operand at a visited position; `None` if all have one.
    exists: Option<ValueId>,
}

impl Pooling<'_> {
    /// Returns all positions within a window, in row-major order.
    fn positions(&self) -> Vec<Vec<usize>> {
        self.windows.iter().fold(vec![Vec::new()], |positions, window| {
            let extended = |position: &Vec<usize>| {
                let position = position.clone();
                (0..window.size).map(move |tap| position.iter().copied().chain([tap]).collect())
            };
            positions.iter().flat_map(extended).collect()
        })
    }

    /// Returns true if every window has an element of the operand at `position`, and no padding.
    fn is_inside(&self, position: &[usize]) -> bool {
        (self.windows.iter().zip(position)).zip(self.operand.iter().zip(self.source.iter())).all(
            |((w, &tap), (&n, &m))| {
                let first = tap as i64 - w.low;
                first >= 0 && first + ((m.saturating_sub(1) * w.stride) as i64) < n as i64
            },
        )
    }
}

impl<'m, 'a> Importer<'m, 'a> {
    /// Lowers a selection of one element in each window. Errors: regions with operations that are not elementwise.
    pub(super) fn select_and_scatter(&mut self, op: &'m Op<'a>, args: &[ValueId]) -> Result<Values> {
        let (&[operand, source, init], [select, scatter]) = (args, &op.regions[..]) else {
            return Err(self.op_fault(op, "takes 3 operands and 2 regions"));
        };
        let windows = self.window_attrs(op)?;
        let adds = classify_region(scatter) == Reducer::Monoid(Monoid::Sum) && self.is_identity(Monoid::Sum, init);
        let monoid = pooling_of(select);
        let pooling = SelectAndScatter { monoid: monoid.unwrap_or(Monoid::Max), windows };
        if monoid.is_some() && adds {
            return self.emit(op, pooling, &[operand, source]);
        }
        self.check(op, &pooling.clone().into(), &[operand, source], &op.types)?;
        if self.program.ty(operand).shape.count() == 0 || self.program.ty(source).shape.count() == 0 {
            return self.emit(op, Broadcast { dims: Dims::new() }, &[init]);
        }
        let positions = pooling.windows.iter().fold(1, |count: usize, w| count.saturating_mul(w.size));
        if positions > MAX_POSITIONS {
            let title = format!("`{}` has windows of {positions} elements", op.code.name());
            return Err(Fault::unsupported(title, op.span())
                .note(format!("windows may have up to {MAX_POSITIONS} elements if the selection is not by GE or LE"))
                .help("select by GE or LE, and add what is scattered to 0"));
        }
        let shape = |value| self.program.ty(value).shape.clone();
        let pooling = Pooling { windows: &pooling.windows, operand: shape(operand), source: shape(source) };
        let select = self.constant_region(op, select)?;
        let scatter = self.constant_region(op, scatter)?;
        self.has_unused_ops = true;
        let selection = self.selection(op, &pooling, &select, operand, init)?;
        let scattered = self.scattered(op, &pooling, &scatter, &selection, source, init)?;
        match self.program.ty(scattered) == &op.types[0] {
            true => Ok(Values::from_slice(&[scattered])),
            false => Err(self.op_fault(op, "does not return the declared type")),
        }
    }

    /// Finds the position that each window selects: of two elements the first one if `select` returns true.
    fn selection(
        &mut self,
        op: &'m Op<'a>,
        pooling: &Pooling<'_>,
        select: &LoweredRegion,
        operand: ValueId,
        init: ValueId,
    ) -> Result<Selection> {
        let falsehood = self.splat_of(Scalar::Int(0), DType::Bool, &Shape::default());
        let truth = self.splat_of(Scalar::Int(1), DType::Bool, &pooling.operand);
        let padded = self.padded(operand, init, pooling.windows);
        let inside = self.padded(truth, falsehood, pooling.windows);
        let mut selection: Option<Selection> = None;
        for (number, position) in pooling.positions().iter().enumerate() {
            let value = self.at_position(padded, pooling, position);
            let exists = (!pooling.is_inside(position)).then(|| self.at_position(inside, pooling, position));
            let position = self.splat_of(Scalar::Int(number as i64), DType::I32, &pooling.source);
            selection = Some(match selection {
                None => Selection { value, position, exists },
                Some(before) => {
                    let keeps = self.combined(op, select, &[before.value], &[value])?;
                    let &[keeps] = &keeps[..] else {
                        return Err(self.op_fault(op, "has a selection without a result of type `i1`"));
                    };
                    let mut replaces = self.not(keeps);
                    if let Some(before) = before.exists {
                        let is_first = self.not(before);
                        replaces = self.binary_of(BinaryOp::Or, replaces, is_first);
                    }
                    if let Some(exists) = exists {
                        replaces = self.binary_of(BinaryOp::And, replaces, exists);
                    }
                    Selection {
                        value: self.chosen(replaces, value, before.value),
                        position: self.chosen(replaces, position, before.position),
                        exists: before.exists.zip(exists).map(|(a, b)| self.binary_of(BinaryOp::Or, a, b)),
                    }
                }
            });
        }
        selection.ok_or_else(|| self.op_fault(op, "has a window without elements"))
    }

    /// Combines the elements of the source with the initial value at the selected elements, in the order of windows.
    fn scattered(
        &mut self,
        op: &'m Op<'a>,
        pooling: &Pooling<'_>,
        scatter: &LoweredRegion,
        selection: &Selection,
        source: ValueId,
        init: ValueId,
    ) -> Result<ValueId> {
        let falsehood = self.splat_of(Scalar::Int(0), DType::Bool, &Shape::default());
        let ty = Type { shape: pooling.operand.clone(), dtype: self.program.ty(init).dtype };
        let mut result = self.temp("init", Broadcast { dims: Dims::new() }, &[init], ty);
        // An element is at later positions of earlier windows.
        for (number, position) in pooling.positions().iter().enumerate().rev() {
            let number = self.splat_of(Scalar::Int(number as i64), DType::I32, &pooling.source);
            let compare = Compare { direction: Direction::Eq, total: false };
            let bool_ty = Type { shape: pooling.source.clone(), dtype: DType::Bool };
            let mut selects = self.temp("selects", compare, &[selection.position, number], bool_ty);
            if let Some(exists) = selection.exists {
                selects = self.binary_of(BinaryOp::And, selects, exists);
            }
            let selects = self.spread(selects, falsehood, pooling, position);
            let added = self.spread(source, init, pooling, position);
            let combined = self.combined(op, scatter, &[result], &[added])?;
            let &[combined] = &combined[..] else {
                return Err(self.op_fault(op, "has a combination without a result"));
            };
            if self.program.ty(combined) != self.program.ty(result) {
                return Err(self.op_fault(op, "has a combination of another type"));
            }
            result = self.chosen(selects, combined, result);
        }
        Ok(result)
    }

    /// Returns the element at one position of each window of a padded operand.
    fn at_position(&mut self, padded: ValueId, pooling: &Pooling<'_>, position: &[usize]) -> ValueId {
        let ty = Type { shape: pooling.source.clone(), dtype: self.program.ty(padded).dtype };
        let strides: Dims = pooling.windows.iter().map(|w| w.stride).collect();
        let last = |(start, (stride, &count)): (&usize, (&usize, &usize))| start + count.saturating_sub(1) * stride + 1;
        let limit = position.iter().zip(strides.iter().zip(pooling.source.iter())).map(last).collect();
        let slice = Slice { start: Dims::from_slice(position), limit, stride: strides };
        self.temp("window", slice, &[padded], ty)
    }

    /// Moves one element per window to the element of the operand at one position of the window.
    fn spread(&mut self, x: ValueId, fill: ValueId, pooling: &Pooling<'_>, position: &[usize]) -> ValueId {
        let mut pad = Pad { low: Vec::new(), high: Vec::new(), interior: Dims::new() };
        let sizes = pooling.operand.iter().zip(pooling.source.iter());
        for ((window, &tap), (&size, &count)) in pooling.windows.iter().zip(position).zip(sizes) {
            let low = tap as i64 - window.low;
            let covered = count.saturating_sub(1) * window.stride + count.min(1);
            pad.low.push(low);
            pad.high.push(size as i64 - low - covered as i64);
            pad.interior.push(window.stride - 1);
        }
        let ty = Type { shape: pooling.operand.clone(), dtype: self.program.ty(x).dtype };
        self.temp("spread", pad, &[x, fill], ty)
    }

    fn splat_of(&mut self, value: Scalar, dtype: DType, shape: &Shape) -> ValueId {
        let ty = Type { shape: shape.clone(), dtype };
        self.temp("c", Constant { value: Literal::Splat(value) }, &[], ty)
    }

    fn not(&mut self, x: ValueId) -> ValueId {
        let ty = self.program.ty(x).clone();
        self.temp("not", Unary { op: UnaryOp::Not }, &[x], ty)
    }

    fn chosen(&mut self, condition: ValueId, x: ValueId, y: ValueId) -> ValueId {
        let ty = self.program.ty(x).clone();
        self.temp("chosen", Select {}, &[condition, x, y], ty)
    }
}

/// Returns the pooling whose elements a region selects: the maximum for a comparison by GE, the minimum for LE.
fn pooling_of(select: &Region<'_>) -> Option<Monoid> {
    let [compare, ret] = &select.ops[..] else { return None };
    let in_order = compare.operands.iter().copied().eq(select.args.iter().map(|a| a.value));
    if compare.code != Opcode::Compare || ret.operands[..] != [compare.first_result] || !in_order {
        return None;
    }
    match compare.attr("comparison_direction").and_then(Attr::as_word) {
        Some("GE") => Some(Monoid::Max),
        Some("LE") => Some(Monoid::Min),
        _ => None,
    }
}
