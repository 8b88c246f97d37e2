//! Reductions over bound variables, and substitution of variables.
//!
//! Recogniser: a sum without a one-hot factor is left unchanged, which makes fewer programs provable, never more.
//!
//! Bound variables are numbered from the innermost reduction on, so that expressions that differ only in the names of
//! bound variables are stored once. Sums are flattened, split into independent sums, and freed of factors that do not
//! depend on the bound variables.

use super::expr::{Domain, Expr, ExprId, Exprs, Factor, FactorId, Monomial};
use super::index::{FIRST_BOUND, Index, IndexVar};
use super::rational::Rational;
use partita_ir::layout::Monoid;
use partita_ir::op::OpKind;
use partita_ir::ops::{Compare, Direction};
use rustc_hash::FxHashSet;

/// Maximum number of variables of a sum. A sum with more variables is a summand of another sum.
const MAX_SUM_VARS: usize = 6;

/// Maximum number of numberings of the variables of a reduction that are compared.
const MAX_NUMBERINGS: usize = 24;

/// Offset of temporary variable numbers.
const TEMPORARY: u32 = 1 << 20;

/// Positions that replace variables, by the number of the variable.
pub type Substitution = Vec<(u32, Index)>;

impl Exprs {
    /// Replaces variables of a position.
    pub fn substitute_index(&mut self, index: &Index, by: &Substitution) -> Option<Index> {
        let mut new = Index::constant(index.constant);
        for (var, coefficient) in &index.terms {
            let var = match var {
                IndexVar::Var { id, .. } => match by.iter().find(|(from, _)| from == id) {
                    Some((_, to)) => to.clone(),
                    None => Index::from(var.clone()),
                },
                IndexVar::Div(inner, divisor) => self.substitute_index(inner, by)?.div(*divisor),
                IndexVar::Mod(inner, divisor) => self.substitute_index(inner, by)?.rem(*divisor),
                IndexVar::Dynamic(expr, most) => {
                    let expr = self.substitute(*expr, by)?;
                    self.dynamic_index(expr, *most)
                }
            };
            new = new.add(&var.scale(*coefficient));
        }
        Some(new)
    }

    /// Replaces variables of an expression by positions.
    pub fn substitute(&mut self, expr: ExprId, by: &Substitution) -> Option<ExprId> {
        if by.is_empty() {
            return Some(expr);
        }
        let key = (expr, by.clone());
        if let Some(&known) = self.substituted.get(&key) {
            return Some(known);
        }
        let Expr { domain, terms, guards } = self.expr(expr).clone();
        let mut sum = self.int(domain, 0);
        for (monomial, coefficient) in terms {
            let mut product = self.int(domain, 1);
            product = self.scale(product, coefficient)?;
            for (factor, power) in monomial {
                let power = self.substitute_factor(domain, factor, power, by)?;
                product = self.mul_any(product, power)?;
            }
            sum = self.add_any(sum, product)?;
        }
        let mut new_guards = Vec::with_capacity(guards.len());
        for guard in guards {
            new_guards.push(self.substitute(guard, by)?);
        }
        let new = self.with_guards(sum, new_guards);
        self.substituted.insert(key, new);
        Some(new)
    }

    /// Adds expressions of which one is 0 or none is infinite.
    fn add_any(&mut self, a: ExprId, b: ExprId) -> Option<ExprId> {
        if self.as_number(a) == Some(Rational::ZERO) { Some(b) } else { self.add(a, b) }
    }

    /// Multiplies expressions of which one is 1 or none is infinite.
    fn mul_any(&mut self, a: ExprId, b: ExprId) -> Option<ExprId> {
        if self.as_number(a) == Some(Rational::ONE) { Some(b) } else { self.mul(a, b) }
    }

