//! Combination of elements of several buffers from left to right, at their storage width.
//!
//! Results are identical to the reference: floats narrower than `f32` are widened, combined and rounded at each step;
//! integers wrap. Loops are compiled for several instruction sets, and the best one available is chosen at run time.

use half::slice::HalfFloatSliceExt;
use half::{bf16, f16};
use partita_ir::dtype::DType;
use partita_ir::layout::Monoid;
use partita_ir::mini_float::MiniFloat;
use partita_ir::ops::{maximum, minimum};
use pulp::{Arch, Simd, WithSimd};
use std::marker::PhantomData;

/// Bytes of elements that are combined at a time, so that the accumulator stays in the L1 cache.
pub(super) const FOLD_BLOCK_BYTES: usize = 4 << 10;

/// Reduction operator on elements of type `T`.
pub(super) trait Combine<T: Copy> {
    /// Combines two elements.
    fn combine(a: T, b: T) -> T;

    /// Combines each element of `other` into the corresponding element of `into`.
    #[inline(always)]
    fn combine_all(into: &mut [T], other: &[T]) {
        for (x, &y) in into.iter_mut().zip(other) {
            *x = Self::combine(*x, y);
        }
    }
}

struct Sum;
struct Prod;
struct Max;
struct Min;
struct And;
struct Or;

/// Implements [`Combine`] for operators and element types.
macro_rules! combine {
    ($($op:ident $t:ty: |$a:ident, $b:ident| $result:expr;)*) => {$(
        impl Combine<$t> for $op {
            #[inline(always)]
            fn combine($a: $t, $b: $t) -> $t {
                $result
            }
        }
    )*};
}

macro_rules! floats {
    ($($t:ty)*) => {$(combine! {
        Sum $t: |a, b| a + b;
        Prod $t: |a, b| a * b;
        Max $t: |a, b| maximum(a, b);
        Min $t: |a, b| minimum(a, b);
    })*};
}

macro_rules! narrow_floats {
    ($($op:ident)*) => {$(
        combine! { $op bf16: |a, b| round($op::combine(widen(a), widen(b))); }

        impl Combine<f16> for $op {
            #[inline(always)]
            fn combine(a: f16, b: f16) -> f16 {
                f16::from_f32($op::combine(a.to_f32(), b.to_f32()))
            }

            /// Converts in bulk, since hardware conversion, if available, is vectorised.
            #[inline(always)]
            fn combine_all(into: &mut [f16], other: &[f16]) {
                let (mut a, mut b) = ([0f32; 256], [0f32; 256]);
                for (into, other) in into.chunks_mut(256).zip(other.chunks(256)) {
                    let (a, b) = (&mut a[..into.len()], &mut b[..into.len()]);
                    into.convert_to_f32_slice(a);
                    other.convert_to_f32_slice(b);
                    $op::combine_all(a, b);
                    into.convert_from_f32_slice(a);
                }
            }
        }
    )*};
}

macro_rules! ints {
    ($($t:ty)*) => {$(combine! {
        Sum $t: |a, b| a.wrapping_add(b);
        Prod $t: |a, b| a.wrapping_mul(b);
        Max $t: |a, b| a.max(b);
        Min $t: |a, b| a.min(b);
        And $t: |a, b| a & b;
        Or $t: |a, b| a | b;
    })*};
}

macro_rules! narrow_ints {
    ($($t:ident $bits:literal),*) => {$(combine! {
        Sum Narrow<$t, $bits>: |a, b| Narrow(a.0.wrapping_add(b.0) << (8 - $bits) >> (8 - $bits));
        Prod Narrow<$t, $bits>: |a, b| Narrow(a.0.wrapping_mul(b.0) << (8 - $bits) >> (8 - $bits));
        Max Narrow<$t, $bits>: |a, b| Narrow(a.0.max(b.0));
        Min Narrow<$t, $bits>: |a, b| Narrow(a.0.min(b.0));
        And Narrow<$t, $bits>: |a, b| Narrow(a.0 & b.0);
        Or Narrow<$t, $bits>: |a, b| Narrow(a.0 | b.0);
    })*};
}

macro_rules! mini_floats {
    ($($op:ident)*) => {$(
        impl<const FORMAT: usize> Combine<Mini<FORMAT>> for $op {
            #[inline(always)]
            fn combine(a: Mini<FORMAT>, b: Mini<FORMAT>) -> Mini<FORMAT> {
                let format = MiniFloat::ALL[FORMAT];
                Mini(format.encode($op::combine(format.decode(a.0), format.decode(b.0))))
            }
        }
    )*};
}

floats! { f32 f64 }
narrow_floats! { Sum Prod Max Min }
ints! { i64 i32 i16 i8 u64 u32 u16 u8 }
narrow_ints! { i8 4, i8 2, u8 4, u8 2 }
mini_floats! { Sum Prod Max Min }

/// An integer of `BITS` bits, stored in a byte.
#[derive(Clone, Copy)]
#[repr(transparent)]
struct Narrow<T, const BITS: u32>(T);

/// A number of the format with this index in [`MiniFloat::ALL`], stored as its bits.
#[derive(Clone, Copy)]
#[repr(transparent)]
struct Mini<const FORMAT: usize>(u8);

/// Equivalent of [`bf16::to_f32`] without a branch, so that loops over it are vectorised.
#[inline(always)]
fn widen(x: bf16) -> f32 {
    f32::from_bits(u32::from(x.to_bits()) << 16)
}

