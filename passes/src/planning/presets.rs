//! Presets: named layouts of the established schemes of parallel training.
//!
//! A preset matches a pattern in the graph of a model ([`model::ModelStructure`]) and shards values over the mesh axes
//! of its scheme: `data`, `shard`, `model`, `context` or `expert`. Layouts of several presets for one value are merged
//! dimension by dimension. Values with a layout from the plan are left unchanged. `apply-plan` runs the presets;
//! [`Expansion::to_plan`] converts the result to an explicit plan that the user can edit.

mod context;
mod data;
mod expansion;
mod expert;
mod leading_dim;
mod megatron;
mod mesh;
pub mod model;
mod sequence;
mod zero;

pub use data::{DATA_AXES, DEFAULT_BUCKET_SIZE, default_bucket_size};

use super::apply_plan::layout::PlanMesh;
use super::name_dims::DimClasses;
pub use expansion::{Expansion, PresetLayout};
use indexmap::IndexMap;
use model::{ModelStructure, Stem};
use partita_ir::arena::ValueId;
use partita_ir::diag::{Code, Diagnostic, Span, nearest};
use partita_ir::layout::Layout;
use partita_ir::mesh::AxisRef;
use partita_ir::plan::Plan;
use partita_ir::program::Program;
use rustc_hash::FxHashSet;

/// A named parallelism scheme.
struct Preset {
    name: &'static str,
    /// Alternative name.
    alias: Option<&'static str>,
    /// Required mesh axes: one of each set.
    axes: &'static [&'static [&'static str]],
    /// Presets that are added automatically.
    implies: &'static [&'static str],
    /// Presets that the plan must also request.
    needs: &'static [&'static str],
    /// Presets that the plan must not also request.
    excludes: &'static [&'static str],
    /// Option, if the preset has one.
    option: Option<PresetOption>,
    expand: fn(&mut PresetContext<'_>) -> Result<(), Diagnostic>,
}

/// Option of a preset, written after its name: `context?attention=ring`.
struct PresetOption {
    name: &'static str,
    /// Values that can be written.
    values: &'static [&'static str],
    /// Value if none is written. Empty if the preset then chooses among `values`.
    default: &'static str,
    /// True if the values are names of mesh axes, so that the mesh needs the axis that is written.
    is_axis: bool,
}

/// Maximum number of inferred parameters that an error names.
const MAX_NAMED_PARAMS: usize = 4;

/// Default: a preset without relations to others.
const PRESET_DEFAULTS: Preset = Preset {
    name: "",
    alias: None,
    axes: &[],
    implies: &[],
    needs: &[],
    excludes: &[],
    option: None,
    expand: |_| Ok(()),
};

/// Common settings of the ZeRO stages.
const ZERO_DEFAULTS: Preset = Preset {
    axes: &[&DATA_AXES],
    implies: &["data"],
    option: Some(PresetOption { name: "axis", values: &DATA_AXES, default: "", is_axis: true }),
    ..PRESET_DEFAULTS
};

/// All presets, in the order in which they are expanded.
const PRESETS: [Preset; 9] = [
    Preset { name: "data", axes: &[&DATA_AXES], expand: data::expand, ..PRESET_DEFAULTS },
    Preset {
        name: "mesh",
        axes: &[&["data"], &["model"]],
        implies: &["data"],
        expand: mesh::expand,
        ..PRESET_DEFAULTS
    },
    Preset { name: "megatron", axes: &[&["model"]], expand: megatron::expand, ..PRESET_DEFAULTS },
    Preset { name: "expert", axes: &[&["expert", "data"]], expand: expert::expand, ..PRESET_DEFAULTS },
    Preset {
        name: "context",
        axes: &[&["context", "cp"]],
        option: Some(PresetOption { name: "attention", values: &context::METHODS, default: "", is_axis: false }),
        expand: context::expand,
        ..PRESET_DEFAULTS
    },
    Preset { name: "sequence", axes: &[&["model"]], needs: &["megatron"], expand: sequence::expand, ..PRESET_DEFAULTS },
    Preset { name: "zero1", expand: zero::expand_state, ..ZERO_DEFAULTS },
    Preset { name: "zero2", excludes: &["zero1"], expand: zero::expand_gradients, ..ZERO_DEFAULTS },
    Preset {
        name: "zero3",
        alias: Some("fsdp"),
        excludes: &["zero1", "zero2"],
        expand: zero::expand_parameters,
        ..ZERO_DEFAULTS
    },
];

