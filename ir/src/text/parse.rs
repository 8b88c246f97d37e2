//! Parser of program text. Continues after an error, so that one call reports several errors.
//!
//! ```text
//! program = "form" NAME [ "forward" ] { mesh | func | param | input | op | output }
//! mesh    = "mesh" @NAME "=" "[" AXIS "=" SIZE, ... "]" [ "on" (FIRST ".." END | "[" DEVICE, ... "]") ]
//! func    = "func" @NAME "(" [%NAME ":" type, ...] ")" "{" {op} "return" [result, ...] "}"
//! param   = "param" %NAME "PATH" ["frozen" | "state" | "const"] ["of" "PATH"] ["starts" init] ":" type
//! init    = NUMBER | "uniform" "[" LOW "," HIGH "]" | "normal" "[" MEAN "," DEVIATION "]"
//! input   = "input" %NAME ["donated"] ":" type
//! op      = %NAME, ... "=" NAME ["on" @MESH] attributes [%NAME, ...] ":" type, ... ["phase" PHASE]
//! output  = "output" [result]
//! result  = %NAME ["NAME"] ["->" "PATH"]
//! ```
//!
//! The name of a value that has other characters than letters, digits, `_` and `.` is in quotes: `%"input:0"`.
//! All names are declared before they are used. `on @MESH` after the name of an op selects the mesh that its attributes
//! refer to, if it is not the first one. Without any `output` statement, the results of the last op are the outputs; a
//! single `output` without a value declares that the program has no outputs. Types are defined in [`super::types`],
//! attributes in [`super::attr`]. Line breaks and indentation are ignored, except that parsing resumes at the next line
//! after an error. The line number of an op is recorded as its origin.

use super::types::{find_mesh, read_type, too_large};
use crate::arena::{Arena, FuncId, Id, MeshId, ParamId, ValueId};
use crate::diag::{Code, Diagnostic, Source, Span, nearest};
use crate::dtype::Type;
use crate::initializer::Initializer;
use crate::mesh::{Axis, DeviceMesh, check_axes};
use crate::origin::Origin;
use crate::program::class::SourceOp;
use crate::program::op::OpKind;
use crate::program::ops::{Binary, BinaryOp, Constant, DotGeneral, Literal, Unary, UnaryOp};
use crate::program::{Form, Func, Name, Op, Output, Param, ParamKind, Phase, Program, Value, Values};
use crate::syntax::attr::AttrNames;
use crate::syntax::lex::{Cursor, Result, Token, unquote};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::sync::Arc;

/// Maximum number of reported errors; parsing stops after them.
const MAX_ERRORS: usize = 20;
/// Maximum number of meshes of a program.
const MAX_MESHES: usize = 256;
/// Number of most recently declared names that are compared to an undeclared name to suggest a correction.
const MAX_SUGGESTED_NAMES: usize = 1000;
/// Placeholder for an undeclared value. A program that contains it is never returned.
const UNDECLARED: ValueId = ValueId(u32::MAX);

/// Parses a program. `parse(print(p)) == p.compact()` holds. [`Program::source`] is set to the name of `source`.
///
/// # Errors
/// `T001` to `T004`, `L001`, `L002`, `L007`, and `V001` for an undefined `matmul`; at most 20 errors.
pub fn parse(source: &Arc<Source>) -> std::result::Result<Program, Vec<Diagnostic>> {
    let program = Program { source: Name::new(&source.name), funcs: Arena::default(), ..Program::default() };
    let mut parser = Parser {
        c: Cursor::new(source),
        program,
        scope: FuncScope::default(),
        funcs: FxHashMap::default(),
        paths: FxHashMap::default(),
        main: empty_func("main"),
        outputs_written: false,
        line: (0, 1),
        errors: Vec::new(),
    };
    parser.program();
    parser.errors.truncate(MAX_ERRORS);
    if parser.errors.is_empty() { Ok(parser.program) } else { Err(parser.errors) }
}

