//! What a schedule must keep to: whoever runs it checks nothing.
//!
//! Functions are looked at from main to its callees, since what an input of a loop's body is follows from who calls it.
//! That stages agree on what they send each other is for `transfers` to say.

mod transfers;

use super::cubin;
use crate::module::{ALIGN, Arg, Dispatch, Launch, Module};
use crate::partitioned::{Port, Stage};
use crate::target::Target;
use crate::words;
use partita_ir::dtype::Type;
use partita_ir::mesh::Mesh;
use partita_runtime::code::{Act, Address, Addresses, Base, Code, Meeting, Output, Task};
use partita_runtime::replicas::Duty;

/// Loops nest at most so deep.
const MAX_NESTING: usize = 64;

/// A run launches at most so many kernels on each device.
const MAX_LAUNCHES: u64 = 1 << 40;

/// Memory of one device, in bytes, is less than this.
const MAX_BYTES: usize = 1 << 48;

/// Checks that every address of a module's tasks is within its buffer, and that kernels, collectives, functions and
/// devices exist.
///
/// # Errors
/// What is wrong, in words.
pub fn verify(module: &Module) -> Result<(), String> {
    check_kernels(module)?;
    let stages = &module.program.stages;
    if stages.len() != module.code.len() {
        return Err(format!("it has code of {} stages, not of {}", module.code.len(), stages.len()));
    }
    for (number, (stage, code)) in stages.iter().zip(&module.code).enumerate() {
        let of_stage = |why: String| if stages.len() > 1 { format!("stage {number}: {why}") } else { why };
        verify_stage(module, stage, code).map_err(of_stage)?;
    }
    transfers::verify(module)
}

/// Checks the code of a stage.
fn verify_stage(module: &Module, stage: &Stage, code: &Code<Launch>) -> Result<(), String> {
    let held = |port: &Port| {
        words::check(port.value.ty.dtype, &port.name).map_err(|e| e.title)?;
        let bytes = Some(module.target.bytes(&port.value.local_type())).filter(|&bytes| bytes < MAX_BYTES);
        bytes.ok_or_else(|| "a value is larger than any memory".to_owned())
    };
    let inputs: Vec<usize> = stage.inputs.iter().map(held).collect::<Result<_, _>>()?;
    if code.outputs.len() != stage.outputs.len() {
        return Err(format!("it gives {} outputs of {}", code.outputs.len(), stage.outputs.len()));
    }
    let mut outputs = Vec::new();
    for (output, at) in stage.outputs.iter().zip(&code.outputs) {
        let (bytes, over) = (held(output)?, |i: usize| inputs.get(i).copied());
        match *at {
            Output::Own(own, duty) if own == bytes => check_duty(&stage.devices.mesh, duty)?,
            Output::Over(input) if over(input) == Some(bytes) => {}
            _ => return Err(format!("output `{}` has not its {bytes} bytes", output.name)),
        }
        outputs.push(if matches!(at, Output::Own(..)) { bytes } else { 0 });
    }
    let mut constants = Vec::new();
    for tensor in &code.constants {
        words::check(tensor.ty.dtype, "a constant").map_err(|e| e.title)?;
        constants.push(module.target.bytes(&tensor.ty));
    }
    let Some(last) = code.bodies.len().checked_sub(1) else { return Err("it has no functions".into()) };
    let mut called: Vec<Option<Called>> = vec![None; code.bodies.len()];
    called[last] = Some(Called { inputs, outputs, depth: 0, times: 1 });
    for number in (0..=last).rev() {
        let called_as = called[number].clone().ok_or_else(|| format!("nobody calls function {number}"))?;
        let scope =
            Scope { module, mesh: &stage.devices.mesh, code, number, called: &called_as, constants: &constants };
        for (at, task) in code.bodies[number].tasks.iter().enumerate() {
            let callee = scope.check(task).map_err(|why| format!("task {at} of function {number}: {why}"))?;
            if let Some((body, call)) = callee {
                let merged = match called[body].take() {
                    None => call,
                    Some(before) => before.and(call).ok_or("a function is called with different inputs")?,
                };
                called[body] = Some(merged);
            }
        }
    }
    Ok(())
}

/// How a function is called.
#[derive(Clone)]
struct Called {
    /// Bytes from each input's address to the end of its buffer, the fewest of all calls.
    inputs: Vec<usize>,
    /// Bytes from each output's address to the end of its buffer, the fewest of all calls.
    outputs: Vec<usize>,
    /// How deep loops are nested around it.
    depth: usize,
    /// How often.
    times: u64,
}

impl Called {
    fn and(mut self, other: Called) -> Option<Called> {
        for (mine, others) in [(&mut self.inputs, &other.inputs), (&mut self.outputs, &other.outputs)] {
            if mine.len() != others.len() {
                return None;
            }
            mine.iter_mut().zip(others).for_each(|(a, b)| *a = (*a).min(*b));
        }
        Some(Called {
            inputs: self.inputs,
            outputs: self.outputs,
            depth: self.depth.max(other.depth),
            times: self.times.saturating_add(other.times),
        })
    }
}

/// A function, and how it is called.
struct Scope<'a> {
    module: &'a Module,
    mesh: &'a Mesh,
    code: &'a Code<Launch>,
    number: usize,
    called: &'a Called,
    constants: &'a [usize],
}

