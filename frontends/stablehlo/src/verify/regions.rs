//! The signatures of regions: what they take and return.

use super::constraints::{Count, Regions};
use super::{Verifier, list};
use crate::fault::{Fault, Result};
use crate::syntax::{Op, Opcode, Region, tensor_text};
use partita_ir::diag::Code;
use partita_ir::dtype::{DType, Type};

impl<'m, 'a> Verifier<'m, 'a> {
    /// Verifies the regions of an operation.
    pub(super) fn regions(&self, op: &'m Op<'a>, regions: Regions) -> Result<()> {
        let operands: Vec<Type> =
            (0..op.operands.len()).map(|i| Ok(self.operand(op, i)?.ty.clone())).collect::<Result<_>>()?;
        let scalars = |types: &[Type]| -> Vec<Type> { types.iter().map(|ty| Type::new(ty.dtype, [])).collect() };
        let test = || vec![Type::new(DType::Bool, [])];
        let count = |wanted| self.counted(op, "region", wanted, op.regions.len());
        match regions {
            Regions::None => count(Count::Exactly(0)),
            Regions::ReducerOrName if op.attr("applies").is_some() => count(Count::Exactly(0)),
            // Of a scatter there are as many inputs as updates, and the indices between them.
            Regions::ReducerOrName | Regions::Reducer | Regions::Update => {
                count(Count::Exactly(1))?;
                self.combines(op, &op.regions[0], &scalars(&operands[..operands.len() / 2]))
            }
            Regions::SelectAndScatter => {
                count(Count::Exactly(2))?;
                let one = scalars(&operands[..1]);
                self.signature(op, &op.regions[0], &[&one[..], &one].concat(), &test())?;
                self.combines(op, &op.regions[1], &one)
            }
            Regions::Comparator => {
                count(Count::Exactly(1))?;
                let pairs: Vec<Type> = scalars(&operands).into_iter().flat_map(|ty| [ty.clone(), ty]).collect();
                self.signature(op, &op.regions[0], &pairs, &test())
            }
            Regions::Loop => {
                count(Count::Exactly(2))?;
                self.signature(op, &op.regions[0], &operands, &test())?;
                self.signature(op, &op.regions[1], &operands, &operands)
            }
            Regions::Branches(wanted) => {
                count(wanted)?;
                op.regions.iter().try_for_each(|region| self.signature(op, region, &[], &op.types))
            }
        }
    }

    /// A region that combines scalars with as many others.
    fn combines(&self, op: &'m Op<'a>, region: &'m Region<'a>, scalars: &[Type]) -> Result<()> {
        self.signature(op, region, &[scalars, scalars].concat(), scalars)
    }

    /// A region that takes and returns values of those types.
    fn signature(&self, op: &'m Op<'a>, region: &'m Region<'a>, takes: &[Type], gives: &[Type]) -> Result<()> {
        let end = self.ops(region, Opcode::Return)?;
        let refs = |types: &'_ [Type]| -> String { list(&types.iter().collect::<Vec<_>>()) };
        let args: Vec<&Type> = region.args.iter().map(|arg| &arg.ty).collect();
        if !args.iter().copied().eq(takes) {
            let other = region.args.iter().zip(takes).find(|(arg, ty)| arg.ty != **ty).map(|(arg, _)| arg);
            let title = format!("`{}` has a region that takes {}, not {}", op.code.name(), list(&args), refs(takes));
            let fault = Fault::new(Code::V001, title, op.span());
            return Err(match other.or(region.args.first()) {
                Some(arg) => fault.context(arg.at.clone(), format!("this argument is {}", tensor_text(&arg.ty))),
                None => fault,
            });
        }
        let returned: Vec<&Type> =
            end.operands.iter().map(|&local| Ok(&self.value(local)?.ty)).collect::<Result<_>>()?;
        if !returned.iter().copied().eq(gives) {
            let title =
                format!("`{}` has a region that returns {}, not {}", op.code.name(), list(&returned), refs(gives));
            return Err(Fault::new(Code::V001, title, op.span()).context(end.span(), "returned here"));
        }
        Ok(())
    }
}