    fn substitute_factor(
        &mut self,
        domain: Domain,
        factor: FactorId,
        power: Rational,
        by: &Substitution,
    ) -> Option<ExprId> {
        let base = match self.factor(factor).clone() {
            Factor::Element(tensor, at) => {
                let at = at.iter().map(|index| self.substitute_index(index, by)).collect::<Option<Vec<Index>>>()?;
                self.from_factor(domain, Factor::Element(tensor, at))
            }
            Factor::Position(index) => {
                let index = self.substitute_index(&index, by)?;
                self.position(domain, &index)?
            }
            Factor::Float(_) => self.from_monomial(domain, Monomial::from_slice(&[(factor, Rational::ONE)])),
            Factor::Exp(monomial) => {
                let exponent = self.from_monomial(Domain::Real, monomial);
                let exponent = self.substitute(exponent, by)?;
                let exponent = self.scale(exponent, power)?;
                return self.exp(exponent);
            }
            Factor::Paren(base) => {
                let base = self.substitute(base, by)?;
                return match power.as_int() {
                    Some(power) => self.power(base, power),
                    None => {
                        let root = self.square_root(base, if power.is_negative() { -1 } else { 1 })?;
                        let halves = power.checked_add(power)?.as_int()?.abs();
                        self.power(root, halves)
                    }
                };
            }
            Factor::Call(function, args) => {
                let args = args.iter().map(|&arg| self.substitute(arg, by)).collect::<Option<Vec<ExprId>>>()?;
                self.call(function.kind, function.out, args)
            }
            Factor::Reduce(monoid, vars, body) => {
                let body = self.substitute(body, by)?;
                self.reduce(monoid, vars, body)?
            }
        };
        self.power(base, power.as_int()?).or_else(|| (power == Rational::ONE).then_some(base))
    }

    /// Returns a position as a number.
    pub fn position(&mut self, domain: Domain, index: &Index) -> Option<ExprId> {
        let mut sum = self.number(domain, Rational::from_int(index.constant))?;
        for (var, coefficient) in &index.terms {
            let var = self.from_factor(domain, Factor::Position(Index::from(var.clone())));
            let var = self.scale(var, Rational::from_int(*coefficient))?;
            sum = self.add(sum, var)?;
        }
        Some(sum)
    }

    /// Reduces an expression over bound variables, each with its size. The numbers of the variables must not be bound
    /// within the expression.
    pub fn reduce(&mut self, monoid: Monoid, vars: Vec<(u32, i64)>, body: ExprId) -> Option<ExprId> {
        let (vars, body) = self.split_vars(vars, body)?;
        let guards = self.expr(body).guards.clone();
        let inner = self.without_guards(body);
        let reduced = match monoid {
            Monoid::Sum => self.sum(&vars, inner)?,
            Monoid::Prod | Monoid::Max | Monoid::Min | Monoid::And | Monoid::Or => {
                self.reduce_idempotent(monoid, vars.clone(), inner)?
            }
        };
        // One NaN among the elements makes the result NaN.
        let mut reduced_guards = Vec::with_capacity(guards.len());
        for guard in guards {
            reduced_guards.push(self.reduce(Monoid::And, vars.clone(), guard)?);
        }
        Some(self.with_guards(reduced, reduced_guards))
    }

    /// Replaces each variable whose quotient and remainder by a constant occur by two variables.
    fn split_vars(&mut self, mut vars: Vec<(u32, i64)>, mut body: ExprId) -> Option<(Vec<(u32, i64)>, ExprId)> {
        let mut at = 0;
        while let Some(&(id, size)) = vars.get(at) {
            match self.divisor_of(body, id).filter(|divisor| size % divisor == 0 && *divisor > 1 && *divisor < size) {
                Some(divisor) => {
                    let top = vars.iter().map(|(id, _)| id + 1).max().unwrap_or(FIRST_BOUND).max(self.height(body));
                    let (major, minor) = ((top, size / divisor), (top + 1, divisor));
                    let [quotient, rest] = [major, minor].map(|(id, size)| Index::var(id, size as usize));
                    body = self.substitute(body, &vec![(id, quotient.scale(divisor).add(&rest))])?;
                    vars[at] = major;
                    vars.push(minor);
                }
                None => at += 1,
            }
        }
        Some((vars, body))
    }

    /// Returns a constant by which a variable is divided somewhere in an expression.
    fn divisor_of(&self, expr: ExprId, id: u32) -> Option<i64> {
        let mut found = None;
        let mut see = |var: &IndexVar| {
            if let IndexVar::Div(inner, by) | IndexVar::Mod(inner, by) = var
                && let [(IndexVar::Var { id: other, .. }, 1)] = inner.terms[..]
                && other == id
                && inner.constant == 0
            {
                found = Some(found.map_or(*by, |known: i64| known.min(*by)));
            }
        };
        self.visit_indices(expr, &mut FxHashSet::default(), &mut |index| index.visit(&mut see));
        found
    }

    /// Calls a function on each position in an expression.
    pub(super) fn visit_indices(&self, expr: ExprId, seen: &mut FxHashSet<ExprId>, see: &mut dyn FnMut(&Index)) {
        if !seen.insert(expr) {
            return;
        }
        let expr = self.expr(expr);
        expr.terms.iter().for_each(|(monomial, _)| self.visit_monomial_indices(monomial, seen, see));
        expr.guards.iter().for_each(|&guard| self.visit_indices(guard, seen, see));
    }

