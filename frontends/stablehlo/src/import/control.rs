//! Lowering of calls, branches and loops.

use super::region::LoweredRegion;
use super::{Frame, Importer, MAX_CALL_DEPTH, MAX_INLINED_OPS};
use crate::fault::{Fault, Result};
use crate::syntax::{Attr, Attrs, Op, Region};
use partita_ir::arena::{FuncId, ValueId};
use partita_ir::diag::Code;
use partita_ir::dtype::{DType, Type};
use partita_ir::op::OpKind;
use partita_ir::ops::{
    ASSUMED_ITERATIONS, Binary, BinaryOp, Compare, Constant, Direction, Literal, Loop, MAX_ITERATIONS, Select, Unary,
    UnaryOp,
};
use partita_ir::program::{self, Values};
use partita_ir::tensor::{Scalar, wrap_int};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::ops::Range;

/// A branch that is being inlined.
#[derive(Clone, Copy)]
pub(super) struct Branch {
    /// The condition.
    test: ValueId,
    /// Value of the condition for which the branch is taken.
    taken_if: bool,
    /// Number of open scopes, in which the condition is visible.
    scopes: usize,
}

/// Body of a loop and what it carries.
struct LoopBody {
    func: FuncId,
    /// Initial carried values.
    carried: Vec<ValueId>,
    /// Types of the carried values.
    types: SmallVec<[Type; 1]>,
}

impl<'m, 'a> Importer<'m, 'a> {
    /// Inlines the function that the attribute with the name `callee` refers to. Errors: an undefined or recursive
    /// function, arguments of other types, or calls that are too deep or produce too many operations.
    pub(super) fn call(&mut self, op: &'m Op<'a>, callee: &str, args: &[ValueId]) -> Result<Values> {
        let name = op.attr(callee).and_then(Attr::as_symbol).unwrap_or_default();
        let Some(func) = self.funcs.get(name).copied() else {
            return Err(Fault::malformed(format!("the function `@{name}` is called, but not defined"), op.span()));
        };
        if func.body.ops.is_empty() {
            return Err(Fault::unsupported(format!("the function `@{name}` has no body"), func.at.clone()));
        }
        let calling = |f: &Frame<'m, 'a>| f.func.name == name;
        if calling(&self.frame) || self.callers.iter().any(calling) {
            return Err(Fault::unsupported(format!("the function `@{name}` calls itself"), op.span()));
        }
        if self.callers.len() == MAX_CALL_DEPTH {
            let title = format!("functions call each other {MAX_CALL_DEPTH} levels deep");
            return Err(Fault::new(Code::T004, title, op.span()));
        }
        if self.inlined > MAX_INLINED_OPS {
            let title =
                format!("inlining the functions of this module produces more than {MAX_INLINED_OPS} operations");
            return Err(Fault::new(Code::T004, title, op.span()));
        }
        let params: Vec<_> = func.body.args.iter().map(|a| &a.ty).collect();
        let arg_types: Vec<_> = args.iter().map(|&v| self.program.ty(v)).collect();
        if params != arg_types {
            let list = |types: &[&Type]| types.iter().map(|t| t.to_string()).collect::<Vec<_>>().join(", ");
            return Err(self.op_fault(op, format!("of `@{name}` does not fit its arguments")).note(format!(
                "it expects ({}) and is called with ({})",
                list(&params),
                list(&arg_types)
            )));
        }
        self.called.insert(func.name);
        self.inlined += func.values.len();
        let mut frame = Frame::new(func);
        for (i, (param, &arg)) in func.body.args.iter().zip(args).enumerate() {
            let arg = self.with_stated_layout(arg, func.arg_attrs.get(i), &param.at)?;
            if let Some(slot) = frame.values.get_mut(param.value as usize) {
                *slot = Some(arg);
            }
        }
        self.callers.push(std::mem::replace(&mut self.frame, frame));
        let mut results = self.ops(&func.body.ops)?;
        for (i, result) in results.iter_mut().enumerate() {
            *result = self.with_stated_layout(*result, func.result_attrs.get(i), &func.at)?;
        }
        if let Some(caller) = self.callers.pop() {
            self.frame = caller;
        }
        if results.len() != op.types.len() {
            let title = format!("of `@{name}` names {} results, but it returns {}", op.types.len(), results.len());
            return Err(self.op_fault(op, title));
        }
        Ok(results.into())
    }

