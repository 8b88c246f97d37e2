//! `precision` (traced -> traced): computes in `bf16` or `f16` as the plan specifies, with parameters, sums and losses
//! in `f32`.
//!
//! In training, parameters stay `f32`, as master weights (Micikevicius et al., Mixed Precision Training, 2018), and are
//! converted once for their narrow readers. In inference, weights with narrow readers only are stored in the narrow
//! type, and so are inputs that an output of the same name replaces, such as a KV cache (`storage`). An op computes in
//! the narrow type if one of its float operands is narrow or can be narrow: an input, a parameter or a constant. Ops
//! that need the full precision stay `f32`: losses, reductions, exponentials and logarithms, running state, and readers
//! of parameters that the plan keeps in `f32`, directly or after data movement. Composites (softmax, norms) have narrow
//! operands and results, and compute in `f32` internally. Outputs of the program keep their types, except those caches.
//!
//! With `autocast`, as with `torch.autocast`, products and attention compute in `bf16`, norms and softmax in `f32`, and
//! every other op in the widest type of its operands, so that a sum of an `f32` and a `bf16` value is `f32`. Parameters
//! and constants adapt to the other operands.
//!
//! The pass transforms the forward model. Gradients flow back through the conversions, so that they are narrow where
//! the model is narrow, and `f32` for the master weights. In an imported training step, gradients are computed like the
//! forward pass; what is computed from a complete gradient, such as its norm, the optimizer state and the update, stays
//! `f32`.
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
//! param %w "w" : bf16[2, 4]
//! input %x : f32[8, 2]
//! %x.bf16 = convert %x : bf16[8, 2]
//! %h.bf16 = matmul %x.bf16, %w : bf16[8, 4]
//! %h = convert %h.bf16 : f32[8, 4]
//! output %h
//! ```

pub mod quantise;
mod storage;

use crate::driver::{Findings, Input, Pass, PassInfo};
use crate::planning::path_index::PathIndex;
use crate::training::batch_sums::ops_on_sums;
use partita_ir::arena::{FuncId, Id, OpId, ValueId};
use partita_ir::build::Namer;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::{DType, Type};
use partita_ir::layout::Monoid;
use partita_ir::op::OpKind;
use partita_ir::ops::Convert;
use partita_ir::plan::{Plan, PlanEntry};
use partita_ir::program::{Form, Op, ParamKind, Phase, Program, Value, Values};
use quantise::INT8;
use rustc_hash::FxHashSet;
use storage::store_narrow;

/// The pass.
pub struct Precision;

impl Pass for Precision {
    fn info(&self) -> PassInfo {
        PassInfo { name: "precision", input_form: Form::Traced, output_form: Form::Traced, reads: &[] }
    }

    fn applies(&self, _: &Program, input: &Input, _: &Findings) -> bool {
        !input.plan.precision.is_empty()
    }

    fn run(&self, program: &mut Program, input: &Input, _: &mut Findings) -> Result<(), Vec<Diagnostic>> {
        let PrecisionChoice { narrow, mixing, stays_f32 } = PrecisionChoice::from_plan(program, &input.plan)?;
        let Some(narrow) = narrow else { return Ok(()) };
        let mut names = Namer::from_program(program);
        let on_sums = ops_on_sums(program);
        for func in program.funcs_with_layouts() {
            FunctionRewriter::new(program, &mut names, (narrow, mixing), (&stays_f32, &on_sums), func).rewrite();
        }
        if input.plan.train.is_none() && program.model_ops().iter().all(|o| o.op.phase == Phase::Forward) {
            store_narrow(program, narrow);
        }
        Ok(())
    }
}

/// The precision that the plan specifies.
struct PrecisionChoice {
    /// The narrow element type, if any op computes in one.
    narrow: Option<DType>,
    /// Type of ops with operands of both types.
    mixing: Mixing,
    /// True for each parameter that stays in `f32`, indexed by value. Covers values in loops that equal such a
    /// parameter.
    stays_f32: Vec<bool>,
}

