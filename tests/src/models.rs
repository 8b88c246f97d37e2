//! Imported models of the tests: StableHLO modules, the names of their arguments, and results of JAX.
//!
//! The files are in `tests/data`, whose `README.md` describes them. `PARTITA_DATA` names a folder with more models.

use partita_ir::dtype::Type;
use partita_ir::program::Program;
use partita_ir::tensor::Tensor;
use partita_runtime::io::read_inputs;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// Folders of the test data.
pub struct Models {
    roots: Vec<PathBuf>,
    index: serde_json::Map<String, Value>,
}

impl Models {
    /// Finds the repository's data and the additional data.
    ///
    /// # Errors
    /// An unreadable index.
    pub fn find() -> Result<Models, String> {
        let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
        let roots: Vec<PathBuf> =
            [own].into_iter().chain(std::env::var_os("PARTITA_DATA").map(PathBuf::from)).collect();
        let mut index = serde_json::Map::new();
        for root in &roots {
            let file = root.join("stablehlo/index.json");
            let cannot = |e: &dyn std::fmt::Display| format!("{}: {e}", file.display());
            let text = fs::read_to_string(&file).map_err(|e| cannot(&e))?;
            index.extend(serde_json::from_str::<serde_json::Map<_, _>>(&text).map_err(|e| cannot(&e))?);
        }
        Ok(Models { roots, index })
    }

    /// Returns the files of a folder with an extension, sorted by name.
    fn files(&self, folder: &str, ending: &str) -> Vec<PathBuf> {
        let entries = self.roots.iter().flat_map(|root| fs::read_dir(root.join(folder))).flatten().flatten();
        let files = entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|e| e == ending));
        let mut files: Vec<PathBuf> = files.collect();
        files.sort_by(|a, b| a.file_name().cmp(&b.file_name()));
        files.dedup_by(|a, b| a.file_name() == b.file_name());
        files
    }

    /// Returns all modules, sorted by name.
    pub fn modules(&self) -> Vec<Module> {
        let name = |path: &Path| path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        self.files("stablehlo", "mlir").into_iter().map(|path| Module { name: name(&path), path }).collect()
    }

    /// Returns the arguments of a module, in order.
    ///
    /// # Errors
    /// A model that the index lacks, or another number of arguments.
    pub fn arguments(&self, module: &Module, count: usize) -> Result<Vec<Argument>, String> {
        // Smaller variants have the arguments of the model that they are derived from.
        let model = module.model();
        let known = model.match_indices('_').map(|(at, _)| &model[..at]).chain([model]);
        let entry = known.rev().find_map(|m| self.index.get(m)).ok_or_else(|| format!("no `{model}` in the index"))?;
        let list = |what: &str| -> Vec<String> {
            let names = entry["args"][what].as_array();
            names.into_iter().flatten().filter_map(Value::as_str).map(str::to_string).collect()
        };
        let (params, batch) = (list("params"), list("batch"));
        let named = |role: Role, names: &[String]| -> Vec<Argument> {
            names.iter().map(|name| Argument { role, name: name.clone() }).collect()
        };
        let mut all = named(Role::Param, &params);
        if count > params.len() + batch.len() {
            all.extend(named(Role::Moment, &params));
            all.push(Argument { role: Role::Step, name: String::new() });
            all.extend(named(Role::Moment, &params));
        }
        all.extend(named(Role::Batch, &batch));
        if all.len() == count { Ok(all) } else { Err(format!("{count} arguments, but the index lists {}", all.len())) }
    }

    /// Returns the models with JAX results.
    pub fn jax_results(&self) -> Vec<JaxResults> {
        self.files("golden", "safetensors").into_iter().map(|file| JaxResults { file }).collect()
    }
}

/// A StableHLO module: `MODEL.PROGRAM.ANNOTATION`.
#[derive(Clone)]
pub struct Module {
    /// File name without the extension.
    pub name: String,
    path: PathBuf,
}

impl Module {
    /// Returns the model name.
    pub fn model(&self) -> &str {
        self.name.split('.').next().unwrap_or_default()
    }

    /// Returns the program name: `fwd`, `sgd`, `adam`.
    pub fn program(&self) -> &str {
        self.name.split('.').nth(1).unwrap_or_default()
    }

    /// Returns true if the module has no annotations.
    pub fn is_plain(&self) -> bool {
        self.name.ends_with(".plain")
    }

    /// Returns true if the module runs quickly.
    pub fn is_small(&self) -> bool {
        self.model().contains('_') && self.model() != "moe_ep"
    }

    /// Returns the learning rate of the module's optimizer.
    pub fn learning_rate(&self) -> f64 {
        self.program()
            .strip_prefix("sgd_lr")
            .and_then(|_| self.name.split_once("_lr")?.1.strip_suffix(".plain")?.parse().ok())
            .unwrap_or(0.1)
    }

    /// Imports the module.
    ///
    /// # Errors
    /// Errors of the file and of the import.
    pub fn import(&self) -> Result<Program, String> {
        let text = fs::read_to_string(&self.path).map_err(|e| format!("{}: {e}", self.path.display()))?;
        partita_stablehlo::import(&self.name, &text).map_err(|errors| crate::agree::join_diagnostics(&errors))
    }
}

/// Role of an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// A parameter.
    Param,
    /// Optimizer state of a parameter: a running mean of gradients or of their squares.
    Moment,
    /// Number of completed optimizer steps.
    Step,
    /// Part of the batch.
    Batch,
}

/// An argument of a module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Argument {
    /// Role of the argument.
    pub role: Role,
    /// Path of its parameter, or name in the batch, as printed by JAX: `['blocks'][0]['w1']`.
    pub name: String,
}

impl Argument {
    /// Returns true for a batch of images in NCHW layout.
    pub fn is_image(&self, ty: &Type) -> bool {
        self.role == Role::Batch && ty.shape.rank() == 4
    }

    /// Returns the last key of its path: `w1`.
    pub fn key(&self) -> &str {
        self.name.trim_end_matches("']").rsplit('\'').next().unwrap_or_default()
    }
}

/// JAX results of a model.
#[derive(Clone)]
pub struct JaxResults {
    file: PathBuf,
}

impl JaxResults {
    /// Returns the model name.
    pub fn model(&self) -> String {
        self.file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Returns the names of all tensors.
    ///
    /// # Errors
    /// An unreadable file.
    pub fn names(&self) -> Result<Vec<String>, String> {
        read_inputs(&self.file, &Program::default()).map(|inputs| inputs.ignored).map_err(|e| e.to_string())
    }

    /// Returns tensors by name and type.
    ///
    /// # Errors
    /// A missing tensor, or one of another type.
    pub fn tensors(&self, wanted: impl IntoIterator<Item = (String, Type)>) -> Result<Vec<Tensor>, String> {
        // The runtime's reader requires a program; this one has only the wanted inputs.
        let mut program = Program::default();
        for (name, ty) in wanted {
            program.input(name, ty);
        }
        read_inputs(&self.file, &program).map(|inputs| inputs.tensors).map_err(|e| e.to_string())
    }
}
