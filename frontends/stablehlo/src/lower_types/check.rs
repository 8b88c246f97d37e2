//! Operations of the `check` dialect in one form: with two operands instead of an operand and a literal, and as
//! operations instead of custom calls with their names.

use super::TypeLowering;
use crate::fault::{Fault, Result};
use crate::syntax::{Attr, Attrs, Local, Opcode, ParsedOp};
use smallvec::smallvec;

impl<'a> TypeLowering<'a> {
    /// Returns a check in the form with two operands; `None` for other operations and for checks in this form. The
    /// literal is emitted as a constant.
    pub(super) fn check_op(&mut self, op: &ParsedOp<'a>) -> Result<Option<ParsedOp<'a>>> {
        match op.code {
            Opcode::CustomCall => {
                let target = op.attr("call_target_name").and_then(|attr| attr.as_symbol().or(attr.as_str()));
                let Some(code) = target.filter(|name| name.starts_with("check.")).and_then(Opcode::from_name) else {
                    return Ok(None);
                };
                let attrs = op.attrs.iter().filter(|(name, _)| *name != "call_target_name").cloned().collect();
                Ok(Some(self.rewritten(op, code, op.operands.to_vec(), attrs)))
            }
            Opcode::CheckExpectAlmostEqConst | Opcode::CheckExpectEqConst => {
                let (&[actual], Some(Attr::Dense(dense))) = (&op.operands[..], op.attr("value")) else {
                    return Err(Fault::malformed(format!("`{}` needs a literal", op.code.name()), op.span()));
                };
                let value = self.source[actual as usize].clone();
                let expected = self.source.len() as Local;
                self.source.push(value.clone());
                self.parts.push(None);
                let constant = ParsedOp {
                    first_result: expected,
                    types: smallvec![value.ty],
                    ..self.rewritten(op, Opcode::Constant, Vec::new(), smallvec![("value", Attr::Dense(dense.clone()))])
                };
                self.op(&constant)?;
                let code = match op.code {
                    Opcode::CheckExpectEqConst => Opcode::CheckExpectEq,
                    _ => Opcode::CheckExpectAlmostEq,
                };
                let attrs = op.attrs.iter().filter(|(name, _)| *name != "value").cloned().collect();
                Ok(Some(self.rewritten(op, code, vec![actual, expected], attrs)))
            }
            _ => Ok(None),
        }
    }

    fn rewritten(&self, op: &ParsedOp<'a>, code: Opcode, operands: Vec<Local>, attrs: Attrs<'a>) -> ParsedOp<'a> {
        ParsedOp { code, operands: operands.into(), types: op.types.clone(), attrs, regions: Vec::new(), ..*op }
    }
}
