//! Translation of loops: those on global values by their bodies, and those on shards by induction.
//!
//! The body of a loop is translated with fresh values as inputs, so that its equalities hold in every iteration. If the
//! body maps shards of these values to shards of the outputs of the original's body with the same placements, and the
//! operands of the loop are shards with these placements, then so are the results of the loop.

use super::{Operand, Reader};
use crate::laws::layouts;
use crate::placement::Placement;
use crate::term::{Call, Head, LoopBody, Operands, Term};
use egg::Id;
use partita_ir::arena::{FuncId, Id as _, MeshId};
use partita_ir::class::Control;
use partita_ir::layout::{Layout, Monoid};
use partita_ir::mesh::AxisRef;
use partita_ir::op::OpKind;
use partita_ir::ops::Loop;
use partita_ir::program::Op;

/// Maximum number of placements of a carried value.
const MAX_PLACEMENTS: usize = 32;

impl Reader<'_> {
    /// Translates a loop on global values as an existing loop with an equal body, or else as a new loop.
    pub(super) fn read_loop_on_globals(&mut self, op: &Op, looped: &Loop) {
        let args = op.args.iter().map(|arg| self.readings[arg.index()].first().copied());
        let Some(args) = args.collect::<Option<Operands>>() else { return };
        let outs: Vec<_> = op.outs.iter().map(|&v| self.program.ty(v).clone()).collect();
        let known = self.matching_loops(looped, op.outs.len()).into_iter().find(|(call, body)| {
            self.terms.analysis.call_at(*call).outs == outs
                && self
                    .read_global_body(looped.body, &body.inputs)
                    .is_some_and(|body_outputs| self.are_equal(&body_outputs, &body.outputs))
        });
        let call = match known {
            Some((call, _)) => call,
            None => {
                let body_inputs = outs.iter().map(|ty| {
                    let head = self.terms.analysis.add_input(ty);
                    self.terms.add_uncanonical(Term::leaf(head))
                });
                let body_inputs: Operands = body_inputs.collect();
                let Some(body_outputs) = self.read_global_body(looped.body, &body_inputs) else { return };
                let call = Call { kind: op.kind.clone(), outs };
                self.terms
                    .analysis
                    .add_loop(call, LoopBody { inputs: body_inputs, outputs: body_outputs, args: Vec::new() })
            }
        };
        self.terms.analysis.add_loop_args(call, args.clone());
        for (out, &value) in (0u32..).zip(&op.outs) {
            let term = Term::new(Head::Op { call, out, placement: None }, args.iter().copied());
            self.readings[value.index()].push(self.terms.add_uncanonical(term));
        }
    }

    /// Translates a loop on shards as an existing loop whose body preserves the placements.
    pub(super) fn read_loop_on_shards(&mut self, op: &Op, looped: &Loop, mesh: MeshId) {
        for (call, body) in self.matching_loops(looped, op.outs.len()) {
            for globals in &body.args {
                let carried = op.args.iter().zip(globals).map(|(&arg, &global)| {
                    let shards = self.operands(arg).into_iter();
                    let shards =
                        shards.filter(|part| part.data.global.is_some_and(|of| self.are_equal(&[of], &[global])));
                    let shards: Vec<Operand> = shards.collect();
                    self.with_partial_zeros_added(shards, mesh)
                });
                let carried: Vec<Vec<Operand>> = carried.collect();
                let Some(carried) = self.preserved_operands(looped, &body, carried) else { continue };
                let placements: Vec<u32> = carried.iter().filter_map(|operand| operand.data.placement).collect();
                self.terms.analysis.add_invariant_loop(call, placements.clone());
                for ((out, &value), placement) in (0u32..).zip(&op.outs).zip(placements) {
                    let head = Head::Op { call, out, placement: Some(placement) };
                    let term = Term::new(head, carried.iter().map(|operand| operand.term));
                    self.add_reading(value, term, &layouts::LOOP);
                }
            }
        }
    }

    /// Returns the loops with the same trip count and number of carried values.
    fn matching_loops(&self, looped: &Loop, carried: usize) -> Vec<(u32, LoopBody)> {
        let analysis = &self.terms.analysis;
        let matches = |call: &Call| match call.kind.control() {
            Some(Control::Loop(other)) => {
                (other.trip, other.limit) == (looped.trip, looped.limit) && call.outs.len() == carried
            }
            None => false,
        };
        let all = analysis.calls_of_family(&OpKind::from(looped.clone())).iter();
        all.filter(|&&at| matches(analysis.call_at(at)))
            .filter_map(|&at| Some((at, analysis.body(at)?.clone())))
            .collect()
    }

    fn are_equal(&self, some: &[Id], others: &[Id]) -> bool {
        some.len() == others.len() && some.iter().zip(others).all(|(&a, &b)| self.terms.find(a) == self.terms.find(b))
    }

    /// Translates the body of a loop with the given terms of each input.
    fn read_body(&mut self, func: FuncId, body_inputs: impl IntoIterator<Item = Operands>) {
        let program = self.program;
        let func = &program.funcs[func];
        for &op in func.ops() {
            program.ops[op].outs.iter().for_each(|out| self.readings[out.index()].clear());
        }
        for (&input, terms) in func.inputs.iter().zip(body_inputs) {
            self.readings[input.index()].clear();
            self.readings[input.index()].extend(terms);
        }
        for &op in func.ops() {
            self.read_op(op);
        }
        // Congruence closure may make further terms equal.
        if !self.terms.clean {
            self.terms.rebuild();
        }
    }

    /// Returns the outputs of a loop body on global values.
    fn read_global_body(&mut self, func: FuncId, body_inputs: &[Id]) -> Option<Operands> {
        self.read_body(func, body_inputs.iter().map(|&term| Operands::from_slice(&[term])));
        let outputs = self.program.funcs[func].outputs.iter();
        outputs.map(|output| self.readings[output.value.index()].first().copied()).collect()
    }

    /// Returns the operands and, for operands that are zero, additionally the zeros that are partial over unused axes
    /// of the mesh. At most five axes per operand and [`MAX_PLACEMENTS`] results are considered.
    fn with_partial_zeros_added(&mut self, operands: Vec<Operand>, mesh: MeshId) -> Vec<Operand> {
        let mut all = operands.clone();
        for operand in &operands {
            let zero = operand.data.global.and_then(|global| self.zero_call(global));
            let (Some(call), Some((_, on))) = (zero, self.program.mesh()) else { continue };
            let used: Vec<AxisRef> = operand.placement.layout.used_axes().collect();
            let global = on.axis_ids().map(|axis| AxisRef::full(on, axis));
            let free: Vec<AxisRef> =
                global.filter(|axis| axis.size > 1 && !used.iter().any(|used| used.overlaps(*axis))).collect();
            let ty = self.terms.analysis.type_at(operand.data.ty).clone();
            for chosen in 1u32..1 << free.len().min(5) {
                let sums = free.iter().enumerate().filter(|(at, _)| chosen & 1 << at != 0);
                let pending = sums.map(|(_, &axis)| (axis, Monoid::Sum)).collect();
                let layout = Layout { mesh, partial: pending, ..operand.placement.layout.clone() };
                let placement = Placement::from_layout(&layout, &ty.shape);
                let at = self.terms.analysis.add_placement(placement.clone());
                let term = self.terms.add_uncanonical(Term::leaf(Head::Op { call, out: 0, placement: Some(at) }));
                layouts::ZERO.apply(self.terms, term);
                let data = self.terms[term].data;
                all.push(Operand { term, data, placement });
            }
        }
        all.truncate(MAX_PLACEMENTS);
        all
    }

    /// Returns placements of the carried values that the body preserves, where the outputs are shards of the outputs of
    /// the existing body.
    fn preserved_operands(
        &mut self,
        looped: &Loop,
        known: &LoopBody,
        carried: Vec<Vec<Operand>>,
    ) -> Option<Vec<Operand>> {
        // The first call considers all placements at the same time to find a candidate for each value. The second call
        // verifies that the body preserves the candidates together.
        let has_one_placement_each = carried.iter().all(|placements| placements.len() == 1);
        let preserved = self.preserved_in_body(looped, known, &carried)?;
        if has_one_placement_each {
            return Some(preserved);
        }
        let candidates: Vec<Vec<Operand>> = preserved.into_iter().map(|operand| vec![operand]).collect();
        self.preserved_in_body(looped, known, &candidates)
    }

    /// Returns, for each carried value, the first placement that the body preserves when the inputs have any of the
    /// given placements.
    fn preserved_in_body(&mut self, looped: &Loop, known: &LoopBody, carried: &[Vec<Operand>]) -> Option<Vec<Operand>> {
        let mut body_inputs: Vec<Operands> = Vec::with_capacity(carried.len());
        for (placements, &any) in carried.iter().zip(&known.inputs) {
            let placements = placements.iter().filter_map(|operand| operand.data.placement);
            let shards =
                placements.map(|placement| self.terms.add_uncanonical(Term::new(Head::Shards(placement), [any])));
            body_inputs.push(shards.collect());
        }
        self.read_body(looped.body, body_inputs);
        let outputs = self.program.funcs[looped.body].outputs.iter().zip(&known.outputs);
        let preserved = outputs.zip(carried).map(|((output, &body_outputs), placements)| {
            let output_terms = &self.readings[output.value.index()];
            let is_preserved = |operand: &&Operand| {
                output_terms.iter().any(|&term| {
                    let data = self.terms[term].data;
                    data.placement == operand.data.placement
                        && data.global.is_some_and(|of| self.are_equal(&[of], &[body_outputs]))
                })
            };
            placements.iter().find(is_preserved).cloned()
        });
        preserved.collect()
    }
}
