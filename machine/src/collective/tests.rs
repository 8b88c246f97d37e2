//! Every generator is verified at many sizes, checked against formulas and executed on numbers; mutated algorithms are
//! rejected.

use crate::collective::check::{FaultKind, check};
use crate::collective::{Algorithm, Buffer, CollectiveKind, InterGroup, Method, Place, Transfer};
use expect_test::expect;
use std::collections::BTreeMap;

const KINDS: [CollectiveKind; 4] =
    [CollectiveKind::AllReduce, CollectiveKind::ReduceScatter, CollectiveKind::AllGather, CollectiveKind::AllToAll];
const RELAYS: [Method; 3] = [Method::Ring, Method::Bidirectional, Method::HalvingDoubling];

fn sizes() -> impl Iterator<Item = usize> {
    (1..=17).chain([24, 31, 32, 61, 64])
}

/// Returns every algorithm for that many ranks.
fn all_algorithms(ranks: usize) -> Vec<Algorithm> {
    let mut methods = vec![Method::Direct, Method::Star, Method::Pairwise];
    methods.extend(RELAYS);
    methods.extend([1, 3].map(|pipeline| Method::DoubleTree { pipeline }));
    methods.extend([1, 2, 3, 4, 8, 64].map(|group| Method::Hierarchical { group, inter_group: InterGroup::Direct }));
    let inter_groups = [InterGroup::Ring, InterGroup::HalvingDoubling, InterGroup::DoubleTree { pipeline: 2 }];
    methods.extend(inter_groups.map(|inter_group| Method::Hierarchical { group: 2, inter_group }));
    methods.extend([3, 8].map(|group| Method::Hierarchical { group, inter_group: InterGroup::Ring }));
    methods.extend([1, 2, 3].map(|servers| Method::ParameterServer { servers }));
    let mut kinds = KINDS.to_vec();
    kinds.extend([
        CollectiveKind::Broadcast(ranks / 2),
        CollectiveKind::Reduce(ranks - 1),
        CollectiveKind::ParameterServer(ranks.saturating_sub(2)),
    ]);
    kinds.push(CollectiveKind::Permute((1..ranks).map(|r| (r, (r * r) % ranks)).take(1).collect()));
    kinds.push(CollectiveKind::Permute((0..ranks).map(|r| (r, (r + 1) % ranks)).collect()));
    methods.iter().flat_map(|m| kinds.iter().filter_map(|kind| m.build(kind, ranks))).collect()
}

/// Returns the final value of each place when the operand of rank `r` is `3^r`; `None` for values derived from
/// unwritten places.
fn run(algorithm: &Algorithm) -> BTreeMap<(usize, Place), Option<u128>> {
    let mut values = BTreeMap::new();
    for chunk in 0..algorithm.chunks {
        for rank in (0..algorithm.ranks).filter(|&r| algorithm.sources(chunk).contains(r)) {
            values.insert((chunk, Place::input(rank)), Some(3u128.pow(rank as u32)));
        }
    }
    for step in &algorithm.steps {
        let sum = |t: &Transfer| t.from.iter().map(|p| values.get(&(t.chunk, *p)).copied().flatten()).sum();
        let sums: Vec<Option<u128>> = step.iter().map(sum).collect();
        values.extend(step.iter().zip(sums).map(|(t, sum)| ((t.chunk, t.to), sum)));
    }
    values
}

/// Returns true if every rank ends with the correct result, by execution on numbers.
fn is_correct(algorithm: &Algorithm) -> bool {
    let values = run(algorithm);
    (0..algorithm.chunks).all(|chunk| {
        let sources = (0..algorithm.ranks).filter(|&r| algorithm.sources(chunk).contains(r));
        let want = sources.map(|r| 3u128.pow(r as u32)).sum::<u128>();
        let mut targets = (0..algorithm.ranks).filter(|&r| algorithm.targets(chunk).contains(r));
        targets.all(|r| values.get(&(chunk, Place::output(r))) == Some(&Some(want)))
    })
}

#[test]
fn every_algorithm_is_verified() {
    let mut verified = 0;
    for algorithm in sizes().flat_map(all_algorithms) {
        assert!(is_correct(&algorithm), "{algorithm}");
        match check(algorithm.clone()) {
            Ok(checked) => assert!(checked.in_place() || algorithm.kind != CollectiveKind::AllReduce, "{algorithm}"),
            Err(fault) => panic!("{fault}\n{algorithm}"),
        }
        verified += 1;
    }
    assert!(verified > 500, "{verified}");
}