/// Returns the names of all presets.
pub fn names() -> impl Iterator<Item = &'static str> {
    PRESETS.iter().map(|p| p.name)
}

/// Returns the names of all presets, with the alias if one exists: `zero3 (fsdp)`.
pub fn names_with_aliases() -> impl Iterator<Item = String> {
    PRESETS.iter().map(|preset| match preset.alias {
        Some(alias) => format!("{} ({alias})", preset.name),
        None => preset.name.to_owned(),
    })
}

/// A preset that a plan requests, with the location of the request.
struct RequestedPreset {
    preset: &'static Preset,
    at: Span,
    /// Value of the option. Empty if the preset has none, or chooses it.
    option: &'static str,
}

/// Context of the expansion of presets.
struct PresetContext<'a> {
    model: ModelStructure<'a>,
    grid: &'a PlanMesh<'a>,
    /// Layouts of the plan and of the model.
    explicit: &'a IndexMap<ValueId, Layout>,
    /// All requested presets.
    requested: &'a [RequestedPreset],
    /// Index of the preset that is being expanded.
    current: usize,
    /// Dimensions that `megatron` shards.
    megatron_dims: FxHashSet<Stem>,
    /// Layouts found so far.
    expansion: Expansion,
}

/// Returns the layouts of a plan's presets for a program. `explicit` are the layouts of the plan and the model. Errors
/// are appended to `errors`.
pub fn expand(
    program: &Program,
    plan: &Plan,
    classes: &DimClasses,
    grid: &PlanMesh<'_>,
    explicit: &IndexMap<ValueId, Layout>,
    errors: &mut Vec<Diagnostic>,
) -> Expansion {
    let before = errors.len();
    let requested = requested(plan, errors);
    if errors.len() > before {
        return Expansion::default();
    }
    check_relations(&requested, errors);
    errors.extend(requested.iter().filter_map(|a| missing_axis(a, grid)));
    if errors.len() > before || requested.is_empty() {
        return Expansion::default();
    }
    let model = ModelStructure::new(program, classes);
    let mut cx = PresetContext {
        model,
        grid,
        explicit,
        requested: &requested,
        current: 0,
        megatron_dims: FxHashSet::default(),
        expansion: Expansion::new(&requested),
    };
    for (i, one) in requested.iter().enumerate() {
        cx.current = i;
        if let Err(error) = (one.preset.expand)(&mut cx) {
            errors.push(error);
        }
    }
    let mut expansion = cx.expansion;
    expansion.remove_explicit(explicit);
    expansion
}

/// A preset as written in a plan.
pub struct WrittenPreset<'p> {
    /// Name. For an alias of a known preset, the name of that preset.
    pub name: &'p str,
    /// Option, such as `attention=ring`. Empty if none is written.
    pub option: &'p str,
    /// Location of the name.
    pub span: Span,
    /// Location of the name and the option.
    request: Span,
}

impl WrittenPreset<'_> {
    /// Returns true if this is the preset of that name.
    pub fn is_named(&self, name: &str) -> bool {
        self.name == name
    }
}

/// Returns the presets that are written in a plan, without implied ones. Names and options may be unknown.
pub fn written_presets(plan: &Plan) -> impl Iterator<Item = WrittenPreset<'_>> {
    plan.presets.iter().flat_map(|written| {
        let mut start = 0;
        written.text.split(',').map(move |part| {
            let request = part.trim();
            let from = start + (part.len() - part.trim_start().len());
            start += part.len() + 1;
            let (name, option) = request.split_once('?').unwrap_or((request, ""));
            let span = written.span_of(from..from + name.len());
            let name = PRESETS.iter().find(|preset| preset.alias == Some(name)).map_or(name, |preset| preset.name);
            WrittenPreset { name, option, span, request: written.span_of(from..from + request.len()) }
        })
    })
}

/// Returns the presets that a plan requests, with the implied ones, in the order of [`PRESETS`].
fn requested(plan: &Plan, errors: &mut Vec<Diagnostic>) -> Vec<RequestedPreset> {
    let mut found: Vec<(usize, RequestedPreset)> = Vec::new();
    for WrittenPreset { name, option, span: at, request } in written_presets(plan) {
        let Some(position) = PRESETS.iter().position(|p| p.name == name) else {
            errors.push(unknown_preset(name, at));
            continue;
        };
        let option = match option_value(&PRESETS[position], option) {
            Ok(value) => value,
            Err(error) => {
                errors.push(error.label(request, ""));
                continue;
            }
        };
        let implied = PRESETS[position].implies;
        let implied = PRESETS.iter().enumerate().filter(|(_, p)| implied.contains(&p.name));
        for (i, preset) in implied.chain([(position, &PRESETS[position])]) {
            let known = found.iter().find(|(known, _)| *known == i).map(|(_, known)| known);
            if let Some(other) = known.filter(|known| known.option != option && i == position) {
                errors.push(repeated_with_other_option(other, &at, option));
            } else if known.is_none() {
                found.push((i, RequestedPreset { preset, at: at.clone(), option }));
            }
        }
    }
    found.sort_by_key(|(i, _)| *i);
    found.into_iter().map(|(_, requested)| requested).collect()
}

