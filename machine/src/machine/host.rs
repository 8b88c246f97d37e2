//! Performance model of a host: a machine whose devices share the cores and memory of one process, with measured costs.
//!
//! Work on a host is described by [`Work`]: the number of operations of each [`Cost`], the matrix products, and the
//! memory traffic. All measurements were made with every core busy, so that they include contention between cores.

use crate::network::RankNetwork;
use partita_ir::dtype::DType;
use std::fmt;

/// Machine whose devices share its cores and its memory.
#[derive(Clone, PartialEq, Debug)]
pub struct Host {
    /// Number of devices of one process that compute at the same time.
    pub cores: usize,
    /// Seconds per operation of each [`Cost`], indexed as [`Cost::ALL`].
    pub costs: [f64; Cost::ALL.len()],
    /// Memory bandwidth of one core by working-set size: bytes and bytes per second, in ascending order of size.
    pub memory: Vec<(u64, f64)>,
    /// Measured rates of matrix products.
    pub products: Vec<ProductRates>,
    /// Ranks among which devices are divided, if the host was measured with several processes. The other measurements
    /// are then those of one rank while all ranks compute.
    pub ranks: Option<RankNetwork>,
}

macro_rules! costs {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// Operation with a measured cost: runtime overhead, or processing of an element.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Cost { $($(#[$doc])* $name,)* }

        impl Cost {
            /// All operations.
            pub const ALL: [Cost; [$(Cost::$name),*].len()] = [$(Cost::$name),*];

            /// Returns the name in machine files.
            pub const fn name(self) -> &'static str {
                match self { $(Cost::$name => $text,)* }
            }
        }
    };
}

costs! {
    /// Execution of a program on all devices: waking threads and waiting for their completion.
    Run = "run",
    /// Start of a device's program.
    Device = "device",
    /// Task of a device.
    Task = "task",
    /// Arrival of a device at a collective, including its later resumption on a core that other devices used.
    Arrival = "arrival",
    /// Resumption of a device on an idle core after completion of a collective.
    Wake = "wake",
    /// Distribution of one device's work to several cores.
    Distribute = "share",
    /// Copied run of consecutive elements.
    Line = "line",
    /// Element copied individually from or to a non-consecutive location.
    ScatteredElement = "scattered",
    /// Slice that is gathered or scattered.
    Slice = "slice",
    /// Fused loop.
    Loop = "loop",
    /// Tile of a row of a fused loop.
    Tile = "tile",
    /// Instruction of a tile.
    Instruction = "instruction",
    /// Element that is stored from a register to memory.
    Store = "store",
    /// Simple operation on an `f32` or boolean element: addition, multiplication, comparison or selection.
    Arithmetic = "plain",
    /// Division or square root of an `f32` element.
    Divide = "divide",
    /// Exponential of an `f32` element, or a function derived from one.
    Exp = "exp",
    /// Logarithm of an `f32` element.
    Log = "log",
    /// Hyperbolic tangent of an `f32` element.
    Tanh = "tanh",
    /// Error function of an `f32` element.
    Erf = "erf",
    /// Function of an `f32` element without vector instructions, such as a power or a sine.
    ScalarFunction = "slow",
    /// Element of any dtype that is combined with the rest of its row in a reduction.
    Reduce = "reduce",
    /// Element that is converted to another dtype or between its memory and register representations, or that is loaded
    /// from a non-consecutive location.
    Convert = "convert",
    /// Simple operation on an element in an 8-byte register: `f64`, and integers of any size.
    Wide = "wide",
    /// Integer element of fewer than 8 bytes, which is truncated after each operation.
    Truncate = "wrap",
    /// Division or function of an `f64` or integer element.
    WideFunction = "wide slow",
    /// Index of an element along a dimension, as computed by `iota`.
    Index = "index",
    /// Element read by a maximum or sum over windows.
    Window = "window",
    /// Position visited by a maximum or sum over windows that overlap or leave gaps.
    WindowVisit = "visited",
    /// Attention score that is converted to a weight.
    Score = "score",
    /// Element of an op without a kernel, which is interpreted.
    InterpretedElement = "interpreted",
    /// Element for which a function of the program is called.
    FuncCall = "called",
    /// Invocation of an interpreted op.
    InterpretedOp = "interpretation",
    /// KiB that a collective reads or writes.
    CollectiveKib = "carried",
    /// Run of consecutive elements that a collective reads or writes.
    CollectiveRun = "motion",
}

