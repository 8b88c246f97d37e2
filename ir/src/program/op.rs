//! Operations: the closed set [`OpKind`] and the interfaces of its members.
//!
//! An operation is a struct in its own file under [`crate::program::ops`], declared with `op!`. Its fields are its
//! attributes, each with the keyword that introduces it in program text. It implements [`Operation`] (shape inference,
//! class, sharding rule, cost, evaluation) and optionally some of the [`Interfaces`]. [`OpKind`] is the enum of all
//! operations.

use crate::arena::{FuncId, ValueId};
use crate::dtype::Type;
use crate::mesh::Axes;
use crate::program::EvalCx;
use crate::program::build::Builder;
use crate::program::class::{Class, Collective, Control, DeviceOp, LayoutOp, SourceOp};
use crate::program::ops::*;
use crate::program::{Program, Values};
use crate::rule::Rule;
use crate::syntax::Cursor;
use crate::syntax::attr::AttrNames;
use crate::syntax::lex;
use crate::tensor::{Scalar, Tensor};
use smallvec::SmallVec;

/// Types of the results of an op.
pub type Types = SmallVec<[Type; 1]>;

/// Result of shape inference: the result types, or an error message that completes "`add`: ...".
pub type InferResult = Result<Types, String>;

/// Result of evaluation: the result tensors, or an error message.
pub type EvalResult = Result<Vec<Tensor>, String>;

/// An operation, implemented in the op's own file. No method has a default, so that a new method must be implemented
/// for each op.
pub trait Operation: Syntax {
    /// Infers the result types. `declared` are the result types stated in the program; an op whose attributes do not
    /// determine the result type (`reshape`, `broadcast`, `iota`, `constant`) checks and returns them.
    ///
    /// The arguments are unverified: wrong ranks, dimensions out of range and overflowing sizes must return errors and
    /// never panic.
    fn infer(&self, program: &Program, args: &[&Type], declared: &[&Type]) -> InferResult;

    /// Returns the class of computation.
    fn class(&self) -> Class<'_>;

    /// Returns the sharding rule on the global types of a verified program. [`Rule::replicated`] is the rule of an op
    /// that cannot be sharded.
    fn rule(&self, args: &[&Type], outs: &[&Type]) -> Rule;

    /// Returns the number of arithmetic operations of one evaluation on the given types; a fused multiply-add counts as
    /// two.
    fn flops(&self, args: &[&Type], outs: &[&Type]) -> u64;

    /// Converts the op to an op on one device's shards: attributes that depend on sizes are adjusted from the `global`
    /// operand types to the `local` types of operands and results. Called only if every sharded dimension has a
    /// `PassThrough`, a `Reduce`, or a `Window` factor after halo exchange.
    fn to_local(&self, global_args: &[&Type], local_args: &[&Type], local_outs: &[&Type]) -> Self;

    /// Returns the optional interfaces that the op implements.
    fn interfaces(&self) -> Interfaces<'_>;

    /// Evaluates the op in the reference interpreter. `outs` are the result types. Not called for collectives.
    fn eval(&self, cx: &EvalCx<'_>, args: &[&Tensor], outs: &[&Type]) -> EvalResult;
}

/// Optional interfaces of an op; each field is the op itself if it implements the interface.
#[derive(Clone, Copy)]
pub struct Interfaces<'a> {
    /// Required if the sharding rule has a `Window` factor.
    pub windowed: Option<&'a dyn Windowed>,
    /// Required if the sharding rule has an `Indexed` factor.
    pub indexed: Option<&'a dyn Indexed>,
    /// Required if the sharding rule has an `Exchanged` factor.
    pub exchanging: Option<&'a dyn Exchanging>,
    /// Required if the result depends on the global position of its elements.
    pub positional: Option<&'a dyn Positional>,
    /// Required if the op is defined by a decomposition.
    pub composite: Option<&'a dyn Composite>,
}

impl Interfaces<'_> {
    /// No optional interface.
    pub const NONE: Interfaces<'static> =
        Interfaces { windowed: None, indexed: None, exchanging: None, positional: None, composite: None };
}

/// An op that reads operand 0 through windows.
pub trait Windowed {
    /// Returns the op after halo exchange: dimension `dim` of operand 0 contains exactly the elements that the local
    /// windows read, including the contents of padding. Only the `padding` positions before and after them remain
    /// padding; negative padding crops holes of a dilated input. Called only for dimensions with a `Window` factor.
    fn after_halo_exchange(&self, dim: usize, padding: (i64, i64)) -> OpKind;

    /// Returns the value that windows read in padding.
    fn padding(&self) -> Padding;
}

