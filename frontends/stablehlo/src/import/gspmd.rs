//! GSPMD shardings, `"{devices=[2,1,4]<=[8] last_tile_dim_replicate}"`, and the reconstruction of their mesh.
//!
//! A GSPMD sharding tiles a tensor: it specifies the number of shards of each dimension and the device of each shard,
//! but no axis names. If devices are numbered in the row-major order of a mesh, the shards of a dimension are on *runs*
//! of devices: `size` devices whose numbers are `stride` apart. On a mesh of 2 x 4 devices, sharding over the first
//! axis is a run of size 2 with stride 4, over the second axis a run of size 4 with stride 1. The mesh of a module is
//! the common refinement of the runs of all its shardings. Its axes are named `axis0`, `axis1`, ...

use crate::fault::{Fault, Result};
use crate::syntax::{Entry, Module, Region};
use partita_ir::arena::AxisId;
use partita_ir::diag::Code;
use partita_ir::mesh::{Axes, AxisRef, DeviceMesh, MAX_DEVICES};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::ops::Range;

/// Help for shardings that require a named mesh.
const USE_SHARDY_HELP: &str = "lower the function with Shardy, which names its mesh: `jax_use_shardy_partitioner`";

/// Distribution of a tensor over devices. `T` describes the sharding of one dimension: mesh axes, or runs before the
/// mesh is known.
#[derive(Clone, PartialEq, Debug)]
pub enum Placement<T = Axes> {
    /// No sharding is specified.
    Unspecified,
    /// Replicated on all devices. A `maximal` sharding, which places the tensor on one device, is read as replicated.
    Replicated,
    /// Sharded tensor: the axes (or runs) of each dimension.
    Tiled(SmallVec<[T; 4]>),
}

/// Run of device numbers: `size` devices whose numbers are `stride` apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Run {
    size: u64,
    stride: u64,
}

type Runs = SmallVec<[Run; 2]>;

/// Common mesh of the shardings of a module, and each sharding expressed on this mesh.
pub struct GspmdMesh<'a> {
    /// Sizes of the axes, major to minor.
    sizes: Vec<u32>,
    /// Placements of each sharding, by the text of the sharding: one, or one per result.
    placements: FxHashMap<&'a str, Vec<Placement>>,
}

impl<'a> GspmdMesh<'a> {
    /// Collects the shardings of a module and reconstructs their mesh; `None` if there is only one device or no
    /// sharding. Errors: a malformed sharding, different device counts, or shardings that do not fit one mesh.
    pub fn from_module(module: &Module<'a>, text: &'a str) -> Result<Option<Self>> {
        let mut found = Vec::new();
        for func in &module.funcs {
            func.arg_attrs.iter().chain(&func.result_attrs).for_each(|attrs| collect(attrs, &mut found));
            collect_region(&func.body, &mut found);
        }
        found.sort_unstable_by_key(|s| s.as_ptr());
        let mut read: FxHashMap<&'a str, Vec<Placement<Runs>>> = FxHashMap::default();
        // Strides at which a run of any sharding begins or ends, each with the text of such a sharding. Consecutive
        // strides delimit a mesh axis.
        let mut boundaries = vec![(1u64, "")];
        let mut devices = partitions(module);
        for sharding in found {
            if read.contains_key(sharding) {
                continue;
            }
            let at = span_of(sharding, text);
            let placements = parse_all(sharding, &at)?;
            for (placement, count) in &placements {
                if let Some(count) = *count
                    && *devices.get_or_insert(count) != count
                {
                    let (count, other) = (count, devices.unwrap_or_default());
                    let title = format!("the sharding `{sharding}` is for {count} devices, others are for {other}");
                    return Err(Fault::new(Code::L007, title, at));
                }
                if let Placement::Tiled(dims) = placement {
                    let ends = dims.iter().flatten().flat_map(|run| [run.stride, run.stride * run.size]);
                    boundaries.extend(ends.map(|cut| (cut, sharding)));
                }
            }
            read.insert(sharding, placements.into_iter().map(|(p, _)| p).collect());
        }
        let devices = devices.unwrap_or(1);
        if read.is_empty() || devices == 1 {
            return Ok(None);
        }
        boundaries.push((devices, ""));
        boundaries.sort_unstable();
        boundaries.dedup_by_key(|(cut, _)| *cut);
        if let Some([(a, first), (b, second)]) = boundaries.array_windows().find(|[a, b]| !b.0.is_multiple_of(a.0)) {
            return Err(Fault::unsupported("the shardings of the module do not fit one mesh", span_of(second, text))
                .label(format!("divides the devices into runs of {b}"))
                .context(span_of(first, text), format!("divides them into runs of {a}"))
                .help(USE_SHARDY_HELP));
        }
        let boundaries: Vec<u64> = boundaries.into_iter().map(|(cut, _)| cut).collect();
        let placements = read.into_iter().map(|(text, all)| {
            let on_axes = |p: Placement<Runs>| match p {
                Placement::Unspecified => Placement::Unspecified,
                Placement::Replicated => Placement::Replicated,
                Placement::Tiled(dims) => {
                    Placement::Tiled(dims.iter().map(|runs| axes_of(runs, &boundaries)).collect())
                }
            };
            (text, all.into_iter().map(on_axes).collect())
        });
        let sizes = boundaries.windows(2).rev().map(|w| (w[1] / w[0]) as u32).collect();
        Ok(Some(GspmdMesh { sizes, placements: placements.collect() }))
    }

