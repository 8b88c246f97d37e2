//! Syntax elements of program text: tokens, and attributes of ops.

pub mod attr;
pub mod lex;

pub use attr::Attr;
pub use lex::Cursor;

/// Maximum number of dimensions of a shape. Models have fewer; the limit detects typing errors.
pub const MAX_RANK: usize = 32;
