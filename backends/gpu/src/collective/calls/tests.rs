//! Calls give what the runtime's exchange gives, by a network that matches them as NCCL does.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test")]

use super::*;
use crate::collective::{Issue, Network};
use crate::emulator::network::Emulated;
use partita_ir::arena::{AxisId, MeshId};
use partita_ir::dtype::{Shape, Type};
use partita_ir::layout::{DimLayout, Layout};
use partita_ir::mesh::{AxisRef, Mesh};
use partita_ir::pipeline::messages;
use partita_runtime::group::Group;
use std::sync::Arc;

/// All devices of a mesh with those axes, as one group.
fn group(sizes: &[u32]) -> Group {
    let mesh = Arc::new(Mesh::new("m", ["a", "b"].into_iter().zip(sizes.iter().copied())));
    let axes: Vec<AxisRef> = (0..sizes.len()).map(|i| AxisRef::whole(&mesh, AxisId(i as u32))).collect();
    Group::all(&mesh, &axes).swap_remove(0)
}

/// Moves elements of one member from somewhere to somewhere.
fn carry_out(motion: &Motion, operands: Option<&[u32]>, results: &mut [u32]) {
    let Rows { count, run, operand, result } = motion.rows;
    for (row, column) in (0..count).flat_map(|row| (0..run).map(move |column| (row, column))) {
        let from = operand.0 + row * operand.1 + column;
        results[result.0 + row * result.1 + column] = operands.map_or(0, |operands| operands[from]);
    }
}

fn member(motion: &Motion) -> usize {
    match motion.to[..] {
        [Place::Result(member)] => member,
        _ => panic!("{motion:?}"),
    }
}

/// Runs an exchange by calls, and compares; gives the calls of the first member.
fn check(exchange: &Exchange, group: &Group) -> Vec<Call> {
    let plan = Plan::of(exchange).unwrap_or_else(|| panic!("{exchange:?}"));
    let (count, gets) = (exchange.operand().shape.count(), exchange.result().shape.count());
    let operands: Vec<Vec<u32>> =
        (0..group.len()).map(|m| (0..count).map(|i| (1 + m * 1000 + i) as u32).collect()).collect();
    // What nobody writes would be seen.
    let mut results = vec![vec![77; gets]; group.len()];
    let mut staged = vec![vec![78; plan.staged]; group.len()];
    for motion in &plan.own {
        let m = member(motion);
        carry_out(motion, (!motion.from.is_empty()).then_some(&operands[m]), &mut results[m]);
    }
    for motion in &plan.before {
        let m = member(motion);
        carry_out(motion, Some(&operands[m]), &mut staged[m]);
    }
    let mut issues = Vec::new();
    for (position, requests) in plan.requests.iter().enumerate() {
        let mut at = |spot: Spot| match spot {
            Spot::Operand(at) => operands[position].as_ptr().wrapping_add(at) as u64,
            Spot::Result(at) => results[position].as_mut_ptr().wrapping_add(at) as u64,
            Spot::Staged(at) => staged[position].as_mut_ptr().wrapping_add(at) as u64,
        };
        for &Request { call, count, from, to } in requests {
            let request = Request { call, count, from: at(from), to: at(to) };
            let (element, combine) = (plan.element, plan.combine);
            issues.push(Issue { members: group.members(), position, request, element, combine });
        }
    }
    let devices: Vec<&()> = vec![&(); group.len()];
    Emulated.meet(&devices, &issues).unwrap_or_else(|e| panic!("{e:?}"));
    for motion in &plan.after {
        let m = member(motion);
        carry_out(motion, Some(&staged[m]), &mut results[m]);
    }
    let words =
        |items: &[u32]| -> Vec<u64> { bytemuck::pod_collect_to_vec(&[items, &[0][..items.len() % 2]].concat()) };
    let inputs: Vec<Vec<u64>> = operands.iter().map(|operand| words(operand)).collect();
    let mut want: Vec<Vec<u64>> = results.iter().map(|_| words(&vec![77; gets])).collect();
    let (read, mut write): (Vec<&[u64]>, Vec<&mut [u64]>) =
        (inputs.iter().map(Vec::as_slice).collect(), want.iter_mut().map(Vec::as_mut_slice).collect());
    exchange.run(&read, &mut write, 1).unwrap();
    for (result, want) in results.iter().zip(&want) {
        assert_eq!(result[..], bytemuck::cast_slice::<u64, u32>(want)[..gets], "{exchange:?}");
    }
    plan.requests[0].iter().map(|request| request.call).collect()
}

fn ty(shape: &[usize]) -> Type {
    Type::new(DType::I32, shape)
}

#[test]
fn sums_are_one_call() {
    for sizes in [&[1][..], &[2], &[3], &[2, 4]] {
        let group = group(sizes);
        for monoid in [Monoid::Sum, Monoid::Max, Monoid::Min, Monoid::Prod] {
            let exchange = Exchange::all_reduce(monoid, &ty(&[5, 3]), &group).unwrap();
            assert_eq!(check(&exchange, &group), [Call::AllReduce]);
            assert_eq!(Plan::of(&exchange).unwrap().staged, 0);
        }
    }
}

