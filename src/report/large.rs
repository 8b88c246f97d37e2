//! Largest values of a device at its peak.

use super::fold::{group, pattern, title};
use partita_cost::peak_breakdown::{PeakBreakdown, Purpose};
use serde::Serialize;
use std::cmp::Reverse;
use std::fmt;

/// Values of a device at its peak, of one type, whose names differ only in numbers. Prints as `` 2 x f32[8, 64]
/// `blocks.*.up` ``.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct LargeValueRow {
    /// Name, or pattern of the names.
    pub name: String,
    /// Purpose: `weights`, `gradients`, `optimizer`, `activations`, `data`, `temporaries`.
    pub used_for: &'static str,
    /// Local type of one value: `f32[8, 64]`. Empty for temporaries of a task.
    pub local_type: String,
    /// Number of values.
    pub count: u64,
    /// Bytes of all values.
    pub bytes: u64,
}

impl LargeValueRow {
    /// Groups the values of a device at its peak, in descending order of bytes.
    pub(crate) fn from_peak(device: &PeakBreakdown) -> Vec<LargeValueRow> {
        let values: Vec<_> = device.values.iter().filter(|value| value.purpose != Purpose::Gaps).collect();
        let groups = group(&values, |value| (pattern(&value.name), value.purpose, value.ty.clone()));
        let row = |((_, of, ty), members): ((String, Purpose, Option<partita_ir::dtype::Type>), Vec<&&_>)| {
            let members: Vec<&partita_cost::peak_breakdown::PeakValue> = members.into_iter().copied().collect();
            LargeValueRow {
                name: title(members.iter().map(|value| value.name.as_str())),
                used_for: of.name(),
                local_type: ty.map(|ty| ty.to_string()).unwrap_or_default(),
                count: members.iter().map(|value| value.count).sum(),
                bytes: members.iter().map(|value| value.bytes).sum(),
            }
        };
        let mut rows: Vec<LargeValueRow> = groups.into_iter().map(row).collect();
        rows.sort_by_key(|row| Reverse(row.bytes));
        rows
    }
}

impl fmt::Display for LargeValueRow {
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
