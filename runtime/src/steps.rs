//! A program as a list of steps: operands are slots, a slot is free again after the last reader of its value, the groups
//! of every collective are known, and every other op has its kernel.

use crate::backend::DeviceProgram;
use crate::communicator::{Communicator, Site};
use crate::group::Group;
use crate::kernel::{Kernel, KernelCx};
use partita_ir::arena::{FuncId, OpId, ValueId};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::Type;
use partita_ir::interp::{Place, held_bytes};
use partita_ir::liveness::Liveness;
use partita_ir::mesh::{Axes, Mesh};
use partita_ir::op::OpKind;
use partita_ir::program::{Op, Program};
use partita_ir::tensor::Tensor;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::Arc;

/// Loops nested deeper than this are refused: each takes stack.
const MAX_NESTING: usize = 64;

/// One device's program as steps.
pub struct Steps {
    program: Arc<Program>,
    mesh: Arc<Mesh>,
    /// Bodies of loops, callees first; main is the last.
    bodies: Vec<Body>,
}

/// A place for one value at a time.
type Slot = usize;

/// The steps of one function.
struct Body {
    inputs: Vec<Slot>,
    /// Inputs that nobody reads.
    unread: Vec<Slot>,
    steps: Vec<Step>,
    outputs: Vec<Slot>,
    slots: usize,
    /// Loops inside of loops inside of it.
    nesting: usize,
    /// An upper bound of the bytes that it holds at a time, without the inputs of the program.
    peak_bytes: u64,
}

/// One op.
struct Step {
    op: OpId,
    /// Operands, and whether this is the last time that the value is read.
    args: SmallVec<[(Slot, bool); 3]>,
    outs: SmallVec<[Slot; 1]>,
    /// Results that nobody reads.
    unread: SmallVec<[Slot; 1]>,
    types: SmallVec<[Type; 1]>,
    action: Action,
}

/// What a step does.
enum Action {
    Compute(Arc<dyn Kernel>),
    /// By rank, who takes part; and what messages call it.
    Meet(Arc<[Group]>, String),
    /// How often, and which of the bodies.
    Loop(u64, usize),
}

impl Steps {
    /// An upper bound of the bytes that one device holds at a time, without the inputs of the program.
    pub fn peak_bytes(&self) -> u64 {
        self.bodies.last().map_or(0, |main| main.peak_bytes)
    }

    /// Compiles a program in form local; `kernel` chooses for the ops that are neither collectives nor loops.
    ///
    /// # Errors
    /// `R004` for a program on several meshes, loops that nest too deep, and loops whose carried values do not match.
    pub fn compile(
        program: Arc<Program>,
        mesh: Arc<Mesh>,
        kernel: &dyn Fn(&Op) -> Arc<dyn Kernel>,
    ) -> Result<Steps, Diagnostic> {
        let mut compiler = Compiler { program: &program, mesh: &mesh, kernel, groups: FxHashMap::default() };
        let mut bodies: Vec<Body> = Vec::new();
        let mut number: FxHashMap<FuncId, usize> = FxHashMap::default();
        for func in program.laid_out_funcs() {
            let body = compiler.body(func, &number, &bodies)?;
            number.insert(func, bodies.len());
            bodies.push(body);
        }
        Ok(Steps { program, mesh, bodies })
    }
}

/// Compiles bodies.
struct Compiler<'a> {
    program: &'a Program,
    mesh: &'a Arc<Mesh>,
    kernel: &'a dyn Fn(&Op) -> Arc<dyn Kernel>,
    groups: FxHashMap<Axes, Arc<[Group]>>,
}

