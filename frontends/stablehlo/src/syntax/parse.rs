//! The state of parsing; regions, and what is common to all operations.

use super::attribute::{Attr, Attrs};
use super::opcode::{self, Opcode};
use super::types::Types;
use super::{Arg, Local, Module, Op, Region, Value, cursor::Cursor};
use crate::fault::{Fault, Result, counted, excerpt};
use partita_ir::diag::Code;
use partita_ir::dtype::Type;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::fmt;
use std::ops::Range;

/// Regions and attributes nested deeper than this are refused, so that the stack is never exhausted.
const MAX_DEPTH: u32 = 64;

/// About how much text has one value; only a guess of how much room to make.
const BYTES_PER_VALUE: usize = 100;

/// More results of one operation are refused.
const MAX_RESULTS: u32 = 1 << 20;

/// Parses a whole text.
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
    };
    parser.file()
}

/// The state of parsing.
pub struct Parser<'a> {
    /// Where we are.
    pub(super) cursor: Cursor<'a>,
    /// What a fault is about.
    pub(super) subject: Subject<'a>,
    /// Attribute aliases.
    pub(super) aliases: FxHashMap<&'a str, Attr<'a>>,
    depth: u32,
    /// Open regions of operations; the body of a function is not one.
    regions: u32,
    /// Values of the current function so far.
    pub(super) values: Vec<Value<'a>>,
    /// Values in sight, by name.
    scope: FxHashMap<&'a str, Binding>,
    /// What the names of the open regions stood for before.
    shadowed: Vec<(&'a str, Option<Binding>)>,
}

/// What the parser is reading; the subject of its sentences.
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

/// What a name stands for: so many values from `first` on.
#[derive(Clone, Copy)]
struct Binding {
    first: Local,
    count: u32,
    /// How many regions were open where it was defined.
    regions: u32,
}

/// A name before `=`, and how many values it has.
struct Named<'a> {
    name: &'a str,
    count: u32,
    at: Range<usize>,
}

impl<'a> Parser<'a> {
    /// Runs `f` one level deeper.
    #[inline]
    pub fn nested<T>(&mut self, f: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth == MAX_DEPTH {
            let title = format!("nested deeper than {MAX_DEPTH} levels");
            return Err(Fault::new(Code::T004, title, self.cursor.here()).label("here"));
        }
        self.depth += 1;
        let result = f(self);
        self.depth -= 1;
        result
    }

    /// Forgets the values of the function before.
    pub fn enter_func(&mut self) {
        self.scope.clear();
        self.shadowed.clear();
        self.values.clear();
    }

