//! Words of program text: tokens, and the attributes of ops.

pub mod attr;
pub mod lex;

pub use attr::Attr;
pub use lex::Cursor;

/// More dimensions than this are refused: no model has them, and a typing error should say so.
pub const MAX_RANK: usize = 32;
