//! The programs that are measured.

use partita_ir::dtype::DType;
use partita_ir::machine::host::{Cost, Order};
use std::fmt::Write;

/// Sizes of matrices.
pub(super) const SIZES: [usize; 5] = [1, 8, 32, 128, 512];

/// Bytes that all cores together go over.
pub(super) const MEMORY: [u64; 7] = [32 << 10, 512 << 10, 2 << 20, 8 << 20, 32 << 20, 128 << 20, 512 << 20];

/// What a device holds: elements of a dtype, and how many along each dimension.
type Held = (DType, Vec<usize>);

/// A loop on each device: what it reads, what it does in a turn, and what it writes.
#[derive(Clone)]
pub(super) struct Probe {
    devices: usize,
    /// How many turns the loop has.
    pub(super) trip: u64,
    /// What is read: `%a`, `%b`.
    operands: Vec<Held>,
    /// What computes `%r`.
    body: String,
    /// The type of that.
    result: Held,
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
        }
    }

    /// What is about runs, not about turns.
    fn once(self) -> Probe {
        self.turning(1)
    }

    /// With so many turns.
    pub(super) fn turning(self, trip: u64) -> Probe {
        Probe { trip, ..self }
    }

    /// Whether there is one turn only.
    pub(super) fn is_once(&self) -> bool {
        self.trip == 1
    }

    /// As a program in form local.
    pub(super) fn text(&self) -> String {
        let ty = |(dtype, shape): &Held| format!("{dtype}{shape:?}");
        // Each device has its own.
        let whole = |(dtype, shape): &Held| {
            let rest: String = shape[1..].iter().map(|n| format!(", {n}")).collect();
            format!("{dtype}[{}@x{rest}]", shape[0] * self.devices)
        };
        let all: Vec<(char, &Held)> = ('a'..).zip(&self.operands).chain([('y', &self.result)]).collect();
        let each = |f: &dyn Fn(char, &Held) -> String| {
            all.iter().map(|&(name, of)| f(name, of)).collect::<Vec<_>>().join(", ")
        };
        let mut text = format!("form local\nmesh @m = [x={}]\n", self.devices);
        let _ = writeln!(text, "func @turn({}) {{", each(&|name, of| format!("%{name}: {}", ty(of))));
        let _ = writeln!(text, "{}", self.body);
        let _ = writeln!(
            text,
            "  return {}\n}}",
            each(&|name, _| format!("%{} \"{name}\"", if name == 'y' { 'r' } else { name }))
        );
        for &(name, of) in &all {
            let _ = writeln!(text, "param %{name} \"{name}\" : {}", whole(of));
        }
        let results = each(&|name, _| format!("%{name}.1"));
        let values = each(&|name, _| format!("%{name}"));
        let _ = writeln!(
            text,
            "  {results} = loop {} of @turn {values} : {}",
            self.trip,
            each(&|name, of| if name == 'y' { whole(of) } else { ty(of) })
        );
        text + "output %y.1 -> \"y\"\n"
    }
}

/// An op again and again: `%r1 = op %a, %b`, `%r2 = op %r1, %b`.
fn chain(op: &str, times: usize, ty: &str, is_binary: bool) -> String {
    let second = if is_binary { ", %b" } else { "" };
    let line = |i: usize| {
        let result = if i + 1 == times { "%r".to_owned() } else { format!("%r{i}") };
        let first = if i == 0 { "%a".to_owned() } else { format!("%r{}", i - 1) };
        format!("  {result} = {op} {first}{second} : {ty}")
    };
    (0..times).map(line).collect::<Vec<_>>().join("\n")
}

