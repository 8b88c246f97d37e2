//! Devices that do not come, come to the wrong place, bring what is not asked for, abort, fail, panic or stall: all end
//! at once, and say why.

#![allow(clippy::panic, clippy::unwrap_used, unsafe_code, reason = "a test")]

use expect_test::{Expect, expect};
use partita_ir::arena::AxisId;
use partita_ir::diag::{Code, Diagnostic, Source};
use partita_ir::dtype::{DType, Type};
use partita_ir::layout::Monoid;
use partita_ir::mesh::{AxisRef, Mesh};
use partita_ir::tensor::{Scalar, Tensor};
use partita_ir::text::parse;
use partita_ir::verify::verify;
use partita_machine::host::Work;
use partita_runtime::communicator::{Brought, Communicator, Site, Ticket};
use partita_runtime::exchange::{Exchange, Part};
use partita_runtime::executor::Executable;
use partita_runtime::group::Group;
use partita_runtime::interpreter::interpreted;
use partita_runtime::kernel::{Kernel, KernelCx, Memory, Reference};
use partita_runtime::session::Session;
use partita_runtime::shared::{Limits, World};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Devices that come to sums of four numbers when a test says so.
struct Devices {
    world: World,
    groups: Vec<Vec<Group>>,
    exchange: Arc<[Exchange]>,
    memory: Vec<Vec<f32>>,
    woken: Arc<Mutex<Vec<usize>>>,
}

impl Devices {
    /// On a mesh of those sizes; the groups are along each of its axes.
    fn new(sizes: &[u32]) -> Devices {
        let names = ["x", "y"];
        let mesh = Arc::new(Mesh::new("m", names.into_iter().zip(sizes.iter().copied())));
        let along = |axis| Group::all(&mesh, &[AxisRef::whole(&mesh, AxisId(axis))]);
        let groups: Vec<Vec<Group>> = (0..sizes.len() as u32).map(along).collect();
        let ty = Type::new(DType::F32, [4]);
        let exchange = Exchange::all_reduce(Monoid::Sum, &ty, &groups[0][0]).unwrap();
        let count = mesh.device_count();
        let woken: Arc<Mutex<Vec<usize>>> = Arc::default();
        let world = World::new(count, {
            let woken = woken.clone();
            move |rank| woken.lock().unwrap().push(rank)
        });
        Devices { world, groups, exchange: [exchange].into(), memory: vec![vec![1.0; 4]; count], woken }
    }

    fn come(&mut self, rank: usize, axis: usize, name: &str, bytes: usize) -> Result<Ticket, Diagnostic> {
        let at = Site { name, group: &self.groups[axis][rank], exchanges: &self.exchange };
        let memory = self.memory[rank].as_mut_ptr().cast::<u8>();
        let part = Part { input: memory, output: memory };
        self.world.member(rank).start(at, vec![Brought { part, bytes }])
    }

    /// Comes to a sum and waits for it.
    fn sum(&mut self, rank: usize, axis: usize, name: &str) -> Result<bool, Diagnostic> {
        let ticket = self.come(rank, axis, name, 16)?;
        self.world.member(rank).poll(&ticket)
    }
}

fn assert_failed(devices: &Devices, why: &Expect) {
    why.assert_eq(&devices.world.check().unwrap_err().to_string());
}

#[test]
fn the_last_one_performs_the_sum_and_wakes_the_others() {
    let mut devices = Devices::new(&[3]);
    assert!(!devices.sum(0, 0, "%y = all_reduce").unwrap());
    assert!(!devices.sum(2, 0, "%y = all_reduce").unwrap());
    assert!(devices.sum(1, 0, "%y = all_reduce").unwrap());
    assert_eq!(*devices.woken.lock().unwrap(), [0, 2]);
    assert_eq!(devices.memory, vec![vec![3.0; 4]; 3]);
}

#[test]
fn a_device_may_start_the_next_collective_before_it_waits_for_the_last() {
    let mut devices = Devices::new(&[2]);
    let first = devices.come(0, 0, "%a = all_reduce", 16).unwrap();
    // In real programs it is other memory.
    let second = devices.come(0, 0, "%b = all_reduce", 16).unwrap();
    devices.come(1, 0, "%a = all_reduce", 16).unwrap();
    assert!(devices.world.member(0).poll(&first).unwrap());
    assert!(!devices.world.member(0).poll(&second).unwrap());
}

