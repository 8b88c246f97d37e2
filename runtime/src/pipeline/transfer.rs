//! Point-to-point transfers between pipeline stages, executed like collectives of one group.

use crate::code::{CommunicationOrigin, CommunicationSite};
use crate::collective_exec::CollectiveExec;
use crate::group::Group;
use partita_ir::mesh::DeviceMesh;
use partita_ir::pipeline::events::TransferId;
use partita_ir::pipeline::messages;
use partita_ir::program::{Name, Value};
use std::ops::Range;
use std::sync::Arc;

/// Transfer of a value from the devices of one stage to those of another, or between two model chunks of one stage
/// (interleaved schedule).
pub struct Transfer {
    /// Name of the value.
    pub name: Name,
    /// Value on the devices that send it.
    pub from: TransferEnd,
    /// Value on the devices that receive it.
    pub to: TransferEnd,
}

/// Value on the devices of the stage that sends or receives it.
pub struct TransferEnd {
    /// Index of the stage.
    pub stage: usize,
    /// Devices of the stage.
    pub devices: StageDevices,
    /// Global type of the value, and its layout on these devices.
    pub value: Value,
}

/// Devices of a stage, with consecutive ranks.
#[derive(Clone, Debug)]
pub struct StageDevices {
    /// Mesh of the devices.
    pub mesh: Arc<DeviceMesh>,
    /// Rank of the first device.
    pub first_rank: usize,
}

impl StageDevices {
    /// Returns the devices of stages with the given meshes. Ranks are assigned in the order of the stages.
    pub fn consecutive(meshes: impl IntoIterator<Item = Arc<DeviceMesh>>) -> Vec<StageDevices> {
        let place = |next: &mut usize, mesh: Arc<DeviceMesh>| {
            let first_rank = *next;
            *next += mesh.device_count();
            Some(StageDevices { mesh, first_rank })
        };
        meshes.into_iter().scan(0, place).collect()
    }

    /// Returns the ranks of the devices.
    pub fn ranks(&self) -> Range<usize> {
        self.first_rank..self.first_rank + self.mesh.device_count()
    }
}

impl Transfer {
    /// Returns the name of the transferred value, with the number of the micro-batch if any, for messages and reports.
    pub(super) fn message_name(&self, message: TransferId) -> String {
        match message.micro_batch {
            Some(micro_batch) => format!("{} of micro-batch {micro_batch}", self.name),
            None => self.name.to_string(),
        }
    }

    /// Returns the communication site that executes the transfer of one micro-batch, for the devices of `stage`, which
    /// is the sender or the receiver. All senders and receivers form one group.
    pub fn site(&self, message: TransferId, stage: usize) -> CommunicationSite {
        let Transfer { from, to, .. } = self;
        let sends = messages(
            &from.value.ty.shape,
            (from.value.layout.as_deref(), &from.devices.mesh),
            (to.value.layout.as_deref(), &to.devices.mesh),
        );
        let is_within = from.stage == to.stage;
        let (senders, sends_here) = (from.devices.ranks().len(), from.stage == stage);
        let first_receiver = if is_within { 0 } else { senders };
        let others = to.devices.ranks().filter(|_| !is_within);
        let members: Arc<[usize]> = from.devices.ranks().chain(others).collect();
        let shape = (senders, first_receiver, members.len());
        let types = (&from.value.local_type(), &to.value.local_type());
        let exec = CollectiveExec::transfer(&sends, types, shape);
        let (here, offset) = if sends_here { (&from.devices.mesh, 0) } else { (&to.devices.mesh, first_receiver) };
        let channel = message.transfer as u32 + 1;
        let group = |place| Group::on_channel(here, members.clone(), offset + place, channel);
        CommunicationSite {
            origin: CommunicationOrigin::Transfer(message),
            name: self.message_name(message),
            groups: (0..here.device_count()).map(group).collect(),
            execs: [exec].into(),
            bytes: vec![if sends_here { types.0.bytes() as usize } else { 0 }],
        }
    }
}
