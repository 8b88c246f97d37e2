//! Look-up of values by the paths in a plan.

mod path_tree;

use indexmap::IndexMap;
use partita_ir::arena::ValueId;
use partita_ir::diag::{Code, Diagnostic, nearest};
use partita_ir::plan::path::Pattern;
use partita_ir::plan::{PlanEntry, SourceText};
use partita_ir::program::{COMPLEX_PARTS, Program};
use path_tree::PathTree;
use rustc_hash::FxHashMap;
use std::cell::OnceCell;

/// Maximum number of paths that an error lists.
const MAX_LISTED_PATHS: usize = 8;

/// Parameters and inputs of a program, by path.
pub struct PathIndex<'p> {
    program: &'p Program,
    /// Value and path, in the order of the function's inputs.
    all: Vec<(ValueId, &'p str)>,
    by_path: FxHashMap<&'p str, ValueId>,
    paths: FxHashMap<ValueId, &'p str>,
    /// Inputs that are not parameters, in order.
    inputs: Vec<ValueId>,
    /// All values of the entry function and of loop bodies by name, computed on first use.
    by_name: OnceCell<FxHashMap<&'p str, ValueId>>,
    /// Indices in `all`, for globs.
    path_tree: OnceCell<PathTree<'p, usize>>,
    /// The values of `by_name`, for globs.
    name_tree: OnceCell<PathTree<'p, ValueId>>,
}

impl<'p> PathIndex<'p> {
    /// Returns the parameters and inputs of a program's entry function.
    pub fn new(program: &'p Program) -> PathIndex<'p> {
        let paths: FxHashMap<ValueId, &str> = program.params.values().map(|p| (p.value, p.path.as_str())).collect();
        let mut entries = PathIndex {
            program,
            all: Vec::new(),
            by_path: FxHashMap::default(),
            paths,
            inputs: Vec::new(),
            by_name: OnceCell::new(),
            path_tree: OnceCell::new(),
            name_tree: OnceCell::new(),
        };
        for &value in program.inputs() {
            if !entries.paths.contains_key(&value) {
                entries.inputs.push(value);
            }
            let path = *entries.paths.entry(value).or_insert(&program.values[value].name);
            entries.all.push((value, path));
            entries.by_path.entry(path).or_insert(value);
        }
        entries
    }

    /// Returns the user-visible path of a parameter or input; `%name` for any other value.
    pub fn path(&self, value: ValueId) -> String {
        let path = self.paths.get(&value);
        path.map_or_else(|| format!("%{}", self.program.values[value].name), |path| (*path).to_owned())
    }

    /// Returns true if a plan can refer to a value: no value of the entry function or of another loop has its name.
    pub fn is_addressable(&self, value: ValueId) -> bool {
        self.exact_match(&self.path(value)) == Some(value)
    }

    /// Returns true if the value is a parameter or input.
    pub fn is_entry(&self, value: ValueId) -> bool {
        self.paths.contains_key(&value)
    }

    /// Returns the values that a path matches.
    ///
    /// # Errors
    /// `L006` if no value matches and the path is not marked optional.
    pub fn find(&self, path: &SourceText) -> Result<Vec<ValueId>, Diagnostic> {
        let pattern = Pattern::new(&path.text);
        let found: Vec<ValueId> = if pattern.is_glob() && pattern.is_of_values() {
            self.name_tree().matching(&pattern)
        } else if pattern.is_glob() {
            self.path_tree().matching(&pattern).into_iter().map(|i| self.all[i].0).collect()
        } else {
            match self.exact_match(pattern.text) {
                Some(value) => vec![value],
                // A complex input has two parts.
                None => COMPLEX_PARTS
                    .iter()
                    .filter_map(|part| self.exact_match(&format!("{}{part}", pattern.text)))
                    .collect(),
            }
        };
        if found.is_empty() && !pattern.optional { Err(self.no_match(path, &pattern)) } else { Ok(found) }
    }

    /// Returns, for each value, the index of the entry that takes precedence: the most specific one, then the later
    /// one. Values are in the order of their first match. Errors of paths without a match are appended to `errors`.
    pub fn most_specific(&self, entries: &[PlanEntry], errors: &mut Vec<Diagnostic>) -> IndexMap<ValueId, usize> {
        let mut best: IndexMap<ValueId, ((bool, usize), usize)> = IndexMap::new();
        for (i, entry) in entries.iter().enumerate() {
            let specificity = Pattern::new(&entry.path.text).specificity();
            let values = self.find(&entry.path).unwrap_or_else(|error| {
                errors.push(error);
                Vec::new()
            });
            for value in values {
                let best = best.entry(value).or_insert((specificity, i));
                *best = (*best).max((specificity, i));
            }
        }
        best.into_iter().map(|(value, (_, i))| (value, i)).collect()
    }

    fn exact_match(&self, path: &str) -> Option<ValueId> {
        if let Some(name) = path.strip_prefix('%') {
            return self.value_named(name);
        }
        self.by_path.get(path).copied().or_else(|| {
            let name = path.strip_prefix("input.")?;
            let by_name = self.inputs.iter().copied().find(|&v| self.program.values[v].name == name);
            by_name.or_else(|| self.inputs.get(name.parse::<usize>().ok()?).copied())
        })
    }

    /// Returns the value of the entry function, or else of a loop body, with this name in the program text.
    fn value_named(&self, name: &str) -> Option<ValueId> {
        self.by_name().get(name).copied()
    }

    fn path_tree(&self) -> &PathTree<'p, usize> {
        let paths = || self.all.iter().enumerate().map(|(i, (_, path))| (*path, i));
        self.path_tree.get_or_init(|| PathTree::new(paths()))
    }

