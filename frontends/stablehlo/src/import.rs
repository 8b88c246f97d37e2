//! Lowering of the syntax tree to a traced program.
//!
//! The function `@main`, or the only public function, becomes the program; called functions are inlined. Regions of
//! loops and reducers become separate functions, which access only their operands: values that a loop region captures
//! become loop-carried values ([`Scope`]). Each operation is lowered in the file of its family: [`movement`],
//! [`indexing`], [`contraction`], [`reduction`], [`control`]. User annotations of layouts are read by [`sharding`]
//! (Shardy) and [`gspmd`].

mod access;
mod check;
mod contraction;
mod control;
mod custom_call;
mod gspmd;
mod indexing;
mod linear_algebra;
mod movement;
mod origin;
mod ragged;
mod reduce_precision;
mod reduction;
mod region;
mod select_and_scatter;
mod sequential_scatter;
mod sharding;
mod special;
mod top_k;
mod window;
mod zeta;

use crate::counterparts::{binary, unary};
use crate::fault::{Fault, Result};
use crate::lower_manual::lower_manual;
use crate::lower_types::lower_types;
use crate::shape_operands::fix_shapes;
use crate::syntax::{Attr, Func, Local, Module, Op, Opcode, parse};
use crate::verify::verify;
use partita_ir::arena::{Id, OpId, ValueId};
use partita_ir::build::Namer;
use partita_ir::diag::{Code, Diagnostic, Source};
use partita_ir::dtype::Type;
use partita_ir::op::OpKind;
use partita_ir::ops::{Binary, Unary};
use partita_ir::origin::Origin;
use partita_ir::program::{self, Name, Output, Phase, Program, Value, Values};
use partita_ir::tensor::Scalar;
use region::Scope;
use rustc_hash::{FxHashMap, FxHashSet};
use sharding::Layouts;

/// Maximum of `Importer::inlined`. Without a limit, a chain of functions that each call the next one twice would grow
/// exponentially.
const MAX_INLINED_OPS: usize = 1 << 20;

/// Maximum depth of nested calls.
const MAX_CALL_DEPTH: usize = 64;

/// Lowers a StableHLO module to a program in form `traced`.
///
/// Arguments are named `arg0`, `arg1`, ... and results `out0`, `out1`, .... Values with shardings in the module have
/// layouts. A result replaces the argument that is donated to it. `source_name` is the name of the file in messages.
///
/// # Errors
/// Returns diagnostics with locations: malformed text, unsupported operations or features, a loop without a static trip
/// count, shardings that contradict the mesh.
pub fn import(source_name: &str, text: &str) -> std::result::Result<Program, Vec<Diagnostic>> {
    let imported = parse(text).and_then(|mut module| {
        verify(&module)?;
        fix_shapes(&mut module)?;
        let module = lower_manual(lower_types(module)?)?;
        Importer::new(source_name, text, &module)?.run()
    });
    imported.map_err(|fault| vec![fault.into_diagnostic(&Source::new(source_name, text))])
}

/// State of an import.
struct Importer<'m, 'a> {
    module: &'m Module<'a>,
    funcs: FxHashMap<&'a str, &'m Func<'a>>,
    layouts: Layouts<'a>,
    origins: origin::Origins<'a>,
    program: Program,
    namer: Namer,
    /// Fill value of each value that is a known splat.
    splats: Vec<Option<Scalar>>,
    /// Number of uses of each value.
    use_counts: Vec<u32>,
    /// Origin of the operations emitted next.
    site: Origin,
    /// Operations of the function under construction.
    body: Vec<OpId>,
    /// The source function being lowered.
    frame: Frame<'m, 'a>,
    /// Callers of the current source function, outermost first.
    callers: Vec<Frame<'m, 'a>>,
    /// Amount of inlined code so far: the values of each inlined function, plus the ops emitted inside calls.
    inlined: usize,
    /// True if the program contains lowered operations that no function uses.
    has_unused_ops: bool,
    /// Branches around the operations emitted next, outermost first.
    branches: Vec<control::Branch>,
    /// Results of the operations of the `check` dialect, with the names of their outputs.
    checks: Vec<(ValueId, String)>,
    /// Names of called functions.
    called: FxHashSet<&'a str>,
    /// First value of each sharding group.
    groups: FxHashMap<i64, sharding::GroupMember>,
}

