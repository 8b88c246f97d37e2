//! Pipelines: the model is cut into stages, each is partitioned over its own devices, and schedules say who does what
//! when.

pub mod cut_stages;
pub mod schedule;
pub mod stages;
pub mod tasks;
