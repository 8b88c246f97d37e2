//! Named pipes, sockets and devices as inputs: every command rejects them immediately. Files that Partita writes on its
//! own initiative follow no links.

use crate::support::{CommandOutput, Folder};
use partita_runtime::io::{create_anew, replace_file};
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;

/// Runs the binary with a timeout of 20 seconds: a blocked reader ends with exit code 124.
fn partita(folder: &Folder, words: &str) -> CommandOutput {
    let output = Command::new("timeout")
        .args(["20", env!("CARGO_BIN_EXE_partita")])
        .args(words.split(' '))
        .current_dir(&folder.path)
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    CommandOutput { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

/// Every command with an input file. `FILE` stands for the special file without its extension.
const READERS: [&str; 23] = [
    "plan FILE.pir",
    "plan FILE.mlir",
    "plan FILE.onnx",
    "explain FILE.pir x",
    "prove FILE.pir model.pir",
    "prove model.pir FILE.pir",
    "dev opt --pass dce FILE.pir",
    "plan model.pir --plan FILE.toml",
    "plan model.pir --machine FILE.toml",
    "simulate model.pir --machine FILE.toml",
    "search model.pir --machine FILE.toml",
    "compare FILE.toml plan.toml --model model.pir --machine pcie4",
    "compare plan.toml FILE.toml --model model.pir --machine pcie4",
    "replan FILE.toml --model model.pir --machine pcie4 --devices 2",
    "sweep FILE.toml",
    "sweep names_model.toml",
    "sweep names_machine.toml",
    "run model.pir --mesh data=1 --input FILE.safetensors",
    "train model.pir --data FILE.csv --steps 1 --train sgd",
    "train model.pir --data FILE.safetensors --steps 1 --train sgd",
    "train model.pir --data samples.csv --steps 1 --train sgd --init FILE.safetensors",
    "train model.pir --data samples.csv --steps 1 --train sgd --replan 1=FILE.toml",
    "predict linear.onnx?batch=2 --input FILE.safetensors",
];

/// Readers of checkpoints, which also accept folders.
const CHECKPOINTS: [&str; 2] = [
    "train model.pir --data samples.csv --steps 1 --train sgd --resume FILE.safetensors",
    "predict model.pir --checkpoint FILE.safetensors --input x.safetensors",
];

#[cfg(feature = "gpu")]
const COMPILED: [&str; 2] = ["inspect FILE.partita", "run FILE.partita"];
#[cfg(not(feature = "gpu"))]
const COMPILED: [&str; 0] = [];

fn inputs(test: &str) -> Folder {
    let folder = Folder::new(&format!("special-{test}"));
    folder.write("model.pir", crate::train::MODEL).write("samples.csv", crate::train::samples(16));
    folder.write("linear.onnx", crate::onnx::linear()).write("plan.toml", "mesh = { data = 1 }\n");
    folder.write("names_model.toml", "models = [\"special.pir\"]\nmachines = [\"pcie4\"]\n");
    folder.write("names_machine.toml", "models = [\"model.pir\"]\nmachines = [\"special.toml\"]\n");
    folder
}

/// Checks that every reader rejects the file `special` with any extension; `make` creates it at a path.
fn rejected(test: &str, kind: &str, make: &dyn Fn(&Path)) {
    let folder = inputs(test);
    for ending in ["pir", "mlir", "onnx", "toml", "safetensors", "csv", "txt", "partita"] {
        make(&folder.path.join(format!("special.{ending}")));
    }
    let checkpoints = CHECKPOINTS.iter().filter(|_| !folder.path.join("special.safetensors").is_dir());
    for words in READERS.iter().chain(&COMPILED).chain(checkpoints) {
        let words = words.replace("FILE", "special");
        let ended = partita(&folder, &words);
        assert_eq!(ended.code, Some(1), "partita {words}: {}", ended.transcript());
        assert!(ended.err.contains("cannot read `special."), "partita {words}: {}", ended.transcript());
        assert!(ended.err.contains(kind), "partita {words}: {}", ended.transcript());
    }
}

#[test]
fn named_pipes() {
    rejected("pipe", "it is a named pipe, not a regular file", &|path| crate::train::running::pipe(path));
}

#[test]
fn sockets() {
    rejected("socket", "it is a socket, not a regular file", &|path| drop(UnixListener::bind(path).unwrap()));
}

#[test]
fn devices() {
    rejected("device", "it is a character device, not a regular file", &|path| symlink("/dev/zero", path).unwrap());
}

#[test]
fn directories() {
    rejected("directory", "it is a directory", &|path| std::fs::create_dir(path).unwrap());
}

/// Special files in place of files that an earlier run left in a folder.
#[test]
fn pipes_among_the_files_of_an_earlier_run() {
    let folder = inputs("earlier");
    for path in ["ck/step-00000001.safetensors", "swept/results.jsonl"] {
        let path = folder.path.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        crate::train::running::pipe(&path);
    }
    folder.write("sizes.toml", "models = [\"model.pir\"]\nmachines = [\"pcie4\"]\n");
    for words in [
        "predict model.pir --checkpoint ck --input x.safetensors",
        "train model.pir --data samples.csv --steps 1 --train sgd --save ck --resume",
        "sweep sizes.toml -o swept",
    ] {
        let ended = partita(&folder, words);
        assert_eq!(ended.code, Some(1), "partita {words}: {}", ended.transcript());
        assert!(
            ended.err.contains("it is a named pipe, not a regular file"),
            "partita {words}: {}",
            ended.transcript()
        );
    }
}

/// A sparse file that claims to have a terabyte is rejected by its length.
#[test]
fn files_that_are_too_long() {
    let folder = inputs("long");
    for ending in ["pir", "mlir", "onnx", "toml", "safetensors", "csv", "txt", "partita"] {
        let file = std::fs::File::create(folder.path.join(format!("special.{ending}"))).unwrap();
        file.set_len(1 << 40).unwrap();
    }
    for words in READERS.iter().chain(&COMPILED).chain(&CHECKPOINTS) {
        let words = words.replace("FILE", "special");
        let ended = partita(&folder, &words);
        assert_eq!(ended.code, Some(1), "partita {words}: {}", ended.transcript());
        assert!(ended.err.starts_with("error[T004]: `special."), "partita {words}: {}", ended.transcript());
    }
}

/// A file that Partita writes to a default path replaces a link, and preserves the link's target.
#[test]
fn links_in_place_of_output_files() {
    let folder = Folder::new("special-links");
    let at = |name: &str| folder.path.join(name);
    folder.write("precious", "as it was");
    let unfinished = format!("crash.pir.{}.part", std::process::id());
    for name in ["crash.pir", &unfinished, "created"] {
        symlink(at("precious"), at(name)).unwrap();
    }
    replace_file(&at("crash.pir"), b"program").unwrap();
    create_anew(&at("created")).unwrap();
    assert_eq!((folder.read("precious"), folder.read("crash.pir")), ("as it was".to_owned(), "program".to_owned()));
    assert!(!at("crash.pir").is_symlink() && !at("created").is_symlink() && !at(&unfinished).exists());
}
