//! What stages hand each other, as flows between the devices that stand for them.
//!
//! A device gets its piece either directly, or where several devices of the target get the same one, each of them gets
//! a share of it and they gather it among each other, if that takes less time (scatter/gather, Narayanan et al. 2021,
//! section 4.1).

use super::Failure;
use crate::pipeline::{Costs, SentOnce, Transfer};
use crate::placement::{Lanes, Placement};
use crate::roofline::Efficiencies;
use crate::simulate::Route;
use partita_ir::layout::{Layout, piece};
use partita_ir::mesh::Mesh;
use partita_ir::pipeline::{Moment, Pipeline, messages};
use partita_ir::schedule::Work;
use partita_machine::Machine;
use partita_machine::collective::CollectiveKind;
use partita_machine::collective::choice::Prices;
use rustc_hash::FxHashMap;

/// Writes what transfers cost.
pub(super) struct Transfers<'a> {
    pub(super) pipeline: &'a Pipeline,
    pub(super) machine: &'a Machine,
    pub(super) placement: &'a Placement,
    pub(super) efficiencies: &'a Efficiencies,
    pub(super) prices: &'a Prices<'a>,
    pub(super) lanes: &'a mut Lanes,
}

/// What a device of the target gets of a value.
#[derive(Clone, PartialEq, Debug)]
struct Got {
    /// The rank that sends it the most.
    from: usize,
    /// How many elements.
    count: u64,
    /// The ranks of the target that get the same.
    alike: Vec<usize>,
}

/// Something on its way between two stages, or several that go together.
#[derive(Clone, Default)]
struct Load {
    bytes: f64,
    links: Vec<usize>,
    latency: f64,
}

