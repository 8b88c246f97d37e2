//! Default initializers by the role of a parameter, also if a loop reads it one layer of a stack at a time.

use partita_ir::diag::Source;
use partita_ir::initializer::Initializer;
use partita_ir::program::Program;
use partita_ir::text::parse;
use partita_ir::verify::verify;
use partita_passes::import::initializers::declare_initializers;

/// Returns the initializer of each parameter: a constant, or `+-` the bound of the uniform interval.
fn initializers(text: &str) -> Vec<(String, String)> {
    let text = format!("form traced\n{text}");
    let mut program: Program = parse(&Source::new("test.pir", &text)).unwrap_or_else(|e| panic!("{}", e[0]));
    verify(&program).unwrap_or_else(|e| panic!("{}", e[0]));
    declare_initializers(&mut program);
    let shown = |init| match init {
        Initializer::Constant(x) => format!("{x}"),
        Initializer::Uniform { low, high } => {
            assert_eq!(low, -high);
            format!("+-{high:.4}")
        }
        Initializer::Normal { .. } => panic!("no role is normal"),
    };
    program.params.values().map(|p| (p.path.clone(), shown(p.init.unwrap()))).collect()
}

fn check(text: &str, expected: &[(&str, &str)]) {
    let found = initializers(text);
    let found: Vec<(&str, &str)> = found.iter().map(|(path, init)| (path.as_str(), init.as_str())).collect();
    assert_eq!(found, expected, "{text}");
}

/// Returns the bound of the interval of a weight with `inputs` inputs: its variance, a third of the square, is 1 /
/// inputs.
fn bound(inputs: f64) -> String {
    format!("+-{:.4}", (3.0 / inputs).sqrt())
}

/// A decomposed norm, a linear layer, and a head that is tied to an embedding.
#[test]
fn each_role_has_its_initializer() {
    check(
        r#"param %e "tokens" : f32[50, 8]
        param %p "positions" : f32[6, 8]
        param %g "norm.gamma" : f32[8]
        param %bt "norm.beta" : f32[8]
        param %w "linear.weight" : f32[8, 32]
        param %b "linear.bias" : f32[32]
        param %k "kernel" : f32[8, 4, 3, 3]
        param %m "norm.mean" state : f32[8]
        param %v "norm.var" state : f32[8]
        param %n "count" state : i32[]
        param %u "unused" : f32[4, 5]
        param %given "given" starts 3.0 : f32[8]
        input %ids : i32[2, 6]
        input %image : f32[2, 4, 5, 5]
          %x = gather offset [2] collapsed [0] map [0] vector 2 sizes [1, 8] %e, %ids : f32[2, 6, 8]
          %two = constant 2.0 : f32[6, 8]
          %p2 = mul %two, %p : f32[6, 8]
          %ps = broadcast [1, 2] %p2 : f32[2, 6, 8]
          %xp = add %x, %ps : f32[2, 6, 8]
          %ms = broadcast [2] %m : f32[2, 6, 8]
          %c = sub %xp, %ms : f32[2, 6, 8]
          %eps = constant 1e-5 : f32[8]
          %ve = add %v, %eps : f32[8]
          %r = rsqrt %ve : f32[8]
          %rs = broadcast [2] %r : f32[2, 6, 8]
          %nx = mul %c, %rs : f32[2, 6, 8]
          %g1 = reshape %g : f32[1, 1, 8]
          %gs = broadcast [0, 1, 2] %g1 : f32[2, 6, 8]
          %ng = mul %nx, %gs : f32[2, 6, 8]
          %bs = broadcast [2] %bt : f32[2, 6, 8]
          %y = add %ng, %bs : f32[2, 6, 8]
          %h = matmul %y, %w : f32[2, 6, 32]
          %bb = broadcast [2] %b : f32[2, 6, 32]
          %hb = add %h, %bb : f32[2, 6, 32]
          %gg = broadcast [2] %given : f32[2, 6, 8]
          %yg = mul %y, %gg : f32[2, 6, 8]
          %l = dot_general contract [2]x[1] %yg, %e : f32[2, 6, 50]
          %conv = convolution [0, 1, 2, 3]x[1, 0, 2, 3]->[0, 1, 2, 3] window [(3 pad 1 1), (3 pad 1 1)] %image, %k : f32[2, 8, 5, 5]
          %one = constant 1 : i32[]
          %next = add %n, %one : i32[]
        output %hb
        output %l
        output %conv
        output %next"#,
        &[
            // A standard deviation of 0.05.
            ("tokens", "+-0.0866"),
            ("positions", "+-0.0866"),
            ("norm.gamma", "1"),
            ("norm.beta", "0"),
            ("linear.weight", &bound(8.0)),
            ("linear.bias", "0"),
            ("kernel", &bound(36.0)),
            ("norm.mean", "0"),
            ("norm.var", "1"),
            ("count", "0"),
            ("unused", &bound(4.0)),
            ("given", "3"),
        ],
    );
}

