//! GPUs through WebGPU.

use crate::device::{self, Device, DevicePtr, OUT_OF_MEMORY_HELP};
use crate::module::Kernel;
use crate::target::Target;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::units::format_bytes as in_units;
use partita_runtime::finding::Finding;
use std::borrow::Cow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use wgpu::{
    Adapter, AdapterInfo, Backends, BindGroupDescriptor, BindGroupEntry, BindGroupLayout, BindGroupLayoutDescriptor,
    BindGroupLayoutEntry, BindingResource, BindingType, Buffer, BufferBinding, BufferBindingType, BufferDescriptor,
    BufferUsages, CommandEncoder, CommandEncoderDescriptor, ComputePassDescriptor, ComputePipeline,
    ComputePipelineDescriptor, DeviceDescriptor, ErrorFilter, Instance, InstanceDescriptor, MapMode,
    PipelineLayoutDescriptor, PollType, PowerPreference, Queue, RequestAdapterOptions, ShaderModuleDescriptor,
    ShaderSource, ShaderStages,
};

/// Help for a machine without a driver.
const DRIVER_HELP: &str = "install the GPU driver; a software driver also works: apt-get install mesa-vulkan-drivers";

/// Maximum number of launches per command buffer.
const MAX_PENDING_LAUNCHES: usize = 1024;

/// A GPU and its queue.
pub struct WebGpu {
    device: wgpu::Device,
    queue: Queue,
    /// Name of the device in messages.
    name: String,
    /// Placeholder for the metadata buffer of kernels from CubeCL, which kernels in WGSL do not read.
    unused_metadata: Buffer,
    /// Commands since the last flush, and their number of launches.
    pending: Mutex<Option<(CommandEncoder, usize)>>,
    /// The first asynchronous error since the last check.
    failed: Arc<Mutex<Option<String>>>,
}

/// A loaded kernel.
pub struct Pipeline {
    pipeline: ComputePipeline,
    layout: BindGroupLayout,
    cubes: [u32; 3],
}

impl WebGpu {
    /// Opens the fastest device with a driver.
    ///
    /// # Errors
    /// `A003` if there is none.
    pub fn open() -> Result<WebGpu, Diagnostic> {
        let none = |why: String| {
            let title = "this machine has no GPU with a Vulkan, Metal or DirectX 12 driver";
            Diagnostic::new(Code::A003, title).note(why).help(DRIVER_HELP)
        };
        let instance = instance();
        let options = RequestAdapterOptions {
            power_preference: PowerPreference::HighPerformance,
            ..RequestAdapterOptions::default()
        };
        let adapter = pollster::block_on(instance.request_adapter(&options)).map_err(|e| none(e.to_string()))?;
        let wanted = DeviceDescriptor { required_limits: adapter.limits(), ..DeviceDescriptor::default() };
        let (device, queue) = pollster::block_on(adapter.request_device(&wanted)).map_err(|e| none(e.to_string()))?;
        let failed: Arc<Mutex<Option<String>>> = Arc::default();
        let first = failed.clone();
        device.on_uncaptured_error(Arc::new(move |error| {
            lock(&first).get_or_insert_with(|| error.to_string());
        }));
        let unused_metadata =
            BufferDescriptor { label: None, size: 4096, usage: BufferUsages::STORAGE, mapped_at_creation: false };
        let unused_metadata = device.create_buffer(&unused_metadata);
        Ok(WebGpu { device, queue, name: adapter.get_info().name, unused_metadata, pending: Mutex::default(), failed })
    }

    /// Returns the available devices, or how to install a driver.
    pub(crate) fn findings() -> Vec<Finding> {
        let adapters = pollster::block_on(instance().enumerate_adapters(Backends::PRIMARY));
        let found = |adapter: &Adapter| {
            let AdapterInfo { name, device_type, driver, driver_info, backend, .. } = adapter.get_info();
            let about = format!("{device_type:?}, {backend}, {driver} {driver_info}").trim_end().to_owned();
            Finding { target: Target::Wgsl.to_string(), kind: "device", name: Some(name), about, help: None }
        };
        if adapters.is_empty() {
            let about = "no Vulkan, Metal or DirectX 12 driver".into();
            let help = Some(DRIVER_HELP.to_owned());
            return vec![Finding { target: Target::Wgsl.to_string(), kind: "driver", name: None, about, help }];
        }
        adapters.iter().map(found).collect()
    }

