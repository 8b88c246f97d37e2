//! Operations on complex numbers.

use super::{Parts, TypeLowering};
use crate::fault::{Fault, Result};
use crate::rewrite::Site;
use crate::syntax::routine::Routine;
use crate::syntax::{Attr, Attrs, Element, Local, Opcode, ParsedArg, ParsedOp, ParsedRegion, ParsedValue, TensorType};
use partita_ir::diag::Code;
use partita_ir::dtype::Type;
use smallvec::SmallVec;
use std::ops::Range;

/// Real and imaginary part.
pub(super) type Pair = [Local; 2];

impl<'a> TypeLowering<'a> {
    /// Lowers an operation with complex operands or results.
    pub(super) fn complex_op(&mut self, op: &ParsedOp<'a>) -> Result<()> {
        match op.code {
            Opcode::CustomCall if Routine::from_attributes(&op.attrs).is_some() => self.flattened(op, op.attrs.clone()),
            // The same operation on each part.
            Opcode::Add
            | Opcode::BroadcastInDim
            | Opcode::Concatenate
            | Opcode::CustomCall
            | Opcode::DynamicSlice
            | Opcode::DynamicUpdateSlice
            | Opcode::Gather
            | Opcode::Negate
            | Opcode::Pad
            | Opcode::Reshape
            | Opcode::Reverse
            | Opcode::SdyReshard
            | Opcode::SdyShardingConstraint
            | Opcode::Select
            | Opcode::Slice
            | Opcode::Subtract
            | Opcode::Transpose => self.each_part(op),
            // The same operation with more operands and results.
            Opcode::Case
            | Opcode::Cholesky
            | Opcode::Composite
            | Opcode::Fft
            | Opcode::FuncCall
            | Opcode::FuncReturn
            | Opcode::If
            | Opcode::OptimizationBarrier
            | Opcode::Return
            | Opcode::Scatter
            | Opcode::TriangularSolve
            | Opcode::While => self.flattened(op, op.attrs.clone()),
            Opcode::CheckExpectAlmostEq | Opcode::CheckExpectClose | Opcode::CheckExpectEq => {
                let (x, y) = (self.pair_operand(op, 0)?, self.pair_operand(op, 1)?);
                for part in [0, 1] {
                    self.out.emit_check(op.code, x[part], y[part], op.attrs.clone());
                }
                Ok(())
            }
            Opcode::BitcastConvert => {
                let pair = self.pair_operand(op, 0)?;
                let types = op.types.first().map(|ty| self.lowered_types(ty)).unwrap_or_default();
                match types[..] == pair.map(|part| self.out.ty(part)) {
                    true => self.complex_result(op, pair),
                    false => Err(self.unsupported(op, "from or to complex numbers of another type")),
                }
            }
            Opcode::Reduce | Opcode::ReduceWindow => self.complex_reduction(op),
            Opcode::Sort => self.complex_sort(op),
            Opcode::Constant => self.complex_constant(op),
            Opcode::Iota => self.complex_iota(op),
            Opcode::Convert => self.complex_convert(op),
            Opcode::Compare => self.complex_compare(op),
            Opcode::DotGeneral | Opcode::Convolution => self.bilinear(op),
            Opcode::Complex => {
                let [re, im] = [self.plain_operand(op, 0)?, self.plain_operand(op, 1)?];
                self.complex_result(op, [re, im])
            }
            Opcode::Real | Opcode::Imag | Opcode::Abs => {
                let pair = self.pair_operand(op, 0)?;
                let part = match op.code {
                    Opcode::Real => pair[0],
                    Opcode::Imag => pair[1],
                    _ => self.out.modulus(pair),
                };
                self.plain_result(op, part)
            }
            Opcode::Atan2 | Opcode::Maximum | Opcode::Minimum | Opcode::Multiply | Opcode::Divide | Opcode::Power => {
                let (x, y) = (self.pair_operand(op, 0)?, self.pair_operand(op, 1)?);
                let result = match op.code {
                    Opcode::Multiply => self.out.product(x, y),
                    Opcode::Divide => self.out.quotient(x, y),
                    Opcode::Power => self.out.power(x, y),
                    Opcode::Maximum => self.extreme("GT", x, y),
                    Opcode::Minimum => self.extreme("LT", x, y),
                    _ => self.out.atan2(x, y),
                };
                self.complex_result(op, result)
            }
            _ => {
                let x = match op.operands[..] {
                    [_] if op.types.len() == 1 => self.pair_operand(op, 0)?,
                    _ => return Err(self.unsupported(op, "of complex numbers")),
                };
                match self.out.function(op.code, x) {
                    Some(result) => self.complex_result(op, result),
                    None => Err(self.unsupported(op, "of complex numbers")),
                }
            }
        }
    }

