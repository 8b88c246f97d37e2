//! Malformed files cause no panic, hang or memory exhaustion: each yields a message and exit code 1.

use crate::support::{Folder, partita};

const MLP: &str = "form traced
mesh @m = [data=2, model=4]
param %w1 \"up.weight\" : f32[64, 512@model]
input %x : f32[32@data, 64]
  %h = matmul %x, %w1 : f32[32, 512]
  %r = relu %h : f32[32, 512]
output %r
";

/// Checks for a user error: exit code 1 and a rendered diagnostic alone.
fn refused(folder: &Folder, file: &str) {
    let ended = partita(folder, ["plan", file]);
    assert_eq!(ended.code, Some(1), "{file}: {}", ended.transcript());
    assert!(ended.err.starts_with("error["), "{file}: {}", ended.transcript());
    assert!(ended.err.len() < 20_000, "{file}: {} bytes of message", ended.err.len());
    assert!(ended.out.is_empty(), "{file}: {}", ended.transcript());
}

/// Checks for success or a user error: no panic and no signal.
fn survives(folder: &Folder, file: &str) {
    let ended = partita(folder, ["plan", file, "--mesh", "data=2"]);
    assert!(matches!(ended.code, Some(0 | 1)), "{file}: {}", ended.transcript());
}

#[test]
fn random_bytes() {
    let folder = Folder::new("random_bytes");
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for round in 0..8 {
        let bytes: Vec<u8> = (0..4096)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                // Half of the files are printable, to pass the UTF-8 check.
                if round % 2 == 0 { (state >> 32) as u8 } else { b' ' + (state >> 32) as u8 % 95 }
            })
            .collect();
        for file in ["random.pir", "random.mlir"] {
            folder.write(file, &bytes);
            refused(&folder, file);
        }
    }
}

#[test]
fn truncated_program_text() {
    let folder = Folder::new("truncated_text");
    for end in 0..MLP.len() {
        if end % 7 == 0 {
            folder.write("cut.pir", &MLP[..end]);
            survives(&folder, "cut.pir");
        }
    }
}

#[test]
fn empty_files() {
    let folder = Folder::new("empty");
    folder.write("empty.pir", "").write("empty.mlir", "");
    refused(&folder, "empty.pir");
    refused(&folder, "empty.mlir");
}

#[test]
fn line_of_many_megabytes() {
    let folder = Folder::new("long_line");
    let long = "x".repeat(20 << 20);
    folder.write("long.pir", format!("form traced\ninput %{long}"));
    folder.write("long.mlir", format!("module {{ func.func public @main({long}"));
    refused(&folder, "long.pir");
    refused(&folder, "long.mlir");
}

#[test]
fn deep_nesting() {
    let folder = Folder::new("deep");
    let deep = 200_000;
    folder.write("brackets.pir", format!("form traced\ninput %x : f32{}", "[".repeat(deep)));
    folder.write("brackets.mlir", format!("module attributes {{a = {}", "[".repeat(deep)));
    folder.write("regions.mlir", format!("module {{ {}", "\"a\"() ({ ".repeat(deep)));
    folder.write("parens.mlir", format!("module {{ func.func public @main{}", "(".repeat(deep)));
    for file in ["brackets.pir", "brackets.mlir", "regions.mlir", "parens.mlir"] {
        refused(&folder, file);
    }
}

#[test]
fn shapes_that_overflow() {
    let folder = Folder::new("huge");
    let huge = u64::MAX;
    folder.write(
        "huge.pir",
        format!("form traced\ninput %x : f32[{huge}, {huge}]\n  %y = relu %x : f32[{huge}, {huge}]\n"),
    );
    folder.write("large.pir", "form traced\ninput %x : f32[4294967296, 4294967296, 4294967296]\noutput %x\n");
    folder.write(
        "huge.mlir",
        "module { func.func public @main(%arg0: tensor<4294967296x4294967296x4294967296xf32>) -> tensor<f32> { \
         %0 = stablehlo.constant dense<1.0> : tensor<4294967296x4294967296x4294967296xf32> return %0 : tensor<f32> } }",
    );
    for file in ["huge.pir", "large.pir", "huge.mlir"] {
        refused(&folder, file);
    }
}

#[test]
fn unreadable_files() {
    let folder = Folder::new("unreadable");
    std::fs::create_dir(folder.path.join("folder.pir")).expect("the folder is created");
    refused(&folder, "missing.mlir");
    refused(&folder, "folder.pir");
    std::fs::create_dir(folder.path.join("folder.onnx")).expect("the folder is created");
    refused(&folder, "missing.onnx");
    refused(&folder, "folder.onnx?batch=1");
    refused(&folder, "model.tflite");
    refused(&folder, "zoo:nothing");
}
