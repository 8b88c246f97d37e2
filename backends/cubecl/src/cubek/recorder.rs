//! A CubeCL server without a device: it compiles the kernels that clients launch and records their source and launch
//! parameters.

use cubecl::Compiler;
use cubecl::ir::{DeviceProperties, TargetProperties};
use cubecl_common::bytes::Bytes;
use cubecl_common::device::{DeviceId, DeviceService, ServerUtilitiesHandle, ServiceId};
use cubecl_common::profile::ProfileDuration;
use cubecl_cpp::shared::{CompilationOptions, CppCompiler};
use cubecl_cpp::target::Cuda;
use cubecl_environment::future::DynFut;
use cubecl_environment::stream::StreamId;
use cubecl_runtime::client::Client;
use cubecl_runtime::dry_run::LaunchMode;
use cubecl_runtime::kernel::CubeKernel;
use cubecl_runtime::logging::ServerLogger;
use cubecl_runtime::memory_management::{ManagedMemoryHandle, MemoryAllocationMode, StreamMemoryReport};
use cubecl_runtime::server::{
    BufferBinding, CopyDescriptor, CubeCount, IoError, KernelArguments, KernelResource, ProfileError, ProfilingToken,
    Server, ServerCommunication, ServerError, ServerStorage, ServerUtilities,
};
use cubecl_runtime::storage::{ComputeStorage, ManagedResource, StorageHandle, StorageId};
use cubecl_server::allocator::ContiguousMemoryLayoutPolicy;
use std::sync::{Arc, Mutex, PoisonError};

/// A recorded kernel launch.
#[derive(Clone, Debug)]
pub(crate) struct RecordedLaunch {
    /// Source of the kernel in CUDA C++.
    pub(crate) source: String,
    /// Name of the entry point in the source.
    pub(crate) entry: String,
    /// Number of cubes of the grid in each dimension.
    pub(crate) cubes: [u32; 3],
    /// Number of units of a cube in each dimension.
    pub(crate) units: [u32; 3],
    /// Size of the shared memory of a cube, in bytes.
    pub(crate) shared_bytes: usize,
    /// Contents of the last kernel parameter, which contains shapes, strides and scalars.
    pub(crate) info: Vec<u32>,
    /// Names of the buffers, as returned by [`name`], in the order of the kernel parameters.
    pub(super) buffers: Vec<String>,
}

/// Recorded launches, or the reasons why they failed.
pub(super) type Log = Arc<Mutex<Vec<Result<RecordedLaunch, String>>>>;

/// Creates a client of a recorder with a device number and device properties. Returns the client and the log of its
/// launches.
pub(super) fn client(
    number: u16,
    device: DeviceProperties,
    target: TargetProperties,
    options: CompilationOptions,
) -> (Client, Log) {
    // A device type that no other CubeCL runtime of the process uses.
    const KIND: u16 = 0x5041;
    let id = DeviceId::new(KIND, number);
    let (policy, logger) = (ContiguousMemoryLayoutPolicy::new(512), Arc::new(ServerLogger::default()));
    let (utilities, _) = ServerUtilities::init(ServiceId::of::<Recorder>(id), "cuda", device, target, logger, policy);
    let log = Log::default();
    (Client::init(id, Recorder { utilities: Arc::new(utilities), options, log: log.clone() }), log)
}

/// Returns a name that identifies the memory of a buffer.
pub(super) fn name(buffer: &BufferBinding) -> String {
    format!("{:?}", buffer.memory.id())
}

/// A server that records the launches of one client.
#[derive(Debug)]
struct Recorder {
    utilities: Arc<ServerUtilities>,
    options: CompilationOptions,
    log: Log,
}

impl Recorder {
    /// Compiles a kernel and returns its launch. Fails for launches that need more than buffers without offsets and a
    /// fixed grid.
    fn record(
        &self,
        kernel: &dyn CubeKernel,
        count: CubeCount,
        args: KernelArguments,
    ) -> Result<RecordedLaunch, String> {
        let CubeCount::Static(x, y, z) = count else { return Err("the grid size is dynamic".into()) };
        let definition = cubecl_runtime::kernel::define_kernel(kernel).map_err(|e| e.to_string())?;
        let (entry, cube) = (definition.settings.kernel_name.clone(), definition.settings.cube_dim);
        let compiled = CppCompiler::<Cuda>::default().compile(definition, &self.options).map_err(|e| e.to_string())?;
        let buffer = |resource: &KernelResource| match resource {
            KernelResource::Buffer(buffer) if buffer.range().start == 0 => Ok(name(buffer)),
            KernelResource::Buffer(_) => Err("a buffer has an offset".to_owned()),
            KernelResource::TensorMap(_) => Err("it uses tensor maps".to_owned()),
        };
        Ok(RecordedLaunch {
            source: compiled.source,
            entry,
            cubes: [x, y, z],
            units: [cube.x, cube.y, cube.z],
            shared_bytes: compiled.shared_memory_size,
            info: args.info.data.iter().flat_map(|&word| [word as u32, (word >> 32) as u32]).collect(),
            buffers: args.resources.iter().map(buffer).collect::<Result<_, _>>()?,
        })
    }
}

