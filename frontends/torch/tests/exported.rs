//! Exported programs compared with the results that PyTorch recorded.

use crate::common::{self, archive, import, recorded, run};
use partita_ir::program::ParamKind;
use partita_ir::tensor::Tensor;
use std::io::Cursor;
use zip::ZipArchive;
use zip::write::{SimpleFileOptions, ZipWriter};

/// Returns the largest difference of two tensors, relative to the largest element.
fn difference(got: &Tensor, want: &Tensor) -> f64 {
    assert_eq!(got.ty, want.ty);
    let largest = want.scalars().map(|x| x.to_f64().abs()).filter(|x| x.is_finite()).fold(1e-3, f64::max);
    let pairs = got.scalars().zip(want.scalars()).map(|(got, want)| (got.to_f64(), want.to_f64()));
    // NaN differs from every number, and a maximum ignores it.
    pairs
        .map(|(got, want)| match (got.is_nan(), want.is_nan()) {
            (true, true) => 0.0,
            (false, false) if got == want => 0.0,
            (false, false) => (got - want).abs() / largest,
            (true, false) | (false, true) => f64::INFINITY,
        })
        .fold(0.0, f64::max)
}

/// Compares a model in both flavours with the recorded results, which are all of its results.
fn compare(name: &str) {
    let recorded = recorded(name);
    for flavour in ["", ".core"] {
        let results = run(&import(&format!("{name}{flavour}")), &recorded);
        let wanted: Vec<(&str, &Tensor)> =
            recorded.iter().filter_map(|(key, tensor)| Some((key.strip_prefix("out.")?, tensor))).collect();
        let names: Vec<&str> = results.keys().map(String::as_str).collect();
        assert_eq!(names, wanted.iter().map(|(key, _)| *key).collect::<Vec<_>>(), "{name}{flavour}");
        for (key, want) in wanted {
            let difference = difference(&results[key], want);
            assert!(difference < 2e-5, "{key} of {name}{flavour} differs by {difference:e}");
        }
    }
}

#[test]
fn gpt2() {
    compare("gpt2");
}

#[test]
fn llama() {
    compare("llama");
}

#[test]
fn mixtral() {
    compare("mixtral");
}

#[test]
fn bert() {
    compare("bert");
}

#[test]
fn vit() {
    compare("vit");
}

#[test]
fn resnet() {
    compare("resnet");
}

/// Einsums, losses, images that are resized and padded, and grids.
#[test]
fn features() {
    compare("features");
}

/// Losses with weights and probabilities, normalised weights, and pooling by unequal windows.
#[test]
fn weighted() {
    compare("weighted");
}

/// Losses with margins, norms and powers of matrices, searches, and special functions.
#[test]
fn margins() {
    compare("margins");
}

/// Complex numbers, Fourier transforms, and parameters, buffers and results that are complex.
#[test]
fn signals() {
    compare("signals");
}

/// Recurrent layers and cells, and bags of embeddings.
#[test]
fn recurrent() {
    compare("recurrent");
}

/// Samples and blocks of images, distances, order, and linear algebra.
#[test]
fn geometry() {
    compare("geometry");
}

/// Writes through views of tensors and of a buffer.
#[test]
fn views() {
    compare("views");
}

/// Stopped gradients, regions without gradients, and regions of `torch.autocast`.
#[test]
fn stopped() {
    compare("stopped");
}

/// Buffers and parameters with the types of results. The program states that it is a forward model.
#[test]
fn hidden() {
    compare("hidden");
    assert!(import("hidden").program.is_forward);
}

/// Broadcast heads, promoted types, reductions of updates, indices of maxima, and assertions.
#[test]
fn forms() {
    compare("forms");
}

/// In training mode, buffers that the forward pass does not read change.
#[test]
fn spectral() {
    compare("spectral");
}

/// Functions of complex numbers, and layers with complex weights.
#[test]
fn phases() {
    compare("phases");
}

/// Conditions, loops and scans.
#[test]
fn control() {
    compare("control");
}

/// In training mode the results include the updated running statistics, under the names of the buffers.
#[test]
fn classifier_in_training_mode() {
    compare("classifier");
}

