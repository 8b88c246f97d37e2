//! Tensors as the words of 32 bits that GPUs hold.

use crate::target::Target;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::{DType, Type};
use partita_ir::tensor::{Data, Tensor};

/// The largest `i64` that is brought to a GPU, which computes with 32 bits: half of what these hold, so that a sum of
/// two fits, too.
pub const LARGEST: i64 = 1 << 30;

/// The elements of a tensor that comes from outside.
///
/// # Errors
/// As [`of`], and `R004` for an `i64` beyond [`LARGEST`].
pub fn brought(tensor: &Tensor, target: Target, name: &str) -> Result<Vec<u32>, Diagnostic> {
    if let Data::Int(items) = &tensor.data
        && tensor.ty.dtype == DType::I64
        && let Some(large) = items.iter().find(|item| !(-LARGEST..=LARGEST).contains(item))
    {
        let title = format!("`{name}` has {large}, and kernels compute `i64` with 32 bits");
        return Err(Diagnostic::new(Code::R004, title).note(format!("they take up to {LARGEST}")));
    }
    of(tensor, target, name)
}

/// The elements of a tensor, as wide as the target has them. `name` is what messages call it.
///
/// # Errors
/// `R004` for an element type that GPUs do not have, and for an `i64` that has more than 32 bits.
pub fn of(tensor: &Tensor, target: Target, name: &str) -> Result<Vec<u32>, Diagnostic> {
    check(tensor.ty.dtype, name)?;
    if target.width(tensor.ty.dtype) == 2 {
        let mut bytes = tensor.to_bytes();
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        return Ok(bytemuck::pod_collect_to_vec(&bytes));
    }
    match &tensor.data {
        Data::F32(items) => Ok(items.iter().map(|x| x.to_bits()).collect()),
        Data::F64(items) => Ok(items.iter().map(|&x| (x as f32).to_bits()).collect()),
        Data::Int(items) if tensor.ty.dtype == DType::I64 => items.iter().map(|&x| narrowed(x, name)).collect(),
        Data::Int(items) => Ok(items.iter().map(|&x| x as u32).collect()),
    }
}

/// The tensor of that type that words are.
pub fn tensor(ty: &Type, target: Target, words: &[u32]) -> Tensor {
    match ty.dtype {
        DType::F16 | DType::BF16 if target.width(ty.dtype) == 2 => {
            Tensor::from_bytes(ty.clone(), &bytemuck::cast_slice(words)[..ty.bytes() as usize])
        }
        DType::F32 | DType::F16 | DType::BF16 => {
            Tensor { ty: ty.clone(), data: Data::F32(words.iter().map(|&w| f32::from_bits(w)).collect()) }
        }
        DType::U32 => Tensor::from_ints(ty.clone(), words.iter().map(|&w| i64::from(w)).collect()),
        DType::Bool => Tensor::from_ints(ty.clone(), words.iter().map(|&w| i64::from(w != 0)).collect()),
        _ => Tensor::from_ints(ty.clone(), words.iter().map(|&w| i64::from(w as i32)).collect()),
    }
}

fn narrowed(x: i64, name: &str) -> Result<u32, Diagnostic> {
    let too_wide =
        |_| Diagnostic::new(Code::R004, format!("`{name}` has {x}, which does not fit into 32 bits of a GPU"));
    i32::try_from(x).map(|x| x as u32).map_err(too_wide)
}

/// Refuses element types that are not held as words.
///
/// # Errors
/// `R004` for those.
pub fn check(dtype: DType, name: &str) -> Result<(), Diagnostic> {
    match dtype {
        DType::F32 | DType::F16 | DType::BF16 | DType::I64 | DType::I32 | DType::U32 | DType::Bool => Ok(()),
        DType::F64 | DType::I8 | DType::U8 | DType::U64 => {
            let title = format!("`{name}` is {}, which kernels for GPUs do not have", dtype.name());
            Err(Diagnostic::new(Code::R004, title).help("use f32: --precision f32"))
        }
    }
}
