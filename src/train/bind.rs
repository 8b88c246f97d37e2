//! Which field of a data set feeds which input of a model.

use super::data::{Dataset, rows, sample_shape};
use crate::session::Port;
use indexmap::IndexMap;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::{DType, Type};
use partita_ir::interp::index_limits;
use partita_ir::program::Program;
use partita_ir::tensor::Tensor;

/// What an input is fed with.
#[derive(Clone, Debug)]
enum Feed {
    /// A field, in the element type of the input.
    Field(Tensor),
    /// What the frozen front gave, by position.
    Seam(usize),
    /// The key of the step's random numbers.
    Key,
}

/// How samples become the inputs of a run.
#[derive(Clone, Debug)]
pub(crate) struct Binding {
    /// What feeds each input, with its name and type.
    feeds: Vec<(Feed, Port)>,
    /// Samples of a run.
    pub(crate) batch: usize,
}

impl Binding {
    /// Feeds these inputs of a program, some of them with seams: what a frozen front gives.
    ///
    /// # Errors
    /// `S002` when an input has no field, inputs differ in the size of the batch, or classes are out of range.
    pub(crate) fn of(program: &Program, given: &[Port], data: &Dataset, seams: &[Port]) -> Result<Binding, Diagnostic> {
        let mut free: Vec<(&String, &Tensor)> = data.fields().iter().collect();
        let mut feeds = Vec::new();
        let mut batch: Option<(usize, &str)> = None;
        for port in given {
            if let Some(seam) = seams.iter().position(|seam| seam.name == port.name) {
                feeds.push((Feed::Seam(seam), port.clone()));
                continue;
            }
            let position = free.iter().position(|(name, _)| **name == port.name);
            if position.is_none() && is_key(&port.ty) {
                feeds.push((Feed::Key, port.clone()));
                continue;
            }
            let Some((&size, _)) = port.ty.shape.split_first() else { return Err(no_field(port, data)) };
            let fits = |(_, field): &(&String, &Tensor)| {
                field.ty.dtype.is_float() == port.ty.dtype.is_float()
                    && sample_shape(field).count() * size == port.ty.shape.count()
            };
            let position = match position {
                Some(named) if !fits(&free[named]) => return Err(unlike(port, free[named].1, data)),
                Some(named) => Some(named),
                None => free.iter().position(fits),
            };
            let (name, field) = free.remove(position.ok_or_else(|| no_field(port, data))?);
            if let Some((other, at)) = batch.filter(|(other, _)| *other != size) {
                let title = format!("the model's batch is {other} in `{at}`, but {size} in `{}`", port.name);
                let why = "the first dimension of every input that is no parameter counts samples";
                return Err(Diagnostic::new(Code::S002, title).note(why));
            }
            batch = Some((size, &port.name));
            check_range(program, port, name, field, data)?;
            feeds.push((Feed::Field(cast(field, port.ty.dtype)), port.clone()));
        }
        match batch {
            Some((batch, _)) if batch > 0 => Ok(Binding { feeds, batch }),
            _ => Err(Diagnostic::new(Code::S002, "the model takes no data: all its inputs are parameters")),
        }
    }

    /// The inputs of a run on those samples, as many as a batch has, of which the front gave these seams.
    pub(crate) fn inputs(&self, ids: &[usize], key: [u32; 2], seams: &[Tensor]) -> Vec<Tensor> {
        let one = |(feed, port): &(Feed, Port)| match feed {
            Feed::Field(field) => rows(field, ids, &port.ty),
            Feed::Seam(at) => seams.get(*at).cloned().unwrap_or_else(|| Tensor::zeros(port.ty.clone())),
            Feed::Key => Tensor::from_ints(port.ty.clone(), key.map(i64::from).into()),
        };
        self.feeds.iter().map(one).collect()
    }

    /// How many elements of an input belong to one sample.
    pub(crate) fn elements(&self, input: &str) -> Option<usize> {
        let (_, port) = self.feeds.iter().find(|(_, port)| port.name == input)?;
        Some(port.ty.shape.count() / self.batch)
    }
}

/// How long the sequences are that a model takes: the last dimension of its first input of integers.
pub(crate) fn sequence_length(program: &Program) -> Option<usize> {
    let inputs = program.inputs().iter().filter(|&&v| program.param_of(v).is_none()).map(|&v| program.ty(v));
    let sequences = inputs.filter(|ty| ty.dtype.is_int() && ty.shape.rank() > 1);
    sequences.filter_map(|ty| ty.shape.last().copied()).next()
}

/// Whether an input is a key of random numbers.
pub(crate) fn is_key(ty: &Type) -> bool {
    *ty == Type::new(DType::U32, [2])
}

/// A field in another element type of its kind.
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

fn check_range(program: &Program, port: &Port, name: &str, field: &Tensor, data: &Dataset) -> Result<(), Diagnostic> {
    let limits: IndexMap<&str, Option<usize>> =
        program.inputs().iter().map(|&v| program.path_of(v)).zip(index_limits(program)).collect();
    let Some(limit) = limits.get(port.name.as_str()).copied().flatten().filter(|_| port.ty.dtype.is_int()) else {
        return Ok(());
    };
    let (least, most) = field.scalars().map(|x| x.to_i64()).fold((0, 0), |(a, b), x| (a.min(x), b.max(x)));
    if least >= 0 && most < limit as i64 {
        return Ok(());
    }
    let wrong = if least < 0 { least } else { most };
    let title = format!("field `{name}` of `{}` has a {wrong}, but the model knows 0 to {}", data.name, limit - 1);
    let error = Diagnostic::new(Code::S002, title);
    Err(match data.vocabulary().len() {
        0 => error.note(format!("it feeds the input `{}`", port.name)),
        n => error
            .note(format!("the text has {n} different characters"))
            .help(format!("give a built-in model room for them: `vocab={n}`")),
    })
}

fn list(data: &Dataset) -> String {
    let one = |(name, field): (&String, &Tensor)| format!("`{name}` ({}{})", field.ty.dtype, sample_shape(field));
    data.fields().iter().map(one).collect::<Vec<_>>().join(", ")
}

fn no_field(port: &Port, data: &Dataset) -> Diagnostic {
    let title = format!("nothing in `{}` feeds the input `{}` ({})", data.name, port.name, port.ty);
    let each = port.ty.shape.count() / port.ty.shape.first().copied().unwrap_or(1).max(1);
    let kind = if port.ty.dtype.is_float() { "numbers" } else { "integers" };
    Diagnostic::new(Code::S002, title)
        .note(format!("a sample of it has {each} {kind}; the data set has, a sample, {}", list(data)))
}

fn unlike(port: &Port, field: &Tensor, data: &Dataset) -> Diagnostic {
    let sample = sample_shape(field);
    let title = format!("field `{}` of `{}` does not fit the input of that name", port.name, data.name);
    Diagnostic::new(Code::S002, title)
        .note(format!("a sample has {}{sample}, the input is {}", field.ty.dtype, port.ty))
}
