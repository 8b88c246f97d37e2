//! `predict`: outputs of a trained model for the examples of a file.

use crate::support::{Folder, partita};
use crate::train::{MODEL, folder, train};
use expect_test::{Expect, expect};
use safetensors::tensor::{Dtype, TensorView};

/// Returns a folder with a checkpoint of a model trained on two devices with sharded state.
pub fn trained(test: &str) -> Folder {
    let folder = folder(&format!("predict-{test}"), 64);
    train(&folder, &["--steps", "30", "--scale", "8", "--save", "ck", "--mesh", "data=2", "--preset", "zero3"]);
    folder
}

/// Returns examples of four numbers.
pub fn examples(count: usize) -> Vec<[f32; 4]> {
    (0..count).map(|i| [i as f32 / 7.0, 1.0 - i as f32 / 9.0, (i % 3) as f32, 0.1]).collect()
}

/// Writes a file with one float tensor.
fn write(folder: &Folder, file: &str, name: &str, shape: &[usize], numbers: &[f32]) {
    let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
    let view = TensorView::new(Dtype::F32, shape.to_vec(), &bytes).unwrap();
    folder.write(file, safetensors::serialize([(name, view)], None).unwrap());
}

/// Writes examples.
pub fn write_examples(folder: &Folder, examples: &[[f32; 4]]) {
    write(folder, "x.safetensors", "x", &[examples.len(), 4], examples.as_flattened());
}

/// Returns the predictions in a file: three numbers for each example.
pub fn answers(folder: &Folder, file: &str) -> Vec<[f32; 3]> {
    let (_, shape, bytes) = folder.tensors(file).remove("logits").unwrap();
    assert_eq!(shape[1..], [3]);
    let numbers: Vec<f32> = bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
    numbers.as_chunks::<3>().0.to_vec()
}

/// Runs `predict` on the examples of the folder, and returns the predictions.
pub fn predict(folder: &Folder, more: &[&str]) -> Vec<[f32; 3]> {
    let words = ["predict", "model.pir", "--checkpoint", "ck", "--input", "x.safetensors", "--output", "y.safetensors"];
    let ended = partita(folder, words.iter().chain(more));
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    answers(folder, "y.safetensors")
}

/// Returns the expected prediction: inputs are scaled as in training, and dropout is replaced by its mean.
fn expected_prediction(folder: &Folder, example: [f32; 4]) -> [f64; 3] {
    let tensors = folder.tensors("ck/step-00000030.safetensors");
    let read = |name: &str| -> Vec<f64> {
        tensors[name].2.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b).into()).collect()
    };
    let (w1, b1, w2) = (read("layers.0.weight"), read("layers.0.bias"), read("layers.1.weight"));
    let hidden = |j: usize| {
        let sum: f64 = (0..4).map(|i| f64::from(example[i]) / 8.0 * w1[i * 16 + j]).sum();
        0.75 * (sum + b1[j]).max(0.0)
    };
    [0, 1, 2].map(|k| (0..16).map(|j| hidden(j) * w2[j * 3 + k]).sum())
}

#[test]
fn any_number_of_examples_and_any_plan() {
    let folder = trained("plans");
    for count in [1, 8, 21] {
        write_examples(&folder, &examples(count));
        let own = predict(&folder, &[]);
        assert_eq!(own.len(), count);
        for (example, answer) in examples(count).into_iter().zip(&own) {
            let expected = expected_prediction(&folder, example);
            assert!(
                answer.iter().zip(expected).all(|(a, b)| (f64::from(*a) - b).abs() < 1e-5),
                "{answer:?} {expected:?}"
            );
        }
        for plan in [&["--mesh", "one=1"][..], &["--mesh", "model=3", "--shard", "layers.0.weight=_, model"]] {
            let close = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-5;
            assert!(predict(&folder, plan).as_flattened().iter().zip(own.as_flattened()).all(close));
        }
    }
    let ended = partita(&folder, ["predict", "model.pir", "--checkpoint", "ck", "--input", "x.safetensors"]);
    let (first, rest) = ended.out.split_once('\n').unwrap();
    assert!(first.starts_with("model.pir, step 30: 21 examples on 2 devices in "), "{first}");
    assert!(rest.contains("logits  f32[21, 3]"), "{rest}");
}