/// Values of one function by name, with the byte position of each declaration.
#[derive(Default)]
struct FuncScope<'a> {
    values: FxHashMap<&'a str, (ValueId, usize)>,
    /// Names without a valid declaration. An error has been reported for each, so further uses are not reported.
    broken: FxHashSet<&'a str>,
}

struct Parser<'a> {
    c: Cursor<'a>,
    program: Program,
    scope: FuncScope<'a>,
    funcs: FxHashMap<&'a str, FuncId>,
    paths: FxHashMap<String, ParamId>,
    main: Func,
    outputs_written: bool,
    /// Byte position up to which lines have been counted, and the line number at that position.
    line: (usize, u32),
    errors: Vec<Diagnostic>,
}

impl<'a> Parser<'a> {
    fn program(&mut self) {
        match self.form() {
            Ok(form) => {
                self.program.form = form;
                self.program.is_forward = self.c.eat("forward");
            }
            Err(error) => return self.errors.push(*error),
        }
        while self.c.peek() != Token::End && self.errors.len() < MAX_ERRORS {
            let statement = self.c.clone();
            if let Err(error) = self.statement() {
                self.recover(*error, statement);
            }
        }
        if !self.outputs_written
            && let Some(&last) = self.main.body.last()
        {
            for &value in &self.program.ops[last].outs {
                let name = self.program.values[value].name.clone();
                self.main.outputs.push(Output { value, name, replaces: None });
            }
        }
        self.program.has_no_params &= self.program.params.is_empty();
        let main = std::mem::replace(&mut self.main, empty_func(""));
        self.program.main = self.program.funcs.push(main);
    }

    /// Records an error and continues at the next line, unless the cursor is already at the start of a later line.
    /// Marks the names that `statement` declares as reported, so that their uses cause no further errors.
    fn recover(&mut self, error: Diagnostic, mut statement: Cursor<'a>) {
        self.errors.push(error);
        if self.c.start() == statement.start() || !self.c.starts_line() {
            self.c.skip_line();
        }
        if let Token::Word(_) = statement.peek() {
            statement.take();
        }
        while let Token::Value(name) = statement.take() {
            if !self.scope.values.contains_key(name) {
                self.scope.broken.insert(name);
            }
            statement.eat(",");
        }
    }

    fn form(&mut self) -> Result<Form> {
        self.c.expect("form")?;
        let span = self.c.span();
        let name = self.c.word("the name of a form")?;
        Form::from_name(name).ok_or_else(|| {
            let error = Diagnostic::new(Code::T001, format!("`{name}` is not a form")).label(span.clone(), "");
            suggest(error, "a form", name, "", span, Form::ALL.map(Form::name))
        })
    }

    fn statement(&mut self) -> Result<()> {
        match self.c.peek() {
            Token::Value(_) => {
                let op = self.op()?;
                self.main.body.push(self.program.ops.push(op));
                Ok(())
            }
            Token::Word("mesh") => self.mesh(),
            Token::Word("func") => self.func(),
            Token::Word("param") => self.param(),
            Token::Word("input") => {
                self.c.take();
                let name = self.c.clone();
                self.value_name("the input's name, `%name`")?;
                let donated = self.c.eat("donated");
                let ty = self.colon_type()?;
                let value = self.declare(name, Value { donated, ..ty })?;
                self.main.inputs.push(value);
                Ok(())
            }
            Token::Word("output") => self.output(),
            _ => Err(self.c.expected("an operation (`%name = ...`), or one of mesh, func, param, input, output")),
        }
    }