#[test]
fn pieces_are_gathered_and_scattered_along_any_dimension() {
    for (sizes, size) in [(&[2][..], 6), (&[3], 6), (&[2, 3], 12), (&[4], 8)] {
        let group = group(sizes);
        let piece = group.piece(size, 0).padded;
        for dim in 0..3 {
            let (mut part, mut whole) = ([2, 3, 4], [2, 3, 4]);
            (part[dim], whole[dim]) = (piece, size);
            let gather = Exchange::all_gather(&ty(&part), dim, size, &group).unwrap();
            assert_eq!(check(&gather, &group), [Call::AllGather]);
            let scatter = Exchange::reduce_scatter(Monoid::Sum, &ty(&whole), dim, &group).unwrap();
            assert_eq!(check(&scatter, &group), [Call::ReduceScatter]);
            // What lies in one piece is not staged.
            let is_staged = |exchange| Plan::of(exchange).unwrap().staged > 0;
            assert_eq!((is_staged(&gather), is_staged(&scatter)), (dim > 0, dim > 0));
        }
    }
}

#[test]
fn uneven_pieces_are_called_for_one_by_one() {
    for (sizes, size) in [(&[2][..], 5), (&[3], 4), (&[2, 3], 7), (&[4], 9)] {
        let group = group(sizes);
        let piece = group.piece(size, 0).padded;
        for dim in 0..2 {
            let (mut part, mut whole) = ([2, 3], [2, 3]);
            (part[dim], whole[dim]) = (piece, size);
            let calls = check(&Exchange::all_gather(&ty(&part), dim, size, &group).unwrap(), &group);
            assert!(calls.len() > 1 && calls.iter().all(|call| matches!(call, Call::Broadcast { .. })), "{calls:?}");
            let calls = check(&Exchange::reduce_scatter(Monoid::Sum, &ty(&whole), dim, &group).unwrap(), &group);
            assert!(calls.len() > 1 && calls.iter().all(|call| matches!(call, Call::Reduce { .. })), "{calls:?}");
        }
    }
}

#[test]
fn what_one_gets_from_another_is_sent() {
    for (sizes, size) in [(&[2][..], 6), (&[2], 5), (&[3], 7), (&[2, 3], 12)] {
        let group = group(sizes);
        let piece = group.piece(size, 0).padded;
        for (from, to) in [(0, 1), (1, 0), (0, 2), (2, 1)] {
            let mut part = [size; 3];
            part[from] = piece;
            let calls = check(&Exchange::all_to_all(&ty(&part), from, size, to, &group).unwrap(), &group);
            assert!(calls.iter().all(|call| matches!(call, Call::Send { .. } | Call::Receive { .. })), "{calls:?}");
        }
    }
    let group = group(&[4]);
    for pairs in [&[(0, 1), (1, 2), (2, 3), (3, 0)][..], &[(0, 3)], &[(2, 2), (3, 0)], &[]] {
        check(&Exchange::permute(&ty(&[3, 2]), pairs, &group).unwrap(), &group);
    }
}

/// Receivers that hold the same share what they get on one device; over a network each gets all from the senders.
#[test]
fn transfers_are_sent_to_all_who_get_them() {
    let (from, to) = (Mesh::new("s", [("a", 2)]), Mesh::new("t", [("a", 3)]));
    let rows = DimLayout { axes: [AxisRef::whole(&from, AxisId(0))].into_iter().collect(), ..DimLayout::default() };
    let mut split = Layout::replicated(MeshId(0), 2);
    split.dims[0] = rows;
    let messages = messages(&Shape::from([4, 3]), (Some(&split), &from), (None, &to));
    assert!(messages.iter().all(|message| message.onward.len() == 2));
    let exchange = Exchange::transfer(&messages, (&ty(&[2, 3]), &ty(&[4, 3])), (2, 2, 5));
    let calls = check(&exchange, &group(&[5]));
    let receivers = [2, 3, 4].map(|to| calls.iter().filter(|call| **call == Call::Send { to }).count());
    assert!(
        calls.len() == receivers.iter().sum::<usize>() && receivers.iter().all(|&count| count == receivers[0]),
        "{calls:?}"
    );
}

#[test]
fn a_network_has_no_logic_of_bits() {
    let group = group(&[2]);
    assert_eq!(Plan::of(&Exchange::all_reduce(Monoid::And, &ty(&[2]), &group).unwrap()), None);
    let booleans = Type::new(DType::Bool, [2]);
    let plan = |monoid| Plan::of(&Exchange::all_reduce(monoid, &booleans, &group).unwrap()).unwrap().combine;
    assert_eq!([Monoid::And, Monoid::Or, Monoid::Sum].map(plan), [Combine::Min, Combine::Max, Combine::Max]);
}

#[test]
fn calls_that_do_not_match_are_told() {
    let mut there = [0u32; 4];
    let at = there.as_mut_ptr() as u64;
    let issue = |position, call, count| Issue {
        members: &[0, 1],
        position,
        request: Request { call, count, from: at, to: at },
        element: Element::U32,
        combine: Combine::Sum,
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
        assert!(Emulated.meet(&[&(), &()], &wrong).is_err(), "{wrong:?}");
    }
}
