//! Activation memory of a transformer layer with dropout, compared with the formulas of Korthikanti et al. (Reducing
//! Activation Recomputation, 2022), table 2. Both store operands in 16 bits and masks in one byte.

use filetests::gpt::Gpt;
use partita_cost::memory::memory_by_kind;
use partita_ir::plan::{Mesh, Plan};
use partita_ir::program::Program;
use partita_passes::driver::variant::Variant;
use partita_passes::driver::{Findings, Input};
use partita_passes::pipelines::{self, Milestone};

const S: usize = 256;
const B: usize = 4;
const H: usize = 512;
const A: usize = 8;
const T: usize = 4;

fn local(layers: usize, presets: &str, remat: &str) -> Program {
    let gpt = Gpt { layers, width: H, heads: A, sequence: S, vocabulary: 1024, batch: B, dropout: true };
    let mut program = gpt.program().unwrap_or_else(|e| panic!("{}", e[0]));
    let tensor = if presets.is_empty() { 1 } else { T as u32 };
    let mut plan = Plan::new(Mesh::new([("model", tensor)]).unwrap()).train("adamw").precision("**", "bf16");
    if !presets.is_empty() {
        plan = plan.preset(presets);
    }
    if !remat.is_empty() {
        plan = plan.remat("blocks.**", remat);
    }
    let (input, mut findings) = (Input::with_plan(plan), Findings::default());
    pipelines::pipeline(Milestone::Model, Milestone::Local, Variant::default())
        .unwrap()
        .run(&mut program, &input, &mut findings, &mut |_| Ok(()))
        .unwrap_or_else(|e| panic!("{}", e[0]));
    program
}

/// Returns the activation bytes that one more layer adds. Recomputation detects layers by their repetition, and the
/// first and last layers differ.
fn per_layer(presets: &str, remat: &str) -> f64 {
    let kept = |layers| {
        let program = local(layers, presets, remat);
        memory_by_kind(&program, &program.param_kinds()).activations as f64
    };
    kept(6) - kept(5)
}

#[test]
fn activation_memory_matches_the_formulas() {
    let [s, b, h, a, t] = [S, B, H, A, T].map(|n| n as f64);
    let sbh = s * b * h;
    let cases = [
        ("none", "", "", sbh * (34.0 + 5.0 * a * s / h)),
        ("tensor", "megatron", "", sbh * (10.0 + 24.0 / t + 5.0 * a * s / (h * t))),
        ("tensor and sequence", "megatron,sequence", "", sbh * (34.0 / t + 5.0 * a * s / (h * t))),
        ("selective", "megatron,sequence", "selective", 34.0 * sbh / t),
        ("full", "", "full", 2.0 * sbh),
    ];
    for (name, presets, remat, formula) in cases {
        let found = per_layer(presets, remat);
        assert!((found / formula - 1.0).abs() < 0.02, "{name}: {} sbh, not {}", found / sbh, formula / sbh);
    }
}
