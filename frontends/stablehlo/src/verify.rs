//! Verification of a module before lowering: constraints of the
//! [specification](https://github.com/openxla/stablehlo/blob/main/docs/spec.md) that go beyond the shape rules, which
//! are checked during lowering.
//!
//! The parser has already compared the operand types in signatures with the types of the values. The verifier checks
//! numbers of operands, results and regions, element types, attributes, and signatures of regions against one table
//! ([`constraints`]). All functions are verified, including those that are never called.

mod attributes;
mod constraints;
mod regions;

use crate::fault::{Fault, Result, counted};
use crate::syntax::{Attr, Element, Local, Opcode, TensorType};
use crate::syntax::{
    ParsedFunc as Func, ParsedModule as Module, ParsedOp as Op, ParsedRegion as Region, ParsedValue as Value,
};
use constraints::{Constraint, Count, ElementTypes, TypeConstraint, constraint};
use partita_ir::diag::Code;
use partita_ir::dtype::DType;
use rustc_hash::FxHashMap;

/// Verifies all functions of a module.
pub fn verify(module: &Module<'_>) -> Result<()> {
    let funcs = module.funcs.iter().map(|func| (func.name, func)).collect();
    let mut with_body = module.funcs.iter().filter(|func| !func.body.ops.is_empty());
    with_body.try_for_each(|func| Verifier { funcs: &funcs, func }.function())
}

