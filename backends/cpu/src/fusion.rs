//! Running fused loops: a thread computes a row at a time, in registers that are memory which stays in the cache.

/// For each index below a number. A range's iterator would be code of its own, which is not compiled for wide vectors.
macro_rules! below {
    ($i:ident, $n:expr, $body:expr) => {{
        let mut $i = 0;
        while $i < $n {
            $body;
            $i += 1;
        }
    }};
}

pub(crate) mod compute;
pub(crate) mod math;
mod memory;
pub(crate) mod run;
mod work;
