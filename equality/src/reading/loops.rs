//! Translation of loops: those on global values by their bodies, and those on shards by induction.
//!
//! The body of a loop is translated with fresh values as inputs, so that its equalities hold in every iteration. If the
//! body maps shards of these values to shards of the outputs of the original's body with the same placements, and the
//! operands of the loop are shards with these placements, then so are the results of the loop.
//!
//! A carried value that the body returns unchanged is a constant of the loop: the body reads the operand. The others
//! may be in any order.

use super::{Operand, Reader};
use crate::laws::layouts;
use crate::placement::Placement;
use crate::term::{Call, Head, LoopBody, Operands, Term};
use egg::Id;
use partita_ir::arena::{FuncId, Id as _, MeshId};
use partita_ir::class::Control;
use partita_ir::dtype::Type;
use partita_ir::layout::{Layout, Monoid};
use partita_ir::mesh::AxisRef;
use partita_ir::op::OpKind;
use partita_ir::ops::Loop;
use partita_ir::program::Op;

/// Maximum number of placements of a carried value.
const MAX_PLACEMENTS: usize = 32;

/// Maximum number of orders of carried values that are compared.
const MAX_ORDERS: usize = 24;

impl Reader<'_> {
    /// Translates a loop on global values as an existing loop with an equal body, or else as a new loop.
    pub(super) fn read_loop_on_globals(&mut self, op: &Op, looped: &Loop) {
        let args = op.args.iter().map(|arg| self.readings[arg.index()].first().copied());
        let Some(args) = args.collect::<Option<Operands>>() else { return };
        let varying = self.varying_values(looped);
        let outs: Vec<_> = varying.iter().map(|&at| self.program.ty(op.outs[at]).clone()).collect();
        let carried: Operands = varying.iter().map(|&at| args[at]).collect();
        let found = self.equal_loop(looped, &args, &carried, &outs).or_else(|| {
            let body_inputs = outs.iter().map(|ty| {
                let head = self.terms.analysis.add_input(ty);
                self.terms.add_uncanonical(Term::leaf(head))
            });
            let inputs: Operands = body_inputs.collect();
            let outputs = self.read_global_body(looped, &args, &inputs)?;
            let call = Call { kind: op.kind.clone(), outs: outs.clone() };
            let call = self.terms.analysis.add_loop(call, LoopBody { inputs, outputs, args: Vec::new() });
            Some((call, (0..carried.len()).collect()))
        });
        let Some((call, order)) = found else { return };
        let mut operands = carried.clone();
        order.iter().zip(&carried).for_each(|(&to, &term)| operands[to] = term);
        self.terms.analysis.add_loop_args(call, operands.clone());
        for (&at, &out) in varying.iter().zip(&order) {
            let term = Term::new(Head::Op { call, out: out as u32, placement: None }, operands.iter().copied());
            let term = self.terms.add_uncanonical(term);
            self.readings[op.outs[at].index()].push(term);
        }
        self.read_constants(op, &varying);
    }

    /// Returns an existing loop with an equal body, and the position there of each carried value.
    fn equal_loop(&mut self, looped: &Loop, args: &[Id], carried: &[Id], outs: &[Type]) -> Option<(u32, Vec<usize>)> {
        for (call, body) in self.matching_loops(looped, carried.len()) {
            let types = self.terms.analysis.call_at(call).outs.clone();
            for order in self.orders(carried.len(), |at, to| {
                types[to] == outs[at] && body.args.iter().any(|known| self.are_equal(&[known[to]], &[carried[at]]))
            }) {
                let inputs: Operands = order.iter().map(|&to| body.inputs[to]).collect();
                let wanted: Operands = order.iter().map(|&to| body.outputs[to]).collect();
                let outputs = self.read_global_body(looped, args, &inputs);
                if outputs.is_some_and(|outputs| self.are_equal(&outputs, &wanted)) {
                    return Some((call, order));
                }
            }
        }
        None
    }

    /// Translates a loop on shards as an existing loop whose body preserves the placements.
    pub(super) fn read_loop_on_shards(&mut self, op: &Op, looped: &Loop, mesh: MeshId) {
        let varying = self.varying_values(looped);
        self.read_constants(op, &varying);
        for (call, body) in self.matching_loops(looped, varying.len()) {
            for globals in &body.args {
                let shards_of = |reader: &Self, at: usize, to: usize| -> Vec<Operand> {
                    let shards = reader.operands(op.args[varying[at]]).into_iter();
                    let is_equal =
                        |part: &Operand| part.data.global.is_some_and(|of| reader.are_equal(&[of], &[globals[to]]));
                    shards.filter(is_equal).collect()
                };
                for order in self.orders(varying.len(), |at, to| !shards_of(self, at, to).is_empty()) {
                    let carried: Vec<Vec<Operand>> =
                        order.iter().enumerate().map(|(at, &to)| shards_of(self, at, to)).collect();
                    let carried =
                        carried.into_iter().map(|shards| self.with_partial_zeros_added(shards, mesh)).collect();
                    let loop_order = LoopOrder { op, varying: &varying, order: &order };
                    let Some(carried) = self.preserved_operands(looped, &body, &loop_order, carried) else { continue };
                    let mut operands = carried.clone();
                    order.iter().zip(carried).for_each(|(&to, operand)| operands[to] = operand);
                    let placements: Vec<u32> = operands.iter().filter_map(|operand| operand.data.placement).collect();
                    self.terms.analysis.add_invariant_loop(call, placements.clone());
                    for (&at, &out) in varying.iter().zip(&order) {
                        let head = Head::Op { call, out: out as u32, placement: Some(placements[out]) };
                        let term = Term::new(head, operands.iter().map(|operand| operand.term));
                        self.add_reading(op.outs[at], term, &layouts::LOOP);
                    }
                }
            }
        }
    }

    /// Returns the positions of the carried values that the body changes.
    fn varying_values(&self, looped: &Loop) -> Vec<usize> {
        let body = &self.program.funcs[looped.body];
        let is_varying = |at: &usize| body.outputs[*at].value != body.inputs[*at];
        (0..body.inputs.len()).filter(is_varying).collect()
    }

    /// Translates the results of carried values that the body returns unchanged.
    fn read_constants(&mut self, op: &Op, varying: &[usize]) {
        for (at, (&arg, &out)) in op.args.iter().zip(&op.outs).enumerate() {
            if !varying.contains(&at) {
                let known = self.readings[arg.index()].clone();
                self.readings[out.index()].extend(known);
            }
        }
    }

    /// Returns orders in which each of `count` values has a different position that `fits`, with positions that are
    /// unchanged first. At most [`MAX_ORDERS`] are considered.
    fn orders(&self, count: usize, fits: impl Fn(usize, usize) -> bool) -> Vec<Vec<usize>> {
        let mut all: Vec<Vec<usize>> = vec![Vec::new()];
        for at in 0..count {
            let options: Vec<usize> =
                [at].into_iter().chain((0..count).filter(|&to| to != at)).filter(|&to| fits(at, to)).collect();
            let longer = all.iter().flat_map(|order| {
                let free = options.iter().filter(|to| !order.contains(to));
                free.map(|&to| order.iter().copied().chain([to]).collect::<Vec<usize>>())
            });
            all = longer.take(MAX_ORDERS).collect();
        }
        all
    }

    /// Returns the loops with the same trip count and number of carried values that vary.
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

    /// Returns the outputs of a loop body on global values, except for values that do not vary.
    fn read_global_body(&mut self, looped: &Loop, args: &[Id], varying_inputs: &[Id]) -> Option<Operands> {
        let varying = self.varying_values(looped);
        let mut inputs: Vec<Operands> = args.iter().map(|&term| Operands::from_slice(&[term])).collect();
        varying.iter().zip(varying_inputs).for_each(|(&at, &term)| inputs[at] = Operands::from_slice(&[term]));
        self.read_body(looped.body, inputs);
        let outputs = &self.program.funcs[looped.body].outputs;
        varying.iter().map(|&at| self.readings[outputs[at].value.index()].first().copied()).collect()
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
        order: &LoopOrder<'_>,
        carried: Vec<Vec<Operand>>,
    ) -> Option<Vec<Operand>> {
        // The first call considers all placements at the same time to find a candidate for each value. The second call
        // verifies that the body preserves the candidates together.
        let has_one_placement_each = carried.iter().all(|placements| placements.len() == 1);
        let preserved = self.preserved_in_body(looped, known, order, &carried)?;
        if has_one_placement_each {
            return Some(preserved);
        }
        let candidates: Vec<Vec<Operand>> = preserved.into_iter().map(|operand| vec![operand]).collect();
        self.preserved_in_body(looped, known, order, &candidates)
    }

    /// Returns, for each carried value, the first placement that the body preserves when the inputs have any of the
    /// given placements.
    fn preserved_in_body(
        &mut self,
        looped: &Loop,
        known: &LoopBody,
        order: &LoopOrder<'_>,
        carried: &[Vec<Operand>],
    ) -> Option<Vec<Operand>> {
        let LoopOrder { op, varying, order } = order;
        let mut body_inputs: Vec<Operands> =
            op.args.iter().map(|arg| self.readings[arg.index()].iter().copied().collect()).collect();
        for ((placements, &to), &at) in carried.iter().zip(*order).zip(*varying) {
            let any = known.inputs[to];
            let placements = placements.iter().filter_map(|operand| operand.data.placement);
            let shards =
                placements.map(|placement| self.terms.add_uncanonical(Term::new(Head::Shards(placement), [any])));
            body_inputs[at] = shards.collect();
        }
        self.read_body(looped.body, body_inputs);
        let outputs = &self.program.funcs[looped.body].outputs;
        let preserved = carried.iter().zip(*order).zip(*varying).map(|((placements, &to), &at)| {
            let output_terms = &self.readings[outputs[at].value.index()];
            let is_preserved = |operand: &&Operand| {
                output_terms.iter().any(|&term| {
                    let data = self.terms[term].data;
                    data.placement == operand.data.placement
                        && data.global.is_some_and(|of| self.are_equal(&[of], &[known.outputs[to]]))
                })
            };
            placements.iter().find(is_preserved).cloned()
        });
        preserved.collect()
    }
}

/// Loop on shards whose carried values are compared with those of a loop on global values.
struct LoopOrder<'a> {
    op: &'a Op,
    /// Positions of the carried values that vary.
    varying: &'a [usize],
    /// Position in the loop on global values of each of them.
    order: &'a [usize],
}
