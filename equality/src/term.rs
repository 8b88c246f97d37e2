//! Terms of the e-graph, and the analysis data of e-classes.
//!
//! Heads of terms are small: ops with their attributes, placements and types are interned by [`TermAnalysis`], which is
//! part of every e-graph.

use super::placement::Placement;
use egg::{Analysis, DidMerge, EGraph, Id, Language};
use indexmap::IndexSet;
use partita_ir::dtype::Type;
use partita_ir::mesh::DeviceMesh;
use partita_ir::op::OpKind;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::fmt;

/// E-graph of terms.
pub type Terms = EGraph<Term, TermAnalysis>;

/// Operands of a term.
pub type Operands = SmallVec<[Id; 3]>;

/// Global value, or the shards of a value on the devices of a mesh.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Term {
    /// Head: the operator.
    pub head: Head,
    /// Operands as e-classes.
    pub args: Operands,
}

/// Operator of a term, without its operands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Head {
    /// Input of the program or of a loop body as a global value, by its index in [`TermAnalysis`].
    Input(u32),
    /// Result of an op on global values or, with a placement, on shards.
    Op {
        /// Index of the op, see [`TermAnalysis::call_at`].
        call: u32,
        /// Index of the result.
        out: u32,
        /// Index of the result's placement; `None` for a global value.
        placement: Option<u32>,
    },
    /// Shards of a global value with the placement of that index.
    Shards(u32),
}

impl Term {
    /// Returns a term without operands.
    pub fn leaf(head: Head) -> Term {
        Term { head, args: Operands::new() }
    }

    /// Returns a term with operands.
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

/// Op with its result types as global values, without its operands.
#[derive(Clone, PartialEq, Debug)]
pub struct Call {
    /// Op on global values.
    pub kind: OpKind,
    /// Types of the results as global values.
    pub outs: Vec<Type>,
}

impl Call {
    /// Returns true if the op is a constant of zeros.
    pub fn is_zero(&self) -> bool {
        self.kind.splat().is_some_and(|x| x.is_zero())
    }
}

/// Body of a loop, with fresh values as its inputs.
#[derive(Clone, Debug)]
pub struct LoopBody {
    /// Inputs of the body.
    pub inputs: Operands,
    /// Outputs of the body.
    pub outputs: Operands,
    /// Operands of the loops with this body, one list per loop.
    pub args: Vec<Operands>,
}

/// Analysis data of an e-class: properties that all its terms share.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClassData {
    /// Index of the type of the global value, see [`TermAnalysis::type_at`].
    pub ty: u32,
    /// Index of the placement, see [`TermAnalysis::placement_at`]; `None` for a global value.
    pub placement: Option<u32>,
    /// Global value of shards, if it has been found.
    pub global: Option<Id>,
}

/// Interned ops, placements and types of terms, and the analysis of e-classes.
#[derive(Clone, Default, Debug)]
pub struct TermAnalysis {
    /// Mesh of the devices; `None` if all terms are global values.
    pub mesh: Option<DeviceMesh>,
    calls: Vec<Call>,
    calls_by_name: FxHashMap<&'static str, Vec<u32>>,
    placements: IndexSet<Placement, FxBuildHasher>,
    types: IndexSet<Type, FxBuildHasher>,
    inputs: Vec<u32>,
    /// Inputs of reducers and comparators, by their types.
    function_inputs: FxHashMap<Vec<Type>, Vec<Head>>,
    /// Reducers and comparators: types of the inputs, and outputs.
    functions: Vec<(Vec<Type>, Operands)>,
    /// Bodies of loops on global values, by index of the loop.
    bodies: FxHashMap<u32, LoopBody>,
    /// Loops whose body preserves the placements of the carried values, with these placements.
    invariant_loops: FxHashSet<(u32, Vec<u32>)>,
    /// Description of two terms that a law made equal although they differ in type or placement: a bug.
    pub broken: Option<String>,
}

impl TermAnalysis {
    /// Returns an empty analysis for a mesh.
    pub fn with_mesh(mesh: Option<DeviceMesh>) -> TermAnalysis {
        TermAnalysis { mesh, ..TermAnalysis::default() }
    }

    /// Interns an op and returns its index.
    pub fn add_call(&mut self, call: Call) -> u32 {
        let known = self.calls_by_name.entry(call.kind.family()).or_default();
        if let Some(&hit) = known.iter().find(|&&at| self.calls[at as usize] == call) {
            return hit;
        }
        let at = self.calls.len() as u32;
        known.push(at);
        self.calls.push(call);
        at
    }

    /// Returns the op with that index.
    pub fn call_at(&self, at: u32) -> &Call {
        &self.calls[at as usize]
    }

