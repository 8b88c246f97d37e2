//! Binding of data set fields to model inputs.

use super::data::{Dataset, Field, sample_shape};
use crate::Partition;
use crate::session::Port;
use indexmap::IndexMap;
use partita_ir::arena::ValueId;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::{DType, Type};
use partita_ir::interp::index_bounds;
use partita_ir::program::{Form, Program};
use partita_ir::tensor::Tensor;
use partita_passes::planning::name_dims::DimClasses;
use partita_passes::planning::presets::model::ModelStructure;
use partita_runtime::extent::Extent;
use partita_runtime::processes::Processes;
use partita_runtime::source::{Destination, TensorSource, Wanted, box_of, missing};
use std::ops::Range;

/// Source of an input.
#[derive(Clone, Debug)]
enum InputSource {
    /// Field of the data set.
    Field(Field),
    /// Output of the frozen prefix, by position.
    PrefixOutput(usize),
    /// Random key of the step.
    RandomKey,
}

/// An input of a run.
#[derive(Clone, Debug)]
struct BoundInput {
    source: InputSource,
    port: Port,
    /// The dimension of the samples.
    batch_dim: usize,
}

/// Conversion of samples to the inputs of a run.
#[derive(Clone, Debug)]
pub(crate) struct Binding {
    inputs: Vec<BoundInput>,
    /// Number of samples of a run.
    pub(crate) batch: usize,
}

impl Binding {
    /// Binds the fields of a data set to the inputs of a partition. `prefix_outputs` are inputs that the frozen prefix
    /// computes.
    ///
    /// # Errors
    /// `S002` for an input without a field, inputs of different batch sizes, or classes out of range.
    pub(crate) fn new(
        partition: &Partition,
        inputs: &[Port],
        data: &Dataset,
        (prefix_outputs, processes): (&[Port], Option<&Processes>),
    ) -> Result<Binding, Diagnostic> {
        let batch_dims = batch_dims(partition.undivided());
        let mut free: Vec<(&String, &Field)> = data.fields().iter().collect();
        let mut bound = Vec::new();
        let mut batch: Option<(usize, &str)> = None;
        for port in inputs {
            let batch_dim = batch_dims.get(port.name.as_str()).copied().unwrap_or(0);
            let mut bind = |source| bound.push(BoundInput { source, port: port.clone(), batch_dim });
            if let Some(output) = prefix_outputs.iter().position(|output| output.name == port.name) {
                bind(InputSource::PrefixOutput(output));
                continue;
            }
            let position = free.iter().position(|(name, _)| **name == port.name);
            if position.is_none() && is_key(&port.ty) {
                bind(InputSource::RandomKey);
                continue;
            }
            let Some(&size) = port.ty.shape.get(batch_dim) else { return Err(no_samples(port)) };
            let fits = |(_, field): &(&String, &Field)| {
                field.ty.dtype.is_float() == port.ty.dtype.is_float()
                    && sample_shape(field).count() * size == port.ty.shape.count()
            };
            let position = match position {
                Some(named) if !fits(&free[named]) => return Err(field_mismatch(port, free[named].1, data)),
                Some(named) => Some(named),
                None => free.iter().position(fits),
            };
            let (name, field) = free.remove(position.ok_or_else(|| no_field(port, data))?);
            if let Some((other, at)) = batch.filter(|(other, _)| *other != size) {
                let title = format!("the batch size is {other} in `{at}`, but {size} in `{}`", port.name);
                let why = "every input that is not a parameter has a value for each sample of the batch";
                return Err(Diagnostic::new(Code::S002, title).note(why));
            }
            batch = Some((size, &port.name));
            check_range((partition.planned(), port), name, field, data, processes)?;
            bind(InputSource::Field(field.cast(port.ty.dtype, cast)));
        }
        match batch {
            Some((batch, _)) if batch > 0 => Ok(Binding { inputs: bound, batch }),
            _ => Err(Diagnostic::new(Code::S002, "the model has no data inputs: all inputs are parameters")),
        }
    }

