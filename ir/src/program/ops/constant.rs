//! `constant`: a tensor of fixed numbers.

use crate::arena::ValueId;
use crate::dtype::{ElementStorage, Type};
use crate::mesh::Axes;
use crate::program::EvalCx;
use crate::program::build::Builder;
use crate::program::class::{Class, SourceOp};
use crate::program::op::{EvalResult, InferResult, Interfaces, Operation, Positional, op};
use crate::program::ops::{Shard, check};
use crate::program::{Program, Values};
use crate::rule::Rule;
use crate::syntax::attr::AttrNames;
use crate::syntax::lex::{self, Token};
use crate::syntax::{Attr, Cursor};
use crate::tensor::{Data, Scalar, Tensor};
use smallvec::smallvec;
use std::sync::Arc;

op! {
    /// A tensor of fixed numbers. A splat can have any layout at no cost.
    Constant = "constant" {
        /// The elements.
        "" value: Literal,
    }
}

/// The elements of a constant.
#[derive(Clone, PartialEq, Debug)]
pub enum Literal {
    /// All elements are equal.
    Splat(Scalar),
    /// One number per element, in row-major order, already rounded to the element type.
    Dense(Arc<[Scalar]>),
}

impl Default for Literal {
    fn default() -> Self {
        Literal::Splat(Scalar::Int(0))
    }
}

/// `0.5`, or `[1, 2, 3]`.
impl Attr for Literal {
    fn write(&self, out: &mut String, names: &AttrNames<'_>) {
        match self {
            Literal::Splat(value) => value.write(out, names),
            Literal::Dense(items) => {
                out.push('[');
                for (i, x) in items.iter().enumerate() {
                    if i > 0 {
                        out.push_str(", ");
                    }
                    x.write(out, names);
                }
                out.push(']');
            }
        }
    }
    fn read(c: &mut Cursor<'_>, names: &AttrNames<'_>) -> lex::Result<Self> {
        if c.peek() == Token::Punct('[') {
            return Ok(Literal::Dense(c.list(|c| Scalar::read(c, names))?.into()));
        }
        Ok(Literal::Splat(Scalar::read(c, names)?))
    }
}

impl Constant {
    /// Returns the number that all elements are equal to, for a splat.
    pub fn splat(&self) -> Option<Scalar> {
        match self.value {
            Literal::Splat(number) => Some(number),
            Literal::Dense(_) => None,
        }
    }
}

impl Operation for Constant {
    fn infer(&self, _: &Program, args: &[&Type], declared: &[&Type]) -> InferResult {
        let [] = check::exactly(args)?;
        let ty = check::declared_one(declared)?;
        match &self.value {
            Literal::Dense(items) if ty.shape.checked_count() != Some(items.len()) => {
                Err(format!("has {}, which do not fill {ty}", check::plural(items.len(), "number")))
            }
            Literal::Dense(_) | Literal::Splat(_) => check::single_result(ty.clone()),
        }
    }

    fn class(&self) -> Class<'_> {
        Class::Source(SourceOp::Constant(self))
    }

    fn rule(&self, _: &[&Type], outs: &[&Type]) -> Rule {
        Rule::elementwise(&outs[0].shape, 0)
    }

    fn flops(&self, _: &[&Type], _: &[&Type]) -> u64 {
        0
    }

    fn to_local(&self, _: &[&Type], _: &[&Type], _: &[&Type]) -> Self {
        self.clone()
    }

    fn interfaces(&self) -> Interfaces<'_> {
        Interfaces { positional: Some(self), ..Interfaces::NONE }
    }

    fn eval(&self, _: &EvalCx<'_>, _: &[&Tensor], outs: &[&Type]) -> EvalResult {
        let ty = outs[0].clone();
        Ok(vec![match &self.value {
            Literal::Splat(value) => Tensor::splat(ty, *value),
            Literal::Dense(items) => {
                let data = match ty.dtype.storage() {
                    ElementStorage::F64 => Data::F64(items.iter().map(|x| x.to_f64()).collect()),
                    ElementStorage::F32 => Data::F32(items.iter().map(|x| x.to_f64() as f32).collect()),
                    ElementStorage::Int => Data::Int(items.iter().map(|x| x.to_i64()).collect()),
                };
                Tensor { ty, data }.wrapped()
            }
        }])
    }
}

impl Positional for Constant {
    /// A splat is equal on all devices; of a dense constant each device slices its shard.
    fn build_shard(
        &self,
        b: &mut Builder<'_>,
        _: &[ValueId],
        dims: &[(usize, Axes)],
        locals: &[&Type],
    ) -> Option<Values> {
        let &[local] = locals else { return None };
        let Literal::Dense(_) = &self.value else { return None };
        let mut ty = Type { shape: dims.iter().map(|dim| dim.0).collect(), dtype: local.dtype };
        let mut value = b.op("c", self.clone(), &[], ty.clone());
        for (dim, (_, axes)) in dims.iter().enumerate().filter(|(_, (_, axes))| !axes.is_empty()) {
            ty.shape[dim] = local.shape[dim];
            value = b.op("c", Shard { dim, axes: axes.clone() }, &[value], ty.clone());
        }
        Some(smallvec![value])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::program::ops::testing::{assert_shards_match, eval_as, infer_error_as, ints};

    #[test]
    fn a_dense_constant_fills_its_shape() {
        let value = Literal::Dense([Scalar::Int(1), Scalar::Int(300)].into());
        let ty = Type::new(DType::U8, [2]);
        assert_eq!(eval_as(Constant { value: value.clone() }, &[], &ty), ints(DType::U8, [2], &[1, 44]));
        let error = infer_error_as(Constant { value }, &[], &Type::new(DType::U8, [3]));
        assert_eq!(error, "has 2 numbers, which do not fill u8[3]");
    }

    #[test]
    fn sizes_that_overflow_are_errors() {
        let ty = Type::new(DType::F64, [1 << 62, 2]);
        let error = infer_error_as(Constant { value: Literal::default() }, &[], &ty);
        assert!(error.contains("more elements than can be counted"), "{error}");
    }

    #[test]
    fn every_device_slices_its_shard() {
        let value = Literal::Dense((0..35).map(Scalar::Int).collect());
        assert_shards_match(Constant { value }, &[], &Type::new(DType::I32, [5, 7]));
    }
}
