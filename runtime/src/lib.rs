//! Executes compiled SPMD programs on a set of devices.
//!
//! A [`backend::Backend`] lowers each function of a local program to a [`routine::Routine`], a list of steps on memory
//! slots; [`compile`] assigns every address. An [`executor::Executable`] is one compiled program or the stages of a
//! [`pipeline`]. Running an executable shards the global inputs ([`shard`]), executes every device's tasks and
//! reassembles the global outputs. A [`session::Session`] stores parameters on the devices between runs. Devices
//! synchronise in collectives through a [`communicator::Communicator`]; [`shared`] is the communicator for devices of
//! one process, and [`collective_exec`] executes collectives on their memory. [`io`] reads inputs and writes outputs as
//! files. A [`source::TensorSource`] supplies extents of tensors, so that no process needs global ones, and [`state`]
//! is the state that processes store together. [`checkpoint`] stores training state, [`cache`] stores the outputs of
//! frozen layers for each sample, [`check`] compares the results of two runs, and a [`finding`] is an item in the
//! inventory of a machine.

mod assemble;
pub mod backend;
mod box_copy;
pub mod cache;
pub mod check;
pub mod checkpoint;
pub mod code;
pub mod collective_exec;
mod combine;
pub mod communicator;
pub mod compile;
mod devices;
pub mod distributed_gather;
pub mod executor;
pub mod extent;
pub mod finding;
pub mod footprint;
pub mod group;
pub mod interpreter;
pub mod io;
pub mod kernel;
pub mod memory;
pub mod pipeline;
pub mod prediction;
pub mod processes;
pub mod replicas;
pub mod routine;
mod scatter;
pub mod session;
pub mod shard;
pub mod shared;
pub mod source;
pub mod state;
