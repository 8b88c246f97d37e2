//! GSPMD's shardings, `"{devices=[2,1,4]<=[8] last_tile_dim_replicate}"`, and the mesh behind them.
//!
//! A sharding tiles a tensor: it says in how many pieces each dimension is cut, and which device has which piece. It
//! does not name axes. Where devices are numbered as in a mesh, each cut is a run of *strides* of the device number: on
//! a mesh of 2 x 4 devices the first axis has stride 4, the second one stride 1. The mesh that all shardings of a
//! module have in common is the common refinement of those runs; its axes are called `axis0`, `axis1`, ...

use crate::fault::{Fault, Result};
use crate::syntax::{Entry, Module, Region};
use partita_ir::arena::AxisId;
use partita_ir::diag::Code;
use partita_ir::mesh::{Axes, AxisRef, MAX_DEVICES, Mesh};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::ops::Range;

/// What to do about shardings that only a named mesh explains.
const WITH_NAMES: &str = "lower the function with Shardy, which names its mesh: `jax_use_shardy_partitioner`";

/// Where a tensor lies.
#[derive(Clone, PartialEq, Debug)]
pub enum Placement<T = Axes> {
    /// Not said.
    Anywhere,
    /// Whole on every device.
    Whole,
    /// Cut by these axes, one entry a dimension.
    Tiled(SmallVec<[T; 4]>),
}

/// Pieces of a run of device numbers: `size` pieces, `stride` devices apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Run {
    size: u64,
    stride: u64,
}

type Runs = SmallVec<[Run; 2]>;

/// The mesh that the shardings of a module have in common, and what each sharding is on it.
pub struct Grid<'a> {
    /// Sizes of the axes, major to minor.
    sizes: Vec<u32>,
    /// Each sharding, by its text: one placement, or one for each result.
    placements: FxHashMap<&'a str, Vec<Placement>>,
}

impl<'a> Grid<'a> {
    /// Collects the shardings of a module; `None` when there is one device only, or no sharding.
    pub fn of_module(module: &Module<'a>, text: &'a str) -> Result<Option<Self>> {
        let mut found = Vec::new();
        for func in &module.funcs {
            func.arg_attrs.iter().chain(&func.result_attrs).for_each(|attrs| collect(attrs, &mut found));
            collect_region(&func.body, &mut found);
        }
        found.sort_unstable_by_key(|s| s.as_ptr());
        let mut read: FxHashMap<&'a str, Vec<Placement<Runs>>> = FxHashMap::default();
        // Where runs begin and end, each with a sharding that has it.
        let mut cuts = vec![(1u64, "")];
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
                    cuts.extend(ends.map(|cut| (cut, sharding)));
                }
            }
            read.insert(sharding, placements.into_iter().map(|(p, _)| p).collect());
        }
        let devices = devices.unwrap_or(1);
        if read.is_empty() || devices == 1 {
            return Ok(None);
        }
        cuts.push((devices, ""));
        cuts.sort_unstable();
        cuts.dedup_by_key(|(cut, _)| *cut);
        if let Some([(a, first), (b, second)]) = cuts.array_windows().find(|[a, b]| !b.0.is_multiple_of(a.0)) {
            return Err(Fault::unsupported("the shardings of the module do not fit one mesh", span_of(second, text))
                .label(format!("cuts the devices in runs of {b}"))
                .context(span_of(first, text), format!("cuts them in runs of {a}"))
                .help(WITH_NAMES));
        }
        let cuts: Vec<u64> = cuts.into_iter().map(|(cut, _)| cut).collect();
        let placements = read.into_iter().map(|(text, all)| {
            let on_axes = |p: Placement<Runs>| match p {
                Placement::Anywhere => Placement::Anywhere,
                Placement::Whole => Placement::Whole,
                Placement::Tiled(dims) => Placement::Tiled(dims.iter().map(|runs| axes_of(runs, &cuts)).collect()),
            };
            (text, all.into_iter().map(on_axes).collect())
        });
        let sizes = cuts.windows(2).rev().map(|w| (w[1] / w[0]) as u32).collect();
        Ok(Some(Grid { sizes, placements: placements.collect() }))
    }

    /// The mesh.
    pub fn mesh(&self) -> Mesh {
        Mesh::new("mesh", self.sizes.iter().enumerate().map(|(i, &n)| (format!("axis{i}"), n)))
    }

    /// What result `index` has by that sharding.
    pub fn placement(&self, text: &str, index: usize) -> Option<&Placement> {
        self.placements.get(text)?.get(index)
    }
}

/// The axes between the cuts of each run, major to minor.
fn axes_of(runs: &Runs, cuts: &[u64]) -> Axes {
    let last = cuts.len().saturating_sub(2);
    let mut axes = Axes::new();
    for run in runs {
        for (i, w) in cuts.windows(2).enumerate().rev() {
            if run.stride <= w[0] && w[1] <= run.stride * run.size {
                axes.push(AxisRef { axis: AxisId((last - i) as u32), pre: 1, size: (w[1] / w[0]) as u32 });
            }
        }
    }
    axes
}

/// `mhlo.num_partitions`.
fn partitions(module: &Module<'_>) -> Option<u64> {
    let attr = module.attrs.iter().find(|(name, _)| *name == "mhlo.num_partitions");
    attr.and_then(|(_, a)| a.as_int()).and_then(|n| u64::try_from(n).ok())
}

