//! How ranks meet: over the network of devices of their own, on the device that they share, or in the memory of the
//! host.

use super::Executable;
use super::session::Session;
use super::tasks::Call;
use crate::collective::calls::{Element, Plan, Request, Spot};
use crate::collective::{Issue, Network, Parameter, motions};
use crate::device::{Device, Place, Queue};
use crate::module::{ALIGN, Launch};
use crate::target::Target;
use crate::words;
use partita_ir::diag::{Code as ErrorCode, Diagnostic};
use partita_ir::dtype::Type;
use partita_ir::tensor::Tensor;
use partita_runtime::code::{Address, Site, Task};
use partita_runtime::exchange::Exchange;
use partita_runtime::exchange::motion::Motion;
use partita_runtime::exchange::motion::Place::{Operand, Result as Gets};
use std::sync::Arc;

/// Collectives and transfers of a stage under way, and by device of the stage where they end.
pub(super) struct Meetings<D: Device>(Vec<(usize, Vec<D::Mark>)>);

impl<D: Device> Meetings<D> {
    /// Notes that one is under way at that site.
    pub(super) fn add(&mut self, site: usize, ends: Vec<D::Mark>) {
        self.0.push((site, ends));
    }
}

impl<D: Device> Default for Meetings<D> {
    fn default() -> Meetings<D> {
        Meetings(Vec::new())
    }
}

/// By rank, where an operand is and where its result goes, if it has any there.
type Pairs<M> = (Vec<Option<Place<M>>>, Vec<Option<Place<M>>>);

/// A stage that has come to a transfer.
pub(super) struct Arrived<D: Device> {
    pub(super) stage: usize,
    /// The site of its code.
    pub(super) number: usize,
    /// Name of the transfer in messages.
    pub(super) name: String,
    /// By device of the stage, where it has what it sends and where it receives.
    reads: Vec<Option<Place<D::Memory>>>,
    writes: Vec<Option<Place<D::Memory>>>,
    /// By device of the stage, the point behind what was launched before.
    ready: Vec<D::Mark>,
}

