//! Input of the compilation of modules: the programs of devices in form local. A program that is only sharded is one
//! stage; a pipeline is several, each a program for each of its tasks, and the transfers between them.

use partita_ir::arena::ValueId;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::pipeline::{Entry, Pipeline};
use partita_ir::program::{Name, Program, Value};
use partita_runtime::pipeline::stage::{devices, transfers};
use partita_runtime::pipeline::transfer::{StageDevices, Transfer};
use std::sync::Arc;

/// Programs in form local, by stage.
pub struct PartitionedProgram {
    /// The inputs of a run, in order.
    pub inputs: Vec<GlobalPort>,
    /// The outputs of a run, in order.
    pub outputs: Vec<GlobalPort>,
    /// The stages, at least one.
    pub stages: Vec<Stage>,
    /// The transfers between stages.
    pub transfers: Vec<Transfer>,
}

/// The programs of the devices of one mesh.
pub struct Stage {
    /// The devices.
    pub devices: StageDevices,
    /// The only program, or that of each task.
    pub programs: Vec<Arc<Program>>,
    /// The values that enter from outside.
    pub inputs: Vec<Port>,
    /// The values that leave.
    pub outputs: Vec<Port>,
}

/// A value that enters a stage from outside, or leaves it.
#[derive(Clone)]
pub struct Port {
    /// The path of a parameter, the name of an input or an output.
    pub name: Name,
    /// True for a parameter.
    pub is_parameter: bool,
    /// Its type and layout on the devices of the stage.
    pub value: Value,
}

/// An input or output of a run.
pub struct GlobalPort {
    /// The path of a parameter, the name of an input or an output.
    pub name: Name,
    /// The stages that take or give it, each with the position among the ports of the stage.
    pub at: Vec<(usize, usize)>,
}

impl PartitionedProgram {
    /// A program that runs on one mesh.
    pub fn single(program: Arc<Program>, devices: StageDevices) -> PartitionedProgram {
        let input = |&id: &ValueId| {
            let (name, is_parameter) = (program.path_of(id).into(), program.param_of(id).is_some());
            Port { name, is_parameter, value: program.values[id].clone() }
        };
        let inputs: Vec<Port> = program.inputs().iter().map(input).collect();
        let outputs = program.outputs().iter().map(|output| Port {
            name: output.name.clone(),
            is_parameter: false,
            value: program.values[output.value].clone(),
        });
        let outputs: Vec<Port> = outputs.collect();
        let global = |ports: &[Port]| {
            ports
                .iter()
                .enumerate()
                .map(|(at, port)| GlobalPort { name: port.name.clone(), at: vec![(0, at)] })
                .collect()
        };
        let (global_inputs, global_outputs) = (global(&inputs), global(&outputs));
        let stage = Stage { devices, programs: vec![program], inputs, outputs };
        PartitionedProgram {
            inputs: global_inputs,
            outputs: global_outputs,
            stages: vec![stage],
            transfers: Vec::new(),
        }
    }

    /// The stages of a pipeline. `step` is the program that the pipeline partitions.
    ///
    /// # Errors
    /// As [`PartitionedProgram::of_stages`].
    pub fn of_pipeline(pipeline: &Pipeline, step: &Program) -> Result<PartitionedProgram, Diagnostic> {
        let is_parameter =
            |name: &str| step.inputs().iter().any(|&v| step.param_of(v).is_some() && step.path_of(v) == name);
        let port = |entry: Entry| Port {
            is_parameter: is_parameter(&entry.name),
            value: pipeline.chunks[entry.chunk].cells[entry.cell].value(),
            name: entry.name,
        };
        let stage = |(stage, devices)| {
            let tasks = pipeline.chunks_of(stage).flat_map(|chunk| &pipeline.chunks[chunk].tasks);
            Stage {
                devices,
                programs: tasks.map(|task| Arc::new(task.program.clone())).collect(),
                inputs: pipeline.inputs_of(stage).into_iter().map(port).collect(),
                outputs: pipeline.outputs_of(stage).into_iter().map(port).collect(),
            }
        };
        let stages = devices(pipeline).into_iter().enumerate().map(stage).collect();
        PartitionedProgram::of_stages(step, stages, transfers(pipeline))
    }

    /// Stages which together compute `step`, whose inputs and outputs a run takes and gives.
    ///
    /// # Errors
    /// `R004` for an input of a stage that `step` does not have, and for an output that no stage gives.
    pub fn of_stages(
        step: &Program,
        stages: Vec<Stage>,
        transfers: Vec<Transfer>,
    ) -> Result<PartitionedProgram, Diagnostic> {
        let global = |name: &str, ports: fn(&Stage) -> &Vec<Port>| GlobalPort {
            name: name.into(),
            at: stages
                .iter()
                .enumerate()
                .flat_map(|(stage, of)| {
                    let here = ports(of).iter().enumerate().filter(|(_, port)| port.name == name);
                    here.map(move |(at, _)| (stage, at))
                })
                .collect(),
        };
        let inputs: Vec<GlobalPort> =
            step.inputs().iter().map(|&value| global(step.path_of(value), |stage| &stage.inputs)).collect();
        let outputs: Vec<GlobalPort> =
            step.outputs().iter().map(|output| global(&output.name, |stage| &stage.outputs)).collect();
        if let Some(port) = outputs.iter().find(|port| port.at.is_empty()) {
            return Err(Diagnostic::new(Code::R004, format!("no stage gives `{}`", port.name)));
        }
        let fed: usize = inputs.iter().map(|port| port.at.len()).sum();
        let taken: usize = stages.iter().map(|stage| stage.inputs.len()).sum();
        if fed != taken {
            return Err(Diagnostic::new(Code::R004, "a stage takes an input that the program does not have"));
        }
        Ok(PartitionedProgram { inputs, outputs, stages, transfers })
    }

    /// Returns whether there is one program on one mesh.
    pub fn is_single(&self) -> bool {
        self.stages.len() == 1 && self.stages[0].programs.len() == 1
    }

    /// The number of devices of all stages.
    pub fn device_count(&self) -> usize {
        self.stages.iter().map(|stage| stage.devices.ranks().len()).sum()
    }

    /// The stage of a device.
    pub fn stage_of(&self, rank: usize) -> usize {
        self.stages.partition_point(|stage| stage.devices.ranks().end <= rank)
    }
}
