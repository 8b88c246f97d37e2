//! Syntax of layouts, rules and dimension names in plans.
//!
//! ```text
//! layout = "whole" | dims tail
//! dims   = dim "," dim ...             one for each dimension; none for a scalar
//! dim    = [ "_" | axes ] [ "?" ] [ "!" PRIORITY ]
//! axes   = axis "+" axis ...           major to minor
//! axis   = NAME [ ":(" PRE ")" SIZE ]  a full axis, or a factor of it
//! tail   = { MONOID "(" axes ")" | "all(" axes ")" }
//! rules  = rule ";" rule ...           rule = NAME ":" ( axes | "_" )
//! names  = name "," name ...           name = NAME | "_"
//! ```
//!
//! Names are not resolved here: they are resolved with the mesh when the plan is applied, and keep their source
//! locations for error messages.

use super::SourceText;
use crate::diag::{Code, Diagnostic, Span};
use crate::dtype::Type;
use crate::layout::Monoid;
use std::ops::Range;

/// Axis in the text of a layout or rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AxisText {
    /// Axis name.
    pub name: String,
    /// `(pre, size)` of a factor of the axis; `None` for the full axis.
    pub part: Option<(u32, u32)>,
    /// Byte range in the text.
    pub range: Range<usize>,
}

/// Dimension in the text of a layout.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct DimText {
    /// Axes that split the dimension, major to minor.
    pub axes: Vec<AxisText>,
    /// True if propagation may add axes.
    pub open: bool,
    /// Propagation round in which the dimension takes part.
    pub priority: u8,
    /// Byte range in the text.
    pub range: Range<usize>,
}

/// Parsed text of a layout.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct LayoutText {
    /// Entry of each dimension; `None` for `whole`, which is replicated at any rank.
    pub dims: Option<Vec<DimText>>,
    /// Axes along which the value is explicitly replicated.
    pub replicated: Vec<AxisText>,
    /// Axes over which the value is partial.
    pub partial: Vec<(AxisText, Monoid)>,
}

impl LayoutText {
    /// Returns the names of the axes, in the order of the text.
    pub fn axis_names(&self) -> impl Iterator<Item = &str> {
        let dims = self.dims.iter().flatten().flat_map(|dim| &dim.axes);
        let partial = self.partial.iter().map(|(axis, _)| axis);
        dims.chain(&self.replicated).chain(partial).map(|axis| axis.name.as_str())
    }
}

/// Parsed text of a rule: the axes that split the dimensions with a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuleText {
    /// Dimension name.
    pub dim: String,
    /// Byte range of the name in the text.
    pub dim_range: Range<usize>,
    /// Axes, major to minor; empty for `_`.
    pub axes: Vec<AxisText>,
    /// Byte range of the rule in the text.
    pub range: Range<usize>,
}

/// Name of a dimension with its byte range in the text; `None` for `_`.
pub type NameText = Option<(String, Range<usize>)>;

/// Parses a layout.
///
/// # Errors
/// `L008` if the text is not a layout.
pub fn parse_layout(written: &SourceText) -> Result<LayoutText, Diagnostic> {
    let mut r = PlanTextParser::new(written, Code::L008, "write one entry a dimension, as in `_, data+model`");
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
            Some(monoid) => layout.partial.extend(axes.into_iter().map(|a| (a, monoid))),
            None => layout.replicated.extend(axes),
        }
    }
    Ok(layout)
}

