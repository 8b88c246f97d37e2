//! Layouts of steps with micro-batches, accumulated gradients, or a pipeline of one or two stages: every parameter and
//! value has the layout of the step without a loop. The expected layouts are read from the planned program of the
//! latter.

use filetests::gpt::Gpt;
use indexmap::IndexMap;
use partita_ir::arena::ValueId;
use partita_ir::diag::{Diagnostic, Source};
use partita_ir::op::OpKind;
use partita_ir::pipeline::TaskTime;
use partita_ir::plan::{Mesh, Plan, layout_text};
use partita_ir::program::{Phase, Program};
use partita_ir::schedule::Work;
use partita_ir::text::parse;
use partita_passes::driver::variant::Variant;
use partita_passes::driver::{Findings, Input, PassReport};
use partita_passes::pipelines::{self, Milestone};
use partita_passes::pipelining::stages::pipeline;
use partita_passes::planning::presets::names;
use std::collections::BTreeSet;

/// Two mixtures of experts, each followed by a product, and a loss.
const EXPERTS: &str = r#"form traced
    param %w "in" : f32[16, 16]
    param %g1 "blocks.0.gate" : f32[16, 4]
    param %up1 "blocks.0.up" : f32[4, 16, 24]
    param %down1 "blocks.0.down" : f32[4, 24, 16]
    param %v1 "blocks.0.out" : f32[16, 16]
    param %g2 "blocks.1.gate" : f32[16, 4]
    param %up2 "blocks.1.up" : f32[4, 16, 24]
    param %down2 "blocks.1.down" : f32[4, 24, 16]
    param %v2 "blocks.1.out" : f32[16, 16]
    input %x : f32[16, 12, 16]
      %y1 = matmul %x, %w : f32[16, 12, 16]
      %s1 = matmul %y1, %g1 : f32[16, 12, 4]
      %p1 = softmax dim 2 %s1 : f32[16, 12, 4]
      %i1 = dot_general contract [1]x[1] batch [0]x[0] %p1, %y1 : f32[16, 4, 16]
      %h1 = dot_general contract [2]x[1] batch [1]x[0] %i1, %up1 : f32[4, 16, 24]
      %r1 = relu %h1 : f32[4, 16, 24]
      %o1 = matmul %r1, %down1 : f32[4, 16, 16]
      %z1 = dot_general contract [2]x[0] batch [0]x[1] %p1, %o1 : f32[16, 12, 16]
      %a1 = add %y1, %z1 : f32[16, 12, 16]
      %y2 = matmul %a1, %v1 : f32[16, 12, 16]
      %s2 = matmul %y2, %g2 : f32[16, 12, 4]
      %p2 = softmax dim 2 %s2 : f32[16, 12, 4]
      %i2 = dot_general contract [1]x[1] batch [0]x[0] %p2, %y2 : f32[16, 4, 16]
      %h2 = dot_general contract [2]x[1] batch [1]x[0] %i2, %up2 : f32[4, 16, 24]
      %r2 = relu %h2 : f32[4, 16, 24]
      %o2 = matmul %r2, %down2 : f32[4, 16, 16]
      %z2 = dot_general contract [2]x[0] batch [0]x[1] %p2, %o2 : f32[16, 12, 16]
      %a2 = add %y2, %z2 : f32[16, 12, 16]
      %b = matmul %a2, %v2 : f32[16, 12, 16]
      %e = mul %b, %b : f32[16, 12, 16]
      %loss = reduce sum [0, 1, 2] %e : f32[]
    output %loss "loss""#;

fn read(text: &str) -> Program {
    parse(&Source::new("experts.pir", text)).unwrap_or_else(|e| panic!("{}", e[0]))
}

fn gpt(layers: usize) -> Program {
    let gpt = Gpt { layers, width: 32, heads: 4, sequence: 16, vocabulary: 96, batch: 16, dropout: false };
    gpt.program().unwrap_or_else(|e| panic!("{}", e[0]))
}

