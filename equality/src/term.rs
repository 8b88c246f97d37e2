//! Terms, and what an e-class knows about all of its terms.
//!
//! A term's head is small: ops with their attributes, places and types are numbered by [`Meaning`], which every e-graph
//! carries along.

use super::place::Place;
use egg::{Analysis, DidMerge, EGraph, Id, Language};
use indexmap::IndexSet;
use partita_ir::dtype::Type;
use partita_ir::mesh::Mesh;
use partita_ir::op::OpKind;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::fmt;

/// The e-graph of terms.
pub type Terms = EGraph<Term, Meaning>;

/// Operands of a term.
pub type Operands = SmallVec<[Id; 3]>;

/// A value on one device, or what the devices of a mesh have of it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Term {
    /// What it is.
    pub head: Head,
    /// Of what.
    pub args: Operands,
}

/// What a term is, but for its operands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Head {
    /// What enters the program under that number, whole.
    Entry(u32),
    /// One result of an op: on one device, or on parts, which leaves it at a place.
    Op {
        /// Which op, by [`Meaning::call`].
        call: u32,
        /// Which of its results.
        out: u32,
        /// Where that lies; `None` on one device.
        place: Option<u32>,
    },
    /// The part of a whole value that devices have at that place.
    Part(u32),
}

impl Term {
    /// A term without operands.
    pub fn leaf(head: Head) -> Term {
        Term { head, args: Operands::new() }
    }

    /// A term with those operands.
    pub fn new(head: Head, args: impl IntoIterator<Item = Id>) -> Term {
        Term { head, args: args.into_iter().collect() }
    }
}

impl Language for Term {
    type Discriminant = Head;
    fn discriminant(&self) -> Head {
        self.head
    }
    fn matches(&self, other: &Term) -> bool {
        self.head == other.head && self.args.len() == other.args.len()
    }
    fn children(&self) -> &[Id] {
        &self.args
    }
    fn children_mut(&mut self) -> &mut [Id] {
        &mut self.args
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.head)
    }
}

/// An op, but for its operands: what it does, on values of which types all of its results would be whole.
#[derive(Clone, PartialEq, Debug)]
pub struct Call {
    /// What it does to whole values.
    pub kind: OpKind,
    /// Types of its results on one device.
    pub outs: Vec<Type>,
}

impl Call {
    /// Whether it is a constant of zeros.
    pub fn is_zero(&self) -> bool {
        self.kind.splat().is_some_and(|x| x.is_zero())
    }
}

/// The body of a loop, on values that stand for any.
#[derive(Clone, Debug)]
pub struct Body {
    /// These values.
    pub takes: Operands,
    /// What it makes of them.
    pub gives: Operands,
    /// What enters the loops that have it, one list for each.
    pub args: Vec<Operands>,
}

/// What all terms of an e-class have in common.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sort {
    /// The type of the whole value, by [`Meaning::ty`].
    pub ty: u32,
    /// Where it lies, by [`Meaning::place`]; `None` on one device.
    pub place: Option<u32>,
    /// Of a part: the whole, once that is known.
    pub whole: Option<Id>,
}

/// What terms refer to by number, and the analysis of e-classes.
#[derive(Clone, Default, Debug)]
pub struct Meaning {
    /// The devices; `None` where all terms are on one.
    pub mesh: Option<Mesh>,
    calls: Vec<Call>,
    calls_by_name: FxHashMap<&'static str, Vec<u32>>,
    places: IndexSet<Place, FxBuildHasher>,
    types: IndexSet<Type, FxBuildHasher>,
    entries: Vec<u32>,
    /// By loop of whole values, its body.
    bodies: FxHashMap<u32, Body>,
    /// Loops that take parts to parts of what the loop of whole values makes, with the places of what they carry.
    shown: FxHashSet<(u32, Vec<u32>)>,
    /// Two terms that a law made equal though they differ in type or place: our bug.
    pub broken: Option<String>,
}

impl Meaning {
    /// Knows nothing yet but the devices.
    pub fn on(mesh: Option<Mesh>) -> Meaning {
        Meaning { mesh, ..Meaning::default() }
    }

