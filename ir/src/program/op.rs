//! Operations: the closed set, and what each one knows about itself.
//!
//! An operation is a struct in a file of its own under [`crate::program::ops`], declared with `op!`: its fields are its
//! attributes, each with the words that introduce it in program text. It implements [`Operation`]: shape rule, class,
//! sharding rule, cost, evaluation; and those [`Interfaces`] that only some ops have. [`OpKind`] is the enum of them
//! all; there are no operations outside it.

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
use crate::syntax::attr::Names;
use crate::syntax::lex;
use crate::tensor::{Scalar, Tensor};
use smallvec::SmallVec;

/// Types of results.
pub type Types = SmallVec<[Type; 1]>;

/// What the shape rule says: the results' types, or what is wrong, in words that complete "`add`: ...".
pub type Inferred = Result<Types, String>;

/// What evaluation gives: the results, or what is wrong.
pub type Evaluated = Result<Vec<Tensor>, String>;

/// The facts about an operation. One implementation an op, in the op's file. No method has a default: an op
/// states what holds for it, and a method that is added must be written for each op.
pub trait Operation: Syntax {
    /// The shape rule. `declared` are the result types that the program states; an op whose attributes do not say how
    /// large its result is (`reshape`, `broadcast`, `iota`, `constant`) checks and returns them. Must not trust its
    /// arguments: wrong ranks, dims out of range and overflowing sizes are errors, never panics.
    fn infer(&self, program: &Program, args: &[&Type], declared: &[&Type]) -> Inferred;

    /// The class of computation, by which analyses decide.
    fn class(&self) -> Class<'_>;

    /// The sharding rule, on the global types of a verified program. [`Rule::replicated`] splits nothing.
    fn rule(&self, args: &[&Type], outs: &[&Type]) -> Rule;

    /// Arithmetic operations for one evaluation on those types (a fused multiply-add counts two).
    fn flops(&self, args: &[&Type], outs: &[&Type]) -> u64;

    /// The same op on one device's shards: attributes that mention sizes are adjusted from the `global` operand types
    /// to the `local` types of operands and results. Only called when every split dimension has a `Pass`, `Reduce` or
    /// exchanged `Window` factor.
    fn shrink(&self, global_args: &[&Type], local_args: &[&Type], local_outs: &[&Type]) -> Self;

    /// The further interfaces that the op implements.
    fn interfaces(&self) -> Interfaces<'_>;

    /// Reference evaluation. `outs` are the results' types. Not called for collectives.
    fn eval(&self, cx: &EvalCx<'_>, args: &[&Tensor], outs: &[&Type]) -> Evaluated;
}

/// The interfaces that only some ops implement, each with the op itself if it does.
#[derive(Clone, Copy)]
pub struct Interfaces<'a> {
    /// For every op whose rule has a `Window` factor.
    pub windowed: Option<&'a dyn Windowed>,
    /// For every op whose rule has an `Indexed` factor.
    pub indexed: Option<&'a dyn Indexed>,
    /// For every op whose result depends on the position of its elements.
    pub positional: Option<&'a dyn Positional>,
    /// For every op that is defined by simpler ones.
    pub composite: Option<&'a dyn Composite>,
}

impl Interfaces<'_> {
    /// None of them.
    pub const NONE: Interfaces<'static> =
        Interfaces { windowed: None, indexed: None, positional: None, composite: None };
}

/// An op that reads operand 0 through windows.
pub trait Windowed {
    /// The same op when dimension `dim` of operand 0 already holds the elements that its windows read, what lies in the
    /// padding included, and only those positions before and behind them are padding that `padding` says (negative ones
    /// are cropped: holes of a dilated input). Only called for dimensions with a `Window` factor.
    fn exchanged(&self, dim: usize, padding: (i64, i64)) -> OpKind;

    /// What its windows read in the padding.
    fn padding(&self) -> Padding;
}

/// An op that addresses operand 0 by an index operand.
pub trait Indexed {
    /// The place of the indices into dimension `dim` of operand 0; `None` for dimensions that no index addresses.
    fn index_of(&self, dim: usize) -> Option<IndexAt>;

    /// The treatment of indices out of range, by the type of operand 0.
    fn out_of_range(&self, operand: &Type) -> OutOfRange;
}