/// Verifier of the operations of one function.
struct Verifier<'m, 'a> {
    /// Functions of the module by name.
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
                let (is, declared_type) = (&value.ty, &declared.ty);
                let title = format!(
                    "`@{}` declares the result {declared_type}, but returns `{value}`, which is {is}",
                    func.name
                );
                return Err(Fault::new(Code::V001, title, declared.at.clone())
                    .label(format!("declared as {declared_type}"))
                    .context(value.span(), format!("defined here, as {is}"))
                    .help(format!("write {is}")));
            }
        }
        Ok(())
    }

    /// Verifies the operations of a region, and returns its terminator. Errors: the last operation is not a
    /// `terminator`, or an operation before it is a terminator.
    fn ops(&self, region: &'m Region<'a>, terminator: Opcode) -> Result<&'m Op<'a>> {
        let Some((end, ops)) = region.ops.split_last() else {
            let title = format!("a region of `@{}` has no operations", self.func.name);
            return Err(
                Fault::malformed(title, self.func.at.clone()).help(format!("end it with `{}`", terminator.name()))
            );
        };
        for op in ops {
            if matches!(op.code, Opcode::Return | Opcode::FuncReturn | Opcode::SdyReturn) {
                return Err(Fault::malformed(
                    format!("`{}` is not the last operation of its region", op.code.name()),
                    op.span(),
                ));
            }
            self.op(op)?;
        }
        // JAX ends the comparators of its approximate top-k with `stablehlo.return`.
        let ends = end.code == terminator || (terminator == Opcode::FuncReturn && end.code == Opcode::Return);
        if !ends {
            let title = format!("a region ends with `{}`, not with `{}`", end.code.name(), terminator.name());
            return Err(Fault::malformed(title, end.span()));
        }
        self.op(end)?;
        Ok(end)
    }

    fn op(&self, op: &'m Op<'a>) -> Result<()> {
        let Constraint { operands, results, regions, attributes, types } = constraint(op.code);
        self.check_count(op, "operand", operands, op.operands.len())?;
        self.check_count(op, "result", results, op.types.len())?;
        attributes::verify(op, attributes)?;
        match types {
            TypeConstraint::ShapeRule => {}
            TypeConstraint::Operands => self.same_operands(op)?,
            TypeConstraint::Equality => self.equality(op)?,
            TypeConstraint::ExpectedLiteral => self.expected_literal(op)?,
            TypeConstraint::OneShape => self.one_shape(op)?,
            TypeConstraint::DeviceNumber => self.device_number(op)?,
            TypeConstraint::Quantization => self.quantization(op)?,
            TypeConstraint::Same(elements) => self.same_type(op, elements)?,
            TypeConstraint::Predicate(elements) => self.predicate(op, elements)?,
            TypeConstraint::Result(elements) => self.elements(op, &op.types[0], elements, None)?,
            TypeConstraint::Parts => self.parts(op)?,
            TypeConstraint::Pairwise => self.pairwise(op)?,
            TypeConstraint::Comparison => self.comparison(op)?,
            TypeConstraint::Literal => self.literal(op)?,
            TypeConstraint::Call => self.call(op)?,
            TypeConstraint::Scalar(what, allowed) => self.scalar(op, 0, what, allowed)?,
            TypeConstraint::Reduction => self.reduction(op)?,
            TypeConstraint::SelectAndScatter => self.select_and_scatter(op)?,
            TypeConstraint::Accumulation => self.accumulation(op)?,
        }
        self.regions(op, regions)
    }

    fn check_count(&self, op: &Op<'a>, noun: &str, count: Count, found: usize) -> Result<()> {
        let (fits, wanted) = match count {
            Count::Exactly(n) => (found == n, counted(n, noun)),
            Count::AtLeast(n) => (found >= n, format!("at least {}", counted(n, noun))),
        };
        if fits {
            return Ok(());
        }
        Err(Fault::new(Code::V001, format!("`{}` takes {wanted}, not {found}", op.code.name()), op.span()))
    }

    /// Returns the value with the given number. Errors: it is not defined in the function.
    fn value(&self, local: Local) -> Result<&'m Value<'a>> {
        self.func.values.get(local as usize).ok_or_else(|| {
            let title = format!("a value of `@{}` is used where it is not defined", self.func.name);
            Fault::malformed(title, self.func.at.clone())
        })
    }

    /// Returns operand `index` of an operation. Errors: the operand does not exist.
    fn operand(&self, op: &Op<'a>, index: usize) -> Result<&'m Value<'a>> {
        match op.operands.get(index) {
            Some(&local) => self.value(local),
            None => Err(Fault::new(Code::V001, format!("`{}` lacks an operand", op.code.name()), op.span())),
        }
    }

    /// Builds the fault for an operation that violates a constraint, with the offending `value`, if any.
    #[cold]
    fn op_fault(&self, op: &Op<'a>, what: impl std::fmt::Display, value: Option<&Value<'a>>) -> Box<Fault> {
        let fault = Fault::new(Code::V001, format!("`{}` {what}", op.code.name()), op.span());
        match value {
            Some(value) => fault.context(value.span(), format!("`{value}` is {}", value.ty)),
            None => fault,
        }
    }

    /// Checks that `elements` contains the element type of `ty`.
    fn elements(&self, op: &Op<'a>, ty: &TensorType, elements: ElementTypes, value: Option<&Value<'a>>) -> Result<()> {
        if elements.contains(&ty.element) {
            return Ok(());
        }
        Err(self.op_fault(op, format!("is not defined for {}: elements must be {}", ty, elements.name()), value))
    }

    /// Checks that all operands and results have the same type, with an element type in `elements`.
    fn same_type(&self, op: &Op<'a>, elements: ElementTypes) -> Result<()> {
        let first = self.operand(op, 0)?;
        self.elements(op, &first.ty, elements, Some(first))?;
        self.same_operands(op)?;
        match op.types.iter().find(|ty| !ty.has_same_numbers(&first.ty)) {
            None => Ok(()),
            Some(other) => {
                let what = format!("has operand type {} and result type {}: they must be equal", first.ty, other);
                Err(self.op_fault(op, what, Some(first)))
            }
        }
    }

    /// Checks an operation between complex numbers and their parts. Of real numbers the result is of their type.
    fn parts(&self, op: &Op<'a>) -> Result<()> {
        let first = self.operand(op, 0)?;
        self.elements(op, &first.ty, ElementTypes::SignedOrFloat, Some(first))?;
        self.same_operands(op)?;
        let element = match (&first.ty.element, op.code) {
            (Element::Complex(part), _) if op.code != Opcode::Complex => Element::Plain(*part),
            (Element::Plain(part), Opcode::Complex) => Element::Complex(*part),
            (element, _) => element.clone(),
        };
        let wanted = TensorType { shape: first.ty.shape.clone(), element };
        if op.types[0] == wanted {
            return Ok(());
        }
        Err(self.op_fault(op, format!("of {} returns {wanted}, not {}", first.ty, op.types[0]), Some(first)))
    }

    /// Checks a comparison of two tensors as a whole.
    fn equality(&self, op: &Op<'a>) -> Result<()> {
        self.same_operands(op)?;
        match &op.types[0] {
            ty if *ty == TensorType::plain(DType::Bool, []) => Ok(()),
            ty => Err(self.op_fault(op, format!("returns {}, not {ty}", TensorType::plain(DType::Bool, [])), None)),
        }
    }

    /// Checks that the operand has the type of the literal that it is compared with.
    fn expected_literal(&self, op: &Op<'a>) -> Result<()> {
        let value = self.operand(op, 0)?;
        let Some(Attr::Dense(dense)) = op.attr("value") else {
            return Err(Fault::malformed(format!("`{}` needs a literal `dense<..>`", op.code.name()), op.span()));
        };
        match dense.declared_type() {
            Some(ty) if ty == value.ty => Ok(()),
            _ => {
                let what = format!("compares {} with a literal of another type", value.ty);
                Err(self.op_fault(op, what, Some(value)).help(format!("write `dense<..> : {}`", value.ty)))
            }
        }
    }

    fn device_number(&self, op: &Op<'a>) -> Result<()> {
        let wanted = TensorType::plain(DType::U32, []);
        if op.types[0] == wanted {
            return Ok(());
        }
        Err(self.op_fault(op, format!("returns {wanted}, not {}", op.types[0]), None))
    }

    fn one_shape(&self, op: &Op<'a>) -> Result<()> {
        let first = self.operand(op, 0)?;
        let operands = (0..op.operands.len()).map(|i| self.operand(op, i)).collect::<Result<Vec<_>>>()?;
        let shapes = operands.iter().map(|value| &value.ty).chain(&op.types);
        match shapes.into_iter().find(|ty| ty.shape != first.ty.shape) {
            None => Ok(()),
            Some(other) => {
                Err(self.op_fault(op, format!("needs one shape, not {} and {other}", first.ty), Some(first)))
            }
        }
    }

    /// Checks a conversion between numbers and quantised numbers.
    fn quantization(&self, op: &Op<'a>) -> Result<()> {
        let (value, result) = (self.operand(op, 0)?, &op.types[0]);
        let expressed = |element: &Element| match element {
            Element::Quantized(q) => Some(Element::Plain(q.expressed)),
            Element::Plain(_) | Element::Complex(_) | Element::Token => None,
        };
        let (from, to) = (expressed(&value.ty.element), expressed(&result.element));
        let is_dequantize = op.code == Opcode::UniformDequantize;
        let fits = match (&from, &to) {
            (Some(from), None) => is_dequantize && *from == result.element,
            (Some(from), Some(to)) => !is_dequantize && from == to,
            (None, Some(to)) => !is_dequantize && *to == value.ty.element,
            (None, None) => false,
        };
        if fits && value.ty.shape == result.shape {
            return Ok(());
        }
        Err(self.op_fault(op, format!("of {} does not return {result}", value.ty), Some(value)))
    }

    fn same_operands(&self, op: &Op<'a>) -> Result<()> {
        let first = self.operand(op, 0)?;
        for index in 1..op.operands.len() {
            let other = self.operand(op, index)?;
            if !other.ty.has_same_numbers(&first.ty) {
                let what = format!("takes operands of one type, not {} and {}", first.ty, other.ty);
                return Err(self.op_fault(op, what, Some(other)));
            }
        }
        Ok(())
    }

    /// Checks a predicate: all operands have the same type, and the result is boolean with the same shape.
    fn predicate(&self, op: &Op<'a>, elements: ElementTypes) -> Result<()> {
        let first = self.operand(op, 0)?;
        self.elements(op, &first.ty, elements, Some(first))?;
        self.same_operands(op)?;
        let answer = TensorType::plain(DType::Bool, first.ty.shape.clone());
        if op.types[0] == answer {
            return Ok(());
        }
        let what = format!("of {} returns {}, not {}", first.ty, answer, op.types[0]);
        Err(self.op_fault(op, what, Some(first)))
    }

    /// Checks a comparison: a predicate whose `compare_type` is valid for the element type.
    fn comparison(&self, op: &Op<'a>) -> Result<()> {
        self.predicate(op, ElementTypes::Any)?;
        let value = self.operand(op, 0)?;
        let Some(kind) = op.attr("compare_type") else { return Ok(()) };
        let kinds: &[&str] = match &value.ty.element {
            Element::Plain(dtype) if dtype.is_float() => &["FLOAT", "TOTALORDER"],
            Element::Plain(dtype) if dtype.is_unsigned() || *dtype == DType::Bool => &["UNSIGNED"],
            Element::Plain(_) => &["SIGNED"],
            Element::Complex(_) => &["FLOAT"],
            Element::Quantized(q) if q.storage.is_unsigned() => &["UNSIGNED", "FLOAT"],
            Element::Quantized(_) => &["SIGNED", "FLOAT"],
            Element::Token => &[],
        };
        match kind.as_word() {
            Some(kind) if kinds.contains(&kind) => Ok(()),
            kind => {
                let what = format!("compares {} as {}", value.ty, kind.unwrap_or("something else"));
                Err(self.op_fault(op, what, Some(value)).help(format!("write `{}`", kinds.join("` or `"))))
            }
        }
    }

    /// Checks that each result has the type of the corresponding operand.
    fn pairwise(&self, op: &Op<'a>) -> Result<()> {
        if op.operands.len() != op.types.len() {
            let (operands, results) = (counted(op.operands.len(), "operand"), counted(op.types.len(), "result"));
            return Err(self.op_fault(op, format!("has {operands} and {results}: the counts must be equal"), None));
        }
        for (index, ty) in op.types.iter().enumerate() {
            let value = self.operand(op, index)?;
            if value.ty != *ty {
                let what = format!("returns {} for `{value}`, which is {}", ty, value.ty);
                return Err(self.op_fault(op, what, Some(value)));
            }
        }
        Ok(())
    }

    /// Checks that a constant has the type of its literal.
    fn literal(&self, op: &Op<'a>) -> Result<()> {
        let Some(Attr::Dense(dense)) = op.attr("value") else {
            return Err(Fault::malformed("a constant needs a literal `dense<..>` and a type", op.span()));
        };
        match dense.declared_type() {
            Some(ty) if ty != op.types[0] => {
                let what = format!("returns {}, but its literal is {}", op.types[0], ty);
                Err(self.op_fault(op, what, None))
            }
            _ => Ok(()),
        }
    }

    /// Checks the arguments and results of a call of a function in the module.
    fn call(&self, op: &Op<'a>) -> Result<()> {
        let name = ["callee", "decomposition"].iter().find_map(|name| op.attr(name)?.as_symbol()).unwrap_or_default();
        let Some(func) = self.funcs.get(name).copied() else {
            return Err(Fault::malformed(format!("the function `@{name}` is called, but not defined"), op.span()));
        };
        let given: Vec<&TensorType> =
            op.operands.iter().map(|&local| Ok(&self.value(local)?.ty)).collect::<Result<_>>()?;
        let takes: Vec<&TensorType> = func.body.args.iter().map(|arg| &arg.ty).collect();
        let returns: Vec<&TensorType> = func.results.iter().map(|written| &written.ty).collect();
        let named: Vec<&TensorType> = op.types.iter().collect();
        for (fits, what, is, declared) in [
            (given == takes || func.body.ops.is_empty(), "takes", &takes, &given),
            (named == returns, "returns", &returns, &named),
        ] {
            if !fits {
                let title = format!("of `@{name}`: the function {what} {}, not {}", list(is), list(declared));
                return Err(self.op_fault(op, title, None).context(func.at.clone(), "the function"));
            }
        }
        Ok(())
    }

    /// Checks that an operand is a scalar with one of the given element types.
    fn scalar(&self, op: &Op<'a>, index: usize, what: &str, allowed: &[DType]) -> Result<()> {
        let value = self.operand(op, index)?;
        if allowed.iter().any(|&dtype| value.ty == TensorType::plain(dtype, [])) {
            return Ok(());
        }
        let wanted: Vec<String> = allowed.iter().map(|&dtype| TensorType::plain(dtype, []).to_string()).collect();
        let what = format!("takes {} as {what}, not {}", wanted.join(" or "), value.ty);
        Err(self.op_fault(op, what, Some(value)))
    }

    /// Checks that the operands are tensors of one shape, followed by initial values of their element types.
    fn reduction(&self, op: &Op<'a>) -> Result<()> {
        let tensors = op.operands.len() / 2;
        if !op.operands.len().is_multiple_of(2) || op.types.len() != tensors {
            let (operands, results) = (counted(op.operands.len(), "operand"), counted(op.types.len(), "result"));
            return Err(self.op_fault(
                op,
                format!("has {operands} and {results}: each result needs a tensor and an initial value"),
                None,
            ));
        }
        let first = self.operand(op, 0)?;
        for index in 0..tensors {
            let (tensor, init) = (self.operand(op, index)?, self.operand(op, tensors + index)?);
            if tensor.ty.shape != first.ty.shape {
                let what = format!("takes tensors of one shape, not {} and {}", first.ty, tensor.ty);
                return Err(self.op_fault(op, what, Some(tensor)));
            }
            self.initial(op, tensor, init)?;
        }
        Ok(())
    }

    fn initial(&self, op: &Op<'a>, tensor: &Value<'a>, init: &Value<'a>) -> Result<()> {
        let wanted = tensor.ty.scalar();
        if init.ty == wanted {
            return Ok(());
        }
        let (tensor, found) = (&tensor.ty, &init.ty);
        Err(self.op_fault(op, format!("of {tensor} starts from {wanted}, not from {found}"), Some(init)))
    }

    fn select_and_scatter(&self, op: &Op<'a>) -> Result<()> {
        let [operand, source, init] = [self.operand(op, 0)?, self.operand(op, 1)?, self.operand(op, 2)?];
        if source.ty.element != operand.ty.element {
            let what = format!("must scatter elements of {}, not {}", operand.ty, source.ty);
            return Err(self.op_fault(op, what, Some(source)));
        }
        self.initial(op, operand, init)
    }

    /// Checks the element type of a contraction: the result is a float exactly if the operands are, and its element
    /// type is at least as wide as theirs.
    fn accumulation(&self, op: &Op<'a>) -> Result<()> {
        let result = &op.types[0].element;
        for index in 0..op.operands.len() {
            let value = self.operand(op, index)?;
            let fits = match (&value.ty.element, result) {
                (Element::Plain(from), Element::Plain(to)) => {
                    from.is_float() == to.is_float() && from.bytes() <= to.bytes()
                }
                (Element::Complex(from), Element::Complex(to)) => from.bytes() <= to.bytes(),
                (Element::Quantized(_), _) => true,
                (Element::Plain(_) | Element::Complex(_) | Element::Token, _) => false,
            };
            if !fits {
                let what = format!("cannot sum products of {} as {}", value.ty, op.types[0]);
                return Err(self.op_fault(op, what, Some(value)));
            }
        }
        Ok(())
    }
}

/// Formats a list of types, for example `(tensor<f32>, tensor<i32>)`.
fn list(types: &[&TensorType]) -> String {
    format!("({})", types.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
}
