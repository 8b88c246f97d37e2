//! Data sets: named fields, each a tensor whose first dimension is the sample.

mod csv;
mod field;
mod text;

use super::bind::sequence_length;
use crate::error::Result;
pub(crate) use field::Field;
use indexmap::IndexMap;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::{Shape, Type};
use partita_ir::input_file::read_text;
use partita_ir::program::Program;
use partita_ir::tensor::{Data, Tensor};
use partita_runtime::checkpoint::{SavedCheckpoint, SavedTensor};
use partita_runtime::io::read_tensors;
use partita_runtime::processes::Processes;
use std::path::Path;
use std::sync::Arc;

/// A data set, in memory or in a file. The id of a sample is its position.
#[derive(Clone, Debug)]
pub struct Dataset {
    /// Name in messages.
    pub(crate) name: String,
    fields: IndexMap<String, Field>,
    samples: usize,
    /// Characters of a text by token id.
    vocabulary: Vec<char>,
}

impl Dataset {
    /// Reads a file for a model, by its extension: `.csv`, `.txt` (split into sequences of the model's length), or
    /// `.safetensors`.
    ///
    /// # Errors
    /// `C001` for an unreadable file, `F002` for an incomplete `.safetensors` file, `S001` for an invalid data set,
    /// `S002` for a text with a model that has no sequence input.
    pub fn read(path: impl AsRef<Path>, model: &Program) -> Result<Dataset> {
        let path = path.as_ref();
        let name = path.display().to_string();
        match path.extension().and_then(|e| e.to_str()) {
            Some("csv") => Dataset::csv(&name, &read_text(path)?),
            Some("txt") => match sequence_length(model) {
                Some(seq) => Dataset::text(&name, &read_text(path)?, seq),
                None => {
                    let title = format!("`{name}` is a text, but the model has no sequence input");
                    let note = "a character model has an integer input `[batch, characters]`";
                    Err(Diagnostic::new(Code::S002, title).note(note).into())
                }
            },
            Some("safetensors") => Dataset::tensors(&name, read_tensors(path)?),
            _ => {
                let title = format!("`{name}` is not a data set");
                Err(Diagnostic::new(Code::S001, title)
                    .note("a data set ends in `.csv`, `.txt` or `.safetensors`")
                    .into())
            }
        }
    }

    /// Reads a file as [`Dataset::read`] does, but leaves the samples of a `.safetensors` file in the file, from which
    /// [`Trainer::run`](crate::Trainer::run) reads those of its devices for each batch. The file must not change.
    ///
    /// # Errors
    /// The errors of [`Dataset::read`].
    pub fn open(path: impl AsRef<Path>, model: &Program) -> Result<Dataset> {
        let path = path.as_ref();
        if path.extension().is_none_or(|extension| extension != "safetensors") {
            return Dataset::read(path, model);
        }
        let file = Arc::new(SavedCheckpoint::open_tensors(path)?);
        let field = |(name, tensor): (&String, &SavedTensor)| {
            (name.clone(), Field::in_file(file.clone(), name, tensor.ty.clone()))
        };
        Dataset::from_fields(&path.display().to_string(), file.tensors().iter().map(field).collect())
    }

    /// Parses numbers separated by commas, with a header. The column `label` becomes the integer field `label`, the
    /// other columns together become `features`.
    ///
    /// # Errors
    /// `S001` for a file without samples, or with an invalid number, whose location is given.
    pub fn csv(name: &str, text: &str) -> Result<Dataset> {
        Dataset::tensors(name, csv::fields(name, text)?)
    }

    /// Tokenises a text for a character model: fields `tokens` and `targets`, which is shifted by one character, in
    /// sequences without overlap. The token id of a character is its position among the sorted distinct characters of
    /// the text.
    ///
    /// # Errors
    /// `S001` for a text that is shorter than a sequence.
    pub fn text(name: &str, text: &str, seq: usize) -> Result<Dataset> {
        let (fields, vocabulary) = text::fields(name, text, seq)?;
        Ok(Dataset { vocabulary, ..Dataset::tensors(name, fields)? })
    }

    /// Creates a data set from tensors.
    ///
    /// # Errors
    /// `S001` for fields with different numbers of samples, or without samples.
    pub fn tensors(name: &str, fields: IndexMap<String, Tensor>) -> Result<Dataset> {
        let fields = fields.into_iter().map(|(field, tensor)| (field, Field::in_memory(tensor)));
        Dataset::from_fields(name, fields.collect())
    }