/// The forward function alone, without dropout.
const FORWARD: &str = r#"form traced forward
param %w1 "layers.0.weight" : f32[4, 16]
param %b1 "layers.0.bias" : f32[16]
param %w2 "layers.1.weight" : f32[16, 3]
input %x : f32[8, 4]
  %h = matmul %x, %w1 : f32[8, 16]
  %b = broadcast [1] %b1 : f32[8, 16]
  %a = add %h, %b : f32[8, 16]
  %r = relu %a : f32[8, 16]
  %p = constant 0.75 : f32[8, 16]
  %d = mul %r, %p : f32[8, 16]
  %logits = matmul %d, %w2 : f32[8, 3]
output %logits "logits"
"#;

#[test]
fn a_model_without_its_loss_predicts_with_the_weights_of_training() {
    let folder = trained("forward");
    write_examples(&folder, &examples(21));
    let own = predict(&folder, &[]);
    folder.write("model.pir", FORWARD);
    for plan in [&[][..], &["--mesh", "data=2", "--preset", "data"]] {
        let forward = predict(&folder, plan);
        assert_eq!(forward.len(), own.len());
        assert!(forward.as_flattened().iter().zip(own.as_flattened()).all(|(a, b)| (a - b).abs() < 1e-5));
    }
}

#[test]
fn staged_training_predicts_in_stages() {
    let folder = folder("predict-stages", 64);
    let stages = ["--mesh", "data=2", "--preset", "zero3", "--pipeline", "2", "--microbatches", "4"];
    train(&folder, &[&["--steps", "30", "--scale", "8", "--save", "ck"], &stages[..]].concat());
    for count in [1, 21] {
        write_examples(&folder, &examples(count));
        for plan in [
            &[][..],
            &["--pipeline", "1"],
            &["--mesh", "one=1", "--pipeline", "2", "--microbatches", "8"],
            &["--mesh", "data=3 | data=1", "--preset", "data", "--pipeline", "2", "--microbatches", "4"],
        ] {
            let answers = predict(&folder, plan);
            assert_eq!(answers.len(), count);
            for (example, answer) in examples(count).into_iter().zip(&answers) {
                let expected = expected_prediction(&folder, example);
                let is_close = |(a, b): (&f32, f64)| (f64::from(*a) - b).abs() < 1e-5;
                assert!(answer.iter().zip(expected).all(is_close), "{plan:?}: {answer:?} {expected:?}");
            }
        }
    }
    let words = ["predict", "model.pir", "--checkpoint", "ck", "--input", "x.safetensors", "--compare"];
    let compare = |more: &[&str]| partita(&folder, words.iter().chain(more)).out;
    let (two, one) = (compare(&[]), compare(&["--pipeline", "1"]));
    assert!(two.starts_with("model.pir, step 30: 21 examples on 4 devices in "), "{two}");
    assert!(one.starts_with("model.pir, step 30: 21 examples on 2 devices in "), "{one}");
    let compared = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| line.ends_with(" examples/s"));
        lines.filter_map(|line| Some(line.split_once(':')?.0.to_owned())).collect()
    };
    assert_eq!((compared(&two), compared(&one)), (vec!["2 stages".into(), "1 stage".into()], vec!["1 stage".into()]));
}

#[test]
fn int8_weights() {
    let folder = trained("int8");
    write_examples(&folder, &examples(9));
    let wide = predict(&folder, &[]);
    let narrow = predict(&folder, &["--precision", "int8"]);
    assert_ne!(wide, narrow);
    assert!(
        wide.as_flattened().iter().zip(narrow.as_flattened()).all(|(a, b)| (a - b).abs() < 0.1),
        "{wide:?} {narrow:?}"
    );
}

fn check(folder: &Folder, words: &[&str], expected: Expect) {
    let ended = partita(folder, ["predict"].iter().chain(words));
    assert_eq!(ended.code, Some(1), "{}", ended.transcript());
    expected.assert_eq(&ended.err);
}

