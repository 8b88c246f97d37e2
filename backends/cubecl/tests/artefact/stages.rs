//! Artefacts of pipelines with inconsistent stages: all of them are rejected.

use super::{entries, numbers, packed, rejection};
use partita::prelude::*;
use partita_gpu::artefact::FORMAT;
use partita_gpu::module::Launch;
use partita_gpu::{Artefact, Module, Target};
use partita_ir::diag::Code;
use partita_runtime::code::{Address, Base, CommunicationOrigin, Output, Task, TaskAction};
use partita_runtime::replicas::ReplicaOwner;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

/// Returns a training step in two stages, with two micro-batches.
fn artefact() -> Artefact {
    let program = partita::load("zoo:mlp?layers=2&width=4&hidden=4&batch=4").unwrap();
    let plan = Plan::new(Mesh::new([("data", 1)]).unwrap()).pipeline("2").schedule("gpipe").micro_batches("2");
    let partition = program.partition(&plan.train("sgd")).unwrap_or_else(|e| panic!("{e}"));
    partition.compile_text(&[Target::Wgsl], &|_, _| ()).unwrap_or_else(|e| panic!("{e}"))
}

/// Returns the tasks of a stage's main function.
fn main(module: &mut Module, stage: usize) -> &mut Vec<Task<Launch>> {
    &mut module.code[stage].bodies.last_mut().unwrap().tasks
}

/// Returns true if a task starts or awaits a transfer that the stage sends (or receives, if `sends` is false).
fn is_of(module: &Module, stage: usize, task: &Task<Launch>, sends: bool) -> bool {
    let (TaskAction::Start(site) | TaskAction::Wait(site)) = task.action else { return false };
    let CommunicationOrigin::Transfer(message) = module.code[stage].sites[site].origin else { return false };
    (module.program.transfers[message.transfer].from.stage == stage) == sends
}

/// Returns the first task of a stage that starts (or awaits) a transfer which the stage sends (or receives).
fn first(module: &mut Module, stage: usize, sends: bool, is_start: bool) -> usize {
    let tasks = std::mem::take(main(module, stage));
    let is_it = |task: &Task<Launch>| {
        matches!(task.action, TaskAction::Start(_)) == is_start && is_of(module, stage, task, sends)
    };
    let at = tasks.iter().position(is_it).unwrap();
    *main(module, stage) = tasks;
    at
}

fn moved(tasks: &mut Vec<Task<Launch>>, from: usize, to: usize) {
    let task = tasks.remove(from);
    tasks.insert(to, task);
}

/// Removes the start and the wait of a transfer from one of its stages.
fn leave_out(module: &mut Module, stage: usize, sends: bool) {
    for is_start in [true, false] {
        let at = first(module, stage, sends, is_start);
        main(module, stage).remove(at);
    }
}

