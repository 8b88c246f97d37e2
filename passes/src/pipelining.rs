//! Pipeline parallelism: the step is cut into stages, each stage is partitioned over its own devices, and a schedule
//! orders the tasks of every stage.

pub mod cut_stages;
pub mod schedule;
pub mod stages;
pub mod tasks;
