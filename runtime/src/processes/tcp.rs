//! Wire of TCP connections between all pairs of processes.
//!
//! Process 0 listens at an address that all processes know, such as `MASTER_ADDR:MASTER_PORT` of `torchrun`. The others
//! connect to it and tell it their rank and the port at which they listen themselves; process 0 answers with the
//! addresses of all processes, which then connect to each other. An agent of `torchrun` may occupy the port, so that
//! process 0 takes the first free one of the following `PORTS` ports; the greeting identifies it.

use super::payload::Payload;
use super::wire::{HEADER_WORDS, Message, Receiver, Wire};
use partita_ir::diag::{Code, Diagnostic};
use partita_machine::network::RankTransport;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Number of ports that process 0 tries.
const PORTS: u16 = 8;

/// First word of a greeting: name and version of the protocol.
const GREETING: u64 = u64::from_le_bytes(*b"partita1");

/// Time between attempts to connect.
const RETRY: Duration = Duration::from_millis(50);

/// Time within which a listener answers a greeting.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);

/// Position of this process, and the address at which processes find each other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rendezvous {
    /// Number of this process.
    pub index: usize,
    /// Number of processes.
    pub count: usize,
    /// Number of processes on this host.
    pub local_count: usize,
    /// Host of process 0.
    pub host: String,
    /// First port that process 0 tries.
    pub port: u16,
    /// Time within which all processes must connect.
    pub timeout: Duration,
}

/// Connections of one process.
pub struct TcpWire {
    index: usize,
    local_count: usize,
    /// Queues of the threads that send, by process; `None` for this process.
    senders: Vec<Option<Sender<Message>>>,
    peers: Mutex<Vec<Option<Peer>>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

/// Connection to a process, before its threads are started.
struct Peer {
    stream: TcpStream,
    queue: mpsc::Receiver<Message>,
}

impl TcpWire {
    /// Connects all processes.
    ///
    /// # Errors
    /// `R005` when a process does not connect in time, has another number of processes, or was started twice.
    pub fn connect(at: &Rendezvous) -> Result<TcpWire, Diagnostic> {
        let streams = match at.index {
            0 => accept_all(at)?,
            _ => connect_all(at)?,
        };
        let (mut senders, mut peers) = (Vec::new(), Vec::new());
        for stream in streams {
            let Some(stream) = stream else {
                senders.push(None);
                peers.push(None);
                continue;
            };
            // Messages are written as a whole, so waiting for more data only adds latency.
            let _ = stream.set_nodelay(true);
            let _ = stream.set_read_timeout(None);
            let (sender, queue) = mpsc::channel();
            senders.push(Some(sender));
            peers.push(Some(Peer { stream, queue }));
        }
        let (index, local_count) = (at.index, at.local_count);
        Ok(TcpWire { index, local_count, senders, peers: Mutex::new(peers), threads: Mutex::default() })
    }
}

impl Wire for TcpWire {
    fn index(&self) -> usize {
        self.index
    }

    fn count(&self) -> usize {
        self.senders.len()
    }

    fn local_count(&self) -> usize {
        self.local_count
    }

    fn transport(&self) -> RankTransport {
        RankTransport::Tcp
    }

    fn start(&self, receiver: Arc<dyn Receiver>) {
        let mut peers = self.peers.lock().unwrap_or_else(PoisonError::into_inner);
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        for (process, peer) in peers.iter_mut().enumerate() {
            let Some(Peer { stream, queue }) = peer.take() else { continue };
            let incoming = stream.try_clone();
            let (on_read, on_write) = (receiver.clone(), receiver.clone());
            match incoming {
                Ok(incoming) => drop(std::thread::spawn(move || receive_all(incoming, process, &*on_read))),
                Err(why) => receiver.lose(process, &why.to_string()),
            }
            threads.push(std::thread::spawn(move || send_all(stream, &queue, process, &*on_write)));
        }
    }

    fn send(&self, to: usize, message: Message) {
        // The thread of a lost process has ended and has reported the loss.
        let _ = self.senders[to].as_ref().map(|sender| sender.send(message));
    }

