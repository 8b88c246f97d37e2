//! Parsing of types such as `tensor<8x128xf32>`, and of operation signatures.

use super::parse::Parser;
use super::{LocatedType, Op, Opcode, Value};
use crate::fault::{Fault, Result, counted, excerpt};
use partita_ir::diag::Code;
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::syntax::MAX_RANK;
use smallvec::{SmallVec, smallvec};

/// Types of the results of an operation.
pub type ResultTypes = SmallVec<[Type; 1]>;

/// Types in the signature of an operation, with locations.
pub type LocatedTypes = SmallVec<[LocatedType; 3]>;

impl<'a> Parser<'a> {
    /// Parses a tensor type with a static shape and a supported element type.
    pub fn tensor(&mut self) -> Result<Type> {
        let start = self.cursor.offset();
        let Some(body) = self.cursor.rest().strip_prefix("tensor<") else {
            self.skip_type()?;
            let found = self.cursor.text_since(start);
            let title = format!("{} has a value of type `{}`, which is not a tensor", self.subject, excerpt(found));
            return Err(Fault::unsupported(title, start..start + found.len()));
        };
        let bytes = body.as_bytes();
        let mut shape = Shape::default();
        let mut n = 0;
        while let Some(digits @ 1..) = bytes.get(n..).map(|b| b.iter().take_while(|b| b.is_ascii_digit()).count()) {
            let size = bytes[n..n + digits]
                .iter()
                .try_fold(0usize, |size, b| size.checked_mul(10)?.checked_add(usize::from(b - b'0')));
            let Some(size) = size else { return Err(self.too_large(start)) };
            if bytes.get(n + digits) != Some(&b'x') {
                break;
            }
            if shape.rank() == MAX_RANK {
                let title = format!("{} has a tensor of more than {MAX_RANK} dimensions", self.subject);
                return Err(Fault::new(Code::T004, title, start..start + 7 + n));
            }
            shape.0.push(size);
            n += digits + 1;
        }
        if shape.checked_count().is_none() {
            return Err(self.too_large(start));
        }
        let element = bytes[n..].iter().take_while(|b| b.is_ascii_alphanumeric()).count();
        match dtype(&body[n..n + element]) {
            Some(dtype) if bytes.get(n + element) == Some(&b'>') => {
                self.cursor.advance("tensor<".len() + n + element + 1);
                Ok(Type { shape, dtype })
            }
            _ => Err(self.unsupported_tensor(start)),
        }
    }

    /// Builds the fault for a shape whose element count overflows.
    #[cold]
    fn too_large(&mut self, start: usize) -> Box<Fault> {
        if let Err(fault) = self.skip_type() {
            return fault;
        }
        let text = self.cursor.text_since(start);
        let title = format!("{} has a tensor `{}` too large to count", self.subject, excerpt(text));
        Fault::new(Code::T004, title, start..start + text.len())
            .note(format!("the number of elements must be at most {}", Shape::MAX_COUNT))
    }

    /// Builds the fault for an unsupported tensor type.
    #[cold]
    fn unsupported_tensor(&mut self, start: usize) -> Box<Fault> {
        self.cursor.advance("tensor".len());
        let body = match self.cursor.balanced() {
            Ok(body) => body,
            Err(fault) => return fault,
        };
        let text = self.cursor.text_since(start);
        let at = start..start + text.len();
        let (dims, element) = body.rsplit_once('x').map_or(("", body), |(d, e)| {
            if body.contains("complex") {
                body.find("complex").map_or((d, e), |c| (&body[..c], &body[c..]))
            } else {
                (d, e)
            }
        });
        if dims.contains('?') || dims.contains('*') {
            return Fault::unsupported(format!("{} has a dynamic shape `{}`", self.subject, excerpt(text)), at)
                .label("a dimension without a size")
                .help("trace the function with concrete shapes: dynamic shapes are not supported");
        }
        if body.contains(',') {
            return Fault::unsupported(format!("{} has a tensor with an encoding", self.subject), at)
                .label("only tensors without an encoding are supported");
        }
        let supported: Vec<&str> = DType::ALL.iter().map(|&d| spelling(d)).collect();
        Fault::unsupported(format!("{} has elements of type `{}`", self.subject, excerpt(element)), at)
            .label("this element type is not supported")
            .note(format!("element types are {}", supported.join(", ")))
            .help("cast to a supported element type before lowering")
    }

    /// Skips any type.
    pub fn skip_type(&mut self) -> Result<()> {
        match self.cursor.peek() {
            b'(' => {
                self.cursor.balanced()?;
                if self.cursor.eat_arrow() { self.nested(Self::skip_type) } else { Ok(()) }
            }
            b'!' => {
                self.cursor.sigil(b'!', "a type")?;
                self.skip_parameters()
            }
            _ => {
                self.cursor.name("a type")?;
                self.skip_parameters()
            }
        }
    }

    fn skip_parameters(&mut self) -> Result<()> {
        if self.cursor.peek() == b'<' {
            self.cursor.balanced()?;
        }
        Ok(())
    }

