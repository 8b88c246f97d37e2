//! Lines beyond the width that rustfmt keeps to: comments, strings and macros, which rustfmt leaves alone.
//!
//! A line may be longer where nothing in it can be broken: a comment of one word, a row of a table, a raw string, or a
//! string of a test.

use proc_macro2::{TokenStream, TokenTree};
use std::fs;
use std::path::Path;

/// The file that says the width.
const SETTINGS: &str = "rustfmt.toml";

/// The width of lines, as rustfmt is told.
pub(crate) fn max_width(root: &Path) -> Result<usize, String> {
    let settings = fs::read_to_string(root.join(SETTINGS)).map_err(|e| format!("{SETTINGS}: {e}"))?;
    let found =
        settings.lines().find_map(|line| line.strip_prefix("max_width")?.trim().strip_prefix('=')?.trim().parse().ok());
    found.ok_or_else(|| format!("{SETTINGS}: no `max_width`"))
}

/// Returns the numbers of the lines of a Rust file that are too long and can be broken. `is_test` holds for files of
/// tests.
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

/// Returns whether a comment has a place within the width to go on in the next line.
fn can_break_comment(line: &str, width: usize) -> bool {
    let body = line.trim_start().trim_start_matches(['/', '!']).trim_start();
    let begin = line.chars().count() - body.chars().count();
    let is_fixed = body.starts_with('|') || (body.starts_with('[') && body.contains("]: "));
    !is_fixed && body.chars().position(char::is_whitespace).is_some_and(|at| begin + at <= width)
}

/// A string in a program.
struct Literal {
    /// Its first and last line, from 1.
    first: usize,
    last: usize,
    /// The column behind its last letter.
    end: usize,
    /// Whether `\` may break it: it has words and is not raw.
    can_break: bool,
}

impl Literal {
    /// Returns whether the string goes beyond the width in a line.
    fn goes_beyond(&self, number: usize, width: usize) -> bool {
        // A comma and a parenthesis may follow it.
        number < self.last || self.end + 2 > width
    }
}

/// Collects the strings among tokens; comments that document something are none.
fn collect_strings(tokens: TokenStream, found: &mut Vec<Literal>) {
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
                found.push(Literal { first: start.line, last: end.line, end: end.column, can_break });
            }
            TokenTree::Ident(_) | TokenTree::Punct(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::long_lines;

    /// The long lines of a file where lines may have 30 letters.
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
    fn comments_that_have_no_place_to_break_may_be_long() {
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
