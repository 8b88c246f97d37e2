//! Plans: the user's decisions on the mesh, on layouts, training, and pipelines.
//!
//! [`Plan`] is plain data with three equivalent notations: builder methods, a TOML file ([`Plan::from_toml`],
//! [`Plan::to_toml`]), and command-line flags ([`Plan::read_flag`]). All three are derived from the table of keys,
//! [`KEYS`]. The annotations of a model are converted to a plan as well ([`Plan::from_annotations`]). A plan stores the
//! text of each value together with its source location ([`SourceText`]), for error messages. Axes and dimensions are
//! referred to by name; they are resolved when the plan is applied. [`text`] parses layouts, rules and dimension names,
//! and [`path`] matches paths.
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
mod keys;
pub mod path;
pub mod pipeline;
pub mod text;
mod toml;
pub mod toml_spans;
pub mod train;

pub use annotations::{layout_text, stated_layouts, stated_names};
pub use keys::{Flag, KEYS, Plan, PlanKey, PlanValue};

pub use crate::source_text::{SourceText, TextLocation};

use crate::diag::{Code, Diagnostic};
use crate::mesh::{Axis, check_axes};
use crate::units::parse_bytes;

/// Mesh as declared in a plan.
#[derive(Clone, Debug)]
pub struct Mesh {
    /// Names and sizes of the axes, major to minor.
    pub axes: Vec<Axis>,
    /// The devices in row-major order of their coordinates; `None` for `0..n`.
    pub devices: Option<Vec<u32>>,
    /// Source location of the declaration.
    pub place: SourceText,
}

impl PartialEq for Mesh {
    /// Compares axes and devices, and ignores the source location.
    fn eq(&self, other: &Mesh) -> bool {
        self.axes == other.axes && self.devices == other.devices
    }
}

impl Mesh {
    /// Creates a mesh over devices `0..n`.
    ///
    /// # Errors
    /// `L007` if there are no axes, a size is 0, a name occurs twice, or the mesh has too many axes or devices.
    #[track_caller]
    pub fn new<S: Into<String>>(axes: impl IntoIterator<Item = (S, u32)>) -> Result<Mesh, Diagnostic> {
        let axes: Vec<Axis> = axes.into_iter().map(|(name, size)| Axis { name: name.into().into(), size }).collect();
        let place = SourceText::at_caller(list_axes(&axes));
        Mesh::from_axes(axes, place)
    }

    /// Returns the mesh with other devices.
    ///
    /// # Errors
    /// `L007` if the number of devices differs from the size of the mesh, or a device occurs twice.
    pub fn with_devices(mut self, devices: Vec<u32>) -> Result<Mesh, Diagnostic> {
        let needed: u64 = self.axes.iter().map(|a| u64::from(a.size)).product();
        let bad = |what: String| {
            Diagnostic::new(Code::L007, what).label(self.place.span(), format!("its axes are {}", self.list_axes()))
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

    /// Creates a mesh that was declared at `place`.
    fn from_axes(axes: Vec<Axis>, place: SourceText) -> Result<Mesh, Diagnostic> {
        match check_axes(&axes) {
            Ok(()) => Ok(Mesh { axes, devices: None, place }),
            Err(what) => Err(Diagnostic::new(Code::L007, what)
                .label(place.span(), "the mesh")
                .help("a mesh is one or more axes with a size each: `data=2,model=4`")),
        }
    }

    /// Describes the axes in words: `` `data` (2) and `model` (4) ``.
    pub fn list_axes(&self) -> String {
        let axes: Vec<String> = self.axes.iter().map(|a| format!("`{}` ({})", a.name, a.size)).collect();
        match &axes[..] {
            [all @ .., last] if !all.is_empty() => format!("{} and {last}", all.join(", ")),
            _ => axes.concat(),
        }
    }
}

/// Formats axes as in a flag: `data=2,model=4`.
fn list_axes(axes: &[Axis]) -> String {
    axes.iter().map(|a| format!("{}={}", a.name, a.size)).collect::<Vec<_>>().join(",")
}

/// Setting for the values that a path matches.
#[derive(Clone, PartialEq, Debug)]
pub struct PlanEntry {
    /// Path or glob: see [`path`].
    pub path: SourceText,
    /// Value of the setting.
    pub text: SourceText,
}

impl Plan {
    /// Creates a plan with a mesh and no other settings.
    pub fn new(mesh: Mesh) -> Plan {
        Plan { mesh: Some(mesh), ..Plan::default() }
    }

    /// Returns the memory limit per device in bytes, if the plan has one.
    ///
    /// # Errors
    /// `L017` if the value of `budget` is not an amount of memory.
    pub fn budget_bytes(&self) -> Result<Option<u64>, Diagnostic> {
        let Some(written) = &self.budget else { return Ok(None) };
        let bytes = parse_bytes(written.text.trim()).map(Some);
        bytes.ok_or_else(|| {
            let title = format!("`{}` is not an amount of memory", written.text.trim());
            Diagnostic::new(Code::L017, title)
                .label(written.span(), "")
                .help("write it in bytes or with a unit: `80GiB`")
        })
    }

    /// Returns the bytes of the gradients that are reduced together, if the plan specifies it; `None` reduces each
    /// gradient separately.
    ///
    /// # Errors
    /// `D008` if the value of `bucket` is neither an amount of memory nor `none`.
    pub fn bucket_bytes(&self) -> Result<Option<u64>, Diagnostic> {
        let Some(written) = self.bucket.as_ref().filter(|written| written.text.trim() != "none") else {
            return Ok(None);
        };
        let bytes = parse_bytes(written.text.trim()).map(Some);
        bytes.ok_or_else(|| {
            Diagnostic::new(Code::D008, format!("`{}` is not a bucket size", written.text))
                .label(written.span(), "expected the number of bytes to reduce together")
                .help("write a size such as `25MiB`, or `none`")
        })
    }

    /// Merges a later plan into this one: entries are appended, and other values of the later plan take precedence.
    pub fn then(mut self, mut later: Plan) -> Plan {
        KEYS.iter().for_each(|key| key.merge(&mut self, &mut later));
        self
    }
}

/// Appends an entry and removes an earlier one with the same path.
fn replace_or_push(entries: &mut Vec<PlanEntry>, entry: PlanEntry) {
    entries.retain(|e| e.path != entry.path);
    entries.push(entry);
}
