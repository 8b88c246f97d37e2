//! Comparison of collectives on buffers with sharding, reducing and concatenating global tensors.

use crate::collective_exec::reference::{all_gather, all_to_all, shard};
use crate::collective_exec::{ChunkBuffer, CollectiveExec, MIN_STREAMED_BYTES, Shapes, append_transfer};
use crate::combine::combine;
use crate::group::Group;

use half::{bf16, f16};
use partita_ir::arena::AxisId;
use partita_ir::diag::Diagnostic;
use partita_ir::dtype::{DType, Type};
use partita_ir::layout::Monoid;
use partita_ir::mesh::{AxisRef, DeviceMesh};
use partita_ir::mini_float::MiniFloat;
use partita_ir::tensor::{Data, Scalar, Tensor};
use partita_machine::collective::{CollectiveKind, InterGroup, Method};
use proptest::prelude::*;
use std::sync::Arc;

/// Returns the elements in memory at their storage width, as words; unused bytes contain garbage.
fn encode(tensor: &Tensor) -> Vec<u64> {
    let bytes: Vec<u8> = tensor.scalars().flat_map(|s| element(tensor.ty.dtype, s)).collect();
    let word = |c: &[u8]| u64::from_le_bytes(std::array::from_fn(|i| c.get(i).copied().unwrap_or(0xA5)));
    bytes.chunks(8).map(word).chain([0xDEAD_BEEF_DEAD_BEEF]).collect()
}

fn element(dtype: DType, scalar: Scalar) -> Vec<u8> {
    let (float, int) = (scalar.to_f64(), scalar.to_i64());
    match dtype {
        DType::F64 => float.to_le_bytes().to_vec(),
        DType::F32 => (float as f32).to_le_bytes().to_vec(),
        DType::F16 => f16::from_f64(float).to_le_bytes().to_vec(),
        DType::BF16 => bf16::from_f64(float).to_le_bytes().to_vec(),
        DType::I64 | DType::U64 => int.to_le_bytes().to_vec(),
        DType::I32 | DType::U32 => (int as u32).to_le_bytes().to_vec(),
        DType::I16 | DType::U16 => (int as u16).to_le_bytes().to_vec(),
        DType::Mini(format) => vec![format.encode(float as f32)],
        DType::I8 | DType::U8 | DType::I4 | DType::I2 | DType::U4 | DType::U2 | DType::Bool => vec![int as u8],
    }
}

fn decode(ty: &Type, words: &[u64]) -> Tensor {
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let count = ty.shape.count();
    let at = |i: usize| &bytes[i * ty.dtype.bytes() as usize..];
    let word = |i: usize| u64::from_le_bytes(std::array::from_fn(|j| at(i).get(j).copied().unwrap_or(0)));
    let floats = |f: &dyn Fn(u64) -> f64| Tensor::from_floats(ty.clone(), (0..count).map(|i| f(word(i))).collect());
    let ints =
        |f: &dyn Fn(u64) -> i64| Tensor { ty: ty.clone(), data: Data::Int((0..count).map(|i| f(word(i))).collect()) };
    match ty.dtype {
        DType::F64 => floats(&f64::from_bits),
        DType::F32 => floats(&|w| f32::from_bits(w as u32).into()),
        DType::F16 => floats(&|w| f16::from_bits(w as u16).into()),
        DType::BF16 => floats(&|w| bf16::from_bits(w as u16).into()),
        DType::I64 | DType::U64 => ints(&|w| w as i64),
        DType::I32 => ints(&|w| (w as i32).into()),
        DType::U32 => ints(&|w| (w as u32).into()),
        DType::I16 => ints(&|w| (w as i16).into()),
        DType::U16 => ints(&|w| (w as u16).into()),
        DType::I8 | DType::I4 | DType::I2 => ints(&|w| (w as i8).into()),
        DType::U8 | DType::U4 | DType::U2 | DType::Bool => ints(&|w| (w as u8).into()),
        DType::Mini(format) => floats(&|w| format.decode(w as u8).into()),
    }
}

