//! Reading a program into terms.
//!
//! A program in form traced or planned is read op by op: its ops are those of whole values. In form explicit every
//! value has a layout, so that an op is known by what its operands are parts of. In form local the ops are those of one
//! device, and what they do to whole values must be found: of the ops that the original has, or the op itself, one that
//! comes to the same on pieces of that size. A value may be read in several ways (a constant lies anywhere), and in
//! none, where no op of whole values is found. Bodies of loops are read as well (`loops`).

mod loops;

use super::laws::{Law, collectives, layouts};
use super::place::{Parts, Place, factors_of, free_factors, moved, results};
use super::term::{Call, Head, Operands, Sort, Term, Terms};
use egg::Id;
use indexmap::IndexMap;
use partita_ir::arena::{Id as _, MeshId, OpId, ValueId};
use partita_ir::build::{Builder, Namer};
use partita_ir::class::Control;
use partita_ir::dtype::Type;
use partita_ir::flow;
use partita_ir::layout::{Layout, local_size};
use partita_ir::mesh::{Axes, AxisRef, Mesh};
use partita_ir::op::OpKind;
use partita_ir::ops::Fill;
use partita_ir::program::{Form, Op, Program, Values};
use partita_ir::rule::{FactorAxes, FactorId, Rule};
use smallvec::SmallVec;

/// In so many ways a value is read at most.
const MAX_READINGS: usize = 8;

/// So many combinations of readings of an op's operands are looked at.
const MAX_COMBINATIONS: usize = 256;

/// What enters a program, parameters by path and other inputs by name: its term, and its type.
pub type Entries = IndexMap<(Kind, String), (Id, Type)>;

/// How somebody outside knows what enters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// By its path in the model.
    Parameter,
    /// By its name.
    Input,
}

/// What an entry is known by.
fn port(program: &Program, value: ValueId) -> (Kind, String) {
    let kind = if program.param_of(value).is_some() { Kind::Parameter } else { Kind::Input };
    (kind, program.path_of(value).to_string())
}

/// The terms that each value was read as.
pub type Readings = Vec<SmallVec<[Id; 2]>>;

/// The entries of a program as terms.
pub fn entries(terms: &mut Terms, program: &Program) -> Entries {
    let inputs = program.inputs().iter();
    let entry = |&v: &ValueId| {
        let head = terms.analysis.entry(program.ty(v));
        (port(program, v), (terms.add_uncanonical(Term::leaf(head)), program.ty(v).clone()))
    };
    inputs.map(entry).collect()
}

/// Reads the main function of a program whose entries are known by those names.
pub fn read(terms: &mut Terms, program: &Program, entries: &Entries) -> Readings {
    let mut reader = Reader { terms, program, readings: vec![SmallVec::new(); program.values.len()] };
    for &input in program.inputs() {
        reader.enter(input, entries);
    }
    // entry only: bodies of loops are read when the loop is met
    for &op in program.funcs[program.entry()].ops() {
        reader.op(op);
    }
    // Values that are whole are not made equal to each other here, so that what is known of them is found without it.
    reader.terms.rebuild();
    reader.readings
}

/// Reads one program.
struct Reader<'a> {
    terms: &'a mut Terms,
    program: &'a Program,
    readings: Readings,
}

/// How an operand is read.
#[derive(Clone)]
struct Operand {
    term: Id,
    sort: Sort,
    place: Place,
}