    /// Returns a value with the layout that the attributes of an argument or result of a called function state.
    fn with_stated_layout(&mut self, value: ValueId, attrs: Option<&Attrs<'a>>, at: &Range<usize>) -> Result<ValueId> {
        let attrs = attrs.map_or(&[][..], |attrs| &attrs[..]);
        let layout = self.layouts.layout_from_attrs(attrs, &mut self.program, value, at)?;
        Ok(match layout {
            Some(layout) if self.program.values[value].layout.as_deref() != Some(&layout) => {
                self.constrained(value, layout)
            }
            _ => value,
        })
    }

    /// Lowers a `case`, a branch on an index. The last region is the default for an index out of range. With a constant
    /// index only the selected region is emitted, and the others are checked.
    pub(super) fn case(&mut self, op: &'m Op<'a>, args: &[ValueId]) -> Result<Values> {
        let (&[index], [others @ .., last]) = (args, &op.regions[..]) else {
            return Err(self.op_fault(op, "takes an index and has at least one region"));
        };
        if let Some(known) = self.splat(index) {
            let chosen = usize::try_from(known.to_i64()).ok().filter(|&i| i < others.len()).unwrap_or(others.len());
            let results = self.inline(op, &op.regions[chosen])?;
            for (_, region) in op.regions.iter().enumerate().filter(|(i, _)| *i != chosen) {
                self.check_only(|importer| importer.inline(op, region))?;
            }
            return Ok(results);
        }
        let ty = self.program.ty(index).clone();
        let tests = (0..others.len()).map(|i| {
            let value = Literal::Splat(Scalar::Int(i as i64));
            let number = self.temp("c", Constant { value }, &[], ty.clone());
            let compare = Compare { direction: Direction::Eq, total: false };
            self.temp("chosen", compare, &[index, number], Type::new(DType::Bool, []))
        });
        let tests: Vec<ValueId> = tests.collect();
        let scopes = self.open_scopes();
        self.branches.extend(tests.iter().map(|&test| Branch { test, taken_if: false, scopes }));
        let results = self.inline(op, last);
        self.branches.truncate(self.branches.len() - tests.len());
        let mut chosen = results?;
        for (region, &test) in others.iter().zip(&tests).rev() {
            let results = self.inline_if(op, region, test, true)?;
            chosen = self.select_results(op, test, &results, &chosen);
        }
        Ok(chosen)
    }

    /// Lowers an `if`, a branch on a boolean: both regions are computed, and the results are selected.
    pub(super) fn branch(&mut self, op: &'m Op<'a>, args: &[ValueId]) -> Result<Values> {
        let (&[test], [yes, no]) = (args, &op.regions[..]) else {
            return Err(self.op_fault(op, "takes a condition and has 2 regions"));
        };
        let yes = self.inline_if(op, yes, test, true)?;
        let no = self.inline_if(op, no, test, false)?;
        Ok(self.select_results(op, test, &yes, &no))
    }

    /// Inlines a branch that is taken if `test` has the given value. Loops inside of it do not iterate otherwise, and
    /// functions that are not known are not called.
    fn inline_if(&mut self, op: &'m Op<'a>, region: &'m Region<'a>, test: ValueId, taken_if: bool) -> Result<Values> {
        self.branches.push(Branch { test, taken_if, scopes: self.open_scopes() });
        let results = self.inline(op, region);
        self.branches.pop();
        results
    }

    /// Returns `test` and the conditions of the enclosing branches of the same function.
    fn needed(&mut self, test: ValueId) -> ValueId {
        self.with_conditions(Some(test)).unwrap_or(test)
    }

    /// Returns the conjunction of the conditions of the enclosing branches of the same function; `None` without any.
    pub(super) fn taken(&mut self) -> Option<ValueId> {
        self.with_conditions(None)
    }

