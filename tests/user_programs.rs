//! Programs as users write them: which presets apply, the layouts that they choose, and that the partitioned programs
//! agree with one device. `tests/data/make/user_programs.py` writes the programs.

use filetests::agree::join_diagnostics;
use filetests::matrix::{PartitionedModel, Reference};
use libtest_mimic::{Arguments, Failed, Trial};
use partita_ir::plan::{Mesh, Plan, layout_text};
use partita_ir::program::Program;
use std::path::Path;
use std::process::ExitCode;

/// Axes of a mesh, for an axis of the given size.
type MeshOfSize = fn(u32) -> Vec<(&'static str, u32)>;

/// Presets, each with a letter and its mesh on two or three devices.
const PRESETS: [(&str, &str, MeshOfSize); 9] = [
    ("d", "data", |n| vec![("data", n)]),
    ("m", "megatron", |n| vec![("model", n)]),
    ("x", "mesh", |n| vec![("data", 2), ("model", n)]),
    ("z1", "zero1", |n| vec![("data", n)]),
    ("z2", "zero2", |n| vec![("data", n)]),
    ("z3", "zero3", |n| vec![("data", n)]),
    ("e", "expert", |n| vec![("expert", n)]),
    ("s", "megatron,sequence", |n| vec![("model", n)]),
    ("c", "context", |n| vec![("context", n)]),
];

/// A program, the presets that apply, and layouts of inputs, each after a preset.
struct Case {
    name: &'static str,
    presets: &'static str,
    layouts: &'static [(&'static str, &'static str, &'static str)],
}

