//! Runs one device's program on many devices.
//!
//! An [`executor::Executable`] is a program in form local, compiled to steps by a [`backend::Backend`]. Running it cuts
//! the global inputs by their layouts ([`shard`]), starts a thread a device, and puts the outputs together again.
//! Devices meet in collectives through a [`communicator::Communicator`]; [`shared`] is the one for devices in one process.
//! [`io`] reads inputs from and writes outputs to files, [`checkpoint`] keeps what training needs to go on, [`cache`] what frozen
//! layers give for each sample, and [`check`] compares the results of two runs.

pub mod backend;
pub mod cache;
pub mod check;
pub mod checkpoint;
mod combine;
pub mod communicator;
pub mod exchange;
pub mod executor;
pub mod group;
pub mod io;
pub mod kernel;
mod pieces;
mod schedule;
pub mod session;
pub mod shard;
pub mod shared;
mod steps;
