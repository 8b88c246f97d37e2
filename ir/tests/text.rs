//! Parsing, printing and diagnostics of program text.

use partita_ir::diag::{Code, Diagnostic, Source};
use partita_ir::program::Program;
use partita_ir::text::{parse, print, print_with_origins};

fn read(text: &str) -> Result<Program, Vec<Diagnostic>> {
    parse(&Source::new("test.pir", text))
}

/// Parses, prints and parses again, and asserts that the program is equal and its text a fixed point. Returns the text.
fn round_trip(text: &str) -> String {
    let program = read(text).unwrap_or_else(|e| panic!("{}", e[0]));
    let printed = print(&program);
    let again = read(&printed).unwrap_or_else(|e| panic!("{}\n{printed}", e[0]));
    assert_eq!(again, program.compact(), "{printed}");
    assert_eq!(print(&again), printed);
    printed
}

fn codes(text: &str) -> Vec<(Code, usize)> {
    let errors = read(text).expect_err("should be refused");
    errors.iter().map(|e| (e.code, e.labels[0].span.line_column().0)).collect()
}

/// The sample program of ARCHITECTURE.md.
const MLP: &str = r#"
    form traced
    mesh @m = [data=2, model=4]
    param %w1 "up.weight"   : f32[64, 512@model]
    param %b1 "up.bias"     : f32[512@model]
    param %w2 "down.weight" : f32[512@model, 64]
    param %b2 "down.bias"   : f32[64]
    input %x : f32[32@data, 64]
      %h = matmul %x, %w1 : f32[32, 512]
      %a = add %h, %b1    : f32[32, 512]
      %r = relu %a        : f32[32, 512]
      %p = matmul %r, %w2 : f32[32, 64]
      %y = add %p, %b2    : f32[32, 64]
"#;

#[test]
fn the_sample_parses_and_prints() {
    let expected = r#"form traced
mesh @m = [data=2, model=4]
param %w1 "up.weight" : f32[64, 512@model]
param %b1 "up.bias" : f32[512@model]
param %w2 "down.weight" : f32[512@model, 64]
param %b2 "down.bias" : f32[64]
input %x : f32[32@data, 64]
  %h = matmul %x, %w1 : f32[32, 512]
  %a = add %h, %b1 : f32[32, 512]
  %r = relu %a : f32[32, 512]
  %p = matmul %r, %w2 : f32[32, 64]
  %y = add %p, %b2 : f32[32, 64]
output %y
"#;
    assert_eq!(round_trip(MLP), expected);
}

#[test]
fn a_local_program_parses() {
    round_trip(
        r#"form local                             // one device of eight
        mesh @m = [data=2, model=4]
        param %w1 "up.weight" : f32[64, 512@model]
        param %b2 "down.bias" : f32[64] whole
        input %x : f32[32@data, 64]
          %h = matmul %x, %w1 : f32[16, 128]
          %p = constant 0.5 : f32[16, 64]    // planned: f32[32@data, 64] sum(model)
          %p.r = all_reduce sum over model %p : f32[16, 64]
          %y = add %p.r, %b2  : f32[32@data, 64]"#,
    );
}

#[test]
fn every_construct_round_trips_through_text() {
    let text = r#"form explicit
mesh @m = [data=2, model=4]
mesh @other = [x=2] on 8..10
mesh @third = [a=2, b=2] on [3, 1, 0, 2]
func @less(%a: f32[], %b: f32[]) {
  %c = compare lt total %a, %b : bool[]
  return %c
}
func @step(%i: i64[], %x: f32[2]) {
  %n = neg %x : f32[2]
  return %i, %n "next"
}
param %w "layers.0.\"w\\\"" frozen : f32[8@model:(2)2?!3, 4] sum(data)
param %v "v" state of "layers.0.\"w\\\"" starts 0.5 : f32[8] whole host
param %u "u" : f32[8@a+b] on @third
input %x : f32[] all(data+model)
input %key donated : u32[2]
  %y = all_reduce on @other sum over x %w : f32[8, 4] on @other
  %z = all_to_all dim 0 -> dim 1 over data+model:(1)2 %w : f32[8, 4] max(data) sum(model) phase update
  %s = sort dim 0 stable by @less %v : f32[8]
  %i = iota dim 0 : i64[2]
  %c = constant [1.5, -0.0, inf, -inf, nan, nan(9221120237041090561), 3] : f32[7]
  %d = dot_general contract [0]x[0] %v, %v : f32[]
  %m, %l = loop 3 of @step %i, %v : i64[], f32[2]
  %g = slice [0] to [4] by [2] %v : f32[2]
  %p = permute over data [0->1, 1->0] %v : f32[8]
  %q = mask lowest dim 0 of 7 over data %v : f32[8]
  %a = piece_start of 7 over data : i32[]
  %r = random uniform piece of [4] %key, %a : f32[2]
  %k = reduce_window sum [(3 stride 2 pad -1 1 dilate 2 base 2)] %v : f32[2]
output %y "loss"
output %z -> "v"
"#;
    assert_eq!(round_trip(text), text);
}

#[test]
fn outputs_default_to_the_last_results() {
    assert!(
        round_trip("form traced input %x : f32[] %y = neg %x : f32[] %z = neg %y : f32[]").ends_with("output %z\n")
    );
    assert!(round_trip("form traced input %x : f32[] %y = neg %x : f32[] output").ends_with("output\n"));
    assert_eq!(round_trip("form traced"), "form traced\n");
}

