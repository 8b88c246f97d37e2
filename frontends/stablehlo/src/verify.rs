//! Verification of a module before it is lowered: what the
//! [specification](https://github.com/openxla/stablehlo/blob/main/docs/spec.md) demands of each operation, beyond the
//! shape rules that are checked when it is lowered.
//!
//! The parser has compared the types that are written for operands with those of the values. Here come, from one table
//! ([`constraints`]), numbers of operands, results and regions, element types, attributes, and the signatures of
//! regions. Every function is verified, also those that nothing calls.

mod attributes;
mod constraints;
mod regions;

use crate::fault::{Fault, Result, counted};
use crate::syntax::{Attr, Func, Local, Module, Op, Opcode, Region, Value, tensor_text};
use constraints::{Constraint, Count, Elements, Types, constraint};
use partita_ir::diag::Code;
use partita_ir::dtype::{DType, Type};
use rustc_hash::FxHashMap;

/// Verifies every function of a module.
pub fn verify(module: &Module<'_>) -> Result<()> {
    let funcs = module.funcs.iter().map(|func| (func.name, func)).collect();
    let mut with_body = module.funcs.iter().filter(|func| !func.body.ops.is_empty());
    with_body.try_for_each(|func| Verifier { funcs: &funcs, func }.function())
}

/// Verifies the operations of one function.
struct Verifier<'m, 'a> {
    /// The functions of the module, by name.
    funcs: &'m FxHashMap<&'a str, &'m Func<'a>>,
    func: &'m Func<'a>,
}

impl<'m, 'a> Verifier<'m, 'a> {
    fn function(&self) -> Result<()> {
        let func = self.func;
        let end = self.ops(&func.body, Opcode::FuncReturn)?;
        let fits = end.operands.len() == func.results.len();
        if !fits {
            let (returned, declared) = (counted(end.operands.len(), "value"), counted(func.results.len(), "result"));
            let title = format!("`@{}` returns {returned} and declares {declared}", func.name);
            return Err(Fault::malformed(title, end.span()).context(func.at.clone(), "the function"));
        }
        for (&operand, declared) in end.operands.iter().zip(&func.results) {
            let value = self.value(operand)?;
            if value.ty != declared.ty {
                let (is, said) = (tensor_text(&value.ty), tensor_text(&declared.ty));
                let title =
                    format!("`@{}` declares the result {said}, but returns `{value}`, which is {is}", func.name);
                return Err(Fault::new(Code::V001, title, declared.at.clone())
                    .label(format!("declared as {said}"))
                    .context(value.span(), format!("defined here, as {is}"))
                    .help(format!("write {is}")));
            }
        }
        Ok(())
    }

    /// Verifies the operations of a region, of which only the last one ends it, by `terminator`. Returns that one.
    fn ops(&self, region: &'m Region<'a>, terminator: Opcode) -> Result<&'m Op<'a>> {
        let Some((end, ops)) = region.ops.split_last() else {
            let title = format!("a region of `@{}` has no operations", self.func.name);
            return Err(
                Fault::malformed(title, self.func.at.clone()).help(format!("end it with `{}`", terminator.name()))
            );
        };
        for op in ops {
            if matches!(op.code, Opcode::Return | Opcode::FuncReturn) {
                return Err(Fault::malformed(
                    format!("`{}` is not the last operation of its region", op.code.name()),
                    op.span(),
                ));
            }
            self.op(op)?;
        }
        if end.code != terminator {
            let title = format!("a region ends with `{}`, not with `{}`", end.code.name(), terminator.name());
            return Err(Fault::malformed(title, end.span()));
        }
        self.op(end)?;
        Ok(end)
    }

    fn op(&self, op: &'m Op<'a>) -> Result<()> {
        let Constraint { operands, results, regions, attributes, types } = constraint(op.code);
        self.counted(op, "operand", operands, op.operands.len())?;
        self.counted(op, "result", results, op.types.len())?;
        attributes::verify(op, attributes)?;
        match types {
            Types::Lowered => {}
            Types::Same(elements) => self.same(op, elements)?,
            Types::Predicate(elements) => self.predicate(op, elements)?,
            Types::Result(elements) => self.elements(op, &op.types[0], elements, None)?,
            Types::Carried => self.carried(op)?,
            Types::Compared => self.compared(op)?,
            Types::Literal => self.literal(op)?,
            Types::Called => self.called(op)?,
            Types::Scalar(what, allowed) => self.scalar(op, 0, what, allowed)?,
            Types::Reduced => self.reduced(op)?,
            Types::SelectedAndScattered => self.selected_and_scattered(op)?,
            Types::Promoted => self.promoted(op)?,
        }
        self.regions(op, regions)
    }

    fn counted(&self, op: &Op<'a>, noun: &str, count: Count, found: usize) -> Result<()> {
        let (fits, wanted) = match count {
            Count::Exactly(n) => (found == n, counted(n, noun)),
            Count::AtLeast(n) => (found >= n, format!("at least {}", counted(n, noun))),
        };
        if fits {
            return Ok(());
        }
        Err(Fault::new(Code::V001, format!("`{}` takes {wanted}, not {found}", op.code.name()), op.span()))
    }

