//! Programs on several processes compared with the same programs in one process: outputs are identical bit for bit, for
//! every plan, number of processes and wire.

use filetests::agree::partition_by;
use filetests::gpt::Gpt;
use partita_cpu::Cpu;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::interp::random_inputs;
use partita_ir::pipeline::Pipeline;
use partita_ir::plan::{Mesh, Plan};
use partita_ir::program::Program;
use partita_ir::tensor::Tensor;
use partita_ir::verify::verify;
use partita_machine::network::RankTransport;
use partita_passes::driver::{Findings, Input};
use partita_passes::import::updates::replacements;
use partita_passes::pipelines::build_step;
use partita_passes::pipelining::stages::pipeline;
use partita_runtime::backend::Backend;
use partita_runtime::executor::Executable;
use partita_runtime::processes::Processes;
use partita_runtime::processes::tcp::{Rendezvous, TcpWire};
use partita_runtime::processes::threads::ThreadWire;
use partita_runtime::processes::wire::{Message, Receiver, Wire};
use partita_runtime::session::Session;
use std::net::TcpListener;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

const LONGEST_SILENCE: Duration = Duration::from_secs(60);

/// A training step, partitioned by a plan.
enum Step {
    Direct(Program),
    Stages(Program, Arc<Pipeline>),
}

impl Step {
    /// Partitions the training step of a GPT whose sizes do not divide evenly.
    fn new(plan: &Plan) -> Step {
        let gpt = Gpt { layers: 2, width: 24, heads: 4, sequence: 5, vocabulary: 23, batch: 6, dropout: false };
        let model = gpt.program().unwrap();
        let plan = plan.clone().train("adamw");
        let Some(config) = plan.pipeline_config().unwrap() else {
            return Step::Direct(partition_by(&model, plan).unwrap_or_else(|e| panic!("{}", e[0])).local);
        };
        let mut step = model;
        let (input, mut findings) = (Input::with_plan(plan), Findings::default());
        build_step(&mut step, &input, &mut findings).unwrap_or_else(|e| panic!("{}", e[0]));
        let stages =
            pipeline(&step, &config, &input, &mut findings, &mut |_| Ok(())).unwrap_or_else(|e| panic!("{}", e[0]));
        Step::Stages(step, Arc::new(stages))
    }

    fn program(&self) -> &Program {
        match self {
            Step::Direct(program) | Step::Stages(program, _) => program,
        }
    }

    /// Compiles the step, on the devices of one or of several processes.
    fn compile(&self, processes: Option<Arc<Processes>>) -> Result<Arc<dyn Executable>, Diagnostic> {
        Ok(match (self, processes) {
            (Step::Direct(local), None) => Arc::new(Cpu.compile(verify(local).unwrap().into_form().unwrap())?),
            (Step::Direct(local), Some(processes)) => {
                Arc::new(Cpu.compile_on(verify(local).unwrap().into_form().unwrap(), processes)?)
            }
            (Step::Stages(step, stages), None) => Arc::new(Cpu.compile_pipeline(stages.clone(), step)?),
            (Step::Stages(step, stages), Some(processes)) => {
                Arc::new(Cpu.compile_pipeline_on(stages.clone(), step, processes)?)
            }
        })
    }

    /// Runs three steps in a session. Returns the outputs of each step, and then parameters and state.
    fn train(&self, processes: Option<Arc<Processes>>) -> Result<Vec<Vec<Tensor>>, Diagnostic> {
        let step = self.program();
        let inputs = random_inputs(step, 3).unwrap();
        let position = |value| step.inputs().iter().position(|&v| v == value).unwrap();
        let carried: Vec<(usize, usize)> = replacements(step).iter().map(|r| (r.output, position(r.input))).collect();
        let stays = |i: usize| step.param_of(step.inputs()[i]).is_some() || carried.iter().any(|c| c.1 == i);
        let given: Vec<Tensor> = (0..inputs.len()).filter(|&i| !stays(i)).map(|i| inputs[i].clone()).collect();
        let held: Vec<Option<Tensor>> = (0..inputs.len()).map(|i| stays(i).then(|| inputs[i].clone())).collect();
        let mut session = Session::start(self.compile(processes)?, &held, &carried)?;
        let mut all = Vec::new();
        for _ in 0..3 {
            all.push(session.run(&given)?);
        }
        all.push(session.persistent_inputs()?.into_iter().flatten().collect());
        Ok(all)
    }
}

