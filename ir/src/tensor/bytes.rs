//! Conversion of tensors to and from bytes: each element in the width of its element type, little-endian, as in files
//! and in device memory.

use super::{Data, Tensor};
use crate::dtype::{DType, Type};

impl Tensor {
    /// Creates a tensor from its bytes, whose number must be [`Type::bytes`].
    pub fn from_bytes(ty: Type, bytes: &[u8]) -> Tensor {
        fn each<const N: usize, T>(bytes: &[u8], read: impl Fn([u8; N]) -> T) -> Vec<T> {
            bytes.as_chunks().0.iter().map(|&chunk| read(chunk)).collect()
        }
        let data = match ty.dtype {
            DType::F64 => Data::F64(each(bytes, f64::from_le_bytes)),
            DType::F32 => Data::F32(each(bytes, f32::from_le_bytes)),
            DType::F16 => Data::F32(each(bytes, |b| half::f16::from_le_bytes(b).to_f32())),
            DType::BF16 => Data::F32(each(bytes, |b| half::bf16::from_le_bytes(b).to_f32())),
            DType::I64 | DType::U64 => Data::Int(each(bytes, i64::from_le_bytes)),
            DType::I32 => Data::Int(each(bytes, |b| i32::from_le_bytes(b).into())),
            DType::U32 => Data::Int(each(bytes, |b| u32::from_le_bytes(b).into())),
            DType::I16 => Data::Int(each(bytes, |b| i16::from_le_bytes(b).into())),
            DType::U16 => Data::Int(each(bytes, |b| u16::from_le_bytes(b).into())),
            DType::I8 | DType::I4 | DType::I2 => Data::Int(each(bytes, |b| i8::from_le_bytes(b).into())),
            DType::U8 | DType::U4 | DType::U2 => Data::Int(each(bytes, |[b]| b.into())),
            DType::Mini(format) => Data::F32(each(bytes, |[b]| format.decode(b))),
            DType::Bool => Data::Int(each(bytes, |[b]| i64::from(b != 0))),
        };
        match ty.dtype.bits() {
            // Bytes may contain more bits than the element type.
            2..8 => Tensor { ty, data }.wrapped(),
            _ => Tensor { ty, data },
        }
    }

    /// Returns the tensor as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = vec![0; self.ty.bytes() as usize];
        self.write_bytes(&mut out);
        out
    }

    /// Writes the tensor to `out`, whose length must be [`Type::bytes`].
    pub fn write_bytes(&self, out: &mut [u8]) {
        fn all<T: Copy, const N: usize>(items: &[T], out: &mut [u8], write: impl Fn(T) -> [u8; N]) {
            out.chunks_exact_mut(N).zip(items).for_each(|(out, &x)| out.copy_from_slice(&write(x)));
        }
        match (&self.data, self.ty.dtype) {
            (Data::F64(v), _) => all(v, out, f64::to_le_bytes),
            (Data::F32(v), DType::F16) => all(v, out, |x| half::f16::from_f32(x).to_le_bytes()),
            (Data::F32(v), DType::BF16) => all(v, out, |x| half::bf16::from_f32(x).to_le_bytes()),
            (Data::F32(v), DType::Mini(format)) => all(v, out, |x| [format.encode(x)]),
            (Data::F32(v), _) => all(v, out, f32::to_le_bytes),
            // Truncation preserves the value of a wrapped integer, signed or unsigned.
            (Data::Int(v), dtype) => match dtype.bytes() {
                8 => all(v, out, i64::to_le_bytes),
                4 => all(v, out, |x| (x as i32).to_le_bytes()),
                2 => all(v, out, |x| (x as i16).to_le_bytes()),
                _ => all(v, out, |x| [x as u8]),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::Scalar;

    #[test]
    fn every_dtype_round_trips_through_bytes() {
        for dtype in DType::ALL {
            let ty = Type::new(dtype, [2, 3]);
            let tensor = Tensor::from_floats(ty.clone(), vec![0.25, 1.0, -2.5, 127.0, 0.1, -1.0]);
            let bytes = tensor.to_bytes();
            assert_eq!(bytes.len() as u64, ty.bytes(), "{dtype}");
            let back = Tensor::from_bytes(ty, &bytes);
            let same = |(a, b): (Scalar, Scalar)| a == b || a.to_f64().is_nan() && b.to_f64().is_nan();
            assert!(back.scalars().zip(tensor.scalars()).all(same), "{dtype}");
        }
        let ints = |dtype, x| Tensor::from_ints(Type::new(dtype, [1]), vec![x]).to_bytes();
        assert_eq!(ints(DType::I32, -2), [0xfe, 0xff, 0xff, 0xff]);
        assert_eq!(ints(DType::U8, 200), [200]);
        let half = Tensor::from_floats(Type::new(DType::F16, [1]), vec![1.5]);
        assert_eq!((half.to_bytes(), half.get(0).to_f64()), (vec![0x00, 0x3e], 1.5));
    }
}
