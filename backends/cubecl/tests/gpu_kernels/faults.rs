//! Faults that a device reports later than the launch that caused them: the error names the kernel, the op and the
//! line.

use expect_test::{Expect, expect};
use partita_gpu::collective::{Network, RankCall};
use partita_gpu::device::{Device, DevicePtr, Queue};
use partita_gpu::emulator::Emulator;
use partita_gpu::module::Kernel;
use partita_gpu::{Executable, Target, trial};
use partita_ir::diag::{Code, Diagnostic, Source};
use partita_ir::tensor::Tensor;
use partita_ir::text::parse;
use partita_ir::verify::verify;
use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// A device on which kernels whose names contain a word fail. It reports the fault at the next synchronisation.
struct Faulty {
    word: &'static str,
    has_failed: Cell<bool>,
    network: Rc<Shared>,
}

/// State of a network whose collectives never complete.
#[derive(Default)]
struct Shared {
    is_waiting: Cell<bool>,
    has_noticed: Cell<bool>,
    aborted: Cell<usize>,
}

struct Stuck(Rc<Shared>);

impl Network<Faulty> for Stuck {
    fn issue(&self, _: &[&Faulty], _: &[RankCall<'_>]) -> Result<(), Diagnostic> {
        self.0.is_waiting.set(true);
        Ok(())
    }

    fn check(&self) -> Result<(), Diagnostic> {
        let noticed = || Diagnostic::new(Code::R004, "the network is down");
        if self.0.has_noticed.get() { Err(noticed()) } else { Ok(()) }
    }

    fn abort(&self) {
        self.0.is_waiting.set(false);
        self.0.aborted.set(self.0.aborted.get() + 1);
    }
}

impl Faulty {
    fn new(word: &'static str, network: &Rc<Shared>) -> Faulty {
        Faulty { word, has_failed: Cell::new(false), network: network.clone() }
    }

    fn report(&self) -> Result<(), Diagnostic> {
        let fault = || Diagnostic::new(Code::R004, "an illegal memory access was encountered");
        if self.has_failed.get() { Err(fault()) } else { Ok(()) }
    }
}

impl Device for Faulty {
    type Memory = ();
    type Kernel = bool;
    type Event = ();

    fn name(&self) -> &str {
        "a faulty device"
    }

    fn max_buffer_bytes(&self) -> usize {
        usize::MAX
    }

    fn allocate(&self, _: usize) -> Result<(), Diagnostic> {
        Ok(())
    }

    fn load(&self, kernel: &Kernel) -> Result<bool, Diagnostic> {
        Ok(kernel.name.contains(self.word))
    }

    fn launch(&self, fails: &bool, _: &[DevicePtr<()>]) -> Result<(), Diagnostic> {
        self.has_failed.set(self.has_failed.get() || *fails);
        Ok(())
    }

    fn upload(&self, _: &DevicePtr<()>, _: &[u32]) -> Result<(), Diagnostic> {
        Ok(())
    }

    fn download(&self, places: &[(DevicePtr<()>, usize)]) -> Result<Vec<Vec<u32>>, Diagnostic> {
        self.report()?;
        Ok(places.iter().map(|(_, words)| vec![0; *words]).collect())
    }

    fn record_event(&self, _: Queue) -> Result<(), Diagnostic> {
        Ok(())
    }

    fn wait_event(&self, _: Queue, (): &()) -> Result<(), Diagnostic> {
        Ok(())
    }

    fn address(&self, _: &DevicePtr<()>) -> Option<u64> {
        Some(0)
    }

    fn synchronize(&self) -> Result<(), Diagnostic> {
        self.report()
    }

    fn is_done(&self) -> Result<bool, Diagnostic> {
        self.report()?;
        Ok(!self.network.is_waiting.get())
    }