#[test]
fn unpredictable_models_are_rejected() {
    let folder = trained("errors");
    let ask = ["--checkpoint", "ck", "--input", "x.safetensors"];
    let own = [&["model.pir"][..], &ask].concat();
    check(
        &folder,
        &own,
        expect![[r#"
        error[C001]: cannot read `x.safetensors`: there is no such file or folder
    "#]],
    );
    write(&folder, "x.safetensors", "x", &[2, 5], &[0.0; 10]);
    check(
        &folder,
        &own,
        expect![[r#"
        error[R002]: `x` is f32[n, 4], f32[2, 5] was given
          |
          = note: the first dimension is the example
    "#]],
    );
    write(&folder, "x.safetensors", "xs", &[2, 4], &[0.0; 8]);
    check(
        &folder,
        &own,
        expect![[r#"
        error[R001]: there is no input `x`
          |
          = help: a similar name exists: `xs`
    "#]],
    );
    check(
        &folder,
        &["--checkpoint", "nowhere", "--input", "x.safetensors"],
        expect![[r#"
        error[C001]: cannot read `nowhere`: there is no such file or folder
    "#]],
    );
    folder.write("other.pir", MODEL.replace("layers.1.weight", "head.weight"));
    check(
        &folder,
        &[&["other.pir"][..], &ask].concat(),
        expect![[r#"
        error[K002]: `ck/step-00000030.safetensors` is a checkpoint of another model
          |
          = note: it was written while training `model.pir`
          = note: the checkpoint lacks `head.weight`
          = note: only the checkpoint has `layers.1.weight`
          = help: use the model that was trained, or save checkpoints of this model to another folder
    "#]],
    );
    // The mean over the batch makes each prediction depend on all examples.
    let normed = MODEL.replace(
        "%logits = matmul %d, %w2 : f32[8, 3]",
        "%mean = reduce sum [0] %d : f32[16]\n  %m2 = broadcast [1] %mean : f32[8, 16]\n  %n2 = sub %d, %m2 : f32[8, 16]\n  %logits = matmul %n2, %w2 : f32[8, 3]",
    );
    folder.write("normed.pir", normed);
    check(
        &folder,
        &[&["normed.pir"][..], &ask].concat(),
        expect![[r#"
        error[I001]: predictions of `normed.pir` for an example depend on other examples of its batch
          --> normed.pir:17:3
           |
        17 |   %mean = reduce sum [0] %d : f32[16]
           |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
           |
           = note: `reduce %mean` mixes the examples of a batch
           = note: requests of different users share a batch, so one request could change the answer to another
           = help: use the model in inference mode, such as with running means in batch norms; for a built-in model, write `loss=false`
    "#]],
    );
}

/// The model name in a checkpoint opens no file.
#[test]
fn checkpoint_model_name_opens_no_file() {
    let folder = trained("named-by-checkpoint");
    write_examples(&folder, &examples(1));
    check(
        &folder,
        &["--checkpoint", "ck", "--input", "x.safetensors", "--precision", "layers.0.**=f32"],
        expect![[r#"
            error[F004]: the checkpoint `ck/step-00000030.safetensors` names the model `model.pir`
              |
              = note: a model file is opened only if you name it, since a checkpoint could name any file
              = help: if you trust the file, name it: `partita predict model.pir --checkpoint ck --input x.safetensors --precision 'layers.0.**=f32'`
        "#]],
    );
    // The file is not accessed: the message does not depend on its existence.
    let before = partita(&folder, ["predict", "--checkpoint", "ck", "--input", "x.safetensors"]);
    std::fs::remove_file(folder.path.join("model.pir")).unwrap();
    let after = partita(&folder, ["predict", "--checkpoint", "ck", "--input", "x.safetensors"]);
    assert_eq!((before.code, before.err), (after.code, after.err));
    let served = partita(&folder, ["serve", "--checkpoint", "ck", "--listen", "127.0.0.1:0"]);
    assert_eq!(served.code, Some(1), "{}", served.transcript());
    assert!(served.err.contains("name it: `partita serve model.pir --checkpoint ck --listen"), "{}", served.err);
}
