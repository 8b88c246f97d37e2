//! Text syntax of op attributes. An op struct declares its fields with the words that introduce them (see
//! [`crate::program::op`]); reading and writing are generated from the declaration.

use super::lex::{Cursor, Result, Token, quote, unquote};
use crate::arena::FuncId;
use crate::diag::{Code, Diagnostic, Span, nearest};
use crate::layout::Monoid;
use crate::mesh::{Axes, AxisRef, DeviceMesh};
use crate::rule::{Flow, Window};
use crate::source_text::SourceText;
use crate::tensor::Scalar;
use smallvec::SmallVec;
use std::fmt::Write;
use std::sync::Arc;

/// Name resolution for attributes.
pub struct AttrNames<'a> {
    /// Mesh that axis names refer to.
    pub mesh: Option<&'a DeviceMesh>,
    /// Returns the name of a function.
    pub func: &'a dyn Fn(FuncId) -> String,
    /// Returns the function with a name.
    pub find_func: &'a dyn Fn(&str) -> Option<FuncId>,
}

/// Field of an op with a text syntax.
pub trait Attr: Sized + PartialEq + Default {
    /// True if the field is written even with its default value, for example dimension 0.
    const ALWAYS_WRITTEN: bool = false;
    /// Appends the text of the field.
    fn write(&self, out: &mut String, names: &AttrNames<'_>);
    /// Parses the text that [`Attr::write`] writes.
    fn read(c: &mut Cursor<'_>, names: &AttrNames<'_>) -> Result<Self>;
}

/// Appends the introducing words and the text of a field. A field with introducing words is omitted if it has its
/// default value, unless [`Attr::ALWAYS_WRITTEN`] is set.
pub fn write_field<T: Attr>(words: &str, field: &T, out: &mut String, names: &AttrNames<'_>) {
    if !words.is_empty() {
        if !T::ALWAYS_WRITTEN && *field == T::default() {
            return;
        }
        out.push(' ');
        out.push_str(words);
    }
    let before = out.len();
    out.push(' ');
    field.write(out, names);
    if out.len() == before + 1 {
        out.pop();
    }
}

/// Parses a field that [`write_field`] wrote.
pub fn read_field<T: Attr>(words: &str, c: &mut Cursor<'_>, names: &AttrNames<'_>) -> Result<T> {
    if words.is_empty() || c.eat_all(words) { T::read(c, names) } else { Ok(T::default()) }
}

macro_rules! number_attr {
    ($($ty:ty: $always:literal),*) => {$(
        impl Attr for $ty {
            const ALWAYS_WRITTEN: bool = $always;
            fn write(&self, out: &mut String, _: &AttrNames<'_>) {
                let _ = write!(out, "{self}");
            }
            fn read(c: &mut Cursor<'_>, _: &AttrNames<'_>) -> Result<Self> {
                c.number("a number")
            }
        }
    )*};
}
number_attr!(usize: true, u64: false, i64: false, u32: false);

impl Attr for f64 {
    fn write(&self, out: &mut String, names: &AttrNames<'_>) {
        Scalar::Float(*self).write(out, names);
    }
    fn read(c: &mut Cursor<'_>, names: &AttrNames<'_>) -> Result<Self> {
        Ok(Scalar::read(c, names)?.to_f64())
    }
}

/// Flag that is true if its introducing words are present.
impl Attr for bool {
    fn write(&self, _: &mut String, _: &AttrNames<'_>) {}
    fn read(_: &mut Cursor<'_>, _: &AttrNames<'_>) -> Result<Self> {
        Ok(true)
    }
}

/// Implements [`Attr`] for an enum of words.
#[macro_export]
macro_rules! word_attr {
    ($ty:ty, $what:literal, $all:expr) => {
        impl $crate::syntax::Attr for $ty {
            fn write(&self, out: &mut String, _: &$crate::syntax::attr::AttrNames<'_>) {
                out.push_str(self.name());
            }
            fn read(
                c: &mut $crate::syntax::Cursor<'_>,
                _: &$crate::syntax::attr::AttrNames<'_>,
            ) -> $crate::syntax::lex::Result<Self> {
                if let $crate::syntax::lex::Token::Word(w) = c.peek()
                    && let Some(hit) = $all.into_iter().find(|x| x.name() == w)
                {
                    c.take();
                    return Ok(hit);
                }
                Err(c.expected($what))
            }
        }
    };
}

word_attr!(Monoid, "a reduction (sum, prod, max, min, and, or)", Monoid::ALL);
word_attr!(Flow, "a direction (both, forward, backward, blocked)", Flow::ALL);

fn write_list<T>(items: &[T], out: &mut String, mut item: impl FnMut(&T, &mut String)) {
    out.push('[');
    for (i, x) in items.iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        item(x, out);
    }
    out.push(']');
}

impl<T: Attr> Attr for Vec<T> {
    fn write(&self, out: &mut String, names: &AttrNames<'_>) {
        write_list(self, out, |x, out| x.write(out, names));
    }
    fn read(c: &mut Cursor<'_>, names: &AttrNames<'_>) -> Result<Self> {
        c.list(|c| T::read(c, names))
    }
}

/// Dimension indices: `[0, 1]`.
pub type Dims = SmallVec<[usize; 4]>;

impl Attr for Dims {
    fn write(&self, out: &mut String, names: &AttrNames<'_>) {
        write_list(self, out, |x, out| x.write(out, names));
    }
    fn read(c: &mut Cursor<'_>, names: &AttrNames<'_>) -> Result<Self> {
        Ok(c.list(|c| usize::read(c, names))?.into())
    }
}

/// Pairs of dimensions of two operands: `[1]x[0]`.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct DimPairs {
    /// Dimensions of the left operand.
    pub lhs: Dims,
    /// Dimensions of the right operand.
    pub rhs: Dims,
}

