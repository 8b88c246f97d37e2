//! Measurement of messages between ranks: programs of `permute`s and `all_reduce`s on one device of each rank, which
//! use the packets and threads of every execution.

use super::gather::gather_numbers;
use super::probes::Probe;
use super::{CalibrationEffort, MeasuredProbe};
use crate::error::Result;
use partita_cpu::Cpu;
use partita_ir::verify::{Local, Verified};
use partita_machine::host::Host;
use partita_machine::network::{MessageCost, RankNetwork, RankPlace};
use partita_runtime::backend::Backend;
use partita_runtime::processes::{Processes, cpu_seconds};
use std::sync::Arc;
use std::time::Instant;

/// Bytes of the measured messages.
const MESSAGE_BYTES: [u64; 9] = [64, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20, 32 << 20];

/// Bytes of the operands of the measured sums.
const SUM_BYTES: [u64; 3] = [4 << 10, 256 << 10, 8 << 20];

/// Target duration of a run in seconds: long enough that the time of starting it hardly matters, and short enough that
/// other programs on the machine do not interrupt every run.
const TARGET_RUN_SECONDS: f64 = 1e-3;

/// Maximum number of iterations in a run.
const MAX_ITERATIONS: f64 = 64.0;

/// Seconds in which each program runs repeatedly, and the minimum number of runs. The fastest counts.
const PROGRAM_SECONDS: f64 = 0.4;
const QUICK_PROGRAM_SECONDS: f64 = 0.05;
const MIN_MESSAGE_RUNS: usize = 4;

/// Shortest time that is attributed to two messages, in seconds, because clocks are inexact.
const MIN_SECONDS: f64 = 1e-7;

/// Measured sum over all ranks, compared with its prediction.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MeasuredSum {
    /// Bytes of the operand of each rank.
    pub bytes: u64,
    /// Measured seconds.
    pub measured: f64,
    /// Predicted seconds.
    pub predicted: f64,
}

/// Programs of one scope: ranks of one host, or of different hosts.
struct Scope {
    /// Two ranks that send each other messages while the others are idle.
    pair: (usize, usize),
    /// Pairs of a sender and a receiver, which send messages at the same time.
    exchange: Vec<(usize, usize)>,
}

/// Measures the messages between all ranks. `host` has the measured costs of a rank.
pub(super) fn measure_messages(
    processes: &Arc<Processes>,
    host: &Host,
    (ranks, group_cores): (Vec<RankPlace>, Vec<usize>),
    effort: CalibrationEffort,
    next: &mut dyn FnMut(&str),
) -> Result<(RankNetwork, Vec<MeasuredSum>)> {
    let transport = processes.transport();
    let (local_scope, remote_scope) = (local_scope(&ranks), remote_scope(&ranks));
    let free = RankNetwork { transport, ranks, group_cores, local: Vec::new(), remote: Vec::new() };
    let is_quick = effort.size_stride > 1;
    let bench = Bench { processes, seconds: if is_quick { QUICK_PROGRAM_SECONDS } else { PROGRAM_SECONDS } };
    let count = free.ranks.len();
    let sizes = &MESSAGE_BYTES[..MESSAGE_BYTES.len() - usize::from(is_quick)];
    let mut messages = |scope: Option<Scope>, between: &str| -> Result<Vec<MessageCost>> {
        let Some(scope) = scope else { return Ok(Vec::new()) };
        let cost = |&bytes: &u64| {
            next(&format!("messages between {between}, {}", partita_ir::units::format_bytes(bytes)));
            bench.message_cost(&scope, count, bytes)
        };
        sizes.iter().map(cost).collect()
    };
    let local = messages(local_scope, "ranks of one host")?;
    let remote = messages(remote_scope, "hosts")?;
    let network = RankNetwork { local, remote, ..free };
    next("sums over all ranks");
    let complete = Host { ranks: Some(network.clone()), ..host.clone() };
    let sum = |&bytes: &u64| {
        let ran = bench.run(&Probe::of_all_reduce(count, bytes as usize / 4))?;
        let trip = ran.probe.probe.trip as f64;
        let predicted = ran.probe.predicted_seconds(&complete) / trip;
        Ok(MeasuredSum { bytes, measured: ran.seconds, predicted })
    };
    let sums = SUM_BYTES.iter().map(sum).collect::<Result<_>>()?;
    Ok((network, sums))
}

/// Returns the scope of ranks of one host; `None` if no two ranks share a host.
fn local_scope(ranks: &[RankPlace]) -> Option<Scope> {
    let ring = |of: &Vec<usize>| (0..of.len()).map(|i| (of[i], of[(i + 1) % of.len()])).collect::<Vec<_>>();
    let hosts = ranks_by_host(ranks);
    let exchange: Vec<(usize, usize)> = hosts.iter().filter(|of| of.len() > 1).flat_map(ring).collect();
    Some(Scope { pair: *exchange.first()?, exchange })
}

