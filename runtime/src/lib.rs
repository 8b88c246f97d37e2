//! Runs one device's program on many devices.
//!
//! A [`backend::Backend`] lowers each function of a program in form local to a [`routine::Routine`], steps on slots of
//! memory; [`compile`] decides every address. An [`executor::Executable`] is one such program, or the stages of a
//! [`pipeline`]: running it cuts the global inputs by their layouts ([`shard`]), goes on with every device as far as it
//! can, and puts the outputs together again. A [`session::Session`] keeps parameters on the devices between runs.
//! Devices meet in collectives through a [`communicator::Communicator`]; [`shared`] is the one for devices in one
//! process, and [`exchange`] what it does with their memory. [`io`] reads inputs from and writes outputs to files,
//! [`checkpoint`] keeps what training needs to go on, [`cache`] what frozen layers give for each sample, and [`check`]
//! compares the results of two runs.

mod assemble;
pub mod backend;
pub mod cache;
pub mod check;
pub mod checkpoint;
pub mod code;
mod combine;
pub mod communicator;
pub mod compile;
mod devices;
pub mod exchange;
pub mod executor;
pub mod footprint;
pub mod forecast;
pub mod group;
pub mod interpreter;
pub mod io;
pub mod kernel;
pub mod memory;
mod pieces;
pub mod pipeline;
pub mod replicas;
pub mod routine;
mod scatter;
pub mod session;
pub mod shard;
pub mod shared;
