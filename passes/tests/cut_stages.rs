//! Training steps cut into stages and taken apart into tasks, carried out one after the other by the interpreter: the
//! result is that of the whole step.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test")]

use partita_ir::diag::Source;
use partita_ir::interp::{random_inputs, run, widen, widen_tensors};
use partita_ir::pipeline::{Moment, Scope};
use partita_ir::plan::pipeline::Cuts;
use partita_ir::plan::{Mesh, Plan};
use partita_ir::program::Program;
use partita_ir::schedule::{Kind, Work};
use partita_ir::tensor::{Scalar, Tensor};
use partita_ir::text::{parse, print};
use partita_ir::verify::verify;
use partita_passes::driver::variant::Variant;
use partita_passes::driver::{Findings, Input};
use partita_passes::pipelines::{self, Milestone};
use partita_passes::pipelining::cut_stages::{Cutting, OnStage, balanced_seconds, cut};
use partita_passes::pipelining::tasks::{Chunks, chunks};

/// The training step of a program in text, in f64.
fn made(text: &str, train: &str) -> Program {
    let mut program = parse(&Source::new("test.pir", text)).unwrap_or_else(|e| panic!("{}", e[0]));
    let (input, mut findings) = (Input::with_plan(Plan::default().train(train)), Findings::default());
    pipelines::make_step(&mut program, &input, &mut findings).unwrap_or_else(|e| panic!("{}", e[0]));
    program
}

/// The chunks of a step, one device each.
fn apart(step: &Program, stages: usize, splits: bool) -> Chunks {
    let on = vec![OnStage { devices: 1, kind: None, memory: u64::MAX }; stages];
    let cuts = Cuts::Count(stages);
    let cutting = Cutting {
        cuts: &cuts,
        schedule: Kind::OneFOneB,
        stages: &on,
        shares: std::slice::from_ref(&(0..1)),
        recomputes: false,
    };
    let cut = cut(step, cutting).unwrap();
    let mut programs: Vec<Program> = (0..cut.count()).map(|chunk| cut.program(chunk, step)).collect();
    for program in &mut programs {
        verify(program).unwrap_or_else(|e| panic!("{}\n{}", e[0], print(program)));
        let place = pipelines::pipeline(Milestone::Step, Milestone::Local, Variant::default()).unwrap();
        let (input, mut findings) =
            (Input { plan: Plan::new(Mesh::new([("data", 1)]).unwrap()), ..Input::default() }, Findings::default());
        place.run(program, &input, &mut findings, &mut |_| Ok(())).unwrap_or_else(|e| panic!("{}", e[0]));
    }
    let chunks = chunks(&programs, cut.seams(), splits).unwrap().unwrap();
    for task in chunks.chunks.iter().flat_map(|chunk| &chunk.tasks) {
        verify(&task.program).unwrap_or_else(|e| panic!("{}\n{}", e[0], print(&task.program)));
    }
    chunks
}

/// What lies in the cells of all chunks, for one micro-batch at a time.
struct Cells<'c> {
    chunks: &'c Chunks,
    held: Vec<Vec<Option<Tensor>>>,
}

impl Cells<'_> {
    fn carry_out(&mut self, chunk: usize, moment: Moment) {
        if let Some(task) = self.chunks.chunks[chunk].task(moment) {
            let name = |cell: &usize| &self.chunks.chunks[chunk].cells[*cell].name;
            let taken = task.takes.iter().map(|cell| {
                self.held[chunk][*cell].clone().unwrap_or_else(|| panic!("chunk {chunk} {moment:?}: no {}", name(cell)))
            });
            let given = run(&widen(&task.program), taken.collect()).unwrap();
            for (&cell, tensor) in task.gives.iter().zip(given) {
                self.held[chunk][cell] = Some(tensor);
            }
        }
        let sent = self.chunks.transfers.iter().filter(|t| t.from.0 == chunk && t.behind == moment);
        for transfer in sent.filter(|_| !matches!(moment, Moment::After(_))) {
            self.held[transfer.to.0][transfer.to.1] = self.held[chunk][transfer.from.1].clone();
        }
    }

    fn levels(&mut self) {
        for level in 0..50 {
            (0..self.chunks.chunks.len()).for_each(|chunk| self.carry_out(chunk, Moment::After(level)));
            for transfer in self.chunks.transfers.iter().filter(|t| t.behind == Moment::After(level)) {
                let value = self.held[transfer.from.0][transfer.from.1].clone();
                assert!(value.is_some(), "{transfer:?} has nothing to send");
                self.held[transfer.to.0][transfer.to.1] = value;
            }
        }
    }
}