/// An op that addresses operand 0 by an index operand.
pub trait Indexed {
    /// Returns the location of the indices into dimension `dim` of operand 0, or `None` for a dimension without
    /// indices.
    fn index_location(&self, dim: usize) -> Option<IndexLocation>;

    /// Returns the treatment of indices out of range, for the given type of operand 0.
    fn out_of_range(&self, operand: &Type) -> OutOfRange;
}

/// An op that exchanges elements between the shards of a dimension.
pub trait Exchanging {
    /// Appends the computation of one device's shard of the results, from its shards of the operands. Every dimension
    /// with an `Exchanged` factor in more than one shard is in `dims`.
    fn exchange(&self, b: &mut Builder<'_>, args: &[ValueId], dims: &[ExchangedDim]) -> Values;
}

/// A dimension whose shards are exchanged.
#[derive(Clone, PartialEq, Debug)]
pub struct ExchangedDim {
    /// The dimension of the operands.
    pub dim: usize,
    /// The axes that shard it.
    pub axes: Axes,
    /// Global size in each operand; 1 in an operand without the dimension.
    pub sizes: SmallVec<[usize; 3]>,
}

/// An op whose result depends on the global position of its elements: `iota`, `random`, a dense constant.
pub trait Positional {
    /// Appends the computation of one device's shard of the results, of the types `locals`. `dims` is the global size
    /// and the sharding axes of each dimension of result 0. Returns `None` if the op itself computes the shard from the
    /// local types.
    fn build_shard(
        &self,
        b: &mut Builder<'_>,
        args: &[ValueId],
        dims: &[(usize, Axes)],
        locals: &[&Type],
    ) -> Option<Values>;
}

/// An op that is defined by a decomposition into simpler ops.
pub trait Composite {
    /// Appends the decomposition. Returns `None` if the operands violate the shape rule.
    fn decompose(&self, b: &mut Builder<'_>, args: &[ValueId], outs: &[&Type]) -> Option<Values>;
}

/// Treatment of indices out of range.
#[derive(Clone, PartialEq, Debug)]
pub enum OutOfRange {
    /// The update is skipped.
    Skipped,
    /// The slice is zero.
    Zero,
    /// Indices are clamped. The fields are the maximum valid index of each component, and the op variant that reads
    /// zero instead of clamping.
    Clamped(Vec<usize>, OpKind),
}

/// Value that windows read outside their operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Padding {
    /// The identity of a monoid.
    Fill(Fill),
    /// The scalar operand with the given index.
    Operand(usize),
}

/// Location of the indices into a dimension.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IndexLocation {
    /// Index of the operand that contains the indices.
    pub arg: usize,
    /// Dimension of that operand that contains the index vectors; its rank if the indices are scalars.
    pub vector_dim: usize,
    /// Component of the index vector.
    pub component: usize,
}

