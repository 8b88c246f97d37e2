//! The report of a GPU session fills in each goal from the session's lines, and marks missing measurements.

#[path = "../../../benches/gpu/report.rs"]
mod report;

use report::markdown;
use serde_json::{Value, json};

fn session() -> Vec<Value> {
    vec![
        json!({ "step": "session", "date": "2030-01-02", "version": "1", "rehearsed": false,
                "gpu": { "device": "NVIDIA H100", "driver": "550.1", "sm_mhz": 1980.0, "watts": 90.0 } }),
        json!({ "step": "smoke", "case": "elementwise_small", "on": "cuda", "ok": true }),
        json!({ "step": "check", "case": "mlp_forward_f32_1", "on": "cuda", "ok": true, "off": 1e-7 }),
        json!({ "step": "check", "case": "gpt_forward_f32_1", "on": "cuda", "ok": false, "off": 0.5 }),
        json!({ "step": "check", "case": "alone", "on": "nccl", "ok": false, "error": "stopped after 60 s" }),
        json!({ "step": "check", "case": "alone", "on": "nccl-ranks", "ok": true, "off": 0.0, "seconds": 1e-3 }),
        json!({ "step": "sanitize", "case": "all", "skipped": "compute-sanitizer is not installed" }),
        json!({ "step": "time", "case": "matmul_large", "on": "cuda", "tflops": 400.0,
                "cublaslt": { "tflops": 700.0 } }),
        json!({ "step": "time", "case": "product_8192_8192_8192_own", "tflops": 630.0,
                "row": "90, bf16, 1, ..., own, 1.0",
                "gpu": { "sm_mhz": 1200.0, "watts": 650.0 } }),
        json!({ "step": "time", "case": "elementwise_large", "gb_per_s": 2900.0, "copy": { "ratio": 0.97 } }),
        json!({ "step": "time", "case": "attention_full_large", "tflops": 300.0, "seconds": 2.0 }),
        json!({ "step": "time", "case": "attention_causal_large", "tflops": 250.0, "seconds": 2.0 }),
        json!({ "step": "torch", "case": "attention_full_large", "seconds": 1.0 }),
        json!({ "step": "time", "case": "gpt2_step", "seconds": 0.105,
                "kernels": [{ "name": "matmul_bf16", "launches": 96, "seconds": 0.05, "gb_per_s": 100.0,
                              "tflops": 320.5 }] }),
        json!({ "step": "torch", "case": "gpt2_step_compiled", "seconds": 0.1 }),
    ]
}

/// Returns the cells of a goal's row.
fn row(report: &str, figure: &str) -> Vec<String> {
    let row = report.lines().find(|line| line.starts_with(&format!("| {figure}"))).unwrap_or_default();
    row.split('|').map(|cell| cell.trim().to_owned()).skip(3).collect()
}

#[test]
fn goals_are_filled_in_from_the_lines_of_a_session() {
    let report = markdown(&session());
    let of = |figure: &str| row(&report, figure)[..3].join("; ");
    assert_eq!(of("models and kernels"), "all; 1 of 2; missed");
    assert_eq!(of("models over NCCL: one rank"), "all; 0 of 1; missed");
    assert_eq!(of("models over NCCL with a process"), "all; 1 of 1; met");
    assert_eq!(of("small cases"), "all; not measured; ");
    assert_eq!(of("TFLOP/s of a `bf16`"), "600, and 0.8 of cuBLASLt; 630, 0.90 of cuBLASLt; met");
    assert_eq!(of("GB/s"), "0.85 of the copy; 2900, 0.97 of the copy; met");
    assert_eq!(of("TFLOP/s of attention"), "0.8 of PyTorch; 300, 0.50 of PyTorch; missed");
    assert_eq!(of("TFLOP/s of causal"), "0.8 of PyTorch; 250; PyTorch not timed; missed");
    assert_eq!(of("seconds of a training"), "at most 1.1 times; 0.1050, 1.05 times; met");
    for said in [
        "# 2030-01-02, NVIDIA H100",
        "After cases: 1200 to 1980 MHz, 90 to 650 W.",
        "- check `alone` on nccl: stopped after 60 s",
        "- check `gpt_forward_f32_1` on cuda: 5.0e-1 off",
        "- sanitize `all`: compute-sanitizer is not installed",
        "| `matmul_bf16` | 96 | 50.000 | 100 | 320.5 |",
        "90, bf16, 1, ..., own, 1.0",
    ] {
        assert!(report.contains(said), "{said}\n{report}");
    }
}

#[test]
fn empty_session_reports_nothing_measured() {
    let report = markdown(&[]);
    assert_eq!(report.matches("not measured").count(), 9, "{report}");
    assert!(!report.contains("met |") && !report.contains("missed"), "{report}");
}
