//! Locations: the source names of operations.

use crate::location::name;
use rustc_hash::FxHashMap;
use smol_str::SmolStr;

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
