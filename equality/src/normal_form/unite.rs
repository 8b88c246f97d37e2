//! Equalities of terms by their normal forms.
//!
//! Values may have the same elements although their types differ in the width of floats, or in dimensions of size 1.
//! They are not equal terms, but normal forms of further values do not distinguish them.
//!
//! Recogniser: a value that is cut although its definition matters makes fewer programs provable, never more.

use super::expr::{Boundedness, Domain, ExprId, Factor};
use super::index::Index;
use super::{MAX_WORK, NORMAL_FORM, NormalForms, OpaqueTensor, TensorExpr};
use crate::term::{Head, Terms};
use egg::Id;
use partita_ir::class::Class;
use partita_ir::dtype::Type;
use partita_ir::op::OpKind;
use rustc_hash::{FxHashMap, FxHashSet};

/// Maximum number of operations on expressions for one op. The result of an op that needs more is opaque.
const MAX_TERM_WORK: usize = 60_000;

/// Distance of a composite op, which other programs compute by several ops.
const COMPOSITE_DISTANCE: u32 = 12;

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

    /// Returns true for an op whose result may be opaque. Constants, data movement and conversions are never opaque.
    fn applies(self, kind: &OpKind) -> bool {
        if matches!(kind, OpKind::Convert(_)) {
            return false;
        }
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

/// Pairs of e-classes of values with the same elements, whose types differ in the width of floats or in dimensions of
/// size 1.
#[derive(Default)]
pub struct SameElements {
    pairs: Vec<(Id, Id)>,
}

impl SameElements {
    /// Returns the e-class that represents all values with the same elements, for each e-class that does not represent
    /// itself.
    pub fn representatives(&self, terms: &Terms) -> Representatives {
        let mut representatives = Representatives::default();
        for &(a, b) in &self.pairs {
            let (a, b) = (representatives.representative(terms.find(a)), representatives.representative(terms.find(b)));
            if a != b {
                representatives.parents.insert(a.max(b), a.min(b));
            }
        }
        representatives
    }
}

/// E-classes that represent others; see [`SameElements::representatives`].
#[derive(Default)]
pub struct Representatives {
    parents: FxHashMap<Id, Id>,
}

impl Representatives {
    /// Returns the e-class that represents a canonical e-class.
    pub fn representative(&self, mut class: Id) -> Id {
        while let Some(&parent) = self.parents.get(&class) {
            class = parent;
        }
        class
    }
}

/// Makes terms of global values with the same normal form equal, and records those with the same elements. `shared` are
/// the representatives of values that both programs have. Returns true if a term became equal to another one, or if
/// values with the same elements were found.
pub fn unite(terms: &mut Terms, same: &mut SameElements, shared: &FxHashSet<Id>) -> bool {
    Cut::ALL.into_iter().any(|cut| unite_with(cut, terms, same, shared))
}

fn unite_with(cut: Cut, terms: &mut Terms, same: &mut SameElements, shared: &FxHashSet<Id>) -> bool {
    let representatives = same.representatives(terms);
    let known = KnownValues { cut, representatives: &representatives, shared };
    let mut forms = NormalForms::default();
    let mut first: FxHashMap<(u32, ExprId), Id> = FxHashMap::default();
    let mut first_with_elements: FxHashMap<(Vec<usize>, ExprId), Id> = FxHashMap::default();
    let (mut equations, mut pairs) = (Vec::new(), Vec::new());
    for id in by_distance(terms, &known) {
        if forms.exprs.work > MAX_WORK {
            break;
        }
        let form = forms.of_term(terms, id, &known);
        if let Some(class) = forms.cut_class(terms, id, &form, &known)
            && let Some(elements) = forms.elements(&form)
        {
            forms.cut_values.entry(elements).or_insert(class);
        }
        let ty = terms.analysis.add_type(&form.ty);
        match first.get(&(ty, form.element)) {
            Some(&other) => equations.push((other, id)),
            None => {
                first.insert((ty, form.element), id);
                if let Some(elements) = forms.elements(&form) {
                    match first_with_elements.get(&elements) {
                        Some(&other) => pairs.push((other, id)),
                        None => drop(first_with_elements.insert(elements, id)),
                    }
                }
            }
        }
    }
    let changed = equations.into_iter().filter(|&(a, b)| terms.union_trusted(a, b, NORMAL_FORM)).count();
    terms.rebuild();
    let is_new = |(a, b): &(Id, Id)| {
        representatives.representative(terms.find(*a)) != representatives.representative(terms.find(*b))
    };
    pairs.retain(is_new);
    let has_pairs = !pairs.is_empty();
    same.pairs.extend(pairs);
    changed > 0 || has_pairs
}

/// Values that normal forms may not look through.
struct KnownValues<'a> {
    cut: Cut,
    representatives: &'a Representatives,
    /// Representatives of values that both programs have.
    shared: &'a FxHashSet<Id>,
}

