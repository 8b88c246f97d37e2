//! `simplify` and `simplify-real` (traced -> traced): remove redundant computation by equality saturation.
//!
//! A window is an op that matches the left side of some law, with the elementwise ops, data movement and constants it
//! is computed from. Its values are read as [terms](partita_equality), algebraic laws are applied, and the cheapest
//! equivalent terms replace the window if they cost less. The cost is the roofline time of the machine; shared terms
//! count once. Values with a layout from the program or the plan are left unchanged.
//!
//! `simplify` applies only laws that are exact bit for bit. `simplify-real` also applies those that are exact in real
//! arithmetic, such as `x + 0 = x`. Both are opt-in: a program that is cheaper unpartitioned may be slower once
//! partitioned.
//!
//! Before:
//!
//! ```text
//! %o = constant 1.0 : f32[4, 6]
//! %m = mul %x, %o : f32[4, 6]
//! %n = neg %y : f32[4, 6]
//! %z = add %m, %n : f32[4, 6]
//! output %z
//! ```
//!
//! After:
//!
//! ```text
//! input %x : f32[4, 6]
//! input %y : f32[4, 6]
//! %z = sub %x, %y : f32[4, 6]
//! output %z
//! ```
//!
//! Before, with `simplify-real`:
//!
//! ```text
//! %c = constant 0.0 : f32[4]
//! %a = add %x, %c : f32[4]
//! %z = mul %a, %y : f32[4]
//! output %z
//! ```
//!
//! After:
//!
//! ```text
//! input %x : f32[4]
//! input %y : f32[4]
//! %z = mul %x, %y : f32[4]
//! output %z
//! ```
//!
//! Recogniser: an op without laws is in no window and is left unchanged.

use super::raise::values_with_layout;
use crate::driver::{Findings, Input, Pass, PassInfo};
use partita_equality::laws::{Law, algebra, identities};
use partita_equality::term::{Call, Head, Term, TermAnalysis, Terms};
use partita_equality::window::{
    DefUse, Replacement, Window, WindowSearch, WindowTerms, apply_replacements, optimize_window,
};
use partita_ir::arena::{FuncId, Id, OpId, ValueId};
use partita_ir::diag::Diagnostic;
use partita_ir::dtype::DType;
use partita_ir::op::OpKind;
use partita_ir::ops::{BinaryOp, Constant, Literal, UnaryOp};
use partita_ir::program::{Form, Op, Program};
use partita_machine::Machine;
use std::collections::BTreeSet;

/// Maximum number of ops of a window.
const MAX_WINDOW_OPS: usize = 24;

/// Memory bandwidth in bytes per second, if no machine is given.
const DEFAULT_BYTES_PER_SECOND: f64 = 2e12;

/// Compute throughput in operations per second, if no machine is given.
const DEFAULT_FLOPS_PER_SECOND: f64 = 2e13;

/// Fixed cost of an op in seconds, which makes fewer ops cheaper.
const OP_OVERHEAD_SECONDS: f64 = 1e-9;

/// The passes `simplify` and `simplify-real`; see the module documentation.
#[derive(Default)]
pub struct Simplify {
    /// Also applies laws that hold in exact arithmetic only.
    pub real: bool,
}

impl Pass for Simplify {
    fn info(&self) -> PassInfo {
        let name = if self.real { "simplify-real" } else { "simplify" };
        PassInfo { name, input_form: Form::Traced, output_form: Form::Traced, reads: &[] }
    }

    fn applies(&self, program: &Program, input: &Input, _: &Findings) -> bool {
        let has_layout = values_with_layout(program, &input.plan);
        program.funcs_with_layouts().into_iter().any(|func| {
            let finder = WindowFinder::new(program, func, &has_layout, self.real);
            (0..program.funcs[func].ops().len()).any(|at| finder.is_seed(at))
        })
    }

