//! What has to move when one plan takes the place of another: which position of the new plan goes to which device, so
//! that as little as possible moves, and who sends what.
//!
//! A device that takes a position must get what that position needs and the device does not have, each element of it
//! once. So for devices that are chosen nothing moves less than that, and which devices are chosen is an assignment
//! problem: [`assign`] solves it exactly (Kuhn 1955, in the form of Jonker and Volgenant 1987). Among choices that move
//! alike the one counts that is nearest to what the new plan would like. What several devices have, those of them send
//! who have sent least; what nobody has any more comes from the checkpoint.

#[cfg(test)]
mod tests;

use super::assign::assign;
use super::regions::{self, Region, bytes_of, common, without};
use crate::limits::SearchLimits;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Shard of a tensor, if there is one.
pub type Held = Option<Region>;

/// Tensor that both plans have, with its shards under each.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TensorShards {
    /// Path of the tensor.
    pub name: String,
    /// Bytes of an element.
    pub width: u64,
    /// Shard of each device under the old plan.
    pub has: Vec<Held>,
    /// Shard of each position of the new plan.
    pub needs: Vec<Held>,
}

/// Something that is sent, or read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Move {
    /// The number of the tensor.
    pub tensor: usize,
    /// The device that sends it; nobody if it comes from the checkpoint.
    pub from: Option<usize>,
    /// The device that gets it.
    pub to: usize,
    /// Which elements.
    pub region: Region,
    /// Its bytes.
    pub bytes: u64,
}

/// What moves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Moves {
    /// By position of the new plan, its device.
    pub devices: Vec<usize>,
    /// In the order of tensors.
    pub all: Vec<Move>,
    /// Bytes that no choice of devices moves less than.
    pub bound: u64,
    /// Bytes that stay where they are.
    pub kept: u64,
}

impl Moves {
    /// Bytes that move.
    pub fn bytes(&self) -> u64 {
        self.all.iter().map(|one| one.bytes).sum()
    }

    /// Of them, those that come from the checkpoint.
    pub fn read_bytes(&self) -> u64 {
        self.all.iter().filter(|one| one.from.is_none()).map(|one| one.bytes).sum()
    }

    /// The most bytes that a device sends.
    pub fn most_sent(&self) -> u64 {
        let mut sent = BTreeMap::new();
        for one in &self.all {
            *sent.entry(one.from).or_insert(0) += if one.from.is_some() { one.bytes } else { 0 };
        }
        sent.into_values().max().unwrap_or(0)
    }
}

/// What moves when positions go to some of `devices`, at least as many as there are positions. What a device has that
/// is not among them is lost. `liked` says how little a position likes a device: it decides among choices that move
/// alike, and for what is liked more a share of `slack` may move beyond the bound.
pub fn moves(tensors: &[TensorShards], devices: &[usize], liked: &dyn Fn(usize, usize) -> u32, slack: f64) -> Moves {
    let positions = tensors.iter().map(|tensor| tensor.needs.len()).max().unwrap_or(0);
    debug_assert!(positions <= devices.len());
    let lacks = lacks(tensors, devices, positions);
    // Bytes count first, and then what is liked: all of it together is less than a byte.
    let most = 1 + (0..positions).map(|p| devices.iter().map(|&d| liked(p, d)).max().unwrap_or(0)).max().unwrap_or(0);
    let scale = i128::from(most) * (positions as i128 + 1);
    let chosen = |weight: i128| {
        let cost = |p: usize, d: usize| i128::from(lacks[p][d]) * scale + weight * i128::from(liked(p, devices[d]));
        let chosen = assign(positions, devices.len(), &cost);
        let bytes: u64 = chosen.iter().enumerate().map(|(p, &d)| lacks[p][d]).sum();
        (chosen, bytes)
    };
    let (exact, bound) = chosen(1);
    // All that may be disliked weighs as much as what may move beyond the bound: so no more than that does.
    let weight = (slack * bound as f64) as i128 * scale / (i128::from(most) * (positions as i128 + 1));
    let (chosen, moved) = if weight > 1 { chosen(weight) } else { (exact, bound) };
    let chosen: Vec<usize> = chosen.into_iter().map(|d| devices[d]).collect();
    let needed: u64 = tensors.iter().flat_map(|t| t.needs.iter().flatten().map(|r| bytes_of(r, t.width))).sum();
    let all = sends(tensors, devices, &chosen, moved);
    Moves { devices: chosen, all, bound, kept: needed - moved }
}

