//! Literals `dense<..>`: parsing and conversion to elements.
//!
//! A literal remains text until the importer reads it with its declared type. Memory is allocated for elements that
//! occur in the text, never for declared sizes. A splat remains one number for any shape.

use super::attribute::Ints;
use super::parse::Parser;
use super::tensor_type::{Prefix, TensorType};
use crate::fault::{Fault, Result, counted, excerpt};
use partita_ir::diag::Code;
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::ops::Literal;
use partita_ir::tensor::{Scalar, wrap, wrap_int};
use smallvec::SmallVec;
use std::ops::Range;

/// Text of a literal.
#[derive(Clone, Debug)]
pub struct Dense<'a> {
    /// Text between the angle brackets.
    pub text: &'a str,
    /// Byte offset of the text.
    pub at: usize,
    /// Text of the type after the literal; empty if there is none and the type of the operation applies.
    pub ty: &'a str,
}

impl<'a> Parser<'a> {
    /// Parses `<..>`, the part of a literal after `dense`. The cursor must be at the angle bracket.
    pub fn dense_body(&mut self) -> Result<Dense<'a>> {
        let at = self.cursor.offset() + 1;
        let bytes = self.cursor.rest().as_bytes();
        // Literals contain no `>`, also not in strings, which contain hexadecimal digits only. The first `>` therefore
        // closes the literal.
        let Some(end) = bytes.iter().position(|&b| b == b'>') else {
            return Err(Fault::malformed("the text ends before this literal is closed", at - 1..at)
                .label("opened here")
                .help("the file is truncated: write it again"));
        };
        let text = &self.cursor.rest()[1..end];
        self.cursor.advance_lines(end + 1);
        Ok(Dense { text, at, ty: "" })
    }
}