const CASES: [Case; 47] = [
    Case {
        name: "linen_transformer_adamw",
        presets: "d m x z1 z2 z3 s c",
        // Bias and weight of the hidden units, and the weight that contracts them.
        layouts: &[("m", "arg0", "model"), ("m", "arg1", "_, model"), ("m", "arg2", "model, _")],
    },
    Case {
        name: "llama_gradients",
        presets: "d m x z2 z3 s c",
        // The embedding, the head, the gate and the output projection of attention.
        layouts: &[
            ("m", "arg0", "model, _"),
            ("m", "arg1", "_, model"),
            ("m", "arg4", "_, model"),
            ("m", "arg8", "model, _"),
            ("d", "arg21", "data, _"),
            ("c", "arg22", "_, context"),
        ],
    },
    Case {
        name: "llama_inference",
        presets: "d m x z3 s c",
        layouts: &[("m", "arg8", "model, _"), ("d", "arg21", "data, _"), ("c", "arg21", "_, context")],
    },
    Case {
        name: "preferences_adamw",
        presets: "d m x z1 z2 z3 s c",
        // Preferred texts; the embedding, and two weights of the reference model, which do not change.
        layouts: &[
            ("d", "arg49", "data, _"),
            ("m", "arg0", "model, _"),
            ("m", "arg37", "model, _"),
            ("m", "arg40", "model, _"),
        ],
    },
    Case { name: "llama_bf16_remat_adam", presets: "d m x z1 z2 z3 s c", layouts: &[] },
    Case {
        name: "scanned_layers_gradients",
        presets: "d m x z2 z3 s c",
        // Stacked weights: `down`, the output projection, and `up`.
        layouts: &[
            ("m", "arg1", "_, model, _"),
            ("m", "arg4", "_, model, _"),
            ("m", "arg6", "_, _, model"),
            ("d", "arg7", "data, _"),
        ],
    },
    Case {
        name: "scanned_dropout_adam",
        presets: "d m x z1 z2 z3",
        layouts: &[("m", "arg3", "_, _, model"), ("d", "arg13", "data, _")],
    },
    Case {
        name: "kv_cache_decoding",
        presets: "d m x z3 c",
        // The cache of keys of the first layer.
        layouts: &[
            ("d", "arg21", "data, _, _, _"),
            ("m", "arg21", "_, _, model, _"),
            ("c", "arg21", "_, context, _, _"),
            ("d", "arg25", "data"),
        ],
    },
    Case {
        name: "bert_fused_matrix_gradients",
        presets: "d m x z2 z3 s c",
        layouts: &[("m", "arg8", "model, _, _"), ("m", "arg12", "_, model"), ("d", "arg26", "data, _")],
    },
    Case {
        name: "bert_fused_tensor_gradients",
        presets: "d m x z2 z3 s c",
        layouts: &[("m", "arg9", "_, _, model, _"), ("m", "arg8", "model, _, _"), ("d", "arg25", "data")],
    },
    Case { name: "bert_einsum_gradients", presets: "d m x z2 z3 s c", layouts: &[("c", "arg28", "_, context")] },
    Case {
        name: "fused_attention_sgd",
        presets: "d m x z1 z2 z3 s c",
        layouts: &[("d", "arg12", "data, _, _"), ("s", "arg12", "_, model, _")],
    },
    Case { name: "vit_momentum", presets: "d m x z1 z2 z3", layouts: &[("d", "arg48", "data, _, _, _")] },
    Case { name: "t5_gradients", presets: "d m x z2 z3 s c", layouts: &[("d", "arg26", "data, _")] },
    Case {
        name: "moe_one_hot_adam",
        presets: "d m x z1 z2 z3 e",
        // Weights of experts, and a moment.
        layouts: &[("e", "arg1", "expert, _, _"), ("e", "arg8", "expert, _, _"), ("e", "arg16", "expert, _")],
    },
    Case {
        name: "moe_sorted_gradients",
        presets: "d m x z2 z3 e",
        // Groups of sorted tokens are sharded like the tokens, and with them the experts that read them.
        layouts: &[("e", "arg1", "expert, _, _"), ("d", "arg1", "data, _, _"), ("d", "arg5", "data, _")],
    },
    Case {
        name: "moe_ragged_adam",
        presets: "d m x z1 z2 z3 e",
        // The sort of the tokens does not prevent that their batch is sharded.
        layouts: &[("d", "arg16", "data, _"), ("e", "arg1", "expert, _, _"), ("e", "arg7", "expert, _, _")],
    },
    Case {
        name: "preferences_joined_gradients",
        presets: "d m x z2 z3 s c",
        layouts: &[("d", "arg44", "data, _"), ("d", "arg43", "data, _"), ("m", "arg0", "model, _")],
    },
    Case {
        name: "guided_denoising_inference",
        presets: "d m x z3",
        layouts: &[("d", "arg8", "data, _"), ("d", "arg9", "data")],
    },
    Case {
        name: "distillation_sgd",
        presets: "d m x z2 z3",
        // Weights of the teacher and the examples.
        layouts: &[("d", "arg0", "_"), ("d", "arg1", "_, _"), ("d", "arg10", "data, _"), ("z3", "arg3", "data, _")],
    },
    Case { name: "nnx_mlp_sgd", presets: "d m x z1 z2 z3", layouts: &[("d", "arg5", "data")] },
    // Equinox stores weights as `[out, in]`.
    Case {
        name: "equinox_mlp_gradients",
        presets: "d m x z2 z3",
        layouts: &[("m", "arg0", "model, _"), ("m", "arg2", "_, model"), ("d", "arg6", "data, _")],
    },
    Case { name: "gated_mlp_adafactor", presets: "d m x z1 z2 z3", layouts: &[("m", "arg0", "model, _")] },
    Case { name: "fused_gated_mlp_inference", presets: "d m x z3", layouts: &[("m", "arg1", "model, _")] },
    Case {
        name: "mlp_inference",
        presets: "d m x z3",
        layouts: &[("m", "arg0", "_, model"), ("m", "arg2", "model, _"), ("z3", "arg0", "_, data")],
    },
    Case { name: "mixer_lion", presets: "d m x z1 z2 z3", layouts: &[("d", "arg35", "data, _, _")] },
    Case { name: "dataclass_gradients", presets: "d m x z2 z3", layouts: &[("d", "arg6", "data, _")] },
    Case {
        name: "accumulated_gradients_sgd",
        presets: "d m x z1 z2 z3",
        // The second dimension of the micro-batches.
        layouts: &[("d", "arg2", "_, data, _"), ("m", "arg0", "model, _"), ("m", "arg1", "_, model")],
    },
    Case {
        name: "accumulated_tokens_adamw",
        presets: "d m x z1 z2 z3 s c",
        // Examples of all micro-batches.
        layouts: &[("d", "arg37", "data, _"), ("d", "arg38", "data, _"), ("m", "arg0", "model, _")],
    },
    Case {
        name: "accumulated_slices_sgd",
        presets: "d m x z1 z2 z3",
        layouts: &[("d", "arg2", "data, _"), ("d", "arg3", "data"), ("m", "arg0", "model, _")],
    },
    Case {
        name: "clipped_example_gradients_sgd",
        presets: "d m x z1 z2 z3",
        layouts: &[("d", "arg2", "data, _"), ("m", "arg0", "model, _")],
    },
    Case { name: "autoencoder_adam", presets: "d m x z1 z2 z3", layouts: &[("d", "arg17", "data, _")] },
    Case { name: "dlrm_adagrad", presets: "d m x z1 z2 z3", layouts: &[("d", "arg13", "data, _")] },
    Case {
        name: "clip_adamw",
        presets: "d m x z1 z2 z3",
        layouts: &[("m", "arg1", "model, _"), ("m", "arg2", "_, model"), ("d", "arg19", "data, _")],
    },
    Case { name: "gcn_gradients", presets: "d m x z2 z3", layouts: &[("d", "arg3", "data, _, _")] },
    Case {
        name: "lstm_gradients",
        presets: "d m x z2 z3",
        layouts: &[("m", "arg4", "_, model"), ("d", "arg5", "data, _")],
    },
    Case { name: "gru_inference", presets: "d z3", layouts: &[("d", "arg10", "data, _, _")] },
    Case {
        name: "mamba_gradients",
        presets: "d m x z2 z3",
        layouts: &[("d", "arg18", "data, _"), ("m", "arg9", "model, _")],
    },
    Case { name: "resnet_momentum", presets: "d m x z1 z2 z3", layouts: &[("d", "arg44", "data, _, _, _")] },
    Case {
        name: "equinox_unet_gradients",
        presets: "d m x z2 z3",
        layouts: &[("m", "arg2", "model, _, _, _"), ("m", "arg4", "_, model, _, _")],
    },
    Case { name: "grouped_convolutions_inference", presets: "d m x z3", layouts: &[("d", "arg8", "data, _, _, _")] },
    Case {
        name: "gaussian_process_gradients",
        presets: "d",
        layouts: &[("d", "arg2", "data, _"), ("d", "arg3", "data")],
    },
    Case { name: "kalman_filter", presets: "d", layouts: &[("d", "arg0", "_, _"), ("d", "arg4", "data, _, _")] },
    Case { name: "masked_loss_gradients", presets: "d m x z2 z3 s c", layouts: &[] },
    Case { name: "neural_ode_gradients", presets: "d m x z2 z3", layouts: &[] },
    Case {
        name: "quantised_mlp_inference",
        presets: "d x z3",
        layouts: &[("d", "arg0", "_, _"), ("z3", "arg0", "data, _"), ("d", "arg4", "data, _")],
    },
    // Trajectories of [time, batch].
    Case {
        name: "actor_critic_adam",
        presets: "d m x z1 z2 z3",
        layouts: &[("d", "arg10", "_, data"), ("d", "arg12", "_, data, _")],
    },
];

