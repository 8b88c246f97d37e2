//! Meshes and shardings of Shardy; see its [sharding
//! representation](https://github.com/openxla/shardy/blob/main/docs/sharding_representation.md).

use super::parse::Parser;
use crate::fault::{Fault, Result};
use partita_ir::layout::Monoid;
use std::ops::Range;

/// Start of a mesh that is written in a sharding.
pub const INLINE_MESH: &str = "mesh<";

/// Declaration `sdy.mesh @name = <["axis"=size, ..], device_ids=[..]>`.
#[derive(Clone, Debug)]
pub struct MeshDef<'a> {
    /// Name without `@`.
    pub name: &'a str,
    /// Names and sizes of the axes, major to minor.
    pub axes: Vec<(&'a str, i64)>,
    /// Devices, unless they are `0..n`.
    pub devices: Option<Vec<i64>>,
    /// Location as a byte range.
    pub at: Range<usize>,
}

/// A sharding `<@mesh, [{"axis"}, {?}], replicated={..}, unreduced={..}>`.
#[derive(Clone, Debug)]
pub struct Sharding<'a> {
    /// Name of the mesh without `@`.
    pub mesh: &'a str,
    /// Sharding of each dimension.
    pub dims: Vec<DimSharding<'a>>,
    /// Axes over which the tensor is explicitly replicated.
    pub replicated: Vec<AxisName<'a>>,
    /// Axes over which the tensor is partial.
    pub unreduced: Vec<AxisName<'a>>,
    /// Reduction over `unreduced`.
    pub reduction: Monoid,
    /// Location as a byte range.
    pub at: Range<usize>,
}

/// Sharding of one dimension.
#[derive(Clone, Debug)]
pub struct DimSharding<'a> {
    /// Axes, major to minor.
    pub axes: Vec<AxisName<'a>>,
    /// True if propagation may add axes.
    pub open: bool,
    /// Priority; 0 if unspecified.
    pub priority: i64,
}

/// An axis of a mesh, or a sub-axis: `"a"`, `"a":(2)4`.
#[derive(Clone, Debug)]
pub struct AxisName<'a> {
    /// Name of the axis.
    pub name: &'a str,
    /// Pre-size (product of the sizes of the major factors) and size of a sub-axis.
    pub factor: Option<(i64, i64)>,
    /// Location as a byte range.
    pub at: Range<usize>,
}

impl<'a> Sharding<'a> {
    /// Creates a sharding of the first dimension over some axes. Propagation may shard the other dimensions.
    pub fn of_first_dim(mesh: &'a str, axes: impl Iterator<Item = &'a str>, rank: usize, at: Range<usize>) -> Self {
        let axes: Vec<AxisName<'a>> = axes.map(|name| AxisName { name, factor: None, at: at.clone() }).collect();
        let first = DimSharding { axes, open: false, priority: 0 };
        let others = std::iter::repeat_n(DimSharding { axes: Vec::new(), open: true, priority: 0 }, rank - 1);
        let dims = std::iter::once(first).chain(others).collect();
        Sharding { mesh, dims, replicated: Vec::new(), unreduced: Vec::new(), reduction: Monoid::Sum, at }
    }
}

impl<'a> Parser<'a> {
    /// Parses `["axis"=size, ..], device_ids=[..]`, the body of a mesh.
    pub fn mesh_body(&mut self, name: &'a str, at: Range<usize>) -> Result<MeshDef<'a>> {
        self.cursor.expect(b'[', "before the axes of the mesh")?;
        let mut axes = Vec::new();
        while !self.cursor.eat(b']') {
            let axis = self.cursor.string("the name of an axis")?;
            self.cursor.expect(b'=', "and the size of the axis")?;
            axes.push((axis, self.cursor.integer("the size of the axis")?));
            if !self.cursor.eat(b',') && self.cursor.peek() != b']' {
                return Err(self.cursor.unexpected("`,` or `]` in the axes of a mesh"));
            }
        }
        let mut devices = None;
        if self.cursor.eat(b',') {
            self.cursor.expect_word("device_ids")?;
            self.cursor.expect(b'=', "and the devices")?;
            let start = self.cursor.offset();
            let list = self.value()?.as_ints();
            let list = list.ok_or_else(|| Fault::malformed("the devices of a mesh are integers", start..start + 1))?;
            devices = Some(list.to_vec());
        }
        Ok(MeshDef { name, axes, devices, at })
    }

    /// Parses `<@mesh, [..]>`. The cursor must be at the angle bracket.
    pub fn sharding(&mut self) -> Result<Sharding<'a>> {
        let start = self.cursor.offset();
        self.cursor.expect(b'<', "before the sharding")?;
        let mesh = match self.cursor.rest().starts_with(INLINE_MESH) {
            true => self.inline_mesh()?,
            false => self.cursor.symbol("the mesh, `@name`")?,
        };
        self.cursor.expect(b',', "and the shardings of the dimensions")?;
        self.cursor.expect(b'[', "before the shardings of the dimensions")?;
        let mut dims = Vec::new();
        while !self.cursor.eat(b']') {
            dims.push(self.dim_sharding()?);
            if !self.cursor.eat(b',') && self.cursor.peek() != b']' {
                return Err(self.cursor.unexpected("`,` or `]` in a sharding"));
            }
        }
        let (mut replicated, mut unreduced, mut reduction) = (Vec::new(), Vec::new(), Monoid::Sum);
        while self.cursor.eat(b',') {
            let axes = if self.cursor.eat_word("replicated") {
                &mut replicated
            } else if self.cursor.eat_word("unreduced") {
                &mut unreduced
            } else {
                return Err(self.cursor.unexpected("`replicated` or `unreduced`"));
            };
            self.cursor.expect(b'=', "and a list of axes")?;
            for monoid in [Monoid::Sum, Monoid::Max, Monoid::Min] {
                if self.cursor.eat_word(monoid.name()) {
                    reduction = monoid;
                }
            }
            self.cursor.expect(b'{', "before the axes")?;
            while !self.cursor.eat(b'}') {
                axes.push(self.axis_name()?);
                self.comma_or_brace()?;
            }
        }
        let end = self.cursor.offset() + 1;
        self.cursor.expect(b'>', "after the sharding")?;
        Ok(Sharding { mesh, dims, replicated, unreduced, reduction, at: start..end })
    }