fn repeated_with_other_option(one: &RequestedPreset, at: &Span, option: &str) -> Diagnostic {
    let text = |option: &str| if option.is_empty() { "no option".to_owned() } else { format!("`{option}`") };
    let (name, first, second) = (one.preset.name, text(one.option), text(option));
    let title = format!("`{name}` is requested twice, with {first} and with {second}");
    Diagnostic::new(Code::L015, title).label(one.at.clone(), "").label(at.clone(), "").help("remove one of them")
}

/// Returns the value of a preset's option as written, `attention=ring`, or its default if nothing is written.
fn option_value(preset: &Preset, written: &str) -> Result<&'static str, Diagnostic> {
    let Some(PresetOption { name, values, default, .. }) = &preset.option else {
        if written.is_empty() {
            return Ok("");
        }
        let title = format!("the preset `{}` has no options", preset.name);
        return Err(Diagnostic::new(Code::L016, title).help(format!("write `{}`", preset.name)));
    };
    let value = match written {
        "" => Some(default),
        written => written
            .strip_prefix(*name)
            .and_then(|rest| rest.trim_start().strip_prefix('='))
            .and_then(|word| values.iter().find(|value| **value == word.trim())),
    };
    value.copied().ok_or_else(|| {
        let title = format!("`{written}` is not an option of the preset `{}`", preset.name);
        let known: Vec<String> = values.iter().map(|value| format!("`{}?{name}={value}`", preset.name)).collect();
        Diagnostic::new(Code::L016, title).help(format!("write {}", known.join(", ")))
    })
}

fn unknown_preset(name: &str, at: Span) -> Diagnostic {
    let error = Diagnostic::new(Code::L016, format!("no preset is called `{name}`")).label(at.clone(), "");
    let known: Vec<String> = names().map(|n| format!("`{n}`")).collect();
    let error = error.note(format!("presets are {}", known.join(", ")));
    match nearest(name, names().chain(PRESETS.iter().filter_map(|p| p.alias))) {
        Some(near) => error.fix("there is one with a similar name", at, near),
        None => error,
    }
}

/// Reports presets that require another one or exclude each other.
fn check_relations(requested: &[RequestedPreset], errors: &mut Vec<Diagnostic>) {
    for (i, one) in requested.iter().enumerate() {
        let name = one.preset.name;
        for other in requested[..i].iter().filter(|o| one.preset.excludes.contains(&o.preset.name)) {
            let title = format!("`{}` and `{name}` exclude each other", other.preset.name);
            let error = Diagnostic::new(Code::L015, title).label(other.at.clone(), "").label(one.at.clone(), "");
            errors.push(error.note(format!("`{name}` includes `{}`", other.preset.name)).help("remove one of them"));
        }
        for need in one.preset.needs.iter().filter(|need| requested.iter().all(|o| o.preset.name != **need)) {
            errors.push(
                Diagnostic::new(Code::L015, format!("`{name}` needs `{need}`"))
                    .label(one.at.clone(), format!("extends `{need}`"))
                    .fix("request both", one.at.clone(), format!("{need},{name}")),
            );
        }
    }
}

