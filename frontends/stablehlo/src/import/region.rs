//! Lowering of regions: recognition of monoid reducers, and conversion of regions to functions.

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
    /// First value, by number, that is defined inside the region.
    first: Local,
    /// Captured values of enclosing regions, each with the function input that replaces it.
    captured: IndexMap<ValueId, ValueId, FxBuildHasher>,
    /// Splat constants of enclosing regions, each with its copy in the region.
    copies: FxHashMap<ValueId, ValueId>,
}

impl Scope {
    /// Bound of values that no value of the text reaches: only new values are inside of the region.
    pub const INNERMOST: Local = Local::MAX;

    /// Returns the first value, by number, that is defined inside the region.
    pub fn first(&self) -> Local {
        self.first
    }
}

/// A region lowered to a function that is not yet part of the program.
#[derive(Default)]
pub struct LoweredRegion {
    /// Inputs of the function.
    pub inputs: Vec<ValueId>,
    /// Results of the function.
    pub outputs: Vec<ValueId>,
    /// Ops of the function.
    pub body: Vec<OpId>,
    /// Captured values of enclosing regions, each with the function input that replaces it.
    pub captured: Vec<(ValueId, ValueId)>,
}

/// Recognised form of a reducer of two scalars.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reducer {
    /// Combination by a monoid.
    Monoid(Monoid),
    /// The second argument is returned, as in a scatter that overwrites elements.
    Second,
    /// Any other function, or a reducer of several operands.
    Other,
}

impl<'m, 'a> Importer<'m, 'a> {
    /// Records the program value of a local value.
    pub(super) fn define(&mut self, local: Local, value: ValueId) {
        if let Some(slot) = self.frame.values.get_mut(local as usize) {
            *slot = Some(value);
        }
    }

