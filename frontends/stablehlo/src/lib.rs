//! StableHLO text as traced programs, and back.
//!
//! [`import()`] reads what JAX prints, in three steps: `syntax` makes a tree of the
//! text, `verify` checks what StableHLO demands of it, and `import` lowers the tree.

mod counterparts;
mod export;
mod fault;
mod import;
mod syntax;
mod verify;

pub use export::export;
pub use import::import;

/// The operations that [`import()`] takes, by the names of their dialects.
pub fn operations() -> impl Iterator<Item = &'static str> {
    syntax::Opcode::ALL.iter().map(|code| code.name())
}
