//! Programs shared by several tests, and their parser.

use partita_ir::diag::Source;
use partita_ir::program::Program;
use partita_ir::text::parse;

/// A step of gradient descent with momentum, and gradients in half precision.
pub const STEP: &str = r#"
form traced
param %w "w" : f32[6, 8]
param %s "scale" : f32[1]
param %m "m" state of "w" starts 0.0 : f32[6, 8]
input %x : f32[12, 6]
input %t : f32[12, 8]
  %y = matmul %x, %w : f32[12, 8]
  %d = sub %y, %t : f32[12, 8] phase backward_input
  %g = dot_general contract [0]x[0] %x, %d : f32[6, 8] phase backward_weight
  %c = convert %g : bf16[6, 8] phase backward_weight
  %wide = convert %c : f32[6, 8] phase update
  %m2 = add %m, %wide : f32[6, 8] phase update
  %w2 = sub %w, %m2 : f32[6, 8] phase update
output %d "d"
output %w2 "w" -> "w"
output %m2 "m" -> "m"
"#;

/// Parses a program whose text may begin with an empty line.
pub fn program(text: &str) -> Program {
    parse(&Source::new("model.pir", text.trim_start())).unwrap_or_else(|e| panic!("{}", e[0]))
}