    /// Returns the conjunction of `test` and the conditions of the enclosing branches of the same function.
    fn with_conditions(&mut self, test: Option<ValueId>) -> Option<ValueId> {
        let (scopes, ty) = (self.open_scopes(), Type::new(DType::Bool, []));
        let branches: Vec<Branch> = self.branches.iter().filter(|branch| branch.scopes == scopes).copied().collect();
        branches.into_iter().fold(test, |test, branch| {
            let taken = match branch.taken_if {
                true => branch.test,
                false => self.temp("not", Unary { op: UnaryOp::Not }, &[branch.test], ty.clone()),
            };
            Some(match test {
                Some(test) => self.temp("and", Binary { op: BinaryOp::And }, &[taken, test], ty.clone()),
                None => taken,
            })
        })
    }

    /// Returns the number of functions under construction around the current one.
    fn open_scopes(&self) -> usize {
        self.callers.iter().map(|caller| caller.scopes.len()).sum::<usize>() + self.frame.scopes.len()
    }

    /// Inlines a region and returns its results. All branches can be computed, because operations have no side effects.
    fn inline(&mut self, op: &'m Op<'a>, region: &'m Region<'a>) -> Result<Values> {
        let site = self.site.clone();
        let results = self.ops(&region.ops)?;
        self.site = site;
        let types = results.iter().map(|&v| self.program.ty(v));
        if !region.args.is_empty() || !types.eq(&op.types) {
            return Err(self.op_fault(op, "has regions that do not return its results"));
        }
        Ok(results.into())
    }

    /// Selects each result: from `yes` if `test` is true, from `no` otherwise.
    fn select_results(&mut self, op: &Op<'a>, test: ValueId, yes: &[ValueId], no: &[ValueId]) -> Values {
        let pairs = yes.iter().zip(no).zip(&op.types);
        pairs.map(|((&yes, &no), ty)| self.temp("selected", Select {}, &[test, yes, no], ty.clone())).collect()
    }

    /// Lowers a `while`. Captured values of enclosing regions become loop-carried values. A loop whose trip count is
    /// not static carries its condition.
    pub(super) fn while_loop(&mut self, op: &'m Op<'a>, args: &[ValueId]) -> Result<Values> {
        let [cond, body] = &op.regions[..] else {
            return Err(Fault::malformed(format!("`{}` needs 2 regions", op.code.name()), op.span()));
        };
        let cond = self.lower_region(cond)?;
        self.has_unused_ops = true;
        let mut body = self.lower_region(body)?;
        let fits =
            body.inputs.len() == args.len() && body.outputs.len() == args.len() && cond.inputs.len() == args.len();
        if !fits {
            return Err(self.op_fault(op, "has regions that do not fit its values"));
        }
        let &[test] = &cond.outputs[..] else {
            return Err(self.op_fault(op, "has a condition without a result"));
        };
        let Some(trip) = self.trip_count(args, &cond, &body, test) else {
            let limit = self.iteration_limit(args, &cond, &body, test);
            return self.conditional_loop(op, args, limit.filter(|&limit| limit > 0).unwrap_or(MAX_ITERATIONS));
        };
        let LoopBody { func, carried, types } = self.loop_body(&mut body, args.to_vec(), &op.types);
        self.push_loop(op, Loop::counted(trip, func), &carried, &types, 0)
    }

