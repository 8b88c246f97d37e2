//! Exported PyTorch programs as models of the command.

use crate::support::{Folder, data, partita};

/// Returns the path of an exported program of the test data.
fn model(name: &str) -> String {
    data().join("torch").join(format!("{name}.pt2")).display().to_string()
}

/// A run begins with the weights of the file, and a plan lists parameters under their qualified names.
#[test]
fn exported_programs_are_planned_and_run() {
    let folder = Folder::new("torch-run");
    let mesh = ["--mesh", "data=2,model=2", "--preset", "data,megatron"];
    let model = model("llama");
    let ended = partita(&folder, ["plan", &model].into_iter().chain(mesh));
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    assert!(ended.out.contains("self_attn.q_proj.weight"), "{}", ended.out);
    let ended = partita(&folder, ["run", &model, "--check"].into_iter().chain(mesh));
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
}

#[test]
fn training_without_a_loss_proposes_the_option() {
    let folder = Folder::new("torch-loss");
    std::fs::copy(model("recurrent"), folder.path.join("recurrent.pt2")).unwrap();
    let flags = ["--mesh", "data=1", "--train", "sgd"];
    let ended = partita(&folder, ["plan", "recurrent.pt2"].into_iter().chain(flags));
    assert_eq!(ended.code, Some(1), "{}", ended.transcript());
    assert!(
        ended.err.contains("= help: add a loss: `'recurrent.pt2?loss=cross_entropy'`, or `loss=mse`"),
        "{}",
        ended.err
    );
    let ended = partita(&folder, ["plan", "recurrent.pt2?loss=mse"].into_iter().chain(flags));
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
}

#[test]
fn errors_name_the_file_and_the_option() {
    let folder = Folder::new("torch-errors");
    folder.write("damaged.pt2", "no zip file");
    let damaged = partita(&folder, ["plan", "damaged.pt2", "--mesh", "data=2"]);
    assert_eq!(damaged.code, Some(1), "{}", damaged.transcript());
    assert!(damaged.err.contains("error[F002]") && damaged.err.contains("`damaged.pt2`"), "{}", damaged.err);
    let sized = partita(&folder, ["plan", &format!("{}?batch=8", model("vit")), "--mesh", "data=2"]);
    assert_eq!(sized.code, Some(1), "{}", sized.transcript());
    assert!(sized.err.contains("has no option `batch=8`"), "{}", sized.err);
}
