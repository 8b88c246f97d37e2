//! Lowering of annotations of tensors to `constrain` ops.

use super::lowering::Lowering;
use crate::annotate::{Annotation, AnnotationKind};
use burn_ir::TensorId;
use partita_ir::diag::Diagnostic;
use partita_ir::ops::Constrain;
use partita_ir::plan::text::{parse_layout_of, parse_names_of};
use std::sync::Arc;

/// Replaces the value of an annotated tensor by a constraint of it. A tensor that could not be lowered has no value.
///
/// # Errors
/// `L008` for a text that is not a list of names or a layout, `L009` for one of the wrong rank.
pub(super) fn lower(cx: &mut Lowering<'_>, id: TensorId, annotation: &Annotation) -> Result<(), Diagnostic> {
    let Some(value) = cx.find(id) else { return Ok(()) };
    let Annotation { kind, written } = annotation;
    let ty = cx.b.ty(value);
    let path = format!("%{}", cx.b.program.values[value].name);
    let text = Some(Arc::new(written.clone()));
    let (word, constrain) = match kind {
        AnnotationKind::Names => {
            parse_names_of(written, &path, &ty)?;
            ("named", Constrain { names: text, ..Constrain::default() })
        }
        AnnotationKind::Sharding => {
            parse_layout_of(written, &path, &ty)?;
            ("sharded", Constrain { sharding: text, ..Constrain::default() })
        }
    };
    let constrained = cx.b.op(word, constrain, &[value], ty);
    cx.bind(id, constrained);
    Ok(())
}
