//! Composites.

use super::harness::{Case, case};

pub fn cases() -> Vec<Case> {
    let unary = |op: &str| {
        case(format!("input %x : f64[2, 3, 4] %y = {op} %x : f64[2, 3, 4] %z = sin %y : f64[2, 3, 4] output %z"))
    };
    let mut cases: Vec<Case> =
        ["softmax dim 2", "softmax dim 0", "log_softmax dim 1", "log_softmax dim 2"].map(unary).into();
    cases.extend(["gelu", "gelu tanh", "gelu constants f32", "gelu tanh constants bf16"].map(unary));
    cases.push(case(
        "input %x : f64[2, 3, 4] input %g : f64[4] input %b : f64[4]
         %y = layer_norm eps 0.01 %x, %g, %b : f64[2, 3, 4] %z = sin %y : f64[2, 3, 4] output %z",
    ));
    cases.push(case(
        "input %x : f64[3, 4] input %g : f64[4] %y = layer_norm eps 0.1 %x, %g : f64[3, 4] %z = sin %y : f64[3, 4] output %z",
    ));
    cases.push(case(
        "input %x : f64[2, 3, 4] input %g : f64[4]
         %y = rms_norm eps 0.1 %x, %g : f64[2, 3, 4] %z = sin %y : f64[2, 3, 4] output %z",
    ));
    cases.push(case(
        "input %x : f64[2, 3, 4] input %g : f64[3] input %b : f64[3] input %m : f64[3] input %r : f64[3]
         %v = exp %r : f64[3] %y = batch_norm dim 1 eps 0.01 %x, %g, %b, %m, %v : f64[2, 3, 4]
         %z = sin %y : f64[2, 3, 4] output %z",
    ));
    for dtype in ["i32", "i64", "i8", "u8"] {
        cases.push(case(format!(
            "input %x : f64[2, 3, 4] %l = constant [0, 3, 2, 1, 4, 100] : {dtype}[2, 3]
             %y = cross_entropy %x, %l : f64[2, 3] %z = sin %y : f64[2, 3] output %z"
        )));
    }
    cases.push(case(
        "input %x : f64[2, 200] %l = constant [-1, 100] : i8[2] %y = cross_entropy %x, %l : f64[2] output %y",
    ));
    cases.push(case(
        "input %q : f64[2, 3, 2] input %k : f64[2, 4, 2] input %v : f64[2, 4, 3] input %g : f64[2, 3, 3]
         %y = attention causal scale 0.7 %q, %k, %v : f64[2, 3, 3]
         %a, %b, %c = attention_grad causal scale 0.7 %q, %k, %v, %y, %g : f64[2, 3, 2], f64[2, 4, 2], f64[2, 4, 3]
         %p = dot_general contract [2]x[2] batch [0]x[0] %a, %b : f64[2, 3, 4] %z = matmul %p, %c : f64[2, 3, 3] output %z",
    ));
    for op in ["attention scale 0.7", "attention causal scale 1.3"] {
        for (s, t, mask) in [(3, 4, ""), (4, 3, ""), (3, 4, "[3, 4]"), (3, 4, "[2, 1, 4]"), (3, 4, "[3, 1]")] {
            let (given, named) = match mask {
                "" => (String::new(), ""),
                shape => {
                    let count: i64 =
                        shape.trim_matches(['[', ']']).split(", ").map(|n| n.parse::<i64>().unwrap()).product();
                    let items: Vec<String> = (0..count).map(|i| i64::from(i % 3 != 0).to_string()).collect();
                    (format!("%m = constant [{}] : bool{shape}", items.join(", ")), ", %m")
                }
            };
            cases.push(case(format!(
                "input %q : f64[2, {s}, 2] input %k : f64[2, {t}, 2] input %v : f64[2, {t}, 3] {given}
                 %y = {op} %q, %k, %v{named} : f64[2, {s}, 3] %z = sin %y : f64[2, {s}, 3] output %z"
            )));
        }
    }
    cases
}

#[test]
fn gradients_match_finite_differences() {
    super::check_all(cases());
}
