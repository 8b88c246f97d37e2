//! A sharded parameter server: each server combines a share of all workers' values, and the workers copy the shares.
//!
//! Servers are ranks of their own, or some of the workers. Over one link for each server N workers and M servers take N
//! g/(M BW) to bring gradients, and N w/(M BW) to get weights (Li et al. 2014,
//! <https://www.usenix.org/conference/osdi14/technical-sessions/presentation/li_mu>).

use crate::collective::{Algorithm, CollectiveKind, Place};

/// Two steps of one chunk of `servers`, each of which has a server.
pub(super) fn all_reduce(algorithm: &mut Algorithm, chunk: usize, servers: usize) {
    let (workers, server) = match algorithm.kind {
        CollectiveKind::Served(workers) => (workers, workers + chunk),
        // Spread over the ranks, and so over nodes.
        CollectiveKind::AllReduce
        | CollectiveKind::ReduceScatter
        | CollectiveKind::AllGather
        | CollectiveKind::AllToAll
        | CollectiveKind::Permute(_)
        | CollectiveKind::Broadcast(_)
        | CollectiveKind::Reduce(_) => (algorithm.ranks, chunk * algorithm.ranks / servers),
    };
    let share = algorithm.room(server, chunk);
    algorithm.put(0, chunk, (0..workers).map(Place::input), share);
    for worker in (0..workers).filter(|&worker| worker != server) {
        algorithm.put(1, chunk, [share], Place::output(worker));
    }
}