/// Numbers of every magnitude, with the odd zero, infinity and NaN among the floats.
fn random(ty: &Type, seed: u64) -> Tensor {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 24
    };
    let count = ty.shape.count();
    if ty.dtype.is_float() {
        let special = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0];
        let float = |r: u64| special.get((r % 97) as usize).copied().unwrap_or((r % 20001) as f64 / 137.0 - 73.0);
        return Tensor::from_floats(ty.clone(), (0..count).map(|_| float(next())).collect());
    }
    let data = Data::Int((0..count).map(|_| next() as i64 ^ (next() as i64) << 40).collect());
    Tensor { ty: ty.clone(), data }.wrapped()
}

/// Returns the result of each member.
fn run(exec: &CollectiveExec, operands: &[Arc<Tensor>], threads: usize) -> Vec<Tensor> {
    let inputs: Vec<Vec<u64>> = operands.iter().map(|t| encode(t)).collect();
    let words = exec.result().bytes().div_ceil(8) as usize;
    // Garbage, followed by a guard word.
    let mut outputs = vec![vec![0xA5A5_A5A5_A5A5_A5A5; words + 1]; operands.len()];
    let read: Vec<&[u64]> = inputs.iter().map(Vec::as_slice).collect();
    let mut written: Vec<&mut [u64]> = outputs.iter_mut().map(Vec::as_mut_slice).collect();
    exec.run(&read, &mut written, threads).unwrap();
    assert!(outputs.iter().all(|o| o[words] == 0xA5A5_A5A5_A5A5_A5A5), "writes beyond a result");
    let results: Vec<Tensor> = outputs.iter().map(|o| decode(exec.result(), o)).collect();
    if exec.in_place() {
        let mut buffers = inputs.clone();
        let mut both: Vec<&mut [u64]> = buffers.iter_mut().map(Vec::as_mut_slice).collect();
        exec.run_in_place(&mut both, threads).unwrap();
        let here: Vec<Tensor> = buffers.iter().map(|b| decode(exec.result(), b)).collect();
        assert!(is_identical(&results, &here), "in-place results differ");
    }
    results
}

/// Returns true if all numbers are bitwise identical, except for NaN payloads.
fn is_identical(a: &[Tensor], b: &[Tensor]) -> bool {
    let equal = |(x, y): (Scalar, Scalar)| x == y || (x.to_f64().is_nan() && y.to_f64().is_nan());
    let tensors = |(s, t): (&Tensor, &Tensor)| s.ty == t.ty && s.scalars().zip(t.scalars()).all(equal);
    a.len() == b.len() && a.iter().zip(b).all(tensors)
}

/// Returns the reduction of all operands in the order of the group.
fn reduced(monoid: Monoid, operands: &[Arc<Tensor>]) -> Tensor {
    let mut all = Tensor::clone(&operands[0]);
    operands[1..].iter().try_for_each(|t| combine(monoid, &mut all, t)).unwrap();
    all
}

/// Returns the groups of a mesh whose axes all shard one dimension, possibly unevenly.
fn groups(sizes: &[u32]) -> Vec<Group> {
    let names = ["a", "b", "c"];
    let mesh = Arc::new(DeviceMesh::new("m", names.into_iter().zip(sizes.iter().copied())));
    let axes: Vec<AxisRef> = (0..sizes.len()).map(|i| AxisRef::full(&mesh, AxisId(i as u32))).collect();
    Group::along_axes(&mesh, &axes)
}

#[derive(Clone, Debug)]
struct Case {
    sizes: Vec<u32>,
    shape: Vec<usize>,
    dtype: DType,
    monoid: Monoid,
    dims: (usize, usize),
    method: Option<Method>,
    seed: u64,
}