    /// The values of the function that ends here.
    pub fn leave_func(&mut self) -> Vec<Value<'a>> {
        std::mem::take(&mut self.values)
    }

    /// A comma, unless `close` is next.
    pub fn comma_or(&mut self, close: u8, place: &str) -> Result<()> {
        if self.cursor.eat(b',') || self.cursor.peek() == close {
            return Ok(());
        }
        Err(self.cursor.unexpected(&format!("`,` or `{}` {place}", close as char)))
    }

    /// `<{name = attribute}>` when it is there.
    pub fn properties(&mut self, attrs: &mut Attrs<'a>) -> Result<()> {
        if self.cursor.eat(b'<') {
            attrs.extend(self.dictionary()?);
            self.cursor.expect(b'>', "behind the properties")?;
        }
        Ok(())
    }

    /// `({region}, {region})` when it is there.
    pub fn regions(&mut self, regions: &mut Vec<Region<'a>>) -> Result<()> {
        if self.cursor.eat(b'(') {
            while !self.cursor.eat(b')') {
                regions.push(self.region()?);
                self.comma_or(b')', "behind a region")?;
            }
        }
        Ok(())
    }

    /// `{ ^bb0(args): ops }`.
    fn region(&mut self) -> Result<Region<'a>> {
        self.cursor.expect(b'{', "before a region")?;
        self.scoped(|p| {
            let first = p.next_local();
            let mut args = Vec::new();
            if p.cursor.peek() == b'^' {
                p.cursor.sigil(b'^', "the name of a block")?;
                if p.cursor.eat(b'(') {
                    while !p.cursor.eat(b')') {
                        args.push(p.arg()?);
                        p.location()?;
                        p.comma_or(b')', "in the arguments of a block")?;
                    }
                }
                p.cursor.expect(b':', "behind the arguments of a block")?;
            }
            Ok(Region { first, args, ops: p.ops_until_brace()? })
        })
    }

    /// Runs `f` with a scope of its own for names.
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

    /// Operations up to the closing brace, and the brace.
    pub fn ops_until_brace(&mut self) -> Result<Vec<Op<'a>>> {
        let mut ops = Vec::new();
        while !self.cursor.eat(b'}') {
            if self.cursor.peek() == b'^' {
                return Err(Fault::unsupported("a region has more than one block", self.cursor.here())
                    .label("control flow between blocks is not taken"));
            }
            self.op(&mut ops)?;
        }
        Ok(ops)
    }

    /// `%name : type`.
    pub fn arg(&mut self) -> Result<Arg> {
        let start = self.cursor.at();
        let name = self.cursor.sigil(b'%', "an argument")?;
        let at = start..start + name.len() + 1;
        self.cursor.expect(b':', "and the type of the argument")?;
        self.subject = Subject::Argument(name);
        let ty = self.tensor()?;
        let value = self.bind(name, std::slice::from_ref(&ty), &at)?;
        Ok(Arg { value, ty, at })
    }

    /// `%a, %b:2 = op`, appended to `ops`.
    fn op(&mut self, ops: &mut Vec<Op<'a>>) -> Result<()> {
        let names = self.result_names()?;
        let results = names.iter().fold(0u32, |n, r| n.saturating_add(r.count));
        let generic = self.cursor.peek() == b'"';
        let (at, line) = (self.cursor.at() + usize::from(generic), self.cursor.line());
        let name = if generic { self.cursor.string("an operation")? } else { self.cursor.name("an operation")? };
        let code = Opcode::from_name(name).ok_or_else(|| unknown_op(name, at..at + name.len()))?;
        let mut op = Op {
            code,
            at: at as u32,
            line,
            operands: SmallVec::new(),
            first_result: 0,
            types: Types::new(),
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
        self.named_once(&op.attrs, || op.span())?;
        op.location = self.location()?;
        ops.push(op);
        Ok(())
    }

    /// `%a, %b:2 =`, when an operation has results.
    fn result_names(&mut self) -> Result<SmallVec<[Named<'a>; 1]>> {
        let mut names = SmallVec::new();
        while self.cursor.peek() == b'%' {
            let start = self.cursor.at();
            let name = self.cursor.sigil(b'%', "a result")?;
            let at = start..start + name.len() + 1;
            let count = if self.cursor.eat(b':') { self.cursor.integer("the number of results")? } else { 1 };
            let Some(count) = u32::try_from(count).ok().filter(|&n| n > 0) else {
                return Err(Fault::malformed(format!("`%{name}` has an impossible number of results"), at));
            };
            names.push(Named { name, count, at });
            if !self.cursor.eat(b',') {
                self.cursor.expect(b'=', "and an operation")?;
                break;
            }
        }
        Ok(names)
    }

    /// `(operands) <{properties}> ({regions}) {attributes} : signature`.
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

    /// `%a, %b` up to `close`.
    pub fn operands_until(&mut self, close: u8, op: &mut Op<'a>) -> Result<()> {
        while !self.cursor.eat(close) {
            op.operands.push(self.operand()?);
            self.comma_or(close, "in the operands")?;
        }
        Ok(())
    }

    /// `%name` or `%name#2`, which must be defined.
    #[inline]
    pub fn operand(&mut self) -> Result<Local> {
        let start = self.cursor.at();
        let name = self.cursor.sigil(b'%', "an operand")?;
        let index = if self.cursor.eat(b'#') { self.cursor.integer("the number of a result")? } else { 0 };
        match self.scope.get(name) {
            Some(b) if (0..i64::from(b.count)).contains(&index) => Ok(b.first + index as u32),
            found => {
                let text = self.cursor.since(start);
                let title = match found {
                    Some(b) => format!("`{text}` is used, but `%{name}` has {}", counted(b.count as usize, "result")),
                    None => format!("`{text}` is used before it is defined"),
                };
                Err(Fault::malformed(title, start..start + text.len()))
            }
        }
    }

    /// The number of the next value of the function.
    pub fn next_local(&self) -> Local {
        self.values.len() as Local
    }

    /// Names the next values of the function, which have those types.
    pub fn bind(&mut self, name: &'a str, types: &[Type], at: &Range<usize>) -> Result<Local> {
        let first = self.next_local();
        let count = types.len() as u32;
        if u32::try_from(self.values.len() + types.len()).is_err() || count > MAX_RESULTS {
            return Err(Fault::new(Code::T004, format!("`%{name}` has too many values"), at.clone()));
        }
        let value = |(i, ty): (usize, &Type)| {
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

    /// What stands in `loc(..)`, when it is there.
    pub fn location(&mut self) -> Result<&'a str> {
        if self.cursor.rest().starts_with("loc(") {
            self.cursor.eat_word("loc");
            return self.cursor.balanced();
        }
        Ok("")
    }
}

/// The fault of an operation that this frontend does not take.
#[cold]
pub fn unknown_op(name: &str, at: Range<usize>) -> Box<Fault> {
    let title = format!("the frontend does not know the operation `{}`", excerpt(name));
    Fault::new(Code::F001, title, at).help(opcode::advice(name))
}