impl PrecisionChoice {
    fn from_plan(program: &Program, plan: &Plan) -> Result<PrecisionChoice, Vec<Diagnostic>> {
        let entries = PathIndex::new(program);
        let mut errors = Vec::new();
        let mut types = Vec::new();
        for (i, entry) in plan.precision.iter().enumerate() {
            match dtype(entry) {
                Err(error) => errors.push(error),
                Ok(dtype) => types.push((i, dtype, Mixing::of_entry(entry))),
            }
        }
        let deciding = entries.most_specific(&plan.precision, &mut errors);
        let narrow: Vec<(usize, DType, Mixing)> =
            types.iter().copied().filter(|t| !matches!(t.1, DType::F32 | DType::I8)).collect();
        if let Some(other) = narrow.iter().find(|t| (t.1, t.2) != (narrow[0].1, narrow[0].2)) {
            let written = |t: &(usize, DType, Mixing)| plan.precision[t.0].text.text.trim();
            let title = format!(
                "a model computes in one narrow type, not in both {} and {}",
                written(&narrow[0]),
                written(other)
            );
            let place = |(i, ..): (usize, DType, Mixing)| plan.precision[i].text.span();
            let error = Diagnostic::new(Code::D005, title).context(place(narrow[0]), "first here");
            errors.push(
                error.label(place(*other), "and then this").help("keep parts of it in `f32` instead: `PATH=f32`"),
            );
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let mut stays_f32 = vec![true; program.values.len()];
        for (value, entry) in deciding {
            stays_f32[value.index()] = !narrow.iter().any(|(i, ..)| *i == entry);
        }
        for param in program.params.values().filter(|p| p.kind == ParamKind::State) {
            stays_f32[param.value.index()] = true;
        }
        let params = program.param_values().into_iter();
        let stays_f32 = params.map(|p| p.is_some_and(|p| stays_f32[program.params[p].value.index()])).collect();
        let mixing = narrow.first().map_or(Mixing::Narrow, |t| t.2);
        Ok(PrecisionChoice { narrow: narrow.first().map(|t| t.1), mixing, stays_f32 })
    }
}

/// Returns the element type that an entry of the plan names.
fn dtype(entry: &PlanEntry) -> Result<DType, Diagnostic> {
    match entry.text.text.trim() {
        "f32" => Ok(DType::F32),
        "bf16" | AUTOCAST => Ok(DType::BF16),
        "f16" => Ok(DType::F16),
        // The pass `quantise` handles weights of 8 bits.
        INT8 => Ok(DType::I8),
        other => Err(Diagnostic::new(Code::D005, format!("cannot compute in `{other}`"))
            .label(entry.text.span(), "expected `bf16`, `f16`, `autocast`, `f32` or `int8`")
            .help("write `--precision bf16`, and `--precision PATH=f32` for layers that stay in `f32`")),
    }
}

/// The precision of `torch.autocast`.
pub const AUTOCAST: &str = "autocast";

/// The element type of ops that can compute in either type and have operands of both.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mixing {
    /// The narrow type.
    Narrow,
    /// `f32`, except that parameters and constants adapt to the other operands.
    Widest,
}

impl Mixing {
    fn of_entry(entry: &PlanEntry) -> Mixing {
        if entry.text.text.trim() == AUTOCAST { Mixing::Widest } else { Mixing::Narrow }
    }
}

/// The element type in which an op computes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Width {
    /// In `f32`.
    Wide,
    /// In the narrow type.
    Narrow,
    /// The narrow type if its operands are or can be narrow.
    Either,
    /// The type of its operands, whose elements it only moves.
    Moved,
}

/// Rewriter of one function.
struct FunctionRewriter<'a> {
    program: &'a mut Program,
    names: &'a mut Namer,
    narrow: DType,
    mixing: Mixing,
    func: FuncId,
    body: Vec<OpId>,
    /// Ops that compute with complete gradients, and stay in `f32`.
    on_sums: &'a FxHashSet<OpId>,
    /// True for each parameter that stays in `f32` and for each value that only moves its elements, indexed by value.
    stays_f32: Vec<bool>,
    /// True for each value that is computed in `f32` by choice, indexed by value.
    computed_in_f32: Vec<bool>,
    /// True for parameters, constants and values that only move their elements, indexed by value.
    adapts: Vec<bool>,
    /// The `f32` and the narrow version of each value, indexed by the old value.
    versions: Vec<[Option<ValueId>; 2]>,
    /// The op that defines each value.
    producers: Vec<Option<OpId>>,
    /// Phase of conversions of inputs: that of the ops in the body of a loop.
    phase_of_inputs: Phase,
}

