//! `precision` (traced -> traced): computes in `bf16` or `f16` what the plan says, with parameters, sums and losses in
//! `f32`.
//!
//! Parameters stay `f32`, the master weights (Micikevicius et al., Mixed Precision Training, 2018); where they are used
//! narrowly they are converted once. An op computes narrowly when one of its float operands is narrow or can be: an
//! input, a parameter, a constant. What needs the digits stays `f32` and takes its operands so: losses, reductions,
//! exponentials and logarithms, running state, and everything that reads a parameter which the plan keeps in `f32`,
//! moved about or not. Composites (softmax, norms) take and give narrow values and are `f32` inside. Results of the
//! program keep their types.
//!
//! It works on the forward model: gradients flow back through the conversions, so that they are narrow where the model
//! is, and `f32` where they meet the master weights.
//!
//! Before, with `--precision bf16`:
//!
//! ```text
//! param %w "w" : f32[2, 4]
//! input %x : f32[8, 2]
//! %h = matmul %x, %w : f32[8, 4]
//! output %h
//! ```
//!
//! After:
//!
//! ```text
//! param %w "w" : f32[2, 4]
//! input %x : f32[8, 2]
//! %x.bf16 = convert %x : bf16[8, 2]
//! %w.bf16 = convert %w : bf16[2, 4]
//! %h.bf16 = matmul %x.bf16, %w.bf16 : bf16[8, 4]
//! %h = convert %h.bf16 : f32[8, 4]
//! output %h
//! ```

pub mod quantise;

use crate::driver::{Findings, Info, Input, Pass};
use crate::planning::find::Entries;
use partita_ir::arena::{FuncId, Id, OpId, ValueId};
use partita_ir::build::Namer;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::{DType, Type};
use partita_ir::layout::Monoid;
use partita_ir::op::OpKind;
use partita_ir::ops::Convert;
use partita_ir::plan::{Entry, Plan};
use partita_ir::program::{Form, Op, ParamKind, Phase, Program, Value, Values};
use quantise::INT8;

/// The pass.
pub struct Precision;

impl Pass for Precision {
    fn info(&self) -> Info {
        Info { name: "precision", needs: Form::Traced, gives: Form::Traced, reads: &[] }
    }

    fn applies(&self, _: &Program, input: &Input, _: &Findings) -> bool {
        !input.plan.precision.is_empty()
    }

    fn run(&self, program: &mut Program, input: &Input, _: &mut Findings) -> Result<(), Vec<Diagnostic>> {
        let Choice { narrow, kept } = Choice::of(program, &input.plan)?;
        let Some(narrow) = narrow else { return Ok(()) };
        let mut names = Namer::of(program);
        for func in program.laid_out_funcs() {
            Writer::new(program, &mut names, narrow, &kept, func).rewrite();
        }
        Ok(())
    }
}

/// What the plan says.
struct Choice {
    /// The narrow element type, if any op computes in one.
    narrow: Option<DType>,
    /// By value: parameters that are used as they are, in loops too.
    kept: Vec<bool>,
}

impl Choice {
    fn of(program: &Program, plan: &Plan) -> Result<Choice, Vec<Diagnostic>> {
        let entries = Entries::of(program);
        let mut errors = Vec::new();
        let mut types = Vec::new();
        for (i, entry) in plan.precision.iter().enumerate() {
            match dtype(entry) {
                Err(error) => errors.push(error),
                Ok(dtype) => types.push((i, dtype)),
            }
        }
        let deciding = entries.deciding(&plan.precision, &mut errors);
        let narrow: Vec<(usize, DType)> =
            types.iter().copied().filter(|t| !matches!(t.1, DType::F32 | DType::I8)).collect();
        if let Some(other) = narrow.iter().find(|t| t.1 != narrow[0].1) {
            let title = format!("a model computes in one narrow type, not in both {} and {}", narrow[0].1, other.1);
            let place = |(i, _): (usize, DType)| plan.precision[i].text.span();
            let error = Diagnostic::new(Code::D005, title).context(place(narrow[0]), "first here");
            errors.push(error.at(place(*other), "and then this").help("keep parts of it in `f32` instead: `PATH=f32`"));
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let mut kept = vec![true; program.values.len()];
        for (value, entry) in deciding {
            kept[value.index()] = !narrow.iter().any(|(i, _)| *i == entry);
        }
        for param in program.params.values().filter(|p| p.kind == ParamKind::State) {
            kept[param.value.index()] = true;
        }
        let params = program.param_values().into_iter();
        let kept = params.map(|p| p.is_some_and(|p| kept[program.params[p].value.index()])).collect();
        Ok(Choice { narrow: narrow.first().map(|t| t.1), kept })
    }
}

/// The element type that an entry names.
fn dtype(entry: &Entry) -> Result<DType, Diagnostic> {
    match entry.text.text.trim() {
        "f32" => Ok(DType::F32),
        "bf16" => Ok(DType::BF16),
        "f16" => Ok(DType::F16),
        // Weights of 8 bits are for another pass.
        INT8 => Ok(DType::I8),
        other => Err(Diagnostic::new(Code::D005, format!("nothing is computed in `{other}`"))
            .at(entry.text.span(), "expected `bf16`, `f16`, `f32` or `int8`")
            .help("write `--precision bf16`, and `--precision PATH=f32` for what stays as it is")),
    }
}

/// How an op computes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Width {
    /// In `f32`.
    Wide,
    /// In the narrow type.
    Narrow,
    /// Like its operands.
    Either,
    /// Like its operands, whose numbers it only moves about.
    Moved,
}

