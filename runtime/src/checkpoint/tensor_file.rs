//! Layout of a safetensors file that is written in one pass, without the tensors in memory.
//!
//! The header has the form that the crate `safetensors` writes, so that a file is the same whether it was written from
//! memory or from shards.

use crate::extent::Extent;
use crate::io::{file_dtype, stored_dtype};
use partita_ir::dtype::{DType, Type};
use partita_ir::numeric::cast;
use partita_ir::tensor::Tensor;
use std::borrow::Cow;
use std::io::{self, Write};

/// Header of a file and the positions of its tensors.
pub(crate) struct TensorFile {
    /// Length of the header in eight bytes, and the header.
    pub(crate) header: Vec<u8>,
    /// Numbers of the tensors, in the order of the file.
    pub(crate) order: Vec<usize>,
    /// Position of each tensor in the file, by number.
    pub(crate) offsets: Vec<u64>,
    /// Number of bytes of the file.
    pub(crate) bytes: u64,
}

impl TensorFile {
    /// Lays out a file with tensors of the given names and types, and texts in its metadata.
    ///
    /// # Errors
    /// A header that exceeds the limit of the format.
    pub(crate) fn new(tensors: &[(&str, Type)], metadata: &[(&str, String)]) -> Result<TensorFile, String> {
        /// Limit of the format.
        const MAX_HEADER_BYTES: usize = 100_000_000;
        let mut order: Vec<usize> = (0..tensors.len()).collect();
        let key = |&i: &usize| (std::cmp::Reverse(file_dtype(tensors[i].1.dtype)), tensors[i].0);
        order.sort_by(|a, b| key(a).cmp(&key(b)));
        let json = |text: &str| serde_json::to_string(text).map_err(|e| e.to_string());
        let mut fields = Vec::with_capacity(tensors.len() + 1);
        if !metadata.is_empty() {
            let texts = metadata.iter().map(|(key, text)| Ok(format!("{}:{}", json(key)?, json(text)?)));
            let texts = texts.collect::<Result<Vec<_>, String>>()?;
            fields.push(format!("\"__metadata__\":{{{}}}", texts.join(",")));
        }
        let (mut starts, mut end) = (vec![0; tensors.len()], 0);
        for &i in &order {
            let (name, ty) = &tensors[i];
            starts[i] = end;
            end += stored_bytes(ty);
            let dtype = serde_json::to_string(&file_dtype(ty.dtype)).map_err(|e| e.to_string())?;
            let (name, shape) = (json(name)?, serde_json::to_string(&ty.shape[..]).map_err(|e| e.to_string())?);
            fields
                .push(format!("{name}:{{\"dtype\":{dtype},\"shape\":{shape},\"data_offsets\":[{},{end}]}}", starts[i]));
        }
        let mut text = format!("{{{}}}", fields.join(","));
        text.extend(std::iter::repeat_n(' ', text.len().next_multiple_of(8) - text.len()));
        if text.len() > MAX_HEADER_BYTES {
            return Err(format!("the header has {} bytes, but the format allows {MAX_HEADER_BYTES}", text.len()));
        }
        let header = [&(text.len() as u64).to_le_bytes()[..], text.as_bytes()].concat();
        let base = header.len() as u64;
        let offsets = starts.iter().map(|start| base + start).collect();
        Ok(TensorFile { header, order, offsets, bytes: base + end })
    }

    /// Writes the file. `tensor` writes the bytes of a tensor, given its number.
    ///
    /// # Errors
    /// Errors of `out` and `tensor`.
    pub(crate) fn write(
        &self,
        out: &mut dyn Write,
        mut tensor: impl FnMut(usize, &mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        out.write_all(&self.header)?;
        self.order.iter().try_for_each(|&i| tensor(i, out))
    }
}

/// Returns the number of bytes of a tensor in a file.
pub(crate) fn stored_bytes(ty: &Type) -> u64 {
    ty.shape.count() as u64 * stored_dtype(ty.dtype).bytes()
}

/// Converts elements from their form in memory to their form in a file.
pub(crate) fn encode<'b>(bytes: &'b [u8], part: &Extent, dtype: DType) -> Cow<'b, [u8]> {
    match stored_dtype(dtype) {
        stored if stored == dtype => Cow::Borrowed(bytes),
        stored => Cow::Owned(converted(bytes, part, dtype, stored)),
    }
}

/// Converts elements from their form in a file to their form in memory.
pub(crate) fn decode<'b>(bytes: &'b [u8], part: &Extent, dtype: DType) -> Cow<'b, [u8]> {
    match stored_dtype(dtype) {
        stored if stored == dtype => Cow::Borrowed(bytes),
        stored => Cow::Owned(converted(bytes, part, stored, dtype)),
    }
}

fn converted(bytes: &[u8], part: &Extent, from: DType, to: DType) -> Vec<u8> {
    let ty = Type { shape: part.shape(), dtype: from };
    cast(&Tensor::from_bytes(ty, bytes), to).to_bytes()
}
