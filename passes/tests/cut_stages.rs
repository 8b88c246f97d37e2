//! Training steps cut into stages and divided into tasks, executed in order by the interpreter. Their result must equal
//! that of the undivided step.

use partita_ir::diag::Source;
use partita_ir::interp::{random_inputs, run, widen, widen_tensors};
use partita_ir::pipeline::{CellScope, TaskTime};
use partita_ir::plan::pipeline::StageSplit;
use partita_ir::plan::{Mesh, Plan};
use partita_ir::program::Program;
use partita_ir::schedule::{ScheduleKind, Work};
use partita_ir::tensor::{Scalar, Tensor};
use partita_ir::text::{parse, print};
use partita_ir::verify::verify;
use partita_passes::driver::variant::Variant;
use partita_passes::driver::{Findings, Input};
use partita_passes::pipelines::{self, Milestone};
use partita_passes::pipelining::cut_stages::{CutOptions, StageDevices, balanced_seconds, cut};
use partita_passes::pipelining::tasks::{UnscheduledPipeline, decompose_chunks};

/// Returns the training step of a program text, in f64.
fn train_step(text: &str, train: &str) -> Program {
    let mut program = parse(&Source::new("test.pir", text)).unwrap_or_else(|e| panic!("{}", e[0]));
    let (input, mut findings) = (Input::with_plan(Plan::default().train(train)), Findings::default());
    pipelines::build_step(&mut program, &input, &mut findings).unwrap_or_else(|e| panic!("{}", e[0]));
    program
}

/// Returns the chunks of a step, one device each.
fn to_chunks(step: &Program, stages: usize, splits: bool) -> UnscheduledPipeline {
    let on = vec![StageDevices { devices: 1, kind: None, link: None, memory: u64::MAX }; stages];
    let cuts = StageSplit::Count(stages);
    let cutting = CutOptions {
        cuts: &cuts,
        schedule: ScheduleKind::OneFOneB,
        stages: &on,
        shares: std::slice::from_ref(&(0..1)),
        recomputes: false,
    };
    let cut = cut(step, cutting).unwrap();
    let mut programs: Vec<Program> = (0..cut.count()).map(|chunk| cut.program(chunk, step).program).collect();
    for program in &mut programs {
        verify(program).unwrap_or_else(|e| panic!("{}\n{}", e[0], print(program)));
        let place = pipelines::pipeline(Milestone::Step, Milestone::Local, Variant::default()).unwrap();
        let (input, mut findings) =
            (Input { plan: Plan::new(Mesh::new([("data", 1)]).unwrap()), ..Input::default() }, Findings::default());
        place.run(program, &input, &mut findings, &mut |_| Ok(())).unwrap_or_else(|e| panic!("{}", e[0]));
    }
    let chunks = decompose_chunks(&programs, cut.seams(), splits).unwrap().unwrap();
    for task in chunks.chunks.iter().flat_map(|chunk| &chunk.tasks) {
        verify(&task.program).unwrap_or_else(|e| panic!("{}\n{}", e[0], print(&task.program)));
    }
    chunks
}

/// Contents of the cells of all chunks, for one micro-batch at a time.
struct Cells<'c> {
    chunks: &'c UnscheduledPipeline,
    contents: Vec<Vec<Option<Tensor>>>,
}

impl Cells<'_> {
    fn execute(&mut self, chunk: usize, moment: TaskTime) {
        if let Some(task) = self.chunks.chunks[chunk].task(moment) {
            let name = |cell: &usize| &self.chunks.chunks[chunk].cells[*cell].name;
            let taken = task.input_cells.iter().map(|cell| {
                self.contents[chunk][*cell]
                    .clone()
                    .unwrap_or_else(|| panic!("chunk {chunk} {moment:?}: no {}", name(cell)))
            });
            let given = run(&widen(&task.program), taken.collect()).unwrap();
            for (&cell, tensor) in task.output_cells.iter().zip(given) {
                self.contents[chunk][cell] = Some(tensor);
            }
        }
        let sent = self.chunks.transfers.iter().filter(|t| t.from.0 == chunk && t.after == moment);
        for transfer in sent.filter(|_| !matches!(moment, TaskTime::After(_))) {
            self.contents[transfer.to.0][transfer.to.1] = self.contents[chunk][transfer.from.1].clone();
        }
    }

    fn execute_levels(&mut self) {
        for level in 0..50 {
            (0..self.chunks.chunks.len()).for_each(|chunk| self.execute(chunk, TaskTime::After(level)));
            for transfer in self.chunks.transfers.iter().filter(|t| t.after == TaskTime::After(level)) {
                let value = self.contents[transfer.from.0][transfer.from.1].clone();
                assert!(value.is_some(), "{transfer:?} has nothing to send");
                self.contents[transfer.to.0][transfer.to.1] = value;
            }
        }
    }
}