    fn device_error(&self, why: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Code::R004, format!("{} does not answer", self.name)).note(why)
    }

    fn commands(&self) -> CommandEncoder {
        self.device.create_command_encoder(&CommandEncoderDescriptor::default())
    }

    /// Checks for asynchronous errors since the last check.
    ///
    /// # Errors
    /// `R004` with the first error.
    fn check(&self) -> Result<(), Diagnostic> {
        match lock(&self.failed).take() {
            None => Ok(()),
            Some(why) => Err(Diagnostic::new(Code::R004, format!("{} reports an error", self.name)).note(why)),
        }
    }

    /// Copies the words at each pointer to a buffer that the host can map.
    fn stage(&self, ptrs: &[(DevicePtr<Buffer>, usize)]) -> Vec<(Buffer, usize)> {
        let mut commands = self.commands();
        let mut staged = Vec::new();
        for (ptr, words) in ptrs {
            let size = (*words * 4).max(4) as u64;
            let usage = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
            let descriptor = BufferDescriptor { label: None, size, usage, mapped_at_creation: false };
            let buffer = self.device.create_buffer(&descriptor);
            if *words > 0 {
                commands.copy_buffer_to_buffer(&ptr.memory, ptr.offset as u64, &buffer, 0, size);
            }
            staged.push((buffer, *words));
        }
        self.queue.submit([commands.finish()]);
        staged
    }
}

fn instance() -> Instance {
    // Other constructors look for a window system.
    Instance::new(InstanceDescriptor {
        backends: Backends::PRIMARY,
        ..InstanceDescriptor::new_without_display_handle()
    })
}

