//! The thread that calls MPI: it sends and receives messages, and makes progress.
//!
//! A message is its header, and then its payload in parts of at most [`MAX_PART_BYTES`], since counts of MPI have 32
//! bits. Messages of one rank with one tag arrive in the order of sending, so that each part belongs to the header
//! before it.
#![allow(unsafe_code, reason = "MPI accesses the memory of messages")]

use super::Command;
use super::library::{Library, MpiVersion};
use partita_ir::diag::{Code, Diagnostic};
use partita_runtime::processes::native::{NativeBuffers, NativeCall};
use partita_runtime::processes::payload::Payload;
use partita_runtime::processes::wire::{HEADER_WORDS, Message, Receiver};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError, Sender, TryRecvError};
use std::time::{Duration, Instant};

/// Largest number of bytes of one call.
const MAX_PART_BYTES: usize = 1 << 30;

/// Tags of headers and of payloads.
const HEADER_TAG: i32 = 1;
const PAYLOAD_TAG: i32 = 2;

/// Time between calls while messages are expected: a sleeping thread leaves the core to the devices.
const POLL: Duration = Duration::from_micros(50);

/// Number of polls without an event before the thread sleeps.
const SPINS: u32 = 50;

/// Time within which other ranks end after this one.
const FINISH_TIMEOUT: Duration = Duration::from_secs(30);

/// Time within which the reason of a failure is sent to other ranks, if it has interrupted collectives.
const ABORT_TIMEOUT: Duration = Duration::from_secs(1);

/// Rank, number of ranks, and version of the library.
type Started = Result<(usize, usize, MpiVersion), Diagnostic>;

/// State of the thread.
pub(super) struct Progress<'l> {
    library: &'l Library,
    index: usize,
    receiver: Option<Arc<dyn Receiver>>,
    sending: Vec<Sending>,
    receiving: Vec<Receiving>,
    /// Communicators of the groups with this rank.
    communicators: Vec<usize>,
    collectives: Vec<Collective>,
    /// Ranks that have finished.
    finished: Vec<bool>,
    /// True after this or another rank has failed.
    is_aborted: bool,
}

/// Collective in progress. Memory is owned until the request is complete.
struct Collective {
    request: usize,
    buffers: NativeBuffers,
    complete: Box<dyn FnOnce(NativeBuffers) + Send>,
}

/// Message that is being sent. Memory is owned until all requests are complete.
struct Sending {
    requests: Vec<usize>,
    _message: Message,
    _header: Box<[u8]>,
}

/// Message that is being received.
struct Receiving {
    from: usize,
    header: [u64; HEADER_WORDS],
    requests: Vec<usize>,
    payload: Payload,
}

impl<'l> Progress<'l> {
    /// Initialises MPI, reports to `ready`, and executes commands until the last.
    pub(super) fn run(library: &'l Library, commands: &mpsc::Receiver<Command>, ready: &Sender<Started>) {
        let (index, count) = match library.initialise() {
            Ok(found) => found,
            Err(why) => {
                let title = format!("{} cannot be initialised: {why}", library.version().path);
                return drop(ready.send(Err(Diagnostic::new(Code::R005, title))));
            }
        };
        if ready.send(Ok((index, count, library.version().clone()))).is_err() {
            return;
        }
        let mut finished = vec![false; count];
        finished[index] = true;
        let mut progress = Progress {
            library,
            index,
            receiver: None,
            sending: Vec::new(),
            receiving: Vec::new(),
            communicators: Vec::new(),
            collectives: Vec::new(),
            finished,
            is_aborted: false,
        };
        match progress.execute(commands) {
            Ok(()) if progress.is_interrupted() => {}
            Ok(()) => library.finalise(),
            Err(why) => progress.lose(&why),
        }
        // MPI may access the memory of incomplete collectives until the process ends.
        std::mem::forget(std::mem::take(&mut progress.collectives));
    }

    /// Returns true if a failure has interrupted collectives, which cannot be cancelled: MPI cannot be finalised, which
    /// would wait for ranks that no longer take part in them.
    fn is_interrupted(&self) -> bool {
        !self.collectives.is_empty() || self.is_aborted && !self.communicators.is_empty()
    }

    fn execute(&mut self, commands: &mpsc::Receiver<Command>) -> Result<(), String> {
        let mut idle = 0;
        loop {
            let command = match idle {
                0..SPINS => commands.try_recv(),
                _ => commands.recv_timeout(POLL).map_err(|why| match why {
                    RecvTimeoutError::Timeout => TryRecvError::Empty,
                    RecvTimeoutError::Disconnected => TryRecvError::Disconnected,
                }),
            };
            idle += 1;
            match command {
                Ok(Command::Start(receiver)) => self.receiver = Some(receiver),
                Ok(Command::Send(to, message)) => {
                    self.send(to, message)?;
                    idle = 0;
                }
                Ok(Command::CreateGroup(ranks)) => self.communicators.push(self.library.create_communicator(&ranks)?),
                Ok(Command::Collective(call)) => {
                    self.start(call)?;
                    idle = 0;
                }
                Ok(Command::Finish) | Err(TryRecvError::Disconnected) => return self.finish(),
                Err(TryRecvError::Empty) => {}
            }
            // Messages are received after there is a receiver.
            if self.receiver.is_some() && self.advance()? {
                idle = 0;
            }
        }
    }

    /// Starts a collective.
    fn start(&mut self, call: NativeCall) -> Result<(), String> {
        let NativeCall { op, group, part_bytes, mut buffers, complete } = call;
        let communicator = self.communicators.get(group.0).copied().ok_or("a group has no communicator")?;
        // SAFETY: the buffers are on the heap and owned until the request is complete; their sizes are those of the
        // group.
        let request = unsafe { self.library.start_collective(op, part_bytes, &mut buffers, communicator)? };
        self.collectives.push(Collective { request, buffers, complete });
        Ok(())
    }