    fn visit_monomial_indices(&self, monomial: &Monomial, seen: &mut FxHashSet<ExprId>, see: &mut dyn FnMut(&Index)) {
        for (factor, _) in monomial {
            match self.factor(*factor) {
                Factor::Element(_, at) => at.iter().for_each(|index| self.visit_index(index, seen, see)),
                Factor::Position(index) => self.visit_index(index, seen, see),
                Factor::Float(_) => {}
                Factor::Exp(monomial) => self.visit_monomial_indices(monomial, seen, see),
                Factor::Paren(base) => self.visit_indices(*base, seen, see),
                Factor::Call(_, args) => args.iter().for_each(|&arg| self.visit_indices(arg, seen, see)),
                Factor::Reduce(_, _, body) => self.visit_indices(*body, seen, see),
            }
        }
    }

    fn visit_index(&self, index: &Index, seen: &mut FxHashSet<ExprId>, see: &mut dyn FnMut(&Index)) {
        see(index);
        let mut dynamic = Vec::new();
        index.visit(&mut |var| {
            if let IndexVar::Dynamic(expr, _) = var {
                dynamic.push(*expr);
            }
        });
        dynamic.into_iter().for_each(|expr| self.visit_indices(expr, seen, see));
    }

    /// Returns the variables that occur in a factor, including bound ones.
    fn vars_of(&self, factor: FactorId) -> FxHashSet<u32> {
        let mut vars = FxHashSet::default();
        let monomial = Monomial::from_slice(&[(factor, Rational::ONE)]);
        self.visit_monomial_indices(&monomial, &mut FxHashSet::default(), &mut |index| {
            index.visit(&mut |var| {
                if let IndexVar::Var { id, .. } = var {
                    vars.insert(*id);
                }
            });
        });
        vars
    }

    fn sum(&mut self, vars: &[(u32, i64)], body: ExprId) -> Option<ExprId> {
        if !self.is_finite(body) {
            return None;
        }
        let Expr { domain, terms, .. } = self.expr(body).clone();
        let mut total = self.int(domain, 0);
        for (monomial, coefficient) in terms {
            let sum = self.sum_monomial(domain, vars, monomial)?;
            let sum = self.scale(sum, coefficient)?;
            total = self.add(total, sum)?;
        }
        Some(total)
    }

    fn sum_monomial(&mut self, domain: Domain, vars: &[(u32, i64)], monomial: Monomial) -> Option<ExprId> {
        if let Some(sum) = self.sum_with_one_term(domain, vars, &monomial) {
            return Some(sum);
        }
        let (mut vars, monomial) = self.flattened(vars.to_vec(), monomial)?;
        let factors: Vec<((FactorId, Rational), FxHashSet<u32>)> =
            monomial.into_iter().map(|(factor, power)| ((factor, power), self.vars_of(factor))).collect();
        let outside = factors.iter().filter(|(_, used)| vars.iter().all(|(id, _)| !used.contains(id)));
        let mut product = self.from_monomial(domain, outside.map(|(factor, _)| *factor).collect());
        // Each set of factors that share variables is an independent sum.
        while let Some(&(first, size)) = vars.first() {
            let mut group = vec![(first, size)];
            let mut at = 0;
            while let Some(&(id, _)) = group.get(at) {
                for (_, used) in factors.iter().filter(|(_, used)| used.contains(&id)) {
                    let more = vars.iter().filter(|(other, _)| used.contains(other));
                    let more: Vec<_> = more.filter(|var| !group.contains(var)).copied().collect();
                    group.extend(more);
                }
                at += 1;
            }
            vars.retain(|var| !group.contains(var));
            let dependent = factors.iter().filter(|(_, used)| group.iter().any(|(id, _)| used.contains(id)));
            let dependent: Monomial = dependent.map(|(factor, _)| *factor).collect();
            product = if dependent.is_empty() {
                self.scale(product, domain.wrap(Rational::from_int(size))?)?
            } else {
                let body = self.from_monomial(domain, dependent);
                let sum = self.numbered(Monoid::Sum, group, body)?;
                self.mul(product, sum)?
            };
        }
        Some(product)
    }

