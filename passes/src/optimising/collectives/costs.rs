//! What a term of a window costs: seconds of a collective on the machine, and of what an op moves in memory.

use partita_cost::placement;
use partita_cost::traffic::wire_bytes;
use partita_equality::term::{Head, Sort, Term, Terms};
use partita_ir::class::DeviceOp;
use partita_ir::mesh::Mesh;
use partita_ir::op::OpKind;
use partita_machine::Machine;
use partita_machine::collective::choice::Prices;
use std::cell::RefCell;

/// Bytes a second of a link, where no machine is named.
const LINK: f64 = 100e9;

/// Bytes a second of memory, where no machine is named.
const MEMORY: f64 = 2e12;

/// Seconds that any collective takes, where no machine is named.
const LATENCY: f64 = 5e-6;

/// Prices of terms.
pub(super) struct Costs<'a> {
    machine: Option<OnMachine<'a>>,
    memory: f64,
}

/// Collectives of the devices that the mesh has on a machine, the first ones.
struct OnMachine<'a> {
    machine: &'a Machine,
    mesh: &'a Mesh,
    devices: Vec<usize>,
    prices: Prices<'a>,
    /// What was asked already.
    known: RefCell<Vec<Known>>,
}

/// The price of a collective that takes and gives so many bytes.
struct Known {
    kind: OpKind,
    bytes: (u64, u64),
    seconds: Option<f64>,
}

impl<'a> Costs<'a> {
    pub(super) fn new(machine: Option<&'a Machine>, mesh: &'a Mesh) -> Costs<'a> {
        let machine = machine.filter(|machine| machine.device_count() >= mesh.device_count());
        let memory = machine.and_then(|machine| Some(machine.slowest(0..mesh.device_count())?.bandwidth));
        let on = |machine| OnMachine {
            machine,
            mesh,
            devices: (0..mesh.device_count()).collect(),
            prices: Prices::new(machine),
            known: RefCell::default(),
        };
        Costs { machine: machine.map(on), memory: memory.unwrap_or(MEMORY) }
    }

    /// Seconds of a term, if it is an op on parts.
    pub(super) fn of(&self, terms: &Terms, term: &Term) -> Option<f64> {
        let Head::Op { call, out, place: Some(place) } = term.head else { return None };
        let meaning = &terms.analysis;
        let call = meaning.call_at(call);
        let given = meaning.place_at(place).local(&call.outs[out as usize]).bytes();
        let sorts = term.args.iter().map(|&arg| terms[arg].data);
        let held = |sort: Sort| Some(meaning.place_at(sort.place?).local(meaning.type_at(sort.ty)).bytes());
        let taken = sorts.map(held).sum::<Option<u64>>()?;
        if call.kind.is_collective() {
            return Some(self.collective(&call.kind, taken, given));
        }
        let moved = match call.kind.class().device() {
            Some(DeviceOp::Shard(_)) => 2 * given,
            Some(DeviceOp::Partial(_) | DeviceOp::Mask(_) | DeviceOp::PieceStart(_)) | None => taken + given,
        };
        Some(moved as f64 / self.memory)
    }

    fn collective(&self, kind: &OpKind, taken: u64, given: u64) -> f64 {
        let closed = || wire_bytes(kind, taken, given) as f64 / LINK + LATENCY;
        let Some(on) = &self.machine else { return closed() };
        let bytes = (taken, given);
        let hit = on.known.borrow().iter().find(|known| known.kind == *kind && known.bytes == bytes).map(|k| k.seconds);
        let seconds = hit.unwrap_or_else(|| {
            let mut collectives = placement::Collectives::new(on.machine, &on.prices, on.mesh, &on.devices);
            let seconds = collectives.cheapest_of(kind, taken, given).map(|choice| choice.seconds);
            on.known.borrow_mut().push(Known { kind: kind.clone(), bytes, seconds });
            seconds
        });
        seconds.unwrap_or_else(closed)
    }
}
