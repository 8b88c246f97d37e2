//! Data movement between two plans: assigns positions of the new plan to devices so that few bytes move, and selects
//! the senders. A position is a rank of a stage; positions are numbered over all stages.
//!
//! A device must receive each element that its position needs and that it does not have, exactly once. For given
//! devices, this is the minimum. The choice of devices is a linear assignment problem, which [`min_cost_assignment`]
//! solves exactly (Kuhn 1955; Jonker and Volgenant 1987). Of several assignments with equal movement, the one closest
//! to the preferences of the new plan is selected. If several devices have the data, the one that has sent least sends
//! it. Data that no device has is read from the checkpoint.

#[cfg(test)]
mod tests;

use super::assignment::min_cost_assignment;
use super::regions::{self, Region, difference, intersection, region_bytes};
use crate::limits::SearchLimits;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Shard of a tensor on one device, if it has one.
pub type OptionalRegion = Option<Region>;

/// A tensor that both plans have, with its shards under each plan.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TensorShards {
    /// Path of the tensor.
    pub name: String,
    /// Bytes per element.
    pub width: u64,
    /// Shard of each device under the old plan.
    pub has: Vec<OptionalRegion>,
    /// Shard of each position of the new plan.
    pub needs: Vec<OptionalRegion>,
}

/// A transfer between two devices, or a read from the checkpoint.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ShardMove {
    /// Index of the tensor.
    pub tensor: usize,
    /// Sending device. `None` if the data is read from the checkpoint.
    pub from: Option<usize>,
    /// Receiving device.
    pub to: usize,
    /// Elements that are moved.
    pub region: Region,
    /// Size in bytes.
    pub bytes: u64,
}

/// Assignment of positions to devices, and all moves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Moves {
    /// Device of each position of the new plan.
    pub devices: Vec<usize>,
    /// Moves in the order of tensors.
    pub all: Vec<ShardMove>,
    /// Lower bound in bytes over all assignments.
    pub bound: u64,
    /// Bytes that stay on their device.
    pub retained: u64,
}

impl Moves {
    /// Returns the bytes that move.
    pub fn bytes(&self) -> u64 {
        self.all.iter().map(|one| one.bytes).sum()
    }

    /// Returns the bytes that are read from the checkpoint.
    pub fn read_bytes(&self) -> u64 {
        self.all.iter().filter(|one| one.from.is_none()).map(|one| one.bytes).sum()
    }

    /// Returns the maximum bytes that one device sends.
    pub fn most_sent(&self) -> u64 {
        let mut sent = BTreeMap::new();
        for one in &self.all {
            *sent.entry(one.from).or_insert(0) += if one.from.is_some() { one.bytes } else { 0 };
        }
        sent.into_values().max().unwrap_or(0)
    }
}

/// Assigns positions to some of `devices`, at least as many as positions, and computes the moves. Data of other devices
/// is lost. `penalty` returns the penalty of a device for a position. It breaks ties between assignments with equal
/// movement, and up to the fraction `slack` of the bound can be moved in addition to reduce the penalty.
pub fn moves(tensors: &[TensorShards], devices: &[usize], penalty: &dyn Fn(usize, usize) -> u32, slack: f64) -> Moves {
    let positions = tensors.iter().map(|tensor| tensor.needs.len()).max().unwrap_or(0);
    assert!(positions <= devices.len());
    let missing = missing_bytes(tensors, devices, positions);
    // Bytes take precedence: the sum of all penalties is less than one byte.
    let most = 1 + (0..positions).map(|p| devices.iter().map(|&d| penalty(p, d)).max().unwrap_or(0)).max().unwrap_or(0);
    let scale = i128::from(most) * (positions as i128 + 1);
    let chosen = |weight: i128| {
        let cost = |p: usize, d: usize| i128::from(missing[p][d]) * scale + weight * i128::from(penalty(p, devices[d]));
        let chosen = min_cost_assignment(positions, devices.len(), &cost);
        let bytes: u64 = chosen.iter().enumerate().map(|(p, &d)| missing[p][d]).sum();
        (chosen, bytes)
    };
    let (exact, bound) = chosen(1);
    // The maximum total penalty has the weight of the permitted additional bytes, so that no more than these move.
    let weight = (slack * bound as f64) as i128 * scale / (i128::from(most) * (positions as i128 + 1));
    let (chosen, moved) = if weight > 1 { chosen(weight) } else { (exact, bound) };
    let chosen: Vec<usize> = chosen.into_iter().map(|d| devices[d]).collect();
    let needed: u64 = tensors.iter().flat_map(|t| t.needs.iter().flatten().map(|r| region_bytes(r, t.width))).sum();
    let all = shard_moves(tensors, devices, &chosen, moved);
    Moves { devices: chosen, all, bound, retained: needed - moved }
}