/// An op whose result depends on the position of its elements: `iota`, `random`, a dense constant.
pub trait Positional {
    /// Appends what one device computes, its result being cut into `pieces` (global size and axes of each dimension).
    /// `None` when the shard is what the op itself computes on the local type.
    fn at_piece(
        &self,
        b: &mut Builder<'_>,
        args: &[ValueId],
        pieces: &[(usize, Axes)],
        local: &Type,
    ) -> Option<ValueId>;
}

/// An op that is defined by simpler ones.
pub trait Composite {
    /// Appends the decomposition; `None` when the operands are not what the shape rule accepts.
    fn decompose(&self, b: &mut Builder<'_>, args: &[ValueId], outs: &[&Type]) -> Option<Values>;
}

/// The treatment of indices out of range.
#[derive(Clone, PartialEq, Debug)]
pub enum OutOfRange {
    /// Their slices are skipped.
    Skipped,
    /// Their slices read zero.
    Zero,
    /// They are clamped. The last valid index of each component, and the op that reads zero instead.
    Clamped(Vec<usize>, OpKind),
}

/// What windows read outside of their operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Padding {
    /// The identity of a monoid.
    Fill(Fill),
    /// The scalar operand of that number.
    Operand(usize),
}

/// Where indices into a dimension are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IndexAt {
    /// The operand that holds the indices.
    pub arg: usize,
    /// Its dimension that holds the index vectors; its rank when the indices are scalars.
    pub vector_dim: usize,
    /// The component of the vector.
    pub component: usize,
}

