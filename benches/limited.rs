//! Seconds of an `all_reduce` over links of limited rate, next to what is predicted: `cargo bench -p partita-runtime
//! --bench limited`.
//!
//! The links are those of a machine's description, slowed down so that threads of this machine keep up with them.

mod short;

use partita_ir::diag::Diagnostic;
use partita_machine::Machine;
use partita_machine::collective::CollectiveKind;
use partita_machine::collective::book::round;
use partita_machine::collective::packing::{Packing, Span};
use partita_machine::collective::way::Way;
use partita_machine::topology::Topology;
use partita_runtime::exchange::limited::carry_out;
use short::is_short;

/// Elements of the tensor.
const ELEMENTS: usize = 4 << 20;

/// Seconds that a run should take on this machine.
const WALL: f64 = 2.0;

fn main() -> Result<(), Diagnostic> {
    book()?;
    println!(
        "{:>10} {:>7} {:>10} {:>8}  {:>12} {:>12} {:>6}",
        "machine", "devices", "way", "chunks", "predicted", "measured", "ratio"
    );
    let mut worst = 1.0f64;
    let (elements, wall) = if is_short() { (ELEMENTS >> 6, WALL / 20.0) } else { (ELEMENTS, WALL) };
    for (name, devices) in [("dgx1-v100", 4), ("dgx1-v100", 8), ("pcie4", 4), ("dgx-a100", 4)] {
        let devices: Vec<usize> = (0..devices).collect();
        let machine = Machine::named(name)?;
        let Some(topology) = Topology::of(&machine, &devices, 1) else { continue };
        for way in [Way::Rings, Way::Trees { pipeline: 4 }, Way::Trees { pipeline: 16 }] {
            let Some(routed) = way.routed(&CollectiveKind::AllReduce, &topology) else { continue };
            let operand = vec![1.0f32; elements];
            let operands = vec![&operand[..]; devices.len()];
            let predicted = routed.seconds((elements * size_of::<f32>()) as f64);
            let carried = carry_out(&routed, &operands, elements, wall / predicted)?;
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
    println!("farthest from its prediction: {worst:.3}");
    Ok(())
}

/// The comparison of the book on four GPUs of a DGX-1, where a link carries one direction at a time: a round along two
/// rings and along three trees, in units of g/BW.
fn book() -> Result<(), Diagnostic> {
    let mut machine = Machine::named("dgx1-v100")?;
    let seen = |machine: &Machine, span| Packing::of(&Topology::of(machine, &[0, 1, 2, 3], 1)?, span);
    if let Some(trees) = seen(&machine, Span::Both) {
        print!("{trees}");
    }
    machine.nodes.iter_mut().flat_map(|node| &mut node.links).for_each(|link| link.is_shared = true);
    for (name, span) in [("rings", Span::Ring), ("trees", Span::From(0))] {
        if let Some(packing) = seen(&machine, span) {
            let whole = (packing.bound / 25e9 + 1e-6) as usize;
            println!("{whole} {name}: {:.3} g/BW a round", round(1.0, whole, 1.0));
        }
    }
    Ok(())
}
