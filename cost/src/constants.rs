//! Kernel cost constants that no data sheet specifies, and the device that decisions without a machine assume.

use partita_ir::dtype::DType;

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

/// The device that decisions without a machine assume: an NVIDIA A100 in a node with NVLink, at the rates of its data
/// sheet.
pub struct ReferenceDevice;

impl ReferenceDevice {
    /// Bytes per second that a device sends.
    pub const LINK_BANDWIDTH: f64 = 300e9;
    /// Bytes per second of memory.
    pub const MEMORY_BANDWIDTH: f64 = 2e12;
    /// Seconds of a collective of few bytes.
    pub const LATENCY: f64 = 5e-6;

    /// Returns the seconds of a matrix product.
    pub fn product_seconds(flops: f64, dtype: DType) -> f64 {
        let rate = match dtype.bytes() {
            0 | 1 => 624e12,
            2 => 312e12,
            _ => 19.5e12,
        };
        flops / rate
    }

    /// Returns the seconds of a collective in which each device sends these bytes.
    pub fn collective_seconds(sent: f64) -> f64 {
        f64::max(sent / ReferenceDevice::LINK_BANDWIDTH, ReferenceDevice::LATENCY)
    }
}