    /// A value of the function.
    fn value(&self, local: Local) -> Result<&'m Value<'a>> {
        self.func.values.get(local as usize).ok_or_else(|| {
            let title = format!("a value of `@{}` is used where it is not defined", self.func.name);
            Fault::malformed(title, self.func.at.clone())
        })
    }

    /// The type of an operand.
    fn operand(&self, op: &Op<'a>, index: usize) -> Result<&'m Value<'a>> {
        match op.operands.get(index) {
            Some(&local) => self.value(local),
            None => Err(Fault::new(Code::V001, format!("`{}` lacks an operand", op.code.name()), op.span())),
        }
    }

    /// The fault of an operation that has something else than it must have. `value` is to blame, if any is.
    #[cold]
    fn misfit(&self, op: &Op<'a>, what: impl std::fmt::Display, value: Option<&Value<'a>>) -> Box<Fault> {
        let fault = Fault::new(Code::V001, format!("`{}` {what}", op.code.name()), op.span());
        match value {
            Some(value) => fault.context(value.span(), format!("`{value}` is {}", tensor_text(&value.ty))),
            None => fault,
        }
    }

    /// Checks an element type.
    fn elements(&self, op: &Op<'a>, ty: &Type, elements: Elements, value: Option<&Value<'a>>) -> Result<()> {
        if elements.admit(ty.dtype) {
            return Ok(());
        }
        Err(self.misfit(
            op,
            format!("is not defined for {}: elements must be {}", tensor_text(ty), elements.name()),
            value,
        ))
    }

    /// Operands and results of one type.
    fn same(&self, op: &Op<'a>, elements: Elements) -> Result<()> {
        let first = self.operand(op, 0)?;
        self.elements(op, &first.ty, elements, Some(first))?;
        self.same_operands(op)?;
        match op.types.iter().find(|ty| **ty != first.ty) {
            None => Ok(()),
            Some(other) => {
                let what =
                    format!("takes {} and gives {}: they must be the same", tensor_text(&first.ty), tensor_text(other));
                Err(self.misfit(op, what, Some(first)))
            }
        }
    }

    fn same_operands(&self, op: &Op<'a>) -> Result<()> {
        let first = self.operand(op, 0)?;
        for index in 1..op.operands.len() {
            let other = self.operand(op, index)?;
            if other.ty != first.ty {
                let what = format!(
                    "takes operands of one type, not {} and {}",
                    tensor_text(&first.ty),
                    tensor_text(&other.ty)
                );
                return Err(self.misfit(op, what, Some(other)));
            }
        }
        Ok(())
    }

    /// A question about each element of operands of one type.
    fn predicate(&self, op: &Op<'a>, elements: Elements) -> Result<()> {
        let first = self.operand(op, 0)?;
        self.elements(op, &first.ty, elements, Some(first))?;
        self.same_operands(op)?;
        let answer = Type { shape: first.ty.shape.clone(), dtype: DType::Bool };
        if op.types[0] == answer {
            return Ok(());
        }
        let what =
            format!("of {} gives {}, not {}", tensor_text(&first.ty), tensor_text(&answer), tensor_text(&op.types[0]));
        Err(self.misfit(op, what, Some(first)))
    }

    /// A comparison, of the kind that fits the elements.
    fn compared(&self, op: &Op<'a>) -> Result<()> {
        self.predicate(op, Elements::Any)?;
        let value = self.operand(op, 0)?;
        let Some(kind) = op.attr("compare_type") else { return Ok(()) };
        let dtype = value.ty.dtype;
        let kinds: &[&str] = match dtype {
            _ if dtype.is_float() => &["FLOAT", "TOTALORDER"],
            _ if dtype.is_unsigned() || dtype == DType::Bool => &["UNSIGNED"],
            _ => &["SIGNED"],
        };
        match kind.as_word() {
            Some(kind) if kinds.contains(&kind) => Ok(()),
            kind => {
                let what = format!("compares {} as {}", tensor_text(&value.ty), kind.unwrap_or("something else"));
                Err(self.misfit(op, what, Some(value)).help(format!("write `{}`", kinds.join("` or `"))))
            }
        }
    }

    /// Each result has the type of its operand.
    fn carried(&self, op: &Op<'a>) -> Result<()> {
        if op.operands.len() != op.types.len() {
            let (operands, results) = (counted(op.operands.len(), "operand"), counted(op.types.len(), "result"));
            return Err(self.misfit(op, format!("has {operands} and {results}: there must be as many"), None));
        }
        for (index, ty) in op.types.iter().enumerate() {
            let value = self.operand(op, index)?;
            if value.ty != *ty {
                let what = format!("gives {} for `{value}`, which is {}", tensor_text(ty), tensor_text(&value.ty));
                return Err(self.misfit(op, what, Some(value)));
            }
        }
        Ok(())
    }

