//! Combinators of algorithms: concurrent execution on disjoint parts of the tensor, and permutation of ranks.

use crate::collective::{Algorithm, CollectiveKind, Step, Transfer};

impl Algorithm {
    /// Returns the algorithm in which rank `i` is replaced by `order[i]`.
    pub(super) fn with_rank_order(mut self, order: &[usize]) -> Algorithm {
        // Blocks that belong to a rank are permuted together with the ranks.
        let each = self.chunks / self.kind.block_count(self.ranks).max(1);
        let block = |block: usize| match self.kind {
            CollectiveKind::ReduceScatter | CollectiveKind::AllGather => order[block],
            CollectiveKind::AllToAll => order[block / self.ranks] * self.ranks + order[block % self.ranks],
            CollectiveKind::AllReduce
            | CollectiveKind::Permute(_)
            | CollectiveKind::Broadcast(_)
            | CollectiveKind::Reduce(_)
            | CollectiveKind::ParameterServer(_) => block,
        };
        for transfer in self.steps.iter_mut().flatten() {
            transfer.chunk = block(transfer.chunk / each) * each + transfer.chunk % each;
            transfer.from.iter_mut().chain([&mut transfer.to]).for_each(|place| place.rank = order[place.rank]);
        }
        self
    }
}

/// Returns the concurrent composition of algorithms of one kind. Each algorithm is repeated the given number of times;
/// repetitions are pipelined one step apart. Each repetition processes its own chunks of every block.
pub(super) fn concurrent(name: String, kind: &CollectiveKind, ranks: usize, parts: &[(Algorithm, usize)]) -> Algorithm {
    let blocks = kind.block_count(ranks);
    let each = |part: &Algorithm| part.chunks / blocks.max(1);
    let width: usize = parts.iter().map(|(part, times)| each(part) * times).sum();
    let mut all = Algorithm::new(name, kind.clone(), ranks, width * blocks);
    let mut base = 0;
    for (part, times) in parts {
        let each = each(part);
        for copy in 0..*times {
            let last = copy + part.steps.len();
            all.steps.resize(last.max(all.steps.len()), Step::new());
            for (step, transfer) in part.steps.iter().enumerate().flat_map(|(n, step)| step.iter().map(move |t| (n, t)))
            {
                let chunk = transfer.chunk / each * width + base + transfer.chunk % each;
                all.steps[copy + step].push(Transfer { chunk, ..transfer.clone() });
            }
            base += each;
        }
    }
    all
}