impl Attr for DimPairs {
    fn write(&self, out: &mut String, names: &AttrNames<'_>) {
        self.lhs.write(out, names);
        out.push('x');
        self.rhs.write(out, names);
    }
    fn read(c: &mut Cursor<'_>, names: &AttrNames<'_>) -> Result<Self> {
        let lhs = Dims::read(c, names)?;
        c.expect("x")?;
        Ok(DimPairs { lhs, rhs: Dims::read(c, names)? })
    }
}

/// Pair of sending and receiving device: `[0->1, 1->2]`.
impl Attr for (u32, u32) {
    fn write(&self, out: &mut String, _: &AttrNames<'_>) {
        let _ = write!(out, "{}->{}", self.0, self.1);
    }
    fn read(c: &mut Cursor<'_>, _: &AttrNames<'_>) -> Result<Self> {
        let from = c.number("a device position")?;
        c.expect("->")?;
        Ok((from, c.number("a device position")?))
    }
}

impl Attr for Scalar {
    fn write(&self, out: &mut String, _: &AttrNames<'_>) {
        let _ = match self {
            Scalar::Float(x) if x.is_nan() && x.to_bits() != f64::NAN.to_bits() => write!(out, "nan({})", x.to_bits()),
            Scalar::Float(x) if x.is_nan() => write!(out, "nan"),
            Scalar::Float(x) => write!(out, "{x:?}"),
            Scalar::Int(x) => write!(out, "{x}"),
        };
    }
    /// Parses a number. `inf`, `-inf` and `nan` are words; `nan(bits)` is a NaN with another bit pattern than Rust's. A
    /// number with a point or exponent is a float.
    fn read(c: &mut Cursor<'_>, _: &AttrNames<'_>) -> Result<Self> {
        if c.eat("inf") {
            return Ok(Scalar::Float(f64::INFINITY));
        }
        if c.eat_all("- inf") {
            return Ok(Scalar::Float(f64::NEG_INFINITY));
        }
        match c.peek() {
            Token::Word("nan") => {
                c.take();
                let bits = if c.eat("(") {
                    let bits = c.number("the bits of a NaN")?;
                    c.expect(")")?;
                    bits
                } else {
                    f64::NAN.to_bits()
                };
                Ok(Scalar::Float(f64::from_bits(bits)))
            }
            Token::Number(n) if n.contains(['.', 'e', 'E']) => Ok(Scalar::Float(c.number("a number")?)),
            Token::Number(_) => Ok(Scalar::Int(c.number("a number")?)),
            _ => Err(c.expected("a number")),
        }
    }
}

impl Default for Scalar {
    fn default() -> Self {
        Scalar::Int(0)
    }
}

/// Window in parentheses, without default values: `(3 stride 2 pad 1 1 dilate 1 base 1)`.
impl Attr for Window {
    fn write(&self, out: &mut String, _: &AttrNames<'_>) {
        let _ = write!(out, "({}", self.size);
        if self.stride != 1 {
            let _ = write!(out, " stride {}", self.stride);
        }
        if (self.low, self.high) != (0, 0) {
            let _ = write!(out, " pad {} {}", self.low, self.high);
        }
        if self.dilation != 1 {
            let _ = write!(out, " dilate {}", self.dilation);
        }
        if self.base != 1 {
            let _ = write!(out, " base {}", self.base);
        }
        out.push(')');
    }
    fn read(c: &mut Cursor<'_>, _: &AttrNames<'_>) -> Result<Self> {
        c.expect("(")?;
        let mut w = Window { size: c.number("the window's size")?, ..Window::default() };
        if c.eat("stride") {
            w.stride = c.number("a stride")?;
        }
        if c.eat("pad") {
            w.low = c.number("the padding before")?;
            w.high = c.number("the padding after")?;
        }
        if c.eat("dilate") {
            w.dilation = c.number("a dilation")?;
        }
        if c.eat("base") {
            w.base = c.number("a dilation")?;
        }
        c.expect(")")?;
        Ok(w)
    }
}

