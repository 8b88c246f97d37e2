//! Kernels for GPUs, by CubeCL.
//!
//! `target` lowers a program in form local to kernels as data (`spec`): a fused loop becomes one kernel, or a few
//! (`fused`). What a kernel computes is given to a `cube` function when it is compiled (`kernels`); CubeCL prints it in
//! the language of the target (`text`). What comes of it is a [`Module`], which `partita-gpu` keeps and runs.
#![allow(
    clippy::needless_range_loop,
    clippy::collapsible_if,
    clippy::manual_is_multiple_of,
    clippy::manual_range_contains,
    reason = "loops over programs are unrolled, and are not Rust's"
)]
#![cfg_attr(
    not(any(feature = "wgsl", feature = "cuda", feature = "hip", feature = "metal", feature = "spirv")),
    allow(
        dead_code,
        unused_imports,
        unused_variables,
        unreachable_code,
        reason = "without a target nothing is printed"
    )
)]

mod addresses;
mod assembler;
mod attention;
mod chain;
#[cfg(feature = "cubek")]
mod cubek;
mod epilogue;
mod fused;
mod gpu;
mod kernels;
mod launch;
mod names;
mod ops;
mod purpose;
mod ranges;
mod spec;
mod strategy;
mod target;
mod text;
mod together;
mod uses;
mod work;

use gpu::Gpu;
use kernels::steps::At;
use launch::Share;
use names::Names;
use partita_gpu::aliasing::{aliased, unrestricted};
use partita_gpu::module::{Arg, Dispatch, Kernel, Launch, Purpose};
use partita_gpu::{Module, PartitionedProgram, Target, words};
use partita_ir::arena::ValueId;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::expand::expand_all;
use partita_ir::op::OpKind;
use partita_ir::ops::Iota;
use partita_ir::pipeline::Pipeline;
use partita_ir::pipeline::check::check;
use partita_ir::program::Program;
use partita_ir::verify::{Local, Verified, verify};
use partita_lowering::lowerer::lower;
use partita_runtime::code::{self as runtime, Act};
use partita_runtime::compile::{Compiled, Devices};
use partita_runtime::pipeline::stage::{Move, compile_stages};
use partita_runtime::pipeline::transfer::StageDevices;
use purpose::{Parts, Whole};
use ranges::InputSource;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use spec::Spec;
use std::cell::RefCell;
use std::sync::Arc;
pub use strategy::Strategy;

/// What [`compile`] prints kernels for, as they are written on the command line.
pub const TARGETS: &[&str] = &[
    #[cfg(feature = "wgsl")]
    "wgsl",
    #[cfg(feature = "cuda")]
    "cuda:sm_80",
    #[cfg(feature = "cuda")]
    "cuda:sm_90",
    #[cfg(feature = "hip")]
    "hip",
    #[cfg(feature = "metal")]
    "metal",
    #[cfg(feature = "spirv")]
    "spirv",
];

/// Whether [`compile`] prints kernels for a target.
pub fn prints(target: Target) -> bool {
    match target {
        Target::Wgsl => cfg!(feature = "wgsl"),
        Target::Cuda { .. } => cfg!(feature = "cuda"),
        Target::Hip => cfg!(feature = "hip"),
        Target::Metal => cfg!(feature = "metal"),
        Target::Spirv => cfg!(feature = "spirv"),
    }
}

/// Compiles one device's program, which is proven to be in form local.
///
/// # Errors
/// `R004` for ops that have no kernel here, element types that GPUs do not have, and targets that are not built in.
pub fn compile(program: Verified<'_, Local>, target: Target) -> Result<Module, Diagnostic> {
    compile_by(program, target, Strategy::Chosen)
}

/// The same, with products of narrow floats as a strategy says, where it has a kernel for them.
///
/// # Errors
/// As [`compile`].
pub fn compile_by(program: Verified<'_, Local>, target: Target, strategy: Strategy) -> Result<Module, Diagnostic> {
    let mut specs = Specs::default();
    let sources = vec![InputSource::Outside; program.inputs().len()];
    let Compiled { program, mesh, code } =
        lowered(program, Gpu { target }, Sharing::Replicas, Some(&sources), &mut specs)?;
    let program = PartitionedProgram::single(program, StageDevices { mesh, first_rank: 0 });
    specs.module(Arc::new(program), target, vec![code], strategy)
}

