//! Table of plan keys, and the macro that generates [`Plan`] and [`KEYS`] from it.
//!
//! A row has the documentation and name of the field, its [`KeyKind`], the builder method, and the columns of
//! [`PlanKey`]. Within each kind, [`Plan::to_toml`] prints keys in the order of the rows.

use super::{Field, Flag, KeyKind, PlanKey};
use crate::plan::{Mesh, PlanEntry, SourceText, replace_or_push};

/// Type of the field for a [`KeyKind`].
#[rustfmt::skip]
macro_rules! field_type {
    (Text) => { Option<SourceText> };
    (Number) => { Option<SourceText> };
    (List) => { Vec<SourceText> };
    (Rules) => { Vec<SourceText> };
    (Entries) => { Vec<PlanEntry> };
    (Scoped) => { Vec<PlanEntry> };
}

/// Builder method for a [`KeyKind`].
macro_rules! builder {
    (Number $($rest:tt)*) => { builder! { Text $($rest)* } };
    (Rules $($rest:tt)*) => { builder! { List $($rest)* } };
    (Scoped $($rest:tt)*) => { builder! { Entries $($rest)* } };
    (Text $field:ident $method:ident $($doc:literal)*) => {
        #[doc = concat!("Sets [`", stringify!($field), "`](field@Plan::", stringify!($field), ").\n\n")]
        $(#[doc = $doc])*
        #[track_caller]
        pub fn $method(mut self, text: impl Into<String>) -> Plan {
            self.$field = Some(SourceText::at_caller(text));
            self
        }
    };
    (List $field:ident $method:ident $($doc:literal)*) => {
        #[doc = concat!("Adds to [`", stringify!($field), "`](field@Plan::", stringify!($field), ").\n\n")]
        $(#[doc = $doc])*
        #[track_caller]
        pub fn $method(mut self, text: impl Into<String>) -> Plan {
            self.$field.push(SourceText::at_caller(text));
            self
        }
    };
    (Entries $field:ident $method:ident $($doc:literal)*) => {
        #[doc = concat!("Adds to [`", stringify!($field), "`](field@Plan::", stringify!($field), ").\n\n")]
        $(#[doc = $doc])*
        #[track_caller]
        pub fn $method(mut self, path: impl Into<String>, text: impl Into<String>) -> Plan {
            let (path, text) = (SourceText::at_caller(path), SourceText::at_caller(text));
            replace_or_push(&mut self.$field, PlanEntry { path, text });
            self
        }
    };
}

/// Generates [`Plan`], its builder methods and [`KEYS`] from the rows: first those of the mesh, then one for each
/// field.
macro_rules! plan_keys {
    (
        $($of_mesh:ident { $($mesh_column:tt)* })*;
        $($(#[doc = $doc:literal])* $field:ident: $kind:ident, set by $method:ident { $($column:tt)* })*
    ) => {
        /// User's decisions on the partitioning and training of a model.
        ///
        /// If several entries match a value, the most specific path takes precedence (an exact path over a glob, a glob
        /// with more literal characters over one with fewer), then the later entry. A layout by path takes precedence
        /// over rules. An entry replaces an earlier one with the same path.
        #[derive(Clone, PartialEq, Default, Debug)]
        pub struct Plan {
            /// Mesh; `None` for the mesh of the model.
            pub mesh: Option<Mesh>,
            /// Meshes of the stages of a pipeline, if they differ: equal axis names with different sizes.
            pub stage_meshes: Vec<Mesh>,
            $($(#[doc = $doc])* pub $field: field_type!($kind),)*
        }

        impl Plan {
            $(builder! { $kind $field $method $($doc)* })*
        }

        /// Keys of a plan, in the order in which help texts and errors list them.
        pub static KEYS: &[PlanKey] = &[
            $(PlanKey { kind: KeyKind::$of_mesh, $($mesh_column)* },)*
            $(PlanKey {
                kind: KeyKind::$kind(Field { get: |plan| &plan.$field, get_mut: |plan| &mut plan.$field }),
                $($column)*
            },)*
        ];
    };
}

plan_keys! {
    Mesh {
        name: "mesh", needs: None, reader: "apply-plan",
        flag: Some(Flag {
            name: "mesh", value: "AXES", heading: "Plan", example: "data=2,model=4",
            help: "Mesh: names and sizes of its axes",
        }),
    }
    Devices { name: "devices", needs: None, reader: "apply-plan", flag: None };

    /// Names of predefined layouts, `megatron`; one text may contain several, `megatron, zero1`. All other settings of
    /// the plan take precedence over presets. Names are resolved when the plan is applied.
    presets: List, set by preset {
        name: "presets", needs: None, reader: "apply-plan",
        flag: Some(Flag {
            name: "preset", value: "NAMES", heading: "Plan", example: "",
            help: "Predefined layouts: {presets}; separate several by commas",
        }),
    }

    /// Mesh axes that split named dimensions: `batch:data; hidden:model`.
    rules: Rules, set by rules {
        name: "rules", needs: None, reader: "apply-plan",
        flag: Some(Flag {
            name: "rules", value: "RULES", heading: "Plan", example: "batch:data; hidden:model",
            help: "Split named dimensions by mesh axes",
        }),
    }

    /// Names of dimensions, by path: `batch, _, embed`, with `_` for an unnamed dimension. Names are propagated through
    /// the model to all dimensions that must be split in the same way.
    names: Entries, set by name {
        name: "name", needs: None, reader: "apply-plan",
        flag: Some(Flag {
            name: "name", value: "PATH=NAMES", heading: "Plan", example: "x=batch, _",
            help: "Name the dimensions of a value; names are propagated through the model",
        }),
    }

    /// Layouts, by path, with an entry for each dimension: `_, model`.
    shards: Entries, set by shard {
        name: "shard", needs: None, reader: "apply-plan",
        flag: Some(Flag {
            name: "shard", value: "PATH=LAYOUT", heading: "Plan", example: "up.weight=_, model",
            help: "Set the layout of parameters or inputs, by path or glob",
        }),
    }

    /// Storage layouts, by path: `data, _`. Before its use, such a value is resharded to the layout that `shards`
    /// specifies (replicated by default), and the copy is freed after the use.
    stores: Entries, set by store {
        name: "store", needs: None, reader: "apply-plan",
        flag: Some(Flag {
            name: "store", value: "PATH=LAYOUT", heading: "Plan", example: "up.weight=data, _",
            help: "Store a value in another layout than the one in which it is used",
        }),
    }

    /// Paths of values whose layouts may conflict with others: the values are resharded where necessary.
    allow_reshard: List, set by allow_reshard {
        name: "allow_reshard", needs: None, reader: "apply-plan",
        flag: Some(Flag {
            name: "allow-reshard", value: "PATH", heading: "Plan", example: "",
            help: "Permit that the layout of a value conflicts with others, and reshard it where necessary",
        }),
    }

    /// Names of dimensions, or paths, that must not be padded: splitting them unevenly is an error. In other dimensions
    /// the last shards are padded.
    no_padding: List, set by no_padding {
        name: "no_padding", needs: None, reader: "apply-plan",
        flag: Some(Flag {
            name: "no-padding", value: "NAME|PATH", heading: "Plan", example: "",
            help: "Reject uneven splits of a dimension instead of padding it",
        }),
    }

    /// Paths of values with a storage layout whose resharded copy is retained from the first use to the last. For other
    /// such values, the backward pass creates a second copy.
    hold: List, set by hold { name: "hold", needs: None, reader: "apply-plan", flag: None }

    /// Exchange of keys and values by attention whose sequence is sharded, by the path of the attention's module:
    /// `ring`. The preset `context` sets it for all attentions.
    attention: Scoped, set by attention {
        name: "attention", needs: None, reader: "apply-plan",
        flag: Some(Flag {
            name: "attention", value: "[PATH=]HOW", heading: "Plan", example: "blocks.0.**=gather",
            help: "Exchange keys and values of a sharded sequence in a `ring` or by a `gather`; with a path, only in a \
                part of the model",
        }),
    }

    /// Collectives that overlap with the matrix products beside them, by exchanges of shards between partial products:
    /// `all_gather, reduce_scatter`.
    overlap: Text, set by overlap {
        name: "overlap", needs: None, reader: "overlap-matmul",
        flag: Some(Flag {
            name: "overlap", value: "COLLECTIVES", heading: "Plan", example: "all_gather,reduce_scatter",
            help: "Overlap collectives with the matrix products after or before them, by exchanging shards between \
                partial products",
        }),
    }

    /// Optimizer and its options, `adamw?lr=1e-3`: see [`train`](mod@crate::plan::train). `None` leaves the model
    /// unchanged.
    train: Text, set by train {
        name: "train", needs: None, reader: "train",
        flag: Some(Flag {
            name: "train", value: "OPTIMIZER", heading: "Training", example: "adamw?lr=1e-3&clip=1",
            help: "Create the training step of the model, with the optimizer `sgd`, `momentum`, `adam` or `adamw` and \
                its options",
        }),
    }

    /// Paths of parameters that are not trained: they have no gradient and no optimizer state.
    freeze: List, set by freeze {
        name: "freeze", needs: None, reader: "freeze",
        flag: Some(Flag {
            name: "freeze", value: "PATH", heading: "Training", example: "",
            help: "Freeze parameters: no gradient, no optimizer state",
        }),
    }

    /// Paths of the only parameters that are trained; all if empty.
    train_only: List, set by train_only {
        name: "train_only", needs: None, reader: "freeze",
        flag: Some(Flag {
            name: "train-only", value: "PATH", heading: "Training", example: "",
            help: "Train only these parameters; freeze all others",
        }),
    }

    /// Element types in which parts of the model compute, by the path of their parameters: `bf16`.
    precision: Scoped, set by precision {
        name: "precision", needs: None, reader: "precision",
        flag: Some(Flag {
            name: "precision", value: "[PATH=]TYPE", heading: "Training", example: "norm.**=f32",
            help: "Compute in `bf16` or `f16`, or store weights in `int8`; with a path, only for a part of the model",
        }),
    }

    /// Recomputation of forward values in the backward pass instead of storing them, by path: `full`.
    remat: Scoped, set by remat {
        name: "remat", needs: None, reader: "remat",
        flag: Some(Flag {
            name: "remat", value: "[PATH=]HOW", heading: "Training", example: "blocks.**=full",
            help: "Recompute forward values in the backward pass instead of storing them: `none`, `selective`, \
                `alternate`, `full`, `cheapest?share=50%`, `ops:gelu,attention`, or `auto?budget=8GiB`; with a path, \
                only for a part of the model",
        }),
    }

    /// Size of the buckets in which gradients are reduced, `25MiB`; `none` reduces each gradient separately. `None`
    /// leaves the choice to presets.
    bucket: Text, set by bucket {
        name: "bucket", needs: None, reader: "bucket",
        flag: Some(Flag {
            name: "bucket", value: "SIZE", heading: "Training", example: "",
            help: "Size of the buckets in which gradients are reduced together; `none` reduces each separately. \
                The presets `data`, `context` and `sequence` set `25MiB`",
        }),
    }

    /// Stages of a pipeline, each on a separate mesh: their number, `4`, or the parameters of each; see
    /// [`pipeline`](mod@crate::plan::pipeline).
    pipeline: Number, set by pipeline {
        name: "pipeline", needs: None, reader: "train",
        flag: Some(Flag {
            name: "pipeline", value: "STAGES", heading: "Pipeline", example: "embed blocks.0.** | blocks.1.**",
            help: "Divide the model into pipeline stages on separate meshes: number of stages, or parameters of each \
                stage",
        }),
    }

    /// Pipeline schedule: `1f1b`.
    schedule: Text, set by schedule {
        name: "schedule", needs: Some("pipeline"), reader: "schedule",
        flag: Some(Flag {
            name: "schedule", value: "NAME", heading: "Pipeline", example: "",
            help: "Pipeline schedule: vanilla, gpipe, 1f1b (default), interleaved?chunks=2, zb-h1, zb-h2",
        }),
    }

    /// Number of micro-batches per step, `16`; for each replica, `4+8`.
    micro_batches: Number, set by micro_batches {
        name: "microbatches", needs: Some("pipeline"), reader: "train",
        flag: Some(Flag {
            name: "microbatches", value: "N|auto", heading: "Pipeline", example: "",
            help: "Number of micro-batches per step; `auto` is about four times the number of stages. `4+8` sets the \
                number for each replica",
        }),
    }

    /// Number of data-parallel replicas of the pipeline, `2`, which share the micro-batches.
    replicas: Number, set by replicas {
        name: "replicas", needs: Some("pipeline"), reader: "train",
        flag: Some(Flag {
            name: "replicas", value: "N", heading: "Pipeline", example: "",
            help: "Number of data-parallel replicas of the pipeline; micro-batches are distributed according to their \
                speed",
        }),
    }

    /// Mesh axes from the one across the nodes of a machine to the innermost one, `data,model`; `None` orders them by
    /// communication volume.
    map: Text, set by map {
        name: "map", needs: None, reader: "simulate",
        flag: Some(Flag {
            name: "map", value: "AXES", heading: "Pipeline", example: "",
            help: "Order of the mesh axes on the machine, from the one across nodes to the innermost one; by default, \
                the axis with the most communication is innermost",
        }),
    }

    /// Maximum memory per device, `80GiB`: a plan that needs more is rejected.
    budget: Number, set by budget {
        name: "budget", needs: None, reader: "budget",
        flag: Some(Flag {
            name: "budget", value: "SIZE", heading: "Plan", example: "",
            help: "Reject the plan if a device needs more memory than this, such as `80GiB`, and suggest fixes",
        }),
    }
}