impl DeviceService for Recorder {
    #[allow(clippy::panic, reason = "only `client` creates recorders")]
    fn init(_: DeviceId) -> Self {
        panic!("recorders are created by `client`")
    }

    fn utilities(&self) -> ServerUtilitiesHandle {
        self.utilities.clone() as ServerUtilitiesHandle
    }
}

impl ServerCommunication for Recorder {}

impl Server for Recorder {
    fn initialize_memory(&mut self, _: ManagedMemoryHandle, _: u64, _: StreamId) -> Result<(), ServerError> {
        Ok(())
    }

    fn logger(&self) -> Arc<ServerLogger> {
        self.utilities.logger.clone()
    }

    fn utilities(&self) -> Arc<ServerUtilities> {
        self.utilities.clone()
    }

    fn read(&mut self, what: Vec<CopyDescriptor>, _: StreamId) -> DynFut<Result<Vec<Bytes>, ServerError>> {
        let zeros = |copy: &CopyDescriptor| vec![0; copy.shape.iter().product::<usize>() * copy.elem_size];
        let zeros = what.iter().map(|copy| Bytes::from_bytes_vec(zeros(copy))).collect();
        Box::pin(async move { Ok(zeros) })
    }

    fn write(&mut self, _: Vec<(CopyDescriptor, Bytes)>, _: StreamId) {}

    fn sync(&mut self, _: Vec<BufferBinding>, _: StreamId) -> DynFut<Result<(), ServerError>> {
        Box::pin(async { Ok(()) })
    }

    fn check(&mut self, _: Vec<BufferBinding>, _: StreamId) -> Result<(), ServerError> {
        Ok(())
    }

    unsafe fn launch(
        &mut self,
        kernel: Box<dyn CubeKernel>,
        count: CubeCount,
        args: KernelArguments,
        _: StreamId,
        _: LaunchMode,
    ) {
        let recorded = self.record(&*kernel, count, args);
        self.log.lock().unwrap_or_else(PoisonError::into_inner).push(recorded);
    }

    fn flush(&mut self, _: StreamId) -> Result<(), ServerError> {
        Ok(())
    }

    fn memory_report(&mut self, _: StreamId) -> Option<StreamMemoryReport> {
        None
    }

    fn memory_cleanup(&mut self, _: StreamId) -> Result<(), ServerError> {
        Ok(())
    }

    fn start_profile(&mut self, _: StreamId) -> Result<ProfilingToken, ServerError> {
        Err(ServerError::graph_capture_unsupported())
    }

    fn end_profile(&mut self, _: StreamId, _: ProfilingToken) -> Result<ProfileDuration, ProfileError> {
        Err(ProfileError::from(&ServerError::graph_capture_unsupported()))
    }

    fn allocation_mode(&mut self, _: MemoryAllocationMode, _: StreamId) {}
}

/// Storage without memory.
struct NoStorage;

impl ComputeStorage for NoStorage {
    type Resource = ();

    fn alignment(&self) -> usize {
        512
    }

    fn get(&mut self, _: &StorageHandle) -> Result<(), IoError> {
        Ok(())
    }

    fn alloc(&mut self, size: u64) -> Result<StorageHandle, IoError> {
        Err(IoError::BufferTooBig { size, backtrace: Default::default() })
    }

    fn dealloc(&mut self, _: StorageId) {}

    fn flush(&mut self) {}

    fn bytes_allocated(&self) -> u64 {
        0
    }
}

impl ServerStorage for Recorder {
    type Storage = NoStorage;

    fn get_resource(&mut self, _: BufferBinding, _: StreamId) -> Result<ManagedResource<()>, ServerError> {
        Err(ServerError::graph_capture_unsupported())
    }
}
