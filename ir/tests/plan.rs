//! Equivalence of the three representations of a plan (flags, file, builder), and diagnostics of invalid plans.

use expect_test::{Expect, expect};
use partita_ir::diag::{Code, Diagnostic, Source};
use partita_ir::plan::train::TrainConfig;
use partita_ir::plan::{KEYS, Mesh, Plan, PlanKey, PlanValue, SourceText, text};

fn grid() -> Mesh {
    Mesh::new([("data", 2), ("model", 4)]).unwrap()
}

/// Returns the plan after setting a flag. Errors: the value is invalid.
fn flag(mut plan: Plan, name: &str, value: &str) -> Result<Plan, Diagnostic> {
    let key = KEYS.iter().find(|key| key.flag.is_some_and(|flag| flag.name == name)).unwrap();
    plan.read_flag(key, value).map(|()| plan)
}

/// Returns the plan of the given flags.
fn flags(all: &[(&str, &str)]) -> Plan {
    all.iter().fold(Plan::default(), |plan, (name, value)| flag(plan, name, value).unwrap())
}

fn check(error: Diagnostic, expected: Expect) {
    expected.assert_eq(&format!("{error}\n"));
}

#[test]
fn equivalent_representations_of_a_plan() {
    let built = Plan::new(grid())
        .name("input.0", "batch, embed")
        .rules("batch:data; hidden:model")
        .shard("down.bias", "_")
        .shard("up.*", "_, model")
        .allow_reshard("up.bias")
        .no_padding("vocab")
        .preset("megatron, zero3")
        .store("down.weight", "data, _");
    let flags = flags(&[
        ("mesh", "data=2, model=4"),
        ("name", "input.0=batch, embed"),
        ("shard", "down.bias=_"),
        ("shard", "up.*=_, model"),
        ("store", "down.weight=data, _"),
        ("rules", "batch:data; hidden:model"),
        ("allow-reshard", "up.bias"),
        ("no-padding", "vocab"),
        ("preset", "megatron, zero3"),
    ]);
    let file = r#"
        mesh = { data = 2, model = 4 }
        rules = "batch:data; hidden:model"
        allow_reshard = "up.bias"
        no_padding = ["vocab"]
        presets = "megatron, zero3"
        name."input.0" = "batch, embed"
        shard.down.bias = "_"
        shard."up.*" = "_, model"
        store.down.weight = "data, _"
    "#;
    let toml = Plan::from_toml(&Source::new("plan.toml", file)).unwrap();
    assert_eq!(built, flags);
    assert_eq!(built, toml);
    let printed = built.to_toml();
    expect![[r#"
        version = 1
        mesh = { "data" = 2, "model" = 4 }
        presets = ["megatron, zero3"]
        rules = ["batch:data; hidden:model"]
        allow_reshard = ["up.bias"]
        no_padding = ["vocab"]

        [name]
        "input.0" = "batch, embed"

        [shard]
        "down.bias" = "_"
        "up.*" = "_, model"

        [store]
        "down.weight" = "data, _"
    "#]]
    .assert_eq(&printed);
    assert_eq!(Plan::from_toml(&Source::new("again.toml", printed)).unwrap(), built);
}

/// The training options as flags, in a file, and built; a plan with all options round-trips through a file.
#[test]
fn equivalent_representations_of_training_options() {
    let built = Plan::new(grid())
        .preset("zero2")
        .train("adamw?lr=1e-3&warmup=100&schedule=cosine&steps=1000&clip=1&accumulate=4&scale=dynamic&loss=loss")
        .freeze("tokens.**")
        .freeze("blocks.0.**?")
        .train_only("blocks.**")
        .precision("**", "bf16")
        .precision("norm.**", "f32")
        .remat("**", "selective")
        .remat("blocks.1.**", "auto?budget=8GiB")
        .hold("tokens.weight");
    let flags = flags(&[
        ("mesh", "data=2, model=4"),
        ("preset", "zero2"),
        ("train", "adamw?lr=1e-3&warmup=100&schedule=cosine&steps=1000&clip=1&accumulate=4&scale=dynamic&loss=loss"),
        ("freeze", "tokens.**"),
        ("freeze", "blocks.0.**?"),
        ("train-only", "blocks.**"),
        ("precision", "bf16"),
        ("precision", "norm.**=f32"),
        ("remat", "selective"),
        ("remat", "blocks.1.**=auto?budget=8GiB"),
    ]);
    // `hold` is set by presets and has no flag.
    assert_eq!(flags.hold("tokens.weight"), built);
    let printed = built.to_toml();
    expect![[r#"
        version = 1
        mesh = { "data" = 2, "model" = 4 }
        train = "adamw?lr=1e-3&warmup=100&schedule=cosine&steps=1000&clip=1&accumulate=4&scale=dynamic&loss=loss"
        presets = ["zero2"]
        hold = ["tokens.weight"]
        freeze = ["tokens.**", "blocks.0.**?"]
        train_only = ["blocks.**"]

        [precision]
        "**" = "bf16"
        "norm.**" = "f32"

        [remat]
        "**" = "selective"
        "blocks.1.**" = "auto?budget=8GiB"
    "#]]
    .assert_eq(&printed);
    assert_eq!(Plan::from_toml(&Source::new("again.toml", printed)).unwrap(), built);
    let short = "train = 'sgd'\nfreeze = 'a.**'\nprecision = 'bf16'\nremat = 'full'";
    let short = Plan::from_toml(&Source::new("short.toml", short)).unwrap();
    assert_eq!(short, Plan::default().train("sgd").freeze("a.**").precision("**", "bf16").remat("**", "full"));
}

/// For each key, its flag, its line in a plan file, and the merge with an empty plan are equivalent.
#[test]
fn flags_files_and_merges_agree_for_every_key() {
    for key in KEYS.iter().filter(|key| key.flag.is_some()) {
        let value = match key.value(&Plan::default()) {
            PlanValue::Meshes(_) => "data=2",
            PlanValue::Entries(_) => "path=text",
            _ => "text",
        };
        let mut plan = Plan::default();
        plan.read_flag(key, value).unwrap();
        let printed = plan.to_toml();
        let said: Vec<&str> = KEYS.iter().filter(|key| !is_unset(key.value(&plan))).map(|key| key.name).collect();
        assert_eq!(said, [key.name], "{printed}");
        assert_eq!(Plan::from_toml(&Source::new("again.toml", &printed)).unwrap(), plan, "{printed}");
        assert_eq!(Plan::default().then(plan.clone()), plan, "{printed}");
        assert_eq!(plan.clone().then(Plan::default()), plan, "{printed}");
        assert!(key.needs.is_none_or(|other| PlanKey::named(other).is_some()), "{key:?}");
    }
}

fn is_unset(value: PlanValue<'_>) -> bool {
    matches!(
        value,
        PlanValue::Meshes([])
            | PlanValue::Devices(None)
            | PlanValue::Text(None)
            | PlanValue::List([])
            | PlanValue::Entries([])
    )
}

#[test]
fn an_entry_replaces_an_earlier_one_with_its_path() {
    let file = Plan::new(grid()).shard("a", "data").shard("b", "data");
    let both = file.then(Plan::default().shard("a", "model"));
    let shards: Vec<_> = both.shards.iter().map(|e| (e.path.text.as_str(), e.text.text.as_str())).collect();
    assert_eq!(shards, [("b", "data"), ("a", "model")]);
}

#[test]
fn diagnostics_point_into_the_program_the_file_and_the_flag() {
    let plan = Plan::new(grid()).shard("up.weight", "_, modle");
    let span = plan.shards[0].text.span_of(3..8);
    assert_eq!(&span.source.text[span.range.clone()], "modle");
    assert_eq!(span.source.name, "ir/tests/plan.rs");

    let plan = Plan::from_toml(&Source::new("p.toml", "[shard]\nup.weight = '_, modle'\nx = \"\\u005f\"")).unwrap();
    assert_eq!(plan.shards[0].text.span_of(3..8).line_column(), (2, 17));
    let escaped = plan.shards[1].text.span_of(0..1);
    assert_eq!(&escaped.source.text[escaped.range.clone()], "\"\\u005f\"");

    let plan = flags(&[("shard", "up.weight=_, modle")]);
    let span = plan.shards[0].text.span_of(3..8);
    assert_eq!((span.source.name.as_str(), span.range.start), ("--shard", 13));
}

#[test]
fn two_flags_for_one_path_contradict_each_other() {
    let first = flags(&[("shard", "up.weight=data, _")]);
    assert_eq!(flag(first.clone(), "shard", "up.weight= data, _").unwrap().shards.len(), 1);
    check(
        flag(first, "shard", "up.weight=_, model").unwrap_err(),
        expect![[r#"
            error[L004]: `--shard` is given twice for `up.weight`
              --> --shard:1:11 first here
              --> --shard:1:11 and here
              = help: leave one of them out
        "#]],
    );
    let file = Plan::from_toml(&Source::new("p.toml", "[shard]\nup.weight = 'data, _'")).unwrap();
    assert_eq!(flag(file, "shard", "up.weight=_, model").unwrap().shards[0].text.text, "_, model");
}

#[test]
fn layout_text_parses_all_attributes() {
    let flag = flags(&[("shard", "x=data+model:(1)2?!1, _?, ? , _ sum(x) all(y+z)")]);
    let layout = text::parse_layout(&flag.shards[0].text).unwrap();
    let dims = layout.dims.unwrap();
    let axes: Vec<_> = dims[0].axes.iter().map(|a| (a.name.as_str(), a.part)).collect();
    assert_eq!(axes, [("data", None), ("model", Some((1, 2)))]);
    assert_eq!(
        dims.iter().map(|d| (d.open, d.priority)).collect::<Vec<_>>(),
        [(true, 1), (true, 0), (true, 0), (false, 0)]
    );
    assert_eq!(layout.partial[0].0.name, "x");
    assert_eq!(layout.replicated.len(), 2);
}

#[test]
fn invalid_meshes_are_rejected() {
    let flag = |value: &str| Plan::default().with_mesh_flag(value).unwrap_err();
    check(
        flag("data=0"),
        expect![[r#"
        error[L007]: axis `data` has size 0
          --> --mesh:1:1 the mesh
          = help: a mesh is one or more axes with a size each: `data=2,model=4`
    "#]],
    );
    check(
        flag(""),
        expect![[r#"
        error[L007]: a mesh has at least one axis
          --> --mesh:1:1 the mesh
          = help: a mesh is one or more axes with a size each: `data=2,model=4`
    "#]],
    );
    check(
        flag("data=2,data=4"),
        expect![[r#"
        error[L007]: axis `data` is declared twice
          --> --mesh:1:1 the mesh
          = help: a mesh is one or more axes with a size each: `data=2,model=4`
    "#]],
    );
    check(
        flag("data=70000"),
        expect![[r#"
        error[L007]: 70000 devices are more than the limit of 65536
          --> --mesh:1:1 the mesh
          = help: a mesh is one or more axes with a size each: `data=2,model=4`
    "#]],
    );
    check(
        flag("data=2,model"),
        expect![[r#"
        error[L007]: `model` is not an axis of a mesh
          --> --mesh:1:8
          = help: an axis is a name and a size: `--mesh data=2,model=4`
    "#]],
    );
    check(
        flag("data=4294967296"),
        expect![[r#"
            error[L007]: 4294967296 devices are more than the limit of 65536
              --> --mesh:1:1
        "#]],
    );
    assert_eq!(Mesh::new([("data", 0)]).unwrap_err().title, "axis `data` has size 0");
    check(
        Plan::from_toml(&Source::new("p.toml", "presets = 'data'\ndevices = [1, 0]")).unwrap_err(),
        expect![[r#"
            error[L007]: `devices` needs a mesh
              --> p.toml:2:11 the devices of a mesh
              = help: add the mesh, `mesh = { data = 2 }`
        "#]],
    );
    check(
        Plan::from_toml(&Source::new("p.toml", "mesh = {}")).unwrap_err(),
        expect![[r#"
        error[L007]: a mesh has at least one axis
          --> p.toml:1:8 the mesh
          = help: a mesh is one or more axes with a size each: `data=2,model=4`
    "#]],
    );
    let twice = grid().with_devices(vec![0, 1, 1, 2, 3, 4, 5, 6]).unwrap_err();
    assert_eq!(twice.title, "device 1 has two positions in the mesh");
}

#[test]
fn invalid_texts_are_rejected() {
    let shard = |layout: &str| {
        let plan = flags(&[("shard", &format!("x={layout}"))]);
        text::parse_layout(&plan.shards[0].text).unwrap_err()
    };
    check(
        shard("data model"),
        expect![[r#"
        error[L008]: expected `,`, `sum(...)` or `all(...)`, found `model`
          --> --shard:1:8
          = help: write one entry a dimension, as in `_, data+model`
    "#]],
    );
    check(
        shard("data,, model"),
        expect![[r#"
        error[L008]: expected a mesh axis, or `_` for an unsharded dimension, found `,`
          --> --shard:1:8
          = help: write one entry a dimension, as in `_, data+model`
    "#]],
    );
    check(
        shard("_!300"),
        expect![[r#"
        error[L008]: expected a priority, 0 to 255, found `300`
          --> --shard:1:5
          = help: write one entry a dimension, as in `_, data+model`
    "#]],
    );
    check(
        shard("_ mean(model)"),
        expect![[r#"
        error[L008]: expected `,`, `sum(...)` or `all(...)`, found `mean`
          --> --shard:1:5
          = help: write one entry a dimension, as in `_, data+model`
    "#]],
    );
    check(
        shard("whole, data"),
        expect![[r#"
        error[L008]: expected the end, found `,`
          --> --shard:1:8
          = help: write one entry a dimension, as in `_, data+model`
    "#]],
    );
    let rules = |rules: &str| text::parse_rules(&flags(&[("rules", rules)]).rules[0]).unwrap_err();
    check(
        rules("batch=data"),
        expect![[r#"
        error[L010]: expected `:`, found `=`
          --> --rules:1:6
          = help: write `dimension:axis` pairs, as in `batch:data; hidden:model`
    "#]],
    );
    check(
        rules("batch:data hidden:model"),
        expect![[r#"
        error[L010]: expected `;` or the end, found `hidden`
          --> --rules:1:12
          = help: write `dimension:axis` pairs, as in `batch:data; hidden:model`
    "#]],
    );
    check(
        rules("batch:"),
        expect![[r#"
        error[L010]: expected a mesh axis, or `_` for an unsharded dimension, but the text ends
          --> --rules:1:7
          = help: write `dimension:axis` pairs, as in `batch:data; hidden:model`
    "#]],
    );
    check(
        flag(Plan::default(), "shard", "up.weight").unwrap_err(),
        expect![[r#"
        error[L008]: `--shard` expects a path and a text, joined by `=`
          --> --shard:1:1 there is no `=`
          = help: write `--shard "up.weight=_, model"`
    "#]],
    );
}

#[test]
fn invalid_files_are_rejected() {
    let file = |text: &str| Plan::from_toml(&Source::new("plan.toml", text)).unwrap_err();
    check(
        file("mesh = "),
        expect![[r#"
        error[L011]: not valid TOML: string values must be quoted, expected literal string
          --> plan.toml:1:8
    "#]],
    );
    check(
        file("rule = 'a:b'"),
        expect![[r#"
            error[L011]: a plan has no key `rule`
              --> plan.toml:1:1
              = note: its keys are `mesh`, `devices`, `presets`, `rules`, `name`, `shard`, `store`, `allow_reshard`, `no_padding`, `hold`, `attention`, `overlap`, `train`, `freeze`, `train_only`, `precision`, `remat`, `bucket`, `pipeline`, `schedule`, `microbatches`, `replicas`, `map`, `budget`
              = help: there is a key with a similar name: `rules`
        "#]],
    );
    check(
        file("mesh = 8"),
        expect![[r#"
        error[L011]: expected a table of axis sizes, `mesh = { data = 2, model = 4 }`
          --> plan.toml:1:8
    "#]],
    );
    check(
        file("mesh = { data = -2 }"),
        expect![[r#"
        error[L011]: expected a number from 0 to 4294967295
          --> plan.toml:1:17
    "#]],
    );
    check(
        file("[shard]\nup = 3"),
        expect![[r#"
        error[L011]: expected a text in quotes
          --> plan.toml:2:6
    "#]],
    );
    check(
        file("rules = [1]"),
        expect![[r#"
        error[L011]: expected a text in quotes
          --> plan.toml:1:10
    "#]],
    );
    let deep = format!("[shard]\n{}x = '_'", "a.".repeat(100_000));
    let wide = format!("x = {}", "[".repeat(100_000));
    assert!(Plan::from_toml(&Source::new("deep.toml", deep)).is_err());
    assert!(Plan::from_toml(&Source::new("wide.toml", wide)).is_err());
}

#[test]
fn options_of_an_optimizer_follow_a_question_mark() {
    check(
        TrainConfig::parse(&SourceText::from_flag("--train", "adamw, clip=1")).unwrap_err(),
        expect![[r#"
        error[D003]: there is no optimizer `adamw, clip=1`
          --> --train:1:1
          = note: the optimizers are `sgd`, `momentum`, `adam`, `adamw`
          = help: options follow a question mark: `adamw?clip=1`
    "#]],
    );
}

/// A plan file of the first release, which states no version.
const OLD_FILE: &str = r#"
mesh = { data = 2, model = 4 }
presets = ["data, megatron"]
train = "adamw?lr=1e-3"
pipeline = 2

[shard]
"up.*" = "_, model"
"#;

#[test]
fn files_of_earlier_versions_stay_readable() {
    let old = Plan::from_toml(&Source::new("old.toml", OLD_FILE)).unwrap();
    let built =
        Plan::new(grid()).preset("data, megatron").train("adamw?lr=1e-3").pipeline("2").shard("up.*", "_, model");
    assert_eq!(old, built);
    let printed = built.to_toml();
    assert!(printed.starts_with("version = 1\n"), "{printed}");
    assert_eq!(Plan::from_toml(&Source::new("new.toml", printed)).unwrap(), built);
}

#[test]
fn files_of_later_versions_are_refused() {
    for (version, message) in [
        ("2", "the plan has version 2, and this `partita` reads version 1"),
        ("0", "the plan has version 0, and this `partita` reads version 1"),
        ("-1", "expected a number from 0 to 4294967295"),
        ("'1'", "expected a number from 0 to 4294967295"),
    ] {
        let error = Plan::from_toml(&Source::new("plan.toml", format!("version = {version}\n{OLD_FILE}"))).unwrap_err();
        assert_eq!((error.code, error.title.as_str()), (Code::L011, message));
    }
}
