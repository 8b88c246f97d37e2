//! Calls, branches and loops of a manual computation.

use super::axes::AxisSet;
use super::{Lowered, ManualLowering};
use crate::fault::{Fault, Result};
use crate::syntax::{Attr, Local, Op, Opcode, Region};
use partita_ir::dtype::Type;
use smallvec::SmallVec;

/// Maximum depth of nested calls.
const MAX_CALL_DEPTH: usize = 64;

impl<'m, 'a> ManualLowering<'m, 'a> {
    /// Lowers the body of a called function in place of the call.
    pub(super) fn inlined(&mut self, op: &'m Op<'a>, callee: &str) -> Result<()> {
        let name = op.attr(callee).and_then(Attr::as_symbol).unwrap_or_default();
        let func = self.funcs.get(name).copied().filter(|func| !func.body.ops.is_empty());
        let Some(func) = func else {
            return Err(Fault::malformed(format!("the function `@{name}` is called, but not defined"), op.span()));
        };
        if self.inlining.contains(&name) || self.inlining.len() == MAX_CALL_DEPTH {
            return Err(self.unsupported(op, "is recursive or nested too deeply"));
        }
        let args = op.operands.iter().map(|&x| self.lowered(x)).collect::<Result<Vec<Lowered>>>()?;
        let caller = std::mem::replace(&mut self.func, func);
        let outside = std::mem::replace(&mut self.values, vec![None; func.values.len()]);
        self.inlining.push(name);
        for (param, arg) in func.body.args.iter().zip(args) {
            self.define(param.value, arg);
        }
        let results = self.in_place(&func.body.ops);
        self.inlining.pop();
        self.func = caller;
        self.values = outside;
        for (local, result) in op.results().zip(results?) {
            self.define(local, result);
        }
        Ok(())
    }

    /// Lowers operations up to the terminator, and returns its operands.
    pub(super) fn in_place(&mut self, ops: &'m [Op<'a>]) -> Result<Vec<Lowered>> {
        let Some((end, ops)) = ops.split_last() else { return Ok(Vec::new()) };
        ops.iter().try_for_each(|op| self.op(op))?;
        end.operands.iter().map(|&x| self.lowered(x)).collect()
    }

    /// Lowers a branch: all regions are computed, and each device selects its results.
    pub(super) fn branches(&mut self, op: &'m Op<'a>) -> Result<()> {
        let test = self.lowered(op.operands[0])?;
        let mut results: Vec<Vec<Lowered>> = Vec::new();
        for region in &op.regions {
            results.push(self.in_place(&region.ops)?);
        }
        // The last region of a `case` is the default; an `if` has its region for `true` first.
        let Some(mut chosen) = results.pop() else { return Err(self.unsupported(op, "has no regions")) };
        for (i, region) in results.into_iter().enumerate().rev() {
            let test = match op.code {
                Opcode::If => test,
                _ => {
                    let number = self.out.number(i as f64, test.value);
                    Lowered { value: self.out.compare("EQ", test.value, number), ..test }
                }
            };
            for (no, yes) in chosen.iter_mut().zip(region) {
                *no = self.selected(test, yes, *no);
            }
        }
        for (local, value) in op.results().zip(chosen) {
            self.define(local, value);
        }
        Ok(())
    }

    fn selected(&mut self, test: Lowered, yes: Lowered, no: Lowered) -> Lowered {
        let varying = test.varying | yes.varying | no.varying;
        let [yes, no] = [yes, no].map(|x| self.repeated(x, varying));
        let same = test.varying.is_empty();
        let mut test_value = if same { test.value } else { self.repeated(test, varying) };
        let ty = self.out.ty(yes);
        if ty.shape.rank() > 0 {
            let dims: Vec<i64> = if same { Vec::new() } else { vec![0] };
            let attrs = [super::ints("broadcast_dimensions", dims)].into_iter().collect();
            let dtype = self.out.ty(test_value).dtype;
            test_value = self.out.emit(Opcode::BroadcastInDim, &[test_value], Type { shape: ty.shape, dtype }, attrs);
        }
        Lowered { value: self.out.select(test_value, yes, no), varying }
    }

    /// Lowers a loop. A carried value varies along the axes along which its initial value or its value after an
    /// iteration does.
    pub(super) fn while_loop(&mut self, op: &'m Op<'a>) -> Result<()> {
        let [cond, body] = &op.regions[..] else { return Err(self.unsupported(op, "needs 2 regions")) };
        let inits = op.operands.iter().map(|&x| self.lowered(x)).collect::<Result<Vec<Lowered>>>()?;
        let mut varying: Vec<AxisSet> = inits.iter().map(|x| x.varying).collect();
        let site = self.out.site;
        let first = self.out.values.len();
        let body = loop {
            let (lowered, after) = self.loop_region(op, body, &varying, true)?;
            let next: Vec<AxisSet> = varying.iter().zip(after).map(|(&before, after)| before | after).collect();
            if next == varying {
                break lowered;
            }
            varying = next;
            self.out.values.truncate(first);
        };
        let (cond, test) = self.loop_region(op, cond, &varying, false)?;
        if test.first().is_some_and(|varying| !varying.is_empty()) {
            return Err(self.unsupported(op, "has a condition that differs between devices"));
        }
        self.out.site = site;
        let operands = inits.iter().zip(&varying).map(|(&init, &varying)| self.repeated(init, varying)).collect();
        self.push(op, operands, &varying, op.attrs.clone(), vec![cond, body]);
        Ok(())
    }

    /// Lowers a region of a loop, given the axes along which its arguments vary; also returns those of its results.
    /// With `carried`, results are repeated along the axes of the arguments.
    fn loop_region(
        &mut self,
        op: &Op<'a>,
        region: &'m Region<'a>,
        varying: &[AxisSet],
        carried: bool,
    ) -> Result<(Region<'a>, Vec<AxisSet>)> {
        let first = self.out.values.len() as Local;
        let args = region.args.iter().zip(varying).map(|(arg, &varying)| self.arg(arg, varying)).collect();
        let outside = std::mem::take(&mut self.out.ops);
        let results = self.in_place(&region.ops)?;
        let own = results.iter().map(|result| result.varying).collect();
        let mut returned: SmallVec<[Local; 4]> = SmallVec::new();
        for (i, &result) in results.iter().enumerate() {
            let carried = varying.get(i).copied().filter(|_| carried).unwrap_or(AxisSet::EMPTY);
            returned.push(self.repeated(result, result.varying | carried));
        }
        let Some(end) = region.ops.last() else { return Err(self.unsupported(op, "has an empty region")) };
        self.push(end, returned, &[], end.attrs.clone(), Vec::new());
        let ops = std::mem::replace(&mut self.out.ops, outside);
        Ok((Region { first, args, ops }, own))
    }
}
