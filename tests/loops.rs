//! A step in micro-batches, with accumulated gradients, in a pipeline of one stage or of two, has every parameter and
//! every value laid out as the step without a loop. What that one's layouts are is read off its planned program.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

use filetests::gpt::Gpt;
use indexmap::IndexMap;
use partita_ir::arena::{Id, ValueId};
use partita_ir::diag::{Diagnostic, Source};
use partita_ir::op::OpKind;
use partita_ir::pipeline::Moment;
use partita_ir::plan::{Mesh, Plan, layout_text};
use partita_ir::program::{Phase, Program};
use partita_ir::schedule::Work;
use partita_ir::text::parse;
use partita_passes::driver::variant::Variant;
use partita_passes::driver::{Findings, Input, Ran};
use partita_passes::pipelines::{self, Milestone};
use partita_passes::pipelining::stages::pipeline;
use partita_passes::planning::presets::names;

/// Two mixtures of experts, each in front of a product, and a loss.
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

/// A preset with all that it needs, on a mesh that has its axes.
fn plan_of(preset: &str) -> (Program, Plan) {
    let mesh = |axes: &[(&str, u32)]| Plan::new(Mesh::new(axes.iter().map(|&(name, size)| (name, size))).unwrap());
    let both = || mesh(&[("data", 2), ("model", 2)]);
    match preset {
        "expert" => (read(EXPERTS), mesh(&[("expert", 4)]).preset("expert")),
        "data" => (gpt(2), mesh(&[("data", 4)]).preset("data")),
        "mesh" => (gpt(2), both().preset("mesh")),
        "megatron" => (gpt(2), both().preset("data,megatron")),
        "sequence" => (gpt(2), both().preset("data,megatron,sequence")),
        zero => (gpt(2), both().preset(zero)),
    }
}

