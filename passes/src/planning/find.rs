//! Values by path: which parameters and inputs an entry of a plan is about.

use indexmap::IndexMap;
use partita_ir::arena::ValueId;
use partita_ir::diag::{Code, Diagnostic, nearest};
use partita_ir::plan::path::Pattern;
use partita_ir::plan::{Entry, Written};
use partita_ir::program::Program;
use rustc_hash::FxHashMap;
use std::cell::OnceCell;

/// How many paths an error lists.
const LISTED: usize = 8;

/// The parameters and inputs of a program, by path.
pub struct Entries<'p> {
    program: &'p Program,
    /// Value and path, in calling order.
    all: Vec<(ValueId, &'p str)>,
    by_path: FxHashMap<&'p str, ValueId>,
    paths: FxHashMap<ValueId, &'p str>,
    /// Inputs that are no parameters, in calling order.
    inputs: Vec<ValueId>,
    /// All values of the main function and of loops by name, once somebody asks for one.
    by_name: OnceCell<FxHashMap<&'p str, ValueId>>,
}

impl<'p> Entries<'p> {
    /// Those of a program's main function.
    pub fn of(program: &'p Program) -> Entries<'p> {
        let paths: FxHashMap<ValueId, &str> = program.params.values().map(|p| (p.value, p.path.as_str())).collect();
        let mut entries = Entries {
            program,
            all: Vec::new(),
            by_path: FxHashMap::default(),
            paths,
            inputs: Vec::new(),
            by_name: OnceCell::new(),
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

    /// How users call a parameter or input; `%name` for any other value.
    pub fn path(&self, value: ValueId) -> String {
        let path = self.paths.get(&value);
        path.map_or_else(|| format!("%{}", self.program.values[value].name), |path| (*path).to_owned())
    }

    /// Whether a plan can speak of a value: none of the main function, or of another loop, has its name.
    pub fn can_say(&self, value: ValueId) -> bool {
        self.one(&self.path(value)) == Some(value)
    }

    /// Whether this is a parameter or input.
    pub fn has(&self, value: ValueId) -> bool {
        self.paths.contains_key(&value)
    }

    /// The values that a path matches.
    ///
    /// # Errors
    /// `L006` when there are none, and the path does not say that there may be none.
    pub fn find(&self, path: &Written) -> Result<Vec<ValueId>, Diagnostic> {
        let pattern = Pattern::new(&path.text);
        let found: Vec<ValueId> = if pattern.is_glob() {
            self.all.iter().filter(|(_, path)| pattern.matches(path)).map(|(v, _)| *v).collect()
        } else {
            self.one(pattern.text).into_iter().collect()
        };
        if found.is_empty() && !pattern.optional { Err(self.nothing(path, &pattern)) } else { Ok(found) }
    }

    /// For each value, the entry that counts of those that match it: the most specific one, then the later; in the
    /// order in which values are first matched. Paths that match nothing are appended to `errors`.
    pub fn deciding(&self, entries: &[Entry], errors: &mut Vec<Diagnostic>) -> IndexMap<ValueId, usize> {
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

    fn one(&self, path: &str) -> Option<ValueId> {
        if let Some(name) = path.strip_prefix('%') {
            return self.named(name);
        }
        self.by_path.get(path).copied().or_else(|| {
            let name = path.strip_prefix("input.")?;
            let by_name = self.inputs.iter().copied().find(|&v| self.program.values[v].name == name);
            by_name.or_else(|| self.inputs.get(name.parse::<usize>().ok()?).copied())
        })
    }

    /// A value of the main function, or else of the body of a loop, by its name in program text.
    fn named(&self, name: &str) -> Option<ValueId> {
        let by_name = self.by_name.get_or_init(|| {
            // The main function comes last, and counts.
            let funcs = self.program.laid_out_funcs().into_iter().map(|func| &self.program.funcs[func]);
            let values = funcs.flat_map(|func| {
                let made = func.ops().iter().flat_map(|&op| &self.program.ops[op].outs);
                func.inputs.iter().chain(made)
            });
            values.map(|&v| (self.program.values[v].name.as_str(), v)).collect()
        });
        by_name.get(name).copied()
    }

    fn nothing(&self, path: &Written, pattern: &Pattern<'_>) -> Diagnostic {
        let what = if pattern.text.starts_with('%') { "value" } else { "parameter or input" };
        let start = path.text.find(pattern.text).unwrap_or(0);
        let place = path.part(start..start + pattern.text.len());
        let error = Diagnostic::new(Code::L006, format!("no {what} matches `{}`", pattern.text))
            .at(place.clone(), "matches nothing");
        let paths = self.all.iter().map(|(_, path)| *path);
        let inside = format!("{}.**", pattern.text);
        let count = paths.clone().filter(|path| Pattern::new(&inside).matches(path)).count();
        if count > 0 && !pattern.text.starts_with('%') {
            let what = if count == 1 { "the one in it".to_owned() } else { format!("all {count} in it") };
            return error.fix(format!("`{}` is a module: this matches {what}", pattern.text), place, inside);
        }
        if let Some(near) = nearest(pattern.text, paths.clone()) {
            return error.fix("there is one with a similar name", place, near);
        }
        let mut listed: Vec<String> = paths.take(LISTED).map(|p| format!("`{p}`")).collect();
        if self.all.len() > LISTED {
            listed.push(format!("and {} more", self.all.len() - LISTED));
        }
        error
            .note(format!("the model has {}", listed.join(", ")))
            .help(format!("write `{}?` if it may match nothing", pattern.text))
    }
}
