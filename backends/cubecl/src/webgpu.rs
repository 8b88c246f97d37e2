//! A GPU through WebGPU: what of it the executor needs.

use crate::text::ENTRY;
use partita_ir::diag::{Code, Diagnostic};
use std::borrow::Cow;
use std::sync::mpsc;
use wgpu::util::{BufferInitDescriptor, DeviceExt};
use wgpu::{
    Backends, BindGroupDescriptor, BindGroupEntry, BindGroupLayout, BindGroupLayoutDescriptor, BindGroupLayoutEntry,
    BindingResource, BindingType, Buffer, BufferBinding, BufferBindingType, BufferDescriptor, BufferUsages,
    CommandEncoder, CommandEncoderDescriptor, ComputePassDescriptor, ComputePipeline, ComputePipelineDescriptor,
    Device, DeviceDescriptor, Instance, InstanceDescriptor, MapMode, PipelineLayoutDescriptor, PollType,
    PowerPreference, Queue, RequestAdapterOptions, ShaderModuleDescriptor, ShaderSource, ShaderStages,
};

/// Buffers are bound at multiples of so many bytes: what every device with WebGPU can do.
pub(crate) const ALIGN: usize = 256;

/// Most cubes along one dimension of a grid.
const MAX_CUBES: usize = 65535;

/// A device and its queue.
pub(crate) struct WebGpu {
    device: Device,
    queue: Queue,
    /// What messages call it.
    name: String,
    /// What CubeCL's kernels are given and these do not read.
    unread: Buffer,
}

/// A kernel that is ready to run.
pub(crate) struct Pipeline {
    pipeline: ComputePipeline,
    layout: BindGroupLayout,
    cubes: [u32; 3],
}

/// A place in a buffer, in bytes.
#[derive(Clone)]
pub(crate) struct Place {
    pub(crate) buffer: Buffer,
    pub(crate) offset: usize,
}

impl WebGpu {
    /// The machine's fastest device with a driver.
    ///
    /// # Errors
    /// `R004` when there is none.
    pub(crate) fn open() -> Result<WebGpu, Diagnostic> {
        let none = |why: String| {
            let title = "this machine has no GPU with a Vulkan, Metal or DirectX 12 driver";
            let help = "install one; a software GPU serves as well: apt-get install mesa-vulkan-drivers";
            Diagnostic::new(Code::R004, title).note(why).help(help)
        };
        // Others look for a window system.
        let wanted =
            InstanceDescriptor { backends: Backends::PRIMARY, ..InstanceDescriptor::new_without_display_handle() };
        let instance = Instance::new(wanted);
        let options = RequestAdapterOptions {
            power_preference: PowerPreference::HighPerformance,
            ..RequestAdapterOptions::default()
        };
        let adapter = pollster::block_on(instance.request_adapter(&options)).map_err(|e| none(e.to_string()))?;
        let wanted = DeviceDescriptor { required_limits: adapter.limits(), ..DeviceDescriptor::default() };
        let (device, queue) = pollster::block_on(adapter.request_device(&wanted)).map_err(|e| none(e.to_string()))?;
        let unread =
            BufferDescriptor { label: None, size: 4096, usage: BufferUsages::STORAGE, mapped_at_creation: false };
        let unread = device.create_buffer(&unread);
        Ok(WebGpu { device, queue, name: adapter.get_info().name, unread })
    }

    /// Memory of so many bytes, of zeros.
    pub(crate) fn memory(&self, bytes: usize) -> Buffer {
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        let size = bytes.next_multiple_of(4).max(4) as u64;
        self.device.create_buffer(&BufferDescriptor { label: None, size, usage, mapped_at_creation: false })
    }

    /// Memory with those words.
    pub(crate) fn memory_with(&self, words: &[u32]) -> Buffer {
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        let contents = if words.is_empty() { &[0] } else { words };
        let contents = bytemuck::cast_slice(contents);
        self.device.create_buffer_init(&BufferInitDescriptor { label: None, contents, usage })
    }