/// Writes the new body of a function.
struct Writer<'a> {
    program: &'a mut Program,
    names: &'a mut Namer,
    narrow: DType,
    func: FuncId,
    body: Vec<OpId>,
    /// By value: parameters that are used as they are, and what only moves their numbers about.
    kept: Vec<bool>,
    /// By value: whether it was computed in `f32` on purpose.
    wide_born: Vec<bool>,
    /// By old value: the value in `f32`, and in the narrow type.
    versions: Vec<[Option<ValueId>; 2]>,
    /// By value: the op that makes it.
    makers: Vec<Option<OpId>>,
}

impl<'a> Writer<'a> {
    fn new(program: &'a mut Program, names: &'a mut Namer, narrow: DType, chosen: &[bool], func: FuncId) -> Writer<'a> {
        let mut kept = vec![false; program.values.len()];
        let mut wide_born = vec![false; program.values.len()];
        let mut versions = vec![[None; 2]; program.values.len()];
        let makers = vec![None; program.values.len()];
        let is_main = func == program.entry();
        for &input in &program.funcs[func].inputs {
            versions[input.index()][0] = Some(input);
            // What a loop carries, and what the plan keeps.
            kept[input.index()] = chosen[input.index()];
            wide_born[input.index()] = !is_main || kept[input.index()];
        }
        Writer { program, names, narrow, func, body: Vec::new(), kept, wide_born, versions, makers }
    }

    fn rewrite(mut self) {
        let old = self.program.funcs[self.func].take_ops();
        for op in old {
            self.write(op);
        }
        for i in 0..self.program.funcs[self.func].outputs.len() {
            let value = self.program.funcs[self.func].outputs[i].value;
            self.program.funcs[self.func].outputs[i].value = self.version(value, false);
        }
        *self.program.funcs[self.func].ops_mut() = self.body;
    }

    fn is_f32(&self, value: ValueId) -> bool {
        self.program.ty(value).dtype == DType::F32
    }

    fn write(&mut self, id: OpId) {
        let op = self.program.ops[id].clone();
        let floats = || op.args.iter().chain(&op.outs).any(|&v| self.is_f32(v));
        if !floats() {
            self.body.push(id);
            return;
        }
        let width = width(self.program, &op);
        let is_narrow = match width {
            Width::Wide => false,
            Width::Narrow => true,
            Width::Either | Width::Moved => {
                let mut operands = op.args.iter().filter(|&&v| self.is_f32(v)).peekable();
                operands.peek().is_some() && !operands.all(|v| self.wide_born[v.index()])
            }
        } && !op.args.iter().any(|v| self.kept[v.index()]);
        let only_kept = op.args.iter().filter(|&&v| self.is_f32(v)).all(|v| self.kept[v.index()]);
        op.outs.iter().for_each(|out| self.kept[out.index()] = width == Width::Moved && only_kept);
        let args: Values =
            op.args.iter().map(|&v| if self.is_f32(v) { self.version(v, is_narrow) } else { v }).collect();
        self.program.ops[id].args = args;
        for (i, &out) in op.outs.iter().enumerate() {
            if !self.is_f32(out) {
                continue;
            }
            self.wide_born[out.index()] = !is_narrow;
            let version = if is_narrow { self.narrowed(out) } else { out };
            self.versions[out.index()][usize::from(is_narrow)] = Some(version);
            self.program.ops[id].outs[i] = version;
            self.makers[version.index()] = Some(id);
        }
        self.body.push(id);
    }

    /// The same value in the narrow type, under a name of its own.
    fn narrowed(&mut self, value: ValueId) -> ValueId {
        let old = &self.program.values[value];
        let ty = Type { dtype: self.narrow, ..old.ty.clone() };
        let name = self.names.fresh(&format!("{}.{}", old.name, self.narrow));
        let new = Value { name, ty, ..old.clone() };
        self.grow();
        self.program.values.push(new)
    }

    /// New values are looked up like old ones.
    fn grow(&mut self) {
        let count = self.program.values.len() + 1;
        self.versions.resize(count.max(self.versions.len()), [None; 2]);
        self.wide_born.resize(count.max(self.wide_born.len()), false);
        self.kept.resize(count.max(self.kept.len()), false);
        self.makers.resize(count.max(self.makers.len()), None);
    }

    /// The value in one of the two types, converted where that was not yet done.
    fn version(&mut self, value: ValueId, narrow: bool) -> ValueId {
        let [wide, thin] = self.versions[value.index()];
        let (have, other) = if narrow { (thin, wide) } else { (wide, thin) };
        if let Some(have) = have {
            return have;
        }
        let Some(source) = other else { return value };
        let target = if narrow { self.narrowed(value) } else { value };
        let outs = Values::from_slice(&[target]);
        let maker = self.makers[source.index()].map(|op| &self.program.ops[op]);
        let op = match maker {
            // A constant is made anew.
            Some(op) if op.args.is_empty() => Op { outs, ..op.clone() },
            _ => {
                let origin = self.body.last().map(|&op| self.program.ops[op].origin.clone()).unwrap_or_default();
                Op { kind: Convert {}.into(), args: Values::from_slice(&[source]), outs, phase: Phase::Forward, origin }
            }
        };
        self.body.push(self.program.ops.push(op));
        self.versions[value.index()][usize::from(narrow)] = Some(target);
        target
    }
}

