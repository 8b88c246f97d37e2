//! Sampler: a permutation of the samples for each epoch that is a function of the seed and the epoch. A position is
//! therefore two numbers: the epoch and the offset in it.
//!
//! An epoch is split into batches. Remaining samples that do not fill a batch are skipped in this epoch. Replicas read
//! disjoint shards of a batch, so that together they read every sample of an epoch at most once, and the batches do not
//! depend on the number of replicas.

use partita_ir::numeric::counter_rng::threefry;
use partita_runtime::checkpoint::Progress;
use std::ops::Range;

/// Independent random streams. The [initializers](partita_ir::initializer) use a separate fourth one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stream {
    /// Choice of the validation samples.
    Split,
    /// Order of an epoch.
    Epoch(u64),
    /// Random numbers of the model in a step.
    Step(u64),
}

/// Draws two random words.
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

/// Returns a random permutation of the numbers below `n` (Fisher and Yates 1938; Durstenfeld 1964).
pub(crate) fn permutation(n: usize, seed: u64, stream: Stream) -> Vec<usize> {
    let mut all: Vec<usize> = (0..n).collect();
    for i in (1..n).rev() {
        let [a, b] = draw(seed, stream, i as u64);
        let word = u64::from(a) << 32 | u64::from(b);
        all.swap(i, (word % (i as u64 + 1)) as usize);
    }
    all
}

/// Identifies the shard of each batch that one replica reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReplicaShard {
    /// Index of the replica.
    pub replica: usize,
    /// Number of replicas.
    pub replicas: usize,
}

impl ReplicaShard {
    /// A single replica.
    pub const SINGLE: ReplicaShard = ReplicaShard { replica: 0, replicas: 1 };

    /// Returns the replica's range of a batch of `samples` samples. The last ranges may be shorter.
    pub fn range(self, samples: usize) -> Range<usize> {
        let each = samples.div_ceil(self.replicas.max(1));
        self.replica.saturating_mul(each).min(samples)..(self.replica + 1).saturating_mul(each).min(samples)
    }
}

/// Position of training in its data.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SamplerPosition {
    /// Number of epochs completed.
    pub epoch: u64,
    /// Number of samples read in this epoch.
    pub offset: usize,
}

impl SamplerPosition {
    /// Returns the position of a checkpoint.
    pub(crate) fn from_progress(progress: &Progress) -> SamplerPosition {
        SamplerPosition { epoch: progress.epoch, offset: usize::try_from(progress.offset).unwrap_or(usize::MAX) }
    }
}

/// Sampler of batches of sample ids, from a position on.
#[derive(Clone, Debug)]
pub struct Sampler {
    samples: Vec<usize>,
    batch: usize,
    seed: u64,
    position: SamplerPosition,
    /// Epoch and its permutation, computed on first use.
    order: Option<(u64, Vec<usize>)>,
}

impl Sampler {
    /// Creates a sampler of batches from `position` on. `samples` must have at least one batch.
    pub fn new(samples: Vec<usize>, batch: usize, seed: u64, position: SamplerPosition) -> Sampler {
        assert!(batch > 0 && batch <= samples.len());
        Sampler { samples, batch, seed, position, order: None }
    }

    /// Number of batches of an epoch.
    pub fn batches(&self) -> usize {
        self.samples.len() / self.batch
    }

    /// Returns a sampler at another position.
    pub fn with_position(&self, position: SamplerPosition) -> Sampler {
        Sampler { position, ..self.clone() }
    }

    /// Position of the next batch.
    pub fn position(&self) -> SamplerPosition {
        self.position
    }

    /// Returns the ids of the next batch that one replica reads, without advancing.
    pub fn ids(&mut self, shard: ReplicaShard) -> Vec<usize> {
        let SamplerPosition { epoch, offset } = self.batch_position();
        if self.order.as_ref().is_none_or(|(of, _)| *of != epoch) {
            self.order = Some((epoch, permutation(self.samples.len(), self.seed, Stream::Epoch(epoch))));
        }
        let shard_range = shard.range(self.batch);
        let order = self.order.as_ref().map_or(&[][..], |(_, order)| order);
        order
            .iter()
            .skip(offset)
            .take(self.batch)
            .skip(shard_range.start)
            .take(shard_range.len())
            .map(|&i| self.samples[i])
            .collect()
    }