fn cases() -> impl Strategy<Value = Case> {
    let sizes = prop_oneof![
        prop::collection::vec(1u32..=7, 1..=1),
        prop::collection::vec(1u32..=4, 2..=3),
        Just(vec![11]),
        Just(vec![16])
    ];
    let shape = prop_oneof![
        4 => prop::collection::vec(0usize..=9, 1..=4),
        1 => prop::collection::vec(30usize..=90, 1..=2),
        1 => prop::collection::vec(3000usize..=9000, 1..=1),
        1 => (1usize..=9, 5000usize..=6000).prop_map(|(a, b)| vec![a, b]),
    ];
    let methods = [
        None,
        Some(Method::Direct),
        Some(Method::Star),
        Some(Method::Ring),
        Some(Method::Bidirectional),
        Some(Method::HalvingDoubling),
        Some(Method::DoubleTree { pipeline: 2 }),
        Some(Method::Hierarchical { group: 3, inter_group: InterGroup::Direct }),
        Some(Method::Pairwise),
    ];
    // Scales have no zero, which devices without a source receive.
    let has_zero = |dtype: &DType| *dtype != DType::Mini(MiniFloat::E8M0Fnu);
    let of = prop::sample::select(DType::ALL.into_iter().filter(has_zero).collect::<Vec<_>>());
    let monoid = prop::sample::select(Monoid::ALL.to_vec());
    (sizes, shape, of, monoid, (0usize..4, 0usize..4), prop::sample::select(methods.to_vec()), any::<u64>()).prop_map(
        |(sizes, shape, dtype, monoid, dims, method, seed)| Case { sizes, shape, dtype, monoid, dims, method, seed },
    )
}

impl Case {
    /// Returns the collective with the algorithm of the case, if applicable, and whether operands are combined in the
    /// order of the group.
    fn exec(&self, kind: CollectiveKind, shapes: Shapes, group: &Group) -> (CollectiveExec, bool) {
        let monoid = matches!(kind, CollectiveKind::AllReduce | CollectiveKind::ReduceScatter).then_some(self.monoid);
        let method = self.method.filter(|m| m.build(&kind, group.len()).is_some());
        let in_order = matches!(method, None | Some(Method::Direct | Method::Star));
        (CollectiveExec::new(kind, monoid, shapes, group, method).unwrap(), in_order)
    }

    fn operands(&self, ty: &Type, members: usize) -> Vec<Arc<Tensor>> {
        (0..members).map(|i| Arc::new(random(ty, self.seed.wrapping_add(i as u64 * 7919)))).collect()
    }

    /// Returns true if rounding or infinities may make the result depend on the order.
    fn order_matters(&self) -> bool {
        self.dtype.is_float()
    }

