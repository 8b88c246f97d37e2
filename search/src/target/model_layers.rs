//! Repeated layers of a model, and stages with equal numbers of them.

use partita_ir::plan::SourceText;
use partita_ir::plan::path::{Pattern, is_in_module};
use partita_ir::program::{Param, Program};
use partita_passes::planning::reduce_depth::RepeatedLayers;
use std::collections::{BTreeMap, BTreeSet};

/// Repeated layers of a model, by the paths of their parameters.
#[derive(Clone, Debug)]
pub struct ModelLayers {
    count: usize,
    /// Layer of each parameter inside the layers.
    layer_of: BTreeMap<String, usize>,
    /// Shortest list of plan paths that match the parameters of each layer.
    paths: Vec<Vec<String>>,
}

impl ModelLayers {
    /// Finds the layers of a traced program. Returns `None` if it has fewer than four equal layers.
    pub fn find(program: &Program) -> Option<ModelLayers> {
        Some(ModelLayers::new(program, &RepeatedLayers::find(program)?))
    }

    /// Creates the layers of a traced program from its repetitions.
    pub(crate) fn new(program: &Program, layers: &RepeatedLayers) -> ModelLayers {
        let params = program.params.values();
        let layer = |param: &Param| Some((param.path.to_string(), layers.value_repetition(param.value)?));
        let layer_of: BTreeMap<String, usize> = params.filter_map(layer).collect();
        let all: Vec<&str> = program.params.values().map(|param| param.path.as_str()).collect();
        let paths = (0..layers.count()).map(|layer| {
            let own = layer_of.iter().filter(|(_, of)| **of == layer).map(|(path, _)| path.as_str());
            let own: BTreeSet<&str> = own.collect();
            let is_exact = |module: &String| all.iter().all(|path| !is_in_module(path, module) || own.contains(path));
            match common_module(&own).filter(is_exact) {
                Some(module) => vec![module],
                None => own.into_iter().map(str::to_owned).collect(),
            }
        });
        ModelLayers { count: layers.count(), paths: paths.collect(), layer_of }
    }

    /// Returns the number of layers.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns the text of a pipeline whose chunks have equal numbers of layers: `blocks.0 blocks.1 | blocks.2
    /// blocks.3`. `None` if the layers do not divide.
    pub fn equal_chunks(&self, chunks: usize) -> Option<String> {
        if chunks == 0 || !self.count.is_multiple_of(chunks) {
            return None;
        }
        Some(self.chunks(&vec![self.count / chunks; chunks]))
    }

    /// Returns the text of a pipeline whose chunks have the given numbers of layers.
    pub(crate) fn chunks(&self, sizes: &[usize]) -> String {
        let mut layers = self.paths.iter();
        let chunk = |&size: &usize| layers.by_ref().take(size).flatten().cloned().collect::<Vec<_>>().join(" ");
        sizes.iter().map(chunk).collect::<Vec<_>>().join(" | ")
    }

    /// Returns the layers with parameters among the given paths.
    pub(crate) fn layers_of<'p>(&self, paths: impl Iterator<Item = &'p str>) -> BTreeSet<usize> {
        paths.filter_map(|path| self.layer_of.get(path).copied()).collect()
    }

    /// Returns the number of layers that each chunk of an explicit pipeline names. `None` if a layer is in several
    /// chunks or in none.
    pub(crate) fn chunk_sizes(&self, chunks: &[Vec<SourceText>]) -> Option<Vec<usize>> {
        let layers = chunks.iter().map(|paths| {
            let matched = |path: &&str| {
                paths.iter().any(|written| {
                    let text = written.text.trim();
                    is_in_module(path, text) || Pattern::new(text).matches(path)
                })
            };
            self.layers_of(self.layer_of.keys().map(String::as_str).filter(matched))
        });
        let layers: Vec<BTreeSet<usize>> = layers.collect();
        let is_ordered = layers.iter().flatten().copied().eq(0..self.count) && !layers.iter().any(BTreeSet::is_empty);
        is_ordered.then(|| layers.iter().map(BTreeSet::len).collect())
    }
}

/// Returns the longest module that contains all paths.
fn common_module(paths: &BTreeSet<&str>) -> Option<String> {
    let parts: Vec<&str> = paths.first()?.split('.').collect();
    let is_common = |&length: &usize| {
        let module = parts[..length].join(".");
        paths.iter().all(|path| is_in_module(path, &module))
    };
    (1..parts.len()).rev().find(is_common).map(|length| parts[..length].join("."))
}