    /// The number of an op.
    pub fn call(&mut self, call: Call) -> u32 {
        let known = self.calls_by_name.entry(call.kind.family()).or_default();
        if let Some(&hit) = known.iter().find(|&&at| self.calls[at as usize] == call) {
            return hit;
        }
        let at = self.calls.len() as u32;
        known.push(at);
        self.calls.push(call);
        at
    }

    /// The op of that number.
    pub fn call_at(&self, at: u32) -> &Call {
        &self.calls[at as usize]
    }

    /// The number of a loop of whole values, which is another one than all that are known: equal ones of two programs
    /// have bodies of their own.
    pub fn looped(&mut self, call: Call, body: Body) -> u32 {
        let at = self.calls.len() as u32;
        self.calls_by_name.entry(call.kind.family()).or_default().push(at);
        self.calls.push(call);
        self.bodies.insert(at, body);
        at
    }

    /// The body of a loop of whole values.
    pub fn body(&self, call: u32) -> Option<&Body> {
        self.bodies.get(&call)
    }

    /// Notes that those values enter a loop.
    pub fn enters(&mut self, call: u32, args: Operands) {
        if let Some(body) = self.bodies.get_mut(&call).filter(|body| !body.args.contains(&args)) {
            body.args.push(args);
        }
    }

    /// Notes that a loop leaves what it carries at those places where it takes it there.
    pub fn shows(&mut self, call: u32, places: Vec<u32>) {
        self.shown.insert((call, places));
    }

    /// Whether that was noted.
    pub fn is_shown(&self, call: u32, places: &[u32]) -> bool {
        self.shown.contains(&(call, places.to_vec()))
    }

    /// The ops of a family, in the order in which they were met.
    pub fn calls_like(&self, kind: &OpKind) -> &[u32] {
        self.calls_by_name.get(kind.family()).map_or(&[], |calls| &calls[..])
    }

    /// The number of a place.
    pub fn place(&mut self, place: Place) -> u32 {
        self.places.insert_full(place).0 as u32
    }

    /// The place of that number.
    pub fn place_at(&self, at: u32) -> &Place {
        &self.places[at as usize]
    }

    /// The number of a type.
    pub fn ty(&mut self, ty: &Type) -> u32 {
        match self.types.get_index_of(ty) {
            Some(at) => at as u32,
            None => self.types.insert_full(ty.clone()).0 as u32,
        }
    }

    /// The type of that number.
    pub fn type_at(&self, at: u32) -> &Type {
        &self.types[at as usize]
    }

    /// One more value that enters.
    pub fn entry(&mut self, ty: &Type) -> Head {
        let ty = self.ty(ty);
        self.entries.push(ty);
        Head::Entry(self.entries.len() as u32 - 1)
    }

    /// What terms of a sort are, as a type of program text.
    pub fn describe(&self, sort: &Sort) -> String {
        let ty = self.type_at(sort.ty);
        match (sort.place, &self.mesh) {
            (Some(place), Some(mesh)) => self.place_at(place).describe(ty, mesh),
            _ => ty.to_string(),
        }
    }
}

impl Analysis<Term> for Meaning {
    type Data = Sort;

    fn make(terms: &mut Terms, term: &Term, _: Id) -> Sort {
        match term.head {
            Head::Entry(at) => Sort { ty: terms.analysis.entries[at as usize], place: None, whole: None },
            Head::Op { call, out, place } => {
                let ty = terms.analysis.calls[call as usize].outs[out as usize].clone();
                Sort { ty: terms.analysis.ty(&ty), place, whole: None }
            }
            Head::Part(place) => Sort { place: Some(place), whole: Some(term.args[0]), ..terms[term.args[0]].data },
        }
    }

    fn merge(&mut self, a: &mut Sort, b: Sort) -> DidMerge {
        if (a.ty, a.place) != (b.ty, b.place) && self.broken.is_none() {
            self.broken = Some(format!("{} was made equal to {}", self.describe(a), self.describe(&b)));
        }
        let gained = a.whole.is_none() && b.whole.is_some();
        let lost = a.whole.is_some() && b.whole.is_none();
        a.whole = a.whole.or(b.whole);
        DidMerge(gained, lost)
    }
}
