//! Probe programs of the calibration.

use partita_ir::dtype::DType;
use partita_machine::host::OperandOrder;
use std::fmt::Write;

/// Matrix sizes.
pub(super) const MATRIX_SIZES: [usize; 5] = [1, 8, 32, 128, 512];

/// Bytes that all cores together access in one pass.
pub(super) const MEMORY_BYTES: [u64; 7] = [512 << 10, 2 << 20, 8 << 20, 16 << 20, 32 << 20, 64 << 20, 256 << 20];

/// Local tensor of a device: element type and shape.
type LocalTensorType = (DType, Vec<usize>);

/// A loop on each device: its operands, its body and its result.
#[derive(Clone)]
pub(super) struct Probe {
    devices: usize,
    /// Number of loop iterations.
    pub(super) trip: u64,
    /// Operands `%a`, `%b`, ...
    operands: Vec<LocalTensorType>,
    /// Text of the ops that compute `%r`.
    body: String,
    /// Type of `%r`.
    result: LocalTensorType,
    /// Text of a function that the body calls.
    callee: Option<&'static str>,
}

impl Probe {
    fn new(
        devices: usize,
        operands: &[(DType, &[usize])],
        body: impl Into<String>,
        result: (DType, &[usize]),
    ) -> Probe {
        let owned = |&(dtype, shape): &(DType, &[usize])| (dtype, shape.to_vec());
        Probe {
            devices,
            trip: 4,
            operands: operands.iter().map(owned).collect(),
            body: body.into(),
            result: owned(&result),
            callee: None,
        }
    }

    /// Sets a function that the body calls.
    fn with_callee(self, callee: &'static str) -> Probe {
        Probe { callee: Some(callee), ..self }
    }

    /// Sets a single iteration, which measures the cost of a run.
    fn with_single_iteration(self) -> Probe {
        self.with_trip_count(1)
    }

    /// Sets the number of iterations.
    pub(super) fn with_trip_count(self, trip: u64) -> Probe {
        Probe { trip, ..self }
    }

    /// Returns a probe in which each device of `devices` devices sends `n` elements of `f32` by each of the `permute`s
    /// of a loop body, one after another. Each lists pairs of a sender and a receiver.
    pub(super) fn of_permutes(devices: usize, n: usize, permutes: &[Vec<(usize, usize)>]) -> Probe {
        let line = |(i, pairs): (usize, &Vec<(usize, usize)>)| {
            let name = |i: usize| if i == permutes.len() { "%r".to_owned() } else { format!("%p{i}") };
            let operand = if i == 0 { "%a".to_owned() } else { name(i) };
            let pairs: Vec<String> = pairs.iter().map(|(from, to)| format!("{from}->{to}")).collect();
            format!("  {} = permute over x [{}] {operand} : f32[{n}]", name(i + 1), pairs.join(", "))
        };
        let body: Vec<String> = permutes.iter().enumerate().map(line).collect();
        Probe::new(devices, &[(DType::F32, &[n])], body.join("\n"), (DType::F32, &[n]))
    }

    /// Returns a probe in which `devices` devices sum `n` elements of `f32`.
    pub(super) fn of_all_reduce(devices: usize, n: usize) -> Probe {
        let body = format!("  %r = all_reduce sum over x %a : f32[{n}]");
        Probe::new(devices, &[(DType::F32, &[n])], body, (DType::F32, &[n]))
    }

    /// Returns true if the loop has a single iteration.
    pub(super) fn has_single_iteration(&self) -> bool {
        self.trip == 1
    }

    /// Returns true if the body has matrix products. Of the cost probes, only those of attention have any.
    pub(super) fn has_products(&self) -> bool {
        self.body.contains("attention")
    }

    /// Formats the probe as a program in local form.
    pub(super) fn text(&self) -> String {
        let ty = |(dtype, shape): &LocalTensorType| format!("{dtype}{shape:?}");
        // The global tensor has one shard per device.
        let global = |(dtype, shape): &LocalTensorType| {
            let rest: String = shape[1..].iter().map(|n| format!(", {n}")).collect();
            format!("{dtype}[{}@x{rest}]", shape[0] * self.devices)
        };
        let all: Vec<(char, &LocalTensorType)> = ('a'..).zip(&self.operands).chain([('y', &self.result)]).collect();
        let each = |f: &dyn Fn(char, &LocalTensorType) -> String| {
            all.iter().map(|&(name, of)| f(name, of)).collect::<Vec<_>>().join(", ")
        };
        let mut text = format!("form local\nmesh @m = [x={}]\n", self.devices);
        text.extend(self.callee);
        let _ = writeln!(text, "func @turn({}) {{", each(&|name, of| format!("%{name}: {}", ty(of))));
        let _ = writeln!(text, "{}", self.body);
        let _ = writeln!(
            text,
            "  return {}\n}}",
            each(&|name, _| format!("%{} \"{name}\"", if name == 'y' { 'r' } else { name }))
        );
        for &(name, of) in &all {
            let _ = writeln!(text, "param %{name} \"{name}\" : {}", global(of));
        }
        let results = each(&|name, _| format!("%{name}.1"));
        let values = each(&|name, _| format!("%{name}"));
        let _ = writeln!(
            text,
            "  {results} = loop {} of @turn {values} : {}",
            self.trip,
            each(&|name, of| if name == 'y' { global(of) } else { ty(of) })
        );
        text + "output %y.1 -> \"y\"\n"
    }
}