    /// A constant of the type of its literal.
    fn literal(&self, op: &Op<'a>) -> Result<()> {
        let Some(Attr::Dense(dense)) = op.attr("value") else {
            return Err(Fault::malformed("a constant needs a literal `dense<..>` and a type", op.span()));
        };
        match dense.declared_type() {
            Some(ty) if ty != op.types[0] => {
                let what = format!("gives {}, but its literal is {}", tensor_text(&op.types[0]), tensor_text(&ty));
                Err(self.misfit(op, what, None))
            }
            _ => Ok(()),
        }
    }

    /// A call of a function of this module: its arguments and results.
    fn called(&self, op: &Op<'a>) -> Result<()> {
        let name = ["callee", "decomposition"].iter().find_map(|name| op.attr(name)?.as_symbol()).unwrap_or_default();
        let Some(func) = self.funcs.get(name).copied() else {
            return Err(Fault::malformed(format!("the function `@{name}` is called, but not defined"), op.span()));
        };
        let given: Vec<&Type> = op.operands.iter().map(|&local| Ok(&self.value(local)?.ty)).collect::<Result<_>>()?;
        let takes: Vec<&Type> = func.body.args.iter().map(|arg| &arg.ty).collect();
        let gives: Vec<&Type> = func.results.iter().map(|written| &written.ty).collect();
        let named: Vec<&Type> = op.types.iter().collect();
        for (fits, what, is, said) in [
            (given == takes || func.body.ops.is_empty(), "takes", &takes, &given),
            (named == gives, "gives", &gives, &named),
        ] {
            if !fits {
                let title = format!("of `@{name}`: the function {what} {}, not {}", list(is), list(said));
                return Err(self.misfit(op, title, None).context(func.at.clone(), "the function"));
            }
        }
        Ok(())
    }

    /// An operand that is a scalar of certain element types.
    fn scalar(&self, op: &Op<'a>, index: usize, what: &str, allowed: &[DType]) -> Result<()> {
        let value = self.operand(op, index)?;
        if value.ty.shape.rank() == 0 && allowed.contains(&value.ty.dtype) {
            return Ok(());
        }
        let wanted: Vec<String> = allowed.iter().map(|&dtype| tensor_text(&Type::new(dtype, []))).collect();
        let what = format!("takes {} as {what}, not {}", wanted.join(" or "), tensor_text(&value.ty));
        Err(self.misfit(op, what, Some(value)))
    }

    /// Tensors of one shape, and initial values of their element types.
    fn reduced(&self, op: &Op<'a>) -> Result<()> {
        let tensors = op.operands.len() / 2;
        if !op.operands.len().is_multiple_of(2) || op.types.len() != tensors {
            let (operands, results) = (counted(op.operands.len(), "operand"), counted(op.types.len(), "result"));
            return Err(self.misfit(
                op,
                format!("has {operands} and {results}: each result needs a tensor and an initial value"),
                None,
            ));
        }
        let first = self.operand(op, 0)?;
        for index in 0..tensors {
            let (tensor, init) = (self.operand(op, index)?, self.operand(op, tensors + index)?);
            if tensor.ty.shape != first.ty.shape {
                let what = format!(
                    "takes tensors of one shape, not {} and {}",
                    tensor_text(&first.ty),
                    tensor_text(&tensor.ty)
                );
                return Err(self.misfit(op, what, Some(tensor)));
            }
            self.initial(op, tensor, init)?;
        }
        Ok(())
    }

    fn initial(&self, op: &Op<'a>, tensor: &Value<'a>, init: &Value<'a>) -> Result<()> {
        let wanted = Type::new(tensor.ty.dtype, []);
        if init.ty == wanted {
            return Ok(());
        }
        let (wanted, tensor, found) = (tensor_text(&wanted), tensor_text(&tensor.ty), tensor_text(&init.ty));
        Err(self.misfit(op, format!("of {tensor} starts from {wanted}, not from {found}"), Some(init)))
    }

    fn selected_and_scattered(&self, op: &Op<'a>) -> Result<()> {
        let [operand, source, init] = [self.operand(op, 0)?, self.operand(op, 1)?, self.operand(op, 2)?];
        if source.ty.dtype != operand.ty.dtype {
            let what = format!("scatters elements like {}, not {}", tensor_text(&operand.ty), tensor_text(&source.ty));
            return Err(self.misfit(op, what, Some(source)));
        }
        self.initial(op, operand, init)
    }

    /// Products of two element types that the result has room for.
    fn promoted(&self, op: &Op<'a>) -> Result<()> {
        let result = op.types[0].dtype;
        for index in 0..op.operands.len() {
            let value = self.operand(op, index)?;
            let dtype = value.ty.dtype;
            if dtype.is_float() != result.is_float() || dtype.bytes() > result.bytes() {
                let what =
                    format!("cannot sum products of {} as {}", tensor_text(&value.ty), tensor_text(&op.types[0]));
                return Err(self.misfit(op, what, Some(value)));
            }
        }
        Ok(())
    }
}

/// `(tensor<f32>, tensor<i32>)`.
fn list(types: &[&Type]) -> String {
    format!("({})", types.iter().map(|ty| tensor_text(ty)).collect::<Vec<_>>().join(", "))
}
