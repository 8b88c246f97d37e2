//! Syntax tree of the MLIR text that JAX prints. Names and literals in the tree are slices of the text.
//!
//! An operation may be printed in its generic form, `"stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> ..`, or in
//! a custom assembly format, `stablehlo.iota dim = 0 : ..`. **An [`Op`] is always in generic form**, with the operand
//! order and attribute names of the dialect definition, so that the importer handles one form. [`assembly`] is the only
//! file that knows the custom formats.
//!
//! [`parse()`] reads the text once. Names are slices of the text. Values are resolved during parsing to numbers within
//! their function ([`Local`]), so that a body can be inlined several times without resolving names again. Literals
//! remain text until the importer reads them ([`Dense`]).
//!
//! The text is untrusted: nesting is limited, offsets are checked, sizes must not overflow, and each error has a
//! location.

mod assembly;
mod attribute;
mod cursor;
mod dense;
mod module;
mod opcode;
mod parse;
pub mod routine;
mod sharding;
pub mod sharding_rule;
mod tensor_type;
mod types;

pub use attribute::{Attr, Attrs, ConvDims, ConvSide, Entry, Ints};
pub use opcode::{Opcode, unsupported_op_help};
pub use parse::parse;
pub use sharding::{AxisName, DimSharding, INLINE_MESH, MeshDef, Sharding};
pub use tensor_type::{Element, Quantization, TensorType, spelling};

use partita_ir::dtype::Type;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::fmt;
use std::ops::Range;

/// A module as it is parsed, with the element types of the text.
pub type ParsedModule<'a> = Module<'a, TensorType>;

/// A function as it is parsed.
pub type ParsedFunc<'a> = Func<'a, TensorType>;

/// A value as it is parsed.
pub type ParsedValue<'a> = Value<'a, TensorType>;

/// A region as it is parsed.
pub type ParsedRegion<'a> = Region<'a, TensorType>;

/// An operation as it is parsed.
pub type ParsedOp<'a> = Op<'a, TensorType>;

/// A located type as it is parsed.
pub type ParsedLocatedType = LocatedType<TensorType>;

/// An argument as it is parsed.
pub type ParsedArg<'a> = Arg<'a, TensorType>;

/// Index of a value in [`Func::values`].
pub type Local = u32;

/// A parsed module.
#[derive(Debug)]
pub struct Module<'a, T = Type> {
    /// Attributes of the module.
    pub attrs: Attrs<'a>,
    /// Declarations `sdy.mesh`.
    pub meshes: Vec<MeshDef<'a>>,
    /// Functions in text order.
    pub funcs: Vec<Func<'a, T>>,
    /// Location aliases `#loc7 = loc(...)`: the text between the parentheses, by alias.
    pub locations: FxHashMap<&'a str, &'a str>,
}

/// A function `func.func`.
#[derive(Debug)]
pub struct Func<'a, T = Type> {
    /// Name without `@`.
    pub name: &'a str,
    /// True if the function is private to the module.
    pub private: bool,
    /// Byte range of the name.
    pub at: Range<usize>,
    /// Attributes of each argument. The arguments themselves are those of the body.
    pub arg_attrs: Vec<Attrs<'a>>,
    /// Attributes of each result.
    pub result_attrs: Vec<Attrs<'a>>,
    /// Type of each result.
    pub results: Vec<LocatedType<T>>,
    /// Arguments and operations; without operations in a declaration.
    pub body: Region<'a, T>,
    /// All values of the function, including those of nested regions, in order of definition.
    pub values: Vec<Value<'a, T>>,
    /// Name of each argument in the program; empty before types are lowered.
    pub arg_names: Vec<String>,
    /// Name of each result in the program; empty before types are lowered.
    pub result_names: Vec<String>,
}

/// A value of a function.
#[derive(Clone, Debug)]
pub struct Value<'a, T = Type> {
    /// Name without `%`.
    pub name: &'a str,
    /// Result number `1` of `%name#1`, if several results share the name.
    pub index: Option<u32>,
    /// Type of the value.
    pub ty: T,
    /// Byte offset of the name in the definition, including the `%`.
    pub at: u32,
}

impl<T> Value<'_, T> {
    /// Returns the byte range of the name in the definition, including the `%`.
    pub fn span(&self) -> Range<usize> {
        let start = self.at as usize;
        start..start + self.name.len() + 1
    }
}

/// Formats the value as an operand: `%name`, `%name#1`.
impl<T> fmt::Display for Value<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.index {
            None => write!(f, "%{}", self.name),
            Some(index) => write!(f, "%{}#{index}", self.name),
        }
    }
}

/// A type and its location in the text.
#[derive(Clone, Debug)]
pub struct LocatedType<T = Type> {
    /// The type.
    pub ty: T,
    /// Byte range of the type.
    pub at: Range<usize>,
}

/// A region with one block.
#[derive(Debug)]
pub struct Region<'a, T = Type> {
    /// First value that is defined inside the region.
    pub first: Local,
    /// Arguments of the block.
    pub args: Vec<Arg<'a, T>>,
    /// Operations, including the terminator.
    pub ops: Vec<Op<'a, T>>,
}

/// An argument of a block.
#[derive(Debug)]
pub struct Arg<'a, T = Type> {
    /// Number of the value.
    pub value: Local,
    /// Type of the argument.
    pub ty: T,
    /// Byte range of the name.
    pub at: Range<usize>,
    /// Text in `loc(...)`; may be empty.
    pub location: &'a str,
}

impl<T> Default for Module<'_, T> {
    fn default() -> Self {
        Module { attrs: Attrs::new(), meshes: Vec::new(), funcs: Vec::new(), locations: FxHashMap::default() }
    }
}

impl<T> Default for Region<'_, T> {
    fn default() -> Self {
        Region { first: 0, args: Vec::new(), ops: Vec::new() }
    }
}

/// An operation in generic form.
#[derive(Debug)]
pub struct Op<'a, T = Type> {
    /// The operation code.
    pub code: Opcode,
    /// Byte offset of the operation name.
    pub at: u32,
    /// Line of the operation name, starting at 1.
    pub line: u32,
    /// Operands.
    pub operands: SmallVec<[Local; 4]>,
    /// Number of the first result; further results have consecutive numbers.
    pub first_result: Local,
    /// Types of the results.
    pub types: SmallVec<[T; 1]>,
    /// Properties and attributes.
    pub attrs: Attrs<'a>,
    /// Number of leading `attrs` that are inherent, that is, properties and clauses of the assembly format. Inherent
    /// attributes must be defined for the operation; discardable ones need not be.
    pub inherent: usize,
    /// Regions.
    pub regions: Vec<Region<'a, T>>,
    /// Text in `loc(...)`; may be empty.
    pub location: &'a str,
}

impl<'a, T> Op<'a, T> {
    /// Returns the attribute with the given name, if present.
    pub fn attr(&self, name: &str) -> Option<&Attr<'a>> {
        self.attrs.iter().find(|(n, _)| *n == name).map(|(_, a)| a)
    }

    /// Returns the byte range of the operation name.
    pub fn span(&self) -> Range<usize> {
        let start = self.at as usize;
        start..start + self.code.name().len()
    }

    /// Returns the numbers of the results.
    pub fn results(&self) -> Range<Local> {
        self.first_result..self.first_result + self.types.len() as Local
    }
}
