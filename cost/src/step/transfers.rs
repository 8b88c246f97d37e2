//! Transfers between stages as flows between the representative devices.
//!
//! A device receives its shard directly. If several target devices need the same shard, each of them can receive a part
//! and all-gather the rest among themselves, if this is faster (scatter/gather optimisation, Narayanan et al. 2021,
//! section 4.1).

use super::PredictError;
use crate::pipeline::{EdgeTransfer, OncePerStepTransfer, ScheduleCosts};
use crate::placement::{LinkTable, Placement};
use crate::roofline::Efficiencies;
use crate::simulate::Route;
use partita_ir::layout::{Layout, dim_shard};
use partita_ir::mesh::DeviceMesh;
use partita_ir::pipeline::{Pipeline, TaskTime, messages_to_first};
use partita_ir::schedule::Work;
use partita_machine::Machine;
use partita_machine::collective::CollectiveKind;
use partita_machine::collective::choice::Prices;
use rustc_hash::FxHashMap;

/// Computes the costs of transfers.
pub(super) struct TransferPricing<'a> {
    pub(super) pipeline: &'a Pipeline,
    pub(super) machine: &'a Machine,
    pub(super) placement: &'a Placement,
    pub(super) efficiencies: &'a Efficiencies,
    pub(super) prices: &'a Prices<'a>,
    pub(super) link_table: &'a mut LinkTable,
    /// Received data of transfers with different shapes, layouts and meshes, each with the index of a transfer.
    pub(super) seen: &'a mut Vec<(usize, Received)>,
}

/// Data that rank 0 of the target stage receives.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Received {
    /// The rank that sends the largest part.
    from: usize,
    /// Number of elements.
    count: u64,
    /// Target ranks that receive the same data.
    same_shard: Vec<usize>,
}

/// Cost of one or more transfers between two stages.
#[derive(Clone, Default)]
struct TransferLoad {
    bytes: f64,
    links: Vec<usize>,
    latency: f64,
}

