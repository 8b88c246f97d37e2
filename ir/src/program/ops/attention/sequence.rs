//! Placement of the sequence of an attention in a local program.

use crate::mesh::Axes;
use crate::program::ops::check;
use crate::program::{Form, Program};
use crate::syntax::attr::AttrNames;
use crate::syntax::{Attr, Cursor, lex};

/// Sharding of the rows of an attention, for the pass `lower-attention`. Empty before the program is local and after
/// that pass: then the op computes the attention of its operands.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct SequenceShard {
    /// Global number of rows.
    pub size: usize,
    /// Mesh axes that shard the rows, major to minor; empty if the rows are not sharded. The columns are sharded over
    /// the same axes if the devices exchange keys and values, and are complete otherwise.
    pub axes: Axes,
}

impl SequenceShard {
    /// Returns the sharding of the last but one dimension. `None` if it is not sharded.
    pub(crate) fn from_rows(dims: &[(usize, Axes)]) -> Option<SequenceShard> {
        let (size, axes) = dims.iter().rev().nth(1).filter(|(_, axes)| !axes.is_empty())?.clone();
        Some(SequenceShard { size, axes })
    }

    /// Checks that only a local program has a sharded sequence, over axes of its mesh.
    pub(crate) fn check(&self, program: &Program) -> Result<(), String> {
        match (self.axes.is_empty(), program.form) {
            (true, _) => Ok(()),
            (false, Form::Local) => check::valid_axes(program, &self.axes),
            (false, _) => Err("names the axes of its sequence, which only a local program may".into()),
        }
    }
}

/// Size and axes: `128 over context`.
impl Attr for SequenceShard {
    fn write(&self, out: &mut String, names: &AttrNames<'_>) {
        self.size.write(out, names);
        out.push_str(" over ");
        self.axes.write(out, names);
    }

    fn read(c: &mut Cursor<'_>, names: &AttrNames<'_>) -> lex::Result<Self> {
        let size = usize::read(c, names)?;
        match c.eat_all("over") {
            true => Ok(SequenceShard { size, axes: Axes::read(c, names)? }),
            false => Err(c.expected("`over` and the axes")),
        }
    }
}
