//! `prove`: proves that a program computes the same as its original.

use super::Outcome;
use super::args::ProveArgs;
use partita::Result;
use partita::load;

/// Runs `partita prove`.
pub(super) fn prove(args: &ProveArgs) -> Result<Outcome> {
    let proof = partita::prove(&load(&args.original)?, &load(&args.other)?)?;
    let ok = proof.is_equal();
    let text = match (args.json, args.chain) {
        (true, _) => proof.to_json() + "\n",
        (false, true) => proof.with_chain().to_string(),
        (false, false) => proof.to_string(),
    };
    Ok(Outcome { text, ok })
}
