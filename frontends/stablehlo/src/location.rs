//! Names in locations.

use rustc_hash::FxHashMap;

/// Maximum number of aliases followed. A cyclic location has no name.
const MAX_ALIAS_STEPS: usize = 32;

/// Follows `#alias`, `callsite(callee at caller)` and `fused[first, ..]` to the first `"name"` that is not a file.
pub fn name<'a>(location: &'a str, aliases: &FxHashMap<&'a str, &'a str>) -> &'a str {
    let mut rest = location.trim_start();
    for _ in 0..MAX_ALIAS_STEPS {
        if let Some(alias) = rest.strip_prefix('#') {
            let end = alias.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(alias.len());
            match aliases.get(&alias[..end]) {
                Some(target) => rest = target.trim_start(),
                None => return "",
            }
        } else if let Some(string) = rest.strip_prefix('"') {
            let Some(end) = string.find('"') else { return "" };
            let after = string[end + 1..].trim_start();
            return if after.starts_with(':') { "" } else { &string[..end] };
        } else if let Some(callee) = rest.strip_prefix("callsite(") {
            rest = callee.trim_start();
        } else if rest.starts_with("fused")
            && let Some(open) = rest.find('[')
        {
            rest = rest[open + 1..].trim_start();
        } else {
            return "";
        }
    }
    ""
}