/// Returns an error if the mesh has none of the axes that a preset requires.
fn missing_axis(requested: &RequestedPreset, grid: &PlanMesh<'_>) -> Option<Diagnostic> {
    let has = |axis: &&str| grid.mesh.axis(axis).is_some();
    let written = requested.preset.option.as_ref().filter(|option| option.is_axis && !requested.option.is_empty());
    let written = written.map(|_| std::slice::from_ref(&requested.option));
    let missing = requested.preset.axes.iter().copied().chain(written).find(|any| !any.iter().any(has))?;
    let name = requested.preset.name;
    let list: Vec<String> = missing.iter().map(|axis| format!("`{axis}`")).collect();
    let title = format!("`{name}` needs a mesh axis {}", list.join(" or "));
    let error = Diagnostic::new(Code::L001, title).label(requested.at.clone(), "");
    let Some(place) = &grid.place else {
        return Some(error.note(format!("the model came with the mesh: {}", grid.axes())));
    };
    let error = error.context(place.clone(), grid.axes());
    let text = place.source.text.get(place.range.clone()).unwrap_or_default();
    let axis = missing[0];
    if let Some(near) = nearest(axis, grid.mesh.axes.iter().map(|a| a.name.as_str())).filter(|near| text.contains(near))
    {
        return Some(error.fix("rename the axis", place.clone(), text.replacen(near, axis, 1)));
    }
    Some(match text.trim_end().strip_suffix('}') {
        Some(table) => error.fix("add it", place.clone(), format!("{}, {axis} = 2 }}", table.trim_end())),
        None if text.contains('=') => error.fix("add it", place.clone(), format!("{text},{axis}=2")),
        None => error.help(format!("add it to the mesh: (\"{axis}\", 2)")),
    })
}

/// Returns true if a source is the path of a file whose parameters can be named by an option.
fn is_file_without_options(source: &str) -> bool {
    source.ends_with(".mlir") || source.ends_with(".pir")
}

impl PresetContext<'_> {
    /// Returns the axes of [`DATA_AXES`] with more than one device, outermost first.
    fn data_axes(&self) -> impl Iterator<Item = AxisRef> + '_ {
        DATA_AXES.into_iter().filter_map(|name| self.axis(name))
    }

    /// Returns the mesh axis of that name, if it has more than one device.
    fn axis(&self, name: &str) -> Option<AxisRef> {
        let axis = AxisRef::full(self.grid.mesh, self.grid.mesh.axis(name)?);
        (axis.size > 1).then_some(axis)
    }

    /// Shards a dimension, unless the axis already shards the value. The other dimensions are replicated.
    fn shard(&mut self, value: ValueId, dim: usize, axis: AxisRef) {
        let rank = self.model.program.ty(value).shape.rank();
        self.expansion.shard(value, dim, axis, Layout::replicated(self.grid.id, rank), self.current);
    }

    /// Shards a dimension as `shard` does, and leaves the other dimensions open.
    fn shard_only(&mut self, value: ValueId, dim: usize, axis: AxisRef) {
        let mut base = Layout::open(self.grid.id, self.model.program.ty(value).shape.rank());
        base.dims[dim].open = false;
        self.expansion.shard(value, dim, axis, base, self.current);
    }

    /// Reduces the gradients in buckets of the default size, unless a preset has chosen another one: devices with
    /// shards of the batch or of a sequence compute parts of the sums.
    fn reduce_in_buckets(&mut self) {
        if !self.model.updates.is_empty() {
            self.expansion.bucket.get_or_insert_with(|| default_bucket_size(1));
        }
    }

    /// Returns the error of a preset whose pattern does not occur in the model.
    fn pattern_not_found(&self, looked_for: &str) -> Diagnostic {
        let requested = &self.requested[self.current];
        let source = &self.model.program.source;
        let name = requested.preset.name;
        let title = match source.is_empty() {
            true => format!("`{name}` does not apply to the model"),
            false => format!("`{name}` does not apply to `{source}`"),
        };
        let error = Diagnostic::new(Code::L014, title)
            .label(requested.at.clone(), "")
            .note(format!("it requires {looked_for}"))
            .note(format!("the model has {}", self.model.summary()));
        if self.model.program.declares_params() || !is_file_without_options(source) {
            return error;
        }
        let names = |inputs: &[ValueId]| -> String {
            let names: Vec<&str> = inputs.iter().map(|&v| self.model.program.values[v].name.as_str()).collect();
            match names.get(..MAX_NAMED_PARAMS) {
                Some(first) if names.len() > MAX_NAMED_PARAMS => format!("{},...", first.join(",")),
                Some(_) | None => names.join(","),
            }
        };
        match (&self.model.params[..], &self.model.data[..]) {
            ([], []) => error,
            ([], [input, ..]) => {
                error.help(format!("if inputs are parameters, name them: `{source}?params={}`", names(&[*input])))
            }
            (params, _) => error.help(format!(
                "if the parameters are not `{}`, name them, or write `none`: `{source}?params=none`",
                names(params)
            )),
        }
    }

    /// Returns the layout of a value from the plan, the model or a preset.
    fn layout(&self, value: ValueId) -> Option<&Layout> {
        self.explicit.get(&value).or_else(|| self.expansion.shards.get(&value).map(|request| &request.layout))
    }
}
