//! Complete backward passes: their ops, the gradients they omit, the values they store, and ops without gradient.

use super::harness::{add_loss, floats_of, read, with_gradients};
use expect_test::{Expect, expect};
use partita_ir::arena::Id;
use partita_ir::program::{Phase, Program};
use partita_ir::text::print;
use partita_passes::driver::{Findings, Input, Pipeline};
use partita_passes::optimising::dce::Dce;
use partita_passes::training::differentiate::gradients;

/// Returns the backward pass for all parameters of a program whose first output is the loss.
fn backward_of(text: &str) -> Program {
    let mut program = read(text);
    let loss = program.outputs()[0].value;
    let wrt: Vec<_> = program.params.values().map(|p| p.value).collect();
    let forward = program.funcs[program.entry()].ops().len();
    let found = gradients(&mut program, loss, &wrt).unwrap_or_else(|e| panic!("{}", e[0]));
    for (&value, gradient) in wrt.iter().zip(found) {
        if let Some(gradient) = gradient {
            program.output(format!("{}'", program.path_of(value)), gradient);
        }
    }
    assert!(program.funcs[program.entry()].ops().len() > forward);
    program
}

fn backward(text: &str, expected: Expect) {
    let text = print(&backward_of(text));
    let lines: Vec<&str> = text.lines().filter(|l| l.contains(" phase ") || l.starts_with("output")).collect();
    expected.assert_eq(&format!("{}\n", lines.join("\n")));
}

