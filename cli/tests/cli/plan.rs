//! `plan` and `explain`: text, JSON, dumps, and deterministic output of two processes.

use crate::support::{Folder, partita};
use expect_test::{Expect, expect};
use partita_ir::diag::Code;
use serde_json::Value;

/// Two blocks of a feed-forward network with a loss.
pub const BLOCKS: &str = r#"form traced
mesh @m = [data=2, model=4]
param %u0 "blocks.0.up.weight" : f32[64, 512@model]
param %d0 "blocks.0.down.weight" : f32[512@model, 64]
param %u1 "blocks.1.up.weight" : f32[64, 512@model]
param %d1 "blocks.1.down.weight" : f32[512@model, 64]
param %b "bias" : f32[64]
input %x : f32[32@data, 64]
  %h0 = matmul %x, %u0 : f32[32, 512]
  %r0 = relu %h0 : f32[32, 512]
  %y0 = matmul %r0, %d0 : f32[32, 64]
  %h1 = matmul %y0, %u1 : f32[32, 512]
  %r1 = relu %h1 : f32[32, 512]
  %y1 = matmul %r1, %d1 : f32[32, 64]
  %bb = broadcast [1] %b : f32[32, 64]
  %z = add %y1, %bb : f32[32, 64]
  %loss = reduce sum [0, 1] %z : f32[]
output %loss "loss"
"#;

fn check(args: &[&str], expected: Expect) {
    let folder = Folder::new(&format!("plan-{}", args.join("-").replace('/', "_")));
    folder.write("blocks.pir", BLOCKS);
    let ended = partita(&folder, args);
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    expected.assert_eq(&ended.out);
}