#[test]
fn origins_are_printed_on_request() {
    let text = "form traced\ninput %x : f32[]\n  %y = neg %x : f32[]  // test.pir:3\noutput %y\n";
    assert_eq!(print_with_origins(&read(text).unwrap()), text);
}

#[test]
fn several_mistakes_are_found_at_once() {
    let found = codes(
        "form traced
        mesh @m = [data=2, model=4]
        param %w \"w\" : f32[4, 4@modle]
        input %x : f23[4]
        input %z : f32[4@data]
        %a = matmull %x, %w : f32[4]
        %b = add %a, %zz : f32[4]
        %b = add %z, %z : f32[4]
        %c = add %z %z : f32[4]
        %d = neg %z : f32[4], f32[4]
        %e = neg %z : f32[4@data, 2@data]
        %f = neg %c, %d : f32[99999999999999999999999]
        output %e
        ",
    );
    let expected = [
        (Code::L001, 3),
        (Code::T001, 4),
        (Code::T002, 6),
        (Code::T002, 7),
        (Code::T003, 8),
        (Code::T001, 9),
        (Code::T001, 10),
        (Code::L002, 11),
        (Code::T004, 12),
    ];
    assert_eq!(found, expected);
}

#[test]
fn messages_point_and_suggest() {
    let errors = read("form traced\nmesh @m = [data=2, model=4]\ninput %hidden : f32[4@modle]\n").unwrap_err();
    let expected = "error[L001]: mesh has no axis `modle`
  --> test.pir:3:22 not an axis of this mesh
  = help: there is an axis with a similar name: `@model`";
    assert_eq!(errors[0].to_string(), expected);
    let errors = read("form traced\ninput %hidden : f32[4]\n  %y = rellu %hiden : f32[4]\n  %z = relu %hiden : f32[4]")
        .unwrap_err();
    let text: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(
        text,
        [
            "error[T002]: no operation is called `rellu`
  --> test.pir:3:8
  = help: there is an operation with a similar name: `relu`",
            "error[T002]: no value `%hiden` is declared before this line
  --> test.pir:4:13
  = help: there is a value with a similar name: `%hidden`"
        ]
    );
}

#[test]
fn limits_hold() {
    assert_eq!(codes("form traced input %x : f32[4294967296, 4294967296]"), [(Code::T004, 1)]);
    let deep = format!("form traced input %x : f32[{}]", vec!["1"; 33].join(", "));
    assert_eq!(codes(&deep), [(Code::T004, 1)]);
    assert_eq!(codes("form traced %c = constant [1, 2, 3] : f32[2]"), [(Code::T004, 1)]);
    assert_eq!(codes("form traced mesh @m = [a=65536, b=65536]"), [(Code::L007, 1)]);
    assert_eq!(codes("form traced mesh @m = [a=4] on 0..4000000000"), [(Code::L007, 1)]);
    assert_eq!(codes("form traced input %x : f32[4] whole"), [(Code::T001, 1)]);
    assert_eq!(codes(&"form traced ".repeat(1000)).len(), 1);
    assert_eq!(codes(&format!("form traced\n{}", "garbage\n".repeat(1000))).len(), 20);
}

#[test]
fn a_broken_function_is_one_mistake() {
    let text = "form traced
        func @f(%a: f32[]) {
          %b = neg %a : f32[]
          giveback %b
        }
        input %x : f32[]
        %y = loop 3 of @f %x : f32[]";
    assert_eq!(codes(text), [(Code::T001, 4)]);
}

/// Every prefix of a program, and the program with any byte replaced, either parses or is rejected without a panic.
#[test]
fn broken_text_never_panics() {
    let text = round_trip(MLP) + "é \"\\é";
    for end in (0..text.len()).filter(|&n| text.is_char_boundary(n)) {
        let _ = read(&text[..end]);
    }
    for (i, c) in text.char_indices() {
        for with in ["\0", "\"", "\\", "[", "9", "@", "%", "é", "\n", "-", "}", ":"] {
            let _ = read(&format!("{}{with}{}", &text[..i], &text[i + c.len_utf8()..]));
        }
    }
}

#[test]
#[ignore = "a measurement, for release builds"]
fn parsing_is_fast() {
    use std::fmt::Write;
    let mut text = String::from("form traced\nmesh @m = [data=2, model=4]\ninput %v0 : f32[32@data, 512@model]\n");
    for i in 0..40_000 {
        let _ = writeln!(text, "  %v{} = add %v{i}, %v{} : f32[32@data, 512@model]", i + 1, i / 2);
    }
    let source = Source::new("test.pir", text);
    for _ in 0..3 {
        let start = std::time::Instant::now();
        let program = parse(&source).unwrap();
        let parsed = start.elapsed();
        let length = print(&program).len();
        println!("parse {parsed:?}, parse + print {:?}, {length} bytes", start.elapsed());
    }
}

/// Names with other characters than letters, digits, `_` and `.` are in quotes.
#[test]
fn names_may_be_quoted() {
    let text = r#"
    form traced
        input %"input/é:0" : f32[2]
        input %0 : f32[2]
          %s = add %"input/é:0", %"0" : f32[2]
        output %s"#;
    let printed = round_trip(text);
    assert!(printed.contains("%s = add %\"input/é:0\", %0 : f32[2]"), "{printed}");
    for broken in ["%\"x", "%\"\"", "%\"x\n\""] {
        let text = format!("form traced\ninput {broken} : f32[2]\n");
        assert_eq!(codes(&text)[0], (Code::T001, 2), "{broken}");
    }
}
