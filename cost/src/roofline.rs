//! Execution time of one device's program: the launches ([`kernels`]) with their roofline bound (Williams, Waterman and
//! Patterson 2009), and the time waiting for collectives.
//!
//! Matrix products and attention are bound by arithmetic ([`arithmetic`]) or by memory bandwidth, whichever is slower.
//! Other kernels are bound by memory bandwidth. Collectives run on a separate lane: a collective starts when the
//! launches before it have finished and overlaps with compute until its result is read, as in the GPU backend. While it
//! overlaps, it takes a part of the device from the kernels.

pub mod arithmetic;
pub mod efficiencies;
pub mod frame;
pub mod kernels;
pub mod parts;
#[cfg(test)]
mod tests;

use crate::constants::CostConstants;
use arithmetic::ArithmeticShape;
pub use efficiencies::Efficiencies;
use efficiencies::{AttentionKernels, PREFETCHED_GATHERS};
use kernels::{Launch, LaunchKind, Launches};
use partita_ir::arena::FuncId;
use partita_ir::class::Collective;
use partita_ir::program::{Op, Phase, Program};
use partita_machine::DeviceKind;
use parts::{TimePart, TimeParts};
use rustc_hash::FxHashMap;

/// Execution time of a program by activity.
#[derive(Clone, PartialEq, Default, Debug)]
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
    /// Seconds by activity, whose sum is the elapsed time.
    pub parts: TimeParts,
}

impl TimeBreakdown {
    /// Adds the time of work that runs `times` times. The elapsed `seconds` are not changed.
    pub(super) fn add(&mut self, other: &TimeBreakdown, times: f64) {
        self.computing += times * other.computing;
        self.communicating += times * other.communicating;
        self.kernels += (times * other.kernels as f64) as u64;
        self.product_flops += times * other.product_flops;
        self.bytes += times * other.bytes;
        self.parts.add_all(&other.parts, times);
    }
}

/// Device and collective costs used to compute execution times.
pub struct RooflineInputs<'a> {
    /// Device kind.
    pub kind: &'a DeviceKind,
    /// Properties of the kernels.
    pub efficiencies: &'a Efficiencies,
    /// Returns the seconds of a collective of the program.
    pub collective: &'a mut dyn FnMut(&Program, &Op) -> f64,
}

/// Returns the execution time of a program in local form.
pub fn program_time(program: &Program, pricing: &mut RooflineInputs<'_>) -> TimeBreakdown {
    // Callees first: the time of a loop requires the time of its body.
    let mut done: FxHashMap<FuncId, TimeBreakdown> = FxHashMap::default();
    for func in program.funcs_with_layouts() {
        let total = function_time(program, &Launches::new(program, func, pricing.efficiencies.fusion), &done, pricing);
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
    let (mut computed, mut sent, mut issued_by_host) = (0.0f64, 0.0f64, 0.0f64);
    // The collective that ends last so far, and the ends of compute when the gathers so far were issued.
    let (mut last_collective, mut issued): (Option<TimePart>, Vec<f64>) = (None, Vec::new());
    for &number in &launches.order {
        let launch = &launches.all[number];
        let ready = launch.needs.iter().map(|&need| ends[need]).fold(computed, f64::max);
        if let LaunchKind::Collective(op) = launch.kind {
            let op = &program.ops[op];
            let seconds = (pricing.collective)(program, op);
            let mut ready = ready;
            if pricing.efficiencies.prefetches_gathers && is_gather(op) {
                issued.push(computed);
                let ahead = issued.len().checked_sub(PREFETCHED_GATHERS + 1).map_or(0.0, |ahead| issued[ahead]);
                // Launches that depend on inputs only, such as conversions of parameters, run ahead with the gather.
                let needs = launch.needs.iter().filter(|&&need| !launches.all[need].needs.is_empty());
                ready = needs.map(|&need| ends[need]).fold(ahead, f64::max);
            }
            sent = sent.max(ready) + seconds;
            total.communicating += seconds;
            ends[number] = sent;
            last_collective = exposed(op).or(last_collective);
            continue;
        }
        // A launch waits for nothing but collectives.
        if ready > computed {
            let latest = launch.needs.iter().max_by(|&&a, &&b| ends[a].total_cmp(&ends[b]));
            let waited = latest.and_then(|&need| match launches.all[need].kind {
                LaunchKind::Collective(op) => exposed(&program.ops[op]),
                LaunchKind::Contraction | LaunchKind::FusedLoop | LaunchKind::Standalone | LaunchKind::Loop { .. } => {
                    None
                }
            });
            total.parts.add(waited.or_else(|| last_collective.clone()).unwrap_or(TimePart::Launches), ready - computed);
        }
        computed = ready;
        if let LaunchKind::Loop { body, trip } = launch.kind {
            let inner = done.get(&body).cloned().unwrap_or_default();
            total.add(&inner, trip as f64);
            computed += trip as f64 * inner.seconds;
        } else {
            let is_update = launch.ops.first().is_some_and(|&op| program.ops[op].phase == Phase::Update);
            let seconds = kernel_time(launch, pricing.kind, pricing.efficiencies);
            let (kernels, share) = (seconds.seconds(), pricing.kind.kernels.overlap);
            // The host of a framework issues kernels one by one, and the device may wait for it.
            let phase = launch.ops.first().map_or(Phase::Forward, |&op| program.ops[op].phase);
            issued_by_host += f64::from(seconds.launches) * pricing.efficiencies.issue_seconds(pricing.kind, phase);
            if pricing.efficiencies.fusion.waits_for_each_kernel() && issued_by_host > ready {
                total.parts.add(TimePart::Launches, issued_by_host - ready);
                computed = issued_by_host;
            }
            let ready = computed;
            // The collective lane is busy until `sent`.
            let slowed = (share * (sent - ready).clamp(0.0, kernels / (1.0 - share))).max(0.0);
            seconds.write(is_update, &mut total.parts);
            total.parts.add(TimePart::Interference, slowed);
            total.computing += kernels + slowed;
            total.kernels += u64::from(seconds.launches);
            total.product_flops += launch.arithmetic.iter().map(|work| work.flops as f64).sum::<f64>();
            total.bytes += launch.bytes() as f64;
            computed += kernels + slowed;
        }
        ends[number] = computed;
    }
    total.seconds = computed;
    if sent > computed {
        total.parts.add(last_collective.unwrap_or(TimePart::Launches), sent - computed);
        total.seconds = sent;
    }
    if issued_by_host > total.seconds {
        total.parts.add(TimePart::Launches, issued_by_host - total.seconds);
        total.seconds = issued_by_host;
    }
    total
}

/// Returns true for an all-gather.
fn is_gather(op: &Op) -> bool {
    op.kind.collective().is_some_and(|collective| match collective {
        Collective::AllGather(_) => true,
        Collective::AllReduce(_) | Collective::ReduceScatter(_) | Collective::AllToAll(_) | Collective::Permute(_) => {
            false
        }
    })
}

/// Returns the activity of waiting for a collective op.
fn exposed(op: &Op) -> Option<TimePart> {
    let collective = op.kind.collective()?;
    Some(TimePart::Exposed { kind: op.kind.name(), axes: collective.axes().clone() })
}

/// Duration of a launch by activity.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct KernelTime {
    /// Number of kernels.
    pub launches: u32,
    /// Seconds of starting and ending kernels.
    pub launching: f64,
    /// Seconds of matrix products, including their memory traffic.
    pub products: f64,
    /// Seconds of attention, including its memory traffic.
    pub attention: f64,
    /// Seconds of kernels that are bound by memory bandwidth.
    pub moving: f64,
}

