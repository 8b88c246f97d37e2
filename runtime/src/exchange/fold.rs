//! Combining elements of several buffers, from left to right, at the width at which they lie in memory.
//!
//! The numbers are those of the reference: floats narrower than `f32` are widened, combined and rounded, one by one; integers wrap.
//! Loops are compiled for several instruction sets, of which the machine's best is taken when the program runs.

use half::{bf16, f16};
use partita_ir::dtype::DType;
use partita_ir::layout::Monoid;
use pulp::{Arch, Simd, WithSimd};
use std::marker::PhantomData;

/// Elements that are combined at a time: what they add up to stays in the first cache.
pub(super) const BLOCK_BYTES: usize = 4 << 10;

/// Combines two elements.
pub(super) trait Combine<T> {
    /// The combination.
    fn combine(a: T, b: T) -> T;
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
        Max $t: |a, b| if a > b || a.is_nan() { a } else { b };
        Min $t: |a, b| if a < b || a.is_nan() { a } else { b };
    })*};
}

macro_rules! narrow_floats {
    ($($t:ty)*) => {$(combine! {
        Sum $t: |a, b| <$t>::from_f32(Sum::combine(a.to_f32(), b.to_f32()));
        Prod $t: |a, b| <$t>::from_f32(Prod::combine(a.to_f32(), b.to_f32()));
        Max $t: |a, b| <$t>::from_f32(Max::combine(a.to_f32(), b.to_f32()));
        Min $t: |a, b| <$t>::from_f32(Min::combine(a.to_f32(), b.to_f32()));
    })*};
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
narrow_floats! { f16 bf16 }
ints! { i64 i32 i8 u64 u32 u8 }

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
        let Fold { into, sources, .. } = self;
        let rest = match sources {
            [first, second, rest @ ..] => {
                for ((x, &a), &b) in into.iter_mut().zip(*first).zip(*second) {
                    *x = C::combine(a, b);
                }
                rest
            }
            [first] => return into.copy_from_slice(first),
            [] => return,
        };
        // Two at a time: half as many trips to the first cache.
        let (pairs, last) = rest.as_chunks::<2>();
        for [first, second] in pairs {
            for ((x, &a), &b) in into.iter_mut().zip(*first).zip(*second) {
                *x = C::combine(C::combine(*x, a), b);
            }
        }
        for source in last {
            for (x, &a) in into.iter_mut().zip(*source) {
                *x = C::combine(*x, a);
            }
        }
    }
}

/// Combines so many elements that lie at `sources` into those at `target`.
pub(super) type Kernel = unsafe fn(sources: &[*const u8], target: *mut u8, count: usize);

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
