//! Attributes: the contents of `{...}` and `<{...}>`, and values after `key =`.

use super::dense::Dense;
use super::parse::Parser;
use super::sharding::{MeshDef, Sharding};
use super::sharding_rule::SharedFactors;
use super::types::LocatedTypes;
use crate::fault::{Fault, Result};
use partita_ir::ops::Literal;
use smallvec::{SmallVec, smallvec};
use std::ops::Range;

/// A name and its attribute.
pub type Entry<'a> = (&'a str, Attr<'a>);

/// Named attributes. Most operations have at most one.
pub type Attrs<'a> = SmallVec<[Entry<'a>; 1]>;

/// Integers of an attribute.
pub type Ints = SmallVec<[i64; 4]>;

/// An attribute.
#[derive(Clone, Debug)]
pub enum Attr<'a> {
    /// An attribute without a value.
    Unit,
    /// A boolean, `true` or `false`.
    Bool(bool),
    /// A 64-bit integer.
    Int(i64),
    /// A number that is not an integer.
    Float(f64),
    /// A string: the raw text between the quotes.
    Str(&'a str),
    /// A symbol `@name`.
    Symbol(&'a str),
    /// An enumerator such as `LT` or `DEFAULT`.
    Word(&'a str),
    /// A list of integers, or of booleans as 0 and 1.
    Ints(Ints),
    /// Any other list.
    List(Vec<Attr<'a>>),
    /// A dictionary, or the body of a structured attribute such as `#stablehlo.gather<..>`.
    Dict(Vec<Entry<'a>>),
    /// A literal `dense<..> : type`.
    Dense(Dense<'a>),
    /// The elements of a constant, which has no text.
    Literal(Literal),
    /// The dimension numbers of a convolution.
    Conv(Box<ConvDims>),
    /// One sharding, or one per result.
    Shardings(Vec<Sharding<'a>>),
    /// The text between the brackets of `#sdy.op_sharding_rule<..>`.
    ShardingRule(&'a str),
    /// A sharding rule that a pass has changed, which has no text.
    SharedFactors(Box<SharedFactors>),
    /// A mesh without its name.
    Mesh(Box<MeshDef<'a>>),
    /// A function type: arguments and results.
    Function(Box<(LocatedTypes, LocatedTypes)>),
    /// An attribute that the importer does not read: types and attributes of other dialects.
    Other,
}

/// Dimension numbers of a convolution: the role of each dimension.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConvDims {
    /// Dimensions of the input: batch, feature, spatial.
    pub input: ConvSide,
    /// Dimensions of the kernel: output feature, input feature, spatial.
    pub kernel: ConvSide,
    /// Dimensions of the result: batch, feature, spatial.
    pub output: ConvSide,
}

/// Roles of the dimensions of one operand or of the result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConvSide {
    /// Batch dimension; the output feature dimension of a kernel.
    pub batch: usize,
    /// Feature dimension; the input feature dimension of a kernel.
    pub feature: usize,
    /// Spatial dimensions, in order.
    pub spatial: SmallVec<[usize; 3]>,
}

impl<'a> Attr<'a> {
    /// Returns the integer, if the attribute is one.
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Attr::Int(i) => Some(*i),
            _ => None,
        }
    }

    /// Returns the number, if the attribute is one.
    pub fn as_float(&self) -> Option<f64> {
        match self {
            Attr::Float(x) => Some(*x),
            Attr::Int(i) => Some(*i as f64),
            _ => None,
        }
    }

    /// Returns the enumerator, if the attribute is one.
    pub fn as_word(&self) -> Option<&'a str> {
        match self {
            Attr::Word(w) => Some(w),
            _ => None,
        }
    }

    /// Returns the string, if the attribute is one.
    pub fn as_str(&self) -> Option<&'a str> {
        match self {
            Attr::Str(s) => Some(s),
            _ => None,
        }
    }

    /// Returns the symbol, if the attribute is one.
    pub fn as_symbol(&self) -> Option<&'a str> {
        match self {
            Attr::Symbol(s) => Some(s),
            _ => None,
        }
    }

    /// Returns the entries, if the attribute is a dictionary.
    pub fn as_dict(&self) -> Option<&[Entry<'a>]> {
        match self {
            Attr::Dict(entries) => Some(entries),
            _ => None,
        }
    }

    /// Returns the integers of a list, flattened if nested; `None` for other attributes. A splat is expanded to the
    /// shape of its type.
    pub fn as_ints(&self) -> Option<Ints> {
        match self {
            Attr::Ints(ints) => Some(ints.clone()),
            Attr::Dense(dense) => dense.ints(),
            Attr::List(items) => items.iter().try_fold(Ints::new(), |mut all, item| {
                all.extend(item.as_ints()?);
                Some(all)
            }),
            _ => None,
        }
    }
}

impl<'a> Parser<'a> {
    /// Parses `{name = attribute, name}`. The cursor must be at the brace.
    pub fn dictionary(&mut self) -> Result<Vec<Entry<'a>>> {
        self.cursor.expect(b'{', "before the attributes")?;
        self.nested(|p| p.entries(b'}'))
    }

    /// Parses an optional `{...}` and appends its entries to `attrs`.
    pub fn optional_dictionary(&mut self, attrs: &mut Attrs<'a>) -> Result<()> {
        if self.cursor.peek() == b'{' {
            attrs.extend(self.dictionary()?);
        }
        Ok(())
    }

    /// Parses `name = attribute, name, ...` up to `close`.
    fn entries(&mut self, close: u8) -> Result<Vec<Entry<'a>>> {
        let mut entries = Vec::new();
        if self.cursor.eat(close) {
            return Ok(entries);
        }
        let start = self.cursor.offset();
        loop {
            let name = match self.cursor.peek() {
                b'"' => self.cursor.string("the name of an attribute")?,
                _ => self.cursor.name("the name of an attribute")?,
            };
            let attr = match self.cursor.eat(b'=') {
                true if name == "function_type" && self.cursor.peek() == b'(' => self.function_type()?,
                true => self.attribute()?,
                false => Attr::Unit,
            };
            entries.push((name, attr));
            if !self.cursor.eat(b',') {
                self.cursor.expect(close, "after the attributes")?;
                self.check_unique_names(&entries, || start..start + 1)?;
                return Ok(entries);
            }
        }
    }

    /// Checks that attribute names are unique. `elsewhere` is the location of names that do not occur in the text.
    pub fn check_unique_names(&self, attrs: &[Entry<'a>], elsewhere: impl Fn() -> Range<usize>) -> Result<()> {
        let mut names: SmallVec<[&str; 8]> = attrs.iter().map(|(name, _)| *name).collect();
        names.sort_unstable();
        let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) else { return Ok(()) };
        let places = attrs.iter().filter(|(name, _)| *name == twice[0]);
        let mut places = places.map(|(name, _)| self.cursor.range_of(name).unwrap_or_else(&elsewhere));
        let (first, second) = (places.next().unwrap_or_default(), places.next().unwrap_or_default());
        Err(Fault::malformed(format!("the attribute `{}` is given twice", twice[0]), second)
            .label("and again here")
            .context(first, "first here"))
    }

    /// Parses `(T, T) -> T`.
    fn function_type(&mut self) -> Result<Attr<'a>> {
        let inputs = self.type_list()?;
        if !self.cursor.eat_arrow() {
            return Err(self.cursor.unexpected("`->` and the types of the results"));
        }
        let results = if self.cursor.peek() == b'(' { self.type_list()? } else { smallvec![self.located_type()?] };
        Ok(Attr::Function(Box::new((inputs, results))))
    }

    /// Parses an attribute with its optional `: type`.
    pub fn attribute(&mut self) -> Result<Attr<'a>> {
        let attr = self.nested(|p| p.value())?;
        let Attr::Dense(mut dense) = attr else {
            if self.cursor.eat(b':') {
                self.skip_type()?;
            }
            return Ok(attr);
        };
        self.cursor.expect(b':', "and the type of the literal")?;
        let start = self.cursor.offset();
        self.skip_type()?;
        dense.ty = self.cursor.text_since(start);
        Ok(Attr::Dense(dense))
    }

    /// Parses an attribute without a `: type`. After `key =` in an assembly format, a `:` starts the signature.
    pub fn value(&mut self) -> Result<Attr<'a>> {
        match self.cursor.peek() {
            b'"' => Ok(Attr::Str(self.cursor.string("a string")?)),
            b'@' => self.symbol_path(),
            b'[' => self.list(),
            b'{' => Ok(Attr::Dict(self.dictionary()?)),
            b'#' => self.dialect_attribute(),
            b'<' => self.cursor.balanced().map(|_| Attr::Other),
            b'(' | b'!' => self.skip_type().map(|()| Attr::Other),
            b'-' | b'+' | b'0'..=b'9' => {
                let number = self.cursor.number("a number")?;
                let integer = number.parse().ok().map(Attr::Int);
                let float = || number.parse().ok().map(Attr::Float);
                Ok(integer.or_else(float).unwrap_or(Attr::Other))
            }
            _ => self.word_attribute(),
        }
    }

    fn symbol_path(&mut self) -> Result<Attr<'a>> {
        let symbol = self.cursor.symbol("a symbol")?;
        while self.cursor.eat_str("::") {
            self.cursor.symbol("a symbol")?;
        }
        Ok(Attr::Symbol(symbol))
    }

    fn word_attribute(&mut self) -> Result<Attr<'a>> {
        let start = self.cursor.offset();
        let word = self.cursor.name("an attribute")?;
        Ok(match (word, self.cursor.peek()) {
            ("true", _) => Attr::Bool(true),
            ("false", _) => Attr::Bool(false),
            ("unit", _) => Attr::Unit,
            ("dense", b'<') => Attr::Dense(self.dense_body()?),
            ("array", b'<') => self.array()?,
            ("dense_resource", b'<') => {
                self.cursor.balanced()?;
                let at = start..start + word.len();
                return Err(Fault::unsupported("a literal was elided from the file", at)
                    .label("placeholder for elided data")
                    .help("print the module with `lowered.as_text()`, which elides no literals"));
            }
            (_, b'<' | b'(') => {
                self.cursor.balanced()?;
                Attr::Other
            }
            _ => Attr::Word(word),
        })
    }

    /// Parses the body of `array<i64: 1, 2>`.
    fn array(&mut self) -> Result<Attr<'a>> {
        self.cursor.expect(b'<', "after `array`")?;
        self.skip_type()?;
        if self.cursor.eat(b':') {
            return self.nested(|p| p.items(b'>'));
        }
        self.cursor.expect(b'>', "after the array")?;
        Ok(Attr::Ints(Ints::new()))
    }

    fn list(&mut self) -> Result<Attr<'a>> {
        self.cursor.expect(b'[', "before the list")?;
        self.nested(|p| p.items(b']'))
    }

    /// Parses the items of a list up to `close`. The result is an integer list if all items are integers.
    fn items(&mut self, close: u8) -> Result<Attr<'a>> {
        let mut ints = Ints::new();
        let mut items = Vec::new();
        if self.cursor.eat(close) {
            return Ok(Attr::Ints(ints));
        }
        loop {
            match self.attribute()? {
                Attr::Int(i) if items.is_empty() => ints.push(i),
                Attr::Bool(b) if items.is_empty() => ints.push(i64::from(b)),
                item => {
                    items.extend(ints.drain(..).map(Attr::Int));
                    items.push(item);
                }
            }
            if !self.cursor.eat(b',') {
                self.cursor.expect(close, "after the list")?;
                return Ok(if items.is_empty() { Attr::Ints(ints) } else { Attr::List(items) });
            }
        }
    }

    /// Parses `#dialect.name<..>`, `#dialect<name value>`, or an alias.
    fn dialect_attribute(&mut self) -> Result<Attr<'a>> {
        let start = self.cursor.offset();
        let name = self.cursor.sigil(b'#', "an attribute")?;
        if self.cursor.peek() != b'<' {
            let alias = self.aliases.get(name).cloned();
            return alias.ok_or_else(|| {
                Fault::malformed(format!("the alias `#{name}` is not defined"), start..start + name.len() + 1)
            });
        }
        match name {
            "stablehlo" | "chlo" => {
                self.cursor.expect(b'<', "after the dialect")?;
                self.cursor.name("the kind of the attribute")?;
                let word = self.cursor.name("an enumerator")?;
                self.cursor.expect(b'>', "after the attribute")?;
                Ok(Attr::Word(word))
            }
            "stablehlo.gather" | "stablehlo.scatter" | "stablehlo.dot" | "chlo.ragged_dot" => {
                self.cursor.expect(b'<', "after the attribute's name")?;
                Ok(Attr::Dict(self.nested(|p| p.entries(b'>'))?))
            }
            "stablehlo.conv" => {
                self.cursor.expect(b'<', "after `#stablehlo.conv`")?;
                let dims = self.conv_dims()?;
                self.cursor.expect(b'>', "after the dimension numbers")?;
                Ok(Attr::Conv(Box::new(dims)))
            }
            "sdy.sharding" => Ok(Attr::Shardings(vec![self.sharding()?])),
            "sdy.sharding_per_value" => Ok(Attr::Shardings(self.shardings()?)),
            "sdy.mesh" => {
                self.cursor.expect(b'<', "after `#sdy.mesh`")?;
                let mesh = self.mesh_body("", start..start + name.len() + 1)?;
                self.cursor.expect(b'>', "after the mesh")?;
                Ok(Attr::Mesh(Box::new(mesh)))
            }
            "sdy.op_sharding_rule" => Ok(Attr::ShardingRule(self.cursor.balanced()?)),
            _ => self.cursor.balanced().map(|_| Attr::Other),
        }
    }

    /// Parses `[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]`.
    pub fn conv_dims(&mut self) -> Result<ConvDims> {
        let input = self.conv_side("b", "f")?;
        self.cursor.expect_word("x")?;
        let kernel = self.conv_side("o", "i")?;
        if !self.cursor.eat_arrow() {
            return Err(self.cursor.unexpected("`->` and the dimensions of the result"));
        }
        Ok(ConvDims { input, kernel, output: self.conv_side("b", "f")? })
    }

    fn conv_side(&mut self, batch: &str, feature: &str) -> Result<ConvSide> {
        let start = self.cursor.offset();
        self.cursor.expect(b'[', "before the dimensions of a convolution")?;
        let mut roles: SmallVec<[&str; 6]> = SmallVec::new();
        loop {
            roles.push(self.cursor.name("the role of a dimension")?);
            if !self.cursor.eat(b',') {
                break;
            }
        }
        self.cursor.expect(b']', "after the dimensions of a convolution")?;
        let find = |role: &str| roles.iter().position(|r| *r == role);
        let spatial: Option<SmallVec<[usize; 3]>> =
            (0..roles.len().saturating_sub(2)).map(|i| roles.iter().position(|r| r.parse() == Ok(i))).collect();
        match (find(batch), find(feature), spatial) {
            (Some(batch), Some(feature), Some(spatial)) => Ok(ConvSide { batch, feature, spatial }),
            _ => {
                let text = self.cursor.text_since(start);
                let title = format!("`{text}` does not assign one role to each dimension of the convolution");
                Err(Fault::malformed(title, start..start + text.len())
                    .note(format!("the roles are `{batch}`, `{feature}` and the numbers of the spatial dimensions")))
            }
        }
    }
}
