//! The built-in models with explicit plans on many meshes: all devices must agree with one, in `f64` and in the model's
//! element types. Fallback gathers are listed in `fallbacks.txt`.
//!
//! `cargo xtask soak` runs the long tests, too; `cargo xtask bless` rewrites the list.

mod decoding;
#[cfg(feature = "gpu")]
mod kernels;
mod models;
mod pipelines;
mod plan_keys;
mod presets;
mod training;

use expect_test::{Expect, expect, expect_file};
use models::{MESHES, MODELS, Model, name, traced};
use partita::prelude::*;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Returns the built-in model with a name.
fn model(name: &str) -> &'static Model {
    let is_it = |m: &&Model| m.spec.strip_prefix("zoo:").and_then(|s| s.split('?').next()) == Some(name);
    MODELS.iter().find(is_it).unwrap_or_else(|| panic!("no {name}"))
}

/// Partitions a program, and panics unless all devices agree with one.
fn partition_and_check(program: &Program, plan: &Plan, what: &str) -> Partition {
    let part = program.partition(plan).unwrap_or_else(|e| panic!("{what}: {e}"));
    let inputs = part.random_inputs(1).unwrap_or_else(|e| panic!("{what}: {e}"));
    let check = part.check(&inputs).unwrap_or_else(|e| panic!("{what}: {e}"));
    assert!(check.ok(), "{what}:\n{check}");
    part
}

/// Checks a model on every mesh, with dropout and without. Some contraction must be sharded, since replicated execution
/// would always agree.
fn check_on_every_mesh(model: &Model) {
    for dropout in [false, true] {
        let program = model.program(dropout);
        for axes in MESHES {
            let part = partition_and_check(
                &program,
                &model.plan(axes),
                &format!("{}, dropout {dropout}, {}", model.spec, name(axes)),
            );
            let totals = part.report().totals;
            assert!(totals.flops < totals.model_flops, "{}, {}: {totals:?}", model.spec, name(axes));
        }
    }
}

#[test]
fn mlp() {
    check_on_every_mesh(model("mlp"));
}

#[test]
fn mnist_cnn() {
    check_on_every_mesh(model("mnist-cnn"));
}

#[test]
fn gpt() {
    check_on_every_mesh(model("gpt"));
}

#[test]
fn llama() {
    check_on_every_mesh(model("llama"));
}

#[test]
fn bert() {
    check_on_every_mesh(model("bert"));
}

#[test]
fn moe() {
    check_on_every_mesh(model("moe"));
}

/// Lists the fallback gathers of each model on each mesh.
#[test]
fn fallbacks() {
    let mut list = String::from("What is gathered because no rule can split it.\n");
    for model in &MODELS {
        for dropout in [false, true] {
            let program = model.program(dropout);
            let _ = writeln!(list, "\n{}{}", model.spec, if dropout { "&dropout=0.25" } else { "" });
            for axes in MESHES {
                let part = program.partition(&model.plan(axes)).unwrap();
                let found = gathered(&part.report());
                let _ = writeln!(list, "  {}:{}", name(axes), if found.is_empty() { " none" } else { "" });
                for (what, count) in &found {
                    let _ = writeln!(list, "    {count} x {what}");
                }
                let must_split = ["zoo:mlp", "zoo:gpt", "zoo:bert"].iter().any(|m| model.spec.starts_with(m));
                assert!(found.is_empty() || !must_split, "{}, {}: {found:?}", model.spec, name(axes));
            }
        }
    }
    expect_file!["zoo/fallbacks.txt"].assert_eq(&list);
}

/// Returns descriptions of the gathers of a plan, with their counts.
fn gathered(report: &Report) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    for f in &report.fallbacks {
        let op = f.op.split(' ').next().unwrap_or_default();
        *found.entry(format!("{op}, dimension {} over {}: {}", f.dim, f.axes.join("+"), f.why)).or_default() += 1;
    }
    found
}

#[test]
fn options_out_of_range() {
    let refused = |spec: &str, expected: Expect| {
        let error = partita::load(spec).err().unwrap_or_else(|| panic!("{spec} is not rejected"));
        expected.assert_eq(&format!("{}\n", partita_cli::render::render(&error.0, false)));
    };
    refused(
        "zoo:gpt?layers=-1",
        expect![[r#"
        error[F004]: option `layers` cannot be `-1`
         --> MODEL:1:16
          |
        1 | zoo:gpt?layers=-1
          |                ^^ expected a whole number from 1 to 10000
          |
          = note: `layers`: layers; 2 when not given
    "#]],
    );
    refused(
        "zoo:gpt?layers=1000000",
        expect![[r#"
        error[F004]: option `layers` cannot be `1000000`
         --> MODEL:1:16
          |
        1 | zoo:gpt?layers=1000000
          |                ^^^^^^^ expected a whole number from 1 to 10000
          |
          = note: `layers`: layers; 2 when not given
    "#]],
    );
    refused(
        "zoo:gpt?heads=3",
        expect![[r#"
        error[F004]: 3 heads do not divide a width of 256
         --> MODEL:1:15
          |
        1 | zoo:gpt?heads=3
          |               ^
          |
          = note: 256 = 3 x 85 + 1: each head has the same number of features
        help: 2 heads do
          |
        1 - zoo:gpt?heads=3
        1 + zoo:gpt?heads=2
          |
        help: or `width=258`
    "#]],
    );
    refused(
        "zoo:mlp?width=2147483648&hidden=2147483648",
        expect![[r#"
        error[T004]: parameter `layers.0.weight` has more elements than can be counted: [2147483648, 2147483648]

        error[T004]: parameter `layers.1.weight` has more elements than can be counted: [2147483648, 2147483648]
    "#]],
    );
}

/// Checks other options and larger sizes on every mesh.
#[test]
#[ignore = "long: `cargo xtask soak`"]
fn larger_models() {
    for (name, options) in [
        ("mlp", ["layers=7&width=65&hidden=129&batch=33", "layers=3&width=64&hidden=512&loss=false"]),
        ("mnist-cnn", ["image=28&batch=13&classes=7", "image=13&batch=9&loss=false"]),
        (
            "gpt",
            [
                "layers=3&width=120&heads=24&seq=33&vocab=131&batch=9&tied=false",
                "layers=1&heads=24&width=96&loss=false",
            ],
        ),
        (
            "llama",
            [
                "layers=3&width=144&heads=24&kv_heads=3&seq=33&vocab=131&batch=9",
                "layers=1&heads=24&width=96&kv_heads=24&loss=false",
            ],
        ),
        (
            "bert",
            [
                "layers=3&width=120&heads=24&seq=33&vocab=131&batch=9&tied=false",
                "layers=1&heads=24&width=96&tied=false&loss=false",
            ],
        ),
        (
            "moe",
            ["layers=3&width=33&hidden=70&experts=5&seq=30&batch=8", "experts=8&capacity=3&width=64&seq=40&loss=false"],
        ),
    ] {
        let model = model(name);
        for spec in options.map(|options| format!("zoo:{name}?{options}")) {
            for spec in [format!("{spec}&dropout=0.1"), spec] {
                let program = traced(&spec);
                for axes in MESHES {
                    partition_and_check(&program, &model.plan(axes), &format!("{spec}, {}", models::name(axes)));
                }
            }
        }
    }
}
