//! Buffers with more than 2^32 elements. Their memory is allocated lazily by the operating system, and only some blocks
//! of a kernel are executed.

use super::compile_all;
use partita_gpu::device::{Device, DevicePtr};
use partita_gpu::emulator::{EmulatedKernel, Emulator};
use partita_gpu::{Module, Target};
use partita_ir::diag::{Diagnostic, Source};
use partita_ir::text::parse;
use partita_ir::verify::verify;
use partita_runtime::memory::Buffer;
use std::sync::Arc;

/// Side of a square matrix with more than 2^32 elements.
const SIDE: usize = 66_000;

const CUDA: Target = Target::Cuda { arch: 80 };

fn compile(text: &str, target: Target) -> Result<Module, Diagnostic> {
    let program = parse(&Source::new("test.pir", text)).unwrap_or_else(|e| panic!("{}", e[0]));
    let proof = verify(&program).unwrap_or_else(|e| panic!("{}", e[0])).into_form().unwrap();
    partita_cubecl::compile(proof, target)
}

/// The only kernel of a program, with its buffers.
struct Large {
    emulator: Emulator,
    kernel: EmulatedKernel,
    places: Vec<DevicePtr<Arc<Buffer>>>,
}

impl Large {
    fn new(text: &str, bytes: &[usize]) -> Large {
        let module = compile(text, CUDA).unwrap_or_else(|e| panic!("{e} {:?}", e.notes));
        assert_eq!(module.kernels.len(), 1);
        compile_all(&module);
        let emulator = Emulator::from_module(&module).unwrap_or_else(|e| panic!("{e} {:?}", e.notes));
        let kernel = emulator.load(&module.kernels[0]).unwrap();
        let places = bytes.iter().map(|&bytes| DevicePtr::new(emulator.allocate(bytes).unwrap())).collect();
        Large { emulator, kernel, places }
    }

    /// Executes one block.
    fn run(&self, block: usize) {
        assert!((block as u64) < self.kernel.blocks());
        self.emulator.launch_blocks(&self.kernel, &self.places, block as u64..block as u64 + 1).unwrap();
    }

    /// Returns the address of the word that contains a 16-bit element.
    fn word(&self, buffer: usize, element: usize) -> DevicePtr<Arc<Buffer>> {
        DevicePtr { memory: self.places[buffer].memory.clone(), offset: element / 2 * 4 }
    }

    fn put(&self, buffer: usize, element: usize, x: f32) {
        let place = self.word(buffer, element);
        let word = self.emulator.download(&[(place.clone(), 1)]).unwrap()[0][0];
        let (bits, shift) = (x.to_bits() >> 16, element % 2 * 16);
        self.emulator.upload(&place, &[word & !(0xffff << shift) | bits << shift]).unwrap();
    }

    fn get(&self, buffer: usize, element: usize) -> f32 {
        let word = self.emulator.download(&[(self.word(buffer, element), 1)]).unwrap()[0][0];
        f32::from_bits(word >> (element % 2 * 16) << 16)
    }
}

/// Addresses beyond 2^32 do not wrap around to the first elements.
#[test]
fn elements_beyond_32_bits_are_computed() {
    let text = format!(
        "form local
        input %x : bf16[{SIDE}, {SIDE}]
          %y = exp %x : bf16[{SIDE}, {SIDE}]
        output %y \"y\""
    );
    let large = Large::new(&text, &[SIDE * SIDE * 2; 2]);
    let last = SIDE * SIDE - 1;
    large.put(0, last, 1.0);
    large.put(0, 0, 2.0);
    large.run(last / 256);
    assert_eq!(large.get(1, last), 2.71875);
    assert_eq!((large.get(1, last - (1 << 32)), large.get(1, 0)), (0.0, 0.0));
    large.run(0);
    assert_eq!(large.get(1, 0), 7.375);
}

#[test]
fn rows_beyond_32_bits_are_reduced() {
    let text = format!(
        "form local
        input %x : bf16[{SIDE}, {SIDE}]
          %y = reduce sum [1] %x : bf16[{SIDE}]
        output %y \"y\""
    );
    let large = Large::new(&text, &[SIDE * SIDE * 2, SIDE * 2]);
    large.put(0, SIDE * SIDE - 1, 1.0);
    large.put(0, SIDE * SIDE - SIDE, 2.0);
    large.run(SIDE - 1);
    assert_eq!((large.get(1, SIDE - 1), large.get(1, SIDE - 2)), (3.0, 0.0));
}

