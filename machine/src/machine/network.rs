//! Measured network between ranks: processes that a launcher has started, and that exchange messages.
//!
//! Messages between ranks of one host and between ranks of different hosts have separate costs. The costs of a size are
//! interpolated linearly between measured sizes, since the duration of a message is nearly linear in its bytes.

/// Ranks for which a host was measured, and the costs of messages between them.
#[derive(Clone, PartialEq, Debug)]
pub struct RankNetwork {
    /// Transport of the messages.
    pub transport: RankTransport,
    /// Place of each rank.
    pub ranks: Vec<RankPlace>,
    /// Number of cores of each group of ranks that share cores.
    pub group_cores: Vec<usize>,
    /// Costs of messages between ranks of one host, in ascending order of size; empty if no two ranks share a host.
    pub local: Vec<MessageCost>,
    /// Costs of messages between ranks of different hosts, in ascending order of size; empty for a single host.
    pub remote: Vec<MessageCost>,
}

/// Transport between ranks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RankTransport {
    /// MPI. One thread of a rank handles all messages.
    Mpi,
    /// TCP connections, each with a thread that sends and one that receives.
    Tcp,
}

impl RankTransport {
    /// All transports.
    pub const ALL: [RankTransport; 2] = [RankTransport::Mpi, RankTransport::Tcp];

    /// Returns the name in machine files.
    pub const fn name(self) -> &'static str {
        match self {
            RankTransport::Mpi => "mpi",
            RankTransport::Tcp => "tcp",
        }
    }
}

/// Host and cores of a rank.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RankPlace {
    /// Number of the host.
    pub host: usize,
    /// Number of the group of ranks that share cores, such as those of several containers on one computer.
    pub core_group: usize,
}

/// Measured costs of messages of one size.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MessageCost {
    /// Bytes of the message.
    pub bytes: u64,
    /// Seconds from the start of sending to the end of receiving, without other messages.
    pub seconds: f64,
    /// Seconds of a core that each of sender and receiver takes.
    pub busy: f64,
    /// Seconds in which every rank sends one message and receives one, all at the same time.
    pub exchange: f64,
}

impl RankNetwork {
    /// Returns true if messages between two ranks do not leave their host.
    pub fn is_local(&self, from: usize, to: usize) -> bool {
        self.ranks[from].host == self.ranks[to].host
    }

    /// Returns the costs of a message between two ranks.
    pub fn message(&self, from: usize, to: usize, bytes: u64) -> MessageCost {
        interpolate(if self.is_local(from, to) { &self.local } else { &self.remote }, bytes)
    }

    /// Returns the bytes per second that a rank sends to another host while all ranks do; infinite without
    /// measurements.
    pub fn remote_rate(&self) -> f64 {
        self.remote.last().map_or(f64::INFINITY, |last| last.bytes as f64 / last.exchange)
    }

    /// Returns the numbers of ranks of all hosts, in the order of the hosts.
    pub fn ranks_of_hosts(&self) -> Vec<usize> {
        let hosts = self.ranks.iter().map(|place| place.host + 1).max().unwrap_or(0);
        let mut counts = vec![0; hosts];
        self.ranks.iter().for_each(|place| counts[place.host] += 1);
        counts
    }
}

/// Returns the costs of a message of `bytes` bytes. Below the smallest measured size its costs apply; beyond the
/// largest one, costs grow with the bytes. Zero without measurements.
fn interpolate(costs: &[MessageCost], bytes: u64) -> MessageCost {
    let above = costs.partition_point(|cost| cost.bytes < bytes);
    let (first, second, share) = match (above.checked_sub(1).and_then(|i| costs.get(i)), costs.get(above)) {
        (Some(below), Some(above)) => {
            (below, above, (bytes - below.bytes) as f64 / (above.bytes - below.bytes).max(1) as f64)
        }
        (None, Some(only)) => (only, only, 0.0),
        (Some(last), None) => {
            let times = bytes as f64 / last.bytes.max(1) as f64;
            let [seconds, busy, exchange] = [last.seconds, last.busy, last.exchange].map(|cost| cost * times);
            return MessageCost { bytes, seconds, busy, exchange };
        }
        (None, None) => return MessageCost { bytes, seconds: 0.0, busy: 0.0, exchange: 0.0 },
    };
    let between = |of: fn(&MessageCost) -> f64| of(first) + share * (of(second) - of(first));
    MessageCost {
        bytes,
        seconds: between(|cost| cost.seconds),
        busy: between(|cost| cost.busy),
        exchange: between(|cost| cost.exchange),
    }
}

#[cfg(test)]
mod tests {
    use super::{MessageCost, RankNetwork, RankPlace, RankTransport};

    #[test]
    fn messages_have_the_costs_of_their_scope_and_size() {
        let cost = |bytes, seconds| MessageCost { bytes, seconds, busy: seconds / 4.0, exchange: 2.0 * seconds };
        let place = |host| RankPlace { host, core_group: host };
        let network = RankNetwork {
            transport: RankTransport::Tcp,
            ranks: [0, 0, 1].map(place).to_vec(),
            group_cores: vec![4, 4],
            local: vec![cost(100, 1.0), cost(300, 3.0)],
            remote: vec![cost(100, 10.0)],
        };
        let seconds = |from, to, bytes| network.message(from, to, bytes).seconds;
        assert_eq!([1, 100, 200, 300, 600].map(|bytes| seconds(0, 1, bytes)), [1.0, 1.0, 2.0, 3.0, 6.0]);
        assert_eq!([seconds(1, 2, 50), seconds(2, 0, 200)], [10.0, 20.0]);
        assert_eq!(network.message(0, 1, 200), MessageCost { bytes: 200, seconds: 2.0, busy: 0.5, exchange: 4.0 });
        assert_eq!((network.remote_rate(), network.ranks_of_hosts()), (5.0, vec![2, 1]));
    }
}