    fn check(&self) -> Result<(), TestCaseError> {
        let groups = groups(&self.sizes);
        let (group, n) = (&groups[0], groups.len());
        let threads = 1 + (self.seed % 3) as usize;
        let ty = Type::new(self.dtype, self.shape.as_slice());
        let (dim, other) = (self.dims.0 % self.shape.len(), self.dims.1 % self.shape.len());
        let operands = self.operands(&ty, n);
        if !(self.dtype.is_float() && matches!(self.monoid, Monoid::And | Monoid::Or)) {
            let all = reduced(self.monoid, &operands);
            let shapes = Shapes { operand: ty.clone(), split: None, join: None };
            let (exec, in_order) = self.exec(CollectiveKind::AllReduce, shapes, group);
            let got = run(&exec, &operands, threads);
            if in_order || !self.order_matters() {
                prop_assert!(is_identical(&got, &vec![all.clone(); n]), "all_reduce");
            }
            prop_assert!(is_identical(&got, &vec![got[0].clone(); n]), "members differ");

            let shapes = Shapes { operand: ty.clone(), split: Some(dim), join: None };
            let (exec, in_order) = self.exec(CollectiveKind::ReduceScatter, shapes, group);
            let got = run(&exec, &operands, threads);
            if in_order || !self.order_matters() {
                let want: Vec<Tensor> = (0..n).map(|i| shard(&all, dim, group, i)).collect();
                prop_assert!(is_identical(&got, &want), "reduce_scatter");
            }
        }
        // Shard of the shape along `dim`.
        let size = ty.shape[dim];
        let mut shard_type = ty.clone();
        shard_type.shape[dim] = group.shard(size, 0).padded;
        let shards = self.operands(&shard_type, n);
        let shapes = Shapes { operand: shard_type.clone(), split: None, join: Some((dim, size)) };
        let got = run(&self.exec(CollectiveKind::AllGather, shapes, group).0, &shards, threads);
        let want: Vec<Tensor> = groups.iter().map(|g| all_gather(&shards, dim, size, g).unwrap()).collect();
        prop_assert!(is_identical(&got, &want), "all_gather");
        if dim != other {
            let shapes = Shapes { operand: shard_type, split: Some(other), join: Some((dim, size)) };
            let got = run(&self.exec(CollectiveKind::AllToAll, shapes, group).0, &shards, threads);
            let want: Vec<Tensor> = groups.iter().map(|g| expected_all_to_all(&shards, dim, size, other, g)).collect();
            prop_assert!(is_identical(&got, &want), "all_to_all");
        }
        let shift = (self.seed % n as u64) as u32;
        let pairs: Vec<(u32, u32)> = (0..n as u32).map(|r| (r, (r + shift) % n as u32)).skip(1).collect();
        let got = run(&CollectiveExec::permute(&ty, &pairs, group).unwrap(), &operands, threads);
        let mut want = vec![Tensor::zeros(ty); n];
        pairs.iter().for_each(|&(from, to)| want[to as usize] = Tensor::clone(&operands[from as usize]));
        prop_assert!(is_identical(&got, &want), "permute");
        Ok(())
    }
}

fn expected_all_to_all(shards: &[Arc<Tensor>], dim: usize, size: usize, other: usize, group: &Group) -> Tensor {
    all_to_all(shards, dim, size, other, group).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, ..ProptestConfig::default() })]

    #[test]
    fn results_equal_those_on_global_tensors(case in cases()) {
        case.check()?;
    }
}

#[test]
fn item_count_depends_on_size() {
    let groups = groups(&[8]);
    let sum =
        |count: usize| CollectiveExec::all_reduce(Monoid::Sum, &Type::new(DType::F32, [count]), &groups[0]).unwrap();
    assert_eq!([0, 1, 256].map(|n| sum(n).items()), [0, 1, 1]);
    // 4 MiB in tiles of 16 KiB.
    assert_eq!(sum(1 << 20).items(), 256);
    // 64 messages of 4 bytes each.
    let small = CollectiveExec::all_to_all(&Type::new(DType::F32, [1, 8]), 0, 8, 1, &groups[0]).unwrap();
    assert_eq!(small.items(), 1);
}

#[test]
fn invalid_collectives_are_an_error() {
    let group = &groups(&[3])[0];
    let x = Type::new(DType::F32, [4, 5]);
    let error = |e: Result<CollectiveExec, Diagnostic>| e.unwrap_err().title;
    assert_eq!(
        error(CollectiveExec::all_reduce(Monoid::And, &x, group)),
        "`all_reduce` does not support `and` for f32"
    );
    assert_eq!(
        error(CollectiveExec::reduce_scatter(Monoid::Sum, &x, 2, group)),
        "`reduce_scatter` refers to dimension 2, which f32[4, 5] does not have"
    );
    assert_eq!(
        error(CollectiveExec::all_gather(&x, 1, 20, group)),
        "`all_gather` has operand size 5 in dimension 1, but a shard of 20 elements has size 7"
    );
    assert_eq!(
        error(CollectiveExec::all_to_all(&x, 0, 12, 0, group)),
        "`all_to_all` splits and concatenates the same dimension of f32[4, 5]"
    );
    for pairs in [&[(0, 3)][..], &[(0, 1), (2, 1)]] {
        assert!(error(CollectiveExec::permute(&x, pairs, group)).contains("does not exist"));
    }
    let sum = CollectiveExec::all_reduce(Monoid::Sum, &x, group).unwrap();
    let short = [0; 9];
    let mut outs = [[0; 10]; 3];
    let mut outs: Vec<&mut [u64]> = outs.iter_mut().map(|o| &mut o[..]).collect();
    assert!(sum.run(&[&short, &short, &short], &mut outs, 1).is_err());
    assert!(sum.run(&[&short, &short], &mut outs, 1).is_err());
    let gather = CollectiveExec::all_gather(&x, 1, 15, group).unwrap();
    assert!(gather.run_in_place(&mut outs, 1).is_err());
}

