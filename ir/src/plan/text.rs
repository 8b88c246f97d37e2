//! The little languages of a plan: layouts, rules and names of dimensions.
//!
//! ```text
//! layout = "whole" | dims tail
//! dims   = dim "," dim ...             one for each dimension; none for a scalar
//! dim    = [ "_" | axes ] [ "?" ] [ "!" PRIORITY ]
//! axes   = axis "+" axis ...           major to minor
//! axis   = NAME [ ":(" PRE ")" SIZE ]  a whole axis, or a factor of it
//! tail   = { MONOID "(" axes ")" | "all(" axes ")" }
//! rules  = rule ";" rule ...           rule = NAME ":" ( axes | "_" )
//! names  = name "," name ...           name = NAME | "_"
//! ```
//!
//! Names stay names here: who applies the plan knows the mesh and resolves them, at the place that each one keeps.

use super::Written;
use crate::diag::{Code, Diagnostic, Span};
use crate::layout::Monoid;
use std::ops::Range;

/// An axis as it was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AxisText {
    /// Its name.
    pub name: String,
    /// `(pre, size)` of a factor of it; `None` for the whole axis.
    pub part: Option<(u32, u32)>,
    /// Where it stands in the text, in bytes.
    pub range: Range<usize>,
}

/// One dimension of a layout as it was written.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct DimText {
    /// Its axes, major to minor.
    pub axes: Vec<AxisText>,
    /// Whether propagation may add axes.
    pub open: bool,
    /// In which round of propagation it takes part.
    pub priority: u8,
    /// Where it stands in the text, in bytes.
    pub range: Range<usize>,
}

/// A layout as it was written.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct LayoutText {
    /// One entry a dimension; `None` for `whole`, which fits any rank.
    pub dims: Option<Vec<DimText>>,
    /// Axes along which the value is whole on purpose.
    pub replicated: Vec<AxisText>,
    /// Axes over which the value is partial.
    pub pending: Vec<(AxisText, Monoid)>,
}

/// A rule as it was written: what splits the dimensions of that name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuleText {
    /// The dimensions.
    pub dim: String,
    /// Where the name stands in the text, in bytes.
    pub dim_range: Range<usize>,
    /// The axes, major to minor; none for `_`.
    pub axes: Vec<AxisText>,
    /// Where the rule stands in the text, in bytes.
    pub range: Range<usize>,
}

/// The name of a dimension, and where it stands; `None` for `_`.
pub type NameText = Option<(String, Range<usize>)>;

/// Reads a layout.
///
/// # Errors
/// `L008`
pub fn layout(written: &Written) -> Result<LayoutText, Diagnostic> {
    let mut r = Reader::new(written, Code::L008, "write one entry a dimension, as in `_, data+model`");
    let mut layout = LayoutText::default();
    if r.eat("whole") {
        r.end("the end")?;
        return Ok(layout);
    }
    let mut dims = Vec::new();
    while !r.at_end() && !r.at_tail() {
        dims.push(r.dim()?);
        if !r.eat(",") {
            break;
        }
    }
    layout.dims = Some(dims);
    while !r.at_end() {
        let what = r.peek_word();
        let monoid = what.and_then(Monoid::from_name);
        if monoid.is_none() && what != Some("all") {
            return Err(r.unexpected("`,`, `sum(...)` or `all(...)`"));
        }
        r.at += what.map_or(0, str::len);
        r.expect("(")?;
        let axes = r.axes()?;
        r.expect(")")?;
        match monoid {
            Some(monoid) => layout.pending.extend(axes.into_iter().map(|a| (a, monoid))),
            None => layout.replicated.extend(axes),
        }
    }
    Ok(layout)
}

/// Reads rules.
///
/// # Errors
/// `L010`
pub fn rules(written: &Written) -> Result<Vec<RuleText>, Diagnostic> {
    let mut r = Reader::new(written, Code::L010, "write `dimension:axis` pairs, as in `batch:data; hidden:model`");
    let mut rules = Vec::new();
    while !r.at_end() {
        let start = r.at;
        let dim = r.word("the name of a dimension")?.to_owned();
        let dim_range = start..r.at;
        r.expect(":")?;
        let axes = if r.eat("_") { Vec::new() } else { r.axes()? };
        rules.push(RuleText { dim, dim_range, axes, range: start..r.last });
        if !r.eat(";") {
            r.end("`;` or the end")?;
        }
    }
    Ok(rules)
}

