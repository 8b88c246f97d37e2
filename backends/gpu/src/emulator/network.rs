//! Emulation of NCCL between emulated devices, which share the process's memory. Calls are matched as NCCL does; a
//! mismatch is an error, where NCCL would hang.

#![allow(unsafe_code, reason = "calls are made on addresses")]

use crate::collective::calls::{Call, ElementType, ReduceOp, Request};
use crate::collective::{Network, RankCall};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::{DType, Type};
use partita_ir::layout::Monoid;
use partita_ir::tensor::Tensor;

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
            run_group((0..members.len()).map(of).collect()).map_err(|why| Diagnostic::new(Code::R004, why))?;
        }
        Ok(())
    }
}

/// Executes the calls of a group, which are indexed by position.
fn run_group(mut calls: Vec<Vec<&RankCall<'_>>>) -> Result<(), String> {
    for from in 0..calls.len() {
        while let Some(at) = calls[from].iter().position(|issue| matches!(issue.request.call, Call::Send { .. })) {
            let send = calls[from].remove(at);
            let Call::Send { to } = send.request.call else { continue };
            let matches = |issue: &&RankCall<'_>| issue.request.call == Call::Receive { from };
            let receive = calls.get(to).and_then(|calls| calls.iter().position(matches));
            let receive =
                receive.map(|at| calls[to].remove(at)).ok_or_else(|| format!("{to} does not receive from {from}"))?;
            if (receive.request.count, receive.element) != (send.request.count, send.element) {
                return Err(format!("{from} sends {:?}, {to} receives {:?}", send.request, receive.request));
            }
            write(receive.request.to, &read(send, send.request.count));
        }
    }
    let longest = calls.iter().map(Vec::len).max().unwrap_or(0);
    for number in 0..longest {
        let all: Option<Vec<&RankCall<'_>>> = calls.iter().map(|calls| calls.get(number).copied()).collect();
        let all = all.ok_or("some members make fewer calls than others")?;
        let Some(&first) = all.first() else { continue };
        let is_equal = |issue: &&RankCall<'_>| {
            let key = |issue: &RankCall<'_>| (issue.request.call, issue.request.count, issue.element, issue.combine);
            key(issue) == key(first)
        };
        if !all.iter().all(is_equal) {
            return Err(format!("members issue different calls: {:?}", first.request));
        }
        run_call(first, &all)?;
    }
    Ok(())
}

/// Executes one call of all members.
fn run_call(first: &RankCall<'_>, all: &[&RankCall<'_>]) -> Result<(), String> {
    let Request { call, count, .. } = first.request;
    let members = all.len();
    let share = |full: &Tensor, member: usize| {
        let bytes = full.to_bytes();
        let length = bytes.len() / members;
        Tensor::from_bytes(ty(first.element, count), &bytes[member * length..][..length])
    };
    let combined = |count: usize| -> Result<Tensor, String> {
        let mut tensors = all.iter().map(|issue| read(issue, count));
        let first_one = tensors.next().ok_or("the group has no members")?;
        Ok(tensors.fold(first_one, |sum, tensor| combine(monoid(first.combine), &sum, &tensor)))
    };
    match call {
        Call::AllReduce => {
            let sum = combined(count)?;
            all.iter().for_each(|issue| write(issue.request.to, &sum));
        }
        Call::ReduceScatter => {
            let sum = combined(count * members)?;
            all.iter().enumerate().for_each(|(member, issue)| write(issue.request.to, &share(&sum, member)));
        }
        Call::AllGather => {
            let operands: Vec<Tensor> = all.iter().map(|issue| read(issue, count)).collect();
            let full: Vec<u8> = operands.iter().flat_map(Tensor::to_bytes).collect();
            let full = Tensor::from_bytes(ty(first.element, count * members), &full);
            all.iter().for_each(|issue| write(issue.request.to, &full));
        }
        Call::Broadcast { root } => {
            let operand = all.get(root).map(|issue| read(issue, count)).ok_or("there is no such root")?;
            all.iter().for_each(|issue| write(issue.request.to, &operand));
        }
        Call::Reduce { root } => {
            let sum = combined(count)?;
            write(all.get(root).ok_or("there is no such root")?.request.to, &sum);
        }
        Call::Send { .. } | Call::Receive { .. } => return Err("a receive has no matching send".into()),
    }
    Ok(())
}

/// Combines two tensors element by element.
fn combine(monoid: Monoid, a: &Tensor, b: &Tensor) -> Tensor {
    let (ty, both) = (a.ty.clone(), a.scalars().zip(b.scalars()));
    if ty.dtype.is_float() {
        return Tensor::from_floats(ty, both.map(|(a, b)| monoid.combine_floats(a.to_f64(), b.to_f64())).collect())
            .wrapped();
    }
    let dtype = ty.dtype;
    Tensor::from_ints(ty, both.map(|(a, b)| monoid.combine_ints(dtype, a.to_i64(), b.to_i64())).collect()).wrapped()
}

fn ty(element: ElementType, count: usize) -> Type {
    let dtype = match element {
        ElementType::F32 => DType::F32,
        ElementType::F16 => DType::F16,
        ElementType::Bf16 => DType::BF16,
        ElementType::I32 => DType::I32,
        ElementType::U32 => DType::U32,
    };
    Type::new(dtype, [count])
}

fn monoid(combine: ReduceOp) -> Monoid {
    match combine {
        ReduceOp::Sum => Monoid::Sum,
        ReduceOp::Product => Monoid::Prod,
        ReduceOp::Max => Monoid::Max,
        ReduceOp::Min => Monoid::Min,
    }
}

/// Reads the operand of a member.
fn read(issue: &RankCall<'_>, count: usize) -> Tensor {
    let ty = ty(issue.element, count);
    // SAFETY: the operand has this many elements, which NCCL requires of its callers, too.
    let bytes = unsafe { std::slice::from_raw_parts(issue.request.from as *const u8, ty.bytes() as usize) };
    Tensor::from_bytes(ty, bytes)
}

fn write(to: u64, tensor: &Tensor) {
    let bytes = tensor.to_bytes();
    // SAFETY: the result has room for the tensor, as above.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to as *mut u8, bytes.len()) };
}