/// Compiles the stages of a pipeline, which together compute `step`.
///
/// # Errors
/// As [`compile`].
pub fn compile_pipeline(pipeline: &Pipeline, step: &Program, target: Target) -> Result<Module, Diagnostic> {
    check(pipeline)?;
    let (gpu, mut specs) = (Gpu { target }, Specs::default());
    let mut tasks: Vec<Vec<Compiled<Launch>>> = pipeline.chunks.iter().map(|_| Vec::new()).collect();
    // Kernels are numbered in the order of stages, as `has_own_kernels` sees their programs.
    for chunk in (0..pipeline.schedule.stages).flat_map(|stage| pipeline.chunks_of(stage)) {
        let of = &pipeline.chunks[chunk];
        let source = |&cell: &usize| match cell {
            _ if of.number == Some(cell) => InputSource::MicroBatch(pipeline.schedule.micro_batches),
            _ if of.inputs.iter().any(|port| port.cell == cell) => InputSource::Outside,
            _ => InputSource::Task,
        };
        for task in &of.tasks {
            let sources: Vec<InputSource> = task.takes.iter().map(source).collect();
            tasks[chunk].push(lowered(local(&task.program)?, gpu, Sharing::Nothing, Some(&sources), &mut specs)?);
        }
    }
    let stages = compile_stages(pipeline, &tasks, gpu.storage(), &mut |what| specs.move_memory(what));
    let code = stages.into_iter().map(|(_, code)| code).collect();
    specs.module(Arc::new(PartitionedProgram::of_pipeline(pipeline, step)?), target, code, Strategy::Chosen)
}

/// Returns whether this version compiles the programs of a module to the same kernels.
///
/// # Errors
/// As [`compile`], for programs that this version does not compile.
pub fn has_own_kernels(module: &Module) -> Result<bool, Diagnostic> {
    let (gpu, mut specs) = (Gpu { target: module.target }, Specs::default());
    let is_pipeline = !module.program.is_single();
    let sharing = if is_pipeline { Sharing::Nothing } else { Sharing::Replicas };
    for program in module.program.stages.iter().flat_map(|stage| &stage.programs) {
        lowered(local(program)?, gpu, sharing, None, &mut specs)?;
    }
    let mains = module.code.iter().filter_map(|code| code.bodies.last()).filter(|_| is_pipeline);
    for task in mains.flat_map(|main| &main.tasks) {
        let Act::Compute(launch, _) = &task.act else { continue };
        for kernel in launch.dispatches.iter().filter_map(|dispatch| module.kernels.get(dispatch.kernel)) {
            let bytes = kernel.work.bytes as usize;
            specs.move_memory(if kernel.reads == 0 { Move::Clear(bytes) } else { Move::Copy(bytes / 2) });
        }
    }
    let own = specs.kernels(&module.code, module.target, Strategy::Chosen)?;
    Ok(own.len() == module.kernels.len() && own.iter().zip(&module.kernels).all(|(a, b)| a.source == b.source))
}

/// The proof that a program is in form local.
fn local(program: &Program) -> Result<Verified<'_, Local>, Diagnostic> {
    let none = || Diagnostic::new(Code::B001, "a program does not verify");
    let first = |errors: Vec<Diagnostic>| errors.into_iter().next().unwrap_or_else(none);
    verify(program).map_err(first)?.of()
}

/// Division of work among devices that hold the same values.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sharing {
    /// One computes what is the same on all.
    Replicas,
    /// Each computes all of its own.
    Nothing,
}

/// One device's program as launches of kernels, which are added to those known so far. Integers are proven to fit where
/// `sources` says what inputs may be.
fn lowered(
    program: Verified<'_, Local>,
    gpu: Gpu,
    sharing: Sharing,
    sources: Option<&[InputSource]>,
    specs: &mut Specs,
) -> Result<Compiled<Launch>, Diagnostic> {
    let main = &program.funcs[program.entry()];
    let named: Vec<ValueId> = main.inputs.iter().copied().chain(main.outputs.iter().map(|o| o.value)).collect();
    for value in named {
        words::check(program.ty(value).dtype, program.path_of(value))?;
    }
    let target = gpu.target;
    let devices = Devices { threads: 1, storage: gpu.storage(), share: sharing == Sharing::Replicas };
    let parts = RefCell::new(Parts::default());
    let mut taken_apart = None;
    let lowered = partita_runtime::compile::compile(
        program,
        devices,
        &|program, _| take_apart(gpu, program, &mut parts.borrow_mut()),
        &mut |lowering, func| {
            if func == lowering.program.entry() {
                addresses::check(&lowering.program, target)?;
                sources.map_or(Ok(()), |sources| ranges::check(&lowering.program, sources))?;
            }
            let mut routine = lower(&gpu, lowering, func)?;
            let program = taken_apart.get_or_insert_with(|| lowering.program.clone());
            let whole = Whole { program, parts: &parts.borrow() };
            whole.fill(&mut routine);
            chain::fuse(gpu, &mut routine);
            epilogue::fuse(gpu, &mut routine);
            whole.explain(&mut routine);
            together::fuse(gpu, &mut routine);
            Ok(routine)
        },
    );
    let Compiled { program, mesh, code } = lowered?;
    let (whole, parts) = (taken_apart.unwrap_or_else(|| program.clone()), parts.into_inner());
    let code = code.map(|launch| specs.launch(Whole { program: &whole, parts: &parts }, launch));
    Ok(Compiled { program, mesh, code })
}

