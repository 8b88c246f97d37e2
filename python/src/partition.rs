//! A plan applied to a model.

use crate::error::{Error, exception};
use crate::flags::{Flags, plan};
use crate::model::Model;
use crate::op_layouts::{OpLayouts, op_layouts};
use crate::worker::finish;
use partita::html::PlanDetails;
use partita::ir::arena::ValueId;
use partita::ir::mesh::DeviceMesh;
use partita::simulate::Simulation;
use partita::{Compiler, Machine, Plan, Program};
use partita_cli::render::render;
use partita_ir::mesh::AxisRef;
use partita_ir::syntax::attr::axis_names;
use partita_ir::text;
use pyo3::prelude::*;

/// A model partitioned by a plan.
#[pyclass(frozen)]
pub(crate) struct Partition {
    model: String,
    /// The plan as given, without expanded presets.
    written: Plan,
    partition: partita::Partition,
    /// Machine that prices collectives.
    machine: Option<Machine>,
}

/// Partitions a model by a plan: that of a plan file, extended by flags.
#[pyfunction]
#[pyo3(signature = (model, flags, toml=None, machine=None))]
pub(crate) fn partition(
    py: Python<'_>,
    model: &Model,
    flags: Flags,
    toml: Option<&str>,
    machine: Option<&str>,
) -> PyResult<Partition> {
    let partitioned = finish(py, || {
        let machine = machine.map(partita::load_machine).transpose()?;
        let plan = plan(toml, &flags)?;
        let compiler = Compiler::new(&model.program).plan(&plan);
        let partition = match &machine {
            Some(machine) => compiler.machine(machine).partition(),
            None => compiler.partition(),
        };
        Ok((plan, partition?, machine))
    })?;
    let (written, partition, machine) = partitioned.map_err(|error| exception(py, &error))?;
    Ok(Partition { model: model.name.clone(), written, partition, machine })
}

/// Layout of an input or output.
type TensorLayout = (String, Vec<usize>, String, Vec<Vec<String>>);

#[pymethods]
impl Partition {
    /// The report, as text. `all` prints every row.
    #[pyo3(signature = (all=false))]
    fn text(&self, all: bool) -> String {
        let mut report = self.partition.report();
        report.model.clone_from(&self.model);
        if all { report.unfolded().to_string() } else { report.to_string() }
    }

    /// The report, as JSON.
    fn json(&self) -> String {
        let mut report = self.partition.report();
        report.model.clone_from(&self.model);
        report.to_json()
    }

    /// The report as an HTML page; with a machine, with the predicted step.
    fn html(&self, py: Python<'_>) -> PyResult<String> {
        let page = finish(py, || {
            let (report, simulation) = match &self.machine {
                Some(machine) => {
                    let simulation = Simulation::from_partition(&self.partition, machine, &Default::default())?;
                    (self.partition.report_on(machine)?, Some(simulation.with_model_name(&self.model)))
                }
                None => (self.partition.report(), None),
            };
            let report = partita::Report { model: self.model.clone(), ..report };
            let details = PlanDetails { partition: &self.partition, report: &report, simulation: simulation.as_ref() };
            Ok(details.to_html())
        })?;
        page.map_err(|error| exception(py, &error))
    }

    /// Warnings, as the command prints them.
    #[getter]
    fn warnings(&self) -> String {
        render(self.partition.warnings(), false)
    }

    /// Explanation of the layout of a value.
    fn explain(&self, py: Python<'_>, name: &str) -> PyResult<String> {
        self.partition.explain(name).map_err(|error| exception(py, &error))
    }

    /// Explanation of a collective by its number in the complete report, counted from 1.
    fn explain_collective(&self, py: Python<'_>, number: usize) -> PyResult<String> {
        self.partition.explain_collective(number).map_err(|error| exception(py, &error))
    }

    /// The plan as a plan file.
    fn to_toml(&self) -> String {
        self.partition.plan().to_toml()
    }

    /// The plan as given, without expanded presets, as a plan file.
    fn written_toml(&self) -> String {
        self.written.to_toml()
    }

    /// The program as "mlir", with shardings, as "pir", or as "local", the program of one device.
    fn emit(&self, py: Python<'_>, form: &str) -> PyResult<String> {
        let program = |program: partita::Result<String>| program.map_err(|error| exception(py, &error));
        match form {
            "mlir" => program(partita_stablehlo::export(self.partition.planned()).map_err(partita::Error::from)),
            "pir" => Ok(text::print(self.partition.planned())),
            "local" => program(self.partition.local().map(text::print)),
            _ => Err(Error::new_err(format!("no form `{form}`: use \"mlir\", \"pir\" or \"local\""))),
        }
    }

    /// Runs all devices on random inputs and compares them with one device. Returns true if they agree, and a summary.
    #[pyo3(signature = (seed=0))]
    fn check(&self, py: Python<'_>, seed: u64) -> PyResult<(bool, String)> {
        let checked = finish(py, || self.partition.check(&self.partition.random_inputs(seed)?))?;
        let check = checked.map_err(|error| exception(py, &error))?;
        Ok((check.ok(), check.to_string()))
    }

    /// Name of each op in the user's model, and the layouts of its operands and results that need a constraint.
    fn op_layouts(&self, py: Python<'_>) -> PyResult<Vec<OpLayouts>> {
        let explicit = self.partition.explicit().map_err(|error| exception(py, &error))?;
        Ok(op_layouts(&explicit))
    }

    /// Number of pipeline stages.
    #[getter]
    fn stage_count(&self) -> usize {
        self.partition.planned_on_meshes().iter().map(|(stages, _)| stages.len()).sum()
    }

    /// Axes of the mesh with their sizes, major to minor.
    #[getter]
    fn mesh(&self) -> Vec<(String, u32)> {
        let axes = |mesh: &DeviceMesh| mesh.axes.iter().map(|axis| (axis.name.to_string(), axis.size)).collect();
        self.partition.planned().mesh().map_or_else(Vec::new, |(_, mesh)| axes(mesh))
    }

    /// Number of the device at each position of the mesh.
    #[getter]
    fn device_order(&self) -> Vec<u32> {
        self.partition.planned().mesh().map_or_else(Vec::new, |(_, mesh)| mesh.devices.clone())
    }

    /// Name, shape, element type and axes of each dimension, for each input.
    #[getter]
    fn inputs(&self) -> Vec<TensorLayout> {
        let program = self.partition.planned();
        program.inputs().iter().map(|&value| layout(program, value, program.path_of(value))).collect()
    }

    /// Name, shape, element type and axes of each dimension, for each output.
    #[getter]
    fn outputs(&self) -> Vec<TensorLayout> {
        let program = self.partition.planned();
        program.outputs().iter().map(|output| layout(program, output.value, &output.name)).collect()
    }
}

/// Returns the layout of a value. A part of an axis is written with its place: `model:(2)2`.
fn layout(program: &Program, value: ValueId, name: &str) -> TensorLayout {
    let mesh = program.mesh().map(|(_, mesh)| mesh);
    let v = &program.values[value];
    let axes = |dim: usize| -> &[AxisRef] {
        v.layout.as_deref().and_then(|layout| layout.dims.get(dim)).map_or(&[], |dim| &dim.axes)
    };
    let dims = (0..v.ty.shape.rank()).map(|dim| axis_names(axes(dim), mesh)).collect();
    (name.to_owned(), v.ty.shape.to_vec(), v.ty.dtype.to_string(), dims)
}
