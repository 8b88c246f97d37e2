//! Equivalence proofs of two programs by equality saturation and normal forms. Programs that are not proven equal are
//! compared on random inputs.

mod numbers;

pub use self::numbers::{NumericComparison, NumericDifference};
use crate::error::Result;
use partita_equality::prove::{Gap, ProvenOutput, Verdict, prove as show};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::program::{Form, Program};
use partita_ir::verify::verify;
use serde::Serialize;
use std::fmt;

/// Result of an equivalence proof. Prints as a verdict with the laws that each output required.
pub struct Proof {
    verdict: Verdict,
    /// Comparison on random inputs, if the programs were not proven equal.
    comparison: Option<NumericComparison>,
    chain: bool,
}

/// Proves that `other` computes the same as `original` on one device, for all inputs, in exact arithmetic. `other` may
/// be partitioned, in explicit or local form. Inputs, parameters and outputs are matched by name. If no proof is found,
/// both programs are run on random inputs, unless they are large.
///
/// # Errors
/// Errors of the verifier, and `P001` for an original that is partitioned.
pub fn prove(original: &Program, other: &Program) -> Result<Proof> {
    if original.form > Form::Planned {
        let title = format!("the original is in {} form, but must be traced or planned", original.form.name());
        let error = Diagnostic::new(Code::P001, title);
        return Err(error.help("name the original program in traced or planned form").into());
    }
    let verdict = show(verify(original)?, verify(other)?);
    if let Some(broken) = &verdict.broken {
        return Err(
            Diagnostic::new(Code::B001, format!("internal error: a law equates different values: {broken}")).into()
        );
    }
    let comparison = (!verdict.is_equal()).then(|| numbers::compare_on_random_inputs(original, other));
    Ok(Proof { verdict, comparison, chain: false })
}

impl Proof {
    /// Returns true if every output was proved equal. Outputs without a proof may still be equal.
    pub fn is_equal(&self) -> bool {
        self.verdict.is_equal()
    }

    /// Returns the comparison on random inputs, which is made only if the programs were not proven equal.
    pub fn comparison(&self) -> Option<&NumericComparison> {
        self.comparison.as_ref()
    }

    /// Returns true if the outputs differ for some inputs.
    pub fn is_wrong(&self) -> bool {
        self.difference().is_some()
    }

    fn difference(&self) -> Option<&NumericDifference> {
        match &self.comparison {
            Some(NumericComparison::Different(difference)) => Some(difference),
            Some(NumericComparison::Equal { .. } | NumericComparison::Skipped { .. }) | None => None,
        }
    }

    /// Returns the proof with every application of a law in its text.
    pub fn with_chain(self) -> Proof {
        Proof { chain: true, ..self }
    }

    /// Formats the proof as a JSON object, with every application of a law.
    pub fn to_json(&self) -> String {
        let outputs = self.verdict.proven.iter().map(|proven| {
            let steps = proven.steps.iter().map(|s| StepJson { law: s.law, from: &s.from, to: &s.to }).collect();
            OutputJson { name: &proven.output, steps }
        });
        let not_shown = self.verdict.gap.as_ref().map(|gap| GapJson {
            output: &gap.output,
            value: gap.value.as_deref(),
            op: gap.op.as_deref(),
            expected: gap.expected.as_deref(),
            why: &gap.why,
        });
        let result = match (self.is_equal(), self.is_wrong()) {
            (true, _) => "equal",
            (false, true) => "wrong",
            (false, false) => "not_proved",
        };
        let json = ProofJson {
            result,
            equal: self.is_equal(),
            outputs: outputs.collect(),
            not_shown,
            comparison: self.comparison.as_ref(),
            terms: self.verdict.terms,
            stopped: self.verdict.stopped.as_deref(),
        };
        serde_json::to_string_pretty(&json).unwrap_or_default()
    }
}

#[derive(Serialize)]
struct ProofJson<'a> {
    result: &'static str,
    equal: bool,
    outputs: Vec<OutputJson<'a>>,
    not_shown: Option<GapJson<'a>>,
    comparison: Option<&'a NumericComparison>,
    terms: usize,
    stopped: Option<&'a str>,
}

#[derive(Serialize)]
struct OutputJson<'a> {
    name: &'a str,
    steps: Vec<StepJson<'a>>,
}

#[derive(Serialize)]
struct StepJson<'a> {
    law: &'static str,
    from: &'a str,
    to: &'a str,
}

#[derive(Serialize)]
struct GapJson<'a> {
    output: &'a str,
    value: Option<&'a str>,
    op: Option<&'a str>,
    expected: Option<&'a str>,
    why: &'a str,
}

impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Verdict { proven, gap, terms, stopped, .. } = &self.verdict;
        match gap {
            None => writeln!(f, "equal: every output equals the original's ({terms} terms)")?,
            Some(gap) => {
                if let Some(difference) = self.difference() {
                    writeln!(f, "wrong: {difference}")?;
                }
                write_gap(f, gap, stopped.as_deref())?;
                if let Some(comparison) = &self.comparison
                    && !self.is_wrong()
                {
                    writeln!(f, "  {comparison}")?;
                }
            }
        }
        proven.iter().try_for_each(|proven| self.write_output(f, proven))
    }
}

impl Proof {
    fn write_output(&self, f: &mut fmt::Formatter<'_>, proven: &ProvenOutput) -> fmt::Result {
        let laws: Vec<String> = proven.counts().iter().map(|(law, uses)| format!("{law} {uses}")).collect();
        writeln!(
            f,
            "  {}: {}",
            proven.output,
            if laws.is_empty() { "identical".to_string() } else { laws.join(", ") }
        )?;
        if self.chain {
            for step in &proven.steps {
                writeln!(f, "    {:<20}{} = {}", step.law, step.from, step.to)?;
            }
        }
        Ok(())
    }
}

fn write_gap(f: &mut fmt::Formatter<'_>, gap: &Gap, stopped: Option<&str>) -> fmt::Result {
    writeln!(f, "not proved: `{}`", gap.output)?;
    match (&gap.op, &gap.value) {
        (Some(op), _) => writeln!(f, "  {op}\n  {}", gap.why)?,
        (None, Some(value)) => writeln!(f, "  {value}: {}", gap.why)?,
        (None, None) => writeln!(f, "  {}", gap.why)?,
    }
    if let Some(expected) = &gap.expected {
        writeln!(f, "  first value of the original without an equal value:\n  {expected}")?;
    }
    match stopped {
        Some(stopped) => writeln!(f, "  search with algebraic laws ended: {stopped}"),
        None => Ok(()),
    }
}
