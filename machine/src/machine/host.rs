//! A host: devices that share a process, and what was measured of it.
//!
//! What runs on a host is known as [`Work`]: how often it does what there is a [`Cost`] for, which matrices it
//! multiplies, and how many bytes it goes over. Seconds of work follow from figures that were all measured while every
//! core was at work, so that what cores take from each other is in them.

use partita_ir::dtype::DType;
use std::fmt;

/// A machine whose devices share its cores and its memory.
#[derive(Clone, PartialEq, Debug)]
pub struct Host {
    /// How many devices compute at a time.
    pub cores: usize,
    /// Seconds of one of each [`Cost`], by position in [`Cost::ALL`].
    pub costs: [f64; Cost::ALL.len()],
    /// Bytes a second that a core moves which goes over so many bytes again and again, the least first.
    pub memory: Vec<(u64, f64)>,
    /// Products of matrices.
    pub products: Vec<Products>,
}

macro_rules! costs {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// What has a price: what a runtime does besides computing, and what is done with an element.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Cost { $($(#[$doc])* $name,)* }

        impl Cost {
            /// Every one.
            pub const ALL: [Cost; [$(Cost::$name),*].len()] = [$(Cost::$name),*];

            /// What files call it.
            pub const fn name(self) -> &'static str {
                match self { $(Cost::$name => $text,)* }
            }
        }
    };
}

costs! {
    /// A run of all devices: waking threads, and seeing that all have ended.
    Run = "run",
    /// A device that begins.
    Device = "device",
    /// A task of a device.
    Task = "task",
    /// A device that comes to a collective, and goes on where others had its core.
    Arrival = "arrival",
    /// A device that goes on, once a collective is complete, on a core that was idle.
    Wake = "wake",
    /// Letting other cores have a share in what one does.
    Share = "share",
    /// A line of consecutive elements that is copied.
    Line = "line",
    /// An element that is copied from or to one by one.
    Scattered = "scattered",
    /// A slice that is gathered, or added to where it belongs.
    Slice = "slice",
    /// A fused loop.
    Loop = "loop",
    /// A tile of a row of it.
    Tile = "tile",
    /// An instruction of a tile.
    Instruction = "instruction",
    /// An element of a register that is written to memory.
    Store = "store",
    /// An element of `f32` that is added, multiplied, compared, chosen.
    Plain = "plain",
    /// That is divided, or whose square root is taken.
    Divide = "divide",
    /// Exponentials, and what is made of one.
    Exp = "exp",
    /// Logarithms.
    Log = "log",
    /// Hyperbolic tangents.
    Tanh = "tanh",
    /// Error functions.
    Erf = "erf",
    /// What has no vector instructions: powers, sines.
    Slow = "slow",
    /// An element of `f32` or of another dtype that is combined with the rest of its row.
    Reduce = "reduce",
    /// An element that is read from or written to memory where it is not as in a register, or not beside the one before
    /// it.
    Convert = "convert",
    /// An element of 8 bytes: `f64`, and all integers.
    Wide = "wide",
    /// Integers of fewer bytes, which are made narrow after each operation.
    Wrap = "wrap",
    /// Elements of 8 bytes that are divided, or go through a function.
    WideSlow = "wide slow",
    /// The index of an element along a dimension.
    Index = "index",
    /// A maximum or sum over windows: an element that is read.
    Window = "window",
    /// A maximum or sum over windows that overlap or leave gaps: a place that is visited.
    Visited = "visited",
    /// Attention: a score that becomes a weight.
    Score = "score",
    /// An element of an op without a kernel.
    Interpreted = "interpreted",
    /// An element for which a function of the program is called.
    Called = "called",
    /// Such an op.
    Interpretation = "interpretation",
    /// A KiB that a collective reads or writes.
    Carried = "carried",
    /// A line of consecutive elements that a collective reads or writes.
    Motion = "motion",
}