impl KnownValues<'_> {
    /// Returns the representative of a term's e-class if both programs have its value.
    fn shared(&self, terms: &Terms, id: Id) -> Option<Id> {
        Some(self.representatives.representative(terms.find(id))).filter(|class| self.shared.contains(class))
    }
}

/// Returns the terms of global values in the order of their distance from values that both programs have: the number of
/// ops in between. The work is thus done where the programs begin to differ.
fn by_distance(terms: &Terms, known: &KnownValues<'_>) -> Vec<Id> {
    let mut distances: Vec<u32> = Vec::with_capacity(terms.nodes().len());
    for (id, node) in terms.nodes().iter().enumerate() {
        let of_args = node.args.iter().map(|&arg| distances[usize::from(arg)]).max().unwrap_or(0);
        let distance = match node.head {
            Head::Input(_) => 0,
            Head::Shards(_) => of_args,
            Head::Op { .. } if known.shared(terms, Id::from(id)).is_some() => 0,
            Head::Op { call, .. } if terms.analysis.call_at(call).kind.is_composite() => of_args + COMPOSITE_DISTANCE,
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
    /// Returns the normal form of a term of a global value.
    fn of_term(&mut self, terms: &mut Terms, id: Id, known: &KnownValues<'_>) -> TensorExpr {
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
                let args: Vec<TensorExpr> = node.args.iter().map(|&arg| self.of_operand(terms, arg, known)).collect();
                let before = self.exprs.work;
                let form = self.apply_call(&mut terms.analysis, call, &args)[out as usize].clone();
                if self.exprs.work - before <= MAX_TERM_WORK { form } else { self.cut(form, terms.find(id)) }
            }
            Head::Shards(_) => self.of_operand(terms, node.args[0], known),
        };
        self.known.insert(id, form.clone());
        form
    }

    /// Returns the normal form of an operand: an opaque tensor with the guards of the operand if the operand is cut.
    fn of_operand(&mut self, terms: &mut Terms, id: Id, known: &KnownValues<'_>) -> TensorExpr {
        let form = self.of_term(terms, id, known);
        match self.cut_class(terms, id, &form, known) {
            Some(class) => self.cut(form, class),
            None => form,
        }
    }

    /// Returns the representative of a term's e-class if normal forms do not look through its value.
    fn cut_class(&self, terms: &Terms, id: Id, form: &TensorExpr, known: &KnownValues<'_>) -> Option<Id> {
        let may_be_cut = match terms.id_to_node(id).head {
            Head::Op { call, .. } => known.cut.applies(&terms.analysis.call_at(call).kind),
            Head::Input(_) | Head::Shards(_) => false,
        };
        known
            .shared(terms, id)
            .filter(|_| may_be_cut && self.exprs.is_finite(form.element) && self.exprs.as_float(form.element).is_none())
    }

    /// Returns an opaque tensor with the boundedness and guards of the form of a value.
    fn cut(&mut self, form: TensorExpr, class: Id) -> TensorExpr {
        let guards = self.exprs.expr(form.element).guards.clone();
        let bounds = self.exprs.bounds(form.element);
        let element = self.element_of_class(&form.ty, class, bounds);
        TensorExpr { element: self.exprs.with_guards(element, guards), ..form }
    }

    /// Returns the form of a value within a decomposition: an opaque tensor if both programs have the value, and the
    /// normal forms of other values do not look through it.
    pub(super) fn within_decomposition(&mut self, kind: &OpKind, form: TensorExpr) -> TensorExpr {
        if self.cut_values.is_empty() || !Cut::Shared.applies(kind) {
            return form;
        }
        let class = self.elements(&form).and_then(|elements| self.cut_values.get(&elements).copied());
        match class {
            Some(class) => self.cut(form, class),
            None => form,
        }
    }

    /// Returns the element of a value that normal forms do not look through.
    fn element_of_class(&mut self, ty: &Type, class: Id, bounds: Boundedness) -> ExprId {
        let tensor = self.opaque_at(OpaqueTensor::Class(class), bounds);
        let dims = (0u32..).zip(ty.shape.iter()).filter(|(_, size)| **size != 1);
        let indices = dims.map(|(dim, &size)| Index::var(dim, size)).collect();
        self.exprs.from_factor(Domain::from_dtype(ty.dtype), Factor::Element(tensor, indices))
    }

    /// Returns the sizes of the dimensions of a tensor, and its element at a position along them, without dimensions of
    /// size 1.
    fn elements(&mut self, form: &TensorExpr) -> Option<(Vec<usize>, ExprId)> {
        let dims: Vec<(u32, usize)> =
            (0u32..).zip(form.ty.shape.iter().copied()).filter(|&(_, size)| size != 1).collect();
        let moved = (0u32..).zip(&dims).filter(|(to, (from, _))| to != from);
        let by = moved.map(|(to, &(from, size))| (from, Index::var(to, size))).collect();
        let element = self.exprs.substitute(form.element, &by)?;
        Some((dims.into_iter().map(|(_, size)| size).collect(), element))
    }
}
