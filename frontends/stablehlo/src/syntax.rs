//! MLIR text as JAX prints it, as a small tree that borrows from the text.
//!
//! An operation may be written in its generic form, `"stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> ..`, or in
//! an assembly of its own, `stablehlo.iota dim = 0 : ..`. Both come out alike: **an [`Op`] is always in generic form**,
//! with the operands in the order and the attributes under the names of the dialect's definition. So the importer knows
//! one vocabulary, and [`assembly`] is the only file that knows the others.
//!
//! [`parse()`] goes over the text once. Words and names are slices of it; values are resolved while reading and are
//! numbers in their function ([`Local`]), so that a body can be imported many times at the price of one. Literals stay
//! text until the importer knows that it wants them ([`Dense`]).
//!
//! Nothing is believed: nesting is limited, offsets are checked, sizes may not overflow, and each fault names its
//! place.

mod assembly;
mod attribute;
mod cursor;
mod dense;
mod module;
mod opcode;
mod parse;
mod sharding;
mod types;

pub use attribute::{Attr, Attrs, ConvSide, Entry, Ints};
pub use opcode::{Opcode, advice};
pub use parse::parse;
pub use sharding::{AxisName, MeshDef, Sharding};
pub use types::{spelling, tensor_text};

use partita_ir::dtype::Type;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::fmt;
use std::ops::Range;

/// A value, as a number in its function.
pub type Local = u32;

/// A whole text.
#[derive(Debug, Default)]
pub struct Module<'a> {
    /// The module's attributes.
    pub attrs: Attrs<'a>,
    /// Every `sdy.mesh`.
    pub meshes: Vec<MeshDef<'a>>,
    /// Every function, in order.
    pub funcs: Vec<Func<'a>>,
    /// `#loc7 = loc(...)`: what stands between the parentheses, by alias.
    pub locations: FxHashMap<&'a str, &'a str>,
}

/// A `func.func`.
#[derive(Debug)]
pub struct Func<'a> {
    /// The name, without `@`.
    pub name: &'a str,
    /// Whether only this module may call it.
    pub private: bool,
    /// Where its name stands.
    pub at: Range<usize>,
    /// Attributes of each argument; the arguments themselves are those of the body.
    pub arg_attrs: Vec<Attrs<'a>>,
    /// Attributes of each result.
    pub result_attrs: Vec<Attrs<'a>>,
    /// The type of each result.
    pub results: Vec<Written>,
    /// Arguments and operations.
    pub body: Region<'a>,
    /// Its values, those of regions included.
    pub values: Vec<Value<'a>>,
}

/// A value of a function.
#[derive(Clone, Debug)]
pub struct Value<'a> {
    /// The name, without `%`.
    pub name: &'a str,
    /// Its number, where several values share the name.
    pub index: Option<u32>,
    /// Its type.
    pub ty: Type,
    /// Where the definition stands.
    pub at: u32,
}

impl Value<'_> {
    /// The place of its name in the definition.
    pub fn span(&self) -> Range<usize> {
        let start = self.at as usize;
        start..start + self.name.len() + 1
    }
}

/// As an operand: `%name`, `%name#1`.
impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.index {
            None => write!(f, "%{}", self.name),
            Some(index) => write!(f, "%{}#{index}", self.name),
        }
    }
}

/// A type and where it is written.
#[derive(Clone, Debug)]
pub struct Written {
    /// The type.
    pub ty: Type,
    /// Its place in the text.
    pub at: Range<usize>,
}

/// A region with one block.
#[derive(Debug, Default)]
pub struct Region<'a> {
    /// Values from this number on are the region's own.
    pub first: Local,
    /// Arguments of the block.
    pub args: Vec<Arg>,
    /// Operations, the terminator included.
    pub ops: Vec<Op<'a>>,
}

/// An argument of a block.
#[derive(Debug)]
pub struct Arg {
    /// Its number.
    pub value: Local,
    /// Its type.
    pub ty: Type,
    /// Where its name stands.
    pub at: Range<usize>,
}

/// An operation in generic form.
#[derive(Debug)]
pub struct Op<'a> {
    /// Which one.
    pub code: Opcode,
    /// Where its name starts.
    pub at: u32,
    /// Line of its name, counted from 1.
    pub line: u32,
    /// Operands.
    pub operands: SmallVec<[Local; 4]>,
    /// Number of the first result; the others follow.
    pub first_result: Local,
    /// Types of the results.
    pub types: SmallVec<[Type; 1]>,
    /// Properties and attributes together.
    pub attrs: Attrs<'a>,
    /// How many of them, from the front, the operation itself must know: its properties and the clauses of its
    /// assembly.
    pub inherent: usize,
    /// Regions.
    pub regions: Vec<Region<'a>>,
    /// What stands in its `loc(...)`; may be empty.
    pub location: &'a str,
}

impl<'a> Op<'a> {
    /// The attribute of that name.
    pub fn attr(&self, name: &str) -> Option<&Attr<'a>> {
        self.attrs.iter().find(|(n, _)| *n == name).map(|(_, a)| a)
    }

    /// The place of its name in the text.
    pub fn span(&self) -> Range<usize> {
        let start = self.at as usize;
        start..start + self.code.name().len()
    }

    /// The numbers of its results.
    pub fn results(&self) -> Range<Local> {
        self.first_result..self.first_result + self.types.len() as Local
    }
}