    /// Returns the mesh.
    pub fn mesh(&self) -> DeviceMesh {
        DeviceMesh::new("mesh", self.sizes.iter().enumerate().map(|(i, &n)| (format!("axis{i}"), n)))
    }

    /// Returns the placement of result `index` in the sharding with the given text.
    pub fn placement(&self, text: &str, index: usize) -> Option<&Placement> {
        self.placements.get(text)?.get(index)
    }
}

/// Returns the mesh axes that the runs of a dimension cover, major to minor. `boundaries` are the strides that delimit
/// axes.
fn axes_of(runs: &Runs, boundaries: &[u64]) -> Axes {
    let last = boundaries.len().saturating_sub(2);
    let mut axes = Axes::new();
    for run in runs {
        for (i, w) in boundaries.windows(2).enumerate().rev() {
            if run.stride <= w[0] && w[1] <= run.stride * run.size {
                axes.push(AxisRef { axis: AxisId((last - i) as u32), pre: 1, size: (w[1] / w[0]) as u32 });
            }
        }
    }
    axes
}

/// Returns the number of devices in the attribute `mhlo.num_partitions` of a module.
fn partitions(module: &Module<'_>) -> Option<u64> {
    let attr = module.attrs.iter().find(|(name, _)| *name == "mhlo.num_partitions");
    attr.and_then(|(_, a)| a.as_int()).and_then(|n| u64::try_from(n).ok())
}

/// Appends the text of each `mhlo.sharding` in a list of attributes to `found`.
fn collect<'a>(attrs: &[Entry<'a>], found: &mut Vec<&'a str>) {
    let shardings = attrs.iter().filter(|(name, _)| *name == "mhlo.sharding");
    found.extend(shardings.filter_map(|(_, attr)| attr.as_str()));
}

/// Appends the text of each `mhlo.sharding` in a region to `found`.
fn collect_region<'a>(region: &Region<'a>, found: &mut Vec<&'a str>) {
    for op in &region.ops {
        collect(&op.attrs, found);
        op.regions.iter().for_each(|r| collect_region(r, found));
    }
}

/// Returns the byte range of `slice` in `text`, which contains it.
fn span_of(slice: &str, text: &str) -> Range<usize> {
    let start = (slice.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    start..start + slice.len()
}

/// Returns the dimensions in `unspecified_dims=[0,1]`, the `backend_config` of a sharding constraint.
pub fn unspecified_dims(config: &str) -> impl Iterator<Item = usize> + '_ {
    let list = config.strip_prefix("unspecified_dims=[").and_then(|rest| rest.split_once(']'));
    list.map_or("", |(dims, _)| dims).split(',').filter_map(|d| d.trim().parse().ok())
}

