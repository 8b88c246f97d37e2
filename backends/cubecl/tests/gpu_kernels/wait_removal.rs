//! Runs of kernels with one of their barriers, fences or waits removed, to test if the removal is detected.

use partita_gpu::device::{Device, DevicePtr, Queue};
use partita_gpu::emulator::{EmulatedKernel, Emulator, ThreadOrder};
use partita_gpu::module::Kernel;
use partita_ir::diag::Diagnostic;
use partita_runtime::memory::Buffer;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// All thread orders of the emulator.
pub(crate) const ORDERS: [ThreadOrder; 3] = [ThreadOrder::Forward, ThreadOrder::Backward, ThreadOrder::Rotated];

/// Number of blocks that run without a wait.
const BLOCKS: u64 = 4;

/// For each kernel, its number of waits, and the waits whose removal is not detected.
pub(crate) type RemovalResults = BTreeMap<String, (usize, Vec<usize>)>;

/// An emulator that also runs each kernel once without each of its waits, on the data of its first launch.
pub(crate) struct WaitRemover {
    emulator: Emulator,
    results: Rc<RefCell<RemovalResults>>,
}

impl WaitRemover {
    pub(crate) fn new(emulator: Emulator) -> WaitRemover {
        WaitRemover { emulator, results: Rc::default() }
    }

    /// Returns the results, to which later launches are added.
    pub(crate) fn results(&self) -> Rc<RefCell<RemovalResults>> {
        self.results.clone()
    }
}

impl Device for WaitRemover {
    type Memory = Arc<Buffer>;
    type Kernel = (String, EmulatedKernel);
    type Event = ();

    fn name(&self) -> &str {
        self.emulator.name()
    }

    fn max_buffer_bytes(&self) -> usize {
        self.emulator.max_buffer_bytes()
    }

    fn allocate(&self, bytes: usize) -> Result<Arc<Buffer>, Diagnostic> {
        self.emulator.allocate(bytes)
    }

    fn load(&self, kernel: &Kernel) -> Result<(String, EmulatedKernel), Diagnostic> {
        Ok((kernel.name.clone(), self.emulator.load(kernel)?))
    }

    fn launch(
        &self,
        (name, kernel): &(String, EmulatedKernel),
        places: &[DevicePtr<Arc<Buffer>>],
    ) -> Result<(), Diagnostic> {
        if kernel.sync_points().is_empty() || self.results.borrow().contains_key(name) {
            return self.emulator.launch(kernel, places);
        }
        let all = |place: &DevicePtr<Arc<Buffer>>| (DevicePtr::new(place.memory.clone()), place.memory.len() / 4);
        let memory: Vec<_> = places.iter().map(all).collect();
        let before = self.emulator.download(&memory)?;
        let run = |left_out, order, is_whole| {
            self.emulator.test_with(left_out, order)?;
            for ((place, _), words) in memory.iter().zip(&before) {
                self.emulator.upload(place, words)?;
            }
            let blocks = kernel.blocks().min(if is_whole { u64::MAX } else { BLOCKS });
            self.emulator.launch_blocks(kernel, places, 0..blocks)?;
            self.emulator.download(&memory)
        };
        let want = run(None, ThreadOrder::Forward, false)?;
        for order in ORDERS {
            assert!(run(None, order, false)? == want, "{name} depends on the order of threads: {order:?}");
        }
        let is_unneeded =
            |number: &usize| ORDERS.iter().all(|&order| run(Some(*number), order, false).is_ok_and(|got| got == want));
        let unneeded =
            kernel.sync_points().filter(is_unneeded).map(|number| number - kernel.sync_points().start).collect();
        self.results.borrow_mut().insert(name.clone(), (kernel.sync_points().len(), unneeded));
        run(None, ThreadOrder::Forward, true).map(drop)
    }

    fn upload(&self, place: &DevicePtr<Arc<Buffer>>, words: &[u32]) -> Result<(), Diagnostic> {
        self.emulator.upload(place, words)
    }

    fn download(&self, places: &[(DevicePtr<Arc<Buffer>>, usize)]) -> Result<Vec<Vec<u32>>, Diagnostic> {
        self.emulator.download(places)
    }

    fn record_event(&self, _: Queue) -> Result<(), Diagnostic> {
        Ok(())
    }

    fn wait_event(&self, _: Queue, (): &()) -> Result<(), Diagnostic> {
        Ok(())
    }

    fn flush(&self) -> Result<(), Diagnostic> {
        Ok(())
    }
}
