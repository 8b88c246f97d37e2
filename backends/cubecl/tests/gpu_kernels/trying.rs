//! Runs of kernels without one of their waits: whether anybody notices.

use partita_gpu::device::{Device, Place, Queue};
use partita_gpu::emulator::{Emulator, Loaded, Order};
use partita_gpu::module::Kernel;
use partita_ir::diag::Diagnostic;
use partita_runtime::memory::Buffer;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// All orders.
pub(crate) const ORDERS: [Order; 3] = [Order::Forward, Order::Backward, Order::Rotated];

/// So many blocks are run without a wait.
const BLOCKS: u64 = 4;

/// By kernel, how many waits it has, and the numbers of those without which it does the same.
pub(crate) type Tried = BTreeMap<String, (usize, Vec<usize>)>;

/// An emulator that runs each kernel without each of its waits, too, on the data that it is launched on.
pub(crate) struct Trying {
    emulator: Emulator,
    tried: Rc<RefCell<Tried>>,
}

impl Trying {
    pub(crate) fn new(emulator: Emulator) -> Trying {
        Trying { emulator, tried: Rc::default() }
    }

    /// What was tried so far, and will be.
    pub(crate) fn tried(&self) -> Rc<RefCell<Tried>> {
        self.tried.clone()
    }
}

impl Device for Trying {
    type Memory = Arc<Buffer>;
    type Kernel = (String, Loaded);
    type Mark = ();

    fn name(&self) -> &str {
        self.emulator.name()
    }

    fn largest(&self) -> usize {
        self.emulator.largest()
    }

    fn memory(&self, bytes: usize) -> Result<Arc<Buffer>, Diagnostic> {
        self.emulator.memory(bytes)
    }

    fn load(&self, kernel: &Kernel) -> Result<(String, Loaded), Diagnostic> {
        Ok((kernel.name.clone(), self.emulator.load(kernel)?))
    }

    fn launch(&self, (name, kernel): &(String, Loaded), places: &[Place<Arc<Buffer>>]) -> Result<(), Diagnostic> {
        if kernel.waits().is_empty() || self.tried.borrow().contains_key(name) {
            return self.emulator.launch(kernel, places);
        }
        let all = |place: &Place<Arc<Buffer>>| (Place::whole(place.memory.clone()), place.memory.len() / 4);
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
        let want = run(None, Order::Forward, false)?;
        for order in ORDERS {
            assert!(run(None, order, false)? == want, "{name} depends on the order of threads: {order:?}");
        }
        let is_unneeded =
            |number: &usize| ORDERS.iter().all(|&order| run(Some(*number), order, false).is_ok_and(|got| got == want));
        let unneeded = kernel.waits().filter(is_unneeded).map(|number| number - kernel.waits().start).collect();
        self.tried.borrow_mut().insert(name.clone(), (kernel.waits().len(), unneeded));
        run(None, Order::Forward, true).map(drop)
    }

    fn upload(&self, place: &Place<Arc<Buffer>>, words: &[u32]) -> Result<(), Diagnostic> {
        self.emulator.upload(place, words)
    }

    fn download(&self, places: &[(Place<Arc<Buffer>>, usize)]) -> Result<Vec<Vec<u32>>, Diagnostic> {
        self.emulator.download(places)
    }

    fn mark(&self, _: Queue) -> Result<(), Diagnostic> {
        Ok(())
    }

    fn follow(&self, _: Queue, (): &()) -> Result<(), Diagnostic> {
        Ok(())
    }

    fn flush(&self) -> Result<(), Diagnostic> {
        Ok(())
    }
}
