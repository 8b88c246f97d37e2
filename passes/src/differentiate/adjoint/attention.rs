//! The adjoint of attention.

use super::Adjoint;
use partita_ir::ops::Attention;

/// See the head of this file.
pub fn attention(_: &mut Adjoint<'_, '_>, _: &Attention) -> Result<(), String> {
    Err("no rule yet".into())
}
