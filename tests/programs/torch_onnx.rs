//! Models of PyTorch in two files: what `torch.onnx.export` wrote against what PyTorch recorded, and against the
//! parameters of the archive that `torch.export` wrote.

use filetests::agree::{join_diagnostics, partition_by, run_partitioned};
use partita_ir::op::OpKind;
use partita_ir::plan::{Mesh, Plan};
use partita_ir::program::{ParamKind, Program};
use partita_ir::tensor::Tensor;
use partita_runtime::io::read_tensors;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn data(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data/torch").join(file)
}

/// Returns the paths of the trainable parameters.
fn trainable(program: &Program) -> BTreeSet<String> {
    let params = program.params.values().filter(|param| param.kind == ParamKind::Trainable);
    params.map(|param| param.path.clone()).collect()
}

/// Checks parameters and results of `NAME.onnx`. The exporter has computed tables from the parameters `folded`, so that
/// they are not in the file. Of a tied weight, the two files have the two names in `tied`.
fn check(name: &str, folded: &[&str], tied: Option<[&str; 2]>) {
    let path = |extension: &str| data(&format!("{name}.{extension}"));
    let onnx = partita_onnx::import(&path("onnx").display().to_string()).map_err(|e| join_diagnostics(&e)).unwrap();
    let archive = partita_torch::import(&path("pt2").display().to_string()).map_err(|e| join_diagnostics(&e)).unwrap();

    let mut expected = trainable(&archive.program);
    folded.iter().for_each(|path| assert!(expected.remove(*path), "{name} has no parameter `{path}`"));
    let in_archive =
        |path: &str| tied.filter(|[onnx, _]| *onnx == path).map_or(path, |[_, archive]| archive).to_owned();
    let found = trainable(&onnx.program);
    assert_eq!(found.iter().map(|path| in_archive(path)).collect::<BTreeSet<_>>(), expected, "{name}");
    for path in &found {
        assert_eq!(onnx.weights[path], archive.weights[&in_archive(path)], "`{path}` of {name}");
    }

    let recorded = read_tensors(&path("io.safetensors")).unwrap();
    let plan = Plan::new(Mesh::new([("data", 2), ("model", 2)]).unwrap()).preset("data,megatron");
    let parts = partition_by(&onnx.program, plan).map_err(|e| join_diagnostics(&e)).unwrap();
    let input = |&value: &_| {
        let path = parts.local.path_of(value);
        onnx.weights.get(path).or_else(|| recorded.get(&format!("in.{path}"))).unwrap().clone()
    };
    let inputs: Vec<Tensor> = parts.local.inputs().iter().map(input).collect();
    let result = run_partitioned(&parts.local, &inputs).unwrap().remove(0);
    // The names of results are the exporter's own.
    let want = recorded.iter().find(|(key, want)| key.starts_with("out.") && want.ty == result.ty).unwrap().1;
    let largest = want.scalars().map(|x| x.to_f64().abs()).fold(1e-3, f64::max);
    for (got, want) in result.scalars().zip(want.scalars()) {
        assert!((got.to_f64() - want.to_f64()).abs() < 5e-5 * largest, "{name}: {got:?} is not {want:?}");
    }

    let gathers = parts.local.ops.values().filter(|op| matches!(op.kind, OpKind::AllGather(_))).count();
    assert_eq!(gathers, 0, "attention of {name} needs no gathers");
}

#[test]
fn gpt2() {
    check("gpt2", &["transformer.wpe.weight"], Some(["lm_head.weight", "transformer.wte.weight"]));
}

#[test]
fn llama() {
    check("llama", &[], None);
}

#[test]
fn bert() {
    check("bert", &["embeddings.position_embeddings.weight", "embeddings.token_type_embeddings.weight"], None);
}

#[test]
fn vit() {
    check("vit", &["embeddings.cls_token"], None);
}
