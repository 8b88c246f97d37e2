//! Outlines of ways to spread a step: of all of them, or of a large model of those that lie on the way to good ones.

use super::outline::{Ground, Outline};
use super::spreads::Spread;
use super::{Progress, Watch};
use crate::error::{Error, Result};
use partita_search::SearchGraph;
use std::collections::BTreeMap;
use std::num::NonZero;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::mpsc;
use std::thread;

/// Outlines, the one that looks best first.
pub(super) struct Outlines {
    pub(super) all: Vec<Outline>,
    /// How many ways to spread the step were looked at.
    pub(super) looked_at: usize,
    /// Whether there was no time for others.
    pub(super) are_interrupted: bool,
}

/// What came of some ways: outlines, how many ways were looked at, and what is wrong with what is decided.
#[derive(Default)]
struct Found {
    outlines: Vec<Outline>,
    looked_at: usize,
    error: Option<Error>,
}

impl Found {
    /// Seconds and parts of the best outline.
    fn best(&self) -> Option<(f64, u64)> {
        let all = self.outlines.iter().map(|one| (one.seconds(), one.spread.parts));
        all.min_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// Looks at a way; seconds, if anything fits. None once something is wrong.
    fn look(&mut self, ground: &Ground<'_>, subjects: &BTreeMap<u64, SearchGraph<'_>>, spread: &Spread) -> Option<f64> {
        let graph = subjects.get(&spread.parts).filter(|_| self.error.is_none())?;
        self.looked_at += 1;
        match ground.outline(graph, spread) {
            Ok(None) => Some(f64::INFINITY),
            Ok(Some(outline)) => {
                let seconds = outline.seconds();
                self.outlines.push(outline);
                Some(seconds)
            }
            Err(error) => {
                self.error = Some(error);
                None
            }
        }
    }
}

/// Where ops of all ways to spread a step come to more, some ways lead to the others.
const LARGE: usize = 150_000;

/// Meshes whose axis within nodes is still further from what is good are not looked at once a step takes so much
/// longer.
const STEEP: f64 = 1.15;

/// Of stages with which a step takes so much longer on a mesh as it is usual, no other mesh is looked at.
const HOPELESS: f64 = 2.0;

impl Outlines {
    /// Those of all ways to spread a step; of a large one those of good ways.
    ///
    /// # Errors
    /// What is wrong with what is decided, if there is no outline because of that.
    pub(super) fn of(
        ground: &Ground<'_>,
        subjects: &BTreeMap<u64, SearchGraph<'_>>,
        spreads: &[Spread],
        watch: &mut Watch<'_>,
    ) -> Result<Outlines> {
        let ops = subjects.values().next().map_or(0, |graph| graph.program().ops.len());
        let is_large = ops * spreads.len() > LARGE;
        let (is_over, mut priced, mut has_any) = (AtomicBool::new(false), 0, false);
        let mut tell = |found: &Found, ways: usize| {
            priced += ways;
            has_any |= !found.outlines.is_empty();
            let goes_on = watch(&Progress { priced: (priced, spreads.len()), ..Progress::default() });
            is_over.store(!goes_on && has_any, Relaxed);
        };
        tell(&Found::default(), 0);
        let found = if is_large {
            let groups: Vec<Group<'_>> =
                spreads.chunk_by(|a, b| a.stages == b.stages).map(|ways| Group::of(ground, ways)).collect();
            let begin = |group: &Group<'_>| of_parts(ground, subjects, group.meshes[group.usual]);
            let begun = each(&groups, &is_over, begin, |_, found| tell(found, 0));
            let best = begun.iter().filter_map(Found::best).map(|best| best.0).fold(f64::INFINITY, f64::min);
            let groups: Vec<(Group<'_>, Found)> = groups.into_iter().zip(begun).collect();
            let go_on = |(group, begun): &(Group<'_>, Found)| match begun.best() {
                Some((seconds, _)) if seconds > HOPELESS * best => Found::default(),
                known => on_the_way(ground, subjects, group, known, &is_over),
            };
            let more = each(&groups, &is_over, go_on, |at, found| tell(found, groups[at].0.count()));
            groups.into_iter().map(|(_, begun)| begun).chain(more).collect()
        } else {
            let groups: Vec<&[Spread]> = spreads.chunk_by(Spread::is_cut_of).collect();
            each(&groups, &is_over, |ways| of_parts(ground, subjects, ways), |at, found| tell(found, groups[at].len()))
        };
        let (mut all, mut looked_at, mut refused) = (Vec::new(), 0, None);
        for found in found {
            looked_at += found.looked_at;
            all.extend(found.outlines);
            refused = refused.or(found.error);
        }
        if let Some(error) = refused.filter(|_| all.is_empty()) {
            return Err(error);
        }
        all.sort_by(|a: &Outline, b| a.seconds().total_cmp(&b.seconds()).then_with(|| a.spread.cmp(&b.spread)));
        let are_interrupted = is_over.into_inner();
        // What need not be looked at since others are better is looked at for that.
        let looked_at = if is_large || are_interrupted { looked_at } else { spreads.len() };
        Ok(Outlines { all, looked_at, are_interrupted })
    }

    /// What none of the ways that were looked at takes less than; nothing is known of others.
    pub(super) fn bound(&self) -> f64 {
        if self.are_interrupted { 0.0 } else { self.all.iter().map(Outline::bound).fold(f64::INFINITY, f64::min) }
    }
}

/// Outlines of ways that differ in parts alone, few parts first.
fn of_parts(ground: &Ground<'_>, subjects: &BTreeMap<u64, SearchGraph<'_>>, alike: &[Spread]) -> Found {
    let mut found = Found::default();
    let mut before = f64::INFINITY;
    for spread in alike {
        let Some(seconds) = found.look(ground, subjects, spread) else { continue };
        let computes_again = found.outlines.last().is_some_and(|outline| outline.spread.recompute);
        let is_better = seconds < before;
        before = before.min(seconds);
        // Without stages more parts only save memory. With more of them stages wait less for each other, until devices
        // have too little to do at a time.
        let is_enough = if spread.stages == 1 { !computes_again } else { !is_better };
        if seconds.is_finite() && is_enough {
            break;
        }
    }
    found
}

/// Ways that have as many stages.
struct Group<'a> {
    /// By mesh, those whose inner axis is short first, its ways.
    meshes: Vec<&'a [Spread]>,
    /// The mesh whose inner axis is about as long as a node.
    usual: usize,
}

impl<'a> Group<'a> {
    fn of(ground: &Ground<'_>, ways: &'a [Spread]) -> Group<'a> {
        let node = ground.machine.nodes.iter().map(|node| node.devices.len()).max().unwrap_or(1) as f64;
        let inner = |ways: &[Spread]| match ways[0].axes[..] {
            [_, inner] => f64::from(inner),
            _ => 1.0,
        };
        let mut meshes: Vec<&[Spread]> = ways.chunk_by(Spread::is_cut_of).collect();
        meshes.sort_by(|a, b| inner(a).total_cmp(&inner(b)));
        let away = |at: usize| (inner(meshes[at]) / node).ln().abs();
        let usual = (0..meshes.len()).min_by(|&a, &b| away(a).total_cmp(&away(b)));
        Group { usual: usual.unwrap_or(0), meshes }
    }

