//! Repeated steps: values that stay on the devices equal values that are downloaded and uploaded again.

use partita_gpu::device::Device;
use partita_gpu::emulator::Emulator;
use partita_gpu::emulator::network::EmulatedNetwork;
use partita_gpu::{Executable, Target};
use partita_ir::diag::Source;
use partita_ir::tensor::Tensor;
use partita_ir::text::parse;
use partita_ir::verify::verify;
use std::sync::Arc;

/// A training step whose parameters are sharded, replicated, updated in place or not, computed on one replica, or laid
/// out differently from their update; and a data input.
const TRAINING: &str = "form local
mesh @m = [x=2]
param %a \"a\" : f32[4@x, 3]
param %b \"b\" : f32[3]
param %c \"c\" : f32[4, 3]
input %d : f32[4@x, 3]
  %s = sub %a, %d : f32[2, 3]
  %g = reduce sum [0] %s : f32[3]
  %r = all_reduce sum over x %g : f32[3]
  %n = add %b, %r : f32[3]
  %t = broadcast [1] %n : f32[2, 3]
  %u = mul %s, %t : f32[2, 3]
  %v = add %u, %a : f32[4@x, 3]
  %w = all_gather dim 0 over x %v : f32[4, 3]
  %y = mul %w, %c : f32[4, 3]
  %l = reduce sum [0] %n : f32[]
output %l \"l\"
output %v \"v\" -> \"a\"
output %n \"n\" -> \"b\"
output %y \"y\" -> \"c\"
";

/// Compares three steps that stay on the devices with three steps that download their results.
fn check<D: Device>(executable: &Executable<D>) {
    let program = &executable.module().program.stages[0].programs[0];
    let data = |step: usize| {
        let inputs = program.inputs().iter().map(|&value| program.ty(value).clone()).enumerate();
        let tensor = |(at, ty): (usize, partita_ir::dtype::Type)| {
            let numbers = (0..ty.shape.count()).map(|i| ((i + 5 * at + 11 * step) as f64).sin() / 2.0);
            Tensor::from_floats(ty.clone(), numbers.collect())
        };
        inputs.map(tensor).collect::<Vec<Tensor>>()
    };
    let mut inputs = data(0);
    let mut run = executable.begin(&inputs).unwrap();
    for step in 0..3 {
        if step > 0 {
            inputs[3] = data(step).swap_remove(3);
            run.set_input(3, &inputs[3]).unwrap();
            (1..4).for_each(|output| run.feed_back(output - 1, output).unwrap());
        }
        run.step().unwrap();
        let want = executable.run(&inputs).unwrap();
        assert_eq!(run.outputs().unwrap(), want, "step {step} on {}", executable.device().name());
        inputs[..3].clone_from_slice(&want[1..]);
    }
    assert!(run.feed_back(0, 9).is_err() && run.feed_back(9, 1).is_err() && run.set_input(9, &inputs[0]).is_err());
    assert!(run.set_input(1, &inputs[0]).is_err());
}

#[test]
fn values_on_devices_equal_downloaded_values() {
    let program = parse(&Source::new("test.pir", TRAINING)).unwrap_or_else(|e| panic!("{}", e[0]));
    let proof = verify(&program).unwrap_or_else(|e| panic!("{}", e[0])).into_form().unwrap();
    let module = Arc::new(partita_cubecl::compile(proof, Target::Cuda { arch: 80 }).unwrap());
    let device = Emulator::from_module(&module).unwrap_or_else(|e| panic!("{e} {:?}", e.notes));
    check(&Executable::load_distributed(module.clone(), vec![device.clone(); 2], Box::new(EmulatedNetwork)).unwrap());
    check(&Executable::load(module, device).unwrap());
}
