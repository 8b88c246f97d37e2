//! What users are told when training cannot begin, go on, or end: every message whole.

use super::{MODEL, folder, train, words};
use crate::support::{Folder, partita};
use expect_test::{Expect, expect};

/// A training run that ends with an error.
pub fn check(folder: &Folder, more: &[&str], expected: Expect) {
    let ended = partita(folder, words(more));
    assert_eq!(ended.code, Some(1), "{}", ended.all());
    assert!(ended.out.is_empty(), "{}", ended.all());
    expected.assert_eq(&ended.err);
}

/// A folder with checkpoints of steps 10, 20 and 30.
fn with_checkpoints(test: &str) -> Folder {
    let folder = folder(test, 64);
    train(&folder, &["--steps", "30", "--save", "ck", "--save-every", "10"]);
    folder
}

/// Changes the bytes of a checkpoint.
fn change(folder: &Folder, step: u64, how: impl Fn(&mut Vec<u8>)) {
    let path = folder.path.join(format!("ck/step-{step:08}.safetensors"));
    let mut bytes = std::fs::read(&path).unwrap();
    how(&mut bytes);
    std::fs::write(path, bytes).unwrap();
}

const GO_ON: [&str; 6] = ["--steps", "40", "--save", "ck", "--save-every", "10"];

