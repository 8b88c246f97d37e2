//! What the tests share.
#![allow(dead_code, reason = "each test binary uses a part")]
#![allow(clippy::panic, reason = "a panic is how a test fails")]

use partita_stablehlo::import;
use std::path::PathBuf;

/// A module with one function of that body, which JAX would print so.
pub fn module(args: &str, body: &str) -> String {
    format!("module @jit_f {{\n  func.func public @main({args}) -> tensor<f32> {{\n{body}\n  }}\n}}\n")
}

/// The program as text.
pub fn imported(text: &str) -> String {
    match import("m.mlir", text) {
        Ok(program) => partita_ir::text::print(&program),
        Err(errors) => shown(&errors),
    }
}

/// The program of a text that must be imported.
pub fn program(name: &str, text: &str) -> partita_ir::program::Program {
    import(name, text).unwrap_or_else(|errors| panic!("{}", shown(&errors)))
}

/// The program of program text.
pub fn parsed(pir: &str) -> partita_ir::program::Program {
    let source = partita_ir::diag::Source::new("p.pir", pir);
    partita_ir::text::parse(&source).unwrap_or_else(|errors| panic!("{}", shown(&errors)))
}

/// The name and the text of a module of the data.
pub fn read(file: &std::path::Path) -> (String, String) {
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let text = std::fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    (name, text)
}

/// The diagnostics of a text that must be refused.
pub fn refused(text: &str) -> String {
    match import("m.mlir", text) {
        Ok(program) => panic!("imported:\n{}", partita_ir::text::print(&program)),
        Err(errors) => shown(&errors),
    }
}

fn shown(errors: &[partita_ir::diag::Diagnostic]) -> String {
    errors.iter().map(|e| format!("{e}\n")).collect()
}

/// The modules of the tests' data, and of the folder that `PARTITA_DATA` adds.
pub fn data_files() -> Vec<PathBuf> {
    let own = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/data");
    let mut files = Vec::new();
    for data in [own].into_iter().chain(std::env::var_os("PARTITA_DATA").map(PathBuf::from)) {
        for folder in ["stablehlo", "stablehlo/depth"] {
            let entries = std::fs::read_dir(data.join(folder)).into_iter().flatten().flatten();
            files.extend(entries.map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "mlir")));
        }
    }
    assert!(!files.is_empty(), "there are no modules");
    files.sort();
    files
}
