//! Admission of connections: so many for all clients, so many for each client, and a reserve for health checks beyond
//! both.
//!
//! A connection beyond the limits is served from the reserve, where only `GET /healthz` and `GET /metrics` are
//! answered. The reserve never fills up: a new connection displaces the oldest one. So no number of idle connections
//! keeps a health check from its answer.

use std::collections::{BTreeMap, VecDeque};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot::{Receiver, Sender, channel};

/// Connections in the reserve. A health check is answered within milliseconds, so that few are under way at once.
const RESERVE: usize = 32;

/// Bits of an IPv6 address that name the client's network; the client chooses the others.
const NETWORK_BITS: u32 = 64;

/// Counts of open connections, and their limits.
pub(super) struct Admission {
    connections: usize,
    connections_per_client: usize,
    open: Arc<Mutex<Open>>,
}

#[derive(Default)]
struct Open {
    total: usize,
    by_client: BTreeMap<IpAddr, usize>,
    /// One for each connection in the reserve, oldest first. A connection whose sender is dropped is displaced.
    reserve: VecDeque<Sender<()>>,
}

/// The decision about a new connection.
pub(super) enum Admitted {
    /// A connection within the limits.
    Served(Seat),
    /// A connection beyond a limit, in the reserve until the receiver is notified.
    Reserved(Exceeded, Receiver<()>),
}

/// A limit that a connection exceeds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Exceeded {
    /// The limit for all clients.
    Connections(usize),
    /// The limit for each client.
    ConnectionsPerClient(usize),
}

/// A connection within the limits, counted until this is dropped.
pub(super) struct Seat {
    client: IpAddr,
    open: Arc<Mutex<Open>>,
}

impl Admission {
    pub(super) fn new(connections: usize, connections_per_client: usize) -> Admission {
        Admission { connections, connections_per_client, open: Arc::default() }
    }

    /// Admits a connection from an address.
    pub(super) fn admit(&self, address: IpAddr) -> Admitted {
        let client = client_of(address);
        let mut open = lock(&self.open);
        let exceeded = if open.by_client.get(&client).is_some_and(|&count| count >= self.connections_per_client) {
            Exceeded::ConnectionsPerClient(self.connections_per_client)
        } else if open.total >= self.connections {
            Exceeded::Connections(self.connections)
        } else {
            open.total += 1;
            *open.by_client.entry(client).or_default() += 1;
            return Admitted::Served(Seat { client, open: self.open.clone() });
        };
        open.reserve.retain(|connection| !connection.is_closed());
        if open.reserve.len() >= RESERVE {
            open.reserve.pop_front();
        }
        let (sender, displaced) = channel();
        open.reserve.push_back(sender);
        Admitted::Reserved(exceeded, displaced)
    }

    /// The number of connections within the limits.
    pub(super) fn count(&self) -> usize {
        lock(&self.open).total
    }
}

impl Drop for Seat {
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

fn lock(open: &Mutex<Open>) -> MutexGuard<'_, Open> {
    // The counts are consistent whenever the lock is free.
    open.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The client that an address belongs to.
fn client_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => address.into(),
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> NETWORK_BITS << NETWORK_BITS).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    fn seat(admission: &Admission, from: &str) -> Result<Seat, Exceeded> {
        match admission.admit(address(from)) {
            Admitted::Served(seat) => Ok(seat),
            Admitted::Reserved(exceeded, _) => Err(exceeded),
        }
    }

    #[test]
    fn both_limits_count_open_connections() {
        let admission = Admission::new(3, 2);
        let first = seat(&admission, "10.0.0.1").unwrap();
        let second = seat(&admission, "::ffff:10.0.0.1").unwrap();
        assert_eq!(seat(&admission, "10.0.0.1").err(), Some(Exceeded::ConnectionsPerClient(2)));
        let other = seat(&admission, "10.0.0.2").unwrap();
        assert_eq!(seat(&admission, "10.0.0.3").err(), Some(Exceeded::Connections(3)));
        drop((first, other));
        let again = seat(&admission, "10.0.0.1").unwrap();
        assert_eq!(admission.count(), 2);
        drop((second, again));
        assert_eq!((admission.count(), lock(&admission.open).by_client.len()), (0, 0));
    }

    #[test]
    fn addresses_of_one_network_are_one_client() {
        let admission = Admission::new(10, 1);
        let _first = seat(&admission, "2001:db8:1:2::1").unwrap();
        assert!(seat(&admission, "2001:db8:1:2:ffff::9").is_err());
        assert!(seat(&admission, "2001:db8:1:3::1").is_ok());
    }

    #[test]
    fn the_oldest_connection_in_the_reserve_is_displaced() {
        let admission = Admission::new(0, 1);
        let admit = || match admission.admit(address("10.0.0.1")) {
            Admitted::Reserved(_, displaced) => displaced,
            Admitted::Served(_) => panic!("there are no seats"),
        };
        let mut waiting: Vec<Receiver<()>> = (0..RESERVE).map(|_| admit()).collect();
        // One that has ended makes room.
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
