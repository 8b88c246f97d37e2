//! Parsing of nested JSON lists of numbers to a tensor, without an intermediate JSON value.

use partita::predict::Feature;
use partita_ir::dtype::{DType, Shape};
use partita_ir::tensor::{Data, Tensor, wrap_int};
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt::{self, Write};

/// 2^53: integers of this absolute value or larger are not all represented by `f64`.
const MAX_EXACT_INTEGER: f64 = 9_007_199_254_740_992.0;

/// Parser of the numbers of one input: values in row-major order, shape, and the first error.
#[derive(Clone, Debug)]
pub(super) struct Numbers {
    dtype: DType,
    /// Maximum number of stored numbers. Further numbers contribute to the shape only.
    max_stored: usize,
    floats: Vec<f64>,
    ints: Vec<i64>,
    /// Length of the lists at each depth; `None` until a list of that depth has been parsed completely.
    dims: Vec<Option<usize>>,
    /// Nesting depth of the numbers; `None` before the first number.
    rank: Option<usize>,
    /// Index path of the current element.
    path: Vec<usize>,
    /// The first error: index path and description.
    error: Option<(Vec<usize>, String)>,
}

impl Numbers {
    /// Creates a parser for numbers of type `dtype`.
    pub(super) fn new(dtype: DType, max_stored: usize) -> Numbers {
        Numbers {
            dtype,
            max_stored,
            floats: Vec::new(),
            ints: Vec::new(),
            dims: Vec::new(),
            rank: None,
            path: Vec::new(),
            error: None,
        }
    }

    /// Returns the deserialiser of an element at nesting depth `depth`.
    pub(super) fn at_depth(&mut self, depth: usize) -> ElementSeed<'_> {
        ElementSeed { numbers: self, depth }
    }

    /// Returns the tensor of a feature, whose first dimension counts examples. The tensor has no data if the input has
    /// more numbers than are stored.
    ///
    /// # Errors
    /// A message with the index path of the first invalid element, or with the shape if it does not match the feature.
    pub(super) fn tensor(self, feature: &Feature) -> Result<Tensor, String> {
        let name = &feature.name;
        let wanted = feature.type_text();
        let at = |path: &[usize]| {
            path.iter().fold(format!("`inputs.{name}"), |mut text, i| {
                let _ = write!(text, "[{i}]");
                text
            }) + "`"
        };
        if let Some((path, what)) = &self.error {
            return Err(format!("{} {what}: {wanted} is expected", at(path)));
        }
        let rank = self.rank.unwrap_or(self.dims.len());
        let dims: Vec<usize> = self.dims.iter().take(rank).map(|n| n.unwrap_or(0)).collect();
        let shape = Shape::from(&dims[..]);
        let fits = dims.len() == feature.ty.shape.rank() + 1 && dims[1..] == feature.ty.shape[..];
        if !fits || dims[0] == 0 {
            return Err(match dims.first() {
                None => format!("`{name}` is a number: {wanted} is expected"),
                Some(0) => format!("`{name}` has no examples: {wanted} is expected"),
                Some(_) => format!("`{name}` is {shape}: {wanted} is expected"),
            });
        }
        let ty = feature.batch_type(dims[0]);
        let count = ty.shape.count();
        if self.floats.len().max(self.ints.len()) < count {
            // The request exceeds the limit on examples, which the caller reports: only the shape is needed.
            return Ok(Tensor { ty, data: Data::Int(Vec::new()) });
        }
        let path = |mut flat: usize| {
            let mut path = vec![0; dims.len()];
            for (slot, n) in path.iter_mut().zip(&dims).rev() {
                *slot = flat % n;
                flat /= n;
            }
            at(&path)
        };
        if !self.dtype.is_float() {
            if let Some(i) = self.ints.iter().position(|&x| wrap_int(self.dtype, x) != x) {
                return Err(format!("{} is {}, which is out of range for {}", path(i), self.ints[i], self.dtype));
            }
            let tensor = Tensor { ty, data: Data::Int(self.ints) };
            return match feature.first_out_of_range(&tensor) {
                Some((i, x)) => {
                    let last = feature.index_bound.unwrap_or(1).saturating_sub(1);
                    Err(format!("{} is {x}: the model accepts 0 to {last}", path(i)))
                }
                None => Ok(tensor),
            };
        }
        let tensor = Tensor::from_floats(ty, self.floats);
        let not_finite = tensor.scalars().position(|x| !x.to_f64().is_finite());
        not_finite.map_or(Ok(()), |i| Err(format!("{} is too large for {}", path(i), self.dtype)))?;
        Ok(tensor)
    }

    fn record_error(&mut self, what: String) {
        if self.error.is_none() {
            self.error = Some((self.path.clone(), what));
        }
    }

    /// Sets the nesting depth of numbers if it is not set yet. Returns true if `depth` is that depth; otherwise records
    /// an error.
    fn accept_number(&mut self, depth: usize) -> bool {
        match self.rank {
            Some(rank) if rank != depth => {
                self.record_error("is a number, but other elements are lists".into());
                false
            }
            None if self.dims.len() > depth => {
                self.record_error("is a number, but other elements are lists".into());
                false
            }
            _ => {
                self.rank = Some(depth);
                true
            }
        }
    }

    fn float(&mut self, depth: usize, x: f64) {
        if !self.dtype.is_float() {
            if x.fract() != 0.0 || x.abs() >= MAX_EXACT_INTEGER {
                return self.record_error(format!("is {x}, which is not an integer"));
            }
            return self.int(depth, x as i64);
        }
        if self.accept_number(depth) && self.floats.len() < self.max_stored {
            self.floats.push(x);
        }
    }

    fn int(&mut self, depth: usize, x: i64) {
        if self.dtype.is_float() {
            return self.float(depth, x as f64);
        }
        if self.accept_number(depth) && self.ints.len() < self.max_stored {
            self.ints.push(x);
        }
    }
}

