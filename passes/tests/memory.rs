//! Peak memory of programs that are small enough to verify by hand.

use partita_cost::memory::{local_bytes, peak};
use partita_ir::diag::Source;
use partita_ir::dtype::Shape;
use partita_ir::program::Program;
use partita_ir::text::parse;

fn read(text: &str) -> Program {
    parse(&Source::new("test.pir", text)).unwrap_or_else(|e| panic!("{}", e[0]))
}

/// Returns the peak in bytes, its program point, and the live values with their bytes, whose sum is the peak.
fn peak_of(text: &str) -> (u64, usize, String) {
    let program = read(text);
    let peak = peak(&program);
    assert_eq!(peak.values.iter().map(|&v| local_bytes(&program, v)).sum::<u64>(), peak.bytes);
    let value = |&v| format!("{} {}", program.values[v].name, local_bytes(&program, v));
    (peak.bytes, peak.point, peak.values.iter().map(value).collect::<Vec<_>>().join(", "))
}

#[test]
fn results_are_live_until_their_last_reader() {
    let text = "form traced
        param %w \"w\" : f32[8]
        input %x : f32[4]
          %a = exp %x : f32[4]
          %zero = constant 0.0 : f32[]
          %b = pad low [2] high [2] %a, %zero : f32[8]
          %c = mul %b, %w : f32[8]
        output %c";
    // Inputs 48, a 16, zero 4, b 32: all are live while b is computed. c overwrites b.
    assert_eq!(peak_of(text), (100, 3, "w 32, b 32, x 16, a 16, zero 4".into()));
    assert_eq!(peak(&read(text)).entry_bytes, 48);
}

#[test]
fn inputs_are_not_overwritten() {
    let text = "form traced input %x : f32[4] %y = exp %x : f32[4] %z = neg %y : f32[4] output %z";
    assert_eq!(peak_of(text), (32, 1, "x 16, y 16".into()));
}

#[test]
fn an_operand_that_is_read_again_is_not_overwritten() {
    let text = "form traced input %x : f32[4]
        %y = exp %x : f32[4] %z = neg %y : f32[4] %u = add %y, %z : f32[4] output %u";
    assert_eq!(peak_of(text), (48, 2, "x 16, y 16, z 16".into()));
}

#[test]
fn only_elementwise_ops_overwrite() {
    let text = "form traced input %x : f32[4]
        %y = exp %x : f32[4] %z = reverse [0] %y : f32[4] output %z";
    assert_eq!(peak_of(text), (48, 2, "x 16, y 16, z 16".into()));
}

#[test]
fn replaced_parameters_are_reused() {
    let step = |read_later: &str| {
        format!(
            "form traced param %w \"w\" : f32[4] input %g : f32[4]
             %n = sub %w, %g : f32[4] {read_later} output %n -> \"w\""
        )
    };
    assert_eq!(peak_of(&step("")), (32, 0, "w 16, g 16".into()));
    // The old value is still needed, so the new one gets a separate buffer.
    let text = step("%l = neg %w : f32[4]") + " output %l";
    assert_eq!(peak_of(&text), (48, 1, "w 16, g 16, n 16".into()));
}

#[test]
fn donated_inputs_are_reused() {
    let text = |donated: &str| format!("form traced input %x {donated} : f32[4] %y = exp %x : f32[4] output %y");
    assert_eq!(peak_of(&text("")).0, 32);
    assert_eq!(peak_of(&text("donated")).0, 16);
}

#[test]
fn loops_need_the_memory_of_their_body() {
    let text = "form traced
        func @step(%c: f32[4]) {
          %y = exp %c : f32[4]
          %z = add %y, %c : f32[4]
          return %z
        }
        input %x : f32[4]
          %a = neg %x : f32[4]
          %r = loop 5 of @step %a : f32[4]
        output %r";
    // x stays live; a is donated to the body, which needs c and y at the same time.
    assert_eq!(peak_of(text), (48, 2, "x 16, c 16, y 16".into()));
    // x itself cannot be donated, so the body works on a copy, and only a is missing.
    let text = text.replace("%a = neg %x : f32[4]", "").replace("@step %a", "@step %x");
    assert_eq!(peak_of(&text), (48, 1, "x 16, c 16, y 16".into()));
}

#[test]
fn loop_invariants_are_stored_once() {
    let text = "form traced
        func @step(%c: f32[4], %v: f32[8]) {
          %s = slice [0] to [4] %v : f32[4]
          %z = add %s, %c : f32[4]
          return %z, %v
        }
        param %w \"w\" : f32[8]
        input %x : f32[4]
          %a = neg %x : f32[4]
          %r, %u = loop 5 of @step %a, %w : f32[4], f32[8]
        output %r";
    // The body reads w in place: w, x, and the body's own c and s are live.
    assert_eq!(peak_of(text), (80, 2, "w 32, x 16, c 16, s 16".into()));
}

#[test]
fn only_the_local_shard_counts() {
    let text = "form local mesh @m = [data=3]
        input %x : f32[7@data, 4] %y = exp %x : f32[7@data, 4] output %y";
    // Three rows of four elements on every device.
    assert_eq!(peak_of(text).0, 2 * 3 * 4 * 4);
}

#[test]
fn overflowing_sizes_saturate() {
    // Each size is representable, but not their sum.
    let n = Shape::MAX_COUNT;
    let text = format!("form traced input %x : f64[{n}] input %w : f64[{n}] %y = add %x, %w : f64[{n}] output %y");
    assert_eq!(peak(&read(&text)).bytes, u64::MAX);
}
