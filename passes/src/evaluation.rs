//! From a model to what tells how good it is: the loss and the answer of each position, with nothing drawn at random.
//!
//! A model that learns to tell classes apart ends in a `cross_entropy`; its logits have the answer, its operands the
//! truth, and its result the loss of each position, so that a batch may be filled up with samples that do not count.
//! Dropout is replaced by what it gives on average: a mask that is 1 with some chance by that chance. Running
//! statistics stay as they are.

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

/// What tells how good a model is.
pub struct Evaluation {
    /// In form traced. Its outputs are the loss, or else what [`Evaluation::by_position`] says.
    pub program: Program,
    /// Whether the outputs are three tensors of one shape: the loss of each position, the answer, and the truth.
    pub by_position: bool,
}

impl Evaluation {
    /// Of a model whose loss is that output, in the precision of the plan.
    ///
    /// # Errors
    /// What is wrong with the model or its precision.
    pub fn of(model: &Program, plan: &Plan, loss: usize) -> Result<Evaluation, Vec<Diagnostic>> {
        let mut program = forward(model, plan)?;
        let by_position = match entropy(&program) {
            Some([logits, labels, losses]) => {
                let answers = answers(&mut program, logits);
                let named = [("losses", losses), ("answers", answers), ("labels", labels)];
                *program.outputs_mut() =
                    named.map(|(name, value)| Output { value, name: name.into(), alias: None }).into();
                true
            }
            None => {
                let loss = program.outputs().get(loss).cloned();
                *program.outputs_mut() = loss.into_iter().collect();
                false
            }
        };
        Dce(Form::Traced).run(&mut program, &Input::default(), &mut Findings::default())?;
        Ok(Evaluation { program, by_position })
    }
}

/// Logits, labels and losses of the only cross-entropy of a program.
///
/// Recogniser: what learns by another loss is judged by that loss.
fn entropy(program: &Program) -> Option<[ValueId; 3]> {
    // entry only: losses and answers become outputs of the program
    let mut found = program.entry_ops().map(|at| at.op).filter(|op| matches!(op.kind, OpKind::CrossEntropy(_)));
    let entropy = found.next().filter(|_| found.next().is_none())?;
    Some([entropy.args[0], entropy.args[1], entropy.outs[0]])
}

/// The model in the precision of the plan, with nothing drawn at random.
pub(crate) fn forward(model: &Program, plan: &Plan) -> Result<Program, Vec<Diagnostic>> {
    let mut program = model.clone();
    let (input, mut findings) =
        (Input::with_plan(Plan { precision: plan.precision.clone(), ..Plan::default() }), Findings::default());
    pipelines::make_step(&mut program, &input, &mut findings)?;
    declare_params(&mut program);
    for func in program.laid_out_funcs() {
        expect(&mut program, func);
    }
    Ok(program)
}

/// The class with the largest logit, for each position.
fn answers(program: &mut Program, logits: ValueId) -> ValueId {
    let mut names = Namer::of(program);
    let mut b = Builder::new(program, &mut names);
    let mut one = b.ty(logits).shape;
    one.0.pop();
    let positions = one.clone();
    one.0.push(1);
    let types = [Type { dtype: b.ty(logits).dtype, shape: one.clone() }, Type { dtype: DType::I32, shape: one }];
    let largest = b.op_many("largest", TopK { k: 1 }, &[logits], &types);
    let answers = b.reshape(largest[1], positions);
    let body = b.body;
    program.entry_ops_mut().extend(body);
    answers
}

/// Replaces what depends in a function on a hit or miss by what it is on average.
///
/// Recogniser: what reads a hit in another way reads one that is drawn.
fn expect(program: &mut Program, func: FuncId) {
    let body = program.funcs[func].take_ops();
    let makers: FxHashMap<ValueId, OpId> =
        body.iter().flat_map(|&op| program.ops[op].outs.iter().map(move |&out| (out, op))).collect();
    let mut chances: FxHashMap<ValueId, f64> = FxHashMap::default();
    let mut names = Namer::of(program);
    let mut b = Builder::new(program, &mut names);
    for id in body {
        let op = b.program.ops[id].clone();
        match (&op.kind, &op.args[..]) {
            (OpKind::Compare(compare), &[x, bound]) => {
                if let Some(chance) = chance(b.program, &makers, compare.direction, x, bound) {
                    chances.insert(op.outs[0], chance);
                }
                b.body.push(id);
            }
            (OpKind::Convert(_), [hit]) if let Some(&chance) = chances.get(hit) => {
                b.push(Constant { value: Literal::Splat(Scalar::Float(chance)) }.into(), &[], op.outs);
            }
            (OpKind::Select(_), &[hit, yes, no]) if let Some(&chance) = chances.get(&hit) => {
                let yes = b.binary_scalar(BinaryOp::Mul, yes, chance);
                let no = b.binary_scalar(BinaryOp::Mul, no, 1.0 - chance);
                b.push(partita_ir::ops::Binary { op: BinaryOp::Add }.into(), &[yes, no], op.outs);
            }
            _ => b.body.push(id),
        }
    }
    b.finish(func);
}

/// How likely a comparison holds, if it is one of uniform numbers with a number.
///
/// Recogniser: a hit of another kind is drawn.
fn chance(
    program: &Program,
    makers: &FxHashMap<ValueId, OpId>,
    direction: Direction,
    x: ValueId,
    bound: ValueId,
) -> Option<f64> {
    let kind = |value: ValueId| makers.get(&value).map(|&op| &program.ops[op].kind);
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
