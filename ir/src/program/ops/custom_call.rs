//! `custom_call`: a call of a function that is not part of the program.
//!
//! A program with such a call can be planned, but not executed, unless the call is in a branch that is not taken. The
//! call is sharded by the rule that its author states. Without one, operands and results are replicated.

use crate::dtype::{DType, Type};
use crate::program::EvalCx;
use crate::program::Program;
use crate::program::class::Class;
use crate::program::op::{EvalResult, InferResult, Interfaces, Operation, op};
use crate::program::ops::Fill;
use crate::rule::{DimMap, FactorId, FactorKind, Rule};
use crate::syntax::attr::AttrNames;
use crate::syntax::lex::{quote, unquote};
use crate::syntax::{Attr, Cursor, lex};
use crate::tensor::Tensor;

op! {
    /// A call of a function that is not part of the program. The result types are declared.
    CustomCall = "custom_call" {
        /// Name of the function.
        "" target: CallTarget,
        /// The first operand is a `bool` that is true if the call is needed. Otherwise the results are zero.
        "guarded" guarded: bool,
        /// Size of each factor of the sharding rule. Empty if the call has no rule.
        "sizes" sizes: Vec<usize>,
        /// Factors of each dimension of each operand of the function, major to minor.
        "operands" operands: Vec<Vec<Vec<u32>>>,
        /// Factors of each dimension of each result, major to minor.
        "results" results: Vec<Vec<Vec<u32>>>,
        /// Factors that cannot be sharded.
        "replicated" replicated: Vec<u32>,
    }
}

/// Name of a function that is not part of the program.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct CallTarget(pub String);

impl Attr for CallTarget {
    fn write(&self, out: &mut String, _: &AttrNames<'_>) {
        quote(&self.0, out);
    }

    fn read(c: &mut Cursor<'_>, _: &AttrNames<'_>) -> lex::Result<Self> {
        let lex::Token::Text(text) = c.peek() else {
            return Err(c.expected("the name of a function in quotes"));
        };
        c.take();
        Ok(CallTarget(unquote(text)))
    }
}

impl CustomCall {
    /// Checks that the factors of a side of the rule have the sizes of its dimensions.
    fn check_side(&self, what: &str, maps: &[Vec<Vec<u32>>], types: &[&Type]) -> Result<(), String> {
        if maps.len() != types.len() {
            return Err(format!("has a sharding rule for {} {what}s, not {}", maps.len(), types.len()));
        }
        for (i, (map, ty)) in maps.iter().zip(types).enumerate() {
            if map.len() != ty.shape.rank() {
                let rank = ty.shape.rank();
                return Err(format!("has a sharding rule for {} dimensions of {what} {i}, not {rank}", map.len()));
            }
            for (dim, &size) in map.iter().zip(ty.shape.iter()) {
                let mut product = Some(1usize);
                for &factor in dim {
                    let Some(&n) = self.sizes.get(factor as usize) else {
                        return Err(format!("has no factor {factor} in its sharding rule"));
                    };
                    product = product.and_then(|product| product.checked_mul(n));
                }
                if !dim.is_empty() && product != Some(size) {
                    return Err(format!("has a sharding rule whose factors do not divide {what} {i}, {ty}"));
                }
            }
        }
        Ok(())
    }
}

impl Operation for CustomCall {
    fn infer(&self, _: &Program, args: &[&Type], declared: &[&Type]) -> InferResult {
        let args = match args {
            [needed, args @ ..] if self.guarded && **needed == Type::new(DType::Bool, []) => args,
            _ if self.guarded => return Err("needs a `bool[]` as its first operand, since it is guarded".into()),
            _ => args,
        };
        if !self.sizes.is_empty() {
            self.check_side("operand", &self.operands, args)?;
            self.check_side("result", &self.results, declared)?;
            if let Some(factor) = self.replicated.iter().find(|&&factor| factor as usize >= self.sizes.len()) {
                return Err(format!("has no factor {factor} in its sharding rule"));
            }
        }
        match declared.iter().find(|ty| ty.shape.checked_count().is_none()) {
            None => Ok(declared.iter().map(|ty| (*ty).clone()).collect()),
            Some(ty) => Err(format!("{ty} has more elements than can be counted")),
        }
    }