/// How matrices lie that are multiplied: whether elements of a row are beside each other in the left one and the right
/// one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Order(pub bool, pub bool);

impl Order {
    /// Every one.
    pub const ALL: [Order; 4] = [Order(true, true), Order(true, false), Order(false, true), Order(false, false)];

    /// What files call it: `rows x columns`.
    pub const fn name(self) -> &'static str {
        match self {
            Order(true, true) => "rows x rows",
            Order(true, false) => "rows x columns",
            Order(false, true) => "columns x rows",
            Order(false, false) => "columns x columns",
        }
    }
}

/// Measured products of `m x k` by `k x n` matrices of all sizes of a list.
#[derive(Clone, PartialEq, Debug)]
pub struct Products {
    /// Of what.
    pub dtype: DType,
    /// How operands lie.
    pub order: Order,
    /// The sizes, the least first.
    pub sizes: Vec<usize>,
    /// Operations a second: by `m`, then by `n`, then by `k`.
    pub rates: Vec<f64>,
}

/// A product of an `m x k` by a `k x n` matrix.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Product {
    /// Of what.
    pub dtype: DType,
    /// How operands lie.
    pub order: Order,
    /// `m`, `n` and `k`.
    pub size: [usize; 3],
}

/// Memory that is gone over, by its place among what a kernel reads or writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Touch {
    /// What it reads.
    Read(usize),
    /// What it writes.
    Written(usize),
}

/// Something to do.
#[derive(Clone, PartialEq, Debug)]
pub struct Work {
    /// How often what there is a cost for, by position in [`Cost::ALL`].
    pub counts: [f64; Cost::ALL.len()],
    /// How often which products.
    pub products: Vec<(Product, f64)>,
    /// Bytes that are moved from and to memory, and where.
    pub touches: Vec<(Touch, f64)>,
    /// How many cores may have a share in it.
    pub ways: usize,
}

impl Default for Work {
    fn default() -> Work {
        Work { counts: [0.0; Cost::ALL.len()], products: Vec::new(), touches: Vec::new(), ways: 1 }
    }
}

impl Work {
    /// Adds so many of what there is a cost for.
    pub fn add(&mut self, cost: Cost, count: usize) {
        self.counts[cost as usize] += count as f64;
    }

    /// With so many of what there is a cost for.
    pub fn with(mut self, cost: Cost, count: usize) -> Work {
        self.add(cost, count);
        self
    }

    /// With so many bytes that are read or written there. What is written counts twice: a line of a cache is read
    /// before it is changed.
    pub fn over(self, touch: Touch, bytes: usize) -> Work {
        self.moving(touch, if let Touch::Written(_) = touch { 2 * bytes } else { bytes })
    }

    /// With so many bytes that are moved from or to memory there.
    pub fn moving(mut self, touch: Touch, bytes: usize) -> Work {
        match self.touches.iter_mut().find(|(known, _)| *known == touch) {
            Some((_, all)) => *all += bytes as f64,
            None => self.touches.push((touch, bytes as f64)),
        }
        self
    }

    /// With a product, so many times.
    pub fn multiplying(mut self, product: Product, times: usize) -> Work {
        self.products.push((product, times as f64));
        self
    }

    /// Shared by so many cores.
    pub fn shared_by(self, ways: usize) -> Work {
        Work { ways, ..self }
    }
}

impl Host {
    /// Seconds of one of what there is a cost for.
    pub fn cost(&self, cost: Cost) -> f64 {
        self.costs[cost as usize]
    }

    /// Seconds of a kernel, where `ago` says of what it touches how many bytes were gone over since it was touched
    /// before, itself included. What is moved is fetched ahead while other elements are computed.
    pub fn seconds(&self, work: &Work, mut ago: impl FnMut(Touch) -> u64) -> f64 {
        let moved: f64 = work.touches.iter().map(|&(touch, bytes)| bytes / self.bandwidth(ago(touch))).sum();
        self.in_all(work, self.computing(work), moved)
    }

