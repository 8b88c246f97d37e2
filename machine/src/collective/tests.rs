//! Every generator at many sizes is proven, counted and carried out on numbers; changed algorithms are refused.

use crate::collective::check::{What, check};
use crate::collective::{Across, Algorithm, Buffer, CollectiveKind, Method, Place, Transfer};
use expect_test::expect;
use std::collections::BTreeMap;

const KINDS: [CollectiveKind; 4] =
    [CollectiveKind::AllReduce, CollectiveKind::ReduceScatter, CollectiveKind::AllGather, CollectiveKind::AllToAll];
const RELAYS: [Method; 3] = [Method::Ring, Method::Bidirectional, Method::HalvingDoubling];

fn sizes() -> impl Iterator<Item = usize> {
    (1..=17).chain([24, 31, 32, 61, 64])
}

/// Every algorithm for so many ranks.
fn all(ranks: usize) -> Vec<Algorithm> {
    let mut methods = vec![Method::Direct, Method::Star, Method::Pairwise];
    methods.extend(RELAYS);
    methods.extend([1, 3].map(|pipeline| Method::DoubleTree { pipeline }));
    methods.extend([1, 2, 3, 4, 8, 64].map(|group| Method::Hierarchical { group, across: Across::Direct }));
    let across = [Across::Ring, Across::HalvingDoubling, Across::DoubleTree { pipeline: 2 }];
    methods.extend(across.map(|across| Method::Hierarchical { group: 2, across }));
    methods.extend([3, 8].map(|group| Method::Hierarchical { group, across: Across::Ring }));
    methods.extend([1, 2, 3].map(|servers| Method::ParameterServer { servers }));
    let mut kinds = KINDS.to_vec();
    kinds.extend([
        CollectiveKind::Broadcast(ranks / 2),
        CollectiveKind::Reduce(ranks - 1),
        CollectiveKind::Served(ranks.saturating_sub(2)),
    ]);
    kinds.push(CollectiveKind::Permute((1..ranks).map(|r| (r, (r * r) % ranks)).take(1).collect()));
    kinds.push(CollectiveKind::Permute((0..ranks).map(|r| (r, (r + 1) % ranks)).collect()));
    methods.iter().flat_map(|m| kinds.iter().filter_map(|kind| m.build(kind, ranks))).collect()
}

/// What lies at each place in the end when everyone brings the power of three of its rank; nothing for what is read too
/// early.
fn run(algorithm: &Algorithm) -> BTreeMap<(usize, Place), Option<u128>> {
    let mut held = BTreeMap::new();
    for chunk in 0..algorithm.chunks {
        for rank in (0..algorithm.ranks).filter(|&r| algorithm.sources(chunk).contains(r)) {
            held.insert((chunk, Place::input(rank)), Some(3u128.pow(rank as u32)));
        }
    }
    for step in &algorithm.steps {
        let sum = |t: &Transfer| t.from.iter().map(|p| held.get(&(t.chunk, *p)).copied().flatten()).sum();
        let sums: Vec<Option<u128>> = step.iter().map(sum).collect();
        held.extend(step.iter().zip(sums).map(|(t, sum)| ((t.chunk, t.to), sum)));
    }
    held
}

/// Whether everyone ends with what is promised, on numbers.
fn holds(algorithm: &Algorithm) -> bool {
    let held = run(algorithm);
    (0..algorithm.chunks).all(|chunk| {
        let sources = (0..algorithm.ranks).filter(|&r| algorithm.sources(chunk).contains(r));
        let want = sources.map(|r| 3u128.pow(r as u32)).sum::<u128>();
        let mut targets = (0..algorithm.ranks).filter(|&r| algorithm.targets(chunk).contains(r));
        targets.all(|r| held.get(&(chunk, Place::output(r))) == Some(&Some(want)))
    })
}

#[test]
fn every_algorithm_is_proven() {
    let mut proven = 0;
    for algorithm in sizes().flat_map(all) {
        assert!(holds(&algorithm), "{algorithm}");
        match check(algorithm.clone()) {
            Ok(checked) => assert!(checked.in_place() || algorithm.kind != CollectiveKind::AllReduce, "{algorithm}"),
            Err(fault) => panic!("{fault}\n{algorithm}"),
        }
        proven += 1;
    }
    assert!(proven > 500, "{proven}");
}