/// Parses one sharding, or the shardings `{{..}, {..}}` of several results. Returns the placement and the device count,
/// if specified, of each.
fn parse_all(text: &str, at: &Range<usize>) -> Result<Vec<(Placement<Runs>, Option<u64>)>> {
    let bad = || malformed(text, at);
    let inside = text.trim().strip_prefix('{').and_then(|t| t.strip_suffix('}')).ok_or_else(bad)?.trim();
    if !inside.starts_with('{') {
        return Ok(vec![parse_one(inside, text, at)?]);
    }
    let mut all = Vec::new();
    let mut rest = inside;
    while let Some(body) = rest.strip_prefix('{') {
        let mut depth = 1usize;
        let end = body.find(|c| {
            depth = depth + usize::from(c == '{') - usize::from(c == '}');
            depth == 0
        });
        let end = end.ok_or_else(bad)?;
        all.push(parse_one(body[..end].trim(), text, at)?);
        rest = body[end + 1..].trim_start().trim_start_matches(',').trim_start();
    }
    if rest.is_empty() { Ok(all) } else { Err(bad()) }
}

fn malformed(text: &str, at: &Range<usize>) -> Box<Fault> {
    let title = format!("`{}` is not a sharding", crate::fault::excerpt(text));
    Fault::malformed(title, at.clone())
        .note("a sharding is written as in `{devices=[2,1,4]<=[8] last_tile_dim_replicate}`")
}

/// Parses one sharding without its braces. `text` and `at` are the complete attribute and its location, for messages.
fn parse_one(body: &str, text: &str, at: &Range<usize>) -> Result<(Placement<Runs>, Option<u64>)> {
    let bad = || malformed(text, at);
    let Some(rest) = body.strip_prefix("devices=") else {
        return match body.split_whitespace().next() {
            Some("replicated" | "maximal") => Ok((Placement::Replicated, None)),
            Some("unknown") | None => Ok((Placement::Unspecified, None)),
            Some("manual") => Err(Fault::unsupported("a value has the sharding `{manual}`", at.clone())
                .help(crate::syntax::unsupported_op_help("sdy.manual_computation"))),
            Some(_) => Err(bad()),
        };
    };
    let (tile, rest) = list(rest, '[', ']').ok_or_else(bad)?;
    let count = tile.iter().try_fold(1u64, |n, &d| n.checked_mul(d)).filter(|&n| (1..=MAX_DEVICES).contains(&n));
    let Some(count) = count else {
        return Err(Fault::new(
            Code::L007,
            format!("the sharding `{text}` has an invalid number of devices"),
            at.clone(),
        )
        .note(format!("at least 1 and at most {MAX_DEVICES} devices are supported")));
    };
    let (runs, rest) = match rest.strip_prefix("<=") {
        Some(iota) => iota_runs(iota).ok_or_else(bad)?,
        None => {
            let end = rest.find(|c: char| !(c.is_ascii_digit() || c == ',')).unwrap_or(rest.len());
            let ids: Option<Vec<u64>> = rest[..end].split(',').map(|id| id.parse().ok()).collect();
            let runs = linear_runs(&ids.ok_or_else(bad)?).ok_or_else(|| {
                Fault::unsupported(
                    format!("the sharding `{}` permutes devices", crate::fault::excerpt(text)),
                    at.clone(),
                )
                .note("its devices are not in the order of a mesh")
                .help(USE_SHARDY_HELP)
            })?;
            (runs, &rest[end..])
        }
    };
    if runs.iter().map(|r| r.size).product::<u64>() != count {
        return Err(bad());
    }
    let tile_runs = assign_runs(&tile, &runs).ok_or_else(|| {
        Fault::unsupported(format!("the sharding `{text}` does not fit a mesh"), at.clone()).help(USE_SHARDY_HELP)
    })?;
    let subgroups = subgroups(rest).ok_or_else(bad)?;
    if subgroups.contains(&"manual") {
        return Err(Fault::unsupported(format!("the sharding `{text}` has manual axes"), at.clone())
            .help(crate::syntax::unsupported_op_help("sdy.manual_computation")));
    }
    let data = tile_runs.len().checked_sub(subgroups.len()).ok_or_else(bad)?;
    Ok((Placement::Tiled(tile_runs[..data].iter().cloned().collect()), Some(count)))
}