    fn mesh(&mut self) -> Result<()> {
        self.c.take();
        let span = self.c.span();
        let name = self.symbol("the mesh's name, `@name`")?;
        if self.program.meshes.values().any(|m| m.name == name) {
            return Err(Box::new(
                Diagnostic::new(Code::T003, format!("mesh `@{name}` is declared twice")).label(span, ""),
            ));
        }
        if self.program.meshes.len() == MAX_MESHES {
            return Err(too_large(format!("a program has at most {MAX_MESHES} meshes"), &self.c));
        }
        self.c.expect("=")?;
        let axes = self.c.list(|c| {
            let name = c.word("an axis, `name=size`")?.into();
            c.expect("=")?;
            Ok(Axis { name, size: c.number("the axis's size")? })
        })?;
        check_axes(&axes).map_err(|why| bad_mesh(why, span))?;
        let mut mesh = DeviceMesh::new(name, axes.into_iter().map(|a| (a.name, a.size)));
        if self.c.eat("on") {
            mesh.devices = self.devices(mesh.device_count())?;
        }
        self.program.meshes.push(mesh);
        Ok(())
    }

    /// Parses the devices of a mesh with `places` positions: a range, `8..16`, or a list, `[3, 1, 0, 2]`.
    fn devices(&mut self, places: usize) -> Result<Vec<u32>> {
        let span = self.c.span();
        let devices: Vec<u32> = if self.c.peek() == Token::Punct('[') {
            self.c.list(|c| c.number("a device"))?
        } else {
            let first: u32 = self.c.number("the first device")?;
            if !self.c.eat_all(". .") {
                return Err(self.c.expected("`..` and the device after the last one"));
            }
            let end: u32 = self.c.number("the device after the last one")?;
            (first..end).take(places + 1).collect()
        };
        if devices.len() != places {
            return Err(bad_mesh(format!("the mesh has {places} places, but not as many devices are listed"), span));
        }
        if devices.iter().collect::<FxHashSet<_>>().len() != places {
            return Err(bad_mesh("a device is listed twice".into(), span));
        }
        Ok(devices)
    }

    fn func(&mut self) -> Result<()> {
        self.c.take();
        let span = self.c.span();
        let name = self.symbol("the function's name, `@name`")?;
        let taken = self.funcs.contains_key(name) || name == "main";
        let outer = std::mem::take(&mut self.scope);
        let func = self.func_parts(name).unwrap_or_else(|error| {
            // Report one error, skip the rest of the function, and declare its name to avoid follow-up errors.
            self.errors.push(*error);
            while self.c.peek() != Token::End && !(self.c.starts_line() && self.c.eat("}")) {
                self.c.skip_line();
            }
            empty_func(name)
        });
        self.scope = outer;
        let id = self.program.funcs.push(func);
        self.funcs.insert(name, id);
        if taken {
            let error = Diagnostic::new(Code::T003, format!("function `@{name}` is declared twice")).label(span, "");
            return Err(Box::new(error.note("`@main` is the program itself")));
        }
        Ok(())
    }

    fn func_parts(&mut self, name: &str) -> Result<Func> {
        let mut func = empty_func(name);
        self.c.expect("(")?;
        while !self.c.eat(")") {
            if !func.inputs.is_empty() {
                self.c.expect(",")?;
            }
            func.inputs.push(self.declaration()?);
        }
        self.c.expect("{")?;
        while matches!(self.c.peek(), Token::Value(_)) && self.errors.len() < MAX_ERRORS {
            let statement = self.c.clone();
            match self.op() {
                Ok(op) => func.body.push(self.program.ops.push(op)),
                Err(error) => self.recover(*error, statement),
            }
        }
        if !self.c.eat("return") {
            return Err(self.c.expected("an operation, or `return`"));
        }
        while !self.c.eat("}") {
            if !func.outputs.is_empty() {
                self.c.expect(",")?;
            }
            let output = self.result()?;
            if output.replaces.is_some() {
                return Err(self.c.error("only an output of the program itself replaces an input"));
            }
            func.outputs.push(output);
        }
        Ok(func)
    }

