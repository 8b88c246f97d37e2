//! From stages to a pipeline: what each chunk does as tasks, and in which order stages do it.

mod apart;
pub mod pipeline;
mod tasks;