/// Appends an axis: `model`, or `model:(2)4` for a factor of it.
pub fn write_axis(axis: AxisRef, mesh: Option<&DeviceMesh>, out: &mut String) {
    let Some(info) = mesh.and_then(|m| m.axes.get(axis.axis.0 as usize)) else {
        let _ = write!(out, "axis{}", axis.axis.0);
        return;
    };
    out.push_str(&info.name);
    if (axis.pre, axis.size) != (1, info.size) {
        let _ = write!(out, ":({}){}", axis.pre, axis.size);
    }
}

/// Returns the text of each axis as [`write_axis`] writes it.
pub fn axis_names(axes: &[AxisRef], mesh: Option<&DeviceMesh>) -> Vec<String> {
    let name = |&axis: &AxisRef| {
        let mut text = String::new();
        write_axis(axis, mesh, &mut text);
        text
    };
    axes.iter().map(name).collect()
}

/// Parses an axis that [`write_axis`] wrote. After `@`, its name is a symbol token, otherwise a word.
pub fn read_axis(c: &mut Cursor<'_>, mesh: Option<&DeviceMesh>) -> Result<AxisRef> {
    let name = match c.peek() {
        Token::Word(name) | Token::Symbol(name) => name,
        _ => return Err(c.expected("a mesh axis")),
    };
    let Some(mesh) = mesh else { return Err(c.error("an axis is named, but no mesh is declared before")) };
    let Some(axis) = mesh.axis(name) else {
        let span = c.span();
        let mut error = Diagnostic::new(Code::L001, format!("mesh has no axis `{name}`"))
            .label(span.clone(), "not an axis of this mesh");
        if let Some(near) = nearest(name, mesh.axes.iter().map(|a| a.name.as_str())) {
            let sign = if matches!(c.peek(), Token::Symbol(_)) { "@" } else { "" };
            error = error.fix("there is an axis with a similar name", span, format!("{sign}{near}"));
        }
        return Err(Box::new(error));
    };
    c.take();
    let axis = AxisRef::full(mesh, axis);
    if !c.eat_all(": (") {
        return Ok(axis);
    }
    let (pre, axis_size): (u32, u32) = (c.number("the size before the factor")?, axis.size);
    c.expect(")")?;
    let size: u32 = c.number("the size of the factor")?;
    let fits = size > 1 && pre.checked_mul(size).is_some_and(|n| n > 0 && axis_size.is_multiple_of(n));
    if !fits {
        return Err(c.error(format!("`{name}` has {axis_size} devices, which do not split as ({pre}){size}")));
    }
    Ok(AxisRef { pre, size, ..axis })
}

/// List of axes, major to minor: `data+model`.
impl Attr for Axes {
    fn write(&self, out: &mut String, names: &AttrNames<'_>) {
        for (i, &axis) in self.iter().enumerate() {
            if i > 0 {
                out.push('+');
            }
            write_axis(axis, names.mesh, out);
        }
    }
    fn read(c: &mut Cursor<'_>, names: &AttrNames<'_>) -> Result<Self> {
        let mut axes = Axes::new();
        loop {
            axes.push(read_axis(c, names.mesh)?);
            if !c.eat("+") {
                return Ok(axes);
            }
        }
    }
}

/// Text in the syntax of plans, with its source location: `"data, _"`.
impl Attr for Option<Arc<SourceText>> {
    fn write(&self, out: &mut String, _: &AttrNames<'_>) {
        if let Some(written) = self {
            quote(&written.text, out);
        }
    }
    fn read(c: &mut Cursor<'_>, _: &AttrNames<'_>) -> Result<Self> {
        let Token::Text(text) = c.peek() else { return Err(c.expected("a text in quotes")) };
        let start = c.span().range.start + 1;
        let span = Span::new(c.source(), start..start + text.len());
        c.take();
        Ok(Some(Arc::new(SourceText::new(span, unquote(text)))))
    }
}

/// Reference to a function: `@body`.
impl Attr for FuncId {
    fn write(&self, out: &mut String, names: &AttrNames<'_>) {
        out.push('@');
        out.push_str(&(names.func)(*self));
    }
    fn read(c: &mut Cursor<'_>, names: &AttrNames<'_>) -> Result<Self> {
        match c.peek() {
            Token::Symbol(name) => match (names.find_func)(name) {
                Some(func) => {
                    c.take();
                    Ok(func)
                }
                None => {
                    let what = format!("no function `@{name}` is declared before this line");
                    Err(Box::new(Diagnostic::new(Code::T002, what).label(c.span(), "")))
                }
            },
            _ => Err(c.expected("a function, `@name`")),
        }
    }
}

impl Default for FuncId {
    /// Placeholder for incomplete declarations; every op sets the field.
    fn default() -> Self {
        FuncId(u32::MAX)
    }
}
