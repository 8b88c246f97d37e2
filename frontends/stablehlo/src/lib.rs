//! StableHLO text as traced programs, and back.
//!
//! [`import()`] reads what JAX prints, in two steps: [`syntax`] makes a tree of the text, and `import` lowers the tree.

mod counterparts;
mod export;
mod fault;
mod import;
mod syntax;

pub use export::export;
pub use import::import;
