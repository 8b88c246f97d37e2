//! From a program in form local to code: a backend lowers each function to a routine, and this file sees to the rest.

use crate::assemble::assemble;
use crate::code::{Body, Code, Meeting, Site};
use crate::exchange::Exchange;
use crate::group::Group;
use crate::kernel::Computes;
use crate::replicas::Replicas;
use crate::routine::{Action, Held, Routine, Span, Step};
use partita_ir::arena::{FuncId, OpId, ParamId, ValueId};
use partita_ir::class::{Collective, Control};
use partita_ir::diag::{Code as ErrorCode, Diagnostic};
use partita_ir::dtype::{DType, Type};
use partita_ir::mesh::{Axes, Mesh};
use partita_ir::offsets::Storage;
use partita_ir::ops::Loop;
use partita_ir::program::{Op, Program};
use partita_ir::tensor::Tensor;
use partita_ir::verify::{Local, Verified};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// More devices than this in one process are refused: all their memory is here.
pub const MAX_DEVICES: usize = 1024;

/// Loops nested deeper than this are refused.
const MAX_NESTING: usize = 64;

/// What a backend finds while it lowers a function.
pub struct Lowering {
    /// The program as one device sees it: every value has the type of what the device holds, and no layout.
    pub program: Arc<Program>,
    /// On how many threads a kernel may compute.
    pub threads: usize,
    routines: FxHashMap<FuncId, usize>,
    constants: Vec<Tensor>,
    storage: Storage,
}

impl Lowering {
    /// Keeps a constant, which all devices share.
    pub fn constant(&mut self, tensor: &Tensor) -> Held {
        self.constants.push(tensor.clone());
        Held::Constant(self.constants.len() - 1)
    }

    /// What a device holds of a value.
    pub fn ty(&self, value: ValueId) -> &Type {
        self.program.ty(value)
    }

    /// How many bytes an element takes in the memory of devices.
    pub fn width(&self, dtype: DType) -> usize {
        (self.storage.width)(dtype)
    }

    /// How many bytes a device holds of a value.
    pub fn bytes(&self, value: ValueId) -> usize {
        self.storage.bytes(self.ty(value))
    }

    /// The operands of a loop that stay as they are from one turn to the next.
    pub fn unchanged(&self, op: &Loop) -> Vec<bool> {
        let body = &self.program.funcs[op.body];
        body.inputs.iter().zip(&body.outputs).map(|(&input, output)| input == output.value).collect()
    }

    /// The step of a loop. Only what changes from turn to turn is written.
    pub fn loop_step<K>(&self, id: OpId, op: &Loop, reads: Vec<Span>, writes: Vec<Span>) -> Step<K> {
        let mut next = 0..writes.len();
        let carried = self.unchanged(op).into_iter().map(|same| if same { None } else { next.next() }).collect();
        let routine = self.routines.get(&op.body).copied().unwrap_or_default();
        Step { op: id, reads, writes, action: Action::Loop { trip: op.trip, routine, carried } }
    }
}

/// Lowers a function.
pub type Lower<'l, K> = &'l mut dyn FnMut(&mut Lowering, FuncId) -> Result<Routine<K>, Diagnostic>;

/// A program with its code. `K` is what a backend computes with.
pub struct Compiled<K> {
    /// The program in form local.
    pub program: Arc<Program>,
    /// The mesh that it runs on.
    pub mesh: Arc<Mesh>,
    /// Each device's tasks.
    pub code: Code<K>,
}