/// Returns a chain of `times` ops: `%r1 = op %a, %b`, `%r2 = op %r1, %b`.
fn chain(op: &str, times: usize, ty: &str, is_binary: bool) -> String {
    let second = if is_binary { ", %b" } else { "" };
    let line = |i: usize| {
        let result = if i + 1 == times { "%r".to_owned() } else { format!("%r{i}") };
        let first = if i == 0 { "%a".to_owned() } else { format!("%r{}", i - 1) };
        format!("  {result} = {op} {first}{second} : {ty}")
    };
    (0..times).map(line).collect::<Vec<_>>().join("\n")
}

/// Substitutes the shapes of a row-wise computation such as softmax.
fn row_wise_body(lines: &str, rows: usize, row: usize) -> String {
    lines.replace("ROWSxROW", &format!("f32[{rows}, {row}]")).replace("ROWS", &format!("f32[{rows}]"))
}

const SOFTMAX: &str = "  %m = reduce max [1] %a : ROWS
  %mb = broadcast [0] %m : ROWSxROW
  %d = sub %a, %mb : ROWSxROW
  %e = exp %d : ROWSxROW
  %s = reduce sum [1] %e : ROWS
  %sb = broadcast [0] %s : ROWSxROW
  %r = div %e, %sb : ROWSxROW";

const NORM: &str = "  %s = reduce sum [1] %a : ROWS
  %sb = broadcast [0] %s : ROWSxROW
  %d = sub %a, %sb : ROWSxROW
  %q = mul %d, %d : ROWSxROW
  %v = reduce sum [1] %q : ROWS
  %i = rsqrt %v : ROWS
  %ib = broadcast [0] %i : ROWSxROW
  %r = mul %d, %ib : ROWSxROW";

const LARGER: &str = "func @larger(%x: f32[], %y: f32[]) {\n  %z = max %x, %y : f32[]\n  return %z \"z\"\n}\n";