impl<D: Device> Session<'_, D> {
    /// Begins a collective as soon as what was launched before is done. What is launched behind it does not wait.
    pub(super) fn start(
        &self,
        task: &Task<Launch>,
        number: usize,
        call: &Call<D::Memory>,
        meetings: &mut Meetings<D>,
    ) -> Result<(), Diagnostic> {
        let pairs = task.reads.iter().zip(&task.writes).map(|(&read, &write)| {
            let (mut reads, mut writes) = (vec![None; self.held.len()], vec![None; self.held.len()]);
            for place in 0..call.ports.len() {
                let rank = self.rank(call.stage, place);
                reads[rank] = Some(self.place(place, read, call)?);
                writes[rank] = Some(self.place(place, write, call)?);
            }
            Ok((reads, writes))
        });
        let pairs: Vec<Pairs<D::Memory>> = pairs.collect::<Result<_, Diagnostic>>()?;
        for device in self.executable.devices_of(call.stage) {
            let ready = device.mark(Queue::Compute)?;
            device.follow(Queue::Meet, &ready)?;
        }
        let begun = self.meet(call.stage, number, pairs);
        // What was begun of it is waited for, even if it was not all.
        meetings.add(number, self.ends(call.stage)?);
        begun
    }

    /// The points behind all that devices of a stage do for collectives and transfers.
    pub(super) fn ends(&self, stage: usize) -> Result<Vec<D::Mark>, Diagnostic> {
        self.executable.devices_of(stage).map(|device| device.mark(Queue::Meet)).collect()
    }

    /// Carries out the exchanges of a site between places of ranks.
    fn meet(&self, stage: usize, number: usize, pairs: Vec<Pairs<D::Memory>>) -> Result<(), Diagnostic> {
        let Executable { module, plans, network, .. } = self.executable;
        let site = &module.code[stage].sites[number];
        match (network, &plans[stage][number]) {
            (Some(network), Some(plans)) => self.over_network(&**network, site, plans, &pairs),
            _ => site.exchanges.iter().zip(pairs).try_for_each(|(exchange, (reads, writes))| {
                if self.on_device(site, exchange, &reads, &writes)? {
                    return Ok(());
                }
                self.on_host(site, exchange, reads, &writes)
            }),
        }
    }

    /// A stage that comes to a transfer.
    pub(super) fn arrived(
        &self,
        number: usize,
        task: &Task<Launch>,
        call: &Call<D::Memory>,
    ) -> Result<Arrived<D>, Diagnostic> {
        let devices = 0..call.ports.len();
        let places = |addresses: &[Address]| -> Result<Vec<Option<Place<D::Memory>>>, Diagnostic> {
            let first = addresses.first();
            devices.clone().map(|place| first.map(|&at| self.place(place, at, call)).transpose()).collect()
        };
        let marks = self.executable.devices_of(call.stage).map(|device| device.mark(Queue::Compute));
        Ok(Arrived {
            stage: call.stage,
            number,
            name: self.executable.module.code[call.stage].sites[number].name.clone(),
            reads: places(&task.reads)?,
            writes: places(&task.writes)?,
            ready: marks.collect::<Result<_, _>>()?,
        })
    }

    /// Begins a transfer as soon as what its stages launched before is done.
    pub(super) fn transfer(&self, all: &[Arrived<D>]) -> Result<(), Diagnostic> {
        let (mut reads, mut writes) = (vec![None; self.held.len()], vec![None; self.held.len()]);
        for arrived in all {
            for (place, (read, write)) in arrived.reads.iter().zip(&arrived.writes).enumerate() {
                let rank = self.rank(arrived.stage, place);
                (reads[rank], writes[rank]) = (read.clone(), write.clone());
            }
            for (device, ready) in self.executable.devices_of(arrived.stage).zip(&arrived.ready) {
                device.follow(Queue::Meet, ready)?;
            }
        }
        // Messages are counted from the site of the sender on.
        match all.iter().find(|arrived| arrived.reads.iter().any(Option::is_some)) {
            Some(Arrived { stage, number, .. }) => self.meet(*stage, *number, vec![(reads, writes)]),
            None => Ok(()),
        }
    }

    /// Lets what a stage launches from now on begin when a collective or transfer is complete.
    pub(super) fn wait(&self, stage: usize, number: usize, meetings: &mut Meetings<D>) -> Result<(), Diagnostic> {
        let Some(at) = meetings.0.iter().position(|(under_way, _)| *under_way == number) else { return Ok(()) };
        let (_, ends) = meetings.0.remove(at);
        self.executable.devices_of(stage).zip(&ends).try_for_each(|(device, end)| device.follow(Queue::Compute, end))
    }

    /// The same for all that are under way.
    pub(super) fn wait_for_all(&self, stage: usize, meetings: &mut Meetings<D>) -> Result<(), Diagnostic> {
        let mut ended = Ok(());
        while let Some((number, _)) = meetings.0.first() {
            ended = ended.and(self.wait(stage, *number, meetings));
        }
        ended
    }

    /// Lets ranks with devices of their own call their network.
    fn over_network(
        &self,
        network: &dyn Network<D>,
        site: &Site,
        plans: &[Plan],
        pairs: &[Pairs<D::Memory>],
    ) -> Result<(), Diagnostic> {
        let devices: Vec<&D> = self.executable.devices().collect();
        let address = |rank: usize, place: Option<&Place<D::Memory>>| {
            // Members that send or receive nothing have no place.
            let Some(place) = place else { return Ok(0) };
            let none = || Diagnostic::new(ErrorCode::R004, format!("{} has no addresses", devices[rank].name()));
            devices[rank].address(place).ok_or_else(none)
        };
        let (mut issues, mut behind, mut offset) = (Vec::new(), Vec::new(), 0);
        for ((exchange, plan), (reads, writes)) in site.exchanges.iter().zip(plans).zip(pairs) {
            let mut owns = Vec::with_capacity(devices.len());
            for (rank, (read, write)) in reads.iter().zip(writes).enumerate() {
                let staged = self.held[rank].staged.clone().map(|memory| Place { memory, offset });
                let (operand, result) = (address(rank, read.as_ref())?, address(rank, write.as_ref())?);
                owns.push(Own { operand, result, staged: address(rank, staged.as_ref())? });
            }
            let owns: Arc<[Own]> = owns.into();
            offset += staged_bytes(plan);
            for members in groups(site) {
                self.carry_out(exchange, &plan.own, members, |rank| (owns[rank].operand, owns[rank].result))?;
                self.carry_out(exchange, &plan.before, members, |rank| (owns[rank].operand, owns[rank].staged))?;
                for (position, (requests, &rank)) in plan.requests.iter().zip(members).enumerate() {
                    let at = |spot| owns[rank].at(spot, plan.element);
                    issues.extend(requests.iter().map(|&Request { call, count, from, to }| Issue {
                        members,
                        position,
                        request: Request { call, count, from: at(from), to: at(to) },
                        element: plan.element,
                        combine: plan.combine,
                    }));
                }
                behind.push((exchange, plan, members, owns.clone()));
            }
        }
        network.meet(&devices, &issues)?;
        behind.into_iter().try_for_each(|(exchange, plan, members, owns)| {
            self.carry_out(exchange, &plan.after, members, |rank| (owns[rank].staged, owns[rank].result))
        })
    }

    /// Lets the device that all ranks share move what a collective moves, from and to places by rank. False if it
    /// cannot.
    fn on_device(
        &self,
        site: &Site,
        exchange: &Exchange,
        reads: &[Option<Place<D::Memory>>],
        writes: &[Option<Place<D::Memory>>],
    ) -> Result<bool, Diagnostic> {
        let [seat] = &self.executable.seats[..] else { return Ok(false) };
        let Some(motions) = motions(exchange) else { return Ok(false) };
        let address = |place: &Option<Place<D::Memory>>| match place {
            Some(place) => seat.device.address(place),
            None => Some(0),
        };
        let addresses = reads.iter().zip(writes).map(|(from, to)| Some((address(from)?, address(to)?)));
        let Some(addresses) = addresses.collect::<Option<Vec<_>>>() else { return Ok(false) };
        groups(site).try_for_each(|members| self.carry_out(exchange, &motions, members, |rank| addresses[rank]))?;
        Ok(true)
    }

    /// Carries out motions of a group, each on the device of who gets something, between places that are known by rank.
    fn carry_out(
        &self,
        exchange: &Exchange,
        motions: &[Motion],
        members: &[usize],
        ends: impl Fn(usize) -> (u64, u64),
    ) -> Result<(), Diagnostic> {
        let ends: Vec<(u64, u64)> = members.iter().map(|&rank| ends(rank)).collect();
        motions.iter().try_for_each(|motion| {
            let Some(&(Operand(member) | Gets(member))) = motion.to.first() else { return Ok(()) };
            self.executable.seat(members[member]).device.carry_out(&Parameter::new(exchange, motion, &ends)?)
        })
    }

    /// Performs a collective in the memory of the host, from and to places by rank.
    fn on_host(
        &self,
        site: &Site,
        exchange: &Exchange,
        reads: Vec<Option<Place<D::Memory>>>,
        writes: &[Option<Place<D::Memory>>],
    ) -> Result<(), Diagnostic> {
        let target = self.executable.module.target;
        let (from, to) = (exchange.operand(), exchange.result());
        let held = reads.into_iter().enumerate().filter_map(|(rank, place)| Some((rank, place?)));
        let (ranks, places): (Vec<usize>, Vec<Place<D::Memory>>) = held.unzip();
        let brought = self.executable.download(places, target.words(from), |at| ranks[at])?;
        let mut operands: Vec<Vec<u32>> = vec![vec![0; target.words(from)]; writes.len()];
        ranks.into_iter().zip(brought).for_each(|(rank, words)| operands[rank] = words);
        for members in groups(site) {
            let operands: Vec<&[u32]> = members.iter().map(|&member| &operands[member][..]).collect();
            let results = exchanged(exchange, &operands, (from, to), target)?;
            for (&member, words) in members.iter().zip(results) {
                let Some(place) = &writes[member] else { continue };
                self.executable.seat(member).device.upload(place, &words)?;
            }
        }
        Ok(())
    }
}

