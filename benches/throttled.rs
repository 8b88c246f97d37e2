//! Seconds of an `all_reduce` over rate-limited links, next to the predicted time: `cargo bench -p partita-runtime
//! --bench throttled`.
//!
//! The links are those of a machine description, slowed down to rates that threads of the host can sustain.

mod short;

use partita_ir::diag::Diagnostic;
use partita_machine::Machine;
use partita_machine::collective::CollectiveKind;
use partita_machine::collective::algorithm_kind::AlgorithmKind;
use partita_machine::collective::packing::{PackedStructure, Packing};
use partita_machine::collective::textbook::path_seconds;
use partita_machine::topology::Topology;
use partita_runtime::collective_exec::throttled::run_throttled;
use short::is_short;

/// Elements of the tensor.
const ELEMENTS: usize = 4 << 20;

/// Target duration of a run in seconds.
const RUN_SECONDS: f64 = 2.0;

fn main() -> Result<(), Diagnostic> {
    compare_with_textbook()?;
    println!(
        "{:>10} {:>7} {:>10} {:>8}  {:>12} {:>12} {:>6}",
        "machine", "devices", "way", "chunks", "predicted", "measured", "ratio"
    );
    let mut worst = 1.0f64;
    let (elements, wall) = if is_short() { (ELEMENTS >> 6, RUN_SECONDS / 20.0) } else { (ELEMENTS, RUN_SECONDS) };
    for (name, devices) in [("dgx1-v100", 4), ("dgx1-v100", 8), ("pcie4", 4), ("dgx-a100", 4)] {
        let devices: Vec<usize> = (0..devices).collect();
        let machine = Machine::named(name)?;
        let Some(topology) = Topology::for_devices(&machine, &devices, 1) else { continue };
        for way in [AlgorithmKind::Rings, AlgorithmKind::Trees { pipeline: 4 }, AlgorithmKind::Trees { pipeline: 16 }] {
            let Some(routed) = way.routed(&CollectiveKind::AllReduce, &topology) else { continue };
            let operand = vec![1.0f32; elements];
            let operands = vec![&operand[..]; devices.len()];
            let predicted = routed.seconds((elements * size_of::<f32>()) as f64);
            let carried = run_throttled(&routed, &operands, elements, wall / predicted)?;
            assert!(carried.results.iter().flatten().all(|&sum| sum == devices.len() as f32), "wrong sums");
            let ratio = carried.seconds / predicted;
            worst = if (ratio - 1.0).abs() > (worst - 1.0).abs() { ratio } else { worst };
            println!(
                "{name:>10} {:>7} {:>10} {:>8}  {:>9.1} us {:>9.1} us {ratio:>6.3}",
                devices.len(),
                routed.algorithm.name,
                routed.algorithm.chunks,
                predicted * 1e6,
                carried.seconds * 1e6,
            );
        }
    }
    println!("largest deviation from the prediction: {worst:.3}");
    Ok(())
}

/// Compares two rings with three trees on four GPUs of a DGX-1, whose links are half-duplex, in units of g/BW, as in
/// the textbook.
fn compare_with_textbook() -> Result<(), Diagnostic> {
    let mut machine = Machine::named("dgx1-v100")?;
    let seen = |machine: &Machine, span| Packing::compute(&Topology::for_devices(machine, &[0, 1, 2, 3], 1)?, span);
    if let Some(trees) = seen(&machine, PackedStructure::SpanningTree) {
        print!("{trees}");
    }
    machine.nodes.iter_mut().flat_map(|node| &mut node.links).for_each(|link| link.is_shared = true);
    for (name, span) in [("rings", PackedStructure::Ring), ("trees", PackedStructure::OutTree(0))] {
        if let Some(packing) = seen(&machine, span) {
            let whole = (packing.bound / 25e9 + 1e-6) as usize;
            println!("{whole} {name}: {:.3} g/BW per round", path_seconds(1.0, whole, 1.0));
        }
    }
    Ok(())
}
