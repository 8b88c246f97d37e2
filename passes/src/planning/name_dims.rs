//! Classes of dimensions: those that must be split alike, because a factor of some op's rule ties them.
//!
//! A union-find over dimensions. Where a dimension is made of several factors (a reshape), each factor of it is an
//! element of its own, and factors of two tied dimensions are tied too, so that a name survives being merged into
//! another dimension and split off again. A name that the user gives to one dimension covers its class
//! ([Mesh-TensorFlow](https://arxiv.org/abs/1811.02084)'s names, made automatic).

mod names;

pub use names::{DimClass, Names, list};

use super::ties::each_tie;
use partita_ir::arena::{Id, ValueId};
use partita_ir::program::Program;
use petgraph::unionfind::UnionFind;
use rustc_hash::FxHashMap;

/// A class, by its representative.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ClassId(u32);

/// The classes of a program's dimensions.
pub struct Classes {
    sets: UnionFind<u32>,
    first_dim: Vec<u32>,
    /// Whether each value belongs to a function that has layouts.
    laid_out: Vec<bool>,
    /// Dimensions that are made of several factors, each with the major one, as elements of `sets`.
    majors: Vec<(u32, u32)>,
}

/// A factor of a dimension: the dimension, and its place in it (sizes before it, its size).
struct Piece {
    element: u32,
    dim: u32,
    place: (usize, usize),
}

/// Reshapes of reshapes are followed this deep.
const MAX_ROUNDS: usize = 16;

impl Classes {
    /// The classes of a traced program.
    pub fn of(program: &Program) -> Classes {
        let mut first_dim = Vec::with_capacity(program.values.len() + 1);
        let mut count = 0;
        for value in program.values.values() {
            first_dim.push(count);
            count += value.ty.shape.rank() as u32;
        }
        first_dim.push(count);
        let funcs = program.laid_out_funcs();
        let mut classes = Classes {
            sets: UnionFind::new(count as usize),
            first_dim,
            laid_out: vec![false; program.values.len()],
            majors: Vec::new(),
        };
        for &func in &funcs {
            let func = &program.funcs[func];
            let made = func.ops().iter().flat_map(|&op| &program.ops[op].outs);
            func.inputs.iter().chain(made).for_each(|v| classes.laid_out[v.index()] = true);
        }
        let mut pieces: Vec<Piece> = Vec::new();
        let mut tied: Vec<Option<u32>> = Vec::new();
        each_tie(program, &funcs, |tie| {
            // An element of each factor.
            tied.clear();
            tied.resize(tie.rule.factors.len(), None);
            for (map, value) in tie.rule.maps().zip(tie.values) {
                for (dim, factors) in (classes.first_dim[value.index()]..).zip(map) {
                    let mut before = 1usize;
                    for factor in factors {
                        let size = tie.rule.factors[factor.0 as usize].size;
                        let element = if factors.len() == 1 {
                            dim
                        } else {
                            let element = classes.sets.new_set();
                            pieces.push(Piece { element, dim, place: (before, size) });
                            element
                        };
                        before = before.saturating_mul(size);
                        let first = *tied[factor.0 as usize].get_or_insert(element);
                        classes.sets.union(first, element);
                    }
                }
            }
        });
        classes.tie_pieces(&pieces);
        let major = pieces.iter().filter(|piece| piece.place.0 == 1);
        classes.majors = major.map(|piece| (piece.dim, piece.element)).collect();
        classes
    }

    /// Ties the factors of tied dimensions, until nothing changes.
    fn tie_pieces(&mut self, pieces: &[Piece]) {
        for _ in 0..MAX_ROUNDS {
            let mut changed = false;
            let mut first: FxHashMap<(u32, (usize, usize)), u32> = FxHashMap::default();
            for piece in pieces {
                let key = (self.sets.find_mut(piece.dim), piece.place);
                let same = *first.entry(key).or_insert(piece.element);
                changed |= self.sets.union(same, piece.element);
            }
            if !changed {
                return;
            }
        }
    }

    /// The class of a dimension.
    pub fn class(&self, value: ValueId, dim: usize) -> ClassId {
        ClassId(self.sets.find(self.first_dim[value.index()] + dim as u32))
    }

    /// For each dimension its stem: dimensions have one stem if they are of one class, or if one is the major factor of
    /// the other, so that an axis that splits one can split the other (`heads` of `heads x features`). One entry for
    /// each dimension of each value, in the order of values; see [`Classes::first_dims`].
    pub fn stems(&self) -> Vec<u32> {
        let mut sets = self.sets.clone();
        for &(dim, major) in &self.majors {
            sets.union(dim, major);
        }
        let count = self.first_dims().last().copied().unwrap_or(0);
        (0..count).map(|dim| sets.find_mut(dim)).collect()
    }

    /// Where the dimensions of each value begin, when those of all values stand in a row; one more entry than there are
    /// values.
    pub fn first_dims(&self) -> &[u32] {
        &self.first_dim
    }

    /// Every class that a dimension of a value with a layout belongs to, with these dimensions, in the order of their
    /// ids.
    pub fn members(&self, program: &Program) -> indexmap::IndexMap<ClassId, Vec<(ValueId, usize)>> {
        let mut members: indexmap::IndexMap<ClassId, Vec<(ValueId, usize)>> = indexmap::IndexMap::new();
        for (value, v) in program.values.iter().filter(|(v, _)| self.laid_out[v.index()]) {
            for dim in 0..v.ty.shape.rank() {
                members.entry(self.class(value, dim)).or_default().push((value, dim));
            }
        }
        members
    }
}
