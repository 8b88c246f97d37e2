//! `expert`
use super::Cx;
use partita_ir::diag::Diagnostic;
/// x
pub fn expand(_: &mut Cx<'_>) -> Result<(), Diagnostic> { Ok(()) }
