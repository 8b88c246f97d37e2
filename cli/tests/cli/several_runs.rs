//! Training in several runs: the output file of one run is the input of the next.

use crate::support::{CommandOutput, Folder, partita};
use crate::training::MLP;
use expect_test::expect;
use safetensors::tensor::{Dtype, TensorView};

/// Freezing layers for some steps and training them again, from file to file, is equal to undoing their updates in
/// these steps. The optimizer state is preserved.
#[test]
fn temporary_freezing() {
    let folder = Folder::new("training-while");
    let steps = |input: Option<&str>, seed: u64, count: u64, frozen: bool, output: &str| {
        let (seed, count) = (seed.to_string(), count.to_string());
        let mut args = vec!["run", "zoo:mlp?layers=3&width=4&hidden=6&batch=8&dropout=0.2", "--mesh", "data=2"];
        args.extend(["--preset", "zero2", "--train", "adamw?lr=0.01&warmup=4"]);
        args.extend(["--seed", &seed, "--steps", &count, "--output", output]);
        args.extend(input.iter().flat_map(|input| ["--input", input]));
        args.extend(frozen.then_some(["--freeze", "layers.0.**"]).into_iter().flatten());
        let ended = partita(&folder, args);
        assert_eq!((ended.code, ended.err.contains("warning")), (Some(0), false), "{}", ended.transcript());
    };
    steps(None, 0, 3, false, "a");
    steps(Some("a"), 3, 4, true, "b");
    steps(Some("b"), 7, 3, false, "c");
    let [a, b, c] = ["a", "b", "c"].map(|name| folder.tensors(name));
    assert!(a.keys().eq(b.keys()) && a.keys().eq(c.keys()), "{:?} {:?} {:?}", a.keys(), b.keys(), c.keys());
    let is_frozen = |name: &str| name.contains("layers.0.");
    let is_trained = |name: &str| name.contains("layers.") && !is_frozen(name);
    assert_eq!(a.keys().filter(|name| is_frozen(name)).count(), 6);
    for name in a.keys() {
        assert!(!is_frozen(name) || a[name] == b[name], "{name} was not frozen");
        assert!(!is_trained(name) || a[name] != b[name], "{name} was not trained");
        assert!(!is_frozen(name) || c[name] != b[name], "{name} stayed frozen");
    }
    // The same steps, with the updates undone after each step.
    std::fs::copy(folder.path.join("a"), folder.path.join("masked")).unwrap();
    for step in 0..4 {
        let before = folder.tensors("masked");
        steps(Some("masked"), 3 + step, 1, false, "after");
        let mut after = folder.tensors("after");
        after.iter_mut().filter(|(name, _)| is_frozen(name)).for_each(|(name, tensor)| *tensor = before[name].clone());
        let views = after
            .iter()
            .map(|(name, (dtype, shape, data))| (name, TensorView::new(*dtype, shape.clone(), data).unwrap()));
        folder.write("masked", safetensors::serialize(views, None).unwrap());
    }
    assert_eq!(folder.tensors("masked"), b);
    steps(Some("masked"), 7, 3, false, "end");
    assert_eq!(folder.tensors("end"), c);
}

/// A file contains the complete state passed from one run to the next.
#[test]
fn steps_in_two_runs() {
    let folder = Folder::new("training-two-runs");
    let steps = |input: &[&str], seed: &str, count: &str, output: &str| {
        let model = "zoo:mnist-cnn?image=8&batch=8&batch_norm=true&dropout=0.1";
        let args = ["run", model, "--mesh", "data=2", "--preset", "data", "--train", "momentum?lr=0.01"];
        let more = ["--seed", seed, "--steps", count, "--output", output];
        let ended = partita(&folder, [&args[..], &more, input].concat());
        assert_eq!((ended.code, ended.err.contains("warning")), (Some(0), false), "{}", ended.transcript());
    };
    steps(&[], "0", "5", "whole");
    steps(&[], "0", "2", "half");
    steps(&["--input", "half"], "2", "3", "both");
    assert_eq!(folder.tensors("whole"), folder.tensors("both"));
}

/// Given data is used for every step.
#[test]
fn given_data_is_used_for_every_step() {
    let folder = Folder::new("training-given");
    folder.write("mlp.pir", MLP);
    let data: Vec<u8> = (0..24).flat_map(|i: u8| f32::from(i).sin().to_le_bytes()).collect();
    let weights: Vec<u8> = (0..32).flat_map(|i: u8| f32::from(i).cos().to_le_bytes()).collect();
    let view = |shape: [usize; 2], data| TensorView::new(Dtype::F32, shape.to_vec(), data).unwrap();
    let tensors = [("up.weight", view([4, 8], &weights)), ("down.weight", view([8, 4], &weights))];
    let spare = ("spare.weight", view([4, 4], &weights[..64]));
    let x = ("x", view([6, 4], &data));
    let ends = |name: &str, tensors: Vec<(&str, TensorView<'_>)>, seed: &str| {
        folder.write(name, safetensors::serialize(tensors, None).unwrap());
        let args = ["run", "mlp.pir", "--mesh", "data=2", "--train", "sgd?lr=0.01&loss=loss", "--input", name];
        partita(&folder, [&args[..], &["--freeze", "spare.weight", "--steps", "3", "--seed", seed]].concat())
    };
    let all = [&tensors[..], &[spare.clone(), x]].concat();
    let [one, two] = ["1", "2"].map(|seed| ends("all", all.clone(), seed));
    assert_eq!((one.code, two.code), (Some(0), Some(0)), "{}", one.transcript());
    // The first two lines contain times.
    let table = |ended: &CommandOutput| ended.out.lines().skip(2).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(table(&one), table(&two));
    // Without given data, data is generated; parameters are never generated.
    let [one, two] =
        ["1", "2"].map(|seed| ends("no-data", [&tensors[..], std::slice::from_ref(&spare)].concat(), seed));
    assert_eq!((one.code, two.code), (Some(0), Some(0)), "{}", one.transcript());
    assert_ne!(table(&one), table(&two));
    let ended = ends("no-weight", tensors[..1].to_vec(), "1");
    assert_eq!(ended.code, Some(1), "{}", ended.transcript());
    expect![[r#"
        warning[L018]: no dimension is sharded over axis `data`: its 2 devices compute identical values
         --> --mesh:1:1
          |
        1 | data=2
          | ^^^^^^ declared here
          |
          = help: shard a dimension over it, `--shard PATH=LAYOUT`, `--rules DIM:data` or a preset, or leave it out: `--mesh data=1`

        error[R001]: `no-weight` has no tensor `down.weight`
          |
          = note: 1 more are missing, the next one is `spare.weight`
          = help: the file has `up.weight`
    "#]]
    .assert_eq(&ended.err);
}
