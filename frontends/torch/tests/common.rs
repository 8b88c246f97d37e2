//! Exported programs of the test data, their recorded results, and archives with changed entries.

use partita_ir::dtype::{DType, Type};
use partita_ir::interp;
use partita_ir::tensor::Tensor;
use partita_torch::Imported;
use safetensors::SafeTensors;
use std::collections::BTreeMap;
use std::fs;
use std::io::{Cursor, Read, Write};
use std::path::{Path, PathBuf};
use zip::write::{SimpleFileOptions, ZipWriter};
use zip::{CompressionMethod, ZipArchive};

/// Returns the folder of the exported programs.
pub fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/torch")
}

/// Returns the bytes of an exported program.
pub fn archive(name: &str) -> Vec<u8> {
    fs::read(data().join(format!("{name}.pt2"))).expect("the file exists")
}

/// Imports an exported program of the test data.
pub fn import(name: &str) -> Imported {
    let path = data().join(format!("{name}.pt2"));
    partita_torch::import(&path.display().to_string()).unwrap_or_else(|e| panic!("{name}: {e:#?}"))
}

/// Returns the recorded tensors of a model: inputs as `in.NAME`, results as `out.NAME`.
pub fn recorded(name: &str) -> BTreeMap<String, Tensor> {
    let bytes = fs::read(data().join(format!("{name}.io.safetensors"))).expect("the file exists");
    let file = SafeTensors::deserialize(&bytes).expect("the file is valid");
    let dtype = |dtype| match dtype {
        safetensors::Dtype::F32 => DType::F32,
        safetensors::Dtype::I32 => DType::I32,
        safetensors::Dtype::I64 => DType::I64,
        other => panic!("unexpected element type {other:?}"),
    };
    let tensor = |view: &safetensors::tensor::TensorView<'_>| {
        Tensor::from_bytes(Type::new(dtype(view.dtype()), view.shape()), view.data())
    };
    file.tensors().into_iter().map(|(name, view)| (name, tensor(&view))).collect()
}

/// Runs an imported program with its own weights, and returns the results by name.
pub fn run(imported: &Imported, inputs: &BTreeMap<String, Tensor>) -> BTreeMap<String, Tensor> {
    let program = &imported.program;
    partita_ir::verify::verify(program).map_err(|e| format!("{e:?}")).expect("the program is valid");
    let value = |&v: &_| match program.param_of(v) {
        Some(_) => imported.weights[program.path_of(v)].clone(),
        None => inputs[&format!("in.{}", program.values[v].name)].clone(),
    };
    let results = interp::run(program, program.inputs().iter().map(value).collect()).expect("it runs");
    let names = program.outputs().iter().map(|output| output.name.to_string());
    names.zip(results).collect()
}

/// Returns the archive with entries changed or removed by `change`, which gets their names without the first folder.
pub fn changed(bytes: &[u8], change: impl Fn(&str, Vec<u8>) -> Option<Vec<u8>>) -> Vec<u8> {
    let mut source = ZipArchive::new(Cursor::new(bytes)).expect("the archive is valid");
    let mut out = ZipWriter::new(Cursor::new(Vec::new()));
    for i in 0..source.len() {
        let mut entry = source.by_index(i).expect("the entry exists");
        let name = entry.name().expect("the name is text").into_owned();
        let mut content = Vec::new();
        entry.read_to_end(&mut content).expect("the entry is valid");
        let short = name.split_once('/').map_or("", |(_, rest)| rest);
        if let Some(content) = change(short, content) {
            let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
            out.start_file(name, options).expect("the entry is new");
            out.write_all(&content).expect("it is written");
        }
    }
    out.finish().expect("it is written").into_inner()
}

/// Returns the archive with a changed JSON entry, by its name without the first folder.
pub fn with_json(bytes: &[u8], entry: &str, change: impl Fn(&mut serde_json::Value)) -> Vec<u8> {
    changed(bytes, |name, content| {
        if name != entry {
            return Some(content);
        }
        let mut json = serde_json::from_slice(&content).expect("the entry is JSON");
        change(&mut json);
        Some(serde_json::to_vec(&json).expect("JSON is written"))
    })
}

/// Returns the archive with a changed graph.
pub fn with_graph(bytes: &[u8], change: impl Fn(&mut serde_json::Value)) -> Vec<u8> {
    with_json(bytes, "models/model.json", |program| change(&mut program["graph_module"]["graph"]))
}
