//! The top-level modules of a crate, and the paths from one to another.
//!
//! Files are found as rustc finds them, from `mod` to `mod`; modules of tests are left out. A path counts wherever it
//! is written: in `use`, in an expression or a type, or among the tokens that a macro is given. It leads to a module if
//! it begins with `crate::` or enough `super::`; where the next name is no module, but is imported or re-exported by
//! the root, it leads to the module that this comes from. Items of the root itself belong to no module.

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
    /// Paths from one to another, as they stand in the files.
    pub references: Vec<Reference>,
}

/// A path that leads from one top-level module to another.
#[derive(Debug)]
pub struct Reference {
    pub from: String,
    pub to: String,
    /// File and line.
    place: String,
    /// The path as it is written.
    path: String,
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} -> {}  {}: {}", self.from, self.to, self.place, self.path)
    }
}

/// Reads a file.
type Load<'a> = &'a dyn Fn(&Path) -> io::Result<String>;

impl Modules {
    /// Reads the modules of a crate from its root file, which is named relative to a folder.
    pub fn read(folder: &Path, root: &Path, load: Load<'_>) -> Result<Modules, String> {
        let items = parse(folder, root, load)?;
        let mut reader = Reader { folder, load, found: Vec::new(), macros: BTreeMap::new() };
        let mut names = Vec::new();
        for item in &items {
            if let Item::Mod(module) = item
                && !is_test(module)
            {
                names.push(module.ident.to_string());
                reader.module(module, &Scope::of_root(root))?;
            }
        }
        let mut imports = reader.macros;
        for item in &items {
            if let Item::Use(item) = item {
                imported(&item.tree, None, &names, &mut imports).map_err(|why| format!("{}: {why}", root.display()))?;
            }
        }
        let resolved = reader.found.into_iter().filter_map(|mut reference| {
            let named = imports.get(&reference.to).filter(|_| !names.contains(&reference.to));
            reference.to = named.unwrap_or(&reference.to).clone();
            (names.contains(&reference.to) && reference.to != reference.from).then_some(reference)
        });
        Ok(Modules { references: resolved.collect(), names })
    }

    /// From the user to what is used.
    pub fn edges(&self) -> impl Iterator<Item = (&str, &str)> {
        self.references.iter().map(|r| (r.from.as_str(), r.to.as_str()))
    }
}

/// Where a module is.
struct Scope {
    /// Its path from the root.
    path: Vec<String>,
    /// The file that it is written in.
    file: PathBuf,
    /// The folder with the files of its modules.
    folder: PathBuf,
}

impl Scope {
    fn of_root(file: &Path) -> Scope {
        let folder = file.parent().unwrap_or(Path::new("")).to_owned();
        Scope { path: Vec::new(), file: file.to_owned(), folder }
    }
}

struct Reader<'a> {
    folder: &'a Path,
    load: Load<'a>,
    /// Every path that leads to something of the root: `to` is the name that it has there.
    found: Vec<Reference>,
    /// Exported macros, which are found at the root, by the module that defines them.
    macros: BTreeMap<String, String>,
}

impl Reader<'_> {
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
                    paths_in(item.to_token_stream(), &mut |path| self.note(path, scope));
                }
            }
        }
        Ok(())
    }

    /// Notes a path that leads to something of the root.
    fn note(&mut self, path: &[Ident], scope: &Scope) {
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

fn parse(folder: &Path, file: &Path, load: Load<'_>) -> Result<Vec<Item>, String> {
    let text = load(&folder.join(file)).map_err(|e| format!("{}: {e}", file.display()))?;
    Ok(syn::parse_file(&text).map_err(|e| format!("{}:{}: {e}", file.display(), e.span().start().line))?.items)
}

/// Whether a module is there for tests only.
fn is_test(module: &ItemMod) -> bool {
    let is_for_test =
        |attr: &Attribute| attr.path().is_ident("cfg") && attr.parse_args().is_ok_and(|on| needs_test(&on));
    module.ident == "tests" || module.attrs.iter().any(is_for_test)
}

/// Whether a condition holds in tests only.
fn needs_test(condition: &Meta) -> bool {
    match condition {
        Meta::List(list) if list.path.is_ident("all") => {
            let all = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
            all.is_ok_and(|all| all.iter().any(needs_test))
        }
        condition => condition.path().is_ident("test"),
    }
}

/// Calls back with each path that begins with `crate` or `super`; those of a group one by one.
fn paths_in(tokens: TokenStream, found: &mut dyn FnMut(&[Ident])) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        match token {
            TokenTree::Ident(name) if name == "crate" || name == "super" => at = path_at(&tokens, at, &[], found),
            TokenTree::Group(group) => {
                paths_in(group.stream(), found);
                at += 1;
            }
            _ => at += 1,
        }
    }
}

/// Calls back with the path that begins at a token, behind those names; returns where it ends.
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

/// Adds the names that an import of the root gives to what is in modules, each with the module.
fn imported(
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
                imported(&path.tree, first, modules, imports)?;
            }
        }
        (UseTree::Path(path), Some(_)) => imported(&path.tree, module, modules, imports)?,
        (UseTree::Group(group), _) => {
            group.items.iter().try_for_each(|tree| imported(tree, module, modules, imports))?;
        }
        (UseTree::Name(name), Some(module)) => _ = imports.insert(name.ident.to_string(), module.to_owned()),
        (UseTree::Rename(name), Some(module)) => _ = imports.insert(name.rename.to_string(), module.to_owned()),
        (UseTree::Glob(_), Some(module)) => return Err(format!("name what is used of `{module}` instead of `*`")),
        (_, None) => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests;