/// Returns the types of the trailing tile dimensions, which do not shard the tensor: `replicated` or `manual`.
fn subgroups(rest: &str) -> Option<Vec<&str>> {
    let rest = rest.trim();
    if rest.starts_with("last_tile_dim_replicate") {
        return Some(vec!["replicated"]);
    }
    match rest.strip_prefix("last_tile_dims={") {
        Some(list) => Some(list.split_once('}')?.0.split(',').map(str::trim).collect()),
        None if rest.is_empty() || rest.starts_with("metadata=") || rest.starts_with("shard_") => Some(Vec::new()),
        None => None,
    }
}

/// Parses `[1, 2]` or `(1, 2)`. Returns the numbers and the remaining text.
fn list(text: &str, open: char, close: char) -> Option<(SmallVec<[u64; 6]>, &str)> {
    let (items, rest) = text.strip_prefix(open)?.split_once(close)?;
    let items: Option<_> = items.split(',').map(|i| i.trim().parse().ok()).collect();
    Some((items?, rest))
}

/// Parses `[2,4]T(1,0)`, a transposed iota of device numbers. Returns its runs, major to minor, and the remaining text.
fn iota_runs(text: &str) -> Option<(Runs, &str)> {
    let (sizes, rest) = list(text, '[', ']')?;
    let mut stride = sizes.iter().try_fold(1u64, |n, &d| n.checked_mul(d)).filter(|&n| n > 0)?;
    let runs: Runs = sizes
        .iter()
        .map(|&size| {
            stride /= size;
            Run { size, stride }
        })
        .collect();
    let Some(perm) = rest.strip_prefix('T') else { return Some((merge_runs(&runs), rest)) };
    let (perm, rest) = list(perm, '(', ')')?;
    let mut seen: SmallVec<[u64; 6]> = perm.clone();
    seen.sort_unstable();
    if !seen.iter().copied().eq(0..runs.len() as u64) {
        return None;
    }
    let permuted: Runs = perm.iter().filter_map(|&p| runs.get(p as usize).copied()).collect();
    Some((merge_runs(&permuted), rest))
}

/// Merges adjacent runs that form one longer run, and drops runs of one device.
fn merge_runs(runs: &[Run]) -> Runs {
    let mut all = Runs::new();
    for &run in runs.iter().filter(|r| r.size > 1) {
        match all.last_mut() {
            Some(last) if last.stride == run.size * run.stride => *last = Run { size: last.size * run.size, ..run },
            _ => all.push(run),
        }
    }
    all
}

/// Returns the runs of an explicit list of device numbers, major to minor; `None` unless the list is a transposed iota.
fn linear_runs(ids: &[u64]) -> Option<Runs> {
    let mut runs = Runs::new();
    // Runs are found from the minor end. A run extends as long as the device numbers increase by a constant stride.
    let mut period = 1usize;
    while period < ids.len() {
        let stride = ids[period].checked_sub(ids[0])?;
        let steps =
            ids.iter().step_by(period).zip(0u64..).take_while(|(id, i)| Some(**id) == i.checked_mul(stride)).count();
        let size = (2..=steps).rev().find(|n| ids.len().is_multiple_of(period * n))?;
        runs.insert(0, Run { size: size as u64, stride });
        period *= size;
    }
    let number = |at: usize| {
        let mut rest = at as u64;
        runs.iter().rev().fold(0u64, |id, run| {
            let digit = rest % run.size;
            rest /= run.size;
            id + digit * run.stride
        })
    };
    let mut sorted = ids.to_vec();
    sorted.sort_unstable();
    let all = sorted.iter().copied().eq(0..ids.len() as u64);
    (all && ids.iter().enumerate().all(|(at, &id)| id == number(at))).then(|| merge_runs(&runs))
}

