//! Tuned sizes of kernels: tiles that fit into a cache, and thresholds for multithreading.
//!
//! `cargo bench --bench components -- kernels/` measures the effect of a change.

/// Tile sizes and thresholds of kernels.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct KernelTuning {
    /// Minimum number of elements times instructions of a fused loop for multithreading. Waking a thread takes as long
    /// as computing a smaller loop.
    pub(crate) min_parallel_loop: usize,
    /// Minimum number of multiplications of a matrix product for multithreading.
    pub(crate) min_parallel_product: usize,
    /// Minimum number of bytes of a copy for multithreading.
    pub(crate) min_parallel_copy: usize,
    /// Maximum number of rows of a product whose transposed result is computed when the columns of the right operand
    /// are contiguous. For the untransposed product, `gemm` would first reorder that operand, which costs as much as
    /// the product.
    pub(crate) max_transposed_rows: usize,
    /// Maximum number of rows of a product for [`SkinnyProduct`](crate::kernels::skinny::SkinnyProduct).
    pub(crate) max_skinny_rows: usize,
    /// Minimum size of the other dimensions of a product that [`SkinnyProduct`](crate::kernels::skinny::SkinnyProduct)
    /// or the transposed product computes.
    pub(crate) min_skinny_side: usize,
    /// Side of the square blocks in which a transpose is copied, in elements.
    pub(crate) transpose_block: usize,
    /// Maximum elements of an im2col block of a convolution: 1 MiB of `f32`, which fits into the L2 cache.
    pub(crate) im2col_elements: usize,
    /// Minimum number of output positions of a convolution for a matrix product of one image, which amortises the call.
    /// With fewer positions, one product computes several images.
    pub(crate) min_product_positions: usize,
    /// Rows of an attention tile. A tile has 32 KiB of `f32` scores, which fit into the L1 cache.
    pub(crate) attention_rows: usize,
    /// Columns of an attention tile.
    pub(crate) attention_columns: usize,
}

impl KernelTuning {
    /// Values tuned by measurement.
    pub(crate) const TUNED: KernelTuning = KernelTuning {
        min_parallel_loop: 1 << 15,
        min_parallel_product: 1 << 17,
        min_parallel_copy: 1 << 17,
        max_transposed_rows: 128,
        max_skinny_rows: 16,
        min_skinny_side: 64,
        transpose_block: 16,
        im2col_elements: 1 << 18,
        min_product_positions: 128,
        attention_rows: 64,
        attention_columns: 128,
    };
}
