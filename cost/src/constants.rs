//! Constants of the prices of kernels that no data sheet has.

/// What a kernel costs beside arithmetic and bytes. The shares of a device's rates that are reached are
/// [`Efficiencies`](crate::roofline::Efficiencies).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CostConstants {
    /// Seconds from the end of a kernel to where the next one works, where kernels are launched ahead of time.
    pub launch_seconds: f64,
    /// Bytes whose second reading takes longer than a launch: at 1 TB/s, 1 MiB takes a microsecond to read and one to
    /// write.
    pub reread_bytes: u64,
    /// Share of the arithmetic of an attention's gradient that is the model's: four of its five products. The fifth
    /// computes the scores again.
    pub model_share_of_attention_grad: f64,
}

impl CostConstants {
    /// The constants in use.
    pub const TUNED: CostConstants =
        CostConstants { launch_seconds: 2e-6, reread_bytes: 1 << 20, model_share_of_attention_grad: 0.8 };
}
