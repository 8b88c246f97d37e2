//! Attributes of operations as text. An op struct declares its fields with the words that introduce them (see
//! [`crate::program::op`]); reading and writing follow from the declaration.

use super::lex::{Cursor, Result, Token};
use crate::arena::FuncId;
use crate::diag::{Code, Diagnostic, nearest};
use crate::layout::Monoid;
use crate::mesh::{Axes, AxisRef, Mesh};
use crate::rule::Window;
use crate::tensor::Scalar;
use smallvec::SmallVec;
use std::fmt::Write;

/// Names that attributes refer to.
pub struct Names<'a> {
    /// The mesh whose axes are meant.
    pub mesh: Option<&'a Mesh>,
    /// The name of a function.
    pub func: &'a dyn Fn(FuncId) -> String,
    /// The function of a name.
    pub find_func: &'a dyn Fn(&str) -> Option<FuncId>,
}

/// A field of an op that has text.
pub trait Attr: Sized + PartialEq + Default {
    /// Whether the field is written even when it has its default value: dimension 0 is worth saying.
    const ALWAYS: bool = false;
    /// Appends the text.
    fn write(&self, out: &mut String, names: &Names<'_>);
    /// Reads what [`Attr::write`] wrote.
    fn read(c: &mut Cursor<'_>, names: &Names<'_>) -> Result<Self>;
}

/// Writes a field: its words and its text. A field with words that has its default value is left out, unless its type
/// is always written.
pub fn write_field<T: Attr>(words: &str, field: &T, out: &mut String, names: &Names<'_>) {
    if !words.is_empty() {
        if !T::ALWAYS && *field == T::default() {
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

/// Reads a field that [`write_field`] wrote.
pub fn read_field<T: Attr>(words: &str, c: &mut Cursor<'_>, names: &Names<'_>) -> Result<T> {
    if words.is_empty() || c.eat_all(words) { T::read(c, names) } else { Ok(T::default()) }
}

macro_rules! number_attr {
    ($($ty:ty: $always:literal),*) => {$(
        impl Attr for $ty {
            const ALWAYS: bool = $always;
            fn write(&self, out: &mut String, _: &Names<'_>) {
                let _ = write!(out, "{self}");
            }
            fn read(c: &mut Cursor<'_>, _: &Names<'_>) -> Result<Self> {
                c.number("a number")
            }
        }
    )*};
}
number_attr!(usize: true, u64: false, i64: false, u32: false);

impl Attr for f64 {
    fn write(&self, out: &mut String, names: &Names<'_>) {
        Scalar::Float(*self).write(out, names);
    }
    fn read(c: &mut Cursor<'_>, names: &Names<'_>) -> Result<Self> {
        Ok(Scalar::read(c, names)?.to_f64())
    }
}

/// A flag: present or not, by its words alone.
impl Attr for bool {
    fn write(&self, _: &mut String, _: &Names<'_>) {}
    fn read(_: &mut Cursor<'_>, _: &Names<'_>) -> Result<Self> {
        Ok(true)
    }
}

/// Declares [`Attr`] for an enum of words.
#[macro_export]
macro_rules! word_attr {
    ($ty:ty, $what:literal, $all:expr) => {
        impl $crate::syntax::Attr for $ty {
            fn write(&self, out: &mut String, _: &$crate::syntax::attr::Names<'_>) {
                out.push_str(self.name());
            }
            fn read(
                c: &mut $crate::syntax::Cursor<'_>,
                _: &$crate::syntax::attr::Names<'_>,
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
    fn write(&self, out: &mut String, names: &Names<'_>) {
        write_list(self, out, |x, out| x.write(out, names));
    }
    fn read(c: &mut Cursor<'_>, names: &Names<'_>) -> Result<Self> {
        c.list(|c| T::read(c, names))
    }
}

/// Dimension numbers: `[0, 1]`.
pub type Dims = SmallVec<[usize; 4]>;

impl Attr for Dims {
    fn write(&self, out: &mut String, names: &Names<'_>) {
        write_list(self, out, |x, out| x.write(out, names));
    }
    fn read(c: &mut Cursor<'_>, names: &Names<'_>) -> Result<Self> {
        Ok(c.list(|c| usize::read(c, names))?.into())
    }
}

/// Pairs of dimensions of two operands: `[1]x[0]`.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Pairs {
    /// Dimensions of the left operand.
    pub lhs: Dims,
    /// Dimensions of the right operand.
    pub rhs: Dims,
}

impl Attr for Pairs {
    fn write(&self, out: &mut String, names: &Names<'_>) {
        self.lhs.write(out, names);
        out.push('x');
        self.rhs.write(out, names);
    }
    fn read(c: &mut Cursor<'_>, names: &Names<'_>) -> Result<Self> {
        let lhs = Dims::read(c, names)?;
        c.expect("x")?;
        Ok(Pairs { lhs, rhs: Dims::read(c, names)? })
    }
}

/// Devices that send to devices: `[0->1, 1->2]`.
impl Attr for (u32, u32) {
    fn write(&self, out: &mut String, _: &Names<'_>) {
        let _ = write!(out, "{}->{}", self.0, self.1);
    }
    fn read(c: &mut Cursor<'_>, _: &Names<'_>) -> Result<Self> {
        let from = c.number("a device position")?;
        c.expect("->")?;
        Ok((from, c.number("a device position")?))
    }
}

impl Attr for Scalar {
    fn write(&self, out: &mut String, _: &Names<'_>) {
        let _ = match self {
            Scalar::Float(x) if x.is_nan() && x.to_bits() != f64::NAN.to_bits() => write!(out, "nan({})", x.to_bits()),
            Scalar::Float(x) if x.is_nan() => write!(out, "nan"),
            Scalar::Float(x) => write!(out, "{x:?}"),
            Scalar::Int(x) => write!(out, "{x}"),
        };
    }
    /// `inf`, `-inf` and `nan` are words (`nan(bits)` is one that is not Rust's); a number with a point or exponent is
    /// a float.
    fn read(c: &mut Cursor<'_>, _: &Names<'_>) -> Result<Self> {
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

/// `size 3 stride 2 pad 1, 1 dilate 1 base 1`, defaults left out, in parentheses.
impl Attr for Window {
    fn write(&self, out: &mut String, _: &Names<'_>) {
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
    fn read(c: &mut Cursor<'_>, _: &Names<'_>) -> Result<Self> {
        c.expect("(")?;
        let mut w = Window { size: c.number("the window's size")?, ..Window::default() };
        if c.eat("stride") {
            w.stride = c.number("a stride")?;
        }
        if c.eat("pad") {
            w.low = c.number("the padding before")?;
            w.high = c.number("the padding behind")?;
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

/// Writes an axis: `model`, or `model:(2)4` for a factor of it.
pub fn write_axis(axis: AxisRef, mesh: Option<&Mesh>, out: &mut String) {
    let Some(info) = mesh.and_then(|m| m.axes.get(axis.axis.0 as usize)) else {
        let _ = write!(out, "axis{}", axis.axis.0);
        return;
    };
    out.push_str(&info.name);
    if (axis.pre, axis.size) != (1, info.size) {
        let _ = write!(out, ":({}){}", axis.pre, axis.size);
    }
}

/// The axes as [`write_axis`] writes them.
pub fn axis_names(axes: &[AxisRef], mesh: Option<&Mesh>) -> Vec<String> {
    let name = |&axis: &AxisRef| {
        let mut text = String::new();
        write_axis(axis, mesh, &mut text);
        text
    };
    axes.iter().map(name).collect()
}

/// Reads an axis that [`write_axis`] wrote. Behind `@` its name is a symbol, elsewhere a word.
pub fn read_axis(c: &mut Cursor<'_>, mesh: Option<&Mesh>) -> Result<AxisRef> {
    let name = match c.peek() {
        Token::Word(name) | Token::Symbol(name) => name,
        _ => return Err(c.expected("a mesh axis")),
    };
    let Some(mesh) = mesh else { return Err(c.error("an axis is named, but no mesh is declared before")) };
    let Some(axis) = mesh.axis(name) else {
        let span = c.span();
        let mut error = Diagnostic::new(Code::L001, format!("mesh has no axis `{name}`"))
            .at(span.clone(), "not an axis of this mesh");
        if let Some(near) = nearest(name, mesh.axes.iter().map(|a| a.name.as_str())) {
            let sign = if matches!(c.peek(), Token::Symbol(_)) { "@" } else { "" };
            error = error.fix("there is an axis with a similar name", span, format!("{sign}{near}"));
        }
        return Err(Box::new(error));
    };
    c.take();
    let axis = AxisRef::whole(mesh, axis);
    if !c.eat_all(": (") {
        return Ok(axis);
    }
    let (pre, whole): (u32, u32) = (c.number("the size before the factor")?, axis.size);
    c.expect(")")?;
    let size: u32 = c.number("the size of the factor")?;
    let fits = size > 1 && pre.checked_mul(size).is_some_and(|n| n > 0 && whole.is_multiple_of(n));
    if !fits {
        return Err(c.error(format!("`{name}` has {whole} devices, which do not split as ({pre}){size}")));
    }
    Ok(AxisRef { pre, size, ..axis })
}

/// Axes, major to minor: `data+model`.
impl Attr for Axes {
    fn write(&self, out: &mut String, names: &Names<'_>) {
        for (i, &axis) in self.iter().enumerate() {
            if i > 0 {
                out.push('+');
            }
            write_axis(axis, names.mesh, out);
        }
    }
    fn read(c: &mut Cursor<'_>, names: &Names<'_>) -> Result<Self> {
        let mut axes = Axes::new();
        loop {
            axes.push(read_axis(c, names.mesh)?);
            if !c.eat("+") {
                return Ok(axes);
            }
        }
    }
}

/// A function: `@body`.
impl Attr for FuncId {
    fn write(&self, out: &mut String, names: &Names<'_>) {
        out.push('@');
        out.push_str(&(names.func)(*self));
    }
    fn read(c: &mut Cursor<'_>, names: &Names<'_>) -> Result<Self> {
        match c.peek() {
            Token::Symbol(name) => match (names.find_func)(name) {
                Some(func) => {
                    c.take();
                    Ok(func)
                }
                None => {
                    let what = format!("no function `@{name}` is declared before this line");
                    Err(Box::new(Diagnostic::new(Code::T002, what).at(c.span(), "")))
                }
            },
            _ => Err(c.expected("a function, `@name`")),
        }
    }
}

impl Default for FuncId {
    /// Only so that a field may be left out of a partial declaration; no op leaves it out.
    fn default() -> Self {
        FuncId(u32::MAX)
    }
}
