//! The binary `partita`.

use std::process::ExitCode;

fn main() -> ExitCode {
    partita::cli::main()
}
