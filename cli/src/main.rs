//! The binary `partita`.

use std::process::ExitCode;

/// Passes allocate many small lists; the system's allocator is about a third slower.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    partita_cli::main()
}
