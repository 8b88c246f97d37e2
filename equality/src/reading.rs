//! Translation of programs to terms.
//!
//! A traced or planned program is translated op by op, since its ops are on global values. In an explicit program every
//! value has a layout, so that an op is determined by the global values of its operands. The ops of a local program are
//! on shards, and the corresponding ops on global values must be found: the reader tries the ops of the original, or
//! else the op itself, and selects those that match the shard sizes. A value may have several terms (a constant is
//! valid with any placement), or none if no global op matches. Bodies of loops are translated by the module `loops`,
//! reducers and comparators by `functions`, shards of `iota` by `positional`, indices into shards by `indices`, and
//! collectives by `moves`. The ops that are tried are in `candidates`.

mod axis_hints;
mod candidates;
mod functions;
mod indices;
mod loops;
mod moves;
mod positional;

use self::axis_hints::AxisHints;
use self::indices::Shift;
use super::laws::{Law, layouts};
use super::placement::{Placement, ShardedOperands, factors_without_operands, operand_factor_axes, result_placements};
use super::term::{Call, ClassData, Head, Operands, Term, Terms};
use egg::Id;
use indexmap::IndexMap;
use partita_ir::arena::{Id as _, MeshId, OpId, ValueId};
use partita_ir::build::{Builder, Namer};
use partita_ir::class::Control;
use partita_ir::dtype::Type;
use partita_ir::layout::{Layout, local_size};
use partita_ir::layout_semantics;
use partita_ir::mesh::{Axes, AxisRef, DeviceMesh};
use partita_ir::op::OpKind;
use partita_ir::ops::Fill;
use partita_ir::program::{Form, Op, Program, Values};
use partita_ir::rule::{FactorAxes, FactorId, Rule};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Maximum number of terms of a value. Further terms are dropped.
const MAX_READINGS: usize = 8;

/// Maximum number of combinations of terms of an op's operands, and of candidate axes. Further combinations are
/// dropped.
const MAX_COMBINATIONS: usize = 256;

/// Inputs of a program with their terms and types: parameters by path, other inputs by name.
pub type Entries = IndexMap<(InputKind, String), (Id, Type)>;

/// Kind of an input.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum InputKind {
    /// Parameter, identified by its path in the model.
    Parameter,
    /// Input, identified by its name.
    Input,
}

/// Returns the kind and name by which an input of two programs is matched.
fn input_identity(program: &Program, value: ValueId) -> (InputKind, String) {
    let kind = if program.param_of(value).is_some() { InputKind::Parameter } else { InputKind::Input };
    (kind, program.path_of(value).to_string())
}

/// Terms of each value, indexed by value.
pub type Readings = Vec<SmallVec<[Id; 2]>>;

/// Adds the inputs of a program to the e-graph.
pub fn add_inputs(terms: &mut Terms, program: &Program) -> Entries {
    let inputs = program.inputs().iter();
    let entry = |&v: &ValueId| {
        let head = terms.analysis.add_input(program.ty(v));
        (input_identity(program, v), (terms.add_uncanonical(Term::leaf(head)), program.ty(v).clone()))
    };
    inputs.map(entry).collect()
}

/// Translates the main function of a program, whose inputs are identified with `entries`.
pub fn read_program(terms: &mut Terms, program: &Program, entries: &Entries) -> Readings {
    let mut reader = Reader {
        terms,
        program,
        readings: vec![SmallVec::new(); program.values.len()],
        hints: AxisHints::from_program(program),
        defs: program.funcs.values().flat_map(|func| positional::definitions(program, func.ops())).collect(),
    };
    for &input in program.inputs() {
        reader.read_input(input, entries);
    }
    // entry only: bodies of loops are translated together with their loop
    for &op in program.funcs[program.entry()].ops() {
        reader.read_op(op);
    }
    // Equalities of global values are left to saturation, so that simple proofs need no algebraic laws.
    reader.terms.rebuild();
    reader.readings
}

/// Translator of one program.
struct Reader<'a> {
    terms: &'a mut Terms,
    program: &'a Program,
    readings: Readings,
    hints: AxisHints,
    /// Op that defines each value.
    defs: FxHashMap<ValueId, OpId>,
}

/// Op on shards.
struct OpOnShards<'a> {
    op: &'a Op,
    /// Kind, with the index of its function in the e-graph.
    kind: &'a OpKind,
    /// Differences of the op's indices from global ones.
    shifts: &'a [Shift],
}

/// Term of an operand with its analysis data and placement.
#[derive(Clone)]
struct Operand {
    term: Id,
    data: ClassData,
    placement: Placement,
}

