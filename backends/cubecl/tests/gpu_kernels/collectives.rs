//! Collectives: their results on one device and over a network, and the order in which they are started and awaited.

use super::check;
use expect_test::expect;
use partita_gpu::collective::CollectiveParams;
use partita_gpu::device::{Device, DevicePtr, Queue};
use partita_gpu::module::Kernel;
use partita_gpu::{Executable, Target};
use partita_ir::diag::{Diagnostic, Source};
use partita_ir::tensor::Tensor;
use partita_ir::text::parse;
use partita_ir::verify::verify;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

#[test]
fn all_collectives_match_the_interpreter() {
    check(
        "form local
        mesh @m = [x=2, y=3]
        input %a : f32[6@y, 4@x, 2]
        input %b : f32[3, 7]
        input %i : i32[4, 6@y]
        input %p : bool[4@x]
        input %h : bf16[6, 4@x]
          %g0 = all_gather dim 0 over y %a : f32[6, 4@x, 2]
          %g1 = all_gather dim 1 over x %a : f32[6@y, 4, 2]
          %r0 = reduce_scatter sum dim 1 over y %b : f32[3, 7@y]
          %t = all_to_all dim 1 -> dim 2 over x %a : f32[6@y, 4, 2@x]
          %u = permute over x [0->1, 1->0] %a : f32[6@y, 4@x, 2]
          %j = all_gather dim 1 over y %i : i32[4, 6]
          %k = all_reduce max over y %i : i32[4, 2]
          %q = all_gather dim 0 over x %p : bool[4]
          %o = all_reduce or over x %p : bool[2]
          %v = all_gather dim 1 over x %h : bf16[6, 4]
        output %g0 \"g0\"
        output %g1 \"g1\"
        output %r0 \"r0\"
        output %t \"t\"
        output %u \"u\"
        output %k \"k\"
        output %o \"o\"
        output %j \"j\"
        output %q \"q\"
        output %v \"v\"",
        1e-2,
    );
}

/// A device that records calls.
#[derive(Clone, Default)]
pub(super) struct CallLog(Rc<RefCell<Vec<String>>>);

impl CallLog {
    /// Removes and returns the records.
    pub(super) fn take(&self) -> Vec<String> {
        self.0.take()
    }

    fn add(&self, what: impl Into<String>) -> Result<(), Diagnostic> {
        self.0.borrow_mut().push(what.into());
        Ok(())
    }
}

impl Device for CallLog {
    type Memory = ();
    type Kernel = String;
    type Event = usize;

    fn name(&self) -> &str {
        "a note"
    }

    fn max_buffer_bytes(&self) -> usize {
        usize::MAX
    }

    fn allocate(&self, _: usize) -> Result<(), Diagnostic> {
        Ok(())
    }

    fn load(&self, kernel: &Kernel) -> Result<String, Diagnostic> {
        Ok(kernel.name.clone())
    }

    fn launch(&self, kernel: &String, _: &[DevicePtr<()>]) -> Result<(), Diagnostic> {
        self.add(format!("launch {kernel}"))
    }

    fn upload(&self, _: &DevicePtr<()>, _: &[u32]) -> Result<(), Diagnostic> {
        self.add("upload")
    }

    fn download(&self, places: &[(DevicePtr<()>, usize)]) -> Result<Vec<Vec<u32>>, Diagnostic> {
        Ok(places.iter().map(|(_, words)| vec![0; *words]).collect())
    }

    fn address(&self, _: &DevicePtr<()>) -> Option<u64> {
        Some(0)
    }

    fn record_event(&self, queue: Queue) -> Result<usize, Diagnostic> {
        let number = self.0.borrow().len();
        self.add(format!("mark {number} behind {queue:?}"))?;
        Ok(number)
    }

    fn wait_event(&self, queue: Queue, mark: &usize) -> Result<(), Diagnostic> {
        self.add(format!("{queue:?} follows {mark}"))
    }

    fn launch_collective(&self, _: &CollectiveParams) -> Result<(), Diagnostic> {
        self.add("move")
    }

    fn flush(&self) -> Result<(), Diagnostic> {
        Ok(())
    }
}

/// An all-reduce starts as soon as its operand is computed, overlaps with an independent product, and is awaited by its
/// consumer.
#[test]
fn collectives_overlap_with_independent_kernels() {
    let text = "form local
        mesh @m = [x=2]
        param %w \"w\" : f32[8, 8]
        input %x : f32[4@x, 8]
          %g = reduce sum [0] %x : f32[8]
          %r = all_reduce sum over x %g : f32[8]
          %h = matmul %x, %w : f32[4@x, 8]
          %y = mul %r, %r : f32[8]
        output %h \"h\"
        output %y \"y\"";
    let program = parse(&Source::new("test.pir", text)).unwrap_or_else(|e| panic!("{}", e[0]));
    let proof = verify(&program).unwrap_or_else(|e| panic!("{}", e[0])).into_form().unwrap();
    let module = Arc::new(partita_cubecl::compile(proof, Target::Cuda { arch: 80 }).unwrap());
    let device = CallLog::default();
    let executable = Executable::load(module, device.clone()).unwrap();
    let inputs: Vec<Tensor> = program.inputs().iter().map(|&value| Tensor::zeros(program.ty(value).clone())).collect();
    let mut run = executable.begin(&inputs).unwrap();
    device.take();
    run.step().unwrap();
    let notes = device.take().join("\n");
    // A custom launch function receives every launch.
    let mut launches = vec![0; executable.module().kernels.len()];
    let count = &mut |kernel: usize, _: &CallLog, _: &String, _: &[DevicePtr<()>]| {
        launches[kernel] += 1;
        Ok(())
    };
    run.step_with(count).unwrap();
    assert_eq!(launches, [2, 2, 1]);
    expect![[r#"
        launch reduce_f32_8x2
        launch reduce_f32_8x2
        mark 2 behind Compute
        Communication follows 2
        move
        mark 5 behind Communication
        launch matmul_f32_2x8x8
        launch matmul_f32_2x8x8
        Compute follows 5
        launch mul_f32_8"#]]
    .assert_eq(&notes);
}