    /// Parses the signature after the `:` of an operation with `results` results. The types of operands must be those
    /// of the values; the types of results are stored in the operation. The signature is `(operands) -> results`,
    /// `operands -> results`, one type for all, or a list with one type per result, which is also the type of the
    /// operand. A `select` has a type for its condition and one for all others.
    pub fn signature(&mut self, op: &mut Op<'a>, results: usize) -> Result<()> {
        if self.cursor.peek() == b'(' {
            let operands = self.type_list()?;
            if !self.cursor.eat_arrow() {
                return Err(self.cursor.unexpected("`->` and the types of the results"));
            }
            op.types = self.result_types()?;
            return self.check_operands(op, &operands);
        }
        let start = self.cursor.offset();
        let mut listed: LocatedTypes = smallvec![self.located_type()?];
        while self.cursor.eat(b',') {
            listed.push(self.located_type()?);
        }
        if self.cursor.eat_arrow() {
            op.types = self.result_types()?;
            return self.check_operands(op, &listed);
        }
        match (op.code, &listed[..]) {
            (Opcode::Select, [_, all]) => {
                op.types.push(all.ty.clone());
                listed.push(all.clone());
            }
            (_, [all]) if results > 0 => {
                op.types.push(all.ty.clone());
                listed = SmallVec::from_elem(all.clone(), op.operands.len());
            }
            (_, all) if results == 0 || all.len() == results => {
                op.types.extend(all[..results].iter().map(|written| written.ty.clone()));
            }
            _ => {
                let text = self.cursor.text_since(start);
                let title = format!(
                    "`{}` has {} and {}",
                    op.code.name(),
                    counted(results, "result"),
                    counted(listed.len(), "type")
                );
                return Err(Fault::malformed(title, start..start + text.len())
                    .help("write the types as `(operands) -> results`"));
            }
        }
        self.check_operands(op, &listed)
    }

    /// Checks that the operand types in the signature equal the types of the values.
    fn check_operands(&self, op: &Op<'a>, written: &[LocatedType]) -> Result<()> {
        if written.len() != op.operands.len() {
            let (operands, types) = (counted(op.operands.len(), "operand"), written.len());
            let title = format!("`{}` has {operands}, and types for {types}", op.code.name());
            return Err(Fault::malformed(title, op.span()));
        }
        for (&operand, written) in op.operands.iter().zip(written) {
            if let Some(value) = self.values.get(operand as usize).filter(|value| value.ty != written.ty) {
                return Err(type_mismatch(op, value, written));
            }
        }
        Ok(())
    }

    /// Parses `(T, T)`.
    pub fn type_list(&mut self) -> Result<LocatedTypes> {
        self.cursor.expect(b'(', "before the types of the operands")?;
        let mut types = LocatedTypes::new();
        if self.cursor.eat(b')') {
            return Ok(types);
        }
        loop {
            types.push(self.located_type()?);
            if !self.cursor.eat(b',') {
                self.cursor.expect(b')', "after the types of the operands")?;
                return Ok(types);
            }
        }
    }

    /// Parses a tensor type and its location.
    pub fn located_type(&mut self) -> Result<LocatedType> {
        let start = self.cursor.offset();
        let ty = self.tensor()?;
        let end = start + self.cursor.text_since(start).len();
        Ok(LocatedType { ty, at: start..end })
    }

    /// Parses `T` or `(T, T)`.
    fn result_types(&mut self) -> Result<ResultTypes> {
        if !self.cursor.eat(b'(') {
            return Ok(smallvec![self.tensor()?]);
        }
        let mut types = ResultTypes::new();
        if self.cursor.eat(b')') {
            return Ok(types);
        }
        loop {
            types.push(self.tensor()?);
            if !self.cursor.eat(b',') {
                self.cursor.expect(b')', "after the types of the results")?;
                return Ok(types);
            }
        }
    }
}

/// Builds the fault for an operand whose type in the signature differs from the type of the value.
#[cold]
fn type_mismatch(op: &Op<'_>, value: &Value<'_>, written: &LocatedType) -> Box<Fault> {
    let (is, written_type) = (tensor_text(&value.ty), tensor_text(&written.ty));
    Fault::new(
        Code::V001,
        format!("`{}` takes `{value}` as {written_type}, but it is {is}", op.code.name()),
        written.at.clone(),
    )
    .label(format!("`{value}` is written as {written_type}"))
    .context(value.span(), format!("defined here, as {is}"))
    .help(format!("write {is}, or convert `{value}` first"))
}

/// Returns a type in MLIR syntax, for example `tensor<4x8xf32>`.
pub fn tensor_text(ty: &Type) -> String {
    let dims: String = ty.shape.iter().map(|size| format!("{size}x")).collect();
    format!("tensor<{dims}{}>", spelling(ty.dtype))
}

/// Returns the element type with an MLIR name; `None` for unsupported types such as `i16`.
pub fn dtype(name: &str) -> Option<DType> {
    DType::ALL.into_iter().find(|&d| spelling(d) == name)
}

/// Returns the MLIR name of an element type.
pub const fn spelling(dtype: DType) -> &'static str {
    match dtype {
        DType::F64 => "f64",
        DType::F32 => "f32",
        DType::F16 => "f16",
        DType::BF16 => "bf16",
        DType::I64 => "i64",
        DType::I32 => "i32",
        DType::I8 => "i8",
        DType::U64 => "ui64",
        DType::U32 => "ui32",
        DType::U8 => "ui8",
        DType::Bool => "i1",
    }
}
