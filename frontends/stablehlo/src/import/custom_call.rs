//! Lowering of custom calls.

use super::Importer;
use crate::fault::{Fault, Result};
use crate::syntax::routine::Routine;
use crate::syntax::sharding_rule::{self, SharedFactors};
use crate::syntax::{Attr, Op};
use partita_ir::arena::ValueId;
use partita_ir::diag::Code;
use partita_ir::dtype::{DType, Type};
use partita_ir::ops::{BinaryOp, CallTarget, Constrain, Convert, CustomCall};
use partita_ir::program::Values;
use partita_ir::tensor::Scalar;

/// Functions that return their operands: annotations of the memory, layout or sharding of a tensor.
const IDENTITIES: [&str; 5] =
    ["annotate_device_placement", "LayoutConstraint", "MoveToDevice", "MoveToHost", "xla.sdy.FuncResultSharding"];

impl<'m, 'a> Importer<'m, 'a> {
    /// Lowers a custom call. `@Sharding` becomes a layout constraint, and a function that is not known a call that can
    /// be planned, but not executed if it is needed. A call without results has no influence on those of the program.
    pub(super) fn custom_call(&mut self, op: &'m Op<'a>, args: &[ValueId]) -> Result<Values> {
        let target = op.attr("call_target_name");
        let target = target.and_then(|t| t.as_symbol().or(t.as_str())).unwrap_or_default();
        match target {
            "Sharding" => self.emit(op, Constrain::default(), args),
            "SPMDFullToShardShape" | "SPMDShardToFullShape" => {
                let title = format!("`{}` of `@{target}` is a manual computation", op.code.name());
                Err(Fault::unsupported(title, op.span())
                    .help(crate::syntax::unsupported_op_help("sdy.manual_computation")))
            }
            "ApproxTopK" => self.approximate_top_k(op, args),
            "X64Combine" => self.combined_halves(op, args),
            "X64SplitLow" | "X64SplitHigh" => self.half_of_word(op, args, target == "X64SplitHigh"),
            _ if IDENTITIES.contains(&target) && self.returns_operands(op, args) => {
                self.constrained_results(op, args.into())
            }
            _ if let Some(routine) = Routine::from_target(target) => self.lapack(op, routine, args),
            _ if target.starts_with("lapack_") => {
                let title = format!("the call target `@{target}` of `{}` is not supported", op.code.name());
                Err(Fault::new(Code::F001, title, op.span()).help(crate::syntax::unsupported_op_help(target)))
            }
            _ if op.types.is_empty() => Ok(Values::new()),
            _ => self.opaque_call(op, target, args),
        }
    }

    fn returns_operands(&self, op: &Op<'a>, args: &[ValueId]) -> bool {
        args.iter().map(|&arg| self.program.ty(arg)).eq(&op.types)
    }

    /// Emits a call of a function that is not known. In a branch it is needed only if the branch is taken: JAX exports
    /// callbacks that raise an exception like this.
    fn opaque_call(&mut self, op: &'m Op<'a>, target: &str, args: &[ValueId]) -> Result<Values> {
        let rule = match op.attr(sharding_rule::NAME) {
            Some(Attr::SharedFactors(rule)) => (**rule).clone(),
            Some(Attr::ShardingRule(text)) => SharedFactors::parse(text).ok_or_else(|| {
                Fault::malformed(format!("`{text}` is not a sharding rule"), op.span())
                    .help("write it like `([i, j])->([i, j]) {i=8, j=4}`")
            })?,
            _ => SharedFactors::default(),
        };
        let SharedFactors { sizes, operands, results, replicated } = rule;
        let target = CallTarget(target.to_owned());
        let needed = self.taken();
        let args: Values = needed.into_iter().chain(args.iter().copied()).collect();
        let guarded = needed.is_some();
        self.emit(op, CustomCall { target, guarded, sizes, operands, results, replicated }, &args)
    }

    /// Lowers the combination of the lower and upper halves of 64-bit integers.
    fn combined_halves(&mut self, op: &'m Op<'a>, args: &[ValueId]) -> Result<Values> {
        let (&[low, high], [ty]) = (args, &op.types[..]) else {
            return Err(self.op_fault(op, "of `@X64Combine` takes two operands and has one result"));
        };
        let wide = Type { dtype: DType::U64, ..ty.clone() };
        let [low, high] = [low, high].map(|half| self.temp("half", Convert {}, &[half], wide.clone()));
        let bits = self.filled_like(Scalar::Int(32), high);
        let high = self.binary_of(BinaryOp::ShiftLeft, high, bits);
        let all = self.binary_of(BinaryOp::Or, low, high);
        self.emit(op, Convert {}, &[all])
    }

    /// Lowers the selection of a half of 64-bit integers.
    fn half_of_word(&mut self, op: &'m Op<'a>, args: &[ValueId], is_high: bool) -> Result<Values> {
        let &[x] = args else { return Err(self.op_fault(op, "of a half takes one operand")) };
        let bits = self.filled_like(Scalar::Int(if is_high { 32 } else { 0 }), x);
        let half = self.binary_of(BinaryOp::ShiftRightLogical, x, bits);
        self.emit(op, Convert {}, &[half])
    }
}

/// Returns an integer option of a custom call.
pub(super) fn option(op: &Op<'_>, name: &str) -> Option<i64> {
    config_entry(op, name)?.as_int()
}

/// Returns a boolean option of a custom call.
pub(super) fn flag(op: &Op<'_>, name: &str) -> Option<bool> {
    match config_entry(op, name)? {
        Attr::Bool(flag) => Some(*flag),
        _ => None,
    }
}

/// Returns an entry of the backend configuration of a custom call, which JAX writes to an attribute of its own so that
/// earlier versions of StableHLO can express it.
fn config_entry<'o, 'a>(op: &'o Op<'a>, name: &str) -> Option<&'o Attr<'a>> {
    let mut configs = ["mhlo.backend_config", "backend_config"].into_iter().filter_map(|name| op.attr(name)?.as_dict());
    configs.find_map(|config| config.iter().find(|(key, _)| *key == name)).map(|(_, value)| value)
}
