//! Hosts and cores of ranks.

use crate::error::Result;
use partita_ir::input_file::read_text;
use partita_machine::network::RankPlace;
use partita_runtime::processes::{Processes, host_name};
use partita_runtime::shared::cores;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Host and cores of a rank, as the rank sees them.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub(super) struct RankReport {
    /// Name of the host.
    pub(super) host: String,
    /// Number of ranks on the host, from the launcher.
    pub(super) local_count: usize,
    /// Identity of the running operating system, which containers and network namespaces share.
    pub(super) system: String,
    /// Cores that the process may use, as the operating system lists them, and their number.
    pub(super) allowed: String,
    pub(super) cores: usize,
}

impl RankReport {
    /// Returns the report of this process.
    fn new(local_count: usize) -> RankReport {
        let read = |path: &str| read_text(Path::new(path)).unwrap_or_default();
        let status = read("/proc/self/status");
        let allowed = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
        let host = host_name().unwrap_or_default();
        let system = match read("/proc/sys/kernel/random/boot_id").trim() {
            "" => host.clone(),
            id => id.to_owned(),
        };
        RankReport { host, local_count, system, allowed: allowed.unwrap_or_default().trim().to_owned(), cores: cores() }
    }
}

/// Returns the place of each rank, and the number of cores of each group of ranks that share cores.
///
/// # Errors
/// `R005` when another process fails.
pub(super) fn rank_places(processes: &Processes) -> Result<(Vec<RankPlace>, Vec<usize>)> {
    let own = serde_json::to_vec(&RankReport::new(processes.local_count())).unwrap_or_default();
    let all = processes.all_gather(&own)?;
    let unreadable = RankReport::new(1);
    let reports: Vec<RankReport> =
        all.iter().map(|bytes| serde_json::from_slice(bytes).unwrap_or_else(|_| unreadable.clone())).collect();
    Ok(places_of(&reports))
}

/// Returns the place of each rank, and the number of cores of each group.
///
/// Ranks of one host have the same host name. If their launcher counts fewer ranks on the host, they are in blocks of
/// as many consecutive ranks, such as network namespaces. Ranks on one operating system share cores. Those that
/// launchers bind to different cores have the sum of them.
fn places_of(reports: &[RankReport]) -> (Vec<RankPlace>, Vec<usize>) {
    let (mut hosts, mut systems): (Vec<(&str, usize)>, Vec<&str>) = Default::default();
    let mut places = Vec::new();
    for (rank, report) in reports.iter().enumerate() {
        let earlier = reports[..rank].iter().filter(|other| other.host == report.host).count();
        let host = (report.host.as_str(), earlier / report.local_count.max(1));
        places.push(RankPlace { host: number(&mut hosts, host), core_group: number(&mut systems, &report.system) });
    }
    let cores = systems.iter().map(|system| {
        let mut distinct: Vec<(&str, usize)> = Vec::new();
        for RankReport { allowed, cores, .. } in reports.iter().filter(|report| report.system == *system) {
            if !distinct.iter().any(|(known, _)| known == allowed) {
                distinct.push((allowed, *cores));
            }
        }
        distinct.iter().map(|(_, cores)| cores).sum()
    });
    let cores = cores.collect();
    (places, cores)
}

/// Returns the index of an element, which is added if it is not in the list.
fn number<T: PartialEq>(all: &mut Vec<T>, element: T) -> usize {
    all.iter().position(|known| *known == element).unwrap_or_else(|| {
        all.push(element);
        all.len() - 1
    })
}

#[cfg(test)]
mod tests {
    use super::{RankReport, places_of};

    fn report(host: &str, local_count: usize, system: &str, allowed: &str, cores: usize) -> RankReport {
        let [host, system, allowed] = [host, system, allowed].map(str::to_owned);
        RankReport { host, local_count, system, allowed, cores }
    }

    fn places(reports: &[RankReport]) -> (Vec<(usize, usize)>, Vec<usize>) {
        let (places, cores) = places_of(reports);
        (places.iter().map(|place| (place.host, place.core_group)).collect(), cores)
    }

    #[test]
    fn ranks_are_placed_on_hosts_in_any_order() {
        let hosts = ["a", "b", "a", "b"].map(|host| report(host, 2, host, "0-3", 4));
        assert_eq!(places(&hosts), (vec![(0, 0), (1, 1), (0, 0), (1, 1)], vec![4, 4]));
    }

    #[test]
    fn network_namespaces_are_hosts_that_share_cores() {
        let namespaces = [(); 4].map(|()| report("a", 1, "id", "0-1", 2));
        assert_eq!(places(&namespaces), (vec![(0, 0), (1, 0), (2, 0), (3, 0)], vec![2]));
    }

    #[test]
    fn bound_ranks_have_cores_of_their_own() {
        let bound = [report("a", 2, "a", "0", 1), report("a", 2, "a", "1", 1)];
        assert_eq!(places(&bound), (vec![(0, 0), (0, 0)], vec![2]));
    }
}