/// Returns the number of steps and the largest number of chunks that a rank sends.
fn cost(method: Method, kind: CollectiveKind, ranks: usize) -> (usize, usize) {
    let algorithm = method.build(&kind, ranks).unwrap();
    (algorithm.steps.len(), algorithm.sent_chunks().into_iter().max().unwrap())
}

#[test]
fn steps_and_bytes_match_the_literature() {
    for n in sizes().filter(|&n| n > 1) {
        let log = n.ilog2() as usize;
        // Each phase forwards all chunks but one.
        assert_eq!(cost(Method::Ring, CollectiveKind::AllReduce, n), (2 * (n - 1), 2 * (n - 1)));
        assert_eq!(cost(Method::Ring, CollectiveKind::ReduceScatter, n), (n - 1, n - 1));
        assert_eq!(cost(Method::Bidirectional, CollectiveKind::AllReduce, n), (2 * (n / 2), 2 * (n - 1)));
        assert_eq!(cost(Method::Bidirectional, CollectiveKind::AllGather, n).0, n / 2);
        assert_eq!(cost(Method::Direct, CollectiveKind::AllReduce, n), (2, 2 * (n - 1)));
        assert_eq!(cost(Method::Direct, CollectiveKind::AllGather, n), (1, n - 1));
        assert_eq!(cost(Method::Star, CollectiveKind::AllReduce, n), (2, n - 1));
        assert_eq!(cost(Method::Pairwise, CollectiveKind::AllToAll, n), (n - 1, n - 1));
        if n.is_power_of_two() {
            assert_eq!(cost(Method::HalvingDoubling, CollectiveKind::AllReduce, n), (2 * log, 2 * (n - 1)));
            assert_eq!(cost(Method::HalvingDoubling, CollectiveKind::ReduceScatter, n), (log, n - 1));
            assert_eq!(cost(Method::HalvingDoubling, CollectiveKind::AllGather, n), (log, n - 1));
        } else {
            // One step in and one step out: the partner of an outer rank sends its full result to that rank.
            assert_eq!(cost(Method::HalvingDoubling, CollectiveKind::AllReduce, n).0, 2 * log + 2);
            assert_eq!(
                cost(Method::HalvingDoubling, CollectiveKind::AllReduce, n).1,
                2 * ((1 << log) - 1) + (1 << log)
            );
        }
        // Up and down the trees. A rank sends at most one half up and twice down, and the other half up.
        let (steps, sent) = cost(Method::DoubleTree { pipeline: 1 }, CollectiveKind::AllReduce, n);
        assert_eq!(steps, 2 * n.next_power_of_two().ilog2() as usize);
        assert!(sent <= 4, "{n}: {sent}");
        assert_eq!(cost(Method::DoubleTree { pipeline: 5 }, CollectiveKind::AllReduce, n).0, steps + 4);
    }
    // 16 ranks in groups of 4: one chunk per rank within the group, halving and doubling over four, and the broadcast.
    let halving = Method::Hierarchical { group: 4, inter_group: InterGroup::HalvingDoubling };
    assert_eq!(cost(halving, CollectiveKind::AllReduce, 16), (6, 4 * 3 + 6 + 4 * 3));
    // 16 ranks in groups of 4, with 16 chunks: 3 to proxies for each of 4 groups, one to each of 3 owners, and both
    // back.
    assert_eq!(
        cost(Method::Hierarchical { group: 4, inter_group: InterGroup::Direct }, CollectiveKind::AllReduce, 16),
        (4, 2 * (12 + 3))
    );
    assert_eq!(
        cost(Method::Hierarchical { group: 4, inter_group: InterGroup::Direct }, CollectiveKind::AllToAll, 16),
        (2, 12 + 12)
    );
    let ring = Method::Ring.build(&CollectiveKind::AllReduce, 8).unwrap();
    assert_eq!((ring.max_sent_bytes(800), ring.max_sent_bytes(1)), (1400, 2));
}

