//! From a model to what it predicts: a program from examples to answers, without losses and labels, with nothing drawn
//! at random.
//!
//! A model that is there to be trained ends in a loss, and what it predicts is what the loss compares with the labels:
//! the logits of a `cross_entropy`, or else what meets an input last that it does not depend on. A model whose outputs
//! have a row for each example predicts those of them that know nothing of labels. What no prediction depends on goes,
//! inputs too.
//!
//! Before: `%loss` of `%e = cross_entropy %logits, %label`. After: `%logits`, and no input `%label`.

use crate::driver::{Findings, Input, Pass};
use crate::evaluation::forward;
use crate::examples::{Mixing, mixing};
use crate::import::updates::replaced;
use crate::optimising::dce::Dce;
use partita_ir::arena::{Id, ValueId};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::model::ModelOp;
use partita_ir::op::OpKind;
use partita_ir::plan::Plan;
use partita_ir::program::{Form, Op, Output, Program};
use std::collections::BTreeSet;

/// What a model predicts.
pub struct Inference {
    /// In form traced. The first dimension of every input that is no parameter, and of every output, counts examples.
    pub program: Program,
    /// How many examples go through at once.
    pub batch: usize,
}

impl Inference {
    /// Of a model, in the precision of the plan.
    ///
    /// # Errors
    /// `I001` when the model predicts nothing, or not for each example on its own; what is wrong with its precision.
    pub fn of(model: &Program, plan: &Plan) -> Result<Inference, Vec<Diagnostic>> {
        let mut program = forward(model, plan)?;
        let refuse = |error: Diagnostic| vec![error];
        let outputs = predictions(&program).map_err(refuse)?;
        *program.outputs_mut() = outputs;
        Dce(Form::Traced).run(&mut program, &Input::default(), &mut Findings::default())?;
        drop_unread_inputs(&mut program);
        let batch = batch(&program).map_err(refuse)?;
        match mixing(&program, batch)? {
            Some(mixing) => Err(refuse(mixes(&program, &mixing))),
            None => Ok(Inference { program, batch }),
        }
    }
}

/// What a value is made from.
#[derive(Clone, Default)]
struct Sources {
    params: bool,
    data: BTreeSet<ValueId>,
}

/// A prediction, and the inputs that it is compared with.
struct Comparison {
    prediction: ValueId,
    labels: BTreeSet<ValueId>,
    is_of_classes: bool,
}

impl Comparison {
    /// Of an op, one operand of which is made by the model, and another one from inputs that the first does not depend
    /// on.
    fn of(op: &Op, sources: &[Sources]) -> Option<Comparison> {
        let of = |value: ValueId| &sources[value.index()];
        let mut made = op.args.iter().copied().filter(|&v| of(v).params && !of(v).data.is_empty());
        made.find_map(|prediction| {
            let others = op.args.iter().map(|&v| of(v)).filter(|other| !other.params && !other.data.is_empty());
            let labels: BTreeSet<ValueId> = others.flat_map(|o| &o.data).copied().collect();
            let is_of_classes = is_of_classes(op);
            let is_one = !labels.is_empty() && labels.is_disjoint(&of(prediction).data);
            is_one.then_some(Comparison { prediction, labels, is_of_classes })
        })
    }
}

/// Returns whether an op compares logits with classes.
///
/// Recogniser: a loss of another kind is known by being the last comparison.
fn is_of_classes(op: &Op) -> bool {
    matches!(op.kind, OpKind::CrossEntropy(_))
}

/// What the program predicts.
fn predictions(program: &Program) -> Result<Vec<Output>, Diagnostic> {
    let sources = sources(program);
    let main = &program.funcs[program.entry()];
    // entry only: what is predicted becomes an output of the program
    let comparisons: Vec<Comparison> = program.entry_ops().filter_map(|at| Comparison::of(at.op, &sources)).collect();
    let of_classes: Vec<&Comparison> = comparisons.iter().filter(|c| c.is_of_classes).collect();
    let labels: BTreeSet<ValueId> = of_classes.iter().flat_map(|c| &c.labels).copied().collect();

    let sizes = main.inputs.iter().filter(|&&v| program.param_of(v).is_none());
    let batch = sizes.filter_map(|&v| program.ty(v).shape.first().copied()).next();
    // With one example at a time, a loss `[1]` looks like an answer.
    let has_examples = |value: ValueId| {
        let shape = &program.ty(value).shape;
        shape.first().copied() == batch && (batch != Some(1) || shape.rank() > 1)
    };
    let replaced = replaced(program);
    let kept = main.outputs.iter().enumerate().filter(|(i, _)| replaced.iter().all(|r| r.output != *i));
    let answers: Vec<Output> = kept
        .map(|(_, o)| o.clone())
        .filter(|o| has_examples(o.value) && sources[o.value.index()].data.is_disjoint(&labels))
        .filter(|o| !sources[o.value.index()].data.is_empty())
        .collect();
    if !answers.is_empty() {
        return Ok(answers);
    }
    let compared: Vec<ValueId> = match of_classes.is_empty() {
        false => of_classes.iter().map(|c| c.prediction).collect(),
        true => comparisons.last().map(|c| c.prediction).into_iter().collect(),
    };
    let name = if of_classes.is_empty() { "prediction" } else { "logits" };
    match &compared[..] {
        [] => Err(predicts_nothing(program)),
        [value] => Ok(vec![Output { value: *value, name: name.into(), alias: None }]),
        several => {
            let named = several.iter().enumerate().map(|(i, &value)| (value, format!("{name}.{i}").into()));
            Ok(named.map(|(value, name)| Output { value, name, alias: None }).collect())
        }
    }
}