    /// Lowers a `while` whose trip count is unknown, but at most `limit`. The first carried value is the condition of
    /// the next iteration; the region of the condition is inlined before the loop and at the end of its body.
    fn conditional_loop(&mut self, op: &'m Op<'a>, args: &[ValueId], limit: u64) -> Result<Values> {
        let [cond, body] = &op.regions[..] else {
            return Err(Fault::malformed(format!("`{}` needs 2 regions", op.code.name()), op.span()));
        };
        let first = self.condition(cond, args)?;
        let first = self.needed(first);
        // The regions of a loop are numbered in order, so that the values of both are inside of this scope.
        let mut lowered = self.lower_scope(cond.first.min(body.first), |importer| {
            let name = importer.namer.fresh("condition");
            let mut inputs = vec![importer.new_value(name, Type::new(DType::Bool, []))];
            inputs.extend(importer.region_inputs(body));
            let results = importer.ops(&body.ops)?;
            let mut outputs = vec![importer.condition(cond, &results)?];
            outputs.extend(results);
            Ok((inputs, outputs))
        })?;
        let carried = [&[first], args].concat();
        let types: SmallVec<[Type; 1]> =
            std::iter::once(Type::new(DType::Bool, [])).chain(op.types.iter().cloned()).collect();
        let LoopBody { func, carried, types } = self.loop_body(&mut lowered, carried, &types);
        let kind = Loop { trip: ASSUMED_ITERATIONS.min(limit), body: func, limit };
        self.push_loop(op, kind, &carried, &types, 1)
    }

    /// Inlines the condition of a loop for some values of the carried values.
    fn condition(&mut self, cond: &'m Region<'a>, values: &[ValueId]) -> Result<ValueId> {
        for (arg, &value) in cond.args.iter().zip(values) {
            self.define(arg.value, value);
        }
        let results = self.ops(&cond.ops)?;
        results.first().copied().ok_or_else(|| Fault::malformed("the condition of a loop returns nothing", 0..0))
    }

    /// Adds the body of a loop to the program; captured values become carried values, which the body does not change.
    fn loop_body(&mut self, body: &mut LoweredRegion, mut carried: Vec<ValueId>, types: &[Type]) -> LoopBody {
        let mut types: SmallVec<[Type; 1]> = types.iter().cloned().collect();
        for (outer, inner) in std::mem::take(&mut body.captured) {
            carried.push(outer);
            types.push(self.program.ty(inner).clone());
            body.inputs.push(inner);
            body.outputs.push(inner);
        }
        let body = std::mem::take(body);
        LoopBody { func: self.add_func("loop", body), carried, types }
    }

    /// Appends a loop and returns the results of `op`, which follow `hidden` other ones.
    fn push_loop(
        &mut self,
        op: &'m Op<'a>,
        kind: Loop,
        carried: &[ValueId],
        types: &[Type],
        hidden: usize,
    ) -> Result<Values> {
        let kind = OpKind::from(kind);
        self.check(op, &kind, carried, types)?;
        let mut outs = Values::new();
        for (i, ty) in types.iter().enumerate() {
            let name = match i.checked_sub(hidden).and_then(|i| op.results().nth(i)) {
                Some(local) => self.result_name(local),
                None => self.namer.fresh("same"),
            };
            outs.push(self.new_value(name, ty.clone()));
        }
        self.push(kind, carried, outs.clone());
        Ok(outs[hidden..hidden + op.types.len()].into())
    }

    /// Returns the largest possible number of iterations of a loop whose condition is a conjunction, if one of its
    /// terms limits it.
    fn iteration_limit(
        &self,
        args: &[ValueId],
        cond: &LoweredRegion,
        body: &LoweredRegion,
        test: ValueId,
    ) -> Option<u64> {
        let (mut limit, mut terms, mut visited) = (None, vec![test], FxHashSet::default());
        while let Some(term) = terms.pop() {
            if !visited.insert(term) {
                continue;
            }
            let Some(op) = self.definition(&cond.body, term) else { continue };
            match &op.kind {
                OpKind::Binary(b) if b.op == BinaryOp::And => terms.extend(&op.args),
                // JAX converts conditions to booleans: `x != false`.
                OpKind::Convert(_) => terms.extend(&op.args),
                OpKind::Compare(compare) if compare.direction == Direction::Ne && self.is_false(op.args[1]) => {
                    terms.push(op.args[0]);
                }
                _ => {
                    let count = self.trip_count(args, cond, body, term);
                    limit = limit.into_iter().chain(count).min();
                }
            }
        }
        limit
    }

    /// Returns true for a constant of booleans that are false.
    fn is_false(&self, value: ValueId) -> bool {
        self.program.ty(value).dtype == DType::Bool && self.splat(value).is_some_and(|x| x.to_i64() == 0)
    }

