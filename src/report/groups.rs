//! Groups of parameters and of collectives that are equal except for numbers in their names, such as those of the
//! layers of a model.

use super::fold::{family, group, pattern, title};
use super::{CollectiveRow, ParamRow};

/// Parameters and inputs of one element type, shape, layout and list of stages, all frozen or none, or the optimizer
/// state of one kind.
pub(crate) struct ParamGroup<'r> {
    /// Name of the only member, or a pattern: `blocks.*.up.weight`, `optimizer.m.**`.
    pub(crate) title: String,
    /// True for optimizer state, whose members may have different shapes and layouts.
    pub(crate) is_family: bool,
    /// Members in the model's order, at least one.
    pub(crate) members: Vec<&'r ParamRow>,
}

impl ParamGroup<'_> {
    /// Bytes of the shards of all members on one device.
    pub(crate) fn local_bytes(&self) -> u64 {
        self.members.iter().map(|param| param.local_bytes).fold(0, u64::saturating_add)
    }

    /// Number of members that are sharded.
    pub(crate) fn sharded(&self) -> usize {
        let is_axis = |axis: &str| !matches!(axis.trim(), "" | "_");
        self.members.iter().filter(|param| param.layout.split([',', '+']).any(is_axis)).count()
    }
}

/// Groups parameters and inputs. Without folding, each is a group of its own.
pub(crate) fn param_groups(rows: &[ParamRow], is_folded: bool) -> Vec<ParamGroup<'_>> {
    let is_family = |name: &str| name.ends_with(".**");
    let key = |p: &ParamRow| match family(&p.name) {
        _ if !is_folded => (p.name.clone(), p.stages.clone(), p.dtype.clone(), p.shape.clone(), p.layout.clone()),
        // Optimizer state has as many entries as parameters: one group for each kind of state.
        family if is_family(&family) => (family, p.stages.clone(), p.dtype.clone(), Vec::new(), String::new()),
        _ => (pattern(&p.name), p.stages.clone(), p.dtype.clone(), p.shape.clone(), p.layout.clone()),
    };
    let key = |p: &ParamRow| (key(p), p.frozen);
    let groups = group(rows, key).into_iter().map(|(((name, ..), _), members)| {
        let is_family = is_family(&name);
        let title = if is_family { name } else { title(members.iter().map(|param| param.name.as_str())) };
        ParamGroup { title, is_family, members }
    });
    groups.collect()
}

/// Collectives of one kind, stage, size and list of axes that ops of the same kind require.
pub(crate) struct CollectiveGroup<'r> {
    /// Kind of the op that requires the collectives, or its name without folding: `dot_general`.
    pub(crate) op: String,
    /// Members in program order, at least one, each with its number in the report, counted from 1.
    pub(crate) members: Vec<(usize, &'r CollectiveRow)>,
}

impl CollectiveGroup<'_> {
    /// Number of runs of all members.
    pub(crate) fn runs(&self) -> u64 {
        self.members.iter().map(|(_, row)| row.count).fold(0, u64::saturating_add)
    }

    /// Seconds of all runs with the cheapest algorithm on the machine. 0 without a machine.
    pub(crate) fn seconds(&self) -> f64 {
        let seconds = |row: &CollectiveRow| row.cheapest.as_ref().map(|one| one.seconds * row.count as f64);
        self.members.iter().filter_map(|(_, row)| seconds(row)).sum()
    }
}

/// Groups collectives. Without folding, each is a group of its own.
pub(crate) fn collective_groups(rows: &[CollectiveRow], is_folded: bool) -> Vec<CollectiveGroup<'_>> {
    let numbered: Vec<(usize, &CollectiveRow)> = (1..).zip(rows).collect();
    let key = |(number, row): &(usize, &CollectiveRow)| {
        let kind = row.op.split(' ').next().unwrap_or("").to_string();
        let place = if is_folded { (kind, 0) } else { (row.op.clone(), *number) };
        (place, row.kind, row.stage, row.axes.clone(), row.payload_bytes)
    };
    let groups = group(&numbered, key).into_iter();
    groups
        .map(|(((op, _), ..), members)| CollectiveGroup { op, members: members.into_iter().copied().collect() })
        .collect()
}
