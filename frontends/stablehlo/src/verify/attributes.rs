//! Attributes: the names that an operation knows, and their enumerators.

use crate::fault::{Fault, Result};
use crate::syntax::{Attr, Op, spelling};
use partita_ir::diag::nearest;
use partita_ir::dtype::{DType, Type};

/// What an attribute may be.
#[derive(Clone, Copy)]
pub enum Attribute {
    /// What the importer reads it as.
    Any,
    /// `true` or `false`.
    Flag,
    /// Integers of 64 bits.
    Integers,
    /// Booleans.
    Flags,
    /// One of these enumerators.
    Word(&'static [&'static str]),
    /// A structure of these fields, each with whether its integers ascend.
    Fields(&'static [(&'static str, bool)]),
    /// The precision of two operands.
    Precision,
}

/// Enumerators of a precision.
const PRECISIONS: [&str; 3] = ["DEFAULT", "HIGH", "HIGHEST"];

/// Checks the attributes of an operation. Behind its properties and clauses others may stand, which it need not know.
pub fn verify(op: &Op<'_>, known: &[(&str, Attribute)]) -> Result<()> {
    for (index, (name, attr)) in op.attrs.iter().enumerate() {
        match known.iter().find(|(other, _)| other == name) {
            Some((_, kind)) => value(op, name, attr, *kind)?,
            None if index < op.inherent && !name.contains('.') => {
                let title = format!("`{}` has no attribute `{name}`", op.code.name());
                return Err(similar(Fault::malformed(title, op.span()), name, known.iter().map(|(name, _)| *name)));
            }
            None => {}
        }
    }
    Ok(())
}

fn value(op: &Op<'_>, name: &str, attr: &Attr<'_>, kind: Attribute) -> Result<()> {
    let code = op.code.name();
    match kind {
        Attribute::Any => Ok(()),
        Attribute::Flag => match attr {
            Attr::Bool(_) | Attr::Unit => Ok(()),
            _ => Err(Fault::malformed(format!("`{code}`: `{name}` is not `true` or `false`"), op.span())),
        },
        Attribute::Integers => literal(op, name, attr, DType::I64),
        Attribute::Flags => literal(op, name, attr, DType::Bool),
        Attribute::Word(words) => match attr.as_word() {
            Some(word) if words.contains(&word) => Ok(()),
            word => {
                let found = word.map_or_else(String::new, |word| format!(" `{word}`"));
                let title = format!("`{code}`: `{name}`{found} is none of `{}`", words.join("`, `"));
                Err(Fault::malformed(title, op.span()))
            }
        },
        Attribute::Fields(fields) => {
            for (field, attr) in attr.as_dict().unwrap_or_default() {
                let Some((_, ascends)) = fields.iter().find(|(known, _)| known == field) else {
                    let title = format!("`{code}`: `{name}` has no field `{field}`");
                    let known = fields.iter().map(|(field, _)| *field);
                    return Err(similar(Fault::malformed(title, op.span()), field, known));
                };
                let sorted = attr.as_ints().is_none_or(|ints| ints.windows(2).all(|pair| pair[0] < pair[1]));
                if *ascends && !sorted {
                    let title = format!("`{code}`: the dimensions `{field}` are not in ascending order");
                    return Err(Fault::malformed(title, op.span()));
                }
            }
            Ok(())
        }
        Attribute::Precision => {
            let items: &[Attr<'_>] = match attr {
                Attr::List(items) => items,
                _ => &[],
            };
            let known = items.iter().all(|item| item.as_word().is_some_and(|word| PRECISIONS.contains(&word)));
            // As the verifier of StableHLO has it, fewer precisions than operands will do.
            let empty = matches!(attr, Attr::Ints(ints) if ints.is_empty());
            if known && (empty || (1..=op.operands.len()).contains(&items.len())) {
                return Ok(());
            }
            let title = format!("`{code}`: `{name}` is not a precision for each of {} operands", op.operands.len());
            Err(Fault::malformed(title, op.span()).note(format!("precisions are `{}`", PRECISIONS.join("`, `"))))
        }
    }
}

/// Checks the element type of a list that is written as a literal.
fn literal(op: &Op<'_>, name: &str, attr: &Attr<'_>, dtype: DType) -> Result<()> {
    let Attr::Dense(dense) = attr else { return Ok(()) };
    // A padding has two numbers for each dimension.
    let shape = if name == "padding" { "?x2x" } else { "?x" };
    let fits = |ty: Type| {
        ty.dtype == dtype && if name == "padding" { matches!(ty.shape[..], [_, 2]) } else { ty.shape.rank() == 1 }
    };
    if dense.declared_type().is_some_and(fits) {
        return Ok(());
    }
    let title = format!("`{}`: `{name}` is {}, not tensor<{shape}{}>", op.code.name(), dense.ty, spelling(dtype));
    Err(Fault::malformed(title, op.span()))
}

/// With a hint to a similar name, if there is one.
fn similar<'k>(fault: Box<Fault>, name: &str, known: impl Iterator<Item = &'k str>) -> Box<Fault> {
    match nearest(name, known) {
        Some(near) => fault.help(format!("there is one with a similar name: `{near}`")),
        None => fault,
    }
}
