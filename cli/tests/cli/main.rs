//! Tests of the command line binary: output and exit codes.

#[cfg(test)]
mod agreement;
#[cfg(test)]
mod budget;
#[cfg(test)]
mod calibrate;
#[cfg(test)]
mod compare;
mod errors;
mod export;
mod forms;
#[cfg(test)]
#[cfg(feature = "gpu")]
mod gpu;
#[cfg(test)]
#[cfg(feature = "emulate")]
mod gpu_ranks;
mod gpu_session;
mod html;
mod kernels;
#[cfg(test)]
mod launch;
mod learning_rate;
mod limits;
mod malformed_files;
#[cfg(test)]
mod messages;
#[cfg(test)]
mod no_effect;
#[cfg(test)]
mod one_stage;
#[cfg(test)]
mod onnx;
mod parameters;
mod pipeline;
mod plan;
#[cfg(test)]
mod predict;
mod presets;
mod prove;
mod ranks;
mod render;
#[cfg(test)]
mod repeated;
#[cfg(test)]
mod replan;
mod rewriting;
mod run;
mod search;
#[cfg(test)]
#[cfg(all(unix, feature = "serve"))]
mod serve;
mod several_runs;
mod simulate;
#[cfg(test)]
#[cfg(unix)]
mod special_files;
#[cfg(test)]
mod stages;
#[cfg(test)]
mod support;
#[cfg(test)]
mod sweep;
#[cfg(test)]
mod torch;
#[cfg(test)]
mod train;
mod training;
mod well_known_plans;
