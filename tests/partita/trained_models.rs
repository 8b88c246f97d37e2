//! Training steps that Partita builds of models with state, metrics, several terms in the loss and narrow parameters,
//! and training of models whose batch is not the first dimension.

use indexmap::IndexMap;
use partita::steps::Steps;
use partita::train::{Dataset, Trainer};
use partita::{Partition, Plan, ProgramExt};
use partita_ir::diag::Code;
use partita_ir::dtype::{DType, Type};
use partita_ir::tensor::{Scalar, Tensor};

/// Returns a model whose loss is `%loss`, which `body` computes from `%y`, the product of six examples and a parameter,
/// labels and weights of three classes.
fn model(body: &str) -> String {
    format!(
        "form traced
param %w \"w\" : f32[4, 3]
param %s \"s\" : f32[]
param %classes \"classes\" const : f32[3]
param %count \"count\" state : i32[]
param %center \"center\" state : f32[3]
input %x : f32[6, 4]
input %labels : i32[6]
  %y = matmul %x, %w : f32[6, 3]
  %all = mul %y, %y : f32[6, 3]
  %six = constant 6.0 : f32[]
{body}"
    )
}

/// State that changes with each step, and state that changes with the mean of the batch, besides a loss and a metric.
const WITH_STATE: &str = "  %sum = reduce sum [0, 1] %all : f32[]
  %loss = div %sum, %six : f32[]
  %one = constant 1 : i32[]
  %count.new = add %count, %one : i32[]
  %columns = reduce sum [0] %y : f32[3]
  %share = constant 0.125 : f32[3]
  %change = mul %columns, %share : f32[3]
  %half = constant 0.5 : f32[3]
  %before = mul %center, %half : f32[3]
  %center.new = add %before, %change : f32[3]
output %loss \"loss\"
output %y \"metric\"
output %count.new \"count\" -> \"count\"
output %center.new \"center\" -> \"center\"
";

/// Losses of which micro-batches compute summands, and terms that do not depend on examples.
const LOSSES: [(&str, &str); 4] = [
    (
        "regularised",
        "  %sum = reduce sum [0, 1] %all : f32[]
  %mean = div %sum, %six : f32[]
  %squares = mul %w, %w : f32[4, 3]
  %norm = reduce sum [0, 1] %squares : f32[]
  %loss = add %mean, %norm : f32[]
",
    ),
    (
        "weighted by a learned uncertainty",
        "  %sum = reduce sum [0, 1] %all : f32[]
  %mean = div %sum, %six : f32[]
  %factor = exp %s : f32[]
  %weighted = mul %mean, %factor : f32[]
  %loss = sub %weighted, %s : f32[]
",
    ),
    (
        "normalised by the weights of the labels",
        "  %at = reshape %labels : i32[6, 1]
  %weights = gather collapsed [0] map [0] vector 1 sizes [1] %classes, %at : f32[6]
  %rows = reduce sum [1] %all : f32[6]
  %weighted = mul %rows, %weights : f32[6]
  %sum = reduce sum [0] %weighted : f32[]
  %total = reduce sum [0] %weights : f32[]
  %loss = div %sum, %total : f32[]
",
    ),
    (
        "a mean and a learned scale of it",
        "  %sum = reduce sum [0, 1] %all : f32[]
  %mean = div %sum, %six : f32[]
  %log = exp %s : f32[]
  %scaled = mul %mean, %log : f32[]
  %loss = add %mean, %scaled : f32[]
",
    ),
];

fn plan(stages: &str, micro_batches: &str) -> Plan {
    let plan = Plan::default().with_mesh_flag("data=1").unwrap().train("sgd?lr=0.25");
    plan.pipeline(stages).micro_batches(micro_batches)
}

/// Returns inputs with the given state, and the results of a step by name.
fn step(part: &Partition, inputs: &[Tensor]) -> IndexMap<String, Tensor> {
    let check = part.check(inputs).unwrap();
    assert!(check.ok(), "{check}");
    check.native.iter().map(|output| output.name.clone()).zip(check.outputs).collect()
}

#[test]
fn micro_batches_change_state_like_the_batch() {
    let program = partita::parse("state.pir", &model(WITH_STATE)).unwrap();
    for (stages, micro_batches) in [("1", "1"), ("1", "3"), ("2", "1"), ("2", "2")] {
        let part = program.partition(&plan(stages, micro_batches)).unwrap();
        let mut inputs = part.random_inputs(1).unwrap();
        let at = |name: &str| part.planned().inputs().iter().position(|&v| part.planned().path_of(v) == name).unwrap();
        inputs[at("count")] = Tensor::from_ints(Type::new(DType::I32, []), vec![7]);
        let results = step(&part, &inputs);
        assert_eq!(results["count"].get(0), Scalar::Int(8), "{stages} stages, {micro_batches} micro-batches");
        let number = |tensor: &Tensor, at: usize| tensor.get(at).to_f64();
        let (x, w, before) = (&inputs[at("x")], &inputs[at("w")], &inputs[at("center")]);
        for column in 0..3 {
            let product = |row: usize| (0..4).map(|k| number(x, 4 * row + k) * number(w, 3 * k + column)).sum::<f64>();
            let want = 0.5 * number(before, column) + 0.125 * (0..6).map(product).sum::<f64>();
            assert!((number(&results["center"], column) - want).abs() < 1e-5, "{results:?}");
        }
        let has_warning = part.warnings().iter().any(|warning| warning.code == Code::D007);
        assert_eq!(results.contains_key("metric"), !has_warning);
    }
}

