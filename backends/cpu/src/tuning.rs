//! Tuned sizes of kernels: tiles that stay in a cache, and the least work that threads share.
//!
//! `cargo bench --bench components -- kernels/` says what a change of one is worth on a machine.

/// Sizes of tiles, and thresholds between kernels.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct KernelTuning {
    /// Elements times instructions of a fused loop from which on threads share it. Waking a thread takes as long as
    /// computing a smaller one.
    pub(crate) shared_loop: usize,
    /// Multiplications of a product from which on threads share it.
    pub(crate) shared_product: usize,
    /// Bytes of a copy from which on threads share it.
    pub(crate) shared_copy: usize,
    /// Rows of a product up to which it is computed as columns when the right operand's columns are contiguous: to
    /// reorder that operand first, as it is done for rows, would cost as much as the product.
    pub(crate) few_rows: usize,
    /// Rows of a product up to which each column of the right operand is read once for all of them.
    pub(crate) skinny_rows: usize,
    /// Elements of the other two sides from which on products of few rows have kernels of their own.
    pub(crate) skinny_side: usize,
    /// Side of the square, in elements, in which a transposition goes through the cache.
    pub(crate) transposed_side: usize,
    /// Elements of the part of a convolution's windows that is made a matrix at a time: 1 MiB of `f32`, which a cache
    /// holds.
    pub(crate) window_elements: usize,
    /// Positions of a convolution from which on a product is worth its call.
    pub(crate) window_positions: usize,
    /// Rows and columns of the scores of an attention that are computed at a time: 32 KiB of `f32`, which the first
    /// cache holds.
    pub(crate) attention_rows: usize,
    pub(crate) attention_columns: usize,
}

impl KernelTuning {
    /// The sizes in use.
    pub(crate) const TUNED: KernelTuning = KernelTuning {
        shared_loop: 1 << 15,
        shared_product: 1 << 17,
        shared_copy: 1 << 17,
        few_rows: 128,
        skinny_rows: 16,
        skinny_side: 64,
        transposed_side: 16,
        window_elements: 1 << 18,
        window_positions: 128,
        attention_rows: 64,
        attention_columns: 128,
    };
}
