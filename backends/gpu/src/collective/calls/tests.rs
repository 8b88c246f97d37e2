//! Comparison of network calls with the runtime's collectives, on an emulated network that matches calls as NCCL does.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test")]

use super::*;
use crate::collective::{Network, RankCall};
use crate::emulator::network::EmulatedNetwork;
use partita_ir::arena::{AxisId, MeshId};
use partita_ir::dtype::{Shape, Type};
use partita_ir::layout::{DimLayout, Layout};
use partita_ir::mesh::{AxisRef, DeviceMesh};
use partita_ir::pipeline::messages;
use partita_runtime::group::Group;
use std::sync::Arc;

/// Returns all devices of a mesh with axes of these sizes, as one group.
fn group(sizes: &[u32]) -> Group {
    let mesh = Arc::new(DeviceMesh::new("m", ["a", "b"].into_iter().zip(sizes.iter().copied())));
    let axes: Vec<AxisRef> = (0..sizes.len()).map(|i| AxisRef::full(&mesh, AxisId(i as u32))).collect();
    Group::along_axes(&mesh, &axes).swap_remove(0)
}

/// Executes a row transfer of one member; `operands` is `None` for zeros.
fn carry_out(row_transfer: &RowTransfer, operands: Option<&[u32]>, results: &mut [u32]) {
    let StridedRows { count, run, operand, result } = row_transfer.rows;
    for (row, column) in (0..count).flat_map(|row| (0..run).map(move |column| (row, column))) {
        let from = operand.0 + row * operand.1 + column;
        results[result.0 + row * result.1 + column] = operands.map_or(0, |operands| operands[from]);
    }
}

fn member(row_transfer: &RowTransfer) -> usize {
    match row_transfer.to[..] {
        [MemberBuffer::Result(member)] => member,
        _ => panic!("{row_transfer:?}"),
    }
}

/// Executes a collective by network calls, compares the results with the runtime's, and returns the calls of the first
/// member.
fn check(exec: &CollectiveExec, group: &Group) -> Vec<Call> {
    let plan = CallPlan::from_exec(exec).unwrap_or_else(|| panic!("{exec:?}"));
    let (count, gets) = (exec.operand().shape.count(), exec.result().shape.count());
    let operands: Vec<Vec<u32>> =
        (0..group.len()).map(|m| (0..count).map(|i| (1 + m * 1000 + i) as u32).collect()).collect();
    // Sentinel values reveal elements that are never written.
    let mut results = vec![vec![77; gets]; group.len()];
    let mut staged = vec![vec![78; plan.staging_len]; group.len()];
    for row_transfer in &plan.local {
        let m = member(row_transfer);
        carry_out(row_transfer, (!row_transfer.from.is_empty()).then_some(&operands[m]), &mut results[m]);
    }
    for row_transfer in &plan.pack {
        let m = member(row_transfer);
        carry_out(row_transfer, Some(&operands[m]), &mut staged[m]);
    }
    let mut issues = Vec::new();
    for (position, requests) in plan.requests.iter().enumerate() {
        let mut at = |offset: BufferOffset| match offset {
            BufferOffset::Operand(at) => operands[position].as_ptr().wrapping_add(at) as u64,
            BufferOffset::Result(at) => results[position].as_mut_ptr().wrapping_add(at) as u64,
            BufferOffset::Staged(at) => staged[position].as_mut_ptr().wrapping_add(at) as u64,
        };
        for &Request { call, count, from, to } in requests {
            let request = Request { call, count, from: at(from), to: at(to) };
            let (element, combine) = (plan.element, plan.combine);
            issues.push(RankCall { members: group.members(), position, request, element, combine });
        }
    }
    let devices: Vec<&()> = vec![&(); group.len()];
    EmulatedNetwork.issue(&devices, &issues).unwrap_or_else(|e| panic!("{e:?}"));
    for row_transfer in &plan.unpack {
        let m = member(row_transfer);
        carry_out(row_transfer, Some(&staged[m]), &mut results[m]);
    }
    let words =
        |items: &[u32]| -> Vec<u64> { bytemuck::pod_collect_to_vec(&[items, &[0][..items.len() % 2]].concat()) };
    let inputs: Vec<Vec<u64>> = operands.iter().map(|operand| words(operand)).collect();
    let mut want: Vec<Vec<u64>> = results.iter().map(|_| words(&vec![77; gets])).collect();
    let (read, mut write): (Vec<&[u64]>, Vec<&mut [u64]>) =
        (inputs.iter().map(Vec::as_slice).collect(), want.iter_mut().map(Vec::as_mut_slice).collect());
    exec.run(&read, &mut write, 1).unwrap();
    for (result, want) in results.iter().zip(&want) {
        assert_eq!(result[..], bytemuck::cast_slice::<u64, u32>(want)[..gets], "{exec:?}");
    }
    plan.requests[0].iter().map(|request| request.call).collect()
}

fn ty(shape: &[usize]) -> Type {
    Type::new(DType::I32, shape)
}

#[test]
fn reductions_are_one_all_reduce() {
    for sizes in [&[1][..], &[2], &[3], &[2, 4]] {
        let group = group(sizes);
        for monoid in [Monoid::Sum, Monoid::Max, Monoid::Min, Monoid::Prod] {
            let exec = CollectiveExec::all_reduce(monoid, &ty(&[5, 3]), &group).unwrap();
            assert_eq!(check(&exec, &group), [Call::AllReduce]);
            assert_eq!(CallPlan::from_exec(&exec).unwrap().staging_len, 0);
        }
    }
}

