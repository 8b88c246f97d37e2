//! Lowering of an exported program to a traced program and its weights.
//!
//! Parameters and buffers that the program reads become parameters under their fully qualified names; tied weights are
//! one parameter. Inputs and results are named by the arguments of the model and the structure of its results. Each
//! operation is lowered by the file of its family, selected in [`table`], and its results are compared with the types
//! that the archive records. Operations in place are lowered to those with a result: later reads of the name see the
//! result (`bindings`).

mod activation;
mod attention;
mod autocast;
mod bags;
mod bindings;
mod buckets;
mod complex;
mod complex_functions;
mod compositions;
mod contraction;
mod convolution;
mod creation;
mod distance;
mod elementwise;
mod errors;
mod experts;
mod fourier;
mod graph;
mod higher_order;
mod images;
mod indexing;
mod inputs;
mod linear_algebra;
mod loops;
mod losses;
mod lowering;
mod margins;
mod matrix_norms;
mod movement;
mod names;
mod node;
mod normalization;
mod ordering;
mod pointwise;
mod pooling;
mod promotion;
mod recurrent;
mod reduction;
mod results;
mod scatter;
mod table;
mod views;

use crate::archive::Archive;
use crate::name::ModelName;
use crate::schema::{ExportedProgram, ProgramVersion, SCHEMA_VERSION};
use crate::weights::WeightIndex;
use graph::Importer;
use partita_ir::build::{Builder, Namer};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::program::Program;
use partita_ir::tensor::Weights;

/// An imported model.
pub struct Imported {
    /// The forward model, in form traced.
    pub program: Program,
    /// The data of its parameters.
    pub weights: Weights,
}

/// Reads the model with the given name: a file, and an optional loss (`model.pt2?loss=cross_entropy`), which replaces
/// the results.
///
/// # Errors
/// Returns `C001` for a file that cannot be read, `F002` for a damaged or invalid file, `F001` and `F003` for
/// unsupported operations, element types and symbolic dimensions, `F004` for an invalid option, and `T004` for a file
/// or tensor that is too large.
pub fn import(name: &str) -> Result<Imported, Vec<Diagnostic>> {
    let model_name = ModelName::parse(name).map_err(|e| vec![e])?;
    let archive = Archive::open(model_name.path).map_err(|e| vec![e])?;
    import_archive(archive, &model_name, name)
}

/// Imports an archive in memory; `name` states its options as for [`import`].
///
/// # Errors
/// The errors of [`import`], except those of reading the file.
pub fn import_bytes(name: &str, bytes: Vec<u8>) -> Result<Imported, Vec<Diagnostic>> {
    let model_name = ModelName::parse(name).map_err(|e| vec![e])?;
    let archive = Archive::from_bytes(bytes, model_name.path).map_err(|e| vec![e])?;
    import_archive(archive, &model_name, name)
}

fn import_archive(mut archive: Archive, model_name: &ModelName<'_>, name: &str) -> Result<Imported, Vec<Diagnostic>> {
    let exported = read_program(&mut archive).map_err(|e| vec![e])?;
    let index = WeightIndex::read(&mut archive).map_err(|e| vec![e])?;
    let mut program = Program::with_source(name);
    let mut namer = Namer::default();
    let importer = Importer::new(&exported, Builder::new(&mut program, &mut namer), &index, &mut archive);
    let weights = importer.run(model_name)?;
    // Parameters are those of the signature.
    program.has_no_params = program.params.is_empty();
    program.is_forward = true;
    Ok(Imported { program: program.compact(), weights })
}

/// Reads and decodes the exported program.
fn read_program(archive: &mut Archive) -> Result<ExportedProgram, Diagnostic> {
    let json = archive.read_program()?;
    let version: ProgramVersion = serde_json::from_slice(&json)
        .map_err(|e| archive.damaged("contains an invalid exported program").note(e.to_string()))?;
    let (major, minor) = (version.schema_version.major, version.schema_version.minor);
    if major != SCHEMA_VERSION {
        let error = archive.damaged(format!("has the schema version {major}.{minor}, which is not supported"));
        let error = Diagnostic { code: Code::F003, ..error };
        return Err(error.note(format!("the supported major version is {SCHEMA_VERSION}")).help(
            "save the program again with PyTorch 2.9 or later: `torch.export.save(torch.export.load(OLD), NEW)`",
        ));
    }
    serde_json::from_slice(&json)
        .map_err(|e| archive.damaged("contains an invalid exported program").note(e.to_string()))
}
