//! Failures of devices: missing arrival, wrong collective, mismatched operands, aborts, errors, panics and stalls end
//! the run promptly with a reason.

#![allow(unsafe_code, reason = "kernels are called")]

use expect_test::{Expect, expect};
use partita_ir::arena::AxisId;
use partita_ir::diag::{Code, Diagnostic, Source};
use partita_ir::dtype::{DType, Type};
use partita_ir::layout::Monoid;
use partita_ir::mesh::{AxisRef, DeviceMesh};
use partita_ir::tensor::{Scalar, Tensor};
use partita_ir::text::parse;
use partita_ir::verify::verify;
use partita_machine::host::Work;
use partita_runtime::collective_exec::{CollectiveExec, MemberBuffers};
use partita_runtime::communicator::{CollectiveCall, CollectiveHandle, Communicator, Contribution};
use partita_runtime::executor::Executable;
use partita_runtime::group::Group;
use partita_runtime::interpreter::interpreted;
use partita_runtime::kernel::{Kernel, KernelCx, Memory, ReferenceKernel};
use partita_runtime::session::Session;
use partita_runtime::shared::{Limits, World};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Devices that a test lets arrive at sums of four numbers.
struct TestDevices {
    world: World,
    groups: Vec<Vec<Group>>,
    execs: Arc<[CollectiveExec]>,
    memory: Vec<Vec<f32>>,
    woken: Arc<Mutex<Vec<usize>>>,
}

impl TestDevices {
    /// Creates devices of a mesh with the given axis sizes and a group along each axis.
    fn new(sizes: &[u32]) -> TestDevices {
        let names = ["x", "y"];
        let mesh = Arc::new(DeviceMesh::new("m", names.into_iter().zip(sizes.iter().copied())));
        let along = |axis| Group::along_axes(&mesh, &[AxisRef::full(&mesh, AxisId(axis))]);
        let groups: Vec<Vec<Group>> = (0..sizes.len() as u32).map(along).collect();
        let ty = Type::new(DType::F32, [4]);
        let exec = CollectiveExec::all_reduce(Monoid::Sum, &ty, &groups[0][0]).unwrap();
        let count = mesh.device_count();
        let woken: Arc<Mutex<Vec<usize>>> = Arc::default();
        let world = World::new(count, {
            let woken = woken.clone();
            move |rank| woken.lock().unwrap().push(rank)
        });
        TestDevices { world, groups, execs: [exec].into(), memory: vec![vec![1.0; 4]; count], woken }
    }

    fn start(&mut self, rank: usize, axis: usize, name: &str, bytes: usize) -> Result<CollectiveHandle, Diagnostic> {
        let call = CollectiveCall { name, group: &self.groups[axis][rank], execs: &self.execs };
        let memory = self.memory[rank].as_mut_ptr().cast::<u8>();
        let buffers = MemberBuffers { input: memory, output: memory };
        self.world.member(rank).start(call, vec![Contribution { buffers, bytes }])
    }

    /// Starts a sum and polls it.
    fn sum(&mut self, rank: usize, axis: usize, name: &str) -> Result<bool, Diagnostic> {
        let handle = self.start(rank, axis, name, 16)?;
        self.world.member(rank).poll(&handle)
    }
}

fn assert_failed(devices: &TestDevices, why: &Expect) {
    why.assert_eq(&devices.world.check().unwrap_err().to_string());
}

#[test]
fn last_arrival_executes_the_collective_and_wakes_the_others() {
    let mut devices = TestDevices::new(&[3]);
    assert!(!devices.sum(0, 0, "%y = all_reduce").unwrap());
    assert!(!devices.sum(2, 0, "%y = all_reduce").unwrap());
    assert!(devices.sum(1, 0, "%y = all_reduce").unwrap());
    assert_eq!(*devices.woken.lock().unwrap(), [0, 2]);
    assert_eq!(devices.memory, vec![vec![3.0; 4]; 3]);
}

#[test]
fn collectives_may_overlap() {
    let mut devices = TestDevices::new(&[2]);
    let first = devices.start(0, 0, "%a = all_reduce", 16).unwrap();
    // Real programs use different memory.
    let second = devices.start(0, 0, "%b = all_reduce", 16).unwrap();
    devices.start(1, 0, "%a = all_reduce", 16).unwrap();
    assert!(devices.world.member(0).poll(&first).unwrap());
    assert!(!devices.world.member(0).poll(&second).unwrap());
}

