//! Loops: those of whole values by their bodies, and those on parts by induction.
//!
//! The body of a loop is read on values that stand for any: what holds of it then holds in every turn. If it takes the
//! parts of these, each at some place, to the parts of what the original's body makes of them at the same places, and
//! what enters the loop are parts at those places, so is what leaves it.

use super::{Operand, Reader};
use crate::laws::layouts;
use crate::place::Place;
use crate::term::{Body, Call, Head, Operands, Term};
use egg::Id;
use partita_ir::arena::{FuncId, Id as _, MeshId};
use partita_ir::class::Control;
use partita_ir::layout::{Layout, Monoid};
use partita_ir::mesh::AxisRef;
use partita_ir::op::OpKind;
use partita_ir::ops::Loop;
use partita_ir::program::Op;

/// In so many places a carried value is looked at.
const MAX_PLACES: usize = 32;

impl Reader<'_> {
    /// Reads a loop on whole values: as one that is known, if its body makes the same, or else as one of its own.
    pub(super) fn loop_on_wholes(&mut self, op: &Op, looped: &Loop) {
        let args = op.args.iter().map(|arg| self.readings[arg.index()].first().copied());
        let Some(args) = args.collect::<Option<Operands>>() else { return };
        let outs: Vec<_> = op.outs.iter().map(|&v| self.program.ty(v).clone()).collect();
        let known = self.loops(looped, op.outs.len()).into_iter().find(|(call, body)| {
            self.terms.analysis.call_at(*call).outs == outs
                && self
                    .body_of_wholes(looped.body, &body.takes)
                    .is_some_and(|gives| self.are_equal(&gives, &body.gives))
        });
        let call = match known {
            Some((call, _)) => call,
            None => {
                let takes = outs.iter().map(|ty| {
                    let head = self.terms.analysis.entry(ty);
                    self.terms.add_uncanonical(Term::leaf(head))
                });
                let takes: Operands = takes.collect();
                let Some(gives) = self.body_of_wholes(looped.body, &takes) else { return };
                let call = Call { kind: op.kind.clone(), outs };
                self.terms.analysis.looped(call, Body { takes, gives, args: Vec::new() })
            }
        };
        self.terms.analysis.enters(call, args.clone());
        for (out, &value) in (0u32..).zip(&op.outs) {
            let term = Term::new(Head::Op { call, out, place: None }, args.iter().copied());
            self.readings[value.index()].push(self.terms.add_uncanonical(term));
        }
    }

    /// Reads a loop on parts as one that is known, where its body shows that it is the same.
    pub(super) fn loop_on_parts(&mut self, op: &Op, looped: &Loop, mesh: MeshId) {
        for (call, body) in self.loops(looped, op.outs.len()) {
            for wholes in &body.args {
                let carried = op.args.iter().zip(wholes).map(|(&arg, &whole)| {
                    let parts = self.operands(arg).into_iter();
                    let parts = parts.filter(|part| part.sort.whole.is_some_and(|of| self.are_equal(&[of], &[whole])));
                    let parts: Vec<Operand> = parts.collect();
                    self.with_pending(parts, mesh)
                });
                let carried: Vec<Vec<Operand>> = carried.collect();
                let Some(carried) = self.stays(looped, &body, carried) else { continue };
                let places: Vec<u32> = carried.iter().filter_map(|operand| operand.sort.place).collect();
                self.terms.analysis.shows(call, places.clone());
                for ((out, &value), place) in (0u32..).zip(&op.outs).zip(places) {
                    let head = Head::Op { call, out, place: Some(place) };
                    let term = Term::new(head, carried.iter().map(|operand| operand.term));
                    self.note(value, term, &layouts::LOOP);
                }
            }
        }
    }

    /// The loops of as many turns that carry as many values.
    fn loops(&self, looped: &Loop, carried: usize) -> Vec<(u32, Body)> {
        let meaning = &self.terms.analysis;
        let alike = |call: &Call| match call.kind.control() {
            Some(Control::Loop(other)) => other.trip == looped.trip && call.outs.len() == carried,
            None => false,
        };
        let all = meaning.calls_like(&OpKind::from(looped.clone())).iter();
        all.filter(|&&at| alike(meaning.call_at(at))).filter_map(|&at| Some((at, meaning.body(at)?.clone()))).collect()
    }

    fn are_equal(&self, some: &[Id], others: &[Id]) -> bool {
        some.len() == others.len() && some.iter().zip(others).all(|(&a, &b)| self.terms.find(a) == self.terms.find(b))
    }

    /// Reads the body of a loop that takes these terms, each in some ways.
    fn body(&mut self, func: FuncId, takes: impl IntoIterator<Item = Operands>) {
        let program = self.program;
        let func = &program.funcs[func];
        for &op in func.ops() {
            program.ops[op].outs.iter().for_each(|out| self.readings[out.index()].clear());
        }
        for (&input, terms) in func.inputs.iter().zip(takes) {
            self.readings[input.index()].clear();
            self.readings[input.index()].extend(terms);
        }
        for &op in func.ops() {
            self.op(op);
        }
        // What was made equal on the way shows what else is.
        if !self.terms.clean {
            self.terms.rebuild();
        }
    }

    /// What the body of a loop makes of whole values.
    fn body_of_wholes(&mut self, func: FuncId, takes: &[Id]) -> Option<Operands> {
        self.body(func, takes.iter().map(|&term| Operands::from_slice(&[term])));
        let outputs = self.program.funcs[func].outputs.iter();
        outputs.map(|output| self.readings[output.value.index()].first().copied()).collect()
    }

    /// Operands with what they are if they are zero, too: pending any sums.
    fn with_pending(&mut self, operands: Vec<Operand>, mesh: MeshId) -> Vec<Operand> {
        let mut all = operands.clone();
        for operand in &operands {
            let zero = operand.sort.whole.and_then(|whole| self.zero(whole));
            let (Some(call), Some((_, on))) = (zero, self.program.mesh()) else { continue };
            let used: Vec<AxisRef> = operand.place.layout.used_axes().collect();
            let whole = on.axis_ids().map(|axis| AxisRef::whole(on, axis));
            let free: Vec<AxisRef> =
                whole.filter(|axis| axis.size > 1 && !used.iter().any(|used| used.overlaps(*axis))).collect();
            let ty = self.terms.analysis.type_at(operand.sort.ty).clone();
            for chosen in 1u32..1 << free.len().min(5) {
                let sums = free.iter().enumerate().filter(|(at, _)| chosen & 1 << at != 0);
                let pending = sums.map(|(_, &axis)| (axis, Monoid::Sum)).collect();
                let layout = Layout { mesh, pending, ..operand.place.layout.clone() };
                let place = Place::of(&layout, &ty.shape);
                let at = self.terms.analysis.place(place.clone());
                let term = self.terms.add_uncanonical(Term::leaf(Head::Op { call, out: 0, place: Some(at) }));
                layouts::ZERO.apply(self.terms, term);
                let sort = self.terms[term].data;
                all.push(Operand { term, sort, place });
            }
        }
        all.truncate(MAX_PLACES);
        all
    }

    /// Where carried values lie if the body leaves all of them where it takes them, as parts of what the known one
    /// makes.
    fn stays(&mut self, looped: &Loop, known: &Body, carried: Vec<Vec<Operand>>) -> Option<Vec<Operand>> {
        // In all places at once first, which says where each may stay; then in those, which shows that all do together.
        let is_sure = carried.iter().all(|places| places.len() == 1);
        let staying = self.staying(looped, known, &carried)?;
        if is_sure {
            return Some(staying);
        }
        let alone: Vec<Vec<Operand>> = staying.into_iter().map(|operand| vec![operand]).collect();
        self.staying(looped, known, &alone)
    }

    /// By carried value, the first of these places in which the body leaves it when it takes all values in any of them.
    fn staying(&mut self, looped: &Loop, known: &Body, carried: &[Vec<Operand>]) -> Option<Vec<Operand>> {
        let mut takes: Vec<Operands> = Vec::with_capacity(carried.len());
        for (places, &any) in carried.iter().zip(&known.takes) {
            let places = places.iter().filter_map(|operand| operand.sort.place);
            let parts = places.map(|place| self.terms.add_uncanonical(Term::new(Head::Part(place), [any])));
            takes.push(parts.collect());
        }
        self.body(looped.body, takes);
        let outputs = self.program.funcs[looped.body].outputs.iter().zip(&known.gives);
        let stays = outputs.zip(carried).map(|((output, &gives), places)| {
            let left = &self.readings[output.value.index()];
            let is_left = |operand: &&Operand| {
                left.iter().any(|&term| {
                    let sort = self.terms[term].data;
                    sort.place == operand.sort.place && sort.whole.is_some_and(|of| self.are_equal(&[of], &[gives]))
                })
            };
            places.iter().find(is_left).cloned()
        });
        stays.collect()
    }
}
