//! The top-level modules of a crate, and the paths from one to another.
//!
//! Files are found as rustc finds them, by following `mod`; test modules are ignored. A path counts wherever it is
//! written: in `use`, in an expression or a type, or among the tokens of a macro call. A path refers to a module if it
//! begins with `crate::` or enough `super::`; if the next name is not a module but is imported or re-exported by the
//! root, the path refers to the module that defines it. Items of the root itself belong to no module.

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use syn::punctuated::Punctuated;
use syn::{Attribute, Item, ItemMod, Meta, Token, UseTree};

/// The top-level modules of a crate.
pub struct Modules {
    pub names: Vec<String>,
    /// Paths from one module to another, as written in the files.
    pub references: Vec<Reference>,
}

/// A path from one top-level module to another.
#[derive(Debug)]
pub struct Reference {
    pub from: String,
    pub to: String,
    /// File and line.
    place: String,
    /// The path as written.
    path: String,
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} -> {}  {}: {}", self.from, self.to, self.place, self.path)
    }
}

/// Reads a file.
type LoadFile<'a> = &'a dyn Fn(&Path) -> io::Result<String>;

impl Modules {
    /// Reads the modules of a crate from its root file, which is relative to `folder`.
    pub fn read(folder: &Path, root: &Path, load: LoadFile<'_>) -> Result<Modules, String> {
        let items = parse(folder, root, load)?;
        let mut reader = PathCollector { folder, load, found: Vec::new(), macros: BTreeMap::new() };
        let mut names = Vec::new();
        for item in &items {
            if let Item::Mod(module) = item
                && !is_test(module)
            {
                names.push(module.ident.to_string());
                reader.module(module, &Scope::from_root_file(root))?;
            }
        }
        let mut imports = reader.macros;
        for item in &items {
            if let Item::Use(item) = item {
                collect_imports(&item.tree, None, &names, &mut imports)
                    .map_err(|why| format!("{}: {why}", root.display()))?;
            }
        }
        let resolved = reader.found.into_iter().filter_map(|mut reference| {
            let named = imports.get(&reference.to).filter(|_| !names.contains(&reference.to));
            reference.to = named.unwrap_or(&reference.to).clone();
            (names.contains(&reference.to) && reference.to != reference.from).then_some(reference)
        });
        Ok(Modules { references: resolved.collect(), names })
    }

    /// Returns the edges from the user to the dependency.
    pub fn edges(&self) -> impl Iterator<Item = (&str, &str)> {
        self.references.iter().map(|r| (r.from.as_str(), r.to.as_str()))
    }
}

/// Location of a module.
struct Scope {
    /// Path from the root.
    path: Vec<String>,
    /// File that contains the module.
    file: PathBuf,
    /// Folder of the files of its submodules.
    folder: PathBuf,
}

impl Scope {
    fn from_root_file(file: &Path) -> Scope {
        let folder = file.parent().unwrap_or(Path::new("")).to_owned();
        Scope { path: Vec::new(), file: file.to_owned(), folder }
    }
}

struct PathCollector<'a> {
    folder: &'a Path,
    load: LoadFile<'a>,
    /// Paths to items of the root; `to` is the name in the root.
    found: Vec<Reference>,
    /// The defining module of each exported macro, which is visible at the root.
    macros: BTreeMap<String, String>,
}

impl PathCollector<'_> {
    fn module(&mut self, module: &ItemMod, parent: &Scope) -> Result<(), String> {
        let name = module.ident.to_string();
        let folder = parent.folder.join(&name);
        let path = [&parent.path[..], &[name]].concat();
        if let Some((_, items)) = &module.content {
            return self.items(items, &Scope { path, file: parent.file.clone(), folder });
        }
        let beside = folder.with_extension("rs");
        let file = if (self.load)(&self.folder.join(&beside)).is_ok() { beside } else { folder.join("mod.rs") };
        let items = parse(self.folder, &file, self.load)?;
        self.items(&items, &Scope { path, file, folder })
    }

    fn items(&mut self, items: &[Item], scope: &Scope) -> Result<(), String> {
        for item in items {
            match item {
                Item::Mod(module) if is_test(module) => {}
                Item::Mod(module) => self.module(module, scope)?,
                item => {
                    if let Item::Macro(syn::ItemMacro { attrs, ident: Some(name), .. }) = item
                        && attrs.iter().any(|attr| attr.path().is_ident("macro_export"))
                    {
                        self.macros.insert(name.to_string(), scope.path[0].clone());
                    }
                    for_each_path(item.to_token_stream(), &mut |path| self.record(path, scope));
                }
            }
        }
        Ok(())
    }

    /// Records a path that refers to an item of the root.
    fn record(&mut self, path: &[Ident], scope: &Scope) {
        let depth = scope.path.len();
        let up = path.iter().take_while(|name| *name == "super").count();
        let root = if path[0] == "crate" { 1 } else { depth };
        let leads_to_root = path[0] == "crate" || up == depth;
        if let (true, Some(to)) = (leads_to_root, path.get(root)) {
            let words: Vec<String> = path.iter().map(Ident::to_string).collect();
            self.found.push(Reference {
                from: scope.path[0].clone(),
                to: to.to_string(),
                place: format!("{}:{}", scope.file.display(), to.span().start().line),
                path: words.join("::"),
            });
        }
    }
}