impl<D: Device> Executable<D> {
    /// So many words at a place of each rank, in the memory of the rank that `owner` says.
    pub(super) fn download(
        &self,
        places: Vec<Place<D::Memory>>,
        words: usize,
        owner: impl Fn(usize) -> usize,
    ) -> Result<Vec<Vec<u32>>, Diagnostic> {
        if let [seat] = &self.seats[..] {
            let places: Vec<_> = places.into_iter().map(|place| (place, words)).collect();
            return seat.device.download(&places);
        }
        let one = |(rank, place)| Ok(self.seat(owner(rank)).device.download(&[(place, words)])?.swap_remove(0));
        places.into_iter().enumerate().map(one).collect()
    }
}

/// Where a rank has what it gives, gets and stages.
struct Own {
    operand: u64,
    result: u64,
    staged: u64,
}

impl Own {
    /// The address of a place in it.
    fn at(&self, spot: Spot, element: Element) -> u64 {
        let (base, at) = match spot {
            Spot::Operand(at) => (self.operand, at),
            Spot::Result(at) => (self.result, at),
            Spot::Staged(at) => (self.staged, at),
        };
        base + (at * width(element)) as u64
    }
}

/// The ranks of each group that meets there, by position.
fn groups(site: &Site) -> impl Iterator<Item = &[usize]> {
    site.groups.iter().filter(|group| group.position() == 0).map(|group| &group.members()[..])
}

