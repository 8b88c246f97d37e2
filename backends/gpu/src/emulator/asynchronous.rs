//! Translation of asynchronous copies in inline PTX to calls of functions in the emulator's headers.

/// Replaces `cp.async` in the inline assembly of a line by calls. Unknown instructions remain and are rejected by
/// [`super::vocabulary`].
pub(super) fn translate_copies(line: &str) -> String {
    const PREFIX: &str = "asm volatile(\"cp.async.";
    let (mut out, mut rest) = (String::new(), line);
    while let Some(at) = rest.find(PREFIX) {
        let Some(end) = rest[at..].find(");").map(|length| at + length + 1) else { break };
        let statement = &rest[at..end];
        out.push_str(&rest[..at]);
        out.push_str(&call(statement).unwrap_or_else(|| statement.to_owned()));
        rest = &rest[end..];
    }
    out + rest
}

/// Returns the call for one statement.
fn call(statement: &str) -> Option<String> {
    let (_, after) = statement.split_once('"')?;
    let (text, after) = after.split_once('"')?;
    let operands = operands(after);
    // An operand, or an immediate.
    let read = |text: &str| match text.trim().strip_prefix('%') {
        Some(number) => operands.get(number.parse::<usize>().ok()?).cloned(),
        None => Some(text.trim().to_owned()),
    };
    let (name, rest) =
        text.trim().trim_end_matches(';').split_once(' ').unwrap_or((text.trim().trim_end_matches(';'), ""));
    match name {
        "cp.async.commit_group" => Some("__pipeline_commit()".into()),
        "cp.async.wait_all" => Some("shim::wait_all()".into()),
        "cp.async.wait_group" => Some(format!("__pipeline_wait_prior({})", read(rest)?)),
        copy if copy.contains(".shared") && copy.contains(".global") => {
            let parts: Vec<&str> = rest.split(',').map(|part| part.trim().trim_matches(['[', ']'])).collect();
            let (to, from, size) = (read(parts.first()?)?, read(parts.get(1)?)?, read(parts.get(2)?)?);
            let length = parts.get(3).map_or(Some(size.clone()), |length| read(length))?;
            Some(format!("shim::copy_async(shim::shared + ({to}), (const void*)({from}), {size}, {length})"))
        }
        _ => None,
    }
}

/// Returns the operands of `:: "r"(a), "l"(b)`.
fn operands(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("\"(") {
        let (mut depth, begin) = (0, at + 2);
        let closes = |c: char| {
            depth += match c {
                '(' => 1,
                ')' => -1,
                _ => 0,
            };
            depth < 0
        };
        let Some(length) = rest[begin..].find(closes) else { break };
        all.push(rest[begin..begin + length].to_owned());
        rest = &rest[begin + length..];
    }
    all
}

#[cfg(test)]
mod tests {
    use super::translate_copies;

    #[test]
    fn inline_assembly_copies_become_calls() {
        let copy =
            r#"if (p) { asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(at(x)), "l"(from + 1)); }"#;
        assert_eq!(
            translate_copies(copy),
            "if (p) { shim::copy_async(shim::shared + (at(x)), (const void*)(from + 1), 16, 16); }"
        );
        let part = r#"asm volatile("cp.async.ca.shared::cta.global [%0], [%1], 8, %2;" :: "r"(a), "l"(b), "r"(n));"#;
        assert_eq!(translate_copies(part), "shim::copy_async(shim::shared + (a), (const void*)(b), 8, n);");
        let waits = r#"asm volatile("cp.async.commit_group;"); asm volatile("cp.async.wait_group %0;" :: "n"(1)); asm volatile("cp.async.wait_all;");"#;
        assert_eq!(translate_copies(waits), "__pipeline_commit(); __pipeline_wait_prior(1); shim::wait_all();");
        let other = r#"asm volatile("cp.async.bulk.commit_group;");"#;
        assert_eq!(translate_copies(other), other);
    }
}