    fn run(&self, program: &mut Program, input: &Input, findings: &mut Findings) -> Result<(), Vec<Diagnostic>> {
        let has_layout = values_with_layout(program, &input.plan);
        let laws: Vec<&'static Law> = algebra::LAWS
            .iter()
            .chain(identities::LAWS)
            .filter(|law| law.exact || self.real && law.name != algebra::COMPOSITE.name)
            .collect();
        let mut search = WindowSearch::new(self.info().name);
        for func in program.funcs_with_layouts() {
            let windows = WindowFinder::new(program, func, &has_layout, self.real).windows();
            let machine = input.machine.as_deref();
            let better: Vec<Replacement> = windows
                .into_iter()
                .filter_map(|window| {
                    let reading = to_terms(program, &window);
                    let cost = |terms: &Terms, term: &Term| seconds(terms, term, machine);
                    optimize_window(program, window, reading?, &laws, &cost, &mut search)
                })
                .collect();
            apply_replacements(program, func, &better);
        }
        findings.searches.push(search);
        Ok(())
    }
}

/// Converts a window to terms. `None` if an op has several results or an operand outside the window.
fn to_terms(program: &Program, window: &Window) -> Option<WindowTerms> {
    let mut reading = WindowTerms::new(TermAnalysis::default());
    for &leaf in &window.leaves {
        let entry = reading.terms.analysis.add_input(&program.values[leaf].ty);
        reading.add_term(leaf, Term::leaf(entry));
    }
    for &op in &window.ops {
        let op = &program.ops[op];
        let &[out] = &op.outs[..] else { return None };
        let call = Call { kind: op.kind.clone(), outs: vec![program.values[out].ty.clone()] };
        let call = reading.terms.analysis.add_call(call);
        let args = op.args.iter().map(|arg| reading.term_of_value.get(arg).copied()).collect::<Option<Vec<_>>>()?;
        reading.add_term(out, Term::new(Head::Op { call, out: 0, placement: None }, args));
    }
    Some(reading)
}

/// Estimates the time of an op in seconds: the larger of memory time and compute time.
fn seconds(terms: &Terms, term: &Term, machine: Option<&Machine>) -> Option<f64> {
    let Head::Op { call, placement: None, .. } = term.head else { return None };
    let meaning = &terms.analysis;
    let call = meaning.call_at(call);
    let kind = machine.and_then(|machine| machine.slowest_kind(0..machine.device_count()));
    let (memory, rate) = kind
        .map_or((DEFAULT_BYTES_PER_SECOND, DEFAULT_FLOPS_PER_SECOND), |kind| (kind.bandwidth, kind.rate(DType::F32)));
    if matches!(call.kind, OpKind::Constant(_) | OpKind::Reshape(_)) {
        return Some(OP_OVERHEAD_SECONDS);
    }
    let args: Vec<_> = term.args.iter().map(|&arg| meaning.type_at(terms[arg].data.ty)).collect();
    let outs: Vec<_> = call.outs.iter().collect();
    let bytes: u64 = args.iter().chain(&outs).map(|ty| ty.bytes()).sum();
    Some(OP_OVERHEAD_SECONDS + (bytes as f64 / memory).max(call.kind.flops(&args, &outs) as f64 / rate))
}

/// Finds windows in a function.
struct WindowFinder<'a> {
    program: &'a Program,
    func: FuncId,
    body: &'a [OpId],
    uses: DefUse,
    has_layout: &'a [bool],
    real: bool,
}

