//! Check that code handles every operation: no pattern may silently skip ops that are added later.
//!
//! The rule covers the enums of [`WATCHED_ENUMS`]. It rejects a `match` in which one arm names a variant and another
//! arm matches any variant in the same position (`_`, a binding, `..`), and every test of single variants: `if let`,
//! Patterns nested in tuples, options, references and structs are checked, too. Imports that rename an enum or import
//! its variants are rejected, since their patterns could not be recognised.
//!
//! A recogniser is code that looks for a pattern that it can improve and leaves every other program unchanged. It is
//! exempt when its documentation (of the function, the `impl`, or the file) has a line `Recogniser: ` with the reason
//! why a program that it does not recognise is still handled correctly. Tests are exempt.

use std::collections::{BTreeMap, BTreeSet};
use syn::parse::{Parse, ParseStream, Parser};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, BinOp, Expr, Member, Meta, Pat, Path, Token, UseTree};

/// The enums that code must match exhaustively.
pub const WATCHED_ENUMS: [&str; 9] =
    ["OpKind", "UnaryOp", "BinaryOp", "Collective", "DeviceOp", "LayoutOp", "SourceOp", "Control", "CollectiveKind"];

/// Prefix of the documentation line that states why a recogniser may ignore ops.
const RECOGNISER_PREFIX: &str = "Recogniser: ";

/// The findings in one file.
#[derive(Default, Debug)]
pub struct Report {
    /// Line and complaint, in file order.
    pub found: Vec<(usize, String)>,
    /// Line and stated reason of each recogniser that needs its exemption.
    pub recognisers: BTreeSet<(usize, String)>,
}

/// Checks a file. Errors: the text is not valid Rust.
pub fn check(text: &str) -> syn::Result<Report> {
    let file = syn::parse_file(text)?;
    let mut visitor = Visitor { report: Report::default(), reasons: Vec::new(), owner: None };
    visitor.visit_documented(&file.attrs, |visitor| visit::visit_file(visitor, &file));
    visitor.report.found.sort();
    Ok(visitor.report)
}

struct Visitor {
    report: Report,
    /// Line and reason of the enclosing recognisers, the innermost last.
    reasons: Vec<(usize, String)>,
    /// The watched enum that `Self` denotes in the enclosing `impl`.
    owner: Option<&'static str>,
}

impl Visitor {
    /// Visits an item with the given attributes.
    fn visit_documented(&mut self, attributes: &[Attribute], visit: impl FnOnce(&mut Self)) {
        if attributes.iter().any(is_test) {
            return;
        }
        let depth = self.reasons.len();
        self.reasons.extend(attributes.iter().filter_map(recogniser_reason));
        visit(self);
        self.reasons.truncate(depth);
    }

    /// Reports a pattern that does not cover all variants, or records the exemption of the enclosing recogniser.
    fn report_incomplete(&mut self, node: &impl Spanned, name: &str, form: &str) {
        match self.reasons.last() {
            Some(reason) => drop(self.report.recognisers.insert(reason.clone())),
            None => self.complain(node, format!("{form} does not cover every kind of `{name}`: list all variants")),
        }
    }

    fn complain(&mut self, node: &impl Spanned, text: String) {
        self.report.found.push((node.span().start().line, text));
    }

    /// Reports each watched enum of which a test of single variants names a variant.
    fn report_single_variants(&mut self, pattern: &Pat, form: &str) {
        let mut positions = Positions::new(self.owner);
        positions.visit_arm(pattern);
        for name in positions.named.into_values().collect::<BTreeSet<_>>() {
            self.report_incomplete(pattern, name, form);
        }
    }
}

