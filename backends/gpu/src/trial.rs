//! A trial kernel with the features of generated kernels: half precision, tensor cores, shared memory and barriers. It
//! checks that compiler, headers, driver and device work together before a model is compiled.

use crate::device::{Device, DevicePtr};
use crate::module::Kernel;
use partita_ir::diag::{Code, Diagnostic};

/// Name of the kernel's entry point.
pub const ENTRY: &str = "partita_trial";

/// Source in CUDA C++, for one warp.
pub const CUDA: &str = include_str!("trial/trial.cu");

/// Source in WGSL.
pub const WGSL: &str = include_str!("trial/trial.wgsl");

/// Number of input elements.
const ELEMENTS: u32 = 32;

/// Returns the trial kernel with [`CUDA`] or [`WGSL`] as its source.
pub fn kernel(source: &str) -> Kernel {
    Kernel {
        name: ENTRY.into(),
        source: source.into(),
        binary: None,
        reads: 1,
        writes: 1,
        info: vec![0; 2],
        cubes: [1; 3],
        units: [ELEMENTS, 1, 1],
        shared_bytes: 1024,
        work: Default::default(),
        purpose: Default::default(),
    }
}

/// Runs the trial kernel and checks its results.
///
/// # Errors
/// The errors of the device, and `R004` for wrong results.
pub fn run<D: Device>(device: &D, kernel: &Kernel) -> Result<(), Diagnostic> {
    let loaded = device.load(kernel)?;
    let [from, to] =
        [device.allocate(ELEMENTS as usize * 4)?, device.allocate(ELEMENTS as usize * 4)?].map(DevicePtr::new);
    let input: Vec<u32> = (0..ELEMENTS).map(|i| (i as f32).to_bits()).collect();
    device.upload(&from, &input)?;
    device.launch(&loaded, &[from, to.clone()])?;
    device.flush()?;
    let output = device.download(&[(to, ELEMENTS as usize)])?.swap_remove(0);
    let is_wrong = |(i, bits): &(usize, u32)| f32::from_bits(*bits) != 16.0 * *i as f32;
    match output.into_iter().enumerate().find(is_wrong) {
        None => Ok(()),
        Some((i, bits)) => {
            let title =
                format!("the trial kernel returned {} on {}, expected {}", f32::from_bits(bits), device.name(), 16 * i);
            Err(Diagnostic::new(Code::R004, title))
        }
    }
}
