//! Interface of GPUs, as used by the executor.

use crate::collective::CollectiveParams;
use crate::module::Kernel;
use partita_ir::diag::{Code, Diagnostic};

/// Help for a model that does not fit on a device.
pub(crate) const OUT_OF_MEMORY_HELP: &str =
    "split the model over more devices, make the batch smaller, or use a device with more memory";

/// A queue of a device. Work in a queue executes in order. Work in different queues is unordered, except where one
/// queue [waits for an event](Device::wait_event) of the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Queue {
    /// Uploads, kernels and downloads.
    Compute,
    /// Collectives and transfers.
    Communication,
}

/// A GPU with its queues.
pub trait Device {
    /// Memory of the device. Clones refer to the same memory, which is freed with the last of them.
    type Memory: Clone;

    /// A loaded kernel.
    type Kernel;

    /// A point in a queue. Devices with a single queue may use the unit type.
    type Event;

    /// Returns the name of the device in messages.
    fn name(&self) -> &str;

    /// Returns notes for the user on how the kernels were loaded.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns the maximum size of an allocation, in bytes.
    fn max_buffer_bytes(&self) -> usize;

    /// Allocates `bytes` bytes, initialised to zero.
    ///
    /// # Errors
    /// `A006` if the device has not enough memory.
    fn allocate(&self, bytes: usize) -> Result<Self::Memory, Diagnostic>;

    /// Loads a kernel.
    ///
    /// # Errors
    /// `R004` if the driver rejects it, `A006` if it has more buffers than the device can bind.
    fn load(&self, kernel: &Kernel) -> Result<Self::Kernel, Diagnostic>;

    /// Loads the collective kernel, from machine code if given. Has no effect on devices without one.
    ///
    /// # Errors
    /// `R004` if the driver rejects it, or no compiler is available.
    fn load_collective(&self, _: Option<&[u8]>) -> Result<(), Diagnostic> {
        Ok(())
    }

    /// Launches a kernel on buffers, in the order of its parameters. Execution may not begin before [`Device::flush`].
    ///
    /// # Errors
    /// `R004` if the device is lost, or the number of pointers is not that of the kernel's buffers.
    fn launch(&self, kernel: &Self::Kernel, ptrs: &[DevicePtr<Self::Memory>]) -> Result<(), Diagnostic>;

    /// Writes words to the memory at a pointer, in the order of the compute queue.
    ///
    /// # Errors
    /// `R004` if the device is lost.
    fn upload(&self, ptr: &DevicePtr<Self::Memory>, words: &[u32]) -> Result<(), Diagnostic>;

    /// Reads the given number of words at each pointer, after all work enqueued on the compute queue.
    ///
    /// # Errors
    /// `R004` if the device is lost, or a kernel failed.
    fn download(&self, ptrs: &[(DevicePtr<Self::Memory>, usize)]) -> Result<Vec<Vec<u32>>, Diagnostic>;

    /// Returns the device address of a pointer, for the collective kernel. `None` on devices without addresses, where
    /// collectives run in host memory.
    fn address(&self, _: &DevicePtr<Self::Memory>) -> Option<u64> {
        None
    }

    /// Records the current end of a queue.
    ///
    /// # Errors
    /// `R004` if the device is lost.
    fn record_event(&self, queue: Queue) -> Result<Self::Event, Diagnostic>;

    /// Makes work that is enqueued from now on wait for an event.
    ///
    /// # Errors
    /// `R004` if the device is lost.
    fn wait_event(&self, queue: Queue, event: &Self::Event) -> Result<(), Diagnostic>;

    /// Launches the collective kernel for a row transfer, on the communication queue.
    ///
    /// # Errors
    /// `R004` if the device is lost, or has no addresses.
    fn launch_collective(&self, _: &CollectiveParams) -> Result<(), Diagnostic> {
        Err(Diagnostic::new(Code::R004, format!("{} has no device addresses", self.name())))
    }

    /// Waits until all launched work has finished. Has no effect on devices that report faults at launch.
    ///
    /// # Errors
    /// `R004` if the device is lost, or a kernel failed.
    fn synchronize(&self) -> Result<(), Diagnostic> {
        Ok(())
    }

    /// Returns true if all launched work has finished.
    ///
    /// # Errors
    /// The errors of [`Device::synchronize`].
    fn is_done(&self) -> Result<bool, Diagnostic> {
        self.synchronize().map(|()| true)
    }

    /// Submits launched work to the device.
    ///
    /// # Errors
    /// `R004` if the device is lost.
    fn flush(&self) -> Result<(), Diagnostic>;
}

/// A pointer into device memory: an allocation and an offset.
#[derive(Clone, Debug)]
pub struct DevicePtr<M> {
    /// The allocation.
    pub memory: M,
    /// Offset in bytes: a multiple of [`crate::module::ALIGN`], except for a read from the middle of a slot.
    pub offset: usize,
}

impl<M> DevicePtr<M> {
    /// Returns the start of an allocation.
    pub fn new(memory: M) -> DevicePtr<M> {
        DevicePtr { memory, offset: 0 }
    }
}
