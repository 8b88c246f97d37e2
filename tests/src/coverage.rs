//! What the random programs have met: every op kind, every class of split factor, every collective.

use partita_ir::op::OpKind;
use partita_ir::ops::{BinaryOp, UnaryOp};
use partita_ir::program::{Form, Op, Program};
use partita_ir::rule::FactorKind;
use std::collections::BTreeMap;
use std::fmt;

/// How often each thing was met.
#[derive(Default)]
pub struct Coverage {
    ops: BTreeMap<&'static str, usize>,
    factors: BTreeMap<&'static str, usize>,
    made: BTreeMap<&'static str, usize>,
}

/// Classes of factors.
const CLASSES: [&str; 6] = ["pass", "reduce", "whole", "inner", "window", "indexed"];

fn class(kind: FactorKind) -> &'static str {
    match kind {
        FactorKind::Pass => "pass",
        FactorKind::Reduce(_) => "reduce",
        FactorKind::Whole => "whole",
        FactorKind::Inner => "inner",
        FactorKind::Window(_) => "window",
        FactorKind::Indexed => "indexed",
    }
}

impl Coverage {
    /// Nothing met yet: every name stands at 0.
    pub fn new() -> Coverage {
        let families = ["unary", "binary"];
        let drawn = |name: &&str| !families.contains(name) && !is_made(name);
        let members = UnaryOp::ALL.map(UnaryOp::name).into_iter().chain(BinaryOp::ALL.map(BinaryOp::name));
        let names = OpKind::NAMES.iter().copied().filter(drawn).chain(members);
        Coverage {
            ops: names.map(|n| (n, 0)).collect(),
            factors: CLASSES.map(|c| (c, 0)).into_iter().collect(),
            made: OpKind::NAMES.iter().copied().filter(|n| is_made(n)).map(|n| (n, 0)).collect(),
        }
    }

    /// Counts the ops of a traced program.
    pub fn drawn(&mut self, program: &Program) {
        for func in program.callees_first() {
            for op in program.funcs[func].ops().iter().map(|&op| &program.ops[op]) {
                let name = if let OpKind::DotGeneral(_) = op.kind { op.kind.family() } else { op.kind.name() };
                *self.ops.entry(name).or_default() += 1;
            }
        }
    }

    /// Counts what a pass has left: the classes of factors that its layouts ask to split (what cannot be split is asked
    /// for in the form planned only), and what the partitioner has put in.
    pub fn met(&mut self, program: &Program) {
        for func in program.laid_out_funcs() {
            for op in program.funcs[func].ops().iter().map(|&op| &program.ops[op]) {
                if let Some(count) = self.made.get_mut(op.kind.family()) {
                    *count += 1;
                } else if matches!(program.form, Form::Planned | Form::Explicit) {
                    self.factors(program, op);
                }
            }
        }
    }

    fn factors(&mut self, program: &Program, op: &Op) {
        let rule = op.kind.rule(&program.arg_types(op), &program.out_types(op));
        let layouts = op.args.iter().chain(&op.outs).filter_map(|&v| program.values[v].layout.as_deref());
        let split = rule.assign(layouts).factors;
        for (factor, _) in rule.factors.iter().zip(&split).filter(|(_, axes)| !axes.is_empty()) {
            *self.factors.entry(class(factor.kind)).or_default() += 1;
        }
    }

    /// What the partitioner put in, one line each.
    pub fn inserted(&self) -> String {
        self.made.iter().filter(|(_, n)| **n > 0).map(|(name, n)| format!("{name} {n}\n")).collect()
    }

    /// What was never met.
    pub fn missing(&self) -> Vec<&'static str> {
        let all = self.ops.iter().chain(&self.factors).chain(&self.made);
        all.filter(|(_, n)| **n == 0).map(|(name, _)| *name).collect()
    }
}

/// Whether only the partitioner makes ops of that family.
fn is_made(family: &str) -> bool {
    const MADE: [&str; 10] = [
        "reshard",
        "all_reduce",
        "all_gather",
        "reduce_scatter",
        "all_to_all",
        "permute",
        "shard",
        "partial",
        "mask",
        "piece_start",
    ];
    MADE.contains(&family)
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (title, counts) in [("operations", &self.ops), ("split factors", &self.factors), ("inserted", &self.made)] {
            writeln!(f, "{title}:")?;
            let items: Vec<String> = counts.iter().map(|(name, n)| format!("{name} {n}")).collect();
            for line in items.chunks(8) {
                writeln!(f, "  {}", line.join(", "))?;
            }
        }
        Ok(())
    }
}
