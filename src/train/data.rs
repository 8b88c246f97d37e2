//! Data sets: named fields, each a tensor whose first dimension is the sample.

mod csv;
mod text;

use super::bind::sequence_length;
use crate::error::Result;
use indexmap::IndexMap;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::{Shape, Type};
use partita_ir::input_file::read_text;
use partita_ir::program::Program;
use partita_ir::tensor::{Data, Tensor};
use partita_runtime::io::read_tensors;
use std::path::Path;

/// A data set in memory. The id of a sample is its position.
#[derive(Clone, Debug)]
pub struct Dataset {
    /// Name in messages.
    pub(crate) name: String,
    fields: IndexMap<String, Tensor>,
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

    /// Number of samples.
    pub fn len(&self) -> usize {
        self.samples
    }

    /// Returns true for a data set without samples, which no constructor creates.
    pub fn is_empty(&self) -> bool {
        self.samples == 0
    }

    /// Fields: tensors whose first dimension is the sample.
    pub fn fields(&self) -> &IndexMap<String, Tensor> {
        &self.fields
    }

    /// Characters of a text by token id. Empty for other data.
    pub fn vocabulary(&self) -> &[char] {
        &self.vocabulary
    }

    /// Divides floating-point fields by a number.
    pub fn scaled(self, by: f64) -> Dataset {
        let fields = self.fields.into_iter().map(|(name, tensor)| (name, divide_floats(tensor, by)));
        Dataset { fields: fields.collect(), ..self }
    }

    /// Returns the largest magnitude in the floating-point fields of some samples.
    pub(crate) fn largest(&self, samples: &[usize]) -> f64 {
        let floats = self.fields.values().filter(|t| t.ty.dtype.is_float());
        let all = floats.flat_map(|t| {
            let each = t.ty.shape.count() / self.samples;
            samples.iter().flat_map(move |&s| (s * each..(s + 1) * each).map(|i| t.get(i).to_f64().abs()))
        });
        all.fold(0.0, f64::max)
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

/// Returns the shape of one sample.
pub(crate) fn sample_shape(tensor: &Tensor) -> Shape {
    Shape::from(&tensor.ty.shape[1..])
}
