//! Calls, branches and loops.

use super::region::Lowered;
use super::{Frame, Importer, MAX_CALLS, MAX_INLINED};
use crate::fault::{Fault, Result};
use crate::syntax::{Attr, Op, Region};
use partita_ir::arena::ValueId;
use partita_ir::diag::Code;
use partita_ir::dtype::{DType, Type};
use partita_ir::op::OpKind;
use partita_ir::ops::{BinaryOp, Compare, Constant, Constrain, Direction, Literal, Loop, Select};
use partita_ir::program::{self, Values};
use partita_ir::tensor::{Scalar, wrap_int};

impl<'m, 'a> Importer<'m, 'a> {
    /// Inlines the function that the attribute `callee` names.
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
        if self.callers.len() == MAX_CALLS {
            let title = format!("functions call each other {MAX_CALLS} levels deep");
            return Err(Fault::new(Code::T004, title, op.span()));
        }
        if self.inlined > MAX_INLINED {
            let title = format!("inlining the functions of this module gives more than {MAX_INLINED} operations");
            return Err(Fault::new(Code::T004, title, op.span()));
        }
        let params: Vec<_> = func.body.args.iter().map(|a| &a.ty).collect();
        let given: Vec<_> = args.iter().map(|&v| self.program.ty(v)).collect();
        if params != given {
            let list = |types: &[&Type]| types.iter().map(|t| t.to_string()).collect::<Vec<_>>().join(", ");
            return Err(self.misfit(op, format!("of `@{name}` does not fit its arguments")).note(format!(
                "it takes ({}) and is given ({})",
                list(&params),
                list(&given)
            )));
        }
        self.called.insert(func.name);
        self.inlined += func.values.len();
        let mut frame = Frame::new(func);
        for (param, &arg) in func.body.args.iter().zip(args) {
            if let Some(slot) = frame.values.get_mut(param.value as usize) {
                *slot = Some(arg);
            }
        }
        self.callers.push(std::mem::replace(&mut self.frame, frame));
        let results = self.ops(&func.body.ops)?;
        if let Some(caller) = self.callers.pop() {
            self.frame = caller;
        }
        if results.len() != op.types.len() {
            let title = format!("of `@{name}` names {} results, but it returns {}", op.types.len(), results.len());
            return Err(self.misfit(op, title));
        }
        Ok(results.into())
    }

    /// A call to what is not in the module: `@Sharding` is a layout, anything else is refused.
    pub(super) fn custom_call(&mut self, op: &'m Op<'a>, args: &[ValueId]) -> Result<Values> {
        let target = op.attr("call_target_name");
        let target = target.and_then(|t| t.as_symbol().or(t.as_str())).unwrap_or_default();
        match target {
            "Sharding" => self.emit(op, Constrain { fresh: false }, args),
            "SPMDFullToShardShape" | "SPMDShardToFullShape" => {
                let title = format!("`{}` of `@{target}` is a manual computation", op.code.name());
                Err(Fault::unsupported(title, op.span()).help(crate::syntax::advice("sdy.manual_computation")))
            }
            _ => {
                let title = format!("the frontend does not know `@{target}`, which `{}` calls", op.code.name());
                Err(Fault::new(Code::F001, title, op.span()).help(crate::syntax::advice(target)))
            }
        }
    }

    /// One of several regions, by an index; the last one for an index that is out of range.
    pub(super) fn case(&mut self, op: &'m Op<'a>, args: &[ValueId]) -> Result<Values> {
        let (&[index], [others @ .., last]) = (args, &op.regions[..]) else {
            return Err(self.misfit(op, "takes an index and has at least one region"));
        };
        if let Some(known) = self.splat(index) {
            let chosen = usize::try_from(known.to_i64()).ok().filter(|&i| i < others.len()).unwrap_or(others.len());
            let results = self.inline(op, &op.regions[chosen])?;
            for (_, region) in op.regions.iter().enumerate().filter(|(i, _)| *i != chosen) {
                self.check_only(|importer| importer.inline(op, region))?;
            }
            return Ok(results);
        }
        let mut chosen = self.inline(op, last)?;
        let ty = self.program.ty(index).clone();
        for (i, region) in others.iter().enumerate().rev() {
            let value = Literal::Splat(Scalar::Int(i as i64));
            let number = self.temp("c", Constant { value }, &[], ty.clone());
            let compare = Compare { direction: Direction::Eq, total: false };
            let test = self.temp("chosen", compare, &[index, number], Type::new(DType::Bool, []));
            let results = self.inline(op, region)?;
            chosen = self.selected(op, test, &results, &chosen);
        }
        Ok(chosen)
    }

    /// One of two regions.
    pub(super) fn branch(&mut self, op: &'m Op<'a>, args: &[ValueId]) -> Result<Values> {
        let (&[test], [yes, no]) = (args, &op.regions[..]) else {
            return Err(self.misfit(op, "takes a condition and has 2 regions"));
        };
        let (yes, no) = (self.inline(op, yes)?, self.inline(op, no)?);
        Ok(self.selected(op, test, &yes, &no))
    }

    /// The results of a region, whose operations take their place among those around it. All branches are computed:
    /// operations have no effect but their results.
    fn inline(&mut self, op: &'m Op<'a>, region: &'m Region<'a>) -> Result<Values> {
        let site = self.site.clone();
        let results = self.ops(&region.ops)?;
        self.site = site;
        let types = results.iter().map(|&v| self.program.ty(v));
        if !region.args.is_empty() || !types.eq(&op.types) {
            return Err(self.misfit(op, "has regions that do not give its results"));
        }
        Ok(results.into())
    }

    fn selected(&mut self, op: &Op<'a>, test: ValueId, yes: &[ValueId], no: &[ValueId]) -> Values {
        let pairs = yes.iter().zip(no).zip(&op.types);
        pairs.map(|((&yes, &no), ty)| self.temp("selected", Select {}, &[test, yes, no], ty.clone())).collect()
    }

    /// A `while` whose number of rounds is known.
    pub(super) fn while_loop(&mut self, op: &'m Op<'a>, args: &[ValueId]) -> Result<Values> {
        let [cond, body] = &op.regions[..] else {
            return Err(Fault::malformed(format!("`{}` needs 2 regions", op.code.name()), op.span()));
        };
        let cond = self.lower_region(cond)?;
        self.leftovers = true;
        let mut body = self.lower_region(body)?;
        let fits =
            body.inputs.len() == args.len() && body.outputs.len() == args.len() && cond.inputs.len() == args.len();
        if !fits {
            return Err(self.misfit(op, "has regions that do not fit its values"));
        }
        let trip = self.trip_count(args, &cond, &body).ok_or_else(|| {
            Fault::unsupported(format!("`{}` does not have a static number of rounds", op.code.name()), op.span())
                .label("this loop")
                .note("a counter must start at a constant, change by a constant, and be compared with a constant")
                .help("use `lax.fori_loop` or `lax.scan` with a length known while tracing")
        })?;
        let mut carried = args.to_vec();
        let mut types = op.types.clone();
        for (outer, inner) in std::mem::take(&mut body.captured) {
            carried.push(outer);
            types.push(self.program.ty(inner).clone());
            body.inputs.push(inner);
            body.outputs.push(inner);
        }
        let func = self.add_func("loop", body);
        let kind = OpKind::from(Loop { trip, body: func });
        self.check(op, &kind, &carried, &types)?;
        let mut outs = Values::new();
        for (i, ty) in types.iter().enumerate() {
            let name = match op.results().nth(i) {
                Some(local) => self.result_name(local),
                None => self.namer.fresh("same"),
            };
            outs.push(self.new_value(name, ty.clone()));
        }
        self.push(kind, &carried, outs.clone());
        outs.truncate(op.types.len());
        Ok(outs)
    }

    /// How often the body runs, when that is known: the condition compares a counter with a constant, and the body
    /// changes the counter by a constant.
    fn trip_count(&self, args: &[ValueId], cond: &Lowered, body: &Lowered) -> Option<u64> {
        let &[test] = &cond.outputs[..] else { return None };
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
        let rounds = rounds(start.into(), step.into(), bound.into(), direction)?;
        // The counter must not wrap around before it arrives.
        let last = i64::try_from(i128::from(start) + i128::from(rounds) * i128::from(step)).ok()?;
        (wrap_int(dtype, last) == last).then_some(rounds)
    }

    /// The integer that a value of the condition always has: a constant, or a carried value that starts as one and is
    /// never changed.
    fn constant_in(&self, cond: &Lowered, body: &Lowered, args: &[ValueId], value: ValueId) -> Option<i64> {
        if let Some(x) = self.splat(value) {
            return Some(x.to_i64());
        }
        let index = cond.inputs.iter().position(|&v| v == value)?;
        (body.outputs[index] == body.inputs[index]).then(|| self.splat(args[index]).map(Scalar::to_i64)).flatten()
    }

    fn definition(&self, body: &[partita_ir::arena::OpId], value: ValueId) -> Option<&program::Op> {
        body.iter().rev().map(|&op| &self.program.ops[op]).find(|op| op.outs.contains(&value))
    }
}

/// The comparison with its sides exchanged.
const fn flipped(direction: Direction) -> Direction {
    match direction {
        Direction::Lt => Direction::Gt,
        Direction::Le => Direction::Ge,
        Direction::Gt => Direction::Lt,
        Direction::Ge => Direction::Le,
        Direction::Eq | Direction::Ne => direction,
    }
}

/// How often `start, start + step, ...` holds against `bound` before it fails for the first time.
fn rounds(start: i128, step: i128, bound: i128, direction: Direction) -> Option<u64> {
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
