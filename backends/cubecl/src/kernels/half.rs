//! `f16` and `bf16`. Registers store them as rounded `f32`.

use cubecl::prelude::*;
use half::{bf16, f16};
use partita_ir::dtype::DType;

/// A 16-bit float type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Half {
    Bf16,
    F16,
}

impl Half {
    /// Returns the 16-bit float type of a dtype.
    pub(crate) fn from_dtype(dtype: DType) -> Option<Half> {
        match dtype {
            DType::BF16 => Some(Half::Bf16),
            DType::F16 => Some(Half::F16),
            _ => None,
        }
    }
}

/// Rounds to the nearest 16-bit float by bit operations, since not every target supports these types.
#[cube]
pub(crate) fn rounded(x: f32, #[comptime] half: Half) -> f32 {
    let bits = u32::reinterpret(x);
    match half {
        Half::Bf16 => {
            let nearest = (bits + 0x7fffu32 + (bits >> 16u32 & 1u32)) & 0xffff_0000u32;
            f32::reinterpret(select(x.is_nan(), bits, nearest))
        }
        Half::F16 => {
            let sign = bits & 0x8000_0000u32;
            let size = bits & 0x7fff_ffffu32;
            let nearest = (size + 0xfffu32 + (size >> 13u32 & 1u32)) & 0xffff_e000u32;
            // Values from here on round to infinity.
            let nearest = select(size >= 0x477f_f000u32 && size <= 0x7f80_0000u32, 0x7f80_0000u32, nearest);
            // Subnormal numbers have the spacing of `f32` numbers near one half.
            let small = u32::reinterpret((f32::reinterpret(size) + 0.5) - 0.5);
            let nearest = select(size < 0x3880_0000u32, small, nearest);
            f32::reinterpret(select(x.is_nan(), bits, nearest | sign))
        }
    }
}

/// Converts the bits of a 16-bit float to `f32`.
#[cube]
pub(crate) fn widened(bits: u32, #[comptime] half: Half) -> f32 {
    match half {
        Half::Bf16 => f32::reinterpret(bits << 16u32),
        Half::F16 => f32::cast_from(f16::reinterpret(u16::cast_from(bits))),
    }
}

/// Returns the bits of the nearest 16-bit float.
#[cube]
pub(crate) fn narrowed(x: f32, #[comptime] half: Half) -> u16 {
    match half {
        Half::Bf16 => u16::reinterpret(bf16::cast_from(x)),
        Half::F16 => u16::reinterpret(f16::cast_from(x)),
    }
}