impl<'a> WindowFinder<'a> {
    fn new(program: &'a Program, func: FuncId, has_layout: &'a [bool], real: bool) -> WindowFinder<'a> {
        WindowFinder {
            program,
            func,
            body: program.funcs[func].ops(),
            uses: DefUse::from_func(program, func),
            has_layout,
            real,
        }
    }

    /// Returns disjoint windows in program order.
    fn windows(&self) -> Vec<Window> {
        let mut taken = vec![false; self.body.len()];
        let mut found = Vec::new();
        // Visits seeds from the end, so that the last of several connected seeds absorbs the others.
        for seed in (0..self.body.len()).rev() {
            if taken[seed] || !self.is_seed(seed) {
                continue;
            }
            let ops = self.grow_window(seed, &taken);
            ops.iter().for_each(|&at| taken[at] = true);
            found.push(self.uses.window(self.program, self.func, &ops));
        }
        found.reverse();
        found
    }

    fn op(&self, at: usize) -> &'a Op {
        &self.program.ops[self.body[at]]
    }

    /// Returns the position of the op that defines `value`, if the op may be part of a window.
    fn def_position(&self, value: ValueId) -> Option<usize> {
        self.uses.def_position[value.index()].filter(|&at| self.is_window_op(at))
    }

    /// Returns true if an op may be part of a window.
    fn is_window_op(&self, at: usize) -> bool {
        let op = self.op(at);
        let &[out] = &op.outs[..] else { return false };
        let is_window_op = match &op.kind {
            OpKind::Reshape(_) | OpKind::Transpose(_) | OpKind::Broadcast(_) | OpKind::Convert(_) => true,
            OpKind::Constant(constant) => matches!(constant.value, Literal::Splat(_)),
            OpKind::Reduce(reduce) => reduce.dims.is_empty() || self.real,
            kind => kind.is_elementwise(),
        };
        is_window_op && !self.has_layout[out.index()]
    }

    /// Returns true if some law may apply to an op.
    fn is_seed(&self, at: usize) -> bool {
        let op = self.op(at);
        if !self.is_window_op(at) {
            return false;
        }
        let producer = |arg: usize| Some(&self.op(self.def_position(*op.args.get(arg)?)?).kind);
        let is_same = || op.args.first().is_some_and(|&arg| self.program.ty(arg) == self.program.ty(op.outs[0]));
        let is_neg = |kind: Option<&OpKind>| matches!(kind, Some(OpKind::Unary(u)) if u.op == UnaryOp::Neg);
        match &op.kind {
            OpKind::Reshape(_) => is_same() || matches!(producer(0), Some(OpKind::Reshape(_))),
            OpKind::Convert(_) => is_same() || matches!(producer(0), Some(OpKind::Convert(_))),
            OpKind::Broadcast(b) => {
                is_same() && b.dims.is_sorted()
                    || matches!(producer(0), Some(OpKind::Broadcast(_) | OpKind::Reshape(_)))
            }
            OpKind::Transpose(t) => t.perm.is_sorted() || self.depends_on_transpose(op.args[0], MAX_WINDOW_OPS),
            OpKind::Reduce(reduce) => reduce.dims.is_empty() || matches!(producer(0), Some(OpKind::Reduce(_))),
            OpKind::Unary(u) => u.op == UnaryOp::Neg && is_neg(producer(0)),
            OpKind::Binary(binary) => match binary.op {
                BinaryOp::Add => {
                    is_neg(producer(0)) || is_neg(producer(1)) || self.real && self.has_operand_number(op, 0.0)
                }
                BinaryOp::Sub => is_neg(producer(1)) || self.is_number(op.args[1], 0.0),
                BinaryOp::Mul => self.has_operand_number(op, 1.0),
                BinaryOp::Div => self.is_number(op.args[1], 1.0),
                _ => false,
            },
            _ => false,
        }
    }

    /// Returns true if `value` is an elementwise function of a transposed value within `away` ops.
    fn depends_on_transpose(&self, value: ValueId, away: usize) -> bool {
        let Some(op) = self.def_position(value).map(|at| self.op(at)).filter(|_| away > 0) else { return false };
        match &op.kind {
            OpKind::Transpose(_) => true,
            kind if kind.is_elementwise() => {
                op.args.first().is_some_and(|&arg| self.depends_on_transpose(arg, away - 1))
            }
            _ => false,
        }
    }

    fn has_operand_number(&self, op: &Op, number: f64) -> bool {
        op.args.iter().any(|&arg| self.is_number(arg, number))
    }

    /// Returns true if every element of `value` is `number`.
    fn is_number(&self, value: ValueId, number: f64) -> bool {
        let Some(op) = self.def_position(value).map(|at| self.op(at)) else { return false };
        match &op.kind {
            OpKind::Constant(Constant { value: Literal::Splat(x) }) => x.to_f64() == number,
            OpKind::Broadcast(_) => op.args.first().is_some_and(|&arg| self.is_number(arg, number)),
            _ => false,
        }
    }

    /// Returns an op with the ops it is computed from, breadth first, up to the maximum size of a window.
    fn grow_window(&self, seed: usize, taken: &[bool]) -> BTreeSet<usize> {
        let mut ops = BTreeSet::from([seed]);
        let mut todo = std::collections::VecDeque::from([seed]);
        while let Some(at) = todo.pop_front() {
            for &arg in &self.op(at).args {
                if let Some(producer) = self.def_position(arg)
                    && !taken[producer]
                    && ops.len() < MAX_WINDOW_OPS
                    && ops.insert(producer)
                {
                    todo.push_back(producer);
                }
            }
        }
        ops
    }
}