/// Reads names of dimensions.
///
/// # Errors
/// `L008`
pub fn names(written: &Written) -> Result<Vec<NameText>, Diagnostic> {
    let mut r = Reader::new(written, Code::L008, "write one name a dimension, `_` for none, as in `batch, _`");
    let mut names = Vec::new();
    while !r.at_end() {
        let start = r.at;
        let name = r.word("the name of a dimension, or `_`")?;
        names.push((name != "_").then(|| (name.to_owned(), start..r.last)));
        if !r.eat(",") {
            r.end("`,` or the end")?;
        }
    }
    Ok(names)
}

/// Reads a text from left to right.
struct Reader<'w> {
    written: &'w Written,
    /// What errors are called.
    code: Code,
    /// What errors advise.
    help: &'static str,
    /// Bytes read so far, white space behind them included.
    at: usize,
    /// The end of what was read last, without white space.
    last: usize,
}

impl<'w> Reader<'w> {
    fn new(written: &'w Written, code: Code, help: &'static str) -> Reader<'w> {
        let mut reader = Reader { written, code, help, at: 0, last: 0 };
        reader.advance(0);
        reader
    }

    fn rest(&self) -> &'w str {
        &self.written.text[self.at..]
    }

    /// Takes so many bytes, and the white space behind them.
    fn advance(&mut self, bytes: usize) {
        self.last = self.at + bytes;
        self.at = self.last;
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn at_end(&self) -> bool {
        self.rest().is_empty()
    }

    /// Whether a tail begins here, and not a dimension.
    fn at_tail(&self) -> bool {
        self.peek_word().is_some_and(|w| self.rest()[w.len()..].trim_start().starts_with('('))
    }

    fn peek_word(&self) -> Option<&'w str> {
        let rest = self.rest();
        let len = rest.find(|c: char| !(c.is_alphanumeric() || "_-./".contains(c))).unwrap_or(rest.len());
        (len > 0).then(|| &rest[..len])
    }

    /// Takes a sign, or a whole word.
    fn eat(&mut self, what: &str) -> bool {
        let word = what.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        let found = if word { self.peek_word() == Some(what) } else { self.rest().starts_with(what) };
        if found {
            self.advance(what.len());
        }
        found
    }

    fn expect(&mut self, sign: &str) -> Result<(), Diagnostic> {
        if self.eat(sign) { Ok(()) } else { Err(self.unexpected(&format!("`{sign}`"))) }
    }

    fn end(&self, needed: &str) -> Result<(), Diagnostic> {
        if self.at_end() { Ok(()) } else { Err(self.unexpected(needed)) }
    }

    fn word(&mut self, needed: &str) -> Result<&'w str, Diagnostic> {
        let word = self.peek_word().ok_or_else(|| self.unexpected(needed))?;
        self.advance(word.len());
        Ok(word)
    }

    fn number<T: std::str::FromStr>(&mut self, needed: &str) -> Result<T, Diagnostic> {
        let rest = self.rest();
        let len = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let number = rest[..len].parse().map_err(|_| self.unexpected(needed))?;
        self.advance(len);
        Ok(number)
    }

    fn dim(&mut self) -> Result<DimText, Diagnostic> {
        let start = self.at;
        let mut dim = DimText::default();
        if !self.eat("_") && !self.rest().starts_with(['?', '!']) {
            dim.axes = self.axes()?;
        }
        dim.open = self.eat("?");
        if self.eat("!") {
            dim.priority = self.number("a priority, 0 to 255")?;
        }
        dim.range = start..self.last;
        Ok(dim)
    }

    fn axes(&mut self) -> Result<Vec<AxisText>, Diagnostic> {
        let mut axes = Vec::new();
        loop {
            let start = self.at;
            let name = self.word("a mesh axis, or `_` for a dimension that stays whole")?.to_owned();
            let part = if self.eat(":(") {
                let pre = self.number("the size before the factor of the axis")?;
                self.expect(")")?;
                Some((pre, self.number("the size of the factor of the axis")?))
            } else {
                None
            };
            axes.push(AxisText { name, part, range: start..self.last });
            if !self.eat("+") {
                return Ok(axes);
            }
        }
    }

    fn unexpected(&self, needed: &str) -> Diagnostic {
        let found = self.peek_word().map(str::to_owned).or_else(|| self.rest().chars().next().map(String::from));
        let (title, len) = match found {
            Some(found) => (format!("expected {needed}, found `{found}`"), found.len()),
            None => (format!("expected {needed}, but the text ends"), 0),
        };
        Diagnostic::new(self.code, title).at(self.place(self.at..self.at + len), "").help(self.help)
    }

    fn place(&self, range: Range<usize>) -> Span {
        self.written.part(range)
    }
}
