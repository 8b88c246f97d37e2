//! Messages between processes, and the interface of their transport.

use super::inbox::PacketKey;
use super::native::NativeCollectives;
use super::payload::Payload;
use partita_machine::network::RankTransport;
use std::sync::Arc;

/// Transport of messages between processes. Messages from one process to another arrive in the order of sending.
pub trait Wire: Send + Sync {
    /// Returns the number of this process, from 0.
    fn index(&self) -> usize;

    /// Returns the number of processes.
    fn count(&self) -> usize;

    /// Returns the number of processes on the host of this one.
    fn local_count(&self) -> usize;

    /// Returns the transport, which determines the threads that handle messages.
    fn transport(&self) -> RankTransport;

    /// Starts the delivery of messages, on threads of the transport.
    fn start(&self, receiver: Arc<dyn Receiver>);

    /// Queues a message and returns. Has no effect after [`Wire::finish`].
    fn send(&self, to: usize, message: Message);

    /// Sends all queued messages and disconnects.
    fn finish(&self);

    /// Returns the collectives that the transport has itself.
    fn collectives(&self) -> Option<&dyn NativeCollectives> {
        None
    }
}

/// Recipient of the messages of a process. Its methods may be called from several threads.
pub trait Receiver: Send + Sync {
    /// Accepts a message.
    fn receive(&self, from: usize, message: Message);

    /// Reports that a process can no longer be reached.
    fn lose(&self, process: usize, why: &str);
}

/// Message from one process to another.
#[derive(Clone, Debug)]
pub enum Message {
    /// Elements of a collective.
    Packet {
        /// Collective of a run.
        key: PacketKey,
        /// Number of the packet among those of the collective from the same process.
        packet: u64,
        /// Elements.
        payload: Arc<Payload>,
    },
    /// Contribution to an exchange of values.
    Value {
        /// Number of the exchange.
        number: u64,
        /// Contribution.
        payload: Payload,
    },
    /// The sender has failed.
    Abort {
        /// Reason, as text.
        payload: Payload,
    },
    /// The sender has finished without an error.
    Finished,
    /// The sender is alive.
    Alive,
}

/// Number of words of a header.
pub const HEADER_WORDS: usize = 6;

impl Message {
    /// Returns the payload, if the message has one.
    pub fn payload(&self) -> Option<&Payload> {
        match self {
            Message::Packet { payload, .. } => Some(payload),
            Message::Value { payload, .. } | Message::Abort { payload } => Some(payload),
            Message::Finished | Message::Alive => None,
        }
    }

    /// Returns the header: kind, number of bytes of the payload, and up to four numbers.
    pub fn header(&self) -> [u64; HEADER_WORDS] {
        let bytes = self.payload().map_or(0, |payload| payload.as_bytes().len() as u64);
        match self {
            Message::Packet { key, packet, .. } => [0, bytes, key.run, key.collective, key.name, *packet],
            Message::Value { number, .. } => [1, bytes, *number, 0, 0, 0],
            Message::Abort { .. } => [2, bytes, 0, 0, 0, 0],
            Message::Finished => [3, bytes, 0, 0, 0, 0],
            Message::Alive => [4, bytes, 0, 0, 0, 0],
        }
    }

    /// Returns the number of bytes of the payload that follows a header.
    pub fn payload_bytes(header: &[u64; HEADER_WORDS]) -> u64 {
        header[1]
    }

    /// Returns the message with the given header and payload; `None` for a header of another version.
    pub fn from_parts(header: [u64; HEADER_WORDS], payload: Payload) -> Option<Message> {
        let [kind, _, a, b, c, packet] = header;
        match kind {
            0 => {
                let key = PacketKey { run: a, collective: b, name: c };
                Some(Message::Packet { key, packet, payload: Arc::new(payload) })
            }
            1 => Some(Message::Value { number: a, payload }),
            2 => Some(Message::Abort { payload }),
            3 => Some(Message::Finished),
            4 => Some(Message::Alive),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Message, PacketKey, Payload};
    use std::sync::Arc;

    #[test]
    fn messages_are_restored_from_header_and_payload() {
        let payload = Payload::from_bytes(b"elements of a shard");
        let key = PacketKey { run: 3, collective: u64::MAX, name: 7 };
        let messages = [
            Message::Packet { key, packet: 9, payload: Arc::new(payload.clone()) },
            Message::Value { number: 4, payload: payload.clone() },
            Message::Abort { payload },
            Message::Finished,
            Message::Alive,
        ];
        for message in messages {
            let payload = message.payload().cloned().unwrap_or_default();
            assert_eq!(Message::payload_bytes(&message.header()), payload.as_bytes().len() as u64);
            let restored = Message::from_parts(message.header(), payload).unwrap();
            assert_eq!(format!("{restored:?}"), format!("{message:?}"));
        }
        assert!(Message::from_parts([5, 0, 0, 0, 0, 0], Payload::default()).is_none());
    }
}