/// Distributes runs over the dimensions of a tile, major to minor: dimension `d` has `tile[d]` shards. A run that is
/// longer than the remaining shards of a dimension is split. `None` if the sizes are not multiples of each other.
fn assign_runs(tile: &[u64], runs: &[Run]) -> Option<SmallVec<[Runs; 4]>> {
    let mut rest: SmallVec<[Run; 4]> = runs.iter().rev().copied().collect();
    tile.iter()
        .map(|&shard_count| {
            let mut left = shard_count;
            let mut dim = Runs::new();
            while left > 1 {
                let run = rest.pop()?;
                if left.is_multiple_of(run.size) {
                    left /= run.size;
                    dim.push(run);
                } else if run.size.is_multiple_of(left) {
                    let minor = run.size / left;
                    dim.push(Run { size: left, stride: run.stride * minor });
                    rest.push(Run { size: minor, stride: run.stride });
                    left = 1;
                } else {
                    return None;
                }
            }
            Some(dim)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(text: &str) -> Vec<Vec<(u64, u64)>> {
        match parse_all(text, &(0..0)).unwrap().remove(0).0 {
            Placement::Tiled(dims) => {
                dims.iter().map(|runs| runs.iter().map(|r| (r.size, r.stride)).collect()).collect()
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn tiles_are_runs_of_device_numbers() {
        assert_eq!(runs("{devices=[2,1,4]<=[8] last_tile_dim_replicate}"), [vec![(2, 4)], vec![]]);
        assert_eq!(runs("{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}"), [vec![], vec![(4, 1)]]);
        assert_eq!(runs("{devices=[4,2]<=[2,2,2]T(0,2,1)}"), [vec![(2, 4), (2, 1)], vec![(2, 2)]]);
        assert_eq!(runs("{devices=[1,8]<=[2,2,2]T(2,1,0)}"), [vec![], vec![(2, 1), (2, 2), (2, 4)]]);
        assert_eq!(runs("{devices=[8,1]<=[8]}"), [vec![(8, 1)], vec![]]);
        assert_eq!(runs("{devices=[2,2,2]<=[8] last_tile_dims={replicated}}"), [vec![(2, 4)], vec![(2, 2)]]);
    }

    #[test]
    fn lists_of_devices_are_recognised() {
        assert_eq!(runs("{devices=[2,2]0,1,2,3}"), [vec![(2, 2)], vec![(2, 1)]]);
        assert_eq!(runs("{devices=[2,2]0,2,1,3}"), [vec![(2, 1)], vec![(2, 2)]]);
        assert_eq!(runs("{devices=[4,1,2]0,4,1,5,2,6,3,7 last_tile_dim_replicate}"), [vec![(4, 1)], vec![]]);
        assert!(parse_all("{devices=[2,2]1,0,3,2}", &(0..0)).is_err());
    }

    #[test]
    fn malformed_shardings_are_errors() {
        for text in [
            "",
            "{",
            "{devices=}",
            "{devices=[0]<=[0]}",
            "{devices=[4]<=[8]}",
            "{devices=[2,3]<=[3,2]T(1,1)}",
            "{devices=[99999999999999999999]<=[8]}",
            "{manual}",
            "{devices=[2]<=[2] last_tile_dims={manual}}",
            "{devices=[65536,65536]<=[2]}",
            "{devices=[2]0,0}",
            "{{replicated}",
        ] {
            assert!(parse_all(text, &(0..0)).is_err(), "{text}");
        }
    }
}