    fn param(&mut self) -> Result<()> {
        self.c.take();
        if self.c.eat("none") {
            self.program.has_no_params = true;
            return Ok(());
        }
        let name = self.c.clone();
        self.value_name("the parameter's name, `%name`")?;
        let span = self.c.span();
        let path = self.text("the parameter's path, in quotes")?;
        let kinds = [ParamKind::Frozen, ParamKind::State, ParamKind::Const];
        let kind = kinds.into_iter().find(|k| self.c.eat(k.name())).unwrap_or_default();
        let of = if self.c.eat("of") { Some(self.param_path()?) } else { None };
        let init_place = self.c.clone();
        let init = if self.c.eat("starts") { Some(Initializer::read(&mut self.c)?) } else { None };
        let ty = self.colon_type()?;
        if !ty.ty.dtype.is_float() && !matches!(init, None | Some(Initializer::Constant(_))) {
            return Err(init_place.error(format!("`{path}` is {}, and only floats are drawn", ty.ty)));
        }
        let value = self.declare(name, ty)?;
        self.main.inputs.push(value);
        let id = self.program.params.push(Param { path: path.clone(), kind, value, parent: of, init });
        if self.paths.insert(path.clone(), id).is_some() {
            let error = Diagnostic::new(Code::T003, format!("parameter `{path}` is declared twice")).label(span, "");
            return Err(Box::new(error));
        }
        Ok(())
    }

    fn output(&mut self) -> Result<()> {
        self.c.take();
        self.outputs_written = true;
        if let Token::Value(_) = self.c.peek() {
            let output = self.result()?;
            self.main.outputs.push(output);
        }
        Ok(())
    }

