//! Wire over an MPI library that is loaded at run time.
//!
//! All calls of MPI are made by one thread, which also makes progress while other threads compute: MPI itself does not.

mod abi;
mod collectives;
mod library;
mod progress;

use crate::launcher::Launched;
pub use library::{Library, MpiVersion};
use partita_ir::diag::{Code, Diagnostic};
use partita_machine::network::RankTransport;
use partita_runtime::processes::native::{GroupNumber, NativeCall, NativeCollectives, NativeOp};
use partita_runtime::processes::wire::{Message, Receiver, Wire};
use progress::Progress;
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Command to the thread that calls MPI.
enum Command {
    Start(Arc<dyn Receiver>),
    Send(usize, Message),
    CreateGroup(Vec<usize>),
    Collective(NativeCall),
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
    /// Signals the end of the thread.
    ended: Mutex<mpsc::Receiver<()>>,
    /// Number of groups with this rank.
    groups: Mutex<usize>,
}

/// Time within which the thread ends. It may wait for a rank that is lost while a communicator is created.
const END_TIMEOUT: Duration = Duration::from_secs(40);

impl MpiWire {
    /// Loads MPI, initialises it, and connects all ranks.
    ///
    /// # Errors
    /// `R005` when no MPI library is found, or it has another number of ranks than the launcher.
    pub fn connect(launched: Option<&Launched>) -> Result<MpiWire, Diagnostic> {
        let (commands, queue) = mpsc::channel();
        let (ready, started) = mpsc::channel();
        let (ends, ended) = mpsc::channel();
        let launcher = launched.map(|launched| launched.launcher);
        let thread = std::thread::Builder::new().name("mpi".to_owned()).spawn(move || {
            match Library::open(launcher) {
                Ok(library) => Progress::run(&library, &queue, &ready),
                Err(why) => drop(ready.send(Err(why))),
            }
            let _ = ends.send(());
        });
        let thread = thread.map_err(|why| Diagnostic::new(Code::R005, format!("no thread can be started: {why}")))?;
        let no_answer = |_| Diagnostic::new(Code::R005, "the MPI library ended the thread that initialised it");
        let (index, count, version) = started.recv().map_err(no_answer)??;
        let wire = MpiWire {
            index,
            count,
            local_count: launched.map_or(1, |launched| launched.local_count),
            version,
            commands,
            thread: Mutex::new(Some(thread)),
            ended: Mutex::new(ended),
            groups: Mutex::new(0),
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
        if let Some(thread) = thread.filter(|thread| thread.thread().id() != std::thread::current().id())
            && self.ended.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(END_TIMEOUT).is_ok()
        {
            let _ = thread.join();
        }
    }

    fn collectives(&self) -> Option<&dyn NativeCollectives> {
        Some(self)
    }
}

impl NativeCollectives for MpiWire {
    fn supports(&self, op: NativeOp, part_bytes: usize) -> bool {
        collectives::supports(op, part_bytes)
    }

    fn create_group(&self, processes: &[usize]) -> GroupNumber {
        let mut groups = self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = self.commands.send(Command::CreateGroup(processes.to_vec()));
        *groups += 1;
        GroupNumber(*groups - 1)
    }

    fn start(&self, call: NativeCall) {
        let _ = self.commands.send(Command::Collective(call));
    }
}

impl Drop for MpiWire {
    fn drop(&mut self) {
        self.finish();
    }
}
