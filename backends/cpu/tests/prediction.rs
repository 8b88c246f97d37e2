//! Predicted durations follow the costs of the host.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test")]

use partita_cpu::Cpu;
use partita_ir::diag::Source;
use partita_ir::dtype::DType;
use partita_ir::text::parse;
use partita_ir::verify::verify;
use partita_machine::host::{Cost, Host, OperandOrder, ProductRates};
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

#[test]
fn more_cores_reduce_the_prediction() {
    let [one, two, four] = [1, 2, 4].map(|cores| seconds(&host(cores, 1.0)));
    assert!(one > two && two > four, "{one} {two} {four}");
    assert!(one / two < 2.0 && one / four < 4.0, "{one} {two} {four}");
}