    /// A kernel in WGSL with so many buffers, on so many cubes.
    ///
    /// # Errors
    /// `R004` when the driver refuses it, or it has more buffers than the device can bind.
    pub(crate) fn pipeline(&self, text: &str, buffers: usize, cubes: usize) -> Result<Pipeline, Diagnostic> {
        let most = self.device.limits().max_storage_buffers_per_shader_stage as usize;
        if buffers + 1 > most {
            let title = format!("a kernel has {buffers} buffers; {} can bind {}", self.name, most - 1);
            return Err(Diagnostic::new(Code::R004, title));
        }
        let scope = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
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
            source: ShaderSource::Wgsl(Cow::Borrowed(text)),
        });
        let pipeline = self.device.create_compute_pipeline(&ComputePipelineDescriptor {
            label: None,
            layout: Some(&pipeline_layout),
            module: &module,
            entry_point: Some(ENTRY),
            compilation_options: Default::default(),
            cache: None,
        });
        if let Some(why) = pollster::block_on(scope.pop()) {
            return Err(Diagnostic::new(Code::R004, format!("{} refuses a kernel", self.name)).note(why.to_string()));
        }
        let y = cubes.div_ceil(MAX_CUBES).max(1);
        let cubes = [cubes.div_ceil(y) as u32, y as u32, 1];
        Ok(Pipeline { pipeline, layout, cubes })
    }

    /// A list of commands.
    pub(crate) fn commands(&self) -> CommandEncoder {
        self.device.create_command_encoder(&CommandEncoderDescriptor::default())
    }

    /// Notes a kernel to be run on buffers.
    pub(crate) fn note(&self, commands: &mut CommandEncoder, kernel: &Pipeline, places: &[Place]) {
        let storage = |buffer, offset| BindingResource::Buffer(BufferBinding { buffer, offset, size: None });
        let places = places.iter().map(|place| storage(&place.buffer, place.offset as u64));
        let entries: Vec<BindGroupEntry<'_>> = places
            .chain([storage(&self.unread, 0)])
            .enumerate()
            .map(|(binding, resource)| BindGroupEntry { binding: binding as u32, resource })
            .collect();
        let group = BindGroupDescriptor { label: None, layout: &kernel.layout, entries: &entries };
        let group = self.device.create_bind_group(&group);
        let mut pass = commands.begin_compute_pass(&ComputePassDescriptor::default());
        pass.set_pipeline(&kernel.pipeline);
        pass.set_bind_group(0, &group, &[]);
        let [x, y, z] = kernel.cubes;
        pass.dispatch_workgroups(x, y, z);
    }

    /// Carries out commands, behind those before.
    pub(crate) fn submit(&self, commands: CommandEncoder) {
        self.queue.submit([commands.finish()]);
    }

    /// Writes words, behind all commands that were submitted.
    pub(crate) fn write(&self, place: &Place, words: &[u32]) {
        self.queue.write_buffer(&place.buffer, place.offset as u64, bytemuck::cast_slice(words));
    }

    /// Reads so many words at each place, when all commands that were submitted are done.
    ///
    /// # Errors
    /// `R004` when the device is lost.
    pub(crate) fn read(&self, places: &[(Place, usize)]) -> Result<Vec<Vec<u32>>, Diagnostic> {
        let lost = |why: String| Diagnostic::new(Code::R004, format!("{} does not answer", self.name)).note(why);
        let mut commands = self.commands();
        let mut staged = Vec::new();
        for (place, words) in places {
            let size = (*words * 4).max(4) as u64;
            let usage = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
            let descriptor = BufferDescriptor { label: None, size, usage, mapped_at_creation: false };
            let buffer = self.device.create_buffer(&descriptor);
            if *words > 0 {
                commands.copy_buffer_to_buffer(&place.buffer, place.offset as u64, &buffer, 0, size);
            }
            staged.push((buffer, *words));
        }
        self.submit(commands);
        let (sender, receiver) = mpsc::channel();
        for (buffer, _) in &staged {
            let sender = sender.clone();
            buffer.slice(..).map_async(MapMode::Read, move |done| {
                // Whoever waits for it may have given up.
                let _ = sender.send(done);
            });
        }
        drop(sender);
        self.device.poll(PollType::wait_indefinitely()).map_err(|e| lost(e.to_string()))?;
        for done in receiver {
            done.map_err(|e| lost(e.to_string()))?;
        }
        let read = |(buffer, words): &(Buffer, usize)| -> Result<Vec<u32>, Diagnostic> {
            let range = buffer.slice(..).get_mapped_range().map_err(|e| lost(format!("{e:?}")))?;
            let all: &[u8] = &range;
            Ok(bytemuck::pod_collect_to_vec(&all[..words * 4]))
        };
        staged.iter().map(read).collect()
    }
}