/// Runs the tasks of a step in order, on global inputs in `f64`, and returns its outputs.
fn execute(chunks: &UnscheduledPipeline, step: &Program, inputs: &[Tensor], micro_batches: u64) -> Vec<Tensor> {
    let contents = chunks.chunks.iter().map(|chunk| vec![None; chunk.cells.len()]).collect();
    let mut cells = Cells { chunks, contents };
    for (number, chunk) in chunks.chunks.iter().enumerate() {
        for port in &chunk.inputs {
            let main = step.inputs();
            if let Some(position) = main.iter().position(|&v| step.path_of(v) == port.name) {
                cells.contents[number][port.cell] = Some(inputs[position].clone());
            }
        }
        for (cell, contents) in chunk.cells.iter().zip(&mut cells.contents[number]) {
            if cell.scope == CellScope::Sum {
                let wide = widen_tensors(&[Tensor::splat(cell.local_type(), Scalar::Float(0.0))]);
                *contents = wide.into_iter().next();
            }
        }
    }
    let all = 0..chunks.chunks.len();
    all.clone().for_each(|chunk| cells.execute(chunk, TaskTime::Before));
    for micro_batch in 0..micro_batches {
        for (chunk, contents) in chunks.chunks.iter().zip(&mut cells.contents) {
            for (cell, contents) in chunk.cells.iter().zip(contents.iter_mut()) {
                // Values of the last micro-batch must not be read.
                *contents = contents.take().filter(|_| cell.scope != CellScope::MicroBatch);
            }
            if let Some(number) = chunk.micro_batch_cell {
                let ty = chunk.cells[number].local_type();
                contents[number] = Some(Tensor::splat(ty, Scalar::Int(micro_batch as i64)));
            }
        }
        all.clone().for_each(|chunk| cells.execute(chunk, TaskTime::Slot(Work::Forward)));
        for chunk in all.clone().rev() {
            [Work::Backward, Work::BackwardInput]
                .into_iter()
                .for_each(|work| cells.execute(chunk, TaskTime::Slot(work)));
        }
        all.clone().for_each(|chunk| cells.execute(chunk, TaskTime::Slot(Work::BackwardWeight)));
    }
    cells.execute_levels();
    let given = |name: &str| {
        let ports = chunks.chunks.iter().zip(&cells.contents);
        let mut found = ports.flat_map(|(c, contents)| c.outputs.iter().map(move |p| (p, contents)));
        found.find(|(port, _)| port.name == name).and_then(|(port, contents)| contents[port.cell].clone())
    };
    step.outputs().iter().map(|o| given(&o.name).unwrap_or_else(|| panic!("nobody gives {}", o.name))).collect()
}

/// Checks that a step in stages has the results of the undivided step.
fn check_stages(text: &str, train: &str, micro_batches: u64, stages: usize) {
    let step = train_step(text, &format!("{train}accumulate={micro_batches}"));
    let inputs = widen_tensors(&random_inputs(&step, 7).unwrap());
    let expected = run(&widen(&step), inputs.clone()).unwrap();
    for splits in [false, true] {
        let chunks = to_chunks(&step, stages, splits);
        let outputs = execute(&chunks, &step, &inputs, micro_batches);
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

/// A model that shares its first weight with its last product, and has a skip connection over the middle.
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
fn stages_match_the_undivided_step() {
    for stages in 1..=5 {
        for micro_batches in [2, 4, 8] {
            check_stages(MLP, "sgd?lr=0.1&", micro_batches, stages);
            check_stages(TIED, "sgd?lr=0.1&", micro_batches, stages);
        }
    }
}

/// After wide layers, the loss is cheap in comparison, so that many stages consist of one of its ops.
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

/// The op that accumulates the loss over micro-batches forms no separate stage: it runs where the loss is computed.
#[test]
fn single_op_stages_match_the_undivided_step() {
    for (stages, micro_batches) in [(6, 16), (7, 16), (7, 8)] {
        check_stages(WIDE, "sgd?lr=0.1&", micro_batches, stages);
    }
}

#[test]
fn clipping_uses_the_norm_over_all_stages() {
    for stages in 1..=4 {
        check_stages(MLP, "adamw?clip=0.5&norms=true&", 4, stages);
        check_stages(TIED, "adamw?clip=0.5&scale=dynamic&", 4, stages);
    }
}

#[test]
fn loops_cost_their_iterations() {
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
        let step = train_step(&text, "sgd?lr=0.1&accumulate=2");
        balanced_seconds(&step, &[StageDevices { devices: 1, kind: None, link: None, memory: u64::MAX }]).unwrap()
    };
    assert!(seconds(1000) > 20.0 * seconds(10), "{} and {}", seconds(1000), seconds(10));
}