#[test]
fn only_copies_of_transferred_values_are_fused() {
    use crate::collective_exec::ChunkBuffer::{Input, Output};
    let moves = |transfers: &[(&[ChunkBuffer], ChunkBuffer)]| {
        let mut moves = Vec::new();
        transfers.iter().for_each(|(from, to)| append_transfer(&mut moves, from.iter().copied().collect(), *to));
        moves.iter().map(|m| m.to.len()).collect::<Vec<_>>()
    };
    let sum = (&[Input(0), Input(1)][..], Output(0));
    assert_eq!(moves(&[sum, (&[Output(0)], Output(1)), (&[Output(1)], Output(2))]), [3]);
    assert_eq!(moves(&[(&[Input(0)], Output(0)), (&[Input(0)], Output(1))]), [2]);
    // Another operand, one of two operands, a location that was just written, a combination.
    assert_eq!(moves(&[(&[Input(0)], Output(0)), (&[Input(1)], Output(1))]), [1, 1]);
    assert_eq!(moves(&[sum, (&[Input(0)], Output(1))]), [1, 1]);
    assert_eq!(moves(&[(&[Input(0)], Output(0)), (&[Input(0)], Output(0))]), [1, 1]);
    assert_eq!(moves(&[sum, (&[Output(0), Input(2)], Output(1))]), [1, 1]);
}

#[test]
fn large_results_are_streamed() {
    // Numbers of bytes that are not multiples of a cache line, so that rows are unaligned.
    let (members, count) = (3, (MIN_STREAMED_BYTES as usize) + 13);
    let group = &groups(&[members as u32])[0];
    let ty = Type::new(DType::U8, [count]);
    let words =
        |seed: u64| (0..count as u64).step_by(8).map(|i| (i + seed).wrapping_mul(0x9E37_79B9_7F4A_7C15)).collect();
    let inputs: Vec<Vec<u64>> = (1..=members as u64).map(words).collect();
    let bytes: Vec<Vec<u8>> = inputs.iter().map(|w| w.iter().flat_map(|x| x.to_le_bytes()).collect()).collect();
    let run = |exec: &CollectiveExec| -> Vec<Vec<u8>> {
        let mut outputs = vec![vec![0x5A5A_5A5A_5A5A_5A5A; inputs[0].len() * members]; members];
        let read: Vec<&[u64]> = inputs.iter().map(Vec::as_slice).collect();
        let mut written: Vec<&mut [u64]> = outputs.iter_mut().map(Vec::as_mut_slice).collect();
        exec.run(&read, &mut written, 2).unwrap();
        outputs.iter().map(|w| w.iter().flat_map(|x| x.to_le_bytes()).collect()).collect()
    };
    let sum: Vec<u8> = (0..count).map(|i| bytes.iter().fold(0, |a: u8, b| a.wrapping_add(b[i]))).collect();
    for method in [Method::Star, Method::Direct, Method::Ring] {
        for got in run(&CollectiveExec::all_reduce_with(method, Monoid::Sum, &ty, group).unwrap()) {
            assert!(got[..count] == sum[..] && got[count..].iter().all(|&b| b == 0x5A), "{method}");
        }
    }
    let joined: Vec<u8> = bytes.iter().flat_map(|b| &b[..count]).copied().collect();
    for got in run(&CollectiveExec::all_gather(&ty, 0, count * members, group).unwrap()) {
        assert!(got[..joined.len()] == joined[..] && got[joined.len()..].iter().all(|&b| b == 0x5A), "all_gather");
    }
}