/// Parameters have their fully qualified names. Tied weights are one parameter under the first name, a parameter
/// without gradient is frozen, and changed buffers are state.
#[test]
fn parameters_have_qualified_names_and_kinds() {
    for name in ["classifier", "classifier.core"] {
        let imported = import(name);
        let params: Vec<(&str, ParamKind)> =
            imported.program.params.values().map(|param| (param.path.as_str(), param.kind)).collect();
        let wanted = [
            ("norm.weight", ParamKind::Trainable),
            ("norm.bias", ParamKind::Trainable),
            ("up.weight", ParamKind::Trainable),
            ("up.bias", ParamKind::Frozen),
            ("down.weight", ParamKind::Trainable),
            ("down.bias", ParamKind::Trainable),
            ("norm.running_mean", ParamKind::State),
            ("norm.running_var", ParamKind::State),
            ("norm.num_batches_tracked", ParamKind::State),
        ];
        assert_eq!(params, wanted, "{name}");
        let inputs: Vec<&str> =
            imported.program.inputs()[..2].iter().map(|&v| imported.program.values[v].name.as_str()).collect();
        assert_eq!(inputs, ["x", "labels"], "{name}");
    }
    let llama = import("llama");
    assert!(llama.weights.contains_key("model.layers.1.self_attn.q_proj.weight"));
    assert_eq!(llama.program.outputs()[0].name, "logits");
}

/// Ops have the module in which they were traced as their scope.
#[test]
fn ops_have_the_path_of_their_module() {
    let program = import("llama").program;
    let scopes: Vec<&str> = program.ops.values().map(|op| op.origin.scope.as_str()).collect();
    for path in ["model.embed_tokens", "model.layers.0.self_attn.o_proj", "model.layers.1.mlp.up_proj", "lm_head"] {
        assert!(scopes.contains(&path), "{path}");
    }
}

/// The name of the file may state a loss, which replaces the results.
#[test]
fn loss_replaces_the_results() {
    let path = common::data().join("gpt2.pt2").display().to_string();
    let program = partita_torch::import(&format!("{path}?loss=cross_entropy")).unwrap().program;
    let outputs: Vec<&str> = program.outputs().iter().map(|output| output.name.as_str()).collect();
    assert_eq!(outputs, ["loss"]);
    assert!(program.inputs().iter().any(|&v| program.values[v].name == "labels"));
    for (options, title) in [("loss=hinge", "there is no loss `hinge`"), ("batch=8", "has no option `batch=8`")] {
        let errors = partita_torch::import(&format!("{path}?{options}")).err().unwrap();
        assert!(errors[0].title.contains(title), "{}", errors[0].title);
    }
}

/// PyTorch writes the records of large archives into small ones, too. If they are as long as the first header of the
/// directory, the second header is where the directory would begin without them.
#[test]
fn records_of_large_archives_are_no_offset() {
    let mut source = ZipArchive::new(Cursor::new(archive("features"))).unwrap();
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for i in 0..source.len() {
        let mut entry = source.by_index(i).unwrap();
        let name = entry.name().unwrap().replace("archive/", "features/");
        zip.start_file(name, SimpleFileOptions::default()).unwrap();
        std::io::copy(&mut entry, &mut zip).unwrap();
    }
    let mut bytes = zip.finish().unwrap().into_inner();
    let end = bytes.split_off(bytes.len() - 22);
    let number = |at: usize| u32::from_le_bytes(end[at..at + 4].try_into().unwrap());
    let (size, offset, entries) = (number(12), number(16), u64::from(end[10]));
    let (directory, record) = (offset as usize, bytes.len() as u64);
    bytes.extend([b"PK\x06\x06".as_slice(), &44_u64.to_le_bytes(), &[45, 0, 45, 0], &[0; 8]].concat());
    bytes.extend([entries, entries, size.into(), offset.into()].map(u64::to_le_bytes).concat());
    bytes.extend([b"PK\x06\x07".as_slice(), &[0; 4], &record.to_le_bytes(), &[1, 0, 0, 0]].concat());
    let records = bytes.len() - record as usize;
    assert_eq!(&bytes[directory + records..][..4], b"PK\x01\x02", "the case does not occur");
    bytes.extend(end);
    let imported = partita_torch::import_bytes("features.pt2", bytes);
    assert!(imported.is_ok(), "{:#?}", imported.err());
}
