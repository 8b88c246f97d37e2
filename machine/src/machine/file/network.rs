//! Parser of the table `host.ranks` of a machine file, the measured network between ranks.
//!
//! ```toml
//! [host.ranks]
//! transport = "tcp"              # or "mpi"
//! hosts = [0, 0, 1, 1]           # host of each rank
//! core_groups = [0, 0, 1, 1]     # ranks of one group share cores
//! cores = [2, 2]                 # of each group
//! local = [{ bytes = "64B", seconds = "20us", busy = "8us", exchange = "25us" }]    # between ranks of one host
//! remote = [{ bytes = "64B", seconds = "50us", busy = "9us", exchange = "55us" }]   # between ranks of different hosts
//! ```

use super::{File, Text};
use crate::network::{MessageCost, RankNetwork, RankPlace, RankTransport};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::units::parse_bytes;
use serde::Deserialize;
use toml::Spanned;

/// Maximum number of ranks.
const MAX_RANKS: usize = 1 << 16;

/// Table `host.ranks` as deserialised.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RanksRecord {
    transport: Text,
    hosts: Spanned<Vec<usize>>,
    core_groups: Spanned<Vec<usize>>,
    cores: Spanned<Vec<usize>>,
    #[serde(default)]
    local: Vec<MessageRecord>,
    #[serde(default)]
    remote: Vec<MessageRecord>,
}

/// Element of `local` or `remote` as deserialised.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MessageRecord {
    bytes: Text,
    seconds: Text,
    busy: Text,
    exchange: Text,
}

impl File<'_> {
    /// Converts the table. Errors: lists of different lengths, gaps in the numbers of hosts or groups, sizes that are
    /// not ascending, and missing measurements.
    pub(super) fn parse_ranks(&self, record: Spanned<RanksRecord>) -> Result<RankNetwork, Diagnostic> {
        let table = record.span();
        let record = record.into_inner();
        let transport = RankTransport::ALL.into_iter().find(|known| known.name() == record.transport.get_ref());
        let unknown = || {
            let title = format!("`{}` is not a transport between ranks", record.transport.get_ref());
            self.error(Code::H001, title, &record.transport).help("write `mpi` or `tcp`")
        };
        let transport = transport.ok_or_else(unknown)?;
        let (hosts, groups) = (record.hosts.get_ref(), record.core_groups.get_ref());
        if hosts.is_empty() || hosts.len() > MAX_RANKS || hosts.len() != groups.len() {
            let title = format!(
                "{} hosts and {} core groups are listed, but both need one number for each of 1 to {MAX_RANKS} ranks",
                hosts.len(),
                groups.len()
            );
            return Err(self.wrong(Code::H002, title, record.core_groups.span()));
        }
        self.check_numbers(&record.hosts, "host")?;
        self.check_numbers(&record.core_groups, "core group")?;
        let (group_cores, count) = (record.cores.get_ref().clone(), 1 + groups.iter().max().copied().unwrap_or(0));
        if group_cores.len() != count || group_cores.iter().any(|cores| !(1..=1 << 12).contains(cores)) {
            let title =
                format!("`cores` needs a number from 1 to 4096 for each core group, of which there are {count}");
            return Err(self.wrong(Code::H002, title, record.cores.span()));
        }
        let ranks = hosts.iter().zip(groups).map(|(&host, &core_group)| RankPlace { host, core_group }).collect();
        let (local, remote) = (self.parse_messages(&record.local)?, self.parse_messages(&record.remote)?);
        let network = RankNetwork { transport, ranks, group_cores, local, remote };
        let counts = network.ranks_of_hosts();
        let missing = |key: &str, between: &str| {
            let title = format!("the table of ranks lacks the costs `{key}` of messages between ranks of {between}");
            Err(self.wrong(Code::H002, title, table.clone()).help("run `partita calibrate` on these ranks"))
        };
        match () {
            () if counts.iter().any(|&count| count > 1) && network.local.is_empty() => missing("local", "one host"),
            () if counts.len() > 1 && network.remote.is_empty() => missing("remote", "different hosts"),
            () => Ok(network),
        }
    }

    /// Returns an error unless the numbers of a list are 0, 1, ... without gaps.
    fn check_numbers(&self, list: &Spanned<Vec<usize>>, what: &str) -> Result<(), Diagnostic> {
        let numbers = list.get_ref();
        let count = numbers.iter().max().map_or(0, |&last| last.saturating_add(1));
        match (0..count.min(numbers.len() + 1)).find(|number| !numbers.contains(number)) {
            None => Ok(()),
            Some(absent) => {
                let title = format!("{what} {absent} has no rank, but {what} {} has one", count - 1);
                Err(self.wrong(Code::H002, title, list.span()).help(format!("number each {what} from 0 on")))
            }
        }
    }

    fn parse_messages(&self, records: &[MessageRecord]) -> Result<Vec<MessageCost>, Diagnostic> {
        let mut costs: Vec<MessageCost> = Vec::new();
        for record in records {
            let bytes = parse_bytes(record.bytes.get_ref()).filter(|n| *n > 0);
            let bytes = bytes
                .ok_or_else(|| self.invalid_amount(&record.bytes, "a positive number of bytes, such as 512KiB"))?;
            if costs.last().is_some_and(|last| last.bytes >= bytes) {
                let title = format!("`{}` is not larger than the previous size", record.bytes.get_ref());
                return Err(self.error(Code::H002, title, &record.bytes));
            }
            let [seconds, busy, exchange] = [&record.seconds, &record.busy, &record.exchange];
            costs.push(MessageCost {
                bytes,
                seconds: self.parse_seconds(seconds)?,
                busy: self.parse_seconds(busy)?,
                exchange: self.parse_seconds(exchange)?,
            });
        }
        Ok(costs)
    }
}