    /// Returns an operand that must be complex.
    fn pair_operand(&self, op: &ParsedOp<'a>, index: usize) -> Result<Pair> {
        let parts = op.operands.get(index).map(|&local| self.parts_of(local)).transpose()?;
        match parts {
            Some(Parts::Complex(pair)) => Ok(pair),
            _ => {
                let title = format!("operand {index} of `{}` is not complex", op.code.name());
                Err(Fault::new(Code::V001, title, op.span()))
            }
        }
    }

    /// Returns an operand that must not be complex.
    fn plain_operand(&self, op: &ParsedOp<'a>, index: usize) -> Result<Local> {
        let parts = op.operands.get(index).map(|&local| self.parts_of(local)).transpose()?;
        match parts {
            Some(Parts::Plain(x)) => Ok(x),
            _ => {
                let title = format!("operand {index} of `{}` is not a real number", op.code.name());
                Err(Fault::new(Code::V001, title, op.span()))
            }
        }
    }

    /// Defines the only result of an operation, which must be complex. Errors: a result of another type.
    fn complex_result(&mut self, op: &ParsedOp<'a>, pair: Pair) -> Result<()> {
        self.results(op, &pair)
    }

    /// Defines the only result of an operation, which must not be complex. Errors: a result of another type.
    fn plain_result(&mut self, op: &ParsedOp<'a>, value: Local) -> Result<()> {
        self.results(op, &[value])
    }

    /// Defines the only result of an operation. Errors: a result of another type.
    pub(super) fn results(&mut self, op: &ParsedOp<'a>, values: &[Local]) -> Result<()> {
        let types: SmallVec<[Type; 2]> = values.iter().map(|&value| self.out.ty(value)).collect();
        match &op.types[..] {
            [declared] if self.lowered_types(declared) == types => {
                self.define(op.first_result, declared, values);
                Ok(())
            }
            _ => {
                let declared: Vec<String> = op.types.iter().map(ToString::to_string).collect();
                let title = format!("`{}` does not return {}", op.code.name(), declared.join(", "));
                Err(Fault::new(Code::V001, title, op.span()))
            }
        }
    }

    /// Emits the operation for the real parts and for the imaginary parts. Operands that are not complex are used by
    /// both.
    fn each_part(&mut self, op: &ParsedOp<'a>) -> Result<()> {
        let parts: SmallVec<[Parts; 4]> = op.operands.iter().map(|&x| self.parts_of(x)).collect::<Result<_>>()?;
        let [ty] = &op.types[..] else { return Err(self.unsupported(op, "of complex numbers")) };
        for index in data_operands(op.code, op.operands.len()) {
            self.pair_operand(op, index)?;
        }
        let types = self.lowered_types(ty);
        if types.len() != 2 {
            let title = format!("`{}` of complex numbers does not return {ty}", op.code.name());
            return Err(Fault::new(Code::V001, title, op.span()));
        }
        let mut results: SmallVec<[Local; 2]> = SmallVec::new();
        for (part, ty) in types.into_iter().enumerate() {
            let operands: SmallVec<[Local; 4]> = parts
                .iter()
                .filter_map(|&parts| match parts {
                    Parts::Complex(pair) => Some(pair[part]),
                    Parts::Plain(x) | Parts::Stored(x) | Parts::Expressed(x) => Some(x),
                    Parts::Token => None,
                })
                .collect();
            results.push(self.out.emit(op.code, &operands, ty, op.attrs.clone()));
        }
        self.define(op.first_result, ty, &results);
        Ok(())
    }

    fn complex_constant(&mut self, op: &ParsedOp<'a>) -> Result<()> {
        let (Some(Attr::Dense(dense)), [ty]) = (op.attr("value"), &op.types[..]) else {
            return Err(Fault::malformed("a constant needs a literal `dense<..>` and a type", op.span()));
        };
        let part = self.lowered_types(ty)[0].clone();
        let literals = dense.read_complex(&part)?;
        let pair = literals.map(|literal| self.out.literal(literal, part.clone()));
        self.complex_result(op, pair)
    }

    fn complex_iota(&mut self, op: &ParsedOp<'a>) -> Result<()> {
        let part = self.lowered_types(&op.types[0])[0].clone();
        let re = self.out.emit(Opcode::Iota, &[], part, op.attrs.clone());
        let im = self.out.number(0.0, re);
        self.complex_result(op, [re, im])
    }

