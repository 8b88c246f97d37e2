//! Artefacts of pipelines whose stages do not fit together: all of them are refused.

use super::{entries, numbers, packed, refused};
use partita::prelude::*;
use partita_gpu::artefact::FORMAT;
use partita_gpu::module::Launch;
use partita_gpu::{Artefact, Module, Target};
use partita_ir::diag::Code;
use partita_runtime::code::{Act, Address, Base, Meeting, Output, Task};
use partita_runtime::replicas::Duty;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

/// A training step in two stages, with two micro-batches.
fn artefact() -> Artefact {
    let program = partita::load("zoo:mlp?layers=2&width=4&hidden=4&batch=4").unwrap();
    let plan = Plan::new(Mesh::new([("data", 1)]).unwrap()).pipeline("2").schedule("gpipe").micro_batches("2");
    let partition = program.partition(&plan.train("sgd")).unwrap_or_else(|e| panic!("{e}"));
    partition.compile_text(&[Target::Wgsl], &|_, _| ()).unwrap_or_else(|e| panic!("{e}"))
}

/// The main function of a stage.
fn main(module: &mut Module, stage: usize) -> &mut Vec<Task<Launch>> {
    &mut module.code[stage].bodies.last_mut().unwrap().tasks
}

/// Returns whether a task of a stage starts or awaits a message that the stage sends, or else one that it receives.
fn is_of(module: &Module, stage: usize, task: &Task<Launch>, sends: bool) -> bool {
    let (Act::Start(site) | Act::Wait(site)) = task.act else { return false };
    let Meeting::Transfer(message) = module.code[stage].sites[site].meeting else { return false };
    (module.program.transfers[message.transfer].from.stage == stage) == sends
}

/// The first task of that kind of a stage.
fn first(module: &mut Module, stage: usize, sends: bool, is_start: bool) -> usize {
    let tasks = std::mem::take(main(module, stage));
    let is_it =
        |task: &Task<Launch>| matches!(task.act, Act::Start(_)) == is_start && is_of(module, stage, task, sends);
    let at = tasks.iter().position(is_it).unwrap();
    *main(module, stage) = tasks;
    at
}

fn moved(tasks: &mut Vec<Task<Launch>>, from: usize, to: usize) {
    let task = tasks.remove(from);
    tasks.insert(to, task);
}

/// Leaves out a message where a stage sends or receives it.
fn leave_out(module: &mut Module, stage: usize, sends: bool) {
    for is_start in [true, false] {
        let at = first(module, stage, sends, is_start);
        main(module, stage).remove(at);
    }
}

#[test]
fn stages_that_do_not_fit_together_are_refused() {
    type Change = fn(&mut Module);
    let changes: [(&str, Change); 12] = [
        ("waits for ever", |m| leave_out(m, 0, true)),
        ("reads what nobody has written", |m| leave_out(m, 1, false)),
        ("is awaited before it begins", |m| {
            let (start, wait) = (first(m, 1, false, true), first(m, 1, false, false));
            moved(main(m, 1), wait, start);
        }),
        ("reads what is still on its way", |m| {
            let (wait, end) = (first(m, 1, false, false), main(m, 1).len() - 1);
            moved(main(m, 1), wait, end);
        }),
        ("what it began is not awaited", |m| {
            let wait = main(m, 1).iter().rposition(|task| matches!(task.act, Act::Wait(_))).unwrap();
            main(m, 1).remove(wait);
        }),
        ("waits for ever", |m| {
            let (receive, wait) = (first(m, 0, false, true), first(m, 0, false, false));
            moved(main(m, 0), receive, 0);
            moved(main(m, 0), wait.max(receive), 1);
        }),
        ("begins twice", |m| {
            let start = first(m, 0, true, true);
            let Act::Start(site) = main(m, 0)[start].act else { unreachable!() };
            let (name, reads) = (main(m, 0)[start].name, main(m, 0)[start].reads.clone());
            let writes = main(m, 0)[start].writes.clone();
            let again = Task { name, reads, writes, act: Act::Start(site), duty: main(m, 0)[start].duty };
            main(m, 0).insert(start, again);
        }),
        ("does not send and receive", |m| {
            let start = first(m, 0, true, true);
            let at = main(m, 0)[start].reads[0];
            main(m, 0)[start].writes.push(at);
        }),
        ("goes beyond its buffers", |m| {
            let start = first(m, 0, true, true);
            let last = m.code[0].bodies.last().unwrap().frame_bytes - 256;
            m.code[0].bodies.last_mut().unwrap().frame_bytes = last + 1;
            main(m, 0)[start].reads[0] = Address { base: Base::Frame, offset: last };
        }),
        ("has no part in a transfer", |m| {
            let Meeting::Transfer(message) = &mut m.code[0].sites[0].meeting else { unreachable!() };
            message.transfer = 77;
        }),
        ("stage 0", |m| m.code.swap(0, 1)),
        ("nobody writes its output", |m| {
            let is_over = |output: &Output| matches!(output, Output::Over(_));
            let at = m.code[0].outputs.iter().position(is_over).unwrap();
            let bytes = m.target.bytes(&m.program.stages[0].outputs[at].value.local_type());
            m.code[0].outputs[at] = Output::Own(bytes, Duty::default());
        }),
    ];
    for (want, change) in changes {
        let mut bad = artefact();
        change(Arc::get_mut(&mut bad.modules[0]).unwrap());
        let (code, why) = refused(&bad.to_bytes().unwrap()).unwrap_or_else(|e| panic!("{want}: {e}"));
        assert!(code == Code::A004 && why.contains(want), "{want}: {why}");
    }
}

