//! Outlines of ways to spread a step: of all of them, or of a large model of those that lie on the way to good ones.

use super::outline::{Ground, Outline};
use super::spreads::Spread;
use super::{Progress, Watch};
use crate::error::{Error, Result};
use partita_passes::search::Subject;
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
    /// Looks at a way; seconds, if anything fits. None once something is wrong.
    fn look(&mut self, ground: &Ground<'_>, subjects: &BTreeMap<u64, Subject<'_>>, spread: &Spread) -> Option<f64> {
        let subject = subjects.get(&spread.parts).filter(|_| self.error.is_none())?;
        self.looked_at += 1;
        match ground.outline(subject, spread) {
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
const LARGE: usize = 400_000;

/// Meshes whose axis within nodes is still further from what is good are not looked at once a step takes so much longer.
const STEEP: f64 = 1.15;

impl Outlines {
    /// Those of all ways to spread a step; of a large one those of good ways.
    ///
    /// # Errors
    /// What is wrong with what is decided, if there is no outline because of that.
    pub(super) fn of(
        ground: &Ground<'_>,
        subjects: &BTreeMap<u64, Subject<'_>>,
        spreads: &[Spread],
        watch: &mut Watch<'_>,
    ) -> Result<Outlines> {
        let ops = subjects.values().next().map_or(0, |subject| subject.program().ops.len());
        let is_large = ops * spreads.len() > LARGE;
        let belong = |a: &Spread, b: &Spread| if is_large { a.stages == b.stages } else { a.is_cut_of(b) };
        let groups: Vec<&[Spread]> = spreads.chunk_by(belong).collect();
        let (next, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
        let (send, found) = mpsc::channel();
        let (mut all, mut refused, mut looked_at, mut done) = (Vec::new(), BTreeMap::new(), 0, 0);
        thread::scope(|scope| {
            for _ in 0..thread::available_parallelism().map_or(1, NonZero::get).min(groups.len()) {
                let (send, groups, next, is_over) = (send.clone(), &groups, &next, &is_over);
                scope.spawn(move || {
                    while !is_over.load(Relaxed) {
                        let at = next.fetch_add(1, Relaxed);
                        let Some(group) = groups.get(at) else { break };
                        let found = match is_large {
                            true => on_the_way(ground, subjects, group, is_over),
                            false => of_parts(ground, subjects, group),
                        };
                        // Nobody waits for it once the search is over.
                        let _ = send.send((at, found));
                    }
                });
            }
            drop(send);
            let mut goes_on = watch(&Progress { priced: (0, spreads.len()), simulated: 0, best: None });
            for (at, found) in found {
                looked_at += found.looked_at;
                done += groups[at].len();
                all.extend(found.outlines);
                refused.extend(found.error.map(|error| (at, error)));
                goes_on &= watch(&Progress { priced: (done, spreads.len()), simulated: 0, best: None });
                is_over.store(!goes_on && !all.is_empty(), Relaxed);
            }
        });
        if let Some((_, error)) = refused.pop_first().filter(|_| all.is_empty()) {
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
fn of_parts(ground: &Ground<'_>, subjects: &BTreeMap<u64, Subject<'_>>, alike: &[Spread]) -> Found {
    let mut found = Found::default();
    let mut before = f64::INFINITY;
    for spread in alike {
        let Some(seconds) = found.look(ground, subjects, spread) else { continue };
        let computes_again = found.outlines.last().is_some_and(|outline| outline.spread.recompute);
        let is_better = seconds < before;
        before = before.min(seconds);
        // Without stages more parts only save memory. With more of them stages wait less for each other, until devices have too little to
        // do at a time.
        let is_enough = if spread.stages == 1 { !computes_again } else { !is_better };
        if seconds.is_finite() && is_enough {
            break;
        }
    }
    found
}

/// Outlines of ways that have as many stages, from the mesh whose inner axis is as long as a node to shorter and to longer ones, as long as
/// these are good. What is found to be the best number of parts is that of all.
fn on_the_way(
    ground: &Ground<'_>,
    subjects: &BTreeMap<u64, Subject<'_>>,
    ways: &[Spread],
    is_over: &AtomicBool,
) -> Found {
    let node = ground.machine.nodes.iter().map(|node| node.devices.len()).max().unwrap_or(1) as f64;
    let inner = |spread: &Spread| match spread.axes[..] {
        [_, inner] => f64::from(inner),
        _ => 1.0,
    };
    let mut meshes: Vec<&[Spread]> = ways.chunk_by(Spread::is_cut_of).collect();
    meshes.sort_by(|a, b| inner(&a[0]).total_cmp(&inner(&b[0])));
    let first = (0..meshes.len()).min_by(|&a, &b| {
        let away = |at: usize| (inner(&meshes[at][0]) / node).ln().abs();
        away(a).total_cmp(&away(b))
    });
    let Some(first) = first else { return Found::default() };
    let mut found = of_parts(ground, subjects, meshes[first]);
    let best = |found: &Found| {
        found
            .outlines
            .iter()
            .min_by(|a, b| a.seconds().total_cmp(&b.seconds()))
            .map(|one| (one.seconds(), one.spread.parts))
    };
    let (shorter, longer) = (meshes[..first].iter().rev(), meshes[first + 1..].iter());
    for way in [&mut shorter.copied() as &mut dyn Iterator<Item = &[Spread]>, &mut longer.copied()] {
        for alike in way {
            if is_over.load(Relaxed) || found.error.is_some() {
                return found;
            }
            let (known, parts) = best(&found).unwrap_or((f64::INFINITY, 0));
            let seconds = match alike.iter().find(|spread| spread.parts == parts) {
                Some(spread) => found.look(ground, subjects, spread),
                None => {
                    let more = of_parts(ground, subjects, alike);
                    let seconds = best(&more).map(|(seconds, _)| seconds);
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
