//! Names that a plan and the model give to classes of dimensions, and the listing of `plan --dims`.

use super::{ClassId, DimClasses};
use crate::planning::path_index::PathIndex;
use indexmap::IndexMap;
use partita_ir::arena::ValueId;
use partita_ir::diag::Diagnostic;
use partita_ir::plan::path::Pattern;
use partita_ir::plan::text::{NameText, check_rank, parse_names, parse_names_of};
use partita_ir::plan::{Plan, SourceText, stated_names};
use partita_ir::program::Program;

/// Names of classes.
#[derive(Default)]
pub struct DimNames {
    /// Classes of each name, in the order in which they are named.
    pub classes: IndexMap<String, Vec<ClassId>>,
    /// Text in the model that states each name; if one names two dimensions alike, that one.
    stated: IndexMap<String, SourceText>,
}

impl DimNames {
    /// Returns the names of a plan and of the model. For a value that both name, the plan takes precedence. Errors are
    /// appended to `errors`.
    pub fn new(plan: &Plan, program: &Program, classes: &DimClasses, errors: &mut Vec<Diagnostic>) -> DimNames {
        let entries = PathIndex::new(program);
        // The most specific entry of each value, then the later one.
        let mut chosen: IndexMap<ValueId, ((bool, usize), usize)> = IndexMap::new();
        let mut texts: Vec<Vec<NameText>> = Vec::new();
        for (i, entry) in plan.names.iter().enumerate() {
            let read = entries.find(&entry.path).and_then(|values| Ok((values, parse_names(&entry.text)?)));
            let (values, dims) = read.unwrap_or_else(|error| record(error, errors));
            for value in values {
                if let Err(error) = check_rank(&dims, &entry.text, &entries.path(value), program.ty(value)) {
                    errors.push(error);
                    continue;
                }
                let specificity = Pattern::new(&entry.path.text).specificity();
                let best = chosen.entry(value).or_insert((specificity, i));
                *best = (*best).max((specificity, i));
            }
            texts.push(dims);
        }
        let mut names = DimNames::default();
        for (&value, &(_, entry)) in &chosen {
            names.add(value, &texts[entry], classes);
        }
        for (value, written) in stated_names(program).into_iter().filter(|(value, _)| !chosen.contains_key(value)) {
            let read = parse_names_of(written, &entries.path(value), program.ty(value));
            let dims = read.unwrap_or_else(|error| record(error, errors));
            names.add(value, &dims, classes);
            for (name, _) in dims.iter().flatten() {
                let is_twice = dims.iter().flatten().filter(|(other, _)| other == name).count() > 1;
                if is_twice || !names.stated.contains_key(name) {
                    names.stated.insert(name.clone(), SourceText::clone(written));
                }
            }
        }
        names
    }

    /// Adds the names of the dimensions of a value.
    fn add(&mut self, value: ValueId, dims: &[NameText], classes: &DimClasses) {
        for (dim, name) in dims.iter().enumerate() {
            let Some((name, _)) = name else { continue };
            let known = self.classes.entry(name.clone()).or_default();
            let class = classes.class(value, dim);
            if !known.contains(&class) {
                known.push(class);
            }
        }
    }

    /// Returns the text in the model that states a name; `None` for a name that only the plan states.
    pub fn stated(&self, name: &str) -> Option<&SourceText> {
        self.stated.get(name)
    }

    /// Returns the name of a class; several are joined by `/`.
    pub fn name(&self, class: ClassId) -> Option<String> {
        let names: Vec<&str> =
            self.classes.iter().filter(|(_, all)| all.contains(&class)).map(|(name, _)| name.as_str()).collect();
        (!names.is_empty()).then(|| names.join("/"))
    }
}

/// Adds an error to `errors`, and returns an empty value.
fn record<T: Default>(error: Diagnostic, errors: &mut Vec<Diagnostic>) -> T {
    errors.push(error);
    T::default()
}

/// A class of dimensions, as listed for the user.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DimClassInfo {
    /// Name in the plan.
    pub name: Option<String>,
    /// Number of elements along the dimension.
    pub size: usize,
    /// Parameter and input dimensions of the class: path and dimension.
    pub dims: Vec<(String, usize)>,
    /// Number of dimensions of other values in the class.
    pub other_dims: usize,
}

/// Returns the classes of a traced program that contain a dimension of a parameter or input, or have a name, largest
/// first.
///
/// # Errors
/// `L006`, `L008`, `L009` for the names of the plan.
pub fn list_classes(program: &Program, plan: &Plan) -> Result<Vec<DimClassInfo>, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let classes = DimClasses::new(program);
    let names = DimNames::new(plan, program, &classes, &mut errors);
    if !errors.is_empty() {
        return Err(errors);
    }
    let entries = PathIndex::new(program);
    let mut listed: Vec<DimClassInfo> = Vec::new();
    for (class, members) in classes.members(program) {
        let (known, other_dims): (Vec<_>, Vec<_>) = members.iter().partition(|(value, _)| entries.is_entry(*value));
        let name = names.name(class);
        if name.is_some() || !known.is_empty() {
            let dims = known.iter().map(|&(value, dim)| (entries.path(value), dim)).collect();
            let size = members.first().map_or(0, |&(value, dim)| program.ty(value).shape[dim]);
            listed.push(DimClassInfo { name, size, dims, other_dims: other_dims.len() });
        }
    }
    listed.sort_by_key(|c| (c.name.is_none(), std::cmp::Reverse(c.dims.len() + c.other_dims)));
    Ok(listed)
}
