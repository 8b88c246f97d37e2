//! Which kernel computes a product of narrow floats on tensor cores: one of our own, or one of CubeK's.
//!
//! Ours do what follows a product, too; of a product that stands alone CubeK's may be faster. What was measured on a
//! GPU decides; for what was not, a model of the time does.

#[cfg(feature = "cubek")]
use crate::cubek::{self, Recorded};
use crate::kernels::product::Sizes;
use crate::kernels::steps::{At, Step};
use crate::kernels::tensor_product::Cut;
use crate::spec::{Factors, Float, Spec};
use crate::text;
#[cfg(feature = "cubek")]
use crate::text::cpp::multiprocessors;
use partita_gpu::Target;
use partita_gpu::module::Kernel;
use partita_gpu::peak::Peak;
use partita_ir::diag::Diagnostic;

/// How products of narrow floats are computed on tensor cores.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Strategy {
    /// As measurements say, or the model where there are none.
    #[default]
    Chosen,
    /// By kernels of our own.
    Own,
    /// By kernels of CubeK.
    Cubek,
}

impl Strategy {
    /// Those that are a kernel.
    pub const KERNELS: [Strategy; 2] = [Strategy::Own, Strategy::Cubek];

    /// What the table of measurements calls it.
    pub fn name(self) -> &'static str {
        match self {
            Strategy::Chosen => "chosen",
            Strategy::Own => "own",
            Strategy::Cubek => "cubek",
        }
    }

    /// The strategy of that name.
    pub fn named(name: &str) -> Option<Strategy> {
        Strategy::KERNELS.into_iter().find(|strategy| strategy.name() == name)
    }
}

/// What was measured: architecture, floats, batch, m, n, k, strategy, microseconds. Written by `benches/gpu`.
const MEASURED: &str = include_str!("strategy/measured.csv");

/// Products whose sides are all within such a factor are alike.
const ALIKE: f64 = 2.0;

/// A measurement.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Measured {
    arch: u32,
    float: Float,
    sides: [usize; 4],
    strategy: Strategy,
    microseconds: f64,
}

impl Measured {
    fn read(line: &str) -> Option<Measured> {
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        let &[arch, float, batch, m, n, k, strategy, microseconds] = &fields[..] else { return None };
        Some(Measured {
            arch: arch.parse().ok()?,
            float: [Float::Bf16, Float::F16].into_iter().find(|f| name(*f) == float)?,
            sides: [batch.parse().ok()?, m.parse().ok()?, n.parse().ok()?, k.parse().ok()?],
            strategy: Strategy::named(strategy)?,
            microseconds: microseconds.parse().ok()?,
        })
    }

    /// How far its sides are from others, as the logarithm of a factor; nothing if they are not alike.
    fn distance(&self, sides: [usize; 4]) -> Option<f64> {
        let logs = self.sides.iter().zip(sides).map(|(&a, b)| (a.max(1) as f64 / b.max(1) as f64).log2().abs());
        let most = logs.fold(0.0, f64::max);
        (most <= ALIKE.log2()).then_some(most)
    }
}

/// The fastest for the sides that are nearest to these, of a table.
fn measured(table: &str, arch: u32, float: Float, sides: [usize; 4]) -> Option<Strategy> {
    let rows = table.lines().filter_map(Measured::read).filter(|row| row.arch == arch && row.float == float);
    let near = rows.filter_map(|row| Some((row.distance(sides)?, row.microseconds, row.strategy)));
    near.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))).map(|row| row.2)
}

fn name(float: Float) -> &'static str {
    match float {
        Float::F32 => "f32",
        Float::Bf16 => "bf16",
        Float::F16 => "f16",
    }
}

/// A kernel of that name for a target: CubeK's if a strategy takes that, and else our own.
///
/// # Errors
/// As [`text::printed`].
pub(crate) fn kernel(spec: &Spec, name: &str, target: Target, strategy: Strategy) -> Result<Kernel, Diagnostic> {
    #[cfg(feature = "cubek")]
    if let Some(kernel) = library(spec, target, strategy) {
        let (reads, writes) = spec.buffers();
        let name = format!("cubek_{name}");
        return Ok(Kernel {
            source: text::renamed(&kernel.source, &kernel.entry, &name),
            name,
            binary: None,
            reads,
            writes,
            info: kernel.info,
            cubes: kernel.cubes,
            units: kernel.units,
            shared_bytes: kernel.shared_bytes,
            work: spec.work(),
            purpose: Default::default(),
        });
    }
    text::printed(spec, name, target)
}