/// Bytes of an element in a device's memory.
fn width(element: Element) -> usize {
    match element {
        Element::F32 | Element::I32 | Element::U32 => 4,
        Element::F16 | Element::Bf16 => 2,
    }
}

/// Bytes that each rank stages for an operand.
pub(super) fn staged_bytes(plan: &Plan) -> usize {
    (plan.staged * width(plan.element)).next_multiple_of(ALIGN)
}

/// What each member gets of an exchange, as words.
fn exchanged(
    exchange: &Exchange,
    operands: &[&[u32]],
    (from, to): (&Type, &Type),
    target: Target,
) -> Result<Vec<Vec<u32>>, Diagnostic> {
    let words = |bytes: u64| vec![0u64; bytes.div_ceil(8) as usize];
    let operand = |held: &&[u32]| {
        let mut buffer = words(from.bytes());
        let bytes = words::tensor(from, target, held).to_bytes();
        bytemuck::cast_slice_mut::<u64, u8>(&mut buffer)[..bytes.len()].copy_from_slice(&bytes);
        buffer
    };
    let operands: Vec<Vec<u64>> = operands.iter().map(operand).collect();
    let mut results: Vec<Vec<u64>> = operands.iter().map(|_| words(to.bytes())).collect();
    let inputs: Vec<&[u64]> = operands.iter().map(Vec::as_slice).collect();
    let mut outputs: Vec<&mut [u64]> = results.iter_mut().map(Vec::as_mut_slice).collect();
    exchange.run(&inputs, &mut outputs, 1)?;
    let held = |result: &Vec<u64>| {
        let bytes = &bytemuck::cast_slice::<u64, u8>(result)[..to.bytes() as usize];
        words::of(&Tensor::from_bytes(to.clone(), bytes), target, "what a collective gave")
    };
    results.iter().map(held).collect()
}
