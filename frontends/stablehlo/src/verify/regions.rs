//! Verification of regions: their number, arguments and results.

use super::constraints::{Count, RegionConstraint};
use super::{Verifier, list};
use crate::fault::{Fault, Result};
use crate::syntax::{Opcode, TensorType};
use crate::syntax::{ParsedOp as Op, ParsedRegion as Region};
use partita_ir::diag::Code;
use partita_ir::dtype::DType;

impl<'m, 'a> Verifier<'m, 'a> {
    /// Verifies the number of regions of an operation, and their signatures.
    pub(super) fn regions(&self, op: &'m Op<'a>, regions: RegionConstraint) -> Result<()> {
        let operands: Vec<TensorType> =
            (0..op.operands.len()).map(|i| Ok(self.operand(op, i)?.ty.clone())).collect::<Result<_>>()?;
        let scalars = |types: &[TensorType]| -> Vec<TensorType> { types.iter().map(TensorType::scalar).collect() };
        let test = || vec![TensorType::plain(DType::Bool, [])];
        let count = |wanted| self.check_count(op, "region", wanted, op.regions.len());
        match regions {
            RegionConstraint::None => count(Count::Exactly(0)),
            RegionConstraint::ReducerOrName if op.attr("applies").is_some() => count(Count::Exactly(0)),
            // The operands of a scatter are inputs, indices and updates, with as many updates as inputs.
            RegionConstraint::ReducerOrName | RegionConstraint::Reducer | RegionConstraint::Update => {
                count(Count::Exactly(1))?;
                self.combines(op, &op.regions[0], &scalars(&operands[..operands.len() / 2]))
            }
            RegionConstraint::SelectAndScatter => {
                count(Count::Exactly(2))?;
                let one = scalars(&operands[..1]);
                self.signature(op, &op.regions[0], &[&one[..], &one].concat(), &test())?;
                self.combines(op, &op.regions[1], &one)
            }
            RegionConstraint::Comparator => {
                count(Count::Exactly(1))?;
                let pairs: Vec<TensorType> = scalars(&operands).into_iter().flat_map(|ty| [ty.clone(), ty]).collect();
                self.signature(op, &op.regions[0], &pairs, &test())
            }
            RegionConstraint::Combination => {
                count(Count::Exactly(1))?;
                self.combines(op, &op.regions[0], &scalars(&operands[..1]))
            }
            RegionConstraint::Manual => {
                count(Count::Exactly(1))?;
                self.ops(&op.regions[0], Opcode::SdyReturn).map(drop)
            }
            RegionConstraint::Elementwise => {
                count(Count::Exactly(1))?;
                self.signature(op, &op.regions[0], &scalars(&operands), &scalars(&op.types))
            }
            RegionConstraint::Loop => {
                count(Count::Exactly(2))?;
                self.signature(op, &op.regions[0], &operands, &test())?;
                self.signature(op, &op.regions[1], &operands, &operands)
            }
            RegionConstraint::Branches(wanted) => {
                count(wanted)?;
                op.regions.iter().try_for_each(|region| self.signature(op, region, &[], &op.types))
            }
        }
    }

    /// Checks that a region has the signature `(scalars, scalars) -> scalars`, as a reducer does.
    fn combines(&self, op: &'m Op<'a>, region: &'m Region<'a>, scalars: &[TensorType]) -> Result<()> {
        self.signature(op, region, &[scalars, scalars].concat(), scalars)
    }

    /// Checks that a region has arguments of the types `takes` and returns values of the types `returns`.
    fn signature(
        &self,
        op: &'m Op<'a>,
        region: &'m Region<'a>,
        takes: &[TensorType],
        returns: &[TensorType],
    ) -> Result<()> {
        let end = self.ops(region, Opcode::Return)?;
        let refs = |types: &'_ [TensorType]| -> String { list(&types.iter().collect::<Vec<_>>()) };
        let args: Vec<&TensorType> = region.args.iter().map(|arg| &arg.ty).collect();
        if !args.iter().copied().eq(takes) {
            let other = region.args.iter().zip(takes).find(|(arg, ty)| arg.ty != **ty).map(|(arg, _)| arg);
            let title = format!("`{}` has a region that takes {}, not {}", op.code.name(), list(&args), refs(takes));
            let fault = Fault::new(Code::V001, title, op.span());
            return Err(match other.or(region.args.first()) {
                Some(arg) => fault.context(arg.at.clone(), format!("this argument is {}", arg.ty)),
                None => fault,
            });
        }
        let returned: Vec<&TensorType> =
            end.operands.iter().map(|&local| Ok(&self.value(local)?.ty)).collect::<Result<_>>()?;
        if !returned.iter().copied().eq(returns) {
            let title =
                format!("`{}` has a region that returns {}, not {}", op.code.name(), list(&returned), refs(returns));
            return Err(Fault::new(Code::V001, title, op.span()).context(end.span(), "returned here"));
        }
        Ok(())
    }
}
