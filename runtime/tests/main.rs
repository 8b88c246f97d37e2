//! Execution of local programs, files and checkpoints.

#![allow(clippy::panic, clippy::unwrap_used, reason = "tests")]

mod checkpoint;
mod faults;
mod io;
mod programs;
mod shard;
mod sharded_checkpoint;
