//! Text of expressions, for tests and debugging.

use super::expr::{ExprId, Exprs, Factor, Monomial};
use super::index::{FIRST_BOUND, Index, IndexVar};
use super::rational::Rational;

impl Exprs {
    /// Formats an expression.
    pub fn describe(&self, expr: ExprId) -> String {
        let expr = self.expr(expr);
        let terms = expr.terms.iter().map(|(monomial, coefficient)| match (monomial.is_empty(), coefficient) {
            (true, _) => coefficient.to_f64().to_string(),
            (false, &Rational::ONE) => self.describe_monomial(monomial),
            (false, _) => format!("{} {}", coefficient.to_f64(), self.describe_monomial(monomial)),
        });
        let mut text = terms.collect::<Vec<_>>().join(" + ");
        if text.is_empty() {
            text.push('0');
        }
        for &guard in &expr.guards {
            text = format!("{text} if {}", self.describe(guard));
        }
        text
    }

    fn describe_monomial(&self, monomial: &Monomial) -> String {
        let factor = |(factor, power): &(_, Rational)| {
            let text = match self.factor(*factor) {
                Factor::Element(tensor, at) => format!("t{tensor}[{}]", self.describe_indices(at)),
                Factor::Position(index) => self.describe_index(index),
                Factor::Float(bits) => f64::from_bits(*bits).to_string(),
                Factor::Exp(exponent) => format!("exp({})", self.describe_monomial(exponent)),
                Factor::Paren(base) => format!("({})", self.describe(*base)),
                Factor::Call(function, args) => {
                    let args: Vec<String> = args.iter().map(|&arg| self.describe(arg)).collect();
                    format!("{}({})", function.kind.name(), args.join(", "))
                }
                Factor::Reduce(monoid, vars, body) => {
                    let vars: Vec<String> = vars.iter().map(|(id, size)| format!("{} < {size}", name(*id))).collect();
                    format!("{}[{}]({})", monoid.name(), vars.join(", "), self.describe(*body))
                }
            };
            if *power == Rational::ONE { text } else { format!("{text}^{}", power.to_f64()) }
        };
        monomial.iter().map(factor).collect::<Vec<_>>().join(" ")
    }

    fn describe_indices(&self, at: &[Index]) -> String {
        at.iter().map(|index| self.describe_index(index)).collect::<Vec<_>>().join(", ")
    }

    fn describe_index(&self, index: &Index) -> String {
        let terms = index.terms.iter().map(|(var, coefficient)| {
            let var = match var {
                IndexVar::Var { id, .. } => name(*id),
                IndexVar::Div(inner, by) => format!("({} / {by})", self.describe_index(inner)),
                IndexVar::Mod(inner, by) => format!("({} % {by})", self.describe_index(inner)),
                IndexVar::Dynamic(expr, most) => format!("clamp({}, {most})", self.describe(*expr)),
            };
            if *coefficient == 1 { var } else { format!("{coefficient} {var}") }
        });
        let mut terms: Vec<String> = terms.collect();
        if index.constant != 0 || terms.is_empty() {
            terms.push(index.constant.to_string());
        }
        terms.join(" + ")
    }
}

/// Returns the name of a variable: `i` for dimensions, `k` for bound variables.
fn name(id: u32) -> String {
    if id < FIRST_BOUND { format!("i{id}") } else { format!("k{}", id - FIRST_BOUND) }
}
