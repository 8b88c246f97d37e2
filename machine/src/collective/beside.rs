//! Algorithms beside each other, each for a part of every piece, and algorithms whose ranks change places.

use crate::collective::{Algorithm, CollectiveKind, Step, Transfer};

impl Algorithm {
    /// The algorithm whose rank `i` is `order[i]`.
    pub(super) fn renamed(mut self, order: &[usize]) -> Algorithm {
        // A piece is moved along with the rank that has it.
        let each = self.chunks / self.kind.pieces(self.ranks).max(1);
        let piece = |piece: usize| match self.kind {
            CollectiveKind::ReduceScatter | CollectiveKind::AllGather => order[piece],
            CollectiveKind::AllToAll => order[piece / self.ranks] * self.ranks + order[piece % self.ranks],
            CollectiveKind::AllReduce
            | CollectiveKind::Permute(_)
            | CollectiveKind::Broadcast(_)
            | CollectiveKind::Reduce(_)
            | CollectiveKind::Served(_) => piece,
        };
        for transfer in self.steps.iter_mut().flatten() {
            transfer.chunk = piece(transfer.chunk / each) * each + transfer.chunk % each;
            transfer.from.iter_mut().chain([&mut transfer.to]).for_each(|place| place.rank = order[place.rank]);
        }
        self
    }
}

/// Algorithms of one kind, each as often as is said; those of one part follow each other by a step. Each gets as many
/// chunks of every piece as it has.
pub(super) fn beside(name: String, kind: &CollectiveKind, ranks: usize, parts: &[(Algorithm, usize)]) -> Algorithm {
    let pieces = kind.pieces(ranks);
    let each = |part: &Algorithm| part.chunks / pieces.max(1);
    let width: usize = parts.iter().map(|(part, times)| each(part) * times).sum();
    let mut all = Algorithm::new(name, kind.clone(), ranks, width * pieces);
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