/// Deserialiser of a number, or of a list whose elements have the next depth.
pub(super) struct ElementSeed<'n> {
    numbers: &'n mut Numbers,
    depth: usize,
}

impl<'de> DeserializeSeed<'de> for ElementSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ElementSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number or a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let ElementSeed { numbers, depth } = self;
        if numbers.dims.len() == depth {
            numbers.dims.push(None);
        }
        if numbers.rank.is_some_and(|rank| rank <= depth) {
            numbers.record_error("is a list, but other elements are numbers".into());
        }
        let mut length = 0;
        numbers.path.push(0);
        while list.next_element_seed(ElementSeed { numbers: &mut *numbers, depth: depth + 1 })?.is_some() {
            length += 1;
            if let Some(last) = numbers.path.last_mut() {
                *last = length;
            }
        }
        numbers.path.pop();
        match numbers.dims[depth] {
            Some(other) if other != length => {
                numbers.record_error(format!("has {length} elements, but others have {other}"));
            }
            _ => numbers.dims[depth] = Some(length),
        }
        Ok(())
    }

    fn visit_f64<E>(self, x: f64) -> Result<(), E> {
        self.numbers.float(self.depth, x);
        Ok(())
    }

    fn visit_i64<E>(self, x: i64) -> Result<(), E> {
        self.numbers.int(self.depth, x);
        Ok(())
    }

    fn visit_u64<E>(self, x: u64) -> Result<(), E> {
        match i64::try_from(x) {
            Ok(x) => self.numbers.int(self.depth, x),
            Err(_) if self.numbers.dtype == DType::U64 => self.numbers.int(self.depth, x.cast_signed()),
            Err(_) if self.numbers.dtype.is_float() => self.numbers.float(self.depth, x as f64),
            Err(_) => self.numbers.record_error(format!("is {x}, which is out of range for {}", self.numbers.dtype)),
        }
        Ok(())
    }

    fn visit_bool<E>(self, x: bool) -> Result<(), E> {
        match self.numbers.dtype {
            DType::Bool => self.numbers.int(self.depth, i64::from(x)),
            _ => self.numbers.record_error(format!("is {x}, which is not a number")),
        }
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        self.numbers.record_error("is a string".into());
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.numbers.record_error("is null".into());
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        self.numbers.record_error("is an object".into());
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(())
    }
}
