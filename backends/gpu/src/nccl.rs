//! NCCL, the library for communication between NVIDIA GPUs.
//!
//! One process drives all GPUs by the `library`'s communicators of one process. Several processes drive a block of
//! GPUs each: `process_network` opens and watches their communicators by the `functions` of NCCL. The functions are
//! those of the library, or an emulation between processes without GPUs.

#[cfg(any(feature = "cuda", feature = "emulator"))]
pub mod assignment;
#[cfg(any(feature = "cuda", feature = "emulator"))]
pub mod functions;
#[cfg(feature = "cuda")]
pub mod library;
#[cfg(any(feature = "cuda", feature = "emulator"))]
pub mod process_network;

#[cfg(feature = "cuda")]
pub(crate) use library::INSTALL_HELP;
#[cfg(feature = "cuda")]
pub use library::{CommunicatorGroup, Nccl};
