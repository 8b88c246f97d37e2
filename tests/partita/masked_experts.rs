//! Experts whose products are sums over masked copies of the rows: rows are exchanged, and weights are not.

use partita::prelude::*;
use std::path::Path;

/// The models, their parameters with a matrix for each expert, and the bytes of one.
const MODELS: [(&str, &[&str], u64); 2] = [
    ("users/moe_ragged_adam.mlir", &["arg1", "arg2"], 6 << 10),
    ("torch/mixtral.pt2?loss=cross_entropy", &["model.layers.0.mlp.experts.down_proj"], 8 << 10),
];

#[test]
fn rows_are_exchanged_instead_of_weights() {
    for (file, weights, bytes) in &MODELS {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(file);
        let program = partita::load(&path.to_string_lossy()).unwrap();
        let mut plan = Plan::new(Mesh::new([("expert", 2)]).unwrap()).preset("expert");
        if file.starts_with("torch") {
            plan = plan.train("adam");
        }
        let part = program.partition(&plan).unwrap();
        let check = part.check(&part.random_inputs(1).unwrap()).unwrap();
        assert!(check.ok(), "{file}: {check}");
        let report = part.report();
        for name in *weights {
            let weight = report.params.iter().find(|param| param.name == *name).unwrap();
            assert_eq!(weight.layout, "expert, _, _", "{file}: {name}");
        }
        assert!(report.collectives.iter().any(|c| c.kind == "reduce_scatter"), "{file}");
        let gathered = report.collectives.iter().filter(|c| c.kind == "all_gather").map(|c| c.payload_bytes);
        assert!(gathered.clone().all(|gathered| gathered != *bytes), "{file}: {gathered:?}");
        assert!(10 * report.totals.flops <= 6 * report.totals.model_flops, "{file}");
    }
}
