//! Verification of attributes: names, types, and enumerators (values such as `LT`).

use crate::fault::{Fault, Result};
use crate::syntax::ParsedOp as Op;
use crate::syntax::{Attr, TensorType, spelling};
use partita_ir::diag::nearest;
use partita_ir::dtype::DType;

/// Constraint on the value of an attribute.
#[derive(Clone, Copy)]
pub enum AttributeConstraint {
    /// Any attribute; the importer checks its type.
    Any,
    /// A boolean.
    Flag,
    /// A list of 64-bit integers.
    Integers,
    /// A list of booleans.
    Flags,
    /// One of the given enumerators, such as `LT`.
    Word(&'static [&'static str]),
    /// A structure with the given fields. A field with `true` must contain strictly ascending integers.
    Fields(&'static [(&'static str, bool)]),
    /// A list of precisions: at most one per operand.
    Precision,
}

/// Enumerators of a precision in StableHLO.
const PRECISIONS: [&str; 3] = ["DEFAULT", "HIGH", "HIGHEST"];

/// Verifies the attributes of an operation: inherent attributes must be in `known_names`, which contains their
/// constraints. Discardable attributes and names with a dialect prefix (`mhlo.sharding`) are unrestricted.
pub fn verify(op: &Op<'_>, known_names: &[(&str, AttributeConstraint)]) -> Result<()> {
    for (index, (name, attr)) in op.attrs.iter().enumerate() {
        match known_names.iter().find(|(other, _)| other == name) {
            Some((_, kind)) => value(op, name, attr, *kind)?,
            None if index < op.inherent && !name.contains('.') => {
                let title = format!("`{}` has no attribute `{name}`", op.code.name());
                return Err(with_similar_name(
                    Fault::malformed(title, op.span()),
                    name,
                    known_names.iter().map(|(name, _)| *name),
                ));
            }
            None => {}
        }
    }
    Ok(())
}

/// Verifies the value of one attribute.
fn value(op: &Op<'_>, name: &str, attr: &Attr<'_>, kind: AttributeConstraint) -> Result<()> {
    let code = op.code.name();
    match kind {
        AttributeConstraint::Any => Ok(()),
        AttributeConstraint::Flag => match attr {
            Attr::Bool(_) | Attr::Unit => Ok(()),
            _ => Err(Fault::malformed(format!("`{code}`: `{name}` is not `true` or `false`"), op.span())),
        },
        AttributeConstraint::Integers => literal(op, name, attr, DType::I64),
        AttributeConstraint::Flags => literal(op, name, attr, DType::Bool),
        AttributeConstraint::Word(words) => match attr.as_word() {
            Some(word) if words.contains(&word) => Ok(()),
            word => {
                let found = word.map_or_else(String::new, |word| format!(" `{word}`"));
                let title = format!("`{code}`: `{name}`{found} is none of `{}`", words.join("`, `"));
                Err(Fault::malformed(title, op.span()))
            }
        },
        AttributeConstraint::Fields(fields) => {
            for (field, attr) in attr.as_dict().unwrap_or_default() {
                let Some((_, ascends)) = fields.iter().find(|(known_names, _)| known_names == field) else {
                    let title = format!("`{code}`: `{name}` has no field `{field}`");
                    let known_names = fields.iter().map(|(field, _)| *field);
                    return Err(with_similar_name(Fault::malformed(title, op.span()), field, known_names));
                };
                let sorted = attr.as_ints().is_none_or(|ints| ints.windows(2).all(|pair| pair[0] < pair[1]));
                if *ascends && !sorted {
                    let title = format!("`{code}`: the dimensions `{field}` are not in ascending order");
                    return Err(Fault::malformed(title, op.span()));
                }
            }
            Ok(())
        }
        AttributeConstraint::Precision => {
            let items: &[Attr<'_>] = match attr {
                Attr::List(items) => items,
                _ => &[],
            };
            let known_names = items.iter().all(|item| item.as_word().is_some_and(|word| PRECISIONS.contains(&word)));
            // The StableHLO verifier accepts fewer precisions than operands.
            let empty = matches!(attr, Attr::Ints(ints) if ints.is_empty());
            if known_names && (empty || (1..=op.operands.len()).contains(&items.len())) {
                return Ok(());
            }
            let title = format!("`{code}`: `{name}` is not a precision for each of {} operands", op.operands.len());
            Err(Fault::malformed(title, op.span()).note(format!("precisions are `{}`", PRECISIONS.join("`, `"))))
        }
    }
}

/// Checks the element type and rank of a `dense` literal: one dimension, or `[dims, 2]` for `padding`. Attributes that
/// are not `dense` literals are accepted here.
fn literal(op: &Op<'_>, name: &str, attr: &Attr<'_>, dtype: DType) -> Result<()> {
    let Attr::Dense(dense) = attr else { return Ok(()) };
    // A padding has two numbers per dimension.
    let shape = if name == "padding" { "?x2x" } else { "?x" };
    let fits = |ty: TensorType| {
        ty.as_plain().is_some_and(|ty| ty.dtype == dtype)
            && if name == "padding" { matches!(ty.shape[..], [_, 2]) } else { ty.shape.rank() == 1 }
    };
    if dense.declared_type().is_some_and(fits) {
        return Ok(());
    }
    let title = format!("`{}`: `{name}` is {}, not tensor<{shape}{}>", op.code.name(), dense.ty, spelling(dtype));
    Err(Fault::malformed(title, op.span()))
}

/// Adds a help with a similar name, if there is one.
fn with_similar_name<'k>(fault: Box<Fault>, name: &str, known_names: impl Iterator<Item = &'k str>) -> Box<Fault> {
    match nearest(name, known_names) {
        Some(near) => fault.help(format!("there is one with a similar name: `{near}`")),
        None => fault,
    }
}
