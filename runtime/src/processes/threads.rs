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
    senders: Vec<Sender<Delivery>>,
    incoming: Mutex<Option<mpsc::Receiver<Delivery>>>,
    delivery: Mutex<Option<JoinHandle<()>>>,
}

impl ThreadWire {
    /// Returns the wires of `count` processes.
    pub fn connected(count: usize) -> Vec<ThreadWire> {
        let (senders, receivers): (Vec<_>, Vec<_>) = (0..count).map(|_| mpsc::channel()).unzip();
        let wire = |(index, incoming)| ThreadWire {
            index,
            senders: senders.clone(),
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
        self.senders.len()
    }

    fn local_count(&self) -> usize {
        self.senders.len()
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
        // A process that has ended receives no messages.
        let _ = self.senders[to].send(Some((self.index, message)));
    }

    fn finish(&self) {
        for to in (0..self.count()).filter(|&to| to != self.index) {
            self.send(to, Message::Finished);
        }
        let _ = self.senders[self.index].send(None);
        let delivery = self.delivery.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = delivery.filter(|delivery| delivery.thread().id() != std::thread::current().id()) {
            let _ = thread.join();
        }
    }
}