impl<'a> FunctionRewriter<'a> {
    fn new(
        program: &'a mut Program,
        names: &'a mut Namer,
        (narrow, mixing): (DType, Mixing),
        (params_in_f32, on_sums): (&[bool], &'a FxHashSet<OpId>),
        func: FuncId,
    ) -> FunctionRewriter<'a> {
        let mut stays_f32 = vec![false; program.values.len()];
        let mut computed_in_f32 = vec![false; program.values.len()];
        let mut adapts = vec![false; program.values.len()];
        let mut versions = vec![[None; 2]; program.values.len()];
        let producers = vec![None; program.values.len()];
        let is_main = func == program.entry();
        let phases = program.funcs[func].ops().iter().map(|&op| program.ops[op].phase);
        let phase_of_inputs = phases.min().filter(|_| !is_main).unwrap_or(Phase::Forward);
        for &input in &program.funcs[func].inputs {
            versions[input.index()][0] = Some(input);
            // Values that a loop carries stay `f32`, as do parameters that the plan keeps in `f32`.
            stays_f32[input.index()] = params_in_f32[input.index()];
            computed_in_f32[input.index()] = !is_main || stays_f32[input.index()] || mixing == Mixing::Widest;
            adapts[input.index()] =
                mixing == Mixing::Widest && program.param_of(input).is_some() && !stays_f32[input.index()];
        }
        FunctionRewriter {
            program,
            names,
            narrow,
            mixing,
            func,
            body: Vec::new(),
            on_sums,
            stays_f32,
            computed_in_f32,
            adapts,
            versions,
            producers,
            phase_of_inputs,
        }
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
        let width = width(self.program, &op, self.mixing);
        let is_narrow = match width {
            Width::Wide => false,
            Width::Narrow | Width::Either if self.on_sums.contains(&id) => false,
            Width::Narrow => true,
            Width::Either | Width::Moved => {
                let mut operands = op.args.iter().filter(|&&v| self.is_f32(v)).peekable();
                match self.mixing {
                    Mixing::Narrow => operands.peek().is_some() && !operands.all(|v| self.computed_in_f32[v.index()]),
                    Mixing::Widest => {
                        let mut operands = operands.filter(|v| !self.adapts[v.index()]).peekable();
                        operands.peek().is_some() && !operands.any(|v| self.computed_in_f32[v.index()])
                    }
                }
            }
        } && !op.args.iter().any(|v| self.stays_f32[v.index()]);
        let only_f32_args = op.args.iter().filter(|&&v| self.is_f32(v)).all(|v| self.stays_f32[v.index()]);
        op.outs.iter().for_each(|out| self.stays_f32[out.index()] = width == Width::Moved && only_f32_args);
        let adapts = match width {
            Width::Moved => op.args.iter().filter(|&&v| self.is_f32(v)).all(|v| self.adapts[v.index()]),
            Width::Wide | Width::Narrow | Width::Either => op.args.is_empty(),
        };
        let adapts = adapts && self.mixing == Mixing::Widest;
        op.outs.iter().for_each(|out| self.adapts[out.index()] = adapts);
        let args: Values =
            op.args.iter().map(|&v| if self.is_f32(v) { self.version(v, is_narrow) } else { v }).collect();
        self.program.ops[id].args = args;
        for (i, &out) in op.outs.iter().enumerate() {
            if !self.is_f32(out) {
                continue;
            }
            self.computed_in_f32[out.index()] = !is_narrow;
            let version = if is_narrow { self.narrowed(out) } else { out };
            self.versions[out.index()][usize::from(is_narrow)] = Some(version);
            self.program.ops[id].outs[i] = version;
            self.producers[version.index()] = Some(id);
        }
        self.body.push(id);
    }

    /// Returns a new value in the narrow type, with a new name.
    fn narrowed(&mut self, value: ValueId) -> ValueId {
        let old = &self.program.values[value];
        let ty = Type { dtype: self.narrow, ..old.ty.clone() };
        let name = self.names.fresh(&format!("{}.{}", old.name, self.narrow));
        let new = Value { name, ty, ..old.clone() };
        self.extend_tables();
        self.program.values.push(new)
    }

    /// Extends the tables for one more value.
    fn extend_tables(&mut self) {
        let count = self.program.values.len() + 1;
        self.versions.resize(count.max(self.versions.len()), [None; 2]);
        self.computed_in_f32.resize(count.max(self.computed_in_f32.len()), false);
        self.stays_f32.resize(count.max(self.stays_f32.len()), false);
        self.adapts.resize(count.max(self.adapts.len()), false);
        self.producers.resize(count.max(self.producers.len()), None);
    }