impl Compiler<'_> {
    fn body(&mut self, id: FuncId, number: &FxHashMap<FuncId, usize>, done: &[Body]) -> Result<Body, Diagnostic> {
        let func = &self.program.funcs[id];
        let live = Liveness::of(self.program, id);
        let mut slots = Slots::default();
        let inputs = func.inputs.iter().map(|&v| slots.take(v)).collect();
        let unread = live.dying(0).iter().map(|&v| slots.give_back(v)).collect();
        let mut steps = Vec::with_capacity(func.body.len());
        let mut nesting = 0;
        let owned = |v: &ValueId| id != self.program.main || !func.inputs.contains(v);
        let bytes = |values: &[ValueId]| -> u64 {
            let types = values.iter().filter(|v| owned(v)).map(|&v| self.program.values[v].local_type());
            types.map(|ty| held_bytes(&ty)).fold(0, u64::saturating_add)
        };
        let mut held = bytes(&func.inputs);
        let mut peak_bytes = held;
        for (point, &op_id) in (1..).zip(&func.body) {
            let op = &self.program.ops[op_id];
            let action = match &op.kind {
                OpKind::Loop(l) => {
                    let body = number.get(&l.body).ok_or_else(|| self.error(op, "calls itself"))?;
                    let carried = [op.args.len(), op.outs.len(), done[*body].inputs.len(), done[*body].outputs.len()];
                    if carried.iter().any(|&n| n != carried[0]) {
                        return Err(self.error(op, "carries values that do not match its body"));
                    }
                    nesting = nesting.max(done[*body].nesting + 1);
                    Action::Loop(l.trip, *body)
                }
                kind => match kind.collective_axes() {
                    Some(axes) => Action::Meet(self.groups(axes), self.name(op)),
                    None => Action::Compute((self.kernel)(op)),
                },
            };
            // The last mention of a dying operand is the one that takes it out of its slot.
            let last = |i: usize| live.dies(op.args[i], point) && !op.args[i + 1..].contains(&op.args[i]);
            let args = op.args.iter().enumerate().map(|(i, &v)| (slots.of(v), last(i))).collect();
            let dead: SmallVec<[ValueId; 2]> = live.dying(point).iter().copied().collect();
            dead.iter().filter(|v| !op.outs.contains(v)).for_each(|&v| {
                slots.give_back(v);
            });
            let outs = op.outs.iter().map(|&v| slots.take(v)).collect();
            let unread = op.outs.iter().filter(|v| dead.contains(v)).map(|&v| slots.give_back(v)).collect();
            let types = op.outs.iter().map(|&v| self.program.values[v].local_type()).collect();
            let inside = if let Action::Loop(_, body) = action { done[body].peak_bytes } else { 0 };
            held = held.saturating_add(bytes(&op.outs));
            peak_bytes = peak_bytes.max(held.saturating_add(inside));
            held = held.saturating_sub(bytes(&dead));
            steps.push(Step { op: op_id, args, outs, unread, types, action });
        }
        if nesting > MAX_NESTING {
            let title = format!("loops are nested more than {MAX_NESTING} deep");
            return Err(Diagnostic::new(Code::R004, title));
        }
        let outputs = func.outputs.iter().map(|o| slots.of(o.value)).collect();
        Ok(Body { inputs, unread, steps, outputs, slots: slots.count, nesting, peak_bytes })
    }

    fn groups(&mut self, axes: &Axes) -> Arc<[Group]> {
        let mesh = self.mesh;
        self.groups.entry(axes.clone()).or_insert_with(|| Group::all(mesh, axes).into()).clone()
    }

    fn name(&self, op: &Op) -> String {
        op_name(self.program, op)
    }

    fn error(&self, op: &Op, what: &str) -> Diagnostic {
        Diagnostic::new(Code::R004, format!("`{}` {what}", self.name(op)))
    }
}

/// `%p.r = all_reduce`
fn op_name(program: &Program, op: &Op) -> String {
    let outs: Vec<&str> = op.outs.iter().map(|&v| program.values[v].name.as_str()).collect();
    format!("%{} = {}", outs.join(", %"), op.kind.name())
}

/// `f32[4], i32[]`
fn list<'t>(types: impl IntoIterator<Item = &'t Type>) -> String {
    let types: Vec<String> = types.into_iter().map(Type::to_string).collect();
    if types.is_empty() { "0 results".to_owned() } else { types.join(", ") }
}

/// Gives slots to values; the one that was given back last goes first.
#[derive(Default)]
struct Slots {
    taken: FxHashMap<ValueId, Slot>,
    free: Vec<Slot>,
    count: usize,
}

impl Slots {
    fn take(&mut self, value: ValueId) -> Slot {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.count += 1;
            self.count - 1
        });
        self.taken.insert(value, slot);
        slot
    }

    fn of(&self, value: ValueId) -> Slot {
        self.taken[&value]
    }

    fn give_back(&mut self, value: ValueId) -> Slot {
        let slot = self.of(value);
        self.free.push(slot);
        slot
    }
}

