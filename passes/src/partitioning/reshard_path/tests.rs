//! Comparison of the search with an exhaustive one: every state, every collective, no pruning.

use super::*;
use partita_ir::arena::{AxisId, Id};
use partita_ir::layout::divides;
use partita_ir::layout_semantics::is_layout_change;
use partita_ir::mesh::{AxisRef, shard_count};
use partita_ir::ops::{AllToAll, Permute, ReduceScatter};
use partita_ir::rule::merge_adjacent;
use proptest::prelude::*;
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// Returns the cheapest price over all states of the atoms, which is not below the lower bound of the search.
fn exhaustive(shape: &Shape, have: &PathState, need: &PathState) -> u64 {
    let atoms = Atoms::new(have, need).unwrap();
    let (start, goal) = (have.refine(&atoms), need.refine(&atoms));
    let problem = PathProblem { shape, bytes: 4, goal: &goal, atoms: &atoms.0 };
    let mut best: BTreeMap<PathState, u64> = BTreeMap::from([(start.clone(), 0)]);
    let mut todo = vec![start.clone()];
    while let Some(state) = todo.pop() {
        let cost = best[&state];
        for (step, next) in all_transitions(&problem, &state, &atoms.0) {
            let reached = cost + problem.price(&step, &state, &next);
            if best.get(&next).is_none_or(|&b| reached < b) {
                best.insert(next.clone(), reached);
                todo.push(next);
            }
        }
    }
    let least = problem.least_price(&start);
    assert!(
        least <= best[&goal],
        "a bound of {least} above {} from {} to {}",
        best[&goal],
        show_state(have),
        show_state(need)
    );
    best[&goal]
}

fn all_transitions(problem: &PathProblem<'_>, state: &PathState, atoms: &[AxisRef]) -> Vec<(OpKind, PathState)> {
    let mut moves = Vec::new();
    let rank = state.dims.len();
    let one = |a: AxisRef| Axes::from_slice(&[a]);
    for subset in 1u32..1 << state.partial.len() {
        let chosen = |i: usize| subset >> i & 1 == 1;
        let axes: Axes = (0..state.partial.len()).filter(|&i| chosen(i)).map(|i| state.partial[i].0).collect();
        let mut rest = state.clone();
        rest.partial.retain(|p| !axes.contains(&p.0));
        moves.push((AllReduce { axes: axes.clone(), monoid: Monoid::Sum }.into(), rest.clone()));
        for dim in 0..rank {
            for axes in [axes.clone(), axes.iter().rev().copied().collect()] {
                let mut next = rest.clone();
                next.dims[dim].extend(axes.iter().copied());
                moves.push((ReduceScatter { dim, axes, monoid: Monoid::Sum }.into(), next));
            }
        }
    }
    for dim in 0..rank {
        for keep in 0..state.dims[dim].len() {
            let axes: Axes = state.dims[dim][keep..].iter().copied().collect();
            let mut cut = state.clone();
            cut.dims[dim].truncate(keep);
            moves.push((AllGather { dim, axes: axes.clone() }.into(), cut.clone()));
            for to in (0..rank).filter(|&to| to != dim) {
                let mut next = cut.clone();
                next.dims[to].extend(axes.iter().copied());
                moves.push((AllToAll { from: dim, to, axes: axes.clone() }.into(), next));
            }
        }
    }
    for &axis in atoms.iter().filter(|a| !state.axes().any(|b| b == **a)) {
        for dim in 0..rank {
            let mut next = state.clone();
            next.dims[dim].push(axis);
            moves.push((Shard { dim, axes: one(axis) }.into(), next));
        }
    }
    for next in arrangements(state, atoms) {
        let equal = (0..rank).all(|d| {
            let (a, b) = (&state.dims[d], &next.dims[d]);
            a == b || (shard_count(a) == shard_count(b) && divides(problem.shape[d], a))
        });
        if equal {
            moves.push((Permute { axes: Axes::new(), pairs: Vec::new() }.into(), next));
        }
    }
    moves
}

