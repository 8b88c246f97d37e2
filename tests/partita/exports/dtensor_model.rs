//! The documented semantics of DTensor: placements along the axes of a mesh, and the layers of
//! `torch.distributed.tensor.parallel`. Shares no code with Partita.

/// Placement along one axis of a mesh.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Placed {
    Shard(usize),
    Replicate,
    Partial,
}

impl Placed {
    /// Parses `Shard(0)`, `Replicate` or `Partial`.
    pub fn parse(text: &str) -> Placed {
        match text {
            "Replicate" => Placed::Replicate,
            "Partial" => Placed::Partial,
            text => {
                let dim = text.strip_prefix("Shard(").and_then(|rest| rest.strip_suffix(')'));
                Placed::Shard(dim.and_then(|dim| dim.parse().ok()).unwrap_or_else(|| panic!("no placement: {text}")))
            }
        }
    }
}

/// Tensor in row-major order.
#[derive(Clone, PartialEq, Debug)]
pub struct Array {
    pub shape: Vec<usize>,
    pub data: Vec<f64>,
}

impl Array {
    /// Creates an array of values that are a function of the position and a seed.
    pub fn arbitrary(shape: &[usize], seed: u64) -> Array {
        let count = shape.iter().product::<usize>() as u64;
        let value = |at: u64| ((at * 7919 + seed * 104_729 + 13) % 1009) as f64 / 504.5 - 1.0;
        Array { shape: shape.to_vec(), data: (0..count).map(value).collect() }
    }

    /// Returns the elements `start..end` of a dimension.
    fn narrow(&self, dim: usize, start: usize, end: usize) -> Array {
        let inner: usize = self.shape[dim + 1..].iter().product();
        let size = self.shape[dim];
        let keeps = |at: &usize| (start..end).contains(&(at / inner.max(1) % size));
        let data = (0..self.data.len()).filter(keeps).map(|at| self.data[at]).collect();
        let mut shape = self.shape.clone();
        shape[dim] = end - start;
        Array { shape, data }
    }

    /// Returns the chunk of a dimension as `torch.chunk` divides it: all chunks but the last have the rounded-up size,
    /// and there may be fewer chunks than requested, in which case the others are empty.
    pub fn chunk(&self, dim: usize, count: usize, number: usize) -> Array {
        let size = self.shape[dim];
        let each = size.div_ceil(count);
        let start = (each * number).min(size);
        self.narrow(dim, start, (start + each).min(size))
    }

    /// Concatenates arrays along a dimension.
    pub fn concatenate(all: &[Array], dim: usize) -> Array {
        let outer: usize = all[0].shape[..dim].iter().product();
        let mut shape = all[0].shape.clone();
        shape[dim] = all.iter().map(|one| one.shape[dim]).sum();
        let row = |one: &Array, at: usize| {
            let length = one.data.len() / outer.max(1);
            one.data[at * length..(at + 1) * length].to_vec()
        };
        let data = (0..outer).flat_map(|at| all.iter().flat_map(move |one| row(one, at))).collect();
        Array { shape, data }
    }

    pub fn map(&self, f: impl Fn(f64) -> f64) -> Array {
        Array { shape: self.shape.clone(), data: self.data.iter().map(|&x| f(x)).collect() }
    }

    /// Adds arrays of equal shape, or a vector to each row.
    pub fn add(&self, other: &Array) -> Result<Array, String> {
        let columns = other.data.len();
        let is_vector = other.shape.len() == 1 && self.shape.last() == other.shape.first();
        if self.shape != other.shape && !is_vector {
            return Err(format!("cannot add {:?} and {:?}", self.shape, other.shape));
        }
        let data = self.data.iter().enumerate().map(|(at, x)| x + other.data[at % columns]).collect();
        Ok(Array { shape: self.shape.clone(), data })
    }

    /// `torch.nn.functional.linear` without a bias: the product of the last dimension with that of a weight
    /// `[out, in]`.
    pub fn linear(&self, weight: &Array) -> Result<Array, String> {
        let (&[rows, inner], Some(&last)) = (&weight.shape[..], self.shape.last()) else { panic!("not a matrix") };
        if inner != last {
            return Err(format!("a linear layer [{rows}, {inner}] cannot read {:?}", self.shape));
        }
        let count = self.shape[..self.shape.len() - 1].iter().product::<usize>();
        let dot = |at: usize, row: usize| -> f64 {
            (0..inner).map(|k| self.data[at * inner + k] * weight.data[row * inner + k]).sum()
        };
        let data =
            (0..count).flat_map(|at| (0..rows).map(move |row| (at, row))).map(|(at, row)| dot(at, row)).collect();
        let mut shape = self.shape.clone();
        *shape.last_mut().unwrap() = rows;
        Ok(Array { shape, data })
    }

    /// Returns the largest absolute difference; infinite if the shapes differ.
    pub fn difference(&self, other: &Array) -> f64 {
        if self.shape != other.shape {
            return f64::INFINITY;
        }
        self.data.iter().zip(&other.data).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    }
}

