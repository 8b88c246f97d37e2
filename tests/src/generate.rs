//! Generator of random programs: every operation, odd sizes, layouts on random axes of random meshes.
//!
//! A [`Case`] consists of numbers alone, so that proptest can shrink it: a sequence for the mesh, one for each input
//! and its layout, and one for each step. [`Case::draw`] deterministically converts them to a traced program with
//! layouts, and any numbers yield a valid program. Inapplicable steps are skipped.
//!
//! Every value has a bound on its magnitude and a flag for integral elements that its type represents exactly. Operands
//! are clamped where an operation would exceed that range, and discontinuous functions (`floor`, `sort`, comparisons)
//! only receive integral operands. Integral outputs must therefore agree exactly, and other outputs up to rounding.

mod composite;
mod contract;
mod control;
mod elementwise;
mod index;
mod linear_algebra;
mod movement;
mod place;
mod pool;

pub use place::draw_layout;
pub use pool::{GeneratedValue, Generator};

use partita_ir::dtype::{DType, Type};
use partita_ir::program::Program;
use partita_ir::tensor::Tensor;
use pool::Tape;
use proptest::prelude::{Strategy, any};
use proptest::{array, collection};

/// Random numbers that determine one part of a case.
pub type Numbers = [u16; 24];

/// A random program, encoded as numbers.
#[derive(Clone, Debug)]
pub struct Case {
    /// The mesh.
    pub mesh: [u16; 8],
    /// Type and layout of each input.
    pub inputs: Vec<Numbers>,
    /// Each operation.
    pub steps: Vec<Numbers>,
}

/// Returns a strategy for cases of up to `steps` operations.
pub fn cases(steps: usize) -> impl Strategy<Value = Case> {
    let numbers = || array::uniform24(any::<u16>());
    (array::uniform8(any::<u16>()), collection::vec(numbers(), 1..4), collection::vec(numbers(), 1..=steps))
        .prop_map(|(mesh, inputs, steps)| Case { mesh, inputs, steps })
}

/// A generated program with its properties.
pub struct GeneratedProgram {
    /// The traced program with layouts.
    pub program: Program,
    /// Range of integral values of each input of the main function.
    pub ranges: Vec<(i64, i64)>,
    /// For each output, true if results must agree exactly.
    pub exact: Vec<bool>,
}

