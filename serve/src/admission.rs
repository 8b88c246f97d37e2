//! Admission of connections: a limit for all clients, a limit per client, and a reserve for health checks beyond both.
//!
//! A connection beyond the limits is served from the reserve, where `GET /healthz` and `GET /metrics` are answered and
//! all other requests receive an error. A full reserve admits a new connection by closing its oldest one. Idle
//! connections therefore cannot block health checks, regardless of their number.

use std::collections::{BTreeMap, VecDeque};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot::{Receiver, Sender, channel};

/// Maximum number of connections in the reserve. A health check is answered within milliseconds, so that few are open
/// at once.
const RESERVE_CONNECTIONS: usize = 32;

/// Prefix length in bits that identifies the network of an IPv6 client. Clients choose the other bits.
const IPV6_NETWORK_BITS: u32 = 64;

/// Counts of open connections, and their limits.
pub(super) struct Admission {
    connections: usize,
    connections_per_client: usize,
    open: Arc<Mutex<OpenConnections>>,
}

#[derive(Default)]
struct OpenConnections {
    total: usize,
    by_client: BTreeMap<IpAddr, usize>,
    /// One sender per connection in the reserve, oldest first. Dropping a sender closes its connection.
    reserve: VecDeque<Sender<()>>,
}

/// Decision about a new connection.
pub(super) enum AdmissionDecision {
    /// The connection is within the limits.
    Served(ConnectionGuard),
    /// The connection exceeds a limit and is in the reserve, until the sender of the receiver is dropped.
    Reserved(ExceededLimit, Receiver<()>),
}

/// A limit that a connection exceeds, with its value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ExceededLimit {
    /// Maximum number of connections of all clients.
    Connections(usize),
    /// Maximum number of connections of one client.
    ConnectionsPerClient(usize),
}

/// A connection within the limits, which is counted until the guard is dropped.
pub(super) struct ConnectionGuard {
    client: IpAddr,
    open: Arc<Mutex<OpenConnections>>,
}

impl Admission {
    pub(super) fn new(connections: usize, connections_per_client: usize) -> Admission {
        Admission { connections, connections_per_client, open: Arc::default() }
    }

    /// Admits a connection from a client's address, within the limits or to the reserve.
    pub(super) fn admit(&self, address: IpAddr) -> AdmissionDecision {
        let client = client_of(address);
        let mut open = lock(&self.open);
        let exceeded = if open.by_client.get(&client).is_some_and(|&count| count >= self.connections_per_client) {
            ExceededLimit::ConnectionsPerClient(self.connections_per_client)
        } else if open.total >= self.connections {
            ExceededLimit::Connections(self.connections)
        } else {
            open.total += 1;
            *open.by_client.entry(client).or_default() += 1;
            return AdmissionDecision::Served(ConnectionGuard { client, open: self.open.clone() });
        };
        open.reserve.retain(|connection| !connection.is_closed());
        if open.reserve.len() >= RESERVE_CONNECTIONS {
            open.reserve.pop_front();
        }
        let (sender, displaced) = channel();
        open.reserve.push_back(sender);
        AdmissionDecision::Reserved(exceeded, displaced)
    }

    /// Returns the number of open connections within the limits.
    pub(super) fn count(&self) -> usize {
        lock(&self.open).total
    }
}

impl Drop for ConnectionGuard {
    fn drop(&mut self) {
        let mut open = lock(&self.open);
        open.total -= 1;
        if let Some(count) = open.by_client.get_mut(&self.client) {
            *count -= 1;
            if *count == 0 {
                open.by_client.remove(&self.client);
            }
        }
    }
}

fn lock(open: &Mutex<OpenConnections>) -> MutexGuard<'_, OpenConnections> {
    // The counts are consistent whenever the lock is free.
    open.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the client of an address: the IPv4 address, or the network of an IPv6 address.
fn client_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => address.into(),
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> IPV6_NETWORK_BITS << IPV6_NETWORK_BITS).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    fn guard(admission: &Admission, from: &str) -> Result<ConnectionGuard, ExceededLimit> {
        match admission.admit(address(from)) {
            AdmissionDecision::Served(guard) => Ok(guard),
            AdmissionDecision::Reserved(exceeded, _) => Err(exceeded),
        }
    }

    #[test]
    fn both_limits_count_open_connections() {
        let admission = Admission::new(3, 2);
        let first = guard(&admission, "10.0.0.1").unwrap();
        let second = guard(&admission, "::ffff:10.0.0.1").unwrap();
        assert_eq!(guard(&admission, "10.0.0.1").err(), Some(ExceededLimit::ConnectionsPerClient(2)));
        let other = guard(&admission, "10.0.0.2").unwrap();
        assert_eq!(guard(&admission, "10.0.0.3").err(), Some(ExceededLimit::Connections(3)));
        drop((first, other));
        let again = guard(&admission, "10.0.0.1").unwrap();
        assert_eq!(admission.count(), 2);
        drop((second, again));
        assert_eq!((admission.count(), lock(&admission.open).by_client.len()), (0, 0));
    }

    #[test]
    fn addresses_of_one_network_are_one_client() {
        let admission = Admission::new(10, 1);
        let _first = guard(&admission, "2001:db8:1:2::1").unwrap();
        assert!(guard(&admission, "2001:db8:1:2:ffff::9").is_err());
        assert!(guard(&admission, "2001:db8:1:3::1").is_ok());
    }

    #[test]
    fn the_oldest_connection_in_the_reserve_is_displaced() {
        let admission = Admission::new(0, 1);
        let admit = || match admission.admit(address("10.0.0.1")) {
            AdmissionDecision::Reserved(_, displaced) => displaced,
            AdmissionDecision::Served(_) => panic!("the limit is 0"),
        };
        let mut waiting: Vec<Receiver<()>> = (0..RESERVE_CONNECTIONS).map(|_| admit()).collect();
        // A closed connection frees its place in the reserve.
        waiting.remove(1);
        waiting.push(admit());
        assert!(
            waiting
                .iter_mut()
                .all(|displaced| displaced.try_recv() == Err(tokio::sync::oneshot::error::TryRecvError::Empty))
        );
        waiting.push(admit());
        let displaced: Vec<bool> = waiting
            .iter_mut()
            .map(|d| d.try_recv() == Err(tokio::sync::oneshot::error::TryRecvError::Closed))
            .collect();
        assert_eq!(displaced.iter().filter(|is| **is).count(), 1);
        assert!(displaced[0]);
    }
}
