//! The names that a plan gives to classes of dimensions, and the list of classes that `plan --dims` prints.

use super::{ClassId, Classes};
use crate::planning::find::Entries;
use indexmap::IndexMap;
use partita_ir::arena::ValueId;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::plan::path::Pattern;
use partita_ir::plan::{Plan, text};
use partita_ir::program::Program;

/// The names of classes.
#[derive(Default)]
pub struct Names {
    /// The classes of each name, in the order in which they were given.
    pub classes: IndexMap<String, Vec<ClassId>>,
}

impl Names {
    /// The names that a plan gives. Mistakes are appended to `errors`.
    pub fn of(plan: &Plan, program: &Program, classes: &Classes, errors: &mut Vec<Diagnostic>) -> Names {
        let entries = Entries::of(program);
        // The most specific entry of each value, the later one among equals.
        let mut chosen: IndexMap<ValueId, ((bool, usize), usize)> = IndexMap::new();
        let mut texts = Vec::new();
        for (i, entry) in plan.names.iter().enumerate() {
            let read = entries.find(&entry.path).and_then(|values| Ok((values, text::names(&entry.text)?)));
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
        let mut names = Names::default();
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

    /// The name of a class; several are joined by `/`.
    pub fn name(&self, class: ClassId) -> Option<String> {
        let names: Vec<&str> =
            self.classes.iter().filter(|(_, all)| all.contains(&class)).map(|(name, _)| name.as_str()).collect();
        (!names.is_empty()).then(|| names.join("/"))
    }
}

fn wrong_rank(
    entry: &partita_ir::plan::Entry,
    entries: &Entries<'_>,
    program: &Program,
    value: ValueId,
    names: usize,
) -> Diagnostic {
    let (path, ty) = (entries.path(value), program.ty(value));
    let rank = ty.shape.rank();
    Diagnostic::new(Code::L009, format!("`{path}` has {rank} dimensions, and {names} are named"))
        .at(entry.text.span(), format!("`{path}` is {ty}"))
        .help("write one name for each dimension, `_` for one without a name")
}

/// A class of dimensions, for people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DimClass {
    /// Its name, if the plan gives it one.
    pub name: Option<String>,
    /// Elements along it.
    pub size: usize,
    /// The dimensions of parameters and inputs in it: path and dimension.
    pub dims: Vec<(String, usize)>,
    /// How many dimensions of other values are in it.
    pub others: usize,
}

/// The classes of a traced program that touch a parameter or input, or have a name, largest first.
///
/// # Errors
/// `L006`, `L008`, `L009` for the names of the plan.
pub fn list(program: &Program, plan: &Plan) -> Result<Vec<DimClass>, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let classes = Classes::of(program);
    let names = Names::of(plan, program, &classes, &mut errors);
    if !errors.is_empty() {
        return Err(errors);
    }
    let entries = Entries::of(program);
    let mut listed: Vec<DimClass> = Vec::new();
    for (class, members) in classes.members(program) {
        let (known, others): (Vec<_>, Vec<_>) = members.iter().partition(|(value, _)| entries.has(*value));
        let name = names.name(class);
        if name.is_some() || !known.is_empty() {
            let dims = known.iter().map(|&(value, dim)| (entries.path(value), dim)).collect();
            let size = members.first().map_or(0, |&(value, dim)| program.ty(value).shape[dim]);
            listed.push(DimClass { name, size, dims, others: others.len() });
        }
    }
    listed.sort_by_key(|c| (c.name.is_none(), std::cmp::Reverse(c.dims.len() + c.others)));
    Ok(listed)
}
