//! Names of arguments and results in the program.
//!
//! An argument is named by the key path in its location, which JAX writes (`as_text(debug_info=True)`, `jax.export`):
//! `params['layers'][0]['kernel']` becomes `params.layers.0.kernel`. Without one it is named `arg0`. Results are named
//! `out0`. A complex value has two names, for its parts.

use crate::location;
use crate::syntax::{Element, ParsedFunc, TensorType};
use partita_ir::program::COMPLEX_PARTS;
use rustc_hash::FxHashMap;

/// Returns the names of the lowered arguments and results. `aliases` are the locations of the module.
pub(super) fn names(func: &ParsedFunc<'_>, aliases: &FxHashMap<&str, &str>) -> (Vec<String>, Vec<String>) {
    let args = func.body.args.iter().enumerate().flat_map(|(i, arg)| {
        let named = key_path(&unescaped(location::name(arg.location, aliases)));
        parts(named.unwrap_or_else(|| format!("arg{i}")), &arg.ty)
    });
    let results = func.results.iter().enumerate().flat_map(|(i, result)| parts(format!("out{i}"), &result.ty));
    (args.collect(), results.collect())
}

/// Returns the names of the lowered values of a value.
fn parts(name: String, ty: &TensorType) -> Vec<String> {
    match ty.element {
        Element::Complex(_) => COMPLEX_PARTS.iter().map(|part| format!("{name}{part}")).collect(),
        Element::Plain(_) | Element::Quantized(_) => vec![name],
        Element::Token => Vec::new(),
    }
}

/// Decodes the bytes `\C3` of a string of MLIR.
fn unescaped(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [byte, tail @ ..] = rest {
        let digits = tail.get(..2).filter(|_| *byte == b'\\').and_then(|digits| std::str::from_utf8(digits).ok());
        let code = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(code.unwrap_or(*byte));
        rest = if code.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Converts a key path of JAX to a dotted path: the name of an argument, then attributes `.name`, keys `['name']` and
/// indices `[0]` or `[<flat index 0>]`. Returns `None` for other text.
fn key_path(text: &str) -> Option<String> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let word = |text: &str| text.find(|c| !is_name(c)).unwrap_or(text.len());
    let end = word(text);
    if end == 0 || text.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let (mut path, mut rest) = (text[..end].to_owned(), &text[end..]);
    let mut after_key = false;
    while !rest.is_empty() {
        let segment;
        if let Some(attribute) = rest.strip_prefix('.') {
            (segment, rest) = attribute.split_at(word(attribute));
            if after_key && segment == "value" && rest.is_empty() {
                // A variable of flax.nnx in a mapping: its only field.
                break;
            }
            after_key = false;
        } else {
            let inner = rest.strip_prefix('[')?;
            if let Some(quote) = inner.chars().next().filter(|&c| c == '\'' || c == '"') {
                let end = inner[1..].find(&format!("{quote}]"))?;
                (segment, rest) = (&inner[1..1 + end], &inner[end + 3..]);
                after_key = true;
            } else {
                let end = inner.find(']')?;
                let index = inner[..end].trim_start_matches("<flat index ").trim_end_matches('>');
                (segment, rest) = (index, &inner[end + 1..]);
                after_key = false;
            }
        }
        if segment.is_empty() {
            return None;
        }
        path.push('.');
        path.extend(segment.chars().map(plain));
    }
    Some(path)
}

/// Replaces characters that have a meaning in the paths of a plan, or that names cannot contain.
fn plain(c: char) -> char {
    if matches!(c, '=' | '*' | '?' | '"' | ',') || c.is_whitespace() || c.is_control() { '_' } else { c }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_paths_become_dotted() {
        let cases = [
            ("x", "x"),
            ("params['params']['Dense_0']['kernel']", "params.params.Dense_0.kernel"),
            ("opt_state[0].mu['w']", "opt_state.0.mu.w"),
            ("model.layers[1].weight", "model.layers.1.weight"),
            ("state['l1']['kernel'].value", "state.l1.kernel"),
            ("model.attention.value", "model.attention.value"),
            ("c[<flat index 1>]", "c.1"),
            ("p['a.b']", "p.a.b"),
            ("p[\"it's\"]", "p.it's"),
            ("p['a=b *']", "p.a_b__"),
            ("rest[1][0]", "rest.1.0"),
        ];
        for (text, path) in cases {
            assert_eq!(key_path(text).as_deref(), Some(path));
        }
        for text in ["", "jit(f)/add", "0", "p[", "p['a'", "p[]", "p.", "a b", "['x']"] {
            assert_eq!(key_path(text), None, "{text}");
        }
    }

    #[test]
    fn escaped_characters_are_decoded() {
        assert_eq!(unescaped(r"p['\C3\A9']"), "p['é']");
        assert_eq!(unescaped(r"a\"), r"a\");
        assert_eq!(key_path(&unescaped(r"p['\C3\A9']")).as_deref(), Some("p.é"));
    }
}