/// Equivalent of [`bf16::from_f32`] (round to nearest, ties to even) without a branch.
#[inline(always)]
fn round(x: f32) -> bf16 {
    let bits = x.to_bits();
    let nearest = bits.wrapping_add(0x7FFF + (bits >> 16 & 1)) >> 16;
    bf16::from_bits(if x.is_nan() { bits >> 16 | 0x40 } else { nearest } as u16)
}

/// Combines all sources into `into`. `sources` is not empty, and each source is as long as `into`.
pub(super) fn fold<T: Copy, C: Combine<T>>(into: &mut [T], sources: &[&[T]]) {
    Arch::new().dispatch(Fold { into, sources, op: PhantomData::<C> });
}

struct Fold<'a, T, C> {
    into: &'a mut [T],
    sources: &'a [&'a [T]],
    op: PhantomData<C>,
}

impl<T: Copy, C: Combine<T>> WithSimd for Fold<'_, T, C> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        if let [first, rest @ ..] = self.sources {
            self.into.copy_from_slice(first);
            for source in rest {
                C::combine_all(self.into, source);
            }
        }
    }
}

/// Kernel that combines `count` elements at all addresses of `from` and writes the result to all addresses of `to`,
/// with non-temporal stores if `stream` is set.
pub(super) type FoldKernel = unsafe fn(from: &[*mut u8], to: &[*mut u8], count: usize, stream: bool);

/// Returns the kernel for a reduction and a dtype, if defined.
pub(super) fn kernel(monoid: Monoid, dtype: DType) -> Option<FoldKernel> {
    use super::perform::fold_at;
    /// Selects the kernel of an operator that is defined for integers.
    macro_rules! on_ints {
        ($op:ident) => {
            match dtype {
                DType::I64 => Some(fold_at::<i64, $op>),
                DType::I32 => Some(fold_at::<i32, $op>),
                DType::I16 => Some(fold_at::<i16, $op>),
                DType::I8 => Some(fold_at::<i8, $op>),
                DType::I4 => Some(fold_at::<Narrow<i8, 4>, $op>),
                DType::I2 => Some(fold_at::<Narrow<i8, 2>, $op>),
                DType::U64 => Some(fold_at::<u64, $op>),
                DType::U32 => Some(fold_at::<u32, $op>),
                DType::U16 => Some(fold_at::<u16, $op>),
                DType::U8 => Some(fold_at::<u8, $op>),
                DType::U4 => Some(fold_at::<Narrow<u8, 4>, $op>),
                DType::U2 => Some(fold_at::<Narrow<u8, 2>, $op>),
                DType::F64 | DType::F32 | DType::F16 | DType::BF16 | DType::Mini(_) | DType::Bool => None,
            }
        };
    }
    /// Selects the kernel of an operator that is defined for all numbers.
    macro_rules! on_numbers {
        ($op:ident) => {
            match dtype {
                DType::F64 => Some(fold_at::<f64, $op>),
                DType::F32 => Some(fold_at::<f32, $op>),
                DType::F16 => Some(fold_at::<f16, $op>),
                DType::BF16 => Some(fold_at::<bf16, $op>),
                DType::Mini(format) => Some(match format {
                    MiniFloat::E5M2 => fold_at::<Mini<0>, $op>,
                    MiniFloat::E5M2Fnuz => fold_at::<Mini<1>, $op>,
                    MiniFloat::E4M3 => fold_at::<Mini<2>, $op>,
                    MiniFloat::E4M3Fn => fold_at::<Mini<3>, $op>,
                    MiniFloat::E4M3Fnuz => fold_at::<Mini<4>, $op>,
                    MiniFloat::E4M3B11Fnuz => fold_at::<Mini<5>, $op>,
                    MiniFloat::E3M4 => fold_at::<Mini<6>, $op>,
                    MiniFloat::E8M0Fnu => fold_at::<Mini<7>, $op>,
                    MiniFloat::E3M2Fn => fold_at::<Mini<8>, $op>,
                    MiniFloat::E2M3Fn => fold_at::<Mini<9>, $op>,
                    MiniFloat::E2M1Fn => fold_at::<Mini<10>, $op>,
                }),
                _ => on_ints!($op),
            }
        };
    }
    match (monoid, dtype) {
        (Monoid::Sum | Monoid::Max | Monoid::Or, DType::Bool) => Some(fold_at::<u8, Or>),
        (Monoid::Prod | Monoid::Min | Monoid::And, DType::Bool) => Some(fold_at::<u8, And>),
        (Monoid::Sum, _) => on_numbers!(Sum),
        (Monoid::Prod, _) => on_numbers!(Prod),
        (Monoid::Max, _) => on_numbers!(Max),
        (Monoid::Min, _) => on_numbers!(Min),
        (Monoid::And, _) => on_ints!(And),
        (Monoid::Or, _) => on_ints!(Or),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bf16_rounding_equals_that_of_half() {
        // Every upper half of an `f32`, with lower halves that cover all rounding cases.
        for upper in 0..=u16::MAX {
            for lower in [0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF] {
                let x = f32::from_bits(u32::from(upper) << 16 | lower);
                assert_eq!(round(x).to_bits(), bf16::from_f32(x).to_bits(), "{x:e}");
            }
            // [`bf16::to_f32`] quiets NaNs.
            let x = bf16::from_bits(upper);
            assert!(x.is_nan() || widen(x).to_bits() == x.to_f32().to_bits(), "{x:e}");
        }
    }
}
