//! Regions: reducers that are monoids, and regions as functions.

use super::Importer;
use crate::counterparts::{binary, monoid};
use crate::fault::{Fault, Result};
use crate::syntax::{Attr, Local, Op, Opcode, Region};
use indexmap::IndexMap;
use partita_ir::arena::{FuncId, Id, OpId, ValueId};
use partita_ir::dtype::Type;
use partita_ir::layout::Monoid;
use partita_ir::ops::{Binary, BinaryOp, Constant, Literal};
use partita_ir::program::{Func, Output};
use rustc_hash::{FxBuildHasher, FxHashMap};

/// A region that is being lowered to a function.
#[derive(Default)]
pub struct Scope {
    /// Values from this number on are the region's own.
    first: Local,
    /// What the region sees of its surroundings: the value there, and the operand of the function that stands for it.
    captured: IndexMap<ValueId, ValueId, FxBuildHasher>,
    /// Constants of the surroundings, and their copies in the region.
    copies: FxHashMap<ValueId, ValueId>,
}

/// A region lowered to a function that was not added yet.
pub struct Lowered {
    /// The operands.
    pub inputs: Vec<ValueId>,
    /// The results.
    pub outputs: Vec<ValueId>,
    /// The operations.
    pub body: Vec<OpId>,
    /// What the region sees of its surroundings: the value there, and what stands for it in the region.
    pub captured: Vec<(ValueId, ValueId)>,
}

/// What a reducer of two scalars does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reducer {
    /// Combines them by a monoid.
    Monoid(Monoid),
    /// Gives the second one.
    Second,
    /// Something else, or reduces several operands.
    Func,
}

impl<'m, 'a> Importer<'m, 'a> {
    /// Says what a value of the text became.
    pub(super) fn define(&mut self, local: Local, value: ValueId) {
        if let Some(slot) = self.frame.values.get_mut(local as usize) {
            *slot = Some(value);
        }
    }

    /// The value of the text, as the function that is being made sees it.
    pub(super) fn value(&mut self, local: Local) -> Result<ValueId> {
        let Some(value) = self.frame.values.get(local as usize).copied().flatten() else {
            let func = self.frame.func;
            let title = format!("a value of `@{}` is used where it is not defined", func.name);
            return Err(Fault::malformed(title, func.at.clone()));
        };
        // Scopes outside of the value's own see it as it is; each one further in has it as an operand.
        let depth = self.frame.scopes.iter().take_while(|s| s.first <= local).count();
        if depth == self.frame.scopes.len() {
            return Ok(value);
        }
        let innermost = self.frame.scopes.len() - 1;
        if let Some(&copy) = self.frame.scopes[innermost].copies.get(&value) {
            return Ok(copy);
        }
        let ty = self.program.ty(value).clone();
        if let Some(x) = self.splat(value) {
            let copy = self.temp("c", Constant { value: Literal::Splat(x) }, &[], ty);
            self.splats[copy.index()] = Some(x);
            self.frame.scopes[innermost].copies.insert(value, copy);
            return Ok(copy);
        }
        (depth..self.frame.scopes.len()).try_fold(value, |outer, scope| Ok(self.capture(scope, outer, &ty)))
    }

    /// What stands for `outer` in a scope.
    fn capture(&mut self, scope: usize, outer: ValueId, ty: &Type) -> ValueId {
        if let Some(&inner) = self.frame.scopes[scope].captured.get(&outer) {
            return inner;
        }
        let name = self.program.values[outer].name.clone();
        let name = self.namer.fresh(&name);
        let inner = self.new_value(name, ty.clone());
        self.frame.scopes[scope].captured.insert(outer, inner);
        inner
    }