#[test]
fn folded() {
    check(
        &["plan", "blocks.pir"],
        expect![[r#"
            blocks.pir: 9 ops on data=2, model=4 (8 devices)

              parameter or input         type          layout    per device     bytes
              blocks.*.up.weight    x 2  f32[64, 512]  _, model  [64, 128]   64.0 KiB
              blocks.*.down.weight  x 2  f32[512, 64]  model, _  [128, 64]   64.0 KiB
              bias                       f32[64]       _         [64]           256 B
              x                          f32[32, 64]   data, _   [16, 64]     4.0 KiB

              collective  over   payload         total  cause   source
              all_reduce  model  4.0 KiB  x 2  8.0 KiB  matmul  line 11, 14
              all_reduce  data       4 B           4 B  reduce  line 17

            per device and run
              payload    8.0 KiB  (3 all_reduce 8.0 KiB)
              on a ring  12.0 KiB
              flops      1.0 M  (12.5% of one device's 8.4 M)
              peak       144.3 KiB  (parameters and inputs 132.2 KiB)
              fallbacks  none
        "#]],
    );
}

#[test]
fn frozen_parameters_are_marked() {
    let folder = Folder::new("plan frozen");
    folder.write("blocks.pir", BLOCKS);
    let ended = partita(&folder, ["plan", "blocks.pir", "--train", "adam", "--freeze", "blocks.0.**"]);
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    let row = |name: &str| ended.out.lines().find(|line| line.trim_start().starts_with(name)).unwrap_or_default();
    assert!(row("blocks.0.up.weight").ends_with("frozen"), "{}", ended.out);
    assert!(!row("blocks.1.up.weight").contains("frozen") && !row("bias").contains("frozen"), "{}", ended.out);
    assert!(row("stored").contains("(64.0 KiB of them frozen)"), "{}", ended.out);
}

#[test]
fn unfolded() {
    check(
        &["plan", "blocks.pir", "--all"],
        expect![[r#"
            blocks.pir: 9 ops on data=2, model=4 (8 devices)

              parameter or input      type          layout    per device     bytes
              blocks.0.up.weight      f32[64, 512]  _, model  [64, 128]   32.0 KiB
              blocks.0.down.weight    f32[512, 64]  model, _  [128, 64]   32.0 KiB
              blocks.1.up.weight      f32[64, 512]  _, model  [64, 128]   32.0 KiB
              blocks.1.down.weight    f32[512, 64]  model, _  [128, 64]   32.0 KiB
              bias                    f32[64]       _         [64]           256 B
              x                       f32[32, 64]   data, _   [16, 64]     4.0 KiB

              collective     over   payload      total  cause         source
              #1 all_reduce  model  4.0 KiB    4.0 KiB  matmul %y0    line 11
              #2 all_reduce  model  4.0 KiB    4.0 KiB  matmul %y1    line 14
              #3 all_reduce  data       4 B        4 B  reduce %loss  line 17

            per device and run
              payload    8.0 KiB  (3 all_reduce 8.0 KiB)
              on a ring  12.0 KiB
              flops      1.0 M  (12.5% of one device's 8.4 M)
              peak       144.3 KiB  (parameters and inputs 132.2 KiB)
              fallbacks  none
        "#]],
    );
}

#[test]
fn emits_the_local_program() {
    check(
        &["plan", "blocks.pir", "--emit", "local"],
        expect![[r#"
        form local
        mesh @m = [data=2, model=4]
        param %u0 "blocks.0.up.weight" : f32[64, 512@model]
        param %d0 "blocks.0.down.weight" : f32[512@model, 64]
        param %u1 "blocks.1.up.weight" : f32[64, 512@model]
        param %d1 "blocks.1.down.weight" : f32[512@model, 64]
        param %b "bias" : f32[64] whole
        input %x : f32[32@data, 64]
          %h0 = matmul %x, %u0 : f32[16, 128]
          %r0 = relu %h0 : f32[16, 128]
          %y0 = matmul %r0, %d0 : f32[16, 64]
          %y0.1 = all_reduce sum over model %y0 : f32[16, 64]
          %h1 = matmul %y0.1, %u1 : f32[16, 128]
          %r1 = relu %h1 : f32[16, 128]
          %y1 = matmul %r1, %d1 : f32[16, 64]
          %bb = broadcast [1] %b : f32[16, 64]
          %y1.1 = all_reduce sum over model %y1 : f32[16, 64]
          %z = add %y1.1, %bb : f32[16, 64]
          %loss = reduce sum [0, 1] %z : f32[]
          %loss.1 = all_reduce sum over data %loss : f32[] whole
        output %loss.1 "loss"
    "#]],
    );
}

#[test]
fn explains_the_layout_of_a_value() {
    check(
        &["explain", "blocks.pir", "r1"],
        expect![[r#"
            `%r1` is f32[32@data, 512@model]

            %r1 dim 0 is split by `data`:
              %x dim 0                         annotated in the model
              %h0 dim 0                        from %x dim 0 through `matmul %h0` (blocks.pir:9)
              %r0 dim 0                        from %h0 dim 0 through `relu %r0` (blocks.pir:10)
              %y0 dim 0                        from %r0 dim 0 through `matmul %y0` (blocks.pir:11)
              %h1 dim 0                        from %y0 dim 0 through `matmul %h1` (blocks.pir:12)
              %r1 dim 0                        from %h1 dim 0 through `relu %r1` (blocks.pir:13)

            %r1 dim 1 is split by `model`:
              blocks.1.up.weight dim 1         annotated in the model
              %h1 dim 1                        from blocks.1.up.weight dim 1 through `matmul %h1` (blocks.pir:12)
              %r1 dim 1                        from %h1 dim 1 through `relu %r1` (blocks.pir:13)

            each device stores f32[16, 128], 8.0 KiB
        "#]],
    );
}

#[test]
fn explains_a_collective() {
    check(
        &["explain", "blocks.pir", "--collective", "2"],
        expect![[r#"
        #2 all_reduce %y1.1 over model
          operands %y1 f32[16, 64]
          payload  4.0 KiB, 6.0 KiB sent on a ring, 1 per run
          cause    `matmul %y1`, operand 0: `%y1` is a partial sum, and `add %z` needs the reduced value
          source   blocks.pir:14
    "#]],
    );
}

#[test]
fn explains_values_live_at_the_peak() {
    check(
        &["explain", "blocks.pir", "--peak"],
        expect![[r#"
            peak 144.3 KiB, while `matmul %y0` runs

              value                 per device       bytes
              blocks.0.up.weight    f32[64, 128]  32.0 KiB
              blocks.0.down.weight  f32[128, 64]  32.0 KiB
              blocks.1.up.weight    f32[64, 128]  32.0 KiB
              blocks.1.down.weight  f32[128, 64]  32.0 KiB
              %r0                   f32[16, 128]   8.0 KiB
              %x                    f32[16, 64]    4.0 KiB
              %y0                   f32[16, 64]    4.0 KiB
              bias                  f32[64]          256 B
              %loss.1               f32[]              4 B
        "#]],
    );
}

/// Stages are balanced for the machine, as by `plan`.
#[test]
fn explains_the_peak_on_a_machine() {
    let folder = Folder::new("explain peak");
    let model = ["zoo:gpt?layers=4&width=64&heads=4&batch=16", "--pipeline", "2", "--train", "adam", "--json"];
    let run = |words: &[&str]| partita(&folder, words.iter().chain(&model));
    let json = |words: &[&str]| -> serde_json::Value {
        let ended = run(words);
        serde_json::from_str(&ended.out).unwrap()
    };
    let peaks = |said: serde_json::Value| -> Vec<u64> {
        said["stages"].as_array().unwrap().iter().map(|stage| stage["peak_bytes"].as_u64().unwrap()).collect()
    };
    let planned = peaks(json(&["plan", "--machine", "pcie4"]));
    assert_eq!(peaks(json(&["explain", "--peak", "--machine", "pcie4"])), planned);
    let ended = run(&["explain", "--peak", "--machine", "nonsense"]);
    assert!(ended.code == Some(1) && ended.err.contains("unknown machine `nonsense`"), "{}", ended.transcript());
}

#[test]
fn explanations_are_json_objects() {
    let folder = Folder::new("explain json");
    folder.write("blocks.pir", BLOCKS);
    let json = |words: &[&str]| -> serde_json::Value {
        let ended = partita(&folder, ["explain", "--json"].iter().chain(words));
        assert_eq!(ended.code, Some(0), "{}", ended.transcript());
        serde_json::from_str(&ended.out).unwrap()
    };
    let code = json(&["L004"]);
    assert_eq!((&code["code"], &code["title"]), (&"L004".into(), &"contradictory annotations".into()));
    let value = json(&["blocks.pir", "r1"]);
    let mesh = &value["meshes"][0];
    assert_eq!((&mesh["name"], &mesh["local_type"]), (&"%r1".into(), &"f32[16, 128]".into()));
    assert_eq!((&mesh["sharded"][1]["dim"], &mesh["sharded"][1]["axis"]), (&1.into(), &"model".into()));
    assert_eq!(json(&["blocks.pir", "r1", "--machine", "dgx-a100"])["alternative"]["machine"], "dgx-a100");
    let collective = json(&["blocks.pir", "--collective", "2", "--machine", "dgx-a100"]);
    assert_eq!((&collective["number"], &collective["kind"]), (&2.into(), &"all_reduce".into()));
    assert_eq!(collective["operands"][0], "%y1 f32[16, 64]");
    assert!(collective["cheapest"]["seconds"].as_f64() > Some(0.0), "{collective}");
    let peak = json(&["blocks.pir", "--peak"]);
    assert_eq!(peak["stages"][0]["values"][0]["local_type"], "f32[64, 128]");
    assert!(json(&["blocks.pir", "--laws", "--machine", "dgx-a100"]).get("rewriting").is_some());
}

#[test]
fn explains_an_error_code() {
    check(
        &["explain", "l004"],
        expect![[r#"
        L004: contradictory annotations

        Two annotations require different layouts of the same value, or of dimensions that an operation
        requires to be split in the same way. Annotations are binding, so Partita does not choose between
        them. Make them agree, remove one of them, or list the value in `allow_reshard`.
    "#]],
    );
}

#[test]
fn every_code_is_explained() {
    let folder = Folder::new("codes");
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    for code in Code::ALL {
        let ended = partita(&folder, ["explain", code.name()]);
        assert_eq!(ended.code, Some(0), "{code}: {}", ended.transcript());
        assert_eq!(words(&ended.out), words(&format!("{code}: {}\n\n{}", code.title(), code.explanation())), "{code}");
    }
}

#[test]
fn json_has_everything() {
    let folder = Folder::new("json");
    folder.write("blocks.pir", BLOCKS);
    let ended = partita(&folder, ["plan", "blocks.pir", "--json"]);
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    let json: Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!(json["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(json["model"], "blocks.pir");
    assert_eq!(json["mesh"], serde_json::json!({ "data": 2, "model": 4 }));
    assert_eq!(json["devices"], 8);
    assert_eq!(json["ops"], 9);
    let param = &json["params"][0];
    assert_eq!(param["name"], "blocks.0.up.weight");
    assert_eq!(
        (&param["shape"], &param["local_shape"]),
        (&serde_json::json!([64, 512]), &serde_json::json!([64, 128]))
    );
    assert_eq!(param["layout"], "_, model");
    assert_eq!(json["params"].as_array().unwrap().len(), 6);
    let collectives = json["collectives"].as_array().unwrap();
    let mut payload = 0;
    for collective in collectives {
        for key in ["kind", "axes", "payload_bytes", "wire_bytes", "count", "op", "origin"] {
            assert!(!collective[key].is_null(), "{key}: {collective}");
        }
        payload += collective["payload_bytes"].as_u64().unwrap() * collective["count"].as_u64().unwrap();
    }
    let totals = &json["totals"];
    assert!(payload > 0 && totals["payload_bytes"] == payload, "{totals}");
    assert!(totals["wire_bytes"].is_u64());
    // Four matmuls of 2 x 32 x 64 x 512, on 8 devices.
    assert_eq!(totals["flops"], 4 * 2 * 32 * 64 * 512 / 8);
    assert_eq!(totals["by_kind"]["all_reduce"]["payload_bytes"], payload);
    assert_eq!(json["fallbacks"], serde_json::json!([]));
    assert!(json["memory"]["peak_bytes"].as_u64().unwrap() > 4 * 64 * 128 * 4);
    for stage in ["import", "propagate", "partition", "verify", "total"] {
        assert!(json["seconds"][stage].is_f64(), "{stage}");
    }
}

#[test]
fn two_processes_print_the_same() {
    let folder = Folder::new("determinism");
    folder.write("blocks.pir", BLOCKS);
    let without_timings = |text: &str| {
        let mut json: Value = serde_json::from_str(text).unwrap();
        json.as_object_mut().unwrap().remove("seconds");
        json.to_string()
    };
    let json = || without_timings(&partita(&folder, ["plan", "blocks.pir", "--json"]).out);
    assert_eq!(json(), json());
    for args in [vec!["plan", "blocks.pir", "--all"], vec!["plan", "blocks.pir", "--emit", "local"]] {
        assert_eq!(partita(&folder, &args).out, partita(&folder, &args).out);
    }
}

#[test]
fn pass_table_names_every_pass() {
    let folder = Folder::new("passes");
    folder.write("blocks.pir", BLOCKS);
    let ended = partita(&folder, ["plan", "blocks.pir", "--passes"]);
    for pass in ["propagate", "insert-reshards", "lower-reshards", "localize"] {
        assert!(ended.out.contains(pass), "{pass}: {}", ended.transcript());
    }
    assert!(ended.out.contains("traced -> planned") && ended.out.contains("all_reduce"), "{}", ended.transcript());
}

#[test]
fn dump_writes_programs_and_prints_the_diff() {
    let folder = Folder::new("dump");
    folder.write("blocks.pir", BLOCKS);
    let ended = partita(&folder, ["plan", "blocks.pir", "--dump=propagate"]);
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    let dumped: Vec<_> = std::fs::read_dir(folder.path.join("dump")).unwrap().flatten().collect();
    assert_eq!(dumped.len(), 1);
    let name = dumped[0].file_name().into_string().unwrap();
    assert!(name.ends_with("-propagate.pir"), "{name}");
    assert!(folder.read(&format!("dump/{name}")).starts_with("form planned"));
    assert!(ended.out.contains("+form planned") && ended.out.contains("-form traced"), "{}", ended.transcript());
    // A dump can be processed further.
    let ended =
        partita(&folder, ["dev", "opt", "--pass", "decompose", "--pass", "insert-reshards", &format!("dump/{name}")]);
    assert!(ended.out.starts_with("form explicit"), "{}", ended.transcript());
}

#[test]
fn annotations_emitted_as_a_plan() {
    let annotated = ["plan", "blocks.pir", "--emit", "plan", "--rules", "batch:data"];
    check(
        &annotated,
        expect![[r#"
            version = 1
            mesh = { "data" = 2, "model" = 4 }
            rules = ["batch:data"]

            [shard]
            "blocks.0.up.weight" = "_, model"
            "blocks.0.down.weight" = "model, _"
            "blocks.1.up.weight" = "_, model"
            "blocks.1.down.weight" = "model, _"
            "x" = "data, _"
        "#]],
    );
}

/// Annotations of a model that are moved to a plan have the same result.
#[test]
fn annotations_are_equivalent_to_a_plan() {
    let folder = Folder::new("annotations-are-a-plan");
    folder.write("blocks.pir", BLOCKS);
    folder.write("plan.toml", &partita(&folder, ["plan", "blocks.pir", "--emit", "plan"]).out);
    let bare = BLOCKS.replace("@model", "").replace("@data", "").replace("mesh @m = [data=2, model=4]\n", "");
    folder.write("bare.pir", &bare);
    let as_it_came = partita(&folder, ["plan", "blocks.pir", "--emit", "local"]);
    assert_eq!(as_it_came.code, Some(0), "{}", as_it_came.transcript());
    assert!(as_it_came.out.contains("all_reduce"));
    let as_planned = partita(&folder, ["plan", "bare.pir", "--plan", "plan.toml", "--emit", "local"]);
    assert_eq!(as_planned.out.replace("mesh @mesh", "mesh @m"), as_it_came.out);
}

#[test]
fn padding_is_reported() {
    let folder = Folder::new("padding-is-reported");
    folder.write(
        "bare.pir",
        BLOCKS.replace("@model", "").replace("@data", "").replace("mesh @m = [data=2, model=4]\n", ""),
    );
    let plan = [
        "plan",
        "bare.pir",
        "--mesh",
        "data=5,model=3",
        "--shard",
        "blocks.*.up.weight=_, model",
        "--shard",
        "x=data, _",
    ];
    let ended = partita(&folder, plan);
    let table = ended.out.split_once("\npadded").map(|(_, rest)| rest.split("\n\n").next().unwrap_or_default());
    expect![[r#"
        , because the axes do not divide the dimension
          elements  over   shards         wasted  dimensions  example
               512  model  3 x 171 = 513    0.2%           8  blocks.0.up.weight dim 1
                32  data   5 x 7 = 35       8.6%           9  %x dim 0"#]]
    .assert_eq(table.unwrap_or(&ended.transcript()));
    let json = partita(&folder, plan.into_iter().chain(["--json"]).collect::<Vec<_>>());
    let report: Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(report["padded"][0]["pieces"], 3);
    assert_eq!(report["padded"][0]["piece"], 171);
}
