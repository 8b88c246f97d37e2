//! The reference interpreter: evaluates a program on whole tensors, one operation after the other.
//!
//! [`run`] evaluates the main function on one device; layouts, `constrain`, `reshard` and the collectives of a program
//! in form explicit, whose values are whole ones, change nothing there. The executor of local programs calls
//! [`eval_op`] for every op of a device and runs collectives itself. [`widen`] turns a program into its meaning in
//! `f64`, and [`random_inputs`] makes data for it.

mod inputs;
mod perturbed;
mod widen;

pub use inputs::{index_limits, random_inputs, starting_state};
pub use perturbed::run_perturbed;
pub use widen::{widen, widen_tensors, widened};

use crate::arena::{FuncId, ValueId};
use crate::dtype::{Shape, Type};
use crate::liveness::Liveness;
use crate::program::class::SourceOp;
use crate::program::op::OpKind;
use crate::program::ops::check::plural;
use crate::program::{EvalCx, Form, Func, Op, Place, Program};
use crate::tensor::{Scalar, Tensor};
use perturbed::Perturbation;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Functions may call functions this deep; a program whose functions call each other in a circle ends here.
const MAX_DEPTH: usize = 64;

/// Evaluation that would hold more than this (16 GiB) at a time is refused: a wrong shape should not take the machine.
pub const MAX_HELD_BYTES: u64 = 1 << 34;

/// Evaluates the main function of a verified program on one device. The inputs are those of the main function,
/// parameters among them, in order; results are the outputs in order.
///
/// # Errors
/// Inputs of other types than declared, an op that fails, or more than 16 GiB of tensors at a time.
pub fn run(program: &Program, inputs: Vec<Tensor>) -> Result<Vec<Tensor>, String> {
    for (&value, input) in program.main().inputs.iter().zip(&inputs) {
        let want = program.ty(value);
        if *want != input.ty {
            return Err(format!("`{}` is {want}, but {} was given", program.path_of(value), input.ty));
        }
    }
    eval_func(program, program.main, None, inputs)
}

/// A number that is not finite.
#[derive(Clone, PartialEq, Debug)]
pub struct NotFinite {
    /// The value that it stands in: an input by its path, any other as `%name`.
    pub name: String,
    /// The op that made it of finite operands; `None` for an input.
    pub op: Option<&'static str>,
    /// The number.
    pub number: f64,
    /// Which element it is, in row-major order.
    pub at: usize,
}

/// Runs a program on one device up to the first value that is not finite though all that it is made from is: an input,
/// or the result of an op. Constants are meant as they are, such as the `-inf` of a mask.
///
/// # Errors
/// As [`run`].
pub fn first_not_finite(program: &Program, inputs: Vec<Tensor>) -> Result<Option<NotFinite>, String> {
    let bad = |tensor: &Tensor| tensor.scalars().map(Scalar::to_f64).enumerate().find(|(_, x)| !x.is_finite());
    for (&value, input) in program.main().inputs.iter().zip(&inputs) {
        if let Some((at, number)) = bad(input) {
            return Ok(Some(NotFinite { name: program.path_of(value).to_owned(), op: None, number, at }));
        }
    }
    let mut found = None;
    let mut see = |op: &Op, args: &[&Tensor], outs: &[Tensor]| {
        if found.is_some() || op.args.is_empty() || args.iter().any(|arg| bad(arg).is_some()) {
            return;
        }
        let made = op.outs.iter().zip(outs).find_map(|(&value, out)| Some((value, bad(out)?)));
        found = made.map(|(value, (at, number))| {
            let name = format!("%{}", program.values[value].name);
            NotFinite { name, op: Some(op.kind.name()), number, at }
        });
    };
    let interpreter = Interpreter { program, place: None, depth: 0, perturbation: None };
    interpreter.watched(program.main, inputs, &mut see)?;
    Ok(found)
}