fn parse(folder: &Path, file: &Path, load: LoadFile<'_>) -> Result<Vec<Item>, String> {
    let text = load(&folder.join(file)).map_err(|e| format!("{}: {e}", file.display()))?;
    Ok(syn::parse_file(&text).map_err(|e| format!("{}:{}: {e}", file.display(), e.span().start().line))?.items)
}

/// Returns true if a module is compiled for tests only.
fn is_test(module: &ItemMod) -> bool {
    let is_for_test =
        |attr: &Attribute| attr.path().is_ident("cfg") && attr.parse_args().is_ok_and(|on| needs_test(&on));
    module.ident == "tests" || module.attrs.iter().any(is_for_test)
}

/// Returns true if a condition is satisfied in tests only.
fn needs_test(condition: &Meta) -> bool {
    match condition {
        Meta::List(list) if list.path.is_ident("all") => {
            let all = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
            all.is_ok_and(|all| all.iter().any(needs_test))
        }
        condition => condition.path().is_ident("test"),
    }
}

/// Calls `found` with each path that begins with `crate` or `super`; the paths of a group are separate calls.
fn for_each_path(tokens: TokenStream, found: &mut dyn FnMut(&[Ident])) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        match token {
            TokenTree::Ident(name) if name == "crate" || name == "super" => at = path_at(&tokens, at, &[], found),
            TokenTree::Group(group) => {
                for_each_path(group.stream(), found);
                at += 1;
            }
            _ => at += 1,
        }
    }
}

/// Calls `found` with the path that begins at token `at`, prefixed by `before`; returns the index of its end.
fn path_at(tokens: &[TokenTree], mut at: usize, before: &[Ident], found: &mut dyn FnMut(&[Ident])) -> usize {
    let is_colon = |at: usize| matches!(tokens.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
    let mut path = before.to_vec();
    while let Some(TokenTree::Ident(name)) = tokens.get(at) {
        path.push(name.clone());
        at += 1;
        if !(is_colon(at) && is_colon(at + 1)) {
            break;
        }
        at += 2;
        if let Some(TokenTree::Group(group)) = tokens.get(at)
            && group.delimiter() == Delimiter::Brace
        {
            let inner: Vec<TokenTree> = group.stream().into_iter().collect();
            let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ',');
            inner.split(is_comma).for_each(|part| _ = path_at(part, 0, &path, found));
            return at + 1;
        }
    }
    if !path.is_empty() {
        found(&path);
    }
    at
}

/// Adds the imports of the root that rename or re-export items of modules, each with its module.
fn collect_imports(
    tree: &UseTree,
    module: Option<&str>,
    modules: &[String],
    imports: &mut BTreeMap<String, String>,
) -> Result<(), String> {
    match (tree, module) {
        (UseTree::Path(path), None) => {
            let name = path.ident.to_string();
            let first = modules.contains(&name).then_some(name.as_str());
            if first.is_some() || name == "self" || name == "crate" {
                collect_imports(&path.tree, first, modules, imports)?;
            }
        }
        (UseTree::Path(path), Some(_)) => collect_imports(&path.tree, module, modules, imports)?,
        (UseTree::Group(group), _) => {
            group.items.iter().try_for_each(|tree| collect_imports(tree, module, modules, imports))?;
        }
        (UseTree::Name(name), Some(module)) => _ = imports.insert(name.ident.to_string(), module.to_owned()),
        (UseTree::Rename(name), Some(module)) => _ = imports.insert(name.rename.to_string(), module.to_owned()),
        (UseTree::Glob(_), Some(module)) => return Err(format!("list the items of `{module}` instead of `*`")),
        (_, None) => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests;
