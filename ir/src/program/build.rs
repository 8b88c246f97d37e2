//! Builder that appends operations with fresh value names to a program.
//!
//! The submodules contain sequences of ops that importers share; this file contains single ops. Builder methods do not
//! check their operands: importers of external programs validate them before or run the verifier afterwards.

mod arithmetic;
mod attention;
mod checked;
mod complex;
mod einsum;
mod exchange;
mod fourier;
mod images;
mod linear_algebra;
mod loop_body;
mod loss;
mod movement;
mod pooling;
mod random;
mod reduction;
mod resampling;
mod sampling;
mod scan;

pub use checked::{MAX_DIM, MAX_RANK, OpTypeError, broadcast_shape, check_op_types, live_ops};
pub use complex::Pair;
pub use fourier::Signal;
pub use images::{ChannelOrder, EdgePadding};
pub use linear_algebra::Determinant;
pub use loop_body::{LoopBody, LoopResults, Trip};
pub use loss::Loss;
pub use pooling::with_last_windows;
pub use random::RandomStream;
pub use resampling::{Interpolation, Kernel, Taps};
pub use sampling::{Outside, Sampler};
pub use scan::{Scan, ScanBody, ScanResults, ScanStep};

use crate::arena::{FuncId, OpId, ValueId};
use crate::dtype::{DType, Shape, Type};
use crate::layout::Monoid;
use crate::origin::Origin;
use crate::program::op::OpKind;
use crate::program::ops::{Binary, BinaryOp, Broadcast, Constant, Convert, Literal, Reduce, Reshape, Unary, UnaryOp};
use crate::program::{Name, Op, Phase, Program, Value, Values};
use crate::syntax::lex::is_name_char;
use crate::tensor::Scalar;
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;
use std::sync::Arc;

/// Generator of unique value names.
#[derive(Default)]
pub struct Namer {
    /// Names in use, each with the number of names derived from it.
    taken: FxHashMap<Name, u32>,
    /// Further names in use.
    reserved: Arc<FxHashSet<Name>>,
}

impl Namer {
    /// Creates a namer without names, with capacity for `names` names.
    pub fn with_capacity(names: usize) -> Namer {
        Namer { taken: FxHashMap::with_capacity_and_hasher(names, Default::default()), ..Namer::default() }
    }

    /// Creates a namer that avoids these names.
    pub fn avoiding(reserved: Arc<FxHashSet<Name>>) -> Namer {
        Namer { reserved, ..Namer::default() }
    }

    /// Creates a namer that avoids all value names of a program.
    pub fn from_program(program: &Program) -> Namer {
        Namer { taken: program.values.values().map(|v| (v.name.clone(), 0)).collect(), ..Namer::default() }
    }

    /// Returns `base` if it is unused, or the first unused name of `base.1`, `base.2`, ...
    pub fn fresh(&mut self, base: &str) -> Name {
        let mut name = Name::new(base);
        while let Some(count) = self.derived_names(&name) {
            // Names derived from a derived name share its counter: %p.r.1, not %p.r.1.1.
            *count += 1;
            let mut text = String::with_capacity(base.len() + 4);
            let _ = write!(text, "{base}.{count}");
            let next = Name::new(text);
            if !self.taken.contains_key(&next) && !self.reserved.contains(&next) {
                name = next;
                break;
            }
        }
        self.taken.insert(name.clone(), 0);
        name
    }

    /// Returns the number of names derived from a name, or `None` if the name is unused.
    fn derived_names(&mut self, name: &Name) -> Option<&mut u32> {
        if !self.taken.contains_key(name) && self.reserved.contains(name) {
            self.taken.insert(name.clone(), 0);
        }
        self.taken.get_mut(name)
    }
}

/// Converts a path or name of a model to an identifier of program text: letters, digits, `_` and `.`, starting with a
/// letter or `_`.
pub fn identifier(path: &str) -> String {
    let clean = path.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' || c == '.' { c } else { '_' });
    let lead = if path.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') { "" } else { "p." };
    lead.chars().chain(clean).collect()
}

/// Converts a name of a model to a name of a value. Only quotes and control characters are replaced, so that users find
/// inputs and outputs under the names that the model has.
pub fn value_name(name: &str) -> String {
    let clean: String = name.chars().map(|c| if is_name_char(c) { c } else { '_' }).collect();
    if clean.is_empty() { "_".into() } else { clean }
}

/// Builder for a function body.
pub struct Builder<'a> {
    /// The program that receives the values and operations.
    pub program: &'a mut Program,
    /// Generator of unique names.
    pub names: &'a mut Namer,
    /// Operations appended so far, in order.
    pub body: Vec<OpId>,
    /// Phase of the ops to append.
    pub phase: Phase,
    /// Origin of the ops to append.
    pub origin: Origin,
    /// Prefix of the names of new values. A distinct prefix prevents new values from changing the numbering of existing
    /// names.
    pub prefix: &'static str,
}

