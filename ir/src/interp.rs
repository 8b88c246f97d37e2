//! The reference interpreter: evaluates a program on unsharded tensors, one operation after the other.
//!
//! [`run`] evaluates the main function on one device. In a program of form explicit, whose values are global, layouts,
//! `constrain`, `reshard` and collectives are identities. The executor of local programs calls [`eval_op`] for each op
//! of a device and runs collectives itself. [`widen`] converts a program to `f64` arithmetic, and [`random_inputs`]
//! generates input data for a program.

mod inputs;
mod perturbed;
mod widen;

pub use inputs::{index_bounds, initial_optimizer_state, random_inputs};
pub use perturbed::run_perturbed;
pub use widen::{widen, widen_tensors, widened};

use crate::arena::{FuncId, ValueId};
use crate::dtype::{Shape, Type};
use crate::liveness::Liveness;
use crate::program::class::SourceOp;
use crate::program::op::OpKind;
use crate::program::ops::check::plural;
use crate::program::{EvalCx, Form, Func, MeshPosition, Op, Program};
use crate::tensor::{Scalar, Tensor};
use perturbed::Perturbation;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Maximum depth of nested function calls. Bounds the evaluation of recursive functions in unverified programs.
const MAX_CALL_DEPTH: usize = 64;

/// Maximum number of bytes of tensors that are live at a time (16 GiB). Guards against exhausting memory because of a
/// wrong shape.
pub const MAX_LIVE_TENSOR_BYTES: u64 = 1 << 34;

/// Evaluates the main function of a verified program on one device. `inputs` are the inputs of the main function
/// including parameters, in order; the results are its outputs in order.
///
/// # Errors
/// Input types that differ from the declared ones, an op that fails, or more than 16 GiB of live tensors.
pub fn run(program: &Program, inputs: Vec<Tensor>) -> Result<Vec<Tensor>, String> {
    for (&value, input) in program.main().inputs.iter().zip(&inputs) {
        let want = program.ty(value);
        if *want != input.ty {
            return Err(format!("`{}` is {want}, but {} was given", program.path_of(value), input.ty));
        }
    }
    eval_func(program, program.main, None, inputs)
}

/// Location of an infinity or NaN found during evaluation.
#[derive(Clone, PartialEq, Debug)]
pub struct NonFiniteValue {
    /// Name of the value that contains the number: the path of an input, or `%name` of any other value.
    pub name: String,
    /// Name of the op that computed the number from finite operands; `None` for an input.
    pub op: Option<&'static str>,
    /// The number: an infinity or NaN.
    pub number: f64,
    /// Row-major index of the element.
    pub element: usize,
}

/// Evaluates a program on one device and returns the first infinity or NaN: in an input, or in the result of an op
/// whose operands are finite. Ops without operands are skipped, since constants such as the `-inf` of a mask are
/// intended.
///
/// # Errors
/// Same as [`run`].
pub fn first_non_finite(program: &Program, inputs: Vec<Tensor>) -> Result<Option<NonFiniteValue>, String> {
    let bad = |tensor: &Tensor| tensor.scalars().map(Scalar::to_f64).enumerate().find(|(_, x)| !x.is_finite());
    for (&value, input) in program.main().inputs.iter().zip(&inputs) {
        if let Some((element, number)) = bad(input) {
            return Ok(Some(NonFiniteValue { name: program.path_of(value).to_owned(), op: None, number, element }));
        }
    }
    let mut found = None;
    let mut observe = |op: &Op, args: &[&Tensor], outs: &[Tensor]| {
        if found.is_some() || op.args.is_empty() || args.iter().any(|arg| bad(arg).is_some()) {
            return;
        }
        let non_finite_result = op.outs.iter().zip(outs).find_map(|(&value, out)| Some((value, bad(out)?)));
        found = non_finite_result.map(|(value, (element, number))| {
            let name = format!("%{}", program.values[value].name);
            NonFiniteValue { name, op: Some(op.kind.name()), number, element }
        });
    };
    let interpreter = Interpreter { program, place: None, depth: 0, perturbation: None };
    interpreter.func_observed(program.main, inputs, &mut observe)?;
    Ok(found)
}

/// Evaluates a function. If all parameters of the function are scalars and the inputs are tensors of one shape, the
/// function is applied elementwise.
///
/// # Errors
/// Same as [`run`]; in addition, a function applied elementwise may contain only elementwise ops.
pub fn eval_func(
    program: &Program,
    func: FuncId,
    place: Option<MeshPosition<'_>>,
    inputs: Vec<Tensor>,
) -> Result<Vec<Tensor>, String> {
    Interpreter { program, place, depth: 0, perturbation: None }.func(func, inputs)
}

/// Evaluates one op: in a local program for the device at `place`, in other programs on global values.
///
/// # Errors
/// Errors of the op itself; collectives cannot be evaluated on one device.
pub fn eval_op(
    program: &Program,
    op: &Op,
    place: Option<MeshPosition<'_>>,
    args: &[&Tensor],
) -> Result<Vec<Tensor>, String> {
    Interpreter { program, place, depth: 0, perturbation: None }.op(op, args, None)
}

