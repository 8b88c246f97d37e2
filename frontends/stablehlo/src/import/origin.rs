//! Origins of operations: the names and lines in their locations.

use crate::location::{name, source_line};
use partita_ir::origin::Origin;
use rustc_hash::FxHashMap;
use smol_str::SmolStr;

/// Cache of origins by location.
#[derive(Default)]
pub struct Origins<'a> {
    by_location: FxHashMap<&'a str, Origin>,
    files: FxHashMap<&'a str, SmolStr>,
}

impl<'a> Origins<'a> {
    /// Returns the origin of an op in a line of the module. Its scope is JAX's name stack, such as
    /// `jit(f)/block/dot_general`; its file and line are those of the traced program, if the location names them.
    pub fn origin(&mut self, location: &'a str, line: u32, aliases: &FxHashMap<&'a str, &'a str>) -> Origin {
        if location.is_empty() {
            return Origin::new(line, "");
        }
        let origin = self.by_location.entry(location).or_insert_with(|| {
            let scope = name(location, aliases);
            match source_line(location, aliases) {
                Some((file, line)) => {
                    let file = self.files.entry(file).or_insert_with(|| file.into()).clone();
                    Origin { file, ..Origin::new(line, scope) }
                }
                None => Origin::new(0, scope),
            }
        });
        match origin.line {
            0 => Origin { line, ..origin.clone() },
            _ => origin.clone(),
        }
    }
}
