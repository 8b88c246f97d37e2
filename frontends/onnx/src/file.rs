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
    if count_fields(bytes.clone(), MODEL).map_err(damaged)? > MAX_FIELDS {
        return Err(Diagnostic::new(
            Code::T004,
            format!("`{name}` has more than {MAX_FIELDS} nodes, names and numbers"),
        ));
    }
    ModelProto::decode(bytes).map_err(damaged)
}

/// Schema of a message for counting fields: the field numbers of its nested messages, with their schemas.
struct MessageSchema(&'static [(u32, &'static MessageSchema)]);

const TENSOR: &MessageSchema = &MessageSchema(&[(13, &MessageSchema(&[]))]);
const NODE: &MessageSchema = &MessageSchema(&[(5, &MessageSchema(&[(5, TENSOR)]))]);
const SHAPE: &MessageSchema = &MessageSchema(&[(1, &MessageSchema(&[]))]);
const INPUT: &MessageSchema = &MessageSchema(&[(2, &MessageSchema(&[(1, &MessageSchema(&[(2, SHAPE)]))]))]);
const GRAPH: &MessageSchema =
    &MessageSchema(&[(1, NODE), (5, TENSOR), (11, INPUT), (12, INPUT), (15, &MessageSchema(&[(1, TENSOR)]))]);
const MODEL: &MessageSchema = &MessageSchema(&[(7, GRAPH), (8, &MessageSchema(&[]))]);

/// Returns the number of fields of a message, including the fields of nested messages that are in the schema.
fn count_fields(mut bytes: Bytes, message: &MessageSchema) -> Result<usize, prost::DecodeError> {
    let mut count = 0;
    while bytes.has_remaining() {
        let (tag, wire) = decode_key(&mut bytes)?;
        count += 1;
        match message.0.iter().find(|(known, _)| *known == tag && wire == WireType::LengthDelimited) {
            Some((_, inner)) => {
                let length = decode_varint(&mut bytes)?;
                let length = usize::try_from(length).unwrap_or(usize::MAX).min(bytes.remaining());
                count += count_fields(bytes.split_to(length), inner)?;
            }
            None => skip_field(wire, tag, &mut bytes, DecodeContext::default())?,
        }
    }
    Ok(count)
}