#[test]
fn inconsistent_stages_are_rejected() {
    type Change = fn(&mut Module);
    let changes: [(&str, Change); 12] = [
        ("waits forever", |m| leave_out(m, 0, true)),
        ("reads a value that is never written", |m| leave_out(m, 1, false)),
        ("is awaited before it begins", |m| {
            let (start, wait) = (first(m, 1, false, true), first(m, 1, false, false));
            moved(main(m, 1), wait, start);
        }),
        ("reads a value that has not arrived", |m| {
            let (wait, end) = (first(m, 1, false, false), main(m, 1).len() - 1);
            moved(main(m, 1), wait, end);
        }),
        ("a started operation is not awaited", |m| {
            let wait = main(m, 1).iter().rposition(|task| matches!(task.action, TaskAction::Wait(_))).unwrap();
            main(m, 1).remove(wait);
        }),
        ("waits forever", |m| {
            let (receive, wait) = (first(m, 0, false, true), first(m, 0, false, false));
            moved(main(m, 0), receive, 0);
            moved(main(m, 0), wait.max(receive), 1);
        }),
        ("begins twice", |m| {
            let start = first(m, 0, true, true);
            let TaskAction::Start(site) = main(m, 0)[start].action else { unreachable!() };
            let (name, reads) = (main(m, 0)[start].name, main(m, 0)[start].reads.clone());
            let writes = main(m, 0)[start].writes.clone();
            let again = Task { name, reads, writes, action: TaskAction::Start(site), owner: main(m, 0)[start].owner };
            main(m, 0).insert(start, again);
        }),
        ("does not send and receive", |m| {
            let start = first(m, 0, true, true);
            let at = main(m, 0)[start].reads[0];
            main(m, 0)[start].writes.push(at);
        }),
        ("exceeds its buffers", |m| {
            let start = first(m, 0, true, true);
            let last = m.code[0].bodies.last().unwrap().frame_bytes - 256;
            m.code[0].bodies.last_mut().unwrap().frame_bytes = last + 1;
            main(m, 0)[start].reads[0] = Address { base: Base::Frame, offset: last };
        }),
        ("does not take part in transfer", |m| {
            let CommunicationOrigin::Transfer(message) = &mut m.code[0].sites[0].origin else { unreachable!() };
            message.transfer = 77;
        }),
        ("stage 0", |m| m.code.swap(0, 1)),
        ("it never writes its output", |m| {
            let is_over = |output: &Output| matches!(output, Output::InPlace(_));
            let at = m.code[0].outputs.iter().position(is_over).unwrap();
            let bytes = m.target.bytes(&m.program.stages[0].outputs[at].value.local_type());
            m.code[0].outputs[at] = Output::Buffer(bytes, ReplicaOwner::default());
        }),
    ];
    for (want, change) in changes {
        let mut bad = artefact();
        change(Arc::get_mut(&mut bad.modules[0]).unwrap());
        let (code, why) = rejection(&bad.to_bytes().unwrap()).unwrap_or_else(|e| panic!("{want}: {e}"));
        assert!(code == Code::A004 && why.contains(want), "{want}: {why}");
    }
}

/// Changes numbers in the manifest and in the schedules, with valid checksums.
#[test]
fn changed_numbers_cause_no_panic() {
    let (all, mut number) = (entries(&artefact().to_bytes().unwrap()), numbers());
    let texts: Vec<usize> = (0..all.len()).filter(|&i| all[i].0.ends_with(".json")).collect();
    let mut accepted = 0;
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
        accepted += usize::from(rejection(&packed(&bad)).is_err());
    }
    // Some numbers, such as displayed sizes and the work of a kernel, have no consistency checks.
    assert!(accepted < 200, "{accepted} of 400 were accepted");
}

#[test]
fn inconsistent_manifests_of_stages_are_rejected() {
    type Corruption = fn(&mut Value);
    let corruptions: [(&str, Corruption); 10] = [
        ("is sent as", |m| m["transfers"][0]["to"]["ty"] = json!("f32[3]")),
        ("is not a type", |m| m["transfers"][0]["from"]["ty"] = json!("f32[3@nobody]")),
        ("refers to stage 9, which does not exist", |m| m["transfers"][0]["to"]["stage"] = json!(9)),
        ("does not take part in transfer", |m| m["transfers"] = json!([])),
        ("is never sent", |m| {
            let again = m["transfers"][0].clone();
            m["transfers"].as_array_mut().unwrap().push(again);
        }),
        ("has no programs", |m| m["stages"][0]["programs"] = json!([])),
        ("it has no entry", |m| m["stages"][0]["programs"][0] = json!("stages/1/0.pir")),
        ("that the program does not have", |m| m["stages"][0]["inputs"][0]["name"] = json!("nobody")),
        ("no stage produces", |m| {
            m["stages"].as_array_mut().unwrap().iter_mut().for_each(|s| s["outputs"] = json!([]))
        }),
        ("does not have its", |m| m["stages"][0]["inputs"][0]["ty"] = json!("f32[1]")),
    ];
    let file = artefact().to_bytes().unwrap();
    let all = entries(&file);
    assert_eq!(serde_json::from_slice::<Value>(&all[0].1).unwrap()["format"], FORMAT);
    Artefact::from_bytes(Path::new("x.partita"), &packed(&all)).unwrap_or_else(|e| panic!("{e} {:?}", e.notes));
    for (want, corrupt) in corruptions {
        let mut all = all.clone();
        let mut manifest = serde_json::from_slice(&all[0].1).unwrap();
        corrupt(&mut manifest);
        all[0].1 = serde_json::to_vec(&manifest).unwrap();
        let (code, why) = rejection(&packed(&all)).unwrap_or_else(|e| panic!("{want}: {e}"));
        assert!(code == Code::A004 && why.contains(want), "{want}: {why}");
    }
}
