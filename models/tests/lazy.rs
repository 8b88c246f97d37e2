//! Building models does not allocate parameters. The file has one test, because it measures the peak memory of the
//! process.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test")]

use std::time::{Duration, Instant};

/// Returns the peak resident memory of this process in KiB.
#[cfg(target_os = "linux")]
fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:")).unwrap();
    line.split_whitespace().next().unwrap().parse().unwrap()
}

#[test]
#[cfg(target_os = "linux")]
fn large_and_deep_models_are_built_quickly_without_data() {
    for (spec, parameters, limit) in [
        ("zoo:mlp?width=64000&hidden=512000", 65_000_000_000, Duration::from_millis(100)),
        (
            "zoo:gpt?layers=80&width=8192&heads=64&seq=2048&vocab=51200&hidden=33000",
            65_000_000_000,
            Duration::from_millis(100),
        ),
        // Indices of a million positions are not stored as data.
        ("zoo:llama?layers=1&seq=1048576&batch=1", 1_000_000, Duration::from_millis(100)),
        ("zoo:llama?layers=10000", 8_000_000_000, Duration::from_secs(5)),
    ] {
        let start = Instant::now();
        let program = partita_models::program(spec).unwrap();
        let took = start.elapsed();
        let count: usize = program.params.values().map(|p| program.ty(p.value).shape.count()).sum();
        assert!(count > parameters, "{spec} has {count} parameters");
        assert!(took < limit, "{spec} took {took:?}");
        println!("{spec}: {took:?}, peak {} KiB", peak());
        if limit < Duration::from_secs(1) {
            assert!(peak() < 100 << 10, "{spec}: {} KiB", peak());
        }
    }
}
