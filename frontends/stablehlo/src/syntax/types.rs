//! Types: `tensor<8x128xf32>`, and the signature behind an operation.

use super::parse::Parser;
use super::{Op, Opcode, Value, Written};
use crate::fault::{Fault, Result, counted, excerpt};
use partita_ir::diag::Code;
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::syntax::MAX_RANK;
use smallvec::{SmallVec, smallvec};

/// Types of an operation's results.
pub type Types = SmallVec<[Type; 1]>;

/// Types as they are written behind an operation.
pub type WrittenTypes = SmallVec<[Written; 3]>;

impl<'a> Parser<'a> {
    /// A tensor type of static shape and supported element type.
    pub fn tensor(&mut self) -> Result<Type> {
        let start = self.cursor.at();
        let Some(body) = self.cursor.rest().strip_prefix("tensor<") else {
            self.skip_type()?;
            let found = self.cursor.since(start);
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
            _ => Err(self.refused_tensor(start)),
        }
    }

    /// The fault of a shape whose number of elements cannot be counted.
    #[cold]
    fn too_large(&mut self, start: usize) -> Box<Fault> {
        if let Err(fault) = self.skip_type() {
            return fault;
        }
        let text = self.cursor.since(start);
        let title = format!("{} has a tensor `{}` too large to count", self.subject, excerpt(text));
        Fault::new(Code::T004, title, start..start + text.len())
            .note(format!("the number of elements must be at most {}", Shape::MAX_COUNT))
    }

    /// The fault of a tensor type that this frontend does not take.
    #[cold]
    fn refused_tensor(&mut self, start: usize) -> Box<Fault> {
        self.cursor.advance("tensor".len());
        let body = match self.cursor.balanced() {
            Ok(body) => body,
            Err(fault) => return fault,
        };
        let text = self.cursor.since(start);
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
                .help("trace the function with concrete shapes: shapes are static here");
        }
        if body.contains(',') {
            return Fault::unsupported(format!("{} has a tensor with an encoding", self.subject), at)
                .label("only plain tensors are taken");
        }
        let supported: Vec<&str> = DType::ALL.iter().map(|&d| spelling(d)).collect();
        Fault::unsupported(format!("{} has elements of type `{}`", self.subject, excerpt(element)), at)
            .label("this element type is not supported")
            .note(format!("element types are {}", supported.join(", ")))
            .help("cast to a supported element type before lowering")
    }

    /// Moves over any type.
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

    /// What stands behind the `:` of an operation with `results` results: the types of the operands, which must be
    /// those of the values, and of the results, which become those of the operation. There are four spellings:
    /// `(operands) -> results`, `operands -> results`, one type for all, and a list with one type for each result,
    /// whose operand has the same. A `select` has one for its condition and one for all else.
    pub fn signature(&mut self, op: &mut Op<'a>, results: usize) -> Result<()> {
        if self.cursor.peek() == b'(' {
            let operands = self.type_list()?;
            if !self.cursor.eat_arrow() {
                return Err(self.cursor.unexpected("`->` and the types of the results"));
            }
            op.types = self.result_types()?;
            return self.check_operands(op, &operands);
        }
        let start = self.cursor.at();
        let mut listed: WrittenTypes = smallvec![self.written_type()?];
        while self.cursor.eat(b',') {
            listed.push(self.written_type()?);
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
                let text = self.cursor.since(start);
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

    /// Checks that the types written for the operands are those of the values.
    fn check_operands(&self, op: &Op<'a>, written: &[Written]) -> Result<()> {
        if written.len() != op.operands.len() {
            let (operands, types) = (counted(op.operands.len(), "operand"), written.len());
            let title = format!("`{}` has {operands}, and types for {types}", op.code.name());
            return Err(Fault::malformed(title, op.span()));
        }
        for (&operand, written) in op.operands.iter().zip(written) {
            if let Some(value) = self.values.get(operand as usize).filter(|value| value.ty != written.ty) {
                return Err(contradiction(op, value, written));
            }
        }
        Ok(())
    }

    /// `(T, T)`.
    pub fn type_list(&mut self) -> Result<WrittenTypes> {
        self.cursor.expect(b'(', "before the types of the operands")?;
        let mut types = WrittenTypes::new();
        if self.cursor.eat(b')') {
            return Ok(types);
        }
        loop {
            types.push(self.written_type()?);
            if !self.cursor.eat(b',') {
                self.cursor.expect(b')', "behind the types of the operands")?;
                return Ok(types);
            }
        }
    }

    /// A tensor type and its place.
    pub fn written_type(&mut self) -> Result<Written> {
        let start = self.cursor.at();
        let ty = self.tensor()?;
        let end = start + self.cursor.since(start).len();
        Ok(Written { ty, at: start..end })
    }

    /// `T`, or `(T, T)`.
    fn result_types(&mut self) -> Result<Types> {
        if !self.cursor.eat(b'(') {
            return Ok(smallvec![self.tensor()?]);
        }
        let mut types = Types::new();
        if self.cursor.eat(b')') {
            return Ok(types);
        }
        loop {
            types.push(self.tensor()?);
            if !self.cursor.eat(b',') {
                self.cursor.expect(b')', "behind the types of the results")?;
                return Ok(types);
            }
        }
    }
}

/// The fault of an operand whose written type is not that of the value.
#[cold]
fn contradiction(op: &Op<'_>, value: &Value<'_>, written: &Written) -> Box<Fault> {
    let (is, said) = (tensor_text(&value.ty), tensor_text(&written.ty));
    Fault::new(
        Code::V001,
        format!("`{}` takes `{value}` as {said}, but it is {is}", op.code.name()),
        written.at.clone(),
    )
    .label(format!("`{value}` is written as {said}"))
    .context(value.span(), format!("defined here, as {is}"))
    .help(format!("write {is}, or convert `{value}` first"))
}

/// A type in MLIR: `tensor<4x8xf32>`.
pub fn tensor_text(ty: &Type) -> String {
    let dims: String = ty.shape.iter().map(|size| format!("{size}x")).collect();
    format!("tensor<{dims}{}>", spelling(ty.dtype))
}

/// The element type of that name in MLIR. `i16` and others are not supported.
pub fn dtype(name: &str) -> Option<DType> {
    DType::ALL.into_iter().find(|&d| spelling(d) == name)
}

/// The name of an element type in MLIR.
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