impl<'ast> Visit<'ast> for Visitor {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.visit_documented(&item.attrs, |visitor| visit::visit_item_fn(visitor, item));
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.visit_documented(&item.attrs, |visitor| visit::visit_impl_item_fn(visitor, item));
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        self.visit_documented(&item.attrs, |visitor| visit::visit_trait_item_fn(visitor, item));
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        self.visit_documented(&item.attrs, |visitor| visit::visit_item_mod(visitor, item));
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        let owner =
            if let syn::Type::Path(path) = &*item.self_ty { watched_name(path.path.segments.last()) } else { None };
        let outer = std::mem::replace(&mut self.owner, owner);
        self.visit_documented(&item.attrs, |visitor| visit::visit_item_impl(visitor, item));
        self.owner = outer;
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        if !item.attrs.iter().any(is_test) && is_rename(&item.tree) {
            self.complain(item, "import the enum without renaming it, not its variants".into());
        }
    }

    fn visit_expr_match(&mut self, expr: &'ast syn::ExprMatch) {
        let mut positions = Positions::new(self.owner);
        for arm in &expr.arms {
            // A guarded arm is not a catch-all.
            positions.has_guard = arm.guard.is_some();
            positions.visit_arm(&arm.pat);
        }
        for (position, name) in &positions.named {
            if positions.open.iter().any(|open| position.starts_with(open)) {
                self.report_incomplete(expr, name, "a catch-all arm");
            }
        }
        visit::visit_expr_match(self, expr);
    }

    fn visit_expr_let(&mut self, expr: &'ast syn::ExprLet) {
        self.report_single_variants(&expr.pat, "`if let`");
        visit::visit_expr_let(self, expr);
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        if local.init.as_ref().is_some_and(|init| init.diverge.is_some()) {
            self.report_single_variants(&local.pat, "`let ... else`");
        }
        visit::visit_local(self, local);
    }

    fn visit_expr_binary(&mut self, expr: &'ast syn::ExprBinary) {
        if matches!(expr.op, BinOp::Eq(_) | BinOp::Ne(_)) {
            for side in [&expr.left, &expr.right] {
                if let Some(name) = variant_named(side, self.owner) {
                    self.report_incomplete(expr, name, "a comparison");
                }
            }
        }
        visit::visit_expr_binary(self, expr);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        if call.path.is_ident("matches") {
            match call.parse_body::<MatchesArguments>() {
                Ok(MatchesArguments { value, pattern, guard }) => {
                    self.report_single_variants(&pattern, "`matches!`");
                    self.visit_expr(&value);
                    if let Some(guard) = guard {
                        self.visit_expr(&guard);
                    }
                }
                Err(_) => self.complain(call, "cannot parse this `matches!`".into()),
            }
        } else {
            // Most macros take comma-separated expressions; the arguments of others are not checked.
            let parse = syn::punctuated::Punctuated::<Expr, Token![,]>::parse_terminated;
            if let Ok(arguments) = parse.parse2(call.tokens.clone()) {
                // The arguments live until the end of this call, which is all that the visitor requires.
                arguments.iter().for_each(|argument| Visitor::visit_expr(self, argument));
            }
        }
    }
}

/// The arguments of `matches!`.
struct MatchesArguments {
    value: Expr,
    pattern: Pat,
    guard: Option<Expr>,
}

impl Parse for MatchesArguments {
    fn parse(input: ParseStream<'_>) -> syn::Result<MatchesArguments> {
        let value = input.parse()?;
        input.parse::<Token![,]>()?;
        let pattern = Pat::parse_multi_with_leading_vert(input)?;
        let guard = if input.parse::<Option<Token![if]>>()?.is_some() { Some(input.parse()?) } else { None };
        input.parse::<Option<Token![,]>>()?;
        Ok(MatchesArguments { value, pattern, guard })
    }
}

/// Path from the matched value to a nested pattern, such as `["0", "Some", "0"]`.
type Position = Vec<String>;

/// Positions at which the arms of a `match` name variants of watched enums, and positions at which they match any
/// variant.
struct Positions {
    owner: Option<&'static str>,
    has_guard: bool,
    named: BTreeMap<Position, &'static str>,
    open: Vec<Position>,
}

impl Positions {
    fn new(owner: Option<&'static str>) -> Positions {
        Positions { owner, has_guard: false, named: BTreeMap::new(), open: Vec::new() }
    }

    fn visit_arm(&mut self, pattern: &Pat) {
        self.visit_pattern(&mut Vec::new(), pattern);
    }