    /// Returns the inputs of a run on a batch of samples, given the random key and the outputs of the frozen prefix.
    pub(crate) fn batch<'b>(&'b self, ids: &'b [usize], key: [u32; 2], prefix_outputs: &'b [Tensor]) -> Batch<'b> {
        Batch { binding: self, ids, key, prefix_outputs }
    }

    /// Returns the global tensors of [`Binding::batch`], in order.
    ///
    /// # Errors
    /// Errors of the file of the data set.
    pub(crate) fn inputs(
        &self,
        ids: &[usize],
        key: [u32; 2],
        prefix_outputs: &[Tensor],
    ) -> Result<Vec<Tensor>, Diagnostic> {
        let batch = self.batch(ids, key, prefix_outputs);
        self.inputs.iter().map(|input| batch.rows(input, 0..self.batch)).collect()
    }

    /// Number of elements of an input per sample.
    pub(crate) fn elements_per_sample(&self, input: &str) -> Option<usize> {
        let bound = self.inputs.iter().find(|bound| bound.port.name == input)?;
        Some(bound.port.ty.shape.count() / self.batch)
    }

    /// Returns true if the samples are along the first dimension of every input.
    pub(crate) fn samples_lead(&self) -> bool {
        self.inputs.iter().all(|bound| bound.batch_dim == 0)
    }
}

/// Inputs of a run, of which each process reads the samples of its devices.
pub(crate) struct Batch<'b> {
    binding: &'b Binding,
    ids: &'b [usize],
    key: [u32; 2],
    prefix_outputs: &'b [Tensor],
}

impl Batch<'_> {
    /// Returns the samples of an input that are at these positions of the batch. Only samples of fields are read; other
    /// inputs are small or in memory.
    fn rows(&self, input: &BoundInput, rows: Range<usize>) -> Result<Tensor, Diagnostic> {
        let BoundInput { source, port, batch_dim } = input;
        Ok(match source {
            InputSource::Field(field) => {
                let mut ty = port.ty.clone();
                ty.shape[*batch_dim] = rows.len();
                let samples = cast(&field.rows(self.ids.get(rows).unwrap_or_default())?, ty.dtype);
                with_samples_along(samples, ty, *batch_dim)
            }
            InputSource::PrefixOutput(at) => {
                let zeros = || Tensor::zeros(port.ty.clone());
                let mut extent = Extent::full(&port.ty.shape);
                (extent.start[*batch_dim], extent.len[*batch_dim]) = (rows.start, rows.len());
                box_of(&self.prefix_outputs.get(*at).cloned().unwrap_or_else(zeros), &extent)
            }
            InputSource::RandomKey => Tensor::from_ints(port.ty.clone(), self.key.map(i64::from).into()),
        })
    }

    fn input(&self, name: &str) -> Option<&BoundInput> {
        self.binding.inputs.iter().find(|input| input.port.name == name)
    }
}

impl TensorSource for Batch<'_> {
    fn ty(&self, name: &str) -> Option<Type> {
        self.input(name).map(|input| input.port.ty.clone())
    }

    fn names(&self) -> Vec<String> {
        self.binding.inputs.iter().map(|input| input.port.name.clone()).collect()
    }

    fn read(&self, wanted: &Wanted<'_>, to: &mut [Destination<'_>]) -> Result<(), Diagnostic> {
        let input = self.input(wanted.name).ok_or_else(|| missing(wanted.name))?;
        let dim = input.batch_dim;
        for to in to.iter_mut().filter(|to| !to.extent.is_empty()) {
            let (extent, is_key) = (to.extent.clone(), matches!(input.source, InputSource::RandomKey));
            let (first, count) = if is_key { (0, 0) } else { (extent.start[dim], extent.len[dim]) };
            let rows = self.rows(input, first..first + count)?;
            // The rows have all elements of their samples.
            let mut inside = extent.clone();
            if !is_key {
                inside.start[dim] -= first;
            }
            to.write(&extent, &box_of(&rows, &inside).to_bytes());
        }
        Ok(())
    }
}

/// Returns the batch dimension of each input of a model that has one, by name. A batch of one example has none.
fn batch_dims(model: &Program) -> IndexMap<&str, usize> {
    if model.form != Form::Traced {
        return IndexMap::default();
    }
    let classes = DimClasses::new(model);
    let structure = ModelStructure::new(model, &classes);
    let is_single = |value: &ValueId| model.ty(*value).shape.rank() > 1 && model.ty(*value).shape[0] == 1;
    if structure.data.iter().any(is_single) {
        return IndexMap::new();
    }
    let dim = |&value: &ValueId| Some((model.path_of(value), structure.examples_dim(value)?));
    structure.data.iter().filter_map(dim).collect()
}

