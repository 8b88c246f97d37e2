//! Random programs: every operation, odd sizes, layouts on random axes of random meshes.
//!
//! A [`Case`] is nothing but numbers, so that proptest can shrink it: a tape for the mesh, one for the inputs and their
//! layouts, and one for each step. [`Case::draw`] turns them into a traced program with layouts, deterministically, and
//! any numbers give a valid program. What a step cannot draw it leaves out.
//!
//! Every value carries a bound on its magnitude and whether its elements are whole numbers that its type holds exactly.
//! Operations that would leave that range get a clamped operand, and functions with jumps (`floor`, `sort`,
//! comparisons) only see whole numbers. So outputs of whole numbers must agree exactly, and the others up to rounding.

mod composite;
mod contract;
mod control;
mod elementwise;
mod index;
mod movement;
mod place;
mod pool;

pub use place::draw_layout;
pub use pool::{Draw, Val};

use partita_ir::dtype::{DType, Type};
use partita_ir::program::Program;
use partita_ir::tensor::Tensor;
use pool::Tape;
use proptest::prelude::{Strategy, any};
use proptest::{array, collection};

/// Numbers for one part of a case.
pub type Numbers = [u16; 24];

/// A random program as numbers.
#[derive(Clone, Debug)]
pub struct Case {
    /// The mesh.
    pub mesh: [u16; 8],
    /// Each input: its type and its layout.
    pub inputs: Vec<Numbers>,
    /// Each operation.
    pub steps: Vec<Numbers>,
}

/// Any case of up to `steps` operations.
pub fn cases(steps: usize) -> impl Strategy<Value = Case> {
    let numbers = || array::uniform24(any::<u16>());
    (array::uniform8(any::<u16>()), collection::vec(numbers(), 1..4), collection::vec(numbers(), 1..=steps))
        .prop_map(|(mesh, inputs, steps)| Case { mesh, inputs, steps })
}

/// A random program with what is known about it.
pub struct Drawn {
    /// The program, traced, with layouts.
    pub program: Program,
    /// The whole numbers that each input of the main function may hold.
    pub ranges: Vec<(i64, i64)>,
    /// For each output, whether it must agree exactly.
    pub exact: Vec<bool>,
}

/// A way to append an operation; `None` when the values at hand do not allow it.
type Step = fn(&mut Draw<'_>) -> Option<()>;

/// What programs are drawn from.
pub struct Palette {
    /// Operations, by name. Those that the partitioner makes come from the layouts.
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
        steps: &[elementwise::STEPS, movement::STEPS, index::STEPS, contract::STEPS, composite::STEPS, control::STEPS],
        sizes: &[4, 2, 3, 8, 6, 5, 1, 7, 12, 16, 0, 11, 13, 9, 10, 1],
        ranks: &[2, 1, 3, 2, 0, 4],
        dtypes: &[DType::F32, DType::F64, DType::I32, DType::F32, DType::I64, DType::U32],
    };

    /// Contractions of integers with biases and movement: every element of every value matters to the outputs.
    pub const LINEAR: Palette =
        Palette { steps: &[contract::LINEAR], sizes: &[4, 6, 8, 12, 5, 7], ranks: &[2, 3], dtypes: &[DType::I64] };
}

impl Case {
    /// The program that the numbers mean.
    pub fn draw(&self, palette: &'static Palette) -> Drawn {
        let mut draw = Draw::new(place::draw_mesh(&mut Tape::new(&self.mesh)), palette);
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

impl Drawn {
    /// Inputs of whole numbers in their ranges, a function of the seed alone.
    pub fn inputs(&self, seed: u64) -> Vec<Tensor> {
        ranged_inputs(&self.program, &self.ranges, seed)
    }

    /// Inputs for programs of integers, which wrap and are exact however large: far apart and never 0, so that what one
    /// device does differently hardly ever cancels.
    pub fn telling_inputs(&self, seed: u64) -> Vec<Tensor> {
        ranged_inputs(&self.program, &vec![(1_000, 1_000_000); self.ranges.len()], seed)
    }

    /// Whether every output must agree exactly.
    pub fn is_exact(&self) -> bool {
        self.exact.iter().all(|&e| e)
    }
}

/// Inputs of small whole numbers for any program, a function of the seed alone.
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

/// SplitMix64 (Steele, Lea and Flood 2014).
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (*state ^ (*state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// The largest number up to which the type holds every whole number; what is beyond it is clamped. Integers wrap, which
/// is exact however far they go.
pub(crate) fn limit(dtype: DType) -> f64 {
    match dtype {
        DType::F64 => 2f64.powi(50),
        DType::F32 => 2f64.powi(23),
        DType::F16 => 2f64.powi(10),
        DType::BF16 => 2f64.powi(7),
        DType::Bool => 1.0,
        DType::I64 | DType::I32 | DType::I8 | DType::U64 | DType::U32 | DType::U8 => f64::INFINITY,
    }
}

/// Values of more elements than this are not drawn.
pub(crate) const MAX_ELEMENTS: usize = 2000;

/// Whether a value of that type may be drawn.
pub(crate) fn fits(ty: &Type) -> bool {
    ty.shape.checked_count().is_some_and(|n| n <= MAX_ELEMENTS)
}
