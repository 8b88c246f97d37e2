//! Many random plans for small models: axes of any size, including one device, layouts, presets, optimizers,
//! accumulation, freezing, recomputation, buckets, and pipelines with replicas. The partitioned step must agree with
//! the training step of one device: in `f64` up to rounding, and in `f32` by the criterion of `run --check`. A plan may
//! be rejected, but not with an internal error.

use crate::agree::{join_diagnostics, run_partitioned, run_unpartitioned};
use crate::small_models::{BLOCK, GATED, LAYERS, causal_block};
use indexmap::IndexMap;
use partita_cpu::Cpu;
use partita_ir::diag::{Code, Diagnostic, Source};
use partita_ir::interp::{random_inputs, run_perturbed, widen, widen_tensors};
use partita_ir::pipeline::Pipeline;
use partita_ir::plan::{Mesh, Plan};
use partita_ir::program::Program;
use partita_ir::tensor::Tensor;
use partita_ir::text::parse;
use partita_passes::driver::variant::Variant;
use partita_passes::driver::{Findings, Input};
use partita_passes::pipelines::{self, Milestone};
use partita_passes::pipelining::stages::pipeline;
use partita_runtime::backend::Backend;
use partita_runtime::check::{OneDevice, RoundingLimits, compare, compare_rounding};
use partita_runtime::executor::Executable;
use proptest::option;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::sample::{Index, select, subsequence};
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use proptest::{array, collection};
use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

/// Allowed differences in `f64`, and base tolerance in `f32`, equal to those of `run --check`.
const TOLERANCE_F64: f64 = 1e-9;
const TOLERANCE_F32: f64 = 1e-4;

/// Outcomes of the plans.
#[derive(Default, Debug)]
pub struct PlanTally {
    /// Plans that agreed.
    pub agreed: usize,
    /// Plans that were rejected.
    pub refused: usize,
    /// Number of agreeing plans with each option.
    pub options: IndexMap<&'static str, usize>,
}

impl PlanTally {
    /// Returns the options without any agreeing plan.
    pub fn missing(&self) -> Vec<&'static str> {
        OPTIONS.into_iter().filter(|option| !self.options.contains_key(option)).collect()
    }
}

impl fmt::Display for PlanTally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let options: Vec<String> = self.options.iter().map(|(option, count)| format!("{option} {count}")).collect();
        write!(f, "{} agreed, {} refused; with {}", self.agreed, self.refused, options.join(", "))
    }
}

/// Options by which plans are counted.
const OPTIONS: [&str; 12] = [
    "axis of one",
    "layouts",
    "rules",
    "presets",
    "context",
    "training",
    "accumulation",
    "freezing",
    "recomputation",
    "stages",
    "replicas",
    "buckets",
];

