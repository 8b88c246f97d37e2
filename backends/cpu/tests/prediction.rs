//! Predicted durations follow the costs of the host.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test")]

use partita_cpu::Cpu;
use partita_ir::diag::Source;
use partita_ir::dtype::DType;
use partita_ir::text::parse;
use partita_ir::verify::verify;
use partita_machine::host::{Cost, Host, OperandOrder, ProductRates};
use partita_machine::network::{MessageCost, RankNetwork, RankPlace, RankTransport};
use partita_runtime::backend::Backend;
use partita_runtime::executor::Executable;

/// Program of four devices that multiply and reduce three times.
const PROGRAM: &str = "form local
    mesh @m = [x=4]
    func @turn(%a: f32[64, 64], %y: f32[64, 64]) {
      %p = dot_general contract [1]x[0] %a, %y : f32[64, 64]
      %e = exp %p : f32[64, 64]
      %r = all_reduce sum over x %e : f32[64, 64]
      return %a \"a\", %r \"r\"
    }
    param %a \"a\" : f32[256@x, 64]
    param %y \"y\" : f32[256@x, 64]
      %a.1, %y.1 = loop 3 of @turn %a, %y : f32[64, 64], f32[256@x, 64]
    output %y.1 -> \"y\"";

fn host(cores: usize, scale: f64) -> Host {
    let products =
        ProductRates { dtype: DType::F32, order: OperandOrder(true, true), sizes: vec![64], rates: vec![1e10 / scale] };
    let memory = vec![(1 << 10, 1e10 / scale)];
    Host { cores, costs: [scale * 1e-9; Cost::ALL.len()], memory, products: vec![products], ranks: None }
}

fn seconds(host: &Host) -> f64 {
    let program = parse(&Source::new("test.pir", PROGRAM)).unwrap_or_else(|e| panic!("{}", e[0]));
    let proof = verify(&program).unwrap_or_else(|e| panic!("{}", e[0])).into_form().unwrap();
    let (prediction, timeline) = Cpu.compile(proof).unwrap().predict(host);
    assert_eq!(prediction.computing.len(), 4);
    assert!(timeline.spans.iter().all(|span| span.start + span.seconds <= prediction.seconds * (1.0 + 1e-9)));
    prediction.seconds
}

#[test]
fn halving_all_costs_halves_the_prediction() {
    let full = seconds(&host(2, 1.0));
    assert!((seconds(&host(2, 0.5)) / full - 0.5).abs() < 1e-9);
    // Three products on each of four devices, on two cores.
    let products = 2.0 * 3.0 * 2.0 * f64::from(64 * 64 * 64) / 1e10;
    assert!(full > products && full < 2.0 * products, "{full} {products}");
}

/// Returns a host whose devices are divided among four ranks, two on each of two hosts that share `cores` cores.
/// Messages take `scale` times one millisecond, and occupy a core for a tenth of it.
fn host_with_ranks(cores: usize, scale: f64) -> Host {
    let cost = |bytes: u64, milliseconds: f64| MessageCost {
        bytes,
        seconds: 1e-3 * scale * milliseconds,
        busy: 1e-4 * scale * milliseconds,
        exchange: 1e-3 * scale * milliseconds,
    };
    let places = [0, 0, 1, 1].map(|host| RankPlace { host, core_group: 0 });
    let network = RankNetwork {
        transport: RankTransport::Tcp,
        ranks: places.to_vec(),
        group_cores: vec![cores],
        local: vec![cost(1 << 12, 1.0), cost(1 << 13, 2.0)],
        remote: vec![cost(1 << 12, 10.0)],
    };
    Host { ranks: Some(network), ..host(1, 1.0) }
}

#[test]
fn messages_between_ranks_take_time() {
    let (one, two) = (seconds(&host_with_ranks(4, 1.0)), seconds(&host_with_ranks(4, 2.0)));
    // An operand has a single tile of 16 KiB. In each of three sums, two ranks of the other host send their operands to
    // the owner of the tile at the same time, in 40 ms, and the owner sends them the result one after the other.
    assert!((one / (3.0 * 3.0 * 40e-3) - 1.0).abs() < 0.01, "{one}");
    assert!((two / one - 2.0).abs() < 0.05, "{one} {two}");
}

#[test]
fn ranks_that_share_fewer_cores_take_longer() {
    let [one, two, four] = [1, 2, 4].map(|cores| seconds(&host_with_ranks(cores, 1e-3)));
    assert!(one > 1.3 * two && two > four, "{one} {two} {four}");
    assert!(one < 4.0 * four, "{one} {four}");
}

#[test]
fn a_single_rank_is_predicted_like_a_process() {
    let mut single = host_with_ranks(2, 1.0);
    single.ranks.iter_mut().for_each(|network| network.ranks.truncate(1));
    assert_eq!(seconds(&single), seconds(&host(1, 1.0)));
}

#[test]
fn more_cores_reduce_the_prediction() {
    let [one, two, four] = [1, 2, 4].map(|cores| seconds(&host(cores, 1.0)));
    assert!(one > two && two > four, "{one} {two} {four}");
    assert!(one / two < 2.0 && one / four < 4.0, "{one} {two} {four}");
}
