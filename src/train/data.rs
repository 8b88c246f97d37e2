//! Data sets: fields by name, each a tensor whose first dimension counts the samples.

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

/// Samples to train on. A sample's id is its position.
#[derive(Clone, Debug)]
pub struct Dataset {
    /// What it is called in messages.
    pub(crate) name: String,
    fields: IndexMap<String, Tensor>,
    samples: usize,
    /// For a text: its characters, each at the place of its number.
    vocabulary: Vec<char>,
}

impl Dataset {
    /// Reads a file for a model, by its ending: `.csv`, `.txt` in sequences as long as the model's, or `.safetensors`.
    ///
    /// # Errors
    /// `C001` when it cannot be read, `S001` when it is no data set.
    pub fn read(path: impl AsRef<Path>, model: &Program) -> Result<Dataset> {
        let path = path.as_ref();
        let name = path.display().to_string();
        match path.extension().and_then(|e| e.to_str()) {
            Some("csv") => Dataset::csv(&name, &read_text(path)?),
            Some("txt") => match sequence_length(model) {
                Some(seq) => Dataset::text(&name, &read_text(path)?, seq),
                None => {
                    let title = format!("`{name}` is a text, and the model takes no sequences");
                    let note = "a model of characters has an input of integers `[batch, characters]`";
                    Err(Diagnostic::new(Code::S002, title).note(note).into())
                }
            },
            Some("safetensors") => Dataset::tensors(&name, read_tensors(path)?),
            _ => {
                let title = format!("`{name}` is no data set");
                Err(Diagnostic::new(Code::S001, title)
                    .note("a data set ends in `.csv`, `.txt` or `.safetensors`")
                    .into())
            }
        }
    }

    /// Numbers separated by commas under a header: the column `label` becomes the field `label` of integers, all others
    /// together become `features`.
    ///
    /// # Errors
    /// `S001` with the place of what is no number.
    pub fn csv(name: &str, text: &str) -> Result<Dataset> {
        Dataset::tensors(name, csv::fields(name, text)?)
    }

    /// A text for a model of characters: the fields `tokens` and `targets`, which is one character ahead, in sequences
    /// that do not overlap. A character's number is its place among all characters of the text, sorted.
    ///
    /// # Errors
    /// `S001` when the text is shorter than a sequence.
    pub fn text(name: &str, text: &str, seq: usize) -> Result<Dataset> {
        let (fields, vocabulary) = text::fields(name, text, seq)?;
        Ok(Dataset { vocabulary, ..Dataset::tensors(name, fields)? })
    }

    /// Fields that are there already.
    ///
    /// # Errors
    /// `S001` when they have not as many samples each, or none.
    pub fn tensors(name: &str, fields: IndexMap<String, Tensor>) -> Result<Dataset> {
        let bad = |what: String| Diagnostic::new(Code::S001, format!("`{name}` is no data set: {what}"));
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

    /// How many samples there are.
    pub fn len(&self) -> usize {
        self.samples
    }

    /// Whether there are none: never.
    pub fn is_empty(&self) -> bool {
        self.samples == 0
    }

    /// The fields: tensors whose first dimension counts the samples.
    pub fn fields(&self) -> &IndexMap<String, Tensor> {
        &self.fields
    }

    /// The characters of a text, each at the place of its number; of other data none.
    pub fn vocabulary(&self) -> &[char] {
        &self.vocabulary
    }

    /// Divides every float field by a number.
    pub fn scaled(self, by: f64) -> Dataset {
        let fields = self.fields.into_iter().map(|(name, tensor)| (name, divided(tensor, by)));
        Dataset { fields: fields.collect(), ..self }
    }

    /// The largest magnitude of float fields in some samples.
    pub(crate) fn largest(&self, samples: &[usize]) -> f64 {
        let floats = self.fields.values().filter(|t| t.ty.dtype.is_float());
        let all = floats.flat_map(|t| {
            let each = t.ty.shape.count() / self.samples;
            samples.iter().flat_map(move |&s| (s * each..(s + 1) * each).map(|i| t.get(i).to_f64().abs()))
        });
        all.fold(0.0, f64::max)
    }
}

/// A tensor of floats divided by a number, as all data of a run is; integers stay as they are.
pub(crate) fn divided(mut tensor: Tensor, by: f64) -> Tensor {
    match &mut tensor.data {
        Data::F64(v) => v.iter_mut().for_each(|x| *x /= by),
        Data::F32(v) => v.iter_mut().for_each(|x| *x = (f64::from(*x) / by) as f32),
        Data::Int(_) => return tensor,
    }
    tensor.wrapped()
}

/// Some rows of a tensor, as a tensor of that type. They must have as many elements.
pub(crate) fn rows(tensor: &Tensor, ids: &[usize], ty: &Type) -> Tensor {
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

/// The shape of one sample.
pub(crate) fn sample_shape(tensor: &Tensor) -> Shape {
    Shape::from(&tensor.ty.shape[1..])
}
