//! `compare`: two plans side by side.

use crate::support::{Folder, partita};
use expect_test::expect;
use serde_json::Value;

const MODEL: &str = "zoo:mlp?width=1024&hidden=4096&batch=256";

const DATA: &str = "mesh = { data = 4 }\ntrain = \"adam\"\npresets = [\"data\"]\n";

const MEGATRON: &str = "mesh = { data = 2, model = 2 }\ntrain = \"adam\"\npresets = [\"data\", \"megatron\"]\n\
                        pipeline = 1\nremat = \"full\"\n";

fn compare(folder: &Folder, plans: [&str; 2], flags: &[&str]) -> crate::support::CommandOutput {
    folder.write("a.toml", plans[0]).write("b.toml", plans[1]);
    partita(folder, ["compare", "a.toml", "b.toml", "--model", MODEL, "--machine", "pcie4"].iter().chain(flags))
}

fn json(folder: &Folder, plans: [&str; 2], flags: &[&str]) -> Value {
    let ended = compare(folder, plans, &[flags, &["--json"]].concat());
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    serde_json::from_str(&ended.out).unwrap_or_default()
}

fn number(side: &Value, name: &str) -> f64 {
    let number = side[name].as_f64();
    assert!(number.is_some(), "no `{name}` in {side:#}");
    number.unwrap_or_default()
}

#[test]
fn two_plans_in_one_table() {
    let folder = Folder::new("compare text");
    let ended = compare(&folder, [DATA, MEGATRON], &[]);
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    expect![[r#"
        zoo:mlp?width=1024&hidden=4096&batch=256 on pcie4: first a.toml, second b.toml

                                       first          second  ratio
          step                       6.61 ms         2.97 ms   2.23
            computation              1.34 ms         1.01 ms   1.33
            exposed communication    5.27 ms         1.96 ms   2.69
            pipeline idle                0 s             0 s   1.00
          all_reduce, per device    48.0 MiB        17.0 MiB   2.82
          peak memory, per device  129.6 MiB        66.0 MiB   1.96
          devices                          4               4   1.00
          stages                           1               1   1.00
          micro-batches                    1               1   1.00
          recomputed                   0.0 %          16.7 %   0.00
          schedule                         -               -
          mesh                        data=4  data=2,model=2

          setting   first   second
          mesh      data=4  data=2,model=2
          presets   data    data; megatron
          pipeline  -       1
          remat **  -       full

          layout of                    first  second
          layers.0.weight              _, _   _, model
          layers.0.bias                _      model
          layers.1.weight              _, _   model, _
          optimizer.m.layers.0.weight  _, _   _, model
          optimizer.v.layers.0.weight  _, _   _, model
          optimizer.m.layers.0.bias    _      model
          optimizer.v.layers.0.bias    _      model
          optimizer.m.layers.1.weight  _, _   model, _
          optimizer.v.layers.1.weight  _, _   model, _

        b.toml is faster by 55.1 % (3.64 ms per step), mainly because less communication is exposed, mostly all_reduce (3.31 ms).
    "#]].assert_eq(&ended.out);
}

#[test]
fn plan_is_equal_to_itself() {
    let folder = Folder::new("compare same");
    let ended = compare(&folder, [DATA, DATA], &[]);
    assert!(
        ended.out.contains("The plans have equal settings and layouts.\n\nBoth plans take "),
        "{}",
        ended.transcript()
    );
}

#[test]
fn step_breakdown_sums_to_the_simulated_step() {
    let folder = Folder::new("compare parts");
    let stages = "mesh = { data = 2 }\ntrain = \"adam\"\npresets = [\"data\"]\npipeline = 2\nmicrobatches = 4\n";
    let said = json(&folder, [DATA, stages], &[]);
    for (side, plan) in said["plans"].as_array().unwrap().iter().zip(["a.toml", "b.toml"]) {
        let parts = ["compute_seconds", "exposed_communication_seconds", "idle_seconds"].map(|part| number(side, part));
        let step = number(side, "step_seconds");
        assert!((parts.iter().sum::<f64>() - step).abs() < 1e-9 * step, "{said:#}");
        let simulated = partita(&folder, ["simulate", MODEL, "--machine", "pcie4", "--plan", plan, "--json"]);
        let simulated: Value = serde_json::from_str(&simulated.out).unwrap();
        assert_eq!(number(&simulated, "step_seconds"), step);
        let idle = number(&simulated, "bubble") * step;
        assert!((idle - parts[2]).abs() < 1e-6 * step, "idle {idle}, {said:#}");
    }
    let [first, second] = [&said["plans"][0], &said["plans"][1]];
    assert!(number(&first["sent"]["all_reduce"], "bytes_per_device") > 0.0 && number(second, "idle_seconds") > 0.0);
    assert!(number(&second["sent"]["between_stages"], "bytes_per_device") > 0.0, "{said:#}");
    assert_eq!((&second["stages"], &second["devices"]), (&2.into(), &4.into()));
}

#[test]
fn verdict_names_the_cause() {
    let folder = Folder::new("compare verdict");
    // Links at a fraction of their speed change nothing but the time of collectives.
    let said = json(&folder, [DATA, "mesh = { data = 1 }\ntrain = \"adam\"\n"], &["--efficiencies", "link=0.01"]);
    let verdict = said["verdict"].as_str().unwrap_or_default();
    assert!(verdict.starts_with("b.toml is faster"), "{verdict}");
    assert!(verdict.contains("less communication is exposed, mostly all_reduce"), "{verdict}");
    let swapped = json(&folder, ["mesh = { data = 1 }\ntrain = \"adam\"\n", DATA], &["--efficiencies", "link=1"]);
    assert!(swapped["verdict"].as_str().is_some_and(|said| said.contains("is faster")), "{swapped:#}");
}

#[test]
fn invalid_efficiencies_are_rejected() {
    let folder = Folder::new("compare efficiency");
    let ended = compare(&folder, [DATA, DATA], &["--efficiencies", "matmul=0.5, memroy=1"]);
    assert_eq!(ended.code, Some(1), "{}", ended.transcript());
    expect![[r#"
        error[C003]: there is no option `memroy`
         --> --efficiencies:1:13
          |
        1 | matmul=0.5, memroy=1
          |             ^^^^^^
          |
          = note: the options are matmul, memory, link, issue, software, attention, fusion, gathers
        help: there is one with a similar name
          |
        1 - matmul=0.5, memroy=1
        1 + matmul=0.5, memory=1
          |
    "#]]
    .assert_eq(&ended.err);
}
