//! All MLIR spellings of a literal for all element types, compared with the bytes of Rust's numbers.

use crate::common::{imported, module, refused};

/// A number of an element type: its decimal spelling and its little-endian bytes.
struct Element {
    mlir: &'static str,
    decimal: String,
    bytes: Vec<u8>,
}

macro_rules! elements {
    ($mlir:literal: $ty:ty = $($x:expr),*) => {
        vec![$({
            let x: $ty = $x;
            Element { mlir: $mlir, decimal: format!("{x:?}"), bytes: x.to_le_bytes().to_vec() }
        }),*]
    };
}

/// Returns numbers of each element type, including the extremes.
fn numbers() -> Vec<Vec<Element>> {
    let half = |mlir, numbers: &[(&str, u16)]| -> Vec<Element> {
        let element = |&(decimal, bits): &(&str, u16)| Element {
            mlir,
            decimal: decimal.into(),
            bytes: bits.to_le_bytes().into(),
        };
        numbers.iter().map(element).collect()
    };
    vec![
        elements!("i8": i8 = 0, 1, -1, i8::MIN, i8::MAX),
        elements!("i32": i32 = 0, 1, -1, i32::MIN, i32::MAX, 0x0123_4567),
        elements!("i64": i64 = 0, 1, -1, i64::MIN, i64::MAX, 0x0123_4567_89AB_CDEF),
        elements!("ui8": u8 = 0, 1, u8::MAX),
        elements!("ui32": u32 = 0, 1, u32::MAX, 0xFEDC_BA98),
        elements!("ui64": u64 = 0, 1, u64::MAX, 0xFEDC_BA98_7654_3210),
        elements!("f32": f32 = 0.0, 1.5, -2.0, f32::MAX, f32::MIN_POSITIVE),
        elements!("f64": f64 = 0.0, 1.5, -2.0, f64::MAX, f64::MIN_POSITIVE),
        half("f16", &[("0.0", 0x0000), ("1.5", 0x3E00), ("-2.0", 0xC000), ("65504.0", 0x7BFF)]),
        half("bf16", &[("0.0", 0x0000), ("1.5", 0x3FC0), ("-2.0", 0xC000)]),
        vec![
            Element { mlir: "i1", decimal: "false".into(), bytes: vec![0] },
            Element { mlir: "i1", decimal: "true".into(), bytes: vec![1] },
        ],
    ]
}

/// Returns hexadecimal digits, most significant byte first.
fn digits(bytes: &[u8]) -> String {
    bytes.iter().rev().map(|byte| format!("{byte:02X}")).collect()
}

/// Returns hexadecimal digits in byte order.
fn blob(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the imported constant with the given literal as program text.
fn constant(literal: &str, shape: &str, mlir: &str) -> String {
    let ty = format!("tensor<{shape}{mlir}>");
    imported(&format!(
        "module @m {{ func.func public @main() -> {ty} {{
           %0 = stablehlo.constant dense<{literal}> : {ty}
           return %0 : {ty} }} }}"
    ))
}

#[test]
fn every_spelling_of_a_splat_is_the_same_number() {
    for element in numbers().iter().flatten() {
        let Element { mlir, decimal, bytes } = element;
        for shape in ["", "3x", "3x5x"] {
            let expected = constant(decimal, shape, mlir);
            assert!(expected.starts_with("form traced"), "{expected}");
            assert_eq!(
                constant(&format!("0x{}", digits(bytes)), shape, mlir),
                expected,
                "{mlir} {decimal} in hexadecimal"
            );
            // Eight booleans are packed in a byte; a splat of them is a byte of equal bits.
            let byte = if *mlir == "i1" && !shape.is_empty() { vec![bytes[0] * 0xFF] } else { bytes.clone() };
            assert_eq!(constant(&format!("\"0x{}\"", blob(&byte)), shape, mlir), expected, "{mlir} {decimal} as bytes");
        }
    }
}

#[test]
fn every_spelling_of_a_list_is_the_same_numbers() {
    for elements in numbers() {
        let (mlir, shape) = (elements[0].mlir, format!("{}x", elements.len()));
        let list = |spell: &dyn Fn(&Element) -> String| {
            format!("[{}]", elements.iter().map(spell).collect::<Vec<_>>().join(", "))
        };
        let expected = constant(&list(&|e| e.decimal.clone()), &shape, mlir);
        assert!(expected.starts_with("form traced"), "{expected}");
        assert_eq!(constant(&list(&|e| format!("0x{}", digits(&e.bytes))), &shape, mlir), expected);
        let bytes: Vec<u8> = elements.iter().flat_map(|e| e.bytes.clone()).collect();
        assert_eq!(constant(&format!("\"0x{}\"", blob(&bytes)), &shape, mlir), expected);
    }
}

#[test]
fn booleans_may_be_packed() {
    let bits: Vec<bool> = (0..19).map(|i| i % 3 == 0 || i == 10).collect();
    let mut packed = vec![0u8; 3];
    bits.iter().enumerate().filter(|(_, bit)| **bit).for_each(|(i, _)| packed[i / 8] |= 1 << (i % 8));
    let list = bits.iter().map(bool::to_string).collect::<Vec<_>>().join(", ");
    let expected = constant(&format!("[{list}]"), "19x", "i1");
    assert_eq!(constant(&format!("\"0x{}\"", blob(&packed)), "19x", "i1"), expected);
}

#[test]
fn the_bits_of_a_signed_number_may_be_written_without_a_sign() {
    for (mlir, digits, number) in [("i8", "255", "-1"), ("i32", "0x80000000", "-2147483648"), ("i1", "-1", "true")] {
        assert_eq!(constant(digits, "2x", mlir), constant(number, "2x", mlir));
    }
}

/// Returns a module with two elements of the given literal.
fn module_of(literal: &str, mlir: &str) -> String {
    let body = format!("%0 = stablehlo.constant dense<{literal}> : tensor<2x{mlir}>");
    module("", &format!("{body}\n%1 = stablehlo.constant dense<0.0> : tensor<f32>\nreturn %1 : tensor<f32>"))
}

#[test]
fn literals_out_of_range_are_errors() {
    for (mlir, literal) in [
        ("i8", "256"),
        ("i8", "0x100"),
        ("i8", "-129"),
        ("ui8", "-1"),
        ("i1", "2"),
        ("i32", "0x100000000"),
        ("i64", "0x10000000000000000"),
        ("ui64", "18446744073709551616"),
        ("i32", "+1"),
        ("i32", "--1"),
        ("i32", "0x"),
        ("i32", "1.0"),
        ("f32", "0x100000000"),
        ("f16", "0x10000"),
        ("i32", "true"),
    ] {
        let shown = refused(&module_of(literal, mlir));
        assert!(shown.contains("is not a literal of type"), "{literal}: {shown}");
    }
    for (mlir, literal) in [("i8", "0x000102"), ("i32", "0x0000"), ("i1", "0x010000"), ("i32", "0x000000000000000g")] {
        let shown = refused(&module_of(&format!("\"{literal}\""), mlir));
        assert!(shown.contains("literal"), "{literal}: {shown}");
    }
}