fn collect<'a>(attrs: &[Entry<'a>], found: &mut Vec<&'a str>) {
    let shardings = attrs.iter().filter(|(name, _)| *name == "mhlo.sharding");
    found.extend(shardings.filter_map(|(_, attr)| attr.as_str()));
}

fn collect_region<'a>(region: &Region<'a>, found: &mut Vec<&'a str>) {
    for op in &region.ops {
        collect(&op.attrs, found);
        op.regions.iter().for_each(|r| collect_region(r, found));
    }
}

/// The place of a slice of `text` in it.
fn span_of(slice: &str, text: &str) -> Range<usize> {
    let start = (slice.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    start..start + slice.len()
}

/// `unspecified_dims=[0,1]` of a `backend_config`.
pub fn unspecified_dims(config: &str) -> impl Iterator<Item = usize> + '_ {
    let list = config.strip_prefix("unspecified_dims=[").and_then(|rest| rest.split_once(']'));
    list.map_or("", |(dims, _)| dims).split(',').filter_map(|d| d.trim().parse().ok())
}

/// One placement, or the placements of `{{..}, {..}}`, each with the number of devices where that is said.
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

/// What stands between the braces of one sharding.
fn parse_one(body: &str, text: &str, at: &Range<usize>) -> Result<(Placement<Runs>, Option<u64>)> {
    let bad = || malformed(text, at);
    let Some(rest) = body.strip_prefix("devices=") else {
        return match body.split_whitespace().next() {
            Some("replicated" | "maximal") => Ok((Placement::Whole, None)),
            Some("unknown") | None => Ok((Placement::Anywhere, None)),
            Some("manual") => Err(Fault::unsupported("a value has the sharding `{manual}`", at.clone())
                .help(crate::syntax::advice("sdy.manual_computation"))),
            Some(_) => Err(bad()),
        };
    };
    let (tile, rest) = list(rest, '[', ']').ok_or_else(bad)?;
    let count = tile.iter().try_fold(1u64, |n, &d| n.checked_mul(d)).filter(|&n| (1..=MAX_DEVICES).contains(&n));
    let Some(count) = count else {
        return Err(Fault::new(
            Code::L007,
            format!("the sharding `{text}` has an impossible number of devices"),
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
                .help(WITH_NAMES)
            })?;
            (runs, &rest[end..])
        }
    };
    if runs.iter().map(|r| r.size).product::<u64>() != count {
        return Err(bad());
    }
    let tile_runs = deal(&tile, &runs).ok_or_else(|| {
        Fault::unsupported(format!("the sharding `{text}` does not fit a mesh"), at.clone()).help(WITH_NAMES)
    })?;
    let subgroups = subgroups(rest).ok_or_else(bad)?;
    if subgroups.contains(&"manual") {
        return Err(Fault::unsupported(format!("the sharding `{text}` has manual axes"), at.clone())
            .help(crate::syntax::advice("sdy.manual_computation")));
    }
    let data = tile_runs.len().checked_sub(subgroups.len()).ok_or_else(bad)?;
    Ok((Placement::Tiled(tile_runs[..data].iter().cloned().collect()), Some(count)))
}

/// What the last dimensions of the tile are for, where they do not cut the tensor.
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

/// `[1, 2]` or `(1, 2)`, and what follows.
fn list(text: &str, open: char, close: char) -> Option<(SmallVec<[u64; 6]>, &str)> {
    let (items, rest) = text.strip_prefix(open)?.split_once(close)?;
    let items: Option<_> = items.split(',').map(|i| i.trim().parse().ok()).collect();
    Some((items?, rest))
}

/// `[2,4]T(1,0)`: device numbers in a box of those sizes, transposed.
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
    let Some(perm) = rest.strip_prefix('T') else { return Some((joined(&runs), rest)) };
    let (perm, rest) = list(perm, '(', ')')?;
    let mut seen: SmallVec<[u64; 6]> = perm.clone();
    seen.sort_unstable();
    if !seen.iter().copied().eq(0..runs.len() as u64) {
        return None;
    }
    let permuted: Runs = perm.iter().filter_map(|&p| runs.get(p as usize).copied()).collect();
    Some((joined(&permuted), rest))
}

/// Runs that continue each other made one, and runs of one device dropped.
fn joined(runs: &[Run]) -> Runs {
    let mut all = Runs::new();
    for &run in runs.iter().filter(|r| r.size > 1) {
        match all.last_mut() {
            Some(last) if last.stride == run.size * run.stride => *last = Run { size: last.size * run.size, ..run },
            _ => all.push(run),
        }
    }
    all
}

/// The runs of a list of device numbers, when the list is in the order of a transposed box.
fn linear_runs(ids: &[u64]) -> Option<Runs> {
    let mut runs = Runs::new();
    // From the minor end: a run goes on as long as its step does.
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
    (all && ids.iter().enumerate().all(|(at, &id)| id == number(at))).then(|| joined(&runs))
}

/// Deals runs out to the dimensions of the tile, major to minor; a run that is longer than what is left is cut.
fn deal(tile: &[u64], runs: &[Run]) -> Option<SmallVec<[Runs; 4]>> {
    let mut rest: SmallVec<[Run; 4]> = runs.iter().rev().copied().collect();
    tile.iter()
        .map(|&pieces| {
            let mut left = pieces;
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
    fn nonsense_is_refused() {
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
