//! Combining elements of several buffers, from left to right, at the width at which they lie in memory.
//!
//! The numbers are those of the reference: floats narrower than `f32` are widened, combined and rounded, one by one;
//! integers wrap. Loops are compiled for several instruction sets, of which the machine's best is taken when the
//! program runs.

use half::slice::HalfFloatSliceExt;
use half::{bf16, f16};
use partita_ir::dtype::DType;
use partita_ir::layout::Monoid;
use partita_ir::ops::{maximum, minimum};
use pulp::{Arch, Simd, WithSimd};
use std::marker::PhantomData;

/// Elements that are combined at a time: what they add up to stays in the first cache.
pub(super) const BLOCK_BYTES: usize = 4 << 10;

/// Combines elements.
pub(super) trait Combine<T: Copy> {
    /// The combination of two.
    fn combine(a: T, b: T) -> T;

    /// Combines each element of `into` with that of `other`.
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

/// What an operator does to elements of a type.
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

            /// Machines convert several at a time, if at all.
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

/// [`bf16::to_f32`] without a branch, so that loops over it are vectorised.
#[inline(always)]
fn widen(x: bf16) -> f32 {
    f32::from_bits(u32::from(x.to_bits()) << 16)
}

/// [`bf16::from_f32`], to nearest and ties to even, without a branch.
#[inline(always)]
fn round(x: f32) -> bf16 {
    let bits = x.to_bits();
    let nearest = bits.wrapping_add(0x7FFF + (bits >> 16 & 1)) >> 16;
    bf16::from_bits(if x.is_nan() { bits >> 16 | 0x40 } else { nearest } as u16)
}

/// Combines all sources, which are as long as `into` and of which there is one at least, into it.
pub(super) fn fold<T: Copy, C: Combine<T>>(into: &mut [T], sources: &[&[T]]) {
    Arch::new().dispatch(Fold { into, sources, how: PhantomData::<C> });
}

struct Fold<'a, T, C> {
    into: &'a mut [T],
    sources: &'a [&'a [T]],
    how: PhantomData<C>,
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

/// Combines so many elements that lie at each of `from` into those at each of `to`, past the caches if `stream` says
/// so.
pub(super) type Kernel = unsafe fn(from: &[*mut u8], to: &[*mut u8], count: usize, stream: bool);

/// The kernel for a monoid and a dtype, if it is defined.
pub(super) fn kernel(monoid: Monoid, dtype: DType) -> Option<Kernel> {
    use super::perform::fold_at as at;
    /// The kernel of an operator for every dtype that has it.
    macro_rules! of {
        ($op:ident: $($dtype:ident $t:ty),*) => {
            match dtype {
                $(DType::$dtype => Some(at::<$t, $op>),)*
                #[allow(unreachable_patterns)]
                _ => None,
            }
        };
    }
    match (monoid, dtype) {
        (Monoid::Sum | Monoid::Max | Monoid::Or, DType::Bool) => Some(at::<u8, Or>),
        (Monoid::Prod | Monoid::Min | Monoid::And, DType::Bool) => Some(at::<u8, And>),
        (Monoid::Sum, _) => {
            of!(Sum: F64 f64, F32 f32, F16 f16, BF16 bf16, I64 i64, I32 i32, I8 i8, U64 u64, U32 u32, U8 u8)
        }
        (Monoid::Prod, _) => {
            of!(Prod: F64 f64, F32 f32, F16 f16, BF16 bf16, I64 i64, I32 i32, I8 i8, U64 u64, U32 u32, U8 u8)
        }
        (Monoid::Max, _) => {
            of!(Max: F64 f64, F32 f32, F16 f16, BF16 bf16, I64 i64, I32 i32, I8 i8, U64 u64, U32 u32, U8 u8)
        }
        (Monoid::Min, _) => {
            of!(Min: F64 f64, F32 f32, F16 f16, BF16 bf16, I64 i64, I32 i32, I8 i8, U64 u64, U32 u32, U8 u8)
        }
        (Monoid::And, _) => of!(And: I64 i64, I32 i32, I8 i8, U64 u64, U32 u32, U8 u8),
        (Monoid::Or, _) => of!(Or: I64 i64, I32 i32, I8 i8, U64 u64, U32 u32, U8 u8),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bf16_are_rounded_as_by_the_crate() {
        // Every sign, exponent and kept digit, with the digits beyond in all the ways that matter.
        for kept in 0..=u16::MAX {
            for beyond in [0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF] {
                let x = f32::from_bits(u32::from(kept) << 16 | beyond);
                assert_eq!(round(x).to_bits(), bf16::from_f32(x).to_bits(), "{x:e}");
            }
            // The crate makes a NaN quiet.
            let x = bf16::from_bits(kept);
            assert!(x.is_nan() || widen(x).to_bits() == x.to_f32().to_bits(), "{x:e}");
        }
    }
}
