//! What the executor asks of a GPU.

use crate::collective::Parameter;
use crate::module::Kernel;
use partita_ir::diag::{Code, Diagnostic};

/// What helps a model that does not fit on a device.
pub(crate) const SMALLER: &str =
    "split the model over more devices, make the batch smaller, or use a device with more memory";

/// Where work waits for its turn. What is put into a queue happens in that order; of another queue it knows nothing but
/// what it [follows](Device::follow).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Queue {
    /// Everything but collectives: uploads, kernels, downloads.
    Compute,
    /// Collectives.
    Meet,
}

/// A GPU with its queues.
pub trait Device {
    /// Memory of the device. Clones are the same memory, which is freed with the last of them.
    type Memory: Clone;

    /// A kernel that is ready to run.
    type Kernel;

    /// A point in a queue. Devices with one queue for everything have nothing to say here.
    type Mark;

    /// What messages call it.
    fn name(&self) -> &str;

    /// What the user should know of how kernels came to run here.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// The most bytes that [`Device::memory`] gives at once.
    fn largest(&self) -> usize;

    /// So many bytes, of zeros.
    ///
    /// # Errors
    /// `A006` when the device has not as much.
    fn memory(&self, bytes: usize) -> Result<Self::Memory, Diagnostic>;

    /// Makes a kernel ready.
    ///
    /// # Errors
    /// `R004` when the driver refuses it, `A006` when it has more buffers than the device can bind.
    fn load(&self, kernel: &Kernel) -> Result<Self::Kernel, Diagnostic>;

    /// Makes the kernel of collectives ready, of which there may be machine code, where the device has one.
    ///
    /// # Errors
    /// `R004` when the driver refuses it, or nothing compiles it.
    fn load_collective(&self, _: Option<&[u8]>) -> Result<(), Diagnostic> {
        Ok(())
    }

    /// Runs a kernel on buffers, in the order of its parameters. It may wait for [`Device::flush`] to begin.
    ///
    /// # Errors
    /// `R004` when the device is lost.
    fn launch(&self, kernel: &Self::Kernel, places: &[Place<Self::Memory>]) -> Result<(), Diagnostic>;

    /// Writes words.
    ///
    /// # Errors
    /// `R004` when the device is lost.
    fn upload(&self, place: &Place<Self::Memory>, words: &[u32]) -> Result<(), Diagnostic>;

    /// Reads so many words at each place.
    ///
    /// # Errors
    /// `R004` when the device is lost, or a kernel failed.
    fn download(&self, places: &[(Place<Self::Memory>, usize)]) -> Result<Vec<Vec<u32>>, Diagnostic>;

    /// Where a place is, for kernels that are given addresses. None on devices that have none: collectives go through
    /// the host there.
    fn address(&self, _: &Place<Self::Memory>) -> Option<u64> {
        None
    }

    /// The point behind what was put into a queue so far.
    ///
    /// # Errors
    /// `R004` when the device is lost.
    fn mark(&self, queue: Queue) -> Result<Self::Mark, Diagnostic>;

    /// What is put into a queue from now on begins when that point is reached.
    ///
    /// # Errors
    /// `R004` when the device is lost.
    fn follow(&self, queue: Queue, mark: &Self::Mark) -> Result<(), Diagnostic>;

    /// Carries out a motion of a collective, among the collectives.
    ///
    /// # Errors
    /// `R004` when the device is lost, or has no addresses.
    fn carry_out(&self, _: &Parameter) -> Result<(), Diagnostic> {
        Err(Diagnostic::new(Code::R004, format!("{} has no addresses", self.name())))
    }

    /// Waits until all that was launched is done. Devices that report a fault when they launch have nothing to wait
    /// for.
    ///
    /// # Errors
    /// `R004` when the device is lost, or a kernel failed.
    fn synchronize(&self) -> Result<(), Diagnostic> {
        Ok(())
    }

    /// Whether all that was launched is done.
    ///
    /// # Errors
    /// As [`Device::synchronize`].
    fn is_done(&self) -> Result<bool, Diagnostic> {
        self.synchronize().map(|()| true)
    }

    /// Lets what was launched begin.
    ///
    /// # Errors
    /// `R004` when the device is lost.
    fn flush(&self) -> Result<(), Diagnostic>;
}

/// A place in memory, in bytes.
#[derive(Clone, Debug)]
pub struct Place<M> {
    /// The memory.
    pub memory: M,
    /// Bytes from its beginning: a multiple of [`crate::module::ALIGN`], but where a slot is read from its middle.
    pub offset: usize,
}

impl<M> Place<M> {
    /// The beginning of memory.
    pub fn whole(memory: M) -> Place<M> {
        Place { memory, offset: 0 }
    }
}
