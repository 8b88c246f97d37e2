//! Values that are stored in one layout and used in another one.

use crate::programs::{STEP, program};
use expect_test::expect;
use partita_ir::plan::{Mesh, Plan};
use partita_ir::program::Program;
use partita_ir::text::print;
use partita_passes::driver::variant::Variant;
use partita_passes::driver::{Findings, Input, Pass};
use partita_passes::pipelines::{self, Milestone};
use partita_passes::planning::apply_plan::ApplyPlan;

fn apply(text: &str, plan: Plan) -> Program {
    let mut program = program(text);
    let (input, mut findings) = (Input::with_plan(plan), Findings::default());
    ApplyPlan.run(&mut program, &input, &mut findings).unwrap_or_else(|e| panic!("{}", e[0]));
    program
}

/// An explicit storage layout other than the use layout.
#[test]
fn stored_values_are_copied_for_each_pass() {
    let plan = Plan::new(Mesh::new([("data", 2)]).unwrap()).store("w", "data, _").shard("x", "data, _");
    let program = apply(STEP, plan);
    expect![[r#"
        form traced
        mesh @mesh = [data=2]
        param %w "w" : f32[6@data, 8]
        param %s "scale" : f32[1]
        param %m "m" state of "w" starts 0.0 : f32[6, 8]
        input %x : f32[12@data, 6]
        input %t : f32[12, 8]
          %w.1 = constrain fresh %w : f32[6, 8?]
          %y = matmul %x, %w.1 : f32[12, 8]
          %d = sub %y, %t : f32[12, 8] phase backward_input
          %g = dot_general contract [0]x[0] %x, %d : f32[6, 8] phase backward_weight
          %c = convert %g : bf16[6, 8] phase backward_weight
          %wide = convert %c : f32[6, 8] phase update
          %m2 = add %m, %wide : f32[6, 8] phase update
          %w2 = sub %w, %m2 : f32[6@data, 8] phase update
        output %d
        output %w2 "w" -> "w"
        output %m2 "m" -> "m"
    "#]]
    .assert_eq(&print(&program));
}

/// A fresh copy is gathered for each reader, a plain one is shared.
#[test]
fn fresh_copies_are_not_shared() {
    for (fresh, gathers) in [("fresh ", 2), ("", 1)] {
        let text = format!(
            "form traced\nmesh @m = [data=2]\ninput %w : f32[4@data]\n  \
             %a = constrain {fresh}%w : f32[4] whole\n  %b = neg %a : f32[4] whole\n  \
             %c = constrain {fresh}%w : f32[4] whole\n  %d = exp %c : f32[4] whole\noutput %b\noutput %d\n"
        );
        let mut program = program(&text);
        let pipeline = pipelines::pipeline(Milestone::Step, Milestone::Local, Variant::default()).unwrap();
        pipeline.run(&mut program, &Input::default(), &mut Findings::default(), &mut |_| Ok(())).unwrap();
        assert_eq!(print(&program).matches("all_gather").count(), gathers);
    }
}

/// A loop carries a stored value in its storage layout, and each iteration creates a copy. A held copy is created
/// before the loop.
#[test]
fn each_iteration_creates_copies() {
    let text = r#"
form traced
func @turn(%w_in: f32[8, 8], %x_in: f32[4, 8]) {
  %y = matmul %x_in, %w_in : f32[4, 8]
  return %w_in, %y
}
param %w "w" : f32[8, 8]
input %x : f32[4, 8]
  %v, %z = loop 3 of @turn %w, %x : f32[8, 8], f32[4, 8]
output %z
"#;
    let plan = Plan::new(Mesh::new([("data", 2)]).unwrap()).shard("w", "_, _").store("w", "data, _");
    let program = apply(text, plan.clone());
    expect![[r#"
        form traced
        mesh @mesh = [data=2]
        func @turn(%w_in: f32[8@data, 8], %x_in: f32[4, 8]) {
          %w_in.1 = constrain fresh %w_in : f32[8, 8] whole
          %y = matmul %x_in, %w_in.1 : f32[4, 8]
          return %w_in, %y
        }
        param %w "w" : f32[8@data, 8]
        input %x : f32[4, 8]
          %v, %z = loop 3 of @turn %w, %x : f32[8, 8], f32[4, 8]
        output %z
    "#]]
    .assert_eq(&print(&program));
    let mut held = plan;
    held.hold.push(partita_ir::plan::SourceText::at_caller("w"));
    let program = apply(text, held);
    expect![[r#"
        form traced
        mesh @mesh = [data=2]
        func @turn(%w_in: f32[8, 8], %x_in: f32[4, 8]) {
          %y = matmul %x_in, %w_in : f32[4, 8]
          return %w_in, %y
        }
        param %w "w" : f32[8@data, 8]
        input %x : f32[4, 8]
          %w.1 = constrain %w : f32[8, 8] whole
          %v, %z = loop 3 of @turn %w.1, %x : f32[8, 8], f32[4, 8]
        output %z
    "#]]
    .assert_eq(&print(&program));
}
