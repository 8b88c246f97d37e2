//! Exchange of packets among some of the processes, outside of the runs of CPU devices.

use super::{PacketKey, PacketSink, Processes};
use crate::processes::payload::Payload;
use partita_ir::diag::Diagnostic;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Number of the run in the keys of these packets, which no run of CPU devices reaches.
const RUN: u64 = u64::MAX;

/// Longest time between two checks for failures and cancellation.
const CHECK_INTERVAL: Duration = Duration::from_millis(2);

/// Packets that have arrived, by position in the list of the other processes.
struct Arrivals {
    others: Vec<usize>,
    packets: Mutex<Vec<Option<Arc<Payload>>>>,
    changed: Condvar,
}

impl Arrivals {
    fn lock(&self) -> MutexGuard<'_, Vec<Option<Arc<Payload>>>> {
        self.packets.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PacketSink for Arrivals {
    fn accept(&self, from: usize, _: u64, payload: &Arc<Payload>) -> bool {
        let Some(position) = self.others.iter().position(|&other| other == from) else { return false };
        let mut packets = self.lock();
        let is_first = packets[position].replace(payload.clone()).is_none();
        self.changed.notify_all();
        is_first
    }

    fn close(&self) {}
}

impl Processes {
    /// Sends a packet to each of `others`, and returns the packet that each of them sends to this process, in order.
    /// The exchange has the same number on all of these processes, and no other exchange among them has it. `name` is a
    /// hash of the purpose: processes with different names fail. Returns `None` when `is_cancelled` returns true.
    ///
    /// # Errors
    /// `R005` when a process fails or is lost, or when the processes exchange packets for different purposes.
    pub fn exchange_packets(
        &self,
        (number, name): (u64, u64),
        others: &[usize],
        packet: &[u8],
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<Option<Vec<Arc<Payload>>>, Diagnostic> {
        let key = PacketKey { run: RUN, collective: number, name };
        let arrivals = Arc::new(Arrivals {
            others: others.to_vec(),
            packets: Mutex::new(vec![None; others.len()]),
            changed: Condvar::new(),
        });
        self.deliver(key, arrivals.clone());
        let payload = Arc::new(Payload::from_bytes(packet));
        others.iter().for_each(|&other| self.send_packet(other, key, 0, payload.clone()));
        let mut packets = arrivals.lock();
        let result = loop {
            if packets.iter().all(Option::is_some) {
                break Ok(Some(packets.iter().flatten().cloned().collect()));
            }
            if is_cancelled() {
                break Ok(None);
            }
            // Packets of a process arrive before the message that it has finished.
            let missing = others.iter().zip(&*packets).filter(|(_, packet)| packet.is_none());
            if let Err(failed) = self.inbox.check_running(missing.map(|(&other, _)| other)) {
                break Err(failed);
            }
            packets = arrivals.changed.wait_timeout(packets, CHECK_INTERVAL).unwrap_or_else(PoisonError::into_inner).0;
        };
        drop(packets);
        self.remove(key);
        result
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test")]

    use super::*;
    use crate::processes::threads::ThreadWire;
    use std::thread;

    /// Runs `work` on each of three processes, with its number.
    fn on_processes<R: Send>(work: impl Fn(usize, &Processes) -> R + Sync) -> Vec<R> {
        let wires = ThreadWire::connected(3);
        let (work, start) = (&work, |(index, wire): (usize, ThreadWire)| {
            (index, Processes::new(Arc::new(wire), Duration::from_secs(20)))
        });
        let processes: Vec<_> = wires.into_iter().enumerate().map(start).collect();
        thread::scope(|scope| {
            let run = |(index, processes): (usize, Arc<Processes>)| scope.spawn(move || work(index, &processes));
            let running: Vec<_> = processes.into_iter().map(run).collect();
            running.into_iter().map(|running| running.join().unwrap()).collect()
        })
    }

    #[test]
    fn some_processes_exchange_packets() {
        let results = on_processes(|index, processes| {
            let other = match index {
                0 => 2,
                2 => 0,
                _ => return Vec::new(),
            };
            let packets = processes.exchange_packets((7, 1), &[other], &[index as u8], &|| false).unwrap().unwrap();
            packets[0].as_bytes().to_vec()
        });
        assert_eq!(results, [vec![2], vec![], vec![0]]);
    }

    #[test]
    fn processes_that_have_finished_send_nothing() {
        let results = on_processes(|index, processes| {
            if index == 0 {
                processes.finish();
            }
            let others = if index == 2 { vec![] } else { vec![1 - index] };
            processes.exchange_packets((7, 1), &others, &[1], &|| index == 0).map_err(|error| error.title)
        });
        assert!(matches!(&results[1], Err(title) if title.contains("rank 0 has finished before the others")));
    }

    #[test]
    fn different_purposes_are_errors() {
        let results = on_processes(|index, processes| {
            let others: Vec<usize> = (0..3).filter(|&other| other != index).collect();
            let name = u64::from(index == 1);
            processes.exchange_packets((1, name), &others, &[], &|| false).err().map(|error| error.title)
        });
        assert!(results.iter().flatten().any(|title| title.contains("are at different collectives")), "{results:?}");
    }

    #[test]
    fn a_cancelled_exchange_ends() {
        let results = on_processes(|index, processes| {
            index > 0 || processes.exchange_packets((1, 1), &[1], &[], &|| true).unwrap().is_none()
        });
        assert_eq!(results, [true; 3]);
    }
}
