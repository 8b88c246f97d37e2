//! Complete error messages of training runs that cannot start, continue, or finish.

use super::{MODEL, folder, train, words};
use crate::support::{Folder, partita};
use expect_test::{Expect, expect};

/// Runs a training run, which must fail with the expected message.
pub fn check(folder: &Folder, more: &[&str], expected: Expect) {
    let ended = partita(folder, words(more));
    assert_eq!(ended.code, Some(1), "{}", ended.transcript());
    assert!(ended.out.is_empty(), "{}", ended.transcript());
    expected.assert_eq(&ended.err);
}

/// Returns a folder with checkpoints of steps 10, 20 and 30.
fn with_checkpoints(test: &str) -> Folder {
    let folder = folder(test, 64);
    train(&folder, &["--steps", "30", "--save", "ck", "--save-every", "10"]);
    folder
}

/// Modifies the bytes of a checkpoint.
fn change(folder: &Folder, step: u64, how: impl Fn(&mut Vec<u8>)) {
    let path = folder.path.join(format!("ck/step-{step:08}.safetensors"));
    let mut bytes = std::fs::read(&path).unwrap();
    how(&mut bytes);
    std::fs::write(path, bytes).unwrap();
}

const CONTINUE: [&str; 6] = ["--steps", "40", "--save", "ck", "--save-every", "10"];