/// Appends an operation; returns `None` if no available operands are suitable.
type Step = fn(&mut Generator<'_>) -> Option<()>;

/// Operations, sizes and types from which programs are generated.
pub struct Palette {
    /// Operations by name, without those that the partitioner inserts for layouts.
    steps: &'static [&'static [(&'static str, Step)]],
    /// Sizes of dimensions.
    sizes: &'static [usize],
    /// Ranks of inputs.
    ranks: &'static [usize],
    /// Element types of inputs.
    dtypes: &'static [DType],
}

impl Palette {
    /// Every operation; sizes that are prime, powers of two, smaller than any mesh, one, and zero.
    pub const ALL: Palette = Palette {
        steps: &[
            elementwise::STEPS,
            movement::STEPS,
            index::STEPS,
            contract::STEPS,
            linear_algebra::DIFFERENTIABLE,
            linear_algebra::FACTORIZATIONS,
            composite::STEPS,
            control::STEPS,
        ],
        sizes: &[4, 2, 3, 8, 6, 5, 1, 7, 12, 16, 0, 11, 13, 9, 10, 1],
        ranks: &[2, 1, 3, 2, 0, 4],
        dtypes: &[DType::F32, DType::F64, DType::I32, DType::F32, DType::I64, DType::U32],
    };

    /// [`Palette::ALL`] without factorizations that have no adjoint.
    pub const DIFFERENTIABLE: Palette = Palette {
        steps: &[
            elementwise::STEPS,
            movement::STEPS,
            index::STEPS,
            contract::STEPS,
            linear_algebra::DIFFERENTIABLE,
            composite::STEPS,
            control::STEPS,
        ],
        ..Palette::ALL
    };

    /// Integer contractions with biases and data movement: every element of every value affects the outputs.
    pub const LINEAR: Palette =
        Palette { steps: &[contract::LINEAR], sizes: &[4, 6, 8, 12, 5, 7], ranks: &[2, 3], dtypes: &[DType::I64] };
}

impl Case {
    /// Returns the program encoded by the numbers.
    pub fn draw(&self, palette: &'static Palette) -> GeneratedProgram {
        let mut draw = Generator::new(place::draw_mesh(&mut Tape::new(&self.mesh)), palette);
        for numbers in &self.inputs {
            draw.set_tape(numbers);
            draw.draw_input();
        }
        let steps: Vec<Step> = palette.steps.iter().flat_map(|group| group.iter().map(|(_, step)| *step)).collect();
        for numbers in &self.steps {
            draw.set_tape(numbers);
            let step = steps[draw.tape.below(steps.len())];
            step(&mut draw);
            if draw.tape.one_in(6) {
                draw.draw_constraint();
            }
        }
        draw.finish()
    }
}

impl GeneratedProgram {
    /// Returns integral inputs within their ranges, determined by the seed alone.
    pub fn inputs(&self, seed: u64) -> Vec<Tensor> {
        ranged_inputs(&self.program, &self.ranges, seed)
    }

    /// Returns inputs for integer programs, whose arithmetic wraps and is exact. The values are widely spread and never
    /// 0, so that faults rarely cancel.
    pub fn distinct_inputs(&self, seed: u64) -> Vec<Tensor> {
        ranged_inputs(&self.program, &vec![(1_000, 1_000_000); self.ranges.len()], seed)
    }

    /// Returns true if every output must agree exactly.
    pub fn is_exact(&self) -> bool {
        self.exact.iter().all(|&e| e)
    }
}

/// Returns small integral inputs for any program, determined by the seed alone.
pub fn small_inputs(program: &Program, seed: u64) -> Vec<Tensor> {
    let signed = |dtype: DType| !dtype.is_unsigned() && dtype != DType::Bool;
    let range = |value| if signed(program.ty(value).dtype) { (-3, 3) } else { (0, 3) };
    let ranges: Vec<(i64, i64)> = program.inputs().iter().map(|&v| range(v)).collect();
    ranged_inputs(program, &ranges, seed)
}

fn ranged_inputs(program: &Program, ranges: &[(i64, i64)], seed: u64) -> Vec<Tensor> {
    let mut state = seed;
    let mut draw = |ty: &Type, low: i64, high: i64| {
        let width = (high - low + 1) as u64;
        let items = (0..ty.shape.count()).map(|_| low + (next(&mut state) % width) as i64);
        Tensor::from_ints(ty.clone(), items.collect())
    };
    program.inputs().iter().zip(ranges).map(|(&v, &(low, high))| draw(program.ty(v), low, high)).collect()
}

/// Returns the next number of SplitMix64 (Steele, Lea and Flood 2014).
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (*state ^ (*state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Returns the largest number up to which the type represents every integer exactly; larger values are clamped.
/// Integers wrap, which is exact for any value.
pub(crate) fn exact_integer_limit(dtype: DType) -> f64 {
    match dtype {
        DType::F64 => 2f64.powi(50),
        DType::F32 => 2f64.powi(23),
        DType::F16 => 2f64.powi(10),
        DType::BF16 => 2f64.powi(7),
        DType::Bool => 1.0,
        DType::Mini(format) => f64::from(1u32 << format.mantissa_bits()),
        _ => f64::INFINITY,
    }
}

/// Maximum number of elements of a generated value.
pub(crate) const MAX_VALUE_ELEMENTS: usize = 2000;

/// Returns true if a value of the type may be generated.
pub(crate) fn is_within_element_limit(ty: &Type) -> bool {
    ty.shape.checked_count().is_some_and(|n| n <= MAX_VALUE_ELEMENTS)
}
