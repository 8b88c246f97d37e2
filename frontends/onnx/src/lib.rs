//! The ONNX frontend: an `.onnx` file, of opsets 11 to 21, as a traced program and the weights in it.
//!
//! [`import`] reads a file: its messages ([`proto`]), the numbers in it or in files beside it (`tensors`), the sizes
//! that the user gives to its symbolic dimensions (`name`). Attributes are checked against those that operations have
//! (`schema`). What remains are operations on tensors of known shapes, which the files below `import/` lower. What can
//! be computed from constants alone is computed: exporters spell shapes out in operations.

mod file;
mod import;
mod name;
pub mod proto;
mod schema;
mod tensors;

pub use file::decode;
pub use import::{Imported, OPSETS, import, import_model};
pub use name::is_model;