    fn from_fields(name: &str, fields: IndexMap<String, Field>) -> Result<Dataset> {
        let bad = |what: String| Diagnostic::new(Code::S001, format!("`{name}` is not a data set: {what}"));
        let mut counts = fields.iter().map(|(field, tensor)| (field, tensor.ty.shape.first().copied()));
        let Some((first, samples)) = counts.next() else { return Err(bad("it has no fields".into()).into()) };
        let Some(samples) = samples.filter(|&n| n > 0) else {
            return Err(bad(format!("field `{first}` has no samples")).into());
        };
        if let Some((other, count)) = counts.find(|(_, count)| *count != Some(samples)) {
            let count = count.unwrap_or_default();
            return Err(bad(format!("`{first}` has {samples} samples, but `{other}` has {count}")).into());
        }
        Ok(Dataset { name: name.to_owned(), fields, samples, vocabulary: Vec::new() })
    }

    /// Returns the type of each field, and the size of its file, by which processes detect different files.
    pub(crate) fn shape_and_bytes(&self) -> Vec<(String, Option<u64>)> {
        self.fields.iter().map(|(name, field)| (format!("{name} {}", field.ty), field.file_bytes())).collect()
    }

    /// Number of samples.
    pub fn len(&self) -> usize {
        self.samples
    }

    /// Returns true for a data set without samples, which no constructor creates.
    pub fn is_empty(&self) -> bool {
        self.samples == 0
    }

    /// Fields, by name.
    pub(crate) fn fields(&self) -> &IndexMap<String, Field> {
        &self.fields
    }

    /// Returns all samples of a field as a tensor whose first dimension is the sample.
    ///
    /// # Errors
    /// `S001` for an unknown field, `C001` for a file that cannot be read.
    pub fn field(&self, name: &str) -> Result<Tensor> {
        let unknown = || Diagnostic::new(Code::S001, format!("`{}` has no field `{name}`", self.name));
        let ids: Vec<usize> = (0..self.samples).collect();
        Ok(self.fields.get(name).ok_or_else(unknown)?.rows(&ids)?)
    }

    /// Characters of a text by token id. Empty for other data.
    pub fn vocabulary(&self) -> &[char] {
        &self.vocabulary
    }

    /// Divides floating-point fields by a number.
    pub fn scaled(self, by: f64) -> Dataset {
        let fields = self.fields.into_iter().map(|(name, field)| (name, field.scaled(by)));
        Dataset { fields: fields.collect(), ..self }
    }

    /// Returns the largest magnitude in the floating-point fields of some samples.
    ///
    /// # Errors
    /// Errors of a file, and of other processes.
    pub(crate) fn largest(&self, samples: &[usize], processes: Option<&Processes>) -> Result<f64> {
        let floats = self.fields.values().filter(|field| field.ty.dtype.is_float());
        let mut largest = 0.0;
        for field in floats {
            largest = f64::max(largest, field.largest(samples, processes)?);
        }
        Ok(largest)
    }
}

/// Divides a floating-point tensor by a number. Integers are unchanged.
pub(crate) fn divide_floats(mut tensor: Tensor, by: f64) -> Tensor {
    match &mut tensor.data {
        Data::F64(v) => v.iter_mut().for_each(|x| *x /= by),
        Data::F32(v) => v.iter_mut().for_each(|x| *x = (f64::from(*x) / by) as f32),
        Data::Int(_) => return tensor,
    }
    tensor.wrapped()
}

/// Gathers rows of a tensor into a tensor of type `ty`, which must have as many elements.
pub(crate) fn gather_rows(tensor: &Tensor, ids: &[usize], ty: &Type) -> Tensor {
    let each = tensor.ty.shape.count() / tensor.ty.shape.first().copied().unwrap_or(1).max(1);
    fn pick<T: Copy>(from: &[T], ids: &[usize], each: usize) -> Vec<T> {
        ids.iter().flat_map(|&id| from[id * each..(id + 1) * each].iter().copied()).collect()
    }
    let data = match &tensor.data {
        Data::F64(v) => Data::F64(pick(v, ids, each)),
        Data::F32(v) => Data::F32(pick(v, ids, each)),
        Data::Int(v) => Data::Int(pick(v, ids, each)),
    };
    Tensor { ty: ty.clone(), data }
}

/// Returns the shape of one sample of a field.
pub(crate) fn sample_shape(field: &Field) -> Shape {
    Shape::from(&field.ty.shape[1..])
}
