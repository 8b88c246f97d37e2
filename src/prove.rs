//! Whether one program computes what another one does, shown with the laws that it took.

use crate::error::Result;
use partita_equality::prove::{Gap, Proven, Verdict, prove as show};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::program::{Form, Program};
use partita_ir::verify::verify;
use serde::Serialize;
use std::fmt;

/// What was shown of two programs. Prints as a verdict with the laws that each output took.
pub struct Proof {
    verdict: Verdict,
    chain: bool,
}

/// Whether `other` computes what `original` does on one device: for all inputs, in exact arithmetic. That one may be
/// partitioned, in form explicit or local; its inputs, parameters and outputs are known by their names.
///
/// # Errors
/// What the verifier finds, and `P001` for an original that is partitioned itself.
pub fn prove(original: &Program, other: &Program) -> Result<Proof> {
    if original.form > Form::Planned {
        let title =
            format!("the original is in form {}, and what it computes is not known by itself", original.form.name());
        let error = Diagnostic::new(Code::P001, title);
        return Err(error.help("name the program that it was made from: one in form traced or planned").into());
    }
    let verdict = show(verify(original)?, verify(other)?);
    if let Some(broken) = &verdict.broken {
        return Err(Diagnostic::new(Code::B001, format!("a law makes unlike values equal: {broken}")).into());
    }
    Ok(Proof { verdict, chain: false })
}

impl Proof {
    /// Whether every output was shown equal. What was not shown may be equal all the same.
    pub fn is_equal(&self) -> bool {
        self.verdict.is_equal()
    }

    /// The same, printed with every use of a law.
    pub fn with_chain(self) -> Proof {
        Proof { chain: true, ..self }
    }

    /// As a JSON object, with every use of a law.
    pub fn to_json(&self) -> String {
        let outputs = self.verdict.proven.iter().map(|proven| {
            let steps = proven.steps.iter().map(|s| StepJson { law: s.law, from: &s.from, to: &s.to }).collect();
            OutputJson { name: &proven.output, steps }
        });
        let not_shown = self.verdict.gap.as_ref().map(|gap| GapJson {
            output: &gap.output,
            value: gap.value.as_deref(),
            op: gap.op.as_deref(),
            why: &gap.why,
        });
        let json = ProofJson {
            equal: self.is_equal(),
            outputs: outputs.collect(),
            not_shown,
            terms: self.verdict.terms,
            stopped: self.verdict.stopped.as_deref(),
        };
        serde_json::to_string_pretty(&json).unwrap_or_default()
    }
}

#[derive(Serialize)]
struct ProofJson<'a> {
    equal: bool,
    outputs: Vec<OutputJson<'a>>,
    not_shown: Option<GapJson<'a>>,
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
    why: &'a str,
}

impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Verdict { proven, gap, terms, stopped, .. } = &self.verdict;
        match gap {
            None => writeln!(f, "equal: every output is the original's ({terms} terms)")?,
            Some(gap) => write_gap(f, gap, stopped.as_deref())?,
        }
        proven.iter().try_for_each(|proven| self.write_output(f, proven))
    }
}

impl Proof {
    fn write_output(&self, f: &mut fmt::Formatter<'_>, proven: &Proven) -> fmt::Result {
        let laws: Vec<String> = proven.counts().iter().map(|(law, uses)| format!("{law} {uses}")).collect();
        writeln!(f, "  {}: {}", proven.output, if laws.is_empty() { "the same".to_string() } else { laws.join(", ") })?;
        if self.chain {
            for step in &proven.steps {
                writeln!(f, "    {:<20}{} = {}", step.law, step.from, step.to)?;
            }
        }
        Ok(())
    }
}

fn write_gap(f: &mut fmt::Formatter<'_>, gap: &Gap, stopped: Option<&str>) -> fmt::Result {
    writeln!(f, "not shown: `{}`", gap.output)?;
    match (&gap.op, &gap.value) {
        (Some(op), _) => writeln!(f, "  {op}\n  {}", gap.why)?,
        (None, Some(value)) => writeln!(f, "  {value}: {}", gap.why)?,
        (None, None) => writeln!(f, "  {}", gap.why)?,
    }
    match stopped {
        Some(stopped) => writeln!(f, "  laws of algebra were tried: {stopped}"),
        None => Ok(()),
    }
}
