//! Exported PyTorch programs, partitioned by presets: all devices together compute what PyTorch recorded, and training
//! steps what one device computes.

use filetests::agree::{join_diagnostics, partition_by, run_partitioned, run_unpartitioned};
use indexmap::IndexMap;
use partita_ir::dtype::{DType, Type};
use partita_ir::plan::{Mesh, Plan};
use partita_ir::program::{ParamKind, Program};
use partita_ir::tensor::Tensor;
use partita_runtime::io::read_tensors;
use partita_torch::Imported;
use std::path::{Path, PathBuf};

fn data(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data/torch").join(file)
}

/// An exported program, and the recorded tensors of its model.
struct Model {
    imported: Imported,
    recorded: IndexMap<String, Tensor>,
}

impl Model {
    /// Reads `NAME.pt2`; `options` state a loss.
    fn read(name: &str, options: &str) -> Model {
        let path = format!("{}{options}", data(&format!("{name}.pt2")).display());
        let imported = partita_torch::import(&path).map_err(|e| join_diagnostics(&e)).unwrap();
        let model = name.trim_end_matches(".core");
        let mut recorded = read_tensors(&data(&format!("{model}.io.safetensors"))).unwrap();
        let labels = Tensor::from_ints(Type::new(DType::I64, [6, 8]), (0..48).collect());
        recorded.entry("in.labels".into()).or_insert(labels);
        Model { imported, recorded }
    }

    /// Returns the inputs of a program that was derived from the model: its weights and the recorded inputs.
    fn inputs(&self, program: &Program) -> Vec<Tensor> {
        let input = |&v: &_| {
            let path = program.path_of(v);
            self.imported.weights.get(path).or_else(|| self.recorded.get(&format!("in.{path}"))).unwrap().clone()
        };
        program.inputs().iter().map(input).collect()
    }

    /// Partitions the model and returns its results by name.
    fn results(&self, axes: &[(&str, u32)], plan: impl FnOnce(Plan) -> Plan) -> IndexMap<String, Tensor> {
        let plan = plan(Plan::new(Mesh::new(axes.iter().copied()).unwrap()));
        let parts = partition_by(&self.imported.program, plan).map_err(|e| join_diagnostics(&e)).unwrap();
        let results = run_partitioned(&parts.local, &self.inputs(&parts.local)).unwrap();
        parts.local.outputs().iter().map(|output| output.name.to_string()).zip(results).collect()
    }
}

/// Compares tensors, relative to the largest element.
fn compare(what: &str, got: &Tensor, want: &Tensor) {
    assert_eq!(got.ty, want.ty, "{what}");
    let largest = want.scalars().map(|x| x.to_f64().abs()).fold(1e-3, f64::max);
    for (got, want) in got.scalars().zip(want.scalars()) {
        assert!((got.to_f64() - want.to_f64()).abs() < 5e-5 * largest, "{what}: {got:?} is not {want:?}");
    }
}

/// Compares the results on several devices with those of PyTorch, for both flavours of export.
fn partitioned(name: &str, result: &str, axes: &[(&str, u32)], presets: &str) {
    for flavour in ["", ".core"] {
        let model = Model::read(&format!("{name}{flavour}"), "");
        let results = model.results(axes, |plan| plan.preset(presets));
        compare(&format!("{name}{flavour} {presets}"), &results[result], &model.recorded[&format!("out.{result}")]);
    }
}

#[test]
fn data_and_megatron_compute_the_results_of_pytorch() {
    for (name, result) in
        [("gpt2", "logits"), ("llama", "logits"), ("bert", "last_hidden_state"), ("vit", "last_hidden_state")]
    {
        partitioned(name, result, &[("model", 2)], "megatron");
        partitioned(name, result, &[("data", 3), ("model", 2)], "data,megatron");
    }
}

#[test]
fn data_computes_the_results_of_pytorch() {
    for (name, result) in [("mixtral", "logits"), ("resnet", "output"), ("llama", "logits")] {
        for devices in [2, 3] {
            partitioned(name, result, &[("data", devices)], "data");
        }
    }
}

/// Weights are stored `[out, in]`: the preset splits the rows of the first weight and the columns of the second.
#[test]
fn layouts_follow_from_the_graph() {
    for name in ["llama", "llama.core"] {
        let model = Model::read(name, "");
        let plan = Plan::new(Mesh::new([("model", 2)]).unwrap()).preset("megatron");
        let parts = partition_by(&model.imported.program, plan).map_err(|e| join_diagnostics(&e)).unwrap();
        let local = |path: &str| {
            let param = parts.local.params.values().find(|param| param.path == path).unwrap();
            parts.local.values[param.value].local_type().shape.to_vec()
        };
        assert_eq!(local("model.layers.0.mlp.up_proj.weight"), [16, 16], "{name}");
        assert_eq!(local("model.layers.0.mlp.down_proj.weight"), [16, 16], "{name}");
        assert_eq!(local("model.layers.1.self_attn.q_proj.weight"), [8, 16], "{name}");
        assert_eq!(local("model.layers.1.self_attn.o_proj.weight"), [16, 8], "{name}");
    }
}

/// A step of gradient descent with the rate 1 subtracts the gradients that PyTorch recorded. `detach`, `torch.no_grad`
/// and the padding of embeddings stop gradients, and results with the types of buffers or parameters replace none.
#[test]
fn gradients_are_those_of_pytorch() {
    for name in ["stopped", "hidden", "hidden.core", "forms", "spectral", "control"] {
        let model = Model::read(name, "");
        let results = model.results(&[("data", 1)], |plan| plan.train("sgd?lr=1"));
        let gradients =
            model.recorded.iter().filter_map(|(key, gradient)| Some((key.strip_prefix("grad.")?, gradient)));
        let mut count = 0;
        for (path, gradient) in gradients {
            let old = &model.imported.weights[path];
            let moved = old.scalars().zip(results[path].scalars()).map(|(old, new)| old.to_f64() - new.to_f64());
            compare(&format!("{path} of {name}"), &Tensor::from_floats(old.ty.clone(), moved.collect()), gradient);
            count += 1;
        }
        let trained = model.imported.program.params.values().filter(|param| param.kind == ParamKind::Trainable);
        assert_eq!(count, trained.count(), "{name}");
    }
}

/// A training step is derived from an exported loss, or from one that the name of the file adds.
#[test]
fn training_steps_agree_with_one_device() {
    let cases = [
        ("classifier", "", "data", "down.weight"),
        ("classifier.core", "", "data", "down.weight"),
        ("llama", "?loss=cross_entropy", "data", "model.layers.0.mlp.up_proj.weight"),
        ("gpt2.core", "?loss=cross_entropy", "data", "transformer.h.0.mlp.c_fc.weight"),
    ];
    for (name, options, presets, weight) in cases {
        let model = Model::read(name, options);
        let train = |plan: Plan| plan.preset(presets).train("sgd?lr=0.1");
        let (one, two) = (model.results(&[("data", 1)], train), model.results(&[("data", 2)], train));
        assert!(one.contains_key("loss") && one.contains_key(weight), "{name}: {:?}", one.keys());
        for (key, want) in &one {
            compare(&format!("{key} of {name}"), &two[key], want);
        }
        let moved = one[weight].scalars().zip(model.imported.weights[weight].scalars());
        assert!(moved.into_iter().any(|(new, old)| new != old), "{name}");
        // The loss before the step is that of the forward program.
        let program = &model.imported.program;
        let forward = run_unpartitioned(program, &model.inputs(program)).unwrap();
        compare(&format!("loss of {name}"), &one["loss"], &forward[0]);
    }
}