    /// Returns a sum in which only the term differs from 0 whose variable equals an index, as in a product with a
    /// one-hot vector.
    fn sum_with_one_term(&mut self, domain: Domain, vars: &[(u32, i64)], monomial: &Monomial) -> Option<ExprId> {
        for (at, &(factor, power)) in monomial.iter().enumerate() {
            let Factor::Call(function, args) = self.factor(factor).clone() else { continue };
            let (OpKind::Select(_), &[condition, selected, zero]) = (&function.kind, &args[..]) else { continue };
            if self.as_number(zero) != Some(Rational::ZERO) {
                continue;
            }
            let Some((var, index)) = self.equal_index(condition, vars).filter(|_| power == Rational::ONE) else {
                continue;
            };
            let mut rest = monomial.clone();
            rest.remove(at);
            let mut term = self.from_monomial(domain, rest);
            term = self.mul(term, selected)?;
            let most = var.1 - 1;
            let position = self.dynamic_index(index, most);
            term = self.substitute(term, &vec![(var.0, position)])?;
            let rest: Vec<(u32, i64)> = vars.iter().copied().filter(|other| *other != var).collect();
            term = self.sum(&rest, term)?;
            let is_in_range = self.is_in_range(index, most);
            if rest.iter().any(|(id, _)| self.vars_of_expr(is_in_range).contains(id)) {
                return None;
            }
            let indicator = self.indicator(domain, is_in_range);
            return self.mul(term, indicator);
        }
        None
    }

    /// Returns the variable that a condition compares with an index, and the index, which does not depend on variables
    /// of the sum.
    fn equal_index(&mut self, condition: ExprId, vars: &[(u32, i64)]) -> Option<((u32, i64), ExprId)> {
        let Some(Factor::Call(function, args)) = self.as_factor(condition).cloned() else { return None };
        let (OpKind::Compare(Compare { direction: Direction::Eq, .. }), &[a, b]) = (&function.kind, &args[..]) else {
            return None;
        };
        for (position, index) in [(a, b), (b, a)] {
            let Some(Factor::Position(at)) = self.as_factor(position) else { continue };
            let [(IndexVar::Var { id, size }, 1)] = at.terms[..] else { continue };
            // Narrower integers would wrap.
            let is_wide = matches!(self.expr(index).domain, Domain::Integer(ty) if ty.0.bytes() >= 4);
            let is_int = is_wide && self.expr(index).guards.is_empty();
            let used = self.vars_of_expr(index);
            if at.constant == 0
                && is_int
                && vars.contains(&(id, size))
                && vars.iter().all(|(other, _)| !used.contains(other))
            {
                return Some(((id, size), index));
            }
        }
        None
    }

    /// Returns the variables that occur in an expression, including bound ones.
    fn vars_of_expr(&self, expr: ExprId) -> FxHashSet<u32> {
        let expr = self.expr(expr);
        let factors = expr.terms.iter().flat_map(|(monomial, _)| monomial.iter());
        factors.flat_map(|(factor, _)| self.vars_of(*factor)).collect()
    }

    /// Replaces inner sums over the variables that depend on them by further variables and the factors of their bodies.
    fn flattened(&mut self, mut vars: Vec<(u32, i64)>, mut monomial: Monomial) -> Option<(Vec<(u32, i64)>, Monomial)> {
        let mut at = 0;
        while let Some(&(factor, power)) = monomial.get(at) {
            let count = power.as_int().filter(|count| (1..=2).contains(count));
            let (Factor::Reduce(Monoid::Sum, inner, body), Some(count)) = (self.factor(factor).clone(), count) else {
                at += 1;
                continue;
            };
            let used = self.vars_of(factor);
            let fits = vars.len() + inner.len() * count as usize <= MAX_SUM_VARS;
            if !fits || vars.iter().all(|(id, _)| !used.contains(id)) {
                at += 1;
                continue;
            }
            monomial.remove(at);
            let mut product = self.from_monomial(self.expr(body).domain, monomial.clone());
            for _ in 0..count {
                let top = vars.iter().map(|(id, _)| id + 1).max()?.max(self.height(body)).max(self.height(product));
                let new: Vec<(u32, i64)> = (top..).zip(&inner).map(|(id, (_, size))| (id, *size)).collect();
                let by = inner.iter().zip(&new).map(|((from, _), to)| (*from, Index::var(to.0, to.1 as usize)));
                let body = self.substitute(body, &by.collect())?;
                product = self.mul(product, body)?;
                vars.extend(new);
            }
            let [(product, Rational::ONE)] = &self.expr(product).terms[..] else { return None };
            monomial = product.clone();
            at = 0;
        }
        Some((vars, monomial))
    }

