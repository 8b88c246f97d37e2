//! Parsing and printing of machines, and the diagnostics of invalid ones.

use super::host::{Cost, MemoryAccess, OperandOrder, Product, Work};
use super::profile::{AchievedLink, AchievedRates};
use super::{Machine, PRESETS, Vertex};
use expect_test::expect;
use partita_ir::diag::Source;
use partita_ir::dtype::DType;

const MACHINE: &str = r#"network = "1TB/s"

[kind.Fast]
flops = { f32 = "15.7T", bf16 = "0.125P" }
memory = "32GB"
bandwidth = "900GB/s"

[kind.Slow]
flops = { f32 = "4.4T" }
memory = "12GiB"
bandwidth = "240GB/s"

[node.mixed]
count = 3
devices = ["2 Fast", "Slow"]
switches.root.bandwidth = "24GB/s"
links = [
    { between = ["0-1"], bandwidth = "25GB/s", latency = "3us" },
    { between = ["*-root"], bandwidth = "12GB/s", latency = "5us", shared = true },
]
ports = [{ at = ["root"], bandwidth = "12.5GB/s", latency = "5us" }]
"#;

fn read(text: &str) -> Result<Machine, String> {
    Machine::from_toml(&Source::new("machine.toml", text)).map_err(|e| e.to_string())
}

#[test]
fn machines_are_parsed() {
    let machine = read(MACHINE).unwrap();
    assert_eq!((machine.device_count(), machine.network), (9, Some(1e12)));
    let kinds: Vec<&str> = (0..10).filter_map(|device| Some(machine.kind_of(device)?.name.as_str())).collect();
    assert_eq!(kinds, ["Fast", "Fast", "Slow"].repeat(3));
    let fast = &machine.kinds[0];
    assert_eq!([DType::F32, DType::BF16, DType::I32].map(|d| fast.rate(d)), [15.7e12, 0.125e15, 15.7e12]);
    assert_eq!((fast.memory, fast.bandwidth, machine.kinds[1].memory), (32_000_000_000, 900e9, 12 << 30));
    let node = &machine.nodes[0];
    assert_eq!((node.links.len(), node.switches[0].bandwidth), (4, Some(24e9)));
    let (first, last) = (&node.links[0], &node.links[3]);
    assert_eq!((first.ends, first.bandwidth, first.is_shared), ([Vertex::Device(0), Vertex::Device(1)], 25e9, false));
    assert_eq!((last.ends, last.latency, last.is_shared), ([Vertex::Device(2), Vertex::Switch(0)], 5e-6, true));
}

#[test]
fn every_preset_is_valid() {
    for (name, _) in PRESETS {
        let machine = Machine::named(name).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(machine.name, name);
        assert_eq!(Machine::named(&format!("{name}?nodes=3")).unwrap().device_count(), 3 * machine.device_count());
    }
    // Six links per GPU.
    let dgx1 = Machine::named("dgx1-v100").unwrap();
    for device in 0..8 {
        let ends = dgx1.nodes[0].links.iter().filter(|link| link.ends.contains(&Vertex::Device(device)));
        assert_eq!(ends.map(|link| link.bandwidth).sum::<f64>(), 150e9);
    }
    let four =
        dgx1.nodes[0].links.iter().filter(|link| link.ends.iter().all(|end| matches!(end, Vertex::Device(0..4))));
    assert_eq!(four.map(|link| link.bandwidth).sum::<f64>(), 9.0 * 25e9);
}

