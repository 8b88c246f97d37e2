//! Every device receives exactly the data that it needs, and the movement is minimal.

use super::*;
use proptest::prelude::*;
use std::ops::Range;

/// Returns all indices of a region.
fn cells(region: &Region) -> Vec<Vec<usize>> {
    region.iter().fold(vec![Vec::new()], |all, range| {
        let longer = |cell: Vec<usize>| range.clone().map(move |at| [cell.clone(), vec![at]].concat());
        all.into_iter().flat_map(longer).collect()
    })
}

fn rectangle(rows: Range<usize>, columns: Range<usize>) -> Region {
    [rows, columns].into_iter().collect()
}

/// Number of row and column blocks, and number of devices without data between two devices with data.
type BlockLayout = (usize, usize, usize);

/// Returns the shard of a 6 x 5 matrix on each device.
fn shards_of(devices: usize, how: BlockLayout) -> Vec<Option<Region>> {
    let (across, down, skip) = (how.0.clamp(1, devices), how.1.max(1), how.2);
    let cut = |size: usize, count: usize, at: usize| {
        let step = size.div_ceil(count);
        (at * step).min(size)..((at + 1) * step).min(size)
    };
    let one = |device: usize| {
        let (row, column) = (device % across, device / across % down);
        // Simulates pipeline stages, which do not have the data of other stages.
        (skip == 0 || device.is_multiple_of(skip + 1)).then(|| rectangle(cut(6, across, row), cut(5, down, column)))
    };
    (0..devices).map(one).collect()
}

prop_compose! {
    fn a_change()(
        old in 1usize..=6,
        new in 1usize..=6,
        lost in 0usize..64,
        hows in prop::collection::vec(
            ((1usize..4, 1usize..4, 0usize..3), (1usize..4, 1usize..4, 0usize..3), 1u64..9),
            1..4,
        ),
    ) -> (Vec<TensorShards>, Vec<usize>) {
        let tensor = |(n, (has, needs, width)): (usize, (BlockLayout, BlockLayout, u64))| TensorShards {
            name: format!("t{n}"), width, has: shards_of(old, has), needs: shards_of(new, needs),
        };
        let tensors = hows.into_iter().enumerate().map(tensor).collect();
        // Devices that are not lost, and additional devices up to the required number.
        let mut devices: Vec<usize> = (0..old).filter(|device| lost & (1 << device) == 0).collect();
        let added = old..old + new.saturating_sub(devices.len());
        devices.extend(added);
        (tensors, devices)
    }
}

/// Returns the bytes that move for the given devices, counted element by element.
fn counted(tensors: &[TensorShards], chosen: &[usize]) -> u64 {
    let mut all = 0;
    for tensor in tensors {
        for (needs, &device) in tensor.needs.iter().zip(chosen) {
            let has = tensor.has.get(device).and_then(Option::as_ref).map_or_else(Vec::new, cells);
            let lacks = needs.as_ref().map_or_else(Vec::new, cells).into_iter().filter(|cell| !has.contains(cell));
            all += lacks.count() as u64 * tensor.width;
        }
    }
    all
}

