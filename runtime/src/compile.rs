//! Compilation of a local program: a backend lowers each function to a routine, and this module assembles the code.

use crate::assemble::assemble;
use crate::code::{Body, Code, CommunicationOrigin, CommunicationSite};
use crate::collective_exec::CollectiveExec;
use crate::group::Group;
use crate::kernel::BackendKernel;
use crate::replicas::Replicas;
use crate::routine::{Action, Routine, SlotKind, Span, Step};
use partita_ir::arena::{FuncId, OpId, ValueId};
use partita_ir::class::{Collective, Control};
use partita_ir::diag::{Code as ErrorCode, Diagnostic};
use partita_ir::dtype::{DType, Type};
use partita_ir::mesh::{Axes, DeviceMesh};
use partita_ir::offsets::Storage;
use partita_ir::ops::Loop;
use partita_ir::program::{self, Op, Program};
use partita_ir::tensor::Tensor;
use partita_ir::verify::{Local, Verified};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Maximum number of devices of a program: one process allocates the memory of all of them.
pub const MAX_DEVICES: usize = 1024;

/// Maximum nesting depth of loops.
const MAX_LOOP_NESTING: usize = 64;

/// State of lowering, shared by all functions of a program.
pub struct Lowering {
    /// Program of one device: every value has the type of its local shard and no layout.
    pub program: Arc<Program>,
    /// Maximum number of threads of each kernel.
    pub threads: usize,
    routines: FxHashMap<FuncId, usize>,
    constants: Vec<Tensor>,
    storage: Storage,
}

impl Lowering {
    /// Adds a constant, which all devices share, and returns the slot kind that refers to it.
    pub fn add_constant(&mut self, tensor: &Tensor) -> SlotKind {
        self.constants.push(tensor.clone());
        SlotKind::Constant(self.constants.len() - 1)
    }

    /// Returns the type of the local shard of a value.
    pub fn ty(&self, value: ValueId) -> &Type {
        self.program.ty(value)
    }

    /// Returns the size of an element in device memory, in bytes.
    pub fn width(&self, dtype: DType) -> usize {
        (self.storage.width)(dtype)
    }

    /// Returns the size of the local shard of a value, in bytes.
    pub fn bytes(&self, value: ValueId) -> usize {
        self.storage.bytes(self.ty(value))
    }

    /// Returns for each operand of a loop true if it is loop-invariant: the body returns its input unchanged.
    pub fn loop_invariant(&self, op: &Loop) -> Vec<bool> {
        let body = &self.program.funcs[op.body];
        body.inputs.iter().zip(&body.outputs).map(|(&input, output)| input == output.value).collect()
    }

    /// Returns the step of a loop whose body has been lowered. `reads` are the operands, and `writes` the results of
    /// the operands that are not loop-invariant.
    pub fn loop_step<K>(&self, id: OpId, op: &Loop, reads: Vec<Span>, writes: Vec<Span>) -> Step<K> {
        let mut next = 0..writes.len();
        let carried = self.loop_invariant(op).into_iter().map(|same| if same { None } else { next.next() }).collect();
        let routine = self.routines.get(&op.body).copied().unwrap_or_default();
        Step { op: id, reads, writes, action: Action::Loop { trip: op.trip, limit: op.limit, routine, carried } }
    }
}

/// Callback that lowers a function.
pub type LowerFunction<'l, K> = &'l mut dyn FnMut(&mut Lowering, FuncId) -> Result<Routine<K>, Diagnostic>;

/// Program with its assembled code. `K` is the kernel type of the backend.
pub struct Compiled<K> {
    /// Local program before the rewrite: values have their global types and layouts.
    pub program: Arc<Program>,
    /// Mesh of the program.
    pub mesh: Arc<DeviceMesh>,
    /// Code of every device: its task list and communication sites.
    pub code: Code<K>,
}

