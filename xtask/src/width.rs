//! Check for lines longer than rustfmt's width: comments, strings and macros, which rustfmt does not break.
//!
//! A line may be longer if it cannot be broken: a comment of one word, a row of a Markdown table, a Markdown link
//! definition, a raw string, or a string of a test.

use proc_macro2::{TokenStream, TokenTree};
use std::fs;
use std::path::Path;

/// File that sets the width.
const SETTINGS: &str = "rustfmt.toml";

/// Returns the maximum line width from rustfmt's settings.
pub(crate) fn max_width(root: &Path) -> Result<usize, String> {
    let settings = fs::read_to_string(root.join(SETTINGS)).map_err(|e| format!("{SETTINGS}: {e}"))?;
    let found =
        settings.lines().find_map(|line| line.strip_prefix("max_width")?.trim().strip_prefix('=')?.trim().parse().ok());
    found.ok_or_else(|| format!("{SETTINGS}: no `max_width`"))
}

/// Returns the line numbers of a Rust file that are too long and can be broken. `is_test` is true for test files.
pub(crate) fn long_lines(text: &str, is_test: bool, width: usize) -> Vec<usize> {
    let is_long = |line: &str| line.chars().count() > width;
    if !text.lines().any(is_long) {
        return Vec::new();
    }
    let mut strings = Vec::new();
    if let Ok(tokens) = text.parse() {
        collect_strings(tokens, &mut strings);
    }
    let first_test = text.lines().position(|line| line.trim() == "#[cfg(test)]").map_or(usize::MAX, |at| at + 1);
    let mut found = Vec::new();
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| is_long(line)) {
        let in_test = is_test || number > first_test;
        let mut here = strings.iter().filter(|string| string.first <= number && number <= string.last).peekable();
        let is_comment = line.trim_start().starts_with("//") && here.peek().is_none();
        let can_break = match is_comment {
            true => can_break_comment(line, width),
            false => !here.any(|string| (in_test || !string.can_break) && string.goes_beyond(number, width)),
        };
        if can_break {
            found.push(number);
        }
    }
    found
}

/// Returns true if a comment can be broken within the width.
fn can_break_comment(line: &str, width: usize) -> bool {
    let body = line.trim_start().trim_start_matches(['/', '!']).trim_start();
    let begin = line.chars().count() - body.chars().count();
    let is_fixed = body.starts_with('|') || (body.starts_with('[') && body.contains("]: "));
    !is_fixed && body.chars().position(char::is_whitespace).is_some_and(|at| begin + at <= width)
}

/// A string literal in a program.
struct LiteralSpan {
    /// First and last line, from 1.
    first: usize,
    last: usize,
    /// Column after its last character.
    end: usize,
    /// True if `\` can break the string: it contains spaces and is not raw.
    can_break: bool,
}

impl LiteralSpan {
    /// Returns true if the part of the string on the given line extends beyond the width.
    fn goes_beyond(&self, number: usize, width: usize) -> bool {
        // A comma and a parenthesis may follow the string.
        number < self.last || self.end + 2 > width
    }
}

/// Collects the string literals among tokens, without doc comments.
fn collect_strings(tokens: TokenStream, found: &mut Vec<LiteralSpan>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => collect_strings(group.stream(), found),
            TokenTree::Literal(literal) => {
                let span = literal.span();
                let source = span.source_text().unwrap_or_default();
                let Some((prefix, content)) = source.split_once('"').filter(|_| !source.starts_with('/')) else {
                    continue;
                };
                let can_break = !prefix.contains('r') && content.contains(' ');
                let (start, end) = (span.start(), span.end());
                found.push(LiteralSpan { first: start.line, last: end.line, end: end.column, can_break });
            }
            TokenTree::Ident(_) | TokenTree::Punct(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::long_lines;

    /// Returns the long lines of a file with a maximum width of 30.
    fn long(text: &str) -> Vec<usize> {
        long_lines(text, false, 30)
    }

    #[test]
    fn comments_are_broken_between_words() {
        assert_eq!(long("/// Just as long as may be: 30\nfn f() {}\n"), [0; 0]);
        assert_eq!(long("/// A letter longer than may be.\nfn f() {}\n"), [1]);
        assert_eq!(long("fn f() {\n    // A letter longer than that.\n    g(); // and more behind code\n}\n"), [2, 3]);
    }

    #[test]
    fn unbreakable_comments_may_be_long() {
        for comment in
            ["https://example.org/a/long/path", "[`x`](../../a/long/path/to/it.rs)", "| a | table | of | columns |"]
        {
            assert_eq!(long(&format!("//! {comment}\n")), [0; 0], "{comment}");
        }
    }

    #[test]
    fn strings_are_broken_but_in_tests() {
        let line = "const A: &str =\n    \"a text of some words, too long\";\n";
        assert_eq!(long(line), [2]);
        assert_eq!(long(&format!("#[cfg(test)]\nmod tests {{\n{line}}}\n")), [0; 0]);
        assert_eq!(long_lines(line, true, 30), [0; 0]);
        assert_eq!(long("const A: &str =\n    r\"a text of some words, too long\";\n"), [0; 0]);
        assert_eq!(long("const A: &str =\n    \"https://example.org/a/long/path\";\n"), [0; 0]);
        assert_eq!(long("const A: &str = r\"\n// not a comment, a text of some words\n\";\n"), [0; 0]);
    }

    #[test]
    fn code_beside_short_strings_is_broken() {
        assert_eq!(long_lines("json!({ \"a\": a, \"b\": b, \"c\": c });\n", true, 30), [1]);
    }
}
