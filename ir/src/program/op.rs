//! Operations: the closed set, and what each one knows about itself.
//!
//! An operation is a struct in a file of its own under [`crate::program::ops`], declared with `op!`: its fields are its
//! attributes, each with the words that introduce it in program text. It implements [`Operation`]: shape rule, sharding
//! rule, cost, evaluation. [`OpKind`] is the enum of them all; there are no operations outside it.

use crate::arena::FuncId;
use crate::dtype::Type;
use crate::mesh::Axes;
use crate::program::EvalCx;
use crate::program::build::Builder;
use crate::program::ops::*;
use crate::program::{Program, Values};
use crate::rule::Rule;
use crate::syntax::Cursor;
use crate::syntax::attr::Names;
use crate::syntax::lex;
use crate::tensor::Tensor;
use smallvec::SmallVec;

/// Types of results.
pub type Types = SmallVec<[Type; 1]>;

/// What the shape rule says: the results' types, or what is wrong, in words that complete "`add`: ...".
pub type Inferred = Result<Types, String>;

/// What evaluation gives: the results, or what is wrong.
pub type Evaluated = Result<Vec<Tensor>, String>;

/// What an operation knows about itself. One implementation an op, in the op's file.
pub trait Operation: Syntax {
    /// The shape rule. `declared` are the result types that the program states; an op whose attributes do not say how
    /// large its result is (`reshape`, `broadcast`, `iota`, `constant`) checks and returns them. Must not trust its
    /// arguments: wrong ranks, dims out of range and overflowing sizes are errors, never panics.
    fn infer(&self, program: &Program, args: &[&Type], declared: &[&Type]) -> Inferred;

    /// The sharding rule, on the global types of a verified program. The default splits nothing.
    fn rule(&self, args: &[&Type], outs: &[&Type]) -> Rule {
        let whole = |rule: &mut Rule, types: &[&Type]| {
            types
                .iter()
                .map(|t| t.shape.iter().map(|&n| rule.dim(n, crate::rule::FactorKind::Whole)).collect())
                .collect()
        };
        let mut rule = Rule::default();
        rule.args = whole(&mut rule, args);
        rule.outs = whole(&mut rule, outs).into_iter().collect();
        rule
    }

    /// Arithmetic operations for one evaluation on those types (a fused multiply-add counts two). The default is one
    /// for each element of the results.
    fn flops(&self, _args: &[&Type], outs: &[&Type]) -> u64 {
        outs.iter().map(|t| t.shape.count() as u64).sum()
    }

