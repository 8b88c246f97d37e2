//! Layouts of programs with annotations of Shardy.
//!
//! Each program is partitioned over a mesh and compared with its unpartitioned result. Where propagation finds another
//! layout than Shardy, the table [`DIFFERENCES`] states the reason, and the costs of both layouts are compared.

use filetests::agree::{compare_outputs, join_diagnostics, partition_by, run_partitioned, run_unpartitioned};
use partita_cost::memory::peak;
use partita_cost::traffic::{collectives, contraction_flops};
use partita_ir::interp::random_inputs;
use partita_ir::plan::Plan;
use partita_ir::program::{Form, Program};
use partita_ir::text::print;

/// A program with annotations, and lines of the program with a layout for each value.
struct Annotated {
    feature: &'static str,
    args: &'static str,
    body: &'static str,
    planned: &'static [&'static str],
}

/// Programs for which propagation has to respect an annotation. `@m` is `a=2, b=2, c=2`; results are `8x8`.
const ANNOTATED: &[Annotated] = &[
    Annotated {
        feature: "a closed dimension is left unsharded",
        args: "%x: S[{\"a\"}, {\"b\"}], %y: S[{?}, {}]",
        body: "%0 = stablehlo.multiply %x, %y : T",
        planned: &["input %arg1 : f32[8@a, 8]", "%0 = mul %arg0, %arg1 : f32[8@a, 8@b]"],
    },
    Annotated {
        feature: "dimensions of a lower priority wait",
        args: "%x: S[{\"a\"}p1, {?}], %y: S[{\"b\"}, {?}], %z: T",
        body: "%1 = stablehlo.add %x, %z : T\n%0 = stablehlo.subtract %1, %y : T",
        planned: &["input %arg2 : f32[8@b, 8]", "%0 = sub %1, %arg1 : f32[8@b, 8]"],
    },
    Annotated {
        feature: "an open dimension without axes waits for its priority",
        args: "%x: S[{\"a\"}, {?}], %y: S[{\"b\"}, {?}], %z: T",
        body: "%1 = stablehlo.add %x, %z S[{?}p1, {?}] : T\n%0 = stablehlo.add %1, %y : T",
        planned: &["%1 = add %arg0, %arg2 : f32[8@a, 8]", "%0 = add %1, %arg1 : f32[8@b, 8]"],
    },
    Annotated {
        feature: "an edge states the sharding of a carried value",
        args: "%x: T",
        body: "%i = stablehlo.constant dense<0> : tensor<i32>
               %w:2 = stablehlo.while(%k = %i, %v = %x) : tensor<i32>, T cond {
                 %n = stablehlo.constant dense<3> : tensor<i32>
                 %t = stablehlo.compare LT, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
                 stablehlo.return %t : tensor<i1>
               } do {
                 %e = sdy.data_flow_edge %v sharding=<@m, [{\"a\", ?}, {?}]> : T
                 %one = stablehlo.constant dense<1> : tensor<i32>
                 %next = stablehlo.add %k, %one : tensor<i32>
                 %s = stablehlo.negate %e : T
                 stablehlo.return %next, %s : tensor<i32>, T
               }
               %0 = sdy.data_flow_edge %w#1 : T",
        planned: &["input %arg0 : f32[8@a, 8]"],
    },
    Annotated {
        feature: "a barrier stops axes in one direction",
        args: "%x: S[{\"a\"}, {?}]",
        body: "%1 = sdy.propagation_barrier %x allowed_direction=BACKWARD : T\n%0 = stablehlo.negate %1 : T",
        planned: &["%0 = neg %1 : f32[8, 8] whole"],
    },
    Annotated {
        feature: "members of a group are sharded alike",
        args: "%x: S[{\"a\"}, {\"b\"}], %y: T",
        body: "%0 = stablehlo.negate %y : T\nsdy.sharding_group %x group_id=0 : T\nsdy.sharding_group %y group_id=0 : T",
        planned: &["input %arg1 : f32[8@a, 8@b]", "f32[8@a, 8@b]"],
    },
    Annotated {
        feature: "a free part of an axis is propagated",
        args: "%x: L[{\"d\"}, {?}], %y: L[{\"d\":(1)2, ?}, {\"d\":(4)2}]",
        body: "%0 = stablehlo.add %x, %y : T",
        planned: &["input %arg1 : f32[8@d:(1)4, 8@d:(4)2]"],
    },
    Annotated {
        feature: "a value on one device is replicated",
        args: "%x: S[{\"a\"}, {?}], %y: M",
        body: "%0 = stablehlo.add %x, %y : T",
        planned: &["input %arg1 : f32[8, 8] whole", "%0 = add %arg0, %arg1 : f32[8@a, 8]"],
    },
    Annotated {
        feature: "the free axes of a manual computation are sharded",
        args: "%x: T",
        body: "%0 = sdy.manual_computation(%x) in_shardings=[<@m, [{\"a\", ?}, {?}]>] out_shardings=[<@m, [{\"a\", ?}, {?}]>] \
               manual_axes={\"a\"} (%s: tensor<4x8xf32>) {
                 %1 = stablehlo.negate %s {sdy.sharding = #sdy.sharding_per_value<[<@m, [{?}, {\"b\"}]>]>} : tensor<4x8xf32>
                 sdy.return %1 : tensor<4x8xf32>
               } : (T) -> T",
        planned: &["input %arg0 : f32[8@a, 8@b]"],
    },
];

/// A program for which Shardy finds another layout, and the reason for ours. `shardy` annotates Shardy's layout.
struct Difference {
    reason: &'static str,
    args: &'static str,
    body: &'static str,
    shardy: (&'static str, &'static str),
}

/// Layouts that differ from Shardy's and need no more communication, memory or arithmetic.
const DIFFERENCES: &[Difference] = &[
    Difference {
        reason: "of operands with different shardings one is resharded, and the result remains sharded; Shardy replicates",
        args: "%x: S[{\"a\"}, {}], %y: S[{\"b\"}, {}]",
        body: "%0 = stablehlo.add %x, %y : T",
        shardy: ("%x: S[{\"a\"}, {}], %y: S[{\"b\"}, {}]", "%0 = stablehlo.add %x, %y S[{}, {}] : T"),
    },
    Difference {
        reason: "of lists of axes with a common prefix the longer one of the first operand remains",
        args: "%x: S[{\"b\", \"a\"}, {}], %y: S[{\"b\", \"c\"}, {}]",
        body: "%0 = stablehlo.add %x, %y : T",
        shardy: ("%x: S[{\"b\", \"a\"}, {}], %y: S[{\"b\", \"c\"}, {}]", "%0 = stablehlo.add %x, %y S[{\"b\"}, {}] : T"),
    },
    Difference {
        reason: "an open operand is sharded like another one although the result is closed: its shards need no communication",
        args: "%x: S[{\"a\"}, {}], %y: S[{?}, {?}]",
        body: "%0 = stablehlo.add %x, %y S[{}, {}] : T",
        shardy: ("%x: S[{\"a\"}, {}], %y: S[{}, {}]", "%0 = stablehlo.add %x, %y S[{}, {}] : T"),
    },
    Difference {
        reason: "slices and concatenations are replicated along their dimension if it would be sharded by axes with empty shards",
        args: "%x: S[{\"a\", \"b\"}, {}]",
        body: "%1 = stablehlo.slice %x [0:1, 0:8] : (T) -> tensor<1x8xf32>
               %2 = stablehlo.slice %x [1:8, 0:8] : (T) -> tensor<7x8xf32>
               %0 = stablehlo.concatenate %2, %1, dim = 0 : (tensor<7x8xf32>, tensor<1x8xf32>) -> T",
        shardy: (
            "%x: S[{\"a\", \"b\"}, {}]",
            "%1 = stablehlo.slice %x [0:1, 0:8] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{\"a\", \"b\"}, {}]>]>} : (T) -> tensor<1x8xf32>
             %2 = stablehlo.slice %x [1:8, 0:8] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{\"a\", \"b\"}, {}]>]>} : (T) -> tensor<7x8xf32>
             %0 = stablehlo.concatenate %2, %1, dim = 0 S[{\"a\", \"b\"}, {}] : (tensor<7x8xf32>, tensor<1x8xf32>) -> T",
        ),
    },
    Difference {
        reason: "a call is inlined, so that its operands are sharded for the operations of the function",
        args: "%x: T",
        body: "%1 = stablehlo.negate %x : T\n%0 = sdy.sharding_constraint %1 <@m, [{\"c\"}, {}]> : T",
        shardy: ("%x: S[{}, {}]", "%1 = stablehlo.negate %x S[{}, {}] : T\n%0 = sdy.sharding_constraint %1 <@m, [{\"c\"}, {}]> : T"),
    },
];

/// Returns a module. `T` is a type, `S[..]` and `L[..]` a type or attribute with a sharding on `@m` or `@long`, and `M`
/// a type on one device.
fn module(args: &str, body: &str) -> String {
    const TYPE: &str = "tensor<8x8xf32>";
    let expand = |text: &str, is_arg: bool| {
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find("S[").into_iter().chain(rest.find("L[")).min() {
            let end = at + rest[at..].find(']').unwrap();
            let (mesh, dims) = (if &rest[at..=at] == "S" { "m" } else { "long" }, &rest[at + 2..end]);
            out.push_str(&rest[..at]);
            out.push_str(&match is_arg {
                true => format!("{TYPE} {{sdy.sharding = #sdy.sharding<@{mesh}, [{dims}]>}}"),
                false => format!("{{sdy.sharding = #sdy.sharding_per_value<[<@{mesh}, [{dims}]>]>}}"),
            });
            rest = &rest[end + 1..];
        }
        let text = out + rest;
        let one_device = format!(": {TYPE} {{sdy.sharding = #sdy.sharding<@one, []>}}");
        let text = if is_arg { text.replace(": M", &one_device) } else { text };
        text.replace(": T", &format!(": {TYPE}"))
            .replace("(T)", &format!("({TYPE})"))
            .replace("-> T", &format!("-> {TYPE}"))
            .replace(", T cond", &format!(", {TYPE} cond"))
            .replace(", T\n", &format!(", {TYPE}\n"))
    };
    format!(
        "sdy.mesh @m = <[\"a\"=2, \"b\"=2, \"c\"=2]>\nsdy.mesh @long = <[\"d\"=8]>\nsdy.mesh @one = <[], device_ids=[0]>\n\
         func.func @main({}) -> {TYPE} {{\n{}\nreturn %0 : {TYPE}\n}}\n",
        expand(args, true),
        expand(body, false)
    )
}

/// Returns the program with a layout for each value, and the program of one device, after comparing the results.
fn partitioned(args: &str, body: &str) -> (Program, Program) {
    let text = module(args, body);
    let program =
        partita_stablehlo::import("m.mlir", &text).unwrap_or_else(|e| panic!("{}\n{text}", join_diagnostics(&e)));
    let partitioned =
        partition_by(&program, Plan::default()).unwrap_or_else(|e| panic!("{}\n{text}", join_diagnostics(&e)));
    let inputs = random_inputs(&program, 0).unwrap();
    let whole = run_unpartitioned(&program, &inputs).unwrap();
    let results = run_partitioned(&partitioned.local, &inputs).unwrap_or_else(|e| panic!("{e}\n{text}"));
    compare_outputs(&program, &results, &whole, &[true], 0.0).unwrap_or_else(|e| panic!("{e}\n{text}"));
    (partitioned.last_in_form(Form::Planned).unwrap().clone(), partitioned.local)
}

/// Returns the bytes that a device sends, its peak memory, and its arithmetic operations.
fn costs(local: &Program) -> [u64; 3] {
    let sent = collectives(local).iter().map(|c| c.wire_bytes * c.count).sum();
    [sent, peak(local).bytes, contraction_flops(local)]
}

#[test]
fn annotations_determine_layouts() {
    for case in ANNOTATED {
        let (planned, _) = partitioned(case.args, case.body);
        let text = print(&planned);
        for line in case.planned {
            assert!(text.contains(line), "{}: `{line}` is not in\n{text}", case.feature);
        }
    }
}

#[test]
fn other_layouts_than_shardys_cost_no_more() {
    for case in DIFFERENCES {
        let (planned, local) = partitioned(case.args, case.body);
        let (other, shardys) = partitioned(case.shardy.0, case.shardy.1);
        assert_ne!(print(&planned), print(&other), "{}: there is no difference", case.reason);
        let (ours, theirs) = (costs(&local), costs(&shardys));
        let cheaper = ours.iter().zip(&theirs).all(|(a, b)| a <= b);
        assert!(cheaper, "{}: {ours:?} and {theirs:?}\n{}\n{}", case.reason, print(&planned), print(&other));
    }
}
