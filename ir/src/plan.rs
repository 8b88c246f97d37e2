//! What the user decided: the mesh, names of dimensions and rules for them, layouts by path.
//!
//! [`Plan`] is plain data with three faces: the builder below, a TOML file ([`Plan::from_toml`], [`Plan::to_toml`]) and
//! flags of the command line ([`Plan::mesh_flag`] and its neighbours). The annotations of a model are one, too
//! ([`Plan::of_annotations`]). It holds what was written as it was written - axes and dimensions are names here and ids
//! everywhere else - each text with its place ([`Written`]), so that whoever applies the plan can point at it. [`text`]
//! reads the little languages of layouts, rules and names, and [`path`] matches paths.
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
pub mod path;
pub mod pipeline;
pub mod text;
mod toml;
pub mod train;
mod written;

pub use self::toml::KEYS;
pub use annotations::layout_text;
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

/// What the user decided.
///
/// Where several entries speak of one value the most specific path wins (an exact one over a glob, a glob with more
/// letters over one with fewer), then the later entry; a layout by path wins over rules. An entry replaces an earlier
/// one with the same path.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Plan {
    /// The mesh; `None` for that of the model.
    pub mesh: Option<Mesh>,
    /// The meshes of stages of a pipeline, where they differ: axes of the same names, of other sizes.
    pub stage_meshes: Vec<Mesh>,
    /// Names of dimensions, by path: `batch, _, embed`.
    pub names: Vec<Entry>,
    /// What splits named dimensions: `batch:data; hidden:model`.
    pub rules: Vec<Written>,
    /// Layouts, by path: `_, model`.
    pub shards: Vec<Entry>,
    /// Paths whose layouts may contradict others: they are resharded where they meet.
    pub allow_reshard: Vec<Written>,
    /// Names of dimensions, or paths, that may not be padded: to split them unevenly is an error.
    pub no_padding: Vec<Written>,
    /// Layouts that are known by a name, `megatron`; one text may name several, `megatron, zero1`. They are weaker than
    /// everything else: what the plan lays out itself they leave alone.
    pub presets: Vec<Written>,
    /// How values are kept where they are not used, by path: `data, _`. Before it is used such a value is brought into
    /// the layout that `shards` gives it (whole where they do not), and given up behind that.
    pub stores: Vec<Entry>,
    /// Paths of stored values whose copy in the layout of use is held until its last use; of others the backward pass
    /// makes one of its own.
    pub hold: Vec<Written>,
    /// How to train: see [`train`]. `None` leaves the model as it is.
    pub train: Option<Written>,
    /// Paths of parameters that are not trained.
    pub freeze: Vec<Written>,
    /// Paths of the only parameters that are trained; all when there are none.
    pub train_only: Vec<Written>,
    /// Element types that parts of the model compute in, by path.
    pub precision: Vec<Entry>,
    /// What of the forward pass is computed again in the backward pass instead of being kept, by path.
    pub remat: Vec<Entry>,
    /// How many bytes of gradients are reduced together, `25MiB`, or `none`. `None` is left to presets.
    pub bucket: Option<Written>,
    /// The stages of a pipeline, each on a mesh of its own: how many, or which parameters they have; see [`pipeline`].
    pub pipeline: Option<Written>,
    /// In which order stages work.
    pub schedule: Option<Written>,
    /// In how many parts the batch goes through a pipeline.
    pub micro_batches: Option<Written>,
    /// How many pipelines stand beside each other and share the micro-batches.
    pub replicas: Option<Written>,
    /// How the mesh lies on a machine: its axes from the one across nodes to the one within; left to what they carry if
    /// `None`.
    pub map: Option<Written>,
    /// The most memory that a device may need: `80GiB`.
    pub budget: Option<Written>,
}

impl Plan {
    /// A plan that only has a mesh.
    pub fn new(mesh: Mesh) -> Plan {
        Plan { mesh: Some(mesh), ..Plan::default() }
    }

    /// Names the dimensions of the values that `path` matches, `_` for one without a name: `.name("up.weight", "_,
    /// hidden")`. Names spread through the model to every dimension that must be split alike.
    #[track_caller]
    pub fn name(mut self, path: impl Into<String>, names: impl Into<String>) -> Plan {
        self.add_name(Entry { path: Written::here(path), text: Written::here(names) });
        self
    }

    /// Says what splits named dimensions: `.rules("batch:data; hidden:model")`.
    #[track_caller]
    pub fn rules(mut self, rules: impl Into<String>) -> Plan {
        self.rules.push(Written::here(rules));
        self
    }

    /// Lays out the values that `path` matches, one entry a dimension: `.shard("up.weight", "_, model")`.
    #[track_caller]
    pub fn shard(mut self, path: impl Into<String>, layout: impl Into<String>) -> Plan {
        self.add_shard(Entry { path: Written::here(path), text: Written::here(layout) });
        self
    }

    /// Accepts that the layouts of these values contradict others, and that they are resharded where they meet.
    #[track_caller]
    pub fn allow_reshard(mut self, path: impl Into<String>) -> Plan {
        self.allow_reshard.push(Written::here(path));
        self
    }

    /// Makes it an error to split the dimension of that name, or any of the values that a path matches, unevenly.
    /// Elsewhere the last pieces are padded.
    #[track_caller]
    pub fn no_padding(mut self, dim_or_path: impl Into<String>) -> Plan {
        self.no_padding.push(Written::here(dim_or_path));
        self
    }

    /// Adds a layout that is known by a name: `.preset("megatron")`, or several, `.preset("megatron, zero1")`. The
    /// names are looked up when the plan is applied.
    #[track_caller]
    pub fn preset(mut self, names: impl Into<String>) -> Plan {
        self.presets.push(Written::here(names));
        self
    }