    /// Returns the trip count of a loop whose condition `test` compares a counter with a constant and whose body
    /// changes the counter by a constant; `None` for any other loop.
    fn trip_count(&self, args: &[ValueId], cond: &LoweredRegion, body: &LoweredRegion, test: ValueId) -> Option<u64> {
        let test = self.definition(&cond.body, test)?;
        let OpKind::Compare(compare) = &test.kind else { return None };
        let &[left, right] = &test.args[..] else { return None };
        let (counter, bound, direction) = match self.constant_in(cond, body, args, right) {
            Some(bound) => (left, bound, compare.direction),
            None => (right, self.constant_in(cond, body, args, left)?, flipped(compare.direction)),
        };
        let index = cond.inputs.iter().position(|&v| v == counter)?;
        let dtype = self.program.ty(counter).dtype;
        if !dtype.is_int() {
            return None;
        }
        let start = self.splat(args[index]).map(Scalar::to_i64)?;
        let next = self.definition(&body.body, body.outputs[index])?;
        let &[x, y] = &next.args[..] else { return None };
        let input = body.inputs[index];
        let step = match &next.kind {
            OpKind::Binary(b) if b.op == BinaryOp::Add && x == input => self.splat(y)?.to_i64(),
            OpKind::Binary(b) if b.op == BinaryOp::Add && y == input => self.splat(x)?.to_i64(),
            OpKind::Binary(b) if b.op == BinaryOp::Sub && x == input => self.splat(y)?.to_i64().checked_neg()?,
            _ => return None,
        };
        let rounds = iteration_count(start.into(), step.into(), bound.into(), direction)?;
        // The counter must not overflow during the loop.
        let last = i64::try_from(i128::from(start) + i128::from(rounds) * i128::from(step)).ok()?;
        (wrap_int(dtype, last) == last).then_some(rounds)
    }

    /// Returns the integer that a value of the condition has in every iteration, if it is known. The value is a
    /// constant, or a loop-carried value that is initialised with a constant and never changed.
    fn constant_in(&self, cond: &LoweredRegion, body: &LoweredRegion, args: &[ValueId], value: ValueId) -> Option<i64> {
        if let Some(x) = self.splat(value) {
            return Some(x.to_i64());
        }
        let index = cond.inputs.iter().position(|&v| v == value)?;
        (body.outputs[index] == body.inputs[index]).then(|| self.splat(args[index]).map(Scalar::to_i64)).flatten()
    }

    /// Returns the op of `body` that defines a value.
    fn definition(&self, body: &[partita_ir::arena::OpId], value: ValueId) -> Option<&program::Op> {
        body.iter().rev().map(|&op| &self.program.ops[op]).find(|op| op.outs.contains(&value))
    }
}

/// Returns the comparison that is equivalent after the operands are exchanged.
const fn flipped(direction: Direction) -> Direction {
    match direction {
        Direction::Lt => Direction::Gt,
        Direction::Le => Direction::Ge,
        Direction::Gt => Direction::Lt,
        Direction::Ge => Direction::Le,
        Direction::Eq | Direction::Ne => direction,
    }
}

/// Returns how many leading elements of `start, start + step, ...` satisfy the comparison with `bound`; `None` if all
/// do, or for `Eq` if the first one does.
fn iteration_count(start: i128, step: i128, bound: i128, direction: Direction) -> Option<u64> {
    let distance = match direction {
        Direction::Lt => bound - start,
        Direction::Le => bound - start + 1,
        Direction::Gt => start - bound,
        Direction::Ge => start - bound + 1,
        Direction::Ne if start == bound => 0,
        Direction::Ne => (bound - start).abs(),
        Direction::Eq => return (start != bound).then_some(0),
    };
    if distance <= 0 {
        return Some(0);
    }
    let step = match direction {
        Direction::Lt | Direction::Le => step,
        Direction::Gt | Direction::Ge => -step,
        _ => step * (bound - start).signum(),
    };
    if step <= 0 || (direction == Direction::Ne && distance % step != 0) {
        return None;
    }
    u64::try_from((distance + step - 1) / step).ok()
}