#[test]
fn missing_arrival_of_a_finished_device_is_detected() {
    let mut devices = TestDevices::new(&[3]);
    devices.sum(0, 0, "%b = all_reduce").unwrap();
    devices.sum(2, 0, "%b = all_reduce").unwrap();
    devices.world.finish(1);
    assert_failed(
        &devices,
        &expect![[r#"
        error[R005]: device 1 did not arrive at `%b = all_reduce` and never will
          = note: devices 0, 2 wait there
          = note: device 1 has finished"#]],
    );
}

#[test]
fn cyclic_wait_is_detected() {
    // 0 and 1 share a row, 2 and 3 another; but 1 first waits for 3, and 2 for 0.
    let mut devices = TestDevices::new(&[2, 2]);
    devices.sum(0, 1, "%row = all_reduce").unwrap();
    devices.sum(3, 1, "%row = all_reduce").unwrap();
    devices.sum(1, 0, "%column = all_reduce").unwrap();
    devices.sum(2, 0, "%column = all_reduce").unwrap();
    assert_failed(
        &devices,
        &expect![[r#"
        error[R005]: device 1 did not arrive at `%row = all_reduce` and never will
          = note: device 0 waits there
          = note: device 1 waits at `%column = all_reduce`"#]],
    );
}

#[test]
fn endless_computation_exceeds_the_deadline() {
    let mut devices = TestDevices::new(&[2]);
    devices.sum(0, 0, "%y = all_reduce").unwrap();
    let deadline = Duration::from_millis(20);
    while devices.world.check().is_ok() {
        std::thread::sleep(devices.world.check_deadline(deadline));
    }
    assert_failed(
        &devices,
        &expect![[r#"
        error[R005]: device 1 did not arrive at `%y = all_reduce` within 20ms
          = note: device 0 waits there
          = note: device 1 is still computing"#]],
    );
    assert_eq!(*devices.woken.lock().unwrap(), [0]);
}

#[test]
fn different_collectives_are_an_error() {
    let mut devices = TestDevices::new(&[2]);
    devices.sum(0, 0, "%a = all_reduce").unwrap();
    devices.sum(1, 0, "%b = all_reduce").unwrap_err();
    assert_failed(
        &devices,
        &expect![[r#"
        error[R005]: device 1 did not arrive at `%a = all_reduce`
          = note: device 0 waits there
          = note: device 1 is at `%b = all_reduce` with the same devices"#]],
    );
}

#[test]
fn mismatched_operand_sizes_are_an_error() {
    let mut devices = TestDevices::new(&[2]);
    devices.sum(0, 0, "%y = all_reduce").unwrap();
    devices.start(1, 0, "%y = all_reduce", 12).unwrap_err();
    assert_failed(
        &devices,
        &expect!["error[R004]: `%y = all_reduce`: device 1 has operands of 12 bytes, expected 16 bytes"],
    );
    assert_eq!(*devices.woken.lock().unwrap(), [0]);
}

#[test]
fn abort_wakes_all_waiting_devices() {
    let mut devices = TestDevices::new(&[4]);
    for rank in [0, 1, 3] {
        devices.sum(rank, 0, "%y = all_reduce").unwrap();
    }
    devices.world.member(2).abort(Diagnostic::new(Code::R004, "out of paper"));
    assert_eq!(*devices.woken.lock().unwrap(), [0, 1, 3]);
    assert_failed(&devices, &expect!["error[R004]: out of paper"]);
}

/// Kernel that fails, panics or stalls on device 1.
struct Faulty(fn() -> Result<(), String>);

impl Kernel for Faulty {
    unsafe fn run(&self, cx: &KernelCx<'_>, _: Memory<'_>) -> Result<(), String> {
        if cx.place.coords[0] == 1 { (self.0)() } else { Ok(()) }
    }

    fn work(&self, _: usize) -> Work {
        Work::default()
    }
}

/// Runs a program on three devices with two cores; device 1 executes `fault`.
fn run_faulty(fault: fn() -> Result<(), String>, deadline: Duration) -> Result<Vec<Tensor>, Diagnostic> {
    let text = "form local mesh @m = [x=3] input %x : f32[3@x]
        %y = neg %x : f32[1] %z = all_reduce sum over x %y : f32[1] output %z";
    let program = parse(&Source::new("test.pir", text)).unwrap_or_else(|e| panic!("{}", e[0]));
    let proof = verify(&program).unwrap_or_else(|e| panic!("{}", e[0])).into_form().unwrap();
    let executable = interpreted(proof, &|_, _| Arc::new(Faulty(fault))).unwrap();
    let input = Tensor::splat(Type::new(DType::F32, [3]), Scalar::Float(1.0));
    executable.with_limits(Limits { deadline, cores: 2 }).run(&[input])
}

/// Returns the number of threads of this process.
fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").map_or(0, |tasks| tasks.count())
}

#[test]
fn failure_of_one_device_ends_the_run() {
    let long = Duration::from_secs(600);
    let failed = |fault| run_faulty(fault, long).unwrap_err().to_string();
    expect![[r#"
        error[R004]: `%y = neg` is out of paper
          = note: on device 1"#]]
    .assert_eq(&failed(|| Err("is out of paper".into())));
    expect![[r#"
        error[R004]: device 1 panicked: paper jam
          = note: this is an error in Partita, not in the model"#]]
    .assert_eq(&failed(|| panic!("paper jam")));
}

#[test]
fn stalled_device_ends_the_run_at_the_deadline() {
    let before = Instant::now();
    let stall = || {
        std::thread::sleep(Duration::from_secs(3));
        Ok(())
    };
    // The other devices arrive within a second on a busy machine, too.
    let error = run_faulty(stall, Duration::from_secs(1)).unwrap_err();
    assert!(before.elapsed() < Duration::from_secs(8));
    expect![[r#"
        error[R005]: device 1 did not arrive at `%z = all_reduce` within 1s
          = note: devices 0, 2 wait there
          = note: device 1 is still computing"#]]
    .assert_eq(&error.to_string());
    // The thread pool of the run is dropped with the run.
    let started = Instant::now();
    let left = threads();
    while threads() >= left && left > 4 && started.elapsed() < Duration::from_secs(8) {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(started.elapsed() < Duration::from_secs(8), "{left} threads are left behind");
}

/// Kernel that computes, or fails while the flag is set.
struct Flagged(ReferenceKernel, Arc<AtomicBool>);

impl Kernel for Flagged {
    unsafe fn run(&self, cx: &KernelCx<'_>, memory: Memory<'_>) -> Result<(), String> {
        match self.1.load(SeqCst) {
            true => Err("is out of paper".into()),
            // SAFETY: guaranteed by the caller.
            false => unsafe { self.0.run(cx, memory) },
        }
    }

    fn work(&self, _: usize) -> Work {
        Work::default()
    }
}

/// Returns a session on two devices that adds a batch to `w`, initially 1, and the flag that makes it fail.
fn session() -> (Session, Arc<AtomicBool>) {
    let text = "form local mesh @m = [x=2] param %w \"w\" : f32[2@x] input %x : f32[2@x]
        %y = add %w, %x : f32[2@x] output %y";
    let program = parse(&Source::new("test.pir", text)).unwrap_or_else(|e| panic!("{}", e[0]));
    let proof = verify(&program).unwrap_or_else(|e| panic!("{}", e[0])).into_form().unwrap();
    let flag = Arc::new(AtomicBool::default());
    let kernel = |program: &_, op| -> Arc<dyn Kernel> {
        Arc::new(Flagged(ReferenceKernel::new(Arc::clone(program), op), flag.clone()))
    };
    let executable = Arc::new(interpreted(proof, &kernel).unwrap());
    (Session::start(executable, &[Some(numbers([1.0, 1.0])), None], &[(0, 0)]).unwrap(), flag)
}

fn numbers(numbers: [f64; 2]) -> Tensor {
    Tensor::from_floats(Type::new(DType::F32, [2]), numbers.into())
}

#[test]
fn inputs_survive_a_failed_run() {
    let (mut session, fails) = session();
    session.run(&[numbers([1.0, 2.0])]).unwrap();
    fails.store(true, SeqCst);
    session.run(&[numbers([1.0, 2.0])]).unwrap_err();
    fails.store(false, SeqCst);
    session.run(&[numbers([1.0, 2.0])]).unwrap();
    assert_eq!(session.persistent_inputs().unwrap(), [Some(numbers([3.0, 5.0])), None]);
}