    fn count(&self) -> usize {
        self.meshes.iter().map(|ways| ways.len()).sum()
    }
}

/// Outlines of a group from its usual mesh to shorter and to longer ones, as long as these are good; of that one
/// seconds and parts of the best are known. What is found to be the best number of parts is that of all.
fn on_the_way(
    ground: &Ground<'_>,
    subjects: &BTreeMap<u64, SearchGraph<'_>>,
    group: &Group<'_>,
    known: Option<(f64, u64)>,
    is_over: &AtomicBool,
) -> Found {
    let mut found = Found::default();
    let (shorter, longer) = (group.meshes[..group.usual].iter().rev(), group.meshes[group.usual + 1..].iter());
    for way in [&mut shorter.copied() as &mut dyn Iterator<Item = &[Spread]>, &mut longer.copied()] {
        for alike in way {
            if is_over.load(Relaxed) || found.error.is_some() {
                return found;
            }
            let best = known.into_iter().chain(found.best()).min_by(|a, b| a.0.total_cmp(&b.0));
            let (known, parts) = best.unwrap_or((f64::INFINITY, 0));
            let seconds = match alike.iter().find(|spread| spread.parts == parts) {
                Some(spread) => found.look(ground, subjects, spread),
                None => {
                    let more = of_parts(ground, subjects, alike);
                    let seconds = more.best().map(|best| best.0);
                    found.outlines.extend(more.outlines);
                    found.looked_at += more.looked_at;
                    found.error = found.error.or(more.error);
                    seconds
                }
            };
            if known.is_finite() && seconds.unwrap_or(f64::INFINITY) > STEEP * known {
                break;
            }
        }
    }
    found
}

/// What comes of each group, on all cores; `tell` hears of it as soon as it is there. Nothing comes of others once it
/// is over.
fn each<G: Sync>(
    groups: &[G],
    is_over: &AtomicBool,
    look: impl Fn(&G) -> Found + Sync,
    mut tell: impl FnMut(usize, &Found),
) -> Vec<Found> {
    let mut all: Vec<Found> = groups.iter().map(|_| Found::default()).collect();
    let next = AtomicUsize::new(0);
    let (send, found) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, NonZero::get).min(groups.len()) {
            let (send, next, look) = (send.clone(), &next, &look);
            scope.spawn(move || {
                while !is_over.load(Relaxed) {
                    let at = next.fetch_add(1, Relaxed);
                    let Some(group) = groups.get(at) else { break };
                    // Nobody waits for it once the search is over.
                    let _ = send.send((at, look(group)));
                }
            });
        }
        drop(send);
        for (at, found) in found {
            tell(at, &found);
            all[at] = found;
        }
    });
    all
}