/// Steps, and the most that a rank sends, in chunks.
fn cost(method: Method, kind: CollectiveKind, ranks: usize) -> (usize, usize) {
    let algorithm = method.build(&kind, ranks).unwrap();
    (algorithm.steps.len(), algorithm.sent().into_iter().max().unwrap())
}

#[test]
fn steps_and_bytes_are_those_of_the_literature() {
    for n in sizes().filter(|&n| n > 1) {
        let log = n.ilog2() as usize;
        // Of n chunks, all but one are sent on once a phase.
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
            // In, and out again: an outer rank's partner sends all of its result to it.
            assert_eq!(cost(Method::HalvingDoubling, CollectiveKind::AllReduce, n).0, 2 * log + 2);
            assert_eq!(
                cost(Method::HalvingDoubling, CollectiveKind::AllReduce, n).1,
                2 * ((1 << log) - 1) + (1 << log)
            );
        }
        // Up and down; never more than one half up and down twice, and the other half up.
        let (steps, sent) = cost(Method::DoubleTree { pipeline: 1 }, CollectiveKind::AllReduce, n);
        assert_eq!(steps, 2 * n.next_power_of_two().ilog2() as usize);
        assert!(sent <= 4, "{n}: {sent}");
        assert_eq!(cost(Method::DoubleTree { pipeline: 5 }, CollectiveKind::AllReduce, n).0, steps + 4);
    }
    // Groups of 4 of 16: a share for each in the group, halved and doubled by four, and spread.
    let halving = Method::Hierarchical { group: 4, across: Across::HalvingDoubling };
    assert_eq!(cost(halving, CollectiveKind::AllReduce, 16), (6, 4 * 3 + 6 + 4 * 3));
    // Groups of 4 of 16: of 16 chunks, 3 to proxies for each of 4 groups, one to each of 3 homes, and both back.
    assert_eq!(
        cost(Method::Hierarchical { group: 4, across: Across::Direct }, CollectiveKind::AllReduce, 16),
        (4, 2 * (12 + 3))
    );
    assert_eq!(
        cost(Method::Hierarchical { group: 4, across: Across::Direct }, CollectiveKind::AllToAll, 16),
        (2, 12 + 12)
    );
    let ring = Method::Ring.build(&CollectiveKind::AllReduce, 8).unwrap();
    assert_eq!((ring.sent_bytes(800), ring.sent_bytes(1)), (1400, 2));
}

#[test]
fn only_the_leader_of_a_group_crosses_it() {
    let algorithm =
        Method::Hierarchical { group: 4, across: Across::Direct }.build(&CollectiveKind::AllReduce, 16).unwrap();
    let crossing = |t: &&Transfer| t.senders().any(|r| r / 4 != t.to.rank / 4);
    let messages = |t: &Transfer| t.senders().filter(|r| r / 4 != t.to.rank / 4).count();
    // Each of 16 chunks: from 3 groups to its home, and back.
    assert_eq!(algorithm.steps.iter().flatten().filter(crossing).map(messages).sum::<usize>(), 16 * 6);
}

