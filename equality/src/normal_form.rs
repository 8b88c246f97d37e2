//! Normal forms of tensors: equal terms of global values by arithmetic on their elements.
//!
//! An element of a tensor is an expression of its position: a polynomial with rational coefficients over factors, which
//! are elements of opaque tensors (inputs, and results of ops such as convolutions), exponentials, roots, elementwise
//! functions, and sums and other reductions over bound variables. Data movement (broadcasts, transpositions, reshapes,
//! slices, gathers) substitutes positions. Two tensors with the same normal form are equal.
//!
//! Normal forms assume exact arithmetic: floats are real numbers of any width, so that a conversion between float types
//! is the identity; inputs and results of opaque ops are finite; divisors are not zero, and radicands not negative;
//! every row of a maximum has a finite element. Integers wrap. NaN is modelled as the result of a selection that
//! depends on a condition, such as an index in range; infinities only as constants of a selection or maximum.
//!
//! Recogniser: an op without a translation is opaque, which makes fewer programs provable, never more.

pub mod expr;
pub mod index;
pub mod rational;

mod algebra;
mod describe;
mod functions;
mod masks;
mod movement;
mod positions;
mod reductions;
mod unite;

pub use unite::{Representatives, SameElements, unite};

use super::term::{Call, Head, TermAnalysis};
use egg::Id;
use expr::{Boundedness, Domain, ExprId, Exprs, Factor};
use index::Index;
use indexmap::IndexSet;
use partita_ir::arena::ValueId;
use partita_ir::build::{Builder, Namer};
use partita_ir::class::Class;
use partita_ir::dtype::{DType, Type};
use partita_ir::op::OpKind;
use partita_ir::program::{Program, Values};
use rustc_hash::{FxBuildHasher, FxHashMap};

/// Name of the law that equates terms with the same normal form.
pub const NORMAL_FORM: &str = "normal-form";

/// Maximum number of operations on expressions. Further ops are opaque.
const MAX_WORK: usize = 600_000;

/// Tensor by its type and an expression of its elements. Variable `i` is the position along dimension `i`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TensorExpr {
    /// Type.
    pub ty: Type,
    /// Element at the position of the variables.
    pub element: ExprId,
}

/// Tensor whose elements are not expressed by those of other tensors.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum OpaqueTensor {
    /// Input, by its index in [`TermAnalysis`].
    Input(u32),
    /// Value that normal forms do not look through, without its dimensions of size 1, by the e-class that represents
    /// all values with these elements.
    Class(Id),
    /// Result of an op.
    Result {
        /// Index of the op, see [`TermAnalysis::call_at`].
        call: u32,
        /// Index of the result.
        out: u32,
        /// Elements of the operands.
        args: Vec<ExprId>,
        /// Types of the operands, by index in [`TermAnalysis`].
        types: Vec<u32>,
    },
}

/// Normal forms of terms.
#[derive(Default)]
pub struct NormalForms {
    /// Expressions.
    pub exprs: Exprs,
    opaque: IndexSet<OpaqueTensor, FxBuildHasher>,
    known: FxHashMap<Id, TensorExpr>,
    /// E-classes of values that normal forms do not look through, by their elements.
    cut_values: FxHashMap<(Vec<usize>, ExprId), Id>,
}

impl NormalForms {
    /// Returns the opaque tensor with that index.
    pub fn opaque_tensor(&self, at: u32) -> &OpaqueTensor {
        &self.opaque[at as usize]
    }

    /// Returns an input of a program.
    pub fn input(&mut self, analysis: &mut TermAnalysis, ty: &Type) -> TensorExpr {
        let at = match analysis.add_input(ty) {
            Head::Input(at) => at,
            Head::Op { .. } | Head::Shards(_) => unreachable!("the head of an input"),
        };
        self.opaque(ty, OpaqueTensor::Input(at), Boundedness::Finite)
    }

    /// Returns an opaque tensor.
    fn opaque(&mut self, ty: &Type, tensor: OpaqueTensor, bounds: Boundedness) -> TensorExpr {
        let at = self.opaque_at(tensor, bounds);
        let indices = (0u32..).zip(ty.shape.iter()).map(|(dim, &size)| Index::var(dim, size)).collect();
        let element = self.exprs.from_factor(Domain::from_dtype(ty.dtype), Factor::Element(at, indices));
        TensorExpr { ty: ty.clone(), element }
    }

