//! The order of samples: a permutation of each epoch that is a function of the seed and the number of the epoch, so
//! that a position is two numbers.
//!
//! An epoch is cut into batches; what is left behind the last whole one is not seen in this epoch. Each replica of a
//! batch has a piece of its own, so that all of them together see every sample of the epoch at most once, and any
//! number of replicas the same batches.

use partita_ir::numeric::counter_rng::threefry;
use partita_runtime::checkpoint::Progress;
use std::ops::Range;

/// What random numbers are drawn for: each has a stream of its own, as have the
/// [initializers](partita_ir::initializer), the fourth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stream {
    /// Which samples are held out.
    Split,
    /// The order of an epoch.
    Epoch(u64),
    /// What the model itself draws in a step.
    Step(u64),
}

/// Two random words.
pub(crate) fn draw(seed: u64, stream: Stream, at: u64) -> [u32; 2] {
    let (kind, number) = match stream {
        Stream::Split => (0, 0),
        Stream::Epoch(n) => (1, n),
        Stream::Step(n) => (2, n),
    };
    let halves = |x: u64| [x as u32, (x >> 32) as u32];
    let key = threefry(halves(seed), [kind, 0]);
    threefry(threefry(key, halves(number)), halves(at))
}

/// The numbers up to `n` in an order that the seed decides (Fisher and Yates 1938; Durstenfeld 1964).
pub(crate) fn permutation(n: usize, seed: u64, stream: Stream) -> Vec<usize> {
    let mut all: Vec<usize> = (0..n).collect();
    for i in (1..n).rev() {
        let [a, b] = draw(seed, stream, i as u64);
        let word = u64::from(a) << 32 | u64::from(b);
        all.swap(i, (word % (i as u64 + 1)) as usize);
    }
    all
}

/// One of the replicas that share a batch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shard {
    /// Which one.
    pub replica: usize,
    /// How many there are.
    pub replicas: usize,
}

impl Shard {
    /// All of a batch.
    pub const WHOLE: Shard = Shard { replica: 0, replicas: 1 };

    /// Its part of so many samples; the last parts may be shorter.
    pub fn of(self, samples: usize) -> Range<usize> {
        let each = samples.div_ceil(self.replicas.max(1));
        self.replica.saturating_mul(each).min(samples)..(self.replica + 1).saturating_mul(each).min(samples)
    }
}

/// Where training is in its data.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Position {
    /// Epochs completed.
    pub epoch: u64,
    /// Samples of this epoch that were seen.
    pub offset: usize,
}

impl Position {
    /// Where a checkpoint was made.
    pub(crate) fn of(progress: &Progress) -> Position {
        Position { epoch: progress.epoch, offset: usize::try_from(progress.offset).unwrap_or(usize::MAX) }
    }
}

/// Hands out batches of sample ids.
#[derive(Clone, Debug)]
pub struct Loader {
    samples: Vec<usize>,
    batch: usize,
    seed: u64,
    position: Position,
    /// The order of the epoch of that number.
    order: Option<(u64, Vec<usize>)>,
}

impl Loader {
    /// Batches of those samples, from that position on. There must be enough for one.
    pub fn new(samples: Vec<usize>, batch: usize, seed: u64, position: Position) -> Loader {
        debug_assert!(batch > 0 && batch <= samples.len());
        Loader { samples, batch, seed, position, order: None }
    }

    /// How many batches an epoch has.
    pub fn batches(&self) -> usize {
        self.samples.len() / self.batch
    }

    /// The same batches from another position on.
    pub fn from(&self, position: Position) -> Loader {
        Loader { position, ..self.clone() }
    }

    /// Where the next batch begins.
    pub fn position(&self) -> Position {
        self.position
    }

    /// The samples of the next batch that one replica reads; the position stays.
    pub fn ids(&mut self, shard: Shard) -> Vec<usize> {
        let Position { epoch, offset } = self.at();
        if self.order.as_ref().is_none_or(|(of, _)| *of != epoch) {
            self.order = Some((epoch, permutation(self.samples.len(), self.seed, Stream::Epoch(epoch))));
        }
        let piece = shard.of(self.batch);
        let order = self.order.as_ref().map_or(&[][..], |(_, order)| order);
        order
            .iter()
            .skip(offset)
            .take(self.batch)
            .skip(piece.start)
            .take(piece.len())
            .map(|&i| self.samples[i])
            .collect()
    }

