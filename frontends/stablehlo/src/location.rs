//! Names and source lines in locations.

use rustc_hash::FxHashMap;

/// Maximum number of locations visited within one. A cyclic location has no name and no source line.
const MAX_VISITED: usize = 512;

/// Folders of installed packages, whose lines are not the user's.
const PACKAGE_FOLDERS: [&str; 3] = ["/site-packages/", "/dist-packages/", "/lib/python3"];

/// Follows `#alias`, `callsite(callee at caller)` and `fused[first, ..]` to the first `"name"` that is not a file.
pub fn name<'a>(location: &'a str, aliases: &FxHashMap<&'a str, &'a str>) -> &'a str {
    let mut rest = location.trim_start();
    for _ in 0..MAX_VISITED {
        if let Some((target, _)) = alias(rest, aliases) {
            rest = target;
        } else if let Some((string, after)) = quoted(rest) {
            return if after.starts_with(':') { "" } else { string };
        } else if let Some(callee) = rest.strip_prefix("callsite(") {
            rest = callee.trim_start();
        } else if let Some(first) = fused(rest) {
            rest = first;
        } else {
            return "";
        }
    }
    ""
}

/// Returns the file and the line, counted from 1, of the innermost call that is not inside an installed package, or of
/// the innermost call if all are.
pub fn source_line<'a>(location: &'a str, aliases: &FxHashMap<&'a str, &'a str>) -> Option<(&'a str, u32)> {
    let mut calls = Calls { rest: location, aliases, visits_left: MAX_VISITED, innermost: None };
    calls.visit().or(calls.innermost)
}

/// Visits the calls of a location, innermost first.
struct Calls<'l, 'a> {
    rest: &'a str,
    aliases: &'l FxHashMap<&'a str, &'a str>,
    visits_left: usize,
    innermost: Option<(&'a str, u32)>,
}

impl<'a> Calls<'_, 'a> {
    /// Reads the location at the start of `rest`, and returns its first line outside of installed packages.
    fn visit(&mut self) -> Option<(&'a str, u32)> {
        self.visits_left = self.visits_left.checked_sub(1)?;
        self.rest = self.rest.trim_start();
        if let Some((target, after)) = alias(self.rest, self.aliases) {
            self.rest = target;
            let found = self.visit();
            self.rest = after;
            return found;
        }
        if let Some((string, after)) = quoted(self.rest) {
            self.rest = after;
            return match after.strip_prefix(':') {
                Some(position) => self.line(string, position),
                None if self.skip("(") => self.visit().or_else(|| self.skip_rest()),
                None => None,
            };
        }
        if self.skip("callsite(") {
            let callee = self.visit();
            return callee.or_else(|| if self.skip("at ") { self.visit() } else { None }).or_else(|| self.skip_rest());
        }
        self.rest = fused(self.rest)?;
        self.visit().or_else(|| {
            while self.skip(",") {
                if let Some(found) = self.visit() {
                    return Some(found);
                }
            }
            self.skip("]");
            None
        })
    }

    /// Reads the line of a call, `15:40 to :48`.
    fn line(&mut self, file: &'a str, position: &'a str) -> Option<(&'a str, u32)> {
        let end = position.find(|c: char| !(c.is_ascii_digit() || ": to".contains(c))).unwrap_or(position.len());
        self.rest = &position[end..];
        let digits = position.find(|c: char| !c.is_ascii_digit()).unwrap_or(position.len());
        let call = (file, position[..digits].parse().ok().filter(|&line| line > 0)?);
        self.innermost = self.innermost.or(Some(call));
        Some(call).filter(|_| !PACKAGE_FOLDERS.iter().any(|folder| file.contains(folder)))
    }

    /// Skips a word, and returns true if it is there.
    fn skip(&mut self, word: &str) -> bool {
        let after = self.rest.trim_start().strip_prefix(word);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    /// Skips the parenthesis at the end of a location without a line.
    fn skip_rest(&mut self) -> Option<(&'a str, u32)> {
        self.skip(")");
        None
    }
}

/// Returns the target of `#alias` and the text after it.
fn alias<'a>(text: &'a str, aliases: &FxHashMap<&'a str, &'a str>) -> Option<(&'a str, &'a str)> {
    let alias = text.strip_prefix('#')?;
    let end = alias.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(alias.len());
    Some((aliases.get(&alias[..end])?.trim_start(), &alias[end..]))
}

/// Returns the contents of a string and the text after it.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let string = text.strip_prefix('"')?;
    let end = string.find('"')?;
    Some((&string[..end], string[end + 1..].trim_start()))
}

/// Returns the text from the first location of `fused<metadata>[first, ..]`.
fn fused(text: &str) -> Option<&str> {
    let open = text.starts_with("fused").then(|| text.find('[')).flatten()?;
    Some(text[open + 1..].trim_start())
}

#[cfg(test)]
mod tests {
    use super::source_line;
    use rustc_hash::FxHashMap;

    #[test]
    fn source_lines_are_the_innermost_of_the_user() {
        let aliases = [
            ("loc1", "\"/src/model.py\":6:15 to :34"),
            ("loc2", "\"Dense.__call__\"(\"/env/lib/python3.11/site-packages/flax/linear.py\":287:8 to 292:5)"),
            ("loc3", "callsite(#loc2 at \"Block\"(#loc1))"),
            ("loop", "callsite(#loop at #loop)"),
        ];
        let aliases: FxHashMap<&str, &str> = aliases.into_iter().collect();
        let cases = [
            ("#loc1", Some(("/src/model.py", 6))),
            ("\"jit(f)/dot_general\"(#loc3)", Some(("/src/model.py", 6))),
            ("#loc2", Some(("/env/lib/python3.11/site-packages/flax/linear.py", 287))),
            ("callsite(callsite(#loc2 at #loc2) at #loc1)", Some(("/src/model.py", 6))),
            ("fused<\"x\">[#loc2, \"a.py\":3:1]", Some(("a.py", 3))),
            ("\"jit(f)/add\"", None),
            ("\"a.py\":0:0", None),
            ("#loop", None),
            ("#missing", None),
            ("unknown", None),
            ("", None),
        ];
        for (location, line) in cases {
            assert_eq!(source_line(location, &aliases), line, "{location}");
        }
    }
}