/// Returns the probes that determine the cost constants together.
pub(super) fn cost_probes(cores: usize) -> Vec<Probe> {
    use DType::{Bool, F32, F64, I32, I64};
    let elementwise = |op: &str, times, dtype: DType, n: usize, is_binary| {
        let shape = [n];
        let operands = [(dtype, &shape[..]); 2];
        let operands = if is_binary { &operands[..] } else { &operands[..1] };
        Probe::new(cores, operands, chain(op, times, &format!("{dtype}[{n}]"), is_binary), (dtype, &[n]))
    };
    let small = |devices: usize| Probe::new(devices, &[(F32, &[1])], "  %r = neg %a : f32[1]", (F32, &[1]));
    let by_rows = |lines: &str, count: usize, row: usize| {
        Probe::new(cores, &[(F32, &[count, row])], row_wise_body(lines, count, row), (F32, &[count, row]))
    };
    let reduced = |count: usize, row: usize| {
        let body = format!("  %r = reduce sum [1] %a : f32[{count}]");
        Probe::new(cores, &[(F32, &[count, row])], body, (F32, &[count]))
    };
    let gathered = |devices: usize, rows: usize, row: usize| {
        let body = format!("  %r = all_gather dim 1 over x %a : f32[{rows}, {}]", row * devices);
        Probe::new(devices, &[(F32, &[rows, row])], body, (F32, &[rows, row * devices]))
    };
    // Long enough for a waiting core to go to sleep.
    let sleepy = |devices: usize| {
        let work = chain("exp", 16, "f32[2048]", false).replace("%r =", "%e =");
        let body = format!("{work}\n  %r = all_reduce sum over x %e : f32[2048]");
        Probe::new(devices, &[(F32, &[2048])], body, (F32, &[2048]))
    };
    let copied = |n: usize| {
        Probe::new(cores, &[(F32, &[n, n])], format!("  %r = transpose [1, 0] %a : f32[{n}, {n}]"), (F32, &[n, n]))
    };
    let sliced = |n: usize, row: usize| {
        let body = format!("  %r = slice [0, 0] to [{n}, {row}] %a : f32[{n}, {row}]");
        Probe::new(cores, &[(F32, &[n, 2 * row])], body, (F32, &[n, row]))
    };
    let embedded = |n: usize, row: usize| {
        let body = format!(
            "  %r = gather offset [1] collapsed [0] map [0] vector 1 sizes [1, {row}] %a, %b : f32[{n}, {row}]"
        );
        Probe::new(cores, &[(F32, &[n, row]), (I32, &[n, 1])], body, (F32, &[n, row]))
    };
    let window = "  %r = reduce_window max [(1), (2 stride 2), (2 stride 2)] %a : f32[8, 16, 16]";
    let window = Probe::new(cores, &[(F32, &[8, 32, 32])], window, (F32, &[8, 16, 16]));
    let sums = "  %r = reduce_window sum [(1), (64 pad 63 0)] %a : f32[4, 64]";
    let sums = Probe::new(cores, &[(F32, &[4, 64])], sums, (F32, &[4, 64]));
    let called = "  %i = constant 0.0 : f32[]\n  %r = reduce_func [1] with @larger %a, %i : f32[8]";
    let called = Probe::new(cores, &[(F32, &[8, 64])], called, (F32, &[8])).with_callee(LARGER);
    let attention = |n: usize, d: usize| {
        let body = format!("  %r = attention scale 0.5 %a, %b, %c : f32[2, {n}, {d}]");
        Probe::new(cores, &[(F32, &[2, n, d][..]); 3], body, (F32, &[2, n, d]))
    };
    let converted = Probe::new(cores, &[(Bool, &[1024])], "  %r = convert %a : f32[1024]", (F32, &[1024]));
    let counted = Probe::new(
        cores,
        &[(I64, &[1024])],
        "  %i = iota dim 0 : i64[1024]\n  %r = add %a, %i : i64[1024]",
        (I64, &[1024]),
    );
    let shared = |times: usize| {
        Probe::new(1, &[(F32, &[1 << 14][..]); 2], chain("add", times, "f32[16384]", true), (F32, &[1 << 14]))
    };
    let mut all = vec![
        small(1).with_single_iteration(),
        small(16 * cores).with_single_iteration(),
        copied(2),
        copied(32),
        copied(64),
        sliced(64, 32),
        sliced(512, 8),
        sliced(16, 256),
        embedded(64, 32),
        embedded(16, 256),
        elementwise("neg", 1, F32, 16, false),
        elementwise("neg", 1, F32, 2048, false),
        elementwise("add", 32, F32, 16, true),
        elementwise("add", 8, F32, 256, true),
        elementwise("add", 24, F32, 1024, true),
        elementwise("add", 4, F32, 8192, true),
        reduced(256, 16),
        reduced(64, 64),
        reduced(4, 1024),
        by_rows(SOFTMAX, 64, 32),
        by_rows(SOFTMAX, 16, 256),
        by_rows(NORM, 64, 32),
        by_rows(NORM, 32, 128),
        by_rows(NORM, 8, 1024),
        elementwise("div", 16, F32, 1024, true),
        elementwise("exp", 8, F32, 1024, false),
        elementwise("log", 8, F32, 1024, false),
        elementwise("tanh", 8, F32, 1024, false),
        elementwise("erf", 8, F32, 1024, false),
        elementwise("pow", 4, F32, 1024, true),
        converted,
        elementwise("add", 16, I64, 1024, true),
        elementwise("add", 16, I32, 1024, true),
        elementwise("div", 8, F64, 1024, true),
        counted,
        window,
        sums,
        attention(32, 16),
        attention(128, 32),
        elementwise("round", 1, F32, 1, false),
        elementwise("round", 1, F32, 1024, false),
        called,
        Probe::of_all_reduce(4 * cores, 1),
        Probe::of_all_reduce(4 * cores, 1 << 12),
        Probe::of_all_reduce(4 * cores, 1 << 14),
        gathered(4 * cores, 64, 16),
        gathered(4 * cores, 8, 512),
    ];
    if cores > 1 {
        all.extend([sleepy(cores), shared(8), shared(32)]);
    }
    all
}

/// Returns the number of `f32` elements of an operand on each core if all cores access `bytes` bytes in total.
fn element_count(cores: usize, bytes: u64) -> usize {
    (bytes as usize / 8 / cores).max(1)
}

/// Returns a probe in which all cores together access `bytes` bytes.
pub(super) fn memory_probe(cores: usize, bytes: u64) -> Probe {
    let n = element_count(cores, bytes);
    Probe::new(cores, &[(DType::F32, &[n])], format!("  %r = neg %a : f32[{n}]"), (DType::F32, &[n]))
}

/// Returns the bytes that a core moves in an iteration of [`memory_probe`]: 12 an element, of which 4 are read, and 4
/// are read and written.
pub(super) fn moved_bytes(cores: usize, bytes: u64) -> f64 {
    12.0 * element_count(cores, bytes) as f64
}

/// Element types and memory orders of the measured products.
pub(super) fn product_kinds() -> Vec<(DType, OperandOrder)> {
    let orders = OperandOrder::ALL.map(|order| (DType::F32, order));
    orders.into_iter().chain([(DType::F64, OperandOrder(true, true))]).collect()
}

/// Returns a probe in which each core multiplies an `m x k` by a `k x n` matrix.
pub(super) fn product_probe(cores: usize, dtype: DType, order: OperandOrder, [m, n, k]: [usize; 3]) -> Probe {
    let (left, l) = if order.0 { ([m, k], 1) } else { ([k, m], 0) };
    let (right, r) = if order.1 { ([k, n], 0) } else { ([n, k], 1) };
    let body = format!("  %r = dot_general contract [{l}]x[{r}] %a, %b : {dtype}[{m}, {n}]");
    Probe::new(cores, &[(dtype, &left), (dtype, &right)], body, (dtype, &[m, n]))
}