    fn op(&mut self) -> Result<Op> {
        let line = self.line_of(self.c.start());
        let mut names: SmallVec<[Cursor<'a>; 1]> = SmallVec::new();
        loop {
            names.push(self.c.clone());
            self.value_name("the name of a result, `%name`")?;
            if !self.c.eat(",") {
                break;
            }
        }
        self.c.expect("=")?;
        let mut head = self.c.clone();
        let kind = self.kind()?;
        let args = self.args()?;
        let kind = match kind {
            Some(kind) => kind,
            None => self.matmul(&args).map_err(|why| {
                head.take();
                Box::new(Diagnostic::new(Code::V001, why).label(head.span(), ""))
            })?,
        };
        let mut types: SmallVec<[Value; 1]> = SmallVec::new();
        types.push(self.colon_type()?);
        while self.c.eat(",") {
            types.push(self.bare_type()?);
        }
        if types.len() != names.len() {
            let what = format!("{} results are named, but {} types are given", names.len(), types.len());
            return Err(Box::new(Diagnostic::new(Code::T001, what).label(names[0].span(), "")));
        }
        if let Some(what) = literal_count_error(&kind, &types[0].ty) {
            return Err(Box::new(Diagnostic::new(Code::T004, what).label(names[0].span(), "")));
        }
        let phase = self.phase()?;
        let outs = names.into_iter().zip(types).map(|(name, ty)| self.declare(name, ty)).collect::<Result<Values>>()?;
        Ok(Op { kind, args, outs, phase, origin: Origin::new(line, "") })
    }

    /// Parses the name and attributes of an op. Returns `None` for a `matmul`, whose dimension numbers depend on the
    /// ranks of its operands.
    fn kind(&mut self) -> Result<Option<OpKind>> {
        let at = self.c.clone();
        let name = self.c.word("the name of an operation")?;
        if let Some(op) = UnaryOp::from_name(name) {
            return Ok(Some(Unary { op }.into()));
        }
        if let Some(op) = BinaryOp::from_name(name) {
            return Ok(Some(Binary { op }.into()));
        }
        if name == "matmul" {
            return Ok(None);
        }
        let first = MeshId::from_index(0);
        let mesh = if self.c.eat("on") { find_mesh(&mut self.c, &self.program.meshes)? } else { first };
        let funcs = &self.funcs;
        let names = AttrNames {
            mesh: self.program.meshes.get(mesh),
            func: &|_| String::new(),
            find_func: &|name| funcs.get(name).copied(),
        };
        match OpKind::read(name, &mut self.c, &names) {
            Some(kind) => kind.map(Some),
            None => {
                let error =
                    Diagnostic::new(Code::T002, format!("no operation is called `{name}`")).label(at.span(), "");
                let members = UnaryOp::ALL.map(UnaryOp::name).into_iter().chain(BinaryOp::ALL.map(BinaryOp::name));
                let all = members.chain(OpKind::NAMES.iter().copied()).chain(["matmul"]);
                Err(suggest(error, "an operation", name, "", at.span(), all))
            }
        }
    }

    fn args(&mut self) -> Result<Values> {
        let mut args = Values::new();
        if !matches!(self.c.peek(), Token::Value(_)) {
            return Ok(args);
        }
        loop {
            args.push(self.value_use()?);
            if !self.c.eat(",") {
                return Ok(args);
            }
        }
    }

    fn matmul(&self, args: &[ValueId]) -> std::result::Result<OpKind, String> {
        let &[lhs, rhs] = args else { return Err(format!("`matmul` needs two operands, not {}", args.len())) };
        let rank = |v| self.program.values.get(v).map_or(2, |v| v.ty.shape.rank());
        let (lhs, rhs) = (rank(lhs), rank(rhs));
        DotGeneral::matmul(lhs, rhs).map(OpKind::from).ok_or_else(|| {
            format!(
                "`matmul` of ranks {lhs} and {rhs} is not defined; use `dot_general` and name the contracted dimensions"
            )
        })
    }

    fn phase(&mut self) -> Result<Phase> {
        if !self.c.eat("phase") {
            return Ok(Phase::default());
        }
        let hit = Phase::ALL.into_iter().find(|p| self.c.eat(p.name()));
        hit.ok_or_else(|| self.c.expected("a phase (forward, backward_input, backward_weight, update)"))
    }

    /// Parses a result of a function, or an output of the program: the value, its user-visible name, and the parameter
    /// that it replaces.
    fn result(&mut self) -> Result<Output> {
        let own = self.c.peek();
        let value = self.value_use()?;
        let name = match (self.c.peek(), own) {
            (Token::Text(text), _) => {
                self.c.take();
                unquote(text).into()
            }
            (_, Token::Value(own)) => own.into(),
            _ => Name::default(),
        };
        let replaces = match (self.c.eat("->"), self.c.peek()) {
            (false, _) => None,
            (true, Token::Value(_)) => Some(self.value_use()?),
            (true, _) => {
                let param = self.param_path()?;
                Some(self.program.params[param].value)
            }
        };
        Ok(Output { value, name, replaces })
    }

    /// Parses and declares an input of a function: `%name: type`.
    fn declaration(&mut self) -> Result<ValueId> {
        let name = self.c.clone();
        self.value_name("a name, `%name`")?;
        let ty = self.colon_type()?;
        self.declare(name, ty)
    }

    /// Adds a value to the program, named by the token at the cursor `name`, and to the current scope.
    fn declare(&mut self, name: Cursor<'a>, value: Value) -> Result<ValueId> {
        let Token::Value(text) = name.peek() else { return Err(name.expected("a name")) };
        if let Some(&(_, at)) = self.scope.values.get(text) {
            let first = Span::new(name.source(), at..at + 1 + text.len());
            let error = Diagnostic::new(Code::T003, format!("`%{text}` is declared twice"));
            return Err(Box::new(error.label(name.span(), "declared again").context(first, "declared first")));
        }
        let id = self.program.values.push(Value { name: text.into(), ..value });
        self.scope.values.insert(text, (id, name.start()));
        Ok(id)
    }

    /// Parses the use of a value. For an undeclared name, an error is recorded and [`UNDECLARED`] returned, so that
    /// parsing continues.
    fn value_use(&mut self) -> Result<ValueId> {
        let at = self.c.clone();
        let name = self.value_name("a value, `%name`")?;
        if let Some(&(id, _)) = self.scope.values.get(name) {
            return Ok(id);
        }
        if self.scope.broken.insert(name) {
            let error = Diagnostic::new(Code::T002, format!("no value `%{name}` is declared before this line"));
            let known = self.program.values.values().rev().take(MAX_SUGGESTED_NAMES).map(|v| v.name.as_str());
            let known = known.filter(|n| self.scope.values.contains_key(n));
            self.errors.push(*suggest(error.label(at.span(), ""), "a value", name, "%", at.span(), known));
        }
        Ok(UNDECLARED)
    }

    /// Parses the path of a parameter that has been declared.
    fn param_path(&mut self) -> Result<ParamId> {
        let span = self.c.span();
        let path = self.text("the path of a parameter, in quotes")?;
        self.paths.get(&path).copied().ok_or_else(|| {
            let error = Diagnostic::new(Code::T002, format!("no parameter `{path}` is declared before this line"));
            let known = self.program.params.values().rev().take(MAX_SUGGESTED_NAMES).map(|p| p.path.as_str());
            let inside = Span::new(&span.source, span.range.start + 1..span.range.end.saturating_sub(1));
            suggest(error.label(span.clone(), ""), "a parameter", &path, "", inside, known)
        })
    }

    fn colon_type(&mut self) -> Result<Value> {
        self.c.expect(":")?;
        self.bare_type()
    }

    /// Parses a type. The resulting value has no name yet.
    fn bare_type(&mut self) -> Result<Value> {
        read_type(&mut self.c, &self.program.meshes)
    }

    fn value_name(&mut self, what: &str) -> Result<&'a str> {
        match self.c.peek() {
            Token::Value(name) if !name.is_empty() => {
                self.c.take();
                Ok(name)
            }
            _ => Err(self.c.expected(what)),
        }
    }