    /// Lowers a region to a function.
    pub(super) fn lower_region(&mut self, region: &'m Region<'a>) -> Result<Lowered> {
        let (outside, site) = (std::mem::take(&mut self.body), self.site.clone());
        self.frame.scopes.push(Scope { first: region.first, ..Scope::default() });
        let mut inputs = Vec::with_capacity(region.args.len());
        for arg in &region.args {
            let name = self.result_name(arg.value);
            let value = self.new_value(name, arg.ty.clone());
            inputs.push(value);
            self.define(arg.value, value);
        }
        let outputs = self.ops(&region.ops)?;
        for output in &outputs {
            self.uses[output.index()] += 1;
        }
        self.drop_unread_numbers();
        let scope = self.frame.scopes.pop().unwrap_or_default();
        self.site = site;
        let body = std::mem::replace(&mut self.body, outside);
        Ok(Lowered { inputs, outputs, body, captured: scope.captured.into_iter().collect() })
    }

    /// Adds a lowered region to the program.
    pub(super) fn add_func(&mut self, base: &str, lowered: Lowered) -> FuncId {
        let name = format!("{base}{}", self.program.funcs.len());
        let output = |(i, value)| Output { value, name: format!("out{i}").into(), alias: None };
        let outputs = lowered.outputs.into_iter().enumerate().map(output).collect();
        self.program.funcs.push(Func::new(name, lowered.inputs, outputs, lowered.body))
    }

    /// The only region of an operation as a function of scalars, which sees nothing of its surroundings.
    pub(super) fn scalar_func(&mut self, op: &'m Op<'a>, base: &str) -> Result<FuncId> {
        let lowered = match (op.attr("applies"), &op.regions[..]) {
            (Some(applied), []) => self.applied_func(op, applied)?,
            (None, [region]) => self.lower_region(region)?,
            (_, regions) => {
                let title = format!("`{}` has {} regions, not 1", op.code.name(), regions.len());
                return Err(Fault::malformed(title, op.span()));
            }
        };
        if !lowered.captured.is_empty() {
            let title = format!("the region of `{}` uses a value from outside of it", op.code.name());
            return Err(Fault::unsupported(title, op.span()).help("only constants may be used from outside"));
        }
        Ok(self.add_func(base, lowered))
    }

    /// The function of a `reduce` that names an operation instead of having a region.
    fn applied_func(&mut self, op: &'m Op<'a>, applied: &Attr<'a>) -> Result<Lowered> {
        let (Some(kind), [ty]) = (applied_op(applied), &op.types[..]) else {
            return Err(Fault::unsupported(
                format!("`{}` applies what is not a binary operation", op.code.name()),
                op.span(),
            ));
        };
        let scalar = Type::new(ty.dtype, []);
        let outside = std::mem::take(&mut self.body);
        let inputs = ["x", "y"].map(|name| {
            let name = self.namer.fresh(name);
            self.new_value(name, scalar.clone())
        });
        let output = self.temp(kind.name(), Binary { op: kind }, &inputs, scalar);
        let body = std::mem::replace(&mut self.body, outside);
        Ok(Lowered { inputs: inputs.into(), outputs: vec![output], body, captured: Vec::new() })
    }

    /// What the first region of an operation (or the operation that it names instead) does to two scalars.
    pub(super) fn reducer_of(&self, op: &Op<'a>) -> Result<Reducer> {
        if let Some(applied) = op.attr("applies") {
            return Ok(applied_op(applied).and_then(monoid).map_or(Reducer::Func, Reducer::Monoid));
        }
        match op.regions.first() {
            Some(region) => Ok(reducer(region)),
            None => Err(Fault::malformed(format!("`{}` has no region", op.code.name()), op.span())),
        }
    }
}

fn applied_op(applied: &Attr<'_>) -> Option<BinaryOp> {
    binary(Opcode::from_name(applied.as_word()?)?)
}

/// What a region does to two scalars.
pub fn reducer(region: &Region<'_>) -> Reducer {
    let [first, second] = &region.args[..] else { return Reducer::Func };
    match &region.ops[..] {
        [ret] if ret.code == Opcode::Return && ret.operands[..] == [second.value] => Reducer::Second,
        [op, ret] if ret.code == Opcode::Return && ret.operands[..] == [op.first_result] => {
            let both = op.operands[..] == [first.value, second.value] || op.operands[..] == [second.value, first.value];
            let known = binary(op.code).and_then(monoid).filter(|_| both);
            known.map_or(Reducer::Func, Reducer::Monoid)
        }
        _ => Reducer::Func,
    }
}
