//! Cases of the GPU benchmark: models and programs compiled ahead of time, with their expected outputs.

use crate::error_title;
use partita::prelude::*;
use partita_cubecl::MatmulStrategy;
use partita_gpu::nvrtc::Nvrtc;
use partita_gpu::{Artefact, binaries};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::interp;
use partita_ir::verify::verify;
use partita_runtime::io::tensors_to_bytes;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// GPU architecture that kernels are compiled for.
pub const TARGET: &str = "cuda:sm_90";

/// Name of the file that lists the cases.
pub const LIST: &str = "cases.json";

/// Rows and columns of the square matrices of timed and of checked cases.
pub const MATRIX_SIZES: [usize; 2] = [8192, 128];

/// Rows and columns of the elementwise operands of timed and of checked cases.
pub const ELEMENTWISE_SIZES: [usize; 2] = [8192, 64];

/// Rows, columns and depth of the matrix products that every strategy computes, for the table that selects a strategy.
pub const PRODUCT_SIZES: [[usize; 3]; 6] = [
    [8192, 8192, 8192],
    [4096, 4096, 4096],
    [2048, 2048, 2048],
    [8192, 768, 3072],
    [8192, 3072, 768],
    [8192, 50304, 768],
];

/// Batch, heads, positions and head width of the timed and of the checked attention.
pub const ATTENTION_SIZES: [[usize; 4]; 2] = [[4, 16, 4096, 128], [2, 2, 100, 64]];

/// GPT-2 small (Radford et al. 2019).
pub const GPT2: &str = "zoo:gpt?layers=12&width=768&heads=12&seq=1024&vocab=50304&batch=8";

/// Batch size and sequence length of [`GPT2`].
pub const GPT2_TOKENS: [usize; 2] = [8, 1024];

/// The action performed on a case.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug)]
#[serde(rename_all = "snake_case")]
pub enum CaseKind {
    /// Compare results with the expected outputs.
    Check,
    /// Compare results, run over NCCL with one rank.
    Alone,
    /// Measure the run time.
    Time,
}

/// A case as listed in [`LIST`].
#[derive(Clone, Serialize, Deserialize, Debug)]
pub struct CaseRecord {
    /// Name of the case, and stem of its file names.
    pub name: String,
    /// The action performed on the case.
    pub kind: CaseKind,
    /// Allowed difference of results, relative to the largest element (or 1).
    pub tolerance: f64,
    /// Reason why the case could not be compiled.
    pub refused: Option<String>,
}

/// A case before it is compiled.
struct Case {
    name: String,
    kind: CaseKind,
    model: String,
    /// Program text; `None` for a built-in model.
    text: Option<String>,
    plan: Plan,
    tolerance: f64,
    /// Matrix multiplication strategy.
    strategy: MatmulStrategy,
}

/// Axes of a mesh.
type Axes = &'static [(&'static str, u32)];

/// Small models, with presets and a mesh of four devices.
const MODELS: [(&str, &str, Axes); 5] = [
    ("zoo:mlp?layers=4&width=12&hidden=20&batch=8", "data,megatron", &[("data", 2), ("model", 2)]),
    ("zoo:mnist-cnn?image=8&batch=8", "data", &[("data", 4)]),
    (
        "zoo:gpt?layers=2&width=48&heads=12&hidden=40&seq=6&vocab=20&batch=8",
        "data,megatron",
        &[("data", 2), ("model", 2)],
    ),
    (
        "zoo:bert?layers=2&width=48&heads=12&hidden=40&seq=6&vocab=20&batch=8",
        "data,megatron",
        &[("data", 2), ("model", 2)],
    ),
    ("zoo:moe?layers=2&width=8&hidden=12&experts=4&seq=6&batch=8", "data,expert", &[("data", 4)]),
];

/// A program with every NCCL call, on groups of one device.
const NCCL_CALLS: &str = "form local
mesh @m = [x=1]
input %a : f32[6, 4]
  %g = all_gather dim 1 over x %a : f32[6, 4]
  %r = all_reduce sum over x %g : f32[6, 4]
  %s = reduce_scatter sum dim 0 over x %r : f32[6, 4]
  %t = all_to_all dim 0 -> dim 1 over x %s : f32[6, 4]
  %u = permute over x [0->0] %t : f32[6, 4]
  %y = add %u, %a : f32[6, 4]