/// CubeK's kernel for a spec, if it is the one to take.
#[cfg(feature = "cubek")]
fn library(spec: &Spec, target: Target, strategy: Strategy) -> Option<Recorded> {
    let Target::Cuda { arch } = target else { return None };
    let (sizes, cut, of, to) = plain(spec)?;
    let theirs = || cubek::multiply(sizes, of, to, arch);
    match strategy {
        Strategy::Chosen => match measured(MEASURED, arch, of, [sizes.batch, sizes.m, sizes.n, sizes.k]) {
            Some(Strategy::Cubek) => theirs(),
            Some(_) => None,
            None => {
                let model = Model { sizes, peak: Peak::of(target)?, multiprocessors: multiprocessors(arch) };
                let theirs = model.is_large().then(theirs).flatten()?;
                let cubes = theirs.cubes.iter().map(|&n| n as usize).product();
                // They bring tiles, then multiply them; ours do both at once.
                (model.seconds(cubes, false) < model.seconds(cut.cubes(sizes), true)).then_some(theirs)
            }
        },
        Strategy::Own => None,
        Strategy::Cubek => theirs(),
    }
}

/// How long a product takes at best: cubes come in waves, one to a multiprocessor, and bring their tiles from the
/// second-level cache while they multiply, or before.
struct Model<'s> {
    sizes: &'s Sizes,
    peak: Peak,
    multiprocessors: u32,
}

impl Model<'_> {
    /// How many times as fast as memory the second-level cache is.
    const CACHE: f64 = 2.0;

    /// Whether it takes so long that a choice is worth compiling for.
    fn is_large(&self) -> bool {
        let Sizes { m, n, k, batch, .. } = *self.sizes;
        batch as f64 * m as f64 * n as f64 * k as f64 >= (1u64 << 32) as f64
    }

    fn seconds(&self, cubes: usize, overlaps: bool) -> f64 {
        let Sizes { m, n, k, batch, .. } = *self.sizes;
        let each = f64::from(self.multiprocessors);
        let waves = (cubes as f64 / each).ceil();
        let tile = (batch * m * n) as f64 / cubes.max(1) as f64;
        let multiplied = 2.0 * tile * k as f64 * each / self.peak.tensor_flops_per_second;
        let brought = 2.0 * tile.sqrt() * 2.0 * k as f64 * each / (Self::CACHE * self.peak.bytes_per_second);
        waves * if overlaps { multiplied.max(brought) } else { multiplied + brought }
    }
}

/// A product that nothing follows: its sizes, its cut, and the floats of operands and result.
fn plain(spec: &Spec) -> Option<(&Sizes, &Cut, Float, Float)> {
    let Spec::Product { of: Factors::Narrow(sizes, cut, of), reads: 0, writes: 1, epilogue } = spec else {
        return None;
    };
    if spec.has_long_addresses() {
        return None;
    }
    let [Step::Reduced { .. }, store] = &epilogue[..] else { return None };
    match store {
        Step::Store { at, .. } if *at == At::dense() => Some((sizes, cut, *of, Float::F32)),
        Step::StoreHalf { at, .. } if *at == At::dense() => Some((sizes, cut, *of, *of)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measurements_decide_where_there_are_some() {
        let table = "# a remark
            90, bf16, 1, 4096, 4096, 4096, own, 300
            90, bf16, 1, 4096, 4096, 4096, cubek, 250
            90, bf16, 1, 8192, 8192, 8192, own, 1500
            90, bf16, 1, 8192, 8192, 8192, cubek, 1600
            80, bf16, 1, 4096, 4096, 4096, cubek, 500";
        let best = |arch, float, sides| measured(table, arch, float, sides);
        assert_eq!(best(90, Float::Bf16, [1, 4096, 4096, 4096]), Some(Strategy::Cubek));
        assert_eq!(best(90, Float::Bf16, [1, 5000, 4000, 4000]), Some(Strategy::Cubek));
        assert_eq!(best(90, Float::Bf16, [1, 8000, 9000, 7000]), Some(Strategy::Own));
        assert_eq!(best(80, Float::Bf16, [1, 4096, 4096, 4096]), Some(Strategy::Cubek));
        assert_eq!(best(90, Float::F16, [1, 4096, 4096, 4096]), None);
        assert_eq!(best(90, Float::Bf16, [1, 4096, 4096, 512]), None);
        assert_eq!(best(90, Float::Bf16, [8, 4096, 4096, 4096]), None);
    }

    #[test]
    fn every_row_of_the_table_is_read() {
        for line in MEASURED.lines().filter(|line| !line.starts_with('#')) {
            assert!(Measured::read(line).is_some(), "{line}");
        }
    }
}