/// A plan encoded as choices, so that proptest can shrink it.
#[derive(Clone, Debug)]
struct RandomPlan {
    model: String,
    sizes: Vec<u32>,
    presets: Vec<&'static str>,
    layouts: Vec<(Index, [Index; 3])>,
    rule: Option<(Index, Index)>,
    train: Option<(&'static str, Option<u32>)>,
    freeze: Vec<Index>,
    remat: Option<&'static str>,
    bucket: Option<&'static str>,
    stages: Option<RandomStages>,
}

#[derive(Clone, Debug)]
struct RandomStages {
    count: u32,
    schedule: &'static str,
    micro_batches: u32,
    replicas: Option<u32>,
}

const AXES: [&str; 3] = ["data", "model", "context"];

const CONTEXT_PRESETS: [&str; 3] = ["context", "context?attention=gather", "context?attention=ulysses"];

fn plans() -> impl Strategy<Value = RandomPlan> {
    let presets = ["data", "megatron", "sequence", "zero1", "zero2", "zero3", "mesh"]
        .into_iter()
        .chain(CONTEXT_PRESETS)
        .collect::<Vec<_>>();
    let stages = (1u32..=3, select(vec!["1f1b", "gpipe", "vanilla", "zb-h1", "interleaved?chunks=2"]), 1u32..=3);
    let stages = (stages, option::weighted(0.2, 2u32..=2));
    let stages = stages.prop_map(|((count, schedule, micro_batches), replicas)| RandomStages {
        count,
        schedule,
        micro_batches,
        replicas,
    });
    let optimizers = select(vec!["sgd", "momentum?lr=0.1", "adam", "adamw?clip=0.7"]);
    let train = option::weighted(0.8, (optimizers, option::weighted(0.3, 2u32..=3)));
    let sizes = collection::vec(prop_oneof![2 => Just(2u32), 2 => Just(1), 1 => Just(3), 1 => Just(4)], 1..=3);
    let laid_out = (
        sizes,
        option::weighted(0.5, subsequence(presets, 1..=3)),
        collection::vec((any::<Index>(), array::uniform3(any::<Index>())), 0..=3),
        option::weighted(0.3, any::<(Index, Index)>()),
    );
    let models = vec![LAYERS.to_owned(), GATED.to_owned(), BLOCK.to_owned(), causal_block(8)];
    let models = select(models);
    let trained = (
        train,
        option::weighted(0.3, collection::vec(any::<Index>(), 1..=2)),
        option::weighted(0.4, select(vec!["full", "selective"])),
        option::weighted(0.2, select(vec!["100B", "1KiB", "none"])),
    );
    (models, laid_out, trained, option::weighted(0.4, stages)).prop_map(
        |(model, (sizes, presets, layouts, rule), (train, freeze, remat, bucket), stages)| RandomPlan {
            model,
            sizes,
            presets: presets.unwrap_or_default(),
            layouts,
            rule,
            train,
            freeze: freeze.unwrap_or_default(),
            remat,
            bucket,
            stages,
        },
    )
}

impl RandomPlan {
    fn program(&self) -> Result<Program, String> {
        parse(&Source::new("model.pir", self.model.as_str())).map_err(|errors| join_diagnostics(&errors))
    }

    /// Returns the plan that trains the model on one device without accumulation.
    fn reference_plan(&self, program: &Program) -> Plan {
        let plan = self.train.iter().fold(Plan::default(), |plan, (optimizer, _)| plan.train(*optimizer));
        self.frozen(program).into_iter().fold(plan, Plan::freeze)
    }

    fn frozen(&self, program: &Program) -> Vec<String> {
        let params: Vec<&str> = program.params.values().map(|param| param.path.as_str()).collect();
        let frozen = self.freeze.iter().filter(|_| self.train.is_some() && !params.is_empty());
        frozen.map(|index| index.get(&params).to_string()).collect()
    }

    fn plan(&self, program: &Program) -> Result<Plan, Diagnostic> {
        let axes: Vec<(&str, u32)> = AXES.into_iter().zip(self.sizes.iter().copied()).collect();
        let names: Vec<&str> = axes.iter().map(|axis| axis.0).collect();
        let mut plan = Plan::new(Mesh::new(axes)?);
        if !self.presets.is_empty() {
            plan = plan.preset(self.presets.join(","));
        }
        let inputs = program.inputs();
        for (value, dims) in &self.layouts {
            let &value = value.get(inputs);
            let rank = program.ty(value).shape.rank();
            // The wildcards are as numerous as the axes.
            let axis = |index: &Index| names.get(index.index(2 * names.len())).copied().unwrap_or("_");
            let layout: Vec<&str> = (0..rank).map(|dim| dims.get(dim).map_or("_", axis)).collect();
            plan = plan.shard(program.path_of(value), layout.join(", "));
        }
        if let Some((value, axis)) = &self.rule {
            let &value = value.get(inputs);
            let rank = program.ty(value).shape.rank();
            let dims: Vec<String> = (0..rank).map(|dim| format!("n{dim}")).collect();
            let rules: Vec<String> = dims.iter().take(2).map(|dim| format!("{dim}:{}", axis.get(&names))).collect();
            plan = plan.name(program.path_of(value), dims.join(", ")).rules(rules.join("; "));
        }
        if let Some((optimizer, accumulate)) = self.train {
            let option = |parts: u32| format!("{}accumulate={parts}", if optimizer.contains('?') { "&" } else { "?" });
            let accumulate = accumulate.filter(|_| self.stages.is_none()).map(option).unwrap_or_default();
            plan = plan.train(format!("{optimizer}{accumulate}"));
        }
        plan = self.frozen(program).into_iter().fold(plan, Plan::freeze);
        plan = self.remat.into_iter().fold(plan, |plan, how| plan.remat("**", how));
        plan = self.bucket.into_iter().fold(plan, Plan::bucket);
        if let Some(RandomStages { count, schedule, micro_batches, replicas }) = self.stages {
            plan = plan.pipeline(count.to_string()).schedule(schedule).micro_batches(micro_batches.to_string());
            plan = replicas.into_iter().fold(plan, |plan, count| plan.replicas(count.to_string()));
        }
        Ok(plan)
    }