    fn flush(&self) -> Result<(), Diagnostic> {
        Ok(())
    }
}

const TEXT: &str = "form local
param %table \"table\" : f32[50, 64]
param %w \"w\" : f32[64, 32]
input %i : i32[8, 1]
  %g = gather offset [1] collapsed [0] map [0] vector 1 sizes [1, 64] %table, %i : f32[8, 64]
  %p = matmul %g, %w : f32[8, 32]
  %s = softmax dim 1 %p : f32[8, 32]
output %s \"s\"";

/// Compares the error of a run on a device where kernels whose names contain `word` fail.
fn check_fault(word: &'static str, is_blocking: bool, expected: Expect) {
    let program = parse(&Source::new("model.pir", TEXT)).unwrap_or_else(|e| panic!("{}", e[0]));
    let proof = verify(&program).unwrap_or_else(|e| panic!("{}", e[0])).into_form().unwrap();
    let module = Arc::new(partita_cubecl::compile(proof, Target::Cuda { arch: 80 }).unwrap());
    let executable = Executable::load(module, Faulty::new(word, &Rc::default())).unwrap();
    let executable = if is_blocking { executable.with_blocking_launches() } else { executable };
    let inputs: Vec<Tensor> = program.inputs().iter().map(|&value| Tensor::zeros(program.ty(value).clone())).collect();
    let error = executable.run(&inputs).unwrap_err();
    let helps = error.helps.iter().map(|help| format!("help: {}", help.text));
    let lines: Vec<String> = error.notes.iter().map(|note| format!("note: {note}")).chain(helps).collect();
    expected.assert_eq(&format!("{}\n{}", error.title, lines.join("\n")));
}

#[test]
fn a_fault_names_the_launched_kernels() {
    check_fault(
        "softmax",
        false,
        expect![[r#"
        an illegal memory access was encountered
        note: launched since the device was last synchronised: kernel `gather_f32_512` for `%g = gather` (line 5 of `model.pir`); kernel `matmul_f32_8x64x32` for `%p = matmul` (line 6 of `model.pir`); kernel `softmax_f32_8x32` for `%div = div` (line 7 of `model.pir`)
        note: the fault is likely in kernel `gather_f32_512` for `%g = gather` (line 5 of `model.pir`): its addresses depend on data
        help: set PARTITA_CUDA_BLOCKING=1 and run again: the host then waits for each launch, and the error names one kernel"#]],
    );
}

#[test]
fn a_blocking_launch_names_the_faulty_kernel() {
    check_fault(
        "matmul",
        true,
        expect![[r#"
        an illegal memory access was encountered
        note: the fault is in kernel `matmul_f32_8x64x32` for `%p = matmul` (line 6 of `model.pir`)"#]],
    );
}

/// Runs two devices with a collective, where kernels whose names contain `word` fail on the second device. Returns the
/// title of the error and the number of aborts.
fn collective_error(word: &'static str, has_noticed: bool) -> (String, usize) {
    let text = "form local
        mesh @m = [x=2]
        input %x : f32[8@x, 4]
          %e = exp %x : f32[4, 4]
          %s = all_reduce sum over x %e : f32[4, 4]
        output %s \"s\"";
    let program = parse(&Source::new("model.pir", text)).unwrap_or_else(|e| panic!("{}", e[0]));
    let proof = verify(&program).unwrap_or_else(|e| panic!("{}", e[0])).into_form().unwrap();
    let module = Arc::new(partita_cubecl::compile(proof, Target::Cuda { arch: 80 }).unwrap());
    let network = Rc::<Shared>::default();
    network.has_noticed.set(has_noticed);
    let devices = vec![Faulty::new("nothing", &network), Faulty::new(word, &network)];
    let executable = Executable::load_distributed(module, devices, Box::new(Stuck(network.clone()))).unwrap();
    let executable = executable.with_deadline(Duration::from_millis(20));
    let error = executable.run(&[Tensor::zeros(program.ty(program.inputs()[0]).clone())]).unwrap_err();
    (error.title, network.aborted.get())
}

#[test]
fn collectives_end_with_an_error_of_a_device() {
    let (title, aborted) = collective_error("exp", false);
    assert_eq!(title, "an illegal memory access was encountered");
    assert!(aborted > 0);
}

#[test]
fn collectives_end_with_an_error_of_the_network() {
    let (title, aborted) = collective_error("nothing", true);
    assert_eq!(title, "the network is down");
    assert!(aborted > 0);
}

#[test]
fn collectives_end_when_a_deadline_passes() {
    let (title, aborted) = collective_error("nothing", false);
    assert_eq!(title, "collectives did not finish within 0.02 s");
    assert!(aborted > 0);
}

/// The kernel with which `doctor` tests machines.
#[test]
fn the_trial_kernel_returns_the_expected_result() {
    let kernel = trial::kernel(trial::CUDA);
    trial::run(&Emulator::with_kernels(std::slice::from_ref(&kernel)).unwrap(), &kernel).unwrap();
    let wrong = Kernel { source: trial::CUDA.replace("0.5f", "1.0f"), ..kernel };
    let error = trial::run(&Emulator::with_kernels(std::slice::from_ref(&wrong)).unwrap(), &wrong).unwrap_err();
    assert_eq!(error.title, "the trial kernel returned 32 on the CUDA emulator, expected 16");
}