/// Runs the tasks of a step in order, on whole inputs in `f64`, and returns its outputs.
fn carry_out(chunks: &Chunks, step: &Program, inputs: &[Tensor], micro_batches: u64) -> Vec<Tensor> {
    let held = chunks.chunks.iter().map(|chunk| vec![None; chunk.cells.len()]).collect();
    let mut cells = Cells { chunks, held };
    for (number, chunk) in chunks.chunks.iter().enumerate() {
        for port in &chunk.inputs {
            let main = step.inputs();
            if let Some(position) = main.iter().position(|&v| step.path_of(v) == port.name) {
                cells.held[number][port.cell] = Some(inputs[position].clone());
            }
        }
        for (cell, held) in chunk.cells.iter().zip(&mut cells.held[number]) {
            if cell.scope == Scope::Sum {
                let wide = widen_tensors(&[Tensor::splat(cell.local_type(), Scalar::Float(0.0))]);
                *held = wide.into_iter().next();
            }
        }
    }
    let all = 0..chunks.chunks.len();
    all.clone().for_each(|chunk| cells.carry_out(chunk, Moment::Before));
    for micro_batch in 0..micro_batches {
        for (chunk, held) in chunks.chunks.iter().zip(&mut cells.held) {
            for (cell, held) in chunk.cells.iter().zip(held.iter_mut()) {
                // Nothing of the last micro-batch may be read.
                *held = held.take().filter(|_| cell.scope != Scope::MicroBatch);
            }
            if let Some(number) = chunk.number {
                let ty = chunk.cells[number].local_type();
                held[number] = Some(Tensor::splat(ty, Scalar::Int(micro_batch as i64)));
            }
        }
        all.clone().for_each(|chunk| cells.carry_out(chunk, Moment::Slot(Work::Forward)));
        for chunk in all.clone().rev() {
            [Work::Backward, Work::BackwardInput]
                .into_iter()
                .for_each(|work| cells.carry_out(chunk, Moment::Slot(work)));
        }
        all.clone().for_each(|chunk| cells.carry_out(chunk, Moment::Slot(Work::BackwardWeight)));
    }
    cells.levels();
    let given = |name: &str| {
        let ports = chunks.chunks.iter().zip(&cells.held);
        let mut found = ports.flat_map(|(c, held)| c.outputs.iter().map(move |p| (p, held)));
        found.find(|(port, _)| port.name == name).and_then(|(port, held)| held[port.cell].clone())
    };
    step.outputs().iter().map(|o| given(&o.name).unwrap_or_else(|| panic!("nobody gives {}", o.name))).collect()
}

/// Whether a step in stages gives what it gives whole.
fn agrees(text: &str, train: &str, micro_batches: u64, stages: usize) {
    let step = made(text, &format!("{train}accumulate={micro_batches}"));
    let inputs = widen_tensors(&random_inputs(&step, 7).unwrap());
    let expected = run(&widen(&step), inputs.clone()).unwrap();
    for splits in [false, true] {
        let chunks = apart(&step, stages, splits);
        let outputs = carry_out(&chunks, &step, &inputs, micro_batches);
        for ((output, expected), o) in outputs.iter().zip(&expected).zip(step.outputs()) {
            for (a, b) in output.scalars().zip(expected.scalars()) {
                let (a, b) = (a.to_f64(), b.to_f64());
                assert!((a - b).abs() <= 1e-9 * b.abs().max(1.0), "{} in {stages} stages: {a} and {b}", o.name);
            }
        }
    }
}