const LAYER: &str = "%n = mul %x, %gs : f32[4, 8]
    %m = matmul %n, %ws : f32[4, 8]
    %y = add %m, %bs : f32[4, 8]";

/// Returns a scan over layers: the loop carries stacked parameters, and `take` selects those of an iteration.
fn scanned(params: &str, take: &str) -> String {
    format!(
        r#"func @layer(%i: i32[], %x: f32[4, 8], %w: f32[3, 8, 8], %g: f32[3, 8], %b: f32[3, 8]) {{
          {take}
          %gs = broadcast [1] %g1 : f32[4, 8]
          %bs = broadcast [1] %b1 : f32[4, 8]
          {LAYER}
          %one = constant 1 : i32[]
          %next = add %i, %one : i32[]
          return %next "i", %y "x", %w "w", %g "g", %b "b"
        }}
        {params}
        input %in : f32[4, 8]
          %zero = constant 0 : i32[]
          %i, %out, %w1, %g1, %b1 = loop 3 of @layer %zero, %in, %w, %g, %b : i32[], f32[4, 8], f32[3, 8, 8], f32[3, 8], f32[3, 8]
        output %out"#
    )
}

#[test]
fn stacked_layers_are_initialized_like_single_layers() {
    let slices = "%z = constant 0 : i32[]
        %w2 = dynamic_slice [1, 8, 8] %w, %i, %z, %z : f32[1, 8, 8]
        %ws = reshape %w2 : f32[8, 8]
        %g2 = dynamic_slice [1, 8] %g, %i, %z : f32[1, 8]
        %g1 = reshape %g2 : f32[8]
        %b2 = dynamic_slice [1, 8] %b, %i, %z : f32[1, 8]
        %b1 = reshape %b2 : f32[8]";
    let gathers = "%at = reshape %i : i32[1]
        %ws = gather offset [0, 1] collapsed [0] map [0] vector 0 sizes [1, 8, 8] %w, %at : f32[8, 8]
        %g1 = gather offset [0] collapsed [0] map [0] vector 0 sizes [1, 8] %g, %at : f32[8]
        %b1 = gather offset [0] collapsed [0] map [0] vector 0 sizes [1, 8] %b, %at : f32[8]";
    let expected = [("w", bound(8.0)), ("g", "1".to_owned()), ("b", "0".to_owned())];
    let expected = expected.each_ref().map(|(path, init)| (*path, init.as_str()));
    let wide = r#"param %w "w" : f32[3, 8, 8]
        param %g "g" : f32[3, 8]
        param %b "b" : f32[3, 8]"#;
    for take in [slices, gathers] {
        check(&scanned(wide, take), &expected);
    }
    // Converted to another type and constrained before the loop.
    let narrow = r#"param %wn "w" : bf16[3, 8, 8]
        param %gn "g" : bf16[3, 8]
        param %bn "b" : bf16[3, 8]"#;
    let text = scanned(narrow, slices).replace(
        "%zero = constant",
        "%w = convert %wn : f32[3, 8, 8]
          %g = convert %gn : f32[3, 8]
          %b0 = convert %bn : f32[3, 8]
          %b = constrain %b0 : f32[3, 8]
          %zero = constant",
    );
    check(&text, &expected);
}

/// A product with itself is a norm of the weights, and a modified carried value is an update: neither determines a
/// role.
#[test]
fn penalties_and_updates_determine_no_role() {
    check(
        r#"func @body(%w: f32[8, 8], %x: f32[4, 8]) {
          %half = constant 0.5 : f32[8, 8]
          %h = mul %w, %half : f32[8, 8]
          %y = matmul %x, %h : f32[4, 8]
          return %h "w", %y "x"
        }
        param %w "w" : f32[8, 8]
        param %b "b" : f32[6]
        input %x : f32[4, 8]
        input %z : f32[6]
          %sq = mul %w, %w : f32[8, 8]
          %norm = reduce sum [0, 1] %sq : f32[]
          %bb = mul %b, %b : f32[6]
          %w1, %y = loop 2 of @body %w, %x : f32[8, 8], f32[4, 8]
          %bz = add %z, %b : f32[6]
        output %norm
        output %bb
        output %w1
        output %y
        output %bz"#,
        &[("w", &bound(8.0)), ("b", "0")],
    );
}