/// What each value of the main function is made from, by id.
fn sources(program: &Program) -> Vec<Sources> {
    let mut sources = vec![Sources::default(); program.values.len()];
    for &input in program.inputs() {
        let slot = &mut sources[input.index()];
        match program.param_of(input) {
            Some(_) => slot.params = true,
            None => slot.data = BTreeSet::from([input]),
        }
    }
    // entry only: a loop gives what all that it is given leads to
    for ModelOp { op, .. } in program.entry_ops() {
        let mut all = Sources::default();
        for arg in op.args.iter().map(|arg| &sources[arg.index()]) {
            all.params |= arg.params;
            all.data.extend(&arg.data);
        }
        op.outs.iter().for_each(|out| sources[out.index()] = all.clone());
    }
    sources
}

/// Inputs are a program's signature, and labels are none of a prediction's; parameters stay.
fn drop_unread_inputs(program: &mut Program) {
    let mut read = vec![false; program.values.len()];
    // entry only: what a loop reads of inputs it is given
    for ModelOp { op, .. } in program.entry_ops() {
        op.args.iter().for_each(|arg| read[arg.index()] = true);
    }
    program.outputs().iter().for_each(|o| read[o.value.index()] = true);
    program.params.values().for_each(|p| read[p.value.index()] = true);
    program.inputs_mut().retain(|v| read[v.index()]);
}

/// How many examples go through at once.
fn batch(program: &Program) -> Result<usize, Diagnostic> {
    let main = &program.funcs[program.entry()];
    let inputs = main.inputs.iter().filter(|&&v| program.param_of(v).is_none()).map(|&v| (program.path_of(v), v));
    let ports: Vec<(&str, ValueId)> = inputs.chain(main.outputs.iter().map(|o| (o.name.as_str(), o.value))).collect();
    let first = |value: ValueId| program.ty(value).shape.first().copied();
    let (name, size) = ports.first().map_or(("", None), |&(name, value)| (name, first(value)));
    let title = |what: String| {
        Diagnostic::new(Code::I001, what)
            .note("the first dimension of every input that is no parameter, and of every prediction, counts examples")
    };
    let Some(size) = size.filter(|&n| n > 0) else {
        return Err(title(format!("`{name}` has no examples")));
    };
    match ports.iter().find(|&&(_, value)| first(value) != Some(size)) {
        Some(&(other, value)) => {
            Err(title(format!("`{name}` has {size} examples, but `{other}` is {}", program.ty(value))))
        }
        None => Ok(size),
    }
}

fn predicts_nothing(program: &Program) -> Diagnostic {
    let source = &program.source;
    Diagnostic::new(Code::I001, format!("`{source}` predicts nothing"))
        .note("none of its results has a row for each example, and nothing it computes is compared with labels")
        .help("name the model without its loss; built-in models say `loss=false`")
}

fn mixes(program: &Program, mixing: &Mixing) -> Diagnostic {
    let title = format!("what `{}` predicts for an example depends on the others of its batch", program.source);
    let error = Diagnostic::new(Code::I001, title).note(format!("`{}` needs all of them", mixing.op));
    let error = match &mixing.place {
        (scope, 0) if scope.is_empty() => error,
        (scope, 0) => error.note(format!("it is part of `{scope}`")),
        (_, line) => error.on_line(program.source.as_str(), *line),
    };
    error.note("requests of different users share a batch, so that one could change the answer to another").help(
        "name the model as it is once trained, such as with running means for a batch norm; built-in models say \
               `loss=false`",
    )
}
