//! Assembly of a global tensor from the shards of several processes.

use crate::memory::Buffer;
use crate::processes::Processes;
use crate::scatter::{first_replica, gather_shards};
use partita_ir::diag::{Code as ErrorCode, Diagnostic};
use partita_ir::mesh::DeviceMesh;
use partita_ir::program::Value;
use partita_ir::tensor::Tensor;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

/// Returns the global tensor of a value, on every process. All processes call the function. `shards` has one buffer for
/// each device of the mesh, which is ignored for devices of other processes; `process_of` returns the process of a
/// device of the mesh. The process with the first replica of a shard sends it to the processes without one, and its
/// checksum to the others.
///
/// # Errors
/// `R003` when replicas of a shard differ, `R005` when another process fails.
pub fn gather_across(
    shards: &[Arc<Buffer>],
    (value, mesh, name): (&Value, &Arc<DeviceMesh>, &str),
    processes: &Processes,
    process_of: &dyn Fn(usize) -> usize,
) -> Result<Tensor, Diagnostic> {
    let (own, count) = (processes.index(), processes.count());
    let first = (0..shards.len()).map(|rank| first_replica(value.layout.as_deref(), mesh, rank));
    let first: &[usize] = &first.collect::<Vec<_>>();
    let replica_in = |process: usize, shard: usize| {
        (shard..shards.len()).find(|&position| first[position] == shard && process_of(position) == process)
    };
    let sends = |process: usize| (0..shards.len()).filter(move |&p| first[p] == p && process_of(p) == process);
    let message = |to: usize| match to == own {
        true => Vec::new(),
        false => sends(own).fold(Vec::new(), |mut message, shard| {
            let bytes = shards[shard].as_slice();
            match replica_in(to, shard) {
                Some(_) => message.extend_from_slice(&xxh3_64(bytes).to_le_bytes()),
                None => message.extend_from_slice(bytes),
            }
            message
        }),
    };
    let received = processes.exchange((0..count).map(message).collect())?;
    let mut unread: Vec<&[u8]> = received.iter().map(Vec::as_slice).collect();
    let mut all: Vec<Arc<Buffer>> = Vec::with_capacity(shards.len());
    for position in 0..shards.len() {
        let (shard, process) = (first[position], process_of(position));
        let replica = replica_in(own, shard);
        if shard == position && process != own {
            let length = replica.map_or(value.local_type().bytes() as usize, |_| size_of::<u64>());
            let Some((bytes, rest)) = unread[process].split_at_checked(length) else {
                let title = format!("rank {process} has no shard of `{name}`");
                return Err(Diagnostic::new(ErrorCode::R005, title));
            };
            unread[process] = rest;
            match replica {
                None => {
                    all.push(Arc::new(Buffer::from_bytes(bytes)));
                    continue;
                }
                Some(replica) if xxh3_64(shards[replica].as_slice()).to_le_bytes() != bytes => {
                    let title = format!("replicas of a shard of `{name}` differ in ranks {process} and {own}");
                    return Err(Diagnostic::new(ErrorCode::R003, title));
                }
                Some(_) => {}
            }
        }
        all.push(match (process == own, replica) {
            (true, _) => shards[position].clone(),
            (false, Some(replica)) => shards[replica].clone(),
            (false, None) => all[shard].clone(),
        });
    }
    gather_shards(&all, value, mesh, name)
}
