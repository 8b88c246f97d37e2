//! The largest values that a device holds at its fullest.

use super::fold::{group, pattern, title};
use partita_cost::fullest::{Fullest, Use};
use serde::Serialize;
use std::cmp::Reverse;
use std::fmt;

/// Values that a device holds at its fullest, of one type, alike but for numbers in their names. Prints as `` 2 x
/// f32[8, 64] `blocks.*.up` ``.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct LargeRow {
    /// The name, or the pattern of the names.
    pub name: String,
    /// What they are for: `weights`, `gradients`, `optimizer`, `activations`, `data`, `temporaries`.
    pub used_for: &'static str,
    /// What a device holds of one of them: `f32[8, 64]`. Empty for what a task needs while it runs.
    pub local_type: String,
    /// How many there are.
    pub count: u64,
    /// Bytes of all of them.
    pub bytes: u64,
}

impl LargeRow {
    /// The largest first.
    pub(crate) fn of(device: &Fullest) -> Vec<LargeRow> {
        let values: Vec<_> = device.values.iter().filter(|value| value.of != Use::Gaps).collect();
        let groups = group(&values, |value| (pattern(&value.name), value.of, value.ty.clone()));
        let row = |((_, of, ty), members): ((String, Use, Option<partita_ir::dtype::Type>), Vec<&&_>)| {
            let members: Vec<&partita_cost::fullest::Large> = members.into_iter().copied().collect();
            LargeRow {
                name: title(members.iter().map(|value| value.name.as_str())),
                used_for: of.name(),
                local_type: ty.map(|ty| ty.to_string()).unwrap_or_default(),
                count: members.iter().map(|value| value.count).sum(),
                bytes: members.iter().map(|value| value.bytes).sum(),
            }
        };
        let mut rows: Vec<LargeRow> = groups.into_iter().map(row).collect();
        rows.sort_by_key(|row| Reverse(row.bytes));
        rows
    }
}

impl fmt::Display for LargeRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.count > 1 {
            write!(f, "{} x ", self.count)?;
        }
        if self.local_type.is_empty() {
            f.write_str(&self.name)
        } else {
            write!(f, "{} `{}`", self.local_type, self.name)
        }
    }
}
