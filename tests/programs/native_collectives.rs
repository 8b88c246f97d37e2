//! Programs on processes whose transport has collectives of its own: the faster ones are used, and results agree with
//! those of one process.

use filetests::agree::partition_by;
use filetests::gpt::Gpt;
use partita_cpu::Cpu;
use partita_ir::dtype::DType;
use partita_ir::interp::random_inputs;
use partita_ir::layout::Monoid;
use partita_ir::plan::{Mesh, Plan};
use partita_ir::program::Program;
use partita_ir::tensor::Tensor;
use partita_ir::verify::verify;
use partita_machine::network::RankTransport;
use partita_runtime::backend::Backend;
use partita_runtime::executor::Executable;
use partita_runtime::processes::Processes;
use partita_runtime::processes::native::{
    CollectiveChoice, GroupNumber, NativeBuffers, NativeCall, NativeCollectives, NativeMemory, NativeOp,
};
use partita_runtime::processes::threads::ThreadWire;
use partita_runtime::processes::wire::{Message, Receiver, Wire};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// Processes of a group, the devices of which are distinguished by the number of the group, and the number of a call.
type CallKey = (Vec<usize>, usize, usize);

/// Calls of processes that have arrived, by position in the group.
type Arrived = BTreeMap<CallKey, Vec<Option<NativeCall>>>;

/// Wire with collectives, which delays the packets of Partita's own ones.
struct WireWithCollectives {
    wire: ThreadWire,
    arrived: Arc<Mutex<Arrived>>,
    /// Processes of each group, the number of equal groups before, and the number of calls.
    groups: Mutex<Vec<CallKey>>,
    /// Names of the collectives whose operand and result are in the memory of a device.
    without_copies: Arc<Mutex<BTreeSet<&'static str>>>,
}

impl WireWithCollectives {
    fn connected(count: usize) -> Vec<WireWithCollectives> {
        let arrived = Arc::<Mutex<Arrived>>::default();
        let with = |wire| WireWithCollectives {
            wire,
            arrived: arrived.clone(),
            groups: Mutex::default(),
            without_copies: Arc::default(),
        };
        ThreadWire::connected(count).into_iter().map(with).collect()
    }
}

impl Wire for WireWithCollectives {
    fn index(&self) -> usize {
        self.wire.index()
    }

    fn count(&self) -> usize {
        self.wire.count()
    }

    fn local_count(&self) -> usize {
        self.wire.local_count()
    }

    fn transport(&self) -> RankTransport {
        RankTransport::Mpi
    }

    fn start(&self, receiver: Arc<dyn Receiver>) {
        self.wire.start(receiver);
    }

    fn send(&self, to: usize, message: Message) {
        if let Message::Packet { .. } = message {
            thread::sleep(Duration::from_millis(3));
        }
        self.wire.send(to, message);
    }

    fn finish(&self) {
        self.wire.finish();
    }

    fn collectives(&self) -> Option<&dyn NativeCollectives> {
        Some(self)
    }
}

impl NativeCollectives for WireWithCollectives {
    fn supports(&self, op: NativeOp, _: usize) -> bool {
        match op {
            NativeOp::AllReduce(monoid, dtype) | NativeOp::ReduceScatter(monoid, dtype) => {
                monoid == Monoid::Sum && dtype == DType::F32
            }
            NativeOp::AllGather | NativeOp::AllToAll => true,
        }
    }

    fn create_group(&self, processes: &[usize]) -> GroupNumber {
        let mut groups = self.groups.lock().unwrap();
        let equal = groups.iter().filter(|(known, ..)| known == processes).count();
        groups.push((processes.to_vec(), equal, 0));
        GroupNumber(groups.len() - 1)
    }

    fn start(&self, call: NativeCall) {
        if let NativeBuffers { send: NativeMemory::Device(_), receive: NativeMemory::Device(_) } = &call.buffers {
            self.without_copies.lock().unwrap().insert(call.op.name());
        }
        let key = {
            let mut groups = self.groups.lock().unwrap();
            let group = &mut groups[call.group.0];
            group.2 += 1;
            group.clone()
        };
        let mut arrived = self.arrived.lock().unwrap();
        let count = key.0.len();
        let position = key.0.iter().position(|&process| process == self.index()).unwrap();
        let calls = arrived.entry(key.clone()).or_insert_with(|| (0..count).map(|_| None).collect());
        calls[position] = Some(call);
        if calls.iter().all(Option::is_some) {
            let calls = arrived.remove(&key).unwrap().into_iter().map(Option::unwrap).collect();
            drop(arrived);
            perform(calls);
        }
    }
}

/// Sums elements from the last process to the first, in another order than Partita.
fn sum<'b>(operands: impl DoubleEndedIterator<Item = &'b [u8]>, bytes: usize) -> Vec<u8> {
    let mut sums = vec![0f32; bytes / 4];
    for operand in operands.rev() {
        for (sum, element) in sums.iter_mut().zip(operand.as_chunks::<4>().0) {
            *sum += f32::from_ne_bytes(*element);
        }
    }
    sums.iter().flat_map(|sum| sum.to_ne_bytes()).collect()
}

