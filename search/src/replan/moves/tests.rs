//! After what moves has moved, each device has what it needs, and nothing moved in vain.

use super::*;
use proptest::prelude::*;
use std::ops::Range;

/// Cells of a box.
fn cells(region: &Region) -> Vec<Vec<usize>> {
    region.iter().fold(vec![Vec::new()], |all, range| {
        let longer = |cell: Vec<usize>| range.clone().map(move |at| [cell.clone(), vec![at]].concat());
        all.into_iter().flat_map(longer).collect()
    })
}

fn rectangle(rows: Range<usize>, columns: Range<usize>) -> Region {
    [rows, columns].into_iter().collect()
}

/// Into how many parts rows and columns are cut, and how many devices are left out between two that have anything.
type How = (usize, usize, usize);

/// How a matrix of 6 x 5 lies on so many devices: in so many columns of rows, and so on; the rest is alike.
fn lies(devices: usize, how: How) -> Vec<Option<Region>> {
    let (across, down, skip) = (how.0.clamp(1, devices), how.1.max(1), how.2);
    let cut = |size: usize, count: usize, at: usize| {
        let step = size.div_ceil(count);
        (at * step).min(size)..((at + 1) * step).min(size)
    };
    let one = |device: usize| {
        let (row, column) = (device % across, device / across % down);
        // Stages have nothing of what belongs to others.
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
        let tensor = |(n, (has, needs, width)): (usize, (How, How, u64))| TensorShards {
            name: format!("t{n}"), width, has: lies(old, has), needs: lies(new, needs),
        };
        let tensors = hows.into_iter().enumerate().map(tensor).collect();
        // Devices that are not lost, and as many new ones as are wanting.
        let mut devices: Vec<usize> = (0..old).filter(|device| lost & (1 << device) == 0).collect();
        let added = old..old + new.saturating_sub(devices.len());
        devices.extend(added);
        (tensors, devices)
    }
}

/// Bytes that move if positions go to these devices, counted by element.
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

/// The least that moves, of all ways to choose devices.
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
    fn each_device_ends_up_with_what_it_needs((tensors, devices) in a_change()) {
        let moves = moves(&tensors, &devices, &|_, _| 0, 0.0);
        for (number, tensor) in tensors.iter().enumerate() {
            for (needs, &device) in tensor.needs.iter().zip(&moves.devices) {
                let Some(needs) = needs else { continue };
                let mut got: BTreeMap<Vec<usize>, u32> = BTreeMap::new();
                let own = tensor.has.get(device).and_then(Option::as_ref).and_then(|own| common(own, needs));
                own.iter().flat_map(cells).for_each(|cell| *got.entry(cell).or_default() += 1);
                for one in moves.all.iter().filter(|one| one.tensor == number && one.to == device) {
                    prop_assert_eq!(one.bytes, bytes_of(&one.region, tensor.width));
                    cells(&one.region).into_iter().for_each(|cell| *got.entry(cell).or_default() += 1);
                }
                let wanted: BTreeMap<Vec<usize>, u32> = cells(needs).into_iter().map(|cell| (cell, 1)).collect();
                prop_assert_eq!(got, wanted, "{} on {}", tensor.name, device);
            }
        }
    }

    #[test]
    fn whoever_sends_has_it_and_only_what_nobody_has_is_read((tensors, devices) in a_change()) {
        let moves = moves(&tensors, &devices, &|_, _| 0, 0.0);
        for one in &moves.all {
            let has = |&device: &usize| tensors[one.tensor].has.get(device).cloned().flatten();
            match one.from {
                Some(from) => {
                    prop_assert!(devices.contains(&from) && from != one.to);
                    prop_assert_eq!(has(&from).and_then(|has| common(&has, &one.region)), Some(one.region.clone()));
                }
                None => {
                    let anybody = devices.iter().filter_map(has).any(|has| common(&has, &one.region).is_some());
                    prop_assert!(!anybody, "{:?}", one);
                }
            }
        }
    }

    #[test]
    fn nothing_moves_less((tensors, devices) in a_change()) {
        let moves = moves(&tensors, &devices, &|position, device| u32::from(position != device), 0.0);
        let positions = tensors[0].needs.len();
        let least = least(&tensors, &devices, &mut Vec::new(), positions);
        prop_assert_eq!(moves.bytes(), least);
        prop_assert_eq!(moves.bound, least);
        prop_assert_eq!(counted(&tensors, &moves.devices), least);
        // With some slack no more moves than that.
        let close = super::moves(&tensors, &devices, &|position, device| u32::from(position != device) * 3, 0.1);
        prop_assert_eq!(close.bound, least);
        prop_assert!(close.bytes() as f64 <= 1.1 * least as f64, "{} of {least}", close.bytes());
        prop_assert_eq!(counted(&tensors, &close.devices), close.bytes());
    }
}

#[test]
fn several_senders_share_the_work() {
    // One tensor that four devices have whole, and four more that lack it.
    let whole = || Some(rectangle(0..4096, 0..64));
    let tensor = TensorShards {
        name: "w".into(),
        width: 4,
        has: (0..8).map(|device| whole().filter(|_| device < 4)).collect(),
        needs: vec![whole(); 8],
    };
    let moves = moves(&[tensor], &[0, 1, 2, 3, 4, 5, 6, 7], &|_, _| 0, 0.0);
    assert_eq!(moves.bytes(), 4 * 4096 * 64 * 4);
    assert!(moves.most_sent() as f64 <= 1.1 * moves.bytes() as f64 / 4.0, "{}", moves.most_sent());
}

#[test]
fn what_is_liked_decides_where_nothing_else_does() {
    let whole = Some(rectangle(0..4, 0..4));
    let tensor = TensorShards { name: "w".into(), width: 4, has: vec![whole.clone(); 6], needs: vec![whole; 4] };
    let moves =
        moves(&[tensor], &[0, 1, 2, 4, 5], &|position, device| u32::from([1, 2, 4, 5][position] != device), 0.0);
    assert_eq!((moves.devices.as_slice(), moves.bytes()), (&[1, 2, 4, 5][..], 0));
}

#[test]
fn hundreds_are_assigned() {
    let cost = |row: usize, column: usize| ((row * 7919 + column * 104_729) % 1013) as i128;
    let columns = assign(300, 400, &cost);
    let mut sorted = columns.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(sorted.len(), 300);
}

#[test]
fn what_is_liked_is_worth_some_bytes() {
    // Two devices have nearly the same, and the positions like to be the other way round.
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
