//! Partitioned programs, the input of code generation. A sharded program has one stage with one program; a pipeline has
//! several stages, with one program per task and transfers between stages.

use partita_ir::arena::ValueId;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::pipeline::{Pipeline, StagePort};
use partita_ir::program::{Name, Program, Value};
use partita_runtime::pipeline::stage::{devices, transfers};
use partita_runtime::pipeline::transfer::{StageDevices, Transfer};
use std::sync::Arc;

/// Local programs of all stages, with the inputs and outputs of a run and the transfers between stages.
pub struct PartitionedProgram {
    /// Global inputs of a run, in the order of the unpartitioned program.
    pub inputs: Vec<GlobalPort>,
    /// Global outputs of a run, in the order of the unpartitioned program.
    pub outputs: Vec<GlobalPort>,
    /// Stages; at least one.
    pub stages: Vec<Stage>,
    /// Transfers between stages.
    pub transfers: Vec<Transfer>,
}

/// Local programs of the devices of one mesh.
pub struct Stage {
    /// Devices of the stage.
    pub devices: StageDevices,
    /// The only program of an unpipelined stage, or the program of each task of the stage.
    pub programs: Vec<Arc<Program>>,
    /// Inputs that do not come from another stage.
    pub inputs: Vec<Port>,
    /// Outputs of the stage.
    pub outputs: Vec<Port>,
}

/// An output of a stage, or an input that does not come from another stage.
#[derive(Clone)]
pub struct Port {
    /// Path of a parameter, or name of an input or output.
    pub name: Name,
    /// True for a parameter.
    pub is_parameter: bool,
    /// Type and layout on the devices of the stage.
    pub value: Value,
}

/// An input or output of a run.
pub struct GlobalPort {
    /// Path of a parameter, or name of an input or output.
    pub name: Name,
    /// Stages that read the input or produce the output, each with the index among the stage's own inputs or outputs.
    pub stage_ports: Vec<(usize, usize)>,
}

impl PartitionedProgram {
    /// Creates a partitioned program with one program on one mesh.
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
                .map(|(index, port)| GlobalPort { name: port.name.clone(), stage_ports: vec![(0, index)] })
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

    /// Creates a partitioned program from a pipeline; `step` is the unpartitioned program.
    ///
    /// # Errors
    /// The errors of [`PartitionedProgram::from_stages`].
    pub fn from_pipeline(pipeline: &Pipeline, step: &Program) -> Result<PartitionedProgram, Diagnostic> {
        let is_parameter =
            |name: &str| step.inputs().iter().any(|&v| step.param_of(v).is_some() && step.path_of(v) == name);
        let port = |entry: StagePort| Port {
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
        PartitionedProgram::from_stages(step, stages, transfers(pipeline))
    }

    /// Creates a partitioned program from stages that together compute `step`; the inputs and outputs of a run are
    /// those of `step`.
    ///
    /// # Errors
    /// `R004` for an input of a stage that `step` does not have, and for an output that no stage produces.
    pub fn from_stages(
        step: &Program,
        stages: Vec<Stage>,
        transfers: Vec<Transfer>,
    ) -> Result<PartitionedProgram, Diagnostic> {
        let global = |name: &str, ports: fn(&Stage) -> &Vec<Port>| GlobalPort {
            name: name.into(),
            stage_ports: stages
                .iter()
                .enumerate()
                .flat_map(|(number, stage)| {
                    let matching = ports(stage).iter().enumerate().filter(|(_, port)| port.name == name);
                    matching.map(move |(index, _)| (number, index))
                })
                .collect(),
        };
        let inputs: Vec<GlobalPort> =
            step.inputs().iter().map(|&value| global(step.path_of(value), |stage| &stage.inputs)).collect();
        let outputs: Vec<GlobalPort> =
            step.outputs().iter().map(|output| global(&output.name, |stage| &stage.outputs)).collect();
        if let Some(port) = outputs.iter().find(|port| port.stage_ports.is_empty()) {
            return Err(Diagnostic::new(Code::R004, format!("no stage produces `{}`", port.name)));
        }
        let listed: usize = inputs.iter().map(|port| port.stage_ports.len()).sum();
        let declared: usize = stages.iter().map(|stage| stage.inputs.len()).sum();
        if listed != declared {
            return Err(Diagnostic::new(Code::R004, "a stage has an input that the program does not have"));
        }
        Ok(PartitionedProgram { inputs, outputs, stages, transfers })
    }

    /// Returns true if there is one program on one mesh.
    pub fn is_single(&self) -> bool {
        self.stages.len() == 1 && self.stages[0].programs.len() == 1
    }

    /// Returns the number of devices of all stages.
    pub fn device_count(&self) -> usize {
        self.stages.iter().map(|stage| stage.devices.ranks().len()).sum()
    }

    /// Returns the stage of the device `rank`, which must be less than [`PartitionedProgram::device_count`].
    pub fn stage_of(&self, rank: usize) -> usize {
        self.stages.partition_point(|stage| stage.devices.ranks().end <= rank)
    }
}