impl Dense<'_> {
    /// Returns the integers of a literal used as an attribute. `None` if it is malformed, has more than 4096 elements,
    /// or is neither of 64-bit integers nor of booleans.
    pub fn ints(&self) -> Option<Ints> {
        const MAX_ATTRIBUTE_ELEMENTS: usize = 4096;
        let ty = self.declared_type()?.as_plain().filter(|ty| matches!(ty.dtype, DType::I64 | DType::Bool))?;
        let count = ty.shape.checked_count().filter(|&n| n <= MAX_ATTRIBUTE_ELEMENTS)?;
        match self.read(&ty).ok()? {
            Literal::Splat(x) => Some(Ints::from_elem(x.to_i64(), count)),
            Literal::Dense(items) => Some(items.iter().map(|x| x.to_i64()).collect()),
        }
    }

    /// Returns the rows of a literal of rank 2 used as an attribute; `None` if it is malformed.
    pub fn rows(&self) -> Option<Vec<Vec<i64>>> {
        let ints = self.ints()?;
        let width = self.declared_type()?.shape.get(1).copied().filter(|&width| width > 0)?;
        Some(ints.chunks(width).map(<[i64]>::to_vec).collect())
    }

    /// Returns the declared type after the literal, if present; `index` counts as `i64`.
    pub fn declared_type(&self) -> Option<TensorType> {
        let text = self.ty.strip_prefix("tensor<")?.strip_suffix('>')?;
        let integers = text.strip_suffix("index").map(|dims| format!("{dims}i64"));
        let text = integers.as_deref().unwrap_or(text);
        match TensorType::parse_prefix(text) {
            Prefix::Type(ty, length) if length == text.len() => Some(ty),
            _ => None,
        }
    }

    /// Reads the literal as a complex tensor: its real and imaginary parts, of type `part`. Elements are written
    /// `(re, im)`, or as bytes that alternate between the parts.
    pub fn read_complex(&self, part: &Type) -> Result<[Literal; 2]> {
        let text = self.text.trim_ascii();
        let mut interleaved = part.clone();
        interleaved.shape.0.push(2);
        let (rewritten, is_splat) = match text.starts_with('(') {
            true => (text.replace('(', "[").replace(')', "]"), true),
            false => (text.replace('(', "[").replace(')', "]"), false),
        };
        if is_splat {
            interleaved.shape = Shape::from(&[2][..]);
        }
        let parts = Dense { text: &rewritten, at: self.at, ty: "" };
        Ok(match parts.read(&interleaved).map_err(|fault| self.relocated(fault))? {
            Literal::Splat(x) => [Literal::Splat(x), Literal::Splat(x)],
            Literal::Dense(items) if is_splat => [Literal::Splat(items[0]), Literal::Splat(items[1])],
            Literal::Dense(items) => {
                [0, 1].map(|half| Literal::Dense(items.iter().copied().skip(half).step_by(2).collect()))
            }
        })
    }

    /// Places a fault at the literal as a whole.
    fn relocated(&self, mut fault: Box<Fault>) -> Box<Fault> {
        fault.at = self.place(0, self.text.len());
        fault
    }

    /// Reads the literal as a tensor of type `ty`.
    pub fn read(&self, ty: &Type) -> Result<Literal> {
        let text = self.text.trim_ascii();
        if let Some(hex) = text.strip_prefix("\"0x").and_then(|t| t.strip_suffix('"')) {
            return self.read_hex(hex, ty);
        }
        if !text.is_empty() && !text.starts_with('[') {
            return Ok(Literal::Splat(scalar(text, ty.dtype).ok_or_else(|| self.bad_element(text, ty))?));
        }
        let mut elements = Vec::new();
        self.read_list(ty, &mut elements)?;
        Ok(Literal::Dense(elements.into()))
    }

    /// Reads nested lists without recursion. `open` contains, for each open list, the number of items read so far.
    fn read_list(&self, ty: &Type, elements: &mut Vec<Scalar>) -> Result<()> {
        let shape = &ty.shape;
        let mut open: SmallVec<[usize; 4]> = SmallVec::new();
        let bytes = self.text.as_bytes();
        let mut at = 0;
        let mut item_expected = true;
        if self.text.trim_ascii().is_empty() {
            return if shape.contains(&0) { Ok(()) } else { Err(self.bad_count(ty, 0, "no elements".into())) };
        }
        while let Some(&b) = bytes.get(at) {
            match b {
                b' ' | b'\t' | b'\r' | b'\n' => at += 1,
                b'[' if item_expected => {
                    if open.len() == shape.rank() {
                        let what = format!("lists nested deeper than {}", counted(shape.rank(), "dimension"));
                        return Err(self.bad_count(ty, at, what));
                    }
                    open.push(0);
                    // Empty lists occur only in literals without elements.
                    item_expected = !self.text[at + 1..].trim_ascii_start().starts_with(']');
                    at += 1;
                }
                b']' if !item_expected && !open.is_empty() => {
                    let dim = open.len() - 1;
                    let found = open.pop().unwrap_or(0);
                    if found != shape[dim] {
                        let what = format!("{} along dimension {dim}, not {}", counted(found, "item"), shape[dim]);
                        return Err(self.bad_count(ty, at, what));
                    }
                    at += 1;
                    match open.last_mut() {
                        Some(items) => *items += 1,
                        None if self.text[at..].trim_ascii().is_empty() => return Ok(()),
                        None => break,
                    }
                }
                b',' if !item_expected => {
                    item_expected = true;
                    at += 1;
                }
                b'[' | b']' | b',' => break,
                _ if item_expected && open.len() == shape.rank() => {
                    let n = bytes[at..].iter().take_while(|b| !b" \t\r\n,]".contains(b)).count();
                    let word = &self.text[at..at + n];
                    elements.push(scalar(word, ty.dtype).ok_or_else(|| self.bad_element(word, ty))?);
                    if let Some(items) = open.last_mut() {
                        *items += 1;
                    }
                    item_expected = false;
                    at += n;
                }
                _ => {
                    let what = format!("elements in {}, not {}", counted(open.len(), "nested list"), shape.rank());
                    return Err(self.bad_count(ty, at, what));
                }
            }
        }
        let place = self.place(at.min(bytes.len()), 1);
        Err(Fault::malformed("the lists of a literal are not balanced", place))
    }

    /// Reads `"0x..."`, the little-endian bytes of the elements in row-major order. The bytes of a single element are a
    /// splat.
    ///
    /// Booleans are packed 8 per byte, the first in the lowest bit, or stored one per byte. A single byte of equal bits
    /// is a splat.
    fn read_hex(&self, hex: &str, ty: &Type) -> Result<Literal> {
        let width = ty.dtype.bytes() as usize;
        let count = ty.shape.count();
        if ty.dtype == DType::Bool && count > 1 && hex.len() == 2 * count.div_ceil(8) {
            let bytes = Type::new(DType::U8, [count.div_ceil(8)]);
            let Literal::Dense(bytes) = self.read_hex(hex, &bytes)? else {
                return Err(self.bad_count(ty, 0, "no bytes".into()));
            };
            let bytes: Vec<i64> = bytes.iter().map(|x| x.to_i64()).collect();
            return Ok(match bytes[..] {
                [0] => Literal::Splat(Scalar::Int(0)),
                [0xff] => Literal::Splat(Scalar::Int(1)),
                _ => Literal::Dense((0..count).map(|i| Scalar::Int(bytes[i / 8] >> (i % 8) & 1)).collect()),
            });
        }
        let splat = hex.len() == 2 * width && count != 1;
        if !splat && count.checked_mul(2 * width) != Some(hex.len()) {
            let what = counted(hex.len(), "hexadecimal digit");
            let fault = self.bad_count(ty, 0, what);
            return Err(
                fault.note(format!("{count} elements of {width} bytes are {} digits", count.saturating_mul(2 * width)))
            );
        }
        let mut elements = Vec::with_capacity(hex.len() / (2 * width));
        for (i, digits) in hex.as_bytes().chunks(2 * width).enumerate() {
            // The last byte is the most significant.
            let bits = digits.chunks(2).rev().try_fold(0u64, |bits, pair| {
                let high = (pair[0] as char).to_digit(16)?;
                let low = (*pair.get(1)? as char).to_digit(16)?;
                Some(bits << 8 | u64::from(high << 4 | low))
            });
            let Some(bits) = bits else {
                let place =
                    self.place(self.text.len() - self.text.trim_ascii_start().len() + 3 + i * 2 * width, 2 * width);
                return Err(Fault::malformed("a literal contains an invalid hexadecimal digit", place));
            };
            elements.push(from_bits(bits, ty.dtype));
        }
        match elements[..] {
            [x] if splat => Ok(Literal::Splat(x)),
            _ => Ok(Literal::Dense(elements.into())),
        }
    }

    /// Returns the byte range in the file of `len` bytes at `offset` in the literal.
    fn place(&self, offset: usize, len: usize) -> Range<usize> {
        self.at + offset..self.at + offset + len
    }

    #[cold]
    fn bad_count(&self, ty: &Type, offset: usize, what: String) -> Box<Fault> {
        Fault::malformed(format!("a literal does not have the shape {} of its type", ty.shape), self.place(offset, 1))
            .label(what)
    }

    #[cold]
    fn bad_element(&self, word: &str, ty: &Type) -> Box<Fault> {
        let offset = word.as_ptr() as usize - self.text.as_ptr() as usize;
        let title = format!("`{}` is not a literal of type {}", excerpt(word), ty.dtype);
        Fault::new(Code::F002, title, self.place(offset, word.len()))
    }
}