/// Runs a function on threads that act as processes.
fn on_processes<W: Wire + 'static, T: Send>(wires: Vec<W>, run: impl Fn(Arc<Processes>) -> T + Sync) -> Vec<T> {
    thread::scope(|scope| {
        let run = &run;
        let start = |wire| scope.spawn(move || run(Processes::new(Arc::new(wire), LONGEST_SILENCE)));
        let running: Vec<_> = wires.into_iter().map(start).collect();
        running.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// Connects processes by TCP on this host.
fn tcp_wires(count: usize) -> Vec<TcpWire> {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let connect = |index| {
        let (host, timeout) = ("127.0.0.1".to_owned(), Duration::from_secs(20));
        TcpWire::connect(&Rendezvous { index, count, local_count: count, host, port, timeout }).unwrap()
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..count).map(|index| scope.spawn(move || connect(index))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

fn plan(axes: &[(&str, u32)], presets: &str) -> Plan {
    Plan::new(Mesh::new(axes.iter().map(|&(name, size)| (name, size))).unwrap()).preset(presets)
}

/// Panics unless training on processes gives the bits of training in one process.
fn check(plan: &Plan, counts: &[usize]) {
    let step = Step::new(plan);
    let expected = step.train(None).unwrap();
    for &count in counts {
        for trained in on_processes(ThreadWire::connected(count), |processes| step.train(Some(processes))) {
            assert!(trained.unwrap() == expected, "{count} processes differ from one: {}", plan.to_toml());
        }
    }
}

#[test]
fn data_parallel_training_is_identical() {
    check(&plan(&[("data", 4)], "data"), &[1, 2, 3, 4]);
    // Six sequences on four devices, and seven devices for three processes.
    check(&plan(&[("data", 7)], "data"), &[3, 7]);
}

#[test]
fn sharded_training_is_identical() {
    check(&plan(&[("model", 4)], "megatron"), &[2, 4]);
    check(&plan(&[("model", 3)], "megatron"), &[2, 3]);
    check(&plan(&[("data", 3)], "zero3"), &[2, 3]);
    check(&plan(&[("data", 2), ("model", 2)], "data,megatron,sequence"), &[2, 3, 4]);
}

#[test]
fn stages_are_identical() {
    for schedule in ["1f1b", "gpipe", "zb-h1"] {
        let stages = plan(&[("data", 1)], "data").pipeline("2").schedule(schedule).micro_batches("3");
        check(&stages, &[2]);
    }
    let stages = plan(&[("data", 2)], "data").pipeline("2").schedule("1f1b").micro_batches("3");
    check(&stages, &[2, 3, 4]);
}

#[test]
fn processes_connected_by_tcp_are_identical() {
    let step = Step::new(&plan(&[("data", 2), ("model", 2)], "data,megatron"));
    let expected = step.train(None).unwrap();
    for trained in on_processes(tcp_wires(4), |processes| step.train(Some(processes))) {
        assert!(trained.unwrap() == expected);
    }
}

#[test]
fn a_process_that_fails_is_named_by_all_others() {
    let step = Step::new(&plan(&[("data", 3)], "data"));
    let results = on_processes(tcp_wires(3), |processes| match processes.index() {
        1 => {
            processes.abort(&Diagnostic::new(Code::D009, "the disk is full"));
            Ok(Vec::new())
        }
        _ => step.train(Some(processes)),
    });
    for index in [0, 2] {
        let error = results[index].as_ref().unwrap_err();
        assert_eq!((error.code, error.title.as_str()), (Code::R005, "rank 1 failed: the disk is full"));
    }
}

#[test]
fn a_process_that_ends_without_notice_is_named_by_all_others() {
    let step = Step::new(&plan(&[("data", 3)], "data"));
    let results = on_processes(tcp_wires(3).into_iter().map(Lossy).collect(), |processes| match processes.index() {
        1 => Ok(Vec::new()),
        _ => step.train(Some(processes)),
    });
    for index in [0, 2] {
        let error = results[index].as_ref().unwrap_err();
        assert!(error.title.starts_with("rank 1 was lost"), "{error}");
    }
}

/// TCP wire whose process 1 ends without notice.
struct Lossy(TcpWire);

impl Wire for Lossy {
    fn index(&self) -> usize {
        self.0.index()
    }

    fn count(&self) -> usize {
        self.0.count()
    }

    fn local_count(&self) -> usize {
        self.0.local_count()
    }

    fn transport(&self) -> RankTransport {
        self.0.transport()
    }

    fn start(&self, receiver: Arc<dyn Receiver>) {
        if self.index() != 1 {
            self.0.start(receiver);
        }
    }

    fn send(&self, to: usize, message: Message) {
        if self.index() != 1 {
            self.0.send(to, message);
        }
    }

    fn finish(&self) {
        if self.index() != 1 {
            self.0.finish();
        }
    }
}

#[test]
fn more_processes_than_devices_are_an_error() {
    let step = Step::new(&plan(&[("data", 2)], "data"));
    for result in on_processes(ThreadWire::connected(3), |processes| step.train(Some(processes))) {
        let error = result.unwrap_err();
        assert_eq!(error.title, "3 ranks were started for 2 devices, but each rank executes at least one");
    }
}