    /// Advances to the next batch.
    pub fn advance(&mut self) {
        let SamplerPosition { epoch, offset } = self.batch_position();
        let offset = offset + self.batch;
        self.position = if offset + self.batch > self.samples.len() {
            SamplerPosition { epoch: epoch.saturating_add(1), offset: 0 }
        } else {
            SamplerPosition { epoch, offset }
        };
    }

    /// Returns the position, or the start of the next epoch if this one has no full batch left. Batches before a
    /// checkpoint may have had another size.
    fn batch_position(&self) -> SamplerPosition {
        let SamplerPosition { epoch, offset } = self.position;
        match offset.checked_add(self.batch).is_some_and(|end| end <= self.samples.len()) {
            true => self.position,
            false => SamplerPosition { epoch: epoch.saturating_add(1), offset: 0 },
        }
    }
}

/// Splits samples into training and validation samples, by a share and a seed.
pub(crate) fn split_validation(samples: usize, share: f64, seed: u64) -> (Vec<usize>, Vec<usize>) {
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

    /// Returns the batches of two epochs, concatenated from the shards of all replicas.
    fn two_epochs(samples: usize, batch: usize, replicas: usize) -> Vec<Vec<usize>> {
        let mut sampler = Sampler::new((0..samples).map(|i| i + 1000).collect(), batch, 7, SamplerPosition::default());
        let mut batches = Vec::new();
        while sampler.position().epoch < 2 {
            let shards = (0..replicas).map(|replica| sampler.ids(ReplicaShard { replica, replicas }));
            batches.push(shards.collect::<Vec<_>>().concat());
            sampler.advance();
        }
        batches
    }

    #[test]
    fn replicas_together_see_every_sample_once_and_the_same_batches() {
        for (samples, batch) in [(64, 8), (67, 8), (8, 8), (100, 7)] {
            let batches_of_one = two_epochs(samples, batch, 1);
            assert_eq!(batches_of_one.len(), 2 * (samples / batch));
            for replicas in [2, 3, 4, 8] {
                assert_eq!(two_epochs(samples, batch, replicas), batches_of_one, "{replicas} replicas");
            }
            for epoch in batches_of_one.chunks(samples / batch) {
                let seen: Vec<usize> = epoch.concat();
                let distinct: BTreeSet<usize> = seen.iter().copied().collect();
                assert_eq!(distinct.len(), seen.len(), "a sample is seen twice");
                assert!(distinct.iter().all(|id| (1000..1000 + samples).contains(id)));
            }
            if batches_of_one.len() > 2 {
                assert_ne!(
                    batches_of_one[..batches_of_one.len() / 2],
                    batches_of_one[batches_of_one.len() / 2..],
                    "epochs have the same order"
                );
            }
        }
    }

    #[test]
    fn a_position_is_sufficient_to_resume() {
        let samples: Vec<usize> = (0..50).collect();
        let mut sampler = Sampler::new(samples.clone(), 8, 3, SamplerPosition::default());
        for _ in 0..20 {
            let mut other = Sampler::new(samples.clone(), 8, 3, sampler.position());
            assert_eq!(other.ids(ReplicaShard::SINGLE), sampler.ids(ReplicaShard::SINGLE));
            sampler.advance();
        }
        // Samples that do not fill a batch are skipped.
        let mut at_end = Sampler::new(samples, 8, 3, SamplerPosition { epoch: 0, offset: 45 });
        assert_eq!(at_end.batch_position(), SamplerPosition { epoch: 1, offset: 0 });
        at_end.advance();
        assert_eq!(at_end.position(), SamplerPosition { epoch: 1, offset: 8 });
    }

    #[test]
    fn validation_samples_are_not_trained_on() {
        let (train, held) = split_validation(1797, 0.2, 5);
        assert_eq!((train.len(), held.len()), (1438, 359));
        let all: BTreeSet<usize> = train.iter().chain(&held).copied().collect();
        assert_eq!(all.len(), 1797);
        assert_ne!(split_validation(1797, 0.2, 6).1, held);
        assert!(split_validation(10, 0.0, 1).1.is_empty());
    }

    #[test]
    fn streams_are_independent() {
        let streams = [Stream::Split, Stream::Epoch(0), Stream::Epoch(1), Stream::Step(0), Stream::Step(1)];
        let words: BTreeSet<[u32; 2]> = streams.iter().flat_map(|&s| (0..100).map(move |i| draw(0, s, i))).collect();
        assert_eq!(words.len(), 500);
    }
}