    /// Returns the program value of a local value in the function under construction. A value of an enclosing region is
    /// captured as a function input, or copied if it is a splat constant. Errors: the value is not defined yet.
    pub(super) fn value(&mut self, local: Local) -> Result<ValueId> {
        let Some(value) = self.frame.values.get(local as usize).copied().flatten() else {
            let func = self.frame.func;
            let title = format!("a value of `@{}` is used where it is not defined", func.name);
            return Err(Fault::malformed(title, func.at.clone()));
        };
        // A value is directly visible in the scope that defines it; each scope inside that one captures it as an input.
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

    /// Returns the input of scope number `scope` that replaces the captured value `outer`, and adds it on the first
    /// capture.
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
    pub(super) fn lower_region(&mut self, region: &'m Region<'a>) -> Result<LoweredRegion> {
        self.lower_scope(region.first, |importer| {
            let inputs = importer.region_inputs(region);
            Ok((inputs, importer.ops(&region.ops)?))
        })
    }

    /// Defines the arguments of a region as new values.
    pub(super) fn region_inputs(&mut self, region: &'m Region<'a>) -> Vec<ValueId> {
        let mut inputs = Vec::with_capacity(region.args.len());
        for arg in &region.args {
            let name = self.result_name(arg.value);
            let value = self.new_value(name, arg.ty.clone());
            inputs.push(value);
            self.define(arg.value, value);
        }
        inputs
    }

    /// Lowers the operations that `lower` appends to a function, of which `lower` returns the inputs and outputs.
    /// `first` is the first local value that is defined inside of it.
    pub(super) fn lower_scope(
        &mut self,
        first: Local,
        lower: impl FnOnce(&mut Self) -> Result<(Vec<ValueId>, Vec<ValueId>)>,
    ) -> Result<LoweredRegion> {
        let (outside, site) = (std::mem::take(&mut self.body), self.site.clone());
        self.frame.scopes.push(Scope { first, ..Scope::default() });
        let (inputs, outputs) = lower(self)?;
        for output in &outputs {
            self.use_counts[output.index()] += 1;
        }
        self.drop_unused_splats();
        let scope = self.frame.scopes.pop().unwrap_or_default();
        self.site = site;
        let body = std::mem::replace(&mut self.body, outside);
        Ok(LoweredRegion { inputs, outputs, body, captured: scope.captured.into_iter().collect() })
    }

    /// Adds a lowered region to the program as a function, whose name is `base` with a number.
    pub(super) fn add_func(&mut self, base: &str, lowered: LoweredRegion) -> FuncId {
        let name = format!("{base}{}", self.program.funcs.len());
        let output = |(i, value)| Output { value, name: format!("out{i}").into(), replaces: None };
        let outputs = lowered.outputs.into_iter().enumerate().map(output).collect();
        self.program.funcs.push(Func::new(name, lowered.inputs, outputs, lowered.body))
    }

    /// Lowers the only region of an operation to a function of scalars, and adds it to the program. Errors: the region
    /// captures values other than splat constants.
    pub(super) fn scalar_func(&mut self, op: &'m Op<'a>, base: &str) -> Result<FuncId> {
        let lowered = self.scalar_region(op)?;
        Ok(self.add_func(base, lowered))
    }

    /// Lowers the only region of an operation, or the operation named by `applies` instead. Errors: the region captures
    /// values other than splat constants.
    pub(super) fn scalar_region(&mut self, op: &'m Op<'a>) -> Result<LoweredRegion> {
        match (op.attr("applies"), &op.regions[..]) {
            (Some(applied), []) => self.applied_func(op, applied),
            (None, [region]) => self.constant_region(op, region),
            (_, regions) => {
                let title = format!("`{}` has {} regions, not 1", op.code.name(), regions.len());
                Err(Fault::malformed(title, op.span()))
            }
        }
    }

    /// Lowers a region of an operation. Errors: the region captures values other than splat constants.
    pub(super) fn constant_region(&mut self, op: &'m Op<'a>, region: &'m Region<'a>) -> Result<LoweredRegion> {
        let lowered = self.lower_region(region)?;
        if !lowered.captured.is_empty() {
            let title = format!("the region of `{}` uses a value from outside of it", op.code.name());
            return Err(Fault::unsupported(title, op.span()).help("only constants may be used from outside"));
        }
        Ok(lowered)
    }

    /// Builds the function of a `reduce` that names a binary operation (`applies`) instead of having a region.
    fn applied_func(&mut self, op: &'m Op<'a>, applied: &Attr<'a>) -> Result<LoweredRegion> {
        let (Some(kind), [ty]) = (applied_op(applied), &op.types[..]) else {
            return Err(Fault::unsupported(
                format!("`{}` applies an operation that is not binary", op.code.name()),
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
        Ok(LoweredRegion { inputs: inputs.into(), outputs: vec![output], body, captured: Vec::new() })
    }

    /// Classifies the first region of an operation, or the operation named by `applies` instead.
    pub(super) fn classify_reducer(&self, op: &Op<'a>) -> Result<Reducer> {
        if let Some(applied) = op.attr("applies") {
            return Ok(applied_op(applied).and_then(monoid).map_or(Reducer::Other, Reducer::Monoid));
        }
        match op.regions.first() {
            Some(region) => Ok(classify_region(region)),
            None => Err(Fault::malformed(format!("`{}` has no region", op.code.name()), op.span())),
        }
    }
}

/// Returns the binary op that an `applies` attribute names.
fn applied_op(applied: &Attr<'_>) -> Option<BinaryOp> {
    binary(Opcode::from_name(applied.as_word()?)?)
}

/// Classifies a region as a reducer of two scalars. Only regions of at most one operation and a return are recognised.
pub fn classify_region(region: &Region<'_>) -> Reducer {
    let [first, second] = &region.args[..] else { return Reducer::Other };
    match &region.ops[..] {
        [ret] if ret.code == Opcode::Return && ret.operands[..] == [second.value] => Reducer::Second,
        [op, ret] if ret.code == Opcode::Return && ret.operands[..] == [op.first_result] => {
            let uses_both =
                op.operands[..] == [first.value, second.value] || op.operands[..] == [second.value, first.value];
            let recognised = binary(op.code).and_then(monoid).filter(|_| uses_both);
            recognised.map_or(Reducer::Other, Reducer::Monoid)
        }
        _ => Reducer::Other,
    }
}
