//! Parsing of types such as `tensor<8x128xf32>`, and of operation signatures.

use super::Opcode;
use super::parse::Parser;
use super::tensor_type::{Element, Prefix, TOKEN, TensorType, spelling};
use super::{ParsedLocatedType as LocatedType, ParsedOp as Op, ParsedValue as Value};
use crate::fault::{Fault, Result, counted, excerpt};
use partita_ir::diag::Code;
use partita_ir::dtype::{DType, Shape};
use partita_ir::syntax::MAX_RANK;
use smallvec::{SmallVec, smallvec};

/// Types of the results of an operation.
pub type ResultTypes = SmallVec<[TensorType; 1]>;

/// Types in the signature of an operation, with locations.
pub type LocatedTypes = SmallVec<[LocatedType; 3]>;

impl<'a> Parser<'a> {
    /// Parses a tensor type with a static shape and a supported element type.
    pub fn tensor(&mut self) -> Result<TensorType> {
        let start = self.cursor.offset();
        if self.cursor.rest().starts_with(TOKEN) {
            self.cursor.advance(TOKEN.len());
            return Ok(TensorType { shape: Shape::scalar(), element: Element::Token });
        }
        let Some(body) = self.cursor.rest().strip_prefix("tensor<") else {
            self.skip_type()?;
            let found = self.cursor.text_since(start);
            let title = format!("{} has a value of type `{}`, which is not a tensor", self.subject, excerpt(found));
            return Err(Fault::unsupported(title, start..start + found.len()));
        };
        match TensorType::parse_prefix(body) {
            Prefix::Type(ty, length) if body.as_bytes().get(length) == Some(&b'>') => {
                self.cursor.advance("tensor<".len() + length + 1);
                Ok(ty)
            }
            Prefix::Type(..) | Prefix::Unknown => Err(self.unsupported_tensor(start)),
            Prefix::TooManyDims(length) => {
                let title = format!("{} has a tensor of more than {MAX_RANK} dimensions", self.subject);
                Err(Fault::new(Code::T004, title, start..start + "tensor<".len() + length))
            }
            Prefix::TooLarge => Err(self.too_large(start)),
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
        let nested = ["complex", "!quant"].iter().find_map(|word| body.find(word));
        let (dims, element) = match nested {
            Some(at) => body.split_at(at),
            None => body.rsplit_once('x').unwrap_or(("", body)),
        };
        if dims.contains('?') || dims.contains('*') {
            return Fault::unsupported(format!("{} has a dynamic shape `{}`", self.subject, excerpt(text)), at)
                .label("a dimension without a size")
                .help("trace the function with concrete shapes: dynamic shapes are not supported");
        }
        if element.contains(',') && nested.is_none() {
            return Fault::unsupported(format!("{} has a tensor with an encoding", self.subject), at)
                .label("only tensors without an encoding are supported");
        }
        let supported: Vec<&str> = DType::ALL.iter().map(|&d| spelling(d)).collect();
        Fault::unsupported(format!("{} has elements of type `{}`", self.subject, excerpt(element)), at)
            .label("this element type is not supported")
            .note(format!("element types are {}, complex<f32>, complex<f64> and !quant.uniform", supported.join(", ")))
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
            (Opcode::Complex, [all]) if results > 0 => {
                op.types.push(all.ty.clone());
                let part = LocatedType { ty: all.ty.real_part(), at: all.at.clone() };
                listed = SmallVec::from_elem(part, op.operands.len());
            }
            (_, [all]) if results > 0 || op.operands.len() > 1 => {
                op.types.extend((results > 0).then(|| all.ty.clone()));
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
    let (is, written_type) = (value.ty.to_string(), written.ty.to_string());
    Fault::new(
        Code::V001,
        format!("`{}` takes `{value}` as {written_type}, but it is {is}", op.code.name()),
        written.at.clone(),
    )
    .label(format!("`{value}` is written as {written_type}"))
    .context(value.span(), format!("defined here, as {is}"))
    .help(format!("write {is}, or convert `{value}` first"))
}