impl<'a> Builder<'a> {
    /// Creates a builder with an empty body.
    pub fn new(program: &'a mut Program, names: &'a mut Namer) -> Builder<'a> {
        Builder { program, names, body: Vec::new(), phase: Phase::Forward, origin: Origin::default(), prefix: "" }
    }

    /// Appends an op with one result, named after `name`.
    pub fn op(&mut self, name: &str, kind: impl Into<OpKind>, args: &[ValueId], ty: Type) -> ValueId {
        let name = self.fresh(name);
        let out = self.program.values.push(Value::new(name, ty));
        self.push(kind.into(), args, Values::from_slice(&[out]));
        out
    }

    /// Appends an op with several results, named after `name`.
    pub fn op_many(&mut self, name: &str, kind: impl Into<OpKind>, args: &[ValueId], types: &[Type]) -> Values {
        let outs: Values = types
            .iter()
            .map(|ty| {
                let name = self.fresh(name);
                self.program.values.push(Value::new(name, ty.clone()))
            })
            .collect();
        self.push(kind.into(), args, outs.clone());
        outs
    }

    /// Returns an unused name based on `name`, within the layer of [`Builder::origin`].
    pub fn fresh(&mut self, name: &str) -> Name {
        let layer = self.origin.layer.as_str();
        if !self.prefix.is_empty() {
            self.names.fresh(&format!("{}{name}", self.prefix))
        } else if layer.is_empty() || self.origin.names(name) {
            self.names.fresh(name)
        } else {
            self.names.fresh(&format!("{layer}.{name}"))
        }
    }

    /// Appends an op whose results already exist.
    pub fn push(&mut self, kind: OpKind, args: &[ValueId], outs: Values) -> OpId {
        let (phase, origin) = (self.phase, self.origin.clone());
        let op = self.program.ops.push(Op { kind, args: Values::from_slice(args), outs, phase, origin });
        self.body.push(op);
        op
    }

    /// Returns the type of a value.
    pub fn ty(&self, value: ValueId) -> Type {
        self.program.values[value].ty.clone()
    }

    /// Appends a constant tensor with all elements equal to `value`.
    pub fn splat(&mut self, ty: Type, value: Scalar) -> ValueId {
        self.op("c", Constant { value: Literal::Splat(value) }, &[], ty)
    }

    /// Appends `op(x)`.
    pub fn unary(&mut self, op: UnaryOp, x: ValueId) -> ValueId {
        let ty = self.ty(x);
        self.op(op.name(), Unary { op }, &[x], ty)
    }

    /// Appends `op(x, y)` for operands of the same type.
    pub fn binary(&mut self, op: BinaryOp, x: ValueId, y: ValueId) -> ValueId {
        let ty = self.ty(x);
        self.op(op.name(), Binary { op }, &[x, y], ty)
    }

    /// Appends `op(x, number)`.
    pub fn binary_scalar(&mut self, op: BinaryOp, x: ValueId, number: f64) -> ValueId {
        let ty = self.ty(x);
        let number = if ty.dtype.is_float() { Scalar::Float(number) } else { Scalar::Int(number as i64) };
        let y = self.splat(ty, number);
        self.binary(op, x, y)
    }

    /// Appends a conversion of `x` to another element type.
    pub fn convert(&mut self, x: ValueId, dtype: DType) -> ValueId {
        let shape = self.ty(x).shape;
        self.op("convert", Convert {}, &[x], Type { shape, dtype })
    }

    /// Appends a reshape of `x`.
    pub fn reshape(&mut self, x: ValueId, shape: impl Into<Shape>) -> ValueId {
        let dtype = self.ty(x).dtype;
        self.op("reshape", Reshape {}, &[x], Type::new(dtype, shape))
    }

    /// Appends a broadcast of `x` to `shape`; dimension `i` of `x` becomes dimension `dims[i]`.
    pub fn broadcast(&mut self, x: ValueId, dims: &[usize], shape: impl Into<Shape>) -> ValueId {
        let dtype = self.ty(x).dtype;
        self.op("broadcast", Broadcast { dims: dims.into() }, &[x], Type::new(dtype, shape))
    }

    /// Appends a broadcast of `x` along a new dimension `dim` of `shape`: the inverse shape change of
    /// [`Builder::reduce`].
    pub fn broadcast_along(&mut self, x: ValueId, dim: usize, shape: &Shape) -> ValueId {
        let dims: Vec<usize> = (0..shape.rank()).filter(|&d| d != dim).collect();
        self.broadcast(x, &dims, shape.clone())
    }

    /// Appends a reduction of `x` over dimension `dim`, which is removed.
    pub fn reduce(&mut self, monoid: Monoid, x: ValueId, dim: usize) -> ValueId {
        let mut ty = self.ty(x);
        if dim < ty.shape.rank() {
            ty.shape.0.remove(dim);
        }
        let dims = [dim].into_iter().collect();
        self.op(monoid.name(), Reduce { monoid, dims }, &[x], ty)
    }

    /// Sets the body of `func` to the operations appended so far.
    pub fn finish(self, func: FuncId) {
        self.program.funcs[func].body = self.body;
    }
}