/// Presets without parameters of the required structure, which must not apply.
const REFUSED: [(&str, &str); 6] = [
    ("mlp_inference", "z1"),
    ("mlp_inference", "z2"),
    ("mlp_inference", "e"),
    ("equinox_mlp_gradients", "z1"),
    ("gru_inference", "m"),
    ("gcn_gradients", "c"),
];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let agree =
        CASES.iter().map(|case| Trial::test(format!("agree/{}", case.name), || check(case).map_err(Failed::from)));
    let refused = REFUSED.iter().map(|&(name, preset)| {
        Trial::test(format!("refused/{name}/{preset}"), move || refuses(name, preset).map_err(Failed::from))
    });
    libtest_mimic::run(&arguments, agree.chain(refused).collect()).exit_code()
}

/// Imports a program.
fn import(name: &str) -> Result<Program, String> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("data/users/{name}.mlir"));
    let text = std::fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
    partita_stablehlo::import(name, &text).map_err(|errors| join_diagnostics(&errors))
}

/// Partitions a program by a preset, given by its letter.
fn partition(program: &Program, preset: &str, devices: u32) -> Result<PartitionedModel, String> {
    let (_, name, axes) =
        PRESETS.iter().find(|known| known.0 == preset).ok_or_else(|| format!("no preset {preset}"))?;
    let mesh = Mesh::new(axes(devices)).map_err(|e| e.to_string())?;
    PartitionedModel::new(program, Plan::new(mesh).preset(*name)).map_err(|e| format!("{name}, {devices} devices: {e}"))
}

/// Checks the layouts, and that all partitioned programs agree with one device.
fn check(case: &Case) -> Result<(), String> {
    let reference = Reference::new(import(case.name)?)?;
    let program = reference.program();
    for preset in case.presets.split(' ') {
        for devices in [2, 3] {
            let parts = partition(program, preset, devices)?;
            reference.check(&parts).map_err(|e| format!("{preset}, {devices} devices: {e}"))?;
        }
    }
    for (preset, input, expected) in case.layouts {
        let local = partition(program, preset, 2)?.local;
        let value = local.inputs().iter().find(|&&v| local.values[v].name == *input);
        let layout =
            value.and_then(|&v| local.values[v].layout.as_deref()).ok_or_else(|| format!("no input {input}"))?;
        let (_, mesh) = local.mesh().ok_or("no mesh")?;
        let found = layout_text(layout, mesh);
        if found != *expected {
            return Err(format!("{preset}: {input} has layout {found}, expected {expected}"));
        }
    }
    Ok(())
}

/// Checks that a preset does not apply to a program.
fn refuses(name: &str, preset: &str) -> Result<(), String> {
    match partition(&import(name)?, preset, 2) {
        Ok(_) => Err("the preset applies".into()),
        Err(error) if error.contains("does not apply") => Ok(()),
        Err(error) => Err(error),
    }
}
