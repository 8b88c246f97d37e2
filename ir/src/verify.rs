//! Verifier: checks that a program satisfies the invariants of its form, and returns the proof that backends require.
//!
//! `structure` applies to every form. Each form has its own module, which lists its invariants. Verification takes time
//! linear in the size of the program. If the structural invariants are violated, the others are not checked, because
//! they depend on them.

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

/// Maximum number of reported violations; verification stops after them.
const MAX_ERRORS: usize = 20;

/// Marker type of a program form. Implemented by the marker of each form, and by [`AnyForm`].
pub trait FormMarker: private::Sealed {
    /// Form that the marker stands for; `None` for any form.
    const FORM: Option<Form>;
}

mod private {
    /// Prevents other crates from adding markers.
    pub trait Sealed {}
}

/// Declares the marker types.
macro_rules! form_markers {
    ($($(#[$doc:meta])* $name:ident = $form:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub enum $name {}
        impl private::Sealed for $name {}
        impl FormMarker for $name {
            const FORM: Option<Form> = $form;
        }
    )*};
}

form_markers! {
    /// Any form.
    AnyForm = None;
    /// [`Form::Traced`].
    Traced = Some(Form::Traced);
    /// [`Form::Planned`].
    Planned = Some(Form::Planned);
    /// [`Form::Explicit`].
    Explicit = Some(Form::Explicit);
    /// [`Form::Local`].
    Local = Some(Form::Local);
}

/// Proof that a program satisfies the invariants of its form. Only [`verify`] creates it, and it borrows the program,
/// so that the program cannot change while the proof exists.
#[derive(Debug)]
pub struct Verified<'a, P = AnyForm> {
    program: &'a Program,
    form: PhantomData<P>,
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
    /// Returns the proof for form `P`.
    ///
    /// # Errors
    /// `V002` if the program is in another form.
    pub fn into_form<P: FormMarker>(self) -> Result<Verified<'a, P>, Diagnostic> {
        match P::FORM {
            Some(form) if form != self.program.form => {
                let what = format!(
                    "the program must be in form `{}`, but is in form `{}`",
                    form.name(),
                    self.program.form.name()
                );
                Err(Diagnostic::new(Code::V002, what))
            }
            _ => Ok(Verified { program: self.program, form: PhantomData }),
        }
    }
}

/// Checks the program against the invariants of its form.
///
/// # Errors
/// `V001` to `V003`, `T004`, `L002`, `L009` and `L012`, at most 20 errors.
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
    if report.errors.is_empty() { Ok(Verified { program, form: PhantomData }) } else { Err(report.errors) }
}

/// Result of a check: the error code and the message of a violation.
type CheckResult = Result<(), (Code, String)>;

/// Violations found so far.
struct Report<'a> {
    program: &'a Program,
    errors: Vec<Diagnostic>,
}

impl Report<'_> {
    /// Returns true if the maximum number of violations is reached.
    fn is_full(&self) -> bool {
        self.errors.len() >= MAX_ERRORS
    }

    fn push(&mut self, error: Diagnostic) {
        if !self.is_full() {
            self.errors.push(error);
        }
    }

    /// Reports a violation that concerns the program or a function.
    fn program(&mut self, code: Code, what: impl Into<String>) {
        self.push(Diagnostic::new(code, what));
    }

    /// Reports a violation that concerns a value.
    fn value(&mut self, code: Code, value: ValueId, what: &str) {
        self.push(Diagnostic::new(code, format!("`%{}` {what}", self.name(value))));
    }

    /// Reports a violation that concerns an op.
    fn op(&mut self, code: Code, op: OpId, what: &str) {
        let op = &self.program.ops[op];
        let name = op.outs.first().map_or("?", |&v| self.name(v));
        let error = Diagnostic::new(code, format!("`{} %{name}`: {what}", op.kind.name()));
        self.push(self.program.with_source_line(op, error));
    }

    fn name(&self, value: ValueId) -> &str {
        self.program.values.get(value).map_or("?", |v| &v.name)
    }
}