    /// Completes collectives. Returns true if there were any.
    fn complete_collectives(&mut self) -> Result<bool, String> {
        let (mut position, mut moved) = (0, false);
        while position < self.collectives.len() {
            if !self.library.is_complete(&mut self.collectives[position].request)? {
                position += 1;
                continue;
            }
            let Collective { buffers, complete, .. } = self.collectives.remove(position);
            complete(buffers);
            moved = true;
        }
        Ok(moved)
    }

    /// Tests all requests and accepts messages. Returns true if something happened.
    fn advance(&mut self) -> Result<bool, String> {
        let library = self.library;
        let mut moved = self.complete_collectives()?;
        for sending in &mut self.sending {
            moved |= retain_incomplete(library, &mut sending.requests)?;
        }
        self.sending.retain(|sending| !sending.requests.is_empty());
        for receiving in &mut self.receiving {
            moved |= retain_incomplete(library, &mut receiving.requests)?;
        }
        self.deliver_complete();
        while let Some(from) = library.probe(HEADER_TAG)? {
            self.accept(from)?;
            moved = true;
        }
        Ok(moved)
    }

    fn send(&mut self, to: usize, message: Message) -> Result<(), String> {
        self.is_aborted |= matches!(message, Message::Abort { .. });
        let header: Box<[u8]> = message.header().iter().flat_map(|word| word.to_le_bytes()).collect();
        // SAFETY: the header is on the heap and owned until the request is complete.
        let mut requests = vec![unsafe { self.library.send(&header, to, HEADER_TAG)? }];
        for part in message.payload().map_or(&[][..], Payload::as_bytes).chunks(MAX_PART_BYTES) {
            // SAFETY: the payload is on the heap and owned until the request is complete.
            requests.push(unsafe { self.library.send(part, to, PAYLOAD_TAG)? });
        }
        self.sending.push(Sending { requests, _message: message, _header: header });
        Ok(())
    }

    /// Receives a header and starts to receive its payload.
    fn accept(&mut self, from: usize) -> Result<(), String> {
        let mut bytes = [0; HEADER_WORDS * 8];
        // SAFETY: the function does not return before the request is complete, except with an error, after which no
        // call is made.
        let mut request = unsafe { self.library.receive(&mut bytes, from, HEADER_TAG)? };
        while !self.library.is_complete(&mut request)? {}
        let mut header = [0; HEADER_WORDS];
        for (word, bytes) in header.iter_mut().zip(bytes.chunks_exact(8)) {
            *word = bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
        }
        let mut payload =
            Payload::recycled(usize::try_from(Message::payload_bytes(&header)).map_err(|e| e.to_string())?);
        let mut requests = Vec::new();
        for part in payload.as_mut_bytes().chunks_mut(MAX_PART_BYTES) {
            // SAFETY: the payload is on the heap, and is not accessed until the request is complete.
            requests.push(unsafe { self.library.receive(part, from, PAYLOAD_TAG)? });
        }
        self.receiving.push(Receiving { from, header, requests, payload });
        self.deliver_complete();
        Ok(())
    }

    /// Delivers complete messages. A message without a payload waits for the payloads of earlier messages of its
    /// sender.
    fn deliver_complete(&mut self) {
        let mut is_waiting = vec![false; self.finished.len()];
        let complete = self.receiving.extract_if(.., |receiving| {
            is_waiting[receiving.from] |= !receiving.requests.is_empty();
            !is_waiting[receiving.from]
        });
        for Receiving { from, header, payload, .. } in complete.collect::<Vec<_>>() {
            self.deliver(from, header, payload);
        }
    }

    fn deliver(&mut self, from: usize, header: [u64; HEADER_WORDS], payload: Payload) {
        let Some(receiver) = &self.receiver else { return };
        match Message::from_parts(header, payload) {
            Some(message) => {
                self.finished[from] |= matches!(message, Message::Finished);
                self.is_aborted |= matches!(message, Message::Abort { .. });
                receiver.receive(from, message);
            }
            None => receiver.lose(from, "it sent a message of another version"),
        }
    }

    /// Sends and receives until all ranks have finished. After a failure that has interrupted collectives, other ranks
    /// are not waited for.
    fn finish(&mut self) -> Result<(), String> {
        for to in (0..self.finished.len()).filter(|&to| to != self.index).collect::<Vec<_>>() {
            self.send(to, Message::Finished)?;
        }
        let started = Instant::now();
        while !self.sending.is_empty() || self.finished.contains(&false) {
            if !self.advance()? {
                std::thread::sleep(POLL);
            }
            if self.is_interrupted() && (self.sending.is_empty() || started.elapsed() > ABORT_TIMEOUT) {
                return Ok(());
            }
            if started.elapsed() > FINISH_TIMEOUT {
                return Err("other ranks did not end".to_owned());
            }
        }
        Ok(())
    }

    /// Reports that no rank can be reached any more.
    fn lose(&self, why: &str) {
        let others = (0..self.finished.len()).filter(|&rank| !self.finished[rank]);
        others.for_each(|rank| self.receiver.iter().for_each(|receiver| receiver.lose(rank, why)));
    }
}

/// Removes complete requests. Returns true if there were any.
fn retain_incomplete(library: &Library, requests: &mut Vec<usize>) -> Result<bool, String> {
    let before = requests.len();
    let mut failed = None;
    requests.retain_mut(|request| match library.is_complete(request) {
        Ok(done) => !done,
        Err(why) => {
            failed = Some(why);
            true
        }
    });
    failed.map_or(Ok(requests.len() < before), Err)
}
