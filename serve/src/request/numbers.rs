//! Nested lists of numbers, read into one list, with the shape that they have.

use partita::predict::Feature;
use partita_ir::dtype::{DType, Shape};
use partita_ir::tensor::{Data, Tensor, wrap_int};
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt::{self, Write};

/// Integers beyond this have neighbours that a float cannot tell from them.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// What was read of one input.
#[derive(Clone, Debug)]
pub(super) struct Numbers {
    dtype: DType,
    /// No more numbers than this are kept; the others are only counted.
    most: usize,
    floats: Vec<f64>,
    ints: Vec<i64>,
    /// The length of lists at each depth, as far as one was read to its end.
    dims: Vec<Option<usize>>,
    /// How deep numbers lie.
    rank: Option<usize>,
    /// The place of what is read.
    place: Vec<usize>,
    /// The first thing that is wrong: where, and what.
    wrong: Option<(Vec<usize>, String)>,
}

impl Numbers {
    /// Of that type, of which so many are kept.
    pub(super) fn new(dtype: DType, most: usize) -> Numbers {
        Numbers {
            dtype,
            most,
            floats: Vec::new(),
            ints: Vec::new(),
            dims: Vec::new(),
            rank: None,
            place: Vec::new(),
            wrong: None,
        }
    }

    /// Reads lists of lists.
    pub(super) fn at_depth(&mut self, depth: usize) -> Nested<'_> {
        Nested { numbers: self, depth }
    }

    /// The tensor that they are, or what is wrong with them.
    pub(super) fn tensor(self, feature: &Feature) -> Result<Tensor, String> {
        let name = &feature.name;
        let wanted = feature.wanted();
        let at = |place: &[usize]| {
            place.iter().fold(format!("`inputs.{name}"), |mut text, i| {
                let _ = write!(text, "[{i}]");
                text
            }) + "`"
        };
        if let Some((place, what)) = &self.wrong {
            return Err(format!("{} {what}: {wanted} is expected", at(place)));
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
        let ty = feature.examples(dims[0]);
        let count = ty.shape.count();
        if self.floats.len().max(self.ints.len()) < count {
            // More examples than a request may have: how many is all that counts.
            return Ok(Tensor { ty, data: Data::Int(Vec::new()) });
        }
        let place = |mut flat: usize| {
            let mut place = vec![0; dims.len()];
            for (slot, n) in place.iter_mut().zip(&dims).rev() {
                *slot = flat % n;
                flat /= n;
            }
            at(&place)
        };
        if !self.dtype.is_float() {
            if let Some(i) = self.ints.iter().position(|&x| wrap_int(self.dtype, x) != x) {
                return Err(format!("{} is {}, which is beyond {}", place(i), self.ints[i], self.dtype));
            }
            let tensor = Tensor { ty, data: Data::Int(self.ints) };
            return match feature.beyond(&tensor) {
                Some((i, x)) => {
                    let most = feature.below.unwrap_or(1).saturating_sub(1);
                    Err(format!("{} is {x}: the model knows 0 to {most}", place(i)))
                }
                None => Ok(tensor),
            };
        }
        let tensor = Tensor::from_floats(ty, self.floats);
        let not_finite = tensor.scalars().position(|x| !x.to_f64().is_finite());
        not_finite.map_or(Ok(()), |i| Err(format!("{} is too large for {}", place(i), self.dtype)))?;
        Ok(tensor)
    }

    fn wrong(&mut self, what: String) {
        if self.wrong.is_none() {
            self.wrong = Some((self.place.clone(), what));
        }
    }

    /// Whether numbers lie at that depth; notes it when they do not.
    fn is_leaf(&mut self, depth: usize) -> bool {
        match self.rank {
            Some(rank) if rank != depth => {
                self.wrong("is a number, where a list is elsewhere".into());
                false
            }
            None if self.dims.len() > depth => {
                self.wrong("is a number, where a list is elsewhere".into());
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
            if x.fract() != 0.0 || x.abs() >= EXACT {
                return self.wrong(format!("is {x}, which is no integer"));
            }
            return self.int(depth, x as i64);
        }
        if self.is_leaf(depth) && self.floats.len() < self.most {
            self.floats.push(x);
        }
    }

    fn int(&mut self, depth: usize, x: i64) {
        if self.dtype.is_float() {
            return self.float(depth, x as f64);
        }
        if self.is_leaf(depth) && self.ints.len() < self.most {
            self.ints.push(x);
        }
    }
}

/// What lies at a depth: a number, or a list of what lies one deeper.
pub(super) struct Nested<'n> {
    numbers: &'n mut Numbers,
    depth: usize,
}

impl<'de> DeserializeSeed<'de> for Nested<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Nested<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number or a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let Nested { numbers, depth } = self;
        if numbers.dims.len() == depth {
            numbers.dims.push(None);
        }
        if numbers.rank.is_some_and(|rank| rank <= depth) {
            numbers.wrong("is a list, where a number is elsewhere".into());
        }
        let mut length = 0;
        numbers.place.push(0);
        while list.next_element_seed(Nested { numbers: &mut *numbers, depth: depth + 1 })?.is_some() {
            length += 1;
            if let Some(last) = numbers.place.last_mut() {
                *last = length;
            }
        }
        numbers.place.pop();
        match numbers.dims[depth] {
            Some(other) if other != length => {
                numbers.wrong(format!("has {length} elements, where others have {other}"));
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
            Err(_) => self.numbers.wrong(format!("is {x}, which is beyond {}", self.numbers.dtype)),
        }
        Ok(())
    }

    fn visit_bool<E>(self, x: bool) -> Result<(), E> {
        match self.numbers.dtype {
            DType::Bool => self.numbers.int(self.depth, i64::from(x)),
            _ => self.numbers.wrong(format!("is {x}, which is no number")),
        }
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        self.numbers.wrong("is a text".into());
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.numbers.wrong("is null".into());
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        self.numbers.wrong("is an object".into());
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(())
    }
}