#[test]
fn a_truncated_checkpoint() {
    let folder = with_checkpoints("truncated");
    change(&folder, 30, |bytes| bytes.truncate(bytes.len() - 100));
    check(
        &folder,
        &[&GO_ON[..], &["--resume"]].concat(),
        expect![[r#"
            error[K001]: checkpoint `ck/step-00000030.safetensors` is truncated
              |
              = note: it has 2656 bytes of the 2756 that were written
              = help: the one of step 20 is whole; go on from it: `--resume ck/step-00000020.safetensors`
        "#]],
    );
    // What is offered works, and what was damaged goes.
    train(&folder, &[&GO_ON[..], &["--resume", "ck/step-00000020.safetensors"]].concat());
    train(&folder, &[&GO_ON[..], &["--resume"]].concat());
}

#[test]
fn a_flipped_bit() {
    let folder = with_checkpoints("flipped");
    change(&folder, 30, |bytes| {
        let last = bytes.len() - 10;
        bytes[last] ^= 4;
    });
    let ended = partita(&folder, words(&[&GO_ON[..], &["--resume"]].concat()));
    assert_eq!(ended.code, Some(1), "{}", ended.all());
    // The numbers depend on how this machine rounds.
    let lines: Vec<&str> = ended.err.lines().filter(|line| !line.contains("its bytes give")).collect();
    expect![[r#"
        error[K001]: checkpoint `ck/step-00000030.safetensors` is damaged: its checksum does not match
          |
          = help: the one of step 20 is whole; go on from it: `--resume ck/step-00000020.safetensors`
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
        &[&GO_ON[..], &["--resume"]].concat(),
        expect![[r#"
        error[K001]: checkpoint `ck/step-00000030.safetensors` is truncated
          |
          = note: it has 20 bytes, which is not even a header
          = help: no other checkpoint is whole: start over in another folder
    "#]],
    );
}

#[test]
fn a_checkpoint_of_another_model() {
    let folder = with_checkpoints("other");
    let other = MODEL.replace("layers.1.weight", "head.weight").replace("[4, 16]", "[4, 12]").replace("16", "12");
    folder.write("model.pir", other);
    check(
        &folder,
        &[&GO_ON[..], &["--resume"]].concat(),
        expect![[r#"
        error[K002]: `ck/step-00000030.safetensors` is a checkpoint of another model
          |
          = note: it was written while `model.pir` was trained
          = note: the checkpoint lacks `head.weight`
          = note: only the checkpoint has `layers.1.weight`
          = note: of another type are `layers.0.weight` (f32[4, 16] there, f32[4, 12] here), `layers.0.bias` (f32[16] there, f32[12] here)
          = help: resume with the model that was trained, or keep checkpoints of this one in another folder
    "#]],
    );
}

#[test]
fn a_checkpoint_of_data_that_was_scaled_otherwise() {
    let folder = folder("scaled", 64);
    train(&folder, &["--steps", "30", "--scale", "16", "--save", "ck"]);
    check(
        &folder,
        &[&GO_ON[..], &["--resume", "--scale", "255"]].concat(),
        expect![[r#"
        error[K005]: `samples.csv` is to be divided by 255, but `ck/step-00000030.safetensors` was trained on data divided by 16
          |
          = help: leave `--scale` out to go on as before
    "#]],
    );
    train(&folder, &[&GO_ON[..], &["--resume", "--scale", "16"]].concat());
}

#[test]
fn a_folder_of_another_run() {
    let folder = with_checkpoints("in-the-way");
    check(
        &folder,
        &GO_ON,
        expect![[r#"
        error[K003]: `ck/step-00000030.safetensors` is there already
          |
          = note: training would start over and replace the checkpoints of another run
          = help: go on from it with `--resume`, or keep checkpoints in another folder
    "#]],
    );
}

#[test]
fn a_checkpoint_that_is_not_there() {
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
        error[K003]: `--resume` does not say where the checkpoint is
          |
          = help: name a checkpoint or a folder, or say `--save DIR` as before
    "#]],
    );
}

#[test]
fn a_loss_that_is_no_number() {
    let folder = with_checkpoints("nan");
    let ended =
        partita(
            &folder,
            ["train", "model.pir", "--data", "samples.csv", "--train", "sgd?lr=1e30", "--steps", "40"]
                .into_iter()
                .chain(["--save", "ck", "--resume", "--resume-with-changes"]),
        );
    assert_eq!(ended.code, Some(1), "{}", ended.all());
    expect![[r#"
        note: the optimizer was adam (beta1 0.9, beta2 0.999, eps 1e-8) and is sgd
        note: the learning rate was 0.01 and is 1e30
        note: the weight decay was 0.01 and is 0.0
        error[D009]: the loss of step 32 is NaN
          |
          = note: the first value that is not finite is `%logits`: -inf comes out of `matmul`, whose operands are all finite
          = note: the last good checkpoint is that of step 30
          = help: lower the learning rate or clip gradients, and go on with `--resume ck/step-00000030.safetensors --resume-with-changes`
    "#]]
    .assert_eq(&ended.err);
}

/// The loss of the step is a number, and its update is not: no checkpoint is made of that.
#[test]
fn an_update_that_is_no_number() {
    let folder = with_checkpoints("nan-update");
    let words = ["train", "model.pir", "--data", "samples.csv", "--train", "sgd?lr=1e39", "--steps", "40"];
    let go_on = ["--save", "ck", "--save-every", "1", "--resume", "--resume-with-changes"];
    let ended = partita(&folder, words.into_iter().chain(go_on));
    assert_eq!(ended.code, Some(1), "{}", ended.all());
    expect![[r#"
        note: the optimizer was adam (beta1 0.9, beta2 0.999, eps 1e-8) and is sgd
        note: the learning rate was 0.01 and is 1e39
        note: the weight decay was 0.01 and is 0.0
        error[D009]: `layers.0.weight` is not finite behind step 31
          |
          = note: the first value that is not finite is `layers.0.weight`: it has inf before the step begins
          = note: the last good checkpoint is that of step 30
          = help: lower the learning rate or clip gradients, and go on with `--resume ck/step-00000030.safetensors --resume-with-changes`
    "#]]
    .assert_eq(&ended.err);
    train(&folder, &[&GO_ON[..], &["--resume"]].concat());
}

#[test]
fn data_that_is_no_number() {
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
              = note: the first value that is not finite is `x`: sample 19 of the data set has NaN there
              = note: there is no checkpoint
              = help: correct the data set, or leave the sample out
        "#]],
    );
}

#[test]
fn data_sets_that_are_none() {
    let folder = folder("data", 20);
    folder.write("samples.csv", "label,a,b,c,d\n0,1,2,3,4\n1,1,x,3,4\n");
    check(
        &folder,
        &[],
        expect![[r#"
        error[S001]: `samples.csv` is no data set: `x` is no number
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
        error[S001]: `samples.csv` is no data set: line 3 has 4 entries, and the header 5
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
        error[S001]: `samples.csv` is no data set: it has no column `label`
          |
          = help: it has `lable`: call that one `label`
    "#]],
    );
    folder.write("samples.csv", "");
    check(
        &folder,
        &[],
        expect![[r#"
        error[S001]: `samples.csv` is no data set: it is empty
    "#]],
    );
}

#[test]
fn data_that_does_not_fit() {
    let folder = folder("fit", 20);
    folder.write("samples.csv", "label,a,b,c\n0,1,2,3\n");
    check(
        &folder,
        &[],
        expect![[r#"
        error[S002]: nothing in `samples.csv` feeds the input `x` (f32[8, 4])
          |
          = note: a sample of it has 4 numbers; the data set has, a sample, `features` (f32[3]), `label` (i64[])
    "#]],
    );
    folder.write("samples.csv", "label,a,b,c,d\n7,1,2,3,4\n");
    check(
        &folder,
        &[],
        expect![[r#"
        error[S002]: field `label` of `samples.csv` has a 7, but the model knows 0 to 2
          |
          = note: it feeds the input `label`
    "#]],
    );
    folder.write("samples.csv", super::samples(9));
    check(
        &folder,
        &["--validate", "0.5"],
        expect![[r#"
        error[S002]: `samples.csv` has 4 samples to train on, and one batch is 8
          |
          = note: 5 of 9 are held out
    "#]],
    );
    folder.write("text.txt", "a text");
    let ended = partita(&folder, ["train", "model.pir", "--data", "text.txt"]);
    assert_eq!(ended.code, Some(1), "{}", ended.all());
    expect![[r#"
        error[S002]: `text.txt` is a text, and the model takes no sequences
          |
          = note: a model of characters has an input of integers `[batch, characters]`
    "#]]
    .assert_eq(&ended.err);
}
