//! Evaluation of normal forms: the numbers that the expressions of an element denote.
//!
//! Recogniser: a bitcast is not evaluated, since its value depends on the width of floats.

use partita_equality::normal_form::expr::{Domain, ExprId, Factor, Monomial};
use partita_equality::normal_form::index::{Index, IndexVar};
use partita_equality::normal_form::{NormalForms, OpaqueTensor};
use partita_equality::term::TermAnalysis;
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::interp::{self, widened};
use partita_ir::layout::Monoid;
use partita_ir::op::OpKind;
use partita_ir::program::{EvalCx, Program};
use partita_ir::tensor::{Scalar, Tensor, wrap};
use std::cell::Cell;

/// Value of each variable by its number.
type Variables = Vec<(u32, i64)>;

/// Evaluator of the normal forms of a program's values.
pub struct Evaluator<'a> {
    /// Normal forms.
    pub forms: &'a NormalForms,
    /// Interned ops.
    pub analysis: &'a TermAnalysis,
    /// Inputs, by index.
    pub inputs: &'a [Tensor],
    /// Number of expressions that may still be evaluated.
    pub budget: Cell<usize>,
}

impl Evaluator<'_> {
    /// Returns the tensor that an expression of its elements denotes, with floats in `f64`. `None` if an opaque op
    /// cannot be evaluated, or the budget is exhausted.
    pub fn tensor(&self, ty: &Type, element: ExprId) -> Option<Tensor> {
        let ty = Type { dtype: widened(ty.dtype), ..ty.clone() };
        let mut numbers = Vec::with_capacity(ty.shape.count());
        let mut position = vec![0i64; ty.shape.rank()];
        for _ in 0..ty.shape.count() {
            let variables = (0u32..).zip(position.iter().copied()).collect();
            numbers.push(self.expr(element, &variables)?);
            for (at, &size) in position.iter_mut().zip(ty.shape.iter()).rev() {
                *at += 1;
                if *at < size as i64 {
                    break;
                }
                *at = 0;
            }
        }
        Some(match ty.dtype.is_float() {
            true => Tensor::from_floats(ty, numbers.into_iter().map(Scalar::to_f64).collect()),
            false => Tensor::from_ints(ty, numbers.into_iter().map(Scalar::to_i64).collect()),
        })
    }

    fn expr(&self, id: ExprId, variables: &Variables) -> Option<Scalar> {
        self.budget.set(self.budget.get().checked_sub(1)?);
        let expr = self.forms.exprs.expr(id);
        for &guard in &expr.guards {
            if self.expr(guard, variables)?.to_i64() == 0 {
                return Some(Scalar::Float(f64::NAN));
            }
        }
        let mut sum = 0.0;
        let mut int_sum = 0i64;
        for (monomial, coefficient) in &expr.terms {
            match expr.domain {
                Domain::Real => sum += coefficient.to_f64() * self.monomial(monomial, variables)?,
                Domain::Integer(_) => {
                    let mut product = coefficient.as_int()?;
                    for (factor, power) in monomial {
                        let base = self.factor(self.forms.exprs.factor(*factor), variables)?.to_i64();
                        product = product.wrapping_mul(base.wrapping_pow(u32::try_from(power.as_int()?).ok()?));
                    }
                    int_sum = int_sum.wrapping_add(product);
                }
            }
        }
        Some(match expr.domain {
            Domain::Real => Scalar::Float(sum),
            Domain::Integer(ty) => wrap(ty.0, Scalar::Int(int_sum)),
        })
    }

    fn monomial(&self, monomial: &Monomial, variables: &Variables) -> Option<f64> {
        let mut product = 1.0;
        for (factor, power) in monomial {
            product *= self.factor(self.forms.exprs.factor(*factor), variables)?.to_f64().powf(power.to_f64());
        }
        Some(product)
    }

    fn factor(&self, factor: &Factor, variables: &Variables) -> Option<Scalar> {
        match factor {
            Factor::Element(tensor, at) => {
                let tensor = self.opaque(*tensor)?;
                let mut flat = 0;
                for (index, stride) in at.iter().zip(tensor.ty.shape.strides()) {
                    flat += self.index(index, variables)? * stride as i64;
                }
                // Only the branch of a selection that is not taken reads positions out of range.
                let in_range = usize::try_from(flat).ok().filter(|&flat| flat < tensor.ty.shape.count());
                Some(in_range.map_or(Scalar::Float(0.0), |flat| tensor.get(flat)))
            }
            Factor::Position(index) => Some(Scalar::Int(self.index(index, variables)?)),
            Factor::Float(bits) => Some(Scalar::Float(f64::from_bits(*bits))),
            Factor::Exp(exponent) => Some(Scalar::Float(self.monomial(exponent, variables)?.exp())),
            Factor::Paren(base) => self.expr(*base, variables),
            Factor::Call(function, args) => {
                let mut operands = Vec::new();
                for &arg in args {
                    let dtype = match self.forms.exprs.expr(arg).domain {
                        Domain::Real => DType::F64,
                        Domain::Integer(ty) => ty.0,
                    };
                    let scalar = Type::new(dtype, Shape::scalar());
                    operands.push(Tensor::splat(scalar, self.expr(arg, variables)?));
                }
                self.call(&function.kind, function.out, &operands)
            }
            Factor::Reduce(monoid, bound, body) => self.reduced(*monoid, bound, *body, variables),
        }
    }

    /// Applies an elementwise op to scalars; an op of two operands is applied to any number in sequence.
    fn call(&self, kind: &OpKind, out: DType, operands: &[Tensor]) -> Option<Scalar> {
        if let OpKind::Bitcast(_) = kind {
            return None;
        }
        let out = Type::new(widened(out), Shape::scalar());
        let program = Program::default();
        let cx = EvalCx {
            program: &program,
            device: None,
            call: &|_, _| Err("calls nothing".into()),
            run: &|program, inputs| interp::run(program, inputs),
        };
        let apply = |args: &[&Tensor]| Some(kind.eval(&cx, args, &[&out]).ok()?.remove(0));
        let result = match (kind, operands) {
            (OpKind::Binary(_), [first, rest @ ..]) => {
                let mut result = first.clone();
                for operand in rest {
                    result = apply(&[&result, operand])?;
                }
                result
            }
            _ => apply(&operands.iter().collect::<Vec<_>>())?,
        };
        Some(result.get(0))
    }

    fn reduced(&self, monoid: Monoid, bound: &[(u32, i64)], body: ExprId, variables: &Variables) -> Option<Scalar> {
        let Some((&(id, size), rest)) = bound.split_first() else { return self.expr(body, variables) };
        let mut total: Option<Scalar> = None;
        for at in 0..size {
            let inner = variables.iter().copied().filter(|(other, _)| *other != id).chain([(id, at)]).collect();
            let next = self.reduced(monoid, rest, body, &inner)?;
            total = Some(match (total, next) {
                (None, next) => next,
                (Some(Scalar::Float(a)), Scalar::Float(b)) => Scalar::Float(match monoid {
                    Monoid::Sum => a + b,
                    Monoid::Prod => a * b,
                    Monoid::Max => a.max(b),
                    Monoid::Min => a.min(b),
                    Monoid::And | Monoid::Or => return None,
                }),
                (Some(a), b) => {
                    let (a, b) = (a.to_i64(), b.to_i64());
                    Scalar::Int(match monoid {
                        Monoid::Sum => a.wrapping_add(b),
                        Monoid::Prod => a.wrapping_mul(b),
                        Monoid::Max => a.max(b),
                        Monoid::Min => a.min(b),
                        Monoid::And => a & b,
                        Monoid::Or => a | b,
                    })
                }
            });
        }
        total
    }

    fn index(&self, index: &Index, variables: &Variables) -> Option<i64> {
        let mut sum = index.constant;
        for (var, coefficient) in &index.terms {
            let value = match var {
                IndexVar::Var { id, .. } => variables.iter().find(|(known, _)| known == id)?.1,
                IndexVar::Div(inner, by) => self.index(inner, variables)?.div_euclid(*by),
                IndexVar::Mod(inner, by) => self.index(inner, variables)?.rem_euclid(*by),
                IndexVar::Dynamic(expr, most) => {
                    let at = self.expr(*expr, variables)?.to_i64();
                    let is_unsigned = match self.forms.exprs.expr(*expr).domain {
                        Domain::Integer(ty) => ty.0.is_unsigned(),
                        Domain::Real => return None,
                    };
                    if at < 0 && is_unsigned { *most } else { at.clamp(0, *most) }
                }
            };
            sum += value * coefficient;
        }
        Some(sum)
    }

    fn opaque(&self, at: u32) -> Option<Tensor> {
        match self.forms.opaque_tensor(at) {
            OpaqueTensor::Input(at) => self.inputs.get(*at as usize).cloned(),
            OpaqueTensor::Class(_) => None,
            OpaqueTensor::Result { call, out, args, types } => {
                let call = self.analysis.call_at(*call);
                let mut operands = Vec::new();
                for (&arg, &ty) in args.iter().zip(types) {
                    operands.push(self.tensor(self.analysis.type_at(ty), arg)?);
                }
                let outs: Vec<Type> =
                    call.outs.iter().map(|ty| Type { dtype: widened(ty.dtype), ..ty.clone() }).collect();
                let program = Program::default();
                let cx = EvalCx {
                    program: &program,
                    device: None,
                    call: &|_, _| Err("calls nothing".into()),
                    run: &|program, inputs| interp::run(program, inputs),
                };
                let operands: Vec<&Tensor> = operands.iter().collect();
                let results = call.kind.eval(&cx, &operands, &outs.iter().collect::<Vec<_>>()).ok()?;
                results.into_iter().nth(*out as usize)
            }
        }
    }
}