impl DeviceProgram for Steps {
    fn run(&self, comm: &dyn Communicator, inputs: Vec<Arc<Tensor>>) -> Result<Vec<Arc<Tensor>>, Diagnostic> {
        let place = Place { mesh: &self.mesh, coords: self.mesh.coords(comm.rank()) };
        let main = self.bodies.len() - 1;
        Run { steps: self, comm, place }.body(main, inputs)
    }
}

/// One device while it runs.
struct Run<'a> {
    steps: &'a Steps,
    comm: &'a dyn Communicator,
    place: Place<'a>,
}

impl Run<'_> {
    fn body(&self, body: usize, inputs: Vec<Arc<Tensor>>) -> Result<Vec<Arc<Tensor>>, Diagnostic> {
        let body = &self.steps.bodies[body];
        let mut slots: Vec<Option<Arc<Tensor>>> = vec![None; body.slots];
        for (&slot, input) in body.inputs.iter().zip(inputs) {
            slots[slot] = Some(input);
        }
        body.unread.iter().for_each(|&slot| slots[slot] = None);
        for step in &body.steps {
            self.comm.check()?;
            let args =
                step.args.iter().map(|&(slot, last)| if last { slots[slot].take() } else { slots[slot].clone() });
            let args: Vec<Arc<Tensor>> =
                args.collect::<Option<_>>().ok_or_else(|| self.error(step, "has no operand"))?;
            let outs = self.step(step, args)?;
            if !outs.iter().map(|t| &t.ty).eq(&step.types) {
                return Err(
                    self.error(step, &format!("gave {}, not {}", list(outs.iter().map(|t| &t.ty)), list(&step.types)))
                );
            }
            for (&slot, out) in step.outs.iter().zip(outs) {
                slots[slot] = Some(out);
            }
            step.unread.iter().for_each(|&slot| slots[slot] = None);
        }
        Ok(body.outputs.iter().filter_map(|&slot| slots[slot].clone()).collect())
    }

    fn step(&self, step: &Step, mut args: Vec<Arc<Tensor>>) -> Result<Vec<Arc<Tensor>>, Diagnostic> {
        let op = &self.steps.program.ops[step.op];
        match &step.action {
            Action::Compute(kernel) => {
                let cx = KernelCx { program: &self.steps.program, op, place: &self.place };
                let outs = kernel.run(&cx, args).map_err(|e| self.error(step, &e))?;
                Ok(outs.into_iter().map(Arc::new).collect())
            }
            Action::Loop(trip, body) => {
                for _ in 0..*trip {
                    self.comm.check()?;
                    args = self.body(*body, args)?;
                }
                Ok(args)
            }
            Action::Meet(groups, name) => {
                let at = Site { name, group: &groups[self.comm.rank()] };
                if let OpKind::AllReduce(op) = &op.kind {
                    // One after the other, in the order of the op: the same on every device.
                    return args.into_iter().map(|value| self.comm.all_reduce(at, op.monoid, value)).collect();
                }
                let value = args.pop().ok_or_else(|| self.error(step, "has no operand"))?;
                let size = |dim: usize| step.types[0].shape[dim];
                Ok(vec![match &op.kind {
                    OpKind::AllGather(op) => self.comm.all_gather(at, op.dim, size(op.dim), value)?,
                    OpKind::ReduceScatter(op) => self.comm.reduce_scatter(at, op.monoid, op.dim, value)?,
                    OpKind::AllToAll(op) => self.comm.all_to_all(at, op.from, size(op.from), op.to, value)?,
                    OpKind::Permute(op) => self.comm.permute(at, &op.pairs, value)?,
                    _ => return Err(self.error(step, "is not a collective")),
                }])
            }
        }
    }

    fn error(&self, step: &Step, what: &str) -> Diagnostic {
        let op = &self.steps.program.ops[step.op];
        Diagnostic::new(Code::R004, format!("`{}` {what}", op_name(&self.steps.program, op)))
            .note(format!("on device {}", self.comm.rank()))
    }
}
