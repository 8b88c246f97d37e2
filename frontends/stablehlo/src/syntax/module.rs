//! Parsing of modules and functions, in generic and custom form.

use super::MeshDef;
use super::attribute::{Attr, Attrs};
use super::parse::{Parser, Subject, unknown_op};
use super::{ParsedArg as Arg, ParsedFunc as Func, ParsedModule as Module, ParsedRegion as Region};
use crate::fault::{Fault, Result, excerpt};
use partita_ir::diag::Code;

impl<'a> Parser<'a> {
    /// Parses a file: aliases and a module.
    pub(super) fn file(&mut self) -> Result<Module<'a>> {
        let mut module = Module::default();
        while !self.cursor.at_end() {
            match self.cursor.peek() {
                b'#' => self.alias(&mut module)?,
                b'"' => self.generic_item(&mut module)?,
                _ if self.cursor.eat_word("module") => self.pretty_module(&mut module)?,
                _ => self.item(&mut module)?,
            }
        }
        if module.funcs.is_empty() {
            return Err(Fault::malformed("there is no function in the file", 0..0)
                .help("write the module with `jax.jit(f).lower(..).as_text()`"));
        }
        Ok(module)
    }

    /// Parses `#name = attribute`.
    fn alias(&mut self, module: &mut Module<'a>) -> Result<()> {
        let name = self.cursor.sigil(b'#', "an alias")?;
        self.cursor.expect(b'=', "and the definition of the alias")?;
        if self.cursor.rest().starts_with("loc(") {
            module.locations.insert(name, self.location()?);
            return Ok(());
        }
        let attr = self.attribute()?;
        self.aliases.insert(name, attr);
        Ok(())
    }

    /// Parses `module @name attributes {..} { items }`, after the word `module`.
    fn pretty_module(&mut self, module: &mut Module<'a>) -> Result<()> {
        if self.cursor.peek() == b'@' {
            self.cursor.symbol("the name of the module")?;
        }
        if self.cursor.eat_word("attributes") {
            self.optional_dictionary(&mut module.attrs)?;
        }
        self.cursor.expect(b'{', "before the functions of the module")?;
        while !self.cursor.eat(b'}') {
            self.item(module)?;
        }
        self.location()?;
        Ok(())
    }

    /// Parses a function or a mesh.
    fn item(&mut self, module: &mut Module<'a>) -> Result<()> {
        if self.cursor.peek() == b'"' {
            return self.generic_item(module);
        }
        let at = self.cursor.token_range();
        match self.cursor.name("a function or a mesh")? {
            "func.func" => {
                module.funcs.push(self.func()?);
                Ok(())
            }
            "sdy.mesh" => {
                let at = self.cursor.token_range();
                let name = self.cursor.symbol("the name of the mesh")?;
                self.cursor.expect(b'=', "and the axes of the mesh")?;
                self.cursor.expect(b'<', "before the axes of the mesh")?;
                module.meshes.push(self.mesh_body(name, at)?);
                self.cursor.expect(b'>', "after the mesh")?;
                self.optional_dictionary(&mut Attrs::new())?;
                self.location()?;
                Ok(())
            }
            word if word.contains('.') => Err(unknown_op(word, at)),
            word => {
                let title = format!("expected a module of StableHLO, found `{}`", excerpt(word));
                Err(Fault::malformed(title, at).help("write the module with `jax.jit(f).lower(..).as_text()`"))
            }
        }
    }

    /// Parses `func.func public @name(args) -> results attributes {..} { body }`, after the word `func.func`.
    fn func(&mut self) -> Result<Func<'a>> {
        let private = self.cursor.eat_word("private");
        let _public = self.cursor.eat_word("public") || self.cursor.eat_word("nested");
        let at = self.cursor.token_range();
        let name = self.cursor.symbol("the name of the function")?;
        self.enter_func();
        let mut func = Func {
            name,
            private,
            at: at.start..at.start + name.len() + 1,
            arg_attrs: Vec::new(),
            result_attrs: Vec::new(),
            results: Vec::new(),
            body: Region::default(),
            values: Vec::new(),
            arg_names: Vec::new(),
            result_names: Vec::new(),
        };
        self.cursor.expect(b'(', "before the arguments")?;
        while !self.cursor.eat(b')') {
            let arg = self.arg()?;
            let mut attrs = Attrs::new();
            self.optional_dictionary(&mut attrs)?;
            func.arg_attrs.push(attrs);
            func.body.args.push(Arg { location: self.location()?, ..arg });
            self.comma_or(b')', "in the arguments of a function")?;
        }
        if self.cursor.eat_arrow() {
            self.func_results(&mut func)?;
        }
        if self.cursor.eat_word("attributes") {
            self.dictionary()?;
        }
        if self.cursor.peek() == b'{' {
            self.cursor.expect(b'{', "before the body")?;
            func.body.ops = self.nested(|p| p.ops_until_brace())?;
        }
        self.location()?;
        func.values = self.leave_func();
        Ok(func)
    }

    /// Parses `(T {attributes}, T)` or `T`.
    fn func_results(&mut self, func: &mut Func<'a>) -> Result<()> {
        self.subject = Subject::Function(func.name);
        if !self.cursor.eat(b'(') {
            func.result_attrs.push(Attrs::new());
            func.results.push(self.located_type()?);
            return Ok(());
        }
        while !self.cursor.eat(b')') {
            func.results.push(self.located_type()?);
            let mut entries = Attrs::new();
            self.optional_dictionary(&mut entries)?;
            func.result_attrs.push(entries);
            self.location()?;
            self.comma_or(b')', "in the results of a function")?;
        }
        Ok(())
    }

    /// Parses `"builtin.module"`, `"func.func"` or `"sdy.mesh"` in generic form.
    fn generic_item(&mut self, module: &mut Module<'a>) -> Result<()> {
        let at = self.cursor.token_range();
        let start = self.cursor.offset();
        let name = self.cursor.string("an operation")?;
        self.cursor.expect(b'(', "before the operands")?;
        self.cursor.expect(b')', "after the operands")?;
        let mut attrs = Attrs::new();
        self.properties(&mut attrs)?;
        self.enter_func();
        let mut bodies = Vec::new();
        match name {
            "builtin.module" => {
                self.cursor.expect(b'(', "before the region of the module")?;
                self.cursor.expect(b'{', "before the functions of the module")?;
                while !self.cursor.eat(b'}') {
                    self.nested(|p| p.item(module))?;
                }
                self.cursor.expect(b')', "after the region of the module")?;
            }
            "func.func" => self.regions(&mut bodies)?,
            "sdy.mesh" => {}
            _ => return Err(unknown_op(name, at.start..self.cursor.offset())),
        }
        self.optional_dictionary(&mut attrs)?;
        self.cursor.expect(b':', "and the type of the operation")?;
        self.skip_type()?;
        self.location()?;
        let find = |key: &str| attrs.iter().find(|(k, _)| *k == key).map(|(_, a)| a);
        let symbol = find("sym_name").and_then(Attr::as_str).unwrap_or_default();
        let at = start..start + name.len() + 2;
        match name {
            "builtin.module" => module.attrs = attrs,
            "sdy.mesh" => match find("mesh") {
                Some(Attr::Mesh(mesh)) => module.meshes.push(MeshDef { name: symbol, at, ..(**mesh).clone() }),
                _ => return Err(Fault::malformed("`sdy.mesh` without its `mesh`", at)),
            },
            _ => {
                let body = bodies.pop().unwrap_or_default();
                let attrs_of = |key| match find(key) {
                    Some(Attr::List(items)) => {
                        items.iter().map(|i| i.as_dict().unwrap_or_default().iter().cloned().collect()).collect()
                    }
                    _ => Vec::new(),
                };
                let private = find("sym_visibility").and_then(Attr::as_str) == Some("private");
                let (arg_attrs, result_attrs) = (attrs_of("arg_attrs"), attrs_of("res_attrs"));
                let Some(Attr::Function(ty)) = find("function_type") else {
                    return Err(Fault::malformed(format!("the function `@{symbol}` has no `function_type`"), at));
                };
                let results = ty.1.to_vec();
                let values = self.leave_func();
                let func = Func {
                    name: symbol,
                    private,
                    at,
                    arg_attrs,
                    result_attrs,
                    results,
                    body,
                    values,
                    arg_names: Vec::new(),
                    result_names: Vec::new(),
                };
                let types = func.body.args.iter().map(|arg| &arg.ty);
                if !func.body.ops.is_empty() && !types.eq(ty.0.iter().map(|written| &written.ty)) {
                    let title = format!("the arguments of `@{symbol}` do not have the types of its `function_type`");
                    let place = ty.0.first().map_or_else(|| func.at.clone(), |written| written.at.clone());
                    let fault = Fault::new(Code::V001, title, place).label("the types of the arguments");
                    return Err(match func.body.args.first() {
                        Some(arg) => fault.context(arg.at.clone(), "the arguments themselves"),
                        None => fault,
                    });
                }
                module.funcs.push(func);
            }
        }
        Ok(())
    }
}