    fn symbol(&mut self, what: &str) -> Result<&'a str> {
        match self.c.peek() {
            Token::Symbol(name) if !name.is_empty() => {
                self.c.take();
                Ok(name)
            }
            _ => Err(self.c.expected(what)),
        }
    }

    fn text(&mut self, what: &str) -> Result<String> {
        match self.c.peek() {
            Token::Text(text) => {
                self.c.take();
                Ok(unquote(text))
            }
            _ => Err(self.c.expected(what)),
        }
    }

    /// Returns the line of a byte position, which must not precede earlier arguments.
    fn line_of(&mut self, byte: usize) -> u32 {
        let between = &self.c.source().text.as_bytes()[self.line.0..byte];
        self.line = (byte, self.line.1 + between.iter().filter(|&&b| b == b'\n').count() as u32);
        self.line.1
    }
}

fn empty_func(name: &str) -> Func {
    Func { name: name.into(), inputs: vec![], outputs: vec![], body: vec![] }
}

/// Adds the candidate most similar to a misspelt word, if any is similar enough.
fn suggest<'c>(
    error: Diagnostic,
    what: &str,
    word: &str,
    sign: &str,
    span: Span,
    candidates: impl IntoIterator<Item = &'c str>,
) -> Box<Diagnostic> {
    Box::new(match nearest(word, candidates) {
        Some(near) => error.fix(format!("there is {what} with a similar name"), span, format!("{sign}{near}")),
        None => error,
    })
}

fn bad_mesh(why: String, span: Span) -> Box<Diagnostic> {
    Box::new(Diagnostic::new(Code::L007, why).label(span, ""))
}

/// Returns a message if a constant has more or fewer numbers than its type has elements.
fn literal_count_error(kind: &OpKind, ty: &Type) -> Option<String> {
    let items = match kind.source()? {
        SourceOp::Constant(Constant { value: Literal::Dense(items) }) => items,
        SourceOp::Constant(Constant { value: Literal::Splat(_) }) | SourceOp::Iota(_) => return None,
    };
    let count = ty.shape.count();
    (items.len() != count).then(|| format!("{} numbers are listed, but {ty} has {count}", items.len()))
}
