//! Runtime for compiled programs on GPUs, independent of the code generator.
//!
//! A [`module::Module`] is a partitioned program as tasks that launch kernels, together with the kernels' source. An
//! [`executor`] runs it on any [`device::Device`], such as `webgpu` and `cuda`. An [`artefact`] stores modules in a
//! file.

pub mod aliasing;
pub mod artefact;
#[cfg(feature = "nvrtc")]
pub mod binaries;
pub mod collective;
#[cfg(feature = "cuda")]
pub mod cublaslt;
#[cfg(feature = "cuda")]
pub mod cuda;
#[cfg(feature = "cuda")]
pub mod cuda_environment;
pub mod device;
#[cfg(feature = "emulator")]
pub mod emulator;
pub mod executor;
#[cfg(feature = "nvrtc")]
mod library;
pub mod machine;
pub mod module;
pub mod nccl;
#[cfg(feature = "nvrtc")]
pub mod nvrtc;
pub mod partitioned;
pub mod peak;
pub mod target;
pub mod trial;
#[cfg(feature = "wgsl")]
pub mod webgpu;
pub mod words;

pub use artefact::Artefact;
pub use executor::Executable;
pub use module::Module;
pub use partitioned::PartitionedProgram;
pub use target::Target;