/// Returns the minimum bytes over all choices of devices.
fn least(tensors: &[TensorShards], devices: &[usize], chosen: &mut Vec<usize>, positions: usize) -> u64 {
    if chosen.len() == positions {
        return counted(tensors, chosen);
    }
    let mut best = u64::MAX;
    for &device in devices {
        if !chosen.contains(&device) {
            chosen.push(device);
            best = best.min(least(tensors, devices, chosen, positions));
            chosen.pop();
        }
    }
    best
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn each_device_receives_what_it_needs((tensors, devices) in a_change()) {
        let moves = moves(&tensors, &devices, &|_, _| 0, 0.0);
        for (number, tensor) in tensors.iter().enumerate() {
            for (needs, &device) in tensor.needs.iter().zip(&moves.devices) {
                let Some(needs) = needs else { continue };
                let mut got: BTreeMap<Vec<usize>, u32> = BTreeMap::new();
                let own = tensor.has.get(device).and_then(Option::as_ref).and_then(|own| intersection(own, needs));
                own.iter().flat_map(cells).for_each(|cell| *got.entry(cell).or_default() += 1);
                for one in moves.all.iter().filter(|one| one.tensor == number && one.to == device) {
                    prop_assert_eq!(one.bytes, region_bytes(&one.region, tensor.width));
                    cells(&one.region).into_iter().for_each(|cell| *got.entry(cell).or_default() += 1);
                }
                let wanted: BTreeMap<Vec<usize>, u32> = cells(needs).into_iter().map(|cell| (cell, 1)).collect();
                prop_assert_eq!(got, wanted, "{} on {}", tensor.name, device);
            }
        }
    }

    #[test]
    fn senders_have_the_data_and_only_missing_data_is_read((tensors, devices) in a_change()) {
        let moves = moves(&tensors, &devices, &|_, _| 0, 0.0);
        for one in &moves.all {
            let has = |&device: &usize| tensors[one.tensor].has.get(device).cloned().flatten();
            match one.from {
                Some(from) => {
                    prop_assert!(devices.contains(&from) && from != one.to);
                    let sent = has(&from).and_then(|has| intersection(&has, &one.region));
                    prop_assert_eq!(sent, Some(one.region.clone()));
                }
                None => {
                    let anybody = devices.iter().filter_map(has).any(|has| intersection(&has, &one.region).is_some());
                    prop_assert!(!anybody, "{:?}", one);
                }
            }
        }
    }

    #[test]
    fn movement_is_minimal((tensors, devices) in a_change()) {
        let moves = moves(&tensors, &devices, &|position, device| u32::from(position != device), 0.0);
        let positions = tensors[0].needs.len();
        let least = least(&tensors, &devices, &mut Vec::new(), positions);
        prop_assert_eq!(moves.bytes(), least);
        prop_assert_eq!(moves.bound, least);
        prop_assert_eq!(counted(&tensors, &moves.devices), least);
        // With slack, at most the permitted additional bytes move.
        let close = super::moves(&tensors, &devices, &|position, device| u32::from(position != device) * 3, 0.1);
        prop_assert_eq!(close.bound, least);
        prop_assert!(close.bytes() as f64 <= 1.1 * least as f64, "{} of {least}", close.bytes());
        prop_assert_eq!(counted(&tensors, &close.devices), close.bytes());
    }
}

#[test]
fn senders_share_the_load() {
    // Four devices have the full tensor, and four others need it.
    let full = || Some(rectangle(0..4096, 0..64));
    let tensor = TensorShards {
        name: "w".into(),
        width: 4,
        has: (0..8).map(|device| full().filter(|_| device < 4)).collect(),
        needs: vec![full(); 8],
    };
    let moves = moves(&[tensor], &[0, 1, 2, 3, 4, 5, 6, 7], &|_, _| 0, 0.0);
    assert_eq!(moves.bytes(), 4 * 4096 * 64 * 4);
    assert!(moves.most_sent() as f64 <= 1.1 * moves.bytes() as f64 / 4.0, "{}", moves.most_sent());
}

#[test]
fn penalties_break_ties() {
    let full = Some(rectangle(0..4, 0..4));
    let tensor = TensorShards { name: "w".into(), width: 4, has: vec![full.clone(); 6], needs: vec![full; 4] };
    let moves =
        moves(&[tensor], &[0, 1, 2, 4, 5], &|position, device| u32::from([1, 2, 4, 5][position] != device), 0.0);
    assert_eq!((moves.devices.as_slice(), moves.bytes()), (&[1, 2, 4, 5][..], 0));
}

#[test]
fn large_assignments_are_valid() {
    let cost = |row: usize, column: usize| ((row * 7919 + column * 104_729) % 1013) as i128;
    let columns = min_cost_assignment(300, 400, &cost);
    let mut sorted = columns.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(sorted.len(), 300);
}

#[test]
fn slack_reduces_penalties() {
    // Both devices have nearly the same data, and the positions prefer the swapped assignment.
    let almost = |rows: Range<usize>| Some(rectangle(rows, 0..1));
    let tensor = TensorShards {
        name: "w".into(),
        width: 1,
        has: vec![almost(0..50), almost(0..49)],
        needs: vec![almost(0..100), almost(0..49)],
    };
    let chosen = |slack| moves(std::slice::from_ref(&tensor), &[0, 1], &|p, d| u32::from(p == d), slack).devices;
    assert_eq!((chosen(0.0), chosen(0.5)), (vec![0, 1], vec![1, 0]));
}