/// Executes a collective of all processes of a group.
fn perform(calls: Vec<NativeCall>) {
    let (op, part) = (calls[0].op, calls[0].part_bytes);
    let send = |process: usize, at: usize| &calls[process].buffers.send.as_bytes()[at * part..(at + 1) * part];
    // The operand, which is at a position in the result if it is not sent from elsewhere.
    let operand = |process: usize, at: usize| match &calls[process].buffers {
        NativeBuffers { send, receive } if send.as_bytes().is_empty() => {
            &receive.as_bytes()[at * part..(at + 1) * part]
        }
        NativeBuffers { send, .. } => send.as_bytes(),
    };
    let all = 0..calls.len();
    let result = |process: usize| -> Vec<u8> {
        match op {
            NativeOp::AllReduce(..) => sum(all.clone().map(|other| operand(other, 0)), part),
            NativeOp::ReduceScatter(..) => sum(all.clone().map(|other| send(other, process)), part),
            NativeOp::AllGather => all.clone().flat_map(|other| operand(other, other).to_vec()).collect(),
            NativeOp::AllToAll => all.clone().flat_map(|other| send(other, process).to_vec()).collect(),
        }
    };
    let results: Vec<Vec<u8>> = all.clone().map(result).collect();
    for (NativeCall { mut buffers, complete, .. }, result) in calls.into_iter().zip(results) {
        let NativeBuffers { receive, .. } = &mut buffers;
        receive.as_mut_bytes().copy_from_slice(&result);
        complete(buffers);
    }
}

/// Results of a process.
struct Trained {
    outputs: Vec<Tensor>,
    choices: Vec<CollectiveChoice>,
    without_copies: BTreeSet<&'static str>,
}

/// Executes a training step on several processes.
fn train(local: &Program, count: usize, is_exact: bool) -> Vec<Trained> {
    let inputs = random_inputs(local, 7).unwrap();
    let run = |wire: WireWithCollectives| {
        let without_copies = wire.without_copies.clone();
        let processes = Processes::new(Arc::new(wire), Duration::from_secs(60));
        if !is_exact {
            processes.use_native_collectives();
        }
        let step = Cpu.compile_on(verify(local).unwrap().into_form().unwrap(), processes.clone()).unwrap();
        let outputs = step.run(&inputs).and_then(|_| step.run(&inputs)).unwrap();
        let without_copies = without_copies.lock().unwrap().clone();
        Trained { outputs, choices: processes.collective_choices(), without_copies }
    };
    thread::scope(|scope| {
        let start = |wire| scope.spawn(|| run(wire));
        let running: Vec<_> = WireWithCollectives::connected(count).into_iter().map(start).collect();
        running.into_iter().map(|process| process.join().unwrap()).collect()
    })
}

/// Number of devices of each plan.
const DEVICES: usize = 4;

/// Checks both modes of a plan, and that the given collectives of the transport are used.
fn check(plan: &Plan, count: usize, expected: &[&str]) {
    let gpt = Gpt { layers: 2, width: 24, heads: 4, sequence: 6, vocabulary: 24, batch: 8, dropout: false };
    let local =
        partition_by(&gpt.program().unwrap(), plan.clone().train("adamw")).unwrap_or_else(|e| panic!("{}", e[0]));
    let local = local.local;
    let inputs = random_inputs(&local, 7).unwrap();
    let one = Cpu.compile(verify(&local).unwrap().into_form().unwrap()).unwrap().run(&inputs).unwrap();
    for Trained { outputs, choices, .. } in train(&local, count, true) {
        assert!(outputs == one && choices.is_empty(), "exact results differ: {}", plan.to_toml());
    }
    let all = train(&local, count, false);
    for Trained { outputs, choices, without_copies } in &all {
        assert_eq!(*choices, all[0].choices, "processes choose differently");
        for name in expected {
            let is_used = |choice: &CollectiveChoice| choice.collective == *name && choice.is_native();
            assert!(choices.iter().any(is_used), "{name} is not used: {choices:?}");
            assert!(count < DEVICES || without_copies.contains(name), "memory of {name} is copied: {without_copies:?}");
        }
        for (ours, theirs) in one.iter().zip(outputs) {
            for (a, b) in ours.scalars().zip(theirs.scalars()) {
                let (a, b) = (a.to_f64(), b.to_f64());
                assert!((a - b).abs() <= 1e-3 * a.abs().max(1.0), "{a} and {b} differ: {}", plan.to_toml());
            }
        }
    }
}

#[test]
fn processes_use_sums_of_the_transport() {
    check(&Plan::new(Mesh::new([("data", DEVICES as u32)]).unwrap()).preset("data"), DEVICES, &["all_reduce"]);
}

#[test]
fn devices_of_a_process_are_combined_first() {
    let mesh = Mesh::new([("data", 2), ("model", 2)]).unwrap();
    check(&Plan::new(mesh.clone()).preset("data,megatron"), 2, &["all_reduce"]);
    check(&Plan::new(mesh).preset("data,megatron"), 3, &["all_reduce"]);
}

#[test]
fn shards_are_gathered_and_scattered_by_the_transport() {
    let plan = Plan::new(Mesh::new([("data", DEVICES as u32)]).unwrap()).preset("zero3");
    check(&plan, DEVICES, &["all_gather", "reduce_scatter"]);
}
