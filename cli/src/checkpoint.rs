//! `checkpoint`: lists, verifies and converts checkpoints.

use super::Outcome;
use super::args::{CheckpointCommand, MergeArgs, ShowArgs, SplitArgs};
use partita::Result;
use partita::report::{Align, Table};
use partita_ir::diag::{Code, Diagnostic, shell_path};
use partita_ir::dtype::Type;
use partita_ir::units::format_bytes;
use partita_runtime::checkpoint::{FileStatus, MergeTarget, SavedCheckpoint, SavedShard, file_states, merge, split};
use partita_runtime::extent::Extent;
use serde_json::json;
use std::path::Path;

/// Runs `partita checkpoint`.
pub(super) fn checkpoint(command: &CheckpointCommand) -> Result<Outcome> {
    match command {
        CheckpointCommand::Show(args) => show(args),
        CheckpointCommand::Merge(args) => run_merge(args),
        CheckpointCommand::Split(args) => run_split(args),
    }
}

/// Opens the checkpoint at a path, or the newest one of a folder.
fn open(path: &Path) -> Result<SavedCheckpoint> {
    match SavedCheckpoint::find(path, None)? {
        Some(saved) => Ok(saved),
        None => Err(Diagnostic::new(Code::K003, format!("there is no checkpoint in `{}`", path.display())).into()),
    }
}

fn show(args: &ShowArgs) -> Result<Outcome> {
    let saved = open(&args.path)?;
    let states = file_states(&saved);
    let ok = states.iter().all(|state| state.error.is_none());
    let text = if args.json { json(&saved, &states) } else { text(&saved, &states) };
    Ok(Outcome { text, ok })
}

fn run_merge(args: &MergeArgs) -> Result<Outcome> {
    let saved = open(&args.path)?;
    let path = args.output.clone();
    let target = match path.extension().is_some_and(|extension| extension == "safetensors") {
        true => MergeTarget::File(path),
        false => MergeTarget::Folder { path, max_bytes: args.max_bytes },
    };
    merge(&saved, &target)?;
    Ok(written(&saved, &args.output))
}

fn run_split(args: &SplitArgs) -> Result<Outcome> {
    let saved = open(&args.path)?;
    split(&saved, &args.output, args.ranks as usize)?;
    Ok(written(&saved, &args.output))
}

fn written(saved: &SavedCheckpoint, path: &Path) -> Outcome {
    format!("step {} of {}: wrote {}\n", saved.progress().step, shell_path(saved.path()), shell_path(path)).into()
}

fn text(saved: &SavedCheckpoint, states: &[FileStatus]) -> String {
    let progress = saved.progress();
    let total = saved.tensors().values().map(|tensor| tensor.ty.bytes()).sum();
    let form = match (saved.is_sharded(), states.len()) {
        (false, _) => "one file".to_owned(),
        (true, 1) => "sharded, 1 file".to_owned(),
        (true, count) => format!("sharded, {count} files"),
    };
    let mut out = format!(
        "{}: step {} of `{}`, {} tensors, {}, {form}\n",
        saved.path().display(),
        progress.step,
        progress.model,
        saved.tensors().len(),
        format_bytes(total)
    );
    let mut files =
        Table::new([("#", Align::Right), ("file", Align::Left), ("bytes", Align::Right), ("state", Align::Left)]);
    for (number, status) in states.iter().enumerate() {
        let state = match &status.error {
            None => "ok".to_owned(),
            Some(error) => error.title.clone(),
        };
        files.row([number.to_string(), status.name.clone(), status.bytes.to_string(), state]);
    }
    let mut tensors =
        Table::new([("tensor", Align::Left), ("type", Align::Left), ("bytes", Align::Right), ("shards", Align::Left)]);
    for (name, tensor) in saved.tensors() {
        let shards: Vec<String> = tensor.shards.iter().map(|shard| shard_text(shard, &tensor.ty)).collect();
        tensors.row([name.clone(), tensor.ty.to_string(), tensor.ty.bytes().to_string(), shards.join(" ")]);
    }
    out += &format!("\n{files}\n{tensors}");
    out
}

/// Formats a shard as its file and its range in each dimension: `2[0:4, 8:16]`. A shard with all elements has no
/// ranges.
fn shard_text(shard: &SavedShard, ty: &Type) -> String {
    if shard.extent == Extent::full(&ty.shape) {
        return shard.file.to_string();
    }
    let ranges =
        shard.extent.start.iter().zip(&shard.extent.len).map(|(start, len)| format!("{start}:{}", start + len));
    format!("{}[{}]", shard.file, ranges.collect::<Vec<_>>().join(", "))
}

fn json(saved: &SavedCheckpoint, states: &[FileStatus]) -> String {
    let file = |status: &FileStatus| {
        let error = status.error.as_ref().map(|error| error.title.clone());
        json!({ "name": status.name, "bytes": status.bytes, "ok": error.is_none(), "error": error })
    };
    let tensors = saved.tensors().iter().map(|(name, tensor)| {
        let shard = |shard: &SavedShard| {
            let Extent { start, len } = &shard.extent;
            json!({ "file": shard.file, "start": start.to_vec(), "shape": len.to_vec() })
        };
        json!({
            "name": name,
            "dtype": tensor.ty.dtype.name(),
            "shape": tensor.ty.shape.to_vec(),
            "bytes": tensor.ty.bytes(),
            "shards": tensor.shards.iter().map(shard).collect::<Vec<_>>(),
        })
    });
    let progress = saved.progress();
    let object = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "path": saved.path().display().to_string(),
        "model": progress.model,
        "step": progress.step,
        "epoch": progress.epoch,
        "seed": progress.seed,
        "sharded": saved.is_sharded(),
        "ok": states.iter().all(|status| status.error.is_none()),
        "files": states.iter().map(file).collect::<Vec<_>>(),
        "tensors": tensors.collect::<Vec<_>>(),
    });
    format!("{object:#}\n")
}