impl Reader<'_> {
    fn is_whole_form(&self) -> bool {
        self.program.form <= Form::Planned
    }

    fn enter(&mut self, input: ValueId, entries: &Entries) {
        let value = &self.program.values[input];
        let Some((whole, ty)) = entries.get(&port(self.program, input)) else { return };
        if *ty != value.ty {
            return;
        }
        let term = match self.program.mesh() {
            Some((mesh, _)) if !self.is_whole_form() => {
                let place = match &value.layout {
                    Some(layout) => Place::of(layout, &ty.shape),
                    None => Place::whole(mesh, ty.shape.rank()),
                };
                // Buffers of what enters come with their padding zeroed.
                let dims = 0..ty.shape.rank();
                let place = dims.fold(place, |place, dim| place.filled(&ty.shape, dim, Fill::Zero));
                let place = self.terms.analysis.place(place);
                self.terms.add_uncanonical(Term::new(Head::Part(place), [*whole]))
            }
            _ => *whole,
        };
        self.readings[input.index()].push(term);
    }

    fn op(&mut self, id: OpId) {
        let op = &self.program.ops[id];
        if let Some(control) = op.kind.control() {
            let Control::Loop(looped) = control;
            return match self.program.mesh() {
                Some((mesh, _)) if !self.is_whole_form() => self.loop_on_parts(op, looped, mesh),
                _ => self.loop_on_wholes(op, looped),
            };
        }
        if op.kind.func().is_some() {
            return;
        }
        if self.is_whole_form() {
            return self.whole(op);
        }
        let Some((mesh, _)) = self.program.mesh() else { return };
        if self.pending_zero(op) {
            return;
        }
        if op.kind.names_axes() {
            for (&arg, &out) in op.args.iter().zip(&op.outs) {
                for operand in self.operands(arg) {
                    self.moved(op, &operand, out);
                }
            }
        } else {
            for operands in self.combinations(op) {
                self.split(op, &operands, mesh);
            }
        }
    }

    /// Reads a constant of zeros that is said to be pending; whether it is one.
    fn pending_zero(&mut self, op: &Op) -> bool {
        let &[out] = &op.outs[..] else { return false };
        let value = &self.program.values[out];
        let call = Call { kind: op.kind.clone(), outs: vec![value.ty.clone()] };
        let Some(layout) = value.layout.as_ref().filter(|layout| call.is_zero() && !layout.pending.is_empty()) else {
            return false;
        };
        let place = Place::of(layout, &value.ty.shape);
        let place = Some(self.terms.analysis.place(place));
        let call = self.terms.analysis.call(call);
        self.note(out, Term::leaf(Head::Op { call, out: 0, place }), &layouts::ZERO);
        true
    }

    /// Reads an op on whole values.
    fn whole(&mut self, op: &Op) {
        if op.kind.is_inserted() {
            return;
        }
        let Some(args) =
            op.args.iter().map(|arg| self.readings[arg.index()].first().copied()).collect::<Option<Vec<Id>>>()
        else {
            return;
        };
        if op.kind.class().states_layout()
            && let (&[arg], &[out]) = (&args[..], &op.outs[..])
        {
            return self.readings[out.index()].push(arg);
        }
        let outs = op.outs.iter().map(|&v| self.program.ty(v).clone()).collect();
        let call = self.terms.analysis.call(Call { kind: op.kind.clone(), outs });
        for (out, &value) in (0u32..).zip(&op.outs) {
            let term = Term::new(Head::Op { call, out, place: None }, args.iter().copied());
            self.readings[value.index()].push(self.terms.add_uncanonical(term));
        }
    }

    /// How a value was read, with its places.
    fn operands(&self, value: ValueId) -> Vec<Operand> {
        let known = self.readings[value.index()].iter().filter_map(|&term| {
            let sort = self.terms[term].data;
            Some(Operand { term, sort, place: self.terms.analysis.place_at(sort.place?).clone() })
        });
        known.collect()
    }

    /// Every choice of readings for all operands.
    fn combinations(&self, op: &Op) -> Vec<Vec<Operand>> {
        let mut all: Vec<Vec<Operand>> = vec![Vec::new()];
        for &arg in &op.args {
            let readings = self.operands(arg);
            let longer = all
                .iter()
                .flat_map(|some| readings.iter().map(move |one| some.iter().cloned().chain([one.clone()]).collect()));
            all = longer.take(MAX_COMBINATIONS).collect();
        }
        all
    }

    /// Notes a reading, and makes it equal to what the law says.
    fn note(&mut self, value: ValueId, term: Term, law: &Law) {
        let place = match term.head {
            Head::Op { place, .. } => place.map(|at| self.terms.analysis.place_at(at)),
            Head::Entry(_) | Head::Part(_) => None,
        };
        let declared = &self.program.values[value];
        if let (Some(layout), Some(place)) = (&declared.layout, place)
            && Place::of(layout, &declared.ty.shape).layout != place.layout
        {
            return;
        }
        let term = self.terms.add_uncanonical(term);
        law.apply(self.terms, term);
        let known = &self.readings[value.index()];
        let is_new = known.iter().all(|&k| self.terms.find(k) != self.terms.find(term));
        if is_new && known.len() < MAX_READINGS && self.terms[term].data.whole.is_some() {
            self.readings[value.index()].push(term);
        }
    }

    /// Reads an op that takes a part to another place, or overwrites its padding.
    fn moved(&mut self, op: &Op, operand: &Operand, out: ValueId) {
        let ty = self.terms.analysis.type_at(operand.sort.ty).clone();
        let law = [&layouts::MASK].into_iter().chain(collectives::LAWS).find(|law| law.name == op.kind.name());
        let (Some(law), Some(to)) = (law, moved(&op.kind, &ty.shape, &operand.place)) else { return };
        // On one device, pieces of uneven dimensions are padded and trimmed around collectives, which is not read.
        let changed = |&dim: &usize| to.layout.dims[dim] != operand.place.layout.dims[dim];
        let uneven = |dim: usize| to.is_uneven(&ty.shape, dim) || operand.place.is_uneven(&ty.shape, dim);
        let on_device = self.program.form == Form::Local;
        if on_device && (0..ty.shape.rank()).filter(changed).any(uneven) {
            return;
        }
        if to.local(&ty) != self.program.values[out].local_type() {
            return;
        }
        let call = self.terms.analysis.call(Call { kind: op.kind.clone(), outs: vec![ty] });
        let place = Some(self.terms.analysis.place(to));
        self.note(out, Term::new(Head::Op { call, out: 0, place }, [operand.term]), law);
    }

    /// Reads an op on parts.
    fn split(&mut self, op: &Op, operands: &[Operand], mesh: MeshId) {
        let Some(wholes) = operands.iter().map(|o| o.sort.whole).collect::<Option<Vec<Id>>>() else { return };
        let types: Vec<Type> = operands.iter().map(|o| self.terms.analysis.type_at(o.sort.ty).clone()).collect();
        let types: Vec<&Type> = types.iter().collect();
        let places: Vec<&Place> = operands.iter().map(|o| &o.place).collect();
        let args = Parts { types: &types, places: &places };
        for call in self.candidates(op, &types, &wholes) {
            let Call { kind, outs } = self.terms.analysis.call_at(call).clone();
            let rule = kind.rule(&types, &outs.iter().collect::<Vec<_>>());
            let Some(factors) = factors_of(&rule, &places) else { continue };
            for factors in self.completed(op, &rule, factors) {
                let left = results(&rule, &factors, &args, &outs, mesh);
                let (left, terms) = match left {
                    Some(left) => (left, operands.iter().map(|o| o.term).collect()),
                    None => match self.with_zeros(operands, &rule, &factors, &types, &outs, mesh) {
                        Some(found) => found,
                        None => continue,
                    },
                };
                if !self.is_op(op, &kind, &args, &outs, &left) {
                    continue;
                }
                for ((out, &value), place) in (0u32..).zip(&op.outs).zip(left) {
                    let place = Some(self.terms.analysis.place(place));
                    let term = Term::new(Head::Op { call, out, place }, terms.iter().copied());
                    self.note(value, term, &layouts::SPLIT);
                }
            }
        }
    }

    /// Where an op leaves its results when those of its operands that are zero are as good as pending, and its operands
    /// then.
    fn with_zeros(
        &mut self,
        operands: &[Operand],
        rule: &Rule,
        factors: &FactorAxes,
        types: &[&Type],
        outs: &[Type],
        mesh: MeshId,
    ) -> Option<(Vec<Place>, Operands)> {
        let flowing = operands.iter().flat_map(|o| o.place.layout.pending.iter().copied());
        let pending = flow::normal(rule.pending(factors).into_iter().chain(flowing));
        let mut pended: Vec<Operand> = operands.to_vec();
        for (operand, ty) in pended.iter_mut().zip(types) {
            let Some(call) = self.zero(operand.sort.whole?) else { continue };
            let layout = Layout { pending: pending.iter().copied().collect(), ..operand.place.layout.clone() };
            operand.place = Place::of(&layout, &ty.shape);
            let place = Some(self.terms.analysis.place(operand.place.clone()));
            operand.term = self.terms.add_uncanonical(Term::leaf(Head::Op { call, out: 0, place }));
            layouts::ZERO.apply(self.terms, operand.term);
        }
        let places: Vec<&Place> = pended.iter().map(|o| &o.place).collect();
        let left = results(rule, factors, &Parts { types, places: &places }, outs, mesh)?;
        Some((left, pended.iter().map(|o| o.term).collect()))
    }

    /// The op of a value that is zero everywhere.
    fn zero(&self, whole: Id) -> Option<u32> {
        self.terms[whole].iter().find_map(|node| match node.head {
            Head::Op { call, place: None, .. } if self.terms.analysis.call_at(call).is_zero() => Some(call),
            _ => None,
        })
    }

    /// The ops of whole values that an op may be: those that are known of these operands; if there are none, the op
    /// itself.
    fn candidates(&mut self, op: &Op, types: &[&Type], wholes: &[Id]) -> Vec<u32> {
        let outs: Vec<Type> = op.outs.iter().map(|&v| self.program.ty(v).clone()).collect();
        if self.program.form == Form::Explicit {
            return vec![self.terms.analysis.call(Call { kind: op.kind.clone(), outs })];
        }
        let same_dtypes = |call: &Call| {
            call.outs.len() == outs.len()
                && call.outs.iter().zip(&outs).all(|(a, b)| a.dtype == b.dtype && a.shape.rank() == b.shape.rank())
        };
        let canonical: Vec<Id> = wholes.iter().map(|&whole| self.terms.find(whole)).collect();
        let known: Vec<u32> = self.terms.analysis.calls_like(&op.kind).to_vec();
        let known = known.into_iter().filter(|&call| {
            let term = Term::new(Head::Op { call, out: 0, place: None }, canonical.iter().copied());
            same_dtypes(self.terms.analysis.call_at(call)) && self.terms.lookup(term).is_some()
        });
        let known: Vec<u32> = known.collect();
        if !known.is_empty() {
            return known;
        }
        match op.kind.infer(self.program, types, &[]) {
            Ok(outs) => vec![self.terms.analysis.call(Call { kind: op.kind.clone(), outs: outs.into_vec() })],
            Err(_) => Vec::new(),
        }
    }

    /// Axes for the factors that no operand has: those that cut the results into pieces of the size that they have.
    fn completed(&self, op: &Op, rule: &Rule, factors: FactorAxes) -> Vec<FactorAxes> {
        let Some((_, mesh)) = self.program.mesh() else { return Vec::new() };
        let mut all = vec![factors];
        for id in free_factors(rule) {
            let options = self.options(op, rule, id, mesh);
            let longer = all.iter().flat_map(|factors| {
                options.iter().map(move |axes| {
                    let mut factors = factors.clone();
                    factors[id.0 as usize] = axes.clone();
                    factors
                })
            });
            all = longer.take(MAX_COMBINATIONS).collect();
        }
        all
    }

    /// The ways to cut a factor that only results have.
    fn options(&self, op: &Op, rule: &Rule, id: FactorId, mesh: &Mesh) -> Vec<Axes> {
        let alone = rule.outs.iter().zip(&op.outs).find_map(|(map, &value)| {
            let dim = map.iter().position(|dim| dim[..] == [id])?;
            Some((self.program.values[value].local_shape()[dim], self.declared(value, dim)))
        });
        let Some((local, declared)) = alone else { return vec![Axes::new()] };
        let size = rule.factors[id.0 as usize].size;
        if let Some(axes) = declared {
            return vec![axes];
        }
        let mut options = vec![Axes::new()];
        let mut at = 0;
        while let Some(axes) = options.get(at).cloned().filter(|_| options.len() < MAX_COMBINATIONS) {
            for axis in mesh.axis_ids().map(|axis| AxisRef::whole(mesh, axis)).filter(|axis| axis.size > 1) {
                if !axes.contains(&axis) && local_size(size, &axes) > local {
                    options.push(axes.iter().copied().chain([axis]).collect());
                }
            }
            at += 1;
        }
        options.retain(|axes| local_size(size, axes) == local);
        options
    }

    fn declared(&self, value: ValueId, dim: usize) -> Option<Axes> {
        Some(self.program.values[value].layout.as_ref()?.dims.get(dim)?.axes.clone())
    }

    /// Whether an op on whole values comes to that op on a device's pieces.
    fn is_op(&self, op: &Op, kind: &OpKind, args: &Parts<'_>, outs: &[Type], left: &[Place]) -> bool {
        let local_outs: Vec<Type> = left.iter().zip(outs).map(|(place, ty)| place.local(ty)).collect();
        let given = op.outs.iter().map(|&v| self.program.values[v].local_type());
        if !given.eq(local_outs.iter().cloned()) {
            return false;
        }
        if self.program.form == Form::Explicit {
            return true;
        }
        let local_args: Vec<Type> = args.places.iter().zip(args.types).map(|(place, ty)| place.local(ty)).collect();
        let is_cut = left.iter().any(|place| place.layout.split_axes().next().is_some());
        if is_cut && self.knows_where(kind, &local_args, &local_outs, outs, left) {
            return false;
        }
        let local_args: Vec<&Type> = local_args.iter().collect();
        kind.shrink(args.types, &local_args, &local_outs.iter().collect::<Vec<_>>()) == op.kind
    }

    /// Whether what an op computes on a piece depends on where the piece begins.
    fn knows_where(&self, kind: &OpKind, args: &[Type], local: &[Type], outs: &[Type], left: &[Place]) -> bool {
        let ([local], [out], [place]) = (local, outs, left) else { return false };
        let mut scratch = Program::default();
        scratch.meshes.clone_from(&self.program.meshes);
        let inputs: Values = args.iter().map(|ty| scratch.input("x", ty.clone())).collect();
        let mut names = Namer::default();
        let pieces: Vec<(usize, Axes)> = out.shape.iter().copied().zip(place.layout.dim_axes().cloned()).collect();
        let mut builder = Builder::new(&mut scratch, &mut names);
        kind.interfaces().positional.is_some_and(|op| op.at_piece(&mut builder, &inputs, &pieces, local).is_some())
    }
}