/// Interpreter state of one function call.
struct Interpreter<'a> {
    program: &'a Program,
    place: Option<MeshPosition<'a>>,
    depth: usize,
    perturbation: Option<&'a Perturbation<'a>>,
}

/// Callback for each evaluated op, with its operands and results.
type OpObserver<'s> = dyn FnMut(&Op, &[&Tensor], &[Tensor]) + 's;

impl Interpreter<'_> {
    fn func(&self, id: FuncId, inputs: Vec<Tensor>) -> Result<Vec<Tensor>, String> {
        self.func_observed(id, inputs, &mut |_, _, _| ())
    }

    fn func_observed(
        &self,
        id: FuncId,
        inputs: Vec<Tensor>,
        observe: &mut OpObserver<'_>,
    ) -> Result<Vec<Tensor>, String> {
        let func = self.program.funcs.get(id).ok_or("calls a function that does not exist")?;
        if self.depth > MAX_CALL_DEPTH {
            return Err(format!("function calls are nested more than {MAX_CALL_DEPTH} deep"));
        }
        if inputs.len() != func.inputs.len() {
            let takes = plural(func.inputs.len(), "input");
            return Err(format!("@{} takes {takes}, not {}", func.name, inputs.len()));
        }
        let elementwise_shape = self.elementwise_shape(func, &inputs)?;
        let live = Liveness::new(self.program, id);
        let mut live_tensors = LiveTensors::default();
        for (&value, tensor) in func.inputs.iter().zip(inputs) {
            live_tensors.put(value, tensor);
        }
        live_tensors.free(live.dying_at(0));
        for (point, &op) in (1..).zip(&func.body) {
            let op = &self.program.ops[op];
            let outs = {
                let args = op.args.iter().map(|&v| live_tensors.get(v)).collect::<Option<SmallVec<[&Tensor; 4]>>>();
                let args = args.ok_or_else(|| self.op_error(op, "an operand is read before it is computed"))?;
                let new = op.outs.iter().map(|&v| storage_bytes(&self.out_type(v, elementwise_shape.as_ref())));
                let needs = new.fold(live_tensors.bytes, u64::saturating_add);
                if needs > MAX_LIVE_TENSOR_BYTES {
                    let error = format!("needs {needs} bytes of live tensors; the limit is {MAX_LIVE_TENSOR_BYTES}");
                    return Err(self.op_error(op, &error));
                }
                let outs = self.op(op, &args, elementwise_shape.as_ref());
                let outs = outs.map_err(|error| self.op_error(op, &error))?;
                observe(op, &args, &outs);
                outs
            };
            for (&value, tensor) in op.outs.iter().zip(outs) {
                live_tensors.put(value, tensor);
            }
            live_tensors.free(live.dying_at(point));
        }
        let outputs = func.outputs.iter().map(|o| live_tensors.get(o.value).cloned());
        outputs.collect::<Option<_>>().ok_or_else(|| format!("a result of @{} is not computed", func.name))
    }

    /// Returns the shape over which a function of scalars is applied elementwise, or `None` for an ordinary call.
    fn elementwise_shape(&self, func: &Func, inputs: &[Tensor]) -> Result<Option<Shape>, String> {
        let Some(first) = inputs.first() else { return Ok(None) };
        let scalars = func.inputs.iter().all(|&v| self.program.ty(v).shape.rank() == 0);
        if !scalars || first.ty.shape.rank() == 0 {
            return Ok(None);
        }
        if inputs.iter().any(|t| t.ty.shape != first.ty.shape) {
            return Err(format!("@{} is applied element by element to tensors of different shapes", func.name));
        }
        if let Some(op) = func.body.iter().map(|&op| &self.program.ops[op]).find(|op| !is_elementwise(&op.kind)) {
            return Err(self.op_error(op, "cannot be applied element by element"));
        }
        Ok(Some(first.ty.shape.clone()))
    }

    fn op(&self, op: &Op, args: &[&Tensor], elementwise_shape: Option<&Shape>) -> Result<Vec<Tensor>, String> {
        let types: SmallVec<[Type; 2]> = op.outs.iter().map(|&v| self.out_type(v, elementwise_shape)).collect();
        let types: SmallVec<[&Type; 2]> = types.iter().collect();
        let inner = Interpreter { place: self.place.clone(), depth: self.depth + 1, ..*self };
        let call = |func: FuncId, inputs: Vec<Tensor>| inner.func(func, inputs);
        let cx = EvalCx { program: self.program, device: self.place.clone(), call: &call, run: &run };
        if self.program.form == Form::Explicit && op.kind.is_collective() {
            return Ok(args.iter().map(|&x| x.clone()).collect());
        }
        let mut outs = op.kind.eval(&cx, args, &types)?;
        if let Some(perturbation) = self.perturbation {
            perturbation.round(op, &mut outs);
        }
        assert!(outs.iter().map(|t| &t.ty).eq(types.iter().copied()), "`{}` gives other types", op.kind.name());
        Ok(outs)
    }

    /// Returns the type of a result: the local type on a device of a local program, or the type of shape
    /// `elementwise_shape` if the function is applied elementwise.
    fn out_type(&self, value: ValueId, elementwise_shape: Option<&Shape>) -> Type {
        let value = &self.program.values[value];
        match elementwise_shape {
            Some(shape) => Type { shape: shape.clone(), dtype: value.ty.dtype },
            None if self.place.is_some() => value.local_type(),
            None => value.ty.clone(),
        }
    }

    fn op_error(&self, op: &Op, error: &str) -> String {
        let name = op.outs.first().map_or("", |&v| self.program.values[v].name.as_str());
        format!("%{name} = `{}`: {error}", op.kind.name())
    }
}