#[test]
fn only_proxies_send_between_groups() {
    let algorithm = Method::Hierarchical { group: 4, inter_group: InterGroup::Direct }
        .build(&CollectiveKind::AllReduce, 16)
        .unwrap();
    let crossing = |t: &&Transfer| t.senders().any(|r| r / 4 != t.to.rank / 4);
    let messages = |t: &Transfer| t.senders().filter(|r| r / 4 != t.to.rank / 4).count();
    // Each of 16 chunks crosses from 3 groups to its owner and back.
    assert_eq!(algorithm.steps.iter().flatten().filter(crossing).map(messages).sum::<usize>(), 16 * 6);
}

#[test]
fn no_rank_is_an_inner_node_of_both_trees() {
    for n in 2..=64 {
        let algorithm = Method::DoubleTree { pipeline: 1 }.build(&CollectiveKind::AllReduce, n).unwrap();
        for rank in 0..n {
            let inner = |chunk| {
                let up = |t: &&Transfer| t.chunk == chunk && t.to.rank == rank && t.from.contains(&Place::input(rank));
                algorithm.steps.iter().flatten().filter(up).map(|t| t.from.len() - 1).sum::<usize>()
            };
            assert!(inner(0) + inner(1) <= 3, "rank {rank} of {n} has {} and {} children", inner(0), inner(1));
        }
    }
}

/// Returns all algorithms with one change at one transfer, each with a description of the change.
fn mutants(algorithm: &Algorithm) -> Vec<(Algorithm, &'static str)> {
    let mut all = Vec::new();
    for (s, step) in algorithm.steps.iter().enumerate() {
        for (i, transfer) in step.iter().enumerate() {
            let mut change = |mutation, f: &dyn Fn(&mut Algorithm)| {
                let mut mutant = algorithm.clone();
                f(&mut mutant);
                if mutant != *algorithm {
                    all.push((mutant, mutation));
                }
            };
            change("delete", &|m| drop(m.steps[s].remove(i)));
            change("duplicate", &|m| m.steps[s].push(transfer.clone()));
            change("repeat", &|m| m.steps.push(vec![transfer.clone()]));
            change("chunk", &|m| m.steps[s][i].chunk = (transfer.chunk + 1) % m.chunks);
            change("swap", &|m| {
                let at = &mut m.steps[s][i];
                let Transfer { from, to, .. } = at;
                std::mem::swap(&mut from[0], to);
            });
            change("receiver", &|m| m.steps[s][i].to.rank = (transfer.to.rank + 1) % m.ranks);
            for j in 0..transfer.from.len() {
                change("sender", &|m| m.steps[s][i].from[j].rank = (transfer.from[j].rank + 1) % m.ranks);
                change("operand", &|m| {
                    m.steps[s][i].from.remove(j);
                });
                for buffer in [Buffer::Input, Buffer::Output, Buffer::Scratch] {
                    change("buffer", &|m| m.steps[s][i].from[j].buffer = buffer);
                }
            }
            for other in [s.wrapping_sub(1), s + 1] {
                change("move", &|m| {
                    let moved = m.steps[s].remove(i);
                    m.steps.resize((s + 2).max(m.steps.len()), Vec::new());
                    m.steps.get_mut(other).unwrap_or(&mut Vec::new()).push(moved);
                });
            }
        }
    }
    all
}

