//! Parameters and batches of training steps that declare none.

use partita::{Plan, ProgramExt};
use partita_ir::program::Program;

/// A step that also updates a moving average of its weights, which is computed from the new weights.
const WITH_AVERAGE: &str = "form traced
input %u : f32[4, 4]
input %w : f32[4, 4]
input %average.u : f32[4, 4]
input %average.w : f32[4, 4]
input %x : f32[6, 4]
  %h = matmul %x, %u : f32[6, 4]
  %t = tanh %h : f32[6, 4]
  %y = matmul %t, %w : f32[6, 4]
  %loss = reduce sum [0, 1] %y : f32[]
  %one = constant 1.0 : f32[6, 4]
  %w.grad = dot_general contract [0]x[0] %t, %one : f32[4, 4]
  %t.grad = dot_general contract [1]x[1] %one, %w : f32[6, 4]
  %h.grad = mul %t.grad, %t : f32[6, 4]
  %u.grad = dot_general contract [0]x[0] %x, %h.grad : f32[4, 4]
  %u.new = sub %u, %u.grad : f32[4, 4]
  %w.new = sub %w, %w.grad : f32[4, 4]
  %average.u.new = add %average.u, %u.new : f32[4, 4]
  %average.w.new = add %average.w, %w.new : f32[4, 4]
output %loss
output %u.new
output %w.new
output %average.u.new
output %average.w.new
";

#[test]
fn weights_with_an_average_are_in_stages() {
    let program = partita::parse("average.pir", WITH_AVERAGE).unwrap();
    let plan = Plan::default().with_mesh_flag("data=1").unwrap().pipeline("2").micro_batches("2");
    let part = program.partition(&plan).unwrap();
    let check = part.check(&part.random_inputs(1).unwrap()).unwrap();
    assert!(check.ok(), "{check}");
}

/// The step with a state that it adds to its examples, as an update is added to a weight.
fn with_carried_state() -> String {
    let input = "input %x : f32[6, 4]\n";
    let sum = "input %carried : f32[6, 4]\ninput %x : f32[6, 4]\n  %sum = add %x, %carried : f32[6, 4]\n";
    let text =
        WITH_AVERAGE.replace("matmul %x,", "matmul %sum,").replace("contract [0]x[0] %x,", "contract [0]x[0] %sum,");
    text.replace(input, sum) + "output %sum\n"
}

/// Returns the names of the inputs that have the layout `data, _` under the preset `data`, after a check of the plan.
fn inputs_with_batch(program: &Program, stages: u32) -> Vec<String> {
    let mut plan = Plan::default().with_mesh_flag("data=2").unwrap().preset("data");
    if stages > 1 {
        plan = plan.pipeline(stages.to_string()).micro_batches("3");
    }
    let part = program.partition(&plan).unwrap();
    let check = part.check(&part.random_inputs(1).unwrap()).unwrap();
    assert!(check.ok(), "{stages} stages: {check}");
    let report = part.report();
    let sharded = report.params.iter().filter(|row| row.layout == "data, _");
    sharded.map(|row| row.name.to_string()).collect()
}

#[test]
fn carried_state_has_the_batch() {
    let program = partita::parse("carried.pir", &with_carried_state()).unwrap();
    for stages in [1, 2] {
        assert_eq!(inputs_with_batch(&program, stages), ["carried", "x"], "{stages} stages");
    }
}

/// A step that trains two factors, which are added to one of two frozen weights of an attention.
const WITH_FROZEN_WEIGHTS: &str = "form traced
input %a : f32[8, 3]
input %b : f32[3, 8]
input %q : f32[8, 8]
input %v : f32[8, 8]
input %tokens : i32[6, 5]
input %table : f32[19, 8]
  %at = reshape %tokens : i32[6, 5, 1]
  %x = gather offset [2] collapsed [0] map [0] vector 2 sizes [1, 8] %table, %at : f32[6, 5, 8]
  %low = matmul %x, %a : f32[6, 5, 3]
  %change = matmul %low, %b : f32[6, 5, 8]
  %frozen = matmul %x, %q : f32[6, 5, 8]
  %query = add %frozen, %change : f32[6, 5, 8]
  %heads = reshape %query : f32[6, 5, 2, 4]
  %value = matmul %x, %v : f32[6, 5, 8]
  %values = reshape %value : f32[6, 5, 2, 4]
  %scores = dot_general contract [3]x[3] batch [0, 2]x[0, 2] %heads, %heads : f32[6, 2, 5, 5]
  %y = dot_general contract [3]x[1] batch [0, 1]x[0, 2] %scores, %values : f32[6, 2, 5, 4]
  %loss = reduce sum [0, 1, 2, 3] %y : f32[]
  %turned = transpose [0, 2, 1, 3] %y : f32[6, 5, 2, 4]
  %query.grad = reshape %turned : f32[6, 5, 8]
  %b.grad = dot_general contract [0, 1]x[0, 1] %low, %query.grad : f32[3, 8]
  %low.grad = dot_general contract [2]x[1] %query.grad, %b : f32[6, 5, 3]
  %a.grad = dot_general contract [0, 1]x[0, 1] %x, %low.grad : f32[8, 3]
  %a.new = sub %a, %a.grad : f32[8, 3]
  %b.new = sub %b, %b.grad : f32[3, 8]
