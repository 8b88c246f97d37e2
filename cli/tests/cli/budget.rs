//! Memory budgets on the command line: rejected plans, and verification of the suggested changes.

use crate::support::{Folder, partita};
use expect_test::{Expect, expect};
use serde_json::Value;

/// Two layers whose forward activations are larger than their parameters.
const MODEL: &str = r#"form traced
param %u0 "blocks.0.up"   : f32[32, 64]
param %d0 "blocks.0.down" : f32[64, 32]
param %u1 "blocks.1.up"   : f32[32, 64]
param %d1 "blocks.1.down" : f32[64, 32]
input %x : f32[64, 32]
  %a = matmul %x, %u0 : f32[64, 64]
  %b = tanh %a        : f32[64, 64]
  %c = matmul %b, %d0 : f32[64, 32]
  %d = matmul %c, %u1 : f32[64, 64]
  %e = tanh %d        : f32[64, 64]
  %y = matmul %e, %d1 : f32[64, 32]
  %z = mul %y, %y     : f32[64, 32]
  %loss = reduce sum [0, 1] %z : f32[]
output %loss "loss"
"#;

/// A node of two devices with little memory.
const MACHINE: &str = r#"name = "small"

[kind.small]
flops = { f32 = "1T" }
memory = "64kB"
bandwidth = "100GB/s"

[node.small]
devices = ["2 small"]
links = [{ between = ["0-1"], bandwidth = "10GB/s", latency = "2us" }]
"#;

const PLAN: [&str; 6] = ["--mesh", "data=2", "--preset", "data", "--train", "adamw"];
const STAGES: [&str; 4] = ["--pipeline", "2", "--microbatches", "4"];

fn folder(test: &str) -> Folder {
    let folder = Folder::new(&format!("budget {test}"));
    folder.write("m.pir", MODEL);
    folder
}

/// Runs a command, which must reject the plan, and returns its message.
fn refused(test: &str, verb: &str, flags: &[&str]) -> String {
    let ended = partita(&folder(test), [verb, "m.pir"].iter().chain(&PLAN).chain(flags));
    assert_eq!(ended.code, Some(1), "{}", ended.transcript());
    assert!(ended.out.is_empty(), "{}", ended.transcript());
    ended.err
}

fn says(found: &str, expected: Expect) {
    expected.assert_eq(found);
}