    fn visit_pattern(&mut self, position: &mut Position, pattern: &Pat) {
        match pattern {
            Pat::Wild(_) | Pat::Rest(_) => self.record_catch_all(position),
            Pat::Ident(ident) => match &ident.subpat {
                Some((_, inner)) => self.visit_pattern(position, inner),
                // `None` and constants.
                None if ident.ident.to_string().starts_with(char::is_uppercase) => {}
                None => self.record_catch_all(position),
            },
            Pat::Or(or) => or.cases.iter().for_each(|case| self.visit_pattern(position, case)),
            Pat::Paren(inner) => self.visit_pattern(position, &inner.pat),
            Pat::Reference(inner) => self.visit_pattern(position, &inner.pat),
            Pat::Type(inner) => self.visit_pattern(position, &inner.pat),
            Pat::Path(path) => self.record_variant(position, &path.path),
            Pat::TupleStruct(tuple) => {
                self.record_variant(position, &tuple.path);
                position.extend(tuple.path.segments.last().map(|name| name.ident.to_string()));
                self.visit_elements(position, tuple.elems.iter());
                position.pop();
            }
            Pat::Struct(fields) => {
                self.record_variant(position, &fields.path);
                position.extend(fields.path.segments.last().map(|name| name.ident.to_string()));
                for field in &fields.fields {
                    position.push(match &field.member {
                        Member::Named(name) => name.to_string(),
                        Member::Unnamed(index) => index.index.to_string(),
                    });
                    self.visit_pattern(position, &field.pat);
                    position.pop();
                }
                position.pop();
            }
            Pat::Tuple(tuple) => self.visit_elements(position, tuple.elems.iter()),
            Pat::Slice(slice) => self.visit_elements(position, slice.elems.iter()),
            _ => {}
        }
    }

    fn visit_elements<'p>(&mut self, position: &mut Position, patterns: impl Iterator<Item = &'p Pat>) {
        for (n, pattern) in patterns.enumerate() {
            if matches!(pattern, Pat::Rest(_)) {
                break;
            }
            position.push(n.to_string());
            self.visit_pattern(position, pattern);
            position.pop();
        }
    }

    fn record_variant(&mut self, position: &Position, path: &Path) {
        if let Some(name) = watched_enum(path, self.owner) {
            self.named.insert(position.clone(), name);
        }
    }

    fn record_catch_all(&mut self, position: &Position) {
        if !self.has_guard {
            self.open.push(position.clone());
        }
    }
}

/// Returns the watched enum of which a path names a variant: the path's last segment but one.
fn watched_enum(path: &Path, owner: Option<&'static str>) -> Option<&'static str> {
    let name = path.segments.iter().rev().nth(1)?;
    if name.ident == "Self" { owner } else { watched_name(Some(name)) }
}

fn watched_name(name: Option<&syn::PathSegment>) -> Option<&'static str> {
    WATCHED_ENUMS.into_iter().find(|watched| name.is_some_and(|name| name.ident == watched))
}

