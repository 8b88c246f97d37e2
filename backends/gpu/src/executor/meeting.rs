//! How ranks meet: over the network of devices of their own, on the device that they share, or in the memory of the
//! host.

use super::Executable;
use super::session::Session;
use super::tasks::Inputs;
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

/// Collectives under way, and by seat where they end.
pub(super) struct Meetings<D: Device>(Vec<(usize, Vec<D::Mark>)>);

impl<D: Device> Default for Meetings<D> {
    fn default() -> Meetings<D> {
        Meetings(Vec::new())
    }
}

/// By rank, where an operand is and where its result goes.
type Pairs<M> = (Vec<Place<M>>, Vec<Place<M>>);

impl<D: Device> Session<'_, D> {
    /// Begins a collective as soon as what was launched before is done. What is launched behind it does not wait.
    pub(super) fn start(
        &self,
        task: &Task<Launch>,
        number: usize,
        frame: usize,
        inputs: &Inputs<D>,
        meetings: &mut Meetings<D>,
    ) -> Result<(), Diagnostic> {
        let Executable { module, plans, network, .. } = self.executable;
        let site = &module.code.sites[number];
        let places = |at: Address| -> Result<Vec<Place<D::Memory>>, Diagnostic> {
            (0..self.held.len()).map(|rank| self.place(rank, at, frame, &inputs[rank])).collect()
        };
        let pairs = task.reads.iter().zip(&task.writes).map(|(&read, &write)| Ok((places(read)?, places(write)?)));
        let pairs: Vec<Pairs<D::Memory>> = pairs.collect::<Result<_, Diagnostic>>()?;
        for device in self.executable.devices() {
            let ready = device.mark(Queue::Compute)?;
            device.follow(Queue::Meet, &ready)?;
        }
        let begun = match (network, plans.get(number)) {
            (Some(network), Some(Some(plans))) => self.over_network(&**network, site, plans, &pairs),
            _ => site.exchanges.iter().zip(pairs).try_for_each(|(exchange, (reads, writes))| {
                if self.on_device(site, exchange, &reads, &writes)? {
                    return Ok(());
                }
                self.on_host(site, exchange, reads, &writes)
            }),
        };
        // What was begun of it is waited for, even if it was not all.
        let ends = self.executable.devices().map(|device| device.mark(Queue::Meet)).collect::<Result<_, _>>()?;
        meetings.0.push((number, ends));
        begun
    }

    /// Lets what is launched from now on begin when a collective is complete.
    pub(super) fn wait(&self, number: usize, meetings: &mut Meetings<D>) -> Result<(), Diagnostic> {
        let Some(at) = meetings.0.iter().position(|(under_way, _)| *under_way == number) else { return Ok(()) };
        let (_, ends) = meetings.0.remove(at);
        self.executable.devices().zip(&ends).try_for_each(|(device, end)| device.follow(Queue::Compute, end))
    }

    /// The same for all that are under way.
    pub(super) fn wait_for_all(&self, meetings: &mut Meetings<D>) -> Result<(), Diagnostic> {
        let mut ended = Ok(());
        while let Some((number, _)) = meetings.0.first() {
            ended = ended.and(self.wait(*number, meetings));
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
        let address = |rank: usize, place: &Place<D::Memory>| {
            let none = || Diagnostic::new(ErrorCode::R004, format!("{} has no addresses", devices[rank].name()));
            devices[rank].address(place).ok_or_else(none)
        };
        let (mut issues, mut behind, mut offset) = (Vec::new(), Vec::new(), 0);
        for ((exchange, plan), (reads, writes)) in site.exchanges.iter().zip(plans).zip(pairs) {
            let mut owns = Vec::with_capacity(devices.len());
            for (rank, (read, write)) in reads.iter().zip(writes).enumerate() {
                let staged = self.held[rank].staged.clone().map(|memory| address(rank, &Place { memory, offset }));
                let (operand, result) = (address(rank, read)?, address(rank, write)?);
                owns.push(Own { operand, result, staged: staged.transpose()?.unwrap_or(0) });
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
        reads: &[Place<D::Memory>],
        writes: &[Place<D::Memory>],
    ) -> Result<bool, Diagnostic> {
        let [seat] = &self.executable.seats[..] else { return Ok(false) };
        let Some(motions) = motions(exchange) else { return Ok(false) };
        let address = |place| seat.device.address(place);
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
        reads: Vec<Place<D::Memory>>,
        writes: &[Place<D::Memory>],
    ) -> Result<(), Diagnostic> {
        let target = self.executable.module.target;
        let (from, to) = (exchange.operand(), exchange.result());
        let brought = self.executable.download(reads, target.words(from), |rank| rank)?;
        for members in groups(site) {
            let operands: Vec<&[u32]> = members.iter().map(|&m| &brought[m][..]).collect();
            let results = exchanged(exchange, &operands, (from, to), target)?;
            for (&member, words) in members.iter().zip(results) {
                self.executable.seat(member).device.upload(&writes[member], &words)?;
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
