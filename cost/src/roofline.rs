//! Execution time of one device's program: the launches ([`kernels`]) with their roofline bound (Williams, Waterman and
//! Patterson 2009), and the time waiting for collectives.
//!
//! Matrix products and attention are bound by the matrix rate of their element type or by memory bandwidth, whichever
//! is slower. Other kernels are bound by memory bandwidth. Collectives run on a separate lane: a collective starts when
//! the launches before it have finished and overlaps with compute until its result is read, as in the GPU backend.

pub mod frame;
pub mod kernels;
#[cfg(test)]
mod tests;

use crate::constants::CostConstants;
use kernels::{Launch, LaunchKind, Launches};
use partita_ir::arena::FuncId;
use partita_ir::program::{Op, Program};
use partita_machine::DeviceKind;
use rustc_hash::FxHashMap;

/// Achieved fractions of data sheet rates, each in `(0, 1]`, and properties of the kernels in use.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Efficiencies {
    /// Fraction of the peak matrix product rate.
    pub matmul: f64,
    /// Fraction of the memory bandwidth.
    pub memory: f64,
    /// Fraction of the link bandwidth.
    pub link: f64,
    /// True if attention kernels never write the scores to memory (FlashAttention, Dao et al. 2022). Earlier published
    /// measurements used kernels that do.
    pub tiled_attention: bool,
}

impl Default for Efficiencies {
    /// Returns values fitted to the published throughput of three GPT models on A100 GPUs (Narayanan et al. 2021). The
    /// data is in `tests/calibration.rs`, and the test `fit` there found the values.
    fn default() -> Efficiencies {
        Efficiencies { matmul: 0.645, memory: 0.46, link: 0.825, tiled_attention: true }
    }
}

/// Execution time of a program by activity.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct TimeBreakdown {
    /// Seconds from start to end.
    pub seconds: f64,
    /// Seconds of kernels.
    pub computing: f64,
    /// Seconds of collectives, including those overlapped with compute.
    pub communicating: f64,
    /// Number of kernel launches.
    pub kernels: u64,
    /// Floating-point operations of matrix products.
    pub product_flops: f64,
    /// Bytes that kernels read and write.
    pub bytes: f64,
}

impl TimeBreakdown {
    /// Adds the time of work that runs `times` times. The elapsed `seconds` are not changed.
    pub(super) fn add(&mut self, other: &TimeBreakdown, times: f64) {
        self.computing += times * other.computing;
        self.communicating += times * other.communicating;
        self.kernels += (times * other.kernels as f64) as u64;
        self.product_flops += times * other.product_flops;
        self.bytes += times * other.bytes;
    }
}

/// Device and collective costs used to compute execution times.
pub struct RooflineInputs<'a> {
    /// Device kind.
    pub kind: &'a DeviceKind,
    /// Achieved fractions of the device's peak rates.
    pub efficiencies: &'a Efficiencies,
    /// Returns the seconds of a collective of the program.
    pub collective: &'a mut dyn FnMut(&Program, &Op) -> f64,
}

/// Returns the execution time of a program in local form.
pub fn program_time(program: &Program, pricing: &mut RooflineInputs<'_>) -> TimeBreakdown {
    // Callees first: the time of a loop requires the time of its body.
    let mut done: FxHashMap<FuncId, TimeBreakdown> = FxHashMap::default();
    for func in program.funcs_with_layouts() {
        let total = function_time(program, &Launches::new(program, func), &done, pricing);
        done.insert(func, total);
    }
    done.remove(&program.entry()).unwrap_or_default()
}

/// Returns the execution time of a function by simulating two lanes, compute and communication.
fn function_time(
    program: &Program,
    launches: &Launches,
    done: &FxHashMap<FuncId, TimeBreakdown>,
    pricing: &mut RooflineInputs<'_>,
) -> TimeBreakdown {
    let mut total = TimeBreakdown::default();
    let mut ends = vec![0.0; launches.all.len()];
    let (mut computed, mut sent) = (0.0f64, 0.0f64);
    for &number in &launches.order {
        let launch = &launches.all[number];
        let ready = launch.needs.iter().map(|&need| ends[need]).fold(computed, f64::max);
        ends[number] = match launch.kind {
            LaunchKind::Collective(op) => {
                let seconds = (pricing.collective)(program, &program.ops[op]);
                sent = sent.max(ready) + seconds;
                total.communicating += seconds;
                sent
            }
            LaunchKind::Loop { body, trip } => {
                let inner = done.get(&body).copied().unwrap_or_default();
                total.add(&inner, trip as f64);
                computed = ready + trip as f64 * inner.seconds;
                computed
            }
            LaunchKind::Contraction | LaunchKind::FusedLoop | LaunchKind::Standalone => {
                let seconds = kernel_seconds(launch, pricing.kind, pricing.efficiencies);
                total.computing += seconds;
                total.kernels += 1;
                total.product_flops += launch.flops.iter().map(|&(_, flops)| flops as f64).sum::<f64>();
                total.bytes += launch.bytes() as f64;
                computed = ready + seconds;
                computed
            }
        };
    }
    total.seconds = computed.max(sent);
    total
}

/// Returns the seconds of one kernel.
pub fn kernel_seconds(launch: &Launch, kind: &DeviceKind, efficiencies: &Efficiencies) -> f64 {
    let computing: f64 = launch.flops.iter().map(|&(dtype, flops)| flops as f64 / kind.rate(dtype)).sum();
    let bound = |computing: f64, bytes: f64| {
        let moving = bytes / kind.bandwidth;
        CostConstants::TUNED.launch_seconds + (computing / efficiencies.matmul).max(moving / efficiencies.memory)
    };
    let bytes = launch.bytes() as f64;
    let Some(scores) = launch.scores.filter(|_| !efficiencies.tiled_attention) else {
        return bound(computing, bytes);
    };
    // Each matrix product reads or writes the scores. The softmax reads and writes them separately. The gradient
    // consists of four products, because the attention weights are saved, and reads these weights as well.
    let (products, computing, passes) = if scores.is_gradient {
        (4.0, CostConstants::TUNED.model_share_of_attention_grad * computing, 3.0)
    } else {
        (2.0, computing, 2.0)
    };
    let all = scores.bytes as f64;
    products * bound(computing / products, all + bytes / products) + bound(0.0, passes * all)
}
