//! Verification of schedules. The executor relies on it and checks nothing itself.
//!
//! Functions are visited from main to its callees, because the sizes of a loop body's inputs depend on its callers.
//! `transfers` checks that stages agree on what they send to each other.

mod transfers;

use super::cubin;
use crate::module::{ALIGN, Arg, Dispatch, Launch, Module};
use crate::partitioned::{Port, Stage};
use crate::target::Target;
use crate::words;
use partita_ir::dtype::Type;
use partita_ir::mesh::DeviceMesh;
use partita_runtime::code::{Address, Addresses, Base, Code, CommunicationOrigin, Output, Task, TaskAction};
use partita_runtime::replicas::ReplicaOwner;

/// Maximum depth of nested loops.
const MAX_NESTING: usize = 64;

/// Maximum number of tasks that a run executes on each device.
const MAX_TASKS: u64 = 1 << 40;

/// Exclusive upper bound on the memory of one device, in bytes.
const MEMORY_LIMIT_BYTES: usize = 1 << 48;

/// Checks that all addresses of a module's tasks are within their buffers, and that the kernels, collectives, functions
/// and devices they refer to exist.
///
/// # Errors
/// A description of the violated rule.
pub fn verify(module: &Module) -> Result<(), String> {
    check_kernels(module)?;
    let stages = &module.program.stages;
    if stages.len() != module.code.len() {
        return Err(format!("it has code for {} stages, expected {}", module.code.len(), stages.len()));
    }
    for (number, (stage, code)) in stages.iter().zip(&module.code).enumerate() {
        let of_stage = |why: String| if stages.len() > 1 { format!("stage {number}: {why}") } else { why };
        verify_stage(module, stage, code).map_err(of_stage)?;
    }
    transfers::verify(module)
}

/// Checks the code of a stage.
fn verify_stage(module: &Module, stage: &Stage, code: &Code<Launch>) -> Result<(), String> {
    let port_bytes = |port: &Port| {
        words::check_dtype(port.value.ty.dtype, &port.name).map_err(|e| e.title)?;
        let bytes = Some(module.target.bytes(&port.value.local_type())).filter(|&bytes| bytes < MEMORY_LIMIT_BYTES);
        bytes.ok_or_else(|| "a value exceeds the maximum memory size".to_owned())
    };
    let inputs: Vec<usize> = stage.inputs.iter().map(port_bytes).collect::<Result<_, _>>()?;
    if code.outputs.len() != stage.outputs.len() {
        return Err(format!("it has {} outputs, expected {}", code.outputs.len(), stage.outputs.len()));
    }
    let mut outputs = Vec::new();
    for (output, at) in stage.outputs.iter().zip(&code.outputs) {
        let (bytes, over) = (port_bytes(output)?, |i: usize| inputs.get(i).copied());
        match *at {
            Output::Buffer(own, replica_owner) if own == bytes => {
                check_replica_owner(&stage.devices.mesh, replica_owner)?
            }
            Output::InPlace(input) if over(input) == Some(bytes) => {}
            _ => return Err(format!("output `{}` does not have its {bytes} bytes", output.name)),
        }
        outputs.push(if matches!(at, Output::Buffer(..)) { bytes } else { 0 });
    }
    let mut constants = Vec::new();
    for tensor in &code.constants {
        words::check_dtype(tensor.ty.dtype, "a constant").map_err(|e| e.title)?;
        constants.push(module.target.bytes(&tensor.ty));
    }
    let Some(last) = code.bodies.len().checked_sub(1) else { return Err("it has no functions".into()) };
    let mut called: Vec<Option<MergedCalls>> = vec![None; code.bodies.len()];
    called[last] = Some(MergedCalls { inputs, outputs, depth: 0, times: 1 });
    for number in (0..=last).rev() {
        let called_as = called[number].clone().ok_or_else(|| format!("function {number} is never called"))?;
        let scope =
            Scope { module, mesh: &stage.devices.mesh, code, number, called: &called_as, constants: &constants };
        for (at, task) in code.bodies[number].tasks.iter().enumerate() {
            let callee = scope.check(task).map_err(|why| format!("task {at} of function {number}: {why}"))?;
            if let Some((body, call)) = callee {
                let merged = match called[body].take() {
                    None => call,
                    Some(before) => before.merge(call).ok_or("a function is called with different inputs")?,
                };
                called[body] = Some(merged);
            }
        }
    }
    Ok(())
}

