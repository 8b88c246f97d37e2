//! Wire between threads of one process, which tests programs on several processes without starting any.

use super::wire::{Message, Receiver, Wire};
use partita_machine::network::RankTransport;
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// Sender and message; `None` ends the delivery.
type Delivery = Option<(usize, Message)>;

/// Wire of one of several threads that act as processes.
pub struct ThreadWire {
    index: usize,
    count: usize,
    /// Senders to all processes; empty after [`Wire::finish`], which ends the connection.
    senders: Mutex<Vec<Sender<Delivery>>>,
    incoming: Mutex<Option<mpsc::Receiver<Delivery>>>,
    delivery: Mutex<Option<JoinHandle<()>>>,
}

impl ThreadWire {
    /// Returns the wires of `count` processes.
    pub fn connected(count: usize) -> Vec<ThreadWire> {
        let (senders, receivers): (Vec<_>, Vec<_>) = (0..count).map(|_| mpsc::channel()).unzip();
        let wire = |(index, incoming)| ThreadWire {
            index,
            count,
            senders: Mutex::new(senders.clone()),
            incoming: Mutex::new(Some(incoming)),
            delivery: Mutex::new(None),
        };
        receivers.into_iter().enumerate().map(wire).collect()
    }
}

impl Wire for ThreadWire {
    fn index(&self) -> usize {
        self.index
    }

    fn count(&self) -> usize {
        self.count
    }

    fn local_count(&self) -> usize {
        self.count
    }

    fn transport(&self) -> RankTransport {
        RankTransport::Tcp
    }

    fn start(&self, receiver: Arc<dyn Receiver>) {
        let incoming = self.incoming.lock().unwrap_or_else(PoisonError::into_inner).take();
        let deliver = move || {
            for received in incoming.into_iter().flatten() {
                let Some((from, message)) = received else { return };
                receiver.receive(from, message);
            }
        };
        *self.delivery.lock().unwrap_or_else(PoisonError::into_inner) = Some(std::thread::spawn(deliver));
    }

    fn send(&self, to: usize, message: Message) {
        if let Some(sender) = self.senders.lock().unwrap_or_else(PoisonError::into_inner).get(to) {
            // A process that has ended receives no messages.
            let _ = sender.send(Some((self.index, message)));
        }
    }

    fn finish(&self) {
        // No message follows that of the end.
        let senders = std::mem::take(&mut *self.senders.lock().unwrap_or_else(PoisonError::into_inner));
        for (to, sender) in senders.iter().enumerate() {
            let last = (to != self.index).then_some((self.index, Message::Finished));
            let _ = sender.send(last);
        }
        let delivery = self.delivery.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = delivery.filter(|delivery| delivery.thread().id() != std::thread::current().id()) {
            let _ = thread.join();
        }
    }
}
