//! The table of plan keys, and the macro that makes [`Plan`] and [`KEYS`] from it.
//!
//! A row has the documentation and the name of the field, its [`Kind`], the builder method, and the columns of
//! [`PlanKey`]. Within each kind, [`Plan::to_toml`] prints keys in the order of the rows.

use super::{Field, Flag, Kind, PlanKey};
use crate::plan::{Entry, Mesh, Written, replace_or_push};

/// The type of the field for a [`Kind`].
#[rustfmt::skip]
macro_rules! field_type {
    (Text) => { Option<Written> };
    (Number) => { Option<Written> };
    (List) => { Vec<Written> };
    (Rules) => { Vec<Written> };
    (Entries) => { Vec<Entry> };
    (Scoped) => { Vec<Entry> };
}

/// The builder method for a [`Kind`].
macro_rules! builder {
    (Number $($rest:tt)*) => { builder! { Text $($rest)* } };
    (Rules $($rest:tt)*) => { builder! { List $($rest)* } };
    (Scoped $($rest:tt)*) => { builder! { Entries $($rest)* } };
    (Text $field:ident $method:ident $($doc:literal)*) => {
        #[doc = concat!("Sets [`", stringify!($field), "`](field@Plan::", stringify!($field), ").\n\n")]
        $(#[doc = $doc])*
        #[track_caller]
        pub fn $method(mut self, text: impl Into<String>) -> Plan {
            self.$field = Some(Written::here(text));
            self
        }
    };
    (List $field:ident $method:ident $($doc:literal)*) => {
        #[doc = concat!("Adds to [`", stringify!($field), "`](field@Plan::", stringify!($field), ").\n\n")]
        $(#[doc = $doc])*
        #[track_caller]
        pub fn $method(mut self, text: impl Into<String>) -> Plan {
            self.$field.push(Written::here(text));
            self
        }
    };
    (Entries $field:ident $method:ident $($doc:literal)*) => {
        #[doc = concat!("Adds to [`", stringify!($field), "`](field@Plan::", stringify!($field), ").\n\n")]
        $(#[doc = $doc])*
        #[track_caller]
        pub fn $method(mut self, path: impl Into<String>, text: impl Into<String>) -> Plan {
            replace_or_push(&mut self.$field, Entry { path: Written::here(path), text: Written::here(text) });
            self
        }
    };
}

/// Makes [`Plan`], its builder methods and [`KEYS`] from the rows: first those of the mesh, then one for each field.
macro_rules! plan_keys {
    (
        $($of_mesh:ident { $($mesh_column:tt)* })*;
        $($(#[doc = $doc:literal])* $field:ident: $kind:ident, set by $method:ident { $($column:tt)* })*
    ) => {
        /// The decisions of a user.
        ///
        /// Where several entries speak of one value the most specific path wins (an exact one over a glob, a glob with
        /// more letters over one with fewer), then the later entry; a layout by path wins over rules. An entry replaces
        /// an earlier one with the same path.
        #[derive(Clone, PartialEq, Default, Debug)]
        pub struct Plan {
            /// The mesh; `None` for that of the model.
            pub mesh: Option<Mesh>,
            /// The meshes of stages of a pipeline, where they differ: axes of the same names, of other sizes.
            pub stage_meshes: Vec<Mesh>,
            $($(#[doc = $doc])* pub $field: field_type!($kind),)*
        }

        impl Plan {
            $(builder! { $kind $field $method $($doc)* })*
        }

        /// The keys of a plan, in the order in which help texts and errors list them.
        pub static KEYS: &[PlanKey] = &[
            $(PlanKey { kind: Kind::$of_mesh, $($mesh_column)* },)*
            $(PlanKey {
                kind: Kind::$kind(Field { get: |plan| &plan.$field, get_mut: |plan| &mut plan.$field }),
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
            help: "The mesh, axes and their sizes",
        }),
    }
    Devices { name: "devices", needs: None, reader: "apply-plan", flag: None };

    /// Layouts known by a name, `megatron`; one text may have several, `megatron, zero1`. They are weaker than
    /// everything else: values that the plan lays out itself keep its layouts. Names are looked up when the plan is
    /// applied.
    presets: List, set by preset {
        name: "presets", needs: None, reader: "apply-plan",
        flag: Some(Flag {
            name: "preset", value: "NAMES", heading: "Plan", example: "",
            help: "Layouts known by a name: {presets}; several with commas",
        }),
    }

    /// Mesh axes that split named dimensions: `batch:data; hidden:model`.
    rules: Rules, set by rules {
        name: "rules", needs: None, reader: "apply-plan",
        flag: Some(Flag {
            name: "rules", value: "RULES", heading: "Plan", example: "batch:data; hidden:model",
            help: "Which dimension goes where",
        }),
    }

    /// Names of dimensions, by path: `batch, _, embed`, with `_` for a dimension without a name. Names spread through
    /// the model to every dimension that must be split alike.
    names: Entries, set by name {
        name: "name", needs: None, reader: "apply-plan",
        flag: Some(Flag {
            name: "name", value: "PATH=NAMES", heading: "Plan", example: "x=batch, _",
            help: "Name the dimensions of a value; the names spread through the model",
        }),
    }

    /// Layouts, by path, with an entry for each dimension: `_, model`.
    shards: Entries, set by shard {
        name: "shard", needs: None, reader: "apply-plan",
        flag: Some(Flag {
            name: "shard", value: "PATH=LAYOUT", heading: "Plan", example: "up.weight=_, model",
            help: "Lay out a parameter or input by path or glob",
        }),
    }

    /// Layouts in which values are stored, by path: `data, _`. Before it is used such a value is brought into the
    /// layout that `shards` gives it (replicated where they do not), and given up after that.
    stores: Entries, set by store {
        name: "store", needs: None, reader: "apply-plan",
        flag: Some(Flag {
            name: "store", value: "PATH=LAYOUT", heading: "Plan", example: "up.weight=data, _",
            help: "Keep a value in another layout than it is used in",
        }),
    }

    /// Paths of values whose layouts may contradict others: the values are resharded between such layouts.
    allow_reshard: List, set by allow_reshard {
        name: "allow_reshard", needs: None, reader: "apply-plan",
        flag: Some(Flag {
            name: "allow-reshard", value: "PATH", heading: "Plan", example: "",
            help: "Accept that the layout of a value contradicts others, and reshard where they meet",
        }),
    }

    /// Names of dimensions, or paths, that may not be padded: to split them unevenly is an error. Elsewhere the last
    /// shards are padded.
    no_padding: List, set by no_padding {
        name: "no_padding", needs: None, reader: "apply-plan",
        flag: Some(Flag {
            name: "no-padding", value: "NAME|PATH", heading: "Plan", example: "",
            help: "Make it an error to split a dimension unevenly, instead of padding it",
        }),
    }

    /// Paths of stored values whose copy in the layout of use is held from the first use to the last; of other stored
    /// values the backward pass makes a copy of its own.
    hold: List, set by hold { name: "hold", needs: None, reader: "apply-plan", flag: None }

    /// Optimizer and its options, `adamw?lr=1e-3`: see [`train`](mod@crate::plan::train). `None` leaves the model as it
    /// is.
    train: Text, set by train {
        name: "train", needs: None, reader: "train",
        flag: Some(Flag {
            name: "train", value: "OPTIMIZER", heading: "Training", example: "adamw?lr=1e-3&clip=1",
            help: "Make the training step of the model: `sgd`, `momentum`, `adam` or `adamw`, with options",
        }),
    }

    /// Paths of parameters that are not trained: they have no gradient and no optimizer state.
    freeze: List, set by freeze {
        name: "freeze", needs: None, reader: "freeze",
        flag: Some(Flag {
            name: "freeze", value: "PATH", heading: "Training", example: "",
            help: "Do not train these parameters: no gradient, no optimizer state",
        }),
    }

    /// Paths of the only parameters that are trained; all when there are none.
    train_only: List, set by train_only {
        name: "train_only", needs: None, reader: "freeze",
        flag: Some(Flag {
            name: "train-only", value: "PATH", heading: "Training", example: "",
            help: "Train only these parameters",
        }),
    }

    /// Element types that parts of the model compute in, by the path of their parameters: `bf16`.
    precision: Scoped, set by precision {
        name: "precision", needs: None, reader: "precision",
        flag: Some(Flag {
            name: "precision", value: "[PATH=]TYPE", heading: "Training", example: "norm.**=f32",
            help: "Compute in `bf16` or `f16`, or keep weights in `int8`; by path for a part",
        }),
    }

    /// Parts of the forward pass that are computed again in the backward pass instead of being stored, by path: `full`.
    remat: Scoped, set by remat {
        name: "remat", needs: None, reader: "remat",
        flag: Some(Flag {
            name: "remat", value: "[PATH=]HOW", heading: "Training", example: "blocks.**=full",
            help: "Compute forward values again in the backward pass: `none`, `selective`, `full`, or \
                `auto?budget=8GiB`; by path for a part",
        }),
    }

    /// Bytes of gradients that are reduced together, `25MiB`; `none` reduces each alone. `None` is left to presets.
    bucket: Text, set by bucket {
        name: "bucket", needs: None, reader: "bucket",
        flag: Some(Flag {
            name: "bucket", value: "SIZE", heading: "Training", example: "",
            help: "Reduce gradients together, in buckets of so many bytes; `none` reduces each alone. The preset \
                `data` brings `25MiB`",
        }),
    }

    /// The stages of a pipeline, each on a mesh of its own: their number, `4`, or the parameters of each; see
    /// [`pipeline`](mod@crate::plan::pipeline).
    pipeline: Number, set by pipeline {
        name: "pipeline", needs: None, reader: "train",
        flag: Some(Flag {
            name: "pipeline", value: "STAGES", heading: "Pipeline", example: "embed blocks.0.** | blocks.1.**",
            help: "Cut the model into stages, each on a mesh of its own: how many, or whose parameters",
        }),
    }

    /// The order in which stages work: `1f1b`.
    schedule: Text, set by schedule {
        name: "schedule", needs: Some("pipeline"), reader: "schedule",
        flag: Some(Flag {
            name: "schedule", value: "NAME", heading: "Pipeline", example: "",
            help: "In which order stages work: vanilla, gpipe, 1f1b (when not given), interleaved?chunks=2, zb-h1, \
                zb-h2",
        }),
    }

    /// The number of micro-batches that go through a pipeline, `16`; of each replica, `4+8`.
    micro_batches: Number, set by micro_batches {
        name: "microbatches", needs: Some("pipeline"), reader: "train",
        flag: Some(Flag {
            name: "microbatches", value: "N|auto", heading: "Pipeline", example: "",
            help: "In how many parts the batch goes through the stages; `auto` is about four times as many as there \
                are stages. Of replicas, `4+8` says how many each of them takes",
        }),
    }

    /// The number of pipelines beside each other, `2`, which share the micro-batches.
    replicas: Number, set by replicas {
        name: "replicas", needs: Some("pipeline"), reader: "train",
        flag: Some(Flag {
            name: "replicas", value: "N", heading: "Pipeline", example: "",
            help: "How many pipelines stand beside each other; they share the micro-batches as fast as their devices \
                are",
        }),
    }

    /// Axes of the mesh from the one across the nodes of a machine to the one within, `data,model`; `None` orders them
    /// by the bytes that they carry.
    map: Text, set by map {
        name: "map", needs: None, reader: "simulate",
        flag: Some(Flag {
            name: "map", value: "AXES", heading: "Pipeline", example: "",
            help: "How the mesh lies on a machine: its axes, from the one across nodes to the one within; else the \
                busiest lies within",
        }),
    }

    /// The most memory that a device may need, `80GiB`: a plan that needs more is refused.
    budget: Number, set by budget {
        name: "budget", needs: None, reader: "budget",
        flag: Some(Flag {
            name: "budget", value: "SIZE", heading: "Plan", example: "",
            help: "Refuse the plan if a device needs more memory than that, `80GiB`, and say what helps",
        }),
    }
}
