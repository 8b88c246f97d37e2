//! Names that a plan gives to classes of dimensions, and the listing of `plan --dims`.

use super::{ClassId, DimClasses};
use crate::planning::path_index::PathIndex;
use indexmap::IndexMap;
use partita_ir::arena::ValueId;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::plan::path::Pattern;
use partita_ir::plan::{Plan, text};
use partita_ir::program::Program;

/// Names of classes.
#[derive(Default)]
pub struct DimNames {
    /// Classes of each name, in the order in which they are named.
    pub classes: IndexMap<String, Vec<ClassId>>,
}

impl DimNames {
    /// Returns the names of a plan. Errors are appended to `errors`.
    pub fn new(plan: &Plan, program: &Program, classes: &DimClasses, errors: &mut Vec<Diagnostic>) -> DimNames {
        let entries = PathIndex::new(program);
        // The most specific entry of each value, then the later one.
        let mut chosen: IndexMap<ValueId, ((bool, usize), usize)> = IndexMap::new();
        let mut texts = Vec::new();
        for (i, entry) in plan.names.iter().enumerate() {
            let read = entries.find(&entry.path).and_then(|values| Ok((values, text::parse_names(&entry.text)?)));
            let (values, names) = read.unwrap_or_else(|e| {
                errors.push(e);
                Default::default()
            });
            for value in values {
                let rank = program.ty(value).shape.rank();
                if names.len() != rank {
                    errors.push(wrong_rank(entry, &entries, program, value, names.len()));
                    continue;
                }
                let specificity = Pattern::new(&entry.path.text).specificity();
                let best = chosen.entry(value).or_insert((specificity, i));
                *best = (*best).max((specificity, i));
            }
            texts.push(names);
        }
        let mut names = DimNames::default();
        for (value, (_, entry)) in chosen {
            for (dim, name) in texts[entry].iter().enumerate() {
                let Some((name, _)) = name else { continue };
                let known = names.classes.entry(name.clone()).or_default();
                let class = classes.class(value, dim);
                if !known.contains(&class) {
                    known.push(class);
                }
            }
        }
        names
    }

    /// Returns the name of a class; several are joined by `/`.
    pub fn name(&self, class: ClassId) -> Option<String> {
        let names: Vec<&str> =
            self.classes.iter().filter(|(_, all)| all.contains(&class)).map(|(name, _)| name.as_str()).collect();
        (!names.is_empty()).then(|| names.join("/"))
    }
}

fn wrong_rank(
    entry: &partita_ir::plan::PlanEntry,
    entries: &PathIndex<'_>,
    program: &Program,
    value: ValueId,
    names: usize,
) -> Diagnostic {
    let (path, ty) = (entries.path(value), program.ty(value));
    let rank = ty.shape.rank();
    Diagnostic::new(Code::L009, format!("`{path}` has {rank} dimensions, but the plan names {names}"))
        .label(entry.text.span(), format!("`{path}` is {ty}"))
        .help("write one name for each dimension, `_` for one without a name")
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