/// Returns a model and a plan with a preset, on a mesh that has the preset's axes.
fn plan_of(preset: &str) -> (Program, Plan) {
    let mesh = |axes: &[(&str, u32)]| Plan::new(Mesh::new(axes.iter().map(|&(name, size)| (name, size))).unwrap());
    let both = || mesh(&[("data", 2), ("model", 2)]);
    match preset {
        "expert" => (read(EXPERTS), mesh(&[("expert", 4)]).preset("expert")),
        "data" => (gpt(2), mesh(&[("data", 4)]).preset("data")),
        "mesh" => (gpt(2), both().preset("mesh")),
        "megatron" => (gpt(2), both().preset("data,megatron")),
        "context" => (gpt(2), mesh(&[("data", 2), ("context", 2)]).preset("data,context")),
        "sequence" => (gpt(2), both().preset("data,megatron,sequence")),
        zero => (gpt(2), both().preset(zero)),
    }
}

/// A plan option: its name, and a function that adds it to a plan.
type PlanOption = (&'static str, fn(Plan) -> Plan);

/// Options of a plan other than presets.
const PLAN_OPTIONS: [PlanOption; 10] = [
    ("nothing", |plan| plan),
    ("remat none", |plan| plan.remat("**", "none")),
    ("remat selective", |plan| plan.remat("**", "selective")),
    ("remat full", |plan| plan.remat("**", "full")),
    ("remat auto", |plan| plan.remat("**", "auto?budget=1GiB")),
    ("freeze", |plan| plan.freeze("{first}")),
    ("train only", |plan| plan.train_only("{last}")),
    ("bf16", |plan| plan.precision("**", "bf16")),
    ("bf16 in parts", |plan| plan.precision("**", "bf16").precision("{last}", "f32")),
    ("frozen bf16, recomputed", |plan| plan.precision("**", "bf16").freeze("{first}").remat("**", "full")),
];

/// Returns the plan with placeholders replaced by the model's first and last parameters.
fn named(mut plan: Plan, model: &Program) -> Plan {
    let params: Vec<&str> = model.params.values().map(|p| p.path.as_str()).collect();
    let (first, last) = (params[0], params[params.len() - 1]);
    let paths = plan.freeze.iter_mut().chain(&mut plan.train_only);
    for path in paths.chain(plan.precision.iter_mut().map(|entry| &mut entry.path)) {
        path.text = path.text.replace("{first}", first).replace("{last}", last);
    }
    plan
}

/// The layout of each value, by its name or parameter path.
type LayoutTable = IndexMap<String, String>;

/// Execution forms of a step.
const EXECUTION_FORMS: [&str; 3] = ["accumulate=2", "one stage", "two stages"];

fn with_form(plan: &Plan, form: &str) -> Plan {
    let plan = plan.clone();
    match form {
        "plain" => plan.train("adamw"),
        "accumulate=2" => plan.train("adamw?accumulate=2"),
        // With a schedule, a single stage is a pipeline of tasks, too.
        "one stage" => plan.train("adamw").pipeline("1").schedule("1f1b").micro_batches("2"),
        _ => plan.train("adamw").pipeline("2").micro_batches("2"),
    }
}

/// The planned programs of a step, one in total or one per stage, and the names of the values of the step before
/// partitioning into stages and before recomputation.
struct Planned {
    programs: Vec<Program>,
    values: BTreeSet<String>,
}

fn planned(model: &Program, plan: &Plan) -> Result<Planned, Vec<Diagnostic>> {
    let (mut programs, mut values) = (Vec::new(), BTreeSet::new());
    let mut watch = |ran: &PassReport<'_>| {
        match ran.info.name {
            "propagate" => values = ran.program.values.values().map(|value| value.name.to_string()).collect(),
            "remat" => programs.push(ran.program.clone()),
            _ => {}
        }
        Ok(())
    };
    let (input, mut findings) = (Input::with_plan(plan.clone()), Findings::default());
    let mut step = model.clone();
    let how = plan.pipeline_config().map_err(|e| vec![e])?;
    let made = if how.is_some() {
        pipelines::pipeline(Milestone::Model, Milestone::Step, Variant::default())
    } else {
        pipelines::pipeline(Milestone::Model, Milestone::Local, Variant::default())
    };
    made.map_err(|e| vec![e])?.run(&mut step, &input, &mut findings, &mut |ran| watch(&ran))?;
    if let Some(how) = how {
        pipeline(&step, &how, &input, &mut findings, &mut watch)?;
    }
    Ok(Planned { programs, values })
}

