//! Tensors of an ONNX file: element types, and data that is embedded in the message or stored in an external file.
//!
//! The type of a tensor states its size before its data is read. Buffers are allocated only for data that exists in the
//! file.

use crate::proto::TensorProto;
use partita_ir::build::{MAX_DIM, MAX_RANK};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::input_file;
use partita_ir::mini_float::MiniFloat;
use partita_ir::tensor::{Data, Tensor};
use prost::bytes::Bytes;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Component, Path, PathBuf};

/// Value of `TensorProto.DataLocation.EXTERNAL`.
const EXTERNAL: i32 = 1;

/// Returns the element type for a `TensorProto.DataType`, or its ONNX name if the type is not supported.
pub fn dtype_of(number: i32) -> Result<DType, String> {
    Ok(match number {
        1 => DType::F32,
        2 => DType::U8,
        3 => DType::I8,
        6 => DType::I32,
        7 => DType::I64,
        9 => DType::Bool,
        10 => DType::F16,
        11 => DType::F64,
        12 => DType::U32,
        13 => DType::U64,
        16 => DType::BF16,
        4 => DType::U16,
        5 => DType::I16,
        17 => DType::Mini(MiniFloat::E4M3Fn),
        18 => DType::Mini(MiniFloat::E4M3Fnuz),
        19 => DType::Mini(MiniFloat::E5M2),
        20 => DType::Mini(MiniFloat::E5M2Fnuz),
        21 => DType::U4,
        22 => DType::I4,
        23 => DType::Mini(MiniFloat::E2M1Fn),
        24 => DType::Mini(MiniFloat::E8M0Fnu),
        25 => DType::U2,
        26 => DType::I2,
        _ => {
            const NAMES: [(i32, &str); 3] = [(8, "string"), (14, "complex64"), (15, "complex128")];
            let onnx_name = NAMES.iter().find(|(n, _)| *n == number).map(|(_, name)| (*name).to_owned());
            return Err(onnx_name.unwrap_or_else(|| format!("number {number}")));
        }
    })
}

/// Converts a shape of an ONNX file. Errors: too many dimensions, a negative or too large size, or an element count
/// that overflows.
pub fn shape_of(dims: &[i64]) -> Result<Shape, String> {
    if dims.len() > MAX_RANK {
        return Err(format!("has {} dimensions; at most {MAX_RANK} are supported", dims.len()));
    }
    let size = |&n: &i64| usize::try_from(n).ok().filter(|&n| n <= MAX_DIM);
    let shape: Option<Shape> = dims.iter().map(size).collect::<Option<Vec<_>>>().map(|dims| Shape::from(&dims[..]));
    match shape {
        Some(shape) if shape.checked_count().is_some() => Ok(shape),
        _ => Err(format!("has the shape {dims:?}, whose element count overflows")),
    }
}

/// Returns the type of a tensor in the file; `what` names the tensor in messages.
pub fn type_of(proto: &TensorProto, what: &str) -> Result<Type, Diagnostic> {
    let dtype = dtype_of(proto.data_type).map_err(|name| {
        let title = format!("{what} has the element type {name}, which is not supported");
        Diagnostic::new(Code::F003, title)
    })?;
    let shape = shape_of(&proto.dims).map_err(|why| Diagnostic::new(Code::T004, format!("{what} {why}")))?;
    Ok(Type { shape, dtype })
}

/// Reads a tensor of a model; `folder` contains its external data.
pub fn read(proto: &TensorProto, folder: &Path, what: &str) -> Result<Tensor, Diagnostic> {
    let ty = type_of(proto, what)?;
    if proto.data_location == EXTERNAL {
        let bytes = external_bytes(proto, &ty, folder, what)?;
        return unpacked(ty, &bytes, what);
    }
    match &proto.raw_data {
        Some(bytes) => unpacked(ty, bytes, what),
        None => typed_data(proto, ty, what),
    }
}

/// Converts the bytes of a tensor. Elements of less than 8 bits are packed, the first in the lowest bits of a byte.
fn unpacked(ty: Type, bytes: &[u8], what: &str) -> Result<Tensor, Diagnostic> {
    check_count(what, "bytes", stored_bytes(&ty), bytes.len() as u64)?;
    let per_byte = elements_per_byte(ty.dtype);
    if per_byte == 1 {
        return Ok(Tensor::from_bytes(ty, bytes));
    }
    let (bits, count) = (ty.dtype.bits(), ty.shape.count());
    let split = |&byte: &u8| (0..per_byte).map(move |i| byte >> (bits * i) & ((1 << bits) - 1));
    let elements: Vec<u8> = bytes.iter().flat_map(split).take(count).collect();
    Ok(Tensor::from_bytes(ty, &elements))
}

/// Returns the number of bytes that an ONNX file stores for a tensor.
fn stored_bytes(ty: &Type) -> u64 {
    ty.bytes().div_ceil(u64::from(elements_per_byte(ty.dtype)))
}

/// Returns the number of elements that a byte of an ONNX tensor contains, or 1 for elements of several bytes.
fn elements_per_byte(dtype: DType) -> u32 {
    match dtype.bits() {
        2 => 4,
        4 => 2,
        _ => 1,
    }
}

