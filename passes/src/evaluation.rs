//! The evaluation program of a model: the loss and the predicted class at each position, without random numbers.
//!
//! A classifier ends in a `cross_entropy`. Its logits determine the predicted classes, its operands contain the labels,
//! and its result is the loss of each position, so that a batch can be padded with samples that do not count. Dropout
//! is replaced by its expected value: a mask that is 1 with probability `p` becomes `p`. Running statistics are not
//! updated.

use crate::driver::{Findings, Input, Pass};
use crate::optimising::dce::Dce;
use crate::pipelines;
use crate::training::phases::declare_params;
use partita_ir::arena::{FuncId, OpId, ValueId};
use partita_ir::build::{Builder, Namer};
use partita_ir::diag::Diagnostic;
use partita_ir::dtype::{DType, Type};
use partita_ir::op::OpKind;
use partita_ir::ops::{BinaryOp, Constant, Direction, Distribution, Literal, TopK};
use partita_ir::plan::Plan;
use partita_ir::program::{Form, Output, Program};
use partita_ir::tensor::Scalar;
use rustc_hash::FxHashMap;

/// A program that evaluates a model.
pub struct Evaluation {
    /// The program, in traced form. Its outputs are described at [`Evaluation::is_per_position`].
    pub program: Program,
    /// True if the outputs are three tensors of one shape: the loss, the predicted class and the label of each
    /// position. If false, the only output is the loss.
    pub is_per_position: bool,
}

impl Evaluation {
    /// Builds the evaluation program of a model in the precision of the plan. `loss` is the position of the loss among
    /// the outputs of the model.
    ///
    /// # Errors
    /// Errors in the model or in its precision.
    pub fn new(model: &Program, plan: &Plan, loss: usize) -> Result<Evaluation, Vec<Diagnostic>> {
        let mut program = forward(model, plan)?;
        let is_per_position = match cross_entropy(&program) {
            Some([logits, labels, losses]) => {
                let classes = classes(&mut program, logits);
                let named = [("losses", losses), ("answers", classes), ("labels", labels)];
                *program.outputs_mut() =
                    named.map(|(name, value)| Output { value, name: name.into(), replaces: None }).into();
                true
            }
            None => {
                let loss = program.outputs().get(loss).cloned();
                *program.outputs_mut() = loss.into_iter().collect();
                false
            }
        };
        Dce(Form::Traced).run(&mut program, &Input::default(), &mut Findings::default())?;
        Ok(Evaluation { program, is_per_position })
    }
}

/// Returns logits, labels and losses of the only cross-entropy of a program.
///
/// Recogniser: a model with another loss is evaluated by that loss.
fn cross_entropy(program: &Program) -> Option<[ValueId; 3]> {
    // entry only: losses and predicted classes become outputs of the program
    let mut found = program.entry_ops().map(|at| at.op).filter(|op| matches!(op.kind, OpKind::CrossEntropy(_)));
    let entropy = found.next().filter(|_| found.next().is_none())?;
    Some([entropy.args[0], entropy.args[1], entropy.outs[0]])
}

/// Returns the model in the precision of the plan, without random numbers.
pub(crate) fn forward(model: &Program, plan: &Plan) -> Result<Program, Vec<Diagnostic>> {
    let mut program = model.clone();
    let (input, mut findings) =
        (Input::with_plan(Plan { precision: plan.precision.clone(), ..Plan::default() }), Findings::default());
    pipelines::build_step(&mut program, &input, &mut findings)?;
    declare_params(&mut program);
    for func in program.funcs_with_layouts() {
        replace_random_masks(&mut program, func);
    }
    Ok(program)
}

/// Appends the class with the largest logit at each position.
fn classes(program: &mut Program, logits: ValueId) -> ValueId {
    let mut names = Namer::from_program(program);
    let mut b = Builder::new(program, &mut names);
    let mut one = b.ty(logits).shape;
    one.0.pop();
    let positions = one.clone();
    one.0.push(1);
    let types = [Type { dtype: b.ty(logits).dtype, shape: one.clone() }, Type { dtype: DType::I32, shape: one }];
    let largest = b.op_many("largest", TopK { k: 1 }, &[logits], &types);
    let classes = b.reshape(largest[1], positions);
    let body = b.body;
    program.entry_ops_mut().extend(body);
    classes
}

/// Replaces random masks in a function, and the values selected by them, by their expected values.
///
/// Recogniser: other readers of a random mask read random numbers.
fn replace_random_masks(program: &mut Program, func: FuncId) {
    let body = program.funcs[func].take_ops();
    let producers: FxHashMap<ValueId, OpId> =
        body.iter().flat_map(|&op| program.ops[op].outs.iter().map(move |&out| (out, op))).collect();
    let mut probabilities: FxHashMap<ValueId, f64> = FxHashMap::default();
    let mut names = Namer::from_program(program);
    let mut b = Builder::new(program, &mut names);
    for id in body {
        let op = b.program.ops[id].clone();
        match (&op.kind, &op.args[..]) {
            (OpKind::Compare(compare), &[x, bound]) => {
                if let Some(probability) = probability(b.program, &producers, compare.direction, x, bound) {
                    probabilities.insert(op.outs[0], probability);
                }
                b.body.push(id);
            }
            (OpKind::Convert(_), [mask]) if let Some(&probability) = probabilities.get(mask) => {
                b.push(Constant { value: Literal::Splat(Scalar::Float(probability)) }.into(), &[], op.outs);
            }
            (OpKind::Select(_), &[mask, yes, no]) if let Some(&probability) = probabilities.get(&mask) => {
                let yes = b.binary_scalar(BinaryOp::Mul, yes, probability);
                let no = b.binary_scalar(BinaryOp::Mul, no, 1.0 - probability);
                b.push(partita_ir::ops::Binary { op: BinaryOp::Add }.into(), &[yes, no], op.outs);
            }
            _ => b.body.push(id),
        }
    }
    b.finish(func);
}

/// Returns the probability that a comparison is true, if it compares uniform random numbers with a constant.
///
/// Recogniser: the result of any other comparison stays random.
fn probability(
    program: &Program,
    producers: &FxHashMap<ValueId, OpId>,
    direction: Direction,
    x: ValueId,
    bound: ValueId,
) -> Option<f64> {
    let kind = |value: ValueId| producers.get(&value).map(|&op| &program.ops[op].kind);
    let (Some(OpKind::Random(random)), Some(OpKind::Constant(constant))) = (kind(x), kind(bound)) else { return None };
    let Literal::Splat(bound) = constant.value else { return None };
    let below = bound.to_f64().clamp(0.0, 1.0);
    match direction {
        _ if random.dist != Distribution::Uniform => None,
        Direction::Lt | Direction::Le => Some(below),
        Direction::Gt | Direction::Ge => Some(1.0 - below),
        Direction::Eq | Direction::Ne => None,
    }
}