/// Executes row transfers on words, as a device would.
fn execute_row_transfers(exec: &CollectiveExec, operands: &[Vec<u32>]) -> Vec<Vec<u32>> {
    use crate::collective_exec::row_transfers::MemberBuffer;
    let mut results = vec![vec![7; exec.result().shape.count()]; operands.len()];
    for transfer in exec.row_transfers().unwrap() {
        let rows = transfer.rows;
        for (row, column) in (0..rows.count).flat_map(|row| (0..rows.run).map(move |column| (row, column))) {
            let at = |(start, pitch): (usize, usize)| start + row * pitch + column;
            let read = |place: &MemberBuffer| match *place {
                MemberBuffer::Operand(member) => operands[member][at(rows.operand)],
                MemberBuffer::Result(member) => results[member][at(rows.result)],
            };
            let x = transfer.from.iter().map(read).reduce(u32::wrapping_add).unwrap_or(0);
            for to in &transfer.to {
                match *to {
                    MemberBuffer::Result(member) => results[member][at(rows.result)] = x,
                    MemberBuffer::Operand(_) => panic!("an operand is written"),
                }
            }
        }
    }
    results
}

#[test]
fn row_transfers_equal_the_collective() {
    let ty = Type::new(DType::U32, [3, 4, 7]);
    for sizes in [&[3][..], &[2, 2], &[1]] {
        let group = &groups(sizes)[0];
        let n = group.len();
        let join = |dim: usize| ty.shape[dim] * n - usize::from(n > 1);
        let pairs: Vec<(u32, u32)> = (1..n as u32).map(|i| (i - 1, i)).collect();
        let exchanges = [
            CollectiveExec::all_reduce(Monoid::Sum, &ty, group),
            CollectiveExec::reduce_scatter(Monoid::Sum, &ty, 2, group),
            CollectiveExec::reduce_scatter(Monoid::Sum, &ty, 0, group),
            CollectiveExec::all_gather(&ty, 1, join(1), group),
            CollectiveExec::all_to_all(&ty, 0, join(0), 2, group),
            CollectiveExec::permute(&ty, &pairs, group),
        ];
        for exec in exchanges {
            let exec = exec.unwrap();
            let count = ty.shape.count() as u32;
            let operands: Vec<Vec<u32>> =
                (0..n as u32).map(|m| (0..count).map(|i| i * 31 + m * 1000).collect()).collect();
            let words = |elements: &Vec<u32>| {
                let word = |pair: &[u32]| u64::from(pair[0]) | u64::from(pair.get(1).copied().unwrap_or(0)) << 32;
                elements.chunks(2).map(word).collect::<Vec<u64>>()
            };
            let inputs: Vec<Vec<u64>> = operands.iter().map(words).collect();
            let inputs: Vec<&[u64]> = inputs.iter().map(Vec::as_slice).collect();
            let results = exec.result().shape.count();
            let mut outputs = vec![vec![0u64; results.div_ceil(2)]; n];
            let mut places: Vec<&mut [u64]> = outputs.iter_mut().map(Vec::as_mut_slice).collect();
            exec.run(&inputs, &mut places, 1).unwrap();
            let want = outputs.iter().map(|words| {
                let halves = words.iter().flat_map(|&word| [word as u32, (word >> 32) as u32]);
                halves.take(results).collect::<Vec<u32>>()
            });
            assert_eq!(execute_row_transfers(&exec, &operands), want.collect::<Vec<_>>());
        }
    }
}
