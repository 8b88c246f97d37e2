//! Expressions of one element of a tensor: polynomials over factors, each stored once.
//!
//! Recogniser: the values of other functions of infinite numbers are unknown, which makes fewer programs provable,
//! never more.

use super::index::{FIRST_BOUND, Index, IndexVar};
use super::rational::Rational;
use indexmap::IndexSet;
use partita_ir::dtype::DType;
use partita_ir::layout::Monoid;
use partita_ir::op::OpKind;
use partita_ir::ops::{Binary, BinaryOp};
use partita_ir::tensor::wrap_int;
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;

/// Numbers of at least this magnitude stand for infinity, as in masks.
const MIN_INFINITE_MAGNITUDE: f64 = 1e30;

/// Index of an expression in [`Exprs`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ExprId(pub u32);

/// Index of a factor in [`Exprs`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FactorId(pub u32);

/// Numbers that an expression denotes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Domain {
    /// Real numbers: floats of any width, without rounding.
    Real,
    /// Integers of this type, which wrap, or truth values 0 and 1.
    Integer(IntegerType),
}

/// Integer type or `bool`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct IntegerType(pub DType);

impl PartialOrd for IntegerType {
    fn partial_cmp(&self, other: &IntegerType) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for IntegerType {
    fn cmp(&self, other: &IntegerType) -> std::cmp::Ordering {
        self.0.name().cmp(other.0.name())
    }
}

impl Domain {
    /// Returns the domain of an element type.
    pub fn from_dtype(dtype: DType) -> Domain {
        if dtype.is_float() { Domain::Real } else { Domain::Integer(IntegerType(dtype)) }
    }

    /// Returns the truth values.
    pub fn boolean() -> Domain {
        Domain::Integer(IntegerType(DType::Bool))
    }

    /// Returns a coefficient in the range of the domain, or `None` for a coefficient that the domain lacks.
    pub fn wrap(self, number: Rational) -> Option<Rational> {
        match self {
            Domain::Real => Some(number),
            Domain::Integer(IntegerType(dtype)) => Some(Rational::from_int(wrap_int(dtype, number.as_int()?))),
        }
    }
}

/// Sum of monomials. The value is NaN unless all guards are true.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Expr {
    /// Numbers that the expression denotes.
    pub domain: Domain,
    /// Distinct monomials in order, each with its coefficient, which is not zero.
    pub terms: Vec<(Monomial, Rational)>,
    /// Conditions, in order.
    pub guards: Vec<ExprId>,
}

/// Product of distinct factors in order, each with its exponent, which is not zero.
pub type Monomial = SmallVec<[(FactorId, Rational); 4]>;

/// Factor of a monomial.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Factor {
    /// Element of an opaque tensor.
    Element(u32, Vec<Index>),
    /// Position as a number: an element of `iota`.
    Position(Index),
    /// Float that is not a coefficient: infinite, or too small or large.
    Float(u64),
    /// Exponential of a monomial.
    Exp(Monomial),
    /// Expression that is not expanded: the base of a power, or a sum in a large product.
    Paren(ExprId),
    /// Elementwise function of expressions.
    Call(Function, Vec<ExprId>),
    /// Reduction of a monomial or, unless it is a sum, of an expression over bound variables.
    Reduce(Monoid, Vec<(u32, i64)>, ExprId),
}

/// Elementwise function, with the domains of operands and result where these matter.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    /// Op on scalars.
    pub kind: OpKind,
    /// Element type of the result.
    pub out: DType,
}

impl Eq for Function {}

impl std::hash::Hash for Function {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.kind.name().hash(state);
        self.out.hash(state);
    }
}

/// Infinite values that an expression can have if inputs and results of opaque ops are finite and no number is too
/// large for its type.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Boundedness {
    /// Finite numbers.
    Finite,
    /// Finite numbers or negative infinity, such as masked-out scores.
    MayBeNegativeInfinity,
    /// Any values, including NaN.
    Unknown,
}

/// Properties of an expression or factor that follow from those of its parts: the lowest numbers above those of
/// variables, and the boundedness.
#[derive(Clone, Copy)]
struct Summary {
    /// Above all variables.
    all: u32,
    /// Above the variables that reductions within the expression bind.
    binders: u32,
    bounds: Boundedness,
}

impl Summary {
    const NONE: Summary = Summary { all: FIRST_BOUND, binders: FIRST_BOUND, bounds: Boundedness::Finite };

    fn max(self, other: Summary) -> Summary {
        Summary {
            all: self.all.max(other.all),
            binders: self.binders.max(other.binders),
            bounds: self.bounds.max(other.bounds),
        }
    }

    fn with_bounds(self, bounds: Boundedness) -> Summary {
        Summary { bounds, ..self }
    }
}