/// Parses rules.
///
/// # Errors
/// `L010` if the text is not a list of rules.
pub fn parse_rules(written: &SourceText) -> Result<Vec<RuleText>, Diagnostic> {
    let mut r =
        PlanTextParser::new(written, Code::L010, "write `dimension:axis` pairs, as in `batch:data; hidden:model`");
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

/// Parses names of dimensions.
///
/// # Errors
/// `L008` if the text is not a list of names.
pub fn parse_names(written: &SourceText) -> Result<Vec<NameText>, Diagnostic> {
    let mut r = PlanTextParser::new(written, Code::L008, "write one name a dimension, `_` for none, as in `batch, _`");
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

/// Parses the layout of a value. `path` is its user-visible path, and `ty` its type.
///
/// # Errors
/// `L008` if the text is not a layout, `L009` if the number of entries differs from the rank.
pub fn parse_layout_of(written: &SourceText, path: &str, ty: &Type) -> Result<LayoutText, Diagnostic> {
    let layout = parse_layout(written)?;
    match &layout.dims {
        Some(dims) if dims.len() != ty.shape.rank() => Err(wrong_layout_rank(dims.len(), written, path, ty)),
        _ => Ok(layout),
    }
}

/// Returns the error of a layout with another number of entries than the value has dimensions.
pub fn wrong_layout_rank(entries: usize, written: &SourceText, path: &str, ty: &Type) -> Diagnostic {
    let rank = ty.shape.rank();
    let example = if rank == 0 { "whole".to_owned() } else { vec!["_"; rank].join(", ") };
    let count = |n: usize, what: &str, many: &str| format!("{n} {}", if n == 1 { what } else { many });
    let (dims, entries) = (count(rank, "dimension", "dimensions"), count(entries, "entry", "entries"));
    Diagnostic::new(Code::L009, format!("`{path}` has {dims}, but this layout has {entries}"))
        .label(written.span(), format!("{entries} for {ty}"))
        .help(format!("write one entry for each dimension, as in `{example}`"))
}

/// Parses the names of the dimensions of a value. `path` is its user-visible path, and `ty` its type.
///
/// # Errors
/// `L008` if the text is not a list of names, `L009` if the number of names differs from the rank.
pub fn parse_names_of(written: &SourceText, path: &str, ty: &Type) -> Result<Vec<NameText>, Diagnostic> {
    let names = parse_names(written)?;
    check_rank(&names, written, path, ty)?;
    Ok(names)
}

/// Checks that the names of the dimensions of a value have its rank.
///
/// # Errors
/// `L009` if the number of names differs from the rank.
pub fn check_rank(names: &[NameText], written: &SourceText, path: &str, ty: &Type) -> Result<(), Diagnostic> {
    let rank = ty.shape.rank();
    if names.len() == rank {
        return Ok(());
    }
    let counts = match (rank, names.len()) {
        (1, named) => format!("1 dimension, but {named} are named"),
        (_, 1) => format!("{rank} dimensions, but 1 is named"),
        (_, named) => format!("{rank} dimensions, but {named} are named"),
    };
    Err(Diagnostic::new(Code::L009, format!("`{path}` has {counts}"))
        .label(written.span(), format!("`{path}` is {ty}"))
        .help("write one name for each dimension, `_` for one without a name"))
}

/// Parser state: a position in the text.
struct PlanTextParser<'w> {
    written: &'w SourceText,
    /// Code of syntax errors.
    code: Code,
    /// Help text of syntax errors.
    help: &'static str,
    /// Byte position, after any white space.
    at: usize,
    /// End of the last token in bytes, before any white space.
    last: usize,
}

impl<'w> PlanTextParser<'w> {
    fn new(written: &'w SourceText, code: Code, help: &'static str) -> PlanTextParser<'w> {
        let mut reader = PlanTextParser { written, code, help, at: 0, last: 0 };
        reader.advance(0);
        reader
    }

    fn rest(&self) -> &'w str {
        &self.written.text[self.at..]
    }

    /// Advances by `bytes` and over the white space that follows.
    fn advance(&mut self, bytes: usize) {
        self.last = self.at + bytes;
        self.at = self.last;
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn at_end(&self) -> bool {
        self.rest().is_empty()
    }

    /// Returns true if the tail of a layout starts at the current position.
    fn at_tail(&self) -> bool {
        self.peek_word().is_some_and(|w| self.rest()[w.len()..].trim_start().starts_with('('))
    }

    fn peek_word(&self) -> Option<&'w str> {
        let rest = self.rest();
        let len = rest.find(|c: char| !(c.is_alphanumeric() || "_-./".contains(c))).unwrap_or(rest.len());
        (len > 0).then(|| &rest[..len])
    }

    /// Consumes a sign, or a complete word, if the text continues with it.
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
            let name = self.word("a mesh axis, or `_` for an unsharded dimension")?.to_owned();
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
        Diagnostic::new(self.code, title).label(self.place(self.at..self.at + len), "").help(self.help)
    }

    fn place(&self, range: Range<usize>) -> Span {
        self.written.span_of(range)
    }
}