#[test]
fn transposed_elements_beyond_32_bits_are_moved() {
    let (rows, columns) = (SIDE, SIDE + 2);
    let text = format!(
        "form local
        input %x : bf16[{rows}, {columns}]
          %t = transpose [1, 0] %x : bf16[{columns}, {rows}]
          %y = reverse [0] %t : bf16[{columns}, {rows}]
        output %y \"y\""
    );
    let large = Large::new(&text, &[rows * columns * 2; 2]);
    let (i, j) = (rows - 1, 5);
    large.put(0, i * columns + j, 4.0);
    let to = (columns - 1 - j) * rows + i;
    large.run(to / 256);
    assert_eq!((large.get(1, to), large.get(1, to - 1)), (4.0, 0.0));
}

#[test]
fn products_beyond_32_bits_are_computed() {
    let text = format!(
        "form local
        input %x : bf16[{SIDE}, 16]
        input %y : bf16[16, {SIDE}]
          %z = matmul %x, %y : bf16[{SIDE}, {SIDE}]
        output %z \"z\""
    );
    let large = Large::new(&text, &[SIDE * 32, SIDE * 32, SIDE * SIDE * 2]);
    large.put(0, SIDE * 16 - 1, 3.0);
    large.put(1, SIDE * 16 - 1, 5.0);
    // Tiles have 128 rows and columns.
    let tiles = SIDE.div_ceil(128);
    large.run(tiles * tiles - 1);
    let last = SIDE * SIDE - 1;
    assert_eq!((large.get(2, last), large.get(2, last - 1), large.get(2, last - (1 << 32))), (15.0, 0.0, 0.0));
}

#[test]
fn attention_beyond_32_bits_is_computed() {
    let batch = (1 << 22) + 3;
    let ty = format!("bf16[{batch}, 16, 64]");
    let text = format!(
        "form local
        input %q : {ty}
        input %k : {ty}
        input %v : {ty}
          %y = attention scale 1 %q, %k, %v : {ty}
        output %y \"y\""
    );
    let large = Large::new(&text, &[batch * 16 * 64 * 2; 4]);
    let last = batch * 16 * 64 - 1;
    // All weights are 1/16.
    large.put(2, last, 32.0);
    large.run(batch - 1);
    assert_eq!((large.get(3, last), large.get(3, last - 1), large.get(3, last - (1 << 32))), (2.0, 0.0, 0.0));
}

/// Ops whose kernels count with 31 or 32 bits reject larger values by name.
#[test]
fn too_large_values_are_rejected() {
    let cases = [
        ("gather", "%y = gather offset [1] collapsed [0] map [0] vector 1 sizes [1, 66000] %x, %i : f32[3, 66000]"),
        ("sort", "%y = sort dim 1 by @less %x : f32[66000, 66000]"),
        ("top_k", "%y, %j = top_k 3 %x : f32[66000, 3], i32[66000, 3]"),
        ("reduce_window", "%y = reduce_window max [(1), (2 stride 2)] %x : f32[66000, 33000]"),
        ("all_reduce", "%y = all_reduce sum over x %x : f32[66000, 66000]"),
        ("random", "%y = random uniform %key : f32[66000, 66000]"),
        ("dynamic_update_slice", "%y = dynamic_update_slice %x, %u, %n, %n : f32[66000, 66000]"),
    ];
    for (op, line) in cases {
        let text = format!(
            "form local
            mesh @m = [x=2]
            func @less(%a: f32[], %b: f32[]) {{
              %c = compare lt %a, %b : bool[]
              return %c
            }}
            input %x : f32[{SIDE}, {SIDE}]
            input %i : i32[3, 1]
            input %u : f32[1, 1]
            input %n : i32[]
            input %key : u32[2]
              {line}
            output %y \"y\""
        );
        let refused = compile(&text, CUDA).err().unwrap_or_else(|| panic!("{op} is compiled"));
        let value = if op == "random" { "y" } else { "x" };
        let limit = if op == "all_reduce" { "4294836223" } else { "2147483647" };
        let title = format!("`%{value}` has more elements than the `{op}` kernels for cuda:sm_80 support");
        assert_eq!(refused.title, title);
        let note = format!(
            "on each device, `%{value}` is f32[66000, 66000] with 4356000000 elements; these kernels support at most {limit}"
        );
        assert_eq!(refused.notes, [note]);
        let help = format!("shard `%{value}` over more devices, so that each shard has at most {limit} elements");
        assert_eq!(refused.helps[0].text, help);
    }
    let exp = "form local
        input %x : f32[66000, 66000]
          %y = exp %x : f32[66000, 66000]
        output %y \"y\"";
    for target in [Target::Wgsl, Target::Metal] {
        let refused = compile(exp, target).err().unwrap();
        assert_eq!(refused.title, format!("`%x` has more elements than the `exp` kernels for {target} support"));
    }
}