/// Returns the layouts of the step's parameters, and of the values of its model and gradients.
fn layout_table(planned: &Planned) -> LayoutTable {
    let mut table = LayoutTable::new();
    for program in &planned.programs {
        let (_, mesh) = program.mesh().unwrap();
        let mut note = |name: String, value: ValueId| {
            let layout = program.values[value].layout.as_ref().map(|layout| layout_text(layout, mesh));
            let layout = layout.unwrap_or_default();
            let known = table.entry(name.clone()).or_insert_with(|| layout.clone());
            assert_eq!(*known, layout, "{name} in two stages");
        };
        for param in program.params.values() {
            note(param.path.clone(), param.value);
        }
        for func in program.funcs_with_layouts() {
            for op in program.funcs[func].ops().iter().map(|&op| &program.ops[op]) {
                // Constants have the layout of their readers, and copies have other names in each form; the layouts of
                // their readers are compared instead.
                let is_model = matches!(op.phase, Phase::Forward | Phase::BackwardInput | Phase::BackwardWeight)
                    && !matches!(op.kind, OpKind::Constrain(_))
                    && !op.args.is_empty();
                for &out in op.outs.iter().filter(|_| is_model) {
                    let name = program.values[out].name.as_str();
                    if planned.values.contains(name) {
                        note(format!("%{name}"), out);
                    }
                }
            }
        }
    }
    table
}

/// Gradients of the weight shared by the first and the last stage; each stage accumulates its own contribution.
const SHARED_WEIGHT_GRADIENTS: [&str; 2] = ["%tokens.grad", "%tokens.bf16.grad"];

/// Returns the values whose layout differs from the step without a loop, or that are missing.
fn differences(plain: &LayoutTable, looped: &LayoutTable, form: &str) -> Vec<String> {
    let differs = |(name, layout): (&String, &String)| match looped.get(name) {
        Some(other) if other == layout => None,
        None if form == "two stages" && SHARED_WEIGHT_GRADIENTS.contains(&name.as_str()) => None,
        Some(other) => Some(format!("{name}: {layout} without a loop, {other} in it")),
        None => Some(format!("{name}: not in the loop")),
    };
    plain.iter().filter_map(differs).collect()
}

#[test]
fn loops_have_the_layouts_of_the_step_without_one() {
    let mut wrong = Vec::new();
    for preset in names() {
        let (model, plan) = plan_of(preset);
        for (option, add) in PLAN_OPTIONS {
            let plan = named(add(plan.clone()), &model);
            let of = |form: &str| match planned(&model, &with_form(&plan, form)) {
                Ok(planned) => layout_table(&planned),
                Err(errors) => panic!("{preset}, {option}, {form}: {}", errors[0]),
            };
            let plain = of("plain");
            assert!(plain.len() > 30, "{preset}, {option}: {} values", plain.len());
            for form in EXECUTION_FORMS {
                let found = differences(&plain, &of(form), form);
                wrong.extend(found.iter().map(|what| format!("{preset}, {option}, {form}: {what}")));
            }
        }
    }
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
}

/// A preset that has no effect inside the loop is detected.
#[test]
fn preset_ignored_in_a_loop_is_detected() {
    for preset in names() {
        let (model, plan) = plan_of(preset);
        let plain = layout_table(&planned(&model, &with_form(&plan, "plain")).unwrap());
        let without = match preset {
            "sequence" => Plan { presets: Vec::new(), ..plan.clone() }.preset("data,megatron"),
            "megatron" => Plan { presets: Vec::new(), ..plan.clone() }.preset("data"),
            "context" | "zero1" | "zero2" | "zero3" => Plan { presets: Vec::new(), ..plan.clone() }.preset("data"),
            _ => Plan { presets: Vec::new(), ..plan.clone() },
        };
        for form in EXECUTION_FORMS {
            let looped = layout_table(&planned(&model, &with_form(&without, form)).unwrap());
            assert!(!differences(&plain, &looped, form).is_empty(), "{preset}, {form}");
        }
    }
}

