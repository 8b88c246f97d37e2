//! Robustness against malformed, hostile and huge texts: they produce diagnostics quickly and never a panic.

use crate::common::{module, refused};
use partita_stablehlo::import;

/// Returns a module that contains most of the syntax.
fn sample() -> String {
    r#"#loc1 = loc("x")
module @jit_f attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["data"=2, "model"=4]> {stablehlo.mesh = {axes = [{name = "data", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {?}p1]>} loc("x"), %arg1: tensor<4x1xi32>) -> (tensor<f32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.0> : tensor<f32>
    %c = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
    %h = stablehlo.constant dense<"0x0000803F00000040"> : tensor<2xf32>
    %0 = stablehlo.slice %arg0 [0:4, 1:8:2] : (tensor<4x8xf32>) -> tensor<4x4xf32>
    %1 = stablehlo.dot_general %0, %0, batching_dims = [] x [], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> loc(#loc1)
    %2 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>}> : (tensor<4x8xf32>, tensor<4x1xi32>) -> tensor<4x8xf32>
    %i = stablehlo.constant dense<0> : tensor<i32>
    %3:2 = stablehlo.while(%a = %i, %b = %2) : tensor<i32>, tensor<4x8xf32>
    cond {
      %n = stablehlo.constant dense<5> : tensor<i32>
      %4 = stablehlo.compare LT, %a, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %n = stablehlo.constant dense<1> : tensor<i32>
      %4 = stablehlo.add %a, %n : tensor<i32>
      %5 = func.call @f(%b) : (tensor<4x8xf32>) -> tensor<4x8xf32>
      stablehlo.return %4, %5 : tensor<i32>, tensor<4x8xf32>
    }
    %6 = sdy.sharding_constraint %3#1 <@mesh, [{"data", "model"}, {}]> : tensor<4x8xf32>
    %7 = stablehlo.reduce(%6 init: %cst) across dimensions = [0, 1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<f32>
     reducer(%x: tensor<f32>, %y: tensor<f32>)  {
      %8 = stablehlo.maximum %x, %y : tensor<f32>
      stablehlo.return %8 : tensor<f32>
    }
    return %7 : tensor<f32>
  }
  func.func private @f(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = stablehlo.tanh %arg0 : tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
}
"#
    .to_owned()
}

#[test]
fn every_prefix_is_an_error() {
    let text = sample();
    assert!(import("m.mlir", &text).is_ok(), "{}", refused(&text));
    let whole = text.trim_end().len();
    for end in (0..whole).filter(|&end| text.is_char_boundary(end)) {
        refused(&text[..end]);
    }
}

/// Number of mutated modules.
const CHANGES: usize = 20_000;

#[test]
fn changed_bytes_never_panic() {
    let text = sample();
    let alphabet = b"%#@{}[]()<>:,=x0179-\"?a \n";
    // Deterministic Lehmer generator.
    let mut state = 1u64;
    let mut next = move |n: usize| {
        state = state * 48271 % 0x7fff_ffff;
        state as usize % n
    };
    let mut accepted = 0;
    for _ in 0..CHANGES {
        let mut bytes = text.clone().into_bytes();
        for _ in 0..1 + next(3) {
            let at = next(bytes.len());
            match next(3) {
                0 => bytes[at] = alphabet[next(alphabet.len())],
                1 => drop(bytes.remove(at)),
                _ => {
                    let (from, n) = (next(bytes.len()), next(40));
                    let piece = bytes[from..bytes.len().min(from + n)].to_vec();
                    bytes.splice(at..at, piece);
                }
            }
        }
        // A mutated text that is still accepted must produce a valid program.
        if let Ok(program) = import("m.mlir", &String::from_utf8_lossy(&bytes)) {
            let verified = partita_ir::verify::verify(&program);
            assert!(verified.is_ok(), "{}\n{:?}", String::from_utf8_lossy(&bytes), verified.err());
            accepted += 1;
        }
    }
    println!("{accepted} of {CHANGES} changed modules are still modules");
    assert!(accepted > CHANGES / 100);
}

/// Returns a module with the given operation and a result.
fn returning(op: &str) -> String {
    module("", &format!("{op}\n%r = stablehlo.constant dense<0.0> : tensor<f32>\nreturn %r : tensor<f32>"))
}

#[test]
fn deep_nesting_is_an_error() {
    let deep = 100_000;
    for (open, close) in [("[", "]"), ("{a = ", "}"), ("array<i64: [", "]>"), ("#stablehlo.gather<a = ", ">")] {
        let attr = open.repeat(deep) + &close.repeat(deep);
        let text = format!("module attributes {{a = {attr}}} {{}}");
        assert!(refused(&text).contains("nested deeper than"), "{open}");
    }
    let region = r#"%0 = "stablehlo.sort"(%arg0) ({ "#.repeat(deep);
    assert!(refused(&module("%arg0: tensor<f32>", &region)).contains("nested deeper than"));
    let modules = r#""builtin.module"() ({ "#.repeat(deep);
    assert!(refused(&modules).contains("nested deeper than"));
    let arrows = "() -> ".repeat(deep);
    assert!(refused(&format!("module attributes {{a = {arrows}}} {{}}")).contains("nested deeper than"));
    // Brackets that are skipped may be nested to any depth.
    let skipped = "<".repeat(deep) + &">".repeat(deep);
    assert!(refused(&format!("module attributes {{a = #foo.bar{skipped}}} {{}}")).contains("no function"));
    let lists = "[".repeat(deep);
    assert!(refused(&returning(&format!("%0 = stablehlo.constant dense<{lists}> : tensor<2xf32>"))).contains("deeper"));
}

#[test]
fn long_lines_take_linear_time() {
    let long = 100_000_000;
    for text in [
        "x".repeat(long),
        "[".repeat(long),
        "\"".to_owned() + &"y".repeat(long),
        module("", &format!("%0 = stablehlo.constant dense<{}> : tensor<2xf32>", "1".repeat(long))),
        module("", &format!("%0 = stablehlo.constant dense<[{}> : tensor<2xf32>", "1,".repeat(long / 2))),
        module("", &"// ".repeat(long / 3)),
    ] {
        let shown = refused(&text);
        assert!(shown.len() < 1000, "{} bytes of message", shown.len());
    }
}

#[test]
fn declared_elements_allocate_no_memory() {
    let text = module(
        "%arg0: tensor<1000000000000xf32>",
        "%0 = stablehlo.constant dense<1.0> : tensor<1000000x1000000xf32>
         %1 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<1000000000000xf32>) -> tensor<1000000x1000000000000xf32>
         %2 = stablehlo.constant dense<0.0> : tensor<f32>
         return %2 : tensor<f32>",
    );
    assert!(import("m.mlir", &text).is_ok());
    let list = |n: usize| {
        format!("%0 = stablehlo.constant dense<[{}]> : tensor<1000000000000xf32>", "1.0, ".repeat(n) + "1.0")
    };
    assert!(refused(&returning(&list(1000))).contains("1001 items along dimension 0, not 1000000000000"));
}
