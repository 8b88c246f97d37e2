//! Sharded parameter server: each server reduces one chunk over all workers, and the workers copy the reduced chunks.
//!
//! Servers are dedicated ranks or a subset of the workers. With one link per server, N workers and M servers push
//! gradients in N g/(M BW) and pull weights in N w/(M BW) (Li et al. 2014,
//! <https://www.usenix.org/conference/osdi14/technical-sessions/presentation/li_mu>).

use crate::collective::{Algorithm, CollectiveKind, Place};

/// Appends the two steps of one of `servers` chunks, each of which has its own server.
pub(super) fn all_reduce(algorithm: &mut Algorithm, chunk: usize, servers: usize) {
    let (workers, server) = match algorithm.kind {
        CollectiveKind::ParameterServer(workers) => (workers, workers + chunk),
        // Distributes the servers evenly over the ranks, and thereby over the nodes.
        CollectiveKind::AllReduce
        | CollectiveKind::ReduceScatter
        | CollectiveKind::AllGather
        | CollectiveKind::AllToAll
        | CollectiveKind::Permute(_)
        | CollectiveKind::Broadcast(_)
        | CollectiveKind::Reduce(_) => (algorithm.ranks, chunk * algorithm.ranks / servers),
    };
    let share = algorithm.working_place(server, chunk);
    algorithm.push_transfer(0, chunk, (0..workers).map(Place::input), share);
    for worker in (0..workers).filter(|&worker| worker != server) {
        algorithm.push_transfer(1, chunk, [share], Place::output(worker));
    }
}
