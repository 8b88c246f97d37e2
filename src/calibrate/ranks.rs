//! Calibration of ranks: all of them measure at the same time, since those of one host share its cores and its memory,
//! and then send each other messages.

use super::gather::gather_numbers;
use super::messages::{MeasuredSum, measure_messages};
use super::places::rank_places;
use super::{CONVERGED_SHARE, CalibrationEffort, HostLink, ProbeSet, last_rate, machine_from_host};
use crate::error::Result;
use partita_machine::Machine;
use partita_machine::host::{Cost, Host};
use partita_machine::network::RankPlace;
use partita_runtime::processes::Processes;
use partita_runtime::shared::cores;
use std::sync::Arc;

/// Measures the ranks of a launcher and the network between them. Must be called by all ranks. Reports progress to
/// `next`. Returns the machine, and sums over all ranks with their predictions.
///
/// # Errors
/// `R005` when another rank fails; errors of running the probes.
pub fn calibrate_ranks(
    processes: &Arc<Processes>,
    effort: CalibrationEffort,
    next: &mut dyn FnMut(&str),
) -> Result<(Machine, Vec<MeasuredSum>)> {
    let (places, group_cores) = rank_places(processes)?;
    let own = (cores() / processes.local_count()).max(1);
    next("durations of probes");
    let mut all = ProbeSet::new(own, effort)?;
    for round in 1..=effort.max_rounds {
        next(&format!("all probes, round {round}"));
        let faster = all.run(effort.probe_time)?;
        let faster = gather_numbers(processes, &[faster])?.iter().map(|of| of[0]).fold(0.0, f64::max);
        if round >= effort.min_rounds && faster < CONVERGED_SHARE {
            break;
        }
    }
    combine(&mut all, processes, &places)?;
    let mut host = all.fit_host();
    let group_ranks = places.iter().filter(|place| place.core_group == places[0].core_group).count();
    host.memory.iter_mut().for_each(|(bytes, _)| *bytes *= group_ranks as u64);
    let (network, sums) = measure_messages(processes, &host, (places, group_cores), effort, next)?;
    let scopes = [&network.local, &network.remote];
    let rate = scopes.into_iter().filter_map(|costs| costs.last()).map(|cost| cost.bytes as f64 / cost.exchange);
    let latency = scopes.into_iter().filter_map(|costs| costs.first()).map(|cost| cost.seconds);
    let link = HostLink {
        bandwidth: rate.fold(last_rate(&host), f64::min),
        latency: latency.fold(host.cost(Cost::Arrival), f64::max),
    };
    Ok((machine_from_host(Host { ranks: Some(network), ..host }, link), sums))
}

/// Replaces the duration of each probe by that of all ranks: the median of the ranks of a host, and the longest of all
/// hosts, for which the others wait.
fn combine(all: &mut ProbeSet, processes: &Processes, places: &[RankPlace]) -> Result<()> {
    let mut probes = all.probes();
    let own: Vec<f64> = probes.iter().map(|probe| probe.iteration_seconds()).collect();
    let ranks = gather_numbers(processes, &own)?;
    let hosts = places.iter().map(|place| place.host + 1).max().unwrap_or(1);
    for (number, probe) in probes.iter_mut().enumerate() {
        let of_host = |host: usize| {
            let of_host = ranks.iter().zip(places).filter(|(_, place)| place.host == host);
            median(of_host.map(|(seconds, _)| seconds[number]).collect())
        };
        let slowest = (0..hosts).map(of_host).fold(0.0, f64::max);
        probe.seconds = slowest * probe.probe.trip as f64;
    }
    Ok(())
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(0.0)
}