impl KernelTime {
    /// Returns the sum.
    pub fn seconds(&self) -> f64 {
        self.launching + self.products + self.attention + self.moving
    }

    /// Adds the seconds to the activities, or all of them to the update.
    fn write(&self, is_update: bool, parts: &mut TimeParts) {
        if is_update {
            return parts.add(TimePart::Update, self.seconds());
        }
        parts.add(TimePart::Products, self.products);
        parts.add(TimePart::Attention, self.attention);
        parts.add(TimePart::MemoryBound, self.moving);
        parts.add(TimePart::Launches, self.launching);
    }
}

/// Returns the seconds of one launch.
pub fn kernel_seconds(launch: &Launch, kind: &DeviceKind, efficiencies: &Efficiencies) -> f64 {
    kernel_time(launch, kind, efficiencies).seconds()
}

/// Returns the duration of one launch by activity.
pub fn kernel_time(launch: &Launch, kind: &DeviceKind, efficiencies: &Efficiencies) -> KernelTime {
    let moving = |bytes: f64| bytes / efficiencies.memory_rate(kind);
    let mut time = KernelTime { launches: 1, ..KernelTime::default() };
    let attention = launch.arithmetic.iter().find_map(|work| match work.shape {
        ArithmeticShape::Attention(shape) => Some(shape),
        ArithmeticShape::Product { .. } | ArithmeticShape::Convolution => None,
    });
    let computing: f64 = launch.arithmetic.iter().map(|work| work.seconds(kind, efficiencies)).sum();
    let bytes = launch.bytes() as f64;
    match attention {
        Some(shape) if efficiencies.attention == AttentionKernels::Written => {
            // Each matrix product reads or writes the scores. The softmax reads and writes them separately. The
            // gradient consists of four products, because the attention weights are saved, and reads these as well.
            let (products, computing, passes) = if shape.is_gradient {
                (4.0, CostConstants::TUNED.model_share_of_attention_grad * computing, 3.0)
            } else {
                (2.0, computing, 2.0)
            };
            let scores = shape.all_score_bytes() as f64;
            let each = (computing / products).max(moving(scores + bytes / products));
            time.launches = products as u32 + 1;
            time.attention = products * each + moving(passes * scores);
        }
        Some(_) => time.attention = computing.max(moving(bytes)),
        None if launch.arithmetic.is_empty() => time.moving = moving(bytes),
        None => time.products = computing.max(moving(bytes)),
    }
    if let Some(separate) = launch.separate {
        if launch.arithmetic.is_empty() {
            (time.launches, time.moving) = (0, 0.0);
        }
        time.launches += separate.kernels;
        time.moving += moving(separate.bytes as f64);
    }
    time.launching = f64::from(time.launches) * kind.kernels.launch;
    time
}