    /// Goes on to the next batch.
    pub fn advance(&mut self) {
        let Position { epoch, offset } = self.at();
        let offset = offset + self.batch;
        self.position = if offset + self.batch > self.samples.len() {
            Position { epoch: epoch.saturating_add(1), offset: 0 }
        } else {
            Position { epoch, offset }
        };
    }

    /// The position, where this epoch has another batch, or else the start of the next one: batches may have been
    /// smaller before.
    fn at(&self) -> Position {
        let Position { epoch, offset } = self.position;
        match offset.checked_add(self.batch).is_some_and(|end| end <= self.samples.len()) {
            true => self.position,
            false => Position { epoch: epoch.saturating_add(1), offset: 0 },
        }
    }
}

/// Splits samples into those to train on and those to validate with: a share of them, chosen by the seed.
pub(crate) fn hold_out(samples: usize, share: f64, seed: u64) -> (Vec<usize>, Vec<usize>) {
    let held = (samples as f64 * share).round() as usize;
    let order = permutation(samples, seed, Stream::Split);
    let (held, rest) = order.split_at(held.min(samples));
    let sorted = |ids: &[usize]| {
        let mut ids = ids.to_vec();
        ids.sort_unstable();
        ids
    };
    (sorted(rest), sorted(held))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// The batches of two epochs, put together from the pieces of so many replicas.
    fn two_epochs(samples: usize, batch: usize, replicas: usize) -> Vec<Vec<usize>> {
        let mut loader = Loader::new((0..samples).map(|i| i + 1000).collect(), batch, 7, Position::default());
        let mut batches = Vec::new();
        while loader.position().epoch < 2 {
            let pieces = (0..replicas).map(|replica| loader.ids(Shard { replica, replicas }));
            batches.push(pieces.collect::<Vec<_>>().concat());
            loader.advance();
        }
        batches
    }

    #[test]
    fn replicas_together_see_every_sample_once_and_the_same_batches() {
        for (samples, batch) in [(64, 8), (67, 8), (8, 8), (100, 7)] {
            let whole = two_epochs(samples, batch, 1);
            assert_eq!(whole.len(), 2 * (samples / batch));
            for replicas in [2, 3, 4, 8] {
                assert_eq!(two_epochs(samples, batch, replicas), whole, "{replicas} replicas");
            }
            for epoch in whole.chunks(samples / batch) {
                let seen: Vec<usize> = epoch.concat();
                let distinct: BTreeSet<usize> = seen.iter().copied().collect();
                assert_eq!(distinct.len(), seen.len(), "a sample is seen twice");
                assert!(distinct.iter().all(|id| (1000..1000 + samples).contains(id)));
            }
            if whole.len() > 2 {
                assert_ne!(whole[..whole.len() / 2], whole[whole.len() / 2..], "epochs are shuffled alike");
            }
        }
    }

    #[test]
    fn a_position_is_all_that_is_needed_to_go_on() {
        let samples: Vec<usize> = (0..50).collect();
        let mut loader = Loader::new(samples.clone(), 8, 3, Position::default());
        for _ in 0..20 {
            let mut other = Loader::new(samples.clone(), 8, 3, loader.position());
            assert_eq!(other.ids(Shard::WHOLE), loader.ids(Shard::WHOLE));
            loader.advance();
        }
        // Where the rest of an epoch is less than a batch, the next one begins.
        let mut behind = Loader::new(samples, 8, 3, Position { epoch: 0, offset: 45 });
        assert_eq!(behind.at(), Position { epoch: 1, offset: 0 });
        behind.advance();
        assert_eq!(behind.position(), Position { epoch: 1, offset: 8 });
    }

    #[test]
    fn what_is_held_out_is_not_trained_on() {
        let (train, held) = hold_out(1797, 0.2, 5);
        assert_eq!((train.len(), held.len()), (1438, 359));
        let all: BTreeSet<usize> = train.iter().chain(&held).copied().collect();
        assert_eq!(all.len(), 1797);
        assert_ne!(hold_out(1797, 0.2, 6).1, held);
        assert!(hold_out(10, 0.0, 1).1.is_empty());
    }

    #[test]
    fn streams_do_not_meet() {
        let streams = [Stream::Split, Stream::Epoch(0), Stream::Epoch(1), Stream::Step(0), Stream::Step(1)];
        let words: BTreeSet<[u32; 2]> = streams.iter().flat_map(|&s| (0..100).map(move |i| draw(0, s, i))).collect();
        assert_eq!(words.len(), 500);
    }
}
