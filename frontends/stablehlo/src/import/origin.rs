//! Locations: the source names of operations.

use rustc_hash::FxHashMap;
use smol_str::SmolStr;

/// Maximum number of aliases followed. A cyclic location has no name.
const MAX_ALIAS_STEPS: usize = 32;

/// Cache of names by location.
#[derive(Default)]
pub struct Origins<'a> {
    scopes: FxHashMap<&'a str, SmolStr>,
}

impl<'a> Origins<'a> {
    /// Returns the name in a location: JAX's name stack, such as `jit(f)/block/dot_general`; empty if there is none.
    pub fn scope(&mut self, location: &'a str, aliases: &FxHashMap<&'a str, &'a str>) -> SmolStr {
        if location.is_empty() {
            return SmolStr::default();
        }
        self.scopes.entry(location).or_insert_with(|| name(location, aliases).into()).clone()
    }
}

/// Follows `#alias`, `callsite(callee at caller)` and `fused[first, ..]` to the first `"name"` that is not a file.
pub(crate) fn name<'a>(location: &'a str, aliases: &FxHashMap<&'a str, &'a str>) -> &'a str {
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
