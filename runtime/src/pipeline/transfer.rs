//! A transfer between the devices of two stages, which meet for it as the devices of one mesh meet for a collective.

use crate::code::{Meeting, Site};
use crate::exchange::Exchange;
use crate::group::Group;
use partita_ir::mesh::Mesh;
use partita_ir::pipeline::events::Sent;
use partita_ir::pipeline::messages;
use partita_ir::program::{Name, Value};
use std::ops::Range;
use std::sync::Arc;

/// A value that goes from the devices of one stage to those of another, or between chunks of one stage.
pub struct Transfer {
    /// Its name.
    pub name: Name,
    /// The sender's value.
    pub from: End,
    /// The receiver's value.
    pub to: End,
}

/// The value at one end of a transfer.
pub struct End {
    /// The stage.
    pub stage: usize,
    /// The devices of the stage.
    pub devices: StageDevices,
    /// The value as these hold it.
    pub value: Value,
}

/// The devices of a stage among those of all stages.
#[derive(Clone, Debug)]
pub struct StageDevices {
    /// Their mesh.
    pub mesh: Arc<Mesh>,
    /// The rank of the first of them; the others follow it.
    pub first_rank: usize,
}

impl StageDevices {
    /// The devices of stages with these meshes, where those of the first stage come first.
    pub fn consecutive(meshes: impl IntoIterator<Item = Arc<Mesh>>) -> Vec<StageDevices> {
        let place = |next: &mut usize, mesh: Arc<Mesh>| {
            let first_rank = *next;
            *next += mesh.device_count();
            Some(StageDevices { mesh, first_rank })
        };
        meshes.into_iter().scan(0, place).collect()
    }

    /// Their ranks.
    pub fn ranks(&self) -> Range<usize> {
        self.first_rank..self.first_rank + self.mesh.device_count()
    }
}

impl Transfer {
    /// The name of one message in reports.
    pub(super) fn message_name(&self, message: Sent) -> String {
        match message.micro_batch {
            Some(micro_batch) => format!("{} of micro-batch {micro_batch}", self.name),
            None => self.name.to_string(),
        }
    }

    /// The site where the devices of a stage take part in a message.
    pub fn site(&self, message: Sent, stage: usize) -> Site {
        let Transfer { from, to, .. } = self;
        let sends = messages(
            &from.value.ty.shape,
            (from.value.layout.as_deref(), &from.devices.mesh),
            (to.value.layout.as_deref(), &to.devices.mesh),
        );
        let is_within = from.stage == to.stage;
        let (senders, sends_here) = (from.devices.ranks().len(), from.stage == stage);
        let receivers = if is_within { 0 } else { senders };
        let others = to.devices.ranks().filter(|_| !is_within);
        let members: Arc<[usize]> = from.devices.ranks().chain(others).collect();
        let shape = (senders, receivers, members.len());
        let types = (&from.value.local_type(), &to.value.local_type());
        let exchange = Exchange::transfer(&sends, types, shape);
        let (here, offset) = if sends_here { (&from.devices.mesh, 0) } else { (&to.devices.mesh, receivers) };
        let channel = message.transfer as u32 + 1;
        let group = |place| Group::on_channel(here, members.clone(), offset + place, channel);
        Site {
            meeting: Meeting::Transfer(message),
            name: self.message_name(message),
            groups: (0..here.device_count()).map(group).collect(),
            exchanges: [exchange].into(),
            bytes: vec![if sends_here { types.0.bytes() as usize } else { 0 }],
        }
    }
}
