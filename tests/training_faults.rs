//! Faults put into training steps on purpose: a collective left out, over the wrong axis, of the wrong kind, a bias before its sum.
//! The comparison with one device must notice each.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]

use filetests::agree::{run_parts, run_whole};
use filetests::faults::{Fault, with_fault};
use partita_ir::diag::Source;
use partita_ir::interp::{random_inputs, widen, widen_tensors};
use partita_ir::plan::{Mesh, Plan};
use partita_ir::program::Program;
use partita_ir::tensor::Tensor;
use partita_ir::text::{parse, print};
use partita_passes::pass::Cx;
use partita_passes::pipelines;
use partita_passes::variants::Variant;
use partita_runtime::check::compare;

/// A block with a norm, attention and a feed-forward, and the mean of a cross-entropy.
const BLOCK: &str = "form traced
    param %e \"tokens\" : f32[12, 8]
    param %g \"gamma\" : f32[8]
    param %q \"query\" : f32[8, 8]
    param %k \"key\" : f32[8, 8]
    param %o \"output\" : f32[8, 8]
    param %u \"up\" : f32[8, 16]
    param %ub \"up.bias\" : f32[16]
    param %d \"down\" : f32[16, 8]
    param %db \"down.bias\" : f32[8]
    input %ids : i32[4, 6]
    input %labels : i32[4, 6]
      %x = gather offset [2] collapsed [0] map [0] vector 2 sizes [1, 8] %e, %ids : f32[4, 6, 8]
      %n = layer_norm eps 1e-5 %x, %g : f32[4, 6, 8]
      %qs = matmul %n, %q : f32[4, 6, 8]
      %qh = reshape %qs : f32[4, 6, 2, 4]
      %ks = matmul %n, %k : f32[4, 6, 8]
      %kh = reshape %ks : f32[4, 6, 2, 4]
      %s = dot_general contract [3]x[3] batch [0, 2]x[0, 2] %qh, %kh : f32[4, 2, 6, 6]
      %p = softmax dim 3 %s : f32[4, 2, 6, 6]
      %a = dot_general contract [3]x[1] batch [0, 1]x[0, 2] %p, %kh : f32[4, 2, 6, 4]
      %at = transpose [0, 2, 1, 3] %a : f32[4, 6, 2, 4]
      %af = reshape %at : f32[4, 6, 8]
      %ao = matmul %af, %o : f32[4, 6, 8]
      %r = add %x, %ao : f32[4, 6, 8]
      %up = matmul %r, %u : f32[4, 6, 16]
      %ubs = broadcast [2] %ub : f32[4, 6, 16]
      %upb = add %up, %ubs : f32[4, 6, 16]
      %act = gelu %upb : f32[4, 6, 16]
      %dn = matmul %act, %d : f32[4, 6, 8]
      %dbs = broadcast [2] %db : f32[4, 6, 8]
      %dnb = add %dn, %dbs : f32[4, 6, 8]
      %y = add %r, %dnb : f32[4, 6, 8]
      %l = dot_general contract [2]x[1] %y, %e : f32[4, 6, 12]
      %c = cross_entropy %l, %labels : f32[4, 6]
      %sum = reduce sum [0, 1] %c : f32[]
      %count = constant 24.0 : f32[]
      %loss = div %sum, %count : f32[]
    output %loss \"loss\"";

/// The step that one device runs, and that of one of several.
fn steps(presets: &str) -> (Program, Program) {
    let mut program = parse(&Source::new("block.pir", BLOCK)).unwrap_or_else(|e| panic!("{}", e[0]));
    let mesh = Mesh::new([("data", 2), ("model", 2)]).unwrap();
    let plan = Plan::new(mesh).preset(presets).train("momentum?lr=0.1&clip=0.001");
    let mut cx = Cx { plan, ..Cx::default() };
    pipelines::make().unwrap().run(&mut program, &mut cx, &mut |_| Ok(())).unwrap();
    let whole = program.clone();
    pipelines::place(Variant::default()).unwrap().run(&mut program, &mut cx, &mut |_| Ok(())).unwrap();
    (widen(&whole), widen(&program))
}

/// Inputs of a step and what one device makes of them.
type Run = (Vec<Tensor>, Vec<Tensor>);

#[test]
fn are_noticed() {
    for presets in ["data,megatron", "megatron,sequence,zero1", "zero3"] {
        let (whole, local) = steps(presets);
        // In the middle of training: nothing that a fault could move about is zero.
        let mut begun = whole.clone();
        begun.params.values_mut().for_each(|param| param.init = None);
        let run = |seed| {
            let inputs = widen_tensors(&random_inputs(&begun, seed).unwrap());
            let want = run_whole(&whole, &inputs).unwrap();
            (inputs, want)
        };
        let (first, more): (Run, Vec<Run>) = (run(1), (2..=4).map(run).collect());
        let names: Vec<&str> = whole.main().outputs.iter().map(|o| o.name.as_str()).collect();
        let agrees = |local: &Program, (inputs, want): &Run| {
            let same = |got: Vec<Tensor>| compare(names.iter().copied(), &got, want, 1e-9).iter().all(|d| d.ok);
            run_parts(local, inputs).is_ok_and(same)
        };
        assert!(agrees(&local, &first), "{presets}: the step without faults disagrees");
        let (mut caught, mut harmless) = (0, 0);
        for fault in Fault::ALL {
            for broken in with_fault(&local, fault) {
                if !agrees(&broken, &first) {
                    caught += 1;
                    continue;
                }
                // What makes no difference here must make none elsewhere.
                let equal = more.iter().all(|run| agrees(&broken, run));
                assert!(equal, "{presets}: {fault:?} was not noticed in\n{}", print(&broken));
                harmless += 1;
            }
        }
        println!("{presets}: {caught} faults caught, {harmless} harmless");
        assert!(caught > 40 && harmless * 10 <= caught, "{presets}: {caught} faults caught, {harmless} harmless");
    }
}