output %y \"y\"
";

fn cases() -> partita::Result<Vec<Case>> {
    let mut cases = Vec::new();
    let one = || Mesh::new([("one", 1)]);
    for (model, preset, axes) in MODELS {
        let short = model.trim_start_matches("zoo:").split('?').next().unwrap_or(model);
        for (training, half, many) in (0..8).map(|i| (i & 1 > 0, i & 2 > 0, i & 4 > 0)) {
            let plan =
                if many { Plan::new(Mesh::new(axes.iter().copied())?).preset(preset) } else { Plan::new(one()?) };
            let plan = if training { plan.train("sgd?lr=1e-1&clip=1") } else { plan };
            let plan = if half { plan.precision("**", "bf16") } else { plan };
            let name = format!(
                "{short}_{}_{}_{}",
                if training { "train" } else { "forward" },
                if half { "bf16" } else { "f32" },
                if many { 4 } else { 1 }
            );
            let tolerance = if half { 2e-2 } else { 1e-4 };
            let (kind, strategy) = (CaseKind::Check, MatmulStrategy::Auto);
            cases.push(Case { name, kind, model: model.into(), text: None, plan, tolerance, strategy });
        }
    }
    for (i, kind) in [CaseKind::Time, CaseKind::Check].into_iter().enumerate() {
        for (name, text) in texts(i) {
            let name = format!("{name}_{}", if kind == CaseKind::Time { "large" } else { "small" });
            let (model, plan) = (format!("{name}.pir"), Plan::new(one()?));
            let (tolerance, strategy) = (2e-2, MatmulStrategy::Auto);
            cases.push(Case { name, kind, model, text: Some(text), plan, tolerance, strategy });
        }
    }
    for ([m, n, k], strategy) in
        PRODUCT_SIZES.into_iter().flat_map(|sides| MatmulStrategy::KERNELS.map(|by| (sides, by)))
    {
        let name = format!("product_{m}_{n}_{k}_{}", strategy.name());
        let (model, text, plan) = (format!("{name}.pir"), Some(matmul([m, n, k])), Plan::new(one()?));
        cases.push(Case { name, kind: CaseKind::Time, model, text, plan, tolerance: 2e-2, strategy });
    }
    let (model, text, plan) = ("alone.pir".into(), Some(NCCL_CALLS.into()), Plan::default());
    let (kind, strategy) = (CaseKind::Alone, MatmulStrategy::Auto);
    cases.push(Case { name: "alone".into(), kind, model, text, plan, tolerance: 1e-6, strategy });
    let plan = Plan::new(one()?).train("adamw?lr=1e-4").precision("**", "bf16");
    cases.push(Case {
        name: "gpt2_step".into(),
        kind: CaseKind::Time,
        model: GPT2.into(),
        text: None,
        plan,
        tolerance: 0.0,
        strategy: MatmulStrategy::Auto,
    });
    Ok(cases)
}

/// Returns the text of a matrix product in a narrow float type.
fn matmul([m, n, k]: [usize; 3]) -> String {
    format!(
        "form traced\ninput %a : bf16[{m}, {k}]\ninput %b : bf16[{k}, {n}]\n  %c = matmul %a, %b : bf16[{m}, \
         {n}]\noutput %c \"c\"\n"
    )
}