#[test]
fn a_device_that_ends_early_is_missed_at_once() {
    let mut devices = Devices::new(&[3]);
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
fn devices_that_wait_for_each_other_are_found_at_once() {
    // 0 and 1 meet, 2 and 3 meet; but 1 waits for 3 first, and 2 for 0.
    let mut devices = Devices::new(&[2, 2]);
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
fn a_device_that_computes_for_ever_misses_the_deadline() {
    let mut devices = Devices::new(&[2]);
    devices.sum(0, 0, "%y = all_reduce").unwrap();
    let deadline = Duration::from_millis(20);
    while devices.world.check().is_ok() {
        std::thread::sleep(devices.world.expire(deadline));
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
fn different_collectives_do_not_meet() {
    let mut devices = Devices::new(&[2]);
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
fn garbage_lengths_are_refused() {
    let mut devices = Devices::new(&[2]);
    devices.sum(0, 0, "%y = all_reduce").unwrap();
    devices.come(1, 0, "%y = all_reduce", 12).unwrap_err();
    assert_failed(&devices, &expect!["error[R004]: `%y = all_reduce`: device 1 brings 12 bytes, not 16 bytes"]);
    assert_eq!(*devices.woken.lock().unwrap(), [0]);
}

#[test]
fn an_abort_wakes_all_that_wait() {
    let mut devices = Devices::new(&[4]);
    for rank in [0, 1, 3] {
        devices.sum(rank, 0, "%y = all_reduce").unwrap();
    }
    devices.world.member(2).abort(Diagnostic::new(Code::R004, "out of paper"));
    assert_eq!(*devices.woken.lock().unwrap(), [0, 1, 3]);
    assert_failed(&devices, &expect!["error[R004]: out of paper"]);
}

/// Fails, panics or stalls on one device.
struct Faulty(fn() -> Result<(), String>);

impl Kernel for Faulty {
    unsafe fn run(&self, cx: &KernelCx<'_>, _: Memory<'_>) -> Result<(), String> {
        if cx.place.coords[0] == 1 { (self.0)() } else { Ok(()) }
    }

    fn work(&self, _: usize) -> Work {
        Work::default()
    }
}

/// Runs a program on three devices, of which the second one does that; there is one core.
fn run_faulty(fault: fn() -> Result<(), String>, deadline: Duration) -> Result<Vec<Tensor>, Diagnostic> {
    let text = "form local mesh @m = [x=3] input %x : f32[3@x]
        %y = neg %x : f32[1] %z = all_reduce sum over x %y : f32[1] output %z";
    let program = parse(&Source::new("test.pir", text)).unwrap_or_else(|e| panic!("{}", e[0]));
    let proof = verify(&program).unwrap_or_else(|e| panic!("{}", e[0])).of().unwrap();
    let executable = interpreted(proof, &|_, _| Arc::new(Faulty(fault))).unwrap();
    let input = Tensor::splat(Type::new(DType::F32, [3]), Scalar::Float(1.0));
    executable.with_limits(Limits { deadline, cores: 2 }).run(&[input])
}

/// Threads of this process.
fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").map_or(0, |tasks| tasks.count())
}

#[test]
fn what_goes_wrong_on_one_device_ends_the_run() {
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
fn a_device_that_stalls_ends_the_run_within_the_deadline() {
    let before = Instant::now();
    let stall = || {
        std::thread::sleep(Duration::from_millis(1500));
        Ok(())
    };
    let error = run_faulty(stall, Duration::from_millis(100)).unwrap_err();
    assert!(before.elapsed() < Duration::from_secs(5));
    expect![[r#"
        error[R005]: device 1 did not arrive at `%z = all_reduce` within 100ms
          = note: devices 0, 2 wait there
          = note: device 1 is still computing"#]]
    .assert_eq(&error.to_string());
    // The pool of the run goes with it.
    let started = Instant::now();
    let left = threads();
    while threads() >= left && left > 4 && started.elapsed() < Duration::from_secs(5) {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(started.elapsed() < Duration::from_secs(5), "{left} threads are left behind");
}

/// Computes, or fails while the flag is set.
struct Flagged(Reference, Arc<AtomicBool>);

impl Kernel for Flagged {
    unsafe fn run(&self, cx: &KernelCx<'_>, memory: Memory<'_>) -> Result<(), String> {
        match self.1.load(SeqCst) {
            true => Err("is out of paper".into()),
            // SAFETY: as the caller promises.
            false => unsafe { self.0.run(cx, memory) },
        }
    }

    fn work(&self, _: usize) -> Work {
        Work::default()
    }
}

/// A session on two devices that adds a batch to `w`, which starts at 1, and the flag that makes it fail.
fn session() -> (Session, Arc<AtomicBool>) {
    let text = "form local mesh @m = [x=2] param %w \"w\" : f32[2@x] input %x : f32[2@x]
        %y = add %w, %x : f32[2@x] output %y";
    let program = parse(&Source::new("test.pir", text)).unwrap_or_else(|e| panic!("{}", e[0]));
    let proof = verify(&program).unwrap_or_else(|e| panic!("{}", e[0])).of().unwrap();
    let flag = Arc::new(AtomicBool::default());
    let kernel = |program: &_, op| -> Arc<dyn Kernel> {
        Arc::new(Flagged(Reference::new(Arc::clone(program), op), flag.clone()))
    };
    let executable = Arc::new(interpreted(proof, &kernel).unwrap());
    (Session::start(executable, &[Some(numbers([1.0, 1.0])), None], &[(0, 0)]).unwrap(), flag)
}

fn numbers(numbers: [f64; 2]) -> Tensor {
    Tensor::from_floats(Type::new(DType::F32, [2]), numbers.into())
}

#[test]
fn what_no_output_is_written_over_survives_a_failed_run() {
    let (mut session, fails) = session();
    session.run(&[numbers([1.0, 2.0])]).unwrap();
    fails.store(true, SeqCst);
    session.run(&[numbers([1.0, 2.0])]).unwrap_err();
    fails.store(false, SeqCst);
    session.run(&[numbers([1.0, 2.0])]).unwrap();
    assert_eq!(session.held().unwrap(), [Some(numbers([3.0, 5.0])), None]);
}