#[test]
fn backward_pass_of_a_perceptron() {
    backward(
        r#"param %w1 "up.weight" : f32[64, 512]
        param %b1 "up.bias" : f32[512]
        param %w2 "down.weight" : f32[512, 64]
        param %b2 "down.bias" : f32[64]
        input %x : f32[32, 64]
          %h = matmul %x, %w1 : f32[32, 512]
          %s1 = broadcast [1] %b1 : f32[32, 512]
          %a = add %h, %s1 : f32[32, 512]
          %r = relu %a : f32[32, 512]
          %p = matmul %r, %w2 : f32[32, 64]
          %s2 = broadcast [1] %b2 : f32[32, 64]
          %y = add %p, %s2 : f32[32, 64]
          %loss = reduce sum [0, 1] %y : f32[]
        output %loss"#,
        expect![[r#"
              %loss.grad = constant 1.0 : f32[] phase backward_input
              %y.grad = broadcast [] %loss.grad : f32[32, 64] phase backward_input
              %b2.grad = reduce sum [0] %y.grad : f32[64] phase backward_weight
              %r.grad = dot_general contract [1]x[1] %y.grad, %w2 : f32[32, 512] phase backward_input
              %w2.grad = dot_general contract [0]x[0] %r, %y.grad : f32[512, 64] phase backward_weight
              %c = constant 0.0 : f32[32, 512] phase backward_input
              %gt = compare gt %r, %c : bool[32, 512] phase backward_input
              %a.grad = select %gt, %r.grad, %c : f32[32, 512] phase backward_input
              %b1.grad = reduce sum [0] %a.grad : f32[512] phase backward_weight
              %w1.grad = dot_general contract [0]x[0] %x, %a.grad : f32[64, 512] phase backward_weight
            output %loss
            output %w1.grad "up.weight'"
            output %b1.grad "up.bias'"
            output %w2.grad "down.weight'"
            output %b2.grad "down.bias'"
        "#]],
    );
}

#[test]
fn backward_pass_of_a_transformer_block() {
    backward(
        r#"param %gamma "norm.gamma" : f32[64]
        param %beta "norm.beta" : f32[64]
        param %w "head.weight" : f32[64, 100]
        param %e "tokens.weight" : f32[50, 64]
        input %ids : i32[4, 8]
        input %labels : i32[4, 8]
          %x = gather offset [2] collapsed [0] map [0] vector 2 sizes [1, 64] %e, %ids : f32[4, 8, 64]
          %n = layer_norm eps 0.00001 %x, %gamma, %beta : f32[4, 8, 64]
          %g = gelu tanh %n : f32[4, 8, 64]
          %z = matmul %g, %w : f32[4, 8, 100]
          %c = cross_entropy %z, %labels : f32[4, 8]
          %sum = reduce sum [0, 1] %c : f32[]
          %n2 = constant 32.0 : f32[]
          %loss = div %sum, %n2 : f32[]
        output %loss"#,
        expect![[r#"
              %loss.grad = constant 1.0 : f32[] phase backward_input
              %sum.grad = div %loss.grad, %n2 : f32[] phase backward_input
              %c.grad = broadcast [] %sum.grad : f32[4, 8] phase backward_input
              %broadcast.2 = broadcast [0, 1] %max : f32[4, 8, 100] phase backward_input
              %c.1 = constant 0 : i32[4, 8] phase backward_input
              %ge = compare ge %labels, %c.1 : bool[4, 8] phase backward_input
              %c.2 = constant 100 : i32[4, 8] phase backward_input
              %lt = compare lt %labels, %c.2 : bool[4, 8] phase backward_input
              %known = and %ge, %lt : bool[4, 8] phase backward_input
              %broadcast.3 = broadcast [0, 1] %known : bool[4, 8, 100] phase backward_input
              %class = iota dim 2 : i32[4, 8, 100] phase backward_input
              %broadcast.4 = broadcast [0, 1] %labels : i32[4, 8, 100] phase backward_input
              %eq = compare eq %class, %broadcast.4 : bool[4, 8, 100] phase backward_input
              %eq.1 = compare eq %z, %broadcast.2 : bool[4, 8, 100] phase backward_input
              %chosen = select %broadcast.3, %eq, %eq.1 : bool[4, 8, 100] phase backward_input
              %convert = convert %chosen : f32[4, 8, 100] phase backward_input
              %sum.2 = reduce sum [2] %convert : f32[4, 8] phase backward_input
              %div.1 = div %c.grad, %sum.2 : f32[4, 8] phase backward_input
              %broadcast.5 = broadcast [0, 1] %div.1 : f32[4, 8, 100] phase backward_input
              %sub.1 = sub %z, %broadcast.2 : f32[4, 8, 100] phase backward_input
              %exp.1 = exp %sub.1 : f32[4, 8, 100] phase backward_input
              %broadcast.6 = broadcast [0, 1] %sum.1 : f32[4, 8, 100] phase backward_input
              %div.2 = div %exp.1, %broadcast.6 : f32[4, 8, 100] phase backward_input
              %broadcast.7 = broadcast [0, 1] %c.grad : f32[4, 8, 100] phase backward_input
              %mul = mul %div.2, %broadcast.7 : f32[4, 8, 100] phase backward_input
              %sub.2 = sub %mul, %broadcast.5 : f32[4, 8, 100] phase backward_input
              %z.grad = select %chosen, %sub.2, %mul : f32[4, 8, 100] phase backward_input
              %g.grad = dot_general contract [2]x[1] %z.grad, %w : f32[4, 8, 64] phase backward_input
              %w.grad = dot_general contract [0, 1]x[0, 1] %g, %z.grad : f32[64, 100] phase backward_weight
              %mul.1 = mul %n, %n : f32[4, 8, 64] phase backward_input
              %c.3 = constant 0.044715 : f32[4, 8, 64] phase backward_input
              %mul.2 = mul %mul.1, %c.3 : f32[4, 8, 64] phase backward_input
              %c.4 = constant 1.0 : f32[4, 8, 64] phase backward_input
              %add = add %mul.2, %c.4 : f32[4, 8, 64] phase backward_input
              %mul.3 = mul %add, %n : f32[4, 8, 64] phase backward_input
              %c.5 = constant 0.7978845608028654 : f32[4, 8, 64] phase backward_input
              %mul.4 = mul %mul.3, %c.5 : f32[4, 8, 64] phase backward_input
              %tanh = tanh %mul.4 : f32[4, 8, 64] phase backward_input
              %c.6 = constant 1.0 : f32[4, 8, 64] phase backward_input
              %add.1 = add %tanh, %c.6 : f32[4, 8, 64] phase backward_input
              %c.7 = constant 0.5 : f32[4, 8, 64] phase backward_input
              %mul.5 = mul %add.1, %c.7 : f32[4, 8, 64] phase backward_input
              %c.8 = constant 1.0 : f32[4, 8, 64] phase backward_input
              %sub.3 = sub %c.8, %mul.5 : f32[4, 8, 64] phase backward_input
              %mul.6 = mul %mul.5, %sub.3 : f32[4, 8, 64] phase backward_input
              %c.9 = constant 0.21406444881780073 : f32[4, 8, 64] phase backward_input
              %mul.7 = mul %mul.1, %c.9 : f32[4, 8, 64] phase backward_input
              %c.10 = constant 1.5957691216057308 : f32[4, 8, 64] phase backward_input
              %add.2 = add %mul.7, %c.10 : f32[4, 8, 64] phase backward_input
              %mul.8 = mul %mul.6, %add.2 : f32[4, 8, 64] phase backward_input
              %mul.9 = mul %n, %mul.8 : f32[4, 8, 64] phase backward_input
              %add.3 = add %mul.5, %mul.9 : f32[4, 8, 64] phase backward_input
              %n.grad = mul %g.grad, %add.3 : f32[4, 8, 64] phase backward_input
              %sum.3 = reduce sum [2] %x : f32[4, 8] phase backward_input
              %c.11 = constant 64.0 : f32[4, 8] phase backward_input
              %div.3 = div %sum.3, %c.11 : f32[4, 8] phase backward_input
              %broadcast.8 = broadcast [0, 1] %div.3 : f32[4, 8, 64] phase backward_input
              %sub.4 = sub %x, %broadcast.8 : f32[4, 8, 64] phase backward_input
              %mul.11 = mul %sub.4, %sub.4 : f32[4, 8, 64] phase backward_input
              %sum.4 = reduce sum [2] %mul.11 : f32[4, 8] phase backward_input
              %c.12 = constant 64.0 : f32[4, 8] phase backward_input
              %div.4 = div %sum.4, %c.12 : f32[4, 8] phase backward_input
              %c.13 = constant 1e-5 : f32[4, 8] phase backward_input
              %add.4 = add %div.4, %c.13 : f32[4, 8] phase backward_input
              %rsqrt = rsqrt %add.4 : f32[4, 8] phase backward_input
              %broadcast.9 = broadcast [0, 1] %rsqrt : f32[4, 8, 64] phase backward_input
              %mul.12 = mul %sub.4, %broadcast.9 : f32[4, 8, 64] phase backward_input
              %broadcast.10 = broadcast [2] %gamma : f32[4, 8, 64] phase backward_input
              %mul.13 = mul %n.grad, %broadcast.10 : f32[4, 8, 64] phase backward_input
              %sum.5 = reduce sum [2] %mul.13 : f32[4, 8] phase backward_input
              %c.14 = constant 64.0 : f32[4, 8] phase backward_input
              %div.5 = div %sum.5, %c.14 : f32[4, 8] phase backward_input
              %broadcast.11 = broadcast [0, 1] %div.5 : f32[4, 8, 64] phase backward_input
              %mul.14 = mul %mul.13, %mul.12 : f32[4, 8, 64] phase backward_input
              %sum.6 = reduce sum [2] %mul.14 : f32[4, 8] phase backward_input
              %c.15 = constant 64.0 : f32[4, 8] phase backward_input
              %div.6 = div %sum.6, %c.15 : f32[4, 8] phase backward_input
              %broadcast.12 = broadcast [0, 1] %div.6 : f32[4, 8, 64] phase backward_input
              %mul.15 = mul %mul.12, %broadcast.12 : f32[4, 8, 64] phase backward_input
              %sub.5 = sub %mul.13, %broadcast.11 : f32[4, 8, 64] phase backward_input
              %sub.6 = sub %sub.5, %mul.15 : f32[4, 8, 64] phase backward_input
              %x.grad = mul %sub.6, %broadcast.9 : f32[4, 8, 64] phase backward_input
              %mul.17 = mul %n.grad, %mul.12 : f32[4, 8, 64] phase backward_weight
              %gamma.grad = reduce sum [0, 1] %mul.17 : f32[64] phase backward_weight
              %beta.grad = reduce sum [0, 1] %n.grad : f32[64] phase backward_weight
              %c.16 = constant 0 : i32[4, 8] phase backward_weight
              %c.17 = constant 49 : i32[4, 8] phase backward_weight
              %index = clamp %c.16, %ids, %c.17 : i32[4, 8] phase backward_weight
              %c.18 = constant 0.0 : f32[50, 64] phase backward_weight
              %e.grad = scatter sum window [2] inserted [0] map [0] vector 2 %c.18, %index, %x.grad : f32[50, 64] phase backward_weight
            output %loss
            output %gamma.grad "norm.gamma'"
            output %beta.grad "norm.beta'"
            output %w.grad "head.weight'"
            output %e.grad "tokens.weight'"
        "#]],
    );
}

/// Lists the values of the forward pass that the backward pass reads, without inputs and constants.
fn stored_values(program: &Program) -> String {
    let mut forward = vec![false; program.values.len()];
    let mut kept: Vec<&str> = Vec::new();
    for op in program.entry_ops().map(|at| at.op) {
        if op.phase == Phase::Forward {
            op.outs.iter().for_each(|v| forward[v.index()] = op.kind.name() != "constant");
        } else {
            kept.extend(op.args.iter().filter(|v| forward[v.index()]).map(|&v| program.values[v].name.as_str()));
        }
    }
    kept.sort_unstable();
    kept.dedup();
    kept.join(" ")
}

#[test]
fn few_values_are_stored() {
    let keeps = |text: &str, want: &str| assert_eq!(stored_values(&backward_of(text)), want, "{text}");
    let unary = |op: &str| {
        format!(
            "param %w \"w\" : f32[4] input %x : f32[4] %a = add %x, %w : f32[4]
             %y = {op} %a : f32[4] %z = neg %y : f32[4] output %z"
        )
    };
    for op in ["exp", "tanh", "sigmoid", "relu", "sqrt", "rsqrt", "softmax dim 0", "log_softmax dim 0"] {
        keeps(&unary(op), "y");
    }
    keeps(&unary("gelu"), "a");
    // Dropout stores its mask, one byte per element.
    keeps(
        "param %w \"w\" : f32[4] input %x : f32[4] input %t : f32[4] %c = compare lt %x, %t : bool[4]
         %m = convert %c : f32[4] %y = mul %w, %m : f32[4] %z = neg %y : f32[4] output %z",
        "c",
    );
    keeps(
        "param %w \"w\" : f32[2, 4] input %t : f32[2] %z = constant 0.0 : f32[2] %c = compare lt %t, %z : bool[2]
         %m = convert %c : f32[2] %b = broadcast [0] %m : f32[2, 4] %y = mul %b, %w : f32[2, 4] output %y",
        "c",
    );
    // Attention stores its operands and its result.
    keeps(
        "param %w \"w\" : f32[8, 4] %q = exp %w : f32[8, 4] %k = tan %w : f32[8, 4] %v = sin %w : f32[8, 4]
         %y = attention causal scale 0.5 %q, %k, %v : f32[8, 4] output %y",
        "k q v y",
    );
    keeps(
        "param %w \"w\" : f32[8, 4] param %g \"g\" : f32[4] param %b \"b\" : f32[4] %x = exp %w : f32[8, 4]
         %y = layer_norm eps 0.1 %x, %g, %b : f32[8, 4] %s = neg %y : f32[8, 4] output %s",
        "x",
    );
}

#[test]
fn unrequested_gradients_are_not_computed() {
    let text = r#"param %w "w" : f32[4, 4]
        param %v "v" : f32[4, 4]
        input %x : f32[2, 4]
          %a = matmul %x, %w : f32[2, 4]
          %b = exp %a : f32[2, 4]
          %c = matmul %b, %v : f32[2, 4]
          %unread = sin %w : f32[4, 4]
        output %c"#;
    let mut program = read(text);
    let (loss, v) = (program.outputs()[0].value, program.params.values().nth(1).unwrap().value);
    let found = gradients(&mut program, loss, &[v]).unwrap();
    program.outputs_mut().clear();
    program.output("v", found[0].unwrap());
    // The seed and one product: `w` is frozen, and `v` depends only on `w` and data.
    let ops = program.entry_ops().map(|at| at.op);
    let backward: Vec<&str> = ops.filter(|op| op.phase != Phase::Forward).map(|op| op.kind.name()).collect();
    assert_eq!(backward, ["constant", "matmul"]);
    // A value that the loss does not depend on has no gradient.
    let mut program = read(text);
    let (loss, x) = (program.outputs()[0].value, program.inputs()[2]);
    let unread = program.funcs[program.entry()].ops()[3];
    let unread = program.ops[unread].outs[0];
    assert_eq!(gradients(&mut program, loss, &[unread]).unwrap(), [None]);
    assert!(gradients(&mut program, loss, &[x]).unwrap()[0].is_some());
}

#[test]
fn all_backward_ops_are_needed() {
    for case in super::all_cases() {
        let mut program = read(&case.text);
        let loss = add_loss(&mut program);
        let (mut with, found) = with_gradients(&program, loss).unwrap();
        // A power with exponent zero: that its gradient is zero is detected only during differentiation.
        if found.iter().all(Option::is_none) {
            continue;
        }
        let backward = |program: &Program| {
            let ops = program.entry_ops().map(|at| at.op);
            ops.filter(|op| op.phase != Phase::Forward).map(|op| op.kind.name()).collect::<Vec<_>>()
        };
        let (before, text) = (backward(&with), print(&with));
        let pipeline = Pipeline::new(vec![Box::new(Dce(with.form))]).unwrap();
        pipeline.run(&mut with, &Input::default(), &mut Findings::default(), &mut |_| Ok(())).unwrap();
        // The seed may be unread.
        let after = backward(&with);
        assert!(before.len() <= after.len() + 1, "{before:?}\n{after:?}\n{text}");
    }
}

/// A gradient has the type of its value, also for narrow and mixed types.
#[test]
fn gradients_have_the_type_of_their_value() {
    let mut checked = 0;
    for dtype in ["f32", "f16", "bf16"] {
        for case in super::all_cases() {
            // Bitcasts of f64 do not exist in narrower types, and `next_after` is not defined in 16 bits.
            let text = case.text.replace("f64", dtype);
            if text.contains("bitcast") || text.contains("next_after") && dtype != "f32" {
                continue;
            }
            let mut program = read(&text);
            let loss = add_loss(&mut program);
            let (with, _) = with_gradients(&program, loss).unwrap();
            partita_ir::interp::run(&with, super::harness::inputs_of(&with, case.range)).unwrap();
            checked += 1;
        }
    }
    assert!(checked > 300);
    for (op, x, y, z) in [
        ("matmul", "[2, 3]", "[3, 4]", "[2, 4]"),
        ("convolution [0, 1, 2]x[1, 0, 2]->[0, 1, 2] window [(2)] groups 2", "[2, 4, 5]", "[6, 2, 2]", "[2, 6, 4]"),
    ] {
        let text = format!("input %x : bf16{x} input %y : bf16{y} %z = {op} %x, %y : f32{z} output %z");
        let mut program = read(&text);
        let loss = add_loss(&mut program);
        assert!(with_gradients(&program, loss).unwrap().1.iter().all(Option::is_some));
    }
}

#[test]
fn norms_store_only_their_operand() {
    for norm in ["layer_norm eps 0.1 %h, %g", "rms_norm eps 0.1 %h, %g"] {
        let program = backward_of(&format!(
            r#"param %w "w" : f32[4, 8]
            param %g "g" : f32[8]
            input %x : f32[2, 4]
            input %t : f32[2, 8]
              %h = matmul %x, %w : f32[2, 8]
              %n = {norm} : f32[2, 8]
              %d = mul %n, %t : f32[2, 8]
              %y = reduce sum [0, 1] %d : f32[]
            output %y"#
        ));
        let ops = || program.entry_ops().map(|at| at.op);
        let made: Vec<_> = ops().filter(|op| op.phase == Phase::Forward).flat_map(|op| op.outs.clone()).collect();
        let read: Vec<_> = ops().filter(|op| op.phase != Phase::Forward).flat_map(|op| op.args.clone()).collect();
        let saved = made.iter().filter(|v| read.contains(v)).map(|&v| program.values[v].name.as_str());
        assert_eq!(saved.collect::<Vec<_>>(), ["h"], "{norm}");
    }
}

#[test]
fn phases_distinguish_activation_and_weight_gradients() {
    let text = r#"param %w "w" : f32[4, 4]
        param %g "g" : f32[4]
        input %x : f32[2, 4]
          %n = layer_norm eps 0.1 %x, %g : f32[2, 4]
          %u = exp %w : f32[4, 4]
          %y = matmul %n, %u : f32[2, 4]
        output %y"#;
    let program = backward_of(text);
    let phase_of = |name: &str| {
        let of = |op: &&partita_ir::program::Op| op.outs.iter().any(|&v| program.values[v].name == name);
        program.entry_ops().map(|at| at.op).find(of).map(|op| op.phase)
    };
    assert_eq!(phase_of("n.grad"), Some(Phase::BackwardInput));
    for name in ["u.grad", "w.grad", "g.grad"] {
        assert_eq!(phase_of(name), Some(Phase::BackwardWeight), "{name}");
    }
}

#[test]
fn gradients_have_the_constrained_layout() {
    let text = "mesh @m = [data=2]
        param %w \"w\" : f32[4, 4] input %x : f32[2, 4]
          %y = matmul %x, %w : f32[2, 4] %z = constrain %y : f32[2@data, 4] %s = sin %z : f32[2, 4] output %s";
    let program = backward_of(text);
    let text = print(&program);
    assert!(text.contains("%y.grad = constrain %z.grad : f32[2@data, 4]"), "{text}");
}

#[test]
fn gradients_have_the_origin_of_their_op() {
    let program = backward_of("param %w \"w\" : f32[4]\n%y = exp %w : f32[4]\n%z = sin %y : f32[4]\noutput %z");
    let lines: Vec<u32> = program.funcs[program.entry()].ops().iter().map(|&op| program.ops[op].origin.line).collect();
    assert_eq!(lines, [3, 4, 0, 4, 4, 3]);
}

#[test]
fn non_differentiable_ops_are_reported() {
    let mut program = read(
        "param %w \"w\" : f32[2]
         input %x : f32[2, 2]
           %b = bitcast %w : f16[2, 2]
           %c = convert %b : f32[2, 2]
           %y = mul %c, %x : f32[2, 2]
           %m = reduce_window max [(1), (300 pad 299 299 dilate 2)] %y : f32[2, 2]
         output %m",
    );
    let loss = program.outputs()[0].value;
    let wrt = floats_of(&program);
    let errors = gradients(&mut program, loss, &wrt).unwrap_err();
    let text: Vec<String> = errors.iter().map(|e| format!("{e}\n")).collect();
    expect![[r#"
        error[D001]: `reduce_window` (%m) cannot be differentiated: its windows have 300 taps, and at most 256 are supported
          --> test.pir:7
          = help: freeze the parameters before it, so that no gradient is needed: `--freeze GLOB`
    "#]].assert_eq(&text.concat());
}

#[test]
fn non_differentiable_ops_in_loops_are_reported() {
    let mut program = read(
        "func @step(%x: f32[2]) {
           %b = bitcast %x : f16[2, 2]
           %c = bitcast %b : f32[2]
           return %c
         }
         param %w \"w\" : f32[2]
         %y = loop 3 of @step %w : f32[2]
         output %y",
    );
    let loss = program.outputs()[0].value;
    let wrt = floats_of(&program);
    let errors = gradients(&mut program, loss, &wrt).unwrap_err();
    let text: Vec<String> = errors.iter().map(|e| format!("{e}\n")).collect();
    expect![[r#"
        error[D001]: `bitcast` (%c) cannot be differentiated: the bits of f16 are read as f32
          --> test.pir:4
          = help: freeze the parameters before it, so that no gradient is needed: `--freeze GLOB`
    "#]]
    .assert_eq(&text.concat());
}