    /// Reference evaluation. `outs` are the results' types. Not called for collectives.
    fn eval(&self, cx: &EvalCx<'_>, args: &[&Tensor], outs: &[&Type]) -> Evaluated;

    /// The same op on one device's pieces: attributes that mention sizes are adjusted from the `global` operand types
    /// to the `local` types of operands and results. Only called when every split dimension has a `Pass`, `Reduce` or
    /// exchanged `Window` factor.
    fn shrink(&self, _global_args: &[&Type], _local_args: &[&Type], _local_outs: &[&Type]) -> Self {
        self.clone()
    }

    /// The same op when dimension `dim` of operand 0 already holds the elements that its windows read, what lies in the
    /// padding included, and only those positions before and behind them are padding that `padding` says (negative ones
    /// are cropped: holes of a dilated input). Only called for dimensions with a `Window` factor.
    fn exchanged(&self, _dim: usize, _padding: (i64, i64)) -> Self {
        self.clone()
    }

    /// What its windows read in the padding.
    fn padding(&self) -> Padding {
        Padding::Fill(Fill::Zero)
    }

    /// For an op with an `Indexed` factor: where the indices into dimension `dim` of operand 0 are.
    fn index_of(&self, _dim: usize) -> Option<IndexAt> {
        None
    }

    /// For an op whose result depends on the position of its elements (`iota`, `random`, a dense constant): appends
    /// what one device computes, its result being cut into `pieces` (global size and axes of each dimension). `None`
    /// for all others.
    fn at_piece(
        &self,
        _b: &mut Builder<'_>,
        _args: &[crate::arena::ValueId],
        _pieces: &[(usize, Axes)],
        _local: &Type,
    ) -> Option<crate::arena::ValueId> {
        None
    }

    /// A composite's decomposition into simpler ops, appended to the builder; `None` when the op is not a composite.
    fn decompose(&self, _b: &mut Builder<'_>, _args: &[crate::arena::ValueId], _outs: &[&Type]) -> Option<Values> {
        None
    }
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
    /// The function that the op refers to.
    fn func_mut(&mut self) -> Option<&mut FuncId> {
        None
    }
}

/// Declares an operation's struct and its text: `op! { /// doc
/// Name = "text_name" { "words" field: Type, ... } }`. A field with empty words always stands; others are left out when
/// they have their default value. `calls field` names the field that refers to a function.
macro_rules! op {
    ($(#[$doc:meta])* $name:ident = $text:literal {
        $($(#[$fdoc:meta])* $words:literal $field:ident : $ty:ty),* $(,)?
    } $(calls $func:ident)?) => {
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
            $(fn func_mut(&mut self) -> Option<&mut $crate::arena::FuncId> {
                Some(&mut self.$func)
            })?
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

            /// The function that the op refers to: a loop's body, a reducer, a comparator.
            pub fn func_mut(&mut self) -> Option<&mut FuncId> {
                match self { $(OpKind::$name(op) => op.func_mut()),* }
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

            /// See [`Operation::exchanged`].
            pub fn exchanged(&self, dim: usize, padding: (i64, i64)) -> OpKind {
                match self { $(OpKind::$name(op) => op.exchanged(dim, padding).into()),* }
            }

            /// See [`Operation::padding`].
            pub fn padding(&self) -> Padding {
                match self { $(OpKind::$name(op) => op.padding()),* }
            }

            /// See [`Operation::index_of`].
            pub fn index_of(&self, dim: usize) -> Option<IndexAt> {
                match self { $(OpKind::$name(op) => op.index_of(dim)),* }
            }

            /// See [`Operation::at_piece`].
            pub fn at_piece(
                &self,
                b: &mut Builder<'_>,
                args: &[crate::arena::ValueId],
                pieces: &[(usize, Axes)],
                local: &Type,
            ) -> Option<crate::arena::ValueId> {
                match self { $(OpKind::$name(op) => op.at_piece(b, args, pieces, local)),* }
            }

            /// See [`Operation::decompose`].
            pub fn decompose(
                &self,
                b: &mut Builder<'_>,
                args: &[crate::arena::ValueId],
                outs: &[&Type],
            ) -> Option<Values> {
                crate::program::ops::composite::in_f32(b, args, outs, |b, args, outs| match self {
                    $(OpKind::$name(op) => op.decompose(b, args, outs)),*
                })
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
    /// The function that the op refers to.
    pub fn func(&self) -> Option<FuncId> {
        match self {
            OpKind::Loop(op) => Some(op.body),
            OpKind::ReduceFunc(op) => Some(op.body),
            OpKind::Sort(op) => Some(op.comparator),
            _ => None,
        }
    }

    /// The name as printed: `add`, `relu`, `matmul`, `all_reduce`.
    pub fn name(&self) -> &'static str {
        match self {
            OpKind::Unary(op) => op.op.name(),
            OpKind::Binary(op) => op.op.name(),
            OpKind::DotGeneral(op) if op.is_matmul() => "matmul",
            _ => self.family(),
        }
    }

    /// Whether it knows a decomposition into simpler ops.
    pub fn is_composite(&self) -> bool {
        matches!(
            self,
            OpKind::Softmax(_)
                | OpKind::LogSoftmax(_)
                | OpKind::LayerNorm(_)
                | OpKind::RmsNorm(_)
                | OpKind::BatchNorm(_)
                | OpKind::Gelu(_)
                | OpKind::CrossEntropy(_)
                | OpKind::Attention(_)
                | OpKind::AttentionGrad(_)
                | OpKind::Momentum(_)
                | OpKind::Adam(_)
        )
    }

    /// Whether element `i` of the result is a function of elements `i` of the operands: on scalars it is the same op.
    pub fn is_elementwise(&self) -> bool {
        matches!(
            self,
            OpKind::Unary(_)
                | OpKind::Binary(_)
                | OpKind::Compare(_)
                | OpKind::Select(_)
                | OpKind::Clamp(_)
                | OpKind::Convert(_)
                | OpKind::Bitcast(_)
        )
    }

    /// The axes over which devices communicate to evaluate it; `None` when they do not.
    pub fn collective_axes(&self) -> Option<&Axes> {
        match self {
            OpKind::AllReduce(op) => Some(&op.axes),
            OpKind::AllGather(op) => Some(&op.axes),
            OpKind::ReduceScatter(op) => Some(&op.axes),
            OpKind::AllToAll(op) => Some(&op.axes),
            OpKind::Permute(op) => Some(&op.axes),
            _ => None,
        }
    }

    /// Whether devices communicate to evaluate it.
    pub fn is_collective(&self) -> bool {
        self.collective_axes().is_some()
    }

    /// Whether its attributes name mesh axes.
    pub fn names_axes(&self) -> bool {
        self.named_axes().is_some()
    }

    /// The mesh axes that it names; `None` if its kind names none.
    pub fn named_axes(&self) -> Option<&Axes> {
        match self {
            OpKind::Shard(op) => Some(&op.axes),
            OpKind::Partial(op) => Some(&op.axes),
            OpKind::Mask(op) => Some(&op.axes),
            OpKind::PieceStart(op) => Some(&op.axes),
            _ => self.collective_axes(),
        }
    }

    /// Bytes that one evaluation reads and writes on those types.
    pub fn bytes(&self, args: &[&Type], outs: &[&Type]) -> u64 {
        args.iter().chain(outs).map(|t| t.bytes()).fold(0, u64::saturating_add)
    }
}
