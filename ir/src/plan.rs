//! The decisions of a user: the mesh, names of dimensions and rules for them, layouts by path.
//!
//! [`Plan`] is plain data with three faces: its builder methods, a TOML file ([`Plan::from_toml`], [`Plan::to_toml`])
//! and flags of the command line ([`Plan::read_flag`]). All three follow from the table of its keys, [`KEYS`]. The
//! annotations of a model are a plan, too ([`Plan::of_annotations`]). A plan holds what was written as it was written -
//! axes and dimensions are names here and ids everywhere else - each text with its place ([`Written`]), so that whoever
//! applies the plan can point at it. [`text`] reads the little languages of layouts, rules and names, and [`path`]
//! matches paths.
//!
//! ```
//! use partita_ir::plan::{Mesh, Plan};
//! # fn main() -> Result<(), partita_ir::diag::Diagnostic> {
//! let plan = Plan::new(Mesh::new([("data", 2), ("model", 4)])?)
//!     .name("input.0", "batch, embed")
//!     .name("up.weight", "_, hidden")
//!     .rules("batch:data; hidden:model")
//!     .shard("down.bias", "_");
//! assert!(plan.to_toml().contains("batch:data; hidden:model"));
//! # Ok(()) }
//! ```

mod annotations;
mod flags;
pub mod in_toml;
mod keys;
pub mod path;
pub mod pipeline;
pub mod text;
mod toml;
pub mod train;
mod written;

pub use annotations::layout_text;
pub use keys::{Flag, KEYS, Plan, PlanKey, PlanValue};
pub use written::{Place, Written};

use crate::diag::{Code, Diagnostic};
use crate::mesh::{Axis, check_axes};
use crate::units::read_bytes;

/// A mesh as a plan declares it.
#[derive(Clone, Debug)]
pub struct Mesh {
    /// Names and sizes of the axes, major to minor.
    pub axes: Vec<Axis>,
    /// The devices in row-major order of their coordinates; `None` for `0..n`.
    pub devices: Option<Vec<u32>>,
    /// Where it was declared.
    pub place: Written,
}

impl PartialEq for Mesh {
    /// Equality of what is declared, wherever that was.
    fn eq(&self, other: &Mesh) -> bool {
        self.axes == other.axes && self.devices == other.devices
    }
}

impl Mesh {
    /// A mesh of those axes over devices `0..n`.
    ///
    /// # Errors
    /// `L007` when there is no axis, a size is 0, a name occurs twice, or there are too many devices.
    #[track_caller]
    pub fn new<S: Into<String>>(axes: impl IntoIterator<Item = (S, u32)>) -> Result<Mesh, Diagnostic> {
        let axes: Vec<Axis> = axes.into_iter().map(|(name, size)| Axis { name: name.into().into(), size }).collect();
        let place = Written::here(list_axes(&axes));
        Mesh::checked(axes, place)
    }

    /// The same mesh over other devices.
    ///
    /// # Errors
    /// `L007` when there are not as many as the axes need, or one occurs twice.
    pub fn over(mut self, devices: Vec<u32>) -> Result<Mesh, Diagnostic> {
        let needed: u64 = self.axes.iter().map(|a| u64::from(a.size)).product();
        let bad = |what: String| {
            Diagnostic::new(Code::L007, what).at(self.place.span(), format!("its axes are {}", self.list_axes()))
        };
        if devices.len() as u64 != needed {
            return Err(bad(format!("the mesh has {needed} positions, but {} devices are listed", devices.len())));
        }
        let mut sorted = devices.clone();
        sorted.sort_unstable();
        if let Some(twice) = sorted.windows(2).find(|w| w[0] == w[1]) {
            return Err(bad(format!("device {} has two positions in the mesh", twice[0])));
        }
        self.devices = Some(devices);
        Ok(self)
    }

    /// A mesh that was declared at that place.
    fn checked(axes: Vec<Axis>, place: Written) -> Result<Mesh, Diagnostic> {
        match check_axes(&axes) {
            Ok(()) => Ok(Mesh { axes, devices: None, place }),
            Err(what) => Err(Diagnostic::new(Code::L007, what)
                .at(place.span(), "the mesh")
                .help("a mesh is one or more axes with a size each: `data=2,model=4`")),
        }
    }

    /// The axes in words: `` `data` (2) and `model` (4) ``.
    pub fn list_axes(&self) -> String {
        let axes: Vec<String> = self.axes.iter().map(|a| format!("`{}` ({})", a.name, a.size)).collect();
        match &axes[..] {
            [all @ .., last] if !all.is_empty() => format!("{} and {last}", all.join(", ")),
            _ => axes.concat(),
        }
    }
}

/// `data=2,model=4`
fn list_axes(axes: &[Axis]) -> String {
    axes.iter().map(|a| format!("{}={}", a.name, a.size)).collect::<Vec<_>>().join(",")
}

/// One line of a plan: something said about all values that a path matches.
#[derive(Clone, PartialEq, Debug)]
pub struct Entry {
    /// Which values: see [`path`].
    pub path: Written,
    /// What about them.
    pub text: Written,
}

impl Plan {
    /// A plan that only has a mesh.
    pub fn new(mesh: Mesh) -> Plan {
        Plan { mesh: Some(mesh), ..Plan::default() }
    }

    /// The bytes that a device may need at most, if that is said.
    ///
    /// # Errors
    /// `L017` for what is no amount of memory.
    pub fn budget_bytes(&self) -> Result<Option<u64>, Diagnostic> {
        let Some(written) = &self.budget else { return Ok(None) };
        let bytes = read_bytes(written.text.trim()).map(Some);
        bytes.ok_or_else(|| {
            let title = format!("`{}` is no amount of memory", written.text.trim());
            Diagnostic::new(Code::L017, title).at(written.span(), "").help("say it in bytes or with a unit: `80GiB`")
        })
    }

    /// This plan with another one behind it, whose entries are later and whose mesh wins.
    pub fn then(mut self, mut later: Plan) -> Plan {
        KEYS.iter().for_each(|key| key.merge(&mut self, &mut later));
        self
    }
}

/// Appends an entry; an earlier one with the same path is dropped.
fn replace_or_push(entries: &mut Vec<Entry>, entry: Entry) {
    entries.retain(|e| e.path != entry.path);
    entries.push(entry);
}
