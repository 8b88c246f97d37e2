//! Coverage of random programs: op kinds, factor kinds, and collectives that occurred.

use partita_ir::op::OpKind;
use partita_ir::ops::{BinaryOp, UnaryOp};
use partita_ir::program::{Form, Op, Program};
use partita_ir::rule::FactorKind;
use std::collections::BTreeMap;
use std::fmt;

/// Number of occurrences of each covered name.
#[derive(Default)]
pub struct Coverage {
    ops: BTreeMap<&'static str, usize>,
    factors: BTreeMap<&'static str, usize>,
    inserted: BTreeMap<&'static str, usize>,
}

/// Names of factor kinds.
const FACTOR_KIND_NAMES: [&str; 7] =
    ["pass-through", "reduce", "need-replication", "inner", "window", "indexed", "exchanged"];

fn factor_kind_name(kind: FactorKind) -> &'static str {
    match kind {
        FactorKind::PassThrough => "pass-through",
        FactorKind::Reduce(_) => "reduce",
        FactorKind::NeedReplication => "need-replication",
        FactorKind::Inner => "inner",
        FactorKind::Window(_) => "window",
        FactorKind::Indexed => "indexed",
        FactorKind::Exchanged { .. } => "exchanged",
    }
}

impl Coverage {
    /// Returns coverage with all counts zero.
    pub fn new() -> Coverage {
        let families = ["unary", "binary"];
        let drawn =
            |name: &&str| !families.contains(name) && !is_inserted_by_partitioner(name) && !NEVER_DRAWN.contains(name);
        let members = UnaryOp::ALL.map(UnaryOp::name).into_iter().chain(BinaryOp::ALL.map(BinaryOp::name));
        let names = OpKind::NAMES.iter().copied().filter(drawn).chain(members);
        Coverage {
            ops: names.map(|n| (n, 0)).collect(),
            factors: FACTOR_KIND_NAMES.map(|c| (c, 0)).into_iter().collect(),
            inserted: OpKind::NAMES.iter().copied().filter(|n| is_inserted_by_partitioner(n)).map(|n| (n, 0)).collect(),
        }
    }

    /// Counts the ops of a traced program.
    pub fn count_ops(&mut self, program: &Program) {
        for func in program.callees_first() {
            for op in program.funcs[func].ops().iter().map(|&op| &program.ops[op]) {
                let name = if let OpKind::DotGeneral(_) = op.kind { op.kind.family() } else { op.kind.name() };
                *self.ops.entry(name).or_default() += 1;
            }
        }
    }

    /// Counts the result of a pass: the factor kinds that its layouts shard (unshardable factors occur in planned form
    /// only), and the ops inserted by the partitioner.
    pub fn count_pass_result(&mut self, program: &Program) {
        for func in program.funcs_with_layouts() {
            for op in program.funcs[func].ops().iter().map(|&op| &program.ops[op]) {
                if let Some(count) = self.inserted.get_mut(op.kind.family()) {
                    *count += 1;
                } else if matches!(program.form, Form::Planned | Form::Explicit) {
                    self.count_factors(program, op);
                }
            }
        }
    }

    fn count_factors(&mut self, program: &Program, op: &Op) {
        let rule = op.kind.rule(&program.arg_types(op), &program.out_types(op));
        let layouts = op.args.iter().chain(&op.outs).filter_map(|&v| program.values[v].layout.as_deref());
        let split = rule.infer_factor_axes(layouts).factors;
        for (factor, _) in rule.factors.iter().zip(&split).filter(|(_, axes)| !axes.is_empty()) {
            *self.factors.entry(factor_kind_name(factor.kind)).or_default() += 1;
        }
    }

    /// Returns the counts of ops inserted by the partitioner, one per line.
    pub fn inserted_counts(&self) -> String {
        self.inserted.iter().filter(|(_, n)| **n > 0).map(|(name, n)| format!("{name} {n}\n")).collect()
    }

    /// Returns the names that never occurred.
    pub fn missing(&self) -> Vec<&'static str> {
        let all = self.ops.iter().chain(&self.factors).chain(&self.inserted);
        all.filter(|(_, n)| **n == 0).map(|(name, _)| *name).collect()
    }
}

/// Ops that random programs never contain: gradients and optimizers, which training inserts, and calls of functions
/// that cannot be executed.
const NEVER_DRAWN: [&str; 4] = ["adam", "attention_grad", "custom_call", "momentum"];

/// Returns true if ops of a family are created by the partitioner only.
fn is_inserted_by_partitioner(family: &str) -> bool {
    const PARTITIONER_FAMILIES: [&str; 10] = [
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
    PARTITIONER_FAMILIES.contains(&family)
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (title, counts) in
            [("operations", &self.ops), ("sharded factors", &self.factors), ("inserted", &self.inserted)]
        {
            writeln!(f, "{title}:")?;
            let items: Vec<String> = counts.iter().map(|(name, n)| format!("{name} {n}")).collect();
            for line in items.chunks(8) {
                writeln!(f, "  {}", line.join(", "))?;
            }
        }
        Ok(())
    }
}
