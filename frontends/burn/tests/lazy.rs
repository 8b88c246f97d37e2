//! Traces do not allocate parameters. The file has one test, because it measures the peak memory of the process.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test")]

use burn::tensor::{Device, Int, Tensor};
use partita_burn::trace;
use partita_burn::zoo::gpt::Gpt;
use partita_burn::zoo::mlp::Mlp;
use partita_burn::zoo::transformer::BlockConfig;
use partita_ir::diag::Diagnostic;
use partita_ir::program::Program;

/// Returns the peak resident memory of this process in KiB.
#[cfg(target_os = "linux")]
fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:")).unwrap();
    line.split_whitespace().next().unwrap().parse().unwrap()
}

type Traced = Result<Program, Vec<Diagnostic>>;

#[test]
#[cfg(target_os = "linux")]
fn tracing_65_billion_parameters_allocates_no_parameters() {
    let mlp =
        || trace(|device| Mlp::new(2, 64_000, 512_000, 0.0, device), |mlp, x: Tensor<2>| mlp.forward(x), [32, 64_000]);
    let config = BlockConfig { width: 8192, heads: 64, hidden: 33_000, dropout: 0.0, causal: true };
    let gpt = |device: &Device| Gpt::new(80, &config, 2048, 51_200, true, device);
    let gpt = || trace(gpt, |gpt, tokens: Tensor<2, Int>| gpt.forward(tokens), [8, 2048]);
    let traces: [(&str, &dyn Fn() -> Traced); 2] = [("mlp", &mlp), ("gpt", &gpt)];
    for (name, trace) in traces {
        let program = trace().unwrap();
        let parameters: usize = program.params.values().map(|p| program.ty(p.value).shape.count()).sum();
        assert!(parameters > 65_000_000_000, "{name} has {parameters} parameters");
        assert!(peak() < 100 << 10, "{name}: {} KiB", peak());
    }
}