impl TransferPricing<'_> {
    /// Appends the costs and routes of all transfers between stages.
    pub(super) fn write(&mut self, costs: &mut ScheduleCosts) -> Result<(), PredictError> {
        let edges = &self.pipeline.schedule.work().edges;
        let places: FxHashMap<(usize, usize), usize> = edges.iter().copied().zip(0..).collect();
        let mut loads: Vec<[TransferLoad; 2]> = vec![Default::default(); edges.len()];
        for (number, transfer) in self.pipeline.transfers.iter().enumerate() {
            let stages = [transfer.from.0, transfer.to.0].map(|chunk| self.pipeline.schedule.stage_of_chunk[chunk]);
            if stages[0] == stages[1] {
                continue;
            }
            let received = self.received(number);
            let load = self.load(number, stages, &received)?;
            let edge = |from: usize, to: usize| places.get(&(from, to)).copied();
            let to = match transfer.after {
                TaskTime::Slot(Work::Forward) => edge(transfer.from.0, transfer.to.0).map(|edge| &mut loads[edge][0]),
                TaskTime::Slot(_) => edge(transfer.to.0, transfer.from.0).map(|edge| &mut loads[edge][1]),
                moment @ (TaskTime::Before | TaskTime::After(_)) => {
                    costs.once_per_step_transfers.push(OncePerStepTransfer {
                        stages,
                        moment,
                        bytes: load.bytes,
                        route: costs.routes.len(),
                    });
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
        for [forward, gradient] in loads {
            let route = costs.routes.len();
            let bytes = [forward.bytes, gradient.bytes];
            costs.routes.extend([forward, gradient].map(|load| Route { links: load.links, latency: load.latency }));
            costs.transfers.push(EdgeTransfer {
                bytes: bytes[0],
                route,
                gradient_bytes: bytes[1],
                gradient_route: route + 1,
            });
        }
        Ok(())
    }

    /// Returns the data that rank 0 of the target stage receives in a transfer. Transfers with identical shapes,
    /// layouts and meshes are computed once.
    fn received(&mut self, number: usize) -> Received {
        let ends = |number: usize| {
            let transfer = &self.pipeline.transfers[number];
            [transfer.from, transfer.to].map(|(chunk, cell)| {
                let chunk = &self.pipeline.chunks[chunk];
                (&chunk.cells[cell], &chunk.mesh)
            })
        };
        let [from, to] = ends(number);
        let is_identical = |other: usize| {
            let [of, at] = ends(other);
            let same = |a: (&partita_ir::pipeline::Cell, &DeviceMesh),
                        b: (&partita_ir::pipeline::Cell, &DeviceMesh)| {
                a.0.ty.shape == b.0.ty.shape && a.0.layout == b.0.layout && a.1.axes == b.1.axes
            };
            same(from, of) && same(to, at)
        };
        if let Some((_, received)) = self.seen.iter().find(|(other, _)| is_identical(*other)) {
            return received.clone();
        }
        let (shape, layout) = (&to.0.ty.shape, to.0.layout.as_deref());
        let mine = messages_to_first(shape, (from.0.layout.as_deref(), from.1), (layout, to.1));
        let largest = mine.iter().max_by_key(|message| (message.count(), std::cmp::Reverse(message.from)));
        let extent = |rank: usize| shard_extent(shape, layout, to.1, rank);
        let same_shard = (0..to.1.device_count()).filter(|&rank| extent(rank) == extent(0)).collect();
        let count = extent(0).iter().map(|(_, len)| *len as u64).product();
        let received = Received { from: largest.map_or(0, |message| message.from), count, same_shard };
        self.seen.push((number, received.clone()));
        received
    }

    /// Returns the route and bytes of a transfer.
    fn load(&mut self, number: usize, stages: [usize; 2], received: &Received) -> Result<TransferLoad, PredictError> {
        let transfer = &self.pipeline.transfers[number];
        let dtype = self.pipeline.chunks[transfer.to.0].cells[transfer.to.1].ty.dtype;
        let bytes = received.count as f64 * dtype.bytes() as f64;
        let [source, target] = stages.map(|stage| &self.placement.stages[stage][..]);
        let (from, to) = (source[received.from], target[0]);
        // All devices of the source stage in this node send simultaneously.
        let node = |device: usize| self.machine.locate_device(device).map(|(kind, number, _)| (kind, number));
        let pairs = source.iter().filter(|&&device| node(device) == node(from)).count();
        let (links, latency) = self.link_table.route(self.machine, from, to, pairs, self.efficiencies)?;
        let direct = TransferLoad { bytes, links, latency };
        if received.same_shard.len() < 2 {
            return Ok(direct);
        }
        let group: Vec<usize> = received.same_shard.iter().map(|&rank| target[rank]).collect();
        let here = |devices: &[usize]| devices.iter().filter(|&&device| node(device) == node(to)).count().max(1);
        let groups = (here(target) / here(&group)).max(1);
        let Some(gather) = self.prices.cheapest(&CollectiveKind::AllGather, bytes as u64, &group, groups) else {
            return Ok(direct);
        };
        let scattered = TransferLoad {
            bytes: bytes / group.len() as f64,
            links: direct.links.clone(),
            latency: direct.latency
                + self.efficiencies.collective_seconds(self.machine.achieved_link(&group), gather.seconds),
        };
        let seconds = |load: &TransferLoad| {
            let bandwidths = load.links.iter().map(|&link| self.link_table.bandwidths[link]);
            load.latency + load.bytes / (bandwidths.fold(f64::INFINITY, f64::min))
        };
        Ok(if seconds(&scattered) < seconds(&direct) { scattered } else { direct })
    }
}

/// Returns the start and size of a device's shard in each dimension.
fn shard_extent(
    shape: &partita_ir::dtype::Shape,
    layout: Option<&Layout>,
    mesh: &DeviceMesh,
    rank: usize,
) -> Vec<(usize, usize)> {
    let coords = mesh.coords(rank);
    let dims = shape.iter().enumerate().map(|(dim, &size)| {
        let axes = layout.map_or(&[][..], |layout| &layout.dims[dim].axes);
        let shard = dim_shard(size, axes, mesh, &coords);
        (shard.start, shard.len)
    });
    dims.collect()
}
