//! Weights of an archive: the bytes of storages, and the tensors in them.

use crate::archive::Archive;
use crate::schema::{Payload, PayloadConfig, TensorMeta, TensorType, TypeFault};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::tensor::Tensor;
use rustc_hash::FxHashMap;

/// Folders of the data of parameters and persistent buffers, and of other buffers and constants.
const FOLDERS: [&str; 2] = ["data/weights", "data/constants"];

/// Maximum size of the data of one tensor, in bytes.
const MAX_TENSOR_BYTES: u64 = 1 << 40;

/// Locations of the tensors of an archive.
pub struct WeightIndex {
    /// By fully qualified name, the folder and the data.
    payloads: FxHashMap<String, (&'static str, Payload)>,
}

/// Location of a tensor in the archive.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct TensorLocation<'a> {
    folder: &'static str,
    entry: &'a str,
    offset: usize,
    strides: Vec<usize>,
    ty: TensorType,
}

impl WeightIndex {
    /// Reads the locations.
    ///
    /// # Errors
    /// Returns `F002` for invalid JSON, and the errors of reading an entry.
    pub fn read(archive: &mut Archive) -> Result<WeightIndex, Diagnostic> {
        let mut payloads = FxHashMap::default();
        for folder in FOLDERS {
            let kind = folder.rsplit('/').next().unwrap_or(folder);
            let name = format!("{folder}/model_{kind}_config.json");
            let Some(json) = archive.read_json(&name)? else { continue };
            let config: PayloadConfig = serde_json::from_slice(&json)
                .map_err(|e| archive.damaged(format!("has an invalid entry `{name}`")).note(e.to_string()))?;
            payloads.extend(config.config.into_iter().map(|(name, payload)| (name, (folder, payload))));
        }
        Ok(WeightIndex { payloads })
    }

    /// Returns the location of a tensor in the archive, which tied weights share; `None` if it is not stored as one.
    pub fn location(&self, name: &str) -> Option<TensorLocation<'_>> {
        let (folder, payload) = self.payloads.get(name)?;
        let meta = payload.tensor_meta.as_ref()?;
        let (offset, strides) = meta.layout()?;
        Some(TensorLocation { folder, entry: &payload.path_name, offset, strides, ty: meta.ty().ok()? })
    }

    /// Reads the tensor with the given fully qualified name, which has type `ty` in the graph. Returns the tensor, or
    /// the real and the imaginary parts of complex numbers.
    ///
    /// # Errors
    /// Returns `F002` if the archive lacks the tensor, or if its data does not have this type; `F003` if it is pickled;
    /// and the errors of reading an entry.
    pub fn tensor(&self, archive: &mut Archive, name: &str, ty: &TensorType) -> Result<Vec<Tensor>, Diagnostic> {
        let Some((folder, payload)) = self.payloads.get(name) else {
            return Err(archive.damaged(format!("has no data for `{name}`")));
        };
        if payload.use_pickle {
            let title = format!("`{name}` is stored as a pickled object, which is not read");
            return Err(Diagnostic::new(Code::F003, title).help(
                "save the program again with PyTorch 2.9 or later: `torch.export.save(torch.export.load(OLD), NEW)`",
            ));
        }
        let Some(meta) = &payload.tensor_meta else {
            return Err(archive.damaged(format!("does not state the type of `{name}`")));
        };
        let stored = meta.ty().map_err(|fault| type_diagnostic(&format!("`{name}`"), fault))?;
        if stored != *ty {
            return Err(archive.damaged(format!("has data of {stored} for `{name}`, which is {ty}")));
        }
        let bytes = archive.read(&format!("{folder}/{}", payload.path_name), MAX_TENSOR_BYTES)?;
        match elements(meta, ty, &bytes) {
            Some(elements) => Ok(tensors(ty, &elements)),
            None => {
                let error = archive.damaged(format!("has too little data for `{name}`"));
                Err(error.note(format!("{ty} does not fit its {} bytes", bytes.len())))
            }
        }
    }
}

/// Returns the tensor with these elements, or both parts of complex numbers, which alternate.
fn tensors(ty: &TensorType, elements: &[u8]) -> Vec<Tensor> {
    if !ty.is_complex {
        return vec![Tensor::from_bytes(ty.part.clone(), elements)];
    }
    let width = part_bytes(ty);
    let part = |offset: usize| -> Vec<u8> {
        elements.chunks_exact(2 * width).flat_map(|both| &both[offset..offset + width]).copied().collect()
    };
    [0, width].map(|offset| Tensor::from_bytes(ty.part.clone(), &part(offset))).into()
}

/// Returns the size of an element, or of each part of a complex number, in bytes.
fn part_bytes(ty: &TensorType) -> usize {
    ty.part.dtype.bits().div_ceil(8) as usize
}

/// Returns the bytes of the elements of a tensor in row-major order; `None` if an element is outside of the storage.
fn elements(meta: &TensorMeta, ty: &TensorType, storage: &[u8]) -> Option<Vec<u8>> {
    let (offset, strides) = meta.layout()?;
    let width = part_bytes(ty) * if ty.is_complex { 2 } else { 1 };
    let ty = &ty.part;
    let count = ty.shape.count();
    if count == 0 {
        return Some(Vec::new());
    }
    let reach = ty
        .shape
        .iter()
        .zip(&strides)
        .try_fold(offset, |at, (&n, &stride)| at.checked_add((n - 1).checked_mul(stride)?))?;
    let end = reach.checked_add(1)?.checked_mul(width)?;
    if end > storage.len() {
        return None;
    }
    if strides == ty.shape.strides()[..] || count == 1 {
        return Some(storage.get(offset * width..(offset + count) * width)?.to_vec());
    }
    // Strides of 0 could repeat elements of a small storage without limit.
    if count.checked_mul(width)? > storage.len() {
        return None;
    }
    let mut out = Vec::with_capacity(count * width);
    for i in 0..count {
        let mut rest = i;
        let mut at = offset;
        for (&n, &stride) in ty.shape.iter().zip(&strides).rev() {
            at += rest % n * stride;
            rest /= n;
        }
        out.extend_from_slice(&storage[at * width..(at + 1) * width]);
    }
    Some(out)
}

/// Builds the diagnostic for a tensor whose type is not supported; `what` names the tensor.
pub fn type_diagnostic(what: &str, fault: TypeFault) -> Diagnostic {
    match fault {
        TypeFault::DType(name) => {
            Diagnostic::new(Code::F003, format!("{what} has the element type {name}, which is not supported"))
        }
        TypeFault::Symbolic(dim, expr) => {
            let title = format!("dimension {dim} of {what} is symbolic, but shapes are static");
            Diagnostic::new(Code::F003, title)
                .note(format!("its size is `{}`", symbol_name(&expr)))
                .help("export the model without `dynamic_shapes`: `torch.export.export(model, args)`")
        }
        TypeFault::TooLarge(why) => Diagnostic::new(Code::T004, format!("{what} {why}")),
    }
}

/// Returns the name of a symbol such as `Symbol('s0', integer=True)`; other expressions are returned unchanged.
fn symbol_name(expr: &str) -> &str {
    expr.strip_prefix("Symbol('").and_then(|rest| rest.split('\'').next()).unwrap_or(expr)
}