/// Returns all assignments of atoms to dimensions, with the same partial sums.
fn arrangements(state: &PathState, atoms: &[AxisRef]) -> Vec<PathState> {
    let mut all =
        vec![PathState { dims: state.dims.iter().map(|_| Axes::new()).collect(), partial: state.partial.clone() }];
    let free: Vec<AxisRef> = atoms.iter().copied().filter(|a| !state.partial.iter().any(|p| p.0 == *a)).collect();
    for _ in 0..free.len() {
        let longer: Vec<PathState> = all
            .iter()
            .flat_map(|s| {
                let unused = free.iter().filter(|a| !s.axes().any(|b| b == **a));
                unused.flat_map(move |&a| {
                    (0..s.dims.len()).map(move |d| {
                        let mut next = s.clone();
                        next.dims[d].push(a);
                        next
                    })
                })
            })
            .filter(|s| !all.contains(s))
            .collect();
        all.extend(longer);
        all.sort();
        all.dedup();
    }
    all
}

/// Generates states of up to three axes on a tensor of `rank` dimensions.
fn state(rank: usize, sizes: [u32; 3], allow_partial: bool) -> impl Strategy<Value = PathState> {
    // Per axis: a dimension, unused (`rank`), or partial (`rank + 1`). `order` is the order of insertion.
    let places = proptest::array::uniform3(0..rank + if allow_partial { 2 } else { 1 });
    (places, Just([0usize, 1, 2]).prop_shuffle()).prop_map(move |(places, order)| {
        let mut state = PathState { dims: SmallVec::from_elem(Axes::new(), rank), partial: SmallVec::new() };
        for i in order {
            let axis = AxisRef { axis: AxisId::from_index(i), pre: 1, size: sizes[i] };
            match places[i] {
                d if d < rank => state.dims[d].push(axis),
                d if d > rank => state.partial.push((axis, Monoid::Sum)),
                _ => {}
            }
        }
        state.partial.sort_unstable();
        state
    })
}

fn case(sizes_of_dims: [usize; 2]) -> impl Strategy<Value = (Shape, PathState, PathState)> {
    let sizes = proptest::array::uniform3(prop_oneof![Just(2u32), Just(3), Just(4)]);
    (1usize..=3, sizes).prop_flat_map(move |(rank, sizes)| {
        let dims = proptest::collection::vec(proptest::sample::select(sizes_of_dims.to_vec()), rank);
        (dims.prop_map(|d| d.into_iter().collect()), state(rank, sizes, true), state(rank, sizes, false))
    })
}

