//! Kernel cost constants that no data sheet specifies.

/// Fixed kernel costs other than arithmetic and memory traffic. Costs that depend on the device are in the machine file
/// ([`KernelCosts`](partita_machine::profile::KernelCosts)).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CostConstants {
    /// Tensor size in bytes above which reading the tensor a second time costs more than a kernel launch. At 1 TB/s, 1
    /// MiB takes one microsecond to read and one to write.
    pub reread_bytes: u64,
    /// Fraction of the attention gradient's arithmetic that counts as model FLOPs: four of five matrix products. The
    /// fifth recomputes the attention scores.
    pub model_share_of_attention_grad: f64,
}

impl CostConstants {
    /// The constants used by the cost model.
    pub const TUNED: CostConstants = CostConstants { reread_bytes: 1 << 20, model_share_of_attention_grad: 0.8 };
}