#[test]
fn even_shards_are_gathered_and_scattered_along_any_dimension() {
    for (sizes, size) in [(&[2][..], 6), (&[3], 6), (&[2, 3], 12), (&[4], 8)] {
        let group = group(sizes);
        let shard = group.shard(size, 0).padded;
        for dim in 0..3 {
            let (mut local, mut full) = ([2, 3, 4], [2, 3, 4]);
            (local[dim], full[dim]) = (shard, size);
            let gather = CollectiveExec::all_gather(&ty(&local), dim, size, &group).unwrap();
            assert_eq!(check(&gather, &group), [Call::AllGather]);
            let scatter = CollectiveExec::reduce_scatter(Monoid::Sum, &ty(&full), dim, &group).unwrap();
            assert_eq!(check(&scatter, &group), [Call::ReduceScatter]);
            // Contiguous operands and results need no staging buffer.
            let is_staged = |exec| CallPlan::from_exec(exec).unwrap().staging_len > 0;
            assert_eq!((is_staged(&gather), is_staged(&scatter)), (dim > 0, dim > 0));
        }
    }
}

#[test]
fn uneven_shards_use_one_call_per_shard() {
    for (sizes, size) in [(&[2][..], 5), (&[3], 4), (&[2, 3], 7), (&[4], 9)] {
        let group = group(sizes);
        let shard = group.shard(size, 0).padded;
        for dim in 0..2 {
            let (mut local, mut full) = ([2, 3], [2, 3]);
            (local[dim], full[dim]) = (shard, size);
            let calls = check(&CollectiveExec::all_gather(&ty(&local), dim, size, &group).unwrap(), &group);
            assert!(calls.len() > 1 && calls.iter().all(|call| matches!(call, Call::Broadcast { .. })), "{calls:?}");
            let calls = check(&CollectiveExec::reduce_scatter(Monoid::Sum, &ty(&full), dim, &group).unwrap(), &group);
            assert!(calls.len() > 1 && calls.iter().all(|call| matches!(call, Call::Reduce { .. })), "{calls:?}");
        }
    }
}

#[test]
fn all_to_all_and_permute_use_point_to_point_calls() {
    for (sizes, size) in [(&[2][..], 6), (&[2], 5), (&[3], 7), (&[2, 3], 12)] {
        let group = group(sizes);
        let shard = group.shard(size, 0).padded;
        for (from, to) in [(0, 1), (1, 0), (0, 2), (2, 1)] {
            let mut local = [size; 3];
            local[from] = shard;
            let calls = check(&CollectiveExec::all_to_all(&ty(&local), from, size, to, &group).unwrap(), &group);
            assert!(calls.iter().all(|call| matches!(call, Call::Send { .. } | Call::Receive { .. })), "{calls:?}");
        }
    }
    let group = group(&[4]);
    for pairs in [&[(0, 1), (1, 2), (2, 3), (3, 0)][..], &[(0, 3)], &[(2, 2), (3, 0)], &[]] {
        check(&CollectiveExec::permute(&ty(&[3, 2]), pairs, &group).unwrap(), &group);
    }
}

/// On one device, receivers of the same value copy it from each other; over a network, each receives it from the
/// sender.
#[test]
fn transfers_are_sent_to_every_receiver() {
    let (from, to) = (DeviceMesh::new("s", [("a", 2)]), DeviceMesh::new("t", [("a", 3)]));
    let rows = DimLayout { axes: [AxisRef::full(&from, AxisId(0))].into_iter().collect(), ..DimLayout::default() };
    let mut split = Layout::replicated(MeshId(0), 2);
    split.dims[0] = rows;
    let messages = messages(&Shape::from([4, 3]), (Some(&split), &from), (None, &to));
    assert!(messages.iter().all(|message| message.onward.len() == 2));
    let exec = CollectiveExec::transfer(&messages, (&ty(&[2, 3]), &ty(&[4, 3])), (2, 2, 5));
    let calls = check(&exec, &group(&[5]));
    let receivers = [2, 3, 4].map(|to| calls.iter().filter(|call| **call == Call::Send { to }).count());
    assert!(
        calls.len() == receivers.iter().sum::<usize>() && receivers.iter().all(|&count| count == receivers[0]),
        "{calls:?}"
    );
}

#[test]
fn bitwise_reductions_are_unsupported() {
    let group = group(&[2]);
    assert_eq!(CallPlan::from_exec(&CollectiveExec::all_reduce(Monoid::And, &ty(&[2]), &group).unwrap()), None);
    let booleans = Type::new(DType::Bool, [2]);
    let plan =
        |monoid| CallPlan::from_exec(&CollectiveExec::all_reduce(monoid, &booleans, &group).unwrap()).unwrap().combine;
    assert_eq!([Monoid::And, Monoid::Or, Monoid::Sum].map(plan), [ReduceOp::Min, ReduceOp::Max, ReduceOp::Max]);
}

#[test]
fn mismatched_calls_are_errors() {
    let mut there = [0u32; 4];
    let at = there.as_mut_ptr() as u64;
    let issue = |position, call, count| RankCall {
        members: &[0, 1],
        position,
        request: Request { call, count, from: at, to: at },
        element: ElementType::U32,
        combine: ReduceOp::Sum,
    };
    let (send, receive) = (Call::Send { to: 1 }, Call::Receive { from: 0 });
    for wrong in [
        vec![issue(0, send, 1)],
        vec![issue(1, receive, 1)],
        vec![issue(0, send, 1), issue(1, receive, 2)],
        vec![issue(0, Call::AllReduce, 1)],
        vec![issue(0, Call::AllReduce, 1), issue(1, Call::AllReduce, 2)],
        vec![issue(0, Call::Broadcast { root: 0 }, 1), issue(1, Call::Broadcast { root: 1 }, 1)],
    ] {
        assert!(EmulatedNetwork.issue(&[&(), &()], &wrong).is_err(), "{wrong:?}");
    }
}
