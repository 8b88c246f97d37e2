//! The verifier: checks that a program keeps the promise of its form, and gives the proof that backends ask for.
//!
//! `structure` holds for every form; then each form has its file, whose head lists its invariants. Everything is linear
//! in the program. A program that breaks its structure is not looked at any further, since nothing else means anything
//! then.

mod explicit;
mod local;
mod planned;
mod structure;
mod traced;

use crate::arena::{OpId, ValueId};
use crate::diag::{Code, Diagnostic};
use crate::program::{Form, Program};
use std::marker::PhantomData;
use std::ops::Deref;

/// After so many violations the rest is not looked at.
const MAX_ERRORS: usize = 20;

/// A promise that a program can be proven to keep. Implemented by the marker of each form, and by [`Any`].
pub trait Promise: private::Sealed {
    /// The form; `None` when any will do.
    const FORM: Option<Form>;
}

mod private {
    /// Keeps the set of promises closed.
    pub trait Sealed {}
}

/// Declares the markers of forms.
macro_rules! promises {
    ($($(#[$doc:meta])* $name:ident = $form:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub enum $name {}
        impl private::Sealed for $name {}
        impl Promise for $name {
            const FORM: Option<Form> = $form;
        }
    )*};
}

promises! {
    /// Some form.
    Any = None;
    /// [`Form::Traced`].
    Traced = Some(Form::Traced);
    /// [`Form::Planned`].
    Planned = Some(Form::Planned);
    /// [`Form::Explicit`].
    Explicit = Some(Form::Explicit);
    /// [`Form::Local`].
    Local = Some(Form::Local);
}

/// The proof that a program keeps its form's promise: it cannot be made but by [`verify`], and not outlive a change.
#[derive(Debug)]
pub struct Verified<'a, P = Any> {
    program: &'a Program,
    promise: PhantomData<P>,
}

impl<P> Clone for Verified<'_, P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P> Copy for Verified<'_, P> {}

impl<P> Deref for Verified<'_, P> {
    type Target = Program;
    fn deref(&self) -> &Program {
        self.program
    }
}

impl<'a> Verified<'a> {
    /// The proof for one form.
    ///
    /// # Errors
    /// `V002` when the program is in another form.
    pub fn of<P: Promise>(self) -> Result<Verified<'a, P>, Diagnostic> {
        match P::FORM {
            Some(form) if form != self.program.form => {
                let what = format!("form `{}` is needed, this program is {}", form.name(), self.program.form.name());
                Err(Diagnostic::new(Code::V002, what))
            }
            _ => Ok(Verified { program: self.program, promise: PhantomData }),
        }
    }
}

/// Checks the program against the promise of its form.
///
/// # Errors
/// `V001` to `V003`, `L002` and `L012`, at most 20 of them, in program order.
pub fn verify(program: &Program) -> Result<Verified<'_>, Vec<Diagnostic>> {
    let mut report = Report { program, errors: Vec::new() };
    structure::check(&mut report);
    if report.errors.is_empty() {
        match program.form {
            Form::Traced => traced::check(&mut report),
            Form::Planned => planned::check(&mut report),
            Form::Explicit => explicit::check(&mut report),
            Form::Local => local::check(&mut report),
        }
    }
    if report.errors.is_empty() { Ok(Verified { program, promise: PhantomData }) } else { Err(report.errors) }
}

/// What was found so far.
struct Report<'a> {
    program: &'a Program,
    errors: Vec<Diagnostic>,
}

impl Report<'_> {
    /// Whether to stop.
    fn is_full(&self) -> bool {
        self.errors.len() >= MAX_ERRORS
    }

    fn push(&mut self, error: Diagnostic) {
        if !self.is_full() {
            self.errors.push(error);
        }
    }

    /// Something is wrong with the program as a whole.
    fn program(&mut self, code: Code, what: impl Into<String>) {
        self.push(Diagnostic::new(code, what));
    }

    /// Something is wrong with a value.
    fn value(&mut self, code: Code, value: ValueId, what: &str) {
        self.push(Diagnostic::new(code, format!("`%{}` {what}", self.name(value))));
    }

    /// Something is wrong with an op.
    fn op(&mut self, code: Code, op: OpId, what: &str) {
        let op = &self.program.ops[op];
        let name = op.outs.first().map_or("?", |&v| self.name(v));
        let error = Diagnostic::new(code, format!("`{} %{name}`: {what}", op.kind.name()));
        self.push(match op.origin.line {
            0 => error,
            line => error.on_line(self.program.source.as_str(), line),
        });
    }

    fn name(&self, value: ValueId) -> &str {
        self.program.values.get(value).map_or("?", |v| &v.name)
    }
}