/// Storage orders of the left and the right operand of a matrix product: true for row-major, false for column-major.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct OperandOrder(pub bool, pub bool);

impl OperandOrder {
    /// All combinations of storage orders.
    pub const ALL: [OperandOrder; 4] =
        [OperandOrder(true, true), OperandOrder(true, false), OperandOrder(false, true), OperandOrder(false, false)];

    /// Returns the name in machine files, such as `rows x columns`.
    pub const fn name(self) -> &'static str {
        match self {
            OperandOrder(true, true) => "rows x rows",
            OperandOrder(true, false) => "rows x columns",
            OperandOrder(false, true) => "columns x rows",
            OperandOrder(false, false) => "columns x columns",
        }
    }
}

/// Measured rates of matrix products of `m x k` by `k x n`, for all combinations of a list of sizes. A product has `2 m
/// n k` operations.
#[derive(Clone, PartialEq, Debug)]
pub struct ProductRates {
    /// Dtype of the elements.
    pub dtype: DType,
    /// Storage orders of the operands.
    pub order: OperandOrder,
    /// Sizes in ascending order.
    pub sizes: Vec<usize>,
    /// Rates in FLOP/s, indexed by `m`, `n` and `k` in row-major order.
    pub rates: Vec<f64>,
}

/// Matrix product of `m x k` by `k x n`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Product {
    /// Dtype of the elements.
    pub dtype: DType,
    /// Storage orders of the operands.
    pub order: OperandOrder,
    /// Sizes `m`, `n` and `k`.
    pub size: [usize; 3],
}

/// Memory access of a kernel, by the index of the operand or result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemoryAccess {
    /// Read of an operand.
    Read(usize),
    /// Write of a result.
    Write(usize),
}

/// Work of a kernel or task on the host.
#[derive(Clone, PartialEq, Debug)]
pub struct Work {
    /// Number of operations of each cost, indexed as [`Cost::ALL`].
    pub counts: [f64; Cost::ALL.len()],
    /// Matrix products with the number of executions of each.
    pub products: Vec<(Product, f64)>,
    /// Bytes moved from and to memory by each access.
    pub accesses: Vec<(MemoryAccess, f64)>,
    /// Maximum number of cores that can share the work.
    pub max_cores: usize,
}

impl Default for Work {
    fn default() -> Work {
        Work { counts: [0.0; Cost::ALL.len()], products: Vec::new(), accesses: Vec::new(), max_cores: 1 }
    }
}

impl Work {
    /// Adds `count` operations of a cost.
    pub fn add(&mut self, cost: Cost, count: usize) {
        self.counts[cost as usize] += count as f64;
    }

    /// Returns the work with `count` more operations of a cost.
    pub fn with(mut self, cost: Cost, count: usize) -> Work {
        self.add(cost, count);
        self
    }

    /// Returns the work with `bytes` more bytes read or written. Written bytes count twice, because a cache line is
    /// read before it is modified.
    pub fn with_access(self, access: MemoryAccess, bytes: usize) -> Work {
        self.with_traffic(access, if let MemoryAccess::Write(_) = access { 2 * bytes } else { bytes })
    }

    /// Returns the work with `bytes` more bytes moved from or to memory.
    pub fn with_traffic(mut self, access: MemoryAccess, bytes: usize) -> Work {
        match self.accesses.iter_mut().find(|(known, _)| *known == access) {
            Some((_, all)) => *all += bytes as f64,
            None => self.accesses.push((access, bytes as f64)),
        }
        self
    }

