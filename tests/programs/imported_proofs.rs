//! Proofs that local programs of imported functions are equal to the functions, and that mutated ones are not proven.
//! Passes that rewrite programs produce programs that are proven equal.

use filetests::agree::run_partitioned;
use filetests::mutations::mutations;
use partita_equality::prove::prove;
use partita_ir::diag::Source;
use partita_ir::interp::{random_inputs, run, widen, widen_tensors};
use partita_ir::program::Program;
use partita_ir::text::{parse, print};
use partita_ir::verify::verify;
use partita_passes::driver::{Findings, Input, Pipeline};
use partita_passes::pipelines::pass_by_name;
use partita_runtime::check::compare;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Allowed rounding difference in `f64` of results that are equal in exact arithmetic, relative to the largest element.
const MAX_ROUNDING_DIFFERENCE: f64 = 1e-8;

/// Maximum duration of a proof without optimisations.
const MAX_DURATION: Duration = Duration::from_secs(10);

/// Maximum number of mutations of one program, chosen evenly.
const MAX_MUTATIONS: usize = 60;

/// Outputs of the goldens that a pass rewrites and for which no proof is known, each with the reason.
const UNPROVEN_REWRITES: &[(&str, &str)] = &[("raise/batched f", "the numbers of a constant have no normal form")];

/// Returns the files of a folder with an extension, in order.
fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut files: Vec<PathBuf> = fs::read_dir(path).unwrap().map(|file| file.unwrap().path()).collect();
    files.retain(|file| file.to_str().is_some_and(|file| file.ends_with(extension)));
    files.sort();
    files
}

/// Returns the imported functions with their local programs.
fn imported_functions() -> Vec<(String, Program, Program)> {
    let load = |file: PathBuf| {
        let name = file.file_stem().unwrap().to_str().unwrap().to_string();
        let original = partita_stablehlo::import(&name, &fs::read_to_string(&file).unwrap()).unwrap();
        let text = fs::read_to_string(file.with_extension("local.pir")).unwrap();
        (name.clone(), original, parse(&Source::new(&name, text)).unwrap())
    };
    files("data/prove", ".mlir").into_iter().map(load).collect()
}

