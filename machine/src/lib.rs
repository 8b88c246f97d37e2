//! Machine models: devices, links and networks, algorithms of collectives with their costs, and timelines.
//!
//! [`Machine`] is read from a TOML file or a preset. [`collective`] represents the algorithms of collectives as data
//! and predicts their run time on a machine. [`timeline`] records predicted and measured spans. The crate depends on
//! the types and diagnostics of `ir`, and on neither passes nor runtimes.

pub mod collective;
mod machine;
pub mod timeline;

pub use machine::{DeviceKind, Link, Machine, Node, PRESETS, Port, Switch, Vertex, host, network, profile, topology};