    fn class(&self) -> Class<'_> {
        Class::Opaque(self)
    }

    fn rule(&self, args: &[&Type], outs: &[&Type]) -> Rule {
        if self.sizes.is_empty() {
            return Rule::replicated(args, outs);
        }
        let mut rule = Rule::default();
        for (factor, &size) in (0u32..).zip(&self.sizes) {
            let found = |maps: &[Vec<Vec<u32>>]| maps.iter().flatten().flatten().any(|&f| f == factor);
            // A sum over devices is not the result of a function that is not known to be linear.
            let passes = !self.replicated.contains(&factor) && found(&self.results);
            let kind = if passes { FactorKind::PassThrough } else { FactorKind::NeedReplication };
            rule.factor(size, kind);
        }
        let map = |dims: &Vec<Vec<u32>>| -> DimMap {
            dims.iter().map(|dim| dim.iter().map(|&factor| FactorId(factor)).collect()).collect()
        };
        let guard = self.guarded.then(DimMap::new);
        rule.args = guard.into_iter().chain(self.operands.iter().map(map)).collect();
        rule.outs = self.results.iter().map(map).collect();
        rule
    }

    fn flops(&self, _: &[&Type], _: &[&Type]) -> u64 {
        0
    }

    /// Returns the call without its rule, which is stated for global sizes.
    fn to_local(&self, _: &[&Type], _: &[&Type], _: &[&Type]) -> Self {
        CustomCall {
            target: self.target.clone(),
            guarded: self.guarded,
            sizes: Vec::new(),
            operands: Vec::new(),
            results: Vec::new(),
            replicated: Vec::new(),
        }
    }

    fn interfaces(&self) -> Interfaces<'_> {
        Interfaces::NONE
    }

    fn eval(&self, _: &EvalCx<'_>, args: &[&Tensor], outs: &[&Type]) -> EvalResult {
        if self.guarded && args.first().is_some_and(|needed| needed.get(0).is_zero()) {
            return Ok(outs.iter().map(|&ty| Tensor::splat(ty.clone(), Fill::Zero.scalar(ty.dtype))).collect());
        }
        let taken = if self.guarded { ", and its branch is taken" } else { "" };
        Err(format!("calls `@{}`, a function that is not part of the program{taken}", self.target.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::ops::testing::infer_error;

    fn call(sizes: &[usize], operand: &[&[u32]], result: &[&[u32]]) -> CustomCall {
        let map = |dims: &[&[u32]]| vec![dims.iter().map(|dim| dim.to_vec()).collect()];
        CustomCall {
            target: CallTarget("f".into()),
            guarded: false,
            sizes: sizes.to_vec(),
            operands: map(operand),
            results: map(result),
            replicated: Vec::new(),
        }
    }

    #[test]
    fn rules_are_stated() {
        let x = Type::new(DType::F32, [8, 4]);
        let op = call(&[8, 4], &[&[0], &[1]], &[&[0], &[1]]);
        assert_eq!(op.rule(&[&x], &[&x]).to_string(), "([a,b])->([a,b]) {a=8,b=4}");
        let op = CustomCall { replicated: vec![1], ..op };
        assert_eq!(op.rule(&[&x], &[&x]).to_string(), "([a,b])->([a,b]) {a=8,b=4} kinds={b:need_replication}");
        let op = CustomCall { sizes: Vec::new(), ..op };
        let unsharded = "([a,b])->([c,d]) {a=8,b=4,c=8,d=4} \
                         kinds={a:need_replication,b:need_replication,c:need_replication,d:need_replication}";
        assert_eq!(op.rule(&[&x], &[&x]).to_string(), unsharded);
    }

    #[test]
    fn wrong_rules_are_errors() {
        let x = Type::new(DType::F32, [8, 4]);
        let error = |op: CustomCall| infer_error(op, &[&x]);
        let op = call(&[8, 4], &[&[0], &[1]], &[&[0], &[1]]);
        assert_eq!(error(op), "has a sharding rule for 1 results, not 0");
        assert_eq!(error(call(&[8], &[&[0]], &[&[0]])), "has a sharding rule for 1 dimensions of operand 0, not 2");
        assert_eq!(error(call(&[8], &[&[0], &[1]], &[&[0]])), "has no factor 1 in its sharding rule");
        assert_eq!(
            error(call(&[8, 5], &[&[0], &[1]], &[&[0]])),
            "has a sharding rule whose factors do not divide operand 0, f32[8, 4]"
        );
    }

    #[test]
    fn calls_of_branches_that_are_not_taken_are_zero() {
        let guarded = CustomCall { guarded: true, ..call(&[8, 4], &[&[0], &[1]], &[&[0], &[1]]) };
        let (needed, x) = (Type::new(DType::Bool, []), Type::new(DType::F32, [8, 4]));
        assert_eq!(guarded.rule(&[&needed, &x], &[&x]).to_string(), "([],[a,b])->([a,b]) {a=8,b=4}");
        assert_eq!(
            infer_error(guarded.clone(), &[&x, &x]),
            "needs a `bool[]` as its first operand, since it is guarded"
        );
        assert_eq!(infer_error(guarded, &[]), "needs a `bool[]` as its first operand, since it is guarded");
    }
}
