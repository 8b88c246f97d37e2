//! Wire over an MPI library that is loaded at run time.
//!
//! All calls of MPI are made by one thread, which also makes progress while other threads compute: MPI itself does not.

mod abi;
mod library;
mod progress;

use crate::launcher::Launched;
pub use library::{Library, MpiVersion};
use partita_ir::diag::{Code, Diagnostic};
use partita_machine::network::RankTransport;
use partita_runtime::processes::wire::{Message, Receiver, Wire};
use progress::Progress;
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// Command to the thread that calls MPI.
enum Command {
    Start(Arc<dyn Receiver>),
    Send(usize, Message),
    Finish,
}

/// Ranks of an MPI library.
pub struct MpiWire {
    index: usize,
    count: usize,
    local_count: usize,
    version: MpiVersion,
    commands: Sender<Command>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl MpiWire {
    /// Loads MPI, initialises it, and connects all ranks.
    ///
    /// # Errors
    /// `R005` when no MPI library is found, or it has another number of ranks than the launcher.
    pub fn connect(launched: Option<&Launched>) -> Result<MpiWire, Diagnostic> {
        let (commands, queue) = mpsc::channel();
        let (ready, started) = mpsc::channel();
        let launcher = launched.map(|launched| launched.launcher);
        let thread = std::thread::Builder::new().name("mpi".to_owned()).spawn(move || match Library::open(launcher) {
            Ok(library) => Progress::run(&library, &queue, &ready),
            Err(why) => drop(ready.send(Err(why))),
        });
        let thread = thread.map_err(|why| Diagnostic::new(Code::R005, format!("no thread can be started: {why}")))?;
        let ended = |_| Diagnostic::new(Code::R005, "the MPI library ended the thread that initialised it");
        let (index, count, version) = started.recv().map_err(ended)??;
        let wire = MpiWire {
            index,
            count,
            local_count: launched.map_or(1, |launched| launched.local_count),
            version,
            commands,
            thread: Mutex::new(Some(thread)),
        };
        match launched {
            Some(launched) if launched.count != count => Err(wire.mismatch(launched)),
            _ => Ok(wire),
        }
    }

    /// Returns the error for a library that does not know the launcher: each process is a world of its own.
    fn mismatch(&self, launched: &Launched) -> Diagnostic {
        let MpiVersion { path, text, .. } = &self.version;
        let title = format!(
            "{} started {} ranks, but the MPI library {path} knows {}",
            launched.launcher, launched.count, self.count
        );
        Diagnostic::new(Code::R005, title)
            .note(format!("the library is {text}"))
            .help(format!("set `{}` to the library of the launcher", library::PATH_VARIABLE))
    }
}

impl Wire for MpiWire {
    fn index(&self) -> usize {
        self.index
    }

    fn count(&self) -> usize {
        self.count
    }

    fn local_count(&self) -> usize {
        self.local_count
    }

    fn transport(&self) -> RankTransport {
        RankTransport::Mpi
    }

    fn start(&self, receiver: Arc<dyn Receiver>) {
        let _ = self.commands.send(Command::Start(receiver));
    }

    fn send(&self, to: usize, message: Message) {
        // After an error the thread has ended, and has reported it.
        let _ = self.commands.send(Command::Send(to, message));
    }

    fn finish(&self) {
        let _ = self.commands.send(Command::Finish);
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread.filter(|thread| thread.thread().id() != std::thread::current().id()) {
            let _ = thread.join();
        }
    }
}

impl Drop for MpiWire {
    fn drop(&mut self) {
        self.finish();
    }
}