/// Numbers in the manifest and in the schedules are exchanged, with right checksums everywhere.
#[test]
fn other_numbers_do_not_bring_the_reader_down() {
    let (all, mut number) = (entries(&artefact().to_bytes().unwrap()), numbers());
    let texts: Vec<usize> = (0..all.len()).filter(|&i| all[i].0.ends_with(".json")).collect();
    let mut kept = 0;
    for _ in 0..400 {
        let mut bad = all.clone();
        let at = texts[number(texts.len())];
        let text = String::from_utf8(bad[at].1.clone()).unwrap();
        let places: Vec<usize> = text.char_indices().filter(|(_, c)| c.is_ascii_digit()).map(|(i, _)| i).collect();
        let place = places[number(places.len())];
        let new = ["0", "1", "2", "7", "99", "4294967296"][number(6)];
        bad[at].1 = format!("{}{new}{}", &text[..place], &text[place + 1..]).into_bytes();
        if at > 0 {
            let mut manifest: Value = serde_json::from_slice(&bad[0].1).unwrap();
            manifest["entries"][at - 1]["bytes"] = bad[at].1.len().into();
            manifest["entries"][at - 1]["xxh3"] = format!("{:016x}", xxh3_64(&bad[at].1)).into();
            bad[0].1 = serde_json::to_vec(&manifest).unwrap();
        }
        kept += usize::from(refused(&packed(&bad)).is_err());
    }
    // Names, bytes that are only shown, and what a kernel has to do mean nothing.
    assert!(kept < 200, "{kept} of 400 were taken");
}

#[test]
fn a_manifest_of_stages_that_lies_is_refused() {
    type Lie = fn(&mut Value);
    let lies: [(&str, Lie); 10] = [
        ("is sent as", |m| m["transfers"][0]["to"]["ty"] = json!("f32[3]")),
        ("is no type", |m| m["transfers"][0]["from"]["ty"] = json!("f32[3@nobody]")),
        ("goes to a stage 9 that is none", |m| m["transfers"][0]["to"]["stage"] = json!(9)),
        ("has no part in a transfer", |m| m["transfers"] = json!([])),
        ("nobody sends", |m| {
            let again = m["transfers"][0].clone();
            m["transfers"].as_array_mut().unwrap().push(again);
        }),
        ("has no programs", |m| m["stages"][0]["programs"] = json!([])),
        ("it has no entry", |m| m["stages"][0]["programs"][0] = json!("stages/1/0.pir")),
        ("that the program does not have", |m| m["stages"][0]["inputs"][0]["name"] = json!("nobody")),
        ("no stage gives", |m| m["stages"].as_array_mut().unwrap().iter_mut().for_each(|s| s["outputs"] = json!([]))),
        ("has not its", |m| m["stages"][0]["inputs"][0]["ty"] = json!("f32[1]")),
    ];
    let file = artefact().to_bytes().unwrap();
    let all = entries(&file);
    assert_eq!(serde_json::from_slice::<Value>(&all[0].1).unwrap()["format"], FORMAT);
    Artefact::from_bytes(Path::new("x.partita"), &packed(&all)).unwrap_or_else(|e| panic!("{e} {:?}", e.notes));
    for (want, lie) in lies {
        let mut all = all.clone();
        let mut manifest = serde_json::from_slice(&all[0].1).unwrap();
        lie(&mut manifest);
        all[0].1 = serde_json::to_vec(&manifest).unwrap();
        let (code, why) = refused(&packed(&all)).unwrap_or_else(|e| panic!("{want}: {e}"));
        assert!(code == Code::A004 && why.contains(want), "{want}: {why}");
    }
}
