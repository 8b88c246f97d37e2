//! Program text (`.pir`): printer and parser, with `parse(print(p)) == p.compact()`.

pub mod attr;
pub mod lex;
mod parse;
mod print;
mod types;

pub use attr::Attr;
pub use lex::Cursor;
pub use parse::parse;
pub use print::{print, print_op, print_with_origins};
pub use types::{MAX_RANK, write_type};