impl Reader<'_> {
    fn is_global_form(&self) -> bool {
        self.program.form <= Form::Planned
    }

    fn read_input(&mut self, input: ValueId, entries: &Entries) {
        let value = &self.program.values[input];
        let (kind, name) = input_identity(self.program, input);
        let other_kind = match kind {
            InputKind::Parameter => InputKind::Input,
            InputKind::Input => InputKind::Parameter,
        };
        let has_both = self.program.inputs().iter().filter(|&&other| self.program.path_of(other) == name).count() > 1;
        // Inputs of an imported step become parameters when the step is divided into micro-batches.
        let renamed = || entries.get(&(other_kind, name.clone())).filter(|_| !has_both);
        let Some((global, ty)) = entries.get(&(kind, name.clone())).or_else(renamed) else { return };
        if *ty != value.ty {
            return;
        }
        let term = match self.program.mesh() {
            Some((mesh, _)) if !self.is_global_form() => {
                let placement = match &value.layout {
                    Some(layout) => Placement::from_layout(layout, &ty.shape),
                    None => Placement::replicated(mesh, ty.shape.rank()),
                };
                // Buffers of inputs have zeros in their padding.
                let dims = 0..ty.shape.rank();
                let placement =
                    dims.fold(placement, |placement, dim| placement.with_padding(&ty.shape, dim, Fill::Zero));
                let placement = self.terms.analysis.add_placement(placement);
                self.terms.add_uncanonical(Term::new(Head::Shards(placement), [*global]))
            }
            _ => *global,
        };
        self.readings[input.index()].push(term);
    }

    fn read_op(&mut self, id: OpId) {
        let op = &self.program.ops[id];
        if let Some(control) = op.kind.control() {
            let Control::Loop(looped) = control;
            return match self.program.mesh() {
                Some((mesh, _)) if !self.is_global_form() => self.read_loop_on_shards(op, looped, mesh),
                _ => self.read_loop_on_globals(op, looped),
            };
        }
        if self.is_global_form() {
            return self.read_global_op(op);
        }
        let Some((mesh, _)) = self.program.mesh() else { return };
        if self.read_partial_zero(op) {
            return;
        }
        if op.kind.names_axes() {
            self.read_moves(op);
        } else {
            self.read_trimmed_move(op);
            let Some(kind) = self.with_shared_function(op) else { return };
            let (args, shifts) = self.with_global_indices(op);
            for operands in self.combinations(&args) {
                self.read_sharded_op(&OpOnShards { op, kind: &kind, shifts: &shifts }, &operands, mesh);
            }
            if op.outs.iter().any(|out| self.readings[out.index()].is_empty()) {
                self.read_positional(op, mesh);
            }
        }
    }

    /// Translates a constant of zeros that is declared partial. Returns true if the op is such a constant.
    fn read_partial_zero(&mut self, op: &Op) -> bool {
        let &[out] = &op.outs[..] else { return false };
        let value = &self.program.values[out];
        let call = Call { kind: op.kind.clone(), outs: vec![value.ty.clone()] };
        let Some(layout) = value.layout.as_ref().filter(|layout| call.is_zero() && !layout.partial.is_empty()) else {
            return false;
        };
        let placement = Placement::from_layout(layout, &value.ty.shape);
        let placement = Some(self.terms.analysis.add_placement(placement));
        let call = self.terms.analysis.add_call(call);
        self.add_reading(out, Term::leaf(Head::Op { call, out: 0, placement }), &layouts::ZERO);
        true
    }

    /// Translates an op on global values.
    fn read_global_op(&mut self, op: &Op) {
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
        let Some(kind) = self.with_shared_function(op) else { return };
        let outs = op.outs.iter().map(|&v| self.program.ty(v).clone()).collect();
        let call = self.terms.analysis.add_call(Call { kind, outs });
        for (out, &value) in (0u32..).zip(&op.outs) {
            let term = Term::new(Head::Op { call, out, placement: None }, args.iter().copied());
            self.readings[value.index()].push(self.terms.add_uncanonical(term));
        }
    }

    /// Returns the terms of a value that have a placement.
    fn operands(&self, value: ValueId) -> Vec<Operand> {
        let known = self.readings[value.index()].iter().filter_map(|&term| {
            let data = self.terms[term].data;
            Some(Operand { term, data, placement: self.terms.analysis.placement_at(data.placement?).clone() })
        });
        known.collect()
    }

    /// Returns all combinations of terms of values.
    fn combinations(&self, values: &[ValueId]) -> Vec<Vec<Operand>> {
        let mut all: Vec<Vec<Operand>> = vec![Vec::new()];
        for &arg in values {
            let readings = self.operands(arg);
            let longer = all
                .iter()
                .flat_map(|some| readings.iter().map(move |one| some.iter().cloned().chain([one.clone()]).collect()));
            all = longer.take(MAX_COMBINATIONS).collect();
        }
        all
    }

    /// Records a term of a value and applies a law to the term. Terms that contradict the declared layout or for which
    /// no global value is found are dropped.
    fn add_reading(&mut self, value: ValueId, term: Term, law: &Law) {
        let placement = match term.head {
            Head::Op { placement, .. } => placement.map(|at| self.terms.analysis.placement_at(at)),
            Head::Input(_) | Head::Shards(_) => None,
        };
        let declared = &self.program.values[value];
        if let (Some(layout), Some(placement)) = (&declared.layout, placement)
            && Placement::from_layout(layout, &declared.ty.shape).layout != placement.layout
        {
            return;
        }
        let term = self.terms.add_uncanonical(term);
        law.apply(self.terms, term);
        let known = &self.readings[value.index()];
        let is_new = known.iter().all(|&k| self.terms.find(k) != self.terms.find(term));
        if is_new && known.len() < MAX_READINGS && self.terms[term].data.global.is_some() {
            self.readings[value.index()].push(term);
        }
    }

    /// Translates an op on shards, whose operands have global indices.
    fn read_sharded_op(&mut self, site: &OpOnShards<'_>, operands: &[Operand], mesh: MeshId) {
        let Some(globals) = operands.iter().map(|o| o.data.global).collect::<Option<Vec<Id>>>() else { return };
        let types: Vec<Type> = operands.iter().map(|o| self.terms.analysis.type_at(o.data.ty).clone()).collect();
        let types: Vec<&Type> = types.iter().collect();
        let placements: Vec<&Placement> = operands.iter().map(|o| &o.placement).collect();
        let args = ShardedOperands { types: &types, placements: &placements };
        let mut has_reading = false;
        for call in self.known_candidates(site, &globals) {
            has_reading |= self.read_candidate(site, call, operands, &args, mesh);
        }
        // The shard of a constant does not determine the size of the global constant.
        if !has_reading || operands.is_empty() {
            for call in self.inferred_candidates(site, &args) {
                has_reading |= self.read_candidate(site, call, operands, &args, mesh);
            }
        }
        if !has_reading && self.program.form == Form::Local {
            for call in self.similar_candidates(site, &types) {
                self.read_candidate(site, call, operands, &args, mesh);
            }
        }
    }

    /// Translates an op on shards as an op on global values. Returns true if the op corresponds to it.
    fn read_candidate(
        &mut self,
        site: &OpOnShards<'_>,
        call: u32,
        operands: &[Operand],
        args: &ShardedOperands<'_>,
        mesh: MeshId,
    ) -> bool {
        let Call { kind, outs } = self.terms.analysis.call_at(call).clone();
        let rule = kind.rule(args.types, &outs.iter().collect::<Vec<_>>());
        let Some(factors) = operand_factor_axes(&rule, args.placements) else { return false };
        let mut has_reading = false;
        if !self.has_relative_indices(&kind, &rule, &factors, args, site.shifts) {
            return false;
        }
        for factors in self.complete_factor_axes(site.op, &rule, factors) {
            let direct = result_placements(&rule, &factors, args, &outs, mesh);
            let (placements_after, terms) = match direct {
                Some(found) => (found, operands.iter().map(|o| o.term).collect()),
                None => match self.with_partial_zeros(operands, &rule, &factors, args.types, &outs, mesh) {
                    Some(found) => found,
                    None => continue,
                },
            };
            if !self.matches_op(site, &kind, args, &outs, &placements_after) {
                continue;
            }
            has_reading = true;
            for ((out, &value), placement) in (0u32..).zip(&site.op.outs).zip(placements_after) {
                let placement = Some(self.terms.analysis.add_placement(placement));
                let term = Term::new(Head::Op { call, out, placement }, terms.iter().copied());
                self.add_reading(value, term, &layouts::SPLIT);
            }
        }
        has_reading
    }

    /// Returns the placements of an op's results and its operands, where operands that are zero are replaced by partial
    /// zeros.
    fn with_partial_zeros(
        &mut self,
        operands: &[Operand],
        rule: &Rule,
        factors: &FactorAxes,
        types: &[&Type],
        outs: &[Type],
        mesh: MeshId,
    ) -> Option<(Vec<Placement>, Operands)> {
        let flowing = operands.iter().flat_map(|o| o.placement.layout.partial.iter().copied());
        let pending = layout_semantics::normalize_partial(rule.partial_axes(factors).into_iter().chain(flowing));
        let mut partial_operands: Vec<Operand> = operands.to_vec();
        for (operand, ty) in partial_operands.iter_mut().zip(types) {
            let Some(call) = self.zero_call(operand.data.global?) else { continue };
            let layout = Layout { partial: pending.iter().copied().collect(), ..operand.placement.layout.clone() };
            operand.placement = Placement::from_layout(&layout, &ty.shape);
            let placement = Some(self.terms.analysis.add_placement(operand.placement.clone()));
            operand.term = self.terms.add_uncanonical(Term::leaf(Head::Op { call, out: 0, placement }));
            layouts::ZERO.apply(self.terms, operand.term);
        }
        let placements: Vec<&Placement> = partial_operands.iter().map(|o| &o.placement).collect();
        let result_placements =
            result_placements(rule, factors, &ShardedOperands { types, placements: &placements }, outs, mesh)?;
        Some((result_placements, partial_operands.iter().map(|o| o.term).collect()))
    }

    /// Returns the index of a constant of zeros in the e-class of a global value, if any.
    fn zero_call(&self, global: Id) -> Option<u32> {
        self.terms[global].iter().find_map(|node| match node.head {
            Head::Op { call, placement: None, .. } if self.terms.analysis.call_at(call).is_zero() => Some(call),
            _ => None,
        })
    }

    /// Returns the axes of all factors, where factors without operands get axes that match the sizes of the result
    /// shards.
    fn complete_factor_axes(&self, op: &Op, rule: &Rule, factors: FactorAxes) -> Vec<FactorAxes> {
        let Some((_, mesh)) = self.program.mesh() else { return Vec::new() };
        let mut all = vec![factors];
        for id in factors_without_operands(rule) {
            let options = self.axis_options(op, rule, id, mesh);
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

    /// Returns the possible axes of a factor that occurs only in results.
    fn axis_options(&self, op: &Op, rule: &Rule, id: FactorId, mesh: &DeviceMesh) -> Vec<Axes> {
        let alone = rule.outs.iter().zip(&op.outs).find_map(|(map, &value)| {
            let dim = map.iter().position(|dim| dim[..] == [id])?;
            Some((self.program.values[value].local_shape()[dim], self.declared_axes(value, dim)))
        });
        let Some((local, declared)) = alone else { return vec![Axes::new()] };
        let size = rule.factors[id.0 as usize].size;
        if let Some(axes) = declared {
            return vec![axes];
        }
        let mut options = vec![Axes::new()];
        let mut at = 0;
        while let Some(axes) = options.get(at).cloned().filter(|_| options.len() < MAX_COMBINATIONS) {
            for axis in mesh.axis_ids().map(|axis| AxisRef::full(mesh, axis)).filter(|axis| axis.size > 1) {
                if !axes.contains(&axis) && local_size(size, &axes) > local {
                    options.push(axes.iter().copied().chain([axis]).collect());
                }
            }
            at += 1;
        }
        options.retain(|axes| local_size(size, axes) == local);
        options
    }

    fn declared_axes(&self, value: ValueId, dim: usize) -> Option<Axes> {
        Some(self.program.values[value].layout.as_ref()?.dims.get(dim)?.axes.clone())
    }

    /// Returns true if a global op corresponds to the given op on shards.
    fn matches_op(
        &self,
        site: &OpOnShards<'_>,
        kind: &OpKind,
        args: &ShardedOperands<'_>,
        outs: &[Type],
        result_placements: &[Placement],
    ) -> bool {
        let local_outs: Vec<Type> =
            result_placements.iter().zip(outs).map(|(placement, ty)| placement.local_type(ty)).collect();
        let given = site.op.outs.iter().map(|&v| self.program.values[v].local_type());
        if !given.eq(local_outs.iter().cloned()) {
            return false;
        }
        if self.program.form == Form::Explicit {
            return true;
        }
        let local_args: Vec<Type> =
            args.placements.iter().zip(args.types).map(|(placement, ty)| placement.local_type(ty)).collect();
        let is_cut = result_placements.iter().any(|placement| placement.layout.split_axes().next().is_some());
        if is_cut && self.depends_on_offset(kind, &local_args, &local_outs, outs, result_placements) {
            return false;
        }
        let local_args: Vec<&Type> = local_args.iter().collect();
        kind.to_local(args.types, &local_args, &local_outs.iter().collect::<Vec<_>>()) == *site.kind
    }

    /// Returns true if the result of an op on a shard depends on the offset of the shard.
    fn depends_on_offset(
        &self,
        kind: &OpKind,
        args: &[Type],
        local: &[Type],
        outs: &[Type],
        result_placements: &[Placement],
    ) -> bool {
        let ([out, ..], [placement, ..]) = (outs, result_placements) else { return false };
        let local: Vec<&Type> = local.iter().collect();
        let mut scratch = Program::default();
        scratch.meshes.clone_from(&self.program.meshes);
        let inputs: Values = args.iter().map(|ty| scratch.input("x", ty.clone())).collect();
        let mut names = Namer::default();
        let shards: Vec<(usize, Axes)> = out.shape.iter().copied().zip(placement.layout.dim_axes().cloned()).collect();
        let mut builder = Builder::new(&mut scratch, &mut names);
        kind.interfaces().positional.is_some_and(|op| op.build_shard(&mut builder, &inputs, &shards, &local).is_some())
    }
}
