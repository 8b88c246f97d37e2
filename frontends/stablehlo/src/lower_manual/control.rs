//! Calls, branches and loops of a manual computation.

use super::collectives::{contains_collective, is_collective};
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
                    Lowered { value: self.out.compare("EQ", test.value, number), batched: test.batched }
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
        let batched = test.batched || yes.batched || no.batched;
        let [yes, no] = [yes, no].map(|x| if batched && !x.batched { self.repeated(x.value) } else { x.value });
        let mut test_value = test.value;
        let ty = self.out.ty(yes);
        if ty.shape.rank() > 0 {
            let dims: Vec<i64> = if test.batched { vec![0] } else { Vec::new() };
            let attrs = [super::ints("broadcast_dimensions", dims)].into_iter().collect();
            let dtype = self.out.ty(test.value).dtype;
            test_value = self.out.emit(Opcode::BroadcastInDim, &[test.value], Type { shape: ty.shape, dtype }, attrs);
        }
        Lowered { value: self.out.select(test_value, yes, no), batched }
    }

    /// Lowers a loop. A carried value differs between devices if its initial value or its value after an iteration
    /// does.
    pub(super) fn while_loop(&mut self, op: &'m Op<'a>) -> Result<()> {
        let [cond, body] = &op.regions[..] else { return Err(self.unsupported(op, "needs 2 regions")) };
        let inits = op.operands.iter().map(|&x| self.lowered(x)).collect::<Result<Vec<Lowered>>>()?;
        let mut batched: Vec<bool> = inits.iter().map(|x| x.batched).collect();
        loop {
            let after = self.differing(body, &batched);
            let next: Vec<bool> = batched.iter().zip(&after).map(|(&a, &b)| a || b).collect();
            if next == batched {
                break;
            }
            batched = next;
        }
        if self.differing(cond, &batched).first() == Some(&true) {
            return Err(self.unsupported(op, "has a condition that differs between devices"));
        }
        let mut operands: SmallVec<[Local; 4]> = SmallVec::new();
        for (init, &batched) in inits.iter().zip(&batched) {
            operands.push(if batched && !init.batched { self.repeated(init.value) } else { init.value });
        }
        let site = self.out.site;
        let mut regions = Vec::new();
        for (region, is_body) in [(cond, false), (body, true)] {
            let first = self.out.values.len() as Local;
            let args = region.args.iter().zip(&batched).map(|(arg, &batched)| self.arg(arg, batched)).collect();
            let outside = std::mem::take(&mut self.out.ops);
            let results = self.in_place(&region.ops)?;
            let mut returned: SmallVec<[Local; 4]> = SmallVec::new();
            for (i, result) in results.iter().enumerate() {
                let wanted = is_body && batched[i];
                returned.push(if wanted && !result.batched { self.repeated(result.value) } else { result.value });
            }
            let Some(end) = region.ops.last() else { return Err(self.unsupported(op, "has an empty region")) };
            self.push(end, returned, &[], end.attrs.clone(), Vec::new(), false);
            let ops = std::mem::replace(&mut self.out.ops, outside);
            regions.push(Region { first, args, ops });
        }
        self.out.site = site;
        let types: Vec<Type> =
            op.types.iter().zip(&batched).map(|(ty, &b)| if b { self.batched_type(ty) } else { ty.clone() }).collect();
        self.push(op, operands, &types, op.attrs.clone(), regions, false);
        for (local, &batched) in op.results().zip(&batched) {
            if let Some(Some(lowered)) = self.values.get_mut(local as usize) {
                lowered.batched = batched;
            }
        }
        Ok(())
    }

    /// Returns for each result of a region whether it differs between devices, given that of its arguments.
    fn differing(&self, region: &Region<'a>, args: &[bool]) -> Vec<bool> {
        let mut known: Vec<Option<bool>> =
            self.values.iter().map(|value| value.map(|lowered| lowered.batched)).collect();
        for (arg, &batched) in region.args.iter().zip(args) {
            known[arg.value as usize] = Some(batched);
        }
        self.propagated(&region.ops, &mut known)
    }

    /// Propagates through operations whether values differ between devices; returns that of the terminator's operands.
    fn propagated(&self, ops: &[Op<'a>], known: &mut Vec<Option<bool>>) -> Vec<bool> {
        let differs = |known: &[Option<bool>], local: Local| known.get(local as usize).copied().flatten() == Some(true);
        for op in ops {
            let operands: Vec<bool> = op.operands.iter().map(|&x| differs(known, x)).collect();
            let called = op.attr("callee").and_then(Attr::as_symbol).and_then(|name| self.funcs.get(name));
            let depends = is_collective(op.code)
                || operands.contains(&true)
                || op.regions.iter().any(contains_collective)
                || called.is_some_and(|func| contains_collective(&func.body));
            let results = match op.code {
                Opcode::While => {
                    // Each value is carried separately; a collective in the body affects what it computes.
                    let mut batched = operands.clone();
                    loop {
                        for (arg, &b) in op.regions[1].args.iter().zip(&batched) {
                            known[arg.value as usize] = Some(b);
                        }
                        let after = self.propagated(&op.regions[1].ops, known);
                        let next: Vec<bool> = batched.iter().zip(&after).map(|(&a, &b)| a || b).collect();
                        if next == batched {
                            break batched;
                        }
                        batched = next;
                    }
                }
                Opcode::Case | Opcode::If => {
                    let mut any = vec![operands[0]; op.types.len()];
                    for region in &op.regions {
                        let results = self.propagated(&region.ops, known);
                        any.iter_mut().zip(results).for_each(|(any, result)| *any |= result);
                    }
                    any
                }
                Opcode::OptimizationBarrier => operands,
                _ => vec![depends; op.types.len()],
            };
            for (local, result) in op.results().zip(results) {
                known[local as usize] = Some(result);
            }
        }
        let end = ops.last().map(|end| end.operands.iter().map(|&x| differs(known, x)).collect());
        end.unwrap_or_default()
    }
}
