//! A server of CubeCL that launches nothing: it compiles what it is asked to launch, and notes with what.

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

/// A kernel that would have been launched.
#[derive(Clone, Debug)]
pub(crate) struct Recorded {
    pub(crate) source: String,
    /// What the source calls the entry point.
    pub(crate) entry: String,
    pub(crate) cubes: [u32; 3],
    pub(crate) units: [u32; 3],
    pub(crate) shared_bytes: usize,
    /// What the last parameter holds.
    pub(crate) info: Vec<u32>,
    /// The buffers, in the order of the parameters.
    pub(super) buffers: Vec<String>,
}

/// What was asked for, or why it cannot be had.
pub(super) type Log = Arc<Mutex<Vec<Result<Recorded, String>>>>;

/// A client of that number, for devices with those properties, and what is launched through it.
pub(super) fn client(
    number: u16,
    device: DeviceProperties,
    target: TargetProperties,
    options: CompilationOptions,
) -> (Client, Log) {
    // Whatever other kinds of devices there are in this process, none is of this one.
    const KIND: u16 = 0x5041;
    let id = DeviceId::new(KIND, number);
    let (policy, logger) = (ContiguousMemoryLayoutPolicy::new(512), Arc::new(ServerLogger::default()));
    let (utilities, _) = ServerUtilities::init(ServiceId::of::<Recorder>(id), "cuda", device, target, logger, policy);
    let log = Log::default();
    (Client::init(id, Recorder { utilities: Arc::new(utilities), options, log: log.clone() }), log)
}

/// What a client calls a buffer.
pub(super) fn name(buffer: &BufferBinding) -> String {
    format!("{:?}", buffer.memory.id())
}

#[derive(Debug)]
struct Recorder {
    utilities: Arc<ServerUtilities>,
    options: CompilationOptions,
    log: Log,
}

impl Recorder {
    fn record(&self, kernel: &dyn CubeKernel, count: CubeCount, args: KernelArguments) -> Result<Recorded, String> {
        let CubeCount::Static(x, y, z) = count else { return Err("its grid is known when it runs".into()) };
        let definition = cubecl_runtime::kernel::define_kernel(kernel).map_err(|e| e.to_string())?;
        let (entry, cube) = (definition.settings.kernel_name.clone(), definition.settings.cube_dim);
        let compiled = CppCompiler::<Cuda>::default().compile(definition, &self.options).map_err(|e| e.to_string())?;
        let buffer = |resource: &KernelResource| match resource {
            KernelResource::Buffer(buffer) if buffer.range().start == 0 => Ok(name(buffer)),
            KernelResource::Buffer(_) => Err("a buffer begins inside of another one".to_owned()),
            KernelResource::TensorMap(_) => Err("it wants maps of tensors".to_owned()),
        };
        Ok(Recorded {
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
    #[allow(clippy::panic, reason = "clients are made by `client` alone")]
    fn init(_: DeviceId) -> Self {
        panic!("a recorder is made with its device")
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

/// Memory that there is none of.
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
