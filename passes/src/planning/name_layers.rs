//! `name-layers` (traced): names values of repeated layers after their layer.
//!
//! Layers are found by [`RepeatedLayers`], and named by the paths of their parameters. Values that are numbered
//! throughout the model, or have the same name with another number in each layer, are numbered within their layer
//! instead: `%matmul.7` of the fourth block becomes `%blocks.3.matmul.1`. These names do not depend on the number of
//! layers, and one glob of a plan, `%blocks.*.matmul.1`, names the values of all layers. Other names do not change.
//! Names of values that earlier passes removed become available, so that later passes name values of a model and of the
//! same model with fewer layers alike. Ops that later passes derive from those of a layer have the same
//! [origin](partita_ir::origin::Origin::layer), which names their results.
//!
//! Before:
//!
//! ```text
//! %matmul.3 = matmul %relu.2, %w3 : f32[4, 4]
//! ```
//!
//! After:
//!
//! ```text
//! %blocks.3.matmul = matmul %blocks.2.relu, %w3 : f32[4, 4]
//! ```

use crate::driver::{Findings, Input, Pass, PassInfo};
use crate::planning::reduce_depth::{MIN_REPETITIONS, RepeatedLayers};
use partita_ir::arena::{Id, OpId, ValueId};
use partita_ir::build::Namer;
use partita_ir::diag::Diagnostic;
use partita_ir::plan::path::{is_in_module, prefixes_with_numbers};
use partita_ir::program::{Form, Program};
use std::collections::BTreeSet;

/// The pass.
pub struct NameLayers;

impl Pass for NameLayers {
    fn info(&self) -> PassInfo {
        PassInfo { name: "name-layers", input_form: Form::Traced, output_form: Form::Traced, reads: &[] }
    }

    fn applies(&self, program: &Program, _: &Input, _: &Findings) -> bool {
        let prefixes = program.params.values().flat_map(|param| prefixes_with_numbers(&param.path));
        prefixes.collect::<BTreeSet<&str>>().len() >= MIN_REPETITIONS
    }

    fn run(&self, program: &mut Program, _: &Input, _: &mut Findings) -> Result<(), Vec<Diagnostic>> {
        let Some(layers) = RepeatedLayers::find(program) else { return Ok(()) };
        let Some(paths) = layers.paths(program) else { return Ok(()) };
        // entry only: repetitions are parts of the entry function
        let ops: Vec<OpId> = program.entry_ops().map(|at| at.id).collect();
        for op in ops {
            if let Some(repetition) = layers.op_repetition(op) {
                program.ops[op].origin.layer = paths[repetition].as_str().into();
            }
        }
        let mut corresponding: Vec<Vec<OpId>> = layers.counterpart_ops().collect();
        corresponding.retain(|ops| !ops.is_empty());
        let mut places = vec![0; program.ops.len()];
        // entry only: repetitions are parts of the entry function
        program.entry_ops().enumerate().for_each(|(place, at)| places[at.id.index()] = place);
        corresponding.sort_by_key(|ops| places[ops[0].index()]);
        release_unused_names(program);
        let mut names = Namer::from_program(program);
        for ops in corresponding {
            for result in 0..program.ops[ops[0]].outs.len() {
                let values: Vec<ValueId> = ops.iter().map(|&op| program.ops[op].outs[result]).collect();
                let Some(word) = common_word(program, &values, &paths) else { continue };
                let word = if word.is_empty() { program.ops[ops[0]].kind.name().to_owned() } else { word };
                for (&value, path) in values.iter().zip(&paths) {
                    program.values[value].name = names.fresh(&format!("{path}.{word}"));
                }
            }
        }
        Ok(())
    }
}

/// Renames the values that no function defines any more.
fn release_unused_names(program: &mut Program) {
    let mut is_used = vec![false; program.values.len()];
    for func in program.funcs.values() {
        let results = func.ops().iter().flat_map(|&op| &program.ops[op].outs);
        func.inputs.iter().chain(results).for_each(|value| is_used[value.index()] = true);
    }
    let mut names = Namer::from_program(program);
    let unused: Vec<ValueId> = program.values.ids().filter(|value| !is_used[value.index()]).collect();
    unused.into_iter().for_each(|value| program.values[value].name = names.fresh("unused"));
}

/// Returns what the names of corresponding values of all layers have in common without their numbers. Empty for numbers
/// alone. `None` if they differ otherwise, or have the names of their layers.
fn common_word(program: &Program, values: &[ValueId], paths: &[String]) -> Option<String> {
    let name = |value: ValueId| program.values[value].name.as_str();
    let is_named = |(&value, path): (&ValueId, &String)| is_in_module(name(value), path);
    let word = without_number(name(*values.first()?));
    let is_same = |&value: &ValueId| without_number(name(value)) == word;
    (values.iter().all(is_same) && !values.iter().zip(paths).any(is_named)).then(|| word.to_owned())
}

/// Returns a name without its number: `matmul` of `matmul.3` and of `matmul_3`, and nothing of `3`.
fn without_number(name: &str) -> &str {
    let word = name.trim_end_matches(|c: char| c.is_ascii_digit());
    if word.len() == name.len() || word.is_empty() {
        return word;
    }
    word.strip_suffix(['.', '_']).unwrap_or(name)
}