    fn name_tree(&self) -> &PathTree<'p, ValueId> {
        let names = || self.by_name().iter().map(|(name, value)| (*name, *value));
        self.name_tree.get_or_init(|| PathTree::new(names()))
    }

    fn by_name(&self) -> &FxHashMap<&'p str, ValueId> {
        // The entry function is last and overrides loop bodies.
        self.by_name.get_or_init(|| self.named_values().collect())
    }

    /// Returns all values of the entry function and of loop bodies with their names, the entry function last.
    fn named_values(&self) -> impl Iterator<Item = (&'p str, ValueId)> {
        let program = self.program;
        let funcs = program.funcs_with_layouts().into_iter().map(|func| &program.funcs[func]);
        let values = funcs.flat_map(|func| {
            let results = func.ops().iter().flat_map(|&op| &program.ops[op].outs);
            func.inputs.iter().chain(results)
        });
        values.map(|&value| (program.values[value].name.as_str(), value))
    }

    fn no_match(&self, path: &SourceText, pattern: &Pattern<'_>) -> Diagnostic {
        let what = if pattern.is_of_values() { "value" } else { "parameter or input" };
        let start = path.text.find(pattern.text).unwrap_or(0);
        let place = path.span_of(start..start + pattern.text.len());
        let error = Diagnostic::new(Code::L006, format!("no {what} matches `{}`", pattern.text))
            .label(place.clone(), "matches nothing");
        let paths: Vec<String> = if pattern.is_of_values() {
            let results = self.named_values().filter(|(_, value)| !self.is_entry(*value));
            results.map(|(name, _)| format!("%{name}")).collect()
        } else {
            self.all.iter().map(|(_, path)| (*path).to_owned()).collect()
        };
        let inside = format!("{}.**", pattern.text);
        let is_inside = |path: &&String| !pattern.is_of_values() && Pattern::new(&inside).matches(path);
        let count = paths.iter().filter(is_inside).count();
        if count > 0 {
            let what = if count == 1 { "the one in it".to_owned() } else { format!("all {count} in it") };
            return error.fix(format!("`{}` is a module: this matches {what}", pattern.text), place, inside);
        }
        if let Some(near) = nearest(pattern.text, paths.iter().map(String::as_str)) {
            return error.fix("there is one with a similar name", place, near);
        }
        let mut listed: Vec<String> = paths.iter().take(MAX_LISTED_PATHS).map(|p| format!("`{p}`")).collect();
        if paths.len() > MAX_LISTED_PATHS {
            listed.push(format!("and {} more", paths.len() - MAX_LISTED_PATHS));
        }
        let error = if listed.is_empty() { error } else { error.note(format!("the model has {}", listed.join(", "))) };
        error.help(format!("write `{}?` if it may match nothing", pattern.text))
    }
}