    /// Returns a reduction by another monoid than addition. Those of elements that do not depend on a variable are the
    /// elements, except for products.
    fn reduce_idempotent(&mut self, monoid: Monoid, mut vars: Vec<(u32, i64)>, mut body: ExprId) -> Option<ExprId> {
        if monoid != Monoid::Prod {
            let mut used = FxHashSet::default();
            let monomials: Vec<Monomial> = self.expr(body).terms.iter().map(|(monomial, _)| monomial.clone()).collect();
            for (factor, _) in monomials.into_iter().flatten() {
                used.extend(self.vars_of(factor));
            }
            vars.retain(|(id, _)| used.contains(id));
        }
        if vars.is_empty() {
            return Some(body);
        }
        if let Some(Factor::Reduce(other, inner, inner_body)) = self.as_factor(body).cloned()
            && other == monoid
            && inner.len() + vars.len() <= MAX_SUM_VARS
        {
            let top = vars.iter().map(|(id, _)| id + 1).max()?.max(self.height(body));
            let new: Vec<(u32, i64)> = (top..).zip(&inner).map(|(id, (_, size))| (id, *size)).collect();
            let by = inner.iter().zip(&new).map(|((from, _), to)| (*from, Index::var(to.0, to.1 as usize)));
            body = self.substitute(inner_body, &by.collect())?;
            vars.extend(new);
        }
        self.numbered(monoid, vars, body)
    }

    /// Returns a reduction with the smallest of all numberings of its variables. `None` if the numbers are in use.
    fn numbered(&mut self, monoid: Monoid, mut vars: Vec<(u32, i64)>, body: ExprId) -> Option<ExprId> {
        let domain = self.expr(body).domain;
        let top = vars.iter().map(|(id, _)| id + 1).max()?.max(self.height(body)).max(TEMPORARY);
        let temporary: Vec<(u32, i64)> = (top..).zip(&vars).map(|(id, (_, size))| (id, *size)).collect();
        let by: Substitution =
            vars.iter().zip(&temporary).map(|((from, _), to)| (*from, Index::var(to.0, to.1 as usize))).collect();
        let body = self.substitute(body, &by)?;
        // The lowest numbers that reductions within the body do not bind.
        let base = self.binder_height(body);
        let numbers = base..base + vars.len() as u32;
        let monomials: Vec<Monomial> = self.expr(body).terms.iter().map(|(monomial, _)| monomial.clone()).collect();
        let mut factors = monomials.into_iter().flatten();
        if factors.any(|(factor, _)| self.vars_of(factor).iter().any(|id| numbers.contains(id))) {
            return None;
        }
        vars = temporary;
        vars.sort_by_key(|(_, size)| *size);
        let mut best: Option<Numbered> = None;
        for order in numberings(&vars) {
            let by = (base..).zip(&order).map(|(id, (from, size))| (*from, Index::var(id, *size as usize)));
            let mut numbered = self.substitute(body, &by.collect())?;
            let mut coefficient = Rational::ONE;
            if monoid == Monoid::Sum
                && let [(monomial, by)] = &self.expr(numbered).terms[..]
            {
                coefficient = *by;
                let monomial = monomial.clone();
                numbered = self.from_monomial(domain, monomial);
            }
            if best.as_ref().is_none_or(|(least, ..)| numbered < *least) {
                let vars = (base..).zip(&order).map(|(id, (_, size))| (id, *size)).collect();
                best = Some((numbered, coefficient, vars));
            }
        }
        let (body, coefficient, vars) = best?;
        let reduced = self.from_factor(domain, Factor::Reduce(monoid, vars, body));
        self.scale(reduced, coefficient)
    }
}

/// Body of a reduction after its variables are numbered, its constant factor, and the variables with their sizes.
type Numbered = (ExprId, Rational, Vec<(u32, i64)>);

/// Returns the orders of variables of which only those of equal size are exchanged, at most [`MAX_NUMBERINGS`].
fn numberings(vars: &[(u32, i64)]) -> Vec<Vec<(u32, i64)>> {
    let mut all: Vec<Vec<(u32, i64)>> = vec![Vec::new()];
    for &(_, size) in vars {
        let longer = all.iter().flat_map(|order| {
            let next = vars.iter().filter(move |var| var.1 == size && !order.contains(var));
            next.map(move |var| order.iter().copied().chain([*var]).collect::<Vec<_>>())
        });
        all = longer.take(MAX_NUMBERINGS).collect();
    }
    all
}
