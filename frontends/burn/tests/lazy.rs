//! Parameters are never allocated. One test only, so that the process's peak is the trace's.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test")]

/// The peak of this process's memory, in KiB.
#[cfg(target_os = "linux")]
fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:")).unwrap();
    line.split_whitespace().next().unwrap().parse().unwrap()
}

#[test]
#[cfg(target_os = "linux")]
fn models_of_65_billion_parameters_are_traced_in_no_space() {
    for spec in
        ["zoo:mlp?width=64000&hidden=512000", "zoo:gpt?layers=80&width=8192&heads=64&seq=2048&vocab=51200&hidden=33000"]
    {
        let program = partita_burn::zoo::program(spec).unwrap();
        let parameters: usize = program.params.values().map(|p| program.ty(p.value).shape.count()).sum();
        assert!(parameters > 65_000_000_000, "{spec} has {parameters} parameters");
        assert!(peak() < 100 << 10, "{spec}: {} KiB", peak());
    }
}