    fn finish(&self) {
        (0..self.count()).for_each(|to| self.send(to, Message::Finished));
        let threads = std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        let own = std::thread::current().id();
        for thread in threads.into_iter().filter(|thread| thread.thread().id() != own) {
            let _ = thread.join();
        }
    }
}

/// Sends queued messages until [`Message::Finished`].
fn send_all(mut stream: TcpStream, queue: &mpsc::Receiver<Message>, process: usize, receiver: &dyn Receiver) {
    while let Ok(message) = queue.recv() {
        if let Err(why) = write_message(&mut stream, &message) {
            return receiver.lose(process, &why.to_string());
        }
        if matches!(message, Message::Finished) {
            let _ = stream.shutdown(std::net::Shutdown::Write);
            return;
        }
    }
}

/// Receives messages until the connection ends.
fn receive_all(mut stream: TcpStream, process: usize, receiver: &dyn Receiver) {
    loop {
        match read_message(&mut stream) {
            Ok(message) => {
                let is_last = matches!(message, Message::Finished);
                receiver.receive(process, message);
                if is_last {
                    return;
                }
            }
            Err(why) if why.kind() == ErrorKind::UnexpectedEof => {
                return receiver.lose(process, "it has closed the connection");
            }
            Err(why) => return receiver.lose(process, &why.to_string()),
        }
    }
}

fn write_message(stream: &mut TcpStream, message: &Message) -> io::Result<()> {
    write_words(stream, &message.header())?;
    stream.write_all(message.payload().map_or(&[], Payload::as_bytes))
}

fn read_message(stream: &mut TcpStream) -> io::Result<Message> {
    let header: [u64; HEADER_WORDS] = read_words(stream)?;
    let bytes = usize::try_from(Message::payload_bytes(&header)).map_err(io::Error::other)?;
    let mut payload = Payload::recycled(bytes);
    stream.read_exact(payload.as_mut_bytes())?;
    Message::from_parts(header, payload).ok_or_else(|| io::Error::other("it sent a message of another version"))
}

fn write_words(stream: &mut TcpStream, words: &[u64]) -> io::Result<()> {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    stream.write_all(&bytes)
}

fn read_words<const N: usize>(stream: &mut TcpStream) -> io::Result<[u64; N]> {
    let mut bytes = [[0; 8]; N];
    stream.read_exact(bytes.as_flattened_mut())?;
    Ok(bytes.map(u64::from_le_bytes))
}

/// Returns the connections of process 0, after it has told all others their addresses.
fn accept_all(at: &Rendezvous) -> Result<Vec<Option<TcpStream>>, Diagnostic> {
    let deadline = Instant::now() + at.timeout;
    let listener =
        (0..PORTS).find_map(|offset| TcpListener::bind((any_address(at), at.port.checked_add(offset)?)).ok());
    let occupied = || {
        let title = format!("rank 0 cannot listen at {}:{} or the {} ports after it", at.host, at.port, PORTS - 1);
        Diagnostic::new(Code::R005, title).help("choose other ports with `MASTER_PORT`")
    };
    let listener = listener.ok_or_else(occupied)?;
    let mut streams: Vec<Option<TcpStream>> = (0..at.count).map(|_| None).collect();
    let mut addresses: Vec<Option<SocketAddr>> = vec![None; at.count];
    while let Some(missing) = (1..at.count).find(|&process| streams[process].is_none()) {
        let mut stream = accept(&listener, deadline).ok_or_else(|| not_connected(at, missing))?;
        let Ok(peer) = stream.peer_addr() else { continue };
        let Ok([GREETING, count, process, port]) = read_words::<4>(&mut stream) else { continue };
        let (process, port) = (process as usize, port as u16);
        // A process that has the answer learns from the end of the connection that this one has failed.
        if write_words(&mut stream, &[GREETING]).is_err() {
            continue;
        }
        if count != at.count as u64 || process == 0 || process >= at.count {
            let title = format!("rank {process} of {count} ranks connected to a run of {} ranks", at.count);
            return Err(
                Diagnostic::new(Code::R005, title).help("end processes of an earlier run, or choose another port")
            );
        }
        if streams[process].is_some() {
            let title =
                format!("rank {process} was started twice: at {peer}, and at {}", format_address(addresses[process]));
            return Err(Diagnostic::new(Code::R005, title).help("give each process another `RANK`"));
        }
        addresses[process] = Some(SocketAddr::new(peer.ip(), port));
        streams[process] = Some(stream);
    }
    for (process, stream) in streams.iter_mut().enumerate() {
        let Some(stream) = stream else { continue };
        let words: Vec<u64> = addresses.iter().flat_map(address_words).collect();
        let lost = |why: io::Error| Diagnostic::new(Code::R005, format!("rank {process} was lost: {why}"));
        write_words(stream, &words).map_err(lost)?;
    }
    Ok(streams)
}

/// Returns the connections of another process than 0.
fn connect_all(at: &Rendezvous) -> Result<Vec<Option<TcpStream>>, Diagnostic> {
    let deadline = Instant::now() + at.timeout;
    let failed = |why: io::Error| Diagnostic::new(Code::R005, format!("rank {} cannot connect: {why}", at.index));
    let mut streams: Vec<Option<TcpStream>> = (0..at.count).map(|_| None).collect();
    let listener = TcpListener::bind((any_address(at), 0)).map_err(failed)?;
    let port = listener.local_addr().map_err(failed)?.port();
    let greeting = [GREETING, at.count as u64, at.index as u64, u64::from(port)];
    let (master, addresses) = greet_master(at, &greeting, deadline)?;
    master.set_read_timeout(None).map_err(failed)?;
    for (process, address) in addresses.iter().enumerate().take(at.index).skip(1) {
        let address = address.ok_or_else(|| not_connected(at, process))?;
        let left = deadline.saturating_duration_since(Instant::now()).max(RETRY);
        let unreachable = |why: io::Error| {
            let title = format!("rank {} cannot reach rank {process} at {address}: {why}", at.index);
            Diagnostic::new(Code::R005, title)
        };
        let mut stream = TcpStream::connect_timeout(&address, left).map_err(unreachable)?;
        write_words(&mut stream, &greeting).map_err(unreachable)?;
        streams[process] = Some(stream);
    }
    while let Some(missing) = (at.index + 1..at.count).find(|&process| streams[process].is_none()) {
        let mut stream = accept(&listener, deadline).ok_or_else(|| not_connected(at, missing))?;
        if let Ok([GREETING, count, process, _]) = read_words::<4>(&mut stream)
            && count == at.count as u64
            && (at.index + 1..at.count).contains(&(process as usize))
        {
            streams[process as usize] = Some(stream);
        }
    }
    streams[0] = Some(master);
    Ok(streams)
}

/// Returns the connection to process 0, and the addresses of all processes.
fn greet_master(
    at: &Rendezvous,
    greeting: &[u64; 4],
    deadline: Instant,
) -> Result<(TcpStream, Vec<Option<SocketAddr>>), Diagnostic> {
    let mut last = String::from("no attempt succeeded");
    while Instant::now() < deadline {
        for offset in 0..PORTS {
            match greet(at, at.port.saturating_add(offset), greeting) {
                Ok(stream) => return read_addresses(at, stream, deadline),
                Err(why) => last = why.to_string(),
            }
        }
        std::thread::sleep(RETRY);
    }
    let title = format!("rank {} cannot reach rank 0 at {}:{} within {:?}", at.index, at.host, at.port, at.timeout);
    Err(Diagnostic::new(Code::R005, title)
        .note(last)
        .help("check that rank 0 was started, and that `MASTER_ADDR` is an address of its host"))
}

/// Greets a listener, which is process 0 if it answers.
fn greet(at: &Rendezvous, port: u16, greeting: &[u64; 4]) -> io::Result<TcpStream> {
    let address = (at.host.as_str(), port).to_socket_addrs()?.next().ok_or_else(|| io::Error::other("no address"))?;
    let mut stream = TcpStream::connect_timeout(&address, ANSWER_TIMEOUT)?;
    write_words(&mut stream, greeting)?;
    stream.set_read_timeout(Some(ANSWER_TIMEOUT))?;
    match read_words::<1>(&mut stream)? {
        [GREETING] => Ok(stream),
        _ => Err(io::Error::other("another program listens")),
    }
}

/// Waits until process 0 has told the addresses of all processes, which it does when all have connected.
fn read_addresses(
    at: &Rendezvous,
    mut stream: TcpStream,
    deadline: Instant,
) -> Result<(TcpStream, Vec<Option<SocketAddr>>), Diagnostic> {
    let lost = |why: io::Error| match why.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => {
            let title = format!("other ranks did not connect with rank 0 within {:?}", at.timeout);
            Diagnostic::new(Code::R005, title).help(format!("start all {} ranks", at.count))
        }
        _ => Diagnostic::new(Code::R005, "rank 0 ended while other ranks connected")
            .note(why.to_string())
            .help("look for an earlier error of rank 0"),
    };
    let left = deadline.saturating_duration_since(Instant::now()).max(RETRY);
    stream.set_read_timeout(Some(left)).map_err(lost)?;
    let addresses = (0..at.count).map(|_| Ok(address_from_words(read_words::<3>(&mut stream)?)));
    let addresses = addresses.collect::<io::Result<Vec<_>>>().map_err(lost)?;
    Ok((stream, addresses))
}