/// Arguments of a function, merged over all calls.
#[derive(Clone)]
struct MergedCalls {
    /// Bytes from each input's address to the end of its buffer, the minimum over all calls.
    inputs: Vec<usize>,
    /// Bytes from each output's address to the end of its buffer, the minimum over all calls.
    outputs: Vec<usize>,
    /// Number of loops around the function, the maximum over all calls.
    depth: usize,
    /// Number of executions in a run.
    times: u64,
}

impl MergedCalls {
    fn merge(mut self, other: MergedCalls) -> Option<MergedCalls> {
        for (mine, others) in [(&mut self.inputs, &other.inputs), (&mut self.outputs, &other.outputs)] {
            if mine.len() != others.len() {
                return None;
            }
            mine.iter_mut().zip(others).for_each(|(a, b)| *a = (*a).min(*b));
        }
        Some(MergedCalls {
            inputs: self.inputs,
            outputs: self.outputs,
            depth: self.depth.max(other.depth),
            times: self.times.saturating_add(other.times),
        })
    }
}

/// A function and its merged calls.
struct Scope<'a> {
    module: &'a Module,
    mesh: &'a DeviceMesh,
    code: &'a Code<Launch>,
    number: usize,
    called: &'a MergedCalls,
    constants: &'a [usize],
}

impl Scope<'_> {
    fn frame_bytes(&self) -> usize {
        self.code.bodies[self.number].frame_bytes
    }

    /// Returns the number of bytes from an address to the end of its buffer. Only an empty buffer may be addressed at
    /// its end.
    fn bytes_from(&self, at: Address) -> Result<usize, String> {
        let of = |all: &[usize], i: u32| all.get(i as usize).copied();
        let bytes = match at.base {
            Base::Frame => Some(self.frame_bytes()),
            Base::Input(i) => of(&self.called.inputs, i),
            Base::Output(i) => of(&self.called.outputs, i),
            Base::Constant(i) => of(self.constants, i),
        };
        let bytes = bytes.ok_or_else(|| format!("there is no {:?}", at.base))?;
        let is_inside = at.offset < bytes || at.offset == 0;
        if !is_inside || !at.offset.is_multiple_of(ALIGN) {
            return Err(format!(
                "offset {} is misaligned or out of bounds in {bytes} bytes of {:?}",
                at.offset, at.base
            ));
        }
        Ok(bytes - at.offset)
    }

    fn bytes_from_each(&self, all: &Addresses) -> Result<Vec<usize>, String> {
        all.iter().map(|&at| self.bytes_from(at)).collect()
    }

    /// Checks a task. Returns the function that it calls, with the arguments of the call.
    fn check(&self, task: &Task<Launch>) -> Result<Option<(usize, MergedCalls)>, String> {
        let code = self.code;
        if task.name as usize >= code.names.len() && !matches!(task.action, TaskAction::Wait(_)) {
            return Err("it has no name".into());
        }
        check_replica_owner(self.mesh, task.owner)?;
        let (reads, writes) = (self.bytes_from_each(&task.reads)?, self.bytes_from_each(&task.writes)?);
        if task.writes.iter().any(|at| matches!(at.base, Base::Constant(_))) {
            return Err("it overwrites a constant".into());
        }
        match &task.action {
            TaskAction::Compute(launch, scratch) => {
                launch.dispatches.iter().try_for_each(|dispatch| self.dispatch(dispatch, task, *scratch))?;
                Ok(None)
            }
            TaskAction::Start(site) => {
                let site = code.sites.get(*site).ok_or("there is no such collective")?;
                let is_collective = matches!(site.origin, CommunicationOrigin::Collective { .. });
                if is_collective && [reads.len(), writes.len()] != [site.execs.len(); 2] {
                    return Err("its operands do not match its collective".into());
                }
                let bytes = |ty: &Type| self.module.target.bytes(ty);
                let execs = || site.execs.iter();
                if execs().zip(&reads).any(|(exec, room)| bytes(exec.operand()) > *room)
                    || execs().zip(&writes).any(|(exec, room)| bytes(exec.result()) > *room)
                {
                    return Err("its collective exceeds its buffers".into());
                }
                Ok(None)
            }
            TaskAction::Wait(site) if *site < code.sites.len() => Ok(None),
            TaskAction::Wait(_) => Err("there is no such collective".into()),
            TaskAction::Loop { limit: 1.., .. } => Err("its trip count is unknown".into()),
            TaskAction::Loop { trip, body, frame, limit: 0 } => {
                let inner = code.bodies.get(*body).filter(|_| *body < self.number);
                let inner = inner.ok_or("it calls a function that does not precede it")?;
                let end = frame.checked_add(inner.frame_bytes).filter(|_| frame.is_multiple_of(ALIGN));
                if end.is_none_or(|end| end > self.frame_bytes()) {
                    return Err("the frame of its body is not within its own frame".into());
                }
                let (depth, times) = (self.called.depth + 1, self.called.times.saturating_mul(*trip));
                let work = times.saturating_mul(inner.tasks.len() as u64 + 1);
                if depth > MAX_NESTING || work > MAX_TASKS {
                    return Err(format!("it iterates {times} times at loop depth {depth}"));
                }
                Ok(Some((*body, MergedCalls { inputs: reads, outputs: writes, depth, times })))
            }
        }
    }

    fn dispatch(&self, dispatch: &Dispatch, task: &Task<Launch>, scratch: usize) -> Result<(), String> {
        let kernel = self.module.kernels.get(dispatch.kernel).ok_or("there is no such kernel")?;
        if dispatch.args.len() != kernel.buffers() {
            return Err(format!("`{}` has {} buffers, not {}", kernel.name, kernel.buffers(), dispatch.args.len()));
        }
        for (i, arg) in dispatch.args.iter().enumerate() {
            let is_written = i >= kernel.reads;
            let ok = match *arg {
                Arg::Read(i) => i < task.reads.len() && !is_written,
                Arg::Write(i) => i < task.writes.len(),
                Arg::Scratch(at) => {
                    let at = scratch.checked_add(at).filter(|at| at.is_multiple_of(ALIGN));
                    at.is_some_and(|at| at < self.frame_bytes())
                }
                Arg::Coordinates => !is_written,
            };
            if !ok {
                return Err(format!("buffer {i} of `{}` cannot be {arg:?}", kernel.name));
            }
        }
        Ok(())
    }
}