/// Name and attributes of an operation as text. Implemented by `op!`.
pub trait Syntax: Clone + PartialEq + Sized {
    /// The name in program text.
    const NAME: &'static str;
    /// Appends the attributes.
    fn write(&self, out: &mut String, names: &Names<'_>);
    /// Reads what [`Syntax::write`] wrote.
    fn read(c: &mut Cursor<'_>, names: &Names<'_>) -> lex::Result<Self>;
    /// The name in messages, which some ops take from their attributes.
    fn printed_name(&self) -> &'static str;
    /// The name in front of the attributes: the member of a family (`unary`, `binary`).
    fn text_name(&self) -> &'static str;
    /// The function that the op refers to.
    fn func(&self) -> Option<FuncId>;
    /// The function that the op refers to, mutable.
    fn func_mut(&mut self) -> Option<&mut FuncId>;
}

/// Declares an operation's struct and its text: `op! { /// doc
/// Name = "text_name" { "words" field: Type, ... } }`. A field with empty words always stands; others are left out when
/// they have their default value. `calls field` names the field that refers to a function, `prints method` the method
/// that gives the printed name.
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
            fn write(&self, out: &mut String, names: &$crate::syntax::attr::Names<'_>) {
                $($crate::syntax::attr::write_field($words, &self.$field, out, names);)*
            }
            #[allow(unused_variables)]
            fn read(
                c: &mut $crate::syntax::Cursor<'_>,
                names: &$crate::syntax::attr::Names<'_>,
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

/// How [`OpKind`] holds an operation: as it is, or in a box if it is much larger than the others.
macro_rules! held {
    ($name:ident) => { $name };
    ($name:ident boxed) => { Box<$name> };
}

/// Declares [`OpKind`] and its dispatch.
macro_rules! op_kinds {
    ($($name:ident $($held:ident)?),* $(,)?) => {
        /// Every operation there is.
        #[derive(Clone, PartialEq, Debug)]
        #[allow(missing_docs)] // documented on the structs
        pub enum OpKind { $($name(held!($name $($held)?))),* }

        $(impl From<$name> for OpKind {
            fn from(op: $name) -> OpKind { OpKind::$name(op.into()) }
        })*

        impl OpKind {
            /// The names of all operations, in the order of the enum.
            pub const NAMES: &[&str] = &[$($name::NAME),*];

            /// The name in program text. Families (`unary`, `binary`) print their member's name instead.
            pub fn family(&self) -> &'static str {
                match self { $(OpKind::$name(_) => $name::NAME),* }
            }

            /// Appends the attributes.
            pub fn write(&self, out: &mut String, names: &Names<'_>) {
                match self { $(OpKind::$name(op) => op.write(out, names)),* }
            }

            /// Reads the attributes of the operation called `name`; `None` when there is no such operation.
            pub fn read(name: &str, c: &mut Cursor<'_>, names: &Names<'_>) -> Option<lex::Result<OpKind>> {
                $(if name == $name::NAME { return Some($name::read(c, names).map(OpKind::from)); })*
                None
            }

            /// The name in program text, with the member of a family: `add`, `relu`, `matmul`, `all_reduce`.
            pub fn name(&self) -> &'static str {
                match self { $(OpKind::$name(op) => op.printed_name()),* }
            }

            /// The name in program text where all attributes are written: the member of a family, but `dot_general`.
            pub fn text_name(&self) -> &'static str {
                match self { $(OpKind::$name(op) => op.text_name()),* }
            }

            /// The function that the op refers to: a loop's body, a reducer, a comparator.
            pub fn func(&self) -> Option<FuncId> {
                match self { $(OpKind::$name(op) => op.func()),* }
            }

            /// The function that the op refers to, mutable.
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
            pub fn infer(&self, program: &Program, args: &[&Type], declared: &[&Type]) -> Inferred {
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
            pub fn eval(&self, cx: &EvalCx<'_>, args: &[&Tensor], outs: &[&Type]) -> Evaluated {
                match self { $(OpKind::$name(op) => op.eval(cx, args, outs)),* }
            }

            /// See [`Operation::shrink`].
            pub fn shrink(&self, global_args: &[&Type], local_args: &[&Type], local_outs: &[&Type]) -> OpKind {
                match self { $(OpKind::$name(op) => op.shrink(global_args, local_args, local_outs).into()),* }
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
    // composites
    Softmax, LogSoftmax, LayerNorm, RmsNorm, BatchNorm, Gelu, CrossEntropy, Attention, AttentionGrad, Momentum, Adam,
    // control
    Loop, Constrain,
    // layouts made explicit, and collectives
    Reshard, AllReduce, AllGather, ReduceScatter, AllToAll, Permute, Shard, Partial, Mask, PieceStart,
}

impl OpKind {
    /// Appends the decomposition of a composite into simpler ops. What it does with `f16` and `bf16` operands is done
    /// in `f32`. `None` for other ops.
    pub fn decompose(&self, b: &mut Builder<'_>, args: &[ValueId], outs: &[&Type]) -> Option<Values> {
        let composite = self.interfaces().composite?;
        crate::program::ops::composite::in_f32(b, args, outs, |b, args, outs| composite.decompose(b, args, outs))
    }

    /// Returns whether the op is defined by simpler ones.
    pub fn is_composite(&self) -> bool {
        self.interfaces().composite.is_some()
    }

    /// Returns whether element `i` of the result is a function of elements `i` of the operands, and the op is not
    /// defined by simpler ones: on scalars it is the same op.
    pub fn is_elementwise(&self) -> bool {
        self.class() == Class::Elementwise && !self.is_composite()
    }

    /// The op itself, if it states its result.
    pub fn source(&self) -> Option<SourceOp<'_>> {
        self.class().source()
    }

    /// The collective, if the op is one.
    pub fn collective(&self) -> Option<Collective<'_>> {
        self.class().collective()
    }

    /// The number that all elements of its result are, if it is such a constant.
    pub fn splat(&self) -> Option<Scalar> {
        match self.source()? {
            SourceOp::Constant(constant) => constant.splat(),
            SourceOp::Iota(_) => None,
        }
    }

    /// Returns whether the partitioner makes it, so that programs of users do not have it.
    pub fn is_inserted(&self) -> bool {
        self.names_axes() || self.class().layout().is_some_and(LayoutOp::is_reshard)
    }

    /// Returns whether the op leaves values as they are and changes where they are.
    pub fn changes_layout(&self) -> bool {
        match self.class().device() {
            Some(DeviceOp::Shard(_) | DeviceOp::Partial(_)) => true,
            Some(DeviceOp::Mask(_) | DeviceOp::PieceStart(_)) => false,
            None => self.is_collective(),
        }
    }

    /// The control flow, if the op is some.
    pub fn control(&self) -> Option<Control<'_>> {
        self.class().control()
    }

    /// Returns whether devices communicate to evaluate it.
    pub fn is_collective(&self) -> bool {
        self.collective().is_some()
    }

    /// Returns whether its attributes name mesh axes.
    pub fn names_axes(&self) -> bool {
        self.named_axes().is_some()
    }

    /// The mesh axes that it names; `None` if its kind names none.
    pub fn named_axes(&self) -> Option<&Axes> {
        self.class().axes()
    }

    /// Bytes that one evaluation reads and writes on those types.
    pub fn bytes(&self, args: &[&Type], outs: &[&Type]) -> u64 {
        args.iter().chain(outs).map(|t| t.bytes()).fold(0, u64::saturating_add)
    }
}