/// Accepts a connection before the deadline.
fn accept(listener: &TcpListener, deadline: Instant) -> Option<TcpStream> {
    listener.set_nonblocking(true).ok()?;
    loop {
        match listener.accept() {
            Ok((stream, _)) => {
                stream.set_nonblocking(false).ok()?;
                stream.set_read_timeout(Some(ANSWER_TIMEOUT)).ok()?;
                return Some(stream);
            }
            Err(_) if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(2)),
            Err(_) => return None,
        }
    }
}

/// Returns the address of all interfaces, or that of the loopback interface if process 0 is on it.
fn any_address(at: &Rendezvous) -> IpAddr {
    let is_loopback = |address: SocketAddr| address.ip().is_loopback();
    let found = (at.host.as_str(), at.port).to_socket_addrs().ok().and_then(|mut addresses| addresses.next());
    match found {
        Some(address) if is_loopback(address) => address.ip(),
        Some(SocketAddr::V6(_)) => IpAddr::from([0u16; 8]),
        _ => IpAddr::from([0u8; 4]),
    }
}

/// Writes an address as three words: its family and port, and the bits of the address.
fn address_words(address: &Option<SocketAddr>) -> [u64; 3] {
    match address {
        None => [0; 3],
        Some(SocketAddr::V4(v4)) => [4 << 32 | u64::from(v4.port()), u64::from(v4.ip().to_bits()), 0],
        Some(SocketAddr::V6(v6)) => {
            let bits = v6.ip().to_bits();
            [6 << 32 | u64::from(v6.port()), bits as u64, (bits >> 64) as u64]
        }
    }
}

fn address_from_words([head, low, high]: [u64; 3]) -> Option<SocketAddr> {
    let port = head as u16;
    match head >> 32 {
        4 => Some(SocketAddr::from(((low as u32).to_be_bytes(), port))),
        6 => Some(SocketAddr::from((((u128::from(high) << 64) | u128::from(low)).to_be_bytes(), port))),
        _ => None,
    }
}

fn format_address(address: Option<SocketAddr>) -> String {
    address.map_or_else(|| "an unknown address".to_owned(), |address| address.to_string())
}

fn not_connected(at: &Rendezvous, missing: usize) -> Diagnostic {
    let title = format!("rank {missing} did not connect within {:?}", at.timeout);
    Diagnostic::new(Code::R005, title)
        .help(format!("start all {} ranks with the same `MASTER_ADDR` and `MASTER_PORT`", at.count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_restored_from_words() {
        for text in ["127.0.0.1:80", "10.1.2.3:65535", "[fe80::1:2]:9", "[::1]:1"] {
            let address: SocketAddr = text.parse().unwrap();
            assert_eq!(address_from_words(address_words(&Some(address))), Some(address));
        }
        assert_eq!(address_from_words(address_words(&None)), None);
    }
}
