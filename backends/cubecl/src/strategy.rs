//! Choice of the kernel for matrix products of 16-bit floats on tensor cores: the built-in kernel or one of CubeK.
//!
//! The built-in kernel supports fused epilogues; for a product without epilogue, CubeK may be faster. Measurements on
//! GPUs decide, or a performance model for sizes without measurements.

#[cfg(feature = "cubek")]
use crate::cubek::{self, RecordedLaunch};
use crate::kernels::product::MatmulSizes;
use crate::kernels::steps::{AddressMap, Step};
use crate::kernels::tensor_product::Tiling;
use crate::spec::{FloatType, KernelSpec, ProductKind};
use crate::text;
#[cfg(feature = "cubek")]
use crate::text::cpp::multiprocessors;
use partita_gpu::Target;
use partita_gpu::module::Kernel;
use partita_gpu::peak::Peak;
use partita_ir::diag::Diagnostic;

/// Kernels for matrix products of 16-bit floats on tensor cores.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum MatmulStrategy {
    /// The faster kernel according to measurements or the performance model.
    #[default]
    Auto,
    /// The built-in kernel.
    BuiltIn,
    /// A kernel of CubeK.
    Cubek,
}

impl MatmulStrategy {
    /// The strategies that stand for a single kernel.
    pub const KERNELS: [MatmulStrategy; 2] = [MatmulStrategy::BuiltIn, MatmulStrategy::Cubek];

    /// Returns the name in the table of measurements.
    pub fn name(self) -> &'static str {
        match self {
            MatmulStrategy::Auto => "chosen",
            MatmulStrategy::BuiltIn => "own",
            MatmulStrategy::Cubek => "cubek",
        }
    }

    /// Returns the strategy with a name.
    pub fn from_name(name: &str) -> Option<MatmulStrategy> {
        MatmulStrategy::KERNELS.into_iter().find(|strategy| strategy.name() == name)
    }
}

/// Measurements: architecture, float type, batch, m, n, k, strategy, microseconds. Written by `benches/gpu`.
const MEASURED: &str = include_str!("strategy/measured.csv");

/// Maximum ratio between the sizes of a product and those of a measurement that applies to it.
const MAX_SIDE_RATIO: f64 = 2.0;

/// A measured product.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Measurement {
    arch: u32,
    float: FloatType,
    sides: [usize; 4],
    strategy: MatmulStrategy,
    microseconds: f64,
}

impl Measurement {
    fn read(line: &str) -> Option<Measurement> {
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        let &[arch, float, batch, m, n, k, strategy, microseconds] = &fields[..] else { return None };
        Some(Measurement {
            arch: arch.parse().ok()?,
            float: [FloatType::Bf16, FloatType::F16].into_iter().find(|f| name(*f) == float)?,
            sides: [batch.parse().ok()?, m.parse().ok()?, n.parse().ok()?, k.parse().ok()?],
            strategy: MatmulStrategy::from_name(strategy)?,
            microseconds: microseconds.parse().ok()?,
        })
    }

    /// Returns the largest ratio between corresponding sizes, as its binary logarithm, or `None` if the measurement
    /// does not apply.
    fn distance(&self, sides: [usize; 4]) -> Option<f64> {
        let logs = self.sides.iter().zip(sides).map(|(&a, b)| (a.max(1) as f64 / b.max(1) as f64).log2().abs());
        let most = logs.fold(0.0, f64::max);
        (most <= MAX_SIDE_RATIO.log2()).then_some(most)
    }
}

/// Returns the fastest strategy of a table for the measured sizes nearest to `sides`.
fn fastest_measured(table: &str, arch: u32, float: FloatType, sides: [usize; 4]) -> Option<MatmulStrategy> {
    let rows = table.lines().filter_map(Measurement::read).filter(|row| row.arch == arch && row.float == float);
    let near = rows.filter_map(|row| Some((row.distance(sides)?, row.microseconds, row.strategy)));
    near.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))).map(|row| row.2)
}

fn name(float: FloatType) -> &'static str {
    match float {
        FloatType::F32 => "f32",
        FloatType::Bf16 => "bf16",
        FloatType::F16 => "f16",
    }
}

