//! Rejected wording in comments, string literals of more than two words, and Markdown text: words that are not terms of
//! the field, and comments or paragraphs that begin with neither a noun phrase nor a third-person verb.
//!
//! Text between backticks is code and is not checked.

use proc_macro2::{TokenStream, TokenTree};
use regex::Regex;
use std::sync::LazyLock;

/// The rejected patterns, each with its replacement.
const WORDING: &str = include_str!("wording.txt");

/// A rejected pattern.
struct Rule {
    regex: Regex,
    instead: &'static str,
}

/// The rules of [`WORDING`].
struct Rules {
    /// Patterns that are rejected at the beginning of a comment and of each of its paragraphs.
    starts: Vec<Rule>,
    /// Patterns that are rejected anywhere.
    words: Vec<Rule>,
}

static RULES: LazyLock<Rules> = LazyLock::new(|| {
    let section = |name: &str| {
        let lines = WORDING.lines().skip_while(|line| *line != name).skip(1);
        let rows = lines.take_while(|line| !line.starts_with('[')).filter_map(|line| line.split_once(" => "));
        let rules = rows.map(|(regex, instead)| Regex::new(regex).map(|regex| Rule { regex, instead }));
        rules.filter_map(Result::ok).collect()
    };
    Rules { starts: section("[starts]"), words: section("[words]") }
});

/// Returns line and complaint of each rejected wording in the comments and string literals of a Rust file. String
/// literals of tests are not checked: all literals if `is_test` is true, and those after the first `#[cfg(test)]`.
pub(crate) fn check_rust(text: &str, is_test: bool) -> Vec<(usize, String)> {
    let mut strings = Vec::new();
    if let Ok(tokens) = text.parse() {
        collect_strings(tokens, &mut strings);
    }
    let in_string = |line: usize| strings.iter().any(|s: &StringLiteral| s.first < line && line <= s.last);
    let mut found = Vec::new();
    // The mark of the previous line, empty if it is no comment, and whether a paragraph ended with it.
    let (mut previous, mut is_paragraph_end, mut in_fence) = ("", false, false);
    for (n, line) in (1..).zip(text.lines()) {
        let Some((mark, body)) = comment(line).filter(|_| !in_string(n)) else {
            (previous, in_fence) = ("", false);
            if let Some((_, beside)) = line.rsplit_once("; // ").or_else(|| line.rsplit_once(", // ")) {
                found.extend(complaint(&RULES.words, &without_code(beside)).map(|text| (n, text)));
            }
            continue;
        };
        let is_first = previous != mark;
        let is_start = is_first || is_paragraph_end;
        in_fence = (in_fence && !is_first) ^ body.trim_start().starts_with("```");
        previous = mark;
        is_paragraph_end = body.trim().is_empty() || body.starts_with("# ");
        if in_fence || body.starts_with("    ") {
            continue;
        }
        let prose = without_code(body);
        if is_start {
            found.extend(complaint(&RULES.starts, prose.trim()).map(|text| (n, text)));
        }
        found.extend(complaint(&RULES.words, &prose).map(|text| (n, text)));
    }
    let first_test = text.lines().position(|line| line.trim() == "#[cfg(test)]").map_or(usize::MAX, |at| at + 1);
    for string in strings.iter().filter(|s| !is_test && s.first < first_test && s.text.matches(' ').count() > 1) {
        let prose = without_code(&string.text);
        found.extend(complaint(&RULES.words, &prose).map(|text| (string.first, text)));
    }
    found.sort();
    found.dedup();
    found
}

/// Returns line and complaint of each rejected wording in Markdown outside of code.
pub(crate) fn check_markdown(text: &str) -> Vec<(usize, String)> {
    let (mut found, mut in_fence) = (Vec::new(), false);
    for (n, line) in (1..).zip(text.lines()) {
        let is_fence = line.trim_start().starts_with("```");
        in_fence ^= is_fence;
        if !in_fence && !is_fence && !line.starts_with("    ") {
            found.extend(complaint(&RULES.words, &without_code(line)).map(|text| (n, text)));
        }
    }
    found
}

