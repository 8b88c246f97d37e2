//! `calibrate --import`: measurements of users update a machine file.

use crate::support::{Folder, partita};
use std::fmt::Write;

/// Returns the output of nccl-tests for collectives of 16 devices on two hosts, which take `setup` seconds in addition
/// to the time that `bandwidth` bytes per second of the bus take.
fn collectives(setup: f64, bandwidth: f64) -> String {
    let mut text = "# nThread 1 nGpus 1 minBytes 8 step: 4(factor)\n#\n# Using devices\n".to_owned();
    for rank in 0..16 {
        let host = if rank < 8 { "first" } else { "second" };
        let (process, device) = (900 + rank, rank % 8);
        let _ = writeln!(text, "#  Rank {rank:2} Group  0 Pid {process:6} on {host:>8} device {device:2} [0x18] H100");
    }
    text += "#\n#       size         count      type   redop    root     time   algbw   busbw #wrong\n";
    for size in (3..34).step_by(2).map(|power| 1u64 << power) {
        let bus = 2.0 * 15.0 / 16.0 * size as f64;
        let seconds = setup + bus / bandwidth;
        let (time, algorithm, bus) = (1e6 * seconds, size as f64 / seconds / 1e9, bus / seconds / 1e9);
        let _ = writeln!(text, "{size:12} {:12} float sum -1 {time:8.1} {algorithm:7.2} {bus:7.2} 0", size / 4);
    }
    text + "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 70.742\n"
}

#[test]
fn measurements_determine_achieved_rates() {
    let folder = Folder::new("calibrate import");
    folder.write("nccl.txt", collectives(100e-6, 320e9));
    // Half of the peak of 989 TFLOP/s, except for a product that is too short to show it.
    let seconds = |n: f64| 2.0 * n.powi(3) / (0.5 * 989e12);
    let products = format!("m,n,k,dtype,seconds\n8192,8192,8192,bf16,{:e}\n64,64,64,bf16,0.000006\n", seconds(8192.0));
    folder.write("products.csv", &products);
    let flags = ["--import", "nccl.txt", "products.csv", "--machine", "hgx-h100?nodes=2", "-o", "mine.toml", "--json"];
    let ended = partita(&folder, [&["calibrate"], &flags[..]].concat());
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    let said: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
    let measured = |figure: usize| said["figures"][figure]["measured"].as_f64().unwrap();
    // The ports of a node have 8 x 50 GB/s. Of the 100 us, 16 us are the latency of links and ports.
    assert!((measured(0) - 0.8).abs() < 0.01 && (measured(1) - 84e-6).abs() < 4e-6, "{said}");
    assert!((measured(2) - 0.5).abs() < 0.01 && said["figures"][2]["measurements"] == 1, "{said}");
    // The gradient takes three times as long as the op, with 2.5 times the operations.
    let half = 0.5 * 4.0 * 64.0 * 8192.0 * 8192.0 * 128.0 / (0.4 * 989e12);
    let header = "batch,heads,positions,features,dtype,seconds,gradient_seconds";
    folder.write("attention.csv", format!("{header}\n1,64,8192,128,bf16,{half:e},{:e}\n", 3.0 * half));
    let ended = partita(&folder, ["calibrate", "--import", "attention.csv", "--machine", "hgx-h100", "--json"]);
    let of_attention: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
    let share = |figure: usize| of_attention["figures"][figure]["measured"].as_f64().unwrap();
    assert!((share(0) - 0.4).abs() < 0.01 && (share(1) - 0.4 * 2.5 / 3.0).abs() < 0.01, "{of_attention}");
    let simulated = partita(&folder, ["simulate", "zoo:mlp", "--machine", "mine.toml", "--mesh", "data=16"]);
    assert_eq!(simulated.code, Some(0), "{}", simulated.transcript());
    // A machine file that `calibrate` wrote is a machine for the next import.
    let again = partita(&folder, ["calibrate", "--import", "products.csv", "--machine", "mine.toml", "--json"]);
    let said: serde_json::Value = serde_json::from_str(&again.out).unwrap();
    assert_eq!(said["figures"][0]["before"], said["figures"][0]["measured"], "{said}");
}

#[test]
fn invalid_measurements_are_located() {
    let folder = Folder::new("calibrate wrong");
    let cases = [
        ("columns.csv", "m,n,k,seconds\n1,1,1,1\n".to_owned()),
        ("number.csv", "m,n,k,dtype,seconds\n8192,8192,x,bf16,0.0016\n".to_owned()),
        ("dtype.csv", "m,n,k,dtype,seconds\n8192,8192,8192,bf61,0.0016\n".to_owned()),
        ("fast.csv", "m,n,k,dtype,seconds\n8192,8192,8192,bf16,0.0006\n".to_owned()),
        (
            "attention.csv",
            "batch,heads,positions,features,dtype,seconds,gradient_seconds\n1,8,64,64,bf16,1\n".to_owned(),
        ),
        (
            "fast_attention.csv",
            "batch,heads,positions,features,dtype,seconds,gradient_seconds\n1,8,8192,128,bf16,1e-6,1\n".to_owned(),
        ),
        ("ranks.txt", collectives(1e-4, 320e9).replace("Rank", "rank")),
        ("row.txt", collectives(1e-4, 320e9).replace("float sum -1", "float")),
        ("rate.txt", collectives(1e-4, 500e9)),
        ("one.txt", collectives(1e-4, 1e3)),
        ("empty.txt", String::new()),
    ];
    for (name, text) in cases {
        folder.write(name, &text);
        let ended = partita(&folder, ["calibrate", "--import", name, "--machine", "hgx-h100?nodes=2"]);
        assert_eq!(ended.code, Some(1), "{name}: {}", ended.transcript());
        assert!(ended.err.starts_with("error[H003]") && ended.err.contains(name), "{}", ended.transcript());
    }
}
