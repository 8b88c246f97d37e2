//! Signs of life: a process that is stopped, or whose host has failed, sends none and is lost.

use super::inbox::Inbox;
use super::wire::{Message, Receiver, Wire};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Longest time between signs of life.
const MAX_INTERVAL: Duration = Duration::from_secs(1);

/// Thread that sends signs of life and notices their absence.
pub(super) struct Heartbeat {
    stop: Mutex<Option<(Sender<()>, JoinHandle<()>)>>,
}

impl Heartbeat {
    /// Starts the thread. A process that is silent for `longest_silence` is lost.
    pub(super) fn start(wire: Arc<dyn Wire>, inbox: Arc<Inbox>, longest_silence: Duration) -> Heartbeat {
        let (stop, stopped) = mpsc::channel();
        let interval = MAX_INTERVAL.min(longest_silence / 4);
        let thread = std::thread::spawn(move || {
            let mut woken = Instant::now();
            while stopped.recv_timeout(interval) == Err(RecvTimeoutError::Timeout) {
                // After this process was stopped itself, its silence with the others says nothing about them.
                if woken.elapsed() > interval + longest_silence / 2 {
                    inbox.hear_all();
                }
                woken = Instant::now();
                let others = (0..wire.count()).filter(|&other| other != wire.index());
                others.for_each(|other| wire.send(other, Message::Alive));
                for process in inbox.silent_for(longest_silence) {
                    inbox.lose(process, &format!("no sign of life for {longest_silence:?}"));
                }
            }
        });
        Heartbeat { stop: Mutex::new(Some((stop, thread))) }
    }

    /// Ends the thread: this process sends no further message.
    pub(super) fn stop(&self) {
        let running = self.stop.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some((stop, thread)) = running {
            drop(stop);
            if thread.thread().id() != std::thread::current().id() {
                let _ = thread.join();
            }
        }
    }
}
