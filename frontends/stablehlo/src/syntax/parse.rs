//! State of the parser; parsing of regions and of the common parts of operations.

use super::attribute::{Attr, Attrs};
use super::opcode::{self, Opcode};
use super::sharding::MeshDef;
use super::tensor_type::TensorType;
use super::types::ResultTypes;
use super::{Local, cursor::Cursor};
use super::{ParsedArg as Arg, ParsedModule as Module, ParsedOp as Op, ParsedRegion as Region, ParsedValue as Value};
use crate::fault::{Fault, Result, counted, excerpt};
use partita_ir::diag::Code;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::fmt;
use std::ops::Range;

/// Maximum nesting depth of regions and attributes. The limit prevents stack overflow.
const MAX_DEPTH: u32 = 64;

/// Approximate bytes of text per value, for preallocation only.
const BYTES_PER_VALUE: usize = 100;

/// Maximum number of results of one operation.
const MAX_RESULTS: u32 = 1 << 20;

/// Parses the text of a module.
pub fn parse(text: &str) -> Result<Module<'_>> {
    if u32::try_from(text.len()).is_err() {
        return Err(Fault::new(Code::T004, "the file is larger than 4 GiB", 0..0));
    }
    let mut parser = Parser {
        cursor: Cursor::new(text),
        subject: Subject::Module,
        aliases: FxHashMap::default(),
        depth: 0,
        regions: 0,
        values: Vec::new(),
        scope: FxHashMap::with_capacity_and_hasher((text.len() / BYTES_PER_VALUE).min(1 << 16), Default::default()),
        shadowed: Vec::new(),
        inline_meshes: Vec::new(),
    };
    let mut module = parser.file()?;
    module.meshes.append(&mut parser.inline_meshes);
    Ok(module)
}

/// State of the parser.
pub struct Parser<'a> {
    /// Current position.
    pub(super) cursor: Cursor<'a>,
    /// Subject of error messages.
    pub(super) subject: Subject<'a>,
    /// Attribute aliases.
    pub(super) aliases: FxHashMap<&'a str, Attr<'a>>,
    depth: u32,
    /// Number of open operation regions. The body of a function does not count.
    regions: u32,
    /// Values of the current function so far.
    pub(super) values: Vec<Value<'a>>,
    /// Visible values by name.
    scope: FxHashMap<&'a str, Binding>,
    /// Previous bindings of names that open regions have redefined.
    shadowed: Vec<(&'a str, Option<Binding>)>,
    /// Meshes that are written in shardings, named by their text.
    pub(super) inline_meshes: Vec<MeshDef<'a>>,
}

/// Subject of an error message.
#[derive(Clone, Copy)]
pub(super) enum Subject<'a> {
    Module,
    Argument(&'a str),
    Function(&'a str),
    Operation(Opcode),
}

impl fmt::Display for Subject<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Subject::Module => f.write_str("the module"),
            Subject::Argument(name) => write!(f, "argument `%{name}`"),
            Subject::Function(name) => write!(f, "the function `@{name}`"),
            Subject::Operation(code) => write!(f, "`{}`", code.name()),
        }
    }
}

/// Values bound to a name: `count` values from `first` on.
#[derive(Clone, Copy)]
struct Binding {
    first: Local,
    count: u32,
    /// Number of open regions at the definition.
    regions: u32,
}

/// A result name before `=`, and its number of values.
struct ResultName<'a> {
    name: &'a str,
    count: u32,
    at: Range<usize>,
}

impl<'a> Parser<'a> {
    /// Runs `f` one nesting level deeper. Errors: the nesting is too deep.
    #[inline]
    pub fn nested<T>(&mut self, f: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth == MAX_DEPTH {
            let title = format!("nested deeper than {MAX_DEPTH} levels");
            return Err(Fault::new(Code::T004, title, self.cursor.token_range()).label("here"));
        }
        self.depth += 1;
        let result = f(self);
        self.depth -= 1;
        result
    }

    /// Clears the values of the previous function.
    pub fn enter_func(&mut self) {
        self.scope.clear();
        self.shadowed.clear();
        self.values.clear();
    }

