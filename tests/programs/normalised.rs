//! Searches normalise a program before they build its steps: these are the steps of the program itself.

use partita_ir::program::Program;
use partita_ir::text::print;
use partita_passes::driver::{Findings, Input};
use partita_passes::pipelines::{build_step, normalise};
use std::fs;
use std::path::Path;

#[test]
fn normalised_programs_have_the_same_steps() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/users");
    for file in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let name = file.file_stem().unwrap().to_str().unwrap();
        let program = partita_stablehlo::import(name, &fs::read_to_string(&file).unwrap()).unwrap();
        let step = |mut program: Program| {
            build_step(&mut program, &Input::default(), &mut Findings::default()).unwrap();
            print(&program)
        };
        let mut normalised = program.clone();
        normalise(&mut normalised).unwrap();
        assert!(step(normalised) == step(program), "{name}");
    }
}