/// One instance (main or inlined) of a function of the module.
struct Frame<'m, 'a> {
    func: &'m Func<'a>,
    /// Program value of each local value.
    values: Vec<Option<ValueId>>,
    /// Enclosing regions, outermost first.
    scopes: Vec<Scope>,
}

impl<'m, 'a> Frame<'m, 'a> {
    fn new(func: &'m Func<'a>) -> Self {
        Frame { func, values: vec![None; func.values.len()], scopes: Vec::new() }
    }
}

impl<'m, 'a> Importer<'m, 'a> {
    fn new(source_name: &str, text: &'a str, module: &'m Module<'a>) -> Result<Self> {
        let main = entry(module)?;
        let mut program = Program::with_source(source_name);
        let layouts = Layouts::new(module, text, &mut program)?;
        let mut funcs = FxHashMap::default();
        for func in &module.funcs {
            if funcs.insert(func.name, func).is_some() {
                return Err(Fault::malformed(
                    format!("the function `@{}` is defined twice", func.name),
                    func.at.clone(),
                ));
            }
        }
        let size = main.values.len();
        program.values.reserve(size);
        program.ops.reserve(size);
        Ok(Importer {
            module,
            funcs,
            layouts,
            origins: origin::Origins::default(),
            program,
            namer: Namer::with_capacity(size),
            splats: Vec::with_capacity(size),
            use_counts: Vec::with_capacity(size),
            site: Origin::default(),
            body: Vec::with_capacity(size),
            frame: Frame::new(main),
            callers: Vec::new(),
            inlined: 0,
            has_unused_ops: false,
            branches: Vec::new(),
            checks: Vec::new(),
            called: FxHashSet::default(),
            groups: FxHashMap::default(),
        })
    }

    fn run(mut self) -> Result<Program> {
        let main = self.frame.func;
        let mut donated = Vec::new();
        for (i, arg) in main.body.args.iter().enumerate() {
            let name = self.namer.fresh(main.arg_names.get(i).map_or("arg", |name| name));
            let value = self.new_value(name, arg.ty.clone());
            let attrs = main.arg_attrs.get(i).map_or(&[][..], |a| &a[..]);
            let layout = self.layouts.layout_from_attrs(attrs, &mut self.program, value, &arg.at)?;
            self.program.values[value].layout = layout.map(Into::into);
            if let Some(out) = attrs.iter().find(|(name, _)| *name == "tf.aliasing_output") {
                donated.push((value, &out.1));
            }
            self.program.inputs_mut().push(value);
            self.define(arg.value, value);
        }
        let results = self.ops(&main.body.ops)?;
        for &value in &results {
            self.use_counts[value.index()] += 1;
        }
        for (i, &value) in results.iter().enumerate() {
            let attrs = main.result_attrs.get(i).map_or(&[][..], |a| &a[..]);
            let value = self.constrained_result(value, attrs)?;
            let name = main.result_names.get(i).map_or("out", |name| name).into();
            self.program.outputs_mut().push(Output { value, name, replaces: None });
        }
        for (value, name) in std::mem::take(&mut self.checks) {
            self.use_counts[value.index()] += 1;
            self.program.outputs_mut().push(Output { value, name: name.into(), replaces: None });
        }
        self.alias_outputs(&donated)?;
        self.layouts.declare(self.module, &mut self.program);
        self.drop_unused_splats();
        *self.program.entry_ops_mut() = std::mem::take(&mut self.body);
        self.check_uncalled()?;
        Ok(if self.has_unused_ops { self.program.compact() } else { self.program })
    }