    /// Returns the index of an opaque tensor.
    fn opaque_at(&mut self, tensor: OpaqueTensor, bounds: Boundedness) -> u32 {
        let (at, is_new) = self.opaque.insert_full(tensor);
        if is_new {
            self.exprs.tensor_bounds.push(bounds);
        }
        at as u32
    }

    /// Returns the results of an op.
    pub fn apply_call(&mut self, analysis: &mut TermAnalysis, call: u32, args: &[TensorExpr]) -> Vec<TensorExpr> {
        let Call { kind, outs } = analysis.call_at(call).clone();
        let is_empty = outs.iter().chain(args.iter().map(|arg| &arg.ty)).any(|ty| ty.shape.count() == 0);
        let expressed = if is_empty || self.exprs.work > MAX_WORK {
            None
        } else if kind.is_composite() {
            self.decomposed(analysis, &kind, args, &outs)
        } else if let [out] = &outs[..] {
            self.element(&kind, args, out).map(|element| vec![TensorExpr { ty: out.clone(), element }])
        } else {
            None
        };
        expressed.unwrap_or_else(|| {
            let batched = if is_empty { None } else { self.batched_scatter(&kind, args) };
            let (kind, args) = batched.unwrap_or_else(|| (kind, args.to_vec()));
            let is_exact = is_independent_of_width(&kind);
            let of_width = |ty: &Type| if is_exact { with_wide_floats(ty) } else { ty.clone() };
            let call = analysis.add_call(Call { kind, outs: outs.iter().map(of_width).collect() });
            let types: Vec<u32> = args.iter().map(|arg| analysis.add_type(&of_width(&arg.ty))).collect();
            let elements: Vec<ExprId> = args.iter().map(|arg| arg.element).collect();
            let is_finite = elements.iter().all(|&element| self.exprs.is_finite(element));
            let bounds = if is_finite { Boundedness::Finite } else { Boundedness::Unknown };
            let result = |(out, ty): (u32, &Type)| {
                let tensor = OpaqueTensor::Result { call, out, args: elements.clone(), types: types.clone() };
                self.opaque(ty, tensor, bounds)
            };
            (0u32..).zip(&outs).map(result).collect()
        })
    }

    /// Returns the results of a composite's decomposition.
    fn decomposed(
        &mut self,
        analysis: &mut TermAnalysis,
        kind: &OpKind,
        args: &[TensorExpr],
        outs: &[Type],
    ) -> Option<Vec<TensorExpr>> {
        let mut program = Program::default();
        let inputs: Values = args.iter().map(|arg| program.input("x", arg.ty.clone())).collect();
        let mut names = Namer::default();
        let mut builder = Builder::new(&mut program, &mut names);
        let results = kind.decompose(&mut builder, &inputs, &outs.iter().collect::<Vec<_>>())?;
        let body = builder.body;
        let mut known: FxHashMap<ValueId, TensorExpr> = inputs.iter().copied().zip(args.iter().cloned()).collect();
        for op in body {
            let op = &program.ops[op];
            let args = op.args.iter().map(|arg| known.get(arg).cloned()).collect::<Option<Vec<TensorExpr>>>()?;
            let outs = op.outs.iter().map(|&value| program.ty(value).clone()).collect();
            let call = analysis.add_call(Call { kind: op.kind.clone(), outs });
            for (&out, form) in op.outs.iter().zip(self.apply_call(analysis, call, &args)) {
                let is_result = results.contains(&out);
                known.insert(out, if is_result { form } else { self.within_decomposition(&op.kind, form) });
            }
        }
        results.iter().map(|value| known.get(value).cloned()).collect()
    }
}

/// Returns the type with floats of the largest width.
fn with_wide_floats(ty: &Type) -> Type {
    let dtype = if ty.dtype.is_float() { DType::F64 } else { ty.dtype };
    Type { dtype, ..ty.clone() }
}

/// Returns true for an op that computes the same function of real numbers for floats of any width.
fn is_independent_of_width(kind: &OpKind) -> bool {
    match kind.class() {
        Class::Indexing
        | Class::Product
        | Class::Attention(_)
        | Class::Reduction
        | Class::Sorting
        | Class::LinearAlgebra
        | Class::Normalisation => true,
        Class::Source(_)
        | Class::Random
        | Class::Elementwise
        | Class::Movement
        | Class::Update
        | Class::Opaque(_)
        | Class::Control(_)
        | Class::Layout(_)
        | Class::Device(_)
        | Class::Collective(_) => false,
    }
}
