//! Stands in for NCCL among emulated devices, whose memory is this process's: calls are matched as NCCL matches them,
//! and what does not match is said, where NCCL would wait for ever.

#![allow(unsafe_code, reason = "calls are made on addresses")]

use crate::collective::calls::{Call, Combine, Element, Request};
use crate::collective::{Issue, Network};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::{DType, Type};
use partita_ir::layout::Monoid;
use partita_ir::tensor::Tensor;

/// The network.
pub struct Emulated;

impl<D> Network<D> for Emulated {
    fn meet(&self, _: &[&D], issues: &[Issue<'_>]) -> Result<(), Diagnostic> {
        let mut groups: Vec<&[usize]> = Vec::new();
        for issue in issues {
            if !groups.contains(&issue.members) {
                groups.push(issue.members);
            }
        }
        for members in groups {
            let of = |position: usize| -> Vec<&Issue<'_>> {
                issues.iter().filter(|issue| issue.members == members && issue.position == position).collect()
            };
            meet((0..members.len()).map(of).collect()).map_err(|why| Diagnostic::new(Code::R004, why))?;
        }
        Ok(())
    }
}

/// Carries out the calls of a group, by position.
fn meet(mut calls: Vec<Vec<&Issue<'_>>>) -> Result<(), String> {
    for from in 0..calls.len() {
        while let Some(at) = calls[from].iter().position(|issue| matches!(issue.request.call, Call::Send { .. })) {
            let given = calls[from].remove(at);
            let Call::Send { to } = given.request.call else { continue };
            let awaits = |issue: &&Issue<'_>| issue.request.call == Call::Receive { from };
            let got = calls.get(to).and_then(|calls| calls.iter().position(awaits));
            let got = got.map(|at| calls[to].remove(at)).ok_or_else(|| format!("{to} does not receive from {from}"))?;
            if (got.request.count, got.element) != (given.request.count, given.element) {
                return Err(format!("{from} sends {:?}, {to} receives {:?}", given.request, got.request));
            }
            write(got.request.to, &read(given, given.request.count));
        }
    }
    let longest = calls.iter().map(Vec::len).max().unwrap_or(0);
    for number in 0..longest {
        let all: Option<Vec<&Issue<'_>>> = calls.iter().map(|calls| calls.get(number).copied()).collect();
        let all = all.ok_or("some members make fewer calls than others")?;
        let Some(&first) = all.first() else { continue };
        let alike = |issue: &&Issue<'_>| {
            let key = |issue: &Issue<'_>| (issue.request.call, issue.request.count, issue.element, issue.combine);
            key(issue) == key(first)
        };
        if !all.iter().all(alike) {
            return Err(format!("members differ in what they call: {:?}", first.request));
        }
        together(first, &all)?;
    }
    Ok(())
}

/// A call of all members.
fn together(first: &Issue<'_>, all: &[&Issue<'_>]) -> Result<(), String> {
    let Request { call, count, .. } = first.request;
    let members = all.len();
    let share = |whole: &Tensor, member: usize| {
        let bytes = whole.to_bytes();
        let length = bytes.len() / members;
        Tensor::from_bytes(ty(first.element, count), &bytes[member * length..][..length])
    };
    let combined = |count: usize| -> Result<Tensor, String> {
        let mut tensors = all.iter().map(|issue| read(issue, count));
        let first_one = tensors.next().ok_or("nobody calls")?;
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
            let given: Vec<Tensor> = all.iter().map(|issue| read(issue, count)).collect();
            let whole: Vec<u8> = given.iter().flat_map(Tensor::to_bytes).collect();
            let whole = Tensor::from_bytes(ty(first.element, count * members), &whole);
            all.iter().for_each(|issue| write(issue.request.to, &whole));
        }
        Call::Broadcast { root } => {
            let given = all.get(root).map(|issue| read(issue, count)).ok_or("there is no such root")?;
            all.iter().for_each(|issue| write(issue.request.to, &given));
        }
        Call::Reduce { root } => {
            let sum = combined(count)?;
            write(all.get(root).ok_or("there is no such root")?.request.to, &sum);
        }
        Call::Send { .. } | Call::Receive { .. } => return Err("somebody receives what nobody sends".into()),
    }
    Ok(())
}

/// Both, element by element.
fn combine(monoid: Monoid, a: &Tensor, b: &Tensor) -> Tensor {
    let (ty, both) = (a.ty.clone(), a.scalars().zip(b.scalars()));
    if ty.dtype.is_float() {
        return Tensor::from_floats(ty, both.map(|(a, b)| monoid.floats(a.to_f64(), b.to_f64())).collect()).wrapped();
    }
    let dtype = ty.dtype;
    Tensor::from_ints(ty, both.map(|(a, b)| monoid.ints(dtype, a.to_i64(), b.to_i64())).collect()).wrapped()
}

fn ty(element: Element, count: usize) -> Type {
    let dtype = match element {
        Element::F32 => DType::F32,
        Element::F16 => DType::F16,
        Element::Bf16 => DType::BF16,
        Element::I32 => DType::I32,
        Element::U32 => DType::U32,
    };
    Type::new(dtype, [count])
}

fn monoid(combine: Combine) -> Monoid {
    match combine {
        Combine::Sum => Monoid::Sum,
        Combine::Product => Monoid::Prod,
        Combine::Max => Monoid::Max,
        Combine::Min => Monoid::Min,
    }
}

/// What a member gives.
fn read(issue: &Issue<'_>, count: usize) -> Tensor {
    let ty = ty(issue.element, count);
    // SAFETY: so many elements are there: that is what a caller of NCCL promises, too.
    let bytes = unsafe { std::slice::from_raw_parts(issue.request.from as *const u8, ty.bytes() as usize) };
    Tensor::from_bytes(ty, bytes)
}

fn write(to: u64, tensor: &Tensor) {
    let bytes = tensor.to_bytes();
    // SAFETY: as above.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to as *mut u8, bytes.len()) };
}
