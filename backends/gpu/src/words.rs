//! Conversion between tensors and the 32-bit words of device buffers.

use crate::target::Target;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::{DType, Type};
use partita_ir::tensor::{Data, Tensor};

/// Largest absolute value of an `i64` input. GPUs compute with 32 bits; half of their range leaves room for the sum of
/// two values.
pub const MAX_I64: i64 = 1 << 30;

/// Converts a tensor that is an input of the program to words.
///
/// # Errors
/// The errors of [`from_tensor`], and `R004` for an `i64` beyond [`MAX_I64`].
pub fn from_input(tensor: &Tensor, target: Target, name: &str) -> Result<Vec<u32>, Diagnostic> {
    if let Data::Int(items) = &tensor.data
        && tensor.ty.dtype == DType::I64
        && let Some(large) = items.iter().find(|item| !(-MAX_I64..=MAX_I64).contains(item))
    {
        let title = format!("`{name}` contains {large}, but GPU kernels compute `i64` with 32 bits");
        return Err(Diagnostic::new(Code::R004, title).note(format!("the largest supported magnitude is {MAX_I64}")));
    }
    from_tensor(tensor, target, name)
}

/// Converts a tensor to words, with the element width of the target. `name` is for messages.
///
/// # Errors
/// `R004` for an unsupported element type, and for an `i64` that does not fit into 32 bits.
pub fn from_tensor(tensor: &Tensor, target: Target, name: &str) -> Result<Vec<u32>, Diagnostic> {
    check_dtype(tensor.ty.dtype, name)?;
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

/// Converts words to a tensor of type `ty`.
pub fn to_tensor(ty: &Type, target: Target, words: &[u32]) -> Tensor {
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
        |_| Diagnostic::new(Code::R004, format!("`{name}` contains {x}, which does not fit into 32 bits on a GPU"));
    i32::try_from(x).map(|x| x as u32).map_err(too_wide)
}

/// Checks that an element type is supported on GPUs.
///
/// # Errors
/// `R004` for an unsupported element type.
pub fn check_dtype(dtype: DType, name: &str) -> Result<(), Diagnostic> {
    match dtype {
        DType::F32 | DType::F16 | DType::BF16 | DType::I64 | DType::I32 | DType::U32 | DType::Bool => Ok(()),
        _ => {
            let title = format!("`{name}` is {}, which GPU kernels do not support", dtype.name());
            Err(Diagnostic::new(Code::R004, title).help("use f32: --precision f32"))
        }
    }
}