#[test]
fn over_budget_plan_suggests_changes() {
    says(
        &refused("plan", "plan", &["--budget", "64KiB"]),
        expect![[r#"
            error[L005]: the plan needs 148.0 KiB per device, 84.0 KiB over the budget
             --> --budget:1:1
              |
            1 | 64KiB
              | ^^^^^ the budget per device: 64.0 KiB
              |
              = note: weights       32.0 KiB   8.2 k elements, f32
                      optimizer     64.0 KiB   16.4 k elements, f32 and i32
                      activations   48.0 KiB   12.3 k elements, f32
                      data           4.0 KiB   1.0 k elements, f32
              = note: largest at the peak: 2 x f32[32, 64] `blocks.*.up` 16.0 KiB; 2 x f32[64, 32] `blocks.*.down` 16.0 KiB; 2 x f32[32, 64] `optimizer.m.blocks.*.up` 16.0 KiB; 2 x f32[32, 64] `optimizer.v.blocks.*.up` 16.0 KiB (`explain --peak` lists more)
              = help: several changes at once: 40.1 KiB, fits: `--preset zero3 --precision bf16 --train 'adamw?accumulate=8' --mesh data=4`
              = help: freeze half of the layers: 100.0 KiB, not enough: `--freeze 'blocks.0.**'`
              = help: shard the optimizer state, gradients and parameters over `data`: 108.0 KiB, not enough: `--preset zero3`
              = help: `data` = 4 instead of 2, 4 devices instead of 2: 134.0 KiB, not enough: `--mesh data=4`
        "#]],
    );
}

#[test]
fn training_preserving_changes_precede_freezing() {
    // Freezing half of the layers would fit, too.
    let said = refused("keeps", "plan", &["--budget", "110KiB"]);
    let helps: Vec<&str> = said.lines().filter_map(|line| line.trim().strip_prefix("= help: ")).collect();
    let of = |word: &str| helps.iter().position(|help| help.contains(word)).unwrap_or_else(|| panic!("{said}"));
    assert!(helps[0].contains(", fits: `") && !helps[0].contains("--freeze"), "{said}");
    assert!(of("zero") < of("freeze"), "{said}");
    // If no single change that preserves training fits, several changes are suggested together.
    let said = refused("several", "plan", &["--budget", "85KiB"]);
    let first = said.lines().find_map(|line| line.trim().strip_prefix("= help: ")).unwrap();
    assert!(first.starts_with("several changes at once") && first.contains(", fits: `"), "{said}");
    assert!(!first.contains("--freeze") && !first.contains("--mesh"), "{said}");
}

#[test]
fn over_budget_stage_is_named() {
    let flags = [&STAGES[..], &["--budget", "60 KiB"]].concat();
    says(
        &refused("stages", "plan", &flags),
        expect![[r#"
            error[L005]: stage 0 needs 84.0 KiB per device, 24.0 KiB over the budget
             --> --budget:1:1
              |
            1 | 60 KiB
              | ^^^^^^ the budget per device: 60.0 KiB
              |
              = note: weights       16.0 KiB   4.1 k elements, f32
                      gradients     16.0 KiB   4.1 k elements, f32
                      optimizer     32.0 KiB   8.2 k elements, f32 and i32
                      data           4.0 KiB   1.0 k elements, f32
                      temporaries   16.0 KiB
              = note: largest at the peak: update in chunk 0 16.0 KiB; f32[32, 64] `blocks.0.up` 8.0 KiB; f32[64, 32] `blocks.0.down` 8.0 KiB; f32[32, 64] `optimizer.m.blocks.0.up` 8.0 KiB (`explain --peak` lists more)
              = note: also over the budget: stage 1 (80.1 KiB)
              = help: several changes at once: 49.5 KiB, fits: `--preset zero2 --precision bf16`
              = help: freeze half of the layers: 60.1 KiB, not enough: `--freeze 'blocks.0.**'`
              = help: 4 stages instead of 2: 60.1 KiB, not enough: `--pipeline 4`
              = help: shard the optimizer state and gradients over `data`: 61.0 KiB, not enough: `--preset zero2`
        "#]],
    );
}

#[test]
fn runs_over_budget_are_rejected() {
    for flags in [&["--budget", "64KiB"][..], &[&STAGES[..], &["--budget", "60KiB"]].concat()] {
        assert!(refused("run", "run", flags).starts_with("error[L005]"), "{flags:?}");
    }
}

#[test]
fn machine_memory_is_a_budget() {
    let folder = folder("machine");
    folder.write("small.toml", MACHINE);
    let flags = ["--machine", "small.toml"];
    let ended = partita(&folder, ["plan", "m.pir"].iter().chain(&PLAN).chain(&flags));
    assert_eq!(ended.code, Some(1), "{}", ended.transcript());
    assert!(ended.err.contains("over the budget\n --> --machine:1:1"), "{}", ended.transcript());
    // The machine has two devices.
    assert!(ended.err.contains("= help: ") && !ended.err.contains("--mesh data=4"), "{}", ended.transcript());
    let said = partita(&folder, ["plan", "m.pir"].iter().chain(&PLAN).chain(&flags).chain(&["--budget", "1GiB"]));
    assert_eq!(said.code, Some(0), "{}", said.transcript());
}

#[test]
fn plan_file_sets_a_budget() {
    let folder = folder("file");
    let emitted = partita(&folder, ["plan", "m.pir", "--emit", "plan", "--budget", "64KiB"].iter().chain(&PLAN));
    assert!(emitted.out.contains("budget = \"64KiB\"\n"), "{}", emitted.transcript());
    folder.write("plan.toml", &emitted.out);
    let ended = partita(&folder, ["plan", "m.pir", "--plan", "plan.toml"]);
    assert_eq!(ended.code, Some(1), "{}", ended.transcript());
    assert!(ended.err.contains("error[L005]") && ended.err.contains("--> plan.toml:"), "{}", ended.transcript());
}

#[test]
fn collectives_have_costs_on_a_machine() {
    let folder = folder("prices");
    folder.write("small.toml", MACHINE);
    let flags = ["--machine", "small.toml", "--budget", "1GiB"];
    let table = partita(&folder, ["plan", "m.pir"].iter().chain(&PLAN).chain(&flags));
    let lines = table.out.lines().map(str::trim_start).skip_while(|line| !line.contains("cheapest"));
    let lines = lines.take_while(|line| !line.is_empty());
    says(
        &(lines.collect::<Vec<_>>().join("\n") + "\n"),
        expect![[r#"
            collective  over   payload       total  cheapest           cause   source
            all_reduce  data       4 B         4 B  direct    4.00 us  reduce  line 14
            all_reduce  data  32.0 KiB    32.0 KiB  direct    7.28 us  matmul  line 12
        "#]],
    );
    let one = partita(&folder, ["explain", "m.pir", "--collective", "1"].iter().chain(&PLAN).chain(&flags[..2]));
    says(
        &one.out,
        expect![[r#"
            #1 all_reduce %loss.1 over data
              operands %loss f32[]
              payload  4 B, 4 B sent on a ring, 1 per run
              cause    `reduce %loss`, result 0: `%loss` is a partial sum, and `result %loss` needs the reduced value
              cheapest direct, 4.00 us each time, on `small`
              source   m.pir:14
        "#]],
    );
    let few = partita(&folder, ["plan", "m.pir", "--mesh", "data=4"].iter().chain(&PLAN[2..]).chain(&flags));
    assert!(few.err.contains("needs 4 devices, and the machine has 2"), "{}", few.transcript());
}

#[test]
fn stage_memory_is_listed_for_any_budget() {
    let flags = [&STAGES[..], &["--peak", "--budget", "1KiB"]].concat();
    let ended = partita(&folder("peak"), ["explain", "m.pir"].iter().chain(&PLAN).chain(&flags));
    says(
        &ended.out,
        expect![[r#"
            stage 0: peak 84.0 KiB: weights 16.0 KiB, gradients 16.0 KiB, optimizer 32.0 KiB, data 4.0 KiB, temporaries 16.0 KiB

              value                        per device   purpose         bytes
              update in chunk 0                         temporaries  16.0 KiB
              blocks.0.up                  f32[32, 64]  weights       8.0 KiB
              blocks.0.down                f32[64, 32]  weights       8.0 KiB
              optimizer.m.blocks.0.up      f32[32, 64]  optimizer     8.0 KiB
              optimizer.v.blocks.0.up      f32[32, 64]  optimizer     8.0 KiB
              optimizer.m.blocks.0.down    f32[64, 32]  optimizer     8.0 KiB
              optimizer.v.blocks.0.down    f32[64, 32]  optimizer     8.0 KiB
              parts.sum.4                  f32[64, 32]  gradients     8.0 KiB
              parts.sum.5                  f32[32, 64]  gradients     8.0 KiB
              x                            f32[32, 32]  data          4.0 KiB
              optimizer.step               i32[]        optimizer         4 B

            stage 1: peak 80.1 KiB: weights 16.0 KiB, gradients 16.0 KiB, optimizer 32.0 KiB, data 4 B, temporaries 16.0 KiB, gaps 60 B

              value                        per device   purpose         bytes
              update in chunk 1                         temporaries  16.0 KiB
              blocks.1.up                  f32[32, 64]  weights       8.0 KiB
              blocks.1.down                f32[64, 32]  weights       8.0 KiB
              optimizer.m.blocks.1.up      f32[32, 64]  optimizer     8.0 KiB
              optimizer.v.blocks.1.up      f32[32, 64]  optimizer     8.0 KiB
              optimizer.m.blocks.1.down    f32[64, 32]  optimizer     8.0 KiB
              optimizer.v.blocks.1.down    f32[64, 32]  optimizer     8.0 KiB
              parts.sum.2                  f32[64, 32]  gradients     8.0 KiB
              parts.sum.3                  f32[32, 64]  gradients     8.0 KiB
              optimizer.step               i32[]        optimizer         4 B
              loss                         f32[]        data              4 B
              parts.sum.1                  f32[]        gradients         4 B
        "#]],
    );
}

#[test]
fn invalid_memory_size() {
    says(
        &refused("unit", "plan", &["--budget", "8 pages"]),
        expect![[r#"
        error[L017]: `8 pages` is not an amount of memory
         --> --budget:1:1
          |
        1 | 8 pages
          | ^^^^^^^
          |
          = help: write it in bytes or with a unit: `80GiB`
    "#]],
    );
}

/// Returns the formatted peak memory of the device or stage with the highest peak.
fn peak(folder: &Folder, flags: &[String]) -> String {
    let ended = partita(folder, ["plan".to_owned(), "m.pir".to_owned(), "--json".to_owned()].iter().chain(flags));
    assert_eq!(ended.code, Some(0), "{flags:?} {}", ended.transcript());
    let report: Value = serde_json::from_str(&ended.out).expect("JSON");
    let of_stage = |stage: &Value| stage["peak_bytes"].as_u64();
    let stages = report["stages"].as_array().and_then(|stages| stages.iter().filter_map(of_stage).max());
    let bytes = stages.or_else(|| report["memory"]["peak_bytes"].as_u64()).expect("bytes");
    format!("{:.1} KiB", bytes as f64 / 1024.0)
}

/// Returns flags with options replaced by those of the same name in `more`; `--freeze` paths and presets are appended.
fn with(flags: &[&str], more: &str) -> Vec<String> {
    let more: Vec<&str> = more.split(' ').map(|word| word.trim_matches('\'')).collect();
    let adds = |name: &str| ["--freeze", "--preset"].contains(&name);
    let is_kept = |pair: &&[&str]| adds(pair[0]) || more.chunks(2).all(|other| other[0] != pair[0]);
    let kept = flags.chunks(2).filter(is_kept).flatten();
    kept.chain(&more).map(|&word| word.to_owned()).collect()
}

#[test]
fn a_budget_on_a_machine_includes_reserved_memory() {
    let folder = folder("reserved");
    let reserved = "\nreserved = { context = \"20kB\", communicator = \"1kB\", fragmentation = 0.5 }\n\n[node.small]";
    folder.write("small.toml", MACHINE);
    folder.write("large.toml", MACHINE.replace("\n[node.small]", reserved));
    let ended = partita(&folder, ["plan", "m.pir", "--json"].into_iter().chain(PLAN));
    let report: Value = serde_json::from_str(&ended.out).expect("JSON");
    let tensors = report["memory"]["peak_bytes"].as_u64().expect("bytes");
    let needed = tensors + 20_000 + 1000 + tensors / 2;
    for (machine, budget, is_enough) in [
        ("small.toml", tensors, true),
        ("large.toml", tensors, false),
        ("large.toml", needed - 1, false),
        ("large.toml", needed + 1024, true),
    ] {
        let budget = budget.to_string();
        let flags = PLAN.into_iter().chain(["--machine", machine, "--budget", &budget]);
        let ended = partita(&folder, ["plan", "m.pir"].into_iter().chain(flags));
        assert_eq!(ended.code == Some(0), is_enough, "{machine} {budget}: {}", ended.transcript());
        assert_eq!(ended.err.contains("reserved"), !is_enough, "{}", ended.transcript());
    }
}

#[test]
fn suggested_changes_have_the_stated_memory() {
    for (test, stages, budget) in
        [("whole", &[][..], "64KiB"), ("staged", &STAGES[..], "60KiB"), ("tight", &[], "9KiB")]
    {
        let error = refused(test, "plan", &[stages, &["--budget", budget]].concat());
        let folder = folder(test);
        let now = peak(&folder, &with(&[&PLAN[..], stages].concat(), "--budget 1GiB"));
        assert!(error.contains(&format!("{now} per device")), "{now}: {error}");
        let helps: Vec<&str> = error.lines().filter_map(|line| line.trim().strip_prefix("= help: ")).collect();
        assert!(!helps.is_empty(), "{error}");
        let mut fits = Vec::new();
        for help in helps {
            let (head, flags) = help.trim_end_matches('`').rsplit_once(": `").expect("flags");
            let (bytes, verdict) = head.rsplit_once(": ").and_then(|(_, said)| said.split_once(", ")).expect("bytes");
            let flags = with(&[&PLAN[..], stages].concat(), flags);
            assert_eq!(peak(&folder, &flags), bytes, "{help}");
            let tried = flags.iter().map(String::as_str).chain(["--budget", budget]);
            let ended = partita(&folder, ["plan", "m.pir"].into_iter().chain(tried));
            assert_eq!(ended.code == Some(0), verdict == "fits", "{help} {}", ended.transcript());
            fits.push(verdict == "fits");
        }
        assert!(fits.is_sorted_by(|a, b| a >= b), "{error}");
    }
}