    /// Lowers a conversion. From a real number the imaginary part is 0; to a real number it is dropped.
    fn complex_convert(&mut self, op: &ParsedOp<'a>) -> Result<()> {
        let [target] = &op.types[..] else { return Err(self.unsupported(op, "of complex numbers")) };
        match (self.parts_of(op.operands[0])?, &target.element) {
            (Parts::Complex(pair), Element::Complex(dtype)) => {
                let converted = pair.map(|x| self.out.convert(x, *dtype));
                self.complex_result(op, converted)
            }
            (Parts::Complex([re, _]), Element::Plain(dtype)) => {
                let converted = self.out.convert(re, *dtype);
                self.plain_result(op, converted)
            }
            (Parts::Plain(x), Element::Complex(dtype)) => {
                let re = self.out.convert(x, *dtype);
                let im = self.out.number(0.0, re);
                self.complex_result(op, [re, im])
            }
            _ => Err(self.unsupported(op, "of complex numbers")),
        }
    }

    /// Lowers a comparison: numbers are equal if both parts are, and ordered lexicographically.
    fn complex_compare(&mut self, op: &ParsedOp<'a>) -> Result<()> {
        let ([xr, xi], [yr, yi]) = (self.pair_operand(op, 0)?, self.pair_operand(op, 1)?);
        let direction = op.word("comparison_direction")?;
        let result = match direction {
            "EQ" => {
                let [re, im] = [self.out.compare("EQ", xr, yr), self.out.compare("EQ", xi, yi)];
                self.out.elementwise(Opcode::And, &[re, im])
            }
            "NE" => {
                let [re, im] = [self.out.compare("NE", xr, yr), self.out.compare("NE", xi, yi)];
                self.out.elementwise(Opcode::Or, &[re, im])
            }
            _ => {
                let strict = if direction.starts_with('L') { "LT" } else { "GT" };
                let inner = match direction {
                    "LE" => "LE",
                    "GE" => "GE",
                    _ => strict,
                };
                self.lexicographic(strict, inner, [xr, xi], [yr, yi])
            }
        };
        self.plain_result(op, result)
    }

    /// Emits `(x.re, x.im) < (y.re, y.im)` in lexicographic order: the parts are compared by `outer` and `inner`.
    fn lexicographic(&mut self, outer: &'static str, inner: &'static str, x: Pair, y: Pair) -> Local {
        let before = self.out.compare(outer, x[0], y[0]);
        let tied = self.out.compare("EQ", x[0], y[0]);
        let inner = self.out.compare(inner, x[1], y[1]);
        let tied = self.out.elementwise(Opcode::And, &[tied, inner]);
        self.out.elementwise(Opcode::Or, &[before, tied])
    }

    /// Emits the lexicographic maximum (`GT`) or minimum (`LT`). A number with a NaN part is both.
    fn extreme(&mut self, direction: &'static str, x: Pair, y: Pair) -> Pair {
        let chosen = self.lexicographic(direction, direction, x, y);
        let [re_nan, im_nan] = x.map(|part| self.out.compare("NE", part, part));
        let nan = self.out.elementwise(Opcode::Or, &[re_nan, im_nan]);
        let chosen = self.out.elementwise(Opcode::Or, &[chosen, nan]);
        [0, 1].map(|part| self.out.select(chosen, x[part], y[part]))
    }

    /// Lowers a product of tensors: four real products, or two if one operand is real.
    fn bilinear(&mut self, op: &ParsedOp<'a>) -> Result<()> {
        let (x, y) = (self.parts_of(op.operands[0])?, self.parts_of(op.operands[1])?);
        let ty = self.lowered_types(&op.types[0])[0].clone();
        let mut product = |a: Local, b: Local| self.out.emit(op.code, &[a, b], ty.clone(), op.attrs.clone());
        let pair = match (x, y) {
            (Parts::Complex(x), Parts::Complex(y)) => {
                let [rr, ii, ri, ir] =
                    [product(x[0], y[0]), product(x[1], y[1]), product(x[0], y[1]), product(x[1], y[0])];
                [self.out.sub(rr, ii), self.out.add(ri, ir)]
            }
            (Parts::Complex(x), Parts::Plain(y)) => x.map(|part| product(part, y)),
            (Parts::Plain(x), Parts::Complex(y)) => y.map(|part| product(x, part)),
            _ => return Err(self.unsupported(op, "of complex numbers")),
        };
        self.complex_result(op, pair)
    }

    /// Lowers a reduction. A sum is computed for each part; any other reducer combines pairs.
    fn complex_reduction(&mut self, op: &ParsedOp<'a>) -> Result<()> {
        let named = op.attr("applies").and_then(Attr::as_word);
        let code = match (named, &op.regions[..]) {
            (Some(name), _) => Opcode::from_name(name),
            (None, [region]) => only_operation(region),
            (None, _) => None,
        };
        if code == Some(Opcode::Add) && op.types.len() == 1 {
            let mut parts = self.reduction_of_parts(op)?;
            return match parts.len() {
                2 => {
                    let pair = [parts.remove(0), parts.remove(0)];
                    self.complex_result(op, pair)
                }
                _ => Err(self.unsupported(op, "of complex numbers")),
            };
        }
        let Some(name) = named else { return self.flattened(op, op.attrs.clone()) };
        let (Some(code), [ty]) = (code, &op.types[..]) else {
            return Err(Fault::unsupported(format!("`{}` applies `{name}`", op.code.name()), op.span()));
        };
        let reducer = self.named_reducer(op, code, &ty.scalar());
        let written = ParsedOp {
            operands: op.operands.clone(),
            types: op.types.clone(),
            attrs: op.attrs.iter().filter(|(name, _)| *name != "applies").cloned().collect(),
            regions: vec![reducer],
            ..*op
        };
        self.flattened(&written, written.attrs.clone())
    }

