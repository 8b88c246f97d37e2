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

use super::term::{Call, Head, TermAnalysis, Terms};
use egg::Id;
use expr::{Boundedness, Domain, ExprId, Exprs, Factor};
use index::Index;
use indexmap::IndexSet;
use partita_ir::arena::ValueId;
use partita_ir::build::{Builder, Namer};
use partita_ir::class::Class;
use partita_ir::dtype::Type;
use partita_ir::op::OpKind;
use partita_ir::program::{Program, Values};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

/// Name of the law that equates terms with the same normal form.
pub const NORMAL_FORM: &str = "normal-form";

/// Maximum number of operations on expressions. Further ops are opaque.
const MAX_WORK: usize = 300_000;

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
    /// Value that normal forms do not look through, by its e-class.
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

/// Values that normal forms do not look through: opaque tensors although their ops have translations. Small normal
/// forms suffice for most equalities, and their size does not grow with the depth of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cut {
    /// All values that are known to be equal in both programs.
    Shared,
    /// Results of products that are known to be equal in both programs.
    SharedProducts,
    /// None.
    Nothing,
}

impl Cut {
    /// All variants, in the order of the size of normal forms.
    pub const ALL: [Cut; 3] = [Cut::Shared, Cut::SharedProducts, Cut::Nothing];

    /// Returns true for an op whose result may be opaque. Constants and data movement are never opaque.
    fn applies(self, kind: &OpKind) -> bool {
        match (self, kind.class()) {
            (Cut::Nothing, _) | (_, Class::Source(_) | Class::Movement | Class::Layout(_)) => false,
            (_, Class::Product) => true,
            (
                cut,
                Class::Random
                | Class::Elementwise
                | Class::Indexing
                | Class::Attention(_)
                | Class::Reduction
                | Class::Sorting
                | Class::Normalisation
                | Class::LinearAlgebra
                | Class::Opaque(_)
                | Class::Update
                | Class::Control(_)
                | Class::Device(_)
                | Class::Collective(_),
            ) => cut == Cut::Shared,
        }
    }
}

/// Normal forms of terms.
#[derive(Default)]
pub struct NormalForms {
    /// Expressions.
    pub exprs: Exprs,
    opaque: IndexSet<OpaqueTensor, FxBuildHasher>,
    known: FxHashMap<Id, TensorExpr>,
}

/// Makes terms of global values with the same normal form equal. `shared` are the e-classes of values that are known to
/// be equal in both programs. Returns true if the e-graph changed.
pub fn unite(terms: &mut Terms, cut: Cut, shared: &FxHashSet<Id>) -> bool {
    let mut forms = NormalForms::default();
    let mut first: FxHashMap<(u32, ExprId), Id> = FxHashMap::default();
    let mut equations = Vec::new();
    for id in by_distance(terms, shared) {
        let TensorExpr { ty, element } = forms.of_term(terms, id, cut, shared);
        let ty = terms.analysis.add_type(&ty);
        match first.get(&(ty, element)) {
            Some(&other) => equations.push((other, id)),
            None => {
                first.insert((ty, element), id);
            }
        }
    }
    let changed = equations.into_iter().filter(|&(a, b)| terms.union_trusted(a, b, NORMAL_FORM)).count();
    terms.rebuild();
    changed > 0
}

/// Returns the terms of global values in the order of their distance from values that are known to be equal in both
/// programs: the number of ops in between. The work is thus done where the programs begin to differ.
fn by_distance(terms: &Terms, shared: &FxHashSet<Id>) -> Vec<Id> {
    let mut distances: Vec<u32> = Vec::with_capacity(terms.nodes().len());
    for (id, node) in terms.nodes().iter().enumerate() {
        let of_args = node.args.iter().map(|&arg| distances[usize::from(arg)]).max().unwrap_or(0);
        let distance = match node.head {
            Head::Input(_) => 0,
            Head::Shards(_) => of_args,
            Head::Op { .. } if shared.contains(&terms.find(Id::from(id))) => 0,
            Head::Op { .. } => of_args + 1,
        };
        distances.push(distance);
    }
    let mut ids: Vec<Id> =
        (0..distances.len()).map(Id::from).filter(|&id| terms[id].data.placement.is_none()).collect();
    ids.sort_by_key(|&id| distances[usize::from(id)]);
    ids
}

impl NormalForms {
    /// Returns the opaque tensor with that index.
    pub fn opaque_tensor(&self, at: u32) -> &OpaqueTensor {
        &self.opaque[at as usize]
    }

    /// Returns the normal form of a term of a global value.
    fn of_term(&mut self, terms: &mut Terms, id: Id, cut: Cut, shared: &FxHashSet<Id>) -> TensorExpr {
        if let Some(known) = self.known.get(&id) {
            return known.clone();
        }
        let node = terms.id_to_node(id).clone();
        let form = match node.head {
            Head::Input(at) => {
                let ty = terms.analysis.type_at(terms[id].data.ty).clone();
                self.opaque(&ty, OpaqueTensor::Input(at), Boundedness::Finite)
            }
            Head::Op { call, out, placement: _ } => {
                let args: Vec<TensorExpr> =
                    node.args.iter().map(|&arg| self.of_operand(terms, arg, cut, shared)).collect();
                let results = self.apply_call(&mut terms.analysis, call, &args);
                results[out as usize].clone()
            }
            Head::Shards(_) => self.of_operand(terms, node.args[0], cut, shared),
        };
        self.known.insert(id, form.clone());
        form
    }

    /// Returns the normal form of an operand: an opaque tensor with the guards of the operand if the operand is cut.
    fn of_operand(&mut self, terms: &mut Terms, id: Id, cut: Cut, shared: &FxHashSet<Id>) -> TensorExpr {
        let class = terms.find(id);
        let form = self.of_term(terms, id, cut, shared);
        let is_cut = match terms.id_to_node(id).head {
            Head::Op { call, .. } => {
                shared.contains(&class)
                    && self.exprs.is_finite(form.element)
                    && cut.applies(&terms.analysis.call_at(call).kind)
            }
            Head::Input(_) | Head::Shards(_) => false,
        };
        if !is_cut || self.exprs.as_float(form.element).is_some() {
            return form;
        }
        let guards = self.exprs.expr(form.element).guards.clone();
        let opaque = self.opaque(&form.ty, OpaqueTensor::Class(class), Boundedness::Finite);
        TensorExpr { element: self.exprs.with_guards(opaque.element, guards), ..opaque }
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
        let (at, is_new) = self.opaque.insert_full(tensor);
        if is_new {
            self.exprs.tensor_bounds.push(bounds);
        }
        let indices = (0u32..).zip(ty.shape.iter()).map(|(dim, &size)| Index::var(dim, size)).collect();
        let element = self.exprs.from_factor(Domain::from_dtype(ty.dtype), Factor::Element(at as u32, indices));
        TensorExpr { ty: ty.clone(), element }
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
            let types: Vec<u32> = args.iter().map(|arg| analysis.add_type(&arg.ty)).collect();
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
            known.extend(op.outs.iter().copied().zip(self.apply_call(analysis, call, &args)));
        }
        results.iter().map(|value| known.get(value).cloned()).collect()
    }
}