    fn options(&self) -> impl Iterator<Item = &'static str> {
        let stages = self.stages.as_ref();
        let has = [
            self.sizes.contains(&1),
            !self.layouts.is_empty(),
            self.rule.is_some(),
            !self.presets.is_empty(),
            self.presets.iter().any(|preset| CONTEXT_PRESETS.contains(preset)),
            self.train.is_some(),
            self.train.is_some_and(|train| train.1.is_some()) && stages.is_none(),
            self.train.is_some() && !self.freeze.is_empty(),
            self.train.is_some() && self.remat.is_some(),
            stages.is_some_and(|stages| stages.count > 1),
            stages.is_some_and(|stages| stages.replicas.is_some()),
            self.bucket.is_some(),
        ];
        OPTIONS.into_iter().zip(has).filter(|(_, has)| *has).map(|(option, _)| option)
    }
}

/// Generates and checks `count` plans from a seed.
///
/// # Errors
/// The smallest failing plan found.
pub fn check_random_plans(count: u32, seed: u64) -> Result<PlanTally, String> {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let config = Config { cases: count, failure_persistence: None, max_shrink_iters: 400, ..Config::default() };
    let tally = RefCell::new(PlanTally::default());
    let ran = TestRunner::new_with_rng(config, rng)
        .run(&plans(), |drawn| check(&drawn, seed, &mut tally.borrow_mut()).map_err(TestCaseError::fail));
    match ran {
        Ok(()) => Ok(tally.into_inner()),
        Err(TestError::Fail(why, drawn)) => {
            let plan = drawn.program().ok().and_then(|program| drawn.plan(&program).ok());
            let plan = plan.map(|plan| plan.to_toml()).unwrap_or_default();
            Err(format!("{why}\n\n{plan}\n{}", drawn.model))
        }
        Err(TestError::Abort(why)) => Err(why.to_string()),
    }
}

/// Returns true if all errors concern the plan. For any plan, passes must produce valid programs, without internal
/// errors.
fn is_plan_error(errors: &[Diagnostic]) -> bool {
    let is_internal = |code: Code| ["B", "V", "P", "T", "R"].iter().any(|kind| code.name().starts_with(kind));
    errors.iter().all(|error| !is_internal(error.code))
}

