//! An `.onnx` file as its message.
//!
//! A message of two bytes may become a node of hundreds, so that a small file could fill the memory. The parts of a
//! file are counted before they are decoded.

use crate::proto::ModelProto;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::input_file::{self, Limit};
use prost::Message;
use prost::bytes::{Buf, Bytes};
use prost::encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field};
use std::path::Path;

/// Parts that a file may have: nodes, names, attributes, tensors. Each takes some 200 bytes at most.
const MAX_PARTS: usize = 1 << 23;

/// Reads a file.
///
/// # Errors
/// `C001` when the file cannot be read, `F002` when it is damaged, `T004` when it is too long.
pub fn read(path: &Path) -> Result<ModelProto, Diagnostic> {
    let bytes = input_file::read(path, Limit::ONNX)?;
    decode(bytes.into(), &path.display().to_string())
}

/// Decodes a file called `name`.
///
/// # Errors
/// `F002` when it is damaged, `T004` when it has too many parts.
pub fn decode(bytes: Bytes, name: &str) -> Result<ModelProto, Diagnostic> {
    let damaged = |e: prost::DecodeError| {
        Diagnostic::new(Code::F002, format!("`{name}` is truncated, or not an ONNX file")).note(e.to_string())
    };
    if parts(bytes.clone(), MODEL).map_err(damaged)? > MAX_PARTS {
        return Err(Diagnostic::new(
            Code::T004,
            format!("`{name}` has more than {MAX_PARTS} nodes, names and numbers"),
        ));
    }
    ModelProto::decode(bytes).map_err(damaged)
}

/// A message whose fields are counted: those with a number here are messages again.
struct Counted(&'static [(u32, &'static Counted)]);

const TENSOR: &Counted = &Counted(&[(13, &Counted(&[]))]);
const NODE: &Counted = &Counted(&[(5, &Counted(&[(5, TENSOR)]))]);
const SHAPE: &Counted = &Counted(&[(1, &Counted(&[]))]);
const INPUT: &Counted = &Counted(&[(2, &Counted(&[(1, &Counted(&[(2, SHAPE)]))]))]);
const GRAPH: &Counted = &Counted(&[(1, NODE), (5, TENSOR), (11, INPUT), (12, INPUT), (15, &Counted(&[(1, TENSOR)]))]);
const MODEL: &Counted = &Counted(&[(7, GRAPH), (8, &Counted(&[]))]);

/// How many fields a message has, those of messages in it included.
fn parts(mut bytes: Bytes, message: &Counted) -> Result<usize, prost::DecodeError> {
    let mut count = 0;
    while bytes.has_remaining() {
        let (tag, wire) = decode_key(&mut bytes)?;
        count += 1;
        match message.0.iter().find(|(known, _)| *known == tag && wire == WireType::LengthDelimited) {
            Some((_, inner)) => {
                let length = decode_varint(&mut bytes)?;
                let length = usize::try_from(length).unwrap_or(usize::MAX).min(bytes.remaining());
                count += parts(bytes.split_to(length), inner)?;
            }
            None => skip_field(wire, tag, &mut bytes, DecodeContext::default())?,
        }
    }
    Ok(count)
}
