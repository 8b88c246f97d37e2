//! Reading the programs of an artefact, and the inputs, outputs and transfers of its stages.

use super::Entries;
use crate::artefact::manifest::{EndRecord, PARAMETER, PROGRAM, PortRecord, StageRecord, TransferRecord};
use crate::partitioned::{PartitionedProgram, Port, Stage};
use crate::words;
use partita_ir::diag::Diagnostic;
use partita_ir::mesh::DeviceMesh;
use partita_ir::program::{Form, Program, Value};
use partita_ir::text::parse_type;
use partita_runtime::compile::mesh_of;
use partita_runtime::pipeline::transfer::{StageDevices, Transfer, TransferEnd};
use std::sync::Arc;

impl Entries<'_> {
    /// Reads the programs that together compute `step`, which may be missing for a program on one mesh.
    pub(super) fn partitioned(&mut self, step: Option<&Program>) -> Result<PartitionedProgram, Diagnostic> {
        if self.manifest.stages.is_empty() {
            let program = self.local(PROGRAM)?;
            let mesh = Arc::new(mesh_of(&program)?);
            return Ok(PartitionedProgram::single(Arc::new(program), StageDevices { mesh, first_rank: 0 }));
        }
        let step = step.ok_or_else(|| self.path.inconsistent("it has stages, but no unpartitioned program"))?;
        let records = self.manifest.stages.clone();
        let mut programs = Vec::with_capacity(records.len());
        for record in &records {
            programs.push(self.programs(record)?);
        }
        let devices = StageDevices::consecutive(programs.iter().map(|(_, mesh)| mesh.clone()));
        let stages = records.into_iter().zip(programs).zip(&devices);
        let stage = |((record, (programs, mesh)), devices): ((StageRecord, (_, Arc<DeviceMesh>)), &StageDevices)| {
            let ports = |records: Vec<PortRecord>| records.into_iter().map(|of| self.port(of, &mesh)).collect();
            let (inputs, outputs): (Result<_, _>, Result<_, _>) = (ports(record.inputs), ports(record.outputs));
            Ok(Stage { devices: devices.clone(), programs, inputs: inputs?, outputs: outputs? })
        };
        let stages = stages.map(stage).collect::<Result<_, Diagnostic>>()?;
        let transfers = self.manifest.transfers.iter().map(|record| self.transfer(record, &devices));
        let transfers = transfers.collect::<Result<_, _>>()?;
        PartitionedProgram::from_stages(step, stages, transfers).map_err(|e| self.path.inconsistent(e.title))
    }

    /// Consumes the entry of a local program.
    fn local(&mut self, name: &str) -> Result<Program, Diagnostic> {
        let program = self.program(name)?;
        match program.form {
            Form::Local => Ok(program),
            form => Err(self.path.inconsistent(format!("its program is {}, not local", form.name()))),
        }
    }

    /// Reads the programs of a stage, and the mesh that they share.
    fn programs(&mut self, record: &StageRecord) -> Result<(Vec<Arc<Program>>, Arc<DeviceMesh>), Diagnostic> {
        let mut programs = Vec::with_capacity(record.programs.len());
        for name in &record.programs {
            programs.push(Arc::new(self.local(name)?));
        }
        let first = programs.first().ok_or_else(|| self.path.inconsistent("a stage has no programs"))?;
        let mesh = mesh_of(first)?;
        if programs.iter().any(|program| program.mesh().map(|(_, mesh)| mesh) != first.mesh().map(|(_, mesh)| mesh)) {
            return Err(self.path.inconsistent("the programs of a stage are on different meshes"));
        }
        Ok((programs, Arc::new(mesh)))
    }

    fn port(&self, record: PortRecord, mesh: &DeviceMesh) -> Result<Port, Diagnostic> {
        let value = self.value(&record.ty, mesh)?;
        Ok(Port { name: record.name.into(), is_parameter: record.kind == PARAMETER, value })
    }

    fn value(&self, ty: &str, mesh: &DeviceMesh) -> Result<Value, Diagnostic> {
        parse_type(ty, mesh).map_err(|e| self.path.inconsistent(format!("`{ty}` is not a type: {}", e.title)))
    }

    fn transfer(&self, record: &TransferRecord, devices: &[StageDevices]) -> Result<Transfer, Diagnostic> {
        let end = |of: &EndRecord| {
            let none = || {
                self.path.inconsistent(format!("`{}` refers to stage {}, which does not exist", record.name, of.stage))
            };
            let devices = devices.get(of.stage).ok_or_else(none)?.clone();
            let value = self.value(&of.ty, &devices.mesh)?;
            Ok(TransferEnd { stage: of.stage, value, devices })
        };
        let (from, to) = (end(&record.from)?, end(&record.to)?);
        words::check_dtype(from.value.ty.dtype, &record.name).map_err(|e| self.path.inconsistent(e.title))?;
        if from.value.ty != to.value.ty {
            let (name, sent, received) = (&record.name, &from.value.ty, &to.value.ty);
            return Err(self.path.inconsistent(format!("`{name}` is sent as {sent} and received as {received}")));
        }
        Ok(Transfer { name: record.name.as_str().into(), from, to })
    }
}
