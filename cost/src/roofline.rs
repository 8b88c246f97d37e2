//! How long one device's program takes: what it launches ([`kernels`]), each by what bounds it (Williams, Waterman and
//! Patterson 2009, the roofline model), and what it waits for collectives.
//!
//! Products of matrices and attention take their arithmetic at the rate of what they multiply, or their bytes if these
//! take longer; all else takes its bytes. Collectives have a lane of their own: one begins when what was launched
//! before it is done and goes on beside what is computed until its result is read, as the GPU backend does it.

pub mod frame;
pub mod kernels;
#[cfg(test)]
mod tests;

use crate::constants::CostConstants;
use kernels::{Launch, Launches, What};
use partita_ir::arena::FuncId;
use partita_ir::program::{Op, Program};
use partita_machine::Kind;
use rustc_hash::FxHashMap;

/// Which share of what data sheets say is reached, each in `(0, 1]`, and by what kind of kernels.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Efficiencies {
    /// Of the rate of products of matrices.
    pub matmul: f64,
    /// Of the bandwidth of memory.
    pub memory: f64,
    /// Of that of links.
    pub link: f64,
    /// Whether attention never writes its scores (Dao et al. 2022). What was published before is of kernels that do.
    pub tiled_attention: bool,
}

impl Default for Efficiencies {
    /// Fitted to the published throughput of three GPTs on A100s (Narayanan et al. 2021): `tests/calibration.rs` has
    /// the rows, and its test `fit` found these.
    fn default() -> Efficiencies {
        Efficiencies { matmul: 0.645, memory: 0.46, link: 0.825, tiled_attention: true }
    }
}

/// Where a program's time goes.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Spent {
    /// From the beginning to where all is done.
    pub seconds: f64,
    /// With kernels.
    pub computing: f64,
    /// With collectives, whatever is computed meanwhile.
    pub communicating: f64,
    /// How many kernels are launched.
    pub kernels: u64,
    /// Arithmetic of products.
    pub product_flops: f64,
    /// What kernels read and write.
    pub bytes: f64,
}

impl Spent {
    /// Adds what something else takes that is done so often, but for its seconds from beginning to end.
    pub(super) fn add(&mut self, other: &Spent, times: f64) {
        self.computing += times * other.computing;
        self.communicating += times * other.communicating;
        self.kernels += (times * other.kernels as f64) as u64;
        self.product_flops += times * other.product_flops;
        self.bytes += times * other.bytes;
    }
}

/// What a device is, and what its collectives take.
pub struct Pricing<'a> {
    /// The device.
    pub kind: &'a Kind,
    /// How much of its figures is reached.
    pub efficiencies: &'a Efficiencies,
    /// Seconds of a collective of the program.
    pub collective: &'a mut dyn FnMut(&Program, &Op) -> f64,
}

/// The time of a program in form local.
pub fn spent(program: &Program, pricing: &mut Pricing<'_>) -> Spent {
    // Callees first, so that a loop finds what its body takes.
    let mut done: FxHashMap<FuncId, Spent> = FxHashMap::default();
    for func in program.laid_out_funcs() {
        let spent = of_function(program, &Launches::of(program, func), &done, pricing);
        done.insert(func, spent);
    }
    done.remove(&program.entry()).unwrap_or_default()
}

/// Goes over two lanes: what is computed, and what is sent.
fn of_function(
    program: &Program,
    launches: &Launches,
    done: &FxHashMap<FuncId, Spent>,
    pricing: &mut Pricing<'_>,
) -> Spent {
    let mut spent = Spent::default();
    let mut ends = vec![0.0; launches.all.len()];
    let (mut computed, mut sent) = (0.0f64, 0.0f64);
    for &number in &launches.order {
        let launch = &launches.all[number];
        let ready = launch.needs.iter().map(|&need| ends[need]).fold(computed, f64::max);
        ends[number] = match launch.what {
            What::Collective(op) => {
                let seconds = (pricing.collective)(program, &program.ops[op]);
                sent = sent.max(ready) + seconds;
                spent.communicating += seconds;
                sent
            }
            What::Loop { body, trip } => {
                let inner = done.get(&body).copied().unwrap_or_default();
                spent.add(&inner, trip as f64);
                computed = ready + trip as f64 * inner.seconds;
                computed
            }
            What::Product | What::Fused | What::Alone => {
                let seconds = kernel_seconds(launch, pricing.kind, pricing.efficiencies);
                spent.computing += seconds;
                spent.kernels += 1;
                spent.product_flops += launch.flops.iter().map(|&(_, flops)| flops as f64).sum::<f64>();
                spent.bytes += launch.bytes() as f64;
                computed = ready + seconds;
                computed
            }
        };
    }
    spent.seconds = computed.max(sent);
    spent
}

/// Seconds of a kernel.
pub fn kernel_seconds(launch: &Launch, kind: &Kind, efficiencies: &Efficiencies) -> f64 {
    let computing: f64 = launch.flops.iter().map(|&(dtype, flops)| flops as f64 / kind.rate(dtype)).sum();
    let bound = |computing: f64, bytes: f64| {
        let moving = bytes / kind.bandwidth;
        CostConstants::TUNED.launch_seconds + (computing / efficiencies.matmul).max(moving / efficiencies.memory)
    };
    let bytes = launch.bytes() as f64;
    let Some(scores) = launch.scores.filter(|_| !efficiencies.tiled_attention) else {
        return bound(computing, bytes);
    };
    // Each product goes over the scores, and so does the softmax, which reads and writes them. Gradients are four
    // products, since weights are kept, and read the weights, too.
    let (products, computing, passes) = if scores.is_gradient {
        (4.0, CostConstants::TUNED.model_share_of_attention_grad * computing, 3.0)
    } else {
        (2.0, computing, 2.0)
    };
    let all = scores.bytes as f64;
    products * bound(computing / products, all + bytes / products) + bound(0.0, passes * all)
}