/// Returns the scope of ranks of different hosts; `None` for one host. Each rank sends to the rank with the same number
/// on the next host.
fn remote_scope(ranks: &[RankPlace]) -> Option<Scope> {
    let hosts = ranks_by_host(ranks);
    let mut exchange = Vec::new();
    for (host, of) in hosts.iter().enumerate() {
        let next = &hosts[(host + 1) % hosts.len()];
        exchange.extend(of.iter().zip(next).map(|(&from, &to)| (from, to)));
    }
    if hosts.len() > 1 { Some(Scope { pair: *exchange.first()?, exchange }) } else { None }
}

fn ranks_by_host(ranks: &[RankPlace]) -> Vec<Vec<usize>> {
    let mut hosts = vec![Vec::new(); ranks.iter().map(|place| place.host + 1).max().unwrap_or(0)];
    ranks.iter().enumerate().for_each(|(rank, place)| hosts[place.host].push(rank));
    hosts
}

/// Measurement of programs on one device of each rank.
struct Bench<'p> {
    processes: &'p Arc<Processes>,
    /// Seconds in which each program runs repeatedly.
    seconds: f64,
}

/// Program that has run on all ranks.
struct Measured {
    probe: MeasuredProbe,
    /// Seconds of an iteration in the fastest run, of the slowest rank.
    seconds: f64,
    /// Seconds of an iteration that each rank computes.
    busy: Vec<f64>,
}

impl Bench<'_> {
    /// Measures messages of one size.
    fn message_cost(&self, scope: &Scope, count: usize, bytes: u64) -> Result<MessageCost> {
        let n = bytes as usize / 4;
        let (from, to) = scope.pair;
        let alone = self.run(&Probe::of_permutes(count, n, &[vec![(from, to)], vec![(to, from)]]))?;
        let together = self.run(&Probe::of_permutes(count, n, std::slice::from_ref(&scope.exchange)))?;
        // Iterations without messages have the time of the loop and of the tasks.
        let without = self.run(&Probe::of_permutes(count, n, &[Vec::new()]))?.seconds;
        let seconds = 0.5 * (alone.seconds - without).max(MIN_SECONDS);
        // Each rank sends one message and receives one.
        let senders = scope.exchange.iter().map(|&(from, _)| together.busy[from]);
        let busy = senders.sum::<f64>() / scope.exchange.len() as f64;
        let busy = 0.5 * (busy - without).max(MIN_SECONDS);
        Ok(MessageCost { bytes, seconds, busy, exchange: together.seconds })
    }

    /// Measures a program. All ranks choose the number of iterations of the first.
    fn run(&self, probe: &Probe) -> Result<Measured> {
        let processes = self.processes;
        let compile = |local: Verified<'_, Local>| Ok(Cpu.compile_on(local, processes.clone())?);
        let mut first = MeasuredProbe::new(probe.clone(), &compile)?;
        first.session.run(&[])?;
        let started = first.session.seconds();
        first.session.run(&[])?;
        let seconds = started.min(first.session.seconds()) / first.probe.trip as f64;
        let trip = (TARGET_RUN_SECONDS / seconds).clamp(1.0, MAX_ITERATIONS);
        let trip = gather_numbers(processes, &[trip])?[0][0].max(1.0).floor();
        let mut probe = MeasuredProbe::new(probe.clone().with_trip_count(trip as u64), &compile)?;
        let (mut fastest, mut busy, mut runs) = (f64::INFINITY, Vec::new(), 0);
        let started = Instant::now();
        loop {
            let before = cpu_seconds();
            probe.session.run(&[])?;
            let computed = cpu_seconds().zip(before).map_or(0.0, |(after, before)| after - before);
            let own = [probe.session.seconds(), computed / trip, started.elapsed().as_secs_f64()];
            let all = gather_numbers(self.processes, &own)?;
            let seconds = all.iter().map(|of| of[0]).fold(0.0, f64::max);
            if seconds < fastest {
                (fastest, busy) = (seconds, all.iter().map(|of| of[1]).collect());
            }
            runs += 1;
            // The clock of the first rank ends the loop on all of them.
            if runs >= MIN_MESSAGE_RUNS && all[0][2] > self.seconds {
                break;
            }
        }
        Ok(Measured { probe, seconds: fastest / trip, busy })
    }
}

#[cfg(test)]
mod tests {
    use super::{local_scope, remote_scope};
    use partita_machine::network::RankPlace;

    #[test]
    fn every_rank_sends_to_a_rank_of_its_scope() {
        let ranks = [0, 0, 1, 1, 0].map(|host| RankPlace { host, core_group: host });
        let local = local_scope(&ranks).unwrap();
        assert_eq!((local.pair, local.exchange), ((0, 1), vec![(0, 1), (1, 4), (4, 0), (2, 3), (3, 2)]));
        let remote = remote_scope(&ranks).unwrap();
        assert_eq!((remote.pair, remote.exchange), ((0, 2), vec![(0, 2), (1, 3), (2, 0), (3, 1)]));
        assert!(remote_scope(&ranks[..2]).is_none() && local_scope(&ranks[1..3]).is_none());
    }
}
