//! Costs of the terms of a window: seconds of a collective on the machine, and of an op's memory traffic.

use partita_cost::constants::ReferenceDevice;
use partita_cost::placement;
use partita_cost::traffic::wire_bytes;
use partita_equality::term::{ClassData, Head, Term, Terms};
use partita_ir::class::DeviceOp;
use partita_ir::mesh::DeviceMesh;
use partita_ir::op::OpKind;
use partita_machine::Machine;
use partita_machine::collective::choice::Prices;
use std::cell::RefCell;

/// Cost model for terms.
pub(super) struct TermCosts<'a> {
    machine: Option<MachineCosts<'a>>,
    memory: f64,
}

/// Cost model for collectives on the first devices of a machine, as many as the mesh has.
struct MachineCosts<'a> {
    machine: &'a Machine,
    mesh: &'a DeviceMesh,
    devices: Vec<usize>,
    prices: Prices<'a>,
    /// Costs that were computed before.
    cache: RefCell<Vec<CachedCost>>,
}

/// The cost of a collective with operands and results of these sizes.
struct CachedCost {
    kind: OpKind,
    bytes: (u64, u64),
    seconds: Option<f64>,
}

impl<'a> TermCosts<'a> {
    pub(super) fn new(machine: Option<&'a Machine>, mesh: &'a DeviceMesh) -> TermCosts<'a> {
        let machine = machine.filter(|machine| machine.device_count() >= mesh.device_count());
        let memory = machine.and_then(|machine| Some(machine.slowest_kind(0..mesh.device_count())?.bandwidth));
        let on = |machine| MachineCosts {
            machine,
            mesh,
            devices: (0..mesh.device_count()).collect(),
            prices: Prices::new(machine),
            cache: RefCell::default(),
        };
        TermCosts { machine: machine.map(on), memory: memory.unwrap_or(ReferenceDevice::MEMORY_BANDWIDTH) }
    }

    /// Returns the cost of a term in seconds, or `None` if the term is not an op on shards.
    pub(super) fn seconds(&self, terms: &Terms, term: &Term) -> Option<f64> {
        let Head::Op { call, out, placement: Some(place) } = term.head else { return None };
        let meaning = &terms.analysis;
        let call = meaning.call_at(call);
        let result_bytes = meaning.placement_at(place).local_type(&call.outs[out as usize]).bytes();
        let sorts = term.args.iter().map(|&arg| terms[arg].data);
        let local_bytes =
            |sort: ClassData| Some(meaning.placement_at(sort.placement?).local_type(meaning.type_at(sort.ty)).bytes());
        let operand_bytes = sorts.map(local_bytes).sum::<Option<u64>>()?;
        if call.kind.is_collective() {
            return Some(self.collective(&call.kind, operand_bytes, result_bytes));
        }
        let traffic = match call.kind.class().device() {
            Some(DeviceOp::Shard(_)) => 2 * result_bytes,
            Some(DeviceOp::Partial(_) | DeviceOp::Mask(_) | DeviceOp::ShardStart(_)) | None => {
                operand_bytes + result_bytes
            }
        };
        Some(traffic as f64 / self.memory)
    }

    fn collective(&self, kind: &OpKind, operand_bytes: u64, result_bytes: u64) -> f64 {
        let sent = wire_bytes(kind, operand_bytes, result_bytes) as f64;
        let default_cost = || sent / ReferenceDevice::LINK_BANDWIDTH + ReferenceDevice::LATENCY;
        let Some(on) = &self.machine else { return default_cost() };
        let bytes = (operand_bytes, result_bytes);
        let hit =
            on.cache.borrow().iter().find(|cached| cached.kind == *kind && cached.bytes == bytes).map(|k| k.seconds);
        let seconds = hit.unwrap_or_else(|| {
            let mut collectives = placement::CollectiveCosts::new(on.machine, &on.prices, on.mesh, &on.devices);
            let seconds =
                collectives.cheapest_for_bytes(kind, operand_bytes, result_bytes).map(|choice| choice.seconds);
            on.cache.borrow_mut().push(CachedCost { kind: kind.clone(), bytes, seconds });
            seconds
        });
        seconds.unwrap_or_else(default_cost)
    }
}