    /// Returns the narrow or the `f32` version of a value, and appends the conversion if it does not exist yet.
    fn version(&mut self, value: ValueId, narrow: bool) -> ValueId {
        let [f32_version, narrow_version] = self.versions[value.index()];
        let (have, other) = if narrow { (narrow_version, f32_version) } else { (f32_version, narrow_version) };
        if let Some(have) = have {
            return have;
        }
        let Some(source) = other else { return value };
        let target = if narrow { self.narrowed(value) } else { value };
        let outs = Values::from_slice(&[target]);
        let producer = self.producers[source.index()].map(|op| &self.program.ops[op]);
        let op = match producer {
            // A constant is created again instead of converted.
            Some(op) if op.args.is_empty() => Op { outs, ..op.clone() },
            // Elements of a parameter are converted before they are moved.
            Some(op) if self.adapts[value.index()] => {
                let op = op.clone();
                let args = op.args.iter().map(|&v| if self.is_f32(v) { self.version(v, narrow) } else { v }).collect();
                Op { args, outs, ..op }
            }
            _ => {
                let phase = producer.map_or(self.phase_of_inputs, |op| op.phase);
                let origin = self.body.last().map(|&op| self.program.ops[op].origin.clone()).unwrap_or_default();
                Op { kind: Convert {}.into(), args: Values::from_slice(&[source]), outs, phase, origin }
            }
        };
        self.body.push(self.program.ops.push(op));
        self.versions[value.index()][usize::from(narrow)] = Some(target);
        target
    }
}

/// Returns the type in which an op computes by default.
fn width(program: &Program, op: &Op, mixing: Mixing) -> Width {
    let [norm, activation] = match mixing {
        Mixing::Narrow => [Width::Narrow; 2],
        Mixing::Widest => [Width::Wide, Width::Either],
    };
    match &op.kind {
        OpKind::DotGeneral(_) | OpKind::Convolution(_) => Width::Narrow,
        OpKind::Attention(_) | OpKind::AttentionGrad(_) => Width::Narrow,
        OpKind::Gelu(_) => activation,
        OpKind::Softmax(_) | OpKind::LayerNorm(_) | OpKind::RmsNorm(_) | OpKind::BatchNorm(_) => norm,
        OpKind::CrossEntropy(_) | OpKind::LogSoftmax(_) | OpKind::Momentum(_) | OpKind::Adam(_) => Width::Wide,
        OpKind::Reduce(_) | OpKind::ReduceFunc(_) | OpKind::Sort(_) | OpKind::Loop(_) => Width::Wide,
        OpKind::Random(_) | OpKind::RngBits(_) | OpKind::Bitcast(_) => Width::Wide,
        // These are created again where the narrow type is needed.
        OpKind::Constant(_) | OpKind::Iota(_) | OpKind::ShardStart(_) => Width::Wide,
        OpKind::ReduceWindow(window) if window.monoid == Monoid::Sum => Width::Wide,
        OpKind::Unary(unary) if unary.op.needs_precision() => Width::Wide,
        OpKind::Convert(_) if !op.args.iter().any(|&v| program.ty(v).dtype.is_float()) => match mixing {
            Mixing::Narrow => Width::Narrow,
            Mixing::Widest => Width::Wide,
        },
        OpKind::Broadcast(_) | OpKind::Reshape(_) | OpKind::Transpose(_) | OpKind::Reverse(_) => Width::Moved,
        OpKind::Slice(_) | OpKind::DynamicSlice(_) | OpKind::Pad(_) | OpKind::Concatenate(_) => Width::Moved,
        OpKind::Convert(_) | OpKind::Unary(_) | OpKind::Binary(_) | OpKind::Compare(_) => Width::Either,
        OpKind::Select(_) | OpKind::Clamp(_) | OpKind::ReduceWindow(_) => Width::Either,
        OpKind::DynamicUpdateSlice(_) | OpKind::Gather(_) | OpKind::Scatter(_) => Width::Either,
        OpKind::SelectAndScatter(_) | OpKind::TopK(_) | OpKind::Constrain(_) | OpKind::Reshard(_) => Width::Either,
        OpKind::Fft(_) | OpKind::Cholesky(_) | OpKind::TriangularSolve(_) | OpKind::Lu(_) => Width::Wide,
        OpKind::Qr(_) | OpKind::HouseholderProduct(_) | OpKind::Svd(_) => Width::Wide,
        OpKind::Eigh(_) | OpKind::Eig(_) | OpKind::Hessenberg(_) | OpKind::TridiagonalSolve(_) => Width::Wide,
        OpKind::CustomCall(_) => Width::Wide,
        OpKind::AllReduce(_) | OpKind::AllGather(_) | OpKind::ReduceScatter(_) | OpKind::AllToAll(_) => Width::Either,
        OpKind::Permute(_) | OpKind::Shard(_) | OpKind::Partial(_) | OpKind::Mask(_) => Width::Either,
    }
}
