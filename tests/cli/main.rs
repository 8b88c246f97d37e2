//! The command line from outside: what it prints, and how it ends.

mod errors;
mod garbage;
mod plan;
mod render;
mod run;
#[cfg(test)]
mod support;
