//! What the executor asks of a GPU.

use crate::collective::Parameter;
use crate::module::Kernel;
use partita_ir::diag::{Code, Diagnostic};

/// What helps a model that does not fit on a device.
pub(crate) const SMALLER: &str =
    "split the model over more devices, make the batch smaller, or use a device with more memory";

/// A GPU with one queue: what is uploaded, launched and downloaded happens in the order of the calls.
pub trait Device {
    /// Memory of the device. Clones are the same memory, which is freed with the last of them.
    type Memory: Clone;

    /// A kernel that is ready to run.
    type Kernel;

    /// What messages call it.
    fn name(&self) -> &str;

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

    /// Where a place is, for kernels that are given addresses. None on devices that have none: collectives go through the host there.
    fn address(&self, _: &Place<Self::Memory>) -> Option<u64> {
        None
    }

    /// Carries out a motion of a collective, in the order of launches.
    ///
    /// # Errors
    /// `R004` when the device is lost, or has no addresses.
    fn carry_out(&self, _: &Parameter) -> Result<(), Diagnostic> {
        Err(Diagnostic::new(Code::R004, format!("{} has no addresses", self.name())))
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
