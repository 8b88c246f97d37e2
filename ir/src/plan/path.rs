//! Paths: the selection of parameters, inputs and values that an entry of a plan applies to.
//!
//! A path is the dotted path of a parameter (`layers.0.up.weight`), the name of an input (`x`, `arg3`), or an input by
//! name or position (`input.x`, `input.0`). `%h` is a value of the main function by its name in program text. Globs
//! match several paths or, with `%`, values: `*` matches any characters within one segment, and `**` matches any number
//! of segments. A path without a match is an error unless it ends in `?`.

/// Parsed path or glob.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pattern<'a> {
    /// Text without the trailing `?`.
    pub text: &'a str,
    /// True if the pattern may match nothing.
    pub optional: bool,
}

impl<'a> Pattern<'a> {
    /// Parses a path of a plan.
    pub fn new(text: &'a str) -> Pattern<'a> {
        let text = text.trim();
        match text.strip_suffix('?') {
            Some(text) => Pattern { text, optional: true },
            None => Pattern { text, optional: false },
        }
    }

    /// Returns true if the pattern can match several paths.
    pub fn is_glob(&self) -> bool {
        self.text.contains('*')
    }

    /// Returns the precedence of the pattern: exact paths over globs, and globs with more literal characters over those
    /// with fewer.
    pub fn specificity(&self) -> (bool, usize) {
        (!self.is_glob(), self.text.bytes().filter(|&b| b != b'*').count())
    }

    /// Returns true if the pattern starts with `%`: it matches names of values, not paths.
    pub fn is_of_values(&self) -> bool {
        self.text.starts_with('%')
    }

    /// Returns true if the pattern starts with `%` and matches the name of a value.
    pub fn matches_value(&self, name: &str) -> bool {
        self.text.strip_prefix('%').is_some_and(|text| Pattern { text, ..*self }.matches(name))
    }

    /// Returns true if the pattern matches the path.
    pub fn matches(&self, path: &str) -> bool {
        let Some((first, others)) = self.text.split_once('*') else { return self.text == path };
        // Fast path: most mismatches are detected by the literal prefix and suffix of the glob.
        let last = others.rsplit('*').next().unwrap_or(others);
        if !path.starts_with(first.trim_end_matches('.')) || !path.ends_with(last.trim_start_matches('.')) {
            return false;
        }
        let (mut pattern, mut segments) = (self.text.split('.'), path.split('.'));
        if self.text.contains("**") {
            let (pattern, segments) = (pattern.collect::<Vec<_>>(), segments.collect::<Vec<_>>());
            return match_wildcards(&pattern, &segments, |&p| p == "**", |p, s| matches_segment(p, s));
        }
        loop {
            match (pattern.next(), segments.next()) {
                (Some(pattern), Some(segment)) if matches_segment(pattern, segment) => {}
                (None, None) => return true,
                _ => return false,
            }
        }
    }
}

/// Returns the layer that a parameter belongs to: the prefix of its path up to the first number (`blocks.3` of
/// `blocks.3.up.weight`), or up to the first dot if the path has no number.
pub fn layer(path: &str) -> &str {
    prefixes_with_numbers(path).next().unwrap_or_else(|| path.split('.').next().unwrap_or(path))
}

/// Returns the prefixes of a path that end in a number: `stages.1` and `stages.1.blocks.3` of
/// `stages.1.blocks.3.weight`.
pub fn prefixes_with_numbers(path: &str) -> impl Iterator<Item = &str> {
    let mut end = 0;
    path.split('.').filter_map(move |segment| {
        let is_first = end == 0;
        end += segment.len() + usize::from(!is_first);
        (!is_first && !segment.is_empty() && segment.bytes().all(|b| b.is_ascii_digit())).then(|| &path[..end])
    })
}

/// Returns true if a path begins with the segments of a module, and has more.
pub fn is_in_module(path: &str, module: &str) -> bool {
    path.strip_prefix(module).is_some_and(|rest| rest.starts_with('.'))
}

/// Returns true if a segment of a glob matches a segment of a path. `**` matches any segment here.
pub fn matches_segment(pattern: &str, text: &str) -> bool {
    match_wildcards(pattern.as_bytes(), text.as_bytes(), |&p| p == b'*', |p, t| p == t)
}

/// Matches items against a pattern with wildcards for any number of items. On a mismatch, only the last wildcard is
/// extended, which is sufficient and bounds the time by `pattern * items`.
fn match_wildcards<P, T>(pattern: &[P], items: &[T], any: impl Fn(&P) -> bool, same: impl Fn(&P, &T) -> bool) -> bool {
    let (mut p, mut i) = (0, 0);
    let mut resume: Option<(usize, usize)> = None;
    while i < items.len() {
        if p < pattern.len() && any(&pattern[p]) {
            resume = Some((p + 1, i));
            p += 1;
        } else if p < pattern.len() && same(&pattern[p], &items[i]) {
            p += 1;
            i += 1;
        } else if let Some((after, from)) = &mut resume {
            *from += 1;
            (p, i) = (*after, *from);
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(any)
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    #[test]
    fn globs_match_segments() {
        let yes = [
            ("up.weight", "up.weight"),
            ("layers.*.up.weight", "layers.11.up.weight"),
            ("**.weight", "layers.0.up.weight"),
            ("**.weight", "weight"),
            ("**", "a.b.c"),
            ("layers.**.w*", "layers.0.attn.wq"),
            ("arg*", "arg17"),
            ("*.b?", "up.b"),
        ];
        let no = [
            ("layers.*.weight", "layers.0.up.weight"),
            ("up.weight", "up.weights"),
            ("**.weight", "up.bias"),
            ("*", "a.b"),
            ("arg*", "xarg1"),
        ];
        for (pattern, path) in yes {
            assert!(Pattern::new(pattern).matches(path), "{pattern} should match {path}");
        }
        for (pattern, path) in no {
            assert!(!Pattern::new(pattern).matches(path), "{pattern} should not match {path}");
        }
    }

    #[test]
    fn exact_paths_take_precedence_over_globs() {
        let order = ["**", "*.weight", "up.*eight", "x"];
        assert!(order.windows(2).all(|w| Pattern::new(w[0]).specificity() < Pattern::new(w[1]).specificity()));
    }
}
