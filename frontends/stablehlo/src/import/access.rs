//! Typed access to the attributes of an operation.

use crate::fault::{Fault, Result};
use crate::syntax::{Attr, Ints, Op};
use partita_ir::dtype::Type;
use partita_ir::syntax::attr::Dims;

impl<'a, T> Op<'a, T> {
    /// Builds the fault for an attribute that is missing or has the wrong type.
    #[cold]
    fn bad_attr(&self, name: &str, what: &str) -> Box<Fault> {
        let problem = if self.attr(name).is_some() { "is not" } else { "is missing:" };
        Fault::malformed(format!("`{}`: `{name}` {problem} {what}", self.code.name()), self.span())
    }

    /// Returns an integer list; `None` if the attribute is absent.
    pub fn ints(&self, name: &str) -> Result<Option<Ints>> {
        match self.attr(name) {
            None => Ok(None),
            Some(attr) => attr.as_ints().map(Some).ok_or_else(|| self.bad_attr(name, "a list of integers")),
        }
    }

    /// Returns a required list of sizes or dimensions.
    pub fn dims(&self, name: &str) -> Result<Dims> {
        self.ints(name)?.and_then(|ints| to_dims(&ints)).ok_or_else(|| self.bad_attr(name, "a list of sizes"))
    }

    /// Returns a required size or dimension.
    pub fn size(&self, name: &str) -> Result<usize> {
        let size = self.attr(name).and_then(Attr::as_int).and_then(|i| usize::try_from(i).ok());
        size.ok_or_else(|| self.bad_attr(name, "a size"))
    }

    /// Returns a flag; false if the attribute is absent.
    pub fn flag(&self, name: &str) -> bool {
        matches!(self.attr(name), Some(Attr::Bool(true) | Attr::Unit))
    }

    /// Returns a required enumerator.
    pub fn word(&self, name: &str) -> Result<&'a str> {
        self.attr(name).and_then(Attr::as_word).ok_or_else(|| self.bad_attr(name, "an enumerator"))
    }

    /// Returns the fields of a required structured attribute.
    pub fn fields(&self, name: &'static str) -> Result<Fields<'_, 'a, T>> {
        let entries = self.attr(name).and_then(Attr::as_dict).ok_or_else(|| self.bad_attr(name, "a structure"))?;
        Ok(Fields { op: self, name, entries })
    }
}

/// Fields of a structured attribute such as `#stablehlo.gather<..>`.
pub struct Fields<'m, 'a, T = Type> {
    op: &'m Op<'a, T>,
    name: &'static str,
    entries: &'m [(&'a str, Attr<'a>)],
}

impl<T> Fields<'_, '_, T> {
    fn get(&self, key: &str) -> Option<&Attr<'_>> {
        self.entries.iter().find(|(k, _)| *k == key).map(|(_, a)| a)
    }

    /// Returns a list of dimensions; empty if absent.
    pub fn dims(&self, key: &str) -> Result<Dims> {
        match self.get(key) {
            None => Ok(Dims::new()),
            Some(attr) => attr.as_ints().and_then(|ints| to_dims(&ints)).ok_or_else(|| self.bad(key)),
        }
    }

    /// Returns a dimension; 0 if absent, because MLIR omits zeros.
    pub fn dim(&self, key: &str) -> Result<usize> {
        match self.get(key) {
            None => Ok(0),
            Some(attr) => attr.as_int().and_then(|i| usize::try_from(i).ok()).ok_or_else(|| self.bad(key)),
        }
    }

    #[cold]
    fn bad(&self, key: &str) -> Box<Fault> {
        let title = format!("`{}`: `{key}` of `{}` is malformed", self.op.code.name(), self.name);
        Fault::malformed(title, self.op.span())
    }
}

/// Converts integers to dimensions; `None` if one is negative.
fn to_dims(ints: &[i64]) -> Option<Dims> {
    ints.iter().map(|&i| usize::try_from(i).ok()).collect()
}