#[test]
fn mutated_algorithms_are_rejected_or_equivalent() {
    let (mut refused, mut harmless) = (0, BTreeMap::new());
    for algorithm in [2, 3, 4, 5, 8].into_iter().flat_map(all_algorithms) {
        for (mutant, mutation) in mutants(&algorithm) {
            match check(mutant.clone()) {
                Err(_) => refused += 1,
                Ok(_) => {
                    assert!(is_correct(&mutant), "{mutation} is not detected in\n{mutant}");
                    *harmless.entry(mutation).or_insert(0) += 1;
                }
            }
        }
    }
    // The remaining mutants are equivalent: a move to an independent step, or a copy of the same chunk from another
    // rank.
    expect![[r#"70474 refused; harmless: {"buffer": 136, "move": 4070, "sender": 171}"#]]
        .assert_eq(&format!("{refused} refused; harmless: {harmless:?}"));
}

#[test]
fn faults_are_classified() {
    let base = Method::Ring.build(&CollectiveKind::AllReduce, 3).unwrap();
    let fault = |f: &dyn Fn(&mut Algorithm)| {
        let mut changed = base.clone();
        f(&mut changed);
        check(changed).unwrap_err()
    };
    assert_eq!(fault(&|a| a.ranks = 0).kind, FaultKind::ChunkCount);
    assert_eq!(fault(&|a| a.steps[0][0].chunk = 3).kind, FaultKind::OutOfRange);
    assert_eq!(fault(&|a| a.steps[0][0].from[0].rank = 3).kind, FaultKind::OutOfRange);
    assert_eq!(fault(&|a| a.steps[0][0].from.clear()).kind, FaultKind::NoSource);
    assert_eq!(fault(&|a| a.steps[0][0].to.buffer = Buffer::Input).kind, FaultKind::WritesInput);
    assert_eq!(fault(&|a| a.steps[0][0].from[1].rank = 1).kind, FaultKind::DuplicateOperand(1));
    let pairs = |pairs: &[(usize, usize)]| {
        Method::Direct.build(&CollectiveKind::Permute(pairs.to_vec()), 3).map(check).unwrap()
    };
    assert!(pairs(&[(0, 1), (0, 2)]).is_ok() && pairs(&[]).is_ok());
    assert_eq!(pairs(&[(0, 1), (2, 1)]).unwrap_err().kind, FaultKind::OutOfRange);
    assert_eq!(pairs(&[(0, 3)]).unwrap_err().kind, FaultKind::OutOfRange);
    expect!["step 3, `c0: 0.out -> 1.out`: another transfer of the step writes 1.out"]
        .assert_eq(&fault(&|a| a.steps[2].push(base.steps[2][0].clone())).to_string());
}

#[test]
fn different_reduction_orders_are_rejected() {
    // Each rank reduces all operands itself, beginning with its own.
    let mut algorithm = Algorithm::new("all to all", CollectiveKind::AllReduce, 3, 1);
    for rank in 0..3 {
        algorithm.push_transfer(0, 0, (0..3).map(|i| Place::input((rank + i) % 3)), Place::output(rank));
    }
    assert!(is_correct(&algorithm));
    assert_eq!(check(algorithm.clone()).unwrap_err().kind, FaultKind::OrderMismatch(0, Place::output(1)));
    // (0 + 1) + 2 and (1 + 0) + 2 are bitwise equal.
    algorithm.steps[0][1].from = [1, 0, 2].map(Place::input).into_iter().collect();
    algorithm.steps[0][2].from = [0, 1, 2].map(Place::input).into_iter().collect();
    assert!(check(algorithm).is_ok());
}

#[test]
fn small_algorithms_are_printed() {
    let format_algorithm =
        |method: Method, kind: CollectiveKind, ranks| method.build(&kind, ranks).unwrap().to_string();
    expect![[r#"
        ring all_reduce: 4 ranks, 4 chunks
        step 1
          c0: 1.in + 2.in -> 2.out
          c1: 2.in + 3.in -> 3.out
          c2: 3.in + 0.in -> 0.out
          c3: 0.in + 1.in -> 1.out
        step 2
          c0: 2.out + 3.in -> 3.out
          c1: 3.out + 0.in -> 0.out
          c2: 0.out + 1.in -> 1.out
          c3: 1.out + 2.in -> 2.out
        step 3
          c0: 3.out + 0.in -> 0.out
          c1: 0.out + 1.in -> 1.out
          c2: 1.out + 2.in -> 2.out
          c3: 2.out + 3.in -> 3.out
        step 4
          c0: 0.out -> 1.out
          c1: 1.out -> 2.out
          c2: 2.out -> 3.out
          c3: 3.out -> 0.out
        step 5
          c0: 1.out -> 2.out
          c1: 2.out -> 3.out
          c2: 3.out -> 0.out
          c3: 0.out -> 1.out
        step 6
          c0: 2.out -> 3.out
          c1: 3.out -> 0.out
          c2: 0.out -> 1.out
          c3: 1.out -> 2.out
    "#]]
    .assert_eq(&format_algorithm(Method::Ring, CollectiveKind::AllReduce, 4));
    expect![[r#"
        halving_doubling all_reduce: 3 ranks, 2 chunks
        step 1
          c0: 0.in + 2.in -> 0.out
          c1: 0.in + 2.in -> 0.out
        step 2
          c0: 0.out + 1.in -> 0.out
          c1: 1.in + 0.out -> 1.out
        step 3
          c0: 0.out -> 1.out
          c1: 1.out -> 0.out
        step 4
          c0: 0.out -> 2.out
          c1: 0.out -> 2.out
    "#]]
    .assert_eq(&format_algorithm(Method::HalvingDoubling, CollectiveKind::AllReduce, 3));
    expect![[r#"
        halving_doubling reduce_scatter: 4 ranks, 4 chunks
        step 1
          c0: 0.in + 2.in -> 0.out
          c0: 1.in + 3.in -> 1.tmp
          c1: 0.in + 2.in -> 0.tmp
          c1: 1.in + 3.in -> 1.out
          c2: 2.in + 0.in -> 2.out
          c2: 3.in + 1.in -> 3.tmp
          c3: 2.in + 0.in -> 2.tmp
          c3: 3.in + 1.in -> 3.out
        step 2
          c0: 0.out + 1.tmp -> 0.out
          c1: 1.out + 0.tmp -> 1.out
          c2: 2.out + 3.tmp -> 2.out
          c3: 3.out + 2.tmp -> 3.out
    "#]]
    .assert_eq(&format_algorithm(Method::HalvingDoubling, CollectiveKind::ReduceScatter, 4));
    expect![[r#"
        bidirectional all_gather: 4 ranks, 4 chunks
        step 1
          c0: 0.in -> 0.out
          c0: 0.in -> 1.out
          c0: 0.in -> 3.out
          c1: 1.in -> 1.out
          c1: 1.in -> 0.out
          c1: 1.in -> 2.out
          c2: 2.in -> 2.out
          c2: 2.in -> 3.out
          c2: 2.in -> 1.out
          c3: 3.in -> 3.out
          c3: 3.in -> 2.out
          c3: 3.in -> 0.out
        step 2
          c0: 1.out -> 2.out
          c1: 0.out -> 3.out
          c2: 3.out -> 0.out
          c3: 2.out -> 1.out
    "#]]
    .assert_eq(&format_algorithm(Method::Bidirectional, CollectiveKind::AllGather, 4));
    expect![[r#"
        double_tree(1) all_reduce: 4 ranks, 2 chunks
        step 1
          c0: 2.in + 1.in + 3.in -> 2.out
          c1: 1.in + 0.in + 2.in -> 1.out
        step 2
          c0: 0.in + 2.out -> 0.out
          c1: 3.in + 1.out -> 3.out
        step 3
          c0: 0.out -> 2.out
          c1: 3.out -> 1.out
        step 4
          c0: 2.out -> 1.out
          c0: 2.out -> 3.out
          c1: 1.out -> 0.out
          c1: 1.out -> 2.out
    "#]]
    .assert_eq(&format_algorithm(Method::DoubleTree { pipeline: 1 }, CollectiveKind::AllReduce, 4));
    expect![[r#"
        direct reduce_scatter: 3 ranks, 3 chunks
        step 1
          c0: 0.in + 1.in + 2.in -> 0.out
          c1: 0.in + 1.in + 2.in -> 1.out
          c2: 0.in + 1.in + 2.in -> 2.out
    "#]]
    .assert_eq(&format_algorithm(Method::Direct, CollectiveKind::ReduceScatter, 3));
    expect![[r#"
        hierarchical(2) all_reduce: 4 ranks, 4 chunks
        step 1
          c0: 0.in + 1.in -> 0.out
          c0: 2.in + 3.in -> 2.out
          c1: 0.in + 1.in -> 1.out
          c1: 2.in + 3.in -> 3.out
          c2: 0.in + 1.in -> 0.out
          c2: 2.in + 3.in -> 2.out
          c3: 0.in + 1.in -> 1.out
          c3: 2.in + 3.in -> 3.out
        step 2
          c0: 0.out + 2.out -> 0.out
          c1: 1.out + 3.out -> 1.out
          c2: 0.out + 2.out -> 2.out
          c3: 1.out + 3.out -> 3.out
        step 3
          c0: 0.out -> 2.out
          c1: 1.out -> 3.out
          c2: 2.out -> 0.out
          c3: 3.out -> 1.out
        step 4
          c0: 0.out -> 1.out
          c0: 2.out -> 3.out
          c1: 1.out -> 0.out
          c1: 3.out -> 2.out
          c2: 0.out -> 1.out
          c2: 2.out -> 3.out
          c3: 1.out -> 0.out
          c3: 3.out -> 2.out
    "#]]
    .assert_eq(&format_algorithm(
        Method::Hierarchical { group: 2, inter_group: InterGroup::Direct },
        CollectiveKind::AllReduce,
        4,
    ));
}
