//! Matching and execution of the calls of a group, as NCCL does. A mismatch is an error, where NCCL would hang.

use crate::collective::calls::{Call, ElementType, ReduceOp};
use partita_ir::dtype::{DType, Type};
use partita_ir::layout::Monoid;
use partita_ir::tensor::Tensor;

/// A call of one member of a group, with its operand.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct MemberCall {
    pub(super) call: Call,
    /// Number of elements of each member's operand; for [`Call::ReduceScatter`], of each member's result.
    pub(super) count: usize,
    pub(super) element: ElementType,
    pub(super) combine: ReduceOp,
    /// Elements of the operand; empty for calls without one.
    pub(super) operand: Vec<u8>,
}

impl MemberCall {
    /// Returns the number of bytes of the operand of the member at a position.
    pub(super) fn operand_bytes(&self, position: usize, members: usize) -> usize {
        let elements = match self.call {
            Call::AllReduce | Call::AllGather | Call::Reduce { .. } | Call::Send { .. } => self.count,
            Call::ReduceScatter => self.count * members,
            Call::Broadcast { root } if root == position => self.count,
            Call::Broadcast { .. } | Call::Receive { .. } => 0,
        };
        ty(self.element, elements).bytes() as usize
    }

    /// Formats the call for messages.
    fn describe(&self) -> String {
        format!("{} of {} {:?} elements", self.call.name(), self.count, self.element)
    }

    fn tensor(&self, count: usize) -> Result<Tensor, String> {
        let ty = ty(self.element, count);
        if self.operand.len() as u64 != ty.bytes() {
            return Err(format!("the operand of {} has {} bytes", self.describe(), self.operand.len()));
        }
        Ok(Tensor::from_bytes(ty, &self.operand))
    }
}

/// Results of a group's calls: position of the member, index among its calls, and the elements.
pub(super) type Results = Vec<(usize, usize, Vec<u8>)>;

/// Executes the calls of a group, which are indexed by position.
///
/// # Errors
/// A description of calls that do not match.
pub(super) fn run_group(calls: &[Vec<MemberCall>]) -> Result<Results, String> {
    let mut results = Results::new();
    let mut collectives: Vec<Vec<usize>> = Vec::with_capacity(calls.len());
    let mut received: Vec<Vec<usize>> = vec![Vec::new(); calls.len()];
    for (from, of_member) in calls.iter().enumerate() {
        let mut rest = Vec::new();
        for (number, send) in of_member.iter().enumerate() {
            let to = match send.call {
                Call::Send { to } => to,
                Call::Receive { .. } => continue,
                _ => {
                    rest.push(number);
                    continue;
                }
            };
            let mut receives = calls.get(to).into_iter().flatten().enumerate();
            let found = receives.find(|(at, receive)| {
                receive.call == Call::Receive { from } && received.get(to).is_some_and(|done| !done.contains(at))
            });
            let (at, receive) = found.ok_or_else(|| format!("{to} does not receive from {from}"))?;
            if (receive.count, receive.element) != (send.count, send.element) {
                return Err(format!("{from} issues {}, {to} issues {}", send.describe(), receive.describe()));
            }
            received[to].push(at);
            results.push((to, at, send.operand.clone()));
        }
        collectives.push(rest);
    }
    let is_received = |(member, of_member): (usize, &Vec<MemberCall>)| {
        of_member.iter().filter(|call| matches!(call.call, Call::Receive { .. })).count() == received[member].len()
    };
    if !calls.iter().enumerate().all(is_received) {
        return Err("a receive has no matching send".into());
    }
    let longest = collectives.iter().map(Vec::len).max().unwrap_or(0);
    for number in 0..longest {
        let all: Option<Vec<&MemberCall>> =
            collectives.iter().zip(calls).map(|(numbers, calls)| calls.get(*numbers.get(number)?)).collect();
        let all = all.ok_or("some members make fewer calls than others")?;
        let Some(&first) = all.first() else { continue };
        let key = |call: &MemberCall| (call.call, call.count, call.element, call.combine);
        if let Some(other) = all.iter().find(|call| key(call) != key(first)) {
            return Err(format!("members issue different calls: {} and {}", first.describe(), other.describe()));
        }
        for (member, result) in run_collective(first, &all)? {
            results.push((member, collectives[member][number], result));
        }
    }
    Ok(results)
}

/// Executes one collective of all members. Returns the result of each receiver.
fn run_collective(first: &MemberCall, all: &[&MemberCall]) -> Result<Vec<(usize, Vec<u8>)>, String> {
    let (count, members) = (first.count, all.len());
    let combined = |count: usize| -> Result<Vec<u8>, String> {
        let mut tensors = all.iter().map(|call| call.tensor(count));
        let one = tensors.next().ok_or("the group has no members")??;
        let sum = tensors.try_fold(one, |sum, tensor| Ok::<_, String>(combine(monoid(first.combine), &sum, &tensor?)));
        Ok(sum?.to_bytes())
    };
    let for_all = |result: Vec<u8>| (0..members).map(|member| (member, result.clone())).collect();
    let operand_of = |root: usize| all.get(root).map(|call| call.operand.clone()).ok_or("there is no such root");
    Ok(match first.call {
        Call::AllReduce => for_all(combined(count)?),
        Call::ReduceScatter => {
            let sum = combined(count * members)?;
            sum.chunks((sum.len() / members).max(1)).map(<[u8]>::to_vec).enumerate().collect()
        }
        Call::AllGather => for_all(all.iter().flat_map(|call| &call.operand).copied().collect()),
        Call::Broadcast { root } => for_all(operand_of(root)?),
        Call::Reduce { root } => vec![(root, combined(count)?)],
        Call::Send { .. } | Call::Receive { .. } => return Err("a transfer is no collective".into()),
    })
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
