//! A trial kernel, which uses what kernels of models use: half precision, tensor cores, shared memory, barriers. It
//! tells whether a compiler, its headers, a driver and a device go together, before a model is compiled.

use crate::device::{Device, Place};
use crate::module::Kernel;
use partita_ir::diag::{Code, Diagnostic};

/// The name of its entry point.
pub const ENTRY: &str = "partita_trial";

/// Its text in CUDA C++, for a warp.
pub const CUDA: &str = include_str!("trial/trial.cu");

/// Its text in WGSL.
pub const WGSL: &str = include_str!("trial/trial.wgsl");

/// Numbers that it is given.
const COUNT: u32 = 32;

/// A kernel with that text.
pub fn kernel(source: &str) -> Kernel {
    Kernel {
        name: ENTRY.into(),
        source: source.into(),
        binary: None,
        reads: 1,
        writes: 1,
        info: vec![0; 2],
        cubes: [1; 3],
        units: [COUNT, 1, 1],
        shared_bytes: 1024,
        work: Default::default(),
        purpose: Default::default(),
    }
}

/// Runs the kernel and looks at what it gives.
///
/// # Errors
/// As the device, and `R004` for other numbers than those that it should give.
pub fn run<D: Device>(device: &D, kernel: &Kernel) -> Result<(), Diagnostic> {
    let loaded = device.load(kernel)?;
    let [from, to] = [device.memory(COUNT as usize * 4)?, device.memory(COUNT as usize * 4)?].map(Place::whole);
    let given: Vec<u32> = (0..COUNT).map(|i| (i as f32).to_bits()).collect();
    device.upload(&from, &given)?;
    device.launch(&loaded, &[from, to.clone()])?;
    device.flush()?;
    let got = device.download(&[(to, COUNT as usize)])?.swap_remove(0);
    let is_wrong = |(i, bits): &(usize, u32)| f32::from_bits(*bits) != 16.0 * *i as f32;
    match got.into_iter().enumerate().find(is_wrong) {
        None => Ok(()),
        Some((i, bits)) => {
            let title = format!("the trial kernel gives {} on {}, not {}", f32::from_bits(bits), device.name(), 16 * i);
            Err(Diagnostic::new(Code::R004, title))
        }
    }
}