/// Returns samples, which are along dimension 0, along another dimension of a tensor of type `ty`.
fn with_samples_along(samples: Tensor, ty: Type, dim: usize) -> Tensor {
    if dim == 0 {
        return Tensor { ty, data: samples.data };
    }
    let (count, before) = (ty.shape[dim], ty.shape[..dim].iter().product::<usize>());
    let bytes = samples.to_bytes();
    let size = bytes.len() / (count * before).max(1);
    let parts = (0..before).flat_map(|outer| (0..count).map(move |sample| sample * before + outer));
    let moved: Vec<u8> = parts.flat_map(|at| bytes[at * size..(at + 1) * size].iter().copied()).collect();
    Tensor::from_bytes(ty, &moved)
}

/// Sequence length of a model: the last dimension of its first integer input of rank 2 or more.
pub(crate) fn sequence_length(program: &Program) -> Option<usize> {
    let inputs = program.inputs().iter().filter(|&&v| program.param_of(v).is_none()).map(|&v| program.ty(v));
    let sequences = inputs.filter(|ty| ty.dtype.is_int() && ty.shape.rank() > 1);
    sequences.filter_map(|ty| ty.shape.last().copied()).next()
}

/// Returns true if the type is that of a random key.
pub(crate) fn is_key(ty: &Type) -> bool {
    *ty == Type::new(DType::U32, [2])
}

/// Casts a field to another element type.
fn cast(field: &Tensor, dtype: DType) -> Tensor {
    let ty = Type { shape: field.ty.shape.clone(), dtype };
    if field.ty.dtype == dtype {
        field.clone()
    } else if dtype.is_float() {
        Tensor::from_floats(ty, field.scalars().map(|x| x.to_f64()).collect())
    } else {
        Tensor::from_ints(ty, field.scalars().map(|x| x.to_i64()).collect())
    }
}

fn check_range(
    (program, port): (&Program, &Port),
    name: &str,
    field: &Field,
    data: &Dataset,
    processes: Option<&Processes>,
) -> Result<(), Diagnostic> {
    let limits: IndexMap<&str, Option<usize>> =
        program.inputs().iter().map(|&v| program.path_of(v)).zip(index_bounds(program)).collect();
    let Some(limit) = limits.get(port.name.as_str()).copied().flatten().filter(|_| port.ty.dtype.is_int()) else {
        return Ok(());
    };
    let (least, most) = field.bounds(processes)?;
    if least >= 0 && most < limit as i64 {
        return Ok(());
    }
    let wrong = if least < 0 { least } else { most };
    let title = format!("field `{name}` of `{}` has a {wrong}, but the model accepts 0 to {}", data.name, limit - 1);
    let error = Diagnostic::new(Code::S002, title);
    Err(match data.vocabulary().len() {
        0 => error.note(format!("it feeds the input `{}`", port.name)),
        n => error
            .note(format!("the text has {n} different characters"))
            .help(format!("set the vocabulary of a built-in model: `vocab={n}`")),
    })
}

fn fields_text(data: &Dataset) -> String {
    let one = |(name, field): (&String, &Field)| format!("`{name}` ({}{})", field.ty.dtype, sample_shape(field));
    data.fields().iter().map(one).collect::<Vec<_>>().join(", ")
}

fn no_field(port: &Port, data: &Dataset) -> Diagnostic {
    let title = format!("`{}` has no field for the input `{}` ({})", data.name, port.name, port.ty);
    let each = port.ty.shape.count() / port.ty.shape.first().copied().unwrap_or(1).max(1);
    let kind = if port.ty.dtype.is_float() { "numbers" } else { "integers" };
    Diagnostic::new(Code::S002, title)
        .note(format!("the input needs {each} {kind} per sample; fields of the data set: {}", fields_text(data)))
}

fn no_samples(port: &Port) -> Diagnostic {
    let title = format!("the input `{}` ({}) has no samples, so that no data set can feed it", port.name, port.ty);
    Diagnostic::new(Code::S002, title).help("make it a constant of the model, or a parameter")
}

fn field_mismatch(port: &Port, field: &Field, data: &Dataset) -> Diagnostic {
    let sample = sample_shape(field);
    let title = format!("field `{}` of `{}` does not fit the input of that name", port.name, data.name);
    Diagnostic::new(Code::S002, title)
        .note(format!("a sample has {}{sample}, the input is {}", field.ty.dtype, port.ty))
}
