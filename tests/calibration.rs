//! Predicted throughput of GPTs on A100s next to what was published (Narayanan et al. 2021, table 1), and the fit of
//! the three efficiencies to it.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "a test")]

use filetests::gpt::Gpt;
use partita_cost::placement::Placement;
use partita_cost::roofline::Efficiencies;
use partita_cost::step::{Prediction, predict};
use partita_ir::pipeline::Pipeline;
use partita_ir::plan::{Mesh, Plan};
use partita_ir::schedule::Kind;
use partita_machine::Machine;

/// A line of the table.
#[derive(Clone, Copy, Debug)]
struct Row {
    heads: usize,
    width: usize,
    layers: usize,
    tensor: usize,
    stages: usize,
    gpus: usize,
    batch: usize,
    published: f64,
}

const fn row(sizes: [usize; 7], published: f64) -> Row {
    let [heads, width, layers, tensor, stages, gpus, batch] = sizes;
    Row { heads, width, layers, tensor, stages, gpus, batch, published }
}

const ROWS: [Row; 10] = [
    row([24, 2304, 24, 1, 1, 32, 512], 137.0),
    row([48, 6144, 40, 8, 1, 256, 1024], 135.0),
    row([96, 12288, 80, 8, 8, 1536, 2304], 148.0),
    row([32, 3072, 30, 2, 1, 64, 512], 138.0),
    row([32, 4096, 36, 4, 1, 128, 512], 142.0),
    row([64, 8192, 48, 8, 2, 512, 1536], 138.0),
    row([80, 10240, 60, 8, 4, 1024, 1792], 140.0),
    row([128, 16384, 96, 8, 16, 1920, 2160], 155.0),
    row([128, 20480, 105, 8, 35, 2520, 2520], 163.0),
    row([160, 25600, 128, 8, 64, 3072, 3072], 163.0),
];

/// Attention still wrote its scores.
fn of_2021() -> Efficiencies {
    Efficiencies { tiled_attention: false, ..Efficiencies::default() }
}

const SEQUENCE: usize = 2048;
const VOCABULARY: usize = 51200;

impl Row {
    /// Operations of a step, with what is computed again: `96 B s l h^2 (1 + s/(6h) + V/(16 l h))`.
    fn flops(&self) -> f64 {
        let [b, s, l, h, v] = [self.batch, SEQUENCE, self.layers, self.width, VOCABULARY].map(|n| n as f64);
        96.0 * b * s * l * h * h * (1.0 + s / (6.0 * h) + v / (16.0 * l * h))
    }

    /// Chunks of a stage: layers are dealt out evenly.
    fn chunks(&self) -> usize {
        let each = self.layers / self.stages;
        if self.stages == 1 {
            1
        } else {
            [2usize, 3].into_iter().find(|&chunks| each.is_multiple_of(chunks)).unwrap_or(1)
        }
    }

    fn machine(&self) -> Machine {
        Machine::named(&format!("dgx-a100?nodes={}", self.gpus / 8)).unwrap()
    }

    fn pipeline(&self, micro: usize, chunks: usize) -> Option<Pipeline> {
        let replicas = self.gpus / self.tensor / self.stages;
        let micro_batches = self.batch / replicas / micro;
        if micro_batches * replicas * micro != self.batch {
            return None;
        }
        let gpt = Gpt {
            layers: self.layers,
            width: self.width,
            heads: self.heads,
            sequence: SEQUENCE,
            vocabulary: VOCABULARY,
            batch: self.batch,
            dropout: false,
        };
        let mut step = gpt.program().unwrap_or_else(|e| panic!("{}", e[0]));
        let mesh = Mesh::new([("data", replicas as u32), ("model", self.tensor as u32)]).unwrap();
        let plan = Plan::new(mesh)
            .preset("data,megatron")
            .train(format!("adamw?accumulate={micro_batches}"))
            .precision("**", "bf16")
            .remat("**", "full");
        let kind = if chunks > 1 { Kind::Interleaved { chunks } } else { Kind::OneFOneB };
        Some(filetests::gpt::in_stages(&mut step, &plan, self.stages, kind).unwrap_or_else(|e| panic!("{}", e[0])))
    }

    fn predicted(&self, pipeline: &Pipeline, efficiencies: &Efficiencies) -> Prediction {
        let machine = self.machine();
        let placement = Placement::of(pipeline, &machine, &[]).unwrap();
        predict(pipeline, &machine, &placement, efficiencies).unwrap_or_else(|e| panic!("{e}"))
    }
}

/// The pipelines of a row that are tried: its micro-batches have so many sequences.
fn tried(row: &Row) -> Vec<Pipeline> {
    [1, 2, 4, 8].into_iter().filter_map(|micro| row.pipeline(micro, row.chunks())).collect()
}

/// Operations that a device does in a second, what is computed again included, with the best of those pipelines.
fn throughput(row: &Row, pipelines: &[Pipeline], efficiencies: &Efficiencies) -> f64 {
    let seconds = pipelines.iter().map(|pipeline| row.predicted(pipeline, efficiencies).seconds);
    row.flops() / seconds.fold(f64::INFINITY, f64::min) / row.gpus as f64 / 1e12
}

#[test]
#[ignore = "takes minutes; its result is Efficiencies::default"]
fn fit() {
    let rows: Vec<(Row, Vec<Pipeline>)> = ROWS[..3].iter().map(|row| (*row, tried(row))).collect();
    let squares = |e: &Efficiencies| -> f64 {
        rows.iter().map(|(row, all)| (throughput(row, all, e) / row.published - 1.0).powi(2)).sum()
    };
    let mut best = (f64::INFINITY, Efficiencies { matmul: 0.6, memory: 0.6, link: 0.8, ..of_2021() });
    best.0 = squares(&best.1);
    let mut width = 0.08;
    while width > 0.004 {
        let Efficiencies { matmul, memory, link, .. } = best.1;
        let before = best.0;
        for (a, b, c) in (0..27).map(|i| (i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1)) {
            let at = |middle: f64, steps: i32| (middle + f64::from(steps) * width).clamp(0.02, 1.0);
            let tried = Efficiencies { matmul: at(matmul, a), memory: at(memory, b), link: at(link, c), ..of_2021() };
            let off = squares(&tried);
            if off < best.0 {
                best = (off, tried);
            }
        }
        println!("{:.6} {:?}", best.0, best.1);
        if best.0 >= before {
            width /= 2.0;
        }
    }
    for (row, all) in &rows {
        println!("{row:?}: {:.1}", throughput(row, all, &best.1));
    }
}

/// Within 6 %: layers are balanced over the stages here, whereas in the paper the first and the last stage have as many
/// as the others beside the embedding.
#[test]
fn three_rows_are_met() {
    for (row, micro) in ROWS[..3].iter().zip([8, 8, 1]) {
        let found = throughput(row, &[row.pipeline(micro, row.chunks()).unwrap()], &of_2021());
        assert!((found / row.published - 1.0).abs() < 0.06, "{row:?}: {found:.1}");
    }
}

#[test]
#[ignore = "takes minutes; prints a table"]
fn all_rows() {
    for row in &ROWS {
        let found = throughput(row, &tried(row), &of_2021());
        println!("{row:?}: {found:.1}, {:+.1}%", 100.0 * (found / row.published - 1.0));
    }
}