impl Transfers<'_> {
    /// Appends all transfers, and their routes.
    pub(super) fn write(&mut self, costs: &mut Costs) -> Result<(), Failure> {
        let edges = &self.pipeline.schedule.parts().edges;
        let places: FxHashMap<(usize, usize), usize> = edges.iter().copied().zip(0..).collect();
        let mut loads: Vec<[Load; 2]> = vec![Default::default(); edges.len()];
        let mut seen: Vec<(usize, Got)> = Vec::new();
        for (number, transfer) in self.pipeline.transfers.iter().enumerate() {
            let stages = [transfer.from.0, transfer.to.0].map(|chunk| self.pipeline.schedule.home[chunk]);
            if stages[0] == stages[1] {
                continue;
            }
            let got = self.got(number, &mut seen);
            let load = self.load(number, stages, &got)?;
            let edge = |from: usize, to: usize| places.get(&(from, to)).copied();
            let to = match transfer.behind {
                Moment::Slot(Work::Forward) => edge(transfer.from.0, transfer.to.0).map(|edge| &mut loads[edge][0]),
                Moment::Slot(_) => edge(transfer.to.0, transfer.from.0).map(|edge| &mut loads[edge][1]),
                behind @ (Moment::Before | Moment::After(_)) => {
                    costs.sent.push(SentOnce { stages, behind, bytes: load.bytes, route: costs.routes.len() });
                    costs.routes.push(Route { links: load.links, latency: load.latency });
                    continue;
                }
            };
            if let Some(all) = to {
                all.bytes += load.bytes;
                all.latency += load.latency;
                all.links = load.links;
            }
        }
        for [there, back] in loads {
            let route = costs.routes.len();
            let bytes = [there.bytes, back.bytes];
            costs.routes.extend([there, back].map(|load| Route { links: load.links, latency: load.latency }));
            costs.transfers.push(Transfer {
                bytes: bytes[0],
                route,
                gradient_bytes: bytes[1],
                gradient_route: route + 1,
            });
        }
        Ok(())
    }

    /// What a device gets of a transfer; of those that are alike it is found once.
    fn got(&self, number: usize, seen: &mut Vec<(usize, Got)>) -> Got {
        let ends = |number: usize| {
            let transfer = &self.pipeline.transfers[number];
            [transfer.from, transfer.to].map(|(chunk, cell)| {
                let chunk = &self.pipeline.chunks[chunk];
                (&chunk.cells[cell], &chunk.mesh)
            })
        };
        let [from, to] = ends(number);
        let is_alike = |other: usize| {
            let [of, at] = ends(other);
            let same = |a: (&partita_ir::pipeline::Cell, &Mesh), b: (&partita_ir::pipeline::Cell, &Mesh)| {
                a.0.ty.shape == b.0.ty.shape && a.0.layout == b.0.layout && a.1.axes == b.1.axes
            };
            same(from, of) && same(to, at)
        };
        if let Some((_, got)) = seen.iter().find(|(other, _)| is_alike(*other)) {
            return got.clone();
        }
        let (shape, layout) = (&to.0.ty.shape, to.0.layout.as_deref());
        let all = messages(shape, (from.0.layout.as_deref(), from.1), (layout, to.1));
        let mine = all.iter().filter(|message| message.to == 0 || message.onward.contains(&0));
        let most = mine.max_by_key(|message| (message.count(), std::cmp::Reverse(message.from)));
        let held = |rank: usize| held(shape, layout, to.1, rank);
        let alike = (0..to.1.device_count()).filter(|&rank| held(rank) == held(0)).collect();
        let count = held(0).iter().map(|(_, len)| *len as u64).product();
        let got = Got { from: most.map_or(0, |message| message.from), count, alike };
        seen.push((number, got.clone()));
        got
    }

    /// How it goes over the machine.
    fn load(&mut self, number: usize, stages: [usize; 2], got: &Got) -> Result<Load, Failure> {
        let transfer = &self.pipeline.transfers[number];
        let dtype = self.pipeline.chunks[transfer.to.0].cells[transfer.to.1].ty.dtype;
        let bytes = got.count as f64 * dtype.bytes() as f64;
        let [source, target] = stages.map(|stage| &self.placement.stages[stage][..]);
        let (from, to) = (source[got.from], target[0]);
        // All devices of the stage that are in this node send at the same time.
        let node = |device: usize| self.machine.place_of(device).map(|(kind, number, _)| (kind, number));
        let pairs = source.iter().filter(|&&device| node(device) == node(from)).count();
        let (links, latency) = self.lanes.route(self.machine, from, to, pairs)?;
        let direct = Load { bytes, links, latency };
        if got.alike.len() < 2 {
            return Ok(direct);
        }
        let group: Vec<usize> = got.alike.iter().map(|&rank| target[rank]).collect();
        let here = |devices: &[usize]| devices.iter().filter(|&&device| node(device) == node(to)).count().max(1);
        let groups = (here(target) / here(&group)).max(1);
        let Some(gather) = self.prices.cheapest(&CollectiveKind::AllGather, bytes as u64, &group, groups) else {
            return Ok(direct);
        };
        let scattered = Load {
            bytes: bytes / group.len() as f64,
            links: direct.links.clone(),
            latency: direct.latency + gather.seconds / self.efficiencies.link,
        };
        let seconds = |load: &Load| {
            let widths = load.links.iter().map(|&link| self.lanes.bandwidths[link]);
            load.latency + load.bytes / (widths.fold(f64::INFINITY, f64::min) * self.efficiencies.link)
        };
        Ok(if seconds(&scattered) < seconds(&direct) { scattered } else { direct })
    }
}

/// What a device holds of a value: by dimension where it begins and how much it is.
fn held(shape: &partita_ir::dtype::Shape, layout: Option<&Layout>, mesh: &Mesh, rank: usize) -> Vec<(usize, usize)> {
    let coords = mesh.coords(rank);
    let dims = shape.iter().enumerate().map(|(dim, &size)| {
        let axes = layout.map_or(&[][..], |layout| &layout.dims[dim].axes);
        let piece = piece(size, axes, mesh, &coords);
        (piece.start, piece.len)
    });
    dims.collect()
}