#[test]
fn nobody_is_alone_in_both_trees() {
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

/// The algorithm, changed in one way at one transfer; the last one says how.
fn mutants(algorithm: &Algorithm) -> Vec<(Algorithm, &'static str)> {
    let mut all = Vec::new();
    for (s, step) in algorithm.steps.iter().enumerate() {
        for (i, transfer) in step.iter().enumerate() {
            let mut change = |how, f: &dyn Fn(&mut Algorithm)| {
                let mut mutant = algorithm.clone();
                f(&mut mutant);
                if mutant != *algorithm {
                    all.push((mutant, how));
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
fn changed_algorithms_are_refused_or_harmless() {
    let (mut refused, mut harmless) = (0, BTreeMap::new());
    for algorithm in [2, 3, 4, 5, 8].into_iter().flat_map(all) {
        for (mutant, how) in mutants(&algorithm) {
            match check(mutant.clone()) {
                Err(_) => refused += 1,
                Ok(_) => {
                    assert!(holds(&mutant), "{how} goes unnoticed in\n{mutant}");
                    *harmless.entry(how).or_insert(0) += 1;
                }
            }
        }
    }
    // What is left says the same: a move to a step in which nothing else depends on it, a copy of the same chunk from
    // elsewhere.
    expect![[r#"70474 refused; harmless: {"buffer": 136, "move": 4070, "sender": 171}"#]]
        .assert_eq(&format!("{refused} refused; harmless: {harmless:?}"));
}

#[test]
fn faults_have_names() {
    let base = Method::Ring.build(&CollectiveKind::AllReduce, 3).unwrap();
    let fault = |f: &dyn Fn(&mut Algorithm)| {
        let mut changed = base.clone();
        f(&mut changed);
        check(changed).unwrap_err()
    };
    assert_eq!(fault(&|a| a.ranks = 0).what, What::Chunks);
    assert_eq!(fault(&|a| a.steps[0][0].chunk = 3).what, What::Range);
    assert_eq!(fault(&|a| a.steps[0][0].from[0].rank = 3).what, What::Range);
    assert_eq!(fault(&|a| a.steps[0][0].from.clear()).what, What::Empty);
    assert_eq!(fault(&|a| a.steps[0][0].to.buffer = Buffer::Input).what, What::WritesInput);
    assert_eq!(fault(&|a| a.steps[0][0].from[1].rank = 1).what, What::Twice(1));
    let pairs = |pairs: &[(usize, usize)]| {
        Method::Direct.build(&CollectiveKind::Permute(pairs.to_vec()), 3).map(check).unwrap()
    };
    assert!(pairs(&[(0, 1), (0, 2)]).is_ok() && pairs(&[]).is_ok());
    assert_eq!(pairs(&[(0, 1), (2, 1)]).unwrap_err().what, What::Range);
    assert_eq!(pairs(&[(0, 3)]).unwrap_err().what, What::Range);
    expect!["step 3, `c0: 0.out -> 1.out`: another transfer of the step meets it at 1.out"]
        .assert_eq(&fault(&|a| a.steps[2].push(base.steps[2][0].clone())).to_string());
}

#[test]
fn another_order_on_some_rank_is_refused() {
    // Each rank sums up all operands by itself, beginning with its own.
    let mut algorithm = Algorithm::new("all to all", CollectiveKind::AllReduce, 3, 1);
    for rank in 0..3 {
        algorithm.put(0, 0, (0..3).map(|i| Place::input((rank + i) % 3)), Place::output(rank));
    }
    assert!(holds(&algorithm));
    assert_eq!(check(algorithm.clone()).unwrap_err().what, What::Differs(0, Place::output(1)));
    // (0 + 1) + 2 and (1 + 0) + 2 are the same numbers.
    algorithm.steps[0][1].from = [1, 0, 2].map(Place::input).into_iter().collect();
    algorithm.steps[0][2].from = [0, 1, 2].map(Place::input).into_iter().collect();
    assert!(check(algorithm).is_ok());
}

#[test]
fn small_ones_read_like_this() {
    let shown = |method: Method, kind: CollectiveKind, ranks| method.build(&kind, ranks).unwrap().to_string();
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
    .assert_eq(&shown(Method::Ring, CollectiveKind::AllReduce, 4));
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
    .assert_eq(&shown(Method::HalvingDoubling, CollectiveKind::AllReduce, 3));
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
    .assert_eq(&shown(Method::HalvingDoubling, CollectiveKind::ReduceScatter, 4));
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
    .assert_eq(&shown(Method::Bidirectional, CollectiveKind::AllGather, 4));
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
    .assert_eq(&shown(Method::DoubleTree { pipeline: 1 }, CollectiveKind::AllReduce, 4));
    expect![[r#"
        direct reduce_scatter: 3 ranks, 3 chunks
        step 1
          c0: 0.in + 1.in + 2.in -> 0.out
          c1: 0.in + 1.in + 2.in -> 1.out
          c2: 0.in + 1.in + 2.in -> 2.out
    "#]]
    .assert_eq(&shown(Method::Direct, CollectiveKind::ReduceScatter, 3));
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
    .assert_eq(&shown(Method::Hierarchical { group: 2, across: Across::Direct }, CollectiveKind::AllReduce, 4));
}