    /// Emits a sum of each part.
    fn reduction_of_parts(&mut self, op: &ParsedOp<'a>) -> Result<Vec<Local>> {
        let (x, init) = (self.pair_operand(op, 0)?, self.pair_operand(op, 1)?);
        let ty = self.lowered_types(&op.types[0])[0].clone();
        let mut attrs: Attrs<'a> = op.attrs.iter().filter(|(name, _)| *name != "applies").cloned().collect();
        if op.code == Opcode::Reduce {
            attrs.push(("applies", Attr::Word(Opcode::Add.name())));
        }
        let mut sums = Vec::new();
        for part in [0, 1] {
            let sum = self.out.emit(op.code, &[x[part], init[part]], ty.clone(), attrs.clone());
            if op.code == Opcode::ReduceWindow {
                let scalar = Type { shape: Default::default(), dtype: ty.dtype };
                let region = self.out.binary_region(Opcode::Add, &scalar);
                if let Some(emitted) = self.out.ops.last_mut() {
                    emitted.regions = vec![region];
                }
            }
            sums.push(sum);
        }
        Ok(sums)
    }

    /// Builds the region of a reducer that applies a binary operation to values of type `ty`.
    fn named_reducer(&mut self, op: &ParsedOp<'a>, code: Opcode, ty: &TensorType) -> ParsedRegion<'a> {
        let first = self.source.len() as Local;
        let Site { name, name_at, .. } = self.out.site;
        for _ in 0..3 {
            self.source.push(ParsedValue { name, index: None, ty: ty.clone(), at: name_at });
            self.parts.push(None);
        }
        let at = op.span();
        let args =
            [first, first + 1].map(|value| ParsedArg { value, ty: ty.clone(), at: at.clone(), location: "" }).into();
        let build = |code, operands: &[Local], types: SmallVec<[TensorType; 1]>| ParsedOp {
            code,
            operands: SmallVec::from_slice(operands),
            first_result: first + 2,
            types,
            attrs: Attrs::new(),
            inherent: 0,
            regions: Vec::new(),
            ..*op
        };
        let combined = build(code, &[first, first + 1], SmallVec::from_elem(ty.clone(), 1));
        let end = build(Opcode::Return, &[first + 2], SmallVec::new());
        ParsedRegion { first, args, ops: vec![combined, end] }
    }

    /// Lowers a sort. The comparator of a flattened sort takes both elements of each part in turn.
    fn complex_sort(&mut self, op: &ParsedOp<'a>) -> Result<()> {
        self.flattened(op, op.attrs.clone())?;
        let Some(sort) = self.out.ops.last_mut() else { return Ok(()) };
        let mut order = Vec::new();
        let mut next = 0;
        for ty in &op.types {
            match ty.element {
                Element::Complex(_) => order.extend([next, next + 2, next + 1, next + 3]),
                Element::Plain(_) | Element::Quantized(_) => order.extend([next, next + 1]),
                Element::Token => {}
            }
            next = order.len();
        }
        for region in &mut sort.regions {
            let mut args: Vec<_> = std::mem::take(&mut region.args).into_iter().map(Some).collect();
            region.args = order.iter().filter_map(|&i| args.get_mut(i)?.take()).collect();
        }
        Ok(())
    }
}

/// Returns the operands of an operation that moves or combines elements, without conditions and indices.
pub(super) fn data_operands(code: Opcode, count: usize) -> Range<usize> {
    match code {
        Opcode::DynamicSlice | Opcode::Gather => 0..count.min(1),
        Opcode::DynamicUpdateSlice => 0..count.min(2),
        Opcode::Select => 1..count.max(1),
        _ => 0..count,
    }
}

/// Returns the operation of a reducer that only applies it to its two arguments and returns the result.
fn only_operation(region: &ParsedRegion<'_>) -> Option<Opcode> {
    let ([x, y], [op, end]) = (&region.args[..], &region.ops[..]) else { return None };
    let applied = op.operands[..] == [x.value, y.value] || op.operands[..] == [y.value, x.value];
    (applied && op.types.len() == 1 && end.operands[..] == [op.first_result]).then_some(op.code)
}
