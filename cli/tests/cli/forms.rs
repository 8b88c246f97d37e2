//! Program text of every form, which enters the pipeline at the pass that follows its form.

use crate::plan::BLOCKS;
use crate::support::{Folder, partita};
use expect_test::{Expect, expect};
use serde_json::Value;

/// Returns a folder with `blocks.pir` in every form, each derived from the previous one.
fn forms() -> Folder {
    let folder = Folder::new(&format!("forms-{:?}", std::thread::current().id()));
    folder.write("blocks.pir", BLOCKS);
    for (from, passes, to) in [
        ("blocks.pir", vec!["propagate"], "planned.pir"),
        ("planned.pir", vec!["decompose", "insert-reshards"], "explicit.pir"),
        ("explicit.pir", vec!["lower-reshards"], "lowered.pir"),
        ("lowered.pir", vec!["localize"], "local.pir"),
    ] {
        let args = ["dev", "opt"].into_iter().chain(passes.into_iter().flat_map(|p| ["--pass", p])).chain([from]);
        let made = partita(&folder, args);
        assert_eq!(made.code, Some(0), "{to}: {}", made.transcript());
        folder.write(to, made.out);
    }
    folder
}

const LATER: [&str; 4] = ["planned.pir", "explicit.pir", "lowered.pir", "local.pir"];

fn check(args: &[&str], code: i32, expected: Expect) {
    let ended = partita(&forms(), args);
    assert_eq!(ended.code, Some(code), "{}", ended.transcript());
    expected.assert_eq(&(ended.out + &ended.err));
}

#[test]
fn every_form_has_the_same_plan() {
    let folder = forms();
    let report = |file: &str| -> Value {
        let ended = partita(&folder, ["plan", file, "--json"]);
        assert_eq!(ended.code, Some(0), "{file}: {}", ended.transcript());
        serde_json::from_str(&ended.out).unwrap()
    };
    let traced = report("blocks.pir");
    for file in LATER {
        let later = report(file);
        for key in ["mesh", "devices", "params", "memory"] {
            assert_eq!(later[key], traced[key], "{file}: {key}");
        }
        for key in ["payload_bytes", "wire_bytes", "by_kind", "flops"] {
            assert_eq!(later["totals"][key], traced["totals"][key], "{file}: {key}");
        }
        assert_eq!(partita(&folder, ["plan", file, "--emit", "local"]).out, folder.read("local.pir"), "{file}");
    }
}

#[test]
fn every_form_has_the_same_results() {
    let folder = forms();
    let output = |file: &str| {
        let ended = partita(&folder, ["run", file, "--output", "out.safetensors"]);
        assert_eq!(ended.code, Some(0), "{file}: {}", ended.transcript());
        std::fs::read(folder.path.join("out.safetensors")).unwrap()
    };
    let traced = output("blocks.pir");
    for file in LATER {
        assert_eq!(output(file), traced, "{file}");
    }
    for file in ["planned.pir", "explicit.pir", "lowered.pir"] {
        let ended = partita(&folder, ["run", file, "--check"]);
        assert_eq!(ended.code, Some(0), "{file}: {}", ended.transcript());
    }
}

#[test]
fn later_forms_run_the_remaining_passes() {
    let folder = forms();
    for (file, passes) in LATER.into_iter().zip([14, 7, 7, 0]) {
        let ended = partita(&folder, ["plan", file, "--passes"]);
        assert_eq!(ended.out.lines().count(), 1 + passes, "{file}: {}", ended.transcript());
    }
}

#[test]
fn local_program_has_no_reference() {
    check(
        &["run", "local.pir", "--check"],
        1,
        expect![[r#"
        error[P001]: `local.pir` is in local form: the original program is not available
          |
          = help: check the original program
    "#]],
    );
    check(
        &["plan", "local.pir", "--emit", "mlir"],
        1,
        expect![[r#"
        error[F003]: a program in the form `local` cannot be exported to StableHLO
          |
          = help: export the program before it is partitioned: in the form `traced`, `planned` or `explicit`
    "#]],
    );
}

#[test]
fn plan_for_a_planned_program_is_rejected() {
    check(
        &["plan", "planned.pir", "--mesh", "data=2"],
        1,
        expect![[r#"
        error[P001]: `planned.pir` is planned already: a plan has no effect on it
          |
          = help: leave the plan out, or apply it to the traced program
    "#]],
    );
    check(
        &["run", "local.pir", "--shard", "bias=model"],
        1,
        expect![[r#"
        error[P001]: `local.pir` is local already: a plan has no effect on it
          |
          = help: leave the plan out, or apply it to the traced program
    "#]],
    );
}

#[test]
fn explain_accepts_later_forms() {
    check(
        &["explain", "planned.pir", "r0"],
        0,
        expect![[r#"
            `%r0` is f32[32@data, 512@model]

            %r0 dim 0 is split by `data`:
              %r0 dim 0                        annotated in the model (planned.pir:10)

            %r0 dim 1 is split by `model`:
              %r0 dim 1                        annotated in the model (planned.pir:10)

            each device stores f32[16, 128], 8.0 KiB
        "#]],
    );
    check(
        &["explain", "lowered.pir", "y0"],
        0,
        expect![[r#"
            `%y0` is f32[32@data, 64] sum(model)

            %y0 dim 0 is split by `data`:
              %y0 dim 0                        annotated in the model (lowered.pir:11)

            each device stores f32[16, 64], 4.0 KiB
        "#]],
    );
    check(
        &["explain", "local.pir", "--collective", "1"],
        0,
        expect![[r#"
        #1 all_reduce %y0.1 over model
          operands %y0 f32[16, 64]
          payload  4.0 KiB, 6.0 KiB sent on a ring, 1 per run
          source   local.pir:12
    "#]],
    );
}

#[test]
fn program_text_from_standard_input() {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_partita"))
        .args(["dev", "opt", "--pass", "propagate", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(BLOCKS.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert!(output.stdout.starts_with(b"form planned\n"));
}