/// Callback that rewrites the ops of a device's program before lowering, given the replication of its values.
pub type RewriteProgram<'p> = &'p dyn Fn(&mut Program, &Replicas<'_>);

/// Properties of a backend's devices.
#[derive(Clone, Copy)]
pub struct DeviceConfig {
    /// Total number of threads, divided evenly among the devices.
    pub threads: usize,
    /// Width and alignment of stored values.
    pub storage: Storage,
    /// Enables replica deduplication: one device computes what all replicas would compute identically.
    pub replica_dedup: bool,
}

impl DeviceConfig {
    /// Disables replica deduplication.
    pub fn without_replica_dedup(self) -> DeviceConfig {
        DeviceConfig { replica_dedup: false, ..self }
    }

    /// Returns devices in this process with the given total number of threads and elements as wide as their dtype.
    pub fn in_process(threads: usize) -> DeviceConfig {
        DeviceConfig { threads, storage: Storage::HOST, replica_dedup: true }
    }
}

/// Compiles a program: applies `prepare` to the program of one device, lowers its functions with `lower`, callees
/// before callers, and assembles them. `lower` leaves the fields of a [`Routine`] that describe outputs empty.
///
/// # Errors
/// `R004` for a program with several meshes or too many devices, loops that are nested too deep or do not match their
/// bodies, and collectives that do not match their operands or whose results are too large to address; errors of
/// `lower`.
pub fn compile<K: BackendKernel>(
    program: Verified<'_, Local>,
    devices: DeviceConfig,
    prepare: RewriteProgram<'_>,
    lower: LowerFunction<'_, K>,
) -> Result<Compiled<K>, Diagnostic> {
    let annotated = Arc::new(Program::clone(&program));
    let mesh = Arc::new(mesh_of(&annotated)?);
    let mut device = Program::clone(&program);
    for value in device.values.values_mut() {
        value.ty = value.local_type();
        value.layout = None;
    }
    let layout = |v: ValueId| annotated.values.get(v).and_then(|value| value.layout.as_deref());
    let replicas = |device: &Program| match devices.replica_dedup {
        true => Replicas::analyze(device, &mesh, &layout),
        false => Replicas::disabled(device, &mesh),
    };
    let found = replicas(&device);
    prepare(&mut device, &found);
    let same = replicas(&device).output_axes(&device);
    let program = Arc::new(device);
    let threads = (devices.threads / mesh.device_count().max(1)).max(1);
    let mut lowering = Lowering {
        program: program.clone(),
        threads,
        routines: FxHashMap::default(),
        constants: Vec::new(),
        storage: devices.storage,
    };
    let mut sites = SiteBuilder::new(&program, &mesh);
    let mut names: Vec<String> = Vec::new();
    let (mut bodies, mut nesting): (Vec<Body<K>>, Vec<usize>) = Default::default();
    let mut outputs = Vec::new();
    for func in program.funcs_with_layouts() {
        nesting.push(check_loops(&program, func, &lowering.routines, &nesting)?);
        let mut routine = lower(&mut lowering, func)?;
        let results = &program.funcs[func].outputs;
        routine.output_bytes = results.iter().map(|o| lowering.bytes(o.value)).collect();
        routine.replaced_inputs = results.iter().map(|o| replaced_input(&program, o)).collect();
        if func == program.entry() {
            routine.replicated_axes.clone_from(&same);
        }
        let mut first = sites.sites.len();
        for step in routine.steps.iter().filter(|step| step.is_collective()) {
            sites.add(step.op)?;
        }
        let mut site = |_: &Step<K>| {
            first += 1;
            first - 1
        };
        let mut name = |step: &Step<K>| {
            names.push(op_name(&program, &program.ops[step.op]));
            names.len() as u32 - 1
        };
        let (body, results) = assemble(
            routine,
            func == program.entry(),
            mesh.device_count(),
            devices.storage.align,
            &bodies,
            &mut site,
            &mut name,
        );
        lowering.routines.insert(func, bodies.len());
        bodies.push(body);
        outputs = results;
    }
    let code = Code { bodies, sites: sites.sites, constants: lowering.constants, names, outputs };
    Ok(Compiled { program: annotated, mesh, code })
}

/// Returns the mesh of the program, or a mesh of one device if the program has none.
///
/// # Errors
/// `R004` when the program has several meshes or too many devices.
pub fn mesh_of(program: &Program) -> Result<DeviceMesh, Diagnostic> {
    let count = program.meshes.len();
    let mesh = match program.mesh() {
        Some((_, mesh)) => mesh.clone(),
        None if count == 0 => DeviceMesh::new::<&str>("one", []),
        None => {
            return Err(Diagnostic::new(
                ErrorCode::R004,
                format!("the program has {count} meshes; only one can be run"),
            ));
        }
    };
    let devices = mesh.device_count();
    if devices > MAX_DEVICES {
        let title = format!("mesh `{}` has {devices} devices; one process runs at most {MAX_DEVICES}", mesh.name);
        return Err(Diagnostic::new(ErrorCode::R004, title));
    }
    Ok(mesh)
}

/// Returns the number of the input that an output replaces, whose memory it may overwrite.
fn replaced_input(program: &Program, output: &program::Output) -> Option<usize> {
    program.inputs().iter().position(|&input| Some(input) == output.replaces)
}

/// Checks that the loops of a function match their bodies, which have been lowered. Returns the maximum nesting depth.
/// `nesting` contains the depth of each lowered function.
fn check_loops(
    program: &Program,
    func: FuncId,
    routines: &FxHashMap<FuncId, usize>,
    nesting: &[usize],
) -> Result<usize, Diagnostic> {
    let mut deepest = 0;
    for op in program.funcs[func].ops().iter().map(|&op| &program.ops[op]) {
        let Some(control) = op.kind.control() else { continue };
        let Control::Loop(l) = control;
        let error = |what: &str| Diagnostic::new(ErrorCode::R004, format!("`{}` {what}", op_name(program, op)));
        let body = routines.get(&l.body).ok_or_else(|| error("calls itself"))?;
        let inside = &program.funcs[l.body];
        let carried = [op.args.len(), op.outs.len(), inside.inputs.len(), inside.outputs.len()];
        if carried.iter().any(|&n| n != carried[0]) {
            return Err(error("carries values that do not match its body"));
        }
        deepest = deepest.max(nesting[*body] + 1);
    }
    if deepest > MAX_LOOP_NESTING {
        return Err(Diagnostic::new(ErrorCode::R004, format!("loops are nested more than {MAX_LOOP_NESTING} deep")));
    }
    Ok(deepest)
}

/// Returns the name of an op for messages, such as `%p.r = all_reduce`.
pub(crate) fn op_name(program: &Program, op: &Op) -> String {
    let outs: Vec<&str> = op.outs.iter().map(|&v| program.values[v].name.as_str()).collect();
    format!("%{} = {}", outs.join(", %"), op.kind.name())
}

/// Builder of the communication sites of a local program: the groups and the execution of each collective.
pub struct SiteBuilder<'a> {
    program: &'a Program,
    mesh: &'a Arc<DeviceMesh>,
    groups: FxHashMap<Axes, Arc<[Group]>>,
    /// Sites in the order in which they were added.
    pub sites: Vec<CommunicationSite>,
}

