//! Programs that are partitioned, compared, proven, priced and searched.

#![allow(clippy::expect_used, clippy::panic, clippy::print_stdout, clippy::unwrap_used, reason = "tests")]

mod autotune;
mod checked;
mod collectives;
mod context;
mod equality;
mod imported_proofs;
mod korthikanti;
mod loops;
mod manual;
mod native_collectives;
mod normal_forms;
mod normalised;
mod overlap;
mod pipeline_memory;
mod pipelines;
mod processes;
mod proofs_of_user_programs;
mod published;
mod schedule_costs;
mod search;
mod search_of_user_programs;
mod shardy;
mod special_values;
mod steps;
mod torch_models;
mod torch_onnx;
mod training_faults;