    /// Parses `mesh<["axis"=size, ..]>`, and returns its text, which is the name of the mesh.
    fn inline_mesh(&mut self) -> Result<&'a str> {
        let start = self.cursor.offset();
        self.cursor.expect_word("mesh")?;
        self.cursor.expect(b'<', "before the axes of the mesh")?;
        let def = self.mesh_body("", start..start + "mesh".len())?;
        self.cursor.expect(b'>', "after the mesh")?;
        let name = self.cursor.text_since(start);
        if !self.inline_meshes.iter().any(|mesh| mesh.name == name) {
            self.inline_meshes.push(MeshDef { name, ..def });
        }
        Ok(name)
    }

    /// Parses `<[<..>, <..>]>`: one sharding per result.
    pub fn shardings(&mut self) -> Result<Vec<Sharding<'a>>> {
        self.cursor.expect(b'<', "before the shardings")?;
        self.cursor.expect(b'[', "before the shardings")?;
        let mut all = Vec::new();
        while !self.cursor.eat(b']') {
            all.push(self.sharding()?);
            if !self.cursor.eat(b',') && self.cursor.peek() != b']' {
                return Err(self.cursor.unexpected("`,` or `]` in a list of shardings"));
            }
        }
        self.cursor.expect(b'>', "after the shardings")?;
        Ok(all)
    }

    /// Parses `{"a", "b", ?}p1`.
    fn dim_sharding(&mut self) -> Result<DimSharding<'a>> {
        self.cursor.expect(b'{', "before the axes of a dimension")?;
        let mut dim = DimSharding { axes: Vec::new(), open: false, priority: 0 };
        while !self.cursor.eat(b'}') {
            if self.cursor.eat(b'?') {
                dim.open = true;
            } else {
                dim.axes.push(self.axis_name()?);
            }
            self.comma_or_brace()?;
        }
        if self.cursor.peek() == b'p' {
            let start = self.cursor.offset();
            let word = self.cursor.word();
            let priority = word.strip_prefix('p').and_then(|digits| digits.parse().ok());
            dim.priority = priority.ok_or_else(|| {
                Fault::malformed(format!("`{word}` is not a priority such as `p1`"), start..start + word.len())
            })?;
        }
        Ok(dim)
    }

    fn comma_or_brace(&mut self) -> Result<()> {
        if self.cursor.eat(b',') || self.cursor.peek() == b'}' {
            return Ok(());
        }
        Err(self.cursor.unexpected("`,` or `}` in a sharding"))
    }

    /// Parses `"a"` or `"a":(2)4`.
    fn axis_name(&mut self) -> Result<AxisName<'a>> {
        let start = self.cursor.offset();
        let name = self.cursor.string("an axis in quotes")?;
        let mut factor = None;
        if self.cursor.eat(b':') {
            self.cursor.expect(b'(', "before the pre-size of a sub-axis")?;
            let pre = self.cursor.integer("the pre-size of the sub-axis")?;
            self.cursor.expect(b')', "and the size of the sub-axis")?;
            factor = Some((pre, self.cursor.integer("the size of the sub-axis")?));
        }
        let end = start + self.cursor.text_since(start).len();
        Ok(AxisName { name, factor, at: start..end })
    }
}