    /// Says how the values that `path` matches are kept where they are not used: `.store("up.weight", "data, _")`.
    #[track_caller]
    pub fn store(mut self, path: impl Into<String>, layout: impl Into<String>) -> Plan {
        self.add_store(Entry { path: Written::here(path), text: Written::here(layout) });
        self
    }

    /// Holds the copy of a stored value from its first use to its last, instead of making it again for the backward
    /// pass.
    #[track_caller]
    pub fn hold(mut self, path: impl Into<String>) -> Plan {
        self.hold.push(Written::here(path));
        self
    }

    /// Makes the training step of the model: `.train("adamw?lr=1e-3")`. See [`train`].
    #[track_caller]
    pub fn train(mut self, how: impl Into<String>) -> Plan {
        self.train = Some(Written::here(how));
        self
    }

    /// Leaves the parameters that the path matches as they are: no gradient, no optimizer state.
    #[track_caller]
    pub fn freeze(mut self, path: impl Into<String>) -> Plan {
        self.freeze.push(Written::here(path));
        self
    }

    /// Trains only the parameters that this or another such path matches.
    #[track_caller]
    pub fn train_only(mut self, path: impl Into<String>) -> Plan {
        self.train_only.push(Written::here(path));
        self
    }

    /// Computes what belongs to the parameters that the path matches in another element type: `.precision("**",
    /// "bf16")`.
    #[track_caller]
    pub fn precision(mut self, path: impl Into<String>, dtype: impl Into<String>) -> Plan {
        replace_or_push(&mut self.precision, Entry { path: Written::here(path), text: Written::here(dtype) });
        self
    }

    /// Computes parts of the forward pass again instead of keeping them: `.remat("blocks.**", "full")`.
    #[track_caller]
    pub fn remat(mut self, path: impl Into<String>, how: impl Into<String>) -> Plan {
        replace_or_push(&mut self.remat, Entry { path: Written::here(path), text: Written::here(how) });
        self
    }

    /// Reduces gradients together, in buckets of so many bytes: `.bucket("25MiB")`; `none` reduces each alone.
    #[track_caller]
    pub fn bucket(mut self, size: impl Into<String>) -> Plan {
        self.bucket = Some(Written::here(size));
        self
    }

    /// Cuts the model into stages of a pipeline, on a mesh each: `.pipeline("4")`. See [`pipeline`].
    #[track_caller]
    pub fn pipeline(mut self, stages: impl Into<String>) -> Plan {
        self.pipeline = Some(Written::here(stages));
        self
    }

    /// Says in which order stages work: `.schedule("1f1b")`.
    #[track_caller]
    pub fn schedule(mut self, kind: impl Into<String>) -> Plan {
        self.schedule = Some(Written::here(kind));
        self
    }

    /// Says in how many parts the batch goes through a pipeline: `.micro_batches("16")`.
    #[track_caller]
    pub fn micro_batches(mut self, count: impl Into<String>) -> Plan {
        self.micro_batches = Some(Written::here(count));
        self
    }

    /// Puts so many pipelines beside each other, which share the micro-batches: `.replicas("2")`.
    #[track_caller]
    pub fn replicas(mut self, count: impl Into<String>) -> Plan {
        self.replicas = Some(Written::here(count));
        self
    }

    /// Says how the mesh lies on a machine, from the axis across nodes to the one within: `.map("data, model")`.
    #[track_caller]
    pub fn map(mut self, axes: impl Into<String>) -> Plan {
        self.map = Some(Written::here(axes));
        self
    }

    /// Refuses the plan if a device needs more memory than that: `.budget("80GiB")`.
    #[track_caller]
    pub fn budget(mut self, bytes: impl Into<String>) -> Plan {
        self.budget = Some(Written::here(bytes));
        self
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
    pub fn then(mut self, later: Plan) -> Plan {
        if later.mesh.is_some() {
            (self.mesh, self.stage_meshes) = (later.mesh, later.stage_meshes);
        }
        later.names.into_iter().for_each(|e| self.add_name(e));
        later.shards.into_iter().for_each(|e| self.add_shard(e));
        self.rules.extend(later.rules);
        self.allow_reshard.extend(later.allow_reshard);
        self.no_padding.extend(later.no_padding);
        self.presets.extend(later.presets);
        later.stores.into_iter().for_each(|e| self.add_store(e));
        self.hold.extend(later.hold);
        self.train = later.train.or(self.train);
        self.freeze.extend(later.freeze);
        self.train_only.extend(later.train_only);
        later.precision.into_iter().for_each(|e| replace_or_push(&mut self.precision, e));
        later.remat.into_iter().for_each(|e| replace_or_push(&mut self.remat, e));
        self.bucket = later.bucket.or(self.bucket);
        self.pipeline = later.pipeline.or(self.pipeline);
        self.schedule = later.schedule.or(self.schedule);
        self.micro_batches = later.micro_batches.or(self.micro_batches);
        self.replicas = later.replicas.or(self.replicas);
        self.map = later.map.or(self.map);
        self.budget = later.budget.or(self.budget);
        self
    }

    fn add_name(&mut self, entry: Entry) {
        replace_or_push(&mut self.names, entry);
    }

    fn add_shard(&mut self, entry: Entry) {
        replace_or_push(&mut self.shards, entry);
    }

    fn add_store(&mut self, entry: Entry) {
        replace_or_push(&mut self.stores, entry);
    }
}

/// Appends an entry; an earlier one with the same path is dropped.
fn replace_or_push(entries: &mut Vec<Entry>, entry: Entry) {
    entries.retain(|e| e.path != entry.path);
    entries.push(entry);
}
