//! `interleave` (traced -> traced): orders the rows of concatenated batches by example.
//!
//! A loss of preferences computes the model for chosen and rejected answers, classifier-free guidance with and without
//! a condition: two batches are concatenated, and the results are divided into those of each. Rows of the same example
//! are far from each other, so that the examples could be split into micro-batches only by mixing them, and over
//! devices only by exchanging rows. As the model computes each row independently, the order of the rows does not
//! matter: those of an example become consecutive.
//!
//! The rows are followed from the concatenations, according to the sharding rules, until they are sliced into the
//! parts, or reduced. The gradient of a slice pads a part, which begins other rows.
//!
//! Before:
//!
//! ```text
//! %xy = concatenate dim 0 %x, %y : f32[6, 4]
//! %z = exp %xy : f32[6, 4]
//! %u = slice [0, 0] to [3, 4] %z : f32[3, 4]
//! %v = slice [3, 0] to [6, 4] %z : f32[3, 4]
//! ```
//!
//! After:
//!
//! ```text
//! %reshape = reshape %x : f32[3, 1, 4]
//! %reshape.1 = reshape %y : f32[3, 1, 4]
//! %concatenate = concatenate dim 1 %reshape, %reshape.1 : f32[3, 2, 4]
//! %reshape.2 = reshape %concatenate : f32[6, 4]
//! %z = exp %reshape.2 : f32[6, 4]
//! %reshape.3 = reshape %z : f32[3, 2, 4]
//! %slice = slice [0, 0, 0] to [3, 1, 4] %reshape.3 : f32[3, 1, 4]
//! %reshape.4 = reshape %slice : f32[3, 4]
//! %reshape.5 = reshape %z : f32[3, 2, 4]
//! %slice.1 = slice [0, 1, 0] to [3, 2, 4] %reshape.5 : f32[3, 1, 4]
//! %reshape.6 = reshape %slice.1 : f32[3, 4]
//! ```
//!
//! Recogniser: a concatenation whose rows reach another op stays, whose examples cannot be split into micro-batches.

use super::presets::model::param_inputs;
use crate::driver::{Findings, Input, Pass, PassInfo, any_op};
use crate::import::row_wise::{RowDefinitions, RowDim, RowDims, row_results};
use partita_ir::arena::{FuncId, OpId, ValueId};
use partita_ir::build::{Builder, Namer};
use partita_ir::class::Class;
use partita_ir::diag::Diagnostic;
use partita_ir::dtype::Shape;
use partita_ir::op::OpKind;
use partita_ir::ops::Pad;
use partita_ir::program::{Form, Op, Program, Values};
use partita_ir::syntax::attr::Dims;
use rustc_hash::{FxHashMap, FxHashSet};

/// The pass.
pub struct Interleave;

impl Pass for Interleave {
    fn info(&self) -> PassInfo {
        PassInfo { name: "interleave", input_form: Form::Traced, output_form: Form::Traced, reads: &[] }
    }

    fn applies(&self, program: &Program, _: &Input, _: &Findings) -> bool {
        any_op(program, |program, op| matches!(program.ops[op].kind, OpKind::Concatenate(_)))
    }

    fn run(&self, program: &mut Program, _: &Input, _: &mut Findings) -> Result<(), Vec<Diagnostic>> {
        let func = program.entry();
        for concatenation in concatenations(program, func) {
            let definitions = RowDefinitions::new(program, func);
            if let Some(changes) = JoinedRows::new(&definitions, concatenation).follow(func) {
                reorder(program, func, concatenation, &changes);
            }
        }
        Ok(())
    }
}

/// Concatenation of batches of equal size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Concatenation {
    /// The dimension of the examples.
    dim: usize,
    /// Number of batches.
    parts: usize,
    /// Examples of a batch.
    examples: usize,
}

/// Change of an op on the rows of a concatenation.
enum Change {
    /// The operands are joined example by example.
    Join,
    /// The operand becomes one part of otherwise empty rows: that with this number.
    Pad(usize),
    /// The result is a part of the rows of the operand: that with this number.
    Part(usize, RowDim),
    /// The result has a dimension of the parts before that of the examples.
    Divide(RowDim),
}

/// Returns the concatenations of data that is not computed with parameters.
fn concatenations(program: &Program, func: FuncId) -> Vec<Concatenation> {
    let all = concatenations_of(program, func, program.inputs().iter().copied().collect());
    if all.is_empty() {
        return all;
    }
    let params = param_inputs(program);
    concatenations_of(program, func, program.inputs().iter().copied().filter(|v| !params.contains(v)).collect())
}