/// Parses one element: `1.0e-5`, `-3`, `true`, or hexadecimal bits such as `0xFF800000`.
fn scalar(word: &str, dtype: DType) -> Option<Scalar> {
    match (dtype, word) {
        (DType::Bool, "true") => Some(Scalar::Int(1)),
        (DType::Bool, "false") => Some(Scalar::Int(0)),
        _ if !dtype.is_float() => integer(word, dtype),
        _ if word.starts_with("0x") => Some(from_bits(magnitude(word, dtype)?, dtype)),
        (DType::F64, _) => word.parse().ok().map(Scalar::Float),
        (DType::F32, _) => word.parse::<f32>().ok().map(|x| Scalar::Float(f64::from(x))),
        _ => word.parse().ok().map(|x| wrap(dtype, Scalar::Float(x))),
    }
}

/// Parses a decimal or hexadecimal integer. As in MLIR, the digits of a signed type may also specify its bits as an
/// unsigned number: `255` and `0xFF` are -1 in `i8`.
fn integer(word: &str, dtype: DType) -> Option<Scalar> {
    let Some(digits) = word.strip_prefix('-') else { return Some(from_bits(magnitude(word, dtype)?, dtype)) };
    let magnitude = magnitude(digits, dtype)?;
    let fits = !dtype.is_unsigned() && magnitude <= 1 << (dtype.bits() - 1);
    fits.then(|| from_bits(magnitude.wrapping_neg(), dtype))
}

/// Parses the digits of an unsigned number; `None` if it has more bits than the type.
fn magnitude(digits: &str, dtype: DType) -> Option<u64> {
    let (digits, radix) = digits.strip_prefix("0x").map_or((digits, 10), |hex| (hex, 16));
    let unsigned = digits.bytes().all(|b| b.is_ascii_alphanumeric());
    let bits = u64::from_str_radix(digits, radix).ok().filter(|_| unsigned)?;
    (u64::BITS - bits.leading_zeros() <= dtype.bits()).then_some(bits)
}

/// Returns the element with the given bits.
fn from_bits(bits: u64, dtype: DType) -> Scalar {
    match dtype {
        DType::F64 => Scalar::Float(f64::from_bits(bits)),
        DType::F32 => Scalar::Float(f64::from(f32::from_bits(bits as u32))),
        DType::F16 => Scalar::Float(half::f16::from_bits(bits as u16).to_f64()),
        DType::BF16 => Scalar::Float(half::bf16::from_bits(bits as u16).to_f64()),
        DType::Mini(format) => Scalar::Float(f64::from(format.decode(bits as u8))),
        _ => Scalar::Int(wrap_int(dtype, bits as i64)),
    }
}