#[test]
fn unknown_names_are_rejected() {
    let error_of = |name: &str| Machine::named(name).unwrap_err().to_string();
    expect![[r#"
        error[C002]: unknown machine `dgx-a10`
          = note: the machines are dgx1-v100, dgx2, dgx-a100, hgx-h100, hgx-h200, pcie4, k80+v100; a path to a TOML file is accepted as well
          = help: a similar name is `dgx-a100`"#]]
    .assert_eq(&error_of("dgx-a10"));
    for wrong in ["dgx2?nodes=0", "dgx2?nodes=x", "dgx2?gpus=4", "dgx2?nodes=99999999999"] {
        assert!(error_of(wrong).contains("has no option"), "{wrong}");
    }
}

#[test]
fn contradictions_are_reported_with_their_line() {
    let with = |old: &str, new: &str| {
        assert!(MACHINE.contains(old), "{old}");
        read(&MACHINE.replacen(old, new, 1)).unwrap_err()
    };
    let all = [
        with("\"0-1\"", "\"0-7\""),
        with("\"0-1\"", "\"1-1\""),
        with("\"0-1\"", "\"*-*\""),
        with("\"0-1\"", "\"01\""),
        with("25GB/s", "0GB/s"),
        with("25GB/s", "25GB"),
        with("3us", "3"),
        with("15.7T", "-1T"),
        with("f32 = \"15.7T\", ", ""),
        with("bf16", "bf61"),
        with("2 Fast", "2 Fats"),
        with("2 Fast", "0 Fast"),
        with("[\"2 Fast\", \"Slow\"]", "[]"),
        with("\"*-root\"", "\"0-root\""),
        with("ports = [{ at = [\"root\"], bandwidth = \"12.5GB/s\", latency = \"5us\" }]", ""),
        with("count = 3", "count = 0"),
        with("count = 3", "coun = 3"),
        with("[kind.Fast]", "[kind.Fast"),
        read("name = \"none\"").unwrap_err(),
        with("2 Fast", "5000 Fast"),
    ];
    expect![[r#"
        error[H002]: node `mixed` has no device or switch `7`
          --> machine.toml:18:18
          = note: its devices are 0 to 2

        error[H002]: `1-1` links device 1 with itself
          --> machine.toml:18:18

        error[H002]: `*-*` links device 0 with itself
          --> machine.toml:18:18

        error[H001]: `01` is not a link: write both ends, as in 0-1
          --> machine.toml:18:18

        error[H001]: `0GB/s` is not a positive rate in bytes per second, such as 25GB/s
          --> machine.toml:18:38

        error[H001]: `25GB` is not a positive rate in bytes per second, such as 25GB/s
          --> machine.toml:18:38

        error[H001]: `3` is not a positive time, such as 3us
          --> machine.toml:18:58

        error[H001]: `-1T` is not a positive rate in operations per second, such as 15.7T
          --> machine.toml:4:17

        error[H002]: kind `Fast` has no rate for `f32`, which applies to all ops except matrix products
          --> machine.toml:3:7
          = help: flops = { f32 = "15.7T" }

        error[H001]: `bf61` is not an element type
          --> machine.toml:4:26

        error[H002]: unknown kind of device `Fats`
          --> machine.toml:15:12
          = help: a similar name is `Fast`

        error[H001]: `0 Fast` is not a number and kind of devices
          --> machine.toml:15:12
          = help: write the number and the kind: "8 V100"

        error[H002]: node `mixed` has no device or switch `0`
          --> machine.toml:18:18
          = note: it has no devices

        error[H002]: node `mixed` has no links that connect device 2 with device 0
          --> machine.toml:13:7
          = help: { between = ["0-2"], bandwidth = "12GB/s", latency = "5us" }

        error[H002]: 3 nodes `mixed` have no port to the network
          --> machine.toml:13:7
          = help: ports = [{ at = ["0"], bandwidth = "12.5GB/s", latency = "5us" }]

        error[H002]: node count 0 of `mixed` is not from 1 to 1048576
          --> machine.toml:14:9

        error[H001]: invalid machine description: unknown field `coun`, expected one of `count`, `devices`, `switches`, `links`, `ports`
          --> machine.toml:14:1

        error[H001]: invalid machine description: unclosed table, expected `]`
          --> machine.toml:3:11

        error[H002]: the machine has no nodes
          --> machine.toml:1:1
          = help: add a table for each node: [node.name], devices = ["8 V100"]

        error[H002]: a node has at most 4096 devices
          --> machine.toml:15:12"#]].assert_eq(&all.join("\n\n"));
}

#[test]
fn large_machines_stay_small() {
    let machine = Machine::named("hgx-h200?nodes=1048576").unwrap();
    assert_eq!(machine.device_count(), 8 << 20);
    assert_eq!(machine.kind_of((8 << 20) - 1).unwrap().name, "H200");
    assert!(machine.kind_of(8 << 20).is_none());
}

/// Returns a `host` table with two sizes for every measurement.
fn host() -> String {
    let costs: Vec<String> =
        Cost::ALL.iter().enumerate().map(|(i, cost)| format!("\"{}\" = \"{}ns\"", cost.name(), i + 1)).collect();
    format!(
        r#"
[host]
cores = 2
costs = {{ {} }}
memory = {{ "64KiB" = "80GB/s", "64MiB" = "5GB/s" }}

[[host.products]]
dtype = "f32"
order = "rows x columns"
sizes = [8, 512]
flops = [["1G", "10G"], ["5G", "40G"], ["5G", "40G"], ["20G", "100G"]]
"#,
        costs.join(", ")
    )
}

/// Table `host.ranks` of four ranks on two hosts.
const RANKS: &str = r#"
[host.ranks]
transport = "mpi"
hosts = [0, 0, 1, 1]
core_groups = [0, 0, 0, 0]
cores = [2]
local = [
    { bytes = "64B", seconds = "20us", busy = "8us", exchange = "25us" },
    { bytes = "1MiB", seconds = "900us", busy = "400us", exchange = "1800us" },
]
remote = [{ bytes = "64B", seconds = "50us", busy = "9us", exchange = "55us" }]
"#;

#[test]
fn machines_round_trip_through_toml() {
    for ranks in ["", RANKS] {
        let machine = read(&(MACHINE.to_owned() + &host() + ranks)).unwrap();
        assert_eq!(machine.host.as_ref().unwrap().ranks.is_some(), !ranks.is_empty());
        let text = machine.to_toml();
        assert_eq!(read(&text).unwrap(), machine, "{text}");
    }
    for (name, _) in PRESETS {
        let machine = Machine::named(name).unwrap();
        assert_eq!(read(&machine.to_toml()).unwrap(), machine);
    }
}

#[test]
fn hosts_price_work() {
    let host = read(&(MACHINE.to_owned() + &host())).unwrap().host.unwrap();
    let product = |size| host.product(&Product { dtype: DType::F32, order: OperandOrder(true, false), size });
    let at = |ops: f64, rate: f64| ops / rate;
    let near = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-9;
    assert!(near(product([8, 8, 8]), at(1024.0, 1e9)));
    assert!(near(product([8, 512, 8]), at(65536.0, 5e9)));
    // Geometric mean of two measured sizes, and four times the largest one.
    assert!(near(product([64, 8, 8]), (at(1024.0, 1e9) * at(65536.0, 5e9)).sqrt()));
    assert!(near(product([2048, 512, 512]), 4.0 * product([512, 512, 512])));
    assert!(near(host.bandwidth(2 << 20), 20e9) && near(host.bandwidth(1), 80e9) && near(host.bandwidth(1 << 40), 5e9));
    let work = Work::default().with(Cost::Run, 3).with_access(MemoryAccess::Read(0), 80_000);
    assert!(near(host.seconds(&work, |_| 1), 1e-6));
    let share = host.cost(Cost::Distribute);
    assert!(near(host.seconds(&work.with_max_cores(2), |_| 1), share + 0.5 * (1e-6)));
}

#[test]
fn invalid_hosts_are_reported() {
    let wrong = |from: &str, to: &str| {
        let text = MACHINE.to_owned() + &host();
        assert!(text.contains(from), "{from}");
        read(&text.replacen(from, to, 1)).unwrap_err()
    };
    let errors = [
        wrong("cores = 2", "cores = 0"),
        wrong("\"run\" = \"1ns\", ", ""),
        wrong("\"run\" =", "\"runs\" ="),
        wrong("\"run\" = \"1ns\"", "\"run\" = \"0ns\""),
        wrong("\"64MiB\" =", "\"32KiB\" ="),
        wrong("rows x columns", "rows by columns"),
        wrong("sizes = [8, 512]", "sizes = [512, 8]"),
        wrong("sizes = [8, 512]", "sizes = [8, 16, 512]"),
        wrong("[\"5G\", \"40G\"],", "[\"5G\"],"),
        wrong("\"100G\"", "\"fast\""),
    ];
    expect![[r#"
        error[H002]: number of cores 0 is not from 1 to 4096
          --> machine.toml:24:9
        error[H002]: the host table lacks the cost `run`
          --> machine.toml:25:9
          = help: run `partita calibrate` to measure all costs
        error[H001]: unknown cost `runs`
          --> machine.toml:25:11
          = help: a similar name is `run`
        error[H001]: `0ns` is not a positive time, such as 3us
          --> machine.toml:25:19
        error[H002]: `32KiB` is not larger than the previous size
          --> machine.toml:26:32
        error[H001]: `rows by columns` is not a storage order of two matrices
          --> machine.toml:30:9
          = note: the storage orders are `rows x rows`, `rows x columns`, `columns x rows`, `columns x columns`
        error[H002]: sizes of products are 1 to 32 positive numbers in ascending order
          --> machine.toml:31:9
        error[H002]: 4 rows of rates, but 3 sizes need 3 x 3 = 9
          --> machine.toml:32:9
        error[H002]: a row has 1 instead of 2 rates
          --> machine.toml:32:25
        error[H001]: `fast` is not a positive rate in operations per second, such as 15.7T
          --> machine.toml:32:63"#]]
    .assert_eq(&errors.join("\n"));
}

#[test]
fn invalid_tables_of_ranks_are_reported() {
    let wrong = |from: &str, to: &str| {
        assert!(RANKS.contains(from), "{from}");
        read(&(MACHINE.to_owned() + &host() + &RANKS.replacen(from, to, 1))).unwrap_err()
    };
    let errors = [
        wrong("\"mpi\"", "\"gloo\""),
        wrong("hosts = [0, 0, 1, 1]", "hosts = [0, 0, 1]"),
        wrong("hosts = [0, 0, 1, 1]", "hosts = [0, 0, 2, 2]"),
        wrong("cores = [2]", "cores = [2, 2]"),
        wrong("\"1MiB\"", "\"32B\""),
        wrong("\"9us\"", "\"9\""),
        wrong("remote = ", "# "),
    ];
    expect![[r#"
        error[H001]: `gloo` is not a transport between ranks
          --> machine.toml:35:13
          = help: write `mpi` or `tcp`
        error[H002]: 3 hosts and 4 core groups are listed, but both need one number for each of 1 to 65536 ranks
          --> machine.toml:37:15
        error[H002]: host 1 has no rank, but host 2 has one
          --> machine.toml:36:9
          = help: number each host from 0 on
        error[H002]: `cores` needs a number from 1 to 4096 for each core group, of which there are 1
          --> machine.toml:38:9
        error[H002]: `32B` is not larger than the previous size
          --> machine.toml:41:15
        error[H001]: `9` is not a positive time, such as 3us
          --> machine.toml:43:53
        error[H002]: the table of ranks lacks the costs `remote` of messages between ranks of different hosts
          --> machine.toml:34:1
          = help: run `partita calibrate` on these ranks"#]]
    .assert_eq(&errors.join("\n"));
}

#[test]
fn achieved_rates_are_parsed_and_printed() {
    let stated = r#"
        [kind.GPU]
        flops = { f32 = "10T", bf16 = "100T" }
        memory = "80GB"
        bandwidth = "2000GB/s"
        achieved = { bf16 = 0.5, attention = 0.4, clock = 1 }
        earlier = { bf16 = 0.4 }
        kernels = { units = 108, launch = "3us", overlap = 0.25 }
        reserved = { context = "500MB", fragmentation = 0.1 }
        uncertainty = 0.07

        [node.host]
        devices = ["2 GPU"]
        links = [{ between = ["0-1"], bandwidth = "25GB/s", latency = "3us", achieved = 0.5, setup = "20us" }]
    "#;
    let machine = read(stated).unwrap();
    let kind = &machine.kinds[0];
    assert_eq!([DType::BF16, DType::F32].map(|dtype| kind.achieved_products(dtype)), [0.5, AchievedRates::PRODUCTS]);
    let usual = AchievedRates::default();
    assert_eq!((kind.achieved.attention, kind.achieved.attention_grad), (0.4, usual.attention_grad));
    assert_eq!(kind.earlier_rates().products_of(DType::BF16), 0.4);
    assert_eq!((kind.kernels.units, kind.kernels.launch, kind.kernels.overlap), (108, 3e-6, 0.25));
    assert_eq!((kind.reserved.context, kind.reserved.workspace, kind.uncertainty), (500_000_000, 0, 0.07));
    assert_eq!(machine.achieved_link(&[0, 1]), AchievedLink { bandwidth: 0.5, setup: 20e-6 });
    assert_eq!(read(&machine.to_toml()).unwrap(), machine);
    let with = |old: &str, new: &str| read(&stated.replacen(old, new, 1)).unwrap_err();
    let all = [
        with("bf16 = 0.5", "bf16 = 1.5"),
        with("attention = 0.4", "attenton = 0.4"),
        with("clock = 1", "clock = 0"),
        with("earlier = { bf16 = 0.4 }", "earlier = { bf16 = 0 }"),
        with("overlap = 0.25", "overlap = 1"),
        with("launch = \"3us\"", "launch = \"3\""),
        with("units = 108", "units = 99999999"),
        with("context = \"500MB\"", "context = \"some\""),
        with("fragmentation = 0.1", "fragmentation = -1"),
        with("uncertainty = 0.07", "uncertainty = 7"),
        with("achieved = 0.5, setup", "achieved = 2, setup"),
    ];
    expect![[r#"
        error[H001]: 1.5 is not a fraction above 0 and at most 1, such as 0.8
          --> machine.toml:6:29

        error[H001]: `attenton` is neither an element type nor a rate
          --> machine.toml:6:34
          = note: the other rates are attention, attention_grad, memory, clock
          = help: a similar name is `attention`

        error[H001]: 0 is not a fraction above 0 and at most 1, such as 0.8
          --> machine.toml:6:59

        error[H001]: 0 is not a fraction above 0 and at most 1, such as 0.8
          --> machine.toml:7:28

        error[H001]: 1 is not a fraction from 0 to below 1, such as 0.1
          --> machine.toml:8:60

        error[H001]: `3` is not a positive time, such as 3us
          --> machine.toml:8:43

        error[H001]: 99999999 multiprocessors are more than 1048576
          --> machine.toml:8:29

        error[H001]: `some` is not a positive number of bytes, such as 32GB
          --> machine.toml:9:32

        error[H001]: -1 is not a fraction from 0 to below 1, such as 0.1
          --> machine.toml:9:57

        error[H001]: 7 is not a fraction from 0 to below 1, such as 0.1
          --> machine.toml:10:23

        error[H001]: 2 is not a fraction above 0 and at most 1, such as 0.8
          --> machine.toml:14:89"#]]
    .assert_eq(&all.join("\n\n"));
}

#[test]
fn collectives_between_nodes_use_ports() {
    let machine = Machine::named("dgx-a100?nodes=2").unwrap();
    let share = |devices: &[usize]| machine.achieved_link(devices).bandwidth;
    assert_eq!((share(&[0, 7]), share(&[0, 8])), (0.78, 0.85));
}

#[test]
fn larger_machines_have_more_nodes_of_the_same_kind() {
    let larger = |name: &str, devices| Machine::named(name).unwrap().name_with_devices(devices);
    assert_eq!(larger("hgx-h100?nodes=2", 17), "hgx-h100?nodes=3");
    let machine = Machine::named(&larger("pcie4", 24)).unwrap();
    assert!(machine.device_count() >= 24, "{}", machine.name);
}