/// Returns the concatenations of the given values and of their elements, computed one by one or moved.
fn concatenations_of(program: &Program, func: FuncId, mut data: FxHashSet<ValueId>) -> Vec<Concatenation> {
    let mut found = Vec::new();
    // entry only: inputs of the program are concatenated, and values in loops are not concatenated before them.
    for op in program.funcs[func].ops().iter().map(|&id| &program.ops[id]) {
        if op.args.is_empty() || !op.args.iter().all(|arg| data.contains(arg)) {
            continue;
        }
        found.extend(concatenation(program, op).filter(|concatenation| !found.contains(concatenation)));
        if op.kind.class() == Class::Elementwise || op.kind.class() == Class::Movement {
            data.extend(&op.outs);
        }
    }
    found
}

/// Returns the concatenation that an op is, of several operands with several examples.
fn concatenation(program: &Program, op: &Op) -> Option<Concatenation> {
    let OpKind::Concatenate(concatenate) = &op.kind else { return None };
    let dim = concatenate.dim;
    let examples = program.ty(*op.args.first()?).shape[dim];
    let is_even = op.args.iter().all(|&arg| program.ty(arg).shape[dim] == examples);
    (is_even && op.args.len() > 1 && examples > 1).then_some(Concatenation { dim, parts: op.args.len(), examples })
}

/// Values with the rows of a concatenation.
struct JoinedRows<'d, 'p> {
    definitions: &'d RowDefinitions<'p>,
    concatenation: Concatenation,
    rows: RowDims,
    changes: Vec<(OpId, Change)>,
}

impl<'d, 'p> JoinedRows<'d, 'p> {
    fn new(definitions: &'d RowDefinitions<'p>, concatenation: Concatenation) -> JoinedRows<'d, 'p> {
        JoinedRows { definitions, concatenation, rows: RowDims::default(), changes: Vec::new() }
    }

    /// Returns the changes of a function after which the rows are ordered by example. Returns `None` if an op or a
    /// result of the function depends on the order.
    fn follow(mut self, func: FuncId) -> Option<Vec<(OpId, Change)>> {
        let program = self.definitions.program;
        let func = &program.funcs[func];
        for &id in func.ops() {
            let op = &program.ops[id];
            if op.args.iter().any(|arg| self.rows.contains_key(arg)) {
                if let Some(change) = self.end(op) {
                    self.changes.push((id, change));
                } else {
                    let is_uniform = |value, dim| self.definitions.is_uniform(value, dim);
                    let results = row_results(program, op, &self.rows, is_uniform)?;
                    self.rows.extend(results.dims);
                }
            } else if let Some(change) = self.begin(op) {
                self.rows.insert(op.outs[0], RowDim::from_dim(self.concatenation.dim));
                self.changes.push((id, change));
            }
        }
        let is_result = func.outputs.iter().any(|output| self.rows.contains_key(&output.value));
        (!is_result).then_some(self.changes)
    }

    /// Returns the change of an op whose result has the rows, and whose operands do not.
    fn begin(&self, op: &Op) -> Option<Change> {
        let program = self.definitions.program;
        if concatenation(program, op) == Some(self.concatenation) {
            return Some(Change::Join);
        }
        let Concatenation { dim, parts, examples } = self.concatenation;
        let (OpKind::Pad(pad), &[x, _]) = (&op.kind, &op.args[..]) else { return None };
        let shape = &program.ty(x).shape;
        let padding = |d: usize| [&pad.low, &pad.high].map(|list| list.get(d).copied().unwrap_or(0));
        let before = usize::try_from(padding(dim)[0]).ok()?;
        let is_part = shape[dim] == examples
            && before % examples == 0
            && before < parts * examples
            && program.ty(op.outs[0]).shape[dim] == parts * examples
            && pad.interior.iter().all(|&interior| interior == 0);
        let is_alone = (0..shape.rank()).all(|d| d == dim || padding(d) == [0, 0]);
        (is_part && is_alone).then(|| Change::Pad(before / examples))
    }