/// Returns the types of values stored on a device between the forward and backward passes of one micro-batch, each with
/// its count.
fn values_between_passes(model: &Program, plan: &Plan) -> Vec<(String, u64)> {
    let mut step = model.clone();
    let (input, mut findings) = (Input::with_plan(plan.clone()), Findings::default());
    let mut found: IndexMap<String, u64> = IndexMap::new();
    let mut add = |ty: String| *found.entry(ty).or_default() += 1;
    if let Some(how) = plan.pipeline_config().unwrap() {
        pipelines::build_step(&mut step, &input, &mut findings).unwrap();
        let pipeline = pipeline(&step, &how, &input, &mut findings, &mut |_| Ok(())).unwrap();
        for chunk in &pipeline.chunks {
            let gives = |work: Work, cell: usize| {
                chunk.task(TaskTime::Slot(work)).is_some_and(|t| t.output_cells.contains(&cell))
            };
            let takes = |work: Work, cell: usize| {
                chunk.task(TaskTime::Slot(work)).is_some_and(|t| t.input_cells.contains(&cell))
            };
            let later = [Work::Backward, Work::BackwardInput, Work::BackwardWeight];
            for (number, cell) in chunk.cells.iter().enumerate() {
                if gives(Work::Forward, number) && later.iter().any(|&work| takes(work, number)) {
                    add(cell.local_type().to_string());
                }
            }
        }
    } else {
        pipelines::pipeline(Milestone::Model, Milestone::Local, Variant::default())
            .unwrap()
            .run(&mut step, &input, &mut findings, &mut |_| Ok(()))
            .unwrap();
        for func in step.funcs_with_layouts() {
            let ops = || step.funcs[func].ops().iter().map(|&op| &step.ops[op]);
            let forward: Vec<_> = ops().filter(|op| op.phase == Phase::Forward).flat_map(|op| &op.outs).collect();
            let mut read: Vec<_> = ops().filter(|op| op.phase != Phase::Forward).flat_map(|op| &op.args).collect();
            read.sort_unstable();
            read.dedup();
            read.iter().filter(|v| forward.contains(v)).for_each(|&&v| add(step.ty(v).to_string()));
        }
    }
    found.into_iter().collect()
}

/// Full recomputation stores the input of each layer, and ZeRO-3 stores no gathered weight, with loops and without.
#[test]
fn layers_store_their_input_only() {
    const LAYERS: usize = 4;
    let model = gpt(LAYERS);
    let plan = |axes: [(&str, u32); 2], presets: &str| {
        Plan::new(Mesh::new(axes).unwrap()).preset(presets).remat("**", "full").precision("**", "bf16")
    };
    let (zero3, both) = ([("data", 2), ("model", 1)], [("data", 2), ("model", 2)]);
    let plans = [
        (plan(zero3, "zero3"), ["[32, 32]", "[32, 128]", "[128, 32]"]),
        (plan(both, "zero3,megatron"), ["[32, 16]", "[32, 64]", "[64, 32]"]),
        (plan(both, "data,megatron,sequence"), [""; 3]),
    ];
    for (plan, gathered) in plans {
        for form in ["plain", "accumulate=2", "one stage", "two stages"] {
            let plan = match form {
                "two stages" => {
                    with_form(&plan, form).pipeline("tokens positions blocks.0 blocks.1 | blocks.2 blocks.3 norm")
                }
                _ => with_form(&plan, form),
            };
            let held = values_between_passes(&model, &plan);
            let all = |ty: &str| held.iter().filter(|(t, _)| t == ty).map(|(_, n)| *n).sum::<u64>() as usize;
            let batch = if form == "plain" { 8 } else { 4 };
            let streams = all(&format!("bf16[{batch}, 16, 32]")) + all(&format!("bf16[{batch}, 8, 32]"));
            // The first and last layers of a stage differ from the others, so that a few more values are stored.
            let more = if form == "two stages" { 5 } else { 2 };
            assert!((LAYERS - 1..=LAYERS + more).contains(&streams), "{streams} in {form}: {held:?}");
            let inner = held.iter().filter(|(ty, _)| ty.starts_with(&format!("bf16[{batch}, ")));
            assert_eq!(inner.map(|(_, n)| *n as usize).sum::<usize>(), streams, "{form}: {held:?}");
            for gathered in gathered {
                assert_eq!(all(&format!("bf16{gathered}")), 0, "{gathered} in {form}: {held:?}");
            }
        }
    }
}
