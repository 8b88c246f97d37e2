//! Program text (`.pir`): printer and parser, with `parse(print(p)) == p.compact()`.

mod parse;
mod print;
mod types;

pub use parse::parse;
pub use print::{print, print_op, print_with_origins};
pub use types::{parse_type, print_type, write_type};