#[test]
fn losses_are_sums_over_micro_batches() {
    for (name, body) in LOSSES {
        let program = partita::parse("loss.pir", &model(&format!("{body}output %loss \"loss\"\n"))).unwrap();
        for (stages, micro_batches) in [("1", "2"), ("1", "3"), ("1", "6"), ("2", "3")] {
            let part = program.partition(&plan(stages, micro_batches));
            let part = part.unwrap_or_else(|e| panic!("{name}, {stages} stages, {micro_batches} micro-batches: {e}"));
            step(&part, &part.random_inputs(2).unwrap());
        }
    }
}

/// Adam moves a parameter by the learning rate in each step if its gradient does not change, and never if it is zero.
/// One minus a power of 0.999 is zero in `bf16`.
#[test]
fn adam_moves_narrow_parameters_by_the_learning_rate() {
    for dtype in [DType::BF16, DType::F16, DType::F32] {
        let text = format!(
            "form traced\nparam %w \"w\" : {dtype}[3]\ninput %x : {dtype}[4, 3]\n  %b = broadcast [1] %w : {dtype}[4, 3]\n  \
             %y = mul %x, %b : {dtype}[4, 3]\n  %loss = reduce sum [0, 1] %y : {dtype}[]\noutput %loss \"loss\"\n"
        );
        let program = partita::parse("adam.pir", &text).unwrap();
        let plan = Plan::default().with_mesh_flag("data=2").unwrap().preset("data").train("adam?lr=0.125");
        let part = program.partition(&plan).unwrap();
        let mut inputs = part.random_inputs(1).unwrap();
        inputs[0] = Tensor::from_floats(Type::new(dtype, [3]), vec![1.0; 3]);
        let at = part.planned().inputs().iter().position(|&v| part.planned().path_of(v) == "x").unwrap();
        inputs[at] = Tensor::from_floats(Type::new(dtype, [4, 3]), [0.5, -0.25, 0.0].repeat(4));
        let mut losses = 0;
        let outputs = part.run_steps(&inputs, Steps { count: 3, seed: None }, &mut |_| losses += 1).unwrap();
        let weights = part.planned().outputs().iter().position(|output| output.name == "w").unwrap();
        let after: Vec<f64> = outputs[weights].scalars().map(Scalar::to_f64).collect();
        let want = [1.0 - 3.0 * 0.125, 1.0 + 3.0 * 0.125, 1.0];
        let is_near = after.iter().zip(want).all(|(x, y)| (x - y).abs() < 0.02);
        assert!(is_near && losses == 3, "{dtype}: {after:?}, not {want:?}");
    }
}

/// Returns the losses of a model of sequences, and that of held out samples, with examples along the first or the
/// second dimension of `%x`. There are as many steps in a sequence as examples in the batch.
fn losses_of_sequences(batch_dim: usize) -> Vec<f64> {
    let steps = 1 - batch_dim;
    let text = format!(
        "form traced
param %w \"w\" : f32[2, 2]
input %x : f32[4, 4, 2]
input %y : f32[4, 2]
  %h = matmul %x, %w : f32[4, 4, 2]
  %t = tanh %h : f32[4, 4, 2]
  %s = reduce sum [{steps}] %t : f32[4, 2]
  %d = sub %s, %y : f32[4, 2]
  %q = mul %d, %d : f32[4, 2]
  %loss = reduce sum [0, 1] %q : f32[]
output %loss \"loss\"
"
    );
    let program = partita::parse("sequences.pir", &text).unwrap();
    let numbers = |count: usize| (0..count).map(|i| (i * i % 17) as f64 / 17.0 - 0.5).collect();
    let tensor = |shape: &[usize]| Tensor::from_floats(Type::new(DType::F32, shape), numbers(shape.iter().product()));
    let fields = [("x".to_owned(), tensor(&[12, 4, 2])), ("y".to_owned(), tensor(&[12, 2]))];
    let data = Dataset::tensors("sequences", fields.into_iter().collect()).unwrap();
    let plan = Plan::default().with_mesh_flag("data=2").unwrap().preset("data").train("sgd?lr=0.01");
    let trained =
        Trainer::new(&program, &plan, data).scale(1.0).seed(3).steps(5).validate(0.25).run(&mut |_| ()).unwrap();
    let losses = trained.records.iter().map(|record| record.loss);
    losses.chain(trained.validation.map(|validation| validation.loss)).collect()
}

#[test]
fn samples_are_along_the_batch_of_each_input() {
    let (first, second) = (losses_of_sequences(0), losses_of_sequences(1));
    assert_eq!(first.len(), 6);
    assert!(first.iter().zip(&second).all(|(a, b)| (a - b).abs() < 1e-5), "{first:?} {second:?}");
}

#[test]
fn scalars_are_no_fields_of_a_data_set() {
    let text = "form traced\nparam %w \"w\" : f32[2]\ninput %x : f32[4, 2]\ninput %scale : f32[]\n  \
                %b = broadcast [1] %w : f32[4, 2]\n  %y = mul %x, %b : f32[4, 2]\n  %s = broadcast [] %scale : f32[4, 2]\n  \
                %z = mul %y, %s : f32[4, 2]\n  %loss = reduce sum [0, 1] %z : f32[]\noutput %loss \"loss\"\n";
    let program = partita::parse("scalar.pir", text).unwrap();
    let tensor = |shape: &[usize]| Tensor::from_floats(Type::new(DType::F32, shape), vec![1.0; shape.iter().product()]);
    let fields = [("x".to_owned(), tensor(&[8, 2])), ("scale".to_owned(), tensor(&[8]))];
    let data = Dataset::tensors("data", fields.into_iter().collect()).unwrap();
    let plan = Plan::default().with_mesh_flag("data=1").unwrap().train("sgd");
    let error = Trainer::new(&program, &plan, data).scale(1.0).steps(1).run(&mut |_| ()).err().unwrap();
    assert!(error.to_string().contains("the input `scale` (f32[]) has no samples"), "{error}");
}