    /// Adds a loop on global values and returns its index. Loops are not interned: equal loops of two programs have
    /// separate bodies.
    pub fn add_loop(&mut self, call: Call, body: LoopBody) -> u32 {
        let at = self.calls.len() as u32;
        self.calls_by_name.entry(call.kind.family()).or_default().push(at);
        self.calls.push(call);
        self.bodies.insert(at, body);
        at
    }

    /// Returns the body of a loop on global values.
    pub fn body(&self, call: u32) -> Option<&LoopBody> {
        self.bodies.get(&call)
    }

    /// Records the operands of a loop.
    pub fn add_loop_args(&mut self, call: u32, args: Operands) {
        if let Some(body) = self.bodies.get_mut(&call).filter(|body| !body.args.contains(&args)) {
            body.args.push(args);
        }
    }

    /// Records that the body of a loop preserves these placements of the carried values.
    pub fn add_invariant_loop(&mut self, call: u32, placements: Vec<u32>) {
        self.invariant_loops.insert((call, placements));
    }

    /// Returns true if the loop's body preserves these placements.
    pub fn is_invariant_loop(&self, call: u32, placements: &[u32]) -> bool {
        self.invariant_loops.contains(&(call, placements.to_vec()))
    }

    /// Returns the number of ops.
    pub fn call_count(&self) -> u32 {
        self.calls.len() as u32
    }

    /// Returns the inputs that all reducers and comparators with these operand types share.
    pub fn function_inputs(&mut self, types: &[Type]) -> Vec<Head> {
        if let Some(known) = self.function_inputs.get(types) {
            return known.clone();
        }
        let heads: Vec<Head> = types.iter().map(|ty| self.add_input(ty)).collect();
        self.function_inputs.insert(types.to_vec(), heads.clone());
        heads
    }

    /// Adds a reducer or comparator and returns its index.
    pub fn add_function(&mut self, types: Vec<Type>, outputs: Operands) -> usize {
        self.functions.push((types, outputs));
        self.functions.len() - 1
    }

    /// Returns the reducers and comparators: types of the inputs, and outputs.
    pub fn functions(&self) -> &[(Vec<Type>, Operands)] {
        &self.functions
    }

    /// Returns the ops of a family, in the order of their insertion.
    pub fn calls_of_family(&self, kind: &OpKind) -> &[u32] {
        self.calls_by_name.get(kind.family()).map_or(&[], |calls| &calls[..])
    }

    /// Interns a placement and returns its index.
    pub fn add_placement(&mut self, placement: Placement) -> u32 {
        self.placements.insert_full(placement).0 as u32
    }

    /// Returns the placement with that index.
    pub fn placement_at(&self, at: u32) -> &Placement {
        &self.placements[at as usize]
    }

    /// Interns a type and returns its index.
    pub fn add_type(&mut self, ty: &Type) -> u32 {
        match self.types.get_index_of(ty) {
            Some(at) => at as u32,
            None => self.types.insert_full(ty.clone()).0 as u32,
        }
    }

    /// Returns the type with that index.
    pub fn type_at(&self, at: u32) -> &Type {
        &self.types[at as usize]
    }

    /// Adds an input and returns its head.
    pub fn add_input(&mut self, ty: &Type) -> Head {
        let ty = self.add_type(ty);
        self.inputs.push(ty);
        Head::Input(self.inputs.len() as u32 - 1)
    }

    /// Formats the type and placement of an e-class as in program text.
    pub fn describe(&self, data: &ClassData) -> String {
        let ty = self.type_at(data.ty);
        match (data.placement, &self.mesh) {
            (Some(placement), Some(mesh)) => self.placement_at(placement).describe(ty, mesh),
            _ => ty.to_string(),
        }
    }
}

impl Analysis<Term> for TermAnalysis {
    type Data = ClassData;

    fn make(terms: &mut Terms, term: &Term, _: Id) -> ClassData {
        match term.head {
            Head::Input(at) => ClassData { ty: terms.analysis.inputs[at as usize], placement: None, global: None },
            Head::Op { call, out, placement } => {
                let ty = terms.analysis.calls[call as usize].outs[out as usize].clone();
                ClassData { ty: terms.analysis.add_type(&ty), placement, global: None }
            }
            Head::Shards(placement) => {
                ClassData { placement: Some(placement), global: Some(term.args[0]), ..terms[term.args[0]].data }
            }
        }
    }

    fn merge(&mut self, a: &mut ClassData, b: ClassData) -> DidMerge {
        if (a.ty, a.placement) != (b.ty, b.placement) && self.broken.is_none() {
            self.broken = Some(format!("{} was made equal to {}", self.describe(a), self.describe(&b)));
        }
        let gained = a.global.is_none() && b.global.is_some();
        let lost = a.global.is_some() && b.global.is_none();
        a.global = a.global.or(b.global);
        DidMerge(gained, lost)
    }
}