/// Evaluates a function. A function of scalars may be given tensors of one shape: it is then applied element by
/// element.
///
/// # Errors
/// As [`run`]; a function that is applied element by element may only hold elementwise ops.
pub fn eval_func(
    program: &Program,
    func: FuncId,
    place: Option<Place<'_>>,
    inputs: Vec<Tensor>,
) -> Result<Vec<Tensor>, String> {
    Interpreter { program, place, depth: 0, perturbation: None }.func(func, inputs)
}

/// Evaluates one op: in a local program for the device at `place`, elsewhere on whole values.
///
/// # Errors
/// What the op says; collectives cannot be evaluated on one device.
pub fn eval_op(program: &Program, op: &Op, place: Option<Place<'_>>, args: &[&Tensor]) -> Result<Vec<Tensor>, String> {
    Interpreter { program, place, depth: 0, perturbation: None }.op(op, args, None)
}

/// One activation of a function.
struct Interpreter<'a> {
    program: &'a Program,
    place: Option<Place<'a>>,
    depth: usize,
    perturbation: Option<&'a Perturbation<'a>>,
}

/// Told of every op of a function: its operands and its results.
type See<'s> = dyn FnMut(&Op, &[&Tensor], &[Tensor]) + 's;

impl Interpreter<'_> {
    fn func(&self, id: FuncId, inputs: Vec<Tensor>) -> Result<Vec<Tensor>, String> {
        self.watched(id, inputs, &mut |_, _, _| ())
    }

    fn watched(&self, id: FuncId, inputs: Vec<Tensor>, see: &mut See<'_>) -> Result<Vec<Tensor>, String> {
        let func = self.program.funcs.get(id).ok_or("calls a function that does not exist")?;
        if self.depth > MAX_DEPTH {
            return Err(format!("functions call each other more than {MAX_DEPTH} deep"));
        }
        if inputs.len() != func.inputs.len() {
            let takes = plural(func.inputs.len(), "input");
            return Err(format!("@{} takes {takes}, not {}", func.name, inputs.len()));
        }
        let lifted = self.lifted(func, &inputs)?;
        let live = Liveness::of(self.program, id);
        let mut held = Held::default();
        for (&value, tensor) in func.inputs.iter().zip(inputs) {
            held.put(value, tensor);
        }
        held.free(live.dying(0));
        for (point, &op) in (1..).zip(&func.body) {
            let op = &self.program.ops[op];
            let outs = {
                let args = op.args.iter().map(|&v| held.get(v)).collect::<Option<SmallVec<[&Tensor; 4]>>>();
                let args = args.ok_or_else(|| self.at(op, "an operand is read before it is computed"))?;
                let new = op.outs.iter().map(|&v| held_bytes(&self.out_type(v, lifted.as_ref())));
                let needs = new.fold(held.bytes, u64::saturating_add);
                if needs > MAX_HELD_BYTES {
                    let error = format!("needs {needs} bytes at a time; the interpreter stops at {MAX_HELD_BYTES}");
                    return Err(self.at(op, &error));
                }
                let outs = self.op(op, &args, lifted.as_ref())?;
                see(op, &args, &outs);
                outs
            };
            for (&value, tensor) in op.outs.iter().zip(outs) {
                held.put(value, tensor);
            }
            held.free(live.dying(point));
        }
        let outputs = func.outputs.iter().map(|o| held.get(o.value).cloned());
        outputs.collect::<Option<_>>().ok_or_else(|| format!("a result of @{} is not computed", func.name))
    }

    /// The shape over which a function of scalars is applied element by element; `None` for an ordinary call.
    fn lifted(&self, func: &Func, inputs: &[Tensor]) -> Result<Option<Shape>, String> {
        let Some(first) = inputs.first() else { return Ok(None) };
        let scalars = func.inputs.iter().all(|&v| self.program.ty(v).shape.rank() == 0);
        if !scalars || first.ty.shape.rank() == 0 {
            return Ok(None);
        }
        if inputs.iter().any(|t| t.ty.shape != first.ty.shape) {
            return Err(format!("@{} is applied element by element to tensors of different shapes", func.name));
        }
        if let Some(op) = func.body.iter().map(|&op| &self.program.ops[op]).find(|op| !is_elementwise(&op.kind)) {
            return Err(self.at(op, "cannot be applied element by element"));
        }
        Ok(Some(first.ty.shape.clone()))
    }

    fn op(&self, op: &Op, args: &[&Tensor], lifted: Option<&Shape>) -> Result<Vec<Tensor>, String> {
        let types: SmallVec<[Type; 2]> = op.outs.iter().map(|&v| self.out_type(v, lifted)).collect();
        let types: SmallVec<[&Type; 2]> = types.iter().collect();
        let inner = Interpreter { place: self.place.clone(), depth: self.depth + 1, ..*self };
        let call = |func: FuncId, inputs: Vec<Tensor>| inner.func(func, inputs);
        let cx = EvalCx { program: self.program, device: self.place.clone(), call: &call, run: &run };
        if self.program.form == Form::Explicit && op.kind.is_collective() {
            return Ok(args.iter().map(|&x| x.clone()).collect());
        }
        let mut outs = op.kind.eval(&cx, args, &types).map_err(|e| self.at(op, &e))?;
        if let Some(perturbation) = self.perturbation {
            perturbation.round(op, &mut outs);
        }
        debug_assert!(outs.iter().map(|t| &t.ty).eq(types.iter().copied()), "`{}` gives other types", op.kind.name());
        Ok(outs)
    }

    /// What a result is: on a device of a local program its piece, and over a lifted shape that shape.
    fn out_type(&self, value: ValueId, lifted: Option<&Shape>) -> Type {
        let value = &self.program.values[value];
        match lifted {
            Some(shape) => Type { shape: shape.clone(), dtype: value.ty.dtype },
            None if self.place.is_some() => value.local_type(),
            None => value.ty.clone(),
        }
    }

    fn at(&self, op: &Op, error: &str) -> String {
        let name = op.outs.first().map_or("", |&v| self.program.values[v].name.as_str());
        format!("%{name} = `{}`: {error}", op.kind.name())
    }
}

