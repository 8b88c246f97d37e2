//! Classes of dimensions that must be sharded identically, because a factor of some op's sharding rule relates them.
//!
//! A union-find over dimensions. If a dimension consists of several factors (a reshape), each factor is a separate
//! element, and corresponding factors of related dimensions are related too, so that a class includes dimensions that
//! are merged by one reshape and split again by a later one. A name that the user gives to one dimension applies to its
//! class (as in [Mesh-TensorFlow](https://arxiv.org/abs/1811.02084), where every dimension is named).

mod names;

pub use names::{DimClassInfo, DimNames, list_classes};

use super::ties::each_tie;
use partita_ir::arena::{Id, ValueId};
use partita_ir::program::Program;
use petgraph::unionfind::UnionFind;
use rustc_hash::FxHashMap;

/// Identifier of a class of dimensions: the index of its representative.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ClassId(u32);

/// Classes of a program's dimensions.
pub struct DimClasses {
    /// Union-find over the dimensions of all values, in the order of `first_dim`, then over the factors of dimensions.
    sets: UnionFind<u32>,
    /// See [`DimClasses::first_dims`].
    first_dim: Vec<u32>,
    /// For each value, true if it belongs to a function with layouts.
    laid_out: Vec<bool>,
    /// Each dimension that has several factors, with its most major factor, as elements of `sets`.
    majors: Vec<(u32, u32)>,
}

/// A factor of a dimension that has several factors.
struct DimFactor {
    /// The factor, as an element of the union-find.
    element: u32,
    /// The dimension, as an element of the union-find.
    dim: u32,
    /// Product of the sizes of the more major factors, and size of the factor.
    extent: (usize, usize),
}

/// Maximum number of rounds in which relations are propagated through chained reshapes.
const MAX_RESHAPE_ROUNDS: usize = 16;

impl DimClasses {
    /// Returns the classes of a traced program.
    pub fn new(program: &Program) -> DimClasses {
        let mut first_dim = Vec::with_capacity(program.values.len() + 1);
        let mut count = 0;
        for value in program.values.values() {
            first_dim.push(count);
            count += value.ty.shape.rank() as u32;
        }
        first_dim.push(count);
        let funcs = program.funcs_with_layouts();
        let mut classes = DimClasses {
            sets: UnionFind::new(count as usize),
            first_dim,
            laid_out: vec![false; program.values.len()],
            majors: Vec::new(),
        };
        for &func in &funcs {
            let func = &program.funcs[func];
            let results = func.ops().iter().flat_map(|&op| &program.ops[op].outs);
            func.inputs.iter().chain(results).for_each(|v| classes.laid_out[v.index()] = true);
        }
        let mut factors_of_dims: Vec<DimFactor> = Vec::new();
        let mut tied: Vec<Option<u32>> = Vec::new();
        each_tie(program, &funcs, |tie| {
            // The first element of each factor.
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
                            factors_of_dims.push(DimFactor { element, dim, extent: (before, size) });
                            element
                        };
                        before = before.saturating_mul(size);
                        let first = *tied[factor.0 as usize].get_or_insert(element);
                        classes.sets.union(first, element);
                    }
                }
            }
        });
        classes.tie_factors(&factors_of_dims);
        let major = factors_of_dims.iter().filter(|dim_factor| dim_factor.extent.0 == 1);
        classes.majors = major.map(|dim_factor| (dim_factor.dim, dim_factor.element)).collect();
        classes
    }

    /// Relates corresponding factors of related dimensions, until nothing changes or [`MAX_RESHAPE_ROUNDS`] is reached.
    fn tie_factors(&mut self, factors_of_dims: &[DimFactor]) {
        for _ in 0..MAX_RESHAPE_ROUNDS {
            let mut changed = false;
            let mut first: FxHashMap<(u32, (usize, usize)), u32> = FxHashMap::default();
            for dim_factor in factors_of_dims {
                let key = (self.sets.find_mut(dim_factor.dim), dim_factor.extent);
                let same = *first.entry(key).or_insert(dim_factor.element);
                changed |= self.sets.union(same, dim_factor.element);
            }
            if !changed {
                return;
            }
        }
    }

    /// Returns the class of a dimension.
    pub fn class(&self, value: ValueId, dim: usize) -> ClassId {
        ClassId(self.sets.find(self.first_dim[value.index()] + dim as u32))
    }

    /// Returns the stem of each dimension: an identifier that is equal for dimensions that one axis can shard
    /// consistently. Two dimensions have the same stem if they are in one class, or if one is the most major factor of
    /// the other (`heads` of `heads x features`). Entries are indexed by [`DimClasses::first_dims`] plus the dimension.
    pub fn stems(&self) -> Vec<u32> {
        let mut sets = self.sets.clone();
        for &(dim, major) in &self.majors {
            sets.union(dim, major);
        }
        let count = self.first_dims().last().copied().unwrap_or(0);
        (0..count).map(|dim| sets.find_mut(dim)).collect()
    }

    /// Returns, for each value, the index of its first dimension in an enumeration of the dimensions of all values. The
    /// last entry is the total number of dimensions.
    pub fn first_dims(&self) -> &[u32] {
        &self.first_dim
    }

    /// Returns every class with its dimensions, for values with a layout, in the order of first occurrence.
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