/// Kernels, each once, in the order in which programs name them.
#[derive(Default)]
struct Specs {
    all: Vec<Spec>,
    /// What each is there for.
    purposes: Vec<Purpose>,
    known: FxHashMap<Spec, usize>,
}

impl Specs {
    fn launch(&mut self, whole: Whole<'_>, launch: launch::Launch) -> Launch {
        let shares = launch.shares.into_iter().chain(std::iter::repeat(Share::default()));
        let dispatch = |(launch::Dispatch { spec, args }, share): (_, Share)| {
            let kernel = self.number(spec);
            whole.add(&share, &mut self.purposes[kernel]);
            Dispatch { kernel, args }
        };
        Launch { dispatches: launch.dispatches.into_iter().zip(shares).map(dispatch).collect() }
    }

    /// The kernel that sets or copies memory between tasks.
    fn move_memory(&mut self, what: Move) -> Launch {
        // Values begin at multiples of words, and have memory to the end of the last one.
        let (spec, name, args) = match what {
            Move::Clear(bytes) => (spec::clear(bytes.div_ceil(4)), "clear", vec![Arg::Write(0)]),
            Move::Copy(bytes) => {
                let spec = spec::copy(bytes.div_ceil(4), 4, At::dense(), At::dense());
                (spec, "copy", vec![Arg::Read(0), Arg::Write(0)])
            }
        };
        let kernel = self.number(spec);
        if self.purposes[kernel].ops.is_empty() {
            self.purposes[kernel].ops = vec![name.to_owned()];
        }
        Launch { dispatches: vec![Dispatch { kernel, args }] }
    }

    /// Prints the kernels of a module.
    fn module(
        self,
        program: Arc<PartitionedProgram>,
        target: Target,
        code: Vec<runtime::Code<Launch>>,
        strategy: Strategy,
    ) -> Result<Module, Diagnostic> {
        let kernels = self.kernels(&code, target, strategy)?;
        Ok(Module { program, target, toolchain: text::toolchain(target), code, kernels, collective: None })
    }

    /// Prints the kernels that the code of all stages launches.
    fn kernels(
        self,
        code: &[runtime::Code<Launch>],
        target: Target,
        strategy: Strategy,
    ) -> Result<Vec<Kernel>, Diagnostic> {
        let Specs { all, purposes, .. } = self;
        let aliased = aliased(code, all.len());
        let mut names = Names::default();
        let mut named = Vec::new();
        for (spec, purpose) in all.into_iter().zip(purposes) {
            let name = names.next(&spec, &purpose);
            named.push((spec, purpose, name));
        }
        let kernel = |((spec, purpose, name), aliased): ((Spec, Purpose, String), _)| {
            let kernel = strategy::kernel(&spec, &name, target, strategy)?;
            Ok(Kernel { purpose, source: unrestricted(&kernel.source, &aliased), ..kernel })
        };
        named.into_par_iter().zip(aliased).map(kernel).collect()
    }

    fn number(&mut self, spec: Spec) -> usize {
        if let Some(&known) = self.known.get(&spec) {
            return known;
        }
        self.all.push(spec.clone());
        self.purposes.push(Purpose::default());
        self.known.insert(spec, self.all.len() - 1);
        self.all.len() - 1
    }
}

/// Composites without a kernel of their own become the ops that they are made of, which are fused again.
fn take_apart(gpu: Gpu, program: &mut Program, parts: &mut Parts) {
    let has_parts = |program: &Program, op| {
        let op = &program.ops[op];
        op.kind.is_composite() && !attention::has_kernel(gpu, program, op)
    };
    expand_all(program, has_parts, |builder, op, types| {
        let results = op.kind.decompose(builder, &op.args, types)?;
        parts.note(op.kind.name(), &builder.body);
        Some(results)
    });
    widen_iotas(program);
}

/// Indices that are broadcast are indices of what they are broadcast to, which is read by who computes with that.
///
/// Recogniser: indices that are made otherwise are the same numbers, read from memory.
fn widen_iotas(program: &mut Program) {
    let mut iotas: FxHashMap<ValueId, usize> = FxHashMap::default();
    for func in program.laid_out_funcs() {
        for id in program.funcs[func].ops().to_vec() {
            let op = &program.ops[id];
            let widened = match (&op.kind, &op.args[..], &op.outs[..]) {
                (OpKind::Iota(iota), [], &[out]) => Some((out, iota.dim)),
                (OpKind::Broadcast(to), &[arg], &[out]) => {
                    let dim = iotas.get(&arg).filter(|&&dim| program.ty(arg).shape[dim] != 1);
                    dim.map(|&dim| (out, to.dims[dim]))
                }
                _ => None,
            };
            let Some((out, dim)) = widened else { continue };
            iotas.insert(out, dim);
            let op = &mut program.ops[id];
            op.kind = OpKind::Iota(Iota { dim });
            op.args.clear();
        }
    }
}