/// Text form of an operation: its name and attributes. Implemented by `op!`.
pub trait Syntax: Clone + PartialEq + Sized {
    /// Name in program text.
    const NAME: &'static str;
    /// Appends the attributes to `out`.
    fn write(&self, out: &mut String, names: &AttrNames<'_>);
    /// Parses the text written by [`Syntax::write`].
    fn read(c: &mut Cursor<'_>, names: &AttrNames<'_>) -> lex::Result<Self>;
    /// Returns the name used in messages, which depends on attributes for some ops.
    fn printed_name(&self) -> &'static str;
    /// Returns the name printed before the attributes: for the families `unary` and `binary`, the name of the function.
    fn text_name(&self) -> &'static str;
    /// Returns the function that the op calls, if any.
    fn func(&self) -> Option<FuncId>;
    /// Returns the function that the op calls as a mutable reference, if any.
    fn func_mut(&mut self) -> Option<&mut FuncId>;
}

/// Declares an operation's struct and its text form: `op! { /// doc
/// Name = "text_name" { "keyword" field: Type, ... } }`. A field with an empty keyword is always printed; other fields
/// are omitted when they have their default value. `calls field` marks the field that refers to a function, `prints
/// method` the method that returns the name used in messages.
macro_rules! op {
    ($(#[$doc:meta])* $name:ident = $text:literal {
        $($(#[$fdoc:meta])* $words:literal $field:ident : $ty:ty),* $(,)?
    } $(calls $func:ident)? $(prints $printed:ident)?) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Debug)]
        pub struct $name { $($(#[$fdoc])* pub $field: $ty),* }

        impl $crate::program::op::Syntax for $name {
            const NAME: &'static str = $text;
            #[allow(unused_variables)]
            fn write(&self, out: &mut String, names: &$crate::syntax::attr::AttrNames<'_>) {
                $($crate::syntax::attr::write_field($words, &self.$field, out, names);)*
            }
            #[allow(unused_variables)]
            fn read(
                c: &mut $crate::syntax::Cursor<'_>,
                names: &$crate::syntax::attr::AttrNames<'_>,
            ) -> $crate::syntax::lex::Result<Self> {
                Ok($name { $($field: $crate::syntax::attr::read_field($words, c, names)?),* })
            }
            fn printed_name(&self) -> &'static str {
                [$(self.$printed(),)? Self::NAME][0]
            }
            fn text_name(&self) -> &'static str {
                Self::NAME
            }
            fn func(&self) -> Option<$crate::arena::FuncId> {
                [$(Some(self.$func),)? None][0]
            }
            fn func_mut(&mut self) -> Option<&mut $crate::arena::FuncId> {
                [$(Some(&mut self.$func),)? None].into_iter().flatten().next()
            }
        }
    };
}
pub(crate) use op;

/// Storage of an operation in [`OpKind`]: inline, or boxed if it is much larger than the others.
macro_rules! variant_storage {
    ($name:ident) => { $name };
    ($name:ident boxed) => { Box<$name> };
}

/// Declares [`OpKind`] and its dispatch.
macro_rules! op_kinds {
    ($($name:ident $($storage:ident)?),* $(,)?) => {
        /// All operations.
        #[derive(Clone, PartialEq, Debug)]
        #[allow(missing_docs)] // documented on the structs
        pub enum OpKind { $($name(variant_storage!($name $($storage)?))),* }

        $(impl From<$name> for OpKind {
            fn from(op: $name) -> OpKind { OpKind::$name(op.into()) }
        })*

        impl OpKind {
            /// Names of all operations, in the order of the enum.
            pub const NAMES: &[&str] = &[$($name::NAME),*];

            /// Returns the name of the operation; for members of `unary` and `binary` the name of the family.
            pub fn family(&self) -> &'static str {
                match self { $(OpKind::$name(_) => $name::NAME),* }
            }

            /// Appends the attributes to `out`.
            pub fn write(&self, out: &mut String, names: &AttrNames<'_>) {
                match self { $(OpKind::$name(op) => op.write(out, names)),* }
            }

            /// Parses the attributes of the operation called `name`. Returns `None` if no operation has this name.
            pub fn read(name: &str, c: &mut Cursor<'_>, names: &AttrNames<'_>) -> Option<lex::Result<OpKind>> {
                $(if name == $name::NAME { return Some($name::read(c, names).map(OpKind::from)); })*
                None
            }

            /// Returns the name used in messages, with family members resolved: `add`, `relu`, `matmul`, `all_reduce`.
            pub fn name(&self) -> &'static str {
                match self { $(OpKind::$name(op) => op.printed_name()),* }
            }

            /// Returns the name used in program text with all attributes printed: the member of a family, and
            /// `dot_general` instead of `matmul`.
            pub fn text_name(&self) -> &'static str {
                match self { $(OpKind::$name(op) => op.text_name()),* }
            }

            /// Returns the function that the op calls: a loop body, a reducer or a comparator.
            pub fn func(&self) -> Option<FuncId> {
                match self { $(OpKind::$name(op) => op.func()),* }
            }

            /// Returns the function that the op calls as a mutable reference.
            pub fn func_mut(&mut self) -> Option<&mut FuncId> {
                match self { $(OpKind::$name(op) => op.func_mut()),* }
            }

            /// See [`Operation::class`].
            pub fn class(&self) -> Class<'_> {
                match self { $(OpKind::$name(op) => op.class()),* }
            }

            /// See [`Operation::interfaces`].
            pub fn interfaces(&self) -> Interfaces<'_> {
                match self { $(OpKind::$name(op) => op.interfaces()),* }
            }

            /// See [`Operation::infer`].
            pub fn infer(&self, program: &Program, args: &[&Type], declared: &[&Type]) -> InferResult {
                match self { $(OpKind::$name(op) => op.infer(program, args, declared)),* }
            }

            /// See [`Operation::rule`].
            pub fn rule(&self, args: &[&Type], outs: &[&Type]) -> Rule {
                match self { $(OpKind::$name(op) => op.rule(args, outs)),* }
            }

            /// See [`Operation::flops`].
            pub fn flops(&self, args: &[&Type], outs: &[&Type]) -> u64 {
                match self { $(OpKind::$name(op) => op.flops(args, outs)),* }
            }

            /// See [`Operation::eval`].
            pub fn eval(&self, cx: &EvalCx<'_>, args: &[&Tensor], outs: &[&Type]) -> EvalResult {
                match self { $(OpKind::$name(op) => op.eval(cx, args, outs)),* }
            }

            /// See [`Operation::to_local`].
            pub fn to_local(&self, global_args: &[&Type], local_args: &[&Type], local_outs: &[&Type]) -> OpKind {
                match self { $(OpKind::$name(op) => op.to_local(global_args, local_args, local_outs).into()),* }
            }
        }
    };
}

