//! Rejected names: type names defined twice in a crate, associated functions whose name does not state what they
//! return, and constants whose name states neither what they limit nor its unit.

use std::collections::BTreeMap;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, Ident, ImplItem, Meta};

/// Associated function names that consist of a preposition or quantifier alone.
const VAGUE_FUNCTIONS: [&str; 4] = ["of", "at", "on", "all"];

/// Words that describe a quantity without naming it. A constant name that consists of such words alone is rejected.
const VAGUE_WORDS: [&str; 22] = [
    "ALONE", "CLOSE", "CLOSER", "ENOUGH", "FAR", "FEW", "LARGE", "LEAST", "LITTLE", "LONG", "LONGEST", "MANY", "MORE",
    "MOST", "MUCH", "NEAR", "OFTEN", "SHORT", "SMALL", "SMALLEST", "SOME", "WORTH",
];

/// Type names defined by a file, and complaints about its names.
#[derive(Default)]
pub(crate) struct Names {
    /// Name and line of each struct, enum, trait and type alias outside of functions.
    pub(crate) types: Vec<(String, usize)>,
    /// Line and complaint.
    pub(crate) found: Vec<(usize, String)>,
}

/// Collects the names that a file defines outside of tests. Errors: the text is not valid Rust.
pub(crate) fn check(text: &str) -> syn::Result<Names> {
    let mut names = Names::default();
    names.visit_file(&syn::parse_file(text)?);
    names.found.sort();
    Ok(names)
}

/// Returns a complaint for each type name that a crate defines more than once, as `place: complaint`. An element of
/// `types` is the crate's folder, the name, and the place.
pub(crate) fn duplicates(types: &[(String, String, String)]) -> Vec<String> {
    let mut places: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for (folder, name, place) in types {
        places.entry((folder, name)).or_default().push(place);
    }
    let several = places.into_iter().filter(|(_, places)| places.len() > 1);
    several
        .map(|((_, name), places)| format!("{}: `{name}` is also defined in {}", places[0], places[1..].join(", ")))
        .collect()
}

impl Names {
    fn add(&mut self, name: &Ident) {
        self.types.push((name.to_string(), name.span().start().line));
    }
}

impl<'ast> Visit<'ast> for Names {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !item.attrs.iter().any(is_test) {
            visit::visit_item_mod(self, item);
        }
    }

    /// Skips function bodies, whose types are local.
    fn visit_block(&mut self, _: &'ast syn::Block) {}

    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.add(&item.ident);
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.add(&item.ident);
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.add(&item.ident);
    }

    fn visit_item_type(&mut self, item: &'ast syn::ItemType) {
        self.add(&item.ident);
    }

    fn visit_item_const(&mut self, item: &'ast syn::ItemConst) {
        let name = item.ident.to_string();
        if name.split('_').all(|word| VAGUE_WORDS.contains(&word)) {
            let complaint = format!("`{name}`: name the quantity and its unit, such as `MAX_CANDIDATES`");
            self.found.push((item.span().start().line, complaint));
        }
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        if item.trait_.is_some() || item.attrs.iter().any(is_test) {
            return;
        }
        for function in item.items.iter().filter_map(|item| if let ImplItem::Fn(f) = item { Some(f) } else { None }) {
            let name = function.sig.ident.to_string();
            if VAGUE_FUNCTIONS.contains(&name.as_str()) {
                let complaint = format!("`fn {name}`: name what it returns, such as `from_{name}`, `new`, or a noun");
                self.found.push((function.sig.span().start().line, complaint));
            }
        }
    }
}

/// Returns true for `#[cfg(test)]`.
fn is_test(attribute: &Attribute) -> bool {
    matches!(&attribute.meta, Meta::List(list) if list.path.is_ident("cfg") && list.tokens.to_string() == "test")
}

#[cfg(test)]
mod tests {
    use super::{check, duplicates};

    #[test]
    fn vague_names_are_found() {
        let text = "const FEW: u8 = 3;\nconst MOST_RANKS: u8 = 3;\nstruct S;\nimpl S {\n    pub fn of() {}\n    fn shape_of() {}\n}\nimpl T for S {\n    fn at() {}\n}\n";
        let lines: Vec<usize> = check(text).unwrap_or_default().found.into_iter().map(|(line, _)| line).collect();
        assert_eq!(lines, [1, 5]);
    }

    #[test]
    fn duplicate_types_are_found() {
        let names = check(
            "struct A;\nmod m {\n    enum B {}\n    fn f() {\n        struct A;\n    }\n}\n#[cfg(test)]\nmod tests {\n    struct A;\n}\n",
        );
        let types = names.unwrap_or_default().types;
        assert_eq!(types, [("A".to_owned(), 1), ("B".to_owned(), 3)]);
        let row = |folder: &str, name: &str, place: &str| (folder.to_owned(), name.to_owned(), place.to_owned());
        let all = [row("ir", "A", "ir/a.rs:1"), row("ir", "A", "ir/b.rs:2"), row("cost", "A", "cost/a.rs:1")];
        assert_eq!(duplicates(&all), ["ir/a.rs:1: `A` is also defined in ir/b.rs:2"]);
    }
}