/// Returns programs of single kernels; `size` indexes the timed and checked sizes.
fn texts(size: usize) -> [(&'static str, String); 4] {
    let (n, e, [b, h, s, d]) = (MATRIX_SIZES[size], ELEMENTWISE_SIZES[size], ATTENTION_SIZES[size]);
    let elements = format!(
        "form traced\ninput %x : f32[{e}, {e}]\ninput %w : f32[{e}]\ninput %b : f32[{e}]\ninput %r : f32[{e}, {e}]
  %u = broadcast [1] %w : f32[{e}, {e}]\n  %v = broadcast [1] %b : f32[{e}, {e}]\n  %m = mul %x, %u : f32[{e}, {e}]
  %a = add %m, %v : f32[{e}, {e}]\n  %g = gelu %a : f32[{e}, {e}]\n  %y = add %g, %r : f32[{e}, {e}]\noutput \
  %y \"y\"\n"
    );
    let attention = |causal: &str| {
        let (ty, scale) = (format!("bf16[{b}, {h}, {s}, {d}]"), (d as f64).sqrt().recip());
        format!(
            "form traced\ninput %q : {ty}\ninput %k : {ty}\ninput %v : {ty}\n  %y = attention {causal}scale {scale:?} \
             %q, %k, %v : {ty}\noutput %y \"y\"\n"
        )
    };
    [
        ("matmul", matmul([n, n, n])),
        ("elementwise", elements),
        ("attention_full", attention("")),
        ("attention_causal", attention("causal ")),
    ]
}

/// Compiles all cases into a folder, with their expected outputs.
pub fn pack(folder: &Path) -> partita::Result<()> {
    let failed = |path: &Path, e: std::io::Error| partita::Error::from(Diagnostic::io_error("write", path, &e));
    fs::create_dir_all(folder).map_err(|e| failed(folder, e))?;
    let mut list = Vec::new();
    for case in cases()? {
        let Case { name, kind, tolerance, .. } = &case;
        let refused = match build(&case) {
            Ok((artefact, expected)) => {
                artefact.save(&folder.join(format!("{name}.partita")))?;
                if let Some(expected) = expected {
                    let path = folder.join(format!("{name}.safetensors"));
                    fs::write(&path, expected).map_err(|e| failed(&path, e))?;
                }
                None
            }
            Err(e) => Some(error_title(&e)),
        };
        println!("{name}: {}", refused.as_deref().unwrap_or("compiled"));
        list.push(CaseRecord { name: name.clone(), kind: *kind, tolerance: *tolerance, refused });
    }
    let write = |name: &str, value: serde_json::Value| {
        let path = folder.join(name);
        fs::write(&path, format!("{value:#}\n")).map_err(|e| failed(&path, e))
    };
    let [batch, heads, positions, width] = ATTENTION_SIZES[0];
    let [examples, tokens] = GPT2_TOKENS;
    let torch = serde_json::json!({
        "attention": { "batch": batch, "heads": heads, "positions": positions, "width": width },
        "gpt2": { "layers": 12, "width": 768, "heads": 12, "vocab": 50304, "batch": examples, "positions": tokens },
    });
    write("torch.json", torch)?;
    write(LIST, serde_json::json!(list))
}

/// Returns the compiled case, and its expected outputs as a safetensors file.
fn build(case: &Case) -> partita::Result<(Artefact, Option<Vec<u8>>)> {
    let program = match &case.text {
        Some(text) => partita::parse(&case.model, text)?,
        None => partita::load(&case.model)?,
    };
    let part = program.partition(&case.plan)?;
    let mut artefact = part.compile(&[TARGET])?;
    if case.strategy != MatmulStrategy::Auto {
        let mut module = partita_cubecl::compile_with(
            verify(part.local()?)?.into_form()?,
            artefact.modules[0].target,
            case.strategy,
        )?;
        if let Ok(nvrtc) = Nvrtc::open() {
            binaries::add(&mut module, &nvrtc, &|_, _| ())?;
        }
        artefact.modules = vec![Arc::new(module)];
    }
    if case.kind == CaseKind::Time {
        return Ok((artefact, None));
    }
    let inputs = inputs(&artefact)?;
    let outputs = match &artefact.unpartitioned {
        Some(made) => interp::run(made, inputs).map_err(bad)?,
        None => part.run(&inputs)?,
    };
    let names = artefact.program.outputs.iter().map(|output| output.name.to_string());
    let expected = tensors_to_bytes(&names.zip(outputs).collect())?;
    Ok((artefact, Some(expected)))
}

/// Returns the deterministic random inputs of a case, equal on every machine.
pub fn inputs(artefact: &Artefact) -> partita::Result<Vec<Tensor>> {
    Ok(interp::random_inputs(artefact.interface_program(), 0).map_err(bad)?)
}

fn bad(why: String) -> Diagnostic {
    Diagnostic::new(Code::R004, why)
}