/// Checks that names of kernels are identifiers and that the target can launch their grids.
fn check_kernels(module: &Module) -> Result<(), String> {
    let (max_cubes, max_units) = match module.target {
        Target::Wgsl | Target::Metal | Target::Spirv => ([65535; 3], 1024),
        Target::Cuda { .. } | Target::Hip => ([i32::MAX as u32, 65535, 65535], 1024),
    };
    for kernel in &module.kernels {
        let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        if kernel.name.is_empty() || !kernel.name.chars().all(is_name) {
            return Err(format!("`{}` is not a valid kernel name", kernel.name.escape_default()));
        }
        let is_launched = kernel.cubes.iter().zip(max_cubes).all(|(&n, most)| n <= most);
        let is_small = kernel.reads < 1 << 10 && kernel.writes < 1 << 10 && kernel.info.len() < 1 << 12;
        let units = kernel.units.iter().fold(1u32, |units, &n| units.saturating_mul(n));
        if !is_launched || !(1..=max_units).contains(&units) || !is_small || kernel.shared_bytes > 1 << 20 {
            return Err(format!("`{}` cannot be launched", kernel.name));
        }
    }
    let codes = module.kernels.iter().map(|kernel| (kernel.name.as_str(), &kernel.binary));
    for (name, code) in codes.chain([("collective", &module.collective)]) {
        let Some(code) = code else { continue };
        let valid = if module.target.has_machine_code() {
            cubin::check(code)
        } else {
            Err("is not supported by the target".into())
        };
        valid.map_err(|why| format!("the machine code of `{name}` {why}"))?;
    }
    if module.code.iter().flat_map(|code| &code.bodies).any(|body| body.frame_bytes >= MEMORY_LIMIT_BYTES) {
        return Err("a frame exceeds the maximum memory size".into());
    }
    Ok(())
}

fn check_replica_owner(mesh: &DeviceMesh, replica_owner: ReplicaOwner) -> Result<(), String> {
    let axes = mesh.axes.len();
    let valid = if axes >= 64 { u64::MAX } else { (1 << axes) - 1 };
    match replica_owner.axes & !valid == 0 && replica_owner.rank < mesh.device_count() {
        true => Ok(()),
        false => Err("no device executes it".into()),
    }
}