/// Store of expressions and factors.
#[derive(Default)]
pub struct Exprs {
    exprs: IndexSet<Expr, FxBuildHasher>,
    factors: IndexSet<Factor, FxBuildHasher>,
    /// Summaries of factors and expressions, by id.
    factor_summaries: Vec<Summary>,
    expr_summaries: Vec<Summary>,
    /// Boundedness of opaque tensors, by index.
    pub(super) tensor_bounds: Vec<Boundedness>,
    /// Number of operations so far.
    pub work: usize,
    pub(super) substituted: FxHashMap<(ExprId, Vec<(u32, Index)>), ExprId>,
}

impl Exprs {
    /// Returns the expression with that id.
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.0 as usize]
    }

    /// Returns the factor with that id.
    pub fn factor(&self, id: FactorId) -> &Factor {
        &self.factors[id.0 as usize]
    }

    /// Stores an expression whose terms may be unordered but are distinct.
    pub fn add_expr(&mut self, mut expr: Expr) -> ExprId {
        self.work += 1;
        expr.terms.retain(|(_, coefficient)| !coefficient.is_zero());
        expr.terms.sort_unstable();
        expr.guards.sort_unstable();
        expr.guards.dedup();
        let (at, is_new) = self.exprs.insert_full(expr);
        if is_new {
            let expr = &self.exprs[at];
            let terms = expr.terms.iter().map(|(monomial, coefficient)| self.term_summary(monomial, *coefficient));
            let guards = expr.guards.iter().map(|&guard| self.summary(guard));
            let summary = terms.chain(guards).fold(Summary::NONE, Summary::max);
            self.expr_summaries.push(summary);
        }
        ExprId(at as u32)
    }

    /// Stores a factor.
    pub fn add_factor(&mut self, factor: Factor) -> FactorId {
        self.work += 1;
        let (at, is_new) = self.factors.insert_full(factor);
        if is_new {
            let summary = match &self.factors[at] {
                Factor::Element(tensor, at) => {
                    let at = at.iter().map(|index| self.index_summary(index)).fold(Summary::NONE, Summary::max);
                    at.with_bounds(self.tensor_bounds[*tensor as usize])
                }
                Factor::Position(index) => self.index_summary(index),
                Factor::Float(bits) => Summary::NONE.with_bounds(number_bounds(f64::from_bits(*bits))),
                Factor::Exp(monomial) => {
                    let exponent = self.term_summary(monomial, Rational::ONE);
                    // The exponential of negative infinity is 0.
                    exponent.with_bounds(exponent.bounds)
                }
                Factor::Paren(expr) => self.summary(*expr),
                Factor::Call(function, args) => {
                    let all = args.iter().map(|&arg| self.summary(arg)).fold(Summary::NONE, Summary::max);
                    all.with_bounds(self.call_bounds(function, args))
                }
                Factor::Reduce(monoid, vars, body) => {
                    let top = vars.iter().map(|(id, _)| id + 1).max().unwrap_or(FIRST_BOUND);
                    let body = self.summary(*body);
                    let bounds = match (monoid, body.bounds) {
                        (_, Boundedness::Finite) => Boundedness::Finite,
                        // Every row is assumed to have a finite element.
                        (Monoid::Max, Boundedness::MayBeNegativeInfinity) => Boundedness::Finite,
                        _ => Boundedness::Unknown,
                    };
                    body.max(Summary { all: top, binders: top, bounds }).with_bounds(bounds)
                }
            };
            self.factor_summaries.push(summary);
        }
        FactorId(at as u32)
    }

    /// Returns the lowest number above all variables of an expression.
    pub fn height(&self, expr: ExprId) -> u32 {
        self.summary(expr).all
    }

    /// Returns the lowest number above all variables that reductions within an expression bind.
    pub fn binder_height(&self, expr: ExprId) -> u32 {
        self.summary(expr).binders
    }

    fn summary(&self, expr: ExprId) -> Summary {
        self.expr_summaries[expr.0 as usize]
    }

    /// Returns the boundedness of an expression.
    pub fn bounds(&self, expr: ExprId) -> Boundedness {
        self.summary(expr).bounds
    }

    /// Returns the boundedness of a monomial.
    pub fn monomial_bounds(&self, monomial: &Monomial) -> Boundedness {
        self.term_summary(monomial, Rational::ONE).bounds
    }

    /// Returns true if an expression has only finite values.
    pub fn is_finite(&self, expr: ExprId) -> bool {
        self.bounds(expr) == Boundedness::Finite
    }

    fn term_summary(&self, monomial: &Monomial, coefficient: Rational) -> Summary {
        let mut summary = match monomial.is_empty() {
            true => Summary::NONE.with_bounds(number_bounds(coefficient.to_f64())),
            false => Summary::NONE,
        };
        for &(factor, power) in monomial {
            let mut part = self.factor_summaries[factor.0 as usize];
            if part.bounds == Boundedness::MayBeNegativeInfinity {
                let is_alone = monomial.len() == 1 && power == Rational::ONE && !coefficient.is_negative();
                part.bounds = match self.factor(factor) {
                    Factor::Exp(_) if power.is_negative() => Boundedness::Unknown,
                    Factor::Exp(_) => Boundedness::Finite,
                    _ if is_alone => Boundedness::MayBeNegativeInfinity,
                    _ => Boundedness::Unknown,
                };
            }
            summary = summary.max(part);
        }
        summary
    }

    fn call_bounds(&self, function: &Function, args: &[ExprId]) -> Boundedness {
        use Boundedness::{Finite, MayBeNegativeInfinity, Unknown};
        let bounds = |arg: &ExprId| match self.as_float(*arg) {
            Some(f64::NEG_INFINITY) => MayBeNegativeInfinity,
            _ => self.bounds(*arg),
        };
        match &function.kind {
            _ if !function.out.is_float() => Finite,
            OpKind::Select(_) => args.iter().skip(1).map(bounds).max().unwrap_or(Unknown),
            OpKind::Binary(Binary { op: BinaryOp::Min }) => args.iter().map(bounds).max().unwrap_or(Unknown),
            OpKind::Binary(Binary { op: BinaryOp::Max }) => {
                let (least, most) = (args.iter().map(bounds).min(), args.iter().map(bounds).max());
                match (least, most) {
                    (Some(least), Some(Finite | MayBeNegativeInfinity)) => least,
                    _ => Unknown,
                }
            }
            _ if args.iter().all(|arg| self.is_finite(*arg)) => Finite,
            _ => Unknown,
        }
    }

    fn index_summary(&self, index: &Index) -> Summary {
        let mut summary = Summary::NONE;
        index.visit(&mut |var| match var {
            IndexVar::Var { id, .. } if *id >= FIRST_BOUND => summary.all = summary.all.max(id + 1),
            IndexVar::Dynamic(expr, _) => summary = summary.max(self.summary(*expr)),
            IndexVar::Var { .. } | IndexVar::Div(..) | IndexVar::Mod(..) => {}
        });
        summary
    }

    /// Returns a number. `None` if the number is not a coefficient of the domain.
    pub fn number(&mut self, domain: Domain, number: Rational) -> Option<ExprId> {
        let number = domain.wrap(number)?;
        Some(self.add_expr(Expr { domain, terms: vec![(Monomial::new(), number)], guards: Vec::new() }))
    }

    /// Returns an integer of the domain, or a truth value.
    pub fn int(&mut self, domain: Domain, number: i64) -> ExprId {
        let number = domain.wrap(Rational::from_int(number)).unwrap_or(Rational::ZERO);
        self.add_expr(Expr { domain, terms: vec![(Monomial::new(), number)], guards: Vec::new() })
    }

    /// Returns an expression that is a single factor.
    pub fn from_factor(&mut self, domain: Domain, factor: Factor) -> ExprId {
        let factor = self.add_factor(factor);
        self.from_monomial(domain, Monomial::from_slice(&[(factor, Rational::ONE)]))
    }

    /// Returns an expression that is a single monomial.
    pub fn from_monomial(&mut self, domain: Domain, monomial: Monomial) -> ExprId {
        self.add_expr(Expr { domain, terms: vec![(monomial, Rational::ONE)], guards: Vec::new() })
    }

    /// Returns the number that an expression is equal to, if it is a number without guards.
    pub fn as_number(&self, expr: ExprId) -> Option<Rational> {
        let expr = self.expr(expr);
        match &expr.terms[..] {
            _ if !expr.guards.is_empty() => None,
            [] => Some(Rational::ZERO),
            [(monomial, coefficient)] if monomial.is_empty() => Some(*coefficient),
            _ => None,
        }
    }

    /// Returns the float that an expression is equal to, including infinities.
    pub fn as_float(&self, expr: ExprId) -> Option<f64> {
        if let Some(number) = self.as_number(expr) {
            return Some(number.to_f64());
        }
        match self.as_factor(expr)? {
            Factor::Float(bits) => Some(f64::from_bits(*bits)),
            _ => None,
        }
    }

    /// Returns the factor that an expression is equal to.
    pub fn as_factor(&self, expr: ExprId) -> Option<&Factor> {
        let expr = self.expr(expr);
        match &expr.terms[..] {
            [(monomial, coefficient)] if *coefficient == Rational::ONE && expr.guards.is_empty() => {
                match monomial[..] {
                    [(factor, Rational::ONE)] => Some(self.factor(factor)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Returns true if the expression is NaN, whatever its variables.
    pub fn is_nan(&self, expr: ExprId) -> bool {
        self.expr(expr).guards.iter().any(|&guard| self.as_number(guard) == Some(Rational::ZERO))
    }
}

/// Returns the boundedness of a number. Numbers of a large magnitude are infinite for arithmetic, since sums and
/// exponentials of them may overflow.
fn number_bounds(number: f64) -> Boundedness {
    match number {
        _ if number.abs() < MIN_INFINITE_MAGNITUDE => Boundedness::Finite,
        _ if number < 0.0 && number.is_finite() => Boundedness::MayBeNegativeInfinity,
        _ => Boundedness::Unknown,
    }
}