op_kinds! {
    // data and elementwise
    Constant, Iota, Random, RngBits, Unary, Binary, Compare, Select, Clamp, Convert, Bitcast,
    // movement
    Broadcast, Reshape, Transpose, Reverse, Slice boxed, Pad boxed, Concatenate,
    DynamicSlice, DynamicUpdateSlice, Gather boxed, Scatter boxed,
    // contraction and reduction
    DotGeneral boxed, Convolution boxed, Reduce, ReduceFunc, ReduceWindow, SelectAndScatter, Sort, TopK,
    // linear algebra
    Fft, Cholesky, TriangularSolve, TridiagonalSolve, Lu, Qr, HouseholderProduct, Hessenberg, Svd, Eigh, Eig,
    // composites
    Softmax, LogSoftmax, LayerNorm, RmsNorm, BatchNorm, Gelu, CrossEntropy, Attention, AttentionGrad, Momentum, Adam,
    // control
    Loop, Constrain, CustomCall,
    // layouts made explicit, and collectives
    Reshard, AllReduce, AllGather, ReduceScatter, AllToAll, Permute, Shard, Partial, Mask, ShardStart,
}

impl OpKind {
    /// Appends the decomposition of a composite into simpler ops. Computation on `f16` and `bf16` operands is done in
    /// `f32`. Returns `None` for other ops.
    pub fn decompose(&self, b: &mut Builder<'_>, args: &[ValueId], outs: &[&Type]) -> Option<Values> {
        let composite = self.interfaces().composite?;
        crate::program::ops::composite::decompose_in_f32(b, args, outs, |b, args, outs| {
            composite.decompose(b, args, outs)
        })
    }

    /// Returns true if the op is defined by a decomposition.
    pub fn is_composite(&self) -> bool {
        self.interfaces().composite.is_some()
    }

    /// Returns true if element `i` of the result is a function of elements `i` of the operands and the op is not a
    /// composite. Such an op is the same on scalars and on tensors.
    pub fn is_elementwise(&self) -> bool {
        self.class() == Class::Elementwise && !self.is_composite()
    }

    /// Returns the op if its attributes determine the result.
    pub fn source(&self) -> Option<SourceOp<'_>> {
        self.class().source()
    }

    /// Returns the op if it is a collective.
    pub fn collective(&self) -> Option<Collective<'_>> {
        self.class().collective()
    }

    /// Returns the number that all elements of the result are equal to, for a constant written as a splat.
    pub fn splat(&self) -> Option<Scalar> {
        match self.source()? {
            SourceOp::Constant(constant) => constant.splat(),
            SourceOp::Iota(_) => None,
        }
    }

    /// Returns true for the identity through which no gradient flows.
    ///
    /// Recogniser: every other op is computed or has a gradient.
    pub fn is_stop_gradient(&self) -> bool {
        matches!(self, OpKind::Unary(Unary { op: UnaryOp::StopGradient }))
    }

    /// Returns true if only the partitioner creates the op, so that user programs do not contain it.
    pub fn is_inserted(&self) -> bool {
        self.names_axes() || self.class().layout().is_some_and(LayoutOp::is_reshard)
    }

    /// Returns true if the op leaves the global value unchanged and changes its layout.
    pub fn changes_layout(&self) -> bool {
        match self.class().device() {
            Some(DeviceOp::Shard(_) | DeviceOp::Partial(_)) => true,
            Some(DeviceOp::Mask(_) | DeviceOp::ShardStart(_)) => false,
            None => self.is_collective(),
        }
    }

    /// Returns the op if it is a control-flow op.
    pub fn control(&self) -> Option<Control<'_>> {
        self.class().control()
    }

    /// Returns true if evaluation communicates between devices.
    pub fn is_collective(&self) -> bool {
        self.collective().is_some()
    }

    /// Returns true if the attributes contain mesh axes.
    pub fn names_axes(&self) -> bool {
        self.named_axes().is_some()
    }

    /// Returns the mesh axes among the attributes, or `None` for ops without such an attribute.
    pub fn named_axes(&self) -> Option<&Axes> {
        self.class().axes()
    }

    /// Returns the number of bytes that one evaluation reads and writes, for the given types.
    pub fn bytes(&self, args: &[&Type], outs: &[&Type]) -> u64 {
        args.iter().chain(outs).map(|t| t.bytes()).fold(0, u64::saturating_add)
    }
}