/// Locks a mutex, ignoring poisoning: its data is replaced atomically and always consistent.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Device for WebGpu {
    type Memory = Buffer;
    type Kernel = Pipeline;
    type Event = ();

    fn name(&self) -> &str {
        &self.name
    }

    fn max_buffer_bytes(&self) -> usize {
        let limits = self.device.limits();
        limits.max_buffer_size.min(limits.max_storage_buffer_binding_size) as usize
    }

    fn allocate(&self, bytes: usize) -> Result<Buffer, Diagnostic> {
        let size = bytes.next_multiple_of(4).max(4) as u64;
        let scope = self.device.push_error_scope(ErrorFilter::OutOfMemory);
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        let buffer =
            self.device.create_buffer(&BufferDescriptor { label: None, size, usage, mapped_at_creation: false });
        match pollster::block_on(scope.pop()) {
            None => Ok(buffer),
            Some(_) => {
                let title = format!("{} has no memory left for {}", self.name, in_units(size));
                Err(Diagnostic::new(Code::A006, title).help(OUT_OF_MEMORY_HELP))
            }
        }
    }

    fn load(&self, kernel: &Kernel) -> Result<Pipeline, Diagnostic> {
        let (buffers, name) = (kernel.buffers(), &kernel.name);
        let most = self.device.limits().max_storage_buffers_per_shader_stage as usize;
        if buffers + 1 > most {
            let title =
                format!("kernel `{name}` has {buffers} buffers; {} can bind {}", self.name, most.saturating_sub(1));
            let help = "use a device that binds more: `partita doctor` lists devices";
            return Err(Diagnostic::new(Code::A006, title).help(help));
        }
        let scope = self.device.push_error_scope(ErrorFilter::Validation);
        let entry = |binding: usize| BindGroupLayoutEntry {
            binding: binding as u32,
            visibility: ShaderStages::COMPUTE,
            ty: BindingType::Buffer {
                ty: BufferBindingType::Storage { read_only: binding == buffers },
                has_dynamic_offset: false,
                min_binding_size: None,
            },
            count: None,
        };
        let entries: Vec<BindGroupLayoutEntry> = (0..=buffers).map(entry).collect();
        let layout =
            self.device.create_bind_group_layout(&BindGroupLayoutDescriptor { label: None, entries: &entries });
        let pipeline_layout = self.device.create_pipeline_layout(&PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 0,
        });
        let module = self.device.create_shader_module(ShaderModuleDescriptor {
            label: None,
            source: ShaderSource::Wgsl(Cow::Borrowed(&kernel.source)),
        });
        let pipeline = self.device.create_compute_pipeline(&ComputePipelineDescriptor {
            label: None,
            layout: Some(&pipeline_layout),
            module: &module,
            entry_point: Some(&kernel.name),
            compilation_options: Default::default(),
            cache: None,
        });
        if let Some(why) = pollster::block_on(scope.pop()) {
            let title = format!("{} rejects kernel `{name}`", self.name);
            return Err(Diagnostic::new(Code::R004, title).note(why.to_string()));
        }
        Ok(Pipeline { pipeline, layout, cubes: kernel.cubes })
    }

    fn launch(&self, kernel: &Pipeline, ptrs: &[DevicePtr<Buffer>]) -> Result<(), Diagnostic> {
        let storage = |buffer, offset| BindingResource::Buffer(BufferBinding { buffer, offset, size: None });
        let ptrs = ptrs.iter().map(|ptr| storage(&ptr.memory, ptr.offset as u64));
        let entries: Vec<BindGroupEntry<'_>> = ptrs
            .chain([storage(&self.unused_metadata, 0)])
            .enumerate()
            .map(|(binding, resource)| BindGroupEntry { binding: binding as u32, resource })
            .collect();
        let group = BindGroupDescriptor { label: None, layout: &kernel.layout, entries: &entries };
        let group = self.device.create_bind_group(&group);
        let mut pending = lock(&self.pending);
        let (commands, launches) = pending.get_or_insert_with(|| (self.commands(), 0));
        let mut pass = commands.begin_compute_pass(&ComputePassDescriptor::default());
        pass.set_pipeline(&kernel.pipeline);
        pass.set_bind_group(0, &group, &[]);
        let [x, y, z] = kernel.cubes;
        pass.dispatch_workgroups(x, y, z);
        drop(pass);
        *launches += 1;
        let is_full = *launches >= MAX_PENDING_LAUNCHES;
        drop(pending);
        if is_full { self.flush() } else { Ok(()) }
    }

    fn upload(&self, ptr: &DevicePtr<Buffer>, words: &[u32]) -> Result<(), Diagnostic> {
        // Buffer writes execute before the commands that are submitted next.
        self.flush()?;
        self.queue.write_buffer(&ptr.memory, ptr.offset as u64, bytemuck::cast_slice(words));
        Ok(())
    }

    fn download(&self, ptrs: &[(DevicePtr<Buffer>, usize)]) -> Result<Vec<Vec<u32>>, Diagnostic> {
        self.flush()?;
        let staged = self.stage(ptrs);
        let (sender, receiver) = mpsc::channel();
        for (buffer, _) in &staged {
            let sender = sender.clone();
            buffer.slice(..).map_async(MapMode::Read, move |done| {
                // The receiver may have been dropped.
                let _ = sender.send(done);
            });
        }
        drop(sender);
        self.device.poll(PollType::wait_indefinitely()).map_err(|e| self.device_error(e.to_string()))?;
        self.check()?;
        for done in receiver {
            done.map_err(|e| self.device_error(e.to_string()))?;
        }
        let read = |(buffer, words): &(Buffer, usize)| -> Result<Vec<u32>, Diagnostic> {
            let range = buffer.slice(..).get_mapped_range().map_err(|e| self.device_error(format!("{e:?}")))?;
            let all: &[u8] = &range;
            Ok(bytemuck::pod_collect_to_vec(&all[..words * 4]))
        };
        staged.iter().map(read).collect()
    }

    fn record_event(&self, _: device::Queue) -> Result<(), Diagnostic> {
        Ok(())
    }

    fn wait_event(&self, _: device::Queue, (): &()) -> Result<(), Diagnostic> {
        Ok(())
    }

    fn flush(&self) -> Result<(), Diagnostic> {
        if let Some((commands, _)) = lock(&self.pending).take() {
            self.queue.submit([commands.finish()]);
        }
        self.check()
    }
}