impl Scope<'_> {
    fn frame_bytes(&self) -> usize {
        self.code.bodies[self.number].frame_bytes
    }

    /// Bytes from an address to the end of its buffer. An address within a buffer is before its end, but where there is
    /// nothing.
    fn room(&self, at: Address) -> Result<usize, String> {
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
            return Err(format!("{} is no place in {bytes} bytes of {:?}", at.offset, at.base));
        }
        Ok(bytes - at.offset)
    }

    fn rooms(&self, all: &Addresses) -> Result<Vec<usize>, String> {
        all.iter().map(|&at| self.room(at)).collect()
    }

    /// Checks a task; gives the function that it calls, and how.
    fn check(&self, task: &Task<Launch>) -> Result<Option<(usize, Called)>, String> {
        let code = self.code;
        if task.name as usize >= code.names.len() && !matches!(task.act, Act::Wait(_)) {
            return Err("it has no name".into());
        }
        check_duty(self.mesh, task.duty)?;
        let (reads, writes) = (self.rooms(&task.reads)?, self.rooms(&task.writes)?);
        if task.writes.iter().any(|at| matches!(at.base, Base::Constant(_))) {
            return Err("it writes over a constant".into());
        }
        match &task.act {
            Act::Compute(launch, scratch) => {
                launch.dispatches.iter().try_for_each(|dispatch| self.dispatch(dispatch, task, *scratch))?;
                Ok(None)
            }
            Act::Start(site) => {
                let site = code.sites.get(*site).ok_or("there is no such collective")?;
                let is_collective = matches!(site.meeting, Meeting::Collective { .. });
                if is_collective && [reads.len(), writes.len()] != [site.exchanges.len(); 2] {
                    return Err("it has not the operands of its collective".into());
                }
                let bytes = |ty: &Type| self.module.target.bytes(ty);
                let exchanges = || site.exchanges.iter();
                if exchanges().zip(&reads).any(|(exchange, room)| bytes(exchange.operand()) > *room)
                    || exchanges().zip(&writes).any(|(exchange, room)| bytes(exchange.result()) > *room)
                {
                    return Err("what it meets for goes beyond its buffers".into());
                }
                Ok(None)
            }
            Act::Wait(site) if *site < code.sites.len() => Ok(None),
            Act::Wait(_) => Err("there is no such collective".into()),
            Act::Loop { trip, body, frame } => {
                let inner = code.bodies.get(*body).filter(|_| *body < self.number);
                let inner = inner.ok_or("it calls what does not come before it")?;
                let end = frame.checked_add(inner.frame_bytes).filter(|_| frame.is_multiple_of(ALIGN));
                if end.is_none_or(|end| end > self.frame_bytes()) {
                    return Err("the frame of its body is not in its own".into());
                }
                let (depth, times) = (self.called.depth + 1, self.called.times.saturating_mul(*trip));
                let work = times.saturating_mul(inner.tasks.len() as u64 + 1);
                if depth > MAX_NESTING || work > MAX_LAUNCHES {
                    return Err(format!("it goes round {times} times, {depth} loops deep"));
                }
                Ok(Some((*body, Called { inputs: reads, outputs: writes, depth, times })))
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
                Arg::Place => !is_written,
            };
            if !ok {
                return Err(format!("buffer {i} of `{}` is {arg:?}", kernel.name));
            }
        }
        Ok(())
    }
}

/// Names are names, and grids what the target can launch.
fn check_kernels(module: &Module) -> Result<(), String> {
    let (most_cubes, most_units) = match module.target {
        Target::Wgsl | Target::Metal | Target::Spirv => ([65535; 3], 1024),
        Target::Cuda { .. } | Target::Hip => ([i32::MAX as u32, 65535, 65535], 1024),
    };
    for kernel in &module.kernels {
        let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        if kernel.name.is_empty() || !kernel.name.chars().all(is_name) {
            return Err(format!("`{}` is no name of a kernel", kernel.name.escape_default()));
        }
        let is_launched = kernel.cubes.iter().zip(most_cubes).all(|(&n, most)| n <= most);
        let is_small = kernel.reads < 1 << 10 && kernel.writes < 1 << 10 && kernel.info.len() < 1 << 12;
        let units = kernel.units.iter().fold(1u32, |units, &n| units.saturating_mul(n));
        if !is_launched || !(1..=most_units).contains(&units) || !is_small || kernel.shared_bytes > 1 << 20 {
            return Err(format!("`{}` cannot be launched", kernel.name));
        }
    }
    let codes = module.kernels.iter().map(|kernel| (kernel.name.as_str(), &kernel.binary));
    for (name, code) in codes.chain([("collective", &module.collective)]) {
        let Some(code) = code else { continue };
        let known = if module.target.has_code() { cubin::check(code) } else { Err("is for no such device".into()) };
        known.map_err(|why| format!("what `{name}` was compiled to {why}"))?;
    }
    if module.code.iter().flat_map(|code| &code.bodies).any(|body| body.frame_bytes >= MAX_BYTES) {
        return Err("a frame is larger than any memory".into());
    }
    Ok(())
}

fn check_duty(mesh: &Mesh, duty: Duty) -> Result<(), String> {
    let axes = mesh.axes.len();
    let known = if axes >= 64 { u64::MAX } else { (1 << axes) - 1 };
    match duty.axes & !known == 0 && duty.rank < mesh.device_count() {
        true => Ok(()),
        false => Err("it is the duty of no device".into()),
    }
}
