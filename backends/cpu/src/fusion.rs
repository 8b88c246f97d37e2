//! Execution of fused loops: each thread computes one row at a time in virtual registers, which are buffers that stay
//! in the cache.

/// Evaluates the body for each index below `$n`. Iterators are avoided, since their code may not be inlined and would
/// then not be compiled for wide vectors.
macro_rules! for_each_index {
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