/// Returns a kernel for a target, under the given name: the kernel of CubeK if the strategy selects it, otherwise the
/// built-in one.
///
/// # Errors
/// Returns the same errors as [`text::printed`].
pub(crate) fn kernel(
    spec: &KernelSpec,
    name: &str,
    target: Target,
    strategy: MatmulStrategy,
) -> Result<Kernel, Diagnostic> {
    #[cfg(feature = "cubek")]
    if let Some(kernel) = cubek_kernel(spec, target, strategy) {
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

/// Returns CubeK's kernel for a product, if the strategy selects it.
#[cfg(feature = "cubek")]
fn cubek_kernel(spec: &KernelSpec, target: Target, strategy: MatmulStrategy) -> Option<RecordedLaunch> {
    let Target::Cuda { arch } = target else { return None };
    let (sizes, tiling, of, to) = without_epilogue(spec)?;
    let theirs = || cubek::multiply(sizes, of, to, arch);
    match strategy {
        MatmulStrategy::Auto => match fastest_measured(MEASURED, arch, of, [sizes.batch, sizes.m, sizes.n, sizes.k]) {
            Some(MatmulStrategy::Cubek) => theirs(),
            Some(_) => None,
            None => {
                let model = Model { sizes, peak: Peak::for_target(target)?, multiprocessors: multiprocessors(arch) };
                let theirs = model.is_large().then(theirs).flatten()?;
                let cubes = theirs.cubes.iter().map(|&n| n as usize).product();
                // CubeK's kernel loads tiles before it multiplies them; the built-in one overlaps both.
                (model.seconds(cubes, false) < model.seconds(tiling.cubes(sizes), true)).then_some(theirs)
            }
        },
        MatmulStrategy::BuiltIn => None,
        MatmulStrategy::Cubek => theirs(),
    }
}

/// Performance model of a matrix product, a lower bound of its time: cubes run in waves, one per multiprocessor, and
/// load their tiles from the second-level cache before or during the multiplication.
struct Model<'s> {
    sizes: &'s MatmulSizes,
    peak: Peak,
    multiprocessors: u32,
}

impl Model<'_> {
    /// Bandwidth of the second-level cache relative to memory.
    const CACHE_TO_MEMORY_BANDWIDTH: f64 = 2.0;

    /// Returns true if the product has enough operations to justify compiling both kernels.
    fn is_large(&self) -> bool {
        let MatmulSizes { m, n, k, batch, .. } = *self.sizes;
        batch as f64 * m as f64 * n as f64 * k as f64 >= (1u64 << 32) as f64
    }

    fn seconds(&self, cubes: usize, overlaps: bool) -> f64 {
        let MatmulSizes { m, n, k, batch, .. } = *self.sizes;
        let each = f64::from(self.multiprocessors);
        let waves = (cubes as f64 / each).ceil();
        let tile = (batch * m * n) as f64 / cubes.max(1) as f64;
        let multiplied = 2.0 * tile * k as f64 * each / self.peak.tensor_flops_per_second;
        let brought =
            2.0 * tile.sqrt() * 2.0 * k as f64 * each / (Self::CACHE_TO_MEMORY_BANDWIDTH * self.peak.bytes_per_second);
        waves * if overlaps { multiplied.max(brought) } else { multiplied + brought }
    }
}

/// Returns the sizes, tiling, and operand and result types of a product without epilogue.
fn without_epilogue(spec: &KernelSpec) -> Option<(&MatmulSizes, &Tiling, FloatType, FloatType)> {
    let KernelSpec::Product { kind: ProductKind::Narrow(sizes, tiling, of), reads: 0, writes: 1, epilogue } = spec
    else {
        return None;
    };
    if spec.has_64_bit_addresses() {
        return None;
    }
    let [Step::Reduced { .. }, store] = &epilogue[..] else { return None };
    match store {
        Step::Store { at, .. } if *at == AddressMap::identity() => Some((sizes, tiling, *of, FloatType::F32)),
        Step::StoreHalf { at, .. } if *at == AddressMap::identity() => Some((sizes, tiling, *of, *of)),
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
        let best = |arch, float, sides| fastest_measured(table, arch, float, sides);
        assert_eq!(best(90, FloatType::Bf16, [1, 4096, 4096, 4096]), Some(MatmulStrategy::Cubek));
        assert_eq!(best(90, FloatType::Bf16, [1, 5000, 4000, 4000]), Some(MatmulStrategy::Cubek));
        assert_eq!(best(90, FloatType::Bf16, [1, 8000, 9000, 7000]), Some(MatmulStrategy::BuiltIn));
        assert_eq!(best(80, FloatType::Bf16, [1, 4096, 4096, 4096]), Some(MatmulStrategy::Cubek));
        assert_eq!(best(90, FloatType::F16, [1, 4096, 4096, 4096]), None);
        assert_eq!(best(90, FloatType::Bf16, [1, 4096, 4096, 512]), None);
        assert_eq!(best(90, FloatType::Bf16, [8, 4096, 4096, 4096]), None);
    }

    #[test]
    fn every_row_of_the_table_is_valid() {
        for line in MEASURED.lines().filter(|line| !line.starts_with('#')) {
            assert!(Measurement::read(line).is_some(), "{line}");
        }
    }
}
