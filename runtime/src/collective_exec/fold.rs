//! Combination of elements of several buffers from left to right, at their storage width.
//!
//! Results are identical to the reference: floats narrower than `f32` are widened, combined and rounded at each step;
//! integers wrap. Loops are compiled for several instruction sets, and the best one available is chosen at run time.

use half::slice::HalfFloatSliceExt;
use half::{bf16, f16};
use partita_ir::dtype::DType;
use partita_ir::layout::Monoid;
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

floats! { f32 f64 }
narrow_floats! { Sum Prod Max Min }
ints! { i64 i32 i8 u64 u32 u8 }

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
    /// Selects the kernel of an operator for each supported dtype.
    macro_rules! kernel_of {
        ($op:ident: $($dtype:ident $t:ty),*) => {
            match dtype {
                $(DType::$dtype => Some(fold_at::<$t, $op>),)*
                #[allow(unreachable_patterns)]
                _ => None,
            }
        };
    }
    match (monoid, dtype) {
        (Monoid::Sum | Monoid::Max | Monoid::Or, DType::Bool) => Some(fold_at::<u8, Or>),
        (Monoid::Prod | Monoid::Min | Monoid::And, DType::Bool) => Some(fold_at::<u8, And>),
        (Monoid::Sum, _) => {
            kernel_of!(Sum: F64 f64, F32 f32, F16 f16, BF16 bf16, I64 i64, I32 i32, I8 i8, U64 u64, U32 u32, U8 u8)
        }
        (Monoid::Prod, _) => {
            kernel_of!(Prod: F64 f64, F32 f32, F16 f16, BF16 bf16, I64 i64, I32 i32, I8 i8, U64 u64, U32 u32, U8 u8)
        }
        (Monoid::Max, _) => {
            kernel_of!(Max: F64 f64, F32 f32, F16 f16, BF16 bf16, I64 i64, I32 i32, I8 i8, U64 u64, U32 u32, U8 u8)
        }
        (Monoid::Min, _) => {
            kernel_of!(Min: F64 f64, F32 f32, F16 f16, BF16 bf16, I64 i64, I32 i32, I8 i8, U64 u64, U32 u32, U8 u8)
        }
        (Monoid::And, _) => kernel_of!(And: I64 i64, I32 i32, I8 i8, U64 u64, U32 u32, U8 u8),
        (Monoid::Or, _) => kernel_of!(Or: I64 i64, I32 i32, I8 i8, U64 u64, U32 u32, U8 u8),
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
