//! Choice of dimensions by `megatron`.

use super::{BLOCK, CONV, MLP, apply, check, plan, with_undeclared_params};
use expect_test::expect;

#[test]
fn megatron_shards_columns_then_rows() {
    check(
        MLP,
        plan(&[("model", 4)], "megatron"),
        expect![[r#"

        [shard]
        "up.weight" = "_, model"
        "up.bias" = "model"
        "down.weight" = "model, _"
    "#]],
    );
    check(
        &with_undeclared_params(MLP),
        plan(&[("model", 4)], "megatron"),
        expect![[r#"

        [shard]
        "w1" = "_, model"
        "b1" = "model"
        "w2" = "model, _"
    "#]],
    );
    check(
        BLOCK,
        plan(&[("model", 4)], "megatron"),
        expect![[r#"

        [shard]
        "embed" = "model, _"
        "q" = "_, model, _"
        "k" = "_, model, _"
        "v" = "_, model, _"
        "v.bias" = "model, _"
        "o" = "model, _, _"
        "up" = "_, model"
        "down" = "model, _"
    "#]],
    );
    check(
        CONV,
        plan(&[("model", 4)], "megatron"),
        expect![[r#"

        [shard]
        "conv1" = "model, _, _, _"
        "bias1" = "model"
        "conv2" = "_, model, _, _"
    "#]],
    );
}

/// Three layers: the second one is sharded along one dimension only, and the third one has no partner.
#[test]
fn pairs_share_no_parameter() {
    let three = r#"
form traced
param %a "a" : f32[16, 24]
param %b "b" : f32[24, 16]
param %c "c" : f32[16, 24]
input %x : f32[8, 16]
  %p = matmul %x, %a : f32[8, 24]
  %q = matmul %p, %b : f32[8, 16]
  %r = matmul %q, %c : f32[8, 24]
"#;
    check(
        three,
        plan(&[("model", 4)], "megatron"),
        expect![[r#"

        [shard]
        "a" = "_, model"
        "b" = "model, _"
    "#]],
    );
    check(
        three,
        plan(&[("data", 2), ("model", 4)], "mesh"),
        expect![[r#"

        [shard]
        "x" = "data, _"
        "a" = "_, model"
        "b" = "model, _"
        "c" = "_, model"
    "#]],
    );
}

/// Two layers with a residual stream that is not normalised, so that it connects parameters as hidden units do. Hidden
/// units are produced first.
#[test]
fn hidden_units_are_sharded_before_the_residual_stream() {
    let text = r#"
form traced
param %a "a" : f32[16, 24]
param %b "b" : f32[24, 16]
param %c "c" : f32[16, 24]
param %d "d" : f32[24, 16]
input %x : f32[8, 16]
  %p = matmul %x, %a : f32[8, 24]
  %q = matmul %p, %b : f32[8, 16]
  %r = add %x, %q : f32[8, 16]
  %s = matmul %r, %c : f32[8, 24]
  %t = matmul %s, %d : f32[8, 16]
  %u = add %r, %t : f32[8, 16]
output %u "y"
"#;
    check(
        text,
        plan(&[("model", 4)], "megatron"),
        expect![[r#"

        [shard]
        "a" = "_, model"
        "b" = "model, _"
        "c" = "_, model"
        "d" = "model, _"
    "#]],
    );
}

/// Two heads on four devices: the heads are sharded over a sub-axis of size two.
#[test]
fn few_heads_use_a_sub_axis() {
    let text = BLOCK.replace("4, 8", "2, 8").replace("8, 4, 16", "8, 2, 16").replace("16, 4, 8", "16, 2, 8");
    let (_, expanded) = apply(&text, plan(&[("model", 4)], "megatron"));
    let of = |path: &str| expanded.shards.iter().find(|e| e.path.text == path).map(|e| e.text.text.clone());
    assert_eq!(of("q").as_deref(), Some("_, model:(1)2, _"));
    assert_eq!(of("up").as_deref(), Some("_, model"));
}