/// By position and number of a device, the bytes that it would lack there. Tensors that lie alike are looked at once.
fn lacks(tensors: &[TensorShards], devices: &[usize], positions: usize) -> Vec<Vec<u64>> {
    let mut groups: Vec<(&TensorShards, u64)> = Vec::new();
    let mut known: FxHashMap<(&[Held], &[Held]), usize> = FxHashMap::default();
    for tensor in tensors {
        let group = *known.entry((&tensor.has, &tensor.needs)).or_insert_with(|| {
            groups.push((tensor, 0));
            groups.len() - 1
        });
        groups[group].1 += tensor.width;
    }
    let mut lacks = vec![vec![0u64; devices.len()]; positions];
    for (tensor, width) in groups {
        for (lacks, needs) in lacks.iter_mut().zip(&tensor.needs) {
            let Some(needs) = needs else { continue };
            for (lacks, &device) in lacks.iter_mut().zip(devices) {
                let has = tensor.has.get(device).and_then(Option::as_ref);
                let kept = has.and_then(|has| common(needs, has)).map_or(0, |kept| bytes_of(&kept, width));
                *lacks += bytes_of(needs, width) - kept;
            }
        }
    }
    lacks
}

/// Something that a device lacks, and who has it.
struct Lack {
    tensor: usize,
    to: usize,
    region: Region,
    holders: Vec<usize>,
}

/// Who sends what to whom: `total` bytes in all.
fn sends(tensors: &[TensorShards], devices: &[usize], chosen: &[usize], total: u64) -> Vec<Move> {
    let mut lacking: Vec<Lack> = Vec::new();
    for (number, tensor) in tensors.iter().enumerate() {
        for (needs, &to) in tensor.needs.iter().zip(chosen) {
            let Some(needs) = needs.as_ref().filter(|needs| bytes_of(needs, 1) > 0) else { continue };
            let own = tensor.has.get(to).and_then(Option::as_ref);
            let mut left = own.map_or_else(|| vec![needs.clone()], |own| without(needs, own));
            let has = |&device: &usize| Some((device, tensor.has.get(device)?.as_ref()?));
            let pieces: Vec<(usize, &Region)> = devices.iter().filter_map(has).collect();
            for (_, piece) in &pieces {
                for region in left.iter().filter_map(|left| common(left, piece)).collect::<Vec<_>>() {
                    left = left.iter().flat_map(|left| without(left, &region)).collect();
                    let is_in = |held: &Region| common(held, &region).is_some_and(|common| common == region);
                    let holders = pieces.iter().filter(|(_, held)| is_in(held)).map(|&(device, _)| device).collect();
                    lacking.push(Lack { tensor: number, to, region, holders });
                }
            }
            lacking.extend(left.into_iter().map(|region| Lack { tensor: number, to, region, holders: Vec::new() }));
        }
    }
    // What is more than a quarter of a device's share is taken apart, if several have it.
    let senders =
        devices.iter().filter(|&&d| tensors.iter().any(|t| t.has.get(d).is_some_and(Option::is_some))).count();
    let share = (total / senders.max(1) as u64 / 4).max(SearchLimits::TUNED.least_transfer);
    let mut parts: Vec<Lack> = Vec::new();
    for lack in lacking {
        let bytes = bytes_of(&lack.region, tensors[lack.tensor].width);
        let count = bytes.div_ceil(share).min(4 * lack.holders.len() as u64);
        if count <= 1 || lack.holders.len() < 2 {
            parts.push(lack);
            continue;
        }
        let Lack { tensor, to, region, holders } = lack;
        let one = |region| Lack { tensor, to, region, holders: holders.clone() };
        parts.extend(regions::parts(&region, count as usize).map(one));
    }
    // Large ones first, so that small ones even out what is left.
    let bytes = |lack: &Lack| bytes_of(&lack.region, tensors[lack.tensor].width);
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
    let one = |(lack, from): (Lack, Option<usize>)| {
        let bytes = bytes(&lack);
        Move { tensor: lack.tensor, from, to: lack.to, region: lack.region, bytes }
    };
    parts.into_iter().zip(from).map(one).collect()
}
