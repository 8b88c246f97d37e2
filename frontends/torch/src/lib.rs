//! The PyTorch frontend: lowers a `.pt2` file, an archive that `torch.export.save` writes, to a traced program and its
//! weights, without PyTorch.
//!
//! An archive is a zip file with a graph of ATen operations in JSON (`schema`) and the bytes of weights. [`import`]
//! reads the entries that it needs (`archive`), declares parameters and buffers under their fully qualified names
//! (`weights`), and lowers the operations by the files of their families in `import/`. Archives of
//! `torch.export.export` and of `ExportedProgram.run_decompositions` are supported; shapes are static.

mod archive;
mod import;
mod name;
mod schema;
mod weights;

pub use import::{Imported, import, import_bytes};
pub use name::is_model;
