//! Local programs on devices of one process, compared with the same program on global tensors.

use expect_test::{Expect, expect};
use partita_ir::diag::{Diagnostic, Source};
use partita_ir::dtype::{DType, Type};
use partita_ir::program::Program;
use partita_ir::tensor::Tensor;
use partita_ir::text::parse;
use partita_ir::verify::{Local, Verified, verify};
use partita_runtime::interpreter::run_local;

fn read(text: &str) -> Program {
    parse(&Source::new("test.pir", text)).unwrap_or_else(|e| panic!("{}", e[0]))
}

fn proof(program: &Program) -> Verified<'_, Local> {
    verify(program).unwrap_or_else(|e| panic!("{}", e[0])).into_form().unwrap()
}

fn ints(shape: &[usize], items: impl IntoIterator<Item = i64>) -> Tensor {
    Tensor::from_ints(Type::new(DType::F32, shape), items.into_iter().collect())
}

fn run(text: &str, inputs: &[Tensor]) -> Result<Vec<Tensor>, Diagnostic> {
    let program = read(text);
    run_local(proof(&program), inputs)
}

#[test]
fn collectives_run_along_their_axes() {
    let text = "form local
        mesh @m = [data=2, model=2]
        input %x : f32[4@data, 2@model]
          %a = all_gather dim 1 over model %x : f32[2, 2]
          %b = neg %a : f32[2, 2]
          %c = all_reduce sum over data %b : f32[2, 2]
          %d = reduce_scatter sum dim 1 over model %c : f32[2, 1]
          %e = permute over data [0->1] %d : f32[4@data, 2@model]
        output %c \"c\"
        output %e \"e\"";
    let outputs = run(text, &[ints(&[4, 2], 1..=8)]).unwrap();
    // Rows 0-1 and 2-3 are added: -(1+5) ...
    assert_eq!(outputs[0], ints(&[2, 2], [-6, -8, -10, -12]));
    // Summed over two equal copies; rows 2-3 receive the sum, rows 0-1 zeros.
    assert_eq!(outputs[1], ints(&[4, 2], [0, 0, 0, 0, -12, -16, -20, -24]));
}

#[test]
fn loops_run_their_bodies() {
    let text = "form local
        mesh @m = [x=3]
        func @inner(%s: f32[1], %w: f32[1]) {
          %r = all_reduce sum over x %s : f32[1]
          %t = add %r, %w : f32[1]
          return %t, %w
        }
        func @outer(%s: f32[1], %w: f32[1]) {
          %t, %u = loop 2 of @inner %s, %w : f32[1], f32[1]
          %n = neg %t : f32[1]
          return %n, %u
        }
        input %s : f32[3@x]
        input %w : f32[1]
          %a, %b = loop 2 of @outer %s, %w : f32[1], f32[1]
          %z, %never = loop 0 of @inner %a, %b : f32[1], f32[1]
        output %z \"z\"";
    // All devices have the same value after the first sum: s -> 3 s + w.
    let step = |s: i64| 3 * s + 10;
    let first = -step((1 + 2 + 3) + 10);
    let want = -step(step(first));
    let outputs = run(text, &[ints(&[3], 1..=3), ints(&[1], [10])]).unwrap();
    assert_eq!(outputs, [ints(&[1], [want])]);
}

#[test]
fn a_program_without_a_mesh_runs_on_one_device() {
    let text = "form local input %x : f32[2] %y = add %x, %x : f32[2] output %y output %x output %y \"again\"";
    let outputs = run(text, &[ints(&[2], [1, 2])]).unwrap();
    assert_eq!(outputs, [ints(&[2], [2, 4]), ints(&[2], [1, 2]), ints(&[2], [2, 4])]);
}

#[test]
fn unread_values_are_dropped() {
    let text = "form local mesh @m = [x=2]
        input %unread : f32[2]
        input %x : f32[2]
          %dead = neg %x : f32[2]
          %y = neg %x : f32[2]
          %z = add %y, %y : f32[2]
        output %z";
    assert_eq!(run(text, &[ints(&[2], [5, 5]), ints(&[2], [1, 2])]).unwrap(), [ints(&[2], [-2, -4])]);
}

fn assert_fails(outcome: Result<impl std::fmt::Debug, Diagnostic>, message: &Expect) {
    message.assert_eq(&outcome.unwrap_err().to_string());
}

#[test]
fn mismatched_inputs_are_an_error() {
    let text = "form local param %w \"up.weight\" : f32[2] %y = neg %w : f32[2] output %y";
    assert_fails(run(text, &[ints(&[3], 1..=3)]), &expect!["error[R002]: `up.weight` is f32[2], f32[3] was given"]);
    assert_fails(run(text, &[]), &expect!["error[R002]: the program has 1 inputs, 0 were given"]);
}

#[test]
fn different_replicas_are_an_error() {
    // The value is declared as replicated, although each device has a different shard.
    let text = "form local mesh @m = [x=2] input %x : f32[4@x] %y = neg %x : f32[2] output %y";
    assert_fails(
        run(text, &[ints(&[4], 1..=4)]),
        &expect![[r#"
        error[R003]: device 0 and device 1 have different replicas of the same shard of `y`
          = note: the shard of f32[2] has shape [2] and starts at index [0]"#]],
    );
}

#[test]
fn too_large_programs_are_rejected() {
    let text = "form local mesh @m = [x=2000] input %x : f32[1] %y = neg %x : f32[1] output %y";
    assert_fails(
        run(text, &[ints(&[1], [1])]),
        &expect!["error[R004]: mesh `m` has 2000 devices; one process runs at most 1024"],
    );
    let text = "form local mesh @m = [x=8] %c = constant 0.0 : f32[1073741824] %y = neg %c : f32[1073741824]
        %z = slice [0] to [1] %y : f32[1] output %z";
    assert_fails(
        run(text, &[]),
        &expect![[r#"
        error[R004]: 8 devices need 64.0 GiB of memory in this process, but the limit is 16.0 GiB
          = note: each needs 8.0 GiB beyond the inputs"#]],
    );
}