/// Returns true if an op on scalars can be evaluated on tensors with the same op.
fn is_elementwise(kind: &OpKind) -> bool {
    match kind.source() {
        Some(SourceOp::Constant(_)) => true,
        Some(SourceOp::Iota(_)) => false,
        None => kind.is_elementwise(),
    }
}

/// Values that are still live, and their total size in bytes.
#[derive(Default)]
struct LiveTensors {
    values: FxHashMap<ValueId, Tensor>,
    bytes: u64,
}

impl LiveTensors {
    fn put(&mut self, value: ValueId, tensor: Tensor) {
        self.bytes += storage_bytes(&tensor.ty);
        self.values.insert(value, tensor);
    }

    fn get(&self, value: ValueId) -> Option<&Tensor> {
        self.values.get(&value)
    }

    fn free(&mut self, values: &[ValueId]) {
        for tensor in values.iter().filter_map(|value| self.values.remove(value)) {
            self.bytes = self.bytes.saturating_sub(storage_bytes(&tensor.ty));
        }
    }
}

/// Returns the size in bytes of the storage of a [`Tensor`] of the given type: integers use 8 bytes per element, floats
/// narrower than `f64` use 4.
pub fn storage_bytes(ty: &Type) -> u64 {
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

    /// Creates a program that computes `(x + 1) * x`, and `exp(x + 1)`, which is unused.
    fn program(shape: &[usize]) -> Program {
        let mut program = Program::default();
        let x = program.param("x", "layer.x", Type::new(DType::F32, shape));
        let mut names = Namer::from_program(&program);
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
    fn first_non_finite_value_is_found() {
        let first = |x: &[f64]| first_non_finite(&program(&[3]), vec![floats(DType::F32, [3], x)]).unwrap();
        assert_eq!(first(&[1.0, 2.0, 3.0]), None);
        let input = NonFiniteValue { name: "layer.x".into(), op: None, number: f64::INFINITY, element: 1 };
        assert_eq!(first(&[0.0, f64::INFINITY, 0.0]), Some(input));
        // `(x + 1) * x` overflows while `x + 1` is still finite; the unused exponential overflows first.
        let found = first(&[0.0, 0.0, 1e30]).unwrap();
        assert_eq!((found.op, found.element), (Some("exp"), 2));
    }

    #[test]
    fn wrong_inputs_are_errors() {
        let program = program(&[3]);
        let error = run(&program, vec![count_up(DType::F64, [3])]).unwrap_err();
        assert_eq!(error, "`layer.x` is f32[3], but f64[3] was given");
        assert_eq!(run(&program, vec![]).unwrap_err(), "@main takes 1 input, not 0");
    }

    #[test]
    fn programs_above_the_memory_limit_are_rejected() {
        let mut program = program(&[2]);
        let huge = Type::new(DType::F32, [1 << 40]);
        let mut names = Namer::from_program(&program);
        let mut b = Builder::new(&mut program, &mut names);
        let c = b.splat(huge, Scalar::Float(1.0));
        let main = b.program.main;
        b.finish(main);
        program.main_mut().outputs.clear();
        program.output("c", c);
        let error = run(&program, vec![count_up(DType::F32, [2])]).unwrap_err();
        assert!(error.contains("`constant`: needs 4398046511104 bytes"), "{error}");
    }

    /// Creates a program with an argmax reducer, which selects the larger of two values together with its index.
    fn argmax() -> (Program, FuncId) {
        let mut program = Program::default();
        let (float, int) = (Type::new(DType::F32, []), Type::new(DType::I32, []));
        let inputs: Vec<ValueId> = [("a", &float), ("i", &int), ("b", &float), ("j", &int)]
            .map(|(name, ty)| program.value(name, ty.clone()))
            .into();
        let mut names = Namer::from_program(&program);
        let mut b = Builder::new(&mut program, &mut names);
        let ge = Compare { direction: Direction::Ge, total: false };
        let first = b.op("first", ge, &[inputs[0], inputs[2]], Type::new(DType::Bool, []));
        let best = b.op("best", Select {}, &[first, inputs[0], inputs[2]], float);
        let at = b.op("at", Select {}, &[first, inputs[1], inputs[3]], int);
        let body = std::mem::take(&mut b.body);
        let outputs = [best, at].map(|value| Output { value, name: "o".into(), replaces: None }).into();
        let func = program.funcs.push(Func { name: "argmax".into(), inputs, outputs, body });
        (program, func)
    }

    #[test]
    fn scalar_functions_are_applied_elementwise() {
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