/// Returns the bytes that each device lacks for each position. Tensors with identical shards are computed once.
fn missing_bytes(tensors: &[TensorShards], devices: &[usize], positions: usize) -> Vec<Vec<u64>> {
    let mut groups: Vec<(&TensorShards, u64)> = Vec::new();
    let mut known: FxHashMap<(&[OptionalRegion], &[OptionalRegion]), usize> = FxHashMap::default();
    for tensor in tensors {
        let group = *known.entry((&tensor.has, &tensor.needs)).or_insert_with(|| {
            groups.push((tensor, 0));
            groups.len() - 1
        });
        groups[group].1 += tensor.width;
    }
    let mut missing = vec![vec![0u64; devices.len()]; positions];
    for (tensor, width) in groups {
        for (missing, needs) in missing.iter_mut().zip(&tensor.needs) {
            let Some(needs) = needs else { continue };
            for (missing, &device) in missing.iter_mut().zip(devices) {
                let has = tensor.has.get(device).and_then(Option::as_ref);
                let common =
                    has.and_then(|has| intersection(needs, has)).map_or(0, |common| region_bytes(&common, width));
                *missing += region_bytes(needs, width) - common;
            }
        }
    }
    missing
}

/// Data that a device lacks, and the devices that have it.
struct MissingData {
    tensor: usize,
    to: usize,
    region: Region,
    holders: Vec<usize>,
}

/// Selects the sender of each move, `total` bytes overall.
fn shard_moves(tensors: &[TensorShards], devices: &[usize], chosen: &[usize], total: u64) -> Vec<ShardMove> {
    let mut missing_data: Vec<MissingData> = Vec::new();
    for (number, tensor) in tensors.iter().enumerate() {
        for (needs, &to) in tensor.needs.iter().zip(chosen) {
            let Some(needs) = needs.as_ref().filter(|needs| region_bytes(needs, 1) > 0) else { continue };
            let own = tensor.has.get(to).and_then(Option::as_ref);
            let mut left = own.map_or_else(|| vec![needs.clone()], |own| difference(needs, own));
            let has = |&device: &usize| Some((device, tensor.has.get(device)?.as_ref()?));
            let shards: Vec<(usize, &Region)> = devices.iter().filter_map(has).collect();
            for (_, shard) in &shards {
                for region in left.iter().filter_map(|left| intersection(left, shard)).collect::<Vec<_>>() {
                    left = left.iter().flat_map(|left| difference(left, &region)).collect();
                    let is_in = |held: &Region| intersection(held, &region).is_some_and(|common| common == region);
                    let holders = shards.iter().filter(|(_, held)| is_in(held)).map(|&(device, _)| device).collect();
                    missing_data.push(MissingData { tensor: number, to, region, holders });
                }
            }
            missing_data.extend(left.into_iter().map(|region| MissingData {
                tensor: number,
                to,
                region,
                holders: Vec::new(),
            }));
        }
    }
    // Divides data larger than a quarter of a device's share if several devices have it.
    let senders =
        devices.iter().filter(|&&d| tensors.iter().any(|t| t.has.get(d).is_some_and(Option::is_some))).count();
    let share = (total / senders.max(1) as u64 / 4).max(SearchLimits::TUNED.min_split_transfer_bytes);
    let mut parts: Vec<MissingData> = Vec::new();
    for lack in missing_data {
        let bytes = region_bytes(&lack.region, tensors[lack.tensor].width);
        let count = bytes.div_ceil(share).min(4 * lack.holders.len() as u64);
        if count <= 1 || lack.holders.len() < 2 {
            parts.push(lack);
            continue;
        }
        let MissingData { tensor, to, region, holders } = lack;
        let one = |region| MissingData { tensor, to, region, holders: holders.clone() };
        parts.extend(regions::split_longest(&region, count as usize).map(one));
    }
    // Large parts first, so that small parts balance the rest.
    let bytes = |lack: &MissingData| region_bytes(&lack.region, tensors[lack.tensor].width);
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.sort_by_key(|&at| (parts[at].holders.len(), Reverse(bytes(&parts[at]))));
    let mut sent = vec![0u64; devices.iter().max().map_or(0, |most| most + 1)];
    let mut from = vec![None; parts.len()];
    for at in order {
        let least = parts[at].holders.iter().copied().min_by_key(|&device| (sent[device], device));
        if let Some(device) = least {
            sent[device] += bytes(&parts[at]);
        }
        from[at] = least;
    }
    let one = |(lack, from): (MissingData, Option<usize>)| {
        let bytes = bytes(&lack);
        ShardMove { tensor: lack.tensor, from, to: lack.to, region: lack.region, bytes }
    };
    parts.into_iter().zip(from).map(one).collect()
}