/// An option of a plan: its name, and the plan with it.
type Choice = (&'static str, fn(Plan) -> Plan);

/// What a plan may say beside presets.
const OPTIONS: [Choice; 10] = [
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

/// The plan with the model's first and last parameters by name.
fn named(mut plan: Plan, model: &Program) -> Plan {
    let params: Vec<&str> = model.params.values().map(|p| p.path.as_str()).collect();
    let (first, last) = (params[0], params[params.len() - 1]);
    let paths = plan.freeze.iter_mut().chain(&mut plan.train_only);
    for path in paths.chain(plan.precision.iter_mut().map(|entry| &mut entry.path)) {
        path.text = path.text.replace("{first}", first).replace("{last}", last);
    }
    plan
}

/// By name of a value, or path of a parameter, how it is laid out.
type Table = IndexMap<String, String>;

/// How a step is carried out.
const FORMS: [&str; 3] = ["accumulate=2", "one stage", "two stages"];

fn in_form(plan: &Plan, form: &str) -> Plan {
    let plan = plan.clone();
    match form {
        "plain" => plan.train("adamw"),
        "accumulate=2" => plan.train("adamw?accumulate=2"),
        // In an order, a single stage is one of tasks, too.
        "one stage" => plan.train("adamw").pipeline("1").schedule("1f1b").micro_batches("2"),
        _ => plan.train("adamw").pipeline("2").micro_batches("2"),
    }
}

/// The planned programs of a step, one or one of each stage, and how many values the step had before it was cut, and
/// before anything was to be computed again.
struct Planned {
    programs: Vec<Program>,
    values: usize,
}

fn planned(model: &Program, plan: &Plan) -> Result<Planned, Vec<Diagnostic>> {
    let (mut programs, mut values) = (Vec::new(), 0);
    let mut watch = |ran: &Ran<'_>| {
        match ran.info.name {
            "propagate" => values = ran.program.values.len(),
            "remat" => programs.push(ran.program.clone()),
            _ => {}
        }
        Ok(())
    };
    let (input, mut findings) = (Input::with_plan(plan.clone()), Findings::default());
    let mut step = model.clone();
    let how = plan.pipelined().map_err(|e| vec![e])?;
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

/// The layouts of the step's parameters, and of what its model and gradients are made of.
fn table(planned: &Planned) -> Table {
    let mut table = Table::new();
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
        for func in program.laid_out_funcs() {
            for op in program.funcs[func].ops().iter().map(|&op| &program.ops[op]) {
                // Constants lie as they are needed, and copies for use are called anew in each form; their readers show
                // where they lie.
                let is_model = matches!(op.phase, Phase::Forward | Phase::BackwardInput | Phase::BackwardWeight)
                    && !matches!(op.kind, OpKind::Constrain(_))
                    && !op.args.is_empty();
                for &out in op.outs.iter().filter(|out| is_model && out.index() < planned.values) {
                    note(format!("%{}", program.values[out].name), out);
                }
            }
        }
    }
    table
}

/// Gradients of the weight that the first and the last stage share: each adds up its own part.
const SHARED: [&str; 2] = ["%tokens.grad", "%tokens.bf16.grad"];

/// What lies otherwise than without a loop, or is not there.
fn differences(plain: &Table, looped: &Table, form: &str) -> Vec<String> {
    let differs = |(name, layout): (&String, &String)| match looped.get(name) {
        Some(other) if other == layout => None,
        None if form == "two stages" && SHARED.contains(&name.as_str()) => None,
        Some(other) => Some(format!("{name}: {layout} without a loop, {other} in it")),
        None => Some(format!("{name}: not in the loop")),
    };
    plain.iter().filter_map(differs).collect()
}

#[test]
fn loops_are_laid_out_as_the_step_without_one() {
    let mut wrong = Vec::new();
    for preset in names() {
        let (model, plan) = plan_of(preset);
        for (option, add) in OPTIONS {
            let plan = named(add(plan.clone()), &model);
            let of = |form: &str| match planned(&model, &in_form(&plan, form)) {
                Ok(planned) => table(&planned),
                Err(errors) => panic!("{preset}, {option}, {form}: {}", errors[0]),
            };
            let plain = of("plain");
            assert!(plain.len() > 30, "{preset}, {option}: {} values", plain.len());
            for form in FORMS {
                let found = differences(&plain, &of(form), form);
                wrong.extend(found.iter().map(|what| format!("{preset}, {option}, {form}: {what}")));
            }
        }
    }
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
}

/// A preset that does nothing in the loop is found out.
#[test]
fn a_preset_that_is_ignored_in_a_loop_is_noticed() {
    for preset in names() {
        let (model, plan) = plan_of(preset);
        let plain = table(&planned(&model, &in_form(&plan, "plain")).unwrap());
        let without = match preset {
            "sequence" => Plan { presets: Vec::new(), ..plan.clone() }.preset("data,megatron"),
            "megatron" => Plan { presets: Vec::new(), ..plan.clone() }.preset("data"),
            "zero1" | "zero2" | "zero3" => Plan { presets: Vec::new(), ..plan.clone() }.preset("data"),
            _ => Plan { presets: Vec::new(), ..plan.clone() },
        };
        for form in FORMS {
            let looped = table(&planned(&model, &in_form(&without, form)).unwrap());
            assert!(!differences(&plain, &looped, form).is_empty(), "{preset}, {form}");
        }
    }
}

/// What a device holds between the forward and the backward part, as types, each with how many there are; of several
/// micro-batches, for one.
fn held_between(model: &Program, plan: &Plan) -> Vec<(String, u64)> {
    let mut step = model.clone();
    let (input, mut findings) = (Input::with_plan(plan.clone()), Findings::default());
    let mut found: IndexMap<String, u64> = IndexMap::new();
    let mut add = |ty: String| *found.entry(ty).or_default() += 1;
    if let Some(how) = plan.pipelined().unwrap() {
        pipelines::make_step(&mut step, &input, &mut findings).unwrap();
        let pipeline = pipeline(&step, &how, &input, &mut findings, &mut |_| Ok(())).unwrap();
        for chunk in &pipeline.chunks {
            let gives =
                |work: Work, cell: usize| chunk.task(Moment::Slot(work)).is_some_and(|t| t.gives.contains(&cell));
            let takes =
                |work: Work, cell: usize| chunk.task(Moment::Slot(work)).is_some_and(|t| t.takes.contains(&cell));
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
        for func in step.laid_out_funcs() {
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

/// Full recompute keeps the input of each layer, and ZeRO-3 no gathered weight, with loops and without.
#[test]
fn layers_keep_their_input_alone() {
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
                    in_form(&plan, form).pipeline("tokens positions blocks.0 blocks.1 | blocks.2 blocks.3 norm")
                }
                _ => in_form(&plan, form),
            };
            let held = held_between(&model, &plan);
            let all = |ty: &str| held.iter().filter(|(t, _)| t == ty).map(|(_, n)| *n).sum::<u64>() as usize;
            let batch = if form == "plain" { 8 } else { 4 };
            let streams = all(&format!("bf16[{batch}, 16, 32]")) + all(&format!("bf16[{batch}, 8, 32]"));
            // The first layers and the last ones of a stage are not alike, so that there are a few more.
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