#[test]
fn local_programs_of_imported_functions_are_proven_equal() {
    let mut failures = String::new();
    for (name, original, local) in imported_functions() {
        let began = Instant::now();
        let verdict = prove(verify(&original).unwrap(), verify(&local).unwrap());
        assert!(began.elapsed() < MAX_DURATION, "{name}: {:?}", began.elapsed());
        assert_eq!(verdict.broken, None, "{name}");
        if let Some(gap) = verdict.gap {
            failures += &format!("{name}: {gap:#?}\n");
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn mutated_local_programs_are_not_proven_equal() {
    let (mut refused, mut failures) = (0, String::new());
    for (name, original, local) in imported_functions() {
        let original = verify(&original).unwrap();
        let seeds = [3, 4].map(|seed| widen_tensors(&random_inputs(&local, seed).unwrap()));
        let wide = widen(&local);
        let want = seeds.clone().map(|inputs| run_partitioned(&wide, &inputs).unwrap());
        let all = mutations(&local);
        let stride = all.len().div_ceil(MAX_MUTATIONS).max(1);
        for (what, mutated) in all.into_iter().step_by(stride) {
            let names = || mutated.outputs().iter().map(|output| output.name.as_str());
            let wide = widen(&mutated);
            let is_same = seeds.iter().zip(&want).all(|(inputs, want)| {
                run_partitioned(&wide, inputs).is_ok_and(|got| {
                    compare(names(), &got, want, MAX_ROUNDING_DIFFERENCE).iter().all(|difference| difference.ok)
                })
            });
            if is_same {
                continue;
            }
            refused += 1;
            if prove(original, verify(&mutated).unwrap()).is_equal() {
                failures += &format!("{name}: {what} is proven equal\n{}\n", print(&mutated));
            }
        }
    }
    println!("{refused} mutated programs were not proven equal");
    assert!(failures.is_empty(), "{failures}");
    assert!(refused >= 1000, "only {refused} mutations changed the numbers");
}

#[test]
fn rewrites_of_passes_are_proven_equal() {
    let (mut proven, mut failures) = (0, String::new());
    for name in ["canonicalise", "raise", "decompose", "simplify", "simplify-real"] {
        for file in files(&format!("filetests/{name}"), ".pir") {
            let text = fs::read_to_string(&file).unwrap();
            let text: Vec<&str> = text.lines().skip(1).take_while(|line| !line.starts_with("//=")).collect();
            let Ok(before) = parse(&Source::new(name, text.join("\n"))) else { continue };
            let mut after = before.clone();
            let pass = pass_by_name(name, before.form).unwrap();
            let mut findings = Findings::default();
            if Pipeline::new(vec![pass])
                .unwrap()
                .run(&mut after, &Input::default(), &mut findings, &mut |_| Ok(()))
                .is_err()
            {
                continue;
            }
            if print(&before) == print(&after) {
                continue;
            }
            let verdict = prove(verify(&before).unwrap(), verify(&after).unwrap());
            let stem = file.file_stem().unwrap().to_str().unwrap();
            for output in before.outputs() {
                let path = format!("{name}/{stem} {}", output.name);
                let is_known = UNPROVEN_REWRITES.iter().any(|(known, _)| *known == path);
                match (verdict.proven.iter().any(|proven| proven.output == output.name.as_str()), is_known) {
                    (true, false) => proven += 1,
                    (false, true) => {}
                    (true, true) => failures += &format!("{path} is proven: remove it from the list\n"),
                    (false, false) => failures += &format!("{path}: {:#?}\n{}\n", verdict.gap, print(&after)),
                }
            }
        }
    }
    println!("{proven} rewritten outputs were proven equal");
    assert!(failures.is_empty(), "{failures}");
    assert!(proven >= 40, "only {proven}");
}

/// A proof of programs that are not equal ends after a short time.
#[test]
fn unequal_programs_are_refused_quickly() {
    for (name, original, local) in imported_functions() {
        let mut other = local.clone();
        let Some(output) = other.outputs().first().map(|output| output.value) else { continue };
        let Some(zero) = other
            .values
            .ids()
            .find(|&v| v != output && other.values[v].local_type() == other.values[output].local_type())
        else {
            continue;
        };
        let main = other.entry();
        other.funcs[main].outputs[0].value = zero;
        let Ok(other) = verify(&other) else { continue };
        let began = Instant::now();
        let verdict = prove(verify(&original).unwrap(), other);
        assert!(began.elapsed() < MAX_DURATION, "{name}: {:?}", began.elapsed());
        let inputs = widen_tensors(&random_inputs(&original, 1).unwrap());
        let want = run(&widen(&original), inputs.clone()).unwrap();
        let got = run_partitioned(&widen(&other), &inputs).unwrap();
        let is_same =
            compare([name.as_str()], &got, &want, MAX_ROUNDING_DIFFERENCE).iter().all(|difference| difference.ok);
        assert!(is_same || !verdict.is_equal(), "{name}");
    }
}

/// Carried values of a loop may be in another order, and those that do not vary may be carried or not.
#[test]
fn loops_with_values_in_another_order_are_proven_equal() {
    let program = |text: &str| parse(&Source::new("loop.pir", text)).unwrap();
    let original = program(
        "form traced
        func @body(%k: i32[], %x: f32[8, 4], %m: f32[8, 4], %w: f32[4, 4]) {
          %one = constant 1 : i32[]
          %next = add %k, %one : i32[]
          %p = matmul %x, %w : f32[8, 4]
          %y = tanh %p : f32[8, 4]
          %n = add %m, %y : f32[8, 4]
          return %next \"k\", %y \"x\", %n \"m\", %w \"w\"
        }
        input %x : f32[8, 4]
        input %w : f32[4, 4]
          %k = constant 0 : i32[]
          %zero = constant 0.0 : f32[8, 4]
          %i, %y, %n, %v = loop 3 of @body %k, %x, %zero, %w : i32[], f32[8, 4], f32[8, 4], f32[4, 4]
          %z = add %y, %n : f32[8, 4]
        output %z",
    );
    let local = |update: &str| {
        program(&format!(
            "form local
            mesh @m = [d=2]
            func @body(%m: f32[4, 4], %w: f32[4, 4], %x: f32[4, 4], %extra: f32[4, 4], %k: i32[]) {{
              %one = constant 1 : i32[]
              %next = add %k, %one : i32[]
              %p = matmul %x, %w : f32[4, 4]
              %y = tanh %p : f32[4, 4]
              %n = add %m, {update} : f32[4, 4]
              return %n \"m\", %w \"w\", %y \"x\", %extra \"extra\", %next \"k\"
            }}
            input %x : f32[8@d, 4]
            input %w : f32[4, 4] whole
              %k = constant 0 : i32[]
              %zero = constant 0.0 : f32[4, 4]
              %n, %v, %y, %e, %i = loop 3 of @body %zero, %w, %x, %x, %k : f32[4, 4], f32[4, 4], f32[4, 4], f32[4, 4], i32[]
              %z = add %y, %n : f32[8@d, 4]
            output %z"
        ))
    };
    let original = verify(&original).unwrap();
    let verdict = prove(original, verify(&local("%y")).unwrap());
    assert!(verdict.is_equal(), "{:#?}", verdict.gap);
    assert!(!prove(original, verify(&local("%x")).unwrap()).is_equal());
    assert!(!prove(original, verify(&local("%extra")).unwrap()).is_equal());
}

/// Indices into shards are global after the start of the shard is added, in gathers that read zero outside of it.
#[test]
fn indices_relative_to_other_shards_are_not_proven_equal() {
    for (function, correct, wrong) in [
        ("row_updates", "piece_start of 10", "piece_start of 9"),
        ("row_updates", "vector 1 %arg0, %relative", "vector 1 %arg0, %5"),
        ("embed_vocab", "piece_start of 10", "piece_start of 7"),
        ("embed_vocab", "fill %arg0, %relative", "%arg0, %relative"),
        ("embed_vocab", "fill %arg0, %relative", "fill %arg0, %clamped"),
        ("embed_vocab", "clamp %c.1, %5", "clamp %c.2, %5"),
        ("index_pair", "piece_start of 10 over a", "piece_start of 10 over b"),
        ("index_pair", "compare eq %i.3, %c.8", "compare eq %i.3, %c.7"),
        ("index_pair", "fill %arg0, %indices.3", "fill %arg0, %indices.2"),
        ("index_pair", "all_reduce sum over a+b %13", "all_reduce sum over a %13"),
    ] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/prove").join(function);
        let original = fs::read_to_string(path.with_extension("mlir")).unwrap();
        let original = partita_stablehlo::import(function, &original).unwrap();
        let text = fs::read_to_string(path.with_extension("local.pir")).unwrap();
        assert!(text.contains(correct), "{function}: {correct}");
        let mutated = text.replace(correct, wrong);
        let mutated = parse(&Source::new(function, mutated)).unwrap();
        let is_equal = prove(verify(&original).unwrap(), verify(&mutated).unwrap()).is_equal();
        assert!(!is_equal, "{function} with `{wrong}` is proven equal");
    }
}
