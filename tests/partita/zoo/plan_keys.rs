//! Every plan key affects the compiled program, and the pass listed for a key is the first whose result changes.

use partita::ir::diag::{Code, Source};
use partita::ir::plan::KEYS;
use partita::ir::text;
use partita::prelude::*;
use partita::{Simulation, load, load_machine, search};

const MODEL: &str = "zoo:mlp";

/// Model for the keys that concern attention and sequences.
const TRANSFORMER: &str = "zoo:gpt?layers=1";

/// For each key: the rest of a plan, and the key with a value that changes the result of that plan.
const CASES: &[(&str, &str, &str)] = &[
    ("mesh", "", "mesh = { data = 2 }"),
    ("devices", "mesh = { data = 2 }", "devices = [1, 0]"),
    ("presets", "mesh = { data = 2 }", "presets = 'data'"),
    ("rules", "mesh = { data = 2 }\nname.'input.0' = 'batch, _'", "rules = 'batch:data'"),
    ("name", "mesh = { data = 2 }\nrules = 'batch:data'", "name.'input.0' = 'batch, _'"),
    ("shard", "mesh = { data = 2 }", "shard.'layers.0.weight' = '_, data'"),
    ("store", "mesh = { data = 2 }", "store.'layers.0.weight' = 'data, _'"),
    (
        "allow_reshard",
        "mesh = { data = 2, model = 2 }\nshard.'layers.0.weight' = '_, model'\nshard.'layers.0.bias' = 'data'",
        "allow_reshard = 'layers.0.bias'",
    ),
    ("no_padding", "mesh = { data = 3 }\npresets = 'data'", "no_padding = 'input.0'"),
    ("hold", "mesh = { data = 2 }\ntrain = 'sgd'\nstore.'layers.1.weight' = 'data, _'", "hold = 'layers.1.weight'"),
    ("attention", "mesh = { context = 2 }\npresets = 'context'", "attention = 'gather'"),
    ("overlap", "mesh = { model = 2 }\npresets = 'megatron, sequence'", "overlap = 'all_gather'"),
    ("train", "mesh = { data = 2 }", "train = 'sgd'"),
    ("freeze", "mesh = { data = 2 }\ntrain = 'sgd'", "freeze = 'layers.0.**'"),
    ("train_only", "mesh = { data = 2 }\ntrain = 'sgd'", "train_only = 'layers.0.**'"),
    ("precision", "mesh = { data = 2 }", "precision = 'bf16'"),
    ("remat", "mesh = { data = 2 }\ntrain = 'sgd'", "remat = 'full'"),
    ("bucket", "mesh = { data = 2 }\ntrain = 'sgd'\npresets = 'data'", "bucket = 'none'"),
    ("pipeline", "mesh = { data = 2 }\ntrain = 'sgd'", "pipeline = 2"),
    ("schedule", "mesh = { data = 2 }\ntrain = 'sgd'\npipeline = 2", "schedule = 'gpipe'"),
    ("microbatches", "mesh = { data = 2 }\ntrain = 'sgd'\npipeline = 2", "microbatches = 4"),
    ("replicas", "mesh = { data = 2 }\ntrain = 'sgd'\npipeline = 2", "replicas = 2"),
    ("map", "mesh = { data = 4, model = 2 }\npresets = 'data, megatron'\ntrain = 'sgd'", "map = 'data, model'"),
    ("budget", "mesh = { data = 2 }", "budget = '1KiB'"),
];

/// Stage of an error that does not concern the budget; the failing pass is not recorded.
const REFUSED: &str = "refused";

/// Returns the program after each pass of a plan, followed by the results of the later stages.
fn trace(model: &str, plan: &str) -> Vec<(&'static str, String)> {
    let plan = Plan::from_toml(&Source::new("plan.toml", plan)).unwrap();
    let program = load(model).unwrap();
    let mut trace = Vec::new();
    let compiler = Compiler::new(&program).plan(&plan).on_pass(|ran| {
        trace.push((ran.info.name, text::print(ran.program)));
        Ok(())
    });
    match compiler.partition() {
        Ok(partition) => {
            let schedule = partition.schedule().map_or_else(String::new, |schedule| format!("{schedule:?}"));
            let machine = load_machine("dgx1-v100").unwrap();
            let (_, simulation) = Simulation::from_plan(&program, &plan, &machine, &Default::default()).unwrap();
            trace.extend([("schedule", schedule), ("budget", String::new()), ("simulate", simulation.to_json())]);
        }
        Err(error) if error.0[0].code == Code::L005 => trace.push(("budget", error.to_string())),
        Err(error) => trace.push((REFUSED, error.to_string())),
    }
    trace
}

/// Returns the first pass or stage whose result a key changes; `None` for a key without effect.
fn reader(model: &str, rest: &str, key: &str) -> Option<&'static str> {
    let (without, with) = (trace(model, rest), trace(model, &format!("{rest}\n{key}")));
    let differs = without.iter().zip(&with).find(|(without, with)| without != with);
    differs.map(|(without, with)| if with.0 == REFUSED { without.0 } else { with.0 })
}

#[test]
fn every_key_is_read_by_the_pass_of_its_row() {
    let found = KEYS.iter().map(|key| {
        let case = CASES.iter().find(|(name, ..)| *name == key.name);
        let model = if ["attention", "overlap"].contains(&key.name) { TRANSFORMER } else { MODEL };
        (key.name, case.and_then(|(_, rest, key)| reader(model, rest, key)))
    });
    let found: Vec<_> = found.collect();
    let rows: Vec<_> = KEYS.iter().map(|key| (key.name, Some(key.reader))).collect();
    assert_eq!(found, rows, "`None` is a key without effect, or without a case that shows an effect");
}

#[test]
fn a_search_refuses_the_values_that_a_partition_refuses() {
    let (program, machine) = (load(MODEL).unwrap(), load_machine("dgx1-v100").unwrap());
    let mut refused = 0;
    for key in KEYS {
        let (_, rest, valid) = CASES.iter().find(|(name, ..)| *name == key.name).unwrap();
        let (path, _) = valid.split_once(" = ").unwrap();
        let text = format!("{rest}\n{path} = '5apples'");
        let Ok(plan) = Plan::from_toml(&Source::new("plan.toml", &text)) else { continue };
        let Err(expected) = program.partition(&plan) else { panic!("{text} is accepted") };
        let found = search(&program, &machine).plan(&plan).run().err().map(|error| error.0[0].code);
        assert_eq!(found, Some(expected.0[0].code), "{text}");
        refused += 1;
    }
    assert!(refused > KEYS.len() / 2, "only {refused} values are errors of a plan that can be read");
}
