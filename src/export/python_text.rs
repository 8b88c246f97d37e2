//! Literals of Python.

/// Formats a string.
pub(super) fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            c if c.is_control() => quoted.push_str(&format!("\\u{:04x}", c as u32)),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

/// Formats a dictionary with one entry per line, from keys to expressions.
pub(super) fn dict<'k>(entries: impl IntoIterator<Item = (&'k str, String)>) -> String {
    let lines: String = entries.into_iter().map(|(key, value)| format!("    {}: {value},\n", quote(key))).collect();
    if lines.is_empty() { "{}".to_owned() } else { format!("{{\n{lines}}}") }
}

/// Formats a list of strings.
pub(super) fn strings<'s>(all: impl IntoIterator<Item = &'s str>) -> String {
    let all: Vec<String> = all.into_iter().map(quote).collect();
    format!("[{}]", all.join(", "))
}

/// Formats a tuple of expressions.
pub(super) fn tuple(all: &[String]) -> String {
    match all {
        [one] => format!("({one},)"),
        all => format!("({})", all.join(", ")),
    }
}

/// Formats text as the content of a documentation string.
pub(super) fn documentation(lines: &[String]) -> String {
    lines.join("\n").replace('\\', "\\\\").replace("\"\"\"", "\\\"\\\"\\\"")
}