#[test]
fn truncated_checkpoint() {
    let folder = with_checkpoints("truncated");
    change(&folder, 30, |bytes| bytes.truncate(bytes.len() - 100));
    check(
        &folder,
        &[&CONTINUE[..], &["--resume"]].concat(),
        expect![[r#"
            error[K001]: checkpoint `ck/step-00000030.safetensors` is truncated
              |
              = note: it has 2672 bytes of the 2772 that were written
              = help: resume from the undamaged checkpoint of step 20: `--resume ck/step-00000020.safetensors`
        "#]],
    );
    // The suggested command works, and the damaged checkpoint is deleted.
    train(&folder, &[&CONTINUE[..], &["--resume", "ck/step-00000020.safetensors"]].concat());
    train(&folder, &[&CONTINUE[..], &["--resume"]].concat());
}

#[test]
fn checkpoint_with_a_flipped_bit() {
    let folder = with_checkpoints("flipped");
    change(&folder, 30, |bytes| {
        let last = bytes.len() - 10;
        bytes[last] ^= 4;
    });
    let ended = partita(&folder, words(&[&CONTINUE[..], &["--resume"]].concat()));
    assert_eq!(ended.code, Some(1), "{}", ended.transcript());
    // The numbers depend on the rounding of the host.
    let lines: Vec<&str> = ended.err.lines().filter(|line| !line.contains("the checksum of its bytes")).collect();
    expect![[r#"
        error[K001]: checkpoint `ck/step-00000030.safetensors` is damaged: its checksum does not match
          |
          = help: resume from the undamaged checkpoint of step 20: `--resume ck/step-00000020.safetensors`
    "#]]
    .assert_eq(&(lines.join("\n") + "\n"));
}

#[test]
fn every_checkpoint_is_damaged() {
    let folder = with_checkpoints("all-damaged");
    for step in [10, 20, 30] {
        change(&folder, step, |bytes| bytes.truncate(20));
    }
    check(
        &folder,
        &[&CONTINUE[..], &["--resume"]].concat(),
        expect![[r#"
        error[K001]: checkpoint `ck/step-00000030.safetensors` is truncated
          |
          = note: it has 20 bytes, fewer than a header
          = help: no other checkpoint is undamaged: start over in another folder
    "#]],
    );
}

#[test]
fn checkpoint_of_another_model() {
    let folder = with_checkpoints("other");
    let other = MODEL.replace("layers.1.weight", "head.weight").replace("[4, 16]", "[4, 12]").replace("16", "12");
    folder.write("model.pir", other);
    check(
        &folder,
        &[&CONTINUE[..], &["--resume"]].concat(),
        expect![[r#"
        error[K002]: `ck/step-00000030.safetensors` is a checkpoint of another model
          |
          = note: it was written while training `model.pir`
          = note: the checkpoint lacks `head.weight`
          = note: only the checkpoint has `layers.1.weight`
          = note: types differ for `layers.0.weight` (f32[4, 16] in the checkpoint, f32[4, 12] in the model), `layers.0.bias` (f32[16] in the checkpoint, f32[12] in the model)
          = help: use the model that was trained, or save checkpoints of this model to another folder
    "#]],
    );
}

#[test]
fn checkpoint_with_another_data_scale() {
    let folder = folder("scaled", 64);
    train(&folder, &["--steps", "30", "--scale", "16", "--save", "ck"]);
    check(
        &folder,
        &[&CONTINUE[..], &["--resume", "--scale", "255"]].concat(),
        expect![[r#"
        error[K005]: `samples.csv` is to be divided by 255, but `ck/step-00000030.safetensors` was trained on data divided by 16
          |
          = help: leave `--scale` out to keep the divisor
    "#]],
    );
    train(&folder, &[&CONTINUE[..], &["--resume", "--scale", "16"]].concat());
}

#[test]
fn checkpoint_folder_of_another_run() {
    let folder = with_checkpoints("in-the-way");
    check(
        &folder,
        &CONTINUE,
        expect![[r#"
        error[K003]: `ck/step-00000030.safetensors` already exists
          |
          = note: training would start over and replace the checkpoints of another run
          = help: resume from it with `--resume`, or save checkpoints to another folder
    "#]],
    );
}

#[test]
fn missing_checkpoint() {
    let folder = folder("not-there", 64);
    check(
        &folder,
        &["--resume", "ck/step-00000010.safetensors"],
        expect![[r#"
        error[K003]: there is no checkpoint `ck/step-00000010.safetensors`
    "#]],
    );
    check(
        &folder,
        &["--resume"],
        expect![[r#"
        error[K003]: `--resume` has no checkpoint path
          |
          = help: name a checkpoint or a folder, or add `--save DIR`
    "#]],
    );
}

#[test]
fn non_finite_loss() {
    let folder = with_checkpoints("nan");
    let ended =
        partita(
            &folder,
            ["train", "model.pir", "--data", "samples.csv", "--train", "sgd?lr=1e30", "--steps", "40"]
                .into_iter()
                .chain(["--save", "ck", "--resume", "--resume-with-changes"]),
        );
    assert_eq!(ended.code, Some(1), "{}", ended.transcript());
    expect![[r#"
        note: the optimizer was adam (beta1 0.9, beta2 0.999, eps 1e-8) and is sgd
        note: the learning rate was 0.01 and is 1e30
        note: the weight decay was 0.01 and is 0.0
        error[D009]: the loss of step 32 is NaN
          |
          = note: the first value that is not finite is `%logits`: `matmul` with finite operands yields -inf
          = note: the last good checkpoint is that of step 30
          = help: lower the learning rate or clip gradients, and resume with `--resume ck/step-00000030.safetensors --resume-with-changes`
    "#]]
    .assert_eq(&ended.err);
}

/// The loss of the step is finite, and its update is not: no checkpoint is written.
#[test]
fn non_finite_update() {
    let folder = with_checkpoints("nan-update");
    let words = ["train", "model.pir", "--data", "samples.csv", "--train", "sgd?lr=1e39", "--steps", "40"];
    let go_on = ["--save", "ck", "--save-every", "1", "--resume", "--resume-with-changes"];
    let ended = partita(&folder, words.into_iter().chain(go_on));
    assert_eq!(ended.code, Some(1), "{}", ended.transcript());
    expect![[r#"
        note: the optimizer was adam (beta1 0.9, beta2 0.999, eps 1e-8) and is sgd
        note: the learning rate was 0.01 and is 1e39
        note: the weight decay was 0.01 and is 0.0
        error[D009]: `layers.0.weight` is not finite after step 31
          |
          = note: the first value that is not finite is `layers.0.weight`: its value is inf before the step
          = note: the last good checkpoint is that of step 30
          = help: lower the learning rate or clip gradients, and resume with `--resume ck/step-00000030.safetensors --resume-with-changes`
    "#]]
    .assert_eq(&ended.err);
    train(&folder, &[&CONTINUE[..], &["--resume"]].concat());
}

#[test]
fn non_finite_data() {
    let folder = folder("nan-data", 64);
    let text = folder.read("samples.csv");
    let text = text.lines().enumerate().map(|(i, line)| match i {
        20 => "1,nan,0,2,3\n".to_owned(),
        _ => format!("{line}\n"),
    });
    folder.write("samples.csv", text.collect::<String>());
    check(
        &folder,
        &["--steps", "40"],
        expect![[r#"
            error[D009]: the loss of step 1 is NaN
              |
              = note: the first value that is not finite is `x`: sample 19 of the data set has the value NaN
              = note: there is no checkpoint
              = help: correct the data set, or remove the sample
        "#]],
    );
}

#[test]
fn invalid_data_sets() {
    let folder = folder("data", 20);
    folder.write("samples.csv", "label,a,b,c,d\n0,1,2,3,4\n1,1,x,3,4\n");
    check(
        &folder,
        &[],
        expect![[r#"
        error[S001]: `samples.csv` is not a data set: `x` is not a number
         --> samples.csv:3:5
          |
        3 | 1,1,x,3,4
          |     ^ expected a number in column `b`
    "#]],
    );
    folder.write("samples.csv", "label,a,b,c,d\n0,1,2,3,4\n1,1,3,4\n");
    check(
        &folder,
        &[],
        expect![[r#"
        error[S001]: `samples.csv` is not a data set: line 3 has 4 entries, but the header has 5
         --> samples.csv:3:1
          |
        3 | 1,1,3,4
          | ^^^^^^^
    "#]],
    );
    folder.write("samples.csv", "lable,a,b,c,d\n0,1,2,3,4\n");
    check(
        &folder,
        &[],
        expect![[r#"
        error[S001]: `samples.csv` is not a data set: it has no column `label`
          |
          = help: rename the column `lable` to `label`
    "#]],
    );
    folder.write("samples.csv", "");
    check(
        &folder,
        &[],
        expect![[r#"
        error[S001]: `samples.csv` is not a data set: it is empty
    "#]],
    );
}

#[test]
fn data_of_the_wrong_shape() {
    let folder = folder("fit", 20);
    folder.write("samples.csv", "label,a,b,c\n0,1,2,3\n");
    check(
        &folder,
        &[],
        expect![[r#"
        error[S002]: `samples.csv` has no field for the input `x` (f32[8, 4])
          |
          = note: the input needs 4 numbers per sample; fields of the data set: `features` (f32[3]), `label` (i64[])
    "#]],
    );
    folder.write("samples.csv", "label,a,b,c,d\n7,1,2,3,4\n");
    check(
        &folder,
        &[],
        expect![[r#"
        error[S002]: field `label` of `samples.csv` has a 7, but the model accepts 0 to 2
          |
          = note: it feeds the input `label`
    "#]],
    );
    folder.write("samples.csv", super::samples(9));
    check(
        &folder,
        &["--validate", "0.5"],
        expect![[r#"
        error[S002]: `samples.csv` has 4 samples to train on, but a batch has 8
          |
          = note: 5 of 9 are held out
    "#]],
    );
    folder.write("text.txt", "a text");
    let ended = partita(&folder, ["train", "model.pir", "--data", "text.txt"]);
    assert_eq!(ended.code, Some(1), "{}", ended.transcript());
    expect![[r#"
        error[S002]: `text.txt` is a text, but the model has no sequence input
          |
          = note: a character model has an integer input `[batch, characters]`
    "#]]
    .assert_eq(&ended.err);
}