    /// Applies the layout of a function result. The layout is set on the value itself if it has no other use, and on a
    /// copy otherwise, so that other uses are not constrained.
    fn constrained_result(&mut self, value: ValueId, attrs: &[crate::syntax::Entry<'a>]) -> Result<ValueId> {
        let at = self.frame.func.at.clone();
        let Some(layout) = self.layouts.layout_from_attrs(attrs, &mut self.program, value, &at)? else {
            return Ok(value);
        };
        let argument = value.index() < self.program.inputs().len();
        let read_once = self.use_counts[value.index()] == 1 && !argument;
        let slot = &mut self.program.values[value].layout;
        if slot.as_deref() == Some(&layout) || (slot.is_none() && read_once) {
            *slot = Some(layout.into());
            return Ok(value);
        }
        Ok(self.constrained(value, layout))
    }

    /// States which results replace an argument, whose buffer is donated to them.
    fn alias_outputs(&mut self, donated: &[(ValueId, &Attr<'a>)]) -> Result<()> {
        for &(value, out) in donated {
            let index = out.as_int().and_then(|i| usize::try_from(i).ok());
            let output = index.and_then(|i| self.program.outputs().get(i));
            let fits =
                output.is_some_and(|o| o.replaces.is_none() && self.program.ty(o.value) == self.program.ty(value));
            let Some(index) = index.filter(|_| fits) else {
                let name = &self.program.values[value].name;
                let title = format!("`tf.aliasing_output` of `{name}` does not name a separate result of its type");
                return Err(Fault::malformed(title, self.frame.func.at.clone()));
            };
            self.program.outputs_mut()[index].replaces = Some(value);
        }
        Ok(())
    }

    /// Lowers code that is never executed in order to check its shapes, and discards the operations.
    fn check_only<T>(&mut self, lower: impl FnOnce(&mut Self) -> Result<T>) -> Result<()> {
        let outside = std::mem::take(&mut self.body);
        let lowered = lower(self).map(drop);
        for op in std::mem::replace(&mut self.body, outside) {
            self.program.ops[op].args.iter().for_each(|arg| self.use_counts[arg.index()] -= 1);
        }
        self.has_unused_ops = true;
        lowered
    }

    /// Checks functions that are never called. Unsupported features in these functions are ignored.
    fn check_uncalled(&mut self) -> Result<()> {
        let main = self.frame.func.name;
        for func in &self.module.funcs {
            if func.name == main || func.body.ops.is_empty() || self.called.contains(func.name) {
                continue;
            }
            self.frame = Frame::new(func);
            self.callers.clear();
            let checked = self.check_only(|importer| {
                for arg in &func.body.args {
                    let name = importer.result_name(arg.value);
                    let value = importer.new_value(name, arg.ty.clone());
                    importer.define(arg.value, value);
                }
                importer.ops(&func.body.ops)
            });
            match checked {
                Err(fault) if !matches!(fault.code, Code::F001 | Code::F003 | Code::T004) => return Err(fault),
                _ => {}
            }
        }
        Ok(())
    }

    /// Lowers operations up to the terminator, and returns the operands of the terminator.
    fn ops(&mut self, ops: &'m [Op<'a>]) -> Result<Vec<ValueId>> {
        for op in ops {
            self.site = self.origin(op);
            let args: Values = op.operands.iter().map(|&local| self.value(local)).collect::<Result<_>>()?;
            if matches!(op.code, Opcode::Return | Opcode::FuncReturn | Opcode::SdyReturn) {
                return Ok(args.into_vec());
            }
            let results = self.op(op, &args)?;
            for (local, &value) in op.results().zip(&results) {
                self.define(local, value);
            }
        }
        let func = self.frame.func;
        Err(Fault::malformed(format!("`@{}` has a body that returns nothing", func.name), func.at.clone()))
    }

    /// Lowers one operation and returns its results.
    fn op(&mut self, op: &'m Op<'a>, args: &[ValueId]) -> Result<Values> {
        if let Some(unary) = unary(op.code) {
            return self.emit(op, Unary { op: unary }, args);
        }
        if let Some(binary) = binary(op.code) {
            return self.emit(op, Binary { op: binary }, args);
        }
        match op.code {
            Opcode::FuncCall => {
                let results = self.call(op, "callee", args)?;
                self.constrained_results(op, results)
            }
            Opcode::Composite => self.call(op, "decomposition", args),
            Opcode::Case => self.case(op, args).and_then(|results| self.constrained_results(op, results)),
            Opcode::If => self.branch(op, args).and_then(|results| self.constrained_results(op, results)),
            Opcode::While => self.while_loop(op, args).and_then(|results| self.constrained_results(op, results)),
            Opcode::OptimizationBarrier => self.constrained_results(op, args.into()),
            Opcode::CustomCall => self.custom_call(op, args),
            Opcode::CheckEq | Opcode::CheckExpectAlmostEq | Opcode::CheckExpectClose | Opcode::CheckExpectEq => {
                self.check_values(op, args)
            }
            Opcode::SdyShardingConstraint | Opcode::SdyReshard | Opcode::SdyDataFlowEdge => {
                self.sharding_constraint(op, args)
            }
            Opcode::SdyPropagationBarrier => self.propagation_barrier(op, args),
            Opcode::SdyShardingGroup => self.sharding_group(op, args),
            Opcode::DotGeneral => self.dot_general(op, args),
            Opcode::Convolution => self.convolution(op, args),
            Opcode::Reduce => self.reduce(op, args),
            Opcode::ReduceWindow => self.reduce_window(op, args),
            Opcode::SelectAndScatter => self.select_and_scatter(op, args),
            Opcode::Map => self.map(op, args),
            Opcode::ChloMulhi => self.high_product(op, args),
            Opcode::ChloBesselI1e => self.bessel_i1e(op, args),
            Opcode::ChloPolygamma => self.polygamma(op, args),
            Opcode::ChloZeta => self.hurwitz_zeta(op, args),
            Opcode::ChloRaggedDot => self.ragged_dot(op, args),
            Opcode::Sort => self.sort(op, args),
            Opcode::Fft => self.fft(op, args),
            Opcode::Cholesky => self.cholesky(op, args),
            Opcode::TriangularSolve => self.triangular_solve(op, args),
            Opcode::ChloTopK => self.top_k(op, args),
            Opcode::Gather => self.gather(op, args),
            Opcode::Scatter => self.scatter(op, args),
            Opcode::DynamicSlice => self.dynamic_slice(op, args),
            _ => self.movement(op, args),
        }
    }

    /// Appends an op with the results of `op`, after checking operands and result types.
    fn emit(&mut self, op: &Op<'a>, kind: impl Into<OpKind>, args: &[ValueId]) -> Result<Values> {
        let kind = kind.into();
        self.check(op, &kind, args, &op.types)?;
        let outs: Values = op
            .results()
            .zip(&op.types)
            .map(|(local, ty)| {
                let name = self.result_name(local);
                self.new_value(name, ty.clone())
            })
            .collect();
        for (i, &out) in outs.iter().enumerate() {
            let layout = self.layouts.result_layout(op, i, &mut self.program, out)?;
            self.program.values[out].layout = layout.map(Into::into);
        }
        self.push(kind, args, outs.clone());
        Ok(outs)
    }

    /// Checks that the op is valid for its operands and that the inferred result types equal the declared ones.
    fn check(&self, op: &Op<'a>, kind: &OpKind, args: &[ValueId], declared: &[Type]) -> Result<()> {
        let types: smallvec::SmallVec<[&Type; 3]> = args.iter().map(|&v| self.program.ty(v)).collect();
        let declared: smallvec::SmallVec<[&Type; 1]> = declared.iter().collect();
        let inferred = kind.infer(&self.program, &types, &declared).map_err(|what| {
            Fault::new(Code::V001, format!("`{}` does not fit its operands: {what}", op.code.name()), op.span())
        })?;
        if inferred.len() != declared.len() {
            let (n, found) = (inferred.len(), declared.len());
            return Err(self.op_fault(op, format!("has {n} results, but {found} are named")));
        }
        match inferred.iter().zip(&declared).find(|(inferred, declared)| inferred != *declared) {
            None => Ok(()),
            Some((inferred, declared)) => {
                Err(self.op_fault(op, format!("returns {inferred}, but {declared} is declared")))
            }
        }
    }

    /// Builds the fault for an operation with invalid operands or results.
    #[cold]
    fn op_fault(&self, op: &Op<'a>, what: impl std::fmt::Display) -> Box<Fault> {
        Fault::new(Code::V001, format!("`{}` {what}", op.code.name()), op.span())
    }

    /// Appends an intermediate op with one result.
    fn temp(&mut self, name: &str, kind: impl Into<OpKind>, args: &[ValueId], ty: Type) -> ValueId {
        let name = self.namer.fresh(name);
        let out = self.new_value(name, ty);
        self.push(kind.into(), args, Values::from_slice(&[out]));
        out
    }

    /// Removes unused constants and broadcasts of constants from the function under construction: mostly initial values
    /// of reductions, which program ops do not have.
    fn drop_unused_splats(&mut self) {
        let mut body = std::mem::take(&mut self.body);
        let mut keep = vec![true; body.len()];
        for (keep, &op) in keep.iter_mut().zip(&body).rev() {
            let op = &self.program.ops[op];
            *keep = op.outs.iter().any(|out| self.use_counts[out.index()] > 0 || self.splats[out.index()].is_none());
            if !*keep {
                op.args.iter().for_each(|arg| self.use_counts[arg.index()] -= 1);
            }
        }
        let mut keep = keep.into_iter();
        body.retain(|_| keep.next().unwrap_or(true));
        self.body = body;
    }

    fn push(&mut self, kind: OpKind, args: &[ValueId], outs: Values) {
        for &arg in args {
            self.use_counts[arg.index()] += 1;
        }
        self.inlined += usize::from(!self.callers.is_empty());
        let (args, origin) = (Values::from_slice(args), self.site.clone());
        let op = self.program.ops.push(program::Op { kind, args, outs, phase: Phase::Forward, origin });
        self.body.push(op);
    }

    fn new_value(&mut self, name: Name, ty: Type) -> ValueId {
        self.splats.push(None);
        self.use_counts.push(0);
        self.program.values.push(Value::new(name, ty))
    }

    /// Returns the fill value of a value that is a known splat.
    fn splat(&self, value: ValueId) -> Option<Scalar> {
        self.splats[value.index()]
    }

    /// Returns a name for a result: the name in the text, made unique.
    fn result_name(&mut self, local: Local) -> Name {
        let Some(value) = self.frame.func.values.get(local as usize) else { return self.namer.fresh("v") };
        let (name, index) = (value.name, value.index);
        let plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'.');
        if plain && index.is_none() && self.callers.is_empty() {
            return self.namer.fresh(name);
        }
        let mut base = match self.callers.is_empty() {
            true => name.to_owned(),
            false => format!("{}.{name}", self.frame.func.name),
        };
        if let Some(index) = index {
            base.push_str(&format!(".{index}"));
        }
        self.namer.fresh(&base.replace(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.'), "_"))
    }

    fn origin(&mut self, op: &Op<'a>) -> Origin {
        let origin = self.origins.origin(op.location, op.line, &self.module.locations);
        match origin.scope.is_empty() && !self.callers.is_empty() {
            true => Origin { scope: self.frame.func.name.into(), ..origin },
            false => origin,
        }
    }
}

/// Returns the main function: `@main`, or the only public function.
fn entry<'m, 'a>(module: &'m Module<'a>) -> Result<&'m Func<'a>> {
    if let Some(main) = module.funcs.iter().find(|f| f.name == "main") {
        return Ok(main);
    }
    let mut public = module.funcs.iter().filter(|f| !f.private);
    match (public.next(), public.next()) {
        (Some(only), None) => Ok(only),
        (None, _) => Err(Fault::malformed("the module has no public function", 0..0)),
        (Some(_), Some(second)) => Err(Fault::malformed("the module has several public functions", second.at.clone())
            .label("one of several")
            .help("name the main function `@main`")),
    }
}