const MLP: &str = r#"form traced
    param %w1 "a.up" : f32[6, 8]
    param %w2 "a.down" : f32[8, 6]
    param %b "b.bias" : f32[6]
    param %w3 "b.up" : f32[6, 8]
    param %w4 "b.down" : f32[8, 6]
    input %x : f32[8, 6]
    input %t : f32[8, 6]
      %h = matmul %x, %w1 : f32[8, 8]
      %r = relu %h : f32[8, 8]
      %p = matmul %r, %w2 : f32[8, 6]
      %bb = broadcast [1] %b : f32[8, 6]
      %q = add %p, %bb : f32[8, 6]
      %u = matmul %q, %w3 : f32[8, 8]
      %v = tanh %u : f32[8, 8]
      %w = matmul %v, %w4 : f32[8, 6]
      %d = sub %w, %t : f32[8, 6]
      %z = mul %d, %d : f32[8, 6]
      %loss = reduce sum [0, 1] %z : f32[]
    output %loss "loss""#;

/// Shares its first weight with its last product, and skips over the middle.
const TIED: &str = r#"form traced
    param %e "embed" : f32[6, 8]
    param %w2 "b.w" : f32[8, 8]
    param %w3 "c.w" : f32[8, 8]
    input %x : f32[8, 6]
      %h = matmul %x, %e : f32[8, 8]
      %r = relu %h : f32[8, 8]
      %p = matmul %r, %w2 : f32[8, 8]
      %q = tanh %p : f32[8, 8]
      %u = matmul %q, %w3 : f32[8, 8]
      %s = add %u, %r : f32[8, 8]
      %et = transpose [1, 0] %e : f32[8, 6]
      %y = matmul %s, %et : f32[8, 6]
      %z = mul %y, %y : f32[8, 6]
      %loss = reduce sum [0, 1] %z : f32[]
    output %loss "loss""#;

#[test]
fn stages_train_as_the_whole() {
    for stages in 1..=5 {
        for micro_batches in [2, 4, 8] {
            agrees(MLP, "sgd?lr=0.1&", micro_batches, stages);
            agrees(TIED, "sgd?lr=0.1&", micro_batches, stages);
        }
    }
}

/// Behind wide layers a loss costs next to nothing, so that many stages have a single op of it each.
const WIDE: &str = r#"form traced
    param %w1 "up" : f32[8, 512]
    param %w2 "down" : f32[512, 8]
    input %x : f32[32, 8]
    input %t : f32[32, 8]
      %h = matmul %x, %w1 : f32[32, 512]
      %r = relu %h : f32[32, 512]
      %y = matmul %r, %w2 : f32[32, 8]
      %d = sub %y, %t : f32[32, 8]
      %z = mul %d, %d : f32[32, 8]
      %sum = reduce sum [0, 1] %z : f32[]
      %n = constant 256.0 : f32[]
      %loss = div %sum, %n : f32[]
    output %loss "loss""#;

/// The op that sums the loss over micro-batches is no stage of its own: it runs where the loss is computed.
#[test]
fn stages_of_single_ops_train_as_the_whole() {
    for (stages, micro_batches) in [(6, 16), (7, 16), (7, 8)] {
        agrees(WIDE, "sgd?lr=0.1&", micro_batches, stages);
    }
}

#[test]
fn norms_of_all_stages_clip() {
    for stages in 1..=4 {
        agrees(MLP, "adamw?clip=0.5&norms=true&", 4, stages);
        agrees(TIED, "adamw?clip=0.5&scale=dynamic&", 4, stages);
    }
}

#[test]
fn a_loop_takes_as_long_as_its_turns() {
    let seconds = |turns: u64| {
        let text = format!(
            "form traced
            func @turn(%h: f32[128, 64], %w: f32[64, 64]) {{
              %next = matmul %h, %w : f32[128, 64]
              return %next, %w
            }}
            param %w \"w\" frozen : f32[64, 64]
            param %v \"v\" : f32[64, 64]
            input %x : f32[128, 64]
              %h, %same = loop {turns} of @turn %x, %w : f32[128, 64], f32[64, 64]
              %y = matmul %h, %v : f32[128, 64]
              %loss = reduce sum [0, 1] %y : f32[]
            output %loss"
        );
        let step = made(&text, "sgd?lr=0.1&accumulate=2");
        balanced_seconds(&step, &[OnStage { devices: 1, kind: None, memory: u64::MAX }]).unwrap()
    };
    assert!(seconds(1000) > 20.0 * seconds(10), "{} and {}", seconds(1000), seconds(10));
}
