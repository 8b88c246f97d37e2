//! The ONNX frontend: lowers an `.onnx` file of opsets 1 to 28 to a traced program and its weights.
//!
//! [`import`] decodes the messages of a file ([`proto`]), reads tensors from the file or from external data files
//! (`tensors`), and resolves symbolic dimensions with the sizes that the user specifies (`name`). Attributes are
//! checked against the definitions of operations (`schema`). Functions of the model are inlined (`functions`), and
//! nodes are sorted (`order`). The operations on tensors of static shapes are lowered by the files in `import/`.
//! Operations with constant operands are folded, because exporters write shape arithmetic as operations.

mod file;
mod functions;
mod import;
mod name;
mod order;
pub mod proto;
mod schema;
mod tensors;

pub use file::decode;
pub use import::{FixedInput, FixedInputs, Imported, InputValues, OPSETS, import, import_model, import_with_inputs};
pub use name::is_model;