/// Returns the mark (`//`, `///`, `//!`) and the body of a line that is a comment.
fn comment(line: &str) -> Option<(&'static str, &str)> {
    let line = line.trim_start();
    let mark = ["///", "//!", "//"].into_iter().find(|mark| line.starts_with(mark))?;
    let body = &line[mark.len()..];
    Some((mark, body.strip_prefix(' ').unwrap_or(body)))
}

/// Returns the first complaint of the rules about a text.
fn complaint(rules: &[Rule], prose: &str) -> Option<String> {
    rules.iter().find_map(|rule| {
        let hit = rule.regex.find(prose)?;
        Some(format!("`{}`: write {}", hit.as_str().trim_end_matches(','), rule.instead))
    })
}

/// Returns the text with code between backticks replaced by blanks.
fn without_code(text: &str) -> String {
    let mut in_code = false;
    text.chars()
        .map(|c| {
            in_code ^= c == '`';
            if in_code || c == '`' { '_' } else { c }
        })
        .collect()
}

/// A string literal: its first and last line, from 1, and its source text.
struct StringLiteral {
    first: usize,
    last: usize,
    text: String,
}

/// Collects the string literals of a program. Doc comments, which are literals of attributes, are skipped.
fn collect_strings(tokens: TokenStream, found: &mut Vec<StringLiteral>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => collect_strings(group.stream(), found),
            TokenTree::Literal(literal) => {
                let span = literal.span();
                let text = span.source_text().unwrap_or_default();
                if text.contains('"') && !text.starts_with('/') {
                    found.push(StringLiteral { first: span.start().line, last: span.end().line, text });
                }
            }
            TokenTree::Ident(_) | TokenTree::Punct(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{RULES, WORDING, check_markdown, check_rust};

    fn lines(text: &str) -> Vec<usize> {
        check_rust(text, false).into_iter().map(|(line, _)| line).collect()
    }

    #[test]
    fn every_line_of_the_list_is_a_rule() {
        assert_eq!(
            RULES.starts.len() + RULES.words.len(),
            WORDING.lines().filter(|line| line.contains(" => ")).count()
        );
    }

    #[test]
    fn first_lines_of_doc_comments_name_a_subject() {
        assert_eq!(
            lines("/// What a device holds.\nfn f() {}\n/// Bytes that\n/// what follows holds.\nfn g() {}\n"),
            [1]
        );
        assert_eq!(lines("//! Whether it is.\n\n/// By op, its seconds.\nstruct S;\n// What follows.\n"), [1, 3, 5]);
        assert_eq!(lines("/// Loads.\n///\n/// # Errors\n/// Those of [`open`].\nfn f() {}\n"), [4]);
        assert_eq!(lines("/// `what` it is.\nfn f() {}\n"), [0; 0]);
    }

    #[test]
    fn words_are_found_in_comments_and_messages() {
        assert_eq!(lines("// The value lies there.\nf(); \x2f/ nobody\n"), [1, 2]);
        assert_eq!(lines("fn f() { g(\"the pieces of it\"); h(\"pieces\"); }\n"), [1]);
        assert_eq!(lines("fn f() { g(\"// the\n// pieces\"); }\n"), [1]);
        assert_eq!(lines("/// ```\n/// let pieces = 1;\n/// ```\n/// `pieces`\nfn f() {}\n"), [0; 0]);
        assert_eq!(check_rust("fn f() { g(\"the pieces of it\"); }\n", true), []);
    }

    #[test]
    fn complaints_suggest_a_replacement() {
        let [(1, complaint)] = &check_rust("/// Whether it is.\nfn f() {}\n", false)[..] else {
            panic!("one complaint")
        };
        assert_eq!(complaint, "`Whether`: write \"Returns true if ...\", \"True if ...\", or a noun phrase");
    }

    #[test]
    fn markdown_is_checked_outside_of_code() {
        let text = "Values lie there.\n```\nlies\n```\n    lies\n`lies`\nin pieces\n";
        assert_eq!(check_markdown(text).into_iter().map(|(line, _)| line).collect::<Vec<_>>(), [1, 7]);
    }
}
