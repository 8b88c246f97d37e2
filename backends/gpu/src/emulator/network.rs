//! Emulation of NCCL between emulated devices of one process, which share its memory.

#![allow(unsafe_code, reason = "calls are made on addresses")]

use super::matching::{MemberCall, run_group};
use crate::collective::{Network, RankCall};
use partita_ir::diag::{Code, Diagnostic};

/// The emulated network.
pub struct EmulatedNetwork;

impl<D> Network<D> for EmulatedNetwork {
    fn issue(&self, _: &[&D], issues: &[RankCall<'_>]) -> Result<(), Diagnostic> {
        let mut groups: Vec<&[usize]> = Vec::new();
        for issue in issues {
            if !groups.contains(&issue.members) {
                groups.push(issue.members);
            }
        }
        for members in groups {
            let of = |position: usize| -> Vec<&RankCall<'_>> {
                issues.iter().filter(|issue| issue.members == members && issue.position == position).collect()
            };
            let issued: Vec<Vec<&RankCall<'_>>> = (0..members.len()).map(of).collect();
            let call = |issue: &&RankCall<'_>| {
                let RankCall { request, element, combine, position, .. } = **issue;
                let call = MemberCall { call: request.call, count: request.count, element, combine, operand: vec![] };
                // SAFETY: the operand has this many bytes, which NCCL requires of its callers, too.
                let operand = unsafe { read(request.from, call.operand_bytes(position, members.len())) };
                MemberCall { operand, ..call }
            };
            let calls: Vec<Vec<MemberCall>> = issued.iter().map(|of| of.iter().map(call).collect()).collect();
            for (position, number, result) in run_group(&calls).map_err(|why| Diagnostic::new(Code::R004, why))? {
                // SAFETY: the result has room for the elements, as above.
                unsafe { write(issued[position][number].request.to, &result) };
            }
        }
        Ok(())
    }
}

/// Returns bytes of device memory.
///
/// # Safety
/// `bytes` bytes follow the address, and nothing writes to them meanwhile.
pub(super) unsafe fn read(from: u64, bytes: usize) -> Vec<u8> {
    if bytes == 0 {
        return Vec::new();
    }
    // SAFETY: guaranteed by the caller.
    unsafe { std::slice::from_raw_parts(from as *const u8, bytes) }.to_vec()
}

/// Writes bytes to device memory.
///
/// # Safety
/// The memory at the address has room for the bytes, and nothing accesses it meanwhile.
pub(super) unsafe fn write(to: u64, bytes: &[u8]) {
    // SAFETY: guaranteed by the caller.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to as *mut u8, bytes.len()) };
}