output %loss
output %a.new
output %b.new
";

#[test]
fn frozen_weights_have_no_batch() {
    let program = partita::parse("frozen.pir", WITH_FROZEN_WEIGHTS).unwrap();
    assert_eq!(inputs_with_batch(&program, 1), ["tokens"]);
}

/// A step of a network that learns the outputs of a wider, frozen network for some examples, and given values for
/// others.
const WITH_TWO_BATCHES: &str = "form traced
input %frozen : f32[4, 7]
input %frozen.b : f32[7]
input %frozen.2 : f32[7, 3]
input %w : f32[4, 3]
input %inside : f32[6, 4]
input %boundary : f32[2, 4]
input %values : f32[2, 3]
  %wide = matmul %inside, %frozen : f32[6, 7]
  %b = broadcast [1] %frozen.b : f32[6, 7]
  %sum = add %wide, %b : f32[6, 7]
  %f = tanh %sum : f32[6, 7]
  %target = matmul %f, %frozen.2 : f32[6, 3]
  %y = matmul %inside, %w : f32[6, 3]
  %e = sub %y, %target : f32[6, 3]
  %error = mul %e, %e : f32[6, 3]
  %z = matmul %boundary, %w : f32[2, 3]
  %d = sub %z, %values : f32[2, 3]
  %square = mul %d, %d : f32[2, 3]
  %total = reduce sum [0, 1] %square : f32[]
  %all = reduce sum [0, 1] %error : f32[]
  %loss = add %total, %all : f32[]
  %w.grad.0 = dot_general contract [0]x[0] %inside, %e : f32[4, 3]
  %w.grad.1 = dot_general contract [0]x[0] %boundary, %d : f32[4, 3]
  %w.grad = add %w.grad.0, %w.grad.1 : f32[4, 3]
  %w.new = sub %w, %w.grad : f32[4, 3]
output %loss
output %w.new
";

#[test]
fn examples_in_two_batches_are_no_weights() {
    let program = partita::parse("two.pir", WITH_TWO_BATCHES).unwrap();
    assert_eq!(inputs_with_batch(&program, 1), ["inside", "boundary", "values"]);
}

/// A step of decoding with a cache of keys, which is state of the model.
const WITH_CACHE: &str = "form traced forward
param %e \"embedding\" : f32[19, 8]
param %q \"query\" : f32[8, 8]
param %cache \"cache\" state : f32[4, 16, 8]
input %tokens : i32[4, 3]
  %at = reshape %tokens : i32[4, 3, 1]
  %x = gather offset [2] collapsed [0] map [0] vector 2 sizes [1, 8] %e, %at : f32[4, 3, 8]
  %k = matmul %x, %q : f32[4, 3, 8]
  %zero = constant 0 : i32[]
  %five = constant 5 : i32[]
  %keys = dynamic_update_slice %cache, %k, %zero, %five, %zero : f32[4, 16, 8]
  %scores = dot_general contract [2]x[2] batch [0]x[0] %x, %keys : f32[4, 3, 16]
  %y = dot_general contract [2]x[1] batch [0]x[0] %scores, %keys : f32[4, 3, 8]
output %y
output %keys \"cache\" -> \"cache\"
";

#[test]
fn tokens_beside_a_cache_have_the_batch() {
    let program = partita::parse("cache.pir", WITH_CACHE).unwrap();
    assert_eq!(inputs_with_batch(&program, 1), ["tokens"]);
}

