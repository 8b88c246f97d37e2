//! Small built-in models with a plan for each: batch and experts over `data`; heads, hidden units, channels and the
//! vocabulary over `model`. Of each pair of layers, the first is sharded by columns and the second by rows (Megatron;
//! Shoeybi et al. 2019).

use partita::{Mesh, Plan, Program};

/// Axes of a mesh.
pub type Axes = &'static [(&'static str, u32)];

/// Meshes of one axis and of two. Few sizes of the models are multiples of 3, 5 or 7, and 12 heads are not a multiple
/// of 8: shards are uneven, and some are empty. No size is smaller than its axis, since propagation skips dimensions
/// with fewer elements than shards.
pub const MESHES: [Axes; 10] = [
    &[("data", 2), ("model", 4)],
    &[("data", 8)],
    &[("model", 8)],
    &[("data", 3)],
    &[("model", 3)],
    &[("data", 5)],
    &[("model", 5)],
    &[("data", 7)],
    &[("model", 7)],
    &[("data", 2), ("model", 3)],
];

/// `data=2,model=4`
pub fn name(axes: Axes) -> String {
    axes.iter().map(|(axis, size)| format!("{axis}={size}")).collect::<Vec<_>>().join(",")
}

/// A built-in model with options, and the contents of its plan.
pub struct Model {
    /// Model specification passed to `partita`.
    pub spec: &'static str,
    /// Parameter paths with their dimension names. Names propagate: of a pair of layers, only the first needs one.
    names: &'static [(&'static str, &'static str)],
    /// Dimension names, and the axes that shard them.
    rules: &'static [(&'static str, &'static str)],
}

/// All built-in models.
pub const MODELS: [Model; 6] = [
    Model {
        spec: "zoo:mlp?layers=4&width=12&hidden=20&batch=8",
        names: &[("input.0", "batch, _"), ("layers.0.weight", "_, hidden"), ("layers.2.weight", "_, hidden")],
        rules: &[("batch", "data"), ("hidden", "model")],
    },
    Model {
        spec: "zoo:mnist-cnn?image=8&batch=8",
        names: &[("input.0", "batch, _, _, _"), ("conv1.weight", "channels, _, _, _"), ("dense1.weight", "_, hidden")],
        rules: &[("batch", "data"), ("channels", "model"), ("hidden", "model")],
    },
    Model {
        spec: "zoo:gpt?layers=2&width=48&heads=12&hidden=40&seq=6&vocab=20&batch=8",
        names: &[
            ("input.0", "batch, _"),
            ("tokens.weight", "vocab, _"),
            ("blocks.*.attention.query.weight", "_, heads"),
            ("blocks.*.feed_forward.up.weight", "_, hidden"),
        ],
        rules: TRANSFORMER,
    },
    Model {
        spec: "zoo:llama?layers=2&width=48&heads=12&kv_heads=6&hidden=40&seq=6&vocab=20&batch=8",
        names: &[
            ("input.0", "batch, _"),
            ("tokens.weight", "vocab, _"),
            ("blocks.*.attention.query.weight", "_, heads"),
            ("blocks.*.feed_forward.up.weight", "_, hidden"),
        ],
        rules: TRANSFORMER,
    },
    Model {
        spec: "zoo:bert?layers=2&width=48&heads=12&hidden=40&seq=6&vocab=20&batch=8&tied=false",
        names: &[
            ("input.0", "batch, _"),
            ("head.weight", "_, vocab"),
            ("blocks.*.attention.query.weight", "_, heads"),
            ("blocks.*.feed_forward.up.weight", "_, hidden"),
        ],
        rules: TRANSFORMER,
    },
    Model {
        spec: "zoo:moe?layers=2&width=8&hidden=12&experts=4&seq=6&batch=8",
        names: &[("input.0", "batch, _, _"), ("layers.*.up", "experts, _, hidden")],
        rules: &[("batch", "data"), ("experts", "data"), ("hidden", "model")],
    },
];

const TRANSFORMER: &[(&str, &str)] = &[("batch", "data"), ("vocab", "model"), ("heads", "model"), ("hidden", "model")];

impl Model {
    /// Traces the model, with dropout or without.
    pub fn program(&self, dropout: bool) -> Program {
        traced(&if dropout { format!("{}&dropout=0.25", self.spec) } else { self.spec.into() })
    }

    /// Returns the plan for a mesh, with the rules whose axis the mesh has.
    pub fn plan(&self, axes: Axes) -> Plan {
        let mesh = Mesh::new(axes.iter().copied()).unwrap_or_else(|e| panic!("{e}"));
        let named = self.names.iter().fold(Plan::new(mesh), |plan, (path, names)| plan.name(*path, *names));
        let rules = self.rules.iter().filter(|(_, axis)| axes.iter().any(|(name, _)| name == axis));
        rules.fold(named, |plan, (dim, axis)| plan.rules(format!("{dim}:{axis}")))
    }
}

/// Traces a built-in model.
pub fn traced(spec: &str) -> Program {
    partita::load(spec).unwrap_or_else(|e| panic!("{spec}: {e}"))
}