/// Replaces ops of one device's program by others.
pub type Prepare<'p> = &'p dyn Fn(&mut Program, &Replicas<'_>);

/// What a backend says about its devices.
#[derive(Clone, Copy)]
pub struct Devices {
    /// On how many threads all of them compute together.
    pub threads: usize,
    /// Their storage of values.
    pub storage: Storage,
    /// Whether one of them may compute for others what all would compute alike.
    pub share: bool,
}

impl Devices {
    /// The same devices, each of which computes all of its own.
    pub fn apart(self) -> Devices {
        Devices { share: false, ..self }
    }

    /// Devices of this process on so many threads, with elements as wide as their dtype.
    pub fn here(threads: usize) -> Devices {
        Devices { threads, storage: Storage::HOST, share: true }
    }
}

/// Compiles a program whose functions `lower` lowers, callees first. `prepare` comes first; what stands in a routine
/// about outputs is filled in here.
///
/// # Errors
/// `R004` for a program on several meshes or with too many devices, loops that nest too deep or carry what does not
/// match their bodies, and values that do not fit into memory; and what `lower` says.
pub fn compile<K: Computes>(
    program: Verified<'_, Local>,
    devices: Devices,
    prepare: Prepare<'_>,
    lower: Lower<'_, K>,
) -> Result<Compiled<K>, Diagnostic> {
    let whole = Arc::new(Program::clone(&program));
    let mesh = Arc::new(mesh_of(&whole)?);
    let mut device = Program::clone(&program);
    for value in device.values.values_mut() {
        value.ty = value.local_type();
        value.layout = None;
    }
    let layout = |v: ValueId| whole.values.get(v).and_then(|value| value.layout.as_deref());
    let replicas = |device: &Program| match devices.share {
        true => Replicas::of(device, &mesh, &layout),
        false => Replicas::none(device, &mesh),
    };
    let found = replicas(&device);
    prepare(&mut device, &found);
    let same = replicas(&device).of_outputs(&device);
    let program = Arc::new(device);
    let threads = (devices.threads / mesh.device_count().max(1)).max(1);
    let mut lowering = Lowering {
        program: program.clone(),
        threads,
        routines: FxHashMap::default(),
        constants: Vec::new(),
        storage: devices.storage,
    };
    let mut sites = Sites::new(&program, &mesh);
    let mut names: Vec<String> = Vec::new();
    let (mut bodies, mut nesting): (Vec<Body<K>>, Vec<usize>) = Default::default();
    let mut outputs = Vec::new();
    for func in program.laid_out_funcs() {
        nesting.push(check_loops(&program, func, &lowering.routines, &nesting)?);
        let mut routine = lower(&mut lowering, func)?;
        let results = &program.funcs[func].outputs;
        routine.output_bytes = results.iter().map(|o| lowering.bytes(o.value)).collect();
        routine.replaces = results.iter().map(|o| replaced(&program, o.alias)).collect();
        if func == program.entry() {
            routine.same.clone_from(&same);
        }
        let mut first = sites.sites.len();
        for step in routine.steps.iter().filter(|step| step.is_meeting()) {
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
    Ok(Compiled { program: whole, mesh, code })
}

/// The mesh that the program runs on; one device when it has none.
///
/// # Errors
/// `R004` when it has several, or too many devices.
pub fn mesh_of(program: &Program) -> Result<Mesh, Diagnostic> {
    let count = program.meshes.len();
    let mesh = match program.mesh() {
        Some((_, mesh)) => mesh.clone(),
        None if count == 0 => Mesh::new::<&str>("one", []),
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

/// The input whose place an output takes: its parameter's, when it lies as that one does.
fn replaced(program: &Program, alias: Option<ParamId>) -> Option<usize> {
    let value = program.params[alias?].value;
    program.inputs().iter().position(|&input| input == value)
}

/// How deep the loops of a function nest.
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
    if deepest > MAX_NESTING {
        return Err(Diagnostic::new(ErrorCode::R004, format!("loops are nested more than {MAX_NESTING} deep")));
    }
    Ok(deepest)
}

/// `%p.r = all_reduce`
pub(crate) fn op_name(program: &Program, op: &Op) -> String {
    let outs: Vec<&str> = op.outs.iter().map(|&v| program.values[v].name.as_str()).collect();
    format!("%{} = {}", outs.join(", %"), op.kind.name())
}

/// The collectives of a program in form local.
pub struct Sites<'a> {
    program: &'a Program,
    mesh: &'a Arc<Mesh>,
    groups: FxHashMap<Axes, Arc<[Group]>>,
    /// Those that were added, in order.
    pub sites: Vec<Site>,
}

impl<'a> Sites<'a> {
    /// None so far.
    pub fn new(program: &'a Program, mesh: &'a Arc<Mesh>) -> Sites<'a> {
        Sites { program, mesh, groups: FxHashMap::default(), sites: Vec::new() }
    }

    /// Adds the collective that an op is.
    ///
    /// # Errors
    /// `R004` for an op that is none, and where its types are not those of such a collective.
    pub fn add(&mut self, id: OpId) -> Result<(), Diagnostic> {
        let (mesh, op) = (self.mesh, &self.program.ops[id]);
        let none = || Diagnostic::new(ErrorCode::R004, format!("`{}` is not a collective", op.kind.name()));
        let collective = op.kind.collective().ok_or_else(none)?;
        let axes = collective.axes();
        let groups = self.groups.entry(axes.clone()).or_insert_with(|| Group::all(mesh, axes).into()).clone();
        let held = |&value: &ValueId| self.program.values[value].local_type();
        let pairs: Vec<(Type, Type)> = op.args.iter().map(held).zip(op.outs.iter().map(held)).collect();
        let exchanges = pairs.iter().map(|(arg, out)| exchange(collective, arg, out, &groups[0]));
        let exchanges = exchanges.collect::<Result<_, _>>()?;
        let bytes = pairs.iter().map(|(arg, _)| arg.bytes() as usize).collect();
        let meeting = Meeting::Collective { program: 0, op: id };
        self.sites.push(Site { meeting, name: op_name(self.program, op), groups, exchanges, bytes });
        Ok(())
    }
}

/// What a collective does with one operand.
fn exchange(collective: Collective<'_>, arg: &Type, out: &Type, group: &Group) -> Result<Exchange, Diagnostic> {
    match collective {
        Collective::AllReduce(op) => Exchange::all_reduce(op.monoid, arg, group),
        Collective::AllGather(op) => Exchange::all_gather(arg, op.dim, out.shape[op.dim], group),
        Collective::ReduceScatter(op) => Exchange::reduce_scatter(op.monoid, arg, op.dim, group),
        Collective::AllToAll(op) => Exchange::all_to_all(arg, op.from, out.shape[op.from], op.to, group),
        Collective::Permute(op) => Exchange::permute(arg, &op.pairs, group),
    }
}