/// Programs that tell what there is a cost for.
pub(super) fn costs(cores: usize) -> Vec<(Cost, Probe)> {
    use DType::{Bool, F32, F64, I32, I64};
    let elementwise = |op: &str, times, dtype: DType, n: usize, is_binary| {
        let shape = [n];
        let operands = [(dtype, &shape[..]); 2];
        let operands = if is_binary { &operands[..] } else { &operands[..1] };
        Probe::new(cores, operands, chain(op, times, &format!("{dtype}[{n}]"), is_binary), (dtype, &[n]))
    };
    let small = |devices: usize| Probe::new(devices, &[(F32, &[1])], "  %r = neg %a : f32[1]", (F32, &[1]));
    let reduced = |rows: usize, row: usize| {
        let body = format!("  %r = reduce sum [1] %a : f32[{rows}]");
        Probe::new(cores, &[(F32, &[rows, row])], body, (F32, &[rows]))
    };
    let meeting = |devices: usize, n: usize| {
        let body = format!("  %r = all_reduce sum over x %a : f32[{n}]");
        Probe::new(devices, &[(F32, &[n])], body, (F32, &[n]))
    };
    let gathered = |devices: usize, rows: usize| {
        let body = format!("  %r = all_gather dim 1 over x %a : f32[{rows}, {}]", 16 * devices);
        Probe::new(devices, &[(F32, &[rows, 16])], body, (F32, &[rows, 16 * devices]))
    };
    // Long enough for a core that waits to fall asleep.
    let rare = |devices: usize| {
        let work = chain("exp", 16, "f32[2048]", false).replace("%r =", "%e =");
        let body = format!("{work}\n  %r = all_reduce sum over x %e : f32[2048]");
        Probe::new(devices, &[(F32, &[2048])], body, (F32, &[2048]))
    };
    let copied = |n: usize| {
        Probe::new(cores, &[(F32, &[n, n])], format!("  %r = transpose [1, 0] %a : f32[{n}, {n}]"), (F32, &[n, n]))
    };
    let cut =
        Probe::new(cores, &[(F32, &[64, 64])], "  %r = slice [0, 0] to [64, 32] %a : f32[64, 32]", (F32, &[64, 32]));
    let rows = "  %r = gather offset [1] collapsed [0] map [0] vector 1 sizes [1, 32] %a, %b : f32[64, 32]";
    let rows = Probe::new(cores, &[(F32, &[64, 32]), (I32, &[64, 1])], rows, (F32, &[64, 32]));
    let window = "  %r = reduce_window max [(1), (2 stride 2), (2 stride 2)] %a : f32[8, 16, 16]";
    let window = Probe::new(cores, &[(F32, &[8, 32, 32])], window, (F32, &[8, 16, 16]));
    let converted = Probe::new(cores, &[(Bool, &[1024])], "  %r = convert %a : f32[1024]", (F32, &[1024]));
    let counted = Probe::new(
        cores,
        &[(I64, &[1024])],
        "  %i = iota dim 0 : i64[1024]\n  %r = add %a, %i : i64[1024]",
        (I64, &[1024]),
    );
    let shared = Probe::new(1, &[(F32, &[1 << 14][..]); 2], chain("add", 8, "f32[16384]", true), (F32, &[1 << 14]));
    let mut all = vec![
        (Cost::Run, small(1).once()),
        (Cost::Device, small(16 * cores).once()),
        (Cost::Task, copied(2)),
        (Cost::Scattered, copied(32)),
        (Cost::Line, cut),
        (Cost::Slice, rows),
        (Cost::Loop, elementwise("neg", 1, F32, 16, false)),
        (Cost::Instruction, elementwise("add", 32, F32, 16, true)),
        (Cost::Plain, elementwise("add", 24, F32, 1024, true)),
        (Cost::Store, elementwise("neg", 1, F32, 2048, false)),
        (Cost::Tile, reduced(256, 16)),
        (Cost::Reduce, reduced(4, 1024)),
        (Cost::Divide, elementwise("div", 16, F32, 1024, true)),
        (Cost::Exp, elementwise("exp", 8, F32, 1024, false)),
        (Cost::Log, elementwise("log", 8, F32, 1024, false)),
        (Cost::Tanh, elementwise("tanh", 8, F32, 1024, false)),
        (Cost::Erf, elementwise("erf", 8, F32, 1024, false)),
        (Cost::Slow, elementwise("pow", 4, F32, 1024, true)),
        (Cost::Convert, converted),
        (Cost::Wide, elementwise("add", 16, I64, 1024, true)),
        (Cost::Wrap, elementwise("add", 16, I32, 1024, true)),
        (Cost::WideSlow, elementwise("div", 8, F64, 1024, true)),
        (Cost::Index, counted),
        (Cost::Window, window),
        (Cost::Interpretation, elementwise("round", 1, F32, 1, false)),
        (Cost::Interpreted, elementwise("round", 1, F32, 1024, false)),
        (Cost::Arrival, meeting(4 * cores, 1)),
        (Cost::Carried, meeting(4 * cores, 1 << 14)),
        (Cost::Motion, gathered(4 * cores, 64)),
    ];
    if cores > 1 {
        all.push((Cost::Wake, rare(cores)));
        all.push((Cost::Share, shared));
    }
    all
}

/// Elements of a device when all together go over so many bytes: one of two operands each.
fn elements(cores: usize, bytes: u64) -> usize {
    (bytes as usize / 8 / cores).max(1)
}

/// Each core goes over its share of so many bytes.
pub(super) fn memory(cores: usize, bytes: u64) -> Probe {
    let n = elements(cores, bytes);
    Probe::new(cores, &[(DType::F32, &[n])], format!("  %r = neg %a : f32[{n}]"), (DType::F32, &[n]))
}

/// The bytes that a core moves in a turn of that.
pub(super) fn moved(cores: usize, bytes: u64) -> f64 {
    8.0 * elements(cores, bytes) as f64
}

/// Which products are measured.
pub(super) fn products() -> Vec<(DType, Order)> {
    let orders = Order::ALL.map(|order| (DType::F32, order));
    orders.into_iter().chain([(DType::F64, Order(true, true))]).collect()
}

/// Each core multiplies an `m x k` by a `k x n` matrix.
pub(super) fn product(cores: usize, dtype: DType, order: Order, [m, n, k]: [usize; 3]) -> Probe {
    let (left, l) = if order.0 { ([m, k], 1) } else { ([k, m], 0) };
    let (right, r) = if order.1 { ([k, n], 0) } else { ([n, k], 1) };
    let body = format!("  %r = dot_general contract [{l}]x[{r}] %a, %b : {dtype}[{m}, {n}]");
    Probe::new(cores, &[(dtype, &left), (dtype, &right)], body, (dtype, &[m, n]))
}