/// How an op computes if nobody says otherwise.
fn width(program: &Program, op: &Op) -> Width {
    match &op.kind {
        OpKind::DotGeneral(_) | OpKind::Convolution(_) => Width::Narrow,
        OpKind::Attention(_) | OpKind::AttentionGrad(_) | OpKind::Softmax(_) | OpKind::Gelu(_) => Width::Narrow,
        OpKind::LayerNorm(_) | OpKind::RmsNorm(_) | OpKind::BatchNorm(_) => Width::Narrow,
        OpKind::CrossEntropy(_) | OpKind::LogSoftmax(_) | OpKind::Momentum(_) | OpKind::Adam(_) => Width::Wide,
        OpKind::Reduce(_) | OpKind::ReduceFunc(_) | OpKind::Sort(_) | OpKind::Loop(_) => Width::Wide,
        OpKind::Random(_) | OpKind::RngBits(_) | OpKind::Bitcast(_) => Width::Wide,
        // They are made anew where they are needed narrowly.
        OpKind::Constant(_) | OpKind::Iota(_) | OpKind::PieceStart(_) => Width::Wide,
        OpKind::ReduceWindow(window) if window.monoid == Monoid::Sum => Width::Wide,
        OpKind::Unary(unary) if unary.op.needs_digits() => Width::Wide,
        OpKind::Convert(_) if !op.args.iter().any(|&v| program.ty(v).dtype.is_float()) => Width::Narrow,
        OpKind::Broadcast(_) | OpKind::Reshape(_) | OpKind::Transpose(_) | OpKind::Reverse(_) => Width::Moved,
        OpKind::Slice(_) | OpKind::DynamicSlice(_) | OpKind::Pad(_) | OpKind::Concatenate(_) => Width::Moved,
        OpKind::Convert(_) | OpKind::Unary(_) | OpKind::Binary(_) | OpKind::Compare(_) => Width::Either,
        OpKind::Select(_) | OpKind::Clamp(_) | OpKind::ReduceWindow(_) => Width::Either,
        OpKind::DynamicUpdateSlice(_) | OpKind::Gather(_) | OpKind::Scatter(_) => Width::Either,
        OpKind::SelectAndScatter(_) | OpKind::TopK(_) | OpKind::Constrain(_) | OpKind::Reshard(_) => Width::Either,
        OpKind::AllReduce(_) | OpKind::AllGather(_) | OpKind::ReduceScatter(_) | OpKind::AllToAll(_) => Width::Either,
        OpKind::Permute(_) | OpKind::Shard(_) | OpKind::Partial(_) | OpKind::Mask(_) => Width::Either,
    }
}