    /// Returns the change of an op whose operand has the rows, and whose result has parts of them.
    fn end(&self, op: &Op) -> Option<Change> {
        let program = self.definitions.program;
        let Concatenation { parts, examples, .. } = self.concatenation;
        let &row = self.rows.get(op.args.first()?)?;
        let (shape, out) = (&program.ty(op.args[0]).shape, &program.ty(op.outs[0]).shape);
        match &op.kind {
            OpKind::Slice(slice) => {
                let size = examples * row.elements;
                let is_whole = |d: usize| (slice.start[d], out[d]) == (0, shape[d]);
                let is_part = slice.stride.iter().all(|&stride| stride == 1)
                    && out[row.dim] == size
                    && slice.start[row.dim] % size == 0
                    && (0..shape.rank()).all(|d| d == row.dim || is_whole(d));
                is_part.then(|| Change::Part(slice.start[row.dim] / size, row))
            }
            OpKind::Reshape(_) => {
                let next = out.get(row.dim + 1)?;
                let is_divided = out[..row.dim] == shape[..row.dim] && out[row.dim] == parts && next % examples == 0;
                is_divided.then_some(Change::Divide(row))
            }
            _ => None,
        }
    }
}

/// Changes the ops of a function.
fn reorder(program: &mut Program, func: FuncId, concatenation: Concatenation, changes: &[(OpId, Change)]) {
    let changes: FxHashMap<OpId, &Change> = changes.iter().map(|(id, change)| (*id, change)).collect();
    let mut names = Namer::from_program(program);
    let old = program.funcs[func].take_ops();
    let mut b = Builder::new(program, &mut names);
    let mut replaced: FxHashMap<ValueId, ValueId> = FxHashMap::default();
    for id in old {
        let op = b.program.ops[id].clone();
        let args: Values = op.args.iter().map(|arg| replaced.get(arg).copied().unwrap_or(*arg)).collect();
        (b.phase, b.origin) = (op.phase, op.origin.clone());
        if let Some(change) = changes.get(&id) {
            let shape = b.ty(op.outs[0]).shape;
            let new = build(&mut b, &args, shape, (concatenation, change));
            replaced.insert(op.outs[0], new);
        } else {
            b.program.ops[id].args = args;
            b.body.push(id);
        }
    }
    let body = b.body;
    for output in &mut program.funcs[func].outputs {
        output.value = replaced.get(&output.value).copied().unwrap_or(output.value);
    }
    *program.funcs[func].ops_mut() = body;
}

/// Builds the result of a changed op.
fn build(
    b: &mut Builder<'_>,
    args: &[ValueId],
    shape: Shape,
    (concatenation, change): (Concatenation, &Change),
) -> ValueId {
    let Concatenation { dim, parts, examples } = concatenation;
    // Adds a dimension of one part after that of the examples.
    let with_part = |b: &mut Builder<'_>, x: ValueId| {
        let mut shape = b.ty(x).shape;
        shape.0.insert(dim + 1, 1);
        b.reshape(x, shape)
    };
    // Divides the rows into examples and parts.
    let divided = |b: &mut Builder<'_>, x: ValueId, row: RowDim| {
        let mut shape = b.ty(x).shape;
        shape.0[row.dim] = examples;
        shape.0.insert(row.dim + 1, parts);
        if row.elements > 1 {
            shape.0.insert(row.dim + 2, row.elements);
        }
        b.reshape(x, shape)
    };
    let new = match *change {
        Change::Join => {
            let parts: Vec<ValueId> = args.iter().map(|&x| with_part(b, x)).collect();
            b.concatenate(&parts, dim + 1)
        }
        Change::Pad(part) => {
            let x = with_part(b, args[0]);
            let mut ty = b.ty(x);
            ty.shape.0[dim + 1] = parts;
            let none = || std::iter::repeat_n(0, ty.shape.rank()).collect();
            let mut pad = Pad { low: none(), high: none(), interior: Dims::new() };
            (pad.low[dim + 1], pad.high[dim + 1]) = (part as i64, (parts - 1 - part) as i64);
            b.op("pad", pad, &[x, args[1]], ty)
        }
        Change::Part(part, row) => {
            let rows = divided(b, args[0], row);
            b.slice_dim(rows, row.dim + 1, part, part + 1)
        }
        Change::Divide(row) => {
            let rows = divided(b, args[0], row);
            let mut order: Dims = (0..b.ty(rows).shape.rank()).collect();
            order.swap(row.dim, row.dim + 1);
            b.transpose(rows, order)
        }
    };
    b.reshape(new, shape)
}