/// Whether a scalar op is the same op on tensors.
fn is_elementwise(kind: &OpKind) -> bool {
    match kind.source() {
        Some(SourceOp::Constant(_)) => true,
        Some(SourceOp::Iota(_)) => false,
        None => kind.is_elementwise(),
    }
}

/// The values that are still to be read.
#[derive(Default)]
struct Held {
    values: FxHashMap<ValueId, Tensor>,
    bytes: u64,
}

impl Held {
    fn put(&mut self, value: ValueId, tensor: Tensor) {
        self.bytes += held_bytes(&tensor.ty);
        self.values.insert(value, tensor);
    }

    fn get(&self, value: ValueId) -> Option<&Tensor> {
        self.values.get(&value)
    }

    fn free(&mut self, values: &[ValueId]) {
        for tensor in values.iter().filter_map(|value| self.values.remove(value)) {
            self.bytes = self.bytes.saturating_sub(held_bytes(&tensor.ty));
        }
    }
}

/// Bytes that a [`Tensor`] of that type takes: integers 8 each, narrow floats 4.
pub fn held_bytes(ty: &Type) -> u64 {
    let each = if matches!(ty.dtype.bytes(), 8) || !ty.dtype.is_float() { 8 } else { 4 };
    (ty.shape.count() as u64).saturating_mul(each)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::program::Output;
    use crate::program::build::{Builder, Namer};
    use crate::program::ops::testing::{count_up, floats, ints};
    use crate::program::ops::{BinaryOp, Compare, Direction, Select, UnaryOp};

    /// `(x + 1) * x`, with something nobody reads.
    fn program(shape: &[usize]) -> Program {
        let mut program = Program::default();
        let x = program.param("x", "layer.x", Type::new(DType::F32, shape));
        let mut names = Namer::of(&program);
        let mut b = Builder::new(&mut program, &mut names);
        let y = b.binary_scalar(BinaryOp::Add, x, 1.0);
        b.unary(UnaryOp::Exp, y);
        let z = b.binary(BinaryOp::Mul, y, x);
        let main = b.program.main;
        b.finish(main);
        program.output("z", z);
        program.output("again", z);
        program
    }

    #[test]
    fn a_program_runs() {
        let out = run(&program(&[3]), vec![count_up(DType::F32, [3])]).unwrap();
        let z = ints(DType::F32, [3], &[0, 2, 6]);
        assert_eq!(out, [z.clone(), z]);
    }

    #[test]
    fn the_first_number_that_is_not_finite_is_found() {
        let first = |x: &[f64]| first_not_finite(&program(&[3]), vec![floats(DType::F32, [3], x)]).unwrap();
        assert_eq!(first(&[1.0, 2.0, 3.0]), None);
        let input = NotFinite { name: "layer.x".into(), op: None, number: f64::INFINITY, at: 1 };
        assert_eq!(first(&[0.0, f64::INFINITY, 0.0]), Some(input));
        // `(x + 1) * x` overflows where `x + 1` does not yet; the exponential in between that nobody reads does before.
        let found = first(&[0.0, 0.0, 1e30]).unwrap();
        assert_eq!((found.op, found.at), (Some("exp"), 2));
    }

    #[test]
    fn wrong_inputs_are_errors() {
        let program = program(&[3]);
        let error = run(&program, vec![count_up(DType::F64, [3])]).unwrap_err();
        assert_eq!(error, "`layer.x` is f32[3], but f64[3] was given");
        assert_eq!(run(&program, vec![]).unwrap_err(), "@main takes 1 input, not 0");
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let mut program = program(&[2]);
        let huge = Type::new(DType::F32, [1 << 40]);
        let mut names = Namer::of(&program);
        let mut b = Builder::new(&mut program, &mut names);
        let c = b.splat(huge, Scalar::Float(1.0));
        let main = b.program.main;
        b.finish(main);
        program.main_mut().outputs.clear();
        program.output("c", c);
        let error = run(&program, vec![count_up(DType::F32, [2])]).unwrap_err();
        assert!(error.contains("`constant`: needs 4398046511104 bytes"), "{error}");
    }

    /// The larger of two values with its index, as an argmax reduces.
    fn argmax() -> (Program, FuncId) {
        let mut program = Program::default();
        let (float, int) = (Type::new(DType::F32, []), Type::new(DType::I32, []));
        let inputs: Vec<ValueId> = [("a", &float), ("i", &int), ("b", &float), ("j", &int)]
            .map(|(name, ty)| program.value(name, ty.clone()))
            .into();
        let mut names = Namer::of(&program);
        let mut b = Builder::new(&mut program, &mut names);
        let ge = Compare { direction: Direction::Ge, total: false };
        let first = b.op("first", ge, &[inputs[0], inputs[2]], Type::new(DType::Bool, []));
        let best = b.op("best", Select {}, &[first, inputs[0], inputs[2]], float);
        let at = b.op("at", Select {}, &[first, inputs[1], inputs[3]], int);
        let body = std::mem::take(&mut b.body);
        let outputs = [best, at].map(|value| Output { value, name: "o".into(), alias: None }).into();
        let func = program.funcs.push(Func { name: "argmax".into(), inputs, outputs, body });
        (program, func)
    }

    #[test]
    fn a_function_of_scalars_takes_tensors() {
        let (program, func) = argmax();
        let floats = |x: &[f64]| floats(DType::F32, [x.len()], x);
        let ints = |x: &[i64]| ints(DType::I32, [x.len()], x);
        let inputs = vec![floats(&[1.0, 5.0]), ints(&[0, 0]), floats(&[2.0, 4.0]), ints(&[1, 1])];
        let out = eval_func(&program, func, None, inputs).unwrap();
        assert_eq!(out, [floats(&[2.0, 5.0]), ints(&[1, 0])]);
        let mixed = vec![floats(&[1.0, 5.0]), ints(&[0]), floats(&[2.0, 4.0]), ints(&[1, 1])];
        assert!(eval_func(&program, func, None, mixed).unwrap_err().contains("different shapes"));
    }
}