/// Checks that a tensor has as much data as its type requires.
fn check_count(what: &str, unit: &str, wanted: u64, found: u64) -> Result<(), Diagnostic> {
    if wanted == found {
        return Ok(());
    }
    let title = format!("{what} has {found} {unit}, but its type needs {wanted}");
    Err(Diagnostic::new(Code::F002, title))
}

/// Reads a tensor from the typed data fields of the message.
fn typed_data(proto: &TensorProto, ty: Type, what: &str) -> Result<Tensor, Diagnostic> {
    let count = ty.shape.count() as u64;
    let fits = |found: usize| check_count(what, "numbers", count, found as u64);
    Ok(match ty.dtype {
        DType::F64 => {
            fits(proto.double_data.len())?;
            Tensor { ty, data: Data::F64(proto.double_data.clone()) }
        }
        DType::F32 => {
            fits(proto.float_data.len())?;
            Tensor { ty, data: Data::F32(proto.float_data.clone()) }
        }
        DType::F16 | DType::BF16 => {
            fits(proto.int32_data.len())?;
            // 16-bit floats are stored as their bits in `int32_data`.
            let bytes: Vec<u8> = proto.int32_data.iter().flat_map(|&bits| (bits as u16).to_le_bytes()).collect();
            Tensor::from_bytes(ty, &bytes)
        }
        DType::I64 => {
            fits(proto.int64_data.len())?;
            Tensor { ty, data: Data::Int(proto.int64_data.clone()) }
        }
        DType::U64 | DType::U32 => {
            fits(proto.uint64_data.len())?;
            Tensor::from_ints(ty, proto.uint64_data.iter().map(|&x| x as i64).collect())
        }
        DType::Mini(_) | DType::I4 | DType::I2 | DType::U4 | DType::U2 => {
            // Bytes, which contain the bits of a float or packed integers.
            let bytes: Vec<u8> = proto.int32_data.iter().map(|&bits| bits as u8).collect();
            return unpacked(ty, &bytes, what);
        }
        DType::I32 | DType::I16 | DType::I8 | DType::U16 | DType::U8 | DType::Bool => {
            fits(proto.int32_data.len())?;
            Tensor::from_ints(ty, proto.int32_data.iter().map(|&x| i64::from(x)).collect())
        }
    })
}

/// Reads the bytes of a tensor from an external data file.
fn external_bytes(proto: &TensorProto, ty: &Type, folder: &Path, what: &str) -> Result<Bytes, Diagnostic> {
    let entry = |key: &str| proto.external_data.iter().find(|e| e.key == key).map(|e| e.value.as_str());
    let Some(location) = entry("location") else {
        return Err(Diagnostic::new(
            Code::F002,
            format!("{what} is stored in another file, but its `location` is missing"),
        ));
    };
    let number = |key: &str| match entry(key) {
        None => Ok(None),
        Some(text) => text.parse::<u64>().map(Some).map_err(|_| {
            Diagnostic::new(Code::F002, format!("{what} has the {key} `{text}` in `{location}`, which is not a number"))
        }),
    };
    let (offset, length) = (number("offset")?.unwrap_or(0), number("length")?);
    let byte_count = stored_bytes(ty);
    if let Some(length) = length {
        check_count(what, "bytes", byte_count, length)?;
    }
    let path = resolve_external_path(folder, location, what)?;
    let cannot =
        |e: &std::io::Error| Diagnostic::io_error("read", &path, e).note(format!("{what} is stored in this file"));
    let mut file = input_file::open(&path).map_err(|e| e.note(format!("{what} is stored in this file")))?;
    let file_bytes = file.metadata().map_err(|e| cannot(&e))?.len();
    if offset.checked_add(byte_count).is_none_or(|end| end > file_bytes) {
        let title = format!("`{}` ends before {what} does", path.display());
        let note = format!("it has {file_bytes} bytes, and {byte_count} are needed from byte {offset} on");
        return Err(Diagnostic::new(Code::F002, title).note(note));
    }
    file.seek(SeekFrom::Start(offset)).map_err(|e| cannot(&e))?;
    let mut bytes = vec![0; byte_count as usize];
    file.read_exact(&mut bytes).map_err(|e| cannot(&e))?;
    Ok(bytes.into())
}

/// Resolves the path of an external data file, which must be inside the folder of the model after links are resolved.
/// An untrusted model must not read other files.
fn resolve_external_path(folder: &Path, location: &str, what: &str) -> Result<PathBuf, Diagnostic> {
    let outside = |why: &str| {
        let title = format!("{what} is stored in `{location}`, outside of the model's folder");
        Diagnostic::new(Code::F003, title)
            .note(why)
            .help("move the file into the folder of the model, and save the model with the new location")
    };
    let named = Path::new(location);
    if !named.components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir)) || location.is_empty() {
        return Err(outside("a location is a path below the model's folder, without `..`"));
    }
    let path = folder.join(named);
    let cannot = |path: &Path, e: &std::io::Error| {
        Diagnostic::io_error("read", path, e).note(format!("{what} is stored in this file"))
    };
    let real = path.canonicalize().map_err(|e| cannot(&path, &e))?;
    let home = folder.canonicalize().map_err(|e| cannot(folder, &e))?;
    if !real.starts_with(&home) {
        return Err(outside("it is a link that leads out of the folder"));
    }
    Ok(path)
}