impl<'a> SiteBuilder<'a> {
    /// Creates a builder without sites.
    pub fn new(program: &'a Program, mesh: &'a Arc<DeviceMesh>) -> SiteBuilder<'a> {
        SiteBuilder { program, mesh, groups: FxHashMap::default(), sites: Vec::new() }
    }

    /// Adds the site of a collective op.
    ///
    /// # Errors
    /// `R004` for an op that is not a collective, and for operand types that do not match the collective.
    pub fn add(&mut self, id: OpId) -> Result<(), Diagnostic> {
        let (mesh, op) = (self.mesh, &self.program.ops[id]);
        let none = || Diagnostic::new(ErrorCode::R004, format!("`{}` is not a collective", op.kind.name()));
        let collective = op.kind.collective().ok_or_else(none)?;
        let axes = collective.axes();
        let groups = self.groups.entry(axes.clone()).or_insert_with(|| Group::along_axes(mesh, axes).into()).clone();
        let held = |&value: &ValueId| self.program.values[value].local_type();
        let pairs: Vec<(Type, Type)> = op.args.iter().map(held).zip(op.outs.iter().map(held)).collect();
        let execs = pairs.iter().map(|(arg, out)| collective_exec(collective, arg, out, &groups[0]));
        let execs = execs.collect::<Result<_, _>>()?;
        let bytes = pairs.iter().map(|(arg, _)| arg.bytes() as usize).collect();
        let origin = CommunicationOrigin::Collective { program: 0, op: id };
        self.sites.push(CommunicationSite { origin, name: op_name(self.program, op), groups, execs, bytes });
        Ok(())
    }
}

/// Returns the execution of a collective for one operand.
fn collective_exec(
    collective: Collective<'_>,
    arg: &Type,
    out: &Type,
    group: &Group,
) -> Result<CollectiveExec, Diagnostic> {
    match collective {
        Collective::AllReduce(op) => CollectiveExec::all_reduce(op.monoid, arg, group),
        Collective::AllGather(op) => CollectiveExec::all_gather(arg, op.dim, out.shape[op.dim], group),
        Collective::ReduceScatter(op) => CollectiveExec::reduce_scatter(op.monoid, arg, op.dim, group),
        Collective::AllToAll(op) => CollectiveExec::all_to_all(arg, op.from, out.shape[op.from], op.to, group),
        Collective::Permute(op) => CollectiveExec::permute(arg, &op.pairs, group),
    }
}