/// Returns the watched enum of which an expression, or a nested one, names a variant without a surrounding call.
fn variant_named(expr: &Expr, owner: Option<&'static str>) -> Option<&'static str> {
    match expr {
        Expr::Path(path) => {
            let name = watched_enum(&path.path, owner)?;
            let last = path.path.segments.last()?.ident.to_string();
            last.chars().any(char::is_lowercase).then_some(name)
        }
        Expr::Reference(inner) => variant_named(&inner.expr, owner),
        Expr::Paren(inner) => variant_named(&inner.expr, owner),
        Expr::Tuple(tuple) => tuple.elems.iter().find_map(|element| variant_named(element, owner)),
        // `Some(BinaryOp::Add)`, and `OpKind::Constrain(Constrain {})`.
        Expr::Call(call) => match &*call.func {
            Expr::Path(path) if is_variant(&path.path) => variant_named(&call.func, owner)
                .or_else(|| call.args.iter().find_map(|argument| variant_named(argument, owner))),
            _ => None,
        },
        _ => None,
    }
}

/// Returns true if a path ends with a variant name, which begins with a capital letter.
fn is_variant(path: &Path) -> bool {
    path.segments.last().is_some_and(|name| name.ident.to_string().starts_with(char::is_uppercase))
}

/// Returns true if an import renames a watched enum or imports its variants.
fn is_rename(tree: &UseTree) -> bool {
    let is_watched = |name: &syn::Ident| WATCHED_ENUMS.iter().any(|watched| name == watched);
    match tree {
        UseTree::Path(path) => is_watched(&path.ident) || is_rename(&path.tree),
        UseTree::Rename(rename) => is_watched(&rename.ident),
        UseTree::Group(group) => group.items.iter().any(is_rename),
        UseTree::Name(_) | UseTree::Glob(_) => false,
    }
}

/// Returns true if an attribute is `#[cfg(test)]` or `#[test]`.
fn is_test(attribute: &Attribute) -> bool {
    match &attribute.meta {
        Meta::Path(path) => path.is_ident("test"),
        Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string() == "test",
        Meta::NameValue(_) => false,
    }
}

/// Returns the line and the reason of a recogniser that a documentation line states.
fn recogniser_reason(attribute: &Attribute) -> Option<(usize, String)> {
    let Meta::NameValue(meta) = &attribute.meta else { return None };
    let Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) = &meta.value else { return None };
    let text = text.value();
    let reason = text.trim().strip_prefix(RECOGNISER_PREFIX)?;
    meta.path.is_ident("doc").then(|| (attribute.span().start().line, reason.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::check;

    /// Returns the lines with complaints in a function with body `body`.
    fn lines(body: &str) -> Vec<usize> {
        let report = check(&format!("fn f() {{\n{body}\n}}")).unwrap();
        report.found.into_iter().map(|(line, _)| line - 1).collect()
    }

    #[test]
    fn catch_all_arms_are_found_at_any_depth() {
        assert_eq!(lines("match k { OpKind::Add(_) => 1, OpKind::Sub(_) | OpKind::Mul(_) => 2 };"), [0; 0]);
        assert_eq!(lines("match k { OpKind::Add(_) => 1, _ => 2 };"), [1]);
        assert_eq!(lines("match k { OpKind::Add(_) => 1, other => g(other) };"), [1]);
        assert_eq!(lines("match (k, n) { (OpKind::Add(_), 0) => 1, (_, _) => 2 };"), [1]);
        assert_eq!(lines("match (k, n) { (OpKind::Add(_), 0) => 1, (OpKind::Add(_), _) => 2 };"), [0; 0]);
        assert_eq!(lines("match k { Some(OpKind::Add(_)) => 1, Some(_) | None => 2 };"), [1]);
        assert_eq!(lines("match k { Some(&OpKind::Add(_)) => 1, None => 2 };"), [0; 0]);
        assert_eq!(lines("match op { Op { kind: OpKind::Add(_), .. } => 1, Op { kind: _, .. } => 2 };"), [1]);
        assert_eq!(lines("match k { OpKind::Add(_) => 1, k if k.is_sum() => 2, OpKind::Sub(_) => 3 };"), [0; 0]);
        assert_eq!(lines("match k { OpKind::Unary(Unary { op: UnaryOp::Neg }) => 1, OpKind::Unary(_) => 2 };"), [1]);
    }

    #[test]
    fn single_variant_tests_are_found() {
        assert_eq!(lines("if let OpKind::Add(_) = k {}\nif let Some(OpKind::Add(_)) = k {}"), [1, 2]);
        assert_eq!(lines("let OpKind::Add(_) = k else { return };"), [1]);
        assert_eq!(lines("let x = matches!(k, OpKind::Add(_) if y);"), [1]);
        assert_eq!(lines("let x = k == BinaryOp::Add || Some(BinaryOp::Mul) != k;"), [1, 1]);
        assert_eq!(lines("assert!(matches!(k, Some(UnaryOp::Neg)));"), [1]);
        assert_eq!(lines("let x = n == BinaryOp::ALL.len(); let y = BinaryOp::from_name(n) == None;"), [0; 0]);
    }

    #[test]
    fn renamed_enums_are_rejected() {
        for import in ["use a::OpKind as Kind;", "use a::OpKind::{Add, Sub};", "use a::{b, UnaryOp::*};"] {
            assert_eq!(check(import).unwrap().found.len(), 1, "{import}");
        }
        assert_eq!(check("use a::{OpKind, BinaryOp};").unwrap().found.len(), 0);
        assert_eq!(
            check("impl OpKind { fn f(&self) { match self { Self::Add => 1, _ => 2 } } }").unwrap().found.len(),
            1
        );
    }

    #[test]
    fn recognisers_state_a_reason_and_tests_are_exempt() {
        let report =
            check("/// Finds sums.\n///\n/// Recogniser: others stay.\nfn f() { if let OpKind::Add(_) = k {} }")
                .unwrap();
        assert_eq!(report.found, []);
        assert_eq!(report.recognisers.into_iter().collect::<Vec<_>>(), [(3, "others stay.".to_owned())]);
        let report = check("//! Recogniser: others stay.\nfn f() { g(1) }").unwrap();
        assert_eq!((report.found.len(), report.recognisers.len()), (0, 0));
        let test = "#[cfg(test)]\nmod tests { fn f() { if let OpKind::Add(_) = k {} } }";
        assert_eq!(check(test).unwrap().found, []);
    }
}
