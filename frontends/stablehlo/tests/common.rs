//! Helpers shared by the tests.

use partita_stablehlo::import;
use std::path::PathBuf;

/// Returns a module with one function of the given body, in the style of JAX.
pub fn module(args: &str, body: &str) -> String {
    format!("module @jit_f {{\n  func.func public @main({args}) -> tensor<f32> {{\n{body}\n  }}\n}}\n")
}

/// Returns the text of the imported program, or the diagnostics.
pub fn imported(text: &str) -> String {
    match import("m.mlir", text) {
        Ok(program) => partita_ir::text::print(&program),
        Err(errors) => shown(&errors),
    }
}

/// Imports a valid text.
pub fn program(name: &str, text: &str) -> partita_ir::program::Program {
    import(name, text).unwrap_or_else(|errors| panic!("{}", shown(&errors)))
}

/// Parses program text.
pub fn parsed(pir: &str) -> partita_ir::program::Program {
    let source = partita_ir::diag::Source::new("p.pir", pir);
    partita_ir::text::parse(&source).unwrap_or_else(|errors| panic!("{}", shown(&errors)))
}

/// Returns the name and the text of a file of test data.
pub fn read(file: &std::path::Path) -> (String, String) {
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let text = std::fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    (name, text)
}

/// Returns the diagnostics of an invalid text.
pub fn refused(text: &str) -> String {
    match import("m.mlir", text) {
        Ok(program) => panic!("imported:\n{}", partita_ir::text::print(&program)),
        Err(errors) => shown(&errors),
    }
}

fn shown(errors: &[partita_ir::diag::Diagnostic]) -> String {
    errors.iter().map(|e| format!("{e}\n")).collect()
}

/// Returns the module files of the test data and of the folder in `PARTITA_DATA`, if set.
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