    /// Returns the values of the current function at its end.
    pub fn leave_func(&mut self) -> Vec<Value<'a>> {
        std::mem::take(&mut self.values)
    }

    /// Consumes a comma, unless `close` is next.
    pub fn comma_or(&mut self, close: u8, place: &str) -> Result<()> {
        if self.cursor.eat(b',') || self.cursor.peek() == close {
            return Ok(());
        }
        Err(self.cursor.unexpected(&format!("`,` or `{}` {place}", close as char)))
    }

    /// Parses an optional `<{name = attribute}>`.
    pub fn properties(&mut self, attrs: &mut Attrs<'a>) -> Result<()> {
        if self.cursor.eat(b'<') {
            attrs.extend(self.dictionary()?);
            self.cursor.expect(b'>', "after the properties")?;
        }
        Ok(())
    }

    /// Parses an optional `({region}, {region})`.
    pub fn regions(&mut self, regions: &mut Vec<Region<'a>>) -> Result<()> {
        if self.cursor.eat(b'(') {
            while !self.cursor.eat(b')') {
                regions.push(self.region()?);
                self.comma_or(b')', "after a region")?;
            }
        }
        Ok(())
    }

    /// Parses `{ ^bb0(args): ops }`.
    fn region(&mut self) -> Result<Region<'a>> {
        self.cursor.expect(b'{', "before a region")?;
        self.scoped(|p| {
            let first = p.next_local();
            let mut args = Vec::new();
            if p.cursor.peek() == b'^' {
                p.cursor.sigil(b'^', "the name of a block")?;
                if p.cursor.eat(b'(') {
                    while !p.cursor.eat(b')') {
                        let arg = p.arg()?;
                        args.push(Arg { location: p.location()?, ..arg });
                        p.comma_or(b')', "in the arguments of a block")?;
                    }
                }
                p.cursor.expect(b':', "after the arguments of a block")?;
            }
            Ok(Region { first, args, ops: p.ops_until_brace()? })
        })
    }

    /// Runs `f` in a nested scope of names.
    pub fn scoped<T>(&mut self, f: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let outside = self.shadowed.len();
        self.regions += 1;
        let result = self.nested(f);
        self.regions -= 1;
        for (name, before) in self.shadowed.drain(outside..).rev() {
            match before {
                Some(binding) => self.scope.insert(name, binding),
                None => self.scope.remove(name),
            };
        }
        result
    }

    /// Parses operations up to and including the closing brace.
    pub fn ops_until_brace(&mut self) -> Result<Vec<Op<'a>>> {
        let mut ops = Vec::new();
        while !self.cursor.eat(b'}') {
            if self.cursor.peek() == b'^' {
                return Err(Fault::unsupported("a region has more than one block", self.cursor.token_range())
                    .label("control flow between blocks is not supported"));
            }
            self.op(&mut ops)?;
        }
        Ok(ops)
    }

    /// Parses `%name : type`.
    pub fn arg(&mut self) -> Result<Arg<'a>> {
        let start = self.cursor.offset();
        let name = self.cursor.sigil(b'%', "an argument")?;
        let at = start..start + name.len() + 1;
        self.cursor.expect(b':', "and the type of the argument")?;
        self.subject = Subject::Argument(name);
        let ty = self.tensor()?;
        let value = self.bind(name, std::slice::from_ref(&ty), &at)?;
        Ok(Arg { value, ty, at, location: "" })
    }

    /// Parses `%a, %b:2 = op` and appends the operation to `ops`.
    fn op(&mut self, ops: &mut Vec<Op<'a>>) -> Result<()> {
        let names = self.result_names()?;
        let results = names.iter().fold(0u32, |n, r| n.saturating_add(r.count));
        let generic = self.cursor.peek() == b'"';
        let (at, line) = (self.cursor.offset() + usize::from(generic), self.cursor.line());
        let name = if generic { self.cursor.string("an operation")? } else { self.cursor.name("an operation")? };
        let code = Opcode::from_name(name).ok_or_else(|| unknown_op(name, at..at + name.len()))?;
        let mut op = Op {
            code,
            at: at as u32,
            line,
            operands: SmallVec::new(),
            first_result: 0,
            types: ResultTypes::new(),
            attrs: Attrs::new(),
            inherent: 0,
            regions: Vec::new(),
            location: "",
        };
        self.subject = Subject::Operation(code);
        match generic {
            true => self.generic_op(&mut op, results as usize)?,
            false => self.assembly(&mut op, results as usize)?,
        }
        if op.types.len() != results as usize {
            let title = format!("`{name}` names {results} results and has types for {}", op.types.len());
            return Err(Fault::malformed(title, op.span()));
        }
        op.first_result = self.next_local();
        let mut types = &op.types[..];
        for r in names {
            let (own, others) = types.split_at(r.count as usize);
            self.bind(r.name, own, &r.at)?;
            types = others;
        }
        if name == opcode::DOT {
            self.add_dot_dimensions(&mut op);
        }
        self.check_unique_names(&op.attrs, || op.span())?;
        op.location = self.location()?;
        ops.push(op);
        Ok(())
    }

    /// Adds the dimension numbers of `dot`: the last dimension of the left operand and the first of the right one are
    /// contracted.
    fn add_dot_dimensions(&self, op: &mut Op<'a>) {
        let left = op.operands.first().and_then(|&local| self.values.get(local as usize));
        let last = left.map_or(0, |value| value.ty.shape.rank() as i64 - 1);
        let pair = [("lhs_contracting_dimensions", last), ("rhs_contracting_dimensions", 0)];
        let entries = pair.map(|(name, dim)| (name, Attr::Ints([dim].into_iter().collect())));
        op.attrs.insert(0, ("dot_dimension_numbers", Attr::Dict(entries.to_vec())));
        op.inherent += 1;
    }

    /// Parses an optional `%a, %b:2 =`.
    fn result_names(&mut self) -> Result<SmallVec<[ResultName<'a>; 1]>> {
        let mut names = SmallVec::new();
        while self.cursor.peek() == b'%' {
            let start = self.cursor.offset();
            let name = self.cursor.sigil(b'%', "a result")?;
            let at = start..start + name.len() + 1;
            let count = if self.cursor.eat(b':') { self.cursor.integer("the number of results")? } else { 1 };
            let Some(count) = u32::try_from(count).ok().filter(|&n| n > 0) else {
                return Err(Fault::malformed(format!("`%{name}` has an invalid number of results"), at));
            };
            names.push(ResultName { name, count, at });
            if !self.cursor.eat(b',') {
                self.cursor.expect(b'=', "and an operation")?;
                break;
            }
        }
        Ok(names)
    }

    /// Parses `(operands) <{properties}> ({regions}) {attributes} : signature`.
    fn generic_op(&mut self, op: &mut Op<'a>, results: usize) -> Result<()> {
        self.cursor.expect(b'(', "before the operands")?;
        self.operands_until(b')', op)?;
        self.properties(&mut op.attrs)?;
        op.inherent = op.attrs.len();
        self.regions(&mut op.regions)?;
        self.optional_dictionary(&mut op.attrs)?;
        self.cursor.expect(b':', "and the type of the operation")?;
        self.subject = Subject::Operation(op.code);
        self.signature(op, results)
    }

    /// Parses `%a, %b` up to `close`.
    pub fn operands_until(&mut self, close: u8, op: &mut Op<'a>) -> Result<()> {
        while !self.cursor.eat(close) {
            op.operands.push(self.operand()?);
            self.comma_or(close, "in the operands")?;
        }
        Ok(())
    }

    /// Parses `%name` or `%name#2`. Errors: the value is not defined.
    #[inline]
    pub fn operand(&mut self) -> Result<Local> {
        let start = self.cursor.offset();
        let name = self.cursor.sigil(b'%', "an operand")?;
        let index = if self.cursor.eat(b'#') { self.cursor.integer("the number of a result")? } else { 0 };
        match self.scope.get(name) {
            Some(b) if (0..i64::from(b.count)).contains(&index) => Ok(b.first + index as u32),
            found => {
                let text = self.cursor.text_since(start);
                let title = match found {
                    Some(b) => format!("`{text}` is used, but `%{name}` has {}", counted(b.count as usize, "result")),
                    None => format!("`{text}` is used before it is defined"),
                };
                Err(Fault::malformed(title, start..start + text.len()))
            }
        }
    }

    /// Returns the number of the next value of the function.
    pub fn next_local(&self) -> Local {
        self.values.len() as Local
    }

    /// Binds `name` to the next values of the function, which have the given types.
    pub fn bind(&mut self, name: &'a str, types: &[TensorType], at: &Range<usize>) -> Result<Local> {
        let first = self.next_local();
        let count = types.len() as u32;
        if u32::try_from(self.values.len() + types.len()).is_err() || count > MAX_RESULTS {
            return Err(Fault::new(Code::T004, format!("`%{name}` has too many values"), at.clone()));
        }
        let value = |(i, ty): (usize, &TensorType)| {
            let index = (count > 1).then_some(i as u32);
            Value { name, index, ty: ty.clone(), at: at.start as u32 }
        };
        self.values.extend(types.iter().enumerate().map(value));
        let before = self.scope.insert(name, Binding { first, count, regions: self.regions });
        if before.is_some_and(|b| b.regions == self.regions) {
            return Err(Fault::malformed(format!("`%{name}` is defined twice"), at.clone()));
        }
        if self.regions > 0 {
            self.shadowed.push((name, before));
        }
        Ok(first)
    }

    /// Parses an optional `loc(..)`, and returns the text between its parentheses.
    pub fn location(&mut self) -> Result<&'a str> {
        if self.cursor.rest().starts_with("loc(") {
            self.cursor.eat_word("loc");
            return self.cursor.balanced();
        }
        Ok("")
    }
}

/// Builds the fault for an unsupported operation.
#[cold]
pub fn unknown_op(name: &str, at: Range<usize>) -> Box<Fault> {
    let title = format!("the operation `{}` is not supported", excerpt(name));
    Fault::new(Code::F001, title, at).help(opcode::unsupported_op_help(name))
}