/// The similarities of two kinds of examples, each with a network of its own.
const TWO_TOWERS: &str = "form traced
param %a \"texts.0\" : f32[8, 4]
param %b \"texts.1\" : f32[4, 4]
param %c \"images.0\" : f32[5, 4]
param %d \"images.1\" : f32[4, 4]
input %texts : f32[6, 8]
input %images : f32[6, 5]
  %t.0 = matmul %texts, %a : f32[6, 4]
  %t.1 = tanh %t.0 : f32[6, 4]
  %t.2 = matmul %t.1, %b : f32[6, 4]
  %i.0 = matmul %images, %c : f32[6, 4]
  %i.1 = tanh %i.0 : f32[6, 4]
  %i.2 = matmul %i.1, %d : f32[6, 4]
  %s = dot_general contract [1]x[1] %t.2, %i.2 : f32[6, 6]
  %p = log_softmax dim 1 %s : f32[6, 6]
  %loss = reduce sum [0, 1] %p : f32[]
output %loss
";

#[test]
fn both_towers_have_the_batch() {
    let program = partita::parse("towers.pir", TWO_TOWERS).unwrap();
    assert_eq!(inputs_with_batch(&program, 1), ["texts", "images"]);
}

/// A step with a key of random numbers, which it also replaces.
const WITH_KEY: &str = "form traced
input %w : f32[4, 4]
input %key : u32[2]
input %x : f32[6, 4]
  %noise = random uniform %key : f32[6, 4]
  %sum = add %x, %noise : f32[6, 4]
  %y = matmul %sum, %w : f32[6, 4]
  %loss = reduce sum [0, 1] %y : f32[]
  %one = constant 1.0 : f32[6, 4]
  %w.grad = dot_general contract [0]x[0] %sum, %one : f32[4, 4]
  %w.new = sub %w, %w.grad : f32[4, 4]
  %word = constant 1 : u32[2]
  %key.new = add %key, %word : u32[2]
output %loss
output %w.new -> %w
output %key.new -> %key
";

#[test]
fn keys_of_random_numbers_are_not_sharded() {
    let program = partita::parse("key.pir", WITH_KEY).unwrap();
    let plan = Plan::default().with_mesh_flag("data=2").unwrap().preset("data,zero3");
    let part = program.partition(&plan).unwrap();
    let check = part.check(&part.random_inputs(1).unwrap()).unwrap();
    assert!(check.ok(), "{check}");
    let layouts: Vec<_> = part.report().params.into_iter().map(|row| (row.name.to_string(), row.layout)).collect();
    let layout = |name: &str| layouts.iter().find(|(of, _)| of == name).map(|(_, layout)| layout.as_str());
    assert_eq!((layout("w"), layout("key")), (Some("data, _"), Some("_")), "{layouts:?}");
}

/// A step whose second network computes examples that are drawn in the step.
const WITH_DRAWN_EXAMPLES: &str = "form traced
input %v : f32[4, 3]
input %w : f32[4, 3]
input %key : u32[2]
input %x : f32[6, 4]
  %noise = random uniform %key : f32[8, 4]
  %z = matmul %noise, %v : f32[8, 3]
  %y = matmul %x, %w : f32[6, 3]
  %of.z = reduce sum [0, 1] %z : f32[]
  %of.y = reduce sum [0, 1] %y : f32[]
  %loss = add %of.y, %of.z : f32[]
  %ones.z = constant 1.0 : f32[8, 3]
  %ones.y = constant 1.0 : f32[6, 3]
  %v.grad = dot_general contract [0]x[0] %noise, %ones.z : f32[4, 3]
  %w.grad = dot_general contract [0]x[0] %x, %ones.y : f32[4, 3]
  %v.new = sub %v, %v.grad : f32[4, 3]
  %w.new = sub %w, %w.grad : f32[4, 3]
output %loss
output %v.new
output %w.new
";

#[test]
fn examples_that_are_drawn_in_a_step_are_sharded() {
    let program = partita::parse("drawn.pir", WITH_DRAWN_EXAMPLES).unwrap();
    assert_eq!(inputs_with_batch(&program, 1), ["x"]);
    let plan = Plan::default().with_mesh_flag("data=2").unwrap().preset("data");
    let totals = program.partition(&plan).unwrap().report().totals;
    assert_eq!((totals.repeated_flops, 2 * totals.flops), (0, totals.model_flops));
}