/// Formats a state as `[a2 b3][c2] sum(d)`.
fn show_state(state: &PathState) -> String {
    let axis = |a: &AxisRef| format!("{}{}", char::from(b'a' + a.axis.0 as u8), a.size);
    let dims: Vec<String> =
        state.dims.iter().map(|d| format!("[{}]", d.iter().map(axis).collect::<Vec<_>>().join(" "))).collect();
    let sums: Vec<String> = state.partial.iter().map(|p| axis(&p.0)).collect();
    format!("{} sum({})", dims.join(""), sums.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    /// Almost all shards are even. The search rounds the prices of a tensor in its normal form.
    #[test]
    fn search_matches_exhaustive_search((shape, have, need) in case([576, 1152])) {
        let (cost, best, steps) = found_and_exhaustive(&shape, &have, &need);
        let (have, need) = (show_state(&have), show_state(&need));
        let is_equal = cost.abs_diff(best) <= 1 + best / 10_000;
        prop_assert!(is_equal, "shape {} from {} to {}: {} instead of {}: {}", shape, have, need, cost, best, steps);
    }

    /// With padding, cheaper paths may exist that the search does not consider.
    #[test]
    fn padding_costs_at_most_twice_the_optimum((shape, have, need) in case([7, 13])) {
        let (cost, best, steps) = found_and_exhaustive(&shape, &have, &need);
        let (have, need) = (show_state(&have), show_state(&need));
        prop_assert!(cost <= best * 2, "shape {} from {} to {}: {}", shape, have, need, steps);
    }
}

/// Returns a state in which each axis has the name of another one.
fn renamed(state: &PathState, names: [usize; 3]) -> PathState {
    let mut state = state.clone();
    let rename = |axis: &mut AxisRef| axis.axis = AxisId::from_index(names[axis.axis.index()]);
    state.dims.iter_mut().flatten().for_each(rename);
    state.partial.iter_mut().for_each(|(axis, _)| rename(axis));
    state.partial.sort_unstable();
    state
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    /// Paths between states that differ in the names of axes have the same collectives and numbers of shards.
    #[test]
    fn paths_do_not_depend_on_names_of_axes(
        (shape, have, need) in (1usize..=3).prop_flat_map(|rank| {
            let dims = proptest::collection::vec(proptest::sample::select(vec![6usize, 7, 64]), rank);
            (dims.prop_map(|d| d.into_iter().collect::<Shape>()), state(rank, [2; 3], true), state(rank, [2; 3], false))
        }),
        names in Just([0usize, 1, 2]).prop_shuffle()
    ) {
        let mesh = MeshId::from_index(0);
        let path = |have: &PathState, need: &PathState| {
            ReshardPaths::new(mesh).find(&shape, 4, &have.to_layout(mesh), &need.to_layout(mesh))
        };
        let steps = |path: &ReshardPath| -> Vec<(&'static str, Vec<usize>, usize)> {
            let shards = |layout: &Layout| layout.dims.iter().map(|dim| shard_count(&dim.axes)).collect();
            path.steps.iter().map(|(step, to)| (step.name(), shards(to), to.partial.len())).collect()
        };
        let other = path(&renamed(&have, names), &renamed(&need, names));
        prop_assert_eq!(steps(&other), steps(&path(&have, &need)));
    }
}

/// Generates states of two factors of one axis of twelve devices on a tensor of `rank` dimensions.
fn factors(rank: usize, allow_partial: bool) -> impl Strategy<Value = PathState> {
    let places = proptest::array::uniform2(0..rank + if allow_partial { 2 } else { 1 });
    (proptest::sample::select(vec![2u32, 3, 4, 6, 12]), places, any::<bool>()).prop_map(move |(size, places, swap)| {
        let axis = AxisId::from_index(0);
        let mut parts = vec![(AxisRef { axis, pre: 1, size }, places[0])];
        if size < 12 {
            parts.push((AxisRef { axis, pre: size, size: 12 / size }, places[1]));
        }
        if swap {
            parts.reverse();
        }
        let mut state = PathState { dims: SmallVec::from_elem(Axes::new(), rank), partial: SmallVec::new() };
        for (part, place) in parts {
            match place {
                d if d < rank => state.dims[d].push(part),
                d if d > rank => state.partial.push((part, Monoid::Sum)),
                _ => {}
            }
        }
        state.dims.iter_mut().for_each(|axes| *axes = merge_adjacent(axes.iter().copied()));
        state
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    /// For any sizes, each step is a valid transition, and the last one reaches the goal.
    #[test]
    fn every_path_reaches_its_goal(
        (shape, have, need) in (1usize..=3).prop_flat_map(|rank| {
            let dims = proptest::collection::vec(proptest::sample::select(vec![1usize, 2, 5, 6, 12, 13]), rank);
            (dims.prop_map(|d| d.into_iter().collect::<Shape>()), factors(rank, true), factors(rank, false))
        })
    ) {
        let mesh = MeshId::from_index(0);
        let (from, to) = (have.to_unjoined_layout(mesh), need.to_unjoined_layout(mesh));
        let path = ReshardPaths::new(mesh).find(&shape, 4, &from, &to);
        let mut at = from;
        for (step, next) in &path.steps {
            prop_assert!(is_layout_change(step, &shape, &at, next), "{}: {step:?} from {at:?} to {next:?}", shape);
            at = next.clone();
        }
        let dims =
            |state: &PathState| state.dims.iter().map(|axes| merge_adjacent(axes.iter().copied())).collect::<Vec<_>>();
        let end = PathState::from_layout(&at);
        prop_assert!(dims(&end) == dims(&need) && end.partial.is_empty(), "{} ends at {at:?}, not {to:?}", shape);
    }
}

/// Returns the price of the path that the search found, the cheapest price, and a description of the path.
fn found_and_exhaustive(shape: &Shape, have: &PathState, need: &PathState) -> (u64, u64, String) {
    let mesh = MeshId::from_index(0);
    let path = ReshardPaths::new(mesh).find(shape, 4, &have.to_layout(mesh), &need.to_layout(mesh));
    let steps: Vec<String> =
        path.steps.iter().map(|(m, l)| format!("{} -> {}", m.name(), show_state(&PathState::from_layout(l)))).collect();
    ((path.wire_bytes * PRICE_UNITS_PER_BYTE).round() as u64, exhaustive(shape, have, need), steps.join(", "))
}
