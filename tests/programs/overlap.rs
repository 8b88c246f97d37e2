//! Products that overlap with the collectives beside them: training steps agree with one device, and faults in the
//! exchanges are detected.

use filetests::faults::{Fault, with_fault};
use filetests::small_models::causal_block;
use filetests::training_step::TrainingStep;
use partita_ir::class::{Class, Collective};
use partita_ir::plan::{Mesh, Plan};
use partita_ir::program::Program;
use partita_passes::partitioning::overlap_matmul::is_overlapping_exchange;

const OVERLAPS: [&str; 3] = ["all_gather", "reduce_scatter", "all_gather, reduce_scatter"];

fn step(seq: usize, devices: u32, overlap: &str, optimizer: &str) -> TrainingStep {
    let plan = Plan::new(Mesh::new([("model", devices)]).unwrap()).preset("megatron,sequence");
    TrainingStep::new(&causal_block(seq), plan.train(optimizer).overlap(overlap))
}

/// Returns true for a collective that gathers or scatters.
fn is_undivided(collective: Collective<'_>) -> bool {
    match collective {
        Collective::AllGather(_) | Collective::ReduceScatter(_) => true,
        Collective::AllReduce(_) | Collective::AllToAll(_) | Collective::Permute(_) => false,
    }
}

/// Returns the numbers of exchanges, of products, and of collectives that gather or scatter.
fn counts(program: &Program) -> [usize; 3] {
    let ops = program.model_ops();
    let count = |is: &dyn Fn(Class<'_>) -> bool| ops.iter().filter(|at| is(at.op.kind.class())).count();
    [
        ops.iter().filter(|at| is_overlapping_exchange(at.op)).count(),
        count(&|class| class == Class::Product),
        count(&|class| class.collective().is_some_and(is_undivided)),
    ]
}

/// Sequences that the devices divide or do not divide, in the entry function and in the loop of accumulated gradients.
#[test]
fn steps_agree_with_one_device() {
    for devices in [2, 3, 4] {
        for seq in [12, 11, 7] {
            for optimizer in ["sgd?lr=0.1", "sgd?lr=0.1&accumulate=2"] {
                let [_, products, undivided] = counts(&step(seq, devices, "none", optimizer).local);
                for overlap in OVERLAPS {
                    let step = step(seq, devices, overlap, optimizer);
                    let what = format!("{overlap}, {optimizer}, {devices} devices, {seq} positions");
                    let found = counts(&step.local);
                    // Each divided collective has an exchange less than its products have parts.
                    let (divided, steps) = (undivided - found[2], devices as usize - 1);
                    assert_eq!(found[0], divided * steps, "{what}");
                    assert!(divided > 0 && found[1] >= products + divided * steps, "{what}");
                    assert!(step.agrees(&step.local, &step.reference(1)), "{what}");
                }
            }
        }
    }
}

#[test]
fn faults_in_exchanges_are_detected() {
    for seq in [12, 11] {
        let step = step(seq, 3, "all_gather, reduce_scatter", "sgd?lr=0.1");
        let reference = step.reference(2);
        let exchanges = counts(&step.local)[0];
        let dropped: Vec<Program> = with_fault(&step.local, Fault::Dropped);
        // Fewer exchanges, since a removed one is not an exchange.
        let dropped = dropped.iter().filter(|broken| counts(broken)[0] < exchanges);
        assert_eq!(dropped.clone().filter(|broken| !step.agrees(broken, &reference)).count(), exchanges);
        let positions = with_fault(&step.local, Fault::WrongRank);
        let detected = positions.iter().filter(|broken| !step.agrees(broken, &reference)).count();
        assert!(detected >= exchanges, "{detected} of {}", positions.len());
    }
}