/// Checks one plan.
fn check(drawn: &RandomPlan, seed: u64, tally: &mut PlanTally) -> Result<(), String> {
    let model = drawn.program()?;
    let plan = drawn.plan(&model).map_err(|error| error.to_string())?;
    let made = match CompiledPlan::new(&model, &plan) {
        Ok(made) => made,
        Err(errors) if is_plan_error(&errors) => {
            tally.refused += 1;
            return Ok(());
        }
        Err(errors) => return Err(join_diagnostics(&errors)),
    };
    let mut plain = model.clone();
    let (input, mut findings) = (Input::with_plan(drawn.reference_plan(&model)), Findings::default());
    pipelines::build_step(&mut plain, &input, &mut findings).map_err(|errors| join_diagnostics(&errors))?;
    let inputs = random_inputs(&plain, seed)?;
    let wide_inputs = widen_tensors(&inputs);
    let (one, exact) = (run_unpartitioned(&plain, &inputs)?, run_unpartitioned(&widen(&plain), &wide_inputs)?);
    let many = made.run(&plain, &inputs)?;
    let wide = made.widened().run(&plain, &wide_inputs)?;
    let names = || plain.outputs().iter().map(|output| output.name.as_str());
    let in_f64 = compare(names(), &wide, &exact, TOLERANCE_F64);
    let perturbed = run_perturbed(&plain, wide_inputs, 0)?;
    let one = OneDevice { native: &one, perturbed: &perturbed, exact: &exact };
    let in_f32 = compare_rounding(names(), &many, one, RoundingLimits::new(TOLERANCE_F32));
    for (how, differences) in [("f64", in_f64), ("f32", in_f32)] {
        if let Some(off) = differences.iter().find(|difference| !difference.ok) {
            return Err(format!("in {how}, `{}` is off: {:?}", off.name, off.worst));
        }
    }
    tally.agreed += 1;
    drawn.options().for_each(|option| *tally.options.entry(option).or_default() += 1);
    Ok(())
}

/// A model partitioned by a plan.
enum CompiledPlan {
    /// Local program of a mesh.
    Parts(Program),
    /// Pipeline of stages.
    Stages(Box<Pipeline>),
}

impl CompiledPlan {
    fn new(model: &Program, plan: &Plan) -> Result<CompiledPlan, Vec<Diagnostic>> {
        let mut program = model.clone();
        let (input, mut findings) = (Input::with_plan(plan.clone()), Findings::default());
        pipelines::build_step(&mut program, &input, &mut findings)?;
        if let Some(how) = plan.pipeline_config().map_err(|error| vec![error])? {
            return pipeline(&program, &how, &input, &mut findings, &mut |_| Ok(()))
                .map(|made| CompiledPlan::Stages(Box::new(made)));
        }
        let place =
            pipelines::pipeline(Milestone::Step, Milestone::Local, Variant::default()).map_err(|error| vec![error])?;
        place.run(&mut program, &input, &mut findings, &mut |_| Ok(()))?;
        Ok(CompiledPlan::Parts(program))
    }

    fn widened(&self) -> CompiledPlan {
        match self {
            CompiledPlan::Parts(program) => CompiledPlan::Parts(widen(program)),
            CompiledPlan::Stages(pipeline) => CompiledPlan::Stages(Box::new(pipeline.widened())),
        }
    }

    /// Returns the outputs of all devices, in the order of the one-device step, for its inputs.
    fn run(&self, plain: &Program, inputs: &[Tensor]) -> Result<Vec<Tensor>, String> {
        let program = match self {
            CompiledPlan::Parts(program) => program,
            CompiledPlan::Stages(pipeline) => {
                let pipeline = Arc::new(pipeline.as_ref().clone());
                let compiled = Cpu.compile_pipeline(pipeline, plain).map_err(|error| error.to_string())?;
                return compiled.run(inputs).map_err(|error| error.to_string());
            }
        };
        let paths = plain.inputs().iter().map(|&value| plain.path_of(value));
        let named: IndexMap<&str, &Tensor> = paths.zip(inputs).collect();
        let main = &program.funcs[program.entry()];
        let input = |&value| named.get(program.path_of(value)).copied().cloned();
        let inputs: Option<Vec<Tensor>> = main.inputs.iter().map(input).collect();
        let outputs = run_partitioned(program, &inputs.ok_or("has an input that the reference step lacks")?)?;
        let mut outputs: IndexMap<&str, Tensor> =
            main.outputs.iter().map(|output| output.name.as_str()).zip(outputs).collect();
        let output = |name: &str| outputs.swap_remove(name).ok_or_else(|| format!("has no output `{name}`"));
        plain.outputs().iter().map(|o| o.name.as_str()).map(output).collect()
    }
}
