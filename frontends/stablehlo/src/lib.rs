//! The StableHLO frontend: imports StableHLO text as traced programs, and exports programs.
//!
//! [`import()`] reads the text that JAX prints in six steps: `syntax` parses it, `verify` checks the rules of the
//! specification, `shape_operands` replaces operations that take shapes as operands, `lower_types` replaces complex and
//! quantised numbers, `lower_manual` replaces the bodies of `shard_map`, and `import` lowers the tree.

mod counterparts;
mod export;
mod fault;
mod import;
mod location;
mod lower_manual;
mod lower_types;
mod rewrite;
mod shape_operands;
mod syntax;
mod verify;

pub use export::export;
pub use import::import;

/// Returns the names of the operations that [`import()`] supports, including their dialects.
pub fn operations() -> impl Iterator<Item = &'static str> {
    syntax::Opcode::ALL.iter().map(|code| code.name())
}
