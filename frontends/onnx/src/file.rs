//! Reading and decoding of `.onnx` files.
//!
//! Decoding amplifies: a protobuf message of two bytes may become an attribute of several hundred bytes, so that a
//! small file could exhaust memory. The protobuf fields of a file are therefore counted and limited before it is
//! decoded.

use crate::proto::ModelProto;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::input_file::{self, FileLimit};
use prost::Message;
use prost::bytes::{Buf, Bytes};
use prost::encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field};
use std::path::Path;

/// Maximum number of protobuf fields of a file: nodes, names, attributes, and numbers that are not packed. On 64-bit
/// targets a decoded node takes about 144 bytes, a tensor 232 and an attribute 368, in addition to their data.
const MAX_FIELDS: usize = 1 << 23;

/// Reads an ONNX file.
///
/// # Errors
/// Returns `C001` if the file cannot be read, `F002` if it is damaged, `T004` if it is too long or has too many fields.
pub fn read(path: &Path) -> Result<ModelProto, Diagnostic> {
    let bytes = input_file::read(path, FileLimit::ONNX)?;
    decode(bytes.into(), &path.display().to_string())
}

/// Decodes an ONNX file; `name` is its name in messages.
///
/// # Errors
/// Returns `F002` if the file is damaged, `T004` if it has too many fields.
pub fn decode(bytes: Bytes, name: &str) -> Result<ModelProto, Diagnostic> {
    let damaged = |e: prost::DecodeError| {
        Diagnostic::new(Code::F002, format!("`{name}` is truncated, or not an ONNX file")).note(e.to_string())
    };
    if count_fields(bytes.clone(), &MODEL, 0).map_err(damaged)? > MAX_FIELDS {
        return Err(Diagnostic::new(
            Code::T004,
            format!("`{name}` has more than {MAX_FIELDS} nodes, names and numbers"),
        ));
    }
    ModelProto::decode(bytes).map_err(damaged)
}

/// Nested messages deeper than this are rejected by the decoder, which has the same limit.
const MAX_DEPTH: usize = 100;

/// Schema of a message for counting fields: the field numbers of its nested messages, with their schemas.
struct MessageSchema(&'static [(u32, &'static MessageSchema)]);

static ENTRY: MessageSchema = MessageSchema(&[]);
static TENSOR: MessageSchema = MessageSchema(&[(13, &ENTRY)]);
static SPARSE_TENSOR: MessageSchema = MessageSchema(&[(1, &TENSOR)]);
static ATTRIBUTE: MessageSchema = MessageSchema(&[(5, &TENSOR), (6, &GRAPH), (11, &GRAPH)]);
static NODE: MessageSchema = MessageSchema(&[(5, &ATTRIBUTE)]);
static DIMENSION: MessageSchema = MessageSchema(&[]);
static SHAPE: MessageSchema = MessageSchema(&[(1, &DIMENSION)]);
static TENSOR_TYPE: MessageSchema = MessageSchema(&[(2, &SHAPE)]);
static ELEMENT_TYPE: MessageSchema = MessageSchema(&[(1, &TYPE)]);
static TYPE: MessageSchema = MessageSchema(&[(1, &TENSOR_TYPE), (4, &ELEMENT_TYPE), (9, &ELEMENT_TYPE)]);
static VALUE: MessageSchema = MessageSchema(&[(2, &TYPE)]);
static GRAPH: MessageSchema =
    MessageSchema(&[(1, &NODE), (5, &TENSOR), (11, &VALUE), (12, &VALUE), (13, &VALUE), (15, &SPARSE_TENSOR)]);
static OPSET: MessageSchema = MessageSchema(&[]);
static FUNCTION: MessageSchema = MessageSchema(&[(7, &NODE), (9, &OPSET), (11, &ATTRIBUTE)]);
static MODEL: MessageSchema = MessageSchema(&[(7, &GRAPH), (8, &OPSET), (25, &FUNCTION)]);

/// Returns the number of fields of a message, including the fields of nested messages that are in the schema. `depth`
/// is the number of messages around it.
fn count_fields(mut bytes: Bytes, message: &MessageSchema, depth: usize) -> Result<usize, prost::DecodeError> {
    let mut count = 0;
    while bytes.has_remaining() {
        let (tag, wire) = decode_key(&mut bytes)?;
        count += 1;
        match message.0.iter().find(|(known, _)| *known == tag && wire == WireType::LengthDelimited) {
            Some((_, inner)) if depth < MAX_DEPTH => {
                let length = decode_varint(&mut bytes)?;
                let length = usize::try_from(length).unwrap_or(usize::MAX).min(bytes.remaining());
                count += count_fields(bytes.split_to(length), inner, depth + 1)?;
            }
            _ => skip_field(wire, tag, &mut bytes, DecodeContext::default())?,
        }
    }
    Ok(count)
}