    /// Seconds of all that is counted and of products, on one core.
    pub fn computing(&self, work: &Work) -> f64 {
        let counted: f64 = work.counts.iter().zip(&self.costs).map(|(count, cost)| count * cost).sum();
        counted + work.products.iter().map(|(product, times)| times * self.product(product)).sum::<f64>()
    }

    /// Seconds of a kernel that computes and moves memory that long.
    pub fn in_all(&self, work: &Work, computing: f64, moved: f64) -> f64 {
        let share = if work.ways > 1 { self.cost(Cost::Share) } else { 0.0 };
        share + computing.max(moved) / work.ways.max(1) as f64
    }

    /// Bytes a second of a core that goes over so many bytes: between sizes that were measured in proportion, on scales
    /// of powers.
    pub fn bandwidth(&self, bytes: u64) -> f64 {
        let at = |(size, rate): &(u64, f64)| ((*size as f64).ln(), rate.ln());
        let x = (bytes.max(1) as f64).ln();
        let above = self.memory.partition_point(|(size, _)| *size < bytes);
        match (above.checked_sub(1).and_then(|i| self.memory.get(i)), self.memory.get(above)) {
            (Some(below), Some(above)) => {
                let ((x0, y0), (x1, y1)) = (at(below), at(above));
                (y0 + (y1 - y0) * (x - x0) / (x1 - x0)).exp()
            }
            (Some(only), None) | (None, Some(only)) => only.1,
            (None, None) => f64::INFINITY,
        }
    }

    /// Seconds of a product: between sizes that were measured in proportion, on scales of powers; beyond them as what
    /// is there again and again. Of what was not measured as `f32` by rows.
    pub fn product(&self, product: &Product) -> f64 {
        let all = || self.products.iter();
        let same = all().find(|p| p.dtype == product.dtype && p.order == product.order);
        let Some(table) = same.or_else(|| all().find(|p| p.dtype == product.dtype)).or_else(|| all().next()) else {
            return 0.0;
        };
        table.seconds(product.size)
    }
}

impl Products {
    /// Seconds of an `m x k` by `k x n` product.
    pub fn seconds(&self, size: [usize; 3]) -> f64 {
        if size.contains(&0) {
            return 0.0;
        }
        // By dimension: the sizes on both sides, how far the one above is away, and how often the largest fits.
        let sides = size.map(|n| self.side(n));
        let mut sum = 0.0;
        for corner in 0..8usize {
            let (mut weight, mut at, mut ops) = (1.0, 0, 2.0);
            for (d, side) in sides.iter().enumerate() {
                let above = corner >> d & 1 == 1;
                weight *= if above { side.share } else { 1.0 - side.share };
                let i = if above { side.above } else { side.below };
                at = at * self.sizes.len() + i;
                ops *= self.sizes[i] as f64;
            }
            if weight > 0.0 {
                sum += weight * (ops / self.rates[at]).ln();
            }
        }
        sum.exp() * sides.iter().map(|side| side.times).product::<f64>()
    }

    fn side(&self, n: usize) -> Side {
        let above = self.sizes.partition_point(|size| *size < n);
        let last = self.sizes.len() - 1;
        if above > last {
            return Side { below: last, above: last, share: 0.0, times: n as f64 / self.sizes[last] as f64 };
        }
        let below = if self.sizes[above] == n { above } else { above.saturating_sub(1) };
        let [low, high] = [below, above].map(|i| (self.sizes[i] as f64).ln());
        let share = if below == above { 0.0 } else { ((n as f64).ln() - low) / (high - low) };
        Side { below, above, share, times: 1.0 }
    }
}

/// Where a size lies among those that were measured.
struct Side {
    below: usize,
    above: usize,
    share: f64,
    times: f64,
}

impl fmt::Display for Product {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [m, n, k] = self.size;
        write!(f, "{m}x{k} by {k}x{n} of {}, {}", self.dtype, self.order.name())
    }
}