/// A mesh of devices, which are numbered in row-major order.
#[derive(Clone, Debug)]
pub struct Grid(pub Vec<usize>);

impl Grid {
    pub fn devices(&self) -> usize {
        self.0.iter().product()
    }

    /// Returns the coordinate of a device along an axis.
    pub fn coordinate(&self, device: usize, axis: usize) -> usize {
        device / self.0[axis + 1..].iter().product::<usize>() % self.0[axis]
    }

    /// Returns the devices that differ from a device along one axis only, in the order of their coordinates.
    pub fn group(&self, device: usize, axis: usize) -> Vec<usize> {
        let stride: usize = self.0[axis + 1..].iter().product();
        let first = device - self.coordinate(device, axis) * stride;
        (0..self.0[axis]).map(|at| first + at * stride).collect()
    }

    /// `distribute_tensor`: the shard of a device. Axes are applied from major to minor.
    pub fn local(&self, whole: &Array, placements: &[Placed], device: usize) -> Array {
        let mut local = whole.clone();
        for (axis, placed) in placements.iter().enumerate() {
            match placed {
                Placed::Shard(dim) => local = local.chunk(*dim, self.0[axis], self.coordinate(device, axis)),
                Placed::Replicate => {}
                Placed::Partial => panic!("no partial value is distributed"),
            }
        }
        local
    }

    /// `full_tensor`: the whole of the shards of all devices, as one device sees it. The minor axis is undone first.
    pub fn full(&self, locals: &[Array], placements: &[Placed], device: usize) -> Result<Array, String> {
        let mut values = locals.to_vec();
        for (axis, placed) in placements.iter().enumerate().rev() {
            let join = |device: usize| {
                let parts: Vec<Array> = self.group(device, axis).into_iter().map(|of| values[of].clone()).collect();
                match placed {
                    Placed::Shard(dim) => Ok(Array::concatenate(&parts, *dim)),
                    Placed::Replicate => Ok(values[device].clone()),
                    Placed::Partial => parts[1..].iter().try_fold(parts[0].clone(), |sum, part| sum.add(part)),
                }
            };
            values = (0..self.devices()).map(join).collect::<Result<_, String>>()?;
        }
        Ok(values.swap_remove(device))
    }
}

/// The shards of a linear layer on all devices.
pub struct Linear {
    /// `[out, in]`.
    pub weight: Vec<Array>,
    pub bias: Vec<Array>,
}

impl Linear {
    /// Distributes a layer.
    pub fn new(grid: &Grid, weight: (&Array, &[Placed]), bias: (&Array, &[Placed])) -> Linear {
        let shards = |(whole, placed): (&Array, &[Placed])| -> Vec<Array> {
            (0..grid.devices()).map(|device| grid.local(whole, placed, device)).collect()
        };
        Linear { weight: shards(weight), bias: shards(bias) }
    }

    /// `ColwiseParallel()`: replicated input, and the device's shard of the output features.
    pub fn colwise(&self, inputs: &[Array]) -> Result<Vec<Array>, String> {
        let of = |device: usize| inputs[device].linear(&self.weight[device])?.add(&self.bias[device]);
        (0..inputs.len()).map(of).collect()
    }

    /// `RowwiseParallel()`: the device's shard of the input features, and the whole output on each device of the axis.
    pub fn rowwise(&self, inputs: &[Array], grid: &Grid, axis: usize) -> Result<Vec<Array>, String> {
        let products = (0..inputs.len()).map(|device| inputs[device].linear(&self.weight[device]));
        let products: Vec<Array> = products.collect::<Result<_, String>>()?;
        let sum = |device: usize| {
            let parts = grid.group(device, axis);
            let sum = parts[1..].iter().try_fold(products[parts[0]].clone(), |sum, &part| sum.add(&products[part]));
            sum?.add(&self.bias[device])
        };
        (0..inputs.len()).map(sum).collect()
    }
}

#[test]
fn chunks_are_those_of_torch() {
    let whole = Array { shape: vec![10], data: (0..10).map(f64::from).collect() };
    let sizes = |count: usize| -> Vec<usize> { (0..count).map(|at| whole.chunk(0, count, at).shape[0]).collect() };
    assert_eq!(sizes(4), [3, 3, 3, 1]);
    assert_eq!(sizes(6), [2, 2, 2, 2, 2, 0]);
    let grid = Grid(vec![2, 3]);
    let matrix = Array::arbitrary(&[5, 7], 1);
    let placed = [Placed::Shard(1), Placed::Shard(1)];
    let locals: Vec<Array> = (0..6).map(|device| grid.local(&matrix, &placed, device)).collect();
    assert_eq!(locals[0].shape, [5, 2]);
    assert_eq!(locals[5].shape, [5, 1]);
    assert_eq!(grid.full(&locals, &placed, 4).unwrap(), matrix);
}