    /// Returns the work with `times` more executions of a matrix product.
    pub fn with_product(mut self, product: Product, times: usize) -> Work {
        self.products.push((product, times as f64));
        self
    }

    /// Returns the work for at most the given number of cores.
    pub fn with_max_cores(self, max_cores: usize) -> Work {
        Work { max_cores, ..self }
    }
}

impl Host {
    /// Returns the seconds of one operation of a cost.
    pub fn cost(&self, cost: Cost) -> f64 {
        self.costs[cost as usize]
    }

    /// Returns the seconds of a kernel, where `reuse_distance` returns the reuse distance of an access: the bytes
    /// touched since the last use, including the accessed data. Memory traffic overlaps with computation, so that the
    /// longer of the two counts.
    pub fn seconds(&self, work: &Work, mut reuse_distance: impl FnMut(MemoryAccess) -> u64) -> f64 {
        let moved: f64 =
            work.accesses.iter().map(|&(access, bytes)| bytes / self.bandwidth(reuse_distance(access))).sum();
        self.kernel_seconds(work, self.compute_seconds(work), moved)
    }

    /// Returns the seconds of all operations and matrix products on one core.
    pub fn compute_seconds(&self, work: &Work) -> f64 {
        let counted: f64 = work.counts.iter().zip(&self.costs).map(|(count, cost)| count * cost).sum();
        counted + work.products.iter().map(|(product, times)| times * self.product(product)).sum::<f64>()
    }

    /// Returns the seconds of a kernel with the given seconds of computation and of memory traffic on one core. The
    /// longer of the two is divided by [`Work::max_cores`], and work on several cores adds [`Cost::Distribute`].
    pub fn kernel_seconds(&self, work: &Work, compute: f64, moved: f64) -> f64 {
        let share = if work.max_cores > 1 { self.cost(Cost::Distribute) } else { 0.0 };
        share + compute.max(moved) / work.max_cores.max(1) as f64
    }

    /// Returns the bandwidth of one core for a working set of `bytes`, in bytes per second. Interpolates linearly in
    /// log-log space between the measured sizes; beyond them, the nearest measurement applies. Infinite without
    /// measurements.
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

    /// Returns the seconds of a matrix product. Falls back to other storage orders of the dtype, then to the first
    /// table. Zero without tables.
    pub fn product(&self, product: &Product) -> f64 {
        let all = || self.products.iter();
        let same = all().find(|p| p.dtype == product.dtype && p.order == product.order);
        let Some(table) = same.or_else(|| all().find(|p| p.dtype == product.dtype)).or_else(|| all().next()) else {
            return 0.0;
        };
        table.seconds(product.size)
    }
}

impl ProductRates {
    /// Returns the seconds of a product of `m x k` by `k x n`. Interpolates in log-log space between the measured sizes
    /// and extrapolates linearly beyond the largest one. Sizes below the smallest one count as the smallest.
    pub fn seconds(&self, size: [usize; 3]) -> f64 {
        if size.contains(&0) {
            return 0.0;
        }
        // Trilinear interpolation of log seconds over the eight neighbouring measured sizes.
        let sides = size.map(|n| self.bracket(n));
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

    /// Returns the neighbouring measured sizes of a size.
    fn bracket(&self, n: usize) -> SizeBracket {
        let above = self.sizes.partition_point(|size| *size < n);
        let last = self.sizes.len() - 1;
        if above > last {
            return SizeBracket { below: last, above: last, share: 0.0, times: n as f64 / self.sizes[last] as f64 };
        }
        let below = if self.sizes[above] == n { above } else { above.saturating_sub(1) };
        let [low, high] = [below, above].map(|i| (self.sizes[i] as f64).ln());
        let share = if below == above { 0.0 } else { ((n as f64).ln() - low) / (high - low) };
        SizeBracket { below, above, share, times: 1.0 }
    }
}

/// Measured neighbours of a size: indices of the lower and the upper neighbour, weight of the upper one, and scale
/// factor for sizes above the largest measured one.
struct SizeBracket {
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
