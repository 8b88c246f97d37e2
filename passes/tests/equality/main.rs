//! Equality of programs: partitioned ones are shown equal to their originals.
#![allow(clippy::unwrap_used)]

mod support;

use partita_ir::text::print;
use partita_passes::equality::prove::prove;
use support::{MLP, made, partitioned, plan, verified};

/// Every preset that has something to say of an MLP, with meshes that it fits.
const PRESETS: [(&str, &str); 9] = [
    ("data=4", "data"),
    ("data=4", "zero1"),
    ("data=4", "zero2"),
    ("data=2", "zero3"),
    ("model=4", "megatron"),
    ("data=2,model=4", "mesh"),
    ("data=2,model=2", "megatron,data"),
    ("data=2,model=2", "megatron,zero3"),
    ("data=3", "data"),
];

#[test]
fn what_presets_make_of_an_mlp_is_equal_to_it() {
    let mut gaps = String::new();
    for train in [None, Some("sgd"), Some("momentum"), Some("adam"), Some("adamw?clip=1")] {
        for (mesh, preset) in PRESETS.into_iter().filter(|(_, preset)| train.is_some() || !preset.contains("zero")) {
            let plan = plan(mesh, preset, train);
            let original = made(MLP, &plan);
            let local = partitioned(&original, &plan);
            let verdict = prove(verified(&original), verified(&local));
            if let Some(gap) = verdict.gap {
                gaps += &format!("{preset} on {mesh}, {train:?}: {gap:#?}\n{}", print(&local));
            }
        }
    }
    assert!(gaps.is_empty(), "{gaps}");
}
